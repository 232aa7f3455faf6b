-- Who may do what.  A function may be executed by PUBLIC, as the server grants
-- by default, when it checks its caller's privileges on what it touches or
-- touches nothing.  The others serve the extension alone.  Its tables are
-- written by its own C code; what others may see of them are views.

REVOKE ALL ON SCHEMA partitioning FROM PUBLIC;
GRANT USAGE ON SCHEMA partitioning TO PUBLIC;

REVOKE ALL ON ALL TABLES IN SCHEMA partitioning FROM PUBLIC;
GRANT SELECT ON partitioning.item_tables TO PUBLIC;
GRANT SELECT ON partitioning.item_indexes TO PUBLIC;
GRANT SELECT ON partitioning.reshard_status TO PUBLIC;
GRANT SELECT ON partitioning.index_status TO PUBLIC;

REVOKE ALL ON FUNCTION
    partitioning.tables_insert(),
    partitioning.tables_changed(),
    partitioning.indexes_insert(),
    partitioning.indexes_changed(),
    partitioning.table_settings_insert(),
    partitioning.ddl_command_start(),
    partitioning.ddl_command_end(),
    partitioning.sql_drop()
FROM PUBLIC;

-- They read whole indexes whatever rights the caller has on the table.
REVOKE ALL ON FUNCTION
    partitioning.ptree_check(pg_catalog.regclass, pg_catalog.bool),
    partitioning.ptree_stats(pg_catalog.regclass)
FROM PUBLIC;

-- Whoever makes a key opens a way in that passes pg_hba.conf by.
REVOKE ALL ON FUNCTION
    partitioning.create_access_key(pg_catalog.regrole, pg_catalog.timestamptz),
    partitioning.alter_access_key(pg_catalog.text, pg_catalog.bool, pg_catalog.timestamptz),
    partitioning.drop_access_key(pg_catalog.text),
    partitioning.access_keys_changed()
FROM PUBLIC;

-- Names and loads of everybody's tables.
REVOKE ALL ON FUNCTION
    partitioning.operation_statistics(),
    partitioning.reset_operation_statistics()
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION partitioning.operation_statistics() TO pg_read_all_stats;
GRANT SELECT ON partitioning.operation_statistics TO pg_read_all_stats;
