# What hostile or broken clients send to the HTTP endpoint: the right status,
# no crash, no growth, and everybody else is served meanwhile.

use strict;
use warnings;

# A thousand connections are more files than a process usually may open.
BEGIN
{
	if (!$ENV{MANY_FILES})
	{
		$ENV{MANY_FILES} = 1;
		exec 'sh', '-c', 'ulimit -n 4096 && exec "$@"', 'sh', $^X,
		  (map { "-I$_" } @INC), $0;
	}
}

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use PartitioningHttp;
use PartitioningTest;

my $requests = $ENV{REQUESTS} || 50_000;
my $seed = $ENV{SEED} || int(rand(1_000_000));
note "seed $seed";
srand($seed);

my ($node, $port) = new_endpoint(
	'hostile',
	conf => <<'END',
partitioning.http_header_timeout = 1s
partitioning.http_body_timeout = 1s
partitioning.http_max_connections = 1500
max_connections = 50
END
	sql => "SELECT create_table('app', 'PK', 'SK');"
	  . q{SELECT put_item('app', '{"PK": "U#1", "SK": "A", "n": 1}');});
my $get = '{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}';
my $item = '{"Item":{"PK":{"S":"U#1"},"SK":{"S":"A"},"n":{"N":"1"}}}';
my $megabyte = 1024 * 1024;

sub client
{
	return PartitioningHttp->connect($port, @_);
}

# The status of the answer to some bytes; 0 when the connection is closed
# without one.
sub status_of
{
	my ($bytes) = @_;
	my $client = client();
	my $answer;

	eval { $client->send($bytes) };
	$answer = eval { $client->answer };
	return $answer ? $answer->{status} : 0;
}

sub post
{
	my ($headers, $body) = @_;

	return join "\r\n", 'POST / HTTP/1.1',
	  'Content-Type: application/x-amz-json-1.0',
	  'X-Amz-Target: DynamoDB_20120810.GetItem', @$headers, '', $body;
}

sub chunked
{
	my ($body, $size) = @_;
	my $result = '';

	for (my $at = 0; $at < length $body; $at += $size)
	{
		my $part = substr $body, $at, $size;

		$result .= sprintf "%x\r\n%s\r\n", length $part, $part;
	}
	return post([ 'Host: localhost', 'Transfer-Encoding: chunked' ],
		"${result}0\r\n\r\n");
}

# Processes of the endpoint and what memory of their own they have, in kB.
sub memory
{
	my %memory;

	foreach my $pid (split /\n/,
		$node->safe_psql('postgres',
			q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'partitioning http'}
		))
	{
		($memory{$pid}) =
		  slurp_file("/proc/$pid/status") =~ /RssAnon:\s+(\d+)/;
	}
	return \%memory;
}

