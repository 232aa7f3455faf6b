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
static bool find_part(const KeySchema *schema, int part, ItemRef map,
					  ItemRef *value);
static void start_from_map(const KeySchema *schema, ItemRef map,
						   ItemKey *start);
static char *start_key_text(const KeyAttribute *attribute, ItemRef value);

/*
 * Computes a query's key condition and checks its start key against it;
 * both, because the service looks at them attribute by attribute.
 */
void
api_check_query_start(const ItemTable *table, const ItemExpr *key_condition,
					  const ItemData *start_key, ExprKeyCondition *condition,
					  ItemKey *start)
{
	const KeySchema *schema = &table->schema;
	ItemRef		map = item_root(start_key);
	ItemRef		pk;
	ItemRef		sk;

	if (item_map_count(map) != schema->n ||
		!find_part(schema, 0, map, &pk))
		start_key_error(TEXT_START_KEY_INVALID);

	expr_key_condition(key_condition, schema, condition);
	if (!item_ref_equal(pk, condition->pk))
		start_key_error(condition->has_sk ? TEXT_START_KEY_ONE_ROW :
						TEXT_START_KEY_OUTSIDE);

	if (schema->n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_START_KEY_NO_SORT_KEY,
						start_key_text(&schema->attributes[0], pk))));
	if (!find_part(schema, 1, map, &sk))
		start_key_error(TEXT_START_KEY_INVALID);

	start_from_map(schema, map, start);
	if (condition->has_sk && !key_range_contains(&condition->range, sk))
		start_key_error(TEXT_START_KEY_PREDICATE);
}

/*
 * Checks the start key of a scan against the table and the segment.
 */
void
api_check_scan_start(const ItemTable *table, const ApiQuery *request,
					 ItemKey *start)
{
	const KeySchema *schema = &table->schema;
	ItemRef		map = item_root(request->start_key);

	if (item_map_count(map) != schema->n)
		start_key_error(TEXT_START_KEY_SCHEMA);
	start_from_map(schema, map, start);

	if (request->has_segment &&
		!key_segment_contains(request->segment, request->total_segments,
							  key_hash_ref(start->refs[0])))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_START_KEY_SEGMENT,
						request->total_segments, request->segment)));
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

/*
 * The start key as a key.  The map's size has been checked.
 */
static void
start_from_map(const KeySchema *schema, ItemRef map, ItemKey *start)
{
	for (int i = 0; i < schema->n; i++)
	{
		ItemRef		value;

		if (!find_part(schema, i, map, &value) ||
			value.type != schema->attributes[i].type)
			start_key_error(TEXT_START_KEY_SCHEMA);
	}
	key_from_key_argument(schema, map, start);
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
