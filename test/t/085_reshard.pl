# The number of write shards changes from 10 to 16 under load, and the server
# is killed in the middle; then to 12.  No item is lost or doubled, whoever
# reads reads right, during and after.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $partitions = 20;
my $items = $ENV{RESHARD_ITEMS} || 1000;	# of each
my $writers = 3;
my $node = new_node('reshard', conf => "checkpoint_timeout = 30s\n");

make_database($node, 'app');
$node->safe_psql('app', qq{
	SELECT create_table('events', 'PK', 'SK', write_shards => 10);
	SELECT create_global_index('events', 'byKind', 'kind', 'SK', propagation => 'sync');
	SELECT batch_write('events', ARRAY(
		SELECT jsonb_build_object('PK', 'd' || d, 'SK', lpad(i::text, 6, '0'), 'kind', 'k' || i % 7)::item
		FROM generate_series(1, $items) AS i)) FROM generate_series(1, $partitions) AS d;
});

# What writers were told: key -> version of the last acknowledged write.
my %acknowledged;
my $version = 0;

# Each writer puts and updates items of its own partition, and puts and deletes
# others; it prints a line only after the server's reply.
sub writer_script
{
	my ($writer) = @_;
	my $script = "\\set QUIET on\n\\pset tuples_only on\n\\o /dev/null\n";

	foreach my $v ($version + 1 .. $version + 20000)
	{
		my $n = $v % 97;
		my $key = qq{"PK": "W#$writer", "SK": "$n"};

		if ($v % 11 == 0)
		{
			$script .= "SELECT put_item('events', '{\"PK\": \"gone\", \"SK\": \"$writer-$n\", \"v\": $v}');\n";
			$script .= "SELECT delete_item('events', '{\"PK\": \"gone\", \"SK\": \"$writer-$n\"}');\n";
		}
		elsif ($v % 3 == 0)
		{
			$script .= "SELECT update_item('events', '{$key}', 'SET v = :v', '{\":v\": $v}');\n";
			$script .= "\\echo ack W#$writer $n $v\n";
		}
		else
		{
			$script .= "SELECT put_item('events', '{$key, \"v\": $v, \"kind\": \"w\"}');\n";
			$script .= "\\echo ack W#$writer $n $v\n";
		}
	}
	return $script;
}

# A reader counts a partition, in order and without doubles, by query, by SQL
# and key by key; it prints what it finds.
sub reader_script
{
	my $script = "\\set QUIET on\n\\pset tuples_only on\n\\pset format unaligned\n";

	foreach my $i (1 .. 20000)
	{
		my $d = 'd' . (1 + $i % $partitions);
		my $sk = sprintf('%06d', 1 + $i * 7919 % $items);

		$script .= qq{SELECT 'read ' || count(*) || ' ' || count(DISTINCT k) || ' ' || bool_and(k >= before) FROM (SELECT k, coalesce(lag(k) OVER (), '') AS before FROM (SELECT q->>'SK' AS k FROM query('events', 'PK = :p', '{":p": "$d"}') AS q) AS q) AS q;\n};
		$script .= qq{SELECT 'read ' || count(*) || ' ' || count(DISTINCT sk) || ' true' FROM events WHERE shard_base(pk) = '$d';\n};
		$script .= qq{SELECT 'get ' || (get_item('events', '{"PK": "$d", "SK": "$sk"}') IS NOT NULL);\n};
	}
	return $script;
}

