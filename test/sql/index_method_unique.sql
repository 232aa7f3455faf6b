-- What a unique ptree serves.  From 18 on (_1.out) the server lets every access
-- method do it; before, all this needs a btree.
CREATE SCHEMA index_method_unique;
SET search_path = index_method_unique, partitioning;
SET partitioning.index_method = ptree;
SELECT create_table('app', 'PK', 'SK');
INSERT INTO app VALUES ('a', 'b', '{}');

INSERT INTO app VALUES ('a', 'b', '{"n": 1}') ON CONFLICT (pk, sk) DO UPDATE SET attributes = excluded.attributes;
INSERT INTO app VALUES ('a', 'b', '{"n": 2}') ON CONFLICT DO NOTHING;
WITH new AS (INSERT INTO app VALUES ('a', 'b', '{"n": 3}') ON CONFLICT DO NOTHING RETURNING 1) SELECT count(*) FROM new;
SELECT scan('app');

CREATE TABLE child (pk text COLLATE "C", sk text COLLATE "C", FOREIGN KEY (pk, sk) REFERENCES app (pk, sk));
CREATE TABLE IF NOT EXISTS child (pk text COLLATE "C", sk text COLLATE "C");
ALTER TABLE child ADD FOREIGN KEY (pk, sk) REFERENCES app (pk, sk);
INSERT INTO child VALUES ('a', 'c');
DROP TABLE child;
-- other columns are none of its business
ALTER TABLE app ADD COLUMN id int UNIQUE;
CREATE TABLE child (id int REFERENCES app (id));
DROP TABLE child;
ALTER TABLE app DROP COLUMN id;

-- a partitioned table
CREATE TABLE parts (pk text COLLATE "C", sk text COLLATE "C", attributes item) PARTITION BY HASH (pk);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
SELECT register_table('parts', 'PK', 'SK');
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT indexrelid::regclass, amname FROM pg_index AS i JOIN pg_class AS c ON c.oid = indexrelid JOIN pg_am AS a ON a.oid = relam
WHERE indrelid IN ('parts'::regclass, 'parts_0'::regclass, 'parts_1'::regclass) ORDER BY indexrelid::regclass::text COLLATE "C";
SELECT count(put_item('parts', jsonb_build_object('PK', 'p' || i, 'SK', 's'))) FROM generate_series(1, 20) AS i;
SELECT count(*) FROM scan('parts');

SET client_min_messages = warning;
DROP SCHEMA index_method_unique CASCADE;
