\set u random(10000000, 9999999 + :users)
\set d random(11, 28)
\set ms 100 + :u % 900
\set s random(0, 9999)
SELECT partitioning.update_item('TABLE_NAME', jsonb_build_object('PK', 'USER#' || :u, 'SK', 'ORDER#2024-03-' || :d || 'T09:30:00.' || :ms || 'Z')::partitioning.item, :move, jsonb_build_object(:state::text, :s::text, :key::text, 'STATUS#S' || :s)::partitioning.item, expression_names => '{"#s": "status"}');
