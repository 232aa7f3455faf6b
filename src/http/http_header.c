/*
 * http_header.c
 *	  What the headers of a request say.
 */
#include "postgres.h"

#include "http/http_private.h"

/* Where a header is kept. */
typedef struct KnownHeader
{
	const char *name;
	size_t		offset;
	bool		once;
} KnownHeader;

#define KEPT(name, field, once) {name, offsetof(HttpHeaders, field), once}

static const KnownHeader known_headers[] = {
	KEPT("Host", host, true),
	KEPT("X-Amz-Target", target, true),
	KEPT("Content-Type", content_type, true),
	KEPT("Content-Length", content_length, true),
	KEPT("Content-Encoding", content_encoding, true),
	KEPT("Transfer-Encoding", transfer_encoding, true),
	KEPT("Accept", accept, false),
	KEPT("Accept-Encoding", accept_encoding, false),
	KEPT("Authorization", authorization, true),
	KEPT("X-Amz-Date", amz_date, true),
	KEPT("Date", date, false),
	KEPT("Origin", origin, false),
};

static enum MHD_Result keep_header(void *context, enum MHD_ValueKind kind,
								   const char *name, const char *value);
static const char *parse_weight(const char *at, bool *is_zero);
static bool token_is(const char *token, size_t len, const char *name);

/*
 * The strings belong to libmicrohttpd and live as long as the request.
 */
void
http_headers_read(struct MHD_Connection *mhd, HttpHeaders *headers)
{
	memset(headers, 0, sizeof(*headers));
	(void) MHD_get_connection_values(mhd, MHD_HEADER_KIND, keep_header,
									 headers);
}

static enum MHD_Result
keep_header(void *context, enum MHD_ValueKind kind, const char *name,
			const char *value)
{
	HttpHeaders *headers = context;

	headers->n++;
	headers->size += strlen(name) + 4;
	if (value == NULL)
		return MHD_YES;
	headers->size += strlen(value);
	for (size_t i = 0; i < lengthof(known_headers); i++)
	{
		const KnownHeader *known = &known_headers[i];
		const char **kept;

		if ((name[0] | 0x20) != (known->name[0] | 0x20) ||
			pg_strcasecmp(name, known->name) != 0)
			continue;
		kept = (const char **) ((char *) headers + known->offset);
		if (*kept == NULL)
			*kept = value;
		else if (known->once)
			headers->duplicate = true;
		break;
	}
	return MHD_YES;
}

/*
 * The best encoding for an answer: gzip, else deflate, if the client accepts
 * it with a weight above 0.
 */
HttpEncoding
http_accepted_encoding(const char *accepted)
{
	HttpEncoding best = HTTP_IDENTITY;
	const char *at = accepted;

	while (at != NULL && *at != '\0')
	{
		const char *token;
		size_t		len;
		bool		refused;

		at += strspn(at, " \t,");
		token = at;
		len = strcspn(at, " \t,;");
		at = parse_weight(at + len, &refused);
		if (refused || len == 0)
			continue;
		if (token_is(token, len, "gzip") || token_is(token, len, "*"))
			return HTTP_GZIP;
		if (token_is(token, len, "deflate"))
			best = HTTP_DEFLATE;
	}
	return best;
}

/* Reads ";q=0.5" to the next comma; is the weight 0? */
static const char *
parse_weight(const char *at, bool *is_zero)
{
	size_t		len = strcspn(at, ",");
	const char *weight = memchr(at, '=', len);

	*is_zero = weight != NULL &&
		strspn(weight, "= \t0.") == (size_t) (at + len - weight);
	return at + len;
}

static bool
token_is(const char *token, size_t len, const char *name)
{
	return strlen(name) == len && pg_strncasecmp(token, name, len) == 0;
}

/* Content types in which requests come; what follows a semicolon is theirs. */
bool
http_is_json(const char *content_type)
{
	size_t		len;

	if (content_type == NULL)
		return false;
	content_type += strspn(content_type, " \t");
	len = strcspn(content_type, " \t;");
	return token_is(content_type, len, HTTP_CONTENT_TYPE) ||
		token_is(content_type, len, "application/json");
}
