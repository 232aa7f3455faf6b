-- Update expressions: what they do to an item, by update_item().
SET search_path = partitioning, public;
SET client_min_messages = warning;
SELECT create_table('expr_update', 'pk');
\pset format unaligned
\pset fieldsep ' => '

-- Stores an item of these attributes (or none), updates it, and shows the new
-- attributes or the error's message.
CREATE FUNCTION pg_temp.up(attributes item, update_expression text,
    expression_values item = NULL, expression_names jsonb = NULL,
    return_values text = 'ALL_NEW')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result item;
BEGIN
    PERFORM delete_item('public.expr_update', '{"pk": "k"}');
    IF attributes IS NOT NULL THEN
        PERFORM put_item('public.expr_update', attributes || '{"pk": "k"}');
    END IF;
    result := update_item('public.expr_update', '{"pk": "k"}',
        update_expression, expression_values,
        expression_names => expression_names, return_values => return_values);
    RETURN coalesce((result - 'pk')::text, 'nothing');
EXCEPTION WHEN SQLSTATE 'IM001' THEN
    RETURN SQLERRM;
END $$;

-- The right-hand sides see the item before the update.
SELECT e, pg_temp.up('{"a": 1, "n": 5, "l": ["a", "b", "c"]}', e, v) FROM (VALUES
    ('SET b = a', NULL::item), ('REMOVE a SET b = a', NULL),
    ('SET a = :v, b = a', '{":v": 9}'), ('SET a = n, n = a', NULL),
    ('SET n = n + :one, l[7] = :z, l[0] = :y REMOVE l[1] ADD hits :one',
     '{":one": 1, ":y": "y", ":z": "z"}'),
    ('set x = pk', NULL), ('SET x = l[1], y = l', NULL)) AS t (e, v);

-- Lists: indexes are those before the update; replace, remove, append.
SELECT e, pg_temp.up('{"l": [0, 1, 2, 3]}', e, '{":a": "a"}') FROM (VALUES
    ('SET l[0] = :a'), ('SET l[3] = :a'), ('SET l[4] = :a'),
    ('SET l[99] = :a'), ('REMOVE l[0] SET x = :a'),
    ('REMOVE l[3], l[1], l[0] SET l[2] = :a'), ('REMOVE l[4] SET x = :a'),
    ('REMOVE l[1] SET l[4] = :a'), ('SET l[2147483647] = :a'),
    ('REMOVE l[0], l[1], l[2], l[3] SET x = :a'),
    ('SET l[1] = l[3], l[3] = :a')) AS t (e);
SELECT pg_temp.up('{"l": [0, 1, 2, 3]}',
    'SET l[9] = :nine, l[4] = :four, l[0] = :zero REMOVE l[1], l[3], l[8]',
    '{":nine": "9", ":four": "4", ":zero": "0"}');
SELECT pg_temp.up('{"l": [[1], {"a": 1}, 2]}',
    'SET l[1].b = :v, l[0][5] = :v REMOVE l[2]', '{":v": true}');

-- Nested targets need their container, of the right kind.
SELECT e, pg_temp.up('{"a": 1, "l": [0], "m": {"x": {"y": 1}}}', e, v) FROM (VALUES
    ('SET m.x.z = :v, m.w = :v', item '{":v": 2}'), ('SET m.x = :v', '{":v": 2}'),
    ('SET m.q.z = :v', '{":v": 2}'), ('SET q.z = :v', '{":v": 2}'),
    ('SET a.b = :v', '{":v": 2}'), ('SET l.b = :v', '{":v": 2}'),
    ('SET m[0] = :v', '{":v": 2}'), ('SET l[1].b = :v', '{":v": 2}'),
    ('SET l[0].b = :v', '{":v": 2}'), ('ADD q.z :v', '{":v": 2}'),
    ('REMOVE m.x.y', NULL), ('REMOVE m.x', NULL), ('REMOVE m.q', NULL),
    ('REMOVE m.q.z', NULL), ('REMOVE a.b', NULL), ('REMOVE q.z', NULL),
    ('REMOVE m[0]', NULL), ('REMOVE q', NULL)) AS t (e, v);

-- ADD and DELETE.
SELECT e, pg_temp.up('{"n": 1, "s": {"$string_set": ["p", "q"]},
    "one": {"$number_set": [1]}, "m": {"n": 1}, "l": [1, {"$number_set": [1]}]}',
    e, ('{":v": ' || v || '}')::item) FROM (VALUES
    ('ADD n :v', '2.5'), ('ADD n :v', '-1'), ('ADD x :v', '2'),
    ('ADD m.n :v', '2'), ('ADD m.x :v', '2'), ('ADD l[0] :v', '2'),
    ('ADD l[9] :v', '2'), ('ADD s :v', '2'), ('ADD n :v', '{"$number_set": [1]}'),
    ('ADD s :v', '{"$string_set": ["q", "r"]}'),
    ('ADD x :v', '{"$string_set": ["q", "r"]}'),
    ('ADD s :v', '{"$number_set": [1]}'),
    ('ADD one :v', '{"$number_set": [1.0, 2]}'),
    ('DELETE s :v', '{"$string_set": ["q", "r"]}'),
    ('DELETE s :v', '{"$string_set": ["q", "p"]}'),
    ('DELETE one :v', '{"$number_set": [1.0]}'),
    ('DELETE l[1] :v', '{"$number_set": [1.0]}'),
    ('DELETE s :v', '{"$number_set": [1]}'),
    ('DELETE x :v', '{"$number_set": [1]}'),
    ('DELETE x.y :v', '{"$number_set": [1]}')) AS t (e, v);

