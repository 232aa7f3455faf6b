/*
 * item_row.c
 *	  Items as rows of an item table have them: key attributes apart, all
 *	  others in one map.
 *
 * Joining and splitting happens for every item read or written, so it copies
 * runs of encoded members and decodes none of them.
 */
#include "postgres.h"

#include "item/item_private.h"

/* Writes a map member by member run; see item_row_to_item(). */
typedef struct MapWriter
{
	int			code;
	char	   *end_at;			/* where the next end offset goes */
	char	   *body;
	char	   *p;				/* end of the body so far */
} MapWriter;

static int	sort_keys(const ItemRowKey *keys, int n, const ItemRowKey **sorted);
static ItemData *start_map(MapWriter *w, uint32 count, uint32 body_len);
static void copy_run(MapWriter *w, const ItemContainer *from, uint32 first,
					 uint32 last);

/* Attribute of the item, key attributes first. */
bool
item_row_find(const ItemRow *row, const char *name, uint32 name_len,
			  ItemRef *value)
{
	for (int i = 0; i < row->nkeys; i++)
	{
		const ItemRowKey *key = &row->keys[i];

		if (key->name_len == name_len &&
			memcmp(key->name, name, name_len) == 0)
		{
			*value = key->value;
			return true;
		}
	}
	return row->attributes.data != NULL &&
		item_map_find(row->attributes, name, name_len, value);
}

/* Value at the end of a path that starts with an attribute of the item. */
bool
item_row_path(const ItemRow *row, const ItemPath *path, ItemRef *value)
{
	if (path->n == 0 || path->elements[0].name == NULL ||
		!item_row_find(row, path->elements[0].name,
					   path->elements[0].name_len, value))
		return false;
	return item_path_fetch(*value, path->elements + 1, path->n - 1, value);
}

/*
 * The whole item, palloc'd: the attributes with the key attributes among
 * them.  Should an attribute have the name of a key attribute, the key
 * attribute stands.
 */
ItemData *
item_row_to_item(const ItemRow *row)
{
	const ItemRowKey *keys[ITEM_ROW_MAX_KEYS];
	uint32		place[ITEM_ROW_MAX_KEYS];
	bool		replaces[ITEM_ROW_MAX_KEYS];
	int			nkeys = sort_keys(row->keys, row->nkeys, keys);
	ItemContainer map = {0};
	MapWriter	writer;
	ItemData   *result;
	uint32		count;
	uint32		body_len;
	uint32		copied = 0;

	if (row->attributes.data != NULL)
		item_container_open(row->attributes, &map);
	count = map.count + nkeys;
	body_len = item_container_body_len(&map);
	for (int i = 0; i < nkeys; i++)
	{
		place[i] = item_map_search(&map, keys[i]->name, keys[i]->name_len,
								   &replaces[i]);
		body_len += item_entry_name_size(keys[i]->name_len) + 1 +
			keys[i]->value.len;
		if (replaces[i])
		{
			count--;
			body_len -= item_container_end(&map, place[i]) -
				item_container_start(&map, place[i]);
		}
	}

	result = start_map(&writer, count, body_len);
	for (int i = 0; i < nkeys; i++)
	{
		ItemRef		value = keys[i]->value;

		copy_run(&writer, &map, copied, place[i]);
		copied = place[i] + replaces[i];

		writer.p = item_entry_put_name(writer.p, keys[i]->name,
									   keys[i]->name_len);
		*writer.p++ = (char) value.type;
		memcpy(writer.p, value.data, value.len);
		writer.p += value.len;
		item_store_int(writer.end_at, writer.code, writer.p - writer.body);
		writer.end_at += 1 << writer.code;
	}
	copy_run(&writer, &map, copied, map.count);
	return result;
}

