/*
 * api_query.c
 *	  Queries and scans: a cursor that reads item by item, and pages.
 *
 * The service stops a page at 1 MB of items read.  A cursor does not: it
 * reads until max_items, the end of the range, or until its user stops.
 * Only api_read_page() knows the page limit.
 *
 * A cursor may live over many calls.  It owns a memory context; each item is
 * read and judged in a scratch context that is reset before the next one, so
 * a filter that rejects a million items needs no more memory than one.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "scan/scan.h"

struct ApiCursor
{
	MemoryContext context;		/* holds the cursor itself */
	MemoryContext scratch;		/* reset before each item read */
	ItemExpr   *filter;			/* or NULL */
	ItemExpr   *projection;		/* or NULL */
	ItemScan   *scan;
	StoreRow	row;			/* the item read last */
	const ItemTable *table;
	const ItemIndex *index;		/* or NULL */
	bool		projects;		/* results are entries of the index */
	bool		fetches;		/* to the service, items are fetched beside */
	bool		has_max_items;
	int64		remaining;		/* of max_items; counts down in any case */
	int64		first_remaining;
	bool		exhausted;		/* the range has no more items */
};

typedef struct ReadExpressions
{
	ItemExpr   *key_condition;
	ItemExpr   *filter;
	ItemExpr   *projection;
} ReadExpressions;

static void prepare(const ApiQuery *request, ScanSpec *spec,
					ReadExpressions *expressions);
static void check_request(const ApiQuery *request);
static void check_segments(const ApiQuery *request);
static void prepare_expressions(const ApiQuery *request,
								ReadExpressions *expressions);
static void check_select(const ApiQuery *request);
static void check_schema(const ItemTable *table, const ItemIndex *index,
						 const ApiQuery *request,
						 const ReadExpressions *expressions);
static void check_projected(const ItemIndex *index, const ApiQuery *request,
							const ItemTable *table, const ItemExpr *projection);
static bool needs_item(const ItemTable *table, const ItemIndex *index,
					   const ApiQuery *request,
					   const ReadExpressions *expressions);
static bool is_projected(const ItemTable *table, const ItemIndex *index,
						 const char *name, uint32 name_len);
static uint32 stored_size(const ApiCursor *cursor);
static void set_start(ScanSpec *spec, const ApiStart *start);
static void set_query_range(ScanSpec *spec, const ApiQuery *request,
							const ItemExpr *key_condition);
static void set_scan_range(ScanSpec *spec, const ApiQuery *request);
static void set_bound_datum(KeyBound *bound);
static bool read_row(ApiCursor *cursor);
static bool row_passes(const ApiCursor *cursor);
static ItemData *row_result(const ApiCursor *cursor);

/*
 * Checks a request and starts reading under a snapshot, which the scan
 * registers.  Relations stay open until api_cursor_close(), which must run
 * under the same resource owner; after an error nothing need be done.
 */
ApiCursor *
api_cursor_open(const ApiQuery *request, Snapshot snapshot)
{
	MemoryContext context;
	MemoryContext old;
	ApiCursor  *cursor;
	ReadExpressions expressions;
	ScanSpec	spec;

	context = AllocSetContextCreate(CurrentMemoryContext, "item cursor",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);

	prepare(request, &spec, &expressions);
	cursor = palloc0(sizeof(ApiCursor));
	cursor->context = context;
	cursor->scratch = AllocSetContextCreate(context, "item read",
											ALLOCSET_DEFAULT_SIZES);
	cursor->filter = expressions.filter;
	cursor->projection = expressions.projection;
	cursor->table = spec.table;
	cursor->index = spec.index;
	cursor->projects = spec.index != NULL && !spec.index->global &&
		request->select != API_SELECT_ALL &&
		spec.index->projection != PROJECTION_ALL;
	cursor->fetches = spec.index != NULL && !spec.index->global &&
		needs_item(spec.table, spec.index, request, &expressions);
	cursor->has_max_items = request->has_max_items;
	cursor->remaining = request->has_max_items ? request->max_items : 0;
	cursor->first_remaining = cursor->remaining;
	cursor->scan = scan_begin(&spec, snapshot);

	MemoryContextSwitchTo(old);
	return cursor;
}

/*
 * All checks, and what is to be read.
 */
