-- The item functions inside everything that SQL has around them.
CREATE SCHEMA api_context;
SET search_path = api_context, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT count(*) FROM generate_series(1, 5) AS i,
     put_item('app', jsonb_build_object('PK', 'A', 'SK', i::text, 'v', i));

-- A rolled back subtransaction leaves nothing.
BEGIN;
SELECT put_item('app', '{"PK": "T", "SK": "1", "v": 1}');
SAVEPOINT s;
SELECT update_item('app', '{"PK": "T", "SK": "1"}', 'SET v = :v', '{":v": 2}', return_values => 'ALL_NEW');
SELECT put_item('app', '{"PK": "T", "SK": "2"}');
ROLLBACK TO s;
SELECT put_item('app', '{"PK": "T", "SK": "1"}', 'attribute_not_exists(PK)');
ROLLBACK TO s;
SELECT * FROM query('app', 'PK = :pk', '{":pk": "T"}');
COMMIT;
SELECT get_item('app', '{"PK": "T", "SK": "1"}');

-- A failed condition caught in PL/pgSQL by its SQLSTATE.
DO $$
BEGIN
    PERFORM put_item('app', '{"PK": "T", "SK": "1"}', 'attribute_not_exists(PK)');
EXCEPTION WHEN SQLSTATE 'IM002' THEN
    RAISE NOTICE 'caught: %', SQLERRM;
END $$;

-- A block that fails leaves no trace of what it wrote before.
DO $$
BEGIN
    PERFORM put_item('app', '{"PK": "T", "SK": "3"}');
    PERFORM put_item('app', '{"PK": "T", "SK": "1"}', 'attribute_not_exists(PK)');
EXCEPTION WHEN SQLSTATE 'IM002' THEN
    PERFORM put_item('app', '{"PK": "T", "SK": "4"}');
END $$;
SELECT q ->> 'SK' FROM query('app', 'PK = :pk', '{":pk": "T"}') AS q;

-- Statements of a function see each other's writes; a STABLE get within one
-- statement sees the state at its beginning.
CREATE FUNCTION put_then_get(OUT same_statement item, OUT next_statement item) LANGUAGE plpgsql AS $$
BEGIN
    SELECT get_item('app', '{"PK": "F", "SK": "1"}') INTO same_statement
    FROM (SELECT put_item('app', '{"PK": "F", "SK": "1", "v": 1}')) AS p;
    next_statement := get_item('app', '{"PK": "F", "SK": "1"}');
END $$;
SELECT * FROM put_then_get();

-- Prepared statements, with custom and generic plans.
PREPARE get(item) AS SELECT get_item('app', $1);
EXECUTE get('{"PK": "A", "SK": "1"}');
SET plan_cache_mode = force_generic_plan;
EXECUTE get('{"PK": "A", "SK": "2"}');
EXECUTE get(NULL);
PREPARE put(item, text) AS SELECT put_item('app', $1, $2);
EXECUTE put('{"PK": "A", "SK": "1", "v": 1}', NULL);
PREPARE q(item) AS SELECT * FROM query('app', 'PK = :pk AND SK > :sk', $1) LIMIT 2;
EXECUTE q('{":pk": "A", ":sk": "1"}');
EXECUTE q('{":pk": "A", ":sk": "3"}');
RESET plan_cache_mode;
DEALLOCATE ALL;

-- Cursors: forward, backward, across savepoints, held after commit.
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT query('app', 'PK = :pk', '{":pk": "A"}') AS item;
FETCH 2 FROM c;
SAVEPOINT s;
FETCH 1 FROM c;
-- The cursor does not see what is written after it was opened.
SELECT put_item('app', '{"PK": "A", "SK": "35"}');
FETCH 1 FROM c;
ROLLBACK TO s;
FETCH BACKWARD 2 FROM c;
FETCH ALL FROM c;
COMMIT;
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT query('app', 'PK = :pk', '{":pk": "A"}') AS item;
FETCH 1 FROM h;
COMMIT;
FETCH 2 FROM h;
CLOSE h;
BEGIN;
DECLARE n NO SCROLL CURSOR FOR SELECT query('app', 'PK = :pk', '{":pk": "A"}') AS item;
FETCH 1 FROM n;
CLOSE n;
DECLARE n NO SCROLL CURSOR FOR SELECT scan('app') AS item;
MOVE 2 FROM n;
COMMIT;

-- A cursor ends with the subtransaction that opened it; a table cannot be
-- dropped under a cursor that reads it.
BEGIN;
SAVEPOINT s;
DECLARE i CURSOR FOR SELECT query('app', 'PK = :pk', '{":pk": "A"}') AS item;
FETCH 1 FROM i;
ROLLBACK TO s;
FETCH 1 FROM i;
ROLLBACK TO s;
DECLARE i CURSOR FOR SELECT scan('app') AS item;
MOVE 1 FROM i;
DROP TABLE app;
ROLLBACK;

