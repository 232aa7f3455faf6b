-- Active users by a sort key prefix that only active users have: the index
-- range holds nothing else, whatever the number of users who left.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_active_users CASCADE;
CREATE SCHEMA example_active_users;
SET search_path = example_active_users, partitioning;
SELECT create_table('app', 'PK', 'SK');

\echo '1,000 users of one tenant, one in a hundred is active.'
SELECT count(*) AS users
FROM generate_series(1, 1000) AS i,
     put_item('app', jsonb_build_object('PK', 'TENANT#1', 'SK', 'USER#' || lpad(i::text, 4, '0'), 'name', 'user ' || i));
SELECT count(*) AS active
FROM generate_series(100, 1000, 100) AS i,
     put_item('app', jsonb_build_object('PK', 'TENANT#1', 'SK', 'ACTIVE#' || lpad(i::text, 4, '0'), 'since', 2020 + i % 7));

\echo 'All active users: the items read are the items returned.'
SELECT item_count, scanned_count
FROM query_page('app', 'PK = :t AND begins_with(SK, :a)', '{":t": "TENANT#1", ":a": "ACTIVE#"}');

\echo 'With a filter on an attribute every user would have been read.'
SELECT item_count, scanned_count
FROM query_page('app', 'PK = :t AND begins_with(SK, :u)', '{":t": "TENANT#1", ":u": "USER#", ":x": "user 100"}',
                filter => '#n = :x', expression_names => '{"#n": "name"}');

\echo 'Leaving removes the marker; joining again puts it back, once.'
SELECT applied FROM try_delete('app', '{"PK": "TENANT#1", "SK": "ACTIVE#0500"}', 'attribute_exists(PK)');
SELECT applied FROM try_delete('app', '{"PK": "TENANT#1", "SK": "ACTIVE#0500"}', 'attribute_exists(PK)');
SELECT applied FROM try_put('app', '{"PK": "TENANT#1", "SK": "ACTIVE#0500", "since": 2026}', 'attribute_not_exists(PK)');
SELECT applied FROM try_put('app', '{"PK": "TENANT#1", "SK": "ACTIVE#0500", "since": 2026}', 'attribute_not_exists(PK)');

\echo 'Names of the active users, by one SQL join of the two prefixes.'
SELECT u.attributes ->> 'name' AS name, a.attributes ->> 'since' AS since
FROM app AS a JOIN app AS u ON u.pk = a.pk AND u.sk = 'USER#' || substr(a.sk, 8)
WHERE a.pk = 'TENANT#1' AND begins_with(a.sk, 'ACTIVE#')
ORDER BY a.sk DESC LIMIT 3;
