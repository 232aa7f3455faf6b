-- Queries: key conditions, order, limits, filters, pages.
CREATE SCHEMA api_query;
SET search_path = api_query, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_table('readings', 'sensor', 'at', '{"at": "N"}');
SELECT create_table('files', 'path', 'digest', '{"digest": "B"}');
SELECT create_table('users', 'id');

SELECT count(*)
FROM generate_series(1, 9) AS i,
     put_item('app', jsonb_build_object('PK', 'U#1', 'SK', 'ORDER#' || lpad(i::text, 2, '0'),
         'amount', i * 10, 'state', CASE WHEN i % 3 = 0 THEN 'open' ELSE 'paid' END));
SELECT put_item('app', '{"PK": "U#1", "SK": "PROFILE", "name": "Ada"}');
SELECT put_item('app', '{"PK": "U#2", "SK": "ORDER#01", "amount": 5}');

-- The partition in order of the sort key, and exactly the reverse.
SELECT q ->> 'SK' AS sk FROM query('app', 'PK = :pk', '{":pk": "U#1"}') AS q;
SELECT q ->> 'SK' AS sk FROM query('app', 'PK = :pk', '{":pk": "U#1"}', scan_forward => false) AS q;
SELECT q ->> 'SK' AS sk FROM query('app', 'PK = :pk', '{":pk": "U#3"}') AS q;

-- Every condition on a sort key, reversed and in either order.
CREATE FUNCTION keys(condition text, vals item) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(right(item_text(q, 'SK'), 2), ' ')
    FROM query('app', condition, vals) AS q
$$;
SELECT c, keys(c, v) FROM (VALUES
    ('PK = :pk AND SK = :a', '{":pk": "U#1", ":a": "ORDER#03"}'::item),
    ('PK = :pk AND SK < :a', '{":pk": "U#1", ":a": "ORDER#03"}'),
    ('PK = :pk AND SK <= :a', '{":pk": "U#1", ":a": "ORDER#03"}'),
    ('PK = :pk AND SK > :a', '{":pk": "U#1", ":a": "ORDER#07"}'),
    ('PK = :pk AND SK >= :a', '{":pk": "U#1", ":a": "ORDER#07"}'),
    ('PK = :pk AND :a > SK', '{":pk": "U#1", ":a": "ORDER#03"}'),
    ('SK >= :a AND PK = :pk', '{":pk": "U#1", ":a": "ORDER#08"}'),
    ('(PK = :pk) AND (SK BETWEEN :a AND :b)', '{":pk": "U#1", ":a": "ORDER#03", ":b": "ORDER#05"}'),
    ('PK = :pk AND begins_with(SK, :a)', '{":pk": "U#1", ":a": "ORDER#0"}'),
    ('PK = :pk AND begins_with(SK, :a)', '{":pk": "U#1", ":a": "P"}'),
    ('PK = :pk AND SK BETWEEN :a AND :b', '{":pk": "U#1", ":a": "A", ":b": "B"}')) AS t (c, v);

-- Numbers sort as numbers, across magnitude and sign.
SELECT count(*)
FROM unnest('{10, 9, -1, 0, -10, 2.5, 1e30, -1e-30}'::numeric[]) AS n,
     put_item('readings', jsonb_build_object('sensor', 's', 'at', n));
SELECT item_number(q, 'at') FROM query('readings', 'sensor = :s', '{":s": "s"}') AS q;
SELECT item_number(q, 'at') FROM query('readings', '#s = :s AND #a BETWEEN :x AND :y', '{":s": "s", ":x": -1, ":y": 9}',
    expression_names => '{"#s": "sensor", "#a": "at"}', scan_forward => false) AS q;

-- Bytes: 0x80 follows 0x7F; begins_with up to 0xFF.
SELECT count(*)
FROM unnest(ARRAY['\x7f', '\x80', '\xff', '\xff00', '\xffff', '\x00']::bytea[]) AS b,
     put_item('files', jsonb_build_object('path', 'p', 'digest', jsonb_build_object('$binary', encode(b, 'base64'))));
SELECT q -> 'digest' FROM query('files', '#p = :p', '{":p": "p"}', expression_names => '{"#p": "path"}') AS q;
SELECT q -> 'digest' FROM query('files', '#p = :p AND begins_with(digest, :d)', '{":p": "p", ":d": {"$binary": "/w=="}}',
    expression_names => '{"#p": "path"}') AS q;

-- A table without a sort key.
SELECT put_item('users', '{"id": "1", "name": "Ada"}');
SELECT * FROM query('users', 'id = :id', '{":id": "1"}');

-- max_items counts items read, so with a filter fewer come back.
SELECT q ->> 'SK' AS sk, q ->> 'state' AS state
FROM query('app', 'PK = :pk AND begins_with(SK, :o)', '{":pk": "U#1", ":o": "ORDER#"}', max_items => 3) AS q;
SELECT q ->> 'SK' AS sk, q ->> 'state' AS state
FROM query('app', 'PK = :pk AND begins_with(SK, :o)', '{":pk": "U#1", ":o": "ORDER#", ":s": "paid"}',
           filter => '#s = :s', expression_names => '{"#s": "state"}', max_items => 3) AS q;

