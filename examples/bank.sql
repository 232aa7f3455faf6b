-- An account is debited only if the balance suffices. Condition and change
-- are one atomic step, so two debits at once cannot both pass.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_bank CASCADE;
CREATE SCHEMA example_bank;
SET search_path = example_bank, partitioning;
SELECT create_table('accounts', 'id');
SELECT put_item('accounts', '{"id": "ada", "balance": 100}'),
       put_item('accounts', '{"id": "bob", "balance": 0}');

\echo 'A debit that the balance covers.'
SELECT update_item('accounts', '{"id": "ada"}', 'SET balance = balance - :amount', '{":amount": 60}',
                   condition => 'balance >= :amount', return_values => 'UPDATED_NEW');

\echo 'One that it does not cover: an error, and nothing changes.'
\set ON_ERROR_STOP off
SELECT update_item('accounts', '{"id": "ada"}', 'SET balance = balance - :amount', '{":amount": 60}',
                   condition => 'balance >= :amount', return_values => 'UPDATED_NEW');
\set ON_ERROR_STOP on

\echo 'The same as an answer instead of an error.'
SELECT applied, old_item, new_item
FROM try_update('accounts', '{"id": "ada"}', 'SET balance = balance - :amount', '{":amount": 60}',
                condition => 'balance >= :amount');
SELECT applied, old_item, new_item
FROM try_update('accounts', '{"id": "ada"}', 'SET balance = balance - :amount', '{":amount": 25}',
                condition => 'balance >= :amount');

\echo 'An account that does not exist has no balance: the condition is false.'
SELECT applied, old_item
FROM try_update('accounts', '{"id": "eve"}', 'SET balance = balance - :amount', '{":amount": 1}',
                condition => 'balance >= :amount');

\echo 'A transfer: both accounts change, or neither; transfers at once never deadlock.'
CREATE FUNCTION transfer(source text, target text, amount numeric) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM transact_write(ARRAY[
        jsonb_build_object('update', jsonb_build_object('table', 'accounts',
            'key', jsonb_build_object('id', source),
            'update', 'SET balance = balance - :amount', 'condition', 'balance >= :amount',
            'values', jsonb_build_object(':amount', amount))),
        jsonb_build_object('update', jsonb_build_object('table', 'accounts',
            'key', jsonb_build_object('id', target),
            'update', 'SET balance = balance + :amount', 'condition', 'attribute_exists(id)',
            'values', jsonb_build_object(':amount', amount)))]::item[]);
    RETURN 'done';
EXCEPTION WHEN SQLSTATE 'IM008' THEN
    RETURN 'refused';
END $$;
SELECT transfer('ada', 'bob', 10);
SELECT transfer('ada', 'bob', 10);
SELECT transfer('bob', 'nobody', 10);
SELECT scan('accounts') AS account ORDER BY 1;
