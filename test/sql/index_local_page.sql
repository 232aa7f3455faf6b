-- Local indexes: pages, projections, templates, partitions.
CREATE SCHEMA index_local_page;
SET search_path = index_local_page, partitioning;
\set VERBOSITY terse
SELECT create_table('app', 'PK', 'SK', '{"SK": "N"}');
SELECT create_local_index('app', 'byGroup', 'g', projection => 'KEYS_ONLY');
SELECT create_local_index('app', 'byScore', 'score', '{"score": "N"}', 'INCLUDE', '{name,SK,g}');
SELECT count(put_item('app', jsonb_build_object('PK', 'p' || p, 'SK', i, 'g', 'g' || i / 10, 'score', i % 3, 'name', 'n' || i, 'rest', repeat('x', 10))))
FROM generate_series(1, 3) p, generate_series(0, 39) i;
SELECT count(put_item('app', jsonb_build_object('PK', 'p1', 'SK', i))) FROM generate_series(100, 109) i;

-- All pages of a query or scan, one item after the other.
CREATE FUNCTION pages(index_name text, size int, forward bool, condition text DEFAULT NULL, val item DEFAULT '{":p": "p1"}', segment int DEFAULT NULL, segments int DEFAULT NULL)
RETURNS TABLE (page int, items item[], scanned int, last item) LANGUAGE plpgsql AS $$
DECLARE
    r record;
    start item;
BEGIN
    page := 0;
    LOOP
        IF condition IS NULL THEN
            SELECT * INTO r FROM scan_page('app', pages.index_name, segment => pages.segment, total_segments => segments, max_items => size, start_key => start);
        ELSE
            SELECT * INTO r FROM query_page('app', condition, val, pages.index_name, scan_forward => forward, max_items => size, start_key => start);
        END IF;
        page := page + 1;
        items := r.items;
        scanned := r.scanned_count;
        last := r.last_evaluated_key;
        RETURN NEXT;
        start := r.last_evaluated_key;
        EXIT WHEN start IS NULL OR page > 500;
    END LOOP;
END $$;

-- The shape of a key, and of a projected item.
SELECT * FROM pages('byGroup', 15, true, 'PK = :p');
SELECT items[1], items[array_length(items, 1)] AS last_item, scanned, last FROM pages('byScore', 15, true, 'PK = :p');
-- An expression reaches all attributes.
SELECT query('app', 'PK = :p AND score = :s', '{":p": "p1", ":s": 1}', 'byScore', projection => 'SK, rest', max_items => 2);
SELECT query('app', 'PK = :p AND score = :s', '{":p": "p1", ":s": 1, ":n": "n4"}', 'byScore', filter => '#n = :n', expression_names => '{"#n": "name"}');

-- Ties end and begin pages anywhere, in both directions: every page size gives the whole in order.
CREATE VIEW expected AS SELECT (attributes->>'g') AS g, sk FROM app WHERE pk = 'p1' AND attributes ? 'g';
SELECT size, forward, count(*) AS n,
    array_agg((item_text(i, 'g'), item_number(i, 'SK')) ORDER BY page, o) =
        CASE WHEN forward THEN (SELECT array_agg((g, sk) ORDER BY g, sk) FROM expected)
             ELSE (SELECT array_agg((g, sk) ORDER BY g DESC, sk DESC) FROM expected) END AS right
FROM (VALUES (1), (2), (3), (7), (10), (39), (40), (41)) AS s (size), (VALUES (true), (false)) AS f (forward),
    pages('byGroup', size, forward, 'PK = :p') p, unnest(items) WITH ORDINALITY AS u (i, o)
