/*
 * api_plan.c
 *	  query(), scan() and merge_query() in FROM, as a plan node of their own.
 *
 * The server's function scan collects all rows of a function before it
 * returns the first.  The node ItemRead yields them as they are read, so that
 * a LIMIT above stops the reading, and EXPLAIN shows what is read.  How many
 * rows to expect is asked of read_support(), with either node.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

#include "api/api_private.h"

PG_FUNCTION_INFO_V1(read_support);

/* Part of a partition that a condition on the sort key keeps. */
#define DEFAULT_RANGE_SEL	0.1

#define MAX_ARGUMENTS		10

typedef struct ItemReadState
{
	CustomScanState css;
	FuncExpr   *call;
	ApiReadArguments arguments;
	ExprState  *args[MAX_ARGUMENTS];
	MemoryContext context;		/* of a scan; reset by a rescan */
	ApiQuery	request;
	ApiCursor  *cursor;			/* NULL: not open */
	int64		nread;			/* by scans that have ended */
} ItemReadState;

static void add_read_path(PlannerInfo *root, RelOptInfo *rel,
						  RangeTblEntry *rte);
static Plan *plan_read(PlannerInfo *root, RelOptInfo *rel,
					   CustomPath *best_path, List *tlist, List *clauses,
					   List *custom_plans);
