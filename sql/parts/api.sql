-- Item operations.  None is STRICT: most arguments may be NULL, which means
-- "not given".  Readers are PARALLEL SAFE, since no item table is temporary.

CREATE FUNCTION partitioning.put_item(
    table_name pg_catalog.text,
    item partitioning.item,
    condition pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    return_values pg_catalog.text DEFAULT 'NONE')
RETURNS partitioning.item
AS 'MODULE_PATHNAME', 'put_item'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100;

COMMENT ON FUNCTION partitioning.put_item(pg_catalog.text, partitioning.item, pg_catalog.text,
    partitioning.item, pg_catalog.jsonb, pg_catalog.text) IS
'Stores a whole item, replacing the one of the same key. condition is a condition expression judged on the item before; expression_values binds its :values, expression_names its #names. return_values: NONE or ALL_OLD. Returns the item before, or NULL. Errors: IM001 for a bad request, IM002 when the condition fails, IM003 for an unknown table.';

CREATE FUNCTION partitioning.get_item(
    table_name pg_catalog.text,
    key partitioning.item,
    projection pg_catalog.text DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL)
RETURNS partitioning.item
AS 'MODULE_PATHNAME', 'get_item'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION partitioning.get_item(pg_catalog.text, partitioning.item, pg_catalog.text, pg_catalog.jsonb) IS
'Returns the item of a key, or NULL when there is none. key holds exactly the key attributes; projection is a projection expression, with #names from expression_names. Errors: IM001 for a bad request, IM003 for an unknown table.';

CREATE FUNCTION partitioning.update_item(
    table_name pg_catalog.text,
    key partitioning.item,
    update_expression pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    condition pg_catalog.text DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    return_values pg_catalog.text DEFAULT 'NONE')
RETURNS partitioning.item
AS 'MODULE_PATHNAME', 'update_item'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100;

COMMENT ON FUNCTION partitioning.update_item(pg_catalog.text, partitioning.item, pg_catalog.text,
    partitioning.item, pg_catalog.text, pg_catalog.jsonb, pg_catalog.text) IS
'Changes attributes of an item by an update expression (SET, REMOVE, ADD, DELETE), or creates the item. condition is judged on the item before. return_values: NONE, ALL_OLD, UPDATED_OLD, ALL_NEW or UPDATED_NEW. Returns what return_values asks for, or NULL. Errors: IM001 for a bad request, IM002 when the condition fails, IM003 for an unknown table.';

CREATE FUNCTION partitioning.delete_item(
    table_name pg_catalog.text,
    key partitioning.item,
    condition pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    return_values pg_catalog.text DEFAULT 'NONE')
RETURNS partitioning.item
AS 'MODULE_PATHNAME', 'delete_item'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100;

COMMENT ON FUNCTION partitioning.delete_item(pg_catalog.text, partitioning.item, pg_catalog.text,
    partitioning.item, pg_catalog.jsonb, pg_catalog.text) IS
'Deletes the item of a key; an absent item is no error. condition is judged on the item before. return_values: NONE or ALL_OLD. Returns the item before, or NULL. Errors: IM001 for a bad request, IM002 when the condition fails, IM003 for an unknown table.';

CREATE FUNCTION partitioning.try_put(
    table_name pg_catalog.text,
    item partitioning.item,
    condition pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    OUT applied pg_catalog.bool,
    OUT old_item partitioning.item,
    OUT new_item partitioning.item)
RETURNS pg_catalog.record
AS 'MODULE_PATHNAME', 'try_put'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100;

COMMENT ON FUNCTION partitioning.try_put(pg_catalog.text, partitioning.item, pg_catalog.text,
    partitioning.item, pg_catalog.jsonb) IS
'As put_item, but a failed condition is an answer: applied is false and old_item is the item that failed it. When applied, old_item is the item before and new_item the item after; NULL stands for no item.';

