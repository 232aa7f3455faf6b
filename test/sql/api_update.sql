-- Updates and what they return.
CREATE SCHEMA api_update;
SET search_path = api_update, partitioning;
SELECT create_table('app', 'PK', 'SK');

-- Without an expression the item is created with its key alone.
SELECT update_item('app', '{"PK": "A", "SK": "1"}', return_values => 'ALL_NEW');
SELECT update_item('app', '{"PK": "A", "SK": "1"}', return_values => 'ALL_OLD');
SELECT update_item('app', '{"PK": "A", "SK": "1"}', return_values => 'UPDATED_NEW') IS NULL AS nothing;

-- SET, ADD create the item; REMOVE and DELETE alone do not.
SELECT update_item('app', '{"PK": "A", "SK": "2"}', 'SET a = :a ADD n :one', '{":a": "x", ":one": 1}', return_values => 'ALL_NEW');
SELECT update_item('app', '{"PK": "A", "SK": "3"}', 'REMOVE a DELETE s :s', '{":s": {"$string_set": ["x"]}}', return_values => 'ALL_NEW') IS NULL AS nothing;
SELECT count(*) FROM app WHERE sk = '3';
SELECT update_item('app', '{"PK": "A", "SK": "3"}', 'REMOVE x.y', return_values => 'ALL_NEW') IS NULL AS nothing;

-- An update that creates an item may read its key.
SELECT update_item('app', '{"PK": "A", "SK": "4"}', 'SET label = PK', return_values => 'ALL_NEW');

-- The example: all right-hand sides see the item before.
SELECT put_item('app', '{"PK": "B", "SK": "1", "n": 5, "l": ["a", "b", "c"]}');
SELECT update_item('app', '{"PK": "B", "SK": "1"}',
    'SET n = n + :one, l[7] = :z, l[0] = :y REMOVE l[1] ADD hits :one',
    '{":one": 1, ":y": "y", ":z": "z"}', return_values => 'ALL_NEW');
SELECT get_item('app', '{"PK": "B", "SK": "1"}');

-- The five return values of one update: replace, create, remove, nested.
SELECT put_item('app', jsonb_build_object('PK', 'R', 'SK', m, 'a', 1, 'b', 'old', 'm', '{"k": 1, "other": 2}'::jsonb))
FROM unnest('{NONE,ALL_OLD,UPDATED_OLD,ALL_NEW,UPDATED_NEW}'::text[]) AS m;
SELECT m, update_item('app', jsonb_build_object('PK', 'R', 'SK', m),
    'SET a = a + :one, c = :c, m.k = :c REMOVE b', '{":one": 1, ":c": "new"}', return_values => m)
FROM unnest('{NONE,ALL_OLD,UPDATED_OLD,ALL_NEW,UPDATED_NEW}'::text[]) AS m;

-- An equal value is touched all the same, but no row version is written.
SELECT put_item('app', '{"PK": "E", "SK": "1", "a": 1}');
SELECT ctid AS before FROM app WHERE pk = 'E' \gset
SELECT update_item('app', '{"PK": "E", "SK": "1"}', 'SET a = :a', '{":a": 1}', return_values => 'UPDATED_NEW');
SELECT update_item('app', '{"PK": "E", "SK": "1"}', 'SET a = :a', '{":a": 1}', return_values => 'UPDATED_OLD');
SELECT update_item('app', '{"PK": "E", "SK": "1"}', 'SET a = :a', '{":a": 1}', 'a = :a', return_values => 'ALL_NEW');
SELECT ctid = :'before' AS unchanged FROM app WHERE pk = 'E';

-- Lists: an appended element is not at the index it was written to.
SELECT put_item('app', '{"PK": "L", "SK": "1", "l": [0, 1, 2]}');
SELECT update_item('app', '{"PK": "L", "SK": "1"}', 'SET l[100] = :v', '{":v": "end"}', return_values => 'UPDATED_NEW') IS NULL AS nothing;
SELECT update_item('app', '{"PK": "L", "SK": "1"}', 'REMOVE l[1]', return_values => 'UPDATED_NEW');
SELECT update_item('app', '{"PK": "L", "SK": "1"}', 'SET l[0] = :v, l[2] = :v', '{":v": "new"}', return_values => 'UPDATED_OLD');
SELECT get_item('app', '{"PK": "L", "SK": "1"}');

