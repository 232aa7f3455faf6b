/*
 * http_execute.c
 *	  One request: a transaction of its own, as the client's role.
 *
 * The worker is the bootstrap superuser; nothing that a client or a user of
 * the database has defined may run as that.  The role is switched before the
 * first table is touched and back after the commit, which does not do it
 * itself.  The restricted security context refuses what would outlive the
 * request or change the role: SET ROLE, temporary tables, deferred triggers.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "base/errors.h"
#include "base/guc.h"
#include "http/http_private.h"
#include "wire/wire.h"

/*
 * How long an attempt waits for a lock, in milliseconds: the first, and those
 * after it.  The other clients of the worker wait as long.
 */
#define FIRST_WAIT		2
#define LATER_WAIT		1

#define MAX_SHOWN_NAME	255		/* bytes of a table's or an index's name */

static MemoryContext request_context = NULL;

static void run_transaction(const HttpCall *call, StringInfo answer);
static void release_session_locks(void);
static void run_as_client(const HttpCall *call, StringInfo answer);
static void refuse_temporary_objects(void);
static void check_text(const HttpCall *call);
static bool describe_failure(const HttpCall *call, bool last,
							 StringInfo answer, unsigned int *status);
static void describe(const ErrorData *error, StringInfo answer,
					 unsigned int *status);
static bool waits_for_others(const ErrorData *error);
static bool is_about_client(int sqlerrcode);
static ErrorData *error_before_client(const HttpCall *call);
static void show_activity(const WireObservation *observation);
static void append_subject(StringInfo text,
						   const WireObservation *observation);
static void append_name(StringInfo text, const char *name, size_t len);
static void report(const HttpCall *call, bool failed);

/* What dynamodb() counts at its end is counted here with its waiting. */
static const WireObserver observer = {show_activity, NULL};

void
http_execute_init(void)
{
	request_context = AllocSetContextCreate(TopMemoryContext,
											"partitioning http request",
											ALLOCSET_DEFAULT_SIZES);
	wire_observer = &observer;
}

/*
 * Runs a request.  False when it could not get a lock and may run again; if
 * this is the last attempt, the client is told.  The answer is there until
 * the next call.
 */
bool
http_execute(const HttpCall *call, bool last, StringInfo answer,
			 unsigned int *status)
{
	int			transaction_wait = guc_transaction_wait;
	int			lock_timeout = LockTimeout;
	int			wait = call->attempt == 0 ? FIRST_WAIT : LATER_WAIT;
	volatile bool failed = false;

	Assert(!InSecurityRestrictedOperation());
	MemoryContextReset(request_context);
	MemoryContextSwitchTo(request_context);
	initStringInfo(answer);
	*status = 200;

	PG_TRY();
	{
		guc_transaction_wait = Min(transaction_wait, wait);
		LockTimeout = wait;
		run_transaction(call, answer);
	}
	PG_CATCH();
	{
		failed = true;
	}
	PG_END_TRY();
	guc_transaction_wait = transaction_wait;
	LockTimeout = lock_timeout;
	MemoryContextSwitchTo(request_context);
	if (failed && !describe_failure(call, last, answer, status))
		return false;
	report(call, *status != 200);
	return true;
}

static void
run_transaction(const HttpCall *call, StringInfo answer)
{
	Oid			user;
	int			security;

	wire_observation.operation = NULL;
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	MemoryContextSwitchTo(request_context);
	enable_timeout_after(STATEMENT_TIMEOUT, guc_http_request_timeout);
	GetUserIdAndSecContext(&user, &security);
	run_as_client(call, answer);
	disable_timeout(STATEMENT_TIMEOUT, false);
	http_flush_commit();
	SetUserIdAndSecContext(user, security);
	release_session_locks();
}

/* Advisory locks of the session, which triggers and functions can take. */
static void
release_session_locks(void)
{
	LockReleaseSession(USER_LOCKMETHOD);
}

/*
 * Settings that triggers or functions change are as before afterwards, even
 * those that would last to the end of the session.
 */
static void
run_as_client(const HttpCall *call, StringInfo answer)
{
	int			settings = NewGUCNestLevel();
	Oid			role;

	role = guc_http_auth == HTTP_AUTH_NONE ?
		http_identity_unauthenticated(call) : http_keys_authenticate(call);
	http_identity_check(role);
	SetUserIdAndSecContext(role, SECURITY_RESTRICTED_OPERATION);
	check_text(call);
	wire_endpoint = call->headers->host == NULL ? "localhost" :
		call->headers->host;
	wire_execute(call->operation, call->operation_len,
				 call->request, call->request_len, answer);
	refuse_temporary_objects();
	AtEOXact_GUC(false, settings);
}

/*
 * The security context refuses temporary tables but neither types nor
 * functions.  They would outlive the request, and a type would come before
 * those of pg_catalog in what other roles run.
 */
static void
refuse_temporary_objects(void)
{
	Oid			schema;
	Oid			toast_schema;

	GetTempNamespaceState(&schema, &toast_schema);
	if (OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("HTTP requests must not make temporary objects")));
}

static void
check_text(const HttpCall *call)
{
	if (!pg_verify_mbstr(PG_UTF8, call->request, call->request_len, true))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_SERIALIZATION),
				 errmsg(WIRE_INVALID_JSON)));
}

