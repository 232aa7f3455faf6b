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

#include "fmgr.h"
#include "utils/jsonb.h"
#include "utils/snapshot.h"

#include "capacity/capacity_units.h"
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

	/* an expression that has no text, or what is wrong with it */
	ItemExpr   *parsed;
	const char *error;
} ApiText;

static inline bool
api_has_expression(const ApiText *text)
{
	return text->data != NULL || text->parsed != NULL || text->error != NULL;
}

/* Capacity units that an operation has taken of a table, in tenths. */
typedef struct ApiConsumed
{
	const ItemTable *table;		/* NULL: not wanted */
	int64		units;			/* of the table itself */
	int64	   *index_units;	/* of each of its indexes */
} ApiConsumed;

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
	bool		want_units;		/* fill consumed */
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
	ApiConsumed consumed;		/* also when the condition failed */
	ItemData   *attributes;		/* what return_values asked for */
	ItemData   *old_item;		/* before image; also when the condition
								 * failed and images are not wanted */
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
	API_SCAN,
	API_MERGE					/* several partitions as one; not the service's */
} ApiReadKind;

/* Which attributes of items a query or scan returns. */
typedef enum ApiSelect
{
	API_SELECT_ABSENT,			/* those of the projection expression; else all,
								 * or those that the index projects */
	API_SELECT_ALL,				/* also through a local index */
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
	bool		consistent;		/* refused for a global index */
	bool		forward;		/* query; a scan is always forward */
	bool		has_segment;	/* scan */
	int32		segment;
	bool		has_total_segments; /* scan */
	int32		total_segments;
	bool		has_max_items;
	int32		max_items;		/* items read, before the filter */
	const ItemData *start_key;	/* or NULL */
	const char *start_key_error;
	struct ArrayType *pks;		/* merge: of text */
	ApiText		lower;			/* merge: first and last sort key */
	ApiText		upper;
} ApiQuery;

/* What a read does, in words. */
typedef struct ApiReadDescription
{
	const char *table_name;
	const char *index_name;		/* of the relation, or of the secondary index */
	const char *bounds;			/* NULL: all of it */
	int			shards;			/* of a partition */
} ApiReadDescription;

/* One page: stops at max_items, or when 1 MB has been read. */
typedef struct ApiPage
{
	int32		count;			/* items that passed the filter */
	int32		scanned_count;	/* items read */
	uint64		size;			/* of the items or entries read, in bytes */
	const ItemIndex *index;		/* that was read, or NULL */
	int64		fetched_blocks; /* of items that a local index was not enough
								 * for, in blocks of 4 KB */
	ItemData  **items;			/* NULL with API_SELECT_COUNT */
	ItemData   *last_evaluated_key; /* NULL when the range is exhausted */
} ApiPage;

/* One action of a transaction on several items. */
typedef enum ApiActionKind
{
	API_ACTION_PUT,
	API_ACTION_UPDATE,
	API_ACTION_DELETE,
	API_ACTION_CHECK
} ApiActionKind;

typedef struct ApiAction
{
	ApiActionKind kind;
	ApiText		table_name;
	const ItemData *item;		/* put: the item; else the key */
	const char *item_error;
	ApiText		update;			/* update; required */
	ApiText		condition;		/* check: required */
	Jsonb	   *names;			/* or NULL */
	const ItemData *values;		/* or NULL */
	const char *values_error;
	bool		return_old;		/* the item, when its condition fails */
} ApiAction;

typedef struct ApiTransactWrite
{
	int			n;
	const ApiAction *actions;
	ApiText		client_token;
	bool		collection_metrics; /* asked for: part of what a token means */
	bool		typed_reasons;	/* items in the error's detail as typed JSON */
	bool		want_units;
} ApiTransactWrite;

typedef struct ApiTransactResult
{
	bool		repeated;		/* the token's transaction was done before */
	ApiConsumed *consumed;		/* if wanted, by each action; nothing if
								 * repeated */
} ApiTransactResult;

typedef struct ApiTransactGet
{
	int			n;
	const ApiGet *gets;
	bool		typed_reasons;
} ApiTransactGet;

typedef struct ApiTransactGetResult
{
	ItemData  **items;			/* in request order; NULL: no such item */
	uint32	   *sizes;			/* of the stored items; 0: no such item */
} ApiTransactGetResult;

/* Keys to read from one table. */
typedef struct ApiBatchGetTable
{
	ApiText		table_name;
	int			n;
	const ItemData *const *keys;
	const char *keys_error;		/* of the first bad one */
	ApiText		projection;
	Jsonb	   *names;
} ApiBatchGetTable;

typedef struct ApiBatchGet
{
	int			ntables;
	const ApiBatchGetTable *tables;
} ApiBatchGet;

/* What became of one table's keys, in request order. */
typedef struct ApiBatchGetResult
{
	ItemData  **items;			/* NULL: no such item, or unprocessed */
	bool	   *unprocessed;
	uint32	   *sizes;			/* of the stored items */
} ApiBatchGetResult;

typedef struct ApiBatchRequest
{
	bool		is_delete;
	const ItemData *item;		/* delete: the key */
	const char *item_error;
} ApiBatchRequest;

typedef struct ApiBatchWriteTable
{
	ApiText		table_name;
	int			n;
	const ApiBatchRequest *requests;
} ApiBatchWriteTable;

typedef struct ApiBatchWrite
{
	int			ntables;
	const ApiBatchWriteTable *tables;
	bool		want_units;
} ApiBatchWrite;

typedef struct ApiBatchWriteResult
{
	bool	   *unprocessed;	/* in request order */
	ApiConsumed consumed;		/* by all that were processed */
} ApiBatchWriteResult;

typedef struct ApiCursor ApiCursor;

/* prototypes for functions in api_table.c */
extern Oid	api_create_table(FunctionCallInfo fcinfo, const char *table_name,
							 Oid schema_oid);

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
extern int64 api_cursor_items_read(const ApiCursor *cursor);
extern void api_read_describe(const ApiQuery *request,
							  ApiReadDescription *description);
extern void api_read_page(const ApiQuery *request, Snapshot snapshot,
						  ApiPage *page);

/* prototypes for functions in api_transact.c */

/*
 * Applies all actions or none, serializable with every other item operation.
 * A transaction that is cancelled is an ERRCODE_ITEM_TRANSACTION_CANCELED
 * whose DETAIL is the service's CancellationReasons, a JSON array with one
 * entry for each action.
 */
extern void api_transact_write(const ApiTransactWrite *request,
							   ApiTransactResult *result);

/* prototypes for functions in api_transact_get.c */

/* Reads all items under one snapshot, the active one. */
extern void api_transact_get(const ApiTransactGet *request,
							 ApiTransactGetResult *result);

/* prototypes for functions in api_batch.c */

/*
 * Within the service's limits.  results and the like have one element for
 * each table of the request.  A batch write leaves unprocessed what it would
 * have to wait for longer than partitioning.transaction_wait.
 */
extern void api_batch_get(const ApiBatchGet *request,
						  ApiBatchGetResult *results);
extern void api_batch_write(const ApiBatchWrite *request,
							ApiBatchWriteResult *results);

/* Within one table, whole, and without limits: as SQL means it. */
extern void api_batch_get_each(const ApiText *table_name,
							   const ItemData *const *keys, int n,
							   void (*receive) (ItemData *item, void *arg),
							   void *arg);
extern void api_batch_write_all(const ApiText *table_name,
								const ApiBatchRequest *requests, int n);

/* prototypes for functions in api_plan.c */
extern void api_init(void);

#endif							/* PT_API_H */