-- Sets: DELETE of the last element removes the attribute.
SELECT update_item('app', '{"PK": "S", "SK": "1"}', 'ADD tags :t', '{":t": {"$string_set": ["a", "b"]}}', return_values => 'UPDATED_NEW');
SELECT update_item('app', '{"PK": "S", "SK": "1"}', 'DELETE tags :t', '{":t": {"$string_set": ["a"]}}', return_values => 'UPDATED_NEW');
SELECT update_item('app', '{"PK": "S", "SK": "1"}', 'DELETE tags :t', '{":t": {"$string_set": ["b"]}}', return_values => 'ALL_NEW');

-- Conditions.
SELECT update_item('app', '{"PK": "K", "SK": "1"}', 'SET v = :v', '{":v": 1}', 'attribute_exists(PK)');
SELECT count(*) FROM app WHERE pk = 'K';
SELECT update_item('app', '{"PK": "K", "SK": "1"}', 'SET v = :v', '{":v": 1}', 'attribute_not_exists(PK)');
SELECT update_item('app', '{"PK": "K", "SK": "1"}', 'SET v = v + :v', '{":v": 1, ":min": 1}', 'v >= :min', return_values => 'UPDATED_NEW');
SELECT update_item('app', '{"PK": "K", "SK": "1"}', condition => 'v = :v', expression_values => '{":v": 9}');
SELECT update_item('app', '{"PK": "K", "SK": "1"}', condition => 'v = :v', expression_values => '{":v": 2}', return_values => 'ALL_NEW');

-- A false condition comes before what the update would have run into.
SELECT update_item('app', '{"PK": "K", "SK": "1"}', 'SET x = absent', '{":v": 9}', 'v = :v');
SELECT update_item('app', '{"PK": "K", "SK": "1"}', 'SET x = absent', '{":v": 2}', 'v = :v');

-- try_update: images, also of an update that creates no item.
SELECT * FROM try_update('app', '{"PK": "T", "SK": "1"}', 'SET v = :v', '{":v": 1}');
SELECT * FROM try_update('app', '{"PK": "T", "SK": "1"}', 'SET v = v + :v', '{":v": 1}', 'v = :v');
SELECT * FROM try_update('app', '{"PK": "T", "SK": "1"}', 'SET v = v + :v', '{":v": 1}', 'v = :v');
SELECT * FROM try_update('app', '{"PK": "T", "SK": "2"}', 'REMOVE v');
SELECT * FROM try_update('app', '{"PK": "T", "SK": "2"}', 'REMOVE v', condition => 'attribute_exists(PK)');

-- Many updates of one item in one statement: each sees the one before.
SELECT (update_item('app', '{"PK": "N", "SK": "1"}', 'ADD n :one', '{":one": 1}', return_values => 'UPDATED_NEW') ->> 'n') AS n
FROM generate_series(1, 5);

-- Names in place of words that are reserved, and of awkward attributes.
SELECT update_item('app', '{"PK": "P", "SK": "1"}', 'SET #s = :v, #d = :v', '{":v": 1}',
                   expression_names => '{"#s": "status", "#d": "a.b"}', return_values => 'ALL_NEW');

-- The size limit counts the whole item, key and names: 409,600 bytes.
SELECT put_item('app', jsonb_build_object('PK', 'Z', 'SK', '1', 'v', repeat('x', 409600 - 7)));
SELECT update_item('app', '{"PK": "Z", "SK": "1"}', 'SET w = :w', '{":w": ""}');
SELECT item_size(get_item('app', '{"PK": "Z", "SK": "1"}'));
SELECT put_item('app', jsonb_build_object('PK', 'Z', 'SK', '2', 'v', repeat('x', 409600 - 6)));
SELECT count(*) FROM app WHERE pk = 'Z';

SET client_min_messages = warning;
DROP SCHEMA api_update CASCADE;
