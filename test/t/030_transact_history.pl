# Transactions on several items are serializable with each other, with single
# operations and with plain SQL, also on items that do not exist.
#
# TRANSACTIONS sets the length of the history (make check-history).

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $transactions = $ENV{TRANSACTIONS} // 100000;
my $node = new_node('history', conf => "max_connections = 40\nlog_statement = none\nlog_min_messages = fatal\n");

make_database($node, 'app');

my $conninfo = $node->connstr('app');
my @command = ('python3', 'test/history/list_append.py', $conninfo);

command_ok([ @command, '--transactions', $transactions ],
	"no anomaly in $transactions transactions of 8 clients");
command_ok([ @command, '--transactions', 8000, '--without-locks' ],
	'an anomaly is found when absent keys are not locked');

done_testing();
