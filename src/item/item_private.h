/*
 * item_private.h
 *	  The encoding of item values, shared by the files of this folder only.
 *
 * A map, list or set that is not empty is encoded as
 *
 *		width code		1 byte: 0, 1, 2 for integers of 1, 2, 4 bytes
 *		count			one integer
 *		ends			count integers: where each entry ends in the body
 *		body			the entries, one after the other
 *
 * and an empty map or list as no bytes at all.  The width is the smallest
 * that holds both the count and the length of the body, so there is one
 * encoding for each value.  Integers are little-endian on every machine.
 *
 * An entry of a list is a type byte and the encoded value; an entry of a set
 * is the encoded value alone.  An entry of a map begins with the member's
 * name: its length (one byte; or 255 and two bytes from 255 on), the name, a
 * type byte, the encoded value.
 *
 * A string is its UTF-8 bytes, a binary its bytes, a Boolean one byte (0 or
 * 1), the null value no bytes; for numbers see item_number.c.
 */
#ifndef PT_ITEM_PRIVATE_H
#define PT_ITEM_PRIVATE_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "nodes/nodes.h"
#include "port/pg_bitutils.h"

#include "item/item.h"

#define ITEM_VERSION_SHIFT		4
#define ITEM_TYPE_MASK			0x0F
#define ITEM_HEADER_SIZE		1	/* version and type, after the length word */
#define ITEM_HEADER(type)		((ITEM_FORMAT_VERSION << ITEM_VERSION_SHIFT) | (type))

/* Longer names have their length in two more bytes. */
#define ITEM_NAME_LONG			255

/*
 * No item value is larger than this, length word included, so that no input
 * makes us allocate without bound.  It is far above what an item table or a
 * request may hold.  A build may need twice as much for a moment: base64 is
 * decoded in place.  No value's text is as long as 20 times its encoding.
 */
#define ITEM_MAX_ENCODED		(8 * 1024 * 1024)
#define ITEM_MAX_BUILD			(2 * ITEM_MAX_ENCODED)
#define ITEM_MAX_JSON			(20 * ITEM_MAX_ENCODED)

static inline bool
item_type_is_scalar(ItemType type)
{
	return type <= ITEM_NULL;
}

static inline bool
item_type_is_set(ItemType type)
{
	return type >= ITEM_SS;
}

/* Type of a set's elements. */
static inline ItemType
item_set_element_type(ItemType set)
{
	return (ItemType) (set - ITEM_SS + ITEM_S);
}

static inline ItemRef
item_make_ref(ItemType type, const char *data, uint32 len)
{
	ItemRef		ref;

	ref.type = type;
	ref.len = len;
	ref.data = data;
	return ref;
}

/* The little-endian integer of a width code at p. */
static inline uint32
item_load_int(const char *p, int code)
{
	const uint8 *u = (const uint8 *) p;

	if (code == 0)
		return u[0];
	if (code == 1)
		return u[0] | (u[1] << 8);
	return u[0] | (u[1] << 8) | (u[2] << 16) | ((uint32) u[3] << 24);
}

static inline void
item_store_int(char *p, int code, uint32 value)
{
	uint8	   *u = (uint8 *) p;

	u[0] = value;
	if (code >= 1)
		u[1] = value >> 8;
	if (code == 2)
	{
		u[2] = value >> 16;
		u[3] = value >> 24;
	}
}

/* Width code for a container. */
static inline int
item_width_code(uint32 count, uint32 body_len)
{
	uint32		largest = Max(count, body_len);

	return largest <= 0xFF ? 0 : largest <= 0xFFFF ? 1 : 2;
}

/* Bytes of a container before its body. */
static inline uint32
item_container_header_size(uint32 count, int code)
{
	return count == 0 ? 0 : 1 + ((count + 1) << code);
}

/* A container taken apart. */
typedef struct ItemContainer
{
	int			code;
	uint32		count;
	const char *ends;
	const char *body;
} ItemContainer;

