# The HTTP endpoint: operations, headers, encodings, access keys.

use strict;
use warnings;

use Compress::Zlib ();
use POSIX qw(strftime);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningHttp;
use PartitioningTest;

my ($node, $port) = new_endpoint(
	'http',
	sql => "SELECT create_table('app', 'PK', 'SK');"
	  . "CREATE ROLE nobody LOGIN; CREATE ROLE boss LOGIN SUPERUSER;");
my $client = PartitioningHttp->connect($port);
my $answer;

# An answer's status, exception and message.
sub outcome
{
	my ($answer) = @_;
	my ($type) = $answer->{body} =~ /"__type":"[^"]*#(\w+)"/;
	my ($message) = $answer->{body} =~ /"[mM]essage":"((?:[^"\\]|\\.)*)"/;

	return join ' ', $answer->{status}, grep { defined } $type, $message;
}

# The outcome of a request for one item.
sub get_one
{
	my ($client, @headers) = @_;

	return outcome(
		$client->call(
			'GetItem',
			'{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}',
			@headers));
}

# What HTTP writes, SQL reads; the connection stays.
$answer = $client->call('PutItem',
	'{"TableName":"app","Item":{"PK":{"S":"U#1"},"SK":{"S":"A"},"n":{"N":"1"}}}'
);
is($answer->{status}, 200, 'put');
is($answer->{body}, '{}', 'answer of put');
is( $node->safe_psql(
		'app', q{SELECT get_item('app', '{"PK": "U#1", "SK": "A"}')}),
	'{"PK": "U#1", "SK": "A", "n": 1}',
	'the item in SQL');
$answer = $client->call('GetItem',
	'{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}');
is( $answer->{body},
	'{"Item":{"PK":{"S":"U#1"},"SK":{"S":"A"},"n":{"N":"1"}}}',
	'get on the same connection');
is($answer->{headers}{'content-type'},
	'application/x-amz-json-1.0', 'content type of the answer');
is( $answer->{headers}{'x-amz-crc32'},
	Compress::Zlib::crc32($answer->{body}),
	'checksum of the answer');
like($answer->{headers}{'x-amzn-requestid'},
	qr/^[A-Z0-9]{52}$/, 'request id');

# Errors have the service's status and body.
is( outcome(
		$client->call('PutItem',
			'{"TableName":"app","Item":{"PK":{"S":"U#1"},"SK":{"S":"A"}},"ConditionExpression":"attribute_not_exists(PK)"}'
		)),
	'400 ConditionalCheckFailedException The conditional request failed',
	'a failed condition');
is( outcome($client->call('GetItem', '{"TableName":"none","Key":{}}')),
	'400 ResourceNotFoundException Requested resource not found',
	'no such table');
is(outcome($client->call('Dance', '{}')),
	'400 UnknownOperationException', 'unknown operation');
is(outcome($client->call('GetItem', '{}', 'X-Amz-Target:')),
	'400 UnknownOperationException', 'no target');
is(outcome($client->call('GetItem', '{"a":')),
	'400 SerializationException', 'no JSON');
is(outcome($client->call('GetItem', '')),
	'400 SerializationException', 'no body');
is(outcome($client->call('Dance', "{\"\xff\":1}")),
	'400 SerializationException', 'no UTF-8');

# What is no request of the protocol.
$answer = $client->call('GetItem', '{}', 'Content-Type: text/plain');
is($answer->{status}, 404, 'another content type');
is($answer->{body}, "<UnknownOperationException/>\n", 'body of a 404');
is($answer->{headers}{'x-amz-crc32'}, 3552371480, 'checksum of a 404');
$client->send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
is($client->answer->{status}, 404, 'another method');
is( $client->call('GetItem', '{"TableName":"none","Key":{}}',
		'Content-Type: application/json; charset=utf-8')
	  ->{headers}{'content-type'},
	'application/json; charset=utf-8',
	'content type as in the request');
is($client->get('/')->{body}, "healthy: 127.0.0.1:$port ", 'health check');
is($client->get('/ping')->{body}, 'healthy', 'health check at /ping');
is($client->get('/elsewhere')->{status}, 404, 'no other paths');
like($client->get('/', 'Accept: text/html')->{body},
	qr/create_access_key/, 'a page for browsers');
$client->send(
	"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: null\r\n\r\n");
is($client->answer->{status}, 404, 'pages of other origins may not call');

