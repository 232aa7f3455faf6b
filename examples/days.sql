-- Events by day, over 10 write shards: all writers of today write to one
-- partition key, and its items are read back in the order of time.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_days CASCADE;
CREATE SCHEMA example_days;
SET search_path = example_days, partitioning;

SELECT create_table('events', 'PK', 'SK', write_shards => 10);

\echo '2,000 events of two days; the time is the sort key'
SELECT count(*) AS events FROM generate_series(1, 2000) AS i, put_item('events', jsonb_build_object(
    'PK', 'DAY#2026-05-' || lpad((9 + i % 2)::text, 2, '0'),
    'SK', to_char(timestamp '2026-05-09 00:00' + i * interval '43 seconds', 'HH24:MI:SS') || '#' || lpad(i::text, 4, '0'),
    'device', 'device-' || i % 17, 'kind', (ARRAY['login', 'click', 'buy'])[1 + i % 3]));

\echo 'Stored under ten partition keys for each day ...'
SELECT shard_base(pk) AS day, count(DISTINCT pk) AS stored_keys, count(*) AS events
FROM events GROUP BY shard_base(pk) ORDER BY 1;

\echo '... and read as one: the newest three of a day, the next page, an hour.'
SELECT query('events', 'PK = :d', '{":d": "DAY#2026-05-09"}', scan_forward => false, max_items => 3);
SELECT q->>'SK' AS event FROM query('events', 'PK = :d', '{":d": "DAY#2026-05-09"}', scan_forward => false, max_items => 3,
    start_key => (SELECT last_evaluated_key FROM query_page('events', 'PK = :d', '{":d": "DAY#2026-05-09"}', scan_forward => false, max_items => 3))) AS q;
SELECT count(*) AS events, min(q->>'SK') AS first, max(q->>'SK') AS last
FROM query('events', 'PK = :d AND begins_with(SK, :h)', '{":d": "DAY#2026-05-10", ":h": "13:"}') AS q;

\echo 'One key is one lookup, which knows its shard.'
SELECT get_item('events', '{"PK": "DAY#2026-05-09", "SK": "00:01:26#0002"}', projection => 'kind');

\echo 'Plain SQL, in the same order, without a sort: rows that nobody asks for are not read.'
ANALYZE events;
EXPLAIN (COSTS OFF) SELECT item_of(e) FROM events AS e WHERE shard_base(pk) = 'DAY#2026-05-09' ORDER BY sk DESC LIMIT 3;
SELECT item_of(e) FROM events AS e WHERE shard_base(pk) = 'DAY#2026-05-09' ORDER BY sk DESC LIMIT 3;
SELECT attributes->>'kind' AS kind, count(*) FROM events WHERE shard_base(pk) = 'DAY#2026-05-10' GROUP BY 1 ORDER BY 1;
INSERT INTO events VALUES (shard_key('events', 'DAY#2026-05-10', '23:59:59'), '23:59:59', '{"kind": "by SQL"}');
SELECT query('events', 'PK = :d', '{":d": "DAY#2026-05-10"}', scan_forward => false, max_items => 1);
