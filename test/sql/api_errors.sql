-- Every text of the item operations, and the order in which they come.
CREATE SCHEMA api_errors;
SET search_path = api_errors, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_table('users', 'id', attribute_types => '{"id": "N"}');
SELECT create_table('blobs', 'id', 'part', '{"id": "B", "part": "B"}');
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 1}');

-- SQLSTATE and message of a statement that fails.
CREATE FUNCTION fails(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Step 7 of a put, in order: placeholders without an expression,
-- ReturnValues, size, expressions; all of it before the table is looked up.
SELECT fails($$SELECT put_item('nowhere', '{}', expression_names => '{"#a": "a"}', expression_values => '{":a": 1}', return_values => 'ALL_NEW')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', expression_values => '{":a": 1}', return_values => 'ALL_NEW')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', 'a ! b', return_values => 'ALL_NEW')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', return_values => 'UPDATED_OLD')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', return_values => 'UPDATED_NEW')$$);
SELECT fails($$SELECT put_item('nowhere', jsonb_build_object('a', repeat('x', 409600)), 'a ! b')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', 'a ! b')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', '')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', 'a = :a', '{}')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', 'a = :a', '{":a": 1, ":b": 2}')$$);
SELECT fails($$SELECT put_item('nowhere', '{}', 'a = :a')$$);
SELECT fails($$SELECT put_item('nowhere', '{}')$$);

-- Step 9 of a put: the keys, then paths below keys.
SELECT fails($$SELECT put_item('app', '{}', 'PK.a = :a', '{":a": 1}')$$);
SELECT fails($$SELECT put_item('app', '{"PK": "A"}')$$);
SELECT fails($$SELECT put_item('app', '{"PK": "A", "SK": 1}')$$);
SELECT fails($$SELECT put_item('app', '{"PK": null, "SK": "1"}')$$);
SELECT fails($$SELECT put_item('app', '{"PK": "A", "SK": ""}')$$);
SELECT fails($$SELECT put_item('blobs', '{"id": {"$binary": ""}, "part": {"$binary": "AA=="}}')$$);
SELECT fails($$SELECT put_item('users', '{"id": "1"}')$$);
SELECT fails($$SELECT put_item('app', jsonb_build_object('PK', repeat('x', 2049), 'SK', '1'))$$);
SELECT fails($$SELECT put_item('app', jsonb_build_object('PK', 'A', 'SK', repeat('x', 1025)))$$);
SELECT fails($$SELECT put_item('app', '{"PK": "A", "SK": "1"}', 'PK.a = :a', '{":a": 1}')$$);
SELECT fails($$SELECT put_item('app', '{"PK": "A", "SK": "1"}', 'PK[0] = :a', '{":a": 1}')$$);

-- A wrong key is reported before a false condition.
SELECT fails($$SELECT put_item('app', '{"PK": "A", "SK": 1}', 'attribute_not_exists(PK)')$$);
SELECT fails($$SELECT put_item('app', '{"PK": "A", "SK": "1"}', 'attribute_not_exists(PK)')$$);

-- The failed condition says nothing about the item.
SELECT put_item('app', '{"PK": "A", "SK": "1"}', 'attribute_not_exists(PK)');

-- Typed JSON in place of plain JSON.
SELECT put_item('app', '{"PK": {"S": "A"}, "SK": {"S": "1"}}');
SELECT get_item('app', '{"PK": {"S": "A"}, "SK": {"S": "1"}}');
SELECT put_item('app', from_dynamodb_json('{"PK": {"S": "A"}, "SK": {"S": "typed"}}'));

-- Keys.
SELECT fails($$SELECT get_item('app', '{"PK": "A"}')$$);
SELECT fails($$SELECT get_item('app', '{"PK": "A", "SK": "1", "x": 1}')$$);
SELECT fails($$SELECT get_item('app', '{"PK": "A", "SK": 1}')$$);
SELECT fails($$SELECT get_item('app', '{"PK": "A", "SK": ""}')$$);
SELECT fails($$SELECT get_item('app', jsonb_build_object('PK', 'A', 'SK', repeat('x', 1025)))$$);
SELECT fails($$SELECT get_item('app', '{"pk": "A", "sk": "1"}')$$);
SELECT fails($$SELECT delete_item('app', '{"PK": "A"}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A"}')$$);
SELECT fails($$SELECT get_item('nowhere', '{"PK": "A"}')$$);
SELECT fails($$SELECT get_item('nowhere', '{"PK": "A"}', 'a ! b')$$);
SELECT fails($$SELECT get_item('app', '{"PK": "A", "SK": "1"}', expression_names => '{"#a": "a"}')$$);
SELECT fails($$SELECT get_item('app', '{"PK": "A", "SK": "1"}', '#a', '{"#a": "a", "#b": "b"}')$$);
SELECT fails($$SELECT get_item('app', '{"PK": "A", "SK": "1"}', '#a', '{}')$$);
SELECT fails($$SELECT get_item('app', '{"PK": "A", "SK": "1"}', 'SK.x')$$);