static void
prepare(const ApiQuery *request, ScanSpec *spec, ReadExpressions *expressions)
{
	check_request(request);
	prepare_expressions(request, expressions);
	check_select(request);

	memset(spec, 0, sizeof(*spec));
	spec->table = api_resolve_table(&request->table_name);
	spec->index = api_index_of_request(spec->table, &request->index_name);
	if (spec->index != NULL && spec->index->global && request->consistent)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_CONSISTENT_GLOBAL)));
	spec->forward = request->kind == API_SCAN || request->forward;
	switch (request->kind)
	{
		case API_QUERY:
			set_query_range(spec, request, expressions->key_condition);
			break;
		case API_SCAN:
			set_scan_range(spec, request);
			break;
		case API_MERGE:
			api_merge_range(request, spec);
			break;
	}
	check_schema(spec->table, spec->index, request, expressions);
}

/*
 * What the same request would read.
 */
void
api_read_describe(const ApiQuery *request, ApiReadDescription *description)
{
	ReadExpressions expressions;
	ScanSpec	spec;

	prepare(request, &spec, &expressions);
	api_describe_scan(&spec, description);
}

/*
 * The next item that passes the filter, in the current memory context, or
 * NULL when max_items have been read or the range is exhausted.
 */
ItemData *
api_cursor_next(ApiCursor *cursor)
{
	while (read_row(cursor))
	{
		if (row_passes(cursor))
			return row_result(cursor);
	}
	return NULL;
}

/*
 * How many items have been read so far, before the filter.
 */
int64
api_cursor_items_read(const ApiCursor *cursor)
{
	return cursor->first_remaining - cursor->remaining;
}

void
api_cursor_close(ApiCursor *cursor)
{
	scan_end(cursor->scan);
	MemoryContextDelete(cursor->context);
}

/*
 * Reads one page.  The item that crosses 1 MB still belongs to it.  When the
 * page stopped for its own reasons (max_items, size), last_evaluated_key
 * says where, even if nothing should follow: the service does not look ahead
 * either.
 */
void
api_read_page(const ApiQuery *request, Snapshot snapshot, ApiPage *page)
{
	ApiCursor  *cursor = api_cursor_open(request, snapshot);
	bool		counts = request->select == API_SELECT_COUNT;
	int			room = counts ? 0 : 16;
	uint64		fetched = 0;

	memset(page, 0, sizeof(*page));
	if (!counts)
		page->items = palloc(room * sizeof(ItemData *));

	page->index = cursor->index;
	while (page->size + fetched < LIMIT_PAGE_SIZE && read_row(cursor))
	{
		page->scanned_count++;
		page->size += cursor->index == NULL ?
			item_row_size(&cursor->row.row) :
			api_index_entry_size(cursor->table, cursor->index,
								 &cursor->row.row);
		if (cursor->fetches)
		{
			uint32		size = stored_size(cursor);

			fetched += size;
			page->fetched_blocks += (size + CAPACITY_READ_UNIT - 1) /
				CAPACITY_READ_UNIT;
		}
		if (!row_passes(cursor))
			continue;
		if (counts)
		{
			page->count++;
			continue;
		}
		if (page->count == room)
		{
			room *= 2;
			page->items = repalloc(page->items, room * sizeof(ItemData *));
		}
		page->items[page->count++] = row_result(cursor);
	}

	if (!cursor->exhausted)
		page->last_evaluated_key = cursor->index == NULL ?
			api_key_item(&cursor->row.row) :
			api_index_entry_key(cursor->table, cursor->index,
								&cursor->row.row);
	api_cursor_close(cursor);
}

/*
 * The checks that need neither expressions nor a schema.
 */
static void
check_request(const ApiQuery *request)
{
	bool		has_values_user = request->filter.data != NULL ||
		request->key_condition.data != NULL;

	if (request->has_max_items && request->max_items < 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("argument \"%s\" must be at least 1", "max_items")));

	api_check_placeholders(request->names,
						   has_values_user || request->projection.data != NULL,
						   request->values, has_values_user,
						   request->kind == API_QUERY ?
						   TEXT_VALUES_WITHOUT_QUERY :
						   TEXT_VALUES_WITHOUT_FILTER);
	if (request->start_key != NULL)
		api_check_map(request->start_key, "start_key");
	api_check_values(request->start_key_error);

	if (request->kind == API_SCAN)
		check_segments(request);
	else if (request->kind == API_QUERY &&
			 !api_has_expression(&request->key_condition))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_KEY_CONDITION_ABSENT)));
}

