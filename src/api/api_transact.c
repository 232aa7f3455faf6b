/*
 * api_transact.c
 *	  Writes several items together or not at all (TransactWriteItems).
 *
 * All keys are locked in one order, by table and then as the key index orders
 * them, before anything is judged: a row is locked, and a key without a row
 * as store_keylock.c does it.  So two such transactions never wait for each
 * other in a circle, and what was judged stays true to the end.  Then all
 * conditions are judged and all after images computed; any failure cancels
 * the whole.  Then all is stored.
 *
 * One thing can go wrong as late as that.  Plain SQL inserts its row before
 * it asks for the lock of the key, so a row may stand where we want to make
 * one.  We must not wait for it while its maker may be waiting for us: the
 * attempt is undone, the row waited for, and all begins again.  Undoing costs
 * nothing when new rows are only claimed until all are known to be unique.
 * Where triggers, constraints or indexes of users take part, the attempt runs
 * in a subtransaction instead.  An attempt undone without one keeps its row
 * locks.  So the next one must not wait for other transactions on items,
 * which would be out of order: it ends with a conflict instead.
 *
 * Waiting for others is bounded by partitioning.transaction_wait over the
 * whole call.  Neither a time-out nor a deadlock is seen as such: both are
 * the cancellation reason TransactionConflict.  At REPEATABLE READ and above
 * an item that has changed since the snapshot is a serialization_failure, as
 * for any SQL statement.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/guc.h"
#include "base/service_text.h"
#include "gsi/gsi.h"
#include "store/store.h"

/* One table of a transaction. */
typedef struct TransactTable
{
	const ItemTable *table;
	AclMode		access;			/* of the changes */
	bool		checks;			/* items that are locked but not changed */
	TransactItem *first;		/* of its items in the order of locks */
	ItemStore  *store;
} TransactTable;

/* A transaction under way. */
typedef struct Transact
{
	const ApiTransactWrite *request;
	MemoryContext work;
	TransactItem *items;		/* in request order */
	TransactItem **ordered;		/* in the order of locks */
	int			ntables;
	TransactTable *tables;		/* in the order of locks */
	StoreWait	wait;
	StoreWait	no_wait;
	bool		holds_rows;		/* of an attempt that was undone */
	TransactItem *current;		/* whose turn it is */
	bool		changed;		/* something has been written */
	bool		nests;			/* attempts run in a subtransaction */
	bool		nested;			/* one is open */
	ResourceOwner outer_owner;
} Transact;

static const ItemRow no_item = {0};

static void collect_tables(Transact *state);
static AclMode action_access(const ApiAction *action);
static void run(Transact *state);
static bool attempt(Transact *state);
static void begin_nested(Transact *state);
static void end_nested(Transact *state, bool commit);
static void open_stores(Transact *state);
static bool needs_nesting(Transact *state);
static bool lock_items(Transact *state);
static LockTupleMode lock_mode(const ApiAction *action);
static void judge_items(Transact *state);
static void judge_item(TransactItem *item);
static const ItemData *after_image(TransactItem *item);
static const ItemData *apply_update(TransactItem *item);
static bool apply_items(Transact *state);
static bool claim_new_rows(Transact *state);
static void write_unique_entries(Transact *state);
static bool apply_by_statements(Transact *state);
static bool store_change(Transact *state, TransactItem *item);
static void close_stores(Transact *state);
static void unlock_absent_keys(Transact *state);
static void unlock_made_keys(Transact *state);
static void await_row(Transact *state);
static void find_blocked(Transact *state);
static void report_conflict(const Transact *state);
static void note_units(TransactItem *item);
static void copy_consumed(const Transact *state, ApiTransactResult *result);

