/*
 * gsi_entry.c
 *	  From an item to its entry in a global index.
 *
 * An entry is a function of the item alone: the index's key, from attributes
 * or templates; the item's key; and the attributes that the projection keeps.
 * Key attributes that have a column of their own are not among the latter,
 * those that share one are.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "base/errors.h"
#include "gsi/gsi_private.h"

/* What the digest, with its alignment, may add to an index tuple. */
#define DIGEST_ROOM		((int) (2 * sizeof(int64)))

/* The same of the number of a shard. */
#define SHARD_ROOM		MAXIMUM_ALIGNOF

static bool rest_depends(const ItemIndex *index, const ItemChanges *changes);
static bool key_depends(const KeyIndexAttribute *key,
						const ItemChanges *changes);
static ItemRef key_part(int n, const ItemRef *values);
static bool same_value(const ItemRow *a, const ItemRow *b, const char *name,
					   uint32 len);
static ItemData *without_columns(const ItemIndex *index, ItemRef attributes);
static bool has_column(const ItemTable *table, const ItemIndex *index,
					   const char *name, uint32 len);

/*
 * A row of the item table as expressions see it.
 */
void
gsi_row(const ItemTable *table, const ItemKey *key, ItemRef attributes,
		ItemRow *row)
{
	row->nkeys = key->n;
	for (int i = 0; i < key->n; i++)
	{
		row->keys[i].name = table->schema.attributes[i].name;
		row->keys[i].name_len = table->schema.attributes[i].name_len;
		row->keys[i].value = key->refs[i];
	}
	row->attributes = attributes;
}

/*
 * The entry of an item; false when it has none.  An item whose values cannot
 * be keys has none: it is older than the index, as no write lets it through.
 */
bool
gsi_entry_make(const ItemIndex *index, const ItemRow *row, GsiEntry *entry)
{
	int			limit;

	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		if (!key_index_value(&index->keys[i], row, &entry->values[i]) ||
			!key_index_fits(&index->keys[i], entry->values[i]))
			return false;
	}
	entry->key.n = index->nsort > 0 ? 2 : 1;
	entry->key.refs[0] = key_part(index->npartition, entry->values);
	if (index->nsort > 0)
		entry->key.refs[1] = key_part(index->nsort,
									  entry->values + index->npartition);
	for (int i = 0; i < entry->key.n; i++)
		entry->key.datums[i] = key_datum_from_ref(entry->key.refs[i]);
	limit = meta_method_limit(index->method);
	if (index->write_shards > 1)
		limit = limit == 0 ? 0 : limit - SHARD_ROOM;
	return limit == 0 ||
		key_index_size_fits(&entry->key, limit - DIGEST_ROOM);
}

static ItemRef
key_part(int n, const ItemRef *values)
{
	return n == 1 ? values[0] : key_parts_encode(n, values);
}

/*
 * Complains about an item that has key attributes of an index with which it
 * can have no entry.
 */
void
gsi_entry_check(const ItemTable *table, const ItemIndex *index,
				const ItemRow *row)
{
	GsiEntry	entry;

	key_check_indexed(&table->schema, row, false);
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		if (!key_index_value(&index->keys[i], row, &entry.values[i]))
			return;
	}
	if (!gsi_entry_make(index, row, &entry))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("key of the item in index \"%s\" is too long for a btree index",
						index->name),
				 errdetail("An index entry has at most %d bytes.",
						   meta_method_limit(index->method)),
				 errhint("Shorten the attributes that are the key of the index.")));
}

/*
 * Can these changes of an item have changed any of its entries?  The indexes
 * have key attributes in common, which the schema has once.
 *
 * While an index is being filled, any change may have taken the row from blocks
 * that are yet to be read to others that are not, so it counts as one.
 */
bool
gsi_any_depends(const ItemTable *table, const ItemChanges *changes)
{
	for (int i = 0; i < table->schema.nindexed; i++)
	{
		if (key_depends(&table->schema.indexed[i], changes))
			return true;
	}
	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];

		if (index->global &&
			(index->status == INDEX_CREATING ||
			 (index->projection != PROJECTION_KEYS_ONLY &&
			  rest_depends(index, changes))))
			return true;
	}
	return false;
}

/*
 * Can they have changed this one?
 */
bool
gsi_entry_depends(const ItemIndex *index, const ItemChanges *changes)
{
	if (index->status == INDEX_CREATING)
		return true;
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		if (key_depends(&index->keys[i], changes))
			return true;
	}
	return rest_depends(index, changes);
}

static bool
rest_depends(const ItemIndex *index, const ItemChanges *changes)
{
	if (index->projection == PROJECTION_ALL)
		return changes->n != 0;
	for (int i = 0; i < index->ninclude; i++)
	{
		if (item_changes_have(changes, index->include[i].data,
							  index->include[i].len))
			return true;
	}
	return false;
}