/*
 * What the service has no name for goes to the server's log; what it has a
 * name for is the client's affair.  Ends the transaction.
 */
static bool
describe_failure(const HttpCall *call, bool last, StringInfo answer,
				 unsigned int *status)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	MemoryContextSwitchTo(request_context);
	error = CopyErrorData();
	if (!last && waits_for_others(error))
	{
		AbortCurrentTransaction();
		release_session_locks();
		FlushErrorState();
		RESUME_INTERRUPTS();
		return false;
	}
	if (errors_exception_name(error->sqlerrcode) == NULL)
		EmitErrorReport();
	AbortCurrentTransaction();
	release_session_locks();
	FlushErrorState();
	RESUME_INTERRUPTS();

	MemoryContextSwitchTo(request_context);
	if (is_about_client(error->sqlerrcode))
	{
		ErrorData  *before = error_before_client(call);

		if (before != NULL)
			error = before;
	}
	describe(error, answer, status);
	return true;
}

static void
describe(const ErrorData *error, StringInfo answer, unsigned int *status)
{
	WireError	exception;

	wire_describe_error(error, &exception);
	resetStringInfo(answer);
	appendStringInfoString(answer, exception.body);
	/* some messages repeat headers, which may have any bytes */
	if (!pg_verify_mbstr(PG_UTF8, answer->data, answer->len, true))
	{
		for (char *p = answer->data; *p != '\0'; p++)
		{
			if (IS_HIGHBIT_SET(*p))
				*p = '?';
		}
	}
	*status = exception.status;
}

/*
 * A cancelled transaction says in its reasons whether it was for others.
 */
static bool
waits_for_others(const ErrorData *error)
{
	switch (error->sqlerrcode)
	{
		case ERRCODE_LOCK_NOT_AVAILABLE:
		case ERRCODE_T_R_SERIALIZATION_FAILURE:
		case ERRCODE_T_R_DEADLOCK_DETECTED:
		case ERRCODE_ITEM_TRANSACTION_CONFLICT:
			return true;
		case ERRCODE_ITEM_TRANSACTION_CANCELED:
			return error->detail != NULL &&
				strstr(error->detail, "\"TransactionConflict\"") != NULL;
		default:
			return false;
	}
}

static bool
is_about_client(int sqlerrcode)
{
	return sqlerrcode == ERRCODE_ITEM_MISSING_TOKEN ||
		sqlerrcode == ERRCODE_ITEM_INCOMPLETE_SIGNATURE ||
		sqlerrcode == ERRCODE_ITEM_INVALID_SIGNATURE ||
		sqlerrcode == ERRCODE_ITEM_UNRECOGNIZED_CLIENT;
}

/*
 * The service looks at the text and the operation before it looks at the
 * signature.  We do so only when the signature is wrong, not to read each
 * request twice.
 */
static ErrorData *
error_before_client(const HttpCall *call)
{
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		check_text(call);
		wire_check_request(call->operation, call->operation_len,
						   call->request, call->request_len);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(request_context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	return error;
}

/* What a client is told of a request that the server cannot read. */
void
http_execute_internal_error(StringInfo answer)
{
	ErrorData	error;
	unsigned int status;

	MemoryContextReset(request_context);
	MemoryContextSwitchTo(request_context);
	initStringInfo(answer);
	memset(&error, 0, sizeof(error));
	error.sqlerrcode = ERRCODE_DATA_CORRUPTED;
	describe(&error, answer, &status);
}

/* For pg_stat_activity: "GetItem app". */
static void
show_activity(const WireObservation *observation)
{
	StringInfoData text;

	initStringInfo(&text);
	append_subject(&text, observation);
	pgstat_report_activity(STATE_RUNNING, text.data);
}

static void
append_subject(StringInfo text, const WireObservation *observation)
{
	appendStringInfoString(text, observation->operation);
	for (int i = 0; i < observation->n_tables; i++)
	{
		appendStringInfoString(text, i == 0 ? " " : ", ");
		append_name(text, observation->tables[i].name,
					observation->tables[i].name_len);
	}
	if (observation->index_name != NULL)
	{
		appendStringInfoString(text, " by ");
		append_name(text, observation->index_name,
					observation->index_name_len);
	}
}

/* Names have not been checked yet: they can be of any length. */
static void
append_name(StringInfo text, const char *name, size_t len)
{
	if (len > MAX_SHOWN_NAME)
		len = pg_encoding_mbcliplen(PG_UTF8, name, len, MAX_SHOWN_NAME);
	appendBinaryStringInfo(text, name, len);
}

/* Counts a request, and logs it if it was slow. */
static void
report(const HttpCall *call, bool failed)
{
	int64		duration = GetCurrentTimestamp() - call->arrived;
	StringInfoData subject;

	http_statistics_count(&wire_observation, failed, duration);
	if (guc_http_log_min_duration < 0 ||
		duration < guc_http_log_min_duration * INT64CONST(1000) ||
		wire_observation.operation == NULL)
		return;
	initStringInfo(&subject);
	append_subject(&subject, &wire_observation);
	ereport(LOG,
			(errmsg("HTTP request: duration: " INT64_FORMAT ".%03d ms  %s%s",
					duration / 1000, (int) (duration % 1000), subject.data,
					failed ? ", failed" : ""),
			 errhidestmt(true)));
}
