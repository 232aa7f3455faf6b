-- What a table_name means, shown by what drop_table() would drop.
CREATE FUNCTION means(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before text[] := ARRAY(SELECT schema_name || '/' || table_name FROM partitioning.item_tables);
    result text;
BEGIN
    PERFORM partitioning.drop_table(name);
    SELECT t INTO result FROM unnest(before) AS t
    WHERE t NOT IN (SELECT schema_name || '/' || table_name FROM partitioning.item_tables);
    RAISE EXCEPTION USING ERRCODE = 'ZZZZZ', MESSAGE = result;
EXCEPTION
    WHEN SQLSTATE 'ZZZZZ' THEN RETURN SQLERRM;
END
$$;
CREATE SCHEMA one;
CREATE SCHEMA two;
CREATE SCHEMA "My Schema";
SELECT partitioning.create_table(t, 'PK') FROM unnest(ARRAY['Orders', 'app.prod', 'orders']) AS t;
SET search_path = one;
SELECT partitioning.create_table('orders', 'PK');
SELECT partitioning.create_table('only.one', 'PK');
SET search_path = "My Schema";
SELECT partitioning.create_table('orders', 'PK');
SET search_path = two;
SELECT partitioning.create_table('invoices', 'PK');
SET search_path = app, public;
CREATE SCHEMA app;
SELECT partitioning.create_table('prod', 'PK');

-- Exact names first, in wire_schema before the search_path.
SET search_path = one, two, public;
SELECT public.means('Orders'), public.means('orders'), public.means('app.prod'), public.means('only.one'), public.means('invoices');
SET partitioning.wire_schema = 'one';
SELECT public.means('Orders'), public.means('orders'), public.means('app.prod');
SET partitioning.wire_schema = 'My Schema';
SELECT public.means('orders');
SET partitioning.wire_schema = 'no such schema';
SELECT public.means('orders');
RESET partitioning.wire_schema;

-- Then regclass syntax.
SELECT public.means('public.orders'), public.means('PUBLIC.ORDERS'), public.means('"My Schema".orders'), public.means('"app"."prod"'), public.means('two.invoices'), public.means(' one . orders ');
SELECT public.means('ORDERS');

-- A remembered name follows search_path, wire_schema and changes of the tables.
SET search_path = two, one;
SET partitioning.wire_schema = 'two';
SELECT public.means('orders');
SET search_path = two;
SELECT public.means('orders');
ALTER TABLE one.orders SET SCHEMA two;
SELECT public.means('orders');
ALTER TABLE two.orders RENAME TO purchases;
SELECT public.means('orders');
SELECT public.means('purchases');
ALTER SCHEMA two RENAME TO three;
SELECT public.means('purchases');
SET search_path = three;
SELECT public.means('purchases');
BEGIN;
ALTER TABLE purchases RENAME TO orders;
SELECT public.means('orders');
ROLLBACK;
SELECT public.means('orders');
SELECT public.means('purchases');
RESET partitioning.wire_schema;

-- Nothing of that name: the nearest ones, bare where that would do.
SET search_path = public, three;
SELECT public.means('Order');
SELECT public.means('invoice');
SELECT public.means('app.pord');
SELECT public.means('one.only');
SELECT public.means('nothing like it');
SELECT public.means('');
SELECT public.means('a.b.c');
SELECT public.means('"unterminated');
SELECT public.means(repeat('x', 100000)) WHERE false;
DO $$BEGIN PERFORM partitioning.drop_table(repeat('x', 100000)); EXCEPTION WHEN SQLSTATE 'IM003' THEN RAISE NOTICE 'not found'; END$$;
SELECT public.means(repeat('o', 64));

-- Other relations are no item tables.
CREATE TABLE ordinary (pk text);
SELECT public.means('ordinary');
SELECT public.means('pg_class');
SELECT public.means('Orders_key');

-- A schema without USAGE is not looked into, and nothing in it is suggested.
CREATE ROLE regress_meta_name;
GRANT USAGE ON SCHEMA partitioning TO regress_meta_name;
SET ROLE regress_meta_name;
SET search_path = one, public;
SELECT partitioning.drop_table('only.one');
SELECT partitioning.drop_table('only.two');
SELECT partitioning.drop_table('Orders');
RESET ROLE;
SELECT public.means('only.one');
GRANT USAGE ON SCHEMA one TO regress_meta_name;
SET ROLE regress_meta_name;
SELECT partitioning.drop_table('only.one');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA one, three, app, "My Schema" CASCADE;
DROP TABLE public."Orders", public."app.prod", public.orders, public.ordinary;
SELECT * FROM partitioning.tables;
RESET search_path;
DROP FUNCTION means;
DROP OWNED BY regress_meta_name;
DROP ROLE regress_meta_name;
