-- A user's profile, addresses and orders live in one partition: one read
-- gives all of it, and the newest orders are an ordered range of it.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_shop CASCADE;
CREATE SCHEMA example_shop;
SET search_path = example_shop, partitioning;
SELECT create_table('app', 'PK', 'SK');

\echo 'One user: a profile, two addresses, 25 orders. Order keys sort by date.'
SELECT put_item('app', '{"PK": "USER#ada", "SK": "PROFILE", "name": "Ada Lovelace", "email": "ada@example.com"}'),
       put_item('app', '{"PK": "USER#ada", "SK": "ADDRESS#home", "city": "London", "street": "12 St James Square"}'),
       put_item('app', '{"PK": "USER#ada", "SK": "ADDRESS#work", "city": "London", "street": "1 Dorset Street"}');
SELECT count(*) AS orders
FROM generate_series(1, 25) AS i,
     put_item('app', jsonb_build_object(
         'PK', 'USER#ada',
         'SK', 'ORDER#' || to_char(date '2026-01-01' + 10 * i, 'YYYY-MM-DD') || '#' || 1000 + i,
         'amount', 5 * i));
SELECT put_item('app', '{"PK": "USER#bob", "SK": "PROFILE", "name": "Bob"}');

\echo 'The profile: one get.'
SELECT get_item('app', '{"PK": "USER#ada", "SK": "PROFILE"}');

\echo 'All addresses: a range of the partition.'
SELECT q ->> 'SK' AS address, q ->> 'street' AS street
FROM query('app', 'PK = :u AND begins_with(SK, :p)', '{":u": "USER#ada", ":p": "ADDRESS#"}') AS q;

\echo 'The newest 10 orders: read from the end of the range, 10 items and no more.'
SELECT q ->> 'SK' AS "order", q ->> 'amount' AS amount
FROM query('app', 'PK = :u AND begins_with(SK, :p)', '{":u": "USER#ada", ":p": "ORDER#"}',
           scan_forward => false, max_items => 10) AS q;

\echo 'The next page continues after the last key of the page before.'
SELECT item_count, scanned_count, last_evaluated_key
FROM query_page('app', 'PK = :u AND begins_with(SK, :p)', '{":u": "USER#ada", ":p": "ORDER#"}',
                scan_forward => false, max_items => 10);
SELECT array(SELECT right(i ->> 'SK', 4) FROM unnest(items) AS i) AS orders, last_evaluated_key
FROM query_page('app', 'PK = :u AND begins_with(SK, :p)', '{":u": "USER#ada", ":p": "ORDER#"}',
                scan_forward => false, max_items => 10,
                start_key => '{"PK": "USER#ada", "SK": "ORDER#2026-06-10#1016"}');

\echo 'Orders of a month, in SQL: the same rows and the same index.'
SELECT sk, attributes ->> 'amount' AS amount
FROM app WHERE pk = 'USER#ada' AND begins_with(sk, 'ORDER#2026-03') ORDER BY sk;
