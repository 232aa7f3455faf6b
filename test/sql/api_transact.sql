-- Transactions on several items: transact_write and transact_get.
CREATE SCHEMA api_transact;
SET search_path = api_transact, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_table('counters', 'id', attribute_types => '{"id": "N"}');

-- Every kind of action, over two tables.
SELECT put_item('app', '{"PK": "U#1", "SK": "PROFILE", "balance": 100}');
SELECT put_item('app', '{"PK": "U#1", "SK": "CART", "lines": [1, 2]}');
SELECT put_item('counters', '{"id": 1, "n": 5}');
SELECT transact_write(ARRAY[
    '{"put": {"table": "app", "item": {"PK": "U#1", "SK": "ORDER#1", "total": 30}, "condition": "attribute_not_exists(PK)"}}',
    '{"update": {"table": "app", "key": {"PK": "U#1", "SK": "PROFILE"}, "update": "SET balance = balance - :t", "condition": "balance >= :t", "values": {":t": 30}}}',
    '{"delete": {"table": "app", "key": {"PK": "U#1", "SK": "CART"}, "condition": "size(#l) = :n", "names": {"#l": "lines"}, "values": {":n": 2}}}',
    '{"check": {"table": "counters", "key": {"id": 1.0}, "condition": "n = :five", "values": {":five": 5}}}',
    '{"update": {"table": "counters", "key": {"id": 2}, "update": "ADD n :one", "values": {":one": 1}}}']::item[]);
SELECT item_of(app) FROM app ORDER BY sk;
SELECT item_of(c) FROM counters AS c ORDER BY pk;

-- One that fails applies nothing; all failures are told, in request order.
SELECT transact_write(ARRAY[
    '{"put": {"table": "app", "item": {"PK": "U#1", "SK": "ORDER#2", "total": 90}}}',
    '{"update": {"table": "app", "key": {"PK": "U#1", "SK": "PROFILE"}, "update": "SET balance = balance - :t", "condition": "balance >= :t", "values": {":t": 90}}}',
    '{"check": {"table": "counters", "key": {"id": 1}, "condition": "n = :four", "values": {":four": 4}, "return_old": true}}',
    '{"check": {"table": "counters", "key": {"id": 3}, "condition": "attribute_exists(id)", "return_old": true}}',
    '{"update": {"table": "counters", "key": {"id": 2}, "update": "SET n = nothing + :one", "values": {":one": 1}}}',
    '{"delete": {"table": "app", "key": {"PK": "U#9", "SK": "X"}}}']::item[]);
SELECT item_of(app) FROM app ORDER BY sk;

-- The detail is JSON, whose items read back as items.
DO $$
DECLARE
    detail text;
BEGIN
    PERFORM transact_write(ARRAY['{"check": {"table": "counters", "key": {"id": 1}, "condition": "n = :n", "values": {":n": 4}, "return_old": true}}']::item[]);
EXCEPTION WHEN SQLSTATE 'IM008' THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RAISE NOTICE 'n was %', ((detail::jsonb -> 0 -> 'Item')::item)['n'];
END
$$;

-- A condition is judged on an absent item as the single operation does it.
SELECT transact_write(ARRAY['{"check": {"table": "app", "key": {"PK": "U#9", "SK": "X"}, "condition": "attribute_not_exists(PK) AND NOT PK = :x", "values": {":x": "U#9"}}}']::item[]);

-- An update that only removes creates nothing; one that sets creates.
SELECT transact_write(ARRAY[
    '{"update": {"table": "app", "key": {"PK": "new", "SK": "1"}, "update": "REMOVE a"}}',
    '{"update": {"table": "app", "key": {"PK": "new", "SK": "2"}, "update": "SET a = SK", "condition": "attribute_not_exists(a)"}}']::item[]);
SELECT item_of(app) FROM app WHERE pk = 'new';

