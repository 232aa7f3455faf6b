/*
 * http_private.h
 *	  What the files of http/ share: a connection and the request on it, what
 *	  a request says of itself, its answer.
 *
 * Everything that outlives a request is malloc'd or static, never in a memory
 * context of a transaction.  libmicrohttpd's callbacks must return to it:
 * errors are caught before.
 */
#ifndef PT_HTTP_PRIVATE_H
#define PT_HTTP_PRIVATE_H

#include <microhttpd.h>

#include "access/xlogdefs.h"
#include "datatype/timestamp.h"
#include "lib/ilist.h"
#include "lib/stringinfo.h"

#include "http/http.h"
#include "wire/wire.h"

#define HTTP_MAX_BODY			(16 * 1024 * 1024)
#define HTTP_MAX_HEADERS		(16 * 1024) /* with the request line */
#define HTTP_MAX_HEADER_FIELDS	100
#define HTTP_MAX_DRAIN			(64 * 1024 * 1024)	/* of a refused body */
#define HTTP_BODY_BUDGET		(64 * 1024 * 1024)	/* of a worker's bodies */
#define HTTP_COMPRESS_FROM		4096	/* larger bodies are compressed */

#define HTTP_CONTENT_TYPE		"application/x-amz-json-1.0"

typedef enum HttpEncoding
{
	HTTP_IDENTITY,
	HTTP_GZIP,
	HTTP_DEFLATE
} HttpEncoding;

/* Headers that mean something, as they came; NULL: not there. */
typedef struct HttpHeaders
{
	const char *host;
	const char *target;			/* X-Amz-Target */
	const char *content_type;
	const char *content_length;
	const char *content_encoding;
	const char *transfer_encoding;
	const char *accept;
	const char *accept_encoding;
	const char *authorization;
	const char *amz_date;
	const char *date;
	const char *origin;
	int			n;
	size_t		size;			/* of all, as they are sent */
	bool		duplicate;		/* one that may be there only once */
} HttpHeaders;

/* Bytes of a request or an answer. */
typedef struct HttpBytes
{
	char	   *data;
	size_t		len;
	size_t		size;			/* allocated by malloc() */
} HttpBytes;

typedef enum HttpPhase
{
	HTTP_PHASE_IDLE,			/* no request, or none that is known of */
	HTTP_PHASE_HEADERS,			/* the request line is there */
	HTTP_PHASE_BODY,
	HTTP_PHASE_RUNNING			/* complete: being run or answered */
} HttpPhase;

typedef struct HttpAnswer
{
	unsigned int status;
	struct MHD_Response *response;	/* NULL: none yet */
} HttpAnswer;

/* A connection and the request that is on it. */
typedef struct HttpConnection
{
	dlist_node	node;			/* of all connections */
	struct MHD_Connection *mhd;
	int			fd;
	HttpPhase	phase;
	TimestampTz since;			/* the phase began */

	/* the request */
	const char *url;
	const char *method;
	HttpHeaders headers;
	HttpBytes	body;
	unsigned int refused;		/* status to answer without running it */
	size_t		drained;
	TimestampTz arrived;
	HttpAnswer	answer;			/* not sent before what it tells is durable: */
	uint64		flush_round;	/* see http_flush_await() */

	/* waiting for others' locks: the request runs again from time to time */
	bool		suspended;
	int			attempts;
	TimestampTz run_at;
	dlist_node	waiting_node;
} HttpConnection;

/* A request that can run. */
typedef struct HttpCall
{
	struct MHD_Connection *mhd;
	const char *method;
	const HttpHeaders *headers;
	const HttpBytes *sent;		/* body as it was sent, for the signature */
	const char *operation;
	size_t		operation_len;
	const char *request;		/* body, decompressed */
	size_t		request_len;
	TimestampTz arrived;
	int			attempt;		/* 0: the first */
} HttpCall;

/* prototypes for functions in http_worker.c */
extern PGDLLEXPORT void partitioning_http_main(Datum argument);

/* When the event loop last looked at the clock. */
extern TimestampTz http_loop_time;

/* prototypes for functions in http_listen.c */
extern int	http_listen(int *sockets, int max);

/* prototypes for functions in http_connection.c */
extern struct MHD_Daemon *http_connections_start(void);
extern bool http_connection_accept(struct MHD_Daemon *daemon, int listener);
extern bool http_connections_full(void);
extern void http_connection_suspend(HttpConnection *connection);
extern long http_connections_timeout(TimestampTz now);
extern void http_connections_check(TimestampTz now);
extern void http_connections_close(void);

/* prototypes for functions in http_request.c */
extern void http_request_begin(HttpConnection *connection);
extern void http_request_receive(HttpConnection *connection,
								 const char *data, size_t len);
extern bool http_request_run(HttpConnection *connection);
extern void http_request_end(HttpConnection *connection);

/* prototypes for functions in http_header.c */
extern void http_headers_read(struct MHD_Connection *mhd,
							  HttpHeaders *headers);
extern HttpEncoding http_accepted_encoding(const char *accepted);
extern bool http_is_json(const char *content_type);

/* prototypes for functions in http_answer.c */
extern void http_answer_body(HttpAnswer *answer, unsigned int status,
							 const char *content_type, const char *body,
							 size_t len, HttpEncoding encoding);
extern void http_answer_page(HttpAnswer *answer, const HttpHeaders *headers);
extern void http_answer_preflight(HttpAnswer *answer,
								  struct MHD_Connection *mhd);
extern void http_answer_discard(HttpAnswer *answer);

/* prototypes for functions in http_compress.c */
typedef enum HttpInflated
{
	HTTP_INFLATED,
	HTTP_INFLATE_BROKEN,
	HTTP_INFLATE_TOO_LARGE
} HttpInflated;

extern HttpInflated http_inflate(const HttpBytes *from, HttpEncoding encoding,
								 HttpBytes *to);
extern bool http_deflate(const char *from, size_t len, HttpEncoding encoding,
						 HttpBytes *to);

/* prototypes for functions in http_bytes.c */
extern bool http_bytes_reserve(HttpBytes *bytes, size_t size);
extern bool http_bytes_append(HttpBytes *bytes, const char *data, size_t len);
extern void http_bytes_clear(HttpBytes *bytes);
extern void http_bytes_free(HttpBytes *bytes);

/* prototypes for functions in http_execute.c */
extern void http_execute_init(void);
extern bool http_execute(const HttpCall *call, bool last, StringInfo answer,
						 unsigned int *status);
extern void http_execute_internal_error(StringInfo answer);

/* prototypes for functions in http_flush.c */
extern void http_flush_init(void);
extern void http_flush_attach(int worker);
extern void http_flush_commit(void);
extern uint64 http_flush_await(void);
extern bool http_flush_done(uint64 round);
extern bool http_flush_awaited(void);
extern void http_flush(void);

/* prototypes for functions in http_statistics.c */
extern void http_statistics_init(void);
extern void http_statistics_count(const WireObservation *observation,
								  bool failed, int64 duration);

/* prototypes for functions in http_identity.c */
extern void http_identity_init(void);
extern void http_identity_forget(void);
extern Oid	http_identity_unauthenticated(const HttpCall *call);
extern void http_identity_check(Oid role);

/* prototypes for functions in http_keys.c */
extern Oid	http_keys_authenticate(const HttpCall *call);

#endif							/* PT_HTTP_PRIVATE_H */
