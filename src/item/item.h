/*
 * item.h
 *	  The item data type: any DynamoDB attribute value as one varlena.
 *
 * On disk (format version 1) an item is a varlena whose first byte holds the
 * format version in the high and the root's type in the low four bits; the
 * encoded value follows.  Encoded values are byte packed (no alignment), and
 * canonical: map members are sorted by name, set elements by their bytes,
 * numbers have one spelling.  So two values are equal exactly when their
 * types and bytes are.
 *
 * Three shapes of a value appear in the code:
 *	 - ItemData: the varlena, detoasted (4-byte header unless got as PP);
 *	 - ItemRef: a view of one encoded value inside an ItemData (or any buffer):
 *	   type, length, pointer.  Cheap, read only, lives as long as the buffer;
 *	 - ItemValue: a tree in memory that can be changed and then encoded.  A
 *	   leaf of the tree may be an ItemRef of any type, so an update opens only
 *	   the containers on the way to what it changes.
 *
 * Everything that reads encoded bytes trusts them: bytes from outside go
 * through item_recv() or item_in() first, which check all they accept.
 */
#ifndef PT_ITEM_H
#define PT_ITEM_H

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/numeric.h"

#include "base/compat.h"

/* The ten types; values are on disk, never renumber. */
typedef enum ItemType
{
	ITEM_S = 1,
	ITEM_N = 2,
	ITEM_B = 3,
	ITEM_BOOL = 4,
	ITEM_NULL = 5,
	ITEM_M = 6,
	ITEM_L = 7,
	ITEM_SS = 8,
	ITEM_NS = 9,
	ITEM_BS = 10
} ItemType;

#define ITEM_FORMAT_VERSION		1

typedef struct varlena ItemData;

#define DatumGetItemP(d)		((ItemData *) PG_DETOAST_DATUM(d))
#define PG_GETARG_ITEM_P(n)		DatumGetItemP(PG_GETARG_DATUM(n))

/*
 * The same for readers: the header may be a short one, so that a row's value
 * is not copied.  item_root() reads either.
 */
#define DatumGetItemPP(d)		((ItemData *) PG_DETOAST_DATUM_PACKED(d))
#define PG_GETARG_ITEM_PP(n)	DatumGetItemPP(PG_GETARG_DATUM(n))
#define PG_RETURN_ITEM_P(x)		return PointerGetDatum(x)

/* A view of one encoded value. */
typedef struct ItemRef
{
	ItemType	type;
	uint32		len;
	const char *data;
} ItemRef;

/* One element of a document path: a member name or a list index. */
typedef struct ItemPathElement
{
	const char *name;			/* NULL for a list index */
	uint32		name_len;
	int32		index;
} ItemPathElement;

typedef struct ItemPath
{
	int			n;
	ItemPathElement *elements;
} ItemPath;

/*
 * A place in a JSON text, for those who decode JSON that has items inside.
 * The functions below read one token or value that begins there and go past
 * it.  One that meets an error saves it in escontext (or throws it where
 * there is none) and returns false.
 */
typedef struct ItemScanner
{
	const char *json;
	const char *p;				/* the next character */
	const char *end;
	struct Node *escontext;
} ItemScanner;

/*
 * A map of names and typed values as decoded.  What cannot be a value is
 * remembered, not raised, because its turn among a request's errors comes
 * later; the item then has something else in its place.
 */
typedef struct ItemTyped
{
	ItemData   *item;
	const char *invalid;		/* text of the first error, or NULL */
	const char *invalid_name;	/* the attribute that it is in */
	uint32		invalid_name_len;
} ItemTyped;

/* A changeable tree; see item_value_*() below. */
typedef struct ItemValue ItemValue;

/*
 * An item as its parts: key attributes that are stored outside, and the map
 * of all others.  This is how a row of an item table looks to expressions,
 * without building the whole item.  attributes.data may be NULL: no item.
 */
typedef struct ItemRowKey
{
	const char *name;
	uint32		name_len;
	ItemRef		value;
} ItemRowKey;

#define ITEM_ROW_MAX_KEYS	18	/* table key, and 4 + 4 of an index, and room */