static void
check_segments(const ApiQuery *request)
{
	if (request->has_segment && !request->has_total_segments)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TOTAL_SEGMENTS_ABSENT)));
	if (request->has_total_segments && !request->has_segment)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SEGMENT_ABSENT)));
	if (!request->has_segment)
		return;

	if (request->total_segments < 1 ||
		request->total_segments > LIMIT_SEGMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("argument \"%s\" must be between %d and %d",
						"total_segments", 1, LIMIT_SEGMENTS)));
	if (request->segment < 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("argument \"%s\" must not be negative", "segment")));
	if (request->segment >= request->total_segments)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SEGMENT_RANGE,
						request->segment, request->total_segments)));
}

/*
 * Parses the request's expressions in the service's order.
 */
static void
prepare_expressions(const ApiQuery *request, ReadExpressions *expressions)
{
	ExprRequest *placeholders;

	memset(expressions, 0, sizeof(*expressions));
	if (!api_has_expression(&request->key_condition) &&
		!api_has_expression(&request->filter) &&
		!api_has_expression(&request->projection))
		return;

	placeholders = expr_request_begin(request->names, request->values);
	api_check_values(request->values_error);
	expressions->key_condition = api_prepare(placeholders, EXPR_KEY_CONDITION,
											 &request->key_condition);
	expressions->filter = api_prepare(placeholders, EXPR_FILTER,
									  &request->filter);
	expressions->projection = api_prepare(placeholders, EXPR_PROJECTION,
										  &request->projection);
	expr_request_finish(placeholders);
}

/*
 * What is to be returned against the projection.
 */
static void
check_select(const ApiQuery *request)
{
	static const char *const words[] = {
		[API_SELECT_ALL] = "ALL_ATTRIBUTES",
		[API_SELECT_ALL_PROJECTED] = "ALL_PROJECTED_ATTRIBUTES",
		[API_SELECT_COUNT] = "COUNT",
	};
	bool		projects = api_has_expression(&request->projection);

	if (request->select == API_SELECT_ALL_PROJECTED &&
		request->index_name.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SELECT_PROJECTED)));
	if (request->select == API_SELECT_SPECIFIC && !projects)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SELECT_SPECIFIC)));
	if (request->select != API_SELECT_ABSENT &&
		request->select != API_SELECT_SPECIFIC && projects)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SELECT_PROJECTION, words[request->select])));
}

/*
 * What a global index does not project cannot be had from it.
 */
static void
check_projected(const ItemIndex *index, const ApiQuery *request,
				const ItemTable *table, const ItemExpr *projection)
{
	const char *name;
	uint32		name_len;

	if (index->projection == PROJECTION_ALL)
		return;
	if (request->select == API_SELECT_ALL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SELECT_ALL_GLOBAL, index->name)));
	for (int i = 0; projection != NULL &&
		 expr_projection_attribute(projection, i, &name, &name_len); i++)
	{
		if (!is_projected(table, index, name, name_len))
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_NOT_PROJECTED, index->name, (int) name_len,
							name)));
	}
}

/*
 * Does a read of a local index return attributes that its entries lack?
 */
static bool
needs_item(const ItemTable *table, const ItemIndex *index,
		   const ApiQuery *request, const ReadExpressions *expressions)
{
	const char *name;
	uint32		name_len;

	if (index->projection == PROJECTION_ALL)
		return false;
	if (request->select == API_SELECT_ALL)
		return true;
	if (expressions->projection == NULL)
		return false;
	for (int i = 0; expr_projection_attribute(expressions->projection, i,
											  &name, &name_len); i++)
	{
		if (!is_projected(table, index, name, name_len))
			return true;
	}
	return false;
}

static bool
is_projected(const ItemTable *table, const ItemIndex *index, const char *name,
			 uint32 name_len)
{
	return key_schema_find(&table->schema, name, name_len) >= 0 ||
		meta_index_key(index, name, name_len) >= 0 ||
		meta_index_projects(index, name, name_len);
}

