# PartitioningTest.pm
#
# Shared set-up of the server tests: a node that preloads the library, a
# database with the extension, and small helpers to compare what two nodes or
# two moments show.

package PartitioningTest;

use strict;
use warnings;

use Exporter qw(import);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_node make_database);

# A started node with the library loaded; init arguments pass through.
sub new_node
{
	my ($name, %init) = @_;
	my $conf = delete $init{conf} // '';
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(%init);
	$node->append_conf('postgresql.conf',
		"shared_preload_libraries = 'partitioning'\n$conf");
	$node->start;
	return $node;
}

# A database that has the extension, its schema in the search_path.
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

1;
