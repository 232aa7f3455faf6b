/*
 * scan_path.c
 *	  The planner's side of merging shards: paths for
 *
 *		WHERE shard_base(pk) = X [AND sk ...] [ORDER BY sk [DESC]] [LIMIT n]
 *
 * on a table with write shards.  Such a path reads one range of the key index
 * for each shard, all at the same time, and yields rows in the order of sk; it
 * competes by cost with what the planner finds itself.  X and the bounds of
 * sk may be parameters, or columns of other relations: then the path is
 * parameterised by these, as the inner side of a nested loop.
 *
 * Folders above register those who look after function scans.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_statistic.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "base/guc.h"
#include "scan/scan_private.h"

static set_rel_pathlist_hook_type next_pathlist_hook = NULL;
static ScanFunctionPaths function_paths = NULL;

static void add_paths(PlannerInfo *root, RelOptInfo *rel, Index rti,
					  RangeTblEntry *rte);
static void add_merge_paths(PlannerInfo *root, RelOptInfo *rel,
							RangeTblEntry *rte);
static List *outer_relids_of_clauses(PlannerInfo *root, RelOptInfo *rel);
static bool is_shard_base_member(PlannerInfo *root, RelOptInfo *rel,
								 EquivalenceClass *ec, EquivalenceMember *em,
								 void *arg);
static bool prepare_clauses(MergeClauses *clauses, const ItemTable *table);
static bool needs_system_columns(RelOptInfo *rel);
static void add_paths_for(MergeClauses *clauses, const ItemTable *table,
						  Relids outer);
static List *sort_pathkeys(MergeClauses *clauses, ScanDirection direction);
static void add_path_for(MergeClauses *clauses, ParamPathInfo *param,
						 List *pathkeys, bool forward, int shards);
static bool has_equality(const MergeClauses *clauses);
static void cost_merge(MergeClauses *clauses, CustomPath *path, int shards);
static Cost cost_heap_pages(MergeClauses *clauses, Relids outer, double rows,
							Selectivity selectivity);
static double loop_count(PlannerInfo *root, Relids outer);
static double sort_key_correlation(MergeClauses *clauses);
static Plan *plan_merge(PlannerInfo *root, RelOptInfo *rel,
						CustomPath *best_path, List *tlist, List *clauses,
						List *custom_plans);
static List *base_first(List *quals, RelOptInfo *rel);
static List *remaining_clauses(List *clauses, List *enforced);

static const CustomPathMethods merge_path_methods = {
	.CustomName = "ShardMerge",
	.PlanCustomPath = plan_merge
};

/* Called once at start-up. */
void
scan_init(void)
{
	next_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_paths;
	scan_custom_init();
}

void
scan_register_function_paths(ScanFunctionPaths callback)
{
	function_paths = callback;
}

static void
add_paths(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	if (next_pathlist_hook != NULL)
		next_pathlist_hook(root, rel, rti, rte);
	if (IS_DUMMY_REL(rel))
		return;
	if (rte->rtekind == RTE_FUNCTION && function_paths != NULL)
		function_paths(root, rel, rte);
	else if (rte->rtekind == RTE_RELATION &&
			 rte->relkind == RELKIND_RELATION &&
			 rte->relid >= FirstNormalObjectId &&
			 rte->tablesample == NULL && guc_enable_shard_merge)
		add_merge_paths(root, rel, rte);
}

/*
 * Whatever a query says nothing of shards must not be planned more slowly, so
 * the clauses are looked at before the catalog is.
 */
static void
add_merge_paths(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	MergeClauses clauses = {.root = root, .rel = rel};
	List	   *outer_sets = outer_relids_of_clauses(root, rel);
	const ItemTable *table;
	ListCell   *lc;

	if (outer_sets == NIL)
		return;
	table = meta_table_if_any(rte->relid);
	if (table == NULL || !prepare_clauses(&clauses, table) ||
		needs_system_columns(rel))
		return;
	foreach(lc, outer_sets)
		add_paths_for(&clauses, table, bms_union(lfirst(lc),
												 rel->lateral_relids));
}

/*
 * Sets of other relations, maybe empty ones, that an equality on
 * shard_base(pk) refers to.
 */
static List *
outer_relids_of_clauses(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *joins = rel->joininfo;
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
	{
		if (scan_match_shard_base(root, rel, lfirst(lc)) != NULL)
			return list_make1(NULL);
	}
	if (rel->has_eclass_joins)
		joins = list_concat_copy(joins,
								 generate_implied_equalities_for_column(root, rel,
																		is_shard_base_member,
																		NULL,
																		rel->lateral_referencers));
	foreach(lc, joins)
	{
		RestrictInfo *rinfo = lfirst(lc);
		Relids		outer;

		if (scan_match_shard_base(root, rel, rinfo) == NULL ||
			!join_clause_is_movable_to(rinfo, rel))
			continue;
		outer = bms_difference(rinfo->clause_relids, rel->relids);
		if (!bms_is_empty(outer))
			result = lappend(result, outer);
	}
	return result;
}

