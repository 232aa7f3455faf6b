/*
 * api_item_of.c
 *	  item_of(row): the whole item, key attributes included, of a table row.
 *
 * A whole-row value carries its row type, and the row type of an item table
 * leads to the table.  A record built by ROW() or by a subquery carries none.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "api/api.h"
#include "base/errors.h"

PG_FUNCTION_INFO_V1(item_of);

static const ItemTable *table_of_row_type(Oid row_type);
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
	Datum		attributes;
	ItemData   *result;

	desc = lookup_rowtype_tupdesc(row_type, HeapTupleHeaderGetTypMod(header));
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;

	memset(&row, 0, sizeof(row));
	row.nkeys = table->schema.n;
	for (int i = 0; i < table->schema.n; i++)
	{
		const KeyAttribute *attribute = &table->schema.attributes[i];
		Datum		datum = row_column(&tuple, desc, table->key_attnums[i],
									   i == 0 ? META_PK_COLUMN :
									   META_SK_COLUMN);

		row.keys[i].name = attribute->name;
		row.keys[i].name_len = attribute->name_len;
		row.keys[i].value = key_ref_from_datum(attribute->type, datum);
	}
	attributes = row_column(&tuple, desc, table->attributes_attnum,
							META_ATTRIBUTES_COLUMN);
	row.attributes = item_root(DatumGetItemP(attributes));
	result = item_row_to_item(&row);
	ReleaseTupleDesc(desc);
	PG_RETURN_ITEM_P(result);
}

/*
 * The item table that rows of this type belong to; a partition's do, too.
 */
static const ItemTable *
table_of_row_type(Oid row_type)
{
	Oid			relid = row_type == RECORDOID ? InvalidOid :
		get_typ_typrelid(row_type);
	const ItemTable *table = NULL;

	if (OidIsValid(relid))
		table = meta_table_of_partition(relid);
	if (table == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("cannot make an item of a value of type %s",
						format_type_be(row_type)),
				 errdetail("Only a row of an item table is an item."),
				 errhint("Write SELECT partitioning.item_of(t) FROM item_table AS t.")));
	return table;
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
