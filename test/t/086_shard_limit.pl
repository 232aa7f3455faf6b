# LIMIT 10 over 64 shards reads 64 + 10 index entries at most, however many
# rows there are, in a plan, in query() and in query_page(); and no more pages
# of index and table than that takes.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $rows = $ENV{SHARD_ROWS} || 1000;	# of each shard
my $node = new_node('shard_limit', conf => "fsync = off\nautovacuum = off\nshared_buffers = 256MB\n");

make_database($node, 'app');
foreach my $method ('btree', 'ptree')
{
	my $table = "events_$method";
	my $batches = int($rows * 64 / 10000) + 1;

	$node->safe_psql('app', qq{
		SET partitioning.index_method = $method;
		SELECT create_table('$table', 'PK', 'SK', write_shards => 64);
		SELECT batch_write('$table', ARRAY(
			SELECT jsonb_build_object('PK', 'hot', 'SK', lpad((b * 10000 + i)::text, 9, '0'), 'n', i)::item
			FROM generate_series(1, 10000) AS i)) FROM generate_series(0, $batches - 1) AS b;
		VACUUM ANALYZE $table;
	});

	my %reads = (
		'plan' => qq{SELECT sk FROM $table WHERE shard_base(pk) = 'hot' ORDER BY sk DESC LIMIT 10},
		'query' => qq{SELECT q FROM query('$table', 'PK = :p', '{":p": "hot"}', scan_forward => false) AS q LIMIT 10},
		'page' => qq{SELECT * FROM query_page('$table', 'PK = :p', '{":p": "hot"}', scan_forward => false, max_items => 10)},
	);
	foreach my $read (sort keys %reads)
	{
		# the session's own counters are told when it ends
		my $before = counters($table);

		$node->safe_psql('app', $reads{$read});
		my $after = counters($table);
		my ($entries, $fetched) =
		  map { $after->[$_] - $before->[$_] } 0 .. 1;

		cmp_ok($entries, '<=', 74, "$method: entries read by $read");
		cmp_ok($entries, '>=', 64, "$method: $read looks into every shard");
		cmp_ok($fetched, '<=', 74, "$method: rows fetched by $read");
	}

	my $plan = $node->safe_psql('app',
		"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) $reads{plan}");

	like($plan, qr/Rows Read: 73\n/, "$method: the plan tells how much it reads");
	# for each shard a descent of at most four pages and the table's page
	my ($pages) = $plan =~ /Buffers: shared hit=(\d+)/;
	cmp_ok($pages, '<=', 64 * 5 + 10, "$method: pages of the plan");
}
$node->stop;
done_testing();

sub counters
{
	my ($table) = @_;
	my $row;

	# what ended sessions have counted may come a moment later
	$node->poll_query_until('app', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = 'app' AND backend_type = 'client backend'});
	$row = $node->safe_psql('app',
		"SELECT idx_tup_read, idx_tup_fetch FROM pg_stat_user_indexes WHERE indexrelname = '${table}_key'");
	return [ split /\|/, $row ];
}
