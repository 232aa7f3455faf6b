\echo Use "CREATE EXTENSION partitioning" to load this file. \quit

/*
 * CREATE EXTENSION adopts a schema that exists.  Whoever owns it, may create
 * in it, or has left something in it, could make its objects pass for ours,
 * so only an empty schema of someone who could install us anyway will do
 * (pg_dump makes the schema and sets its owner first).
 */
DO LANGUAGE plpgsql $$
DECLARE
    schema_oid pg_catalog.oid;
    schema_owner pg_catalog.oid;
    intruder pg_catalog.text;
BEGIN
    IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8'::pg_catalog.name THEN
        RAISE EXCEPTION 'partitioning needs a database with encoding UTF8'
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = pg_catalog.format('The encoding of this database is %s.', pg_catalog.getdatabaseencoding());
    END IF;

    SELECT n.oid, n.nspowner INTO STRICT schema_oid, schema_owner
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname OPERATOR(pg_catalog.=) 'partitioning'::pg_catalog.name;

    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_roles AS r
        WHERE r.oid OPERATOR(pg_catalog.=) schema_owner
          AND (r.rolsuper
               OR r.rolname OPERATOR(pg_catalog.=) CURRENT_USER
               OR EXISTS (
                   SELECT FROM pg_catalog.pg_database AS d
                   WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
                     AND d.datdba OPERATOR(pg_catalog.=) r.oid)))
    THEN
        RAISE EXCEPTION 'schema "partitioning" exists and belongs to role "%"', pg_catalog.pg_get_userbyid(schema_owner)
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = 'Its owner must be a superuser, the owner of the database, or the role that creates the extension.',
                  HINT = 'Drop or rename the schema.';
    END IF;

    SELECT pg_catalog.pg_get_userbyid(a.grantee) INTO intruder
    FROM pg_catalog.pg_namespace AS n, pg_catalog.aclexplode(n.nspacl) AS a
    WHERE n.oid OPERATOR(pg_catalog.=) schema_oid
      AND a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'::pg_catalog.text
      AND a.grantee OPERATOR(pg_catalog.<>) schema_owner
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'schema "partitioning" exists and others than its owner may create objects in it'
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'REVOKE CREATE ON SCHEMA partitioning FROM them, or drop the schema.';
    END IF;

    SELECT pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid) INTO intruder
    FROM pg_catalog.pg_depend AS d
    WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass
      AND d.refobjid OPERATOR(pg_catalog.=) schema_oid
      AND d.classid OPERATOR(pg_catalog.<>) 'pg_catalog.pg_extension'::pg_catalog.regclass
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'schema "partitioning" exists and is not empty'
            USING ERRCODE = 'duplicate_schema',
                  DETAIL = pg_catalog.format('It holds %s.', intruder),
                  HINT = 'Drop or rename the schema.';
    END IF;
END
$$;

