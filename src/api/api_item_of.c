/*
 * api_item_of.c
 *	  item_of(row): the whole item, key attributes included, of a table row.
 *
 * A whole-row value carries its row type, and the row type of an item table, or
 * of the index table of a global index, leads to the table.  A record built by
 * ROW() or by a subquery carries none.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "api/api.h"
#include "base/compat.h"
#include "base/errors.h"
#include "store/store.h"

PG_FUNCTION_INFO_V1(item_of);

static void table_row(const ItemTable *table, HeapTuple tuple, TupleDesc desc,
					  ItemRow *row);
static bool index_row(Oid row_type, HeapTuple tuple, TupleDesc desc,
					  ItemRow *row);
static void check_no_nulls(HeapTuple tuple, TupleDesc desc);
static const ItemTable *table_of_row_type(Oid row_type);
pg_noreturn static void not_an_item(Oid row_type);
static AttrNumber column_number(TupleDesc desc, AttrNumber guess,
								const char *name);
static Datum row_column(HeapTuple tuple, TupleDesc desc, AttrNumber guess,
						const char *name);

Datum
item_of(PG_FUNCTION_ARGS)
{
	HeapTupleHeader header = PG_GETARG_HEAPTUPLEHEADER(0);
	Oid			row_type = HeapTupleHeaderGetTypeId(header);
	const ItemTable *table = table_of_row_type(row_type);
	TupleDesc	desc;
	HeapTupleData tuple;
	ItemRow		row;
	ItemData   *result;

	desc = lookup_rowtype_tupdesc(row_type, HeapTupleHeaderGetTypMod(header));
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;

	memset(&row, 0, sizeof(row));
	if (table != NULL)
		table_row(table, &tuple, desc, &row);
	else if (!index_row(row_type, &tuple, desc, &row))
		not_an_item(row_type);
	result = item_row_to_item(&row);
	ReleaseTupleDesc(desc);
	PG_RETURN_ITEM_P(result);
}

static void
table_row(const ItemTable *table, HeapTuple tuple, TupleDesc desc,
		  ItemRow *row)
{
	Datum		attributes;

	row->nkeys = table->schema.n;
	for (int i = 0; i < table->schema.n; i++)
	{
		const KeyAttribute *attribute = &table->schema.attributes[i];
		Datum		datum = row_column(tuple, desc, table->key_attnums[i],
									   i == 0 ? META_PK_COLUMN :
									   META_SK_COLUMN);

		row->keys[i].name = attribute->name;
		row->keys[i].name_len = attribute->name_len;
		row->keys[i].value = key_part_from_datum(&table->schema, i, datum);
	}
	attributes = row_column(tuple, desc, table->attributes_attnum,
							META_ATTRIBUTES_COLUMN);
	row->attributes = item_root(DatumGetItemP(attributes));
}

/* A row of an index table; false when it is none. */
static bool
index_row(Oid row_type, HeapTuple tuple, TupleDesc desc, ItemRow *row)
{
	Oid			relid = row_type == RECORDOID ? InvalidOid :
		get_typ_typrelid(row_type);
	StoreIndex	store;
	TupleTableSlot *slot;

	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_RELATION)
		return false;
	store.rel = table_open(relid, AccessShareLock);
	if (store_index_of_relation(store.rel, &store))
	{
		store_index_set_columns(&store);
		check_no_nulls(tuple, desc);
		slot = MakeSingleTupleTableSlot(desc, &TTSOpsHeapTuple);
		ExecStoreHeapTuple(tuple, slot, false);
		store_index_row(&store, slot, row);
		/* the row's bytes are the caller's, not the slot's */
		ExecDropSingleTupleTableSlot(slot);
	}
	else
		relid = InvalidOid;
	table_close(store.rel, AccessShareLock);
	return OidIsValid(relid);
}

static void
check_no_nulls(HeapTuple tuple, TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (!attribute->attisdropped && attribute->attnotnull)
			(void) row_column(tuple, desc, i + 1, NameStr(attribute->attname));
	}
}

/*
 * The item table that rows of this type belong to, a partition's, too; or NULL.
 */
static const ItemTable *
table_of_row_type(Oid row_type)
{
	Oid			relid = row_type == RECORDOID ? InvalidOid :
		get_typ_typrelid(row_type);
	const ItemTable *table = NULL;

	if (OidIsValid(relid))
		table = meta_table_of_partition(relid);
	return table;
}

static void
not_an_item(Oid row_type)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("cannot make an item of a value of type %s",
					format_type_be(row_type)),
			 errdetail("Only a row of an item table or of an index table is an item."),
			 errhint("Write SELECT partitioning.item_of(t) FROM item_table AS t.")));
}

/*
 * Number of one of our columns.  The named table's is a guess only, since
 * those of its partitions may differ.
 */
static AttrNumber
column_number(TupleDesc desc, AttrNumber guess, const char *name)
{
	if (guess <= desc->natts &&
		!TupleDescAttr(desc, guess - 1)->attisdropped &&
		strcmp(NameStr(TupleDescAttr(desc, guess - 1)->attname), name) == 0)
		return guess;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (!attribute->attisdropped &&
			strcmp(NameStr(attribute->attname), name) == 0)
			return attribute->attnum;
	}
	elog(ERROR, "row of an item table has no column \"%s\"", name);
}

static Datum
row_column(HeapTuple tuple, TupleDesc desc, AttrNumber guess,
		   const char *name)
{
	bool		isnull;
	Datum		datum;

	datum = heap_getattr(tuple, column_number(desc, guess, name), desc,
						 &isnull);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("cannot make an item of a row without \"%s\"", name)));
	return datum;
}
