-- BatchGetItem and BatchWriteItem as a client of the service sends them.
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

-- puts replace, deletes of what is not there succeed, over two tables
SELECT wire('BatchWriteItem', '{"RequestItems": {
    "wire_app": [{"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "1"}, "v": {"N": "1"}}}},
                 {"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "2"}, "v": {"N": "2"}}}},
                 {"DeleteRequest": {"Key": {"PK": {"S": "z"}, "SK": {"S": "0"}}}}],
    "wire_counter": [{"PutRequest": {"Item": {"id": {"N": "7"}, "v": {"SS": ["x"]}}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {
    "wire_app": [{"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "1"}, "w": {"BOOL": true}}}}],
    "wire_counter": [{"DeleteRequest": {"Key": {"id": {"N": "8"}}}}]}, "ReturnConsumedCapacity": "TOTAL"}');
SELECT pk, sk, attributes FROM wire_app ORDER BY pk, sk;

-- reads: missing items are absent, a table without items has an empty array
SELECT wire('BatchGetItem', '{"RequestItems": {
    "wire_app": {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "2"}}, {"PK": {"S": "a"}, "SK": {"S": "9"}}, {"PK": {"S": "a"}, "SK": {"S": "1"}}],
        "ProjectionExpression": "SK, #v", "ExpressionAttributeNames": {"#v": "v"}},
    "wire_counter": {"Keys": [{"id": {"N": "1"}}], "ConsistentRead": true}}, "ReturnConsumedCapacity": "INDEXES"}');
SELECT wire('BatchGetItem', '{"RequestItems": {"arn:aws:dynamodb:x:1:table/wire_counter": {"Keys": [{"id": {"N": "7"}}]}}, "ReturnConsumedCapacity": "TOTAL"}');

-- more than 1 MB of one partition: the rest is handed back with its options
SELECT count(partitioning.put_item('wire_app',
    jsonb_build_object('PK', 'big', 'SK', lpad(i::text, 2, '0'), 'x', repeat('x', 300000))))
FROM generate_series(1, 5) AS i;
SELECT wire('BatchGetItem', ('{"RequestItems": {"wire_app": {"ConsistentRead": true, "ProjectionExpression": "#s",
    "ExpressionAttributeNames": {"#s": "SK"}, "Keys": [' ||
    (SELECT string_agg(format('{"PK": {"S": "big"}, "SK": {"S": "0%s"}}', i), ', ') FROM generate_series(1, 5) AS i) ||
    ']}}, "ReturnConsumedCapacity": "TOTAL"}')::json);

-- what is wrong with a batch refuses all of it
SELECT wire('BatchGetItem', '{}');
SELECT wire('BatchGetItem', '{"RequestItems": {}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"wire_app": {}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"wire_app": {"Keys": []}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"wire_app": null}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"wire app": {"Keys": [{}]}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"wire_app": {"Keys": [{"PK": {"S": "a"}}]}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"wire_app": {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "1"}}]}, "none": {"Keys": [{"x": {"S": "a"}}]}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"wire_counter": {"Keys": [{"id": {"N": "1"}}, {"id": {"N": "1.0"}}]}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"none": {"Keys": [{"id": {"N": "x"}}]}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"none": {"Keys": [{"id": {"N": "x"}}], "ExpressionAttributeNames": {"#a": "a"}}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"none": {"Keys": [{"id": {"N": "1"}}], "ProjectionExpression": "a,,b"}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"none": {"Keys": [{"id": {"N": "1"}}], "ExpressionAttributeNames": {"#a": "b"}}}}');
SELECT wire('BatchGetItem', '{"RequestItems": {"none": {"Keys": [{"id": {"N": "1"}}], "AttributesToGet": ["a"]}}}');
SELECT wire('BatchGetItem', json_build_object('RequestItems', json_build_object('wire_counter', json_build_object('Keys',
    (SELECT json_agg(json_build_object('id', json_build_object('N', i::text))) FROM generate_series(1, 100) AS i)))));
SELECT wire('BatchGetItem', json_build_object('RequestItems', json_build_object('wire_counter', json_build_object('Keys',
    (SELECT json_agg(json_build_object('id', json_build_object('N', i::text))) FROM generate_series(1, 101) AS i)))));
SELECT wire('BatchGetItem', json_build_object('RequestItems', json_build_object(
    'wire_counter', json_build_object('Keys', (SELECT json_agg(json_build_object('id', json_build_object('N', i::text))) FROM generate_series(1, 60) AS i)),
    'wire_app', json_build_object('Keys', (SELECT json_agg(json_build_object('id', json_build_object('N', i::text))) FROM generate_series(1, 41) AS i)))));

-- An unknown table comes before a key that does not fit another, and after a
-- value that is none.
SELECT wire('BatchGetItem', '{"RequestItems": {"wire_app": {"Keys": [{"x": {"S": "1"}}]}, "none": {"Keys": [{"id": {"S": "1"}}]}}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_app": [{"DeleteRequest": {"Key": {"x": {"S": "1"}}}}], "none": [{"DeleteRequest": {"Key": {"id": {"S": "1"}}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"none": [{"DeleteRequest": {"Key": {"id": {"S": "1"}}}}], "wire_app": [{"DeleteRequest": {"Key": {"id": {"SS": []}}}}]}}');

SELECT wire('BatchWriteItem', '{}');
SELECT wire('BatchWriteItem', '{"RequestItems": {}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_app": []}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_app": [{}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_app": [{"PutRequest": {"Item": {}}, "DeleteRequest": {"Key": {}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_app": [{"PutRequest": {}}, {"DeleteRequest": {"Item": {}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"none": [{"PutRequest": {"Item": {"a": {"SS": ["x", "x"]}}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"none": [{"PutRequest": {"Item": {"a": {"S": "x"}}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_app": [{"PutRequest": {"Item": {"a": {"S": "x"}}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_counter": [{"PutRequest": {"Item": {"id": {"N": "50"}}}}, {"DeleteRequest": {"Key": {"id": {"N": "5e1"}}}}]}}');
SELECT wire('BatchWriteItem', '{"RequestItems": {"wire_counter": [{"PutRequest": {"Item": {"id": {"N": "50"}}}}, {"PutRequest": {"Item": {"id": {"S": "x"}}}}]}}');
SELECT wire('GetItem', '{"TableName": "wire_counter", "Key": {"id": {"N": "50"}}}');
SELECT wire('BatchWriteItem', json_build_object('RequestItems', json_build_object('wire_counter',
    (SELECT json_agg(json_build_object('PutRequest', json_build_object('Item', json_build_object('id', json_build_object('N', i::text))))) FROM generate_series(1, 25) AS i))));
SELECT wire('BatchWriteItem', json_build_object('RequestItems', json_build_object('wire_counter',
    (SELECT json_agg(json_build_object('PutRequest', json_build_object('Item', json_build_object('id', json_build_object('N', i::text))))) FROM generate_series(1, 26) AS i))));
SELECT wire('BatchWriteItem', json_build_object('RequestItems', json_build_object(
    'wire_counter', (SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object('id', json_build_object('N', i::text))))) FROM generate_series(1, 20) AS i),
    'wire_app', (SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object('id', json_build_object('N', i::text))))) FROM generate_series(1, 6) AS i))));
SELECT count(*) FROM wire_counter;

SELECT partitioning.drop_table('wire_app');
SELECT partitioning.drop_table('wire_counter');
DROP FUNCTION wire;
