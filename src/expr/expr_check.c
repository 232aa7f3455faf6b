/*
 * expr_check.c
 *	  Checks of operands that need the meanings of placeholders.
 *
 * A constant of a type that an operator or function cannot use is an error
 * even if no item is read, while an attribute of such a type only makes the
 * condition false.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "expr/expr_private.h"

/* the type of an operand that only an item can tell */
#define TYPE_UNKNOWN	((ItemType) 0)

static void check_count(const ItemExpr *expr, const ExprNode *node);
static void check_distinct(const ItemExpr *expr, const ExprNode *node);
static void check_types(const ItemExpr *expr, const ExprNode *node);
static void check_between(const ItemExpr *expr, const ExprNode *node);
static void check_call(const ItemExpr *expr, const ExprNode *node);
static void check_attribute_type(const ItemExpr *expr, const ExprNode *node);
static void check_update(const ItemExpr *expr);

/*
 * Checks all nodes that the parser found worth it, class by class in the
 * service's order.
 */
void
expr_check_operands(const ItemExpr *expr)
{
	const ExprParse *parse = expr->parse;

	if (parse->kind == EXPR_UPDATE)
	{
		check_update(expr);
		return;
	}
	if (parse->miscounted)
		check_count(expr, parse->miscounted);
	for (int i = 0; i < parse->nchecks; i++)
		check_distinct(expr, parse->checks[i]);
	for (int i = 0; i < parse->nchecks; i++)
		check_types(expr, parse->checks[i]);
}

/*
 * An update's sections come before the operands of its functions and
 * operators, which are in one class.
 */
static void
check_update(const ItemExpr *expr)
{
	const ExprParse *parse = expr->parse;

	for (int i = 0; i < parse->ntargets; i++)
	{
		ExprSection section = parse->actions[i].section;
		ItemType	type;

		if (section != EXPR_SECTION_ADD && section != EXPR_SECTION_DELETE)
			continue;
		type = expr->placeholders[parse->actions[i].operand->number].type;
		if (type != ITEM_SS && type != ITEM_NS && type != ITEM_BS &&
			!(section == EXPR_SECTION_ADD && type == ITEM_N))
			expr_error(TEXT_EXPR_SECTION_OPERAND_TYPE,
					   expr_kind_name(parse->kind),
					   expr_section_name(section), item_type_word(type));
	}
	for (int i = 0; i < parse->nchecks; i++)
	{
		check_count(expr, parse->checks[i]);
		check_types(expr, parse->checks[i]);
	}
}

static void
check_count(const ItemExpr *expr, const ExprNode *node)
{
	const char *kind = expr_kind_name(expr->parse->kind);

	if (node->type == EXPR_NODE_IN && node->nargs - 1 > LIMIT_EXPRESSION_IN)
		expr_error(TEXT_EXPR_IN_OPERANDS, kind, node->nargs - 1);
	if (node->type == EXPR_NODE_CALL &&
		node->nargs != expr_function_operands(node->function))
		expr_error(TEXT_EXPR_OPERAND_COUNT, kind,
				   expr_function_name(node->function), node->nargs);
}

/*
 * Two operands must not be the same path.
 */
static void
check_distinct(const ItemExpr *expr, const ExprNode *node)
{
	const ItemPath *first;

	if (node->nargs != 2 ||
		node->args[0]->type != EXPR_NODE_PATH ||
		node->args[1]->type != EXPR_NODE_PATH)
		return;
	first = &expr->paths[node->args[0]->number];
	if (expr_paths_equal(first, &expr->paths[node->args[1]->number]))
		expr_error(TEXT_EXPR_NOT_DISTINCT, expr_kind_name(expr->parse->kind),
				   expr_node_name(node), expr_path_print(first));
}

/*
 * Type of an operand as far as the request alone tells.
 */
static ItemType
operand_type(const ItemExpr *expr, const ExprNode *operand)
{
	if (operand->type == EXPR_NODE_VALUE)
		return expr->placeholders[operand->number].type;
	if (operand->function == EXPR_SIZE)
		return ITEM_N;
	return TYPE_UNKNOWN;
}

static void
refuse_type(const ItemExpr *expr, const ExprNode *node, ItemType type)
{
	expr_error(TEXT_EXPR_OPERAND_TYPE, expr_kind_name(expr->parse->kind),
			   expr_node_name(node), item_type_tag(type));
}

