/*
 * ptkey.c
 *	  Column values as bytes whose memcmp order is the order of the index.
 *
 * The types are text (byte order), bytea and numeric, and int8 for the column
 * that is compared last.  The hash of a partition key comes from the operator
 * class; everything else is decided here and is part of the on-disk format.
 * ptree_private.h shows how the pieces are put together.
 *
 * Only _pt_check_definition() and the encoders may fail; they are called
 * before any page is locked.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "ptree/ptree_private.h"

static void check_column(Relation heap, Relation rel, const PtLayout *layout,
						 int attr);
static void check_not_null(Relation heap, Relation rel, int attr);
static void encode_value(Oid type, Datum value, StringInfo buf);
static void encode_numeric(const struct varlena *number, StringInfo buf);
static void encode_weight(bool negative, int weight, StringInfo buf);
static void append_escaped(StringInfo buf, int from);
pg_noreturn static void report_null(Relation rel, int attr);

/* Fills *layout from the index's descriptor. */
void
_pt_get_layout(Relation rel, PtLayout *layout)
{
	int			natts = IndexRelationGetNumberOfKeyAttributes(rel);

	layout->natts = natts;
	layout->int8_attr = (natts > 1 && rel->rd_opcintype[natts - 1] == INT8OID) ?
		natts - 1 : -1;
	layout->sk_attr = (natts - (layout->int8_attr >= 0 ? 1 : 0)) > 1 ? 1 : -1;
	layout->taillen = PT_TID_SIZE + (layout->int8_attr >= 0 ? PT_INT8_SIZE : 0);
}

/*
 * Refuses an index whose columns, collations or options ptree cannot serve.
 */
void
_pt_check_definition(Relation heap, Relation rel)
{
	PtLayout	layout;

	_pt_get_layout(rel, &layout);
	if (layout.natts > 3 || (layout.natts == 3 && layout.int8_attr < 0))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" supports at most two key columns and a last column of type bigint",
						"ptree")));

	for (int attr = 0; attr < layout.natts; attr++)
		check_column(heap, rel, &layout, attr);
}

static void
check_column(Relation heap, Relation rel, const PtLayout *layout, int attr)
{
	Oid			collation = rel->rd_indcollation[attr];
	bool		hash_order = OidIsValid(index_getprocid(rel, attr + 1,
														PT_HASH_PROC));
	const char *name = NameStr(TupleDescAttr(RelationGetDescr(rel),
											 attr)->attname);

	if (attr == 0 && !hash_order)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the first column of a \"%s\" index must be in hash order",
						"ptree"),
				 errhint("Use an operator class such as partitioning.text_hash_ops.")));
	if (attr > 0 && hash_order)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("only the first column of a \"%s\" index can be in hash order",
						"ptree")));
	if (attr != layout->int8_attr && rel->rd_opcintype[attr] == INT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a column of type bigint must be the last of a \"%s\" index",
						"ptree")));
	if (rel->rd_indoption[attr] != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" does not support DESC and NULLS FIRST",
						"ptree"),
				 errhint("The index can be read in both directions.")));

	if (OidIsValid(collation))
	{
		if (attr == 0 && !get_collation_isdeterministic(collation))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("nondeterministic collations are not supported for column \"%s\" of a \"%s\" index",
							name, "ptree")));
		if (attr > 0 && !compat_collation_is_c(collation))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of a \"%s\" index must have collation \"C\"",
							name, "ptree")));
	}

	if (attr == 0 || attr == layout->int8_attr)
		check_not_null(heap, rel, attr);
}

/*
 * A null in such a column makes the insertion fail, so a column that may be
 * null is refused at once, unless a predicate may keep the nulls away.
 */
static void
check_not_null(Relation heap, Relation rel, int attr)
{
	AttrNumber	attnum = rel->rd_index->indkey.values[attr];
	Form_pg_attribute att;

	if (attnum <= 0 ||
		!heap_attisnull(rel->rd_indextuple, Anum_pg_index_indpred, NULL))
		return;

	att = TupleDescAttr(RelationGetDescr(heap), attnum - 1);
	if (!att->attnotnull)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of a \"%s\" index must be NOT NULL",
						NameStr(att->attname), "ptree")));
}

/*
 * Prepares for the encoding of a key of these values.  A value takes at most
 * twice its size and some bytes.
 */
