# A server that is killed in the middle of transactions leaves of each all or
# nothing, its token included.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use PartitioningTest;

my $node = new_node('crash', conf => "max_connections = 40\nlog_statement = none\nrestart_after_crash = on\n");
my $folder = PostgreSQL::Test::Utils::tempdir();

make_database($node, 'app');
$node->safe_psql('app',
	q{SELECT create_table('left', 'id'), create_table('right', 'id')});

my @command = ('python3', 'test/history/crash.py');
my @arguments = ($node->connstr('app'), $folder);

for my $cycle (1 .. 5)
{
	my $before = $node->safe_psql('app', 'SELECT count(*) FROM "left"');
	my $work = IPC::Run::start([ @command, 'work', @arguments ]);

	# let some transactions through, then strike at a random moment
	$node->poll_query_until('app',
		"SELECT count(*) > $before + 50 FROM \"left\"");
	usleep(int(rand(200_000)));
	if ($cycle % 2)
	{
		$node->kill9;
	}
	else
	{
		# one backend alone: the others are made to end, too
		my $pid = $node->safe_psql('app',
			q{SELECT pid FROM pg_stat_activity
			  WHERE query LIKE '%transact_write%' AND pid <> pg_backend_pid() LIMIT 1}
		);
		kill 'KILL', $pid;
	}
	$work->finish;
	if ($cycle % 2)
	{
		start_again($node);
	}
	else
	{
		wait_until($node, 'app', 'SELECT true', 'the server');
	}
	command_ok([ @command, 'check', @arguments ],
		"crash $cycle: all or nothing, and once");
}

done_testing();
