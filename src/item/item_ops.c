/*
 * item_ops.c
 *	  Accessors and operators of the type item.
 *
 * Steps of a path are texts: in a map the name of an attribute, in a list the
 * decimal position of an element, from 0; negative positions count from the
 * end, as for jsonb.  A step that finds nothing gives NULL.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/errors.h"
#include "item/item_private.h"

PG_FUNCTION_INFO_V1(item_get);
PG_FUNCTION_INFO_V1(item_text);
PG_FUNCTION_INFO_V1(item_number);
PG_FUNCTION_INFO_V1(item_has);
PG_FUNCTION_INFO_V1(item_size);
PG_FUNCTION_INFO_V1(item_type);
PG_FUNCTION_INFO_V1(item_get_attribute);
PG_FUNCTION_INFO_V1(item_get_element);
PG_FUNCTION_INFO_V1(item_text_attribute);
PG_FUNCTION_INFO_V1(item_text_element);
PG_FUNCTION_INFO_V1(item_exists);
PG_FUNCTION_INFO_V1(item_concat);
PG_FUNCTION_INFO_V1(item_remove_attribute);
PG_FUNCTION_INFO_V1(item_remove_attributes);
PG_FUNCTION_INFO_V1(item_remove_element);

static bool find_argument(FunctionCallInfo fcinfo, ItemRef *result);
static bool element_at(ItemRef list, int64 index, ItemRef *result);
static text *value_to_text(ItemRef value);
static ItemRef as_list(ItemRef value);
static ItemData *merge_maps(ItemRef a, ItemRef b);
pg_noreturn static void refuse_type(const char *format, ItemType type);

Datum
item_get(PG_FUNCTION_ARGS)
{
	ItemRef		value;

	if (!find_argument(fcinfo, &value))
		PG_RETURN_NULL();
	PG_RETURN_ITEM_P(item_from_ref(value));
}

Datum
item_text(PG_FUNCTION_ARGS)
{
	ItemRef		value;

	if (!find_argument(fcinfo, &value) || value.type == ITEM_NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(value_to_text(value));
}

/* NULL also for a value that is no number. */
Datum
item_number(PG_FUNCTION_ARGS)
{
	ItemRef		value;

	if (!find_argument(fcinfo, &value) || value.type != ITEM_N)
		PG_RETURN_NULL();
	PG_RETURN_NUMERIC(item_number_to_numeric(value));
}

Datum
item_has(PG_FUNCTION_ARGS)
{
	ItemRef		value;

	PG_RETURN_BOOL(find_argument(fcinfo, &value));
}

/* Of a map as an item, of any other value as an attribute. */
Datum
item_size(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));

	PG_RETURN_INT32(value.type == ITEM_M ? item_map_size(value) :
					item_ref_size(value));
}

Datum
item_type(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));

	PG_RETURN_TEXT_P(cstring_to_text(item_type_tag(value.type)));
}

Datum
item_get_attribute(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	text	   *name = PG_GETARG_TEXT_PP(1);

	if (value.type != ITEM_M ||
		!item_map_find(value, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name),
					   &value))
		PG_RETURN_NULL();
	PG_RETURN_ITEM_P(item_from_ref(value));
}

Datum
item_get_element(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));

	if (value.type != ITEM_L ||
		!element_at(value, PG_GETARG_INT32(1), &value))
		PG_RETURN_NULL();
	PG_RETURN_ITEM_P(item_from_ref(value));
}

Datum
item_text_attribute(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	text	   *name = PG_GETARG_TEXT_PP(1);

	if (value.type != ITEM_M ||
		!item_map_find(value, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name),
					   &value) ||
		value.type == ITEM_NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(value_to_text(value));
}

Datum
item_text_element(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));

	if (value.type != ITEM_L ||
		!element_at(value, PG_GETARG_INT32(1), &value) ||
		value.type == ITEM_NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(value_to_text(value));
}

/* Attribute of a map, or element of a list or string set. */
Datum
item_exists(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	text	   *name = PG_GETARG_TEXT_PP(1);
	ItemRef		string = item_make_ref(ITEM_S, VARDATA_ANY(name),
									   VARSIZE_ANY_EXHDR(name));

	if (value.type == ITEM_M)
		PG_RETURN_BOOL(item_map_find(value, string.data, string.len, &value));
	PG_RETURN_BOOL((value.type == ITEM_L || value.type == ITEM_SS) &&
				   item_ref_contains(value, string));
}

/*
 * Two maps: the attributes of both, the right one's where both have one.  Two
 * sets of a type: their union.  A list with anything: the elements, one after
 * the other.
 */
Datum
item_concat(PG_FUNCTION_ARGS)
{
	ItemRef		a = item_root(PG_GETARG_ITEM_PP(0));
	ItemRef		b = item_root(PG_GETARG_ITEM_PP(1));

	if (a.type == ITEM_M && b.type == ITEM_M)
		PG_RETURN_ITEM_P(merge_maps(a, b));
	if (a.type == ITEM_L || b.type == ITEM_L)
	{
		ItemRef		list = item_list_concat(as_list(a), as_list(b));

		item_check_depth(list);
		PG_RETURN_ITEM_P(item_from_ref(list));
	}
	if (item_type_is_set(a.type) && a.type == b.type)
		PG_RETURN_ITEM_P(item_from_ref(item_set_union(a, b)));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("cannot concatenate item values of types %s and %s",
					item_type_tag(a.type), item_type_tag(b.type))));
}

