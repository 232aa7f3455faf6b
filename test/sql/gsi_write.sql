-- Global indexes follow every way of writing.
SET search_path = public, partitioning;
SELECT create_table('app', 'pk', 'sk', options => '{"index_method": "btree"}');
SELECT create_global_index('app', 'byE', 'e', 'n', '{"n": "N"}', propagation => 'sync');
SELECT create_global_index('app', 'byK', 'sk', 'pk', projection => 'INCLUDE', include => '{x}', propagation => 'sync');
CREATE VIEW entries AS SELECT pk, sk, base_pk, base_sk, attributes FROM "app_byE" ORDER BY 1, 2, 3, 4;
CREATE VIEW wrong AS SELECT index_name, v.* FROM item_indexes, verify_index('app', index_name) AS v;

-- item functions
SELECT put_item('app', '{"pk": "A", "sk": "1", "e": "x", "n": 1, "x": [1]}');
SELECT put_item('app', '{"pk": "A", "sk": "2", "e": "x"}');
SELECT update_item('app', '{"pk": "A", "sk": "2"}', 'SET n = :n', '{":n": 2}');
SELECT * FROM entries;
SELECT update_item('app', '{"pk": "A", "sk": "1"}', 'SET n = :n, y = :n', '{":n": 3}');
SELECT update_item('app', '{"pk": "A", "sk": "2"}', 'REMOVE e');
SELECT * FROM entries;
SELECT delete_item('app', '{"pk": "A", "sk": "1"}');
SELECT batch_write('app', puts => ARRAY['{"pk": "B", "sk": "1", "e": "y", "n": 1}', '{"pk": "B", "sk": "2", "e": "y", "n": 1}']::item[],
                   deletes => ARRAY['{"pk": "A", "sk": "2"}']::item[]);
SELECT transact_write(ARRAY['{"update": {"table": "app", "key": {"pk": "B", "sk": "1"}, "update": "SET n = :n", "values": {":n": 5}}}',
                            '{"put": {"table": "app", "item": {"pk": "C", "sk": "1", "e": "y", "n": 4}}}',
                            '{"delete": {"table": "app", "key": {"pk": "B", "sk": "2"}}}']::item[]);
SELECT * FROM entries;
SELECT * FROM wrong;

-- the same value again, and there and back, change nothing
SELECT ctid, xmin FROM "app_byE" WHERE base_pk = 'B' \gset before_
SELECT update_item('app', '{"pk": "B", "sk": "1"}', 'SET n = :n', '{":n": 5}');
UPDATE app SET attributes = attributes WHERE pk = 'B';
SELECT ctid = :'before_ctid' AND xmin = :'before_xmin' AS unchanged FROM "app_byE" WHERE base_pk = 'B';
SELECT update_item('app', '{"pk": "B", "sk": "1"}', 'SET n = :n', '{":n": 6}');
SELECT update_item('app', '{"pk": "B", "sk": "1"}', 'SET n = :n', '{":n": 5}');
SELECT put_item('app', '{"pk": "B", "sk": "1", "e": "y", "n": 5}');
SELECT * FROM entries;
SELECT * FROM wrong;

-- SQL: INSERT, UPDATE of attributes and of keys, DELETE, MERGE, COPY, CTE
INSERT INTO app SELECT 'S' || i, 'k', jsonb_build_object('e', 's', 'n', i) FROM generate_series(1, 4) AS i;
UPDATE app SET attributes = attributes || '{"n": 9}' WHERE pk = 'S1';
UPDATE app SET pk = 'T1', sk = 'kk' WHERE pk = 'S2';
UPDATE app SET attributes = attributes - 'e' WHERE pk = 'S3';
DELETE FROM app WHERE pk = 'S4';
MERGE INTO app USING (VALUES ('S1', 'k'), ('M1', 'k')) AS v (pk, sk) ON app.pk = v.pk AND app.sk = v.sk
    WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (v.pk, v.sk, '{"e": "m", "n": 1}');
COPY app FROM stdin;
D	1	{"e": "copy", "n": 1}
D	2	{"e": "copy"}
D	3	{"e": "copy", "n": 3}
\.
WITH gone AS (DELETE FROM app WHERE pk = 'D' AND sk = '1' RETURNING sk)
INSERT INTO app SELECT 'E', sk, '{"e": "cte", "n": 1}' FROM gone;
SELECT * FROM entries;
SELECT * FROM wrong;

-- what cannot be a key is refused, and nothing stored
SELECT put_item('app', '{"pk": "F", "sk": "1", "e": 5}');
INSERT INTO app VALUES ('F', '1', '{"e": "e", "n": "5"}');
INSERT INTO app VALUES ('F', '1', jsonb_build_object('e', repeat('e', 2049), 'n', 1));
INSERT INTO app VALUES ('F', '1', '{"e": "", "n": 1}');
SELECT count(*) FROM app WHERE pk = 'F';

