/*
 * ptrange.c
 *	  Scan conditions as ranges of keys.
 *
 * A scan reads one range of keys for each combination of a partition key and
 * a sort key that "=" conditions or arrays name, in key order and without
 * duplicates, because the planner relies on the order; or a single range if
 * it names no partition key.  What a range cannot express is left to the
 * recheck of the row: conditions on later columns without "=" on the earlier
 * ones, a second equality on one column, arrays of other operators.
 */
#include "postgres.h"

#include "access/skey.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "ptree/ptree_private.h"

/* A byte string of its own. */
typedef struct PtBytes
{
	char	   *data;
	int			len;
} PtBytes;

/* A bound on the sort key. */
typedef struct PtBound
{
	bool		present;
	bool		inclusive;
	PtBytes		bytes;
} PtBound;

struct PtScanKeys
{
	Relation	rel;
	PtLayout	layout;
	bool		nothing;		/* no row can match */
	bool		recheck;

	bool		pk_equal;
	PtBytes    *pks;			/* sorted, distinct; with hash and terminator */
	int			npks;
	PtKey		pk_lower;		/* of all ranges */
	PtKey		pk_upper;

	bool		sk_any;			/* some condition, so nulls are left out */
	bool		sk_equal;
	PtBytes    *sks;			/* sorted, distinct */
	int			nsks;
	PtBound		sk_lower;
	PtBound		sk_upper;

	bool		int8_any;
	int64		int8_lower;		/* both inclusive */
	int64		int8_upper;

	PtBytes		single_pk;		/* what pks and sks point to without arrays */
	PtBytes		single_sk;
	StringInfoData scratch;		/* these survive the next scan keys */
	StringInfoData pk_bytes;	/* of single_pk */
	StringInfoData sk_bytes;
	StringInfoData lower;		/* bytes of the range in hand */
	StringInfoData upper;
};

typedef void (*PtEncoder) (Relation rel, Datum value, StringInfo buf);

static void add_pk_key(PtScanKeys *keys, ScanKey key);
static void add_sk_key(PtScanKeys *keys, ScanKey key);
static void add_int8_key(PtScanKeys *keys, ScanKey key);
static bool add_equal(PtScanKeys *keys, ScanKey key, PtEncoder encoder,
					  StringInfo buf, PtBytes *single, PtBytes **values,
					  int *nvalues);
static PtBytes encode(PtScanKeys *keys, PtEncoder encoder, Datum value);
static int	compare_bytes(const void *a, const void *b);
static void tighten(PtBound *bound, bool upper, bool inclusive, PtBytes bytes);
static bool prefix_successor(PtBytes *bytes);
static void set_key(PtKey *key, StringInfo buf, PtKeyKind kind);
static void exact_range(PtScanKeys *keys, const PtBytes *pk, const PtBytes *sk,
						PtKey *lower, PtKey *upper);
static void sk_range(PtScanKeys *keys, const PtBytes *pk, PtKey *lower,
					 PtKey *upper);

/* Room for a scan's keys, in the current memory context. */
PtScanKeys *
_pt_create_keys(Relation rel)
{
	PtScanKeys *result = palloc0(sizeof(PtScanKeys));

	result->rel = rel;
	_pt_get_layout(rel, &result->layout);
	initStringInfo(&result->scratch);
	initStringInfo(&result->pk_bytes);
	initStringInfo(&result->sk_bytes);
	initStringInfo(&result->lower);
	initStringInfo(&result->upper);
	return result;
}

/*
 * Turns scan keys into ranges, instead of earlier ones.  What that allocates
 * is in the current memory context.
 */
void
_pt_prepare_keys(PtScanKeys *result, ScanKey keys, int nkeys)
{
	result->nothing = false;
	result->recheck = false;
	result->pk_equal = false;
	result->npks = 0;
	memset(&result->pk_lower, 0, sizeof(PtKey));
	memset(&result->pk_upper, 0, sizeof(PtKey));
	result->pk_upper.kind = PT_KEY_END;
	result->sk_any = false;
	result->sk_equal = false;
	result->sk_lower.present = false;
	result->sk_upper.present = false;
	result->int8_any = false;
	result->int8_lower = PG_INT64_MIN;
	result->int8_upper = PG_INT64_MAX;

	for (int i = 0; i < nkeys; i++)
	{
		ScanKey		key = &keys[i];
		int			attr = key->sk_attno - 1;

		/* all operators are strict */
		if (key->sk_flags & SK_ISNULL)
		{
			result->nothing = true;
			break;
		}
		if (key->sk_flags & SK_ROW_HEADER)
			result->recheck = true;
		else if (attr == 0)
			add_pk_key(result, key);
		else if (attr == result->layout.sk_attr)
			add_sk_key(result, key);
		else
			add_int8_key(result, key);
	}

	if (!result->pk_equal)
		result->recheck |= result->sk_any || result->int8_any;
	else if (result->layout.sk_attr >= 0 && !result->sk_equal)
		result->recheck |= result->int8_any;
}

