/*
 * api_write.c
 *	  Puts, updates and deletes one item.
 *
 * The three operations differ in where the key comes from and what the after
 * image is; everything else is write_item(): find the row, judge the
 * condition, compute, store, and begin again when the row has changed
 * meanwhile.
 *
 * An absent item has no attributes at all, not even its key: conditions see
 * an empty row.  A write that would store what is there already stores
 * nothing, but it obeys its condition and locks the row.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "store/store.h"

typedef enum WriteKind
{
	WRITE_PUT,
	WRITE_UPDATE,
	WRITE_DELETE
} WriteKind;

/* A write under way; lives in a memory context of its own. */
typedef struct WriteState
{
	WriteKind	kind;
	const ApiWrite *request;
	MemoryContext caller;		/* where results go */
	MemoryContext work;
	ItemExpr   *condition;		/* or NULL */
	ItemExpr   *update;			/* or NULL */
	const ItemTable *table;
	ItemKey		key;
	const ItemData *put_attributes; /* put: all but the key attributes */
	ItemStore  *store;
	StoreRow	row;			/* as found */
	ItemRow		before;			/* before image; empty when absent */
	const ItemData *after;		/* attributes now stored, or NULL */
	bool		changed;		/* something has been written */
} WriteState;

static void write_begin(WriteState *state, WriteKind kind,
						const ApiWrite *request);
static void write_end(WriteState *state);
static void prepare_expressions(WriteState *state, const ApiText *update);
static void check_return_values(const ApiWrite *request);
static void write_open(WriteState *state);
static void write_item(WriteState *state, ApiWriteResult *result);
static void note_units(const WriteState *state, ApiWriteResult *result);
static void row_of_attributes(const WriteState *state,
							  const ItemData *attributes, ItemRow *row);
static ItemData *after_attributes(const WriteState *state);
static void keep_old(const WriteState *state, ApiWriteResult *result);
static void keep_new(const WriteState *state, ApiWriteResult *result);
static bool store_after(WriteState *state, const ItemData *attributes);
static const ItemData *stored_attributes(const ItemStore *store);
static bool hold_unchanged(WriteState *state);

/*
 * Replaces or inserts a whole item.
 */
void
api_put(const ApiPut *request, ApiWriteResult *result)
{
	WriteState	state;

	write_begin(&state, WRITE_PUT, &request->write);

	api_check_map(request->item, "item");
	api_check_placeholders(request->write.names,
						   request->write.condition.data != NULL,
						   request->write.values,
						   request->write.condition.data != NULL,
						   TEXT_VALUES_WITHOUT_CONDITION);
	api_check_values(request->write.item_error);
	check_return_values(&request->write);
	if (item_map_size(item_root(request->item)) > LIMIT_ITEM_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_ITEM_SIZE)));
	prepare_expressions(&state, NULL);

	state.table = api_resolve_table(&request->write.table_name);
	api_key_of_item(state.table, request->item, &state.key);
	state.put_attributes = api_attributes_of_item(state.table, request->item);

	write_open(&state);
	write_item(&state, result);
	write_end(&state);
}

/*
 * Changes attributes of an item, or creates it.
 */
void
api_update(const ApiUpdate *request, ApiWriteResult *result)
{
	WriteState	state;
	bool		has_expression = request->update.data != NULL ||
		request->write.condition.data != NULL;

	write_begin(&state, WRITE_UPDATE, &request->write);

	api_check_map(request->key, "key");
	api_check_placeholders(request->write.names, has_expression,
						   request->write.values, has_expression,
						   TEXT_VALUES_WITHOUT_UPDATE);
	api_check_values(request->write.item_error);
	prepare_expressions(&state, &request->update);

	state.table = api_resolve_table(&request->write.table_name);
	api_key_of_argument(state.table, request->key, &state.key);

	write_open(&state);
	write_item(&state, result);
	write_end(&state);
}

/*
 * Deletes an item; one that is absent is no error.
 */
void
api_delete(const ApiDelete *request, ApiWriteResult *result)
{
	WriteState	state;

	write_begin(&state, WRITE_DELETE, &request->write);

	api_check_map(request->key, "key");
	api_check_placeholders(request->write.names,
						   request->write.condition.data != NULL,
						   request->write.values,
						   request->write.condition.data != NULL,
						   TEXT_VALUES_WITHOUT_CONDITION);
	api_check_values(request->write.item_error);
	check_return_values(&request->write);
	prepare_expressions(&state, NULL);

	state.table = api_resolve_table(&request->write.table_name);
	api_key_of_argument(state.table, request->key, &state.key);

	write_open(&state);
	write_item(&state, result);
	write_end(&state);
}

