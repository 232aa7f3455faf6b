-- Merged queries agree with a sort of the same rows: 1,000 random cases over
-- tables of 1 to 64 shards of every kind, in both directions, with every
-- condition, limit and page size.  The seed is the one set here.
SET search_path = public, partitioning;
\set seed 0.6
SELECT :seed AS seed, setseed(:seed);
CREATE FUNCTION sort_key(type text, n int) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE type WHEN 'S' THEN to_jsonb(substr('abcd', 1 + n % 4, 1) || substr('xyz', 1 + n % 3, 1) || n)
           WHEN 'N' THEN to_jsonb(n * 1.5 - 40)
           ELSE jsonb_build_object('$binary', encode(decode(lpad(to_hex(n), 2, '0') || lpad(to_hex(n * 7 % 256), 2, '0'), 'hex'), 'base64')) END
$$;
CREATE TABLE shapes (name text, shards int, by text, type text);
INSERT INTO shapes
SELECT 'merged' || row_number() OVER (), shards, by, (ARRAY['S', 'N', 'B'])[1 + (row_number() OVER ())::int % 3]
FROM (VALUES (1, NULL), (2, NULL), (3, 'kind'), (7, NULL), (10, 'random'), (16, NULL), (64, NULL), (64, 'random'), (33, 'kind')) AS v (shards, by);
SELECT count(create_table(name, 'PK', 'SK', jsonb_build_object('SK', type), shards, by)) FROM shapes;
SELECT count(create_local_index(name, 'byKind', 'kind')) FROM shapes;
-- partitions of 0 to 120 items; many share a value of "kind"
DO $$
DECLARE
    s shapes;
BEGIN
    FOR s IN SELECT * FROM shapes LOOP
        PERFORM batch_write(s.name, ARRAY(
            SELECT (jsonb_build_object('PK', 'p' || p, 'SK', sort_key(s.type, n), 'kind', 'k' || (random() * 5)::int,
                                       'n', n) )::item
            FROM generate_series(1, 5) AS p, generate_series(1, 30 * (p - 1)) AS n
            WHERE random() < 0.8));
        -- several versions of most rows, some with entries of their own in the index
        FOR i IN 1..3 LOOP
            EXECUTE format('UPDATE %I SET attributes = attributes || jsonb_build_object(''again'', repeat(''x'', (random() * 200)::int)) WHERE random() < 0.5', s.name);
        END LOOP;
    END LOOP;
END $$;
-- a random condition on the sort key, as key condition and as SQL
CREATE FUNCTION random_case(s shapes, OUT condition text, OUT vals jsonb, OUT sql text) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    column_type text := CASE s.type WHEN 'S' THEN 'text' WHEN 'N' THEN 'numeric' ELSE 'bytea' END;
    a jsonb := sort_key(s.type, (random() * 125)::int);
    b jsonb := sort_key(s.type, (random() * 125)::int);
    x text;
    y text;
    kind int := (random() * 7)::int;
    prefix text;
