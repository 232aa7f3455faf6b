/*
 * scan_custom.c
 *	  The executor's side of merging shards: the plan node ShardMerge.
 *
 * The executor has opened and locked the table and checked privileges; row
 * security is among the node's quals.  Partition key and bounds are evaluated
 * when the first row is asked for, and again after a rescan.  How many shards
 * there are is asked then, too: a plan may be older than a change of their
 * number.
 *
 * Rows are passed on as virtual tuples, whose values stay in the buffers of
 * the ranges; see needs_system_columns() in scan_path.c.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "base/compat.h"
#include "scan/scan_private.h"

/* A bound on sk. */
typedef struct MergeBound
{
	int			strategy;
	ExprState  *value;
} MergeBound;

typedef struct ShardMergeState
{
	CustomScanState css;
	bool		forward;
	ExprState  *base;			/* the partition key */
	int			nbounds;
	MergeBound *bounds;
	ExprState  *recheck;		/* of a row that has changed meanwhile */

	ItemStore  *store;
	MemoryContext context;		/* of a scan; reset by a rescan */
	bool		started;
	MergeScan  *merge;			/* NULL: there are no rows */
	RangeScan **ranges;
	int			nranges;

	/* of all scans together */
	int			nshards;
	uint64	   *nread;			/* rows, by shard */
} ShardMergeState;

