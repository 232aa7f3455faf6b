-- Articles by state: a sort key of status#createdAt against a filter.
-- A limit counts items read; a filter drops items after they are read.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_articles CASCADE;
CREATE SCHEMA example_articles;
SET search_path = example_articles, partitioning;

\echo 'The state is in the sort key, before the time.'
SELECT create_table('by_status', 'author', 'status#createdAt');
SELECT count(*) AS items
FROM (VALUES ('published', '2026-01-05', 'Notes'), ('draft', '2026-01-09', 'Ideas'),
             ('published', '2026-02-01', 'Engines'), ('published', '2026-02-14', 'Numbers'),
             ('draft', '2026-03-03', 'Plans'), ('published', '2026-03-20', 'Tables')) AS v (s, t, title),
     put_item('by_status', jsonb_build_object('author', 'ada', 'status#createdAt', s || '#' || t, 'title', title));

\echo 'The newest three published: three items read, three returned.'
SELECT array(SELECT i ->> 'title' FROM unnest(items) AS i) AS titles, item_count, scanned_count
FROM query_page('by_status', 'author = :a AND begins_with(#k, :s)', '{":a": "ada", ":s": "published#"}',
                expression_names => '{"#k": "status#createdAt"}', scan_forward => false, max_items => 3);

\echo 'The same with the state outside the key.'
SELECT create_table('by_time', 'author', 'createdAt');
SELECT count(*) AS items
FROM (VALUES ('published', '2026-01-05', 'Notes'), ('draft', '2026-01-09', 'Ideas'),
             ('published', '2026-02-01', 'Engines'), ('published', '2026-02-14', 'Numbers'),
             ('draft', '2026-03-03', 'Plans'), ('published', '2026-03-20', 'Tables')) AS v (s, t, title),
     put_item('by_time', jsonb_build_object('author', 'ada', 'createdAt', t, 'status', s, 'title', title));

\echo 'The newest three, filtered: three items read, the draft dropped, two returned.'
SELECT array(SELECT i ->> 'title' FROM unnest(items) AS i) AS titles, item_count, scanned_count, last_evaluated_key
FROM query_page('by_time', 'author = :a', '{":a": "ada", ":s": "published"}', filter => '#s = :s',
                expression_names => '{"#s": "status"}', scan_forward => false, max_items => 3);

\echo 'To have three after the filter, ask SQL: LIMIT counts what comes back.'
SELECT q ->> 'title' AS title
FROM query('by_time', 'author = :a', '{":a": "ada", ":s": "published"}', filter => '#s = :s',
           expression_names => '{"#s": "status"}', scan_forward => false) AS q
LIMIT 3;

\echo 'Publishing moves an article to another key: put and delete, in one transaction.'
BEGIN;
SELECT delete_item('by_status', '{"author": "ada", "status#createdAt": "draft#2026-03-03"}', return_values => 'ALL_OLD');
SELECT put_item('by_status', '{"author": "ada", "status#createdAt": "published#2026-03-03", "title": "Plans"}');
COMMIT;
SELECT q ->> 'status#createdAt' AS key
FROM query('by_status', 'author = :a', '{":a": "ada"}') AS q;
