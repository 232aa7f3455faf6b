-- PutItem, GetItem, UpdateItem and DeleteItem as a client of the service
-- sends them: responses, errors in the service's words, order of checks.
SET client_min_messages = warning;

-- The error's SQLSTATE and body, or the response.
CREATE FUNCTION wire(operation text, request json) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    state text;
    detail text;
BEGIN
    RETURN partitioning.dynamodb(operation, request);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, detail = PG_EXCEPTION_DETAIL;
    RETURN state || ' ' || coalesce(nullif(detail, ''), SQLERRM);
END
$$;

SELECT partitioning.create_table('wire_app', 'PK', 'SK');
SELECT partitioning.create_table('wire_counter', 'id', attribute_types => '{"id": "N"}');

\pset tuples_only on
\pset format unaligned

-- a plain successful write answers {}
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}, "SK": {"S": "profile"}}}');
-- all ten types, strings with anything in them
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {
    "PK": {"S": "u1"}, "SK": {"S": "all"}, "s": {"S": "a \"quote\", \u0000 and \ud83d\ude00"},
    "n": {"N": "1.50e1"}, "b": {"B": "AAH/"}, "t": {"BOOL": true}, "z": {"NULL": true},
    "m": {"M": {"x": {"L": [{"N": "1"}, {"S": ""}]}}}, "ss": {"SS": ["b", "a"]},
    "ns": {"NS": ["10", "9"]}, "bs": {"BS": ["AQ==", "AA=="]}, "e": {"M": {}}, "l": {"L": []}}}');
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "all"}}}');
-- the row is the item
SELECT pk, sk, attributes['n'] FROM wire_app ORDER BY sk;

-- no item: no member Item; no match of a projection: an empty item
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "none"}}}');
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "all"}}, "ProjectionExpression": "nothing"}');
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "all"}}, "ConsistentRead": true,
    "ProjectionExpression": "#m.x[0], SK", "ExpressionAttributeNames": {"#m": "m"}}');

-- a table may be named by its ARN; null members are absent, unknown ones ignored
SELECT wire('GetItem', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "profile"}},
    "ProjectionExpression": null, "Wibble": {"a": [1, {"b": null}]}}');

-- what is put returns what was there
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}, "SK": {"S": "profile"}, "v": {"N": "1"}}, "ReturnValues": "ALL_OLD"}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "new"}, "SK": {"S": "1"}}, "ReturnValues": "ALL_OLD"}');

-- conditions; the failed item only when it is asked for, and when there is one
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}, "SK": {"S": "profile"}},
    "ConditionExpression": "attribute_not_exists(PK)"}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}, "SK": {"S": "profile"}},
    "ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u9"}, "SK": {"S": "profile"}},
    "ConditionExpression": "attribute_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}, "SK": {"S": "profile"}, "v": {"N": "2"}},
    "ConditionExpression": "#v = :one", "ExpressionAttributeNames": {"#v": "v"}, "ExpressionAttributeValues": {":one": {"N": "1.0"}},
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');

-- updates: upsert, arithmetic, and each way to return values
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "UpdateExpression": "ADD hits :one SET m = :m",
    "ExpressionAttributeValues": {":one": {"N": "1"}, ":m": {"M": {"k": {"S": "x"}}}}, "ReturnValues": "ALL_OLD"}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7.0"}}, "UpdateExpression": "SET m.k = :y ADD hits :one",
    "ExpressionAttributeValues": {":one": {"N": "1"}, ":y": {"S": "y"}}, "ReturnValues": "UPDATED_NEW"}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "UpdateExpression": "REMOVE m.k",
    "ReturnValues": "UPDATED_OLD"}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "ReturnValues": "ALL_NEW"}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "8"}}, "UpdateExpression": "REMOVE x", "ReturnValues": "ALL_NEW"}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "8"}}}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "UpdateExpression": "SET hits = hits + :s",
    "ExpressionAttributeValues": {":s": {"S": "1"}}}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "UpdateExpression": "SET hits = nothing"}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "UpdateExpression": ""}');

SELECT wire('DeleteItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "ConditionExpression": "hits > :n",
    "ExpressionAttributeValues": {":n": {"N": "100"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT wire('DeleteItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "ReturnValues": "ALL_OLD"}');
SELECT wire('DeleteItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "7"}}, "ReturnValues": "ALL_OLD"}');

-- an operation sees what earlier ones of the same statement wrote
SELECT wire('PutItem', '{"TableName": "wire_counter", "Item": {"id": {"N": "1"}}}')
    || wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "1"}}, "ConsistentRead": true}');

-- consumed capacity: 4 KB to read, 1 KB to write, of the larger of before and after
SELECT wire('PutItem', json_build_object('TableName', 'wire_counter', 'ReturnConsumedCapacity', 'TOTAL',
    'Item', json_build_object('id', '{"N": "2"}'::json, 'x', json_build_object('S', repeat('x', 1024 - 2 - 2 - 1)))));
