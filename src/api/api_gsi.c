/*
 * api_gsi.c
 *	  create_global_index(), verify_index(), rebuild_index(), index_key(): the
 *	  arguments.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/guc.h"
#include "base/service_text.h"
#include "gsi/gsi.h"
#include "worker/worker.h"

/* Arguments of create_global_index(). */
enum
{
	ARG_TABLE_NAME,
	ARG_INDEX_NAME,
	ARG_PARTITION_KEY,
	ARG_SORT_KEY,
	ARG_ATTRIBUTE_TYPES,
	ARG_PROJECTION,
	ARG_INCLUDE,
	ARG_PROPAGATION,
	ARG_UNIQUE_KEY,
	ARG_WRITE_SHARDS,
	ARG_PARTITION_KEYS,
	ARG_SORT_KEYS,
	ARG_TEMPLATES,
	ARG_OPTIONS
};

PG_FUNCTION_INFO_V1(create_global_index);
PG_FUNCTION_INFO_V1(verify_index);
PG_FUNCTION_INFO_V1(rebuild_index);
PG_FUNCTION_INFO_V1(index_key);
PG_FUNCTION_INFO_V1(alter_index);
PG_FUNCTION_INFO_V1(flush_index);

static int	key_names(FunctionCallInfo fcinfo, int singular, int plural,
					  const char *singular_name, const char *plural_name,
					  KeyIndexAttribute *keys);
static int	key_name_list(ArrayType *array, const char *argument,
						  KeyIndexAttribute *keys);
static void set_name(KeyIndexAttribute *key, const char *name);
static void check_repeated(const ItemIndex *index);
static void set_propagation(FunctionCallInfo fcinfo, ItemIndex *index);
static bool is_sync(const char *propagation);
static void check_async(const ItemIndex *index);
static void set_shards(FunctionCallInfo fcinfo, ItemIndex *index);
static void check_count(const ItemTable *table);
static int64 timeout_argument(FunctionCallInfo fcinfo, int arg);
static Jsonb *jsonb_argument(FunctionCallInfo fcinfo, int arg);
static const ItemIndex *global_index(FunctionCallInfo fcinfo,
									 const ItemTable *table);
static ItemRef key_value(FunctionCallInfo fcinfo, int arg,
						 const KeyIndexAttribute *key);

/*
 * create_global_index(table_name, index_name, partition_key, sort_key,
 *					   attribute_types, projection, include, propagation,
 *					   unique_key, write_shards, partition_keys, sort_keys,
 *					   templates, options) -> regclass
 */
Datum
create_global_index(PG_FUNCTION_ARGS)
{
	const ItemTable *table;
	ItemIndex	index = {.global = true, .write_shards = 1};

	/* writers go on while an asynchronous index is made */
	set_propagation(fcinfo, &index);
	table = api_index_table(fcinfo, index.synchronous ? ShareRowExclusiveLock :
							ShareUpdateExclusiveLock);
	api_index_name(table, api_required_text(fcinfo, ARG_INDEX_NAME,
											"index_name"), &index);
	index.npartition = key_names(fcinfo, ARG_PARTITION_KEY,
								 ARG_PARTITION_KEYS, "partition_key",
								 "partition_keys", index.keys);
	if (index.npartition == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", "partition_key"),
				 errhint("Give partition_key, or partition_keys for several attributes.")));
	index.nsort = key_names(fcinfo, ARG_SORT_KEY, ARG_SORT_KEYS, "sort_key",
							"sort_keys", index.keys + index.npartition);
	for (int i = 0; i < index.npartition + index.nsort; i++)
	{
		index.keys[i].index_name = index.name;
		index.keys[i].sort = i >= index.npartition;
	}
	check_repeated(&index);
	api_index_keys(table, jsonb_argument(fcinfo, ARG_ATTRIBUTE_TYPES),
				   jsonb_argument(fcinfo, ARG_TEMPLATES), &index);
	api_index_projection(table, api_required_text(fcinfo, ARG_PROJECTION,
												  "projection"),
						 PG_ARGISNULL(ARG_INCLUDE) ? NULL :
						 PG_GETARG_ARRAYTYPE_P(ARG_INCLUDE), &index);
	set_shards(fcinfo, &index);
	index.method = api_index_method(jsonb_argument(fcinfo, ARG_OPTIONS));
	index.options = psprintf("{\"index_method\": \"%s\"}",
							 meta_method_name(index.method));
	check_count(table);
	PG_RETURN_OID(gsi_create(table, &index));
}

/* verify_index(table_name, index_name) -> setof (problem, index_key, base_key) */
Datum
verify_index(PG_FUNCTION_ARGS)
{
	char	   *name = api_required_text(fcinfo, 0, "table_name");
	const ItemTable *table = meta_table(meta_resolve_table(name,
														   strlen(name)));
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const ItemIndex *index = global_index(fcinfo, table);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	gsi_verify(table, index, rsinfo->setResult, rsinfo->setDesc);
	PG_RETURN_NULL();
}

