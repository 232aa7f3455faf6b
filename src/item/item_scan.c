/*
 * item_scan.c
 *	  Reads JSON tokens, strings straight into a builder.
 *
 * The server's own JSON lexer serves text, so it cannot give us U+0000, which
 * a string of an item may hold, and it copies every token; hence this one.
 * It accepts what RFC 8259 does.  What it refuses is handed to the server's
 * parser, which says what is wrong as it does for the type json.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "item/item_private.h"

static const char *const surrogate_low =
	"Unicode low surrogate must follow a high surrogate.";
static const char *const surrogate_high =
	"Unicode high surrogate must be followed by a low surrogate.";

static bool scan_escape(ItemScanner *s, ItemBuilder *b);
static bool scan_unicode_escape(ItemScanner *s, ItemBuilder *b);
static bool scan_hex4(ItemScanner *s, pg_wchar *result);
static bool surrogate_error(ItemScanner *s, const char *detail);

/* The text must be valid UTF-8 and outlive the scanner. */
bool
item_scan_init(ItemScanner *s, const char *json, size_t len, Node *escontext)
{
	s->json = s->p = json;
	s->end = json + len;
	s->escontext = escontext;
	if (len <= ITEM_MAX_JSON)
		return true;
	errsave(escontext,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("item value is too large"),
			 errdetail("The text of an item value can have at most %d bytes.",
					   ITEM_MAX_JSON)));
	return false;
}

/* Skips white space and this character, which must be next. */
bool
item_scan_expect(ItemScanner *s, char c)
{
	if (item_scan_peek(s) != (unsigned char) c)
		return item_scan_error(s);
	s->p++;
	return true;
}

/*
 * Is there one more member or element?  Skips the comma before it, or the
 * bracket after the last one.  After an error there is none, so this needs
 * a scanner that throws.
 */
bool
item_scan_next(ItemScanner *s, bool first, char close)
{
	Assert(s->escontext == NULL);
	CHECK_FOR_INTERRUPTS();

	if (item_scan_peek(s) == (unsigned char) close)
	{
		s->p++;
		return false;
	}
	if (!first)
	{
		item_scan_expect(s, ',');
		if (item_scan_peek(s) == (unsigned char) close)
			item_scan_error(s);
	}
	return true;
}

/*
 * Reads the string that must be next.  The result points into the JSON, or
 * is palloc'd when there were escapes to resolve; it is not terminated.
 */
bool
item_scan_text(ItemScanner *s, const char **text, uint32 *len)
{
	const char *start;
	const char *p;
	ItemBuilder build;
	bool		valid;

	if (item_scan_peek(s) != '"')
		return item_scan_error(s);
	start = s->p + 1;
	p = item_plain_end(start, s->end);
	if (p < s->end && *p == '"')
	{
		*text = start;
		*len = p - start;
		s->p = p + 1;
		return true;
	}

	item_builder_init(&build, (p - start) + 64);
	build.len = 0;
	valid = item_scan_string(s, &build);
	*text = build.data;
	*len = build.len;
	return valid;
}

/* Appends the string that begins here, its escapes resolved. */
bool
item_scan_string(ItemScanner *s, ItemBuilder *b)
{
	s->p++;
	for (;;)
	{
		const char *run = s->p;
		const char *p = item_plain_end(run, s->end);

		item_builder_append(b, run, p - run);
		s->p = p;
		if (p == s->end || (unsigned char) *p < ' ')
			return item_scan_error(s);
		s->p++;
		if (*p == '"')
			return true;
		if (!scan_escape(s, b))
			return false;
	}
}

/* Finds the extent of the number that begins here. */
bool
item_scan_number(ItemScanner *s, const char **text, uint32 *len)
{
	const char *p = s->p;
	const char *end = s->end;
	const char *digits;

	if (p < end && *p == '-')
		p++;
	digits = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (p == digits || (*digits == '0' && p > digits + 1))
		return item_scan_error(s);
	if (p < end && *p == '.')
	{
		digits = ++p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == digits)
			return item_scan_error(s);
	}
	if (p < end && (*p == 'e' || *p == 'E'))
	{
		if (++p < end && (*p == '+' || *p == '-'))
			p++;
		digits = p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == digits)
			return item_scan_error(s);
	}
	*text = s->p;
	*len = p - s->p;
	s->p = p;
	return true;
}

/* Skips this word, which must be next. */
bool
item_scan_word(ItemScanner *s, const char *word)
{
	size_t		len = strlen(word);

	if (s->end - s->p < (ptrdiff_t) len || memcmp(s->p, word, len) != 0)
		return item_scan_error(s);
	s->p += len;
	return true;
}

/*
 * Skips any value.  As item_scan_next(), for scanners that throw.
 */
