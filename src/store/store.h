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
#include "executor/tuptable.h"
#include "nodes/parsenodes.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "item/item.h"
#include "key/key.h"
#include "meta/meta.h"

/* Facts about one relation with storage, cached per backend by OID. */
typedef struct StoreRelation
{
	Oid			relid;
	bool		plain;			/* nothing but the key index takes part in a
								 * write: no further columns, constraints or
								 * indexes (triggers are looked at apart) */
	Oid			key_index;
	AttrNumber	key_attnums[KEY_MAX_ATTRIBUTES];
	AttrNumber	attributes_attnum;
	AttrNumber	last_attnum;	/* the highest of these */
	ScanKeyData equal_keys[KEY_MAX_ATTRIBUTES]; /* "=" without arguments */
} StoreRelation;

/* An item table opened for one call, at the named table's leaf for a key. */
typedef struct ItemStore
{
	const ItemTable *table;
	AclMode		access;
	Relation	named;			/* what the privileges were checked on */
	Relation	rel;			/* a relation with storage; NULL before
								 * store_route() or store_enter_leaf() */
	Relation	key_index;		/* its unique index on (pk [, sk]) */
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
	TupleTableSlot *slot;
	ItemRow		row;			/* keys and attributes, for expressions */
} StoreRow;

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

/* Goes on with another key of the same table; rows must be re-initialised. */
extern void store_route(ItemStore *store, const ItemKey *key);

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

/* prototypes for functions in store_write.c */

/*
 * Inserts a row.  Returns false, with nothing stored, when a row of this key
 * has appeared meanwhile (a transaction that is inserting it is waited for):
 * the caller begins again with store_lock().
 */
pg_nodiscard extern bool store_insert(ItemStore *store, const ItemKey *key,
									  const ItemData *attributes);

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

/* prototypes for functions in store_trigger.c */

/*
 * Told of each changed row at the end of its insert, update or delete.
 * old_row and new_attributes are NULL where there is none.
 */
typedef void (*StoreChangeCallback) (ItemStore *store, const ItemKey *key,
									 const StoreRow *old_row,
									 const ItemData *new_attributes);

extern void store_register_change_callback(StoreChangeCallback callback);
extern void store_row_changed(ItemStore *store, const ItemKey *key,
							  const StoreRow *old_row,
							  const ItemData *new_attributes);

/* prototypes for functions in store_relation.c */
extern void store_relation_get(Relation rel, const KeySchema *schema,
							   StoreRelation *info);
extern Oid	store_index_operator(Relation index, int column, Oid type,
								 StrategyNumber strategy);
extern void store_init(void);

#endif							/* PT_STORE_H */