# How long each of some requests took, the p99 in milliseconds.
sub p99_of
{
	my ($client, $count) = @_;
	my @times;

	foreach my $i (1 .. $count)
	{
		my $begin = time;
		my $answer = $client->call('GetItem', $get);

		push @times, time - $begin;
		$answer->{body} eq $item or die "wrong answer: $answer->{body}";
	}
	@times = sort { $a <=> $b } @times;
	return 1000 * $times[ int(0.99 * $#times) ];
}

# The first connection of each process is as good as any other.
my @first = map { client() } 1 .. 16;
is( join(',', map { $_->call('GetItem', $get)->{status} } @first),
	join(',', (200) x 16),
	'first connections');
undef @first;

my $before = memory();

# Bodies around the limit, with a length and in chunks of all sizes.
my $large = 'x' x (16 * $megabyte + 1);
my $fitting = substr $large, 1;
is( status_of(
		post([ 'Host: localhost', 'Content-Length: ' . length $fitting ],
			$fitting)),
	400,
	'16 MB');
is( status_of(
		post([ 'Host: localhost', 'Content-Length: ' . length $large ], $large
		)),
	413,
	'16 MB and a byte');
is( status_of(post([ 'Host: localhost', 'Content-Length: 99999999999' ], '')),
	413, 'many GB are not waited for');
is(status_of(post([ 'Host: localhost', 'Content-Length: -1' ], '')),
	400, 'negative length');
is(status_of(post([ 'Host: localhost', 'Content-Length: 99999999999999999999999' ], '')),
	413, 'a length that is no number of any machine');
is(status_of(chunked($fitting, 65536)), 400, 'chunks of 16 MB');
is(status_of(chunked($large, 100_000)),
	413, 'chunks of 16 MB and a byte');
is(status_of(chunked($get, 1)), 200, 'chunks of a byte');
is( status_of(post([ 'Host: localhost', 'Transfer-Encoding: chunked' ],
			"fffffffffffffffff\r\n")),
	413,
	'a chunk of no size');

# Compressed bombs.
my $bomb = deflate_gzip("\0" x (17 * $megabyte));
cmp_ok(length $bomb, '<', 20_000, 'a small bomb');
is( status_of(
		post(
			[   'Host: localhost',
				'Content-Encoding: gzip',
				'Content-Length: ' . length $bomb ],
			$bomb)),
	413,
	'gzip bomb');
$bomb = deflate_gzip("\0" x (10 * $megabyte)) x 2;
is( status_of(
		post(
			[   'Host: localhost',
				'Content-Encoding: gzip',
				'Content-Length: ' . length $bomb ],
			$bomb)),
	413,
	'gzip bomb in two members');

# Headers: too large, too many, contradicting each other.
my @host = ('Host: localhost', 'Content-Length: ' . length $get);
is(status_of(post([ @host, 'X: ' . 'x' x 15_000 ], $get)),
	200, 'headers of 15 kB');
is(status_of(post([ @host, 'X: ' . 'x' x 17_000 ], $get)),
	400, 'headers of 17 kB');
like(status_of(post([ @host, 'X: ' . 'x' x 1_000_000 ], $get)),
	qr/^4(00|31)$/, 'headers of 1 MB');
is(status_of(post([ @host, map { "X$_: y" } 1 .. 90 ], $get)),
	200, '90 headers');
is(status_of(post([ @host, map { "X$_: y" } 1 .. 200 ], $get)),
	400, '200 headers');
is(status_of('GET /' . 'x' x 17_000 . " HTTP/1.1\r\nHost: x\r\n\r\n"),
	400, 'request line of 17 kB');
like(status_of('GET /' . 'x' x 1_000_000 . " HTTP/1.1\r\nHost: x\r\n\r\n"),
	qr/^4(00|14|31)$/, 'request line of 1 MB');
is(status_of(post([ @host, 'Transfer-Encoding: chunked' ], $get)),
	400, 'length and chunks');
is(status_of(post([ @host, 'Content-Length: 3' ], $get)),
	400, 'two lengths');
is(status_of(post([ @host, 'Host: other' ], $get)), 400, 'two hosts');
is(status_of(post([ @host, 'X-Amz-Target: DynamoDB_20120810.PutItem' ], $get)),
	400, 'two targets');
like(status_of("\r\n" x 10 . "nonsense\r\n\r\n"),
	qr/^(0|400)$/, 'no HTTP');

# JSON: deep, huge, no UTF-8.
is( status_of(
		post(
			[ 'Host: localhost', 'Content-Length: 2000000' ],
			'[' x 1_000_000 . ']' x 1_000_000)),
	400,
	'a million brackets');
is( status_of(
		post(
			[ 'Host: localhost', 'Content-Length: 8000000' ],
			'{"a":' x 1_600_000)),
	400,
	'objects without end');
my $deep = '{"TableName":"app","Item":{"PK":{"S":"x"},"SK":{"S":"y"},"v":'
  . '{"L":[' x 100_000 . ']}' x 100_000 . '}}';
is( client()->call('PutItem', $deep)->{status}, 400, 'a deep item');
foreach my $bytes ("\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	"\0", "\xe2\x82")
{
	like(
		client()->call('GetItem', qq({"TableName":"$bytes"}))->{body},
		qr/SerializationException/,
		'no UTF-8: ' . unpack 'H*',
		$bytes);
}

# Requests cut at every place, random bytes, and changed bytes.
my $whole = post(\@host, $get);
foreach my $at (0 .. length($whole) - 1)
{
	client()->send(substr $whole, 0, $at);
}
foreach my $i (1 .. 200)
{
	my $client = client();

	eval {
		$client->send(join '', map { chr int rand 256 } 1 .. rand 2000);
	};
}
foreach my $i (1 .. 500)
{
	my $changed = $whole;

	substr($changed, rand length $changed, 1) = chr int rand 256
	  foreach 1 .. 3;
	my $client = client();
	eval { $client->send($changed) };
	shutdown $client->{socket}, 1;
	eval { $client->answer };
}
is(client()->call('GetItem', $get)->{body},
	$item, 'the endpoint answers all the same');

# Clients that leave without reading their answers.
$node->safe_psql('app',
	q{SELECT put_item('app', format('{"PK": "big", "SK": "%s", "v": "%s"}', i, repeat('x', 300000))::item) FROM generate_series(1, 4) i}
);
my $query =
  '{"TableName":"app","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"big"}}}';
foreach my $i (1 .. 50)
{
	my $client = client();

	$client->send($client->request('Query', $query) x 3);
}

# Slow and idle clients do not disturb the others, and are sent away.
my @slow = map { client() } 1 .. 100;
my @idle = map { client() } 1 .. 1000;
$_->send(substr $whole, 0, 40) foreach @slow[ 0 .. 49 ];
$_->send(substr $whole, 0, length($whole) - 10) foreach @slow[ 50 .. 99 ];
my $client = client();
cmp_ok(p99_of($client, 500), '<', 100,
	'p99 beside 1000 idle and 100 slow clients, ms');
my $begin = time;
my $closed = 0;
foreach my $slow (@slow)
{
	$closed++ if eval { $slow->is_closed };
}
is($closed, scalar @slow, 'slow clients are disconnected');
cmp_ok(time - $begin, '<', 30, 'soon');
is($idle[0]->call('GetItem', $get)->{body},
	$item, 'an idle client may still ask');
undef @idle;

# Bytes that come now and then do not prolong it.
my $trickle = client();
my $alive = 1;
$begin = time;
while ($alive && time < $begin + 20)
{
	$alive = eval { $trickle->send('X'); 1 };
	$alive = 0
	  if IO::Select->new($trickle->{socket})->can_read(0.2)
	  && !eval { $trickle->receive };
	last if !$alive;
	$trickle->send("POST / HTTP/1.1\r\nHost: x\r\nX: ")
	  if !$trickle->{began}++;
}
ok(!$alive, 'a client that trickles is disconnected');

# More connections than there may be wait until others have gone.
$node->safe_psql('postgres',
	'ALTER SYSTEM SET partitioning.http_max_connections = 5');
$node->reload;
wait_for_endpoint($port);
my @many = map { client() } 1 .. 40;
my $answered = 0;
foreach my $one (@many)
{
	$one->send($one->request('GetItem', $get));
}
foreach my $round (1 .. 40)
{
	my ($ready) =
	  IO::Select->new(map { $_->{socket} } @many)->can_read(30);
	my ($one) = grep { $ready && $_->{socket} == $ready } @many;

	last if !$one;
	$answered++ if $one->answer->{body} eq $item;
	@many = grep { $_ != $one } @many;
	undef $one;
	undef $ready;
}
is($answered, 40, 'all connections are served in the end');
$node->safe_psql('postgres',
	'ALTER SYSTEM RESET partitioning.http_max_connections');
$node->reload;
wait_for_endpoint($port);

# Memory stands still, whatever is asked: after a warm-up, the processes do
# not grow with the requests, failed ones among them.
my @bodies = (
	[ 'GetItem', $get ],
	[   'PutItem',
		'{"TableName":"app","Item":{"PK":{"S":"U#1"},"SK":{"S":"B"},"n":{"N":"1"}}}'
	],
	[ 'GetItem', '{"TableName":"none","Key":{}}' ],
	[ 'GetItem', '{"TableName":' ],
	[   'UpdateItem',
		'{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"B"}},"UpdateExpression":"SET n = n + :n","ConditionExpression":"n < :n","ExpressionAttributeValues":{":n":{"N":"1"}}}'
	],
	[   'Query',
		'{"TableName":"app","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"U#1"}}}'
	]);

sub work
{
	my ($count) = @_;
	my @clients = map { client() } 1 .. 8;
	my $batch = join '',
	  map { $clients[0]->request(@$_) } (@bodies) x 10;

	for (my $done = 0; $done < $count; $done += 8 * 10 * @bodies)
	{
		$_->send($batch) foreach @clients;
		foreach my $client (@clients)
		{
			$client->answer or die 'no answer' foreach 1 .. 10 * @bodies;
		}
	}
	return;
}

work($requests / 5);
my $warm = memory();
work($requests);
my $after = memory();
is_deeply([ sort keys %$after ], [ sort keys %$before ],
	'no process has ended meanwhile');
foreach my $pid (sort keys %$after)
{
	note "process $pid: $before->{$pid} kB, $warm->{$pid} kB, $after->{$pid} kB";
	cmp_ok($after->{$pid} - $warm->{$pid},
		'<', 1024, "growth in $requests requests, kB");
}
unlike(
	slurp_file($node->logfile),
	qr/PANIC|TRAP:|terminated by signal|server process|reference leak|resource was not closed/,
	'nothing bad in the log');

$node->stop;
done_testing();
