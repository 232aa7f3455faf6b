# Tables that clients of the service make: sessions that race for one, states
# while an index is being filled, dump and restore.

use strict;
use warnings;

use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $node = new_node('wire_tables');

make_database($node, 'shop');
$node->safe_psql('shop', ask_function());

# Returns the exception or a dash, and the response or error message.
sub ask_function
{
	return <<'SQL';
CREATE FUNCTION ask(operation text, request json) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    RETURN '- ' || coalesce(partitioning.dynamodb(operation, request)::text, '');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN coalesce(substring(detail FROM '#([A-Za-z]+)"'), SQLSTATE) || ' ' || SQLERRM;
END
$$;
SQL
}

sub ask_sql
{
	my ($operation, $request) = @_;
	my $json = JSON::PP->new->canonical->encode($request);

	return "SELECT ask('$operation', '$json');";
}

sub ask
{
	my ($operation, $request, $database) = @_;

	return $node->safe_psql($database // 'shop', ask_sql($operation, $request));
}

sub description
{
	my ($table, $database) = @_;
	my ($json) = ask('DescribeTable', { TableName => $table }, $database) =~ /^- (.*)$/s;

	return decode_json($json)->{Table};
}

sub table_request
{
	my ($name, %more) = @_;

	return {
		TableName => $name,
		AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ],
		KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ],
		BillingMode => 'PAY_PER_REQUEST',
		%more
	};
}

# Sends a request in a session and waits until it waits for a lock.
sub send_blocked
{
	my ($session, $operation, $request) = @_;

	$session->query_until(qr/sent/, "\\echo sent\n" . ask_sql($operation, $request) . "\n");
	$node->poll_query_until('shop',
		"SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = 'shop' AND wait_event_type = 'Lock'")
	  or die "$operation does not wait";
	return;
}

my $first = $node->background_psql('shop', on_error_stop => 0);
my $second = $node->background_psql('shop', on_error_stop => 0);

# Of two that make one table, one does
$first->query_safe('BEGIN');
like($first->query(ask_sql('CreateTable', table_request('orders'))), qr/^- /, 'race: the first makes the table');
send_blocked($second, 'CreateTable', table_request('orders'));
$first->query_safe('COMMIT');
like($second->query('SELECT 1;'), qr/ResourceInUseException Table already exists: orders/, 'race: the second is told');

# Changes of one table's settings are made one after the other
my $arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/orders';
$first->query_safe('BEGIN');
$first->query_safe(ask_sql('TagResource', { ResourceArn => $arn, Tags => [ { Key => 'a', Value => '1' } ] }));
send_blocked($second, 'TagResource', { ResourceArn => $arn, Tags => [ { Key => 'b', Value => '2' } ] });
$first->query_safe('COMMIT');
$second->query_safe('SELECT 1;');
is(ask('ListTagsOfResource', { ResourceArn => $arn }),
	'- {"Tags":[{"Key":"a","Value":"1"},{"Key":"b","Value":"2"}]}', 'race: both tags are there');

# A table that is dropped while a request waits for it
$first->query_safe('BEGIN; LOCK TABLE orders IN SHARE UPDATE EXCLUSIVE MODE');
send_blocked($second, 'UpdateTable', { TableName => 'orders', TableClass => 'STANDARD' });
$first->query_safe('DROP TABLE orders; COMMIT');
like($second->query('SELECT 1;'), qr/ResourceNotFoundException Requested resource not found: Table: orders not found/,
	'race: a dropped table is not found');

# An index on a table with items is filled after the commit, and not before
# those have ended who were writing
ask('CreateTable', table_request('parts'));
$node->safe_psql('shop',
	"INSERT INTO parts SELECT i, jsonb_build_object('kind', 'k' || i % 2) FROM generate_series(1, 1000) AS i");
$first->query_safe(q{BEGIN; INSERT INTO parts VALUES ('x', '{"kind": "k1"}')});
my %index = (
	IndexName => 'byKind',
	KeySchema => [ { AttributeName => 'kind', KeyType => 'HASH' } ],
	Projection => { ProjectionType => 'ALL' });
my %create = (
	TableName => 'parts',
	AttributeDefinitions => [ { AttributeName => 'kind', AttributeType => 'S' } ]);
like(ask('UpdateTable', { %create, GlobalSecondaryIndexUpdates => [ { Create => \%index } ] }), qr/^- /,
	'backfill: the index is made');
