/*
 * expr_schema.c
 *	  Checks of expressions against key attributes: of the table, and of its
 *	  indexes.
 *
 * A path into a key attribute is an error in every kind of expression.  What
 * else is one depends on the kind: an update cannot change the key, and gives
 * index keys no value of another type; a query filters on nothing that it is
 * ordered by.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "expr/expr_private.h"

static void check_targets(const ItemExpr *expr, const KeySchema *schema);
static void check_assignment(const ItemExpr *expr, int target,
							 const KeySchema *schema);
static bool is_attribute(const ItemPathElement *element,
						 const KeyAttribute *attribute);

/*
 * Complains in the service's order: targets of an update that are key
 * attributes, constants for index keys, key attributes at the head of a
 * query's filter, paths into key attributes.
 */
void
expr_check_schema(const ItemExpr *expr, const KeySchema *schema,
				  bool is_query)
{
	const ExprParse *parse = expr->parse;

	if (parse->kind == EXPR_UPDATE)
		check_targets(expr, schema);
	if (parse->kind == EXPR_FILTER && is_query)
		expr_check_filter(expr, schema->n, schema->attributes);
	for (int i = 0; i < parse->npaths; i++)
	{
		const ItemPathElement *head = &expr->paths[i].elements[0];

		if (expr->paths[i].n == 1)
			continue;
		if (key_schema_find(schema, head->name, head->name_len) >= 0)
			expr_error(TEXT_KEY_NOT_SCALAR,
					   (int) head->name_len, head->name);
		for (int j = 0; j < schema->nindexed; j++)
		{
			if (schema->indexed[j].template == NULL &&
				is_attribute(head, &schema->indexed[j].attribute))
				expr_error(TEXT_INDEX_KEY_NOT_SCALAR,
						   (int) head->name_len, head->name);
		}
	}
}

void
expr_check_filter(const ItemExpr *expr, int n, const KeyAttribute *attributes)
{
	for (int i = 0; i < expr->parse->npaths; i++)
	{
		const ItemPathElement *head = &expr->paths[i].elements[0];

		for (int j = 0; j < n; j++)
		{
			if (is_attribute(head, &attributes[j]))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(expr->parse->legacy ?
								TEXT_QUERY_FILTER_ON_KEY : TEXT_FILTER_ON_KEY,
								(int) head->name_len, head->name),
						 errhint("Conditions on key attributes belong to the key condition.")));
		}
	}
}

static void
check_targets(const ItemExpr *expr, const KeySchema *schema)
{
	const ExprParse *parse = expr->parse;

	for (int i = 0; i < parse->ntargets; i++)
	{
		const ItemPathElement *head =
			&expr->paths[parse->targets[i]].elements[0];

		if (key_schema_find(schema, head->name, head->name_len) >= 0)
			expr_error(TEXT_UPDATE_OF_KEY,
					   (int) head->name_len, head->name);
	}
	if (schema->nindexed == 0)
		return;
	for (int i = 0; i < parse->ntargets; i++)
		check_assignment(expr, i, schema);
}

/* A constant that becomes the value of a whole attribute, by SET or ADD. */
static void
check_assignment(const ItemExpr *expr, int target, const KeySchema *schema)
{
	const ExprAction *action = &expr->parse->actions[target];
	const ItemPath *path = &expr->paths[expr->parse->targets[target]];
	ItemType	type;

	if ((action->section != EXPR_SECTION_SET &&
		 action->section != EXPR_SECTION_ADD) ||
		action->operand->type != EXPR_NODE_VALUE || path->n > 1)
		return;
	type = expr->placeholders[action->operand->number].type;
	for (int i = 0; i < schema->nindexed; i++)
	{
		const KeyIndexAttribute *indexed = &schema->indexed[i];

		if (indexed->template == NULL && type != indexed->attribute.type &&
			is_attribute(&path->elements[0], &indexed->attribute))
			expr_error(TEXT_INDEX_KEY_TYPE, indexed->attribute.name,
					   item_type_tag(indexed->attribute.type),
					   item_type_tag(type), indexed->index_name);
	}
}

static bool
is_attribute(const ItemPathElement *element, const KeyAttribute *attribute)
{
	return element->name_len == attribute->name_len &&
		memcmp(element->name, attribute->name, attribute->name_len) == 0;
}
