/*
 * scan_range.c
 *	  Rows of an item table in index order, as a sequence of index ranges.
 *
 * One partition key is one range: pk = ?, with bounds on sk.  A whole table,
 * or a segment of it, is one range per leaf.  A scan that goes on after a
 * start key first reads the rest of that key's partition, then what lies
 * beyond the partition in hash order, then the other leaves.  In a local index
 * the rest of a partition begins with the start key's equals.  The ranges are
 * opened one after the other, so that memory, locks and pins do not depend on
 * how much is read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "scan/scan.h"

typedef enum RangeKind
{
	RANGE_TIES,					/* local index: sort key equal to the start's */
	RANGE_PARTITION,			/* one partition key */
	RANGE_BEYOND,				/* the leaf, after the start key's partition */
	RANGE_LEAF,					/* all of the leaf */
	RANGE_NONE					/* the end */
} RangeKind;

/* pk equal; sk above, below, after the start key */
#define MAX_SCAN_KEYS	4

struct ItemScan
{
	MemoryContext context;		/* holds the scan itself */
	ItemStore  *store;
	const ItemIndex *index;		/* local index; NULL: the key index */
	Snapshot	snapshot;
	ScanDirection direction;

	/* what to read; keys are copies */
	bool		single;			/* one partition key only */
	ItemKey		pk;				/* the one that RANGE_PARTITION reads */
	KeyRange	range;
	bool		has_start;
	ItemKey		start;
	Datum		start_sort;		/* its sort key in the index */
	int32		segment;
	int32		total_segments;

	/* where we are */
	RangeKind	kind;
	List	   *leaves;			/* in the order of reading */
	int			leaf;
	Relation	index_rel;		/* of the current leaf */
	IndexScanDesc desc;			/* NULL: the range is not open */
	TupleTableSlot *slot;		/* of the current leaf */
};

static void copy_spec(ItemScan *scan, const ScanSpec *spec);
static void copy_key(const ItemKey *from, ItemKey *to);
static void copy_bound(const KeyBound *from, KeyBound *to);
static void range_first(ItemScan *scan, const ScanSpec *spec);
static RangeKind partition_rest(const ItemScan *scan);
static int	leaf_position(ItemScan *scan, Oid relid);
static void range_next(ItemScan *scan);
static void range_open(ItemScan *scan);
static void range_close(ItemScan *scan);
static int	tie_keys(ItemScan *scan, ScanKey keys);
static int	partition_keys(ItemScan *scan, ScanKey keys);
static void pk_key(ItemScan *scan, ScanKey key);
static int	leaf_keys(ItemScan *scan, ScanKey keys);
static void bound_key(ItemScan *scan, ScanKey key, int column, Oid subtype,
					  StrategyNumber strategy, Datum value);

ItemScan *
scan_begin(const ScanSpec *spec, Snapshot snapshot)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "item scan",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ItemScan   *scan = palloc0(sizeof(ItemScan));

	scan->context = context;
	if (spec->index != NULL &&
		strcmp(spec->index->column_name, META_SK_COLUMN) != 0)
		scan->index = spec->index;
	scan->direction = spec->forward ? ForwardScanDirection :
		BackwardScanDirection;
	copy_spec(scan, spec);
	scan->store = store_open(spec->table, spec->pk != NULL ? &scan->pk : NULL,
							 ACL_SELECT);
	range_first(scan, spec);
	scan->snapshot = RegisterSnapshot(snapshot);
	MemoryContextSwitchTo(old);
	return scan;
}

static void
copy_spec(ItemScan *scan, const ScanSpec *spec)
{
	scan->single = spec->pk != NULL;
	if (scan->single)
	{
		scan->pk.n = 1;
		scan->pk.datums[0] = key_datum_from_ref(spec->pk->refs[0]);
		copy_bound(&spec->range.lower, &scan->range.lower);
		copy_bound(&spec->range.upper, &scan->range.upper);
	}
	scan->has_start = spec->start_key != NULL;
	if (scan->has_start)
		copy_key(spec->start_key, &scan->start);
	if (scan->has_start && scan->index != NULL)
		scan->start_sort = key_datum_from_ref(spec->start_sort);
	scan->segment = spec->segment;
	scan->total_segments = spec->total_segments;
}

