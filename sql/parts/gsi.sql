/* Global indexes of item tables. */

CREATE FUNCTION partitioning.index_guard()
    RETURNS pg_catalog.trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_guard() IS
    'trigger of index tables: refuses changes by others than the maintenance of the index';

/*
 * Changes that asynchronous indexes have yet to follow.  Two tables, of which
 * one is emptied while the other one fills.  Whoever applies a change looks at
 * the item as it is then, so that their order says nothing and there is no
 * index on them.  In a dump they go with the tables that lag behind.
 */
CREATE TABLE partitioning.index_queue_0 (
    item_table pg_catalog.regclass NOT NULL,
    indexes pg_catalog.regclass[] NOT NULL,
    change pg_catalog.bytea NOT NULL,
    queued_at pg_catalog.timestamptz NOT NULL
) USING heap WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off);
COMMENT ON TABLE partitioning.index_queue_0 IS
    'changes of items that asynchronous indexes have yet to follow, one half; see index_status';
COMMENT ON COLUMN partitioning.index_queue_0.item_table IS 'the item table';
COMMENT ON COLUMN partitioning.index_queue_0.indexes IS 'index tables of the indexes that the change concerns';
COMMENT ON COLUMN partitioning.index_queue_0.change IS
    'key of the item, and for each index the key of the entry that is to go';
COMMENT ON COLUMN partitioning.index_queue_0.queued_at IS 'begin of the transaction';

CREATE TABLE partitioning.index_queue_1 (
    item_table pg_catalog.regclass NOT NULL,
    indexes pg_catalog.regclass[] NOT NULL,
    change pg_catalog.bytea NOT NULL,
    queued_at pg_catalog.timestamptz NOT NULL
) USING heap WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off);
COMMENT ON TABLE partitioning.index_queue_1 IS
    'the other half of partitioning.index_queue_0';
COMMENT ON COLUMN partitioning.index_queue_1.item_table IS 'the item table';
COMMENT ON COLUMN partitioning.index_queue_1.indexes IS 'index tables of the indexes that the change concerns';
COMMENT ON COLUMN partitioning.index_queue_1.change IS
    'key of the item, and for each index the key of the entry that is to go';
COMMENT ON COLUMN partitioning.index_queue_1.queued_at IS 'begin of the transaction';

ALTER TABLE partitioning.index_queue_0 REPLICA IDENTITY FULL;
ALTER TABLE partitioning.index_queue_1 REPLICA IDENTITY FULL;
SELECT pg_catalog.pg_extension_config_dump('partitioning.index_queue_0'::pg_catalog.regclass, ''::pg_catalog.text);
SELECT pg_catalog.pg_extension_config_dump('partitioning.index_queue_1'::pg_catalog.regclass, ''::pg_catalog.text);

/*
 * What the background worker knows of an index beside its definition: where it
 * has come to in filling it, and its last error.  Not for dumps, since it
 * can begin anew.
 */
CREATE TABLE partitioning.index_state (
    index_table pg_catalog.regclass NOT NULL,
    leaf pg_catalog.regclass,
    file pg_catalog.oid,
    next_block pg_catalog.int8 NOT NULL,
    end_block pg_catalog.int8 NOT NULL,
    items_done pg_catalog.int8 NOT NULL,
    items_total pg_catalog.int8 NOT NULL,
    last_error pg_catalog.text,
    CONSTRAINT index_state_pkey PRIMARY KEY (index_table)
) USING heap;
COMMENT ON TABLE partitioning.index_state IS
    'how far the making of asynchronous indexes is, and what went wrong; see index_status';
COMMENT ON COLUMN partitioning.index_state.index_table IS 'index table of the index';
COMMENT ON COLUMN partitioning.index_state.leaf IS 'item table, or its partition, that is being read; null: none';
COMMENT ON COLUMN partitioning.index_state.file IS 'its file, as pg_class.relfilenode: another one is read from the beginning';
COMMENT ON COLUMN partitioning.index_state.next_block IS 'first block that has not been read';
COMMENT ON COLUMN partitioning.index_state.end_block IS 'first block that need not be read';
COMMENT ON COLUMN partitioning.index_state.items_done IS 'items that have been read';
COMMENT ON COLUMN partitioning.index_state.items_total IS 'how many that will be, estimated';
COMMENT ON COLUMN partitioning.index_state.last_error IS 'why changes cannot be applied; null: they can';
ALTER TABLE partitioning.index_state REPLICA IDENTITY FULL;

CREATE FUNCTION partitioning.create_global_index(table_name pg_catalog.text, index_name pg_catalog.text,
    partition_key pg_catalog.text DEFAULT NULL, sort_key pg_catalog.text DEFAULT NULL,
    attribute_types pg_catalog.jsonb DEFAULT '{}', projection pg_catalog.text DEFAULT 'ALL',
    include pg_catalog.text[] DEFAULT '{}', propagation pg_catalog.text DEFAULT NULL,
    unique_key pg_catalog.bool DEFAULT false, write_shards pg_catalog.int4 DEFAULT 1,
    partition_keys pg_catalog.text[] DEFAULT NULL, sort_keys pg_catalog.text[] DEFAULT NULL,
    templates pg_catalog.jsonb DEFAULT '{}', options pg_catalog.jsonb DEFAULT '{}')
    RETURNS pg_catalog.regclass
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.create_global_index(pg_catalog.text, pg_catalog.text, pg_catalog.text, pg_catalog.text, pg_catalog.jsonb, pg_catalog.text, pg_catalog.text[], pg_catalog.text, pg_catalog.bool, pg_catalog.int4, pg_catalog.text[], pg_catalog.text[], pg_catalog.jsonb, pg_catalog.jsonb) IS
    'makes a global index of an item table and returns its index table: one attribute or up to four for partition and sort key, their types S (default), N or B as {"name": "type"}, projection ALL, KEYS_ONLY or INCLUDE with the attributes to include, propagation async (default) or sync, unique_key (implies sync), templates {"name": "{attribute}#{attribute}"} for computed keys; asynchronous indexes are filled by the background worker while writers go on, synchronous ones block writers of the table; errors IM001, IM003 for an unknown table, 23505 when a unique key is not';

