/*
 * The extension's own catalog, and the event triggers that keep it in step
 * with DDL.
 */

/* Keyed by names, which survive dump and restore and are equal on all nodes. */
CREATE TABLE partitioning.tables (
    schema_name pg_catalog.name NOT NULL,
    table_name pg_catalog.name NOT NULL,
    partition_key pg_catalog.text COLLATE "C" NOT NULL,
    partition_key_type pg_catalog."char" NOT NULL,
    sort_key pg_catalog.text COLLATE "C",
    sort_key_type pg_catalog."char",
    write_shards pg_catalog.int4 NOT NULL DEFAULT 1,
    shard_by pg_catalog.text COLLATE "C",
    former_shards pg_catalog.int4 NOT NULL DEFAULT 0,
    reshard_position partitioning.item,
    reshard_moved pg_catalog.int8 NOT NULL DEFAULT 0,
    reshard_horizon pg_catalog.int8,
    CONSTRAINT tables_pkey PRIMARY KEY (schema_name, table_name),
    CONSTRAINT tables_types CHECK (
        (partition_key_type OPERATOR(pg_catalog.=) 'S'::pg_catalog."char"
         OR partition_key_type OPERATOR(pg_catalog.=) 'N'::pg_catalog."char"
         OR partition_key_type OPERATOR(pg_catalog.=) 'B'::pg_catalog."char")
        AND (sort_key IS NULL) OPERATOR(pg_catalog.=) (sort_key_type IS NULL)
        AND (sort_key_type IS NULL
             OR sort_key_type OPERATOR(pg_catalog.=) 'S'::pg_catalog."char"
             OR sort_key_type OPERATOR(pg_catalog.=) 'N'::pg_catalog."char"
             OR sort_key_type OPERATOR(pg_catalog.=) 'B'::pg_catalog."char"))
);
COMMENT ON TABLE partitioning.tables IS
    'item tables; written by the extension only, read the view item_tables';
COMMENT ON COLUMN partitioning.tables.schema_name IS 'schema of the item table';
COMMENT ON COLUMN partitioning.tables.table_name IS 'name of the item table';
COMMENT ON COLUMN partitioning.tables.partition_key IS 'attribute that column pk stands for';
COMMENT ON COLUMN partitioning.tables.partition_key_type IS 'S, N or B';
COMMENT ON COLUMN partitioning.tables.sort_key IS 'attribute that column sk stands for; null without sort key';
COMMENT ON COLUMN partitioning.tables.sort_key_type IS 'S, N or B; null without sort key';
COMMENT ON COLUMN partitioning.tables.write_shards IS 'write shards of a partition; 1: stored partition keys have no number';
COMMENT ON COLUMN partitioning.tables.shard_by IS 'attribute whose value decides on the shard, or random; null: the sort key decides';
COMMENT ON COLUMN partitioning.tables.former_shards IS 'write shards before the change that is under way; 0: none is';
COMMENT ON COLUMN partitioning.tables.reshard_position IS 'stored key up to which items have been moved';
COMMENT ON COLUMN partitioning.tables.reshard_moved IS 'items that have been moved';
COMMENT ON COLUMN partitioning.tables.reshard_horizon IS 'when all have been moved: no older transaction may be left before the change is complete';

SELECT pg_catalog.pg_extension_config_dump('partitioning.tables'::pg_catalog.regclass, ''::pg_catalog.text);

CREATE FUNCTION partitioning.tables_insert()
    RETURNS pg_catalog.trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.tables_insert() IS
    'lets a restore insert a row that partitioning.tables has already';

CREATE FUNCTION partitioning.tables_changed()
    RETURNS pg_catalog.trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.tables_changed() IS
    'tells all sessions that partitioning.tables has changed';

CREATE TRIGGER tables_insert BEFORE INSERT ON partitioning.tables
    FOR EACH ROW EXECUTE FUNCTION partitioning.tables_insert();
CREATE TRIGGER tables_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON partitioning.tables
    FOR EACH STATEMENT EXECUTE FUNCTION partitioning.tables_changed();
ALTER TABLE partitioning.tables ENABLE ALWAYS TRIGGER tables_insert;
ALTER TABLE partitioning.tables ENABLE ALWAYS TRIGGER tables_changed;

