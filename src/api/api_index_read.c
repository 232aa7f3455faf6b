/*
 * api_index_read.c
 *	  What a query or scan of an index has in place of the table's own: key
 *	  schema, entries, keys of entries.
 *
 * An entry holds the index's key attributes, the table's, and those that the
 * index projects.  A row that is read through an index shows a key attribute
 * that a template computes as if it were stored.
 */
#include "postgres.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/service_text.h"

/* A member of an entry or of its key. */
typedef void (*EntryMember) (const char *name, uint32 name_len, ItemRef value,
							 void *context);

pg_noreturn static void unknown_index(const ItemTable *table,
										  const ApiText *name);
static void visit_keys(const ItemTable *table, const ItemIndex *index,
					   const ItemRow *row, EntryMember member, void *context);
static void visit_entry(const ItemTable *table, const ItemIndex *index,
						const ItemRow *row, EntryMember member, void *context);
static void visit_attribute(const ItemRow *row, const char *name,
							uint32 name_len, EntryMember member,
							void *context);
static void count_member(const char *name, uint32 name_len, ItemRef value,
					 void *context);
static void add_member(const char *name, uint32 name_len, ItemRef value,
					   void *context);

/*
 * The index that a request names, NULL when it names none.
 */
const ItemIndex *
api_index_of_request(const ItemTable *table, const ApiText *name)
{
	const ItemIndex *index;

	if (name->data == NULL)
		return NULL;
	index = meta_index_find(table, name->data, name->len);
	if (index == NULL)
		unknown_index(table, name);
	if (index->status == INDEX_CREATING)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_INDEX_CREATING, index->name)));
	return index;
}

static void
unknown_index(const ItemTable *table, const ApiText *name)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < table->nindexes; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "",
						 table->indexes[i].name);
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_INDEX_UNKNOWN, (int) name->len, name->data),
			 table->nindexes > 0 ?
			 errdetail("Its indexes are: %s.", names.data) :
			 errdetail("It has no indexes.")));
}

/*
 * Key attributes of what is read, the table or an index; how many.
 */
int
api_index_attributes(const ItemTable *table, const ItemIndex *index,
					 KeyAttribute *attributes)
{
	int			n = index == NULL ? table->schema.n :
		index->npartition + index->nsort;

	for (int i = 0; i < n; i++)
		attributes[i] = index == NULL ? table->schema.attributes[i] :
			index->keys[i].attribute;
	return n;
}

/*
 * The key condition of a query of the table or of an index.
 */
void
api_index_condition(const ItemTable *table, const ItemIndex *index,
					const ItemExpr *key_condition,
					ExprKeyCondition *condition)
{
	KeySchema	schema = table->schema;

	if (index != NULL && (index->npartition > 1 || index->nsort > 1))
	{
		expr_index_condition(key_condition, index->npartition, index->nsort,
							 index->keys, condition);
		return;
	}
	schema.n = api_index_attributes(table, index, schema.attributes);
	expr_key_condition(key_condition, &schema, condition);
}

/*
 * Adds the computed key attributes of an index to a row of its table.
 */
void
api_index_row(const ItemIndex *index, ItemRow *row)
{
	ItemRow		stored = *row;

	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		const KeyIndexAttribute *key = &index->keys[i];
		ItemRowKey *added = &row->keys[row->nkeys];

		if (key->template == NULL ||
			!key_index_value(key, &stored, &added->value))
			continue;
		added->name = key->attribute.name;
		added->name_len = key->attribute.name_len;
		row->nkeys++;
	}
}

/*
 * Size of the entry of a row, by DynamoDB's rules.
 */
uint32
api_index_entry_size(const ItemTable *table, const ItemIndex *index,
					 const ItemRow *row)
{
	uint32		size = 0;

	if (index->projection == PROJECTION_ALL)
		return item_row_size(row);
	visit_entry(table, index, row, count_member, &size);
	return size;
}

/*
 * The entry of a row as an item.
 */
ItemData *
api_index_entry(const ItemTable *table, const ItemIndex *index,
				const ItemRow *row)
{
	ItemValue  *map;

	if (index->projection == PROJECTION_ALL)
		return item_row_to_item(row);
	map = item_value_map();
	visit_entry(table, index, row, add_member, map);
	return item_value_to_item(map);
}

/*
 * The key of that entry: what the next page is to start after.
 */
ItemData *
api_index_entry_key(const ItemTable *table, const ItemIndex *index,
					const ItemRow *row)
{
	ItemValue  *map = item_value_map();

	visit_keys(table, index, row, add_member, map);
	return item_value_to_item(map);
}

/* Key attributes of table and index, each once. */
static void
visit_keys(const ItemTable *table, const ItemIndex *index, const ItemRow *row,
		   EntryMember member, void *context)
{
	const KeySchema *schema = &table->schema;

	for (int i = 0; i < schema->n; i++)
		visit_attribute(row, schema->attributes[i].name,
						schema->attributes[i].name_len, member, context);
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		const KeyAttribute *attribute = &index->keys[i].attribute;

		if (key_schema_find(schema, attribute->name, attribute->name_len) < 0)
			visit_attribute(row, attribute->name, attribute->name_len,
							member, context);
	}
}

/* The same, then what INCLUDE names beside them. */
static void
visit_entry(const ItemTable *table, const ItemIndex *index,
			const ItemRow *row, EntryMember member, void *context)
{
	visit_keys(table, index, row, member, context);
	for (int i = 0; i < index->ninclude; i++)
	{
		const AttributeName *name = &index->include[i];

		if (key_schema_find(&table->schema, name->data, name->len) < 0 &&
			meta_index_key(index, name->data, name->len) < 0)
			visit_attribute(row, name->data, name->len, member, context);
	}
}

static void
visit_attribute(const ItemRow *row, const char *name, uint32 name_len,
				EntryMember member, void *context)
{
	ItemRef		value;

	if (item_row_find(row, name, name_len, &value))
		member(name, name_len, value, context);
}

static void
count_member(const char *name, uint32 name_len, ItemRef value, void *context)
{
	*(uint32 *) context += name_len + item_ref_size(value);
}

static void
add_member(const char *name, uint32 name_len, ItemRef value, void *context)
{
	item_value_map_set(context, name, name_len, item_value_from_ref(value));
}
