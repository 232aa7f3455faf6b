/*
 * api_batch.c
 *	  Reads or writes many items, each for itself (BatchGetItem,
 *	  BatchWriteItem, and the SQL forms of both).
 *
 * Everything is checked before anything is read or written.  Writes are made
 * in the order of the key index, so that two batches on one table do not wait
 * for each other in a circle.
 *
 * In SQL a call is part of its statement: it does all or fails, and knows no
 * limit but memory.  The service's forms have its limits; they leave
 * unprocessed what does not fit into the answer, or would have to be waited
 * for too long.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/guc.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "gsi/gsi.h"
#include "store/store.h"

/* A key to read, or an item to put or delete. */
typedef struct BatchItem
{
	int			position;		/* in the request of its table */
	ItemKey		key;
	const ItemData *put;		/* NULL: delete */
	bool		unprocessed;
} BatchItem;

/* The requests for one table. */
typedef struct BatchTable
{
	const ItemTable *table;
	int			n;
	BatchItem  *items;			/* in the order of the key index */
	ItemExpr   *projection;		/* or NULL */
	ApiConsumed consumed;		/* by what has been written, if wanted */
} BatchTable;

/* A batch of writes under way. */
typedef struct BatchWrite
{
	MemoryContext work;
	int			ntables;
	BatchTable *tables;
	StoreWait	wait;
	bool		want_units;
	BatchItem  *current;
} BatchWrite;

/* How much has been read, against the limits of an answer. */
typedef struct BatchSizes
{
	size_t		answer;
	size_t		partition;		/* of the partition key that is read now */
	const BatchItem *previous;
} BatchSizes;

static void prepare_keys(BatchTable *batch, const ItemData *const *keys,
						 int n);
static void sort_items(BatchTable *batch);
static int	compare_items(const void *a, const void *b);
static int	compare_positions(const void *a, const void *b);
static ItemData *read_item(ItemStore *store, const BatchTable *batch,
						   const BatchItem *item, MemoryContext caller,
						   uint32 *size);
static void check_get_counts(const ApiBatchGet *request);
static void read_table(const BatchTable *batch, BatchSizes *sizes,
					   MemoryContext caller, ApiBatchGetResult *result);
static bool fits_answer(BatchSizes *sizes, const BatchItem *item,
						uint32 stored, const ItemData *answer);
static void check_writes(const ApiBatchRequest *requests, int n);
static void check_put(const ItemData *item);
static void prepare_writes(BatchTable *batch,
						   const ApiBatchRequest *requests, int n);
static void write_table(BatchWrite *state, BatchTable *batch);
static BatchItem *first_item(const BatchTable *batch);
static void write_item(BatchWrite *state, BatchTable *batch,
					   ItemStore *store, BatchItem *item);
static bool try_write(ItemStore *store, const BatchItem *item, StoreRow *row,
					  const ItemData *attributes);
static void note_units(BatchTable *batch, const BatchItem *item,
					   const ItemRow *before, const ItemData *attributes);
static void copy_consumed(const BatchTable *batch, MemoryContext caller,
						  ApiConsumed *result);
static void check_write_counts(const ApiBatchWrite *request);
static bool write_all(BatchWrite *state);
static void find_blocked(BatchWrite *state);
static void leave_out(BatchWrite *state, ErrorData *error);

/*
 * Reads the items of any number of keys of one table, in the order of the
 * keys; those that do not exist are left out.  Each item is made in the
 * caller's memory context, for the receiver to free.
 */
