/*
 * api.h
 *	  The item operations in C: one request and one result per operation.
 *
 * The SQL functions (api_sql.c) and whatever else speaks for a client fill
 * the structs below and call one function.  Every operation checks in the
 * service's order: what needs no schema (values, names, expressions), then
 * the table, then what needs its schema, then the item and the condition,
 * then the after image; then it stores.
 *
 * Requests are read only and must outlive the call (for a cursor: outlive the
 * cursor).  Results are made in the caller's memory context; everything else
 * an operation allocates is gone when it returns.  An active snapshot must be
 * set.
 */
#ifndef PT_API_H
#define PT_API_H

#include "utils/jsonb.h"
#include "utils/snapshot.h"

#include "expr/expr.h"
#include "meta/meta.h"

/*
 * A text member of a request: not terminated; data is NULL when absent.  The
 * name of a table is looked for as meta_resolve_table() says, or, if it is
 * exact, as meta_resolve_wire_table() says.
 */
typedef struct ApiText
{
	const char *data;
	size_t		len;
	bool		exact;
} ApiText;

typedef enum ApiReturnValues
{
	API_RETURN_NONE,
	API_RETURN_ALL_OLD,
	API_RETURN_UPDATED_OLD,
	API_RETURN_ALL_NEW,
	API_RETURN_UPDATED_NEW
} ApiReturnValues;

/*
 * What put, update and delete have in common.
 *
 * Here and below, a member called ..._error is the text of what is wrong with
 * the values of another member, for callers who decode values and leave it to
 * the operation to complain in its turn; or NULL.
 */
typedef struct ApiWrite
{
	ApiText		table_name;
	ApiText		condition;
	Jsonb	   *names;			/* or NULL */
	const ItemData *values;		/* or NULL */
	const char *item_error;		/* of the item or key */
	const char *values_error;
	ApiReturnValues return_values;
	bool		try_only;		/* a failed condition is an answer, no error */
	bool		want_images;	/* fill old_item and new_item */
	bool		want_size;		/* fill size */
} ApiWrite;

typedef struct ApiPut
{
	ApiWrite	write;
	const ItemData *item;
} ApiPut;

typedef struct ApiUpdate
{
	ApiWrite	write;
	const ItemData *key;
	ApiText		update;
} ApiUpdate;

typedef struct ApiDelete
{
	ApiWrite	write;
	const ItemData *key;
} ApiDelete;

/* Result of put, update and delete; NULL stands for "no item". */
typedef struct ApiWriteResult
{
	bool		applied;		/* false: the condition failed (try_only), or
								 * a trigger suppressed the write */
	bool		condition_failed;
	uint32		size;			/* in bytes, the larger of before and after */
	ItemData   *attributes;		/* what return_values asked for */
	ItemData   *old_item;		/* before image; also when not applied */
	ItemData   *new_item;		/* after image; NULL when not applied */
} ApiWriteResult;

typedef struct ApiGet
{
	ApiText		table_name;
	const ItemData *key;
	const char *key_error;
	ApiText		projection;
	Jsonb	   *names;
} ApiGet;

typedef enum ApiReadKind
{
	API_QUERY,
	API_SCAN
} ApiReadKind;

/* Which attributes of items a query or scan returns. */
typedef enum ApiSelect
{
	API_SELECT_ABSENT,			/* all, or those of the projection */
	API_SELECT_ALL,
	API_SELECT_ALL_PROJECTED,
	API_SELECT_SPECIFIC,
	API_SELECT_COUNT			/* none: items are counted, not returned */
} ApiSelect;

/* A query or a scan; members that only one of them has are marked. */
typedef struct ApiQuery
{
	ApiReadKind kind;
	ApiText		table_name;
	ApiText		index_name;
	ApiText		key_condition;	/* query */
	ApiText		filter;
	ApiText		projection;
	Jsonb	   *names;
	const ItemData *values;
	const char *values_error;
	ApiSelect	select;
	bool		forward;		/* query; a scan is always forward */
	bool		has_segment;	/* scan */
	int32		segment;
	bool		has_total_segments; /* scan */
	int32		total_segments;
	bool		has_max_items;
	int32		max_items;		/* items read, before the filter */
	const ItemData *start_key;	/* or NULL */
	const char *start_key_error;
} ApiQuery;

/* One page: stops at max_items, or when 1 MB has been read. */
typedef struct ApiPage
{
	int32		count;			/* items that passed the filter */
	int32		scanned_count;	/* items read */
	uint64		size;			/* of the items read, in bytes */
	ItemData  **items;			/* NULL with API_SELECT_COUNT */
	ItemData   *last_evaluated_key; /* NULL when the range is exhausted */
} ApiPage;

typedef struct ApiCursor ApiCursor;

/* prototypes for functions in api_write.c */
extern void api_put(const ApiPut *request, ApiWriteResult *result);
extern void api_update(const ApiUpdate *request, ApiWriteResult *result);
extern void api_delete(const ApiDelete *request, ApiWriteResult *result);

/* prototypes for functions in api_get.c */


/* NULL: no such item.  *size, if wanted, is that of the stored item. */
extern ItemData *api_get(const ApiGet *request, uint32 *size);

/* prototypes for functions in api_query.c */
extern ApiCursor *api_cursor_open(const ApiQuery *request, Snapshot snapshot);
extern ItemData *api_cursor_next(ApiCursor *cursor);	/* NULL: no more */
extern void api_cursor_close(ApiCursor *cursor);
extern void api_read_page(const ApiQuery *request, Snapshot snapshot,
						  ApiPage *page);

#endif							/* PT_API_H */
