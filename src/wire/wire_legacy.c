/*
 * wire_legacy.c
 *	  The parameters that expressions have replaced: AttributesToGet,
 *	  Expected, KeyConditions, QueryFilter, ScanFilter, AttributeUpdates,
 *	  ConditionalOperator.
 *
 * Each becomes an expression without a text (expr_legacy.c).  What is wrong
 * with one is kept with it and said when it is its turn among the checks of
 * the operation.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

static bool any_given(const WireStyle *members, int n);
static char *given_names(const WireStyle *members, int n);
static const char *expected_error(const WireExpected *expected,
								  const char *name);
static const char *condition_error(const WireExpected *condition);
static const char *values_error(const WireExpected *condition);
static int	value_count(const WireExpected *condition);
static const ItemTyped *nth_value(const WireExpected *condition, int i);
static bool count_fits(int operator, int n);
static bool type_fits(int operator, ItemType type);
static char *operator_name(const WireExpected *condition);
static void fill_condition(const WireMap *map, int i,
						   ExprLegacyCondition *condition);
static ItemExpr *combine(ExprKind kind, const WireMap *map,
						 const WireWord *any);
static bool is_alone(const WireMap *map, const WireWord *operator);
static const char *update_error(const WireAttributeUpdate *update);
static int	update_action(const WireAttributeUpdate *update);

/*
 * Refuses members of both styles in one request.  Legacy members and
 * expressions are listed in the service's order.
 */
void
wire_check_mixing(const WireStyle *legacy, int nlegacy,
				  const WireStyle *expressions, int nexpressions)
{
	if (any_given(legacy, nlegacy) && any_given(expressions, nexpressions))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_LEGACY_MIXED,
						given_names(legacy, nlegacy),
						given_names(expressions, nexpressions))));
}

static bool
any_given(const WireStyle *members, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (members[i].given)
			return true;
	}
	return false;
}

static char *
given_names(const WireStyle *members, int n)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
	{
		if (members[i].given)
			appendStringInfo(&out, "%s%s", out.len > 0 ? ", " : "",
							 members[i].name);
	}
	return out.data;
}

/* Expected as a condition; an empty one is as good as none. */
void
wire_expected(const WireMap *map, const WireWord *operator,
			  ApiText *condition)
{
	for (int i = 0; i < map->n && condition->error == NULL; i++)
		condition->error =
			expected_error(((WireExpected **) map->values)[i],
						   pnstrdup(map->names[i].data, map->names[i].len));
	if (is_alone(map, operator) && condition->error == NULL)
		condition->error = TEXT_LEGACY_OPERATOR_ALONE;
	if (map->n > 0 && condition->error == NULL)
		condition->parsed = combine(EXPR_CONDITION, map, operator);
}

/* QueryFilter or ScanFilter, which complain at once. */
void
wire_filter(const WireMap *map, const WireWord *operator, ApiText *filter)
{
	for (int i = 0; i < map->n; i++)
	{
		const char *error =
			condition_error(((WireExpected **) map->values)[i]);

		if (error != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("%s", error)));
	}
	if (is_alone(map, operator))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_LEGACY_OPERATOR_ALONE)));
	if (map->n > 0)
		filter->parsed = combine(EXPR_FILTER, map, operator);
}

void
wire_key_conditions(const WireMap *map, ApiText *condition)
{
	ExprLegacyCondition *conditions;

	if (!map->given)
		return;
	for (int i = 0; i < map->n && condition->error == NULL; i++)
		condition->error =
			condition_error(((WireExpected **) map->values)[i]);
	if (map->n == 0 && condition->error == NULL)
		condition->error = TEXT_KEYCOND_COUNT;
	if (condition->error != NULL)
		return;
	conditions = palloc(map->n * sizeof(ExprLegacyCondition));
	for (int i = 0; i < map->n; i++)
		fill_condition(map, i, &conditions[i]);
	condition->parsed = expr_legacy_key_condition(map->n, conditions);
}

