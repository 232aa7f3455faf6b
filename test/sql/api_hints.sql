-- The usual mistakes: each error says what is wrong and how to go on.
CREATE SCHEMA api_hints;
SET search_path = api_hints, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_table('users', 'id', attribute_types => '{"id": "N"}');
SELECT put_item('app', '{"PK": "U#1", "SK": "PROFILE", "total": 1}');

-- Typed JSON where plain JSON is wanted, and plain where typed is.
SELECT put_item('app', '{"PK": {"S": "U#1"}, "SK": {"S": "PROFILE"}}');
SELECT get_item('app', '{"PK": {"S": "U#1"}, "SK": {"S": "PROFILE"}}');
SELECT query('app', 'PK = :p', '{":p": {"S": "U#1"}}');
SELECT from_dynamodb_json('{"PK": {"S": "U#1"}, "m": {"M": {"n": "U#1"}}}');

-- A key that lacks a part, has one too many, or one of another type.
SELECT get_item('app', '{"PK": "U#1"}');
SELECT get_item('app', '{"pk": "U#1", "sk": "PROFILE"}');
SELECT get_item('users', '{"id": 1, "name": "Ann"}');
SELECT get_item('users', '{"id": "1"}');

-- Reserved words, wherever a name stands.
SELECT get_item('app', '{"PK": "U#1", "SK": "PROFILE"}', 'SK, total');
SELECT update_item('app', '{"PK": "U#1", "SK": "PROFILE"}', 'SET Status = :s', '{":s": 1}');

-- Literals in an expression.
SELECT query('app', 'PK = ''U#1''');
SELECT query('app', 'PK = "U#1"');
SELECT scan('app', filter => 'price > 10');

-- An update without its first keyword; other wrong tokens get no advice.
SELECT update_item('app', '{"PK": "U#1", "SK": "PROFILE"}', 'price = :p', '{":p": 1}');
SELECT update_item('app', '{"PK": "U#1", "SK": "PROFILE"}', 'SET a = :p, SET b = :p', '{":p": 1}');
SELECT scan('app', filter => 'price');

-- Placeholders without their sigils.
SELECT query('app', 'PK = :p', '{"p": "U#1"}');
SELECT scan('app', filter => '#t = :t', expression_values => '{":t": 1}', expression_names => '{"t": "total"}');

-- Counting what is not there yet.
SELECT update_item('app', '{"PK": "U#1", "SK": "PROFILE"}', 'SET visits = visits + :n', '{":n": 1}');

-- A key in the filter, another attribute in the key condition.
SELECT query('app', 'PK = :p', '{":p": "U#1", ":s": "P"}', filter => 'begins_with(SK, :s)');
SELECT query('app', 'PK = :p AND price > :n', '{":p": "U#1", ":n": 1}');

-- An index that is not there.
SELECT query('app', 'PK = :p', '{":p": "U#1"}', index_name => 'bydate');
SELECT create_local_index('app', 'byDate', 'createdAt');
SELECT create_local_index('app', 'byPrice', 'price', '{"price": "N"}');
SELECT query('app', 'PK = :p', '{":p": "U#1"}', index_name => 'bydate');

-- A table that is no item table, in either case of letters.
CREATE TABLE "Plain" (pk text);
CREATE TABLE plain (pk text);
SELECT put_item('Plain', '{"PK": "U#1"}');
SELECT put_item('plain', '{"PK": "U#1"}');
DROP TABLE plain;
SELECT put_item('Plain', '{"PK": "U#1"}');
SELECT put_item('pl4in', '{"PK": "U#1"}');
SELECT put_item('apq', '{"PK": "U#1"}');

-- A table that requests do not see.
SELECT dynamodb('GetItem', '{"TableName": "app", "Key": {"PK": {"S": "U#1"}, "SK": {"S": "PROFILE"}}}');
SET partitioning.wire_schema = 'api_hints';
SELECT dynamodb('GetItem', '{"TableName": "app", "Key": {"PK": {"S": "U#1"}, "SK": {"S": "PROFILE"}}}');
RESET partitioning.wire_schema;

SET client_min_messages = warning;
DROP SCHEMA api_hints CASCADE;
