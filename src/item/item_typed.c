/*
 * item_typed.c
 *	  The service's typed JSON ({"S": ...}) to item.
 *
 * The service decodes a request against its model first and validates values
 * only then.  Here both happen in one pass: what does not fit the model is
 * raised at once, the first invalid value is remembered and raised at the
 * end, or left to the caller.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "item/item_private.h"

#define MODEL_VALUE		"AttributeValue"
#define MODEL_PREFIX	"com.amazonaws.dynamodb.v20120810."

typedef struct Parser
{
	ItemScanner scan;
	ItemBuilder build;
	uint32		attribute_at;	/* where the outermost map's entry begins */
	const char *invalid;		/* first validation error, or NULL */
	char	   *invalid_name;	/* the attribute that has it */
	uint32		invalid_name_len;
	bool		is_value;		/* there is no outermost map */
} Parser;

static bool is_bare_value(Parser *p);
static void parse_value(Parser *p, int level);
static void parse_payload(Parser *p, ItemType type, int level);
static void parse_string(Parser *p);
static void check_string(ItemScanner *s);
static void parse_number(Parser *p);
static void parse_binary(Parser *p);
static void parse_map(Parser *p, int level, bool any_names);
static void parse_list(Parser *p, int level);
static void parse_set(Parser *p, ItemType type, uint32 type_at);
static void invalid(Parser *p, const char *message);
pg_noreturn static void refuse(const char *format, const char *argument);
static bool fractional(ItemScanner *s);

/*
 * Returns an item for an object of attribute names and typed values, or a
 * value of any other type than map for an object of one tag.
 */
ItemData *
item_from_dynamodb_json(const char *json, size_t len)
{
	Parser		p;

	memset(&p, 0, sizeof(p));
	(void) item_scan_init(&p.scan, json, len, NULL);
	item_builder_init(&p.build, Min(len + 32, 8192));

	if (item_scan_peek(&p.scan) != '{')
	{
		/* Invalid JSON, or valid JSON of the wrong kind. */
		item_scan_skip(&p.scan);
		item_scan_end(&p.scan);
		refuse(TEXT_UNEXPECTED_FIELD, NULL);
	}
	if (is_bare_value(&p))
		parse_value(&p, 0);
	else
	{
		item_builder_append_byte(&p.build, ITEM_M);
		parse_map(&p, 1, false);
	}
	item_scan_end(&p.scan);

	if (p.invalid)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("%s", p.invalid)));
	return item_builder_finish(&p.build);
}

/*
 * Reads the map that must be next.  any_names says that its names are not
 * those of attributes, and so need not be valid.
 */
void
item_scan_typed_map(ItemScanner *s, bool any_names, ItemTyped *result)
{
	Parser		p;

	memset(&p, 0, sizeof(p));
	p.scan = *s;
	item_builder_init(&p.build, Min(s->end - s->p + 32, 1024));
	item_builder_append_byte(&p.build, ITEM_M);
	(void) item_scan_peek(&p.scan);
	parse_map(&p, 1, any_names);
	*s = p.scan;
	result->item = item_builder_finish(&p.build);
	result->invalid = p.invalid;
	result->invalid_name = p.invalid_name;
	result->invalid_name_len = p.invalid_name_len;
}

/*
 * Reads the single value that must be next, which an attribute is to have or
 * to be compared with.  The error, if any, names no attribute.
 */
void
item_scan_typed_value(ItemScanner *s, ItemTyped *result)
{
	Parser		p;

	memset(&p, 0, sizeof(p));
	p.scan = *s;
	p.is_value = true;
	item_builder_init(&p.build, 64);
	parse_value(&p, 1);
	*s = p.scan;
	result->item = item_builder_finish(&p.build);
	result->invalid = p.invalid;
	result->invalid_name = NULL;
	result->invalid_name_len = 0;
}

