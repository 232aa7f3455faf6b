-- Triggers and row security of the user's own on an item table.
CREATE SCHEMA api_triggers;
SET search_path = api_triggers, partitioning;
SELECT create_table('app', 'PK', 'SK');
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE '% % %: % -> %', TG_WHEN, TG_LEVEL, TG_OP,
        CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'INSERT' THEN OLD.attributes END,
        CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN NEW.attributes END;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER a_row_before BEFORE INSERT OR UPDATE OR DELETE ON app FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER b_row_after AFTER INSERT OR UPDATE OR DELETE ON app FOR EACH ROW EXECUTE FUNCTION note();

-- Row triggers fire as for plain SQL; not when nothing is written.
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 1}');
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 1}');
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 2}');
SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET v = v + :v', '{":v": 1}');
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 2}', 'v = :v', '{":v": 9}');
SELECT delete_item('app', '{"PK": "A", "SK": "1"}');
SELECT delete_item('app', '{"PK": "A", "SK": "1"}');
DROP TRIGGER a_row_before ON app;
DROP TRIGGER b_row_after ON app;

-- A BEFORE trigger changes what is stored; return values tell what is there.
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.attributes := NEW.attributes || '{"stamped": true}';
    RETURN NEW;
END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON app FOR EACH ROW EXECUTE FUNCTION stamp();
SELECT update_item('app', '{"PK": "B", "SK": "1"}', 'SET v = :v', '{":v": 1}', return_values => 'ALL_NEW');
SELECT update_item('app', '{"PK": "B", "SK": "1"}', 'SET v = :v', '{":v": 2}', return_values => 'ALL_NEW');
SELECT * FROM try_put('app', '{"PK": "B", "SK": "1", "v": 3}');
SELECT get_item('app', '{"PK": "B", "SK": "1"}');
DROP TRIGGER stamp ON app;

-- A BEFORE trigger that suppresses the change: nothing is applied.
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE INSERT OR UPDATE OR DELETE ON app FOR EACH ROW EXECUTE FUNCTION suppress();
SELECT * FROM try_put('app', '{"PK": "C", "SK": "1"}');
SELECT * FROM try_put('app', '{"PK": "B", "SK": "1", "v": 4}');
SELECT update_item('app', '{"PK": "B", "SK": "1"}', 'SET v = :v', '{":v": 5}', return_values => 'ALL_NEW');
SELECT * FROM try_delete('app', '{"PK": "B", "SK": "1"}');
SELECT * FROM app;
DROP TRIGGER suppress ON app;

-- A BEFORE trigger that changes a key is an error.
CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.sk := ''moved''; RETURN NEW; END';
CREATE TRIGGER move BEFORE INSERT OR UPDATE ON app FOR EACH ROW EXECUTE FUNCTION move();
SELECT put_item('app', '{"PK": "D", "SK": "1"}');
SELECT put_item('app', '{"PK": "B", "SK": "1", "v": 5}');
DROP TRIGGER move ON app;

-- An AFTER trigger that raises undoes the write.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END';
CREATE TRIGGER refuse AFTER INSERT OR UPDATE OR DELETE ON app FOR EACH ROW EXECUTE FUNCTION refuse();
SELECT put_item('app', '{"PK": "E", "SK": "1"}');
SELECT delete_item('app', '{"PK": "B", "SK": "1"}');
DROP TRIGGER refuse ON app;
SELECT * FROM app;

-- A trigger that writes another item through the item functions.
CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.pk <> 'COUNT' THEN
        PERFORM update_item('app', '{"PK": "COUNT", "SK": "-"}', 'ADD n :one', '{":one": 1}');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER count_items AFTER INSERT ON app FOR EACH ROW EXECUTE FUNCTION count_items();
SELECT count(*) FROM generate_series(1, 3) AS i,
     put_item('app', jsonb_build_object('PK', 'F', 'SK', i::text));
SELECT get_item('app', '{"PK": "COUNT", "SK": "-"}');
DROP TRIGGER count_items ON app;

-- A BEFORE trigger that changes another item: a transaction has judged that one
-- as it was before, so it is an error if its turn is still to come; a batch
-- comes to it afterwards. Items are changed in the order of the index.
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() = 1 AND NEW.sk = TG_ARGV[0] THEN
        EXECUTE TG_ARGV[1];
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION changes(VARIADIC sks text[]) RETURNS item[] LANGUAGE sql AS $$
    SELECT array_agg(format('{"update": {"table": "app", "key": {"PK": "M", "SK": "%s"}, "update": "ADD n :one", "values": {":one": 1}}}', sk)::item)
    FROM unnest(sks) AS sk
