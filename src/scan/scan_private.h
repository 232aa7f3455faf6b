/*
 * scan_private.h
 *	  What the files of scan/ share.
 */
#ifndef PT_SCAN_PRIVATE_H
#define PT_SCAN_PRIVATE_H

#include "access/genam.h"
#include "access/sdir.h"

#include "scan/scan.h"

typedef enum RangeKind
{
	RANGE_TIES,					/* keys in the index equal to the start's */
	RANGE_PARTITION,			/* one partition key */
	RANGE_BEYOND,				/* the leaf, after the start key's partition */
	RANGE_LEAF,					/* all of the leaf */
	RANGE_NONE					/* the end */
} RangeKind;

/* One of several entries that the index does not tell apart, copied. */
typedef struct TiedEntry
{
	ItemKey		base;			/* the item's key */
	TupleTableSlot *slot;
} TiedEntry;

struct ItemScan
{
	MemoryContext context;		/* holds the scan itself */
	ItemStore  *store;
	const ItemIndex *local;		/* local index; NULL: the key index */
	bool		global;			/* read entries instead */
	StoreIndex	entries;
	bool		has_sort;		/* the index has a sort key */
	bool		has_tie;		/* and a column more for equal keys */
	Snapshot	snapshot;
	ScanDirection direction;

	/* what to read; keys are copies */
	bool		single;			/* one partition key only */
	ItemKey		pk;				/* the one that RANGE_PARTITION reads */
	KeyRange	range;
	bool		has_start;
	Datum		start_pk;		/* what it is in the index */
	Datum		start_sort;
	Datum		start_tie;
	ItemKey		start_base;		/* global: the item's key */
	int32		segment;
	int32		total_segments;

	/* where we are */
	RangeKind	kind;
	List	   *leaves;			/* in the order of reading */
	int			leaf;
	Relation	index_rel;		/* of the current leaf */
	IndexScanDesc desc;			/* NULL: the range is not open */
	bool		in_ties;		/* what was read last is of RANGE_TIES */
	TupleTableSlot *slot;		/* of the current leaf */

	/* global, with has_tie: the entry before is kept until the next is seen */
	TupleTableSlot *other_slot;
	bool		has_ahead;		/* slot has an entry not yielded yet */
	TiedEntry  *tied;
	int			ntied;
	int			next_tied;
};

/* prototypes for functions in scan_range.c */
extern bool scan_fetch(ItemScan *scan);

/* prototypes for functions in scan_ties.c */
extern TupleTableSlot *scan_next_entry(ItemScan *scan);
extern void scan_forget_tied(ItemScan *scan);

#endif							/* PT_SCAN_PRIVATE_H */
