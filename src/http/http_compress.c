/*
 * http_compress.c
 *	  gzip and deflate, of requests and of answers.
 *
 * What a request becomes is limited to HTTP_MAX_BODY while it grows, so a
 * small request cannot take more memory than a large one.
 */
#include "postgres.h"

#include <zlib.h>

#include "http/http_private.h"

#define WINDOW_ZLIB		15
#define WINDOW_GZIP		(15 + 16)

static int	inflate_all(z_stream *stream, HttpBytes *to);

/*
 * Decompresses a request.  Several gzip members in a row are one.  "to" is
 * given back by the caller in any case.
 */
HttpInflated
http_inflate(const HttpBytes *from, HttpEncoding encoding, HttpBytes *to)
{
	z_stream	stream;
	int			result;

	memset(&stream, 0, sizeof(stream));
	if (inflateInit2(&stream, encoding == HTTP_GZIP ?
					 WINDOW_GZIP : WINDOW_ZLIB) != Z_OK)
		return HTTP_INFLATE_TOO_LARGE;
	stream.next_in = (Bytef *) from->data;
	stream.avail_in = from->len;
	do
	{
		result = inflate_all(&stream, to);
	} while (result == Z_STREAM_END && stream.avail_in > 0 &&
			 encoding == HTTP_GZIP && inflateReset(&stream) == Z_OK);
	inflateEnd(&stream);

	if (result == Z_MEM_ERROR)
		return HTTP_INFLATE_TOO_LARGE;
	return result == Z_STREAM_END && stream.avail_in == 0 ?
		HTTP_INFLATED : HTTP_INFLATE_BROKEN;
}

/* To the end of a member: Z_STREAM_END, or what went wrong. */
static int
inflate_all(z_stream *stream, HttpBytes *to)
{
	int			result = Z_OK;

	while (result == Z_OK)
	{
		size_t		room;

		if (to->len == to->size)
		{
			size_t		size = to->size == 0 ? 4 * (size_t) stream->avail_in :
				2 * to->size;

			if (to->len > HTTP_MAX_BODY ||
				!http_bytes_reserve(to, Min(size, HTTP_MAX_BODY + 1)))
				return Z_MEM_ERROR;
		}
		room = to->size - to->len;
		stream->next_out = (Bytef *) to->data + to->len;
		stream->avail_out = room;
		result = inflate(stream, Z_NO_FLUSH);
		to->len += room - stream->avail_out;
		/* no input left, but the member goes on */
		if (result == Z_BUF_ERROR ||
			(result == Z_OK && stream->avail_in == 0 && stream->avail_out > 0))
			return Z_DATA_ERROR;
	}
	if (to->len > HTTP_MAX_BODY)
		return Z_MEM_ERROR;
	return result;
}

/*
 * Compresses an answer, fast rather than well.  False when that makes it no
 * smaller, or there is no memory.
 */
bool
http_deflate(const char *from, size_t len, HttpEncoding encoding,
			 HttpBytes *to)
{
	static z_stream streams[2];
	static bool ready[2] = {false, false};
	int			which = encoding == HTTP_GZIP ? 0 : 1;
	z_stream   *stream = &streams[which];

	if (!ready[which])
	{
		if (deflateInit2(stream, Z_BEST_SPEED, Z_DEFLATED,
						 encoding == HTTP_GZIP ? WINDOW_GZIP : WINDOW_ZLIB,
						 8, Z_DEFAULT_STRATEGY) != Z_OK)
			return false;
		ready[which] = true;
	}
	else if (deflateReset(stream) != Z_OK)
		return false;

	to->data = malloc(len);
	if (to->data == NULL)
		return false;
	stream->next_in = (Bytef *) from;
	stream->avail_in = len;
	stream->next_out = (Bytef *) to->data;
	stream->avail_out = len;
	if (deflate(stream, Z_FINISH) != Z_STREAM_END)
	{
		free(to->data);
		return false;
	}
	to->len = len - stream->avail_out;
	return true;
}
