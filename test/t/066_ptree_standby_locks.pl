# Replay of a ptree index's records locks pages in the order in which everybody
# does.  ptree_check(), the only reader that locks two pages at a time, runs on
# a standby; if the order were another, the two could wait for each other for
# ever, and nothing but a restart would end that.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use PtreeTest;

my $primary = new_node(
	'primary',
	allows_streaming => 1,
	conf => "autovacuum = off\n");

use_fault_library($primary, 'app');
$primary->safe_psql('app', q{
	CREATE TABLE t (pk text NOT NULL, sk text COLLATE "C") WITH (vacuum_truncate = off);
	CREATE INDEX t_index ON t USING ptree (pk text_hash_ops, sk);
	INSERT INTO t SELECT 'p', lpad(i::text, 100, '0') FROM generate_series(1, 3000) i});
$primary->backup('base');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# The check holds the leftmost leaf page, which is empty already, and is about
# to lock the next one; the primary deletes the leftmost page, which is a change
# of the next one, too.
my $wait = $standby->data_dir . '/ptree_wait';

$primary->safe_psql('app', q{DELETE FROM t WHERE sk < lpad('1500', 100, '0')});
my ($ret, $out, $err) =
  $primary->psql('app', "SET ptree_test.fault = 'delete:error';\nVACUUM t;\n");

like($err, qr/ptree fault point "delete"/, 'a page is empty');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
append_to_file($wait, '');

my $check = $standby->background_psql('app');

$check->query_safe("SET ptree_test.fault = 'siblings:wait'");
$check->query_until(qr/begun/,
	"\\echo begun\nSELECT ptree_check('t_index');\n\\echo checked\n");
$primary->safe_psql('app', 'VACUUM t');
cmp_ok($primary->safe_psql('app', q{SELECT unused_pages FROM ptree_stats('t_index')}),
	'>', 0, 'pages have been deleted');

ok( $standby->poll_query_until('postgres', q{
		SELECT wait_event = 'BufferContent' FROM pg_stat_activity WHERE backend_type = 'startup'}),
	'replay waits for the page that the check has locked');
unlink $wait or die "could not remove $wait: $!";

my $replayed = $standby->poll_query_until('postgres', sprintf q{
		SELECT pg_last_wal_replay_lsn() >= '%s'}, $primary->lsn('insert'));

ok($replayed, 'replay goes on');
if (!$replayed)
{
	$standby->stop('immediate');
	done_testing();
	exit;
}
like($check->query_until(qr/checked/, "\n"), qr/checked/, 'the check ends');
$check->quit;

is( $standby->safe_psql('app', q{SELECT ptree_check('t_index', true)}),
	'', 'the index of the standby is sound');
$standby->stop;
$primary->stop;
done_testing();
