/*
 * wire_error.c
 *	  Errors as clients of the service see them.
 *
 * Exceptions of the service have SQLSTATEs of their own (base/errors.h).
 * Some errors of the server mean one of them and become it.  All others are
 * internal errors to the service's clients.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

#define PREFIX_CORAL		"com.amazon.coral.service#"
#define PREFIX_VALIDATE		"com.amazon.coral.validate#"
#define PREFIX_AVAILABILITY	"com.amazon.coral.availability#"
#define PREFIX_SERVICE		"com.amazonaws.dynamodb.v20120810#"

/* How an exception's body is written. */
typedef struct ExceptionForm
{
	int			sqlerrcode;
	const char *prefix;
	const char *message_name;
} ExceptionForm;

/* Those not listed have the service's prefix and "message". */
static const ExceptionForm forms[] = {
	{ERRCODE_ITEM_VALIDATION, PREFIX_VALIDATE, "message"},
	{ERRCODE_ITEM_SERIALIZATION, PREFIX_CORAL, "Message"},
	{ERRCODE_ITEM_UNKNOWN_OPERATION, PREFIX_CORAL, "Message"},
	{ERRCODE_ITEM_ACCESS_DENIED, PREFIX_CORAL, "Message"},
	{ERRCODE_ITEM_THROTTLING, PREFIX_AVAILABILITY, "message"},
	{ERRCODE_ITEM_TRANSACTION_CANCELED, PREFIX_SERVICE, "Message"},
	{ERRCODE_ITEM_IDEMPOTENT_MISMATCH, PREFIX_SERVICE, "Message"},
	{ERRCODE_ITEM_TRANSACTION_IN_PROGRESS, PREFIX_SERVICE, "Message"},
	{ERRCODE_ITEM_MISSING_TOKEN, PREFIX_CORAL, "message"},
	{ERRCODE_ITEM_INCOMPLETE_SIGNATURE, PREFIX_CORAL, "message"},
	{ERRCODE_ITEM_INVALID_SIGNATURE, PREFIX_CORAL, "message"},
	{ERRCODE_ITEM_UNRECOGNIZED_CLIENT, PREFIX_CORAL, "message"},
};

/* The exception that an error of the server means. */
typedef struct ServerError
{
	int			server_code;
	int			sqlerrcode;
	const char *message;		/* NULL: the server's */
} ServerError;

static const ServerError server_errors[] = {
	{ERRCODE_T_R_SERIALIZATION_FAILURE, ERRCODE_ITEM_TRANSACTION_CONFLICT,
	TEXT_TRANSACTION_CONFLICT},
	{ERRCODE_T_R_DEADLOCK_DETECTED, ERRCODE_ITEM_TRANSACTION_CONFLICT,
	TEXT_TRANSACTION_CONFLICT},
	{ERRCODE_LOCK_NOT_AVAILABLE, ERRCODE_ITEM_TRANSACTION_CONFLICT,
	TEXT_TRANSACTION_CONFLICT},
	{ERRCODE_UNIQUE_VIOLATION, ERRCODE_ITEM_CONDITIONAL_CHECK,
	TEXT_CONDITION_FAILED},
	{ERRCODE_EXCLUSION_VIOLATION, ERRCODE_ITEM_CONDITIONAL_CHECK,
	TEXT_CONDITION_FAILED},
	{ERRCODE_INSUFFICIENT_PRIVILEGE, ERRCODE_ITEM_ACCESS_DENIED, NULL},
	/* rules that users have made for their items */
	{ERRCODE_CHECK_VIOLATION, ERRCODE_ITEM_VALIDATION, NULL},
	{ERRCODE_NOT_NULL_VIOLATION, ERRCODE_ITEM_VALIDATION, NULL},
	{ERRCODE_FOREIGN_KEY_VIOLATION, ERRCODE_ITEM_VALIDATION, NULL},
	{ERRCODE_RAISE_EXCEPTION, ERRCODE_ITEM_VALIDATION, NULL},
	/* something of SQL's stands in the way of a change of a table */
	{ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST, ERRCODE_ITEM_RESOURCE_IN_USE, NULL},
	{ERRCODE_OBJECT_IN_USE, ERRCODE_ITEM_RESOURCE_IN_USE, NULL},
	/* settings, such as those of tags, that cannot be */
	{ERRCODE_FEATURE_NOT_SUPPORTED, ERRCODE_ITEM_VALIDATION, NULL},
	{ERRCODE_INVALID_PARAMETER_VALUE, ERRCODE_ITEM_VALIDATION, NULL},
	/* values that are too large for the item type or the key index */
	{ERRCODE_PROGRAM_LIMIT_EXCEEDED, ERRCODE_ITEM_VALIDATION, NULL},
};