void
api_batch_get_each(const ApiText *table_name, const ItemData *const *keys,
				   int n, void (*receive) (ItemData *item, void *arg),
				   void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(caller, "item batch",
											   ALLOCSET_DEFAULT_SIZES);
	BatchTable	batch = {0};
	ItemStore  *store;

	MemoryContextSwitchTo(work);
	for (int i = 0; i < n; i++)
		api_check_map(keys[i], "key");
	batch.table = api_resolve_table(table_name);
	prepare_keys(&batch, keys, n);
	qsort(batch.items, n, sizeof(BatchItem), compare_positions);

	store = store_open(batch.table, NULL, ACL_SELECT);
	for (int i = 0; i < n; i++)
	{
		ItemData   *item;

		CHECK_FOR_INTERRUPTS();
		item = read_item(store, &batch, &batch.items[i], caller, NULL);
		if (item == NULL)
			continue;
		MemoryContextSwitchTo(caller);
		receive(item, arg);
		MemoryContextSwitchTo(work);
	}
	store_close(store);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/*
 * The keys of one table, checked against its schema and sorted.
 */
static void
prepare_keys(BatchTable *batch, const ItemData *const *keys, int n)
{
	batch->n = n;
	batch->items = MemoryContextAllocHuge(CurrentMemoryContext,
										  Max(n, 1) * sizeof(BatchItem));
	for (int i = 0; i < n; i++)
	{
		memset(&batch->items[i], 0, sizeof(BatchItem));
		batch->items[i].position = i;
		api_key_of_argument(batch->table, keys[i], &batch->items[i].key);
	}
	sort_items(batch);
}

/*
 * Sorts by key and refuses two of one.
 */
static void
sort_items(BatchTable *batch)
{
	qsort(batch->items, batch->n, sizeof(BatchItem), compare_items);
	for (int i = 1; i < batch->n; i++)
	{
		if (compare_items(&batch->items[i - 1], &batch->items[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_BATCH_DUPLICATES)));
	}
}

static int
compare_items(const void *a, const void *b)
{
	return api_key_compare(&((const BatchItem *) a)->key,
						   &((const BatchItem *) b)->key);
}

static int
compare_positions(const void *a, const void *b)
{
	int			x = ((const BatchItem *) a)->position;
	int			y = ((const BatchItem *) b)->position;

	return x < y ? -1 : x > y;
}

/*
 * One item, or NULL; *size is that of the whole item as stored.
 */
static ItemData *
read_item(ItemStore *store, const BatchTable *batch, const BatchItem *item,
		  MemoryContext caller, uint32 *size)
{
	StoreRow	row;
	ItemData   *result = NULL;

	store_route(store, &item->key);
	store_row_init(&row);
	if (store_fetch(store, &item->key, GetActiveSnapshot(), &row))
	{
		MemoryContext work = MemoryContextSwitchTo(caller);

		if (size != NULL)
			*size = item_row_size(&row.row);
		result = batch->projection != NULL ?
			expr_project(batch->projection, &row.row) :
			item_row_to_item(&row.row);
		MemoryContextSwitchTo(work);
	}
	store_row_clear(&row);
	return result;
}

void
api_batch_get(const ApiBatchGet *request, ApiBatchGetResult *results)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work;
	BatchTable *tables;
	BatchSizes	sizes = {0};

	check_get_counts(request);
	work = AllocSetContextCreate(caller, "item batch",
								 ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	tables = palloc0(request->ntables * sizeof(BatchTable));
	for (int i = 0; i < request->ntables; i++)
		tables[i].projection =
			api_prepare_projection(&request->tables[i].projection,
								   request->tables[i].names,
								   request->tables[i].keys_error);
	for (int i = 0; i < request->ntables; i++)
		tables[i].table = api_resolve_table(&request->tables[i].table_name);
	for (int i = 0; i < request->ntables; i++)
	{
		const ApiBatchGetTable *part = &request->tables[i];

		prepare_keys(&tables[i], part->keys, part->n);
		if (tables[i].projection != NULL)
			expr_check_schema(tables[i].projection, &tables[i].table->schema,
							  false);
	}
	for (int i = 0; i < request->ntables; i++)
		read_table(&tables[i], &sizes, caller, &results[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

static void
check_get_counts(const ApiBatchGet *request)
{
	int			total = 0;

	if (request->ntables == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_BATCH_GET_EMPTY)));
	for (int i = 0; i < request->ntables; i++)
	{
		const ApiBatchGetTable *part = &request->tables[i];

		if (part->n > LIMIT_BATCH_GET_KEYS)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_BATCH_GET_TABLE_COUNT,
							pnstrdup(part->table_name.data,
									 part->table_name.len))));
		total += part->n;
	}
	if (total > LIMIT_BATCH_GET_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_BATCH_GET_COUNT)));
}

static void
read_table(const BatchTable *batch, BatchSizes *sizes, MemoryContext caller,
		   ApiBatchGetResult *result)
{
	ItemStore  *store = store_open(batch->table, NULL, ACL_SELECT);

	result->items = MemoryContextAllocZero(caller,
										   batch->n * sizeof(ItemData *));
	result->unprocessed = MemoryContextAllocZero(caller,
												 batch->n * sizeof(bool));
	result->sizes = MemoryContextAllocZero(caller,
										   batch->n * sizeof(uint32));
	sizes->previous = NULL;
	for (int i = 0; i < batch->n; i++)
	{
		const BatchItem *item = &batch->items[i];
		int			position = item->position;
		uint32		size = 0;
		ItemData   *answer;

		answer = read_item(store, batch, item, caller, &size);
		if (answer != NULL && !fits_answer(sizes, item, size, answer))
		{
			result->unprocessed[position] = true;
			pfree(answer);
			continue;
		}
		result->items[position] = answer;
		result->sizes[position] = size;
	}
	store_close(store);
}

/*
 * Items come in the order of the key index, so those of one partition key
 * come together.
 */
