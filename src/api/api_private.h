/*
 * api_private.h
 *	  What the operations share: checks of requests, keys, rows from keys.
 */
#ifndef PT_API_PRIVATE_H
#define PT_API_PRIVATE_H

#include "api/api.h"

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
extern ItemData *api_key_item(const ItemRow *row);

/* prototypes for functions in api_start_key.c */
extern void api_check_query_start(const ItemTable *table,
								  const ItemExpr *key_condition,
								  const ItemData *start_key,
								  ExprKeyCondition *condition,
								  ItemKey *start);
extern void api_check_scan_start(const ItemTable *table,
								 const ApiQuery *request, ItemKey *start);

#endif							/* PT_API_PRIVATE_H */
