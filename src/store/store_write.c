/*
 * store_write.c
 *	  Insert, replace and delete of one row by the access methods alone.
 *
 * An insert is speculative: the row goes into the table, then its key into
 * the key index, and only if no other row has the key is it made a real row.
 * That is what INSERT ... ON CONFLICT does, without the executor.  A unique
 * index decides races between inserters; updates and deletes are decided by
 * the row itself, whose change fails when another has changed it since it was
 * read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "store/store.h"
#include "store/store_private.h"

static TupleTableSlot *plain_slot(ItemStore *store, const ItemKey *key,
								  const ItemData *attributes);
static bool insert_entries(ItemStore *store, const ItemKey *key,
						   TupleTableSlot *slot, StoreRow *old_row);
static bool insert_key(ItemStore *store, const ItemKey *key,
					   TupleTableSlot *slot, IndexUniqueCheck check,
					   bool unchanged);

/*
 * Puts of new keys in a row, by relation.  A load of new items would look up
 * each key in vain before the insert, which looks it up again.  So after some
 * such puts the next one, if nothing depends on the old row, begins with the
 * insert.  A wrong guess costs a dead row, hence the length of the streak.
 */
#define STREAK_MIN		16
#define STREAK_SLOTS	16

typedef struct PutStreak
{
	Oid			relid;
	int			length;
} PutStreak;

static PutStreak streaks[STREAK_SLOTS];

static void streak_count(ItemStore *store, bool new_key);

/* A row that store_claim() has put into its table. */
typedef struct StoreClaim
{
	ItemStore  *store;
	const ItemKey *key;
	ItemKey		placed;			/* or the caller's, without shards */
	const ItemData *attributes;
	TupleTableSlot *slot;
} StoreClaim;

/*
 * Called when the store has come to a leaf: gets the executor's help if
 * anything but the key index takes part in writes there.
 */
void
store_writes_begin(ItemStore *store)
{
	if (store->write == NULL && store_is_simple(store))
		return;
	if (store->write == NULL)
		store_executor_begin(store);
	store_executor_enter(store);
}

bool
store_is_simple(const ItemStore *store)
{
	/* a partition that was named itself must check what it is given */
	bool		own_partition = store->rel == store->named &&
		store->rel->rd_rel->relispartition;

	return store->relation.plain && !store->relation.user_triggers &&
		!store->named_triggers && !own_partition;
}

bool
store_insert(ItemStore *store, const ItemKey *key, const ItemData *attributes)
{
	if (store_try_insert(store, key, attributes))
		return true;
	if (!store->presumed)
		store_wait_for_key(store, key);
	store->presumed = false;
	return false;
}

bool
store_try_insert(ItemStore *store, const ItemKey *key,
				 const ItemData *attributes)
{
	TupleTableSlot *slot;
	uint32		token;
	bool		unique;
	bool		locked;
	ItemKey		placed;

	if (store->write != NULL)
		return store_executor_insert(store, key, attributes);

	key = store_key_to_insert(store, key, attributes, &placed);
	slot = plain_slot(store, key, attributes);
	locked = store_keylock_enter(store->table, key);
	token = store_speculate(store, slot);
	unique = insert_entries(store, key, slot, NULL);
	store_speculate_end(store, slot, token, unique);
	store_keylock_leave(store->table, key, locked);
	ExecDropSingleTupleTableSlot(slot);
	streak_count(store, unique);
	if (!unique)
		return false;
	store->stored = attributes;
	store_row_changed(store, key, NULL, attributes);
	return true;
}

static void
streak_count(ItemStore *store, bool new_key)
{
	Oid			relid = store->relation.relid;
	PutStreak  *streak = &streaks[relid % STREAK_SLOTS];

	if (streak->relid != relid || !new_key)
		streak->length = 0;
	streak->relid = relid;
	if (new_key && streak->length < STREAK_MIN)
		streak->length++;
}

/* Does store_lock() need not look, because the insert will? */
bool
store_presumes_absent(const ItemStore *store)
{
	Oid			relid = store->relation.relid;
	const PutStreak *streak = &streaks[relid % STREAK_SLOTS];

	return streak->relid == relid && streak->length == STREAK_MIN &&
		(store->access & (ACL_INSERT | ACL_SELECT)) == ACL_INSERT &&
		store->write == NULL && !store->contended &&
		!IsolationUsesXactSnapshot();
}

/*
 * A row of the three columns; what is left are dropped columns.  Of what the
 * check constraint demands only the size of the index entry is still open.
 * The slot keeps the tuple that is made of it, which a speculative insertion
 * asks for twice.
 */
