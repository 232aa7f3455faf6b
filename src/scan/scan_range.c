/*
 * scan_range.c
 *	  Rows of an item table in index order, as a sequence of index ranges.
 *
 * One partition key is one range: pk = ?, with bounds on sk.  A whole table,
 * or a segment of it, is one range per leaf.  A scan that goes on after a
 * start key first reads the rest of that key's partition, then what lies
 * beyond the partition in hash order, then the other leaves.  In a secondary
 * index the rest of a partition begins with the start key's equals.  The ranges
 * are opened one after the other, so that memory, locks and pins do not depend
 * on how much is read.
 *
 * A global index is one leaf, the index table, whatever the item table is.
 * Its entries pass through scan_ties.c.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "scan/scan_private.h"

/* pk equal; sk above, below, after the start key */
#define MAX_SCAN_KEYS	4

static void entries_open(ItemScan *scan, const ScanSpec *spec,
						 Snapshot snapshot);
static void copy_spec(ItemScan *scan, const ScanSpec *spec);
static void copy_start(ItemScan *scan, const ScanSpec *spec);
static void copy_bound(const KeyBound *from, KeyBound *to);
static void range_first(ItemScan *scan, const ScanSpec *spec);
static RangeKind partition_rest(const ItemScan *scan);
static int32 start_hash(const ItemScan *scan, const ScanSpec *spec);
static int	leaf_position(ItemScan *scan, Oid relid);
static void range_next(ItemScan *scan);
static void range_open(ItemScan *scan);
static Relation relation_open_leaf(ItemScan *scan);
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
	scan->global = spec->index != NULL && spec->index->global;
	if (spec->index != NULL && !scan->global &&
		strcmp(spec->index->column_name, META_SK_COLUMN) != 0)
		scan->local = spec->index;
	scan->has_sort = scan->global ? spec->index->nsort > 0 :
		spec->table->schema.n > 1;
	scan->has_tie = scan->local != NULL ||
		(scan->global && !spec->index->unique_key);
	scan->direction = spec->forward ? ForwardScanDirection :
		BackwardScanDirection;
	copy_spec(scan, spec);
	scan->store = store_open(spec->table, scan->single && !scan->global ?
							 &scan->pk : NULL, ACL_SELECT);
	if (scan->global)
		entries_open(scan, spec, snapshot);
	range_first(scan, spec);
	scan->snapshot = RegisterSnapshot(snapshot);
	MemoryContextSwitchTo(old);
	return scan;
}

/*
 * Opens the index table.  Entries that were made all at once, by one who was
 * still at it when the snapshot was taken, are not there for the snapshot,
 * though their items are: that must not pass for an empty index.
 */
static void
entries_open(ItemScan *scan, const ScanSpec *spec, Snapshot snapshot)
{
	const ItemTable *table;
	const ItemIndex *index;

	store_index_open(spec->table, spec->index, AccessShareLock,
					 &scan->entries);
	scan->other_slot = table_slot_create(scan->entries.rel, NULL);

	/* as it is now that we have the lock */
	table = meta_table(spec->table->relid);
	index = meta_index_find(table, spec->index->name, spec->index->name_len);
	if (index != NULL && TransactionIdIsNormal(index->made_by) &&
		!TransactionIdIsCurrentTransactionId(index->made_by) &&
		IsMVCCSnapshot(snapshot) &&
		XidInMVCCSnapshot(index->made_by, snapshot))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("index \"%s\" of item table \"%s\" was made after the snapshot of this query",
						index->name, table->table_name),
				 errhint("Try again, in a new transaction.")));
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
		copy_start(scan, spec);
	scan->segment = spec->segment;
	scan->total_segments = spec->total_segments;
}

/* The column values alone: those are what ranges are made of. */
static void
copy_start(ItemScan *scan, const ScanSpec *spec)
{
	const ItemKey *start = spec->start_key;

	scan->start_pk = key_datum_from_ref(scan->global ? spec->start_pk :
										start->refs[0]);
	if (scan->has_sort)
		scan->start_sort =
			key_datum_from_ref(scan->global || scan->local != NULL ?
							   spec->start_sort : start->refs[1]);
	if (scan->global)
	{
		scan->start_tie = Int64GetDatum(key_digest(start));
		key_copy(&scan->start_base, start);
	}
	else if (scan->local != NULL)
		scan->start_tie = key_datum_from_ref(start->refs[1]);
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
	if (scan->single)
	{
		scan->kind = scan->has_start ? partition_rest(scan) :
			RANGE_PARTITION;
		return;
	}

	scan->leaves = scan->global ?
		list_make1_oid(RelationGetRelid(scan->entries.rel)) :
		store_leaves(scan->store);
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
							  start_hash(scan, spec)))
		elog(ERROR, "start key is not in segment %d of %d",
			 spec->segment, spec->total_segments);
	if (!scan->global)
	{
		ItemKey		start = {.n = 1, .datums = {scan->start_pk}};

		store_route(scan->store, &start);
		scan->leaf = leaf_position(scan, RelationGetRelid(scan->store->rel));
	}
	scan->pk.n = 1;
	scan->pk.datums[0] = scan->start_pk;
	scan->kind = partition_rest(scan);
}

/*
 * How the rest of the start key's partition begins.  Where a partition has
 * one row only, nothing of it follows.
 */
static RangeKind
partition_rest(const ItemScan *scan)
{
	if (scan->has_tie)
		return RANGE_TIES;
	if (scan->has_sort)
		return RANGE_PARTITION;
	return scan->single ? RANGE_NONE : RANGE_BEYOND;
}

