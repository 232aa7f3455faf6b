/*
 * api_matches.c
 *	  matches(item, condition, values, names): a condition expression in SQL.
 *
 * A WHERE clause calls it once a row, nearly always with the same expression.
 * The prepared expression is therefore kept with the function's call site and
 * used again as long as the arguments are byte for byte the same.  Comparing
 * bytes, not looking at whether the arguments are constants, stays right in
 * PL/pgSQL, which keeps call sites across executions.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "api/api.h"

#define MATCHES_ARGS	3		/* after the item */

/* The expression of one call site. */
typedef struct MatchesState
{
	MemoryContext context;		/* of all below, reset for new arguments */
	ItemExpr   *expr;			/* NULL while there is none */
	struct varlena *args[MATCHES_ARGS]; /* aligned copies; NULL for NULL */
} MatchesState;

PG_FUNCTION_INFO_V1(matches);

static MatchesState *matches_state(FmgrInfo *flinfo);
static bool same_args(const MatchesState *state, struct varlena **args);
static void prepare_condition(MatchesState *state, struct varlena **args);

/*
 * NULL if the item or the condition is NULL.
 */
Datum
matches(PG_FUNCTION_ARGS)
{
	struct varlena *args[MATCHES_ARGS];
	MatchesState *state;
	ItemRow		row;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();

	row.nkeys = 0;
	row.attributes = item_root(PG_GETARG_ITEM_PP(0));
	if (row.attributes.type != ITEM_M)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("item must be a map")));

	for (int i = 0; i < MATCHES_ARGS; i++)
		args[i] = PG_ARGISNULL(i + 1) ? NULL :
			PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(i + 1));

	state = matches_state(fcinfo->flinfo);
	if (!same_args(state, args))
		prepare_condition(state, args);
	PG_RETURN_BOOL(expr_condition_holds(state->expr, &row));
}

static MatchesState *
matches_state(FmgrInfo *flinfo)
{
	MatchesState *state = flinfo->fn_extra;

	if (state == NULL)
	{
		state = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(MatchesState));
		state->context = AllocSetContextCreate(flinfo->fn_mcxt,
											   "condition of matches",
											   ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = state;
	}
	return state;
}

static bool
same_args(const MatchesState *state, struct varlena **args)
{
	if (state->expr == NULL)
		return false;
	for (int i = 0; i < MATCHES_ARGS; i++)
	{
		const struct varlena *kept = state->args[i];

		if ((kept == NULL) != (args[i] == NULL))
			return false;
		if (kept != NULL &&
			(VARSIZE(kept) - VARHDRSZ != VARSIZE_ANY_EXHDR(args[i]) ||
			 memcmp(VARDATA(kept), VARDATA_ANY(args[i]),
					VARSIZE(kept) - VARHDRSZ) != 0))
			return false;
	}
	return true;
}

/*
 * Prepares the condition over copies of the arguments.  After an error the
 * call site has no expression, so a caller that catches it can go on.
 */
static void
prepare_condition(MatchesState *state, struct varlena **args)
{
	MemoryContext caller;
	ExprRequest *request;
	ItemExpr   *expr;

	state->expr = NULL;
	MemoryContextReset(state->context);

	caller = MemoryContextSwitchTo(state->context);
	for (int i = 0; i < MATCHES_ARGS; i++)
		state->args[i] = args[i] == NULL ? NULL :
			(struct varlena *)
			cstring_to_text_with_len(VARDATA_ANY(args[i]),
									 VARSIZE_ANY_EXHDR(args[i]));
	request = expr_request_begin((Jsonb *) state->args[2],
								 (ItemData *) state->args[1]);
	expr = expr_prepare(request, EXPR_CONDITION, VARDATA(state->args[0]),
						VARSIZE(state->args[0]) - VARHDRSZ);
	expr_request_finish(request);
	MemoryContextSwitchTo(caller);
	state->expr = expr;
}
