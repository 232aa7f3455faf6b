-- The resolver: whatever the executor would refuse, the direct path refuses.
CREATE SCHEMA store_open;
SET search_path = store_open;
SET partitioning.wire_schema = 'store_open';
SELECT partitioning.create_table('app', 'PK', 'SK');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "x": 1}');

CREATE ROLE regress_store_user;
GRANT USAGE ON SCHEMA store_open TO regress_store_user;

-- no privilege, on the table, then on columns alone
SET ROLE regress_store_user;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1"}');
RESET ROLE;
GRANT SELECT (pk, sk) ON app TO regress_store_user;
SET ROLE regress_store_user;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
RESET ROLE;
GRANT SELECT (attributes), INSERT (pk, sk, attributes) ON app TO regress_store_user;
SET ROLE regress_store_user;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
SELECT partitioning.scan('app');
-- a put may have to update
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "2"}');
RESET ROLE;
GRANT UPDATE (attributes) ON app TO regress_store_user;
SET ROLE regress_store_user;
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "2", "x": 2}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "2", "x": 3}');
SELECT partitioning.update_item('app', '{"PK": "a", "SK": "2"}', 'ADD x :one', '{":one": 1}');
SELECT partitioning.delete_item('app', '{"PK": "a", "SK": "2"}');
RESET ROLE;
GRANT DELETE ON app TO regress_store_user;
SET ROLE regress_store_user;
SELECT partitioning.delete_item('app', '{"PK": "a", "SK": "2"}');
RESET ROLE;
-- privileges are looked at on every call, also inside one statement
REVOKE ALL ON app FROM regress_store_user;
SET ROLE regress_store_user;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
RESET ROLE;
-- without USAGE on the schema
GRANT ALL ON app TO regress_store_user;
REVOKE USAGE ON SCHEMA store_open FROM regress_store_user;
SET ROLE regress_store_user;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
RESET ROLE;
GRANT USAGE ON SCHEMA store_open TO regress_store_user;

-- row security, when it applies to the user
ALTER TABLE app ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON app USING (true);
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
SET ROLE regress_store_user;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1"}');
SELECT partitioning.scan('app');
RESET ROLE;
ALTER TABLE app DISABLE ROW LEVEL SECURITY;

-- rules
CREATE RULE nothing AS ON DELETE TO app DO INSTEAD NOTHING;
SELECT partitioning.delete_item('app', '{"PK": "a", "SK": "1"}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "x": 2}');
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
DROP RULE nothing ON app;

-- read-only transactions
BEGIN READ ONLY;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1"}');
ROLLBACK;
BEGIN READ ONLY;
SELECT partitioning.delete_item('app', '{"PK": "a", "SK": "1"}');
ROLLBACK;

-- the key index: none that is valid, then another; natural order, descending,
-- partial or not unique will not do
BEGIN;
CREATE UNIQUE INDEX natural_order ON app (pk, sk);
CREATE UNIQUE INDEX descending ON app (pk partitioning.text_hash_ops, sk DESC);
CREATE UNIQUE INDEX partial ON app (pk partitioning.text_hash_ops, sk) WHERE pk > 'a';
CREATE INDEX not_unique ON app (pk partitioning.text_hash_ops, sk);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app_key'::regclass;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
ROLLBACK;
BEGIN;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app_key'::regclass;
CREATE UNIQUE INDEX other_key ON app (pk partitioning.text_hash_ops, sk);
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
ROLLBACK;
REINDEX TABLE CONCURRENTLY app;
SELECT partitioning.get_item('app', '{"PK": "a", "SK": "1"}');
SELECT partitioning.put_item('app', '{"PK": "a", "SK": "1", "x": 3}', return_values => 'ALL_OLD');

-- many puts of one key in one statement see each other
SELECT partitioning.update_item('app', '{"PK": "n", "SK": "1"}', 'ADD x :one', '{":one": 1}', return_values => 'UPDATED_NEW')
    FROM generate_series(1, 4);
SELECT partitioning.put_item('app', '{"PK": "n", "SK": "2", "x": 1}'),
    partitioning.put_item('app', '{"PK": "n", "SK": "2", "x": 2}', return_values => 'ALL_OLD'),
    partitioning.delete_item('app', '{"PK": "n", "SK": "2"}', return_values => 'ALL_OLD'),
    partitioning.put_item('app', '{"PK": "n", "SK": "2", "x": 3}', 'attribute_not_exists(PK)');

-- what the running command itself has written is out of reach
INSERT INTO app VALUES ('own', '1', '{}') RETURNING partitioning.put_item('app', '{"PK": "own", "SK": "1"}');
INSERT INTO app VALUES ('own', '1', '{}'), ('own', '2', '{}');
UPDATE app SET attributes = '{"x": 1}' WHERE pk = 'own' RETURNING partitioning.put_item('app', '{"PK": "own", "SK": "1"}');
UPDATE app SET attributes = '{"x": 1}' WHERE pk = 'own' RETURNING partitioning.put_item('app', '{"PK": "own", "SK": "1", "x": 1}');
DELETE FROM app WHERE pk = 'own' RETURNING partitioning.delete_item('app', '{"PK": "own", "SK": "1"}');
DELETE FROM app WHERE pk = 'own' RETURNING partitioning.transact_write(ARRAY['{"delete": {"table": "app", "key": {"PK": "own", "SK": "1"}}}']::partitioning.item[]);
SELECT count(*) FROM app WHERE pk = 'own';

-- a long row of new keys, then old ones among them
SELECT count(partitioning.put_item('app', jsonb_build_object('PK', 'load', 'SK', i::text, 'i', i))) FROM generate_series(1, 100) i;
SELECT count(partitioning.put_item('app', jsonb_build_object('PK', 'load', 'SK', i::text, 'i', -i))) FROM generate_series(91, 110) i;
SELECT count(*), count(DISTINCT sk), sum(partitioning.item_number(attributes, 'i')) FROM app WHERE pk = 'load';

-- nothing of a failed statement stays
SELECT partitioning.put_item('app', jsonb_build_object('PK', 'fail', 'SK', i::text)), 1 / (3 - i) FROM generate_series(1, 3) i;
SELECT count(*) FROM app WHERE pk = 'fail';

-- toasted items
SELECT partitioning.put_item('app', jsonb_build_object('PK', 'big', 'SK', '1', 'x', string_agg(md5(i::text), ''))) FROM generate_series(1, 10000) i;
SELECT partitioning.item_size(partitioning.get_item('app', '{"PK": "big", "SK": "1"}'));
SELECT partitioning.update_item('app', '{"PK": "big", "SK": "1"}', 'SET y = :one', '{":one": 1}');
SELECT partitioning.item_size(partitioning.get_item('app', '{"PK": "big", "SK": "1"}'));
SELECT partitioning.delete_item('app', '{"PK": "big", "SK": "1"}');

RESET search_path;
RESET partitioning.wire_schema;
DROP OWNED BY regress_store_user;
DROP ROLE regress_store_user;
SET client_min_messages = warning;
DROP SCHEMA store_open CASCADE;