static int32
start_hash(const ItemScan *scan, const ScanSpec *spec)
{
	return key_hash_ref(scan->global ? spec->start_pk :
						spec->start_key->refs[0]);
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
	if (scan->global && scan->has_tie)
		row->slot = scan_next_entry(scan);
	else
		row->slot = scan_fetch(scan) ? scan->slot : NULL;
	row->exists = row->slot != NULL;
	if (!row->exists)
		return false;
	if (scan->global)
		store_index_row(&scan->entries, row->slot, &row->row);
	else
		store_row_from_slot(scan->store, row);
	return true;
}

/*
 * Reads the next row of all ranges into the slot; false at the end.
 */
bool
scan_fetch(ItemScan *scan)
{
	for (;;)
	{
		MemoryContext old;
		bool		found;

		CHECK_FOR_INTERRUPTS();
		if (scan->kind == RANGE_NONE)
			return false;
		old = MemoryContextSwitchTo(scan->context);
		if (scan->desc == NULL)
			range_open(scan);
		found = index_getnext_slot(scan->desc, scan->direction, scan->slot);
		scan->in_ties = scan->kind == RANGE_TIES;
		if (!found)
		{
			range_close(scan);
			range_next(scan);
		}
		MemoryContextSwitchTo(old);
		if (found)
			return true;
	}
}

static void
range_next(ItemScan *scan)
{
	if (scan->kind == RANGE_TIES && scan->has_sort)
		scan->kind = RANGE_PARTITION;
	else if (scan->single)
		scan->kind = RANGE_NONE;
	else if (scan->kind == RANGE_PARTITION || scan->kind == RANGE_TIES)
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
	ScanKeyData keys[MAX_SCAN_KEYS];
	int			nkeys;
	Relation	rel;

	rel = relation_open_leaf(scan);
	nkeys = scan->kind == RANGE_TIES ? tie_keys(scan, keys) :
		scan->kind == RANGE_PARTITION ? partition_keys(scan, keys) :
		leaf_keys(scan, keys);
	if (scan->slot == NULL)
		scan->slot = table_slot_create(rel, NULL);
	scan->desc = compat_index_beginscan(rel, scan->index_rel, scan->snapshot,
										nkeys);
	index_rescan(scan->desc, keys, nkeys, NULL, 0);
}

/* Goes to the current leaf and opens the index to read it through. */
static Relation
relation_open_leaf(ItemScan *scan)
{
	ItemStore  *store = scan->store;

	if (scan->global)
	{
		scan->index_rel =
			index_open(RelationGetRelid(scan->entries.key_index),
					   AccessShareLock);
		return scan->entries.rel;
	}
	if (!scan->single)
		store_enter_leaf(store, list_nth_oid(scan->leaves, scan->leaf));
	scan->index_rel = index_open(scan->local == NULL ?
								 store->relation.key_index :
								 store_local_index(store, scan->local),
								 AccessShareLock);
	return store->rel;
}

static void
range_close(ItemScan *scan)
{
	if (scan->desc == NULL)
		return;
	index_endscan(scan->desc);
	index_close(scan->index_rel, NoLock);
	scan->desc = NULL;
	if (scan->global)
		return;					/* one relation, one slot */
	ExecDropSingleTupleTableSlot(scan->slot);
	scan->slot = NULL;
}

/*
 * pk = ?, the sort key of the start, and what is after it among these, with
 * the start itself in a global index: its digest may be of others, too.
 */
static int
tie_keys(ItemScan *scan, ScanKey keys)
{
	StrategyNumber strategy;
	int			n = 0;

	pk_key(scan, &keys[n++]);
	if (scan->has_sort)
	{
		bound_key(scan, &keys[n], 1, InvalidOid, BTEqualStrategyNumber,
				  scan->start_sort);
		n++;
	}
	if (ScanDirectionIsForward(scan->direction))
		strategy = scan->global ? BTGreaterEqualStrategyNumber :
			BTGreaterStrategyNumber;
	else
		strategy = scan->global ? BTLessEqualStrategyNumber :
			BTLessStrategyNumber;
	bound_key(scan, &keys[n], n, InvalidOid, strategy, scan->start_tie);
	return n + 1;
}

/* pk = ?, the bounds on the sort key, and sort keys after the start key's. */
static int
partition_keys(ItemScan *scan, ScanKey keys)
{
	const KeyBound *lower = &scan->range.lower;
	const KeyBound *upper = &scan->range.upper;
	int			n = 0;

	pk_key(scan, &keys[n++]);
	if (!scan->has_sort)
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
				  scan->start_sort);
	return n;
}

static void
pk_key(ItemScan *scan, ScanKey key)
{
	if (scan->local != NULL)
	{
		bound_key(scan, key, 0, InvalidOid, BTEqualStrategyNumber,
				  scan->pk.datums[0]);
		return;
	}
	*key = scan->global ? scan->entries.facts.equal_keys[0] :
		scan->store->relation.equal_keys[0];
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
				  scan->start_pk);
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
	if (scan->global)
	{
		scan_forget_tied(scan);
		if (scan->slot != NULL)
			ExecDropSingleTupleTableSlot(scan->slot);
		if (scan->other_slot != NULL)
			ExecDropSingleTupleTableSlot(scan->other_slot);
		store_index_close(&scan->entries);
	}
	UnregisterSnapshot(scan->snapshot);
	store_close(scan->store);
	MemoryContextDelete(scan->context);
}
