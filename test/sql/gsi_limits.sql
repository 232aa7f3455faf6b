-- Limits of indexes, each at its last legal value and one beyond, names of
-- index tables, and keys at their longest.
SET search_path = public, partitioning;
SELECT create_table('app', 'pk', 'sk');

-- 20 global indexes, or as many as the setting says, at most 25
SELECT count(create_global_index('app', 'index' || i, 'a' || i, propagation => 'sync')) FROM generate_series(1, 20) AS i;
SELECT create_global_index('app', 'index21', 'a1', propagation => 'sync');
SET partitioning.max_global_indexes = 26;
SET partitioning.max_global_indexes = 25;
SELECT count(create_global_index('app', 'index' || i, 'a' || i, propagation => 'sync')) FROM generate_series(21, 25) AS i;
SELECT create_global_index('app', 'index26', 'a1', propagation => 'sync');
RESET partitioning.max_global_indexes;
-- those that are there stay, and one item is in all of them
SELECT put_item('app', ((SELECT jsonb_object_agg('a' || i, 'v') FROM generate_series(1, 25) AS i) || '{"pk": "p", "sk": "s"}')::item);
SELECT count(*), sum((SELECT count(*) FROM scan('app', index_name))) FROM item_indexes WHERE table_name = 'app';
SELECT count(*) FROM item_indexes, verify_index('app', index_name);

-- 5 local ones beside them
SELECT create_local_index('app', 'local' || i, 'a' || i) FROM generate_series(1, 5) AS i;
SELECT create_local_index('app', 'local6', 'a6');
SELECT index_name, count(*) FROM item_indexes, query('app', 'pk = :p', '{":p": "p"}', index_name) WHERE kind = 'local' GROUP BY 1 ORDER BY 1;
SELECT count(drop_index('app', index_name)) FROM item_indexes WHERE table_name = 'app';

-- 4 and 4 key attributes, of all types
SELECT create_global_index('app', 'full', partition_keys => '{p1,p2,p3,pk}', sort_keys => '{s1,s2,s3,sk}',
                           attribute_types => '{"p1": "S", "p2": "N", "p3": "B", "s1": "B", "s2": "N", "s3": "S"}', propagation => 'sync');
SELECT create_global_index('app', 'more', partition_keys => '{p1,p2,p3,p4,p5}', propagation => 'sync');
SELECT create_global_index('app', 'more', 'p1', sort_keys => '{s1,s2,s3,s4,s5}', propagation => 'sync');
SELECT create_global_index('app', 'more', partition_keys => '{}', propagation => 'sync');
SELECT count(*) FROM generate_series(1, 9) AS i, put_item('app', jsonb_build_object('pk', 'a', 'sk', 's' || i, 'p1', 'x', 'p2', -1.5,
    'p3', '{"$binary": "AAE="}'::jsonb, 's1', '{"$binary": "/wA="}'::jsonb, 's2', i % 3 - 1, 's3', CASE WHEN i % 2 = 0 THEN '' || i ELSE 'same' END));
SELECT q ->> 's2' AS s2, q ->> 's3' AS s3, q ->> 'sk' AS sk
FROM query('app', 'p1 = :1 AND p2 = :2 AND p3 = :3 AND pk = :4 AND s1 = :5 AND s2 >= :6', '{":1": "x", ":2": -1.50, ":3": {"$binary": "AAE="}, ":4": "a", ":5": {"$binary": "/wA="}, ":6": 0}', 'full') AS q;
SELECT verify_index('app', 'full');
-- each of them is checked, by every way of writing
SELECT put_item('app', '{"pk": "a", "sk": "t", "p2": "1"}');
SELECT put_item('app', '{"pk": "a", "sk": "t", "s3": ""}');
SELECT put_item('app', '{"pk": "a", "sk": "t", "p3": null}');
SELECT update_item('app', '{"pk": "a", "sk": "s1"}', 'SET s1 = :v', '{":v": true}');
SELECT batch_write('app', ARRAY['{"pk": "a", "sk": "t", "s2": {"$number_set": [1]}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {"pk": "a", "sk": "t", "p1": 1}}}']::item[]);
INSERT INTO app VALUES ('a', 't', '{"p2": "1"}');
UPDATE app SET attributes = attributes || '{"s1": [1]}' WHERE sk = 's1';
MERGE INTO app USING (VALUES ('a')) AS v (k) ON pk = k AND sk = 's1' WHEN MATCHED THEN UPDATE SET attributes = '{"p1": {}}';
COPY app (pk, sk, attributes) FROM stdin;
a	t	{"p3": "AAE="}
\.
SELECT count(*) FROM app WHERE sk = 't';

