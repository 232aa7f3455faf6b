/*
 * http_connection.c
 *	  Connections: accepted, watched, closed; libmicrohttpd's callbacks.
 *
 * libmicrohttpd reads, parses and writes; its own time limit counts from the
 * last byte, so a client could hold a connection with a byte now and then.
 * The limits here count from the beginning of a phase instead.  A connection
 * that is over its limit is shut down, and libmicrohttpd finds it closed.
 */
#include "postgres.h"

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "http/http_private.h"

/* Of libmicrohttpd, for the headers and what it reads ahead of a body. */
#define CONNECTION_MEMORY	(40 * 1024)

/* How often the connections are looked at, in milliseconds. */
#define CHECK_INTERVAL		500

static dlist_head connections = DLIST_STATIC_INIT(connections);
static dlist_head waiting = DLIST_STATIC_INIT(waiting);
static int	n_connections = 0;
static TimestampTz next_check = 0;

static void watch_connection(void *context, struct MHD_Connection *mhd,
							 void **socket_context,
							 enum MHD_ConnectionNotificationCode what);
static void *request_line(void *context, const char *uri,
						  struct MHD_Connection *mhd);
static enum MHD_Result handle(void *context, struct MHD_Connection *mhd,
							  const char *url, const char *method,
							  const char *version, const char *data,
							  size_t *len, void **request_context);
static bool handle_part(HttpConnection *connection, const char *data,
						size_t *len);
static bool must_answer_now(const HttpConnection *connection);
static void request_completed(void *context, struct MHD_Connection *mhd,
							  void **request_context,
							  enum MHD_RequestTerminationCode how);
static HttpConnection *connection_of(struct MHD_Connection *mhd);
static void enter_phase(HttpConnection *connection, HttpPhase phase);
static bool is_left(const HttpConnection *connection);
static int	phase_limit(HttpPhase phase);
static void resume_due(TimestampTz now);
static void report_library(void *context, const char *format, va_list args)
			pg_attribute_printf(2, 0);

/*
 * The daemon that has all connections of this worker; it listens nowhere
 * itself.
 */
struct MHD_Daemon *
http_connections_start(void)
{
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET |
							MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
							0, NULL, NULL, handle, NULL,
							MHD_OPTION_EXTERNAL_LOGGER, report_library, NULL,
							MHD_OPTION_CONNECTION_MEMORY_LIMIT,
							(size_t) CONNECTION_MEMORY,
							MHD_OPTION_CONNECTION_LIMIT, UINT_MAX,
							MHD_OPTION_NOTIFY_CONNECTION, watch_connection,
							NULL,
							MHD_OPTION_URI_LOG_CALLBACK, request_line, NULL,
							MHD_OPTION_NOTIFY_COMPLETED, request_completed,
							NULL,
							MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
							MHD_OPTION_END);
}

bool
http_connections_full(void)
{
	return n_connections >= guc_http_max_connections;
}

/*
 * Takes one connection that waits on a listening socket, if any.  Another
 * worker or a client that has given up may have been faster.
 */
