# What was committed is there after every kind of stop.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('restart');

make_database($node, 'app');

for my $mode (qw(smart fast immediate))
{
	$node->stop($mode);
	$node->start;
	is( $node->safe_psql(
			'app',
			"SELECT extversion FROM pg_extension WHERE extname = 'partitioning'"
		),
		'1.0',
		"the extension is there after a stop in mode $mode");
}

done_testing();
