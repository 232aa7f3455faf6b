# PtreeTest.pm
#
# What the tests of ptree share: tables of every kind of key, random changes of
# them, and the comparison of index scans with sequential scans.

package PtreeTest;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

our @EXPORT = qw(ptree_schema ptree_tables ptree_kind ptree_verify
  ptree_load ptree_read_load ptree_unused
  ptree_log_faults use_fault_library);

# Name, columns of the index, type of the partition key and of the sort key.
my @tables = (
	[ 'only_pk', 'pk text_hash_ops',            'text',    'text' ],
	[ 'pk_sk',   'pk text_hash_ops, sk',        'text',    'text' ],
	[ 'pk_sk_d', 'pk text_hash_ops, sk, d',     'text',    'text' ],
	[ 'pk_d',    'pk text_hash_ops, d',         'text',    'text' ],
	[ 'numbers', 'pk numeric_hash_ops, sk',     'numeric', 'numeric' ],
	[ 'binary_d', 'pk bytea_hash_ops, sk, d',   'bytea',   'bytea' ],
	[ 'collide', 'pk collide_ops, sk',          'text',    'text' ]);

# Makes a database of a started node whose access method is the library with
# fault points, which make installcheck has built.
sub use_fault_library
{
	my ($node, $database) = @_;
	my $library = abs_path('tmp/ptree_faults.so');

	$node->append_conf('postgresql.conf',
		"shared_preload_libraries = 'partitioning,$library'");
	$node->restart;
	make_database($node, $database);
	is( $node->safe_psql($database, qq{
		WITH turned AS (
			UPDATE pg_proc SET probin = '$library'
			WHERE pronamespace = 'partitioning'::regnamespace AND proname IN ('ptreehandler', 'ptree_check', 'ptree_stats')
			RETURNING 1)
		SELECT count(*) FROM turned}),
		'3', 'the access method is that of the tests');
	return;
}

sub ptree_tables
{
	return map { $_->[0] } @tables;
}

# The functions behind it, read once.
my $functions = do { local $/; <DATA> };

# Type of a table's partition key.
sub ptree_kind
{
	my ($name) = @_;

	return (map { $_->[2] } grep { $_->[0] eq $name } @tables)[0];
}

# Creates tables and functions.  The tables have a dropped column.  They are not
# truncated: without full-page images the server cannot compare a page whose
# table is truncated later.
sub ptree_schema
{
	my ($node, $database) = @_;
	my $sql = $functions;

	for my $table (@tables)
	{
		my ($name, $columns, $pk, $sk) = @$table;
		my $collate = $sk eq 'text' ? 'COLLATE "C"' : '';

		$sql .= qq{
			CREATE TABLE $name (gone int, pk $pk NOT NULL, sk $sk $collate,
				d bigint NOT NULL, v int) WITH (autovacuum_enabled = off,
					vacuum_truncate = off);
			ALTER TABLE $name DROP COLUMN gone;
			CREATE INDEX ${name}_index ON $name USING ptree ($columns);
		};
	}
	$node->safe_psql($database, $sql);
	return;
}

# Checks structure and content of all indexes, and so many random conditions
# for each; returns what is wrong, empty if nothing.
sub ptree_verify
{
	my ($node, $database, $seed, $conditions) = @_;
	my $faults = '';

	for my $table (@tables)
	{
		my ($name, undef, $pk, $sk) = @$table;
		my ($ret, $out, $err) = $node->psql(
			$database, qq{
			SELECT ptree_check('${name}_index', true);
			SELECT setseed($seed);
			SELECT compare_scans('$name', '$pk', $conditions);
			SELECT scroll('$name', '$pk');});

		$out =~ s/^\s+//gm;
		$faults .= "$name: $out$err\n" if $ret != 0 || $out ne '';
	}
	return $faults;
}

# Starts so many clients that change the tables, with VACUUM now and then; some
# changes are rolled back.
# Returns the handle; the load goes on until the server dies or it is killed.
sub ptree_load
{
	my ($node, $database, $clients) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my @scripts;
	my $out = '';

	for my $table (ptree_tables())
	{
		my $kind = ptree_kind($table);

		PostgreSQL::Test::Utils::append_to_file("$dir/$table.sql",
			"SELECT random_changes('$table', '$kind', 1);\n");
		PostgreSQL::Test::Utils::append_to_file("$dir/$table-abort.sql",
			"BEGIN;\nSELECT random_changes('$table', '$kind', 1);\nROLLBACK;\n");
		PostgreSQL::Test::Utils::append_to_file("$dir/$table-vacuum.sql",
			"VACUUM $table;\n");
		push @scripts, '-f', "$dir/$table.sql\@10",
		  '-f', "$dir/$table-abort.sql\@1",
		  '-f', "$dir/$table-vacuum.sql\@1";
	}
	return IPC::Run::start(
		[
			$node->installed_command('pgbench'), '-n', '-T', '3600',
			'-c', $clients, '--max-tries=1000', @scripts,
			'-d', $node->connstr($database)
		],
		'>', '/dev/null', '2>&1');
}

