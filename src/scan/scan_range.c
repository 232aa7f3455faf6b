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
 * Its entries pass through scan_ties.c.  A
 * table with write shards whose keys do not tell the shard is read through the
 * index of keys without shards.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/service_text.h"
#include "scan/scan_private.h"

/* pk equal; sk above, below, after the start key */
#define MAX_SCAN_KEYS	4

static void copy_start(RangeScan *range, const ScanSpec *spec, Datum pk);
static Datum stored_start_pk(RangeScan *range, const ScanSpec *spec);
static void copy_bound(const KeyBound *from, KeyBound *to);
static void range_first(RangeScan *range, const ScanSpec *spec);
static RangeKind partition_rest(const RangeScan *range);
static int32 start_hash(const RangeScan *range);
static int	leaf_position(RangeScan *range, Oid relid);
static void range_next(RangeScan *range);
static void range_open(RangeScan *range);
static Relation relation_open_leaf(RangeScan *range);
static void range_close(RangeScan *range);
static int	tie_keys(RangeScan *range, ScanKey keys);
static int	partition_keys(RangeScan *range, ScanKey keys);
static void pk_key(RangeScan *range, ScanKey key);
static int	leaf_keys(RangeScan *range, ScanKey keys);
static void bound_key(RangeScan *range, ScanKey key, int column, Oid subtype,
					  StrategyNumber strategy, Datum value);

/*
 * pk is the stored partition key, if the specification has one; the store has
 * come to its leaf.
 */
RangeScan *
scan_range_begin(const ItemScan *scan, ItemStore *store,
				 const ScanSpec *spec, Datum pk)
{
	RangeScan  *range = palloc0(sizeof(RangeScan));

	range->context = scan->context;
	range->store = store;
	range->entries = scan->global ? &scan->entries : NULL;
	if (spec->index != NULL && !scan->global &&
		strcmp(spec->index->column_name, META_SK_COLUMN) != 0)
		range->local = spec->index;
	range->has_sort = scan->global ? spec->index->nsort > 0 :
		spec->table->schema.n > 1;
	range->has_tie = range->local != NULL ||
		(scan->global && !spec->index->unique_key);
	range->snapshot = scan->snapshot;
	range->direction = spec->forward ? ForwardScanDirection :
		BackwardScanDirection;
	range->single = spec->pk != NULL;
	range->logical = !scan->global && spec->index == NULL && !spec->stored &&
		store_has_logical_index(store->table);
	range->pk = pk;
	copy_bound(&spec->range.lower, &range->range.lower);
	copy_bound(&spec->range.upper, &range->range.upper);
	range->has_start = spec->start_key != NULL;
	if (range->has_start)
		copy_start(range, spec, pk);
	range->segment = spec->segment;
	range->total_segments = spec->total_segments;
	if (scan->global)
		range->other_slot = table_slot_create(scan->entries.rel, NULL);
	range_first(range, spec);
	return range;
}

/*
 * Can a shard have rows within bounds on sk?  One sort key is in one shard if
 * it decides on the shard.
 */
bool
scan_range_has_shard(const KeySharding *sharding, ItemType type,
					 const KeyRange *bounds, int shard)
{
	uint32		hash;

	if (sharding->by != KEY_SHARD_SORT_KEY ||
		!bounds->lower.present || !bounds->upper.present ||
		key_datum_compare(type, bounds->lower.datum, bounds->upper.datum) != 0)
		return true;

	/* bounds of plain SQL need not be values that keys can have */
	hash = (uint32) key_hash_datum(type, bounds->lower.datum);
	return shard == key_shard_of_hash(hash, sharding->count) ||
		(sharding->former > 0 &&
		 shard == key_shard_of_hash(hash, sharding->former));
}

/*
 * Rows of one partition key of the table within bounds, whose datums are used
 * as they are.
 */
RangeScan *
scan_range_of_partition(ItemStore *store, Snapshot snapshot, Datum pk,
						const KeyRange *bounds, bool forward)
{
	RangeScan  *range = palloc0(sizeof(RangeScan));

	range->context = CurrentMemoryContext;
	range->store = store;
	range->has_sort = true;
	range->snapshot = snapshot;
	range->direction = forward ? ForwardScanDirection : BackwardScanDirection;
	range->single = true;
	range->pk = pk;
	range->range = *bounds;
	range->kind = RANGE_PARTITION;
	return range;
}

