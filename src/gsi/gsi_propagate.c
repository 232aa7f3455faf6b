/*
 * gsi_propagate.c
 *	  Makes entries of asynchronous indexes equal to what items yield.
 *
 * Whoever does that for a table holds its propagation lock to the end of his
 * transaction, and looks at items with a snapshot that he takes once he has
 * it, so that nobody applies an older state after a newer one.  No lock of an
 * item is needed: a change that the snapshot does not see has its row in the
 * queue when it commits, and that is applied later.
 *
 * Item table and index table must have their triggers, and the item table its
 * key index, before anything is applied: a restore makes them once the table
 * is complete.  The catalog may come even later, when several jobs restore; so
 * what a table is that is there but not in the catalog is not known yet.
 *
 * The worker waits for nobody: it takes the locks that it needs if it gets
 * them at once, and else comes back.  The item table is locked first.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "gsi/gsi_private.h"

/* An index table of a table that is open. */
typedef struct OpenIndex
{
	Oid			relid;
	const ItemIndex *index;		/* NULL: it is none to be propagated to */
	StoreIndex	store;
	TupleTableSlot *found;		/* of the index table */
	TupleTableSlot *entry;		/* virtual */
} OpenIndex;

/* An item table that rows have been applied to. */
typedef struct OpenTable
{
	Oid			relid;
	GsiOutcome	outcome;		/* GSI_APPLIED: it is open, or none */
	ItemStore  *store;			/* NULL: it is no item table (any more) */
	StoreRow	row;
	List	   *indexes;		/* of OpenIndex */
} OpenTable;

struct GsiPropagation
{
	bool		wait;			/* for locks */
	Snapshot	snapshot;
	MemoryContext context;		/* of a row */
	List	   *tables;			/* of OpenTable */
};

/* Items of which entries are made. */
typedef struct Filling
{
	OpenIndex  *index;
	int64		items;
} Filling;

/* Entries at one key. */
typedef struct Entries
{
	const StoreIndex *store;
	bool		wanted;			/* one of them may stay */
	const ItemData *attributes; /* what that one shall hold */
	int			n;
	bool		equal;			/* it does */
	ItemPointerData tid;		/* it */
} Entries;

static GsiOutcome propagate_to(GsiPropagation *state, OpenTable *table,
							   const ItemKey *key, const GsiStale *stale,
							   MemoryContext longer);
static void fill_item(const ItemKey *key, const ItemRow *row, void *arg);
static OpenTable *open_table(GsiPropagation *state, Oid relid);
static GsiOutcome enter_table(GsiPropagation *state, OpenTable *table);
static bool lock_leaves(const GsiPropagation *state, Oid relid);
static bool lock_relation(const GsiPropagation *state, Oid relid,
						  LOCKMODE lockmode);
static bool is_there(Oid relid);
static bool has_trigger(Relation rel);
static OpenIndex *open_index(GsiPropagation *state, OpenTable *table,
							 Oid relid, GsiOutcome *outcome);
static const ItemIndex *index_of_relation(const ItemTable *table, Oid relid,
										  bool *known);
static bool fits(const ItemTable *table, const ItemKey *key);
static void fetch_item(GsiPropagation *state, OpenTable *table,
					   const ItemKey *key);
static void make_equal(OpenTable *table, OpenIndex *index,
					   const ItemKey *base, const GsiStale *stale);
static bool stale_fits(const ItemIndex *index, const ItemKey *key);
static void put_entry(OpenIndex *index, const ItemKey *base,
					  const GsiEntry *entry, const ItemData *attributes);
static bool visit_entry(TupleTableSlot *slot, void *arg);
static void close_table(OpenTable *table);

/*
 * Begins to apply rows that the active snapshot has shown, or any other that
 * is older than this.
 */
GsiPropagation *
gsi_propagate_begin(bool wait)
{
	GsiPropagation *state = palloc0(sizeof(GsiPropagation));

	state->wait = wait;
	state->context = AllocSetContextCreate(CurrentMemoryContext,
										   "row of the index queue",
										   ALLOCSET_DEFAULT_SIZES);
	return state;
}

/*
 * Applies a row to its indexes, or only to one of them (-1: all), and notes
 * which have followed.
 */
