/*
 * gsi_apply.c
 *	  Has the entries of an item follow a change, in its transaction; or notes
 *	  it down for indexes that follow later, see gsi_queue.c.
 *
 * The short way takes the old entry away and puts the new one in its place, or
 * does nothing when they are equal.  It is right when changes of an item are
 * told in the order in which they were made, and none is told twice.  Row
 * triggers do not promise that: when a trigger of a user changes a row that
 * the same statement has changed, the second change is told first.  Then, and
 * whenever what is found is not the one entry that was expected, the long way
 * is taken, which looks at the item as it is now.  It leaves that item's entry
 * and none besides at every key that the change speaks of, so the last of the
 * changes to be told leaves the index right, in whatever order they come.
 *
 * An index table is written with the access methods, as its owner, since no
 * one else may; indexes that the owner has put on it are kept up.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "gsi/gsi_private.h"

/* One change, with regard to one index. */
typedef struct IndexChange
{
	const StoreChange *change;
	const ItemIndex *index;
	StoreIndex	store;
	ItemRow		old_row;
	ItemRow		new_row;
	bool		has_old;
	bool		has_new;
	GsiEntry	old_entry;
	GsiEntry	new_entry;
} IndexChange;

/* Entries found at one key; the first is remembered. */
typedef struct Found
{
	int			n;
	ItemPointerData tid;
} Found;

/* Entries to be removed, but for one that may stay. */
typedef struct Sweep
{
	const StoreIndex *store;
	bool		may_stay;		/* this is the key of the entry that shall be */
	const ItemData *attributes; /* what that one holds */
	bool		stays;			/* one of them does */
	TupleTableSlot *scratch;
} Sweep;

static void change_indexes(const StoreChange *change, const ItemTable *table,
						   const ItemChanges *changes);
static bool changes_entry(IndexChange *change, const ItemTable *table);
static void change_index(IndexChange *change, const ItemTable *table);
static void note_stale(const IndexChange *change, const ItemTable *table,
					   GsiStale *stale, int *nstale);
static bool change_simply(IndexChange *change);
static bool note_found(TupleTableSlot *slot, void *arg);
static void find_one(const StoreIndex *store, const GsiEntry *entry,
					 const ItemKey *base, Found *found);
static void converge(IndexChange *change);
static bool sweep(const StoreIndex *store, const ItemKey *key,
				  const ItemKey *base, const ItemData *attributes);
static bool sweep_entry(TupleTableSlot *slot, void *arg);
static bool again(TM_Result result, bool first);
static void insert_into_indexes(const StoreIndex *store, TupleTableSlot *slot);
static void insert_into_key_index(const StoreIndex *store,
								  TupleTableSlot *slot);

/*
 * Callback of the row trigger and of the direct path.  The change's descriptor
 * may be older than the lock on the table, which whoever makes an index waits
 * for, so it is asked for again.
 */
void
gsi_change(const StoreChange *change)
{
	const ItemTable *table = meta_table(change->table->relid);
	ItemChanges changes;

	if (table->nindexes == 0)
		return;
	if (change->old_attributes.data == NULL ||
		change->new_attributes.data == NULL)
	{
		change_indexes(change, table, NULL);
		return;
	}

	/* of changes out of order, only the item as it is tells what is needed */
	item_map_changes(change->old_attributes, change->new_attributes,
					 &changes);
	if (!change->latest || gsi_any_depends(table, &changes))
		change_indexes(change, table, &changes);
}

/*
 * When an item has been replaced, by the members that differ.
 */
