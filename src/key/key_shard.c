/*
 * key_shard.c
 *	  Write shards: the number at the end of a stored partition key.
 *
 * An item of partition key X is stored under X#n.  The number is decimal,
 * without leading zeros, so a stored key has one spelling and can be taken
 * apart without knowing its table: what is before the last # is the partition
 * key, even if it ends like a stored one itself.
 *
 * How a hash becomes a number decides where rows are, so it is frozen as the
 * hash is.  Of all ways that spread evenly it is one that moves the fewest
 * items when the number of shards changes: from n to n + 1 shards, one in
 * n + 1 goes to the new shard, and none elsewhere.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "base/compat.h"
#include "base/errors.h"
#include "key/key.h"

/* Digits that a number may have. */
#define MAX_DIGITS	9

PG_FUNCTION_INFO_V1(shard_base);
PG_FUNCTION_INFO_V1(shard_of);
PG_FUNCTION_INFO_V1(check_shard);

static bool shard_fits(FunctionCallInfo fcinfo, int number, int count);
static ItemRef sort_key_argument(FunctionCallInfo fcinfo);

int
key_shard_split(const char *pk, size_t len, size_t *base_len)
{
	size_t		start = len;
	int			number = 0;

	*base_len = len;
	while (start > 0 && len - start < MAX_DIGITS &&
		   pk[start - 1] >= '0' && pk[start - 1] <= '9')
		start--;
	if (start == len || start == 0 || pk[start - 1] != '#' ||
		(pk[start] == '0' && len - start > 1))
		return -1;
	*base_len = start - 1;
	for (; start < len; start++)
		number = number * 10 + (pk[start] - '0');
	return number;
}

ItemRef
key_part_from_datum(const KeySchema *schema, int part, Datum datum)
{
	ItemRef		ref = key_ref_from_datum(schema->attributes[part].type, datum);
	size_t		base_len;

	if (part == 0 && unlikely(schema->sharding.count > 0))
	{
		(void) key_shard_split(ref.data, ref.len, &base_len);
		ref.len = base_len;
	}
	return ref;
}

Datum
key_datum_of_part(const KeySchema *schema, int part, const ItemKey *key)
{
	if (part == 0 && unlikely(schema->sharding.count > 0))
		return key_datum_from_ref(key->refs[0]);
	return key->datums[part];
}

Datum
key_shard_datum(ItemRef pk, int shard)
{
	char		digits[12];
	int			n = pg_ltoa(shard, digits);
	Size		size = VARHDRSZ + pk.len + 1 + n;
	struct varlena *result = palloc(size);
	char	   *p = VARDATA(result);

	SET_VARSIZE(result, size);
	memcpy(p, pk.data, pk.len);
	p[pk.len] = '#';
	memcpy(p + pk.len + 1, digits, n);
	return PointerGetDatum(result);
}

/*
 * The hash seeds a sequence of jumps from shard to shard, each farther than
 * the one before; the last one below the count is the answer.  A jump from b
 * goes beyond j with probability b / j, so that the count decides nothing but
 * where to stop.
 */
int
key_shard_of_hash(uint32 hash, int count)
{
	uint64		state = hash;
	int64		shard = 0;
	int64		next = 0;

	while (next < count)
	{
		shard = next;
		state = state * UINT64CONST(2862933555777941757) + 1;
		next = ((shard + 1) << 31) / (int64) ((state >> 33) + 1);
	}
	return (int) shard;
}

int
key_shard_of_sort_key(ItemRef sk, int count)
{
	return key_shard_of_hash((uint32) key_hash_ref(sk), count);
}

/*
 * An item without the attribute goes where its sort key would send it.
 */
int
key_shard_choose(const KeySharding *sharding, const ItemKey *key,
				 ItemRef attributes)
{
	ItemRef		value;

	switch (sharding->by)
	{
		case KEY_SHARD_RANDOM:
			return (int) pg_prng_uint64_range(&pg_global_prng_state, 0,
											  sharding->count - 1);
		case KEY_SHARD_ATTRIBUTE:
			if (item_map_find(attributes, sharding->attribute,
							  sharding->attribute_len, &value))
				return key_shard_of_hash((uint32) key_hash_bytes(value.data,
																 value.len),
										 sharding->count);
			break;
		case KEY_SHARD_SORT_KEY:
			break;
		case KEY_SHARD_NONE:
			elog(ERROR, "there are no shards to choose from");
	}
	return key_shard_of_sort_key(key->refs[1], sharding->count);
}

