/*
 * api_start_key.c
 *	  Checks of the key after which a query or scan is to continue.
 *
 * Any well-formed key that could belong to the range is a legal start; an
 * item with it need not exist.  Texts and their order are the service's.
 */
#include "postgres.h"

#include "common/base64.h"
#include "lib/stringinfo.h"

#include "api/api_private.h"
#include "base/compat.h"
#include "base/errors.h"
#include "base/service_text.h"

pg_noreturn static void start_key_error(const char *text);
static int	count_attributes(const ItemTable *table, const ItemIndex *index);
static bool find_part(const KeySchema *schema, int part, ItemRef map,
					  ItemRef *value);
static void check_index_part(const KeyAttribute *attribute, ItemRef value);
static void start_from_map(const ItemTable *table, ItemRef map,
						   const char *missing, ItemKey *start);
static void set_start_sort(const KeySchema *schema, ItemRef map,
						   ItemRef *start_sort);
static char *start_key_text(const KeyAttribute *attribute, ItemRef value);

/*
 * Computes a query's key condition and checks its start key against it;
 * both, because the service looks at them attribute by attribute.  The start
 * key of an index has the key attributes of index and table; start is the
 * table's key in it, start_sort the index's sort key.
 */
void
api_check_query_start(const ItemTable *table, const ItemIndex *index,
					  const ItemExpr *key_condition,
					  const ItemData *start_key, ExprKeyCondition *condition,
					  ItemKey *start, ItemRef *start_sort)
{
	KeySchema	schema;
	ItemRef		map = item_root(start_key);
	ItemRef		pk;
	ItemRef		sk;

	api_index_schema(table, index, &schema);
	if (item_map_count(map) != count_attributes(table, index) ||
		!find_part(&schema, 0, map, &pk))
		start_key_error(TEXT_START_KEY_INVALID);

	expr_key_condition(key_condition, &schema, condition);
	if (index != NULL)
		check_index_part(&schema.attributes[0], pk);
	if (!item_ref_equal(pk, condition->pk))
		start_key_error(condition->has_sk ? TEXT_START_KEY_ONE_ROW :
						TEXT_START_KEY_OUTSIDE);

	if (schema.n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_START_KEY_NO_SORT_KEY,
						start_key_text(&schema.attributes[0], pk))));
	if (!find_part(&schema, 1, map, &sk))
		start_key_error(TEXT_START_KEY_INVALID);
	if (index != NULL)
		check_index_part(&schema.attributes[1], sk);

	start_from_map(table, map, index != NULL ? TEXT_START_KEY_INVALID :
				   TEXT_START_KEY_SCHEMA, start);
	if (condition->has_sk && !key_range_contains(&condition->range, sk))
		start_key_error(TEXT_START_KEY_PREDICATE);
	if (index != NULL)
		set_start_sort(&schema, map, start_sort);
}

/*
 * Checks the start key of a scan against table or index, and the segment.
 */
void
api_check_scan_start(const ItemTable *table, const ItemIndex *index,
					 const ApiQuery *request, ItemKey *start,
					 ItemRef *start_sort)
{
	const char *missing = index != NULL ? TEXT_START_KEY_INVALID :
		TEXT_START_KEY_SCHEMA;
	KeySchema	schema;
	ItemRef		map = item_root(request->start_key);

	api_index_schema(table, index, &schema);
	if (item_map_count(map) != count_attributes(table, index))
		start_key_error(missing);
	for (int i = 0; index != NULL && i < schema.n; i++)
	{
		ItemRef		value;

		if (!find_part(&schema, i, map, &value))
			start_key_error(missing);
		check_index_part(&schema.attributes[i], value);
	}
	start_from_map(table, map, missing, start);

	if (request->has_segment &&
		!key_segment_contains(request->segment, request->total_segments,
							  key_hash_ref(start->refs[0])))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_START_KEY_SEGMENT,
						request->total_segments, request->segment)));
	if (index != NULL)
		set_start_sort(&schema, map, start_sort);
}

/* Key attributes of a table, or of an index and its table, each once. */
static int
count_attributes(const ItemTable *table, const ItemIndex *index)
{
	int			n = table->schema.n;

	for (int i = 0; index != NULL && i < index->npartition + index->nsort; i++)
	{
		if (key_schema_find(&table->schema, index->keys[i].attribute.name,
							index->keys[i].attribute.name_len) < 0)
			n++;
	}
	return n;
}

static void
start_key_error(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("%s", text)));
}

static bool
find_part(const KeySchema *schema, int part, ItemRef map, ItemRef *value)
{
	return item_map_find(map, schema->attributes[part].name,
						 schema->attributes[part].name_len, value);
}

/* Complains, as the service does, about the type of an index's key. */
static void
check_index_part(const KeyAttribute *attribute, ItemRef value)
{
	if (value.type != attribute->type)
		start_key_error(TEXT_KEY_SCHEMA);
}

/*
 * The table's key in a start key; missing is the text for an attribute that
 * is not there.
 */
static void
start_from_map(const ItemTable *table, ItemRef map, const char *missing,
			   ItemKey *start)
{
	const KeySchema *schema = &table->schema;

	start->n = schema->n;
	for (int i = 0; i < schema->n; i++)
	{
		if (!find_part(schema, i, map, &start->refs[i]))
			start_key_error(missing);
		if (start->refs[i].type != schema->attributes[i].type)
			start_key_error(TEXT_START_KEY_SCHEMA);
	}
	for (int i = 0; i < schema->n; i++)
	{
		key_check_value(&schema->attributes[i], i, start->refs[i]);
		start->datums[i] = key_datum_from_ref(start->refs[i]);
	}
}

static void
set_start_sort(const KeySchema *schema, ItemRef map, ItemRef *start_sort)
{
	(void) find_part(schema, 1, map, start_sort);
	key_check_value(&schema->attributes[1], 1, *start_sort);
}

/*
 * "{k=AttributeValue: {S:v}}", as the service prints a key.
 */
static char *
start_key_text(const KeyAttribute *attribute, ItemRef value)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{%s=AttributeValue: {%s:", attribute->name,
					 item_type_tag(value.type));
	if (value.type == ITEM_N)
	{
		char		number[ITEM_NUMBER_MAX_TEXT];

		item_number_print(value, number);
		appendStringInfoString(&text, number);
	}
	else if (value.type == ITEM_B)
	{
		int			room = pg_b64_enc_len(value.len);

		enlargeStringInfo(&text, room);
		text.len += pg_b64_encode((const void *) value.data, value.len,
								  text.data + text.len, room);
		text.data[text.len] = '\0';
	}
	else
		appendBinaryStringInfo(&text, value.data, value.len);
	appendStringInfoString(&text, "}}");
	return text.data;
}