-- lengths: 2,048 bytes in a partition key, 1,024 in a sort key, each attribute
SELECT create_global_index('app', 'long', 'p', 's', propagation => 'sync');
SELECT put_item('app', jsonb_build_object('pk', 'long', 'sk', '1', 'p', repeat('p', 2048), 's', repeat('s', 1024)));
SELECT put_item('app', jsonb_build_object('pk', 'long', 'sk', '2', 'p', repeat('p', 2049), 's', 's'));
SELECT put_item('app', jsonb_build_object('pk', 'long', 'sk', '2', 'p', 'p', 's', repeat('s', 1025)));
SELECT length(q ->> 'p') AS p, length(q ->> 's') AS s FROM query('app', 'p = :p AND begins_with(s, :s)', jsonb_build_object(':p', repeat('p', 2048), ':s', repeat('s', 1000)), 'long') AS q;
SELECT item_size(last_evaluated_key) > 3000 AS long_key FROM query_page('app', 'p = :p', jsonb_build_object(':p', repeat('p', 2048)), 'long', max_items => 1);

-- 100 attributes in all INCLUDE projections of a table
SELECT create_global_index('app', 'inc1', 'p1', projection => 'INCLUDE', include => (SELECT array_agg('i' || i) FROM generate_series(1, 60) AS i), propagation => 'sync');
SELECT create_global_index('app', 'inc2', 'p1', projection => 'INCLUDE', include => (SELECT array_agg('i' || i) FROM generate_series(1, 41) AS i), propagation => 'sync');
SELECT create_global_index('app', 'inc2', 'p1', projection => 'INCLUDE', include => (SELECT array_agg('i' || i) FROM generate_series(1, 40) AS i), propagation => 'sync');
DROP TABLE app;

-- Index tables are named <table>_<index>; the longer part is shortened to 63
-- bytes in all, and what is taken gets a number.
SELECT create_table('Orders', 'id'), create_table(repeat('t', 60), 'id'), create_table('plain', 'id');
SELECT create_global_index('Orders', 'byA', 'a', propagation => 'sync'), create_global_index('Orders', 'bya', 'a', propagation => 'sync'),
       create_global_index('Orders', repeat('x', 254) || '1', 'a', propagation => 'sync'), create_global_index('Orders', repeat('x', 254) || '2', 'a', propagation => 'sync');
SELECT create_global_index(repeat('t', 60), 'byA', 'a', propagation => 'sync'), create_global_index(repeat('t', 60), repeat('i', 60), 'a', propagation => 'sync');
SELECT create_global_index('plain', repeat('n', 60), 'a', propagation => 'sync');
CREATE TABLE "Orders_byB" ();
SELECT create_global_index('Orders', 'byB', 'a', propagation => 'sync');
SELECT create_global_index('Orders', 'by', 'a', propagation => 'sync');
SELECT create_global_index('Orders', repeat('x', 256), 'a', propagation => 'sync');
SELECT create_global_index('Orders', 'by a', 'a', propagation => 'sync');
SELECT left(index_name, 5) || '...' || right(index_name, 3) AS index_name, relation_name, octet_length(relation_name) AS bytes FROM item_indexes ORDER BY table_name, relation_name;
SELECT put_item('Orders', '{"id": "1", "a": "x"}'), put_item(repeat('t', 60), '{"id": "1", "a": "x"}'), put_item('plain', '{"id": "1", "a": "x"}');
SELECT count(*), sum((SELECT count(*) FROM scan(table_name, index_name))) FROM item_indexes;
SELECT drop_table('Orders'), drop_table(repeat('t', 60)), drop_table('plain');
DROP TABLE "Orders_byB";
SELECT count(*) FROM pg_class WHERE relname LIKE 'Orders%' OR relname LIKE 'tttt%';