static Node *create_state(CustomScan *scan);
static void read_begin(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *read_exec(CustomScanState *node);
static void read_end(CustomScanState *node);
static void read_rescan(CustomScanState *node);
static void read_explain(CustomScanState *node, List *ancestors,
						 ExplainState *es);
static TupleTableSlot *read_access(ScanState *node);
static bool read_recheck(ScanState *node, TupleTableSlot *slot);
static void start(ItemReadState *state);
static void stop(ItemReadState *state);
static bool constant_request(const ItemReadState *state, ApiQuery *request);
static void append_bounds(StringInfo text, const ScanSpec *spec);
static void append_value(StringInfo text, const char *name,
						 const char *operator, ItemRef value);
static bool has_range(const ApiQuery *request);
static double estimate_rows(const ApiQuery *request, bool bounded);
static double rows_of_relation(Oid relid);
static double partitions_of_relation(Oid relid);

static const CustomPathMethods read_path_methods = {
	.CustomName = "ItemRead",
	.PlanCustomPath = plan_read
};

static const CustomScanMethods read_methods = {
	.CustomName = "ItemRead",
	.CreateCustomScanState = create_state
};

static const CustomExecMethods read_exec_methods = {
	.CustomName = "ItemRead",
	.BeginCustomScan = read_begin,
	.ExecCustomScan = read_exec,
	.EndCustomScan = read_end,
	.ReScanCustomScan = read_rescan,
	.ExplainCustomScan = read_explain
};

/* Called once at start-up. */
void
api_init(void)
{
	RegisterCustomScanMethods(&read_methods);
	scan_register_function_paths(add_read_path);
}

/*
 * Where rows may have to be checked again, because a statement locks or
 * changes rows of its other tables, the server's own node knows how to.
 */
static void
add_read_path(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	RangeTblFunction *function = linitial(rte->functions);
	FuncExpr   *call = (FuncExpr *) function->funcexpr;
	CustomPath *path;
	QualCost	cost;

	if (list_length(rte->functions) != 1 || rte->funcordinality ||
		!IsA(call, FuncExpr) || root->parse->commandType != CMD_SELECT ||
		root->rowMarks != NIL || api_read_function(call->funcid) == NULL)
		return;

	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.param_info = get_baserel_parampathinfo(root, rel,
													  rel->lateral_relids);
	path->path.parallel_safe = rel->consider_parallel;
	path->path.rows = path->path.param_info != NULL ?
		path->path.param_info->ppi_rows : rel->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make1(call);
	path->methods = &read_path_methods;

	/* as cost_functionscan(), but half of the call is paid item by item */
	cost_qual_eval_node(&cost, (Node *) call, root);
	path->path.startup_cost = cost.startup + cost.per_tuple / 2 +
		rel->baserestrictcost.startup +
		path->path.pathtarget->cost.startup;
	path->path.total_cost = path->path.startup_cost + cost.per_tuple / 2 +
		rel->tuples * (cpu_tuple_cost + rel->baserestrictcost.per_tuple) +
		path->path.rows * path->path.pathtarget->cost.per_tuple;
	add_path(rel, &path->path);
}

static Plan *
plan_read(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
		  List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	FuncExpr   *call = linitial(best_path->custom_private);
	Var		   *var = makeVar(rel->relid, 1, call->funcresulttype, -1,
							  call->funccollid, 0);

	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->scan.scanrelid = 0;
	scan->flags = best_path->flags;
	scan->custom_exprs = list_make1(call);
	scan->custom_scan_tlist = list_make1(makeTargetEntry((Expr *) var, 1, NULL,
														 false));
	scan->methods = &read_methods;
	return &scan->scan.plan;
}

static Node *
create_state(CustomScan *scan)
{
	ItemReadState *state = palloc0(sizeof(ItemReadState));

	NodeSetTag(state, T_CustomScanState);
	state->css.flags = scan->flags;
	state->css.methods = &read_exec_methods;
	return (Node *) state;
}

static void
read_begin(CustomScanState *node, EState *estate, int eflags)
{
	ItemReadState *state = (ItemReadState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	AclResult	result;
	int			n = 0;
	ListCell   *lc;

	state->call = linitial_node(FuncExpr, scan->custom_exprs);
	state->arguments = api_read_function(state->call->funcid);
	if (state->arguments == NULL ||
		list_length(state->call->args) > MAX_ARGUMENTS)
		elog(ERROR, "function %u does not read items", state->call->funcid);
	result = compat_function_aclcheck(state->call->funcid, ACL_EXECUTE);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION,
					   get_func_name(state->call->funcid));
	foreach(lc, state->call->args)
		state->args[n++] = ExecInitExpr(lfirst(lc), &node->ss.ps);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		state->context = AllocSetContextCreate(estate->es_query_cxt,
											   "item read",
											   ALLOCSET_DEFAULT_SIZES);
}

static TupleTableSlot *
read_exec(CustomScanState *node)
{
	return ExecScan(&node->ss, read_access, read_recheck);
}

/* The item is in the per-tuple memory that has just been reset. */
static TupleTableSlot *
read_access(ScanState *node)
{
	ItemReadState *state = (ItemReadState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	MemoryContext old;
	ItemData   *item;

	if (state->cursor == NULL)
		start(state);
	ExecClearTuple(slot);
	old = MemoryContextSwitchTo(node->ps.ps_ExprContext->ecxt_per_tuple_memory);
	item = api_cursor_next(state->cursor);
	MemoryContextSwitchTo(old);
	if (item == NULL)
		return slot;
	slot->tts_values[0] = PointerGetDatum(item);
	slot->tts_isnull[0] = false;
	return ExecStoreVirtualTuple(slot);
}

/* See add_read_path(): nothing is ever checked again. */
static bool
read_recheck(ScanState *node, TupleTableSlot *slot)
{
	elog(ERROR, "rows of an item read cannot be checked again");
	return false;				/* keep compiler quiet */
}

static void
start(ItemReadState *state)
{
	LOCAL_FCINFO(fcinfo, MAX_ARGUMENTS);
	PlanState  *ps = &state->css.ss.ps;
	MemoryContext old = MemoryContextSwitchTo(state->context);
	int			n = list_length(state->call->args);

	InitFunctionCallInfoData(*fcinfo, NULL, n, InvalidOid, NULL, NULL);
	for (int i = 0; i < n; i++)
		fcinfo->args[i].value = ExecEvalExpr(state->args[i],
											 ps->ps_ExprContext,
											 &fcinfo->args[i].isnull);
	state->arguments(fcinfo, &state->request);
	state->cursor = api_cursor_open(&state->request, ps->state->es_snapshot);
	MemoryContextSwitchTo(old);
}

static void
stop(ItemReadState *state)
{
	if (state->cursor == NULL)
		return;
	state->nread += api_cursor_items_read(state->cursor);
	api_cursor_close(state->cursor);
	state->cursor = NULL;
	MemoryContextReset(state->context);
}

static void
read_rescan(CustomScanState *node)
{
	ExecScanReScan(&node->ss);
	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	stop((ItemReadState *) node);
}

static void
read_end(CustomScanState *node)
{
	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	stop((ItemReadState *) node);
}

static void
read_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	ItemReadState *state = (ItemReadState *) node;
	List	   *context;
	ApiQuery	constant;
	const ApiQuery *request = NULL;
	int64		nread = state->nread;

	context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan,
									   ancestors);
	ExplainPropertyText("Function Call",
						deparse_expression((Node *) state->call, context,
										   list_length(es->rtable) > 1 ||
										   es->verbose, false), es);
	if (state->cursor != NULL)
	{
		request = &state->request;
		nread += api_cursor_items_read(state->cursor);
	}
	else if (constant_request(state, &constant))
		request = &constant;
	if (request != NULL)
	{
		ApiReadDescription description;

		api_read_describe(request, &description);
		ExplainPropertyText("Table", description.table_name, es);
		ExplainPropertyText("Index", description.index_name, es);
		if (description.bounds != NULL)
			ExplainPropertyText("Bounds", description.bounds, es);
		if (description.shards > 0)
			ExplainPropertyInteger("Shards", NULL, description.shards, es);
	}
	if (es->analyze)
		ExplainPropertyInteger("Items Read", NULL, nread, es);
}

