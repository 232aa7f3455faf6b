/*
 * store_executor.c
 *	  The executor's share in a write: triggers, constraints, generated and
 *	  further columns, further indexes.
 *
 * Used when any of these exists; see store_writes_begin().  What happens, and
 * in what order, is what INSERT ... ON CONFLICT DO UPDATE, UPDATE or DELETE
 * of the same row would do (nodeModifyTable.c), so that users' triggers and
 * constraints cannot tell the difference.  One call of an item function is one
 * statement: statement triggers fire once, AFTER triggers at its end.
 *
 * A store that comes to several leaves keeps each of them open to the end,
 * because queued trigger events refer to them.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "rewrite/rewriteHandler.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "store/store.h"
#include "store/store_private.h"

/* A leaf that rows are written to. */
typedef struct StoreTarget
{
	ResultRelInfo *relinfo;
	TupleTableSlot *slot;		/* the new row */
	ExprState **defaults;		/* by column, NULL where there is none */
	List	   *arbiters;		/* unique indexes on the key */
} StoreTarget;

typedef struct StoreWriteState
{
	MemoryContext context;		/* outlives the single row */
	EState	   *estate;
	EPQState	epqstate;
	ResultRelInfo *root;		/* the named table */
	List	   *targets;		/* of StoreTarget */
	StoreTarget *target;		/* the current leaf */
	TransitionCaptureState *inserted;
	TransitionCaptureState *updated;
	TransitionCaptureState *deleted;
} StoreWriteState;

static void fire_before_statement(ItemStore *store);
static void fire_after_statement(ItemStore *store);
static void capture_transitions(ItemStore *store);
static void leave_out_own_trigger(ResultRelInfo *relinfo);
static StoreTarget *target_find(StoreWriteState *state, Oid relid);
static StoreTarget *target_create(ItemStore *store);
static void prepare_defaults(ItemStore *store, StoreTarget *target);
static void find_arbiters(ItemStore *store, StoreTarget *target);
static bool index_is_on_key(const ItemStore *store, Relation index,
							const IndexInfo *info);
static bool column_is_ours(const StoreRelation *relation, AttrNumber attnum);
static TupleTableSlot *new_row(ItemStore *store, const ItemKey *key,
							   const ItemData *attributes);
static void row_set_item(ItemStore *store, TupleTableSlot *slot,
						 const ItemKey *key, const ItemData *attributes);
static TupleTableSlot *changed_row(ItemStore *store, const ItemKey *key,
								   StoreRow *row, const ItemData *attributes);
static void row_begin(ItemStore *store);
static void check_key_kept(ItemStore *store, const ItemKey *key,
						   TupleTableSlot *slot);
static void check_row(ItemStore *store, TupleTableSlot *slot, CmdType change,
					  bool before_triggers);
static bool insert_speculatively(ItemStore *store, const ItemKey *key,
								 TupleTableSlot *slot, List **recheck);
static void finish_change(ItemStore *store, const ItemKey *key,
						  StoreRow *old_row, TupleTableSlot *slot);

/*
 * Begins the statement: executor state for the named table, then its BEFORE
 * STATEMENT triggers.
 */
void
store_executor_begin(ItemStore *store)
{
	StoreWriteState *state = palloc0(sizeof(StoreWriteState));
	EState	   *estate = CreateExecutorState();
	List	   *permissions;
	List	   *rtable;

	state->context = CurrentMemoryContext;
	state->estate = estate;
	store->write = state;

	MemoryContextSwitchTo(estate->es_query_cxt);
	rtable = store_range_table(store, &permissions);
	compat_init_range_table(estate, rtable, permissions);
	estate->es_snapshot = GetActiveSnapshot();
	estate->es_output_cid = GetCurrentCommandId(true);
	state->root = makeNode(ResultRelInfo);
	InitResultRelInfo(state->root, store->named, 1, NULL, 0);
	leave_out_own_trigger(state->root);
	estate->es_opened_result_relations =
		lappend(estate->es_opened_result_relations, state->root);
	compat_eval_plan_qual_init(&state->epqstate, estate);
	AfterTriggerBeginQuery();
	capture_transitions(store);
	fire_before_statement(store);
	MemoryContextSwitchTo(state->context);
}

/*
 * Takes our own row trigger out of a relation's triggers, which are a copy:
 * what it does is done by store_row_changed(), without a queue.
 */