GROUP BY 1, 2 ORDER BY 1, 2;
-- The same within bounds.
SELECT size, forward, count(*) AS n, min(item_text(i, 'g')), max(item_text(i, 'g'))
FROM (VALUES (1), (3), (10), (20)) AS s (size), (VALUES (true), (false)) AS f (forward),
    pages('byGroup', size, forward, 'PK = :p AND g BETWEEN :a AND :b', '{":p": "p2", ":a": "g1", ":b": "g2"}') p, unnest(items) AS u (i)
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT size, forward, count(*) AS n, array_agg(item_number(i, 'SK') ORDER BY page, o) AS sks
FROM (VALUES (1), (4)) AS s (size), (VALUES (true), (false)) AS f (forward),
    pages('byGroup', size, forward, 'PK = :p AND g = :a', '{":p": "p2", ":a": "g1"}') p, unnest(items) WITH ORDINALITY AS u (i, o)
GROUP BY 1, 2 ORDER BY 1, 2;
-- Scans, whole and in segments: each entry once, none without the attribute.
SELECT size, count(*) AS n, count(DISTINCT i) AS different
FROM (VALUES (1), (7), (120), (500)) AS s (size), pages('byGroup', size, true) p, unnest(items) AS u (i) GROUP BY 1 ORDER BY 1;
SELECT segments, size, count(*) AS n, count(DISTINCT i) AS different
FROM (VALUES (2), (5)) AS t (segments), (VALUES (3), (50)) AS s (size), generate_series(0, segments - 1) seg,
    pages('byGroup', size, true, segment => seg, segments => segments) p, unnest(items) AS u (i) GROUP BY 1, 2 ORDER BY 1, 2;

-- A page has 1 MB of entries, not of items.
SELECT count(put_item('app', jsonb_build_object('PK', 'big', 'SK', i, 'g', 'x', 'score', 1, 'rest', repeat('x', 300000)))) FROM generate_series(1, 8) i;
SELECT item_count, last_evaluated_key FROM query_page('app', 'PK = :p', '{":p": "big"}', 'byGroup');
SELECT item_count, last_evaluated_key FROM query_page('app', 'PK = :p', '{":p": "big"}');

-- Start keys.
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p1", "SK": 30.5, "g": "g3"}', max_items => 1);
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p1", "SK": 1}');
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p1", "g": "g1"}');
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "g": "g1", "x": 1}');
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "x": "g1"}');
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "g": 5}');
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p1", "SK": "1", "g": "g1"}');
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": 1, "SK": 1, "g": "g1"}');
SELECT query('app', 'PK = :p', '{":p": "p1"}', 'byGroup', start_key => '{"PK": "p2", "SK": 1, "g": "g1"}');
SELECT query('app', 'PK = :p AND g > :g', '{":p": "p1", ":g": "g1"}', 'byGroup', start_key => '{"PK": "p2", "SK": 1, "g": "g2"}');
SELECT query('app', 'PK = :p AND g > :g', '{":p": "p1", ":g": "g1"}', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "g": "g1"}');
SELECT scan('app', 'byGroup', start_key => '{"PK": "p1", "SK": 1}');
SELECT scan('app', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "x": "g1"}');
SELECT scan('app', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "g": null}');
SELECT scan('app', 'byGroup', start_key => '{"PK": "p1", "SK": "1", "g": "g1"}');
SELECT scan('app', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "g": "g1"}', segment => 0, total_segments => 2) LIMIT 1;
SELECT scan('app', 'byGroup', start_key => '{"PK": "p1", "SK": 1, "g": "g1"}', segment => 1, total_segments => 2) LIMIT 1;
DROP FUNCTION pages;
DROP VIEW expected;
DROP TABLE app;

