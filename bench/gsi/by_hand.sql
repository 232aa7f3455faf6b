-- Three ways to have a global index by hand, on tables that are equal else: g0
-- has none, ga an index on expressions, gb a trigger that keeps a second table,
-- gc a trigger that fills a queue, and a worker.
CREATE TABLE g0 (pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, item jsonb NOT NULL);
CREATE TABLE ga (LIKE g0);
CREATE TABLE gb (LIKE g0);
CREATE TABLE gc (LIKE g0);
INSERT INTO g0 SELECT pk, sk, item FROM hand_written WHERE sk LIKE 'ORDER#%';
INSERT INTO ga SELECT * FROM g0;
INSERT INTO gb SELECT * FROM g0;
INSERT INTO gc SELECT * FROM g0;
ALTER TABLE g0 ADD PRIMARY KEY (pk, sk);
ALTER TABLE ga ADD PRIMARY KEY (pk, sk);
ALTER TABLE gb ADD PRIMARY KEY (pk, sk);
ALTER TABLE gc ADD PRIMARY KEY (pk, sk);

CREATE INDEX ga_gsi ON ga ((item ->> 'GSI1PK'), (item ->> 'GSI1SK'));

CREATE TABLE gb_gsi (
    gpk text COLLATE "C" NOT NULL,
    gsk text COLLATE "C" NOT NULL,
    pk text COLLATE "C" NOT NULL,
    sk text COLLATE "C" NOT NULL,
    item jsonb NOT NULL,
    PRIMARY KEY (pk, sk)
);
INSERT INTO gb_gsi SELECT item ->> 'GSI1PK', item ->> 'GSI1SK', pk, sk, item FROM gb WHERE item ? 'GSI1PK';
CREATE INDEX gb_gsi_key ON gb_gsi (gpk, gsk);
CREATE FUNCTION gb_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NOT NEW.item ? 'GSI1PK' THEN
        DELETE FROM gb_gsi WHERE pk = OLD.pk AND sk = OLD.sk;
    ELSE
        INSERT INTO gb_gsi VALUES (NEW.item ->> 'GSI1PK', NEW.item ->> 'GSI1SK', NEW.pk, NEW.sk, NEW.item)
        ON CONFLICT (pk, sk) DO UPDATE SET gpk = excluded.gpk, gsk = excluded.gsk, item = excluded.item;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER follow AFTER INSERT OR UPDATE OR DELETE ON gb FOR EACH ROW EXECUTE FUNCTION gb_follow();

CREATE TABLE gc_gsi (LIKE gb_gsi);
INSERT INTO gc_gsi SELECT * FROM gb_gsi;
ALTER TABLE gc_gsi ADD PRIMARY KEY (pk, sk);
CREATE INDEX gc_gsi_key ON gc_gsi (gpk, gsk);
CREATE TABLE gc_queue (id bigserial PRIMARY KEY, pk text COLLATE "C", sk text COLLATE "C", item jsonb);
CREATE FUNCTION gc_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO gc_queue (pk, sk, item) VALUES (OLD.pk, OLD.sk, NULL);
    ELSE
        INSERT INTO gc_queue (pk, sk, item) VALUES (NEW.pk, NEW.sk, NEW.item);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER follow AFTER INSERT OR UPDATE OR DELETE ON gc FOR EACH ROW EXECUTE FUNCTION gc_follow();

-- Applies batches until the time is over and the queue empty.
CREATE PROCEDURE gc_worker(seconds float8, batch int) LANGUAGE plpgsql AS $$
DECLARE
    stop timestamptz := clock_timestamp() + make_interval(secs => seconds);
    n bigint;
BEGIN
    LOOP
        WITH taken AS (
            DELETE FROM gc_queue WHERE id IN (SELECT id FROM gc_queue ORDER BY id LIMIT batch FOR UPDATE SKIP LOCKED) RETURNING *
        ), latest AS (
            SELECT DISTINCT ON (pk, sk) * FROM taken ORDER BY pk, sk, id DESC
        ), gone AS (
            DELETE FROM gc_gsi AS g USING latest AS l WHERE g.pk = l.pk AND g.sk = l.sk AND l.item IS NULL
        ), put AS (
            INSERT INTO gc_gsi SELECT item ->> 'GSI1PK', item ->> 'GSI1SK', pk, sk, item FROM latest WHERE item ? 'GSI1PK'
            ON CONFLICT (pk, sk) DO UPDATE SET gpk = excluded.gpk, gsk = excluded.gsk, item = excluded.item
        )
        SELECT count(*) INTO n FROM taken;
        COMMIT;
        IF n = 0 THEN
            EXIT WHEN clock_timestamp() > stop;
            PERFORM pg_sleep(0.002);
        END IF;
    END LOOP;
END $$;