/* The column values alone: those are what ranges are made of. */
static void
copy_start(RangeScan *range, const ScanSpec *spec, Datum pk)
{
	const ItemKey *start = spec->start_key;
	bool		secondary = range->entries != NULL || range->local != NULL;

	range->start_pk = range->single ? pk : stored_start_pk(range, spec);
	if (range->has_sort)
		range->start_sort = key_datum_from_ref(secondary ? spec->start_sort :
											   start->refs[1]);
	if (range->entries != NULL)
	{
		range->start_tie = Int64GetDatum(key_digest(start));
		key_copy(&range->start_base, start);
	}
	else if (range->local != NULL)
		range->start_tie = key_datum_from_ref(start->refs[1]);
}

/*
 * Where a scan of a whole table or index goes on.  A start key has no shard.
 */
static Datum
stored_start_pk(RangeScan *range, const ScanSpec *spec)
{
	ItemKey		placed;

	if (range->entries != NULL)
		return store_index_stored_pk(spec->index, spec->start_pk,
									 key_digest(spec->start_key));
	if (range->logical || spec->stored)
		return key_datum_from_ref(spec->start_key->refs[0]);
	if (!store_find_place(range->store, spec->start_key, range->snapshot,
						  &placed))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_START_KEY_INVALID),
				 errdetail("The item does not exist any more, and its shard is not known."),
				 errhint("Begin again without a start key.")));
	return placed.datums[0];
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
range_first(RangeScan *range, const ScanSpec *spec)
{
	if (range->single)
	{
		range->kind = range->has_start ? partition_rest(range) :
			RANGE_PARTITION;
		return;
	}

	range->leaves = range->entries != NULL ?
		list_make1_oid(RelationGetRelid(range->entries->rel)) :
		store_leaves(range->store);
	if (!spec->forward)
	{
		List	   *reversed = NIL;
		ListCell   *lc;

		foreach(lc, range->leaves)
			reversed = lcons_oid(lfirst_oid(lc), reversed);
		range->leaves = reversed;
	}
	if (!range->has_start)
	{
		range->kind = range->leaves == NIL ? RANGE_NONE : RANGE_LEAF;
		return;
	}

	if (spec->total_segments > 0 &&
		!key_segment_contains(spec->segment, spec->total_segments,
							  start_hash(range)))
		elog(ERROR, "start key is not in segment %d of %d",
			 spec->segment, spec->total_segments);
	if (range->entries == NULL)
	{
		store_route_stored(range->store, range->start_pk);
		range->leaf = leaf_position(range,
									RelationGetRelid(range->store->rel));
	}
	range->pk = range->start_pk;
	range->kind = partition_rest(range);
}

/*
 * How the rest of the start key's partition begins.  Where a partition has
 * one row only, nothing of it follows.
 */
static RangeKind
partition_rest(const RangeScan *range)
{
	if (range->has_tie)
		return RANGE_TIES;
	if (range->has_sort)
		return RANGE_PARTITION;
	return range->single ? RANGE_NONE : RANGE_BEYOND;
}

static int32
start_hash(const RangeScan *range)
{
	ItemType	type = range->entries != NULL ?
		store_index_key_type(range->entries->index, 0) :
		range->store->table->schema.attributes[0].type;

	return key_hash_ref(key_ref_from_datum(type, range->start_pk));
}

static int
leaf_position(RangeScan *range, Oid relid)
{
	int			position = 0;
	ListCell   *lc;

	foreach(lc, range->leaves)
	{
		if (lfirst_oid(lc) == relid)
			return position;
		position++;
	}
	elog(ERROR, "relation %u is no leaf of the item table", relid);
}

/*
 * Goes to the next row, which is then in range->row; false at the end.  The
 * current memory context is that of the scan.
 */
bool
scan_range_next(RangeScan *range)
{
	if (range->entries != NULL && range->has_tie)
		range->row = scan_next_entry(range);
	else
		range->row = scan_range_fetch(range) ? range->slot : NULL;
	return range->row != NULL;
}

