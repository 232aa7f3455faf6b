-- What every object of the extension obeys, whoever adds the next one.

-- The extension's objects: types that belong to a table or are arrays of
-- another type come with it.
CREATE VIEW members AS
SELECT classid, objid, pg_describe_object(classid, objid, 0) AS object
FROM pg_depend d
WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'partitioning')
    AND NOT EXISTS (SELECT FROM pg_type t
        WHERE classid = 'pg_type'::regclass AND t.oid = objid
            AND (typcategory = 'A' OR typrelid <> 0
                AND (SELECT relkind FROM pg_class c WHERE c.oid = typrelid) <> 'c'));

-- Every object has a comment; a family that its operator class made is
-- described by the class.
SELECT object FROM members
WHERE NOT EXISTS (SELECT FROM pg_description d
    WHERE d.objoid = members.objid AND d.classoid = members.classid AND objsubid = 0)
    AND classid NOT IN ('pg_namespace'::regclass, 'pg_amproc'::regclass,
        'pg_amop'::regclass)
    AND NOT EXISTS (SELECT FROM pg_opfamily f JOIN pg_opclass c ON opcfamily = f.oid
        WHERE members.classid = 'pg_opfamily'::regclass AND f.oid = objid
            AND opcname = opfname)
ORDER BY object COLLATE "C";

-- Every object is in the extension's schema.
SELECT object FROM members JOIN pg_proc p ON p.oid = objid
WHERE classid = 'pg_proc'::regclass AND pronamespace <> 'partitioning'::regnamespace
UNION ALL
SELECT object FROM members JOIN pg_class c ON c.oid = objid
WHERE classid = 'pg_class'::regclass AND relnamespace <> 'partitioning'::regnamespace
UNION ALL
SELECT object FROM members JOIN pg_type t ON t.oid = objid
WHERE classid = 'pg_type'::regclass AND typnamespace <> 'partitioning'::regnamespace;

-- A function that runs with its owner's rights pins its search_path.
SELECT object, proconfig FROM members JOIN pg_proc p ON p.oid = objid
WHERE classid = 'pg_proc'::regclass AND prosecdef
    AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false);

-- A function in C has its SQL name as symbol, one name to search for; with
-- the type's name behind it where the SQL name is overloaded.
SELECT object, prosrc FROM members JOIN pg_proc p ON p.oid = objid
    JOIN pg_language l ON l.oid = prolang
WHERE classid = 'pg_proc'::regclass AND lanname = 'c'
    AND prosrc NOT IN (proname, proname || '_' || proargtypes[0]::regtype)
ORDER BY 1;

-- PUBLIC may look into the schema but writes no table of it.
SELECT has_schema_privilege('public', 'partitioning', 'USAGE') AS usage,
    has_schema_privilege('public', 'partitioning', 'CREATE') AS create;
