# An asynchronous index is made while writers go on, over a crash, and while
# the table is being rewritten.  ITEMS and CLIENTS make it a soak: see the
# Makefile.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use PartitioningTest;

my $items = $ENV{ITEMS} // 20_000;
my $clients = $ENV{CLIENTS} // 4;
my $node = new_node('index_online',
	conf => "max_connections = 40\nrestart_after_crash = on\nmax_wal_size = 1GB\n");
my $folder = PostgreSQL::Test::Utils::tempdir;

make_database($node, 'app');
$node->safe_psql('app', qq{
SELECT create_table('app', 'pk', 'sk');
INSERT INTO app SELECT 'P' || i % 1000, i, jsonb_build_object('e', 'E' || i % 100, 'n', i, 'x', repeat('x', 50))
FROM generate_series(1, $items) AS i;
});

my $script = "$folder/load.sql";
append_to_file($script, <<"END");
\\set i random(1, $items)
\\set p :i % 1000
\\set e random(0, 100)
\\set what random(0, 9)
\\if :what < 3
SELECT put_item('app', jsonb_build_object('pk', 'P' || :p, 'sk', :i::text, 'e', 'E' || :e, 'n', :i));
\\elif :what < 5
SELECT delete_item('app', jsonb_build_object('pk', 'P' || :p, 'sk', :i::text));
\\elif :what < 8
UPDATE app SET attributes = attributes || jsonb_build_object('e', 'F' || :e) WHERE pk = 'P' || :p AND sk = :i::text;
\\else
SELECT put_item('app', jsonb_build_object('pk', 'N' || :p, 'sk', :i::text, 'e', 'E' || :e, 'n', :i));
\\endif
END

sub start_load
{
	my $load = IPC::Run::start(
		[ 'pgbench', '-n', '-c', $clients, '-T', '3600', '-f', $script,
			$node->connstr('app') . ' application_name=load' ],
		'>', '/dev/null', '2>', '/dev/null');

	$node->poll_query_until('app',
		qq{SELECT count(*) = $clients FROM pg_stat_activity WHERE application_name = 'load'})
	  or die 'timed out waiting for the load';
	return $load;
}

sub stop_load
{
	my ($load) = @_;

	$node->safe_psql('app',
		q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'load'});
	$load->finish;
	return;
}

sub status
{
	my ($index) = @_;

	return $node->safe_psql('app', qq{SELECT status FROM index_status WHERE index_name = '$index'});
}

sub is_right
{
	my ($index, $name) = @_;

	is($node->safe_psql('app', qq{SELECT flush_index('app', '$index', '300 s')}), 't', "$name: it has followed");
	is(status($index), 'ACTIVE', "$name: it is active");
	is($node->safe_psql('app', qq{SELECT v FROM verify_index('app', '$index') AS v}), '', "$name: nothing is wrong");
	return;
}

my $load = start_load();

# An open transaction that knows nothing of the index has changed items: the
# index is not complete before it ends, and is right after that.
my $session = $node->background_psql('app');
$session->query_safe(q{BEGIN; UPDATE app SET attributes = attributes || '{"e": "open"}' WHERE sk = '7'});
is($node->safe_psql('app', q{SELECT create_global_index('app', 'byE', 'e', 'n', '{"n": "N"}')}), '"app_byE"',
	'making it waits for nobody');
is($node->safe_psql('app', q{SELECT flush_index('app', 'byE', '500 ms')}), 'f', 'it waits for the open transaction');
is(status('byE'), 'CREATING', 'and is not active before');
my $written = q{SELECT count(*) FROM app WHERE pk LIKE 'N%'};
my $before = $node->safe_psql('app', $written);
my ($code, undef, $error) = $node->psql('app', q{SELECT query('app', 'e = :e', '{":e": "E1"}', 'byE')});
like($error, qr/Cannot read from backfilling global secondary index: byE/, 'it cannot be read');
ok($node->poll_query_until('app', "SELECT ($written) > $before + 20"), 'writers go on');
is(status('byE'), 'CREATING', 'and it still waits');
$session->query_safe('COMMIT');
$session->quit;
is($node->safe_psql('app', q{SELECT flush_index('app', 'byE', '1800 s')}), 't', 'then it is made');
is($node->safe_psql('app', q{SELECT backfill_done = backfill_total AND backfill_done > 0 FROM index_status}), 't', 'all has been read');
stop_load($load);
is_right('byE', 'under load');

# Over a crash: it goes on where it was.
$load = start_load();
$node->safe_psql('app', q{SELECT create_global_index('app', 'crash', partition_keys => '{e,pk}', projection => 'KEYS_ONLY')});
$node->poll_query_until('app', q{SELECT backfill_done > 0 FROM index_status WHERE index_name = 'crash'})
  or die 'timed out waiting for the making of the index';
$node->stop('immediate');
$load->finish;
$node->start;
is_right('crash', 'crash');

# While the table is rewritten, and vacuumed
$load = start_load();
$node->safe_psql('app', q{SELECT create_global_index('app', 'moved', 'n', attribute_types => '{"n": "N"}', projection => 'INCLUDE', include => '{e}')});
$node->safe_psql('app', 'VACUUM FULL app');
$node->safe_psql('app', 'VACUUM app');
is($node->safe_psql('app', q{SELECT flush_index('app', 'moved', '1800 s')}), 't', 'it is made of a table that has moved');
stop_load($load);
is_right('moved', 'rewritten');

# Changed while it is made, under load
$load = start_load();
$node->safe_psql('app', q{SELECT create_global_index('app', 'sync', 'e', 'sk')});
$node->safe_psql('app', q{SELECT alter_index('app', 'sync', 'sync')});
$node->safe_psql('app', q{SELECT create_global_index('app', 'gone', 'e', 'sk')});
$node->safe_psql('app', q{SELECT drop_index('app', 'gone')});
$node->safe_psql('app', q{SELECT alter_index('app', 'byE', 'sync')});
$node->safe_psql('app', q{SELECT alter_index('app', 'crash', 'sync')});
$node->safe_psql('app', q{SELECT alter_index('app', 'crash', 'async')});
stop_load($load);
is_right($_, "$_, altered under load") foreach ('sync', 'byE', 'crash');
is($node->safe_psql('app', q{SELECT count(*) FROM index_state WHERE index_table::oid NOT IN (SELECT oid FROM pg_class)}),
	'0', 'what is dropped is forgotten');
$node->stop;
done_testing();
