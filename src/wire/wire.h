/*
 * wire.h
 *	  The DynamoDB protocol without HTTP: an operation's name and its request
 *	  in JSON go in, its response in JSON comes out.
 *
 * A request is decoded against a model (wire_model.c) and checked in the
 * service's order: JSON and types, then constraints of all members together,
 * then what the operation means.  The rest is api's.
 *
 * Errors are raised as any other of the extension; wire_describe_error() says
 * what a client of the service would have got.
 */
#ifndef PT_WIRE_H
#define PT_WIRE_H

#include "lib/stringinfo.h"

/* Said of a text that is no JSON; clients are not told anything. */
#define WIRE_INVALID_JSON	"request is not valid JSON"

/* What a client of the service is told about an error. */
typedef struct WireError
{
	int			sqlerrcode;		/* of the exception; 0 when the service would
								 * call it an internal error */
	int			status;			/* of the HTTP response */
	const char *message;
	char	   *body;			/* of the response: JSON */
} WireError;

/* What a request has done to a table; texts are the request's. */
typedef struct WireTableUse
{
	const char *name;
	size_t		name_len;
	int64		read_tenths;	/* of units */
	int64		write_tenths;
	int64		items_read;
	int64		items_returned;
} WireTableUse;

#define WIRE_OBSERVED_TABLES	16

/* What the last request was about, if it could be decoded. */
typedef struct WireObservation
{
	const char *operation;		/* NULL: there is no such operation */
	const char *index_name;		/* NULL: none */
	size_t		index_name_len;
	int			n_tables;
	WireTableUse tables[WIRE_OBSERVED_TABLES];
} WireObservation;

/*
 * Whoever wants to know.  Requests of dynamodb() are reported at their end;
 * callers of wire_execute() look at wire_observation themselves.
 */
typedef struct WireObserver
{
	void		(*begin) (const WireObservation *observation);
	void		(*end) (const WireObservation *observation, bool failed);	/* or NULL */
} WireObserver;

extern WireObservation wire_observation;
extern const WireObserver *wire_observer;

/* prototypes for functions in wire_dispatch.c */

/*
 * Runs an operation and appends its response.  The request must be valid
 * UTF-8; whether it is JSON is found out.  A few responses are empty.  Everything is allocated in the
 * current memory context.
 */
extern void wire_execute(const char *operation, size_t operation_len,
						 const char *request, size_t request_len,
						 StringInfo response);

/* The host that DescribeEndpoints names; whoever serves one may set it. */
extern const char *wire_endpoint;

/* Raises what is wrong with a request that its meaning has no part in. */
extern void wire_check_request(const char *operation, size_t operation_len,
							   const char *request, size_t request_len);

/* prototypes for functions in wire_error.c */
extern void wire_describe_error(const ErrorData *error, WireError *result);

#endif							/* PT_WIRE_H */
