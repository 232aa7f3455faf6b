/*
 * key_order.c
 *	  Hash order as btree operator classes: text_hash_ops, bytea_hash_ops,
 *	  numeric_hash_ops.
 *
 * Values are ordered by hash and, within one hash, by value; but there byte
 * strings of more than 255 bytes come first, in the order of their SHA-256,
 * because ptree indexes store only that of them.  An int4 beside
 * a value means a position in hash order: it stands before all values of that
 * hash and after all values of smaller ones, so it equals none of them.  With
 * that reading values and positions together have one total order, which is
 * what a btree asks of the members of a family, and a scan segment is
 * pk >=# lower AND pk <# upper.
 *
 * A descent calls these functions 20 to 40 times: nothing is copied unless it
 * is compressed or out of line.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"

#include "base/compat.h"
#include "base/digest.h"
#include "key/key_private.h"

static inline int
order_compare(int32 a, int32 b)
{
	return (a > b) - (a < b);
}

/* A text or bytea argument in place, or a copy when it had to be detoasted. */
typedef struct BytesView
{
	const char *data;
	size_t		len;
	struct varlena *copy;
} BytesView;

static inline bool
bytes_in_place(struct varlena *value)
{
	return !VARATT_IS_EXTERNAL(value) && !VARATT_IS_COMPRESSED(value);
}

static inline void
bytes_view(Datum datum, BytesView *view)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	view->copy = NULL;
	if (unlikely(!bytes_in_place(value)))
		value = view->copy = pg_detoast_datum_packed(value);
	view->data = VARDATA_ANY(value);
	view->len = VARSIZE_ANY_EXHDR(value);
}

static inline void
bytes_release(BytesView *view)
{
	if (unlikely(view->copy != NULL))
		pfree(view->copy);
}

/*
 * Hash of the right-hand value, which a descent compares with one entry after
 * the other: the one that was hashed last is remembered.
 */
static inline int32
bytes_hash_again(const char *data, size_t len)
{
	static char last[64];
	static size_t last_len = SIZE_MAX;
	static int32 last_hash;
	int32		hash;

	if (likely(len == last_len && memcmp(data, last, len) == 0))
		return last_hash;
	hash = key_hash_seeded(data, len, KEY_HASH_SEED);
	if (len <= sizeof(last))
	{
		memcpy(last, data, len);
		last_len = len;
		last_hash = hash;
	}
	return hash;
}

/* Compares two different byte strings of one hash. */
static pg_noinline int
bytes_order_within(const char *a, size_t alen, const char *b, size_t blen)
{
	bool		along = alen > DIGEST_KEY_WHOLE_MAX;
	bool		blong = blen > DIGEST_KEY_WHOLE_MAX;
	int			result;

	if (along != blong)
		return along ? -1 : 1;
	if (along)
	{
		uint8		adigest[DIGEST_SIZE];
		uint8		bdigest[DIGEST_SIZE];

		digest_sha256(a, alen, adigest);
		digest_sha256(b, blen, bdigest);
		result = memcmp(adigest, bdigest, DIGEST_SIZE);
		if (result != 0)
			return result;
	}
	result = memcmp(a, b, Min(alen, blen));
	if (result == 0)
		result = (alen > blen) - (alen < blen);
	return result;
}

/*
 * Compares two byte strings in hash order.  Keys that differ mostly do so in
 * length or at the end ("USER#1", "USER#2"), so the last byte decides whether
 * it is worth looking for equality, which needs no hash.
 */
static inline int
bytes_order(const char *a, size_t alen, const char *b, size_t blen)
{
	int			result;

	if (alen == blen && (alen == 0 || (a[alen - 1] == b[alen - 1] &&
									   memcmp(a, b, alen) == 0)))
		return 0;
	result = order_compare(key_hash_seeded(a, alen, KEY_HASH_SEED),
						   bytes_hash_again(b, blen));
	if (unlikely(result == 0))
		result = bytes_order_within(a, alen, b, blen);
	return result;
}

/* The value that is compared with many is the one whose hash is remembered. */
int
key_compare_bytes(ItemRef pk, const char *stored, size_t len)
{
	return -bytes_order(stored, len, pk.data, pk.len);
}

static pg_noinline int
bytes_compare_toasted(Datum x, Datum y)
{
	BytesView	a;
	BytesView	b;
	int			result;

	bytes_view(x, &a);
	bytes_view(y, &b);
	result = bytes_order(a.data, a.len, b.data, b.len);
	bytes_release(&a);
	bytes_release(&b);
	return result;
}

static inline int
bytes_compare(Datum x, Datum y)
{
	struct varlena *a = (struct varlena *) DatumGetPointer(x);
	struct varlena *b = (struct varlena *) DatumGetPointer(y);

	if (unlikely(!bytes_in_place(a) || !bytes_in_place(b)))
		return bytes_compare_toasted(x, y);
	return bytes_order(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
					   VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));
}

static inline int32
bytes_hash(Datum x)
{
	BytesView	a;
	int32		hash;

	bytes_view(x, &a);
	hash = key_hash_seeded(a.data, a.len, KEY_HASH_SEED);
	bytes_release(&a);
	return hash;
}

