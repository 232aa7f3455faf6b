-- The DynamoDB protocol without HTTP.

CREATE FUNCTION partitioning.dynamodb(
    operation pg_catalog.text,
    request pg_catalog.json)
RETURNS pg_catalog.json
AS 'MODULE_PATHNAME', 'dynamodb'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 150;

COMMENT ON FUNCTION partitioning.dynamodb(pg_catalog.text, pg_catalog.json) IS
'Runs an operation of the DynamoDB API, for example GetItem, on tables of the schema partitioning.wire_schema. request is the JSON that a client would send. Returns the JSON of the response. Errors: the SQLSTATE of the service''s exception (class IM), its message, and as DETAIL the JSON body of the error response.';
