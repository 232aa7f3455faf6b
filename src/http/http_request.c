/*
 * http_request.c
 *	  One request on a connection: which are refused, how the body comes in,
 *	  what is run, when it is answered.
 *
 * An answer tells of what has been committed, so it is kept back until that
 * is durable; libmicrohttpd asks again for the answer of a complete request
 * that has none.  A request that would wait for somebody's lock gives way to
 * the others: its connection is suspended and it runs again, until
 * partitioning.http_lock_timeout has passed since it was complete.
 */
#include "postgres.h"

#include "common/string.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "http/http_private.h"

static const char *const target_prefixes[] = {
	"DynamoDB_20120810.",
	"DynamoDBStreams_20120810.",
};

static unsigned int refusal(const HttpConnection *connection);
static bool headers_too_large(const HttpConnection *connection);
static void prepare_answer(HttpConnection *connection);
static bool is_method(const HttpConnection *connection, const char *method);
static void answer_refusal(HttpConnection *connection);
static void answer_get(HttpConnection *connection);
static void answer_call(HttpConnection *connection);
static bool set_request(HttpConnection *connection, HttpBytes *inflated,
						HttpCall *call);
static void set_operation(HttpCall *call, const char *target);
static void run_call(HttpConnection *connection, const HttpCall *call);
static void wait_for_lock(HttpConnection *connection);
static HttpEncoding content_encoding(const char *encoding, bool *known);

/* The headers are there. */
void
http_request_begin(HttpConnection *connection)
{
	http_headers_read(connection->mhd, &connection->headers);
	connection->refused = refusal(connection);
	connection->drained = 0;
	connection->attempts = 0;
	http_bytes_clear(&connection->body);
}

/* Status of a request that will not be run; 0: it will. */
static unsigned int
refusal(const HttpConnection *connection)
{
	const HttpHeaders *headers = &connection->headers;

	if (headers_too_large(connection) || headers->duplicate ||
		(headers->content_length != NULL && headers->transfer_encoding != NULL) ||
		(headers->host != NULL && !pg_is_ascii(headers->host)))
		return MHD_HTTP_BAD_REQUEST;
	if (is_method(connection, MHD_HTTP_METHOD_GET))
		return 0;
	if (is_method(connection, MHD_HTTP_METHOD_OPTIONS) &&
		headers->origin != NULL && guc_http_allow_origin[0] != '\0')
		return 0;
	if (!is_method(connection, MHD_HTTP_METHOD_POST) ||
		strcmp(connection->url, "/") != 0 ||
		!http_is_json(headers->content_type))
		return MHD_HTTP_NOT_FOUND;
	if (headers->content_length != NULL &&
		strtod(headers->content_length, NULL) > HTTP_MAX_BODY)
		return MHD_HTTP_CONTENT_TOO_LARGE;
	return 0;
}

static bool
headers_too_large(const HttpConnection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection->mhd,
								   MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	return connection->headers.n > HTTP_MAX_HEADER_FIELDS ||
		(info != NULL && info->header_size > HTTP_MAX_HEADERS);
}

static bool
is_method(const HttpConnection *connection, const char *method)
{
	return strcmp(connection->method, method) == 0;
}

/*
 * A part of the body.  What nobody will read is received all the same, within
 * limits, because a client that is still sending would miss the answer.
 */
void
http_request_receive(HttpConnection *connection, const char *data, size_t len)
{
	if (connection->refused == 0)
	{
		if (connection->body.len + len > HTTP_MAX_BODY)
			connection->refused = MHD_HTTP_CONTENT_TOO_LARGE;
		else if (!http_bytes_append(&connection->body, data, len))
			connection->refused = MHD_HTTP_SERVICE_UNAVAILABLE;
		if (connection->refused == 0)
			return;
		http_bytes_free(&connection->body);
	}
	connection->drained += len;
}

/*
 * The request is complete, or refused: answers it, now or when asked again.
 * False: the connection must be closed.
 */
bool
http_request_run(HttpConnection *connection)
{
	HttpAnswer *answer = &connection->answer;
	enum MHD_Result result;

	if (answer->response == NULL)
	{
		prepare_answer(connection);
		if (connection->suspended)
			return true;
		if (answer->response == NULL)
			return false;
		connection->flush_round = http_flush_await();
	}
	if (!http_flush_done(connection->flush_round))
		return true;
	result = MHD_queue_response(connection->mhd, answer->status,
								answer->response);
	http_answer_discard(answer);
	return result == MHD_YES;
}

static void
prepare_answer(HttpConnection *connection)
{
	if (connection->refused != 0)
		answer_refusal(connection);
	else if (is_method(connection, MHD_HTTP_METHOD_GET))
		answer_get(connection);
	else if (is_method(connection, MHD_HTTP_METHOD_OPTIONS))
		http_answer_preflight(&connection->answer, connection->mhd);
	else
		answer_call(connection);
}

