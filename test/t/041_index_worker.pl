# The background worker of asynchronous indexes: comes when it is wanted, goes
# when it is idle or in the way, comes again when it has died; bears it that
# the extension or a slot for it is missing; one index that fails holds up no
# other one, nor does a transaction that stays open.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use PartitioningTest;

my $node = new_node('index_worker', conf => <<'END');
max_worker_processes = 3
max_logical_replication_workers = 0
max_parallel_workers = 0
max_prepared_transactions = 2
partitioning.worker_idle_timeout = 60s
END

my $put = q{SELECT put_item('app', jsonb_build_object('id', 'I%s', 'e', 'E%s'))};

# A database with an asynchronous index that has been used.
sub make_app
{
	my ($database) = @_;

	make_database($node, $database);
	$node->safe_psql($database,
		q{SELECT create_table('app', 'id'); SELECT create_global_index('app', 'byE', 'e')});
	follows($database, 1, "$database: the index follows");
	return;
}

# A new item comes to the index.
sub follows
{
	my ($database, $n, $name) = @_;

	$node->safe_psql($database, sprintf($put, $n, $n));
	is( $node->safe_psql($database,
			qq{SELECT flush_index('app', 'byE', '60 s');
			   SELECT count(*) FROM query('app', 'e = :e', '{":e": "E$n"}', index_name => 'byE');
			   SELECT count(*) FROM verify_index('app', 'byE')}),
		"t\n1\n0", $name);
	return;
}

sub workers
{
	my ($database) = @_;

	return $node->safe_psql('postgres',
		qq{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'partitioning worker' AND datname = '$database'}
	);
}

# Waits for the worker of a database, or for there being none.
sub await_workers
{
	my ($database, $n) = @_;

	$node->poll_query_until('postgres',
		qq{SELECT count(*) = $n FROM pg_stat_activity WHERE backend_type = 'partitioning worker' AND datname = '$database'})
	  or die "timed out waiting for $n workers of $database";
	return;
}

make_app('one');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'partitioning launcher'}),
	'1', 'there is a launcher');
is(workers('one'), '1', 'there is a worker');
await_workers('postgres', 0);

# It goes for those who want the database for themselves.
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE one');
$node->safe_psql('postgres', 'ALTER DATABASE copy SET search_path = public, partitioning');
follows('copy', 2, 'a copy of a database has a worker of its own');
$node->safe_psql('postgres', 'ALTER DATABASE copy RENAME TO other');
follows('other', 3, 'it works under another name');
my ($code, undef, $error) = $node->psql('postgres', 'BEGIN; ALTER DATABASE other RENAME TO third; ROLLBACK');
is($code, 0, 'a rename that is rolled back');
follows('other', 4, 'it comes again after that');
$node->safe_psql('postgres', 'DROP DATABASE other');
is(workers('other'), '0', 'a dropped database has none');
follows('one', 5, 'the first one goes on');

# It comes again when it is ended, and so does the launcher.
$node->safe_psql('postgres',
	q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = 'partitioning worker'});
follows('one', 6, 'after the end of the worker');
$node->safe_psql('postgres',
	q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type LIKE 'partitioning %'});
follows('one', 7, 'after the end of worker and launcher');

# It bears it that the extension goes and comes, or is another one.
$node->safe_psql('one', 'DROP EXTENSION partitioning CASCADE; DROP TABLE app, "app_byE"');
$node->safe_psql('one',
	q{CREATE EXTENSION partitioning; SELECT create_table('app', 'id'); SELECT create_global_index('app', 'byE', 'e')});
follows('one', 8, 'the extension has been made anew');
$node->safe_psql('one', 'ALTER TABLE partitioning.index_queue_1 RENAME TO hidden');
$node->safe_psql('one', sprintf($put, 9, 9));
is($node->safe_psql('one', q{SELECT flush_index('app', 'byE', '0 s')}), 'f', 'half a queue: nothing is applied');
$node->safe_psql('one', 'ALTER TABLE partitioning.hidden RENAME TO index_queue_1');
follows('one', 10, 'the whole queue is there again');

# An index that fails holds up no other one, and says why.
$node->safe_psql('one', q{SELECT create_global_index('app', 'fails', 'e', projection => 'KEYS_ONLY')});
$node->safe_psql('one', q{SELECT flush_index('app', 'fails', '60 s')});
$node->safe_psql('one', 'CREATE UNIQUE INDEX only_one ON app_fails (pk)');
$node->safe_psql('one', sprintf($put, '11', 'same') . ';' . sprintf($put, '12', 'same'));
is($node->safe_psql('one', q{SELECT flush_index('app', 'byE', '60 s'); SELECT flush_index('app', 'fails', '1 s')}),
	"t\nf", 'one index fails, the other one follows');
