# The histories of 030 again, shorter ones, on tables of every kind and at every
# isolation level.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $transactions = $ENV{TRANSACTIONS} // 6000;
my $node = new_node('variants', conf => "max_connections = 40\nlog_statement = none\nlog_min_messages = fatal\n");

make_database($node, 'app');

my @command = ('python3', 'test/history/list_append.py', $node->connstr('app'),
	'--transactions', $transactions);

for my $table (qw(ptree unlogged partitioned triggers))
{
	command_ok([ @command, '--table', $table ],
		"no anomaly on a table of kind $table");
}
for my $level ('repeatable read', 'serializable')
{
	command_ok([ @command, '--isolation', $level ],
		"no anomaly at isolation level $level");
	command_ok([ @command, '--isolation', $level, '--table', 'ptree' ],
		"no anomaly at isolation level $level on a ptree");
}

done_testing();
