# What was committed is there after every kind of stop, and what was not is
# not.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('restart');

make_database($node, 'app');
make_item_tables($node, 'app');

my $items = items_of($node, 'app');
my $definitions = definitions_of($node, 'app');

foreach my $mode (qw(smart fast immediate))
{
	$node->stop($mode);
	$node->start;
	is(items_of($node, 'app'), $items, "items after a stop in mode $mode");
	is(definitions_of($node, 'app'),
		$definitions, "definitions after a stop in mode $mode");
	is( $node->safe_psql(
			'app',
			q{SELECT get_item('Orders', '{"customer_id": "C#1", "order#id": "2026-1"}', 'amount')}
		),
		'{"amount": 1.25}',
		"get by key after a stop in mode $mode");
}

# A transaction that is open when the server dies leaves nothing.
my $session = $node->background_psql('app');
$session->query_safe('BEGIN');
$session->query_safe(
	q{SELECT put_item('Orders', '{"customer_id": "C#1", "order#id": "open"}')}
);
$session->query_safe(
	q{SELECT delete_item('Orders', '{"customer_id": "C#1", "order#id": "2026-1"}')}
);
$node->stop('immediate');
eval { $session->quit };
$node->start;
is(items_of($node, 'app'), $items, 'an open transaction leaves no trace');

$node->stop;
done_testing();
