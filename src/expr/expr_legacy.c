/*
 * expr_legacy.c
 *	  Expressions without a text: what the parameters say that expressions
 *	  have replaced.
 *
 * They name top-level attributes and combine conditions by AND or OR only, so
 * there is nothing to parse and nothing to bind: the nodes are made with their
 * values in place.  The result is judged, applied and projected as any other
 * expression.  The caller has checked operators and values; the few texts
 * that differ are chosen where they are raised, by ExprParse.legacy.
 */
#include "postgres.h"

#include "expr/expr_private.h"

typedef struct Legacy
{
	ItemExpr   *expr;
	ExprParse  *parse;
	ItemRef    *values;
	int			nvalues;
} Legacy;

static void begin(Legacy *legacy, ExprKind kind, int nattributes,
				  int nvalues);
static void set_attribute(Legacy *legacy, int i, const char *name,
						  uint32 name_len);
static ExprNode *make_node(ExprNodeType type, ExprFunction function,
						   int nargs);
static ExprNode *make_value(Legacy *legacy, ItemRef value);
static ExprNode *make_path(int number);
static ExprNode *make_condition(Legacy *legacy, int path,
								const ExprLegacyCondition *condition);
static ExprNode *make_predicate(Legacy *legacy, ExprNodeType type,
								ExprFunction function, int path,
								const ExprLegacyCondition *condition);
static ExprNode *make_not(ExprNode *node);
static void sort_targets(Legacy *legacy, int n);
static void set_term(ExprKeyTerm *term, const ItemPathElement *attribute,
					 const ExprLegacyCondition *condition);

/*
 * At least one condition on attributes; any says that one that holds is
 * enough.
 */
ItemExpr *
expr_legacy_condition(ExprKind kind, int n,
					  const ExprLegacyCondition *conditions, bool any)
{
	Legacy		legacy;
	ExprNode   *all = NULL;
	int			nvalues = 0;

	for (int i = 0; i < n; i++)
		nvalues += conditions[i].nvalues;
	begin(&legacy, kind, n, 2 * nvalues);
	for (int i = 0; i < n; i++)
	{
		ExprNode   *node;

		set_attribute(&legacy, i, conditions[i].name, conditions[i].name_len);
		node = make_condition(&legacy, i, &conditions[i]);
		if (all != NULL)
		{
			ExprNode   *both = make_node(any ? EXPR_NODE_OR : EXPR_NODE_AND,
										 EXPR_FUNCTION_UNKNOWN, 2);

			both->args[0] = all;
			both->args[1] = node;
			node = both;
		}
		all = node;
	}
	legacy.parse->condition = all;
	return legacy.expr;
}

/*
 * Conditions on key attributes.  An operator that no index serves is found
 * when the term is matched with its attribute.
 */
ItemExpr *
expr_legacy_key_condition(int n, const ExprLegacyCondition *conditions)
{
	Legacy		legacy;

	begin(&legacy, EXPR_KEY_CONDITION, n, 0);
	legacy.expr->terms = palloc0(n * sizeof(ExprKeyTerm));
	legacy.expr->nterms = n;
	for (int i = 0; i < n; i++)
	{
		set_attribute(&legacy, i, conditions[i].name, conditions[i].name_len);
		set_term(&legacy.expr->terms[i], &legacy.parse->elements[i],
				 &conditions[i]);
	}
	return legacy.expr;
}

ItemExpr *
expr_legacy_update(int n, const ExprLegacyUpdate *updates)
{
	Legacy		legacy;

	begin(&legacy, EXPR_UPDATE, n, n);
	legacy.parse->actions = palloc0(n * sizeof(ExprAction));
	for (int i = 0; i < n; i++)
	{
		const ExprLegacyUpdate *update = &updates[i];
		ExprAction *action = &legacy.parse->actions[i];
		bool		has_value = update->value.data != NULL;

		set_attribute(&legacy, i, update->name, update->name_len);
		switch (update->action)
		{
			case EXPR_LEGACY_ADD:
				action->section = EXPR_SECTION_ADD;
				break;
			case EXPR_LEGACY_DELETE:
				action->section = has_value ? EXPR_SECTION_DELETE :
					EXPR_SECTION_REMOVE;
				break;
			case EXPR_LEGACY_PUT:
				action->section = EXPR_SECTION_SET;
				break;
		}
		if (has_value)
			action->operand = make_value(&legacy, update->value);
	}
	sort_targets(&legacy, n);
	return legacy.expr;
}

/* Names of top-level attributes, each once. */
ItemExpr *
expr_legacy_projection(int n, const char *const *names,
					   const uint32 *name_lens)
{
	Legacy		legacy;

	begin(&legacy, EXPR_PROJECTION, n, 0);
	for (int i = 0; i < n; i++)
		set_attribute(&legacy, i, names[i], name_lens[i]);
	sort_targets(&legacy, n);
	return legacy.expr;
}

static void
begin(Legacy *legacy, ExprKind kind, int nattributes, int nvalues)
{
	ExprParse  *parse = palloc0(sizeof(ExprParse));

	legacy->parse = parse;
	legacy->expr = palloc0(sizeof(ItemExpr));
	legacy->values = palloc(nvalues * sizeof(ItemRef));
	legacy->nvalues = 0;

	parse->kind = kind;
	parse->legacy = true;
	parse->text = "";
	parse->npaths = parse->nelements = nattributes;
	parse->paths = palloc0(nattributes * sizeof(ItemPath));
	parse->elements = palloc0(nattributes * sizeof(ItemPathElement));
	legacy->expr->parse = parse;
	legacy->expr->paths = parse->paths;
	legacy->expr->placeholders = legacy->values;
}

