/*
 * key_range.c
 *	  Conditions on the sort key as bounds.
 */
#include "postgres.h"

#include "key/key.h"

/*
 * Smallest byte string above all that begin with the prefix: trailing 0xFF
 * bytes have no next byte and go, the last other byte is counted up.  The
 * successor needs as much room as the prefix; the two may be one buffer.
 */
bool
key_prefix_successor(const char *prefix, size_t len,
					 char *successor, size_t *successor_len)
{
	while (len > 0 && (uint8) prefix[len - 1] == 0xFF)
		len--;
	*successor_len = len;
	if (len == 0)
		return false;
	memmove(successor, prefix, len);
	successor[len - 1] = (char) ((uint8) prefix[len - 1] + 1);
	return true;
}

/*
 * Bounds of the strings or binaries that begin with the prefix.  The lower
 * bound is the prefix itself, the upper one is palloc'd, if there is one.
 * The upper bound of a string may be no valid UTF-8; it is for comparisons
 * only.
 */
void
key_range_begins_with(ItemRef prefix, KeyRange *range)
{
	char	   *successor = palloc(Max(prefix.len, 1));
	size_t		successor_len;

	memset(range, 0, sizeof(*range));
	range->lower.present = true;
	range->lower.inclusive = true;
	range->lower.ref = prefix;

	if (key_prefix_successor(prefix.data, prefix.len,
							 successor, &successor_len))
	{
		range->upper.present = true;
		range->upper.inclusive = false;
		range->upper.ref.type = prefix.type;
		range->upper.ref.data = successor;
		range->upper.ref.len = (uint32) successor_len;
	}
}

/* Whether a sort key, of the type of the bounds, lies within them. */
bool
key_range_contains(const KeyRange *range, ItemRef sk)
{
	if (range->lower.present)
	{
		int			cmp = item_scalar_compare(sk, range->lower.ref);

		if (cmp < 0 || (cmp == 0 && !range->lower.inclusive))
			return false;
	}
	if (range->upper.present)
	{
		int			cmp = item_scalar_compare(sk, range->upper.ref);

		if (cmp > 0 || (cmp == 0 && !range->upper.inclusive))
			return false;
	}
	return true;
}
