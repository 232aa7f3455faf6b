-- What a request must look like: JSON types (SerializationException), then
-- constraints of all members together, then parameters of old clients.
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

\pset tuples_only on
\pset format unaligned

-- operations
SELECT wire('CreateFish', '{}');
SELECT wire('getitem', '{}');
SELECT wire('GetItem ', '{}');
SELECT wire('', '{}');
SELECT wire(NULL, '{}');
SELECT wire(NULL, NULL);
SELECT wire('GetItem', NULL);
SELECT partitioning.dynamodb('CreateFish', '{}');
SELECT partitioning.dynamodb('GetItem', NULL);

-- the whole request
SELECT request, wire('GetItem', request)
FROM unnest(ARRAY['[]', '[{}]', '""', '1', '1.5', 'true', 'null', '{}', '{"TableName": null}']::json[]) AS request;

-- JSON that the type json lets pass
SELECT wire('GetItem', '{"TableName": "\ud800"}');
SELECT wire('GetItem', '{"TableName": "\udc00"}');
SELECT wire('GetItem', '{"\ud83dx": 1}');

-- each kind of member given each kind of value
SELECT member, value, wire('Query', json_build_object(member, value))
FROM unnest(ARRAY['TableName', 'Select', 'ConsistentRead', 'Limit', 'ExclusiveStartKey', 'ExpressionAttributeNames']) AS member,
    unnest(ARRAY['true', 'false', '"x"', '1', '1.5', '1e2', '[]', '{}']::json[]) AS value;
SELECT member, value, wire('BatchWriteItem', json_build_object('RequestItems', value))
FROM unnest(ARRAY['RequestItems']) AS member,
    unnest(ARRAY['"x"', '[]', '{"a": "x"}', '{"a": {}}', '{"a": ["x"]}', '{"a": [[]]}', '{"a": [{"PutRequest": 1}]}',
        '{"a": [{"PutRequest": []}]}', '{"a": [{"PutRequest": {"Item": []}}]}']::json[]) AS value;
SELECT value, wire('BatchGetItem', json_build_object('RequestItems', value))
FROM unnest(ARRAY['"x"', '[]', '{"a": "x"}', '{"a": []}', '{"a": {"Keys": {}}}', '{"a": {"Keys": "x"}}', '{"a": {"Keys": ["x"]}}',
        '{"a": {"Keys": [[]]}}', '{"a": {"Keys": [{"k": "x"}]}}']::json[]) AS value;
SELECT value, wire('TransactWriteItems', json_build_object('TransactItems', value))
FROM unnest(ARRAY['"x"', '{}', '["x"]', '[[]]', '[{"Put": "x"}]', '[{"Put": []}]', '[{"Put": {"TableName": 1}}]']::json[]) AS value;
SELECT value, wire('GetItem', json_build_object('ExpressionAttributeNames', value))
FROM unnest(ARRAY['{"#a": 1}', '{"#a": {}}', '{"#a": []}', '{"#a": true}']::json[]) AS value;

-- each type of attribute value given each kind of value
SELECT tag, value, wire('PutItem', json_build_object('Item', json_build_object('a', json_build_object(tag, value))))
FROM unnest(ARRAY['S', 'N', 'B', 'BOOL', 'NULL', 'M', 'L', 'SS', 'NS', 'BS']) AS tag,
    unnest(ARRAY['true', '"x"', '1', '1.5', '[]', '{}', '["x"]', '[1]']::json[]) AS value;
SELECT value, wire('PutItem', json_build_object('Item', json_build_object('a', value)))
FROM unnest(ARRAY['"x"', '1', '[]', 'true', '{"B": "AA"}', '{"B": "AB=="}', '{"B": "A==="}', '{"B": "????"}']::json[]) AS value;

-- a type error anywhere comes before everything else
SELECT wire('PutItem', '{"TableName": "!", "Item": {"a": {"N": "x"}}, "ReturnValues": "!", "Expected": {}, "ConditionExpression": 1}');

-- numbers are cut to integers, within reason
SELECT value, wire('Scan', json_build_object('TableName', 'none', 'Limit', value))
FROM unnest(ARRAY['1.9', '0.9', '-1', '2147483647', '2147483648', '1e999', '-1e999']::json[]) AS value;