void
_pt_init_bytes(PtKeyBytes *bytes, const PtLayout *layout, const Datum *values,
			   const bool *isnull)
{
	Size		size = 32;

	for (int i = 0; i <= Max(layout->sk_attr, 0); i++)
	{
		struct varlena *value = (struct varlena *) DatumGetPointer(values[i]);

		if (isnull[i])
			continue;
		if (VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value))
			size = PT_LOCAL_BYTES;
		size += 2 * VARSIZE_ANY(value);
	}

	if (size > PT_LOCAL_BYTES)
		initStringInfo(&bytes->buf);
	else
	{
		bytes->buf.data = bytes->local;
		bytes->buf.maxlen = PT_LOCAL_BYTES;
		bytes->buf.len = bytes->buf.cursor = 0;
	}
}

void
_pt_free_bytes(PtKeyBytes *bytes)
{
	if (bytes->buf.data != bytes->local)
		pfree(bytes->buf.data);
}

/*
 * Appends the partition key: hash, and bytes with terminator or digest.
 *
 * Two keys of equal digests would be one key to the index: the unique check
 * would refuse the second.  Nobody has found such a pair for SHA-256.  A scan
 * asks for a recheck of the rows nevertheless.
 */
void
_pt_encode_pk(Relation rel, Datum value, StringInfo buf)
{
	int32		hash;
	int			start;
	int			len;

	hash = DatumGetInt32(FunctionCall1Coll(index_getprocinfo(rel, 1,
															 PT_HASH_PROC),
										   rel->rd_indcollation[0], value));
	_pt_encode_hash(hash, buf);
	start = buf->len;
	encode_value(rel->rd_opcintype[0], value, buf);
	len = buf->len - start;
	if (len > DIGEST_KEY_WHOLE_MAX && rel->rd_opcintype[0] != NUMERICOID)
	{
		uint8		digest[DIGEST_SIZE];

		digest_sha256(buf->data + start, len, digest);
		buf->len = start;
		appendStringInfoCharMacro(buf, PT_PK_END);
		appendStringInfoCharMacro(buf, PT_PK_DIGEST);
		appendBinaryStringInfo(buf, (const char *) digest, DIGEST_SIZE);
		return;
	}
	if (memchr(buf->data + start, PT_PK_END, len) != NULL)
		append_escaped(buf, start);
	appendStringInfoCharMacro(buf, PT_PK_END);
}

/* Appends a hash: also the bound of all keys from that hash on. */
void
_pt_encode_hash(int32 hash, StringInfo buf)
{
	uint32		position = (uint32) hash ^ 0x80000000U;

	position = pg_hton32(position);
	appendBinaryStringInfo(buf, (char *) &position, sizeof(position));
}

/* Appends a sort key that is not null, without its marker. */
void
_pt_encode_sk_bytes(Relation rel, Datum value, StringInfo buf)
{
	encode_value(rel->rd_opcintype[1], value, buf);
}

/* Writes the PT_INT8_SIZE bytes of the last column. */
void
_pt_encode_int8(int64 value, uint8 *tail)
{
	uint64		position = (uint64) value ^ (UINT64CONST(1) << 63);

	for (int i = 0; i < PT_INT8_SIZE; i++)
		tail[i] = (uint8) (position >> (56 - 8 * i));
}

/* Writes the PT_TID_SIZE bytes of a heap TID. */
void
_pt_encode_tid(ItemPointer tid, uint8 *tail)
{
	BlockNumber block = ItemPointerGetBlockNumberNoCheck(tid);
	OffsetNumber offset = ItemPointerGetOffsetNumberNoCheck(tid);

	tail[0] = (uint8) (block >> 24);
	tail[1] = (uint8) (block >> 16);
	tail[2] = (uint8) (block >> 8);
	tail[3] = (uint8) block;
	tail[4] = (uint8) (offset >> 8);
	tail[5] = (uint8) offset;
}

/*
 * Encodes one row's key.  buf is overwritten and holds the bytes to which
 * *key points; ereports what cannot be indexed.
 */
