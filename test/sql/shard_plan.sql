-- The planner merges shards: which queries, in which order, with what around.
SET search_path = public, partitioning;
SET plan_cache_mode = force_generic_plan;
SELECT create_table('events', 'PK', 'SK', write_shards => 4);
SELECT batch_write('events', ARRAY(SELECT jsonb_build_object('PK', 'd' || d, 'SK', 'e' || lpad(i::text, 4, '0'), 'n', i)::item
                                   FROM generate_series(1, 500) AS i, generate_series(1, 20) AS d));
ANALYZE events;
CREATE FUNCTION explain(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
        -- 18 prints fractions of rows
        RETURN NEXT regexp_replace(line, '(rows=\d+)\.00', '\1');
    END LOOP;
END $$;
CREATE FUNCTION explain_json(query text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF, FORMAT JSON) ' || query INTO plan;
    RETURN plan->0->'Plan';
END $$;
SET enable_memoize = off;

-- both directions, with a limit: rows that nobody asks for are not read
SELECT explain($$ SELECT sk FROM events WHERE shard_base(pk) = 'd3' ORDER BY sk DESC LIMIT 10 $$);
SELECT explain($$ SELECT sk FROM events WHERE 'd3' = shard_base(pk) ORDER BY sk LIMIT 1 $$);
-- bounds of every kind; what is no bound is a filter
SELECT explain($$ SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND sk > 'e0100' AND 'e0110' >= sk AND sk < 'e0200' $$);
SELECT explain($$ SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND begins_with(sk, 'e012') AND sk <> 'e0125' $$);
SELECT explain($$ SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND sk LIKE 'e012%5' $$);
SELECT explain($$ SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND sk BETWEEN 'e0400' AND 'e0300' $$);
-- one sort key is in one shard
SELECT explain($$ SELECT attributes FROM events WHERE shard_base(pk) = 'd3' AND sk = 'e0007' $$);
SELECT explain($$ SELECT attributes FROM events WHERE shard_base(pk) = 'd3' AND sk = 'e0007' AND sk >= 'e0008' $$);
-- other formats
SELECT key, value FROM json_each(explain_json($$ SELECT sk FROM events AS e WHERE shard_base(pk) = 'd3' AND sk >= 'e0499' ORDER BY sk $$))
WHERE key ~ 'Custom|Relation|Output|Shard|Index|Order|Read';
EXPLAIN (COSTS OFF, VERBOSE) SELECT sk FROM events AS e WHERE shard_base(pk) = 'd3' AND sk >= 'e0499' ORDER BY sk;

-- parameters
PREPARE newest(text, text, int) AS SELECT item_of(e) FROM events AS e WHERE shard_base(pk) = $1 AND begins_with(sk, $2) ORDER BY sk DESC LIMIT $3;
EXPLAIN (COSTS OFF) EXECUTE newest('d7', 'e01', 2);
EXECUTE newest('d7', 'e01', 2);
EXECUTE newest('d7', 'e01', 0);
EXECUTE newest(NULL, 'e01', 2);
EXECUTE newest('d7', NULL, 2);
EXECUTE newest('nothing', 'e01', 2);

-- joins: the outer side is the parameter; every scan begins anew
CREATE TABLE days (day text COLLATE "C", since text COLLATE "C");
INSERT INTO days VALUES ('d1', 'e0498'), ('d2', 'e0500'), ('none', 'e0001'), (NULL, 'e0001'), ('d3', NULL);
ANALYZE days;
SELECT explain($$ SELECT d.day, e.sk FROM days AS d CROSS JOIN LATERAL (SELECT sk FROM events WHERE shard_base(pk) = d.day ORDER BY sk DESC LIMIT 2) AS e $$);
SELECT d.day, e.sk FROM days AS d CROSS JOIN LATERAL (SELECT sk FROM events WHERE shard_base(pk) = d.day ORDER BY sk DESC LIMIT 2) AS e ORDER BY 1, 2;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT explain($$ SELECT d.day, e.sk FROM days AS d JOIN events AS e ON shard_base(e.pk) = d.day AND e.sk >= d.since $$);
SELECT d.day, e.sk FROM days AS d JOIN events AS e ON shard_base(e.pk) = d.day AND e.sk >= d.since ORDER BY 1, 2;
SELECT d.day, e.sk FROM days AS d LEFT JOIN events AS e ON shard_base(e.pk) = d.day AND e.sk >= d.since ORDER BY 1, 2;
SELECT count(*) FROM days AS d WHERE EXISTS (SELECT FROM events AS e WHERE shard_base(e.pk) = d.day AND e.sk > 'e0450');
RESET enable_hashjoin;
SET enable_mergejoin = on;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_sort = off;
SELECT explain($$ SELECT a.sk FROM events AS a JOIN events AS b ON a.sk = b.sk WHERE shard_base(a.pk) = 'd1' AND shard_base(b.pk) = 'd2' AND a.sk < 'e0004' $$);
RESET enable_hashjoin;
RESET enable_nestloop;
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET enable_sort;

-- cursors go back as well
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT sk FROM events WHERE shard_base(pk) = 'd3' ORDER BY sk;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH FORWARD 2 FROM c;
FETCH LAST FROM c;
FETCH FIRST FROM c;
FETCH ABSOLUTE 250 FROM c;
CLOSE c;
DECLARE c CURSOR WITH HOLD FOR SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND sk > 'e0497' ORDER BY sk DESC;
FETCH 1 FROM c;
COMMIT;
FETCH 5 FROM c;
CLOSE c;

-- rows that are locked, changed, deleted
BEGIN;
SELECT sk, ctid IS NOT NULL AS ctid, tableoid::regclass FROM events WHERE shard_base(pk) = 'd3' ORDER BY sk LIMIT 2 FOR UPDATE;
EXPLAIN (COSTS OFF) UPDATE events SET attributes = '{"changed": true}' WHERE shard_base(pk) = 'd3' AND sk < 'e0004';
UPDATE events SET attributes = '{"changed": true}' WHERE shard_base(pk) = 'd3' AND sk < 'e0004';
DELETE FROM events WHERE shard_base(pk) = 'd3' AND sk < 'e0003';
SELECT item_of(e) FROM events AS e WHERE shard_base(pk) = 'd3' ORDER BY sk LIMIT 2;
ROLLBACK;
-- other system columns need rows as they are stored
SELECT sk, xmin IS NOT NULL AS xmin FROM events WHERE shard_base(pk) = 'd3' ORDER BY sk LIMIT 2;
SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND xmin IS NOT NULL ORDER BY sk LIMIT 2;

-- whole plans in a parallel worker
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) FROM events AS e JOIN (SELECT DISTINCT shard_base(pk) AS day FROM events WHERE sk = 'e0001') AS d ON shard_base(e.pk) = d.day AND e.sk > 'e0490';
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- the setting, and plain evaluation to the same result
SET partitioning.enable_shard_merge = off;
EXPLAIN (COSTS OFF) SELECT sk FROM events WHERE shard_base(pk) = 'd3' ORDER BY sk DESC LIMIT 10;
SELECT sk FROM events WHERE shard_base(pk) = 'd3' ORDER BY sk DESC LIMIT 2;
RESET partitioning.enable_shard_merge;

