/*
 * http_sigv4.c
 *	  AWS Signature Version 4: what a request says of its signature, and
 *	  whether it is right.
 *
 * Works on text alone.  Everything here is read before anybody has proved
 * anything: no length is trusted, and what is kept has a fixed size.  The
 * checks stand in the service's order.
 */
#include "postgres.h"

#include <time.h>

#include "common/cryptohash.h"
#include "common/hmac.h"
#include "common/sha2.h"

#include "base/service_text.h"
#include "http/http_sigv4.h"

#define ALGORITHM		"AWS4-HMAC-SHA256"
#define SERVICE			"dynamodb"
#define TERMINATOR		"aws4_request"
#define SCOPE_PARTS		5

typedef struct Slice
{
	const char *at;				/* NULL: not there */
	size_t		len;
} Slice;

/* The parts of either form of a signature. */
typedef struct Parts
{
	Slice		algorithm;
	Slice		credential;
	Slice		signed_headers;
	Slice		signature;
	Slice		date;
} Parts;

/* A running hash that remembers whether it has failed. */
typedef struct Hash
{
	pg_cryptohash_ctx *context;
	bool		failed;
} Hash;

static const char *find_field(const SigV4Field *fields, int n,
							  const char *name);
static SigV4Result parse_header(const SigV4Request *request, Parts *parts,
								char *message);
static void find_parameter(const char *header, const char *name,
						   Slice *value);
static SigV4Result parse_query(const SigV4Request *request, Parts *parts,
							   char *message);
static SigV4Result check_date(const Parts *parts, int64 now,
							  SigV4Signature *signature, char *message);
static bool parse_time(const char *text, int64 *when);
static void print_time(int64 when, char *text);
static SigV4Result check_signed_headers(const SigV4Request *request,
										const SigV4Signature *signature,
										char *message);
static bool is_signed(const SigV4Signature *signature, const char *name);
static SigV4Result check_scope(const Parts *parts, SigV4Signature *signature,
							   char *message);
static void append_sentence(char *message, const char *format, ...)
			pg_attribute_printf(2, 3);
static void print_slice(char *to, size_t size, Slice from);
static bool slice_is(Slice slice, const char *text);
static bool parse_mac(Slice hex, uint8 *mac);
static int	hex_digit(char c);
static bool hmac(const uint8 *key, size_t key_len, const void *data,
				 size_t len, uint8 *mac);
static bool hash_canonical(const SigV4Request *request,
						   const SigV4Signature *signature, char *hex);
static void hash_query(Hash *hash, const SigV4Request *request);
static char *encode_argument(const SigV4Field *field);
static char *encode_text(char *to, const char *text);
static int	compare_arguments(const void *a, const void *b);
static void hash_headers(Hash *hash, const SigV4Request *request,
						 const SigV4Signature *signature);
static void hash_value(Hash *hash, const char *value);
static void hash_start(Hash *hash);
static void hash_add(Hash *hash, const void *data, size_t len);
static void hash_text(Hash *hash, const char *text);
static bool hash_end(Hash *hash, char *hex);
static void print_hex(const uint8 *bytes, char *hex);

/*
 * Reads the signature of a request that came at "now", in seconds since
 * 1970.  If anything is wrong with it, "message", of SIGV4_MAX_MESSAGE bytes,
 * says what; SIGV4_VALID only means that it can be verified.
 */
SigV4Result
http_sigv4_parse(const SigV4Request *request, int64 now,
				 SigV4Signature *signature, char *message)
{
	Parts		parts;
	SigV4Result result;

	memset(&parts, 0, sizeof(parts));
	memset(signature, 0, sizeof(*signature));
	message[0] = '\0';
	signature->in_query = find_field(request->query, request->n_query,
									 "X-Amz-Algorithm") != NULL;
	result = signature->in_query ? parse_query(request, &parts, message) :
		parse_header(request, &parts, message);
	if (result != SIGV4_VALID)
		return result;
	result = check_date(&parts, now, signature, message);
	if (result != SIGV4_VALID)
		return result;
	signature->signed_headers = parts.signed_headers.at;
	signature->signed_headers_len = parts.signed_headers.len;
	result = check_signed_headers(request, signature, message);
	if (result != SIGV4_VALID)
		return result;
	if (!slice_is(parts.algorithm, ALGORITHM))
	{
		char		algorithm[64];

		print_slice(algorithm, sizeof(algorithm), parts.algorithm);
		append_sentence(message, TEXT_SIGNATURE_ALGORITHM, algorithm);
		return SIGV4_INCOMPLETE;
	}
	result = check_scope(&parts, signature, message);
	if (result != SIGV4_VALID)
		return result;
	if (!parse_mac(parts.signature, signature->mac))
	{
		append_sentence(message, TEXT_SIGNATURE_DIFFERS);
		return SIGV4_INVALID;
	}
	return SIGV4_VALID;
}