static void
leave_out_own_trigger(ResultRelInfo *relinfo)
{
	TriggerDesc *triggers = relinfo->ri_TrigDesc;
	int			n = 0;

	if (triggers == NULL)
		return;
	triggers->trig_insert_after_row = false;
	triggers->trig_update_after_row = false;
	triggers->trig_delete_after_row = false;
	for (int i = 0; i < triggers->numtriggers; i++)
	{
		Trigger    *trigger = &triggers->triggers[i];

		if (meta_trigger_is_ours(trigger))
			continue;
		triggers->trig_insert_after_row |=
			TRIGGER_TYPE_MATCHES(trigger->tgtype, TRIGGER_TYPE_ROW,
								 TRIGGER_TYPE_AFTER, TRIGGER_TYPE_INSERT);
		triggers->trig_update_after_row |=
			TRIGGER_TYPE_MATCHES(trigger->tgtype, TRIGGER_TYPE_ROW,
								 TRIGGER_TYPE_AFTER, TRIGGER_TYPE_UPDATE);
		triggers->trig_delete_after_row |=
			TRIGGER_TYPE_MATCHES(trigger->tgtype, TRIGGER_TYPE_ROW,
								 TRIGGER_TYPE_AFTER, TRIGGER_TYPE_DELETE);
		triggers->triggers[n++] = *trigger;
	}
	triggers->numtriggers = n;
	if (n == 0)
		relinfo->ri_TrigDesc = NULL;
}

static void
capture_transitions(ItemStore *store)
{
	StoreWriteState *state = store->write;
	TriggerDesc *triggers = state->root->ri_TrigDesc;
	Oid			relid = RelationGetRelid(store->named);

	if ((store->access & ACL_INSERT) != 0)
		state->inserted = MakeTransitionCaptureState(triggers, relid,
													 CMD_INSERT);
	if ((store->access & ACL_UPDATE) != 0)
		state->updated = MakeTransitionCaptureState(triggers, relid,
													CMD_UPDATE);
	if ((store->access & ACL_DELETE) != 0)
		state->deleted = MakeTransitionCaptureState(triggers, relid,
													CMD_DELETE);
}

static void
fire_before_statement(ItemStore *store)
{
	StoreWriteState *state = store->write;

	if ((store->access & ACL_INSERT) != 0)
		ExecBSInsertTriggers(state->estate, state->root);
	if ((store->access & ACL_UPDATE) != 0)
		ExecBSUpdateTriggers(state->estate, state->root);
	if ((store->access & ACL_DELETE) != 0)
		ExecBSDeleteTriggers(state->estate, state->root);
}

/* In the order of INSERT ... ON CONFLICT DO UPDATE: update, then insert. */
static void
fire_after_statement(ItemStore *store)
{
	StoreWriteState *state = store->write;

	if ((store->access & ACL_DELETE) != 0)
		ExecASDeleteTriggers(state->estate, state->root, state->deleted);
	if ((store->access & ACL_UPDATE) != 0)
		ExecASUpdateTriggers(state->estate, state->root, state->updated);
	if ((store->access & ACL_INSERT) != 0)
		ExecASInsertTriggers(state->estate, state->root, state->inserted);
}

/* Makes the leaf that the store has come to the target of its writes. */
void
store_executor_enter(ItemStore *store)
{
	StoreWriteState *state = store->write;
	MemoryContext old = MemoryContextSwitchTo(state->estate->es_query_cxt);

	state->target = target_find(state, RelationGetRelid(store->rel));
	if (state->target == NULL)
	{
		state->target = target_create(store);
		state->targets = lappend(state->targets, state->target);
	}
	MemoryContextSwitchTo(old);
}

static StoreTarget *
target_find(StoreWriteState *state, Oid relid)
{
	ListCell   *lc;

	foreach(lc, state->targets)
	{
		StoreTarget *target = lfirst(lc);

		if (RelationGetRelid(target->relinfo->ri_RelationDesc) == relid)
			return target;
	}
	return NULL;
}

static StoreTarget *
target_create(ItemStore *store)
{
	StoreWriteState *state = store->write;
	EState	   *estate = state->estate;
	StoreTarget *target = palloc0(sizeof(StoreTarget));

	if (store->rel == store->named)
		target->relinfo = state->root;
	else
	{
		Relation	rel = table_open(RelationGetRelid(store->rel), NoLock);

		target->relinfo = makeNode(ResultRelInfo);
		InitResultRelInfo(target->relinfo, rel, 0, state->root, 0);
		leave_out_own_trigger(target->relinfo);
		estate->es_opened_result_relations =
			lappend(estate->es_opened_result_relations, target->relinfo);
	}
	ExecOpenIndices(target->relinfo, false);
	target->slot = ExecInitExtraTupleSlot(estate,
										  RelationGetDescr(store->rel),
										  &TTSOpsVirtual);
	prepare_defaults(store, target);
	find_arbiters(store, target);
	return target;
}

