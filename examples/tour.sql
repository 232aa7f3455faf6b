-- A tour of the extension: psql -f tour.sql, after CREATE EXTENSION.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_tour CASCADE;
CREATE SCHEMA example_tour;
SET search_path = example_tour, partitioning;
\pset footer off
\set ECHO queries

\echo
\echo '== 1. An item table: a partition key, a sort key, and any other attributes.'
SELECT create_table('app', 'PK', 'SK');

\echo '== 2. Put items of any shape. One customer is one partition. A put returns'
\echo '      nothing unless it is asked for the item before.'
SELECT put_item('app', '{"PK": "CUSTOMER#1", "SK": "PROFILE", "name": "Ada", "tags": {"$string_set": ["vip"]}}'),
       put_item('app', '{"PK": "CUSTOMER#2", "SK": "PROFILE", "name": "Bob"}');
SELECT count(*) AS orders_put
FROM generate_series(1, 12) AS i,
     put_item('app', jsonb_build_object(
         'PK', 'CUSTOMER#' || 1 + i % 2,
         'SK', 'ORDER#2026-' || lpad(i::text, 2, '0') || '-01',
         'amount', 10 * i,
         'parts', jsonb_build_array(jsonb_build_object('sku', 'A' || i, 'qty', i))));

\echo '== 3. Get one by its key; all of it, or some paths.'
SELECT get_item('app', '{"PK": "CUSTOMER#1", "SK": "PROFILE"}');
SELECT get_item('app', '{"PK": "CUSTOMER#1", "SK": "ORDER#2026-02-01"}', 'amount, parts[0].sku');

\echo '== 4. Update it if a condition holds: one atomic step.'
SELECT update_item('app', '{"PK": "CUSTOMER#1", "SK": "PROFILE"}',
                   'SET points = if_not_exists(points, :zero) + :n ADD tags :t',
                   '{":zero": 0, ":n": 50, ":t": {"$string_set": ["newsletter"]}}',
                   condition => 'attribute_exists(PK)', return_values => 'ALL_NEW');
\echo '      A condition that fails is an answer (try_update) or an error (update_item).'
SELECT applied, old_item ->> 'points' AS points
FROM try_update('app', '{"PK": "CUSTOMER#1", "SK": "PROFILE"}',
                'SET points = points - :n', '{":n": 80}', condition => 'points >= :n');

\echo '== 5. Query a partition in sort key order: the newest three orders.'
SELECT q ->> 'SK' AS "order", q ->> 'amount' AS amount
FROM query('app', 'PK = :pk AND begins_with(SK, :o)', '{":pk": "CUSTOMER#1", ":o": "ORDER#"}',
           scan_forward => false, max_items => 3) AS q;

\echo '== 6. It is a table: the row is the item. Join and aggregate in plain SQL.'
SELECT p.attributes ->> 'name' AS customer, count(*) AS orders, sum(item_number(o.attributes, 'amount')) AS amount
FROM app AS p JOIN app AS o ON o.pk = p.pk AND begins_with(o.sk, 'ORDER#')
WHERE p.sk = 'PROFILE'
GROUP BY p.pk, 1 ORDER BY p.pk;

\echo '== 7. One transaction over items and any other table.'
CREATE TABLE ledger (entry text, amount numeric);
BEGIN;
SELECT put_item('app', '{"PK": "CUSTOMER#2", "SK": "ORDER#2027-01-01", "amount": 5}',
                'attribute_not_exists(PK)') IS NULL AS new_order;
INSERT INTO ledger VALUES ('ORDER#2027-01-01', 5);
COMMIT;

\echo '== 8. SQL on keys uses the same index, in order, without a sort.'
EXPLAIN (COSTS OFF)
SELECT sk, attributes FROM app WHERE pk = 'CUSTOMER#1' AND begins_with(sk, 'ORDER#') ORDER BY sk DESC LIMIT 3;

\set ECHO none
\echo '== The tables stay: SET search_path = example_tour, partitioning;'
\echo '   What else there is: docs/README.md and examples/README.md.'
