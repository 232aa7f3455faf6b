/*
 * scan_private.h
 *	  What the files of scan/ share.
 */
#ifndef PT_SCAN_PRIVATE_H
#define PT_SCAN_PRIVATE_H

#include "access/genam.h"
#include "access/sdir.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

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

/* A column that rows of one partition key are ordered by. */
typedef struct SortColumn
{
	AttrNumber	attnum;			/* of the row */
	ItemType	type;			/* 0: int8 */
} SortColumn;

/* Entries that are taken from a page before an index scan begins. */
#define SCAN_PEEK_ROWS	4

/* One sequence of index ranges. */
typedef struct RangeScan
{
	MemoryContext context;		/* that of the scan */
	ItemStore  *store;			/* at the leaf of the pk, if there is one */
	const StoreIndex *entries;	/* read these instead; NULL: rows of the table */
	const ItemIndex *local;		/* local index; NULL: the key index */
	bool		logical;		/* through the index of keys without shards */
	bool		has_sort;		/* the index has a sort key */
	bool		has_tie;		/* and a column more for equal keys */
	Snapshot	snapshot;
	ScanDirection direction;

	/* what to read; keys are as they are stored */
	bool		single;			/* one partition key only */
	Datum		pk;				/* the one that RANGE_PARTITION reads */
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
	TupleTableSlot *row;		/* has the row that was returned last */
	uint64		nread;			/* rows */

	/* before the index scan: see scan_peek.c */
	bool		peeked;
	bool		peek_complete;	/* the range has no more entries than these */
	int			npeeked;
	int			next_peeked;
	ItemPointerData peeked_tids[SCAN_PEEK_ROWS];
	struct IndexFetchTableData *fetch;

	/* global, with has_tie: the entry before is kept until the next is seen */
	TupleTableSlot *other_slot;
	bool		has_ahead;		/* slot has an entry not yielded yet */
	TiedEntry  *tied;
	int			ntied;
	int			next_tied;
} RangeScan;

/* Several of them, of one partition key each, in one order. */
typedef struct MergeScan MergeScan;

struct ItemScan
{
	MemoryContext context;		/* holds the scan itself */
	ItemStore  *store;
	bool		global;			/* entries of a global index */
	StoreIndex	entries;
	Snapshot	snapshot;
	RangeScan  *range;			/* one of these two */
	MergeScan  *merge;
	List	   *stores;			/* further ones, of the ranges of a merge */
};

/*
 * What a merge of shards can use of a query's clauses, and what it must know
 * to find it.
 */
typedef struct MergeClauses
{
	PlannerInfo *root;
	RelOptInfo *rel;
	IndexOptInfo *index;		/* the key index */
	bool		by_sort_key;	/* which decides on the shard */
	AttrNumber	sk_attnum;
	Oid			type;			/* of sk */
	Oid			opfamily;
	Oid			collation;

	Expr	   *base;			/* what shard_base(pk) is equal to */
	List	   *strategies;		/* of the bounds on sk */
	List	   *values;			/* likewise */
	List	   *used;			/* RestrictInfos that it comes from */
	List	   *enforced;		/* those of them that need not be checked */
} MergeClauses;

/* prototypes for functions in scan_clause.c */
extern bool scan_is_shard_base(Node *node, RelOptInfo *rel);
extern Expr *scan_match_shard_base(PlannerInfo *root, RelOptInfo *rel,
								   RestrictInfo *rinfo);
extern bool scan_match_clauses(MergeClauses *clauses, List *rinfos);
extern bool scan_uses_system_columns(List *rinfos);

/* prototypes for functions in scan_custom.c */
extern const CustomScanMethods scan_merge_methods;
extern void scan_custom_init(void);

/* prototypes for functions in scan_range.c */
extern RangeScan *scan_range_begin(const ItemScan *scan, ItemStore *store,
								   const ScanSpec *spec, Datum pk);
extern RangeScan *scan_range_of_partition(ItemStore *store, Snapshot snapshot,
										  Datum pk, const KeyRange *bounds,
										  bool forward);
extern bool scan_range_has_shard(const KeySharding *sharding, ItemType type,
								 const KeyRange *bounds, int shard);
extern bool scan_range_next(RangeScan *range);
extern bool scan_range_fetch(RangeScan *range);
extern void scan_range_end(RangeScan *range);
extern int	scan_range_sort(const RangeScan *range, SortColumn *columns);

/* prototypes for functions in scan_peek.c */
extern void scan_peek(RangeScan *range);
extern bool scan_peek_next(RangeScan *range);
extern void scan_peek_end(RangeScan *range);

/* prototypes for functions in scan_ties.c */
extern TupleTableSlot *scan_next_entry(RangeScan *range);
extern void scan_forget_tied(RangeScan *range);

/* prototypes for functions in scan_merge.c */
extern MergeScan *scan_merge_begin(RangeScan **ranges, int n,
								   MemoryContext context);
extern RangeScan *scan_merge_next(MergeScan *merge);
extern void scan_merge_end(MergeScan *merge);

#endif							/* PT_SCAN_PRIVATE_H */