typedef struct ItemRow
{
	int			nkeys;
	ItemRowKey	keys[ITEM_ROW_MAX_KEYS];
	ItemRef		attributes;		/* ITEM_M, or data = NULL */
} ItemRow;

/* prototypes for functions in item_iter.c: reading encoded values */
extern ItemRef item_root(const ItemData *item);
extern const char *item_type_tag(ItemType type);	/* "S", "N", ... "BS" */
extern const char *item_type_word(ItemType type);	/* "STRING", "NUMBER" ... */
extern bool item_type_from_tag(const char *tag, size_t len, ItemType *type);
extern bool item_ref_bool(ItemRef value);
extern int	item_map_count(ItemRef map);
extern ItemRef item_map_member(ItemRef map, int i,
							   const char **name, uint32 *name_len);
extern bool item_map_find(ItemRef map, const char *name, uint32 name_len,
						  ItemRef *value);
extern int	item_list_count(ItemRef list);
extern ItemRef item_list_element(ItemRef list, int i);
extern int	item_set_count(ItemRef set);
extern ItemRef item_set_element(ItemRef set, int i);	/* type S, N or B */
extern int	item_ref_count(ItemRef container);	/* map, list or set */
extern uint32 item_ref_size(ItemRef value); /* size by DynamoDB's rules */
extern uint32 item_map_size(ItemRef map);	/* as an item: names + values */
extern int	item_ref_depth(ItemRef value);	/* scalars and sets 0, {} is 1 */

/* prototypes for functions in item_cmp.c: order and equality */
extern bool item_ref_equal(ItemRef a, ItemRef b);
extern int	item_ref_compare(ItemRef a, ItemRef b); /* total order over all */
extern int	item_scalar_compare(ItemRef a, ItemRef b);	/* same type S, N, B */
extern bool item_ref_begins_with(ItemRef value, ItemRef prefix);
extern bool item_ref_contains(ItemRef container, ItemRef operand);
extern bool item_set_contains(ItemRef set, ItemRef scalar);

/* Names of members that two maps do not have alike. */
#define ITEM_MAX_CHANGES	16

typedef struct ItemChanges
{
	int			n;				/* -1: more than there is room for */
	const char *names[ITEM_MAX_CHANGES];	/* point into the maps */
	uint32		name_lens[ITEM_MAX_CHANGES];
} ItemChanges;

extern void item_map_changes(ItemRef a, ItemRef b, ItemChanges *changes);
extern bool item_changes_have(const ItemChanges *changes, const char *name,
							  uint32 name_len);

/* prototypes for functions in item_number.c */
#define ITEM_NUMBER_MAX_LEN		24	/* encoded bytes of any legal number */
#define ITEM_NUMBER_MAX_TEXT	176 /* printed, with sign, point and NUL */
extern uint32 item_number_parse(const char *text, size_t len, char *out);	/* ereports the service's texts */
extern const char *item_number_check(const char *text, size_t len,
									 char *out, uint32 *out_len);	/* NULL, or the message format */
extern int	item_number_print(ItemRef number, char *out);	/* normal form; returns strlen */
extern uint32 item_number_add(ItemRef a, ItemRef b, bool subtract, char *out);	/* exact; ereports overflow text */
extern uint32 item_number_from_numeric(Numeric num, char *out); /* ereports when not a DynamoDB number */
extern Numeric item_number_to_numeric(ItemRef number);
extern uint32 item_number_from_int64(int64 value, char *out);
extern uint32 item_number_size(ItemRef number); /* bytes by DynamoDB's rules */

/* prototypes for functions in item_build.c: trees and encoding */
extern ItemValue *item_value_from_ref(ItemRef ref); /* ref's bytes must outlive the tree */
extern ItemValue *item_value_scalar(ItemType type, const char *data, uint32 len);	/* S, N (encoded), B; not copied */
extern ItemValue *item_value_bool(bool value);
extern ItemValue *item_value_null(void);
extern ItemValue *item_value_map(void);
extern ItemValue *item_value_list(void);
extern ItemValue *item_value_set(ItemType type);	/* duplicates are merged when encoded */
extern ItemType item_value_type(const ItemValue *value);
extern int	item_value_count(const ItemValue *value);	/* map, list or set */
extern void item_value_map_set(ItemValue *map, const char *name,
							   uint32 name_len, ItemValue *value);	/* adds or replaces; name not copied */
