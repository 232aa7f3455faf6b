/*
 * store_private.h
 *	  What the files of store/ share among themselves.
 *
 * store_write.c changes rows by the table and index access methods alone
 * while nothing else has a say; as soon as triggers, constraints, further
 * columns or indexes do, it hands over to store_executor.c.
 */
#ifndef PT_STORE_PRIVATE_H
#define PT_STORE_PRIVATE_H

#include "access/tableam.h"
#include "storage/lockdefs.h"

#include "store/store.h"

#define STORE_WRITES	(ACL_INSERT | ACL_UPDATE | ACL_DELETE)

#define STORE_LOCKMODE(store) \
	(((store)->access & STORE_WRITES) != 0 ? RowExclusiveLock : \
	 (store)->locks_rows ? RowShareLock : AccessShareLock)

/* prototypes for functions in store_open.c */
extern List *store_range_table(const ItemStore *store, List **permissions);

typedef enum StoreProbeResult
{
	STORE_FOUND,
	STORE_NOT_SEEN,				/* no row that the snapshot sees */
	STORE_NO_ENTRY				/* no row of any kind */
} StoreProbeResult;

/* prototypes for functions in store_probe.c */
extern bool store_probe(ItemStore *store, const ItemKey *key,
						Snapshot snapshot, TupleTableSlot *slot);
extern StoreProbeResult store_probe_stored(ItemStore *store,
										   const ItemKey *key,
										   Snapshot snapshot,
										   TupleTableSlot *slot);
extern StoreProbeResult store_probe_key(ItemStore *store, const ItemKey *key,
										Snapshot snapshot,
										TupleTableSlot *slot);
extern bool store_still_no_entry(ItemStore *store);

/* prototypes for functions in store_entry.c */
struct BTScanInsertData;
extern int	store_entry_compare(ItemStore *store, const ItemKey *key,
								struct BTScanInsertData *search, Page page,
								OffsetNumber offset);
extern OffsetNumber store_entry_search(ItemStore *store, const ItemKey *key,
									   struct BTScanInsertData *search,
									   Page page, OffsetNumber *greater);

/* prototypes for functions in store_shard.c */

extern const ItemKey *store_key_to_insert(const ItemStore *store,
										  const ItemKey *key,
										  const ItemData *attributes,
										  ItemKey *placed);
extern const ItemKey *store_key_of_row(const ItemStore *store,
									   const ItemKey *key,
									   const StoreRow *row, ItemKey *placed);
extern const ItemKey *store_key_to_probe(const ItemTable *table,
										 const ItemKey *key, bool former,
										 ItemKey *placed);
extern StoreProbeResult store_probe_shards(ItemStore *store,
										   const ItemKey *key,
										   Snapshot snapshot,
										   TupleTableSlot *slot);
extern void store_shard_check_new(const ItemTable *table, Relation rel,
								  const ItemKey *key);

/* prototypes for functions in store_row.c */
extern StoreProbeResult store_row_probe(ItemStore *store, const ItemKey *key,
										Snapshot snapshot, StoreRow *row);
extern void store_row_from_key(const ItemStore *store, const ItemKey *key,
							   StoreRow *row);
extern void store_check_unchanged(ItemStore *store, const ItemKey *key,
								  const StoreRow *row);
extern void store_check_own_row(ItemStore *store, const ItemKey *key,
								TupleTableSlot *slot);
extern bool store_judge_lock(TM_Result result);
extern void store_own_change(void);
extern void store_triggered_change(void);
extern void store_serialization_failure(TM_Result result);

/* prototypes for functions in store_conflict.c */
extern void store_conflict_init(void);

/* prototypes for functions in store_keylock.c */
extern void store_keylock_init(void);
extern bool store_keylock_enter(const ItemTable *table, const ItemKey *key);
extern void store_keylock_leave(const ItemTable *table, const ItemKey *key,
								bool locked);
extern void store_keylock_pass(const ItemTable *table, const ItemKey *key);

/* prototypes for functions in store_write.c */
extern void store_writes_begin(ItemStore *store);
extern uint32 store_speculate(ItemStore *store, TupleTableSlot *slot);
extern void store_speculate_end(ItemStore *store, TupleTableSlot *slot,
								uint32 token, bool succeeded);
extern bool store_presumes_absent(const ItemStore *store);
extern void store_wait_for_key(ItemStore *store, const ItemKey *key);
extern bool store_judge(ItemStore *store, TM_Result result,
						const TM_FailureData *failure, CommandId cid);

/* prototypes for functions in store_executor.c */
extern void store_executor_begin(ItemStore *store);
extern void store_executor_enter(ItemStore *store);
extern void store_executor_end(ItemStore *store);
extern bool store_executor_locks(const ItemStore *store);
extern bool store_executor_insert(ItemStore *store, const ItemKey *key,
								  const ItemData *attributes);
extern bool store_executor_update(ItemStore *store, const ItemKey *key,
								  StoreRow *row, const ItemData *attributes);
extern bool store_executor_delete(ItemStore *store, const ItemKey *key,
								  StoreRow *row);

/* prototypes for functions in store_relation.c */
extern AttrNumber store_column_find(Relation rel, const char *name, Oid type);

/* prototypes for functions in store_local.c */
extern void store_locals_fill(Relation rel, const ItemTable *table,
							  StoreRelation *info);
extern bool store_generated_are_ours(Relation rel, const StoreRelation *info);
extern int	store_locals_indexes(const StoreRelation *info);
extern void store_locals_set(ItemStore *store, const ItemKey *key,
							 const ItemData *attributes,
							 TupleTableSlot *slot);
extern void store_locals_check(ItemStore *store, TupleTableSlot *slot);
extern void store_locals_insert(ItemStore *store, const ItemKey *key,
								TupleTableSlot *slot, StoreRow *old_row);
extern bool store_is_hash_order(Oid opfamily, Oid type);

/* prototypes for functions in store_trigger.c */
extern void store_row_of_key(const ItemTable *table, const ItemKey *key,
							 ItemRow *row);
extern bool store_user_triggers(Relation rel);
extern void store_check_indexed(const ItemTable *table, const ItemKey *key,
								ItemRef attributes);
extern void store_row_changed(ItemStore *store, const ItemKey *key,
							  const StoreRow *old_row,
							  const ItemData *new_attributes);

#endif							/* PT_STORE_PRIVATE_H */
