/*
 * key_value.c
 *	  Values of key attributes: from items, to columns, and their rules.
 *
 * The two ways in are the Key argument of an operation and the whole item of
 * PutItem; they differ in what the service says about a missing or mistyped
 * attribute.  Both run for every item operation, so the way without errors is
 * straight.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "key/key.h"

static void check_empty(const KeyAttribute *attribute, ItemRef value);
static void check_length(int part, ItemRef value);
pg_noreturn static void key_schema_error(const KeySchema *schema);
static void key_fill(const KeySchema *schema, ItemKey *key);

/* Type of the column that holds a key attribute. */
Oid
key_column_type(ItemType type)
{
	switch (type)
	{
		case ITEM_S:
			return TEXTOID;
		case ITEM_N:
			return NUMERICOID;
		case ITEM_B:
			return BYTEAOID;
		default:
			elog(ERROR, "item type %d cannot be a key", (int) type);
	}
	return InvalidOid;			/* keep compiler quiet */
}

/* A key attribute's value as its column's Datum, palloc'd. */
Datum
key_datum_from_ref(ItemRef value)
{
	switch (value.type)
	{
		case ITEM_S:
			if (unlikely(memchr(value.data, '\0', value.len) != NULL))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg("key attribute cannot contain the character U+0000"),
						 errdetail("Key attributes of type S are stored as text, which cannot hold this character."),
						 errhint("Use a key attribute of type B, or keep such strings out of the key.")));
			return PointerGetDatum(cstring_to_text_with_len(value.data,
															value.len));
		case ITEM_N:
			return NumericGetDatum(item_number_to_numeric(value));
		case ITEM_B:
			return PointerGetDatum(cstring_to_text_with_len(value.data,
															value.len));
		default:
			elog(ERROR, "item type %d cannot be a key", (int) value.type);
	}
	return (Datum) 0;			/* keep compiler quiet */
}

/*
 * A key column's Datum as an item's value.  Text and binary values point into
 * the Datum, or into a detoasted copy in the current memory context; numbers
 * are encoded there.
 */
ItemRef
key_ref_from_datum(ItemType type, Datum datum)
{
	ItemRef		ref;

	ref.type = type;
	if (type == ITEM_N)
	{
		char	   *number = palloc(ITEM_NUMBER_MAX_LEN);

		ref.len = item_number_from_numeric(DatumGetNumeric(datum), number);
		ref.data = number;
	}
	else
	{
		struct varlena *value = PG_DETOAST_DATUM_PACKED(datum);

		ref.len = VARSIZE_ANY_EXHDR(value);
		ref.data = VARDATA_ANY(value);
	}
	return ref;
}

/*
 * Compares two values of a key column in the order of a sort key.
 */
int
key_datum_compare(ItemType type, Datum a, Datum b)
{
	struct varlena *x = (struct varlena *) DatumGetPointer(a);
	struct varlena *y = (struct varlena *) DatumGetPointer(b);
	Size		x_len;
	Size		y_len;
	int			cmp;

	if (type == ITEM_N)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
	x_len = VARSIZE_ANY_EXHDR(x);
	y_len = VARSIZE_ANY_EXHDR(y);
	cmp = memcmp(VARDATA_ANY(x), VARDATA_ANY(y), Min(x_len, y_len));
	if (cmp == 0)
		cmp = x_len < y_len ? -1 : x_len > y_len;
	return cmp;
}

/*
 * Key from an operation's Key argument, which must hold the schema's
 * attributes and nothing else.
 */
void
key_from_key_argument(const KeySchema *schema, ItemRef map, ItemKey *key)
{
	if (unlikely(map.type != ITEM_M || item_map_count(map) != schema->n))
		key_schema_error(schema);
	for (int i = 0; i < schema->n; i++)
	{
		const KeyAttribute *attribute = &schema->attributes[i];

		if (unlikely(!item_map_find(map, attribute->name, attribute->name_len,
									&key->refs[i]) ||
					 key->refs[i].type != attribute->type))
			key_schema_error(schema);
	}
	key_fill(schema, key);
}

