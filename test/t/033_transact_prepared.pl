# A prepared transaction keeps the keys that it has found absent, over a
# restart of the server, too.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('prepared', conf => "max_prepared_transactions = 2\n");

make_database($node, 'app');
$node->safe_psql('app', "SELECT partitioning.create_table('app', 'id')");

my $put = q(SET lock_timeout = '100ms';
	SELECT partitioning.put_item('app', '{"id": "A"}'));
my $insert = q(SET lock_timeout = '100ms';
	INSERT INTO app VALUES ('A', '{}'));

sub must_wait
{
	my ($when) = @_;

	for my $write ($put, $insert)
	{
		my ($rc, $out, $err) = $node->psql('app', $write);

		like($err, qr/canceling statement due to lock timeout/,
			"a new row waits $when");
	}
}

$node->safe_psql('app', q(
	BEGIN;
	SELECT partitioning.transact_write(ARRAY['{"check": {"table": "app",
		"key": {"id": "A"}, "condition": "attribute_not_exists(id)"}}'::partitioning.item]);
	PREPARE TRANSACTION 'absent'));
must_wait('for a prepared transaction');
$node->restart;
must_wait('for one that the server found when it started');
$node->safe_psql('app', "COMMIT PREPARED 'absent'");
$node->safe_psql('app', $put);
is($node->safe_psql('app', 'SELECT pk FROM app'), 'A',
	'and no longer when that has ended');

done_testing();