static bool
fits_answer(BatchSizes *sizes, const BatchItem *item, uint32 stored,
			const ItemData *answer)
{
	size_t		size = item_map_size(item_root(answer));

	if (sizes->previous == NULL ||
		!item_ref_equal(sizes->previous->key.refs[0], item->key.refs[0]))
		sizes->partition = 0;
	sizes->previous = item;
	if (sizes->answer + size > LIMIT_BATCH_GET_SIZE ||
		sizes->partition + stored > LIMIT_BATCH_GET_PARTITION)
		return false;
	sizes->answer += size;
	sizes->partition += stored;
	return true;
}

/*
 * Puts and deletes any number of items of one table, all or none.
 */
void
api_batch_write_all(const ApiText *table_name,
					const ApiBatchRequest *requests, int n)
{
	MemoryContext caller = CurrentMemoryContext;
	BatchTable	batch = {0};
	BatchWrite	state = {.ntables = 1,.tables = &batch};

	state.work = AllocSetContextCreate(caller, "item batch",
									   ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(state.work);
	check_writes(requests, n);
	batch.table = api_resolve_table(table_name);
	prepare_writes(&batch, requests, n);
	gsi_call_begin();
	write_table(&state, &batch);
	gsi_call_end();
	CommandCounterIncrement();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(state.work);
}

/*
 * What needs no schema.
 */
static void
check_writes(const ApiBatchRequest *requests, int n)
{
	for (int i = 0; i < n; i++)
	{
		api_check_values(requests[i].item_error);
		if (requests[i].is_delete)
			api_check_map(requests[i].item, "key");
		else
			check_put(requests[i].item);
	}
}

static void
check_put(const ItemData *item)
{
	api_check_map(item, "item");
	if (item_map_size(item_root(item)) > LIMIT_ITEM_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_ITEM_SIZE)));
}

/*
 * The writes to one table, checked against its schema and sorted.
 */
static void
prepare_writes(BatchTable *batch, const ApiBatchRequest *requests, int n)
{
	batch->n = n;
	batch->items = MemoryContextAllocHuge(CurrentMemoryContext,
										  Max(n, 1) * sizeof(BatchItem));
	for (int i = 0; i < n; i++)
	{
		BatchItem  *item = &batch->items[i];

		memset(item, 0, sizeof(*item));
		item->position = i;
		if (requests[i].is_delete)
			api_key_of_argument(batch->table, requests[i].item, &item->key);
		else
		{
			item->put = requests[i].item;
			api_key_of_item(batch->table, item->put, &item->key);
		}
	}
	sort_items(batch);
}

static void
write_table(BatchWrite *state, BatchTable *batch)
{
	MemoryContext item_context = AllocSetContextCreate(state->work,
													   "item write",
													   ALLOCSET_DEFAULT_SIZES);
	AclMode		access = 0;
	ItemStore  *store;

	for (int i = 0; i < batch->n; i++)
		access |= batch->items[i].put != NULL ?
			ACL_INSERT | ACL_UPDATE : ACL_DELETE;
	if (state->want_units)
		api_consumed_init(batch->table, &batch->consumed);
	state->current = first_item(batch);
	if (state->current == NULL)
		return;
	store = store_open(batch->table, NULL, access);
	for (int i = 0; i < batch->n; i++)
	{
		if (batch->items[i].unprocessed)
			continue;
		state->current = &batch->items[i];
		MemoryContextSwitchTo(item_context);
		write_item(state, batch, store, state->current);
		MemoryContextSwitchTo(state->work);
		MemoryContextReset(item_context);
	}
	store_close(store);
}

/*
 * The first that is not given up, or NULL: with it the whole table is.
 */
static BatchItem *
first_item(const BatchTable *batch)
{
	for (int i = 0; i < batch->n; i++)
	{
		if (!batch->items[i].unprocessed)
			return &batch->items[i];
	}
	return NULL;
}

static void
write_item(BatchWrite *state, BatchTable *batch, ItemStore *store,
		   BatchItem *item)
{
	static const ItemRow no_item;
	StoreRow	row;
	const ItemData *attributes = NULL;

	if (item->put != NULL)
		attributes = api_attributes_of_item(store->table, item->put);
	store_route(store, &item->key);
	store_row_init(&row);
	store->contended = false;
	do
	{
		CHECK_FOR_INTERRUPTS();
		store_lock(store, &item->key, &row);
	} while (!try_write(store, item, &row, attributes));
	if (state->want_units)
		note_units(batch, item, row.exists ? &row.row : &no_item, attributes);
	store_row_clear(&row);
}

/*
 * Makes the change; false when the row is not what it was any more.
 */
