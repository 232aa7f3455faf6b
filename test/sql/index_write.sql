-- What the key attributes of indexes demand of every write.
CREATE SCHEMA index_write;
SET search_path = index_write;
\set VERBOSITY terse
SELECT partitioning.create_table('app', 'PK', 'SK');

SELECT partitioning.create_local_index('app', 'byText', 's');
SELECT partitioning.create_local_index('app', 'byNumber', 'n', '{"n": "N"}', 'KEYS_ONLY');
SELECT partitioning.create_local_index('app', 'byTemplate', 'st', templates => '{"st": "{s}#{n}"}');
-- The catalog alone decides what is checked: this row stands for an index.
INSERT INTO partitioning.indexes
    (schema_name, table_name, index_name, kind, partition_keys, partition_key_types,
     sort_keys, sort_key_types, templates, projection, include, propagation,
     unique_key, write_shards, status, relation_name, column_name, options)
VALUES
    ('index_write', 'app', 'byBytes', 'global', '{b,s}', '{B,S}', '{n,SK}', '{N,S}', '{}', 'INCLUDE', '{x,y}', 'sync', false, 1, 'ACTIVE', 'app_bybytes', NULL, '{}');

-- The same row again is left out, as in a restore; another one is a duplicate.
INSERT INTO partitioning.indexes SELECT * FROM partitioning.indexes;
INSERT INTO partitioning.indexes
    SELECT schema_name, table_name, index_name, kind, partition_keys, partition_key_types,
        sort_keys, sort_key_types, templates, projection, include, propagation,
        unique_key, 7, status, relation_name, column_name, options FROM partitioning.indexes LIMIT 1;
UPDATE partitioning.indexes SET options = '{"a": 1}' WHERE index_name = 'byText';
SELECT index_name, kind, sort_keys, options, table_relation FROM partitioning.item_indexes ORDER BY index_name;

-- Puts: type, with the first index by name that has the attribute.
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "s": 5}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "s": null}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "n": "x"}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "b": {"$map": {"$binary": "x"}}}');
-- Emptiness.
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "s": ""}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "b": {"$binary": ""}}');
-- Length, by role: "s" is both a partition key and a sort key.
SELECT partitioning.put_item('app', jsonb_build_object('PK', 'a', 'SK', '1', 's', repeat('x', 1024)));
SELECT partitioning.put_item('app', jsonb_build_object('PK', 'a', 'SK', '1', 's', repeat('x', 1025)));
SELECT partitioning.put_item('app', jsonb_build_object('PK', 'a', 'SK', '1', 's', repeat('x', 2049)));
-- A computed key obeys the same limits: 1,022 and 1,023 characters, "#", "1".
SELECT partitioning.put_item('app', jsonb_build_object('PK', 'a', 'SK', '1', 'n', 1, 's', repeat('x', 1022)));
SELECT partitioning.put_item('app', jsonb_build_object('PK', 'a', 'SK', '1', 'n', 1, 's', repeat('x', 1023)));
-- The attribute that a template computes may be stored as anything.
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "st": [1]}');
-- Nothing of what was refused is there; absence is fine.
SELECT count(*) FROM app;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');

-- Updates: a constant is refused before the item is read.
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "2"}', 'SET s = :v', '{":v": 1}', 'attribute_exists(PK)');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "2"}', 'ADD s :v', '{":v": 1}');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "2"}', 'SET #n = :v', '{":v": null}', expression_names => '{"#n": "n"}');
-- A computed value when it is computed.
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET x = :x', '{":x": "text"}');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET n = x');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET s = if_not_exists(q, :v)', '{":v": 1}');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET s = :v', '{":v": ""}');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET s = :v', jsonb_build_object(':v', repeat('x', 1025)));
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET s = :v', jsonb_build_object(':v', repeat('x', 1023)));
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET n = :n, s = :v', jsonb_build_object(':n', 1, ':v', repeat('x', 1023)));
-- A false condition comes first.
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET n = x', condition => 'attribute_exists(nothing)');
-- Right values pass.
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET n = :n, s = :v REMOVE x', '{":n": 1, ":v": "x"}', return_values => 'ALL_NEW');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'ADD n :n REMOVE s', '{":n": 1}', return_values => 'ALL_NEW');

-- Paths into index keys are refused in expressions of all kinds.
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'SET s.a = :n', '{":n": 1}');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "1"}', 'REMOVE b[0]');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1"}', 'attribute_exists(n.x)');
SELECT partitioning.delete_item('app', '{"PK": "a", "SK": "1"}', 'attribute_exists(n.x)');
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}', 'n.x');
SELECT * FROM partitioning.query('app', 'PK = :p', '{":p": "a"}', filter => 'attribute_exists(s[1])');
SELECT * FROM partitioning.scan('app', projection => 's[1]');
-- In the order of the text. A computed attribute is no index key.
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}', 'n.x, SK.x');
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}', 'st[0]');

