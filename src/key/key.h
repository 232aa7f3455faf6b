/*
 * key.h
 *	  Primary keys of item tables: schema, values, hash order, bounds.
 *
 * A key attribute is of type S, N or B and is stored in a column of type
 * text (collation C), numeric or bytea.  Index order is by key_hash() of the
 * partition key, then the partition key, then the sort key in its own order.
 */
#ifndef PT_KEY_H
#define PT_KEY_H

#include "storage/bufpage.h"
#include "storage/itemptr.h"

#include "item/item.h"

#define KEY_MAX_ATTRIBUTES	2

typedef struct KeyAttribute
{
	const char *name;
	uint32		name_len;
	ItemType	type;			/* ITEM_S, ITEM_N or ITEM_B */
} KeyAttribute;

/* Computes a string from attributes of an item: '{status}#{createdAt}'. */
typedef struct KeyTemplate KeyTemplate;

/*
 * A key attribute of a secondary index.  An item need not have it; if it has
 * it, the value must fit.
 */
typedef struct KeyIndexAttribute
{
	KeyAttribute attribute;
	const KeyTemplate *template;	/* what computes it; NULL: as stored */
	bool		sort;			/* a sort key: has the limits of one */
	const char *index_name;
} KeyIndexAttribute;

/* Where the number of the shard that an item is written to comes from. */
typedef enum KeyShardBy
{
	KEY_SHARD_NONE,				/* there are no shards */
	KEY_SHARD_SORT_KEY,			/* hash of the sort key */
	KEY_SHARD_ATTRIBUTE,		/* hash of an attribute when the item is new */
	KEY_SHARD_RANDOM			/* chance, when the item is new */
} KeyShardBy;

/*
 * Write shards: an item of partition key X is stored under X#n, where n is a
 * number from 0 to count - 1.  While the count changes, items that have not
 * been moved yet are where the former count has put them.
 */
typedef struct KeySharding
{
	KeyShardBy	by;
	int			count;			/* 0 without shards */
	int			former;			/* 0 unless the count is changing */
	const char *attribute;		/* of KEY_SHARD_ATTRIBUTE */
	uint32		attribute_len;
} KeySharding;

/*
 * Attribute 0 is the partition key, attribute 1 (if n == 2) the sort key.  The
 * key attributes of a table's indexes, each once, are in the order of the
 * indexes' names; there are none in the schema of anything but a table.
 */
typedef struct KeySchema
{
	int			n;
	KeyAttribute attributes[KEY_MAX_ATTRIBUTES];
	int			nindexed;
	const KeyIndexAttribute *indexed;
	KeySharding sharding;		/* of the partition key */
} KeySchema;

/*
 * One key: each part as an encoded value and as a Datum of its column's type.
 * The values are what users know.  Where write shards are involved, the Datum
 * of the partition key is that of the column, with the shard's number, if the
 * key comes from a row, and without it if it comes from a request.
 */
typedef struct ItemKey
{
	int			n;
	ItemRef		refs[KEY_MAX_ATTRIBUTES];
	Datum		datums[KEY_MAX_ATTRIBUTES];
} ItemKey;

/* A condition on the sort key, as bounds. */
typedef struct KeyBound
{
	bool		present;
	bool		inclusive;
	ItemRef		ref;
	Datum		datum;
} KeyBound;

typedef struct KeyRange
{
	KeyBound	lower;
	KeyBound	upper;
} KeyRange;

/* prototypes for functions in key_value.c: values of key attributes */
extern Oid	key_column_type(ItemType type);
extern Datum key_datum_from_ref(ItemRef value); /* palloc'd; ereports U+0000 in a text key */
extern ItemRef key_ref_from_datum(ItemType type, Datum datum);	/* may point into datum */

/*
 * Key from the Key argument of an operation: exactly the schema's attributes.
 * ereports the service's texts (schema, empty, size).  The refs point into
 * the map.
 */
extern void key_from_key_argument(const KeySchema *schema, ItemRef map,
								  ItemKey *key);

/*
 * Key from a whole item (PutItem): missing, mistyped, empty, too long.  Checks
 * the key attributes of indexes, too.
 */
extern void key_from_item(const KeySchema *schema, ItemRef map, ItemKey *key);

/* Copies a key of whatever schema; the parts point into its own datums. */
extern void key_copy(ItemKey *to, const ItemKey *from);

/* Are two keys of one schema the same? */
extern bool key_equal(const ItemKey *a, const ItemKey *b);

/* A total order, the same everywhere, that is not that of any index. */
extern int	key_order_bytes(const ItemKey *a, const ItemKey *b);

/* Size and emptiness rules alone, for one part (0 = PK, 1 = SK). */
extern void key_check_value(const KeyAttribute *attribute, int part,
							ItemRef value);

/* Index of the attribute of that name in the schema, or -1. */
extern int	key_schema_find(const KeySchema *schema, const char *name,
							uint32 name_len);

/* Order of two values of a key column; neither is compressed or elsewhere. */
extern int	key_datum_compare(ItemType type, Datum a, Datum b);

/* Same names and types of the table's own key. */
extern bool key_schema_equal(const KeySchema *a, const KeySchema *b);

/* prototypes for functions in key_check.c: what every row must obey */

/*
 * Largest index tuple that nbtree accepts, as its BTMaxItemSize(): three must
 * fit on a page, each with room for a heap TID.
 */