static const char *
find_field(const SigV4Field *fields, int n, const char *name)
{
	for (int i = 0; i < n; i++)
	{
		if (pg_strcasecmp(fields[i].name, name) == 0)
			return fields[i].value == NULL ? "" : fields[i].value;
	}
	return NULL;
}

/* Authorization: ALGORITHM Credential=..., SignedHeaders=..., Signature=... */
static SigV4Result
parse_header(const SigV4Request *request, Parts *parts, char *message)
{
	const char *header;
	const char *date;

	header = find_field(request->headers, request->n_headers, "Authorization");
	if (header == NULL || strncmp(header, "AWS4-", 5) != 0)
	{
		append_sentence(message, TEXT_SIGNATURE_MISSING);
		return SIGV4_MISSING;
	}
	parts->algorithm.at = header;
	parts->algorithm.len = strcspn(header, " ");
	find_parameter(header, "Credential", &parts->credential);
	find_parameter(header, "Signature", &parts->signature);
	find_parameter(header, "SignedHeaders", &parts->signed_headers);
	date = find_field(request->headers, request->n_headers, "X-Amz-Date");
	if (date == NULL)
		date = find_field(request->headers, request->n_headers, "Date");
	parts->date.at = date;
	parts->date.len = date == NULL ? 0 : strlen(date);

	if (parts->credential.at == NULL)
		append_sentence(message, TEXT_SIGNATURE_HEADER_PART, "Credential");
	if (parts->signature.at == NULL)
		append_sentence(message, TEXT_SIGNATURE_HEADER_PART, "Signature");
	if (parts->signed_headers.at == NULL)
		append_sentence(message, TEXT_SIGNATURE_HEADER_PART, "SignedHeaders");
	if (parts->date.at == NULL)
		append_sentence(message, TEXT_SIGNATURE_HEADER_DATE);
	if (message[0] == '\0')
		return SIGV4_VALID;
	append_sentence(message, TEXT_SIGNATURE_HEADER, header);
	return SIGV4_INCOMPLETE;
}

/* The value of "name=value" among those that commas separate. */
static void
find_parameter(const char *header, const char *name, Slice *value)
{
	const char *at = header + strcspn(header, " ");
	size_t		name_len = strlen(name);

	while (*at != '\0')
	{
		size_t		len;

		at += strspn(at, " \t,");
		len = strcspn(at, " \t,");
		if (len > name_len && strncmp(at, name, name_len) == 0 &&
			at[name_len] == '=')
		{
			value->at = at + name_len + 1;
			value->len = len - name_len - 1;
			return;
		}
		at += len;
	}
}

static SigV4Result
parse_query(const SigV4Request *request, Parts *parts, char *message)
{
	const struct
	{
		const char *name;
		Slice	   *part;
	}			wanted[] = {
		{"X-Amz-Algorithm", &parts->algorithm},
		{"X-Amz-Credential", &parts->credential},
		{"X-Amz-Signature", &parts->signature},
		{"X-Amz-SignedHeaders", &parts->signed_headers},
		{"X-Amz-Date", &parts->date},
	};

	if (find_field(request->headers, request->n_headers,
				   "Authorization") != NULL)
	{
		append_sentence(message, TEXT_SIGNATURE_BOTH);
		return SIGV4_INVALID;
	}
	for (size_t i = 0; i < lengthof(wanted); i++)
	{
		const char *value = find_field(request->query, request->n_query,
									   wanted[i].name);

		wanted[i].part->at = value;
		if (value == NULL || value[0] == '\0')
			append_sentence(message, TEXT_SIGNATURE_QUERY_PART,
							wanted[i].name);
		else
			wanted[i].part->len = strlen(value);
	}
	if (message[0] == '\0')
		return SIGV4_VALID;
	append_sentence(message, TEXT_SIGNATURE_QUERY);
	return SIGV4_INCOMPLETE;
}

