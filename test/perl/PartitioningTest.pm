# PartitioningTest.pm
#
# Shared set-up of the server tests: a node that preloads the library, a
# database with the extension, item tables with every type of key and value,
# and what a database shows of them, to compare two nodes or two moments.

package PartitioningTest;

use strict;
use warnings;

use Exporter qw(import);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

our @EXPORT = qw(new_node start_again wait_until make_database make_item_tables item_tables
  items_of definitions_of);

# The tables that make_item_tables() makes, as SQL spells them.
my @item_tables = ('public."Orders"', 'public.readings', 'public.blobs',
	'shop.sessions');

# A started node with the library loaded, without JIT: compiling costs many
# times what the small queries of tests do.  INDEX_METHOD in the environment is
# that of its tables.  "conf" is added to its settings; the other arguments are
# those of init.
sub new_node
{
	my ($name, %init) = @_;
	my $conf = delete $init{conf} // '';
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(%init);
	$conf = "partitioning.index_method = $ENV{INDEX_METHOD}\n$conf"
	  if $ENV{INDEX_METHOD};
	$node->append_conf('postgresql.conf',
		"shared_preload_libraries = 'partitioning'\njit = off\n$conf");
	$node->start;
	return $node;
}

# Starts a node that was killed: its process and orphaned backends may be there
# for a moment, and keep the shared memory.
sub start_again
{
	my ($node) = @_;
	my $file = $node->data_dir . '/postmaster.pid';
	my ($pid) = -e $file ? slurp_file($file) =~ /^(\d+)/ : ();

	foreach my $try (1 .. 500)
	{
		last if !defined $pid || !kill(0, $pid);
		usleep(10_000);
	}
	foreach my $try (1 .. 100)
	{
		return if $node->start(fail_ok => 1);
		$node->stop('fast', fail_ok => 1);
		usleep(100_000);
	}
	die 'the server does not start again';
}

# Waits until a query answers neither nothing nor false, and returns that, while
# the server may be starting again.  A psql that cannot connect may be gone
# before the query has been written to it, which is an error of its own.
sub wait_until
{
	my ($node, $database, $query, $what) = @_;

	foreach my $try (1 .. 6000)
	{
		my ($code, $out) = eval { $node->psql($database, $query) };
		return $out if defined $code && $code == 0 && $out ne '' && $out ne 'f';
		usleep(20_000);
	}
	die "timed out waiting for $what";
}

# An empty database with the extension's schema in the search_path.
sub make_database
{
	my ($node, $database) = @_;

	$node->safe_psql('postgres',
		"CREATE DATABASE $database ENCODING 'UTF8' TEMPLATE template0");
	$node->safe_psql('postgres',
		"ALTER DATABASE $database SET search_path = public, partitioning");
	$node->safe_psql($database, 'CREATE EXTENSION partitioning');
	return;
}

sub item_tables
{
	return @item_tables;
}

