/*
 * store_row.c
 *	  One row by its key: point read, and finding the version to change.
 *
 * Rows are looked up under MVCC snapshots only.  A dirty snapshot would save
 * taking one, but its scan can miss a row: an update puts the new version's
 * index entry where the scan has been already, commits, and the scan then
 * finds the old version dead.  For an insert the unique index would notice;
 * a delete or a condition would be wrong.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "store/store.h"
#include "store/store_private.h"

static void row_set_attributes(const ItemStore *store, StoreRow *row);
static void row_set_keys(const ItemTable *table, StoreRow *row);
static bool row_lock(ItemStore *store, Snapshot snapshot, StoreRow *row);
static bool row_is_ours(TupleTableSlot *slot);

void
store_row_init(StoreRow *row)
{
	row->exists = false;
	row->key_locked = false;
	row->slot = NULL;
	row->row.nkeys = 0;
	row->row.attributes.data = NULL;
}

void
store_row_clear(StoreRow *row)
{
	if (row->slot != NULL)
		ExecDropSingleTupleTableSlot(row->slot);
	row->slot = NULL;
	row->exists = false;
}

/* Looks for the row of a key into row->slot, which is made when first needed. */
StoreProbeResult
store_row_probe(ItemStore *store, const ItemKey *key, Snapshot snapshot,
				StoreRow *row)
{
	StoreProbeResult result;

	if (row->slot == NULL)
		row->slot = table_slot_create(store->rel, NULL);
	result = store_probe_key(store, key, snapshot, row->slot);
	row->exists = result == STORE_FOUND;
	return result;
}

void
store_row_from_slot(const ItemStore *store, StoreRow *row)
{
	const KeySchema *schema = &store->table->schema;

	slot_getsomeattrs(row->slot, store->relation.last_attnum);
	row_set_keys(store->table, row);
	for (int i = 0; i < schema->n; i++)
		row->row.keys[i].value =
			key_part_from_datum(schema, i,
								row->slot->tts_values[store->relation.key_attnums[i] - 1]);
	row_set_attributes(store, row);
	row->exists = true;
}

/* The columns are NOT NULL, so no null flag is looked at. */
static void
row_set_attributes(const ItemStore *store, StoreRow *row)
{
	int			column = store->relation.attributes_attnum - 1;

	row->row.attributes =
		item_root(DatumGetItemPP(row->slot->tts_values[column]));
}

static void
row_set_keys(const ItemTable *table, StoreRow *row)
{
	row->row.nkeys = table->schema.n;
	for (int i = 0; i < table->schema.n; i++)
	{
		row->row.keys[i].name = table->schema.attributes[i].name;
		row->row.keys[i].name_len = table->schema.attributes[i].name_len;
	}
}

/* As store_row_from_slot(), when the key is known already. */
void
store_row_from_key(const ItemStore *store, const ItemKey *key, StoreRow *row)
{
	slot_getsomeattrs(row->slot, store->relation.attributes_attnum);
	row_set_keys(store->table, row);
	for (int i = 0; i < key->n; i++)
		row->row.keys[i].value = key->refs[i];
	row_set_attributes(store, row);
	row->exists = true;
}

bool
store_fetch(ItemStore *store, const ItemKey *key, Snapshot snapshot,
			StoreRow *row)
{
	store_row_probe(store, key, snapshot, row);
	if (row->exists)
		store_row_from_key(store, key, row);
	return row->exists;
}

void
store_lock(ItemStore *store, const ItemKey *key, StoreRow *row)
{
	bool		locks;

	store->presumed = store_presumes_absent(store);
	if (store->presumed)
	{
		row->exists = false;
		return;
	}

	/*
	 * Without a lock the change itself notices whether the row has changed
	 * since, and a condition that fails has failed on the latest committed
	 * version.
	 */
	locks = store->contended || store_executor_locks(store);
	for (;;)
	{
		Snapshot	snapshot;

		CHECK_FOR_INTERRUPTS();
		snapshot = IsolationUsesXactSnapshot() ? GetTransactionSnapshot() :
			GetLatestSnapshot();
		store_row_probe(store, key, snapshot, row);
		if (IsolationUsesXactSnapshot())
			store_check_unchanged(store, key, row);
		if (!row->exists)
			return;
		if (!locks || row_lock(store, snapshot, row))
			break;
	}
	store_row_from_key(store, key, row);
}