static TupleTableSlot *
plain_slot(ItemStore *store, const ItemKey *key, const ItemData *attributes)
{
	TupleTableSlot *slot;
	int			column;

	key_check_index_size(key, store->table->index_limit);
	slot = MakeSingleTupleTableSlot(RelationGetDescr(store->rel),
									&TTSOpsHeapTuple);
	memset(slot->tts_isnull, true,
		   slot->tts_tupleDescriptor->natts * sizeof(bool));
	for (int i = 0; i < key->n; i++)
	{
		column = store->relation.key_attnums[i] - 1;
		slot->tts_values[column] = key->datums[i];
		slot->tts_isnull[column] = false;
	}
	column = store->relation.attributes_attnum - 1;
	slot->tts_values[column] = PointerGetDatum(attributes);
	slot->tts_isnull[column] = false;
	if (store->relation.nlocals > 0)
	{
		store_locals_set(store, key, attributes, slot);
		ExecStoreVirtualTuple(slot);
		store_locals_check(store, slot);
		return slot;
	}
	return ExecStoreVirtualTuple(slot);
}

/* Puts a row into the table as a claim that others can wait for. */
uint32
store_speculate(ItemStore *store, TupleTableSlot *slot)
{
	uint32		token;

	token = SpeculativeInsertionLockAcquire(GetCurrentTransactionId());
	table_tuple_insert_speculative(store->rel, slot,
								   GetCurrentCommandId(true), 0, NULL, token);
	return token;
}

/* Makes the claim a row, or takes it back. */
void
store_speculate_end(ItemStore *store, TupleTableSlot *slot, uint32 token,
					bool succeeded)
{
	table_tuple_complete_speculative(store->rel, slot, token, succeeded);
	SpeculativeInsertionLockRelease(GetCurrentTransactionId());

	/* a wrong guess is no race */
	if (!succeeded && !store->presumed)
		store->contended = true;
}

void
store_claims_begin(StoreClaims *claims)
{
	claims->token = 0;
	claims->claims = NIL;
}

bool
store_claim(StoreClaims *claims, ItemStore *store, const ItemKey *key,
			const ItemData *attributes)
{
	StoreClaim *claim = palloc(sizeof(StoreClaim));

	/* one token will do for all, since all are settled at one time */
	if (claims->claims == NIL)
		claims->token =
			SpeculativeInsertionLockAcquire(GetCurrentTransactionId());
	key = store_key_to_insert(store, key, attributes, &claim->placed);
	claim->store = store;
	claim->key = key;
	claim->attributes = attributes;
	claim->slot = plain_slot(store, key, attributes);
	table_tuple_insert_speculative(store->rel, claim->slot,
								   GetCurrentCommandId(true), 0, NULL,
								   claims->token);
	claims->claims = lappend(claims->claims, claim);
	return insert_entries(store, key, claim->slot, NULL);
}

void
store_claims_end(StoreClaims *claims, bool keep)
{
	ListCell   *lc;

	if (claims->claims == NIL)
		return;
	foreach(lc, claims->claims)
	{
		StoreClaim *claim = lfirst(lc);

		store_route(claim->store, claim->key);
		table_tuple_complete_speculative(claim->store->rel, claim->slot,
										 claims->token, keep);
		ExecDropSingleTupleTableSlot(claim->slot);
	}
	SpeculativeInsertionLockRelease(GetCurrentTransactionId());
	foreach(lc, claims->claims)
	{
		StoreClaim *claim = lfirst(lc);

		if (!keep)
			break;
		store_route(claim->store, claim->key);
		store_row_changed(claim->store, claim->key, NULL, claim->attributes);
	}
	list_free_deep(claims->claims);
	claims->claims = NIL;
}

/*
 * Enters a row in all indexes: a new one as a claim, false when another row
 * has its key; one that replaces old_row in its place.
 */
static bool
insert_entries(ItemStore *store, const ItemKey *key, TupleTableSlot *slot,
			   StoreRow *old_row)
{
	bool		unique;

	if (old_row == NULL)
		unique = insert_key(store, key, slot, UNIQUE_CHECK_PARTIAL, false);
	else
		unique = insert_key(store, key, slot, UNIQUE_CHECK_YES, true);
	if (unique && store->relation.nlocals > 0)
		store_locals_insert(store, key, slot, old_row);
	return unique;
}

/*
 * Enters a row in the key index.  The column list of the IndexInfo is all
 * that an access method may look at, since the values are given.
 */
