/*
 * wire_item.c
 *	  PutItem, GetItem, UpdateItem, DeleteItem.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

static void check_styles(const WireWrite *request, bool updates);
static void fill_write(const WireWrite *request, ApiWrite *write);
static ApiReturnValues return_values(const WireWord *word);
static void append_result(const WireWrite *request,
						  const ApiWriteResult *result, StringInfo response);
pg_noreturn static void condition_failed(const WireWrite *request,
										 const ApiWriteResult *result);

void
wire_put(const void *request, StringInfo response)
{
	const WireWrite *put = request;
	ApiPut		api = {.item = put->item.item};
	ApiWriteResult result;

	check_styles(put, false);
	fill_write(put, &api.write);
	api_put(&api, &result);
	append_result(put, &result, response);
}

void
wire_update(const void *request, StringInfo response)
{
	const WireWrite *update = request;
	ApiUpdate	api = {.key = update->item.item, .update = update->update};
	ApiWriteResult result;

	check_styles(update, true);
	wire_attribute_updates(&update->updates, &api.update);
	fill_write(update, &api.write);
	api_update(&api, &result);
	append_result(update, &result, response);
}

void
wire_delete(const void *request, StringInfo response)
{
	const WireWrite *delete = request;
	ApiDelete	api = {.key = delete->item.item};
	ApiWriteResult result;

	check_styles(delete, false);
	fill_write(delete, &api.write);
	api_delete(&api, &result);
	append_result(delete, &result, response);
}

void
wire_get(const void *request, StringInfo response)
{
	const WireGet *get = request;
	ApiGet		api = {
		.table_name = get->table_name,
		.key = get->key.item,
		.key_error = get->key.invalid,
		.projection = get->projection,
		.names = get->names
	};
	CapacityAccess access = get->consistent.value ?
		CAPACITY_READ_STRONG : CAPACITY_READ_EVENTUAL;
	WireConsumed consumed = {.table_name = &get->table_name};
	uint32		size = 0;
	const WireStyle legacy = {"AttributesToGet", get->attributes.given};
	const WireStyle expression = {
		"ProjectionExpression", get->projection.data != NULL
	};
	ItemData   *item;

	wire_check_mixing(&legacy, 1, &expression, 1);
	wire_attributes_to_get(&get->attributes, &api.projection);
	item = api_get(&api, wire_wants_capacity(&get->capacity) ? &size : NULL);

	wire_observe_items(&get->table_name, 1, item != NULL);
	appendStringInfoChar(response, '{');
	if (item != NULL)
	{
		wire_append_name(response, "Item");
		wire_append_item(response, item);
	}
	consumed.units = capacity_units(access, size);
	wire_append_consumed(response, &get->capacity, access, &consumed);
	appendStringInfoChar(response, '}');
}

/* Only updates have AttributeUpdates and UpdateExpression. */
static void
check_styles(const WireWrite *request, bool updates)
{
	const WireStyle legacy[] = {
		{"AttributeUpdates", updates && request->updates.given},
		{"Expected", request->expected.given},
		{"ConditionalOperator", request->operator.text.data != NULL}
	};
	const WireStyle expressions[] = {
		{"UpdateExpression", updates && request->update.data != NULL},
		{"ConditionExpression", request->condition.data != NULL}
	};

	wire_check_mixing(legacy, lengthof(legacy), expressions,
					  lengthof(expressions));
}

/*
 * What is wrong with the values of placeholders, or NULL.
 */
const char *
wire_values_error(const ItemTyped *values)
{
	if (values->invalid == NULL)
		return NULL;
	return psprintf(TEXT_VALUE_INVALID, values->invalid,
					(int) values->invalid_name_len, values->invalid_name);
}

/*
 * The item that fails a condition is returned by an answer, which this file
 * makes an error.
 */
static void
fill_write(const WireWrite *request, ApiWrite *write)
{
	bool		returns_failed = request->return_on_failure.text.data != NULL &&
		request->return_on_failure.number == WIRE_FAILURE_ALL_OLD;

	write->table_name = request->table_name;
	write->condition = request->condition;
	wire_expected(&request->expected, &request->operator, &write->condition);
	write->names = request->names;
	write->values = request->values.item;
	write->item_error = request->item.invalid;
	write->values_error = wire_values_error(&request->values);
	write->return_values = return_values(&request->return_values);
	write->try_only = returns_failed;
	write->want_units = wire_wants_capacity(&request->capacity);
}

/* In the order of the model's enumeration. */
static ApiReturnValues
return_values(const WireWord *word)
{
	static const ApiReturnValues modes[] = {
		API_RETURN_ALL_NEW,
		API_RETURN_UPDATED_OLD,
		API_RETURN_ALL_OLD,
		API_RETURN_NONE,
		API_RETURN_UPDATED_NEW
	};

	return word->text.data == NULL ? API_RETURN_NONE : modes[word->number];
}

/*
 * Members that would be empty are absent.
 */
static void
append_result(const WireWrite *request, const ApiWriteResult *result,
			  StringInfo response)
{
	WireConsumed consumed = {.table_name = &request->table_name};
	StringInfoData metrics;

	if (result->condition_failed)
		condition_failed(request, result);

	appendStringInfoChar(response, '{');
	if (result->attributes != NULL &&
		item_map_count(item_root(result->attributes)) > 0)
	{
		wire_append_name(response, "Attributes");
		wire_append_item(response, result->attributes);
	}
	if (result->consumed.table != NULL)
		wire_add_consumed(&consumed, &result->consumed);
	wire_append_consumed(response, &request->capacity, CAPACITY_WRITE,
						 &consumed);
	initStringInfo(&metrics);
	if (wire_wants_metrics(&request->metrics) &&
		wire_append_metrics(&metrics, &request->table_name,
							(const ItemData *const *) &request->item.item, 1,
							false))
	{
		wire_append_name(response, "ItemCollectionMetrics");
		appendBinaryStringInfo(response, metrics.data, metrics.len);
	}
	appendStringInfoChar(response, '}');
}

/*
 * The error's detail is the item that failed the condition.
 */
static void
condition_failed(const WireWrite *request, const ApiWriteResult *result)
{
	StringInfoData item;

	initStringInfo(&item);
	if (result->old_item != NULL)
		wire_append_item(&item, result->old_item);
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_CONDITIONAL_CHECK),
			 errmsg(TEXT_CONDITION_FAILED),
			 item.len > 0 ? errdetail_internal("%s", item.data) : 0));
}
