-- Limits at n and n + 1, invalid bytes, random values.
SET search_path = partitioning, public;

-- Nesting: 32 levels of maps and lists; $map and sets add none.
CREATE FUNCTION pg_temp.nested(open text, inner_value text, close text, n int) RETURNS text
LANGUAGE sql RETURN repeat(open, n) || inner_value || repeat(close, n);
SELECT length(pg_temp.nested('{"a": ', '1', '}', 32)::item::text);
SELECT pg_temp.nested('{"a": ', '1', '}', 33)::item;
SELECT length(pg_temp.nested('[', '', ']', 32)::item::text);
SELECT pg_temp.nested('[', '', ']', 33)::item;
SELECT length(pg_temp.nested('{"$map": {"$a": ', '{"$string_set": ["x"]}', '}}', 32)::item::text);
SELECT pg_temp.nested('{"$map": {"$a": ', '1', '}}', 33)::item;
SELECT pg_temp.nested('[', '{"$map": {}}', ']', 32)::item;
SELECT pg_temp.nested('[', '', ']', 1000000)::item;
SELECT pg_temp.nested('{"$map": ', '', '}', 1000000)::item;
SELECT length(from_dynamodb_json(('{"a": ' || pg_temp.nested('{"L": [', '', ']}', 31) || '}')::json)::text);
SELECT from_dynamodb_json(('{"a": ' || pg_temp.nested('{"L": [', '', ']}', 32) || '}')::json);
SELECT length(from_dynamodb_json(pg_temp.nested('{"L": [', '', ']}', 32)::json)::text);
SELECT from_dynamodb_json(pg_temp.nested('{"L": [', '', ']}', 33)::json);

-- Attribute names: 1 to 65,535 bytes, not characters.
SELECT item_size(('{"' || repeat('x', 65535) || '": 1}')::item);
SELECT ('{"' || repeat('x', 65536) || '": 1}')::item;
SELECT ('{"' || repeat('é', 32768) || '": 1}')::item;
SELECT from_dynamodb_json(('{"' || repeat('x', 65536) || '": {"S": ""}}')::json);
CREATE TEMP TABLE t (v item);
INSERT INTO t VALUES ('{}');
UPDATE t SET v[repeat('x', 65535)] = '1' RETURNING item_size(v);
UPDATE t SET v[repeat('x', 65536)] = '1';

-- Names around the lengths where their encoding changes.
SELECT n, v = v::text::item AS back, item_number(v, repeat('x', n)), item_size(v)
FROM (SELECT n, ('{"' || repeat('x', n) || '": 1, "a": 2}')::item AS v FROM unnest(ARRAY[1, 254, 255, 256, 65535]) n) s;

-- Containers around the sizes where theirs does.
SELECT n, v = v::text::item AS back, v[n - 1], v[n], length(item_send(v))
FROM (SELECT n, (SELECT jsonb_agg(NULL::jsonb) FROM generate_series(1, n))::item AS v
      FROM unnest(ARRAY[1, 255, 256, 65535, 65536]) n) s;
SELECT n, v = v::text::item AS back, v['k' || n / 2], item_size(v)
FROM (SELECT n, (SELECT jsonb_object_agg('k' || g, g) FROM generate_series(1, n) g)::item AS v
      FROM unnest(ARRAY[36, 37, 38, 39, 9000, 20000]) n) s;
-- 256 elements, 255 bytes: the count decides.
SELECT length(item_send(v)), v = v::text::item AS back
FROM (SELECT ('{"$binary_set": ["", ' || string_agg('"' || encode(set_byte('\x00', 0, g), 'base64') || '"', ', ') || ']}')::item AS v
      FROM generate_series(0, 254) g) s;

