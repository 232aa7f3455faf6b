# The reverse proxy of the documentation, examples/haproxy.cfg: signed requests
# pass it.

use strict;
use warnings;

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use PartitioningHttp;
use PartitioningTest;

$ENV{PATH} .= ':/usr/sbin';
my ($node, $port) = new_endpoint(
	'tls',
	conf => "partitioning.http_auth = 'sigv4'",
	sql => "SELECT create_table('app', 'PK', 'SK');"
	  . q{SELECT put_item('app', '{"PK": "U#1", "SK": "A"}');});
my ($key_id, $secret) = split /\|/,
  $node->safe_psql('app', q{SELECT * FROM create_access_key('web')});
my $tls_port = PostgreSQL::Test::Cluster::get_free_port();
my $folder = $node->basedir;

# A certificate for a name that leads nowhere.
system_or_bail(
	'openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2',
	'-subj', '/CN=db.example.com', '-addext',
	'subjectAltName=DNS:db.example.com',
	'-keyout', "$folder/key.pem", '-out', "$folder/cert.pem");
append_to_file("$folder/dynamodb.pem",
	slurp_file("$folder/cert.pem") . slurp_file("$folder/key.pem"));

# The example with this test's ports.
my $conf = slurp_file("$FindBin::RealBin/../../examples/haproxy.cfg");
is($conf =~ s/ :8443 / 127.0.0.1:$tls_port /, 1, 'the port of the example');
is($conf =~ s/127\.0\.0\.1:8000/127.0.0.1:$port/,
	1, 'the endpoint of the example');
is($conf =~ s{crt dynamodb}{crt $folder/dynamodb}, 1, 'its certificate');
append_to_file("$folder/haproxy.cfg", $conf);
command_ok([ 'haproxy', '-c', '-f', "$folder/haproxy.cfg" ],
	'the example is valid');
my $proxy =
  IPC::Run::start([ 'haproxy', '-db', '-f', "$folder/haproxy.cfg" ],
	'>', "$folder/haproxy.log", '2>&1');

# Requests through the proxy, as clients of its name send and sign them.
sub ask
{
	my ($operation, $body, %client) = @_;
	my $client = bless { port => $tls_port, %client }, 'PartitioningHttp';
	my $request = $client->request($operation, $body,
		"Host: db.example.com:$tls_port");
	my ($out, $err);

	$request =~ s/\r\n/\r\nConnection: close\r\n/;
	IPC::Run::run(
		[   'openssl', 's_client', '-quiet', '-verify_return_error',
			'-CAfile', "$folder/cert.pem", '-servername',
			'db.example.com', '-connect', "127.0.0.1:$tls_port" ],
		'<', \$request, '>', \$out, '2>', \$err);
	return $out;
}

my $get = '{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}';
my $answer = '';
my $end = time + 60;
while (time < $end)
{
	$answer = ask('GetItem', $get, key_id => $key_id, secret => $secret);
	last if $answer ne '';
	usleep(100_000);
}
like($answer, qr/^HTTP\/1\.1 200 /, 'a signed request over TLS');
like($answer, qr/\{"Item":\{"PK":\{"S":"U#1"\},"SK":\{"S":"A"\}\}\}$/,
	'its answer');
like(
	ask('GetItem', $get, key_id => $key_id, secret => 'wrong'),
	qr/InvalidSignatureException/,
	'a wrong signature');

$proxy->kill_kill;
$node->stop;
done_testing();
