-- An inverted index: partition key and sort key of the table change places, so
-- that a relation of many to many is read from either side.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_inverted CASCADE;
CREATE SCHEMA example_inverted;
SET search_path = example_inverted, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_global_index('app', 'inverted', 'SK', 'PK', propagation => 'sync');

SELECT count(*) AS items
FROM unnest(ARRAY[
    '{"PK": "STUDENT#ada", "SK": "COURSE#logic", "grade": 1}',
    '{"PK": "STUDENT#ada", "SK": "COURSE#algebra", "grade": 2}',
    '{"PK": "STUDENT#bob", "SK": "COURSE#logic", "grade": 3}',
    '{"PK": "STUDENT#eve", "SK": "COURSE#logic", "grade": 1}',
    '{"PK": "STUDENT#ada", "SK": "#NAME", "name": "Ada"}'
]::item[]) AS i, put_item('app', i);

\echo 'The courses of a student: the table.'
SELECT query('app', 'PK = :s AND begins_with(SK, :c)', '{":s": "STUDENT#ada", ":c": "COURSE#"}');

\echo 'The students of a course: the index, in order of students.'
SELECT query('app', 'SK = :c', '{":c": "COURSE#logic"}', index_name => 'inverted');

\echo 'Those who have the best grade.'
SELECT q ->> 'PK' AS student
FROM query('app', 'SK = :c AND begins_with(PK, :s)', '{":c": "COURSE#logic", ":s": "STUDENT#", ":g": 1}', index_name => 'inverted', filter => 'grade = :g') AS q;

\echo 'In SQL both are one join away from the names.'
SELECT i.pk AS course, i.sk AS student, n.attributes ->> 'name' AS name
FROM app_inverted AS i LEFT JOIN app AS n ON n.pk = i.sk AND n.sk = '#NAME'
WHERE i.pk = 'COURSE#logic' ORDER BY student;
