-- Unique ptree indexes.
SET search_path = public, partitioning;

CREATE TABLE items (pk text NOT NULL, sk text COLLATE "C", d bigint NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX items_index ON items USING ptree (pk text_hash_ops, sk);

-- A second row with the key is refused, nulls are not equal.
INSERT INTO items VALUES ('a', '1'), ('a', '2'), ('b', '1'), ('a', NULL), ('a', NULL);
INSERT INTO items VALUES ('a', '1');
INSERT INTO items VALUES ('b', '2'), ('b', '2');
UPDATE items SET sk = '1' WHERE pk = 'a' AND sk = '2';

-- A key is free again once its row is gone, also within the transaction.
BEGIN;
DELETE FROM items WHERE pk = 'a' AND sk = '1';
INSERT INTO items VALUES ('a', '1');
SAVEPOINT s;
DELETE FROM items WHERE pk = 'a' AND sk = '1';
ROLLBACK TO s;
INSERT INTO items VALUES ('a', '1');
ROLLBACK;
DELETE FROM items WHERE pk = 'a' AND sk = '1';
INSERT INTO items VALUES ('a', '1');
SELECT ptree_check('items_index', true);

-- Versions of one row fill more than a page with equal keys, and the check still finds the live one.
CREATE TABLE churn (pk text NOT NULL, sk text COLLATE "C", v int) WITH (autovacuum_enabled = off);
CREATE UNIQUE INDEX churn_index ON churn USING ptree (pk text_hash_ops, sk);
CREATE INDEX churn_v ON churn (v);
INSERT INTO churn VALUES ('p', 'x', 0);
DO $$ BEGIN FOR i IN 1 .. 3000 LOOP UPDATE churn SET v = i; END LOOP; END $$;
SELECT leaf_pages > 3 AS many_pages FROM ptree_stats('churn_index');
INSERT INTO churn VALUES ('p', 'x', 0);
SELECT ptree_check('churn_index', true);
SET enable_seqscan = off;
SELECT v FROM churn WHERE pk = 'p' AND sk = 'x';
RESET enable_seqscan;
VACUUM churn;
INSERT INTO churn VALUES ('p', 'x', 0);
SELECT entries FROM ptree_stats('churn_index');

-- Versions that nobody sees give way to new ones before a page is split.
TRUNCATE churn;
INSERT INTO churn SELECT 'p' || i % 3, 'x' || i, 0 FROM generate_series(1, 90) i;
DO $$ BEGIN FOR i IN 1 .. 100 LOOP UPDATE churn SET v = i; COMMIT; END LOOP; END $$;
SELECT leaf_pages < 8 AS few_pages FROM ptree_stats('churn_index');
SELECT ptree_check('churn_index', true);
SET enable_seqscan = off;
SELECT count(*), min(v), max(v) FROM churn WHERE pk = 'p1';
RESET enable_seqscan;

-- Building finds duplicates, but not among dead rows and nulls.
CREATE TABLE doubled (pk text NOT NULL, sk text COLLATE "C");
INSERT INTO doubled VALUES ('a', '1'), ('a', '1'), ('b', NULL), ('b', NULL);
CREATE UNIQUE INDEX doubled_index ON doubled USING ptree (pk text_hash_ops, sk);
CREATE UNIQUE INDEX CONCURRENTLY doubled_index ON doubled USING ptree (pk text_hash_ops, sk);
SELECT ptree_check('doubled_index');
DROP INDEX doubled_index;
DELETE FROM doubled WHERE ctid = '(0,1)';
CREATE UNIQUE INDEX doubled_index ON doubled USING ptree (pk text_hash_ops, sk);
SELECT ptree_check('doubled_index', true);
DROP INDEX doubled_index;
CREATE UNIQUE INDEX doubled_index ON doubled USING ptree (pk text_hash_ops, sk) NULLS NOT DISTINCT;
DELETE FROM doubled WHERE sk IS NULL;
CREATE UNIQUE INDEX doubled_index ON doubled USING ptree (pk text_hash_ops, sk) NULLS NOT DISTINCT;
INSERT INTO doubled VALUES ('b', NULL);
INSERT INTO doubled VALUES ('b', NULL);

-- The last bigint belongs to the key.
CREATE UNIQUE INDEX items_d ON items USING ptree (pk text_hash_ops, sk, d);
DROP INDEX items_index;
INSERT INTO items VALUES ('a', '1', 1), ('a', '1', -1);
INSERT INTO items VALUES ('a', '1', -1);
INSERT INTO items VALUES ('a', '1', NULL);
SELECT ptree_check('items_d', true);

-- Numbers are equal whatever their scale.
CREATE TABLE numbers (pk numeric NOT NULL, sk numeric);
CREATE UNIQUE INDEX numbers_index ON numbers USING ptree (pk numeric_hash_ops, sk);
INSERT INTO numbers VALUES (1, 0.10);
INSERT INTO numbers VALUES (1.00, 0.1);
INSERT INTO numbers VALUES (1, -0.1), (1, 'NaN'), (1, 'Infinity'), (1, '-Infinity');
INSERT INTO numbers VALUES (1.0, 'NaN');

SELECT count(*) FROM numbers;
SELECT ptree_check('numbers_index', true);

DROP TABLE items, churn, doubled, numbers;
