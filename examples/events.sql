-- Events in time buckets: the partition key holds device and day, so that no
-- partition grows for ever, and a range of time is a few partitions.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_events CASCADE;
CREATE SCHEMA example_events;
SET search_path = example_events, partitioning;
SELECT create_table('events', 'device_day', 'time');

CREATE FUNCTION record_event(device text, at timestamp, temperature numeric) RETURNS void LANGUAGE sql AS $$
    SELECT put_item('events', jsonb_build_object(
        'device_day', device || '#' || to_char(at, 'YYYY-MM-DD'),
        'time', to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS'),
        'temperature', temperature))
$$;
SELECT count(*) AS events
FROM generate_series(0, 47) AS i,
     record_event('device-1', timestamp '2026-05-07 00:00' + i * interval '90 minutes',
         18 + i % 7 + 0.5);

\echo 'One day is one partition.'
SELECT count(*) AS events, min(item_number(q, 'temperature')), max(item_number(q, 'temperature'))
FROM query('events', 'device_day = :b', '{":b": "device-1#2026-05-08"}') AS q;

\echo 'A range inside a day: TIME is a reserved word, hence #t.'
SELECT q ->> 'time' AS "time", q ->> 'temperature' AS temperature
FROM query('events', 'device_day = :b AND #t BETWEEN :from AND :to',
           '{":b": "device-1#2026-05-08", ":from": "2026-05-08T09", ":to": "2026-05-08T13"}',
           expression_names => '{"#t": "time"}') AS q;

\echo 'The newest five events across buckets: at most five of each are read.'
SELECT q ->> 'time' AS "time", q ->> 'temperature' AS temperature
FROM generate_series(timestamp '2026-05-09', timestamp '2026-05-07', interval '-1 day') AS day,
     LATERAL query('events', 'device_day = :b', jsonb_build_object(':b', 'device-1#' || to_char(day, 'YYYY-MM-DD')),
                   scan_forward => false, max_items => 5) AS q
ORDER BY q ->> 'time' DESC
LIMIT 5;

\echo 'Old buckets go by their key.'
WITH gone AS (DELETE FROM events WHERE pk = 'device-1#2026-05-07' RETURNING 1)
SELECT count(*) AS deleted FROM gone;
SELECT pk AS device_day, count(*) FROM events GROUP BY pk ORDER BY pk;
