-- Unique index keys: entries are written at the end of the statement or call,
-- in the order of the index.
SET search_path = public, partitioning;
CREATE FUNCTION item(id text, mail text) RETURNS item LANGUAGE sql AS $$ SELECT jsonb_build_object('id', id, 'mail', mail)::item $$;
SELECT create_table('users', 'id', options => '{"index_method": "btree"}'), create_table('other', 'id');
SELECT create_global_index('users', 'byMail', 'mail', unique_key => true), create_global_index('other', 'byMail', 'mail', unique_key => true);
CREATE VIEW state AS
    SELECT string_agg(base_pk || '=' || pk, ' ' ORDER BY base_pk) AS entries, (SELECT count(*) FROM verify_index('users', 'byMail')) AS wrong FROM "users_byMail";
INSERT INTO users SELECT i, jsonb_build_object('mail', 'm' || i) FROM generate_series(1, 4) AS i;
SELECT * FROM state;

-- keys are exchanged in one statement, one batch, one transaction
UPDATE users SET attributes = jsonb_build_object('mail', CASE id WHEN '1' THEN 'm2' ELSE 'm1' END) FROM (SELECT pk AS id FROM users) AS u WHERE pk = id AND id IN ('1', '2');
SELECT * FROM state;
SELECT batch_write('users', ARRAY[item('1', 'm1'), item('2', 'm3'), item('3', 'm2')]);
SELECT * FROM state;
SELECT batch_write('users', ARRAY[item('5', 'm4'), item('2', 'm2')], ARRAY['{"id": "4"}', '{"id": "3"}']::item[]);
SELECT * FROM state;
SELECT transact_write(ARRAY['{"put": {"table": "users", "item": {"id": "1", "mail": "m2"}}}',
                            '{"update": {"table": "users", "key": {"id": "2"}, "update": "SET mail = :m", "values": {":m": "m4"}}}',
                            '{"delete": {"table": "users", "key": {"id": "5"}}}',
                            '{"put": {"table": "other", "item": {"id": "1", "mail": "m1"}}}']::item[]);
SELECT * FROM state;
WITH gone AS (DELETE FROM users WHERE pk = '1' RETURNING attributes) INSERT INTO users SELECT '6', attributes FROM gone;
SELECT * FROM state;
MERGE INTO users USING (VALUES ('2', 'm2'), ('6', 'm4'), ('7', 'm7')) AS v (id, mail) ON pk = id
    WHEN MATCHED THEN UPDATE SET attributes = jsonb_build_object('mail', mail)
    WHEN NOT MATCHED THEN INSERT VALUES (id, jsonb_build_object('mail', mail));
SELECT * FROM state;
COPY users (pk, attributes) FROM stdin;
8	{"mail": "m8"}
9	{"mail": "m9"}
\.
SELECT * FROM state;

-- a key that two items want
INSERT INTO users VALUES ('a', '{"mail": "m1"}'), ('b', '{"mail": "m1"}');
UPDATE users SET attributes = jsonb_build_object('mail', 'm9') WHERE pk IN ('8', '7');
SELECT batch_write('users', ARRAY[item('8', 'm9')]);
SELECT batch_write('users', ARRAY[item('8', 'm1'), item('7', 'm1')]);
SELECT transact_write(ARRAY['{"put": {"table": "users", "item": {"id": "8", "mail": "m7"}}}', '{"put": {"table": "users", "item": {"id": "a", "mail": "ma"}}}']::item[]);
SELECT * FROM state;

-- other attributes
UPDATE users SET attributes = attributes || '{"x": 1}';
SELECT count(*) FROM query('users', 'mail = :m', '{":m": "m8"}', index_name => 'byMail') AS i WHERE i ->> 'x' = '1';

-- savepoints: what they undo leaves no entry, what they keep does
BEGIN;
UPDATE users SET attributes = jsonb_build_object('mail', 'n' || pk);
SAVEPOINT s;
SELECT batch_write('users', ARRAY[item('2', 'p2'), item('6', 'p6')]);
ROLLBACK TO s;
SELECT batch_write('users', ARRAY[item('6', 'n7'), item('7', 'n6')]);
SAVEPOINT s;
DELETE FROM users WHERE pk > '7';
ROLLBACK TO s;
RELEASE s;
SELECT * FROM state;
COMMIT;
SELECT * FROM state;

-- Triggers that write the table from within a statement, some of it in vain:
-- what the statement has changed before is entered, whatever became of that.
CREATE FUNCTION echo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() > 1 OR NEW.pk > '8' THEN
        RETURN NULL;
    END IF;
    BEGIN
        PERFORM put_item('users', item('echo' || NEW.pk, 'echo' || NEW.pk));
        UPDATE users SET attributes = attributes || '{"y": 1}' WHERE pk IN (NEW.pk, 'echo' || NEW.pk);
        IF NEW.pk = '6' THEN
            RAISE division_by_zero;
        END IF;
    EXCEPTION WHEN division_by_zero THEN
        RAISE NOTICE 'undone: %', NEW.pk;
    END;
    RETURN NULL;
