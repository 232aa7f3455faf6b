/*
 * api_sql.c
 *	  The SQL functions of the item operations: arguments into requests.
 *
 * Nothing is decided here.  The functions are not STRICT, because most of
 * their arguments may be NULL, which means "not given"; the few that may not
 * are refused by name.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "api/api_private.h"
#include "base/errors.h"

PG_FUNCTION_INFO_V1(put_item);
PG_FUNCTION_INFO_V1(get_item);
PG_FUNCTION_INFO_V1(update_item);
PG_FUNCTION_INFO_V1(delete_item);
PG_FUNCTION_INFO_V1(try_put);
PG_FUNCTION_INFO_V1(try_update);
PG_FUNCTION_INFO_V1(try_delete);
PG_FUNCTION_INFO_V1(query);
PG_FUNCTION_INFO_V1(scan);
PG_FUNCTION_INFO_V1(query_page);
PG_FUNCTION_INFO_V1(scan_page);
PG_FUNCTION_INFO_V1(merge_query);

static void require_argument(FunctionCallInfo fcinfo, int n,
							 const char *name);
static ApiText text_argument(FunctionCallInfo fcinfo, int n);
static const ItemData *item_argument(FunctionCallInfo fcinfo, int n);
static Jsonb *names_argument(FunctionCallInfo fcinfo, int n);
static ApiReturnValues return_values_argument(FunctionCallInfo fcinfo, int n);
static bool int_argument(FunctionCallInfo fcinfo, int n, int32 *value);
static void put_arguments(FunctionCallInfo fcinfo, ApiPut *request);
static void update_arguments(FunctionCallInfo fcinfo, ApiUpdate *request);
static void delete_arguments(FunctionCallInfo fcinfo, ApiDelete *request);
static void query_arguments(FunctionCallInfo fcinfo, ApiQuery *request);
static void scan_arguments(FunctionCallInfo fcinfo, ApiQuery *request);
static void merge_arguments(FunctionCallInfo fcinfo, ApiQuery *request);
static Datum item_or_null(FunctionCallInfo fcinfo, ItemData *item);
static Datum write_answer(FunctionCallInfo fcinfo,
						  const ApiWriteResult *result);
static Datum read_next(FunctionCallInfo fcinfo, ApiReadArguments arguments);
static Datum read_page(FunctionCallInfo fcinfo, ApiReadArguments arguments);
static TupleDesc result_row_type(FunctionCallInfo fcinfo);

/* A set-returning call under way. */
typedef struct ReadState
{
	ApiQuery	request;
	ApiCursor  *cursor;
} ReadState;

static void read_end(Datum argument);

Datum
put_item(PG_FUNCTION_ARGS)
{
	ApiPut		request;
	ApiWriteResult result;

	put_arguments(fcinfo, &request);
	request.write.return_values = return_values_argument(fcinfo, 5);
	api_put(&request, &result);
	return item_or_null(fcinfo, result.attributes);
}

Datum
try_put(PG_FUNCTION_ARGS)
{
	ApiPut		request;
	ApiWriteResult result;

	put_arguments(fcinfo, &request);
	request.write.try_only = true;
	request.write.want_images = true;
	api_put(&request, &result);
	return write_answer(fcinfo, &result);
}

static void
put_arguments(FunctionCallInfo fcinfo, ApiPut *request)
{
	require_argument(fcinfo, 0, "table_name");
	require_argument(fcinfo, 1, "item");

	memset(request, 0, sizeof(*request));
	request->write.table_name = text_argument(fcinfo, 0);
	request->item = item_argument(fcinfo, 1);
	request->write.condition = text_argument(fcinfo, 2);
	request->write.values = item_argument(fcinfo, 3);
	request->write.names = names_argument(fcinfo, 4);
}

Datum
update_item(PG_FUNCTION_ARGS)
{
	ApiUpdate	request;
	ApiWriteResult result;

	update_arguments(fcinfo, &request);
	request.write.return_values = return_values_argument(fcinfo, 6);
	api_update(&request, &result);
	return item_or_null(fcinfo, result.attributes);
}