-- the last of members of one name counts
SELECT wire('Scan', '{"TableName": "a b", "TableName": "none", "Limit": 0, "Limit": 1}');

-- constraints: all together, the table's name first
SELECT wire('PutItem', '{}');
SELECT wire('PutItem', '{"Item": null, "TableName": ""}');
SELECT wire('DeleteItem', '{"TableName": "a b"}');
SELECT wire('UpdateItem', '{"TableName": "none", "ReturnValues": "all_old", "ReturnConsumedCapacity": "", "ReturnItemCollectionMetrics": "total",
    "Key": {"a": {"N": "x"}}, "ReturnValuesOnConditionCheckFailure": "NEW"}');
SELECT wire('GetItem', json_build_object('TableName', repeat('x', 255), 'Key', '{}'::json));
SELECT wire('GetItem', json_build_object('TableName', repeat('x', 256), 'Key', '{}'::json));
SELECT wire('GetItem', json_build_object('TableName', 'arn:aws:dynamodb:x:1:table/' || repeat('x', 256), 'Key', '{}'::json));
SELECT wire('GetItem', '{"TableName": "arn:aws:dynamodb:x:1:stream/none", "Key": {}}');
SELECT wire('GetItem', '{"TableName": "ümläut", "Key": {}}');
SELECT wire('GetItem', '{"TableName": "a\u0000", "Key": {}}') = wire('GetItem', '{"TableName": "a", "Key": {}}');
SELECT wire('Query', '{"TableName": "none", "IndexName": "ab", "Limit": 0, "Select": "NOTHING"}');
SELECT wire('Scan', '{"TableName": "none", "IndexName": "a b", "Limit": 0, "Segment": -1, "TotalSegments": 1000001}');
SELECT wire('Scan', '{"TableName": "none", "Segment": 1000000, "TotalSegments": 0}');

-- parameters of old clients are checked in their turn
SELECT partitioning.dynamodb('GetItem', '{"TableName": "none", "Key": {}, "AttributesToGet": ["a"]}');
SELECT wire('PutItem', '{"TableName": "none", "Item": {}, "Expected": {"a": {"Exists": false}}}');
SELECT wire('UpdateItem', '{"TableName": "none", "Key": {}, "AttributeUpdates": {}}');
SELECT wire('DeleteItem', '{"TableName": "none", "Key": {}, "ConditionalOperator": "AND"}');
SELECT wire('Query', '{"TableName": "none", "KeyConditions": {}}');
SELECT wire('Query', '{"TableName": "none", "QueryFilter": {}}');
SELECT wire('Scan', '{"TableName": "none", "ScanFilter": {}}');
SELECT wire('Scan', '{"TableName": "none", "ScanFilter": null}');

-- deep and large requests
SELECT left(wire('GetItem', ('{"x": ' || repeat('[', 1000) || repeat(']', 1000) || '}')::json), 60);
SELECT left(wire('GetItem', json_build_object('TableName', repeat('x', 1000000))), 120);
SELECT wire('PutItem', json_build_object('TableName', 'none', 'Item',
    ('{"a": ' || repeat('{"L": [', 2000) || repeat(']}', 2000) || '}')::json));
SELECT wire('TransactWriteItems', json_build_object('TransactItems', ('[' || repeat('{},', 100000) || '{}]')::json));
SELECT wire('BatchGetItem', json_build_object('RequestItems',
    ('{' || repeat('"a": {"Keys": []},', 1000) || (SELECT string_agg('"t' || i || '": {"Keys": [{}]}', ',') FROM generate_series(1, 1000) AS i) || '}')::json));

-- a name that is too long for an attribute is cut between characters
SELECT length(body), right(body, 8) FROM wire('UpdateItem', json_build_object('TableName', 'none', 'Key', '{}'::json, 'UpdateExpression', 'x',
    'ExpressionAttributeValues', json_build_object(':' || repeat('é', 40000), '{"S": "x"}'::json))) AS body;

DROP FUNCTION wire;