static void
answer_refusal(HttpConnection *connection)
{
	static const char unknown[] = "<UnknownOperationException/>\n";
	unsigned int status = connection->refused;
	bool		not_found = status == MHD_HTTP_NOT_FOUND;

	http_answer_body(&connection->answer, status, NULL,
					 not_found ? unknown : "",
					 not_found ? sizeof(unknown) - 1 : 0, HTTP_IDENTITY);
	/* what follows on the connection may be anything */
	if (!not_found && connection->answer.response != NULL)
		(void) MHD_add_response_header(connection->answer.response,
									   MHD_HTTP_HEADER_CONNECTION, "close");
}

static void
answer_get(HttpConnection *connection)
{
	if (strcmp(connection->url, "/") == 0)
		http_answer_page(&connection->answer, &connection->headers);
	else if (strcmp(connection->url, "/ping") == 0)
		http_answer_body(&connection->answer, MHD_HTTP_OK, "text/plain",
						 "healthy", strlen("healthy"), HTTP_IDENTITY);
	else
	{
		connection->refused = MHD_HTTP_NOT_FOUND;
		answer_refusal(connection);
	}
}

static void
answer_call(HttpConnection *connection)
{
	HttpBytes	inflated = {NULL, 0, 0};
	HttpCall	call;

	call.mhd = connection->mhd;
	call.method = connection->method;
	call.headers = &connection->headers;
	call.sent = &connection->body;
	if (connection->attempts == 0)
		connection->arrived = GetCurrentTimestamp();
	call.arrived = connection->arrived;
	call.attempt = connection->attempts;
	set_operation(&call, connection->headers.target);
	if (set_request(connection, &inflated, &call))
		run_call(connection, &call);
	http_bytes_free(&inflated);
}

/* "DynamoDB_20120810.GetItem"; other targets name no operation. */
static void
set_operation(HttpCall *call, const char *target)
{
	call->operation = "";
	for (size_t i = 0; i < lengthof(target_prefixes); i++)
	{
		size_t		len = strlen(target_prefixes[i]);

		if (target != NULL && strncmp(target, target_prefixes[i], len) == 0)
			call->operation = target + len;
	}
	call->operation_len = strlen(call->operation);
}

/* Decompresses the body if need be.  False when that has been answered. */
static bool
set_request(HttpConnection *connection, HttpBytes *inflated, HttpCall *call)
{
	HttpInflated result = HTTP_INFLATE_BROKEN;
	HttpEncoding encoding;
	bool		known;

	encoding = content_encoding(connection->headers.content_encoding, &known);
	call->request = connection->body.data == NULL ? "" : connection->body.data;
	call->request_len = connection->body.len;
	if (known && encoding == HTTP_IDENTITY)
		return true;
	if (known)
		result = http_inflate(&connection->body, encoding, inflated);
	call->request = inflated->data;
	call->request_len = inflated->len;
	switch (result)
	{
		case HTTP_INFLATED:
			return true;
		case HTTP_INFLATE_TOO_LARGE:
			connection->refused = MHD_HTTP_CONTENT_TOO_LARGE;
			answer_refusal(connection);
			break;
		case HTTP_INFLATE_BROKEN:
			{
				StringInfoData body;

				http_execute_internal_error(&body);
				http_answer_body(&connection->answer,
								 MHD_HTTP_INTERNAL_SERVER_ERROR,
								 connection->headers.content_type,
								 body.data, body.len, HTTP_IDENTITY);
				break;
			}
	}
	return false;
}

static HttpEncoding
content_encoding(const char *encoding, bool *known)
{
	*known = true;
	if (encoding == NULL || pg_strcasecmp(encoding, "identity") == 0)
		return HTTP_IDENTITY;
	if (pg_strcasecmp(encoding, "gzip") == 0)
		return HTTP_GZIP;
	*known = pg_strcasecmp(encoding, "deflate") == 0;
	return HTTP_DEFLATE;
}

static void
run_call(HttpConnection *connection, const HttpCall *call)
{
	StringInfoData body;
	unsigned int status;
	bool		last;

	last = connection->attempts > 0 &&
		GetCurrentTimestamp() >= connection->arrived +
		guc_http_lock_timeout * INT64CONST(1000);
	if (!http_execute(call, last, &body, &status))
	{
		wait_for_lock(connection);
		return;
	}
	http_answer_body(&connection->answer, status,
					 call->headers->content_type, body.data, body.len,
					 http_accepted_encoding(call->headers->accept_encoding));
}

/*
 * The pauses grow from 10 to 80 ms, so that many requests for one locked row
 * leave the worker time for all others.
 */
static void
wait_for_lock(HttpConnection *connection)
{
	TimestampTz end;

	end = connection->arrived + guc_http_lock_timeout * INT64CONST(1000);
	connection->run_at = GetCurrentTimestamp() +
		(INT64CONST(10000) << Min(connection->attempts, 3));
	if (connection->run_at > end)
		connection->run_at = end;
	connection->attempts++;
	http_connection_suspend(connection);
}

/* The answer has been sent, or the connection is gone. */
void
http_request_end(HttpConnection *connection)
{
	http_answer_discard(&connection->answer);
	http_bytes_clear(&connection->body);
}
