-- Local indexes: making, filling, reading, dropping.
CREATE SCHEMA index_local;
SET search_path = index_local, partitioning;
SELECT create_table('orders', 'PK', 'SK', options => '{"index_method": "btree"}');

-- A column and an index, and a catalog row.
SELECT create_local_index('orders', 'byDate', 'createdAt');
\d orders
SELECT col_description('orders'::regclass, 4);
SELECT index_name, kind, partition_keys, sort_keys, sort_key_types, projection, status, column_name, relation_name
FROM item_indexes;

-- Items without the attribute are not in it.
SELECT put_item('orders', '{"PK": "u1", "SK": "o1", "createdAt": "2026-01-03", "amount": 10}');
SELECT put_item('orders', '{"PK": "u1", "SK": "o2", "createdAt": "2026-01-01", "amount": 20}');
SELECT put_item('orders', '{"PK": "u1", "SK": "o3", "createdAt": "2026-01-02", "amount": 30}');
SELECT put_item('orders', '{"PK": "u1", "SK": "o4", "amount": 40}');
SELECT put_item('orders', '{"PK": "u2", "SK": "o5", "createdAt": "2026-01-01"}');
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate');
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate', scan_forward => false);
SELECT query('orders', 'PK = :p AND createdAt > :d', '{":p": "u1", ":d": "2026-01-01"}', 'byDate');
SELECT query('orders', 'PK = :p AND createdAt BETWEEN :a AND :b', '{":p": "u1", ":a": "2026-01-01", ":b": "2026-01-02"}', 'byDate');
SELECT query('orders', 'PK = :p AND begins_with(createdAt, :d)', '{":p": "u1", ":d": "2026-01-0"}', 'byDate', max_items => 1);
SELECT scan('orders', 'byDate') ORDER BY 1;
-- By no other name.
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'bydate');
SELECT scan('orders', 'nothing');

-- An update moves, removes and adds the entry.
SELECT update_item('orders', '{"PK": "u1", "SK": "o1"}', 'SET createdAt = :d', '{":d": "2025-12-31"}');
SELECT update_item('orders', '{"PK": "u1", "SK": "o2"}', 'REMOVE createdAt');
SELECT update_item('orders', '{"PK": "u1", "SK": "o4"}', 'SET createdAt = :d', '{":d": "2026-01-09"}');
SELECT delete_item('orders', '{"PK": "u1", "SK": "o3"}');
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate');
SELECT pk, sk, "createdAt" FROM orders ORDER BY pk, sk;

-- Plain SQL reads by the index and maintains it.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE pk = 'u1' AND "createdAt" >= '2026' ORDER BY "createdAt", sk LIMIT 2;
RESET enable_seqscan;
RESET enable_bitmapscan;
INSERT INTO orders VALUES ('u1', 'o6', '{"createdAt": "2026-02-01"}');
UPDATE orders SET attributes = attributes || '{"createdAt": "2026-03-01"}' WHERE sk = 'o4';
DELETE FROM orders WHERE sk = 'o1';
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate');

-- Key conditions and filters know the index's keys.
SELECT query('orders', 'PK = :p AND SK = :s', '{":p": "u1", ":s": "o6"}', 'byDate');
SELECT query('orders', 'createdAt = :d', '{":d": "2026-03-01"}', 'byDate');
SELECT query('orders', 'PK = :p AND createdAt = :d', '{":p": "u1", ":d": 5}', 'byDate');
SELECT query('orders', 'PK = :p AND createdAt = :d', '{":p": "u1", ":d": ""}', 'byDate');
SELECT query('orders', 'PK = :p', '{":p": "u1", ":d": "x"}', 'byDate', filter => 'createdAt > :d');
SELECT query('orders', 'PK = :p', '{":p": "u1", ":d": "x"}', 'byDate', filter => 'PK > :d');
SELECT query('orders', 'PK = :p', '{":p": "u1", ":s": "o5"}', 'byDate', filter => 'SK > :s AND attribute_exists(amount)');
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate', filter => 'attribute_exists(createdAt.x)');
SELECT scan('orders', 'byDate', filter => 'createdAt > :d', expression_values => '{":d": "2026-02"}');
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate', projection => 'SK, amount');

