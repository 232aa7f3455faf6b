# The queue of asynchronous indexes: it gives its room back, is dumped and
# restored, replicated, and goes on where a standby is promoted.  CHANGES makes
# it a soak: see the Makefile.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $changes = $ENV{CHANGES} // 100_000;
my $rows = $changes < 1_000_000 ? $changes / 10 : 1_000_000;
my $rounds = $changes / $rows;
my $node = new_node('index_queue', allows_streaming => 1, conf => "max_wal_size = 2GB\n");
my $dumps = PostgreSQL::Test::Utils::tempdir;
my $size = q{SELECT pg_total_relation_size('partitioning.index_queue_0') + pg_total_relation_size('partitioning.index_queue_1')};
my $wrong = q{SELECT count(*) FROM item_indexes, verify_index(table_name, index_name)};
my $flush = q{SELECT bool_and(flush_index(table_name, index_name, '3600 s')) FROM item_indexes};

make_database($node, 'app');
$node->safe_psql('app', qq{
SELECT create_table('app', 'pk', 'sk');
SELECT create_global_index('app', 'byE', 'e', projection => 'KEYS_ONLY');
INSERT INTO app SELECT 'P' || i % 1000, i, '{"e": "E0"}' FROM generate_series(1, $rows) AS i;
});
for my $round (2 .. $rounds)
{
	$node->safe_psql('app', qq{UPDATE app SET attributes = jsonb_build_object('e', 'E' || $round)});
}
is($node->safe_psql('app', $flush), 't', "$changes changes are applied");
is($node->safe_psql('app', $wrong), '0', 'nothing is wrong');
$node->poll_query_until('app', qq{SELECT ($size) <= 64 * 1024 * 1024})
  or die 'timed out waiting for the queue to be truncated';
pass('the queue has given its room back');

# One half is held by a transaction that stays open: the other one is emptied
# all the same.
my $session = $node->background_psql('app');
$session->query_safe(q{BEGIN; SELECT put_item('app', '{"pk": "open", "sk": "1", "e": "open"}')});
$node->safe_psql('app', q{UPDATE app SET attributes = jsonb_build_object('e', 'F') WHERE sk < '5'});
is($node->safe_psql('app', $flush), 't', 'nobody waits for an open transaction');
$session->query_safe('COMMIT');
$session->quit;

# A dump that lags behind: rows are queued that have not been applied.
$session = $node->background_psql('app');
$session->query_safe(q{BEGIN; LOCK TABLE "app_byE" IN SHARE MODE});
$node->safe_psql('app', q{UPDATE app SET attributes = jsonb_build_object('e', 'dumped') WHERE sk < '3';
	DELETE FROM app WHERE sk LIKE '4%'});
is($node->safe_psql('app', q{SELECT queued > 0 FROM index_status}), 't', 'there is something in the queue');
my %dump = (plain => [], custom => ['--format=custom']);
foreach my $name (sort keys %dump)
{
	$node->command_ok([ 'pg_dump', @{ $dump{$name} }, "--file=$dumps/$name", 'app' ], "dump: $name");
}
$session->query_safe('COMMIT');
$session->quit;
is($node->safe_psql('app', $flush), 't', 'the source goes on');
my $entries = q{SELECT e FROM "app_byE" AS e ORDER BY e::text COLLATE "C"};
my $expected = $node->safe_psql('app', $entries);

foreach my $name ('plain', 'custom')
{
	$node->safe_psql('postgres', "CREATE DATABASE $name ENCODING 'UTF8' TEMPLATE template0");
	$node->safe_psql('postgres', "ALTER DATABASE $name SET search_path = public, partitioning");
	$node->command_ok($name eq 'plain' ?
		[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $name, '-f', "$dumps/$name" ] :
		[ 'pg_restore', '--jobs=3', '--exit-on-error', '-d', $name, "$dumps/$name" ], "restore: $name");
	is($node->safe_psql($name, $flush), 't', "$name: flush");
	is($node->safe_psql($name, $wrong), '0', "$name: nothing is wrong");
	is($node->safe_psql($name, $entries), $expected, "$name: what was queued is there");
}