$$;
SELECT put_item('app', '{"PK": "M", "SK": "1", "n": 1}');
SELECT put_item('app', '{"PK": "M", "SK": "2", "n": 1}');
CREATE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('1', 'UPDATE app SET attributes = attributes || ''{"by": "trigger"}'' WHERE pk = ''M'' AND sk = ''2''');
SELECT transact_write(changes('2', '1'));
SELECT batch_write('app', ARRAY['{"PK": "M", "SK": "1", "n": 2}', '{"PK": "M", "SK": "2", "n": 2}']::item[]);
SELECT sk, attributes FROM app WHERE pk = 'M' ORDER BY sk;

-- An item whose turn has come already is changed once more, and one that is
-- only looked at may change.
CREATE OR REPLACE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('2', 'UPDATE app SET attributes = attributes || ''{"by": "trigger"}'' WHERE pk = ''M'' AND sk = ''1''');
SELECT transact_write(changes('1', '2'));
SELECT transact_write(changes('2') || '{"check": {"table": "app", "key": {"PK": "M", "SK": "1"}, "condition": "#b = :t", "names": {"#b": "by"}, "values": {":t": "trigger"}}}'::item);
SELECT sk, attributes FROM app WHERE pk = 'M' ORDER BY sk;

-- The item is deleted, moved away, made, or changed by item functions.
CREATE OR REPLACE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('1', 'DELETE FROM app WHERE pk = ''M'' AND sk = ''2''');
SELECT transact_write(changes('1', '2'));
CREATE OR REPLACE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('1', 'UPDATE app SET sk = ''9'' WHERE pk = ''M'' AND sk = ''2''');
SELECT transact_write(changes('1', '2'));
CREATE OR REPLACE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('1', 'INSERT INTO app VALUES (''M'', ''3'', ''{}'')');
SELECT transact_write(changes('1', '3'));
CREATE OR REPLACE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('3', 'INSERT INTO app VALUES (''M'', ''3'', ''{}'')');
SELECT transact_write(changes('3'));
CREATE OR REPLACE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('1', 'SELECT transact_write(changes(''2'', ''3''))');
SELECT transact_write(changes('1', '2'));
SELECT transact_write(changes('1', '3'));

-- A row that its own trigger moves away.
CREATE OR REPLACE TRIGGER meddle BEFORE INSERT OR UPDATE ON app FOR EACH ROW
    EXECUTE FUNCTION meddle('2', 'UPDATE app SET sk = ''9'' WHERE pk = ''M'' AND sk = ''2''');
SELECT update_item('app', '{"PK": "M", "SK": "2"}', 'ADD n :one', '{":one": 1}');
SELECT transact_write(changes('2'));
DROP TRIGGER meddle ON app;

-- A trigger before the statement, when all is locked already; the single
-- operation looks for its item afterwards.
CREATE FUNCTION clear_away() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() = 1 THEN
        DELETE FROM app WHERE pk = 'M' AND sk = '2';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER clear_away BEFORE UPDATE ON app EXECUTE FUNCTION clear_away();
SELECT transact_write(changes('2'));
SELECT update_item('app', '{"PK": "M", "SK": "2"}', 'ADD n :one', '{":one": 1}', return_values => 'ALL_NEW');
DROP TRIGGER clear_away ON app;
SELECT sk, attributes FROM app WHERE pk = 'M' ORDER BY sk;

-- Statement triggers fire once for each call, also when no row is changed.
CREATE TRIGGER c_statement_before BEFORE INSERT OR UPDATE OR DELETE ON app EXECUTE FUNCTION note();
CREATE TRIGGER d_statement_after AFTER INSERT OR UPDATE OR DELETE ON app EXECUTE FUNCTION note();
SELECT put_item('app', '{"PK": "G", "SK": "1"}');
SELECT delete_item('app', '{"PK": "G", "SK": "2"}');
DROP TRIGGER c_statement_before ON app;
DROP TRIGGER d_statement_after ON app;

-- Check constraints and further unique indexes of the user's own.
ALTER TABLE app ADD CONSTRAINT small CHECK (item_size(attributes) < 100);
SELECT put_item('app', jsonb_build_object('PK', 'H', 'SK', '1', 'v', repeat('x', 100)));
ALTER TABLE app ADD COLUMN email text GENERATED ALWAYS AS (item_text(attributes, 'email')) STORED;
CREATE UNIQUE INDEX app_email ON app (email);
SELECT put_item('app', '{"PK": "H", "SK": "1", "email": "a@example.com"}');
SELECT put_item('app', '{"PK": "H", "SK": "2", "email": "a@example.com"}');
SELECT update_item('app', '{"PK": "H", "SK": "1"}', 'SET email = :e', '{":e": "b@example.com"}');
SELECT put_item('app', '{"PK": "H", "SK": "2", "email": "a@example.com"}');
SELECT sk, email FROM app WHERE pk = 'H' ORDER BY sk;

SET client_min_messages = warning;
DROP SCHEMA api_triggers CASCADE;