-- savepoints
BEGIN;
INSERT INTO app VALUES ('G', '1', '{"e": "save", "n": 1}');
SAVEPOINT a;
UPDATE app SET attributes = '{"e": "save", "n": 2}' WHERE pk = 'G';
SAVEPOINT b;
SELECT delete_item('app', '{"pk": "G", "sk": "1"}');
INSERT INTO app VALUES ('G', '1', '{"e": "save", "n": 3}');
ROLLBACK TO b;
SELECT sk FROM entries WHERE pk = 'save';
ROLLBACK TO a;
UPDATE app SET attributes = '{"e": "save", "n": 4}' WHERE pk = 'G';
COMMIT;
SELECT * FROM entries WHERE pk = 'save';
BEGIN;
DELETE FROM app;
ROLLBACK;
SELECT * FROM wrong;

-- triggers of users that change a row again before its change is told
CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() = 1 THEN
        UPDATE app SET attributes = attributes || jsonb_build_object('n', 100 + 2 * (attributes ->> 'n')::int)
        WHERE pk = 'H';
        UPDATE app SET attributes = attributes || '{"e": "again"}' WHERE pk = 'H' AND sk = '2';
        DELETE FROM app WHERE pk = 'H' AND sk = '3';
        INSERT INTO app VALUES ('H', '3', '{"e": "new", "n": 7}') ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER a_again AFTER INSERT OR UPDATE ON app FOR EACH ROW EXECUTE FUNCTION again();
CREATE TRIGGER z_again AFTER INSERT OR UPDATE ON app FOR EACH ROW EXECUTE FUNCTION again();
INSERT INTO app SELECT 'H', i, jsonb_build_object('e', 'h', 'n', i) FROM generate_series(1, 4) AS i;
SELECT * FROM entries WHERE base_pk = 'H';
SELECT * FROM wrong;
UPDATE app SET attributes = attributes || '{"e": "h", "n": 1}' WHERE pk = 'H';
SELECT * FROM entries WHERE base_pk = 'H';
SELECT * FROM wrong;
SELECT update_item('app', '{"pk": "H", "sk": "4"}', 'SET n = :n', '{":n": 2}');
SELECT * FROM wrong;
DROP TRIGGER a_again ON app;
DROP TRIGGER z_again ON app;
-- and one that brings a deleted row back
CREATE FUNCTION back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO app VALUES (OLD.pk, OLD.sk, OLD.attributes || '{"back": true}');
    RETURN NULL;
END $$;
CREATE TRIGGER a_back AFTER DELETE ON app FOR EACH ROW EXECUTE FUNCTION back();
DELETE FROM app WHERE pk = 'H' AND sk <= '2';
SELECT * FROM entries WHERE base_pk = 'H';
SELECT * FROM wrong;
DROP TRIGGER a_back ON app;

-- cascades
CREATE TABLE parent (id text COLLATE "C" PRIMARY KEY);
INSERT INTO parent SELECT DISTINCT pk FROM app;
ALTER TABLE app ADD FOREIGN KEY (pk) REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE;
UPDATE parent SET id = 'HH' WHERE id = 'H';
DELETE FROM parent WHERE id IN ('D', 'E');
SELECT * FROM entries;
SELECT * FROM wrong;

-- nobody else changes an index table
DELETE FROM "app_byE";
UPDATE "app_byE" SET sk = 1;
TRUNCATE "app_byE";
INSERT INTO "app_byE" SELECT pk, sk, base_pk, 'none', digest, attributes FROM "app_byE" LIMIT 1;
-- a row that is there already is passed over, for restores
INSERT INTO "app_byE" SELECT * FROM "app_byE" LIMIT 1;
SELECT * FROM wrong;

-- verify_index() finds what is wrong, rebuild_index() mends it
SET session_replication_role = replica;
ALTER TABLE "app_byE" DISABLE TRIGGER USER;
INSERT INTO "app_byE" SELECT pk, 77, base_pk, base_sk, digest, attributes FROM "app_byE" WHERE base_pk = 'G';
UPDATE "app_byE" SET attributes = '{"other": 1}' WHERE base_pk = 'M1';
DELETE FROM "app_byE" WHERE base_pk = 'C';
INSERT INTO "app_byE" SELECT * FROM "app_byE" WHERE base_pk = 'T1';
INSERT INTO "app_byE" VALUES ('lost', 1, 'nobody', '1', 1, '{}');
ALTER TABLE "app_byE" ENABLE ALWAYS TRIGGER index_guard;
RESET session_replication_role;
SELECT * FROM wrong ORDER BY problem;
-- writes go on
UPDATE app SET attributes = attributes || '{"n": 8}' WHERE pk IN ('C', 'T1', 'M1');
SELECT * FROM wrong ORDER BY problem;
SELECT rebuild_index('app', 'byE');
SELECT * FROM wrong;
SELECT count(*) FROM entries;

-- TRUNCATE
TRUNCATE app CASCADE;
SELECT * FROM entries;
INSERT INTO parent VALUES ('Z') ON CONFLICT DO NOTHING;
INSERT INTO app VALUES ('Z', '1', '{"e": "z", "n": 1}');
BEGIN;
TRUNCATE app;
SELECT * FROM entries;
ROLLBACK;
SELECT * FROM entries;
SELECT * FROM wrong;

