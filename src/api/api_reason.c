/*
 * api_reason.c
 *	  Why a transaction is cancelled: one reason for each action.
 *
 * The message names the codes and the detail holds the service's
 * CancellationReasons as JSON, so that a program can read them.
 */
#include "postgres.h"

#include "utils/json.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/service_text.h"

static void append_reason(StringInfo out, const ApiReason *reason, bool typed);

/*
 * In a PG_CATCH() block: makes a validation error of the service a reason,
 * and goes on in the given context.  Everything else is thrown again.  Only
 * around what uses nothing but memory, since nothing is rolled back.
 */
void
api_catch_reason(ApiReason *reason, MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	if (error->sqlerrcode != ERRCODE_ITEM_VALIDATION)
		ReThrowError(error);
	reason->code = "ValidationError";
	reason->message = error->message;
}

/*
 * Cancels a transaction: an error with all reasons.
 */
void
api_cancel(const ApiReason *reasons, int n, bool typed)
{
	StringInfoData codes;
	StringInfoData detail;

	initStringInfo(&codes);
	initStringInfo(&detail);
	appendStringInfoChar(&detail, '[');
	for (int i = 0; i < n; i++)
	{
		const ApiReason *reason = &reasons[i];

		if (i > 0)
		{
			appendStringInfoString(&codes, ", ");
			appendStringInfoChar(&detail, ',');
		}
		appendStringInfoString(&codes,
							   reason->code == NULL ? "None" : reason->code);
		append_reason(&detail, reason, typed);
	}
	appendStringInfoChar(&detail, ']');
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_TRANSACTION_CANCELED),
			 errmsg(TEXT_TRANSACTION_CANCELED, codes.data),
			 errdetail_internal("%s", detail.data)));
}

static void
append_reason(StringInfo out, const ApiReason *reason, bool typed)
{
	if (reason->code == NULL)
	{
		appendStringInfoString(out, "{\"Code\":\"None\"}");
		return;
	}
	appendStringInfoString(out, "{\"Code\":");
	escape_json(out, reason->code);
	appendStringInfoString(out, ",\"Message\":");
	escape_json(out, reason->message);
	if (reason->item != NULL)
	{
		appendStringInfoString(out, ",\"Item\":");
		if (typed)
			item_append_dynamodb_map(out, item_root(reason->item));
		else
			item_append_json(out, item_root(reason->item));
	}
	appendStringInfoChar(out, '}');
}