-- Errors caught inside a loop do not end the read that drives it.
DO $$
DECLARE
    i item;
    failed int := 0;
BEGIN
    FOR i IN SELECT query('app', 'PK = :pk', '{":pk": "A"}') LOOP
        BEGIN
            PERFORM put_item('app', '{"PK": "undone", "SK": "1"}');
            PERFORM put_item('app', i, 'attribute_not_exists(PK)');
        EXCEPTION WHEN SQLSTATE 'IM002' THEN
            failed := failed + 1;
        END;
    END LOOP;
    RAISE NOTICE '% conditions failed', failed;
END $$;
SELECT count(*) FROM query('app', 'PK = :pk', '{":pk": "undone"}');

-- Several reads in one select list, of which one ends early.
SELECT query('app', 'PK = :pk', '{":pk": "A"}', projection => 'v', max_items => 2) AS a,
       query('app', 'PK = :pk', '{":pk": "A"}', projection => 'v', scan_forward => false, max_items => 3) AS b;
SELECT * FROM ROWS FROM (query('app', 'PK = :pk', '{":pk": "A"}', projection => 'v', max_items => 2), scan('app', projection => 'PK', max_items => 1)) AS t (a, b);

-- A loop that deletes what it reads.
DO $$
DECLARE
    i item;
BEGIN
    FOR i IN SELECT query('app', 'PK = :pk', '{":pk": "A"}', projection => 'PK, SK') LOOP
        PERFORM delete_item('app', i);
    END LOOP;
END $$;
SELECT count(*) FROM query('app', 'PK = :pk', '{":pk": "A"}');

-- Read-only transactions: readers work, writers are refused.
BEGIN READ ONLY;
SELECT get_item('app', '{"PK": "T", "SK": "1"}');
SELECT count(*) FROM query('app', 'PK = :pk', '{":pk": "T"}');
SELECT put_item('app', '{"PK": "T", "SK": "1"}');
ROLLBACK;
BEGIN READ ONLY;
SELECT update_item('app', '{"PK": "T", "SK": "1"}');
ROLLBACK;
BEGIN READ ONLY;
SELECT delete_item('app', '{"PK": "T", "SK": "1"}');
ROLLBACK;

-- Isolation levels: own writes are seen and may be written again.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT put_item('app', '{"PK": "I", "SK": "1", "v": 1}', 'attribute_not_exists(PK)');
SELECT update_item('app', '{"PK": "I", "SK": "1"}', 'SET v = v + :v', '{":v": 1}', return_values => 'ALL_NEW');
SELECT get_item('app', '{"PK": "I", "SK": "1"}');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT update_item('app', '{"PK": "I", "SK": "1"}', 'SET v = v + :v', '{":v": 1}', return_values => 'ALL_NEW');
SELECT delete_item('app', '{"PK": "I", "SK": "1"}', return_values => 'ALL_OLD');
SELECT put_item('app', '{"PK": "I", "SK": "1", "v": 9}', 'attribute_not_exists(PK)');
COMMIT;
SELECT get_item('app', '{"PK": "I", "SK": "1"}');

-- Items are plain rows to SQL, in the same transaction.
BEGIN;
CREATE TABLE ledger (n int);
WITH w AS (SELECT put_item('app', '{"PK": "L", "SK": "1", "n": 1}'))
INSERT INTO ledger SELECT 1 FROM w;
UPDATE app SET attributes = attributes || '{"n": 2}' WHERE pk = 'L';
SELECT get_item('app', '{"PK": "L", "SK": "1"}');
DELETE FROM app WHERE pk = 'L';
SELECT get_item('app', '{"PK": "L", "SK": "1"}') IS NULL AS absent;
ROLLBACK;

-- Readers run in parallel workers.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE keys AS SELECT i::text AS sk FROM generate_series(1, 1000) AS i;
ANALYZE keys;
EXPLAIN (COSTS OFF) SELECT count(get_item('app', jsonb_build_object('PK', 'T', 'SK', sk))) FROM keys;
SELECT count(get_item('app', jsonb_build_object('PK', 'T', 'SK', sk))) FROM keys;
SELECT count(*), count(DISTINCT q)
FROM (SELECT query('app', 'PK = :pk AND SK <= :sk', jsonb_build_object(':pk', 'T', ':sk', sk)) AS q FROM keys) AS t;
SELECT sum((query_page('app', 'PK = :pk AND SK <= :sk', jsonb_build_object(':pk', 'T', ':sk', sk))).item_count) FROM keys;
SELECT count(item_of(a)) FROM app AS a;
-- Writers do not.
EXPLAIN (COSTS OFF) SELECT count(update_item('app', jsonb_build_object('PK', 'T', 'SK', sk))) FROM keys;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

SET client_min_messages = warning;
DROP SCHEMA api_context CASCADE;
