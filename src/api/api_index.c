/*
 * api_index.c
 *	  create_local_index(), drop_index(): the arguments.
 *
 * What the arguments of both kinds of index have in common is checked by the
 * functions that fill in an ItemIndex, in this order: name, keys, projection.
 * Texts are the service's where it has one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "gsi/gsi.h"

PG_FUNCTION_INFO_V1(create_local_index);
PG_FUNCTION_INFO_V1(drop_index);

static void check_local_key(const ItemTable *table, const ItemIndex *index);
static void check_local_count(const ItemTable *table);
static void check_object(Jsonb *object, const char *argument);
static const char *string_member(Jsonb *object, const char *argument,
								 const char *name);
static ItemType declared_type(const ItemTable *table,
							  const KeyIndexAttribute *key, Jsonb *types);
static void check_type(const ItemTable *table, const KeyIndexAttribute *key);
static void refuse_type(const KeyAttribute *attribute, ItemType other,
						const char *where);
static void check_members(const ItemIndex *index, Jsonb *object,
						  const char *argument);
static IndexProjection projection_word(const char *word);
static void set_include(ItemIndex *index, ArrayType *include);
static void check_include_count(const ItemTable *table,
								const ItemIndex *index);

/*
 * create_local_index(table_name, index_name, sort_key, attribute_types,
 *					  projection, include, templates)
 */
Datum
create_local_index(PG_FUNCTION_ARGS)
{
	const ItemTable *table = api_index_table(fcinfo, AccessExclusiveLock);
	ItemIndex	index = {.npartition = 1, .nsort = 1};
	char	   *sort_key;

	api_index_name(table, api_required_text(fcinfo, 1, "index_name"), &index);
	if (table->schema.n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_LOCAL_INDEX_NO_SORT_KEY)));
	sort_key = api_required_text(fcinfo, 2, "sort_key");
	index.keys[0].attribute = table->schema.attributes[0];
	index.keys[0].index_name = index.name;
	index.keys[1].attribute.name = sort_key;
	index.keys[1].attribute.name_len = strlen(sort_key);
	index.keys[1].index_name = index.name;
	index.keys[1].sort = true;
	api_index_keys(table, PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3),
				   PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6), &index);
	check_local_key(table, &index);
	api_index_projection(table, api_required_text(fcinfo, 4, "projection"),
						 PG_ARGISNULL(5) ? NULL : PG_GETARG_ARRAYTYPE_P(5),
						 &index);
	check_local_count(table);
	meta_create_local_index(table, &index);
	PG_RETURN_VOID();
}

/* drop_index(table_name, index_name) */
Datum
drop_index(PG_FUNCTION_ARGS)
{
	const ItemTable *table = api_index_table(fcinfo, AccessExclusiveLock);
	char	   *name = api_required_text(fcinfo, 1, "index_name");
	const ItemIndex *index = api_required_index(table, name);

	if (index->global)
		gsi_drop(table, index);
	else
		meta_drop_local_index(table, index);
	PG_RETURN_VOID();
}

/*
 * Argument table_name as the table, which the caller must own, locked and as
 * it is after that.
 */
const ItemTable *
api_index_table(FunctionCallInfo fcinfo, LOCKMODE lockmode)
{
	char	   *name = api_required_text(fcinfo, 0, "table_name");
	Oid			relid = meta_resolve_table(name, strlen(name));

	PreventCommandIfReadOnly("ALTER TABLE");
	PreventCommandDuringRecovery("ALTER TABLE");
	meta_check_owner(relid);
	LockRelationOid(relid, lockmode);
	return meta_table(relid);
}

/* Fills in the name of an index that is to be made. */
void
api_index_name(const ItemTable *table, const char *name, ItemIndex *index)
{
	size_t		len = strlen(name);

	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789_.-") != len)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("invalid index name \"%s\"", name),
				 errdetail("An index name consists of letters a-z and A-Z, digits, \"_\", \".\" and \"-\".")));
	if (len < LIMIT_INDEX_NAME_MIN || len > LIMIT_INDEX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("invalid index name \"%s\"", name),
				 errdetail("An index name has %d to %d characters.",
						   LIMIT_INDEX_NAME_MIN, LIMIT_INDEX_NAME)));
	if (meta_index_find(table, name, len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_INDEX_DUPLICATE, name)));
	index->name = name;
	index->name_len = len;
}

