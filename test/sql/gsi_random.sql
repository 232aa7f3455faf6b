-- Random writes of every kind, to tables and indexes of every shape, leave no
-- difference between them.
SET search_path = public, partitioning;
CREATE FUNCTION key_value(type text, n int) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE type WHEN 'S' THEN to_jsonb('v' || n) WHEN 'N' THEN to_jsonb(n * 3 - 7.5)
           ELSE jsonb_build_object('$binary', encode(decode(lpad(n::text, 2, '0') || '00', 'hex'), 'base64')) END
$$;
-- some attributes of a random item, few values of each
CREATE FUNCTION random_attributes(types text[]) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(jsonb_object_agg(a, key_value(types[i], (random() * 4)::int)) FILTER (WHERE random() < 0.7), '{}')
           || jsonb_build_object('x', (random() * 3)::int, 'y', repeat('y', 1 + (random() * 2)::int))
    FROM unnest(ARRAY['g', 'h']) WITH ORDINALITY AS u (a, i)
$$;
CREATE PROCEDURE random_writes(table_name text, has_sk bool, base_types text[], types text[], n int) LANGUAGE plpgsql AS $$
DECLARE
    key jsonb;
    item jsonb;
    cond text;
BEGIN
    FOR i IN 1..n LOOP
        key := jsonb_build_object('pk', key_value(base_types[1], (random() * 7)::int));
        IF has_sk THEN
            key := key || jsonb_build_object('sk', key_value(base_types[2], (random() * 3)::int));
        END IF;
        item := random_attributes(types);
        -- a subtransaction that sometimes goes back
        BEGIN
            CASE (random() * 8)::int
                WHEN 0 THEN
                    PERFORM delete_item(table_name, key);
                WHEN 1 THEN
                    PERFORM update_item(table_name, key, 'SET g = :g REMOVE h', jsonb_build_object(':g', key_value(types[1], (random() * 4)::int)));
                WHEN 2 THEN
                    PERFORM update_item(table_name, key, 'SET x = :x', '{":x": 9}');
                WHEN 3 THEN
                    EXECUTE format('UPDATE %I SET attributes = $1 WHERE random() < 0.2', table_name) USING item::item;
                WHEN 4 THEN
                    EXECUTE format('DELETE FROM %I WHERE random() < 0.1', table_name);
                ELSE
                    PERFORM put_item(table_name, key || item);
            END CASE;
            IF random() < 0.2 THEN
                RAISE division_by_zero;
            END IF;
        EXCEPTION WHEN division_by_zero THEN
            NULL;
        END;
        IF random() < 0.1 THEN
            COMMIT;
        END IF;
    END LOOP;
END $$;

SELECT setseed(0.4);
DO $$
DECLARE
    name text;
    types text[];
BEGIN
    FOR base IN 1..6 LOOP
        name := 'base' || base;
        types := (ARRAY['{S,N}', '{N,B}', '{B,S}'])[1 + base % 3];
        PERFORM create_table(name, 'pk', CASE WHEN base <= 3 THEN 'sk' END,
                             CASE WHEN base <= 3 THEN jsonb_build_object('pk', types[1], 'sk', types[2]) ELSE jsonb_build_object('pk', types[1]) END);
        FOR i IN 1..2 LOOP
            -- the second time on a table that has items
            IF i = 2 THEN
                CALL random_writes(name, base <= 3, types, ARRAY[types[2], types[1]], 30);
            END IF;
            PERFORM create_global_index(name, 'full' || i, 'g', 'h', jsonb_build_object('g', types[2], 'h', types[1]), propagation => 'sync');
            PERFORM create_global_index(name, 'keys' || i, 'g', projection => 'KEYS_ONLY', propagation => 'sync');
            PERFORM create_global_index(name, 'some' || i, 'h', 'pk', projection => 'INCLUDE', include => '{x,g}', propagation => 'sync');
            PERFORM create_global_index(name, 'many' || i, partition_keys => '{h,pk}', sort_keys => '{g,x}', attribute_types => '{"x": "N"}',
                                        propagation => 'sync');
            PERFORM create_global_index(name, 'made' || i, 'y', 'hx', templates => '{"hx": "{x}-{y}"}', projection => 'KEYS_ONLY',
                                        propagation => 'sync');
        END LOOP;
    END LOOP;
END $$;
DO $$
DECLARE
    types text[];
BEGIN
    FOR base IN 1..6 LOOP
        types := (ARRAY['{S,N}', '{N,B}', '{B,S}'])[1 + base % 3];
        CALL random_writes('base' || base, base <= 3, types, ARRAY[types[2], types[1]], 400);
    END LOOP;
END $$;
SELECT table_name, index_name, v.* FROM item_indexes, verify_index(table_name, index_name) AS v;
-- they are not all empty, and hold what a table holds that was made at once
SELECT sum((SELECT count(*) FROM scan(table_name, index_name))) > 100 AS filled FROM item_indexes;
SELECT rebuild_index(table_name, index_name) FROM item_indexes WHERE index_name LIKE '%1' \g /dev/null
SELECT table_name, index_name, v.* FROM item_indexes, verify_index(table_name, index_name) AS v;
SELECT a.table_name, a.index_name
FROM item_indexes AS a JOIN item_indexes AS b ON a.table_name = b.table_name AND a.index_name = left(b.index_name, 4) || '1'
WHERE b.index_name LIKE '%2' AND ARRAY(SELECT i::text FROM scan(a.table_name, a.index_name) AS i) <> ARRAY(SELECT i::text FROM scan(b.table_name, b.index_name) AS i);
DO $$
BEGIN
    FOR base IN 1..6 LOOP
        PERFORM drop_table('base' || base);
    END LOOP;
END $$;
DROP PROCEDURE random_writes;
DROP FUNCTION random_attributes, key_value;
