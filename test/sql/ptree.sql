-- The access method ptree: definition, behaviour of the index as a whole.
SET search_path = public, partitioning;

-- Every operator class is one that the access method can serve.
SELECT opcname, opcintype::regtype, opcdefault, amvalidate(c.oid)
FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod
WHERE amname = 'ptree'
ORDER BY opcname COLLATE "C";

-- What it says of itself.
SELECT p, pg_indexam_has_property(oid, p)
FROM pg_am, unnest('{can_order,can_unique,can_multi_col,can_exclude,can_include}'::text[]) p
WHERE amname = 'ptree';

CREATE TABLE events (
	gone int,
	pk text NOT NULL,
	sk text COLLATE "C",
	digest bigint NOT NULL,
	n numeric NOT NULL,
	b bytea NOT NULL,
	maybe text,
	other text COLLATE "C",
	loose text COLLATE "en-x-icu"
);
ALTER TABLE events DROP COLUMN gone;

-- Definitions that are refused.
CREATE INDEX refused ON events USING ptree (pk, sk);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops, other text_hash_ops);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops, sk DESC);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops, sk NULLS FIRST);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops, loose);
CREATE INDEX refused ON events USING ptree (maybe text_hash_ops, sk);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops, digest, sk);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops, sk, other);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops, sk, digest, other);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops) INCLUDE (sk);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops) WITH (fillfactor = 5);
CREATE INDEX refused ON events USING ptree (pk text_hash_ops) WITH (unknown = 5);

-- A nullable first column needs a predicate, and then the nulls stay away.
CREATE INDEX sparse ON events USING ptree (maybe text_hash_ops, sk) WHERE maybe IS NOT NULL;
CREATE INDEX careless ON events USING ptree (maybe text_hash_ops, sk) WHERE sk IS NOT NULL;
INSERT INTO events (pk, digest, n, b) VALUES ('a', 1, 1, '');
INSERT INTO events (pk, sk, digest, n, b) VALUES ('a', '1', 1, 1, '');
DROP INDEX careless;
SELECT entries FROM ptree_stats('sparse');
DROP INDEX sparse;

-- Keys of up to the limit are stored, longer ones are refused.
CREATE INDEX events_index ON events USING ptree (pk text_hash_ops, sk);
INSERT INTO events (pk, sk, digest, n, b) VALUES (repeat('p', 200), repeat('s', 2468), 0, 0, '');
INSERT INTO events (pk, sk, digest, n, b) VALUES (repeat('p', 200), repeat('s', 2469), 0, 0, '');
SELECT ptree_check('events_index', true);

-- There are no index-only scans, and no scan without a condition on the first column.
VACUUM events;
EXPLAIN (COSTS OFF) SELECT count(*) FROM events;
EXPLAIN (COSTS OFF) SELECT pk, sk FROM events WHERE sk = 'a';
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT pk, sk FROM events WHERE pk = 'a';

-- The order is known within a partition and only there.
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE pk = 'a' ORDER BY sk DESC LIMIT 10;
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE pk >=# 0 ORDER BY pk USING <#, sk LIMIT 10;
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE pk = 'a' AND sk ^@ 'b';
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE pk > 'a' ORDER BY pk, sk LIMIT 10;

-- Two long sort keys of one partition, in order both ways.
INSERT INTO events (pk, sk, digest, n, b)
SELECT repeat('long', 60), repeat('s', 2000) || lpad(i::text, 3, '0'), 0, 0, '' FROM generate_series(100, 1, -1) i;
SELECT ptree_check('events_index', true);
SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off;
SELECT string_agg(right(sk, 3), ' ') FROM (SELECT sk FROM events WHERE pk = repeat('long', 60) ORDER BY sk LIMIT 12) s;
SELECT string_agg(right(sk, 3), ' ') FROM (SELECT sk FROM events WHERE pk = repeat('long', 60) ORDER BY sk DESC LIMIT 12) s;
SELECT count(*) FROM events WHERE pk = repeat('long', 60) AND sk >= repeat('s', 2000) || '050' AND sk < repeat('s', 5000);
SELECT count(*) FROM events WHERE pk = repeat('long', 100000);
RESET enable_seqscan; RESET enable_sort; RESET enable_bitmapscan;

-- Building packs pages to the fill factor; growth at the end of a partition leaves full pages.
CREATE TABLE filled (pk text NOT NULL, sk text COLLATE "C");
CREATE INDEX filled_index ON filled USING ptree (pk text_hash_ops, sk) WITH (fillfactor = 50);
INSERT INTO filled SELECT 'p', 'k' || lpad(i::text, 6, '0') FROM generate_series(1, 20000) i;
SELECT depth, leaf_fill > 90 AS full FROM ptree_stats('filled_index');
REINDEX INDEX filled_index;
SELECT depth, leaf_fill BETWEEN 45 AND 55 AS half FROM ptree_stats('filled_index');
ALTER INDEX filled_index SET (fillfactor = 100);
REINDEX INDEX CONCURRENTLY filled_index;
SELECT depth, leaf_fill > 95 AS full FROM ptree_stats('filled_index');
SELECT ptree_check('filled_index', true);

