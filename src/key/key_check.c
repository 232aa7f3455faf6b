/*
 * key_check.c
 *	  The rules that every row of an item table obeys, as C and as the SQL
 *	  function of the table's check constraint.
 *
 * The constraint carries attribute names and limits as constants and reads no
 * catalog, so it holds while a dump is restored, when the extension's own
 * tables may still be empty.  It raises the service's errors rather than
 * return false: the service's text says more than the name of a constraint.
 */
#include "postgres.h"

#include "access/itup.h"
#include "access/toast_internals.h"
#include "access/toast_compression.h"
#include "access/heaptoast.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "key/key.h"

/* What one call site of check_item() needs again and again. */
typedef struct CheckItemState
{
	bool		constant_names;
	KeySchema	schema;
} CheckItemState;

PG_FUNCTION_INFO_V1(check_item);

static Size index_tuple_size(int n, const Datum *datums);
static Size add_index_value(Size size, Datum value);
static CheckItemState *check_item_state(FunctionCallInfo fcinfo, int nkeys);
static void check_item_attribute(FunctionCallInfo fcinfo, int arg,
								 KeyAttribute *attribute);

void
key_check_item(const KeySchema *schema, const ItemKey *key,
			   ItemRef attributes, int index_limit)
{
	uint32		size;

	if (unlikely(attributes.type != ITEM_M))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("attributes of an item must be a map, not of type %s",
						item_type_tag(attributes.type))));

	size = item_map_size(attributes);
	for (int i = 0; i < schema->n; i++)
	{
		const KeyAttribute *attribute = &schema->attributes[i];
		ItemRef		found;

		key_check_value(attribute, i, key->refs[i]);
		if (unlikely(item_map_find(attributes, attribute->name,
								   attribute->name_len, &found)))
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("attributes of an item cannot contain the key attribute \"%s\"",
							attribute->name),
					 errdetail("Its value is stored in column \"%s\".",
							   i == 0 ? "pk" : "sk")));
		size += attribute->name_len + item_ref_size(key->refs[i]);
	}
	if (unlikely(size > LIMIT_ITEM_SIZE))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_ITEM_SIZE),
				 errdetail("The item has %u bytes, the limit is %d.",
						   size, LIMIT_ITEM_SIZE)));
	key_check_index_size(key, index_limit);
}

void
key_check_index_size(const ItemKey *key, int index_limit)
{
	key_check_entry_size(NULL, key->n, key->datums, index_limit);
}

/* The same for an entry of a local index; of the key index without a name. */
void
key_check_entry_size(const char *index_name, int n, const Datum *datums,
					 int index_limit)
{
	Size		size = MAXALIGN(sizeof(IndexTupleData));

	if (index_limit == 0)
		return;

	/* no key below this bound needs a closer look, nearly none is above */
	for (int i = 0; i < n; i++)
		size += INTALIGN(VARSIZE_ANY(DatumGetPointer(datums[i])) + VARHDRSZ);
	if (likely(size <= (Size) index_limit))
		return;

	size = index_tuple_size(n, datums);
	if (size > (Size) index_limit)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 index_name == NULL ?
				 errmsg("key is too long for the table's btree index") :
				 errmsg("key is too long for the btree index of local index \"%s\"",
						index_name),
				 errdetail("Its index entry has %zu bytes, the limit is %d.",
						   size, index_limit),
				 errhint("Shorten the partition key or the sort key; together they may have %d bytes, or more if they compress well.",
						 index_limit - 24)));
}

/* The same as an answer. */
bool
key_index_size_fits(const ItemKey *key, int index_limit)
{
	Size		size = MAXALIGN(sizeof(IndexTupleData));

	for (int i = 0; i < key->n; i++)
		size += INTALIGN(VARSIZE_ANY(DatumGetPointer(key->datums[i])) +
						 VARHDRSZ);
	return likely(size <= (Size) index_limit) ||
		index_tuple_size(key->n, key->datums) <= (Size) index_limit;
}