void
wire_attribute_updates(const WireMap *map, ApiText *update)
{
	ExprLegacyUpdate *updates = palloc0(map->n * sizeof(ExprLegacyUpdate));

	for (int i = 0; i < map->n && update->error == NULL; i++)
	{
		const WireAttributeUpdate *one =
			((WireAttributeUpdate **) map->values)[i];

		update->error = update_error(one);
		updates[i].name = map->names[i].data;
		updates[i].name_len = map->names[i].len;
		updates[i].action = update_action(one);
		if (one->value.item != NULL)
			updates[i].value = item_root(one->value.item);
	}
	if (map->n > 0 && update->error == NULL)
		update->parsed = expr_legacy_update(map->n, updates);
}

void
wire_attributes_to_get(const WireList *list, ApiText *projection)
{
	const ApiText *attributes = list->elements;
	const char **names;
	uint32	   *lens;

	if (!list->given)
		return;
	names = palloc(list->n * sizeof(char *));
	lens = palloc(list->n * sizeof(uint32));
	for (int i = 0; i < list->n; i++)
	{
		names[i] = attributes[i].data;
		lens[i] = attributes[i].len;
		for (int j = 0; j < i && projection->error == NULL; j++)
		{
			if (lens[j] == lens[i] && memcmp(names[j], names[i], lens[i]) == 0)
				projection->error = psprintf(TEXT_LEGACY_NAME_DUPLICATE,
											 pnstrdup(names[i], lens[i]));
		}
	}
	if (projection->error == NULL)
		projection->parsed = expr_legacy_projection(list->n, names, lens);
}

/*
 * What is wrong with an entry of Expected, or NULL.  It has a value that the
 * attribute must have, or says that there must be none, or is a condition.
 */
static const char *
expected_error(const WireExpected *expected, const char *name)
{
	bool		has_value = expected->value.item != NULL;
	bool		exists = !expected->exists.given || expected->exists.value;

	if (has_value && expected->values.given)
		return psprintf(TEXT_EXPECTED_BOTH_VALUES, name);
	if (expected->operator.text.data != NULL)
	{
		if (expected->exists.given)
			return psprintf(TEXT_EXPECTED_EXISTS_OPERATOR, name);
		if (!has_value && !expected->values.given &&
			!count_fits(expected->operator.number, 0))
			return psprintf(TEXT_EXPECTED_NO_VALUE, operator_name(expected),
							name);
		return condition_error(expected);
	}
	if (expected->values.given)
		return psprintf(TEXT_EXPECTED_NO_OPERATOR, name);
	if (exists && !has_value)
		return psprintf(TEXT_EXPECTED_EXISTS,
						expected->exists.given ? "true" : "null", name);
	if (!exists && has_value)
		return psprintf(TEXT_EXPECTED_NOT_EXISTS, name);
	return has_value ? expected->value.invalid : NULL;
}

/* The same of an operator with its values. */
static const char *
condition_error(const WireExpected *condition)
{
	int			operator = condition->operator.number;
	int			n = value_count(condition);

	if (!count_fits(operator, n))
		return psprintf(TEXT_LEGACY_COUNT, operator_name(condition));
	return values_error(condition);
}

static const char *
values_error(const WireExpected *condition)
{
	int			operator = condition->operator.number;
	int			n = value_count(condition);
	ItemRef		first;

	for (int i = 0; i < n; i++)
	{
		if (nth_value(condition, i)->invalid != NULL)
			return nth_value(condition, i)->invalid;
	}
	for (int i = 0; i < n; i++)
	{
		ItemType	type = item_root(nth_value(condition, i)->item).type;

		if (!type_fits(operator, type))
			return psprintf(TEXT_OPERATOR_TYPE, operator_name(condition),
							item_type_tag(type));
	}
	if (n < 2)
		return NULL;
	first = item_root(nth_value(condition, 0)->item);
	for (int i = 1; i < n; i++)
	{
		if (item_root(nth_value(condition, i)->item).type != first.type)
			return TEXT_LEGACY_SAME_TYPE;
	}
	if (operator == EXPR_LEGACY_BETWEEN &&
		item_scalar_compare(first,
							item_root(nth_value(condition, 1)->item)) > 0)
		return TEXT_LEGACY_BOUNDS;
	return NULL;
}

