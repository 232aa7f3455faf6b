/*
 * wire_transact.c
 *	  TransactWriteItems and TransactGetItems.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

static void fill_action(const WireAction *request, ApiAction *action);
static void append_capacity(const WireWord *capacity, WireAccess access,
							int n, const ApiText *const *names,
							const uint32 *sizes, StringInfo response);

void
wire_transact_write(const void *request, StringInfo response)
{
	const WireTransactWrite *write = request;
	int			n = write->actions.n;
	ApiAction  *actions = palloc0(n * sizeof(ApiAction));
	const ApiText **names = palloc(n * sizeof(ApiText *));
	ApiTransactResult result;
	ApiTransactWrite api = {
		.n = n,
		.actions = actions,
		.client_token = write->client_token,
		.collection_metrics = write->metrics.text.data != NULL &&
		write->metrics.number == WIRE_METRICS_SIZE,
		.typed_reasons = true,
		.want_sizes = wire_wants_capacity(&write->capacity)
	};

	for (int i = 0; i < n; i++)
	{
		fill_action(((WireAction **) write->actions.elements)[i],
					&actions[i]);
		names[i] = &actions[i].table_name;
	}
	api_transact_write(&api, &result);

	appendStringInfoChar(response, '{');
	if (wire_wants_capacity(&write->capacity))
		append_capacity(&write->capacity,
						result.repeated ? WIRE_READ_TRANSACTION :
						WIRE_WRITE_TRANSACTION,
						n, names, result.sizes, response);
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
	const ApiText **names = palloc(n * sizeof(ApiText *));
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
		names[i] = &gets[i].table_name;
	}
	api_transact_get(&api, &result);

	appendStringInfoChar(response, '{');
	wire_append_name(response, "Responses");
	appendStringInfoChar(response, '[');
	for (int i = 0; i < n; i++)
	{
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
		append_capacity(&get->capacity, WIRE_READ_TRANSACTION, n, names,
						result.sizes, response);
	appendStringInfoChar(response, '}');
}

/*
 * One entry for each table, in the order of their first items.
 */
static void
append_capacity(const WireWord *capacity, WireAccess access, int n,
				const ApiText *const *names, const uint32 *sizes,
				StringInfo response)
{
	WireConsumed *consumed = palloc0(n * sizeof(WireConsumed));
	int			ntables = 0;

	for (int i = 0; i < n; i++)
	{
		int			table;

		for (table = 0; table < ntables; table++)
		{
			const ApiText *name = consumed[table].table_name;

			if (name->len == names[i]->len &&
				memcmp(name->data, names[i]->data, name->len) == 0)
				break;
		}
		if (table == ntables)
			consumed[ntables++].table_name = names[i];
		consumed[table].tenths += wire_units(access, sizes[i]);
	}
	wire_append_consumed_list(response, capacity, access, ntables, consumed);
}