/*
 * Reads the next row of all ranges into the slot; false at the end.
 */
bool
scan_range_fetch(RangeScan *range)
{
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (range->kind == RANGE_NONE)
			return false;
		if (!range->peeked)
			scan_peek(range);
		if (range->fetch != NULL)
		{
			if (scan_peek_next(range))
			{
				range->nread++;
				return true;
			}
			scan_peek_end(range);
		}
		if (range->peek_complete)
		{
			range_next(range);
			continue;
		}
		if (range->desc == NULL)
			range_open(range);
		range->in_ties = range->kind == RANGE_TIES;
		if (index_getnext_slot(range->desc, range->direction, range->slot))
		{
			range->nread++;
			return true;
		}
		range_close(range);
		range_next(range);
	}
}

/*
 * What rows of one partition key are ordered by; how many columns.
 */
int
scan_range_sort(const RangeScan *range, SortColumn *columns)
{
	const ItemStore *store = range->store;
	const KeySchema *schema = &store->table->schema;
	int			n = 0;

	if (range->entries != NULL)
	{
		const StoreIndex *entries = range->entries;

		columns[n].attnum = entries->facts.key_attnums[1];
		columns[n++].type = store_index_key_type(entries->index, 1);
		columns[n].attnum = entries->facts.digest_attnum;
		columns[n++].type = 0;
		return n;
	}
	if (range->local != NULL)
	{
		columns[n].attnum = store_local_column(store, range->local);
		columns[n++].type = range->local->keys[1].attribute.type;
	}
	columns[n].attnum = store->relation.key_attnums[1];
	columns[n++].type = schema->attributes[1].type;
	return n;
}

static void
range_next(RangeScan *range)
{
	if (range->kind == RANGE_TIES && range->has_sort)
		range->kind = RANGE_PARTITION;
	else if (range->single)
		range->kind = RANGE_NONE;
	else if (range->kind == RANGE_PARTITION || range->kind == RANGE_TIES)
		range->kind = RANGE_BEYOND;
	else
	{
		range->leaf++;
		range->kind = range->leaf < list_length(range->leaves) ?
			RANGE_LEAF : RANGE_NONE;
	}
}

static void
range_open(RangeScan *range)
{
	ScanKeyData keys[MAX_SCAN_KEYS];
	int			nkeys;
	Relation	rel;

	rel = relation_open_leaf(range);
	nkeys = range->kind == RANGE_TIES ? tie_keys(range, keys) :
		range->kind == RANGE_PARTITION ? partition_keys(range, keys) :
		leaf_keys(range, keys);
	if (range->slot == NULL)
		range->slot = table_slot_create(rel, NULL);
	range->desc = compat_index_beginscan(rel, range->index_rel, range->snapshot,
										nkeys);
	index_rescan(range->desc, keys, nkeys, NULL, 0);
}

/* Goes to the current leaf and opens the index to read it through. */
static Relation
relation_open_leaf(RangeScan *range)
{
	ItemStore  *store = range->store;
	Oid			index;

	if (range->entries != NULL)
	{
		index = RelationGetRelid(range->entries->key_index);
		range->index_rel = index_open(index, AccessShareLock);
		return range->entries->rel;
	}
	if (!range->single)
		store_enter_leaf(store, list_nth_oid(range->leaves, range->leaf));
	index = range->local != NULL ? store_local_index(store, range->local) :
		range->logical ? store->relation.lookup_index :
		store->relation.key_index;
	range->index_rel = index_open(index, AccessShareLock);
	return store->rel;
}

static void
range_close(RangeScan *range)
{
	if (range->desc == NULL)
		return;
	index_endscan(range->desc);
	index_close(range->index_rel, NoLock);
	range->desc = NULL;
	if (range->entries != NULL)
		return;					/* one relation, one slot */
	ExecDropSingleTupleTableSlot(range->slot);
	range->slot = NULL;
}

/*
 * pk = ?, the sort key of the start, and what is after it among these, with
 * the start itself in a global index: its digest may be of others, too.
 */