-- Templates: the sort key follows what it is made of.
SELECT create_table('orders', 'PK', 'SK', options => '{"index_method": "btree"}');
SELECT create_local_index('orders', 'byStatus', 'status-date', projection => 'KEYS_ONLY', templates => '{"status-date": "{status}#{at}"}');
SELECT create_local_index('orders', 'byAll', 'all', templates => '{"all": "{{{n}/{SK}/{PK}}}"}');
\d orders
SELECT put_item('orders', '{"PK": "u", "SK": "1", "status": "open", "at": 20, "n": 1.50}');
SELECT put_item('orders', '{"PK": "u", "SK": "2", "status": "open", "at": 10, "n": "x"}');
SELECT put_item('orders', '{"PK": "u", "SK": "3", "status": "open"}');
SELECT put_item('orders', '{"PK": "u", "SK": "4", "status": true, "at": 1, "n": {"m": 1}}');
SELECT query('orders', 'PK = :p', '{":p": "u"}', 'byStatus');
SELECT query('orders', 'PK = :p', '{":p": "u"}', 'byAll');
SELECT update_item('orders', '{"PK": "u", "SK": "1"}', 'SET #s = :s', '{":s": "closed"}', expression_names => '{"#s": "status"}');
SELECT update_item('orders', '{"PK": "u", "SK": "3"}', 'SET #a = :a', '{":a": 5}', expression_names => '{"#a": "at"}');
SELECT query('orders', 'PK = :p AND begins_with(#k, :o)', '{":p": "u", ":o": "open#"}', 'byStatus', expression_names => '{"#k": "status-date"}');
-- Seen in projections, filters and keys; a stored attribute of the name is hidden.
SELECT update_item('orders', '{"PK": "u", "SK": "3"}', 'SET #k = :v', '{":v": "stored"}', expression_names => '{"#k": "status-date"}');
SELECT query('orders', 'PK = :p', '{":p": "u"}', 'byStatus', projection => '#k', expression_names => '{"#k": "status-date"}');
SELECT scan('orders', 'byStatus', filter => '#k = :v', expression_values => '{":v": "closed#20"}', expression_names => '{"#k": "status-date"}');
SELECT last_evaluated_key FROM query_page('orders', 'PK = :p', '{":p": "u"}', 'byStatus', max_items => 1);
SELECT query('orders', 'PK = :p', '{":p": "u"}', 'byStatus', start_key => '{"PK": "u", "SK": "1", "status-date": "closed#20"}');
SELECT get_item('orders', '{"PK": "u", "SK": "3"}');
SELECT pk, sk, "status-date", "all" FROM orders ORDER BY sk;
DROP TABLE orders;

-- Partitions: columns and indexes on each, a later one included.
CREATE TABLE parts (attributes item, sk text COLLATE "C", pk text COLLATE "C") PARTITION BY HASH (pk);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
SELECT register_table('parts', 'PK', 'SK');
INSERT INTO parts VALUES ('{"d": "2"}', 'a', 'p3');
SELECT create_local_index('parts', 'byD', 'd');
CREATE TABLE parts_1 (gone int, pk text COLLATE "C" NOT NULL, attributes item NOT NULL, sk text COLLATE "C" NOT NULL,
    d text COLLATE "C" GENERATED ALWAYS AS (index_key_text('d', attributes)) STORED);
ALTER TABLE parts_1 DROP COLUMN gone;
ALTER TABLE parts_1 ADD CONSTRAINT item_check CHECK (check_item('PK', pk, 'SK', sk, attributes, 2704));
ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT count(put_item('parts', jsonb_build_object('PK', 'p' || p, 'SK', 'k' || i, 'd', i % 3))) FROM generate_series(1, 6) p, generate_series(1, 6) i;
SELECT count(put_item('parts', jsonb_build_object('PK', 'p' || p, 'SK', 'k' || i, 'd', (i % 3)::text))) FROM generate_series(1, 6) p, generate_series(1, 6) i;
SELECT tableoid::regclass, count(*), count(DISTINCT pk) AS pks FROM parts GROUP BY 1 ORDER BY 1;
SELECT query('parts', 'PK = :p', jsonb_build_object(':p', pk), 'byD', max_items => 3, scan_forward => false)
FROM (SELECT min(pk COLLATE "C") AS pk FROM parts GROUP BY tableoid ORDER BY tableoid) p;
SELECT count(*), count(DISTINCT s) FROM scan('parts', 'byD') s;
SELECT update_item('parts', '{"PK": "p1", "SK": "k1"}', 'REMOVE d');
SELECT count(*) FROM scan('parts', 'byD');
SELECT drop_index('parts', 'byD');
\d parts_1
DROP TABLE parts;

