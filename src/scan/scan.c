/*
 * scan.c
 *	  Starts and ends scans; reads row by row.
 *
 * A scan of one partition key of a table, or global index, with write shards
 * merges the ranges of its shards, one of several partition keys those of all
 * of them.  Everything else is one sequence of ranges;
 * so is a partition key of a table that has an index of keys without shards.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "base/errors.h"
#include "scan/scan_private.h"

static void entries_open(ItemScan *scan, const ScanSpec *spec,
						 Snapshot snapshot);
static int	count_shards(const ItemTable *table, const ScanSpec *spec);
static RangeScan *range_of_pk(ItemScan *scan, const ScanSpec *spec,
							  ItemStore *store);
static void merge_ranges(ItemScan *scan, const ScanSpec *spec);
static int	ranges_of_shards(ItemScan *scan, const ScanSpec *spec, int shards,
							 RangeScan **ranges);
static ItemStore *own_store(ItemScan *scan);

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
	scan->store = store_open(spec->table, NULL, ACL_SELECT);
	if (scan->global)
		entries_open(scan, spec, snapshot);
	scan->snapshot = RegisterSnapshot(snapshot);
	if (spec->empty || spec->npks > 0 ||
		count_shards(scan->store->table, spec) > 0)
		merge_ranges(scan, spec);
	else
		scan->range = range_of_pk(scan, spec, scan->store);
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

int
scan_shards(const ScanSpec *spec)
{
	return count_shards(spec->table, spec);
}

/*
 * How many ranges of a partition must be merged; 0 when one will do.
 */
static int
count_shards(const ItemTable *table, const ScanSpec *spec)
{
	if (spec->pk == NULL ||
		(spec->index == NULL && store_has_logical_index(table)))
		return 0;
	if (spec->index != NULL && spec->index->global)
		return spec->index->write_shards > 1 ? spec->index->write_shards : 0;
	return key_shard_count(&table->schema.sharding);
}

/* The one range of a partition key, or of the whole table. */
static RangeScan *
range_of_pk(ItemScan *scan, const ScanSpec *spec, ItemStore *store)
{
	Datum		pk = (Datum) 0;

	if (spec->pk != NULL)
	{
		pk = key_datum_from_ref(spec->pk->refs[0]);
		if (!scan->global)
			store_route_stored(store, pk);
	}
	return scan_range_begin(scan, store, spec, pk);
}

/* All shards of all partition keys. */
static void
merge_ranges(ItemScan *scan, const ScanSpec *spec)
{
	int			shards = count_shards(scan->store->table, spec);
	int			npks = spec->empty ? 0 : Max(spec->npks, 1);
	RangeScan **ranges = palloc((npks * Max(shards, 1) + 1) * sizeof(RangeScan *));
	int			n = 0;

	for (int i = 0; i < npks; i++)
	{
		ScanSpec	one = *spec;

		one.pk = &spec->pk[i];
		if (shards > 0)
			n += ranges_of_shards(scan, &one, shards, ranges + n);
		else
			ranges[n++] = range_of_pk(scan, &one, own_store(scan));
	}
	scan->merge = scan_merge_begin(ranges, n, scan->context);
}

/* Those of the shards of one partition key that may have rows; how many. */
static int
ranges_of_shards(ItemScan *scan, const ScanSpec *spec, int shards,
				 RangeScan **ranges)
{
	const KeySchema *schema = &scan->store->table->schema;
	int			n = 0;

	for (int i = 0; i < shards; i++)
	{
		Datum		pk = key_shard_datum(spec->pk->refs[0], i);
		ItemStore  *store;

		if (spec->index == NULL &&
			!scan_range_has_shard(&schema->sharding,
								  schema->attributes[1].type, &spec->range, i))
			continue;
		store = own_store(scan);
		if (!scan->global)
			store_route_stored(store, pk);
		ranges[n++] = scan_range_begin(scan, store, spec, pk);
	}
	return n;
}

/* One store is at one leaf. */
static ItemStore *
own_store(ItemScan *scan)
{
	ItemStore  *store;

	if (scan->global || !scan->store->table->partitioned)
		return scan->store;
	store = store_open(scan->store->table, NULL, ACL_SELECT);
	scan->stores = lappend(scan->stores, store);
	return store;
}

bool
scan_next(ItemScan *scan, StoreRow *row)
{
	MemoryContext old = MemoryContextSwitchTo(scan->context);
	RangeScan  *range = scan->range;

	if (scan->merge != NULL)
		range = scan_merge_next(scan->merge);
	else if (!scan_range_next(range))
		range = NULL;
	MemoryContextSwitchTo(old);

	row->exists = range != NULL;
	if (range == NULL)
		return false;
	row->slot = range->row;
	if (scan->global)
		store_index_row(&scan->entries, range->row, &row->row);
	else
		store_row_from_slot(range->store, row);
	return true;
}

int
scan_shard_of(const ItemScan *scan, const StoreRow *row)
{
	AttrNumber	attnum = scan->range->store->relation.key_attnums[0];
	bool		isnull;
	text	   *pk = DatumGetTextPP(slot_getattr(row->slot, attnum, &isnull));
	size_t		base_len;

	return key_shard_split(VARDATA_ANY(pk), VARSIZE_ANY_EXHDR(pk), &base_len);
}

void
scan_end(ItemScan *scan)
{
	ListCell   *lc;

	if (scan->merge != NULL)
		scan_merge_end(scan->merge);
	else
		scan_range_end(scan->range);
	if (scan->global)
		store_index_close(&scan->entries);
	UnregisterSnapshot(scan->snapshot);
	foreach(lc, scan->stores)
		store_close(lfirst(lc));
	store_close(scan->store);
	MemoryContextDelete(scan->context);
}
