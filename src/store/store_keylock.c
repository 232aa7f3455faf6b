/*
 * store_keylock.c
 *	  Locks a key to the end of the transaction, whether or not it has a row.
 *
 * A key with a row is locked by locking the row.  A key without one is locked
 * by a lock-manager lock on its hash, of a class of its own, apart from what
 * users lock.  A transaction on several items locks all its keys this way, in
 * one order, before it judges anything; who holds the lock of an absent key
 * knows that it stays absent.
 *
 * Only such transactions hold it for long.  Everybody else who makes a row
 * takes the lock of its key and gives it back at once, so that a load of a
 * million rows holds none: the direct path around its insertion, plain SQL
 * after it, in the row trigger (store_trigger.c).  So, once we have the lock,
 * a row that is being made is in the index already, where a dirty snapshot
 * sees it, or it comes later, and then its maker waits for us.
 *
 * Mostly no transaction holds such a lock, and then nobody need take one.  A
 * number in shared memory tells how many may: a transaction adds itself before
 * its first lock and takes itself off when it has ended.  Who makes a row
 * looks at the number after the row has gone into the index; the other one
 * looks into the index after it has added itself.  With a memory barrier
 * between the two steps of each, either the maker sees that there is somebody
 * to wait for, or the other sees the row.  Without the library in
 * shared_preload_libraries there is no such number, and a prepared
 * transaction, whose locks outlive its session and the server, is in none; so
 * where there may be one, everybody takes the lock.
 *
 * Nobody waits for a row while holding the lock of its key, because the row's
 * maker may be waiting for that lock.
 *
 * Two keys of one hash lock each other out, which costs a wait, nothing else.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/guc.h"
#include "store/store.h"
#include "store/store_private.h"

/* Last field of the tag: what the hash in it is of. */
#define LOCK_OF_KEY		1
#define LOCK_OF_NAME	2
#define LOCK_OF_PROPAGATION	3

/* Transactions that may hold locks of absent keys; NULL: not known. */
static pg_atomic_uint32 *holders = NULL;

/* Is this transaction one of them? */
static bool holding = false;

static shmem_request_hook_type next_shmem_request_hook = NULL;
static shmem_startup_hook_type next_shmem_startup_hook = NULL;

static void holders_request(void);
static void holders_startup(void);
static void holders_add(void);
static void holders_remove(XactEvent event, void *arg);
static bool may_be_held(void);
static void keylock_acquire(const ItemTable *table, const ItemKey *key);
static void keylock_release(const ItemTable *table, const ItemKey *key);

static void set_tag(LOCKTAG *tag, uint32 high, uint32 low, uint16 use);
static void set_key_tag(LOCKTAG *tag, Oid table, const ItemKey *key);
static int64 time_left(StoreWait *wait);
static int	bound_waits(int64 left);
static void acquire(const LOCKTAG *tag, StoreWait *wait);
static bool lock_row(ItemStore *store, const ItemKey *key, LockTupleMode mode,
					 Snapshot snapshot, StoreWait *wait, StoreRow *row);
static TM_Result lock_tuple(ItemStore *store, LockTupleMode mode,
							LockWaitPolicy policy, Snapshot snapshot,
							StoreRow *row);
static bool lock_absence(ItemStore *store, const ItemKey *key,
						 StoreWait *wait, StoreRow *row, bool *in_progress);
static bool find_unseen(ItemStore *store, const ItemKey *key, StoreRow *row,
						bool *in_progress);

static void
set_tag(LOCKTAG *tag, uint32 high, uint32 low, uint16 use)
{
	tag->locktag_field1 = MyDatabaseId;
	tag->locktag_field2 = high;
	tag->locktag_field3 = low;
	tag->locktag_field4 = use;
	tag->locktag_type = LOCKTAG_USERLOCK;
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

static void
set_key_tag(LOCKTAG *tag, Oid table, const ItemKey *key)
{
	uint32		hash = (uint32) key_hash_ref(key->refs[0]);

	if (key->n > 1)
		hash = hash_combine(hash, (uint32) key_hash_ref(key->refs[1]));
	set_tag(tag, table, hash, LOCK_OF_KEY);
}

/* Called once at start-up, maybe that of the server. */
void
store_keylock_init(void)
{
	RegisterXactCallback(holders_remove, NULL);
	if (!process_shared_preload_libraries_in_progress)
		return;
	next_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = holders_request;
	next_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = holders_startup;
}

static void
holders_request(void)
{
	if (next_shmem_request_hook != NULL)
		next_shmem_request_hook();
	RequestAddinShmemSpace(sizeof(pg_atomic_uint32));
}

static void
holders_startup(void)
{
	bool		found;

	if (next_shmem_startup_hook != NULL)
		next_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	holders = ShmemInitStruct("partitioning key locks",
							  sizeof(pg_atomic_uint32), &found);
	if (!found)
		pg_atomic_init_u32(holders, 0);
	LWLockRelease(AddinShmemInitLock);
}

/* Adds this transaction; a full barrier. */
static void
holders_add(void)
{
	if (holders == NULL || holding)
		return;
	pg_atomic_fetch_add_u32(holders, 1);
	holding = true;
}

/*
 * At the end of a transaction.  Its locks are still held, but nobody needs to
 * wait for them any more: what it has done is there for all to see, or undone.
 */
static void
holders_remove(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:
			if (holding)
				pg_atomic_fetch_sub_u32(holders, 1);
			holding = false;
			break;
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
			break;
	}
}

