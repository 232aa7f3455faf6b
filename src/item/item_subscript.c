/*
 * item_subscript.c
 *	  attributes['order']['lines'][0], read and assigned.
 *
 * A subscript is a text or an integer and is one step of a path, see
 * item_ops.c.  Assignment makes what is missing on the way: a list where the
 * next subscript is an integer, else a map.  A position behind the end of a
 * list appends, as the service's SET does.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/execExpr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "parser/parse_coerce.h"
#include "parser/parse_expr.h"
#include "utils/builtins.h"

#include "item/item_private.h"

PG_FUNCTION_INFO_V1(item_subscript_handler);

/* One evaluated subscript. */
typedef struct Step
{
	const char *text;
	uint32		len;
	bool		integer;
} Step;

typedef struct SubscriptState
{
	bool	   *integer;		/* types of the subscripts */
	Step	   *steps;
} SubscriptState;

static void transform_subscripts(SubscriptingRef *sbsref, List *indirection,
								 ParseState *pstate, bool is_slice,
								 bool is_assignment);
static Node *transform_subscript(ParseState *pstate, Node *expr);
static void setup_execution(const SubscriptingRef *sbsref,
							SubscriptingRefState *state,
							SubscriptExecSteps *methods);
static bool check_subscripts(ExprState *expr, ExprEvalStep *op,
							 ExprContext *econtext);
static void fetch(ExprState *expr, ExprEvalStep *op, ExprContext *econtext);
static void fetch_old(ExprState *expr, ExprEvalStep *op,
					  ExprContext *econtext);
static bool fetch_steps(Datum container, const Step *steps, int n,
						Datum *result);
static void assign(ExprState *expr, ExprEvalStep *op, ExprContext *econtext);
static ItemValue *child_for_assignment(ItemValue *parent, const Step *step,
									   const Step *next);
static ItemValue *new_container(const Step *step);
static void store_child(ItemValue *parent, const Step *step,
						ItemValue *child);
static int	list_position(ItemValue *list, const Step *step);

Datum
item_subscript_handler(PG_FUNCTION_ARGS)
{
	static const SubscriptRoutines routines = {
		.transform = transform_subscripts,
		.exec_setup = setup_execution,
		.fetch_strict = true,
		.fetch_leakproof = true,
		.store_leakproof = false
	};

	PG_RETURN_POINTER(&routines);
}

static void
transform_subscripts(SubscriptingRef *sbsref, List *indirection,
					 ParseState *pstate, bool is_slice, bool is_assignment)
{
	ListCell   *lc;

	foreach(lc, indirection)
	{
		A_Indices  *subscript = lfirst_node(A_Indices, lc);

		if (is_slice)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("item values have no slices"),
					 parser_errposition(pstate,
										exprLocation(subscript->uidx ?
													 subscript->uidx :
													 subscript->lidx))));
		sbsref->refupperindexpr =
			lappend(sbsref->refupperindexpr,
					transform_subscript(pstate, subscript->uidx));
	}
	sbsref->reflowerindexpr = NIL;
	sbsref->refrestype = sbsref->refcontainertype;
	sbsref->reftypmod = -1;
}

/* Makes an integer or a text of a subscript. */
static Node *
transform_subscript(ParseState *pstate, Node *expr)
{
	Node	   *subscript = transformExpr(pstate, expr,
										  pstate->p_expr_kind);
	Oid			type = exprType(subscript);
	Oid			target = TEXTOID;

	if (type != UNKNOWNOID &&
		can_coerce_type(1, &type, (Oid[]) {INT4OID}, COERCION_IMPLICIT))
		target = INT4OID;
	else if (!can_coerce_type(1, &type, (Oid[]) {TEXTOID}, COERCION_IMPLICIT))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("subscript of an item value must be text or integer, not type %s",
						format_type_be(type)),
				 parser_errposition(pstate, exprLocation(subscript))));
	return coerce_to_target_type(pstate, subscript, type, target, -1,
								 COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);
}

static void
setup_execution(const SubscriptingRef *sbsref, SubscriptingRefState *state,
				SubscriptExecSteps *methods)
{
	int			n = list_length(sbsref->refupperindexpr);
	SubscriptState *workspace = palloc(sizeof(SubscriptState));
	ListCell   *lc;

	workspace->integer = palloc(n * sizeof(bool));
	workspace->steps = palloc(n * sizeof(Step));
	foreach(lc, sbsref->refupperindexpr)
		workspace->integer[foreach_current_index(lc)] =
			exprType(lfirst(lc)) == INT4OID;

	state->workspace = workspace;
	methods->sbs_check_subscripts = check_subscripts;
	methods->sbs_fetch = fetch;
	methods->sbs_assign = assign;
	methods->sbs_fetch_old = fetch_old;
}

