-- Query and Scan as a client of the service sends them: pages, selection,
-- start keys, capacity, order of checks.
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
SELECT partitioning.create_table('wire_single', 'id');
SELECT count(partitioning.put_item('wire_app',
    jsonb_build_object('PK', 'p' || i / 10, 'SK', 's' || i % 10, 'n', i)))
FROM generate_series(0, 19) AS i;
SELECT partitioning.put_item('wire_single', '{"id": "x"}');

\pset tuples_only on
\pset format unaligned

-- a key condition, a filter that may not name the key, a projection
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p AND SK < :s",
    "ExpressionAttributeValues": {":p": {"S": "p0"}, ":s": {"S": "s2"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p AND begins_with(SK, :s)", "ScanIndexForward": false,
    "FilterExpression": "#n >= :n", "ProjectionExpression": "SK, #n", "ExpressionAttributeNames": {"#n": "n"},
    "ExpressionAttributeValues": {":p": {"S": "p0"}, ":s": {"S": "s"}, ":n": {"N": "8"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p",
    "FilterExpression": "SK = :p", "ExpressionAttributeValues": {":p": {"S": "p0"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "none"}}}');

-- pages: Limit counts items read, the last key says where it stopped
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Limit": 2, "ProjectionExpression": "n",
    "ExpressionAttributeValues": {":p": {"S": "p1"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Limit": 2, "ProjectionExpression": "n",
    "ExpressionAttributeValues": {":p": {"S": "p1"}}, "ExclusiveStartKey": {"PK": {"S": "p1"}, "SK": {"S": "s7"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Limit": 2, "ProjectionExpression": "n",
    "ExpressionAttributeValues": {":p": {"S": "p1"}}, "ExclusiveStartKey": {"PK": {"S": "p1"}, "SK": {"S": "s9"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Limit": 3, "ScanIndexForward": false, "ProjectionExpression": "n",
    "FilterExpression": "n = :n", "ExpressionAttributeValues": {":p": {"S": "p1"}, ":n": {"N": "17"}},
    "ExclusiveStartKey": {"PK": {"S": "p1"}, "SK": {"S": "s8z"}}}');

-- Select
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Select": "COUNT",
    "FilterExpression": "n > :n", "ExpressionAttributeValues": {":p": {"S": "p0"}, ":n": {"N": "6"}}}');
SELECT wire('Scan', '{"TableName": "wire_single", "Select": "ALL_ATTRIBUTES"}');
SELECT wire('Scan', '{"TableName": "wire_single", "Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "id"}');
SELECT wire('Scan', '{"TableName": "none", "Select": "SPECIFIC_ATTRIBUTES"}');
SELECT wire('Scan', '{"TableName": "none", "Select": "ALL_PROJECTED_ATTRIBUTES"}');
SELECT wire('Scan', '{"TableName": "none", "Select": "COUNT", "ProjectionExpression": "id"}');
SELECT wire('Scan', '{"TableName": "none", "Select": "ALL_ATTRIBUTES", "ProjectionExpression": "id"}');
SELECT wire('Scan', '{"TableName": "none", "Select": "ALL_ATTRIBUTES", "ProjectionExpression": "id,"}');
SELECT wire('Scan', '{"TableName": "none", "Select": "ALL"}');

-- capacity is that of the sum of what was read, filtered out or not
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Select": "COUNT", "ReturnConsumedCapacity": "TOTAL",
    "FilterExpression": "n > :n", "ExpressionAttributeValues": {":p": {"S": "p0"}, ":n": {"N": "99"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES",
    "ConsistentRead": true, "ExpressionAttributeValues": {":p": {"S": "none"}}}');
SELECT count(partitioning.put_item('wire_app',
    jsonb_build_object('PK', 'big', 'SK', 's' || lpad(i::text, 2, '0'), 'x', repeat('x', 100000))))
FROM generate_series(1, 12) AS i;
-- a page ends with the item that reaches 1 MB
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "ProjectionExpression": "SK", "ReturnConsumedCapacity": "TOTAL",
    "ExpressionAttributeValues": {":p": {"S": "big"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "Select": "COUNT", "ScanIndexForward": false, "ConsistentRead": true,
    "ExpressionAttributeValues": {":p": {"S": "big"}}, "ReturnConsumedCapacity": "TOTAL"}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "ProjectionExpression": "SK",
    "ExpressionAttributeValues": {":p": {"S": "big"}}, "ExclusiveStartKey": {"PK": {"S": "big"}, "SK": {"S": "s11"}}}');

-- every item once over pages and segments
CREATE FUNCTION wire_scan_all(request jsonb) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    page jsonb;
    found int := 0;
BEGIN
    LOOP
        page := partitioning.dynamodb('Scan', request::json);
        found := found + (page->>'Count')::int;
        EXIT WHEN NOT page ? 'LastEvaluatedKey';
        request := request || jsonb_build_object('ExclusiveStartKey', page->'LastEvaluatedKey');
    END LOOP;
    RETURN found;
END
$$;
SELECT wire_scan_all('{"TableName": "wire_app", "Limit": 3}'), wire_scan_all('{"TableName": "wire_app"}');
SELECT sum(wire_scan_all(jsonb_build_object('TableName', 'wire_app', 'Limit', 5, 'Segment', s, 'TotalSegments', 4)))
FROM generate_series(0, 3) AS s;
DROP FUNCTION wire_scan_all;

-- start keys
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p1"}},
    "ExclusiveStartKey": {"PK": {"S": "p1"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p1"}},
    "ExclusiveStartKey": {"PK": {"S": "p2"}, "SK": {"S": "x"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p1"}},
    "ExclusiveStartKey": {"PK": {"S": "p1"}, "SK": {"N": "1"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p AND SK < :p", "ExpressionAttributeValues": {":p": {"S": "p1"}},
    "ExclusiveStartKey": {"PK": {"S": "p1"}, "SK": {"S": "s"}}}');
SELECT wire('Query', '{"TableName": "none", "KeyConditionExpression": "PK =", "ExclusiveStartKey": {"a": {}}}');
SELECT wire('Query', '{"TableName": "none", "KeyConditionExpression": "PK =", "ExclusiveStartKey": {"a": {"N": "x"}}}');
SELECT wire('Query', '{"TableName": "none", "ExclusiveStartKey": {"a": {"NULL": false}}}');
SELECT wire('Scan', '{"TableName": "wire_app", "ExclusiveStartKey": {"PK": {"S": "p1"}}}');
SELECT wire('Scan', '{"TableName": "wire_app", "ExclusiveStartKey": {"PK": {"S": "p1"}, "SK": {"S": "1"}}, "Segment": 0, "TotalSegments": 1000000}');

-- other checks, in their order
SELECT wire('Query', '{"TableName": "none"}');
SELECT wire('Query', '{"TableName": "none", "ExpressionAttributeNames": {"#a": "a"}}');
SELECT wire('Query', '{"TableName": "none", "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT wire('Scan', '{"TableName": "none", "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT wire('Query', '{"TableName": "none", "KeyConditionExpression": "PK = :p", "FilterExpression": "a = :a", "ExpressionAttributeValues": {":p": {"S": "x"}}}');
SELECT wire('Query', '{"TableName": "none", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "x"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "IndexName": "by_n", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "x"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "SK = :p", "ExpressionAttributeValues": {":p": {"S": "x"}}}');
SELECT wire('Query', '{"TableName": "wire_app", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"N": "1"}}}');
SELECT wire('Scan', '{"TableName": "none", "Segment": 1}');
SELECT wire('Scan', '{"TableName": "none", "TotalSegments": 1}');
SELECT wire('Scan', '{"TableName": "none", "Segment": 4, "TotalSegments": 4}');

SELECT partitioning.drop_table('wire_app');
SELECT partitioning.drop_table('wire_single');
DROP FUNCTION wire;