static void
write_begin(WriteState *state, WriteKind kind, const ApiWrite *request)
{
	memset(state, 0, sizeof(*state));
	state->kind = kind;
	state->request = request;
	state->caller = CurrentMemoryContext;
	state->work = AllocSetContextCreate(CurrentMemoryContext, "item write",
										ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(state->work);
}

static void
write_end(WriteState *state)
{
	store_row_clear(&state->row);
	store_close(state->store);

	/* the next call of the same statement must see what was written */
	if (state->changed)
		CommandCounterIncrement();
	MemoryContextSwitchTo(state->caller);
	MemoryContextDelete(state->work);
}

/*
 * Parses the request's expressions in the service's order.
 */
static void
prepare_expressions(WriteState *state, const ApiText *update)
{
	const ApiWrite *request = state->request;
	ExprRequest *expressions;

	if (!api_has_expression(&request->condition) &&
		(update == NULL || !api_has_expression(update)))
		return;

	expressions = expr_request_begin(request->names, request->values);
	api_check_values(request->values_error);
	if (update != NULL)
		state->update = api_prepare(expressions, EXPR_UPDATE, update);
	state->condition = api_prepare(expressions, EXPR_CONDITION,
								   &request->condition);
	expr_request_finish(expressions);
}

/*
 * A put or delete touches no single attribute, so UPDATED_* has no meaning,
 * and its after image is what the client sent.
 */
static void
check_return_values(const ApiWrite *request)
{
	if (request->return_values != API_RETURN_NONE &&
		request->return_values != API_RETURN_ALL_OLD)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_RETURN_VALUES)));
}

/*
 * The rest of the checks that need the schema, then opens the table with
 * the privileges that the equivalent SQL would need: a condition or a
 * returned image reads the item.
 */
static void
write_open(WriteState *state)
{
	const ApiWrite *request = state->request;
	AclMode		access = 0;

	if (state->update != NULL)
		expr_check_schema(state->update, &state->table->schema, false);
	if (state->condition != NULL)
		expr_check_schema(state->condition, &state->table->schema, false);

	switch (state->kind)
	{
		case WRITE_PUT:
			access = ACL_INSERT | ACL_UPDATE;
			break;
		case WRITE_UPDATE:
			access = ACL_INSERT | ACL_UPDATE | ACL_SELECT;
			break;
		case WRITE_DELETE:
			access = ACL_DELETE;
			break;
	}
	if (state->condition != NULL || request->want_images ||
		request->return_values != API_RETURN_NONE)
		access |= ACL_SELECT;

	state->store = store_open(state->table, &state->key, access);
	store_row_init(&state->row);
}

/*
 * Find, judge, compute, store.
 */
static void
write_item(WriteState *state, ApiWriteResult *result)
{
	ItemData   *attributes;

	memset(result, 0, sizeof(*result));

	do
	{
		CHECK_FOR_INTERRUPTS();

		store_lock(state->store, &state->key, &state->row);
		if (state->row.exists)
			state->before = state->row.row;
		else
			memset(&state->before, 0, sizeof(state->before));

		if (state->condition != NULL &&
			!expr_condition_holds(state->condition, &state->before))
		{
			if (!state->request->try_only)
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_CONDITIONAL_CHECK),
						 errmsg(TEXT_CONDITION_FAILED)));
			result->condition_failed = true;
			keep_old(state, result);
			note_units(state, result);
			return;
		}
		attributes = after_attributes(state);
		if (state->kind == WRITE_UPDATE && attributes != NULL)
			api_check_updated(state->table, &state->key, attributes);
	} while (!store_after(state, attributes));

	result->applied = !state->store->suppressed;
	keep_old(state, result);
	keep_new(state, result);
	note_units(state, result);
}

/*
 * The attributes to store beside the key, or NULL when no item is to exist.
 */
