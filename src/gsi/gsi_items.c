/*
 * gsi_items.c
 *	  Reads all items of a table, in no order, for those who make or check
 *	  whole indexes.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "gsi/gsi_private.h"

/*
 * The leaves are locked.  Memory of a visit is freed after it.
 */
void
gsi_each_item(const ItemTable *table, List *leaves, Snapshot snapshot,
			  GsiItemVisit visit, void *arg)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		Relation	rel = table_open(lfirst_oid(lc), NoLock);

		gsi_each_item_within(table, rel, snapshot, 0, InvalidBlockNumber,
							 visit, arg);
		table_close(rel, NoLock);
	}
}

/*
 * The items in some blocks of a relation of the table, from one to before
 * another one.
 */
void
gsi_each_item_within(const ItemTable *table, Relation rel, Snapshot snapshot,
					 BlockNumber from, BlockNumber end, GsiItemVisit visit,
					 void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "item of a table",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	TupleTableSlot *slot;
	TableScanDesc scan;
	StoreRelation info;
	ItemPointerData first;
	ItemPointerData last;

	store_relation_get(rel, table, &info);
	MemoryContextSwitchTo(old);
	slot = table_slot_create(rel, NULL);
	ItemPointerSet(&first, from, FirstOffsetNumber);
	ItemPointerSet(&last, end - 1, MaxOffsetNumber);
	scan = end == InvalidBlockNumber ?
		table_beginscan(rel, snapshot, 0, NULL) :
		table_beginscan_tidrange(rel, snapshot, &first, &last);
	while (end == InvalidBlockNumber ?
		   table_scan_getnextslot(scan, ForwardScanDirection, slot) :
		   table_scan_getnextslot_tidrange(scan, ForwardScanDirection, slot))
	{
		ItemKey		key = {.n = table->schema.n};
		ItemRow		row;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(context);
		MemoryContextSwitchTo(context);
		slot_getsomeattrs(slot, info.last_attnum);
		for (int i = 0; i < key.n; i++)
		{
			key.datums[i] = slot->tts_values[info.key_attnums[i] - 1];
			key.refs[i] = key_part_from_datum(&table->schema, i,
											  key.datums[i]);
		}
		gsi_row(table, &key,
				item_root(DatumGetItemPP(slot->tts_values[info.attributes_attnum - 1])),
				&row);
		visit(&key, &row, arg);
		MemoryContextSwitchTo(old);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(context);
}
