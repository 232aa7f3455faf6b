# Global indexes of every shape (with and without sort key, keys of all types,
# all projections) on tables of every shape: 10,000 random writes on each table,
# by item functions, plain SQL, COPY and MERGE in turn, most of them to items
# that tie on the index key, leave no difference, and pages give every entry
# once in either direction.
#
# GSI_SEED=... repeats a run.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $writes = 10_000;
my @propagations = ('sync', 'async');
my $seed = $ENV{GSI_SEED} // sprintf('%.6f', rand(1));
note "GSI_SEED=$seed";

my $node = new_node('shapes', conf => "fsync = off\nautovacuum = off");
my $file = PostgreSQL::Test::Utils::tempdir . '/rows';
make_database($node, 'app');

# Values of key attributes: of type S, N or B, as an item's and as SQL's.
# Attributes g_S, g_N, g_B and h_S, h_N, h_B are keys of indexes; nine in ten
# items that have one have the same value.
$node->safe_psql('app', <<'END');
CREATE FUNCTION item_value(type text, n int) RETURNS jsonb IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE type WHEN 'S' THEN to_jsonb('v' || n) WHEN 'N' THEN to_jsonb(n * 1.5 - 3)
           ELSE jsonb_build_object('$binary', encode(decode(lpad(n::text, 4, '0'), 'hex'), 'base64')) END
$$;
CREATE FUNCTION sql_value(type text, expression text) RETURNS text LANGUAGE sql AS $$
    SELECT format(CASE type WHEN 'S' THEN '(''v'' || %s)' WHEN 'N' THEN '(%s * 1.5 - 3)' ELSE 'decode(lpad((%s)::text, 4, ''0''), ''hex'')' END, expression)
$$;
CREATE FUNCTION random_attributes() RETURNS jsonb VOLATILE LANGUAGE sql AS $$
    SELECT jsonb_object_agg(name || '_' || type, item_value(type, CASE WHEN random() < 0.9 THEN 0 ELSE (random() * 5)::int END)) FILTER (WHERE random() < 0.9)
           || jsonb_build_object('x', (random() * 3)::int, 'y', repeat('y', (random() * 40)::int))
    FROM unnest('{g,h}'::text[]) AS name, unnest('{S,N,B}'::text[]) AS type
$$;

-- the key of one random item, of 300
CREATE FUNCTION random_key(types text[]) RETURNS jsonb VOLATILE LANGUAGE sql AS $$
    SELECT CASE cardinality(types) WHEN 1 THEN jsonb_build_object('pk', item_value(types[1], (random() * 299)::int))
           ELSE jsonb_build_object('pk', item_value(types[1], (random() * 14)::int), 'sk', item_value(types[2], (random() * 19)::int)) END
$$;

-- SELECT of up to n random rows of a table
CREATE FUNCTION random_rows(types text[], n int) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT k.*, random_attributes()::item AS attributes FROM (SELECT DISTINCT %s FROM generate_series(1, %s)) AS k',
                  CASE cardinality(types) WHEN 1 THEN sql_value(types[1], '(random() * 299)::int') || ' AS pk'
                  ELSE sql_value(types[1], '(random() * 14)::int') || ' AS pk, ' || sql_value(types[2], '(random() * 19)::int') || ' AS sk' END, n)
$$;

