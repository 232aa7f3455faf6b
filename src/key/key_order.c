/*
 * key_order.c
 *	  Hash order as btree operator classes: text_hash_ops, bytea_hash_ops,
 *	  numeric_hash_ops.
 *
 * Values are ordered by hash and, within one hash, by value.  An int4 beside
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
#include "key/key_private.h"

static inline int
order_compare(int32 a, int32 b)
{
	return (a > b) - (a < b);
}

/* Compares two byte strings in hash order. */
static inline int
bytes_compare(const struct varlena *a, const struct varlena *b)
{
	const char *adata = VARDATA_ANY(a);
	const char *bdata = VARDATA_ANY(b);
	size_t		alen = VARSIZE_ANY_EXHDR(a);
	size_t		blen = VARSIZE_ANY_EXHDR(b);
	int			result;

	/* In a search for a partition most comparisons end here or by hash. */
	if (alen == blen && memcmp(adata, bdata, alen) == 0)
		return 0;

	result = order_compare(key_hash_seeded(adata, alen, KEY_HASH_SEED),
						   key_hash_seeded(bdata, blen, KEY_HASH_SEED));
	if (result == 0)
		result = memcmp(adata, bdata, Min(alen, blen));
	if (result == 0)
		result = (alen > blen) - (alen < blen);
	return result;
}

static inline int32
bytes_hash(const struct varlena *a)
{
	return key_hash_seeded(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
						   KEY_HASH_SEED);
}

/* Compares two numbers in hash order. */
static int
number_compare(const struct varlena *a, const struct varlena *b)
{
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
		return 0;

	result = order_compare(key_number_hash(&aview), key_number_hash(&bview));
	if (result == 0)
		result = DatumGetInt32(DirectFunctionCall2(numeric_cmp,
												   PointerGetDatum(a),
												   PointerGetDatum(b)));
	return result;
}

static inline int32
number_hash(const struct varlena *a)
{
	KeyNumberView view;

	key_number_view(a, &view);
	return key_number_hash(&view);
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
	struct varlena *a = PG_GETARG_VARLENA_PP(0); \
	struct varlena *b = PG_GETARG_VARLENA_PP(1); \
	int			result; \
\
	check(PG_GET_COLLATION()); \
	result = compare(a, b); \
	PG_FREE_IF_COPY(a, 0); \
	PG_FREE_IF_COPY(b, 1); \
	return condition; \
}

#define POSITION_FUNCTION(name, hash, condition) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	struct varlena *a = PG_GETARG_VARLENA_PP(0); \
	bool		before = hash(a) < PG_GETARG_INT32(1); \
\
	PG_FREE_IF_COPY(a, 0); \
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
	struct varlena *a = PG_DETOAST_DATUM_PACKED(x);
	struct varlena *b = PG_DETOAST_DATUM_PACKED(y);
	int			result = bytes_compare(a, b);

	if ((Pointer) a != DatumGetPointer(x))
		pfree(a);
	if ((Pointer) b != DatumGetPointer(y))
		pfree(b);
	return result;
}

static int
sort_number(Datum x, Datum y, SortSupport ssup)
{
	struct varlena *a = PG_DETOAST_DATUM_PACKED(x);
	struct varlena *b = PG_DETOAST_DATUM_PACKED(y);
	int			result = number_compare(a, b);

	if ((Pointer) a != DatumGetPointer(x))
		pfree(a);
	if ((Pointer) b != DatumGetPointer(y))
		pfree(b);
	return result;
}

static Datum
abbreviate_bytes(Datum original, SortSupport ssup)
{
	struct varlena *a = PG_DETOAST_DATUM_PACKED(original);
	int32		hash = bytes_hash(a);

	if ((Pointer) a != DatumGetPointer(original))
		pfree(a);
	return Int32GetDatum(hash);
}

static Datum
abbreviate_number(Datum original, SortSupport ssup)
{
	struct varlena *a = PG_DETOAST_DATUM_PACKED(original);
	int32		hash = number_hash(a);

	if ((Pointer) a != DatumGetPointer(original))
		pfree(a);
	return Int32GetDatum(hash);
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
