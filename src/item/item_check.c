/*
 * item_check.c
 *	  Checks encoded bytes that come from outside.
 *
 * Everything else in the folder trusts the encoding, so this must accept
 * exactly what the builder can produce: every length within its container,
 * the canonical order and widths, legal numbers, UTF-8, the nesting limit.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "item/item_private.h"

static const char *check_value(ItemRef value, int level);
static const char *check_container(ItemRef value, int level);
static const char *check_entry(const char *entry, const char *end,
							   ItemType container, const char **name,
							   uint32 *name_len, ItemRef *value);
static const char *check_name(const char *entry, const char *end);
static const char *check_number(ItemRef number);
static const char *check_text(const char *text, uint32 len);

/*
 * Returns NULL when the bytes are a value's encoding, otherwise what is
 * wrong, as a sentence for errdetail().  The type itself may be garbage.
 */
const char *
item_check_encoding(ItemRef value)
{
	if (value.len > ITEM_MAX_ENCODED - VARHDRSZ - ITEM_HEADER_SIZE)
		return "The value is too large.";
	return check_value(value, 0);
}

/* ereports a value that is nested too deep, as an operator may make one. */
void
item_check_depth(ItemRef value)
{
	if (item_ref_depth(value) > LIMIT_NESTING)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_NESTING)));
}

/* What is wrong with the length of an attribute name, or NULL. */
const char *
item_name_len_error(uint32 len)
{
	return len == 0 ? TEXT_ATTRIBUTE_NAME_EMPTY :
		len > LIMIT_ATTRIBUTE_NAME ? TEXT_ATTRIBUTE_NAME_LENGTH : NULL;
}

void
item_check_name_len(uint32 len)
{
	const char *error = item_name_len_error(len);

	if (error)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("%s", error)));
}

/* level counts the maps and lists around the value. */
static const char *
check_value(ItemRef value, int level)
{
	switch (value.type)
	{
		case ITEM_S:
			return check_text(value.data, value.len);
		case ITEM_N:
			return check_number(value);
		case ITEM_B:
			return NULL;
		case ITEM_BOOL:
			if (value.len != 1 || (uint8) value.data[0] > 1)
				return "A Boolean must be one byte, 0 or 1.";
			return NULL;
		case ITEM_NULL:
			return value.len == 0 ? NULL : "The null value has no bytes.";
		case ITEM_M:
		case ITEM_L:
			if (level == LIMIT_NESTING)
				return "Maps and lists are nested too deep.";
			return value.len == 0 ? NULL : check_container(value, level + 1);
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			if (value.len == 0)
				return "A set must not be empty.";
			return check_container(value, level);
	}
	return "Unknown type of value.";
}

/* A map, list or set that is not empty. */
static const char *
check_container(ItemRef value, int level)
{
	ItemContainer c;
	const char *previous = NULL;
	uint32		previous_len = 0;
	uint32		body_len;
	uint32		start = 0;
	int			code = (uint8) value.data[0];

	/* The header must fit before it is looked at. */
	if (code > 2 || value.len < 1 + (1U << code))
		return "The header of a container is invalid.";
	item_container_open(value, &c);
	if (c.count == 0 ||
		c.count > (value.len - 1 - (1U << code)) >> code)
		return "The count of a container is invalid.";
	body_len = value.len - item_container_header_size(c.count, code);
	if (item_container_body_len(&c) != body_len ||
		item_width_code(c.count, body_len) != code)
		return "The length of a container is invalid.";

	for (uint32 i = 0; i < c.count; i++)
	{
		uint32		end = item_container_end(&c, i);
		const char *name = NULL;
		uint32		name_len = 0;
		ItemRef		entry;
		const char *error;

		CHECK_FOR_INTERRUPTS();
		if (end < start || end > body_len)
			return "An offset in a container is invalid.";
		error = check_entry(c.body + start, c.body + end, value.type,
							&name, &name_len, &entry);
		if (error == NULL)
			error = check_value(entry, level);
		if (error)
			return error;
		if (value.type != ITEM_L)
		{
			if (previous != NULL &&
				item_bytes_compare(previous, previous_len, name, name_len) >= 0)
				return "The entries of a map or set are not in order.";
			previous = name;
			previous_len = name_len;
		}
		start = end;
	}
	return NULL;
}

/*
 * Takes an entry apart: the bytes by which it is ordered in a map or set,
 * and its value.
 */
static const char *
check_entry(const char *entry, const char *end, ItemType container,
			const char **name, uint32 *name_len, ItemRef *value)
{
	if (item_type_is_set(container))
	{
		*name = entry;
		*name_len = end - entry;
		*value = item_make_ref(item_set_element_type(container), entry,
							   end - entry);
		return NULL;
	}
	if (container == ITEM_M)
	{
		const char *error = check_name(entry, end);

		if (error)
			return error;
		entry = item_entry_name(entry, name, name_len);
	}
	if (entry >= end)
		return "An entry of a container has no type.";
	*value = item_make_ref((ItemType) (uint8) *entry, entry + 1,
						   end - entry - 1);
	return NULL;
}

static const char *
check_name(const char *entry, const char *end)
{
	const char *name;
	uint32		len;

	if (entry >= end)
		return "An entry of a map is empty.";
	if ((uint8) *entry == ITEM_NAME_LONG)
	{
		if (end - entry < 3 || item_load_int(entry + 1, 1) < ITEM_NAME_LONG)
			return "The length of an attribute name is invalid.";
	}
	item_entry_name(entry, &name, &len);
	if (len == 0 || len > end - name)
		return "The length of an attribute name is invalid.";
	return check_text(name, len);
}

/* Legal exactly when its normal form is encoded to the same bytes. */
static const char *
check_number(ItemRef number)
{
	char		text[ITEM_NUMBER_MAX_TEXT];
	char		encoded[ITEM_NUMBER_MAX_LEN];
	uint32		len;
	const char *invalid = "A number is invalid.";

	if (number.len == 0)
		return invalid;
	len = item_number_print(number, text);
	if (item_number_check(text, len, encoded, &len) != NULL ||
		len != number.len || memcmp(encoded, number.data, len) != 0)
		return invalid;
	return NULL;
}

/* The server's check stops at U+0000, which a string may hold. */
static const char *
check_text(const char *text, uint32 len)
{
	const char *end = text + len;

	while (text < end)
	{
		const char *nul = memchr(text, '\0', end - text);
		int			run = (nul ? nul : end) - text;

		if (pg_encoding_verifymbstr(PG_UTF8, text, run) != run)
			return "A text is not valid UTF-8.";
		text += run + (nul != NULL);
	}
	return NULL;
}
