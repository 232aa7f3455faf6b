-- A web shop in one table, planned from its access patterns, with an overloaded
-- index: GSI1 has keys of several kinds of items, of each kind for another
-- question.  Then the query that serves each pattern.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_access_patterns CASCADE;
CREATE SCHEMA example_access_patterns;
SET search_path = example_access_patterns, partitioning;

CREATE TABLE access_patterns (number int PRIMARY KEY, pattern text, input text, output text, frequency text);
INSERT INTO access_patterns VALUES
    (1, 'customer''s profile', 'customer', '1 item', '500/s'),
    (2, 'customer''s newest orders', 'customer, count', 'orders, newest first', '200/s'),
    (3, 'order with its lines', 'order', 'order and lines', '200/s'),
    (4, 'customer of an e-mail address', 'address', '1 item', '50/s'),
    (5, 'orders of a state, oldest first', 'state', 'orders', '10/s'),
    (6, 'order lines of a product since a day', 'product, day', 'lines', '5/s'),
    (7, 'orders with an open return', 'none', 'few orders', '1/min'),
    (8, 'turnover of each product', 'none', 'sums', '1/day');
SELECT * FROM access_patterns ORDER BY number;

\echo 'Keys: of the table, and of the index for those items that have them.'
SELECT * FROM (VALUES
    ('customer', 'CUSTOMER#c', 'PROFILE', 'EMAIL#address', 'PROFILE'),
    ('order', 'CUSTOMER#c', 'ORDER#day#o', 'STATE#state', 'day#o'),
    ('order, again', 'ORDER#o', 'ORDER', '', ''),
    ('line', 'ORDER#o', 'LINE#n', 'PRODUCT#p', 'day#o#n')) AS keys ("item", "PK", "SK", "GSI1PK", "GSI1SK");

SELECT create_table('shop', 'PK', 'SK');
SELECT create_global_index('shop', 'GSI1', 'GSI1PK', 'GSI1SK', propagation => 'sync');
SELECT create_global_index('shop', 'returns', 'openReturn', 'PK', projection => 'KEYS_ONLY', propagation => 'sync');

SELECT count(*) AS items
FROM unnest(ARRAY[
    '{"PK": "CUSTOMER#ada", "SK": "PROFILE", "GSI1PK": "EMAIL#ada@example.com", "GSI1SK": "PROFILE", "name": "Ada"}',
    '{"PK": "CUSTOMER#bob", "SK": "PROFILE", "GSI1PK": "EMAIL#bob@example.com", "GSI1SK": "PROFILE", "name": "Bob"}',
    '{"PK": "CUSTOMER#ada", "SK": "ORDER#2026-01-05#1", "GSI1PK": "STATE#shipped", "GSI1SK": "2026-01-05#1", "amount": 55}',
    '{"PK": "CUSTOMER#ada", "SK": "ORDER#2026-02-11#3", "GSI1PK": "STATE#open", "GSI1SK": "2026-02-11#3", "amount": 20}',
    '{"PK": "CUSTOMER#bob", "SK": "ORDER#2026-01-30#2", "GSI1PK": "STATE#open", "GSI1SK": "2026-01-30#2", "amount": 40}',
    '{"PK": "ORDER#1", "SK": "ORDER", "customer": "ada", "amount": 55, "openReturn": "yes"}',
    '{"PK": "ORDER#1", "SK": "LINE#1", "GSI1PK": "PRODUCT#lamp", "GSI1SK": "2026-01-05#1#1", "price": 40}',
    '{"PK": "ORDER#1", "SK": "LINE#2", "GSI1PK": "PRODUCT#bulb", "GSI1SK": "2026-01-05#1#2", "price": 15}',
    '{"PK": "ORDER#2", "SK": "ORDER", "customer": "bob", "amount": 40}',
    '{"PK": "ORDER#2", "SK": "LINE#1", "GSI1PK": "PRODUCT#lamp", "GSI1SK": "2026-01-30#2#1", "price": 40}',
    '{"PK": "ORDER#3", "SK": "ORDER", "customer": "ada", "amount": 20}',
    '{"PK": "ORDER#3", "SK": "LINE#1", "GSI1PK": "PRODUCT#bulb", "GSI1SK": "2026-02-11#3#1", "price": 20}'
]::item[]) AS i, put_item('shop', i);

\echo '1. A profile.'
SELECT get_item('shop', '{"PK": "CUSTOMER#ada", "SK": "PROFILE"}', '#n', '{"#n": "name"}');
\echo '2. The newest orders of a customer.'
SELECT query('shop', 'PK = :c AND begins_with(SK, :o)', '{":c": "CUSTOMER#ada", ":o": "ORDER#"}', projection => 'SK, amount',
             scan_forward => false, max_items => 2);
\echo '3. An order with its lines: one partition.'
SELECT query('shop', 'PK = :o', '{":o": "ORDER#1"}', projection => 'SK, amount, price');
\echo '4. The customer of an address.'
SELECT query('shop', 'GSI1PK = :e', '{":e": "EMAIL#bob@example.com"}', 'GSI1', projection => 'PK, #n', expression_names => '{"#n": "name"}');
\echo '5. Open orders, oldest first.'
SELECT query('shop', 'GSI1PK = :s', '{":s": "STATE#open"}', 'GSI1', projection => 'PK, SK');
\echo '6. Lines of a product since a day.'
SELECT query('shop', 'GSI1PK = :p AND GSI1SK >= :d', '{":p": "PRODUCT#lamp", ":d": "2026-01-10"}', 'GSI1', projection => 'PK, SK, price');
\echo '7. Orders with an open return: a sparse index, read whole.'
SELECT scan('shop', 'returns', projection => 'PK');
\echo '8. Turnover by product: SQL, on the index table.'
SELECT pk AS product, count(*) AS lines, sum(item_number(attributes, 'price')) AS turnover
FROM "shop_GSI1" WHERE starts_with(pk, 'PRODUCT#') GROUP BY pk ORDER BY pk;