# Starts so many clients that compare scans, each in one snapshot, in sessions
# that live on.  What they find is in the node's log, as a division by zero.
sub ptree_read_load
{
	my ($node, $database, $clients) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my @scripts;

	for my $table (ptree_tables())
	{
		my $kind = ptree_kind($table);

		PostgreSQL::Test::Utils::append_to_file("$dir/$table.sql",
			"BEGIN ISOLATION LEVEL REPEATABLE READ;\n"
			  . "SELECT 1 / (count(*) = 0)::int FROM compare_scans('$table', '$kind', 2);\n"
			  . "COMMIT;\n");
		push @scripts, '-f', "$dir/$table.sql";
	}
	return IPC::Run::start(
		[
			$node->installed_command('pgbench'), '-n', '-T', '3600',
			'-c', $clients, '--max-tries=1000', @scripts,
			'-d', $node->connstr($database)
		],
		'>', '/dev/null', '2>&1');
}

# Pages of all indexes that were deleted and are not used again.
sub ptree_unused
{
	my ($node, $database) = @_;

	return $node->safe_psql($database, 'SELECT ' . join ' + ',
		map { "(SELECT unused_pages FROM ptree_stats('${_}_index'))" }
		  ptree_tables());
}

# Lines of a node's log that must not be there.
sub ptree_log_faults
{
	my ($node) = @_;

	return join '', grep {
		/PANIC|TRAP:|inconsistent page|invalid page|could not read block|unexpected data beyond EOF|reference leak|is corrupt|lacks an entry|ERROR:  division by zero/
	} split /^/m, PostgreSQL::Test::Utils::slurp_file($node->logfile);
}

1;

__DATA__
-- All keys get one hash, so only their bytes tell them apart.
CREATE FUNCTION one_hash(text) RETURNS int4 LANGUAGE sql IMMUTABLE STRICT
	AS 'SELECT 42';
CREATE OPERATOR CLASS collide_ops FOR TYPE text USING ptree AS
	OPERATOR 1 <# (text, text), OPERATOR 2 <=# (text, text),
	OPERATOR 3 = (text, text), OPERATOR 4 >=# (text, text),
	OPERATOR 5 ># (text, text), FUNCTION 7 one_hash(text);

CREATE FUNCTION pick(text[]) RETURNS text LANGUAGE sql VOLATILE
	AS 'SELECT $1[1 + floor(random() * cardinality($1))::int]';

CREATE FUNCTION random_int(n float8) RETURNS int LANGUAGE sql VOLATILE
	AS 'SELECT floor(random() * n)::int';

