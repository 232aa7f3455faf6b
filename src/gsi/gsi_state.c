/*
 * gsi_state.c
 *	  Rows of partitioning.index_state: what the worker remembers of an index.
 *
 * Written under the propagation lock of the item table, so that there is no
 * race for a row.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "gsi/gsi_private.h"

#define COLUMN_INDEX_TABLE	1
#define COLUMN_LEAF			2
#define COLUMN_FILE			3
#define COLUMN_NEXT_BLOCK	4
#define COLUMN_END_BLOCK	5
#define COLUMN_ITEMS_DONE	6
#define COLUMN_ITEMS_TOTAL	7
#define COLUMN_LAST_ERROR	8
#define COLUMNS				8

static Relation open_state(LOCKMODE lockmode);
static SysScanDesc begin_scan(Relation rel, Oid index);
static HeapTuple tuple_of_state(Relation rel, const GsiState *state);

/* NULL: the extension is not here, or an older one. */
static Relation
open_state(LOCKMODE lockmode)
{
	Oid			schema = get_namespace_oid("partitioning", true);
	Oid			relid = OidIsValid(schema) ?
		get_relname_relid("index_state", schema) : InvalidOid;

	return OidIsValid(relid) ? table_open(relid, lockmode) : NULL;
}

static SysScanDesc
begin_scan(Relation rel, Oid index)
{
	ScanKeyData key;

	ScanKeyInit(&key, COLUMN_INDEX_TABLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(index));
	return systable_beginscan(rel, compat_primary_key_index(rel), true, NULL,
							  1, &key);
}

/*
 * The state of an index, by its index table; an empty one when there is none.
 */
void
gsi_state_get(Oid index, GsiState *state)
{
	Relation	rel = open_state(AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	memset(state, 0, sizeof(*state));
	state->index = index;
	if (rel == NULL)
		return;
	scan = begin_scan(rel, index);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		Datum		values[COLUMNS];
		bool		nulls[COLUMNS];

#define VALUE(column)	(values[COLUMN_##column - 1])
#define ISNULL(column)	(nulls[COLUMN_##column - 1])
		heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
		if (!ISNULL(LEAF))
			state->leaf = DatumGetObjectId(VALUE(LEAF));
		if (!ISNULL(FILE))
			state->file = DatumGetObjectId(VALUE(FILE));
		state->next_block = DatumGetInt64(VALUE(NEXT_BLOCK));
		state->end_block = DatumGetInt64(VALUE(END_BLOCK));
		state->items_done = DatumGetInt64(VALUE(ITEMS_DONE));
		state->items_total = DatumGetInt64(VALUE(ITEMS_TOTAL));
		if (!ISNULL(LAST_ERROR))
			state->last_error = TextDatumGetCString(VALUE(LAST_ERROR));
#undef VALUE
#undef ISNULL
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

void
gsi_state_put(const GsiState *state)
{
	Relation	rel = open_state(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	old;
	HeapTuple	new;

	if (rel == NULL)
		return;
	new = tuple_of_state(rel, state);
	scan = begin_scan(rel, state->index);
	old = systable_getnext(scan);
	if (HeapTupleIsValid(old))
		CatalogTupleUpdate(rel, &old->t_self, new);
	else
		CatalogTupleInsert(rel, new);
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

static HeapTuple
tuple_of_state(Relation rel, const GsiState *state)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	values[COLUMN_INDEX_TABLE - 1] = ObjectIdGetDatum(state->index);
	values[COLUMN_LEAF - 1] = ObjectIdGetDatum(state->leaf);
	nulls[COLUMN_LEAF - 1] = !OidIsValid(state->leaf);
	values[COLUMN_FILE - 1] = ObjectIdGetDatum(state->file);
	nulls[COLUMN_FILE - 1] = !OidIsValid(state->leaf);
	values[COLUMN_NEXT_BLOCK - 1] = Int64GetDatum(state->next_block);
	values[COLUMN_END_BLOCK - 1] = Int64GetDatum(state->end_block);
	values[COLUMN_ITEMS_DONE - 1] = Int64GetDatum(state->items_done);
	values[COLUMN_ITEMS_TOTAL - 1] = Int64GetDatum(state->items_total);
	nulls[COLUMN_LAST_ERROR - 1] = state->last_error == NULL;
	if (state->last_error != NULL)
		values[COLUMN_LAST_ERROR - 1] =
			CStringGetTextDatum(state->last_error);
	return heap_form_tuple(RelationGetDescr(rel), values, nulls);
}

/* Forgets an index; nothing if there is no state of it. */
void
gsi_state_forget(Oid index)
{
	Relation	rel = open_state(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return;
	scan = begin_scan(rel, index);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		CatalogTupleDelete(rel, &tuple->t_self);
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

/* Forgets all indexes whose index tables are no more. */
void
gsi_state_clean(void)
{
	Relation	rel = open_state(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return;
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Oid			index;

		index = DatumGetObjectId(heap_getattr(tuple, COLUMN_INDEX_TABLE,
											  RelationGetDescr(rel),
											  &isnull));
		if (get_rel_relkind(index) == '\0')
			CatalogTupleDelete(rel, &tuple->t_self);
	}
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
}
