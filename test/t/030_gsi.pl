# Global indexes through dump and restore, logical replication, a crash, and
# writers that race.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('gsi', allows_streaming => 'logical',
	conf => 'wal_level = logical');
my $dumps = PostgreSQL::Test::Utils::tempdir;

make_database($node, 'source');
$node->safe_psql('source', <<'END');
SELECT create_table('app', 'pk', 'sk');
SELECT create_global_index('app', 'byE', 'e', 'n', '{"n": "N"}', propagation => 'sync');
SELECT create_global_index('app', 'byM', 'm', unique_key => true);
SELECT create_global_index('app', 'many', partition_keys => '{e,sk}', sort_keys => '{n,pk}', projection => 'KEYS_ONLY', propagation => 'sync');
INSERT INTO app SELECT 'P' || i % 10, i, jsonb_build_object('e', 'E' || i % 3, 'n', i, 'm', 'M' || i) FROM generate_series(1, 100) AS i;
DELETE FROM app WHERE pk = 'P3';
END

my $wrong = q{SELECT count(*) FROM item_indexes, verify_index(table_name, index_name)};
my $entries = q{SELECT e FROM "app_byE" AS e ORDER BY e::text COLLATE "C"};
my $source = $node->safe_psql('source', $entries);
is($node->safe_psql('source', $wrong), '0', 'source: nothing is wrong');

# Dump and restore
my %dump = (
	plain => [],
	schema => ['--schema-only'],
	data => ['--data-only']);
foreach my $name (sort keys %dump)
{
	$node->command_ok([ 'pg_dump', @{ $dump{$name} }, "--file=$dumps/$name", 'source' ],
		"dump: $name");
}
my %restore = (whole => ['plain'], separate => [ 'schema', 'data' ]);
foreach my $name (sort keys %restore)
{
	$node->safe_psql('postgres',
		"CREATE DATABASE $name ENCODING 'UTF8' TEMPLATE template0");
	$node->safe_psql('postgres',
		"ALTER DATABASE $name SET search_path = public, partitioning");
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $name,
			'-f', "$dumps/$_" ], "restore: $name, $_") foreach @{ $restore{$name} };
	is($node->safe_psql($name, $entries), $source, "$name: entries");
	is($node->safe_psql($name, $wrong), '0', "$name: nothing is wrong");
	$node->safe_psql($name, q{SELECT put_item('app', '{"pk": "P1", "sk": "1", "e": "moved", "n": 1}')});
	$node->safe_psql($name, q{DELETE FROM app WHERE pk = 'P2'});
	is($node->safe_psql($name, $wrong), '0', "$name: indexes follow");
	is( $node->safe_psql($name, q{SELECT count(*) FROM query('app', 'e = :e', '{":e": "moved"}', index_name => 'byE')}),
		'1', "$name: and are read");
	$node->safe_psql($name, q{TRUNCATE app});
	is($node->safe_psql($name, q{SELECT count(*) FROM "app_byE"}), '0',
		"$name: TRUNCATE is followed");
}

# Logical replication, of all tables: entries come twice and are there once.
my $subscriber = new_node('gsi_subscriber', allows_streaming => 'logical');
make_database($subscriber, 'target');
$subscriber->safe_psql('target', <<'END');
SELECT create_table('app', 'pk', 'sk');
SELECT create_global_index('app', 'byE', 'e', 'n', '{"n": "N"}', propagation => 'sync');
SELECT create_global_index('app', 'byM', 'm', unique_key => true);
SELECT create_global_index('app', 'many', partition_keys => '{e,sk}', sort_keys => '{n,pk}', projection => 'KEYS_ONLY', propagation => 'sync');
END
$node->safe_psql('source',
	'CREATE PUBLICATION everything FOR TABLES IN SCHEMA public');
my $connection = $node->connstr . ' dbname=source';
$subscriber->safe_psql('target',
	"CREATE SUBSCRIPTION everything CONNECTION '$connection' PUBLICATION everything");
$subscriber->wait_for_subscription_sync($node, 'everything', 'target');
is($subscriber->safe_psql('target', $entries), $source, 'subscriber: entries');
is($subscriber->safe_psql('target', $wrong), '0', 'subscriber: nothing is wrong');
$node->safe_psql('source', <<'END');
UPDATE app SET attributes = attributes || '{"e": "new"}' WHERE pk = 'P1';
UPDATE app SET attributes = app.attributes || jsonb_build_object('m', other.attributes ->> 'm') FROM app AS other WHERE app.pk = 'P5' AND other.pk = 'P5' AND other.sk::int = 100 - app.sk::int;
SELECT put_item('app', '{"pk": "Q", "sk": "1", "e": "put", "n": 5}');
SELECT delete_item('app', '{"pk": "P2", "sk": "2"}');
DELETE FROM app WHERE pk = 'P4';
END
$node->wait_for_catchup('everything');
is($subscriber->safe_psql('target', $entries), $node->safe_psql('source', $entries),
	'subscriber: entries follow');
is($subscriber->safe_psql('target', $wrong), '0', 'subscriber: still nothing is wrong');
$subscriber->stop;

# Writers that race for few items, half of them in long transactions.
my $script = "$dumps/race.sql";
append_to_file($script, <<'END');
\set p random(0, 4)
\set s random(0, 2)
\set e random(0, 3)
\set n random(0, 3)
\set what random(0, 5)
BEGIN;
SET LOCAL lock_timeout = '5s';
\if :what < 3
SELECT put_item('app', jsonb_build_object('pk', 'R' || :p, 'sk', :s::text, 'e', 'E' || :e, 'n', :n));
\elif :what = 3
SELECT delete_item('app', jsonb_build_object('pk', 'R' || :p, 'sk', :s::text));
\elif :what = 4
UPDATE app SET attributes = attributes || jsonb_build_object('n', :n) WHERE pk = 'R' || :p AND sk = :s::text;
\else
SELECT update_item('app', jsonb_build_object('pk', 'R' || :p, 'sk', :s::text), 'REMOVE n SET x = :x', jsonb_build_object(':x', :n));
\endif
\if :e = 0
ROLLBACK;
\else
COMMIT;
\endif
END
$node->command_ok([ 'pgbench', '-n', '-c', '6', '-t', '300', '-f', $script, 'source' ],
	'race');
is($node->safe_psql('source', $wrong), '0', 'race: nothing is wrong');

# A crash in the middle of it
my $bench = IPC::Run::start(
	[ 'pgbench', '-n', '-c', '6', '-T', '60', '-f', $script, '-h', $node->host, '-p', $node->port, 'source' ],
	'>', '/dev/null', '2>', '/dev/null');
$node->poll_query_until("source", q{SELECT count(*) > 20 FROM "app_byE" WHERE pk LIKE 'E%'})
  or die 'timed out waiting for writes';
$node->stop('immediate');
$bench->finish;
$node->start;
is($node->safe_psql('source', $wrong), '0', 'crash: nothing is wrong');

$node->stop;
done_testing();
