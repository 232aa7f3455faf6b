/*
 * http.h
 *	  The HTTP endpoint: the DynamoDB protocol for clients of the service.
 *
 * Background workers accept connections and run each request in the server,
 * in a transaction of its own, as the role of its access key.
 * docs/design/http.md tells how.
 */
#ifndef PT_HTTP_H
#define PT_HTTP_H

/* prototypes for functions in http_worker.c */
extern void http_init(void);

#endif							/* PT_HTTP_H */