/* Values are in a list, or there is one beside the operator. */
static int
value_count(const WireExpected *condition)
{
	if (condition->values.given)
		return condition->values.n;
	return condition->value.item != NULL ? 1 : 0;
}

static const ItemTyped *
nth_value(const WireExpected *condition, int i)
{
	if (condition->values.given)
		return &((const ItemTyped *) condition->values.elements)[i];
	return &condition->value;
}

static bool
count_fits(int operator, int n)
{
	switch (operator)
	{
		case EXPR_LEGACY_NULL:
		case EXPR_LEGACY_NOT_NULL:
			return n == 0;
		case EXPR_LEGACY_BETWEEN:
			return n == 2;
		case EXPR_LEGACY_IN:
			return n >= 1;
		default:
			return n == 1;
	}
}

static bool
type_fits(int operator, ItemType type)
{
	bool		string_or_binary = type == ITEM_S || type == ITEM_B;

	switch (operator)
	{
		case EXPR_LEGACY_EQ:
		case EXPR_LEGACY_NE:
			return true;
		case EXPR_LEGACY_BEGINS_WITH:
			return string_or_binary;
		default:
			return string_or_binary || type == ITEM_N;
	}
}

static char *
operator_name(const WireExpected *condition)
{
	return pnstrdup(condition->operator.text.data,
					condition->operator.text.len);
}

/* The ith entry, in which nothing is wrong. */
static void
fill_condition(const WireMap *map, int i, ExprLegacyCondition *condition)
{
	const WireExpected *entry = ((WireExpected **) map->values)[i];
	int			n = value_count(entry);
	ItemRef    *values = palloc(n * sizeof(ItemRef));

	for (int j = 0; j < n; j++)
		values[j] = item_root(nth_value(entry, j)->item);
	condition->name = map->names[i].data;
	condition->name_len = map->names[i].len;
	condition->nvalues = n;
	condition->values = values;
	if (entry->operator.text.data != NULL)
		condition->operator = entry->operator.number;
	else
		condition->operator = n > 0 ? EXPR_LEGACY_EQ : EXPR_LEGACY_NULL;
}

static ItemExpr *
combine(ExprKind kind, const WireMap *map, const WireWord *operator)
{
	ExprLegacyCondition *conditions =
		palloc(map->n * sizeof(ExprLegacyCondition));

	for (int i = 0; i < map->n; i++)
		fill_condition(map, i, &conditions[i]);
	return expr_legacy_condition(kind, map->n, conditions,
								 operator->text.data != NULL &&
								 operator->number == WIRE_OPERATOR_OR);
}

static bool
is_alone(const WireMap *map, const WireWord *operator)
{
	return operator->text.data != NULL && map->n == 0;
}

static const char *
update_error(const WireAttributeUpdate *update)
{
	int			action = update_action(update);
	ItemType	type;

	if (update->value.item == NULL)
		return action == EXPR_LEGACY_DELETE ? NULL : TEXT_UPDATES_NO_VALUE;
	if (update->value.invalid != NULL)
		return update->value.invalid;
	type = item_root(update->value.item).type;
	if (action == EXPR_LEGACY_DELETE && type != ITEM_SS && type != ITEM_NS &&
		type != ITEM_BS)
		return psprintf(TEXT_UPDATES_DELETE_TYPE, item_type_tag(type));
	if (action == EXPR_LEGACY_ADD && type != ITEM_N && type != ITEM_L &&
		type != ITEM_SS && type != ITEM_NS && type != ITEM_BS)
		return psprintf(TEXT_UPDATES_ADD_TYPE, item_type_tag(type));
	return NULL;
}

static int
update_action(const WireAttributeUpdate *update)
{
	return update->action.text.data == NULL ? EXPR_LEGACY_PUT :
		update->action.number;
}
