# Every write that was acknowledged over HTTP is there after a process of the
# endpoint, or the whole server, was killed with SIGKILL.

use strict;
use warnings;

use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use PartitioningHttp;
use PartitioningTest;

my $cycles = $ENV{CYCLES} || 2;
my $writers = 4;
my ($node, $port) = new_endpoint(
	'http_crash',
	conf => "restart_after_crash = on\nsynchronous_commit = on\n",
	sql => "SELECT create_table('app', 'PK', 'SK');");
my $folder = $node->basedir;
my $version = 0;
my %acknowledged;

# Puts items of ever new versions until the endpoint is gone; writes a line for
# each that was acknowledged.
sub write_items
{
	my ($writer, $first) = @_;
	my $client = PartitioningHttp->connect($port);

	open(my $log, '>', "$folder/acks$writer") or die "open: $!";
	$log->autoflush(1);
	for (my $v = $first;; $v++)
	{
		my $sk = $v % 50;
		my $answer = eval {
			$client->call('PutItem',
				qq({"TableName":"app","Item":{"PK":{"S":"W#$writer"},"SK":{"S":"$sk"},"v":{"N":"$v"}}})
			);
		};

		last if !$answer || $answer->{status} != 200;
		print $log "$sk $v\n";
	}
	return;
}

sub acknowledgements
{
	my ($writer) = @_;

	return -e "$folder/acks$writer"
	  ? grep { /^\d+ \d+$/ } split /\n/, slurp_file("$folder/acks$writer")
	  : ();
}

sub one_cycle
{
	my ($kill) = @_;
	my @children;
	my $end = time + 120;

	unlink map { "$folder/acks$_" } 1 .. $writers;
	foreach my $writer (1 .. $writers)
	{
		my $child = fork() // die "fork: $!";

		if ($child == 0)
		{
			eval { write_items($writer, $version + 1) };
			POSIX::_exit(0);
		}
		push @children, $child;
	}
	usleep(20_000)
	  while time < $end
	  && grep { acknowledgements($_) < 300 } 1 .. $writers;
	$kill->();
	waitpid $_, 0 foreach @children;
	foreach my $writer (1 .. $writers)
	{
		foreach my $line (acknowledgements($writer))
		{
			my ($sk, $v) = split / /, $line;

			$acknowledged{$writer}{$sk} = $v;
			$version = $v if $v > $version;
		}
		cmp_ok(scalar acknowledgements($writer),
			'>=', 300, 'acknowledged writes');
	}
	return;
}

sub check_items
{
	my ($when) = @_;
	my %stored;
	my $lost = 0;

	foreach my $row (split /\n/,
		$node->safe_psql('app', q{SELECT pk, sk, item_number(attributes, 'v') FROM app}))
	{
		my ($pk, $sk, $v) = split /\|/, $row;

		$stored{$pk}{$sk} = $v;
	}
	foreach my $writer (1 .. $writers)
	{
		foreach my $sk (keys %{ $acknowledged{$writer} })
		{
			$lost++
			  if ($stored{"W#$writer"}{$sk} // 0) <
			  $acknowledged{$writer}{$sk};
		}
	}
	is($lost, 0, "no acknowledged write is lost $when");
	return;
}

sub kill_worker
{
	kill 'KILL', $node->safe_psql('postgres',
		q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'partitioning http' ORDER BY random() LIMIT 1}
	);
	return;
}

foreach my $cycle (1 .. $cycles)
{
	one_cycle(\&kill_worker);
	wait_until($node, 'postgres',
		q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'partitioning http'},
		'the endpoint');
	wait_for_endpoint($port);
	check_items('with a worker');

	one_cycle(sub { $node->kill9 });
	start_again($node);
	wait_for_endpoint($port);
	check_items('with the server');
}

# A worker that is told to end, or fails, takes nothing with it and comes back.
my $session = $node->background_psql('app');
$session->query_safe('BEGIN');
$node->safe_psql('postgres',
	q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'partitioning http'}
);
$node->poll_query_until('postgres',
	q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'partitioning http'}
) or die 'the endpoint does not come back';
wait_for_endpoint($port);
is($session->query_safe('SELECT 1'), '1', 'other sessions go on');
$session->quit;

# The database may be made later.
$node->safe_psql('postgres',
	q{ALTER SYSTEM SET partitioning.http_database = 'later'});
$node->reload;
foreach my $try (1 .. 600)
{
	last
	  if slurp_file($node->logfile) =~ /database "later" does not exist/;
	usleep(50_000);
}
$node->safe_psql('postgres', 'CREATE DATABASE later');
foreach my $try (1 .. 600)
{
	last
	  if slurp_file($node->logfile) =~
	  /waits for the extension in database "later"/;
	usleep(50_000);
}
$node->safe_psql('later', 'CREATE EXTENSION partitioning');
wait_for_endpoint($port);
pass('the endpoint serves a database that was made later');

$node->stop;
done_testing();