-- Delete.
SELECT fails($$SELECT delete_item('nowhere', '{}', expression_values => '{":a": 1}')$$);
SELECT fails($$SELECT delete_item('nowhere', '{}', 'a ! b', return_values => 'ALL_NEW')$$);
SELECT fails($$SELECT delete_item('nowhere', '{}', 'a ! b')$$);
SELECT fails($$SELECT delete_item('nowhere', '{}')$$);
SELECT fails($$SELECT delete_item('app', '{"PK": "A", "SK": "1"}', 'v = :v', '{":v": 2}')$$);

-- Update.
SELECT fails($$SELECT update_item('nowhere', '{}', expression_names => '{"#a": "a"}')$$);
SELECT fails($$SELECT update_item('nowhere', '{}', expression_values => '{":a": 1}')$$);
SELECT fails($$SELECT update_item('nowhere', '{}', '')$$);
SELECT fails($$SELECT update_item('nowhere', '{}', 'SET a = :a', '{":a": 1}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET PK = :a', '{":a": 1}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'REMOVE SK')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET SK.a = :a', '{":a": 1}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET a = b')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET a = v + :s', '{":s": "x"}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'ADD v :s', '{":s": {"$string_set": ["x"]}}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET m.a = :s', '{":s": 1}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET v = v + :s', '{":s": 9.9999999999999999999999999999999999999e125}')$$);
SELECT fails($$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET w = :s', jsonb_build_object(':s', repeat('x', 409600 - 8)))$$);

-- return_values is one of five words.
SELECT put_item('app', '{"PK": "A", "SK": "1"}', return_values => 'all_old');
SELECT update_item('app', '{"PK": "A", "SK": "1"}', return_values => '');

-- Queries: step 7 in order.
SELECT fails($$SELECT * FROM query('nowhere', NULL, expression_names => '{"#a": "a"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', NULL, '{":a": 1}')$$);
SELECT fails($$SELECT * FROM query('nowhere', NULL)$$);
SELECT fails($$SELECT * FROM query('nowhere', NULL, projection => 'a ! b')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK ! :a', '{":a": 1}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK = :a', '{":a": 1}', filter => 'v ! :a')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK = :a', '{":a": 1, ":b": 1}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK = :a OR SK = :a', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'NOT PK = :a', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK IN (:a)', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK <> :a', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK = :a AND attribute_exists(SK)', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'size(PK) = :a', '{":a": 1}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'a.b = :a', '{":a": 1}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'a[0] = :a', '{":a": 1}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK = SK')$$);
SELECT fails($$SELECT * FROM query('nowhere', ':a = :b', '{":a": 1, ":b": 1}')$$);
SELECT fails($$SELECT * FROM query('nowhere', ':a BETWEEN PK AND :b', '{":a": "1", ":b": "1"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'begins_with(:a, PK)', '{":a": "1"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK = :a AND PK = :b', '{":a": "1", ":b": "1"}')$$);
SELECT fails($$SELECT * FROM query('app', 'a = :a AND b = :a AND c = :a', '{":a": "1"}')$$);
SELECT fails($$SELECT * FROM query('nowhere', 'PK = :a', '{":a": 1}')$$);

-- Queries: what needs the schema.
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": "A"}', index_name => 'by_v')$$);
SELECT fails($$SELECT * FROM query('app', 'x = :a', '{":a": 1}', index_name => 'by_v')$$);
SELECT fails($$SELECT * FROM query('app', 'SK = :a', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a AND v = :a', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('app', 'PK > :a', '{":a": "A"}')$$);
SELECT fails($$SELECT * FROM query('users', 'id = :a AND v = :a', '{":a": 1}')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": 1}')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a AND SK = :b', '{":a": "A", ":b": 1}')$$);
SELECT fails($$SELECT * FROM query('users', 'begins_with(id, :a)', '{":a": "1"}')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": ""}')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": "A", ":b": "1"}', filter => 'SK = :b')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": "A", ":b": "1"}', filter => 'v = :b OR PK = :b')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": "A", ":b": "1"}', filter => 'SK.a = :b')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": "A"}', projection => 'PK.a')$$);
SELECT fails($$SELECT * FROM query('app', 'PK = :a', '{":a": "A"}', max_items => 0)$$);
SELECT fails($$SELECT * FROM query_page('app', 'PK = :a', '{":a": "A"}', max_items => -1)$$);

-- Start keys of a query.
CREATE FUNCTION start_fails(condition text, vals text, key text, relation text = 'app') RETURNS text LANGUAGE sql AS $$
    SELECT fails(format('SELECT * FROM query(%L, %L, %L, start_key => %L)', relation, condition, vals, key))
$$;
SELECT start_fails('PK = :a', '{":a": "A"}', '{"PK": "A"}');
SELECT start_fails('PK = :a', '{":a": "A"}', '{"PK": "A", "SK": "1", "x": 1}');
SELECT start_fails('PK = :a', '{":a": "A"}', '{"PK": "A", "x": "1"}');
SELECT start_fails('PK = :a', '{":a": "A"}', '{"SK": "A", "x": "1"}');
SELECT start_fails('PK = :a', '{":a": "A"}', '{"PK": "A", "SK": 1}');
SELECT start_fails('PK = :a', '{":a": "A"}', '{"PK": "B", "SK": "1"}');
SELECT start_fails('PK = :a', '{":a": "A"}', '{"PK": 1, "SK": "1"}');
SELECT start_fails('PK = :a AND SK > :b', '{":a": "A", ":b": "1"}', '{"PK": "A", "SK": "1"}');
SELECT start_fails('PK = :a AND SK > :b', '{":a": "A", ":b": "1"}', '{"PK": "A", "SK": "2"}');
SELECT start_fails('PK = :a AND SK BETWEEN :b AND :c', '{":a": "A", ":b": "1", ":c": "2"}', '{"PK": "A", "SK": "3"}');
SELECT start_fails('PK = :a AND begins_with(SK, :b)', '{":a": "A", ":b": "1"}', '{"PK": "A", "SK": "2"}');
SELECT start_fails('PK = :a AND SK > :b', '{":a": "A", ":b": "1"}', '{"PK": "B", "SK": "2"}');
SELECT start_fails('id = :a', '{":a": 1}', '{"id": 1}', 'users');
SELECT start_fails('id = :a', '{":a": 1}', '{"id": 2}', 'users');
SELECT start_fails('PK = :a', '{":a": "A"}', '[]');
SELECT start_fails('PK = :a', '{":a": "A"}', '{"PK": "A", "SK": ""}');

-- Scans.
SELECT fails($$SELECT * FROM scan('nowhere', expression_values => '{":a": 1}')$$);
SELECT fails($$SELECT * FROM scan('nowhere', expression_names => '{"#a": "a"}')$$);
SELECT fails($$SELECT * FROM scan('nowhere', segment => 0)$$);
SELECT fails($$SELECT * FROM scan('nowhere', total_segments => 1)$$);
SELECT fails($$SELECT * FROM scan('nowhere', segment => 2, total_segments => 2)$$);
SELECT fails($$SELECT * FROM scan('nowhere', segment => -1, total_segments => 2)$$);
SELECT fails($$SELECT * FROM scan('nowhere', segment => 0, total_segments => 0)$$);
SELECT fails($$SELECT * FROM scan('nowhere', segment => 0, total_segments => 1000001)$$);
SELECT fails($$SELECT * FROM scan('nowhere', filter => 'a ! b')$$);
SELECT fails($$SELECT * FROM scan('nowhere')$$);
SELECT fails($$SELECT * FROM scan('app', index_name => 'by_v')$$);
SELECT fails($$SELECT * FROM scan('app', max_items => 0)$$);
SELECT fails($$SELECT * FROM scan('app', filter => 'SK.a = :b', expression_values => '{":b": 1}')$$);
SELECT fails($$SELECT * FROM scan('app', start_key => '{"PK": "A"}')$$);
SELECT fails($$SELECT * FROM scan('app', start_key => '{"PK": "A", "x": "1"}')$$);
SELECT fails($$SELECT * FROM scan('app', start_key => '{"PK": "A", "SK": 1}')$$);
-- A key is in one segment of two; the other refuses it.
SELECT fails(format($$SELECT * FROM scan('users', segment => %s, total_segments => 2, start_key => '{"id": 1}')$$, s)) AS m
FROM generate_series(0, 1) AS s ORDER BY m;

-- Tables: near names, relations that are no item tables.
SELECT get_item('aap', '{"PK": "A", "SK": "1"}');
CREATE TABLE plain (pk text, sk text, attributes item);
SELECT get_item('plain', '{"PK": "A", "SK": "1"}');
SELECT get_item('', '{"PK": "A", "SK": "1"}');
SELECT get_item('no_schema.app', '{"PK": "A", "SK": "1"}');

-- Nothing of all this was stored.
SELECT * FROM app ORDER BY sk;
SELECT count(*) FROM users;

SET client_min_messages = warning;
DROP SCHEMA api_errors CASCADE;
