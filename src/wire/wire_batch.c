/*
 * wire_batch.c
 *	  BatchGetItem and BatchWriteItem.
 *
 * What was not done is handed back in the shape of the request, for the
 * client to send again.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

static void check_table_count(const WireMap *tables, int limit,
							  const char *empty, const char *too_many);
static WireKeys *table_keys(const WireBatchGet *request, int table);
static ItemTyped *table_key(const WireKeys *keys, int i);
static void fill_keys(const WireBatchGet *request, int table,
					  ApiBatchGetTable *part);
static void append_items(const WireBatchGet *request,
						 const ApiBatchGetResult *results,
						 StringInfo response);
static void append_unprocessed_keys(const WireBatchGet *request,
									const ApiBatchGetResult *results,
									StringInfo response);
static void append_keys(const WireKeys *keys, const bool *unprocessed,
						StringInfo response);
static void append_read_capacity(const WireBatchGet *request,
								 const ApiBatchGet *api,
								 const ApiBatchGetResult *results,
								 StringInfo response);
static WireList *table_requests(const WireBatchWrite *request, int table);
static WireRequest *table_request(const WireList *requests, int i);
static void fill_requests(const WireBatchWrite *request, int table,
						  ApiBatchWriteTable *part);
static void append_unprocessed_items(const WireBatchWrite *request,
									 const ApiBatchWriteResult *results,
									 StringInfo response);
static void append_request(const WireRequest *request, StringInfo response);
static void append_write_capacity(const WireBatchWrite *request,
								  const ApiBatchWrite *api,
								  const ApiBatchWriteResult *results,
								  StringInfo response);
static void append_collections(const WireBatchWrite *request,
							   const ApiBatchWrite *api,
							   const ApiBatchWriteResult *results,
							   StringInfo response);
static bool any_true(const bool *flags, int n);

void
wire_batch_get(const void *request, StringInfo response)
{
	const WireBatchGet *get = request;
	int			n = get->tables.n;
	ApiBatchGetTable *parts;
	ApiBatchGetResult *results;
	ApiBatchGet api = {.ntables = n};

	check_table_count(&get->tables, LIMIT_BATCH_GET_KEYS,
					  TEXT_BATCH_GET_EMPTY, TEXT_BATCH_GET_COUNT);
	parts = palloc0(n * sizeof(ApiBatchGetTable));
	results = palloc0(n * sizeof(ApiBatchGetResult));
	for (int i = 0; i < n; i++)
		fill_keys(get, i, &parts[i]);
	api.tables = parts;
	api_batch_get(&api, results);

	appendStringInfoChar(response, '{');
	append_items(get, results, response);
	append_unprocessed_keys(get, results, response);
	if (wire_wants_capacity(&get->capacity))
		append_read_capacity(get, &api, results, response);
	appendStringInfoChar(response, '}');
}

/*
 * Of more tables than there can be requests, the rest has not been kept.
 */
static void
check_table_count(const WireMap *tables, int limit, const char *empty,
				  const char *too_many)
{
	if (tables->n > 0 && tables->n <= limit)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("%s", tables->n == 0 ? empty : too_many)));
}

static WireKeys *
table_keys(const WireBatchGet *request, int table)
{
	return ((WireKeys **) request->tables.values)[table];
}

static ItemTyped *
table_key(const WireKeys *keys, int i)
{
	return &((ItemTyped *) keys->keys.elements)[i];
}

static void
fill_keys(const WireBatchGet *request, int table, ApiBatchGetTable *part)
{
	const WireKeys *keys = table_keys(request, table);
	const ItemData **items = palloc(keys->keys.n * sizeof(ItemData *));
	const WireStyle legacy = {"AttributesToGet", keys->attributes.given};
	const WireStyle expression = {
		"ProjectionExpression", keys->projection.data != NULL
	};

	for (int i = 0; i < keys->keys.n; i++)
	{
		const ItemTyped *key = table_key(keys, i);

		items[i] = key->item;
		if (part->keys_error == NULL)
			part->keys_error = key->invalid;
	}
	part->table_name = wire_table_of_name(&request->tables.names[table]);
	part->n = keys->keys.n;
	part->keys = items;
	part->projection = keys->projection;
	wire_check_mixing(&legacy, 1, &expression, 1);
	wire_attributes_to_get(&keys->attributes, &part->projection);
	part->names = keys->names;
}

