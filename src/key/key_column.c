/*
 * key_column.c
 *	  Columns of local indexes: SQL functions that generate them.
 *
 * The sort key of a local index is a stored generated column of its table, so
 * that the index is on a column and updates which leave the attribute alone
 * stay within the page (HOT).  Names and templates are constants of the
 * column's expression; no catalog is read, as in check constraints.
 *
 * A value that cannot be a key gives NULL, as if there were none: rows may be
 * older than the index.  New ones are refused by key_check_indexed().
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "base/compat.h"
#include "key/key.h"

PG_FUNCTION_INFO_V1(index_key_text);
PG_FUNCTION_INFO_V1(index_key_numeric);
PG_FUNCTION_INFO_V1(index_key_bytea);
PG_FUNCTION_INFO_V1(index_key_template);

static Datum stored_value(FunctionCallInfo fcinfo, ItemType type);
static Datum column_value(FunctionCallInfo fcinfo,
						  const KeyIndexAttribute *indexed,
						  const ItemRow *row);
static const KeyTemplate *call_template(FunctionCallInfo fcinfo);
static ItemType key_type(FunctionCallInfo fcinfo, int arg);

/* index_key_text(name text, attributes item) → text */
Datum
index_key_text(PG_FUNCTION_ARGS)
{
	return stored_value(fcinfo, ITEM_S);
}

/* index_key_numeric(name text, attributes item) → numeric */
Datum
index_key_numeric(PG_FUNCTION_ARGS)
{
	return stored_value(fcinfo, ITEM_N);
}

/* index_key_bytea(name text, attributes item) → bytea */
Datum
index_key_bytea(PG_FUNCTION_ARGS)
{
	return stored_value(fcinfo, ITEM_B);
}

/*
 * index_key_template(template text, attributes item,
 *					  [pk_name text, pk "any", [sk_name text, sk "any"]]) → text
 */
Datum
index_key_template(PG_FUNCTION_ARGS)
{
	KeyIndexAttribute indexed = {
		.attribute.type = ITEM_S,
		.sort = true
	};
	ItemRow		row;

	indexed.template = call_template(fcinfo);
	row.nkeys = (PG_NARGS() - 2) / 2;
	for (int i = 0; i < row.nkeys; i++)
	{
		text	   *name = PG_GETARG_TEXT_PP(2 + 2 * i);

		row.keys[i].name = VARDATA_ANY(name);
		row.keys[i].name_len = VARSIZE_ANY_EXHDR(name);
		row.keys[i].value = key_ref_from_datum(key_type(fcinfo, 3 + 2 * i),
											   PG_GETARG_DATUM(3 + 2 * i));
	}
	row.attributes = item_root(PG_GETARG_ITEM_PP(1));
	return column_value(fcinfo, &indexed, &row);
}

/* Value of an attribute as it is stored; its name is argument 0. */
static Datum
stored_value(FunctionCallInfo fcinfo, ItemType type)
{
	text	   *name = PG_GETARG_TEXT_PP(0);
	KeyIndexAttribute indexed = {
		.attribute.type = type,
		.sort = true
	};
	ItemRow		row;

	indexed.attribute.name = VARDATA_ANY(name);
	indexed.attribute.name_len = VARSIZE_ANY_EXHDR(name);
	row.nkeys = 0;
	row.attributes = item_root(PG_GETARG_ITEM_PP(1));
	return column_value(fcinfo, &indexed, &row);
}

static Datum
column_value(FunctionCallInfo fcinfo, const KeyIndexAttribute *indexed,
			 const ItemRow *row)
{
	ItemRef		value;

	if (row->attributes.type != ITEM_M ||
		!key_index_value(indexed, row, &value) ||
		!key_index_fits(indexed, value))
		PG_RETURN_NULL();
	return key_datum_from_ref(value);
}

/* The template, parsed once for a call site. */
static const KeyTemplate *
call_template(FunctionCallInfo fcinfo)
{
	text	   *source = PG_GETARG_TEXT_PP(0);
	KeyTemplate *template = fcinfo->flinfo->fn_extra;
	MemoryContext old;

	if (template != NULL && get_fn_expr_arg_stable(fcinfo->flinfo, 0))
		return template;
	old = MemoryContextSwitchTo(get_fn_expr_arg_stable(fcinfo->flinfo, 0) ?
								fcinfo->flinfo->fn_mcxt :
								CurrentMemoryContext);
	template = key_template_parse(VARDATA_ANY(source),
								  VARSIZE_ANY_EXHDR(source));
	MemoryContextSwitchTo(old);
	if (get_fn_expr_arg_stable(fcinfo->flinfo, 0))
		fcinfo->flinfo->fn_extra = template;
	return template;
}

static ItemType
key_type(FunctionCallInfo fcinfo, int arg)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, arg);

	switch (type)
	{
		case TEXTOID:
			return ITEM_S;
		case NUMERICOID:
			return ITEM_N;
		case BYTEAOID:
			return ITEM_B;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("key value must be of type text, numeric or bytea, not %s",
							OidIsValid(type) ? format_type_be(type) : "unknown")));
	}
	return ITEM_S;				/* keep compiler quiet */
}