/*
 * The key index, and other unique indexes on the same columns: a user's, or
 * one that REINDEX CONCURRENTLY is building.  Two inserts of one key may meet
 * in any of them, and that is a lost race like any other.  Those that are
 * deferred, or tell keys apart otherwise than by bytes, are constraints of
 * their own.
 */
static void
find_arbiters(ItemStore *store, StoreTarget *target)
{
	ResultRelInfo *relinfo = target->relinfo;

	for (int i = 0; i < relinfo->ri_NumIndices; i++)
	{
		Relation	index = relinfo->ri_IndexRelationDescs[i];

		if (RelationGetRelid(index) == store->relation.key_index ||
			RelationGetRelid(index) == store->relation.lookup_index ||
			index_is_on_key(store, index, relinfo->ri_IndexRelationInfo[i]))
			target->arbiters = lappend_oid(target->arbiters,
										   RelationGetRelid(index));
	}
}

static bool
index_is_on_key(const ItemStore *store, Relation index, const IndexInfo *info)
{
	int			n = store->table->schema.n;

	if (!info->ii_Unique || !index->rd_index->indimmediate ||
		info->ii_NumIndexKeyAttrs != n || info->ii_Predicate != NIL)
		return false;
	for (int i = 0; i < n; i++)
	{
		bool		found = false;

		for (int j = 0; j < n && !found; j++)
			found = info->ii_IndexAttrNumbers[j] ==
				store->relation.key_attnums[i];
		if (!found || (OidIsValid(index->rd_indcollation[i]) &&
					   index->rd_indcollation[i] != C_COLLATION_OID))
			return false;
	}
	return true;
}

/* Defaults of users' columns; generated ones are computed later. */
static void
prepare_defaults(ItemStore *store, StoreTarget *target)
{
	TupleDesc	desc = RelationGetDescr(store->rel);

	target->defaults = palloc0(desc->natts * sizeof(ExprState *));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		Node	   *expr;

		if (att->attisdropped || att->attgenerated != '\0' ||
			column_is_ours(&store->relation, att->attnum))
			continue;
		expr = build_column_default(store->rel, att->attnum);
		if (expr != NULL)
			target->defaults[i] = ExecPrepareExpr((Expr *) expr,
												  store->write->estate);
	}
}

static bool
column_is_ours(const StoreRelation *relation, AttrNumber attnum)
{
	if (attnum == relation->attributes_attnum)
		return true;
	for (int i = 0; i < KEY_MAX_ATTRIBUTES; i++)
	{
		if (attnum == relation->key_attnums[i])
			return true;
	}
	return false;
}

/* Ends the statement: AFTER triggers, then the executor state goes. */
void
store_executor_end(ItemStore *store)
{
	StoreWriteState *state = store->write;
	EState	   *estate = state->estate;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	ListCell   *lc;

	fire_after_statement(store);
	AfterTriggerEndQuery(estate);

	EvalPlanQualEnd(&state->epqstate);
	ExecResetTupleTable(estate->es_tupleTable, false);
	ExecCloseResultRelations(estate);
	ExecCloseRangeTableRelations(estate);
	foreach(lc, state->targets)
	{
		StoreTarget *target = lfirst(lc);

		if (target->relinfo != state->root)
			table_close(target->relinfo->ri_RelationDesc, NoLock);
	}
	MemoryContextSwitchTo(old);
	FreeExecutorState(estate);
	pfree(state);
	store->write = NULL;
}

/*
 * Must a row be locked before it is changed?  BEFORE ROW triggers would
 * otherwise follow the chain of versions on their own.
 */
bool
store_executor_locks(const ItemStore *store)
{
	TriggerDesc *triggers;

	if (store->write == NULL)
		return false;
	triggers = store->write->target->relinfo->ri_TrigDesc;
	return triggers != NULL &&
		(triggers->trig_update_before_row || triggers->trig_delete_before_row);
}

/*
 * BEFORE INSERT triggers fire before a conflict can be known, and again when
 * the caller comes back with the same key after a lost race.
 */