void
api_transact_write(const ApiTransactWrite *request, ApiTransactResult *result)
{
	MemoryContext caller = CurrentMemoryContext;
	Transact	state = {.request = request};
	ApiToken   *token = NULL;

	result->repeated = false;
	result->consumed = NULL;
	if (request->want_units)
		result->consumed = palloc0(request->n * sizeof(ApiConsumed));
	state.work = AllocSetContextCreate(caller, "item transaction",
									   ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(state.work);
	state.wait.limit = guc_transaction_wait;

	api_transact_prepare(request, &state.items, &state.ordered);
	collect_tables(&state);
	if (request->client_token.data != NULL)
		token = api_token_begin(request, &state.wait, &result->repeated);
	if (!result->repeated)
	{
		run(&state);
		if (token != NULL)
			api_token_finish(token);

		/* the next call of the same statement must see what was written */
		if (state.changed || token != NULL)
			CommandCounterIncrement();
	}

	MemoryContextSwitchTo(caller);
	if (request->want_units)
		copy_consumed(&state, result);
	MemoryContextDelete(state.work);
}

/*
 * Gathers what is done to each table.
 */
static void
collect_tables(Transact *state)
{
	TransactTable *table = NULL;

	state->tables = palloc0(state->request->n * sizeof(TransactTable));
	for (int i = 0; i < state->request->n; i++)
	{
		TransactItem *item = state->ordered[i];

		if (table == NULL || table->table->relid != item->table->relid)
		{
			table = &state->tables[state->ntables++];
			table->table = item->table;
			table->first = item;
		}
		item->table_index = state->ntables - 1;
		table->access |= action_access(item->action);
		table->checks |= item->action->kind == API_ACTION_CHECK;
	}
}

/*
 * What the equivalent SQL would need: a condition reads the item.
 */
static AclMode
action_access(const ApiAction *action)
{
	AclMode		access = action->condition.data != NULL ? ACL_SELECT : 0;

	switch (action->kind)
	{
		case API_ACTION_PUT:
			return access | ACL_INSERT | ACL_UPDATE;
		case API_ACTION_UPDATE:
			return access | ACL_INSERT | ACL_UPDATE | ACL_SELECT;
		case API_ACTION_DELETE:
			return access | ACL_DELETE;
		case API_ACTION_CHECK:
			break;
	}
	return access;
}

/*
 * Attempts until one succeeds, or fails for good.
 */
static void
run(Transact *state)
{
	PG_TRY();
	{
		while (!attempt(state))
			await_row(state);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(state->work);
		error = CopyErrorData();
		FlushErrorState();
		find_blocked(state);
		if (state->nested)
			end_nested(state, false);
		if (error->sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ||
			error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
			report_conflict(state);
		ReThrowError(error);
	}
	PG_END_TRY();
}

/*
 * Locks, judges and applies all.  Returns false, with nothing done and no
 * key without a row locked, when the current item's row has to be waited for.
 */
static bool
attempt(Transact *state)
{
	bool		done;

	if (state->nests)
		begin_nested(state);
	open_stores(state);
	if (!state->nests && needs_nesting(state))
	{
		close_stores(state);
		state->nests = true;
		return attempt(state);
	}

	done = lock_items(state);
	if (done)
	{
		judge_items(state);
		done = apply_items(state);
	}
	if (!done && state->nested)
	{
		end_nested(state, false);
		return false;
	}
	if (!done)
		unlock_absent_keys(state);
	else if (!state->nested)
		unlock_made_keys(state);
	close_stores(state);
	if (state->nested)
		end_nested(state, true);
	return done;
}

static void
begin_nested(Transact *state)
{
	state->outer_owner = CurrentResourceOwner;
	BeginInternalSubTransaction(NULL);
	state->nested = true;
	MemoryContextSwitchTo(state->work);
}

static void
end_nested(Transact *state, bool commit)
{
	state->nested = false;
	if (commit)
		ReleaseCurrentSubTransaction();
	else
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(state->work);
	CurrentResourceOwner = state->outer_owner;
}

static void
open_stores(Transact *state)
{
	for (int i = 0; i < state->ntables; i++)
	{
		TransactTable *table = &state->tables[i];

		state->current = table->first;
		table->store = store_prepare(table->table, table->access,
									 table->checks, &state->wait);
	}
}

/*
 * Does anything of users' take part in a change?
 */
static bool
needs_nesting(Transact *state)
{
	for (int i = 0; i < state->request->n; i++)
	{
		TransactItem *item = state->ordered[i];

		item->store = state->tables[item->table_index].store;
		if (item->action->kind == API_ACTION_CHECK)
			continue;
		store_route(item->store, &item->key);
		if (!store_is_simple(item->store))
			return true;
	}
	return false;
}

/*
 * False when the current item's row is being made by another.
 */
static bool
lock_items(Transact *state)
{
	StoreWait  *wait = state->holds_rows ? &state->no_wait : &state->wait;
	bool		holds_keys = state->holds_rows;

	for (int i = 0; i < state->request->n; i++)
	{
		TransactItem *item = state->ordered[i];

		state->current = item;
		item->store = state->tables[item->table_index].store;
		store_route(item->store, &item->key);
		store_row_init(&item->row);
		if (!store_lock_key(item->store, &item->key, lock_mode(item->action),
							holds_keys, wait, &item->row))
			return false;
		holds_keys |= item->row.key_locked;
	}
	return true;
}

static LockTupleMode
lock_mode(const ApiAction *action)
{
	switch (action->kind)
	{
		case API_ACTION_CHECK:
			return LockTupleShare;
		case API_ACTION_DELETE:
			return LockTupleExclusive;
		default:
			return LockTupleNoKeyExclusive;
	}
}

/*
 * Judges every condition and computes every after image, in request order.
 * Does not return when one fails.
 */
static void
judge_items(Transact *state)
{
	int			n = state->request->n;
	bool		failed = false;

	for (int i = 0; i < n; i++)
	{
		TransactItem *item = &state->items[i];

		judge_item(item);
		failed |= item->reason->code != NULL;
		if (state->request->want_units)
			note_units(item);
	}
	if (failed)
		api_cancel(state->items[0].reason, n, state->request->typed_reasons);
}

static void
judge_item(TransactItem *item)
{
	memset(item->reason, 0, sizeof(ApiReason));
	item->before = item->row.exists ? &item->row.row : &no_item;
	item->change = API_CHANGE_NONE;
	item->after = NULL;

	if (item->condition != NULL &&
		!expr_condition_holds(item->condition, item->before))
	{
		item->reason->code = "ConditionalCheckFailed";
		item->reason->message = TEXT_CONDITION_FAILED;
		if (item->action->return_old && item->row.exists)
			item->reason->item = item_row_to_item(item->before);
		return;
	}
	if (item->action->kind == API_ACTION_CHECK)
		return;

	item->after = after_image(item);
	if (item->reason->code != NULL)
		return;
	if (item->after == NULL)
		item->change = item->row.exists ?
			API_CHANGE_DELETE : API_CHANGE_NONE;
	else if (!item->row.exists)
		item->change = API_CHANGE_INSERT;
	else if (!item_ref_equal(item->before->attributes, item_root(item->after)))
		item->change = API_CHANGE_UPDATE;
}

/*
 * The attributes to store beside the key, or NULL when no item is to exist,
 * or when that cannot be computed, which becomes the item's reason.
 */
static const ItemData *
after_image(TransactItem *item)
{
	MemoryContext context = CurrentMemoryContext;
	const ItemData *volatile after = NULL;

	if (item->action->kind == API_ACTION_PUT)
		return api_attributes_of_item(item->table, item->action->item);
	if (item->action->kind == API_ACTION_DELETE)
		return NULL;

	/* nothing but memory is in use there, so an error leaves nothing behind */
	PG_TRY();
	{
		after = apply_update(item);
	}
	PG_CATCH();
	{
		api_catch_reason(item->reason, context);
	}
	PG_END_TRY();
	return after;
}

static const ItemData *
apply_update(TransactItem *item)
{
	const ItemData *after;
	ItemRow		before;

	if (item->row.exists)
		after = expr_update_apply(item->update, item->before, true);
	else
	{
		/* an update computes on the key of the item that it creates */
		api_row_of_key(item->table, &item->key, &before);
		after = expr_update_apply(item->update, &before, false);
	}
	if (after != NULL)
		api_check_updated(item->table, &item->key, after);
	return after;
}

static bool
apply_items(Transact *state)
{
	if (state->nested)
		return apply_by_statements(state);

	gsi_call_begin();
	if (!claim_new_rows(state))
	{
		gsi_call_end();
		return false;
	}
	for (int i = 0; i < state->request->n; i++)
	{
		TransactItem *item = state->ordered[i];

		if (item->change == API_CHANGE_UPDATE ||
			item->change == API_CHANGE_DELETE)
			(void) store_change(state, item);
	}
	write_unique_entries(state);
	return true;
}

/*
 * Inserts all new rows, or none.
 */
static bool
claim_new_rows(Transact *state)
{
	StoreClaims claims;
	bool		unique = true;

	store_claims_begin(&claims);
	for (int i = 0; unique && i < state->request->n; i++)
	{
		TransactItem *item = state->ordered[i];

		if (item->change != API_CHANGE_INSERT)
			continue;
		state->current = item;
		store_route(item->store, &item->key);
		unique = store_claim(&claims, item->store, &item->key, item->after);
		state->changed = true;
	}
	store_claims_end(&claims, unique);
	return unique;
}

/*
 * Entries of unique indexes have to be waited for.
 */
static void
write_unique_entries(Transact *state)
{
	bool		may_wait = gsi_call_may_wait();
	int			nest = may_wait ? store_wait_bound(&state->wait) : 0;

	gsi_call_end();
	if (may_wait)
		store_wait_end(nest);
}

/*
 * The same through the executor: triggers fire, other indexes and
 * constraints have their say and may wait for others.
 */
static bool
apply_by_statements(Transact *state)
{
	int			nest = store_wait_bound(&state->wait);

	gsi_call_begin();
	for (int i = 0; i < state->ntables; i++)
		store_begin_statement(state->tables[i].store);
	for (int i = 0; i < state->request->n; i++)
	{
		if (!store_change(state, state->ordered[i]))
		{
			store_wait_end(nest);
			return false;
		}
	}
	for (int i = state->ntables - 1; i >= 0; i--)
		store_end_statement(state->tables[i].store);
	gsi_call_end();
	store_wait_end(nest);
	return true;
}

/*
 * Makes one change.  Rows that exist are locked, so only an insertion can
 * find that it came too late.  (An earlier change's trigger may have changed
 * a row all the same, or made it.  That is an error, since this change was
 * judged without it.)
 */
static bool
store_change(Transact *state, TransactItem *item)
{
	bool		done = true;

	state->current = item;
	if (item->change == API_CHANGE_NONE)
		return true;
	store_route(item->store, &item->key);
	if (state->nested && item->row.exists)
		store_check_triggers(item->store, &item->key, &item->row);
	switch (item->change)
	{
		case API_CHANGE_NONE:
			break;
		case API_CHANGE_INSERT:
			if (store_try_insert(item->store, &item->key, item->after))
				break;
			store_check_triggers(item->store, &item->key, &item->row);
			return false;
		case API_CHANGE_UPDATE:
			done = store_update(item->store, &item->key, &item->row,
								item->after);
			break;
		case API_CHANGE_DELETE:
			done = store_delete(item->store, &item->key, &item->row);
			break;
	}
	if (!done)
		elog(ERROR, "an item was changed although its row is locked");
	state->changed = true;
	return true;
}

static void
close_stores(Transact *state)
{
	for (int i = 0; i < state->request->n; i++)
	{
		StoreRow   *row = &state->items[i].row;

		if (row->slot != NULL)
			store_row_clear(row);
	}
	for (int i = state->ntables - 1; i >= 0; i--)
		store_close(state->tables[i].store);
}

/*
 * Before another's row is waited for.  Row locks stay.
 */
static void
unlock_absent_keys(Transact *state)
{
	for (int i = 0; i < state->request->n; i++)
	{
		TransactItem *item = &state->items[i];

		state->holds_rows |= item->row.exists;
		if (item->row.key_locked)
			store_unlock_absent_key(item->store, &item->key, &item->row);
	}
}

/*
 * A row that we have made keeps its key as the lock does, since whoever wants
 * the key meets the row and waits for our transaction.  So the locks of a
 * transaction do not grow with the items that it makes, only with the keys
 * that it has found without an item and leaves so.  (Where triggers of users
 * may have suppressed the row, the lock stays.)
 */
static void
unlock_made_keys(Transact *state)
{
	for (int i = 0; i < state->request->n; i++)
	{
		TransactItem *item = &state->items[i];

		if (item->change == API_CHANGE_INSERT)
			store_unlock_absent_key(item->store, &item->key, &item->row);
	}
}

/*
 * Waits for the maker of the current item's row, with no key locked that he
 * may be waiting for.
 */
static void
await_row(Transact *state)
{
	TransactItem *item = state->current;
	TransactTable *table = &state->tables[item->table_index];
	ItemStore  *store;

	CHECK_FOR_INTERRUPTS();
	store = store_prepare(table->table, table->access, table->checks,
						  &state->wait);
	store_route(store, &item->key);
	store_await_key(store, &item->key, &state->wait);
	store_close(store);
}

/*
 * The current item is the one whose entry in a unique index could not be
 * written, if that has failed.
 */
static void
find_blocked(Transact *state)
{
	Oid			relid;
	ItemKey		key;

	if (!gsi_call_blocked(&relid, &key))
		return;
	for (int i = 0; i < state->request->n; i++)
	{
		TransactItem *item = &state->items[i];

		if (item->table->relid == relid &&
			key_order_bytes(&item->key, &key) == 0)
			state->current = item;
	}
}

/*
 * Others were in the way of the current item for too long.
 */
static void
report_conflict(const Transact *state)
{
	for (int i = 0; i < state->request->n; i++)
		memset(state->items[i].reason, 0, sizeof(ApiReason));
	state->current->reason->code = "TransactionConflict";
	state->current->reason->message = TEXT_TRANSACTION_CONFLICT;
	api_cancel(state->items[0].reason, state->request->n,
			   state->request->typed_reasons);
}

/*
 * A check writes nothing, but takes as much of the table as if it did.
 */
static void
note_units(TransactItem *item)
{
	CapacityAccess access = CAPACITY_WRITE_TRANSACTION;
	ItemRow		after;

	api_consumed_init(item->table, &item->consumed);
	if (item->action->kind == API_ACTION_CHECK)
	{
		api_consume_item(item->table, access, item->before, item->before,
						 &item->consumed);
		return;
	}
	api_row_of_key(item->table, &item->key, &after);
	if (item->after != NULL)
		after.attributes = item_root(item->after);
	api_consume_write(item->table, access, item->before, &after,
					  &item->consumed);
}

/* In the current memory context. */
static void
copy_consumed(const Transact *state, ApiTransactResult *result)
{
	for (int i = 0; i < state->request->n; i++)
	{
		const TransactItem *item = &state->items[i];
		ApiConsumed *consumed = &result->consumed[i];

		api_consumed_init(item->table, consumed);
		if (result->repeated)
			continue;
		consumed->units = item->consumed.units;
		memcpy(consumed->index_units, item->consumed.index_units,
			   item->table->nindexes * sizeof(int64));
	}
}
