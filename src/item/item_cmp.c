/*
 * item_cmp.c
 *	  Equality, the total order over all values, prefix and containment.
 *
 * Because the encoding is canonical, equality is a comparison of bytes.  The
 * service orders only strings, numbers and binaries, each among themselves;
 * the total order extends that to all values, so that they can be sorted and
 * indexed: first by type, in the order of ItemType, then false before true,
 * lists and sets element by element, maps by their members in the order of
 * names, a member's name before its value.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "item/item_private.h"

PG_FUNCTION_INFO_V1(item_eq);
PG_FUNCTION_INFO_V1(item_ne);
PG_FUNCTION_INFO_V1(item_lt);
PG_FUNCTION_INFO_V1(item_le);
PG_FUNCTION_INFO_V1(item_gt);
PG_FUNCTION_INFO_V1(item_ge);
PG_FUNCTION_INFO_V1(item_cmp);
PG_FUNCTION_INFO_V1(item_hash);
PG_FUNCTION_INFO_V1(item_hash_extended);

static void skip_alike(const ItemContainer *a, uint32 *i,
					   const ItemContainer *b, uint32 *j);
static uint32 common_prefix(const char *a, const char *b, uint32 len);
static int	first_member(const ItemContainer *a, uint32 i,
						 const ItemContainer *b, uint32 j, const char **name,
						 uint32 *name_len);
static int	compare_containers(ItemRef a, ItemRef b);
static int	compare_arguments(FunctionCallInfo fcinfo);
static bool bytes_contain(ItemRef hay, ItemRef needle);

bool
item_ref_equal(ItemRef a, ItemRef b)
{
	return a.type == b.type && a.len == b.len &&
		memcmp(a.data, b.data, a.len) == 0;
}

/*
 * Members are in the order of names in both maps, so one walk through both
 * finds what differs.  Most members are alike, to the byte.
 */
void
item_map_changes(ItemRef a, ItemRef b, ItemChanges *changes)
{
	ItemContainer left;
	ItemContainer right;
	uint32		i = 0;
	uint32		j = 0;

	changes->n = 0;
	item_container_open(a, &left);
	item_container_open(b, &right);
	for (;;)
	{
		const char *name = NULL;
		uint32		name_len = 0;
		int			cmp;

		skip_alike(&left, &i, &right, &j);
		if (i == left.count && j == right.count)
			return;
		if (changes->n == ITEM_MAX_CHANGES)
			break;
		cmp = first_member(&left, i, &right, j, &name, &name_len);
		changes->names[changes->n] = name;
		changes->name_lens[changes->n++] = name_len;
		if (cmp <= 0)
			i++;
		if (cmp >= 0)
			j++;
	}
	changes->n = -1;
}

/*
 * Goes past members that are the same in both maps: of those that end at the
 * same places, as far as the bytes agree.
 */
static void
skip_alike(const ItemContainer *a, uint32 *i, const ItemContainer *b,
		   uint32 *j)
{
	uint32		a_start = item_container_start(a, *i);
	uint32		b_start = item_container_start(b, *j);
	uint32		most = Min(a->count - *i, b->count - *j);
	uint32		len = 0;
	uint32		n;

	for (n = 0; n < most; n++)
	{
		uint32		end = item_container_end(a, *i + n) - a_start;

		if (end != item_container_end(b, *j + n) - b_start)
			break;
		len = end;
	}
	len = common_prefix(a->body + a_start, b->body + b_start, len);
	while (n > 0 && item_container_end(a, *i) - a_start <= len)
	{
		n--;
		(*i)++;
		(*j)++;
	}
}

static uint32
common_prefix(const char *a, const char *b, uint32 len)
{
	uint32		n = 0;

	while (n + sizeof(uint64) <= len &&
		   memcmp(a + n, b + n, sizeof(uint64)) == 0)
		n += sizeof(uint64);
	while (n < len && a[n] == b[n])
		n++;
	return n;
}

/* Which of two members comes first, or is there at all, and its name. */
static int
first_member(const ItemContainer *a, uint32 i, const ItemContainer *b,
			 uint32 j, const char **name, uint32 *name_len)
{
	const char *a_name;
	uint32		a_len;
	int			cmp = -1;

	if (j < b->count)
		(void) item_entry_name(b->body + item_container_start(b, j), name,
							   name_len);
	if (i == a->count)
		return 1;
	(void) item_entry_name(a->body + item_container_start(a, i), &a_name,
						   &a_len);
	if (j < b->count)
		cmp = item_bytes_compare(a_name, a_len, *name, *name_len);
	if (cmp <= 0)
	{
		*name = a_name;
		*name_len = a_len;
	}
	return cmp;
}

bool
item_changes_have(const ItemChanges *changes, const char *name,
				  uint32 name_len)
{
	for (int i = 0; i < changes->n; i++)
	{
		if (changes->name_lens[i] == name_len &&
			memcmp(changes->names[i], name, name_len) == 0)
			return true;
	}
	return changes->n < 0;
}

/* The total order: negative, zero (exactly when equal) or positive. */
int
item_ref_compare(ItemRef a, ItemRef b)
{
	if (a.type != b.type)
		return a.type < b.type ? -1 : 1;
	if (item_type_is_scalar(a.type))
		return item_bytes_compare(a.data, a.len, b.data, b.len);
	return compare_containers(a, b);
}

