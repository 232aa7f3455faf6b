-- Global indexes: what create_global_index() makes, and reading by name.
SET search_path = public, partitioning;
SELECT create_table('orders', 'id', 'line', '{"line": "N"}');
SELECT put_item('orders', jsonb_build_object('id', 'O' || i, 'line', 1, 'customer', 'C' || i % 3,
                                             'amount', i * 10, 'phase', CASE WHEN i % 2 = 0 THEN 'open' ELSE 'shut' END,
                                             'note', repeat('n', i)))
FROM generate_series(1, 6) AS i;

-- made on a filled table
SELECT create_global_index('orders', 'byCustomer', 'customer', 'amount', '{"amount": "N"}', propagation => 'sync', options => '{"index_method": "btree"}');
SELECT create_global_index('orders', 'byPhase', 'phase', projection => 'KEYS_ONLY', propagation => 'sync');
SELECT create_global_index('orders', 'byLine', 'line', 'id', projection => 'INCLUDE', include => '{note,id,absent}',
                           propagation => 'sync');
\d "orders_byCustomer"
SELECT obj_description('"orders_byCustomer"'::regclass, 'pg_class');
SELECT pk, sk, base_pk, base_sk, attributes FROM "orders_byCustomer" ORDER BY pk, sk;
SELECT pk, base_pk, base_sk, attributes FROM "orders_byPhase" ORDER BY pk, base_pk;
SELECT pk, sk, base_pk, base_sk, attributes FROM "orders_byLine" ORDER BY pk, sk;
SELECT index_name, kind, partition_keys, sort_keys, projection, include, propagation, unique_key, status, relation_name
FROM item_indexes ORDER BY 1;

-- reading by name, in the order of the sort key, both ways
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer');
SELECT query('orders', 'customer = :c AND amount > :t', '{":c": "C1", ":t": 10}', index_name => 'byCustomer',
             projection => 'id, amount', scan_forward => false);
SELECT query('orders', 'customer = :c AND amount BETWEEN :a AND :b', '{":c": "C0", ":a": 30, ":b": 59, ":n": "nnn"}', index_name => 'byCustomer',
             filter => 'note = :n');
SELECT query('orders', 'line = :l AND begins_with(id, :p)', '{":l": 1, ":p": "O"}', index_name => 'byLine', max_items => 2);
SELECT count(*) FROM scan('orders', index_name => 'byPhase');
SELECT scan('orders', index_name => 'byCustomer', filter => 'contains(note, :n)', expression_values => '{":n": "nnnnn"}',
            projection => 'id');

-- what is not in the index cannot be asked for
SELECT query('orders', 'phase = :s', '{":s": "open"}', index_name => 'byPhase', projection => 'id, note');
SELECT query('orders', 'line = :l', '{":l": 1}', index_name => 'byLine', projection => 'customer');
-- nor can a query filter by the key of the index
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer', filter => 'amount > :c');
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byTotal');

-- the key of a page's end has the key attributes of index and table, each once
SELECT item_count, last_evaluated_key FROM query_page('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer', max_items => 1);
SELECT item_count, last_evaluated_key FROM scan_page('orders', index_name => 'byLine', max_items => 1);
SELECT item_count, last_evaluated_key FROM scan_page('orders', index_name => 'byPhase', max_items => 1);

-- start keys that are none
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer', start_key => '{"id": "O1", "line": 1}');
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer',
             start_key => '{"id": "O1", "line": 1, "customer": "C1", "amount": "10"}');
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer',
             start_key => '{"id": "O1", "line": "1", "customer": "C1", "amount": 10}');
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer',
             start_key => '{"id": "O1", "line": 1, "customer": "C2", "amount": 10}');
SELECT query('orders', 'customer = :c AND amount > :t', '{":c": "C1", ":t": 10}', index_name => 'byCustomer',
             start_key => '{"id": "O1", "line": 1, "customer": "C1", "amount": 10}');
-- one that no item has is a legal start
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byCustomer', projection => 'id',
             start_key => '{"id": "none", "line": 7, "customer": "C1", "amount": 20}');
-- without sort key, too
SELECT count(*) FROM query('orders', 'phase = :s', '{":s": "open"}', index_name => 'byPhase',
                           start_key => '{"id": "O2", "line": 1, "phase": "open"}');

-- entries are the index's own rows
SELECT item_of(t) FROM "orders_byLine" AS t ORDER BY sk LIMIT 1;
SELECT verify_index('orders', 'byCustomer');

-- several attributes in a part of the key, of any types
SELECT create_global_index('orders', 'byPlace', partition_keys => '{customer,phase}', sort_keys => '{line,id}',
                           projection => 'KEYS_ONLY', propagation => 'sync', options => '{"index_method": "btree"}');
\d "orders_byPlace"
SELECT query('orders', 'customer = :c AND phase = :s', '{":c": "C1", ":s": "open"}', index_name => 'byPlace');
SELECT query('orders', 'begins_with(id, :i) AND line = :l AND customer = :c AND phase = :s', '{":c": "C1", ":s": "shut", ":l": 1, ":i": "O"}',
             index_name => 'byPlace', scan_forward => false);
