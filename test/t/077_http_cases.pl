# The requests of test/wire over HTTP: the answers that dynamodb() gives.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningHttp;
use PartitioningTest;
use WireCases;

my ($node, $port) = new_endpoint('http_cases');

# All of them on one connection, each after the answer to the one before.
sub ask
{
	my $client = PartitioningHttp->connect($port);
	my @answers;

	foreach my $request (@_)
	{
		my $answer = $client->call(@$request);
		die "no answer to $request->[0] $request->[1]" if !$answer;
		my ($error) = $answer->{body} =~ /^\{"__type":"[^"]*#(\w+)"/;

		die "$request->[0] $request->[1]: status $answer->{status}, $answer->{body}"
		  if ($answer->{status} == 200) != !defined $error;
		push @answers,
		  [ $answer->{status} == 200 ? undef : $error, $answer->{body} ];
	}
	return @answers;
}

my $run = 0;
foreach my $file (wire_case_files("$FindBin::RealBin/../wire"))
{
	$run += run_wire_cases($file, \&ask, http => 1);
	is( $node->safe_psql(
			'app', 'SELECT count(*) FROM partitioning.item_tables'),
		'0',
		'its tables are gone');
}
cmp_ok($run, '>=', 900, "$run requests");

$node->stop;
done_testing();