-- What is there already is not written again.
SELECT ctid AS before FROM app WHERE pk = 'new' \gset
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {"PK": "new", "SK": "2", "a": "2"}}}']::item[]);
SELECT ctid = :'before' AS untouched FROM app WHERE pk = 'new';

-- The caller's transaction sees it at once, and rolls it back.
BEGIN;
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {"PK": "tx", "SK": "1"}}}', '{"put": {"table": "app", "item": {"PK": "tx", "SK": "2"}}}']::item[]);
SAVEPOINT here;
SELECT transact_write(ARRAY['{"delete": {"table": "app", "key": {"PK": "tx", "SK": "1"}}}', '{"put": {"table": "app", "item": {"PK": "tx", "SK": "3"}}}']::item[]);
SELECT sk FROM app WHERE pk = 'tx' ORDER BY sk;
ROLLBACK TO here;
SELECT sk FROM app WHERE pk = 'tx' ORDER BY sk;
ROLLBACK;
SELECT count(*) FROM app WHERE pk = 'tx';

-- Requests that are refused as a whole.
SELECT transact_write(NULL);
SELECT transact_write('{}');
SELECT transact_write(ARRAY[NULL]::item[]);
SELECT transact_write(ARRAY['[1]']::item[]);
SELECT transact_write(ARRAY['{"put": 1}']::item[]);
SELECT transact_write(ARRAY['{"put": {}, "delete": {}}']::item[]);
SELECT transact_write(ARRAY['{"upsert": {}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"item": {"PK": "a", "SK": "b"}}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "app"}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": [1]}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": 1, "item": {}}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {}, "conditions": "x"}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {}, "names": {"#a": 1}}}']::item[]);
SELECT transact_write(ARRAY['{"delete": {"table": "app", "key": {}, "update": "x"}}']::item[]);
SELECT transact_write(ARRAY['{"update": {"table": "app", "key": {}}}']::item[]);
SELECT transact_write(ARRAY['{"check": {"table": "app", "key": {}, "condition": null}}']::item[]);
SELECT transact_write(ARRAY['{"check": {"table": "app", "key": {}, "condition": "a = "}}']::item[]);
SELECT transact_write(ARRAY['{"check": {"table": "app", "key": {}, "condition": "a = :a", "values": {":a": 1, ":b": 1}}}']::item[]);
SELECT transact_write(ARRAY['{"delete": {"table": "app", "key": {}, "values": {":a": 1}}}']::item[]);
SELECT transact_write(ARRAY['{"delete": {"table": "nowhere", "key": {"PK": 1}}}']::item[]);

-- A character U+0000 ends neither a name nor an expression.
SELECT transact_write(ARRAY['{"delete": {"table": "app\u0000", "key": {"PK": "a", "SK": "b"}}}']::item[]);
SELECT transact_get(ARRAY['{"get": {"table": "app\u0000", "key": {"PK": "a", "SK": "b"}}}']::item[]);
SELECT transact_write(ARRAY['{"check": {"table": "app", "key": {"PK": "a", "SK": "b"}, "condition": "attribute_not_exists(PK)\u0000 AND attribute_exists(PK)"}}']::item[]);
-- A key with it cannot be stored; an empty key elsewhere is told first.
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {"PK": "a\u0000", "SK": "b"}}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {"PK": "a\u0000", "SK": "b"}}}', '{"delete": {"table": "app", "key": {"PK": "a", "SK": ""}}}']::item[]);

-- The order of checks: an expression, then the table, then an empty key,
-- then one action for each item, then the keys.
SELECT transact_write(ARRAY['{"delete": {"table": "nowhere", "key": {}}}', '{"check": {"table": "app", "key": {}, "condition": "("}}']::item[]);
SELECT transact_write(ARRAY['{"delete": {"table": "app", "key": {"PK": "", "SK": "1"}}}', '{"delete": {"table": "nowhere", "key": {}}}']::item[]);
SELECT transact_write(ARRAY['{"delete": {"table": "app", "key": {"PK": 1, "SK": "1"}}}', '{"delete": {"table": "app", "key": {"PK": "", "SK": "1"}}}']::item[]);
SELECT transact_write(ARRAY['{"delete": {"table": "app", "key": {"PK": 1, "SK": "1"}}}', '{"delete": {"table": "counters", "key": {"id": 7}}}', '{"check": {"table": "counters", "key": {"id": 7.0}, "condition": "attribute_exists(id)"}}']::item[]);

