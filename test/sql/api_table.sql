-- An item table: columns, constraint, key index, replica identity, comments.
-- (\d+ shows all this at once, and more from 18 on.)
SET partitioning.index_method = btree;
SELECT partitioning.create_table('app', 'PK', 'SK');
\d app
SELECT reloptions FROM pg_class WHERE oid = 'app'::regclass;
SELECT attnum, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = 'app'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT obj_description('app'::regclass, 'pg_class');

-- Key types choose column types; no sort key, no column sk.
SELECT partitioning.create_table('app.prod', 'id', attribute_types => '{"id": "N"}');
\d "app.prod"
SELECT attnum, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = '"app.prod"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT obj_description('"app.prod"'::regclass, 'pg_class');
SELECT partitioning.create_table('Orders', 'customer id', 'ünit"s''', attribute_types => '{"customer id": "B", "ünit\"s''": "N"}',
    options => '{"index_method": "btree"}');
\d "Orders"
SELECT attnum, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = '"Orders"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT obj_description('"Orders"'::regclass, 'pg_class');
SELECT schema_name, table_name, partition_key, partition_key_type, sort_key, sort_key_type, relation, owner = current_user AS own
FROM partitioning.item_tables ORDER BY table_name;

-- The check constraint speaks for plain SQL.
INSERT INTO app VALUES ('a', 'b', '{"x": 1}');
INSERT INTO app VALUES ('a', 'b', '{"x": 1}');
INSERT INTO app VALUES ('a', 'c', '{"PK": "a"}');
INSERT INTO app VALUES ('a', 'c', '{"SK": "a"}');
INSERT INTO app VALUES ('a', 'c', '[1]');
INSERT INTO app VALUES ('', 'c', '{}');
INSERT INTO app VALUES ('a', '', '{}');
INSERT INTO app VALUES (NULL, 'c', '{}');
INSERT INTO app VALUES ('a', 'c', NULL);
UPDATE app SET attributes = '{"PK": 1}';
INSERT INTO "Orders" VALUES ('\x', 1, '{}');
INSERT INTO "Orders" VALUES ('\x00', 'NaN', '{}');
INSERT INTO "app.prod" VALUES (1e126, '{}');
INSERT INTO "app.prod" VALUES (123456789012345678901234567890123456789, '{}');
INSERT INTO "app.prod" VALUES (9.9999999999999999999999999999999999999e125, '{}'), (1e-130, '{}'), (-1.50, '{}');
INSERT INTO "app.prod" VALUES (-1.5, '{}');

-- Limits of keys: 2,048 and 1,024 bytes.
INSERT INTO app VALUES (repeat('x', 2048), repeat('y', 1024), '{}');
INSERT INTO app VALUES (repeat('x', 2049), 'y', '{}');
INSERT INTO app VALUES ('x', repeat('y', 1025), '{}');
INSERT INTO app VALUES (repeat('é', 1024), 'y', '{}');
INSERT INTO app VALUES (repeat('é', 1025), 'y', '{}');

-- A key that does not compress must fit into 2,704 bytes of index: exactly.
CREATE FUNCTION noise(bytes int, seed int) RETURNS text LANGUAGE sql AS
    $$SELECT left(string_agg(translate(encode(sha512(convert_to(seed || ':' || i, 'UTF8')), 'base64'), E'\n', ''), '' ORDER BY i), bytes)
      FROM generate_series(1, bytes / 80 + 1) AS i$$;
INSERT INTO app VALUES (noise(1664, 1), noise(1024, 2), '{}');
INSERT INTO app VALUES (noise(1665, 1), noise(1024, 2), '{}');

-- The item functions say the same.
SELECT partitioning.put_item('app', jsonb_build_object('PK', noise(1664, 3), 'SK', noise(1024, 4)));
SELECT partitioning.put_item('app', jsonb_build_object('PK', noise(1665, 3), 'SK', noise(1024, 4)));
SELECT partitioning.update_item('app', jsonb_build_object('PK', noise(2048, 3), 'SK', noise(700, 4)), 'SET a = :a', '{":a": 1}');

-- 409,600 bytes of item, names and keys included.
INSERT INTO app VALUES ('size', 's', jsonb_build_object('a', repeat('x', 409600 - length('PKsize') - length('SKs') - length('a'))));
INSERT INTO app VALUES ('size', 't', jsonb_build_object('a', repeat('x', 409601 - length('PKsize') - length('SKs') - length('a'))));

