# What could be in the way of asynchronous indexes, and of their writers: rows
# that move while the index is being filled, though no entry changes; a user who
# tries commands that want the database for themselves, which he may not use;
# and a transaction that is older than the lag that is permitted.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $items = 40_000;
my $node = new_node('index_hold', conf => "max_wal_size = 1GB\n");

make_database($node, 'app');

# Half of the items go to the end of the table, or to where there is room in
# what has been read, in the middle of the filling.
$node->safe_psql('app', qq{
SELECT create_table('moved', 'id');
INSERT INTO moved SELECT 'K' || i, jsonb_build_object('a', 'A' || i, 'n', 1, 'x', repeat(md5(i::text), 20))
FROM generate_series(1, $items) AS i;
});
my $in_time = 0;
for my $try (1 .. 20)
{
	$node->safe_psql('app',
		q{SELECT create_global_index('moved', 'by_a', 'a', projection => 'KEYS_ONLY')});
	$node->poll_query_until('app', 'SELECT EXISTS (SELECT FROM partitioning.index_state WHERE items_done > 0)')
	  or die 'timed out waiting for the filling';
	my $left = $node->safe_psql('app', qq{
BEGIN;
LOCK TABLE moved IN ACCESS EXCLUSIVE MODE;
SELECT coalesce(sum(items_total - items_done), 0) FROM partitioning.index_state WHERE leaf IS NOT NULL;
UPDATE moved SET attributes = attributes || '{"n": $try}'::jsonb WHERE substr(pk, 2)::int > $items / 2;
COMMIT;
});
	is($node->safe_psql('app', q{SELECT flush_index('moved', 'by_a', '180 s')}),
		't', "the index is made, attempt $try");
	is($node->safe_psql('app', q{SELECT count(*) FROM verify_index('moved', 'by_a')}),
		'0', 'all items are in it, also those whose rows have moved');
	$in_time = 1 if $left > 0;
	last if $in_time;
	$node->safe_psql('app', q{SELECT drop_index('moved', 'by_a')});
}
ok($in_time, 'rows were moved in the middle of the filling');

# The worker comes although the transaction of the failed command goes on.
$node->safe_psql('app', 'CREATE ROLE nobody LOGIN');
my $session = $node->background_psql('postgres', extra_params => [ '-U', 'nobody' ]);
$session->query_safe(q{
BEGIN;
DO $$ BEGIN ALTER DATABASE app RENAME TO other; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
});
$node->safe_psql('app', q{SELECT put_item('moved', '{"id": "new", "a": "new"}')});
is($node->safe_psql('app', q{SELECT flush_index('moved', 'by_a', '30 s')}),
	't', 'a command that was refused keeps no worker away');
is($session->query_safe(q{SELECT 'still in it'}), 'still in it',
	'its transaction is open all the time');
$session->query_safe('COMMIT');
$session->quit;

# How long a transaction has been open is no lag of the indexes.
$session = $node->background_psql('app');
$session->query_safe('SET partitioning.index_max_lag = 1000');
$session->query_safe('BEGIN');
$node->poll_query_until('app',
	q{SELECT max(clock_timestamp() - xact_start) > '1.5 s' FROM pg_stat_activity WHERE state = 'idle in transaction'})
  or die 'timed out waiting for the transaction to be old';
$session->query_safe(q{
SELECT put_item('moved', jsonb_build_object('id', 'old' || i, 'a', 'old')) FROM generate_series(1, 3) AS i;
});
is($session->query_safe(q{SELECT count(*) FROM moved WHERE pk LIKE 'old%'}), 3,
	'an old transaction writes');
$session->query_safe('COMMIT');
$session->quit;
is($node->safe_psql('app', q{SELECT flush_index('moved', 'by_a', '30 s')}),
	't', 'what it has written is followed');
$node->stop;

done_testing();
