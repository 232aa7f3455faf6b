/*
 * http_sigv4.h
 *	  AWS Signature Version 4, as a client of the service signs requests.
 *
 * No state of the server: text in, verdict out.
 */
#ifndef PT_HTTP_SIGV4_H
#define PT_HTTP_SIGV4_H

#define SIGV4_MAC_LEN		32
#define SIGV4_DATE_LEN		8	/* yyyymmdd */
#define SIGV4_MAX_REGION	64
#define SIGV4_MAX_KEY_ID	128
#define SIGV4_MAX_MESSAGE	1024
#define SIGV4_MAX_SKEW		(15 * 60)	/* seconds */

typedef struct SigV4Field
{
	const char *name;
	const char *value;
} SigV4Field;

/* What was sent. */
typedef struct SigV4Request
{
	const char *method;
	const char *path;
	const SigV4Field *query;	/* decoded */
	int			n_query;
	const SigV4Field *headers;
	int			n_headers;
	const char *body;
	size_t		body_len;
} SigV4Request;

/* What it says of its signature. */
typedef struct SigV4Signature
{
	char		key_id[SIGV4_MAX_KEY_ID + 1];
	char		date[SIGV4_DATE_LEN + 1];
	char		region[SIGV4_MAX_REGION + 1];
	char		time[17];		/* yyyymmddThhmmssZ */
	const char *signed_headers; /* names, lower case, with semicolons */
	size_t		signed_headers_len;
	bool		in_query;
	uint8		mac[SIGV4_MAC_LEN];
} SigV4Signature;

typedef enum SigV4Result
{
	SIGV4_VALID,
	SIGV4_MISSING,				/* MissingAuthenticationTokenException */
	SIGV4_INCOMPLETE,			/* IncompleteSignatureException */
	SIGV4_INVALID,				/* InvalidSignatureException */
	SIGV4_FAILED				/* out of memory, or the server's library */
} SigV4Result;

/* prototypes for functions in http_sigv4.c */
extern SigV4Result http_sigv4_parse(const SigV4Request *request, int64 now,
									SigV4Signature *signature,
									char *message);
extern bool http_sigv4_derive_key(const char *secret, const char *date,
								  const char *region, uint8 *key);
extern SigV4Result http_sigv4_verify(const SigV4Request *request,
									 const SigV4Signature *signature,
									 const uint8 *key);

#endif							/* PT_HTTP_SIGV4_H */
