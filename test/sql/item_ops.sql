-- Operators that make or compare items; operator classes.
SET search_path = partitioning, public;

-- Maps merge, the right one wins; not recursively.
SELECT '{"a": 1, "c": {"x": 1}}'::item || '{"b": 2, "c": {"y": 1}, "a": null}', '{}'::item || '{"a": 1}', '{"a": 1}'::item || '{}';
SELECT '{"a": 1}'::item || jsonb_build_object('b', 2), jsonb_build_object('b', 2)::item || '{"a": 1}';
-- Lists take up anything; sets of one type unite.
SELECT '[1]'::item || '[2, 3]', '[]'::item || '[]', '[1]'::item || '{"a": 1}', '"a"'::item || '[1]', '[1]'::item || 'null';
SELECT '{"$string_set": ["b", "a"]}'::item || '{"$string_set": ["c", "a"]}',
       '{"$number_set": [3, 10]}'::item || '{"$number_set": [-1, 3.0]}',
       '{"$binary_set": ["AA=="]}'::item || '{"$binary_set": ["AQ=="]}';
SELECT '1'::item || '2';
SELECT '{"$string_set": ["b"]}'::item || '{"$number_set": [1]}';
SELECT '{"a": 1}'::item || '"a"';
SELECT length(((repeat('[', 31) || repeat(']', 31))::item || (repeat('[', 32) || repeat(']', 32))::item)::text);
SELECT '[]'::item || (repeat('{"a":', 32) || '1' || repeat('}', 32))::item;

-- Without attributes, without an element.
SELECT '{"a": 1, "b": 2, "c": 3}'::item - 'b', '{"a": 1}'::item - 'a', '{"a": 1}'::item - 'x',
       '{"a": 1, "b": 2, "c": 3}'::item - ARRAY['c', 'x', NULL, 'a', 'c'], '{"a": 1}'::item - '{}'::text[];
SELECT '[1, 2, 3]'::item - 0, '[1, 2, 3]'::item - -1, '[1, 2, 3]'::item - 3, '[1, 2, 3]'::item - -4, '[1]'::item - 0;
SELECT '[1]'::item - 'a';
SELECT '"a"'::item - ARRAY['a'];
SELECT '{"a": 1}'::item - 0;

-- Equality: order of members and elements does not matter, types do.
SELECT a, b, a = b AS eq, a <> b AS ne FROM (VALUES
    ('1'::item, '1.0'::item), ('1', '"1"'), ('{"a": 1, "b": [1]}', '{"b": [1.0], "a": 1e0}'),
    ('{"$string_set": ["a", "b"]}', '{"$string_set": ["b", "a"]}'), ('{"$string_set": ["a"]}', '["a"]'),
    ('[1, 2]', '[2, 1]'), ('null', 'null'), ('true', 'false'), ('""', '{"$binary": ""}'), ('{}', '[]'), ('null', 'false'),
    ('{"a": {"$number_set": [1, 2]}}', '{"a": {"$number_set": [2.0, 1]}}'), ('"é"', '"e\u0301"')) AS t (a, b);

-- The order of all values: by type, then by value; bytes for strings.
SELECT v FROM unnest(ARRAY['"b"', '"a"', '""', '"é"', '"z"', '"Z"', '"10"', '"9"', '"a\u0000"', '10', '9', '-9', '0', '-10', '0.5',
    '{"$binary": "/w=="}', '{"$binary": "fw=="}', '{"$binary": "gA=="}', '{"$binary": ""}', 'true', 'false', 'null',
    '{}', '{"a": 2}', '{"a": 1, "b": 1}', '{"a": 1}', '{"b": 0}', '[]', '[2]', '[1, 2]', '[10]', '[[]]', '["a"]',
    '{"$string_set": ["b"]}', '{"$string_set": ["a", "c"]}', '{"$string_set": ["a"]}',
    '{"$number_set": [2]}', '{"$number_set": [1, 10]}', '{"$binary_set": ["AA=="]}', NULL]::item[]) v ORDER BY v;

-- The operators agree with each other and with the order.
WITH v AS (SELECT v::item, n FROM unnest(ARRAY['"a"', '"b"', '1', '2', '{"$binary": "AA=="}', 'false', 'true', 'null', '{}', '{"a": 1}',
    '[]', '[1]', '{"$string_set": ["a"]}', '{"$number_set": [1]}', '{"$binary_set": ["AA=="]}']) WITH ORDINALITY AS t (v, n))