bool
key_shard_is_current(const KeySharding *sharding, Datum pk, ItemRef sk)
{
	text	   *stored = DatumGetTextPP(pk);
	size_t		base_len;
	int			shard = key_shard_split(VARDATA_ANY(stored),
										VARSIZE_ANY_EXHDR(stored), &base_len);

	if (sharding->by == KEY_SHARD_SORT_KEY)
		return shard == key_shard_of_sort_key(sk, sharding->count);
	return shard >= 0 && shard < sharding->count;
}

int
key_shard_count(const KeySharding *sharding)
{
	return Max(sharding->count, sharding->former);
}

bool
key_sharding_equal(const KeySharding *a, const KeySharding *b)
{
	return a->by == b->by && a->count == b->count && a->former == b->former &&
		(a->by != KEY_SHARD_ATTRIBUTE ||
		 (a->attribute_len == b->attribute_len &&
		  memcmp(a->attribute, b->attribute, a->attribute_len) == 0));
}

/* shard_base(pk text): the partition key without the number of its shard */
Datum
shard_base(PG_FUNCTION_ARGS)
{
	text	   *pk = PG_GETARG_TEXT_PP(0);
	size_t		base_len;

	if (key_shard_split(VARDATA_ANY(pk), VARSIZE_ANY_EXHDR(pk),
						&base_len) < 0)
		PG_RETURN_TEXT_P(pk);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(VARDATA_ANY(pk),
											  (int) base_len));
}

/* shard_of(pk text): the number of its shard, or NULL */
Datum
shard_of(PG_FUNCTION_ARGS)
{
	text	   *pk = PG_GETARG_TEXT_PP(0);
	size_t		base_len;
	int			number;

	number = key_shard_split(VARDATA_ANY(pk), VARSIZE_ANY_EXHDR(pk),
							 &base_len);
	if (number < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(number);
}

/*
 * check_shard(pk text, sk "any", shard_by text, shards int,
 *			   former_shards int): true, or the error
 *
 * The constraint of sharded tables.  Like check_item() it carries all that it
 * must know.  shard_by is NULL where the sort key decides.
 */
Datum
check_shard(PG_FUNCTION_ARGS)
{
	text	   *pk;
	size_t		base_len;
	int			number;

	/* NOT NULL of the columns is not this constraint's matter */
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(3) || PG_ARGISNULL(4))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("numbers of shards must not be null")));
	pk = PG_GETARG_TEXT_PP(0);
	number = key_shard_split(VARDATA_ANY(pk), VARSIZE_ANY_EXHDR(pk),
							 &base_len);
	if (number >= 0 &&
		(shard_fits(fcinfo, number, PG_GETARG_INT32(3)) ||
		 (PG_GETARG_INT32(4) > 0 &&
		  shard_fits(fcinfo, number, PG_GETARG_INT32(4)))))
		PG_RETURN_BOOL(true);
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 number < 0 ?
			 errmsg("partition key \"%s\" has no number of a write shard",
					text_to_cstring(pk)) :
			 errmsg("partition key \"%s\" has the wrong number of a write shard",
					text_to_cstring(pk)),
			 errdetail("Rows of this table are stored under the partition key, \"#\" and a number from 0 to %d%s.",
					   PG_GETARG_INT32(3) - 1,
					   PG_ARGISNULL(2) ? ", which depends on the sort key" : ""),
			 errhint("partitioning.shard_key(table, partition key, sort key) gives the stored key.")));
}

static bool
shard_fits(FunctionCallInfo fcinfo, int number, int count)
{
	if (!PG_ARGISNULL(2))
		return number < count;
	return number == key_shard_of_sort_key(sort_key_argument(fcinfo), count);
}

static ItemRef
sort_key_argument(FunctionCallInfo fcinfo)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 1);

	switch (type)
	{
		case TEXTOID:
			return key_ref_from_datum(ITEM_S, PG_GETARG_DATUM(1));
		case NUMERICOID:
			return key_ref_from_datum(ITEM_N, PG_GETARG_DATUM(1));
		case BYTEAOID:
			return key_ref_from_datum(ITEM_B, PG_GETARG_DATUM(1));
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("key value must be of type text, numeric or bytea, not %s",
							OidIsValid(type) ? format_type_be(type) : "unknown")));
	}
}
