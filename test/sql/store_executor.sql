-- The executor's share in a write: what triggers, constraints, further columns
-- and further indexes see is what they would see of SQL statements.
CREATE SCHEMA store_executor;
SET search_path = store_executor;
SET partitioning.wire_schema = 'store_executor';

SELECT partitioning.create_table('app', 'PK', 'SK', options => '{"index_method": "btree"}');

-- further columns: default on insert, kept on replace, generated recomputed;
-- a dropped column stays in the way
CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent VALUES (1), (7);
ALTER TABLE app ADD COLUMN dropped int DEFAULT 3;
ALTER TABLE app ADD COLUMN extra int DEFAULT 7 REFERENCES parent,
    ADD COLUMN note text,
    ADD COLUMN size int GENERATED ALWAYS AS (partitioning.item_size(attributes)) STORED,
    ADD COLUMN id int GENERATED ALWAYS AS IDENTITY;
ALTER TABLE app DROP COLUMN dropped;
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "x": 1}');
UPDATE app SET note = 'kept', extra = 1;
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "longer": "xxxxxxxxxx"}');
SELECT partitioning.update_item('app', '{"PK": "b", "SK": "1"}', 'SET x = :one', '{":one": 1}');
SELECT * FROM app ORDER BY pk, sk;

-- further indexes follow
CREATE INDEX app_size ON app (size);
CREATE UNIQUE INDEX app_note ON app (note);
SELECT partitioning.put_item('app', '{"PK": "b", "SK": "1", "longer": "xxxxxxxxxxxxxxxxxxxx"}');
SET enable_seqscan = off;
SELECT pk, size FROM app WHERE size > 20 ORDER BY size;
RESET enable_seqscan;

-- a further unique index raises its own error, the key index never does
ALTER TABLE app ALTER note SET DEFAULT 'kept';
SELECT partitioning.put_item('app', '{"PK": "c", "SK": "1"}');
ALTER TABLE app ALTER note DROP DEFAULT;
SELECT partitioning.put_item('app', '{"PK": "c", "SK": "1"}', 'attribute_not_exists(PK)');
SELECT partitioning.put_item('app', '{"PK": "c", "SK": "1"}', 'attribute_not_exists(PK)');

-- check constraints of others, on insert and on replace
ALTER TABLE app ADD CONSTRAINT no_bad CHECK (NOT partitioning.item_has(attributes, 'bad'));
SELECT partitioning.put_item('app', '{"PK": "d", "SK": "1", "bad": 1}');
SELECT partitioning.put_item('app', '{"PK": "c", "SK": "1", "bad": 1}');
SELECT partitioning.put_item('app', '{"PK": "c", "SK": "1", "good": 1}');
ALTER TABLE app DROP CONSTRAINT no_bad;

-- foreign keys from an item table ...
ALTER TABLE app ALTER extra SET DEFAULT 99;
SELECT partitioning.put_item('app', '{"PK": "e", "SK": "1"}');
ALTER TABLE app ALTER extra SET DEFAULT 7;
-- ... and to it: replacing is fine, deleting is not
CREATE TABLE child (pk text COLLATE "C", sk text COLLATE "C", FOREIGN KEY (pk, sk) REFERENCES app (pk, sk));
INSERT INTO child VALUES ('a', '1');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "x": 9}');
SELECT partitioning.delete_item('app', '{"PK": "a", "SK": "1"}');
DROP TABLE child;
SELECT partitioning.delete_item('app', '{"PK": "a", "SK": "1"}');
-- a cascade goes through
CREATE TABLE child (pk text COLLATE "C", sk text COLLATE "C", FOREIGN KEY (pk, sk) REFERENCES app (pk, sk) ON DELETE CASCADE);
INSERT INTO child VALUES ('b', '1');
SELECT partitioning.delete_item('app', '{"PK": "b", "SK": "1"}');
SELECT count(*) FROM child;
DROP TABLE child;

-- an index alone, and no trigger at all
SELECT partitioning.create_table('indexed', 'PK', 'SK');
CREATE INDEX indexed_n ON indexed ((partitioning.item_number(attributes, 'n')));
SELECT partitioning.put_item('indexed', '{"PK": "a", "SK": "1", "n": 1}'),
    partitioning.put_item('indexed', '{"PK": "a", "SK": "1", "n": 2}'),
    partitioning.put_item('indexed', '{"PK": "a", "SK": "2", "n": 3}'),
    partitioning.delete_item('indexed', '{"PK": "a", "SK": "1"}');
SET enable_seqscan = off;
SELECT * FROM indexed WHERE partitioning.item_number(attributes, 'n') > 0;
RESET enable_seqscan;

-- triggers of all kinds; see the notices
SELECT partitioning.create_table('fired', 'PK', 'SK');
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE '% % % % old % new %', tg_name, tg_when, tg_op, tg_level,
        CASE WHEN tg_level = 'ROW' AND tg_op <> 'INSERT' THEN old.attributes::text END,
        CASE WHEN tg_level = 'ROW' AND tg_op <> 'DELETE' THEN new.attributes::text END;
    IF tg_when = 'AFTER' OR tg_level = 'STATEMENT' THEN
        RETURN NULL;
    ELSIF tg_op = 'DELETE' THEN
        RETURN CASE WHEN partitioning.item_has(old.attributes, 'keep') THEN NULL ELSE old END;
    ELSIF partitioning.item_has(new.attributes, 'skip') THEN
        RETURN NULL;
    ELSIF partitioning.item_has(new.attributes, 'move') THEN
        new.sk := 'elsewhere';
    ELSIF partitioning.item_has(new.attributes, 'change') THEN
        new.attributes := '{"changed": true}';
    END IF;
    RETURN new;
