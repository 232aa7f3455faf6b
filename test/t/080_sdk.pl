# Programs that use clients of the service run unchanged against the endpoint:
# both versions of the SDK for JavaScript and two object mappers, with signed
# requests.  Their output, and what SQL reads of their tables afterwards, is
# compared with test/sdk/expected.  Then the programs of the documents run.

use strict;
use warnings;

use Cwd qw(abs_path);
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

# With a long timeout a slow machine is not taken for a locked row.
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

# The SDKs take nothing from the environment or the home of whoever runs the
# test.
delete $ENV{$_} foreach grep { /^(AWS|NODE)_/ } keys %ENV;
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

# What a program prints.  Warnings of Node.js differ with its version; what a
# program says that fails stands in its output, too.
sub run_program
{
	my ($file) = @_;
	my ($output, $errors) = ('', '');

	run([ 'node', $file ], '>', \$output, '2>', \$errors, timeout(300))
	  or $output .= "the program failed: $errors\n";
	return $output;
}

# The output of a program, then of its SQL.
sub output_of
{
	my ($program) = @_;
	my $output = run_program("$folder/programs/$program.js");

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

# What docs/sdk.md says of JavaScript, with the port and a key put in.
my ($key_id, $secret) = @{ $keys{web} };
my @blocks = slurp_file('docs/sdk.md') =~ /^```js\n(.*?)^```$/msg;
my $sources = PostgreSQL::Test::Utils::tempdir();

sub run_block
{
	my ($name, $source) = @_;
	my $file = "$sources/$name";

	$source =~ s{http://localhost:8000}{http://127.0.0.1:$port} or die;
	$source =~ s/'AKIA\.\.\.'/'$key_id'/ or die;
	$source =~ s/'\.\.\.'/'$secret'/ or die;
	append_to_file($file, $source);
	return run_program($file);
}

symlink(abs_path("$folder/node_modules"), "$sources/node_modules")
  or die "could not link the packages: $!";
$node->safe_psql('app', <<'END');
SET ROLE web;
SELECT create_table('app', 'PK', 'SK');
END
is(scalar(@blocks), 2, 'programs of docs/sdk.md');
is( run_block('v3.mjs', "$blocks[0]console.log(page.Items);\n"),
	"[ { PK: 'U#1', SK: 'O#1', total: 30 } ]\n",
	'docs/sdk.md: version 3');
is( run_block(
		'v2.js',
		"process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';\n"
		  . $blocks[1]
		  . "db.scan({ TableName: 'app' }).promise()\n"
		  . "    .then((page) => console.log(page.Items));\n"
	),
	"[ { PK: 'U#1', SK: 'O#1', total: 30 } ]\n",
	'docs/sdk.md: version 2');

# The example, as the quickstart runs it.
@ENV{ 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY' } = @{ $keys{web} };
$ENV{NODE_PATH} = "$folder/node_modules";
is(run_program('examples/sdk/orders.js'), <<'END', 'examples/sdk/orders.js');
Bob pays too little: TransactionCanceledException, ConditionalCheckFailed, None
Orders of Ada, newest first:
    C#ada  ORDER#2026-05-04  35
    C#ada  ORDER#2026-05-01  20.5
Open orders, by the index:
    C#ada  ORDER#2026-05-01  20.5
    C#bob  ORDER#2026-05-03  12
END
is( $node->safe_psql(
		'app',
		q{SELECT get_item('sdk_orders',
			'{"customer": "C#ada", "id": "INVOICE#2026-05-04"}')}),
	'{"amount": 35, "customer": "C#ada", "id": "INVOICE#2026-05-04"}',
	'what it wrote, in SQL');

# No request has ended in an error of the server, and no worker has ended.
my $log = slurp_file($node->logfile);
unlike($log, qr/InternalServerError|PANIC|terminated by signal/,
	'the log of the server');

$node->stop;
done_testing();
