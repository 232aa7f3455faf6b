-- The access method of key indexes: by option, by setting, and what follows it.
CREATE SCHEMA index_method;
SET search_path = index_method, partitioning;
CREATE VIEW methods AS SELECT i.indrelid::regclass AS relation, i.indexrelid::regclass AS index, a.amname, i.indisunique AS unique, i.indisreplident AS identity
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS a ON a.oid = c.relam
    WHERE c.relnamespace = 'index_method'::regnamespace ORDER BY i.indrelid::regclass::text COLLATE "C", i.indexrelid::regclass::text COLLATE "C";

-- an option goes before the setting
SET partitioning.index_method = ptree;
SELECT create_table('tree', 'PK', 'SK');
SELECT create_table('plain', 'PK', options => '{"index_method": "btree"}');
SET partitioning.index_method = btree;
SELECT create_table('numbers', 'n', 'm', '{"n": "N", "m": "N"}', options => '{"index_method": "ptree"}');
SELECT create_table('other', 'PK');
TABLE methods;
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'item_check' AND connamespace = 'index_method'::regnamespace ORDER BY conrelid::regclass::text COLLATE "C";
SET partitioning.index_method = hash;

-- items by item functions and by plain SQL
SELECT count(put_item('tree', jsonb_build_object('PK', 'p' || i % 20, 'SK', 's' || i, 'n', i))) FROM generate_series(1, 2000) AS i;
INSERT INTO tree SELECT 'q', 's' || i, '{}' FROM generate_series(1, 500) AS i;
SELECT put_item('tree', '{"PK": "p1", "SK": "s1", "n": "new"}', return_values => 'ALL_OLD');
SELECT put_item('tree', '{"PK": "p1", "SK": "s1"}', 'attribute_not_exists(PK)');
INSERT INTO tree VALUES ('p1', 's1', '{}');
SELECT get_item('tree', '{"PK": "p1", "SK": "s1"}'), get_item('tree', '{"PK": "p1", "SK": "s2"}') IS NULL AS none;
SELECT query('tree', 'PK = :p AND SK BETWEEN :a AND :b', '{":p": "q", ":a": "s498", ":b": "s9"}', scan_forward => false, max_items => 3);
SELECT count(*) FROM scan('tree');
SELECT sum(n) FROM generate_series(0, 3) AS s, LATERAL (SELECT count(*) AS n FROM scan('tree', segment => s, total_segments => 4)) AS one;
SELECT delete_item('tree', '{"PK": "q", "SK": "s1"}', return_values => 'ALL_OLD');
MERGE INTO tree USING (VALUES ('q', 's1'), ('q', 's2')) AS v (p, s) ON pk = p AND sk = s
    WHEN MATCHED THEN UPDATE SET attributes = '{"merged": true}' WHEN NOT MATCHED THEN INSERT (pk, sk, attributes) VALUES (p, s, '{"new": true}');
SELECT query('tree', 'PK = :p AND SK <= :s', '{":p": "q", ":s": "s10"}');
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM tree WHERE pk = 'q' AND sk > 's1' ORDER BY sk DESC;
SET plan_cache_mode = force_generic_plan;
PREPARE newest(text, text) AS SELECT pk, sk FROM tree WHERE pk = $1 AND begins_with(sk, $2) ORDER BY sk DESC LIMIT 2;
EXPLAIN (COSTS OFF) EXECUTE newest('q', 's49');
EXECUTE newest('q', 's49');
DEALLOCATE newest;
RESET plan_cache_mode;
RESET enable_bitmapscan;
SELECT ptree_check('tree_key', true);
SELECT count(put_item('numbers', jsonb_build_object('n', i % 5, 'm', i * 0.5))) FROM generate_series(-50, 49) AS i;
SELECT query('numbers', 'n = :n AND m < :m', '{":n": -3, ":m": -23}');

