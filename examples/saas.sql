-- One table for a service with many tenants: an organisation, its users and
-- its invoices share a partition; the prefix of the sort key tells the kind.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_saas CASCADE;
CREATE SCHEMA example_saas;
SET search_path = example_saas, partitioning;
SELECT create_table('app', 'PK', 'SK');

SELECT count(*) AS items
FROM unnest(ARRAY[
    '{"PK": "ORG#acme", "SK": "#METADATA", "name": "Acme", "plan": "team", "seats": 2, "seats_used": 1}',
    '{"PK": "ORG#acme", "SK": "USER#ada", "name": "Ada", "role": "owner"}',
    '{"PK": "ORG#acme", "SK": "INVOICE#2026-01", "amount": 40, "paid": true}',
    '{"PK": "ORG#acme", "SK": "INVOICE#2026-02", "amount": 40, "paid": true}',
    '{"PK": "ORG#acme", "SK": "INVOICE#2026-03", "amount": 60, "paid": false}',
    '{"PK": "ORG#initech", "SK": "#METADATA", "name": "Initech", "plan": "free", "seats": 1, "seats_used": 1}',
    '{"PK": "ORG#initech", "SK": "USER#peter", "name": "Peter", "role": "owner"}'
]::item[]) AS i,
     put_item('app', i);

\echo 'Everything about one organisation, in one read and in a useful order.'
SELECT query('app', 'PK = :org', '{":org": "ORG#acme"}');

\echo 'Its invoices of the first two months.'
SELECT q ->> 'SK' AS invoice, q ->> 'amount' AS amount
FROM query('app', 'PK = :org AND SK BETWEEN :a AND :b',
           '{":org": "ORG#acme", ":a": "INVOICE#2026-01", ":b": "INVOICE#2026-02"}') AS q;

\echo 'A user is added only if there is a seat: both writes happen, or none.'
CREATE FUNCTION add_user(org text, login text, name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM update_item('app', jsonb_build_object('PK', 'ORG#' || org, 'SK', '#METADATA'),
                        'ADD seats_used :one', '{":one": 1}', 'seats_used < seats');
    PERFORM put_item('app', jsonb_build_object('PK', 'ORG#' || org, 'SK', 'USER#' || login,
                                               'name', name, 'role', 'member'),
                     'attribute_not_exists(PK)');
    RETURN 'added ' || login;
EXCEPTION WHEN SQLSTATE 'IM002' THEN
    RETURN 'not added: no seat, or the login is taken';
END $$;
SELECT add_user('acme', 'ada', 'Another Ada');
SELECT add_user('acme', 'bob', 'Bob');
SELECT add_user('acme', 'eve', 'Eve');
SELECT add_user('initech', 'milton', 'Milton');
SELECT q ->> 'SK' AS "user", q ->> 'role' AS role
FROM query('app', 'PK = :org AND begins_with(SK, :u)', '{":org": "ORG#acme", ":u": "USER#"}') AS q;

\echo 'Across tenants, in SQL: what is still to be paid.'
SELECT m.attributes ->> 'name' AS organisation, i.sk AS invoice, i.attributes ->> 'amount' AS amount
FROM app AS i JOIN app AS m ON m.pk = i.pk AND m.sk = '#METADATA'
WHERE begins_with(i.sk, 'INVOICE#') AND matches(i.attributes, 'paid = :no', '{":no": false}')
ORDER BY i.pk, i.sk;
