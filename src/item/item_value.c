/*
 * item_value.c
 *	  Values as trees that can be changed, and back to encoded values.
 *
 * A node is closed (a view of encoded bytes, of any type) or open (a map,
 * list or set as an array of parts).  Asking a closed container for a part
 * opens it one level, its parts being closed nodes; encoding copies closed
 * nodes as they are.  So what an update costs depends on the containers it
 * goes through, not on the size of the item.
 *
 * Names, scalars and closed nodes are not copied: their bytes must outlive
 * the tree.  Nodes live in the memory context in which they were made.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "item/item_private.h"

/* One member of an open map, element of an open list, element of a set. */
typedef struct ValuePart
{
	const char *name;			/* maps only */
	uint32		name_len;
	uint32		arrival;		/* used by settle_map() */
	ItemValue  *value;			/* maps and lists */
	ItemRef		scalar;			/* sets only */
} ValuePart;

struct ItemValue
{
	ItemType	type;
	bool		open;
	ItemRef		ref;			/* if closed */
	ValuePart  *parts;			/* if open */
	int			n;
	int			size;

	/*
	 * Members of a map: the first nsorted are in the order of names, the
	 * rest as they came, perhaps with names that occur before.  Adding many
	 * members so costs one sort at the first question, not one each.
	 */
	int			nsorted;
};

static ItemValue *new_value(ItemType type, bool open);
static void open_container(ItemValue *value);
static ValuePart *add_part(ItemValue *value);
static void remove_part(ItemValue *value, int i);
static int	search_sorted(const ItemValue *map, const char *name,
						  uint32 name_len, bool *found);
static void settle_map(ItemValue *map);
static int	compare_parts(const void *a, const void *b);
static int	compare_part_names(const ValuePart *a, const ValuePart *b);
static void append_value(ItemBuilder *b, ItemValue *value);
static void append_parts(ItemBuilder *b, ItemValue *value);

ItemValue *
item_value_from_ref(ItemRef ref)
{
	ItemValue  *value = new_value(ref.type, false);

	value->ref = ref;
	return value;
}

ItemValue *
item_value_scalar(ItemType type, const char *data, uint32 len)
{
	return item_value_from_ref(item_make_ref(type, data, len));
}

ItemValue *
item_value_bool(bool b)
{
	return item_value_from_ref(item_make_ref(ITEM_BOOL, b ? "\1" : "\0", 1));
}

ItemValue *
item_value_null(void)
{
	return item_value_from_ref(item_make_ref(ITEM_NULL, "", 0));
}

ItemValue *
item_value_map(void)
{
	return new_value(ITEM_M, true);
}

ItemValue *
item_value_list(void)
{
	return new_value(ITEM_L, true);
}

ItemValue *
item_value_set(ItemType type)
{
	return new_value(type, true);
}

ItemType
item_value_type(const ItemValue *value)
{
	return value->type;
}

int
item_value_count(const ItemValue *value)
{
	if (!value->open)
		return item_ref_count(value->ref);
	if (value->type == ITEM_M)
		settle_map(unconstify(ItemValue *, value));
	return value->n;
}

void
item_value_map_set(ItemValue *map, const char *name, uint32 name_len,
				   ItemValue *value)
{
	ValuePart  *part;

	open_container(map);
	part = add_part(map);
	part->name = name;
	part->name_len = name_len;
	part->value = value;

	/* Members that come in order need no sorting. */
	if (map->nsorted == map->n - 1 &&
		(map->nsorted == 0 || compare_part_names(part - 1, part) < 0))
		map->nsorted++;
}

/* False when there is no such member. */
bool
item_value_map_remove(ItemValue *map, const char *name, uint32 name_len)
{
	bool		found;
	int			i;

	open_container(map);
	settle_map(map);
	i = search_sorted(map, name, name_len, &found);
	if (found)
	{
		remove_part(map, i);
		map->nsorted--;
	}
	return found;
}

ItemValue *
item_value_map_get(ItemValue *map, const char *name, uint32 name_len)
{
	bool		found;
	int			i;

	open_container(map);
	settle_map(map);
	i = search_sorted(map, name, name_len, &found);
	return found ? map->parts[i].value : NULL;
}

void
item_value_list_append(ItemValue *list, ItemValue *value)
{
	open_container(list);
	add_part(list)->value = value;
}

ItemValue *
item_value_list_get(ItemValue *list, int i)
{
	open_container(list);
	return i >= 0 && i < list->n ? list->parts[i].value : NULL;
}

/* Replaces element i, which must exist. */
void
item_value_list_set(ItemValue *list, int i, ItemValue *value)
{
	open_container(list);
	Assert(i >= 0 && i < list->n);
	list->parts[i].value = value;
}

/* Removes element i, which must exist; those after it move up. */
void
item_value_list_remove(ItemValue *list, int i)
{
	open_container(list);
	Assert(i >= 0 && i < list->n);
	remove_part(list, i);
}

void
item_value_set_add(ItemValue *set, ItemRef scalar)
{
	open_container(set);
	add_part(set)->scalar = scalar;
}

/* The encoded value, in the current memory context. */
ItemRef
item_value_encode(ItemValue *value)
{
	ItemBuilder b;

	if (!value->open)
		return value->ref;
	item_builder_init(&b, 512);
	append_parts(&b, value);
	return item_builder_finish_ref(&b, value->type);
}

ItemData *
item_value_to_item(ItemValue *value)
{
	ItemBuilder b;

	item_builder_init(&b, value->open ? 512 : value->ref.len);
	append_value(&b, value);
	return item_builder_finish(&b);
}

