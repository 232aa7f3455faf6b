/*
 * scan_clause.c
 *	  Which clauses of a query a merge of shards can use: an equality on
 *	  shard_base(pk), and bounds on sk.
 *
 * Bounds are recognised as the planner recognises conditions of an index on
 * sk: operators of the type's own order, and what a support function makes of
 * others (begins_with(), LIKE).  The families are those of btree, whatever the
 * access method of the key index is: what a bound means does not depend on it.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_operator.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "base/compat.h"
#include "scan/scan_private.h"

static bool match_bound(MergeClauses *clauses, RestrictInfo *rinfo);
static bool match_operator(MergeClauses *clauses, Expr *clause);
static bool is_sort_key(const MergeClauses *clauses, Node *node);
static bool match_by_support(MergeClauses *clauses, RestrictInfo *rinfo);
static List *ask_support(MergeClauses *clauses, RestrictInfo *rinfo,
						 Oid function, Node *clause, List *args,
						 bool *lossy);

/*
 * Is an expression shard_base(pk) of a relation, whatever it is called there?
 */
bool
scan_is_shard_base(Node *node, RelOptInfo *rel)
{
	FuncExpr   *call = (FuncExpr *) node;
	Var		   *var;

	if (!IsA(node, FuncExpr) || list_length(call->args) != 1)
		return false;
	var = linitial(call->args);
	return IsA(var, Var) && var->varno == (int) rel->relid &&
		var->varlevelsup == 0 && meta_is_shard_base_function(call->funcid);
}

/*
 * What shard_base(pk) must be equal to by this clause, or NULL.
 */
Expr *
scan_match_shard_base(PlannerInfo *root, RelOptInfo *rel, RestrictInfo *rinfo)
{
	OpExpr	   *clause = (OpExpr *) rinfo->clause;
	Node	   *left;
	Node	   *right;

	if (!IsA(clause, OpExpr) || clause->opno != TextEqualOperator ||
		rinfo->pseudoconstant ||
		!restriction_is_securely_promotable(rinfo, rel))
		return NULL;
	left = linitial(clause->args);
	right = lsecond(clause->args);
	if (!scan_is_shard_base(left, rel))
	{
		Node	   *swap = left;

		left = right;
		right = swap;
	}
	if (!scan_is_shard_base(left, rel) ||
		bms_is_member(rel->relid, pull_varnos(root, right)) ||
		contain_volatile_functions(right))
		return NULL;

	/* other collations may call keys equal that have other bytes */
	if (!OidIsValid(clause->inputcollid) ||
		!get_collation_isdeterministic(clause->inputcollid))
		return NULL;
	return (Expr *) right;
}

/* Does a clause look at a system column that rows of a merge do not have? */
bool
scan_uses_system_columns(List *rinfos)
{
	List	   *vars = pull_var_clause((Node *) get_actual_clauses(rinfos),
									   PVC_RECURSE_PLACEHOLDERS);
	bool		found = false;
	ListCell   *lc;

	foreach(lc, vars)
	{
		Var		   *var = lfirst_node(Var, lc);

		found |= var->varattno < 0 &&
			var->varattno != SelfItemPointerAttributeNumber &&
			var->varattno != TableOidAttributeNumber;
	}
	list_free(vars);
	return found;
}

/*
 * Gathers from a list of RestrictInfos what a merge can use; false without an
 * equality on shard_base(pk).
 */
bool
scan_match_clauses(MergeClauses *clauses, List *rinfos)
{
	ListCell   *lc;

	clauses->base = NULL;
	clauses->strategies = clauses->values = NIL;
	clauses->used = clauses->enforced = NIL;
	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		Expr	   *base = clauses->base != NULL ? NULL :
			scan_match_shard_base(clauses->root, clauses->rel, rinfo);

		if (base != NULL)
		{
			clauses->base = base;
			clauses->enforced = lappend(clauses->enforced, rinfo);
			clauses->used = lappend(clauses->used, rinfo);
		}
		else if (match_bound(clauses, rinfo))
			clauses->used = lappend(clauses->used, rinfo);
	}
	return clauses->base != NULL;
}

