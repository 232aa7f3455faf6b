-- Key conditions, by query().
SET search_path = partitioning, public;
SET client_min_messages = warning;
SELECT create_table('expr_key_s', 'pk', 'sk');
SELECT create_table('expr_key_n', 'pk', 'sk', '{"pk": "N", "sk": "N"}');
SELECT create_table('expr_key_b', 'pk', 'sk', '{"sk": "B"}');
SELECT create_table('expr_key', 'pk');
SELECT count(put_item('public.expr_key_s', format('{"pk": "p", "sk": "%s"}', s)::item))
FROM unnest('{a,ab,abc,b,é,éa,z}'::text[]) AS s;
SELECT count(put_item('public.expr_key_n', format('{"pk": 1, "sk": %s}', n)::item))
FROM unnest('{-10,-1,0,0.5,2,10,1e20}'::text[]) AS n;
SELECT count(put_item('public.expr_key_b',
                      format('{"pk": "p", "sk": {"$binary": "%s"}}', b)::item))
FROM unnest('{AA==,AP8=,AP8A,AP//,AQ==,//8=}'::text[]) AS b;
SELECT put_item('public.expr_key', '{"pk": "p", "a": 1}');
\pset format unaligned
\pset fieldsep ' => '

-- The sort keys found, or the error's message.
CREATE FUNCTION pg_temp.keys(table_name text, key_condition text,
    expression_values item, expression_names jsonb = NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT string_agg(coalesce((i -> 'sk')::text, '-'), ' ')
            FROM query('public.' || table_name, key_condition, expression_values,
                       expression_names => expression_names) AS i);
EXCEPTION WHEN SQLSTATE 'IM001' THEN
    RETURN SQLERRM;
END $$;

-- Every operator on every type of key; operands and terms in any order.
SELECT c, pg_temp.keys('expr_key_s', 'pk = :p AND ' || c, v)
FROM (VALUES ('sk = :s', item '{":p": "p", ":s": "ab"}'),
    ('sk < :s', '{":p": "p", ":s": "ab"}'), ('sk <= :s', '{":p": "p", ":s": "ab"}'),
    ('sk > :s', '{":p": "p", ":s": "ab"}'), ('sk >= :s', '{":p": "p", ":s": "ab"}'),
    (':s > sk', '{":p": "p", ":s": "ab"}'), (':s >= sk', '{":p": "p", ":s": "ab"}'),
    (':s < sk', '{":p": "p", ":s": "ab"}'), (':s <= sk', '{":p": "p", ":s": "ab"}'),
    (':s = sk', '{":p": "p", ":s": "ab"}'),
    ('sk BETWEEN :s AND :t', '{":p": "p", ":s": "ab", ":t": "b"}'),
    ('begins_with(sk, :s)', '{":p": "p", ":s": "a"}'),
    ('begins_with(sk, :s)', '{":p": "p", ":s": "é"}'),
    ('begins_with(sk, :s)', '{":p": "p", ":s": "zz"}')) AS t (c, v);
SELECT c, pg_temp.keys('expr_key_n', c, v)
FROM (VALUES ('pk = :p', item '{":p": 1.0}'), ('sk = :s AND pk = :p', '{":p": 1, ":s": 5e-1}'),
    ('(sk < :s) AND (:p = pk)', '{":p": 1, ":s": 0}'),
    ('(pk = :p AND sk >= :s)', '{":p": 1, ":s": 2}'),
    ('sk BETWEEN :s AND :t AND pk = :p', '{":p": 1, ":s": -1, ":t": 10}')) AS t (c, v);
SELECT pg_temp.keys('expr_key_n', '#p = :p AND #s > :s', '{":p": 1, ":s": 10}',
                    '{"#p": "pk", "#s": "sk"}');
SELECT c, pg_temp.keys('expr_key_b', 'pk = :p AND ' || c, v)
FROM (VALUES ('sk < :s', item '{":p": "p", ":s": {"$binary": "AQ=="}}'),
    ('begins_with(sk, :s)', '{":p": "p", ":s": {"$binary": "AP8="}}'),
    ('begins_with(sk, :s)', '{":p": "p", ":s": {"$binary": "AP//"}}'),
    ('begins_with(sk, :s)', '{":p": "p", ":s": {"$binary": "/w=="}}')) AS t (c, v);
SELECT pg_temp.keys('expr_key', 'pk = :p', '{":p": "p"}'),
       pg_temp.keys('expr_key_s', 'pk = :p', '{":p": "q"}') IS NULL AS none;