-- Keys that do not fit: only the first is told, and no condition is judged.
SELECT transact_write(ARRAY[
    '{"check": {"table": "counters", "key": {"id": 1}, "condition": "n = :four", "values": {":four": 4}}}',
    '{"delete": {"table": "app", "key": {"PK": "U#1"}}}',
    '{"put": {"table": "app", "item": {"PK": "U#1"}}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "app", "item": {"PK": "U#1", "SK": 7}}}']::item[]);
SELECT transact_write(ARRAY['{"update": {"table": "app", "key": {"PK": "U#1", "SK": "x"}, "update": "SET PK = :v", "values": {":v": "a"}}}']::item[]);

-- An after image that breaks a limit is its action's reason.
SELECT transact_write(ARRAY['{"update": {"table": "counters", "key": {"id": 4}, "update": "SET n = :big", "values": {":big": 9e125}}}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 3}}}', '{"update": {"table": "counters", "key": {"id": 4}, "update": "SET n = n + :big", "values": {":big": 9e125}}}']::item[]);

-- 100 actions and no more; the setting lowers that.
SELECT transact_write(array_agg(jsonb_build_object('put', jsonb_build_object('table', 'counters', 'item', jsonb_build_object('id', i)))::item))
FROM generate_series(1001, 1101) AS i;
SELECT transact_write(array_agg(jsonb_build_object('put', jsonb_build_object('table', 'counters', 'item', jsonb_build_object('id', i)))::item))
FROM generate_series(1001, 1100) AS i;
SELECT count(*) FROM counters WHERE pk > 1000;
SET partitioning.transact_max_items = 25;
SELECT transact_write(array_agg(jsonb_build_object('delete', jsonb_build_object('table', 'counters', 'key', jsonb_build_object('id', i)))::item))
FROM generate_series(1001, 1026) AS i;
SELECT transact_write(array_agg(jsonb_build_object('delete', jsonb_build_object('table', 'counters', 'key', jsonb_build_object('id', i)))::item))
FROM generate_series(1001, 1025) AS i;
RESET partitioning.transact_max_items;
SELECT count(*) FROM counters WHERE pk > 1000;

-- 4 MB of items and not a byte more; a put over 400 KB refuses the request.
CREATE FUNCTION puts(bytes int, n int) RETURNS item[] LANGUAGE sql AS $$
    SELECT array_agg(jsonb_build_object('put', jsonb_build_object('table', 'app', 'item', jsonb_build_object('PK', '4MB', 'SK', lpad(i::text, 3, '0'), 'p', repeat('x', bytes / n + (i <= bytes % n)::int - 11))))::item)
    FROM generate_series(1, n) AS i
$$;
SELECT transact_write(puts(4 * 1024 * 1024, 11));
SELECT transact_write(puts(4 * 1024 * 1024 + 1, 11));
SELECT transact_write(puts(400 * 1024, 1));
SELECT transact_write(puts(400 * 1024 + 1, 1));
SELECT count(*), sum(item_size(item_of(app))) FROM app WHERE pk = '4MB';
DELETE FROM app WHERE pk = '4MB';
SELECT transact_write(array_agg(jsonb_build_object('put', jsonb_build_object('table', 'counters', 'item', jsonb_build_object('id', 2000 + i, 'pad', repeat('x', 399000))))::item))
FROM generate_series(1, 11) AS i;
SELECT transact_write(ARRAY[jsonb_build_object('put', jsonb_build_object('table', 'counters', 'item', jsonb_build_object('id', 2000, 'pad', repeat('x', 409600))))::item]);
SELECT count(*) FROM counters WHERE pk >= 2000;

