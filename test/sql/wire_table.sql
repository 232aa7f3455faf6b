-- The operations on tables as a client of the service sends them.
SET client_min_messages = warning;

-- The error's SQLSTATE and body, or the response; what differs from run to
-- run is masked.
CREATE FUNCTION wire(operation text, request json) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    state text;
    detail text;
    result text;
BEGIN
    result := partitioning.dynamodb(operation, request);
    result := regexp_replace(result, '\d{10}\.\d{3}', '0.0', 'g');
    result := regexp_replace(result, '\d{4}-\d\d-\d\dT[0-9:.]+', '<label>', 'g');
    RETURN regexp_replace(result, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', '<id>');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, detail = PG_EXCEPTION_DETAIL;
    RETURN state || ' ' || coalesce(nullif(detail, ''), SQLERRM);
END
$$;
\pset tuples_only on
\pset format unaligned

-- a table with everything
SELECT wire('CreateTable', '{"TableName": "wire_all",
    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "B"},
        {"AttributeName": "n", "AttributeType": "N"}, {"AttributeName": "city", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 10},
    "LocalSecondaryIndexes": [{"IndexName": "byNumber", "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "n", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}],
    "GlobalSecondaryIndexes": [
        {"IndexName": "byCity", "KeySchema": [{"AttributeName": "city", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
         "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]},
         "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}},
        {"IndexName": "byTwo", "KeySchema": [{"AttributeName": "city", "KeyType": "HASH"}, {"AttributeName": "PK", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"},
         "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}],
    "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    "SSESpecification": {"Enabled": true, "SSEType": "KMS"}, "TableClass": "STANDARD_INFREQUENT_ACCESS",
    "DeletionProtectionEnabled": true, "Tags": [{"Key": "team", "Value": "blue"}, {"Key": "partitioning:index/byCity/propagation", "Value": "sync"},
        {"Key": "partitioning:index/again/propagation", "Value": "sync"}]}');
SELECT wire('DescribeTable', '{"TableName": "wire_all"}');
SELECT relation, owner = current_user FROM partitioning.item_tables;
SELECT index_name, kind, propagation FROM partitioning.item_indexes ORDER BY index_name;

-- it is there once
SELECT wire('CreateTable', '{"TableName": "wire_all", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}');

-- items go into table and indexes
SELECT wire('PutItem', '{"TableName": "wire_all", "Item": {"PK": {"S": "x"}, "SK": {"B": "AQ=="}, "n": {"N": "7"}, "city": {"S": "Ulm"}, "a": {"S": "A"}, "c": {"S": "C"}}}');
SELECT wire('Query', '{"TableName": "wire_all", "IndexName": "byCity", "KeyConditionExpression": "city = :c",
    "ExpressionAttributeValues": {":c": {"S": "Ulm"}}}');

-- tables that SQL has made are described and listed, too
SELECT partitioning.create_table('wire_sql', 'id', attribute_types => '{"id": "N"}');
SELECT wire('DescribeTable', '{"TableName": "wire_sql"}');
SELECT wire('ListTables', '{}');
SELECT wire('ListTables', '{"Limit": 1}');
SELECT wire('ListTables', '{"ExclusiveStartTableName": "wire_all", "Limit": 1}');
SELECT wire('ListTables', '{"Limit": 101}');
SELECT wire('ListTables', '{"Limit": 0, "ExclusiveStartTableName": "a"}');

-- throughput
SELECT wire('UpdateTable', '{"TableName": "wire_all", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 10}}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 9}}')::json #> '{TableDescription,ProvisionedThroughput}';
SELECT wire('UpdateTable', '{"TableName": "wire_all", "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "byCity",
    "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 2}}}]}')::json #> '{TableDescription,GlobalSecondaryIndexes,0,ProvisionedThroughput}';
SELECT wire('UpdateTable', format('{"TableName": "wire_all", "ProvisionedThroughput": {"ReadCapacityUnits": %s, "WriteCapacityUnits": 9}}', 6 - n)::json)::json #> '{TableDescription,ProvisionedThroughput}'
FROM generate_series(1, 3) AS n;
SELECT wire('UpdateTable', '{"TableName": "wire_all", "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 9}}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "BillingMode": "PAY_PER_REQUEST"}')::json #> '{TableDescription,BillingModeSummary}';
SELECT wire('UpdateTable', '{"TableName": "wire_all", "ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 9}}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 9}}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "OnDemandThroughput": {"MaxReadRequestUnits": 100}, "WarmThroughput": {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 4000}}')::json #> '{TableDescription,OnDemandThroughput}';
SELECT wire('UpdateTable', '{"TableName": "wire_all", "WarmThroughput": {"ReadUnitsPerSecond": 12999, "WriteUnitsPerSecond": 4000}}');

-- indexes
SELECT wire('UpdateTable', '{"TableName": "wire_all", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byNumber"}}]}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byNobody"}}]}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "byTwo"}}]}')::json #>> '{TableDescription,GlobalSecondaryIndexes,1}';
SELECT wire('UpdateTable', '{"TableName": "wire_all", "AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "N"}],
    "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "again", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"}}}]}')::json #>> '{TableDescription,GlobalSecondaryIndexes,0,IndexName}';
SELECT wire('Scan', '{"TableName": "wire_all", "IndexName": "again"}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "S"}],
    "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "another", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"}}}]}');

-- stream, class, protection
SELECT wire('UpdateTable', '{"TableName": "wire_all", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "StreamSpecification": {"StreamEnabled": false}, "TableClass": "STANDARD"}')::json #> '{TableDescription,TableClassSummary}';
SELECT wire('UpdateTable', '{"TableName": "wire_all", "StreamSpecification": {"StreamEnabled": false}}');
SELECT wire('DeleteTable', '{"TableName": "wire_all"}');
SELECT wire('UpdateTable', '{"TableName": "wire_all", "DeletionProtectionEnabled": false}')::json #> '{TableDescription,DeletionProtectionEnabled}';

-- tags; some mean something
SELECT wire('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all", "Tags": [{"Key": "team", "Value": "red"}, {"Key": "x y", "Value": ""}]}') IS NULL;
SELECT wire('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all"}');
SELECT wire('UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all", "TagKeys": ["team", "none"]}') IS NULL;
SELECT wire('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all"}');
SELECT wire('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all", "Tags": [{"Key": "partitioning:write_shards", "Value": "4"}]}');
SELECT wire('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all", "Tags": [{"Key": "partitioning:index/again/propagation", "Value": "async"}]}') IS NULL;
SELECT index_name, propagation FROM partitioning.item_indexes WHERE index_name = 'again';
SELECT wire('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all", "Tags": [{"Key": "partitioning:index/again/propagation", "Value": "sync"}]}') IS NULL;
SELECT index_name, propagation FROM partitioning.item_indexes WHERE index_name = 'again';
SELECT wire('UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all", "TagKeys": ["partitioning:index/again/propagation"]}');
SELECT wire('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_all", "Tags": [{"Key": "partitioning:nothing", "Value": "4"}]}');

-- time to live
SELECT wire('DescribeTimeToLive', '{"TableName": "wire_all"}');
SELECT wire('UpdateTimeToLive', '{"TableName": "wire_all", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "expires"}}');
SELECT wire('DescribeTimeToLive', '{"TableName": "wire_all"}');
SELECT wire('UpdateTimeToLive', '{"TableName": "wire_all", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "expires"}}');

-- settings follow a renamed table and go with a dropped one
ALTER TABLE wire_all RENAME TO wire_renamed;
SELECT wire('DescribeTable', '{"TableName": "wire_all"}');
SELECT wire('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/wire_renamed"}');
CREATE SCHEMA wire_elsewhere;
ALTER TABLE wire_renamed SET SCHEMA wire_elsewhere;
ALTER SCHEMA wire_elsewhere RENAME TO wire_there;
SELECT wire('DescribeTable', '{"TableName": "wire_renamed"}');
SET partitioning.wire_schema = 'wire_there';
SELECT wire('ListTables', '{}');
SELECT wire('DeleteTable', '{"TableName": "wire_renamed"}');
SELECT wire('ListTables', '{}');
RESET partitioning.wire_schema;
DROP SCHEMA wire_there;
-- what SQL has made of a table keeps it
CREATE VIEW wire_view AS SELECT * FROM wire_sql;
SELECT wire('DeleteTable', '{"TableName": "wire_sql"}');
DROP VIEW wire_view;
DROP TABLE wire_sql;
SELECT * FROM partitioning.table_settings;

-- a name that is too long for a relation
SELECT wire('CreateTable', format('{"TableName": "%s", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}', repeat('x', 255))::json)::json #> '{TableDescription,TableName}';
SELECT table_name FROM partitioning.item_tables;
SELECT wire('PutItem', format('{"TableName": "%s", "Item": {"a": {"S": "1"}}}', repeat('x', 255))::json);
SELECT wire('ListTables', '{}');
SELECT wire('GetItem', format('{"TableName": "%s", "Key": {"a": {"S": "1"}}}', repeat('x', 254))::json);
SELECT wire('CreateTable', format('{"TableName": "%s", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}', repeat('x', 255))::json);
-- renamed, it has a name of its own
ALTER TABLE "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx~d22609da3ae3956c" RENAME TO wire_short;
SELECT wire('ListTables', '{}');
SELECT wire('DeleteTable', '{"TableName": "wire_short"}');

-- who may do what
CREATE ROLE wire_owner;
CREATE ROLE wire_reader;
CREATE SCHEMA AUTHORIZATION wire_owner;
GRANT USAGE ON SCHEMA wire_owner TO PUBLIC;
SET partitioning.wire_schema = 'wire_owner';
SET ROLE wire_owner;
SELECT wire('CreateTable', '{"TableName": "mine", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}')::json #> '{TableDescription,TableStatus}';
SET ROLE wire_reader;
SELECT wire('ListTables', '{}');
SELECT wire('DescribeTable', '{"TableName": "mine"}');
SELECT wire('DeleteTable', '{"TableName": "mine"}');
SELECT wire('UpdateTable', '{"TableName": "mine", "TableClass": "STANDARD"}');
SELECT wire('CreateTable', '{"TableName": "yours", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}');
RESET ROLE;
GRANT SELECT ON wire_owner.mine TO wire_reader;
SET ROLE wire_reader;
SELECT wire('ListTables', '{}');
SELECT wire('DescribeTable', '{"TableName": "mine"}')::json #> '{Table,TableName}';
SELECT wire('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/mine", "Tags": [{"Key": "a", "Value": "b"}]}');
RESET ROLE;
DROP SCHEMA wire_owner CASCADE;
DROP ROLE wire_owner, wire_reader;
RESET partitioning.wire_schema;
DROP FUNCTION wire(text, json);
