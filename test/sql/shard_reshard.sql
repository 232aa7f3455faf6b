-- Changing the number of write shards, and reports on shards.
SET search_path = public, partitioning;
SELECT create_table('events', 'PK', 'SK', write_shards => 4);
SELECT create_table('traces', 'PK', 'SK', write_shards => 6, shard_by => 'random');
SELECT create_table('plain', 'PK', 'SK');
SELECT create_global_index('events', 'byN', 'kind', 'n', '{"n": "N"}', propagation => 'sync');
SELECT create_local_index('events', 'byKind', 'kind');
SELECT batch_write('events', ARRAY(SELECT jsonb_build_object('PK', 'd' || d, 'SK', 's' || lpad(i::text, 4, '0'), 'n', i, 'kind', 'k' || i % 3)::item
                                   FROM generate_series(1, 400) AS i, generate_series(1, 3) AS d));
SELECT batch_write('traces', ARRAY(SELECT jsonb_build_object('PK', 'd' || d, 'SK', 's' || lpad(i::text, 4, '0'))::item
                                   FROM generate_series(1, 400) AS i, generate_series(1, 3) AS d));
-- what users do to a table does not see the items move
CREATE TABLE seen (what text);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (TG_OP); RETURN NULL; END $$;
CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION see();
ALTER TABLE events ADD COLUMN extra int DEFAULT 5;
CREATE INDEX ON events (extra, sk);

-- refused
SELECT reshard('plain', 4);
SELECT reshard('events', 1);
SELECT reshard('events', 1025);
SELECT reshard('nothing', 4);
CREATE ROLE regress_shard_stranger;
SET ROLE regress_shard_stranger;
SELECT reshard('events', 8);
RESET ROLE;
DROP ROLE regress_shard_stranger;

