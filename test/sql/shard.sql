-- Write shards: where items are stored, what the item functions and SQL see.
SET search_path = public, partitioning;

-- what cannot have shards
SET partitioning.index_method = btree;
SELECT create_table('events', 'PK', write_shards => 4);
SELECT create_table('events', 'PK', 'id', '{"PK": "N"}', write_shards => 4);
SELECT create_table('events', 'PK', 'id', write_shards => 1025);
SELECT create_table('events', 'PK', 'id', shard_by => 'device');
SELECT create_table('events', 'PK', 'id', write_shards => 4, shard_by => 'PK');
SELECT create_table('events', 'PK', 'id', write_shards => 4, shard_by => '');

-- by sort key, by an attribute, by chance
SELECT create_table('events', 'PK', 'id', write_shards => 4);
SELECT create_table('clicks', 'PK', 'id', '{"id": "N"}', write_shards => 3, shard_by => 'device');
SELECT create_table('traces', 'PK', 'id', '{"id": "B"}', write_shards => 4, shard_by => 'random');
\d events
\d clicks
\d traces
SELECT table_name, write_shards, shard_by FROM item_tables ORDER BY 1;
SELECT obj_description('events'::regclass);

-- numbers at the end of stored keys
SELECT pk, shard_base(pk), shard_of(pk)
FROM (VALUES ('a#7'), ('a'), ('a#07'), ('a#0'), ('a#'), ('#3'), ('a#b#12'), ('a#1#2'), ('a#-1'), ('a# 1'),
             ('a#999999999'), ('a#1234567890'), ('7'), ('')) AS v (pk);
SELECT shard_base(NULL), shard_of(NULL);

-- puts route: the sort key's hash decides for ever
SELECT count(put_item('events', jsonb_build_object('PK', 'D' || i % 2, 'id', 'e' || lpad(i::text, 2, '0'), 'n', i)))
FROM generate_series(1, 24) AS i;
SELECT pk, string_agg(sk, ' ' ORDER BY sk) FROM events GROUP BY pk ORDER BY pk COLLATE "C";
SELECT bool_and(pk = shard_key('events', shard_base(pk), sk)) FROM events;
-- an attribute's value decides when the item is new; without it, the sort key
SELECT count(put_item('clicks', jsonb_build_object('PK', 'D' || i % 2, 'id', i, 'device', 'd' || i % 5)))
FROM generate_series(1, 20) AS i;
SELECT attributes->>'device' AS device, count(DISTINCT shard_of(pk)) AS shards, count(*) FROM clicks GROUP BY 1 ORDER BY 1;
SELECT put_item('clicks', '{"PK": "D0", "id": 2, "device": "d0"}', return_values => 'ALL_OLD');
SELECT count(DISTINCT shard_of(pk)) FROM clicks WHERE sk IN (2, 7);
SELECT put_item('clicks', '{"PK": "D9", "id": 1}');
SELECT pk FROM clicks WHERE shard_base(pk) = 'D9';

-- logical keys everywhere
SELECT get_item('events', '{"PK": "D1", "id": "e07"}');
SELECT get_item('clicks', '{"PK": "D1", "id": 7}', projection => 'device');
SELECT get_item('events', '{"PK": "D1#0", "id": "e07"}');
SELECT update_item('events', '{"PK": "D1", "id": "e07"}', 'SET n = n + :n, seen = PK', '{":n": 100}', return_values => 'ALL_NEW');
SELECT update_item('clicks', '{"PK": "D1", "id": 7}', 'SET device = :d', '{":d": "other"}', return_values => 'ALL_NEW');
SELECT count(*) FROM clicks WHERE sk = 7;
SELECT update_item('clicks', '{"PK": "D3", "id": 3}', 'SET device = :d', '{":d": "d1"}', return_values => 'ALL_NEW');
SELECT a.attributes->>'device', shard_of(a.pk) = shard_of(b.pk) AS together FROM clicks AS a, clicks AS b WHERE a.pk LIKE 'D3#%' AND b.sk = 1 AND b.pk LIKE 'D1#%';
SELECT put_item('events', '{"PK": "D1", "id": "e07"}', 'attribute_not_exists(id)');
SELECT * FROM try_put('traces', '{"PK": "D1", "id": {"$binary": "AQ=="}, "n": 1}', 'attribute_not_exists(id)');
SELECT * FROM try_put('traces', '{"PK": "D1", "id": {"$binary": "AQ=="}, "n": 2}', 'attribute_not_exists(id)');
SELECT delete_item('clicks', '{"PK": "D3", "id": 3}', 'device = :d', '{":d": "d1"}', return_values => 'ALL_OLD');
SELECT item_of(e) FROM events AS e WHERE sk = 'e07';
SELECT batch_get('clicks', '{"{\"PK\": \"D1\", \"id\": 1}", "{\"PK\": \"D1\", \"id\": 2}", "{\"PK\": \"D0\", \"id\": 2}"}');
SELECT batch_write('traces', ARRAY(SELECT jsonb_build_object('PK', 'D' || i % 2, 'id', jsonb_build_object('$binary', encode(int4send(i), 'base64')), 'n', i)::item
                                   FROM generate_series(1, 40) AS i),
                   '{"{\"PK\": \"D1\", \"id\": {\"$binary\": \"AQ==\"}}"}');