-- Plain SQL is held to the same, in the words of a put.
INSERT INTO app VALUES ('b', '1', '{"n": "x"}');
INSERT INTO app VALUES ('b', '1', '{"s": ""}');
INSERT INTO app VALUES ('b', '1', (jsonb_build_object('s', repeat('x', 1025)))::partitioning.item);
INSERT INTO app VALUES ('b', '1', '{"n": 1, "s": "x"}'), ('b', '2', '{"n": null}');
INSERT INTO app VALUES ('b', '1', '{"n": 1, "s": "x"}');
UPDATE app SET attributes = '{"n": [1]}' WHERE pk = 'b';
UPDATE app SET attributes = '{"n": 2}' WHERE pk = 'b';
COPY app (pk, sk, attributes) FROM stdin;
c	1	{"b": "no bytes"}
\.
MERGE INTO app USING (VALUES ('b')) AS v (pk) ON app.pk = v.pk
    WHEN MATCHED THEN UPDATE SET attributes = '{"s": 7}';
SELECT pk, sk, attributes FROM app WHERE pk IN ('b', 'c');
-- A row that is older than the index may stay as it is, but not move.
ALTER TABLE app DISABLE TRIGGER item_changed;
INSERT INTO app VALUES ('d', '1', '{"n": "old"}');
ALTER TABLE app ENABLE ALWAYS TRIGGER item_changed;
ALTER TABLE app ADD COLUMN extra int;
UPDATE app SET extra = 1 WHERE pk = 'd';
UPDATE app SET sk = '2' WHERE pk = 'd';
DELETE FROM app WHERE pk = 'd';

-- Indexes follow their table, and what they demand goes with them.
ALTER TABLE app RENAME TO app2;
SELECT partitioning.put_item('app2', '{"PK": "a", "SK": "1", "s": 5}');
CREATE SCHEMA index_write_2;
ALTER TABLE app2 SET SCHEMA index_write_2;
SELECT partitioning.put_item('index_write_2.app2', '{"PK": "a", "SK": "1", "s": 5}');
ALTER SCHEMA index_write_2 RENAME TO index_write_3;
SELECT partitioning.put_item('index_write_3.app2', '{"PK": "a", "SK": "1", "s": 5}');
SELECT schema_name, table_name, index_name FROM partitioning.indexes ORDER BY index_name;
DELETE FROM partitioning.indexes WHERE index_name = 'byBytes';
SELECT partitioning.drop_index('index_write_3.app2', 'byText');
SELECT partitioning.drop_index('index_write_3.app2', 'byTemplate');
SELECT partitioning.put_item('index_write_3.app2', '{"PK": "a", "SK": "1", "s": 5}');
SELECT partitioning.put_item('index_write_3.app2', '{"PK": "a", "SK": "1", "n": "x"}');
DROP TABLE index_write_3.app2;
SELECT count(*) FROM partitioning.indexes;

-- Rows that mean nothing do not get in.
SELECT partitioning.create_table('other', 'PK');
INSERT INTO partitioning.indexes VALUES
    ('index_write', 'other', 'bad', 'local', '{PK}', '{S}', '{s}', '{S}', '{"s": "{"}', 'ALL', '{}', 'sync', false, 1, 'ACTIVE', NULL, 's', '{}');
INSERT INTO partitioning.indexes VALUES
    ('index_write', 'other', 'bad', 'local', '{PK}', '{S}', '{s}', '{L}', '{}', 'ALL', '{}', 'sync', false, 1, 'ACTIVE', NULL, 's', '{}');
INSERT INTO partitioning.indexes VALUES
    ('index_write', 'other', 'bad', 'local', '{PK}', '{S}', '{s,t}', '{S}', '{}', 'ALL', '{}', 'sync', false, 1, 'ACTIVE', NULL, 's', '{}');
INSERT INTO partitioning.indexes VALUES
    ('index_write', 'other', 'bad', 'strange', '{PK}', '{S}', '{s}', '{S}', '{}', 'ALL', '{}', 'sync', false, 1, 'ACTIVE', NULL, 's', '{}');
INSERT INTO partitioning.indexes VALUES
    ('index_write', 'other', 'bad', 'local', '{PK}', '{S}', '{s}', '{S}', '{}', 'all', '{}', 'sync', false, 1, 'ACTIVE', NULL, 's', '{}');
SELECT partitioning.indexes_changed();

DROP SCHEMA index_write_3;
DROP TABLE other;
DROP SCHEMA index_write;