/* Number of ranges. */
int64
_pt_range_count(const PtScanKeys *keys)
{
	if (keys->nothing)
		return 0;
	return (keys->pk_equal ? (int64) keys->npks : 1) *
		(keys->pk_equal && keys->sk_equal ? keys->nsks : 1);
}

/* Whether rows found must be checked against the conditions. */
bool
_pt_keys_recheck(const PtScanKeys *keys)
{
	return keys->recheck;
}

/*
 * The range of that number: from lower, included, to upper, excluded.  It is
 * empty if upper is not behind lower.  The keys are valid until the next call.
 */
void
_pt_range(PtScanKeys *keys, int64 number, PtKey *lower, PtKey *upper)
{
	const PtBytes *pk;

	if (!keys->pk_equal)
	{
		*lower = keys->pk_lower;
		*upper = keys->pk_upper;
		return;
	}

	if (keys->sk_equal)
	{
		pk = &keys->pks[number / keys->nsks];
		exact_range(keys, pk, &keys->sks[number % keys->nsks], lower, upper);
	}
	else
	{
		pk = &keys->pks[number];
		if (keys->layout.sk_attr < 0)
			exact_range(keys, pk, NULL, lower, upper);
		else
			sk_range(keys, pk, lower, upper);
	}

	if (_pt_compare(&keys->pk_lower, lower) > 0)
		*lower = keys->pk_lower;
	if (_pt_compare(&keys->pk_upper, upper) < 0)
		*upper = keys->pk_upper;
}

static void
add_pk_key(PtScanKeys *keys, ScanKey key)
{
	bool		upper = key->sk_strategy == BTLessStrategyNumber ||
		key->sk_strategy == BTLessEqualStrategyNumber;
	StringInfoData buf;
	PtKey		bound;

	if (key->sk_flags & SK_SEARCHARRAY &&
		(key->sk_strategy != BTEqualStrategyNumber ||
		 key->sk_subtype == INT4OID))
	{
		keys->recheck = true;
		return;
	}

	if (key->sk_strategy == BTEqualStrategyNumber)
	{
		/*
		 * A position in hash order stands before the values of that hash and
		 * equals none.
		 */
		if (key->sk_subtype == INT4OID)
			keys->nothing = true;
		else if (keys->pk_equal)
			keys->recheck = true;
		else
			keys->pk_equal = add_equal(keys, key, _pt_encode_pk,
									   &keys->pk_bytes, &keys->single_pk,
									   &keys->pks, &keys->npks);
		for (int i = 0; i < keys->npks && !keys->recheck; i++)
			keys->recheck = _pt_pk_digested((uint8 *) keys->pks[i].data,
											keys->pks[i].len);
		return;
	}

	initStringInfo(&buf);
	if (key->sk_subtype == INT4OID)
		_pt_encode_hash(DatumGetInt32(key->sk_argument), &buf);
	else
	{
		_pt_encode_pk(keys->rel, key->sk_argument, &buf);

		/*
		 * Rows of one digest are those of one key, as to the unique check.
		 * Who reads on beyond a key relies on not meeting its rows again.
		 */
		if (_pt_pk_digested((uint8 *) buf.data, buf.len))
			keys->recheck = true;
		if (key->sk_strategy == BTLessEqualStrategyNumber ||
			key->sk_strategy == BTGreaterStrategyNumber)
			appendStringInfoCharMacro(&buf, PT_SK_BEYOND);
	}

	set_key(&bound, &buf, PT_KEY_PLAIN);
	if (upper && _pt_compare(&bound, &keys->pk_upper) < 0)
		keys->pk_upper = bound;
	if (!upper && _pt_compare(&bound, &keys->pk_lower) > 0)
		keys->pk_lower = bound;
}