BEGIN
    vals := jsonb_build_object(':p', 'p' || (random() * 5)::int);
    condition := 'PK = :p';
    sql := format('partitioning.shard_base(pk) = %L', vals->>':p');
    IF s.shards = 1 THEN
        sql := format('pk = %L', vals->>':p');
    END IF;
    IF s.type = 'B' THEN
        x := format('%L', decode(a->>'$binary', 'base64'));
        y := format('%L', decode(b->>'$binary', 'base64'));
    ELSE
        x := format('%L', a #>> '{}');
        y := format('%L', b #>> '{}');
    END IF;
    CASE kind
        WHEN 0, 1 THEN
            RETURN;
        WHEN 2 THEN
            condition := condition || ' AND SK = :a';
            sql := sql || format(' AND sk = %s::%s', x, column_type);
        WHEN 3 THEN
            condition := condition || ' AND SK > :a';
            sql := sql || format(' AND sk > %s::%s', x, column_type);
        WHEN 4 THEN
            condition := condition || ' AND SK <= :a';
            sql := sql || format(' AND sk <= %s::%s', x, column_type);
        WHEN 5 THEN
            IF s.type = 'N' AND (a #>> '{}')::numeric > (b #>> '{}')::numeric OR
               s.type = 'S' AND (a #>> '{}') COLLATE "C" > (b #>> '{}') OR
               s.type = 'B' AND decode(a->>'$binary', 'base64') > decode(b->>'$binary', 'base64') THEN
                SELECT a, b, x, y INTO b, a, y, x;
            END IF;
            condition := condition || ' AND SK BETWEEN :a AND :b';
            vals := vals || jsonb_build_object(':b', b);
            sql := sql || format(' AND sk BETWEEN %s::%s AND %s::%s', x, column_type, y, column_type);
        ELSE
            IF s.type = 'N' THEN
                RETURN;
            END IF;
            prefix := CASE s.type WHEN 'S' THEN left(a #>> '{}', 2) ELSE '\x' || to_hex((random() * 7)::int + 16) END;
            condition := condition || ' AND begins_with(SK, :a)';
            a := CASE s.type WHEN 'S' THEN to_jsonb(prefix) ELSE jsonb_build_object('$binary', encode(prefix::bytea, 'base64')) END;
            sql := sql || format(' AND partitioning.begins_with(sk, %L::%s)', prefix, column_type);
    END CASE;
    vals := vals || jsonb_build_object(':a', a);
END $$;
CREATE PROCEDURE compare_cases(n int) LANGUAGE plpgsql AS $$
DECLARE
    s shapes;
    c record;
    forward bool;
    items int;
    page_size int;
    page record;
    start item;
    expected item[];
    merged item[];
    paged item[];
    planned item[];
    plan text;
    compared int := 0;
    merges int := 0;
BEGIN
    FOR i IN 1..n LOOP
        SELECT * INTO s FROM shapes ORDER BY random() LIMIT 1;
        SELECT * INTO c FROM random_case(s);
        forward := random() < 0.5;
        items := CASE WHEN random() < 0.5 THEN 1 + (random() * 30)::int END;
        page_size := 1 + (random() * random() * 40)::int;
        SET LOCAL partitioning.enable_shard_merge = off;
        SET LOCAL enable_indexscan = off;
        SET LOCAL enable_bitmapscan = off;
        EXECUTE format('SELECT ARRAY(SELECT item_of(t) FROM %I AS t WHERE %s ORDER BY sk %s LIMIT %s)', s.name, c.sql,
                       CASE WHEN forward THEN 'ASC' ELSE 'DESC' END, coalesce(items::text, 'ALL'))
            INTO expected;
        -- the planner's merge of the same
        IF s.shards > 1 THEN
            SET LOCAL partitioning.enable_shard_merge = on;
            SET LOCAL enable_seqscan = off;
            SET LOCAL enable_sort = off;
            EXECUTE format('SELECT ARRAY(SELECT item_of(t) FROM %I AS t WHERE %s ORDER BY sk %s LIMIT %s)', s.name, c.sql,
                           CASE WHEN forward THEN 'ASC' ELSE 'DESC' END, coalesce(items::text, 'ALL'))
                INTO planned;
            EXECUTE format('EXPLAIN (FORMAT JSON) SELECT item_of(t) FROM %I AS t WHERE %s ORDER BY sk %s LIMIT %s', s.name, c.sql,
                           CASE WHEN forward THEN 'ASC' ELSE 'DESC' END, coalesce(items::text, 'ALL'))
                INTO plan;
            merges := merges + (plan LIKE '%ShardMerge%')::int;
            RESET enable_seqscan;
            RESET enable_sort;
            IF planned IS DISTINCT FROM expected THEN
                RAISE WARNING 'case %: % % % forward % items %: expected %, planned %', i, s, c.sql, c.vals, forward, items,
                    cardinality(expected), cardinality(planned);
            END IF;
        END IF;
        RESET enable_indexscan;
        RESET enable_bitmapscan;
        merged := ARRAY(SELECT q FROM query(s.name, c.condition, c.vals::item, scan_forward => forward, max_items => items) AS q);
        paged := '{}';
        start := NULL;
        LOOP
            SELECT * INTO page FROM query_page(s.name, c.condition, c.vals::item, scan_forward => forward, max_items => page_size,
                                               start_key => start);
            paged := paged || page.items;
            start := page.last_evaluated_key;
            EXIT WHEN start IS NULL OR c.condition LIKE '% = :a';
        END LOOP;
        compared := compared + cardinality(expected);
        IF merged IS DISTINCT FROM expected OR
           (CASE WHEN items IS NULL THEN paged ELSE paged[1:items] END) IS DISTINCT FROM expected THEN
            RAISE WARNING 'case %: % % % forward % items % page %: expected %, merged %, paged %', i, s, c.condition, c.vals, forward, items, page_size,
                cardinality(expected), cardinality(merged), cardinality(paged);
        END IF;
    END LOOP;
    RAISE NOTICE 'items compared: %, merged by the planner: %', CASE WHEN compared > 10 * n THEN 'enough' ELSE 'too few' END,
        CASE WHEN merges > 0.8 * n THEN 'nearly all' ELSE merges::text END;
END $$;
CALL compare_cases(1000);
-- the same through a local index, where most keys are ties: page by page
CREATE PROCEDURE compare_local(n int) LANGUAGE plpgsql AS $$
DECLARE
    s shapes;
    p text;
    forward bool;
    page_size int;
    page record;
    start item;
    expected item[];
    paged item[];
BEGIN
    FOR i IN 1..n LOOP
        SELECT * INTO s FROM shapes ORDER BY random() LIMIT 1;
        p := 'p' || (random() * 5)::int;
        forward := random() < 0.5;
        page_size := 1 + (random() * random() * 40)::int;
        EXECUTE format('SELECT ARRAY(SELECT item_of(t) FROM %I AS t WHERE %s = $1 ORDER BY attributes->>''kind'' COLLATE "C" %s, sk %3$s)',
                       s.name, CASE WHEN s.shards = 1 THEN 'pk' ELSE 'shard_base(pk)' END, CASE WHEN forward THEN 'ASC' ELSE 'DESC' END)
            INTO expected USING p;
        paged := '{}';
        start := NULL;
        LOOP
            SELECT * INTO page FROM query_page(s.name, 'PK = :p', jsonb_build_object(':p', p), index_name => 'byKind', scan_forward => forward,
                                               max_items => page_size, start_key => start);
            paged := paged || page.items;
            start := page.last_evaluated_key;
            EXIT WHEN start IS NULL;
        END LOOP;
        IF paged IS DISTINCT FROM expected THEN
            RAISE WARNING 'case %: % % forward % page %', i, s, p, forward, page_size;
        END IF;
    END LOOP;
END $$;
CALL compare_local(100);
SELECT count(drop_table(name)) FROM shapes;
DROP PROCEDURE compare_cases, compare_local;
DROP FUNCTION random_case, sort_key;
DROP TABLE shapes;
