/*
 * key_private.h
 *	  The frozen hash, inline, for the files of this folder.
 *
 * The hash decides order on disk, shard numbers and scan segments of every
 * table ever made, so nothing here may change its result: not the constants,
 * not the byte order in which input is read, not what a number feeds into it.
 * test/sql/key_hash.sql pins values.
 */
#ifndef PT_KEY_PRIVATE_H
#define PT_KEY_PRIVATE_H

#include "port/pg_bitutils.h"
#include "utils/numeric.h"

#include "key/key.h"

#define KEY_HASH_SEED	0x70617274U

/* Block and tail mixing of the 32-bit Murmur3 construction. */
static inline uint32
key_hash_mix(uint32 k)
{
	k *= 0xcc9e2d51U;
	k = pg_rotate_left32(k, 15);
	return k * 0x1b873593U;
}

/* Four bytes as a little-endian number, on any machine and alignment. */
static inline uint32
key_hash_load(const char *p)
{
#ifdef WORDS_BIGENDIAN
	return (uint32) (uint8) p[0] | (uint32) (uint8) p[1] << 8 |
		(uint32) (uint8) p[2] << 16 | (uint32) (uint8) p[3] << 24;
#else
	uint32		k;

	memcpy(&k, p, sizeof(k));
	return k;
#endif
}

/* Hash of a byte string; signed, because index order is that of int4. */
static inline int32
key_hash_seeded(const char *data, size_t len, uint32 seed)
{
	const char *end = data + (len & ~(size_t) 3);
	uint32		h = seed;
	uint32		k = 0;

	for (; data < end; data += 4)
	{
		h ^= key_hash_mix(key_hash_load(data));
		h = pg_rotate_left32(h, 13) * 5 + 0xe6546b64U;
	}

	switch (len & 3)
	{
		case 3:
			k |= (uint32) (uint8) data[2] << 16;
			/* FALLTHROUGH */
		case 2:
			k |= (uint32) (uint8) data[1] << 8;
			/* FALLTHROUGH */
		case 1:
			k |= (uint32) (uint8) data[0];
			h ^= key_hash_mix(k);
	}

	h ^= (uint32) len;
	h ^= h >> 16;
	h *= 0x85ebca6bU;
	h ^= h >> 13;
	h *= 0xc2b2ae35U;
	h ^= h >> 16;
	return (int32) h;
}

/*
 * A numeric as what its value consists of: sign, weight and base-10000
 * digits without zeros at either end.  Equal numerics have equal views, the
 * display scale is left out.
 */
typedef struct KeyNumberView
{
	bool		special;		/* NaN or an infinity; kind in weight */
	bool		negative;
	int			weight;			/* of the first digit; 0 for zero */
	int			ndigits;
	const char *digits;			/* int16 each, native, maybe unaligned */
} KeyNumberView;

/* prototypes for functions in key_number.c */
extern void key_number_view(const struct varlena *num, KeyNumberView *view);
extern int32 key_number_hash(const KeyNumberView *view);

#endif							/* PT_KEY_PRIVATE_H */