static void
add_sk_key(PtScanKeys *keys, ScanKey key)
{
	PtBytes		bytes;

	keys->sk_any = true;
	if (key->sk_strategy == BTEqualStrategyNumber)
	{
		if (keys->sk_equal)
			keys->recheck = true;
		else
			keys->sk_equal = add_equal(keys, key, _pt_encode_sk_bytes,
									   &keys->sk_bytes, &keys->single_sk,
									   &keys->sks, &keys->nsks);
		return;
	}
	if (key->sk_flags & SK_SEARCHARRAY)
	{
		keys->recheck = true;
		return;
	}

	bytes = encode(keys, _pt_encode_sk_bytes, key->sk_argument);
	switch (key->sk_strategy)
	{
		case BTLessStrategyNumber:
			tighten(&keys->sk_upper, true, false, bytes);
			break;
		case BTLessEqualStrategyNumber:
			tighten(&keys->sk_upper, true, true, bytes);
			break;
		case BTGreaterEqualStrategyNumber:
			tighten(&keys->sk_lower, false, true, bytes);
			break;
		case BTGreaterStrategyNumber:
			tighten(&keys->sk_lower, false, false, bytes);
			break;
		case PT_PREFIX_STRATEGY:
			tighten(&keys->sk_lower, false, true, bytes);
			bytes = encode(keys, _pt_encode_sk_bytes, key->sk_argument);
			if (prefix_successor(&bytes))
				tighten(&keys->sk_upper, true, false, bytes);
			break;
		default:
			elog(ERROR, "unexpected strategy number %d", key->sk_strategy);
	}
}

static void
add_int8_key(PtScanKeys *keys, ScanKey key)
{
	int64		value;

	keys->int8_any = true;
	if (key->sk_flags & SK_SEARCHARRAY)
	{
		keys->recheck = true;
		return;
	}

	value = DatumGetInt64(key->sk_argument);
	switch (key->sk_strategy)
	{
		case BTLessStrategyNumber:
			if (value == PG_INT64_MIN)
				keys->nothing = true;
			else
				keys->int8_upper = Min(keys->int8_upper, value - 1);
			break;
		case BTLessEqualStrategyNumber:
			keys->int8_upper = Min(keys->int8_upper, value);
			break;
		case BTEqualStrategyNumber:
			keys->int8_upper = Min(keys->int8_upper, value);
			keys->int8_lower = Max(keys->int8_lower, value);
			break;
		case BTGreaterEqualStrategyNumber:
			keys->int8_lower = Max(keys->int8_lower, value);
			break;
		case BTGreaterStrategyNumber:
			if (value == PG_INT64_MAX)
				keys->nothing = true;
			else
				keys->int8_lower = Max(keys->int8_lower, value + 1);
			break;
		default:
			elog(ERROR, "unexpected strategy number %d", key->sk_strategy);
	}
}

/* Encodes the value or the array elements of an equality; always true. */
static bool
add_equal(PtScanKeys *keys, ScanKey key, PtEncoder encoder, StringInfo buf,
		  PtBytes *single, PtBytes **values, int *nvalues)
{
	ArrayType  *array;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *elements;
	bool	   *nulls;
	int			nelements;
	int			n = 0;
	int			distinct = 0;

	if ((key->sk_flags & SK_SEARCHARRAY) == 0)
	{
		/* no allocation for what is looked up most */
		resetStringInfo(buf);
		encoder(keys->rel, key->sk_argument, buf);
		single->data = buf->data;
		single->len = Min(buf->len, PT_MAX_KEY + 1);
		*values = single;
		*nvalues = 1;
		return true;
	}

	array = DatumGetArrayTypeP(key->sk_argument);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &elements, &nulls, &nelements);

	*values = palloc(Max(nelements, 1) * sizeof(PtBytes));
	for (int i = 0; i < nelements; i++)
	{
		if (!nulls[i])
			(*values)[n++] = encode(keys, encoder, elements[i]);
	}
	qsort(*values, n, sizeof(PtBytes), compare_bytes);
	for (int i = 0; i < n; i++)
	{
		if (distinct == 0 ||
			compare_bytes(&(*values)[i], &(*values)[distinct - 1]) != 0)
			(*values)[distinct++] = (*values)[i];
	}
	*nvalues = distinct;
	if (distinct == 0)
		keys->nothing = true;
	return true;
}

/*
 * Encodes one value.  What is longer than any stored key is cut: such a value
 * equals none, and where it stands among the keys is seen from the rest.
 */
static PtBytes
encode(PtScanKeys *keys, PtEncoder encoder, Datum value)
{
	StringInfo	buf = &keys->scratch;
	PtBytes		result;

	resetStringInfo(buf);
	encoder(keys->rel, value, buf);
	result.len = Min(buf->len, PT_MAX_KEY + 1);
	result.data = palloc(Max(result.len, 1));
	memcpy(result.data, buf->data, result.len);
	return result;
}