-- Dropping: column, index and row go; what is left is a plain table.
SELECT drop_index('orders', 'byDate');
\d orders
SELECT count(*) FROM indexes;
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate');
SELECT drop_index('orders', 'byDate');

-- On a filled table; values that cannot be keys stay out of the index.
SELECT put_item('orders', '{"PK": "u3", "SK": "a", "n": 10}');
SELECT put_item('orders', '{"PK": "u3", "SK": "b", "n": 9.50}');
SELECT put_item('orders', '{"PK": "u3", "SK": "c", "n": "9"}');
SELECT put_item('orders', '{"PK": "u3", "SK": "d", "n": -1e3}');
SELECT put_item('orders', '{"PK": "u3", "SK": "e"}');
SELECT create_local_index('orders', 'byNumber', 'n', '{"n": "N"}');
SELECT query('orders', 'PK = :p', '{":p": "u3"}', 'byNumber');
SELECT query('orders', 'PK = :p AND n >= :n', '{":p": "u3", ":n": 9.5}', 'byNumber', scan_forward => false);
SELECT query('orders', 'PK = :p AND begins_with(n, :n)', '{":p": "u3", ":n": "9"}', 'byNumber');
-- The old item keeps its value until it is written.
SELECT get_item('orders', '{"PK": "u3", "SK": "c"}');
SELECT update_item('orders', '{"PK": "u3", "SK": "c"}', 'SET x = :x', '{":x": 1}');
SELECT update_item('orders', '{"PK": "u3", "SK": "c"}', 'SET n = :x', '{":x": 1}');
SELECT query('orders', 'PK = :p', '{":p": "u3"}', 'byNumber');
SELECT drop_index('orders', 'byNumber');

-- Bytes; an attribute with any name; names that are taken.
SELECT create_local_index('orders', 'byBytes', 'the "bytes"', '{"the \"bytes\"": "B"}');
SELECT create_local_index('orders', 'bySk', 'sk');
SELECT create_local_index('orders', 'byLong', repeat('ä', 127));
SELECT put_item('orders', jsonb_build_object('PK', 'u4', 'SK', 'x', 'sk', 'small', repeat('ä', 127), 'long') || '{"the \"bytes\"": "no"}');
SELECT put_item('orders', '{"PK": "u4", "SK": "x", "sk": "small", "the \"bytes\"": {"$binary": "/w=="}}');
SELECT put_item('orders', '{"PK": "u4", "SK": "y", "sk": "a", "the \"bytes\"": {"$binary": "fw=="}}');
SELECT put_item('orders', jsonb_build_object('PK', 'u4', 'SK', 'z', repeat('ä', 127), 'long'));
SELECT query('orders', 'PK = :p', '{":p": "u4"}', 'byBytes', projection => 'SK');
SELECT query('orders', 'PK = :p AND begins_with(sk, :s)', '{":p": "u4", ":s": "s"}', 'bySk', projection => 'SK');
SELECT query('orders', 'PK = :p', '{":p": "u4"}', 'byLong', projection => 'SK');
SELECT index_name, column_name FROM item_indexes ORDER BY index_name;
SELECT relname FROM pg_class WHERE relnamespace = 'index_local'::regnamespace AND relkind = 'i' ORDER BY relname;

-- Indexes with the same key share it; the table's own sort key needs nothing.
SELECT create_local_index('orders', 'bySk2', 'sk', projection => 'KEYS_ONLY');
SELECT create_local_index('orders', 'byKey', 'SK');
SELECT index_name, column_name FROM item_indexes ORDER BY index_name;
SELECT query('orders', 'PK = :p', '{":p": "u4"}', 'bySk2');
SELECT query('orders', 'PK = :p AND SK > :s', '{":p": "u4", ":s": "x"}', 'byKey', projection => 'SK');
-- No more than five.
SELECT create_local_index('orders', 'bySixth', 'sixth');
SELECT drop_index('orders', 'bySk');
SELECT query('orders', 'PK = :p', '{":p": "u4"}', 'bySk2');
SELECT drop_index('orders', 'bySk2');
SELECT drop_index('orders', 'byKey');
SELECT drop_index('orders', 'byLong');
SELECT drop_index('orders', 'byBytes');
\d orders

