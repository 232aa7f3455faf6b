/*
 * api_table.c
 *	  create_table(), drop_table(), register_table(): the arguments.
 *
 * What the arguments say is checked here, in SQL's words, except where the
 * service has a text; meta_define.c makes the table.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "api/api_private.h"
#include "base/compat.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "meta/meta.h"

PG_FUNCTION_INFO_V1(create_table);
PG_FUNCTION_INFO_V1(drop_table);
PG_FUNCTION_INFO_V1(register_table);

static void check_table_name(const char *name);
static void set_sharding(FunctionCallInfo fcinfo, KeySchema *schema);
static void check_shardable(const KeySchema *schema);
static IndexMethod method_option(const JsonbValue *value);
static void key_schema_names(FunctionCallInfo fcinfo, int arg,
							 KeySchema *schema);
static void key_schema_types(KeySchema *schema, Jsonb *types);
static ItemType attribute_type(const KeyAttribute *attribute,
							   const JsonbValue *value);
static ItemType column_item_type(Oid relid, const char *column);
static Oid	creation_schema(void);
static void lock_table_name(Oid schema, const char *name);

/*
 * create_table(table_name, partition_key, sort_key, attribute_types,
 *				write_shards, shard_by, options) -> regclass
 */
Datum
create_table(PG_FUNCTION_ARGS)
{
	char	   *table_name = api_required_text(fcinfo, 0, "table_name");

	check_table_name(table_name);
	PG_RETURN_OID(api_create_table(fcinfo, table_name, InvalidOid));
}

/*
 * create_table() with a name and a schema of the caller's; InvalidOid is the
 * schema that create_table() chooses.
 */
Oid
api_create_table(FunctionCallInfo fcinfo, const char *table_name,
				 Oid schema_oid)
{
	KeySchema	schema;
	IndexMethod method;
	char	   *schema_name;

	key_schema_names(fcinfo, 1, &schema);
	schema.attributes[0].type = schema.attributes[1].type = ITEM_S;
	key_schema_types(&schema, PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3));
	set_sharding(fcinfo, &schema);
	method = api_index_method(PG_ARGISNULL(6) ? NULL : PG_GETARG_JSONB_P(6));

	/* The lock that comes first would refuse a standby in its own words. */
	PreventCommandIfReadOnly("CREATE TABLE");
	if (!OidIsValid(schema_oid))
		schema_oid = creation_schema();
	lock_table_name(schema_oid, table_name);

	/* nothing has kept the schema from being dropped */
	schema_name = get_namespace_name(schema_oid);
	if (schema_name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema to create table \"%s\" in was dropped meanwhile",
						table_name)));
	if (OidIsValid(get_relname_relid(table_name, schema_oid)))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_IN_USE),
				 errmsg(TEXT_TABLE_EXISTS, table_name),
				 errdetail("There is a relation of this name in schema \"%s\".",
						   schema_name)));
	return meta_create_table(schema_name, table_name, &schema, method);
}

/* drop_table(table_name) */
Datum
drop_table(PG_FUNCTION_ARGS)
{
	char	   *name = api_required_text(fcinfo, 0, "table_name");

	meta_drop_table(meta_resolve_table(name, strlen(name)));
	PG_RETURN_VOID();
}

/* register_table(relation, partition_key, sort_key, attribute_types) */
Datum
register_table(PG_FUNCTION_ARGS)
{
	Oid			relid;
	KeySchema	schema;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", "relation")));
	relid = PG_GETARG_OID(0);
	if (get_rel_name(relid) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid)));
	meta_check_owner(relid);
	key_schema_names(fcinfo, 1, &schema);
	schema.attributes[0].type = column_item_type(relid, META_PK_COLUMN);
	schema.attributes[1].type = column_item_type(relid, META_SK_COLUMN);
	key_schema_types(&schema, PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3));
	meta_register_table(relid, &schema);
	PG_RETURN_VOID();
}

/* A text argument that must not be null. */
char *
api_required_text(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
	return text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

static void
check_table_name(const char *name)
{
	size_t		len = strlen(name);

	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789_.-") != len)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("invalid table name \"%s\"", name),
				 errdetail("A table name consists of letters a-z and A-Z, digits, \"_\", \".\" and \"-\"."),
				 errhint("The table is made in the first schema of the search_path; the name has no schema.")));
	if (len < LIMIT_TABLE_NAME_MIN || len > LIMIT_TABLE_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("invalid table name \"%s\"", name),
				 errdetail("A table name has %d to %d characters.",
						   LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME)));
	if (len >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("table name \"%s\" is too long", name),
				 errdetail("Names of relations have at most %d bytes.",
						   NAMEDATALEN - 1)));
}

/* write_shards and shard_by, arguments 4 and 5. */
static void
set_sharding(FunctionCallInfo fcinfo, KeySchema *schema)
{
	char	   *by = PG_ARGISNULL(5) ? NULL :
		text_to_cstring(PG_GETARG_TEXT_PP(5));
	int			count;

	if (PG_ARGISNULL(4))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", "write_shards")));
	count = PG_GETARG_INT32(4);
	if (count < 1 || count > KEY_MAX_SHARDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be between %d and %d",
						"write_shards", 1, KEY_MAX_SHARDS)));
	if (count == 1)
	{
		if (by != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"%s\" needs more than one write shard",
							"shard_by")));
		return;
	}
	check_shardable(schema);
	if (by != NULL && strcmp(by, schema->attributes[1].name) == 0)
		by = NULL;
	if (by != NULL && (*by == '\0' ||
					   strcmp(by, schema->attributes[0].name) == 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"%s\": \"%s\"",
						"shard_by", by),
				 errhint("Leave it out to shard by the sort key, name an attribute that is not the partition key, or say \"random\".")));
	meta_set_sharding(&schema->sharding, count, by, 0);
}