static bool
may_be_held(void)
{
	return holders == NULL || max_prepared_xacts > 0 ||
		pg_atomic_read_u32(holders) != 0;
}

/*
 * Before a row is made: takes the lock of its key if anybody may hold it, so
 * that the row is not yet there while we wait.  To be given to
 * store_keylock_leave().
 */
bool
store_keylock_enter(const ItemTable *table, const ItemKey *key)
{
	if (likely(!may_be_held()))
		return false;
	keylock_acquire(table, key);
	return true;
}

/* When the row is in the index. */
void
store_keylock_leave(const ItemTable *table, const ItemKey *key, bool locked)
{
	if (locked)
		keylock_release(table, key);
	else
		store_keylock_pass(table, key);
}

/*
 * For a row that is in the index already: waits for whoever holds the lock of
 * its key.
 */
void
store_keylock_pass(const ItemTable *table, const ItemKey *key)
{
	pg_memory_barrier();
	if (likely(!may_be_held()))
		return;
	keylock_acquire(table, key);
	keylock_release(table, key);
}

static void
keylock_acquire(const ItemTable *table, const ItemKey *key)
{
	LOCKTAG		tag;

	set_key_tag(&tag, table->relid, key);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

static void
keylock_release(const ItemTable *table, const ItemKey *key)
{
	LOCKTAG		tag;

	set_key_tag(&tag, table->relid, key);
	(void) LockRelease(&tag, ExclusiveLock, false);
}

/*
 * Locks a name of any kind, given by its hash, to the end of the transaction.
 */
void
store_lock_name(uint64 hash, StoreWait *wait)
{
	LOCKTAG		tag;

	set_tag(&tag, (uint32) (hash >> 32), (uint32) hash, LOCK_OF_NAME);
	acquire(&tag, wait);
}

bool
store_lock_propagation(Oid table, bool wait)
{
	LOCKTAG		tag;

	set_tag(&tag, table, 0, LOCK_OF_PROPAGATION);
	return LockAcquire(&tag, ExclusiveLock, false, !wait) !=
		LOCKACQUIRE_NOT_AVAIL;
}

static void
acquire(const LOCKTAG *tag, StoreWait *wait)
{
	int			nest;

	if (LockAcquire(tag, ExclusiveLock, false, true) !=
		LOCKACQUIRE_NOT_AVAIL)
		return;
	nest = store_wait_begin(wait);
	(void) LockAcquire(tag, ExclusiveLock, false, false);
	store_wait_end(nest);
}

int
store_wait_begin(StoreWait *wait)
{
	int64		left = time_left(wait);

	if (left <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("could not lock an item within %d ms", wait->limit)));
	return bound_waits(left);
}

int
store_wait_bound(StoreWait *wait)
{
	return bound_waits(Max(time_left(wait), 1));
}

/* The clock starts when it is first looked at. */
static int64
time_left(StoreWait *wait)
{
	TimestampTz now = GetCurrentTimestamp();

	if (wait->deadline == 0)
		wait->deadline = TimestampTzPlusMilliseconds(now, wait->limit);
	return (wait->deadline - now) / 1000;
}

/*
 * Through lock_timeout, so that a wait ends as every wait for a lock does,
 * with an error.  A shorter lock_timeout of the user's stays.
 */
