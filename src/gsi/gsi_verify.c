/*
 * gsi_verify.c
 *	  Compares a global index with its table, both as one snapshot sees them.
 *
 * Twice around: for each item its entry is looked for, for each entry its
 * item.  Memory does not depend on how many there are; what is wrong goes to
 * the caller's tuplestore.
 *
 *	missing		an item has no entry
 *	stale		it has one that holds something else
 *	duplicate	it has several
 *	extra		an entry is of no item, or at a key that is not the item's
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "gsi/gsi_private.h"

typedef struct Verification
{
	StoreIndex	store;
	ItemStore  *base;			/* the item table */
	Snapshot	snapshot;
	TupleTableSlot *slot;		/* of the index table */
	Tuplestorestate *result;
	TupleDesc	desc;

	/* the item's entry as it should be */
	const ItemData *attributes;
	bool		stale;
} Verification;

static void verify_item(const ItemKey *key, const ItemRow *row, void *arg);
static bool compare_entry(TupleTableSlot *slot, void *arg);
static void verify_entries(Verification *state);
static bool has_item(Verification *state, TupleTableSlot *slot);
static ItemData *index_key_item(const Verification *state,
								const ItemRow *row);
static ItemData *base_key_item(const ItemTable *table, const ItemKey *key);
static void report(Verification *state, const char *problem,
				   ItemData *index_key, ItemData *base_key);

void
gsi_verify(const ItemTable *table, const ItemIndex *index,
		   Tuplestorestate *result, TupleDesc desc)
{
	Verification state = {.result = result, .desc = desc};
	List	   *leaves = gsi_leaves(table, AccessShareLock);

	state.base = store_open(table, NULL, ACL_SELECT);
	store_index_open(table, index, AccessShareLock, &state.store);
	state.snapshot = RegisterSnapshot(GetActiveSnapshot());
	state.slot = table_slot_create(state.store.rel, NULL);

	gsi_each_item(table, leaves, state.snapshot, verify_item, &state);
	verify_entries(&state);

	ExecDropSingleTupleTableSlot(state.slot);
	UnregisterSnapshot(state.snapshot);
	store_index_close(&state.store);
	store_close(state.base);
}

static void
verify_item(const ItemKey *key, const ItemRow *row, void *arg)
{
	Verification *state = arg;
	const StoreIndex *store = &state->store;
	GsiEntry	entry;
	const char *problem = NULL;
	int			n;

	if (!gsi_entry_make(store->index, row, &entry))
		return;
	state->attributes = gsi_entry_attributes(store->table, store->index, row,
											 &entry);
	state->stale = false;
	n = gsi_find(store, &entry.key, key, state->snapshot, state->slot,
				 compare_entry, state);
	if (n == 0)
		problem = "missing";
	else if (n > 1)
		problem = "duplicate";
	else if (state->stale)
		problem = "stale";
	if (problem != NULL)
		report(state, problem, index_key_item(state, row),
			   base_key_item(store->table, key));
}

static bool
compare_entry(TupleTableSlot *slot, void *arg)
{
	Verification *state = arg;
	bool		isnull;
	Datum		attributes = slot_getattr(slot, state->store.facts.attributes_attnum,
										  &isnull);

	if (!item_ref_equal(item_root(DatumGetItemPP(attributes)),
						item_root(state->attributes)))
		state->stale = true;
	return true;
}

/*
 * Each entry must be at the key where its item says it is.  What it holds has
 * been compared.
 */
static void
verify_entries(Verification *state)
{
	const StoreIndex *store = &state->store;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "entry of an index",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	TableScanDesc scan;

	scan = table_beginscan(store->rel, state->snapshot, 0, NULL);
	while (table_scan_getnextslot(scan, ForwardScanDirection, state->slot))
	{
		CHECK_FOR_INTERRUPTS();
		old = MemoryContextSwitchTo(context);
		if (!has_item(state, state->slot))
		{
			ItemKey		key;
			ItemRow		row;

			store_index_base_key(store, state->slot, &key);
			store_index_row(store, state->slot, &row);
			report(state, "extra", index_key_item(state, &row),
				   base_key_item(store->table, &key));
		}
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	table_endscan(scan);
	MemoryContextDelete(context);
}

static bool
has_item(Verification *state, TupleTableSlot *slot)
{
	const StoreIndex *store = &state->store;
	TupleTableSlot *item;
	ItemKey		key;
	ItemKey		placed;
	GsiEntry	here;
	GsiEntry	entry;
	ItemRef		attributes;
	ItemRow		row;
	bool		result;

	store_index_base_key(store, slot, &key);
	store_index_key(store, slot, &here.key);
	if (!store_try_route(state->base, &key))
		return false;
	item = table_slot_create(state->base->rel, NULL);
	result = store_find_place(state->base, &key, state->snapshot, &placed) &&
		gsi_find_item(store->table, state->base->rel, &placed,
					  state->snapshot, item, &attributes);
	if (result)
	{
		gsi_row(store->table, &key, attributes, &row);
		result = gsi_entry_make(store->index, &row, &entry) &&
			key_equal(&here.key, &entry.key);
	}
	ExecDropSingleTupleTableSlot(item);
	return result;
}

/* The index's key attributes, of an item or of an entry. */
static ItemData *
index_key_item(const Verification *state, const ItemRow *row)
{
	const ItemIndex *index = state->store.index;
	ItemValue  *map = item_value_map();

	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		const KeyIndexAttribute *key = &index->keys[i];
		ItemRef		value;

		/* an entry holds what a template has computed */
		if (item_row_find(row, key->attribute.name, key->attribute.name_len,
						  &value) ||
			key_index_value(key, row, &value))
			item_value_map_set(map, key->attribute.name,
							   key->attribute.name_len,
							   item_value_from_ref(value));
	}
	return item_value_to_item(map);
}

static ItemData *
base_key_item(const ItemTable *table, const ItemKey *key)
{
	ItemValue  *map = item_value_map();

	for (int i = 0; i < key->n; i++)
		item_value_map_set(map, table->schema.attributes[i].name,
						   table->schema.attributes[i].name_len,
						   item_value_from_ref(key->refs[i]));
	return item_value_to_item(map);
}

static void
report(Verification *state, const char *problem, ItemData *index_key,
	   ItemData *base_key)
{
	Datum		values[3];
	bool		nulls[3] = {false};

	values[0] = CStringGetTextDatum(problem);
	values[1] = PointerGetDatum(index_key);
	values[2] = PointerGetDatum(base_key);
	tuplestore_putvalues(state->result, state->desc, values, nulls);
}