CREATE FUNCTION write_items(name text, types text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    key jsonb := random_key(types);
    attributes jsonb := random_attributes();
    g text := 'g_' || (ARRAY['S', 'N', 'B'])[1 + (random() * 2)::int];
    item item;
BEGIN
    CASE (random() * 9)::int
        WHEN 0, 1, 2 THEN
            PERFORM put_item(name, key || attributes);
        WHEN 3 THEN             -- to another key of the index
            PERFORM update_item(name, key, format('SET %s = :g', g), jsonb_build_object(':g', item_value(right(g, 1), (random() * 9)::int)));
        WHEN 4 THEN             -- not to another key
            PERFORM update_item(name, key, 'SET x = :x, z = :z', jsonb_build_object(':x', (random() * 3)::int, ':z', random()::text));
        WHEN 5 THEN
            PERFORM delete_item(name, key);
        WHEN 6 THEN             -- and again
            PERFORM delete_item(name, key), put_item(name, key || attributes);
            RETURN 2;
        WHEN 7 THEN
            PERFORM update_item(name, key, format('REMOVE %s', g));
        WHEN 8 THEN             -- there and back
            item := get_item(name, key);
            IF item_has(item, g) THEN
                PERFORM update_item(name, key, format('SET %s = :g', g), jsonb_build_object(':g', item_value(right(g, 1), 7))),
                        update_item(name, key, format('SET %s = :g', g), jsonb_build_object(':g', item -> g));
                RETURN 2;
            END IF;
            PERFORM put_item(name, key || attributes);
        ELSE
            PERFORM batch_write(name, ARRAY(SELECT random_key(types) || random_attributes() FROM generate_series(1, 1))::item[]);
    END CASE;
    RETURN 1;
END $$;

CREATE FUNCTION write_rows(name text, types text[], file text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    keys text := CASE cardinality(types) WHEN 1 THEN 't.pk = r.pk' ELSE 't.pk = r.pk AND t.sk = r.sk' END;
    columns text := CASE cardinality(types) WHEN 1 THEN 'pk, attributes' ELSE 'pk, sk, attributes' END;
    n int;
    deleted int;
BEGIN
    CASE (random() * 7)::int
        WHEN 0 THEN
            EXECUTE format('INSERT INTO %1$I (%2$s) SELECT r.* FROM (%3$s) AS r WHERE NOT EXISTS (SELECT FROM %1$I AS t WHERE %4$s)', name, columns, random_rows(types, 20), keys);
        WHEN 1 THEN
            EXECUTE format('UPDATE %I AS t SET attributes = r.attributes FROM (%s) AS r WHERE %s', name, random_rows(types, 20), keys);
        WHEN 2 THEN             -- nothing of most indexes
            EXECUTE format('UPDATE %I AS t SET attributes = t.attributes || ''{"x": 2, "w": 3}'' FROM (%s) AS r WHERE %s', name, random_rows(types, 20), keys);
        WHEN 3 THEN
            EXECUTE format('DELETE FROM %I AS t USING (%s) AS r WHERE %s', name, random_rows(types, 5), keys);
        WHEN 4, 5 THEN
            EXECUTE format('MERGE INTO %I AS t USING (%s) AS r ON %s WHEN MATCHED AND random() < 0.2 THEN DELETE WHEN MATCHED THEN UPDATE SET attributes = r.attributes WHEN NOT MATCHED THEN INSERT (%s) VALUES (r.%s)',
                           name, random_rows(types, 20), keys, columns, replace(columns, ' ', ' r.'));
        ELSE
            EXECUTE format('COPY (%s) TO %L', random_rows(types, 20), file);
            EXECUTE format('CREATE TEMPORARY TABLE rows ON COMMIT DROP AS SELECT %s FROM %I LIMIT 0', columns, name);
            EXECUTE format('COPY rows FROM %L', file);
            EXECUTE format('DELETE FROM %I AS t USING rows AS r WHERE %s', name, keys);
            GET DIAGNOSTICS deleted = ROW_COUNT;
            EXECUTE format('COPY %I (%s) FROM %L', name, columns, file);
            GET DIAGNOSTICS n = ROW_COUNT;
            DROP TABLE rows;
            RETURN n + deleted;
    END CASE;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- half of the writes by item functions; one in ten is undone
CREATE PROCEDURE write_randomly(name text, types text[], file text, writes int) LANGUAGE plpgsql AS $$
DECLARE
    by_items int := 0;
    by_rows int := 0;
BEGIN
    WHILE by_items + by_rows < writes LOOP
        BEGIN
            IF by_items <= by_rows THEN
                by_items := by_items + write_items(name, types);
            ELSE
                by_rows := by_rows + write_rows(name, types, file);
            END IF;
            IF random() < 0.1 THEN
                RAISE division_by_zero;
            END IF;
        EXCEPTION WHEN division_by_zero THEN
            NULL;
        END;
        IF random() < 0.05 THEN
            COMMIT;
        END IF;
    END LOOP;
END $$;

-- What an index must hold, by other means than the extension's: the items with
-- its keys, with what it projects.
CREATE FUNCTION expected(name text, types text[], index_row partitioning.item_indexes) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    keys text[] := index_row.partition_keys || index_row.sort_keys;
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT CASE $1 WHEN ''ALL'' THEN i ELSE (SELECT jsonb_object_agg(key, value)::item FROM jsonb_each(i::jsonb) WHERE key = ANY ($2)) END::text
         FROM (SELECT item_of(t) AS i FROM %I AS t) AS items WHERE i::jsonb ?& $3', name)
        USING index_row.projection, keys || '{pk,sk}'::text[] || index_row.include, keys;
END $$;
CREATE FUNCTION differences(name text, types text[]) RETURNS TABLE (index_name text, problem text) LANGUAGE sql AS $$
    SELECT i.index_name, v.problem FROM item_indexes AS i, verify_index(name, i.index_name) AS v WHERE table_name = name
    UNION ALL
    SELECT i.index_name, 'not expected: ' || e FROM item_indexes AS i,
        LATERAL (SELECT s::text FROM scan(name, i.index_name) AS s EXCEPT ALL SELECT expected(name, types, i)) AS d (e) WHERE table_name = name
    UNION ALL
    SELECT i.index_name, 'expected: ' || e FROM item_indexes AS i,
        LATERAL (SELECT expected(name, types, i) EXCEPT ALL SELECT s::text FROM scan(name, i.index_name) AS s) AS d (e) WHERE table_name = name
$$;

-- Pages of 7 through the entries with the commonest key.
CREATE FUNCTION page_through(name text, index_row partitioning.item_indexes, forward bool) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    condition text := index_row.partition_keys[1] || ' = :g' || CASE WHEN index_row.sort_keys <> '{}' THEN ' AND ' || index_row.sort_keys[1] || ' = :h' ELSE '' END;
    vals item := jsonb_build_object(':g', item_value(right(index_row.partition_keys[1], 1), 0)) ||
        CASE WHEN index_row.sort_keys <> '{}' THEN jsonb_build_object(':h', item_value(right(index_row.sort_keys[1], 1), 0)) ELSE '{}' END;
    page record;
    start item;
    result text[] := '{}';
BEGIN
    LOOP
        SELECT * INTO page FROM query_page(name, condition, vals, index_row.index_name, max_items => 7, scan_forward => forward,
                                           start_key => start);
        start := page.last_evaluated_key;
        result := result || ARRAY(SELECT i::text FROM unnest(page.items) AS i);
        EXIT WHEN start IS NULL;
    END LOOP;
    RETURN result;
END $$;
CREATE FUNCTION wrong_pages(name text, types text[]) RETURNS TABLE (index_name text, wrong text) LANGUAGE plpgsql AS $$
DECLARE
    i item_indexes;
    pages text[];
    entries text[];
BEGIN
    FOR i IN SELECT * FROM item_indexes WHERE table_name = name LOOP
        index_name := i.index_name;
        pages := page_through(name, i, true);
        entries := ARRAY(SELECT e FROM expected(name, types, i) AS e
                         WHERE e::item::jsonb @> (jsonb_build_object(i.partition_keys[1], item_value(right(i.partition_keys[1], 1), 0)) ||
                                CASE WHEN i.sort_keys <> '{}' THEN jsonb_build_object(i.sort_keys[1], item_value(right(i.sort_keys[1], 1), 0)) ELSE '{}' END)
                         ORDER BY e COLLATE "C");
        IF cardinality(entries) < 100 THEN
            wrong := 'only ' || cardinality(entries) || ' entries';
            RETURN NEXT;
        END IF;
        IF ARRAY(SELECT p FROM unnest(pages) AS p ORDER BY p COLLATE "C") <> entries THEN
            wrong := 'pages: ' || cardinality(pages) || ', entries: ' || cardinality(entries);
            RETURN NEXT;
        END IF;
        IF ARRAY(SELECT p FROM unnest(page_through(name, i, false)) WITH ORDINALITY AS u (p, o) ORDER BY o DESC) <> pages THEN
            wrong := 'backward is not forward reversed';
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
END

my %next = (S => 'N', N => 'B', B => 'S');
my $number = 0;
foreach my $propagation (@propagations)
{
	foreach my $type (sort keys %next)
	{
		foreach my $has_sort (0, 1)
		{
			my $name = "base_$number";
			my $types = $has_sort ? "{$type,$next{$type}}" : "{$type}";
			my $sort = $has_sort ? "'sk'" : 'NULL';
			my $table_seed = $seed * ++$number / 12;

			$node->safe_psql('app', <<"END");
SELECT create_table('$name', 'pk', $sort, jsonb_build_object('pk', '$type') || CASE WHEN $has_sort = 1 THEN jsonb_build_object('sk', '$next{$type}') ELSE '{}' END);
SELECT create_global_index('$name', concat_ws('_', t, s, left(p, 1)), 'g_' || t, 'h_' || s,
    jsonb_build_object('g_' || t, t) || CASE WHEN s IS NULL THEN '{}' ELSE jsonb_build_object('h_' || s, s) END, p,
    CASE p WHEN 'INCLUDE' THEN '{x,g_S,nothing}'::text[] ELSE '{}' END, '$propagation')
FROM (VALUES ('S', 'N'), ('N', 'B'), ('B', 'S'), ('S', NULL), ('N', NULL), ('B', NULL)) AS k (t, s),
    unnest('{ALL,KEYS_ONLY,INCLUDE}'::text[]) AS p;
SELECT setseed($table_seed);
CALL write_randomly('$name', '$types', '$file', $writes);
END
			$node->safe_psql('app',
				"SELECT flush_index('$name', index_name) FROM item_indexes WHERE table_name = '$name'"
			);
			is($node->safe_psql('app', "SELECT * FROM differences('$name', '$types') LIMIT 5"),
				'', "$propagation, $types: entries (seed $seed)");
			is($node->safe_psql('app', "SELECT * FROM wrong_pages('$name', '$types') LIMIT 5"),
				'', "$propagation, $types: pages (seed $seed)");
		}
	}
}

$node->stop;
done_testing();