#define KEY_BTREE_LIMIT \
	((int) MAXALIGN_DOWN((BLCKSZ - \
						  MAXALIGN(SizeOfPageHeaderData + \
								   3 * sizeof(ItemIdData) + \
								   3 * sizeof(ItemPointerData)) - \
						  MAXALIGN(4 * sizeof(uint32))) / 3))

/*
 * The rules of the check constraint: attributes is a map without key
 * attributes, key values are neither empty nor too long, the whole item and
 * its index tuple are not too large.  index_limit is KEY_BTREE_LIMIT, or 0
 * for an index without a limit.
 */
extern void key_check_item(const KeySchema *schema, const ItemKey *key,
						   ItemRef attributes, int index_limit);

/* The last of these alone: complains when the index tuple is too large. */
extern void key_check_index_size(const ItemKey *key, int index_limit);
extern void key_check_entry_size(const char *index_name, int n,
								 const Datum *datums, int index_limit);
extern bool key_index_size_fits(const ItemKey *key, int index_limit);

/* prototypes for functions in key_index.c: key attributes of indexes */

/*
 * Value that an item has for a key attribute of an index, of whatever type;
 * false when it has none.  What a template computes is palloc'd.
 */
extern bool key_index_value(const KeyIndexAttribute *indexed,
							const ItemRow *row, ItemRef *value);

/* Can this value be in the index?  Rows older than the index may hold others. */
extern bool key_index_fits(const KeyIndexAttribute *indexed, ItemRef value);

/*
 * Refuses an item whose values for index keys do not fit; with the texts of
 * an update when the item is the result of one.
 */
extern void key_check_indexed(const KeySchema *schema, const ItemRow *row,
							  bool update);

/* prototypes for functions in key_template.c: computed key attributes */

/*
 * Parses a template, in the current memory context: {name} stands for an
 * attribute's value, {{ and }} for braces.  ereports what is wrong with it.
 */
extern KeyTemplate *key_template_parse(const char *text, size_t len);

/*
 * Computes it: false when an attribute is absent, or neither a string nor a
 * number.
 */
extern bool key_template_apply(const KeyTemplate *template,
							   const ItemRow *row, ItemRef *value);
extern const char *key_template_text(const KeyTemplate *template);
extern int	key_template_count(const KeyTemplate *template);	/* attributes */
extern void key_template_attribute(const KeyTemplate *template, int i,
								   const char **name, uint32 *name_len);

/* prototypes for functions in key_parts.c: keys of several attributes */
extern ItemRef key_parts_encode(int n, const ItemRef *values);
extern bool key_parts_decode(ItemRef bytes, int n, const ItemType *types,
							 ItemRef *values);
extern void key_parts_range(int n, const ItemRef *values,
							const KeyRange *next, KeyRange *range);
extern int64 key_digest(const ItemKey *key);

/* prototypes for functions in key_hash.c: the frozen hash and its order */
extern int32 key_hash_ref(ItemRef pk);
extern int32 key_hash_datum(ItemType type, Datum datum);
extern int32 key_hash_bytes(const char *data, size_t len);

/*
 * Compares a partition key of type S or B with a stored one, in hash order, as
 * key_order.c does for the index.
 */
extern int	key_compare_bytes(ItemRef pk, const char *stored, size_t len);

/*
 * Bounds of a scan segment: pk's with lower <= hash, and hash < upper unless
 * the segment is the last one.
 */
extern void key_segment_bounds(int32 segment, int32 total_segments,
							   int32 *lower, bool *has_upper, int32 *upper);
extern bool key_segment_contains(int32 segment, int32 total_segments,
								 int32 hash);

/* prototypes for functions in key_shard.c: write shards */

/* Largest number of shards of a table or index. */
#define KEY_MAX_SHARDS	1024

/*
 * Number at the end of a stored partition key, and the length of what is
 * before it; -1 and all of it when it ends otherwise.
 */
extern int	key_shard_split(const char *pk, size_t len, size_t *base_len);

/* The value of a key column, as users know it. */
extern ItemRef key_part_from_datum(const KeySchema *schema, int part,
								   Datum datum);

/* The other way round: what users know, palloc'd if need be. */
extern Datum key_datum_of_part(const KeySchema *schema, int part,
							   const ItemKey *key);

/* The stored partition key, palloc'd. */
extern Datum key_shard_datum(ItemRef pk, int shard);

/* Shard of a hash, among that many. */
extern int	key_shard_of_hash(uint32 hash, int count);
extern int	key_shard_of_sort_key(ItemRef sk, int count);

/* Shard for a new item. */
extern int	key_shard_choose(const KeySharding *sharding, const ItemKey *key,
							 ItemRef attributes);

/* Is a stored partition key where the current number of shards puts it? */
extern bool key_shard_is_current(const KeySharding *sharding, Datum pk,
								 ItemRef sk);

/* How many shards must be looked into. */
extern int	key_shard_count(const KeySharding *sharding);
extern bool key_sharding_equal(const KeySharding *a, const KeySharding *b);

/* prototypes for functions in key_range.c: sort key conditions as bounds */

/*
 * Smallest byte string above all that begin with the prefix; false when
 * there is none (all bytes 0xFF).
 */
extern bool key_prefix_successor(const char *prefix, size_t len,
								 char *successor, size_t *successor_len);

/* Bound of "begins with this" for an S or B value. */
extern void key_range_begins_with(ItemRef prefix, KeyRange *range);
extern bool key_range_contains(const KeyRange *range, ItemRef sk);

#endif							/* PT_KEY_H */