static bool
key_depends(const KeyIndexAttribute *key, const ItemChanges *changes)
{
	if (key->template == NULL)
		return item_changes_have(changes, key->attribute.name,
								 key->attribute.name_len);
	for (int i = 0; i < key_template_count(key->template); i++)
	{
		const char *name;
		uint32		name_len;

		key_template_attribute(key->template, i, &name, &name_len);
		if (item_changes_have(changes, name, name_len))
			return true;
	}
	return false;
}

/*
 * Is what is projected the same in two items with equal keys, in the index
 * and in the table?
 */
bool
gsi_entry_same_rest(const ItemIndex *index, const ItemRow *a,
					const ItemRow *b)
{
	if (index->projection == PROJECTION_ALL)
		return item_ref_equal(a->attributes, b->attributes);
	for (int i = 0; i < index->ninclude; i++)
	{
		if (!same_value(a, b, index->include[i].data, index->include[i].len))
			return false;
	}
	return true;
}

static bool
same_value(const ItemRow *a, const ItemRow *b, const char *name, uint32 len)
{
	ItemRef		a_value;
	ItemRef		b_value;
	bool		a_found = item_row_find(a, name, len, &a_value);
	bool		b_found = item_row_find(b, name, len, &b_value);

	return a_found == b_found &&
		(!a_found || item_ref_equal(a_value, b_value));
}

/*
 * What the column attributes of an entry holds.
 */
ItemData *
gsi_entry_attributes(const ItemTable *table, const ItemIndex *index,
					 const ItemRow *row, const GsiEntry *entry)
{
	int			nkeys = index->npartition + index->nsort;
	ItemValue  *map;

	if (index->projection == PROJECTION_ALL)
	{
		ItemData   *rest = without_columns(index, row->attributes);

		if (index->npartition == 1 && index->nsort <= 1)
			return rest;
		map = item_value_from_ref(item_root(rest));
	}
	else
		map = item_value_map();

	for (int i = 0; i < index->ninclude; i++)
	{
		const AttributeName *name = &index->include[i];
		ItemRef		value;

		if (!has_column(table, index, name->data, name->len) &&
			item_map_find(row->attributes, name->data, name->len, &value))
			item_value_map_set(map, name->data, name->len,
							   item_value_from_ref(value));
	}
	for (int i = 0; i < nkeys; i++)
	{
		const KeyAttribute *key = &index->keys[i].attribute;

		if (!has_column(table, index, key->name, key->name_len))
			item_value_map_set(map, key->name, key->name_len,
							   item_value_from_ref(entry->values[i]));
	}
	return item_value_to_item(map);
}

/* All but the attributes that have a column of their own. */
static ItemData *
without_columns(const ItemIndex *index, ItemRef attributes)
{
	const char *names[KEY_MAX_ATTRIBUTES];
	uint32		lens[KEY_MAX_ATTRIBUTES];
	int			n = 0;

	for (int part = 0; part < 2; part++)
	{
		int			count = part == 0 ? index->npartition : index->nsort;
		const KeyAttribute *attribute =
			&index->keys[part == 0 ? 0 : index->npartition].attribute;

		if (count != 1)
			continue;
		names[n] = attribute->name;
		lens[n++] = attribute->name_len;
	}
	return item_map_without(attributes, n, names, lens);
}

/* Has an attribute a column of its own in the index table? */
static bool
has_column(const ItemTable *table, const ItemIndex *index, const char *name,
		   uint32 len)
{
	int			i = meta_index_key(index, name, len);

	if (key_schema_find(&table->schema, name, len) >= 0)
		return true;
	if (i < 0)
		return false;
	return i < index->npartition ? index->npartition == 1 : index->nsort == 1;
}

/*
 * The row of the index table, in a virtual slot; further columns are NULL.
 */
void
gsi_entry_to_slot(const StoreIndex *store, const GsiEntry *entry,
				  const ItemKey *base, const ItemData *attributes,
				  TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true,
		   slot->tts_tupleDescriptor->natts * sizeof(bool));
#define SET(attnum, value) \
	(slot->tts_values[(attnum) - 1] = (value), \
	 slot->tts_isnull[(attnum) - 1] = false)
	for (int i = 0; i < entry->key.n; i++)
		SET(store->facts.key_attnums[i], entry->key.datums[i]);
	if (store->index->write_shards > 1)
		SET(store->facts.key_attnums[0],
			store_index_stored_pk(store->index, entry->key.refs[0],
								  key_digest(base)));
	for (int i = 0; i < base->n; i++)
		SET(store->facts.base_attnums[i],
			key_datum_of_part(&store->table->schema, i, base));
	SET(store->facts.digest_attnum, Int64GetDatum(key_digest(base)));
	SET(store->facts.attributes_attnum, PointerGetDatum(attributes));
#undef SET
	ExecStoreVirtualTuple(slot);
}
