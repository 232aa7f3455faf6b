-- Looking up keys of all lengths, which index entries hold in several ways:
-- with a short and a long header, aligned and not, compressed.  This is a btree's.
CREATE SCHEMA store_entry;
SET search_path = store_entry, partitioning;
SET partitioning.index_method = btree;

CREATE FUNCTION value(len int, salt int, packs boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT substr(CASE WHEN packs THEN repeat(salt::text, len)
        ELSE (SELECT string_agg(md5(salt || ' ' || i), '' ORDER BY i) FROM generate_series(0, len / 32) AS i) END, 1, len)
$$;

-- Partition keys of some lengths, each with sort keys of all of these lengths;
-- nbtree takes no more than 2704 bytes of both.
CREATE TABLE lengths AS
SELECT p.len AS plen, s.len AS slen, packs, salt
FROM unnest('{1, 7, 8, 125, 126, 127, 128, 129, 600, 1500}'::int[]) AS p (len),
    unnest('{1, 2, 3, 4, 5, 6, 7, 8, 124, 125, 126, 127, 128, 129, 505, 509, 1000}'::int[]) AS s (len),
    (VALUES (true), (false)) AS k (packs), generate_series(1, 3) AS salt;

-- strings
SELECT create_table('strings', 'pk', 'sk');
INSERT INTO strings
SELECT value(plen, 7, packs), value(slen, salt, packs), '{}' FROM lengths
ON CONFLICT DO NOTHING;
SELECT count(*) > 500 AS many, count(*) FILTER (WHERE octet_length(pk) > 1000) > 50 AS long FROM strings;

-- each is found, and nothing beside it
SELECT count(*) AS rows, count(*) FILTER (WHERE get_item('strings', item_of(t)) = item_of(t)) AS found FROM strings AS t;
SELECT count(*) FROM strings AS t
WHERE get_item('strings', jsonb_build_object('pk', pk, 'sk', sk || '!')::item) IS NOT NULL
    OR get_item('strings', jsonb_build_object('pk', pk || '!', 'sk', sk)::item) IS NOT NULL
    OR get_item('strings', jsonb_build_object('pk', pk, 'sk', substr(sk, 2) || '!')::item) IS NOT NULL;

-- a batch looks each up on the page of the one before
SELECT count(*), count(DISTINCT i) FROM batch_get('strings', (SELECT array_agg(item_of(t)) FROM strings AS t)) AS i;

-- binaries
SELECT create_table('binaries', 'pk', 'sk', attribute_types => '{"pk": "B", "sk": "B"}');
INSERT INTO binaries
SELECT decode(md5(pk), 'hex') || convert_to(pk, 'UTF8'), '\x00'::bytea || convert_to(sk, 'UTF8'), '{}' FROM strings
WHERE octet_length(pk) + octet_length(sk) < 2000;
SELECT count(*) AS rows, count(*) FILTER (WHERE get_item('binaries', item_of(t)) = item_of(t)) AS found FROM binaries AS t;

-- numbers, which no bytes of theirs put into order
SELECT create_table('numbers', 'pk', 'sk', attribute_types => '{"pk": "N", "sk": "N"}');
INSERT INTO numbers SELECT i % 3 - 1, (i - 50) * 10 ^ (i % 7 - 3)::numeric, '{}' FROM generate_series(1, 99) AS i
ON CONFLICT DO NOTHING;
SELECT count(*) AS rows, count(*) FILTER (WHERE get_item('numbers', item_of(t)) = item_of(t)) AS found FROM numbers AS t;

-- a string and a number
SELECT create_table('mixed', 'pk', 'sk', attribute_types => '{"sk": "N"}');
INSERT INTO mixed SELECT 'p', i, '{}' FROM generate_series(-20, 20) AS i;
SELECT count(*) AS rows, count(*) FILTER (WHERE get_item('mixed', item_of(t)) = item_of(t)) AS found FROM mixed AS t;

DROP SCHEMA store_entry CASCADE;
