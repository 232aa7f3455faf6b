/*
 * expr_node.c
 *	  Names of operators and functions; comparing, printing and sorting paths.
 *
 * Sorted targets are how updates and projections walk an item: targets with
 * a common beginning stand side by side, so each container on the way to
 * them is visited once.  They also show collisions: two paths of which one
 * begins with the other are neighbours then, and so are the last name and
 * the first index below one element.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "expr/expr_private.h"

/* How two paths relate to each other. */
typedef enum PathRelation
{
	PATHS_UNRELATED,
	PATHS_OVERLAP,
	PATHS_CONFLICT
} PathRelation;

/* Data of the comparison function of sorting. */
typedef struct SortTargets
{
	const ExprParse *parse;
	const ItemPath *paths;
} SortTargets;

static const char *const operator_names[] = {
	[EXPR_NODE_EQ] = "=",
	[EXPR_NODE_NE] = "<>",
	[EXPR_NODE_LT] = "<",
	[EXPR_NODE_LE] = "<=",
	[EXPR_NODE_GT] = ">",
	[EXPR_NODE_GE] = ">=",
	[EXPR_NODE_BETWEEN] = "BETWEEN",
	[EXPR_NODE_IN] = "IN",
	[EXPR_NODE_AND] = "AND",
	[EXPR_NODE_OR] = "OR",
	[EXPR_NODE_NOT] = "NOT",
	[EXPR_NODE_PLUS] = "+",
	[EXPR_NODE_MINUS] = "-",
};

static const char *const section_names[] = {
	[EXPR_SECTION_SET] = "SET",
	[EXPR_SECTION_REMOVE] = "REMOVE",
	[EXPR_SECTION_ADD] = "ADD",
	[EXPR_SECTION_DELETE] = "DELETE",
};

static const struct
{
	const char *name;
	int			operands;
}			functions[] = {
	[EXPR_FUNCTION_UNKNOWN] = {"", 0},
	[EXPR_ATTRIBUTE_EXISTS] = {"attribute_exists", 1},
	[EXPR_ATTRIBUTE_NOT_EXISTS] = {"attribute_not_exists", 1},
	[EXPR_ATTRIBUTE_TYPE] = {"attribute_type", 2},
	[EXPR_BEGINS_WITH] = {"begins_with", 2},
	[EXPR_CONTAINS] = {"contains", 2},
	[EXPR_SIZE] = {"size", 1},
	[EXPR_IF_NOT_EXISTS] = {"if_not_exists", 2},
	[EXPR_LIST_APPEND] = {"list_append", 2},
};

/*
 * Name of the request parameter that holds an expression of this kind.
 */
const char *
expr_kind_name(ExprKind kind)
{
	switch (kind)
	{
		case EXPR_UPDATE:
			return "UpdateExpression";
		case EXPR_CONDITION:
			return "ConditionExpression";
		case EXPR_KEY_CONDITION:
			return "KeyConditionExpression";
		case EXPR_FILTER:
			return "FilterExpression";
		case EXPR_PROJECTION:
			return "ProjectionExpression";
	}
	elog(ERROR, "unknown kind of expression: %d", (int) kind);
	return NULL;				/* keep compiler quiet */
}

const char *
expr_operator_name(ExprNodeType type)
{
	return operator_names[type];
}

const char *
expr_section_name(ExprSection section)
{
	return section_names[section];
}

const char *
expr_function_name(ExprFunction function)
{
	return functions[function].name;
}

/*
 * Function of that name, letter case counts; EXPR_FUNCTION_UNKNOWN if none.
 */
ExprFunction
expr_function_lookup(const char *name, uint32 len)
{
	for (size_t i = EXPR_FUNCTION_UNKNOWN + 1; i < lengthof(functions); i++)
	{
		if (strlen(functions[i].name) == len &&
			memcmp(functions[i].name, name, len) == 0)
			return (ExprFunction) i;
	}
	return EXPR_FUNCTION_UNKNOWN;
}

int
expr_function_operands(ExprFunction function)
{
	return functions[function].operands;
}

/*
 * What messages call the operator or function of a node.
 */
const char *
expr_node_name(const ExprNode *node)
{
	return node->type == EXPR_NODE_CALL ?
		expr_function_name(node->function) : expr_operator_name(node->type);
}