static int
tie_keys(RangeScan *range, ScanKey keys)
{
	StrategyNumber strategy;
	int			n = 0;

	pk_key(range, &keys[n++]);
	if (range->has_sort)
	{
		bound_key(range, &keys[n], 1, InvalidOid, BTEqualStrategyNumber,
				  range->start_sort);
		n++;
	}
	if (ScanDirectionIsForward(range->direction))
		strategy = range->entries != NULL ? BTGreaterEqualStrategyNumber :
			BTGreaterStrategyNumber;
	else
		strategy = range->entries != NULL ? BTLessEqualStrategyNumber :
			BTLessStrategyNumber;
	bound_key(range, &keys[n], n, InvalidOid, strategy, range->start_tie);
	return n + 1;
}

/* pk = ?, the bounds on the sort key, and sort keys after the start key's. */
static int
partition_keys(RangeScan *range, ScanKey keys)
{
	const KeyBound *lower = &range->range.lower;
	const KeyBound *upper = &range->range.upper;
	int			n = 0;

	pk_key(range, &keys[n++]);
	if (!range->has_sort)
		return n;

	if (lower->present)
		bound_key(range, &keys[n++], 1, InvalidOid,
				  lower->inclusive ? BTGreaterEqualStrategyNumber :
				  BTGreaterStrategyNumber, lower->datum);
	if (upper->present)
		bound_key(range, &keys[n++], 1, InvalidOid,
				  upper->inclusive ? BTLessEqualStrategyNumber :
				  BTLessStrategyNumber, upper->datum);
	if (range->has_start)
		bound_key(range, &keys[n++], 1, InvalidOid,
				  ScanDirectionIsForward(range->direction) ?
				  BTGreaterStrategyNumber : BTLessStrategyNumber,
				  range->start_sort);
	return n;
}

static void
pk_key(RangeScan *range, ScanKey key)
{
	if (range->local != NULL)
	{
		bound_key(range, key, 0, InvalidOid, BTEqualStrategyNumber, range->pk);
		return;
	}
	*key = range->entries != NULL ? range->entries->facts.equal_keys[0] :
		range->store->relation.equal_keys[0];
	key->sk_argument = range->pk;
}

/*
 * Bounds of the segment, of which the start key replaces the one on its own
 * side: it is the tighter one, and an index scan that is given both may begin
 * at the looser.
 */
static int
leaf_keys(RangeScan *range, ScanKey keys)
{
	bool		forward = ScanDirectionIsForward(range->direction);
	bool		beyond = range->kind == RANGE_BEYOND;
	bool		has_upper = false;
	int32		lower;
	int32		upper;
	int			n = 0;

	if (beyond)
		bound_key(range, &keys[n++], 0, InvalidOid,
				  forward ? BTGreaterStrategyNumber : BTLessStrategyNumber,
				  range->start_pk);
	if (range->total_segments == 0)
		return n;

	key_segment_bounds(range->segment, range->total_segments, &lower,
					   &has_upper, &upper);
	if (!(beyond && forward))
		bound_key(range, &keys[n++], 0, INT4OID, BTGreaterEqualStrategyNumber,
				  Int32GetDatum(lower));
	if (has_upper && !(beyond && !forward))
		bound_key(range, &keys[n++], 0, INT4OID, BTLessStrategyNumber,
				  Int32GetDatum(upper));
	return n;
}

/*
 * A scan key "column operator value"; subtype is the value's type, InvalidOid
 * when it is the column's own.
 */
static void
bound_key(RangeScan *range, ScanKey key, int column, Oid subtype,
		  StrategyNumber strategy, Datum value)
{
	Relation	index = range->index_rel;
	Oid			type = OidIsValid(subtype) ? subtype :
		index->rd_opcintype[column];

	ScanKeyEntryInitialize(key, 0, column + 1, strategy, subtype,
						   index->rd_indcollation[column],
						   store_index_operator(index, column, type, strategy),
						   value);
}

void
scan_range_end(RangeScan *range)
{
	scan_peek_end(range);
	range_close(range);
	if (range->entries == NULL)
		return;
	scan_forget_tied(range);
	if (range->slot != NULL)
		ExecDropSingleTupleTableSlot(range->slot);
	if (range->other_slot != NULL)
		ExecDropSingleTupleTableSlot(range->other_slot);
}
