/*
 * scan.h
 *	  Ordered reading of item tables through the key index.
 *
 * Order is that of the index: by hash of the partition key, partition key,
 * sort key; or exactly the reverse.  A hash-partitioned table is read
 * partition by partition.
 */
#ifndef PT_SCAN_H
#define PT_SCAN_H

#include "store/store.h"

typedef struct ScanSpec
{
	const ItemTable *table;
	const ItemKey *pk;			/* NULL: the whole table; only part 0 is used */
	KeyRange	range;			/* sort key bounds within pk */
	bool		forward;
	const ItemKey *start_key;	/* rows strictly after it, or NULL */
	int32		segment;		/* of total_segments; 0 of 0: no segments */
	int32		total_segments;
} ScanSpec;

typedef struct ItemScan ItemScan;

/*
 * Starts a scan under a registered snapshot, which must outlive it.  The
 * state lives in the current memory context; relations stay open, buffers
 * may stay pinned between calls, until scan_end(), which an error makes
 * unnecessary.
 */
extern ItemScan *scan_begin(const ScanSpec *spec, Snapshot snapshot);
extern bool scan_next(ItemScan *scan, StoreRow *row);
extern void scan_end(ItemScan *scan);

#endif							/* PT_SCAN_H */