-- What no key condition can be.
SELECT c, pg_temp.keys('expr_key_s', c, v)
FROM (VALUES ('pk = :p OR sk = :s', item '{":p": "p", ":s": "s"}'),
    ('pk = :p AND NOT sk = :s', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND sk IN (:s)', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND sk <> :s', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND attribute_exists(sk)', '{":p": "p"}'),
    ('attribute_not_exists(pk)', NULL),
    ('pk = :p AND contains(sk, :s)', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND attribute_type(sk, :s)', '{":p": "p", ":s": "S"}'),
    ('pk = :p AND size(sk) = :s', '{":p": "p", ":s": 1}'),
    ('pk = :p AND sk BETWEEN size(a) AND :s', '{":p": "p", ":s": 1}'),
    ('pk.x = :p', '{":p": "p"}'), ('pk = :p AND sk[0] = :s', '{":p": "p", ":s": "s"}'),
    ('pk = sk', NULL), ('pk = :p AND sk BETWEEN a AND :s', '{":p": "p", ":s": "s"}'),
    (':p = :s', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND :s BETWEEN sk AND a', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND begins_with(:s, sk)', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND pk = :s', '{":p": "p", ":s": "s"}'),
    ('pk = :p AND sk > :s AND sk < :t', '{":p": "p", ":s": "s", ":t": "t"}'),
    ('pk = :p AND sk > :s AND a < :t', '{":p": "p", ":s": "s", ":t": "t"}')) AS t (c, v);

-- What this schema does not allow.
SELECT n, c, pg_temp.keys(n, c, v)
FROM (VALUES ('expr_key_s', 'sk = :s', item '{":s": "s"}'),
    ('expr_key_s', 'a = :s', '{":s": "s"}'),
    ('expr_key_s', 'pk = :p AND a = :s', '{":p": "p", ":s": "s"}'),
    ('expr_key_s', 'pk > :p', '{":p": "p"}'),
    ('expr_key_s', 'begins_with(pk, :p) AND sk = :p', '{":p": "p"}'),
    ('expr_key', 'pk = :p AND sk = :s', '{":p": "p", ":s": "s"}'),
    ('expr_key_s', 'pk = :p', '{":p": 1}'),
    ('expr_key_s', 'pk = :p AND sk = :s', '{":p": "p", ":s": 1}'),
    ('expr_key_n', 'pk = :p AND sk BETWEEN :s AND :t', '{":p": 1, ":s": "a", ":t": "b"}'),
    ('expr_key_n', 'pk = :p AND begins_with(sk, :s)', '{":p": 1, ":s": "a"}'),
    ('expr_key_n', 'pk = :p AND begins_with(sk, :s)', '{":p": 1, ":s": 1}'),
    ('expr_key_s', 'pk = :p', '{":p": ""}'),
    ('expr_key_s', 'pk = :p AND begins_with(sk, :s)', '{":p": "p", ":s": ""}'),
    ('expr_key_b', 'pk = :p AND sk = :s', '{":p": "p", ":s": {"$binary": ""}}')) AS t (n, c, v);
SELECT n, pg_temp.keys('expr_key_s', 'pk = :p', ('{":p": "' || repeat('p', n) || '"}')::item)
FROM (VALUES (2048), (2049)) AS t (n);
SELECT n, pg_temp.keys('expr_key_s', 'pk = :p AND sk > :s',
                       ('{":p": "p", ":s": "' || repeat('s', n) || '"}')::item)
FROM (VALUES (1024), (1025)) AS t (n);

-- The general rules of conditions hold, and come first.
SELECT c, pg_temp.keys('expr_key_s', c, v)
FROM (VALUES ('pk = :p AND', item '{":p": "p"}'), ('((pk = :p))', '{":p": "p"}'),
    ('foo(pk)', NULL), ('size(pk)', NULL), ('name = :p', '{":p": "p"}'),
    ('pk = :p', NULL), ('pk = :p', '{":p": "p", ":q": 1}'),
    ('pk = :p AND sk < :s', '{":p": "p", ":s": [1]}'),
    ('pk = :p AND sk BETWEEN :s AND :t', '{":p": "p", ":s": "b", ":t": "a"}'),
    ('pk = :p OR NOT pk = :p', '{":p": "p", ":q": 1}')) AS t (c, v);

-- A filter of a query leaves key attributes alone; a scan's may use them.
SELECT i FROM query('public.expr_key', 'pk = :p', '{":p": "p"}',
                    filter => 'attribute_exists(a) AND pk <> :p') AS i;
SELECT i FROM query('public.expr_key', 'pk = :p', '{":p": "p"}',
                    filter => 'pk.x <> :p') AS i;
SELECT i FROM query('public.expr_key', 'pk = :p', '{":p": "p"}',
                    filter => 'attribute_exists(a)') AS i;
SELECT i FROM scan('public.expr_key', filter => 'pk = :p',
                   expression_values => '{":p": "p"}') AS i;
SELECT i FROM scan('public.expr_key', filter => 'pk[0] = :p',
                   expression_values => '{":p": "p"}') AS i;
\pset format aligned
\pset fieldsep '|'
SELECT drop_table('expr_key_s'), drop_table('expr_key_n'),
       drop_table('expr_key_b'), drop_table('expr_key');
RESET client_min_messages;
RESET search_path;