-- a global index: its own option, the setting, whatever the table has
SELECT delete_item('tree', '{"PK": "p1", "SK": "s1"}');
SELECT create_global_index('tree', 'byN', 'n', attribute_types => '{"n": "N"}', propagation => 'sync', options => '{"index_method": "ptree"}');
SELECT create_global_index('tree', 'plain', 'n', 'SK', '{"n": "N"}', propagation => 'sync');
SET partitioning.index_method = ptree;
SELECT create_global_index('tree', 'once', 'SK', 'PK', unique_key => true);
SELECT create_global_index('plain', 'byX', 'x', propagation => 'sync');
SELECT create_local_index('tree', 'local', 'n', '{"n": "N"}');
RESET partitioning.index_method;
SELECT index_name, options FROM partitioning.indexes WHERE schema_name = 'index_method' ORDER BY index_name COLLATE "C";
SELECT put_item('tree', '{"PK": "p2", "SK": "s2", "n": 5}'), update_item('tree', '{"PK": "p3", "SK": "s3"}', 'SET n = :n', '{":n": 5}');
SELECT query('tree', 'n = :n', '{":n": 5}', 'byN'), query('tree', 'n = :n', '{":n": 5}', 'plain');
SELECT query('tree', 'PK = :p AND n < :n', '{":p": "p2", ":n": 50}', 'local');
INSERT INTO plain VALUES ('1', '{"x": "a"}'), ('2', '{"x": "a"}');
SELECT scan('plain', 'byX');
SELECT i, v.* FROM unnest('{byN,plain,once}'::text[]) AS i, verify_index('tree', i) AS v;
-- made anew as they were
SELECT rebuild_index('tree', 'byN');
SELECT rebuild_index('tree', 'once');
REINDEX TABLE CONCURRENTLY tree;
TABLE methods;
SELECT query('tree', 'n = :n', '{":n": 5}', 'byN');
SELECT ptree_check(index, true) FROM methods WHERE amname = 'ptree';

-- register_table() takes the index that is there
CREATE TABLE mine (pk text COLLATE "C" NOT NULL, sk bytea NOT NULL, attributes item NOT NULL);
CREATE UNIQUE INDEX mine_index ON mine USING ptree (pk partitioning.text_hash_ops, sk);
SELECT register_table('mine', 'PK', 'SK');
SELECT * FROM methods WHERE relation = 'mine'::regclass;
SELECT put_item('mine', '{"PK": "a", "SK": {"$binary": "AP8="}}');
SELECT get_item('mine', '{"PK": "a", "SK": {"$binary": "AP8="}}');
SELECT scan('mine');
SET enable_bitmapscan = off; SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM mine WHERE pk = 'a' AND begins_with(sk, '\x00ff');
RESET enable_bitmapscan; RESET enable_seqscan;
DROP INDEX mine_index;
SELECT get_item('mine', '{"PK": "a", "SK": {"$binary": "AP8="}}');
SET partitioning.index_method = ptree;
SELECT register_table('mine', 'PK', 'SK');
SELECT * FROM methods WHERE relation = 'mine'::regclass;
SELECT get_item('mine', '{"PK": "a", "SK": {"$binary": "AP8="}}');
RESET partitioning.index_method;

-- pages of a scan, of the table and of a global index, meet each item once, also
-- where the index has a digest in the place of the partition key
CREATE FUNCTION in_pages(name text, index_name text, size int, segments int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    page record;
    start item;
BEGIN
    FOR segment IN 0 .. segments - 1 LOOP
        start := NULL;
        FOR n IN 0 .. 40 LOOP
            SELECT * INTO page FROM scan_page(name, index_name, max_items => size, segment => segment, total_segments => segments, start_key => start);
            RETURN QUERY SELECT left(i->>'PK', 2) || (i->>'SK') FROM unnest(page.items) AS i;
            start := page.last_evaluated_key;
            EXIT WHEN start IS NULL;
        END LOOP;
    END LOOP;
END $$;
SELECT create_table('long_' || m, 'PK', 'SK', options => jsonb_build_object('index_method', m)) FROM unnest('{btree,ptree}'::text[]) AS m;
SELECT t, create_global_index(t, 'byOther', 'other', 'SK', propagation => 'sync', options => jsonb_build_object('index_method', right(t, 5)))
FROM unnest('{long_btree,long_ptree}'::text[]) AS t;
SELECT t, count(put_item(t, jsonb_build_object('PK', repeat('k' || p, 200), 'SK', 's' || s, 'other', repeat('o' || p, 500)))) AS replaced
FROM unnest('{long_btree,long_ptree}'::text[]) AS t, generate_series(1, 4) AS p, generate_series(1, 3) AS s GROUP BY t ORDER BY t;
SELECT t, i, size, segments, count(k), count(DISTINCT k)
FROM unnest('{long_btree,long_ptree}'::text[]) AS t, unnest('{NULL,byOther}'::text[]) AS i, unnest('{1,2,5}'::int[]) AS size, unnest('{1,3}'::int[]) AS segments,
    in_pages(t, i, size, segments) AS k
GROUP BY t, i, size, segments ORDER BY t, i NULLS FIRST, size, segments;
DROP FUNCTION in_pages;

SET client_min_messages = warning;
DROP SCHEMA index_method CASCADE;
