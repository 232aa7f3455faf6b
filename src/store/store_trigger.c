/*
 * store_trigger.c
 *	  Who is told that a row of an item table has changed.
 *
 * Folders above register at start-up; store/ never calls up by name.  Every
 * change of the direct path ends here, in the transaction and before any
 * AFTER trigger of users.
 */
#include "postgres.h"

#include "store/store.h"

#define MAX_CALLBACKS	8

static StoreChangeCallback callbacks[MAX_CALLBACKS];
static int	ncallbacks = 0;

void
store_register_change_callback(StoreChangeCallback callback)
{
	if (ncallbacks == MAX_CALLBACKS)
		elog(ERROR, "too many callbacks for changed rows");
	callbacks[ncallbacks++] = callback;
}

void
store_row_changed(ItemStore *store, const ItemKey *key,
				  const StoreRow *old_row, const ItemData *new_attributes)
{
	for (int i = 0; i < ncallbacks; i++)
		callbacks[i] (store, key, old_row, new_attributes);
}
