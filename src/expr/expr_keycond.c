/*
 * expr_keycond.c
 *	  Key conditions: from a condition's tree to a partition key and a range
 *	  of sort keys.
 *
 * The grammar is that of all conditions.  Conversion refuses what cannot be
 * a key condition and needs no schema; the terms it leaves are then matched
 * with the key attributes of the table or index.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "expr/expr_private.h"

static void convert_condition(ItemExpr *expr, const ExprNode *node);
static void convert_predicate(ItemExpr *expr, const ExprNode *node);
static void refuse_operator(const ExprNode *node);
static const ExprKeyTerm *find_term(const ItemExpr *expr,
									const KeyAttribute *attribute);
static void check_term(const ExprKeyTerm *term, const KeyAttribute *attribute,
					   int part);
static void set_range(const ExprKeyTerm *term, KeyRange *range);

/*
 * Fills expr->terms.
 */
void
expr_convert_key_condition(ItemExpr *expr)
{
	/* every term has a path of its own */
	expr->terms = palloc((expr->parse->npaths + 1) * sizeof(ExprKeyTerm));
	expr->nterms = 0;
	convert_condition(expr, expr->parse->condition);
}

static void
convert_condition(ItemExpr *expr, const ExprNode *node)
{
	check_stack_depth();
	refuse_operator(node);
	if (node->type == EXPR_NODE_AND)
	{
		convert_condition(expr, node->args[0]);
		convert_condition(expr, node->args[1]);
	}
	else
		convert_predicate(expr, node);
}

/*
 * Refuses operators and functions that no key condition has.
 */
static void
refuse_operator(const ExprNode *node)
{
	switch (node->type)
	{
		case EXPR_NODE_OR:
		case EXPR_NODE_NOT:
		case EXPR_NODE_IN:
		case EXPR_NODE_NE:
			expr_error(TEXT_KEYCOND_OPERATOR, expr_node_name(node));
			break;
		case EXPR_NODE_CALL:
			if (node->function != EXPR_BEGINS_WITH)
				expr_error(TEXT_KEYCOND_OPERATOR, expr_node_name(node));
			/* FALLTHROUGH */
		case EXPR_NODE_BETWEEN:
			if (node->args[0]->type == EXPR_NODE_VALUE)
				expr_error(TEXT_KEYCOND_FIRST_OPERAND, expr_node_name(node));
			break;
		default:
			break;
	}
}

/*
 * The comparison with its operands exchanged.
 */
static ExprNodeType
flip_comparison(ExprNodeType type)
{
	switch (type)
	{
		case EXPR_NODE_LT:
			return EXPR_NODE_GT;
		case EXPR_NODE_LE:
			return EXPR_NODE_GE;
		case EXPR_NODE_GT:
			return EXPR_NODE_LT;
		case EXPR_NODE_GE:
			return EXPR_NODE_LE;
		default:
			return type;
	}
}

/*
 * Adds the term that a predicate is: one attribute and one or two constants.
 */
static void
convert_predicate(ItemExpr *expr, const ExprNode *node)
{
	ExprKeyTerm term = {0};
	int			nvalues = 0;
	int			position = 0;

	for (int i = 0; i < node->nargs; i++)
	{
		const ExprNode *operand = node->args[i];

		if (operand->type == EXPR_NODE_CALL)
			expr_error(TEXT_KEYCOND_NESTED_OPERATION);
		if (operand->type == EXPR_NODE_VALUE)
		{
			if (nvalues < (int) lengthof(term.values))
				term.values[nvalues++] = expr->placeholders[operand->number];
			continue;
		}
		if (term.attribute != NULL)
			expr_error(TEXT_KEYCOND_SEVERAL_ATTRIBUTES);
		if (expr->paths[operand->number].n > 1)
			expr_error(TEXT_KEYCOND_NESTED_ATTRIBUTE);
		term.attribute = &expr->paths[operand->number].elements[0];
		position = i;
	}
	if (term.attribute == NULL)
		expr_error(TEXT_KEYCOND_NO_ATTRIBUTE);

	for (int i = 0; i < expr->nterms; i++)
	{
		if (expr_element_compare(expr->terms[i].attribute,
								 term.attribute) == 0)
			expr_error(TEXT_KEYCOND_ONE_PER_KEY);
	}
	term.type = position == 0 ? node->type : flip_comparison(node->type);
	expr->terms[expr->nterms++] = term;
}

/*
 * Looks for the partition key first, as the service does.
 */
void
expr_key_condition(const ItemExpr *expr, const KeySchema *schema,
				   ExprKeyCondition *result)
{
	const KeyAttribute *pk = &schema->attributes[0];
	const KeyAttribute *sk = schema->n > 1 ? &schema->attributes[1] : NULL;
	const ExprKeyTerm *term;

	if (expr->terms == NULL)
		elog(ERROR, "key condition was not converted");

	memset(result, 0, sizeof(*result));
	if (expr->nterms > 2)
		expr_error(TEXT_KEYCOND_COUNT);

	term = find_term(expr, pk);
	if (term == NULL)
		expr_error(TEXT_KEYCOND_MISSED, (int) pk->name_len, pk->name);
	check_term(term, pk, 0);
	if (term->type != EXPR_NODE_EQ)
		expr_error(TEXT_KEYCOND_NOT_SUPPORTED);
	result->pk = term->values[0];

	if (expr->nterms == 1)
		return;
	if (sk == NULL)
		expr_error(TEXT_KEYCOND_NOT_SUPPORTED);
	term = find_term(expr, sk);
	if (term == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_KEYCOND_MISSED, (int) sk->name_len, sk->name),
				 errhint("Conditions on other attributes belong to the filter.")));
	check_term(term, sk, 1);
	result->has_sk = true;
	set_range(term, &result->range);
}

