# Dump and restore, in each way that pg_dump offers, loses nothing: items, the
# extension's catalog, columns, indexes, constraints, triggers and comments
# are equal, and the restored tables work.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('dump');
my $dumps = PostgreSQL::Test::Utils::tempdir;

make_database($node, 'source');
make_item_tables($node, 'source');

my $items = items_of($node, 'source');
my $definitions = definitions_of($node, 'source');

# Dumps of the same source in every shape.
my %dump = (
	plain => ['--format=plain', "--file=$dumps/plain"],
	custom => ['--format=custom', "--file=$dumps/custom"],
	parallel => [ '--format=directory', '--jobs=2', "--file=$dumps/parallel" ],
	inserts => ['--format=plain', '--inserts', "--file=$dumps/inserts"],
	schema => ['--format=plain', '--schema-only', "--file=$dumps/schema"],
	data => ['--format=plain', '--data-only', "--file=$dumps/data"]);
foreach my $name (sort keys %dump)
{
	$node->command_ok([ 'pg_dump', @{ $dump{$name} }, 'source' ],
		"dump: $name");
}

# How each database is made again: a list of commands.
my @psql = ('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1');
my %restore = (
	plain => [ [ @psql, '-f', "$dumps/plain" ] ],
	inserts => [ [ @psql, '-f', "$dumps/inserts" ] ],
	custom => [ ['pg_restore', '--exit-on-error', "$dumps/custom"] ],
	single => [
		[ 'pg_restore', '--single-transaction', "$dumps/custom" ]
	],
	parallel => [
		[ 'pg_restore', '--exit-on-error', '--jobs=2', "$dumps/parallel" ]
	],
	sections => [
		map { [ 'pg_restore', '--exit-on-error', "--section=$_", "$dumps/custom" ] }
		  qw(pre-data data post-data)
	],
	separate =>
	  [ [ @psql, '-f', "$dumps/schema" ], [ @psql, '-f', "$dumps/data" ] ]);

foreach my $name (sort keys %restore)
{
	my $database = "restored_$name";

	$node->safe_psql('postgres',
		"CREATE DATABASE $database ENCODING 'UTF8' TEMPLATE template0");
	$node->safe_psql('postgres',
		"ALTER DATABASE $database SET search_path = public, partitioning");
	foreach my $command (@{ $restore{$name} })
	{
		$node->command_ok([ @$command, '-d', $database ],
			"restore: $name, @$command[1 .. $#$command]");
	}
	is(items_of($node, $database), $items, "$name: items");
	is(definitions_of($node, $database), $definitions, "$name: definitions");
	check_restored_tables($database, $name);
}

# The tables of a restored database are item tables like any other.
sub check_restored_tables
{
	my ($database, $name) = @_;

	is( $node->safe_psql(
			$database,
			q{SELECT count(*) FROM (SELECT query('Orders', 'customer_id = :c', '{":c": "C#3"}')) q}
		),
		'29',
		"$name: query by key");
	is( $node->safe_psql(
			$database,
			q{SELECT query('Orders', 'customer_id = :c AND amount < :a', '{":c": "C#3", ":a": 10}', index_name => 'by_amount', projection => 'amount')}
		),
		'{"amount": 3.75}',
		"$name: query by a local index");
	is( $node->safe_psql(
			$database,
			q{SELECT (try_put('readings', '{"sensor": 1, "at": 0.5, "reading": 1}', 'attribute_not_exists(sensor)')).applied}
		),
		'f',
		"$name: a key that is there is found");
	is( $node->safe_psql(
			$database,
			q{SELECT update_item('Orders', '{"customer_id": "C#3", "order#id": "2026-3"}', 'SET amount = amount + :one', '{":one": 1}', return_values => 'UPDATED_NEW')}
		),
		'{"amount": 4.75}',
		"$name: update");
	my ($status, undef, $error) = $node->psql($database,
		q{INSERT INTO "Orders" (pk, sk, attributes) SELECT pk, sk, attributes FROM "Orders" LIMIT 1});
	isnt($status, 0, "$name: plain SQL cannot repeat a key");
	like($error, qr/duplicate key value/, "$name: and says so");
	return;
}

# One table alone: what belongs to it comes along once the extension is there.
$node->command_ok(
	[
		'pg_dump', '--format=custom', '--table=readings',
		"--file=$dumps/table", 'source'
	],
	'dump: one table');
make_database($node, 'one_table');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '-d', 'one_table', "$dumps/table" ],
	'restore: one table');
is( $node->safe_psql('one_table', 'SELECT count(*) FROM readings'),
	'100', 'one table: its rows');
$node->safe_psql('one_table',
	q{SELECT register_table('readings', 'sensor', 'at', '{"sensor": "N", "at": "N"}')}
);
is( $node->safe_psql(
		'one_table',
		q{SELECT get_item('readings', '{"sensor": 1, "at": 0.5}', 'reading')}),
	'{"reading": -1}',
	'one table: register_table makes it an item table again');
is( $node->safe_psql('one_table', <<'END'),
SELECT create_local_index('readings', 'byText', 'text',
    projection => 'KEYS_ONLY', templates => '{"text": "{reading}@{at}"}');
SELECT column_name FROM partitioning.indexes;
SELECT count(*) FROM pg_index WHERE indrelid = 'readings'::regclass;
SELECT count(*) FROM (SELECT scan('readings', 'byText')) AS s;
END
	"\ntext\n2\n100",
	'one table: create_local_index finds the column and index that are there');

$node->stop;
done_testing();
