# PartitioningHttp.pm
#
# A small client of the HTTP endpoint, on a raw socket, and what starts a
# server with the endpoint on a free port.
#
#   my ($node, $port) = new_endpoint('name', conf => ..., sql => ...);
#   my $client = PartitioningHttp->connect($port);
#   my $answer = $client->call('GetItem', '{"TableName": ...}');
#   is($answer->{status}, 200); $answer->{body}; $answer->{headers}{'x-...'}
#
# A client with a key ("key_id", "secret") signs what it sends.

package PartitioningHttp;

use strict;
use warnings;

use Compress::Zlib ();
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use Exporter qw(import);
use IO::Select;
use IO::Socket::INET;
use POSIX qw(strftime);
use PostgreSQL::Test::Cluster;
use Test::More;
use Time::HiRes qw(time usleep);

use PartitioningTest;

our @EXPORT = qw(new_endpoint wait_for_endpoint deflate_gzip);

our $timeout = 60;

# A started node whose endpoint serves the database "app" on a free port of
# loopback, without authentication unless "conf" says otherwise, as the role
# "web", which may make tables.  "sql" runs in the database before.
sub new_endpoint
{
	my ($name, %init) = @_;
	my $conf = delete $init{conf} // '';
	my $sql = delete $init{sql} // '';
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	my $node = new_node($name, %init);

	make_database($node, 'app');
	$node->safe_psql('app', <<"END");
CREATE ROLE web LOGIN;
GRANT USAGE, CREATE ON SCHEMA public TO web;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO web;
$sql
END
	$node->append_conf('postgresql.conf', <<"END");
partitioning.http_port = $port
partitioning.http_database = 'app'
partitioning.http_listen_addresses = '127.0.0.1'
partitioning.http_auth = 'none'
partitioning.http_role = 'web'
$conf
END
	$node->restart;
	wait_for_endpoint($port);
	return ($node, $port);
}

# Until the endpoint answers.
sub wait_for_endpoint
{
	my ($port) = @_;
	my $end = time + $timeout;

	while (time < $end)
	{
		my $client = eval { PartitioningHttp->connect($port) };
		my $answer = $client && eval { $client->get('/') };

		return if $answer && $answer->{status} == 200;
		usleep(50_000);
	}
	die "the endpoint on port $port does not answer";
}

sub connect
{
	my ($class, $port, %options) = @_;
	my $socket = IO::Socket::INET->new(
		PeerAddr => '127.0.0.1',
		PeerPort => $port,
		Timeout => $timeout) or die "could not connect: $!";

	$socket->autoflush(1);
	return bless {
		socket => $socket,
		port => $port,
		received => '',
		%options }, $class;
}

sub send
{
	my ($self, $bytes) = @_;

	local $SIG{PIPE} = 'IGNORE';
	while (length $bytes)
	{
		my $sent = syswrite($self->{socket}, $bytes);

		die "could not send: $!" unless defined $sent;
		substr($bytes, 0, $sent) = '';
	}
	return;
}

# More bytes; false at the end of the connection.
sub receive
{
	my ($self) = @_;
	my $n;

	IO::Select->new($self->{socket})->can_read($timeout)
	  or die 'the endpoint does not answer';
	$n = sysread($self->{socket}, $self->{received}, 65536,
		length $self->{received});
	return $n;
}

# Nothing more comes: the endpoint has closed the connection.
sub is_closed
{
	my ($self) = @_;

	return !$self->receive;
}

# The next answer: status, headers (lower case), body as it was sent.  undef
# when the connection ends before one begins.
sub answer
{
	my ($self) = @_;
	my ($head, %headers, $length);

	while ($self->{received} !~ /\r\n\r\n/)
	{
		next if $self->receive;
		return undef if $self->{received} eq '';
		die 'the answer ends in its headers';
	}
	($head, $self->{received}) = split /\r\n\r\n/, $self->{received}, 2;
	my ($status_line, @lines) = split /\r\n/, $head;
	foreach my $line (@lines)
	{
		my ($name, $value) = $line =~ /^([^:]+):\s*(.*)$/ or die $line;

		$headers{ lc $name } = $value;
	}
	$length = $headers{'content-length'};
	die "an answer without length: $head" unless defined $length;
	while (length($self->{received}) < $length)
	{
		$self->receive or die 'the answer ends in its body';
	}
	return {
		status => (split / /, $status_line)[1],
		headers => \%headers,
		body => substr($self->{received}, 0, $length, '') };
}

sub get
{
	my ($self, $path, @headers) = @_;

	$self->send(join("\r\n",
			"GET $path HTTP/1.1", "Host: 127.0.0.1:$self->{port}",
			@headers, '', ''));
	return $self->answer;
}

# The bytes of a request.  Further arguments are headers, "Name: value"; a
# header of ours that is among them is replaced, one without a value left out.
sub request
{
	my ($self, $operation, $body, @more) = @_;
	my @headers = (
		"Host: 127.0.0.1:$self->{port}",
		'Content-Type: application/x-amz-json-1.0',
		"X-Amz-Target: DynamoDB_20120810.$operation",
		'Content-Length: ' . length $body);

	foreach my $header (@more)
	{
		my ($name) = $header =~ /^([^:]+):/;

		@headers = grep { !/^\Q$name\E:/i } @headers;
		push @headers, $header if $header =~ /^[^:]+: *\S/;
	}
	push @headers, $self->sign($body, @headers)
	  if $self->{secret};
	return join("\r\n", "POST / HTTP/1.1", @headers, '', $body);
}

# Sends a request and returns its answer.
sub call
{
	my ($self, $operation, $body, @more) = @_;

	$self->send($self->request($operation, $body, @more));
	return $self->answer;
}

# Headers with the signature (version 4) of a request.  "signed" of the client
# names the headers to sign, by default those that have to be; "time" and
# "region" are as expected.
sub sign
{
	my ($self, $body, @headers) = @_;
	my $time = $self->{time} // strftime('%Y%m%dT%H%M%SZ', gmtime);
	my $date = substr $time, 0, 8;
	my $region = $self->{region} // 'eu-central-1';
	my %values = ('x-amz-date' => $time);
	my ($canonical, $scope, $key, $signed);

	foreach my $header (@headers)
	{
		my ($name, $value) = $header =~ /^([^:]+): *(.*?) *$/;

		$values{ lc $name } = $value;
	}
	$signed = $self->{signed}
	  // join ';', sort grep { /^(host|content-type|x-amz-.*)$/ } keys %values;
	$canonical = join "\n", 'POST', '/', '',
	  (map { "$_:" . ($values{$_} // '') } split /;/, $signed), '', $signed,
	  sha256_hex($body);
	$scope = "$date/$region/dynamodb/aws4_request";
	$key = "AWS4$self->{secret}";
	$key = hmac_sha256($_, $key) foreach split m{/}, $scope;
	return (
		"X-Amz-Date: $time",
		"Authorization: AWS4-HMAC-SHA256 Credential=$self->{key_id}/$scope, "
		  . "SignedHeaders=$signed, Signature="
		  . hmac_sha256_hex(
			join("\n", 'AWS4-HMAC-SHA256', $time, $scope,
				sha256_hex($canonical)),
			$key));
}

sub deflate_gzip
{
	return Compress::Zlib::memGzip($_[0]);
}

1;
