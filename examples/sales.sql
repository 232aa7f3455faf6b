-- Monthly sales: items are rows, so a report is a plain SQL aggregate.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_sales CASCADE;
CREATE SCHEMA example_sales;
SET search_path = example_sales, partitioning;
SELECT create_table('orders', 'customer_id', 'order_date#order_id');

SELECT count(*) AS orders
FROM generate_series(0, 149) AS i,
     put_item('orders', jsonb_build_object(
         'customer_id', 'C' || i % 5,
         'order_date#order_id', to_char(date '2026-01-01' + i, 'YYYY-MM-DD') || '#' || i,
         'amount', (i * 37) % 100 + 0.5,
         'country', CASE WHEN i % 3 = 0 THEN 'FR' ELSE 'DE' END));

\echo 'Sales by month.'
SELECT left(sk, 7) AS month, count(*) AS orders, sum(item_number(attributes, 'amount')) AS amount
FROM orders GROUP BY 1 ORDER BY 1;

\echo 'By month and country, with the share of the month.'
SELECT left(sk, 7) AS month, attributes ->> 'country' AS country, sum(item_number(attributes, 'amount')) AS amount,
       round(100 * sum(item_number(attributes, 'amount'))
             / sum(sum(item_number(attributes, 'amount'))) OVER (PARTITION BY left(sk, 7)), 1) AS percent
FROM orders GROUP BY 1, 2 ORDER BY 1, 2;

\echo 'The best customer of each month.'
SELECT DISTINCT ON (month) month, customer, amount
FROM (SELECT left(sk, 7) AS month, pk AS customer, sum(item_number(attributes, 'amount')) AS amount
      FROM orders GROUP BY 1, 2) AS t
ORDER BY month, amount DESC, customer;

\echo 'A condition expression serves as a WHERE clause too.'
SELECT count(*) AS large_orders
FROM orders AS o
WHERE matches(item_of(o), 'amount > :limit AND begins_with(customer_id, :c)', '{":limit": 90, ":c": "C"}');