/* Secondary indexes, keyed likewise. */
CREATE TABLE partitioning.indexes (
    schema_name pg_catalog.name NOT NULL,
    table_name pg_catalog.name NOT NULL,
    index_name pg_catalog.text COLLATE "C" NOT NULL,
    kind pg_catalog.text NOT NULL,
    partition_keys pg_catalog.text[] NOT NULL,
    partition_key_types pg_catalog.text[] NOT NULL,
    sort_keys pg_catalog.text[] NOT NULL,
    sort_key_types pg_catalog.text[] NOT NULL,
    templates pg_catalog.jsonb NOT NULL,
    projection pg_catalog.text NOT NULL,
    include pg_catalog.text[] NOT NULL,
    propagation pg_catalog.text NOT NULL,
    unique_key pg_catalog.bool NOT NULL,
    write_shards pg_catalog.int4 NOT NULL,
    status pg_catalog.text NOT NULL,
    relation_name pg_catalog.name,
    column_name pg_catalog.name,
    options pg_catalog.jsonb NOT NULL,
    CONSTRAINT indexes_pkey PRIMARY KEY (schema_name, table_name, index_name),
    CONSTRAINT indexes_kind CHECK (
        kind OPERATOR(pg_catalog.=) 'local'::pg_catalog.text AND relation_name IS NULL AND column_name IS NOT NULL
        OR kind OPERATOR(pg_catalog.=) 'global'::pg_catalog.text AND relation_name IS NOT NULL AND column_name IS NULL)
);
COMMENT ON TABLE partitioning.indexes IS
    'secondary indexes of item tables; written by the extension only, read the view item_indexes';
COMMENT ON COLUMN partitioning.indexes.schema_name IS 'schema of the item table';
COMMENT ON COLUMN partitioning.indexes.table_name IS 'name of the item table';
COMMENT ON COLUMN partitioning.indexes.index_name IS 'name of the index, one of the table';
COMMENT ON COLUMN partitioning.indexes.kind IS 'local: same partition key as the table; global: any';
COMMENT ON COLUMN partitioning.indexes.partition_keys IS 'attributes that are the partition key';
COMMENT ON COLUMN partitioning.indexes.partition_key_types IS 'S, N or B for each of these';
COMMENT ON COLUMN partitioning.indexes.sort_keys IS 'attributes that are the sort key; none without sort key';
COMMENT ON COLUMN partitioning.indexes.sort_key_types IS 'S, N or B for each of these';
COMMENT ON COLUMN partitioning.indexes.templates IS 'templates of the key attributes that are computed';
COMMENT ON COLUMN partitioning.indexes.projection IS 'attributes beside keys: ALL, KEYS_ONLY or INCLUDE';
COMMENT ON COLUMN partitioning.indexes.include IS 'the attributes of INCLUDE';
COMMENT ON COLUMN partitioning.indexes.propagation IS 'sync: in the transaction of the write; async: after it';
COMMENT ON COLUMN partitioning.indexes.unique_key IS 'whether no two items may have the same key in the index';
COMMENT ON COLUMN partitioning.indexes.write_shards IS 'write shards of a partition of a global index';
COMMENT ON COLUMN partitioning.indexes.status IS 'ACTIVE, or CREATING while it cannot be read';
COMMENT ON COLUMN partitioning.indexes.relation_name IS 'global: the index table, in the schema of the item table';
COMMENT ON COLUMN partitioning.indexes.column_name IS 'local: the column of the item table that holds the sort key';
COMMENT ON COLUMN partitioning.indexes.options IS 'further options, as given';

SELECT pg_catalog.pg_extension_config_dump('partitioning.indexes'::pg_catalog.regclass, ''::pg_catalog.text);

CREATE FUNCTION partitioning.indexes_insert()
    RETURNS pg_catalog.trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.indexes_insert() IS
    'lets a restore insert a row that partitioning.indexes has already';

CREATE FUNCTION partitioning.indexes_changed()
    RETURNS pg_catalog.trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.indexes_changed() IS
    'tells all sessions that partitioning.indexes has changed';

CREATE TRIGGER indexes_insert BEFORE INSERT ON partitioning.indexes
    FOR EACH ROW EXECUTE FUNCTION partitioning.indexes_insert();
CREATE TRIGGER indexes_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON partitioning.indexes
    FOR EACH STATEMENT EXECUTE FUNCTION partitioning.indexes_changed();
ALTER TABLE partitioning.indexes ENABLE ALWAYS TRIGGER indexes_insert;
ALTER TABLE partitioning.indexes ENABLE ALWAYS TRIGGER indexes_changed;