GsiOutcome
gsi_propagate(GsiPropagation *state, GsiQueued *queued, int only)
{
	OpenTable  *table = open_table(state, queued->table);
	MemoryContext old;
	GsiOutcome	result = GSI_APPLIED;
	GsiStale   *stale;
	ItemKey		key;

	if (table->outcome != GSI_APPLIED || table->store == NULL)
		return table->outcome;

	old = MemoryContextSwitchTo(state->context);
	stale = palloc(Max(queued->nindexes, 1) * sizeof(GsiStale));
	if (gsi_queue_decode(queued, &key, stale) &&
		fits(table->store->table, &key))
	{
		fetch_item(state, table, &key);
		for (int i = 0; i < queued->nindexes; i++)
		{
			GsiOutcome	outcome;

			if (only >= 0 && i != only)
				continue;
			outcome = propagate_to(state, table, &key, &stale[i], old);
			queued->done[i] = outcome == GSI_APPLIED;
			if (outcome != GSI_APPLIED)
				result = outcome;
		}
	}
	if (table->store->table->partitioned)
		store_row_clear(&table->row);
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->context);
	return result;
}

/* The index is opened in the memory context of the propagation. */
static GsiOutcome
propagate_to(GsiPropagation *state, OpenTable *table, const ItemKey *key,
			 const GsiStale *stale, MemoryContext longer)
{
	MemoryContext old;
	OpenIndex  *index;
	GsiOutcome	outcome;

	if (!state->wait && gsi_worker_is_failing(stale->index))
		return GSI_FAILING;
	old = MemoryContextSwitchTo(longer);
	index = open_index(state, table, stale->index, &outcome);
	MemoryContextSwitchTo(old);
	if (outcome == GSI_APPLIED && index->index != NULL)
		make_equal(table, index, key, stale);
	return outcome;
}

/*
 * Opens a table and one of its indexes, and shows what they are now: NULLs if
 * they are none, or not of the kind that is propagated to.
 */
GsiOutcome
gsi_propagate_open(GsiPropagation *state, Oid relid, Oid index_relid,
				   const ItemTable **table, const ItemIndex **index)
{
	OpenTable  *open = open_table(state, relid);
	OpenIndex  *found;
	GsiOutcome	outcome = open->outcome;

	*table = NULL;
	*index = NULL;
	if (outcome != GSI_APPLIED || open->store == NULL)
		return outcome;
	*table = open->store->table;
	found = open_index(state, open, index_relid, &outcome);
	if (outcome == GSI_APPLIED)
		*index = found->index;
	return outcome;
}

/*
 * Makes the entries of all items in some blocks of a leaf, as the snapshot of
 * this propagation sees them, in an index that gsi_propagate_open() has shown.
 */
GsiOutcome
gsi_propagate_blocks(GsiPropagation *state, Oid relid, Oid index_relid,
					 Oid leaf, BlockNumber from, BlockNumber end, int64 *items)
{
	OpenTable  *table = open_table(state, relid);
	GsiOutcome	outcome;
	Filling		filling = {0};
	Relation	rel;

	filling.index = open_index(state, table, index_relid, &outcome);
	if (outcome != GSI_APPLIED)
		return outcome;
	rel = table_open(leaf, NoLock);
	gsi_each_item_within(table->store->table, rel, state->snapshot, from, end,
						 fill_item, &filling);
	table_close(rel, NoLock);
	*items = filling.items;
	return GSI_APPLIED;
}

static void
fill_item(const ItemKey *key, const ItemRow *row, void *arg)
{
	Filling    *filling = arg;
	OpenIndex  *open = filling->index;
	GsiEntry	entry;
	MetaOwner	owner;

	filling->items++;
	if (!gsi_entry_make(open->index, row, &entry))
		return;
	meta_become_owner(open->relid, &owner);
	put_entry(open, key, &entry,
			  gsi_entry_attributes(open->store.table, open->index, row,
								   &entry));
	meta_become_caller(&owner);
}

/*
 * Ends it.  The locks stay to the end of the transaction.
 */
