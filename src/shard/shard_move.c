/*
 * shard_move.c
 *	  reshard(): changes the number of write shards of a table while it is in
 *	  use.
 *
 * The call itself replaces the constraint and the catalog row, for which the
 * table is locked for a moment.  From then on new items go where the new
 * number puts them, and items are looked for there and where the former number
 * has put them.  A background job moves the others, in transactions of a few
 * hundred, in the order of the key index: nothing comes to a former place any
 * more, so what the job has passed stays right.  How far it has come is in the
 * catalog row, written in the transactions that move, so the job can begin
 * anywhere again.  In a database that is being restored the row comes before
 * the items do: the constraint, which comes after them, is waited for.
 *
 * When all items have been moved, there may still be transactions whose
 * snapshot shows them at their former places.  The former number is forgotten
 * when there are none left.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/errors.h"
#include "scan/scan.h"
#include "shard/shard.h"
#include "worker/worker.h"

/* Items that one transaction moves, and that it looks at. */
#define BATCH_MOVED		200
#define BATCH_READ		5000

/* Transactions in a row, before other jobs have their turn. */
#define BATCHES			10

/* When to come back, in milliseconds. */
#define NEXT_TURN		1
#define RETRY_LOCKED	100
#define RETRY_OLD		1000

/* How long others may have to queue behind us for the table's lock. */
#define LOCK_WAIT		200

PG_FUNCTION_INFO_V1(reshard);

typedef enum StepResult
{
	STEP_MORE,
	STEP_LOCKED,				/* somebody has locked the table */
	STEP_OLD,					/* older transactions are under way */
	STEP_RESTORED,				/* the rows are still to come from a dump */
	STEP_DONE
} StepResult;

/* A table that the last step has failed for. */
typedef struct FailedTable
{
	Oid			relid;
	WorkerBackoff backoff;
} FailedTable;

/* They are forgotten with the process, or when there is nothing to do. */
static List *failed_tables = NIL;

static int	run(void);

static const WorkerJob job = {
	.name = "resharding",
	.run = run
};

static void check_reshard(const ItemTable *table, int shards);
static List *tables_to_do(void);
static int	try_turn(Oid relid);
static FailedTable *find_failed(Oid relid);
static int	pause_of(Oid relid);
static void note_success(Oid relid);
static int	note_failure(Oid relid);
static int	turn(Oid relid);
static StepResult step(Oid relid);
static StepResult move_batch(const ItemTable *table,
							 ReshardProgress *progress);
static bool read_batch(ItemScan *scan, ItemStore *store, StoreMover *mover,
					   ReshardProgress *progress);
static bool move_item(ItemStore *store, StoreMover *mover,
					  const StoreRow *found);
static bool is_current(const ItemStore *store, const StoreRow *row);
static ItemData *position_of(const ItemStore *store, const StoreRow *row);
static void start_at(const ItemData *position, ItemKey *start);
static StepResult finish(const ItemTable *table, ReshardProgress *progress);
static bool snapshots_are_newer(const ItemTable *table, int64 horizon);
static bool lock_exclusively(Oid relid);
static StepResult validate(Oid relid);

/* Called once at start-up. */
void
shard_init(void)
{
	worker_register_job(&job);
}

/* reshard(table_name text, shards int) */
Datum
reshard(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(0);
	int			shards = PG_GETARG_INT32(1);
	ReshardProgress progress = {0};
	const ItemTable *table;
	Oid			relid;

	relid = meta_resolve_table(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	meta_check_owner(relid);
	PreventCommandIfReadOnly("ALTER TABLE");
	LockRelationOid(relid, AccessExclusiveLock);
	table = meta_table(relid);
	check_reshard(table, shards);
	if (table->schema.sharding.count != shards)
		meta_set_shards(relid, shards, table->schema.sharding.count,
						&progress);
	worker_wake_at_commit();
	PG_RETURN_VOID();
}

static void
check_reshard(const ItemTable *table, int shards)
{
	const KeySharding *sharding = &table->schema.sharding;

	if (sharding->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("item table \"%s\" has no write shards",
						table->table_name),
				 errhint("Make another table with write_shards and copy the items.")));
	if (shards < 2 || shards > KEY_MAX_SHARDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be between %d and %d",
						"shards", 2, KEY_MAX_SHARDS)));
	if (table->partitioned)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the number of write shards of a partitioned table cannot be changed")));
	if (sharding->former > 0 && sharding->count != shards)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the number of write shards of item table \"%s\" is already being changed from %d to %d",
						table->table_name, sharding->former, sharding->count),
				 errhint("partitioning.reshard_status shows how far it has come.")));
	if (!worker_available())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("changing the number of write shards needs the background worker of partitioning"),
				 errhint("Add partitioning to shared_preload_libraries and restart the server.")));
}

static int
run(void)
{
	List	   *tables = tables_to_do();
	int			delay = WORKER_IDLE;
	ListCell   *lc;

	if (tables == NIL)
	{
		list_free_deep(failed_tables);
		failed_tables = NIL;
	}
	foreach(lc, tables)
	{
		int			wait;

		if (worker_is_to_leave())
			return NEXT_TURN;
		wait = try_turn(lfirst_oid(lc));
		if (wait != WORKER_IDLE && (delay == WORKER_IDLE || wait < delay))
			delay = wait;
	}
	worker_progress();
	return delay;
}