-- What cannot be.
SELECT create_table('flat', 'PK');
SELECT create_local_index('flat', 'byDate', 'createdAt');
SELECT create_local_index('nowhere', 'byDate', 'createdAt');
SELECT create_local_index('orders', 'by', 'createdAt');
SELECT create_local_index('orders', repeat('x', 256), 'createdAt');
SELECT create_local_index('orders', 'by date', 'createdAt');
SELECT create_local_index('orders', NULL, 'createdAt');
SELECT create_local_index('orders', 'byDate', NULL);
SELECT create_local_index('orders', 'byDate', '');
SELECT create_local_index('orders', 'byDate', repeat('x', 256));
SELECT create_local_index('orders', 'byDate', 'PK');
SELECT create_local_index('orders', 'byDate', 'createdAt', '{"createdAt": "X"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', '{"createdAt": 5}');
SELECT create_local_index('orders', 'byDate', 'createdAt', '{"other": "S"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', '[]');
SELECT create_local_index('orders', 'byDate', 'SK', '{"SK": "N"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', projection => 'SOME');
SELECT create_local_index('orders', 'byDate', 'createdAt', projection => 'INCLUDE');
SELECT create_local_index('orders', 'byDate', 'createdAt', projection => 'ALL', include => '{a}');
SELECT create_local_index('orders', 'byDate', 'createdAt', projection => 'INCLUDE', include => '{a,b,a}');
SELECT create_local_index('orders', 'byDate', 'createdAt', projection => 'INCLUDE', include => '{a,NULL}');
SELECT create_local_index('orders', 'byDate', 'createdAt', projection => 'INCLUDE',
    include => (SELECT array_agg('a' || i) FROM generate_series(1, 101) i));
SELECT create_local_index('orders', 'byDate', 'createdAt', templates => '{"createdAt": "{a"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', templates => '{"createdAt": "a"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', templates => '{"createdAt": "{a}}"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', templates => '{"createdAt": "{}"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', templates => '{"other": "{a}"}');
SELECT create_local_index('orders', 'byDate', 'SK', templates => '{"SK": "{a}"}');
SELECT create_local_index('orders', 'byDate', 'createdAt', '{"createdAt": "N"}', templates => '{"createdAt": "{a}"}');
SELECT create_local_index('orders', 'byDate', 'createdAt');
SELECT create_local_index('orders', 'byDate', 'other');
SELECT create_local_index('orders', 'byOther', 'createdAt', '{"createdAt": "N"}');
-- Nobody else may.
CREATE ROLE regress_index_user;
GRANT USAGE ON SCHEMA index_local TO regress_index_user;
SET ROLE regress_index_user;
SELECT create_local_index('orders', 'byOther', 'other');
SELECT drop_index('orders', 'byDate');
SELECT query('orders', 'PK = :p', '{":p": "u4"}', 'byDate');
RESET ROLE;

-- The column is protected; the index may go, as a restore drops it.
ALTER TABLE orders DROP COLUMN "createdAt";
ALTER TABLE orders RENAME COLUMN "createdAt" TO created;
ALTER TABLE orders ALTER COLUMN "createdAt" TYPE varchar;
ALTER TABLE orders ALTER COLUMN "createdAt" DROP EXPRESSION;
DROP INDEX "orders_byDate_idx";
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate');
SELECT register_table('orders', 'PK', 'SK');
SELECT query('orders', 'PK = :p', '{":p": "u1"}', 'byDate');
-- Names may change.
ALTER INDEX "orders_byDate_idx" RENAME TO renamed;
ALTER TABLE orders RENAME TO orders2;
SELECT query('orders2', 'PK = :p', '{":p": "u1"}', 'byDate', projection => 'SK');
REINDEX TABLE orders2;
SELECT query('orders2', 'PK = :p', '{":p": "u1"}', 'byDate', projection => 'SK');
DROP TABLE orders2;
SELECT count(*) FROM indexes;