# Requests that were sent without waiting are answered in order.
$client->send(
	join '',
	map {
		$client->request('PutItem',
			qq({"TableName":"app","Item":{"PK":{"S":"U#2"},"SK":{"S":"$_"}}}))
		  . $client->request('GetItem',
			qq({"TableName":"app","Key":{"PK":{"S":"U#2"},"SK":{"S":"$_"}}}))
	} 1 .. 20);
is( join(',', map { $client->answer->{body} } 1 .. 40),
	join(',',
		map { ; '{}', qq({"Item":{"PK":{"S":"U#2"},"SK":{"S":"$_"}}}) }
		  1 .. 20),
	'pipelined requests');

# Compressed requests, in one gzip member or several, and answers.
my $query =
  '{"TableName":"app","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"U#2"}}}';
my $plain = $client->call('Query', $query)->{body};
is( $client->call('Query', deflate_gzip($query), 'Content-Encoding: gzip')
	  ->{body},
	$plain,
	'gzip request');
is( $client->call(
		'Query',
		deflate_gzip(substr $query, 0, 20)
		  . deflate_gzip(substr $query, 20),
		'Content-Encoding: gzip')->{body},
	$plain,
	'request of two gzip members');
is( $client->call(
		'Query',
		Compress::Zlib::compress($query),
		'Content-Encoding: deflate')->{body},
	$plain,
	'deflate request');
foreach my $broken (
	'no gzip', '',
	substr(deflate_gzip($query), 0, -9),
	deflate_gzip($query) . 'x')
{
	is( outcome(
			$client->call('Query', $broken, 'Content-Encoding: gzip')),
		'500 InternalServerError Internal server error',
		'broken gzip');
}
is(outcome($client->call('Query', $query, 'Content-Encoding: br')),
	'500 InternalServerError Internal server error',
	'unknown encoding');

my $large = 'x' x 5000;
$client->call('PutItem',
	qq({"TableName":"app","Item":{"PK":{"S":"large"},"SK":{"S":"1"},"v":{"S":"$large"}}})
);
my $get_large =
  '{"TableName":"app","Key":{"PK":{"S":"large"},"SK":{"S":"1"}},"ProjectionExpression":"v"}';
foreach my $accepted ('', 'identity', 'gzip;q=0', 'br')
{
	$answer =
	  $client->call('GetItem', $get_large, "Accept-Encoding: $accepted");
	is( $answer->{body}, qq({"Item":{"v":{"S":"$large"}}}),
		qq(plain answer to "$accepted"));
}
foreach my $accepted ('gzip', 'deflate, gzip;q=0.5', '*')
{
	$answer =
	  $client->call('GetItem', $get_large, "Accept-Encoding: $accepted");
	is($answer->{headers}{'content-encoding'}, 'gzip', 'gzip answer');
	is( $answer->{headers}{'x-amz-crc32'},
		Compress::Zlib::crc32($answer->{body}),
		'checksum of what is sent');
	is(Compress::Zlib::memGunzip($answer->{body}),
		qq({"Item":{"v":{"S":"$large"}}}), 'decompressed');
}
$answer = $client->call('GetItem', $get_large, 'Accept-Encoding: deflate');
is(Compress::Zlib::uncompress($answer->{body}),
	qq({"Item":{"v":{"S":"$large"}}}), 'deflate answer');

# Connection: close closes.
$client->send(
	$client->request(
		'GetItem',
		'{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}',
		'Connection: close'));
is($client->answer->{status}, 200, 'last request');
ok($client->is_closed, 'the connection is closed');

# Requests are counted, by table and operation, those of SQL as well.
$node->safe_psql('app', 'SELECT reset_operation_statistics()');
$client = PartitioningHttp->connect($port);
$client->call('Query', $query) foreach 1 .. 3;
$client->call('Query', '{"TableName":"app"}');
$client->call('PutItem',
	'{"TableName":"app","Item":{"PK":{"S":"U#1"},"SK":{"S":"A"},"n":{"N":"1"}}}'
);
$client->call('TransactWriteItems',
	'{"TransactItems":[{"Delete":{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"B"}}}}]}'
);
$client->call('GetItem', '{"TableName":1}');
$node->safe_psql('app',
	q(SELECT dynamodb('GetItem', '{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}'))
);
is( $node->safe_psql(
		'app',
		q{SELECT table_name, operation, calls, errors, items_read, items_returned, read_units, write_units
FROM partitioning.operation_statistics ORDER BY table_name, operation}),
	join("\n",
		'app|GetItem|1|0|1|1|0.5|0',
		'app|PutItem|1|0|0|0|0|1',
		'app|Query|4|1|60|60|1.5|0',
		'app|TransactWriteItems|1|0|0|0|0|2',
		'|GetItem|1|1|0|0|0|0'),
	'statistics');
