# A hot standby answers get, query and scan like the primary, refuses writes
# clearly, and writes once it is promoted.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $primary = new_node('primary', allows_streaming => 1);

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

make_database($primary, 'app');
make_item_tables($primary, 'app');
$primary->wait_for_catchup($standby);

is(items_of($standby, 'app'), items_of($primary, 'app'), 'items');
is( definitions_of($standby, 'app'),
	definitions_of($primary, 'app'),
	'definitions');

my @reads = (
	q{SELECT get_item('Orders', '{"customer_id": "C#all", "order#id": "types"}')},
	q{SELECT get_item('blobs', '{"digest": {"$binary": "q80="}}')},
	q{SELECT query('Orders', 'customer_id = :c', '{":c": "C#2"}', scan_forward => false, max_items => 5)},
	q{SELECT query('readings', 'sensor = :s AND #at BETWEEN :a AND :b', '{":s": 3, ":a": 1, ":b": 20}', expression_names => '{"#at": "at"}')},
	q{SELECT scan('readings')},
	q{SELECT items, item_count, last_evaluated_key FROM scan_page('Orders', max_items => 10)}
);
compare_reads('after the first catch-up', @reads);

# One connection to the standby lives through changes on the primary: what it
# remembers must not go stale.
my $session = $standby->background_psql('app');
my $probe =
  q{SELECT get_item('Orders', '{"customer_id": "C#1", "order#id": "2026-1"}', 'amount')};
is($session->query_safe($probe), '{"amount": 1.25}', 'a connection reads');
$primary->safe_psql('app',
	q{SELECT update_item('Orders', '{"customer_id": "C#1", "order#id": "2026-1"}', 'SET amount = :t', '{":t": 2}')}
);
$primary->wait_for_catchup($standby);
is($session->query_safe($probe), '{"amount": 2}', 'and sees an update');
$primary->safe_psql('app', 'ALTER TABLE "Orders" RENAME TO orders_renamed');
$primary->safe_psql('app', q{SELECT create_table('Orders', 'PK')});
$primary->safe_psql('app',
	q{SELECT put_item('Orders', '{"PK": "C#1", "amount": 3}')});
$primary->wait_for_catchup($standby);
is( $session->query_safe(
		q{SELECT get_item('Orders', '{"PK": "C#1"}', 'amount')}),
	'{"amount": 3}',
	'and the new table of that name');
is( $session->query_safe($probe =~ s/'Orders'/'orders_renamed'/r),
	'{"amount": 2}',
	'and the old one under its new name');
$session->quit;
$primary->safe_psql('app', 'DROP TABLE "Orders"');
$primary->safe_psql('app', 'ALTER TABLE orders_renamed RENAME TO "Orders"');

# Deleted, vacuumed and reused space does not disturb reads on the standby.
$primary->safe_psql('app', q{
DELETE FROM readings WHERE sk > 10;
VACUUM readings;
SELECT put_item('readings', format(
        '{"sensor": %s, "at": %s, "reading": %s}', i % 5, i, i)::item)
FROM generate_series(1000, 1400) i});
$primary->wait_for_catchup($standby);
compare_reads('after delete, vacuum and insert', @reads);

foreach my $write (
	q{SELECT put_item('Orders', '{"customer_id": "x", "order#id": "x"}')},
	q{SELECT delete_item('Orders', '{"customer_id": "C#1", "order#id": "2026-1"}')},
	q{SELECT create_table('another', 'PK')})
{
	my ($status, undef, $error) = $standby->psql('app', $write);
	isnt($status, 0, "refused: $write");
	like(
		$error,
		qr/cannot execute .* (?:during recovery|in a read-only transaction)/,
		'and says why');
}

$standby->promote;
is( $standby->safe_psql('app',
		q{SELECT (try_put('Orders', '{"customer_id": "C#1", "order#id": "2026-1"}', 'attribute_not_exists(customer_id)')).applied}
	),
	'f',
	'the promoted standby evaluates a condition');
$standby->safe_psql('app',
	q{SELECT put_item('Orders', '{"customer_id": "C#1", "order#id": "promoted"}')}
);
is( $standby->safe_psql('app',
		q{SELECT count(*) FROM "Orders" WHERE pk = 'C#1' AND sk = 'promoted'}),
	'1',
	'and writes');

sub compare_reads
{
	my ($when, @queries) = @_;

	is($standby->safe_psql('app', $_),
		$primary->safe_psql('app', $_), "$when: $_")
	  foreach @queries;
	return;
}

$standby->stop;
$primary->stop;
done_testing();
