# Who may do what over HTTP: signatures computed by another program, roles that
# come to an end, what triggers and functions may leave behind, what clients
# can take from each other.

use strict;
use warnings;

use FindBin;
use IO::Select;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use PartitioningHttp;
use PartitioningTest;

my ($node, $port) = new_endpoint(
	'access',
	allows_streaming => 1,
	conf => "partitioning.http_auth = 'sigv4'\npartitioning.http_workers = 1\n"
	  . "partitioning.http_request_timeout = 300s\n",
	sql => "SELECT create_table('app', 'PK', 'SK');"
	  . q{SELECT put_item('app', '{"PK": "U#1", "SK": "A", "n": 1}');}
	  . 'CREATE ROLE late LOGIN; CREATE ROLE outside LOGIN; CREATE ROLE writer LOGIN;'
	  . 'GRANT pg_write_all_data TO writer; GRANT ALL ON app TO late, outside;'
	  . 'GRANT USAGE ON SCHEMA public TO late, outside;'
	  . 'REVOKE CONNECT ON DATABASE app FROM public;'
	  . 'GRANT CONNECT ON DATABASE app TO web, late, writer;');
my $get = '{"TableName":"app","Key":{"PK":{"S":"U#1"},"SK":{"S":"A"}}}';
my $puts = 0;

# The body of a PutItem that changes something.
sub put
{
	$puts++;
	return
	  qq({"TableName":"app","Item":{"PK":{"S":"U#2"},"SK":{"S":"A"},"n":{"N":"$puts"}}});
}

# A client that signs as a role.
sub client_of
{
	my ($role) = @_;
	my ($key_id, $secret) = split /\|/,
	  $node->safe_psql('app', "SELECT * FROM create_access_key('$role')");

	return PartitioningHttp->connect($port, key_id => $key_id,
		secret => $secret);
}

sub outcome
{
	my ($answer) = @_;
	my ($type) = $answer->{body} =~ /"__type":"[^"]*#(\w+)"/;
	my ($message) = $answer->{body} =~ /"[mM]essage":"((?:[^"\\]|\\.)*)"/;

	return join ' ', $answer->{status}, grep { defined } $type, $message;
}

sub poll
{
	my ($condition, $name) = @_;
	my $end = time + 30;

	usleep(20_000) while !$condition->() && time < $end;
	ok($condition->(), $name);
	return;
}

my $client = client_of('web');
my ($key_id, $secret) = @$client{qw(key_id secret)};

# Signatures of another implementation, in headers and in the query string.
my ($lines, $errors) = run_command(
	[ 'python3', "$FindBin::RealBin/../scripts/sigv4.py", $port, $key_id, $secret ]);
is($errors, '', 'no errors of the other implementation');
is( $lines,
	join("\n",
		map {
			my $way = $_;
			map { "$way-$_" } (
				'plain 200', 'region 200', 'spaces 200', 'two-values 200',
				'many 200', 'arguments 200', 'unsigned-other 200',
				'within-time 200',
				'too-old 400 InvalidSignatureException',
				'too-early 400 InvalidSignatureException',
				'service 400 InvalidSignatureException',
				'unsigned-target 400 InvalidSignatureException',
				'unsigned-host 400 InvalidSignatureException',
				'other-body 400 InvalidSignatureException',
				'other-argument 400 InvalidSignatureException',
				'more-arguments 400 InvalidSignatureException',
				'more-values 400 InvalidSignatureException',
				'empty 400 SerializationException')
		} 'header', 'query'),
	'signatures of another implementation');

# A message repeats a header: what it says is UTF-8 all the same.
like(
	outcome(
		PartitioningHttp->connect($port)
		  ->call('GetItem', $get, "Authorization: AWS4-x \xff\xc3")),
	qr/^400 IncompleteSignatureException .*Authorization=AWS4-x \?\?$/,
	'bytes of a header');
is( PartitioningHttp->connect($port)->call('GetItem', $get, "Host: \xff")
	  ->{status},
	400, 'a host that is no text');