CREATE FUNCTION partitioning.try_update(
    table_name pg_catalog.text,
    key partitioning.item,
    update_expression pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    condition pg_catalog.text DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    OUT applied pg_catalog.bool,
    OUT old_item partitioning.item,
    OUT new_item partitioning.item)
RETURNS pg_catalog.record
AS 'MODULE_PATHNAME', 'try_update'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100;

COMMENT ON FUNCTION partitioning.try_update(pg_catalog.text, partitioning.item, pg_catalog.text,
    partitioning.item, pg_catalog.text, pg_catalog.jsonb) IS
'As update_item, but a failed condition is an answer: applied is false and old_item is the item that failed it. When applied, old_item is the item before and new_item the item after; NULL stands for no item.';

CREATE FUNCTION partitioning.try_delete(
    table_name pg_catalog.text,
    key partitioning.item,
    condition pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    OUT applied pg_catalog.bool,
    OUT old_item partitioning.item,
    OUT new_item partitioning.item)
RETURNS pg_catalog.record
AS 'MODULE_PATHNAME', 'try_delete'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100;

COMMENT ON FUNCTION partitioning.try_delete(pg_catalog.text, partitioning.item, pg_catalog.text,
    partitioning.item, pg_catalog.jsonb) IS
'As delete_item, but a failed condition is an answer: applied is false and old_item is the item that failed it. When applied, old_item is the item before, NULL when there was none; new_item is always NULL.';

