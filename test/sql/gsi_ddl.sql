-- Index tables: who may use them, and how they follow their item table.
CREATE ROLE regress_gsi_owner;
CREATE ROLE regress_gsi_writer;
CREATE ROLE regress_gsi_other;
CREATE SCHEMA gsi_ddl AUTHORIZATION regress_gsi_owner;
GRANT USAGE ON SCHEMA gsi_ddl TO PUBLIC;
SET search_path = gsi_ddl, partitioning;
SET ROLE regress_gsi_owner;
SELECT create_table('app', 'pk');
SELECT create_global_index('app', 'byE', 'e', propagation => 'sync');
RESET ROLE;
-- made by a superuser, and yet the owner's
SELECT create_global_index('app', 'byF', 'f', unique_key => true);
SELECT relname, relowner::regrole FROM pg_class WHERE relnamespace = 'gsi_ddl'::regnamespace AND relkind = 'r' ORDER BY 1;

-- who may write the table needs no right on its index tables
GRANT INSERT, UPDATE, DELETE ON app TO regress_gsi_writer;
SET ROLE regress_gsi_writer;
SELECT put_item('app', '{"pk": "1", "e": "x", "f": "1"}');
INSERT INTO app VALUES ('2', '{"e": "x"}');
SELECT current_user;
SELECT query('app', 'e = :e', '{":e": "x"}', index_name => 'byE');
SELECT * FROM "app_byE";
SELECT create_global_index('app', 'byG', 'g', propagation => 'sync');
SELECT rebuild_index('app', 'byE');
SELECT verify_index('app', 'byE');
SELECT drop_index('app', 'byE');
-- who may read the table may read by index
SET ROLE regress_gsi_owner;
GRANT SELECT ON app TO regress_gsi_writer;
SET ROLE regress_gsi_writer;
SELECT query('app', 'e = :e', '{":e": "x"}', index_name => 'byE') ORDER BY 1;
SELECT verify_index('app', 'byE');
SELECT * FROM "app_byE";
SET ROLE regress_gsi_other;
SELECT scan('app', index_name => 'byE');
-- a right on the index table alone is none
SET ROLE regress_gsi_owner;
GRANT ALL ON "app_byE" TO regress_gsi_other;
SET ROLE regress_gsi_other;
SELECT scan('app', index_name => 'byE');
INSERT INTO "app_byE" VALUES ('y', '9', 1, '{}');
-- row security of the table hides its index from everybody
SET ROLE regress_gsi_owner;
ALTER TABLE app ENABLE ROW LEVEL SECURITY;
SET ROLE regress_gsi_writer;
SELECT scan('app', index_name => 'byE');
SET ROLE regress_gsi_owner;
ALTER TABLE app DISABLE ROW LEVEL SECURITY;

-- indexes of the owner on an index table are kept up, as him
CREATE FUNCTION who(item) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN current_user; END $$;
CREATE INDEX app_bye_who ON "app_byE" (gsi_ddl.who(attributes));
CREATE INDEX app_bye_pk ON "app_byE" (base_pk) WHERE base_pk > '2';
SET ROLE regress_gsi_writer;
SELECT put_item('app', '{"pk": "3", "e": "x", "f": "3"}'), put_item('app', '{"pk": "1", "e": "x", "f": "1", "more": 1}');
RESET ROLE;
SET enable_seqscan = off;
SELECT base_pk FROM "app_byE" WHERE who(attributes) = 'regress_gsi_owner' ORDER BY 1;
SELECT base_pk FROM "app_byE" WHERE base_pk > '2';
RESET enable_seqscan;

-- none of this in a read-only transaction
BEGIN READ ONLY;
SELECT rebuild_index('app', 'byE');
ROLLBACK;
BEGIN READ ONLY;
SELECT drop_index('app', 'byE');
ROLLBACK;

-- nobody but the maintenance changes an index table, in whatever way
SET ROLE regress_gsi_owner;
COPY "app_byE" FROM stdin;
x	5	5	{}
\.
MERGE INTO "app_byE" USING app ON base_pk = app.pk WHEN MATCHED THEN DELETE;
TRUNCATE "app_byE";
TRUNCATE "app_byE", app;
UPDATE "app_byE" SET attributes = '{}';
RESET ROLE;
DELETE FROM "app_byE";
COPY "app_byE" FROM stdin (FREEZE);
x	5	5	{}
\.
-- rows that are there already are passed over, as a restore needs it
SELECT string_agg(base_pk, ' ' ORDER BY base_pk) FROM "app_byE";