static bool
try_write(ItemStore *store, const BatchItem *item, StoreRow *row,
		  const ItemData *attributes)
{
	if (attributes == NULL)
		return !row->exists || store_delete(store, &item->key, row);
	if (!row->exists)
		return store_insert(store, &item->key, attributes);
	if (!item_ref_equal(row->row.attributes, item_root(attributes)))
		return store_update(store, &item->key, row, attributes);

	/* as a single put, one that changes nothing locks the row all the same */
	if (store->contended)
		return true;
	store->contended = true;
	return false;
}

/* attributes is NULL for a delete. */
static void
note_units(BatchTable *batch, const BatchItem *item, const ItemRow *before,
		   const ItemData *attributes)
{
	ItemRow		after;

	api_row_of_key(batch->table, &item->key, &after);
	if (attributes != NULL)
		after.attributes = item_root(attributes);
	api_consume_write(batch->table, CAPACITY_WRITE, before, &after,
					  &batch->consumed);
}

void
api_batch_write(const ApiBatchWrite *request, ApiBatchWriteResult *results)
{
	MemoryContext caller = CurrentMemoryContext;
	BatchWrite	state = {
		.ntables = request->ntables,
		.want_units = request->want_units
	};

	check_write_counts(request);
	state.work = AllocSetContextCreate(caller, "item batch",
									   ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(state.work);
	state.wait.limit = guc_transaction_wait;
	state.tables = palloc0(request->ntables * sizeof(BatchTable));
	for (int i = 0; i < request->ntables; i++)
		check_writes(request->tables[i].requests, request->tables[i].n);
	for (int i = 0; i < request->ntables; i++)
		state.tables[i].table =
			api_resolve_table(&request->tables[i].table_name);
	for (int i = 0; i < request->ntables; i++)
		prepare_writes(&state.tables[i], request->tables[i].requests,
					   request->tables[i].n);

	while (!write_all(&state))
		CHECK_FOR_INTERRUPTS();

	for (int i = 0; i < request->ntables; i++)
	{
		const BatchTable *batch = &state.tables[i];

		results[i].unprocessed =
			MemoryContextAllocZero(caller, batch->n * sizeof(bool));
		for (int j = 0; j < batch->n; j++)
			results[i].unprocessed[batch->items[j].position] =
				batch->items[j].unprocessed;
		if (request->want_units)
			copy_consumed(batch, caller, &results[i].consumed);
	}
	CommandCounterIncrement();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(state.work);
}

static void
copy_consumed(const BatchTable *batch, MemoryContext caller,
			  ApiConsumed *result)
{
	Size		size = batch->table->nindexes * sizeof(int64);

	*result = batch->consumed;
	result->table = batch->table;
	result->index_units = MemoryContextAllocZero(caller, size);
	if (batch->consumed.index_units != NULL)
		memcpy(result->index_units, batch->consumed.index_units, size);
}

static void
check_write_counts(const ApiBatchWrite *request)
{
	int			total = 0;

	if (request->ntables == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_BATCH_WRITE_EMPTY)));
	for (int i = 0; i < request->ntables; i++)
		total += request->tables[i].n;
	if (total > LIMIT_BATCH_WRITE_REQUESTS)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_BATCH_WRITE_COUNT)));
}

/*
 * Writes all that is not given up, in a subtransaction.  Returns false, with
 * nothing written, when one had to be waited for too long; that one is now
 * given up.
 */
static bool
write_all(BatchWrite *state)
{
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool done = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(state->work);
	state->current = NULL;
	PG_TRY();
	{
		int			nest = store_wait_bound(&state->wait);

		gsi_call_begin();
		for (int i = 0; i < state->ntables; i++)
			write_table(state, &state->tables[i]);
		gsi_call_end();
		store_wait_end(nest);
		ReleaseCurrentSubTransaction();
		done = true;
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(state->work);
		error = CopyErrorData();
		FlushErrorState();
		find_blocked(state);
		RollbackAndReleaseCurrentSubTransaction();
		leave_out(state, error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(state->work);
	CurrentResourceOwner = owner;
	return done;
}

/*
 * Entries of unique indexes are written when all items are: the item in hand
 * is then the one whose entry could not be.
 */
static void
find_blocked(BatchWrite *state)
{
	Oid			relid;
	ItemKey		key;

	if (!gsi_call_blocked(&relid, &key))
		return;
	for (int i = 0; i < state->ntables; i++)
	{
		const BatchTable *batch = &state->tables[i];

		for (int j = 0; j < batch->n && batch->table->relid == relid; j++)
		{
			if (key_order_bytes(&batch->items[j].key, &key) == 0)
				state->current = &batch->items[j];
		}
	}
}

/*
 * Gives up the item that was in hand when others were in the way.
 */
static void
leave_out(BatchWrite *state, ErrorData *error)
{
	if (state->current == NULL ||
		(error->sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED &&
		 error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE))
		ReThrowError(error);
	state->current->unprocessed = true;
}
