/*
 * store.h
 *	  Rows of item tables: find, lock, insert, replace, delete, by the table
 *	  and index access methods.
 *
 * store_open() is the one resolver: every access to the rows of an item
 * table starts there and nothing else calls table_open() on an item table.
 * It checks what the executor would have checked (privileges, row security,
 * rules, recovery, read-only transactions), on every call.
 *
 * A write of one item is a loop, because a row is as a rule not locked before
 * it is changed; a change that lost a race says so and stores nothing:
 *
 *		store = store_open(table, &key, access);
 *		store_row_init(&row);
 *		do
 *		{
 *			store_lock(store, &key, &row);
 *			... condition on row, new attributes from row ...
 *			done = row.exists ? store_update(store, &key, &row, attributes)
 *				: store_insert(store, &key, attributes);
 *		} while (!done);
 *		store_row_clear(&row);
 *		store_close(store);
 *		CommandCounterIncrement();
 */
#ifndef PT_STORE_H
#define PT_STORE_H

#include "access/skey.h"
#include "access/xlogdefs.h"
#include "datatype/timestamp.h"
#include "executor/tuptable.h"
#include "nodes/lockoptions.h"
#include "nodes/parsenodes.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "item/item.h"
#include "key/key.h"
#include "meta/meta.h"

/* Column of one or more local indexes, and the index on it. */
typedef struct StoreLocal
{
	AttrNumber	attnum;
	Oid			index;			/* InvalidOid: there is none that is valid */
	int			ordinal;		/* of the first such index in table->indexes */
} StoreLocal;

/* Facts about one relation with storage, cached per backend by OID. */
typedef struct StoreRelation
{
	Oid			relid;
	uint64		serial;			/* of the descriptor that was used */
	bool		plain;			/* nothing but the key index and local indexes
								 * take part in a write: no further columns,
								 * constraints or indexes (triggers are looked
								 * at apart) */
	bool		user_triggers;	/* there are others than our own */
	Oid			key_index;
	Oid			lookup_index;	/* where keys are looked up: the key index, or
								 * that of keys without shards */
	IndexMethod method;			/* of the lookup index, like the next one */
	bool		key_is_bytes;	/* strings and binaries, in byte order but for
								 * the hash of the first */
	AttrNumber	key_attnums[KEY_MAX_ATTRIBUTES];
	AttrNumber	attributes_attnum;
	AttrNumber	last_attnum;	/* the highest of these */
	ScanKeyData equal_keys[KEY_MAX_ATTRIBUTES]; /* "=" without arguments */
	int			nlocals;
	StoreLocal	locals[LIMIT_LOCAL_INDEXES];
} StoreRelation;

/* An item table opened for one call, at the named table's leaf for a key. */
typedef struct ItemStore
{
	const ItemTable *table;
	AclMode		access;
	bool		renewed;		/* table is not what the caller has seen: it
								 * may have other indexes since */
	bool		locks_rows;		/* also where nothing is to be changed */
	struct StoreWait *wait;		/* bounds waiting for relations; NULL: nothing
								 * does */
	bool		in_statement;	/* rows may be changed */
	bool		named_triggers; /* users have some on the partitioned table */
	Relation	named;			/* what the privileges were checked on */
	Relation	rel;			/* a relation with storage; NULL before
								 * store_route() or store_enter_leaf() */
	Relation	key_index;		/* its unique index on (pk [, sk]) */
	Relation	lookup_index;	/* the same, or that of keys without shards */
	BlockNumber key_page;		/* of that index, where the last key was looked
								 * for; 0: not known */
	int			key_page_misses;	/* keys in a row that were not there */
	XLogRecPtr	absent_lsn;		/* of key_page, where alone an entry of the
								 * last key could be and none is; invalid: not
								 * known */
	bool		contended;		/* a change lost a race: lock first now */
	bool		presumed;		/* store_lock() did not look for the row */
	bool		suppressed;		/* a trigger suppressed the last change */
	const ItemData *stored;		/* what the last insert or update stored,
								 * after triggers */
	struct StoreWriteState *write;	/* executor state, when it is needed */
	StoreRelation relation;		/* facts about rel; must be last */
} ItemStore;