-- In one transaction, and taken back.
BEGIN;
SELECT create_table('undo', 'PK', 'SK');
SELECT put_item('undo', '{"PK": "a", "SK": "1", "d": "x"}');
SAVEPOINT before;
SELECT create_local_index('undo', 'byD', 'd');
SELECT put_item('undo', '{"PK": "a", "SK": "2", "d": "w"}');
SELECT query('undo', 'PK = :p', '{":p": "a"}', 'byD');
ROLLBACK TO before;
SELECT put_item('undo', '{"PK": "a", "SK": "2", "d": 5}');
SELECT scan('undo');
SAVEPOINT again;
SELECT query('undo', 'PK = :p', '{":p": "a"}', 'byD');
ROLLBACK TO again;
SELECT create_local_index('undo', 'byD', 'd');
SAVEPOINT dropping;
SELECT drop_index('undo', 'byD');
SELECT put_item('undo', '{"PK": "a", "SK": "3", "d": 6}');
ROLLBACK TO dropping;
SELECT put_item('undo', '{"PK": "a", "SK": "4", "d": "v"}');
SELECT query('undo', 'PK = :p', '{":p": "a"}', 'byD');
COMMIT;
-- A cursor on the table keeps the index from being made or dropped.
BEGIN;
DECLARE c CURSOR FOR SELECT query('undo', 'PK = :p', '{":p": "a"}', 'byD');
FETCH 1 FROM c;
SELECT drop_index('undo', 'byD');
ROLLBACK;
-- Empty again, unlogged, with a column before and after it gone.
TRUNCATE undo;
SELECT query('undo', 'PK = :p', '{":p": "a"}', 'byD');
ALTER TABLE undo SET UNLOGGED;
ALTER TABLE undo ADD COLUMN extra int;
ALTER TABLE undo DROP COLUMN extra;
SELECT create_local_index('undo', 'byE', 'e', '{"e": "N"}');
SELECT put_item('undo', '{"PK": "a", "SK": "1", "d": "x", "e": 2}');
SELECT put_item('undo', '{"PK": "a", "SK": "2", "d": "w", "e": 1}');
SELECT query('undo', 'PK = :p', '{":p": "a"}', 'byE');
SELECT item_of(u) FROM undo AS u ORDER BY sk;
-- A view on the column keeps it, and the index with it.
CREATE VIEW on_column AS SELECT e FROM undo;
SELECT drop_index('undo', 'byE');
SELECT query('undo', 'PK = :p', '{":p": "a"}', 'byE');
DROP VIEW on_column;
SELECT drop_table('undo');
SELECT count(*) FROM indexes;

-- Partitions get back what was dropped.
CREATE TABLE parts (pk text COLLATE "C", sk text COLLATE "C", attributes item) PARTITION BY HASH (pk);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 1, REMAINDER 0);
SELECT register_table('parts', 'PK', 'SK');
SELECT create_local_index('parts', 'byD', 'd');
SELECT put_item('parts', '{"PK": "a", "SK": "1", "d": "x"}');
ALTER TABLE parts DROP COLUMN d;
ALTER TABLE parts_0 DROP COLUMN d;
DROP INDEX "parts_byD_idx";
SELECT query('parts', 'PK = :p', '{":p": "a"}', 'byD');
SELECT put_item('parts', '{"PK": "a", "SK": "2", "d": "w"}');
SELECT register_table('parts', 'PK', 'SK');
SELECT query('parts', 'PK = :p', '{":p": "a"}', 'byD');
DROP TABLE parts;

DROP TABLE flat;
DROP SCHEMA index_local;
DROP ROLE regress_index_user;
