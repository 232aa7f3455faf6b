# Money is neither made nor lost, two checks never pass each other, and one
# token is one transaction.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('bank', conf => "max_connections = 40\nlog_statement = none\nlog_min_messages = fatal\n");

make_database($node, 'app');

my $conninfo = $node->connstr('app');

command_ok(
	[
		'python3', 'test/history/bank.py',
		$conninfo, '--transfers', $ENV{TRANSACTIONS} // 100000
	],
	'8 writers move money among 10 accounts, every sum is right');
command_ok([ 'python3', 'test/history/skew.py', $conninfo ],
	'16 clients in 200 rounds: no write skew, one token is applied once');
done_testing();