static SigV4Result
check_date(const Parts *parts, int64 now, SigV4Signature *signature,
		   char *message)
{
	int64		when;
	char		limit[20];
	char		today[20];

	print_slice(signature->time, sizeof(signature->time), parts->date);
	if (parts->date.len != strlen("yyyymmddThhmmssZ") ||
		!parse_time(signature->time, &when))
	{
		char		date[64];

		print_slice(date, sizeof(date), parts->date);
		append_sentence(message, TEXT_SIGNATURE_DATE, date);
		return SIGV4_INCOMPLETE;
	}
	print_time(now, today);
	if (when < now - SIGV4_MAX_SKEW)
	{
		print_time(now - SIGV4_MAX_SKEW, limit);
		append_sentence(message, TEXT_SIGNATURE_EXPIRED, signature->time,
						limit, today);
		return SIGV4_INVALID;
	}
	if (when > now + SIGV4_MAX_SKEW)
	{
		print_time(now + SIGV4_MAX_SKEW, limit);
		append_sentence(message, TEXT_SIGNATURE_EARLY, signature->time,
						limit, today);
		return SIGV4_INVALID;
	}
	return SIGV4_VALID;
}

/* "yyyymmddThhmmssZ" in seconds since 1970, without leap seconds. */
static bool
parse_time(const char *text, int64 *when)
{
	static const char shape[] = "ddddddddTddddddZ";
	int			year;
	int			month;
	int			day;
	int			hour;
	int			minute;
	int			second;
	int64		days;

	for (int i = 0; shape[i] != '\0'; i++)
	{
		if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' :
			text[i] != shape[i])
			return false;
	}
	if (sscanf(text, "%4d%2d%2dT%2d%2d%2d", &year, &month, &day, &hour,
			   &minute, &second) != 6 ||
		month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 ||
		minute > 59 || second > 60)
		return false;
	/* the year begins in March here, so that a leap day ends it */
	if (month <= 2)
		year--;
	month = (month + 9) % 12;
	days = 365 * (int64) year + year / 4 - year / 100 + year / 400 +
		(153 * month + 2) / 5 + day - 1 - 719468;
	*when = ((days * 24 + hour) * 60 + minute) * 60 + second;
	return true;
}

/* Into 17 bytes at least. */
static void
print_time(int64 when, char *text)
{
	time_t		seconds = (time_t) when;
	struct tm	fields;

	gmtime_r(&seconds, &fields);
	strftime(text, 20, "%Y%m%dT%H%M%SZ", &fields);
}

/*
 * Whoever could change a header that means something could change the
 * request.
 */
static SigV4Result
check_signed_headers(const SigV4Request *request,
					 const SigV4Signature *signature, char *message)
{
	const char *missing = is_signed(signature, "host") ? NULL : "Host";

	for (int i = 0; i < request->n_headers && missing == NULL; i++)
	{
		const char *name = request->headers[i].name;

		if (pg_strncasecmp(name, "x-amz-", 6) == 0 &&
			!is_signed(signature, name))
			missing = name;
	}
	if (missing == NULL)
		return SIGV4_VALID;
	append_sentence(message, TEXT_SIGNATURE_UNSIGNED, missing);
	return SIGV4_INVALID;
}

static bool
is_signed(const SigV4Signature *signature, const char *name)
{
	const char *at = signature->signed_headers;
	const char *end = at + signature->signed_headers_len;
	size_t		name_len = strlen(name);

	while (at < end)
	{
		const char *next = memchr(at, ';', end - at);
		size_t		len = (next == NULL ? end : next) - at;

		if (len == name_len && pg_strncasecmp(at, name, len) == 0)
			return true;
		at += len + 1;
	}
	return false;
}

/* keyid/date/region/service/term; a key id has no slash */
static SigV4Result
check_scope(const Parts *parts, SigV4Signature *signature, char *message)
{
	Slice		scope[SCOPE_PARTS];
	const char *at = parts->credential.at;
	const char *end = at + parts->credential.len;
	char		text[128];
	int			n = 0;

	for (;;)
	{
		const char *next = memchr(at, '/', end - at);

		if (n < SCOPE_PARTS)
		{
			scope[n].at = at;
			scope[n].len = (next == NULL ? end : next) - at;
		}
		n++;
		if (next == NULL)
			break;
		at = next + 1;
	}
	if (n != SCOPE_PARTS)
	{
		print_slice(text, sizeof(text), parts->credential);
		append_sentence(message, TEXT_SIGNATURE_CREDENTIAL, text);
		return SIGV4_INCOMPLETE;
	}
	print_slice(signature->key_id, sizeof(signature->key_id), scope[0]);
	print_slice(signature->date, sizeof(signature->date), scope[1]);
	print_slice(signature->region, sizeof(signature->region), scope[2]);
	if (scope[2].len == 0 || scope[2].len > SIGV4_MAX_REGION)
		append_sentence(message, TEXT_SIGNATURE_REGION, signature->region);
	if (!slice_is(scope[3], SERVICE))
		append_sentence(message, TEXT_SIGNATURE_SERVICE);
	print_slice(text, sizeof(text), scope[4]);
	if (!slice_is(scope[4], TERMINATOR))
		append_sentence(message, TEXT_SIGNATURE_TERMINATOR, text);
	print_slice(text, sizeof(text), scope[1]);
	if (scope[1].len != SIGV4_DATE_LEN ||
		strncmp(text, signature->time, SIGV4_DATE_LEN) != 0)
		append_sentence(message, TEXT_SIGNATURE_SCOPE_DATE, text,
						signature->time, signature->time);
	return message[0] == '\0' ? SIGV4_VALID : SIGV4_INVALID;
}

