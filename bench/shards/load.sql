-- One sharded table, and the same rows as one would keep them by hand: 1,000
-- partitions of 200 items, over 10 shards each.
SET partitioning.index_method = :'method';
SELECT partitioning.create_table('sharded', 'PK', 'SK', write_shards => 10);
SELECT partitioning.batch_write('sharded', ARRAY(
    SELECT jsonb_build_object('PK', 'EVENT#' || p, 'SK', 'ORDER#2024-03-19T09:' || lpad(i::text, 4, '0') || '.600Z',
        'orderId', substr(md5(p::text || i), 1, 20), 'status', 'PENDING', 'amount', (i * 7 + p) / 100.0, 'currency', 'EUR',
        'qty', i % 5, 'carrier', 'COLISSIMO')::partitioning.item
    FROM generate_series(1, 200) AS i))
FROM generate_series(1, 1000) AS p;
CREATE TABLE by_hand (pk text COLLATE "C", sk text COLLATE "C", item jsonb, PRIMARY KEY (pk, sk));
INSERT INTO by_hand SELECT pk, sk, attributes::jsonb FROM sharded ORDER BY ctid;
SELECT partitioning.create_table('hot_' || n, 'PK', 'SK', write_shards => n) FROM unnest(ARRAY[1, 10]) AS n;
VACUUM (ANALYZE, FREEZE) sharded;
VACUUM (ANALYZE, FREEZE) by_hand;
CHECKPOINT;
