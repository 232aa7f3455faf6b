/*
 * expr_eval.c
 *	  Truth of a condition for an item.
 *
 * Operands are views of the item or of the request's values; nothing is
 * copied.  An operand that does not resolve is missing, which makes every
 * predicate false but <> and attribute_not_exists().
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/expr_private.h"

/* An operand's value. */
typedef struct Operand
{
	ItemRef		ref;
	char		number[ITEM_NUMBER_MAX_LEN];	/* of size() */
} Operand;

static bool eval_condition(const ItemExpr *expr, const ItemRow *row,
						   const ExprNode *node);
static bool eval_comparison(const ItemExpr *expr, const ItemRow *row,
							const ExprNode *node);
static bool eval_between(const ItemExpr *expr, const ItemRow *row,
						 const ExprNode *node);
static bool eval_in(const ItemExpr *expr, const ItemRow *row,
					const ExprNode *node);
static bool eval_call(const ItemExpr *expr, const ItemRow *row,
					  const ExprNode *node);
static bool eval_operand(const ItemExpr *expr, const ItemRow *row,
						 const ExprNode *node, Operand *operand);
static bool eval_size(Operand *operand);
static bool compare_scalars(ExprNodeType type, ItemRef a, ItemRef b);

/*
 * An absent item (no attributes map) has no attributes, key or other.
 */
bool
expr_condition_holds(const ItemExpr *expr, const ItemRow *row)
{
	ItemRow		absent;

	CHECK_FOR_INTERRUPTS();

	if (row->attributes.data == NULL)
	{
		absent.nkeys = 0;
		absent.attributes = row->attributes;
		row = &absent;
	}
	return eval_condition(expr, row, expr->parse->condition);
}

static bool
eval_condition(const ItemExpr *expr, const ItemRow *row,
			   const ExprNode *node)
{
	switch (node->type)
	{
		case EXPR_NODE_AND:
			check_stack_depth();
			return eval_condition(expr, row, node->args[0]) &&
				eval_condition(expr, row, node->args[1]);
		case EXPR_NODE_OR:
			check_stack_depth();
			return eval_condition(expr, row, node->args[0]) ||
				eval_condition(expr, row, node->args[1]);
		case EXPR_NODE_NOT:
			check_stack_depth();
			return !eval_condition(expr, row, node->args[0]);
		case EXPR_NODE_EQ:
		case EXPR_NODE_NE:
		case EXPR_NODE_LT:
		case EXPR_NODE_LE:
		case EXPR_NODE_GT:
		case EXPR_NODE_GE:
			return eval_comparison(expr, row, node);
		case EXPR_NODE_BETWEEN:
			return eval_between(expr, row, node);
		case EXPR_NODE_IN:
			return eval_in(expr, row, node);
		case EXPR_NODE_CALL:
			return eval_call(expr, row, node);
		default:
			elog(ERROR, "not a condition: node type %d", (int) node->type);
			return false;		/* keep compiler quiet */
	}
}

static bool
eval_comparison(const ItemExpr *expr, const ItemRow *row,
				const ExprNode *node)
{
	Operand		a;
	Operand		b;
	bool		present;

	present = eval_operand(expr, row, node->args[0], &a) &&
		eval_operand(expr, row, node->args[1], &b);

	if (node->type == EXPR_NODE_EQ)
		return present && item_ref_equal(a.ref, b.ref);
	if (node->type == EXPR_NODE_NE)
		return !present || !item_ref_equal(a.ref, b.ref);
	return present && compare_scalars(node->type, a.ref, b.ref);
}

/*
 * Order exists only within S, N and B.
 */
static bool
compare_scalars(ExprNodeType type, ItemRef a, ItemRef b)
{
	int			cmp;

	if (a.type != b.type ||
		(a.type != ITEM_S && a.type != ITEM_N && a.type != ITEM_B))
		return false;
	cmp = item_scalar_compare(a, b);
	switch (type)
	{
		case EXPR_NODE_LT:
			return cmp < 0;
		case EXPR_NODE_LE:
			return cmp <= 0;
		case EXPR_NODE_GT:
			return cmp > 0;
		case EXPR_NODE_GE:
			return cmp >= 0;
		default:
			elog(ERROR, "not an ordering operator: %d", (int) type);
			return false;		/* keep compiler quiet */
	}
}

static bool
eval_between(const ItemExpr *expr, const ItemRow *row, const ExprNode *node)
{
	Operand		value;
	Operand		lower;
	Operand		upper;

	return eval_operand(expr, row, node->args[0], &value) &&
		eval_operand(expr, row, node->args[1], &lower) &&
		eval_operand(expr, row, node->args[2], &upper) &&
		compare_scalars(EXPR_NODE_GE, value.ref, lower.ref) &&
		compare_scalars(EXPR_NODE_LE, value.ref, upper.ref);
}

static bool
eval_in(const ItemExpr *expr, const ItemRow *row, const ExprNode *node)
{
	Operand		value;
	Operand		member;

	if (!eval_operand(expr, row, node->args[0], &value))
		return false;
	for (int i = 1; i < node->nargs; i++)
	{
		if (eval_operand(expr, row, node->args[i], &member) &&
			item_ref_equal(value.ref, member.ref))
			return true;
	}
	return false;
}

static bool
eval_call(const ItemExpr *expr, const ItemRow *row, const ExprNode *node)
{
	Operand		first;
	Operand		second;
	ItemType	type;
	bool		exists = eval_operand(expr, row, node->args[0], &first);

	if (node->function == EXPR_ATTRIBUTE_EXISTS)
		return exists;
	if (node->function == EXPR_ATTRIBUTE_NOT_EXISTS)
		return !exists;
	if (!exists || !eval_operand(expr, row, node->args[1], &second))
		return false;

	switch (node->function)
	{
		case EXPR_ATTRIBUTE_TYPE:
			return item_type_from_tag(second.ref.data, second.ref.len,
									  &type) &&
				type == first.ref.type;
		case EXPR_BEGINS_WITH:
			return first.ref.type == second.ref.type &&
				(first.ref.type == ITEM_S || first.ref.type == ITEM_B) &&
				item_ref_begins_with(first.ref, second.ref);
		case EXPR_CONTAINS:
			return item_ref_contains(first.ref, second.ref);
		default:
			elog(ERROR, "not a condition: function %d", (int) node->function);
			return false;		/* keep compiler quiet */
	}
}

/*
 * Value of a path, a constant or size().  Returns false if it is missing.
 */
static bool
eval_operand(const ItemExpr *expr, const ItemRow *row, const ExprNode *node,
			 Operand *operand)
{
	switch (node->type)
	{
		case EXPR_NODE_PATH:
			return item_row_path(row, &expr->paths[node->number],
								 &operand->ref);
		case EXPR_NODE_VALUE:
			operand->ref = expr->placeholders[node->number];
			return true;
		case EXPR_NODE_CALL:
			return eval_operand(expr, row, node->args[0], operand) &&
				eval_size(operand);
		default:
			elog(ERROR, "not an operand: node type %d", (int) node->type);
			return false;		/* keep compiler quiet */
	}
}

/*
 * Replaces a value by its size, which only some types have.
 */
static bool
eval_size(Operand *operand)
{
	int64		size;

	switch (operand->ref.type)
	{
		case ITEM_S:
		case ITEM_B:
			size = operand->ref.len;
			break;
		case ITEM_M:
		case ITEM_L:
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			size = item_ref_count(operand->ref);
			break;
		default:
			return false;
	}
	operand->ref.type = ITEM_N;
	operand->ref.len = item_number_from_int64(size, operand->number);
	operand->ref.data = operand->number;
	return true;
}