bool
store_executor_insert(ItemStore *store, const ItemKey *key,
					  const ItemData *attributes)
{
	StoreWriteState *state = store->write;
	ResultRelInfo *relinfo = state->target->relinfo;
	TriggerDesc *triggers = relinfo->ri_TrigDesc;
	bool		before = triggers && triggers->trig_insert_before_row;
	TupleTableSlot *slot;
	List	   *recheck;
	ItemKey		placed;

	row_begin(store);
	key = store_key_to_insert(store, key, attributes, &placed);
	slot = new_row(store, key, attributes);
	if (before)
	{
		if (!ExecBRInsertTriggers(state->estate, relinfo, slot))
		{
			store->suppressed = true;
			return true;
		}
		check_key_kept(store, key, slot);
	}
	check_row(store, slot, CMD_INSERT, before);
	if (!insert_speculatively(store, key, slot, &recheck))
		return false;
	ExecARInsertTriggers(state->estate, relinfo, slot, recheck,
						 state->inserted);
	list_free(recheck);
	finish_change(store, key, NULL, slot);
	return true;
}

/* What belongs to the previous row goes. */
static void
row_begin(ItemStore *store)
{
	EState	   *estate = store->write->estate;

	store->suppressed = false;
	ResetPerTupleExprContext(estate);
	estate->es_output_cid = GetCurrentCommandId(true);
}

static TupleTableSlot *
new_row(ItemStore *store, const ItemKey *key, const ItemData *attributes)
{
	StoreWriteState *state = store->write;
	TupleTableSlot *slot = state->target->slot;
	ExprContext *econtext = GetPerTupleExprContext(state->estate);

	ExecClearTuple(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		ExprState  *value = state->target->defaults[i];

		slot->tts_values[i] = (Datum) 0;
		slot->tts_isnull[i] = true;
		if (value != NULL)
			slot->tts_values[i] =
				ExecEvalExprSwitchContext(value, econtext,
										  &slot->tts_isnull[i]);
	}
	row_set_item(store, slot, key, attributes);
	return ExecStoreVirtualTuple(slot);
}

static void
row_set_item(ItemStore *store, TupleTableSlot *slot, const ItemKey *key,
			 const ItemData *attributes)
{
	int			column;

	for (int i = 0; i < key->n; i++)
	{
		column = store->relation.key_attnums[i] - 1;
		slot->tts_values[column] = key->datums[i];
		slot->tts_isnull[column] = false;
	}
	column = store->relation.attributes_attnum - 1;
	slot->tts_values[column] = PointerGetDatum(attributes);
	slot->tts_isnull[column] = false;
	slot->tts_tableOid = RelationGetRelid(store->rel);
}

/* A trigger may change what it likes except whose row it is. */
static void
check_key_kept(ItemStore *store, const ItemKey *key, TupleTableSlot *slot)
{
	for (int i = 0; i < key->n; i++)
	{
		ScanKey		equal = &store->relation.equal_keys[i];
		Datum		value;
		bool		isnull;

		value = slot_getattr(slot, store->relation.key_attnums[i], &isnull);
		if (isnull ||
			!DatumGetBool(FunctionCall2Coll(&equal->sk_func,
											equal->sk_collation, value,
											key->datums[i])))
			ereport(ERROR,
					(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
					 errmsg("BEFORE trigger on table \"%s\" must not change column \"%s\"",
							RelationGetRelationName(store->rel),
							i == 0 ? META_PK_COLUMN : META_SK_COLUMN),
					 errdetail("An item function writes the item of the key that it was given.")));
	}
}

static void
check_row(ItemStore *store, TupleTableSlot *slot, CmdType change,
		  bool before_triggers)
{
	ResultRelInfo *relinfo = store->write->target->relinfo;
	Relation	rel = store->rel;
	EState	   *estate = store->write->estate;
	TupleConstr *constr = RelationGetDescr(rel)->constr;

	if (constr != NULL && constr->has_generated_stored)
		ExecComputeStoredGenerated(relinfo, estate, slot, change);
	store_locals_check(store, slot);
	if (constr != NULL)
		ExecConstraints(relinfo, slot, estate);
	if (rel->rd_rel->relispartition &&
		(rel == store->named || before_triggers))
		ExecPartitionCheck(relinfo, slot, estate, true);
}

static bool
insert_speculatively(ItemStore *store, const ItemKey *key,
					 TupleTableSlot *slot, List **recheck)
{
	StoreTarget *target = store->write->target;
	bool		conflict = false;
	bool		locked = store_keylock_enter(store->table, key);
	uint32		token;

	token = store_speculate(store, slot);
	*recheck = compat_insert_index_tuples(target->relinfo, slot,
										  store->write->estate, false, true,
										  &conflict, target->arbiters, false);
	store_speculate_end(store, slot, token, !conflict);
	store_keylock_leave(store->table, key, locked);
	return !conflict;
}