SELECT count(*), count(*) FILTER (WHERE (a.v < b.v) <> (a.n < b.n) OR (a.v <= b.v) <> (a.n <= b.n) OR (a.v = b.v) <> (a.n = b.n) OR
    (a.v <> b.v) <> (a.n <> b.n) OR (a.v >= b.v) <> (a.n >= b.n) OR (a.v > b.v) <> (a.n > b.n) OR
    sign(item_cmp(a.v, b.v)) <> sign(a.n - b.n) OR (a.v = b.v AND item_hash(a.v) <> item_hash(b.v)) OR
    (a.v = b.v AND item_hash_extended(a.v, 7) <> item_hash_extended(b.v, 7))) AS wrong
FROM v a, v b;

-- Default operator classes: grouping, sorting, hashing, indexes, unique.
CREATE TEMP TABLE values_of (id int, v item);
INSERT INTO values_of SELECT g, jsonb_build_object('n', g % 10, 's', (g % 10)::text) FROM generate_series(1, 1000) g;
SELECT v, count(*) FROM values_of GROUP BY v ORDER BY v LIMIT 3;
SELECT count(DISTINCT v) FROM values_of;
CREATE INDEX values_btree ON values_of (v);
CREATE INDEX values_hash ON values_of USING hash (v);
ANALYZE values_of;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
DROP INDEX values_hash;
EXPLAIN (COSTS OFF) SELECT count(*) FROM values_of WHERE v = '{"n": 3, "s": "3"}';
SELECT count(*) FROM values_of WHERE v = '{"n": 3, "s": "3"}';
SELECT count(*) FROM values_of WHERE v > '{"n": 3, "s": "3"}' AND v <= '{"n": 5}';
DROP INDEX values_btree;
CREATE INDEX values_hash ON values_of USING hash (v);
EXPLAIN (COSTS OFF) SELECT count(*) FROM values_of WHERE v = '{"n": 3, "s": "3"}';
SELECT count(*) FROM values_of WHERE v = '{"s": "3", "n": 3.0}';
RESET enable_seqscan;
RESET enable_bitmapscan;
SET enable_nestloop = off;
SET enable_hashjoin = off;
SELECT count(*) FROM values_of a JOIN values_of b ON a.v = b.v;
SET enable_hashjoin = on;
SET enable_mergejoin = off;
SELECT count(*) FROM values_of a JOIN values_of b ON a.v = b.v;
RESET enable_nestloop;
RESET enable_mergejoin;
ALTER TABLE values_of ADD UNIQUE (v);

-- Toasted and compressed values read like any others.
CREATE TEMP TABLE big (id int, v item);
INSERT INTO big SELECT 1, jsonb_build_object('text', repeat('abc', 100000), 'n', 5);
INSERT INTO big SELECT 2, ('{"text": "' || string_agg(md5(g::text), '') || '", "n": 6}')::item FROM generate_series(1, 10000) g;
INSERT INTO big VALUES (3, '{"n": 7}');
SELECT id, pg_column_size(v) < item_size(v) AS compressed, v['n'], length(v ->> 'text'), item_size(v) FROM big ORDER BY id;
SELECT a.id, b.id FROM big a JOIN big b ON a.v = b.v ORDER BY 1;

-- Casts: what they do and in which places.
SELECT jsonb_build_object('a', 1.50, 'b', jsonb_build_object('$binary', 'AA=='))::item;
SELECT '{"a": 1.5, "b": {"$binary": "AA=="}, "c": {"$string_set": ["x"]}}'::item::jsonb;
SELECT '{"a": 1, "a": 1.50}'::json::item, '{"a": "\u0000"}'::item::json;
\set VERBOSITY terse
SELECT '{"a": "\u0000"}'::item::jsonb;
\set VERBOSITY default
SELECT '{"a": 1e200}'::jsonb::item;
SELECT item_size(jsonb_build_object('a', 1));
SELECT jsonb_typeof('{"a": 1}'::item);
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'partitioning.item'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT item_type(v::item) FROM unnest(ARRAY['""', '0', '{"$binary": ""}', 'true', 'null', '{}', '[]',
    '{"$string_set": [""]}', '{"$number_set": [0]}', '{"$binary_set": [""]}']) v;

-- Nothing here is a risk in a parallel worker or an index.
SELECT proname, provolatile, proisstrict, proparallel FROM pg_proc
WHERE pronamespace = 'partitioning'::regnamespace AND (proname LIKE 'item\_%' OR proname LIKE '%dynamodb\_json')
    AND proname NOT IN ('item_of', 'item_changed') AND (provolatile <> 'i' OR NOT proisstrict OR proparallel <> 's') ORDER BY 1;
