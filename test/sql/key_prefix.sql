-- begins_with() compares bytes.
SELECT partitioning.begins_with('abc', ''), partitioning.begins_with('abc', 'ab'),
       partitioning.begins_with('abc', 'abc'), partitioning.begins_with('abc', 'abcd'),
       partitioning.begins_with('abc', 'b'), partitioning.begins_with('', '');
SELECT partitioning.begins_with('\x00ff'::bytea, '\x00'), partitioning.begins_with('\x00ff'::bytea, '\xff');
SELECT partitioning.begins_with(NULL, 'a'), partitioning.begins_with('a', NULL);

-- The successor is valid UTF-8: last code points of each length, surrogates, the end.
SELECT prefix, partitioning.prefix_successor(prefix) FROM (VALUES ('a'), ('ab'), ('ORDER#')) AS v (prefix);
SELECT convert_to(partitioning.prefix_successor(prefix), 'UTF8') FROM (VALUES
    ('a' || U&'\007F'), (U&'\07FF'), (U&'\D7FF'), (U&'\FFFF'), (U&'\+10FFFE'), ('a' || U&'\+10FFFF')) AS v (prefix);
SELECT length(partitioning.prefix_successor('')), length(partitioning.prefix_successor(U&'\+10FFFF')),
       length(partitioning.prefix_successor('\xffff'::bytea));
SELECT partitioning.prefix_successor('\x00'::bytea), partitioning.prefix_successor('\x01ff'::bytea),
       partitioning.prefix_successor(NULL::text);

-- A partitioned store of items: 3 partitions of 2,000.
CREATE TABLE key_prefix (pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, n int);
INSERT INTO key_prefix
SELECT 'P#' || p, kind || '#' || lpad(i::text, 5, '0'), i
FROM generate_series(1, 3) AS p, (VALUES ('INVOICE'), ('ORDER')) AS k (kind), generate_series(1, 1000) AS i;
CREATE UNIQUE INDEX key_prefix_key ON key_prefix (pk partitioning.text_hash_ops, sk);
ANALYZE key_prefix;

-- Constant prefix: one index scan, nothing sorted, nothing filtered.
EXPLAIN (COSTS OFF)
SELECT * FROM key_prefix WHERE pk = 'P#1' AND partitioning.begins_with(sk, 'ORDER#') ORDER BY sk DESC LIMIT 10;

-- Bound prefix, in custom and generic plans: the same.
PREPARE newest (text, text, int) AS
SELECT sk FROM key_prefix WHERE pk = $1 AND partitioning.begins_with(sk, $2) ORDER BY sk DESC LIMIT $3;
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE newest ('P#1', 'ORDER#', 10);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE newest ('P#1', 'ORDER#', 10);
EXECUTE newest ('P#1', 'ORDER#', 3);
EXECUTE newest ('P#1', 'INVOICE#', 2);
EXECUTE newest ('P#1', '', 2);
EXECUTE newest ('P#1', 'ORDER#0100', 2);
EXECUTE newest ('P#1', NULL, 2);
EXECUTE newest ('P#1', U&'\+10FFFF', 2);
RESET plan_cache_mode;

-- A prefix from an outer row is a bound, too; a volatile one is not.
EXPLAIN (COSTS OFF)
SELECT p.prefix, o.sk FROM (VALUES ('ORDER#'), ('INVOICE#')) AS p (prefix)
CROSS JOIN LATERAL (SELECT sk FROM key_prefix WHERE pk = 'P#1' AND partitioning.begins_with(sk, p.prefix)
                    ORDER BY sk DESC LIMIT 1) AS o;
EXPLAIN (COSTS OFF)
SELECT * FROM key_prefix WHERE pk = 'P#1' AND partitioning.begins_with(sk, (random()::text));

-- The edges of the order, by index and by heap: the same rows.
CREATE TABLE key_prefix_edge (id int, sk text COLLATE "C");
INSERT INTO key_prefix_edge
SELECT row_number() OVER (), c || s FROM
    (VALUES (''), ('a'), (U&'\007E'), (U&'\007F'), (U&'\0080'), (U&'\07FF'), (U&'\0800'), (U&'\D7FF'), (U&'\E000'),
            (U&'\FFFF'), (U&'\+010000'), (U&'\+10FFFE'), (U&'\+10FFFF')) AS v (c),
    (VALUES (''), ('a'), (U&'\007F'), (U&'\+10FFFF')) AS w (s);
CREATE INDEX ON key_prefix_edge (sk);
SET plan_cache_mode = force_generic_plan;
PREPARE by_prefix (text) AS SELECT count(*) FROM key_prefix_edge WHERE partitioning.begins_with(sk, $1);
PREPARE by_heap (text) AS SELECT count(*) FROM key_prefix_edge WHERE left(sk, length($1)) = $1;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) EXECUTE by_prefix ('a');
CREATE FUNCTION differences() RETURNS TABLE (id int, by_index bigint, by_heap bigint) LANGUAGE plpgsql AS $$
DECLARE
    prefix text;
BEGIN
    FOR id, prefix IN SELECT e.id, e.sk FROM key_prefix_edge AS e ORDER BY e.id LOOP
        EXECUTE format('EXECUTE by_prefix (%L)', prefix) INTO by_index;
        EXECUTE format('EXECUTE by_heap (%L)', prefix) INTO by_heap;
        IF by_index <> by_heap THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
SELECT * FROM differences();
RESET enable_seqscan;
RESET plan_cache_mode;

-- Binary sort keys.
CREATE TABLE key_prefix_binary (sk bytea);
INSERT INTO key_prefix_binary VALUES ('\x'), ('\x00'), ('\x00ff'), ('\x01'), ('\xff'), ('\xffff'), ('\xff00');
CREATE INDEX ON key_prefix_binary (sk);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM key_prefix_binary WHERE partitioning.begins_with(sk, '\x00ff');
EXPLAIN (COSTS OFF) SELECT * FROM key_prefix_binary WHERE partitioning.begins_with(sk, '\xff');
SELECT * FROM key_prefix_binary WHERE partitioning.begins_with(sk, '\xff') ORDER BY sk;
SELECT * FROM key_prefix_binary WHERE partitioning.begins_with(sk, '\x00') ORDER BY sk;

-- Only where the index is in byte order: this one is not.
CREATE TABLE key_prefix_locale (sk text COLLATE "en-x-icu");
CREATE INDEX ON key_prefix_locale (sk);
EXPLAIN (COSTS OFF) SELECT * FROM key_prefix_locale WHERE partitioning.begins_with(sk, 'a');
CREATE INDEX ON key_prefix_locale (sk text_pattern_ops);
EXPLAIN (COSTS OFF) SELECT * FROM key_prefix_locale WHERE partitioning.begins_with(sk, 'a');

DROP TABLE key_prefix, key_prefix_edge, key_prefix_binary, key_prefix_locale;
DROP FUNCTION differences();
