/*
 * store_move.c
 *	  Moves rows of items to other shards.
 *
 * To users nothing happens: the item stays what it is, so no trigger fires and
 * nobody is told.  The row gets another partition key and new entries in all
 * indexes, as an UPDATE would do it; whoever has read the old version meets
 * the change of the row as any other.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "store/store.h"
#include "store/store_private.h"

struct StoreMover
{
	ItemStore  *store;
	EState	   *estate;
	ResultRelInfo *relinfo;
	TupleTableSlot *slot;		/* the new version */
};

StoreMover *
store_mover_begin(ItemStore *store)
{
	StoreMover *mover = palloc0(sizeof(StoreMover));
	List	   *permissions;
	List	   *rtable;

	mover->store = store;
	mover->estate = CreateExecutorState();
	rtable = store_range_table(store, &permissions);
	compat_init_range_table(mover->estate, rtable, permissions);
	mover->estate->es_snapshot = GetActiveSnapshot();
	mover->relinfo = makeNode(ResultRelInfo);
	InitResultRelInfo(mover->relinfo, store->rel, 1, NULL, 0);
	mover->relinfo->ri_TrigDesc = NULL;
	ExecOpenIndices(mover->relinfo, false);
	mover->slot = MakeSingleTupleTableSlot(RelationGetDescr(store->rel),
										   &TTSOpsVirtual);
	return mover;
}

/*
 * Moves the row that store_lock() found; false when it has changed since.
 */
bool
store_move(StoreMover *mover, StoreRow *row, Datum pk)
{
	ItemStore  *store = mover->store;
	TupleTableSlot *slot = mover->slot;
	TupleConstr *constr = RelationGetDescr(store->rel)->constr;
	int			natts = slot->tts_tupleDescriptor->natts;
	CommandId	cid = GetCurrentCommandId(true);
	TM_FailureData failure;
	LockTupleMode mode;
	CompatUpdateIndexes indexes;
	TM_Result	result;

	ResetPerTupleExprContext(mover->estate);
	mover->estate->es_output_cid = cid;
	slot_getallattrs(row->slot);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, row->slot->tts_values, natts * sizeof(Datum));
	memcpy(slot->tts_isnull, row->slot->tts_isnull, natts * sizeof(bool));
	slot->tts_values[store->relation.key_attnums[0] - 1] = pk;
	slot->tts_tableOid = RelationGetRelid(store->rel);
	ExecStoreVirtualTuple(slot);
	if (constr != NULL && constr->has_generated_stored)
		ExecComputeStoredGenerated(mover->relinfo, mover->estate, slot,
								   CMD_UPDATE);
	if (constr != NULL)
		ExecConstraints(mover->relinfo, slot, mover->estate);

	result = table_tuple_update(store->rel, &row->slot->tts_tid, slot, cid,
								GetActiveSnapshot(), InvalidSnapshot, true,
								&failure, &mode, &indexes);
	if (!store_judge(store, result, &failure, cid))
		return false;
	list_free(compat_insert_index_tuples(mover->relinfo, slot, mover->estate,
										 true, false, NULL, NIL,
										 COMPAT_INDEXES_SUMMARIZING(indexes)));
	return true;
}

void
store_mover_end(StoreMover *mover)
{
	ExecDropSingleTupleTableSlot(mover->slot);
	ExecCloseIndices(mover->relinfo);
	FreeExecutorState(mover->estate);
	pfree(mover);
}
