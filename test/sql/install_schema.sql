-- CREATE EXTENSION adopts a schema that exists only when nobody else can have
-- put anything into it.
SELECT current_database() AS home \gset
\set SHOW_CONTEXT never
CREATE DATABASE regress_install TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
CREATE ROLE regress_install_owner;
\c regress_install

-- Not empty.
CREATE SCHEMA partitioning;
CREATE FUNCTION partitioning.begins_with(text, text) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE EXTENSION partitioning;
DROP FUNCTION partitioning.begins_with(text, text);
ALTER DEFAULT PRIVILEGES FOR ROLE regress_install_owner IN SCHEMA partitioning GRANT ALL ON TABLES TO regress_install_owner;
CREATE EXTENSION partitioning;
DROP SCHEMA partitioning CASCADE;

-- Of another role.
CREATE SCHEMA partitioning AUTHORIZATION regress_install_owner;
CREATE EXTENSION partitioning;
DROP SCHEMA partitioning;

-- Open to another role.
CREATE SCHEMA partitioning;
GRANT CREATE ON SCHEMA partitioning TO regress_install_owner;
CREATE EXTENSION partitioning;
REVOKE CREATE ON SCHEMA partitioning FROM regress_install_owner;
GRANT CREATE ON SCHEMA partitioning TO PUBLIC;
CREATE EXTENSION partitioning;
REVOKE CREATE ON SCHEMA partitioning FROM PUBLIC;

-- Empty and ours: as a restore has it.
CREATE EXTENSION partitioning;
DROP EXTENSION partitioning;
DROP SCHEMA partitioning;
ALTER DATABASE regress_install OWNER TO regress_install_owner;
CREATE SCHEMA partitioning AUTHORIZATION regress_install_owner;
CREATE EXTENSION partitioning;

-- Drop, with item tables or without, and create again in one session.
SELECT partitioning.create_table('app', 'PK', options => '{"index_method": "btree"}');
DROP EXTENSION partitioning;
SET client_min_messages = warning;
DROP EXTENSION partitioning CASCADE;
RESET client_min_messages;
ALTER TABLE app RENAME pk TO x;
DROP TABLE app;
CREATE EXTENSION partitioning;
SELECT partitioning.create_table('app', 'PK');
SELECT table_name FROM partitioning.item_tables;
BEGIN;
DROP EXTENSION partitioning CASCADE;
ROLLBACK;
SELECT partitioning.drop_table('app');

-- Not in another schema, not by just anybody.
DROP EXTENSION partitioning;
DROP SCHEMA partitioning;
CREATE EXTENSION partitioning SCHEMA public;
SET ROLE regress_install_owner;
CREATE EXTENSION partitioning;
RESET ROLE;

\c :home
DROP DATABASE regress_install;
DROP ROLE regress_install_owner;

-- UTF8 only.
CREATE DATABASE regress_install TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C';
\c regress_install
CREATE EXTENSION partitioning;
\c :home
DROP DATABASE regress_install;
