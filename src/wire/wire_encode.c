/*
 * wire_encode.c
 *	  Responses: JSON without white space, and consumed capacity.
 */
#include "postgres.h"

#include "wire/wire_private.h"

static void append_comma(StringInfo out);

/*
 * The name of the next member of an object, with a comma before it unless it
 * is the first.
 */
void
wire_append_name(StringInfo out, const char *name)
{
	append_comma(out);
	appendStringInfo(out, "\"%s\":", name);
}

/* The same for a name that a client gave. */
void
wire_append_text_name(StringInfo out, const ApiText *name)
{
	append_comma(out);
	wire_append_text(out, name);
	appendStringInfoChar(out, ':');
}

/* The next element of an array begins. */
void
wire_begin_element(StringInfo out)
{
	append_comma(out);
}

static void
append_comma(StringInfo out)
{
	char		last = out->len > 0 ? out->data[out->len - 1] : '{';

	if (last != '{' && last != '[')
		appendStringInfoChar(out, ',');
}

void
wire_append_text(StringInfo out, const ApiText *text)
{
	item_append_json_string(out, text->data, (uint32) text->len);
}

void
wire_append_item(StringInfo out, const ItemData *item)
{
	item_append_dynamodb_map(out, item_root(item));
}

/*
 * Placeholders and their names, an object of strings.
 */
void
wire_append_names(StringInfo out, Jsonb *names)
{
	JsonbIterator *iterator = JsonbIteratorInit(&names->root);
	JsonbIteratorToken token;
	JsonbValue	value;

	appendStringInfoChar(out, '{');
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			append_comma(out);
		if (token == WJB_KEY || token == WJB_VALUE)
			item_append_json_string(out, value.val.string.val,
									value.val.string.len);
		if (token == WJB_KEY)
			appendStringInfoChar(out, ':');
	}
	appendStringInfoChar(out, '}');
}
