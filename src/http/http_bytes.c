/*
 * http_bytes.c
 *	  Bytes of requests, which live longer than any transaction.
 *
 * A worker's bodies take HTTP_BODY_BUDGET at most, by what is allocated, not
 * by what has come: clients that are not known yet must not take more.  A
 * quarter of that is for small ones alone, so that a few clients with large
 * bodies cannot shut out all others.
 */
#include "postgres.h"

#include "http/http_private.h"

/* Buffers up to this size stay with their connection. */
#define KEPT_SIZE		4096

/* Larger ones have three quarters of the budget. */
#define SMALL_SIZE		(64 * 1024)
#define LARGE_BUDGET	(HTTP_BODY_BUDGET / 4 * 3)

static size_t allocated = 0;	/* by all buffers */

/*
 * Makes room for "size" bytes in all.  False, and the buffer as it was, when
 * there is no memory left or too much is taken.
 */
bool
http_bytes_reserve(HttpBytes *bytes, size_t size)
{
	char	   *data;
	size_t		wanted;

	if (size <= bytes->size)
		return true;
	wanted = Max(size, KEPT_SIZE);
	if (allocated - bytes->size + wanted >
		(wanted > SMALL_SIZE ? LARGE_BUDGET : HTTP_BODY_BUDGET))
		return false;
	data = realloc(bytes->data, wanted);
	if (data == NULL)
		return false;
	allocated += wanted - bytes->size;
	bytes->data = data;
	bytes->size = wanted;
	return true;
}

bool
http_bytes_append(HttpBytes *bytes, const char *data, size_t len)
{
	size_t		needed = bytes->len + len;

	if (needed > bytes->size &&
		!http_bytes_reserve(bytes, Max(needed, Min(2 * bytes->size,
												   HTTP_MAX_BODY))))
		return false;
	memcpy(bytes->data + bytes->len, data, len);
	bytes->len = needed;
	return true;
}

/* Gives back a large buffer, and the bytes of a small one. */
void
http_bytes_clear(HttpBytes *bytes)
{
	bytes->len = 0;
	if (bytes->size > KEPT_SIZE)
		http_bytes_free(bytes);
}

void
http_bytes_free(HttpBytes *bytes)
{
	free(bytes->data);
	allocated -= bytes->size;
	memset(bytes, 0, sizeof(*bytes));
}