static void
check_types(const ItemExpr *expr, const ExprNode *node)
{
	if (node->type == EXPR_NODE_CALL)
	{
		check_call(expr, node);
		return;
	}
	if (node->type == EXPR_NODE_EQ || node->type == EXPR_NODE_NE)
		return;

	for (int i = 0; i < node->nargs; i++)
	{
		ItemType	type = operand_type(expr, node->args[i]);
		bool		arithmetic = node->type == EXPR_NODE_PLUS ||
			node->type == EXPR_NODE_MINUS;

		if (type == TYPE_UNKNOWN || type == ITEM_N)
			continue;
		if (arithmetic || (type != ITEM_S && type != ITEM_B))
			refuse_type(expr, node, type);
	}
	if (node->type == EXPR_NODE_BETWEEN)
		check_between(expr, node);
}

/*
 * A constant of type S, N or B as the service shows it: {S:abc}.
 */
static char *
print_constant(ItemRef value)
{
	StringInfoData out;

	initStringInfo(&out);
	item_append_scalar(&out, value);
	return out.data;
}

/*
 * Two constant bounds must be of one type and in order.
 */
static void
check_between(const ItemExpr *expr, const ExprNode *node)
{
	const char *kind = expr_kind_name(expr->parse->kind);
	ItemRef		lower;
	ItemRef		upper;

	if (node->args[1]->type != EXPR_NODE_VALUE ||
		node->args[2]->type != EXPR_NODE_VALUE)
		return;
	lower = expr->placeholders[node->args[1]->number];
	upper = expr->placeholders[node->args[2]->number];
	if (lower.type != upper.type)
		expr_error(TEXT_EXPR_BETWEEN_TYPES, kind,
				   print_constant(lower), print_constant(upper));
	if (item_scalar_compare(lower, upper) > 0)
		expr_error(TEXT_EXPR_BETWEEN_BOUNDS, kind,
				   print_constant(lower), print_constant(upper));
}

static void
check_call(const ItemExpr *expr, const ExprNode *node)
{
	ItemType	type = operand_type(expr, node->args[0]);

	switch (node->function)
	{
		case EXPR_ATTRIBUTE_EXISTS:
		case EXPR_ATTRIBUTE_NOT_EXISTS:
		case EXPR_IF_NOT_EXISTS:
			if (node->args[0]->type != EXPR_NODE_PATH)
				expr_error(TEXT_EXPR_PATH_REQUIRED,
						   expr_kind_name(expr->parse->kind),
						   expr_node_name(node));
			break;

		case EXPR_ATTRIBUTE_TYPE:
			check_attribute_type(expr, node);
			break;

		case EXPR_BEGINS_WITH:
			for (int i = 0; i < node->nargs; i++)
			{
				type = operand_type(expr, node->args[i]);
				if (type != TYPE_UNKNOWN && type != ITEM_S && type != ITEM_B)
					refuse_type(expr, node, type);
			}
			break;

		case EXPR_CONTAINS:
			/* constants of all types are legal, but size() is no operand */
			for (int i = 0; i < node->nargs; i++)
			{
				if (node->args[i]->function == EXPR_SIZE)
					refuse_type(expr, node, ITEM_N);
			}
			break;

		case EXPR_SIZE:
			if (type == ITEM_N || type == ITEM_BOOL || type == ITEM_NULL)
				refuse_type(expr, node, type);
			break;

		case EXPR_LIST_APPEND:
			for (int i = 0; i < node->nargs; i++)
			{
				type = operand_type(expr, node->args[i]);
				if (type != TYPE_UNKNOWN && type != ITEM_L)
					refuse_type(expr, node, type);
			}
			break;

		case EXPR_FUNCTION_UNKNOWN:
			elog(ERROR, "call of an unknown function was not refused");
	}
}

/*
 * The second operand must be a constant that names a type.
 */
static void
check_attribute_type(const ItemExpr *expr, const ExprNode *node)
{
	const char *kind = expr_kind_name(expr->parse->kind);
	ItemType	type = operand_type(expr, node->args[1]);
	ItemType	named;
	ItemRef		name;

	if (node->args[0]->function == EXPR_SIZE)
		refuse_type(expr, node, ITEM_N);
	if (type == TYPE_UNKNOWN)
		expr_error(TEXT_EXPR_OPERAND_TYPE, kind, expr_node_name(node),
				   TEXT_EXPR_ANY_TYPE);
	if (type != ITEM_S)
		refuse_type(expr, node, type);
	name = expr->placeholders[node->args[1]->number];
	if (!item_type_from_tag(name.data, name.len, &named))
		expr_error(TEXT_EXPR_ATTRIBUTE_TYPE_NAME, kind,
				   pnstrdup(name.data, name.len));
}
