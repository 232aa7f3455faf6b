-- Projection expressions, by get_item().
SET search_path = partitioning, public;
SET client_min_messages = warning;
SELECT create_table('expr_project', 'pk', 'sk', '{"sk": "N"}');
SELECT put_item('public.expr_project', '{"pk": "k", "sk": 1, "a": 1, "e": {}, "z": null,
    "l": [0, [1, 2], {"z": 3, "w": 4}, 3], "m": {"x": {"y": 1, "z": 2}, "w": 5},
    "a.b": {"c": 1, "d": 2}, "ss": {"$string_set": ["p"]}}');
\pset format unaligned
\pset fieldsep ' => '

CREATE FUNCTION pg_temp.parts(projection text, expression_names jsonb = NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN get_item('public.expr_project', '{"pk": "k", "sk": 1}', projection,
                    expression_names);
EXCEPTION WHEN SQLSTATE 'IM001' THEN
    RETURN SQLERRM;
END $$;

-- Parts stand where they were; keys appear when they are named.
SELECT e, pg_temp.parts(e) FROM (VALUES
    ('a'), ('a, m'), ('m.w, m.x.y'), ('m.x, a , e'), ('pk'), ('sk, a, pk'),
    ('z, ss'), ('e')) AS t (e);

-- List elements are packed in the order of their indexes.
SELECT e, pg_temp.parts(e) FROM (VALUES
    ('l[3], l[0]'), ('l[2].z, l[1][1]'), ('l[1][0], l[1][1]'),
    ('l[2].w, l[2].z, l[10]')) AS t (e);

-- What is missing is skipped, with its containers.
SELECT e, pg_temp.parts(e) FROM (VALUES
    ('q'), ('m.q'), ('m.q, m.w'), ('l[4]'), ('a.b'), ('a[0]'), ('m[0]'),
    ('l.z'), ('e.x'), ('m.x.y.z, a')) AS t (e);
SELECT get_item('public.expr_project', '{"pk": "k", "sk": 2}', 'a') IS NULL AS absent;

-- Placeholders.
SELECT e, pg_temp.parts(e, n) FROM (VALUES
    ('#x.c', jsonb '{"#x": "a.b"}'), ('#x.#c, #x.d', '{"#x": "a.b", "#c": "c"}'),
    ('#l[1][0], #l[#l]', '{"#l": "l"}'), ('#x, a', NULL),
    ('a', '{"#x": "a"}'), ('#x.c, #y', '{"#x": "a.b", "#y": "a.b"}')) AS t (e, n);

-- Errors, and their order: syntax, reserved word, undefined, overlap, conflict.
SELECT e, pg_temp.parts(e) FROM (VALUES
    (''), ('a,'), (',a'), ('a b'), ('a;b'), ('size(a)'), ('(a)'), (':a'), ('a[x]'),
    ('abort'), ('a.Size'), ('and'), ('a, a'), ('m.x, m.x.y'), ('m, a, m.x'),
    ('m.x, m[0]'), ('l[0].a, l[0][1]'), ('m.x, m[0], m'), ('abort, a,'),
    ('#x, abort'), ('a, a, #x')) AS t (e);
SELECT n, left(pg_temp.parts('a' || repeat('.a', n - 1)), 100)
FROM (VALUES (32), (33)) AS t (n);

-- No path leads into a key attribute.
SELECT e, pg_temp.parts(e, n) FROM (VALUES
    ('pk.x', NULL::jsonb), ('a, sk[0]', NULL), ('#k.x', '{"#k": "pk"}')) AS t (e, n);
\pset format aligned
\pset fieldsep '|'
SELECT drop_table('expr_project');
RESET client_min_messages;
RESET search_path;
