# The requests of test/wire through dynamodb(), one transaction each.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use WireCases;

my $node = new_node('wire_cases');
make_database($node, 'wire');

# Returns, on one line, the exception or a dash, and the response.
$node->safe_psql('wire', <<'SQL');
CREATE FUNCTION ask(operation text, request json) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    state text;
    detail text;
BEGIN
    RETURN '- ' || coalesce(partitioning.dynamodb(operation, request)::text, '');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, detail = PG_EXCEPTION_DETAIL;
    IF detail NOT LIKE '{"__type":%' THEN
        RAISE;
    END IF;
    RETURN coalesce(substring(detail FROM '#([A-Za-z]+)"'), state) || ' ' || detail;
END
$$;
SQL

# All of them in one session; each answer is a line.
sub ask
{
	my @answers;
	my $script = '';

	foreach my $request (@_)
	{
		my ($operation, $body) = map { s/'/''/gr } @$request;

		$body =~ s/\r?\n/ /g;
		$script .= "SELECT ask('$operation', '$body');\n";
	}
	foreach my $line (split /\n/, $node->safe_psql('wire', $script))
	{
		my ($error, $response) = $line =~ /^(\S+) (.*)$/
		  or die "unexpected line: $line";

		push @answers, [ $error eq '-' ? undef : $error, $response ];
	}
	die @answers . ' answers to ' . @_ . ' requests' if @answers != @_;
	return @answers;
}

my $run = 0;
foreach my $file (wire_case_files("$FindBin::RealBin/../wire"))
{
	$run += run_wire_cases($file, \&ask);
	is($node->safe_psql('wire', 'SELECT count(*) FROM partitioning.item_tables'), '0',
		'its tables are gone');
}
cmp_ok($run, '>=', 900, "$run requests");
done_testing();