END $$;
CREATE FUNCTION tell_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE '% %: %', tg_name, tg_op,
        (SELECT string_agg(pk || '/' || sk || ' ' || attributes::text, ', ') FROM rows);
    RETURN NULL;
END $$;
CREATE TRIGGER a_row BEFORE INSERT OR UPDATE OR DELETE ON fired FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER b_row AFTER INSERT OR UPDATE OR DELETE ON fired FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER c_statement BEFORE INSERT OR UPDATE OR DELETE ON fired FOR EACH STATEMENT EXECUTE FUNCTION tell();
CREATE TRIGGER d_statement AFTER INSERT OR UPDATE OR DELETE ON fired FOR EACH STATEMENT EXECUTE FUNCTION tell();
CREATE TRIGGER e_rows AFTER INSERT ON fired REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION tell_rows();
CREATE TRIGGER f_rows AFTER UPDATE ON fired REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION tell_rows();
CREATE TRIGGER g_rows AFTER DELETE ON fired REFERENCING OLD TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION tell_rows();
SELECT partitioning.put_item('fired', '{"PK": "a", "SK": "1", "x": 1}');
SELECT partitioning.put_item('fired', '{"PK": "a", "SK": "1", "x": 2}');
-- suppressed
SELECT partitioning.put_item('fired', '{"PK": "a", "SK": "1", "skip": 1}');
SELECT partitioning.put_item('fired', '{"PK": "b", "SK": "1", "skip": 1}');
-- changed; the answer is what was stored
SELECT partitioning.update_item('fired', '{"PK": "a", "SK": "1"}', 'SET #c = :one', '{":one": 1}', NULL, '{"#c": "change"}', 'ALL_NEW');
-- moved: refused
SELECT partitioning.put_item('fired', '{"PK": "a", "SK": "1", "move": 1}');
SELECT partitioning.put_item('fired', '{"PK": "b", "SK": "1", "move": 1}');
-- deleted, absent, kept
SELECT partitioning.delete_item('fired', '{"PK": "a", "SK": "1"}');
SELECT partitioning.delete_item('fired', '{"PK": "a", "SK": "1"}');
SELECT partitioning.put_item('fired', '{"PK": "a", "SK": "1", "keep": 1}');
SELECT partitioning.delete_item('fired', '{"PK": "a", "SK": "1"}');
SELECT * FROM fired;
DROP TRIGGER a_row ON fired;
DROP TRIGGER b_row ON fired;
DROP TRIGGER c_statement ON fired;
DROP TRIGGER d_statement ON fired;
DROP TRIGGER e_rows ON fired;
DROP TRIGGER f_rows ON fired;
DROP TRIGGER g_rows ON fired;

-- column triggers and conditions: a put is an update of the attributes
ALTER TABLE fired ADD COLUMN note text;
CREATE TRIGGER a_column AFTER UPDATE OF attributes ON fired FOR EACH ROW WHEN (old.attributes OPERATOR(partitioning.<>) new.attributes) EXECUTE FUNCTION tell();
CREATE TRIGGER b_column AFTER UPDATE OF note ON fired FOR EACH ROW EXECUTE FUNCTION tell();
SELECT partitioning.put_item('fired', '{"PK": "a", "SK": "1", "x": 3}');
DROP TRIGGER a_column ON fired;
DROP TRIGGER b_column ON fired;

-- a deferred constraint trigger fires at commit
CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE ON fired DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tell();
BEGIN;
SELECT partitioning.put_item('fired', '{"PK": "a", "SK": "1", "x": 4}');
SELECT 'before commit';
COMMIT;
DROP TRIGGER late ON fired;

-- a trigger that writes through the item functions, also into the same table
CREATE FUNCTION copy_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.sk <> 'copy' THEN
        PERFORM partitioning.put_item('fired', jsonb_build_object('PK', new.pk, 'SK', 'copy', 'of', new.sk));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER copy AFTER INSERT OR UPDATE ON fired FOR EACH ROW EXECUTE FUNCTION copy_item();
SELECT partitioning.put_item('fired', '{"PK": "z", "SK": "1"}'), partitioning.put_item('fired', '{"PK": "z", "SK": "2"}');
SELECT pk, sk, attributes FROM fired WHERE pk = 'z' ORDER BY sk;
DROP TRIGGER copy ON fired;

-- a BEFORE trigger that changes the very row: as in SQL, an error
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE fired SET attributes = '{"meddled": true}' WHERE pk = new.pk AND sk = new.sk;
    RETURN new;
END $$;
CREATE TRIGGER meddle BEFORE UPDATE ON fired FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION meddle();
SELECT partitioning.put_item('fired', '{"PK": "z", "SK": "1", "x": 5}');
DROP TRIGGER meddle ON fired;

-- an update that changes nothing fires no row trigger
CREATE TRIGGER a_row BEFORE UPDATE ON fired FOR EACH ROW EXECUTE FUNCTION tell();
SELECT partitioning.put_item('fired', '{"PK": "z", "SK": "1"}');
DROP TRIGGER a_row ON fired;

-- replica identity, as SQL checks it
SET client_min_messages = error;	-- wal_level does not matter here
CREATE PUBLICATION store_publication FOR TABLE fired;
RESET client_min_messages;
ALTER TABLE fired REPLICA IDENTITY NOTHING;
SELECT partitioning.put_item('fired', '{"PK": "new", "SK": "1"}');
SELECT partitioning.put_item('fired', '{"PK": "new", "SK": "1", "x": 1}');
SELECT partitioning.delete_item('fired', '{"PK": "new", "SK": "1"}');
DROP PUBLICATION store_publication;

RESET search_path;
RESET partitioning.wire_schema;
SET client_min_messages = warning;
DROP SCHEMA store_executor CASCADE;