void
_pt_encode_tuple(Relation rel, const PtLayout *layout, const Datum *values,
				 const bool *isnull, ItemPointer tid, StringInfo buf,
				 PtKey *key)
{
	_pt_encode_bytes(rel, layout, values, isnull, buf, key);

	key->taillen = layout->taillen;
	if (layout->int8_attr >= 0)
	{
		if (isnull[layout->int8_attr])
			report_null(rel, layout->int8_attr);
		_pt_encode_int8(DatumGetInt64(values[layout->int8_attr]), key->tail);
	}
	_pt_encode_tid(tid, key->tail + layout->taillen - PT_TID_SIZE);

	if (key->len > PT_MAX_KEY)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("key of %d bytes exceeds the maximum of %d bytes for \"%s\" index \"%s\"",
						buf->len, PT_MAX_KEY, "ptree",
						RelationGetRelationName(rel)),
				 errdetail("The partition key and the sort key are stored together, uncompressed.")));
}

/*
 * Encodes the part of a row's key that is compared first, as a key without
 * tail.  Bytes beyond those of any key that can be stored are cut off.
 */
void
_pt_encode_bytes(Relation rel, const PtLayout *layout, const Datum *values,
				 const bool *isnull, StringInfo buf, PtKey *key)
{
	resetStringInfo(buf);
	if (isnull[0])
		report_null(rel, 0);
	_pt_encode_pk(rel, values[0], buf);

	if (layout->sk_attr < 0)
		appendStringInfoCharMacro(buf, PT_SK_VALUE);
	else if (isnull[layout->sk_attr])
		appendStringInfoCharMacro(buf, PT_SK_NULL);
	else
	{
		appendStringInfoCharMacro(buf, PT_SK_VALUE);
		_pt_encode_sk_bytes(rel, values[layout->sk_attr], buf);
	}

	key->data = (uint8 *) buf->data;
	key->len = (uint16) Min(buf->len, PT_MAX_KEY + 1);
	key->kind = PT_KEY_PLAIN;
	key->taillen = 0;
}

/*
 * Length of hash and partition key, terminator included, in a key's bytes; 0
 * if the bytes end before the one that tells a terminator from an escape, or
 * within a digest.
 */
int
_pt_pk_length(const uint8 *data, int len)
{
	const uint8 *end = data + len;
	const uint8 *p = data + PT_HASH_SIZE;

	if (p + 1 < end && p[0] == PT_PK_END && p[1] == PT_PK_DIGEST)
		return len >= PT_PK_DIGEST_LENGTH ? PT_PK_DIGEST_LENGTH : 0;
	while (p < end)
	{
		p = memchr(p, PT_PK_END, end - p);
		if (p == NULL || p + 1 >= end)
			return 0;
		if (p[1] != PT_PK_ESCAPE)
			return (int) (p + 1 - data);
		p += 2;
	}
	return 0;
}

static void
report_null(Relation rel, int attr)
{
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("null value in column \"%s\" of \"%s\" index \"%s\"",
					NameStr(TupleDescAttr(RelationGetDescr(rel),
										  attr)->attname),
					"ptree", RelationGetRelationName(rel)),
			 errtableconstraint(rel, RelationGetRelationName(rel))));
}

/* Appends a value's bytes. */
static void
encode_value(Oid type, Datum value, StringInfo buf)
{
	struct varlena *packed = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_EXTERNAL(packed) || VARATT_IS_COMPRESSED(packed))
		packed = pg_detoast_datum_packed(packed);

	switch (type)
	{
		case TEXTOID:
		case BYTEAOID:
			appendBinaryStringInfo(buf, VARDATA_ANY(packed),
								   VARSIZE_ANY_EXHDR(packed));
			break;
		case NUMERICOID:
			encode_numeric(packed, buf);
			break;
		default:
			elog(ERROR, "unexpected type %u in a ptree index", type);
	}
	if ((Pointer) packed != DatumGetPointer(value))
		pfree(packed);
}

/* Rewrites the bytes from an offset on with 00 as 00 FF. */
static void
append_escaped(StringInfo buf, int from)
{
	int			len = buf->len - from;
	char	   *copy = palloc(len);

	memcpy(copy, buf->data + from, len);
	buf->len = from;
	for (int i = 0; i < len; i++)
	{
		appendStringInfoCharMacro(buf, copy[i]);
		if (copy[i] == PT_PK_END)
			appendStringInfoCharMacro(buf, (char) PT_PK_ESCAPE);
	}
	pfree(copy);
}

