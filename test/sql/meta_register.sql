CREATE SCHEMA meta_register;
SET search_path = meta_register;
SET partitioning.index_method = btree;

-- A bare table of the right shape gets all that lacks.
CREATE TABLE bare (attributes partitioning.item, gone int, sk numeric, pk text COLLATE "C", extra int DEFAULT 1);
ALTER TABLE bare DROP COLUMN gone;
INSERT INTO bare VALUES ('{"a": 1}', 1.50, 'x');
SELECT partitioning.register_table('bare', 'id', 'number');
\d bare
SELECT attnum, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = 'bare'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT obj_description('bare'::regclass, 'pg_class');
SELECT partition_key, partition_key_type, sort_key, sort_key_type FROM partitioning.item_tables;

-- Once more: nothing to do. With other keys: an error.
SELECT partitioning.register_table('bare', 'id', 'number', '{"number": "N"}');
SELECT partitioning.register_table('bare', 'id', 'other');
SELECT partitioning.register_table('bare', 'id');

-- What is there is used: index, comments.
CREATE TABLE whole (pk bytea NOT NULL, attributes partitioning.item NOT NULL);
CREATE UNIQUE INDEX whole_pk ON whole (pk partitioning.bytea_hash_ops);
COMMENT ON COLUMN whole.pk IS 'my own words';
SELECT partitioning.register_table('whole', 'PK', attribute_types => '{"PK": "B"}');
\d whole
SELECT attnum, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = 'whole'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT obj_description('whole'::regclass, 'pg_class');

-- An index that is not quite it is no key index.
CREATE TABLE near (pk text COLLATE "C", sk text COLLATE "C", attributes partitioning.item);
CREATE UNIQUE INDEX near_default ON near (pk, sk);
CREATE INDEX near_not_unique ON near (pk partitioning.text_hash_ops, sk);
CREATE UNIQUE INDEX near_desc ON near (pk partitioning.text_hash_ops, sk DESC);
CREATE UNIQUE INDEX near_collation ON near (pk partitioning.text_hash_ops, sk COLLATE "POSIX");
CREATE UNIQUE INDEX near_partial ON near (pk partitioning.text_hash_ops, sk) WHERE sk > 'a';
CREATE UNIQUE INDEX near_swapped ON near (sk partitioning.text_hash_ops, pk);
CREATE UNIQUE INDEX near_wide ON near (pk partitioning.text_hash_ops, sk, attributes);
SELECT partitioning.register_table('near', 'PK', 'SK');
SELECT conrelid::regclass, contype FROM pg_constraint WHERE conrelid = 'near'::regclass AND contype = 'c';
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'near'::regclass AND indisreplident;

-- Rows that are no items are refused, whatever is wrong with them.
CREATE TABLE bad (pk text COLLATE "C", attributes partitioning.item);
INSERT INTO bad VALUES ('a', '{"PK": 1}');
SELECT partitioning.register_table('bad', 'PK');
UPDATE bad SET attributes = '5';
SELECT partitioning.register_table('bad', 'PK');
UPDATE bad SET attributes = NULL;
SELECT partitioning.register_table('bad', 'PK');
TRUNCATE bad;
INSERT INTO bad VALUES ('a', '{}'), ('a', '{}');
SELECT partitioning.register_table('bad', 'PK');
SELECT * FROM partitioning.tables WHERE table_name = 'bad';
DROP TABLE bad;

-- Wrong shapes.
CREATE TABLE no_pk (attributes partitioning.item);
SELECT partitioning.register_table('no_pk', 'PK');
CREATE TABLE no_sk (pk text COLLATE "C", attributes partitioning.item);
SELECT partitioning.register_table('no_sk', 'PK', 'SK');
CREATE TABLE no_attributes (pk text COLLATE "C");
SELECT partitioning.register_table('no_attributes', 'PK');
CREATE TABLE undeclared_sk (pk text COLLATE "C", sk text COLLATE "C", attributes partitioning.item);
SELECT partitioning.register_table('undeclared_sk', 'PK');
CREATE TABLE wrong_type (pk int, attributes partitioning.item);
SELECT partitioning.register_table('wrong_type', 'PK');
CREATE TABLE wrong_typmod (pk numeric(10, 2), attributes partitioning.item);
SELECT partitioning.register_table('wrong_typmod', 'PK', attribute_types => '{"PK": "N"}');
CREATE TABLE wrong_declared (pk numeric, attributes partitioning.item);
SELECT partitioning.register_table('wrong_declared', 'PK', attribute_types => '{"PK": "B"}');
CREATE TABLE wrong_collation (pk text, attributes partitioning.item);
SELECT partitioning.register_table('wrong_collation', 'PK');
CREATE TABLE wrong_attributes (pk text COLLATE "C", attributes jsonb);
SELECT partitioning.register_table('wrong_attributes', 'PK');
CREATE TABLE wrong_generated (pk text COLLATE "C" GENERATED ALWAYS AS ('x') STORED, attributes partitioning.item);
SELECT partitioning.register_table('wrong_generated', 'PK');
CREATE TABLE wrong_check (pk text COLLATE "C", attributes partitioning.item, CONSTRAINT item_check CHECK (true));
SELECT partitioning.register_table('wrong_check', 'PK');
CREATE TABLE other_check (pk text COLLATE "C", attributes partitioning.item,
    CONSTRAINT item_check CHECK (partitioning.check_item('other', pk, attributes, 2704)));
