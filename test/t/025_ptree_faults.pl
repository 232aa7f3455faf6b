# Errors and crashes at the places where a ptree index is between two states:
# between the records of a split, before a link from above, around the deletion
# of a page, in VACUUM, with a new page in hand.  After each the index is sound,
# on the standby too, and goes on being used; an unfinished split is finished
# by the writer that comes to it.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use PtreeTest;

my $seed = $ENV{PTREE_SEED} // int(rand(1e6));
my $rounds = $ENV{PTREE_ROUNDS} // 2;

note "PTREE_SEED=$seed";
srand($seed);

my $primary = new_node(
	'primary',
	allows_streaming => 1,
	conf => qq{
		wal_consistency_checking = 'all'
		wal_keep_size = 4GB
		restart_after_crash = on
		autovacuum = off
	});

use_fault_library($primary, 'app');

# Sort keys that are long and alike make separators long, so that pages of all
# levels are soon full.  "low" has short ones.
$primary->safe_psql('app', q{
	CREATE TABLE deep (n int NOT NULL, pk text NOT NULL, sk text COLLATE "C") WITH (vacuum_truncate = off);
	CREATE UNIQUE INDEX deep_index ON deep USING ptree (pk text_hash_ops, sk);
	CREATE TABLE low (LIKE deep) WITH (vacuum_truncate = off);
	CREATE UNIQUE INDEX low_index ON low USING ptree (pk text_hash_ops, sk);
	CREATE TABLE counter (n int NOT NULL);
	INSERT INTO counter VALUES (0);
	CREATE FUNCTION grow(tab text, by int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE format('INSERT INTO %I SELECT i, ''p'' || i %% 3,
				CASE %1$L WHEN ''deep'' THEN repeat(''s'', i * 7919 %% 1200) ELSE '''' END || md5(i::text)
			FROM (SELECT n + i AS i FROM counter, generate_series(1, %s) i) s', tab, by);
		UPDATE counter SET n = n + by;
	END $$;
	CREATE FUNCTION faults(tab text) RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		direction text;
		seen int[];
		expected int[];
	BEGIN
		PERFORM ptree_check(tab || '_index', true);
		PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
		EXECUTE format('SELECT array_agg(n ORDER BY pk, sk) FROM %I', tab) INTO expected;
		PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true);
		FOREACH direction IN ARRAY '{ASC,DESC}'::text[] LOOP
			EXECUTE format('SELECT array_agg(n ORDER BY pk, sk) FROM generate_series(0, 2) p,
				LATERAL (SELECT * FROM %I WHERE pk = ''p'' || p ORDER BY sk %s OFFSET 0) t', tab, direction) INTO seen;
			IF seen IS DISTINCT FROM expected THEN
				RETURN NEXT format('%s %s: %s rows instead of %s', tab, direction, cardinality(seen), cardinality(expected));
			END IF;
		END LOOP;
	END $$});
$primary->safe_psql('app', "SELECT grow('$_', 300)") for qw(deep low);
$primary->backup('base');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# Statements that come to a point, for the table %T.
my $grow = "SELECT grow('%T', 200)";
my $vacuum = 'VACUUM %T';
my $shrink =
  "DELETE FROM %T WHERE n % 10 < 8 AND pk = 'p1'; DELETE FROM %T WHERE n % 100 > 0";
my $refill = "SELECT pg_current_xact_id(); VACUUM %T; $grow";
my %points = (
	split => [ '', $grow ],
	downlink => [ '', $grow ],
	root => [ 'TRUNCATE %T', $grow ],
	extend => [ '', $grow ],
	record => [ '', $grow ],
	delete => [ $shrink, $vacuum ],
	unlink => [ $shrink, $vacuum ],
	vacuum => [ $shrink, $vacuum ],
	cleanup => [ $shrink, $vacuum ],
	reuse => [ "$shrink; VACUUM %T", $refill ],
	build => [ '', 'REINDEX INDEX %T_index' ]);
my %reached;

# An error in a critical section is a crash anyway.
sub actions
{
	my ($point) = @_;

	return $point eq 'record' ? ('crash') : ('error', 'crash');
}

# Runs statements, each by itself, and returns what went wrong.
sub run
{
	my ($table, $statements, $fault, $skip) = @_;
	my $sql = join '', map { "$_;\n" } split /; */, $statements;

	$sql =~ s/%T/$table/g;
	$sql = "SET ptree_test.fault = '$fault';\n$sql" if defined $fault;
	$sql = "SET ptree_test.skip = $skip;\n$sql" if defined $skip;
	my ($ret, $out, $err) = $primary->psql('app', $sql);

	return $err;
}

sub sound
{
	my ($node, $what) = @_;

	is( $node->safe_psql('app',
			"SELECT faults('deep') UNION ALL SELECT faults('low')"),
		'', $what);
	return;
}

for my $round (1 .. $rounds)
{
	for my $point (sort keys %points)
	{
		for my $action (actions($point))
		{
			my ($before, $then) = @{ $points{$point} };
			my $table = rand() < 0.7 ? 'deep' : 'low';
			my $skip = int(rand(20));

			# here every point is met
			($table, $skip) = ('deep', 0) if $round == 1;
			is(run($table, $before), '', "before $point")
			  if $before ne '';

			my $offset = -s $primary->logfile;
			my $err = run($table, $then, "$point:$action", $skip);

			if ($err =~ /ptree fault point "$point"|server closed the connection|connection to server was lost/)
			{
				$reached{"$point:$action"}++;
				$primary->wait_for_log(qr/all server processes terminated/,
					$offset)
				  if $action eq 'crash';
			}
			else
			{
				is($err, '', "no other error at $point of $table");
			}
			wait_until($primary, 'app', 'SELECT true', 'the server');
			sound($primary,
				"after $action at $point of $table, skipping $skip");

			# goes on: unfinished splits are finished, pages are reused
			is(run($table, $grow), '', "growing after $point");
			sound($primary, "growing after $point of $table");
		}
	}
	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
	sound($standby, "the standby after round $round");
}
for my $point (sort keys %points)
{
	ok($reached{"$point:$_"}, "$point was met: $_") for actions($point);
}

# Who comes to an unfinished split finishes it, once.
$primary->safe_psql('app', "TRUNCATE deep; SELECT grow('deep', 3)");
run('deep', $grow, 'split:error');
my $log = -s $primary->logfile;
is( run('deep', "INSERT INTO deep SELECT n, pk, sk || 'x' FROM deep",
		'finish:log'),
	'', 'inserting everywhere beside an unfinished split');
my $finished = () =
  PostgreSQL::Test::Utils::slurp_file($primary->logfile, $log) =~
  /ptree fault point "finish"/g;
is($finished, 1, 'the unfinished split is finished');
sound($primary, 'after an unfinished split');

# A reader does not: it goes by the right link.
run('deep', $grow, 'split:error');
$log = -s $primary->logfile;
sound($primary, 'reading beside an unfinished split');
unlike(PostgreSQL::Test::Utils::slurp_file($primary->logfile, $log),
	qr/"finish"/, 'readers change nothing');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
sound($standby, 'the standby beside an unfinished split');
$primary->stop('immediate');
$standby->promote;
$standby->safe_psql('app', "SELECT grow('deep', 300)");
sound($standby, 'a promoted standby has finished it');

for my $node ($primary, $standby)
{
	my $faults = join '',
	  grep { /PANIC|TRAP:|inconsistent page|invalid page|is corrupt|leak/ }
	  split /^/m, PostgreSQL::Test::Utils::slurp_file($node->logfile);

	is($faults, '', 'the log of ' . $node->name);
}
$standby->stop;
done_testing();