static void
check_shardable(const KeySchema *schema)
{
	if (schema->n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a table without sort key cannot have write shards"),
				 errdetail("Each of its partitions has one item.")));
	if (schema->attributes[0].type != ITEM_S)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a table whose partition key is of type %s cannot have write shards",
						item_type_tag(schema->attributes[0].type)),
				 errdetail("The number of the shard becomes part of the partition key, which must be of type S for that.")));
}

/*
 * The access method that argument options of a table or global index asks for,
 * or the one that the setting says.  No other option is known.
 */
IndexMethod
api_index_method(Jsonb *options)
{
	IndexMethod result = guc_index_method;
	JsonbIterator *it;
	JsonbValue	key;
	JsonbValue	value;

	if (options == NULL)
		return result;
	it = JsonbIteratorInit(&options->root);
	if (JsonbIteratorNext(&it, &key, true) != WJB_BEGIN_OBJECT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be a JSON object", "options")));
	while (JsonbIteratorNext(&it, &key, true) == WJB_KEY)
	{
		char	   *name = pnstrdup(key.val.string.val, key.val.string.len);

		(void) JsonbIteratorNext(&it, &value, true);
		if (strcmp(name, "index_method") != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown option \"%s\"", name),
					 errhint("The only option is \"index_method\".")));
		result = method_option(&value);
	}
	return result;
}

static IndexMethod
method_option(const JsonbValue *value)
{
	IndexMethod method;

	if (value->type != jbvString ||
		!meta_method_from_name(pnstrdup(value->val.string.val,
										value->val.string.len), &method))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"index_method\" must be \"btree\" or \"ptree\"")));
	return method;
}

/* Names of the key attributes from arguments arg and arg + 1. */
static void
key_schema_names(FunctionCallInfo fcinfo, int arg, KeySchema *schema)
{
	memset(schema, 0, sizeof(*schema));
	schema->n = PG_ARGISNULL(arg + 1) ? 1 : 2;
	for (int i = 0; i < schema->n; i++)
	{
		KeyAttribute *attribute = &schema->attributes[i];

		attribute->name = api_required_text(fcinfo, arg + i, i == 0 ?
										"partition_key" : "sort_key");
		attribute->name_len = strlen(attribute->name);
		if (attribute->name_len == 0 ||
			attribute->name_len > LIMIT_KEY_ATTRIBUTE_NAME)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("invalid name \"%s\" of a key attribute",
							attribute->name),
					 errdetail("The name of a key attribute has 1 to %d bytes.",
							   LIMIT_KEY_ATTRIBUTE_NAME)));
	}
	if (schema->n > 1 &&
		strcmp(schema->attributes[0].name, schema->attributes[1].name) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SAME_KEY_NAMES)));
}

/* Types of the key attributes where attribute_types names them. */
static void
key_schema_types(KeySchema *schema, Jsonb *types)
{
	JsonbIterator *it;
	JsonbValue	key;
	JsonbValue	value;

	if (types == NULL)
		return;
	it = JsonbIteratorInit(&types->root);
	if (JsonbIteratorNext(&it, &key, true) != WJB_BEGIN_OBJECT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be a JSON object",
						"attribute_types"),
				 errhint("For example '{\"id\": \"N\"}'.")));
	while (JsonbIteratorNext(&it, &key, true) == WJB_KEY)
	{
		int			part = key_schema_find(schema, key.val.string.val,
										   key.val.string.len);

		if (part < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("attribute \"%s\" in attribute_types is no key attribute",
							pnstrdup(key.val.string.val, key.val.string.len)),
					 errdetail("Only key attributes have declared types.")));
		(void) JsonbIteratorNext(&it, &value, true);
		schema->attributes[part].type =
			attribute_type(&schema->attributes[part], &value);
	}
}

static ItemType
attribute_type(const KeyAttribute *attribute, const JsonbValue *value)
{
	ItemType	type;

	if (value->type != jbvString ||
		!item_type_from_tag(value->val.string.val, value->val.string.len,
							&type) ||
		(type != ITEM_S && type != ITEM_N && type != ITEM_B))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("type of key attribute \"%s\" must be \"S\", \"N\" or \"B\"",
						attribute->name)));
	return type;
}

/* Item type of a key column that exists; S when it cannot be one. */
static ItemType
column_item_type(Oid relid, const char *column)
{
	AttrNumber	attnum = get_attnum(relid, column);

	switch (attnum > 0 ? get_atttype(relid, attnum) : InvalidOid)
	{
		case NUMERICOID:
			return ITEM_N;
		case BYTEAOID:
			return ITEM_B;
		default:
			return ITEM_S;
	}
}

/* First schema of the search_path that is not the extension's own. */
static Oid
creation_schema(void)
{
	Oid			own = get_namespace_oid("partitioning", false);
	List	   *path = fetch_search_path(false);
	Oid			result = InvalidOid;
	ListCell   *lc;

	foreach(lc, path)
	{
		if (lfirst_oid(lc) == own)
			continue;
		result = lfirst_oid(lc);
		break;
	}
	list_free(path);
	if (!OidIsValid(result))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("no schema has been selected to create in")));
	if (isAnyTempNamespace(result))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("temporary tables cannot be item tables")));
	return result;
}

/*
 * Of two sessions that make one table, the second waits here and then finds
 * the first one's table, instead of a duplicate key in a system catalog.  A
 * part of a schema is no object, so nothing else takes such a lock.
 */
static void
lock_table_name(Oid schema, const char *name)
{
	uint32		hash = hash_bytes((const unsigned char *) name,
								  (int) strlen(name));

	LockDatabaseObject(NamespaceRelationId, schema, (uint16) (hash | 1),
					   ExclusiveLock);
}
