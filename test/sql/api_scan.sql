-- Scans: everything once, segments, filters, pages.
CREATE SCHEMA api_scan;
SET search_path = api_scan, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT count(*)
FROM generate_series(1, 40) AS p, generate_series(1, 5) AS s,
     put_item('app', jsonb_build_object('PK', 'P' || p, 'SK', 'S' || s, 'n', p * s));

-- Every item once; items of a partition together and in sort key order.
SELECT count(*), count(DISTINCT (q ->> 'PK') || (q ->> 'SK')) FROM scan('app') AS q;
WITH s AS (SELECT q ->> 'PK' AS pk, q ->> 'SK' AS sk, o, lag(q ->> 'PK') OVER (ORDER BY o) AS prev_pk,
                  lag(q ->> 'SK') OVER (ORDER BY o) AS prev_sk
           FROM scan('app') WITH ORDINALITY AS t (q, o))
SELECT count(*) FILTER (WHERE pk IS DISTINCT FROM prev_pk) AS partitions,
       count(*) FILTER (WHERE pk = prev_pk AND sk <= prev_sk) AS out_of_order
FROM s;

-- Segments are disjoint and complete, and a partition is in one of them.
SELECT count(*), count(DISTINCT q ->> 'PK' || '/' || (q ->> 'SK')),
       count(DISTINCT (seg, q ->> 'PK')) AS partitions, count(DISTINCT seg) AS segments
FROM generate_series(0, 4) AS seg, LATERAL scan('app', segment => seg, total_segments => 5) AS q;
SELECT count(*) FROM scan('app', segment => 0, total_segments => 1);
SELECT sum(n) FROM (SELECT (SELECT count(*) FROM scan('app', segment => seg, total_segments => 1000000)) AS n
                    FROM generate_series(0, 999999, 333333) AS seg) t;

-- A scan may filter on key attributes; max_items counts items read.
SELECT * FROM scan('app', filter => 'PK = :pk AND n > :n', expression_values => '{":pk": "P7", ":n": 20}');
SELECT count(*) FROM scan('app', max_items => 7);
SELECT count(*) FROM scan('app', filter => 'n > :n', expression_values => '{":n": 0}', max_items => 7);
SELECT count(*) FROM scan('app', filter => 'n > :n', expression_values => '{":n": 1000}', max_items => 7);

-- Projections and names.
SELECT DISTINCT q FROM scan('app', filter => '#n = :n', expression_values => '{":n": 200}',
                            projection => '#n', expression_names => '{"#n": "n"}') AS q;

-- Walk through all pages.
CREATE FUNCTION walk(size int, seg int = NULL, total int = NULL, relation text = 'app',
                     OUT pages int, OUT items int, OUT different int)
LANGUAGE plpgsql AS $$
DECLARE
    page record;
    key item;
    seen text[] = '{}';
BEGIN
    pages := 0;
    LOOP
        SELECT * INTO page FROM scan_page(relation, max_items => size, segment => seg, total_segments => total, start_key => key);
        pages := pages + 1;
        seen := seen || array(SELECT i ->> 'PK' || '/' || (i ->> 'SK') FROM unnest(page.items) i);
        key := page.last_evaluated_key;
        EXIT WHEN key IS NULL;
    END LOOP;
    items := cardinality(seen);
    different := (SELECT count(DISTINCT s) FROM unnest(seen) s);
END $$;
SELECT * FROM walk(7);
SELECT * FROM walk(200);
SELECT * FROM walk(201);
SELECT sum(items), sum(different) FROM generate_series(0, 2) AS s, LATERAL walk(3, s, 3);

-- A page of a scan.
SELECT item_count, scanned_count, last_evaluated_key IS NULL AS final FROM scan_page('app');
SELECT item_count, scanned_count, last_evaluated_key IS NULL AS final
FROM scan_page('app', filter => 'n > :n', expression_values => '{":n": 1000}', max_items => 50);

-- An empty table.
SELECT create_table('empty', 'id');
SELECT * FROM scan('empty');
SELECT * FROM scan_page('empty');

-- Early end in the select list, and a rescan for each outer row.
SELECT count(*) FROM (SELECT scan('app') LIMIT 3) t;
SELECT n, count(q) FROM generate_series(1, 3) AS n, LATERAL scan('app', max_items => n) AS q GROUP BY n ORDER BY n;

-- A table that is partitioned by hash, with a leaf whose columns are in
-- another order: the functions find rows in their leaves, scans visit all.
CREATE TABLE parts (pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, attributes item NOT NULL)
    PARTITION BY HASH (pk);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parts_2 (gone int, attributes item NOT NULL, sk text COLLATE "C" NOT NULL, pk text COLLATE "C" NOT NULL);
ALTER TABLE parts_2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES WITH (MODULUS 3, REMAINDER 2);
SELECT register_table('parts', 'PK', 'SK');
SELECT count(*)
FROM generate_series(1, 30) AS p, generate_series(1, 4) AS s,
     put_item('parts', jsonb_build_object('PK', 'P' || p, 'SK', 'S' || s, 'n', p * s));
SELECT tableoid::regclass AS leaf, count(*) > 0 AS filled, count(DISTINCT pk) * 4 = count(*) AS whole_partitions
FROM parts GROUP BY 1 ORDER BY 1;
SELECT count(*), count(DISTINCT (q ->> 'PK') || (q ->> 'SK')) FROM scan('parts') AS q;
SELECT * FROM walk(7, relation => 'parts');
SELECT sum(items), sum(different) FROM generate_series(0, 2) AS s, LATERAL walk(3, s, 3, 'parts');
SELECT count(update_item('parts', jsonb_build_object('PK', 'P' || p, 'SK', 'S1'), 'SET n = n + :n', '{":n": 1}',
                         'attribute_exists(PK)', return_values => 'ALL_NEW'))
FROM generate_series(1, 30) AS p;
SELECT count(*) FROM generate_series(1, 30) AS p
WHERE get_item('parts', jsonb_build_object('PK', 'P' || p, 'SK', 'S1')) ->> 'n' = (p + 1)::text;
SELECT sum(n) FROM generate_series(1, 30) AS p, LATERAL
    (SELECT count(*) AS n FROM query('parts', 'PK = :pk AND SK > :sk', jsonb_build_object(':pk', 'P' || p, ':sk', 'S2'))) AS q;
SELECT count(*) FILTER (WHERE item_of(p) = get_item('parts', jsonb_build_object('PK', pk, 'SK', sk))) AS equal FROM parts AS p;
SELECT count(*) > 0 AS some, bool_and(item_of(p) = get_item('parts', jsonb_build_object('PK', pk, 'SK', sk))) AS equal FROM parts_2 AS p;
SELECT count(delete_item('parts', jsonb_build_object('PK', pk, 'SK', sk), return_values => 'ALL_OLD')) AS deleted FROM parts;
SELECT count(*) FROM parts;

SET client_min_messages = warning;
DROP SCHEMA api_scan CASCADE;