static void
change_indexes(const StoreChange *change, const ItemTable *table,
			   const ItemChanges *changes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "index entries",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	GsiStale   *stale = palloc(table->nindexes * sizeof(GsiStale));
	int			nstale = 0;

	for (int i = 0; i < table->nindexes; i++)
	{
		IndexChange state = {.change = change, .index = &table->indexes[i]};

		if (!state.index->global)
			continue;
		if (changes != NULL &&
			(change->latest || !state.index->synchronous) &&
			!gsi_entry_depends(state.index, changes))
			continue;
		if (!changes_entry(&state, table))
			continue;
		if (state.index->synchronous)
			change_index(&state, table);
		else
			note_stale(&state, table, stale, &nstale);
	}
	if (nstale > 0)
		gsi_propagate_later(table, change->key, nstale, stale);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/*
 * Fills in what the item yielded and yields in the index; is that to be
 * followed?  While the index is being filled, that the row has moved is.
 */
static bool
changes_entry(IndexChange *state, const ItemTable *table)
{
	const StoreChange *change = state->change;
	const ItemIndex *index = state->index;

	if (change->old_attributes.data != NULL)
	{
		gsi_row(table, change->key, change->old_attributes, &state->old_row);
		state->has_old = gsi_entry_make(index, &state->old_row,
										&state->old_entry);
	}
	if (change->new_attributes.data != NULL)
	{
		gsi_row(table, change->key, change->new_attributes, &state->new_row);
		state->has_new = gsi_entry_make(index, &state->new_row,
										&state->new_entry);
		/* a row that is older than the index may stay as it is */
		if (!state->has_new &&
			!(change->old_attributes.data != NULL &&
			  item_ref_equal(change->old_attributes, change->new_attributes)))
			gsi_entry_check(table, index, &state->new_row);
	}
	if (!change->latest && index->synchronous)
		return true;
	return state->has_old != state->has_new ||
		(state->has_old &&
		 (index->status == INDEX_CREATING ||
		  !(key_equal(&state->old_entry.key, &state->new_entry.key) &&
			gsi_entry_same_rest(index, &state->old_row, &state->new_row))));
}

static void
change_index(IndexChange *state, const ItemTable *table)
{
	const StoreChange *change = state->change;
	const ItemIndex *index = state->index;
	MetaOwner	owner;

	if (index->unique_key && gsi_order_change(change))
	{
		if (state->has_old)
			gsi_note_place(change, table, index, &state->old_entry.key);
		if (state->has_new)
			gsi_note_place(change, table, index, &state->new_entry.key);
		return;
	}
	store_index_open(table, state->index, RowExclusiveLock, &state->store);
	meta_become_owner(RelationGetRelid(state->store.rel), &owner);
	if (!state->change->latest || !change_simply(state))
		converge(state);
	meta_become_caller(&owner);
	store_index_close(&state->store);
}

/*
 * Of changes that are told out of order, each names the entry that it has made
 * wrong, which is all that counts: they are parts of one way from the item as
 * it was to what it is.  An index that has lost its index table has no entries
 * until it is rebuilt.
 */
static void
note_stale(const IndexChange *state, const ItemTable *table, GsiStale *stale,
		   int *nstale)
{
	GsiStale   *result = &stale[*nstale];

	result->index = store_index_relid(table, state->index);
	if (!OidIsValid(result->index))
		return;
	result->key.n = 0;
	if (state->has_old)
		result->key = state->old_entry.key;
	(*nstale)++;
}

/*
 * The short way; false when the old entry is not the one that it should be,
 * and nothing has been done.
 */
static bool
change_simply(IndexChange *change)
{
	const StoreIndex *store = &change->store;
	const ItemKey *base = change->change->key;
	ItemData   *attributes = NULL;
	Found		found = {0};
	bool		inserts_first;

	if (change->has_old)
	{
		find_one(store, &change->old_entry, base, &found);
		if (found.n != 1)
			return false;
	}
	if (change->has_new)
		attributes = gsi_entry_attributes(store->table, change->index,
										  &change->new_row,
										  &change->new_entry);
	if (change->has_old && change->has_new &&
		key_equal(&change->old_entry.key, &change->new_entry.key))
	{
		TupleTableSlot *slot;

		slot = MakeSingleTupleTableSlot(RelationGetDescr(store->rel),
										&TTSOpsVirtual);
		gsi_entry_to_slot(store, &change->new_entry, base, attributes, slot);
		gsi_update_entry(store, &found.tid, slot);
		ExecDropSingleTupleTableSlot(slot);
		return true;
	}
	/* in the order of keys, as in gsi_order.c: others may be waited for */
	inserts_first = change->index->unique_key &&
		change->has_old && change->has_new &&
		key_order_bytes(&change->new_entry.key, &change->old_entry.key) < 0;
	if (inserts_first)
		gsi_insert_entry(store, &change->new_entry, base, attributes);
	if (change->has_old)
		gsi_delete_entry(store, &found.tid);
	if (change->has_new && !inserts_first)
		gsi_insert_entry(store, &change->new_entry, base, attributes);
	return true;
}

static bool
note_found(TupleTableSlot *slot, void *arg)
{
	Found	   *found = arg;

	if (found->n++ == 0)
		found->tid = slot->tts_tid;
	return found->n < 2;
}

static void
find_one(const StoreIndex *store, const GsiEntry *entry, const ItemKey *base,
		 Found *found)
{
	TupleTableSlot *slot = table_slot_create(store->rel, NULL);

	(void) gsi_find(store, &entry->key, base, SnapshotSelf, slot, note_found,
					found);
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * The long way: what the item is now decides.
 */
static void
converge(IndexChange *change)
{
	const StoreIndex *store = &change->store;
	const ItemKey *base = change->change->key;
	Relation	rel = change->change->rel;
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	ItemRef		now;
	ItemRow		row;
	GsiEntry	entry;
	ItemData   *attributes = NULL;
	bool		wanted = false;

	if (gsi_find_item(store->table, rel, base, SnapshotSelf, slot, &now))
	{
		gsi_row(store->table, base, now, &row);
		wanted = gsi_entry_make(change->index, &row, &entry);
		if (wanted)
			attributes = gsi_entry_attributes(store->table, change->index,
											  &row, &entry);
	}
	if (change->has_old &&
		!(wanted && key_equal(&change->old_entry.key, &entry.key)))
		(void) sweep(store, &change->old_entry.key, base, NULL);
	if (change->has_new &&
		!(wanted && key_equal(&change->new_entry.key, &entry.key)))
		(void) sweep(store, &change->new_entry.key, base, NULL);
	if (wanted && !sweep(store, &entry.key, base, attributes))
		gsi_insert_entry(store, &entry, base, attributes);
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * The long way at one key of an index, where entries go before others come:
 * takes the item's away if it has another key now, or enters it.
 */
void
gsi_settle_place(const StoreIndex *store, Relation rel, const ItemKey *key,
				 const ItemKey *base, bool going)
{
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	ItemRef		now;
	ItemRow		row;
	GsiEntry	entry;
	bool		wanted = false;

	if (gsi_find_item(store->table, rel, base, SnapshotSelf, slot, &now))
	{
		gsi_row(store->table, base, now, &row);
		wanted = gsi_entry_make(store->index, &row, &entry) &&
			key_order_bytes(&entry.key, key) == 0;
	}
	if (going && !wanted)
		(void) sweep(store, key, base, NULL);
	else if (!going && wanted)
	{
		ItemData   *attributes = gsi_entry_attributes(store->table,
													  store->index, &row,
													  &entry);

		if (!sweep(store, key, base, attributes))
			gsi_insert_entry(store, &entry, base, attributes);
	}
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * Removes the item's entries at one key, but for one with these attributes;
 * whether there is such a one.
 */
static bool
sweep(const StoreIndex *store, const ItemKey *key, const ItemKey *base,
	  const ItemData *attributes)
{
	TupleTableSlot *slot = table_slot_create(store->rel, NULL);
	Sweep		state = {
		.store = store,
		.may_stay = attributes != NULL,
		.attributes = attributes
	};

	(void) gsi_find(store, key, base, SnapshotSelf, slot, sweep_entry,
					&state);
	ExecDropSingleTupleTableSlot(slot);
	return state.stays;
}

static bool
sweep_entry(TupleTableSlot *slot, void *arg)
{
	Sweep	   *state = arg;

	if (state->may_stay && !state->stays)
	{
		bool		isnull;
		Datum		held = slot_getattr(slot, state->store->facts.attributes_attnum,
										&isnull);

		state->stays = item_ref_equal(item_root(DatumGetItemPP(held)),
									  item_root(state->attributes));
		if (state->stays)
			return true;
	}
	gsi_delete_entry(state->store, &slot->tts_tid);
	return true;
}

void
gsi_insert_entry(const StoreIndex *store, const GsiEntry *entry,
				 const ItemKey *base, const ItemData *attributes)
{
	TupleTableSlot *slot;

	slot = MakeSingleTupleTableSlot(RelationGetDescr(store->rel),
									&TTSOpsVirtual);
	gsi_entry_to_slot(store, entry, base, attributes, slot);
	table_tuple_insert(store->rel, slot, GetCurrentCommandId(true), 0, NULL);
	insert_into_indexes(store, slot);
	ExecDropSingleTupleTableSlot(slot);
}

void
gsi_update_entry(const StoreIndex *store, ItemPointer tid, TupleTableSlot *slot)
{
	TM_FailureData failure;
	LockTupleMode mode;
	CompatUpdateIndexes indexes;
	TM_Result	result;

	CheckCmdReplicaIdentity(store->rel, CMD_UPDATE);
	for (bool first = true;; first = false)
	{
		result = table_tuple_update(store->rel, tid, slot,
									GetCurrentCommandId(true),
									GetActiveSnapshot(), InvalidSnapshot,
									true, &failure, &mode, &indexes);
		if (!again(result, first))
			break;
	}
	if (!COMPAT_INDEXES_NONE(indexes))
		insert_into_indexes(store, slot);
}

void
gsi_delete_entry(const StoreIndex *store, ItemPointer tid)
{
	TM_FailureData failure;
	TM_Result	result;

	CheckCmdReplicaIdentity(store->rel, CMD_DELETE);
	for (bool first = true;; first = false)
	{
		result = table_tuple_delete(store->rel, tid,
									GetCurrentCommandId(true),
									GetActiveSnapshot(), InvalidSnapshot,
									true, &failure, false);
		if (!again(result, first))
			break;
	}
}

/*
 * Is a change to be tried again?  An entry that the current command has made
 * can be changed by the next one only.
 */
static bool
again(TM_Result result, bool first)
{
	if (result == TM_Ok)
		return false;
	if (result != TM_Invisible || !first)
		elog(ERROR, "unexpected status of the change of an index entry: %u",
			 result);
	CommandCounterIncrement();
	return true;
}

/*
 * Enters a row in all indexes of the index table, which mostly is its key
 * index alone.  Functions in the owner's expressions run as him, and so must
 * not find what the caller has put into his own search_path.
 */
static void
insert_into_indexes(const StoreIndex *store, TupleTableSlot *slot)
{
	EState	   *estate = NULL;
	int			nest = 0;
	ListCell   *lc;
	List	   *indexes;

	if (store->facts.only_index)
	{
		insert_into_key_index(store, slot);
		return;
	}
	indexes = RelationGetIndexList(store->rel);
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);
		IndexInfo  *info = BuildIndexInfo(index);
		Datum		values[INDEX_MAX_KEYS];
		bool		isnull[INDEX_MAX_KEYS];

		if (estate == NULL &&
			(info->ii_Expressions != NIL || info->ii_Predicate != NIL))
		{
			nest = gsi_restrict_search_path();
			estate = CreateExecutorState();
			GetPerTupleExprContext(estate)->ecxt_scantuple = slot;
		}
		if (info->ii_ReadyForInserts &&
			(info->ii_Predicate == NIL ||
			 ExecQual(ExecPrepareQual(info->ii_Predicate, estate),
					  GetPerTupleExprContext(estate))))
		{
			FormIndexDatum(info, slot, estate, values, isnull);
			(void) index_insert(index, values, isnull, &slot->tts_tid,
								store->rel,
								index->rd_index->indisunique ?
								UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
								false, info);
			compat_index_insert_cleanup(index, info);
		}
		index_close(index, NoLock);
	}
	if (estate != NULL)
	{
		FreeExecutorState(estate);
		AtEOXact_GUC(false, nest);
	}
	list_free(indexes);
}

/*
 * The columns are known.  The column list of the IndexInfo is all that an
 * access method may look at, since the values are given.
 */
static void
insert_into_key_index(const StoreIndex *store, TupleTableSlot *slot)
{
	const StoreIndexFacts *facts = &store->facts;
	IndexInfo	info = {.type = T_IndexInfo};
	Datum		values[KEY_MAX_ATTRIBUTES + 1];
	bool		isnull[KEY_MAX_ATTRIBUTES + 1] = {false};
	bool		unique = store->index->unique_key;
	int			n = 0;

	info.ii_IndexAttrNumbers[n++] = facts->key_attnums[0];
	if (store->index->nsort > 0)
		info.ii_IndexAttrNumbers[n++] = facts->key_attnums[1];
	if (!unique)
		info.ii_IndexAttrNumbers[n++] = facts->digest_attnum;
	for (int i = 0; i < n; i++)
		values[i] = slot->tts_values[info.ii_IndexAttrNumbers[i] - 1];
	info.ii_NumIndexAttrs = n;
	info.ii_NumIndexKeyAttrs = n;
	info.ii_Unique = unique;
	info.ii_ReadyForInserts = true;
	info.ii_Am = store->key_index->rd_rel->relam;
	info.ii_Context = CurrentMemoryContext;
	(void) index_insert(store->key_index, values, isnull, &slot->tts_tid,
						store->rel,
						unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
						false, &info);
	compat_index_insert_cleanup(store->key_index, &info);
}

/*
 * Until AtEOXact_GUC() of the result, only the server's own names are found
 * without a schema.
 */
int
gsi_restrict_search_path(void)
{
	int			nest = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	return nest;
}