SELECT query('orders', 'customer = :c AND phase = :s AND line > :l', '{":c": "C1", ":s": "shut", ":l": 1}', index_name => 'byPlace');
SELECT last_evaluated_key FROM query_page('orders', 'customer = :c AND phase = :s', '{":c": "C2", ":s": "open"}',
                                          index_name => 'byPlace', max_items => 1);
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byPlace');
SELECT query('orders', 'customer = :c AND phase = :s AND id = :i', '{":c": "C1", ":s": "shut", ":i": "O1"}', index_name => 'byPlace');
SELECT query('orders', 'customer = :c AND phase = :s AND line > :l AND id = :i', '{":c": "C1", ":s": "shut", ":i": "O1", ":l": 0}', index_name => 'byPlace');
SELECT query('orders', 'customer > :c AND phase = :s', '{":c": "C1", ":s": "shut"}', index_name => 'byPlace');
SELECT query('orders', 'customer = :c AND phase = :s AND amount = :t', '{":c": "C1", ":s": "shut", ":t": 1}', index_name => 'byPlace');
-- index_key() makes its columns for SQL
SELECT base_pk FROM "orders_byPlace" WHERE pk = index_key('orders', 'byPlace', 'C1'::text, 'open'::text);
SELECT base_pk FROM "orders_byPlace" WHERE sk >= index_key('orders', 'byPlace', 'C1', 'open', 1) ORDER BY base_pk LIMIT 2;
SELECT index_key('orders', 'byPlace', 'C1');
SELECT index_key('orders', 'byPlace', 'C1', 1);
SELECT index_key('orders', 'byPlace', 'C1', NULL::text);
SELECT index_key('orders', 'byPhase', 'open');
SELECT item_of(t) FROM "orders_byPlace" AS t ORDER BY base_pk LIMIT 1;

-- a template computes a key attribute
SELECT create_global_index('orders', 'byComputed', 'customer', 'phase-amount', projection => 'KEYS_ONLY', propagation => 'sync',
                           templates => '{"phase-amount": "{phase}#{amount}"}');
SELECT query('orders', 'customer = :c AND begins_with(#k, :s)', '{":c": "C1", ":s": "open#"}', expression_names => '{"#k": "phase-amount"}', index_name => 'byComputed');
SELECT update_item('orders', '{"id": "O4", "line": 1}', 'REMOVE amount');
SELECT query('orders', 'customer = :c', '{":c": "C1"}', index_name => 'byComputed');
SELECT index_name, v.* FROM item_indexes, verify_index('orders', index_name) AS v;

-- through the service's protocol, which offers consistent reads of tables only
SELECT dynamodb('Query', '{"TableName": "orders", "IndexName": "byCustomer", "KeyConditionExpression": "customer = :c",
    "ExpressionAttributeValues": {":c": {"S": "C2"}}, "ProjectionExpression": "id", "Limit": 1}');
SELECT dynamodb('Scan', '{"TableName": "orders", "IndexName": "byCustomer", "ConsistentRead": true}');
SELECT dynamodb('Query', '{"TableName": "orders", "IndexName": "byPhase", "KeyConditionExpression": "phase = :p",
    "ExpressionAttributeValues": {":p": {"S": "open"}}, "Select": "ALL_ATTRIBUTES"}');

-- a synchronous index is never behind
SELECT flush_index('orders', 'byCustomer');
SELECT alter_index('orders', 'byCustomer', 'sync');
SELECT alter_index('orders', 'byCustomer', 'soon');
SELECT alter_index('orders', 'byCustomer', NULL);

-- arguments
SELECT create_global_index('orders', 'x', 'a', propagation => 'sync');
SELECT create_global_index('orders', 'byPhase', 'a', propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', propagation => 'soon');
SELECT create_global_index('orders', 'new', 'a', propagation => 'async', unique_key => true);
SELECT create_global_index('orders', 'new', propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', partition_keys => '{b}', propagation => 'sync');
SELECT create_global_index('orders', 'new', partition_keys => '{a,b,c,d,e}', propagation => 'sync');
SELECT create_global_index('orders', 'new', partition_keys => '{a,NULL}', propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', 'a', propagation => 'sync');
SELECT create_global_index('orders', 'new', 'amount', attribute_types => '{"amount": "S"}', propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', projection => 'SOME', propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', write_shards => 2, propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', 'b', '{"a": "N"}', write_shards => 2, propagation => 'sync');
SELECT create_global_index('orders', 'new', partition_keys => '{a,c}', sort_key => 'b', write_shards => 2, propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', 'b', write_shards => 2, unique_key => true);
SELECT create_global_index('orders', 'new', 'a', 'b', write_shards => 0, propagation => 'sync');
SELECT create_global_index('orders', 'new', 'a', options => '{"fast": true}', propagation => 'sync');
SELECT create_global_index('nowhere', 'new', 'a', propagation => 'sync');
SET partitioning.max_global_indexes = 5;
SELECT create_global_index('orders', 'new', 'a', propagation => 'sync');
RESET partitioning.max_global_indexes;
SELECT verify_index('orders', 'none');
SELECT rebuild_index('orders', 'none');

-- the name of an index table, where it is taken or too long
CREATE TABLE "orders_byNote" ();
SELECT create_global_index('orders', 'byNote', 'note', propagation => 'sync');
SELECT create_global_index('orders', repeat('long-name.', 12), 'note', propagation => 'sync');
DROP TABLE "orders_byNote";

-- dropping
SELECT drop_index('orders', 'byNote');
SELECT to_regclass('"orders_byNote_2"');
SELECT drop_index('orders', 'byNote');
DROP TABLE "orders_byPhase";
SELECT query('orders', 'phase = :s', '{":s": "open"}', index_name => 'byPhase');
SELECT drop_table('orders');
SELECT count(*) FROM indexes;
SELECT relname FROM pg_class WHERE relname LIKE 'orders%';
