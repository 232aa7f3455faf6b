/*
 * api_get.c
 *	  Reads one item by its key.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "api/api_private.h"
#include "store/store.h"

/*
 * Returns the item (or its projection) as the active snapshot sees it, or
 * NULL when there is none.
 */
ItemData *
api_get(const ApiGet *request, uint32 *size)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work;
	ItemExpr   *projection;
	const ItemTable *table;
	ItemKey		key;
	ItemStore  *store;
	StoreRow	row;
	ItemData   *result = NULL;

	if (size != NULL)
		*size = 0;
	work = AllocSetContextCreate(caller, "item get", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);

	api_check_map(request->key, "key");
	projection = api_prepare_projection(&request->projection, request->names,
										request->key_error);
	table = api_resolve_table(&request->table_name);
	api_key_of_argument(table, request->key, &key);
	if (projection != NULL)
		expr_check_schema(projection, &table->schema, false);

	store = store_open(table, &key, ACL_SELECT);
	store_row_init(&row);
	if (store_fetch(store, &key, GetActiveSnapshot(), &row))
	{
		if (size != NULL)
			*size = item_row_size(&row.row);
		MemoryContextSwitchTo(caller);
		if (projection != NULL)
			result = expr_project(projection, &row.row);
		else
			result = item_row_to_item(&row.row);
	}
	store_row_clear(&row);
	store_close(store);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return result;
}

/*
 * The checks of a read that need no schema.  Returns the projection, NULL
 * when there is none.
 */
ItemExpr *
api_prepare_projection(const ApiText *projection, Jsonb *names,
					   const char *key_error)
{
	ExprRequest *expressions;
	ItemExpr   *result;

	api_check_placeholders(names, projection->data != NULL, NULL, true, NULL);
	api_check_values(key_error);
	if (!api_has_expression(projection))
		return NULL;

	expressions = expr_request_begin(names, NULL);
	result = api_prepare(expressions, EXPR_PROJECTION, projection);
	expr_request_finish(expressions);
	return result;
}
