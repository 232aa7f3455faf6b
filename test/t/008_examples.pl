# What the documents and examples say runs as it stands: every block of SQL of
# README.md, the tutorial and the reference, in order, and the examples.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('examples');
my $number = 0;

# The blocks of a document, run in one session so that each finds what those
# before it made.
sub run_document
{
	my ($document) = @_;
	my @blocks = slurp_file($document) =~ /^```sql\n(.*?)^```$/msg;
	my $database = 'document' . ++$number;
	my $session;

	cmp_ok(scalar(@blocks), '>', 0, "$document has blocks of SQL");
	make_database($node, $database);
	$session = $node->background_psql($database, on_error_stop => 0);
	foreach my $block (@blocks)
	{
		my ($first) = $block =~ /(.*)/;

		$session->{stderr} = '';
		$session->query($block);
		unlike($session->{stderr}, qr/\b(WARNING|ERROR|FATAL|PANIC): /,
			"$document: $first");
	}
	$session->quit;
	return;
}

run_document('docs/tutorial.md');

# README.md opens with calls that its first block makes possible.
run_document('README.md');

# A page of the reference needs nothing but itself; that of the settings has
# no SQL.
run_document($_)
  foreach grep { !/settings/ } sort glob 'docs/reference/*.md';

make_database($node, 'tour');
foreach my $example (sort glob 'examples/*.sql')
{
	$node->command_ok(
		[ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', 'tour', '-f', $example ],
		"$example runs");
}

$node->stop;
done_testing();
