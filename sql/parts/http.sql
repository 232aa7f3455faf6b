/*
 * The HTTP endpoint: access keys.
 */

CREATE TABLE partitioning.access_keys (
    key_id pg_catalog.text COLLATE "C" NOT NULL,
    role pg_catalog.regrole NOT NULL,
    enabled pg_catalog.bool NOT NULL,
    created_at pg_catalog.timestamptz NOT NULL,
    expires_at pg_catalog.timestamptz,
    CONSTRAINT access_keys_pkey PRIMARY KEY (key_id)
);
COMMENT ON TABLE partitioning.access_keys IS
    'access keys of the HTTP endpoint; made by create_access_key()';
COMMENT ON COLUMN partitioning.access_keys.key_id IS 'id of the key, which requests name';
COMMENT ON COLUMN partitioning.access_keys.role IS 'role that requests signed with the key run as';
COMMENT ON COLUMN partitioning.access_keys.enabled IS 'false: requests are refused';
COMMENT ON COLUMN partitioning.access_keys.created_at IS 'when the key was made';
COMMENT ON COLUMN partitioning.access_keys.expires_at IS 'when the key ends; null: never';

SELECT pg_catalog.pg_extension_config_dump('partitioning.access_keys'::pg_catalog.regclass, ''::pg_catalog.text);

/* Not marked for dumps: whoever has a dump must not have the secrets. */
CREATE TABLE partitioning.access_secrets (
    key_id pg_catalog.text COLLATE "C" NOT NULL,
    secret pg_catalog.text NOT NULL,
    CONSTRAINT access_secrets_pkey PRIMARY KEY (key_id)
);
COMMENT ON TABLE partitioning.access_secrets IS
    'secrets of access keys; not dumped';
COMMENT ON COLUMN partitioning.access_secrets.key_id IS 'id of the key';
COMMENT ON COLUMN partitioning.access_secrets.secret IS 'what signs requests';

CREATE FUNCTION partitioning.access_keys_changed()
    RETURNS pg_catalog.trigger
    LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.access_keys_changed() IS
    'tells the processes of the HTTP endpoint that access keys have changed';

CREATE TRIGGER access_keys_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON partitioning.access_keys
    FOR EACH STATEMENT EXECUTE FUNCTION partitioning.access_keys_changed();
CREATE TRIGGER access_keys_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON partitioning.access_secrets
    FOR EACH STATEMENT EXECUTE FUNCTION partitioning.access_keys_changed();
ALTER TABLE partitioning.access_keys ENABLE ALWAYS TRIGGER access_keys_changed;
ALTER TABLE partitioning.access_secrets ENABLE ALWAYS TRIGGER access_keys_changed;

CREATE FUNCTION partitioning.create_access_key(
    role pg_catalog.regrole,
    expires_at pg_catalog.timestamptz = NULL,
    OUT key_id pg_catalog.text,
    OUT secret pg_catalog.text)
AS 'MODULE_PATHNAME', 'create_access_key'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION partitioning.create_access_key(pg_catalog.regrole, pg_catalog.timestamptz) IS
'Makes an access key for the HTTP endpoint. role is the role that requests signed with it run as; it may log in, is no superuser and has neither REPLICATION nor BYPASSRLS, and the caller has its privileges. expires_at is when the key ends, null for never. Returns the key''s id and its secret, which is told only here. Errors: 22023 for a role that cannot have keys, 42501, 42704.';

CREATE FUNCTION partitioning.alter_access_key(
    key_id pg_catalog.text,
    enabled pg_catalog.bool = NULL,
    expires_at pg_catalog.timestamptz = NULL)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'alter_access_key'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION partitioning.alter_access_key(pg_catalog.text, pg_catalog.bool, pg_catalog.timestamptz) IS
'Changes an access key: enabled says whether requests signed with it are served, expires_at when it ends (infinity for never); what is null stays. Errors: 42501 without the privileges of the key''s role, 42704 for no such key.';

CREATE FUNCTION partitioning.drop_access_key(key_id pg_catalog.text)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'drop_access_key'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION partitioning.drop_access_key(pg_catalog.text) IS
'Deletes an access key. Errors: 42501 without the privileges of the key''s role, 42704 for no such key.';

/* What has been asked for, and how long it took. */
CREATE FUNCTION partitioning.operation_statistics(
    OUT table_name pg_catalog.text,
    OUT index_name pg_catalog.text,
    OUT operation pg_catalog.text,
    OUT calls pg_catalog.int8,
    OUT errors pg_catalog.int8,
    OUT p50_ms pg_catalog.float8,
    OUT p99_ms pg_catalog.float8,
    OUT items_read pg_catalog.int8,
    OUT items_returned pg_catalog.int8,
    OUT read_units pg_catalog.float8,
    OUT write_units pg_catalog.float8)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'operation_statistics'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION partitioning.operation_statistics() IS
'Returns the rows of the view operation_statistics. Error: 55000 when shared_preload_libraries lacks partitioning.';

CREATE VIEW partitioning.operation_statistics AS
    SELECT s.table_name, s.index_name, s.operation, s.calls, s.errors, s.p50_ms, s.p99_ms,
        s.items_read, s.items_returned, s.read_units, s.write_units
    FROM partitioning.operation_statistics() AS s;
COMMENT ON VIEW partitioning.operation_statistics IS
    'requests of the DynamoDB protocol since the last reset or start of the server, by table, index and operation';
COMMENT ON COLUMN partitioning.operation_statistics.table_name IS 'table; null: of requests that name none, and of failed ones for a table that none has succeeded for';
COMMENT ON COLUMN partitioning.operation_statistics.index_name IS 'index that was read; null: none';
COMMENT ON COLUMN partitioning.operation_statistics.operation IS 'operation; (others) counts what has found no room';
COMMENT ON COLUMN partitioning.operation_statistics.calls IS 'requests, failed ones too; of several tables once for each';
COMMENT ON COLUMN partitioning.operation_statistics.errors IS 'requests answered with an error';
COMMENT ON COLUMN partitioning.operation_statistics.p50_ms IS 'half of the requests took no longer, in milliseconds';
COMMENT ON COLUMN partitioning.operation_statistics.p99_ms IS '99 of 100 requests took no longer, in milliseconds';
COMMENT ON COLUMN partitioning.operation_statistics.items_read IS 'items that reads have looked at';
COMMENT ON COLUMN partitioning.operation_statistics.items_returned IS 'items that clients got';
COMMENT ON COLUMN partitioning.operation_statistics.read_units IS 'consumed read units';
COMMENT ON COLUMN partitioning.operation_statistics.write_units IS 'consumed write units';

CREATE FUNCTION partitioning.reset_operation_statistics()
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'reset_operation_statistics'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION partitioning.reset_operation_statistics() IS
'Begins the counts of operation_statistics anew, in all databases.';
