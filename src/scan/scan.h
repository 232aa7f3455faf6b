/*
 * scan.h
 *	  Ordered reading of item tables through the key index or a secondary
 *	  index.
 *
 * Order is that of the index: by hash of the partition key, partition key,
 * sort key, and after that, in a local index, the table's own sort key, in a
 * global one a digest of the table's key and that key; or exactly the reverse.
 * A hash-partitioned table is read partition by partition, but its global
 * indexes, which are tables of their own, are not.
 */
#ifndef PT_SCAN_H
#define PT_SCAN_H

#include "nodes/pathnodes.h"

#include "store/store.h"

typedef struct ScanSpec
{
	const ItemTable *table;
	const ItemIndex *index;		/* NULL: the table itself */
	const ItemKey *pk;			/* NULL: the whole table; only part 0 is used */
	int			npks;			/* of an array of several; 0 is one */
	bool		empty;			/* of an array of none */
	KeyRange	range;			/* sort key bounds within pk */
	bool		forward;
	const ItemKey *start_key;	/* rows strictly after it in this direction, or
								 * NULL; must lie in pk or in the segment */
	bool		stored;			/* the whole table in the order of the key
								 * index; the start key is as it is stored */
	ItemRef		start_pk;		/* with a global index: partition key there */
	ItemRef		start_sort;		/* with index: sort key there of start_key */
	int32		segment;		/* of total_segments; 0 of 0: no segments */
	int32		total_segments;
} ScanSpec;

typedef struct ItemScan ItemScan;

/*
 * Starts a scan under a snapshot, which the scan registers.  SELECT is
 * required on the table.  The state lives in a child of the current memory
 * context; relations stay open and buffers may stay pinned between calls,
 * until scan_end(), which must run under the same resource owner, as a
 * shutdown callback of the calling node's ExprContext does.  After an error
 * the scan is just forgotten.
 */
extern ItemScan *scan_begin(const ScanSpec *spec, Snapshot snapshot);

/*
 * Next row, or false at the end.  row needs no initialising; its slot belongs
 * to the scan.  What had to be detoasted is in the current memory context,
 * which the caller resets as it likes.
 */
extern bool scan_next(ItemScan *scan, StoreRow *row);

/* Number of the shard of the row that was read last, or -1. */
extern int	scan_shard_of(const ItemScan *scan, const StoreRow *row);

/* How many shards of a partition such a scan merges; 0 when it merges none. */
extern int	scan_shards(const ScanSpec *spec);
extern void scan_end(ItemScan *scan);

/* prototypes for functions in scan_path.c */

/* Told of each function in FROM, to add paths for those that it knows. */
typedef void (*ScanFunctionPaths) (PlannerInfo *root,
								   RelOptInfo *rel,
								   RangeTblEntry *rte);

extern void scan_register_function_paths(ScanFunctionPaths callback);
extern void scan_init(void);

#endif							/* PT_SCAN_H */
