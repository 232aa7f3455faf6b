-- Pages of 7 through global indexes where 90 % of the entries have equal keys
-- give every entry once, in either direction, whatever the keys are.
SET search_path = public, partitioning;
CREATE FUNCTION pages(table_name text, index_name text, condition text, vals item, forward bool, n int,
                      OUT entries bigint, OUT different bigint, OUT in_order bool, OUT pages bigint)
LANGUAGE plpgsql AS $$
DECLARE
    page record;
    start_key item;
    item item;
    seen text[] := '{}';
BEGIN
    pages := 0;
    LOOP
        IF condition IS NULL THEN
            SELECT * INTO page FROM scan_page(table_name, index_name => index_name, max_items => n, start_key => start_key);
        ELSE
            SELECT * INTO page FROM query_page(table_name, condition, vals, index_name => index_name, max_items => n,
                                               start_key => start_key, scan_forward => forward);
        END IF;
        pages := pages + 1;
        FOREACH item IN ARRAY page.items LOOP
            seen := seen || item::text;
        END LOOP;
        start_key := page.last_evaluated_key;
        EXIT WHEN start_key IS NULL;
    END LOOP;
    SELECT count(*), count(DISTINCT s) INTO entries, different FROM unnest(seen) AS s;
    -- the pages together are what is read at once
    IF condition IS NULL THEN
        in_order := seen = ARRAY(SELECT i::text FROM scan(table_name, index_name => index_name) AS i);
    ELSE
        in_order := seen = ARRAY(SELECT i::text FROM query(table_name, condition, vals, index_name => index_name, scan_forward => forward) AS i);
    END IF;
END $$;

SELECT create_table('two', 'pk', 'sk', '{"sk": "N"}'), create_table('one', 'pk', attribute_types => '{"pk": "B"}');
SELECT create_global_index(t, 'byGS', 'g', 's', '{"s": "N"}', propagation => 'sync'),
       create_global_index(t, 'byG', 'g', projection => 'KEYS_ONLY', propagation => 'sync'),
       create_global_index(t, 'byBG', 'b', 'g', '{"b": "B"}', projection => 'INCLUDE', include => '{s}', propagation => 'sync'),
       create_global_index(t, 'many', partition_keys => '{g,b}', sort_keys => '{s,g2}', projection => 'KEYS_ONLY', propagation => 'sync')
FROM (VALUES ('one'), ('two')) AS v (t);
SELECT count(*) AS puts FROM generate_series(1, 100) AS i,
       put_item('two', jsonb_build_object('pk', 'P' || i % 17, 'sk', i, 'g', 'G', 'g2', 'H' || i % 2,
                                                'b', '{"$binary": "AAE="}'::jsonb, 's', CASE WHEN i % 10 = 0 THEN i ELSE 5 END)) AS a,
       put_item('one', jsonb_build_object('pk', jsonb_build_object('$binary', encode(decode(lpad(i::text, 4, '0'), 'hex'), 'base64')),
                                                'g', 'G', 'g2', 'H' || i % 2, 'b', '{"$binary": "AAE="}'::jsonb,
                                                's', CASE WHEN i % 10 = 0 THEN i ELSE 5 END)) AS b;
SELECT t, x, f, p.*
FROM (VALUES ('one'), ('two')) AS v (t), (VALUES (true), (false)) AS w (f),
     (VALUES ('byGS', 'g = :g', '{":g": "G"}'::item),
             ('byGS', 'g = :g AND s < :s', '{":g": "G", ":s": 50}'),
             ('byG', 'g = :g', '{":g": "G"}'),
             ('byBG', 'b = :b', '{":b": {"$binary": "AAE="}}'),
             ('byBG', 'b = :b AND begins_with(g, :g)', '{":b": {"$binary": "AAE="}, ":g": "G"}'),
             ('many', 'g = :g AND b = :b', '{":g": "G", ":b": {"$binary": "AAE="}}'),
             ('many', 'g = :g AND b = :b AND s = :s', '{":g": "G", ":b": {"$binary": "AAE="}, ":s": 5}'),
             ('many', 'g = :g AND b = :b AND s = :s AND g2 > :h', '{":g": "G", ":b": {"$binary": "AAE="}, ":s": 5, ":h": "H0"}'),
             ('byGS', NULL, NULL), ('byG', NULL, NULL), ('byBG', NULL, NULL), ('many', NULL, NULL)) AS x (x, c, e),
     pages(t, x, c, e, f, 7) AS p
WHERE c IS NOT NULL OR f
ORDER BY t, x, c, f;

-- with many partitions, and in segments
SELECT count(*) FROM generate_series(1, 100) AS i,
    update_item('two', jsonb_build_object('pk', 'P' || i % 17, 'sk', i), 'SET g = :g', jsonb_build_object(':g', 'G' || i % 9)) AS u;