my $described = description('parts');
is($described->{TableStatus}, 'ACTIVE', 'backfill: the table is in use');
is($described->{GlobalSecondaryIndexes}[0]{IndexStatus}, 'CREATING', 'backfill: the index is not');
ok($described->{GlobalSecondaryIndexes}[0]{Backfilling}, 'backfill: it is being filled');
like(ask('Scan', { TableName => 'parts', IndexName => 'byKind' }),
	qr/ValidationException Cannot read from backfilling global secondary index: byKind/, 'backfill: it cannot be read');
like(ask('PutItem', { TableName => 'parts', Item => { id => { S => 'y' }, kind => { S => 'k1' } } }), qr/^- /,
	'backfill: items can be written');
like(ask('DeleteTable', { TableName => 'parts' }),
	qr/ResourceInUseException Attempt to change a resource which is still in use: Table is being updated: parts/,
	'backfill: the table cannot be deleted');
like(ask('UpdateTable', { %create, GlobalSecondaryIndexUpdates => [ { Create => { %index, IndexName => 'again' } } ] }),
	qr/LimitExceededException Subscriber limit exceeded: Only 1 online index/, 'backfill: no second index is made');
$first->query_safe('COMMIT');
$node->poll_query_until('shop', "SELECT status = 'ACTIVE' FROM item_indexes WHERE index_name = 'byKind'")
  or die 'the index does not become active';
is($node->safe_psql('shop', "SELECT flush_index('parts', 'byKind')"), 't', 'backfill: all is applied');
$described = description('parts');
is($described->{GlobalSecondaryIndexes}[0]{IndexStatus}, 'ACTIVE', 'backfill: the index is active');
ok(!exists $described->{GlobalSecondaryIndexes}[0]{Backfilling}, 'backfill: and filled');
like(ask('Query', { TableName => 'parts', IndexName => 'byKind', Select => 'COUNT', KeyConditionExpression => 'kind = :k',
			ExpressionAttributeValues => { ':k' => { S => 'k1' } } }), qr/"Count":502,/, 'backfill: it has all items');
$node->poll_query_until('shop', q{SELECT (partitioning.dynamodb('DescribeTable', '{"TableName": "parts"}') #>> '{Table,ItemCount}')::int = 1002})
  or die 'the items are not counted';

# Dump and restore
my $long = 'long' x 40;
ask('CreateTable', table_request($long, Tags => [ { Key => 'k', Value => 'v' } ],
	StreamSpecification => { StreamEnabled => JSON::PP::true, StreamViewType => 'KEYS_ONLY' }));
ask('UpdateTimeToLive', { TableName => $long, TimeToLiveSpecification => { Enabled => JSON::PP::true, AttributeName => 't' } });
ask('PutItem', { TableName => $long, Item => { id => { S => '1' } } });
my $dumps = PostgreSQL::Test::Utils::tempdir;
my $settings = 'SELECT * FROM partitioning.table_settings ORDER BY table_name';
my $before = $node->safe_psql('shop', $settings);
$node->command_ok([ 'pg_dump', "--file=$dumps/whole", 'shop' ], 'dump: whole');
$node->command_ok([ 'pg_dump', '--data-only', '--exclude-table-data=parts*', "--file=$dumps/data", 'shop' ], 'dump: data');
$node->safe_psql('postgres', "CREATE DATABASE restored ENCODING 'UTF8' TEMPLATE template0");
$node->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', 'restored', '-f', "$dumps/whole" ], 'restore: whole');
is($node->safe_psql('restored', $settings), $before, 'restore: the settings are the same');
is($node->safe_psql('restored', q{SELECT partitioning.dynamodb('ListTables', '{}')}),
	qq({"TableNames":["$long","parts"]}), 'restore: the tables are there');
is($node->safe_psql('restored', qq{SELECT partitioning.dynamodb('GetItem', '{"TableName": "$long", "Key": {"id": {"S": "1"}}}')}),
	'{"Item":{"id":{"S":"1"}}}', 'restore: a long name is found');

# Data alone, into tables that were made there
$node->safe_psql('restored', qq{SELECT partitioning.dynamodb('DeleteTable', '{"TableName": "$long"}')});
$node->safe_psql('restored', "SELECT partitioning.dynamodb('CreateTable', '"
	  . JSON::PP->new->encode(table_request($long)) . "')");
isnt($node->safe_psql('restored', $settings), $before, 'restore: new tables have settings of their own');
$node->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', 'restored', '-f', "$dumps/data" ], 'restore: data');
is($node->safe_psql('restored', $settings), $before, 'restore: data replaces the settings');
is($node->safe_psql('restored', q{SELECT count(*) FROM partitioning.item_indexes, partitioning.verify_index(table_name, index_name)}), '0',
	'restore: the index agrees with the table');

$first->quit;
$second->quit;
$node->stop;
done_testing();