-- Operators and functions.
SELECT e, pg_temp.up('{"n": 1, "l": ["a"], "s": "x"}', e, v) FROM (VALUES
    ('SET n = n + :v', item '{":v": 0.5}'), ('SET n = n - :v', '{":v": 1.0}'),
    ('SET n = :v - n', '{":v": 0}'), ('SET x = (n + (:v))', '{":v": 1}'),
    ('SET x = n + n', NULL), ('SET n = n + s', NULL), ('SET n = n + x', NULL),
    ('SET n = if_not_exists(n, :v) + :v', '{":v": 3}'),
    ('SET x = if_not_exists(x, :v) + :v', '{":v": 3}'),
    ('SET x = if_not_exists(x, if_not_exists(y, n))', NULL),
    ('SET x = if_not_exists(n, y)', NULL), ('SET x = if_not_exists(y, z)', NULL),
    ('SET l = list_append(l, :v)', '{":v": ["b", 1]}'),
    ('SET l = list_append(:v, l)', '{":v": ["b", 1]}'),
    ('SET x = list_append(if_not_exists(x, :e), :v)', '{":e": [], ":v": [1]}'),
    ('SET l = list_append(l, l)', NULL), ('SET l = list_append(l, s)', NULL),
    ('SET l = list_append(x, l)', NULL), ('SET x = y', NULL)) AS t (e, v);

-- Arithmetic is exact, or fails.
SELECT pg_temp.up('{"n": 99999999999999999999999999999999999999}', 'SET n = n + :v', '{":v": 1}'),
       pg_temp.up('{"n": 99999999999999999999999999999999999999}', 'SET n = n + :v', '{":v": 0.1}'),
       pg_temp.up('{"n": 9e125}', 'ADD n :v', '{":v": 1e125}'),
       pg_temp.up('{"n": 1e-130}', 'SET n = n - :v', '{":v": 1e-130}');

-- Syntax.
SELECT e, pg_temp.up('{}', e) FROM (VALUES
    (''), ('SET'), ('SET a'), ('SET a ! b'), ('a = b'), ('SET :v = a'),
    ('SET a = b,'), ('SET a = a + a + a'), ('SET a = (a + a) + a'),
    ('SET a = list_append(a + a, a)'), ('SET a = b c'), ('REMOVE a b'),
    ('REMOVE :v'), ('ADD a b'), ('ADD a'), ('DELETE a, b'), ('ADD a = :v'),
    ('SET a = b, REMOVE c'), ('SET a == b'), ('SET a[0 = b'),
    ('SET a = ((b))'), ('SET a = ((b + c))'), ('SET a = (b) AND c'),
    ('DROP a')) AS t (e);

-- Static checks, and their order.
SELECT e, pg_temp.up('{}', e, v) FROM (VALUES
    ('SET a = b SET c = d', NULL::item), ('ADD a :v remove b add c :v', '{":v": 1}'),
    ('SET abort = b', NULL), ('SET a = b.Status', NULL), ('REMOVE a.and', NULL),
    ('SET a = foo(b)', NULL), ('SET a = size(b)', NULL), ('SET a = If_not_exists(a, b)', NULL),
    ('SET a = list_append(list_append(a, b), c)', NULL),
    ('SET a = if_not_exists(a, list_append(b, c))', NULL),
    ('SET a = list_append(b)', NULL), ('SET a = if_not_exists(a, b, c)', NULL),
    ('SET a = if_not_exists(:v, b)', '{":v": 1}'),
    ('SET a = list_append(b, :v)', '{":v": 1}'),
    ('SET a = b + :v', '{":v": "1"}'), ('SET a = :v - b', '{":v": true}'),
    ('ADD a :v', '{":v": "1"}'), ('ADD a :v', '{":v": [1]}'),
    ('ADD a :v', '{":v": true}'), ('ADD a :v', '{":v": null}'),
    ('ADD a :v', '{":v": {"m": 1}}'), ('ADD a :v', '{":v": {"$binary": "AA=="}}'),
    ('DELETE a :v', '{":v": 1}'), ('DELETE a :v', '{":v": "1"}'),
    ('SET a = b, a = c', NULL), ('SET a.b = c REMOVE a.b.c', NULL),
    ('REMOVE a[0].x SET a.b = c', NULL), ('SET a.b = c, a[0] = c REMOVE a', NULL),
    ('SET a[1] = b, a[01] = b', NULL),
    -- each against the next
    ('SET abort = foo(a)', NULL), ('SET a = foo(b) SET c = d', NULL),
    ('SET a = #n SET c = d', NULL), ('SET a = :u, b = #n', NULL),
    ('SET a = b, a = :u', NULL), ('SET a = b, a.b = c ADD x :v', '{":v": "1"}'),
    ('SET x = list_append(a) ADD a :v', '{":v": "1"}')) AS t (e, v);
