-- Ordered reading: ranges, both directions, pages, segments, partitions.
CREATE SCHEMA scan_range;
SET search_path = scan_range;
SELECT partitioning.create_table('plain', 'PK', 'SK');
CREATE TABLE parts (
    pk text COLLATE "C" NOT NULL,
    sk text COLLATE "C" NOT NULL,
    attributes partitioning.item NOT NULL
) PARTITION BY HASH (pk);
-- partitions of other column orders
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE parts_1 (attributes partitioning.item NOT NULL, junk int, sk text COLLATE "C" NOT NULL, pk text COLLATE "C" NOT NULL);
ALTER TABLE parts_1 DROP COLUMN junk;
ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE parts_3 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 3);
SELECT partitioning.register_table('parts', 'PK', 'SK');

SELECT count(partitioning.put_item(t, jsonb_build_object('PK', 'p' || i / 10, 'SK', to_char(i, 'FM000'), 'i', i)))
    FROM generate_series(0, 499) i, unnest(ARRAY['plain', 'parts']) t;
-- every row is in the partition where SQL looks for it, and is replaced there
SELECT count(*) FROM parts WHERE pk = 'p7';
SELECT count(partitioning.put_item('parts', jsonb_build_object('PK', 'p' || i / 10, 'SK', to_char(i, 'FM000'), 'i', -i)))
    FROM generate_series(0, 499) i;
SELECT count(*), count(DISTINCT tableoid), sum(partitioning.item_number(attributes, 'i')) FROM parts;

-- one partition key, bounds of all kinds, both directions
CREATE FUNCTION keys(table_name text, condition text, key_values partitioning.item, forward bool = true, page int = NULL, start partitioning.item = NULL)
RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(partitioning.item_text(q, 'SK'), ' ')
        FROM partitioning.query(table_name, condition, key_values, scan_forward => forward, max_items => page, start_key => start) q
$$;
SELECT t, keys(t, 'PK = :p', '{":p": "p7"}') FROM unnest(ARRAY['plain', 'parts']) t;
SELECT t, keys(t, 'PK = :p', '{":p": "p7"}', false) FROM unnest(ARRAY['plain', 'parts']) t;
SELECT c, keys('parts', 'PK = :p AND ' || c, '{":p": "p7", ":a": "073"}'), keys('parts', 'PK = :p AND ' || c, '{":p": "p7", ":a": "073"}', false)
    FROM unnest(ARRAY['SK = :a', 'SK < :a', 'SK <= :a', 'SK > :a', 'SK >= :a']) c;
SELECT keys('parts', 'PK = :p AND SK BETWEEN :a AND :b', '{":p": "p7", ":a": "072", ":b": "075"}');
SELECT keys('parts', 'PK = :p AND begins_with(SK, :a)', '{":p": "p7", ":a": "07"}', false, 3);
SELECT keys('parts', 'PK = :p', '{":p": "nowhere"}');
-- after a start key, which need not exist, within bounds
SELECT keys('parts', 'PK = :p', '{":p": "p7"}', true, 3, '{"PK": "p7", "SK": "075"}'),
    keys('parts', 'PK = :p', '{":p": "p7"}', false, 3, '{"PK": "p7", "SK": "075"}'),
    keys('parts', 'PK = :p', '{":p": "p7"}', true, 3, '{"PK": "p7", "SK": "0755"}'),
    keys('parts', 'PK = :p', '{":p": "p7"}', true, 3, '{"PK": "p7", "SK": "079"}'),
    keys('parts', 'PK = :p AND SK > :a', '{":p": "p7", ":a": "073"}', true, 3, '{"PK": "p7", "SK": "075"}');

-- the whole table in one go, in pages of every size, in segments of any number
CREATE FUNCTION whole(table_name text, segment int = NULL, segments int = NULL) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(partitioning.item_text(s, 'SK')) FROM partitioning.scan(table_name, segment => segment, total_segments => segments) s
$$;
CREATE FUNCTION paged(table_name text, page int, segment int = NULL, segments int = NULL) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
    more text[];
    last partitioning.item;
BEGIN
    LOOP
        SELECT array_agg(partitioning.item_text(i, 'SK')), p.last_evaluated_key INTO more, last
            FROM partitioning.scan_page(table_name, segment => segment, total_segments => segments, max_items => page, start_key => last) p
                LEFT JOIN LATERAL unnest(p.items) i ON true
            GROUP BY p.last_evaluated_key;
        result := result || more;
        EXIT WHEN last IS NULL;
    END LOOP;
    RETURN array_remove(result, NULL);