/* rebuild_index(table_name, index_name) */
Datum
rebuild_index(PG_FUNCTION_ARGS)
{
	const ItemTable *table = api_index_table(fcinfo, ShareRowExclusiveLock);

	gsi_rebuild(table, global_index(fcinfo, table));
	PG_RETURN_VOID();
}

/* alter_index(table_name, index_name, propagation) */
Datum
alter_index(PG_FUNCTION_ARGS)
{
	const ItemTable *table = api_index_table(fcinfo, ShareRowExclusiveLock);
	const ItemIndex *index = global_index(fcinfo, table);
	bool		synchronous = is_sync(api_required_text(fcinfo, 2,
														"propagation"));

	if (!synchronous)
		check_async(index);
	gsi_alter(table, index, synchronous);
	PG_RETURN_VOID();
}

/*
 * flush_index(table_name, index_name, timeout) -> bool: waits until the index
 * has what was committed before.
 */
Datum
flush_index(PG_FUNCTION_ARGS)
{
	char	   *name = api_required_text(fcinfo, 0, "table_name");
	const ItemTable *table = meta_table(meta_resolve_table(name,
														   strlen(name)));

	const ItemIndex *index = global_index(fcinfo, table);

	store_close(store_open(table, NULL, ACL_SELECT));
	PG_RETURN_BOOL(gsi_flush(table, index, timeout_argument(fcinfo, 2)));
}

/*
 * index_key(table_name, index_name, variadic values) -> bytea: the partition
 * key of so many values as it has attributes; with more values, the sort key
 * of those beyond.
 */
Datum
index_key(PG_FUNCTION_ARGS)
{
	char	   *name = api_required_text(fcinfo, 0, "table_name");
	const ItemTable *table = meta_table(meta_resolve_table(name,
														   strlen(name)));
	const ItemIndex *index = global_index(fcinfo, table);
	int			n = PG_NARGS() - 2;
	int			first = n > index->npartition ? index->npartition : 0;
	ItemRef		values[2 * LIMIT_INDEX_KEYS];
	ItemRef		key;

	if (get_fn_expr_variadic(fcinfo->flinfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values of an index key cannot be given as an array")));
	if (n < index->npartition || n > index->npartition + index->nsort)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of values does not fit the key of index \"%s\": %d",
						index->name, n),
				 errdetail("Its partition key has %d attributes, its sort key has %d.",
						   index->npartition, index->nsort),
				 errhint("Give the values of the partition key, or these and those of the sort key.")));
	if ((first == 0 ? index->npartition : index->nsort) == 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the %s key of index \"%s\" is one attribute",
						first == 0 ? "partition" : "sort", index->name),
				 errhint("Compare its column with the value itself.")));
	for (int i = 0; i < n; i++)
		values[i] = key_value(fcinfo, i + 2, &index->keys[i]);
	key = key_parts_encode(n - first, values + first);
	PG_RETURN_DATUM(key_datum_from_ref(key));
}

/*
 * Names of the partition key or the sort key, from an argument for one or an
 * argument for several; how many there are.
 */
static int
key_names(FunctionCallInfo fcinfo, int singular, int plural,
		  const char *singular_name, const char *plural_name,
		  KeyIndexAttribute *keys)
{
	if (PG_ARGISNULL(plural))
	{
		if (PG_ARGISNULL(singular))
			return 0;
		set_name(&keys[0], text_to_cstring(PG_GETARG_TEXT_PP(singular)));
		return 1;
	}
	if (!PG_ARGISNULL(singular))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments \"%s\" and \"%s\" cannot be given both",
						singular_name, plural_name)));
	return key_name_list(PG_GETARG_ARRAYTYPE_P(plural), plural_name, keys);
}

static int
key_name_list(ArrayType *array, const char *argument, KeyIndexAttribute *keys)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements,
					  &nulls, &n);
	if (n < 1 || n > LIMIT_INDEX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("argument \"%s\" must have 1 to %d elements",
						argument, LIMIT_INDEX_KEYS)));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"%s\" must not contain nulls",
							argument)));
		set_name(&keys[i], TextDatumGetCString(elements[i]));
	}
	return n;
}

static void
set_name(KeyIndexAttribute *key, const char *name)
{
	key->attribute.name = name;
	key->attribute.name_len = strlen(name);
}

static void
check_repeated(const ItemIndex *index)
{
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		for (int j = 0; j < i; j++)
		{
			if (strcmp(index->keys[i].attribute.name,
					   index->keys[j].attribute.name) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(TEXT_SAME_KEY_NAMES)));
		}
	}
}

