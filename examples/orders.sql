-- Orders by customer in the table, by product and by status in global indexes:
-- the table has one order, each index another one of the same items.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_orders CASCADE;
CREATE SCHEMA example_orders;
SET search_path = example_orders, partitioning;
SELECT create_table('app', 'customer', 'orderId');

\echo 'Each index is a table of its own, kept up in the transaction of the write.'
SELECT create_global_index('app', 'by_product', 'product', 'placedAt', propagation => 'sync');
SELECT create_global_index('app', 'by_status', 'status', 'placedAt', projection => 'INCLUDE', include => '{amount}', propagation => 'sync');

SELECT count(*) AS orders
FROM (VALUES ('ada', 'O-1', 'PRODUCT#7', 'paid', '2026-01-05', 40), ('ada', 'O-2', 'PRODUCT#9', 'open', '2026-01-09', 15),
             ('bob', 'O-3', 'PRODUCT#7', 'open', '2026-02-01', 80), ('eve', 'O-4', 'PRODUCT#7', 'shipped', '2026-02-14', 40),
             ('eve', 'O-5', 'PRODUCT#9', 'open', '2026-03-03', 30)) AS v (customer, id, product, status, at, amount),
     put_item('app', jsonb_build_object('customer', customer, 'orderId', id, 'product', product, 'status', status, 'placedAt', at, 'amount', amount));

\echo 'The newest orders of a product, whoever the customer is.'
SELECT query('app', 'product = :p', '{":p": "PRODUCT#7"}', index_name => 'by_product', scan_forward => false, max_items => 2);

\echo 'Open orders since February: keys and what the index includes.'
SELECT query('app', '#s = :s AND placedAt >= :d', '{":s": "open", ":d": "2026-02"}', index_name => 'by_status', expression_names => '{"#s": "status"}');

\echo 'An order that is paid changes its place in one index and its content in the other.'
SELECT update_item('app', '{"customer": "bob", "orderId": "O-3"}', 'SET #s = :s', '{":s": "paid"}', expression_names => '{"#s": "status"}');
SELECT q ->> 'orderId' AS "open" FROM query('app', '#s = :s', '{":s": "open"}', index_name => 'by_status', expression_names => '{"#s": "status"}') AS q;
SELECT q ->> 'orderId' AS "order", q ->> 'status' AS status FROM query('app', 'product = :p', '{":p": "PRODUCT#7"}', index_name => 'by_product') AS q;

\echo 'In SQL an index is an ordinary table, for reading.'
SELECT base_pk AS customer, base_sk AS "order", attributes ->> 'amount' AS amount
FROM app_by_product WHERE pk = 'PRODUCT#7' ORDER BY sk DESC;
SELECT pk AS status, count(*), sum(item_number(attributes, 'amount')) AS amount FROM app_by_status GROUP BY pk ORDER BY pk;
