/*
 * api_private.h
 *	  What the operations share: checks of requests, keys, rows from keys.
 */
#ifndef PT_API_PRIVATE_H
#define PT_API_PRIVATE_H

#include "fmgr.h"
#include "storage/lockdefs.h"

#include "api/api.h"
#include "base/compat.h"
#include "scan/scan.h"
#include "store/store.h"

/* What a transaction is to do with an item's row. */
typedef enum ApiChange
{
	API_CHANGE_NONE,
	API_CHANGE_INSERT,
	API_CHANGE_UPDATE,
	API_CHANGE_DELETE
} ApiChange;

/* Why an action cancels its transaction; code is NULL: it does not. */
typedef struct ApiReason
{
	const char *code;
	const char *message;
	const ItemData *item;		/* or NULL */
} ApiReason;

/* One action of a transaction under way. */
typedef struct TransactItem
{
	const ApiAction *action;
	ItemExpr   *condition;		/* or NULL */
	ItemExpr   *update;			/* or NULL */
	const ItemTable *table;
	int			table_index;	/* among the transaction's tables */
	ItemKey		key;
	ItemStore  *store;
	const ItemRow *before;		/* before image; empty when absent */
	const ItemData *after;		/* attributes to store, or NULL */
	ApiChange	change;
	ApiConsumed consumed;		/* if asked for */
	ApiReason  *reason;			/* element of an array, in request order */
	StoreRow	row;			/* as locked; must be last, being large */
} TransactItem;

typedef struct ApiToken ApiToken;

/* prototypes for functions in api_request.c */
extern void api_check_map(const ItemData *item, const char *argument);
extern void api_check_values(const char *error);
extern void api_check_placeholders(Jsonb *names, bool names_usable,
								   const ItemData *values, bool values_usable,
								   const char *values_text);
extern ItemExpr *api_prepare(ExprRequest *request, ExprKind kind,
							 const ApiText *text);
extern const ItemTable *api_resolve_table(const ApiText *table_name);
extern void api_key_of_item(const ItemTable *table, const ItemData *item,
							ItemKey *key);
extern void api_key_of_argument(const ItemTable *table,
								const ItemData *argument, ItemKey *key);
extern void api_row_of_key(const ItemTable *table, const ItemKey *key,
						   ItemRow *row);
extern void api_check_updated(const ItemTable *table, const ItemKey *key,
							  const ItemData *attributes);
extern ItemData *api_key_item(const ItemRow *row);
extern int	api_key_compare(const ItemKey *a, const ItemKey *b);
extern void api_check_empty_key(const ItemTable *table, const ItemData *item);
extern ItemData *api_attributes_of_item(const ItemTable *table,
										const ItemData *item);

/* prototypes for functions in api_get.c */
extern ItemExpr *api_prepare_projection(const ApiText *projection,
										Jsonb *names, const char *key_error);

/* prototypes for functions in api_start_key.c */

/* Where a query or scan goes on: the table's key; with an index, its columns. */
typedef struct ApiStart
{
	ItemKey		key;
	ItemRef		pk;
	ItemRef		sort;			/* where the index has a sort key */
} ApiStart;

extern void api_check_query_start(const ItemTable *table,
								  const ItemIndex *index,
								  const ItemExpr *key_condition,
								  const ItemData *start_key,
								  ExprKeyCondition *condition,
								  ApiStart *start);
extern void api_check_scan_start(const ItemTable *table,
								 const ItemIndex *index,
								 const ApiQuery *request, ApiStart *start);

/* prototypes for functions in api_index_read.c */
extern int	api_index_attributes(const ItemTable *table,
								 const ItemIndex *index,
								 KeyAttribute *attributes);
extern void api_index_condition(const ItemTable *table,
								const ItemIndex *index,
								const ItemExpr *key_condition,
								ExprKeyCondition *condition);
extern const ItemIndex *api_index_of_request(const ItemTable *table,
											 const ApiText *name);
extern void api_index_row(const ItemIndex *index, ItemRow *row);
extern uint32 api_index_entry_size(const ItemTable *table,
								   const ItemIndex *index,
								   const ItemRow *row);
extern ItemData *api_index_entry(const ItemTable *table,
								 const ItemIndex *index, const ItemRow *row);
extern ItemData *api_index_entry_key(const ItemTable *table,
									 const ItemIndex *index,
									 const ItemRow *row);

/* prototypes for functions in api_units.c */
extern void api_consumed_init(const ItemTable *table, ApiConsumed *consumed);
extern void api_consume_write(const ItemTable *table, CapacityAccess access,
							  const ItemRow *before, const ItemRow *after,
							  ApiConsumed *consumed);
extern void api_consume_item(const ItemTable *table, CapacityAccess access,
							 const ItemRow *before, const ItemRow *after,
							 ApiConsumed *consumed);

/* prototypes for functions in api_merge.c */
extern void api_merge_range(const ApiQuery *request, ScanSpec *spec);

/* prototypes for functions in api_plan.c */
extern void api_describe_scan(const ScanSpec *spec,
							  ApiReadDescription *description);

/* prototypes for functions in api_sql.c */

/* Fills in a request from the arguments of a function that reads items. */
typedef void (*ApiReadArguments) (FunctionCallInfo fcinfo, ApiQuery *request);

extern ApiReadArguments api_read_function(Oid function);

/* prototypes for functions in api_transact_check.c */
extern void api_transact_check_count(int n);
extern void api_transact_prepare(const ApiTransactWrite *request,
								 TransactItem **result,
								 TransactItem ***ordered);

/* prototypes for functions in api_reason.c */
extern void api_catch_reason(ApiReason *reason, MemoryContext context);
pg_noreturn extern void api_cancel(const ApiReason *reasons, int n,
								   bool typed);

/* prototypes for functions in api_token.c */
extern ApiToken *api_token_begin(const ApiTransactWrite *request,
								 StoreWait *wait, bool *repeated);
extern void api_token_finish(ApiToken *token);

/* prototypes for functions in api_table.c */
extern char *api_required_text(FunctionCallInfo fcinfo, int arg,
							   const char *name);
extern IndexMethod api_index_method(Jsonb *options);

/* prototypes for functions in api_index.c */
extern const ItemTable *api_index_table(FunctionCallInfo fcinfo,
										LOCKMODE lockmode);
extern const ItemIndex *api_required_index(const ItemTable *table,
										   const char *name);
extern void api_index_name(const ItemTable *table, const char *name,
						   ItemIndex *index);
extern void api_index_keys(const ItemTable *table, Jsonb *types,
						   Jsonb *templates, ItemIndex *index);
extern void api_index_projection(const ItemTable *table,
								 const char *projection,
								 struct ArrayType *include, ItemIndex *index);

#endif							/* PT_API_PRIVATE_H */