/*
 * Every partition key attribute has a value, and so have the first ones of the
 * sort key; the next one may have a range.
 */
void
expr_index_condition(const ItemExpr *expr, int npartition, int nsort,
					 const KeyIndexAttribute *keys, ExprKeyCondition *result)
{
	ItemRef		values[2 * LIMIT_INDEX_KEYS];
	KeyRange	next;
	bool		has_next = false;
	int			nequal = 0;

	if (expr->terms == NULL)
		elog(ERROR, "key condition was not converted");
	memset(result, 0, sizeof(*result));
	for (int i = 0; i < npartition; i++)
	{
		const KeyAttribute *attribute = &keys[i].attribute;
		const ExprKeyTerm *term = find_term(expr, attribute);

		if (term == NULL || term->type != EXPR_NODE_EQ)
			expr_error(TEXT_KEYCOND_HASH_EQUALITY,
					   (int) attribute->name_len, attribute->name);
		check_term(term, attribute, 0);
		values[i] = term->values[0];
	}
	result->pk = npartition == 1 ? values[0] :
		key_parts_encode(npartition, values);

	for (int i = 0; i < nsort; i++)
	{
		const KeyAttribute *attribute = &keys[npartition + i].attribute;
		const ExprKeyTerm *term = find_term(expr, attribute);

		if (term == NULL)
			continue;
		if (has_next || nequal < i)
			expr_error(TEXT_KEYCOND_RANGE_EQUALITY,
					   (int) attribute->name_len, attribute->name);
		check_term(term, attribute, 1);
		has_next = term->type != EXPR_NODE_EQ;
		if (has_next || nsort == 1)
			set_range(term, &next);
		if (!has_next)
			values[nequal++] = term->values[0];
	}
	if (expr->nterms != npartition + nequal + has_next)
		expr_error(TEXT_KEYCOND_NOT_SUPPORTED);
	result->has_sk = nequal > 0 || has_next;
	if (result->has_sk && nsort == 1)
		result->range = next;
	else if (result->has_sk)
		key_parts_range(nequal, values, has_next ? &next : NULL,
						&result->range);
}

static const ExprKeyTerm *
find_term(const ItemExpr *expr, const KeyAttribute *attribute)
{
	for (int i = 0; i < expr->nterms; i++)
	{
		const ItemPathElement *element = expr->terms[i].attribute;

		if (element->name_len == attribute->name_len &&
			memcmp(element->name, attribute->name, element->name_len) == 0)
			return &expr->terms[i];
	}
	return NULL;
}

/*
 * Constants must be what the key attribute can be.
 */
static void
check_term(const ExprKeyTerm *term, const KeyAttribute *attribute, int part)
{
	int			nvalues = term->type == EXPR_NODE_BETWEEN ? 2 : 1;

	if (term->type == EXPR_NODE_NOT)
		expr_error(TEXT_KEYCOND_NOT_INDEXABLE);
	if (term->type == EXPR_NODE_CALL && attribute->type == ITEM_N)
		expr_error(TEXT_OPERATOR_TYPE, "BEGINS_WITH",
				   item_type_tag(attribute->type));
	for (int i = 0; i < nvalues; i++)
	{
		const ItemRef *value = &term->values[i];

		if (value->type != attribute->type)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_KEYCOND_TYPE),
					 errdetail("Key attribute \"%.*s\" is of type %s, the value in the condition of type %s.",
							   (int) attribute->name_len, attribute->name,
							   item_type_tag(attribute->type),
							   item_type_tag(value->type))));
		if (value->type != ITEM_N && value->len == 0)
			expr_error(TEXT_KEYCOND_EMPTY,
					   value->type == ITEM_S ? "string" : "binary",
					   (int) attribute->name_len, attribute->name);
		key_check_value(attribute, part, *value);
	}
}

static void
set_bound(KeyBound *bound, ItemRef ref, bool inclusive)
{
	bound->present = true;
	bound->inclusive = inclusive;
	bound->ref = ref;
}

static void
set_range(const ExprKeyTerm *term, KeyRange *range)
{
	memset(range, 0, sizeof(*range));
	switch (term->type)
	{
		case EXPR_NODE_EQ:
			set_bound(&range->lower, term->values[0], true);
			set_bound(&range->upper, term->values[0], true);
			break;
		case EXPR_NODE_LT:
			set_bound(&range->upper, term->values[0], false);
			break;
		case EXPR_NODE_LE:
			set_bound(&range->upper, term->values[0], true);
			break;
		case EXPR_NODE_GT:
			set_bound(&range->lower, term->values[0], false);
			break;
		case EXPR_NODE_GE:
			set_bound(&range->lower, term->values[0], true);
			break;
		case EXPR_NODE_BETWEEN:
			set_bound(&range->lower, term->values[0], true);
			set_bound(&range->upper, term->values[1], true);
			break;
		case EXPR_NODE_CALL:
			key_range_begins_with(term->values[0], range);
			break;
		default:
			elog(ERROR, "not an operator of key conditions: %d",
				 (int) term->type);
	}
}