static inline void
item_container_open(ItemRef ref, ItemContainer *c)
{
	if (ref.len == 0)
	{
		c->code = 0;
		c->count = 0;
		c->ends = c->body = ref.data;
		return;
	}
	c->code = (uint8) ref.data[0];
	c->count = item_load_int(ref.data + 1, c->code);
	c->ends = ref.data + 1 + (1 << c->code);
	c->body = c->ends + ((Size) c->count << c->code);
}

/* Where entry i ends, and so where entry i + 1 begins, in the body. */
static inline uint32
item_container_end(const ItemContainer *c, uint32 i)
{
	return item_load_int(c->ends + ((Size) i << c->code), c->code);
}

static inline uint32
item_container_start(const ItemContainer *c, uint32 i)
{
	return i == 0 ? 0 : item_container_end(c, i - 1);
}

static inline uint32
item_container_body_len(const ItemContainer *c)
{
	return item_container_start(c, c->count);
}

/* Name at the start of a map entry; returns where the type byte is. */
static inline const char *
item_entry_name(const char *entry, const char **name, uint32 *name_len)
{
	uint32		len = (uint8) *entry++;

	if (unlikely(len == ITEM_NAME_LONG))
	{
		len = item_load_int(entry, 1);
		entry += 2;
	}
	*name = entry;
	*name_len = len;
	return entry + len;
}

static inline uint32
item_entry_name_size(uint32 name_len)
{
	return name_len + (name_len < ITEM_NAME_LONG ? 1 : 3);
}

/* Writes length and name of a map entry; returns the byte after them. */
static inline char *
item_entry_put_name(char *p, const char *name, uint32 name_len)
{
	if (likely(name_len < ITEM_NAME_LONG))
		*p++ = (char) name_len;
	else
	{
		*p++ = (char) ITEM_NAME_LONG;
		item_store_int(p, 1, name_len);
		p += 2;
	}
	memcpy(p, name, name_len);
	return p + name_len;
}

/* Order of byte strings: unsigned bytes, a proper prefix is smaller. */
static inline int
item_bytes_compare(const char *a, uint32 a_len, const char *b, uint32 b_len)
{
	int			cmp;

	/* Most names differ in the first byte, which needs no call. */
	if (a_len > 0 && b_len > 0 && a[0] != b[0])
		return (uint8) a[0] < (uint8) b[0] ? -1 : 1;
	cmp = memcmp(a, b, Min(a_len, b_len));
	if (cmp != 0)
		return cmp;
	return a_len < b_len ? -1 : a_len > b_len;
}

/*
 * Builds encoded values: entries are appended in
 * any order, and closing a container sorts them and puts the header before
 * them.  The buffer starts with room for a varlena header, so a finished
 * build is an ItemData.
 */
typedef struct ItemSpan
{
	uint32		start;
	uint32		end;
} ItemSpan;

typedef struct ItemBuilder
{
	char	   *data;
	uint32		len;
	uint32		size;
	ItemSpan   *spans;			/* entries of the open containers, a stack */
	uint32		nspans;
	uint32		spans_size;
} ItemBuilder;

/* Where an open container began. */
typedef struct ItemMark
{
	uint32		start;
	uint32		first_span;
} ItemMark;

/* prototypes for functions in item_build.c */
extern void item_builder_init(ItemBuilder *b, uint32 expected);
extern void item_builder_free(ItemBuilder *b);
extern void item_builder_grow(ItemBuilder *b, uint32 more);
extern ItemMark item_builder_open(ItemBuilder *b);
extern void item_builder_begin_entry(ItemBuilder *b);
extern void item_builder_end_entry(ItemBuilder *b);
extern void item_builder_close(ItemBuilder *b, ItemMark mark);
extern void item_builder_close_map(ItemBuilder *b, ItemMark mark);
extern bool item_builder_close_set(ItemBuilder *b, ItemMark mark, bool merge);
extern ItemData *item_builder_finish(ItemBuilder *b);
extern ItemRef item_builder_finish_ref(ItemBuilder *b, ItemType type);