static Node *create_state(CustomScan *scan);
static void merge_begin(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *merge_exec(CustomScanState *node);
static void merge_end(CustomScanState *node);
static void merge_rescan(CustomScanState *node);
static void merge_explain(CustomScanState *node, List *ancestors,
						  ExplainState *es);
static TupleTableSlot *merge_access(ScanState *node);
static bool merge_recheck(ScanState *node, TupleTableSlot *slot);
static void start(ShardMergeState *state);
static bool evaluate_bounds(ShardMergeState *state, KeyRange *range);
static void add_bound(ShardMergeState *state, int strategy, Datum value,
					  KeyRange *range);
static void tighten(ItemType type, KeyBound *bound, Datum value,
					bool inclusive, int side);
static RangeScan *range_of_shard(ShardMergeState *state, ItemRef pk,
								 const KeyRange *bounds, int shard);
static void stop(ShardMergeState *state);
static void explain_condition(ShardMergeState *state, List *ancestors,
							  ExplainState *es);

const CustomScanMethods scan_merge_methods = {
	.CustomName = "ShardMerge",
	.CreateCustomScanState = create_state
};

static const CustomExecMethods merge_exec_methods = {
	.CustomName = "ShardMerge",
	.BeginCustomScan = merge_begin,
	.ExecCustomScan = merge_exec,
	.EndCustomScan = merge_end,
	.ReScanCustomScan = merge_rescan,
	.ExplainCustomScan = merge_explain
};

void
scan_custom_init(void)
{
	RegisterCustomScanMethods(&scan_merge_methods);
}

static Node *
create_state(CustomScan *scan)
{
	ShardMergeState *state = palloc0(sizeof(ShardMergeState));

	NodeSetTag(state, T_CustomScanState);
	state->css.flags = scan->flags;
	state->css.methods = &merge_exec_methods;
	return (Node *) state;
}

static void
merge_begin(CustomScanState *node, EState *estate, int eflags)
{
	ShardMergeState *state = (ShardMergeState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	PlanState  *ps = &node->ss.ps;
	List	   *strategies = lsecond(scan->custom_private);
	List	   *values = lsecond(scan->custom_exprs);

	state->forward = intVal(linitial(scan->custom_private)) != 0;
	state->base = ExecInitExpr(linitial(scan->custom_exprs), ps);
	state->nbounds = list_length(strategies);
	state->bounds = palloc(Max(state->nbounds, 1) * sizeof(MergeBound));
	for (int i = 0; i < state->nbounds; i++)
	{
		state->bounds[i].strategy = list_nth_int(strategies, i);
		state->bounds[i].value = ExecInitExpr(list_nth(values, i), ps);
	}
	state->recheck = ExecInitQual(lthird(scan->custom_exprs), ps);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	state->context = AllocSetContextCreate(estate->es_query_cxt,
										   "shard merge",
										   ALLOCSET_DEFAULT_SIZES);
	state->store = store_attach(node->ss.ss_currentRelation);
}

static TupleTableSlot *
merge_exec(CustomScanState *node)
{
	return ExecScan(&node->ss, merge_access, merge_recheck);
}

static TupleTableSlot *
merge_access(ScanState *node)
{
	ShardMergeState *state = (ShardMergeState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	RangeScan  *range;
	MemoryContext old;
	int			natts;

	if (!state->started)
		start(state);
	if (state->merge == NULL)
		return ExecClearTuple(slot);
	old = MemoryContextSwitchTo(state->context);
	range = scan_merge_next(state->merge);
	MemoryContextSwitchTo(old);
	ExecClearTuple(slot);
	if (range == NULL)
		return slot;

	slot_getallattrs(range->row);
	natts = slot->tts_tupleDescriptor->natts;
	memcpy(slot->tts_values, range->row->tts_values, natts * sizeof(Datum));
	memcpy(slot->tts_isnull, range->row->tts_isnull, natts * sizeof(bool));
	slot->tts_tid = range->row->tts_tid;
	slot->tts_tableOid = range->row->tts_tableOid;
	return ExecStoreVirtualTuple(slot);
}

static bool
merge_recheck(ScanState *node, TupleTableSlot *slot)
{
	ShardMergeState *state = (ShardMergeState *) node;
	ExprContext *econtext = node->ps.ps_ExprContext;

	econtext->ecxt_scantuple = slot;
	return ExecQualAndReset(state->recheck, econtext);
}

/* Evaluates partition key and bounds and opens the ranges. */
static void
start(ShardMergeState *state)
{
	const ItemTable *table = state->store->table;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old;
	KeyRange	range = {0};
	ItemRef		pk;
	Datum		base;
	bool		isnull;

	state->started = true;
	base = ExecEvalExprSwitchContext(state->base, econtext, &isnull);
	if (isnull)
		return;
	old = MemoryContextSwitchTo(state->context);
	if (evaluate_bounds(state, &range))
	{
		pk = key_ref_from_datum(ITEM_S, datumCopy(base, false, -1));
		state->nranges = key_shard_count(&table->schema.sharding);
		state->ranges = palloc(state->nranges * sizeof(RangeScan *));
		for (int i = 0; i < state->nranges; i++)
			state->ranges[i] = range_of_shard(state, pk, &range, i);
		state->merge = scan_merge_begin(state->ranges, state->nranges,
										state->context);
	}
	MemoryContextSwitchTo(old);
}

static RangeScan *
range_of_shard(ShardMergeState *state, ItemRef pk, const KeyRange *bounds,
			   int shard)
{
	const KeySchema *schema = &state->store->table->schema;
	RangeScan  *range;

	range = scan_range_of_partition(state->store,
									state->css.ss.ps.state->es_snapshot,
									key_shard_datum(pk, shard), bounds,
									state->forward);
	if (!scan_range_has_shard(&schema->sharding, schema->attributes[1].type,
							  bounds, shard))
		range->kind = RANGE_NONE;
	return range;
}

/* False when a bound is NULL: then no row passes. */
static bool
evaluate_bounds(ShardMergeState *state, KeyRange *range)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	for (int i = 0; i < state->nbounds; i++)
	{
		struct varlena *plain;
		Datum		value;
		bool		isnull;

		value = ExecEvalExprSwitchContext(state->bounds[i].value, econtext,
										  &isnull);
		if (isnull)
			return false;
		plain = PG_DETOAST_DATUM_PACKED(datumCopy(value, false, -1));
		add_bound(state, state->bounds[i].strategy, PointerGetDatum(plain),
				  range);
	}
	return true;
}

static void
add_bound(ShardMergeState *state, int strategy, Datum value, KeyRange *range)
{
	ItemType	type = state->store->table->schema.attributes[1].type;
	bool		inclusive = strategy != BTLessStrategyNumber &&
		strategy != BTGreaterStrategyNumber;

	if (strategy >= BTEqualStrategyNumber)
		tighten(type, &range->lower, value, inclusive, 1);
	if (strategy <= BTEqualStrategyNumber)
		tighten(type, &range->upper, value, inclusive, -1);
}

/* Of two bounds on one side the tighter one counts. */
static void
tighten(ItemType type, KeyBound *bound, Datum value, bool inclusive, int side)
{
	int			cmp = 1;

	if (bound->present)
		cmp = side * key_datum_compare(type, value, bound->datum);
	if (cmp < 0 || (cmp == 0 && inclusive))
		return;
	bound->present = true;
	bound->inclusive = inclusive;
	bound->datum = value;
}

/* Closes the ranges and counts what they have read. */
static void
stop(ShardMergeState *state)
{
	if (state->nranges > state->nshards)
	{
		MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
		uint64	   *nread = palloc0(state->nranges * sizeof(uint64));

		if (state->nshards > 0)
			memcpy(nread, state->nread, state->nshards * sizeof(uint64));
		state->nread = nread;
		state->nshards = state->nranges;
		MemoryContextSwitchTo(old);
	}
	for (int i = 0; i < state->nranges; i++)
	{
		state->nread[i] += state->ranges[i]->nread;
		scan_range_end(state->ranges[i]);
	}
	state->merge = NULL;
	state->ranges = NULL;
	state->nranges = 0;
	state->started = false;
	MemoryContextReset(state->context);
}

static void
merge_rescan(CustomScanState *node)
{
	ExecScanReScan(&node->ss);
	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	stop((ShardMergeState *) node);
}

static void
merge_end(CustomScanState *node)
{
	ShardMergeState *state = (ShardMergeState *) node;

	if (state->store == NULL)
		return;
	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	stop(state);
	store_detach(state->store);
}

static void
merge_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	ShardMergeState *state = (ShardMergeState *) node;
	const ItemTable *table;
	List	   *rows = NIL;
	uint64		total = 0;

	table = meta_table(RelationGetRelid(node->ss.ss_currentRelation));
	explain_condition(state, ancestors, es);
	ExplainPropertyText("Index", get_rel_name(table->key_index), es);
	ExplainPropertyText("Order", state->forward ? META_SK_COLUMN :
						META_SK_COLUMN " DESC", es);
	ExplainPropertyInteger("Shards", NULL,
						   key_shard_count(&table->schema.sharding), es);
	if (!es->analyze)
		return;
	for (int i = 0; i < Max(state->nshards, state->nranges); i++)
	{
		uint64		n = i < state->nshards ? state->nread[i] : 0;

		if (i < state->nranges)
			n += state->ranges[i]->nread;
		rows = lappend(rows, psprintf(UINT64_FORMAT, n));
		total += n;
	}
	ExplainPropertyUInteger("Rows Read", NULL, total, es);
	if (rows != NIL)
		ExplainPropertyList("Rows per Shard", rows, es);
}

/* What the ranges enforce, as an index condition is shown. */
static void
explain_condition(ShardMergeState *state, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	List	   *context;
	char	   *text;

	context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan,
									   ancestors);
	text = deparse_expression((Node *) make_ands_explicit(lthird(scan->custom_exprs)),
							  context,
							  list_length(es->rtable) > 1 || es->verbose,
							  false);
	ExplainPropertyText("Shard Cond", text, es);
}
