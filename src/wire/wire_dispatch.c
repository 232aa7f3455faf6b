/*
 * wire_dispatch.c
 *	  From an operation's name to what answers it, and the SQL function.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

PG_FUNCTION_INFO_V1(dynamodb);

typedef struct WireOperation
{
	const char *name;
	const WireType *model;
	void		(*run) (const void *request, StringInfo response);
} WireOperation;

static const WireOperation operations[] = {
	{"GetItem", &wire_get_model, wire_get},
	{"PutItem", &wire_put_model, wire_put},
	{"UpdateItem", &wire_update_model, wire_update},
	{"DeleteItem", &wire_delete_model, wire_delete},
	{"Query", &wire_query_model, wire_query},
	{"Scan", &wire_scan_model, wire_scan},
	{"BatchGetItem", &wire_batch_get_model, wire_batch_get},
	{"BatchWriteItem", &wire_batch_write_model, wire_batch_write},
	{"TransactWriteItems", &wire_transact_write_model, wire_transact_write},
	{"TransactGetItems", &wire_transact_get_model, wire_transact_get},
	{"CreateTable", &wire_create_table_model, wire_create_table},
	{"DescribeTable", &wire_table_model, wire_describe_table},
	{"UpdateTable", &wire_update_table_model, wire_update_table},
	{"DeleteTable", &wire_table_model, wire_delete_table},
	{"ListTables", &wire_list_tables_model, wire_list_tables},
	{"TagResource", &wire_tag_resource_model, wire_tag_resource},
	{"UntagResource", &wire_untag_resource_model, wire_untag_resource},
	{"ListTagsOfResource", &wire_list_tags_model, wire_list_tags},
	{"DescribeTimeToLive", &wire_table_model, wire_describe_ttl},
	{"UpdateTimeToLive", &wire_ttl_model, wire_update_ttl},
	{"DescribeContinuousBackups", &wire_table_model, wire_describe_backups},
	{"DescribeLimits", &wire_empty_model, wire_describe_limits},
	{"DescribeEndpoints", &wire_empty_model, wire_describe_endpoints},
};

static const WireOperation *find_operation(const char *name, size_t len);
static void raise_as_exception(MemoryContext context);

/*
 * Each operation reads with a snapshot of its own, so that it sees what
 * earlier ones of the same SQL statement have written.
 */
void
wire_execute(const char *operation, size_t operation_len,
			 const char *request, size_t request_len, StringInfo response)
{
	const WireOperation *found = find_operation(operation, operation_len);
	void	   *decoded;

	wire_observation.operation = found == NULL ? NULL : found->name;
	wire_observation.n_tables = 0;
	wire_observation.index_name = NULL;
	if (found == NULL)
		wire_check_request(operation, operation_len, request, request_len);
	decoded = wire_decode(found->model, request, request_len);
	wire_observe_request(found->name, found->model, decoded);
	wire_check(found->model, decoded);

	PushActiveSnapshot(GetTransactionSnapshot());
	found->run(decoded, response);
	PopActiveSnapshot();
}

/*
 * The service looks at the text and the operation's name before it asks who
 * the client is.
 */
void
wire_check_request(const char *operation, size_t operation_len,
				   const char *request, size_t request_len)
{
	wire_check_json(request, request_len);
	if (find_operation(operation, operation_len) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_UNKNOWN_OPERATION),
				 errmsg("unknown operation: \"%.*s\"",
						(int) operation_len, operation)));
}

static const WireOperation *
find_operation(const char *name, size_t len)
{
	for (size_t i = 0; i < lengthof(operations); i++)
	{
		if (strlen(operations[i].name) == len &&
			memcmp(operations[i].name, name, len) == 0)
			return &operations[i];
	}
	return NULL;
}

/*
 * The function in SQL.  Errors that the service has an exception for get its
 * SQLSTATE, its message, and the body of the response as their detail; all
 * others are raised as they are.
 */
Datum
dynamodb(PG_FUNCTION_ARGS)
{
	MemoryContext context = CurrentMemoryContext;
	WireObservation outer = wire_observation;	/* a trigger may call this */
	StringInfoData response;

	initStringInfo(&response);
	PG_TRY();
	{
		text	   *operation = PG_ARGISNULL(0) ?
			cstring_to_text("") : PG_GETARG_TEXT_PP(0);
		text	   *request = PG_ARGISNULL(1) ?
			cstring_to_text("") : PG_GETARG_TEXT_PP(1);

		wire_execute(VARDATA_ANY(operation), VARSIZE_ANY_EXHDR(operation),
					 VARDATA_ANY(request), VARSIZE_ANY_EXHDR(request),
					 &response);
		if (wire_observer != NULL && wire_observer->end != NULL)
			wire_observer->end(&wire_observation, false);
		wire_observation = outer;
	}
	PG_CATCH();
	{
		if (wire_observer != NULL && wire_observer->end != NULL)
			wire_observer->end(&wire_observation, true);
		wire_observation = outer;
		raise_as_exception(context);
	}
	PG_END_TRY();
	if (response.len == 0)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(response.data, response.len));
}

/*
 * The server's log keeps what was said before the body took its place.
 */
static void
raise_as_exception(MemoryContext context)
{
	ErrorData  *error;
	WireError	exception;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	wire_describe_error(error, &exception);
	if (exception.sqlerrcode == 0)
		PG_RE_THROW();
	FlushErrorState();

	if (error->sqlerrcode == exception.sqlerrcode)
		error->detail_log = error->detail;
	else
		error->detail_log = error->detail == NULL ? error->message :
			psprintf("%s: %s", error->message, error->detail);
	error->sqlerrcode = exception.sqlerrcode;
	error->message = unconstify(char *, exception.message);
	error->detail = exception.body;
	ReThrowError(error);
}