Datum
item_remove_attribute(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	text	   *name = PG_GETARG_TEXT_PP(1);
	const char *data = VARDATA_ANY(name);
	uint32		len = VARSIZE_ANY_EXHDR(name);

	if (value.type != ITEM_M)
		refuse_type("cannot remove an attribute from an item value of type %s",
					value.type);
	PG_RETURN_ITEM_P(item_map_without(value, 1, &data, &len));
}

Datum
item_remove_attributes(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	ItemValue  *map = item_value_from_ref(value);
	Datum	   *names;
	bool	   *nulls;
	int			n;

	if (value.type != ITEM_M)
		refuse_type("cannot remove an attribute from an item value of type %s",
					value.type);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false,
					  TYPALIGN_INT, &names, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		text	   *name;

		if (nulls[i])
			continue;
		name = DatumGetTextPP(names[i]);
		item_value_map_remove(map, VARDATA_ANY(name),
							  VARSIZE_ANY_EXHDR(name));
	}
	PG_RETURN_ITEM_P(item_value_to_item(map));
}

Datum
item_remove_element(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	int64		index = PG_GETARG_INT32(1);
	ItemValue  *list = item_value_from_ref(value);
	int			count;

	if (value.type != ITEM_L)
		refuse_type("cannot remove an element from an item value of type %s",
					value.type);
	count = item_list_count(value);
	if (index < 0)
		index += count;
	if (index >= 0 && index < count)
		item_value_list_remove(list, index);
	PG_RETURN_ITEM_P(item_value_to_item(list));
}

/* One step of a path given as text; false when it finds nothing. */
bool
item_step(ItemRef value, const char *step, uint32 len, ItemRef *result)
{
	int64		index;

	if (value.type == ITEM_M)
		return item_map_find(value, step, len, result);
	if (value.type == ITEM_L)
	{
		int			count = item_list_count(value);

		if (!item_step_index(step, len, count, &index) ||
			index < 0 || index >= count)
			return false;
		*result = item_list_element(value, index);
		return true;
	}
	return false;
}

/*
 * Position in a list of that many elements that a decimal text means, which
 * may be outside of it.  False when the text is no whole number.
 */
bool
item_step_index(const char *step, uint32 len, int count, int64 *index)
{
	bool		negative = len > 0 && step[0] == '-';
	int64		value = 0;

	if (len <= (uint32) negative)
		return false;
	for (uint32 i = negative; i < len; i++)
	{
		if (step[i] < '0' || step[i] > '9')
			return false;
		value = Min(value * 10 + (step[i] - '0'), PG_INT32_MAX);
	}
	*index = negative ? count - value : value;
	return true;
}

/*
 * The value that the arguments of an accessor mean: an item, and a text[]
 * path unless the item itself is meant.  False also when the path has a NULL
 * in it.
 */
static bool
find_argument(FunctionCallInfo fcinfo, ItemRef *result)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	Datum	   *steps;
	bool	   *nulls;
	int			n = 0;

	if (PG_NARGS() > 1)
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false,
						  TYPALIGN_INT, &steps, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		text	   *step;

		if (nulls[i])
			return false;
		step = DatumGetTextPP(steps[i]);
		if (!item_step(value, VARDATA_ANY(step), VARSIZE_ANY_EXHDR(step),
					   &value))
			return false;
	}
	*result = value;
	return true;
}

/* Element of a list; negative positions count from the end. */
static bool
element_at(ItemRef list, int64 index, ItemRef *result)
{
	int			count = item_list_count(list);

	if (index < 0)
		index += count;
	if (index < 0 || index >= count)
		return false;
	*result = item_list_element(list, index);
	return true;
}

/* A string as it is, anything else in the text form of the type. */
static text *
value_to_text(ItemRef value)
{
	StringInfoData out;

	if (value.type == ITEM_S)
	{
		if (memchr(value.data, '\0', value.len) != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					 errmsg("string with U+0000 cannot be converted to text")));
		return cstring_to_text_with_len(value.data, value.len);
	}
	initStringInfo(&out);
	item_append_json(&out, value);
	return cstring_to_text_with_len(out.data, out.len);
}

/* A list, or a list of the one value. */
static ItemRef
as_list(ItemRef value)
{
	ItemValue  *list;

	if (value.type == ITEM_L)
		return value;
	list = item_value_list();
	item_value_list_append(list, item_value_from_ref(value));
	return item_value_encode(list);
}

static ItemData *
merge_maps(ItemRef a, ItemRef b)
{
	ItemValue  *map = item_value_from_ref(a);

	for (int i = 0; i < item_map_count(b); i++)
	{
		const char *name;
		uint32		name_len;
		ItemRef		value = item_map_member(b, i, &name, &name_len);

		CHECK_FOR_INTERRUPTS();
		item_value_map_set(map, name, name_len, item_value_from_ref(value));
	}
	return item_value_to_item(map);
}

static void
refuse_type(const char *format, ItemType type)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg(format, item_type_tag(type))));
}
