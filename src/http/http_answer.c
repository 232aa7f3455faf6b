/*
 * http_answer.c
 *	  Answers: headers that every answer has, pages for people.
 *
 * The checksum is that of the bytes that are sent.
 */
#include "postgres.h"

#include <zlib.h>

#include "common/pg_prng.h"

#include "base/guc.h"
#include "http/http_private.h"

#define REQUEST_ID_LEN		52
#define HEADER_CHECKSUM		"x-amz-crc32"
#define HEADER_REQUEST_ID	"x-amzn-RequestId"

static struct MHD_Response *make_response(HttpBytes *body, const char *text,
										  size_t len);
static void add_header(HttpAnswer *answer, const char *name,
					   const char *value);
static void add_request_id(HttpAnswer *answer);

/*
 * Makes an answer with a body, which is copied.  Without memory there is
 * none, and the connection will be closed.
 */
void
http_answer_body(HttpAnswer *answer, unsigned int status,
				 const char *content_type, const char *body, size_t len,
				 HttpEncoding encoding)
{
	HttpBytes	compressed = {NULL, 0, 0};
	char		checksum[16];

	http_answer_discard(answer);
	if (len <= HTTP_COMPRESS_FROM || encoding == HTTP_IDENTITY ||
		!http_deflate(body, len, encoding, &compressed))
		encoding = HTTP_IDENTITY;
	if (encoding != HTTP_IDENTITY)
	{
		body = compressed.data;
		len = compressed.len;
	}
	snprintf(checksum, sizeof(checksum), "%u",
			 (unsigned int) crc32(0, (const Bytef *) body, len));
	answer->status = status;
	answer->response = make_response(&compressed, body, len);
	if (content_type != NULL)
		add_header(answer, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
	if (encoding != HTTP_IDENTITY)
		add_header(answer, MHD_HTTP_HEADER_CONTENT_ENCODING,
				   encoding == HTTP_GZIP ? "gzip" : "deflate");
	add_header(answer, HEADER_CHECKSUM, checksum);
	add_request_id(answer);
	if (guc_http_allow_origin[0] != '\0')
		add_header(answer, "Access-Control-Allow-Origin",
				   guc_http_allow_origin);
}

/* Takes the bytes of "body" over, or copies the text. */
static struct MHD_Response *
make_response(HttpBytes *body, const char *text, size_t len)
{
	struct MHD_Response *response;

	if (body->data == NULL)
		return MHD_create_response_from_buffer(len, unconstify(char *, text),
											   MHD_RESPMEM_MUST_COPY);
	response = MHD_create_response_from_buffer(len, body->data,
											   MHD_RESPMEM_MUST_FREE);
	if (response == NULL)
		free(body->data);
	return response;
}

/* An answer that lacks a header is none. */
static void
add_header(HttpAnswer *answer, const char *name, const char *value)
{
	if (answer->response != NULL &&
		MHD_add_response_header(answer->response, name, value) != MHD_YES)
		http_answer_discard(answer);
}

static void
add_request_id(HttpAnswer *answer)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	char		id[REQUEST_ID_LEN + 1];
	uint64		bits = 0;

	for (int i = 0; i < REQUEST_ID_LEN; i++)
	{
		if (i % 12 == 0)
			bits = pg_prng_uint64(&pg_global_prng_state);
		id[i] = alphabet[bits & 31];
		bits >>= 5;
	}
	id[REQUEST_ID_LEN] = '\0';
	add_header(answer, HEADER_REQUEST_ID, id);
}

/*
 * GET /: whoever asks is healthy, and people are told what this is.
 */
void
http_answer_page(HttpAnswer *answer, const HttpHeaders *headers)
{
	static const char page[] =
		"<!DOCTYPE html>\n"
		"<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<title>PostgreSQL, partitioning</title></head><body>\n"
		"<h1>An HTTP endpoint of PostgreSQL</h1>\n"
		"<p>The extension <code>partitioning</code> answers the DynamoDB "
		"protocol here.  Give this address to a client of the service as "
		"its endpoint:</p>\n"
		"<pre>new DynamoDBClient({ endpoint: location.origin, "
		"region: \"local\" })\n"
		"boto3.client(\"dynamodb\", endpoint_url=..., "
		"region_name=\"local\")\n"
		"aws dynamodb list-tables --endpoint-url ... --region local</pre>\n"
		"<p>Any region will do.  Where the server asks for signatures, SQL "
		"makes the access key:</p>\n"
		"<pre>SELECT * FROM partitioning.create_access_key('role');</pre>\n"
		"</body></html>\n";
	char		health[300];

	if (headers->accept != NULL && strstr(headers->accept, "text/html") != NULL)
	{
		http_answer_body(answer, MHD_HTTP_OK, "text/html; charset=utf-8",
						 page, sizeof(page) - 1, HTTP_IDENTITY);
		return;
	}
	snprintf(health, sizeof(health), "healthy: %.255s ",
			 headers->host == NULL ? "" : headers->host);
	http_answer_body(answer, MHD_HTTP_OK, "text/plain", health,
					 strlen(health), HTTP_IDENTITY);
}

/* What a browser asks before a page of another origin may call. */
void
http_answer_preflight(HttpAnswer *answer, struct MHD_Connection *mhd)
{
	const char *asked;

	http_answer_body(answer, MHD_HTTP_OK, NULL, "", 0, HTTP_IDENTITY);
	asked = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND,
										"Access-Control-Request-Headers");
	if (asked != NULL)
		add_header(answer, "Access-Control-Allow-Headers", asked);
	asked = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND,
										"Access-Control-Request-Method");
	if (asked != NULL)
		add_header(answer, "Access-Control-Allow-Methods", asked);
	add_header(answer, "Access-Control-Max-Age", "172800");
}

void
http_answer_discard(HttpAnswer *answer)
{
	if (answer->response != NULL)
		MHD_destroy_response(answer->response);
	answer->response = NULL;
}
