/*
 * item_parse.c
 *	  Plain JSON to item: the text form of the type.
 *
 * Strings, numbers, Booleans, null, arrays and objects are what they look
 * like.  An object written with exactly one member whose name starts with $
 * is a value of a type that JSON lacks ($binary, $string_set, $number_set,
 * $binary_set), or $map around a map that would otherwise be taken for one.
 * What $map holds is taken as it stands, so {"$map": {"$map": {}}} is a map
 * with one attribute named $map.
 *
 * An object is first encoded as the map it looks like, and resolved in place
 * at its end, when it is known to have but one member.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "item/item_private.h"

/* Each level may be wrapped in $map, and the innermost value can be a set. */
#define MAX_JSON_LEVELS		(2 * LIMIT_NESTING + 2)

typedef struct Parser
{
	ItemScanner scan;
	ItemBuilder build;
} Parser;

/*
 * The parsers return the depth of nesting of the value, or -1 after an error.
 * level counts the JSON arrays and objects around and including the value;
 * as_map says that an object stands inside $map.
 */
static int	parse_value(Parser *p, int level, bool as_map);
static int	parse_object(Parser *p, int level, bool as_map);
static bool scan_name(Parser *p);
static bool is_only_member(const ItemScanner *scan);
static int	parse_array(Parser *p, int level);
static int	parse_number(Parser *p);
static int	resolve(Parser *p, uint32 type_at, int depth);
static int	resolve_binary(Parser *p, uint32 type_at, ItemRef content);
static int	resolve_error(Parser *p, ItemRef name, const char *expected);
static bool check_level(Parser *p, int depth, int limit);
static void replace_value(Parser *p, uint32 type_at, ItemRef value);

/*
 * Returns the item, palloc'd, or NULL after an error saved in escontext.
 * The text must be valid UTF-8.
 */
ItemData *
item_parse_json(const char *json, size_t len, Node *escontext)
{
	Parser		p;

	if (!item_scan_init(&p.scan, json, len, escontext))
		return NULL;
	item_builder_init(&p.build, Min(len + 32, 8192));

	if (parse_value(&p, 0, false) < 0 || !item_scan_end(&p.scan))
	{
		item_builder_free(&p.build);
		return NULL;
	}
	return item_builder_finish(&p.build);
}

ItemData *
item_from_json_text(const char *json, size_t len)
{
	return item_parse_json(json, len, NULL);
}

/* Appends the next value with its type byte. */
static int
parse_value(Parser *p, int level, bool as_map)
{
	uint32		type_at = p->build.len;
	ItemType	type;
	int			depth = 0;

	item_builder_append_byte(&p->build, 0);
	switch (item_scan_peek(&p->scan))
	{
		case '{':
			p->build.data[type_at] = ITEM_M;
			return parse_object(p, level + 1, as_map);
		case '[':
			type = ITEM_L;
			depth = parse_array(p, level + 1);
			break;
		case '"':
			type = ITEM_S;
			if (!item_scan_string(&p->scan, &p->build))
				depth = -1;
			break;
		case 't':
		case 'f':
			type = ITEM_BOOL;
			item_builder_append_byte(&p->build, *p->scan.p == 't');
			if (!item_scan_word(&p->scan, *p->scan.p == 't' ? "true" : "false"))
				depth = -1;
			break;
		case 'n':
			type = ITEM_NULL;
			if (!item_scan_word(&p->scan, "null"))
				depth = -1;
			break;
		default:
			type = ITEM_N;
			depth = parse_number(p);
			break;
	}
	p->build.data[type_at] = (char) type;
	return depth;
}

/* The type byte ends the build. */
static int
parse_object(Parser *p, int level, bool as_map)
{
	uint32		type_at = p->build.len - 1;
	ItemMark	mark = item_builder_open(&p->build);
	int			members = 0;
	int			deepest = 0;
	bool		dollar = false;

	if (!check_level(p, level, MAX_JSON_LEVELS))
		return -1;
	p->scan.p++;
	if (item_scan_peek(&p->scan) == '}')
		p->scan.p++;
	else
	{
		do
		{
			uint32		name_at = p->build.len;
			bool		content_as_map = false;
			int			depth;

			item_builder_begin_entry(&p->build);
			if (!scan_name(p))
				return -1;
			if (members++ == 0 && !as_map)
			{
				const char *name;
				uint32		len;

				item_entry_name(p->build.data + name_at, &name, &len);
				dollar = name[0] == '$';
				content_as_map = len == 4 && memcmp(name, "$map", 4) == 0 &&
					is_only_member(&p->scan);
			}
			depth = parse_value(p, level, content_as_map);
			if (depth < 0)
				return -1;
			deepest = Max(deepest, depth);
			item_builder_end_entry(&p->build);
		} while (item_scan_peek(&p->scan) == ',' && p->scan.p++);
		if (!item_scan_expect(&p->scan, '}'))
			return -1;
	}
	item_builder_close_map(&p->build, mark);

	if (dollar && members == 1)
		return resolve(p, type_at, deepest);
	return check_level(p, deepest + 1, LIMIT_NESTING) ? deepest + 1 : -1;
}

static bool
scan_name(Parser *p)
{
	uint32		len;
	const char *error;

	if (!item_scan_name(&p->scan, &p->build, &len))
		return false;
	error = item_name_len_error(len);
	if (error == NULL)
		return true;
	errsave(p->scan.escontext,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("%s", error)));
	return false;
}

/*
 * Is the member whose value begins here followed by the end of its object?
 * A look ahead that takes brackets and strings as they come; when it is
 * wrong, so is the JSON, as parsing it will tell.
 */