static void
set_attribute(Legacy *legacy, int i, const char *name, uint32 name_len)
{
	ItemPathElement *element = &legacy->parse->elements[i];

	element->name = name;
	element->name_len = name_len;
	legacy->parse->paths[i].n = 1;
	legacy->parse->paths[i].elements = element;
}

static ExprNode *
make_node(ExprNodeType type, ExprFunction function, int nargs)
{
	ExprNode   *node = palloc0(offsetof(ExprNode, args) +
							   nargs * sizeof(ExprNode *));

	node->type = type;
	node->function = function;
	node->nargs = nargs;
	return node;
}

static ExprNode *
make_value(Legacy *legacy, ItemRef value)
{
	ExprNode   *node = make_node(EXPR_NODE_VALUE, EXPR_FUNCTION_UNKNOWN, 0);

	node->number = legacy->nvalues;
	legacy->values[legacy->nvalues++] = value;
	return node;
}

static ExprNode *
make_path(int number)
{
	ExprNode   *node = make_node(EXPR_NODE_PATH, EXPR_FUNCTION_UNKNOWN, 0);

	node->number = number;
	return node;
}

static ExprNode *
make_condition(Legacy *legacy, int path, const ExprLegacyCondition *condition)
{
	static const ExprNodeType types[] = {
		[EXPR_LEGACY_IN] = EXPR_NODE_IN,
		[EXPR_LEGACY_BETWEEN] = EXPR_NODE_BETWEEN,
		[EXPR_LEGACY_LT] = EXPR_NODE_LT,
		[EXPR_LEGACY_EQ] = EXPR_NODE_EQ,
		[EXPR_LEGACY_GT] = EXPR_NODE_GT,
		[EXPR_LEGACY_NE] = EXPR_NODE_NE,
		[EXPR_LEGACY_LE] = EXPR_NODE_LE,
		[EXPR_LEGACY_GE] = EXPR_NODE_GE,
	};
	ExprFunction function;
	ExprNode   *both;

	switch (condition->operator)
	{
		case EXPR_LEGACY_NULL:
			function = EXPR_ATTRIBUTE_NOT_EXISTS;
			break;
		case EXPR_LEGACY_NOT_NULL:
			function = EXPR_ATTRIBUTE_EXISTS;
			break;
		case EXPR_LEGACY_BEGINS_WITH:
			function = EXPR_BEGINS_WITH;
			break;
		case EXPR_LEGACY_CONTAINS:
			function = EXPR_CONTAINS;
			break;
		case EXPR_LEGACY_NOT_CONTAINS:
			/* false where there is no attribute */
			both = make_node(EXPR_NODE_AND, EXPR_FUNCTION_UNKNOWN, 2);
			both->args[0] = make_node(EXPR_NODE_CALL, EXPR_ATTRIBUTE_EXISTS,
									  1);
			both->args[0]->args[0] = make_path(path);
			both->args[1] = make_not(make_predicate(legacy, EXPR_NODE_CALL,
													EXPR_CONTAINS, path,
													condition));
			return both;
		default:
			return make_predicate(legacy, types[condition->operator],
								  EXPR_FUNCTION_UNKNOWN, path, condition);
	}
	return make_predicate(legacy, EXPR_NODE_CALL, function, path, condition);
}

/* The attribute and the values as operands. */
static ExprNode *
make_predicate(Legacy *legacy, ExprNodeType type, ExprFunction function,
			   int path, const ExprLegacyCondition *condition)
{
	ExprNode   *node = make_node(type, function, 1 + condition->nvalues);

	node->args[0] = make_path(path);
	for (int i = 0; i < condition->nvalues; i++)
		node->args[1 + i] = make_value(legacy, condition->values[i]);
	return node;
}

static ExprNode *
make_not(ExprNode *node)
{
	ExprNode   *result = make_node(EXPR_NODE_NOT, EXPR_FUNCTION_UNKNOWN, 1);

	result->args[0] = node;
	return result;
}

/* Every attribute is a target. */
static void
sort_targets(Legacy *legacy, int n)
{
	ExprParse  *parse = legacy->parse;

	parse->ntargets = n;
	parse->targets = palloc(n * sizeof(int));
	parse->sorted = palloc(n * sizeof(int));
	for (int i = 0; i < n; i++)
		parse->targets[i] = i;
	(void) expr_sort_targets(parse, parse->paths, parse->sorted);
	legacy->expr->sorted = parse->sorted;
}

static void
set_term(ExprKeyTerm *term, const ItemPathElement *attribute,
		 const ExprLegacyCondition *condition)
{
	term->attribute = attribute;
	for (int i = 0; i < Min(condition->nvalues, 2); i++)
		term->values[i] = condition->values[i];
	switch (condition->operator)
	{
		case EXPR_LEGACY_EQ:
			term->type = EXPR_NODE_EQ;
			break;
		case EXPR_LEGACY_LT:
			term->type = EXPR_NODE_LT;
			break;
		case EXPR_LEGACY_LE:
			term->type = EXPR_NODE_LE;
			break;
		case EXPR_LEGACY_GT:
			term->type = EXPR_NODE_GT;
			break;
		case EXPR_LEGACY_GE:
			term->type = EXPR_NODE_GE;
			break;
		case EXPR_LEGACY_BETWEEN:
			term->type = EXPR_NODE_BETWEEN;
			break;
		case EXPR_LEGACY_BEGINS_WITH:
			term->type = EXPR_NODE_CALL;
			break;
		default:
			term->type = EXPR_NODE_NOT; /* of no index */
			break;
	}
}
