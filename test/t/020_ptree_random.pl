# Random changes and VACUUM: after each round every index is sound, and its
# scans return what sequential scans return.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use PtreeTest;

my $rounds = $ENV{PTREE_ROUNDS} // 6;
my $seed = $ENV{PTREE_SEED} // sprintf('%.6f', rand(1));

note "PTREE_SEED=$seed";

my $node = new_node('random');

make_database($node, 'app');
ptree_schema($node, 'app');

for my $round (1 .. $rounds)
{
	my $round_seed = $seed * $round / ($rounds + 1);

	for my $table (ptree_tables())
	{
		my $kind = ptree_kind($table);

		$node->safe_psql('app',
			"SELECT setseed($round_seed); SELECT random_changes('$table', '$kind', 6)"
		);
		$node->safe_psql('app', "VACUUM $table") if $round % 2 == 0;
		$node->safe_psql('app', "REINDEX INDEX CONCURRENTLY ${table}_index")
		  if $round % 4 == 3;
	}
	is(ptree_verify($node, 'app', $round_seed, 60),
		'', "round $round of seed $seed")
	  or last;
}

# emptied indexes give their pages back and can be filled again
for my $table (ptree_tables())
{
	my $kind = ptree_kind($table);
	my $blocks = "SELECT pg_relation_size('${table}_index') / 8192";
	my $size = $node->safe_psql('app', $blocks);

	$node->safe_psql('app', "DELETE FROM $table");
	$node->safe_psql('app', "VACUUM $table");
	$node->safe_psql('app', "SELECT pg_current_xact_id()");
	$node->safe_psql('app', "VACUUM $table");
	is( $node->safe_psql(
			'app', "SELECT entries FROM ptree_stats('${table}_index')"),
		'0',
		"no entries are left in $table");
	cmp_ok(
		$node->safe_psql(
			'app', "SELECT leaf_pages FROM ptree_stats('${table}_index')"),
		'<=',
		$size / 20 + 2,
		"empty pages of $table are deleted");
	$node->safe_psql('app', "SELECT random_changes('$table', '$kind', 5)");
	is( $node->safe_psql(
			'app', "SELECT ($blocks) = $size OR unused_pages = 0
				FROM ptree_stats('${table}_index')"),
		't',
		"the pages of $table are used again");
}
is(ptree_verify($node, 'app', $seed, 30), '', 'after all');

$node->stop;
done_testing();