CREATE FUNCTION partitioning.read_support(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME', 'read_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION partitioning.read_support(pg_catalog.internal) IS
'planner support of query, scan and merge_query: how many items they return';

CREATE FUNCTION partitioning.query(
    table_name pg_catalog.text,
    key_condition pg_catalog.text,
    expression_values partitioning.item DEFAULT NULL,
    index_name pg_catalog.text DEFAULT NULL,
    filter pg_catalog.text DEFAULT NULL,
    projection pg_catalog.text DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    scan_forward pg_catalog.bool DEFAULT true,
    max_items pg_catalog.int4 DEFAULT NULL,
    start_key partitioning.item DEFAULT NULL)
RETURNS SETOF partitioning.item
AS 'MODULE_PATHNAME', 'query'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 200 ROWS 20
SUPPORT partitioning.read_support;

COMMENT ON FUNCTION partitioning.query(pg_catalog.text, pg_catalog.text, partitioning.item, pg_catalog.text, pg_catalog.text,
    pg_catalog.text, pg_catalog.jsonb, pg_catalog.bool, pg_catalog.int4, partitioning.item) IS
'Returns the items of one partition in sort key order. key_condition: partition key = :value, and optionally one condition on the sort key. filter drops items after they are read; max_items counts items read, before the filter. start_key: continue after this key. scan_forward false: descending. Errors: IM001 for a bad request, IM003 for an unknown table.';

CREATE FUNCTION partitioning.scan(
    table_name pg_catalog.text,
    index_name pg_catalog.text DEFAULT NULL,
    filter pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    projection pg_catalog.text DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    segment pg_catalog.int4 DEFAULT NULL,
    total_segments pg_catalog.int4 DEFAULT NULL,
    max_items pg_catalog.int4 DEFAULT NULL,
    start_key partitioning.item DEFAULT NULL)
RETURNS SETOF partitioning.item
AS 'MODULE_PATHNAME', 'scan'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000 ROWS 1000
SUPPORT partitioning.read_support;

COMMENT ON FUNCTION partitioning.scan(pg_catalog.text, pg_catalog.text, pg_catalog.text, partitioning.item, pg_catalog.text,
    pg_catalog.jsonb, pg_catalog.int4, pg_catalog.int4, pg_catalog.int4, partitioning.item) IS
'Returns all items of a table, or of one of total_segments disjoint segments: by hash of the partition key, inside a partition by sort key. filter drops items after they are read; max_items counts items read, before the filter. start_key: continue after this key. Errors: IM001 for a bad request, IM003 for an unknown table.';

CREATE FUNCTION partitioning.merge_query(
    table_name pg_catalog.text,
    pks pg_catalog.text[],
    lower pg_catalog.text DEFAULT NULL,
    upper pg_catalog.text DEFAULT NULL,
    scan_forward pg_catalog.bool DEFAULT true,
    max_items pg_catalog.int4 DEFAULT NULL)
RETURNS SETOF partitioning.item
AS 'MODULE_PATHNAME', 'merge_query'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 500 ROWS 100
SUPPORT partitioning.read_support;

COMMENT ON FUNCTION partitioning.merge_query(pg_catalog.text, pg_catalog.text[], pg_catalog.text, pg_catalog.text,
    pg_catalog.bool, pg_catalog.int4) IS
'Returns the items of several partitions in one order, that of the sort key; of equal sort keys in the order of pks. lower and upper: first and last sort key, as text. scan_forward false: descending. max_items: how many at most. For tables whose users keep suffixes of partition keys by hand. Errors: IM001 for a bad request, IM003 for an unknown table.';

CREATE FUNCTION partitioning.query_page(
    table_name pg_catalog.text,
    key_condition pg_catalog.text,
    expression_values partitioning.item DEFAULT NULL,
    index_name pg_catalog.text DEFAULT NULL,
    filter pg_catalog.text DEFAULT NULL,
    projection pg_catalog.text DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    scan_forward pg_catalog.bool DEFAULT true,
    max_items pg_catalog.int4 DEFAULT NULL,
    start_key partitioning.item DEFAULT NULL,
    OUT items partitioning.item[],
    OUT item_count pg_catalog.int4,
    OUT scanned_count pg_catalog.int4,
    OUT last_evaluated_key partitioning.item)
RETURNS pg_catalog.record
AS 'MODULE_PATHNAME', 'query_page'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 2000;

COMMENT ON FUNCTION partitioning.query_page(pg_catalog.text, pg_catalog.text, partitioning.item, pg_catalog.text, pg_catalog.text,
    pg_catalog.text, pg_catalog.jsonb, pg_catalog.bool, pg_catalog.int4, partitioning.item) IS
'As query, but one page: stops after max_items or when 1 MB of items has been read. items passed the filter, scanned_count were read. last_evaluated_key is NULL when the range is exhausted, else the start_key of the next page.';

CREATE FUNCTION partitioning.scan_page(
    table_name pg_catalog.text,
    index_name pg_catalog.text DEFAULT NULL,
    filter pg_catalog.text DEFAULT NULL,
    expression_values partitioning.item DEFAULT NULL,
    projection pg_catalog.text DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL,
    segment pg_catalog.int4 DEFAULT NULL,
    total_segments pg_catalog.int4 DEFAULT NULL,
    max_items pg_catalog.int4 DEFAULT NULL,
    start_key partitioning.item DEFAULT NULL,
    OUT items partitioning.item[],
    OUT item_count pg_catalog.int4,
    OUT scanned_count pg_catalog.int4,
    OUT last_evaluated_key partitioning.item)
RETURNS pg_catalog.record
AS 'MODULE_PATHNAME', 'scan_page'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 2000;

COMMENT ON FUNCTION partitioning.scan_page(pg_catalog.text, pg_catalog.text, pg_catalog.text, partitioning.item, pg_catalog.text,
    pg_catalog.jsonb, pg_catalog.int4, pg_catalog.int4, pg_catalog.int4, partitioning.item) IS
'As scan, but one page: stops after max_items or when 1 MB of items has been read. items passed the filter, scanned_count were read. last_evaluated_key is NULL when the table or segment is exhausted, else the start_key of the next page.';

CREATE FUNCTION partitioning.item_of("row" pg_catalog.record)
RETURNS partitioning.item
AS 'MODULE_PATHNAME', 'item_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;

COMMENT ON FUNCTION partitioning.item_of(pg_catalog.record) IS
'Returns the whole item, key attributes included, of a row of an item table: SELECT partitioning.item_of(t) FROM item_table AS t. Error 42809 for any other row.';

CREATE FUNCTION partitioning.matches(
    item partitioning.item,
    condition pg_catalog.text,
    expression_values partitioning.item DEFAULT NULL,
    expression_names pg_catalog.jsonb DEFAULT NULL)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME', 'matches'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION partitioning.matches(partitioning.item, pg_catalog.text,
    partitioning.item, pg_catalog.jsonb) IS
