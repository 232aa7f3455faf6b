# Every write whose reply reached the client is there after the server was
# killed with SIGKILL, and no write is there in part.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $cycles = 3;
my $writers = 4;
my $node = new_node('crash',
	conf => "checkpoint_timeout = 30s\nmax_wal_size = 64MB\n");

make_database($node, 'app');
$node->safe_psql('app', q{SELECT create_table('app', 'PK', 'SK')});

# What the clients were told: key -> version of the last acknowledged write,
# and how many writes of a transaction of two were acknowledged.
my %acknowledged;
my $version = 0;

# The statements of one client: each writes an item, then a pair of items in
# one transaction, and prints a line only after the server's reply.
sub script_of
{
	my ($writer, $first, $count) = @_;
	my $script = "\\set QUIET on\n\\pset tuples_only on\n\\o /dev/null\n";

	foreach my $v ($first .. $first + $count - 1)
	{
		my $n = $v % 50;
		$script .= <<"END";
SELECT put_item('app', '{"PK": "W#$writer", "SK": "$n", "v": $v}');
\\echo ack W#$writer $n $v
BEGIN;
SELECT put_item('app', '{"PK": "L#$writer", "SK": "$n", "v": $v}');
SELECT put_item('app', '{"PK": "R#$writer", "SK": "$n", "v": $v}');
COMMIT;
\\echo ack L#$writer $n $v
END
	}
	return $script;
}

foreach my $cycle (1 .. $cycles)
{
	my @clients;

	foreach my $writer (1 .. $writers)
	{
		my %client = (
			in => script_of($writer, $version + 1, 5000),
			out => '',
			err => '');
		$client{run} = IPC::Run::start(
			[
				$node->installed_command('psql'), '-X', '-q',
				'-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('app')
			],
			'<', \$client{in}, '>', \$client{out}, '2>', \$client{err},
			IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
		push @clients, \%client;
	}
	$version += 5000;

	# Kill when every client has written for a while.
	foreach my $client (@clients)
	{
		$client->{run}->pump
		  until ($client->{out} =~ tr/\n//) > 200 * $cycle;
	}
	$node->kill9;
	foreach my $client (@clients)
	{
		eval { $client->{run}->finish };
		$acknowledged{"$1/$2"} = $3
		  while ($client->{out} =~ /^ack (\S+) (\d+) (\d+)$/mg);
	}
	start_again($node);
	check($cycle);
}

sub check
{
	my ($cycle) = @_;
	my @lost;
	my %found;

	foreach my $line (
		split /\n/,
		$node->safe_psql(
			'app', q{SELECT pk || '/' || sk, attributes ->> 'v' FROM app}))
	{
		my ($key, $v) = split /\|/, $line;
		$found{$key} = $v;
	}
	foreach my $key (sort keys %acknowledged)
	{
		push @lost, $key
		  if !defined $found{$key} || $found{$key} < $acknowledged{$key};
	}
	cmp_ok(scalar(keys %acknowledged),
		'>', 0, "cycle $cycle: writes were acknowledged");
	is("@lost", '', "cycle $cycle: no acknowledged write is lost");

	my @torn = grep {
		my $right = s/^L/R/r;
		/^L/ && ($found{$_} // '') ne ($found{$right} // '')
	} sort keys %found;
	is("@torn", '', "cycle $cycle: no transaction is there in part");

	# The index and the table agree, each way.
	is( $node->safe_psql(
			'app', q{
SET enable_seqscan = on;
SELECT count(*) FROM app t
WHERE item_of(t) IS DISTINCT FROM get_item('app',
    item_of(t) - '{v}'::text[])}),
		'0',
		"cycle $cycle: every row is found by its key");
	is( $node->safe_psql('app', q{SELECT count(*) FROM (SELECT scan('app')) s}),
		scalar(keys %found),
		"cycle $cycle: a scan finds every row");
	return;
}

$node->stop;
done_testing();