static void
set_propagation(FunctionCallInfo fcinfo, ItemIndex *index)
{
	index->unique_key = !PG_ARGISNULL(ARG_UNIQUE_KEY) &&
		PG_GETARG_BOOL(ARG_UNIQUE_KEY);
	index->synchronous = PG_ARGISNULL(ARG_PROPAGATION) ? index->unique_key :
		is_sync(text_to_cstring(PG_GETARG_TEXT_PP(ARG_PROPAGATION)));
	if (!index->synchronous)
		check_async(index);
}

static bool
is_sync(const char *propagation)
{
	if (strcmp(propagation, "sync") != 0 && strcmp(propagation, "async") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be \"sync\" or \"async\"",
						"propagation")));
	return strcmp(propagation, "sync") == 0;
}

/* Can an index be asynchronous? */
static void
check_async(const ItemIndex *index)
{
	if (index->unique_key)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a unique key cannot be propagated asynchronously"),
				 errhint("Use propagation => 'sync', which is the default with unique_key.")));
	if (!worker_available())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("asynchronous propagation needs the background worker of partitioning"),
				 errhint("Add partitioning to shared_preload_libraries and restart the server, or use propagation => 'sync'.")));
}

static void
set_shards(FunctionCallInfo fcinfo, ItemIndex *index)
{
	int			count;

	if (PG_ARGISNULL(ARG_WRITE_SHARDS))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", "write_shards")));
	count = PG_GETARG_INT32(ARG_WRITE_SHARDS);
	if (count < 1 || count > KEY_MAX_SHARDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be between %d and %d",
						"write_shards", 1, KEY_MAX_SHARDS)));
	index->write_shards = count;
	if (count == 1)
		return;
	if (index->nsort == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an index without sort key cannot have write shards"),
				 errdetail("There would be no order to merge its shards in.")));
	if (index->npartition > 1 || index->keys[0].attribute.type != ITEM_S)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an index whose partition key is not one attribute of type S cannot have write shards"),
				 errdetail("The number of the shard becomes part of the partition key, which must be of type S for that.")));
	if (index->unique_key)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a unique index cannot have write shards"),
				 errdetail("Items of equal keys may be in different shards.")));
}

static void
check_count(const ItemTable *table)
{
	int			n = 0;

	for (int i = 0; i < table->nindexes; i++)
		n += table->indexes[i].global ? 1 : 0;
	if (n >= guc_max_global_indexes)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_GLOBAL_INDEX_COUNT, guc_max_global_indexes)));
}

static Jsonb *
jsonb_argument(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : PG_GETARG_JSONB_P(arg);
}

/* An interval in milliseconds; -1, no limit, for NULL. */
static int64
timeout_argument(FunctionCallInfo fcinfo, int arg)
{
	Interval   *interval;

	if (PG_ARGISNULL(arg))
		return -1;
	interval = PG_GETARG_INTERVAL_P(arg);
	if (interval->month < 0 || interval->day < 0 || interval->time < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must not be negative", "timeout")));
	return ((int64) interval->month * DAYS_PER_MONTH + interval->day) *
		(SECS_PER_DAY * INT64CONST(1000)) + interval->time / 1000;
}

/* Argument index_name, the second one, as a global index of the table. */
static const ItemIndex *
global_index(FunctionCallInfo fcinfo, const ItemTable *table)
{
	const ItemIndex *index;

	index = api_required_index(table, api_required_text(fcinfo, 1,
														"index_name"));
	if (!index->global)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("index \"%s\" of item table \"%s\" is a local index",
						index->name, table->table_name),
				 errdetail("A local index is an index of the item table itself.")));
	return index;
}

/* A value for a key attribute, from an argument of the type of its column. */
static ItemRef
key_value(FunctionCallInfo fcinfo, int arg, const KeyIndexAttribute *key)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, arg);
	Oid			wanted = key_column_type(key->attribute.type);
	Datum		value;
	ItemRef		ref;

	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("value of key attribute \"%s\" must not be null",
						key->attribute.name)));
	value = PG_GETARG_DATUM(arg);
	if (type == UNKNOWNOID && wanted == TEXTOID)
		value = CStringGetTextDatum(DatumGetCString(value));
	else if (type == INT4OID && wanted == NUMERICOID)
		value = DirectFunctionCall1(int4_numeric, value);
	else if (type == INT8OID && wanted == NUMERICOID)
		value = DirectFunctionCall1(int8_numeric, value);
	else if (getBaseType(type) != wanted)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("value of key attribute \"%s\" must be of type %s, not %s",
						key->attribute.name, format_type_be(wanted),
						format_type_be(type))));
	ref = key_ref_from_datum(key->attribute.type, value);
	key_check_value(&key->attribute, key->sort ? 1 : 0, ref);
	return ref;
}