SELECT pg_temp.up('{}', 'SET #a.b = :v, #b[0] = :v', '{":v": 1}', '{"#a": "x", "#b": "x"}');

-- Limits: operators with functions, nesting, size.
SELECT n, left(pg_temp.up('{"a": 1}', 'SET a=' || repeat('if_not_exists(b,', n)
    || 'a' || repeat(')', n)), 60) FROM (VALUES (200), (240)) AS t (n);
SELECT n, left(pg_temp.up('{"b": 1}', 'SET a = b+b' || string_agg(',a' || i || '=b+b', '')), 90)
FROM (VALUES (299), (300)) AS t (n), generate_series(1, n) AS i GROUP BY n ORDER BY n;
SELECT n, left(pg_temp.up('{"m": {"m": {}}}', 'SET m.m.l = :v',
    ('{":v": ' || repeat('[', n) || repeat(']', n) || '}')::item), 60)
FROM (VALUES (29), (30)) AS t (n);
SELECT n, left(pg_temp.up(('{"l": ' || repeat('[', n) || repeat(']', n) || '}')::item,
    'SET m = list_append(l, l), n = :v', '{":v": {}}'), 30)
FROM (VALUES (31)) AS t (n);
-- 2 + 1 bytes of key, 1 + 400,000 of b, 1 + n of c
SELECT n, length(pg_temp.up(('{"b": "' || repeat('b', 400000) || '"}')::item, 'SET c = :v',
    ('{":v": "' || repeat('c', n) || '"}')::item))
FROM (VALUES (9595)) AS t (n);
SELECT n, pg_temp.up(('{"b": "' || repeat('b', 400000) || '"}')::item, 'SET c = :v',
    ('{":v": "' || repeat('c', n) || '"}')::item)
FROM (VALUES (9596)) AS t (n);

-- The service's own count of what is written: 3 + 19 + 1 + n.
SELECT n, left(pg_temp.up(NULL, 'SET c = :v',
    ('{":v": "' || repeat('c', n) || '"}')::item), 60)
FROM (VALUES (409577), (409578)) AS t (n);

-- An absent item: SET and ADD create it, REMOVE and DELETE alone do not.
SELECT e, pg_temp.up(NULL, e, v) FROM (VALUES
    ('SET a = :v', item '{":v": 1}'), ('ADD a :v', '{":v": 1}'),
    ('SET a = if_not_exists(a, :v) + :v', '{":v": 1}'), ('SET a = pk', NULL),
    ('SET a = b', NULL), ('SET a.b = :v', '{":v": 1}'), ('REMOVE a', NULL),
    ('REMOVE a.b', NULL), ('REMOVE a[0] DELETE s :v', '{":v": {"$number_set": [1]}}'),
    ('SET a = :v REMOVE x.y', '{":v": 1}'), ('SET a = :v, x.y = :v', '{":v": 1}')) AS t (e, v);
SELECT pg_temp.up(NULL, 'REMOVE a');
SELECT get_item('public.expr_update', '{"pk": "k"}') IS NULL AS absent;

-- Key attributes cannot be targets, nor containers.
SELECT e, pg_temp.up('{"a": 1}', e, v) FROM (VALUES
    ('SET pk = :v', item '{":v": "k"}'), ('REMOVE pk', NULL), ('ADD pk :v', '{":v": 1}'),
    ('REMOVE pk.x', NULL), ('SET a = pk.x', NULL), ('SET a = pk[0]', NULL)) AS t (e, v);
SELECT pg_temp.up('{"a": 1}', 'SET #k = :v', '{":v": "k"}', '{"#k": "pk"}');

-- UPDATED_OLD and UPDATED_NEW: the targets as they were and as they are.
SELECT e, pg_temp.up('{"a": 1, "l": [0, 1, 2, 3], "m": {"x": 1, "y": {"z": 2}}}', e, '{":v": 7}', NULL, 'UPDATED_OLD'),
          pg_temp.up('{"a": 1, "l": [0, 1, 2, 3], "m": {"x": 1, "y": {"z": 2}}}', e, '{":v": 7}', NULL, 'UPDATED_NEW')
FROM (VALUES ('SET a = :v'), ('SET a = a, b = :v'), ('SET m.y.z = :v, m.x = :v'),
    ('SET m.n = :v'), ('SET l[3] = :v, l[1] = :v'), ('SET l[100] = :v'),
    ('SET b = :v REMOVE a'), ('REMOVE l[1] SET b = :v'), ('REMOVE q SET m.x = :v'),
    ('ADD a :v'), ('ADD l[2] :v, b :v')) AS t (e);
\pset format aligned
\pset fieldsep '|'
SELECT drop_table('expr_update');
RESET client_min_messages;
RESET search_path;