static bool
insert_key(ItemStore *store, const ItemKey *key, TupleTableSlot *slot,
		   IndexUniqueCheck check, bool unchanged)
{
	IndexInfo	info = {.type = T_IndexInfo};
	bool		isnull[KEY_MAX_ATTRIBUTES] = {false};
	Datum		values[KEY_MAX_ATTRIBUTES];
	bool		unique;

	info.ii_NumIndexAttrs = key->n;
	info.ii_NumIndexKeyAttrs = key->n;
	info.ii_Unique = true;
	info.ii_ReadyForInserts = true;
	info.ii_Am = store->key_index->rd_rel->relam;
	info.ii_Context = CurrentMemoryContext;
	for (int i = 0; i < key->n; i++)
	{
		info.ii_IndexAttrNumbers[i] = store->relation.key_attnums[i];
		values[i] = key->datums[i];
	}
	unique = index_insert(store->key_index, values, isnull, &slot->tts_tid,
						  store->rel, check, unchanged, &info);
	compat_index_insert_cleanup(store->key_index, &info);
	return unique;
}

/*
 * After a lost race for a key: waits until the transaction that is inserting
 * or removing its row has ended.  May return early; the caller begins again
 * in any case.  Nothing is pinned while waiting.  Complains when waiting is of
 * no use, because it is the running command itself.
 */
void
store_wait_for_key(ItemStore *store, const ItemKey *key)
{
	SnapshotData dirty;
	TupleTableSlot *slot = table_slot_create(store->rel, NULL);
	TransactionId other = InvalidTransactionId;
	ItemPointerData tid;

	InitDirtySnapshot(dirty);
	if (store_probe(store, key, &dirty, slot))
	{
		other = TransactionIdIsValid(dirty.xmin) ? dirty.xmin : dirty.xmax;
		tid = slot->tts_tid;
		if (!TransactionIdIsValid(other))
			store_check_own_row(store, key, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	if (!TransactionIdIsValid(other))
		return;
	if (dirty.speculativeToken != 0)
		SpeculativeInsertionWait(dirty.xmin, dirty.speculativeToken);
	else
		XactLockTableWait(other, store->rel, &tid, XLTW_InsertIndexUnique);
}

bool
store_update(ItemStore *store, const ItemKey *key, StoreRow *row,
			 const ItemData *attributes)
{
	TupleTableSlot *slot;
	CommandId	cid;
	TM_FailureData failure;
	LockTupleMode mode;
	CompatUpdateIndexes indexes;
	TM_Result	result;
	bool		done;
	ItemKey		placed;

	if (store->write != NULL)
		return store_executor_update(store, key, row, attributes);

	CheckCmdReplicaIdentity(store->rel, CMD_UPDATE);
	key = store_key_of_row(store, key, row, &placed);
	slot = plain_slot(store, key, attributes);
	cid = GetCurrentCommandId(true);
	result = table_tuple_update(store->rel, &row->slot->tts_tid, slot, cid,
								GetActiveSnapshot(), InvalidSnapshot, true,
								&failure, &mode, &indexes);
	done = store_judge(store, result, &failure, cid);
	if (done && !COMPAT_INDEXES_NONE(indexes))
		(void) insert_entries(store, key, slot, row);
	ExecDropSingleTupleTableSlot(slot);
	if (done)
	{
		streak_count(store, false);
		store->stored = attributes;
		store_row_changed(store, key, row, attributes);
	}
	return done;
}

bool
store_delete(ItemStore *store, const ItemKey *key, StoreRow *row)
{
	CommandId	cid;
	TM_FailureData failure;
	TM_Result	result;
	ItemKey		placed;

	if (store->write != NULL)
		return store_executor_delete(store, key, row);

	CheckCmdReplicaIdentity(store->rel, CMD_DELETE);
	key = store_key_of_row(store, key, row, &placed);
	cid = GetCurrentCommandId(true);
	result = table_tuple_delete(store->rel, &row->slot->tts_tid, cid,
								GetActiveSnapshot(), InvalidSnapshot, true,
								&failure, false);
	if (!store_judge(store, result, &failure, cid))
		return false;
	store_row_changed(store, key, row, NULL);
	return true;
}

/*
 * What became of an update or delete: true when it was done, false when
 * another transaction was first, so that the row must be looked up anew.
 */
bool
store_judge(ItemStore *store, TM_Result result, const TM_FailureData *failure,
			CommandId cid)
{
	switch (result)
	{
		case TM_Ok:
			return true;
		case TM_Updated:
		case TM_Deleted:
			if (IsolationUsesXactSnapshot())
				store_serialization_failure(result);
			store->contended = true;
			return false;
		case TM_SelfModified:
			if (failure->cmax == cid)
				store_own_change();
			store_triggered_change();
			break;
		default:
			elog(ERROR, "unexpected status of a row change: %u", result);
	}
	return false;
}
