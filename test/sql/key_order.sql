-- Order is by hash, then by value; equality is the type's own.
SET search_path = public, partitioning;
SELECT a, b, a <# b AS lt, a <=# b AS le, a = b AS eq, a >=# b AS ge, a ># b AS gt,
       (a <# b) = (key_hash(a) < key_hash(b)) AS by_hash
FROM (VALUES ('a', 'b'), ('b', 'a'), ('a', 'a'), ('', 'a')) AS v (a, b);
SELECT a, b, a <# b AS lt, a <=# b AS le, a = b AS eq, a >=# b AS ge, a ># b AS gt
FROM (VALUES (1.0::numeric, 1.00::numeric), (1, 2), (2, 1), ('NaN', 'NaN'), (0, -0.0)) AS v (a, b);
SELECT a, b, a <# b AS lt, a <=# b AS le, a = b AS eq, a >=# b AS ge, a ># b AS gt
FROM (VALUES ('\x01'::bytea, '\x01'::bytea), ('\x01', '\x02'), ('\x02', '\x01')) AS v (a, b);

-- Values of one hash are ordered among themselves (two texts that collide).
CREATE TABLE key_collision AS
SELECT min(t COLLATE "C") AS a, max(t COLLATE "C") AS b
FROM (SELECT i::text AS t FROM generate_series(1, 200000) AS i) AS v
GROUP BY key_hash(t) HAVING count(*) > 1;
SELECT count(*) > 0 AS found, bool_and(a <# b), bool_and(b ># a), bool_or(a = b) FROM key_collision;

-- A position in hash order stands before all values of its hash and equals none.
SELECT h - key_hash('a') AS distance, 'a' <# h AS lt, 'a' <=# h AS le, 'a' >=# h AS ge, 'a' ># h AS gt
FROM (SELECT key_hash('a') + d AS h FROM generate_series(-1, 1) AS d) AS v;
SELECT 1.0 >=# key_hash(1), 1.0 <# key_hash(1), '\x01'::bytea >=# key_hash('\x01'::bytea), '\x01'::bytea <# key_hash('\x01'::bytea);

-- An index in hash order: unique, scanned both ways, by value and by position.
CREATE TABLE key_order (pk text COLLATE "C" NOT NULL, sk numeric NOT NULL, gone int, b bytea, n numeric);
ALTER TABLE key_order DROP COLUMN gone;
INSERT INTO key_order
SELECT 'P#' || p, s, convert_to('P#' || p, 'UTF8'), p * 1.50 FROM generate_series(1, 500) AS p, generate_series(1, 4) AS s;
CREATE UNIQUE INDEX key_order_key ON key_order (pk text_hash_ops, sk);
CREATE INDEX key_order_b ON key_order (b bytea_hash_ops, sk);
CREATE INDEX key_order_n ON key_order (n numeric_hash_ops, sk);
ANALYZE key_order;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM key_order WHERE pk = 'P#7' ORDER BY sk DESC LIMIT 2;
SELECT pk, sk FROM key_order WHERE pk = 'P#7' ORDER BY sk DESC LIMIT 2;
SELECT n, sk FROM key_order WHERE n = 4.5 ORDER BY sk;
SELECT b, sk FROM key_order WHERE b = '\x502337' ORDER BY sk;
INSERT INTO key_order VALUES ('P#7', 2.0);

-- Never ORDER BY pk from this index; its own order it gives.
EXPLAIN (COSTS OFF) SELECT pk, sk FROM key_order ORDER BY pk, sk LIMIT 1;
EXPLAIN (COSTS OFF) SELECT pk, sk FROM key_order ORDER BY pk USING <#, sk;
SELECT bool_and(ordered) FROM
    (SELECT key_hash(pk) >= lag(key_hash(pk)) OVER () AS ordered
     FROM (SELECT pk FROM key_order ORDER BY pk USING <#, sk) AS t) AS t;

-- Segments by position: index conditions, disjoint, complete.
EXPLAIN (COSTS OFF) SELECT count(*) FROM key_order WHERE pk >=# -1000 AND pk <# 500000000;
SELECT (SELECT count(*) FROM key_order WHERE pk <# -1000) +
       (SELECT count(*) FROM key_order WHERE pk >=# -1000 AND pk <# 500000000) +
       (SELECT count(*) FROM key_order WHERE pk >=# 500000000);
SELECT count(*) = (SELECT count(*) FROM key_order WHERE key_hash(pk) < 500000000)
FROM key_order WHERE pk <# 500000000;
SELECT count(*) = (SELECT count(*) FROM key_order WHERE key_hash(n) >= 7) FROM key_order WHERE n >=# 7;
SELECT count(*) = (SELECT count(*) FROM key_order WHERE key_hash(b) >= 7) FROM key_order WHERE b ># 7;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Sorted builds and sorts with abbreviated keys agree with the comparison.
SELECT bool_and(ok) FROM
    (SELECT lag(n) OVER () <=# n AS ok FROM (SELECT n FROM key_order ORDER BY n USING <#) AS t) AS t;
SELECT bool_and(ok) FROM
    (SELECT lag(b) OVER () <=# b AS ok FROM (SELECT b FROM key_order ORDER BY b USING <#) AS t) AS t;
SELECT bool_and(ok) FROM
    (SELECT lag(b) OVER () >=# b AS ok FROM (SELECT b FROM key_order ORDER BY b USING >#) AS t) AS t;

-- ON CONFLICT finds the index.
INSERT INTO key_order VALUES ('P#7', 2) ON CONFLICT (pk, sk) DO NOTHING;

-- Bytes are not the equality of a nondeterministic collation.
CREATE COLLATION key_order_ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE key_order_ci (pk text COLLATE key_order_ci);
INSERT INTO key_order_ci VALUES ('a'), ('A');
CREATE INDEX ON key_order_ci (pk text_hash_ops);

DROP TABLE key_order, key_order_ci, key_collision;
DROP COLLATION key_order_ci;
RESET search_path;