-- statistics on shard_base(pk) make for honest estimates
CREATE FUNCTION estimate(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    n float;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    n := plan->0->'Plan'->>'Plan Rows';
    RETURN CASE WHEN n BETWEEN 400 AND 600 THEN 'about right' ELSE n::text END;
END $$;
SELECT estimate($$ SELECT sk FROM events WHERE shard_base(pk) = 'd3' ORDER BY sk $$);

-- row security and views: nobody sees what he must not, whatever he asks
CREATE ROLE regress_shard_reader;
GRANT SELECT ON events TO regress_shard_reader;
GRANT CREATE ON SCHEMA public TO regress_shard_reader;
CREATE POLICY low ON events FOR SELECT USING (item_number(attributes, 'n') < 3);
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
SET SESSION AUTHORIZATION regress_shard_reader;
CREATE FUNCTION tell(text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$;
EXPLAIN (COSTS OFF) SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND sk BETWEEN 'e0002' AND 'e0010' AND tell(sk) ORDER BY sk;
SELECT sk FROM events WHERE shard_base(pk) = 'd3' AND sk BETWEEN 'e0002' AND 'e0010' AND tell(sk) ORDER BY sk;
RESET SESSION AUTHORIZATION;
ALTER TABLE events DISABLE ROW LEVEL SECURITY;
DROP POLICY low ON events;
CREATE VIEW low WITH (security_barrier) AS SELECT pk, sk FROM events WHERE shard_base(pk) = 'd3' AND sk < 'e0003';
GRANT SELECT ON low TO regress_shard_reader;
REVOKE SELECT ON events FROM regress_shard_reader;
SET SESSION AUTHORIZATION regress_shard_reader;
SELECT sk FROM low WHERE tell(sk) ORDER BY sk DESC;
SELECT sk FROM events WHERE shard_base(pk) = 'd3' LIMIT 1;
RESET SESSION AUTHORIZATION;
DROP VIEW low;
DROP FUNCTION tell;
REVOKE CREATE ON SCHEMA public FROM regress_shard_reader;
DROP ROLE regress_shard_reader;

-- an attribute's or chance's shards: the index of keys without shards has the order, too
SELECT create_table('traces', 'PK', 'SK', write_shards => 4, shard_by => 'random');
SELECT batch_write('traces', ARRAY(SELECT jsonb_build_object('PK', 'd' || d, 'SK', 'e' || lpad(i::text, 4, '0'))::item
                                   FROM generate_series(1, 500) AS i, generate_series(1, 20) AS d));
ANALYZE traces;
EXPLAIN (COSTS OFF) SELECT sk FROM traces WHERE shard_base(pk) = 'd3' ORDER BY sk DESC LIMIT 10;

-- numbers that no key can be: nothing is found, by either plan
SELECT create_table('measures', 'PK', 'SK', '{"SK": "N"}', write_shards => 4);
SELECT batch_write('measures', ARRAY(SELECT jsonb_build_object('PK', 'd' || d, 'SK', i / 2.0)::item
                                     FROM generate_series(1, 500) AS i, generate_series(1, 4) AS d));
ANALYZE measures;
CREATE TABLE bounds (n numeric);
INSERT INTO bounds VALUES ('NaN'), ('Infinity'), (1e40), (1.00000000000000000000000000000000000000000000001), (2.50), (7);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT sk FROM measures WHERE shard_base(pk) = 'd3' AND sk = 'NaN';
SELECT n, (SELECT sk FROM measures WHERE shard_base(pk) = 'd3' AND sk = n) AS found,
       (SELECT count(*) FROM measures WHERE shard_base(pk) = 'd3' AND sk < n) AS below,
       (SELECT count(*) FROM measures WHERE shard_base(pk) = 'd3' AND sk + 0 < n) AS filtered FROM bounds ORDER BY n;
RESET enable_seqscan;
SELECT drop_table('measures');
DROP TABLE bounds;

-- a table without shards is none of this
SELECT create_table('plain', 'PK', 'SK');
INSERT INTO plain SELECT 'p#' || i % 3, i, '{}' FROM generate_series(1, 9) AS i;
EXPLAIN (COSTS OFF) SELECT sk FROM plain WHERE shard_base(pk) = 'p' ORDER BY sk;
SELECT sk FROM plain WHERE shard_base(pk) = 'p' ORDER BY sk;

SELECT drop_table(t) FROM unnest('{events,traces,plain}'::text[]) AS t;
DROP TABLE days;
DROP FUNCTION explain, explain_json, estimate;