/* In the memory context of the caller. */
static List *
tables_to_do(void)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext old;
	List	   *result;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	result = meta_reshards();
	old = MemoryContextSwitchTo(context);
	result = list_copy(result);
	MemoryContextSwitchTo(old);
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return result;
}

/*
 * A table whose items cannot be moved, because its owner's functions fail, is
 * in the way of no other.
 */
static int
try_turn(Oid relid)
{
	MemoryContext context = CurrentMemoryContext;
	volatile int wait = pause_of(relid);

	if (wait > 0)
		return wait;
	PG_TRY();
	{
		wait = turn(relid);
		note_success(relid);
	}
	PG_CATCH();
	{
		worker_recover(context);
		wait = note_failure(relid);
	}
	PG_END_TRY();
	return wait;
}

static FailedTable *
find_failed(Oid relid)
{
	ListCell   *lc;

	foreach(lc, failed_tables)
	{
		FailedTable *failed = lfirst(lc);

		if (failed->relid == relid)
			return failed;
	}
	return NULL;
}

/* For how long the table is still to be left alone. */
static int
pause_of(Oid relid)
{
	const FailedTable *failed = find_failed(relid);

	return failed == NULL ? 0 : worker_backs_off(&failed->backoff);
}

static void
note_success(Oid relid)
{
	FailedTable *failed = find_failed(relid);

	if (failed != NULL)
		failed->backoff.pause = 0;
}

/* Returns when to try again. */
static int
note_failure(Oid relid)
{
	FailedTable *failed = find_failed(relid);

	if (failed == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		failed = palloc0(sizeof(FailedTable));
		failed->relid = relid;
		failed_tables = lappend(failed_tables, failed);
		MemoryContextSwitchTo(old);
	}
	return worker_back_off(&failed->backoff);
}

/* Some transactions; in how many milliseconds there are to be others. */
static int
turn(Oid relid)
{
	StepResult	result = STEP_MORE;

	for (int i = 0; i < BATCHES && result == STEP_MORE; i++)
	{
		if (worker_is_to_leave())
			return NEXT_TURN;
		result = step(relid);
	}
	if (result == STEP_DONE)
		result = validate(relid);
	switch (result)
	{
		case STEP_MORE:
			return NEXT_TURN;
		case STEP_LOCKED:
			return RETRY_LOCKED;
		case STEP_OLD:
		case STEP_RESTORED:
			return RETRY_OLD;
		case STEP_DONE:
			break;
	}
	return WORKER_IDLE;
}

/* One transaction. */
static StepResult
step(Oid relid)
{
	MemoryContext context = CurrentMemoryContext;
	StepResult	result = STEP_DONE;
	ReshardProgress progress;
	const ItemTable *table;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	if (!ConditionalLockRelationOid(relid, RowExclusiveLock))
		result = STEP_LOCKED;
	else
	{
		table = meta_table_if_any(relid);
		if (table != NULL && table->schema.sharding.former > 0 &&
			!meta_shards_are_checked(table))
			result = STEP_RESTORED;
		else if (table != NULL && table->schema.sharding.former > 0)
		{
			meta_reshard_progress(table, &progress);
			result = progress.horizon == 0 ? move_batch(table, &progress) :
				finish(table, &progress);
		}
	}
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return result;
}

/*
 * Moves some items and notes down how far it has come.  Functions of users may
 * be part of indexes and constraints; they run as the table's owner.
 */
static StepResult
move_batch(const ItemTable *table, ReshardProgress *progress)
{
	ScanSpec	spec = {
		.table = table,
		.forward = true,
		.stored = true
	};
	ItemKey		start;
	ItemStore  *store;
	ItemScan   *scan;
	StoreMover *mover;
	MetaOwner	owner;
	bool		more;

	if (progress->position != NULL)
	{
		start_at(progress->position, &start);
		spec.start_key = &start;
	}
	store = store_prepare(table, ACL_SELECT | ACL_UPDATE, false, NULL);
	scan = scan_begin(&spec, GetActiveSnapshot());
	meta_become_owner(table->relid, &owner);
	mover = store_mover_begin(store);
	more = read_batch(scan, store, mover, progress);
	store_mover_end(mover);
	meta_become_caller(&owner);
	scan_end(scan);
	store_close(store);

	if (!more)
		progress->horizon =
			(int64) U64FromFullTransactionId(GetTopFullTransactionId());
	meta_note_reshard(table, progress);
	return STEP_MORE;
}

/* False when there are no more items. */
static bool
read_batch(ItemScan *scan, ItemStore *store, StoreMover *mover,
		   ReshardProgress *progress)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "moved item",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	StoreRow	row;
	int			nread = 0;
	int			nmoved = 0;
	bool		more;

	while ((more = scan_next(scan, &row)))
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_current(store, &row) && move_item(store, mover, &row))
			nmoved++;
		if (++nread == BATCH_READ || nmoved == BATCH_MOVED)
			break;
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	if (more)
		progress->position = position_of(store, &row);
	progress->moved += nmoved;
	MemoryContextDelete(context);
	return more;
}

