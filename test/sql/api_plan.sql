-- query(), scan() and merge_query() in FROM: a plan node that stops early.
SET search_path = public, partitioning;
SET plan_cache_mode = force_generic_plan;
SELECT create_table('notes', 'user', 'id', '{"id": "N"}');
SELECT batch_write('notes', ARRAY(SELECT jsonb_build_object('user', 'u#' || u, 'id', i, 'kind', 'k' || i % 3)::item
                                  FROM generate_series(1, 100) AS i, generate_series(1, 20) AS u));
SELECT create_local_index('notes', 'byKind', 'kind');
ANALYZE notes;
CREATE FUNCTION explain(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
        RETURN NEXT regexp_replace(line, '(rows=\d+)\.00', '\1');
    END LOOP;
END $$;
-- a LIMIT stops the reading
SELECT explain($$ SELECT q FROM query('notes', '#u = :u AND id > :i', '{":u": "u#3", ":i": 10}', expression_names => '{"#u": "user"}') AS q LIMIT 4 $$);
SELECT q FROM query('notes', '#u = :u AND id > :i', '{":u": "u#3", ":i": 10}', expression_names => '{"#u": "user"}') AS q LIMIT 4;
SELECT explain($$ SELECT q->>'id' FROM query('notes', '#u = :u', '{":u": "u#3", ":k": "k1"}', filter => 'kind = :k', expression_names => '{"#u": "user"}',
                                             scan_forward => false) AS q LIMIT 2 $$);
SELECT explain($$ SELECT count(*) FROM scan('notes', max_items => 7) $$);
SELECT explain($$ SELECT 1 FROM scan('notes', 'byKind', segment => 1, total_segments => 4) LIMIT 1 $$);
SELECT explain($$ SELECT 1 FROM query('notes', '#u = :u AND kind BETWEEN :a AND :b', '{":u": "u#3", ":a": "k1", ":b": "k2"}', 'byKind',
                                      expression_names => '{"#u": "user"}') LIMIT 1 $$);
-- conditions above, projections, no columns at all
SELECT q->>'id' AS id FROM query('notes', '#u = :u', '{":u": "u#3"}', expression_names => '{"#u": "user"}') AS q WHERE (q->>'id')::int > 98;
SELECT count(*) FROM scan('notes');
SELECT * FROM query('notes', '#u = :u AND id = :i', '{":u": "u#3", ":i": 5}', projection => 'id', expression_names => '{"#u": "user"}') AS q (note);
-- joins: each scan begins anew
SELECT explain($$ SELECT u, q FROM generate_series(1, 3) AS u, LATERAL (SELECT q->>'id' AS q FROM query('notes', '#u = :u', jsonb_build_object(':u', 'u#' || u),
                                                                      expression_names => '{"#u": "user"}') AS q LIMIT 2) AS x $$);
SELECT u, q FROM generate_series(1, 3) AS u, LATERAL (SELECT q->>'id' AS q FROM query('notes', '#u = :u', jsonb_build_object(':u', 'u#' || u),
                                                     expression_names => '{"#u": "user"}') AS q LIMIT 2) AS x;
-- parameters, and estimates
PREPARE of_user(text) AS SELECT count(*) FROM query('notes', '#u = :u', jsonb_build_object(':u', $1)::item, expression_names => '{"#u": "user"}');
EXECUTE of_user('u#7');
EXPLAIN (COSTS OFF) EXECUTE of_user('u#7');
CREATE FUNCTION estimate(query text) RETURNS float LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
SELECT estimate($$ SELECT * FROM query('notes', '#u = :u', '{":u": "u#1"}', expression_names => '{"#u": "user"}') $$) AS partition,
       estimate($$ SELECT * FROM query('notes', '#u = :u and id > :i', '{":u": "u#1", ":i": 4}', expression_names => '{"#u": "user"}') $$) AS part,
       estimate($$ SELECT * FROM query('notes', '#u = :u', '{":u": "u#1"}', expression_names => '{"#u": "user"}', max_items => 3) $$) AS three,
       estimate($$ SELECT * FROM scan('notes') $$) AS all, estimate($$ SELECT * FROM scan('notes', segment => 0, total_segments => 4) $$) AS quarter,
       estimate($$ SELECT * FROM merge_query('notes', '{u#1,u#2,u#3}') $$) AS three_partitions,
       estimate($$ SELECT scan('notes') $$) AS in_select_list;

-- cursors; what the node leaves to the server's own
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT q->>'id' AS id FROM query('notes', '#u = :u', '{":u": "u#3"}', expression_names => '{"#u": "user"}') AS q;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
COMMIT;
EXPLAIN (COSTS OFF) SELECT * FROM scan('notes') WITH ORDINALITY;
EXPLAIN (COSTS OFF) SELECT 1 FROM notes, scan('notes') WHERE pk = 'u#1' FOR UPDATE OF notes;
-- errors as ever, and privileges
SELECT * FROM query('nothing', 'a = :a', '{":a": 1}');
SELECT * FROM query('notes', 'a = :a', '{":a": 1}');
SELECT * FROM query(NULL, 'a = :a', '{":a": 1}');
CREATE ROLE regress_plan_reader;
SET ROLE regress_plan_reader;
SELECT * FROM scan('notes') LIMIT 1;
RESET ROLE;
BEGIN;
GRANT SELECT ON notes TO regress_plan_reader;
REVOKE EXECUTE ON FUNCTION partitioning.scan FROM PUBLIC;
SET LOCAL ROLE regress_plan_reader;
SELECT * FROM scan('notes') LIMIT 1;
ROLLBACK;
DROP ROLE regress_plan_reader;

-- several partitions as one, for suffixes that users keep by hand
SELECT merge_query('notes', '{u#1,u#2,u#2,NULL,u#nobody}', '99');
SELECT merge_query('notes', '{u#1,u#2,u#3}', upper => '2', scan_forward => false, max_items => 4);
SELECT count(*) FROM merge_query('notes', '{}');
SELECT explain($$ SELECT * FROM merge_query('notes', '{u#1,u#2,u#3,u#4,u#5}', '50', '60.5') LIMIT 3 $$);
SELECT array_agg(m->>'id') = (SELECT array_agg(sk::text ORDER BY sk) FROM notes WHERE pk = ANY ('{u#1,u#2,u#3}')) AS same
FROM merge_query('notes', '{u#1,u#2,u#3}') AS m;
SELECT merge_query('notes', NULL);
SELECT merge_query('notes', '{u#1}', 'x');
SELECT merge_query('notes', '{""}');
SELECT merge_query('notes', '{u#1}', max_items => 0);
SELECT drop_table('notes');
SELECT create_table('solo', 'id');
SELECT merge_query('solo', '{a}');
SELECT drop_table('solo');
DROP FUNCTION explain, estimate;