bool
http_connection_accept(struct MHD_Daemon *daemon, int listener)
{
	struct sockaddr_storage address;
	socklen_t	len = sizeof(address);
	int			on = 1;
	int			fd;

	fd = accept4(listener, (struct sockaddr *) &address, &len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return false;
	(void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void) setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	/* it closes the socket when it fails */
	(void) MHD_add_connection(daemon, fd, (struct sockaddr *) &address, len);
	return true;
}

static void
watch_connection(void *context, struct MHD_Connection *mhd,
				 void **socket_context,
				 enum MHD_ConnectionNotificationCode what)
{
	HttpConnection *connection = *socket_context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED)
	{
		connection = calloc(1, sizeof(HttpConnection));
		*socket_context = connection;
		if (connection == NULL)
			return;
		connection->mhd = mhd;
		connection->fd = MHD_get_connection_info(mhd,
												 MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		enter_phase(connection, HTTP_PHASE_IDLE);
		dlist_push_tail(&connections, &connection->node);
		n_connections++;
	}
	else if (connection != NULL)
	{
		http_request_end(connection);
		http_bytes_free(&connection->body);
		if (connection->suspended)
			dlist_delete(&connection->waiting_node);
		dlist_delete(&connection->node);
		n_connections--;
		free(connection);
	}
}

static HttpConnection *
connection_of(struct MHD_Connection *mhd)
{
	return MHD_get_connection_info(mhd,
								   MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* The result would be the request's context; it has none before its headers. */
static void *
request_line(void *context, const char *uri, struct MHD_Connection *mhd)
{
	HttpConnection *connection = connection_of(mhd);

	if (connection != NULL)
		enter_phase(connection, HTTP_PHASE_HEADERS);
	return NULL;
}

/*
 * Called when the headers of a request are there, for each part of its body,
 * and when it is complete until there is an answer.  Whatever goes wrong
 * here takes this connection with it and nothing else.
 */
static enum MHD_Result
handle(void *context, struct MHD_Connection *mhd, const char *url,
	   const char *method, const char *version, const char *data, size_t *len,
	   void **request_context)
{
	HttpConnection *volatile connection = *request_context;
	volatile bool success = false;

	if (connection == NULL)
	{
		connection = connection_of(mhd);
		if (connection == NULL)
			return MHD_NO;
		*request_context = connection;
		connection->url = url;
		connection->method = method;
		http_request_begin(connection);
		enter_phase(connection, HTTP_PHASE_BODY);
		if (!must_answer_now(connection))
			return MHD_YES;
	}

	PG_TRY();
	{
		success = handle_part(connection, data, len);
	}
	PG_CATCH();
	{
		EmitErrorReport();
		AbortCurrentTransaction();
		FlushErrorState();
	}
	PG_END_TRY();
	return success ? MHD_YES : MHD_NO;
}

/*
 * Where a request ends is not to be trusted when its headers contradict each
 * other, and nobody waits for the end of a body without measure.
 */
static bool
must_answer_now(const HttpConnection *connection)
{
	const char *length = connection->headers.content_length;

	return connection->refused == MHD_HTTP_BAD_REQUEST ||
		(connection->refused != 0 && length != NULL &&
		 strtod(length, NULL) > HTTP_MAX_DRAIN);
}

static bool
handle_part(HttpConnection *connection, const char *data, size_t *len)
{
	if (*len > 0)
	{
		http_request_receive(connection, data, *len);
		*len = 0;
		return connection->drained <= HTTP_MAX_DRAIN;
	}
	if (connection->phase != HTTP_PHASE_RUNNING)
		enter_phase(connection, HTTP_PHASE_RUNNING);
	return http_request_run(connection);
}

static void
request_completed(void *context, struct MHD_Connection *mhd,
				  void **request_context,
				  enum MHD_RequestTerminationCode how)
{
	HttpConnection *connection = *request_context;

	if (connection == NULL)
		return;
	http_request_end(connection);
	enter_phase(connection, HTTP_PHASE_IDLE);
}

/*
 * A request that is running is on nobody's clock but its own, and what is
 * sent at once hardly ever needs a limit, so only the others read the time.
 */
static void
enter_phase(HttpConnection *connection, HttpPhase phase)
{
	connection->phase = phase;
	connection->since = http_loop_time;
}

/* Lets a request wait until its time to run again. */
void
http_connection_suspend(HttpConnection *connection)
{
	connection->suspended = true;
	dlist_push_tail(&waiting, &connection->waiting_node);
	MHD_suspend_connection(connection->mhd);
}

/* Milliseconds until http_connections_check() has something to do. */
long
http_connections_timeout(TimestampTz now)
{
	dlist_iter	iter;
	TimestampTz first = next_check;

	dlist_foreach(iter, &waiting)
	{
		HttpConnection *connection = dlist_container(HttpConnection,
													 waiting_node, iter.cur);

		first = Min(first, connection->run_at);
	}
	if (dlist_is_empty(&connections))
		return -1;
	return first <= now ? 0 : (first - now) / 1000 + 1;
}

void
http_connections_check(TimestampTz now)
{
	dlist_iter	iter;

	resume_due(now);
	if (now < next_check)
		return;
	next_check = now + CHECK_INTERVAL * INT64CONST(1000);
	dlist_foreach(iter, &connections)
	{
		HttpConnection *connection = dlist_container(HttpConnection, node,
													 iter.cur);
		int			limit = phase_limit(connection->phase);

		if (now > connection->since + limit * INT64CONST(1000000) ||
			is_left(connection))
			(void) shutdown(connection->fd, SHUT_RDWR);
	}
}

/* Ends all connections, whatever they are at. */
void
http_connections_close(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &connections)
		(void) shutdown(dlist_container(HttpConnection, node, iter.cur)->fd,
						SHUT_RDWR);
}

static void
resume_due(TimestampTz now)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &waiting)
	{
		HttpConnection *connection = dlist_container(HttpConnection,
													 waiting_node, iter.cur);

		if (connection->run_at > now)
			continue;
		dlist_delete(&connection->waiting_node);
		connection->suspended = false;
		MHD_resume_connection(connection->mhd);
	}
}

/*
 * Has the client gone in the middle of a request?  libmicrohttpd misses that
 * when the end comes together with the last bytes.
 */
static bool
is_left(const HttpConnection *connection)
{
	char		byte;

	return connection->phase != HTTP_PHASE_RUNNING &&
		recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Seconds.  An answer that nobody fetches is as good as an idle connection. */
static int
phase_limit(HttpPhase phase)
{
	switch (phase)
	{
		case HTTP_PHASE_IDLE:
			return guc_http_idle_timeout;
		case HTTP_PHASE_HEADERS:
			return guc_http_header_timeout;
		case HTTP_PHASE_BODY:
			return guc_http_body_timeout;
		case HTTP_PHASE_RUNNING:
			break;
	}
	return guc_http_idle_timeout + guc_http_request_timeout / 1000;
}

/* What libmicrohttpd says of its clients matters to nobody but us. */
static void
report_library(void *context, const char *format, va_list args)
{
	char		message[256];

	(void) vsnprintf(message, sizeof(message), format, args);
	elog(DEBUG1, "libmicrohttpd: %s", message);
}