-- unique keys
SELECT create_table('users', 'id', options => '{"index_method": "btree"}');
SELECT put_item('users', '{"id": "1", "mail": "a"}'), put_item('users', '{"id": "2", "mail": "a"}');
\set VERBOSITY terse
SELECT create_global_index('users', 'byMail', 'mail', unique_key => true);
\set VERBOSITY default
SELECT delete_item('users', '{"id": "2"}');
SELECT create_global_index('users', 'byMail', 'mail', unique_key => true);
SELECT put_item('users', '{"id": "2", "mail": "a"}');
INSERT INTO users VALUES ('3', '{"mail": "b"}');
INSERT INTO users VALUES ('4', '{"mail": "b"}') ON CONFLICT DO NOTHING;
SELECT update_item('users', '{"id": "1"}', 'SET x = :x', '{":x": 1}');
SELECT put_item('users', '{"id": "1", "mail": "c"}');
SELECT put_item('users', '{"id": "2", "mail": "a"}');
SELECT query('users', 'mail = :m', '{":m": "a"}', index_name => 'byMail');
SELECT last_evaluated_key FROM scan_page('users', index_name => 'byMail', max_items => 1);
SELECT verify_index('users', 'byMail');
DROP TABLE users;

-- partitions
CREATE TABLE parts (pk text COLLATE "C", sk text COLLATE "C", attributes item) PARTITION BY HASH (pk);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_1 (attributes item, sk text COLLATE "C", pk text COLLATE "C");
ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT register_table('parts', 'pk', 'sk');
INSERT INTO parts SELECT 'P' || i, 'a', jsonb_build_object('e', i % 3, 'x', i) FROM generate_series(1, 20) AS i;
SELECT create_global_index('parts', 'byE', 'e', attribute_types => '{"e": "N"}', propagation => 'sync');
INSERT INTO parts SELECT 'P' || i, 'b', jsonb_build_object('e', i % 3, 'x', i) FROM generate_series(1, 20) AS i;
SELECT put_item('parts', '{"pk": "P1", "sk": "c", "e": 1}');
UPDATE parts SET pk = pk || '!' WHERE sk = 'b';
DELETE FROM parts_0 WHERE sk = 'a' AND pk < 'P12';
SELECT verify_index('parts', 'byE');
SELECT (SELECT count(*) FROM parts) = (SELECT count(*) FROM "parts_byE"), (SELECT count(*) FROM scan('parts', 'byE')) = (SELECT count(*) FROM parts);
TRUNCATE parts_1;
SELECT verify_index('parts', 'byE');
ALTER TABLE parts DETACH PARTITION parts_0;
SELECT count(*) FROM "parts_byE";
ALTER TABLE parts ATTACH PARTITION parts_0 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
SELECT verify_index('parts', 'byE');
ALTER TABLE parts DETACH PARTITION parts_0 CONCURRENTLY;
SELECT (SELECT count(*) FROM parts) = (SELECT count(*) FROM "parts_byE");
DROP TABLE parts_0;
SELECT count(*) FROM "parts_byE";
-- a partition that is dropped with its schema, or together with others
CREATE SCHEMA gsi_elsewhere;
CREATE TABLE gsi_elsewhere.parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE gsi_elsewhere.parts_2 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 2);
INSERT INTO parts SELECT 'P' || i, 'a', jsonb_build_object('e', i % 3) FROM generate_series(1, 20) AS i;
SELECT count(*), (SELECT count(*) FROM verify_index('parts', 'byE')) AS wrong FROM "parts_byE";
BEGIN;
DROP SCHEMA gsi_elsewhere CASCADE;
SELECT count(*) = (SELECT count(*) FROM parts) AS same, count(*) > 0 AS some, (SELECT count(*) FROM verify_index('parts', 'byE')) AS wrong FROM "parts_byE";
ROLLBACK;
SELECT count(*), (SELECT count(*) FROM verify_index('parts', 'byE')) AS wrong FROM "parts_byE";
BEGIN;
SAVEPOINT s;
DROP TABLE gsi_elsewhere.parts_0, gsi_elsewhere.parts_2;
ROLLBACK TO s;
SELECT count(*), (SELECT count(*) FROM verify_index('parts', 'byE')) AS wrong FROM "parts_byE";
DROP TABLE gsi_elsewhere.parts_0, gsi_elsewhere.parts_2;
SELECT count(*) = (SELECT count(*) FROM parts) AS same, (SELECT count(*) FROM verify_index('parts', 'byE')) AS wrong FROM "parts_byE";
ROLLBACK;
DROP SCHEMA gsi_elsewhere CASCADE;
SELECT verify_index('parts', 'byE');
-- an unlogged one would be empty after a crash, and its entries there
ALTER TABLE parts_1 SET UNLOGGED;
CREATE UNLOGGED TABLE parts_3 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
DROP TABLE parts;

DROP TABLE app, parent CASCADE;
DROP VIEW wrong;
DROP FUNCTION again(), back();
SELECT relname FROM pg_class WHERE relname LIKE 'app\_%' OR relname LIKE 'parts%';
