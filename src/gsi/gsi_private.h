/*
 * gsi_private.h
 *	  What the files of gsi/ share.
 */
#ifndef PT_GSI_PRIVATE_H
#define PT_GSI_PRIVATE_H

#include "executor/tuptable.h"
#include "storage/block.h"
#include "utils/snapshot.h"

#include "gsi/gsi.h"
#include "store/store.h"

/* What an item is in an index: the index's key.  The parts are palloc'd. */
typedef struct GsiEntry
{
	ItemKey		key;			/* columns pk [, sk] */
	ItemRef		values[2 * LIMIT_INDEX_KEYS];	/* of the key attributes */
} GsiEntry;

/* The entry of an item that a change has made wrong. */
typedef struct GsiStale
{
	Oid			index;			/* index table */
	ItemKey		key;			/* n is 0: there was none */
} GsiStale;

#define GSI_QUEUE_HALVES	2

/* A row of the queue. */
typedef struct GsiQueued
{
	ItemPointerData tid;
	TransactionId xmin;
	Oid			table;			/* item table */
	int			nindexes;
	Oid		   *indexes;		/* index tables */
	bytea	   *change;			/* for gsi_queue_decode() */
	TimestampTz queued_at;
	bool	   *done;			/* for each index: it has followed */
	bool		applied;		/* all have */
} GsiQueued;

/* What the worker remembers of an index. */
typedef struct GsiState
{
	Oid			index;			/* index table */
	Oid			leaf;			/* that is being read; InvalidOid: none */
	Oid			file;			/* its relfilenode */
	int64		next_block;
	int64		end_block;
	int64		items_done;
	int64		items_total;
	const char *last_error;		/* NULL: none */
} GsiState;

/* Called for an entry that has been found; false: no more are wanted. */
typedef bool (*GsiVisit) (TupleTableSlot *slot, void *arg);

/* prototypes for functions in gsi_entry.c */
extern void gsi_row(const ItemTable *table, const ItemKey *key,
					ItemRef attributes, ItemRow *row);
extern bool gsi_entry_make(const ItemIndex *index, const ItemRow *row,
						   GsiEntry *entry);
extern void gsi_entry_check(const ItemTable *table, const ItemIndex *index,
							const ItemRow *row);
extern bool gsi_any_depends(const ItemTable *table,
							const ItemChanges *changes);
extern bool gsi_entry_depends(const ItemIndex *index,
							  const ItemChanges *changes);
extern bool gsi_entry_same_rest(const ItemIndex *index, const ItemRow *a,
								const ItemRow *b);
extern ItemData *gsi_entry_attributes(const ItemTable *table,
									  const ItemIndex *index,
									  const ItemRow *row,
									  const GsiEntry *entry);
extern void gsi_entry_to_slot(const StoreIndex *store, const GsiEntry *entry,
							  const ItemKey *base,
							  const ItemData *attributes,
							  TupleTableSlot *slot);

/* prototypes for functions in gsi_find.c */

/*
 * Entries of one item at one key of the index, which a snapshot sees: how
 * many; each is shown to visit, if that is given.
 */
extern int	gsi_find(const StoreIndex *store, const ItemKey *key,
					 const ItemKey *base, Snapshot snapshot,
					 TupleTableSlot *slot, GsiVisit visit, void *arg);

/* The row of an item in a relation of its table, seen by a snapshot. */
extern bool gsi_find_item(const ItemTable *table, Relation rel,
						  const ItemKey *key, Snapshot snapshot,
						  TupleTableSlot *slot, ItemRef *attributes);

/* prototypes for functions in gsi_apply.c */
extern void gsi_change(const StoreChange *change);
extern void gsi_insert_entry(const StoreIndex *store, const GsiEntry *entry,
							 const ItemKey *base, const ItemData *attributes);
extern void gsi_update_entry(const StoreIndex *store, ItemPointer tid,
							 TupleTableSlot *slot);
extern void gsi_delete_entry(const StoreIndex *store, ItemPointer tid);

extern void gsi_settle_place(const StoreIndex *store, Relation rel,
							 const ItemKey *key, const ItemKey *base,
							 bool going);
extern int	gsi_restrict_search_path(void);

