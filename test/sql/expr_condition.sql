-- Conditions: operators, functions, paths and placeholders, by matches().
SET search_path = partitioning, public;

-- The answer as text, or the error's message.
CREATE FUNCTION pg_temp.ask(item item, condition text,
    expression_values item = NULL, expression_names jsonb = NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN matches(item, condition, expression_values, expression_names);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Nothing to judge, or nothing to judge by: NULL.
SELECT matches(NULL, 'a = :v', '{":v": 1}') IS NULL AS no_item,
       matches('{"a": 1}', NULL) IS NULL AS no_condition;
SELECT pg_temp.ask('[1]', 'attribute_exists(a)');

-- Missing operands: one side, the other, both; and the negation.
SELECT op,
       pg_temp.ask(i, 'a ' || op || ' :v', '{":v": 1}') AS left_missing,
       pg_temp.ask(i, ':v ' || op || ' a', '{":v": 1}') AS right_missing,
       pg_temp.ask(i, 'a ' || op || ' b') AS both_missing,
       pg_temp.ask(i, 'NOT a ' || op || ' :v', '{":v": 1}') AS negated
FROM (VALUES ('='), ('<>'), ('<'), ('<='), ('>'), ('>=')) AS o (op),
     (VALUES (item '{"c": 1}')) AS t (i);
SELECT c, pg_temp.ask('{"c": 1}', c, '{":v": 1}') AS answer,
       pg_temp.ask('{"c": 1}', 'NOT ' || c, '{":v": 1}') AS negated
FROM (VALUES ('a BETWEEN :v AND :v'), ('c BETWEEN a AND :v'),
             ('c BETWEEN :v AND a'), ('a IN (:v)'), ('c IN (a, b) AND c = :v'),
             ('c IN (a, :v)')) AS t (c);

-- A value equals itself, and only values of its own type.
WITH v (k, x) AS (VALUES
    ('S', item '{"x": "1"}'), ('N', '{"x": 1}'),
    ('B', '{"x": {"$binary": "MQ=="}}'), ('BOOL', '{"x": true}'),
    ('NULL', '{"x": null}'), ('M', '{"x": {"a": 1}}'), ('L', '{"x": ["1"]}'),
    ('SS', '{"x": {"$string_set": ["1"]}}'),
    ('NS', '{"x": {"$number_set": [1]}}'),
    ('BS', '{"x": {"$binary_set": ["MQ=="]}}'))
SELECT a.k AS stored,
       string_agg(b.k, ' ') FILTER (WHERE matches(a.x, 'x = :x',
           replace(b.x::text, '"x"', '":x"')::item)) AS equal_to,
       count(*) FILTER (WHERE matches(a.x, 'x <> :x',
           replace(b.x::text, '"x"', '":x"')::item)) AS unequal_to
FROM v AS a, v AS b GROUP BY a.k ORDER BY a.k;

-- Equality of documents: member order and set order do not count, list order
-- does; numbers are equal by value, at any depth.
SELECT x, matches(x, 'x = :x', v) AS equal
FROM (VALUES
    (item '{"x": {"b": [1, 2], "a": {"$string_set": ["p", "q"]}}}',
     item '{":x": {"a": {"$string_set": ["q", "p"]}, "b": [1.0, 2e0]}}'),
    ('{"x": {"a": 1}}', '{":x": {"a": 1, "b": 1}}'),
    ('{"x": [1, 2]}', '{":x": [2, 1]}'),
    ('{"x": [1, 2]}', '{":x": [1, 2, 3]}'),
    ('{"x": {"$number_set": [1, 2.50]}}', '{":x": {"$number_set": [2.5, 1e0]}}'),
    ('{"x": "é"}', '{":x": "é"}')) AS t (x, v);

-- Order: bytes for strings and binary values, value for numbers.
SELECT a, b, matches(('{"x": ' || a || '}')::item, 'x < :x',
                     ('{":x": ' || b || '}')::item) AS less,
       matches(('{"x": ' || a || '}')::item, 'x >= :x',
               ('{":x": ' || b || '}')::item) AS not_less
FROM (VALUES ('"Z"', '"a"'), ('"a"', '"é"'), ('"10"', '"9"'), ('"a"', '"ab"'),
             ('10', '9'), ('-1', '0'), ('-10', '-9'), ('0.1', '1e-2'),
             ('{"$binary": "fw=="}', '{"$binary": "gA=="}'),
             ('{"$binary": "gA=="}', '{"$binary": "gP8="}')) AS t (a, b);

-- A stored value of another type, or of one without order, is no error.
SELECT x, pg_temp.ask(x, 'x < :n', '{":n": 5}') AS less,
       pg_temp.ask(x, 'x >= :n', '{":n": 5}') AS not_less,
       pg_temp.ask(x, 'x BETWEEN :n AND :n', '{":n": 5}') AS amid,
       pg_temp.ask(x, 'x <> :n', '{":n": 5}') AS unequal,
       pg_temp.ask(x, 'begins_with(x, :s)', '{":s": "4"}') AS begins,
       pg_temp.ask(x, 'size(x) > :n', '{":n": 0}') AS sized
FROM (VALUES (item '{"x": 4}'), ('{"x": "4"}'), ('{"x": true}'),
             ('{"x": null}'), ('{"x": [4]}'), ('{"x": {"a": 4}}'),
             ('{"x": {"$number_set": [4]}}'),
             ('{"x": {"$binary": "NA=="}}')) AS t (x);

-- BETWEEN includes its bounds, which may be attributes.
SELECT n, matches('{"lo": 2, "hi": 4}', ':n BETWEEN lo AND hi',
                  ('{":n": ' || n || '}')::item) AS paths,
       matches(('{"n": ' || n || '}')::item, 'n between :lo And :hi',
               '{":lo": 2, ":hi": 4}') AS constants
FROM (VALUES ('1.9'), ('2'), ('3'), ('4.0'), ('4.1')) AS t (n);

-- IN: members of any types, attributes among them.
SELECT c, pg_temp.ask('{"a": 1, "b": "x", "c": 1}', c,
                      '{":n": 1, ":s": "x"}') AS answer
FROM (VALUES ('a IN (:s, :n)'), ('b in (:n, :s)'), ('a IN (c)  OR a IN (:s, :n)'),
             ('(a) IN ((c)) OR b = :s AND a = :n'),
             ('size(b) IN (:n) AND b = :s')) AS t (c);

-- attribute_exists: a null value exists.
SELECT x, matches(x, 'attribute_exists(x)') AS exists,
       matches(x, 'attribute_not_exists(x)') AS missing,
       matches(x, 'attribute_exists(x.y[1].z)') AS deep
FROM (VALUES (item '{}'), ('{"x": null}'), ('{"x": {"y": [1, {"z": null}]}}'),
             ('{"x": {"y": [{"z": 1}]}}'), ('{"x": ["y"]}')) AS t (x);

-- attribute_type knows the ten tags.
SELECT t, string_agg(k, ' ' ORDER BY k) AS attributes
FROM (VALUES ('S'), ('N'), ('B'), ('BOOL'), ('NULL'), ('M'), ('L'), ('SS'),
             ('NS'), ('BS')) AS tags (t),
     (VALUES ('s'), ('n'), ('b'), ('t'), ('z'), ('m'), ('l'), ('ss'), ('ns'),
             ('bs'), ('missing')) AS names (k)
WHERE matches('{"s": "", "n": 0, "b": {"$binary": ""}, "t": false, "z": null,
                "m": {}, "l": [], "ss": {"$string_set": [""]},
                "ns": {"$number_set": [0]}, "bs": {"$binary_set": [""]}}',
              'attribute_type(#k, :t)', ('{":t": "' || t || '"}')::item,
              jsonb_build_object('#k', k))