extern bool item_value_map_remove(ItemValue *map, const char *name,
								  uint32 name_len);
extern ItemValue *item_value_map_get(ItemValue *map, const char *name,
									 uint32 name_len);	/* NULL if absent; opens the map, result may be changed */
extern void item_value_list_append(ItemValue *list, ItemValue *value);
extern ItemValue *item_value_list_get(ItemValue *list, int i);	/* NULL if absent; opens the list */
extern void item_value_list_set(ItemValue *list, int i, ItemValue *value);
extern void item_value_list_remove(ItemValue *list, int i);
extern void item_value_set_add(ItemValue *set, ItemRef scalar);
extern ItemRef item_value_encode(ItemValue *value); /* bytes in CurrentMemoryContext */
extern ItemData *item_value_to_item(ItemValue *value);
extern ItemData *item_from_ref(ItemRef ref);
extern ItemData *item_empty_map(void);
extern ItemRef item_set_union(ItemRef a, ItemRef b);	/* same type */
extern bool item_set_difference(ItemRef a, ItemRef b, ItemRef *result); /* false: empty */
extern ItemRef item_list_concat(ItemRef a, ItemRef b);

/* prototypes for functions in item_row.c: items as key attributes + rest */
extern bool item_row_find(const ItemRow *row, const char *name,
						  uint32 name_len, ItemRef *value);
extern bool item_row_path(const ItemRow *row, const ItemPath *path,
						  ItemRef *value);
extern ItemData *item_row_to_item(const ItemRow *row);	/* the whole item, keys merged in */
extern ItemData *item_map_without(ItemRef map, int n, const char *const *names,
							  const uint32 *name_lens); /* a copy without these members */
extern uint32 item_row_size(const ItemRow *row);	/* of the whole item */

/* prototypes for functions in item_path.c */
extern bool item_path_fetch(ItemRef value, const ItemPathElement *elements,
							int n, ItemRef *result);

/* prototypes for functions in item_json.c */
extern ItemData *item_from_json_text(const char *json, size_t len); /* plain form; the type's input */
extern ItemData *item_from_dynamodb_json(const char *json, size_t len); /* typed form; an item, or one value with its tag */
extern void item_append_json(StringInfo out, ItemRef value);	/* plain form */
extern void item_append_dynamodb_json(StringInfo out, ItemRef value);	/* {"S": ...}; compact, no white space */
extern void item_append_dynamodb_map(StringInfo out, ItemRef map);	/* an item: {"a":{"S":...},...} */
extern void item_append_json_string(StringInfo out, const char *data,
									uint32 len);
extern void item_append_scalar(StringInfo out, ItemRef scalar);	/* AttributeValue: {S:abc}, as in the service's texts */
extern bool item_looks_typed(ItemRef map);	/* every member is a one-member map {"S"|"N"|...: ...} */

/* prototypes for functions in item_scan.c: JSON tokens */
extern bool item_scan_init(ItemScanner *s, const char *json, size_t len,
						   struct Node *escontext);
extern bool item_scan_expect(ItemScanner *s, char c);
extern bool item_scan_next(ItemScanner *s, bool first, char close);
extern bool item_scan_text(ItemScanner *s, const char **text, uint32 *len);
extern bool item_scan_number(ItemScanner *s, const char **text, uint32 *len);
extern bool item_scan_word(ItemScanner *s, const char *word);
extern bool item_scan_skip(ItemScanner *s);
extern bool item_scan_end(ItemScanner *s);

/* Skips white space and returns the next character, -1 at the end. */
static inline int
item_scan_peek(ItemScanner *s)
{
	while (s->p < s->end &&
		   (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
		s->p++;
	return s->p < s->end ? (unsigned char) *s->p : -1;
}

/* prototypes for functions in item_typed.c: typed JSON inside other JSON */
extern void item_scan_typed_map(ItemScanner *s, bool any_names,
								ItemTyped *result);
extern void item_scan_typed_value(ItemScanner *s, ItemTyped *result);
extern const char *item_scan_typed_string(ItemScanner *s, uint32 *len);
extern bool item_scan_typed_bool(ItemScanner *s);

#endif							/* PT_ITEM_H */