-- TRUNCATE, also in the creating transaction, and after a rollback.
TRUNCATE filled;
SELECT depth, leaf_pages, entries FROM ptree_stats('filled_index');
INSERT INTO filled SELECT 'p', i::text FROM generate_series(1, 1000) i;
BEGIN;
TRUNCATE filled;
INSERT INTO filled VALUES ('p', 'x');
ROLLBACK;
SELECT ptree_check('filled_index', true);
BEGIN;
CREATE TABLE fresh (pk bytea NOT NULL, sk numeric);
CREATE INDEX fresh_index ON fresh USING ptree (pk bytea_hash_ops, sk);
INSERT INTO fresh SELECT '\x00'::bytea, i FROM generate_series(1, 2000) i;
TRUNCATE fresh;
INSERT INTO fresh SELECT '\x00ff'::bytea, i FROM generate_series(1, 2000) i;
COMMIT;
SELECT ptree_check('fresh_index', true);
SELECT entries FROM ptree_stats('fresh_index');

-- CLUSTER, VACUUM FULL, a new type of a column.
CLUSTER fresh USING fresh_index;
SELECT ptree_check('fresh_index', true);
VACUUM FULL fresh;
SELECT ptree_check('fresh_index', true);
ALTER TABLE fresh ALTER sk TYPE text COLLATE "C";
SELECT ptree_check('fresh_index', true);
SELECT count(*) FROM fresh WHERE pk = '\x00ff' AND sk = '77';

-- Unlogged and temporary tables.
CREATE UNLOGGED TABLE fleeting (pk text NOT NULL, sk text COLLATE "C");
CREATE INDEX fleeting_index ON fleeting USING ptree (pk text_hash_ops, sk);
INSERT INTO fleeting SELECT 'p' || i % 7, i::text FROM generate_series(1, 5000) i;
SELECT ptree_check('fleeting_index', true);
ALTER TABLE fleeting SET LOGGED;
SELECT ptree_check('fleeting_index', true);
ALTER TABLE fleeting SET UNLOGGED;
SELECT ptree_check('fleeting_index', true);
CREATE TEMPORARY TABLE transient (pk text NOT NULL, sk text COLLATE "C");
CREATE INDEX transient_index ON transient USING ptree (pk text_hash_ops, sk);
INSERT INTO transient SELECT 'p' || i % 7, i::text FROM generate_series(1, 5000) i;
DELETE FROM transient WHERE sk LIKE '%1%';
VACUUM transient;
SELECT ptree_check('transient_index', true);

-- Partitions.
CREATE TABLE parts (pk text NOT NULL, sk text COLLATE "C", region int) PARTITION BY LIST (region);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE INDEX parts_index ON parts USING ptree (pk text_hash_ops, sk);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2);
INSERT INTO parts SELECT 'p' || i % 3, i::text, 1 + i % 2 FROM generate_series(1, 1000) i;
SELECT ptree_check('parts_1_pk_sk_idx', true), ptree_check('parts_2_pk_sk_idx', true);
SET enable_seqscan = off;
SELECT sk FROM parts WHERE pk = 'p1' ORDER BY sk LIMIT 4;
RESET enable_seqscan;

-- The check refuses what it cannot judge.
SELECT ptree_check('parts_index');
SELECT ptree_check('parts');
SELECT ptree_check('pg_class_oid_index');
SELECT ptree_stats('pg_class_oid_index');
CREATE ROLE ptree_nobody;
SET ROLE ptree_nobody;
SELECT ptree_check('filled_index');
SELECT ptree_stats('filled_index');
RESET ROLE;

-- What the owner of a table has put into its index runs with his rights only,
-- and leaves nothing behind.
GRANT CREATE ON SCHEMA public TO ptree_nobody;
SET ROLE ptree_nobody;
CREATE TABLE trap (pk text NOT NULL);
CREATE FUNCTION spring(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'evaluated by %', current_user;
	PERFORM set_config('application_name', 'trapped', false);
	RETURN $1;
END $$;
CREATE INDEX trap_index ON trap USING ptree (public.spring(pk) text_hash_ops);
INSERT INTO trap VALUES ('p');
RESET ROLE;
SET application_name = 'tests';
SELECT ptree_check('trap_index', true);
SHOW application_name;
SELECT current_user = session_user AS same_user;
RESET application_name;
DROP TABLE trap;
DROP FUNCTION spring(text);
REVOKE CREATE ON SCHEMA public FROM ptree_nobody;

DROP ROLE ptree_nobody;
DROP TABLE events, filled, fresh, fleeting, transient, parts;