# A role that has been refused does not prolong the time of another.
my $late = client_of('late');
my $outside = client_of('outside');
$node->safe_psql('app',
	q{DO $$BEGIN EXECUTE format('ALTER ROLE late VALID UNTIL %L', clock_timestamp() + '3s'); END$$}
);
is(outcome($late->call('GetItem', $get)), '200', 'a role that is valid');
like(outcome($outside->call('GetItem', $get)),
	qr/may not connect/, 'a role that may not connect');
poll(
	sub {
		$node->safe_psql('app',
			q{SELECT rolvaliduntil < clock_timestamp() FROM pg_roles WHERE rolname = 'late'}
		) eq 't';
	},
	'the time is over');
is( outcome($late->call('GetItem', $get)),
	'400 AccessDeniedException role \"late\" is no longer valid',
	'a role that is not valid any more');

# Keys are not written by those who may write all tables.
foreach my $statement (
	"INSERT INTO partitioning.access_keys VALUES ('AKIA', 'web', true, now())",
	"UPDATE partitioning.access_keys SET role = 'web'",
	'DELETE FROM partitioning.access_secrets WHERE false')
{
	my ($status, $out, $error) = $node->psql('app', $statement,
		extra_params => [ '-U', 'writer' ]);
	like($error, qr/only superusers may write access keys|permission denied/,
		$statement);
}

# Secrets are in no dump, no log and no list of sessions.
my ($dump) = run_command(
	[ 'pg_dump', '-d', $node->connstr('app') ]);
like($dump, qr/\Q$key_id\E/, 'a dump has the keys');
unlike($dump, qr/\Q$secret\E/, 'but not their secrets');
unlike(slurp_file($node->logfile), qr/\Q$secret\E/, 'nor has the log');

# What a trigger may not do, and what it leaves behind.
$client = PartitioningHttp->connect($port, key_id => $key_id,
	secret => $secret);
$node->safe_psql('app', <<'END');
CREATE TABLE public.act (statement text);
INSERT INTO act VALUES ('');
GRANT SELECT ON act TO public;
CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (SELECT statement FROM public.act);
    RETURN NULL;
END $$;
CREATE TRIGGER act AFTER INSERT OR UPDATE ON app FOR EACH ROW EXECUTE FUNCTION act();
END

sub outcome_of_trigger
{
	my ($statement) = @_;

	$node->safe_psql('app', "UPDATE act SET statement = \$act\$$statement\$act\$");
	return outcome($client->call('PutItem', put()));
}

