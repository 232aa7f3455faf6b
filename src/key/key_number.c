/*
 * key_number.c
 *	  Reads a numeric's digits in place, for the hash of number keys.
 *
 * The server keeps struct NumericData to itself, and its accessors allocate.
 * A comparison function that runs 30 times per index descent cannot afford
 * that, so this file knows the on-disk form of numeric, which pg_upgrade has
 * kept fixed since 9.1: a 16-bit header, for large scales or weights a second
 * 16-bit word, then base-10000 digits.  All reads tolerate the lack of
 * alignment that a 1-byte varlena header brings.
 */
#include "postgres.h"

#include "base/compat.h"
#include "key/key_private.h"

#define NUMBER_SIGN_MASK		0xC000
#define NUMBER_NEGATIVE			0x4000
#define NUMBER_SHORT			0x8000
#define NUMBER_SPECIAL			0xC000
#define NUMBER_SHORT_NEGATIVE	0x2000
#define NUMBER_SHORT_WEIGHT_NEGATIVE 0x0040
#define NUMBER_SHORT_WEIGHT_MASK 0x003F

#define NUMBER_MAX_VIEW_DIGITS	64

static inline uint16
load_word(const char *p)
{
	uint16		word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * Fills a view of a numeric that is neither compressed nor out of line; the
 * view points into it.
 */
void
key_number_view(const struct varlena *num, KeyNumberView *view)
{
	const char *p = VARDATA_ANY(num);
	const char *end = p + VARSIZE_ANY_EXHDR(num);
	uint16		header = load_word(p);

	view->special = false;
	p += sizeof(uint16);
	if ((header & NUMBER_SIGN_MASK) == NUMBER_SPECIAL)
	{
		view->special = true;
		view->negative = false;
		view->weight = header;
		view->ndigits = 0;
		view->digits = p;
		return;
	}
	if ((header & NUMBER_SIGN_MASK) == NUMBER_SHORT)
	{
		view->negative = (header & NUMBER_SHORT_NEGATIVE) != 0;
		view->weight = header & NUMBER_SHORT_WEIGHT_MASK;
		if (header & NUMBER_SHORT_WEIGHT_NEGATIVE)
			view->weight -= NUMBER_SHORT_WEIGHT_MASK + 1;
	}
	else
	{
		view->negative = (header & NUMBER_SIGN_MASK) == NUMBER_NEGATIVE;
		view->weight = (int16) load_word(p);
		p += sizeof(uint16);
	}

	/* the server strips zeros as well, so these loops hardly ever turn */
	while (p < end && load_word(p) == 0)
	{
		p += sizeof(uint16);
		view->weight--;
	}
	while (p < end && load_word(end - sizeof(uint16)) == 0)
		end -= sizeof(uint16);

	view->ndigits = (int) ((end - p) / sizeof(uint16));
	view->digits = p;
	if (view->ndigits == 0)
	{
		view->weight = 0;
		view->negative = false;
	}
}

/*
 * Hash of a number: its digits as little-endian 16-bit words, seeded with
 * weight and sign.
 */
int32
key_number_hash(const KeyNumberView *view)
{
	uint32		seed = KEY_HASH_SEED ^
		((uint32) (uint16) view->weight << 1 | (view->negative ? 1 : 0));
	size_t		len = view->ndigits * sizeof(uint16);
	const char *digits = view->digits;

	if (view->special)
		seed ^= 0x80000000U;

#ifdef WORDS_BIGENDIAN
	{
		char		swapped[NUMBER_MAX_VIEW_DIGITS * sizeof(uint16)];
		char	   *copy = swapped;
		int32		hash;

		if (view->ndigits > NUMBER_MAX_VIEW_DIGITS)
			copy = palloc(len);
		for (size_t i = 0; i < len; i += sizeof(uint16))
		{
			copy[i] = digits[i + 1];
			copy[i + 1] = digits[i];
		}
		hash = key_hash_seeded(copy, len, seed);
		if (copy != swapped)
			pfree(copy);
		return hash;
	}
#else
	return key_hash_seeded(digits, len, seed);
#endif
}