/*
 * Is the object that begins here a tag with its payload?  As attributes of
 * an item are objects, a tag before anything else can only be that.
 */
static bool
is_bare_value(Parser *p)
{
	ItemScanner saved = p->scan;
	uint32		start = p->build.len;
	bool		result = false;
	ItemType	type;

	p->scan.p++;
	if (item_scan_peek(&p->scan) == '"')
	{
		item_scan_string(&p->scan, &p->build);
		item_scan_expect(&p->scan, ':');
		result = item_type_from_tag(p->build.data + start,
									p->build.len - start, &type) &&
			item_scan_peek(&p->scan) != '{';
	}
	p->scan = saved;
	p->build.len = start;
	return result;
}

/*
 * Appends the value that begins here with its type byte.  level counts the
 * maps and lists around it.
 */
static void
parse_value(Parser *p, int level)
{
	uint32		type_at = p->build.len;
	ItemType	chosen = 0;		/* the tag, once one was seen */
	bool		several = false;
	bool		first = true;
	int			next = item_scan_peek(&p->scan);

	if (next == '[')
		refuse(TEXT_ARRAY_TO_CLASS, MODEL_PREFIX MODEL_VALUE);
	if (next != '{')
	{
		item_scan_skip(&p->scan);
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_SERIALIZATION),
				 errmsg(TEXT_UNEXPECTED_VALUE),
				 errhint("In typed JSON each value is an object that names its type, for example {\"S\": \"text\"}.")));
	}
	p->scan.p++;
	item_builder_append_byte(&p->build, ITEM_NULL);

	while (item_scan_next(&p->scan, first, '}'))
	{
		uint32		start = p->build.len;
		ItemType	type;
		bool		known;

		first = false;
		if (item_scan_peek(&p->scan) != '"')
			item_scan_error(&p->scan);
		item_scan_string(&p->scan, &p->build);
		item_scan_expect(&p->scan, ':');
		known = item_type_from_tag(p->build.data + start,
								   p->build.len - start, &type);
		p->build.len = start;

		/* Unknown members, and those that are null, are not there. */
		if (!known || item_scan_peek(&p->scan) == 'n')
			item_scan_skip(&p->scan);
		else if (chosen == 0 || chosen == type)
		{
			chosen = type;
			p->build.len = type_at + 1;
			p->build.data[type_at] = (char) type;
			parse_payload(p, type, level);
		}
		else
		{
			several = true;
			item_builder_append_byte(&p->build, (char) type);
			parse_payload(p, type, level);
			p->build.len = start;
		}
	}
	if (chosen == 0)
		invalid(p, TEXT_VALUE_EMPTY);
	if (several)
		invalid(p, TEXT_VALUE_TYPES);
}

/* The type byte ends the build. */
static void
parse_payload(Parser *p, ItemType type, int level)
{
	uint32		type_at = p->build.len - 1;

	switch (type)
	{
		case ITEM_S:
			parse_string(p);
			break;
		case ITEM_N:
			parse_number(p);
			break;
		case ITEM_B:
			parse_binary(p);
			break;
		case ITEM_BOOL:
			item_builder_append_byte(&p->build,
									 item_scan_typed_bool(&p->scan));
			break;
		case ITEM_NULL:
			if (!item_scan_typed_bool(&p->scan))
				invalid(p, TEXT_VALUE_NULL);
			break;
		case ITEM_M:
			parse_map(p, level + 1, false);
			break;
		case ITEM_L:
			parse_list(p, level + 1);
			break;
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			parse_set(p, type, type_at);
			break;
	}
}

static void
parse_string(Parser *p)
{
	check_string(&p->scan);
	item_scan_string(&p->scan, &p->build);
}

/* The string that must be next, as item_scan_text() gives it. */
const char *
item_scan_typed_string(ItemScanner *s, uint32 *len)
{
	const char *text;

	check_string(s);
	(void) item_scan_text(s, &text, len);
	return text;
}