SELECT wire('PutItem', json_build_object('TableName', 'wire_counter', 'ReturnConsumedCapacity', 'TOTAL',
    'Item', json_build_object('id', '{"N": "2"}'::json, 'x', json_build_object('S', repeat('x', 1025 - 2 - 2 - 1)))));
SELECT wire('PutItem', '{"TableName": "wire_counter", "Item": {"id": {"N": "2"}}, "ReturnConsumedCapacity": "INDEXES"}');
SELECT wire('DeleteItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "3"}}, "ReturnConsumedCapacity": "TOTAL"}');
SELECT wire('PutItem', json_build_object('TableName', 'wire_counter',
    'Item', json_build_object('id', '{"N": "4"}'::json, 'x', json_build_object('S', repeat('x', 4096 - 2 - 2 - 1)))));
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "4"}}, "ProjectionExpression": "id", "ReturnConsumedCapacity": "TOTAL"}');
SELECT wire('UpdateItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "4"}}, "UpdateExpression": "SET y = :y",
    "ExpressionAttributeValues": {":y": {"BOOL": true}}, "ReturnConsumedCapacity": "TOTAL"}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "4"}}, "ProjectionExpression": "id", "ReturnConsumedCapacity": "TOTAL"}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "4"}}, "ProjectionExpression": "id", "ConsistentRead": true, "ReturnConsumedCapacity": "INDEXES"}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "99"}}, "ReturnConsumedCapacity": "TOTAL"}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "99"}}, "ReturnConsumedCapacity": "NONE"}');

-- keys
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}}}');
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"N": "1"}}}');
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": ""}, "SK": {"S": "1"}}}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}}}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}, "SK": {"N": "1"}}}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"M": {"S": {"S": "x"}}}, "SK": {"S": "1"}}}');
SELECT wire('UpdateItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "1"}}, "UpdateExpression": "SET PK = :x",
    "ExpressionAttributeValues": {":x": {"S": "x"}}}');

