-- The catalog follows names.
CREATE SCHEMA meta_one;
CREATE SCHEMA meta_two;
SET search_path = meta_one;
SET partitioning.index_method = btree;
SELECT partitioning.create_table('app', 'PK', 'SK');
SELECT partitioning.create_table('other', 'id');
CREATE VIEW where_is AS SELECT schema_name, table_name, relation FROM partitioning.item_tables;
SET search_path = public;
ALTER TABLE meta_one.app RENAME TO "App";
ALTER INDEX meta_one."App" RENAME TO app2;
TABLE meta_one.where_is ORDER BY table_name;
ALTER TABLE meta_one.app2 SET SCHEMA meta_two;
TABLE meta_one.where_is ORDER BY table_name;
SET search_path = meta_two;
ALTER TABLE IF EXISTS app2 SET SCHEMA meta_one;
ALTER TABLE IF EXISTS app2 SET SCHEMA meta_one;
ALTER SCHEMA meta_one RENAME TO meta_three;
TABLE meta_three.where_is ORDER BY table_name;
ALTER SCHEMA meta_three RENAME TO meta_one;
SET search_path = meta_one;

-- What is rolled back, or fails, has not happened.
BEGIN;
ALTER TABLE app2 RENAME TO app3;
SAVEPOINT a;
ALTER TABLE app3 RENAME TO app4;
ROLLBACK TO a;
ALTER TABLE app3 RENAME TO other;
ROLLBACK TO a;
ALTER TABLE app3 SET SCHEMA meta_two;
COMMIT;
TABLE where_is ORDER BY table_name;
ALTER TABLE meta_two.app3 SET SCHEMA meta_one;
ALTER TABLE app3 RENAME TO app;

-- A function that renames in a loop of commands.
DO $$
BEGIN
    FOR i IN 1..3 LOOP
        ALTER TABLE app RENAME TO app_x;
        BEGIN
            ALTER TABLE app_x RENAME TO other;
        EXCEPTION WHEN duplicate_table THEN NULL;
        END;
        ALTER TABLE app_x RENAME TO app;
    END LOOP;
END
$$;
TABLE where_is ORDER BY table_name;

-- A column "sk" would say that there is a sort key.
ALTER TABLE other ADD COLUMN n int;
ALTER TABLE other ADD COLUMN sk text;
ALTER TABLE other RENAME COLUMN n TO sk;
ALTER TABLE other DROP COLUMN n;
ALTER TABLE app ADD COLUMN IF NOT EXISTS sk text;

-- The three columns and the constraint stay.
ALTER TABLE app RENAME COLUMN pk TO x;
ALTER TABLE app RENAME sk TO x;
ALTER TABLE app DROP COLUMN attributes;
ALTER TABLE app ADD COLUMN n int, DROP COLUMN sk;
ALTER TABLE app ALTER COLUMN pk TYPE varchar;
ALTER TABLE app ALTER COLUMN attributes DROP NOT NULL;
ALTER TABLE app DROP CONSTRAINT item_check;
ALTER TABLE app RENAME CONSTRAINT item_check TO x;
-- Not by commands for other relations either, which the server lets do it.
ALTER VIEW app RENAME COLUMN pk TO x;
ALTER MATERIALIZED VIEW app RENAME COLUMN sk TO x;
ALTER FOREIGN TABLE app RENAME COLUMN attributes TO x;
ALTER TYPE app RENAME ATTRIBUTE pk TO x;
CREATE TABLE parent (LIKE app);
ALTER TABLE app INHERIT parent;
CREATE TYPE app_type AS (pk text, sk text, attributes partitioning.item);
ALTER TABLE app OF app_type;
DROP TYPE app_type;
DROP TABLE parent;
CREATE TABLE child () INHERITS (app);
CREATE SCHEMA meta_four CREATE TABLE child () INHERITS (meta_one.app);
CREATE FOREIGN DATA WRAPPER regress_meta_wrapper;
CREATE SERVER regress_meta_server FOREIGN DATA WRAPPER regress_meta_wrapper;
CREATE FOREIGN TABLE child () INHERITS (app) SERVER regress_meta_server;
DROP FOREIGN DATA WRAPPER regress_meta_wrapper CASCADE;

-- The key index may be dropped, not without a warning, and comes back.
DROP INDEX app_key;
SELECT partitioning.register_table('app', 'PK', 'SK');
DROP INDEX CONCURRENTLY IF EXISTS no_such_index, app_key;
DROP INDEX CONCURRENTLY app_key;
SELECT partitioning.register_table('app', 'PK', 'SK');

-- So may the row trigger.
DROP TRIGGER item_changed ON meta_one.app;
SELECT tgname FROM pg_trigger WHERE tgrelid = 'app'::regclass AND NOT tgisinternal ORDER BY 1;
SELECT partitioning.register_table('app', 'PK', 'SK');
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'app'::regclass AND NOT tgisinternal ORDER BY 1;

