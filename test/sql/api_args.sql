-- Every argument of every item function as NULL, empty, huge and garbage.
-- What must be seen: one error each, or an answer; never a crash.
CREATE SCHEMA api_args;
SET search_path = api_args, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 1}');

-- Arguments that must be given are refused by name.
SELECT put_item(NULL, '{"PK": "A", "SK": "1"}');
SELECT put_item('app', NULL);
SELECT get_item(NULL, '{"PK": "A", "SK": "1"}');
SELECT get_item('app', NULL);
SELECT update_item(NULL, '{"PK": "A", "SK": "1"}');
SELECT update_item('app', NULL);
SELECT delete_item(NULL, '{"PK": "A", "SK": "1"}');
SELECT delete_item('app', NULL);
SELECT try_put(NULL, '{"PK": "A", "SK": "1"}');
SELECT try_put('app', NULL);
SELECT try_update(NULL, '{"PK": "A", "SK": "1"}');
SELECT try_update('app', NULL);
SELECT try_delete(NULL, '{"PK": "A", "SK": "1"}');
SELECT try_delete('app', NULL);
SELECT query(NULL, 'PK = :pk');
SELECT query('app', NULL);
SELECT scan(NULL);
SELECT query_page(NULL, 'PK = :pk');
SELECT query_page('app', NULL);
SELECT scan_page(NULL);

