-- A sparse index: only items that have its key are in it, so that a question
-- about few items of many reads these few.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_sparse CASCADE;
CREATE SCHEMA example_sparse;
SET search_path = example_sparse, partitioning;
SELECT create_table('app', 'orderId');
SELECT create_global_index('app', 'to_check', 'toCheck', 'flaggedAt', projection => 'KEYS_ONLY', propagation => 'sync');

\echo 'A thousand orders, of which three are flagged.'
INSERT INTO app SELECT 'O-' || i, jsonb_build_object('amount', i % 90) FROM generate_series(1, 1000) AS i;
SELECT count(*) AS flagged
FROM (VALUES ('O-17', 'fraud', '2026-02-02'), ('O-500', 'fraud', '2026-01-30'), ('O-999', 'stock', '2026-02-01')) AS v (id, who, at),
     update_item('app', jsonb_build_object('orderId', id), 'SET toCheck = :who, flaggedAt = :t', jsonb_build_object(':who', who, ':t', at));
SELECT (SELECT count(*) FROM app) AS items, (SELECT count(*) FROM app_to_check) AS entries;

\echo 'What is to be checked, longest waiting first.'
SELECT query('app', 'toCheck = :who', '{":who": "fraud"}', index_name => 'to_check');

\echo 'Done: without the attribute it is out of the index.'
SELECT update_item('app', '{"orderId": "O-500"}', 'REMOVE toCheck, flaggedAt');
SELECT scan('app', index_name => 'to_check');

\echo 'A value that cannot be the key is no way to be left out: the write is refused.'
\set ON_ERROR_STOP off
SELECT update_item('app', '{"orderId": "O-17"}', 'SET toCheck = :no', '{":no": false}');
\set ON_ERROR_STOP on