SELECT partitioning.register_table('other_check', 'PK');

-- Wrong kinds.
CREATE VIEW a_view AS TABLE no_sk;
SELECT partitioning.register_table('a_view', 'PK');
CREATE TEMP TABLE temporary (pk text COLLATE "C", attributes partitioning.item);
SELECT partitioning.register_table('temporary', 'PK');
DROP TABLE temporary;
CREATE TABLE child () INHERITS (no_sk);
SELECT partitioning.register_table('no_sk', 'PK');
SELECT partitioning.register_table('child', 'PK');
SELECT partitioning.register_table('partitioning.tables', 'PK');
SELECT partitioning.register_table('pg_class', 'PK');

-- An unlogged table will do.
CREATE UNLOGGED TABLE unlogged (pk text COLLATE "C", attributes partitioning.item);
SELECT partitioning.register_table('unlogged', 'PK');

-- Arguments.
SELECT partitioning.register_table(NULL, 'PK');
SELECT partitioning.register_table('bare', NULL);
SELECT partitioning.register_table(1, 'PK');
SELECT partitioning.register_table('no_such_table', 'PK');

-- Hash-partitioned: by pk alone, in one level.
CREATE TABLE parted (pk text COLLATE "C", sk text COLLATE "C", attributes partitioning.item) PARTITION BY HASH (pk);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE parted_1 (attributes partitioning.item, sk text COLLATE "C", pk text COLLATE "C");
ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES WITH (MODULUS 4, REMAINDER 1);
SELECT partitioning.register_table('parted_0', 'PK', 'SK');
SELECT partitioning.register_table('parted', 'PK', 'SK');
\d parted
SELECT attnum, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = 'parted'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT obj_description('parted'::regclass, 'pg_class');
\d parted_1
INSERT INTO parted SELECT 'P' || i, 's', '{}' FROM generate_series(1, 200) AS i;
-- Later partitions get index, constraint and replica identity, too.
CREATE SCHEMA meta_parts CREATE TABLE parted_2 PARTITION OF meta_register.parted FOR VALUES WITH (MODULUS 4, REMAINDER 2);
ALTER TABLE meta_parts.parted_2 SET SCHEMA meta_register;
DROP SCHEMA meta_parts;
CREATE TABLE parted_3 (LIKE parted INCLUDING ALL EXCLUDING INDEXES);
ALTER TABLE parted ATTACH PARTITION parted_3 FOR VALUES WITH (MODULUS 4, REMAINDER 3);
SELECT c.relname, c.relreplident, count(*) FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid
WHERE c.relname LIKE 'parted%' AND i.indisreplident GROUP BY 1, 2 ORDER BY 1;
INSERT INTO parted SELECT 'P' || i, 's', '{}' FROM generate_series(1, 200) AS i;
SELECT tableoid::regclass, count(*) > 30 FROM parted GROUP BY 1 ORDER BY 1;
INSERT INTO parted VALUES ('a', 's', '{"PK": 1}');
ALTER TABLE parted RENAME COLUMN pk TO x;
ALTER TABLE parted_0 RENAME COLUMN pk TO x;
ALTER TABLE parted_0 DROP CONSTRAINT item_check;
DROP INDEX parted_0_pk_sk_idx;
ALTER TABLE parted DETACH PARTITION parted_3;
ALTER TABLE parted RENAME TO parted_renamed;
SELECT table_name FROM partitioning.item_tables WHERE table_name LIKE 'parted%';

-- Other ways to partition are refused, at once or later.
CREATE TABLE sub PARTITION OF parted_renamed FOR VALUES WITH (MODULUS 4, REMAINDER 3) PARTITION BY HASH (pk);
CREATE TABLE by_sk (pk text COLLATE "C", sk text COLLATE "C", attributes partitioning.item) PARTITION BY HASH (sk);
SELECT partitioning.register_table('by_sk', 'PK', 'SK');
CREATE TABLE by_list (pk text COLLATE "C", sk text COLLATE "C", attributes partitioning.item) PARTITION BY LIST (pk);
SELECT partitioning.register_table('by_list', 'PK', 'SK');
CREATE TABLE deep (pk text COLLATE "C", attributes partitioning.item) PARTITION BY HASH (pk);
CREATE TABLE deep_0 PARTITION OF deep FOR VALUES WITH (MODULUS 1, REMAINDER 0) PARTITION BY HASH (pk);
SELECT partitioning.register_table('deep', 'PK');
-- An item table is nobody's partition, parent or child.
CREATE TABLE adopting (pk bytea, attributes partitioning.item) PARTITION BY HASH (pk);
ALTER TABLE adopting ATTACH PARTITION whole FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE heir () INHERITS (whole);
CREATE TABLE heir (LIKE whole);
ALTER TABLE heir INHERIT whole;
ALTER TABLE whole INHERIT heir;

SET client_min_messages = warning;
DROP SCHEMA meta_register CASCADE;
SELECT * FROM partitioning.tables;
RESET search_path;