foreach my $statement (
	'SET ROLE postgres',
	'RESET ROLE',
	'SET SESSION AUTHORIZATION DEFAULT',
	'RESET SESSION AUTHORIZATION',
	q{SELECT set_config('role', 'none', false)},
	'CREATE TEMP TABLE t ()',
	'CREATE DOMAIN pg_temp.text AS pg_catalog.text',
	q{CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'},
	'LISTEN x',
	'PREPARE p AS SELECT 1',
	q{SET zero_damaged_pages = on},
	'SELECT * FROM partitioning.access_secrets',
	q{SELECT partitioning.create_access_key('web')},
	q{COPY act TO PROGRAM 'true'})
{
	unlike(outcome_of_trigger($statement), qr/^200/, $statement);
}
like(
	outcome_of_trigger(
		q{DO $do$BEGIN IF current_user <> 'web' THEN RAISE 'not web but %', current_user; END IF; END$do$}
	),
	qr/^200/,
	'the role is that of the key');
is( outcome_of_trigger(
		q{SELECT set_config('partitioning.wire_schema', 'elsewhere', false), set_config('search_path', '', false), pg_advisory_lock(42)}
	),
	'200',
	'a trigger that changes its session');
is(outcome($client->call('GetItem', $get)),
	'200', 'the settings are as before');
is( outcome_of_trigger(
		q{DO $do$BEGIN PERFORM pg_advisory_lock(43); RAISE 'no'; END$do$}),
	'400 ValidationException no',
	'a trigger that takes a lock and fails');
is( $node->safe_psql('app',
		q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'}),
	0,
	'no lock of the session is left');
is( $node->safe_psql('app',
		q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'pg\_temp\_%'}),
	0,
	'no schema of temporary objects is left');
$node->safe_psql('app',
	'CREATE CONSTRAINT TRIGGER later AFTER INSERT OR UPDATE ON app DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION act()'
);
unlike(outcome_of_trigger('SELECT 1'), qr/^200/, 'a deferred trigger');
$node->safe_psql('app', 'DROP TRIGGER later ON app');
is(outcome_of_trigger('SELECT 1'), '200', 'without it');

# A table in a schema that is not there.
$node->safe_psql('postgres', q{ALTER SYSTEM SET partitioning.wire_schema = 'gone'});
$node->reload;
my $create =
  '{"TableName":"new_table","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}';
poll(
	sub {
		outcome($client->call('CreateTable', $create)) eq
		  '400 ValidationException schema \"gone\" of partitioning.wire_schema does not exist';
	},
	'no schema');
$node->safe_psql('postgres', q{ALTER SYSTEM RESET partitioning.wire_schema});
$node->reload;
poll(sub { $client->call('GetItem', $get)->{status} == 200 }, 'the schema');

# Invented names take no room of the statistics.
$node->safe_psql('app', 'SELECT reset_operation_statistics()');
foreach my $i (1 .. 1100)
{
	$client->call('GetItem', qq({"TableName":"invented$i","Key":{}}));
}
$client->call('GetItem', $get);
is( $node->safe_psql(
		'app',
		'SELECT table_name, operation, calls, errors FROM partitioning.operation_statistics ORDER BY 1, 2'
	),
	"app|GetItem|1|0\n|GetItem|1100|1100",
	'statistics of invented names');

# Clients with large bodies leave room for those with small ones.
my @large = map { PartitioningHttp->connect($port) } 1 .. 8;
my $part = 'x' x (12 * 1024 * 1024);
foreach my $large (@large)
{
	$large->send(
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n$part"
	);
}
is( outcome(
		PartitioningHttp->connect($port, key_id => $key_id,
			secret => $secret)->call('GetItem', $get)),
	'200',
	'a small body beside large ones');
undef @large;

# A process that is busy, or waits for a standby, ends when it is told to.
sub pid
{
	return $node->safe_psql('app',
		q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'partitioning http'}
	);
}

sub is_told_to_end
{
	my ($name) = @_;
	my $pid = pid();

	$client->send($client->request('PutItem', put()));
	poll(
		sub {
			# until a setting is known everywhere, it may be answered
			if (IO::Select->new($client->{socket})->can_read(0))
			{
				$client->answer;
				$client->send($client->request('PutItem', put()));
			}
			$node->safe_psql('app',
				"SELECT wait_event IN ('PgSleep', 'SyncRep') FROM pg_stat_activity WHERE pid = $pid"
			) eq 't';
		},
		"waits: $name");
	$node->safe_psql('app', "SELECT pg_terminate_backend($pid)");
	poll(
		sub {
			$node->safe_psql('app',
				"SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") eq 0;
		},
		"ends: $name");
	ok(!eval { $client->answer }, "without an answer: $name");
	wait_for_endpoint($port);
	$client = PartitioningHttp->connect($port, key_id => $key_id,
		secret => $secret);
	return;
}

$node->safe_psql('app', q{UPDATE act SET statement = 'SELECT pg_sleep(200)'});
is_told_to_end('a trigger that sleeps');
$node->safe_psql('app', q{UPDATE act SET statement = 'SELECT 1'});
$node->safe_psql('postgres', q{ALTER SYSTEM SET synchronous_standby_names = 'none'});
$node->reload;
$node->poll_query_until('postgres',
	q{SELECT current_setting('synchronous_standby_names') = 'none'});
is_told_to_end('a commit without its standby');

$node->stop;
done_testing();
