/*
 * key_index.c
 *	  Values of the key attributes of secondary indexes.
 *
 * An item without such an attribute is not in the index.  An item that has it
 * with a value that cannot be a key is refused by every write, since the
 * service does so; only rows that are older than the index may have one, and
 * these are not in the index either.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "key/key.h"

static void check_value(const KeyIndexAttribute *indexed, ItemRef value,
						bool update);
static bool too_long(const KeyIndexAttribute *indexed, ItemRef value);
static bool has_null_character(ItemRef value);

bool
key_index_value(const KeyIndexAttribute *indexed, const ItemRow *row,
				ItemRef *value)
{
	if (indexed->template != NULL)
		return key_template_apply(indexed->template, row, value);
	return item_row_find(row, indexed->attribute.name,
						 indexed->attribute.name_len, value);
}

bool
key_index_fits(const KeyIndexAttribute *indexed, ItemRef value)
{
	if (value.type != indexed->attribute.type)
		return false;
	return value.type == ITEM_N ||
		(value.len > 0 && !too_long(indexed, value) &&
		 !has_null_character(value));
}

void
key_check_indexed(const KeySchema *schema, const ItemRow *row, bool update)
{
	for (int i = 0; i < schema->nindexed; i++)
	{
		const KeyIndexAttribute *indexed = &schema->indexed[i];
		ItemRef		value;

		if (key_index_value(indexed, row, &value) &&
			unlikely(!key_index_fits(indexed, value)))
			check_value(indexed, value, update);
	}
}

/* Complains about a value that does not fit, in the service's order. */
static void
check_value(const KeyIndexAttribute *indexed, ItemRef value, bool update)
{
	const KeyAttribute *attribute = &indexed->attribute;

	if (value.type != attribute->type)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 update ? errmsg(TEXT_UPDATE_INDEX_KEY_TYPE) :
				 errmsg(TEXT_INDEX_KEY_TYPE, attribute->name,
						item_type_tag(attribute->type),
						item_type_tag(value.type), indexed->index_name)));
	if (value.len == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(update ? TEXT_UPDATE_INDEX_KEY_EMPTY :
						TEXT_INDEX_KEY_EMPTY,
						value.type == ITEM_S ? "string" : "binary",
						indexed->index_name, attribute->name)));
	if (too_long(indexed, value))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("%s", update ? TEXT_UPDATE_INDEX_KEY_SIZE :
						indexed->sort ? TEXT_SORT_KEY_SIZE :
						TEXT_PARTITION_KEY_SIZE)));
	(void) key_datum_from_ref(value);	/* complains about U+0000 */
}

static bool
too_long(const KeyIndexAttribute *indexed, ItemRef value)
{
	return value.len >
		(indexed->sort ? LIMIT_SORT_KEY : LIMIT_PARTITION_KEY);
}

static bool
has_null_character(ItemRef value)
{
	return value.type == ITEM_S && memchr(value.data, '\0', value.len) != NULL;
}
