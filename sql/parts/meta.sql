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

/* What a user may see: tables that he owns or has some privilege on. */
CREATE VIEW partitioning.item_tables WITH (security_barrier) AS
    SELECT t.schema_name, t.table_name,
           t.partition_key, t.partition_key_type, t.sort_key, t.sort_key_type,
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
    WHEN TAG IN ('ALTER TABLE', 'ALTER INDEX', 'DROP INDEX')
    EXECUTE FUNCTION partitioning.ddl_command_start();
CREATE EVENT TRIGGER partitioning_ddl_command_end ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER INDEX', 'ALTER SCHEMA', 'CREATE TABLE')
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
    'makes an item table in the first schema of search_path that is not partitioning: names of the key attributes, their types S (default), N or B as {"name": "type"}, options {"index_method": "btree"}; IM004 when the name is taken';

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