/*
 * Order of path elements: names by length and bytes, then indexes.  It has
 * no meaning but to bring equal elements together and indexes in order.
 */
int
expr_element_compare(const ItemPathElement *a, const ItemPathElement *b)
{
	if (a->name == NULL || b->name == NULL)
	{
		if (a->name != NULL)
			return -1;
		if (b->name != NULL)
			return 1;
		return (a->index > b->index) - (a->index < b->index);
	}
	if (a->name_len != b->name_len)
		return a->name_len < b->name_len ? -1 : 1;
	return memcmp(a->name, b->name, a->name_len);
}

static int
compare_paths(const ItemPath *a, const ItemPath *b)
{
	int			n = Min(a->n, b->n);

	for (int i = 0; i < n; i++)
	{
		int			cmp = expr_element_compare(&a->elements[i],
											   &b->elements[i]);

		if (cmp != 0)
			return cmp;
	}
	return a->n - b->n;
}

bool
expr_paths_equal(const ItemPath *a, const ItemPath *b)
{
	return compare_paths(a, b) == 0;
}

static PathRelation
relate_paths(const ItemPath *a, const ItemPath *b)
{
	int			n = Min(a->n, b->n);

	for (int i = 0; i < n; i++)
	{
		if ((a->elements[i].name == NULL) != (b->elements[i].name == NULL))
			return PATHS_CONFLICT;
		if (expr_element_compare(&a->elements[i], &b->elements[i]) != 0)
			return PATHS_UNRELATED;
	}
	return PATHS_OVERLAP;
}

/*
 * A path as messages show it: [a, b, [0]].
 */
char *
expr_path_print(const ItemPath *path)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	for (int i = 0; i < path->n; i++)
	{
		const ItemPathElement *element = &path->elements[i];

		if (i > 0)
			appendStringInfoString(&out, ", ");
		if (element->name)
			appendBinaryStringInfo(&out, element->name, element->name_len);
		else
			appendStringInfo(&out, "[%d]", element->index);
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}

static int
compare_targets(const void *a, const void *b, void *arg)
{
	const SortTargets *sort = arg;
	const int  *targets = sort->parse->targets;

	return compare_paths(&sort->paths[targets[*(const int *) a]],
						 &sort->paths[targets[*(const int *) b]]);
}

/*
 * Fills sorted[] with the numbers of all targets in path order.  Returns
 * false when two of them collide.
 */
bool
expr_sort_targets(const ExprParse *parse, const ItemPath *paths, int *sorted)
{
	SortTargets sort = {parse, paths};

	for (int i = 0; i < parse->ntargets; i++)
		sorted[i] = i;
	if (parse->ntargets > 1)
		qsort_arg(sorted, parse->ntargets, sizeof(int), compare_targets,
				  &sort);
	for (int i = 1; i < parse->ntargets; i++)
	{
		if (relate_paths(&paths[parse->targets[sorted[i - 1]]],
						 &paths[parse->targets[sorted[i]]]) != PATHS_UNRELATED)
			return false;
	}
	return true;
}

/*
 * Reports the first collision in the text's order, overlaps before
 * conflicts.  There is one.
 */
void
expr_report_clash(const ExprParse *parse, const ItemPath *paths)
{
	const ItemPath *conflict[2] = {NULL, NULL};
	const char *kind = expr_kind_name(parse->kind);

	for (int i = 1; i < parse->ntargets; i++)
	{
		for (int j = 0; j < i; j++)
		{
			const ItemPath *one = &paths[parse->targets[j]];
			const ItemPath *two = &paths[parse->targets[i]];
			PathRelation relation = relate_paths(one, two);

			if (relation == PATHS_OVERLAP)
				expr_error(TEXT_EXPR_PATHS_OVERLAP, kind,
						   expr_path_print(one), expr_path_print(two));
			if (relation == PATHS_CONFLICT && conflict[0] == NULL)
			{
				conflict[0] = one;
				conflict[1] = two;
			}
		}
	}
	if (conflict[0] == NULL)
		elog(ERROR, "no document paths collide");
	expr_error(TEXT_EXPR_PATHS_CONFLICT, kind,
			   expr_path_print(conflict[0]), expr_path_print(conflict[1]));
}