/* Makes room for this many more bytes and returns where they go. */
static inline char *
item_builder_reserve(ItemBuilder *b, uint32 more)
{
	if (unlikely(more > b->size - b->len))
		item_builder_grow(b, more);
	return b->data + b->len;
}

static inline void
item_builder_append(ItemBuilder *b, const char *bytes, uint32 len)
{
	char	   *p = item_builder_reserve(b, len);

	memcpy(p, bytes, len);
	b->len += len;
}

static inline void
item_builder_append_byte(ItemBuilder *b, char byte)
{
	*item_builder_reserve(b, 1) = byte;
	b->len++;
}

/* Appends a value with its type byte before it: a list entry. */
static inline void
item_builder_append_typed(ItemBuilder *b, ItemRef value)
{
	char	   *p = item_builder_reserve(b, value.len + 1);

	*p++ = (char) value.type;
	memcpy(p, value.data, value.len);
	b->len += value.len + 1;
}

/* prototypes for functions in item_iter.c */
extern uint32 item_map_search(const ItemContainer *map, const char *name,
							  uint32 name_len, bool *found);

/*
 * The first byte at or after p that cannot stand in a JSON string as it is
 * (quote, backslash, control character), or end.  Eight bytes at a time: of
 * each byte of the word, subtracting borrows into its top bit when the byte
 * was small enough.  A borrow may reach the bytes after such a byte, never
 * those before it.  Where the machine compares sixteen bytes with one
 * instruction, that comes first.
 */
static inline const char *
item_plain_end(const char *p, const char *end)
{
	const uint64 ones = UINT64CONST(0x0101010101010101);

#ifdef __SSE2__
	while (end - p >= 16)
	{
		__m128i		bytes = _mm_loadu_si128((const __m128i *) p);
		__m128i		control = _mm_cmpeq_epi8(bytes, _mm_min_epu8(bytes,
																 _mm_set1_epi8(' ' - 1)));
		__m128i		quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
		__m128i		backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
		uint32		found = _mm_movemask_epi8(_mm_or_si128(control,
														   _mm_or_si128(quote, backslash)));

		if (found)
			return p + pg_rightmost_one_pos32(found);
		p += 16;
	}
#endif

	while (end - p >= 8)
	{
		uint64		word;
		uint64		quote;
		uint64		backslash;
		uint64		found;

		memcpy(&word, p, 8);
		quote = word ^ (ones * '"');
		backslash = word ^ (ones * '\\');
		found = (((word - ones * ' ') & ~word) | ((quote - ones) & ~quote) |
				 ((backslash - ones) & ~backslash)) & (ones * 0x80);
		if (found)
		{
#ifdef WORDS_BIGENDIAN
			break;
#else
			return p + pg_rightmost_one_pos64(found) / 8;
#endif
		}
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\' && (unsigned char) *p >= ' ')
		p++;
	return p;
}

/* prototypes for functions in item_scan.c */
extern bool item_scan_string(ItemScanner *s, ItemBuilder *b);
extern bool item_scan_name(ItemScanner *s, ItemBuilder *b, uint32 *len);
extern bool item_scan_error(ItemScanner *s);

/* prototypes for functions in item_set.c */
extern const char *item_list_to_set(ItemBuilder *b, uint32 type_at,
									ItemType set, int *sqlerrcode);

/* prototypes for functions in item_parse.c */
extern ItemData *item_parse_json(const char *json, size_t len,
								 Node *escontext);

/* prototypes for functions in item_json.c */
extern void item_append_base64(StringInfo out, const char *data, uint32 len);
extern bool item_base64_decode(const char *text, uint32 len, char *out,
							   uint32 *out_len);

/* prototypes for functions in item_ops.c */
extern bool item_step(ItemRef value, const char *step, uint32 len,
					  ItemRef *result);
extern bool item_step_index(const char *step, uint32 len, int count,
							int64 *index);

/* prototypes for functions in item_check.c */
extern void item_check_depth(ItemRef value);
extern const char *item_name_len_error(uint32 len);
extern void item_check_name_len(uint32 len);
extern const char *item_check_encoding(ItemRef value);

#endif							/* PT_ITEM_PRIVATE_H */
