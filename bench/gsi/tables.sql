-- Item tables that are equal but for their global indexes:
--
--   none             none
--   async_1, 5, 20   so many asynchronous ones, of which the first is on the key
--                    that changes, with all attributes; one in five is on another
--                    attribute that changes, with keys alone
--   sync_1, 5, 20    the same, synchronous
--   keys_1, 5, 20    asynchronous ones with keys alone, on other attributes
ALTER DATABASE bench SET search_path = public, partitioning;
SET search_path = public, partitioning;
SET partitioning.index_method = :'method';
CREATE FUNCTION make(name text, indexes int, propagation text, keys_only bool) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    other text[] := '{carrier,currency,orderId}';
BEGIN
    PERFORM create_table(name, 'PK', 'SK');
    EXECUTE format('INSERT INTO %I SELECT pk, sk, item::item FROM g0', name);
    FOR i IN 1..indexes LOOP
        IF NOT keys_only AND i = 1 THEN
            PERFORM create_global_index(name, 'index1', 'GSI1PK', 'GSI1SK', propagation => propagation);
        ELSIF NOT keys_only AND i % 5 = 0 THEN
            PERFORM create_global_index(name, 'index' || i, 'status', 'GSI1SK', projection => 'KEYS_ONLY', propagation => propagation);
        ELSE
            PERFORM create_global_index(name, 'index' || i, other[1 + i % 3], 'GSI1SK', projection => 'KEYS_ONLY', propagation => propagation);
        END IF;
    END LOOP;
END $$;
SELECT make('none', 0, 'sync', false), make('async_1', 1, 'async', false), make('async_5', 5, 'async', false), make('async_20', 20, 'async', false),
    make('sync_1', 1, 'sync', false), make('sync_5', 5, 'sync', false), make('sync_20', 20, 'sync', false),
    make('keys_1', 1, 'async', true), make('keys_5', 5, 'async', true), make('keys_20', 20, 'async', true);
SELECT flush_index(table_name, index_name) FROM item_indexes;
VACUUM (ANALYZE, FREEZE);
