/*
 * item_set.c
 *	  Sets: from lists, union, difference.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "item/item_private.h"

static const char *append_element(ItemBuilder *b, ItemType set,
								  ItemRef element);
static const char *duplicates_text(ItemType set, ItemRef list);

/*
 * Turns the list that ends the build (its type byte is at type_at) into a
 * set.  The elements are of the set's element type; base64 strings will do
 * for binaries.  Returns NULL, or a message and its SQLSTATE.
 */
const char *
item_list_to_set(ItemBuilder *b, uint32 type_at, ItemType set, int *sqlerrcode)
{
	uint32		list_len = b->len - type_at - 1;
	char	   *copy = memcpy(palloc(list_len + 1), b->data + type_at + 1,
							  list_len);
	ItemRef		list = item_make_ref(ITEM_L, copy, list_len);
	ItemMark	mark;

	*sqlerrcode = ERRCODE_ITEM_VALIDATION;
	if (list_len == 0)
		return set == ITEM_SS ? TEXT_STRING_SET_EMPTY :
			set == ITEM_NS ? TEXT_NUMBER_SET_EMPTY : TEXT_BINARY_SET_EMPTY;

	b->data[type_at] = (char) set;
	b->len = type_at + 1;
	mark = item_builder_open(b);
	for (int i = 0; i < item_list_count(list); i++)
	{
		const char *error;

		item_builder_begin_entry(b);
		error = append_element(b, set, item_list_element(list, i));
		if (error)
		{
			*sqlerrcode = ERRCODE_INVALID_TEXT_REPRESENTATION;
			return error;
		}
		item_builder_end_entry(b);
	}
	if (!item_builder_close_set(b, mark, false))
		return duplicates_text(set, list);
	pfree(copy);
	return NULL;
}

/*
 * The union of two sets of one type, in the current memory context.
 */
ItemRef
item_set_union(ItemRef a, ItemRef b)
{
	ItemBuilder build;
	ItemMark	mark;
	int			a_count = item_set_count(a);
	int			b_count = item_set_count(b);
	int			i = 0;
	int			j = 0;

	item_builder_init(&build, a.len + b.len);
	mark = item_builder_open(&build);
	while (i < a_count || j < b_count)
	{
		ItemRef		element;
		int			cmp;

		if (i == a_count || j == b_count)
			cmp = i == a_count ? 1 : -1;
		else
			cmp = item_scalar_compare(item_set_element(a, i),
									  item_set_element(b, j));
		element = cmp <= 0 ? item_set_element(a, i) : item_set_element(b, j);
		i += cmp <= 0;
		j += cmp >= 0;
		item_builder_begin_entry(&build);
		item_builder_append(&build, element.data, element.len);
		item_builder_end_entry(&build);
	}
	item_builder_close(&build, mark);
	return item_builder_finish_ref(&build, a.type);
}

/*
 * The elements of a that are not in b; false when there are none, as no set
 * is empty.
 */
bool
item_set_difference(ItemRef a, ItemRef b, ItemRef *result)
{
	ItemBuilder build;
	ItemMark	mark;

	item_builder_init(&build, a.len);
	mark = item_builder_open(&build);
	for (int i = 0; i < item_set_count(a); i++)
	{
		ItemRef		element = item_set_element(a, i);

		if (item_set_contains(b, element))
			continue;
		item_builder_begin_entry(&build);
		item_builder_append(&build, element.data, element.len);
		item_builder_end_entry(&build);
	}
	item_builder_close(&build, mark);
	*result = item_builder_finish_ref(&build, a.type);
	return result->len > 0;
}

/* The elements of two lists in one, in the current memory context. */
ItemRef
item_list_concat(ItemRef a, ItemRef b)
{
	ItemBuilder build;
	ItemMark	mark;
	ItemRef		lists[2] = {a, b};

	item_builder_init(&build, a.len + b.len);
	mark = item_builder_open(&build);
	for (int i = 0; i < 2; i++)
	{
		for (int j = 0; j < item_list_count(lists[i]); j++)
		{
			item_builder_begin_entry(&build);
			item_builder_append_typed(&build, item_list_element(lists[i], j));
			item_builder_end_entry(&build);
		}
	}
	item_builder_close(&build, mark);
	return item_builder_finish_ref(&build, ITEM_L);
}

/* Returns NULL or a message. */
static const char *
append_element(ItemBuilder *b, ItemType set, ItemRef element)
{
	if (set == ITEM_BS && element.type == ITEM_S)
	{
		char	   *out = item_builder_reserve(b, element.len);
		uint32		len;

		if (!item_base64_decode(element.data, element.len, out, &len))
			return "invalid base64 in \"$binary_set\"";
		b->len += len;
		return NULL;
	}
	if (element.type != item_set_element_type(set))
		return set == ITEM_SS ? "elements of \"$string_set\" must be strings" :
			set == ITEM_NS ? "elements of \"$number_set\" must be numbers" :
			"elements of \"$binary_set\" must be base64 strings";
	item_builder_append(b, element.data, element.len);
	return NULL;
}

/* Names the elements in the order in which they were written. */
static const char *
duplicates_text(ItemType set, ItemRef list)
{
	StringInfoData elements;

	if (set == ITEM_NS)
		return TEXT_NUMBER_SET_DUPLICATES;
	initStringInfo(&elements);
	for (int i = 0; i < item_list_count(list); i++)
	{
		ItemRef		element = item_list_element(list, i);

		if (i > 0)
			appendStringInfoString(&elements, ", ");
		if (element.type == ITEM_B)
			item_append_base64(&elements, element.data, element.len);
		else
			appendBinaryStringInfo(&elements, element.data, element.len);
	}
	if (set == ITEM_SS)
		return psprintf(TEXT_STRING_SET_DUPLICATES, elements.data);
	return psprintf(TEXT_BINARY_SET_DUPLICATES, elements.data);
}
