-- Local indexes against the rows: whatever writes, reading by an index gives
-- what sorting the rows gives.
CREATE SCHEMA index_local_random;
SET search_path = index_local_random, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_local_index('app', 'byText', 't');
SELECT create_local_index('app', 'byNumber', 'n', '{"n": "N"}');
SELECT create_local_index('app', 'byBoth', 'both', templates => '{"both": "{t}/{n}/{SK}"}');
SELECT create_local_index('app', 'byTextToo', 't', projection => 'KEYS_ONLY');

-- One change: by an item function, or by plain SQL.
CREATE FUNCTION change(kind int, p text, s text, r int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t text := chr(97 + r % 5) || CASE WHEN r % 7 = 0 THEN 'ä' ELSE '' END;
    n numeric := (r % 11 - 5) * 0.5;
    attrs jsonb := jsonb_build_object('r', r);
BEGIN
    IF r % 3 <> 0 THEN attrs := attrs || jsonb_build_object('t', t); END IF;
    IF r % 4 <> 0 THEN attrs := attrs || jsonb_build_object('n', n); END IF;
    CASE kind
        WHEN 0, 1 THEN PERFORM put_item('app', attrs || jsonb_build_object('PK', p, 'SK', s));
        WHEN 2 THEN PERFORM update_item('app', jsonb_build_object('PK', p, 'SK', s), 'SET t = :t', jsonb_build_object(':t', t));
        WHEN 3 THEN PERFORM update_item('app', jsonb_build_object('PK', p, 'SK', s), 'ADD n :n REMOVE t', jsonb_build_object(':n', n));
        WHEN 4 THEN PERFORM update_item('app', jsonb_build_object('PK', p, 'SK', s), 'SET r = :r', jsonb_build_object(':r', r));
        WHEN 5 THEN PERFORM delete_item('app', jsonb_build_object('PK', p, 'SK', s));
        WHEN 6 THEN UPDATE app SET attributes = attrs WHERE pk = p AND sk = s;
        WHEN 7 THEN MERGE INTO app USING (VALUES (attrs::item)) AS new (attributes) ON pk = p AND sk = s
            WHEN MATCHED THEN UPDATE SET attributes = new.attributes WHEN NOT MATCHED THEN INSERT VALUES (p, s, new.attributes);
        WHEN 8 THEN PERFORM batch_write('app', ARRAY[(attrs || jsonb_build_object('PK', p, 'SK', s))::item]);
        WHEN 9 THEN PERFORM transact_write(ARRAY[(jsonb_build_object('put', jsonb_build_object('table', 'app', 'item', attrs || jsonb_build_object('PK', p, 'SK', s))))::item]);
        WHEN 10 THEN
            BEGIN
                PERFORM put_item('app', attrs || jsonb_build_object('PK', p, 'SK', s));
                RAISE EXCEPTION 'undo';
            EXCEPTION WHEN raise_exception THEN
                NULL;
            END;
        ELSE DELETE FROM app WHERE pk = p AND sk = s;
    END CASE;
END $$;

-- Differences between reading by index and sorting rows, for all partitions.
CREATE FUNCTION differences() RETURNS TABLE (index_name text, n bigint) LANGUAGE sql AS $$
    WITH p AS (SELECT 'p' || i AS pk FROM generate_series(0, 4) i),
    read AS (
        SELECT i.name, p.pk, array_agg(item_text(q.item, 'SK') ORDER BY q.o) AS sks
        FROM p, (VALUES ('byText'), ('byNumber'), ('byBoth'), ('byTextToo')) AS i (name),
            query('app', 'PK = :p', jsonb_build_object(':p', p.pk), i.name) WITH ORDINALITY AS q (item, o)
        GROUP BY 1, 2),
    sorted AS (
        SELECT 'byText' AS name, pk, array_agg(sk ORDER BY attributes->>'t' COLLATE "C", sk) AS sks FROM app WHERE attributes ? 't' GROUP BY 2
        UNION ALL SELECT 'byTextToo', pk, array_agg(sk ORDER BY attributes->>'t' COLLATE "C", sk) FROM app WHERE attributes ? 't' GROUP BY 2
        UNION ALL SELECT 'byNumber', pk, array_agg(sk ORDER BY (attributes->>'n')::numeric, sk) FROM app WHERE attributes ? 'n' GROUP BY 2
        UNION ALL SELECT 'byBoth', pk, array_agg(sk ORDER BY (attributes->>'t') || '/' || (attributes->>'n') || '/' || sk COLLATE "C") FROM app WHERE attributes ? 't' AND attributes ? 'n' GROUP BY 2)
    SELECT i.name, count(*) FILTER (WHERE r.sks IS DISTINCT FROM s.sks)
    FROM (VALUES ('byText'), ('byNumber'), ('byBoth'), ('byTextToo')) AS i (name)
    LEFT JOIN (read r FULL JOIN sorted s USING (name, pk)) USING (name)
    GROUP BY 1 ORDER BY 1;
$$;

SELECT setseed(0.42);
DO $$ BEGIN
    FOR i IN 1..3000 LOOP
        PERFORM change((random() * 11)::int, 'p' || (random() * 4)::int, 's' || (random() * 30)::int, (random() * 1000)::int);
    END LOOP;
END $$;
SELECT count(*) > 50 AS filled FROM app;
SELECT * FROM differences();
-- As many entries as rows with the attribute, in each index.
SELECT (SELECT count(*) FROM scan('app', 'byText')) - count(*) FILTER (WHERE attributes ? 't') AS text,
    (SELECT count(*) FROM scan('app', 'byNumber')) - count(*) FILTER (WHERE attributes ? 'n') AS number
FROM app;
-- The column is what the expression says.
SELECT count(*) FROM app WHERE t IS DISTINCT FROM (attributes->>'t') OR n IS DISTINCT FROM (attributes->>'n')::numeric;

-- The same with a further column, so that the executor writes.
ALTER TABLE app ADD COLUMN extra int DEFAULT 7;
DO $$ BEGIN
    FOR i IN 1..2000 LOOP
        PERFORM change((random() * 11)::int, 'p' || (random() * 4)::int, 's' || (random() * 30)::int, (random() * 1000)::int);
    END LOOP;
END $$;
SELECT * FROM differences();
SELECT count(*) FROM app WHERE t IS DISTINCT FROM (attributes->>'t') OR n IS DISTINCT FROM (attributes->>'n')::numeric;
-- And after the indexes have been made anew.
REINDEX TABLE app;
SELECT * FROM differences();
SELECT drop_index('app', 'byText');
SELECT create_local_index('app', 'byText', 't');
SELECT * FROM differences();
DROP TABLE app;
DROP FUNCTION change, differences;
DROP SCHEMA index_local_random;
