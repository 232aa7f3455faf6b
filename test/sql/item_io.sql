-- Text and binary input and output of type item.
SET search_path = partitioning, public;

-- Every type goes in and comes out; attributes in the order of their names.
SELECT '{"z": 1, "s": "x", "t": true, "f": false, "n": null, "l": [1, [], {}],
         "m": {"b": {"c": "d"}, "a": ""}, "b": {"$binary": "AAEC/w=="},
         "ss": {"$string_set": ["b", "a", ""]},
         "ns": {"$number_set": [3, 1.50, -2e3]},
         "bs": {"$binary_set": ["/w==", "AA=="]}}'::item;

-- Values that are not maps.
SELECT v::item FROM unnest(ARRAY['5', '"x"', 'true', 'null', '[]', '{}',
                                 '{"$binary": ""}', ' [ 1 , 2 ] ']) v;

-- The last of members of one name stays, as for jsonb.
SELECT '{"a": 1, "b": 2, "a": 3}'::item;

-- A map of one $ attribute is written inside $map, at every level.
SELECT '{"$map": {"$a": 1}}'::item,
       '{"$map": {"$map": {}}}'::item,
       '{"$map": {"$map": {"$map": {"$binary": 1}}}}'::item;
SELECT '{"$a": 1, "b": 2}'::item, '{"$map": {"$binary": 1, "$b": 2}}'::item;

-- An unknown or unfit lone $ member is an error.
SELECT '{"$foo": 1}'::item;
SELECT '{"a": {"$binary": 1}}'::item;
SELECT '{"$map": [1]}'::item;
SELECT '{"$string_set": {"a": 1}}'::item;
SELECT '{"$string_set": ["a", 1]}'::item;
SELECT '{"$number_set": ["1"]}'::item;
SELECT '{"$binary_set": [1]}'::item;

-- Base64 is strict: padded, nothing but its alphabet, no stray bits.
SELECT '{"$binary": "AAE"}'::item;
SELECT '{"$binary": "AA E="}'::item;
SELECT '{"$binary": "AAF="}'::item;
SELECT '{"$binary": "_w=="}'::item;
SELECT '{"$binary_set": ["AAF="]}'::item;

-- Sets are neither empty nor have they duplicates.
SELECT '{"$string_set": []}'::item;
SELECT '{"$number_set": []}'::item;
SELECT '{"$binary_set": []}'::item;
SELECT '{"$string_set": ["b", "a", "b"]}'::item;
SELECT '{"$number_set": [1, 1.0]}'::item;
SELECT '{"$binary_set": ["AQ==", "AA==", "AQ=="]}'::item;

-- Attribute names are not empty.
SELECT '{"": 1}'::item;
SELECT '{"a": [{"": 1}]}'::item;

-- Strings: escapes, U+0000, characters outside the basic plane.
SELECT '"\" \\ \/ \b \f \n \r \t \u0001 \u00e9 \u20ac \ud83d\ude00 é€😀 \u0000"'::item;
SELECT '{"a\u0000b": 1}'::item;
SELECT '"\ud83d"'::item;
SELECT '"\ud83dx"'::item;
SELECT '"\ude00"'::item;
SELECT '"\ud83d\u0041"'::item;

-- Invalid JSON is reported as for the type json.
SELECT ''::item;
SELECT '{"a": }'::item;
-- (The rest without the detail, which depends on the server's version.)
\set VERBOSITY terse
SELECT '{"a": 1,}'::item;
SELECT '[1, 2'::item;
SELECT '{a: 1}'::item;
SELECT '01'::item;
SELECT '1.'::item;
SELECT '.5'::item;
SELECT '+1'::item;
SELECT '-'::item;
SELECT '1e'::item;
SELECT 'truex'::item;
SELECT 'nul'::item;
SELECT '"a'::item;
SELECT '"\x"'::item;
SELECT '"\u00g0"'::item;
SELECT E'"a\nb"'::item;
SELECT '1 2'::item;
SELECT '{} x'::item;
\set VERBOSITY default

-- Binary output begins with version and type; equal values, equal bytes.
SELECT item_send('null'), item_send('true'), item_send('"ab"'), item_send('{}');
SELECT item_send('[1, "a"]'), item_send('{"b": true, "a": null}');
SELECT item_send('{"b": 1, "a": 1.0}') = item_send('{"a": 1e0, "b": 1}') AS equal;

-- A typical item takes at most 0.8 of what jsonb takes.
SELECT pg_column_size(v::item) AS item, pg_column_size(v::jsonb) AS jsonb,
       pg_column_size(v::item) <= 0.8 * pg_column_size(v::jsonb) AS small
FROM (VALUES ('{"orderId": "76d80224611fc919a5d5", "status": "PENDING",
                "amount": 431.25, "currency": "EUR", "qty": 3,
                "carrier": "COLISSIMO", "GSI1PK": "STATUS#PENDING#123",
                "GSI1SK": "2025-06-01T09:30:00.123456Z"}')) AS t (v);

-- NULL stays NULL.
SELECT NULL::text::item, NULL::item::jsonb, NULL::jsonb::item;

-- Errors of input are soft where the server has them (from 16 on).
DO $$
DECLARE
    v text;
    valid bool;
BEGIN
    IF current_setting('server_version_num')::int < 160000 THEN
        RETURN;
    END IF;
    FOREACH v IN ARRAY ARRAY['', '{"a":', '[1,]', '"\ud83d"', '"\x"', '1e126', '{"$foo": 1}', '{"$binary": "A"}', '{"$string_set": []}',
                             '{"$number_set": [1, 1.0]}', '{"": 1}', repeat('[', 33), '[01]', 'truex', '{"$map": 1}'] LOOP
        EXECUTE 'SELECT pg_catalog.pg_input_is_valid($1, $2)' INTO valid USING v, 'partitioning.item';
        IF valid IS DISTINCT FROM false THEN
            RAISE EXCEPTION '% is %', v, valid;
        END IF;
    END LOOP;
END $$;
