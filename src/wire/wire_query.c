/*
 * wire_query.c
 *	  Query and Scan: one page for each request.
 */
#include "postgres.h"

#include "utils/snapmgr.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

static void read_page(ApiReadKind kind, const WireRead *request,
					  StringInfo response);
static void check_styles(const WireRead *request, bool is_query);
static ApiSelect select_of(const WireWord *word);
static const char *start_key_error(const ItemTyped *start_key);
static bool starts_with(const char *text, const char *start);
static void append_page(const WireRead *request, const ApiPage *page,
						bool counts, StringInfo response);

void
wire_query(const void *request, StringInfo response)
{
	read_page(API_QUERY, request, response);
}

void
wire_scan(const void *request, StringInfo response)
{
	read_page(API_SCAN, request, response);
}

static void
read_page(ApiReadKind kind, const WireRead *request, StringInfo response)
{
	ApiQuery	api = {
		.kind = kind,
		.table_name = request->table_name,
		.index_name = request->index_name,
		.key_condition = request->key_condition,
		.filter = request->filter,
		.projection = request->projection,
		.names = request->names,
		.values = request->values.item,
		.values_error = wire_values_error(&request->values),
		.select = select_of(&request->select),
		.consistent = request->consistent.given && request->consistent.value,
		.forward = !request->forward.given || request->forward.value,
		.has_segment = request->segment.given,
		.segment = request->segment.value,
		.has_total_segments = request->total_segments.given,
		.total_segments = request->total_segments.value,
		.has_max_items = request->limit.given,
		.max_items = request->limit.value,
		.start_key = request->start_key.item,
		.start_key_error = start_key_error(&request->start_key)
	};
	ApiPage		page;

	check_styles(request, kind == API_QUERY);
	wire_filter(&request->conditions, &request->operator, &api.filter);
	wire_attributes_to_get(&request->attributes, &api.projection);
	if (api.projection.error != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("%s", api.projection.error)));
	wire_key_conditions(&request->key_conditions, &api.key_condition);
	api_read_page(&api, GetActiveSnapshot(), &page);
	append_page(request, &page, api.select == API_SELECT_COUNT, response);
}

/*
 * KeyConditions goes with other expressions than that which replaces it.
 */
static void
check_styles(const WireRead *request, bool is_query)
{
	bool		has_key_condition = request->key_condition.data != NULL;
	const WireStyle legacy[] = {
		{"AttributesToGet", request->attributes.given},
		{is_query ? "QueryFilter" : "ScanFilter", request->conditions.given},
		{"ConditionalOperator", request->operator.text.data != NULL},
		{"KeyConditions", request->key_conditions.given && has_key_condition}
	};
	const WireStyle expressions[] = {
		{"ProjectionExpression", request->projection.data != NULL},
		{"FilterExpression", request->filter.data != NULL},
		{"KeyConditionExpression", has_key_condition}
	};

	wire_check_mixing(legacy, lengthof(legacy), expressions,
					  lengthof(expressions));
}

/* In the order of the model's enumeration. */
static ApiSelect
select_of(const WireWord *word)
{
	static const ApiSelect modes[] = {
		API_SELECT_SPECIFIC,
		API_SELECT_COUNT,
		API_SELECT_ALL,
		API_SELECT_ALL_PROJECTED
	};

	return word->text.data == NULL ? API_SELECT_ABSENT : modes[word->number];
}

/*
 * What is wrong with the values of a start key, or NULL.  The service says
 * of most errors where they are, but not of those in numbers.
 */
static const char *
start_key_error(const ItemTyped *start_key)
{
	const char *error = start_key->invalid;

	if (error == NULL ||
		starts_with(error, TEXT_NUMBER_EMPTY) ||
		starts_with(error, TEXT_NUMBER_OVERFLOW) ||
		starts_with(error, TEXT_NUMBER_UNDERFLOW) ||
		starts_with(error, TEXT_NUMBER_DIGITS) ||
		starts_with(error, TEXT_NUMBER_SET_DUPLICATES))
		return error;
	return psprintf(TEXT_START_KEY_VALUE, error);
}

static bool
starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void
append_page(const WireRead *request, const ApiPage *page, bool counts,
			StringInfo response)
{
	CapacityAccess access = request->consistent.value ?
		CAPACITY_READ_STRONG : CAPACITY_READ_EVENTUAL;
	int64		units = capacity_units(access, page->size);
	WireIndexUnits index_units;
	WireConsumed consumed = {.table_name = &request->table_name};

	if (page->index == NULL)
		consumed.units = units;
	else
	{
		index_units.name = page->index->name;
		index_units.global = page->index->global;
		index_units.units = units;
		consumed.nindexes = 1;
		consumed.indexes = &index_units;
		if (page->fetched_blocks > 0)
			consumed.units = page->fetched_blocks * capacity_units(access, 1);
	}

	wire_observe_items(&request->table_name, page->scanned_count, page->count);
	appendStringInfoChar(response, '{');
	if (!counts)
	{
		wire_append_name(response, "Items");
		appendStringInfoChar(response, '[');
		for (int i = 0; i < page->count; i++)
		{
			wire_begin_element(response);
			wire_append_item(response, page->items[i]);
		}
		appendStringInfoChar(response, ']');
	}
	wire_append_name(response, "Count");
	appendStringInfo(response, "%d", page->count);
	wire_append_name(response, "ScannedCount");
	appendStringInfo(response, "%d", page->scanned_count);
	if (page->last_evaluated_key != NULL)
	{
		wire_append_name(response, "LastEvaluatedKey");
		wire_append_item(response, page->last_evaluated_key);
	}
	wire_append_consumed(response, &request->capacity, access, &consumed);
	appendStringInfoChar(response, '}');
}