bool
item_scan_skip(ItemScanner *s)
{
	bool		first = true;
	const char *text;
	uint32		len;
	int			next = item_scan_peek(s);

	check_stack_depth();
	switch (next)
	{
		case '{':
		case '[':
			s->p++;
			while (item_scan_next(s, first, next == '{' ? '}' : ']'))
			{
				first = false;
				if (next == '{')
				{
					item_scan_text(s, &text, &len);
					item_scan_expect(s, ':');
				}
				item_scan_skip(s);
			}
			return true;
		case '"':
			return item_scan_text(s, &text, &len);
		case 't':
			return item_scan_word(s, "true");
		case 'f':
			return item_scan_word(s, "false");
		case 'n':
			return item_scan_word(s, "null");
		default:
			return item_scan_number(s, &text, &len);
	}
}

/*
 * Appends a member's name as a map entry begins, and skips the colon.  *len
 * is the name's length, which the caller checks: a longer name than an
 * attribute can have is cut off.
 */
bool
item_scan_name(ItemScanner *s, ItemBuilder *b, uint32 *name_len)
{
	uint32		at = b->len;
	uint32		len;

	if (item_scan_peek(s) != '"')
		return item_scan_error(s);
	item_builder_append_byte(b, 0);
	if (!item_scan_string(s, b))
		return false;
	len = *name_len = b->len - at - 1;
	if (len > LIMIT_ATTRIBUTE_NAME)
	{
		len = pg_mbcliplen(b->data + at + 1, len, LIMIT_ATTRIBUTE_NAME);
		b->len = at + 1 + len;
	}
	if (len >= ITEM_NAME_LONG)
	{
		char	   *p;

		(void) item_builder_reserve(b, 2);
		p = b->data + at;
		memmove(p + 3, p + 1, len);
		p[0] = (char) ITEM_NAME_LONG;
		item_store_int(p + 1, 1, len);
		b->len += 2;
	}
	else
		b->data[at] = (char) len;
	return item_scan_expect(s, ':');
}

/* Nothing but white space may follow. */
bool
item_scan_end(ItemScanner *s)
{
	return item_scan_peek(s) == -1 || item_scan_error(s);
}

/*
 * Reports the whole text as invalid JSON, in the server's words.  Returns
 * false always.
 */
bool
item_scan_error(ItemScanner *s)
{
	Datum		ignored;

	if (compat_input_call_safe(json_in, pnstrdup(s->json, s->end - s->json),
							   s->escontext, &ignored))
		errsave(s->escontext,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "json")));
	return false;
}

/* Resolves the escape whose backslash was just read. */
static bool
scan_escape(ItemScanner *s, ItemBuilder *b)
{
	char		c = s->p < s->end ? *s->p++ : '\0';

	switch (c)
	{
		case '"':
		case '\\':
		case '/':
			break;
		case 'b':
			c = '\b';
			break;
		case 'f':
			c = '\f';
			break;
		case 'n':
			c = '\n';
			break;
		case 'r':
			c = '\r';
			break;
		case 't':
			c = '\t';
			break;
		case 'u':
			return scan_unicode_escape(s, b);
		default:
			return item_scan_error(s);
	}
	item_builder_append_byte(b, c);
	return true;
}

/* Resolves four hexadecimal digits, and a second escape if they ask for it. */
static bool
scan_unicode_escape(ItemScanner *s, ItemBuilder *b)
{
	unsigned char utf8[4];
	pg_wchar	c;

	if (!scan_hex4(s, &c))
		return false;
	if (is_utf16_surrogate_second(c))
		return surrogate_error(s, surrogate_low);
	if (is_utf16_surrogate_first(c))
	{
		pg_wchar	second;

		if (s->end - s->p < 2 || s->p[0] != '\\' || s->p[1] != 'u')
			return surrogate_error(s, surrogate_high);
		s->p += 2;
		if (!scan_hex4(s, &second))
			return false;
		if (!is_utf16_surrogate_second(second))
			return surrogate_error(s, surrogate_high);
		c = surrogate_pair_to_codepoint(c, second);
	}

	unicode_to_utf8(c, utf8);
	item_builder_append(b, (char *) utf8,
						c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
	return true;
}

static bool
scan_hex4(ItemScanner *s, pg_wchar *result)
{
	*result = 0;
	for (int i = 0; i < 4; i++)
	{
		int			c = s->p < s->end ? *s->p++ : '\0';

		if (c >= '0' && c <= '9')
			c -= '0';
		else if (c >= 'a' && c <= 'f')
			c -= 'a' - 10;
		else if (c >= 'A' && c <= 'F')
			c -= 'A' - 10;
		else
			return item_scan_error(s);
		*result = *result * 16 + c;
	}
	return true;
}

static bool
surrogate_error(ItemScanner *s, const char *detail)
{
	errsave(s->escontext,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s", "json"),
			 errdetail("%s", detail)));
	return false;
}
