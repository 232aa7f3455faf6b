/*
 * item_json.c
 *	  Items as JSON text: the plain form and the service's typed form.
 *
 * Only what JSON requires is escaped; all else is UTF-8 as it is.  Both forms
 * list attributes in the order of their names, sets in the order of their
 * elements, so equal items have equal texts.
 */
#include "postgres.h"

#include "common/base64.h"
#include "miscadmin.h"

#include "item/item_private.h"

/* Appends a constant; copying that little needs no call. */
#define append_literal(out, literal) \
	append_bytes((out), (literal), sizeof(literal) - 1)

static void append_plain(StringInfo out, ItemRef value);
static void append_plain_map(StringInfo out, ItemRef map);
static void append_plain_set(StringInfo out, ItemRef set);
static void append_escape(StringInfo out, char c);
static void append_number(StringInfo out, ItemRef number);
static void append_typed_elements(StringInfo out, ItemRef container);
static bool typed_payload(ItemType tag, ItemType payload);

/* Makes room for this many more bytes and a NUL; returns where they go. */
static inline char *
reserve(StringInfo out, int len)
{
	if (unlikely(out->maxlen - out->len <= len))
		enlargeStringInfo(out, len);
	return out->data + out->len;
}

static inline void
append_bytes(StringInfo out, const char *bytes, int len)
{
	memcpy(reserve(out, len), bytes, len);
	out->len += len;
	out->data[out->len] = '\0';
}

/* The text form of the type, which item_in() reads back without loss. */
void
item_append_json(StringInfo out, ItemRef value)
{
	append_plain(out, value);
}

/* {"S": ...} and so on, without white space. */
void
item_append_dynamodb_json(StringInfo out, ItemRef value)
{
	append_literal(out, "{\"");
	appendStringInfoString(out, item_type_tag(value.type));
	append_literal(out, "\":");
	switch (value.type)
	{
		case ITEM_S:
			item_append_json_string(out, value.data, value.len);
			break;
		case ITEM_N:
			append_literal(out, "\"");
			append_number(out, value);
			append_literal(out, "\"");
			break;
		case ITEM_B:
			append_literal(out, "\"");
			item_append_base64(out, value.data, value.len);
			append_literal(out, "\"");
			break;
		case ITEM_BOOL:
			appendStringInfoString(out,
								   item_ref_bool(value) ? "true" : "false");
			break;
		case ITEM_NULL:
			append_literal(out, "true");
			break;
		case ITEM_M:
			item_append_dynamodb_map(out, value);
			break;
		case ITEM_L:
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			append_typed_elements(out, value);
			break;
	}
	append_literal(out, "}");
}

/* A value of type S, N or B as the service's texts show it, not escaped. */
void
item_append_scalar(StringInfo out, ItemRef scalar)
{
	append_literal(out, "AttributeValue: {");
	appendStringInfoString(out, item_type_tag(scalar.type));
	append_literal(out, ":");
	if (scalar.type == ITEM_N)
		append_number(out, scalar);
	else if (scalar.type == ITEM_B)
		item_append_base64(out, scalar.data, scalar.len);
	else
		append_bytes(out, scalar.data, scalar.len);
	append_literal(out, "}");
}

/* A map as an item: attribute names with typed values, no tag around. */
void
item_append_dynamodb_map(StringInfo out, ItemRef map)
{
	int			count = item_map_count(map);

	append_literal(out, "{");
	for (int i = 0; i < count; i++)
	{
		const char *name;
		uint32		name_len;
		ItemRef		value = item_map_member(map, i, &name, &name_len);

		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			append_literal(out, ",");
		item_append_json_string(out, name, name_len);
		append_literal(out, ":");
		item_append_dynamodb_json(out, value);
	}
	append_literal(out, "}");
}

/*
 * Does a map look like an item in typed form that was read as plain JSON?
 * That is, is every member a map of one member, a type's tag with a value
 * that goes with it?  A map without members does not.
 */
bool
item_looks_typed(ItemRef map)
{
	int			count = map.type == ITEM_M ? item_map_count(map) : 0;

	for (int i = 0; i < count; i++)
	{
		const char *name;
		uint32		name_len;
		ItemRef		member = item_map_member(map, i, &name, &name_len);
		ItemRef		payload;
		ItemType	type;

		if (member.type != ITEM_M || item_map_count(member) != 1)
			return false;
		payload = item_map_member(member, 0, &name, &name_len);
		if (!item_type_from_tag(name, name_len, &type) ||
			!typed_payload(type, payload.type))
			return false;
	}
	return count > 0;
}

void
item_append_base64(StringInfo out, const char *data, uint32 len)
{
	int			space = pg_b64_enc_len(len);
	int			written;

	enlargeStringInfo(out, space);
	written = pg_b64_encode((const void *) data, len, out->data + out->len,
							space);
	Assert(written >= 0);
	out->len += written;
	out->data[out->len] = '\0';
}

/*
 * Decodes base64 into at most len bytes at out.  False unless the text is
 * exactly what encoding the result gives: padded, no white space, no stray
 * bits.
 */
bool
item_base64_decode(const char *text, uint32 len, char *out, uint32 *out_len)
{
	char		last[4 + 1];
	int			decoded;

	*out_len = 0;
	if (len % 4 != 0)
		return false;
	if (len == 0)
		return true;
	decoded = pg_b64_decode(text, len, (void *) out, len);
	if (decoded < 0)
		return false;

	/* Stray bits can only be in the last group. */
	if (decoded % 3 != 0)
	{
		const char *tail = out + decoded - decoded % 3;

		if (pg_b64_encode((const void *) tail, decoded % 3, last,
						  sizeof(last)) != 4 ||
			memcmp(last, text + len - 4, 4) != 0)
			return false;
	}
	*out_len = decoded;
	return true;
}