SELECT x, p.* FROM (VALUES ('byGS'), ('byG'), ('byBG'), ('many')) AS v (x), pages('two', x, NULL, NULL, true, 7) AS p;
SELECT count(*), count(DISTINCT i::text)
FROM generate_series(0, 4) AS segment, scan('two', 'byGS', segment => segment, total_segments => 5) AS i;
SELECT index_name, table_name, v.* FROM item_indexes, verify_index(table_name, index_name) AS v;
-- an entry that changes its place between pages is at its new place
SELECT last_evaluated_key AS key FROM query_page('two', 'g = :g', '{":g": "G1"}', index_name => 'byGS', max_items => 7) \gset
SELECT count(*) FROM delete_item('two', jsonb_build_object('pk', :'key'::item ->> 'pk', 'sk', (:'key'::item ->> 'sk')::int));
SELECT count(*) + 7 AS all_but_one FROM query('two', 'g = :g', '{":g": "G1"}', index_name => 'byGS', start_key => :'key');
SELECT count(*) FROM query('two', 'g = :g', '{":g": "G1"}', index_name => 'byGS');
-- Items whose digests collide, made for that.  Any two blocks of eight bytes
-- in a row collide, whatever is around them, so three give eight keys.
CREATE FUNCTION colliding(i int) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(CASE WHEN i >> b & 1 = 1 THEN '\x59a1826c0200b13b' ELSE '\x0100000002000000' END::bytea, '') FROM generate_series(0, 2) AS b
$$;
SELECT create_table('hard', 'pk', attribute_types => '{"pk": "B"}'), create_table('hard2', 'pk', 'sk', attribute_types => '{"sk": "B"}');
SELECT create_global_index(t, 'byG', 'g', propagation => 'sync'), create_global_index(t, 'byGS', 'g', 's', '{"s": "N"}', 'KEYS_ONLY', propagation => 'sync')
FROM (VALUES ('hard'), ('hard2')) AS v (t);
INSERT INTO hard SELECT colliding(i), '{"g": "G", "s": 1}' FROM generate_series(0, 7) AS i;
INSERT INTO hard SELECT decode(lpad(to_hex(i), 4, '0'), 'hex'), jsonb_build_object('g', 'G', 's', i % 3) FROM generate_series(0, 20) AS i;
INSERT INTO hard2 SELECT 'P', pk, attributes FROM hard ORDER BY random();
SELECT count(DISTINCT digest), count(*) FROM "hard_byG" WHERE length(base_pk) > 2
UNION ALL SELECT count(DISTINCT digest), count(*) FROM "hard2_byGS" WHERE length(base_sk) > 2;
SELECT t, x, f, n, p.entries, p.different, p.in_order
FROM (VALUES ('hard'), ('hard2')) AS v (t), (VALUES ('byG'), ('byGS')) AS w (x), (VALUES (true), (false)) AS y (f), (VALUES (1), (2), (7)) AS z (n),
    pages(t, x, 'g = :g', '{":g": "G"}', f, n) AS p
ORDER BY t, x, f, n;
SELECT t, x, p.* FROM (VALUES ('hard'), ('hard2')) AS v (t), (VALUES ('byG'), ('byGS')) AS w (x), pages(t, x, NULL, NULL, true, 3) AS p ORDER BY t, x;
-- backward is forward reversed, and rows that move within the table do not change their order
SELECT ARRAY(SELECT query('hard', 'g = :g', '{":g": "G"}', 'byG')::text) AS before \gset
UPDATE hard SET attributes = attributes || '{"x": 1}' WHERE pk = colliding(3);
UPDATE hard SET attributes = attributes - 'x';
SELECT ARRAY(SELECT query('hard', 'g = :g', '{":g": "G"}', 'byG')::text) = :'before' AS same,
    ARRAY(SELECT i::text FROM query('hard', 'g = :g', '{":g": "G"}', 'byG', scan_forward => false) WITH ORDINALITY AS q (i, o) ORDER BY o DESC) = :'before' AS reversed;
-- one of them goes between two pages
SELECT last_evaluated_key AS key FROM query_page('hard', 'g = :g AND s = :s', '{":g": "G", ":s": 1}', 'byGS', max_items => 4) \gset
SELECT delete_item('hard', jsonb_build_object('pk', :'key'::item -> 'pk')::item);
SELECT count(*) + 4 FROM query('hard', 'g = :g AND s = :s', '{":g": "G", ":s": 1}', 'byGS', start_key => :'key');
SELECT count(*) + 1 FROM hard WHERE item_number(attributes, 's') = 1;
DROP TABLE hard, hard2;
DROP FUNCTION colliding;
DROP TABLE one, two;
DROP FUNCTION pages;