GROUP BY t ORDER BY t;

-- begins_with: strings and binary values, the empty prefix, no mixing.
SELECT c, pg_temp.ask('{"s": "héllo", "e": "", "p": "hé",
                        "b": {"$binary": "AP8B"}}', c,
                      '{":s": "hé", ":e": "", ":b": {"$binary": "AP8="}}')
FROM (VALUES ('begins_with(s, :s) and :e <> :b'),
             ('begins_with(s, :e) and :s <> :b'),
             ('begins_with(s, p) and :s = p and :e <> :b'),
             ('begins_with(e, :s) or :e = :b'),
             ('begins_with(b, :b) and :s <> :e'),
             ('begins_with(s, :b) or :s = :e'),
             ('begins_with(:s, p) and :e <> :b')) AS t (c);

-- contains: container by operand.  A map is never searched, a set is no
-- element of itself.
WITH v (k, x) AS (VALUES
    ('S', '"a1"'), ('S1', '"1"'), ('N', '1'), ('B', '{"$binary": "MQ=="}'),
    ('BOOL', 'true'), ('NULL', 'null'), ('M', '{"a": "1"}'),
    ('L', '["1", 1, true, null, {"a": "1"}, {"$binary": "MQ=="}]'),
    ('SS', '{"$string_set": ["1", "2"]}'), ('NS', '{"$number_set": [1.0, 2]}'),
    ('BS', '{"$binary_set": ["MQ==", "Mg=="]}'))