/* Key from a whole item. */
void
key_from_item(const KeySchema *schema, ItemRef map, ItemKey *key)
{
	ItemRow		row;

	if (unlikely(map.type != ITEM_M))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("item must be a map, not of type %s",
						item_type_tag(map.type))));
	for (int i = 0; i < schema->n; i++)
	{
		const KeyAttribute *attribute = &schema->attributes[i];

		if (unlikely(!item_map_find(map, attribute->name, attribute->name_len,
									&key->refs[i])))
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_KEY_MISSING, attribute->name)));
		if (unlikely(key->refs[i].type != attribute->type))
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_KEY_TYPE, attribute->name,
							item_type_tag(attribute->type),
							item_type_tag(key->refs[i].type))));
	}
	key_fill(schema, key);
	if (schema->nindexed > 0)
	{
		row.nkeys = 0;
		row.attributes = map;
		key_check_indexed(schema, &row, false);
	}
}

/* Emptiness and length of one part of a key; 0 is the partition key. */
void
key_check_value(const KeyAttribute *attribute, int part, ItemRef value)
{
	check_empty(attribute, value);
	check_length(part, value);
}

/* Number of the key attribute of this name, or -1. */
int
key_schema_find(const KeySchema *schema, const char *name, uint32 name_len)
{
	for (int i = 0; i < schema->n; i++)
	{
		if (schema->attributes[i].name_len == name_len &&
			memcmp(schema->attributes[i].name, name, name_len) == 0)
			return i;
	}
	return -1;
}

bool
key_schema_equal(const KeySchema *a, const KeySchema *b)
{
	if (a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++)
	{
		if (a->attributes[i].type != b->attributes[i].type ||
			a->attributes[i].name_len != b->attributes[i].name_len ||
			memcmp(a->attributes[i].name, b->attributes[i].name,
				   a->attributes[i].name_len) != 0)
			return false;
	}
	return true;
}

/* Checks the values in key->refs, emptiness before length, and makes Datums. */
static void
key_fill(const KeySchema *schema, ItemKey *key)
{
	key->n = schema->n;
	for (int i = 0; i < schema->n; i++)
		check_empty(&schema->attributes[i], key->refs[i]);
	for (int i = 0; i < schema->n; i++)
		check_length(i, key->refs[i]);
	for (int i = 0; i < schema->n; i++)
		key->datums[i] = key_datum_from_ref(key->refs[i]);
}

static void
check_empty(const KeyAttribute *attribute, ItemRef value)
{
	if (likely(value.len > 0) || value.type == ITEM_N)
		return;
	if (value.type == ITEM_S)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_KEY_EMPTY_STRING, attribute->name)));
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_KEY_EMPTY_BINARY, attribute->name)));
}

static void
check_length(int part, ItemRef value)
{
	if (value.type == ITEM_N)
		return;
	if (part == 0 && unlikely(value.len > LIMIT_PARTITION_KEY))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_PARTITION_KEY_SIZE)));
	if (part == 1 && unlikely(value.len > LIMIT_SORT_KEY))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_SORT_KEY_SIZE)));
}

static void
key_schema_error(const KeySchema *schema)
{
	const KeyAttribute *pk = &schema->attributes[0];
	const KeyAttribute *sk = &schema->attributes[1];

	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_KEY_SCHEMA),
			 schema->n == 1 ?
			 errdetail("A key has the attribute \"%s\" (%s) and no other.",
					   pk->name, item_type_tag(pk->type)) :
			 errdetail("A key has the attributes \"%s\" (%s) and \"%s\" (%s) and no others.",
					   pk->name, item_type_tag(pk->type),
					   sk->name, item_type_tag(sk->type))));
}

void
key_copy(ItemKey *to, const ItemKey *from)
{
	to->n = from->n;
	for (int i = 0; i < from->n; i++)
	{
		to->datums[i] = key_datum_from_ref(from->refs[i]);
		to->refs[i] = key_ref_from_datum(from->refs[i].type, to->datums[i]);
	}
}

bool
key_equal(const ItemKey *a, const ItemKey *b)
{
	for (int i = 0; i < a->n; i++)
	{
		if (!item_ref_equal(a->refs[i], b->refs[i]))
			return false;
	}
	return true;
}

int
key_order_bytes(const ItemKey *a, const ItemKey *b)
{
	int			result = 0;

	for (int i = 0; i < a->n && result == 0; i++)
	{
		const ItemRef *left = &a->refs[i];
		const ItemRef *right = &b->refs[i];

		result = memcmp(left->data, right->data, Min(left->len, right->len));
		if (result == 0 && left->len != right->len)
			result = left->len < right->len ? -1 : 1;
	}
	return result;
}