static bool
is_only_member(const ItemScanner *scan)
{
	const char *p;
	int			open = 0;

	for (p = scan->p; p < scan->end; p++)
	{
		switch (*p)
		{
			case '"':
				while ((p = item_plain_end(p + 1, scan->end)) < scan->end &&
					   *p != '"')
				{
					if (*p == '\\')
						p++;
				}
				break;
			case '{':
			case '[':
				CHECK_FOR_INTERRUPTS();
				open++;
				break;
			case '}':
			case ']':
				if (open-- == 0)
					return true;
				break;
			case ',':
				if (open == 0)
					return false;
				break;
		}
	}
	return false;
}

static int
parse_array(Parser *p, int level)
{
	ItemMark	mark = item_builder_open(&p->build);
	int			deepest = 0;

	if (!check_level(p, level, MAX_JSON_LEVELS))
		return -1;
	p->scan.p++;
	if (item_scan_peek(&p->scan) == ']')
		p->scan.p++;
	else
	{
		do
		{
			int			depth;

			item_builder_begin_entry(&p->build);
			depth = parse_value(p, level, false);
			if (depth < 0)
				return -1;
			deepest = Max(deepest, depth);
			item_builder_end_entry(&p->build);
		} while (item_scan_peek(&p->scan) == ',' && p->scan.p++);
		if (!item_scan_expect(&p->scan, ']'))
			return -1;
	}
	item_builder_close(&p->build, mark);
	return check_level(p, deepest + 1, LIMIT_NESTING) ? deepest + 1 : -1;
}

static int
parse_number(Parser *p)
{
	const char *text;
	const char *error;
	uint32		len;
	uint32		encoded_len;
	char	   *out = item_builder_reserve(&p->build, ITEM_NUMBER_MAX_LEN);

	if (!item_scan_number(&p->scan, &text, &len))
		return -1;
	error = item_number_check(text, len, out, &encoded_len);
	if (error)
	{
		errsave(p->scan.escontext,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(error, pnstrdup(text, len))));
		return -1;
	}
	p->build.len += encoded_len;
	return 0;
}

/*
 * Turns the object of one $ member that ends the build into what it stands
 * for.  depth is that of the member's value.
 */
static int
resolve(Parser *p, uint32 type_at, int depth)
{
	static const struct
	{
		const char *name;
		ItemType	type;
	}			sets[] = {
		{"$string_set", ITEM_SS},
		{"$number_set", ITEM_NS},
		{"$binary_set", ITEM_BS},
	};
	ItemRef		map = item_make_ref(ITEM_M, p->build.data + type_at + 1,
									p->build.len - type_at - 1);
	ItemRef		name = {.type = ITEM_S};
	ItemRef		content = item_map_member(map, 0, &name.data, &name.len);
	const char *error;
	int			sqlerrcode;

	if (name.len == 4 && memcmp(name.data, "$map", 4) == 0)
	{
		if (content.type != ITEM_M)
			return resolve_error(p, name, "an object");
		replace_value(p, type_at, content);
		return depth;
	}
	if (name.len == 7 && memcmp(name.data, "$binary", 7) == 0)
	{
		if (content.type != ITEM_S)
			return resolve_error(p, name, "a base64 string");
		return resolve_binary(p, type_at, content);
	}
	for (size_t i = 0; i < lengthof(sets); i++)
	{
		if (name.len != strlen(sets[i].name) ||
			memcmp(name.data, sets[i].name, name.len) != 0)
			continue;
		if (content.type != ITEM_L)
			return resolve_error(p, name, "an array");
		replace_value(p, type_at, content);
		error = item_list_to_set(&p->build, type_at, sets[i].type,
								 &sqlerrcode);
		if (error)
		{
			errsave(p->scan.escontext,
					(errcode(sqlerrcode),
					 errmsg("%s", error)));
			return -1;
		}
		return 0;
	}

	errsave(p->scan.escontext,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("unknown item type \"%s\"",
					pnstrdup(name.data, name.len)),
			 errdetail("An object whose only member starts with \"$\" "
					   "stands for a value of a type that JSON lacks."),
			 errhint("Write {\"$map\": {\"%s\": ...}} for a map with "
					 "that one attribute.",
					 pnstrdup(name.data, name.len))));
	return -1;
}

static int
resolve_binary(Parser *p, uint32 type_at, ItemRef content)
{
	char	   *bytes = palloc(content.len + 1);
	uint32		len;

	if (!item_base64_decode(content.data, content.len, bytes, &len))
	{
		errsave(p->scan.escontext,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid base64 in \"%s\"", "$binary")));
		return -1;
	}
	replace_value(p, type_at, item_make_ref(ITEM_B, bytes, len));
	pfree(bytes);
	return 0;
}

static int
resolve_error(Parser *p, ItemRef name, const char *expected)
{
	errsave(p->scan.escontext,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("value of \"%s\" must be %s",
					pnstrdup(name.data, name.len), expected)));
	return -1;
}

static bool
check_level(Parser *p, int depth, int limit)
{
	if (depth <= limit)
		return true;
	errsave(p->scan.escontext,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_NESTING)));
	return false;
}

/* Replaces the value that ends the build by another, perhaps a part of it. */
static void
replace_value(Parser *p, uint32 type_at, ItemRef value)
{
	char	   *at = p->build.data + type_at;

	at[0] = (char) value.type;
	memmove(at + 1, value.data, value.len);
	p->build.len = type_at + 1 + value.len;
}
