# A unique index under clients that write few keys crosswise, each in one call or
# statement: nobody ends in a deadlock, no key is taken twice, and nothing is
# wrong after backends and the server have been killed in the middle of it.
#
# GSI_SEED=... repeats the random choices, not the order of events.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $seed = $ENV{GSI_SEED} // int(rand(1e9));
note "GSI_SEED=$seed";
srand($seed);

my $node = new_node('unique', conf => "fsync = off\nrestart_after_crash = on");
make_database($node, 'app');
$node->safe_psql('app', <<'END');
SELECT create_table('app', 'pk'), create_table('other', 'pk');
SELECT create_global_index(t, 'byE', 'e', unique_key => true), create_global_index(t, 'byF', 'f', unique_key => true),
    create_global_index(t, 'all', 'e', 'pk', propagation => 'sync')
FROM unnest('{app,other}'::text[]) AS t;

CREATE FUNCTION random_item() RETURNS item VOLATILE LANGUAGE sql AS $$
    SELECT jsonb_build_object('pk', 'P' || (random() * 11)::int, 'e', 'E' || (random() * 15)::int, 'f', 'F' || (random() * 15)::int)::item
$$;
-- three items with different keys
CREATE FUNCTION random_items() RETURNS item[] VOLATILE LANGUAGE sql AS $$
    SELECT array_agg(i) FROM (SELECT DISTINCT ON (i ->> 'pk') i FROM (SELECT random_item() AS i FROM generate_series(1, 3)) AS s) AS d
$$;
-- One call or statement; that a key is taken is no failure.
CREATE FUNCTION write_once(kind int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    items item[] := random_items();
BEGIN
    CASE kind
        WHEN 0 THEN
            PERFORM batch_write('app', items);
        WHEN 1 THEN
            PERFORM batch_write('app', items[2:], ARRAY[jsonb_build_object('pk', items[1] -> 'pk')::item]);
        WHEN 2 THEN
            PERFORM transact_write(ARRAY(SELECT jsonb_build_object('put', jsonb_build_object('table', CASE WHEN random() < 0.5 THEN 'app' ELSE 'other' END, 'item', i))::item FROM unnest(items) AS i));
        WHEN 3 THEN
            INSERT INTO app SELECT 'N' || random(), i - 'pk' FROM unnest(items) AS i;
        WHEN 4 THEN
            DELETE FROM app WHERE pk = (SELECT pk FROM app WHERE pk LIKE 'N%' ORDER BY random() LIMIT 1);
        ELSE
            PERFORM put_item('app', items[1]);
    END CASE;
    RETURN 'written';
EXCEPTION
    WHEN unique_violation THEN
        RETURN 'taken';
END $$;
END

my $script = PostgreSQL::Test::Utils::tempdir . '/write.sql';
append_to_file($script, <<'END');
\set kind random(0, 5)
SELECT write_once(:kind);
END
my @pgbench = ('pgbench', '-n', '-c', '6', '-f', $script, '-h', $node->host,
	'-p', $node->port, "--random-seed=$seed");
my $wrong = q{SELECT string_agg(concat_ws(' ', table_name, index_name, v), E'\n') FROM item_indexes, verify_index(table_name, index_name) AS v};

$node->command_ok([ @pgbench, '-t', '500', 'app' ], 'crosswise');
is($node->safe_psql('app', $wrong), '', 'crosswise: nothing is wrong');
is($node->safe_psql('app', q{SELECT deadlocks FROM pg_stat_database WHERE datname = 'app'}),
	'0', 'crosswise: no deadlock');
cmp_ok($node->safe_psql('app', q{SELECT count(*) FROM "app_byE"}), '>', 0,
	'there are entries');

foreach my $round (1 .. 4)
{
	my $bench = IPC::Run::start([ @pgbench, '-T', '30', 'app' ],
		'>', '/dev/null', '2>', '/dev/null');
	my $before = $node->safe_psql('app',
		q{SELECT pg_current_wal_insert_lsn()});

	$node->poll_query_until('app',
		"SELECT pg_current_wal_insert_lsn() > '$before'::pg_lsn + 200000")
	  or die 'timed out waiting for writes';
	if ($round % 2 == 0)
	{
		$node->stop('immediate');
		$bench->finish;
		start_again($node);
	}
	else
	{
		my $pid = $node->safe_psql('app',
			q{SELECT min(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT write_once%'});

		kill('KILL', $pid);
		$bench->finish;
		wait_until($node, 'app', 'SELECT true', 'the server');
	}
	is($node->safe_psql('app', $wrong), '', "killed, round $round: nothing is wrong");
}

$node->stop;
done_testing();