/* The request, if it depends on nothing that is not known. */
static bool
constant_request(const ItemReadState *state, ApiQuery *request)
{
	LOCAL_FCINFO(fcinfo, MAX_ARGUMENTS);
	int			n = 0;
	ListCell   *lc;

	InitFunctionCallInfoData(*fcinfo, NULL, list_length(state->call->args),
							 InvalidOid, NULL, NULL);
	foreach(lc, state->call->args)
	{
		Const	   *constant = lfirst(lc);

		if (!IsA(constant, Const))
			return false;
		fcinfo->args[n].value = constant->constvalue;
		fcinfo->args[n++].isnull = constant->constisnull;
	}
	state->arguments(fcinfo, request);
	return true;
}

void
api_describe_scan(const ScanSpec *spec, ApiReadDescription *description)
{
	const ItemTable *table = spec->table;
	StringInfoData bounds;

	description->table_name = table->table_name;
	description->shards = scan_shards(spec);
	if (spec->index != NULL)
		description->index_name = spec->index->name;
	else
		description->index_name =
			get_rel_name(store_has_logical_index(table) ?
						 table->logical_index : table->key_index);
	initStringInfo(&bounds);
	append_bounds(&bounds, spec);
	description->bounds = bounds.len > 0 ? bounds.data : NULL;
}

/* Keys of several attributes are shown as the columns that hold them. */
static void
append_bounds(StringInfo text, const ScanSpec *spec)
{
	const KeySchema *schema = &spec->table->schema;
	const ItemIndex *index = spec->index;
	const char *pk_name = schema->attributes[0].name;
	const char *sk_name = schema->n > 1 ? schema->attributes[1].name : NULL;

	if (index != NULL)
	{
		pk_name = index->npartition == 1 ? index->keys[0].attribute.name :
			META_PK_COLUMN;
		sk_name = index->nsort == 1 ?
			index->keys[index->npartition].attribute.name : META_SK_COLUMN;
	}
	if (spec->pk == NULL)
	{
		if (spec->total_segments > 0)
			appendStringInfo(text, "segment %d of %d", spec->segment,
							 spec->total_segments);
		return;
	}
	if (spec->npks == 0 && !spec->empty)
		append_value(text, pk_name, "=", spec->pk[0].refs[0]);
	else
	{
		appendStringInfo(text, "%s IN (", quote_identifier(pk_name));
		for (int i = 0; i < spec->npks; i++)
		{
			if (i > 0)
				appendStringInfoString(text, ", ");
			item_append_json(text, spec->pk[i].refs[0]);
		}
		appendStringInfoChar(text, ')');
	}
	if (spec->range.lower.present)
	{
		appendStringInfoString(text, " AND ");
		append_value(text, sk_name, spec->range.lower.inclusive ? ">=" : ">",
					 spec->range.lower.ref);
	}
	if (spec->range.upper.present)
	{
		appendStringInfoString(text, " AND ");
		append_value(text, sk_name, spec->range.upper.inclusive ? "<=" : "<",
					 spec->range.upper.ref);
	}
}

static void
append_value(StringInfo text, const char *name, const char *operator,
			 ItemRef value)
{
	appendStringInfo(text, "%s %s ", quote_identifier(name), operator);
	item_append_json(text, value);
}

/*
 * Planner support of the functions that read items.
 */