SELECT count(*), count(DISTINCT pk) > 4 AS spread FROM traces;
SELECT transact_write('{"{\"put\": {\"table\": \"traces\", \"item\": {\"PK\": \"D0\", \"id\": {\"$binary\": \"AAAAAg==\"}, \"n\": 0}}}",
                        "{\"put\": {\"table\": \"clicks\", \"item\": {\"PK\": \"T\", \"id\": 1}, \"condition\": \"attribute_not_exists(id)\"}}",
                        "{\"delete\": {\"table\": \"events\", \"key\": {\"PK\": \"D1\", \"id\": \"e23\"}}}",
                        "{\"check\": {\"table\": \"events\", \"key\": {\"PK\": \"D1\", \"id\": \"e21\"}, \"condition\": \"n = :n\", \"values\": {\":n\": 21}}}"}');
SELECT transact_get('{"{\"get\": {\"table\": \"traces\", \"key\": {\"PK\": \"D0\", \"id\": {\"$binary\": \"AAAAAg==\"}}}}",
                      "{\"get\": {\"table\": \"clicks\", \"key\": {\"PK\": \"T\", \"id\": 1}}}",
                      "{\"get\": {\"table\": \"events\", \"key\": {\"PK\": \"D1\", \"id\": \"e23\"}}}"}');
SELECT transact_write('{"{\"put\": {\"table\": \"clicks\", \"item\": {\"PK\": \"T\", \"id\": 1}, \"condition\": \"attribute_not_exists(id)\"}}"}');

-- reading a partition: one order over all shards, both ways, page by page
SELECT query('events', 'PK = :d', '{":d": "D1"}');
SELECT query('events', 'PK = :d AND id BETWEEN :a AND :b', '{":d": "D1", ":a": "e05", ":b": "e11"}', scan_forward => false);
SELECT query('clicks', 'PK = :d AND id > :i', '{":d": "D0", ":i": 9, ":v": "d0"}', filter => 'device = :v', projection => 'id');
SELECT query('traces', 'PK = :d', '{":d": "D0"}', max_items => 3, scan_forward => false);
SELECT item_count, scanned_count, last_evaluated_key FROM query_page('events', 'PK = :d AND begins_with(id, :p)', '{":d": "D1", ":p": "e1"}', max_items => 3);
SELECT query('events', 'PK = :d AND begins_with(id, :p)', '{":d": "D1", ":p": "e1"}', start_key => '{"PK": "D1", "id": "e15"}');
SELECT query('events', 'PK = :d', '{":d": "D1"}', start_key => '{"PK": "D1", "id": "e06x"}', scan_forward => false);
SELECT query('events', 'PK = :d', '{":d": "D1#0"}');