static void
append_plain(StringInfo out, ItemRef value)
{
	switch (value.type)
	{
		case ITEM_S:
			item_append_json_string(out, value.data, value.len);
			break;
		case ITEM_N:
			append_number(out, value);
			break;
		case ITEM_B:
			append_literal(out, "{\"$binary\": \"");
			item_append_base64(out, value.data, value.len);
			append_literal(out, "\"}");
			break;
		case ITEM_BOOL:
			appendStringInfoString(out,
								   item_ref_bool(value) ? "true" : "false");
			break;
		case ITEM_NULL:
			append_literal(out, "null");
			break;
		case ITEM_M:
			append_plain_map(out, value);
			break;
		case ITEM_L:
			append_literal(out, "[");
			for (int i = 0; i < item_list_count(value); i++)
			{
				CHECK_FOR_INTERRUPTS();
				if (i > 0)
					append_literal(out, ", ");
				append_plain(out, item_list_element(value, i));
			}
			append_literal(out, "]");
			break;
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			append_plain_set(out, value);
			break;
	}
}

/* A map that could be taken for a value of another type goes inside $map. */
static void
append_plain_map(StringInfo out, ItemRef map)
{
	int			count = item_map_count(map);
	bool		wrap = false;

	for (int i = 0; i < count; i++)
	{
		const char *name;
		uint32		name_len;
		ItemRef		value = item_map_member(map, i, &name, &name_len);

		CHECK_FOR_INTERRUPTS();
		if (i == 0)
		{
			wrap = count == 1 && name[0] == '$';
			appendStringInfoString(out, wrap ? "{\"$map\": {" : "{");
		}
		else
			append_literal(out, ", ");
		item_append_json_string(out, name, name_len);
		append_literal(out, ": ");
		append_plain(out, value);
	}
	appendStringInfoString(out, count == 0 ? "{}" : wrap ? "}}" : "}");
}

static void
append_plain_set(StringInfo out, ItemRef set)
{
	appendStringInfoString(out,
						   set.type == ITEM_SS ? "{\"$string_set\": [" :
						   set.type == ITEM_NS ? "{\"$number_set\": [" :
						   "{\"$binary_set\": [");
	for (int i = 0; i < item_set_count(set); i++)
	{
		ItemRef		element = item_set_element(set, i);

		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			append_literal(out, ", ");
		if (element.type == ITEM_S)
			item_append_json_string(out, element.data, element.len);
		else if (element.type == ITEM_N)
			append_number(out, element);
		else
		{
			append_literal(out, "\"");
			item_append_base64(out, element.data, element.len);
			append_literal(out, "\"");
		}
	}
	append_literal(out, "]}");
}

/* Elements of a list (typed) or of a set (bare), as a JSON array. */
static void
append_typed_elements(StringInfo out, ItemRef container)
{
	int			count = item_ref_count(container);

	append_literal(out, "[");
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			append_literal(out, ",");
		if (container.type == ITEM_L)
			item_append_dynamodb_json(out, item_list_element(container, i));
		else if (container.type == ITEM_SS)
		{
			ItemRef		element = item_set_element(container, i);

			item_append_json_string(out, element.data, element.len);
		}
		else
		{
			ItemRef		element = item_set_element(container, i);

			append_literal(out, "\"");
			if (container.type == ITEM_NS)
				append_number(out, element);
			else
				item_append_base64(out, element.data, element.len);
			append_literal(out, "\"");
		}
	}
	append_literal(out, "]");
}

/* A JSON string.  Runs of bytes that need no escape are copied at once. */
void
item_append_json_string(StringInfo out, const char *data, uint32 len)
{
	const char *end = data + len;
	const char *p = item_plain_end(data, end);
	char	   *to = reserve(out, len + 2);

	/* Most strings are one run. */
	*to++ = '"';
	memcpy(to, data, p - data);
	to += p - data;
	if (likely(p == end))
	{
		*to++ = '"';
		*to = '\0';
		out->len = to - out->data;
		return;
	}

	out->len = to - out->data;
	while (p < end)
	{
		const char *run;

		append_escape(out, *p++);
		run = p;
		p = item_plain_end(run, end);
		append_bytes(out, run, p - run);
	}
	append_literal(out, "\"");
}

static void
append_escape(StringInfo out, char c)
{
	switch (c)
	{
		case '"':
			append_literal(out, "\\\"");
			break;
		case '\\':
			append_literal(out, "\\\\");
			break;
		case '\b':
			append_literal(out, "\\b");
			break;
		case '\f':
			append_literal(out, "\\f");
			break;
		case '\n':
			append_literal(out, "\\n");
			break;
		case '\r':
			append_literal(out, "\\r");
			break;
		case '\t':
			append_literal(out, "\\t");
			break;
		default:
			appendStringInfo(out, "\\u%04x", (unsigned char) c);
			break;
	}
}

static void
append_number(StringInfo out, ItemRef number)
{
	out->len += item_number_print(number, reserve(out, ITEM_NUMBER_MAX_TEXT));
}

/* Can a value of this type stand behind the tag in the typed form? */
static bool
typed_payload(ItemType tag, ItemType payload)
{
	switch (tag)
	{
		case ITEM_S:
		case ITEM_N:
		case ITEM_B:
			return payload == ITEM_S;
		case ITEM_BOOL:
		case ITEM_NULL:
			return payload == ITEM_BOOL;
		case ITEM_M:
			return payload == ITEM_M;
		default:
			return payload == ITEM_L;
	}
}