sub start_client
{
	my ($script) = @_;
	my %client = (in => $script, out => '', err => '');

	$client{run} = IPC::Run::start(
		[
			$node->installed_command('psql'), '-X', '-q',
			'-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('app')
		],
		'<', \$client{in}, '>', \$client{out}, '2>', \$client{err},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%client;
}

sub start_clients
{
	my @clients = map { start_client(writer_script($_)) } 1 .. $writers;

	push @clients, start_client(reader_script());
	$version += 20000;
	foreach my $client (@clients)
	{
		$client->{run}->pump until ($client->{out} =~ tr/\n//) > 20;
	}
	return @clients;
}

# Collects what the clients were told; true when the reader read right.
sub end_clients
{
	my @clients = @_;
	my $right = 1;

	foreach my $client (@clients)
	{
		eval { $client->{run}->signal('TERM'); };
		eval { $client->{run}->finish };
		# the last line may be cut off
		$client->{out} =~ s/[^\n]*\z//;
		foreach my $line (split /\n/, $client->{out})
		{
			$acknowledged{"$1 $2"} = $3 if $line =~ /^ack (\S+) (\d+) (\d+)$/;
			next if $line !~ /^(read|get) /;
			next if $line eq "read $items $items true" || $line eq 'get true';
			diag("reader: $line");
			$right = 0;
		}
	}
	return $right;
}

sub await
{
	my ($what, $query) = @_;

	ok($node->poll_query_until('app', $query), $what);
}

my $old_in = '';
my $old_out = '';
my $old_run;

sub start_old
{
	$old_run = IPC::Run::start(
		[
			$node->installed_command('psql'), '-X', '-q', '-A', '-t',
			'-d', $node->connstr('app')
		],
		'<', \$old_in, '>', \$old_out,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
}

sub ask_old
{
	my ($sql) = @_;

	$old_out = '';
	$old_in .= "$sql\n\\echo done\n";
	$old_run->pump until $old_out =~ /done\n/;
	$old_out =~ s/done\n//;
	chomp $old_out;
	return $old_out;
}

my @clients = start_clients();

$node->safe_psql('app', q{SELECT reshard('events', 16)});
await('items are being moved', 'SELECT moved > 1000 FROM reshard_status');
$node->kill9;
ok(end_clients(@clients), 'reads were right until the server was killed');
start_again($node);

my $moved = $node->safe_psql('app', 'SELECT moved FROM reshard_status');
ok($moved eq '' || $moved >= 1000, 'what had been moved is known');
is( $node->safe_psql('app', q{SELECT count(*), count(DISTINCT shard_base(pk) || ' ' || sk) FROM events WHERE pk LIKE 'd%'}),
	$partitions * $items . '|' . $partitions * $items,
	'nothing is lost or doubled after the crash');

@clients = start_clients();
await('the worker goes on by itself', 'SELECT NOT EXISTS (SELECT FROM reshard_status)');

# Again, to fewer, with a transaction that is older than all of it.
start_old();
ask_old('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class;');
$node->safe_psql('app', q{SELECT reshard('events', 12)});
await('all items are moved',
	q{SELECT status LIKE 'waiting%' FROM reshard_status});
is( ask_old(q{SELECT count(*), count(DISTINCT q->>'SK') FROM query('events', 'PK = :p', '{":p": "d3"}') AS q;}),
	"$items|$items", 'the old snapshot still shows all of it');
is( ask_old(qq{SELECT count(*) FROM generate_series(1, $items) AS i WHERE get_item('events', jsonb_build_object('PK', 'd4', 'SK', lpad(i::text, 6, '0'))) IS NULL;}),
	'0', 'and every single item');
ask_old('COMMIT;');
await('the change is complete',
	q{SELECT NOT EXISTS (SELECT FROM reshard_status) AND
		(SELECT convalidated FROM pg_constraint WHERE conrelid = 'events'::regclass AND conname = 'shard_check')});
ok(end_clients(@clients), 'reads were right to the end');
$old_in .= "\\q\n";
$old_run->finish;

is( $node->safe_psql('app', q{SELECT count(*), count(DISTINCT shard_base(pk) || ' ' || sk) FROM events WHERE pk LIKE 'd%'}),
	$partitions * $items . '|' . $partitions * $items,
	'nothing is lost or doubled');
is( $node->safe_psql('app', q{SELECT bool_and(pk = shard_key('events', shard_base(pk), sk)), max(shard_of(pk)) FROM events}),
	't|11', 'all items are where the new number puts them');
is($node->safe_psql('app', q{SELECT verify_index('events', 'byKind')}), '',
	'the global index agrees');

# What followed the last acknowledged write may have been made as well.
my $lost = 0;
my %found = map { (split /=/) } split /\n/, $node->safe_psql('app', q{
	SELECT shard_base(pk) || ' ' || sk || '=' || (attributes->>'v') FROM events WHERE pk LIKE 'W#%'});
foreach my $key (sort keys %acknowledged)
{
	next if ($found{$key} // 0) >= $acknowledged{$key};
	diag("$key: acknowledged $acknowledged{$key}, found " . ($found{$key} // 'nothing'));
	$lost++;
}
is($lost, 0, 'acknowledged writes are there');
cmp_ok(scalar(keys %acknowledged), '>', 50, 'there were enough of them');
cmp_ok($node->safe_psql('app', q{SELECT count(*) FROM query('events', 'PK = :p', '{":p": "gone"}')}),
	'<=', $writers, 'what was deleted is gone');

$node->stop;
done_testing();
