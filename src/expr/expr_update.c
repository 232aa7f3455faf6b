/*
 * expr_update.c
 *	  The after image of an update expression.
 *
 * All right-hand sides are computed on the before image first, in the text's
 * order.  Then the targets are applied to a tree over its bytes, in which
 * only the containers on the way to a target are opened.  Targets cannot
 * overlap, so their order matters in lists only, where indexes mean
 * positions of the before image: replace, then remove from the end, then
 * append.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "expr/expr_private.h"

/* What an update writes besides names and values, by the service's count. */
#define UPDATE_BYTES			3
#define UPDATE_BYTES_WRITE		19	/* each SET and ADD */
#define UPDATE_BYTES_REMOVE		2	/* each REMOVE and DELETE */

/*
 * An encoded value counts at most this many times its bytes by DynamoDB's
 * rules: an empty map or list within a list is the worst case.
 */
#define MAX_SIZE_RATIO			4

/* What an action does to its target. */
typedef enum ChangeKind
{
	CHANGE_NOTHING,
	CHANGE_SET,
	CHANGE_REMOVE
} ChangeKind;

typedef struct Change
{
	ChangeKind	kind;
	ItemRef		value;			/* of CHANGE_SET */
} Change;

typedef struct UpdateState
{
	const ItemExpr *expr;
	const ItemRow *before;
	bool		exists;
	Change	   *changes;		/* by target number */
} UpdateState;

static void compute_change(UpdateState *state, int target);
static void compute_add(UpdateState *state, int target, ItemRef operand);
static void compute_delete(UpdateState *state, int target, ItemRef operand);
static ItemRef eval_term(UpdateState *state, const ExprNode *node);
static ItemRef eval_sum(UpdateState *state, const ExprNode *node);
static ItemRef eval_call(UpdateState *state, const ExprNode *node);
static void apply_to_map(UpdateState *state, ItemValue *map, int first,
						 int end, int depth);
static void apply_to_list(UpdateState *state, ItemValue *list, int first,
						  int end, int depth);
static void apply_below(UpdateState *state, ItemValue *child, int first,
						int end, int depth);
static void check_nesting(UpdateState *state);
static void check_size(UpdateState *state, ItemData *after);
static Size written_bytes(UpdateState *state);

#define target_path(state, target) \
	(&(state)->expr->paths[(state)->expr->parse->targets[target]])

/*
 * See expr.h.  The result is in the current memory context, as are the
 * intermediate values.
 */
ItemData *
expr_update_apply(const ItemExpr *expr, const ItemRow *before, bool exists)
{
	const ExprParse *parse = expr->parse;
	UpdateState state = {expr, before, exists, NULL};
	bool		creates = exists;
	ItemValue  *root;
	ItemData   *after;

	for (int i = 0; i < parse->ntargets && !creates; i++)
		creates = parse->actions[i].section == EXPR_SECTION_SET ||
			parse->actions[i].section == EXPR_SECTION_ADD;
	if (!creates)
		return NULL;

	state.changes = palloc0(parse->ntargets * sizeof(Change));
	for (int i = 0; i < parse->ntargets; i++)
		compute_change(&state, i);
	check_nesting(&state);

	root = exists && before->attributes.data != NULL ?
		item_value_from_ref(before->attributes) : item_value_map();
	apply_to_map(&state, root, 0, parse->ntargets, 0);
	after = item_value_to_item(root);
	check_size(&state, after);
	return after;
}

/*
 * The update's targets as they are in an image.  NULL if it has none.
 */
ItemData *
expr_update_touched(const ItemExpr *expr, const ItemRow *image)
{
	ItemValue  *result = expr_project_targets(expr, image);

	return result ? item_value_to_item(result) : NULL;
}

/*
 * Finds out what an action will do, from the before image alone.
 */
static void
compute_change(UpdateState *state, int target)
{
	const ExprAction *action = &state->expr->parse->actions[target];
	Change	   *change = &state->changes[target];

	CHECK_FOR_INTERRUPTS();
	switch (action->section)
	{
		case EXPR_SECTION_SET:
			change->kind = CHANGE_SET;
			change->value = eval_term(state, action->operand);
			break;
		case EXPR_SECTION_REMOVE:
			change->kind = CHANGE_REMOVE;
			break;
		case EXPR_SECTION_ADD:
			compute_add(state, target,
						state->expr->placeholders[action->operand->number]);
			break;
		case EXPR_SECTION_DELETE:
			compute_delete(state, target,
						   state->expr->placeholders[action->operand->number]);
			break;
	}
}