static void
append_items(const WireBatchGet *request, const ApiBatchGetResult *results,
			 StringInfo response)
{
	wire_append_name(response, "Responses");
	appendStringInfoChar(response, '{');
	for (int i = 0; i < request->tables.n; i++)
	{
		int			n = table_keys(request, i)->keys.n;

		wire_append_text_name(response, &request->tables.names[i]);
		appendStringInfoChar(response, '[');
		for (int j = 0; j < n; j++)
		{
			if (results[i].items[j] == NULL)
				continue;
			wire_begin_element(response);
			wire_append_item(response, results[i].items[j]);
		}
		appendStringInfoChar(response, ']');
	}
	appendStringInfoChar(response, '}');
}

static void
append_unprocessed_keys(const WireBatchGet *request,
						const ApiBatchGetResult *results,
						StringInfo response)
{
	wire_append_name(response, "UnprocessedKeys");
	appendStringInfoChar(response, '{');
	for (int i = 0; i < request->tables.n; i++)
	{
		const WireKeys *keys = table_keys(request, i);

		if (!any_true(results[i].unprocessed, keys->keys.n))
			continue;
		wire_append_text_name(response, &request->tables.names[i]);
		append_keys(keys, results[i].unprocessed, response);
	}
	appendStringInfoChar(response, '}');
}

/* With the options that they came with. */
static void
append_keys(const WireKeys *keys, const bool *unprocessed,
			StringInfo response)
{
	appendStringInfoChar(response, '{');
	wire_append_name(response, "Keys");
	appendStringInfoChar(response, '[');
	for (int i = 0; i < keys->keys.n; i++)
	{
		if (!unprocessed[i])
			continue;
		wire_begin_element(response);
		wire_append_item(response, table_key(keys, i)->item);
	}
	appendStringInfoChar(response, ']');
	if (keys->consistent.given)
	{
		wire_append_name(response, "ConsistentRead");
		appendStringInfoString(response,
							   keys->consistent.value ? "true" : "false");
	}
	if (keys->projection.data != NULL)
	{
		wire_append_name(response, "ProjectionExpression");
		wire_append_text(response, &keys->projection);
	}
	if (keys->attributes.given)
	{
		wire_append_name(response, "AttributesToGet");
		appendStringInfoChar(response, '[');
		for (int i = 0; i < keys->attributes.n; i++)
		{
			wire_begin_element(response);
			wire_append_text(response,
							 &((ApiText *) keys->attributes.elements)[i]);
		}
		appendStringInfoChar(response, ']');
	}
	if (keys->names != NULL)
	{
		wire_append_name(response, "ExpressionAttributeNames");
		wire_append_names(response, keys->names);
	}
	appendStringInfoChar(response, '}');
}

static void
append_read_capacity(const WireBatchGet *request, const ApiBatchGet *api,
					 const ApiBatchGetResult *results, StringInfo response)
{
	int			n = request->tables.n;
	WireConsumed *consumed = palloc0(n * sizeof(WireConsumed));

	for (int i = 0; i < n; i++)
	{
		CapacityAccess access = table_keys(request, i)->consistent.value ?
			CAPACITY_READ_STRONG : CAPACITY_READ_EVENTUAL;

		consumed[i].table_name = &api->tables[i].table_name;
		for (int j = 0; j < api->tables[i].n; j++)
		{
			if (results[i].unprocessed[j])
				continue;
			consumed[i].units += capacity_units(access, results[i].sizes[j]);
			wire_observe_items(consumed[i].table_name, 1,
							   results[i].items[j] != NULL);
		}
	}
	wire_append_consumed_list(response, &request->capacity,
							  CAPACITY_READ_EVENTUAL, n, consumed);
}

void
wire_batch_write(const void *request, StringInfo response)
{
	const WireBatchWrite *write = request;
	int			n = write->tables.n;
	ApiBatchWriteTable *parts;
	ApiBatchWriteResult *results;
	ApiBatchWrite api = {
		.ntables = n,
		.want_units = wire_wants_capacity(&write->capacity)
	};

	check_table_count(&write->tables, LIMIT_BATCH_WRITE_REQUESTS,
					  TEXT_BATCH_WRITE_EMPTY, TEXT_BATCH_WRITE_COUNT);
	parts = palloc0(n * sizeof(ApiBatchWriteTable));
	results = palloc0(n * sizeof(ApiBatchWriteResult));
	for (int i = 0; i < n; i++)
		fill_requests(write, i, &parts[i]);
	api.tables = parts;
	api_batch_write(&api, results);

	appendStringInfoChar(response, '{');
	append_unprocessed_items(write, results, response);
	if (wire_wants_capacity(&write->capacity))
		append_write_capacity(write, &api, results, response);
	if (wire_wants_metrics(&write->metrics))
		append_collections(write, &api, results, response);
	appendStringInfoChar(response, '}');
}

