-- Scans of ptree indexes against sequential scans.
SET search_path = public, partitioning;

CREATE TABLE things (pk text NOT NULL, sk text COLLATE "C", d bigint NOT NULL);
CREATE INDEX things_index ON things USING ptree (pk text_hash_ops, sk, d);
INSERT INTO things SELECT 'p' || i % 5, CASE WHEN i % 50 > 0 THEN 'k' || lpad((i / 10)::text, 4, '0') END, i % 3
FROM generate_series(1, 6000) i;
INSERT INTO things VALUES ('p1', '', 0), ('p1', 'k', 0), (E'p1\x01', 'k', 0), ('', 'k', 0);
ANALYZE things;

-- Number of rows by sequential scan, index scan and bitmap scan.
CREATE FUNCTION three_ways(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := '';
	n bigint;
	how text;
BEGIN
	FOREACH how IN ARRAY '{seqscan,indexscan,bitmapscan}'::text[] LOOP
		PERFORM set_config('enable_seqscan', (how = 'seqscan')::text, true), set_config('enable_indexscan', (how = 'indexscan')::text, true),
			set_config('enable_bitmapscan', (how = 'bitmapscan')::text, true);
		EXECUTE 'SELECT count(*) FROM things WHERE ' || condition INTO n;
		result := result || ' ' || n;
	END LOOP;
	RETURN result;
END $$;

SELECT c, three_ways(c) FROM unnest(ARRAY[
	$$pk = 'p1'$$,
	$$pk = ''$$,
	$$pk = 'none'$$,
	$$pk = NULL$$,
	$$pk = 'p1' AND sk = 'k0100'$$,
	$$pk = 'p1' AND sk = ''$$,
	$$pk = 'p1' AND sk = NULL$$,
	$$pk = 'p1' AND sk IS NULL$$,
	$$pk = 'p1' AND sk < 'k0100'$$,
	$$pk = 'p1' AND sk <= 'k0100'$$,
	$$pk = 'p1' AND sk > 'k0100'$$,
	$$pk = 'p1' AND sk >= 'k0100'$$,
	$$pk = 'p1' AND sk > 'k0100' AND sk < 'k0200'$$,
	$$pk = 'p1' AND sk >= 'k0100' AND sk > 'k0050' AND sk < 'k0200' AND sk <= 'k0300'$$,
	$$pk = 'p1' AND sk > 'k0200' AND sk < 'k0100'$$,
	$$pk = 'p1' AND sk = 'k0100' AND sk > 'k0100'$$,
	$$pk = 'p1' AND sk = 'k0100' AND sk <= 'k0100'$$,
	$$pk = 'p1' AND sk = 'k0100' AND sk = 'k0200'$$,
	$$pk = 'p1' AND sk BETWEEN 'k0100' AND 'k0103'$$,
	$$pk = 'p1' AND sk ^@ 'k01'$$,
	$$pk = 'p1' AND sk ^@ ''$$,
	$$pk = 'p1' AND sk ^@ 'k01' AND sk > 'k0150'$$,
	$$pk = 'p1' AND sk = 'k0100' AND d = 1$$,
	$$pk = 'p1' AND sk = 'k0100' AND d > 0$$,
	$$pk = 'p1' AND sk = 'k0100' AND d > 9223372036854775807$$,
	$$pk = 'p1' AND sk = 'k0100' AND d >= -9223372036854775808$$,
	$$pk = 'p1' AND d = 1$$,
	$$pk = 'p1' AND sk > 'k0100' AND d < 2$$,
	$$pk = 'p1' AND pk = 'p2'$$,
	$$pk = ANY ('{p1,p3,p1,none,NULL}')$$,
	$$pk = ANY ('{}')$$,
	$$pk = ANY ('{NULL}')$$,
	$$pk = ANY ('{p1,p3}') AND pk = ANY ('{p3,p4}')$$,
	$$pk = ANY ('{p1,p3}') AND sk = ANY ('{k0003,k0001,k0003}')$$,
	$$pk = ANY ('{p1,p3}') AND sk >= 'k0590' AND d = ANY ('{1,2}')$$,
	$$pk = 'p1' AND sk < ANY ('{k0003,k0001}')$$,
	$$pk >=# 0$$,
	$$pk <# 0$$,
	$$pk >=# -1073741824 AND pk <# 1073741824$$,
	$$pk >=# 0 AND sk = 'k0100'$$,
	$$pk ># 'p1'$$,
	$$pk >=# 'p1'$$,
	$$pk <=# 'p1' AND sk < 'k0100'$$,
	$$pk <# 'p1' OR pk ># 'p1'$$]) WITH ORDINALITY AS t (c, n)
ORDER BY n;

-- Segments hold every row once.
SELECT sum(n) FROM unnest('{-2147483648,-1000000000,0,1000000000}'::int[], '{-1000000000,0,1000000000,2147483647}'::int[]) s (a, b),
	LATERAL (SELECT count(*) AS n FROM things WHERE pk >=# a AND pk <# b) t;

SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off;

-- Nulls come last, or first going backward.
SELECT sk FROM things WHERE pk = 'p0' ORDER BY sk OFFSET 1078 LIMIT 4;
SELECT count(*) FILTER (WHERE sk IS NULL) FROM (SELECT sk FROM things WHERE pk = 'p0' ORDER BY sk DESC LIMIT 120) s;

-- A cursor turns round at both ends and inside.
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT sk, d FROM things WHERE pk = 'p1' AND sk < 'k0001' ORDER BY sk, d;
FETCH 2 FROM c;
FETCH BACKWARD ALL FROM c;
FETCH FORWARD 1 FROM c;
FETCH LAST FROM c;
FETCH FORWARD 1 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH ABSOLUTE 1 FROM c;
COMMIT;

-- A nested loop scans again and again, and a lateral LIMIT reads the newest of each.
SELECT pk, sk, d FROM unnest('{p3,none,p2}'::text[]) WITH ORDINALITY AS w (want, n),
	LATERAL (SELECT * FROM things WHERE pk = want AND sk < 'k0300' ORDER BY sk DESC, d DESC LIMIT 2) t
ORDER BY n, sk DESC, d DESC;

-- A merge join marks and restores.
SET enable_hashjoin = off; SET enable_nestloop = off; SET enable_material = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM things a JOIN things b USING (sk) WHERE a.pk = 'p1' AND b.pk = 'p2';
SELECT count(*) FROM things a JOIN things b USING (sk) WHERE a.pk = 'p1' AND b.pk = 'p2';
SET enable_indexscan = off; SET enable_seqscan = on; SET enable_sort = on;
SELECT count(*) FROM things a JOIN things b USING (sk) WHERE a.pk = 'p1' AND b.pk = 'p2';
RESET ALL;
SET search_path = public, partitioning;

-- Generic plans, with null parameters too.
SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
PREPARE q (text, text) AS SELECT count(*) FROM things WHERE pk = $1 AND sk ^@ $2;
EXECUTE q ('p1', 'k01');
EXECUTE q ('p1', NULL);
EXECUTE q (NULL, 'k01');
EXECUTE q ('p1', repeat('k', 3000));
PREPARE a (text[]) AS SELECT count(*) FROM things WHERE pk = ANY ($1);
EXECUTE a ('{p1,p2}');
EXECUTE a (NULL);

-- Numbers in all sizes, in numeric order.
CREATE TABLE numbers (pk numeric NOT NULL, sk numeric);
CREATE INDEX numbers_index ON numbers USING ptree (pk numeric_hash_ops, sk);
INSERT INTO numbers SELECT 1, v FROM unnest('{0,1,-1,0.5,-0.5,10000,9999,10001,-10000,-9999,-10001,1e-130,-1e-130,9.9999999999999999999999999999999999999e125,-9.9999999999999999999999999999999999999e125,1e200,-1e200,1e-200,-1e-200,123456789012345678.000000001,123456789012345678.00000000101,NaN,Infinity,-Infinity,NULL,1.10,1.100000000000001,-1.1,-1.100000000000001}'::numeric[]) v;
SET enable_sort = off;
SELECT trim_scale(sk)::float8 AS about, sk > lag(sk) OVER () AS ascending FROM (SELECT sk FROM numbers WHERE pk = 1.0 ORDER BY sk OFFSET 0) s;
SELECT count(*) FROM numbers WHERE pk = 1 AND sk > -1.1 AND sk <= 1.10;

-- Binary keys with zero bytes stay apart.
CREATE TABLE binaries (pk bytea NOT NULL, sk bytea);
CREATE INDEX binaries_index ON binaries USING ptree (pk bytea_hash_ops, sk);
INSERT INTO binaries SELECT p, s FROM unnest('{"","\\x00","\\x0000","\\x00ff","\\x01","\\xff"}'::bytea[]) p, unnest('{"","\\x00","\\x0000","\\x00ff","\\x01","\\xff",NULL}'::bytea[]) s;
SELECT pk, count(*), string_agg(coalesce(sk::text, 'null'), ' ') FROM unnest('{"","\\x00","\\x0000","\\x00ff","\\x01","\\xff"}'::bytea[]) w,
	LATERAL (SELECT * FROM binaries WHERE pk = w ORDER BY sk) t GROUP BY pk ORDER BY pk;
SELECT ptree_check('numbers_index', true), ptree_check('binaries_index', true);

DROP FUNCTION three_ways;
DROP TABLE things, numbers, binaries;