/* Turns the subscripts into steps; false when one of a fetch is NULL. */
static bool
check_subscripts(ExprState *expr, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *state = op->d.sbsref_subscript.state;
	SubscriptState *workspace = state->workspace;

	for (int i = 0; i < state->numupper; i++)
	{
		Step	   *step = &workspace->steps[i];

		if (state->upperindexnull[i])
		{
			if (state->isassignment)
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("subscript of an item value must not be null "
								"in an assignment")));
			*op->resnull = true;
			return false;
		}
		step->integer = workspace->integer[i];
		if (step->integer)
		{
			char	   *text = palloc(12);

			step->len = pg_ltoa(DatumGetInt32(state->upperindex[i]), text);
			step->text = text;
		}
		else
		{
			text	   *value = DatumGetTextPP(state->upperindex[i]);

			step->text = VARDATA_ANY(value);
			step->len = VARSIZE_ANY_EXHDR(value);
		}
	}
	return true;
}

static void
fetch(ExprState *expr, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *state = op->d.sbsref.state;
	SubscriptState *workspace = state->workspace;

	if (*op->resnull ||
		!fetch_steps(*op->resvalue, workspace->steps, state->numupper,
					 op->resvalue))
		*op->resnull = true;
}

static void
fetch_old(ExprState *expr, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *state = op->d.sbsref.state;
	SubscriptState *workspace = state->workspace;

	state->prevnull = *op->resnull ||
		!fetch_steps(*op->resvalue, workspace->steps, state->numupper,
					 &state->prevvalue);
}

static bool
fetch_steps(Datum container, const Step *steps, int n, Datum *result)
{
	ItemRef		value = item_root(DatumGetItemPP(container));

	for (int i = 0; i < n; i++)
	{
		if (!item_step(value, steps[i].text, steps[i].len, &value))
			return false;
	}
	*result = PointerGetDatum(item_from_ref(value));
	return true;
}

/* The container with the new value in its place; NULL means the null value. */
static void
assign(ExprState *expr, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *state = op->d.sbsref.state;
	SubscriptState *workspace = state->workspace;
	const Step *steps = workspace->steps;
	int			last = state->numupper - 1;
	ItemValue  *root;
	ItemValue  *container;
	ItemData   *result;

	root = *op->resnull ? new_container(&steps[0]) :
		item_value_from_ref(item_root(DatumGetItemPP(*op->resvalue)));
	container = root;
	for (int i = 0; i < last; i++)
		container = child_for_assignment(container, &steps[i], &steps[i + 1]);
	store_child(container, &steps[last],
				state->replacenull ? item_value_null() :
				item_value_from_ref(item_root(DatumGetItemPP(state->replacevalue))));

	result = item_value_to_item(root);
	item_check_depth(item_root(result));
	*op->resvalue = PointerGetDatum(result);
	*op->resnull = false;
}

/* The part of a container that a step means, made if it is not there. */
static ItemValue *
child_for_assignment(ItemValue *parent, const Step *step, const Step *next)
{
	ItemValue  *child = NULL;

	if (item_value_type(parent) == ITEM_M)
		child = item_value_map_get(parent, step->text, step->len);
	else if (item_value_type(parent) == ITEM_L)
		child = item_value_list_get(parent, list_position(parent, step));
	if (child == NULL)
	{
		child = new_container(next);
		store_child(parent, step, child);
	}
	return child;
}

static ItemValue *
new_container(const Step *step)
{
	return step->integer ? item_value_list() : item_value_map();
}

static void
store_child(ItemValue *parent, const Step *step, ItemValue *child)
{
	ItemType	type = item_value_type(parent);

	if (type == ITEM_M)
	{
		item_check_name_len(step->len);
		item_value_map_set(parent, step->text, step->len, child);
	}
	else if (type == ITEM_L)
	{
		int			i = list_position(parent, step);

		if (i < item_value_count(parent))
			item_value_list_set(parent, i, child);
		else
			item_value_list_append(parent, child);
	}
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("cannot assign to a part of an item value of type %s",
						item_type_tag(type)),
				 errdetail("Only maps and lists have parts.")));
}

/* Position of a step in a list; at least its length: behind the end. */
static int
list_position(ItemValue *list, const Step *step)
{
	int			count = item_value_count(list);
	int64		index;

	if (!item_step_index(step->text, step->len, count, &index))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("list position is not an integer: \"%s\"",
						pnstrdup(step->text, step->len))));
	if (index < 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("list position %s is out of range",
						pnstrdup(step->text, step->len)),
				 errdetail_plural("The list has %d element.",
								  "The list has %d elements.",
								  count, count)));
	return (int) index;
}