Datum
try_update(PG_FUNCTION_ARGS)
{
	ApiUpdate	request;
	ApiWriteResult result;

	update_arguments(fcinfo, &request);
	request.write.try_only = true;
	request.write.want_images = true;
	api_update(&request, &result);
	return write_answer(fcinfo, &result);
}

static void
update_arguments(FunctionCallInfo fcinfo, ApiUpdate *request)
{
	require_argument(fcinfo, 0, "table_name");
	require_argument(fcinfo, 1, "key");

	memset(request, 0, sizeof(*request));
	request->write.table_name = text_argument(fcinfo, 0);
	request->key = item_argument(fcinfo, 1);
	request->update = text_argument(fcinfo, 2);
	request->write.values = item_argument(fcinfo, 3);
	request->write.condition = text_argument(fcinfo, 4);
	request->write.names = names_argument(fcinfo, 5);
}

Datum
delete_item(PG_FUNCTION_ARGS)
{
	ApiDelete	request;
	ApiWriteResult result;

	delete_arguments(fcinfo, &request);
	request.write.return_values = return_values_argument(fcinfo, 5);
	api_delete(&request, &result);
	return item_or_null(fcinfo, result.attributes);
}

Datum
try_delete(PG_FUNCTION_ARGS)
{
	ApiDelete	request;
	ApiWriteResult result;

	delete_arguments(fcinfo, &request);
	request.write.try_only = true;
	request.write.want_images = true;
	api_delete(&request, &result);
	return write_answer(fcinfo, &result);
}

static void
delete_arguments(FunctionCallInfo fcinfo, ApiDelete *request)
{
	require_argument(fcinfo, 0, "table_name");
	require_argument(fcinfo, 1, "key");

	memset(request, 0, sizeof(*request));
	request->write.table_name = text_argument(fcinfo, 0);
	request->key = item_argument(fcinfo, 1);
	request->write.condition = text_argument(fcinfo, 2);
	request->write.values = item_argument(fcinfo, 3);
	request->write.names = names_argument(fcinfo, 4);
}

Datum
get_item(PG_FUNCTION_ARGS)
{
	ApiGet		request;

	require_argument(fcinfo, 0, "table_name");
	require_argument(fcinfo, 1, "key");

	memset(&request, 0, sizeof(request));
	request.table_name = text_argument(fcinfo, 0);
	request.key = item_argument(fcinfo, 1);
	request.projection = text_argument(fcinfo, 2);
	request.names = names_argument(fcinfo, 3);
	return item_or_null(fcinfo, api_get(&request, NULL));
}

Datum
query(PG_FUNCTION_ARGS)
{
	return read_next(fcinfo, query_arguments);
}

Datum
query_page(PG_FUNCTION_ARGS)
{
	return read_page(fcinfo, query_arguments);
}

static void
query_arguments(FunctionCallInfo fcinfo, ApiQuery *request)
{
	require_argument(fcinfo, 0, "table_name");

	memset(request, 0, sizeof(*request));
	request->kind = API_QUERY;
	request->table_name = text_argument(fcinfo, 0);
	request->key_condition = text_argument(fcinfo, 1);
	request->values = item_argument(fcinfo, 2);
	request->index_name = text_argument(fcinfo, 3);
	request->filter = text_argument(fcinfo, 4);
	request->projection = text_argument(fcinfo, 5);
	request->names = names_argument(fcinfo, 6);
	request->forward = PG_ARGISNULL(7) || PG_GETARG_BOOL(7);
	request->has_max_items = int_argument(fcinfo, 8, &request->max_items);
	request->start_key = item_argument(fcinfo, 9);
}

Datum
scan(PG_FUNCTION_ARGS)
{
	return read_next(fcinfo, scan_arguments);
}

Datum
scan_page(PG_FUNCTION_ARGS)
{
	return read_page(fcinfo, scan_arguments);
}

