# Tables with write shards are dumped and restored: at rest, and while their
# number of shards is changing.  The job of the restored database leaves items
# alone until there is a table to move them in: rows that are loaded later are
# found, and moved, too.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $items = 4000;
my $node = new_node('shard_dump');
my $dumps = PostgreSQL::Test::Utils::tempdir;

make_database($node, 'source');
$node->safe_psql('source', qq{
	SELECT create_table('events', 'PK', 'SK', write_shards => 4);
	SELECT create_table('traces', 'PK', 'SK', write_shards => 6, shard_by => 'random');
	SELECT create_global_index('events', 'byKind', 'kind', 'SK', write_shards => 3, propagation => 'sync');
	SELECT batch_write('events', ARRAY(
		SELECT jsonb_build_object('PK', 'd' || i % 3, 'SK', lpad(i::text, 6, '0'), 'kind', 'k' || i % 2)::item
		FROM generate_series(1, $items) AS i));
	SELECT batch_write('traces', ARRAY(
		SELECT jsonb_build_object('PK', 'd' || i % 3, 'SK', lpad(i::text, 6, '0'))::item
		FROM generate_series(1, 300) AS i));
});

# All that readers see, of tables that are at rest.
sub contents
{
	my ($database) = @_;

	return $node->safe_psql($database, q{
		SELECT t.table_name, t.write_shards, t.shard_by, c.convalidated, pg_get_constraintdef(c.oid)
		FROM item_tables AS t JOIN pg_constraint AS c
			ON c.conrelid = t.table_name::regclass AND c.conname = 'shard_check'
		ORDER BY 1;
		SELECT stxname FROM pg_statistic_ext ORDER BY 1;
		SELECT t, d, count(*), count(DISTINCT q->>'SK') FROM unnest('{events,traces}'::text[]) AS t, generate_series(0, 2) AS d,
			LATERAL query(t, 'PK = :p', jsonb_build_object(':p', 'd' || d)::item) AS q
		GROUP BY t, d ORDER BY t, d;
		SELECT count(*) FROM query('events', 'kind = :k', '{":k": "k1"}', index_name => 'byKind');
		SELECT verify_index('events', 'byKind');
		SELECT count(get_item('events', jsonb_build_object('PK', shard_base(pk), 'SK', sk))),
			bool_and(pk = shard_key('events', shard_base(pk), sk)) FROM events;
		SELECT count(get_item('traces', jsonb_build_object('PK', shard_base(pk), 'SK', sk))) FROM traces;
	});
}

sub restore
{
	my ($database, @options) = @_;

	$node->command_ok(
		[ 'pg_restore', '--exit-on-error', '-d', $database, @options, "$dumps/dump" ],
		"restore: @options");
	return;
}

sub make_restored
{
	my ($database) = @_;

	$node->safe_psql('postgres',
		"CREATE DATABASE $database ENCODING 'UTF8' TEMPLATE template0");
	$node->safe_psql('postgres',
		"ALTER DATABASE $database SET search_path = public, partitioning");
	return;
}

sub await_reshards
{
	my ($database) = @_;

	ok( $node->poll_query_until($database,
			q{SELECT NOT EXISTS (SELECT FROM reshard_status) AND
				(SELECT bool_and(convalidated) FROM pg_constraint WHERE conname = 'shard_check')}),
		"$database: all is moved");
	return;
}

$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dumps/dump", 'source' ],
	'dump at rest');
make_restored('at_rest');
restore('at_rest');
is(contents('at_rest'), contents('source'), 'restored at rest');

# While somebody locks the table, the job does not get on.
my $holder = $node->background_psql('source');
$holder->query_safe(q{
	SELECT reshard('events', 9);
	BEGIN;
	LOCK TABLE events IN SHARE MODE;});
is( $node->safe_psql('source', 'SELECT table_name, former_shards, shards, status FROM reshard_status'),
	'events|4|9|moving', 'the number of shards is changing');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dumps/dump", 'source' ],
	'dump of a table that is changing');
$holder->query_safe('COMMIT;');
$holder->quit;
await_reshards('source');

make_restored('at_once');
restore('at_once');
await_reshards('at_once');
is(contents('at_once'), contents('source'), 'restored at once');

# The rows come when the job has seen the table empty: it goes through tables
# by name, so after the last one it has been at the first.
my ($list) = run_command([ 'pg_restore', '--list', "$dumps/dump" ]);
my @data = grep { / TABLE DATA / } split /\n/, $list;
my @late = grep { / TABLE DATA public / } @data;
my @early = grep { !/ TABLE DATA public / } @data;

append_to_file("$dumps/early", join("\n", @early) . "\n");
append_to_file("$dumps/late", join("\n", @late) . "\n");
make_restored('in_parts');
restore('in_parts', '--section=pre-data');
restore('in_parts', "--use-list=$dumps/early");
$node->safe_psql('in_parts', q{
	SELECT create_table('zebra', 'PK', 'SK', write_shards => 2);
	SELECT reshard('zebra', 3);
});
ok( $node->poll_query_until('in_parts',
		q{SELECT NOT EXISTS (SELECT FROM reshard_status WHERE table_name = 'zebra')}),
	'the job has been at all tables');
is( $node->safe_psql('in_parts', 'SELECT table_name, status FROM reshard_status'),
	'events|moving', 'and has left alone the one that has no rows yet');
restore('in_parts', "--use-list=$dumps/late");
restore('in_parts', '--section=post-data');
await_reshards('in_parts');
$node->safe_psql('in_parts', q{SELECT drop_table('zebra')});
is(contents('in_parts'), contents('source'), 'restored in parts');

$node->stop;
done_testing();