/*
 * Is what the transaction's snapshot sees, a version or none, still the
 * latest?  Otherwise an answer to it would be one of the past.
 */
void
store_check_unchanged(ItemStore *store, const ItemKey *key,
					  const StoreRow *row)
{
	TupleTableSlot *slot = table_slot_create(store->rel, NULL);
	bool		exists;

	exists = store_probe(store, key, GetLatestSnapshot(), slot);
	if (row->exists && !exists)
		store_serialization_failure(TM_Deleted);
	if (exists &&
		(!row->exists ||
		 !ItemPointerEquals(&slot->tts_tid, &row->slot->tts_tid)))
		store_serialization_failure(TM_Updated);
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * Locks the version that was found, waiting for whoever is changing it.
 * Returns false when it is not the latest any more: the caller looks the key
 * up again rather than following the chain of versions, which plain SQL may
 * have led to another key.
 */
static bool
row_lock(ItemStore *store, Snapshot snapshot, StoreRow *row)
{
	LockTupleMode mode = (store->access & ACL_DELETE) != 0 ?
		LockTupleExclusive : LockTupleNoKeyExclusive;
	TM_FailureData failure;
	TM_Result	result;

	result = table_tuple_lock(store->rel, &row->slot->tts_tid, snapshot,
							  row->slot, GetCurrentCommandId(false), mode,
							  LockWaitBlock, 0, &failure);
	return store_judge_lock(result);
}

/*
 * What became of a row lock: true when it is held, false when the version is
 * not the latest any more.
 */
bool
store_judge_lock(TM_Result result)
{
	switch (result)
	{
		case TM_Ok:
			return true;
		case TM_Updated:
		case TM_Deleted:
			if (IsolationUsesXactSnapshot())
				store_serialization_failure(result);
			return false;
		case TM_SelfModified:
			store_own_change();
			break;
		default:
			elog(ERROR, "unexpected status of a row lock: %u", result);
	}
	return false;
}

/*
 * A row of the key that is there, in slot, but that no snapshot of ours sees,
 * since the command that is running has made it, would have us look for ever.
 */
void
store_check_own_row(ItemStore *store, const ItemKey *key,
					TupleTableSlot *slot)
{
	TupleTableSlot *visible;

	if (!row_is_ours(slot))
		return;

	/* what a trigger has inserted can be seen by now */
	visible = table_slot_create(store->rel, NULL);
	if (!store_probe(store, key, GetLatestSnapshot(), visible))
		store_own_change();
	ExecDropSingleTupleTableSlot(visible);
}

/* Was this version made by our own transaction? */
static bool
row_is_ours(TupleTableSlot *slot)
{
	bool		isnull;
	Datum		xmin;

	xmin = slot_getsysattr(slot, MinTransactionIdAttributeNumber, &isnull);
	return TransactionIdIsCurrentTransactionId(DatumGetTransactionId(xmin));
}

/* As an upsert in SQL, which refuses to change one row twice. */
void
store_own_change(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("an item function cannot change an item that the current command has inserted, changed or deleted")));
}

/* As the executor says it; does not return. */
void
store_triggered_change(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("row to be changed was already modified by an operation triggered by the current command"),
			 errhint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")));
}

/*
 * Triggers of users have run since the key was locked.  They are part of our
 * transaction, which no lock of ours keeps out.
 */
void
store_check_triggers(ItemStore *store, const ItemKey *key,
					 const StoreRow *row)
{
	TupleTableSlot *slot = table_slot_create(store->rel, NULL);
	bool		exists = store_probe(store, key, GetLatestSnapshot(), slot);

	if (row->exists &&
		(!exists || !ItemPointerEquals(&slot->tts_tid, &row->slot->tts_tid)))
		store_triggered_change();
	if (!row->exists && exists && row_is_ours(slot))
		store_triggered_change();
	ExecDropSingleTupleTableSlot(slot);
}

/* As the executor says it; does not return. */
void
store_serialization_failure(TM_Result result)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 result == TM_Deleted ?
			 errmsg("could not serialize access due to concurrent delete") :
			 errmsg("could not serialize access due to concurrent update")));
}