/*
 * A row as stored.  The parts point into the slot, into the key it was looked
 * up by or into memory of the caller's context; they are valid until the next
 * fetch into the same row or store_row_clear(), also after the row has been
 * updated or deleted: then they are the old image.
 */
typedef struct StoreRow
{
	bool		exists;
	bool		key_locked;		/* no row, and store_lock_key() locked the key */
	TupleTableSlot *slot;
	ItemRow		row;			/* keys and attributes, for expressions */
} StoreRow;

/*
 * Waiting for others within one call: the limit is for all of it, in
 * milliseconds, 0 is not to wait.
 */
typedef struct StoreWait
{
	int			limit;
	TimestampTz deadline;		/* 0: nothing has been waited for yet */
} StoreWait;

/* New rows that come into being together: see store_claims_begin(). */
typedef struct StoreClaims
{
	uint32		token;
	List	   *claims;
} StoreClaims;

/* Facts about an index table, see store_index.c, cached per backend. */
typedef struct StoreIndexFacts
{
	Oid			relid;
	bool		valid;
	uint64		serial;			/* of the descriptor that was used */
	AttrNumber	key_attnums[KEY_MAX_ATTRIBUTES];	/* columns pk, sk */
	AttrNumber	base_attnums[KEY_MAX_ATTRIBUTES];	/* base_pk, base_sk */
	AttrNumber	digest_attnum;
	AttrNumber	attributes_attnum;
	Oid			key_index;		/* on (pk [, sk] [, digest]) */
	bool		only_index;		/* it has no other */
	int			nequal;			/* columns of the key index */
	ScanKeyData equal_keys[KEY_MAX_ATTRIBUTES + 1]; /* "=" without arguments */
} StoreIndexFacts;

/* An index table, open. */
typedef struct StoreIndex
{
	const ItemTable *table;
	const ItemIndex *index;
	Relation	rel;
	Relation	key_index;
	StoreIndexFacts facts;
} StoreIndex;

/* A row that came, went, or got other attributes. */
typedef struct StoreChange
{
	const ItemTable *table;
	Relation	rel;			/* the table, or the partition with the row */
	const ItemKey *key;
	ItemRef		old_attributes; /* data is NULL: there was no row */
	ItemRef		new_attributes; /* data is NULL: there is no row */
	bool		latest;			/* false: the item may have changed again,
								 * which has been told already */
	bool		by_trigger;		/* told by the row trigger */
} StoreChange;

/* prototypes for functions in store_open.c */

/*
 * Opens a table, at the leaf for one key if key is not NULL.  access is
 * ACL_SELECT, or a combination of ACL_INSERT, ACL_UPDATE, ACL_DELETE,
 * ACL_SELECT for writers; all of it is required on the named table.  Lock:
 * AccessShareLock for readers, RowExclusiveLock for writers, held to the end
 * of the transaction.  Statement triggers of the named table fire here
 * (BEFORE) and in store_close() (AFTER), once for each kind of change in
 * access.
 */
extern ItemStore *store_open(const ItemTable *table, const ItemKey *key,
							 AclMode access);

/*
 * The same for a call that locks keys before it changes rows: at no leaf yet
 * if the table is partitioned, and outside the statement, which
 * store_begin_statement() begins (BEFORE STATEMENT triggers) and
 * store_end_statement() or store_close() ends.  With locks_rows the
 * privileges to lock rows without changing them are required, too.  The lock
 * of the table, and later those of its partitions, are waited for within the
 * limit, unless wait is NULL.
 */
extern ItemStore *store_prepare(const ItemTable *table, AclMode access,
								bool locks_rows, StoreWait *wait);
extern void store_begin_statement(ItemStore *store);
extern void store_end_statement(ItemStore *store);

/* Goes on with another key of the same table; rows must be re-initialised. */
extern void store_route(ItemStore *store, const ItemKey *key);
extern void store_route_stored(ItemStore *store, Datum pk);
extern bool store_try_route(ItemStore *store, const ItemKey *key);

/*
 * The same for a reader who has the relation open, locked and all privileges
 * checked, as a node of a plan has; it must not be partitioned.
 */
extern ItemStore *store_attach(Relation rel);
extern void store_detach(ItemStore *store);

/*
 * Ends the call.  AFTER triggers run now.  The relations stay locked.
 */