-- scans: each item once, in segments, page by page
SELECT count(*), count(DISTINCT i::text) FROM scan('events') AS i;
SELECT sum(n) FROM (SELECT (SELECT count(*) FROM scan('events', segment => s, total_segments => 5)) AS n FROM generate_series(0, 4) AS s) AS t;
SELECT count(*), count(DISTINCT i::text) FROM scan('traces') AS i;
CREATE FUNCTION scan_in_pages(table_name text, size int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    page record;
    start item;
BEGIN
    LOOP
        SELECT * INTO page FROM scan_page(table_name, max_items => size, start_key => start);
        RETURN QUERY SELECT i::text FROM unnest(page.items) AS i;
        start := page.last_evaluated_key;
        EXIT WHEN start IS NULL;
    END LOOP;
END $$;
SELECT t, n, (SELECT count(*) FROM (SELECT scan_in_pages(t, n) EXCEPT SELECT i::text FROM scan(t) AS i) AS x) AS wrong,
       (SELECT count(*) FROM scan_in_pages(t, n)) - (SELECT count(*) FROM scan(t)) AS more
FROM unnest('{events,clicks,traces}'::text[]) AS t, unnest('{1,2,7}'::int[]) AS n;

-- plain SQL sees stored keys; only rightly numbered ones are let in
INSERT INTO events VALUES ('D1', 'x', '{}');
INSERT INTO events VALUES ('D1#4', 'x', '{}');
INSERT INTO events VALUES ('D1#' || (shard_of(shard_key('events', 'D1', 'x')) + 1) % 4, 'x', '{}');
INSERT INTO events VALUES (shard_key('events', 'D1', 'x'), 'x', '{"by": "SQL"}');
SELECT get_item('events', '{"PK": "D1", "id": "x"}');
INSERT INTO traces VALUES ('D1#4', '\x01', '{}');
INSERT INTO traces VALUES ('D1#3', '\x01', '{}');
INSERT INTO traces VALUES ('D1#2', '\x01', '{}');
SELECT shard_key('traces', 'D1', '\x01'::bytea), shard_of(shard_key('traces', 'D1', '\x02'::bytea)) BETWEEN 0 AND 3 AS any;
UPDATE traces SET pk = 'D1#0' WHERE sk = '\x01';
SELECT get_item('traces', '{"PK": "D1", "id": {"$binary": "AQ=="}}');
INSERT INTO traces SELECT 'D1#1', '\x01', '{"again": true}' ON CONFLICT (shard_base(pk), sk) DO UPDATE SET attributes = excluded.attributes;
SELECT pk, attributes FROM traces WHERE sk = '\x01';
SELECT shard_key('events', 'D1', 1), 1;
SELECT shard_key('nothing', 'D1', 'x');

-- the limit of a partition key is that of what users know
SELECT put_item('events', jsonb_build_object('PK', repeat('k', 2048), 'id', 'x'));
SELECT put_item('events', jsonb_build_object('PK', repeat('k', 2049), 'id', 'x'));
SELECT length(pk) > 2048 AS longer FROM events WHERE length(pk) > 100;
SELECT get_item('events', jsonb_build_object('PK', repeat('k', 2048), 'id', 'x'))->>'id';
-- a key that ends like a stored one
SELECT put_item('events', '{"PK": "D1#3", "id": "y", "n": 3}');
SELECT query('events', 'PK = :d', '{":d": "D1#3"}');
SELECT shard_base(pk) FROM events WHERE sk = 'y';

-- secondary indexes show the keys that users know
SELECT create_local_index('clicks', 'byDevice', 'device');
SELECT query('clicks', 'PK = :d AND device = :v', '{":d": "D1", ":v": "d1"}', index_name => 'byDevice');
SELECT query('clicks', 'PK = :d', '{":d": "D1"}', index_name => 'byDevice', max_items => 3,
             start_key => '{"PK": "D1", "device": "d1", "id": 1}');
SELECT create_global_index('traces', 'byN', 'n', 'PK', '{"n": "N"}', propagation => 'sync');
SELECT query('traces', 'n = :n', '{":n": 7}', index_name => 'byN');
SELECT delete_item('traces', '{"PK": "D1", "id": {"$binary": "AAAABw=="}}');
SELECT query('traces', 'n = :n', '{":n": 7}', index_name => 'byN');
SELECT item_of(t) FROM "traces_byN" AS t WHERE pk = 8;
UPDATE traces SET pk = 'D1#' || (shard_of(pk) + 1) % 4 WHERE attributes->>'n' = '9';
SELECT verify_index('traces', 'byN');

-- shards of a global index: by the item's key; one order when it is read
SELECT create_global_index('traces', 'byDay', 'all', 'n', '{"n": "N"}', write_shards => 5, propagation => 'sync', templates => '{"all": "every{PK}"}');
SELECT pk, count(*) > 0 AS filled FROM "traces_byDay" GROUP BY pk ORDER BY pk COLLATE "C";
SELECT query('traces', '#a = :a AND n BETWEEN :b AND :c', '{":a": "everyD0", ":b": 10, ":c": 16}', index_name => 'byDay', expression_names => '{"#a": "all"}');
SELECT query('traces', '#a = :a', '{":a": "everyD0"}', index_name => 'byDay', expression_names => '{"#a": "all"}', scan_forward => false, max_items => 2,
             start_key => '{"PK": "D0", "id": {"$binary": "AAAAHg=="}, "n": 30, "all": "everyD0"}');
UPDATE traces SET attributes = attributes || '{"n": 11}' WHERE attributes->>'n' = '13';
SELECT update_item('traces', '{"PK": "D1", "id": {"$binary": "AAAADw=="}}', 'SET n = :n', '{":n": 11}');
SELECT delete_item('traces', '{"PK": "D1", "id": {"$binary": "AAAACQ=="}}');
SELECT item_of(t) FROM "traces_byDay" AS t WHERE sk = 11 ORDER BY base_sk;
SELECT verify_index('traces', 'byDay');
SELECT count(*), count(DISTINCT i::text) FROM scan('traces', 'byDay') AS i;
CREATE FUNCTION index_in_pages(way text, size int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    page record;
    start item;
BEGIN
    LOOP
        IF way = 'scan' THEN
            SELECT * INTO page FROM scan_page('traces', 'byDay', max_items => size, start_key => start);
        ELSE
            SELECT * INTO page FROM query_page('traces', '#a = :a', '{":a": "everyD1"}', index_name => 'byDay', expression_names => '{"#a": "all"}',
                                               scan_forward => way = 'up', max_items => size, start_key => start);
        END IF;
        RETURN QUERY SELECT i->>'n' FROM unnest(page.items) AS i;
        start := page.last_evaluated_key;
        EXIT WHEN start IS NULL;
    END LOOP;
END $$;
SELECT way, n, (SELECT string_agg(i, ' ') FROM index_in_pages(way, n) AS i) AS order FROM unnest('{up,down}'::text[]) AS way, unnest('{1,2,7}'::int[]) AS n;
SELECT n, (SELECT count(*) FROM index_in_pages('scan', n)) FROM unnest('{1,2,7}'::int[]) AS n;
SELECT rebuild_index('traces', 'byDay');
SELECT verify_index('traces', 'byDay');
DROP FUNCTION index_in_pages;

-- an owner's own index of the keys without shards, of the other access method
SELECT create_table('own_' || m, 'PK', 'id', write_shards => 2, shard_by => 'device', options => jsonb_build_object('index_method', m))
FROM unnest('{btree,ptree}'::text[]) AS m;
CREATE UNIQUE INDEX own_btree_mine ON own_btree USING ptree (shard_base(pk) text_hash_ops, sk);
CREATE UNIQUE INDEX own_ptree_mine ON own_ptree USING btree (shard_base(pk) text_hash_ops, sk);
DROP INDEX own_btree_logical_key, own_ptree_logical_key;
SELECT t, count(put_item(t, jsonb_build_object('PK', 'p' || i % 3, 'id', i::text, 'device', i % 7))) AS replaced
FROM unnest('{own_btree,own_ptree}'::text[]) AS t, generate_series(1, 500) AS i GROUP BY t ORDER BY t COLLATE "C";
EXPLAIN (COSTS OFF) SELECT FROM own_ptree WHERE shard_base(pk) = 'p1' AND sk = '1';
SELECT t, get_item(t, '{"PK": "p1", "id": "1"}') FROM unnest('{own_btree,own_ptree}'::text[]) AS t;
SELECT t, put_item(t, '{"PK": "p1", "id": "1", "device": 2}', return_values => 'ALL_OLD') FROM unnest('{own_btree,own_ptree}'::text[]) AS t;
SELECT t, delete_item(t, '{"PK": "p1", "id": "1"}', return_values => 'ALL_OLD') FROM unnest('{own_btree,own_ptree}'::text[]) AS t;
-- but not one with sort keys in hash order
CREATE UNIQUE INDEX own_btree_hash ON own_btree USING btree (shard_base(pk) text_hash_ops, sk text_hash_ops);
DROP INDEX own_btree_mine;
SELECT get_item('own_btree', '{"PK": "p1", "id": "4"}');
SELECT drop_table(t) FROM unnest('{own_btree,own_ptree}'::text[]) AS t;

-- what the extension made for the shards stays
ALTER TABLE events DROP CONSTRAINT shard_check;
ALTER TABLE events RENAME CONSTRAINT shard_check TO x;

-- registering again finds the shards in the table itself
DELETE FROM tables WHERE table_name IN ('events', 'clicks');
SELECT register_table('events', 'PK', 'id');
SELECT register_table('clicks', 'PK', 'id');
SELECT table_name, write_shards, shard_by FROM item_tables ORDER BY 1;
SELECT get_item('events', '{"PK": "D1", "id": "e07"}');

SELECT drop_table(t) FROM unnest('{events,clicks,traces}'::text[]) AS t;
DROP FUNCTION scan_in_pages;
SELECT count(*) FROM pg_statistic_ext;
