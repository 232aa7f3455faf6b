-- Several tables with copies of each other's data: reads need one item, and
-- one transaction keeps the copies equal.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_denormalised CASCADE;
CREATE SCHEMA example_denormalised;
SET search_path = example_denormalised, partitioning;
SELECT create_table('customers', 'customer_id');
SELECT create_table('products', 'product_id');
SELECT create_table('orders', 'customer_id', 'order_date#order_id');

SELECT put_item('customers', '{"customer_id": "C1", "name": "Ada", "orders": 0}'),
       put_item('products', '{"product_id": "P1", "title": "Difference engine", "price": 170, "stock": 2}');

\echo 'An order copies the name and the title it will be shown with.'
CREATE FUNCTION place_order(customer text, product text, day text, id text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    c item := get_item('customers', jsonb_build_object('customer_id', customer));
    p item := update_item('products', jsonb_build_object('product_id', product),
                          'SET stock = stock - :one', '{":one": 1, ":zero": 0}', 'stock > :zero',
                          return_values => 'ALL_NEW');
BEGIN
    PERFORM put_item('orders', jsonb_build_object(
        'customer_id', customer, 'order_date#order_id', day || '#' || id,
        'customer_name', c ->> 'name', 'product_id', product, 'product_title', p ->> 'title',
        'price', item_number(p, 'price')));
    PERFORM update_item('customers', jsonb_build_object('customer_id', customer), 'ADD orders :one', '{":one": 1}');
    RETURN 'placed ' || id;
END $$;
SELECT place_order('C1', 'P1', '2026-04-01', 'O1');
SELECT place_order('C1', 'P1', '2026-04-02', 'O2');

\echo 'Out of stock: the third order fails as a whole.'
\set ON_ERROR_STOP off
\set SHOW_CONTEXT never
SELECT place_order('C1', 'P1', '2026-04-03', 'O3');
\set ON_ERROR_STOP on
SELECT item_of(o) AS "order" FROM orders AS o ORDER BY sk;
SELECT get_item('customers', '{"customer_id": "C1"}') AS customer;

\echo 'A new name goes to the customer and to every copy, in one transaction.'
BEGIN;
SELECT update_item('customers', '{"customer_id": "C1"}', 'SET #n = :n', '{":n": "Ada Lovelace"}',
                   expression_names => '{"#n": "name"}', return_values => 'UPDATED_NEW');
SELECT count(*) AS copies_updated
FROM query('orders', 'customer_id = :c', '{":c": "C1"}', projection => 'customer_id, #k',
           expression_names => '{"#k": "order_date#order_id"}') AS q,
     update_item('orders', q, 'SET customer_name = :n', '{":n": "Ada Lovelace"}');
COMMIT;

\echo 'One SQL join across the three tables checks the copies.'
SELECT o.sk AS "order", c.attributes ->> 'name' AS customer, p.attributes ->> 'title' AS product,
       o.attributes ->> 'customer_name' = c.attributes ->> 'name' AS name_equal
FROM orders AS o
     JOIN customers AS c ON c.pk = o.pk
     JOIN products AS p ON p.pk = o.attributes ->> 'product_id'
ORDER BY o.sk;
