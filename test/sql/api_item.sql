-- Put, get and delete, and their try_ forms.
CREATE SCHEMA api_item;
SET search_path = api_item, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_table('counters', 'id', attribute_types => '{"id": "N"}');
SELECT create_table('blobs', 'digest', attribute_types => '{"digest": "B"}');

-- A put inserts and returns nothing; a get returns the whole item.
SELECT put_item('app', '{"PK": "U#1", "SK": "PROFILE", "name": "Ada", "age": 36}');
SELECT get_item('app', '{"PK": "U#1", "SK": "PROFILE"}');

-- The row is the item: key attributes in columns, the rest in attributes.
SELECT pk, sk, attributes FROM app;

-- A put replaces the whole item; nothing of the old one stays.
SELECT put_item('app', '{"PK": "U#1", "SK": "PROFILE", "name": "Ada L."}');
SELECT get_item('app', '{"PK": "U#1", "SK": "PROFILE"}');

-- ALL_OLD returns the item before; on an insert there is none.
SELECT put_item('app', '{"PK": "U#1", "SK": "PROFILE", "name": "Ada K."}',
                return_values => 'ALL_OLD');
SELECT put_item('app', '{"PK": "U#2", "SK": "PROFILE"}',
                return_values => 'ALL_OLD') IS NULL AS no_old_item;

-- An item may consist of its key alone.
SELECT get_item('app', '{"PK": "U#2", "SK": "PROFILE"}');

-- No item: NULL.
SELECT get_item('app', '{"PK": "U#3", "SK": "PROFILE"}') IS NULL AS absent;

-- Every type comes back as it went in.
SELECT put_item('app', '{"PK": "T", "SK": "1", "s": "", "n": 1.50, "big": 123456789012345678901234567890,
    "b": {"$binary": "AAEC"}, "t": true, "null": null, "m": {"x": {"y": [1, "two", {}]}},
    "l": [], "ss": {"$string_set": ["b", "a"]}, "ns": {"$number_set": [3, 1, 2]},
    "bs": {"$binary_set": ["/w==", "AA=="]}}');
SELECT get_item('app', '{"PK": "T", "SK": "1"}');

-- A projection selects paths, also of key attributes; {} when none matches.
SELECT get_item('app', '{"PK": "T", "SK": "1"}', 'm.x.y[1], SK, n');
SELECT get_item('app', '{"PK": "T", "SK": "1"}', '#n, big', '{"#n": "null"}');
SELECT get_item('app', '{"PK": "T", "SK": "1"}', 'nothing');
SELECT get_item('app', '{"PK": "T", "SK": "2"}', 'nothing') IS NULL AS absent;

-- Number keys are compared as numbers, whatever their spelling.
SELECT put_item('counters', '{"id": 1000, "v": 1}');
SELECT put_item('counters', '{"id": 1e3, "v": 2}', return_values => 'ALL_OLD');
SELECT get_item('counters', '{"id": 1000.00}');
SELECT put_item('counters', '{"id": -0.5, "v": "half"}');
SELECT get_item('counters', '{"id": -5e-1}');

-- Binary keys.
SELECT put_item('blobs', '{"digest": {"$binary": "AP8="}, "v": 1}');
SELECT get_item('blobs', '{"digest": {"$binary": "AP8="}}');
SELECT digest FROM (SELECT pk AS digest FROM blobs) t;

-- Conditions: on an absent item nothing exists, not even the key.
SELECT put_item('app', '{"PK": "C", "SK": "1", "v": 1}', 'attribute_not_exists(PK)');
SELECT put_item('app', '{"PK": "C", "SK": "1", "v": 2}', 'attribute_not_exists(PK)');
SELECT put_item('app', '{"PK": "C", "SK": "1", "v": 2}', 'v = :one', '{":one": 1}');
SELECT put_item('app', '{"PK": "C", "SK": "1", "v": 3}', '#v = :one', '{":one": 1}', '{"#v": "v"}');
SELECT put_item('app', '{"PK": "C", "SK": "2", "v": 3}', 'PK <> :pk', '{":pk": "C"}');
SELECT put_item('app', '{"PK": "C", "SK": "3", "v": 3}', 'PK = :pk', '{":pk": "C"}');
SELECT sk, attributes FROM app WHERE pk = 'C' ORDER BY sk;

-- A condition may look at key attributes of an item that exists.
SELECT put_item('app', '{"PK": "C", "SK": "1", "v": 4}', 'PK = :pk AND begins_with(SK, :sk)',
                '{":pk": "C", ":sk": "1"}', return_values => 'ALL_OLD');

-- A put of what is there already is a success and writes no new row version.
SELECT ctid AS before FROM app WHERE pk = 'C' AND sk = '1' \gset
SELECT put_item('app', '{"SK": "1", "v": 4.0, "PK": "C"}', 'v = :v', '{":v": 4}', return_values => 'ALL_OLD');
SELECT ctid = :'before' AS unchanged FROM app WHERE pk = 'C' AND sk = '1';
SELECT put_item('app', '{"PK": "C", "SK": "1", "v": 4}', 'v = :v', '{":v": 5}');