bool
store_executor_update(ItemStore *store, const ItemKey *key, StoreRow *row,
					  const ItemData *attributes)
{
	StoreWriteState *state = store->write;
	ResultRelInfo *relinfo = state->target->relinfo;
	TriggerDesc *triggers = relinfo->ri_TrigDesc;
	bool		before = triggers && triggers->trig_update_before_row;
	ItemPointerData tid = row->slot->tts_tid;
	TupleTableSlot *slot;
	TM_FailureData failure;
	TM_Result	result;
	LockTupleMode mode;
	CompatUpdateIndexes indexes;
	List	   *recheck = NIL;
	ItemKey		placed;

	CheckCmdReplicaIdentity(store->rel, CMD_UPDATE);
	row_begin(store);
	key = store_key_of_row(store, key, row, &placed);
	slot = changed_row(store, key, row, attributes);
	if (before)
	{
		if (!compat_before_row_update(state->estate, &state->epqstate,
									  relinfo, &tid, slot))
		{
			store->suppressed = true;
			return true;
		}
		check_key_kept(store, key, slot);
	}
	check_row(store, slot, CMD_UPDATE, before);
	result = table_tuple_update(store->rel, &tid, slot,
								state->estate->es_output_cid,
								state->estate->es_snapshot, InvalidSnapshot,
								true, &failure, &mode, &indexes);
	if (!store_judge(store, result, &failure, state->estate->es_output_cid))
		return false;
	if (relinfo->ri_NumIndices > 0 && !COMPAT_INDEXES_NONE(indexes))
		recheck = compat_insert_index_tuples(relinfo, slot, state->estate,
											 true, false, NULL, NIL,
											 COMPAT_INDEXES_SUMMARIZING(indexes));
	ExecARUpdateTriggers(state->estate, relinfo, NULL, NULL, &tid, NULL, slot,
						 recheck, state->updated, false);
	list_free(recheck);
	finish_change(store, key, row, slot);
	return true;
}

/* The old row with other attributes. */
static TupleTableSlot *
changed_row(ItemStore *store, const ItemKey *key, StoreRow *row,
			const ItemData *attributes)
{
	TupleTableSlot *slot = store->write->target->slot;
	int			natts = slot->tts_tupleDescriptor->natts;

	slot_getallattrs(row->slot);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, row->slot->tts_values, natts * sizeof(Datum));
	memcpy(slot->tts_isnull, row->slot->tts_isnull, natts * sizeof(bool));
	row_set_item(store, slot, key, attributes);
	return ExecStoreVirtualTuple(slot);
}

bool
store_executor_delete(ItemStore *store, const ItemKey *key, StoreRow *row)
{
	StoreWriteState *state = store->write;
	ResultRelInfo *relinfo = state->target->relinfo;
	TriggerDesc *triggers = relinfo->ri_TrigDesc;
	ItemPointerData tid = row->slot->tts_tid;
	TM_FailureData failure;
	TM_Result	result;
	ItemKey		placed;

	CheckCmdReplicaIdentity(store->rel, CMD_DELETE);
	row_begin(store);
	key = store_key_of_row(store, key, row, &placed);
	if (triggers && triggers->trig_delete_before_row &&
		!compat_before_row_delete(state->estate, &state->epqstate, relinfo,
								  &tid))
	{
		store->suppressed = true;
		return true;
	}
	result = table_tuple_delete(store->rel, &tid,
								state->estate->es_output_cid,
								state->estate->es_snapshot, InvalidSnapshot,
								true, &failure, false);
	if (!store_judge(store, result, &failure, state->estate->es_output_cid))
		return false;
	ExecARDeleteTriggers(state->estate, relinfo, &tid, NULL, state->deleted,
						 false);
	finish_change(store, key, row, NULL);
	return true;
}

/*
 * Tells of the change, with the attributes as triggers left them, in the
 * caller's memory context.
 */
static void
finish_change(ItemStore *store, const ItemKey *key, StoreRow *old_row,
			  TupleTableSlot *slot)
{
	store->stored = NULL;
	if (slot != NULL)
	{
		Datum		value;
		bool		isnull;

		value = slot_getattr(slot, store->relation.attributes_attnum, &isnull);
		store->stored = (ItemData *) PG_DETOAST_DATUM_COPY(value);
		if (store->relation.user_triggers)
			store_check_indexed(store->table, key, item_root(store->stored));
	}
	store_row_changed(store, key, old_row, store->stored);
}