/* A copy as an item of its own. */
ItemData *
item_from_ref(ItemRef ref)
{
	Size		size = VARHDRSZ + ITEM_HEADER_SIZE + ref.len;
	char	   *p = palloc(size);

	SET_VARSIZE(p, size);
	p[VARHDRSZ] = (char) ITEM_HEADER(ref.type);
	memcpy(p + VARHDRSZ + ITEM_HEADER_SIZE, ref.data, ref.len);
	return (ItemData *) p;
}

ItemData *
item_empty_map(void)
{
	return item_from_ref(item_make_ref(ITEM_M, "", 0));
}

static ItemValue *
new_value(ItemType type, bool open)
{
	ItemValue  *value = palloc0(sizeof(ItemValue));

	value->type = type;
	value->open = open;
	return value;
}

/* Makes parts of a closed container's entries. */
static void
open_container(ItemValue *value)
{
	int			count;
	ItemValue  *children;

	if (value->open)
		return;
	count = item_ref_count(value->ref);
	value->open = true;
	value->n = value->size = value->nsorted = count;
	if (count == 0)
		return;
	value->parts = palloc0(count * sizeof(ValuePart));
	children = item_type_is_set(value->type) ? NULL :
		palloc0(count * sizeof(ItemValue));

	for (int i = 0; i < count; i++)
	{
		ValuePart  *part = &value->parts[i];
		ItemRef		entry;

		if (item_type_is_set(value->type))
		{
			part->scalar = item_set_element(value->ref, i);
			continue;
		}
		entry = value->type == ITEM_L ? item_list_element(value->ref, i) :
			item_map_member(value->ref, i, &part->name, &part->name_len);
		part->value = &children[i];
		part->value->type = entry.type;
		part->value->ref = entry;
	}
}

/* Room for one more part at the end. */
static ValuePart *
add_part(ItemValue *value)
{
	if (value->n == value->size)
	{
		if (value->parts == NULL)
		{
			value->size = 8;
			value->parts = palloc(value->size * sizeof(ValuePart));
		}
		else
		{
			value->size *= 2;
			value->parts = repalloc(value->parts,
									value->size * sizeof(ValuePart));
		}
	}
	memset(&value->parts[value->n], 0, sizeof(ValuePart));
	return &value->parts[value->n++];
}

static void
remove_part(ItemValue *value, int i)
{
	value->n--;
	memmove(&value->parts[i], &value->parts[i + 1],
			(value->n - i) * sizeof(ValuePart));
}

static int
search_sorted(const ItemValue *map, const char *name, uint32 name_len,
			  bool *found)
{
	int			low = 0;
	int			high = map->nsorted;

	*found = false;
	while (low < high)
	{
		int			middle = low + (high - low) / 2;
		const ValuePart *part = &map->parts[middle];
		int			cmp = item_bytes_compare(name, name_len,
											 part->name, part->name_len);

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

/*
 * Brings the members that came since into order; of those of one name the
 * last stays.
 */
static void
settle_map(ItemValue *map)
{
	int			added = map->n - map->nsorted;
	ValuePart  *merged;
	int			n = 0;
	int			i = 0;
	int			j = map->nsorted;

	if (added == 0)
		return;
	for (int k = map->nsorted; k < map->n; k++)
		map->parts[k].arrival = k;
	qsort(map->parts + map->nsorted, added, sizeof(ValuePart), compare_parts);

	merged = palloc(map->n * sizeof(ValuePart));
	while (i < map->nsorted || j < map->n)
	{
		bool		old = j == map->n ||
			(i < map->nsorted &&
			 compare_part_names(&map->parts[i], &map->parts[j]) <= 0);
		const ValuePart *part = old ? &map->parts[i++] : &map->parts[j++];

		if (n > 0 && compare_part_names(&merged[n - 1], part) == 0)
			n--;
		merged[n++] = *part;
	}
	map->size = map->n;
	map->n = map->nsorted = n;
	pfree(map->parts);
	map->parts = merged;
}

/* By name, then in the order of arrival, which settle_map() noted. */
static int
compare_parts(const void *a, const void *b)
{
	const ValuePart *x = a;
	const ValuePart *y = b;
	int			cmp = compare_part_names(x, y);

	if (cmp != 0)
		return cmp;
	return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static int
compare_part_names(const ValuePart *a, const ValuePart *b)
{
	return item_bytes_compare(a->name, a->name_len, b->name, b->name_len);
}

/* The value with its type byte. */
static void
append_value(ItemBuilder *b, ItemValue *value)
{
	if (value->open)
	{
		check_stack_depth();
		item_builder_append_byte(b, (char) value->type);
		append_parts(b, value);
	}
	else
		item_builder_append_typed(b, value->ref);
}

static void
append_parts(ItemBuilder *b, ItemValue *value)
{
	ItemMark	mark = item_builder_open(b);

	if (value->type == ITEM_M)
		settle_map(value);
	for (int i = 0; i < value->n; i++)
	{
		const ValuePart *part = &value->parts[i];

		item_builder_begin_entry(b);
		if (value->type == ITEM_M)
		{
			char	   *p = item_builder_reserve(b, part->name_len + 3);

			b->len += item_entry_put_name(p, part->name, part->name_len) - p;
		}
		if (item_type_is_set(value->type))
			item_builder_append(b, part->scalar.data, part->scalar.len);
		else
			append_value(b, part->value);
		item_builder_end_entry(b);
	}
	if (item_type_is_set(value->type))
		(void) item_builder_close_set(b, mark, true);
	else
		item_builder_close(b, mark);
}