# Several jobs may restore the catalog last, long after the queue.  A worker
# that comes in between must not take what the catalog lacks for dropped.
my ($late, @list) = ('TABLE DATA partitioning tables ');
$node->command_ok([ 'pg_restore', '--list', "--file=$dumps/list", "$dumps/custom" ], 'list');
@list = split /\n/, slurp_file("$dumps/list");
append_to_file("$dumps/list.most", join("\n", grep { !/$late/ } @list) . "\n");
append_to_file("$dumps/list.late", join("\n", grep { /$late/ } @list) . "\n");
$node->safe_psql('postgres', "CREATE DATABASE late ENCODING 'UTF8' TEMPLATE template0");
$node->safe_psql('postgres', "ALTER DATABASE late SET search_path = public, partitioning");
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', 'late', '-L', "$dumps/list.most", "$dumps/custom" ],
	'late: most');
my $queued = q{SELECT (SELECT count(*) FROM partitioning.index_queue_0) + (SELECT count(*) FROM partitioning.index_queue_1)};
my $before = $node->safe_psql('late', $queued);
cmp_ok($before, '>', 0, 'late: the queue is there');
my $seen = $node->safe_psql('postgres', q{SELECT pg_stat_get_db_xact_commit(oid) FROM pg_database WHERE datname = 'late'});
$node->poll_query_until('postgres',
	qq{SELECT pg_stat_get_db_xact_commit(oid) > $seen + 1 AND EXISTS (SELECT FROM pg_stat_activity
	   WHERE datname = 'late' AND backend_type = 'partitioning worker') FROM pg_database WHERE datname = 'late'})
  or die 'timed out waiting for a worker';
is($node->safe_psql('late', $queued), $before, 'late: the queue waits for the catalog');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', 'late', '-L', "$dumps/list.late", "$dumps/custom" ],
	'late: catalog');
is($node->safe_psql('late', $flush), 't', 'late: flush');
is($node->safe_psql('late', $wrong), '0', 'late: nothing is wrong');
is($node->safe_psql('late', $entries), $expected, 'late: what was queued is there');

# Restored without being asked, too
$node->safe_psql('postgres', "CREATE DATABASE itself ENCODING 'UTF8' TEMPLATE template0");
$node->safe_psql('postgres', "ALTER DATABASE itself SET search_path = public, partitioning");
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'itself', '-f', "$dumps/plain" ], 'restore: itself');
$node->poll_query_until('itself', q{SELECT queued = 0 FROM index_status}) or die 'timed out waiting for the queue';
is($node->safe_psql('itself', $wrong), '0', 'itself: nothing is wrong');

# Definitions and data apart: the items bring their entries themselves.
$node->command_ok([ 'pg_dump', "--$_-only", "--file=$dumps/$_", 'app' ], "dump: $_") foreach ('schema', 'data');
$node->safe_psql('postgres', "CREATE DATABASE apart ENCODING 'UTF8' TEMPLATE template0");
$node->safe_psql('postgres', "ALTER DATABASE apart SET search_path = public, partitioning");
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'apart', '-f', "$dumps/$_" ], "restore: $_")
  foreach ('schema', 'data');
is($node->safe_psql('apart', $flush), 't', 'apart: flush');
is($node->safe_psql('apart', $wrong), '0', 'apart: nothing is wrong');
is($node->safe_psql('apart', $entries), $expected, 'apart: entries');

# A standby shows what has been replayed, and does the rest when promoted.
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('index_queue_standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->safe_psql('app', q{UPDATE app SET attributes = jsonb_build_object('e', 'standby') WHERE sk LIKE '2%'});
$node->wait_for_catchup($standby);
is($standby->safe_psql('app', q{SELECT flush_index('app', 'byE', '60 s')}), 't', 'standby: it waits for the primary');
is($standby->safe_psql('app', $wrong), '0', 'standby: nothing is wrong');
$session = $node->background_psql('app');
$session->query_safe(q{BEGIN; LOCK TABLE "app_byE" IN SHARE MODE});
$node->safe_psql('app', q{UPDATE app SET attributes = jsonb_build_object('e', 'promoted') WHERE sk LIKE '3%'});
$node->wait_for_catchup($standby);
is($standby->safe_psql('app', q{SELECT flush_index('app', 'byE', '100 ms')}), 'f', 'standby: what is queued is not there yet');
$node->stop('immediate');
$standby->promote;
is($standby->safe_psql('app', $flush), 't', 'promoted: flush');
is($standby->safe_psql('app', $wrong), '0', 'promoted: nothing is wrong');
$standby->safe_psql('app', q{SELECT put_item('app', '{"pk": "new", "sk": "1", "e": "new"}')});
is($standby->safe_psql('app', "$flush; $wrong"), "t\n0", 'promoted: new changes are followed');
$standby->stop;
done_testing();
