-- The one row trigger of an item table; create_table() and register_table()
-- put it there.

CREATE FUNCTION partitioning.item_changed()
RETURNS pg_catalog.trigger
AS 'MODULE_PATHNAME', 'item_changed'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION partitioning.item_changed() IS
'row trigger of item tables: keeps plain SQL in step with item transactions';
