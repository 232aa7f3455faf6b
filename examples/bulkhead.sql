-- A bulkhead: the writes of each tenant go to shards of their own, so that a
-- tenant who writes without end fills his shards and nobody else's.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_bulkhead CASCADE;
CREATE SCHEMA example_bulkhead;
SET search_path = example_bulkhead, partitioning;

\echo 'The tenant is in the partition key; 4 shards take 4,000 write units a second of each of them.'
SELECT create_table('jobs', 'tenant', 'job', write_shards => 4);

\echo 'One tenant writes 4,000 jobs, the others 40 each.'
SELECT count(*) AS jobs
FROM generate_series(1, 4000) AS i,
     put_item('jobs', jsonb_build_object('tenant', 'TENANT#loud', 'job', 'J#' || lpad(i::text, 5, '0'), 'state', 'queued'));
SELECT count(*) AS jobs
FROM unnest('{ann,bob,cho}'::text[]) AS t, generate_series(1, 40) AS i,
     put_item('jobs', jsonb_build_object('tenant', 'TENANT#' || t, 'job', 'J#' || lpad(i::text, 5, '0'), 'state', 'queued'));

\echo 'No stored partition key has items of two tenants, and none has all of one''s.'
SELECT shard_base(pk) AS tenant, count(DISTINCT pk) AS shards, count(*) AS jobs, round(max(n) * 100.0 / count(*)) < 40 AS spread
FROM (SELECT pk, count(*) OVER (PARTITION BY pk) AS n FROM jobs) AS j GROUP BY 1 ORDER BY 1;

\echo 'What a quiet tenant reads does not depend on the loud one: as many rows as he asks for, and one for each further shard.'
CREATE FUNCTION rows_read(tenant text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
                                SELECT sk FROM jobs WHERE shard_base(pk) = %L ORDER BY sk LIMIT %s', tenant, n) LOOP
        IF line LIKE '%Rows Read%' THEN
            RETURN trim(line);
        END IF;
    END LOOP;
    RETURN 'no merge';
END $$;
ANALYZE jobs;
SELECT t AS tenant, rows_read('TENANT#' || t, 10) FROM unnest('{loud,ann,bob,cho}'::text[]) AS t;
SELECT query('jobs', 'tenant = :t', '{":t": "TENANT#ann"}', max_items => 3);

\echo 'Who is it that fills the table, and how many shards would he need to write 12,000 units a second?'
SELECT DISTINCT largest_key, suggested_shards, query_reads FROM shard_report('jobs', 12000);
