/*
 * store.h
 *	  Rows of item tables: find, lock, insert, replace, delete, by the table
 *	  and index access methods.
 *
 * store_open() is the one resolver: every access to the rows of an item
 * table starts there and nothing else calls table_open() on an item table.
 * It checks what the executor would have checked (privileges, row security,
 * rules, recovery, read-only transactions), on every call.
 */
#ifndef PT_STORE_H
#define PT_STORE_H

#include "executor/tuptable.h"
#include "nodes/parsenodes.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "item/item.h"
#include "key/key.h"
#include "meta/meta.h"

/* An item table opened for one call: the named table, or the leaf for a key. */
typedef struct ItemStore
{
	const ItemTable *table;
	Relation	rel;			/* a relation with storage */
	Relation	key_index;		/* its unique index on (pk [, sk]) */
	struct StoreWriteState *write;	/* made by the first write */
} ItemStore;

/*
 * A row as stored.  The parts point into the slot or into memory of the
 * caller's context; they are valid until the next fetch into the same row.
 */
typedef struct StoreRow
{
	bool		exists;
	TupleTableSlot *slot;
	ItemRow		row;			/* keys and attributes, for expressions */
} StoreRow;

/*
 * Opens a table for one key.  access is ACL_SELECT, or a combination of
 * ACL_INSERT, ACL_UPDATE, ACL_DELETE, ACL_SELECT for writers; all of it is
 * required on the named table.  Lock: AccessShareLock for readers,
 * RowExclusiveLock for writers, held to the end of the transaction.
 */
extern ItemStore *store_open(const ItemTable *table, const ItemKey *key,
							 AclMode access);
extern void store_close(ItemStore *store);

/* Point read under a snapshot. */
extern bool store_fetch(ItemStore *store, const ItemKey *key,
						Snapshot snapshot, StoreRow *row);

/*
 * Locks the latest version of the row of this key for update, waiting for
 * concurrent writers; row->exists is false when there is none.  At REPEATABLE
 * READ and above, a row changed since the snapshot is
 * serialization_failure.
 */
extern void store_lock(ItemStore *store, const ItemKey *key, StoreRow *row);

/*
 * Inserts a row.  Returns false, with nothing stored, when a row of this key
 * has appeared meanwhile: the caller begins again with store_lock().
 */
extern bool store_insert(ItemStore *store, const ItemKey *key,
						 const ItemData *attributes);

/* Replaces the attributes of a locked row; user columns are kept. */
extern void store_update(ItemStore *store, const ItemKey *key, StoreRow *row,
						 const ItemData *attributes);

/* Deletes a locked row. */
extern void store_delete(ItemStore *store, const ItemKey *key, StoreRow *row);

/* prototypes for functions in store_row.c */
extern void store_row_init(ItemStore *store, StoreRow *row);
extern void store_row_from_slot(const ItemTable *table, StoreRow *row);
extern void store_row_clear(StoreRow *row);

#endif							/* PT_STORE_H */