static bool
is_shard_base_member(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *ec,
					 EquivalenceMember *em, void *arg)
{
	return scan_is_shard_base((Node *) em->em_expr, rel);
}

/*
 * What matching needs to know of the table; false when it has no shards, or no
 * key index that can be used.
 */
static bool
prepare_clauses(MergeClauses *clauses, const ItemTable *table)
{
	ListCell   *lc;

	if (table->schema.sharding.count == 0 || table->partitioned ||
		!OidIsValid(table->key_index))
		return false;
	foreach(lc, clauses->rel->indexlist)
	{
		IndexOptInfo *index = lfirst(lc);

		if (index->indexoid == table->key_index && !index->hypothetical)
			clauses->index = index;
	}
	if (clauses->index == NULL)
		return false;
	clauses->by_sort_key = table->schema.sharding.by == KEY_SHARD_SORT_KEY;
	clauses->sk_attnum = table->key_attnums[1];
	clauses->type = key_column_type(table->schema.attributes[1].type);
	clauses->opfamily = get_opclass_family(GetDefaultOpClass(clauses->type,
															 BTREE_AM_OID));
	clauses->collation = clauses->index->indexcollations[1];
	return true;
}

/* Rows of a merge have no system columns but ctid and tableoid. */
static bool
needs_system_columns(RelOptInfo *rel)
{
	for (int attnum = rel->min_attr; attnum < 0; attnum++)
	{
		if (attnum != SelfItemPointerAttributeNumber &&
			attnum != TableOidAttributeNumber &&
			!bms_is_empty(rel->attr_needed[attnum - rel->min_attr]))
			return true;
	}
	return scan_uses_system_columns(rel->baserestrictinfo);
}

static void
add_paths_for(MergeClauses *clauses, const ItemTable *table, Relids outer)
{
	RelOptInfo *rel = clauses->rel;
	int			shards = key_shard_count(&table->schema.sharding);
	List	   *rinfos = rel->baserestrictinfo;
	ParamPathInfo *param;
	List	   *forward;
	List	   *backward;

	param = get_baserel_parampathinfo(clauses->root, rel,
									  bms_is_empty(outer) ? NULL : outer);
	if (param != NULL)
		rinfos = list_concat_copy(rinfos, param->ppi_clauses);
	if (!scan_match_clauses(clauses, rinfos))
		return;
	forward = sort_pathkeys(clauses, ForwardScanDirection);
	backward = sort_pathkeys(clauses, BackwardScanDirection);
	add_path_for(clauses, param, forward, true, shards);
	if (backward != NIL && backward != forward)
		add_path_for(clauses, param, backward, false, shards);
}

/* The order of sk, as far as the query has a use for it. */
static List *
sort_pathkeys(MergeClauses *clauses, ScanDirection direction)
{
	IndexOptInfo *index = clauses->index;
	IndexOptInfo by_sk = *index;

	if (index->sortopfamily == NULL)
		return NIL;
	by_sk.ncolumns = by_sk.nkeycolumns = 1;
	by_sk.indextlist = list_make1(lsecond(index->indextlist));
	by_sk.indexcollations++;
	by_sk.opfamily++;
	by_sk.opcintype++;
	by_sk.sortopfamily++;
	by_sk.reverse_sort++;
	by_sk.nulls_first++;
	return truncate_useless_pathkeys(clauses->root, clauses->rel,
									 build_index_pathkeys(clauses->root,
														  &by_sk, direction));
}

static void
add_path_for(MergeClauses *clauses, ParamPathInfo *param, List *pathkeys,
			 bool forward, int shards)
{
	RelOptInfo *rel = clauses->rel;
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.param_info = param;
	path->path.parallel_safe = rel->consider_parallel;
	path->path.rows = param != NULL ? param->ppi_rows : rel->rows;
	path->path.pathkeys = pathkeys;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make5(makeInteger(forward), clauses->base,
									  clauses->strategies, clauses->values,
									  list_make2(clauses->enforced,
												 get_actual_clauses(clauses->used)));
	path->methods = &merge_path_methods;
	cost_merge(clauses, path, has_equality(clauses) ? 1 : shards);
	add_path(rel, &path->path);
}

/* One sort key is looked for in one shard, unless it does not decide on it. */
static bool
has_equality(const MergeClauses *clauses)
{
	return clauses->by_sort_key &&
		list_member_int(clauses->strategies, BTEqualStrategyNumber);
}

/*
 * Each shard costs a descent of the index, its leaf page and its first row,
 * before the first row can be yielded.  The rest is paid row by row: an entry,
 * its part of a heap page, the heap of the merge, and what is left of the
 * quals.
 */
