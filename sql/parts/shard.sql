/*
 * Write sharding.
 */

CREATE FUNCTION partitioning.shard_key(table_name pg_catalog.text, pk pg_catalog.text, sk pg_catalog.text)
    RETURNS pg_catalog.text
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.shard_key(pg_catalog.text, pg_catalog.text, pg_catalog.text) IS
    'partition key under which the item of a key is stored in a table with write shards; one that it can be inserted under when there is no such item; IM003 for an unknown table';

CREATE FUNCTION partitioning.shard_key(table_name pg_catalog.text, pk pg_catalog.text, sk pg_catalog.numeric)
    RETURNS pg_catalog.text
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.shard_key(pg_catalog.text, pg_catalog.text, pg_catalog.numeric) IS
    'partition key under which the item of a key is stored in a table with write shards; one that it can be inserted under when there is no such item; IM003 for an unknown table';

CREATE FUNCTION partitioning.shard_key(table_name pg_catalog.text, pk pg_catalog.text, sk pg_catalog.bytea)
    RETURNS pg_catalog.text
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.shard_key(pg_catalog.text, pg_catalog.text, pg_catalog.bytea) IS
    'partition key under which the item of a key is stored in a table with write shards; one that it can be inserted under when there is no such item; IM003 for an unknown table';