# Item tables keyed by strings, numbers and bytes, with and without a sort
# key, in two schemas, one with a user's own column and index, two with a local
# index; a handful of items that hold every type of value.
sub make_item_tables
{
	my ($node, $database) = @_;

	$node->safe_psql($database, <<'END');
SELECT create_table('Orders', 'customer_id', 'order#id');
SELECT create_table('readings', 'sensor', 'at',
    attribute_types => '{"sensor": "N", "at": "N"}');
SELECT create_table('blobs', 'digest', attribute_types => '{"digest": "B"}',
    options => '{"index_method": "btree"}');
CREATE SCHEMA shop;
SET search_path = shop, public, partitioning;
SELECT create_table('sessions', 'PK', 'SK');
RESET search_path;

SELECT create_local_index('readings', 'byText', 'text',
    projection => 'KEYS_ONLY', templates => '{"text": "{reading}@{at}"}');

ALTER TABLE public."Orders" ADD COLUMN note text DEFAULT 'none';
CREATE INDEX orders_note ON public."Orders" (note);

SELECT put_item('Orders', item => format(
        '{"customer_id": "C#%s", "order#id": "2026-%s", "amount": %s}',
        i % 7, i, i * 1.25)::item)
FROM generate_series(1, 200) i;
SELECT put_item('Orders', item => $${
    "customer_id": "C#all", "order#id": "types",
    "string": "zwölf \"Stück\"", "number": -1234567890.0987654321,
    "small": 1E-130, "large": 9.9999999999999999999999999999999999999E+125,
    "bytes": {"$binary": "AP+AAQ=="}, "true": true, "false": false,
    "null": null, "list": [1, "two", [3], {}], "map": {"a": {"b": [null]}},
    "strings": {"$string_set": ["b", "a"]},
    "numbers": {"$number_set": [10, 9.5, -1]},
    "binaries": {"$binary_set": ["AA==", "AQ=="]},
    "wrapped": {"$map": {"$binary": "not bytes"}}, "empty": ""}$$);
SELECT put_item('readings', item => format(
        '{"sensor": %s, "at": %s, "reading": %s}', i % 5, i * 0.5, -i)::item)
FROM generate_series(1, 100) i;
SELECT create_local_index('Orders', 'by_amount', 'amount',
    attribute_types => '{"amount": "N"}');
SELECT put_item('blobs',
    '{"digest": {"$binary": "q80="}, "size": 2, "name": "two bytes"}');
SELECT put_item('shop.sessions',
    '{"PK": "S#1", "SK": "meta", "user": "U#1"}');
END
	return;
}

# All rows of all item tables, in an order that no index decides, and what
# their local indexes have.
sub items_of
{
	my ($node, $database) = @_;
	my $rows = '';

	foreach my $table (@item_tables)
	{
		$rows .= "$table\n"
		  . $node->safe_psql($database,
			"SELECT t FROM $table t ORDER BY t::text COLLATE \"C\"")
		  . "\n";
	}
	return $rows
	  . $node->safe_psql($database,
		q{SELECT scan('Orders', 'by_amount'); SELECT scan('readings', 'byText')}
	  );
}

# What a database says about its item tables: the extension's catalog,
# columns, constraints, indexes, triggers, replica identities, comments.
sub definitions_of
{
	my ($node, $database) = @_;

	return $node->safe_psql($database, <<'END');
\set relations 'SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname IN (\'public\', \'shop\')'
SELECT 'table', t FROM partitioning.tables t ORDER BY t::text COLLATE "C";
SELECT 'index', i FROM partitioning.indexes i ORDER BY i::text COLLATE "C";
SELECT 'relation', oid::regclass, relkind, relreplident, relpersistence,
    obj_description(oid, 'pg_class'), reloptions,
    pg_get_userbyid(relowner), relacl
FROM (:relations) c ORDER BY oid::regclass::text COLLATE "C";
SELECT 'column', c.oid::regclass, attnum, attname,
    format_type(atttypid, atttypmod), attcollation::regcollation, attnotnull,
    pg_get_expr(adbin, adrelid), attstorage, attgenerated,
    col_description(c.oid, attnum)
FROM (:relations) c
    JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
ORDER BY c.oid::regclass::text COLLATE "C", attnum;
SELECT 'index', i.indexrelid::regclass, indisunique, indisvalid,
    indisreplident, pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN (:relations) c ON c.oid = indrelid
ORDER BY i.indexrelid::regclass::text COLLATE "C";
SELECT 'constraint', conrelid::regclass, conname, contype, convalidated,
    pg_get_constraintdef(k.oid)
FROM pg_constraint k JOIN (:relations) c ON c.oid = conrelid
ORDER BY conrelid::regclass::text COLLATE "C", conname COLLATE "C";
SELECT 'trigger', tgrelid::regclass, tgenabled, pg_get_triggerdef(t.oid),
    obj_description(t.oid, 'pg_trigger')
FROM pg_trigger t JOIN (:relations) c ON c.oid = tgrelid
WHERE NOT tgisinternal
ORDER BY tgrelid::regclass::text COLLATE "C", tgname;
END
}

1;