/* The service's order of two values of one type S, N or B. */
int
item_scalar_compare(ItemRef a, ItemRef b)
{
	return item_bytes_compare(a.data, a.len, b.data, b.len);
}

/* Both S or both B, and the one begins with the other. */
bool
item_ref_begins_with(ItemRef value, ItemRef prefix)
{
	return value.type == prefix.type &&
		(value.type == ITEM_S || value.type == ITEM_B) &&
		value.len >= prefix.len &&
		memcmp(value.data, prefix.data, prefix.len) == 0;
}

/*
 * What the service's contains() means: part of a string or binary, element
 * of a set, element of a list.
 */
bool
item_ref_contains(ItemRef container, ItemRef operand)
{
	if (container.type == ITEM_S || container.type == ITEM_B)
		return operand.type == container.type &&
			bytes_contain(container, operand);
	if (item_type_is_set(container.type))
		return item_set_contains(container, operand);
	if (container.type == ITEM_L)
	{
		ItemContainer c;
		const char *entry;

		item_container_open(container, &c);
		entry = c.body;
		for (uint32 i = 0; i < c.count; i++)
		{
			const char *end = c.body + item_container_end(&c, i);

			if (item_ref_equal(item_make_ref((ItemType) *entry, entry + 1,
											 end - (entry + 1)),
							   operand))
				return true;
			entry = end;
		}
	}
	return false;
}

/* False also when the scalar is of another type than the elements. */
bool
item_set_contains(ItemRef set, ItemRef scalar)
{
	int			low = 0;
	int			high = item_set_count(set);

	if (scalar.type != item_set_element_type(set.type))
		return false;
	while (low < high)
	{
		int			middle = low + (high - low) / 2;
		int			cmp = item_scalar_compare(scalar,
											  item_set_element(set, middle));

		if (cmp == 0)
			return true;
		if (cmp < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

Datum
item_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) == 0);
}

Datum
item_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) != 0);
}

Datum
item_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}

Datum
item_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}

Datum
item_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}

Datum
item_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

Datum
item_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

Datum
item_hash(PG_FUNCTION_ARGS)
{
	ItemData   *item = PG_GETARG_ITEM_PP(0);
	Datum		result;

	result = hash_any((unsigned char *) VARDATA_ANY(item),
					  VARSIZE_ANY_EXHDR(item));
	PG_FREE_IF_COPY(item, 0);
	PG_RETURN_DATUM(result);
}

Datum
item_hash_extended(PG_FUNCTION_ARGS)
{
	ItemData   *item = PG_GETARG_ITEM_PP(0);
	Datum		result;

	result = hash_any_extended((unsigned char *) VARDATA_ANY(item),
							   VARSIZE_ANY_EXHDR(item),
							   PG_GETARG_INT64(1));
	PG_FREE_IF_COPY(item, 0);
	PG_RETURN_DATUM(result);
}

/* Two maps, two lists or two sets of one type. */
static int
compare_containers(ItemRef a, ItemRef b)
{
	int			a_count = item_ref_count(a);
	int			b_count = item_ref_count(b);

	for (int i = 0; i < Min(a_count, b_count); i++)
	{
		int			cmp;

		CHECK_FOR_INTERRUPTS();
		if (a.type == ITEM_L)
			cmp = item_ref_compare(item_list_element(a, i),
								   item_list_element(b, i));
		else if (a.type == ITEM_M)
		{
			const char *a_name;
			const char *b_name;
			uint32		a_len;
			uint32		b_len;
			ItemRef		a_value = item_map_member(a, i, &a_name, &a_len);
			ItemRef		b_value = item_map_member(b, i, &b_name, &b_len);

			cmp = item_bytes_compare(a_name, a_len, b_name, b_len);
			if (cmp == 0)
				cmp = item_ref_compare(a_value, b_value);
		}
		else
			cmp = item_scalar_compare(item_set_element(a, i),
									  item_set_element(b, i));
		if (cmp != 0)
			return cmp;
	}
	return a_count < b_count ? -1 : a_count > b_count;
}

/*
 * Compares the two arguments of an SQL function and frees what detoasting
 * them copied, as index code needs it.
 */
static int
compare_arguments(FunctionCallInfo fcinfo)
{
	ItemData   *a = PG_GETARG_ITEM_PP(0);
	ItemData   *b = PG_GETARG_ITEM_PP(1);
	int			result = item_ref_compare(item_root(a), item_root(b));

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

/*
 * Substring test.  memchr finds the candidates; the rest is checked from the
 * second byte on, so the worst case is the product of the lengths, both at
 * most those of an item.
 */
static bool
bytes_contain(ItemRef hay, ItemRef needle)
{
	const char *p = hay.data;
	const char *last;

	if (needle.len == 0)
		return true;
	if (needle.len > hay.len)
		return false;
	last = hay.data + hay.len - needle.len;
	while (p <= last && (p = memchr(p, needle.data[0], last - p + 1)) != NULL)
	{
		if (memcmp(p, needle.data, needle.len) == 0)
			return true;
		p++;
	}
	return false;
}
