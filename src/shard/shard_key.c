/*
 * shard_key.c
 *	  shard_key(): the partition key under which an item is stored.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "base/errors.h"
#include "store/store.h"

PG_FUNCTION_INFO_V1(shard_key);

static void key_from_arguments(FunctionCallInfo fcinfo,
							   const ItemTable *table, ItemKey *key);

/*
 * shard_key(table_name text, pk text, sk text | numeric | bytea): the stored
 * partition key of an item, or one that it may get when it does not exist
 */
Datum
shard_key(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(0);
	const ItemTable *table;
	ItemStore  *store;
	ItemKey		key;
	ItemKey		placed;

	table = meta_table(meta_resolve_table(VARDATA_ANY(name),
										  VARSIZE_ANY_EXHDR(name)));
	key_from_arguments(fcinfo, table, &key);
	store = store_open(table, NULL, ACL_SELECT);
	if (!store_find_place(store, &key, GetActiveSnapshot(), &placed))
		placed.datums[0] =
			key_shard_datum(key.refs[0],
							key_shard_choose(&store->table->schema.sharding,
											 &key, item_root(item_empty_map())));
	store_close(store);
	PG_RETURN_DATUM(placed.datums[0]);
}

static void
key_from_arguments(FunctionCallInfo fcinfo, const ItemTable *table,
				   ItemKey *key)
{
	const KeySchema *schema = &table->schema;
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 2);

	if (schema->attributes[0].type != ITEM_S)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("partition key of item table \"%s\" is not of type S",
						table->table_name)));
	if (schema->n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("item table \"%s\" has no sort key",
						table->table_name)));
	if (type != key_column_type(schema->attributes[1].type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("sort key of item table \"%s\" is of type %s, not %s",
						table->table_name,
						format_type_be(key_column_type(schema->attributes[1].type)),
						format_type_be(type))));
	key->n = 2;
	for (int i = 0; i < 2; i++)
	{
		key->datums[i] = PG_GETARG_DATUM(1 + i);
		key->refs[i] = key_ref_from_datum(schema->attributes[i].type,
										  key->datums[i]);
		key_check_value(&schema->attributes[i], i, key->refs[i]);
	}
}