-- It may be disabled, too; enabled again, it fires always as before.
ALTER TABLE app DISABLE TRIGGER item_changed;
ALTER TABLE app ENABLE TRIGGER item_changed;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'app'::regclass AND NOT tgisinternal ORDER BY 1;
ALTER TABLE app DISABLE TRIGGER ALL;
ALTER TABLE app ENABLE TRIGGER ALL;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'app'::regclass AND NOT tgisinternal ORDER BY 1;
ALTER TABLE app ENABLE REPLICA TRIGGER item_changed;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'app'::regclass AND NOT tgisinternal ORDER BY 1;
ALTER TRIGGER item_changed ON app RENAME TO other;
-- So do the triggers of the catalog, which a restore of data alone disables.
ALTER TABLE partitioning.tables DISABLE TRIGGER ALL;
ALTER TABLE partitioning.tables ENABLE TRIGGER ALL;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'partitioning.tables'::regclass ORDER BY 1;

-- All else is free: columns, indexes, constraints, storage, persistence.
ALTER TABLE app ADD COLUMN extra int DEFAULT 7;
ALTER TABLE app RENAME COLUMN extra TO extra2;
ALTER TABLE app ALTER COLUMN extra2 TYPE bigint;
ALTER TABLE app ADD CONSTRAINT positive CHECK (extra2 > 0);
ALTER TABLE app RENAME CONSTRAINT positive TO more_positive;
CREATE INDEX app_extra ON app (extra2);
DROP INDEX app_extra;
ALTER TABLE app DROP COLUMN extra2;
ALTER INDEX app_key RENAME TO app_index;
REINDEX INDEX CONCURRENTLY app_index;
ALTER TABLE app ALTER COLUMN pk SET STORAGE external;
ALTER TABLE app SET UNLOGGED;
ALTER TABLE app SET LOGGED;
ALTER TABLE app SET (fillfactor = 90);
CLUSTER app USING app_index;
TRUNCATE app;
INSERT INTO app VALUES ('a', 'b', '{}');
\d app

-- A table of another kind is nobody's business.
CREATE TABLE ordinary (pk text CONSTRAINT item_check CHECK (pk <> ''), attributes int);
CREATE INDEX ordinary_pk ON ordinary (pk);
ALTER TABLE ordinary RENAME COLUMN pk TO x;
ALTER TABLE ordinary DROP COLUMN attributes;
ALTER TABLE ordinary DROP CONSTRAINT item_check;
DROP INDEX ordinary_pk;
ALTER TABLE ordinary RENAME TO ordinary2;
DROP TABLE ordinary2;

-- Drops of every kind.
DROP TABLE app;
TABLE where_is ORDER BY table_name;
SELECT partitioning.create_table('app', 'PK');
BEGIN;
DROP TABLE app, other;
TABLE where_is;
ROLLBACK;
TABLE where_is ORDER BY table_name;
CREATE VIEW where_is_app AS TABLE app;
DROP TABLE app;
DROP TABLE app CASCADE;
TABLE where_is ORDER BY table_name;

CREATE ROLE regress_meta_owner;
GRANT USAGE ON SCHEMA partitioning TO regress_meta_owner;
GRANT SELECT ON partitioning.item_tables TO regress_meta_owner;
GRANT CREATE, USAGE ON SCHEMA meta_two TO regress_meta_owner;
SET search_path = meta_two;
SET ROLE regress_meta_owner;
SELECT partitioning.create_table('mine', 'PK');
ALTER TABLE mine RENAME TO mine2;
SELECT * FROM partitioning.item_tables;
SELECT * FROM partitioning.tables;
RESET ROLE;
ALTER TABLE meta_one.other OWNER TO regress_meta_owner;
SET ROLE regress_meta_owner;
SELECT table_name, owner FROM partitioning.item_tables ORDER BY 1;
RESET ROLE;
DROP OWNED BY regress_meta_owner;
SELECT * FROM partitioning.tables;
DROP ROLE regress_meta_owner;

SELECT partitioning.create_table('app', 'PK');
SET client_min_messages = warning;
DROP SCHEMA meta_two CASCADE;
RESET client_min_messages;
SELECT * FROM partitioning.tables;

-- A new table of an old name is a new table.
SET search_path = meta_one;
SELECT partitioning.create_table('app', 'PK');
DROP TABLE app;
CREATE TABLE app (x int);
SELECT partitioning.drop_table('app');
DROP TABLE app;

-- Other's commands fail by themselves, with the server's own words.
SELECT partitioning.create_table('app', 'PK');
CREATE ROLE regress_meta_owner;
GRANT USAGE ON SCHEMA partitioning TO regress_meta_owner;
GRANT SELECT ON partitioning.item_tables TO regress_meta_owner;
GRANT USAGE ON SCHEMA meta_one TO regress_meta_owner;
SET ROLE regress_meta_owner;
ALTER TABLE app RENAME COLUMN pk TO x;
ALTER TABLE app RENAME TO x;
DROP INDEX app_key;
DROP TABLE app;
SELECT partitioning.drop_table('app');
SELECT partitioning.register_table('app', 'PK');
RESET ROLE;
DROP TABLE app;

-- The event triggers' functions are for event triggers.
SELECT partitioning.ddl_command_start();
CREATE TABLE wrong (x int);
CREATE TRIGGER wrong BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION partitioning.tables_insert();
INSERT INTO wrong VALUES (1);
DROP TABLE wrong;
SET client_min_messages = warning;
DROP SCHEMA meta_one CASCADE;
DROP OWNED BY regress_meta_owner;
DROP ROLE regress_meta_owner;
RESET search_path;