/* Refuses anything but a string where the model has one. */
static void
check_string(ItemScanner *s)
{
	switch (item_scan_peek(s))
	{
		case '"':
			return;
		case 't':
			item_scan_word(s, "true");
			refuse(TEXT_TRUE_TO_STRING, NULL);
		case 'f':
			item_scan_word(s, "false");
			refuse(TEXT_FALSE_TO_STRING, NULL);
		case '[':
			refuse(TEXT_ARRAY_TO_CLASS, "java.lang.String");
		case '{':
			refuse(TEXT_UNEXPECTED_OBJECT, NULL);
		default:
			refuse(fractional(s) ? TEXT_DECIMAL_TO_STRING :
				   TEXT_NUMBER_TO_STRING, NULL);
	}
}

/* A numeral in a string. */
static void
parse_number(Parser *p)
{
	uint32		start = p->build.len;
	uint32		len;
	char		number[ITEM_NUMBER_MAX_LEN];
	const char *error;

	parse_string(p);
	len = p->build.len - start;
	error = item_number_check(p->build.data + start, len, number, &len);
	if (error)
	{
		invalid(p, psprintf(error, pnstrdup(p->build.data + start,
											p->build.len - start)));
		number[0] = (char) 0x80;
		len = 1;
	}
	p->build.len = start;
	item_builder_append(&p->build, number, len);
}

/* Base64 in a string. */
static void
parse_binary(Parser *p)
{
	uint32		start = p->build.len;
	uint32		len;
	char	   *bytes;

	switch (item_scan_peek(&p->scan))
	{
		case '"':
			break;
		case '{':
			refuse(TEXT_UNEXPECTED_OBJECT, NULL);
		case '[':
			refuse(TEXT_ARRAY_TO_CLASS, "java.nio.ByteBuffer");
		default:
			item_scan_skip(&p->scan);
			refuse(TEXT_BASE64_TYPE, NULL);
	}
	item_scan_string(&p->scan, &p->build);
	len = p->build.len - start;
	if (len % 4 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_SERIALIZATION),
				 errmsg(TEXT_BASE64_LENGTH, len)));
	bytes = palloc(len + 1);
	if (!item_base64_decode(p->build.data + start, len, bytes, &len))
		refuse(TEXT_BASE64_INVALID, NULL);
	p->build.len = start;
	item_builder_append(&p->build, bytes, len);
	pfree(bytes);
}

/* The Boolean that must be next. */
bool
item_scan_typed_bool(ItemScanner *s)
{
	switch (item_scan_peek(s))
	{
		case 't':
			item_scan_word(s, "true");
			return true;
		case 'f':
			item_scan_word(s, "false");
			return false;
		case '"':
			refuse(TEXT_STRING_TO_BOOLEAN, NULL);
		case '[':
			refuse(TEXT_ARRAY_TO_CLASS, "java.lang.Boolean");
		case '{':
			refuse(TEXT_UNEXPECTED_OBJECT, NULL);
		default:
			refuse(fractional(s) ? TEXT_DECIMAL_TO_BOOLEAN :
				   TEXT_NUMBER_TO_BOOLEAN, NULL);
	}
}

/* An object of names and typed values; level is that of this map. */
static void
parse_map(Parser *p, int level, bool any_names)
{
	ItemMark	mark = item_builder_open(&p->build);
	bool		first = true;
	int			next = item_scan_peek(&p->scan);

	if (next == '[')
		refuse(TEXT_ARRAY_TO_MAP, MODEL_VALUE);
	if (next != '{')
	{
		item_scan_skip(&p->scan);
		refuse(TEXT_UNEXPECTED_FIELD, NULL);
	}
	if (level > LIMIT_NESTING)
	{
		invalid(p, TEXT_NESTING);
		item_scan_skip(&p->scan);
		return;
	}
	p->scan.p++;
	while (item_scan_next(&p->scan, first, '}'))
	{
		uint32		start = p->build.len;
		uint32		name_len;

		first = false;
		if (level == 1)
			p->attribute_at = start;
		item_builder_begin_entry(&p->build);
		item_scan_name(&p->scan, &p->build, &name_len);
		if (!any_names && item_name_len_error(name_len) != NULL)
			invalid(p, item_name_len_error(name_len));
		if (item_scan_peek(&p->scan) == 'n')
		{
			item_scan_skip(&p->scan);
			p->build.len = start;
			p->build.nspans--;
			continue;
		}
		parse_value(p, level);
		item_builder_end_entry(&p->build);
	}
	item_builder_close_map(&p->build, mark);
}