is( $node->safe_psql(
		'app',
		q{SELECT count(*) FROM partitioning.operation_statistics WHERE p50_ms BETWEEN 0 AND p99_ms AND p99_ms < 10000}
	),
	5,
	'durations');
is( $node->safe_psql(
		'app',
		q{SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'partitioning http' AND query IN ('PutItem app', 'TransactWriteItems app')}
	),
	't',
	'pg_stat_activity shows operation and table');

# A trigger may use dynamodb() itself, and there is nothing to cancel in a
# process that waits.
$node->safe_psql('app', <<'END');
SELECT create_table('copies', 'PK', 'SK');
CREATE FUNCTION copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM partitioning.dynamodb('PutItem', json_build_object('TableName', 'copies',
        'Item', partitioning.to_dynamodb_json(partitioning.item_of(NEW))));
    RETURN NULL;
END $$;
CREATE TRIGGER copy AFTER INSERT ON app FOR EACH ROW EXECUTE FUNCTION copy();
SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'partitioning http';
END
is( outcome(
		$client->call('PutItem',
			'{"TableName":"app","Item":{"PK":{"S":"U#3"},"SK":{"S":"A"}}}')),
	'200',
	'a trigger calls dynamodb()');
is( $client->call('GetItem',
		'{"TableName":"copies","Key":{"PK":{"S":"U#3"},"SK":{"S":"A"}}}')
	  ->{body},
	'{"Item":{"PK":{"S":"U#3"},"SK":{"S":"A"}}}',
	'and it does what it does in SQL');

is( $node->safe_psql(
		'app',
		q{SELECT calls FROM partitioning.operation_statistics WHERE table_name = 'app' AND operation = 'PutItem'}
	),
	2,
	'the request is counted for its own table');

# Without authentication, a name that leads here proves nothing.
$client = PartitioningHttp->connect($port);
is( outcome($client->call('GetItem', '{}', 'Host: rebound.example.com')),
	'400 AccessDeniedException requests without authentication must be sent to localhost or an IP address, not to \"rebound.example.com\"',
	'a foreign name');

# The role has no more rights than in SQL, and some roles none at all.
sub set_and_reload
{
	my (%settings) = @_;

	$node->safe_psql('postgres',
		"ALTER SYSTEM SET partitioning.$_ = '$settings{$_}'")
	  foreach keys %settings;
	$node->reload;
	return;
}

# The outcome of a request once it is another one.
sub wait_for_outcome
{
	my ($client, $pattern, $name) = @_;
	my $last;

	foreach my $try (1 .. 600)
	{
		$last = get_one($client);
		last if $last =~ $pattern;
		Time::HiRes::usleep(50_000);
	}
	like($last, $pattern, $name);
	return;
}

set_and_reload(http_log_min_duration => 0);
foreach my $try (1 .. 600)
{
	get_one($client);
	last if slurp_file($node->logfile) =~ /HTTP request: duration/;
	Time::HiRes::usleep(50_000);
}
like(
	slurp_file($node->logfile),
	qr/LOG:  HTTP request: duration: \d+\.\d{3} ms  GetItem app$/m,
	'a slow request is logged');
set_and_reload(http_log_min_duration => -1, http_role => 'nobody');
wait_for_outcome(
	$client,
	qr/^400 AccessDeniedException permission denied for/,
	'a role without privileges');
set_and_reload(http_role => 'boss');
wait_for_outcome(
	$client,
	qr/^400 AccessDeniedException role .*boss.* must not serve/,
	'a superuser');
set_and_reload(http_role => '');
wait_for_outcome(
	$client,
	qr/^400 AccessDeniedException partitioning.http_role is not set/,
	'no role');
$node->safe_psql('app', 'REVOKE CONNECT ON DATABASE app FROM public');
set_and_reload(http_role => 'web');
wait_for_outcome(
	$client,
	qr/^400 AccessDeniedException role .*web.* may not connect/,
	'a role that may not connect');
$node->safe_psql('app', 'GRANT CONNECT ON DATABASE app TO public');
wait_for_outcome($client, qr/^200/, 'a role that may');