/* The column values alone: those are what ranges are made of. */
static void
copy_key(const ItemKey *from, ItemKey *to)
{
	to->n = from->n;
	for (int i = 0; i < from->n; i++)
		to->datums[i] = key_datum_from_ref(from->refs[i]);
}

static void
copy_bound(const KeyBound *from, KeyBound *to)
{
	to->present = from->present;
	to->inclusive = from->inclusive;
	if (from->present)
		to->datum = key_datum_from_ref(from->ref);
}

static void
range_first(ItemScan *scan, const ScanSpec *spec)
{
	bool		has_sk = spec->table->schema.n > 1;

	if (scan->single)
	{
		/* without a sort key nothing of a partition follows its one row */
		scan->kind = !scan->has_start ? RANGE_PARTITION :
			has_sk ? partition_rest(scan) : RANGE_NONE;
		return;
	}

	scan->leaves = store_leaves(scan->store);
	if (!spec->forward)
	{
		List	   *reversed = NIL;
		ListCell   *lc;

		foreach(lc, scan->leaves)
			reversed = lcons_oid(lfirst_oid(lc), reversed);
		scan->leaves = reversed;
	}
	if (!scan->has_start)
	{
		scan->kind = scan->leaves == NIL ? RANGE_NONE : RANGE_LEAF;
		return;
	}

	if (spec->total_segments > 0 &&
		!key_segment_contains(spec->segment, spec->total_segments,
							  key_hash_ref(spec->start_key->refs[0])))
		elog(ERROR, "start key is not in segment %d of %d",
			 spec->segment, spec->total_segments);
	store_route(scan->store, &scan->start);
	scan->leaf = leaf_position(scan, RelationGetRelid(scan->store->rel));
	scan->pk = scan->start;
	scan->kind = has_sk ? partition_rest(scan) : RANGE_BEYOND;
}

/* How the rest of the start key's partition begins. */
static RangeKind
partition_rest(const ItemScan *scan)
{
	return scan->index != NULL ? RANGE_TIES : RANGE_PARTITION;
}

static int
leaf_position(ItemScan *scan, Oid relid)
{
	int			position = 0;
	ListCell   *lc;

	foreach(lc, scan->leaves)
	{
		if (lfirst_oid(lc) == relid)
			return position;
		position++;
	}
	elog(ERROR, "relation %u is no leaf of the item table", relid);
}

bool
scan_next(ItemScan *scan, StoreRow *row)
{
	for (;;)
	{
		MemoryContext old;
		bool		found;

		CHECK_FOR_INTERRUPTS();
		if (scan->kind == RANGE_NONE)
		{
			row->exists = false;
			return false;
		}
		old = MemoryContextSwitchTo(scan->context);
		if (scan->desc == NULL)
			range_open(scan);
		found = index_getnext_slot(scan->desc, scan->direction, scan->slot);
		if (!found)
		{
			range_close(scan);
			range_next(scan);
		}
		MemoryContextSwitchTo(old);
		if (found)
			break;
	}
	row->slot = scan->slot;
	store_row_from_slot(scan->store, row);
	return true;
}

static void
range_next(ItemScan *scan)
{
	if (scan->kind == RANGE_TIES)
		scan->kind = RANGE_PARTITION;
	else if (scan->single)
		scan->kind = RANGE_NONE;
	else if (scan->kind == RANGE_PARTITION)
		scan->kind = RANGE_BEYOND;
	else
	{
		scan->leaf++;
		scan->kind = scan->leaf < list_length(scan->leaves) ?
			RANGE_LEAF : RANGE_NONE;
	}
}

static void
range_open(ItemScan *scan)
{
	ItemStore  *store = scan->store;
	ScanKeyData keys[MAX_SCAN_KEYS];
	int			nkeys;

	if (!scan->single)
		store_enter_leaf(store, list_nth_oid(scan->leaves, scan->leaf));
	scan->index_rel = index_open(scan->index == NULL ?
								 store->relation.key_index :
								 store_local_index(store, scan->index),
								 AccessShareLock);
	nkeys = scan->kind == RANGE_TIES ? tie_keys(scan, keys) :
		scan->kind == RANGE_PARTITION ? partition_keys(scan, keys) :
		leaf_keys(scan, keys);
	scan->slot = table_slot_create(store->rel, NULL);
	scan->desc = compat_index_beginscan(store->rel, scan->index_rel,
										scan->snapshot, nkeys);
	index_rescan(scan->desc, keys, nkeys, NULL, 0);
}