-- the shard that a sort key belongs to, among so many
CREATE FUNCTION place(sk text, shards int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 0 .. shards - 1 LOOP
        BEGIN
            PERFORM check_shard('x#' || i, sk, NULL, shards, 0);
            RETURN i;
        EXCEPTION WHEN check_violation THEN
            NULL;
        END;
    END LOOP;
END $$;

-- while it is under way: what is seen, written, refused
CREATE PROCEDURE await_reshard() LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..6000 LOOP
        COMMIT;
        EXIT WHEN NOT EXISTS (SELECT FROM reshard_status) AND
            NOT EXISTS (SELECT FROM pg_constraint WHERE conname = 'shard_check' AND NOT convalidated);
        PERFORM pg_sleep(0.01);
    END LOOP;
END $$;
BEGIN;
SELECT reshard('events', 7);
SELECT table_name, former_shards, shards, status, moved FROM reshard_status;
SELECT count(*), count(DISTINCT i::text) FROM query('events', 'PK = :p', '{":p": "d2"}') AS i;
SELECT put_item('events', '{"PK": "d2", "SK": "s0005", "n": 1}', 'attribute_not_exists(SK)');
ROLLBACK;
BEGIN;
SELECT reshard('events', 7);
SELECT get_item('events', '{"PK": "d2", "SK": "s0005"}');
-- an item at its former place stays there until it is moved; a new one goes to its new place
SELECT update_item('events', '{"PK": "d2", "SK": "s0005"}', 'SET n = :n', '{":n": 50}');
SELECT count(*) FROM events WHERE shard_base(pk) = 'd2' AND sk = 's0005';
SELECT count(put_item('events', jsonb_build_object('PK', 'new', 'SK', 's' || i, 'n', i))) FROM generate_series(1, 50) AS i;
SELECT count(DISTINCT shard_of(pk)) FROM events WHERE shard_base(pk) = 'new';
SELECT count(*), max(n) FROM (SELECT count(*) AS n FROM events GROUP BY shard_base(pk), sk) AS x;
SELECT get_item('events', '{"PK": "d2", "SK": "s0005"}'), delete_item('events', '{"PK": "d2", "SK": "s0006"}', return_values => 'ALL_OLD');
SELECT transact_write('{"{\"put\": {\"table\": \"events\", \"item\": {\"PK\": \"d2\", \"SK\": \"s0007\", \"n\": 70}, \"condition\": \"n = :n\", \"values\": {\":n\": 7}}}"}');
SELECT count(*), count(DISTINCT i::text) FROM scan('events') AS i;
SAVEPOINT s;
-- SQL must not make a second item of a key, nor anything at a former place
SELECT min(sk) AS mover FROM events WHERE shard_base(pk) = 'd1' AND place(sk, 4) <> place(sk, 7) \gset
INSERT INTO events VALUES ('d1#' || place(:'mover', 7), :'mover', '{}');
ROLLBACK TO s;
INSERT INTO events VALUES ('d9#' || place(:'mover', 4), :'mover', '{}');
ROLLBACK TO s;
SELECT reshard('events', 8);
ROLLBACK TO s;
SELECT reshard('events', 7);
COMMIT;
CALL await_reshard();
SELECT table_name, write_shards FROM item_tables ORDER BY 1;
SELECT count(*), count(DISTINCT pk) FROM events;
SELECT bool_and(pk = shard_key('events', shard_base(pk), sk)) AS in_place, bool_and(extra = 5) AS kept FROM events;
SELECT count(*), count(DISTINCT i::text) FROM query('events', 'PK = :p', '{":p": "d2"}') AS i;
SELECT verify_index('events', 'byN');
SELECT query('events', 'PK = :p AND kind = :k', '{":p": "d1", ":k": "k1"}', 'byKind', max_items => 3);
-- three changes and 50 new items, but no moves
SELECT what, count(*) FROM seen GROUP BY what ORDER BY what;
SELECT conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'events'::regclass AND conname = 'shard_check';
SELECT obj_description('events'::regclass);

-- to fewer, with shards by chance
SELECT reshard('traces', 2);
CALL await_reshard();
SELECT count(*), count(DISTINCT shard_of(pk)), max(shard_of(pk)) FROM traces;
SELECT count(*), count(DISTINCT i::text) FROM scan('traces') AS i;
-- and back
SELECT reshard('events', 4);
CALL await_reshard();
SELECT count(*), max(shard_of(pk)), bool_and(pk = shard_key('events', shard_base(pk), sk)) AS in_place FROM events;

-- a table whose items cannot be moved is in the way of no other one
SELECT create_table('broken', 'PK', 'SK', write_shards => 4);
SELECT count(put_item('broken', jsonb_build_object('PK', 'd', 'SK', 's' || i))) FROM generate_series(1, 50) AS i;
CREATE TABLE switch (fails bool);
INSERT INTO switch VALUES (false);
CREATE FUNCTION may_fail(item) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN NOT (SELECT fails FROM public.switch); END $$;
ALTER TABLE broken ADD CONSTRAINT may_fail CHECK (may_fail(attributes));
UPDATE switch SET fails = true;
SELECT reshard('broken', 6), reshard('events', 5);
CREATE PROCEDURE await_reshard_of(name text) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..6000 LOOP
        COMMIT;
        EXIT WHEN NOT EXISTS (SELECT FROM reshard_status WHERE table_name = name) AND
            (SELECT convalidated FROM pg_constraint WHERE conname = 'shard_check' AND conrelid = name::regclass);
        PERFORM pg_sleep(0.01);
    END LOOP;
END $$;
CALL await_reshard_of('events');
SELECT table_name, former_shards, shards, status, moved FROM reshard_status;
UPDATE switch SET fails = false;
CALL await_reshard_of('broken');
SELECT count(*), max(shard_of(pk)), bool_and(pk = shard_key('broken', shard_base(pk), sk)) AS in_place FROM broken;

-- what a crash has left undone after the last step
SET allow_system_table_mods = on;
UPDATE pg_constraint SET convalidated = false WHERE conname = 'shard_check' AND conrelid = 'broken'::regclass;
RESET allow_system_table_mods;
SELECT reshard('broken', 6);
CALL await_reshard_of('broken');
SELECT convalidated FROM pg_constraint WHERE conname = 'shard_check' AND conrelid = 'broken'::regclass;

-- reports
SELECT shard, items, bytes, round(share::numeric, 3) AS share, largest_key, largest_key_items, largest_key_bytes, suggested_shards, query_reads
FROM shard_report('events', 4500) ORDER BY shard;
SELECT sum(items), round(sum(share)) FROM shard_report('traces');
SELECT shard, items, share, largest_key, suggested_shards, query_reads FROM shard_report('plain');
SELECT shard_report('events', 0);

SELECT drop_table(t) FROM unnest('{events,traces,plain,broken}'::text[]) AS t;
DROP TABLE seen, switch;
DROP FUNCTION see, place, may_fail;
DROP PROCEDURE await_reshard, await_reshard_of;