-- An item that the running command itself has inserted is out of reach.
INSERT INTO app SELECT 'self', '1', '{}'
FROM (VALUES (1), (2)) AS v (i)
WHERE i = 1 OR transact_write(ARRAY['{"put": {"table": "app", "item": {"PK": "self", "SK": "1"}}}']::item[]) IS NOT NULL;

-- Reading: in request order, NULL for what is not there.
SELECT transact_get(ARRAY[
    '{"get": {"table": "counters", "key": {"id": 1}}}',
    '{"get": {"table": "app", "key": {"PK": "nobody", "SK": "x"}}}',
    '{"get": {"table": "app", "key": {"PK": "U#1", "SK": "PROFILE"}, "projection": "#b", "names": {"#b": "balance"}}}',
    '{"get": {"table": "counters", "key": {"id": 2}}}']::item[]);
SELECT transact_get('{}');
SELECT transact_get(ARRAY['{"put": {"table": "counters", "key": {"id": 1}}}']::item[]);
SELECT transact_get(ARRAY['{"get": {"table": "counters", "key": {"id": 1}, "condition": "x"}}']::item[]);
SELECT transact_get(ARRAY['{"get": {"table": "counters", "key": {"id": 1}}}', '{"get": {"table": "counters", "key": {"id": 1.0}}}']::item[]);
SELECT transact_get(ARRAY['{"get": {"table": "counters", "key": {"id": 1}}}', '{"get": {"table": "counters", "key": {"id": "1"}}}']::item[]);
SELECT transact_get(ARRAY['{"get": {"table": "nowhere", "key": {"id": 1}}}']::item[]);
SELECT transact_get(ARRAY['{"get": {"table": "counters", "key": {"id": 1}, "projection": "a..b"}}']::item[]);
SELECT transact_get(array_agg(jsonb_build_object('get', jsonb_build_object('table', 'counters', 'key', jsonb_build_object('id', i)))::item))
FROM generate_series(1, 101) AS i;

-- A client token: the same request again does nothing, whatever the order of
-- attributes or the spelling of numbers; another request is refused.
SELECT transact_write(ARRAY['{"update": {"table": "counters", "key": {"id": 50}, "update": "ADD n :one", "values": {":one": 1}}}', '{"put": {"table": "counters", "item": {"id": 51, "a": 1, "b": 2}}}']::item[], 'token-1');
SELECT transact_write(ARRAY['{"update": {"table": "counters", "key": {"id": 5e1}, "update": "ADD n :one", "values": {":one": 1.0}}}', '{"put": {"table": "counters", "item": {"b": 2, "a": 1, "id": 51}}}']::item[], 'token-1');
SELECT get_item('counters', '{"id": 50}');
SELECT transact_write(ARRAY['{"update": {"table": "counters", "key": {"id": 50}, "update": "ADD n :one", "values": {":one": 2}}}', '{"put": {"table": "counters", "item": {"id": 51, "a": 1, "b": 2}}}']::item[], 'token-1');
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 52}}}']::item[], '');
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 52}}}']::item[], repeat('é', 37));
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 52}}}']::item[], repeat('é', 36));

-- A transaction that fails leaves its token unused.
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 52}, "condition": "attribute_not_exists(id)"}}']::item[], 'token-2');
SELECT delete_item('counters', '{"id": 52}');
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 52}, "condition": "attribute_not_exists(id)"}}']::item[], 'token-2');

-- Another role's tokens are its own.
CREATE ROLE regress_transact;
GRANT ALL ON SCHEMA api_transact TO regress_transact;
GRANT ALL ON counters TO regress_transact;
SET ROLE regress_transact;
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 53}}}']::item[], 'token-1');
SELECT * FROM partitioning.transaction_tokens;
RESET ROLE;