static void
range_close(ItemScan *scan)
{
	if (scan->desc == NULL)
		return;
	index_endscan(scan->desc);
	index_close(scan->index_rel, NoLock);
	scan->desc = NULL;
	ExecDropSingleTupleTableSlot(scan->slot);
	scan->slot = NULL;
}

/* pk = ?, the sort key of the start, and sk after the start key. */
static int
tie_keys(ItemScan *scan, ScanKey keys)
{
	pk_key(scan, &keys[0]);
	bound_key(scan, &keys[1], 1, InvalidOid, BTEqualStrategyNumber,
			  scan->start_sort);
	bound_key(scan, &keys[2], 2, InvalidOid,
			  ScanDirectionIsForward(scan->direction) ?
			  BTGreaterStrategyNumber : BTLessStrategyNumber,
			  scan->start.datums[1]);
	return 3;
}

/* pk = ?, the bounds on the sort key, and sort keys after the start key's. */
static int
partition_keys(ItemScan *scan, ScanKey keys)
{
	const KeyBound *lower = &scan->range.lower;
	const KeyBound *upper = &scan->range.upper;
	int			n = 0;

	pk_key(scan, &keys[n++]);
	if (scan->store->table->schema.n == 1)
		return n;

	if (lower->present)
		bound_key(scan, &keys[n++], 1, InvalidOid,
				  lower->inclusive ? BTGreaterEqualStrategyNumber :
				  BTGreaterStrategyNumber, lower->datum);
	if (upper->present)
		bound_key(scan, &keys[n++], 1, InvalidOid,
				  upper->inclusive ? BTLessEqualStrategyNumber :
				  BTLessStrategyNumber, upper->datum);
	if (scan->has_start)
		bound_key(scan, &keys[n++], 1, InvalidOid,
				  ScanDirectionIsForward(scan->direction) ?
				  BTGreaterStrategyNumber : BTLessStrategyNumber,
				  scan->index != NULL ? scan->start_sort :
				  scan->start.datums[1]);
	return n;
}

static void
pk_key(ItemScan *scan, ScanKey key)
{
	if (scan->index != NULL)
	{
		bound_key(scan, key, 0, InvalidOid, BTEqualStrategyNumber,
				  scan->pk.datums[0]);
		return;
	}
	*key = scan->store->relation.equal_keys[0];
	key->sk_argument = scan->pk.datums[0];
}

/*
 * Bounds of the segment, of which the start key replaces the one on its own
 * side: it is the tighter one, and an index scan that is given both may begin
 * at the looser.
 */
static int
leaf_keys(ItemScan *scan, ScanKey keys)
{
	bool		forward = ScanDirectionIsForward(scan->direction);
	bool		beyond = scan->kind == RANGE_BEYOND;
	bool		has_upper = false;
	int32		lower;
	int32		upper;
	int			n = 0;

	if (beyond)
		bound_key(scan, &keys[n++], 0, InvalidOid,
				  forward ? BTGreaterStrategyNumber : BTLessStrategyNumber,
				  scan->start.datums[0]);
	if (scan->total_segments == 0)
		return n;

	key_segment_bounds(scan->segment, scan->total_segments, &lower,
					   &has_upper, &upper);
	if (!(beyond && forward))
		bound_key(scan, &keys[n++], 0, INT4OID, BTGreaterEqualStrategyNumber,
				  Int32GetDatum(lower));
	if (has_upper && !(beyond && !forward))
		bound_key(scan, &keys[n++], 0, INT4OID, BTLessStrategyNumber,
				  Int32GetDatum(upper));
	return n;
}

/*
 * A scan key "column operator value"; subtype is the value's type, InvalidOid
 * when it is the column's own.
 */
static void
bound_key(ItemScan *scan, ScanKey key, int column, Oid subtype,
		  StrategyNumber strategy, Datum value)
{
	Relation	index = scan->index_rel;
	Oid			type = OidIsValid(subtype) ? subtype :
		index->rd_opcintype[column];

	ScanKeyEntryInitialize(key, 0, column + 1, strategy, subtype,
						   index->rd_indcollation[column],
						   store_index_operator(index, column, type, strategy),
						   value);
}

void
scan_end(ItemScan *scan)
{
	range_close(scan);
	UnregisterSnapshot(scan->snapshot);
	store_close(scan->store);
	MemoryContextDelete(scan->context);
}