END $$;
CREATE TRIGGER zz_echo AFTER INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION echo();
UPDATE users SET attributes = jsonb_build_object('mail', 'q' || pk);
SELECT * FROM state;
SELECT batch_write('users', ARRAY[item('2', 'q6'), item('6', 'q2')]);
SELECT * FROM state;
DROP TRIGGER zz_echo ON users;
CREATE TRIGGER aa_echo AFTER INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION echo();
UPDATE users SET attributes = jsonb_build_object('mail', 'r' || pk) WHERE pk < '8';
SELECT * FROM state;
DROP TRIGGER aa_echo ON users;
DROP FUNCTION echo;

-- a statement that needs more memory for its places than there is
SET maintenance_work_mem = '1MB';
INSERT INTO users SELECT 'many' || i, jsonb_build_object('mail', 'many' || i) FROM generate_series(1, 10000) AS i;
UPDATE users SET attributes = attributes || '{"z": 1}' WHERE pk LIKE 'many%';
UPDATE users SET attributes = jsonb_build_object('mail', pk || '!') WHERE pk LIKE 'many%';
SELECT (SELECT count(*) FROM "users_byMail") - (SELECT count(*) FROM users) AS missing, count(*) AS wrong FROM verify_index('users', 'byMail');
DELETE FROM users WHERE pk LIKE 'many%';
RESET maintenance_work_mem;
SELECT * FROM state;

-- Random exchanges, deletions and insertions, one in three undone.  An item's
-- key is one of few, so that most writes are refused.
CREATE PROCEDURE random_exchanges(n int) LANGUAGE plpgsql AS $$
DECLARE
    a text;
    b text;
BEGIN
    FOR i IN 1..n LOOP
        a := (random() * 5)::int;
        b := (random() * 5)::int;
        BEGIN
            CASE (random() * 7)::int
                WHEN 0 THEN DELETE FROM users WHERE pk IN (a, b);
                WHEN 1 THEN INSERT INTO users VALUES (a, jsonb_build_object('mail', 'k' || b)) ON CONFLICT DO NOTHING;
                WHEN 2 THEN PERFORM batch_write('users', ARRAY[item(a, 'k' || b)], CASE WHEN a <> b THEN ARRAY[jsonb_build_object('id', b)::item] ELSE '{}' END);
                WHEN 3 THEN PERFORM put_item('users', item(a, 'k' || b));
                WHEN 4 THEN UPDATE users SET attributes = jsonb_build_object('mail', 'k' || ((pk)::int + b::int) % 6) WHERE pk < '6';
                WHEN 5 THEN PERFORM update_item('users', jsonb_build_object('id', a), 'REMOVE mail');
                ELSE UPDATE users SET attributes = u.attributes FROM users AS u WHERE users.pk IN (a, b) AND u.pk IN (a, b) AND u.pk <> users.pk;
            END CASE;
            IF random() < 0.33 THEN
                RAISE division_by_zero;
            END IF;
        EXCEPTION WHEN division_by_zero OR unique_violation THEN
            NULL;
        END;
        IF random() < 0.1 THEN
            COMMIT;
        END IF;
    END LOOP;
END $$;
DELETE FROM users;
SELECT setseed(0.7);
CALL random_exchanges(5000);
SELECT count(*) AS wrong, (SELECT count(*) > 0 FROM users) AS filled FROM verify_index('users', 'byMail');
DROP PROCEDURE random_exchanges;

-- partitions, by their own name and by the table's
CREATE TABLE parts (pk text COLLATE "C", attributes item) PARTITION BY HASH (pk);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT register_table('parts', 'id');
SELECT create_global_index('parts', 'byMail', 'mail', unique_key => true);
INSERT INTO parts SELECT i, jsonb_build_object('mail', i::text) FROM generate_series(0, 9) AS i;
UPDATE parts SET attributes = jsonb_build_object('mail', ((pk::int + 1) % 10)::text);
UPDATE parts_1 SET attributes = jsonb_build_object('mail', (SELECT max(attributes ->> 'mail') FROM parts_1)) WHERE pk = (SELECT min(pk) FROM parts_1);
UPDATE parts SET pk = pk || 'x';
SELECT count(*) AS entries, (SELECT count(*) FROM verify_index('parts', 'byMail')) AS wrong FROM "parts_byMail";
SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE tgrelid IN ('parts'::regclass, 'parts_0'::regclass) ORDER BY 1, 2;
DROP TABLE parts;

DROP VIEW state;
DROP TABLE users, other;
DROP FUNCTION item(text, text);