static void
cost_merge(MergeClauses *clauses, CustomPath *path, int shards)
{
	PlannerInfo *root = clauses->root;
	RelOptInfo *rel = clauses->rel;
	IndexOptInfo *index = clauses->index;
	List	   *quals = rel->baserestrictinfo;
	double		descent = cpu_operator_cost *
		(ceil(log(Max(index->tuples, 2)) / log(2.0)) +
		 50.0 * (Max(index->tree_height, 0) + 1));
	Selectivity selectivity;
	double		rows;
	double		heads;
	double		per_row;
	QualCost	qual_cost;

	if (path->path.param_info != NULL)
		quals = list_concat_copy(quals, path->path.param_info->ppi_clauses);
	selectivity = clauselist_selectivity(root, clauses->used, rel->relid,
										 JOIN_INNER, NULL);
	rows = clamp_row_est(rel->tuples * selectivity);
	heads = Min(rows, shards);
	cost_qual_eval(&qual_cost, remaining_clauses(quals, clauses->enforced),
				   root);
	per_row = cost_heap_pages(clauses, PATH_REQ_OUTER(&path->path), rows,
							  selectivity) / rows +
		cpu_index_tuple_cost + cpu_tuple_cost +
		cpu_operator_cost * (1.0 + log(shards) / log(2.0)) +
		qual_cost.per_tuple;

	path->path.startup_cost = qual_cost.startup +
		path->path.pathtarget->cost.startup +
		shards * (descent + random_page_cost) + heads * per_row;
	path->path.total_cost = path->path.startup_cost +
		(rows - heads) * per_row +
		path->path.rows * path->path.pathtarget->cost.per_tuple;
}

/*
 * As cost_index() does it: between pages in no order and pages in the order of
 * the rows, by how far the heap is in the order of sk; many scans of a nested
 * loop find pages that others have read.
 */
static Cost
cost_heap_pages(MergeClauses *clauses, Relids outer, double rows,
				Selectivity selectivity)
{
	RelOptInfo *rel = clauses->rel;
	double		loops = loop_count(clauses->root, outer);
	double		correlation = sort_key_correlation(clauses);
	double		pages;
	Cost		random_cost;
	Cost		ordered_cost;

	random_cost = index_pages_fetched(rows * loops, rel->pages,
									  clauses->index->pages, clauses->root) *
		random_page_cost / loops;
	pages = Max(ceil(selectivity * rel->pages), 1.0);
	ordered_cost = random_page_cost + (pages - 1) * seq_page_cost;
	return random_cost +
		correlation * correlation * (Min(ordered_cost, random_cost) -
									 random_cost);
}

/* How often a path that depends on other relations will be run, at least. */
static double
loop_count(PlannerInfo *root, Relids outer)
{
	double		result = 0;
	int			relid = -1;

	while ((relid = bms_next_member(outer, relid)) >= 0)
	{
		RelOptInfo *rel = relid < root->simple_rel_array_size ?
			root->simple_rel_array[relid] : NULL;

		if (rel != NULL && !IS_DUMMY_REL(rel) &&
			(result == 0 || rel->rows < result))
			result = rel->rows;
	}
	return Max(result, 1.0);
}

/* Correlation of the sort key with the order of the heap, from statistics. */
static double
sort_key_correlation(MergeClauses *clauses)
{
	RangeTblEntry *rte = planner_rt_fetch(clauses->rel->relid, clauses->root);
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(rte->relid),
										Int16GetDatum(clauses->sk_attnum),
										BoolGetDatum(false));
	AttStatsSlot slot;
	double		result = 0;

	if (!HeapTupleIsValid(tuple))
		return 0;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_CORRELATION, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		result = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return result;
}

static Plan *
plan_merge(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
		   List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	List	   *found = best_path->custom_private;
	List	   *lists = llast(found);

	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual =
		extract_actual_clauses(remaining_clauses(clauses, linitial(lists)),
							   false);
	scan->scan.scanrelid = rel->relid;
	scan->flags = best_path->flags;
	scan->custom_exprs = list_make3(lsecond(found), lfourth(found),
									base_first(lsecond(lists), rel));
	scan->custom_private = list_make2(linitial(found), lthird(found));
	scan->methods = &scan_merge_methods;
	return &scan->scan.plan;
}

/*
 * Conditions with shard_base(pk) on the left.  Which way round a join has them
 * depends on the paths that the planner has looked at before.
 */
static List *
base_first(List *quals, RelOptInfo *rel)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, quals)
	{
		OpExpr	   *qual = copyObject(lfirst(lc));

		if (IsA(qual, OpExpr) && list_length(qual->args) == 2 &&
			scan_is_shard_base(lsecond(qual->args), rel) &&
			OidIsValid(get_commutator(qual->opno)))
			CommuteOpExpr(qual);
		result = lappend(result, qual);
	}
	return result;
}

/* Those that the ranges do not enforce. */
static List *
remaining_clauses(List *clauses, List *enforced)
{
	List	   *result = NIL;
	ListCell   *lc;
	ListCell   *known;

	foreach(lc, clauses)
	{
		RestrictInfo *rinfo = lfirst(lc);
		bool		found = false;

		foreach(known, enforced)
		{
			RestrictInfo *other = lfirst(known);

			found |= other == rinfo || equal(other->clause, rinfo->clause);
		}
		if (!found)
			result = lappend(result, rinfo);
	}
	return result;
}
