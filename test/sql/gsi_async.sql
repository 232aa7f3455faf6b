-- Asynchronous global indexes: the background worker has them follow.
SET search_path = public, partitioning;
SELECT create_table('chat', 'room', 'at', '{"at": "N"}');
-- the default, complete at once on an empty table
SELECT create_global_index('chat', 'byAuthor', 'author', 'at');
SELECT create_global_index('chat', 'byTag', partition_keys => '{tag,author}', projection => 'KEYS_ONLY');
SELECT index_name, propagation, status FROM item_indexes ORDER BY 1;
SELECT count(put_item('chat', jsonb_build_object('room', 'R' || i % 3, 'at', i, 'author', 'A' || i % 4, 'tag', 'T')))
FROM generate_series(1, 100) AS i;
SELECT flush_index('chat', 'byAuthor'), flush_index('chat', 'byTag');
SELECT count(*) FROM query('chat', 'author = :a', '{":a": "A1"}', index_name => 'byAuthor');
SELECT count(*) FROM query('chat', 'author = :a AND tag = :t', '{":a": "A1", ":t": "T"}', index_name => 'byTag');

-- keys that move, there and back, go, come again; with plain SQL, too
SELECT count(update_item('chat', jsonb_build_object('room', 'R' || i % 3, 'at', i), 'SET author = :a', '{":a": "B"}'))
FROM generate_series(1, 20) AS i;
SELECT count(update_item('chat', jsonb_build_object('room', 'R' || i % 3, 'at', i), 'SET author = :a', jsonb_build_object(':a', 'A' || i % 4)))
FROM generate_series(1, 10) AS i;
UPDATE chat SET attributes = attributes || '{"note": "edited"}' WHERE sk BETWEEN 30 AND 35;
DELETE FROM chat WHERE sk > 90;
INSERT INTO chat VALUES ('R0', 95, '{"author": "A3", "tag": "U"}'), ('R0', 96, '{"author": "A3"}');
SELECT flush_index('chat', 'byAuthor'), flush_index('chat', 'byTag');
SELECT author, count(*) FROM (SELECT item_text(scan('chat', 'byAuthor'), 'author')) AS s (author) GROUP BY 1 ORDER BY 1;
SELECT verify_index('chat', 'byAuthor');
SELECT verify_index('chat', 'byTag');
SELECT query('chat', 'author = :a AND #at >= :t', '{":a": "A3", ":t": 95}', index_name => 'byAuthor',
             expression_names => '{"#at": "at"}');

-- values that cannot be keys are refused as they are written
SELECT put_item('chat', '{"room": "R1", "at": 1, "author": 7}');

-- aborted changes leave nothing to follow
BEGIN;
SELECT put_item('chat', '{"room": "R9", "at": 1, "author": "gone"}');
SAVEPOINT s;
DELETE FROM chat;
ROLLBACK TO s;
SELECT put_item('chat', '{"room": "R9", "at": 2, "author": "gone"}');
ROLLBACK;
BEGIN;
SELECT put_item('chat', '{"room": "R9", "at": 3, "author": "C"}');
SAVEPOINT s;
SELECT put_item('chat', '{"room": "R9", "at": 4, "author": "C"}');
UPDATE chat SET attributes = '{"author": "gone"}' WHERE pk = 'R9';
ROLLBACK TO s;
SELECT put_item('chat', '{"room": "R9", "at": 5, "author": "C"}');
-- nor is anything waited for that is not committed
SELECT flush_index('chat', 'byAuthor');
COMMIT;
SELECT flush_index('chat', 'byAuthor');
SELECT base_pk, base_sk, pk FROM "chat_byAuthor" WHERE base_pk = 'R9' ORDER BY 2;
SELECT verify_index('chat', 'byAuthor');

-- TRUNCATE, also together with writes
TRUNCATE chat;
SELECT put_item('chat', '{"room": "R1", "at": 1, "author": "D", "tag": "T"}');
SELECT flush_index('chat', 'byAuthor'), flush_index('chat', 'byTag');
SELECT scan('chat', 'byAuthor');

-- to be kept in the transaction, from now on, and not any more
BEGIN;
SELECT put_item('chat', '{"room": "R1", "at": 2, "author": "D", "tag": "T"}');
SELECT alter_index('chat', 'byAuthor', 'sync');
SELECT put_item('chat', '{"room": "R1", "at": 3, "author": "D", "tag": "T"}');
SELECT count(*) FROM "chat_byAuthor";
COMMIT;
SELECT verify_index('chat', 'byAuthor');
SELECT alter_index('chat', 'byAuthor', 'async');
SELECT put_item('chat', '{"room": "R1", "at": 4, "author": "D", "tag": "T"}');
SELECT flush_index('chat', 'byAuthor', NULL);
SELECT count(*) FROM "chat_byAuthor";
SELECT flush_index('chat', 'byAuthor', '-1 s');
\set VERBOSITY terse
SELECT create_global_index('chat', 'one', 'author', unique_key => true);
\set VERBOSITY default
SELECT create_global_index('chat', 'one', 'at', unique_key => true);
SELECT alter_index('chat', 'one', 'async');
SELECT drop_index('chat', 'one');

