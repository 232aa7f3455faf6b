# Writers, VACUUM and long scans at the same time: every scan of a partition
# that nobody changes returns all of it, and afterwards the indexes are sound.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use PtreeTest;

my $checks = $ENV{PTREE_CHECKS} // 6;
my $node = new_node('concurrency', conf => "autovacuum_naptime = 1s\n");

make_database($node, 'app');
ptree_schema($node, 'app');

# Partitions that stay as they are, among those that change.
$node->safe_psql('app',
	q{INSERT INTO pk_sk (pk, sk, d, v)
	  SELECT 'fixed' || p, 'k' || i, 0, NULL
	  FROM generate_series(1, 5) p, generate_series(1, 2000) i});
$node->safe_psql('app', q{
	CREATE FUNCTION fixed_faults() RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		result text;
		direction text;
	BEGIN
		PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true);
		FOREACH direction IN ARRAY '{ASC,DESC}'::text[] LOOP
			FOR p IN 1 .. 5 LOOP
				EXECUTE format($q$SELECT count(*) || ' ' || count(DISTINCT sk) || ' ' || count(*) FILTER (WHERE sorted)
					FROM (SELECT sk, coalesce(sk %s lag(sk) OVER (), true) AS sorted
						FROM (SELECT sk FROM pk_sk WHERE pk = %L ORDER BY sk %s OFFSET 0) s) t$q$,
					CASE direction WHEN 'ASC' THEN '>' ELSE '<' END, 'fixed' || p, direction) INTO result;
				IF result <> '2000 2000 2000' THEN
					RETURN NEXT format('partition %s %s: %s', p, direction, result);
				END IF;
			END LOOP;
		END LOOP;
	END $$});

my $load = ptree_load($node, 'app', 8);

for my $check (1 .. $checks)
{
	is($node->safe_psql('app', 'SELECT fixed_faults()'),
		'', "scans beside writers, $check");

	for my $table (ptree_tables())
	{
		my ($ret, $out, $err) =
		  $node->psql('app', "SELECT ptree_check('${table}_index', true)");

		is($err, '', "check of $table beside writers, $check");
	}
	if ($check % 3 == 0)
	{
		$node->safe_psql('app', 'REINDEX INDEX CONCURRENTLY pk_sk_index');
	}
}

ok($load->pumpable, 'the load has not stopped');
note $node->safe_psql('app', 'SELECT count(*), pg_size_pretty(pg_relation_size(\'pk_sk_index\')) FROM pk_sk');
$load->kill_kill;
is(ptree_verify($node, 'app', 0.5, 60), '', 'after all');
is(ptree_log_faults($node), '', 'the log');
$node->stop;
done_testing();