/* Does a clause bound sk?  If it says no more than that it is enforced. */
static bool
match_bound(MergeClauses *clauses, RestrictInfo *rinfo)
{
	if (rinfo->pseudoconstant ||
		!restriction_is_securely_promotable(rinfo, clauses->rel))
		return false;
	if (match_operator(clauses, rinfo->clause))
	{
		clauses->enforced = lappend(clauses->enforced, rinfo);
		return true;
	}
	return match_by_support(clauses, rinfo);
}

/* "sk operator value", either way round. */
static bool
match_operator(MergeClauses *clauses, Expr *clause)
{
	OpExpr	   *op = (OpExpr *) clause;
	Oid			opno;
	Node	   *value;
	int			strategy;
	Oid			left_type;
	Oid			right_type;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2)
		return false;
	opno = op->opno;
	value = lsecond(op->args);
	if (!is_sort_key(clauses, linitial(op->args)))
	{
		value = linitial(op->args);
		opno = get_commutator(opno);
		if (!OidIsValid(opno) || !is_sort_key(clauses, lsecond(op->args)))
			return false;
	}
	if (!op_in_opfamily(opno, clauses->opfamily) ||
		(OidIsValid(clauses->collation) &&
		 op->inputcollid != clauses->collation) ||
		!is_pseudo_constant_for_index(clauses->root, value, clauses->index))
		return false;
	get_op_opfamily_properties(opno, clauses->opfamily, false, &strategy,
							   &left_type, &right_type);
	if (left_type != clauses->type || right_type != clauses->type)
		return false;
	clauses->strategies = lappend_int(clauses->strategies, strategy);
	clauses->values = lappend(clauses->values, value);
	return true;
}

static bool
is_sort_key(const MergeClauses *clauses, Node *node)
{
	Var		   *var = (Var *) node;

	return IsA(var, Var) && var->varno == (int) clauses->rel->relid &&
		var->varlevelsup == 0 && var->varattno == clauses->sk_attnum;
}

/* Other functions and operators may imply bounds. */
static bool
match_by_support(MergeClauses *clauses, RestrictInfo *rinfo)
{
	Node	   *clause = (Node *) rinfo->clause;
	List	   *conditions = NIL;
	bool		lossy = true;
	bool		found = false;
	ListCell   *lc;

	if (is_funcclause(clause))
		conditions = ask_support(clauses, rinfo, ((FuncExpr *) clause)->funcid,
								 clause, ((FuncExpr *) clause)->args, &lossy);
	else if (is_opclause(clause))
		conditions = ask_support(clauses, rinfo,
								 get_opcode(((OpExpr *) clause)->opno),
								 clause, ((OpExpr *) clause)->args, &lossy);
	foreach(lc, conditions)
	{
		if (match_operator(clauses, lfirst(lc)))
			found = true;
		else
			lossy = true;
	}
	if (found && !lossy)
		clauses->enforced = lappend(clauses->enforced, rinfo);
	return found;
}

/* As get_index_clause_from_support(), for the sort key as first argument. */
static List *
ask_support(MergeClauses *clauses, RestrictInfo *rinfo, Oid function,
			Node *clause, List *args, bool *lossy)
{
	SupportRequestIndexCondition request;
	Oid			support = get_func_support(function);
	List	   *result;

	if (!OidIsValid(support) || args == NIL ||
		!is_sort_key(clauses, linitial(args)))
		return NIL;
	request.type = T_SupportRequestIndexCondition;
	request.root = clauses->root;
	request.funcid = function;
	request.node = clause;
	request.indexarg = 0;
	request.index = clauses->index;
	request.indexcol = 1;
	request.opfamily = clauses->opfamily;
	request.indexcollation = clauses->collation;
	request.lossy = true;
	result = (List *) DatumGetPointer(OidFunctionCall1(support,
													   PointerGetDatum(&request)));
	*lossy = request.lossy;
	return result;
}
