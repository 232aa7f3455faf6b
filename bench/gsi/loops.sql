-- Loops in the server: an order gets another state, and with it another key in
-- the index (move), or another quantity (other), n times, by whom it says.
SET search_path = public, partitioning;
CREATE TABLE keys AS
SELECT row_number() OVER () AS i, pk, sk, jsonb_build_object('PK', pk, 'SK', sk)::item AS key
FROM (SELECT pk, sk FROM g0 ORDER BY md5(pk || sk) LIMIT 3000) AS k;

-- A number that is another one for each call of a loop, so that an update is
-- one, and has as many digits.
CREATE FUNCTION salt() RETURNS int STABLE LANGUAGE sql AS $$
    SELECT 100000000 + (extract(epoch FROM statement_timestamp()) * 1000)::bigint % 100000000 * 5
$$;

CREATE FUNCTION move_by_hand(name text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text[] := ARRAY(SELECT pk FROM keys ORDER BY i);
    s text[] := ARRAY(SELECT sk FROM keys ORDER BY i);
    salt int := salt();
    statement text := format('UPDATE %I SET item = item || jsonb_build_object(''status'', $3::text, ''GSI1PK'', ''STATUS#S'' || $3) WHERE pk = $1 AND sk = $2', name);
BEGIN
    EXECUTE format('PREPARE move (text, text, int) AS %s', statement);
    FOR i IN 1..n LOOP
        EXECUTE format('EXECUTE move(%L, %L, %s)', p[1 + i % 3000], s[1 + i % 3000], salt + i);
    END LOOP;
    DEALLOCATE move;
END $$;
CREATE FUNCTION nothing_by_hand(name text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text[] := ARRAY(SELECT pk FROM keys ORDER BY i);
    s text[] := ARRAY(SELECT sk FROM keys ORDER BY i);
    salt int := salt();
BEGIN
    PREPARE move (text, text, int) AS SELECT 1;
    FOR i IN 1..n LOOP
        EXECUTE format('EXECUTE move(%L, %L, %s)', p[1 + i % 3000], s[1 + i % 3000], salt + i);
    END LOOP;
    DEALLOCATE move;
END $$;

CREATE FUNCTION move_by_item(name text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k item[] := ARRAY(SELECT key FROM keys ORDER BY i);
    v item[] := ARRAY(SELECT jsonb_build_object(':s', (salt + i)::text, ':g', 'STATUS#S' || (salt + i))::item FROM salt() AS salt, generate_series(1, 3000) AS i);
BEGIN
    FOR i IN 1..n LOOP
        PERFORM update_item(name, k[1 + i % 3000], 'SET #s = :s, GSI1PK = :g', v[1 + i % 3000], expression_names => '{"#s": "status"}');
    END LOOP;
END $$;
CREATE FUNCTION other_by_item(name text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k item[] := ARRAY(SELECT key FROM keys ORDER BY i);
    v item[] := ARRAY(SELECT jsonb_build_object(':q', salt + i)::item FROM salt() AS salt, generate_series(1, 3000) AS i);
BEGIN
    FOR i IN 1..n LOOP
        PERFORM update_item(name, k[1 + i % 3000], 'SET qty = :q', v[1 + i % 3000]);
    END LOOP;
END $$;
CREATE FUNCTION nothing_by_item(name text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k item[] := ARRAY(SELECT key FROM keys ORDER BY i);
    v item[] := ARRAY(SELECT jsonb_build_object(':s', (salt + i)::text, ':g', 'STATUS#S' || (salt + i))::item FROM salt() AS salt, generate_series(1, 3000) AS i);
    x item;
    y item;
BEGIN
    FOR i IN 1..n LOOP
        x := k[1 + i % 3000];
        y := v[1 + i % 3000];
    END LOOP;
END $$;

-- Bytes of WAL for each of n calls.
CREATE FUNCTION wal_of(call text, name text, n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before pg_lsn := pg_current_wal_insert_lsn();
BEGIN
    EXECUTE format('SELECT %I($1, $2)', call) USING name, n;
    RETURN (pg_current_wal_insert_lsn() - before)::bigint / n;
END $$;

-- Writes a marked item and waits until it is in the index; how long that took,
-- in milliseconds.
CREATE TABLE lags (name text, lag float8);
CREATE PROCEDURE probe(name text, n int) LANGUAGE plpgsql AS $$
DECLARE
    by_hand bool := name LIKE 'g_';
    mark text;
    written timestamptz;
    seen bool;
BEGIN
    FOR i IN 1..n LOOP
        mark := 'MARK#' || i || '#' || random();
        IF by_hand THEN
            EXECUTE format('INSERT INTO %I VALUES (''PROBE'', $1, jsonb_build_object(''GSI1PK'', $1, ''GSI1SK'', ''x''))', name) USING mark;
        ELSE
            PERFORM partitioning.put_item(name, jsonb_build_object('PK', 'PROBE', 'SK', mark, 'GSI1PK', mark, 'GSI1SK', 'x')::partitioning.item);
        END IF;
        COMMIT;
        written := clock_timestamp();
        LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I = $1)', name || CASE WHEN by_hand THEN '_gsi' ELSE '_index1' END,
                           CASE WHEN by_hand THEN 'gpk' ELSE 'pk' END) INTO seen USING mark;
            COMMIT;
            EXIT WHEN seen;
            PERFORM pg_sleep(0.0005);
        END LOOP;
        INSERT INTO lags VALUES (name, extract(epoch FROM clock_timestamp() - written) * 1000);
        COMMIT;
        PERFORM pg_sleep(0.02);
    END LOOP;
END $$;

-- Every table has had the same updates when it is measured, and has room for
-- more on its pages.
CREATE PROCEDURE warm() LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT table_name FROM partitioning.item_tables LOOP
        PERFORM move_by_item(name, 3000);
        COMMIT;
        PERFORM partitioning.flush_index(name, index_name) FROM partitioning.item_indexes WHERE table_name = name;
        COMMIT;
    END LOOP;
    FOREACH name IN ARRAY '{g0,ga,gb,gc}'::text[] LOOP
        PERFORM move_by_hand(name, 3000);
        COMMIT;
    END LOOP;
    CALL gc_worker(0, 500);
END $$;
