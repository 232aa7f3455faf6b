-- Batches: batch_get and batch_write, whole and without the service's limits.
CREATE SCHEMA api_batch;
SET search_path = api_batch, partitioning;
SELECT create_table('app', 'PK', 'SK');
SELECT create_table('counters', 'id', attribute_types => '{"id": "N"}');

-- Puts and deletes in one call; a put replaces, an absent key is no error.
SELECT batch_write('app', ARRAY['{"PK": "a", "SK": "1", "v": 1}', '{"PK": "a", "SK": "2", "v": 2}', '{"PK": "b", "SK": "1"}']::item[]);
SELECT batch_write('app', ARRAY['{"PK": "a", "SK": "1", "w": 1}', '{"PK": "c", "SK": "1"}']::item[], ARRAY['{"PK": "b", "SK": "1"}', '{"PK": "z", "SK": "1"}']::item[]);
SELECT item_of(app) FROM app ORDER BY pk, sk;
SELECT batch_write('app', deletes => ARRAY['{"PK": "c", "SK": "1"}']::item[]);
SELECT batch_write('app');

-- Reading keeps the order of the keys and leaves out what is not there.
SELECT batch_get('app', ARRAY['{"PK": "a", "SK": "2"}', '{"PK": "none", "SK": "1"}', '{"PK": "a", "SK": "1"}']::item[]);
SELECT g['SK'] FROM batch_get('app', ARRAY['{"PK": "a", "SK": "1"}', '{"PK": "a", "SK": "2"}']::item[]) AS g;
SELECT count(*) FROM batch_get('app', '{}');

-- Each item once, by value.
SELECT batch_get('counters', ARRAY['{"id": 1}', '{"id": 1.0}']::item[]);
SELECT batch_write('counters', ARRAY['{"id": 1}']::item[], ARRAY['{"id": 10e-1}']::item[]);
SELECT batch_write('counters', ARRAY['{"id": 1}', '{"id": 2}', '{"id": 1}']::item[]);

-- Everything is checked before anything is written.
SELECT batch_write('counters', ARRAY['{"id": 1}', '{"id": "2"}']::item[]);
SELECT batch_write('counters', ARRAY['{"id": 1}', '{"n": 2}']::item[]);
SELECT batch_write('counters', ARRAY['{"id": 1}']::item[], ARRAY['{"id": 2, "n": 1}']::item[]);
SELECT batch_write('counters', ARRAY['{"id": 1}', jsonb_build_object('id', 2, 'pad', repeat('x', 409600))]::item[]);
SELECT batch_write('counters', ARRAY['{"id": 1}', '[1]']::item[]);
SELECT batch_write('counters', ARRAY['{"id": 1}', NULL]::item[]);
SELECT batch_write('counters', NULL);
SELECT batch_write(NULL, ARRAY['{"id": 1}']::item[]);
SELECT batch_write('nowhere', ARRAY['{"id": 1}']::item[]);
SELECT batch_get('counters', ARRAY['{"id": 1}', '{"id": "1"}']::item[]);
SELECT batch_get('counters', ARRAY['{"id": 1}', '1']::item[]);
SELECT batch_get('counters', ARRAY[NULL]::item[]);
SELECT batch_get('nowhere', ARRAY['{"id": 1}']::item[]);
SELECT count(*) FROM counters;

-- No limit on their number; a call is part of its statement.
SELECT batch_write('counters', array_agg(jsonb_build_object('id', i, 'n', 2 * i)::item)) FROM generate_series(1, 10000) AS i;
SELECT count(*), sum(g['n']::text::int) FROM (SELECT batch_get('counters', array_agg(jsonb_build_object('id', i)::item)) AS g FROM generate_series(1, 20000, 2) AS i) AS s;

-- Keys that are neighbours in the index, on several of its pages; those before, between and after them are absent.
BEGIN;
SELECT batch_write('app', array_agg(jsonb_build_object('PK', 'p' || i % 3, 'SK', to_char(i, 'FM0000'))::item)) FROM generate_series(1, 3000) AS i;
SELECT count(*), count(DISTINCT g['SK']::text) FROM (SELECT batch_get('app', array_agg(jsonb_build_object('PK', 'p' || p, 'SK', to_char(i, 'FM0000'))::item ORDER BY p, i)) AS g FROM generate_series(0, 2) AS p, generate_series(0, 3001) AS i) AS s;
SELECT count(*), count(DISTINCT g['SK']::text) FROM (SELECT batch_get('app', array_agg(jsonb_build_object('PK', 'p' || p, 'SK', to_char(i, 'FM0000'))::item ORDER BY p DESC, i DESC)) AS g FROM generate_series(0, 2) AS p, generate_series(0, 3001) AS i) AS s;
ROLLBACK;

BEGIN;
SELECT batch_write('counters', deletes => array_agg(jsonb_build_object('id', i)::item)) FROM generate_series(1, 9000) AS i;
SELECT count(*) FROM counters;
ROLLBACK;
SELECT count(*) FROM counters;

-- An item written twice in one statement, by two calls.
SELECT batch_write('counters', ARRAY[jsonb_build_object('id', 0, 'n', i)]::item[]) FROM generate_series(1, 3) AS i;
SELECT get_item('counters', '{"id": 0}');

-- Statement triggers fire once for the call.
CREATE TABLE log (line text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO log VALUES (concat_ws(' ', TG_WHEN, TG_OP, TG_LEVEL));
    RETURN NULL;
END
$$;
CREATE TRIGGER note_row AFTER INSERT OR UPDATE OR DELETE ON app FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note_statement AFTER INSERT OR UPDATE OR DELETE ON app FOR EACH STATEMENT EXECUTE FUNCTION note();
SELECT batch_write('app', ARRAY['{"PK": "t", "SK": "1"}', '{"PK": "t", "SK": "2"}', '{"PK": "a", "SK": "1", "new": true}']::item[], ARRAY['{"PK": "a", "SK": "2"}']::item[]);
SELECT line, count(*) FROM log GROUP BY line ORDER BY line COLLATE "C";

-- Privileges are those of the equivalent SQL.
CREATE ROLE regress_batch;
GRANT USAGE ON SCHEMA api_batch TO regress_batch;
GRANT SELECT, INSERT, UPDATE ON counters TO regress_batch;
SET ROLE regress_batch;
SELECT batch_write('counters', ARRAY['{"id": 1}']::item[]);
SELECT batch_write('counters', deletes => ARRAY['{"id": 1}']::item[]);
SELECT batch_get('app', ARRAY['{"PK": "a", "SK": "1"}']::item[]);
RESET ROLE;

DROP SCHEMA api_batch CASCADE;
DROP ROLE regress_batch;