/*
 * Fills in types and templates of the index's keys, whose names are set.  A
 * type that attribute_types does not give is the one that the attribute has
 * in the table or in another index, or S.
 */
void
api_index_keys(const ItemTable *table, Jsonb *types, Jsonb *templates,
			   ItemIndex *index)
{
	check_object(types, "attribute_types");
	check_object(templates, "templates");
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		KeyIndexAttribute *key = &index->keys[i];
		const char *template;

		if (key->attribute.name_len == 0 ||
			key->attribute.name_len > LIMIT_KEY_ATTRIBUTE_NAME)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("invalid name \"%s\" of a key attribute",
							key->attribute.name),
					 errdetail("The name of a key attribute has 1 to %d bytes.",
							   LIMIT_KEY_ATTRIBUTE_NAME)));
		template = string_member(templates, "templates",
								 key->attribute.name);
		if (template != NULL)
			key->template = key_template_parse(template, strlen(template));
		key->attribute.type = declared_type(table, key, types);
		check_type(table, key);
	}
	check_members(index, types, "attribute_types");
	check_members(index, templates, "templates");
}

/* Fills in what entries hold beside keys. */
void
api_index_projection(const ItemTable *table, const char *projection,
					 ArrayType *include, ItemIndex *index)
{
	index->projection = projection_word(projection);
	if (include != NULL)
		set_include(index, include);
	if (index->projection == PROJECTION_INCLUDE && index->ninclude == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_PROJECTION_INCLUDE_EMPTY)));
	if (index->projection != PROJECTION_INCLUDE && index->ninclude > 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_PROJECTION_NOT_INCLUDE, projection)));
	check_include_count(table, index);
}

static void
check_local_key(const ItemTable *table, const ItemIndex *index)
{
	if (strcmp(index->keys[0].attribute.name,
			   index->keys[1].attribute.name) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SAME_KEY_NAMES)));
}

static void
check_local_count(const ItemTable *table)
{
	int			n = 0;

	for (int i = 0; i < table->nindexes; i++)
		n += table->indexes[i].global ? 0 : 1;
	if (n >= LIMIT_LOCAL_INDEXES)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_LOCAL_INDEX_COUNT, LIMIT_LOCAL_INDEXES)));
}

/* NULL is as good as {}. */
static void
check_object(Jsonb *object, const char *argument)
{
	if (object != NULL && !JB_ROOT_IS_OBJECT(object))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be a JSON object", argument)));
}

/* A member of an object, which must be a string; NULL when there is none. */
static const char *
string_member(Jsonb *object, const char *argument, const char *name)
{
	JsonbValue	buffer;
	JsonbValue *value;

	if (object == NULL)
		return NULL;
	value = getKeyJsonValueFromContainer(&object->root, name, strlen(name),
										 &buffer);
	if (value == NULL)
		return NULL;
	if (value->type != jbvString)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("value of \"%s\" in argument \"%s\" must be a string",
						name, argument)));
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static ItemType
declared_type(const ItemTable *table, const KeyIndexAttribute *key,
			  Jsonb *types)
{
	const KeyAttribute *attribute = &key->attribute;
	const char *tag = string_member(types, "attribute_types", attribute->name);
	ItemType	type;
	int			part;

	if (tag != NULL)
	{
		if (!item_type_from_tag(tag, strlen(tag), &type) ||
			(type != ITEM_S && type != ITEM_N && type != ITEM_B))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("type of key attribute \"%s\" must be \"S\", \"N\" or \"B\"",
							attribute->name)));
		if (type != ITEM_S && key->template != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("type of key attribute \"%s\" must be \"S\"",
							attribute->name),
					 errdetail("What a template makes is a string.")));
		return type;
	}
	if (key->template != NULL)
		return ITEM_S;
	part = key_schema_find(&table->schema, attribute->name,
						   attribute->name_len);
	if (part >= 0)
		return table->schema.attributes[part].type;
	for (int i = 0; i < table->schema.nindexed; i++)
	{
		const KeyIndexAttribute *other = &table->schema.indexed[i];

		if (other->template == NULL &&
			strcmp(other->attribute.name, attribute->name) == 0)
			return other->attribute.type;
	}
	return ITEM_S;
}

