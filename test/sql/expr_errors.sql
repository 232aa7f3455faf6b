-- Errors of expressions: every text, and which of two errors comes first.
SET search_path = partitioning, public;
\pset format unaligned
\pset fieldsep ' => '

-- The answer as text, or the error's message.
CREATE FUNCTION pg_temp.ask(condition text, expression_values item = NULL,
    expression_names jsonb = NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN matches('{"a": 1, "b": "x"}', condition, expression_values,
                   expression_names);
EXCEPTION WHEN SQLSTATE 'IM001' THEN
    RETURN SQLERRM;
END $$;

-- The form of an error.
SELECT matches('{"a": 1}', '');
SELECT matches('{"a": 1}', 'a = :v', '[1]');
SELECT matches('{"a": 1}', 'a = #v', NULL, '["a"]');

-- Syntax: the first token that cannot be accepted, between its neighbours.
SELECT c, pg_temp.ask(c) FROM (VALUES
    ('a ! b'), ('a != :b'), ('a == :b'), ('a = "x"'), ('a = 1'), ('_a = :b'),
    ('a = :'), ('# = :b'), ('a'), (':a'), ('a ='), (' '), ('= :b'), ('a :b'),
    ('a IN ()'), ('a IN (:a,)'), ('a IN :a'), ('a BETWEEN :a'),
    ('a BETWEEN :a OR :b'), ('a = :a AND'), ('AND a = :a'), ('NOT'),
    ('a = :a AND AND b = :b'), ('()'), ('(a = :a'), ('a = :a)'), ('(a) (b)'),
    ('size()'), ('contains(a,)'), ('contains(a b)'), ('a.b. = :a'),
    ('a..b = :a'), ('.a = :a'), ('a[] = :a'), ('a[:i] = :a'), ('a[#i] = :a'),
    ('a[-1] = :a'), ('a[0 = :a'), ('a[b] = :a'), ('a.0 = :a'), ('a.:b = :a'),
    ('a = :a b'), ('a + b = :a'), ('a = b = c'), ('(a = b) = c'),
    ('SET a = :a'), ('a <> > b'), ('a < = b'), ('é = :a'), ('a = €x'),
    ('a = true AND b'), ('a.and AND b'), ('(a AND b)'), ('a = (b = c)')) AS t (c);

-- Parentheses: a pair directly around a pair.
SELECT c, pg_temp.ask(c, '{":x": 1}') FROM (VALUES
    ('((a = :x))'), ('((a)) = :x'), ('a = ((:x))'), ('((size(b))) = :x'),
    ('((attribute_exists(a))) AND a = :x'), ('NOT ((a = :x))'),
    ('a IN (((:x)))'), ('(((a = :x) AND a = :x))')) AS t (c);

-- Functions: unknown, of another case, of another kind, out of place.
SELECT c, pg_temp.ask(c, '{":x": "x"}') FROM (VALUES
    ('foo(a)'), ('Size(a) = :x'), ('attribute_Exists(a)'), ('count(a) = :x'),
    ('foo(bar(a))'), ('if_not_exists(a, :x)'), ('a = list_append(a, :x)'),
    ('size(b)'), ('(size(b)) AND b = :x'), ('NOT size(b)'),
    ('a = contains(b, :x)'), ('b IN (attribute_exists(a))'),
    ('attribute_exists(a) = :x'), ('contains(begins_with(a, :x), :x)')) AS t (c);

-- Reserved words: any case, any depth; function names are exempt.
SELECT c, pg_temp.ask(c, '{":x": 1}') FROM (VALUES
    ('size = :x'), ('Name = :x'), ('a.STATUS = :x'), ('a[0].items[1].zone = :x'),
    ('a = :x AND abort = :x'), ('set = :x'), ('a.and = :x'), ('a.In = :x'),
    ('remove = :x'), ('INNTER = :x'), ('namex = :x'), ('nam = :x'),
    ('size(b) = :x')) AS t (c);

-- Placeholders that the expression does not find, or does not use.
SELECT c, pg_temp.ask(c, v, n) FROM (VALUES
    ('a = :v', NULL::item, NULL::jsonb), ('#a = :v', '{":v": 1}', NULL),
    ('#a = :v', '{":w": 1}', '{"#b": "b"}'), (':v = #a', NULL, NULL),
    ('a = :v', '{":v": 1, ":w": 1, ":x": 1}', '{"#b": "b"}'),
    ('a = :v', '{":v": 1, ":w": 1, ":x": 1}', NULL),
    ('a = :V', '{":v": 1}', NULL)) AS t (c, v, n);

-- The placeholder maps themselves, in order: empty, keys, names, values.
SELECT n, v, pg_temp.ask('a = :v', v, n) FROM (VALUES
    ('{}'::jsonb, '{}'::item), (NULL, '{}'),
    ('{"a": "b"}', '{"v": 1}'), ('{"#a": ""}', '{"v": 1}'),
    ('{"#": "b"}', NULL), ('{"#a-b": "b"}', NULL), ('{"": "b"}', NULL),
    ('{":a": "b"}', NULL), (NULL, '{"#v": 1}'), (NULL, '{":": 1}'),
    (NULL, '{":v w": 1}'), ('{"#a": ""}', NULL), ('{"#a": 1}', NULL),
    ('{"#a": ["x"]}', NULL)) AS t (n, v);
SELECT n, left(pg_temp.ask('a = :v', '{":v": 1}',
                           jsonb_build_object('#' || repeat('n', n - 1), 'b')), 110)
FROM (VALUES (255), (256)) AS t (n);
SELECT n, left(pg_temp.ask('a = :v', '{":v": 1}',
                           jsonb_build_object('#n', repeat('n', n))), 100)
FROM (VALUES (65535), (65536)) AS t (n);
SELECT n, left(pg_temp.ask('a = :v AND b <> :x',
    jsonb_build_object(':v', repeat('v', 1048576), ':x', repeat('x', n))), 120)
FROM (VALUES (1048572), (1048573)) AS t (n);

-- Operands: count, distinct, path, type.
SELECT c, pg_temp.ask(c, v) FROM (VALUES
    ('attribute_exists(a, b)', NULL::item), ('contains(a)', NULL),
    ('contains(a, b, a)', NULL), ('size(a, b) = a', NULL),
    ('begins_with(a)', NULL), ('attribute_type(a)', NULL),
    ('a = a', NULL), ('a <= a', NULL), ('a.b[0] <> a.b[0]', NULL),
    ('contains(a, a)', NULL), ('begins_with(a.b, a.b)', NULL),
    ('attribute_exists(:v)', '{":v": 1}'),
    ('attribute_not_exists(size(a))', NULL),
    ('a < :v', '{":v": [1]}'), (':v <= a', '{":v": true}'),
    ('a > :v', '{":v": null}'), ('a >= :v', '{":v": {"m": 1}}'),
    ('a < :v', '{":v": {"$string_set": ["x"]}}'),
    ('a BETWEEN :v AND b', '{":v": {"$number_set": [1]}}'),
    (':v BETWEEN a AND b', '{":v": {"$binary_set": ["AA=="]}}'),
    ('a BETWEEN :v AND :w', '{":v": 1, ":w": "x"}'),
    ('a BETWEEN :v AND :w', '{":v": 2.50, ":w": 1}'),
    ('a BETWEEN :v AND :w', '{":v": "b", ":w": "a"}'),
    ('a BETWEEN :v AND :w', '{":v": {"$binary": "Ag=="}, ":w": {"$binary": "AQ=="}}'),
    ('a BETWEEN :v AND :w', '{":v": 1, ":w": 1}'),
    ('begins_with(a, :v)', '{":v": 1}'), ('begins_with(:v, a)', '{":v": [1]}'),
    ('begins_with(size(b), b)', NULL), ('contains(size(b), b)', NULL),
    ('size(:v) = a', '{":v": 1}'), ('size(:v) = a', '{":v": true}'),
    ('size(:v) = a', '{":v": null}'), ('size(size(b)) = a', NULL),
    ('attribute_type(a, b)', NULL), ('attribute_type(a, :v)', '{":v": 1}'),
    ('attribute_type(a, :v)', '{":v": "String"}'),
    ('attribute_type(a, :v)', '{":v": "s"}'),
    ('attribute_type(a, size(b))', NULL)) AS t (c, v);
-- Distinct is meant after substitution.
SELECT c, pg_temp.ask(c, NULL, n) FROM (VALUES
    ('a = #a', jsonb '{"#a": "a"}'),
    ('#x.b = #y.b', '{"#x": "a", "#y": "a"}'),
    ('#x = a.b', '{"#x": "a.b"}')) AS t (c, n);

-- Limits: n is legal, n + 1 is not.
SELECT n, pg_temp.ask(rpad('a = :v', n), '{":v": 1}')
FROM (VALUES (4096), (4097)) AS t (n);
SELECT n, pg_temp.ask('NOT ' || repeat('NOT ', n - 2) || 'a = :v', '{":v": 1}')
FROM (VALUES (300), (301), (1000)) AS t (n);
SELECT n, pg_temp.ask('a=:v' || repeat(' OR a=:v', n), '{":v": 1}')
FROM (VALUES (149), (150)) AS t (n);
SELECT n, pg_temp.ask('a IN (:v' || repeat(',:v', n - 1) || ')', '{":v": 1}')
FROM (VALUES (100), (101)) AS t (n);
SELECT n, pg_temp.ask('attribute_exists(a' || repeat('.a', n - 2) || '[0])')
FROM (VALUES (32), (33)) AS t (n);
SELECT i, pg_temp.ask(format('attribute_exists(a[%s])', i))
FROM (VALUES ('2147483647'), ('2147483648'), ('00000000000000000001'),
             ('99999999999999999999999999')) AS t (i);

-- Depth: nothing that fits in the text overflows a stack.
SELECT k, pg_temp.ask(c) FROM (VALUES
    ('open', repeat('(', 4096)),
    ('pairs', repeat('(', 2000) || 'a=b' || repeat(')', 2000)),
    ('calls', repeat('size(', 680) || 'a' || repeat(')', 680) || '=a'),
    ('brackets', repeat('[', 4096)),
    ('negations', repeat('NOT ', 1024)),
    ('path', 'a=b' || repeat('.b', 2000))) AS t (k, c);

-- Priority, each against the next: syntax, limits, parentheses, unknown
-- function, misused function, reserved word, undefined, count, distinct, type.
SELECT c, pg_temp.ask(c, v) FROM (VALUES
    ('((a = :u)) AND', NULL::item),
    ('((foo(a)))', NULL),
    ('size(a) AND foo(b)', NULL),
    ('abort = :u AND size(a)', NULL),
    ('a = :u AND abort = :u', NULL),
    ('contains(a) AND a = :u', NULL),
    ('a = a AND contains(a)', NULL),
    ('a < :v AND a = a', '{":v": [1]}'),
    ('a < :v AND a > :w', '{":v": [1], ":w": true}')) AS t (c, v);

-- A failed parse leaves nothing behind: the text fails again, others work.
SELECT pg_temp.ask('foo(a)'), pg_temp.ask('foo(a)'),
       pg_temp.ask('attribute_exists(a)');
\pset format aligned
\pset fieldsep '|'
RESET search_path;
