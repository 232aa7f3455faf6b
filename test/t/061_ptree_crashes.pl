# The primary is killed with SIGKILL again and again, under clients that put,
# update and delete items and run VACUUM, with a standby that compares every
# page it replays.  After each restart, on both: the ptree indexes are sound and
# have every row, an index scan returns what a sequential scan does, in both
# directions, and no write whose reply had reached its client is missing.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $cycles = $ENV{PTREE_CYCLES} // 50;
my $seed = $ENV{PTREE_SEED} // int(rand(1e6));
my $writers = 4;

note "PTREE_SEED=$seed";
srand($seed);

my $primary = new_node(
	'primary',
	allows_streaming => 1,
	conf => qq{
		wal_consistency_checking = 'all'
		wal_keep_size = 4GB
		max_wal_size = 256MB
		checkpoint_timeout = 30s
		synchronous_commit = on
		autovacuum = off
		partitioning.index_method = ptree
	});

make_database($primary, 'app');
$primary->safe_psql('app', do { local $/; <DATA> });
$primary->backup('base');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "wal_retrieve_retry_interval = '50ms'");
$standby->start;

# What each client was told last of the keys that it alone writes; what its
# writes of this cycle are to do.
my %acknowledged;
my %plan;
my $writes = 1000;
my $version = 0;
my $last = 0;