/* An attribute has one type in all keys of a table. */
static void
check_type(const ItemTable *table, const KeyIndexAttribute *key)
{
	const KeyAttribute *attribute = &key->attribute;
	int			part = key_schema_find(&table->schema, attribute->name,
									   attribute->name_len);

	if (part >= 0 && key->template != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key attribute \"%s\" of the table cannot be computed by a template",
						attribute->name)));
	if (part >= 0 && table->schema.attributes[part].type != attribute->type)
		refuse_type(attribute, table->schema.attributes[part].type,
					"the table's key");
	for (int i = 0; i < table->schema.nindexed; i++)
	{
		const KeyIndexAttribute *other = &table->schema.indexed[i];

		if (strcmp(other->attribute.name, attribute->name) == 0 &&
			other->template == NULL && key->template == NULL &&
			other->attribute.type != attribute->type)
			refuse_type(attribute, other->attribute.type,
						psprintf("index \"%s\"", other->index_name));
	}
}

static void
refuse_type(const KeyAttribute *attribute, ItemType other, const char *where)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("key attribute \"%s\" cannot have type \"%s\"",
					attribute->name, item_type_tag(attribute->type)),
			 errdetail("It has type \"%s\" in %s.", item_type_tag(other),
					   where)));
}

/* All members of an argument must be key attributes of the index. */
static void
check_members(const ItemIndex *index, Jsonb *object, const char *argument)
{
	JsonbIterator *it;
	JsonbValue	member;
	JsonbIteratorToken token;

	if (object == NULL)
		return;
	it = JsonbIteratorInit(&object->root);
	(void) JsonbIteratorNext(&it, &member, true);
	while ((token = JsonbIteratorNext(&it, &member, true)) == WJB_KEY)
	{
		if (meta_index_key(index, member.val.string.val,
						   member.val.string.len) < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("attribute \"%.*s\" in argument \"%s\" is no key attribute of the index",
							member.val.string.len, member.val.string.val,
							argument)));
		(void) JsonbIteratorNext(&it, &member, true);
	}
}

static IndexProjection
projection_word(const char *word)
{
	if (strcmp(word, "ALL") == 0)
		return PROJECTION_ALL;
	if (strcmp(word, "KEYS_ONLY") == 0)
		return PROJECTION_KEYS_ONLY;
	if (strcmp(word, "INCLUDE") == 0)
		return PROJECTION_INCLUDE;
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_PROJECTION_UNKNOWN, word),
			 errhint("The projections are ALL, KEYS_ONLY and INCLUDE.")));
}

static void
set_include(ItemIndex *index, ArrayType *include)
{
	Datum	   *elements;
	bool	   *nulls;
	AttributeName *names;

	deconstruct_array(include, TEXTOID, -1, false, TYPALIGN_INT, &elements,
					  &nulls, &index->ninclude);
	index->include = names = palloc(index->ninclude * sizeof(AttributeName));
	for (int i = 0; i < index->ninclude; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"%s\" must not contain nulls",
							"include")));
		names[i].data = TextDatumGetCString(elements[i]);
		names[i].len = strlen(names[i].data);
		if (names[i].len == 0 || names[i].len > LIMIT_KEY_ATTRIBUTE_NAME)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("invalid name \"%s\" in argument \"%s\"",
							names[i].data, "include"),
					 errdetail("The name of a projected attribute has 1 to %d bytes.",
							   LIMIT_KEY_ATTRIBUTE_NAME)));
		for (int j = 0; j < i; j++)
		{
			if (strcmp(names[i].data, names[j].data) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(TEXT_PROJECTION_DUPLICATE, names[i].data)));
		}
	}
}

static void
check_include_count(const ItemTable *table, const ItemIndex *index)
{
	int			n = index->ninclude;

	for (int i = 0; i < table->nindexes; i++)
		n += table->indexes[i].ninclude;
	if (n > LIMIT_INCLUDE)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_PROJECTION_COUNT, LIMIT_INCLUDE, n)));
}

/* An index of the table by its name. */
const ItemIndex *
api_required_index(const ItemTable *table, const char *name)
{
	const ItemIndex *index = meta_index_find(table, name, strlen(name));

	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_RESOURCE_NOT_FOUND),
				 errdetail("Table \"%s\" has no index \"%s\".",
						   table->table_name, name)));
	return index;
}
