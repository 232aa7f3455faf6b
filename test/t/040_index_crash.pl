# Asynchronous indexes through crashes: the postmaster, a session and the
# worker are killed in turn under load, the worker also in the middle of a
# batch.  What is committed is followed afterwards, and the queue is empty.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use PartitioningTest;

my $cycles = $ENV{CYCLES} // 20;
my $seed = $ENV{SEED} // int(rand(1_000_000));
my $node = new_node('queue_crash',
	conf => "max_connections = 40\nrestart_after_crash = on\ncheckpoint_timeout = 30s\nmax_wal_size = 64MB\n");
my $folder = PostgreSQL::Test::Utils::tempdir;
my $worker = q{SELECT pid FROM pg_stat_activity
	WHERE backend_type = 'partitioning worker' AND datname = 'app'};

srand($seed);
note "seed $seed";
make_database($node, 'app');
$node->safe_psql('app', <<'END');
SELECT create_table('app', 'pk', 'sk');
SELECT create_global_index('app', 'byE', 'e', 'n', '{"n": "N"}');
SELECT create_global_index('app', 'byN', 'n', projection => 'KEYS_ONLY');
SELECT create_global_index('app', 'both', partition_keys => '{e,sk}', sort_keys => '{n,pk}', projection => 'INCLUDE', include => '{x}');
END

my $script = "$folder/load.sql";
append_to_file($script, <<'END');
\set p random(0, 40)
\set s random(0, 5)
\set e random(0, 3)
\set n random(0, 3)
\set what random(0, 9)
BEGIN;
\if :what < 4
SELECT put_item('app', jsonb_build_object('pk', 'P' || :p, 'sk', :s::text, 'e', 'E' || :e, 'n', :n, 'x', :what));
\elif :what < 6
SELECT delete_item('app', jsonb_build_object('pk', 'P' || :p, 'sk', :s::text));
\elif :what < 8
UPDATE app SET attributes = attributes || jsonb_build_object('n', :n, 'e', 'E' || :e) WHERE pk = 'P' || :p AND sk = :s::text;
\else
SELECT update_item('app', jsonb_build_object('pk', 'P' || :p, 'sk', :s::text), 'REMOVE n SET x = :x', jsonb_build_object(':x', :n));
\endif
\if :e = 0 and :n = 0
ROLLBACK;
\else
COMMIT;
\endif
END

# The index has followed all, whatever has happened before.
sub check
{
	my ($name) = @_;

	is( $node->safe_psql('app', q{SELECT bool_and(flush_index(table_name, index_name, '60 s')) FROM item_indexes}),
		't', "$name: the indexes have followed");
	is( $node->safe_psql('app', q{SELECT index_name, v FROM item_indexes, verify_index(table_name, index_name) AS v}),
		'', "$name: nothing is wrong");
	is( $node->safe_psql('app', q{SELECT sum(queued) FROM index_status}),
		'0', "$name: nothing is left in the queue");
	is($node->safe_psql('app', q{SELECT last_error FROM index_status WHERE last_error IS NOT NULL}),
		'', "$name: no error");
	return;
}

# Many changes while the worker cannot have the index tables; it is killed when
# it is at them.  (Stopped by a signal, it might hold a lock that all need.)
sub kill_in_batch
{
	my $session = $node->background_psql('app');

	$session->query_safe('BEGIN; LOCK TABLE "app_byE", "app_byN", app_both IN SHARE MODE');
	$node->safe_psql('app',
		q{INSERT INTO app SELECT 'B' || i, 0, jsonb_build_object('e', 'B', 'n', i) FROM generate_series(1, 20000) AS i
		  ON CONFLICT (pk, sk) DO UPDATE SET attributes = app.attributes || '{"e": "C"}'});
	$session->query_safe('COMMIT');
	$session->quit;
	kill 'KILL', wait_until($node, 'app', q{SELECT pid FROM pg_stat_activity
		   WHERE backend_type = 'partitioning worker' AND datname = 'app' AND backend_xid IS NOT NULL},
		'a batch');
	return;
}

foreach my $cycle (1 .. $cycles)
{
	my $load = IPC::Run::start(
		[ 'pgbench', '-n', '-c', '4', '-T', '60', "--random-seed=" . int(rand(1_000_000)),
			'-f', $script, $node->connstr('app') . ' application_name=load' ],
		'>', '/dev/null', '2>', '/dev/null');
	my $victim = ('postmaster', 'worker', 'session', 'batch')[ $cycle % 4 ];

	wait_until($node, 'app', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'load'}, 'load');
	usleep(100_000 + int(rand(300_000)));
	if ($victim eq 'postmaster')
	{
		$node->kill9;
		$load->finish;
		start_again($node);
	}
	elsif ($victim eq 'batch')
	{
		kill_in_batch();
		$load->finish;
	}
	else
	{
		kill 'KILL', wait_until($node, 'app', $victim eq 'worker' ? $worker :
			q{SELECT pid FROM pg_stat_activity WHERE application_name = 'load' LIMIT 1}, $victim);
		$load->finish;
	}
	wait_until($node, 'app', 'SELECT true', 'the server');
	check("$cycle ($victim)");
}

# and the queue gives its room back
$node->poll_query_until('app',
	q{SELECT pg_relation_size('partitioning.index_queue_0') + pg_relation_size('partitioning.index_queue_1') = 0})
  or die 'timed out waiting for the queue to be truncated';
$node->stop;
done_testing();