SELECT a.k AS container, string_agg(b.k, ' ') FILTER
    (WHERE matches(('{"x": ' || a.x || '}')::item, 'contains(x, :x)',
                   ('{":x": ' || b.x || '}')::item)) AS contains
FROM v AS a, v AS b GROUP BY a.k ORDER BY a.k;
SELECT matches('{"x": [[1], {"$string_set": ["a"]}]}', 'contains(x, :l)', '{":l": [1]}'),
       matches('{"x": [[1], {"$string_set": ["a"]}]}', 'contains(x, :l)', '{":l": {"$string_set": ["a"]}}'),
       matches('{"x": "abc", "y": "bc"}', 'contains(x, y)'),
       matches('{"y": "bc"}', 'contains(:x, y)', '{":x": "abc"}'),
       matches('{"x": "abc"}', 'contains(x, y) OR contains(y, x)');

-- size: bytes of strings and binary values, elements of the others.
SELECT k, string_agg(n::text, ' ') AS size
FROM (VALUES ('s'), ('b'), ('l'), ('m'), ('ss'), ('n'), ('t'), ('z'),
             ('missing')) AS names (k), generate_series(0, 6) AS n
WHERE matches('{"s": "né", "b": {"$binary": "AAEC"}, "l": [1, [2, 3]],
                "m": {"a": {"b": 1}}, "ss": {"$string_set": ["a", "b"]},
                "n": 5, "t": true, "z": null}',
              'size(#k) = :n', ('{":n": ' || n || '}')::item,
              jsonb_build_object('#k', k))
GROUP BY k ORDER BY k;
SELECT matches('{"n": 5}', 'size(n) <> :v', '{":v": 1}') AS no_size_is_unequal,
       matches('{"s": "abc"}', 'size(s) BETWEEN :a AND :b', '{":a": 1, ":b": 3}'),
       matches('{"s": "abc"}', ':a < size(s)', '{":a": 2}'),
       matches('{"s": "abc", "l": [1, 2, 3]}', 'size(s) = size(l)'),
       matches('{"n": 3}', 'size(:s) = n', '{":s": "abc"}');

-- Precedence: NOT before AND before OR; AND of BETWEEN is its own.
SELECT c, pg_temp.ask('{"y": true, "n": false}', replace(replace(c,
    'yes', 'y = :y'), 'no', 'n = :y'), '{":y": true}') AS answer
FROM (VALUES ('yes OR yes AND no'), ('(yes OR yes) AND no'),
             ('NOT no AND no'), ('NOT (no AND no)'), ('NOT NOT yes'),
             ('NoT yes oR yes'), ('no OR NOT no'), ('no AND no OR yes'),
             ('no AND (no OR yes)'), ('NOT no AND NOT no AND NOT no')) AS t (c);
SELECT matches('{"n": 2, "f": 1}', 'n BETWEEN :a AND :b AND f = :b OR n = :b',
               '{":a": 1, ":b": 3}');

-- Parentheses around conditions and operands; white space of any kind.
SELECT c, pg_temp.ask('{"a": 1, "b": 2}', c, '{":x": 1, ":y": 2}') AS answer
FROM (VALUES ('(a = :x) AND :y = b'), ('((a = :x) AND b = :y)'),
             ('(a) = (:x) AND :y <> a'),
             ('(attribute_exists(a)) AND :x <> :y'),
             ('(size(b)) <> :x AND :x <> :y'),
             ('NOT (NOT (a = :x)) AND :x <> :y'),
             (E'a\t=\r\n:x AND\nb=:y'), ('a=:x AND b=:y')) AS t (c);

-- Paths: members, elements, and names that only a placeholder can spell.
SELECT c, pg_temp.ask('{"a": {"b.c": [10, {"d": 20}], "b": {"c": 30}},
                        "a.b": 40, "l": [[1, 2], [3, 4]], "Size": 50}', c, v, n)