-- made on a filled table, it is filled while writers go on; until then it
-- cannot be read
BEGIN;
SELECT create_global_index('chat', 'late', 'tag', 'at');
SELECT query('chat', 'tag = :t', '{":t": "T"}', index_name => 'late');
ROLLBACK;
SELECT count(put_item('chat', jsonb_build_object('room', 'F' || i % 3, 'at', i, 'tag', 'F')))
FROM generate_series(1, 5000) AS i;
UPDATE chat SET attributes = attributes || '{"tag": "G"}' WHERE sk % 2 = 0;
BEGIN;
SELECT create_global_index('chat', 'late', 'tag', 'at');
SELECT table_name, index_name, status, queued, lag_seconds, backfill_done, backfill_total, last_error
FROM index_status ORDER BY 2;
SELECT put_item('chat', '{"room": "H", "at": 0, "tag": "F"}');
SELECT flush_index('chat', 'late', '0 s');
COMMIT;
SELECT put_item('chat', '{"room": "H", "at": 1, "tag": "F"}');
SELECT flush_index('chat', 'late');
SELECT table_name, index_name, status, queued, lag_seconds, applied_per_second >= 0 AS rate,
       backfill_done >= 5005, backfill_done = backfill_total, last_error, propagation
FROM index_status WHERE index_name = 'late';
SELECT verify_index('chat', 'late');
SELECT count(*) FROM query('chat', 'tag = :t', '{":t": "F"}', index_name => 'late');
-- dropped, rebuilt or made synchronous before it is complete
SELECT create_global_index('chat', 'dropped', 'tag');
SELECT drop_index('chat', 'dropped');
BEGIN;
SELECT create_global_index('chat', 'rebuilt', 'tag');
SELECT rebuild_index('chat', 'rebuilt');
SELECT create_global_index('chat', 'altered', 'tag');
SELECT alter_index('chat', 'altered', 'sync');
SELECT index_name, status, propagation FROM index_status ORDER BY 1;
COMMIT;
SELECT verify_index('chat', 'rebuilt'), verify_index('chat', 'altered');
-- emptied before it is complete
SELECT create_global_index('chat', 'emptied', 'tag');
TRUNCATE chat;
SELECT put_item('chat', '{"room": "H", "at": 1, "tag": "F", "author": "A"}');
SELECT flush_index('chat', 'emptied'), flush_index('chat', 'late');
SELECT scan('chat', 'emptied');
SELECT verify_index('chat', 'emptied'), verify_index('chat', 'late');
SELECT count(*) FROM index_state;

-- index tables are read-only
INSERT INTO "chat_byAuthor" VALUES ('E', 1, 'R8', 1, 1, '{}');
UPDATE "chat_byAuthor" SET pk = 'E';
DELETE FROM "chat_byAuthor";
TRUNCATE "chat_byAuthor";

SELECT drop_index('chat', 'byAuthor');
SELECT drop_table('chat');

-- a partitioned table: changes are applied where items are now
CREATE TABLE parts (pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, attributes item NOT NULL) PARTITION BY HASH (pk);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT register_table('parts', 'p', 's');
INSERT INTO parts SELECT 'P' || i, 'S', jsonb_build_object('e', 'E' || i % 5) FROM generate_series(1, 500) AS i;
SELECT create_global_index('parts', 'byE', 'e');
UPDATE parts SET pk = pk || 'x' WHERE pk LIKE 'P1%';
SELECT flush_index('parts', 'byE');
SELECT backfill_done = backfill_total AS complete, status FROM index_status;
SELECT verify_index('parts', 'byE');
SELECT count(*) FROM "parts_byE";
TRUNCATE parts_0;
UPDATE parts SET attributes = '{"e": "new"}' WHERE pk LIKE 'P2%';
SELECT flush_index('parts', 'byE');
SELECT verify_index('parts', 'byE');
ALTER TABLE parts DETACH PARTITION parts_1;
INSERT INTO parts SELECT 'Q' || i, 'S', jsonb_build_object('e', 'E' || i % 5) FROM generate_series(1, 50) AS i
WHERE satisfies_hash_partition('parts'::regclass, 2, 0, 'Q' || i);
SELECT flush_index('parts', 'byE');
SELECT verify_index('parts', 'byE');
ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
DELETE FROM parts WHERE pk LIKE 'P3%';
SELECT flush_index('parts', 'byE');
SELECT verify_index('parts', 'byE');
SELECT (SELECT count(*) FROM parts) = (SELECT count(*) FROM "parts_byE") AS equal;
DROP TABLE parts;