/*
 * Numbers.
 *
 * A byte for sign and magnitude, then base-10000 digits, two bytes each, most
 * significant first, without zeros at either end: shorter is smaller.  For
 * negative numbers the first byte is complemented, each digit is taken from
 * FF FE, and FF FF ends the digits, so that shorter is larger.  Display scale
 * is left out; equal numbers have equal bytes.  Order is that of numeric: -Infinity, ..., Infinity, NaN.
 *
 * The server keeps the inside of numeric to itself, but its on-disk form has
 * been fixed since 9.1: a 16-bit header, a 16-bit weight unless the header
 * holds it, digits.
 */
#define NUM_SIGN_MASK			0xC000
#define NUM_NEGATIVE			0x4000
#define NUM_SHORT				0x8000
#define NUM_SPECIAL				0xC000
#define NUM_SPECIAL_MASK		0xF000
#define NUM_PLUS_INFINITY		0xD000
#define NUM_MINUS_INFINITY		0xF000
#define NUM_SHORT_NEGATIVE		0x2000
#define NUM_SHORT_WEIGHT_SIGN	0x0040
#define NUM_SHORT_WEIGHT_MASK	0x003F

/* the first byte; of negative numbers its complement */
#define NUMBYTE_ZERO			0x80
#define NUMBYTE_TINY			0x81	/* weight in two more bytes */
#define NUMBYTE_WEIGHT_0		0xAA	/* weight -40 is 0x82, 40 is 0xD2 */
#define NUMBYTE_HUGE			0xD3	/* weight in two more bytes */
#define NUMBYTE_INFINITY		0xE0
#define NUMBYTE_NAN				0xE1
#define NUM_BYTE_WEIGHT			40

static inline uint16
load_word(const char *p)
{
	uint16		word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline void
append_word(StringInfo buf, uint16 word)
{
	appendStringInfoCharMacro(buf, (char) (word >> 8));
	appendStringInfoCharMacro(buf, (char) word);
}

static void
encode_numeric(const struct varlena *number, StringInfo buf)
{
	const char *p = VARDATA_ANY(number);
	const char *end = p + VARSIZE_ANY_EXHDR(number);
	uint16		header = load_word(p);
	bool		negative;
	int			weight;

	p += sizeof(uint16);
	if ((header & NUM_SIGN_MASK) == NUM_SPECIAL)
	{
		uint16		kind = header & NUM_SPECIAL_MASK;

		appendStringInfoCharMacro(buf, (char)
								  (kind == NUM_PLUS_INFINITY ? NUMBYTE_INFINITY :
								   kind == NUM_MINUS_INFINITY ? ~NUMBYTE_INFINITY :
								   NUMBYTE_NAN));
		return;
	}

	if ((header & NUM_SIGN_MASK) == NUM_SHORT)
	{
		negative = (header & NUM_SHORT_NEGATIVE) != 0;
		weight = header & NUM_SHORT_WEIGHT_MASK;
		if (header & NUM_SHORT_WEIGHT_SIGN)
			weight -= NUM_SHORT_WEIGHT_MASK + 1;
	}
	else
	{
		negative = (header & NUM_SIGN_MASK) == NUM_NEGATIVE;
		weight = (int16) load_word(p);
		p += sizeof(uint16);
	}

	for (; p < end && load_word(p) == 0; p += sizeof(uint16))
		weight--;
	while (p < end && load_word(end - sizeof(uint16)) == 0)
		end -= sizeof(uint16);

	if (p >= end)
	{
		appendStringInfoCharMacro(buf, (char) NUMBYTE_ZERO);
		return;
	}
	encode_weight(negative, weight, buf);
	for (; p < end; p += sizeof(uint16))
		append_word(buf, negative ? 0xFFFE - load_word(p) : load_word(p));
	if (negative)
		append_word(buf, 0xFFFF);
}

static void
encode_weight(bool negative, int weight, StringInfo buf)
{
	uint8		byte;
	bool		small = abs(weight) <= NUM_BYTE_WEIGHT;

	if (small)
		byte = NUMBYTE_WEIGHT_0 + weight;
	else
		byte = weight < 0 ? NUMBYTE_TINY : NUMBYTE_HUGE;
	appendStringInfoCharMacro(buf, (char) (negative ? ~byte : byte));

	if (!small)
	{
		/* zeros stripped at the front can take a weight below an int16's */
		int			biased = Max(weight + 0x8000, 0);

		append_word(buf, negative ? (uint16) ~biased : (uint16) biased);
	}
}