END $$;
SELECT t, cardinality(whole(t)), (SELECT count(DISTINCT k) FROM unnest(whole(t)) k) FROM unnest(ARRAY['plain', 'parts']) t;
SELECT t, page, paged(t, page) = whole(t) FROM unnest(ARRAY['plain', 'parts']) t, unnest(ARRAY[1, 7, 10, 499, 500, 501]) page;
SELECT t, n, sum(cardinality(whole(t, s, n))), bool_and(coalesce(paged(t, 7, s, n) = whole(t, s, n), whole(t, s, n) IS NULL))
    FROM unnest(ARRAY['plain', 'parts']) t, unnest(ARRAY[1, 2, 3, 64]) n, LATERAL generate_series(0, n - 1) s
    GROUP BY t, n ORDER BY t, n;

-- a table without sort key
SELECT partitioning.create_table('single', 'PK');
SELECT count(partitioning.put_item('single', jsonb_build_object('PK', 'p' || i))) FROM generate_series(1, 50) i;
SELECT count(*) FROM partitioning.scan('single');
SELECT count(*) FROM partitioning.scan('single', start_key => (SELECT last_evaluated_key FROM partitioning.scan_page('single', max_items => 20)));
SELECT partitioning.query('single', 'PK = :p', '{":p": "p7"}');
SELECT partitioning.query('single', 'PK = :p', '{":p": "p7"}', start_key => '{"PK": "p7"}');

-- read as far as is asked for, from a cursor, with writes in between: the
-- scan keeps its snapshot
BEGIN;
DECLARE c CURSOR FOR SELECT partitioning.query('parts', 'PK = :p', '{":p": "p7"}');
FETCH 2 FROM c;
SELECT partitioning.delete_item('parts', '{"PK": "p7", "SK": "073"}');
SELECT partitioning.put_item('parts', '{"PK": "p7", "SK": "0725"}');
FETCH 3 FROM c;
CLOSE c;
SELECT keys('parts', 'PK = :p AND begins_with(SK, :a)', '{":p": "p7", ":a": "07"}');
-- an error in between
SAVEPOINT s;
SELECT partitioning.item_text(partitioning.scan('parts'), 'SK')::int / (i - 5) FROM generate_series(1, 10) i;
ROLLBACK TO s;
SELECT partitioning.scan('parts') LIMIT 1;
ROLLBACK;

-- triggers of a partitioned table: statement triggers of the named table, row
-- triggers of the leaf, transition tables in the form of the named table
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE '% % % on %', tg_when, tg_op, tg_level, tg_table_name;
    RETURN NULL;
END $$;
CREATE FUNCTION tell_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE '% of %', tg_op, (SELECT string_agg(r::text, ', ') FROM rows r);
    RETURN NULL;
END $$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON parts FOR EACH STATEMENT EXECUTE FUNCTION tell();
CREATE TRIGGER b AFTER INSERT OR UPDATE OR DELETE ON parts FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER c AFTER INSERT ON parts REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION tell_rows();
CREATE TRIGGER d AFTER DELETE ON parts REFERENCING OLD TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION tell_rows();
SELECT tableoid::regclass FROM parts WHERE pk IN ('p7', 'p9') GROUP BY pk, 1 ORDER BY pk;
SELECT partitioning.put_item('parts', '{"PK": "p7", "SK": "x", "y": 1}');
SELECT partitioning.put_item('parts', '{"PK": "p9", "SK": "x", "y": 1}');
SELECT partitioning.put_item('parts', '{"PK": "p9", "SK": "x", "y": 2}');
SELECT partitioning.delete_item('parts', '{"PK": "p9", "SK": "x"}');

-- a key without partition
DROP TRIGGER b ON parts;
SELECT tableoid::regclass AS leaf FROM parts WHERE pk = 'p7' LIMIT 1 \gset
ALTER TABLE parts DETACH PARTITION :leaf;
SELECT partitioning.get_item('parts', '{"PK": "p7", "SK": "x"}');
SELECT partitioning.put_item('parts', '{"PK": "p7", "SK": "x"}');

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA scan_range CASCADE;
