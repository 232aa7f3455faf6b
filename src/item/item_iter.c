/*
 * item_iter.c
 *	  Reads encoded values in place: members, elements, counts, sizes.
 *
 * Nothing is copied: every ItemRef returned points into the buffer of its
 * argument.  All of it trusts the encoding (see item.h).
 */
#include "postgres.h"

#include "miscadmin.h"

#include "item/item_private.h"

static const struct
{
	const char *tag;
	const char *word;
}			type_names[] = {
	[ITEM_S] = {"S", "STRING"},
	[ITEM_N] = {"N", "NUMBER"},
	[ITEM_B] = {"B", "BINARY"},
	[ITEM_BOOL] = {"BOOL", "BOOLEAN"},
	[ITEM_NULL] = {"NULL", "NULL"},
	[ITEM_M] = {"M", "MAP"},
	[ITEM_L] = {"L", "LIST"},
	[ITEM_SS] = {"SS", "STRING_SET"},
	[ITEM_NS] = {"NS", "NUMBER_SET"},
	[ITEM_BS] = {"BS", "BINARY_SET"},
};

/* The value of a detoasted item. */
ItemRef
item_root(const ItemData *item)
{
	const char *data = VARDATA_ANY(item);
	Size		len = VARSIZE_ANY_EXHDR(item);

	if (unlikely(len == 0 ||
				 (uint8) data[0] >> ITEM_VERSION_SHIFT != ITEM_FORMAT_VERSION))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("unknown format version of an item value")));
	return item_make_ref((ItemType) (data[0] & ITEM_TYPE_MASK),
						 data + ITEM_HEADER_SIZE, len - ITEM_HEADER_SIZE);
}

/* Type as the service abbreviates it. */
const char *
item_type_tag(ItemType type)
{
	return type_names[type].tag;
}

/* Type as some of the service's texts spell it. */
const char *
item_type_word(ItemType type)
{
	return type_names[type].word;
}

bool
item_type_from_tag(const char *tag, size_t len, ItemType *type)
{
	for (size_t i = ITEM_S; i < lengthof(type_names); i++)
	{
		if (strlen(type_names[i].tag) == len &&
			memcmp(type_names[i].tag, tag, len) == 0)
		{
			*type = (ItemType) i;
			return true;
		}
	}
	return false;
}

bool
item_ref_bool(ItemRef value)
{
	return value.data[0] != 0;
}

int
item_map_count(ItemRef map)
{
	return item_ref_count(map);
}

/* Member i in the order of names. */
ItemRef
item_map_member(ItemRef map, int i, const char **name, uint32 *name_len)
{
	ItemContainer c;
	const char *type;

	item_container_open(map, &c);
	type = item_entry_name(c.body + item_container_start(&c, i),
						   name, name_len);
	return item_make_ref((ItemType) *type, type + 1,
						 c.body + item_container_end(&c, i) - (type + 1));
}

bool
item_map_find(ItemRef map, const char *name, uint32 name_len, ItemRef *value)
{
	ItemContainer c;
	bool		found;
	uint32		i;
	const char *type;

	item_container_open(map, &c);
	i = item_map_search(&c, name, name_len, &found);
	if (!found)
		return false;
	type = c.body + item_container_start(&c, i) +
		item_entry_name_size(name_len);
	*value = item_make_ref((ItemType) *type, type + 1,
						   c.body + item_container_end(&c, i) - (type + 1));
	return true;
}

/*
 * Position of a name among a map's members, or where it would be inserted.
 */
uint32
item_map_search(const ItemContainer *map, const char *name, uint32 name_len,
				bool *found)
{
	uint32		low = 0;
	uint32		high = map->count;

	*found = false;
	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		const char *other;
		uint32		other_len;
		int			cmp;

		item_entry_name(map->body + item_container_start(map, middle),
						&other, &other_len);
		cmp = item_bytes_compare(name, name_len, other, other_len);
		if (cmp == 0)
		{
			*found = true;
			return middle;
		}
		if (cmp < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int
item_list_count(ItemRef list)
{
	return item_ref_count(list);
}

ItemRef
item_list_element(ItemRef list, int i)
{
	ItemContainer c;
	const char *type;

	item_container_open(list, &c);
	type = c.body + item_container_start(&c, i);
	return item_make_ref((ItemType) *type, type + 1,
						 c.body + item_container_end(&c, i) - (type + 1));
}

int
item_set_count(ItemRef set)
{
	return item_ref_count(set);
}

/* Element i in the order of bytes; its type is S, N or B. */
ItemRef
item_set_element(ItemRef set, int i)
{
	ItemContainer c;
	uint32		start;

	item_container_open(set, &c);
	start = item_container_start(&c, i);
	return item_make_ref(item_set_element_type(set.type), c.body + start,
						 item_container_end(&c, i) - start);
}

int
item_ref_count(ItemRef container)
{
	ItemContainer c;

	item_container_open(container, &c);
	return c.count;
}

/* Size of a value by DynamoDB's rules. */
uint32
item_ref_size(ItemRef value)
{
	ItemContainer c;
	uint32		size = 0;

	switch (value.type)
	{
		case ITEM_S:
		case ITEM_B:
			return value.len;
		case ITEM_N:
			return item_number_size(value);
		case ITEM_BOOL:
		case ITEM_NULL:
			return 1;
		case ITEM_M:
			return 3 + item_ref_count(value) + item_map_size(value);
		case ITEM_SS:
		case ITEM_BS:
			item_container_open(value, &c);
			return item_container_body_len(&c);
		case ITEM_NS:
			for (int i = 0; i < item_set_count(value); i++)
				size += item_number_size(item_set_element(value, i));
			return size;
		case ITEM_L:
			size = 3;
			for (int i = 0; i < item_list_count(value); i++)
				size += 1 + item_ref_size(item_list_element(value, i));
			return size;
	}
	pg_unreachable();
}

/*
 * Size of a map as an item: its names and values, without what a map costs
 * as an attribute.
 */
uint32
item_map_size(ItemRef map)
{
	ItemContainer c;
	const char *entry;
	uint32		size = 0;

	item_container_open(map, &c);
	entry = c.body;
	for (uint32 i = 0; i < c.count; i++)
	{
		const char *end = c.body + item_container_end(&c, i);
		const char *name;
		uint32		name_len;
		const char *type = item_entry_name(entry, &name, &name_len);
		uint32		len = end - (type + 1);

		/* Most values are strings, whose size needs no call. */
		size += name_len;
		if (*type == ITEM_S)
			size += len;
		else
			size += item_ref_size(item_make_ref((ItemType) *type, type + 1,
												len));
		entry = end;
	}
	return size;
}

/* Levels of maps and lists: 0 for scalars and sets, 1 for {}. */
int
item_ref_depth(ItemRef value)
{
	int			deepest = 0;
	const char *name;
	uint32		name_len;

	if (value.type == ITEM_M)
	{
		for (int i = 0; i < item_map_count(value); i++)
		{
			int			depth = item_ref_depth(item_map_member(value, i,
															   &name, &name_len));

			deepest = Max(deepest, depth);
		}
		return deepest + 1;
	}
	if (value.type == ITEM_L)
	{
		for (int i = 0; i < item_list_count(value); i++)
		{
			int			depth = item_ref_depth(item_list_element(value, i));

			deepest = Max(deepest, depth);
		}
		return deepest + 1;
	}
	return 0;
}
