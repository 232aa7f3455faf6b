-- Loops in the server, for instruction counts: loop_<work>_<whose>(n) does the
-- work n times on keys made beforehand; loop_nothing(n) is the loop alone.
-- There are as many keys as calls at most, so that no key comes twice: a put of
-- what is there already would not be a put.
CREATE TABLE keys AS
SELECT row_number() OVER () AS i, pk, sk, part.put, part.key, part.prefix_values
FROM (SELECT pk, sk FROM hand_written WHERE sk LIKE 'ORDER#%'
      ORDER BY md5(pk || sk) LIMIT 3000) k,
    LATERAL (SELECT
        jsonb_build_object('PK', pk, 'SK', sk)::partitioning.item AS key,
        jsonb_build_object(':p', pk, ':s', 'ORDER#')::partitioning.item AS prefix_values,
        '{"orderId": "76d80224611fc919a5d5", "status": "PENDING", "amount": 431.25, "currency": "EUR", "qty": 3, "carrier": "COLISSIMO", "GSI1PK": "STATUS#PENDING#123", "GSI1SK": "2025-06-01T09:30:00.123456Z"}'::jsonb AS put) part;

-- The keys of one run; "fresh" keys are new in every run.
CREATE FUNCTION pks() RETURNS text[] LANGUAGE sql AS
    $$ SELECT array_agg(pk ORDER BY i) FROM keys $$;
CREATE FUNCTION sks(fresh bool) RETURNS text[] LANGUAGE sql AS
    $$ SELECT array_agg(CASE WHEN fresh THEN 'ORDER#2025-' || random() ELSE sk END ORDER BY i) FROM keys $$;
CREATE FUNCTION item_keys() RETURNS partitioning.item[] LANGUAGE sql AS
    $$ SELECT array_agg(key ORDER BY i) FROM keys $$;
CREATE FUNCTION items(fresh bool) RETURNS partitioning.item[] LANGUAGE sql AS
    $$ SELECT array_agg((put || jsonb_build_object('PK', pk, 'SK', CASE WHEN fresh THEN 'ORDER#2025-' || random() ELSE sk END))::partitioning.item ORDER BY i) FROM keys $$;

CREATE FUNCTION loop_nothing_by_hand(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text[] := pks(); s text[] := sks(false);
    a text; b text;
BEGIN
    FOR i IN 1..n LOOP
        a := p[1 + i % 3000];
        b := s[1 + i % 3000];
    END LOOP;
END $$;

CREATE FUNCTION loop_nothing_by_item(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k partitioning.item[] := item_keys();
    x partitioning.item;
BEGIN
    FOR i IN 1..n LOOP
        x := k[1 + i % 3000];
    END LOOP;
END $$;

CREATE FUNCTION loop_get_by_hand(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text[] := pks(); s text[] := sks(false);
    a text; b text; x jsonb;
BEGIN
    FOR i IN 1..n LOOP
        a := p[1 + i % 3000];
        b := s[1 + i % 3000];
        SELECT item INTO x FROM hand_written WHERE pk = a AND sk = b;
    END LOOP;
    IF n > 0 AND x IS NULL THEN RAISE 'nothing found'; END IF;
END $$;

CREATE FUNCTION loop_get_by_item(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k partitioning.item[] := item_keys();
    y partitioning.item; x partitioning.item;
BEGIN
    FOR i IN 1..n LOOP
        y := k[1 + i % 3000];
        x := partitioning.get_item('app', y);
    END LOOP;
    IF n > 0 AND x IS NULL THEN RAISE 'nothing found'; END IF;
END $$;

CREATE FUNCTION loop_put_by_hand(n int, fresh bool) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text[] := pks(); s text[] := sks(fresh); v jsonb := (SELECT put FROM keys LIMIT 1);
    a text; b text;
BEGIN
    FOR i IN 1..n LOOP
        a := p[1 + i % 3000];
        b := s[1 + i % 3000];
        INSERT INTO hand_written VALUES (a, b, v)
            ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;
    END LOOP;
END $$;

CREATE FUNCTION loop_put_by_item(n int, fresh bool) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v partitioning.item[] := items(fresh);
    y partitioning.item; x partitioning.item;
BEGIN
    FOR i IN 1..n LOOP
        y := v[1 + i % 3000];
        x := partitioning.put_item('app', y);
    END LOOP;
END $$;

CREATE FUNCTION loop_put_new_by_hand(n int) RETURNS void LANGUAGE sql AS
    $$ SELECT loop_put_by_hand(n, true) $$;
CREATE FUNCTION loop_put_new_by_item(n int) RETURNS void LANGUAGE sql AS
    $$ SELECT loop_put_by_item(n, true) $$;
CREATE FUNCTION loop_put_existing_by_hand(n int) RETURNS void LANGUAGE sql AS
    $$ SELECT loop_put_by_hand(n, false) $$;
CREATE FUNCTION loop_put_existing_by_item(n int) RETURNS void LANGUAGE sql AS
    $$ SELECT loop_put_by_item(n, false) $$;

CREATE FUNCTION loop_newest_by_hand(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text[] := pks(); s text[] := sks(false);
    a text; b text; r record; found int := 0;
BEGIN
    FOR i IN 1..n LOOP
        a := p[1 + i % 3000];
        b := s[1 + i % 3000];
        FOR r IN SELECT sk, item FROM hand_written
            WHERE pk = a AND sk >= 'ORDER#' AND sk < 'ORDER$'
            ORDER BY sk DESC LIMIT 10
        LOOP
            found := found + 1;
        END LOOP;
    END LOOP;
    IF found < 10 * n THEN RAISE 'found % of %', found, 10 * n; END IF;
END $$;

CREATE FUNCTION loop_newest_by_item(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v partitioning.item[] := (SELECT array_agg(prefix_values ORDER BY i) FROM keys);
    y partitioning.item; r record; found int := 0;
BEGIN
    FOR i IN 1..n LOOP
        y := v[1 + i % 3000];
        FOR r IN SELECT partitioning.query('app',
            'PK = :p AND begins_with(SK, :s)', y,
            scan_forward => false, max_items => 10)
        LOOP
            found := found + 1;
        END LOOP;
    END LOOP;
    IF found < 10 * n THEN RAISE 'found % of %', found, 10 * n; END IF;
END $$;
