-- :condition, :before and :after are texts given by bench/run, since pgbench
-- would take a :name inside a literal for one of its variables.
\set u random(10000000, 9999999 + :users)
SELECT partitioning.query('app', :condition,
    (:before::text || :u::text || :after::text)::partitioning.item,
    scan_forward => false, max_items => 10);