/* The item may have been changed, deleted, even moved since it was found. */
static bool
move_item(ItemStore *store, StoreMover *mover, const StoreRow *found)
{
	const KeySchema *schema = &store->table->schema;
	ItemKey		key = {.n = 2};
	StoreRow	row;
	bool		moved = false;
	int			shard;

	for (int i = 0; i < key.n; i++)
	{
		key.refs[i] = found->row.keys[i].value;
		key.datums[i] = key_datum_from_ref(key.refs[i]);
	}
	store_row_init(&row);
	store->contended = false;
	do
	{
		CHECK_FOR_INTERRUPTS();
		store_lock(store, &key, &row);
		if (!row.exists || is_current(store, &row))
			break;
		shard = key_shard_choose(&schema->sharding, &key,
								 row.row.attributes);
		moved = store_move(mover, &row, key_shard_datum(key.refs[0], shard));
	} while (!moved);
	store_row_clear(&row);
	return moved;
}

static bool
is_current(const ItemStore *store, const StoreRow *row)
{
	bool		isnull;
	Datum		pk = slot_getattr(row->slot, store->relation.key_attnums[0],
								  &isnull);
	ItemRef		sk = row->row.keys[1].value;

	return key_shard_is_current(&store->table->schema.sharding, pk, sk);
}

/* The stored key of a row: {"pk": ..., "sk": ...}. */
static ItemData *
position_of(const ItemStore *store, const StoreRow *row)
{
	ItemValue  *map = item_value_map();
	bool		isnull;
	Datum		pk = slot_getattr(row->slot, store->relation.key_attnums[0],
								  &isnull);

	item_value_map_set(map, META_PK_COLUMN, strlen(META_PK_COLUMN),
					   item_value_from_ref(key_ref_from_datum(ITEM_S, pk)));
	item_value_map_set(map, META_SK_COLUMN, strlen(META_SK_COLUMN),
					   item_value_from_ref(row->row.keys[1].value));
	return item_value_to_item(map);
}

static void
start_at(const ItemData *position, ItemKey *start)
{
	ItemRef		map = item_root(position);

	start->n = 2;
	if (map.type != ITEM_M ||
		!item_map_find(map, META_PK_COLUMN, strlen(META_PK_COLUMN),
					   &start->refs[0]) ||
		!item_map_find(map, META_SK_COLUMN, strlen(META_SK_COLUMN),
					   &start->refs[1]))
		elog(ERROR, "position of a change of shards is no key");
	for (int i = 0; i < start->n; i++)
		start->datums[i] = key_datum_from_ref(start->refs[i]);
}

/*
 * Forgets the former number when nobody can see items at former places.
 */
static StepResult
finish(const ItemTable *table, ReshardProgress *progress)
{
	ReshardProgress none = {0};

	if (!snapshots_are_newer(table, progress->horizon))
		return STEP_OLD;
	if (!lock_exclusively(table->relid))
		return STEP_LOCKED;
	meta_set_shards(table->relid, table->schema.sharding.count, 0, &none);
	return STEP_DONE;
}

/*
 * A horizon that lies in the future is that of the server which a dump comes
 * from.
 */
static bool
snapshots_are_newer(const ItemTable *table, int64 horizon)
{
	uint64		next = U64FromFullTransactionId(ReadNextFullTransactionId());
	Relation	rel = table_open(table->relid, NoLock);
	TransactionId oldest = GetOldestNonRemovableTransactionId(rel);

	table_close(rel, NoLock);
	return (uint64) horizon >= next ||
		next - (uint64) horizon > PG_INT32_MAX ||
		TransactionIdPrecedes((TransactionId) horizon, oldest);
}

/*
 * Nobody shall wait for long behind us; so we wait for a moment only.
 */
static bool
lock_exclusively(Oid relid)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	StoreWait	wait = {.limit = LOCK_WAIT};
	volatile bool locked = false;

	if (ConditionalLockRelationOid(relid, AccessExclusiveLock))
		return true;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		int			nest = store_wait_begin(&wait);

		LockRelationOid(relid, AccessExclusiveLock);
		store_wait_end(nest);
		ReleaseCurrentSubTransaction();
		locked = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		if (geterrcode() != ERRCODE_LOCK_NOT_AVAILABLE)
			PG_RE_THROW();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return locked;
}

/*
 * Nobody is kept from writing meanwhile.  The catalog tells that this is still
 * to be done, so it is also when the server has crashed just before.
 */
static StepResult
validate(Oid relid)
{
	MemoryContext context = CurrentMemoryContext;
	StepResult	result = STEP_DONE;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	if (!ConditionalLockRelationOid(relid, ShareUpdateExclusiveLock))
		result = STEP_LOCKED;
	else if (meta_table_if_any(relid) != NULL)
	{
		MetaOwner	owner;

		meta_become_owner(relid, &owner);
		meta_validate_shards(relid);
		meta_become_caller(&owner);
	}
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return result;
}