SELECT object FROM members JOIN pg_class c ON c.oid = objid
WHERE classid = 'pg_class'::regclass AND relkind IN ('r', 'p', 'S', 'v')
    AND CASE relkind
        WHEN 'S' THEN has_sequence_privilege('public', c.oid, 'USAGE, UPDATE')
        ELSE has_table_privilege('public', c.oid,
            'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
    END
ORDER BY object COLLATE "C";

-- No function answers odd arguments with an internal error: each is called
-- with every odd value of a type in the place of each argument, the others
-- being ordinary, and everything is rolled back.  Nor does a call take for
-- ever (57014) or find no function (42883, 42725: a fault of this test).
-- The server's own words for a relation that is not there are an internal
-- error.
SET search_path = public, partitioning;
SELECT create_table('ruled', 'PK', 'SK');
SELECT put_item('ruled', '{"PK": "a", "SK": "b", "n": 1}');

CREATE TABLE odd_values (type text, ordinary bool, value text);
INSERT INTO odd_values
SELECT type, n = 1, value
FROM (VALUES
    ('text', ARRAY['''ruled''', '''''', '''x''', 'repeat(''('', 5000)', '''PK = :p''', '''SET n = :p''', '''NONE''', '''a.b[0]''', 'chr(127) || chr(1114109)', '''{}''']),
    ('partitioning.item', ARRAY['''{"PK": "a", "SK": "b"}''::partitioning.item', '''{}''::partitioning.item', '''[]''::partitioning.item', '''1''::partitioning.item', '''"s"''::partitioning.item', '''null''::partitioning.item', '''{":p": "a"}''::partitioning.item', '(''{"PK": "'' || repeat(''x'', 3000) || ''"}'')::partitioning.item']),
    ('partitioning.item[]', ARRAY['ARRAY[''{"PK": "a", "SK": "b"}'']::partitioning.item[]', '''{}''::partitioning.item[]', 'ARRAY[NULL]::partitioning.item[]', 'ARRAY[[''{}'', ''[]'']]::partitioning.item[]']),
    ('jsonb', ARRAY['''{}''::jsonb', '''[]''::jsonb', '''1''::jsonb', '''null''::jsonb', '''{"#a": "b"}''::jsonb', '''{"#a": 1}''::jsonb', '''{"PK": "N"}''::jsonb', '(repeat(''['', 1000) || repeat('']'', 1000))::jsonb']),
    ('json', ARRAY['''{}''::json', '''[]''::json', '''{"S": 1}''::json', '''{"N": "x"}''::json', '''{"M": {"a": {"L": [{"NULL": true}]}}}''::json']),
    ('integer', ARRAY['1', '0', '-1', '2147483647', '-2147483648']),
    ('bigint', ARRAY['1::bigint', '0::bigint', '9223372036854775807', '-9223372036854775807']),
    ('smallint', ARRAY['1::smallint', '0::smallint', '32767::smallint']),
    ('boolean', ARRAY['true', 'false']),
    ('numeric', ARRAY['1.5', '''NaN''::numeric', '''Infinity''::numeric', '1e200', '1e-200', '-0.0']),
    ('bytea', ARRAY['''\x00ff''::bytea', '''''::bytea', 'decode(repeat(''ff'', 5000), ''hex'')']),
    ('text[]', ARRAY['ARRAY[''n'']', '''{}''::text[]', 'ARRAY[NULL]::text[]', 'ARRAY[[''a'', ''b'']]']),
    ('record', ARRAY['(SELECT r FROM ruled r)', 'ROW()', 'ROW(1, ''a'')']),
    ('regclass', ARRAY['''ruled''::regclass', '''pg_class''::regclass', '0::regclass', '4294967295::oid::regclass']),
    ('cstring', ARRAY['''{}''::cstring', '''''::cstring', 'repeat(''['', 5000)::cstring']),
    ('oid', ARRAY['0::oid', '4294967295::oid'])
) v (type, expressions), unnest(expressions || 'NULL'::text) WITH ORDINALITY u (value, n);

CREATE FUNCTION call_oddly() RETURNS TABLE (call text, error text) LANGUAGE plpgsql AS $$
DECLARE
    f record;
    odd record;
    arguments text[];
    calls int := 0;
    functions int := 0;
BEGIN
    FOR f IN
        SELECT p.oid, proname, provariadic <> 0 AS is_variadic,
            ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) WITH ORDINALITY u (t, n) ORDER BY n) AS types
        FROM pg_proc p
        WHERE pronamespace = 'partitioning'::regnamespace AND prokind = 'f'
            AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
            AND NOT 'internal'::regtype = ANY (proargtypes) AND prorettype <> 'internal'::regtype
            AND cardinality(proargtypes) > 0
        ORDER BY p.oid::regprocedure::text
    LOOP
        functions := functions + 1;
        FOR place IN 1 .. cardinality(f.types) LOOP
            FOR odd IN
                SELECT CASE WHEN value = 'NULL' THEN 'NULL::' || f.types[place] ELSE value END AS value
                FROM odd_values
                WHERE type = CASE f.types[place] WHEN 'item' THEN 'partitioning.item'
                    WHEN 'item[]' THEN 'partitioning.item[]' ELSE f.types[place] END
            LOOP
                arguments := ARRAY(
                    SELECT CASE WHEN f.is_variadic AND n = cardinality(f.types) THEN 'VARIADIC ' ELSE '' END
                        || CASE WHEN n = place THEN odd.value ELSE
                        coalesce((SELECT value FROM odd_values
                            WHERE ordinary AND type = CASE t WHEN 'item' THEN 'partitioning.item'
                                WHEN 'item[]' THEN 'partitioning.item[]' ELSE t END), 'NULL::' || t) END
                    FROM unnest(f.types) WITH ORDINALITY u (t, n) ORDER BY n);
                call := format('SELECT partitioning.%I(%s)', f.proname, array_to_string(arguments, ', '));
                calls := calls + 1;
                BEGIN
                    EXECUTE call;
                    RAISE SQLSTATE 'ZZ999';
                EXCEPTION WHEN SQLSTATE 'ZZ999' THEN
                    NULL;
                WHEN OTHERS THEN
                    IF (SQLSTATE LIKE 'XX%' AND SQLERRM NOT LIKE 'could not open relation with OID %')
                        OR SQLSTATE IN ('57014', '42883', '42725') THEN
                        error := SQLSTATE || ': ' || SQLERRM;
                        call := left(call, 200);
                        RETURN NEXT;
                    END IF;
                END;
            END LOOP;
        END LOOP;
    END LOOP;
    IF functions < 20 OR calls < 100 THEN
        RAISE 'only % functions were called % times', functions, calls;
    END IF;
END $$;

SET statement_timeout = '300s';
SELECT * FROM call_oddly();
RESET statement_timeout;

SELECT get_item('ruled', '{"PK": "a", "SK": "b"}') AS alive;
SELECT drop_table('ruled');
DROP FUNCTION call_oddly;
DROP TABLE odd_values;
DROP VIEW members;