/*
 * check_item(pk_name text, pk "any", [sk_name text, sk "any",]
 *			  attributes item, index_limit int): true, or the error
 */
Datum
check_item(PG_FUNCTION_ARGS)
{
	int			nkeys = (PG_NARGS() - 2) / 2;
	CheckItemState *state;
	ItemKey		key;
	ItemData   *attributes;

	/* NOT NULL of the columns is not this constraint's matter */
	for (int i = 0; i < PG_NARGS(); i++)
	{
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	}

	state = check_item_state(fcinfo, nkeys);
	key.n = nkeys;
	for (int i = 0; i < nkeys; i++)
	{
		key.datums[i] =
			PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(2 * i + 1)));
		key.refs[i] = key_ref_from_datum(state->schema.attributes[i].type,
										 key.datums[i]);
	}
	attributes = PG_GETARG_ITEM_P(2 * nkeys);
	key_check_item(&state->schema, &key, item_root(attributes),
				   PG_GETARG_INT32(2 * nkeys + 1));
	PG_FREE_IF_COPY(attributes, 2 * nkeys);
	PG_RETURN_BOOL(true);
}

/* Size that index_form_tuple() would give this key's tuple. */
static Size
index_tuple_size(int n, const Datum *datums)
{
	Size		size = MAXALIGN(sizeof(IndexTupleData));

	for (int i = 0; i < n; i++)
		size = add_index_value(size, datums[i]);
	return MAXALIGN(size);
}

/*
 * Adds one value: compressed as the index would do it, with the compression
 * that is the default now, which is the column's unless somebody has set
 * another for it.
 */
static Size
add_index_value(Size size, Datum value)
{
	Size		value_size = VARSIZE_ANY_EXHDR(DatumGetPointer(value)) + VARHDRSZ;

	if (value_size - VARHDRSZ + VARHDRSZ_SHORT <= VARATT_SHORT_MAX)
		return size + value_size - VARHDRSZ + VARHDRSZ_SHORT;
	if (value_size > TOAST_INDEX_TARGET)
	{
		Datum		compressed = toast_compress_datum(value,
													  InvalidCompressionMethod);

		if (DatumGetPointer(compressed) != NULL)
			value_size = VARSIZE(DatumGetPointer(compressed));
	}
	return INTALIGN(size) + value_size;
}

/* Key schema that a call means, kept between calls when names are constants. */
static CheckItemState *
check_item_state(FunctionCallInfo fcinfo, int nkeys)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	CheckItemState *state = flinfo->fn_extra;
	bool		constant_names = true;
	MemoryContext old;

	if (state != NULL && state->constant_names)
		return state;

	old = MemoryContextSwitchTo(flinfo->fn_mcxt);
	if (state == NULL)
		flinfo->fn_extra = state = palloc0(sizeof(CheckItemState));
	state->schema.n = nkeys;
	for (int i = 0; i < nkeys; i++)
	{
		if (state->schema.attributes[i].name != NULL)
			pfree(unconstify(char *, state->schema.attributes[i].name));
		state->schema.attributes[i].name = NULL;
		check_item_attribute(fcinfo, 2 * i, &state->schema.attributes[i]);
		constant_names &= get_fn_expr_arg_stable(flinfo, 2 * i);
	}
	state->constant_names = constant_names;
	MemoryContextSwitchTo(old);
	return state;
}

/* Name and type of the key attribute whose name is argument arg. */
static void
check_item_attribute(FunctionCallInfo fcinfo, int arg, KeyAttribute *attribute)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, arg + 1);

	switch (type)
	{
		case TEXTOID:
			attribute->type = ITEM_S;
			break;
		case NUMERICOID:
			attribute->type = ITEM_N;
			break;
		case BYTEAOID:
			attribute->type = ITEM_B;
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("key value must be of type text, numeric or bytea, not %s",
							OidIsValid(type) ? format_type_be(type) : "unknown")));
	}
	attribute->name = text_to_cstring(PG_GETARG_TEXT_PP(arg));
	attribute->name_len = strlen(attribute->name);
}