/* prototypes for functions in gsi_order.c */
extern void gsi_order_init(void);
extern bool gsi_order_change(const StoreChange *change);
extern void gsi_note_place(const StoreChange *change, const ItemTable *table,
						   const ItemIndex *index, const ItemKey *key);
extern void gsi_statement(const ItemTable *table, Oid relid, bool begins);

/* prototypes for functions in gsi_build.c */
extern void gsi_truncated(const ItemTable *table);
extern void gsi_partition_changed(Oid relid, Oid partition);
extern List *gsi_leaves(const ItemTable *table, LOCKMODE lockmode);

/* prototypes for functions in gsi_items.c */

/* Called for an item that has been read. */
typedef void (*GsiItemVisit) (const ItemKey *key, const ItemRow *row,
							  void *arg);

extern void gsi_each_item_within(const ItemTable *table, Relation rel,
								 Snapshot snapshot, BlockNumber from,
								 BlockNumber end, GsiItemVisit visit,
								 void *arg);
extern void gsi_each_item(const ItemTable *table, List *leaves,
						  Snapshot snapshot, GsiItemVisit visit, void *arg);

/* prototypes for functions in gsi_queue.c */
extern Oid	gsi_queue_relid(int half);
extern void gsi_queue_add(const ItemTable *table, const ItemKey *key, int n,
						  const GsiStale *stale);
extern void gsi_queue_rest(const GsiQueued *queued);
extern bool gsi_queue_is_rest(const GsiQueued *queued);
extern bool gsi_queue_decode(const GsiQueued *queued, ItemKey *key,
							 GsiStale *stale);
extern BlockNumber gsi_queue_blocks(int half);
extern List *gsi_queue_read(int half, BlockNumber from, BlockNumber end,
							int limit, Snapshot snapshot, BlockNumber *next);
extern void gsi_queue_remove(int half, const List *rows);
extern bool gsi_queue_truncate(int half, TransactionId applied_by);

/* prototypes for functions in gsi_propagate.c */

/* What has come of a row of the queue. */
typedef enum GsiOutcome
{
	GSI_APPLIED,				/* or there is nothing that it concerns */
	GSI_LOCKED,					/* others are at the table; later */
	GSI_FAILING,				/* an index has failed a while ago; later */
	GSI_NOT_READY				/* a restore is not complete; later */
} GsiOutcome;

/* Applies rows, all within one transaction; see gsi_propagate.c. */
typedef struct GsiPropagation GsiPropagation;

extern GsiPropagation *gsi_propagate_begin(bool wait);
extern GsiOutcome gsi_propagate_open(GsiPropagation *state, Oid relid,
									 Oid index_relid, const ItemTable **table,
									 const ItemIndex **index);
extern GsiOutcome gsi_propagate(GsiPropagation *state, GsiQueued *queued,
								int only);
extern GsiOutcome gsi_propagate_blocks(GsiPropagation *state, Oid relid,
									   Oid index_relid, Oid leaf,
									   BlockNumber from, BlockNumber end,
									   int64 *items);
extern void gsi_propagate_end(GsiPropagation *state);

/* prototypes for functions in gsi_worker.c */
extern void gsi_propagate_later(const ItemTable *table, const ItemKey *key,
								int n, const GsiStale *stale);
extern int	gsi_queue_current(void);
extern bool gsi_worker_is_failing(Oid index);
extern bool gsi_worker_note_error(Oid table, Oid index, const char *error);
extern void gsi_worker_init(void);

/* prototypes for functions in gsi_online.c */
extern Oid	gsi_create_online(const ItemTable *table, ItemIndex *index);
extern int	gsi_online_run(uint64 run);

/* prototypes for functions in gsi_state.c */
extern void gsi_state_get(Oid index, GsiState *state);
extern void gsi_state_put(const GsiState *state);
extern void gsi_state_forget(Oid index);
extern void gsi_state_clean(void);

/* prototypes for functions in gsi_flush.c */
extern void gsi_apply_now(const ItemTable *table);

/* prototypes for functions in gsi_guard.c */
extern void gsi_truncate(Relation rel);

#endif							/* PT_GSI_PRIVATE_H */