static void
scan_arguments(FunctionCallInfo fcinfo, ApiQuery *request)
{
	require_argument(fcinfo, 0, "table_name");

	memset(request, 0, sizeof(*request));
	request->kind = API_SCAN;
	request->table_name = text_argument(fcinfo, 0);
	request->index_name = text_argument(fcinfo, 1);
	request->filter = text_argument(fcinfo, 2);
	request->values = item_argument(fcinfo, 3);
	request->projection = text_argument(fcinfo, 4);
	request->names = names_argument(fcinfo, 5);
	request->has_segment = int_argument(fcinfo, 6, &request->segment);
	request->has_total_segments = int_argument(fcinfo, 7,
											   &request->total_segments);
	request->has_max_items = int_argument(fcinfo, 8, &request->max_items);
	request->start_key = item_argument(fcinfo, 9);
}

Datum
merge_query(PG_FUNCTION_ARGS)
{
	return read_next(fcinfo, merge_arguments);
}

static void
merge_arguments(FunctionCallInfo fcinfo, ApiQuery *request)
{
	require_argument(fcinfo, 0, "table_name");
	require_argument(fcinfo, 1, "pks");

	memset(request, 0, sizeof(*request));
	request->kind = API_MERGE;
	request->table_name = text_argument(fcinfo, 0);
	request->pks = PG_GETARG_ARRAYTYPE_P(1);
	request->lower = text_argument(fcinfo, 2);
	request->upper = text_argument(fcinfo, 3);
	request->forward = PG_ARGISNULL(4) || PG_GETARG_BOOL(4);
	request->has_max_items = int_argument(fcinfo, 5, &request->max_items);
}

/*
 * What fills in the request of a set-returning function of ours; NULL for any
 * other function.
 */
ApiReadArguments
api_read_function(Oid function)
{
	static const struct
	{
		const char *name;
		ApiReadArguments arguments;
	}			functions[] = {
		{"query", query_arguments},
		{"scan", scan_arguments},
		{"merge_query", merge_arguments},
	};
	char	   *name;

	if (get_func_namespace(function) != get_namespace_oid("partitioning", true))
		return NULL;
	name = get_func_name(function);
	for (size_t i = 0; name != NULL && i < lengthof(functions); i++)
	{
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].arguments;
	}
	return NULL;
}

/*
 * Refuses NULL for an argument that must be given.
 */
static void
require_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
}

/*
 * Arguments need no copies: the executor keeps those of a set-returning
 * function until its last row, and what had to be detoasted is in the
 * current memory context.
 */
static ApiText
text_argument(FunctionCallInfo fcinfo, int n)
{
	ApiText		result = {0};

	if (!PG_ARGISNULL(n))
	{
		text	   *value = PG_GETARG_TEXT_PP(n);

		result.data = VARDATA_ANY(value);
		result.len = VARSIZE_ANY_EXHDR(value);
	}
	return result;
}

static const ItemData *
item_argument(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : PG_GETARG_ITEM_P(n);
}

static Jsonb *
names_argument(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : PG_GETARG_JSONB_P(n);
}

static bool
int_argument(FunctionCallInfo fcinfo, int n, int32 *value)
{
	if (PG_ARGISNULL(n))
		return false;
	*value = PG_GETARG_INT32(n);
	return true;
}

static ApiReturnValues
return_values_argument(FunctionCallInfo fcinfo, int n)
{
	static const struct
	{
		const char *word;
		ApiReturnValues mode;
	}			modes[] = {
		{"NONE", API_RETURN_NONE},
		{"ALL_OLD", API_RETURN_ALL_OLD},
		{"UPDATED_OLD", API_RETURN_UPDATED_OLD},
		{"ALL_NEW", API_RETURN_ALL_NEW},
		{"UPDATED_NEW", API_RETURN_UPDATED_NEW},
	};
	ApiText		word = text_argument(fcinfo, n);

	if (word.data == NULL)
		return API_RETURN_NONE;
	for (size_t i = 0; i < lengthof(modes); i++)
	{
		if (word.len == strlen(modes[i].word) &&
			memcmp(word.data, modes[i].word, word.len) == 0)
			return modes[i].mode;
	}
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("invalid value for argument \"%s\": \"%.*s\"",
					"return_values", (int) word.len, word.data),
			 errhint("Use NONE, ALL_OLD, UPDATED_OLD, ALL_NEW or UPDATED_NEW.")));
}