static void
update_type_error(const UpdateState *state)
{
	expr_error("%s", state->expr->parse->legacy ? TEXT_UPDATE_LEGACY_TYPE :
			   TEXT_UPDATE_TYPE);
}

static void
update_path_error(void)
{
	expr_error(TEXT_UPDATE_PATH);
}

/*
 * ADD: sum of numbers, union of sets, or the operand where there is nothing;
 * a list, which only legacy parameters can give, is appended.
 */
static void
compute_add(UpdateState *state, int target, ItemRef operand)
{
	Change	   *change = &state->changes[target];
	ItemRef		old;

	change->kind = CHANGE_SET;
	if (!item_row_path(state->before, target_path(state, target), &old))
	{
		change->value = operand;
		return;
	}
	if (old.type != operand.type)
		update_type_error(state);
	if (old.type == ITEM_N)
	{
		char	   *sum = palloc(ITEM_NUMBER_MAX_LEN);

		change->value.type = ITEM_N;
		change->value.len = item_number_add(old, operand, false, sum);
		change->value.data = sum;
	}
	else if (old.type == ITEM_L)
		change->value = item_list_concat(old, operand);
	else
		change->value = item_set_union(old, operand);
}

/*
 * DELETE: difference of sets; no set is left without elements.
 */
static void
compute_delete(UpdateState *state, int target, ItemRef operand)
{
	Change	   *change = &state->changes[target];
	ItemRef		old;

	change->kind = CHANGE_NOTHING;
	if (!item_row_path(state->before, target_path(state, target), &old))
		return;
	if (old.type != operand.type)
		update_type_error(state);
	change->kind = item_set_difference(old, operand, &change->value) ?
		CHANGE_SET : CHANGE_REMOVE;
}

/*
 * Value of the right-hand side of a SET action, or of a part of it.
 */
static ItemRef
eval_term(UpdateState *state, const ExprNode *node)
{
	ItemRef		value;

	check_stack_depth();
	switch (node->type)
	{
		case EXPR_NODE_VALUE:
			return state->expr->placeholders[node->number];
		case EXPR_NODE_PATH:
			if (!item_row_path(state->before,
							   &state->expr->paths[node->number], &value))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(TEXT_UPDATE_MISSING),
						 errhint("Write if_not_exists(path, :value) where an attribute may be missing.")));
			return value;
		case EXPR_NODE_PLUS:
		case EXPR_NODE_MINUS:
			return eval_sum(state, node);
		case EXPR_NODE_CALL:
			return eval_call(state, node);
		default:
			elog(ERROR, "not a term of an update: node type %d",
				 (int) node->type);
	}
}

static ItemRef
eval_sum(UpdateState *state, const ExprNode *node)
{
	ItemRef		a = eval_term(state, node->args[0]);
	ItemRef		b = eval_term(state, node->args[1]);
	char	   *out = palloc(ITEM_NUMBER_MAX_LEN);
	ItemRef		result;

	if (a.type != ITEM_N || b.type != ITEM_N)
		update_type_error(state);
	result.type = ITEM_N;
	result.len = item_number_add(a, b, node->type == EXPR_NODE_MINUS, out);
	result.data = out;
	return result;
}

static ItemRef
eval_call(UpdateState *state, const ExprNode *node)
{
	ItemRef		a;
	ItemRef		b;

	/* only the branch taken is evaluated */
	if (node->function == EXPR_IF_NOT_EXISTS)
	{
		if (item_row_path(state->before,
						  &state->expr->paths[node->args[0]->number], &a))
			return a;
		return eval_term(state, node->args[1]);
	}

	Assert(node->function == EXPR_LIST_APPEND);
	a = eval_term(state, node->args[0]);
	b = eval_term(state, node->args[1]);
	if (a.type != ITEM_L || b.type != ITEM_L)
		update_type_error(state);
	return item_list_concat(a, b);
}

/*
 * Applies the targets in [first, end), which share depth elements, to the
 * map that those lead to.
 */
static void
apply_to_map(UpdateState *state, ItemValue *map, int first, int end,
			 int depth)
{
	const int  *sorted = state->expr->sorted;
	int			next;

	for (; first < end; first = next)
	{
		int			target = sorted[first];
		const ItemPath *path = target_path(state, target);
		const ItemPathElement *element = &path->elements[depth];

		next = expr_group_end(state->expr, first, end, depth);
		if (path->n > depth + 1)
			apply_below(state,
						item_value_map_get(map, element->name,
										   element->name_len),
						first, next, depth + 1);
		else if (state->changes[target].kind == CHANGE_SET)
			item_value_map_set(map, element->name, element->name_len,
							   item_value_from_ref(state->changes[target].value));
		else if (state->changes[target].kind == CHANGE_REMOVE)
			item_value_map_remove(map, element->name, element->name_len);
	}
}