-- what the maintenance would not heed cannot be on it
ALTER TABLE "app_byE" ADD COLUMN more int NOT NULL DEFAULT 1;
ALTER TABLE "app_byE" DROP COLUMN attributes;
ALTER TABLE "app_byE" ALTER COLUMN pk TYPE varchar;
ALTER TABLE "app_byE" RENAME COLUMN pk TO e;
ALTER TABLE "app_byE" ADD CHECK (pk > 'a');
ALTER TABLE "app_byE" SET UNLOGGED;
CREATE TRIGGER audit AFTER INSERT ON "app_byE" FOR EACH ROW EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger();
ALTER TABLE "app_byE" ALTER COLUMN pk SET STATISTICS 500, SET (fillfactor = 80);
CLUSTER "app_byE" USING "app_byE_key";
REINDEX TABLE "app_byE";
VACUUM FULL "app_byE";
SELECT verify_index('app', 'byE');
-- unlogged items have unlogged entries
ALTER TABLE app SET UNLOGGED;
SELECT relname, relpersistence FROM pg_class WHERE relnamespace = 'gsi_ddl'::regnamespace ORDER BY 1;
ALTER TABLE app SET LOGGED;
SELECT DISTINCT relpersistence FROM pg_class WHERE relnamespace = 'gsi_ddl'::regnamespace;

-- rename, schema, owner
ALTER TABLE "app_byE" RENAME TO other;
ALTER TABLE "app_byE" SET SCHEMA public;
ALTER TABLE app RENAME TO apps;
SELECT index_name, relation_name FROM item_indexes ORDER BY 1;
SELECT put_item('apps', '{"pk": "4", "e": "x"}');
CREATE SCHEMA gsi_ddl2;
CREATE TABLE gsi_ddl2."apps_byE" ();
ALTER TABLE apps SET SCHEMA gsi_ddl2;
SET search_path = gsi_ddl2, partitioning;
SELECT schema_name, index_name, relation_name FROM item_indexes ORDER BY 2;
SELECT put_item('apps', '{"pk": "5", "e": "x"}');
SELECT count(*) FROM query('apps', 'e = :e', '{":e": "x"}', index_name => 'byE');
ALTER SCHEMA gsi_ddl2 RENAME TO gsi_ddl3;
SET search_path = gsi_ddl3, partitioning;
SELECT put_item('apps', '{"pk": "6", "e": "x"}');
SELECT index_name, v.* FROM item_indexes, verify_index('apps', index_name) AS v;
GRANT ALL ON SCHEMA gsi_ddl3 TO regress_gsi_other;
ALTER TABLE apps OWNER TO regress_gsi_other;
SELECT relname, relowner::regrole FROM pg_class WHERE relnamespace = 'gsi_ddl3'::regnamespace AND relkind = 'r' AND relname <> 'apps_byE' ORDER BY 1;
SELECT put_item('apps', '{"pk": "7", "e": "x", "f": "7"}');

-- an index table that is lost is dropped from the catalog, or made again
DROP TABLE "apps_byF";
SELECT index_name FROM item_indexes;
SET partitioning.wire_schema = 'gsi_ddl3';
ALTER EVENT TRIGGER partitioning_sql_drop DISABLE;
DROP TABLE "apps_byE_2" CASCADE;
ALTER EVENT TRIGGER partitioning_sql_drop ENABLE ALWAYS;
SELECT put_item('apps', '{"pk": "8", "e": "x"}');
SELECT rebuild_index('apps', 'byE');
SELECT put_item('apps', '{"pk": "8", "e": "x"}');
SELECT verify_index('apps', 'byE');
RESET partitioning.wire_schema;

-- dependents of an index table stop a drop that does not cascade
CREATE VIEW entries AS SELECT * FROM "apps_byE_2";
SELECT drop_index('apps', 'byE');
DROP TABLE apps;
DROP TABLE apps CASCADE;
SELECT relname FROM pg_class WHERE relnamespace = 'gsi_ddl3'::regnamespace;
SELECT count(*) FROM indexes;
-- with its schema
SELECT create_table('gone', 'pk');
SELECT create_global_index('gone', 'byE', 'e', propagation => 'sync');
DROP SCHEMA gsi_ddl3 CASCADE;
SELECT count(*) FROM indexes;
DROP SCHEMA gsi_ddl CASCADE;
DROP ROLE regress_gsi_owner, regress_gsi_writer, regress_gsi_other;
