# One statement over many items runs in constant memory and holds a bounded
# number of locks.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

plan skip_all => 'reads /proc' unless -r '/proc/self/status';

my $items = 100_000;
my $growth_limit = 16 * 1024;    # kB
my $lock_limit = 50;
my $node = new_node('memory', conf => "work_mem = '4MB'\n");

make_database($node, 'app');
$node->safe_psql('app', <<'END');
SELECT create_table('app', 'PK', 'SK');
-- kB of this backend's own memory
CREATE FUNCTION own_memory() RETURNS int VOLATILE LANGUAGE sql AS $$
    SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::int
$$;
CREATE FUNCTION own_locks() RETURNS bigint VOLATILE LANGUAGE sql AS $$
    SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()
$$;
END

# Runs a statement that yields (n, anything) once to warm up and once in
# full, and compares the memory inside it with that before it.
sub bounded
{
	my ($what, $statement) = @_;
	my $measured = sub {
		my ($count) = @_;
		my $text = $statement =~ s/ITEMS/$count/gr;
		return <<"END";
SELECT max(CASE WHEN n % 1000 = 0 THEN own_memory() END),
    max(CASE WHEN n % 5000 = 0 THEN own_locks() END), count(value)
FROM ($text) s;
END
	};
	my $result = $node->safe_psql('app',
			$measured->(5000)
		  . "SELECT own_memory();\n"
		  . $measured->($items));
	my (undef, $before, $during) = split /\n/, $result;
	my ($memory, $locks, $count) = split /\|/, $during;

	is($count, $items, "$what: items");
	cmp_ok($memory - $before, '<', $growth_limit,
		"$what: growth in kB, from $before to $memory");
	cmp_ok($locks, '<', $lock_limit, "$what: locks held");
	return;
}

my $item = q{format('{"PK": "P#%s", "SK": "%s", "text": "some text", "n": %s}', n % 5000, n, n)::item};

bounded('put new',
	"SELECT n, coalesce(put_item('app', $item), '{}') AS value FROM generate_series(1, ITEMS) n"
);
bounded('put existing',
	"SELECT n, put_item('app', $item, return_values => 'ALL_OLD') AS value FROM generate_series(1, ITEMS) n"
);
bounded('update',
	q{SELECT n, update_item('app', format('{"PK": "P#%s", "SK": "%s"}', n % 5000, n)::item, 'SET n = n + :one', '{":one": 1}', 'n > :zero', return_values => 'NONE') IS NULL AS value FROM generate_series(1, ITEMS) n}
	  =~ s/\{":one": 1\}/{":one": 1, ":zero": 0}/r);
bounded('get',
	q{SELECT n, get_item('app', format('{"PK": "P#%s", "SK": "%s"}', n % 5000, n)::item) AS value FROM generate_series(1, ITEMS) n}
);
bounded('scan in the select list',
	q{SELECT row_number() OVER () AS n, value FROM (SELECT scan('app', max_items => ITEMS) AS value) s}
);
bounded('scan in FROM',
	q{SELECT row_number() OVER () AS n, value FROM scan('app', max_items => ITEMS) AS value}
);
bounded('delete',
	q{SELECT n, delete_item('app', format('{"PK": "P#%s", "SK": "%s"}', n % 5000, n)::item, return_values => 'NONE') IS NULL AS value FROM generate_series(1, ITEMS) n}
);

# A transaction of many single statements, too.
$node->safe_psql('app', <<'END');
CREATE PROCEDURE many_puts(first int, last int) LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN first .. last LOOP
        PERFORM put_item('app',
            format('{"PK": "T#%s", "SK": "%s"}', n % 100, n)::item);
    END LOOP;
END $$;
END
my ($before, $after, $locks) = split /\n/, $node->safe_psql('app', <<"END");
BEGIN;
CALL many_puts(1, 5000);
SELECT own_memory();
CALL many_puts(5001, $items);
SELECT own_memory();
SELECT own_locks();
COMMIT;
END
cmp_ok($after - $before, '<', $growth_limit,
	"one transaction: growth in kB, from $before to $after");
cmp_ok($locks, '<', $lock_limit, 'one transaction: locks held');

$node->stop;
done_testing();
