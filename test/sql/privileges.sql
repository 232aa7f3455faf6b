-- Who may do what: the item functions ask for the privileges that the
-- equivalent SQL would need.
CREATE SCHEMA privileges;
SET search_path = privileges, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 1}');
CREATE ROLE regress_item_user;
GRANT USAGE ON SCHEMA privileges TO regress_item_user;

-- SQLSTATE of each operation for a role with some privileges.
CREATE FUNCTION outcomes(privileges text) RETURNS TABLE (operation text, outcome text) LANGUAGE plpgsql AS $$
DECLARE
    statements text[] := ARRAY[
        'get', $q$SELECT get_item('app', '{"PK": "A", "SK": "1"}')$q$,
        'query', $q$SELECT * FROM query('app', 'PK = :pk', '{":pk": "A"}')$q$,
        'scan', $q$SELECT * FROM scan('app')$q$,
        'query_page', $q$SELECT * FROM query_page('app', 'PK = :pk', '{":pk": "A"}')$q$,
        'put', $q$SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 2}')$q$,
        'put with condition', $q$SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 2}', 'v > :v', '{":v": 0}')$q$,
        'put ALL_OLD', $q$SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 2}', return_values => 'ALL_OLD')$q$,
        'try_put', $q$SELECT try_put('app', '{"PK": "A", "SK": "1", "v": 2}')$q$,
        'update', $q$SELECT update_item('app', '{"PK": "A", "SK": "1"}', 'SET v = :v', '{":v": 3}')$q$,
        'delete', $q$SELECT delete_item('app', '{"PK": "A", "SK": "2"}')$q$,
        'delete with condition', $q$SELECT delete_item('app', '{"PK": "A", "SK": "2"}', 'attribute_not_exists(PK)')$q$,
        'delete ALL_OLD', $q$SELECT delete_item('app', '{"PK": "A", "SK": "2"}', return_values => 'ALL_OLD')$q$,
        'try_delete', $q$SELECT try_delete('app', '{"PK": "A", "SK": "2"}')$q$];
BEGIN
    IF privileges <> '' THEN
        EXECUTE format('GRANT %s ON app TO regress_item_user', privileges);
    END IF;
    SET LOCAL ROLE regress_item_user;
    FOR i IN 1 .. cardinality(statements) BY 2 LOOP
        operation := statements[i];
        BEGIN
            EXECUTE statements[i + 1];
            outcome := 'allowed';
        EXCEPTION WHEN OTHERS THEN
            outcome := SQLSTATE || ' ' || SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    RESET ROLE;
    REVOKE ALL ON app FROM regress_item_user;
END $$;
SELECT * FROM outcomes('');
SELECT * FROM outcomes('SELECT');
SELECT * FROM outcomes('INSERT');
SELECT * FROM outcomes('UPDATE');
SELECT * FROM outcomes('INSERT, UPDATE');
SELECT * FROM outcomes('INSERT, UPDATE, SELECT');
SELECT * FROM outcomes('DELETE');
SELECT * FROM outcomes('DELETE, SELECT');

-- Without USAGE on the schema the table cannot be reached, not even by its
-- full name.
REVOKE USAGE ON SCHEMA privileges FROM regress_item_user;
GRANT SELECT ON app TO regress_item_user;
SET ROLE regress_item_user;
SELECT partitioning.get_item('privileges.app', '{"PK": "A", "SK": "1"}');
RESET ROLE;
GRANT USAGE ON SCHEMA privileges TO regress_item_user;

-- Privileges of a view's owner do not pass through the functions: they run
-- as the caller.
CREATE VIEW all_items AS SELECT q FROM partitioning.scan('privileges.app') AS q;
REVOKE SELECT ON app FROM regress_item_user;
GRANT SELECT ON all_items TO regress_item_user;
SET ROLE regress_item_user;
SELECT * FROM privileges.all_items;
RESET ROLE;

-- Row security: the item functions refuse; plain SQL obeys the policy.  The
-- owner and superusers bypass it, as everywhere.
GRANT SELECT, INSERT, UPDATE, DELETE ON app TO regress_item_user;
ALTER TABLE app ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON app USING (pk = current_user);
SET ROLE regress_item_user;
SELECT get_item('app', '{"PK": "A", "SK": "1"}');
SELECT put_item('app', '{"PK": "A", "SK": "1"}');
SELECT delete_item('app', '{"PK": "A", "SK": "1"}');
SELECT * FROM scan('app');
SELECT count(*) FROM app;
RESET ROLE;
SELECT get_item('app', '{"PK": "A", "SK": "1"}');
ALTER TABLE app DISABLE ROW LEVEL SECURITY;

-- Rules: the item functions refuse.
CREATE RULE no_insert AS ON INSERT TO app DO INSTEAD NOTHING;
SELECT put_item('app', '{"PK": "A", "SK": "1"}');
DROP RULE no_insert ON app;

-- What PUBLIC may do in the schema of the extension: use it, read views, and
-- execute the functions that check for themselves.  A new function that
-- changes anything must turn up in the second list.
SELECT has_schema_privilege('regress_item_user', 'partitioning', 'USAGE') AS usage,
       has_schema_privilege('regress_item_user', 'partitioning', 'CREATE') AS "create";
SELECT oid::regprocedure AS not_executable_by_public
FROM pg_proc WHERE pronamespace = 'partitioning'::regnamespace
    AND NOT has_function_privilege('regress_item_user', oid, 'EXECUTE')
ORDER BY oid::regprocedure::text COLLATE "C";
SELECT oid::regprocedure AS volatile_and_executable_by_public
FROM pg_proc WHERE pronamespace = 'partitioning'::regnamespace AND provolatile = 'v'
    AND has_function_privilege('regress_item_user', oid, 'EXECUTE')
ORDER BY oid::regprocedure::text COLLATE "C";
SELECT c.oid::regclass AS relation, p AS privilege
FROM pg_class c, unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS p
WHERE c.relnamespace = 'partitioning'::regnamespace AND c.relkind IN ('r', 'v', 'p', 'm', 'f')
    AND has_table_privilege('regress_item_user', c.oid, p)
ORDER BY 1, 2;

SET client_min_messages = warning;
DROP SCHEMA privileges CASCADE;
DROP ROLE regress_item_user;