/* What else a table has. */
CREATE TABLE partitioning.table_settings (
    schema_name pg_catalog.name NOT NULL,
    table_name pg_catalog.name NOT NULL,
    service_name pg_catalog.text COLLATE "C",
    table_id pg_catalog.uuid NOT NULL,
    created pg_catalog.timestamptz NOT NULL,
    settings pg_catalog.jsonb NOT NULL,
    tags pg_catalog.jsonb NOT NULL,
    CONSTRAINT table_settings_pkey PRIMARY KEY (schema_name, table_name),
    CONSTRAINT table_settings_objects CHECK (
        pg_catalog.jsonb_typeof(settings) OPERATOR(pg_catalog.=) 'object'::pg_catalog.text
        AND pg_catalog.jsonb_typeof(tags) OPERATOR(pg_catalog.=) 'object'::pg_catalog.text)
);
COMMENT ON TABLE partitioning.table_settings IS
    'what clients of the service have set for item tables; written by the extension only';
COMMENT ON COLUMN partitioning.table_settings.schema_name IS 'schema of the item table';
COMMENT ON COLUMN partitioning.table_settings.table_name IS 'name of the item table';
COMMENT ON COLUMN partitioning.table_settings.service_name IS 'name in requests, where it is too long for a relation; else null';
COMMENT ON COLUMN partitioning.table_settings.table_id IS 'the service''s TableId';
COMMENT ON COLUMN partitioning.table_settings.created IS 'when the item table was made or registered';
COMMENT ON COLUMN partitioning.table_settings.settings IS 'billing mode, throughput, stream, time to live and so on, in the service''s words';
COMMENT ON COLUMN partitioning.table_settings.tags IS 'tags, values by keys';

SELECT pg_catalog.pg_extension_config_dump('partitioning.table_settings'::pg_catalog.regclass, ''::pg_catalog.text);

CREATE FUNCTION partitioning.table_settings_insert()
    RETURNS pg_catalog.trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.table_settings_insert() IS
    'lets a restore replace a row of partitioning.table_settings';

CREATE TRIGGER table_settings_insert BEFORE INSERT ON partitioning.table_settings
    FOR EACH ROW EXECUTE FUNCTION partitioning.table_settings_insert();
ALTER TABLE partitioning.table_settings ENABLE ALWAYS TRIGGER table_settings_insert;

/* What a user may see: tables that he owns or has some privilege on. */
CREATE VIEW partitioning.item_tables WITH (security_barrier) AS
    SELECT t.schema_name, t.table_name,
           t.partition_key, t.partition_key_type, t.sort_key, t.sort_key_type,
           t.write_shards, t.shard_by,
           c.oid::pg_catalog.regclass AS relation,
           pg_catalog.pg_get_userbyid(c.relowner) AS owner
    FROM partitioning.tables AS t
    JOIN pg_catalog.pg_namespace AS n ON n.nspname OPERATOR(pg_catalog.=) t.schema_name
    JOIN pg_catalog.pg_class AS c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid
        AND c.relname OPERATOR(pg_catalog.=) t.table_name
    WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE'::pg_catalog.text)
       OR pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE'::pg_catalog.text);
COMMENT ON VIEW partitioning.item_tables IS
    'item tables that the current user owns or may read or write, with their key attributes';

/* The indexes of those tables. */
CREATE VIEW partitioning.item_indexes WITH (security_barrier) AS
    SELECT i.schema_name, i.table_name, i.index_name, i.kind,
           i.partition_keys, i.partition_key_types, i.sort_keys, i.sort_key_types,
           i.templates, i.projection, i.include, i.propagation, i.unique_key,
           i.write_shards, i.status, i.relation_name, i.column_name, i.options,
           t.relation AS table_relation
    FROM partitioning.indexes AS i
    JOIN partitioning.item_tables AS t
        ON t.schema_name OPERATOR(pg_catalog.=) i.schema_name
        AND t.table_name OPERATOR(pg_catalog.=) i.table_name;
COMMENT ON VIEW partitioning.item_indexes IS
    'secondary indexes of the item tables that the current user owns or may read or write';

CREATE FUNCTION partitioning.ddl_command_start()
    RETURNS pg_catalog.event_trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.ddl_command_start() IS
    'refuses what would break an item table';

CREATE FUNCTION partitioning.ddl_command_end()
    RETURNS pg_catalog.event_trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.ddl_command_end() IS
    'follows renamed and moved item tables, and completes new partitions';

CREATE FUNCTION partitioning.sql_drop()
    RETURNS pg_catalog.event_trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.sql_drop() IS
    'forgets dropped item tables';

