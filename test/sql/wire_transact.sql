-- TransactWriteItems and TransactGetItems as a client of the service sends
-- them.
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

-- the four actions, over two tables, all or none
SELECT wire('TransactWriteItems', '{"TransactItems": [
    {"Put": {"TableName": "wire_app", "Item": {"PK": {"S": "a"}, "SK": {"S": "1"}, "v": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
    {"Update": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}, "UpdateExpression": "ADD #n :one",
        "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":one": {"N": "1"}}}},
    {"Delete": {"TableName": "wire_app", "Key": {"PK": {"S": "a"}, "SK": {"S": "2"}}}},
    {"ConditionCheck": {"TableName": "wire_app", "Key": {"PK": {"S": "a"}, "SK": {"S": "3"}}, "ConditionExpression": "attribute_not_exists(PK)"}}],
    "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}');
SELECT wire('TransactGetItems', '{"TransactItems": [
    {"Get": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}}},
    {"Get": {"TableName": "wire_app", "Key": {"PK": {"S": "a"}, "SK": {"S": "2"}}}},
    {"Get": {"TableName": "wire_app", "Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}, "ProjectionExpression": "#v", "ExpressionAttributeNames": {"#v": "v"}}}],
    "ReturnConsumedCapacity": "TOTAL"}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "wire_counter", "Item": {"id": {"N": "2"}}}}]}');

-- reasons in the order of the request; the item where it is asked for
SELECT wire('TransactWriteItems', '{"TransactItems": [
    {"Put": {"TableName": "wire_counter", "Item": {"id": {"N": "3"}}}},
    {"Put": {"TableName": "wire_app", "Item": {"PK": {"S": "a"}, "SK": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(PK)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
    {"Update": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}, "UpdateExpression": "SET n = n + :one", "ConditionExpression": "n = :two",
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":two": {"N": "2"}}}}]}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "3"}}}');
SELECT wire('TransactWriteItems', '{"TransactItems": [
    {"Delete": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}}},
    {"Delete": {"TableName": "wire_counter", "Key": {"id": {"S": "1"}}}},
    {"Put": {"TableName": "wire_app", "Item": {"PK": {"S": "a"}}}}]}');
SELECT wire('TransactGetItems', '{"TransactItems": [
    {"Get": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}}},
    {"Get": {"TableName": "wire_counter", "Key": {"id": {"S": "1"}}}}]}');
SELECT partitioning.dynamodb('TransactWriteItems', '{"TransactItems": [
    {"ConditionCheck": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}, "ConditionExpression": "n > :n", "ExpressionAttributeValues": {":n": {"N": "100"}}}}]}');

-- a client token: once is enough, and it means one request only
SELECT wire('TransactWriteItems', '{"ClientRequestToken": "wire-1", "ReturnConsumedCapacity": "TOTAL", "TransactItems": [
    {"Update": {"TableName": "wire_counter", "Key": {"id": {"N": "9"}}, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}]}');
SELECT wire('TransactWriteItems', '{"ClientRequestToken": "wire-1", "ReturnConsumedCapacity": "TOTAL", "TransactItems": [
    {"Update": {"TableName": "wire_counter", "Key": {"id": {"N": "9"}}, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}]}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "9"}}}');
SELECT wire('TransactWriteItems', '{"ClientRequestToken": "wire-1", "TransactItems": [
    {"Update": {"TableName": "wire_counter", "Key": {"id": {"N": "9"}}, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "2"}}}}]}');

-- what refuses the request
SELECT wire('TransactWriteItems', '{}');
SELECT wire('TransactWriteItems', '{"TransactItems": []}');
SELECT wire('TransactWriteItems', '{"TransactItems": [], "ClientRequestToken": ""}');
SELECT wire('TransactWriteItems', json_build_object('TransactItems', '[]'::json, 'ClientRequestToken', repeat('x', 37)));
SELECT wire('TransactWriteItems', '{"TransactItems": [{}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "x", "Item": {}}, "Delete": {"TableName": "x", "Key": {}}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "none", "Item": {"a": {"N": "1"}}}},
    {"Update": {"TableName": "x y"}}, {"ConditionCheck": {"Key": {}, "ReturnValuesOnConditionCheckFailure": "x"}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "none", "Key": {"a": {"N": "x"}}}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "none", "Key": {"a": {"N": "x"}}}}, {}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "none", "Key": {"a": {"N": "x"}}, "ExpressionAttributeNames": {}}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "none", "Key": {}, "ConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {"NS": []}}}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "none", "Key": {}, "ConditionExpression": "a = :a"}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "none", "Key": {}}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}}},
    {"ConditionCheck": {"TableName": "wire_counter", "Key": {"id": {"N": "1.0"}}, "ConditionExpression": "attribute_exists(id)"}}]}');
SELECT wire('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "wire_app", "Item": {"PK": {"S": ""}, "SK": {"S": "x"}}}}]}');
SELECT wire('TransactWriteItems', json_build_object('TransactItems', (SELECT json_agg(json_build_object('Put',
    json_build_object('TableName', 'wire_counter', 'Item', json_build_object('id', json_build_object('N', i::text))))) FROM generate_series(100, 199) AS i)));
SELECT wire('TransactWriteItems', json_build_object('TransactItems', (SELECT json_agg(json_build_object('Put',
    json_build_object('TableName', 'wire_counter', 'Item', json_build_object('id', json_build_object('N', i::text))))) FROM generate_series(100, 200) AS i)));
SELECT wire('TransactGetItems', '{}');
SELECT wire('TransactGetItems', '{"TransactItems": []}');
SELECT wire('TransactGetItems', '{"TransactItems": [{}]}');
SELECT wire('TransactGetItems', '{"TransactItems": [{"Get": {}}]}');
SELECT wire('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "none", "Key": {}}}]}');
SELECT wire('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "none", "Key": {"a": {}}}}]}');
SELECT wire('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "none", "Key": {}, "ProjectionExpression": "a b"}}]}');
SELECT wire('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}}}, {"Get": {"TableName": "wire_counter", "Key": {"id": {"N": "1"}}}}]}');
SELECT count(*) FROM wire_counter;

SELECT partitioning.drop_table('wire_app');
SELECT partitioning.drop_table('wire_counter');
DROP FUNCTION wire;