void
gsi_propagate_end(GsiPropagation *state)
{
	ListCell   *lc;

	foreach(lc, state->tables)
		close_table(lfirst(lc));
	if (state->snapshot != NULL)
		UnregisterSnapshot(state->snapshot);
	MemoryContextDelete(state->context);
}

static OpenTable *
open_table(GsiPropagation *state, Oid relid)
{
	OpenTable  *table;
	ListCell   *lc;

	foreach(lc, state->tables)
	{
		table = lfirst(lc);
		if (table->relid == relid)
			return table;
	}
	table = palloc0(sizeof(OpenTable));
	table->relid = relid;
	table->outcome = enter_table(state, table);
	state->tables = lappend(state->tables, table);
	return table;
}

static GsiOutcome
enter_table(GsiPropagation *state, OpenTable *table)
{
	const ItemTable *descriptor;

	if (!lock_relation(state, table->relid, AccessShareLock) ||
		!lock_leaves(state, table->relid) ||
		!store_lock_propagation(table->relid, state->wait))
		return GSI_LOCKED;
	descriptor = meta_table_if_any(table->relid);
	if (descriptor == NULL)
		return is_there(table->relid) ? GSI_NOT_READY : GSI_APPLIED;
	if (!OidIsValid(descriptor->key_index))
		return GSI_NOT_READY;
	table->store = store_open(descriptor, NULL, ACL_SELECT);
	if (!has_trigger(table->store->named))
	{
		store_close(table->store);
		table->store = NULL;
		return GSI_NOT_READY;
	}
	store_row_init(&table->row);
	if (table->store->rel != NULL)
		table->row.slot = table_slot_create(table->store->rel, NULL);
	/* one for all would be older than the lock of a later table */
	if (state->snapshot != NULL)
		UnregisterSnapshot(state->snapshot);
	state->snapshot = RegisterSnapshot(GetLatestSnapshot());
	return GSI_APPLIED;
}

static bool
lock_leaves(const GsiPropagation *state, Oid relid)
{
	List	   *leaves = find_inheritance_children(relid, NoLock);
	ListCell   *lc;

	foreach(lc, leaves)
	{
		if (!lock_relation(state, lfirst_oid(lc), AccessShareLock))
			return false;
	}
	list_free(leaves);
	return true;
}

static bool
lock_relation(const GsiPropagation *state, Oid relid, LOCKMODE lockmode)
{
	if (!state->wait)
		return ConditionalLockRelationOid(relid, lockmode);
	LockRelationOid(relid, lockmode);
	return true;
}

/* Not dropped since a row was queued? */
static bool
is_there(Oid relid)
{
	return SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid));
}

static bool
has_trigger(Relation rel)
{
	TriggerDesc *triggers = rel->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		if (strcmp(triggers->triggers[i].tgname, META_TRIGGER_NAME) == 0)
			return true;
	}
	return false;
}

static OpenIndex *
open_index(GsiPropagation *state, OpenTable *table, Oid relid,
		   GsiOutcome *outcome)
{
	OpenIndex  *index;
	ListCell   *lc;
	bool		known;

	*outcome = GSI_APPLIED;
	foreach(lc, table->indexes)
	{
		index = lfirst(lc);
		if (index->relid == relid)
			return index;
	}
	if (!lock_relation(state, relid, RowExclusiveLock))
	{
		*outcome = GSI_LOCKED;
		return NULL;
	}
	index = palloc0(sizeof(OpenIndex));
	index->relid = relid;
	index->index = index_of_relation(table->store->table, relid, &known);
	if (is_there(relid) &&
		(!known || !OidIsValid(get_trigger_oid(relid, META_GUARD_NAME, true))))
	{
		*outcome = GSI_NOT_READY;
		return NULL;
	}
	if (index->index != NULL)
	{
		store_index_open(table->store->table, index->index, RowExclusiveLock,
						 &index->store);
		index->found = table_slot_create(index->store.rel, NULL);
		index->entry =
			MakeSingleTupleTableSlot(RelationGetDescr(index->store.rel),
									 &TTSOpsVirtual);
	}
	table->indexes = lappend(table->indexes, index);
	return index;
}

/*
 * The asynchronous index with that index table.  One that has been dropped or
 * made synchronous since needs no rows of the queue any more: NULL.  *known
 * says whether the catalog has an index with that table at all.
 */