-- A partition key: few of them are frequent, some are very long.
CREATE FUNCTION random_pk(kind text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	n int := floor(30 * random() ^ 3);
BEGIN
	CASE kind
		WHEN 'numeric' THEN
			RETURN pick(ARRAY[n::text, (-n)::text, n || '.50', n || 'e30', '-' || n || 'e-30', 'NaN', '-Infinity']);
		WHEN 'bytea' THEN
			RETURN '\x' || pick(ARRAY['', '00', '00ff', '0001', 'ff']) || lpad(to_hex(n), 2, '0');
		ELSE
			RETURN pick(ARRAY['', 'p', repeat('long', 10)]) || n ||
				CASE WHEN random() < 0.02 THEN repeat('L', pick(ARRAY['0', '1', '2', '10'])::int * random_int(210)) ELSE '' END;
	END CASE;
END $$;

-- A sort key, or null: ascending, short, or with a long common prefix.
CREATE SEQUENCE ascending;
CREATE FUNCTION random_sk(kind text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	n int := random_int(500);
BEGIN
	IF random() < 0.03 THEN
		RETURN NULL;
	END IF;
	CASE kind
		WHEN 'numeric' THEN
			RETURN pick(ARRAY['0', '0.00', n::text, (-n)::text, n || '.5', n || 'e25', '-' || n || 'e25', n || 'e-200', '-' || n || 'e-200',
				'1e' || n * 10, '-1e' || n * 10, '1e-' || n * 10, 'NaN', 'Infinity', '-Infinity', n || '.00010', '-' || n || '.0001', n % 3 || '.5', n % 3 || '.500000000001', '-' || n % 3 || '.5', '-' || n % 3 || '.500000000001']);
		WHEN 'bytea' THEN
			RETURN '\x' || pick(ARRAY['', '00', '00ff', 'ff', 'ffff', repeat('ab', random_int(300))]) || lpad(to_hex(n % 256), 2, '0');
		ELSE
			RETURN pick(ARRAY['t' || lpad((CASE current_setting('transaction_read_only') WHEN 'on' THEN n ELSE nextval('ascending') END)::text, 9, '0'), 's' || n, '', '2026-01-01T' || n,
				CASE WHEN random() < 0.1 THEN repeat('common/', random_int(150)) || n ELSE 'x' || n END]);
	END CASE;
END $$;

-- Some random changes of a table.
CREATE FUNCTION random_changes(tab text, kind text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	dice float8;
BEGIN
	FOR i IN 1 .. n LOOP
		dice := random();
		IF dice < 0.5 THEN
			EXECUTE format('INSERT INTO %I (pk, sk, d, v) SELECT random_pk($1)::%s, random_sk($1)::%2$s, random_int(10) - 5, i
				FROM generate_series(1, $2) i', tab, kind) USING kind, 1 + random_int(300);
		ELSIF dice < 0.65 THEN
			-- one partition grows
			EXECUTE format('INSERT INTO %I (pk, sk, d, v) SELECT p.pk::%s, random_sk($1)::%2$s, random_int(10), i
				FROM (SELECT random_pk($1) AS pk OFFSET 0) p, generate_series(1, $2) i', tab, kind) USING kind, 1 + random_int(400);
		ELSIF dice < 0.75 THEN
			EXECUTE format('UPDATE %I SET sk = random_sk($1)::%s WHERE v %% 10 = $2', tab, kind) USING kind, random_int(10);
		ELSIF dice < 0.82 THEN
			EXECUTE format('DELETE FROM %I WHERE v %% 7 = $1', tab) USING random_int(7);
		ELSIF dice < 0.85 THEN
			-- a part of the key space is emptied
			EXECUTE format('DELETE FROM %I WHERE v IS NOT NULL AND pk %s (SELECT pk FROM %1$I LIMIT 1)', tab, pick('{<#,>#}'));
		ELSIF dice < 0.93 THEN
			EXECUTE format('DELETE FROM %I WHERE pk = random_pk($1)::%s', tab, kind) USING kind;
		ELSE
			BEGIN
				EXECUTE format('INSERT INTO %I (pk, sk, d, v) SELECT random_pk($1)::%s, random_sk($1)::%2$s, 0, i
					FROM generate_series(1, 50) i', tab, kind) USING kind;
				RAISE EXCEPTION division_by_zero;
			EXCEPTION WHEN division_by_zero THEN
				NULL;
			END;
		END IF;
	END LOOP;
END $$;

-- A random condition, and whether it fixes one partition key.
CREATE FUNCTION random_condition(tab text, kind text, OUT condition text, OUT one_pk bool) LANGUAGE plpgsql AS $$
DECLARE
	a text := quote_literal(coalesce(random_sk(kind), '1'));
	b text := quote_literal(coalesce(random_sk(kind), '1'));
	dice float8 := random();
BEGIN
	one_pk := false;
	IF kind = 'bytea' AND a = '''1''' THEN a := '''\x01'''; END IF;
	IF kind = 'bytea' AND b = '''1''' THEN b := '''\x01'''; END IF;
	IF dice < 0.7 THEN
		condition := format('pk = %L', random_pk(kind));
		one_pk := true;
	ELSIF dice < 0.85 THEN
		condition := format('pk = ANY (ARRAY[%1$L, %2$L, %3$L, %1$L, NULL]::%4$s[])', random_pk(kind), random_pk(kind), random_pk(kind), kind);
	ELSIF tab = 'collide' THEN
		-- its operators see another hash than the index
		condition := format('pk = %L AND pk = %L', random_pk(kind), random_pk(kind));
	ELSIF dice < 0.95 THEN
		condition := format('pk >=# %s AND pk <# %s', (random() * 4e9 - 2e9)::int, (random() * 4e9 - 2e9)::int);
	ELSE
		condition := format('pk %s %L', pick('{<#,<=#,>=#,>#}'), random_pk(kind));
	END IF;

	dice := random();
	IF dice < 0.1 THEN
		condition := condition || format(' AND sk = %s', a);
	ELSIF dice < 0.3 THEN
		condition := condition || format(' AND sk %s %s', pick('{<,<=,>,>=}'), a);
	ELSIF dice < 0.5 THEN
		condition := condition || format(' AND sk %s %s AND sk %s %s', pick('{>,>=}'), a, pick('{<,<=}'), b);
	ELSIF dice < 0.6 AND kind = 'text' THEN
		condition := condition || format(' AND sk ^@ %s', pick(ARRAY['''s''', '''t0000''', '''common/common/''', '''''', a]));
	ELSIF dice < 0.7 THEN
		condition := condition || format(' AND sk = ANY (ARRAY[%1$s, %2$s, %1$s, NULL]::%3$s[])', a, b, kind);
		one_pk := false;
	ELSIF dice < 0.72 THEN
		condition := condition || format(' AND sk < ANY (ARRAY[%s, %s]::%s[])', a, b, kind);
		one_pk := false;
	END IF;

	IF random() < 0.3 THEN
		condition := condition || format(' AND d %s %s', pick('{<,<=,=,>=,>}'), random_int(10) - 5);
	END IF;
END $$;

-- Reads by the index forward, backward and as a bitmap, and compares with a
-- sequential scan; reports the conditions that differ.
CREATE FUNCTION compare_scans(tab text, kind text, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	cond record;
	expected tid[];
	rows tid[];
	keys text[];
	sorted text[];
	sk text := CASE WHEN tab IN ('only_pk', 'pk_d') THEN '' ELSE 'ORDER BY sk' END;
	how text;
BEGIN
	FOR i IN 1 .. n LOOP
		cond := random_condition(tab, kind);
		PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true),
			set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'on', true);
		EXECUTE format('SELECT coalesce(array_agg(ctid ORDER BY ctid), ''{}'') FROM %I WHERE %s', tab, cond.condition) INTO expected;
		EXECUTE format('SELECT coalesce(array_agg(sk::text ORDER BY sk), ''{}'') FROM %I WHERE %s', tab, cond.condition) INTO sorted;

		FOREACH how IN ARRAY ARRAY['', 'DESC', 'bitmap'] LOOP
			PERFORM set_config('enable_seqscan', 'off', true),
				set_config('enable_indexscan', CASE how WHEN 'bitmap' THEN 'off' ELSE 'on' END, true),
				set_config('enable_bitmapscan', CASE how WHEN 'bitmap' THEN 'on' ELSE 'off' END, true),
				set_config('enable_sort', 'off', true);
			EXECUTE format('SELECT coalesce(array_agg(c), ''{}''), coalesce(array_agg(sk::text), ''{}'')
				FROM (SELECT ctid AS c, sk FROM %I WHERE %s %s) s', tab, cond.condition,
				CASE WHEN NOT cond.one_pk OR sk = '' OR how = 'bitmap' THEN ''
					WHEN how = 'DESC' THEN sk || ' DESC' ELSE sk END) INTO rows, keys;
			IF expected IS DISTINCT FROM (SELECT coalesce(array_agg(r ORDER BY r), '{}') FROM unnest(rows) r) THEN
				RETURN NEXT format('%s scan for %s: %s rows instead of %s', how, cond.condition, cardinality(rows), cardinality(expected));
			END IF;
			IF cond.one_pk AND sk <> '' AND how = '' AND
				(CASE kind WHEN 'numeric' THEN keys::numeric[] IS DISTINCT FROM sorted::numeric[] ELSE keys IS DISTINCT FROM sorted END) THEN
				RETURN NEXT format('scan for %s is not in order', cond.condition);
			END IF;
		END LOOP;
	END LOOP;
END $$;

-- Moves a cursor about in one partition.
CREATE FUNCTION scroll(tab text, kind text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	pk text;
	rows tid[];
	c refcursor;
	at int := 0;
	step int;
	row tid;
	query text;
BEGIN
	PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'on', true),
		set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true);
	EXECUTE format('SELECT pk::text FROM %I GROUP BY pk ORDER BY count(*) DESC LIMIT 1', tab) INTO pk;
	IF pk IS NULL THEN
		RETURN;
	END IF;
	query := format('SELECT ctid FROM %I WHERE pk = %L', tab, pk);
	EXECUTE format('SELECT array_agg(ctid) FROM (%s) s', query) INTO rows;
	OPEN c SCROLL FOR EXECUTE query;
	FOR i IN 1 .. 60 LOOP
		step := CASE WHEN random() < 0.5 THEN 1 ELSE -1 END * (1 + random_int(cardinality(rows) / 3 + 2));
		FETCH RELATIVE step FROM c INTO row;
		at := greatest(0, least(cardinality(rows) + 1, at + step));
		IF row IS DISTINCT FROM rows[at] THEN
			RETURN NEXT format('cursor in partition %s at %s of %s: %s instead of %s', pk, at, cardinality(rows), row, rows[at]);
			EXIT;
		END IF;
	END LOOP;
	CLOSE c;
END $$;