is($node->safe_psql('one', q{SELECT index_name, queued, last_error FROM index_status ORDER BY 1}),
	qq{byE|0|\nfails|1|duplicate key value violates unique constraint "only_one"},
	'the status tells the error');
$node->safe_psql('one', 'DROP INDEX only_one');
is( $node->safe_psql('one', q{SELECT flush_index('app', 'fails', '60 s'); SELECT count(*) FROM verify_index('app', 'fails')}),
	"t\n0", 'and follows when the cause is gone');
$node->poll_query_until('one', q{SELECT last_error IS NULL FROM index_status WHERE index_name = 'fails'})
  or die 'timed out waiting for the error to be forgotten';
is($node->safe_psql('one', q{SELECT drop_index('app', 'fails')}), '', 'it can be dropped');

# A transaction that stays open is in nobody's way; what it has done comes
# when it is committed.
my $session = $node->background_psql('one');
$session->query_safe(q{BEGIN});
$session->query_safe(sprintf($put, 'open', 'open'));
my $begin = time;
my $waited = 0;
for (my $n = 20; time - $begin < 5; $n++)
{
	my $before = time;

	$node->safe_psql('one', sprintf($put, $n, $n) . q{; SELECT flush_index('app', 'byE', '60 s')});
	$waited = time - $before if time - $before > $waited;
}
cmp_ok($waited, '<', 4, 'nobody waits for the open transaction');
my $count = q{SELECT count(*) FROM query('app', 'e = :e', '{":e": "Eopen"}', index_name => 'byE')};
is($node->safe_psql('one', $count), '0', 'what is not committed is not there');
$session->query_safe('COMMIT');
$session->quit;
is($node->safe_psql('one', qq{SELECT flush_index('app', 'byE', '60 s'); $count}), "t\n1", 'what is committed comes');

# So it is with a prepared one, whose commit tells nobody.
$node->safe_psql('one', 'BEGIN; ' . sprintf($put, 'prepared', 'prepared') . q{; PREPARE TRANSACTION 'p'});
follows('one', 'other', 'a prepared transaction is in nobody\'s way');
$node->restart;
$node->safe_psql('one', q{COMMIT PREPARED 'p'});
$node->poll_query_until('one', q{SELECT count(*) = 1 FROM query('app', 'e = :e', '{":e": "Eprepared"}', index_name => 'byE')})
  or die 'timed out waiting for what was prepared';

# Writers are refused when the lag is too large, if that is wanted.
$session = $node->background_psql('one', on_error_stop => 0);
$session->query_safe(q{BEGIN; LOCK TABLE "app_byE" IN SHARE MODE});
$node->safe_psql('one', sprintf($put, 'lag', 'lag'));
$node->poll_query_until('one', q{SELECT max(lag_seconds) > 0.1 FROM index_status})
  or die 'timed out waiting for a lag';
($code, undef, $error) = $node->psql('one', q{\set VERBOSITY verbose
	SET partitioning.index_max_lag = 50;} . sprintf($put, 'lag', 'more'));
like($error, qr/ERROR:  IM006: The level of configured provisioned throughput for one or more global secondary indexes/,
	'a write is refused');
$node->safe_psql('one', sprintf($put, 'lag', 'unlimited'));
$session->query_safe('COMMIT');
$session->quit;
follows('one', 'done', 'nobody is locked out for ever');

# It ends when there is nothing to do, and comes when there is something.
$node->append_conf('postgresql.conf', "partitioning.worker_idle_timeout = 200ms\n");
$node->reload;
await_workers('one', 0);
follows('one', 'woken', 'it comes again');
await_workers('one', 0);

# Without a slot, writers go on, the log says why nothing is applied, and it is
# as soon as there is one.
$node->append_conf('postgresql.conf', "max_worker_processes = 2\n");
my $log = -s $node->logfile;
$node->restart;
make_app('two');
$node->append_conf('postgresql.conf', "partitioning.worker_idle_timeout = 60s\n");
$node->reload;
follows('two', 2, 'two: the one slot is used');
$node->safe_psql('one', sprintf($put, 'slot', 'slot'));
is($node->safe_psql('one', q{SELECT flush_index('app', 'byE', '100 ms')}), 'f', 'there is no slot for a worker');
$node->wait_for_log(qr/no slot for a background worker of partitioning; trying again/, $log);
$node->safe_psql('postgres', 'DROP DATABASE two');
follows('one', 'slot2', 'the slot of another one is used');

# Nothing is propagated without the library in shared_preload_libraries, but
# nothing is lost: flush_index() does it.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\nsession_preload_libraries = 'partitioning'\n");
$node->restart;
($code, undef, $error) = $node->psql('one', q{SELECT create_global_index('app', 'no', 'e')});
like($error, qr/ERROR:  asynchronous propagation needs the background worker of partitioning/,
	'no index that nobody would maintain');
follows('one', 'alone', 'flush_index() applies what is queued');
$node->stop;
done_testing();