/*
 * The same for a list.  Targets are in the order of their indexes.
 */
static void
apply_to_list(UpdateState *state, ItemValue *list, int first, int end,
			  int depth)
{
	const int  *sorted = state->expr->sorted;
	int			count = item_value_count(list);
	int			next;

	for (int i = first; i < end; i = next)
	{
		int			target = sorted[i];
		const ItemPath *path = target_path(state, target);
		int			index = path->elements[depth].index;

		next = expr_group_end(state->expr, i, end, depth);
		if (path->n > depth + 1)
			apply_below(state,
						index < count ? item_value_list_get(list, index) : NULL,
						i, next, depth + 1);
		else if (state->changes[target].kind == CHANGE_SET && index < count)
			item_value_list_set(list, index,
								item_value_from_ref(state->changes[target].value));
	}

	for (int i = end - 1; i >= first; i--)
	{
		int			target = sorted[i];
		const ItemPath *path = target_path(state, target);

		CHECK_FOR_INTERRUPTS();
		if (path->n == depth + 1 &&
			state->changes[target].kind == CHANGE_REMOVE &&
			path->elements[depth].index < count)
			item_value_list_remove(list, path->elements[depth].index);
	}

	for (int i = first; i < end; i++)
	{
		int			target = sorted[i];
		const ItemPath *path = target_path(state, target);

		if (path->n == depth + 1 &&
			state->changes[target].kind == CHANGE_SET &&
			path->elements[depth].index >= count)
			item_value_list_append(list,
								   item_value_from_ref(state->changes[target].value));
	}
}

/*
 * Applies targets below a container, which must exist and be of the right
 * kind.  An absent item forgives that to REMOVE and DELETE, which have
 * nothing to do there.
 */
static void
apply_below(UpdateState *state, ItemValue *child, int first, int end,
			int depth)
{
	const ItemPath *path = target_path(state, state->expr->sorted[first]);
	bool		by_name = path->elements[depth].name != NULL;

	if (child == NULL && !state->exists)
	{
		for (int i = first; i < end; i++)
		{
			if (state->changes[state->expr->sorted[i]].kind == CHANGE_SET)
				update_path_error();
		}
		return;
	}
	if (child == NULL ||
		item_value_type(child) != (by_name ? ITEM_M : ITEM_L))
		update_path_error();
	if (by_name)
		apply_to_map(state, child, first, end, depth);
	else
		apply_to_list(state, child, first, end, depth);
}

/*
 * A value at the end of a path of n elements is inside n containers, the
 * item among them.  Nothing else can get deeper by an update.
 */
static void
check_nesting(UpdateState *state)
{
	for (int i = 0; i < state->expr->parse->ntargets; i++)
	{
		const Change *change = &state->changes[i];

		if (change->kind == CHANGE_SET &&
			(change->value.type == ITEM_M || change->value.type == ITEM_L) &&
			target_path(state, i)->n + item_ref_depth(change->value) >
			LIMIT_NESTING)
			expr_error(TEXT_NESTING);
	}
}

/*
 * The service refuses an after image that is too large, keys included, and
 * an update that writes too much by a count of its own.
 */
static void
check_size(UpdateState *state, ItemData *after)
{
	ItemRow		row = *state->before;

	row.attributes = item_root(after);
	if (VARSIZE(after) > LIMIT_ITEM_SIZE / (2 * MAX_SIZE_RATIO) &&
		item_row_size(&row) > LIMIT_ITEM_SIZE)
		expr_error(TEXT_ITEM_SIZE_UPDATE);
	if (written_bytes(state) > LIMIT_ITEM_SIZE)
		expr_error(TEXT_ITEM_SIZE_UPDATE);
}

static Size
written_bytes(UpdateState *state)
{
	const ExprParse *parse = state->expr->parse;
	Size		total = UPDATE_BYTES;

	for (int i = 0; i < parse->ntargets; i++)
	{
		ExprSection section = parse->actions[i].section;
		const ItemPath *path = target_path(state, i);

		if (section == EXPR_SECTION_REMOVE || section == EXPR_SECTION_DELETE)
			total += UPDATE_BYTES_REMOVE;
		else
			total += UPDATE_BYTES_WRITE +
				path->elements[path->n - 1].name_len +
				item_ref_size(state->changes[i].value);
	}
	return total;
}
