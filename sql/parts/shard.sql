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

CREATE FUNCTION partitioning.reshard(table_name pg_catalog.text, shards pg_catalog.int4)
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.reshard(pg_catalog.text, pg_catalog.int4) IS
    'changes the number of write shards of an item table that the caller owns: a background job moves the items when the transaction has committed, see the view reshard_status; calling it again with the same number does no harm; IM003 for an unknown table, 55000 for one without write shards, 55006 while another change is under way';

CREATE VIEW partitioning.reshard_status WITH (security_barrier) AS
    SELECT t.schema_name, t.table_name, t.former_shards, t.write_shards AS shards,
           CASE WHEN t.reshard_horizon IS NULL THEN 'moving' ELSE 'waiting for older transactions' END AS status,
           t.reshard_moved AS moved
    FROM partitioning.tables AS t
    JOIN partitioning.item_tables AS i
        ON i.schema_name OPERATOR(pg_catalog.=) t.schema_name
        AND i.table_name OPERATOR(pg_catalog.=) t.table_name
    WHERE t.former_shards OPERATOR(pg_catalog.>) 0;
COMMENT ON VIEW partitioning.reshard_status IS
    'item tables of the current user whose number of write shards is being changed, and how many items have been moved';

CREATE FUNCTION partitioning.shard_report(table_name pg_catalog.text, write_units pg_catalog.int4 DEFAULT 1000,
    OUT shard pg_catalog.int4, OUT items pg_catalog.int8, OUT bytes pg_catalog.int8, OUT share pg_catalog.float8,
    OUT largest_key partitioning.item, OUT largest_key_items pg_catalog.int8, OUT largest_key_bytes pg_catalog.int8,
    OUT suggested_shards pg_catalog.int4, OUT query_reads pg_catalog.int4)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.shard_report(pg_catalog.text, pg_catalog.int4) IS
    'reads a whole item table: for each write shard (null without shards) the items in it, their bytes, its share of all bytes, and the partition key that has most in it; the number of shards that a partition key written with so many units a second needs, and how many index entries a query of ten items then reads; IM003 for an unknown table';