static void find_exception(const ErrorData *error, WireError *result);
static char *exception_body(const ErrorData *error, const WireError *result);
static const ExceptionForm *find_form(int sqlerrcode);
static char *internal_error_body(void);

/*
 * What a client is told about an error, in the current memory context.
 */
void
wire_describe_error(const ErrorData *error, WireError *result)
{
	find_exception(error, result);
	if (result->sqlerrcode != 0)
	{
		result->status = 400;
		result->body = exception_body(error, result);
		return;
	}
	result->status = 500;
	result->message = TEXT_INTERNAL_ERROR;
	result->body = internal_error_body();
}

static void
find_exception(const ErrorData *error, WireError *result)
{
	result->sqlerrcode = 0;
	result->message = error->message;
	if (errors_exception_name(error->sqlerrcode) != NULL)
	{
		result->sqlerrcode = error->sqlerrcode;
		return;
	}
	for (size_t i = 0; i < lengthof(server_errors); i++)
	{
		if (server_errors[i].server_code != error->sqlerrcode)
			continue;
		result->sqlerrcode = server_errors[i].sqlerrcode;
		if (server_errors[i].message != NULL)
			result->message = server_errors[i].message;
	}
}

/*
 * The details of two exceptions are JSON: the item that failed its
 * condition, and the reasons of a cancelled transaction.  Operations and
 * texts that nobody understands are refused without a word.
 */
static char *
exception_body(const ErrorData *error, const WireError *result)
{
	const ExceptionForm *form = find_form(result->sqlerrcode);
	StringInfoData body;
	bool		silent;

	silent = result->sqlerrcode == ERRCODE_ITEM_UNKNOWN_OPERATION ||
		(result->sqlerrcode == ERRCODE_ITEM_SERIALIZATION &&
		 strcmp(result->message, WIRE_INVALID_JSON) == 0);

	initStringInfo(&body);
	appendStringInfo(&body, "{\"__type\":\"%s%s\"", form->prefix,
					 errors_exception_name(result->sqlerrcode));
	if (error->detail != NULL &&
		error->sqlerrcode == ERRCODE_ITEM_TRANSACTION_CANCELED)
		appendStringInfo(&body, ",\"CancellationReasons\":%s", error->detail);
	if (error->detail != NULL &&
		error->sqlerrcode == ERRCODE_ITEM_CONDITIONAL_CHECK)
		appendStringInfo(&body, ",\"Item\":%s", error->detail);
	if (!silent)
	{
		appendStringInfo(&body, ",\"%s\":", form->message_name);
		item_append_json_string(&body, result->message,
								strlen(result->message));
	}
	appendStringInfoChar(&body, '}');
	return body.data;
}

static const ExceptionForm *
find_form(int sqlerrcode)
{
	static const ExceptionForm usual = {0, PREFIX_SERVICE, "message"};

	for (size_t i = 0; i < lengthof(forms); i++)
	{
		if (forms[i].sqlerrcode == sqlerrcode)
			return &forms[i];
	}
	return &usual;
}

static char *
internal_error_body(void)
{
	return psprintf("{\"__type\":\"%sInternalServerError\",\"message\":\"%s\"}",
					PREFIX_SERVICE, TEXT_INTERNAL_ERROR);
}
