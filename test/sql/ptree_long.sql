-- Long keys in a ptree: of a partition key of more than 255 bytes it stores a
-- digest.
SET search_path = public, partitioning;
SET enable_seqscan = off; SET enable_bitmapscan = off;

-- N bytes without a pattern.
CREATE FUNCTION noise(n int, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT left(string_agg(md5(seed || i), ''), n) FROM generate_series(0, n / 32) i $$;

-- Every legal key of an item table fits, many with the same partition key.
CREATE TABLE long (pk text COLLATE "C" NOT NULL, sk text COLLATE "C", b bytea NOT NULL, digest bigint NOT NULL);
CREATE UNIQUE INDEX long_index ON long USING ptree (pk text_hash_ops, sk);
CREATE UNIQUE INDEX long_b ON long USING ptree (b bytea_hash_ops, sk, digest);
INSERT INTO long
SELECT noise(2048, 'p' || p), noise(1019, 's' || p % 3) || to_char(s, 'FM00000'), decode(noise(4096, 'p' || p), 'hex'), p
FROM generate_series(1, 20) p, generate_series(1, 30) s;
SELECT ptree_check('long_index', true), ptree_check('long_b', true);
SELECT entries FROM ptree_stats('long_index');
EXPLAIN (COSTS OFF) SELECT right(sk, 5) FROM long WHERE pk = 'a' ORDER BY sk DESC LIMIT 3;
SELECT right(sk, 5) FROM long WHERE pk = noise(2048, 'p7') ORDER BY sk DESC LIMIT 3;
SELECT count(*) FROM long WHERE pk = noise(2048, 'p7') AND sk > noise(1019, 's1') || '00010';
SELECT count(*) FROM long WHERE b = decode(noise(4096, 'p7'), 'hex') AND sk > noise(1019, 's1') || '00010' AND digest = 7;
SELECT count(*) FROM long WHERE pk = ANY (ARRAY[noise(2048, 'p7'), noise(2048, 'p9'), 'short', noise(2048, 'p7')]);
SELECT count(*) FROM long WHERE pk = noise(2047, 'p7');
SELECT count(*) FROM long WHERE pk = noise(2048, 'p7') || 'more';

-- Uniqueness.
\set VERBOSITY terse
INSERT INTO long SELECT pk, sk, b, 0 FROM long WHERE pk = noise(2048, 'p7') LIMIT 1;
INSERT INTO long SELECT pk || 'x', sk, b, 0 FROM long WHERE pk = noise(2048, 'p7') LIMIT 1;
\set VERBOSITY default
SELECT ptree_check('long_index', true), ptree_check('long_b', true);

-- A digest leaves room for the sort key.
INSERT INTO long VALUES (repeat('p', 255), repeat('s', 2413), '', 0), (repeat('p', 256), repeat('s', 2635), '', 0);
INSERT INTO long VALUES (repeat('p', 255), repeat('s', 2414), '', 1);
INSERT INTO long VALUES (repeat('p', 256), repeat('s', 2636), '', 1);
-- zero bytes count twice, but not in a digest
INSERT INTO long VALUES ('zero', repeat('s', 2158), decode(repeat('00', 255), 'hex'), 2);
INSERT INTO long VALUES ('zero', repeat('s', 2159), decode(repeat('00', 255), 'hex'), 2);
INSERT INTO long VALUES ('zero', repeat('s', 2635), decode(repeat('00', 2048), 'hex'), 2);
SELECT length(b), length(sk) FROM long WHERE b = decode(repeat('00', 2048), 'hex');
SELECT length(b), length(sk) FROM long WHERE b = decode(repeat('00', 255), 'hex');
SELECT ptree_check('long_index', true), ptree_check('long_b', true);

-- Keys of one hash, long and short: operators and both kinds of index agree on
-- their order.  These have it by pairs.
CREATE TABLE twins AS
SELECT (repeat('k', 247 + i % 12) || i) COLLATE "C" AS pk, i FROM unnest(ARRAY[
    7996, 15691, 9623, 574583, 12660, 600336, 22782, 316705, 33450, 450413, 74518, 426631, 87261, 392350,
    89274, 543776, 94250, 355710, 95668, 184185, 97338, 151853, 124653, 165030, 127090, 426158, 128469, 259001,
    156558, 186300, 161580, 285622, 167825, 621306, 183045, 464077, 191173, 393252, 197875, 538320,
    200896, 307104, 221493, 475258, 222870, 577451, 223525, 469438, 229720, 317202, 242843, 379711,
    633125, 699085, 633185, 699025]) i;
ALTER TABLE twins ALTER pk SET NOT NULL;
SELECT count(*), count(DISTINCT key_hash(pk)), count(*) FILTER (WHERE length(pk) > 255) FROM twins;
CREATE VIEW pairs AS SELECT a.pk AS a, b.pk AS b FROM twins a JOIN twins b ON key_hash(a.pk) = key_hash(b.pk) AND a.i < b.i;
SELECT length(a) > 255 AS long_a, length(b) > 255 AS long_b, count(*),
    bool_and(CASE WHEN length(a) > 255 AND length(b) > 255 THEN (a <# b) = (sha256(a::bytea) < sha256(b::bytea))
        WHEN length(a) > 255 THEN a <# b WHEN length(b) > 255 THEN b <# a ELSE (a <# b) = (a < b) END) AS as_said,
    bool_and((a <# b) <> (b <# a) AND (a <# b) = (a <=# b) AND (a <# b) = (b ># a) AND (a <# b) = (b >=# a)) AS total,
    bool_and((a <# b) = (a::bytea <# b::bytea)) AS as_bytea
FROM pairs GROUP BY 1, 2 ORDER BY 1, 2;
CREATE TABLE by_sort AS SELECT array_agg(i) AS o FROM (SELECT i FROM twins ORDER BY pk USING <#) s;
CREATE INDEX twins_pt ON twins USING ptree (pk text_hash_ops);
SELECT ptree_check('twins_pt', true);
EXPLAIN (COSTS OFF) SELECT i FROM twins WHERE pk >=# -2147483648 ORDER BY pk USING <#;
SELECT array_agg(i) = (SELECT o FROM by_sort) FROM (SELECT i FROM twins WHERE pk >=# -2147483648 ORDER BY pk USING <#) s;
-- from each key on, and up to it
SELECT count(*), bool_and(n = position) FROM (
    SELECT array_position(o, i) AS position, (SELECT count(*) FROM twins WHERE pk <=# t.pk) AS n FROM by_sort, twins t) s;
SELECT count(*), bool_and(n = 56 - position) FROM (
    SELECT array_position(o, i) AS position, (SELECT count(*) FROM twins WHERE pk ># t.pk) AS n FROM by_sort, twins t) s;
SELECT count(*), bool_and(n = position - 1) FROM (
    SELECT array_position(o, i) AS position, (SELECT count(*) FROM twins WHERE pk <# t.pk) AS n FROM by_sort, twins t) s;
SELECT count(*), bool_and(n = 57 - position) FROM (
    SELECT array_position(o, i) AS position, (SELECT count(*) FROM twins WHERE pk >=# t.pk) AS n FROM by_sort, twins t) s;
-- a merge join relies on the order
SET enable_hashjoin = off; SET enable_nestloop = off; SET enable_sort = off; SET enable_material = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM twins a JOIN twins b USING (pk) WHERE a.pk >=# -2147483648 AND b.pk >=# -2147483648;
SELECT count(*) FROM twins a JOIN twins b USING (pk) WHERE a.pk >=# -2147483648 AND b.pk >=# -2147483648;
RESET enable_hashjoin; RESET enable_nestloop; RESET enable_sort; RESET enable_material;
DROP INDEX twins_pt;
CREATE INDEX twins_bt ON twins USING btree (pk text_hash_ops);
EXPLAIN (COSTS OFF) SELECT i FROM twins WHERE pk >=# -2147483648 ORDER BY pk USING <#;
SELECT array_agg(i) = (SELECT o FROM by_sort) FROM (SELECT i FROM twins WHERE pk >=# -2147483648 ORDER BY pk USING <#) s;

DROP VIEW pairs;
DROP TABLE long, twins, by_sort;
DROP FUNCTION noise;
RESET enable_seqscan; RESET enable_bitmapscan;

-- sort keys that share nearly all their bytes, and others of the same partition
-- on both sides of them: their page is split without making one group of all
CREATE TABLE mixed (pk text NOT NULL, sk text COLLATE "C");
CREATE INDEX mixed_index ON mixed USING ptree (pk text_hash_ops, sk);
INSERT INTO mixed SELECT 'p', repeat('x', 1000) || i FROM generate_series(100, 199) AS i;
INSERT INTO mixed SELECT 'p', CASE WHEN i % 2 = 0 THEN 'a' WHEN i % 10 = 1 THEN NULL ELSE 'z' END || i FROM generate_series(1000, 1500) AS i;
SELECT ptree_check('mixed_index', true);
SELECT count(*) FROM mixed WHERE pk = 'p' AND sk > 'x' AND sk < 'y';
DROP TABLE mixed;
