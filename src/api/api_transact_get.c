/*
 * api_transact_get.c
 *	  Reads several items as they were at one moment (TransactGetItems).
 *
 * One snapshot is all it takes: transactions that write are serialized by
 * their locks and become visible as a whole when they commit, in that order.
 * So nothing waits here and nothing conflicts.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "api/api_private.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "store/store.h"

/* One item to read. */
typedef struct ReadItem
{
	const ApiGet *get;
	int			position;		/* in the request */
	ItemExpr   *projection;		/* or NULL */
	const ItemTable *table;
	ItemKey		key;
} ReadItem;

static ReadItem *prepare(const ApiTransactGet *request);
static void fit_schema(ReadItem *read, ApiReason *reason);
static int	compare_reads(const void *a, const void *b);
static void sort_reads(ReadItem *reads, int n);
static void read_items(ReadItem *reads, int n, MemoryContext caller,
					   ApiTransactGetResult *result);
static ItemData *read_item(ItemStore *store, const ReadItem *read,
						   MemoryContext caller, uint32 *size);

void
api_transact_get(const ApiTransactGet *request, ApiTransactGetResult *result)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work;
	ReadItem   *reads;

	api_transact_check_count(request->n);
	result->items = palloc0(request->n * sizeof(ItemData *));
	result->sizes = palloc0(request->n * sizeof(uint32));
	work = AllocSetContextCreate(caller, "item transaction",
								 ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);

	reads = prepare(request);
	read_items(reads, request->n, caller, result);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/*
 * Checks all, as a transaction that writes does, and sorts by table and key.
 */
static ReadItem *
prepare(const ApiTransactGet *request)
{
	int			n = request->n;
	ReadItem   *reads = palloc0(n * sizeof(ReadItem));
	ApiReason  *reasons = palloc0(n * sizeof(ApiReason));
	bool		failed = false;

	for (int i = 0; i < n; i++)
	{
		const ApiGet *get = &request->gets[i];

		reads[i].get = get;
		reads[i].position = i;
		api_check_map(get->key, "key");
		reads[i].projection = api_prepare_projection(&get->projection,
													 get->names,
													 get->key_error);
	}
	for (int i = 0; i < n; i++)
		reads[i].table = api_resolve_table(&reads[i].get->table_name);
	for (int i = 0; i < n; i++)
		api_check_empty_key(reads[i].table, reads[i].get->key);
	for (int i = 0; i < n && !failed; i++)
	{
		fit_schema(&reads[i], &reasons[i]);
		failed = reasons[i].code != NULL;
	}
	if (failed)
		api_cancel(reasons, n, request->typed_reasons);
	sort_reads(reads, n);
	return reads;
}

static void
fit_schema(ReadItem *read, ApiReason *reason)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		api_key_of_argument(read->table, read->get->key, &read->key);
		if (read->projection != NULL)
			expr_check_schema(read->projection, &read->table->schema, false);
	}
	PG_CATCH();
	{
		api_catch_reason(reason, context);
	}
	PG_END_TRY();
}

static int
compare_reads(const void *a, const void *b)
{
	const ReadItem *x = a;
	const ReadItem *y = b;

	if (x->table->relid != y->table->relid)
		return x->table->relid < y->table->relid ? -1 : 1;
	return api_key_compare(&x->key, &y->key);
}

static void
sort_reads(ReadItem *reads, int n)
{
	qsort(reads, n, sizeof(ReadItem), compare_reads);
	for (int i = 1; i < n; i++)
	{
		if (compare_reads(&reads[i - 1], &reads[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_TRANSACTION_DUPLICATES)));
	}
}

static void
read_items(ReadItem *reads, int n, MemoryContext caller,
		   ApiTransactGetResult *result)
{
	ItemStore  *store = NULL;
	size_t		total = 0;

	for (int i = 0; i < n; i++)
	{
		const ReadItem *read = &reads[i];
		ItemData   *item;

		if (store != NULL && store->table != read->table)
		{
			store_close(store);
			store = NULL;
		}
		if (store == NULL)
			store = store_open(read->table, &read->key, ACL_SELECT);
		else
			store_route(store, &read->key);

		item = read_item(store, read, caller, &result->sizes[read->position]);
		result->items[read->position] = item;
		total += item == NULL ? 0 : item_map_size(item_root(item));
		if (total > LIMIT_TRANSACTION_SIZE)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_TRANSACTION_RESPONSE_SIZE,
							LIMIT_TRANSACTION_SIZE)));
	}
	store_close(store);
}

static ItemData *
read_item(ItemStore *store, const ReadItem *read, MemoryContext caller,
		  uint32 *size)
{
	StoreRow	row;
	ItemData   *item = NULL;

	store_row_init(&row);
	if (store_fetch(store, &read->key, GetActiveSnapshot(), &row))
	{
		MemoryContext work = MemoryContextSwitchTo(caller);

		*size = item_row_size(&row.row);
		item = read->projection != NULL ?
			expr_project(read->projection, &row.row) :
			item_row_to_item(&row.row);
		MemoryContextSwitchTo(work);
	}
	store_row_clear(&row);
	return item;
}