CREATE FUNCTION partitioning.verify_index(table_name pg_catalog.text, index_name pg_catalog.text,
    OUT problem pg_catalog.text, OUT index_key partitioning.item, OUT base_key partitioning.item)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c STABLE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.verify_index(pg_catalog.text, pg_catalog.text) IS
    'compares a global index with its item table in one snapshot; a row for each entry that is missing, stale, duplicate or extra; needs SELECT on the table';

CREATE FUNCTION partitioning.rebuild_index(table_name pg_catalog.text, index_name pg_catalog.text)
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.rebuild_index(pg_catalog.text, pg_catalog.text) IS
    'makes all entries of a global index anew, and its index table if that is lost; blocks writers of the table and readers of the index; for the owner of the table';

CREATE FUNCTION partitioning.index_key(table_name pg_catalog.text, index_name pg_catalog.text,
    VARIADIC "values" "any")
    RETURNS pg_catalog.bytea
    LANGUAGE c STABLE CALLED ON NULL INPUT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_key(pg_catalog.text, pg_catalog.text, VARIADIC "any") IS
    'column pk of a global index with several partition keys, from their values; with further values, column sk, from those, of which the last ones may be left out to get the prefix of all that begin so';

CREATE FUNCTION partitioning.alter_index(table_name pg_catalog.text, index_name pg_catalog.text,
    propagation pg_catalog.text)
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.alter_index(pg_catalog.text, pg_catalog.text, pg_catalog.text) IS
    'changes how a global index follows its table: sync, in the transaction of the write, or async, after its commit; blocks writers of the table; for the owner of the table';

CREATE FUNCTION partitioning.flush_index(table_name pg_catalog.text, index_name pg_catalog.text,
    timeout pg_catalog.interval DEFAULT '30 s')
    RETURNS pg_catalog.bool
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.flush_index(pg_catalog.text, pg_catalog.text, pg_catalog.interval) IS
    'waits until a global index is active and has what was committed before the call, whoever has committed it; false after the timeout, null is none; needs SELECT on the table';

CREATE FUNCTION partitioning.index_rate(index_table pg_catalog.regclass)
    RETURNS pg_catalog.float8
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_rate(pg_catalog.regclass) IS
    'changes per second that the background worker has applied to an asynchronous index, by its index table, of late';

/* What is queued is counted, in both halves. */
CREATE VIEW partitioning.index_status WITH (security_barrier) AS
    SELECT i.table_name, i.index_name, i.status,
           coalesce(q.queued, 0) AS queued,
           CASE WHEN q.oldest IS NULL THEN 0::pg_catalog.float8
                ELSE greatest(0::pg_catalog.float8,
                              pg_catalog.date_part('epoch'::pg_catalog.text,
                                                   pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) q.oldest))
           END AS lag_seconds,
           CASE WHEN i.propagation OPERATOR(pg_catalog.=) 'async'::pg_catalog.text
                THEN partitioning.index_rate(c.oid::pg_catalog.regclass)
           END AS applied_per_second,
           s.items_done AS backfill_done,
           greatest(s.items_total, s.items_done) AS backfill_total,
           s.last_error,
           i.schema_name, i.propagation
    FROM partitioning.item_indexes AS i
    JOIN pg_catalog.pg_namespace AS n ON n.nspname OPERATOR(pg_catalog.=) i.schema_name
    LEFT JOIN pg_catalog.pg_class AS c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid
        AND c.relname OPERATOR(pg_catalog.=) i.relation_name
    LEFT JOIN partitioning.index_state AS s
        ON s.index_table::pg_catalog.oid OPERATOR(pg_catalog.=) c.oid
    LEFT JOIN (
        SELECT u.index_table::pg_catalog.oid AS index_table, pg_catalog.count(*) AS queued,
               pg_catalog.min(h.queued_at) AS oldest
        FROM (SELECT indexes, queued_at FROM partitioning.index_queue_0
              UNION ALL
              SELECT indexes, queued_at FROM partitioning.index_queue_1) AS h,
             LATERAL pg_catalog.unnest(h.indexes) AS u (index_table)
        GROUP BY u.index_table::pg_catalog.oid) AS q
        ON q.index_table OPERATOR(pg_catalog.=) c.oid
    WHERE i.kind OPERATOR(pg_catalog.=) 'global'::pg_catalog.text;
COMMENT ON VIEW partitioning.index_status IS
    'how far the global indexes of the current user''s tables have followed: changes queued, how old the oldest is, changes applied per second, items read and to be read while the index is being made, last error';