-- Sizes by DynamoDB's rules, of a map as an item.
SELECT v, item_size(v) FROM unnest(ARRAY['{"id": "u1", "ok": true}', '7', '-123', '[]', '["ab", 7]', '{"a": {"k": true}}', '{}', '{"a": {}}',
    '"é"', '{"$binary": "AAEC"}', 'null', '{"$string_set": ["a", "bc"]}', '{"$number_set": [1, -123]}', '{"$binary_set": ["AAEC", ""]}']::item[]) v;

-- An item value has at most 8 MB, with 5 bytes of header; far above an item
-- of a table.
SELECT item_size(v), v = v::text::item AS back FROM (SELECT ('"' || repeat('x', 8388603) || '"')::item AS v) s;
SELECT ('"' || repeat('x', 8388604) || '"')::item;
SELECT ('"' || repeat('x', 17000000) || '"')::item;
SELECT item_size(v), v = v::text::item AS back
FROM (SELECT ('{"$binary": "' || repeat('AAEC', 2796201) || '"}')::item AS v) s;
SELECT ('{"$binary": "' || repeat('AAEC', 2796202) || '"}')::item;
SELECT '["x"]'::item || ('"' || repeat('x', 8388590) || '"')::item;
SELECT repeat(' ', 167772161)::item;

-- Binary input.  Bytes become an item by way of a file in COPY's binary format.
CREATE TEMP TABLE bytes (b bytea);
CREATE TEMP TABLE received (v item);
CREATE FUNCTION pg_temp.receive(b bytea) RETURNS item LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/item_limits.bin';
BEGIN
    DELETE FROM bytes;
    DELETE FROM received;
    INSERT INTO bytes VALUES (b);
    EXECUTE format('COPY bytes TO %L (FORMAT binary)', file);
    EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
    RETURN v FROM received;