static int
bound_waits(int64 left)
{
	char		value[32];
	int			nest;

	if (LockTimeout > 0 && LockTimeout < left)
		left = LockTimeout;
	nest = NewGUCNestLevel();
	snprintf(value, sizeof(value), INT64_FORMAT, left);
	(void) set_config_option("lock_timeout", value, PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return nest;
}

void
store_wait_end(int nest)
{
	AtEOXact_GUC(true, nest);
}

bool
store_lock_key(ItemStore *store, const ItemKey *key, LockTupleMode mode,
			   bool holds_keys, StoreWait *wait, StoreRow *row)
{
	bool		in_progress = false;

	row->exists = false;
	row->key_locked = false;
	for (;;)
	{
		Snapshot	snapshot = IsolationUsesXactSnapshot() ?
			GetTransactionSnapshot() : GetLatestSnapshot();

		CHECK_FOR_INTERRUPTS();
		if (in_progress && holds_keys)
			return false;
		if (in_progress)
			store_await_key(store, key, wait);
		in_progress = false;

		if (!row->exists)
			(void) store_row_probe(store, key, snapshot, row);
		if (row->exists)
		{
			if (lock_row(store, key, mode, snapshot, wait, row))
				return true;
			row->exists = false;
			continue;
		}
		if (lock_absence(store, key, wait, row, &in_progress))
			return true;
		if (IsolationUsesXactSnapshot() && !in_progress)
		{
			row->exists = false;
			store_check_unchanged(store, key, row);
		}
	}
}

/*
 * Locks a row that was found, as it is now; false when it has changed.  The
 * lock of the key is not held.
 */
static bool
lock_row(ItemStore *store, const ItemKey *key, LockTupleMode mode,
		 Snapshot snapshot, StoreWait *wait, StoreRow *row)
{
	TM_Result	result;

	result = lock_tuple(store, mode, LockWaitSkip, snapshot, row);
	if (result == TM_WouldBlock)
	{
		int			nest = store_wait_begin(wait);

		result = lock_tuple(store, mode, LockWaitBlock, snapshot, row);
		store_wait_end(nest);
	}
	if (!store_judge_lock(result))
		return false;
	store_row_from_key(store, key, row);
	return true;
}

static TM_Result
lock_tuple(ItemStore *store, LockTupleMode mode, LockWaitPolicy policy,
		   Snapshot snapshot, StoreRow *row)
{
	ItemPointerData tid = row->slot->tts_tid;
	TM_FailureData failure;

	return table_tuple_lock(store->rel, &tid, snapshot, row->slot,
							GetCurrentCommandId(true), mode, policy, 0,
							&failure);
}

/*
 * Takes the lock of a key that was found without a row just now, and sees
 * whether it has one after all.  If so, returns false, without the lock: the
 * row is being made by another, or row->exists tells whether it has been
 * found.
 */
static bool
lock_absence(ItemStore *store, const ItemKey *key, StoreWait *wait,
			 StoreRow *row, bool *in_progress)
{
	LOCKTAG		tag;

	*in_progress = false;
	row->key_locked = guc_debug_key_locks;
	if (row->key_locked)
	{
		set_key_tag(&tag, store->table->relid, key);
		holders_add();
		acquire(&tag, wait);
	}
	if (store_still_no_entry(store))
		return true;
	switch (store_row_probe(store, key, GetLatestSnapshot(), row))
	{
		case STORE_NO_ENTRY:
			return true;
		case STORE_NOT_SEEN:
			if (!find_unseen(store, key, row, in_progress))
				return true;
			row->exists = false;
			break;
		case STORE_FOUND:
			break;
	}
	store_unlock_absent_key(store, key, row);
	return false;
}

/*
 * Is there a row of this key that may come to be, in any transaction, or that
 * has just come to be?
 *
 * The scan of a dirty snapshot can miss a row that exists: when its maker
 * replaces it and commits while we scan, the new version's entry may be where
 * the scan has been, and the old version is dead when the scan comes to it.
 * The maker has committed then, so a snapshot taken afterwards sees the row.
 */
static bool
find_unseen(ItemStore *store, const ItemKey *key, StoreRow *row,
			bool *in_progress)
{
	SnapshotData dirty;

	InitDirtySnapshot(dirty);
	if (store_row_probe(store, key, &dirty, row) == STORE_FOUND)
	{
		*in_progress = TransactionIdIsValid(dirty.xmin);
		store_check_own_row(store, key, row->slot);
		return true;
	}
	return store_row_probe(store, key, GetLatestSnapshot(),
						   row) == STORE_FOUND;
}

void
store_unlock_absent_key(ItemStore *store, const ItemKey *key, StoreRow *row)
{
	if (row->key_locked)
		keylock_release(store->table, key);
	row->key_locked = false;
}

void
store_await_key(ItemStore *store, const ItemKey *key, StoreWait *wait)
{
	int			nest = store_wait_begin(wait);

	store_wait_for_key(store, key);
	store_wait_end(nest);
}