static Datum
item_or_null(FunctionCallInfo fcinfo, ItemData *item)
{
	if (item == NULL)
		PG_RETURN_NULL();
	PG_RETURN_ITEM_P(item);
}

/*
 * (applied, old_item, new_item)
 */
static Datum
write_answer(FunctionCallInfo fcinfo, const ApiWriteResult *result)
{
	TupleDesc	desc = result_row_type(fcinfo);
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	values[0] = BoolGetDatum(result->applied);
	values[1] = PointerGetDatum(result->old_item);
	nulls[1] = result->old_item == NULL;
	values[2] = PointerGetDatum(result->new_item);
	nulls[2] = result->new_item == NULL;
	return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

/*
 * One item of a set.  Items are read as they are asked for; a caller that
 * stops early (LIMIT) ends the cursor through the expression context.
 */
static Datum
read_next(FunctionCallInfo fcinfo, ApiReadArguments arguments)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	FuncCallContext *call;
	ReadState  *state;
	ItemData   *item;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		call = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(call->multi_call_memory_ctx);
		state = palloc(sizeof(ReadState));
		arguments(fcinfo, &state->request);
		state->cursor = api_cursor_open(&state->request, GetActiveSnapshot());
		RegisterExprContextCallback(rsinfo->econtext, read_end,
									PointerGetDatum(state));
		call->user_fctx = state;
		MemoryContextSwitchTo(old);
	}

	call = SRF_PERCALL_SETUP();
	state = call->user_fctx;
	item = api_cursor_next(state->cursor);
	if (item != NULL)
		SRF_RETURN_NEXT(call, PointerGetDatum(item));

	UnregisterExprContextCallback(rsinfo->econtext, read_end,
								  PointerGetDatum(state));
	read_end(PointerGetDatum(state));
	SRF_RETURN_DONE(call);
}

static void
read_end(Datum argument)
{
	ReadState  *state = (ReadState *) DatumGetPointer(argument);

	api_cursor_close(state->cursor);
}

/*
 * (items, item_count, scanned_count, last_evaluated_key)
 */
static Datum
read_page(FunctionCallInfo fcinfo, ApiReadArguments arguments)
{
	TupleDesc	desc = result_row_type(fcinfo);
	Oid			item_type = get_element_type(TupleDescAttr(desc, 0)->atttypid);
	ApiQuery	request;
	ApiPage		page;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *elements;
	Datum		values[4];
	bool		nulls[4] = {false, false, false, false};

	arguments(fcinfo, &request);
	api_read_page(&request, GetActiveSnapshot(), &page);

	elements = palloc(Max(page.count, 1) * sizeof(Datum));
	for (int i = 0; i < page.count; i++)
		elements[i] = PointerGetDatum(page.items[i]);
	get_typlenbyvalalign(item_type, &typlen, &typbyval, &typalign);

	values[0] = PointerGetDatum(construct_array(elements, page.count,
												item_type, typlen, typbyval,
												typalign));
	values[1] = Int32GetDatum(page.count);
	values[2] = Int32GetDatum(page.scanned_count);
	values[3] = PointerGetDatum(page.last_evaluated_key);
	nulls[3] = page.last_evaluated_key == NULL;
	return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

/*
 * Row type of the function's OUT parameters, found once per query.
 */
static TupleDesc
result_row_type(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		TupleDesc	desc;

		if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "function must return a row");
		flinfo->fn_extra = BlessTupleDesc(desc);
		MemoryContextSwitchTo(old);
	}
	return flinfo->fn_extra;
}