extern void store_close(ItemStore *store);

/*
 * Leaves of the named table in the order of their bounds, for scans; the
 * table itself when it is not partitioned.
 */
extern List *store_leaves(ItemStore *store);
extern void store_enter_leaf(ItemStore *store, Oid leaf);

/* prototypes for functions in store_shard.c */

/* Are keys looked up in an index of their own, because a shard is no part of them? */
static inline bool
store_has_logical_index(const ItemTable *table)
{
	return unlikely(table->schema.sharding.count > 0) &&
		table->schema.sharding.by != KEY_SHARD_SORT_KEY;
}

/*
 * The key as it is stored, or would be; false when that depends on a row
 * which the snapshot does not see.
 */
extern bool store_find_place(ItemStore *store, const ItemKey *key,
							 Snapshot snapshot, ItemKey *placed);

/* prototypes for functions in store_row.c */

/*
 * A row begins empty; what looks for it in the store's leaf makes its slot.
 * store_row_clear() frees it and must precede store_close() and a change of
 * leaf.
 */
extern void store_row_init(StoreRow *row);
extern void store_row_clear(StoreRow *row);

/* Fills row->row from row->slot. */
extern void store_row_from_slot(const ItemStore *store, StoreRow *row);

/* Point read under a snapshot. */
extern bool store_fetch(ItemStore *store, const ItemKey *key,
						Snapshot snapshot, StoreRow *row);

/*
 * Finds the latest committed version of the row of this key, or that of the
 * own transaction, to change it; row->exists is false when there is none.
 * The row is locked only when a race was lost before or triggers need it.
 * Without ACL_SELECT, when nothing depends on the old row, absence may be a
 * guess that store_insert() will correct.  At REPEATABLE READ and above, a row
 * that was changed or came into being since the snapshot is a
 * serialization_failure.
 */
extern void store_lock(ItemStore *store, const ItemKey *key, StoreRow *row);

/* prototypes for functions in store_keylock.c */

/*
 * Locks a key to the end of the transaction, whether or not it has a row: if
 * row->exists, nobody else changes or deletes the row, otherwise nobody else
 * makes one that anybody can see before we end.  Waiting ends with ERRCODE_LOCK_NOT_AVAILABLE when the limit is reached.
 *
 * The maker of a row may make many, and wait for the lock of another key in
 * vain if we hold that while we wait for him.  So with holds_keys the result
 * is false, and this key not locked, when its row is in the making: the
 * caller gives up the locks of all absent keys, calls store_await_key() and
 * begins again.
 */
pg_nodiscard extern bool store_lock_key(ItemStore *store, const ItemKey *key,
										LockTupleMode mode, bool holds_keys,
										StoreWait *wait, StoreRow *row);

/*
 * Complains when our own transaction has changed, removed or made the row of a
 * key since it was locked, as a BEFORE trigger of another row may do.
 */
extern void store_check_triggers(ItemStore *store, const ItemKey *key,
								 const StoreRow *row);

/* Gives up the lock of a key that has no row, if it is held. */
extern void store_unlock_absent_key(ItemStore *store, const ItemKey *key,
									StoreRow *row);

/* Waits for a transaction that is making or deleting the row of a key. */
extern void store_await_key(ItemStore *store, const ItemKey *key,
							StoreWait *wait);

/* Locks the hash of a name of any kind to the end of the transaction. */
extern void store_lock_name(uint64 hash, StoreWait *wait);

/*
 * Locks the propagation of a table's changes to its indexes, to the end of the
 * transaction; false when it would have to wait and must not.
 */
extern bool store_lock_propagation(Oid table, bool wait);

/*
 * Around a wait: bounds it by what is left; complains when nothing is.
 * store_wait_bound() is for what may wait but need not.
 */
extern int	store_wait_begin(StoreWait *wait);
extern int	store_wait_bound(StoreWait *wait);
extern void store_wait_end(int nest);

/* prototypes for functions in store_write.c */

/*
 * Does nothing of users' (triggers, further columns, constraints, indexes)
 * take part in changes of the leaf that the store is at?
 */
extern bool store_is_simple(const ItemStore *store);

/*
 * Inserts a row.  Returns false, with nothing stored, when a row of this key
 * has appeared meanwhile (a transaction that is inserting it is waited for):
 * the caller begins again with store_lock().
 */