/* Of the item itself, without what templates compute. */
static uint32
stored_size(const ApiCursor *cursor)
{
	ItemRow		row = cursor->row.row;

	row.nkeys = cursor->table->schema.n;
	return item_row_size(&row);
}

/*
 * Paths against the key schema, in the service's order.  A query's filter has
 * none of the key attributes of what it reads, table or index.
 */
static void
check_schema(const ItemTable *table, const ItemIndex *index,
			 const ApiQuery *request, const ReadExpressions *expressions)
{
	if (index != NULL && index->global)
		check_projected(index, request, table, expressions->projection);
	if (expressions->projection != NULL)
		expr_check_schema(expressions->projection, &table->schema, false);
	if (expressions->filter == NULL)
		return;
	if (request->kind == API_QUERY)
	{
		KeyAttribute attributes[2 * LIMIT_INDEX_KEYS];
		int			n = api_index_attributes(table, index, attributes);

		expr_check_filter(expressions->filter, n, attributes);
	}
	expr_check_schema(expressions->filter, &table->schema, false);
}

/*
 * The partition, the sort key bounds and the start of a query.
 */
static void
set_query_range(ScanSpec *spec, const ApiQuery *request,
				const ItemExpr *key_condition)
{
	ExprKeyCondition condition;
	ItemKey    *pk = palloc0(sizeof(ItemKey));

	if (request->start_key != NULL)
	{
		ApiStart   *start = palloc0(sizeof(ApiStart));

		api_check_query_start(spec->table, spec->index, key_condition,
							  request->start_key, &condition, start);
		set_start(spec, start);
	}
	else
		api_index_condition(spec->table, spec->index, key_condition,
							&condition);

	pk->n = 1;
	pk->refs[0] = condition.pk;
	pk->datums[0] = key_datum_from_ref(condition.pk);
	spec->pk = pk;
	if (condition.has_sk)
	{
		spec->range = condition.range;
		set_bound_datum(&spec->range.lower);
		set_bound_datum(&spec->range.upper);
	}
}

static void
set_scan_range(ScanSpec *spec, const ApiQuery *request)
{
	if (request->has_segment)
	{
		spec->segment = request->segment;
		spec->total_segments = request->total_segments;
	}
	if (request->start_key != NULL)
	{
		ApiStart   *start = palloc0(sizeof(ApiStart));

		api_check_scan_start(spec->table, spec->index, request, start);
		set_start(spec, start);
	}
}

static void
set_start(ScanSpec *spec, const ApiStart *start)
{
	spec->start_key = &start->key;
	spec->start_pk = start->pk;
	spec->start_sort = start->sort;
}

/* Expressions know values only; the index needs the column's Datum. */
static void
set_bound_datum(KeyBound *bound)
{
	if (bound->present)
		bound->datum = key_datum_from_ref(bound->ref);
}

/*
 * Reads the next item into cursor->row.
 */
static bool
read_row(ApiCursor *cursor)
{
	MemoryContext old;
	bool		found;

	CHECK_FOR_INTERRUPTS();

	if (cursor->exhausted ||
		(cursor->has_max_items && cursor->remaining == 0))
		return false;

	MemoryContextReset(cursor->scratch);
	old = MemoryContextSwitchTo(cursor->scratch);
	found = scan_next(cursor->scan, &cursor->row);
	if (found && cursor->index != NULL && !cursor->index->global)
		api_index_row(cursor->index, &cursor->row.row);
	MemoryContextSwitchTo(old);

	if (found)
		cursor->remaining--;
	else
		cursor->exhausted = true;
	return found;
}

static bool
row_passes(const ApiCursor *cursor)
{
	MemoryContext old;
	bool		passes;

	if (cursor->filter == NULL)
		return true;

	old = MemoryContextSwitchTo(cursor->scratch);
	passes = expr_condition_holds(cursor->filter, &cursor->row.row);
	MemoryContextSwitchTo(old);
	return passes;
}

static ItemData *
row_result(const ApiCursor *cursor)
{
	if (cursor->projection != NULL)
		return expr_project(cursor->projection, &cursor->row.row);
	if (cursor->projects)
		return api_index_entry(cursor->table, cursor->index,
							   &cursor->row.row);
	return item_row_to_item(&cursor->row.row);
}
