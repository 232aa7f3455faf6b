/*
 * key_parts.c
 *	  Keys of several attributes as one byte string, and digests of keys.
 *
 * A global index may have up to four attributes in each part of its key; the
 * columns pk and sk then are byte strings that compare as the lists of values
 * do, left to right.  Each value is written with every byte 0x00 as 0x00 0xFF,
 * and ended by 0x00 0x00, which is less than whatever may follow in a longer
 * value.  So no value runs into the next, ("a", "bc") is not ("ab", "c"), and
 * the lists that begin with given values are those whose strings begin with
 * these values' string.  Numbers enter it in their encoding, whose bytes are in
 * order (item_number.c).
 *
 * The strings and the digests are on disk: nothing here may change them.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "key/key_private.h"

/* Seeds of the two halves of a digest. */
#define DIGEST_SEED_HIGH	0x64696731U
#define DIGEST_SEED_LOW		0x64696732U

static void append_part(StringInfo out, ItemRef value);
static bool read_part(const char **p, const char *end, StringInfo out);
static ItemRef bytes_ref(StringInfo bytes);
static void set_bound(KeyBound *bound, ItemRef ref, bool inclusive);
static void bound_after(KeyBound *bound, ItemRef prefix, bool inclusive);

/*
 * Several values as one of type B, palloc'd.
 */
ItemRef
key_parts_encode(int n, const ItemRef *values)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
		append_part(&out, values[i]);
	return bytes_ref(&out);
}

/*
 * Back to values, palloc'd.  The bytes may come from anywhere, so the result
 * tells whether they are n values; what these are is not looked at.
 */
bool
key_parts_decode(ItemRef bytes, int n, const ItemType *types, ItemRef *values)
{
	const char *p = bytes.data;
	const char *end = bytes.data + bytes.len;

	for (int i = 0; i < n; i++)
	{
		StringInfoData out;

		initStringInfo(&out);
		if (!read_part(&p, end, &out))
			return false;
		values[i] = bytes_ref(&out);
		values[i].type = types[i];
	}
	return p == end;
}

/*
 * Strings of the lists that begin with n given values, of which the next lies
 * in a range, if one is given.  The bounds are palloc'd.
 */
void
key_parts_range(int n, const ItemRef *values, const KeyRange *next,
				KeyRange *range)
{
	StringInfoData prefix;
	StringInfoData lower;
	StringInfoData upper;

	initStringInfo(&prefix);
	for (int i = 0; i < n; i++)
		append_part(&prefix, values[i]);
	initStringInfo(&lower);
	appendBinaryStringInfo(&lower, prefix.data, prefix.len);
	initStringInfo(&upper);
	appendBinaryStringInfo(&upper, prefix.data, prefix.len);
	memset(range, 0, sizeof(*range));

	if (next != NULL && next->lower.present)
	{
		append_part(&lower, next->lower.ref);
		if (next->lower.inclusive)
			set_bound(&range->lower, bytes_ref(&lower), true);
		else
			bound_after(&range->lower, bytes_ref(&lower), true);
	}
	else if (n > 0)
		set_bound(&range->lower, bytes_ref(&lower), true);

	if (next != NULL && next->upper.present)
	{
		append_part(&upper, next->upper.ref);
		if (next->upper.inclusive)
			bound_after(&range->upper, bytes_ref(&upper), false);
		else
			set_bound(&range->upper, bytes_ref(&upper), false);
	}
	else if (n > 0)
		bound_after(&range->upper, bytes_ref(&upper), false);
}

static void
append_part(StringInfo out, ItemRef value)
{
	for (uint32 i = 0; i < value.len; i++)
	{
		appendStringInfoCharMacro(out, value.data[i]);
		if (value.data[i] == '\0')
			appendStringInfoCharMacro(out, '\xFF');
	}
	appendStringInfoCharMacro(out, '\0');
	appendStringInfoCharMacro(out, '\0');
}

/* Reads one value and its end, at which *p is left. */
static bool
read_part(const char **p, const char *end, StringInfo out)
{
	while (*p < end)
	{
		char		c = *(*p)++;

		if (c != '\0')
			appendStringInfoCharMacro(out, c);
		else if (*p == end)
			return false;
		else
		{
			c = *(*p)++;
			if (c == '\0')
				return true;
			if (c != '\xFF')
				return false;
			appendStringInfoCharMacro(out, '\0');
		}
	}
	return false;
}

static ItemRef
bytes_ref(StringInfo bytes)
{
	ItemRef		ref;

	ref.type = ITEM_B;
	ref.len = bytes->len;
	ref.data = bytes->data;
	return ref;
}

static void
set_bound(KeyBound *bound, ItemRef ref, bool inclusive)
{
	bound->present = true;
	bound->inclusive = inclusive;
	bound->ref = ref;
}

/*
 * The bound above all strings with a prefix, which is changed.  There is one,
 * as a value's string ends with a zero byte.
 */
static void
bound_after(KeyBound *bound, ItemRef prefix, bool inclusive)
{
	char	   *successor = unconstify(char *, prefix.data);
	size_t		len;

	if (!key_prefix_successor(prefix.data, prefix.len, successor, &len))
		elog(ERROR, "string of key attributes has no successor");
	prefix.len = (uint32) len;
	set_bound(bound, prefix, inclusive);
}

/*
 * A digest of a table's key, to order index entries of equal keys.
 */
int64
key_digest(const ItemKey *key)
{
	uint32		high = DIGEST_SEED_HIGH;
	uint32		low = DIGEST_SEED_LOW;

	for (int i = 0; i < key->n; i++)
	{
		high = key_hash_seeded(key->refs[i].data, key->refs[i].len, high);
		low = key_hash_seeded(key->refs[i].data, key->refs[i].len, low);
	}
	return (int64) ((uint64) high << 32 | low);
}