FROM (VALUES
    ('a.#bc[1].d = :v', item '{":v": 20}', jsonb '{"#bc": "b.c"}'),
    ('a.b.c = :v', '{":v": 30}', NULL),
    ('#ab = :v', '{":v": 40}', '{"#ab": "a.b"}'),
    ('l[1][0] = :v', '{":v": 3}', NULL),
    ('l [ 1 ] [ 0 ] = :v', '{":v": 3}', NULL),
    ('a . b . c = :v', '{":v": 30}', NULL),
    ('attribute_exists(l[2])', NULL, NULL),
    ('attribute_exists(l[2147483647])', NULL, NULL),
    ('attribute_exists(a[0])', NULL, NULL),
    ('attribute_exists(l.a)', NULL, NULL),
    ('#1 = :1', '{":1": 50}', '{"#1": "Size"}'),
    ('#s = :_', '{":_": 50}', '{"#s": "Size"}'),
    ('attribute_exists(#s)', NULL, '{"#s": "size"}')) AS t (c, v, n);

-- Functions may carry reserved names; attributes may be called as they are.
SELECT matches('{"contains": "abc", "a1_Z": 1}',
               'contains(contains, :v) AND a1_Z = :n', '{":v": "b", ":n": 1}');

-- A placeholder in a branch that is not evaluated counts as used.
SELECT matches('{"a": 1}', 'a = :a OR #b = :b', '{":a": 1, ":b": 2}',
               '{"#b": "b"}');
-- Many placeholders are found as surely as few, and one may be used twice.
SELECT matches('{"a": 12}',
    'a IN (:a,:b,:c,:d,:e,:f,:g,:h,:i,:jj,:k,:lll) AND a = :lll',
    '{":a":1,":b":2,":c":3,":d":4,":e":5,":f":6,":g":7,":h":8,":i":9,":jj":10,":k":11,":lll":12}');

-- One call site, different arguments from row to row.
SELECT c, matches('{"a": 1, "b": 2}', c, v) AS answer
FROM (VALUES ('a = :v', item '{":v": 1}'), ('a = :v', '{":v": 2}'),
             ('b = :v', '{":v": 2}'), ('b = :v', '{":v": 2}'),
             ('attribute_exists(c)', NULL), ('a = :v', '{":v": 1}')) AS t (c, v);

-- The same answers with no cache, one place, and few; an expression stays
-- usable while others push it out.
CREATE FUNCTION pg_temp.churn(OUT right_answers int) LANGUAGE plpgsql AS $$
BEGIN
    right_answers := 0;
    FOR i IN 1 .. 40 LOOP
        IF matches('{"a": 1}', 'a = :v', '{":v": 1}')
            AND matches(jsonb_build_object('a' || i % 7, i),
                        format('a%s = :v', i % 7), jsonb_build_object(':v', i))
            AND pg_temp.ask('{}', format('a%s = ', i % 5)) LIKE 'IM001%'
        THEN
            right_answers := right_answers + 1;
        END IF;
    END LOOP;
END $$;
SELECT pg_temp.churn();
SET partitioning.expression_cache_size = 0;
SELECT pg_temp.churn();
SET partitioning.expression_cache_size = 1;
SELECT pg_temp.churn();
SET partitioning.expression_cache_size = 3;
SELECT pg_temp.churn();

-- Of the texts used, the most recent stay parsed, within the setting.
SET partitioning.expression_cache_size = 2;
SELECT matches('{"a": 1}', 'attribute_exists(one)'),
       matches('{"a": 1}', 'attribute_exists(two)'),
       matches('{"a": 1}', 'attribute_exists(one)'),
       matches('{"a": 1}', 'attribute_exists(three)');
SELECT ident FROM pg_backend_memory_contexts
WHERE name = 'parsed expression' ORDER BY ident;
RESET partitioning.expression_cache_size;

-- In a WHERE clause, and in PL/pgSQL with arguments that change.
SELECT i FROM (VALUES (item '{"n": 1}'), ('{"n": 2}'), ('{"n": 3}')) AS t (i)
WHERE matches(i, 'n >= :min', '{":min": 2}');
DO $$
DECLARE
    hits int := 0;
BEGIN
    FOR i IN 1 .. 3 LOOP
        IF matches('{"n": 2}', 'n = :n', jsonb_build_object(':n', i)) THEN
            hits := hits + i;
        END IF;
    END LOOP;
    RAISE NOTICE 'hits: %', hits;
END $$;
RESET search_path;