/* Compares two numbers in hash order. */
static int
number_compare(Datum x, Datum y)
{
	struct varlena *a = PG_DETOAST_DATUM_PACKED(x);
	struct varlena *b = PG_DETOAST_DATUM_PACKED(y);
	KeyNumberView aview;
	KeyNumberView bview;
	int			result;

	key_number_view(a, &aview);
	key_number_view(b, &bview);
	if (aview.special == bview.special &&
		aview.negative == bview.negative &&
		aview.weight == bview.weight &&
		aview.ndigits == bview.ndigits &&
		memcmp(aview.digits, bview.digits,
			   aview.ndigits * sizeof(int16)) == 0)
		result = 0;
	else
	{
		result = order_compare(key_number_hash(&aview),
							   key_number_hash(&bview));
		if (unlikely(result == 0))
			result = DatumGetInt32(DirectFunctionCall2(numeric_cmp, x, y));
	}
	if ((Pointer) a != DatumGetPointer(x))
		pfree(a);
	if ((Pointer) b != DatumGetPointer(y))
		pfree(b);
	return result;
}

static inline int32
number_hash(Datum x)
{
	struct varlena *a = PG_DETOAST_DATUM_PACKED(x);
	KeyNumberView view;
	int32		hash;

	key_number_view(a, &view);
	hash = key_number_hash(&view);
	if ((Pointer) a != DatumGetPointer(x))
		pfree(a);
	return hash;
}

/*
 * Hash order knows bytes only.  Under a nondeterministic collation the = of
 * text would find values equal that it keeps apart.
 */
static inline void
check_collation(Oid collation)
{
	if (likely(collation == C_COLLATION_OID ||
			   collation == DEFAULT_COLLATION_OID))
		return;
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("hash order does not support nondeterministic collations")));
}

static inline void
no_collation(Oid collation)
{
}

/*
 * The SQL functions of one type: five comparisons of two values, and of a
 * value with a position in hash order.
 */
#define ORDER_FUNCTION(name, check, compare, condition) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	int			result; \
\
	check(PG_GET_COLLATION()); \
	result = compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)); \
	return condition; \
}

#define POSITION_FUNCTION(name, hash, condition) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	bool		before = hash(PG_GETARG_DATUM(0)) < PG_GETARG_INT32(1); \
\
	return condition; \
}

#define ORDER_FUNCTIONS(type, check, compare, hash) \
	ORDER_FUNCTION(type##_hash_compare, check, compare, Int32GetDatum(result)) \
	ORDER_FUNCTION(type##_hash_lt, check, compare, BoolGetDatum(result < 0)) \
	ORDER_FUNCTION(type##_hash_le, check, compare, BoolGetDatum(result <= 0)) \
	ORDER_FUNCTION(type##_hash_ge, check, compare, BoolGetDatum(result >= 0)) \
	ORDER_FUNCTION(type##_hash_gt, check, compare, BoolGetDatum(result > 0)) \
	POSITION_FUNCTION(type##_position_compare, hash, Int32GetDatum(before ? -1 : 1)) \
	POSITION_FUNCTION(type##_position_lt, hash, BoolGetDatum(before)) \
	POSITION_FUNCTION(type##_position_le, hash, BoolGetDatum(before)) \
	POSITION_FUNCTION(type##_position_ge, hash, BoolGetDatum(!before)) \
	POSITION_FUNCTION(type##_position_gt, hash, BoolGetDatum(!before))

ORDER_FUNCTIONS(text, check_collation, bytes_compare, bytes_hash)
ORDER_FUNCTIONS(bytea, no_collation, bytes_compare, bytes_hash)
ORDER_FUNCTIONS(numeric, no_collation, number_compare, number_hash)

PG_FUNCTION_INFO_V1(text_hash_sortsupport);
PG_FUNCTION_INFO_V1(bytea_hash_sortsupport);
PG_FUNCTION_INFO_V1(numeric_hash_sortsupport);

/*
 * Sorting.  The abbreviated key is the hash itself, which tells nearly all
 * values apart, so there is no reason ever to give abbreviation up.
 */
static int
sort_bytes(Datum x, Datum y, SortSupport ssup)
{
	return bytes_compare(x, y);
}

static int
sort_number(Datum x, Datum y, SortSupport ssup)
{
	return number_compare(x, y);
}

static Datum
abbreviate_bytes(Datum original, SortSupport ssup)
{
	return Int32GetDatum(bytes_hash(original));
}

static Datum
abbreviate_number(Datum original, SortSupport ssup)
{
	return Int32GetDatum(number_hash(original));
}

static bool
abbreviate_abort(int memtupcount, SortSupport ssup)
{
	return false;
}

static void
sort_prepare(SortSupport ssup, int (*full) (Datum, Datum, SortSupport),
			 Datum (*abbreviate) (Datum, SortSupport))
{
	ssup->comparator = full;
	if (!ssup->abbreviate)
		return;
	ssup->comparator = ssup_datum_int32_cmp;
	ssup->abbrev_converter = abbreviate;
	ssup->abbrev_abort = abbreviate_abort;
	ssup->abbrev_full_comparator = full;
}

Datum
text_hash_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	check_collation(ssup->ssup_collation);
	sort_prepare(ssup, sort_bytes, abbreviate_bytes);
	PG_RETURN_VOID();
}

Datum
bytea_hash_sortsupport(PG_FUNCTION_ARGS)
{
	sort_prepare((SortSupport) PG_GETARG_POINTER(0), sort_bytes,
				 abbreviate_bytes);
	PG_RETURN_VOID();
}

Datum
numeric_hash_sortsupport(PG_FUNCTION_ARGS)
{
	sort_prepare((SortSupport) PG_GETARG_POINTER(0), sort_number,
				 abbreviate_number);
	PG_RETURN_VOID();
}
