# Programs that use clients of the service run unchanged against the endpoint:
# both versions of the SDK for JavaScript and two object mappers, with signed
# requests.  Their output, and what SQL reads of their tables afterwards, is
# compared with test/sdk/expected.

use strict;
use warnings;

use IPC::Run qw(run timeout);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningHttp;
use PartitioningTest;

my $folder = 'test/sdk';
my $said;

run([ "$folder/install" ], '>&', \$said, timeout(600))
  or die "the packages could not be fetched: $said";

# What keeps a slow machine from being taken for a locked row.
my ($node, $port) =
  new_endpoint('sdk', conf => <<'END', sql => <<'END');
partitioning.http_auth = 'sigv4'
partitioning.http_lock_timeout = '30s'
END
CREATE ROLE reader LOGIN;
SELECT create_table('sdk-shared', 'id'), create_table('sdk-secret', 'id');
SELECT put_item('sdk-shared', '{"id": "1", "text": "for all"}');
GRANT SELECT ON "sdk-shared" TO reader;
REVOKE ALL ON "sdk-shared", "sdk-secret" FROM web;
END

# The SDKs take nothing from the home of whoever runs the test.
delete $ENV{$_} foreach grep { /^AWS_/ } keys %ENV;
$ENV{AWS_CONFIG_FILE} = $ENV{AWS_SHARED_CREDENTIALS_FILE} = '/dev/null';
$ENV{AWS_EC2_METADATA_DISABLED} = 'true';
$ENV{AWS_REGION} = 'local';
$ENV{AWS_ENDPOINT_URL_DYNAMODB} = "http://127.0.0.1:$port";

# An access key's id and secret, for a role.
sub access_key
{
	my ($role) = @_;

	return split /\|/,
	  $node->safe_psql('app', "SELECT * FROM create_access_key('$role')");
}

# The output of a program, then of its SQL; what went wrong stands in it, too.
sub output_of
{
	my ($program) = @_;
	my ($output, $errors) = ('', '');

	run([ 'node', "$folder/programs/$program.js" ],
		'>', \$output, '2>', \$errors, timeout(300))
	  or $output .= "the program failed: $errors\n";
	if (-e "$folder/programs/$program.sql")
	{
		my ($status, $rows, $message) =
		  $node->psql('app', slurp_file("$folder/programs/$program.sql"));

		$output .= "\nin SQL:\n$rows\n";
		$output .= "$message\n" if $message;
	}
	return $output;
}

sub expected_of
{
	my ($program) = @_;
	my $file = "$folder/expected/$program.out";

	return -e $file ? slurp_file($file) : '';
}

my %keys = (web => [ access_key('web') ], reader => [ access_key('reader') ]);
my @programs = map { m{([^/]+)\.js$} } sort glob "$folder/programs/*.js";

cmp_ok(scalar(@programs), '>=', 12, 'programs');
foreach my $program (@programs)
{
	my $role = $program eq 'access' ? 'reader' : 'web';
	my $output;

	@ENV{ 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY' } = @{ $keys{$role} };
	$output = output_of($program);
	append_to_file("$PostgreSQL::Test::Utils::log_path/sdk_$program.out",
		$output);
	is($output, expected_of($program), $program);
}

# No request has ended in an error of the server, and no worker has ended.
my $log = slurp_file($node->logfile);
unlike($log, qr/InternalServerError|PANIC|terminated by signal/,
	'the log of the server');

$node->stop;
done_testing();