Datum
read_support(PG_FUNCTION_ARGS)
{
	SupportRequestRows *rows = (SupportRequestRows *) PG_GETARG_POINTER(0);
	LOCAL_FCINFO(call, MAX_ARGUMENTS);
	ApiReadArguments arguments;
	FuncExpr   *function;
	ApiQuery	request;
	double		estimate;
	int			n = 0;
	ListCell   *lc;

	if (!IsA(rows, SupportRequestRows) || !is_funcclause(rows->node))
		PG_RETURN_POINTER(NULL);
	function = (FuncExpr *) rows->node;
	arguments = api_read_function(function->funcid);
	if (arguments == NULL || list_length(function->args) > MAX_ARGUMENTS)
		PG_RETURN_POINTER(NULL);

	/* what is not known passes for absent; pks for one */
	InitFunctionCallInfoData(*call, NULL, list_length(function->args),
							 InvalidOid, NULL, NULL);
	foreach(lc, function->args)
	{
		Node	   *arg = rows->root == NULL ? lfirst(lc) :
			estimate_expression_value(rows->root, lfirst(lc));
		Const	   *constant = (Const *) arg;

		call->args[n].isnull = !IsA(arg, Const) || constant->constisnull;
		call->args[n].value = call->args[n].isnull ? (Datum) 0 :
			constant->constvalue;
		if (call->args[n].isnull && n == 0)
			PG_RETURN_POINTER(NULL);
		if (call->args[n].isnull && exprType(arg) == TEXTARRAYOID)
		{
			call->args[n].value = PointerGetDatum(construct_empty_array(TEXTOID));
			call->args[n].isnull = false;
		}
		n++;
	}
	arguments(call, &request);
	estimate = estimate_rows(&request, has_range(&request));
	if (estimate < 0)
		PG_RETURN_POINTER(NULL);
	if (request.has_max_items && request.max_items > 0)
		estimate = Min(estimate, request.max_items);
	rows->rows = clamp_row_est(estimate);
	PG_RETURN_POINTER(rows);
}

/* Does a request say anything of the sort key, as far as is known? */
static bool
has_range(const ApiQuery *request)
{
	char	   *condition;

	if (request->lower.data != NULL || request->upper.data != NULL)
		return true;
	if (request->key_condition.data == NULL)
		return false;
	condition = asc_tolower(request->key_condition.data,
							request->key_condition.len);
	return strstr(condition, " and ") != NULL;
}

/* Items that a request reads; negative when nothing is known. */
static double
estimate_rows(const ApiQuery *request, bool bounded)
{
	Oid			relid = meta_find_table(request->table_name.data,
										request->table_name.len);
	const ItemTable *table = OidIsValid(relid) ? meta_table_if_any(relid) :
		NULL;
	const ItemIndex *index = NULL;
	double		rows;

	if (table == NULL)
		return -1;
	if (request->index_name.data != NULL)
		index = meta_index_find(table, request->index_name.data,
								request->index_name.len);
	if (index != NULL && index->global)
		relid = store_index_relid(table, index);
	rows = rows_of_relation(relid);
	if (rows < 0)
		return -1;
	if (request->kind == API_SCAN)
		return request->has_total_segments && request->total_segments > 0 ?
			rows / request->total_segments : rows;

	rows /= partitions_of_relation(relid);
	if (index == NULL || !index->global)
		rows *= Max(key_shard_count(&table->schema.sharding), 1);
	else
		rows *= Max(index->write_shards, 1);
	if (request->kind == API_MERGE)
		rows *= Max(ArrayGetNItems(ARR_NDIM(request->pks),
								   ARR_DIMS(request->pks)), 1);
	return bounded ? rows * DEFAULT_RANGE_SEL : rows;
}

static double
rows_of_relation(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	double		rows = -1;

	if (HeapTupleIsValid(tuple))
	{
		rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
		ReleaseSysCache(tuple);
	}
	return rows;
}

/* Distinct stored partition keys. */
static double
partitions_of_relation(Oid relid)
{
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(relid),
										Int16GetDatum(get_attnum(relid,
																 META_PK_COLUMN)),
										BoolGetDatum(false));
	double		distinct;

	if (!HeapTupleIsValid(tuple))
		return Max(rows_of_relation(relid) / 20.0, 1.0);
	distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
	ReleaseSysCache(tuple);
	if (distinct < 0)
		distinct = -distinct * rows_of_relation(relid);
	return Max(distinct, 1.0);
}