-- After ten minutes a token is forgotten, and a later call removes its row.
UPDATE partitioning.transaction_tokens SET finished_at = finished_at - interval '10 minutes' WHERE token = 'token-1';
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 54}}}']::item[], 'token-1');
SELECT get_item('counters', '{"id": 54}');
UPDATE partitioning.transaction_tokens SET finished_at = finished_at - interval '10 minutes';
DO $$
BEGIN
    FOR i IN 1 .. 8 LOOP
        PERFORM transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 55}}}']::item[], 'again-' || i);
    END LOOP;
END
$$;
SELECT count(*) FROM partitioning.transaction_tokens;

-- Privileges: what the equivalent SQL needs, for each table.
REVOKE ALL ON counters FROM regress_transact;
GRANT SELECT, INSERT ON counters TO regress_transact;
SET ROLE regress_transact;
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 53}}}']::item[]);
SELECT transact_write(ARRAY['{"check": {"table": "counters", "key": {"id": 1}, "condition": "attribute_exists(id)"}}']::item[]);
SELECT transact_write(ARRAY['{"delete": {"table": "app", "key": {"PK": "a", "SK": "b"}}}']::item[]);
SELECT transact_get(ARRAY['{"get": {"table": "counters", "key": {"id": 53}}}', '{"get": {"table": "app", "key": {"PK": "a", "SK": "b"}}}']::item[]);
RESET ROLE;
GRANT UPDATE ON counters TO regress_transact;
SET ROLE regress_transact;
SELECT transact_write(ARRAY['{"check": {"table": "counters", "key": {"id": 1}, "condition": "attribute_exists(id)"}}']::item[]);
RESET ROLE;

-- A read-only transaction changes nothing and locks nothing.
BEGIN READ ONLY;
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 53}}}']::item[]);
ROLLBACK;
BEGIN READ ONLY;
SELECT transact_write(ARRAY['{"check": {"table": "counters", "key": {"id": 1}, "condition": "attribute_exists(id)"}}']::item[]);
ROLLBACK;

-- Triggers of users fire, once per statement and table, and may refuse.
CREATE TABLE log (line text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO log VALUES (concat_ws(' ', TG_WHEN, TG_OP, TG_LEVEL, TG_TABLE_NAME, CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN NEW.pk END));
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE TRIGGER note_row AFTER INSERT OR UPDATE OR DELETE ON counters FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note_before BEFORE INSERT OR UPDATE ON counters FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note_statement AFTER INSERT OR DELETE ON counters FOR EACH STATEMENT EXECUTE FUNCTION note();
CREATE TRIGGER note_statement BEFORE UPDATE ON app FOR EACH STATEMENT EXECUTE FUNCTION note();
SELECT transact_write(ARRAY[
    '{"put": {"table": "counters", "item": {"id": 300}}}',
    '{"put": {"table": "counters", "item": {"id": 301}}}',
    '{"update": {"table": "counters", "key": {"id": 1}, "update": "ADD n :one", "values": {":one": 1}}}',
    '{"delete": {"table": "counters", "key": {"id": 2}}}',
    '{"put": {"table": "app", "item": {"PK": "trigger", "SK": "1"}}}',
    '{"check": {"table": "app", "key": {"PK": "U#1", "SK": "PROFILE"}, "condition": "attribute_exists(PK)"}}']::item[]);
SELECT line FROM log ORDER BY line COLLATE "C";
TRUNCATE log;
SELECT transact_write(ARRAY['{"check": {"table": "counters", "key": {"id": 1}, "condition": "attribute_exists(id)"}}', '{"check": {"table": "app", "key": {"PK": "U#1", "SK": "PROFILE"}, "condition": "attribute_exists(PK)"}}']::item[]);
SELECT count(*) FROM log;
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 302}}}', '{"put": {"table": "counters", "item": {"id": 301}, "condition": "attribute_not_exists(id)"}}']::item[]);
SELECT pk FROM counters WHERE pk BETWEEN 300 AND 302 ORDER BY pk;

