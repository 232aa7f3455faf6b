/*
 * api_units.c
 *	  What a write consumes, of its table and of each index that it changes.
 *
 * It is a function of the item before and after, so it is the same whether
 * the entries of an index have been written or are still to be.
 */
#include "postgres.h"

#include "api/api_private.h"

/* What an item is in an index. */
typedef struct Entry
{
	ItemRow		row;			/* with what templates compute */
	ItemRef		values[2 * LIMIT_INDEX_KEYS];
	uint32		size;			/* 0: it has no entry */
} Entry;

static uint32 item_size(const ItemRow *row);
static void make_entry(const ItemTable *table, const ItemIndex *index,
					   const ItemRow *row, Entry *entry);
static void compare_entries(const ItemIndex *index, const Entry *before,
							const Entry *after, CapacityChange *change);
static bool same_attribute(const ItemRow *a, const ItemRow *b,
						   const AttributeName *name);

/*
 * Adds what it takes to make one item of another.  A row without attributes
 * is no item.
 */
void
api_consume_write(const ItemTable *table, CapacityAccess access,
				  const ItemRow *before, const ItemRow *after,
				  ApiConsumed *consumed)
{
	api_consume_item(table, access, before, after, consumed);
	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];
		CapacityChange change;
		Entry		old;
		Entry		new;

		make_entry(table, index, before, &old);
		make_entry(table, index, after, &new);
		compare_entries(index, &old, &new, &change);
		consumed->index_units[i] += capacity_index_units(access, &change);
	}
}

/*
 * The same without indexes, as for a condition that is only checked, or one
 * that has failed.
 */
void
api_consume_item(const ItemTable *table, CapacityAccess access,
				 const ItemRow *before, const ItemRow *after,
				 ApiConsumed *consumed)
{
	consumed->units += capacity_units(access, Max(item_size(before),
												  item_size(after)));
}

/* Nothing consumed yet, in the current memory context. */
void
api_consumed_init(const ItemTable *table, ApiConsumed *consumed)
{
	consumed->table = table;
	consumed->units = 0;
	consumed->index_units = palloc0(table->nindexes * sizeof(int64));
}

static uint32
item_size(const ItemRow *row)
{
	return row->attributes.data == NULL ? 0 : item_row_size(row);
}

static void
make_entry(const ItemTable *table, const ItemIndex *index, const ItemRow *row,
		   Entry *entry)
{
	entry->size = 0;
	if (row->attributes.data == NULL)
		return;
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		if (!key_index_value(&index->keys[i], row, &entry->values[i]) ||
			!key_index_fits(&index->keys[i], entry->values[i]))
			return;
	}
	entry->row = *row;
	api_index_row(index, &entry->row);
	entry->size = api_index_entry_size(table, index, &entry->row);
}

static void
compare_entries(const ItemIndex *index, const Entry *before,
				const Entry *after, CapacityChange *change)
{
	memset(change, 0, sizeof(*change));
	change->before = before->size;
	change->after = after->size;
	if (before->size == 0 || after->size == 0)
		return;
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		if (!item_ref_equal(before->values[i], after->values[i]))
			change->moved = true;
	}
	if (index->projection == PROJECTION_ALL)
		change->changed = !item_ref_equal(before->row.attributes,
										  after->row.attributes);
	for (int i = 0; i < index->ninclude; i++)
	{
		if (!same_attribute(&before->row, &after->row, &index->include[i]))
			change->changed = true;
	}
}

static bool
same_attribute(const ItemRow *a, const ItemRow *b, const AttributeName *name)
{
	ItemRef		x;
	ItemRef		y;
	bool		found = item_row_find(a, name->data, name->len, &x);

	if (item_row_find(b, name->data, name->len, &y) != found)
		return false;
	return !found || item_ref_equal(x, y);
}
