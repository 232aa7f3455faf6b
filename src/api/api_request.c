/*
 * api_request.c
 *	  Checks and conversions that several operations need.
 *
 * Functions here belong to one of two halves of an operation: those that
 * need no schema and run before the table is looked up, and those that take
 * an ItemTable.  An operation must not mix the halves, because the order of
 * errors is part of the contract.
 */
#include "postgres.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/service_text.h"

static bool is_typed_json(const ItemTable *table, ItemRef map);

/*
 * Refuses an item that is not a map: 'true' or '[1]' is an item to the type,
 * but not to a table.
 */
void
api_check_map(const ItemData *item, const char *argument)
{
	ItemRef		root = item_root(item);

	if (root.type != ITEM_M)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("argument \"%s\" must be a map of attributes",
						argument),
				 errdetail("The value given is of type %s.",
						   item_type_tag(root.type))));
}

/*
 * Complains about values that a decoder found to be invalid.
 */
void
api_check_values(const char *error)
{
	if (error != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("%s", error)));
}

/*
 * Refuses placeholders that no expression of the request could use.
 * values_text is the service's text for this operation.
 */
void
api_check_placeholders(Jsonb *names, bool names_usable,
					   const ItemData *values, bool values_usable,
					   const char *values_text)
{
	if (names != NULL && !names_usable)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_NAMES_WITHOUT_EXPRESSION)));
	if (values != NULL && !values_usable)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("%s", values_text)));
}

/*
 * Prepares one expression of a request; NULL when the request has none.
 */
ItemExpr *
api_prepare(ExprRequest *request, ExprKind kind, const ApiText *text)
{
	api_check_values(text->error);
	if (text->parsed != NULL || text->data == NULL)
		return text->parsed;
	return expr_prepare(request, kind, text->data, text->len);
}

/*
 * The item table that a request names.
 */
const ItemTable *
api_resolve_table(const ApiText *table_name)
{
	Oid			relid;

	if (table_name->exact)
		relid = meta_resolve_wire_table(table_name->data, table_name->len);
	else
		relid = meta_resolve_table(table_name->data, table_name->len);
	return meta_table(relid);
}

/*
 * Primary key of a whole item.
 */
void
api_key_of_item(const ItemTable *table, const ItemData *item, ItemKey *key)
{
	ItemRef		map = item_root(item);

	if (is_typed_json(table, map))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_KEY_TYPE, table->schema.attributes[0].name,
						item_type_tag(table->schema.attributes[0].type),
						item_type_tag(ITEM_M)),
				 errhint("Items are written in plain JSON, for example {\"%s\": \"value\"}; convert typed JSON with partitioning.from_dynamodb_json().",
						 table->schema.attributes[0].name)));
	key_from_item(&table->schema, map, key);
}

/*
 * Primary key from a Key argument: the key attributes and nothing else.
 */
void
api_key_of_argument(const ItemTable *table, const ItemData *argument,
					ItemKey *key)
{
	ItemRef		map = item_root(argument);

	if (is_typed_json(table, map))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_KEY_SCHEMA),
				 errhint("Keys are written in plain JSON, for example {\"%s\": \"value\"}; convert typed JSON with partitioning.from_dynamodb_json().",
						 table->schema.attributes[0].name)));
	key_from_key_argument(&table->schema, map, key);
}

/*
 * Fills a row with the key's attributes and no others.
 */
void
api_row_of_key(const ItemTable *table, const ItemKey *key, ItemRow *row)
{
	memset(row, 0, sizeof(*row));
	row->nkeys = key->n;
	for (int i = 0; i < key->n; i++)
	{
		row->keys[i].name = table->schema.attributes[i].name;
		row->keys[i].name_len = table->schema.attributes[i].name_len;
		row->keys[i].value = key->refs[i];
	}
}

/*
 * Checks what an update has computed for key attributes of indexes; what a put
 * brings is checked with the item's key.
 */
void
api_check_updated(const ItemTable *table, const ItemKey *key,
				  const ItemData *attributes)
{
	ItemRow		row;

	if (table->schema.nindexed == 0)
		return;
	api_row_of_key(table, key, &row);
	row.attributes = item_root(attributes);
	key_check_indexed(&table->schema, &row, true);
}

/*
 * The key attributes of a row as an item, in the current memory context.
 */
ItemData *
api_key_item(const ItemRow *row)
{
	ItemValue  *map = item_value_map();

	for (int i = 0; i < row->nkeys; i++)
		item_value_map_set(map, row->keys[i].name, row->keys[i].name_len,
						   item_value_from_ref(row->keys[i].value));
	return item_value_to_item(map);
}

/*
 * Order of two keys of one table, as the key index has it.
 */
int
api_key_compare(const ItemKey *a, const ItemKey *b)
{
	int			result = item_scalar_compare(a->refs[0], b->refs[0]);

	/* most keys of one call have their partition key in common */
	if (result != 0)
	{
		int32		x = key_hash_ref(a->refs[0]);
		int32		y = key_hash_ref(b->refs[0]);

		return x == y ? result : x < y ? -1 : 1;
	}
	return a->n > 1 ? item_scalar_compare(a->refs[1], b->refs[1]) : 0;
}

/*
 * Refuses an empty value of a key attribute, whatever else may be wrong.
 */
void
api_check_empty_key(const ItemTable *table, const ItemData *item)
{
	ItemRef		map = item_root(item);

	for (int i = 0; i < table->schema.n; i++)
	{
		const KeyAttribute *attribute = &table->schema.attributes[i];
		ItemRef		value;

		if (item_map_find(map, attribute->name, attribute->name_len, &value) &&
			value.type == attribute->type && value.len == 0)
			key_check_value(attribute, i, value);
	}
}

/*
 * All attributes of an item but those of its key.
 */
ItemData *
api_attributes_of_item(const ItemTable *table, const ItemData *item)
{
	const KeySchema *schema = &table->schema;
	const char *names[KEY_MAX_ATTRIBUTES];
	uint32		name_lens[KEY_MAX_ATTRIBUTES];

	for (int i = 0; i < schema->n; i++)
	{
		names[i] = schema->attributes[i].name;
		name_lens[i] = schema->attributes[i].name_len;
	}
	return item_map_without(item_root(item), schema->n, names, name_lens);
}

/*
 * Does a map that is no item of this table look like the service's typed
 * JSON, {"PK": {"S": "x"}}?  A key attribute is never a map, so a legal item
 * is never taken for one.
 */
static bool
is_typed_json(const ItemTable *table, ItemRef map)
{
	const KeyAttribute *pk = &table->schema.attributes[0];
	ItemRef		value;

	return item_map_find(map, pk->name, pk->name_len, &value) &&
		value.type == ITEM_M && item_looks_typed(map);
}
