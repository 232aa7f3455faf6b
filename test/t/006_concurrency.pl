# Many clients at the same items: conditions are judged on the latest version,
# creation has one winner, unconditional writes all succeed.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use PartitioningTest;

my $clients = 16;
my $node = new_node('concurrency');

make_database($node, 'app');
$node->safe_psql('app', <<'END');
SELECT create_table('app', 'PK', 'SK');
SELECT create_table('counters', 'PK', options => '{"index_method": "btree"}');
CREATE TABLE outcomes (what text, applied bool);
END

# Runs a script in all clients; each runs it so many times.
sub race
{
	my ($name, $transactions, $script) = @_;

	$node->pgbench(
		"--no-vacuum --client=$clients --jobs=2 --transactions=$transactions",
		0,
		[qr/processed: (\d+)\/\1/],
		[qr/^$/],
		$name,
		{ $name => $script },
		'app');
	return;
}

sub outcomes
{
	my ($what) = @_;

	return $node->safe_psql('app',
		"SELECT count(*) FILTER (WHERE applied), count(*) FROM outcomes WHERE what = '$what'"
	);
}

# Debits of one account succeed exactly as often as the balance allows.
$node->safe_psql('app',
	q{SELECT put_item('app', '{"PK": "A", "SK": "account", "balance": 100}')});
race('debit', 20, q{
INSERT INTO outcomes SELECT 'debit', (try_update('app',
    '{"PK": "A", "SK": "account"}', 'SET balance = balance - :one',
    '{":one": 1}', 'balance >= :one')).applied;
});
is(outcomes('debit'), '100|320', 'debits that succeeded');
is( $node->safe_psql('app',
		q{SELECT get_item('app', '{"PK": "A", "SK": "account"}', 'balance')}),
	'{"balance": 0}',
	'and what they left');

# No update of a counter is lost.
race('add', 25, q{
SELECT update_item('counters', '{"PK": "visits"}', 'ADD n :one', '{":one": 1}');
});
is($node->safe_psql('app', q{SELECT attributes FROM counters}),
	'{"n": 400}', 'every increment counts');

# Creation of the same keys by all clients at once: one winner for each.
race('create', 50, q{
INSERT INTO outcomes SELECT 'create ' || n, (try_put('app',
    format('{"PK": "race", "SK": "%s", "client": %s}', n, :client_id)::item,
    'attribute_not_exists(PK)')).applied
FROM (SELECT count(*) AS n FROM outcomes WHERE what LIKE 'create %') c;
});
is( $node->safe_psql('app', q{
SELECT count(*) FROM (
    SELECT what FROM outcomes WHERE what LIKE 'create %'
    GROUP BY what HAVING count(*) FILTER (WHERE applied) <> 1) w}),
	'0',
	'each key was created once');
is( $node->safe_psql('app', q{SELECT count(*) FROM app WHERE pk = 'race'}),
	$node->safe_psql('app',
		q{SELECT count(DISTINCT what) FROM outcomes WHERE what LIKE 'create %'}
	),
	'and is there');

# The same by the raising form: the losers get the condition's error.
$node->safe_psql('app', <<'END');
CREATE FUNCTION create_or_lose(n int) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
    PERFORM put_item('app', format('{"PK": "raise", "SK": "%s"}', n)::item,
        'attribute_not_exists(PK)');
    RETURN true;
EXCEPTION WHEN SQLSTATE 'IM002' THEN
    RETURN false;
END $$;
END
race('raise', 10, q{
INSERT INTO outcomes SELECT 'raise', create_or_lose(n)
FROM generate_series(1, 5) n;
});
is(outcomes('raise'), '5|800', 'one creator for each key, by exception');

# Unconditional puts of the same new keys all succeed, one after the other.
race('overwrite', 50, q{
SELECT put_item('app', format('{"PK": "over", "SK": "%s", "client": %s}',
    (random() * 20)::int, :client_id)::item);
});
is( $node->safe_psql('app', q{
SELECT count(*) = count(DISTINCT sk) AND count(*) <= 21
FROM app WHERE pk = 'over'}),
	't',
	'racing puts leave one item for each key');

# So do deletes beside them, and plain SQL that inserts the same keys.
race('mixed', 50, q{
\set key random(1, 5)
\set what random(1, 3)
\if :what = 1
SELECT put_item('app', format('{"PK": "mixed", "SK": "%s"}', :key)::item);
\elif :what = 2
SELECT delete_item('app', format('{"PK": "mixed", "SK": "%s"}', :key)::item);
\else
MERGE INTO app t USING (VALUES ('mixed', :key::text)) v (pk, sk)
ON t.pk = v.pk AND t.sk = v.sk
WHEN MATCHED THEN UPDATE SET attributes = '{"merged": true}';
\endif
});
is( $node->safe_psql('app', q{
SELECT count(*) = count(DISTINCT sk) FROM app WHERE pk = 'mixed'}),
	't',
	'puts, deletes and MERGE leave one item for each key');

# At REPEATABLE READ a concurrent change is a serialization failure.
my $session = $node->background_psql('app', on_error_stop => 0);
$session->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
$session->query_safe('SELECT count(*) FROM app');
$node->safe_psql('app',
	q{SELECT put_item('app', '{"PK": "A", "SK": "account", "balance": 5}')});
$session->query(
	q{SELECT put_item('app', '{"PK": "A", "SK": "account", "balance": 6}');});
like(
	$session->{stderr},
	qr/could not serialize access/,
	'REPEATABLE READ refuses to overwrite a change it cannot see');
$session->quit;

# Every row is still found by its key, and no other way says otherwise.
is( $node->safe_psql('app', q{
SELECT count(*) FROM (SELECT scan('app')) s}),
	$node->safe_psql('app', 'SELECT count(*) FROM app'),
	'a scan finds every row');

$node->stop;
done_testing();
