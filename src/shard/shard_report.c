/*
 * shard_report.c
 *	  shard_report(): how the items of a table are spread over its shards.
 *
 * Reads the whole table in the order of the key index, where the items of one
 * stored partition key come one after the other; so memory does not depend on
 * how many there are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "base/compat.h"
#include "scan/scan.h"

/* Write units per second that one partition key takes. */
#define UNITS_OF_SHARD	1000

/* How many items the query asks for whose cost is told. */
#define QUERY_ITEMS		10

PG_FUNCTION_INFO_V1(shard_report);

/* Items of a shard, or of one partition key in it. */
typedef struct ShardTotal
{
	int64		items;
	int64		bytes;
} ShardTotal;

typedef struct ShardReport
{
	int			nshards;
	ShardTotal *totals;
	ShardTotal *largest;		/* of one partition key, by shard */
	ItemData  **largest_keys;
} ShardReport;

static void read_table(const ItemTable *table, ShardReport *report);
static void note_key(ShardReport *report, int shard, ItemType type,
					 const StringInfo key, const ShardTotal *total);
static void put_shard(const ShardReport *report, int shard, bool sharded,
					  int suggested, ReturnSetInfo *result);

/*
 * shard_report(table_name text, write_units int)
 */
Datum
shard_report(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(0);
	int			units = PG_GETARG_INT32(1);
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	ShardReport report = {0};
	const ItemTable *table;
	int			suggested;

	if (units < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be at least 1", "write_units")));
	table = meta_table(meta_resolve_table(VARDATA_ANY(name),
										  VARSIZE_ANY_EXHDR(name)));
	suggested = Min(units / UNITS_OF_SHARD + (units % UNITS_OF_SHARD != 0),
					KEY_MAX_SHARDS);
	report.nshards = Max(key_shard_count(&table->schema.sharding), 1);
	report.totals = palloc0(report.nshards * sizeof(ShardTotal));
	report.largest = palloc0(report.nshards * sizeof(ShardTotal));
	report.largest_keys = palloc0(report.nshards * sizeof(ItemData *));
	read_table(table, &report);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < report.nshards; i++)
		put_shard(&report, i, table->schema.sharding.count > 0, suggested,
				  rsinfo);
	PG_RETURN_NULL();
}

static void
read_table(const ItemTable *table, ShardReport *report)
{
	ScanSpec	spec = {
		.table = table,
		.forward = true,
		.stored = true
	};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "item of a report",
												  ALLOCSET_DEFAULT_SIZES);
	ItemScan   *scan = scan_begin(&spec, GetActiveSnapshot());
	bool		sharded = table->schema.sharding.count > 0;
	ItemType	type = table->schema.attributes[0].type;
	ShardTotal	total = {0};
	StringInfoData key;
	int			shard = 0;
	StoreRow	row;
	MemoryContext old;

	initStringInfo(&key);
	old = MemoryContextSwitchTo(context);
	while (scan_next(scan, &row))
	{
		const ItemRef *pk = &row.row.keys[0].value;
		int			here = 0;
		uint32		size = item_row_size(&row.row);

		CHECK_FOR_INTERRUPTS();
		if (sharded)
			here = Max(scan_shard_of(scan, &row), 0);
		if (total.items > 0 &&
			(here != shard || (uint32) key.len != pk->len ||
			 memcmp(key.data, pk->data, pk->len) != 0))
		{
			MemoryContextSwitchTo(old);
			note_key(report, shard, type, &key, &total);
			MemoryContextSwitchTo(context);
			memset(&total, 0, sizeof(total));
		}
		if (total.items == 0)
		{
			shard = Min(here, report->nshards - 1);
			resetStringInfo(&key);
			appendBinaryStringInfo(&key, pk->data, pk->len);
		}
		total.items++;
		total.bytes += size;
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	if (total.items > 0)
		note_key(report, shard, type, &key, &total);
	scan_end(scan);
	MemoryContextDelete(context);
}

static void
note_key(ShardReport *report, int shard, ItemType type, const StringInfo key,
		 const ShardTotal *total)
{
	ItemRef		ref = {.type = type, .len = key->len, .data = key->data};

	report->totals[shard].items += total->items;
	report->totals[shard].bytes += total->bytes;
	if (total->bytes <= report->largest[shard].bytes)
		return;
	report->largest[shard] = *total;
	if (report->largest_keys[shard] != NULL)
		pfree(report->largest_keys[shard]);
	report->largest_keys[shard] = item_from_ref(ref);
}

/*
 * (shard, items, bytes, share, largest_key, largest_key_items,
 * largest_key_bytes, suggested_shards, query_reads)
 */
static void
put_shard(const ShardReport *report, int shard, bool sharded, int suggested,
		  ReturnSetInfo *result)
{
	const ShardTotal *total = &report->totals[shard];
	const ShardTotal *largest = &report->largest[shard];
	Datum		values[9];
	bool		nulls[9] = {false};
	int64		all = 0;

	for (int i = 0; i < report->nshards; i++)
		all += report->totals[i].bytes;
	nulls[0] = !sharded;
	values[0] = Int32GetDatum(shard);
	values[1] = Int64GetDatum(total->items);
	values[2] = Int64GetDatum(total->bytes);
	values[3] = Float8GetDatum(all == 0 ? 0 : (double) total->bytes / all);
	nulls[4] = report->largest_keys[shard] == NULL;
	values[4] = PointerGetDatum(report->largest_keys[shard]);
	values[5] = Int64GetDatum(largest->items);
	values[6] = Int64GetDatum(largest->bytes);
	values[7] = Int32GetDatum(suggested);
	values[8] = Int32GetDatum(QUERY_ITEMS + suggested - 1);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}
