# One damaged byte anywhere in an index: ptree_check() reports it, unless it is
# one that does not matter, and neither it nor a scan brings the server down.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;
use PtreeTest;

my $trials = $ENV{PTREE_TRIALS} // 60;
my $seed = $ENV{PTREE_SEED} // int(rand(1e9));

srand($seed);
note "PTREE_SEED=$seed";

my $node = new_node('damage', conf => "autovacuum = off\n");

make_database($node, 'app');
$node->safe_psql('app', q{
	CREATE TABLE rows (pk text NOT NULL, sk text COLLATE "C");
	INSERT INTO rows SELECT 'p' || i % 100, md5(i::text) FROM generate_series(1, 3000) i});

my @indexes;
for my $trial (1 .. $trials)
{
	$node->safe_psql('app', "CREATE INDEX rows_$trial ON rows USING ptree (pk text_hash_ops, sk)");
	push @indexes,
	  $node->safe_psql('app',
		"CHECKPOINT; SELECT pg_relation_filepath('rows_$trial'), pg_relation_size('rows_$trial')");
}
$node->stop;

# Bytes 0 to 11 of a page, LSN, checksum and flags, are the server's.
my @places;
for my $index (@indexes)
{
	my ($path, $size) = split /\|/, $index;
	my $offset = 8192 * int(rand($size / 8192)) + 12 + int(rand(8180));
	my $byte;

	open(my $file, '+<:raw', $node->data_dir . "/$path") or die "$path: $!";
	seek($file, $offset, 0);
	read($file, $byte, 1);
	$byte = chr(ord($byte) ^ (1 << int(rand(8))));
	seek($file, $offset, 0);
	print $file $byte;
	close($file);
	push @places, sprintf('block %d, byte %d', $offset / 8192, $offset % 8192);
}
$node->start;

my $found = 0;
for my $trial (1 .. $trials)
{
	my ($ret, $out, $err) =
	  $node->psql('app', "SELECT ptree_check('rows_$trial', true)");

	if ($ret != 0)
	{
		$found++;
		like(
			$err,
			qr/ERROR:  (index "rows_$trial" (is corrupt|has format version)|row .* lacks an entry|invalid page in block)/,
			"trial $trial, $places[$trial - 1]");
	}
	else
	{
		note "trial $trial, $places[$trial - 1]: not found";
	}
}

# A byte of the hole, a head or an entry is always found; what is not are bits
# of no meaning, a few in hundred.
cmp_ok($found, '>=', 0.85 * $trials, "$found of $trials were found");

# Scans and insertions: wrong results or an error, but no crash.  One index at
# a time is there to be used.
for my $trial (reverse 1 .. $trials)
{
	$node->psql('app',
		q{SET enable_seqscan = off; SET enable_bitmapscan = off;
		  SELECT count(*) FROM rows WHERE pk >=# -2147483648;
		  SELECT sk FROM rows WHERE pk = 'p50' ORDER BY sk DESC LIMIT 3;
		  INSERT INTO rows SELECT 'p' || i % 100, md5((-i)::text) FROM generate_series(1, 300) i});
	$node->safe_psql('app', "DROP INDEX rows_$trial");
}
is($node->safe_psql('app', 'SELECT 1'), '1', 'the server is there');
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal/, 'and has been all the time');

$node->stop('immediate');
done_testing();
