/*
 * wire_transact.c
 *	  TransactWriteItems and TransactGetItems.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

static void fill_action(const WireAction *request, ApiAction *action);
static WireConsumed *consumed_of(const ApiText *name, int *ntables,
								 WireConsumed *consumed);
static void append_write_capacity(const WireTransactWrite *request,
								  const ApiAction *actions,
								  const ApiTransactResult *result,
								  StringInfo response);
static void append_read_capacity(const WireTransactGet *request,
								 const ApiGet *gets,
								 const ApiTransactGetResult *result,
								 StringInfo response);
static void append_collections(const ApiAction *actions, int n,
							   StringInfo response);
static bool same_table(const ApiAction *a, const ApiAction *b);

void
wire_transact_write(const void *request, StringInfo response)
{
	const WireTransactWrite *write = request;
	int			n = write->actions.n;
	ApiAction  *actions = palloc0(n * sizeof(ApiAction));
	ApiTransactResult result;
	ApiTransactWrite api = {
		.n = n,
		.actions = actions,
		.client_token = write->client_token,
		.collection_metrics = wire_wants_metrics(&write->metrics),
		.typed_reasons = true,
		.want_units = wire_wants_capacity(&write->capacity)
	};

	for (int i = 0; i < n; i++)
		fill_action(((WireAction **) write->actions.elements)[i],
					&actions[i]);
	api_transact_write(&api, &result);

	appendStringInfoChar(response, '{');
	if (wire_wants_capacity(&write->capacity))
		append_write_capacity(write, actions, &result, response);
	if (wire_wants_metrics(&write->metrics) && !result.repeated)
		append_collections(actions, n, response);
	appendStringInfoChar(response, '}');
}

/*
 * An entry must have exactly one action.
 */
static void
fill_action(const WireAction *request, ApiAction *action)
{
	const struct
	{
		const WireWrite *write;
		ApiActionKind kind;
	}			choices[] = {
		{request->put, API_ACTION_PUT},
		{request->update, API_ACTION_UPDATE},
		{request->delete, API_ACTION_DELETE},
		{request->check, API_ACTION_CHECK},
	};
	const WireWrite *write = NULL;
	int			given = 0;

	for (size_t i = 0; i < lengthof(choices); i++)
	{
		if (choices[i].write == NULL)
			continue;
		given++;
		write = choices[i].write;
		action->kind = choices[i].kind;
	}
	if (given != 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TRANSACTION_ONE_ACTION)));

	action->table_name = write->table_name;
	action->item = write->item.item;
	action->item_error = write->item.invalid;
	action->update = write->update;
	action->condition = write->condition;
	action->names = write->names;
	action->values = write->values.item;
	action->values_error = wire_values_error(&write->values);
	action->return_old = write->return_on_failure.text.data != NULL &&
		write->return_on_failure.number == WIRE_FAILURE_ALL_OLD;
}

void
wire_transact_get(const void *request, StringInfo response)
{
	const WireTransactGet *get = request;
	int			n = get->gets.n;
	ApiGet	   *gets = palloc0(n * sizeof(ApiGet));
	ApiTransactGetResult result;
	ApiTransactGet api = {.n = n,.gets = gets,.typed_reasons = true};

	for (int i = 0; i < n; i++)
	{
		const WireGet *one =
			((WireTransactGetItem **) get->gets.elements)[i]->get;

		gets[i].table_name = one->table_name;
		gets[i].key = one->key.item;
		gets[i].key_error = one->key.invalid;
		gets[i].projection = one->projection;
		gets[i].names = one->names;
	}
	api_transact_get(&api, &result);

	appendStringInfoChar(response, '{');
	wire_append_name(response, "Responses");
	appendStringInfoChar(response, '[');
	for (int i = 0; i < n; i++)
	{
		wire_observe_items(&gets[i].table_name, 1, result.items[i] != NULL);
		wire_begin_element(response);
		appendStringInfoChar(response, '{');
		if (result.items[i] != NULL)
		{
			wire_append_name(response, "Item");
			wire_append_item(response, result.items[i]);
		}
		appendStringInfoChar(response, '}');
	}
	appendStringInfoChar(response, ']');
	if (wire_wants_capacity(&get->capacity))
		append_read_capacity(get, gets, &result, response);
	appendStringInfoChar(response, '}');
}

/*
 * One entry for each table, in the order of their first items.
 */
static WireConsumed *
consumed_of(const ApiText *name, int *ntables, WireConsumed *consumed)
{
	for (int i = 0; i < *ntables; i++)
	{
		const ApiText *other = consumed[i].table_name;

		if (other->len == name->len &&
			memcmp(other->data, name->data, name->len) == 0)
			return &consumed[i];
	}
	consumed[*ntables].table_name = name;
	return &consumed[(*ntables)++];
}

/* A transaction that was done before has only been read. */
static void
append_write_capacity(const WireTransactWrite *request,
					  const ApiAction *actions,
					  const ApiTransactResult *result, StringInfo response)
{
	int			n = request->actions.n;
	WireConsumed *consumed = palloc0(n * sizeof(WireConsumed));
	int			ntables = 0;

	for (int i = 0; i < n; i++)
	{
		WireConsumed *sum = consumed_of(&actions[i].table_name, &ntables,
										consumed);

		if (result->repeated)
			sum->units += capacity_units(CAPACITY_READ_TRANSACTION, 0);
		else
			wire_add_consumed(sum, &result->consumed[i]);
	}
	wire_append_consumed_list(response, &request->capacity, result->repeated ?
							  CAPACITY_READ_TRANSACTION :
							  CAPACITY_WRITE_TRANSACTION, ntables, consumed);
}

static void
append_read_capacity(const WireTransactGet *request, const ApiGet *gets,
					 const ApiTransactGetResult *result, StringInfo response)
{
	int			n = request->gets.n;
	WireConsumed *consumed = palloc0(n * sizeof(WireConsumed));
	int			ntables = 0;

	for (int i = 0; i < n; i++)
		consumed_of(&gets[i].table_name, &ntables, consumed)->units +=
			capacity_units(CAPACITY_READ_TRANSACTION, result->sizes[i]);
	wire_append_consumed_list(response, &request->capacity,
							  CAPACITY_READ_TRANSACTION, ntables, consumed);
}

/* Of what has been written, by tables that have local indexes. */
static void
append_collections(const ApiAction *actions, int n, StringInfo response)
{
	StringInfoData out;
	const ItemData **items = palloc(n * sizeof(ItemData *));
	bool	   *done = palloc0(n * sizeof(bool));

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
	{
		StringInfoData one;
		int			nitems = 0;

		for (int j = i; j < n; j++)
		{
			if (done[j] || !same_table(&actions[i], &actions[j]))
				continue;
			done[j] = true;
			if (actions[j].kind != API_ACTION_CHECK)
				items[nitems++] = actions[j].item;
		}
		initStringInfo(&one);
		if (nitems == 0 ||
			!wire_append_metrics(&one, &actions[i].table_name, items, nitems,
								 true))
			continue;
		wire_append_text_name(&out, &actions[i].table_name);
		appendBinaryStringInfo(&out, one.data, one.len);
	}
	if (out.len == 0)
		return;
	wire_append_name(response, "ItemCollectionMetrics");
	appendStringInfo(response, "{%s}", out.data);
}

static bool
same_table(const ApiAction *a, const ApiAction *b)
{
	return a->table_name.len == b->table_name.len &&
		memcmp(a->table_name.data, b->table_name.data,
			   a->table_name.len) == 0;
}