-- Delete: the condition, the old item, an absent item.
SELECT delete_item('app', '{"PK": "C", "SK": "1"}', 'v = :v', '{":v": 5}');
SELECT delete_item('app', '{"PK": "C", "SK": "1"}', 'v = :v', '{":v": 4}', return_values => 'ALL_OLD');
SELECT delete_item('app', '{"PK": "C", "SK": "1"}', return_values => 'ALL_OLD') IS NULL AS no_old_item;
SELECT delete_item('app', '{"PK": "C", "SK": "1"}', 'attribute_exists(PK)');
SELECT delete_item('app', '{"PK": "C", "SK": "1"}', 'attribute_not_exists(PK)');
SELECT delete_item('app', '{"PK": "C", "SK": "2"}');
SELECT count(*) FROM app WHERE pk = 'C';

-- try_put: a failed condition is an answer that shows the item.
SELECT * FROM try_put('app', '{"PK": "Y", "SK": "1", "v": 1}', 'attribute_not_exists(PK)');
SELECT * FROM try_put('app', '{"PK": "Y", "SK": "1", "v": 2}', 'attribute_not_exists(PK)');
SELECT * FROM try_put('app', '{"PK": "Y", "SK": "1", "v": 2}', 'v < :v', '{":v": 2}');
SELECT * FROM try_put('app', '{"PK": "Y", "SK": "2", "v": 2}', 'v < :v', '{":v": 2}');
SELECT * FROM try_put('app', '{"PK": "Y", "SK": "3"}');

-- try_delete
SELECT * FROM try_delete('app', '{"PK": "Y", "SK": "1"}', 'v = :v', '{":v": 1}');
SELECT * FROM try_delete('app', '{"PK": "Y", "SK": "1"}', 'v = :v', '{":v": 2}');
SELECT * FROM try_delete('app', '{"PK": "Y", "SK": "1"}');

-- A call sees what earlier calls of the same statement wrote.
SELECT i, (try_put('app', jsonb_build_object('PK', 'S', 'SK', 'one', 'i', i),
                   'attribute_not_exists(PK)')).applied
FROM generate_series(1, 3) AS i;
SELECT put_item('app', jsonb_build_object('PK', 'S', 'SK', 'last', 'i', i), return_values => 'ALL_OLD')
FROM generate_series(1, 3) AS i;

-- item_of gives the item of a row; aliases and whole-row forms alike.
SELECT item_of(app) FROM app WHERE pk = 'S' ORDER BY sk;
SELECT item_of(a) FROM app AS a WHERE pk = 'S' ORDER BY sk;
SELECT item_of(c.*) FROM counters c ORDER BY pk;
SELECT item_of(c) FROM app a LEFT JOIN counters c ON c.pk = 1 WHERE a.pk = 'S';
SELECT item_of(t) FROM (SELECT * FROM app) AS t LIMIT 1;
SELECT item_of(ROW('a', 'b'));
CREATE VIEW app_view AS SELECT * FROM app;
SELECT item_of(v) FROM app_view v LIMIT 1;
SELECT item_of(NULL::app) IS NULL AS no_row;
SELECT item_of(ROW('a', NULL, NULL)::app);
CREATE TABLE plain (pk text, sk text);
SELECT item_of(p) FROM (VALUES (1)) v LEFT JOIN plain p ON true;
INSERT INTO plain VALUES ('a', 'b');
SELECT item_of(p) FROM plain p;

-- Columns of the user's own: kept on replace, default on insert; and the
-- numbers of dropped columns are skipped.
ALTER TABLE app ADD COLUMN dropped int, ADD COLUMN note text DEFAULT 'new';
ALTER TABLE app DROP COLUMN dropped;
ALTER TABLE app ADD COLUMN touched int;
SELECT put_item('app', '{"PK": "D", "SK": "1", "v": 1}');
UPDATE app SET note = 'mine', touched = 7 WHERE pk = 'D';
SELECT put_item('app', '{"PK": "D", "SK": "1", "v": 2}', return_values => 'ALL_OLD');
SELECT * FROM app WHERE pk = 'D';
SELECT item_of(app) FROM app WHERE pk = 'D';
SELECT get_item('app', '{"PK": "D", "SK": "1"}');

-- Names: quoted, qualified, in another schema.
CREATE SCHEMA "api Other";
SET search_path = "api Other", partitioning;
SELECT create_table('Orders', 'id');
SET search_path = api_item, partitioning;
SELECT put_item('"api Other"."Orders"', '{"id": "1", "v": "x"}');
SELECT get_item('"api Other"."Orders"', '{"id": "1"}');
SET search_path = "api Other", partitioning;
SELECT get_item('Orders', '{"id": "1"}');

SET client_min_messages = warning;
DROP SCHEMA "api Other" CASCADE;
DROP SCHEMA api_item CASCADE;