END $$;
-- NULL, or the reason for which bytes are refused.
CREATE FUNCTION pg_temp.refusal(b bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    PERFORM pg_temp.receive(b);
    RETURN NULL;
EXCEPTION WHEN invalid_binary_representation OR protocol_violation THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN coalesce(nullif(detail, ''), sqlerrm);
END $$;

SELECT pg_temp.receive(item_send(v)) = v AS same FROM (SELECT '{"s": "x\u0000é", "n": -1.5, "b": {"$binary": "AAEC"}, "t": true, "z": null,
    "m": {"a": {}}, "l": [1, [], {}], "ss": {"$string_set": ["b", "a", ""]}, "ns": {"$number_set": [2, -1, 0]}, "bs": {"$binary_set": ["AA=="]}}'::item AS v) s;
SELECT item_size(pg_temp.receive(item_send(pg_temp.nested('[', '', ']', 32)::item)));
SELECT pg_temp.refusal('\x11'::bytea || convert_to(repeat('x', 8388603), 'UTF8')), pg_temp.refusal('\x11'::bytea || convert_to(repeat('x', 8388604), 'UTF8'));

SELECT bytes, pg_temp.refusal(bytes) FROM unnest(ARRAY[
    '\x', '\x06', '\x26', '\xf6', '\x10', '\x1b', '\x1f',         -- nothing, versions, types
    '\x11ff', '\x11c080', '\x11eda080', '\x1100',                 -- strings (the last is U+0000)
    '\x12', '\x1280', '\x128002', '\x127f', '\x12c202', '\x12c200', '\x12c203', '\x12c20302', '\x12c201', '\x12c2ca',
    '\x12ffc8', '\x12ffc802', '\x12ffca02', '\x1200fd', '\x12c20303030303030303030303030303030303030302',
    '\x12c2030303030303030303030303030303030303030302', '\x12800302',
    '\x14', '\x1402', '\x140000', '\x1500',                       -- Booleans, null
    '\x18', '\x19', '\x1a',                                       -- empty sets
    '\x1600', '\x1603', '\x160000', '\x160001', '\x16000105', '\x1600ff', '\x1601', '\x160101', '\x16010100', '\x1602ffffffff', '\x1602ffffff7f01020304', '\x1602010000000300000001', '\x160200000000', '\x17000101', '\x1700010105',
    '\x16000103016105', '\x16000102016100', '\x16000103016100', '\x16000104016105ff', '\x160001030061', '\x1600010200ff', '\x16000102ff05', '\x160001040500', '\x16000103ff0005', '\x1600010301ff05',
    '\x1600020306016105016205', '\x1600020306016205016105', '\x1600020306016105016105', '\x1600020603016105016205', '\x1600020303016105', '\x1600020206016105016205',
    '\x16010100030001610500', '\x160101000300016105',
    '\x17000201020505', '\x170002010205', '\x17000201010505', '\x1700010105', '\x1700010200', '\x170001010b', '\x1700010b05',
    '\x18000101ff', '\x18000201026261', '\x18000201026162', '\x18000201026161', '\x1900010180', '\x190001028080', '\x190002010380c202', '\x1900020203c20280',
    '\x1a000201010000', '\x1a0002000100', '\x1a00020000'
    ]::bytea[]) bytes;
SELECT pg_temp.refusal('\x170001020700') AS empty_with_width;

-- One level more than text input allows.
SELECT pg_temp.refusal(b) FROM (
    WITH RECURSIVE r (n, b) AS (
        SELECT 1, '\x'::bytea
        UNION ALL
        SELECT n + 1, '\x0001'::bytea || set_byte('\x00', 0, length(b) + 1) || '\x07' || b FROM r WHERE n < 33
    ) SELECT '\x17'::bytea || b AS b FROM r WHERE n IN (32, 33) ORDER BY n) s;

-- Random values survive text, binary, jsonb and typed JSON, and equal values
-- are equal in bytes.  A failure names the seed, which setseed() takes.
CREATE FUNCTION pg_temp.random_text() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(string_agg((ARRAY['a', 'b', 'z', 'A', '0', '$', '"', '\', '/', E'\n', E'\x01', ' ', 'é', '€', '😀', '{', ']'])
                               [1 + floor(random() * 17)], ''), '')
    FROM generate_series(1, floor(random() * random() * 40)::int)
$$;
CREATE FUNCTION pg_temp.random_numeral() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT CASE WHEN random() < 0.5 THEN '-' ELSE '' END
        || CASE floor(random() * 3)
           WHEN 0 THEN floor(random() * 1000)::text
           WHEN 1 THEN floor(random() * 100000)::text || '.' || floor(random() * 100000)::text
           ELSE 1 + floor(random() * 9) || '.' || (SELECT string_agg(floor(random() * 10)::text, '') FROM generate_series(0, floor(random() * 37)::int))
                || 'e' || floor(random() * 256) - 130
           END
$$;
CREATE FUNCTION pg_temp.random_json(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    n int := floor(random() * 5);
BEGIN
    CASE floor(random() * CASE WHEN depth > 0 THEN 12 ELSE 7 END)
    WHEN 0 THEN RETURN to_json(pg_temp.random_text());
    WHEN 1 THEN RETURN pg_temp.random_numeral();
    WHEN 2 THEN RETURN (ARRAY['true', 'false', 'null'])[1 + floor(random() * 3)];
    WHEN 3 THEN RETURN json_build_object('$binary', translate(encode(convert_to(pg_temp.random_text(), 'UTF8'), 'base64'), E'\n', ''));
    WHEN 4 THEN RETURN json_build_object('$string_set', ARRAY(SELECT DISTINCT pg_temp.random_text() FROM generate_series(0, n)));
    WHEN 5 THEN RETURN '{"$number_set": [' || (SELECT string_agg(DISTINCT trim_scale(pg_temp.random_numeral()::numeric)::text, ', ')
                                               FROM generate_series(0, n)) || ']}';
    WHEN 6 THEN RETURN json_build_object('$binary_set', ARRAY(SELECT DISTINCT encode(set_byte('\x00', 0, floor(random() * 256)::int), 'base64')
                                                              FROM generate_series(0, n)));
    WHEN 7, 8 THEN RETURN '[' || coalesce((SELECT string_agg(pg_temp.random_json(depth - 1), ',') FROM generate_series(1, n)), '') || ']';
    ELSE RETURN '{"$map": {' || coalesce((SELECT string_agg(to_json('k' || pg_temp.random_text()) || ': ' || pg_temp.random_json(depth - 1), ',')
                                          FROM generate_series(1, n)), '') || '}}';
    END CASE;
END $$;
DO $$
DECLARE
    seed float8 := random();
    json text;
    v item;
    previous item := 'null';
    b bytea;
    mutant item;
    refused int := 0;
BEGIN
    PERFORM setseed(seed);
    FOR i IN 1..500 LOOP
        json := pg_temp.random_json(4);
        v := json::item;
        IF v::text::item <> v OR v::text::item::text <> v::text OR v::jsonb::item <> v OR json::jsonb::item <> v
            OR from_dynamodb_json(to_dynamodb_json(v)) <> v OR (item_send(v) = item_send(previous)) <> (v = previous)
            OR sign(item_cmp(v, previous)) <> - sign(item_cmp(previous, v)) OR item_hash(v) <> item_hash(v::text::item)
            OR item_send(v) <> item_send(json::jsonb::item)
        THEN
            RAISE EXCEPTION 'seed %, case %: %', seed, i, json;
        END IF;
        IF item_type(v) = 'M' AND item_size(v) > 0 THEN
            FOR k IN 1..3 LOOP
                json := (SELECT key FROM jsonb_object_keys(CASE WHEN v::jsonb ? '$map' THEN v::jsonb -> '$map' ELSE v::jsonb END) key
                         ORDER BY random() LIMIT 1);
                IF NOT v ? json OR (v -> json) IS NULL OR (v - json) ? json OR (v - json) || ((('{}'::item) || (v - ARRAY(
                       SELECT key FROM jsonb_object_keys(CASE WHEN v::jsonb ? '$map' THEN v::jsonb -> '$map' ELSE v::jsonb END) key WHERE key <> json)))) <> v
                THEN
                    RAISE EXCEPTION 'seed %, case %, attribute %: %', seed, i, json, v;
                END IF;
            END LOOP;
        END IF;
        previous := v;
    END LOOP;

    -- Changed bytes are refused, or are the canonical bytes of a value.
    FOR i IN 1..500 LOOP
        b := item_send(pg_temp.random_json(3)::item);
        FOR j IN 0..floor(random() * 2) LOOP
            b := set_byte(b, floor(random() * length(b))::int,
                          CASE WHEN random() < 0.5 THEN floor(random() * 256)::int ELSE floor(random() * 12)::int END);
        END LOOP;
        IF random() < 0.2 THEN
            b := substr(b, 1, floor(random() * length(b))::int);
        END IF;
        BEGIN
            mutant := pg_temp.receive(b);
            IF item_send(mutant) <> b OR item_send(mutant::text::item) <> b THEN
                RAISE EXCEPTION 'seed %, bytes %: %', seed, b, mutant;
            END IF;
        EXCEPTION WHEN invalid_binary_representation OR protocol_violation THEN
            refused := refused + 1;
        END;
    END LOOP;
    IF refused NOT BETWEEN 50 AND 499 THEN
        RAISE EXCEPTION 'seed %: % refused', seed, refused;
    END IF;
END $$;

-- The order of random numbers is that of numeric.
DO $$
DECLARE
    seed float8 := random();
    wrong text;
BEGIN
    PERFORM setseed(seed);
    WITH numerals AS MATERIALIZED (
        SELECT pg_temp.random_numeral() AS n FROM generate_series(1, 2000)
    ), ranked AS (
        SELECT n, rank() OVER (ORDER BY n::numeric) AS by_value, rank() OVER (ORDER BY n::item) AS by_item FROM numerals
    )
    SELECT min(n) INTO wrong FROM ranked WHERE by_value <> by_item;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'seed %: %', seed, wrong;
    END IF;
END $$;
