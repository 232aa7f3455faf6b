# Logical replication from an item table to an item table: inserts, updates
# and deletes by the item functions and by plain SQL arrive, and what arrived
# is found by key.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $publisher = new_node('publisher', allows_streaming => 'logical');
my $subscriber = new_node('subscriber');

foreach my $node ($publisher, $subscriber)
{
	make_database($node, 'app');
	$node->safe_psql('app', q{SELECT create_table('app', 'PK', 'SK')});
}

# An item that is there before the subscription comes with the first copy.
$publisher->safe_psql('app',
	q{SELECT put_item('app', '{"PK": "U#0", "SK": "before", "n": 0}')});
$publisher->safe_psql('app', 'CREATE PUBLICATION pub FOR TABLE app');
$subscriber->safe_psql('app',
	"CREATE SUBSCRIPTION sub CONNECTION '"
	  . $publisher->connstr
	  . " dbname=app' PUBLICATION pub");
$subscriber->wait_for_subscription_sync($publisher, 'sub', 'app');

sub same_items
{
	my ($what) = @_;
	my $all = 'SELECT t FROM app t ORDER BY pk, sk';

	$publisher->wait_for_catchup('sub');
	is( $subscriber->safe_psql('app', $all),
		$publisher->safe_psql('app', $all), $what);
	return;
}

sub found_by_key
{
	my ($key, $expected, $what) = @_;

	is($subscriber->safe_psql('app', "SELECT get_item('app', '$key')"),
		$expected, $what);
	return;
}

same_items('first copy');
found_by_key('{"PK": "U#0", "SK": "before"}',
	'{"PK": "U#0", "SK": "before", "n": 0}', 'first copy, by key');

$publisher->safe_psql('app', <<'END');
SELECT put_item('app', format('{"PK": "U#%s", "SK": "%s", "n": %s}', i % 5, i, i)::item)
FROM generate_series(1, 100) i;
INSERT INTO app VALUES ('U#1', 'plain', '{"n": -1}');
END
same_items('inserts');
found_by_key('{"PK": "U#1", "SK": "plain"}',
	'{"PK": "U#1", "SK": "plain", "n": -1}', 'an insert, by key');

$publisher->safe_psql('app', <<'END');
SELECT put_item('app', '{"PK": "U#1", "SK": "1", "n": "replaced"}');
SELECT update_item('app', '{"PK": "U#2", "SK": "2"}', 'SET n = n + :d', '{":d": 0.5}');
UPDATE app SET attributes = '{"n": "by SQL"}' WHERE pk = 'U#1' AND sk = 'plain';
END
same_items('updates');
found_by_key('{"PK": "U#2", "SK": "2"}',
	'{"PK": "U#2", "SK": "2", "n": 2.5}', 'an update, by key');

# An update of the key columns by plain SQL moves the item.
$publisher->safe_psql('app',
	q{UPDATE app SET sk = 'moved' WHERE pk = 'U#1' AND sk = 'plain'});
same_items('a moved item');
found_by_key('{"PK": "U#1", "SK": "plain"}', '', 'the old key is gone');

$publisher->safe_psql('app', <<'END');
SELECT delete_item('app', '{"PK": "U#2", "SK": "2"}');
DELETE FROM app WHERE pk = 'U#3';
END
same_items('deletes');
found_by_key('{"PK": "U#2", "SK": "2"}', '', 'a delete, by key');

is( $subscriber->safe_psql('app',
		q{SELECT count(*) FROM (SELECT query('app', 'PK = :p', '{":p": "U#1"}')) q}),
	$publisher->safe_psql('app', q{SELECT count(*) FROM app WHERE pk = 'U#1'}),
	'query on the subscriber');

$subscriber->stop;
$publisher->stop;
done_testing();
