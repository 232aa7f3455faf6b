# A million random operations on tables with a ptree, each done alike on a
# table with a btree: lookups find the same rows, unique checks refuse the same
# keys, scans of every kind return the same in the same order.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $operations = $ENV{PTREE_OPERATIONS} // 1_000_000;
my $seed = $ENV{PTREE_SEED} // sprintf('%.6f', rand(1));

note "PTREE_SEED=$seed";

# Name, type of keys, columns of the ptree and of its shadow, share of the
# operations.  Without the sort key a lookup reads a whole partition.
my @tables = (
	[ 'texts', 'text', 'pk text_hash_ops, sk, d', 'pk, sk, d', 0.3 ],
	[ 'numbers', 'numeric', 'pk numeric_hash_ops, sk', 'pk, sk', 0.2 ],
	[ 'bytes', 'bytea', 'pk bytea_hash_ops, sk', 'pk, sk', 0.25 ],
	[ 'alone', 'text', 'pk text_hash_ops', 'pk', 0.03 ],
	[ 'digests', 'bytea', 'pk bytea_hash_ops, d', 'pk, d', 0.03 ],
	[ 'once', 'text', 'pk text_hash_ops, sk', 'pk, sk', 0.2 ]);
my $batch = 5000;

my $node = new_node('shadow',
	conf => "autovacuum = off\nfsync = off\nmax_wal_size = 8GB\ncheckpoint_timeout = 1h\nshared_buffers = 256MB\n");

make_database($node, 'app');
$node->safe_psql('app', do { local $/; <DATA> });

foreach my $table (@tables)
{
	my ($name, $type, $ptree, $btree, $share) = @$table;
	my $batches = int($operations * $share / $batch) + 1;
	my $unique = $name eq 'once' ? 'UNIQUE' : '';
	my $collate = $type eq 'text' ? 'COLLATE "C"' : '';
	my $sql = "SELECT setseed($seed);\nSELECT make_pools('$name', '$type');\n";

	foreach my $copy (qw(ptree btree))
	{
		my $columns = $copy eq 'ptree' ? $ptree : $btree;

		$sql .= "CREATE TABLE ${name}_$copy (pk $type $collate NOT NULL, sk $type $collate, d bigint NOT NULL, v int, w int)
			WITH (autovacuum_enabled = off, fillfactor = 80);
			CREATE $unique INDEX ${name}_${copy}_index ON ${name}_$copy USING $copy ($columns);
			CREATE INDEX ON ${name}_$copy (v); CREATE INDEX ON ${name}_$copy (w);\n";
	}
	$node->safe_psql('app', $sql);

	# Each batch in a transaction of its own; VACUUM now and then.
	my $faults = '';
	for my $number (1 .. $batches)
	{
		my $growing = $number % 8 < 5 ? 'true' : 'false';
		my $check = $number % 6 == 0 || $number == $batches ? 25 : 1;
		my $batch_seed = $seed * $number / ($batches + 1);

		$sql = "SELECT setseed($batch_seed);
			SELECT change('$name', '$type', $number, $batch, $growing);
			SELECT compare('$name', '$type', $check);\n";
		$sql .= "VACUUM ${name}_ptree; VACUUM ${name}_btree;\n"
		  if $number % 4 == 0;
		$sql .= "REINDEX INDEX CONCURRENTLY ${name}_ptree_index;\n"
		  if $number % 17 == 0;
		$sql .= "SELECT ptree_check('${name}_ptree_index', true);\n"
		  if $check > 1;

		my ($ret, $out, $err) = $node->psql('app', $sql);

		$out =~ s/^\s*\n?//gm;
		$faults = "batch $number: $out$err";
		last if $ret != 0 || $out ne '';
		$faults = '';
	}
	is($faults, '', "$name, " . $batch * $batches . ' operations');
	note "$name: "
	  . $node->safe_psql('app',
		"SELECT count(*), (SELECT depth FROM ptree_stats('${name}_ptree_index')) FROM ${name}_ptree");
}

unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile),
	qr/PANIC|TRAP:|is corrupt/, 'the log');
$node->stop;
done_testing();

__DATA__
CREATE TABLE pool_pk (name text, n int, key text COLLATE "C", PRIMARY KEY (name, n));
CREATE TABLE pool_sk (LIKE pool_pk INCLUDING ALL);
CREATE UNLOGGED TABLE operations (i int, what text, pk text COLLATE "C", sk text COLLATE "C", d int, at int);

CREATE FUNCTION pick(text[]) RETURNS text LANGUAGE sql VOLATILE
	AS 'SELECT $1[1 + floor(random() * cardinality($1))::int]';

-- Bytes that do not compress.
CREATE FUNCTION noise(seed text, bytes int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT left(string_agg(md5(seed || i), ''), bytes) FROM generate_series(1, bytes / 32 + 1) i
$$;

-- The keys of which a table's are: prefixes of each other, empty, of the
-- greatest length, with bytes 00 and FF, numbers of every size.
CREATE FUNCTION make_pools(name text, type text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	prefix text;
BEGIN
	CASE type
	WHEN 'text' THEN
		INSERT INTO pool_pk SELECT name, n, CASE n % 20 WHEN 0 THEN repeat('L', 2040) || n WHEN 1 THEN noise('p' || n, 1200)
				WHEN 2 THEN repeat('a', n) WHEN 3 THEN repeat('x', 255) || chr(97 + n % 3) ELSE 'p' || n END
			FROM generate_series(0, 199) n;
		INSERT INTO pool_sk SELECT name, n, CASE n % 20 WHEN 0 THEN repeat('long/', 203) || n WHEN 1 THEN noise('s' || n, 1000)
				WHEN 2 THEN repeat('b', n % 200) WHEN 3 THEN '' WHEN 4 THEN chr(1 + n % 127) WHEN 5 THEN 'ü' || chr(1000 + n)
				WHEN 6 THEN chr(1114111) || n ELSE 's' || md5(n::text) END
			FROM generate_series(0, 2999) n;
	WHEN 'bytea' THEN
		INSERT INTO pool_pk SELECT name, n, '\x' || CASE n % 10 WHEN 0 THEN repeat('00', n) WHEN 1 THEN repeat('ff', n) WHEN 2 THEN repeat('00ff', n) || '01'
				WHEN 3 THEN repeat('00', 1000) || lpad(to_hex(n), 4, '0') WHEN 4 THEN encode(sha256(n::text::bytea), 'hex') || repeat('ab', 2016) ELSE '70' || lpad(to_hex(n), 4, '0') END
			FROM generate_series(0, 199) n;
		INSERT INTO pool_sk SELECT name, n, '\x' || CASE n % 10 WHEN 0 THEN repeat('00', n % 100) WHEN 1 THEN repeat('ff', n % 100) WHEN 2 THEN repeat('00ff', n % 50) || 'fe'
				WHEN 3 THEN repeat('ff', 1020) || lpad(to_hex(n), 8, '0') ELSE md5(n::text) END
			FROM generate_series(0, 2999) n;
	ELSE
		INSERT INTO pool_pk SELECT name, n, CASE n % 5 WHEN 0 THEN -n || '.50' WHEN 1 THEN n || 'e30' WHEN 2 THEN '-' || n || 'e-30' ELSE n::text END
			FROM generate_series(0, 199) n;
		INSERT INTO pool_sk SELECT name, n, CASE n % 10 WHEN 0 THEN n || '.00010' WHEN 1 THEN '-' || n || '.0001' WHEN 2 THEN '1e' || n % 125 WHEN 3 THEN '-1e-' || n % 130
				WHEN 4 THEN '9.9999999999999999999999999999999999999e' || n % 126 WHEN 5 THEN (-n)::text WHEN 6 THEN n % 3 || '.5' ELSE n::text END
			FROM generate_series(0, 2999) n;
	END CASE;
END $$;

-- A sort key greater than all before it, so that partitions grow at their ends.
CREATE FUNCTION ascending(type text, n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE type WHEN 'text' THEN 't2026-01-01T' || lpad(n::text, 9, '0') WHEN 'bytea' THEN '\xe0' || lpad(to_hex(n), 8, '0') ELSE (1000000 + n)::text END
$$;

-- One batch: the operations are drawn, then done to both tables.
CREATE FUNCTION change(name text, type text, number int, n int, growing bool) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	copy text;
	result text;
	first text;
BEGIN
	TRUNCATE operations;
	EXECUTE format($q$INSERT INTO operations
		SELECT $1 * $2 + i, CASE WHEN dice < CASE WHEN $3 THEN 0.5 ELSE 0.15 END THEN 'insert' WHEN dice < 0.65 THEN 'look'
				WHEN dice < 0.75 THEN 'move' WHEN dice < 0.85 THEN 'touch' ELSE 'delete' END,
			p.key, CASE WHEN i %% 50 = 0 THEN NULL WHEN i %% 3 = 0 THEN ascending($4, $1 * $2 + i) ELSE s.key END, floor(random() * 5)::int, at
		FROM (SELECT i, random() AS dice, floor(random() ^ 2 * 200)::int AS pn, floor(random() * 3000)::int AS sn, floor($1 * $2 * random())::int AS at FROM generate_series(1, $2) i OFFSET 0) r
		JOIN pool_pk p ON p.name = $5 AND p.n = pn JOIN pool_sk s ON s.name = $5 AND s.n = sn ORDER BY i$q$)
		USING number, n, growing, type, name;

	-- by the indexes only
	PERFORM set_config(setting, 'off', true) FROM unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin,enable_memoize}'::text[]) setting;
	FOREACH copy IN ARRAY '{ptree,btree}'::text[] LOOP
		result := do_changes(name, name || '_' || copy, type, number, growing);
		IF copy = 'ptree' THEN
			first := result;
		ELSIF first IS DISTINCT FROM result THEN
			RETURN NEXT format('%s instead of %s', first, result);
		END IF;
	END LOOP;
END $$;

-- Does the operations; what has been found and done.
CREATE FUNCTION do_changes(name text, tab text, type text, number int, growing bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
	moved int;
	touched int;
	deleted int;
	inserted text;
BEGIN
	IF name = 'once' THEN
		inserted := insert_once(tab);
	ELSE
		EXECUTE format('INSERT INTO %I SELECT pk::%s, sk::%2$s, d, i, i FROM operations WHERE what = ''insert''', tab, type);
	END IF;
	EXECUTE format('SELECT count(*) || '' '' || coalesce(sum(t.v::bigint * (1 + o.i %% 1000)), 0) FROM operations o, %I t
		WHERE o.what = ''look'' AND t.pk = o.pk::%s AND t.sk = o.sk::%2$s', tab, type) INTO found;
	-- another sort key: a new entry elsewhere
	IF name <> 'once' THEN
		EXECUTE format('UPDATE %I t SET sk = o.sk::%s FROM operations o WHERE o.what = ''move'' AND t.v = o.at', tab, type);
		GET DIAGNOSTICS moved = ROW_COUNT;
	END IF;
	-- the same key: versions of a row
	EXECUTE format('UPDATE %I t SET w = -t.w FROM operations o WHERE o.what = ''touch'' AND t.v = o.at', tab, type);
	GET DIAGNOSTICS touched = ROW_COUNT;
	-- these exist, and some of their duplicates go with them
	EXECUTE format('DELETE FROM %I t USING operations o, %1$I s
		WHERE o.what = ''delete'' AND s.v = o.at AND t.pk = s.pk AND t.sk = s.sk', tab);
	GET DIAGNOSTICS deleted = ROW_COUNT;
	IF NOT growing AND number % 3 = 0 THEN
		-- a stretch of the order of the index
		EXECUTE format('DELETE FROM %I WHERE pk >=# $1 AND pk <# $2', tab)
			USING (number * 7919 % 16 - 8) * 268435456, least((number * 7919 % 16 - 6) * 268435456::bigint, 2147483647)::int;
		-- and whole partitions
		EXECUTE format('DELETE FROM %I WHERE pk IN (SELECT DISTINCT pk::%s FROM operations WHERE i %% 100 = 0)', tab, type);
	END IF;
	RETURN concat_ws(', ', inserted, found, moved, touched, deleted);
END $$;

-- One by one; which of them were refused.
CREATE FUNCTION insert_once(tab text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	o record;
	refused bigint := 0;
	n int := 0;
BEGIN
	FOR o IN SELECT * FROM operations WHERE what IN ('insert', 'move') ORDER BY i LOOP
		BEGIN
			EXECUTE format('INSERT INTO %I VALUES ($1, $2, $3, $4, $4)', tab)
				USING o.pk, CASE WHEN o.what = 'move' THEN o.sk ELSE left(o.sk, 2) END, o.d, o.i;
		EXCEPTION WHEN unique_violation THEN
			refused := refused + o.i;
			n := n + 1;
		END;
	END LOOP;
	RETURN n || ' refused: ' || refused;
END $$;

-- A condition on keys that the table may have.
CREATE FUNCTION random_condition(name text, type text, OUT condition text, OUT one_pk bool) LANGUAGE plpgsql AS $$
DECLARE
	p text[] := ARRAY(SELECT quote_literal((SELECT key FROM pool_pk AS k WHERE k.name = $1 AND k.n = r.n))
		FROM (SELECT floor(random() ^ 2 * 200)::int AS n FROM generate_series(1, 4) OFFSET 0) r);
	s text[] := ARRAY(SELECT quote_literal((SELECT key FROM pool_sk AS k WHERE k.name = $1 AND k.n = r.n))
		FROM (SELECT floor(random() * 3000)::int AS n FROM generate_series(1, 2) OFFSET 0) r);
	dice float8 := random();
BEGIN
	one_pk := dice < 0.6;
	IF one_pk THEN
		condition := 'pk = ' || p[1];
	ELSIF dice < 0.8 THEN
		condition := format('pk = ANY (ARRAY[%s, %s, NULL]::%s[])', array_to_string(p, ', '), p[1], type);
	ELSIF dice < 0.9 THEN
		condition := format('pk >=# %s AND pk <# %s', floor(random() * 3e9 - 2e9)::int, floor(random() * 2e9)::int);
	ELSE
		condition := format('pk %s %s', pick('{<#,<=#,>=#,>#}'), p[1]);
	END IF;
	dice := random();
	IF dice < 0.15 THEN
		condition := condition || format(' AND sk = %s', s[1]);
	ELSIF dice < 0.3 THEN
		condition := condition || format(' AND sk %s %s', pick('{<,<=,>,>=}'), s[1]);
	ELSIF dice < 0.5 THEN
		condition := condition || format(' AND sk %s %s AND sk %s %s', pick('{>,>=}'), s[1], pick('{<,<=}'), s[2]);
	ELSIF dice < 0.6 AND type = 'text' THEN
		condition := condition || format(' AND sk ^@ %s', pick(ARRAY['''t2026''', '''s''', '''long/''', '''''', s[1]]));
	ELSIF dice < 0.7 THEN
		condition := condition || format(' AND sk = ANY (ARRAY[%s, %1$s, NULL]::%s[])', array_to_string(s, ', '), type);
		one_pk := false;
	END IF;
	IF random() < 0.2 THEN
		condition := condition || format(' AND d %s %s', pick('{<,<=,=,>=,>}'), floor(random() * 5));
	END IF;
END $$;

-- Rows of a condition, by one kind of plan: sort keys as they come, and rows.
CREATE FUNCTION rows_of(tab text, cond text, order_by text, how text, OUT keys text, OUT rows text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_sort', CASE how WHEN 'bitmap' THEN 'on' ELSE 'off' END, true),
		set_config('enable_indexscan', CASE how WHEN 'bitmap' THEN 'off' ELSE 'on' END, true),
		set_config('enable_indexonlyscan', 'off', true),
		set_config('enable_bitmapscan', CASE how WHEN 'bitmap' THEN 'on' ELSE 'off' END, true);
	EXECUTE format('SELECT md5(string_agg(coalesce(k, ''null''), '','')), md5(string_agg(v::text, '','' ORDER BY v))
		FROM (SELECT sk::text AS k, v FROM %I WHERE %s %s) s', tab, cond, order_by) INTO keys, rows;
END $$;

-- Scans of both tables: forward, backward, as a bitmap, with mark and restore,
-- with a cursor that moves about.
CREATE FUNCTION compare(name text, type text, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	cond record;
	order_by text;
	how text;
	p record;
	b record;
	ordered bool := name NOT IN ('alone', 'digests');
BEGIN
	FOR i IN 1 .. n LOOP
		cond := random_condition(name, type);
		FOREACH how IN ARRAY '{forward,backward,bitmap}'::text[] LOOP
			order_by := CASE WHEN NOT cond.one_pk OR NOT ordered OR how = 'bitmap' THEN ''
				WHEN how = 'forward' THEN 'ORDER BY sk' ELSE 'ORDER BY sk DESC' END;
			p := rows_of(name || '_ptree', cond.condition, order_by, how);
			b := rows_of(name || '_btree', cond.condition, order_by, how);
			IF p.rows IS DISTINCT FROM b.rows OR (order_by <> '' AND p.keys IS DISTINCT FROM b.keys) THEN
				RETURN NEXT format('%s scan for %s', how, left(cond.condition, 500));
			END IF;
		END LOOP;
		IF cond.one_pk AND ordered AND i % 5 = 1 THEN
			IF joined(name || '_ptree', cond.condition) IS DISTINCT FROM joined(name || '_btree', cond.condition) THEN
				RETURN NEXT format('merge join for %s', left(cond.condition, 500));
			END IF;
			RETURN QUERY SELECT scrolled(name || '_ptree', cond.condition);
		END IF;
	END LOOP;
END $$;

-- A merge join of duplicates marks and restores.
CREATE FUNCTION joined(tab text, cond text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('enable_mergejoin', 'on', true), set_config('enable_hashjoin', 'off', true), set_config('enable_nestloop', 'off', true),
		set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true),
		set_config('enable_sort', 'off', true), set_config('enable_material', 'off', true);
	EXECUTE format('SELECT count(*) || '' '' || coalesce(sum(a.v::numeric * b.v), 0) FROM (SELECT * FROM %I WHERE %s) a JOIN (SELECT * FROM %1$I WHERE %2$s) b USING (sk)', tab, cond) INTO result;
	PERFORM set_config('enable_nestloop', 'on', true);
	RETURN result;
END $$;

CREATE FUNCTION scrolled(tab text, cond text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT v FROM %I WHERE %s', tab, cond);
	rows int[];
	c refcursor;
	at int := 0;
	step int;
	row int;
BEGIN
	PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
	EXECUTE format('SELECT coalesce(array_agg(v), ''{}'') FROM (%s) s', query) INTO rows;
	OPEN c SCROLL FOR EXECUTE query;
	FOR i IN 1 .. 40 LOOP
		step := CASE WHEN random() < 0.5 THEN 1 ELSE -1 END * (1 + floor(random() * (cardinality(rows) / 3 + 2))::int);
		FETCH RELATIVE step FROM c INTO row;
		at := greatest(0, least(cardinality(rows) + 1, at + step));
		IF row IS DISTINCT FROM rows[at] THEN
			RETURN NEXT format('cursor for %s at %s of %s', left(cond, 500), at, cardinality(rows));
			EXIT;
		END IF;
	END LOOP;
	CLOSE c;
END $$;
