/*
 * expr_project.c
 *	  Parts of an item that document paths select.
 *
 * Targets are sorted, so those below one attribute, member or element form
 * a range; the functions here descend with such ranges.  Selected list
 * elements are packed in the order of their indexes.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/expr_private.h"

static ItemValue *project_value(const ItemExpr *expr, ItemRef value,
								int first, int end, int depth);

/*
 * The selected attributes; an empty map when the item has none of them.
 */
ItemData *
expr_project(const ItemExpr *expr, const ItemRow *row)
{
	ItemValue  *result = expr_project_targets(expr, row);

	return result ? item_value_to_item(result) : item_empty_map();
}

/*
 * The selected attributes as a tree over the row's bytes, or NULL.
 */
ItemValue *
expr_project_targets(const ItemExpr *expr, const ItemRow *row)
{
	const ExprParse *parse = expr->parse;
	ItemValue  *result = NULL;
	int			end;

	for (int first = 0; first < parse->ntargets; first = end)
	{
		const ItemPath *path =
			&expr->paths[parse->targets[expr->sorted[first]]];
		const ItemPathElement *head = &path->elements[0];
		ItemRef		value;
		ItemValue  *part;

		CHECK_FOR_INTERRUPTS();
		end = expr_group_end(expr, first, parse->ntargets, 0);
		if (!item_row_find(row, head->name, head->name_len, &value))
			continue;
		part = project_value(expr, value, first, end, 1);
		if (part == NULL)
			continue;
		if (result == NULL)
			result = item_value_map();
		item_value_map_set(result, head->name, head->name_len, part);
	}
	return result;
}

/*
 * What the targets in [first, end) select of a value at depth.  NULL if that
 * is nothing.
 */
static ItemValue *
project_value(const ItemExpr *expr, ItemRef value, int first, int end,
			  int depth)
{
	const int  *targets = expr->parse->targets;
	ItemValue  *result = NULL;
	int			next;

	/* no target begins with another, so a complete one is alone */
	if (expr->paths[targets[expr->sorted[first]]].n == depth)
		return item_value_from_ref(value);

	for (; first < end; first = next)
	{
		const ItemPathElement *element =
			&expr->paths[targets[expr->sorted[first]]].elements[depth];
		ItemRef		child;
		ItemValue  *part;

		next = expr_group_end(expr, first, end, depth);
		if (!item_path_fetch(value, element, 1, &child))
			continue;
		part = project_value(expr, child, first, next, depth + 1);
		if (part == NULL)
			continue;
		if (element->name != NULL)
		{
			if (result == NULL)
				result = item_value_map();
			item_value_map_set(result, element->name, element->name_len,
							   part);
		}
		else
		{
			if (result == NULL)
				result = item_value_list();
			item_value_list_append(result, part);
		}
	}
	return result;
}

bool
expr_projection_attribute(const ItemExpr *expr, int i, const char **name,
						  uint32 *name_len)
{
	if (i >= expr->parse->npaths)
		return false;
	*name = expr->paths[i].elements[0].name;
	*name_len = expr->paths[i].elements[0].name_len;
	return true;
}