-- values are checked in their turn: after names and values without an
-- expression, before ReturnValues, which comes before expressions, which
-- come before the table, which comes before its keys
SELECT wire('PutItem', '{"TableName": "none", "Item": {"a": {"N": "x"}}, "ReturnValues": "ALL_NEW", "ExpressionAttributeNames": {"#a": "a"}}');
SELECT wire('PutItem', '{"TableName": "none", "Item": {"a": {"N": "x"}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "a ="}');
SELECT wire('PutItem', '{"TableName": "none", "Item": {"a": {"N": "1"}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "a ="}');
SELECT wire('PutItem', '{"TableName": "none", "Item": {"a": {"N": "1"}}, "ConditionExpression": "a ="}');
SELECT wire('PutItem', '{"TableName": "none", "Item": {"a": {"N": "1"}}}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"a": {"N": "1"}}}');
SELECT wire('DeleteItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "1"}}, "ReturnValues": "UPDATED_NEW"}');
SELECT wire('UpdateItem', '{"TableName": "wire_app", "Key": {"a": {"SS": []}}, "ExpressionAttributeValues": {":a": {"N": "x"}}}');
SELECT wire('UpdateItem', '{"TableName": "wire_app", "Key": {"a": {"SS": []}}}');
-- placeholders: empty, bad keys, bad names, bad values, then the text
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET", "ExpressionAttributeNames": {}, "ExpressionAttributeValues": {":a": {}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET", "ExpressionAttributeNames": {"a": ""}, "ExpressionAttributeValues": {"": {}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET", "ExpressionAttributeNames": {"#a": ""}, "ExpressionAttributeValues": {"": {}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET", "ExpressionAttributeNames": {"#a": ""}, "ExpressionAttributeValues": {":a": {}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET", "ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":b": {"S": "x"}, ":a": {}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET", "ExpressionAttributeValues": {":a": {"L": [{"N": "1"}, {"NS": ["1", "1.0"]}]}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET", "ExpressionAttributeValues": {":a": {"S": "x"}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"S": "x"}, ":b": {"S": "x"}}}');

-- each rule for a value, in an item
SELECT value, wire('PutItem', json_build_object('TableName', 'wire_app', 'Item', json_build_object('a', value)))
FROM unnest(ARRAY['{}', '{"S": "a", "N": "1"}', '{"N": ""}', '{"N": "1e126"}', '{"N": "1e-131"}',
    '{"N": "123456789012345678901234567890123456789"}', '{"NULL": false}', '{"SS": []}', '{"NS": []}', '{"BS": []}',
    '{"SS": ["a", "b", "a"]}', '{"NS": ["1", "1.0"]}', '{"BS": ["AA==", "AA=="]}', '{"dog": "x"}',
    '{"M": {"": {"S": "x"}}}']::json[]) AS value;
-- the item's own depth is 1: 31 maps in it, not 32
SELECT wire('PutItem', json_build_object('TableName', 'wire_app', 'Item',
    ('{"PK": {"S": "deep"}, "SK": {"S": "1"}, "a": ' || repeat('{"M": {"a": ', 31) || '{"S": "x"}' || repeat('}}', 31) || '}')::json));
SELECT wire('PutItem', json_build_object('TableName', 'wire_app', 'Item',
    ('{"PK": {"S": "deep"}, "SK": {"S": "1"}, "a": ' || repeat('{"M": {"a": ', 32) || '{"S": "x"}' || repeat('}}', 32) || '}')::json));
-- 409,600 bytes, not one more
SELECT wire('PutItem', json_build_object('TableName', 'wire_counter', 'Item',
    json_build_object('id', '{"N": "5"}'::json, 'x', json_build_object('S', repeat('x', 409600 - 2 - 2 - 1)))));
SELECT wire('PutItem', json_build_object('TableName', 'none', 'Item',
    json_build_object('id', '{"N": "5"}'::json, 'x', json_build_object('S', repeat('x', 409601 - 2 - 2 - 1)))));
-- nor more than an item value can ever hold
SELECT wire('PutItem', json_build_object('TableName', 'none', 'Item',
    json_build_object('id', '{"N": "5"}'::json, 'x', json_build_object('S', repeat('x', 9000000)))));

-- tables of other schemas do not exist, whatever the search_path
CREATE SCHEMA wire_other;
SET search_path = wire_other, public;
SELECT partitioning.create_table('wire_hidden', 'id');
SELECT wire('GetItem', '{"TableName": "wire_hidden", "Key": {"id": {"S": "1"}}}');
SELECT wire('GetItem', '{"TableName": "wire_other.wire_hidden", "Key": {"id": {"S": "1"}}}');
SET partitioning.wire_schema = 'wire_other';
SELECT wire('GetItem', '{"TableName": "wire_hidden", "Key": {"id": {"S": "1"}}}');
SELECT wire('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "u1"}, "SK": {"S": "all"}}}');
RESET partitioning.wire_schema;
RESET search_path;
DROP SCHEMA wire_other CASCADE;
-- nor do relations that are no item tables, or long names that begin as theirs
CREATE TABLE wire_plain (pk text);
SELECT wire('GetItem', '{"TableName": "wire_plain", "Key": {"id": {"S": "1"}}}');
SELECT wire('GetItem', json_build_object('TableName', 'wire_app' || repeat('x', 200), 'Key', '{}'::json));
DROP TABLE wire_plain;

-- the server's own errors: a conflict is never a validation error
CREATE UNIQUE INDEX wire_unique ON wire_app ((partitioning.item_text(attributes, 'mail')));
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "m1"}, "SK": {"S": "1"}, "mail": {"S": "x"}}}');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "m2"}, "SK": {"S": "1"}, "mail": {"S": "x"}}}');
DROP INDEX wire_unique;
ALTER TABLE wire_app ADD CONSTRAINT wire_mail CHECK (partitioning.item_text(attributes, 'mail') <> 'none');
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "m2"}, "SK": {"S": "1"}, "mail": {"S": "none"}}}');
ALTER TABLE wire_app DROP CONSTRAINT wire_mail;
CREATE ROLE wire_nobody;
GRANT SELECT ON wire_app TO wire_nobody;
SET ROLE wire_nobody;
SELECT partitioning.dynamodb('GetItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "m1"}, "SK": {"S": "1"}}}');
SELECT partitioning.dynamodb('DeleteItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "m1"}, "SK": {"S": "1"}}}');
RESET ROLE;
REVOKE ALL ON wire_app FROM wire_nobody;
DROP ROLE wire_nobody;
-- one that the service knows nothing of stays as it is
BEGIN READ ONLY;
SELECT partitioning.dynamodb('DeleteItem', '{"TableName": "wire_app", "Key": {"PK": {"S": "m1"}, "SK": {"S": "1"}}}');
ROLLBACK;
-- a write that a trigger suppresses is no failed condition
CREATE FUNCTION wire_suppress() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER wire_suppress BEFORE UPDATE ON wire_app FOR EACH ROW EXECUTE FUNCTION wire_suppress();
SELECT wire('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "m1"}, "SK": {"S": "1"}},
    "ConditionExpression": "attribute_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
DROP TRIGGER wire_suppress ON wire_app;
DROP FUNCTION wire_suppress;

-- message and detail of the error itself
SELECT partitioning.dynamodb('PutItem', '{"TableName": "wire_app", "Item": {"PK": {"S": "u1"}, "SK": {"S": "profile"}},
    "ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');

SELECT partitioning.drop_table('wire_app');
SELECT partitioning.drop_table('wire_counter');
DROP FUNCTION wire;