# Access keys.
set_and_reload(http_auth => 'sigv4');
wait_for_outcome(
	$client,
	qr/^400 MissingAuthenticationTokenException Request is missing/,
	'no signature');
my ($key_id, $secret) = split /\|/,
  $node->safe_psql('app', q{SELECT * FROM create_access_key('web')});
like($key_id, qr/^AKIA[A-Z2-7]{16}$/, 'key id');
is(length $secret, 40, 'secret');

sub signing
{
	return PartitioningHttp->connect($port, key_id => $key_id,
		secret => $secret, @_);
}

is(get_one(signing()), '200', 'a signed request');
is(get_one(signing(region => 'local')), '200', 'of any region');
is( get_one(signing(secret => 'x' x 40)),
	'400 InvalidSignatureException The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
	'a wrong secret');
is( get_one(signing(key_id => 'AKIA0000000000000000')),
	'400 UnrecognizedClientException The security token included in the request is invalid.',
	'an unknown key');
like(
	get_one(signing(time => strftime('%Y%m%dT%H%M%SZ', gmtime(time - 901)))),
	qr/^400 InvalidSignatureException Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 15 min\.\)$/,
	'an old signature');
like(
	get_one(signing(time => strftime('%Y%m%dT%H%M%SZ', gmtime(time + 910)))),
	qr/^400 InvalidSignatureException Signature not yet current: /,
	'a signature from the future');
is( get_one(signing(time => 'yesterday')),
	q{400 IncompleteSignatureException Date must be in ISO-8601 'basic format'. Got 'yesterday'. See http://en.wikipedia.org/wiki/ISO_8601},
	'a date that is none');
is( get_one(signing(signed => 'x-amz-date;x-amz-target')),
	q{400 InvalidSignatureException 'Host' must be a 'SignedHeader' in the AWS Authorization.},
	'an unsigned host');
is( get_one(signing(signed => 'host;x-amz-date')),
	q{400 InvalidSignatureException 'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.},
	'an unsigned target');
is( outcome(signing(secret => 'wrong')->call('Dance', '{}')),
	'400 UnknownOperationException',
	'the operation comes before the signature');

# A changed body, a changed header, a changed signature.
my $signer = signing();
my $request = $signer->request('GetItem',
	'{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}');
foreach my $change (
	[ 'U#1', 'U#2' ],
	[ 'application/x', 'Application/x' ],
	[ 'Signature=', 'Signature=0' ])
{
	my $changed = $request =~ s/\Q$change->[0]\E/$change->[1]/r;

	$signer->send($changed);
	like(
		outcome($signer->answer),
		qr/^400 InvalidSignatureException The request signature/,
		"changed: $change->[0]");
}
$signer->send($request);
is(outcome($signer->answer), '200', 'unchanged');

# Parts that lack, and those that do not fit.
foreach my $header (
	[   'AWS4-HMAC-SHA256 Credential=a/b/c/d/e',
		q{IncompleteSignatureException Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-HMAC-SHA256 Credential=a/b/c/d/e}
	],
	[ 'Basic abc', 'MissingAuthenticationTokenException Request is missing Authentication Token' ])
{
	is( outcome(
			$client->call('GetItem', '{}', "Authorization: $header->[0]")),
		"400 $header->[1]",
		$header->[0]);
}

# Disabled, expired, dropped keys.
$node->safe_psql('app', "SELECT alter_access_key('$key_id', enabled => false)");
wait_for_outcome($signer, qr/^400 UnrecognizedClient/, 'a disabled key');
$node->safe_psql('app', "SELECT alter_access_key('$key_id', enabled => true)");
wait_for_outcome($signer, qr/^200/, 'an enabled key');
$node->safe_psql('app', "SELECT alter_access_key('$key_id', expires_at => now())");
wait_for_outcome($signer, qr/^400 UnrecognizedClient/, 'an expired key');
$node->safe_psql('app',
	"UPDATE partitioning.access_keys SET expires_at = NULL");
wait_for_outcome($signer, qr/^200/, 'changed by SQL');
$node->safe_psql('app', "SELECT drop_access_key('$key_id')");
wait_for_outcome($signer, qr/^400 UnrecognizedClient/, 'a dropped key');
is( $node->safe_psql('app', 'SELECT count(*) FROM partitioning.access_secrets'),
	0, 'no secret is left');

$node->stop;
done_testing();