static const ItemIndex *
index_of_relation(const ItemTable *table, Oid relid, bool *known)
{
	*known = false;
	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];

		if (index->global && store_index_relid(table, index) == relid)
		{
			*known = true;
			return index->synchronous ? NULL : index;
		}
	}
	return NULL;
}

/* Is this a key of the table?  The relation may have been another one. */
static bool
fits(const ItemTable *table, const ItemKey *key)
{
	if (key->n != table->schema.n)
		return false;
	for (int i = 0; i < key->n; i++)
	{
		if (key->refs[i].type != table->schema.attributes[i].type)
			return false;
	}
	return true;
}

/*
 * The item as the snapshot sees it, into the table's row; the slot of that is
 * of one leaf.
 */
static void
fetch_item(GsiPropagation *state, OpenTable *table, const ItemKey *key)
{
	if (!table->store->table->partitioned ||
		store_try_route(table->store, key))
		(void) store_fetch(table->store, key, state->snapshot, &table->row);
}

/*
 * Makes an index equal to the item: nothing at the key of the stale entry, and
 * what the item yields where it belongs.
 */
static void
make_equal(OpenTable *table, OpenIndex *open, const ItemKey *base,
		   const GsiStale *stale)
{
	GsiEntry	entry;
	bool		wanted;
	MetaOwner	owner;

	wanted = table->row.exists &&
		gsi_entry_make(open->index, &table->row.row, &entry);
	meta_become_owner(open->relid, &owner);
	if (stale->key.n > 0 && stale_fits(open->index, &stale->key) &&
		!(wanted && key_equal(&stale->key, &entry.key)))
	{
		Entries		entries = {.store = &open->store};

		(void) gsi_find(&open->store, &stale->key, base, SnapshotSelf,
						open->found, visit_entry, &entries);
	}
	if (wanted)
		put_entry(open, base, &entry,
				  gsi_entry_attributes(open->store.table, open->index,
									   &table->row.row, &entry));
	meta_become_caller(&owner);
}

static bool
stale_fits(const ItemIndex *index, const ItemKey *key)
{
	if (key->n != (index->nsort > 0 ? 2 : 1))
		return false;
	for (int i = 0; i < key->n; i++)
	{
		if (key->refs[i].type != store_index_key_type(index, i))
			return false;
	}
	return true;
}

/* One entry at a key, and that an equal one. */
static void
put_entry(OpenIndex *open, const ItemKey *base, const GsiEntry *entry,
		  const ItemData *attributes)
{
	Entries		entries = {
		.store = &open->store,
		.wanted = true,
		.attributes = attributes
	};

	(void) gsi_find(&open->store, &entry->key, base, SnapshotSelf,
					open->found, visit_entry, &entries);
	if (entries.n == 0)
		gsi_insert_entry(&open->store, entry, base, attributes);
	else if (!entries.equal)
	{
		gsi_entry_to_slot(&open->store, entry, base, attributes,
						  open->entry);
		gsi_update_entry(&open->store, &entries.tid, open->entry);
	}
}

static bool
visit_entry(TupleTableSlot *slot, void *arg)
{
	Entries    *entries = arg;

	if (entries->wanted && entries->n++ == 0)
	{
		bool		isnull;
		Datum		held = slot_getattr(slot,
										entries->store->facts.attributes_attnum,
										&isnull);

		entries->tid = slot->tts_tid;
		entries->equal =
			item_ref_equal(item_root(DatumGetItemPP(held)),
						   item_root(entries->attributes));
	}
	else
		gsi_delete_entry(entries->store, &slot->tts_tid);
	return true;
}

static void
close_table(OpenTable *table)
{
	ListCell   *lc;

	foreach(lc, table->indexes)
	{
		OpenIndex  *index = lfirst(lc);

		if (index->index == NULL)
			continue;
		ExecDropSingleTupleTableSlot(index->found);
		ExecDropSingleTupleTableSlot(index->entry);
		store_index_close(&index->store);
	}
	if (table->store != NULL)
	{
		store_row_clear(&table->row);
		store_close(table->store);
	}
}