pg_nodiscard extern bool store_insert(ItemStore *store, const ItemKey *key,
									  const ItemData *attributes);

/* The same, but it does not wait before it returns false. */
pg_nodiscard extern bool store_try_insert(ItemStore *store,
										  const ItemKey *key,
										  const ItemData *attributes);

/*
 * Several insertions that succeed or fail together, without a subtransaction,
 * for stores that are simple.  A row is claimed in its table and key index;
 * others who meet it wait.  store_claim() returns false when a row of the key
 * is there.  store_claims_end() makes all claims rows, or takes all of them
 * back without a trace, and must follow at once.
 */
extern void store_claims_begin(StoreClaims *claims);
pg_nodiscard extern bool store_claim(StoreClaims *claims, ItemStore *store,
									 const ItemKey *key,
									 const ItemData *attributes);
extern void store_claims_end(StoreClaims *claims, bool keep);

/*
 * Replaces the attributes of a row that store_lock() found; user columns are
 * kept.  Returns false, with nothing stored, when the row has been changed
 * since: the caller begins again with store_lock().
 */
pg_nodiscard extern bool store_update(ItemStore *store, const ItemKey *key,
									  StoreRow *row,
									  const ItemData *attributes);

/* Deletes a row that store_lock() found; result as in store_update(). */
pg_nodiscard extern bool store_delete(ItemStore *store, const ItemKey *key,
									  StoreRow *row);

/* prototypes for functions in store_move.c */
typedef struct StoreMover StoreMover;

extern StoreMover *store_mover_begin(ItemStore *store);
pg_nodiscard extern bool store_move(StoreMover *mover, StoreRow *row,
									Datum pk);
extern void store_mover_end(StoreMover *mover);

/* prototypes for functions in store_trigger.c */

/*
 * Told of each changed row, whoever changes it, at the end of its insert,
 * update or delete.  A change of its key is a deletion and an insertion.
 */
typedef void (*StoreChangeCallback) (const StoreChange *change);

extern void store_register_change_callback(StoreChangeCallback callback);

/* Told of TRUNCATE of a table, or of some of its partitions, once for each. */
typedef void (*StoreTruncateCallback) (const ItemTable *table);

extern void store_register_truncate_callback(StoreTruncateCallback callback);

/*
 * Told that a statement of plain SQL on a table or partition begins, and that
 * all its changes of rows have been told, where there are statement triggers.
 */
typedef void (*StoreStatementCallback) (const ItemTable *table, Oid relid,
										bool begins);

extern void store_register_statement_callback(StoreStatementCallback callback);

/* prototypes for functions in store_index.c */
extern ItemType store_index_key_type(const ItemIndex *index, int part);
extern Oid	store_index_relid(const ItemTable *table, const ItemIndex *index);
extern bool store_index_of_relation(Relation rel, StoreIndex *store);
extern void store_index_open(const ItemTable *table, const ItemIndex *index,
							 LOCKMODE lockmode, StoreIndex *store);
extern void store_index_set_columns(StoreIndex *store);
extern void store_index_close(StoreIndex *store);
extern void store_index_row(const StoreIndex *store, TupleTableSlot *slot,
							ItemRow *row);
extern void store_index_base_key(const StoreIndex *store,
								 TupleTableSlot *slot, ItemKey *key);
extern void store_index_key(const StoreIndex *store, TupleTableSlot *slot,
							ItemKey *key);

/* The column of the index's partition key for an item's entry. */
extern Datum store_index_stored_pk(const ItemIndex *index, ItemRef pk,
								   int64 digest);

/* prototypes for functions in store_relation.c */
extern void store_relation_get(Relation rel, const ItemTable *table,
							   StoreRelation *info);

/* prototypes for functions in store_local.c */

/* The index that a local index is, at the leaf that the store has come to. */
extern Oid	store_local_index(const ItemStore *store, const ItemIndex *index);
extern AttrNumber store_local_column(const ItemStore *store,
									 const ItemIndex *index);
extern Oid	store_index_operator(Relation index, int column, Oid type,
								 StrategyNumber strategy);
extern void store_init(void);

#endif							/* PT_STORE_H */