-- Names of tables.
SELECT partitioning.create_table('ab', 'PK');
SELECT partitioning.create_table(repeat('t', 63), 'PK');
SELECT partitioning.create_table(repeat('t', 64), 'PK');
SELECT partitioning.create_table(repeat('t', 256), 'PK');
SELECT partitioning.create_table('my schema.app', 'PK');
SELECT partitioning.create_table('', 'PK');
SELECT partitioning.create_table('app', 'PK');
SELECT partitioning.create_table('.-9', 'PK');

-- The index name rule: <table>_key, shortened to 63 bytes, numbered when taken.
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = repeat('t', 63)::regclass;
CREATE TABLE taken_key ();
SELECT partitioning.create_table('taken', 'PK');
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'taken'::regclass;

-- Names and types of key attributes.
SELECT partitioning.create_table('bad', '');
SELECT partitioning.create_table('bad', repeat('k', 256));
SELECT partitioning.create_table('long', repeat('k', 255), repeat('l', 255));
SELECT partitioning.create_table('bad', 'PK', 'PK');
SELECT partitioning.create_table('bad', 'PK', 'SK', '{"SK": "M"}');
SELECT partitioning.create_table('bad', 'PK', 'SK', '{"SK": 1}');
SELECT partitioning.create_table('bad', 'PK', 'SK', '{"XX": "S"}');
SELECT partitioning.create_table('bad', 'PK', 'SK', '["SK"]');
SELECT partitioning.create_table('bad', 'PK', 'SK', '"SK"');

-- Other arguments.
SELECT partitioning.create_table(NULL, 'PK');
SELECT partitioning.create_table('bad', NULL);
SELECT partitioning.create_table('bad', 'PK', write_shards => NULL);
SELECT partitioning.create_table('bad', 'PK', write_shards => 0);
SELECT partitioning.create_table('bad', 'PK', write_shards => 10);
SELECT partitioning.create_table('bad', 'PK', shard_by => 'random');
SELECT partitioning.create_table('bad', 'PK', options => '{"index_method": "hash"}');
SELECT partitioning.create_table('bad', 'PK', options => '{"index_method": null}');
SELECT partitioning.create_table('bad', 'PK', options => '{"indexmethod": "btree"}');
SELECT partitioning.create_table('bad', 'PK', options => '[]');
SELECT partitioning.create_table('nulls', 'PK', attribute_types => NULL, options => NULL);

-- Where it is made: the first schema of search_path that is not partitioning.
CREATE SCHEMA api_table;
SET search_path = partitioning, api_table, public;
SELECT create_table('here', 'PK');
SET search_path = partitioning;
SELECT create_table('nowhere', 'PK');
SET search_path = pg_temp, public;
SELECT partitioning.create_table('temporary', 'PK');
RESET search_path;

-- Dropping.
SELECT partitioning.drop_table('api_table.here');
SELECT partitioning.drop_table('api_table.here');
SELECT partitioning.drop_table(NULL);
CREATE VIEW app_view AS SELECT * FROM app;
SELECT partitioning.drop_table('app');
DROP VIEW app_view;
BEGIN;
SELECT partitioning.drop_table('app');
SELECT partitioning.create_table('app', 'other');
ROLLBACK;
SELECT partitioning.drop_table(t) FROM unnest(ARRAY['app', 'app.prod', 'Orders', 'taken', 'long', 'nulls', '.-9', repeat('t', 63)]) AS t;
SELECT * FROM partitioning.item_tables;
DROP TABLE taken_key;
DROP FUNCTION noise;
DROP SCHEMA api_table;

-- ON CONFLICT and foreign keys to an item table find the key index.
SELECT partitioning.create_table('referenced', 'PK', 'SK');
INSERT INTO referenced VALUES ('a', 'b', '{}');
INSERT INTO referenced VALUES ('a', 'b', '{"n": 1}') ON CONFLICT (pk, sk) DO UPDATE SET attributes = excluded.attributes;
CREATE TABLE referencing (p text COLLATE "C", s text COLLATE "C", FOREIGN KEY (p, s) REFERENCES referenced (pk, sk));
INSERT INTO referencing VALUES ('a', 'b');
INSERT INTO referencing VALUES ('a', 'c');
DELETE FROM referenced;
ALTER TABLE referenced ADD PRIMARY KEY USING INDEX referenced_key;
DROP TABLE referencing, referenced;
