# Requests of test/wire with parts removed and replaced by chance: whatever
# comes in, the answer is a response or an exception of the service.

use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use WireCases;

my $seed = $ENV{SEED} // int(rand(2**31));
my $count = $ENV{REQUESTS} // 6000;
note("SEED=$seed REQUESTS=$count");
srand($seed);

my $node = new_node('wire_random');
make_database($node, 'wire');

# Keeps how each request ended, and those that ended otherwise than they may.
$node->safe_psql('wire', <<'SQL');
CREATE TABLE endings(state text, message text, operation text, request json);
CREATE FUNCTION ask(operation text, request json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM partitioning.dynamodb(operation, request);
    INSERT INTO endings VALUES ('00000');
EXCEPTION WHEN OTHERS THEN
    INSERT INTO endings
    SELECT SQLSTATE, SQLERRM, operation, CASE WHEN SQLSTATE NOT LIKE 'IM%' THEN request END;
END
$$;
SQL

# A table is dropped by its own case only, so that others find it.
my @requests = map { wire_case_requests($_) } wire_case_files("$FindBin::RealBin/../wire");
my @tables = grep { $_->[0] eq 'CreateTable' && ($_->[1]{TableName} // '') =~ /^(items|queries|legacy|one|two|indexed|plain)$/ } @requests;
@requests = grep { $_->[0] ne 'DeleteTable' } @requests;

# Values to put where others are: all that occur, and a few more.
my @values = (undef, JSON::PP::true, JSON::PP::false, 0, -1, 1.5, 1e300, 1e15, '', 'x', '1', 'AQ==', [], {}, [ {} ],
	map { ({ S => 'x' }, { N => '5' }, { BOOL => JSON::PP::true }, { L => [ { N => '1' } ] }, { SS => ['a'] }) } 1 .. 8);
my %names;
foreach my $request (@requests)
{
	$names{$_} = 1 foreach keys %{ $request->[1] };
	collect($request->[1]);
}
my @names = sort keys %names;

sub collect
{
	my ($value) = @_;

	push @values, $value if length(encode_json([$value])) < 2000;
	if (ref $value eq 'HASH')
	{
		collect($value->{$_}) foreach sort keys %$value;
	}
	elsif (ref $value eq 'ARRAY')
	{
		collect($_) foreach @$value[ 0 .. ($#$value < 4 ? $#$value : 4) ];
	}
	return;
}

# All places in a value: references to what holds it, with a name or index.
sub places
{
	my ($value) = @_;
	my @places;

	if (ref $value eq 'HASH')
	{
		push @places, [ $value, $_ ], places($value->{$_}) foreach sort keys %$value;
	}
	elsif (ref $value eq 'ARRAY')
	{
		push @places, [ $value, $_ ], places($value->[$_]) foreach 0 .. ($#$value < 5 ? $#$value : 5);
	}
	return @places;
}

sub copy
{
	my ($value) = @_;

	return decode_json(encode_json([$value]))->[0];
}

sub any
{
	return $_[ int(rand(@_)) ];
}

sub changed
{
	my $request = copy($_[0]);

	foreach my $change (1 .. any(1, 1, 2, 3))
	{
		my $place = any(places($request));

		if (!defined $place || rand() < 0.15)
		{
			$request->{ any(@names) } = copy(any(@values));
			next;
		}
		my ($holder, $at) = @$place;

		if (ref $holder eq 'ARRAY')
		{
			$holder->[$at] = copy(any(@values));
		}
		elsif (rand() < 0.2)
		{
			delete $holder->{$at};
		}
		else
		{
			$holder->{$at} = copy(any(@values));
		}
	}
	return $request;
}

my $script = '';
foreach my $i (1 .. $count + @tables)
{
	my ($operation, $request) = $i <= @tables ? @{ $tables[ $i - 1 ] } : @{ any(@requests) };
	my $body = encode_json($i <= @tables ? $request : changed($request));

	$body =~ s/'/''/g;
	$script .= "SELECT ask('$operation', '$body');\n";
}
$node->safe_psql('wire', $script);

is($node->safe_psql('wire', q{SELECT state, message, operation, request FROM endings WHERE state NOT LIKE 'IM%' AND state <> '00000'}),
	'', 'only exceptions of the service');
is($node->safe_psql('wire', 'SELECT count(*) FROM endings'), $count + @tables, 'all requests have ended');
foreach my $state ('00000', 'IM001', 'IM003', 'IM013')
{
	cmp_ok($node->safe_psql('wire', "SELECT count(*) FROM endings WHERE state = '$state'"), '>', $count / 100,
		"many end with $state");
}
is($node->safe_psql('wire', q{SELECT count(*) FROM item_indexes, verify_index(table_name, index_name)
	WHERE kind = 'global' AND propagation = 'sync'}), '0', 'indexes agree with their tables');
$node->stop;
done_testing();