/* Appends what has room. */
static void
append_sentence(char *message, const char *format, ...)
{
	size_t		len = strlen(message);
	va_list		args;

	va_start(args, format);
	(void) vsnprintf(message + len, SIGV4_MAX_MESSAGE - len, format, args);
	va_end(args);
}

/* Copies what has room. */
static void
print_slice(char *to, size_t size, Slice from)
{
	size_t		len = Min(from.len, size - 1);

	memcpy(to, from.at, len);
	to[len] = '\0';
}

static bool
slice_is(Slice slice, const char *text)
{
	return slice.len == strlen(text) && memcmp(slice.at, text, slice.len) == 0;
}

static bool
parse_mac(Slice hex, uint8 *mac)
{
	if (hex.len != 2 * SIGV4_MAC_LEN)
		return false;
	for (int i = 0; i < SIGV4_MAC_LEN; i++)
	{
		int			high = hex_digit(hex.at[2 * i]);
		int			low = hex_digit(hex.at[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		mac[i] = high << 4 | low;
	}
	return true;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/*
 * The key that signs all requests of a day and a region.  False when the
 * server's library fails.
 */
bool
http_sigv4_derive_key(const char *secret, const char *date,
					  const char *region, uint8 *key)
{
	char		first[256];
	int			len;
	bool		success;

	len = snprintf(first, sizeof(first), "AWS4%s", secret);
	success = len < (int) sizeof(first) &&
		hmac((uint8 *) first, len, date, strlen(date), key) &&
		hmac(key, SIGV4_MAC_LEN, region, strlen(region), key) &&
		hmac(key, SIGV4_MAC_LEN, SERVICE, strlen(SERVICE), key) &&
		hmac(key, SIGV4_MAC_LEN, TERMINATOR, strlen(TERMINATOR), key);
	explicit_bzero(first, sizeof(first));
	return success;
}

/* "mac" may be the key. */
static bool
hmac(const uint8 *key, size_t key_len, const void *data, size_t len,
	 uint8 *mac)
{
	pg_hmac_ctx *context = pg_hmac_create(PG_SHA256);
	bool		success;

	success = context != NULL &&
		pg_hmac_init(context, key, key_len) >= 0 &&
		pg_hmac_update(context, data, len) >= 0 &&
		pg_hmac_final(context, mac, SIGV4_MAC_LEN) >= 0;
	pg_hmac_free(context);
	return success;
}

/*
 * Is the request's signature that of the key?  Takes as long whatever the
 * signature is.
 */
SigV4Result
http_sigv4_verify(const SigV4Request *request,
				  const SigV4Signature *signature, const uint8 *key)
{
	char		to_sign[256];
	char		canonical[PG_SHA256_DIGEST_STRING_LENGTH];
	uint8		mac[SIGV4_MAC_LEN];
	int			len;

	if (!hash_canonical(request, signature, canonical))
		return SIGV4_FAILED;
	len = snprintf(to_sign, sizeof(to_sign),
				   ALGORITHM "\n%s\n%s/%s/" SERVICE "/" TERMINATOR "\n%s",
				   signature->time, signature->date, signature->region,
				   canonical);
	if (len >= (int) sizeof(to_sign) ||
		!hmac(key, SIGV4_MAC_LEN, to_sign, len, mac))
		return SIGV4_FAILED;
	return timingsafe_bcmp(mac, signature->mac, SIGV4_MAC_LEN) == 0 ?
		SIGV4_VALID : SIGV4_INVALID;
}

/* The hash of what is signed, in 65 bytes of "hex". */
static bool
hash_canonical(const SigV4Request *request, const SigV4Signature *signature,
			   char *hex)
{
	char		body[PG_SHA256_DIGEST_STRING_LENGTH];
	Hash		hash;

	hash_start(&hash);
	hash_add(&hash, request->body, request->body_len);
	if (!hash_end(&hash, body))
		return false;

	hash_start(&hash);
	hash_text(&hash, request->method);
	hash_text(&hash, "\n");
	hash_text(&hash, request->path);
	hash_text(&hash, "\n");
	hash_query(&hash, request);
	hash_text(&hash, "\n");
	hash_headers(&hash, request, signature);
	hash_text(&hash, "\n");
	hash_add(&hash, signature->signed_headers, signature->signed_headers_len);
	hash_text(&hash, "\n");
	hash_text(&hash, body);
	return hash_end(&hash, hex);
}

/* All arguments but the signature, encoded, in order. */
static void
hash_query(Hash *hash, const SigV4Request *request)
{
	char	  **arguments;
	int			n = 0;

	if (request->n_query == 0)
		return;
	arguments = malloc(request->n_query * sizeof(char *));
	if (arguments == NULL)
	{
		hash->failed = true;
		return;
	}
	for (int i = 0; i < request->n_query; i++)
	{
		if (pg_strcasecmp(request->query[i].name, "X-Amz-Signature") == 0)
			continue;
		arguments[n] = encode_argument(&request->query[i]);
		if (arguments[n] == NULL)
			hash->failed = true;
		else
			n++;
	}
	qsort(arguments, n, sizeof(char *), compare_arguments);
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			hash_text(hash, "&");
		hash_text(hash, arguments[i]);
		free(arguments[i]);
	}
	free(arguments);
}

/* "name=value", malloc'd; NULL without memory. */
static char *
encode_argument(const SigV4Field *field)
{
	const char *value = field->value == NULL ? "" : field->value;
	char	   *result = malloc(3 * (strlen(field->name) + strlen(value)) + 2);
	char	   *at;

	if (result == NULL)
		return NULL;
	at = encode_text(result, field->name);
	*at++ = '=';
	*encode_text(at, value) = '\0';
	return result;
}

/* Returns the end. */
static char *
encode_text(char *to, const char *text)
{
	static const char digits[] = "0123456789ABCDEF";

	for (; *text != '\0'; text++)
	{
		unsigned char c = *text;

		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
			(c >= '0' && c <= '9') || strchr("-._~", c) != NULL)
			*to++ = c;
		else
		{
			*to++ = '%';
			*to++ = digits[c >> 4];
			*to++ = digits[c & 15];
		}
	}
	return to;
}

static int
compare_arguments(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* "name:value\n" for each signed header, in the order of their list. */
static void
hash_headers(Hash *hash, const SigV4Request *request,
			 const SigV4Signature *signature)
{
	const char *at = signature->signed_headers;
	const char *end = at + signature->signed_headers_len;

	while (at < end)
	{
		const char *next = memchr(at, ';', end - at);
		size_t		len = (next == NULL ? end : next) - at;
		bool		first = true;

		hash_add(hash, at, len);
		hash_text(hash, ":");
		for (int i = 0; i < request->n_headers; i++)
		{
			const SigV4Field *header = &request->headers[i];

			if (strlen(header->name) != len ||
				pg_strncasecmp(header->name, at, len) != 0)
				continue;
			if (!first)
				hash_text(hash, ",");
			first = false;
			hash_value(hash, header->value == NULL ? "" : header->value);
		}
		hash_text(hash, "\n");
		at += len + 1;
	}
}

/* Without white space around it, and one space for each run inside. */
static void
hash_value(Hash *hash, const char *value)
{
	value += strspn(value, " \t");
	while (*value != '\0')
	{
		size_t		len = strcspn(value, " \t");
		size_t		gap = strspn(value + len, " \t");

		hash_add(hash, value, len);
		value += len + gap;
		if (gap > 0 && *value != '\0')
			hash_text(hash, " ");
	}
}

static void
hash_start(Hash *hash)
{
	hash->context = pg_cryptohash_create(PG_SHA256);
	hash->failed = hash->context == NULL ||
		pg_cryptohash_init(hash->context) < 0;
}

static void
hash_add(Hash *hash, const void *data, size_t len)
{
	if (!hash->failed && len > 0)
		hash->failed = pg_cryptohash_update(hash->context, data, len) < 0;
}

static void
hash_text(Hash *hash, const char *text)
{
	hash_add(hash, text, strlen(text));
}

/* False when any step has failed. */
static bool
hash_end(Hash *hash, char *hex)
{
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	bool		success;

	success = !hash->failed &&
		pg_cryptohash_final(hash->context, digest, sizeof(digest)) >= 0;
	pg_cryptohash_free(hash->context);
	if (success)
		print_hex(digest, hex);
	return success;
}

static void
print_hex(const uint8 *bytes, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < PG_SHA256_DIGEST_LENGTH; i++)
	{
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * PG_SHA256_DIGEST_LENGTH] = '\0';
}