-- All others may be NULL, which means "not given".
SELECT put_item('app', '{"PK": "A", "SK": "1", "v": 1}', NULL, NULL, NULL, NULL) IS NULL AS nothing;
SELECT get_item('app', '{"PK": "A", "SK": "1"}', NULL, NULL);
SELECT update_item('app', '{"PK": "A", "SK": "1"}', NULL, NULL, NULL, NULL, NULL) IS NULL AS nothing;
SELECT delete_item('app', '{"PK": "B", "SK": "1"}', NULL, NULL, NULL, NULL) IS NULL AS nothing;
SELECT query('app', 'PK = :pk', '{":pk": "A"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT scan('app', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

-- Items and keys that are not maps.
SELECT put_item('app', 'true');
SELECT put_item('app', '["PK", "SK"]');
SELECT get_item('app', '"A"');
SELECT update_item('app', '1');
SELECT delete_item('app', 'null');
SELECT scan('app', start_key => '{"$string_set": ["a"]}');
SELECT put_item('app', '{}');
SELECT get_item('app', '{}');

-- Values and names that are not maps.
SELECT put_item('app', '{"PK": "A", "SK": "1"}', 'v = :v', '[1]');
SELECT put_item('app', '{"PK": "A", "SK": "1"}', 'v = :v', '1');
SELECT put_item('app', '{"PK": "A", "SK": "1"}', '#v = :v', '{":v": 1}', '[]');
SELECT put_item('app', '{"PK": "A", "SK": "1"}', '#v = :v', '{":v": 1}', '"#v"');
SELECT put_item('app', '{"PK": "A", "SK": "1"}', '#v = :v', '{":v": 1}', '{"#v": 1}');
SELECT put_item('app', '{"PK": "A", "SK": "1"}', '#v = :v', '{":v": 1}', '{"v": "v"}');

-- A function fuzzer: each argument in turn takes each of these values, while
-- the others are right.  The table below counts the SQLSTATEs seen.
CREATE TABLE calls (name text, arguments text[]);
INSERT INTO calls VALUES
    ('put_item', ARRAY['''app''', $$'{"PK": "A", "SK": "1", "v": 1}'::item$$, $$'v = :v'$$, $$'{":v": 1}'::item$$, 'NULL::jsonb', $$'NONE'$$]),
    ('get_item', ARRAY['''app''', $$'{"PK": "A", "SK": "1"}'::item$$, $$'v'$$, 'NULL::jsonb']),
    ('update_item', ARRAY['''app''', $$'{"PK": "A", "SK": "1"}'::item$$, $$'SET v = :v'$$, $$'{":v": 1}'::item$$, $$'v = :v'$$, 'NULL::jsonb', $$'NONE'$$]),
    ('delete_item', ARRAY['''app''', $$'{"PK": "Z", "SK": "1"}'::item$$, $$'v <> :v'$$, $$'{":v": 1}'::item$$, 'NULL::jsonb', $$'NONE'$$]),
    ('try_put', ARRAY['''app''', $$'{"PK": "A", "SK": "1", "v": 1}'::item$$, $$'v = :v'$$, $$'{":v": 1}'::item$$, 'NULL::jsonb']),
    ('try_update', ARRAY['''app''', $$'{"PK": "A", "SK": "1"}'::item$$, $$'SET v = :v'$$, $$'{":v": 1}'::item$$, $$'v = :v'$$, 'NULL::jsonb']),
    ('try_delete', ARRAY['''app''', $$'{"PK": "Z", "SK": "1"}'::item$$, $$'v <> :v'$$, $$'{":v": 1}'::item$$, 'NULL::jsonb']),
    ('query', ARRAY['''app''', $$'PK = :pk'$$, $$'{":pk": "A"}'::item$$, 'NULL::text', 'NULL::text', $$'v'$$, 'NULL::jsonb', 'true', '1::int', 'NULL::item']),
    ('query_page', ARRAY['''app''', $$'PK = :pk'$$, $$'{":pk": "A"}'::item$$, 'NULL::text', 'NULL::text', $$'v'$$, 'NULL::jsonb', 'true', '1::int', 'NULL::item']),
    ('scan', ARRAY['''app''', 'NULL::text', 'NULL::text', 'NULL::item', $$'v'$$, 'NULL::jsonb', '0::int', '1::int', '1::int', 'NULL::item']),
    ('scan_page', ARRAY['''app''', 'NULL::text', 'NULL::text', 'NULL::item', $$'v'$$, 'NULL::jsonb', '0::int', '1::int', '1::int', 'NULL::item']);
CREATE TABLE garbage (value text);
INSERT INTO garbage VALUES
    ('NULL'), ($$''$$), ($$' '$$), ($$'x'$$), ($$'app; DROP TABLE app'$$), ($$'"'$$), ($$'(((((((((('$$),
    ($$repeat('(', 4096)$$), ($$repeat('NOT ', 1000)$$), ($$repeat('x', 1000000)$$), ($$repeat('é', 3000)$$),
    ($$'{}'$$), ($$'[]'$$), ($$'{"": ""}'$$), ($$'{":v": null}'$$), ($$'{"#v": "v", ":v": 1}'$$),
    ($$('{"x": ' || repeat('[', 30) || repeat(']', 30) || '}')$$),
    ($$('{":v": "' || repeat('x', 3000000) || '"}')$$),
    ($$'0'$$), ($$'-1'$$), ($$'2147483647'$$), ($$'-2147483648'$$), ($$'true'$$);
CREATE TABLE outcome (name text, argument int, value text, state text);
DO $$
DECLARE
    call record;
    bad text;
    arguments text[];
    type text;
BEGIN
    FOR call IN SELECT * FROM calls LOOP
        FOR i IN 1 .. cardinality(call.arguments) LOOP
            SELECT format_type(p.proargtypes[i - 1], NULL) INTO type
            FROM pg_proc p WHERE p.proname = call.name AND p.pronamespace = 'partitioning'::regnamespace;
            FOR bad IN SELECT value FROM garbage LOOP
                arguments := call.arguments;
                arguments[i] := format('CAST(%s AS %s)', bad, type);
                BEGIN
                    EXECUTE format('SELECT count(*) FROM partitioning.%I(%s)', call.name, array_to_string(arguments, ', '));
                    INSERT INTO outcome VALUES (call.name, i, bad, 'answer');
                EXCEPTION WHEN OTHERS THEN
                    INSERT INTO outcome VALUES (call.name, i, bad, SQLSTATE);
                END;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
SELECT count(*) AS calls FROM outcome;
-- Internal errors would be XX000.
SELECT * FROM outcome WHERE state LIKE 'XX%' OR state LIKE '5%';
SELECT name, argument, count(*) FILTER (WHERE state = 'answer') AS answers,
       string_agg(DISTINCT state, ' ' ORDER BY state) FILTER (WHERE state <> 'answer') AS errors
FROM outcome GROUP BY name, argument ORDER BY name, argument;
SELECT item_of(app) FROM app ORDER BY pk, sk;

SET client_min_messages = warning;
DROP SCHEMA api_args CASCADE;