/* A copy of a map without the members of these names, if it has them. */
ItemData *
item_map_without(ItemRef map_ref, int n, const char *const *names,
				 const uint32 *name_lens)
{
	ItemContainer map;
	MapWriter	writer;
	ItemData   *result;
	uint32		gone[ITEM_ROW_MAX_KEYS];
	int			ngone = 0;
	uint32		body_len;
	uint32		copied = 0;

	if (n > ITEM_ROW_MAX_KEYS)
		elog(ERROR, "too many names to leave out of an item: %d", n);

	item_container_open(map_ref, &map);
	body_len = item_container_body_len(&map);
	for (int i = 0; i < n; i++)
	{
		bool		found;
		uint32		place = item_map_search(&map, names[i], name_lens[i],
											&found);
		int			j = ngone;

		if (!found)
			continue;
		while (j > 0 && gone[j - 1] > place)
			j--;
		if (j > 0 && gone[j - 1] == place)
			continue;
		memmove(&gone[j + 1], &gone[j], (ngone - j) * sizeof(gone[0]));
		gone[j] = place;
		ngone++;
		body_len -= item_container_end(&map, place) -
			item_container_start(&map, place);
	}

	result = start_map(&writer, map.count - ngone, body_len);
	for (int i = 0; i < ngone; i++)
	{
		copy_run(&writer, &map, copied, gone[i]);
		copied = gone[i] + 1;
	}
	copy_run(&writer, &map, copied, map.count);
	return result;
}

/* Size of the whole item by DynamoDB's rules. */
uint32
item_row_size(const ItemRow *row)
{
	uint32		size = 0;

	if (row->attributes.data != NULL)
		size = item_map_size(row->attributes);
	for (int i = 0; i < row->nkeys; i++)
		size += row->keys[i].name_len + item_ref_size(row->keys[i].value);
	return size;
}

/* Key attributes by name; of those of one name the first. */
static int
sort_keys(const ItemRowKey *keys, int n, const ItemRowKey **sorted)
{
	int			count = 0;

	Assert(n <= ITEM_ROW_MAX_KEYS);
	for (int i = 0; i < n; i++)
	{
		int			j = count;
		int			cmp = 1;

		while (j > 0 &&
			   (cmp = item_bytes_compare(sorted[j - 1]->name,
										 sorted[j - 1]->name_len,
										 keys[i].name,
										 keys[i].name_len)) > 0)
			j--;
		if (j > 0 && cmp == 0)
			continue;
		memmove(&sorted[j + 1], &sorted[j], (count - j) * sizeof(sorted[0]));
		sorted[j] = &keys[i];
		count++;
	}
	return count;
}

/* Allocates an item that is a map of that many members and bytes. */
static ItemData *
start_map(MapWriter *w, uint32 count, uint32 body_len)
{
	int			code = item_width_code(count, body_len);
	uint32		header = item_container_header_size(count, code);
	Size		size = VARHDRSZ + ITEM_HEADER_SIZE + header + body_len;
	char	   *p = palloc(size);

	SET_VARSIZE(p, size);
	p[VARHDRSZ] = (char) ITEM_HEADER(ITEM_M);
	w->code = code;
	w->body = w->p = p + VARHDRSZ + ITEM_HEADER_SIZE + header;
	w->end_at = p + VARHDRSZ + ITEM_HEADER_SIZE + 1 + (1 << code);
	if (count > 0)
	{
		p[VARHDRSZ + ITEM_HEADER_SIZE] = (char) code;
		item_store_int(p + VARHDRSZ + ITEM_HEADER_SIZE + 1, code, count);
	}
	return (ItemData *) (w->body - header - ITEM_HEADER_SIZE - VARHDRSZ);
}

/* Copies members first to last - 1. */
static void
copy_run(MapWriter *w, const ItemContainer *from, uint32 first, uint32 last)
{
	uint32		start;
	uint32		shift;
	uint32		end = 0;

	if (first >= last)
		return;
	start = item_container_start(from, first);
	shift = (w->p - w->body) - start;
	for (uint32 i = first; i < last; i++)
	{
		end = item_container_end(from, i);
		item_store_int(w->end_at, w->code, end + shift);
		w->end_at += 1 << w->code;
	}
	memcpy(w->p, from->body + start, end - start);
	w->p += end - start;
}