-- Writes are direct, and stay on the page while the attribute stays (HOT).
SELECT create_table('hot', 'PK', 'SK');
SELECT create_local_index('hot', 'byD', 'd');
SELECT put_item('hot', '{"PK": "a", "SK": "b", "d": "x", "n": 0}');
BEGIN;
SELECT count(update_item('hot', '{"PK": "a", "SK": "b"}', 'ADD n :i', '{":i": 1}')) FROM generate_series(1, 20);
SELECT pg_stat_get_xact_tuples_updated('hot'::regclass) AS updated, pg_stat_get_xact_tuples_hot_updated('hot'::regclass) AS hot;
SELECT count(update_item('hot', '{"PK": "a", "SK": "b"}', 'SET d = :d', jsonb_build_object(':d', 'd' || i))) FROM generate_series(1, 5) i;
UPDATE hot SET attributes = attributes || '{"n": 100}';
SELECT pg_stat_get_xact_tuples_updated('hot'::regclass) AS updated, pg_stat_get_xact_tuples_hot_updated('hot'::regclass) AS hot;
COMMIT;
SELECT query('hot', 'PK = :p', '{":p": "a"}', 'byD');
-- A later index or trigger changes the way, not the result.
CREATE INDEX ON hot (("attributes"->>'n'));
CREATE FUNCTION set_d() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.attributes := NEW.attributes || '{"d": "by trigger"}'; RETURN NEW; END $$;
SELECT update_item('hot', '{"PK": "a", "SK": "b"}', 'SET d = :d', '{":d": "one"}');
CREATE TRIGGER set_d BEFORE INSERT OR UPDATE ON hot FOR EACH ROW EXECUTE FUNCTION set_d();
SELECT update_item('hot', '{"PK": "a", "SK": "b"}', 'SET d = :d', '{":d": "two"}', return_values => 'ALL_NEW');
SELECT put_item('hot', '{"PK": "a", "SK": "c"}');
SELECT query('hot', 'PK = :p', '{":p": "a"}', 'byD');
CREATE OR REPLACE FUNCTION set_d() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.attributes := NEW.attributes || '{"d": 5}'; RETURN NEW; END $$;
SELECT put_item('hot', '{"PK": "a", "SK": "c"}');
DROP TRIGGER set_d ON hot;
DROP FUNCTION set_d;
-- Batches and transactions.
SELECT batch_write('hot', ARRAY['{"PK": "t", "SK": "1", "d": "b"}', '{"PK": "t", "SK": "2", "d": "a"}']::item[]);
SELECT batch_write('hot', ARRAY['{"PK": "t", "SK": "3", "d": "c"}', '{"PK": "t", "SK": "4", "d": 1}']::item[]);
SELECT transact_write(ARRAY['{"put": {"table": "hot", "item": {"PK": "t", "SK": "5", "d": "e"}}}',
    '{"update": {"table": "hot", "key": {"PK": "t", "SK": "1"}, "update": "SET d = :d", "values": {":d": "z"}}}']::item[]);
SELECT transact_write(ARRAY['{"update": {"table": "hot", "key": {"PK": "t", "SK": "1"}, "update": "SET d = if_not_exists(q, :d)", "values": {":d": 1}}}']::item[]);
SELECT query('hot', 'PK = :p', '{":p": "t"}', 'byD');
-- What is too long for a btree says so; nothing is stored.
SELECT put_item('hot', jsonb_build_object('PK', repeat('p', 100), 'SK', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 32) i), 'd', (SELECT string_agg(md5(i::text), '') FROM generate_series(101, 132) i)));
SELECT put_item('hot', jsonb_build_object('PK', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 40) i), 'SK', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 32) i), 'd', (SELECT string_agg(md5(i::text), '') FROM generate_series(101, 132) i)));
SELECT count(*) FROM hot WHERE length(pk) > 10;
DROP TABLE hot;
DROP SCHEMA index_local_page;
