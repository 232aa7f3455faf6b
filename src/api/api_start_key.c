/*
 * api_start_key.c
 *	  Checks of the key after which a query or scan is to continue.
 *
 * Any well-formed key that could belong to the range is a legal start; an
 * item with it need not exist.  Texts and their order are the service's.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "api/api_private.h"
#include "base/compat.h"
#include "base/errors.h"
#include "base/service_text.h"

static int32 start_hash(const ItemTable *table, const ItemIndex *index,
						const ApiStart *start);
pg_noreturn static void start_key_error(const char *text);
static int	count_attributes(const ItemTable *table, const ItemIndex *index);
static bool find_part(const KeySchema *schema, int part, ItemRef map,
					  ItemRef *value);
static void check_index_start(const ItemTable *table, const ItemIndex *index,
							  const ItemExpr *key_condition, ItemRef map,
							  ExprKeyCondition *condition, ApiStart *start);
static int	part_attributes(const ItemIndex *index, int part,
							const KeyIndexAttribute **keys);
static bool has_part(const ItemIndex *index, int part, ItemRef map);
static void set_part(const ItemIndex *index, int part, ItemRef map,
					 ItemRef *value);
static void start_from_map(const ItemTable *table, ItemRef map,
						   const char *missing, ItemKey *start);
static char *start_key_text(const KeyAttribute *attribute, ItemRef value);

/*
 * Computes a query's key condition and checks its start key against it;
 * both, because the service looks at them attribute by attribute.  The start
 * key of an index has the key attributes of index and table.
 */
void
api_check_query_start(const ItemTable *table, const ItemIndex *index,
					  const ItemExpr *key_condition,
					  const ItemData *start_key, ExprKeyCondition *condition,
					  ApiStart *start)
{
	const KeySchema *schema = &table->schema;
	ItemRef		map = item_root(start_key);
	ItemRef		pk;
	ItemRef		sk;

	if (index != NULL)
	{
		check_index_start(table, index, key_condition, map, condition, start);
		return;
	}
	if (item_map_count(map) != schema->n || !find_part(schema, 0, map, &pk))
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

	start_from_map(table, map, TEXT_START_KEY_SCHEMA, &start->key);
	if (condition->has_sk && !key_range_contains(&condition->range, sk))
		start_key_error(TEXT_START_KEY_PREDICATE);
}

/* The same for an index. */
static void
check_index_start(const ItemTable *table, const ItemIndex *index,
				  const ItemExpr *key_condition, ItemRef map,
				  ExprKeyCondition *condition, ApiStart *start)
{
	if (item_map_count(map) != count_attributes(table, index) ||
		!has_part(index, 0, map))
		start_key_error(TEXT_START_KEY_INVALID);

	api_index_condition(table, index, key_condition, condition);
	set_part(index, 0, map, &start->pk);
	if (!item_ref_equal(start->pk, condition->pk))
		start_key_error(condition->has_sk ? TEXT_START_KEY_ONE_ROW :
						TEXT_START_KEY_OUTSIDE);

	if (!has_part(index, 1, map))
		start_key_error(TEXT_START_KEY_INVALID);
	set_part(index, 1, map, &start->sort);
	start_from_map(table, map, TEXT_START_KEY_INVALID, &start->key);
	if (condition->has_sk &&
		!key_range_contains(&condition->range, start->sort))
		start_key_error(TEXT_START_KEY_PREDICATE);
}

/*
 * Checks the start key of a scan against table or index, and the segment.
 */
void
api_check_scan_start(const ItemTable *table, const ItemIndex *index,
					 const ApiQuery *request, ApiStart *start)
{
	const char *missing = index != NULL ? TEXT_START_KEY_INVALID :
		TEXT_START_KEY_SCHEMA;
	ItemRef		map = item_root(request->start_key);

	if (item_map_count(map) != count_attributes(table, index))
		start_key_error(missing);
	for (int part = 0; index != NULL && part < 2; part++)
	{
		if (!has_part(index, part, map))
			start_key_error(missing);
		set_part(index, part, map, part == 0 ? &start->pk : &start->sort);
	}
	start_from_map(table, map, missing, &start->key);

	if (request->has_segment &&
		!key_segment_contains(request->segment, request->total_segments,
							  start_hash(table, index, start)))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_START_KEY_SEGMENT,
						request->total_segments, request->segment)));
}

/*
 * Where a start key stands in the order of the index that is read.
 */
static int32
start_hash(const ItemTable *table, const ItemIndex *index,
		   const ApiStart *start)
{
	const KeySharding *sharding = &table->schema.sharding;
	ItemRef		pk = start->key.refs[0];
	int			shard;

	if (index != NULL && index->global && index->write_shards > 1)
		pk = key_ref_from_datum(ITEM_S,
								store_index_stored_pk(index, start->pk,
													  key_digest(&start->key)));
	else if (index != NULL && index->global)
		pk = start->pk;
	else if (sharding->by == KEY_SHARD_SORT_KEY)
	{
		shard = key_shard_of_sort_key(start->key.refs[1], sharding->count);
		pk = key_ref_from_datum(ITEM_S, key_shard_datum(pk, shard));
	}
	return key_hash_ref(pk);
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

/* Attributes of the partition key (part 0) or the sort key of an index. */
static int
part_attributes(const ItemIndex *index, int part,
				const KeyIndexAttribute **keys)
{
	*keys = index->keys + (part == 0 ? 0 : index->npartition);
	return part == 0 ? index->npartition : index->nsort;
}

static bool
has_part(const ItemIndex *index, int part, ItemRef map)
{
	const KeyIndexAttribute *keys;
	int			n = part_attributes(index, part, &keys);
	ItemRef		value;

	for (int i = 0; i < n; i++)
	{
		if (!item_map_find(map, keys[i].attribute.name,
						   keys[i].attribute.name_len, &value))
			return false;
	}
	return true;
}

/* A part of the index's key, as its column has it; all attributes are there. */
static void
set_part(const ItemIndex *index, int part, ItemRef map, ItemRef *value)
{
	const KeyIndexAttribute *keys;
	int			n = part_attributes(index, part, &keys);
	ItemRef		values[LIMIT_INDEX_KEYS];

	for (int i = 0; i < n; i++)
	{
		(void) item_map_find(map, keys[i].attribute.name,
							 keys[i].attribute.name_len, &values[i]);
		if (values[i].type != keys[i].attribute.type)
			start_key_error(TEXT_KEY_SCHEMA);
		key_check_value(&keys[i].attribute, part, values[i]);
	}
	if (n == 1)
		*value = values[0];
	else if (n > 1)
		*value = key_parts_encode(n, values);
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

/*
 * "{k=AttributeValue: {S:v}}", as the service prints a key.
 */
static char *
start_key_text(const KeyAttribute *attribute, ItemRef value)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{%s=", attribute->name);
	item_append_scalar(&text, value);
	appendStringInfoChar(&text, '}');
	return text.data;
}