CREATE EVENT TRIGGER partitioning_ddl_command_start ON ddl_command_start
    WHEN TAG IN ('ALTER TABLE', 'ALTER INDEX', 'ALTER TRIGGER', 'CREATE TABLE', 'CREATE TRIGGER', 'DROP INDEX', 'DROP TRIGGER',
                 -- these drop partitions, of which the library must be told
                 'DROP TABLE', 'DROP SCHEMA', 'DROP OWNED',
                 -- these rename columns of tables, too
                 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER TYPE')
    EXECUTE FUNCTION partitioning.ddl_command_start();
CREATE EVENT TRIGGER partitioning_ddl_command_end ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER INDEX', 'ALTER SCHEMA',
                 'CREATE TABLE', 'CREATE FOREIGN TABLE', 'CREATE SCHEMA')
    EXECUTE FUNCTION partitioning.ddl_command_end();
CREATE EVENT TRIGGER partitioning_sql_drop ON sql_drop
    EXECUTE FUNCTION partitioning.sql_drop();
ALTER EVENT TRIGGER partitioning_ddl_command_start ENABLE ALWAYS;
ALTER EVENT TRIGGER partitioning_ddl_command_end ENABLE ALWAYS;
ALTER EVENT TRIGGER partitioning_sql_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER partitioning_ddl_command_start IS
    'refuses what would break an item table';
COMMENT ON EVENT TRIGGER partitioning_ddl_command_end IS
    'follows renamed and moved item tables, and completes new partitions';
COMMENT ON EVENT TRIGGER partitioning_sql_drop IS
    'forgets dropped item tables';

/* Item tables. */

CREATE FUNCTION partitioning.create_table(table_name pg_catalog.text, partition_key pg_catalog.text,
    sort_key pg_catalog.text DEFAULT NULL, attribute_types pg_catalog.jsonb DEFAULT '{}',
    write_shards pg_catalog.int4 DEFAULT 1, shard_by pg_catalog.text DEFAULT NULL,
    options pg_catalog.jsonb DEFAULT '{}')
    RETURNS pg_catalog.regclass
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.create_table(pg_catalog.text, pg_catalog.text, pg_catalog.text, pg_catalog.jsonb, pg_catalog.int4, pg_catalog.text, pg_catalog.jsonb) IS
    'makes an item table in the first schema of search_path that is not partitioning: names of the key attributes, their types S (default), N or B as {"name": "type"}, write_shards of each partition (1: none; needs a partition key of type S and a sort key), shard_by NULL (the sort key), an attribute, or random, options {"index_method": "btree"}; IM004 when the name is taken';

CREATE FUNCTION partitioning.drop_table(table_name pg_catalog.text)
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.drop_table(pg_catalog.text) IS
    'drops an item table, as DROP TABLE does; IM003 when there is none of this name';

CREATE FUNCTION partitioning.register_table(relation pg_catalog.regclass, partition_key pg_catalog.text,
    sort_key pg_catalog.text DEFAULT NULL, attribute_types pg_catalog.jsonb DEFAULT '{}')
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.register_table(pg_catalog.regclass, pg_catalog.text, pg_catalog.text, pg_catalog.jsonb) IS
    'makes an item table of a table with columns pk, [sk,] attributes that the caller owns, partitioned by hash of pk or not: adds constraint, key index, replica identity and comments where they lack';

/* Secondary indexes. */

CREATE FUNCTION partitioning.create_local_index(table_name pg_catalog.text, index_name pg_catalog.text,
    sort_key pg_catalog.text, attribute_types pg_catalog.jsonb DEFAULT '{}',
    projection pg_catalog.text DEFAULT 'ALL', include pg_catalog.text[] DEFAULT '{}',
    templates pg_catalog.jsonb DEFAULT '{}')
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.create_local_index(pg_catalog.text, pg_catalog.text, pg_catalog.text, pg_catalog.jsonb, pg_catalog.text, pg_catalog.text[], pg_catalog.jsonb) IS
    'makes a local index of an item table, with the partition key of the table and another sort key: its type S (default), N or B as {"name": "type"}, projection ALL, KEYS_ONLY or INCLUDE with the attributes to include, templates {"name": "{attribute}#{attribute}"} for a computed sort key; adds a column and rewrites the table; errors IM001, IM003 for an unknown table';

CREATE FUNCTION partitioning.drop_index(table_name pg_catalog.text, index_name pg_catalog.text)
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.drop_index(pg_catalog.text, pg_catalog.text) IS
    'drops a secondary index of an item table; IM003 when there is no such table or index';
