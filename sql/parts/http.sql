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
