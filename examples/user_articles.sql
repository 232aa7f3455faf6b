-- A user's articles by userId and status-createdAt, newest first, while the
-- table finds an article by its id.  Once the attribute that is made of two is
-- stored, once a template computes it.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS example_user_articles CASCADE;
CREATE SCHEMA example_user_articles;
SET search_path = example_user_articles, partitioning;

CREATE TABLE articles (id text, "user" text, status text, at text, title text);
INSERT INTO articles VALUES
    ('A1', 'ada', 'published', '2026-01-05', 'Notes'), ('A2', 'ada', 'draft', '2026-01-09', 'Ideas'),
    ('A3', 'ada', 'published', '2026-02-01', 'Engines'), ('A4', 'bob', 'published', '2026-02-14', 'Bridges'),
    ('A5', 'ada', 'published', '2026-03-20', 'Tables');

\echo 'Stored: whoever writes an article writes its state twice.'
SELECT create_table('stored', 'articleId');
SELECT create_global_index('stored', 'by_user', 'userId', 'status-createdAt', propagation => 'sync');
SELECT count(*) AS articles
FROM articles, put_item('stored', jsonb_build_object('articleId', id, 'userId', "user", 'status', status, 'createdAt', at, 'title', title,
                                                     'status-createdAt', status || '#' || at));
SELECT q ->> 'title' AS title, q ->> 'status-createdAt' AS key
FROM query('stored', 'userId = :u AND begins_with(#k, :s)', '{":u": "ada", ":s": "published#"}', index_name => 'by_user',
           expression_names => '{"#k": "status-createdAt"}', scan_forward => false) AS q;

\echo 'One who forgets that leaves an article where it was.'
SELECT update_item('stored', '{"articleId": "A5"}', 'SET #s = :s', '{":s": "draft"}', expression_names => '{"#s": "status"}');
SELECT q ->> 'title' AS title, q ->> 'status' AS status, q ->> 'status-createdAt' AS key
FROM query('stored', 'userId = :u', '{":u": "ada"}', index_name => 'by_user', scan_forward => false, max_items => 1) AS q;

\echo 'Computed: the index has it from the template, nobody stores it.'
SELECT create_table('computed', 'articleId');
SELECT create_global_index('computed', 'by_user', 'userId', 'status-createdAt', propagation => 'sync',
                           templates => '{"status-createdAt": "{status}#{createdAt}"}');
SELECT count(*) AS articles
FROM articles, put_item('computed', jsonb_build_object('articleId', id, 'userId', "user", 'status', status, 'createdAt', at, 'title', title));
SELECT update_item('computed', '{"articleId": "A5"}', 'SET #s = :s', '{":s": "draft"}', expression_names => '{"#s": "status"}');
SELECT q ->> 'title' AS title, q ->> 'status-createdAt' AS key
FROM query('computed', 'userId = :u AND begins_with(#k, :s)', '{":u": "ada", ":s": "published#"}', index_name => 'by_user',
           expression_names => '{"#k": "status-createdAt"}', scan_forward => false) AS q;
SELECT get_item('computed', '{"articleId": "A5"}');
