\set u random(10000000, 9999999 + :users)
\set d random(11, 28)
\set ms 100 + :u % 900
\set s random(0, 9999)
UPDATE TABLE_NAME SET item = item || jsonb_build_object('status', :s::text, 'GSI1PK', 'STATUS#S' || :s) WHERE pk = 'USER#' || :u AND sk = 'ORDER#2024-03-' || :d || 'T09:30:00.' || :ms || 'Z';