static ItemData *
after_attributes(const WriteState *state)
{
	ItemRow		before;

	switch (state->kind)
	{
		case WRITE_PUT:
			return unconstify(ItemData *, state->put_attributes);
		case WRITE_DELETE:
			return NULL;
		case WRITE_UPDATE:
			break;
	}

	if (state->update == NULL)
		return state->row.exists ?
			item_from_ref(state->before.attributes) : item_empty_map();

	if (state->row.exists)
		return expr_update_apply(state->update, &state->before, true);

	/* an update computes on the key of the item that it creates */
	api_row_of_key(state->table, &state->key, &before);
	return expr_update_apply(state->update, &before, false);
}

/*
 * Copies out of the before image what the request asks for.
 */
static void
keep_old(const WriteState *state, ApiWriteResult *result)
{
	ApiReturnValues mode = state->request->return_values;
	MemoryContext old;

	if (!state->row.exists)
		return;

	old = MemoryContextSwitchTo(state->caller);
	if (state->request->want_images || result->condition_failed)
		result->old_item = item_row_to_item(&state->before);
	if (mode == API_RETURN_ALL_OLD)
		result->attributes = item_row_to_item(&state->before);
	else if (mode == API_RETURN_UPDATED_OLD && state->update != NULL)
		result->attributes = expr_update_touched(state->update,
												 &state->before);
	MemoryContextSwitchTo(old);
}

/*
 * The same for the after image.
 */
static void
keep_new(const WriteState *state, ApiWriteResult *result)
{
	ApiReturnValues mode = state->request->return_values;
	MemoryContext old;
	ItemRow		after;

	if (state->after == NULL ||
		(mode == API_RETURN_NONE && !state->request->want_images))
		return;

	row_of_attributes(state, state->after, &after);
	old = MemoryContextSwitchTo(state->caller);
	if (state->request->want_images)
		result->new_item = item_row_to_item(&after);
	if (mode == API_RETURN_ALL_NEW)
		result->attributes = item_row_to_item(&after);
	else if (mode == API_RETURN_UPDATED_NEW && state->update != NULL)
		result->attributes = expr_update_touched(state->update, &after);
	MemoryContextSwitchTo(old);
}

/*
 * A write whose condition has failed takes as much of the table as if it had
 * not, as far as that can be told, and nothing of indexes.
 */
static void
note_units(const WriteState *state, ApiWriteResult *result)
{
	MemoryContext old;
	ItemRow		after;

	if (!state->request->want_units)
		return;
	old = MemoryContextSwitchTo(state->caller);
	api_consumed_init(state->table, &result->consumed);
	MemoryContextSwitchTo(old);
	row_of_attributes(state, result->condition_failed ?
					  state->put_attributes : state->after, &after);
	if (result->condition_failed)
		api_consume_item(state->table, CAPACITY_WRITE, &state->before, &after,
						 &result->consumed);
	else
		api_consume_write(state->table, CAPACITY_WRITE, &state->before,
						  &after, &result->consumed);
}

/* The whole item; NULL is none. */
static void
row_of_attributes(const WriteState *state, const ItemData *attributes,
				  ItemRow *row)
{
	api_row_of_key(state->table, &state->key, row);
	if (attributes != NULL)
		row->attributes = item_root(attributes);
}

/*
 * Stores the after image.  Returns false when the row is not what was judged
 * any more, and everything must be judged again.
 */
static bool
store_after(WriteState *state, const ItemData *attributes)
{
	if (attributes == NULL)
	{
		state->after = NULL;
		if (!state->row.exists)
			return true;
		if (!store_delete(state->store, &state->key, &state->row))
			return false;
	}
	else if (!state->row.exists)
	{
		if (!store_insert(state->store, &state->key, attributes))
			return false;
		state->after = stored_attributes(state->store);
	}
	else if (item_ref_equal(state->before.attributes, item_root(attributes)))
	{
		state->after = attributes;
		return hold_unchanged(state);
	}
	else
	{
		if (!store_update(state->store, &state->key, &state->row, attributes))
			return false;
		state->after = stored_attributes(state->store);
	}
	state->changed = true;
	return true;
}

/*
 * What an insert or update has stored, which a trigger may have changed;
 * NULL when a trigger has suppressed it.
 */
static const ItemData *
stored_attributes(const ItemStore *store)
{
	return store->suppressed ? NULL : store->stored;
}

/*
 * Nothing is to be stored, but the caller may rely on the item staying as it
 * was judged: unless the row is locked already, go round again and lock it.
 */
static bool
hold_unchanged(WriteState *state)
{
	if (state->store->contended)
		return true;
	state->store->contended = true;
	return false;
}