-- An error of a trigger or constraint is the caller's, not a reason.
ALTER TABLE counters ADD CHECK (pk <> 310);
SELECT transact_write(ARRAY['{"put": {"table": "counters", "item": {"id": 309}}}', '{"put": {"table": "counters", "item": {"id": 310}}}']::item[]);
SELECT pk FROM counters WHERE pk BETWEEN 303 AND 310;

-- Partitions, also when a key is absent.
CREATE TABLE parted (pk text COLLATE "C", sk text COLLATE "C", attributes item) PARTITION BY HASH (pk);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 (attributes item, sk text COLLATE "C", pk text COLLATE "C");
ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT register_table('parted', 'PK', 'SK');
SELECT transact_write(array_agg(jsonb_build_object('put', jsonb_build_object('table', 'parted', 'item', jsonb_build_object('PK', i::text, 'SK', 'x', 'n', i)))::item))
FROM generate_series(1, 20) AS i;
SELECT transact_write(array_agg(jsonb_build_object('update', jsonb_build_object('table', 'parted', 'key', jsonb_build_object('PK', i::text, 'SK', 'x'), 'update', 'SET n = n + :one', 'values', '{":one": 1}'::jsonb))::item))
FROM generate_series(1, 20) AS i;
SELECT count(DISTINCT tableoid), sum((attributes['n'])::text::int) FROM parted;
SELECT transact_write(ARRAY['{"delete": {"table": "parted", "key": {"PK": "1", "SK": "x"}}}', '{"put": {"table": "parted", "item": {"PK": "3", "SK": "y"}}}', '{"check": {"table": "parted", "key": {"PK": "2", "SK": "none"}, "condition": "attribute_exists(PK)"}}']::item[]);
SELECT count(*) FROM parted;
INSERT INTO parted VALUES ('plain', 'x', '{}');
UPDATE parted SET pk = 'moved' WHERE pk = 'plain';
SELECT transact_get(ARRAY['{"get": {"table": "parted", "key": {"PK": "moved", "SK": "x"}}}', '{"get": {"table": "parted", "key": {"PK": "plain", "SK": "x"}}}']::item[]);

-- Locks of absent keys are held to the end of the transaction, and only they.
BEGIN;
SELECT transact_write(ARRAY['{"check": {"table": "parted", "key": {"PK": "none", "SK": "x"}, "condition": "attribute_not_exists(PK)"}}', '{"delete": {"table": "parted", "key": {"PK": "2", "SK": "x"}}}']::item[]);
INSERT INTO parted SELECT 'many', i::text, '{}' FROM generate_series(1, 1000) AS i;
SELECT put_item('parted', '{"PK": "many", "SK": "more"}');
SELECT locktype, mode, count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'userlock' GROUP BY 1, 2;
ROLLBACK;

-- A key whose item the transaction itself has made needs no lock: loads of
-- any size fit in one transaction.
BEGIN;
SELECT count(transact_write(ARRAY['{"delete": {"table": "parted", "key": {"PK": "none", "SK": "x"}}}',
                                  jsonb_build_object('put', jsonb_build_object('table', 'parted', 'item', jsonb_build_object('PK', 'load', 'SK', i::text)))::item,
                                  jsonb_build_object('update', jsonb_build_object('table', 'parted', 'update', 'SET a = :a', 'values', '{":a": 1}'::jsonb, 'key', jsonb_build_object('PK', 'load', 'SK', 'u' || i)))::item]))
FROM generate_series(1, 50) AS i;
SELECT locktype, mode, count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'userlock' GROUP BY 1, 2;
SELECT count(*) FROM parted WHERE pk = 'load';
ROLLBACK;

-- The row trigger is not called by anybody else.
SELECT item_changed();
CREATE TABLE other (a int);
CREATE TRIGGER wrong BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION item_changed();
INSERT INTO other VALUES (1);
CREATE TRIGGER harmless AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION item_changed();
DROP TRIGGER wrong ON other;
INSERT INTO other VALUES (1);

DROP SCHEMA api_transact CASCADE;
DELETE FROM partitioning.transaction_tokens;
DROP ROLE regress_transact;
