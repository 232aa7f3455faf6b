/*
 * key_hash.c
 *	  Hash of partition keys, and the hash ranges of scan segments.
 *
 * See key_private.h for what is frozen.  A number hashes by its value, so
 * 1.0 and 1.00 agree, whether they come as numeric or inside an item.
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/compat.h"
#include "key/key_private.h"

PG_FUNCTION_INFO_V1(key_hash);
PG_FUNCTION_INFO_V1(key_hash_numeric);

/* Hash of a text or binary partition key. */
int32
key_hash_bytes(const char *data, size_t len)
{
	return key_hash_seeded(data, len, KEY_HASH_SEED);
}

/* Hash of a partition key as an item's value. */
int32
key_hash_ref(ItemRef pk)
{
	KeyNumberView view;
	Numeric		number;
	int32		hash;

	if (pk.type != ITEM_N)
		return key_hash_bytes(pk.data, pk.len);

	number = item_number_to_numeric(pk);
	key_number_view((struct varlena *) number, &view);
	hash = key_number_hash(&view);
	pfree(number);
	return hash;
}

/*
 * The same of a value of plain SQL, which may be one that no key can have, such
 * as NaN.
 */
int32
key_hash_datum(ItemType type, Datum datum)
{
	struct varlena *value = PG_DETOAST_DATUM_PACKED(datum);
	KeyNumberView view;

	if (type != ITEM_N)
		return key_hash_bytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	key_number_view(value, &view);
	return key_number_hash(&view);
}

/*
 * Segment i of n holds the i-th n-th of the range of hashes.  All segments
 * together hold every hash once, for any n.
 */
void
key_segment_bounds(int32 segment, int32 total_segments,
				   int32 *lower, bool *has_upper, int32 *upper)
{
	uint64		from = ((uint64) segment << 32) / (uint64) total_segments;
	uint64		to = ((uint64) (segment + 1) << 32) / (uint64) total_segments;

	Assert(segment >= 0 && segment < total_segments);
	*lower = (int32) ((int64) from + PG_INT32_MIN);
	*has_upper = segment + 1 < total_segments;
	*upper = *has_upper ? (int32) ((int64) to + PG_INT32_MIN) : 0;
}

bool
key_segment_contains(int32 segment, int32 total_segments, int32 hash)
{
	int32		lower;
	int32		upper;
	bool		has_upper;

	key_segment_bounds(segment, total_segments, &lower, &has_upper, &upper);
	return hash >= lower && (!has_upper || hash < upper);
}

/* key_hash(text), key_hash(bytea): where a partition key stands in an index */
Datum
key_hash(PG_FUNCTION_ARGS)
{
	struct varlena *pk = PG_GETARG_VARLENA_PP(0);

	PG_RETURN_INT32(key_hash_bytes(VARDATA_ANY(pk), VARSIZE_ANY_EXHDR(pk)));
}

/* key_hash(numeric) */
Datum
key_hash_numeric(PG_FUNCTION_ARGS)
{
	struct varlena *pk = PG_GETARG_VARLENA_PP(0);
	KeyNumberView view;

	key_number_view(pk, &view);
	PG_RETURN_INT32(key_number_hash(&view));
}
