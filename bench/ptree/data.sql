-- Keys for the comparison of index methods, in the order in which they come:
--
--   many    partitions of 20 sort keys of 39 bytes, in random order; new keys
--           belong to new partitions
--   series  20 partitions, each of which grows by ascending sort keys
--   single  partitions of one sort key of one byte, in random order
CREATE FUNCTION many(first int, last int) RETURNS TABLE (pk text, sk text) LANGUAGE sql AS $$
    SELECT 'USER#' || 10000000 + i / 20, 'ORDER#2024-03-' || 10 + i % 20 || 'T09:30:00.' || substr(md5(i::text), 1, 10) || 'Z'
    FROM generate_series(first, last - 1) i ORDER BY md5(i::text)
$$;
CREATE FUNCTION series(first int, last int) RETURNS TABLE (pk text, sk text) LANGUAGE sql AS $$
    SELECT 'SENSOR#' || i % 20, 'READING#2024-03-11T09:30:00.' || lpad((i / 20)::text, 10, '0') || 'Z'
    FROM generate_series(first, last - 1) i
$$;
CREATE FUNCTION single(first int, last int) RETURNS TABLE (pk text, sk text) LANGUAGE sql AS $$
    SELECT 'USER#' || 10000000 + i, 'A'
    FROM generate_series(first, last - 1) i ORDER BY md5(i::text)
$$;

-- Tables <keys>_btree and <keys>_ptree with a unique index each, and <keys>_none
-- without one, whose cost is that of the table alone.
CREATE PROCEDURE make(keys text) LANGUAGE plpgsql AS $$
DECLARE
    method text;
BEGIN
    FOREACH method IN ARRAY '{none,btree,ptree}'::text[] LOOP
        EXECUTE format('CREATE TABLE %I (pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL)', keys || '_' || method);
        IF method <> 'none' THEN
            EXECUTE format('CREATE UNIQUE INDEX ON %I USING %I (pk %s, sk)', keys || '_' || method, method,
                CASE method WHEN 'ptree' THEN 'partitioning.text_hash_ops' ELSE '' END);
        END IF;
    END LOOP;
END $$;

-- Inserts keys of these numbers into all three.
CREATE PROCEDURE grow(keys text, first int, last int) LANGUAGE plpgsql AS $$
DECLARE
    method text;
BEGIN
    FOREACH method IN ARRAY '{none,btree,ptree}'::text[] LOOP
        EXECUTE format('INSERT INTO %I SELECT * FROM %I($1, $2)', keys || '_' || method, keys) USING first, last;
    END LOOP;
END $$;

-- Bytes of both indexes for each entry, as a mean over growth from n to 2 n.
CREATE FUNCTION bytes(keys text, n int, OUT btree numeric, OUT ptree numeric) LANGUAGE plpgsql AS $$
DECLARE
    steps int := 8;
    count int;
BEGIN
    CALL make(keys);
    CALL grow(keys, 0, n);
    btree := 0;
    ptree := 0;
    FOR i IN 1 .. steps LOOP
        CALL grow(keys, n + (i - 1) * n / steps, n + i * n / steps);
        count := n + i * n / steps;
        btree := btree + pg_relation_size(keys || '_btree_pk_sk_idx') / count::numeric / steps;
        ptree := ptree + pg_relation_size(keys || '_ptree_pk_sk_idx') / count::numeric / steps;
    END LOOP;
END $$;

-- Bytes after a build by sorting.
CREATE FUNCTION rebuilt(keys text, OUT btree numeric, OUT ptree numeric) LANGUAGE plpgsql AS $$
DECLARE
    count int;
BEGIN
    EXECUTE format('REINDEX INDEX %I', keys || '_btree_pk_sk_idx');
    EXECUTE format('REINDEX INDEX %I', keys || '_ptree_pk_sk_idx');
    EXECUTE format('SELECT count(*) FROM %I', keys || '_ptree') INTO count;
    btree := pg_relation_size(keys || '_btree_pk_sk_idx') / count::numeric;
    ptree := pg_relation_size(keys || '_ptree_pk_sk_idx') / count::numeric;
END $$;

-- Bytes of WAL that inserting these keys one by one takes; scattered: beside a
-- few of those that are there, so that each has a page of its own.
CREATE FUNCTION wal(keys text, method text, first int, last int, scattered bool) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    before pg_lsn := pg_current_wal_insert_lsn();
    n bigint;
BEGIN
    EXECUTE format($q$INSERT INTO %I SELECT pk, sk || CASE WHEN $3 THEN '#' ELSE '' END FROM %I($1, $2)
        WHERE NOT $3 OR md5(pk || sk) < '001'$q$, keys || '_' || method, keys)
    USING first, last, scattered;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN (pg_current_wal_insert_lsn() - before) / n;
END $$;

-- Looks up n keys each of its own by an index scan, or the newest 10 entries of
-- n partitions.
CREATE FUNCTION probes(method text, n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    result bigint;
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    SET LOCAL enable_hashjoin = off;
    SET LOCAL enable_mergejoin = off;
    SET LOCAL enable_memoize = off;
    SET LOCAL enable_indexonlyscan = off;
    EXECUTE format('SELECT count(t.pk) FROM (SELECT * FROM probe_keys WHERE i <= $1 OFFSET 0) k, %I t WHERE t.pk = k.pk AND t.sk = k.sk', 'many_' || method) INTO result USING n;
    ASSERT result = n;
    RETURN result;
END $$;
CREATE FUNCTION newest(method text, n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    result bigint;
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    SET LOCAL enable_memoize = off;
    SET LOCAL enable_indexonlyscan = off;
    SET LOCAL enable_sort = off;
    EXECUTE format('SELECT count(t.pk) FROM (SELECT * FROM probe_keys WHERE i <= $1 OFFSET 0) k,
        LATERAL (SELECT * FROM %I WHERE pk = k.pk AND sk >= ''ORDER#'' AND sk < ''ORDER$'' ORDER BY sk DESC LIMIT 10) t', 'many_' || method) INTO result USING n;
    ASSERT result = 10 * n;
    RETURN result;
END $$;
CREATE FUNCTION inserts(method text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I SELECT * FROM many($1, $2)', 'many_' || method) USING first, last;
END $$;
