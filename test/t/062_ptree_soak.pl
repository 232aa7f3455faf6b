# Eight clients that insert, update, delete, run VACUUM and roll back, beside
# readers that compare index scans of both directions with sequential scans
# under one snapshot, for PTREE_SECONDS; then all indexes are sound and complete.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use PtreeTest;

my $seconds = $ENV{PTREE_SECONDS} // 60;
my $node = new_node('soak', conf => "autovacuum_naptime = 1s\nmax_wal_size = 4GB\n");

make_database($node, 'app');
ptree_schema($node, 'app');

my $load = ptree_load($node, 'app', 8);
my $readers = ptree_read_load($node, 'app', 2);
my $end = time + $seconds;
my $checks = 0;
my $faults = '';

while (time < $end && $faults eq '')
{
	foreach my $table (ptree_tables())
	{
		my ($ret, $out, $err) =
		  $node->psql('app', "SELECT ptree_check('${table}_index', true)");

		$faults .= "$table: $err\n" if $err ne '';
	}
	$checks++;
}
is($faults, '', "$checks checks of all indexes beside writers");
ok($load->pumpable, 'the writers have not stopped');
ok($readers->pumpable, 'the readers have not stopped');
$_->kill_kill foreach $load, $readers;

is(ptree_verify($node, 'app', 0.5, 60), '', 'after all');
is(ptree_log_faults($node), '', 'the log');
note $node->safe_psql('app',
	"SELECT '$_', (SELECT (leaf_pages, unused_pages, entries) FROM ptree_stats('${_}_index'))")
  foreach ptree_tables();
$node->stop;
done_testing();