static int
compare_bytes(const void *a, const void *b)
{
	const PtBytes *x = (const PtBytes *) a;
	const PtBytes *y = (const PtBytes *) b;
	int			result = memcmp(x->data, y->data, Min(x->len, y->len));

	return result != 0 ? result : x->len - y->len;
}

/* Makes a bound stricter if the new one is. */
static void
tighten(PtBound *bound, bool upper, bool inclusive, PtBytes bytes)
{
	if (bound->present)
	{
		int			result = compare_bytes(&bytes, &bound->bytes);

		if (result == 0)
		{
			bound->inclusive = bound->inclusive && inclusive;
			return;
		}
		if ((result > 0) == upper)
			return;
	}
	bound->present = true;
	bound->inclusive = inclusive;
	bound->bytes = bytes;
}

/*
 * Makes a prefix the smallest byte string above all that begin with it; false
 * if there is none.
 */
static bool
prefix_successor(PtBytes *bytes)
{
	while (bytes->len > 0 && (uint8) bytes->data[bytes->len - 1] == 0xFF)
		bytes->len--;
	if (bytes->len == 0)
		return false;
	bytes->data[bytes->len - 1]++;
	return true;
}

static void
set_key(PtKey *key, StringInfo buf, PtKeyKind kind)
{
	key->data = (uint8 *) buf->data;
	key->len = Min(buf->len, PT_MAX_KEY + 1);
	key->kind = kind;
	key->taillen = 0;
}

/* Puts the bytes of a bound together. */
static void
set_bytes(StringInfo buf, const PtBytes *pk, int marker, const PtBytes *sk)
{
	resetStringInfo(buf);
	appendBinaryStringInfo(buf, pk->data, pk->len);
	if (marker != 0)
		appendStringInfoCharMacro(buf, (char) marker);
	if (sk != NULL)
		appendBinaryStringInfo(buf, sk->data, sk->len);
}

/* All entries of one partition key and sort key, or a range of the last int8. */
static void
exact_range(PtScanKeys *keys, const PtBytes *pk, const PtBytes *sk,
			PtKey *lower, PtKey *upper)
{
	set_bytes(&keys->lower, pk, PT_SK_VALUE, sk);
	set_key(lower, &keys->lower, PT_KEY_PLAIN);
	set_key(upper, &keys->lower, PT_KEY_AFTER);
	if (keys->int8_any)
	{
		lower->taillen = PT_INT8_SIZE;
		_pt_encode_int8(keys->int8_lower, lower->tail);
		upper->taillen = PT_INT8_SIZE;
		_pt_encode_int8(keys->int8_upper, upper->tail);
	}

	/* "=" beside other bounds on the sort key */
	if (sk != NULL && keys->sk_lower.present)
	{
		int			result = compare_bytes(sk, &keys->sk_lower.bytes);

		if (result < 0 || (result == 0 && !keys->sk_lower.inclusive))
			*upper = *lower;
	}
	if (sk != NULL && keys->sk_upper.present)
	{
		int			result = compare_bytes(sk, &keys->sk_upper.bytes);

		if (result > 0 || (result == 0 && !keys->sk_upper.inclusive))
			*upper = *lower;
	}
}

/* The entries of one partition key between bounds on the sort key. */
static void
sk_range(PtScanKeys *keys, const PtBytes *pk, PtKey *lower, PtKey *upper)
{
	if (keys->sk_lower.present)
	{
		set_bytes(&keys->lower, pk, PT_SK_VALUE, &keys->sk_lower.bytes);
		set_key(lower, &keys->lower, keys->sk_lower.inclusive ?
				PT_KEY_PLAIN : PT_KEY_AFTER);
	}
	else
	{
		set_bytes(&keys->lower, pk, keys->sk_any ? PT_SK_VALUE : 0, NULL);
		set_key(lower, &keys->lower, PT_KEY_PLAIN);
	}

	if (keys->sk_upper.present)
	{
		set_bytes(&keys->upper, pk, PT_SK_VALUE, &keys->sk_upper.bytes);
		set_key(upper, &keys->upper, keys->sk_upper.inclusive ?
				PT_KEY_AFTER : PT_KEY_PLAIN);
	}
	else
	{
		set_bytes(&keys->upper, pk, keys->sk_any ? PT_SK_NULL : PT_SK_BEYOND,
				  NULL);
		set_key(upper, &keys->upper, PT_KEY_PLAIN);
	}
}