static void
parse_list(Parser *p, int level)
{
	ItemMark	mark = item_builder_open(&p->build);
	bool		first = true;
	int			next = item_scan_peek(&p->scan);

	if (next == '{')
		refuse(TEXT_UNEXPECTED_OBJECT, NULL);
	if (next != '[')
	{
		item_scan_skip(&p->scan);
		refuse(TEXT_UNEXPECTED_FIELD, NULL);
	}
	if (level > LIMIT_NESTING)
	{
		invalid(p, TEXT_NESTING);
		item_scan_skip(&p->scan);
		return;
	}
	p->scan.p++;
	while (item_scan_next(&p->scan, first, ']'))
	{
		first = false;
		if (item_scan_peek(&p->scan) == 'n')
		{
			item_scan_skip(&p->scan);
			continue;
		}
		item_builder_begin_entry(&p->build);
		parse_value(p, level);
		item_builder_end_entry(&p->build);
	}
	item_builder_close(&p->build, mark);
}

/* Read as a list first, which keeps the order for an error's text. */
static void
parse_set(Parser *p, ItemType type, uint32 type_at)
{
	ItemMark	mark = item_builder_open(&p->build);
	ItemType	element = item_set_element_type(type);
	bool		first = true;
	const char *error;
	int			sqlerrcode;
	int			next = item_scan_peek(&p->scan);

	if (next == '{')
		refuse(TEXT_UNEXPECTED_OBJECT, NULL);
	if (next != '[')
	{
		item_scan_skip(&p->scan);
		refuse(TEXT_UNEXPECTED_FIELD, NULL);
	}
	p->scan.p++;
	while (item_scan_next(&p->scan, first, ']'))
	{
		first = false;
		if (item_scan_peek(&p->scan) == 'n')
		{
			item_scan_skip(&p->scan);
			continue;
		}
		item_builder_begin_entry(&p->build);
		item_builder_append_byte(&p->build, (char) element);
		parse_payload(p, element, 0);
		item_builder_end_entry(&p->build);
	}
	item_builder_close(&p->build, mark);

	error = item_list_to_set(&p->build, type_at, type, &sqlerrcode);
	if (error)
	{
		invalid(p, error);
		p->build.nspans = mark.first_span;
		p->build.len = type_at + 1;
		p->build.data[type_at] = ITEM_NULL;
	}
}

/* Remembers a validation error unless there was one before. */
static void
invalid(Parser *p, const char *message)
{
	const char *name;
	uint32		len;

	if (p->invalid != NULL)
		return;
	p->invalid = message;
	if (p->build.nspans > 0 && !p->is_value)
	{
		item_entry_name(p->build.data + p->attribute_at, &name, &len);
		p->invalid_name = pnstrdup(name, len);
		p->invalid_name_len = len;
	}
}

/* Skips a number; is it written with a point or an exponent? */
static bool
fractional(ItemScanner *s)
{
	const char *text;
	uint32		len;

	item_scan_number(s, &text, &len);
	return memchr(text, '.', len) != NULL || memchr(text, 'e', len) != NULL ||
		memchr(text, 'E', len) != NULL;
}

static void
refuse(const char *format, const char *argument)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_SERIALIZATION),
			 errmsg(format, argument ? argument : "")));
}