'Whether an item (a map) satisfies a condition expression. expression_values binds its :values, expression_names its #names; both may be NULL. NULL when the item or the condition is NULL. Errors: IM001 for a bad expression or placeholder.';

CREATE FUNCTION partitioning.transact_write(
    actions partitioning.item[],
    client_token pg_catalog.text DEFAULT NULL)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'transact_write'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 300;

COMMENT ON FUNCTION partitioning.transact_write(partitioning.item[], pg_catalog.text) IS
'Applies all actions or none, serializable with all other item operations. An action is {"put": {table, item}}, {"update": {table, key, update}}, {"delete": {table, key}} or {"check": {table, key, condition}}, each with condition, values, names and return_old. client_token: a call that is sent again with it within 10 minutes does nothing. Errors: IM001 for a bad request, IM003 for an unknown table, IM008 when cancelled (the reasons are JSON in the DETAIL), IM010 and IM011 for a token in use or used for another request.';

CREATE FUNCTION partitioning.transact_get(gets partitioning.item[])
RETURNS partitioning.item[]
AS 'MODULE_PATHNAME', 'transact_get'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 150;

COMMENT ON FUNCTION partitioning.transact_get(partitioning.item[]) IS
'Returns several items, of any tables, as they are at one moment, in the order asked for; NULL where there is none. A get is {"get": {table, key, projection, names}}. Errors: IM001 for a bad request, IM003 for an unknown table, IM008 when a key does not fit its table.';

CREATE FUNCTION partitioning.batch_get(
    table_name pg_catalog.text,
    keys partitioning.item[])
RETURNS SETOF partitioning.item
AS 'MODULE_PATHNAME', 'batch_get'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 500 ROWS 20;

COMMENT ON FUNCTION partitioning.batch_get(pg_catalog.text, partitioning.item[]) IS
'Returns the items of the keys, in their order; keys without an item give no row. Any number of keys, each once. Errors: IM001 for a bad request, IM003 for an unknown table.';

CREATE FUNCTION partitioning.batch_write(
    table_name pg_catalog.text,
    puts partitioning.item[] DEFAULT '{}',
    deletes partitioning.item[] DEFAULT '{}')
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'batch_write'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 500;

COMMENT ON FUNCTION partitioning.batch_write(pg_catalog.text, partitioning.item[], partitioning.item[]) IS
'Stores the items of puts and deletes those of the keys in deletes, without conditions. Any number, each item once; all or none, as part of the calling transaction. Errors: IM001 for a bad request, IM003 for an unknown table.';

/* Client tokens of transactions; they live ten minutes and are not dumped. */
CREATE TABLE partitioning.transaction_tokens (
    role pg_catalog.oid NOT NULL,
    token pg_catalog.text COLLATE "C" NOT NULL,
    fingerprint pg_catalog.bytea NOT NULL,
    finished_at pg_catalog.timestamptz NOT NULL,
    CONSTRAINT transaction_tokens_pkey PRIMARY KEY (role, token)
);
CREATE INDEX transaction_tokens_finished_at ON partitioning.transaction_tokens (finished_at);

COMMENT ON TABLE partitioning.transaction_tokens IS
'client tokens of transactions that were applied in the last ten minutes; written by the extension only';
COMMENT ON COLUMN partitioning.transaction_tokens.role IS 'whose transaction it was';
COMMENT ON COLUMN partitioning.transaction_tokens.token IS 'the client token';
COMMENT ON COLUMN partitioning.transaction_tokens.fingerprint IS 'SHA-256 of the request';
COMMENT ON COLUMN partitioning.transaction_tokens.finished_at IS 'when the transaction was applied';