foreach my $cycle (1 .. $cycles)
{
	my $images = $cycle % 2 == 0 ? 'on' : 'off';
	my @clients = map { start_writer($_) } 1 .. $writers;
	my $vacuum = start_client("VACUUM app; VACUUM \"app_byN\"; VACUUM plain;\n" x 200);
	my $enough = 10 + int(rand(80));

	foreach my $client (@clients)
	{
		$client->{run}->pump
		  until ($client->{out} =~ tr/\n//) > $enough;
	}
	$primary->kill9;
	eval { $_->{run}->finish } foreach @clients, $vacuum;
	my @under_way =
	  map { take_acknowledgements($_, $clients[ $_ - 1 ]{out}) } 1 .. $writers;
	$version += $writes;
	%plan = ();

	# without page images a fragment that is missing shows
	$primary->adjust_conf('postgresql.conf', 'full_page_writes', $images);
	start_again($primary);

	my $faults = faults_of($primary) . lost(@under_way);
	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
	$faults .= faults_of($standby);
	$last = $cycle;
	if ($faults ne '')
	{
		is($faults, '', "crash $cycle");
		last;
	}
}
is($last, $cycles, "$cycles crashes");
cmp_ok(scalar(keys %acknowledged), '>', 500, 'writes were acknowledged');
note $primary->safe_psql('app',
	"SELECT count(*), (SELECT (leaf_pages, unused_pages, depth) FROM ptree_stats('app_key')) FROM app");

foreach my $node ($primary, $standby)
{
	unlike(
		PostgreSQL::Test::Utils::slurp_file($node->logfile),
		qr/PANIC|TRAP:|inconsistent page|invalid page|is corrupt|lacks an entry/,
		'the log of ' . $node->name);
}
$standby->stop;
$primary->stop;
done_testing();

# A psql that runs a script: from a file, since feeding one that has ended
# would be an error.
sub start_client
{
	my ($script) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/script.sql';
	my %client = (out => '', err => '');

	PostgreSQL::Test::Utils::append_to_file($file, $script);

	$client{run} = IPC::Run::start(
		[
			$primary->installed_command('psql'), '-X', '-q', '-v', 'ON_ERROR_STOP=1',
			'-d', $primary->connstr('app'), '-f', $file
		],
		'>', \$client{out}, '2>', \$client{err},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%client;
}

# One that says after each reply which of its writes is done; between these it
# makes changes of rows that all clients have in common.  What each write does
# is noted in %plan.
sub start_writer
{
	my ($writer) = @_;
	my $script = "\\set QUIET on\n\\pset tuples_only on\n\\o /dev/null\n";

	foreach my $v ($version + 1 .. $version + $writes)
	{
		my $n = int(rand(400));
		my $key = '"PK": "W#' . "$writer#" . $n % 20 . "\", \"SK\": \"$n\"";
		my $gone = rand() < 0.25;

		$plan{"$writer $v"} = [ "$writer/$n", $gone ? 'gone' : $v ];
		$script .=
		  $gone
		  ? "SELECT delete_item('app', '{$key}');\n"
		  : "SELECT put_item('app', '{$key, \"v\": $v, \"n\": " . $v % 50 . "}');\n";
		$script .= "\\echo ack $writer $v\n";
		$script .= "SELECT some_changes($v, " . int(rand(1e6)) . ");\n"
		  if $v % 3 == 0;
		$script .= "BEGIN; SELECT some_changes($v, " . int(rand(1e6)) . "); ROLLBACK;\n"
		  if $v % 10 == 0;
	}
	return start_client($script);
}

# Takes in what a writer was told.  The write after that was under way: it may
# have been done, or not.
sub take_acknowledgements
{
	my ($writer, $out) = @_;
	my $v;

	while ($out =~ /^ack $writer (\d+)$/mg)
	{
		$v = $1;
		my ($key, $state) = @{ $plan{"$writer $v"} };
		$acknowledged{$key} = $state;
	}
	$v = defined $v ? $v + 1 : $version + 1;
	return $plan{"$writer $v"};
}

# Acknowledged writes that are not there, or not any more.
sub lost
{
	my (@under_way) = @_;
	my %maybe = map { $_->[0] => $_->[1] } grep { defined } @under_way;
	my %found;
	my $lost = '';

	foreach my $line (
		split /\n/,
		$primary->safe_psql('app',
			q{SELECT split_part(pk, '#', 2) || '/' || sk, attributes ->> 'v' FROM app WHERE pk LIKE 'W#%'}))
	{
		my ($key, $v) = split /\|/, $line;
		$found{$key} = $v;
	}
	foreach my $key (sort keys %acknowledged)
	{
		my $is = $found{$key} // 'gone';

		next if $is eq $acknowledged{$key};
		$lost .= "$key is $is, not $acknowledged{$key}\n"
		  if !defined $maybe{$key} || $is ne $maybe{$key};
		$acknowledged{$key} = $is;
	}
	return $lost;
}

# What is wrong with the indexes of a node, and with scans by them.
sub faults_of
{
	my ($node) = @_;
	my ($ret, $out, $err) = $node->psql('app', q{
		SELECT ptree_check(i, true) FROM unnest(ARRAY['app_key', '"app_byN_key"', 'plain_index']) AS i;
		SELECT scan_faults(t, d) FROM unnest('{app,"app_byN",plain}'::text[]) AS t, unnest('{"",DESC}'::text[]) AS d;
		SELECT 'verify: ' || v::text FROM verify_index('app', 'byN') AS v;});

	$out =~ s/^\s*\n?//gm;
	return $out eq '' && $err eq '' ? '' : $node->name . ": $out$err\n";
}

__DATA__
SELECT create_table('app', 'PK', 'SK');
SELECT create_global_index('app', 'byN', 'n', attribute_types => '{"n": "N"}', propagation => 'sync');
CREATE TABLE plain (pk bytea NOT NULL, sk bytea, v int);
CREATE INDEX plain_index ON plain USING ptree (pk bytea_hash_ops, sk);
ALTER TABLE app SET (vacuum_truncate = off);
ALTER TABLE "app_byN" SET (vacuum_truncate = off);
ALTER TABLE plain SET (vacuum_truncate = off);

-- Changes that split pages, empty them, and leave versions behind.
CREATE FUNCTION some_changes(number int, seed int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setseed(seed / 1e6);
	CASE floor(random() * 6)::int
	WHEN 0 THEN
		PERFORM put_item('app', jsonb_build_object('PK', 'S#' || floor(random() * 5), 'SK', number || '#' || i || repeat('x', 50), 'n', i)) FROM generate_series(1, 40) i;
	WHEN 1 THEN
		DELETE FROM app WHERE pk = 'S#' || floor(random() * 5)::int AND sk < number::text;
	WHEN 2 THEN
		UPDATE app SET attributes = attributes || '{"n": 1}' WHERE pk = 'S#' || floor(random() * 5)::int AND sk LIKE '%7#%';
	WHEN 3 THEN
		INSERT INTO plain SELECT int4send(floor(random() * 3)::int), decode(repeat(md5(random()::text), 1 + i % 20), 'hex'), number FROM generate_series(1, 40) i;
	WHEN 4 THEN
		DELETE FROM plain p WHERE p.pk = int4send(floor(random() * 3)::int) AND p.v % 3 = 0;
	ELSE
		UPDATE plain p SET sk = int4send(p.v) || p.sk WHERE p.v % 20 = number % 20;
	END CASE;
-- others change the same rows
EXCEPTION WHEN deadlock_detected OR unique_violation THEN
	NULL;
END $$;

-- Partitions whose rows an index scan does not return as a sequential scan does.
CREATE FUNCTION scan_faults(tab text, direction text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	sort text := CASE tab WHEN 'app_byN' THEN 'digest' ELSE 'sk' END;
	expected jsonb;
	found jsonb;
BEGIN
	PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
		set_config('enable_sort', 'on', true);
	EXECUTE format('SELECT coalesce(jsonb_object_agg(pk, rows), ''{}'') FROM (SELECT pk::text, jsonb_agg(ctid::text ORDER BY %I %s, ctid %2$s) AS rows FROM %I GROUP BY pk) s',
		sort, direction, tab) INTO expected;
	PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_sort', 'off', true);
	EXECUTE format('SELECT coalesce(jsonb_object_agg(pk, rows), ''{}'') FROM (SELECT DISTINCT pk FROM %I OFFSET 0) p, LATERAL
		(SELECT jsonb_agg(c) AS rows FROM (SELECT ctid::text AS c FROM %1$I t WHERE t.pk = p.pk ORDER BY %I %s) r) s',
		tab, sort, direction) INTO found;
	IF expected IS DISTINCT FROM found THEN
		RETURN NEXT format('%s %s: scans differ in %s partitions', tab, direction,
			(SELECT count(*) FROM jsonb_each(expected) e FULL JOIN jsonb_each(found) f USING (key) WHERE e.value IS DISTINCT FROM f.value));
	END IF;
END $$;
