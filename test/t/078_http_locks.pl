# A locked row does not stop a worker's other clients: requests for it are
# tried again until they get it or the time is over.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use PartitioningHttp;
use PartitioningTest;

my ($node, $port) = new_endpoint(
	'locks',
	conf => 'partitioning.http_workers = 1',
	sql => "SELECT create_table('app', 'PK', 'SK');"
	  . q{SELECT put_item('app', format('{"PK": "I#%s", "SK": "A", "n": 0}', i)::item) FROM generate_series(0, 99) i;}
);

sub add_one
{
	my ($client, $n) = @_;

	return $client->call('UpdateItem',
		qq({"TableName":"app","Key":{"PK":{"S":"I#$n"},"SK":{"S":"A"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"})
	);
}

sub get
{
	my ($client, $n) = @_;

	return $client->call('GetItem',
		qq({"TableName":"app","Key":{"PK":{"S":"I#$n"},"SK":{"S":"A"}}}));
}

my $client = PartitioningHttp->connect($port);
my $session = $node->background_psql('app');
$session->query_safe('BEGIN');
$session->query_safe(
	q{SELECT update_item('app', '{"PK": "I#0", "SK": "A"}', 'ADD n :n', '{":n": 100}')}
);

# Eight clients that want the locked item, over and over.
pipe(my $results, my $report) or die "pipe: $!";
my $child = fork() // die "fork: $!";
if ($child == 0)
{
	my @hot = map { PartitioningHttp->connect($port) } 1 .. 8;
	my %seen;
	my $shortest = 1e9;
	my $end = time + 5;

	while (time < $end)
	{
		my $begin = time;

		$_->send(
			$_->request('UpdateItem',
				'{"TableName":"app","Key":{"PK":{"S":"I#0"},"SK":{"S":"A"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}'
			)) foreach @hot;
		foreach my $one (@hot)
		{
			my $answer = $one->answer;
			my $duration = time - $begin;

			$seen{"$answer->{status} "
				  . ($answer->{body} =~ /#(\w+)"/ ? $1 : '') }++;
			$shortest = $duration if $duration < $shortest;
		}
	}
	syswrite $report,
	  join(',', sort keys %seen) . ' ' . ($shortest >= 0.2 ? 'late' : $shortest);
	POSIX::_exit(0);
}
close $report;

# Meanwhile all others are served.
my @times;
my $wrong = 0;
my $begin = time;
for (my $i = 0; time < $begin + 4; $i++)
{
	my $start = time;
	my $answer =
	  $i % 2 ? get($client, 1 + $i % 99) : add_one($client, 1 + $i % 99);

	push @times, 1000 * (time - $start);
	$wrong++ if $answer->{status} != 200;
}
@times = sort { $a <=> $b } @times;
is($wrong, 0, @times . ' requests for other items succeed');
cmp_ok($times[ int(0.99 * $#times) ], '<', 300, 'p99 of them, ms');
note "p50 $times[$#times / 2] ms, p99 $times[int(0.99 * $#times)] ms";
is(get($client, 0)->{body},
	'{"Item":{"PK":{"S":"I#0"},"SK":{"S":"A"},"n":{"N":"0"}}}',
	'the locked item can be read');
sysread $results, my $seen, 1000;
waitpid $child, 0;
is($seen, '400 TransactionConflictException late',
	'requests for the locked item are refused, not before their time');

# Of a transaction the reasons say which item it was.
my $answer = $client->call('TransactWriteItems',
	'{"TransactItems":['
	  . join(
		',',
		map {
			qq({"Update":{"TableName":"app","Key":{"PK":{"S":"I#$_"},"SK":{"S":"A"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}})
		} 1,
		0)
	  . ']}');
like(
	$answer->{body},
	qr/TransactionCanceledException.*"None".*"TransactionConflict"/,
	'a transaction with the locked item');

# Whoever may wait longer gets the item as soon as it is free.
$node->safe_psql('postgres',
	q{ALTER SYSTEM SET partitioning.http_lock_timeout = '60s'});
$node->reload;
foreach my $try (1 .. 600)
{
	last
	  if slurp_file($node->logfile) =~
	  /parameter "partitioning.http_lock_timeout" changed/;
	Time::HiRes::usleep(50_000);
}
get($client, 1) foreach 1 .. 10;
$begin = time;
$client->send(
	$client->request('UpdateItem',
		'{"TableName":"app","Key":{"PK":{"S":"I#0"},"SK":{"S":"A"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"}'
	));
ok( !IO::Select->new($client->{socket})->can_read(1),
	'a request that may wait does');
$session->query_safe('COMMIT');
is($client->answer->{body},
	'{"Attributes":{"n":{"N":"101"}}}',
	'and sees what the other has written');
$session->quit;

$node->stop;
done_testing();
