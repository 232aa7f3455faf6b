/*
 * api_transact_check.c
 *	  Checks a transaction's actions before anything is locked.
 *
 * In the service's order: what needs no schema, for all actions; the size of
 * the whole; the tables; one action for each item; then the keys.  All of
 * that refuses the request, except that a key or a path that does not fit
 * the table is the first bad action's cancellation reason.
 */
#include "postgres.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/guc.h"
#include "base/limits.h"
#include "base/service_text.h"

static void check_required(const ApiAction *action, int position);
static size_t check_action(TransactItem *item);
static void resolve_tables(TransactItem *items, int n);
static void fit_schema(TransactItem *item);
static int	compare_items(const void *a, const void *b);
static void check_duplicates(TransactItem **items, int n);

/*
 * Checks all and makes the items: in request order, and in the order in
 * which every transaction locks them.
 */
void
api_transact_prepare(const ApiTransactWrite *request, TransactItem **result,
					 TransactItem ***ordered)
{
	int			n = request->n;
	TransactItem *items;
	ApiReason  *reasons;
	size_t		payload = 0;
	int			nfit = 0;

	api_transact_check_count(n);
	items = *result = palloc(n * sizeof(TransactItem));
	reasons = palloc0(n * sizeof(ApiReason));
	for (int i = 0; i < n; i++)
		check_required(&request->actions[i], i + 1);
	for (int i = 0; i < n; i++)
	{
		memset(&items[i], 0, offsetof(TransactItem, row));
		store_row_init(&items[i].row);
		items[i].action = &request->actions[i];
		items[i].reason = &reasons[i];
		payload += check_action(&items[i]);
	}
	if (payload > LIMIT_TRANSACTION_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TRANSACTION_SIZE, LIMIT_TRANSACTION_SIZE)));
	resolve_tables(items, n);
	*ordered = palloc(n * sizeof(TransactItem *));
	for (int i = 0; i < n; i++)
	{
		fit_schema(&items[i]);
		if (items[i].reason->code == NULL)
			(*ordered)[nfit++] = &items[i];
	}

	/* an empty key comes before everything else that is wrong with a key */
	for (int i = 0; nfit < n && i < n; i++)
		api_check_empty_key(items[i].table, items[i].action->item);
	qsort(*ordered, nfit, sizeof(TransactItem *), compare_items);
	check_duplicates(*ordered, nfit);
	if (nfit == n)
		return;

	/* only the first is reported */
	for (int i = 0, bad = 0; i < n; i++)
	{
		if (items[i].reason->code != NULL && bad++ > 0)
			memset(items[i].reason, 0, sizeof(ApiReason));
	}
	api_cancel(items[0].reason, n, request->typed_reasons);
}

/*
 * How many actions a transaction may have.
 */
void
api_transact_check_count(int n)
{
	if (n < 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TRANSACTION_EMPTY)));
	if (n > guc_transact_max_items)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TRANSACTION_COUNT, guc_transact_max_items)));
}

static void
check_required(const ApiAction *action, int position)
{
	if (action->kind == API_ACTION_UPDATE && action->update.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TRANSACTION_NULL, position,
						"update.updateExpression")));
	if (action->kind == API_ACTION_CHECK && action->condition.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TRANSACTION_NULL, position,
						"conditionCheck.conditionExpression")));
}

/*
 * What the single operation would check without knowing the table.  Returns
 * how many bytes the client has sent, by the rules of item size.
 */
static size_t
check_action(TransactItem *item)
{
	const ApiAction *action = item->action;
	bool		is_put = action->kind == API_ACTION_PUT;
	bool		has_expression = action->condition.data != NULL ||
		action->update.data != NULL;
	ExprRequest *expressions;
	size_t		size;

	api_check_map(action->item, is_put ? "item" : "key");
	api_check_placeholders(action->names, has_expression,
						   action->values, has_expression,
						   action->kind == API_ACTION_UPDATE ?
						   TEXT_VALUES_WITHOUT_UPDATE :
						   TEXT_VALUES_WITHOUT_CONDITION);
	api_check_values(action->item_error);
	size = item_map_size(item_root(action->item));
	if (is_put && size > LIMIT_ITEM_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_ITEM_SIZE)));
	if (!has_expression)
		return size;

	expressions = expr_request_begin(action->names, action->values);
	api_check_values(action->values_error);
	if (action->kind == API_ACTION_UPDATE)
		item->update = api_prepare(expressions, EXPR_UPDATE, &action->update);
	item->condition = api_prepare(expressions, EXPR_CONDITION,
								  &action->condition);
	expr_request_finish(expressions);
	if (action->values != NULL)
		size += item_map_size(item_root(action->values));
	return size;
}

/*
 * Finds the tables; mostly it is the same as before.
 */
static void
resolve_tables(TransactItem *items, int n)
{
	for (int i = 0; i < n; i++)
	{
		const ApiText *name = &items[i].action->table_name;
		const ApiText *previous = i > 0 ?
			&items[i - 1].action->table_name : NULL;

		if (previous != NULL && name->exact == previous->exact &&
			name->len == previous->len &&
			memcmp(name->data, previous->data, name->len) == 0)
			items[i].table = items[i - 1].table;
		else
			items[i].table = api_resolve_table(name);
	}
}

/*
 * Key and expressions against the table.  What does not fit becomes the
 * item's reason.
 */
static void
fit_schema(TransactItem *item)
{
	MemoryContext context = CurrentMemoryContext;

	/* nothing but memory is in use there, so an error leaves nothing behind */
	PG_TRY();
	{
		if (item->action->kind == API_ACTION_PUT)
			api_key_of_item(item->table, item->action->item, &item->key);
		else
			api_key_of_argument(item->table, item->action->item, &item->key);
		if (item->update != NULL)
			expr_check_schema(item->update, &item->table->schema, false);
		if (item->condition != NULL)
			expr_check_schema(item->condition, &item->table->schema, false);
	}
	PG_CATCH();
	{
		api_catch_reason(item->reason, context);
	}
	PG_END_TRY();
}

/*
 * By table, and there in the order of the key index.
 */
static int
compare_items(const void *a, const void *b)
{
	const TransactItem *x = *(TransactItem *const *) a;
	const TransactItem *y = *(TransactItem *const *) b;

	if (x->table->relid != y->table->relid)
		return x->table->relid < y->table->relid ? -1 : 1;
	return api_key_compare(&x->key, &y->key);
}

static void
check_duplicates(TransactItem **items, int n)
{
	for (int i = 1; i < n; i++)
	{
		if (compare_items(&items[i - 1], &items[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_TRANSACTION_DUPLICATES)));
	}
}