-- LIMIT is SQL's: it counts what comes back.
SELECT q ->> 'SK' AS sk
FROM query('app', 'PK = :pk AND begins_with(SK, :o)', '{":pk": "U#1", ":o": "ORDER#", ":s": "paid"}',
           filter => '#s = :s', expression_names => '{"#s": "state"}') AS q
LIMIT 3;

-- In the select list items are read as they are asked for.
SELECT query('app', 'PK = :pk', '{":pk": "U#1"}', projection => 'SK') LIMIT 2;
SELECT query('app', 'PK = :pk', jsonb_build_object(':pk', p), projection => 'SK, amount', max_items => 2) FROM unnest('{U#2,U#1}'::text[]) AS p;

-- Projections; NAME is a reserved word.
SELECT * FROM query('app', 'PK = :pk', '{":pk": "U#1"}', projection => 'amount, PK', max_items => 1);
SELECT * FROM query('app', 'PK = :pk', '{":pk": "U#1"}', projection => 'name', max_items => 1);
SELECT * FROM query('app', 'PK = :pk', '{":pk": "U#1"}', projection => '#n', max_items => 1,
                    expression_names => '{"#n": "name"}');

-- Continue after a key, in either direction; the key need not exist.
SELECT q ->> 'SK' AS sk FROM query('app', 'PK = :pk', '{":pk": "U#1"}', start_key => '{"PK": "U#1", "SK": "ORDER#08"}') AS q;
SELECT q ->> 'SK' AS sk FROM query('app', 'PK = :pk', '{":pk": "U#1"}', start_key => '{"PK": "U#1", "SK": "ORDER#025"}', scan_forward => false) AS q;
SELECT q ->> 'SK' AS sk FROM query('app', 'PK = :pk AND SK < :s', '{":pk": "U#1", ":s": "ORDER#05"}', start_key => '{"PK": "U#1", "SK": "ORDER#02"}') AS q;

-- Pages: the last key is that of the last item read, even if filtered out.
SELECT array(SELECT i ->> 'SK' FROM unnest(items) i) AS items, item_count, scanned_count, last_evaluated_key
FROM query_page('app', 'PK = :pk', '{":pk": "U#1", ":s": "open"}', filter => '#s = :s',
                expression_names => '{"#s": "state"}', max_items => 4);
SELECT array(SELECT i ->> 'SK' FROM unnest(items) i) AS items, item_count, scanned_count, last_evaluated_key
FROM query_page('app', 'PK = :pk', '{":pk": "U#1", ":s": "open"}', filter => '#s = :s',
                expression_names => '{"#s": "state"}', max_items => 2);
SELECT item_count, scanned_count, last_evaluated_key FROM query_page('app', 'PK = :pk', '{":pk": "U#1"}');
SELECT item_count, scanned_count, last_evaluated_key FROM query_page('app', 'PK = :pk', '{":pk": "nobody"}');
SELECT items FROM query_page('app', 'PK = :pk', '{":pk": "nobody"}');

-- max_items reached exactly at the end still gives a last key; the page
-- after it is empty and final.
SELECT item_count, last_evaluated_key FROM query_page('app', 'PK = :pk', '{":pk": "U#1"}', max_items => 10);
SELECT item_count, last_evaluated_key FROM query_page('app', 'PK = :pk', '{":pk": "U#1"}', max_items => 11);
SELECT item_count, last_evaluated_key FROM query_page('app', 'PK = :pk', '{":pk": "U#1"}', max_items => 10,
                                                      start_key => '{"PK": "U#1", "SK": "PROFILE"}');

-- Walk through all pages, both ways.
CREATE FUNCTION walk(forward bool, size int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    page record;
    key item;
BEGIN
    LOOP
        SELECT * INTO page FROM query_page('app', 'PK = :pk', '{":pk": "U#1"}', scan_forward => forward,
                                           max_items => size, start_key => key);
        RETURN NEXT (SELECT string_agg(i ->> 'SK', ' ') FROM unnest(page.items) i);
        key := page.last_evaluated_key;
        EXIT WHEN key IS NULL;
    END LOOP;
END $$;
SELECT walk(true, 4);
SELECT walk(false, 3);
SELECT walk(true, 5);

-- A page ends with the item that crosses 1 MB; both ways.
SELECT count(*)
FROM unnest('{1,2,3,4,5,6}'::text[]) AS i,
     put_item('app', jsonb_build_object('PK', 'big', 'SK', i, 'v', repeat('x', 299990)));
SELECT item_size(get_item('app', '{"PK": "big", "SK": "1"}'));
SELECT item_count, scanned_count, last_evaluated_key FROM query_page('app', 'PK = :pk', '{":pk": "big"}');
SELECT item_count, scanned_count, last_evaluated_key FROM query_page('app', 'PK = :pk', '{":pk": "big"}', scan_forward => false);
-- The size counts what is read, not what the filter or projection leave.
SELECT item_count, scanned_count, last_evaluated_key
FROM query_page('app', 'PK = :pk', '{":pk": "big", ":v": "y"}', filter => 'v = :v', projection => 'SK');
-- query has no such limit.
SELECT count(*) FROM query('app', 'PK = :pk', '{":pk": "big"}');

SET client_min_messages = warning;
DROP SCHEMA api_query CASCADE;
