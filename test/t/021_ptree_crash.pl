# A primary is killed under load, again and again, with a standby that compares
# every page it replays: after each restart the indexes of both are sound.
# Finally the standby is promoted under load.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use PtreeTest;

my $cycles = $ENV{PTREE_CYCLES} // 2;
my $megabytes = $ENV{PTREE_MEGABYTES} // 40;

# Runs the load until it has written so much WAL.
sub load_for_a_while
{
	my ($node) = @_;
	my $start = $node->lsn('insert');
	my $load = ptree_load($node, 'app', 6);

	$node->poll_query_until('app',
		"SELECT pg_current_wal_insert_lsn() - '$start' > $megabytes * 1048576")
	  or die 'the load writes nothing';
	return $load;
}

# Images in every record hide a fragment that is missing, hence long checkpoint
# distances, and no images at all in the second run.
for my $images (qw(on off))
{
	my $primary = new_node(
		"primary_$images",
		allows_streaming => 1,
		conf => qq{
			wal_consistency_checking = 'all'
			full_page_writes = $images
			checkpoint_timeout = 1h
			max_wal_size = 4GB
			wal_keep_size = 4GB
			hot_standby_feedback = off
			max_standby_streaming_delay = 1s
			autovacuum = off
		});

	make_database($primary, 'app');
	ptree_schema($primary, 'app');
	$primary->backup('base');

	my $standby = PostgreSQL::Test::Cluster->new("standby_$images");
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	$standby->start;

	my $readers = ptree_read_load($standby, 'app', 2);

	for my $cycle (1 .. $cycles)
	{
		my $load = load_for_a_while($primary);

		if ($cycle % 2 == 1)
		{
			$primary->kill9;
		}
		else
		{
			$primary->stop('immediate');
		}
		$load->finish;
		start_again($primary);

		is(ptree_verify($primary, 'app', 0.1 * $cycle, 20),
			'', "primary, images $images, crash $cycle");

		# leave little, so that pages are deleted, and used in the next cycle
		for my $table (ptree_tables())
		{
			$primary->safe_psql('app', $_)
			  for
			  "DELETE FROM $table WHERE pk <> (SELECT pk FROM $table LIMIT 1)",
			  "VACUUM $table";
		}
		cmp_ok(ptree_unused($primary, 'app'),
			'>', 0, 'pages have been deleted');
		is(ptree_verify($primary, 'app', 0.1 * $cycle, 5),
			'', "primary, images $images, emptied after crash $cycle");
		$primary->wait_for_catchup($standby, 'replay',
			$primary->lsn('insert'));
		is(ptree_verify($standby, 'app', 0.1 * $cycle, 20),
			'', "standby, images $images, crash $cycle");
	}

	my $load = load_for_a_while($primary);

	$primary->stop('immediate');
	$load->finish;
	$standby->promote;
	is(ptree_verify($standby, 'app', 0.9, 20),
		'', "promoted standby, images $images");

	$load = load_for_a_while($standby);
	$load->kill_kill;
	ok($readers->pumpable, 'readers on the standby have not stopped');
	$readers->kill_kill;
	is(ptree_verify($standby, 'app', 0.95, 20),
		'', "promoted standby after more changes, images $images");

	is(ptree_log_faults($primary), '', 'the log of the primary');
	is(ptree_log_faults($standby), '', 'the log of the standby');
	$standby->stop;
}

done_testing();