static WireList *
table_requests(const WireBatchWrite *request, int table)
{
	return &((WireList *) request->tables.values)[table];
}

static WireRequest *
table_request(const WireList *requests, int i)
{
	return ((WireRequest **) requests->elements)[i];
}

/*
 * Each request must be either a put or a delete.
 */
static void
fill_requests(const WireBatchWrite *request, int table,
			  ApiBatchWriteTable *part)
{
	const WireList *list = table_requests(request, table);
	ApiBatchRequest *requests = palloc0(list->n * sizeof(ApiBatchRequest));

	for (int i = 0; i < list->n; i++)
	{
		const WireRequest *one = table_request(list, i);
		const WireSingle *single = one->put != NULL ? one->put : one->delete;

		if ((one->put == NULL) == (one->delete == NULL))
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_VALUE_TYPES)));
		requests[i].is_delete = one->delete != NULL;
		requests[i].item = single->item.item;
		requests[i].item_error = single->item.invalid;
	}
	part->table_name = wire_table_of_name(&request->tables.names[table]);
	part->n = list->n;
	part->requests = requests;
}

static void
append_unprocessed_items(const WireBatchWrite *request,
						 const ApiBatchWriteResult *results,
						 StringInfo response)
{
	wire_append_name(response, "UnprocessedItems");
	appendStringInfoChar(response, '{');
	for (int i = 0; i < request->tables.n; i++)
	{
		const WireList *requests = table_requests(request, i);

		if (!any_true(results[i].unprocessed, requests->n))
			continue;
		wire_append_text_name(response, &request->tables.names[i]);
		appendStringInfoChar(response, '[');
		for (int j = 0; j < requests->n; j++)
		{
			if (results[i].unprocessed[j])
				append_request(table_request(requests, j), response);
		}
		appendStringInfoChar(response, ']');
	}
	appendStringInfoChar(response, '}');
}

static void
append_request(const WireRequest *request, StringInfo response)
{
	bool		puts = request->put != NULL;

	wire_begin_element(response);
	appendStringInfoString(response, puts ? "{\"PutRequest\":{\"Item\":" :
						   "{\"DeleteRequest\":{\"Key\":");
	wire_append_item(response, puts ? request->put->item.item :
					 request->delete->item.item);
	appendStringInfoString(response, "}}");
}

static void
append_write_capacity(const WireBatchWrite *request, const ApiBatchWrite *api,
					  const ApiBatchWriteResult *results, StringInfo response)
{
	int			n = request->tables.n;
	WireConsumed *consumed = palloc0(n * sizeof(WireConsumed));

	for (int i = 0; i < n; i++)
	{
		consumed[i].table_name = &api->tables[i].table_name;
		wire_add_consumed(&consumed[i], &results[i].consumed);
	}
	wire_append_consumed_list(response, &request->capacity, CAPACITY_WRITE, n,
							  consumed);
}

/* Of what has been written, by tables that have local indexes. */
static void
append_collections(const WireBatchWrite *request, const ApiBatchWrite *api,
				   const ApiBatchWriteResult *results, StringInfo response)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < api->ntables; i++)
	{
		const ApiBatchWriteTable *part = &api->tables[i];
		const ItemData **items = palloc(part->n * sizeof(ItemData *));
		StringInfoData one;
		int			n = 0;

		for (int j = 0; j < part->n; j++)
		{
			if (!results[i].unprocessed[j])
				items[n++] = part->requests[j].item;
		}
		initStringInfo(&one);
		if (n == 0 ||
			!wire_append_metrics(&one, &part->table_name, items, n, true))
			continue;
		wire_append_text_name(&out, &request->tables.names[i]);
		appendBinaryStringInfo(&out, one.data, one.len);
	}
	if (out.len == 0)
		return;
	wire_append_name(response, "ItemCollectionMetrics");
	appendStringInfo(response, "{%s}", out.data);
}

static bool
any_true(const bool *flags, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (flags[i])
			return true;
	}
	return false;
}
