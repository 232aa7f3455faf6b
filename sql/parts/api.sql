-- Item operations.

CREATE FUNCTION partitioning.matches(
    item partitioning.item,
    condition text,
    expression_values partitioning.item DEFAULT NULL,
    expression_names jsonb DEFAULT NULL)
RETURNS boolean
AS 'MODULE_PATHNAME', 'matches'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION partitioning.matches(partitioning.item, text,
    partitioning.item, jsonb) IS
'Whether an item (a map) satisfies a condition expression. expression_values binds its :values, expression_names its #names; both may be NULL. NULL when the item or the condition is NULL. Errors: IM001 for a bad expression or placeholder.';
