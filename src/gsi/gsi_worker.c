/*
 * gsi_worker.c
 *	  The background job that has asynchronous indexes follow their tables.
 *
 * A run reads both halves of the queue from begin to end, and applies what it
 * finds in batches, each in a transaction of its own, in which the rows are
 * taken off, too.  It takes rows as soon as they are committed, wherever they
 * stand: a transaction that has been open for long, and its rows, are in
 * nobody's way.  Rows whose tables others have locked are left for the next
 * run.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/errors.h"
#include "base/guc.h"
#include "base/service_text.h"
#include "gsi/gsi_private.h"
#include "worker/worker.h"

/* Rows that are applied in one transaction. */
#define BATCH_ROWS		500

/*
 * A half that has grown beyond this is truncated as soon as that is possible,
 * a smaller one when nobody writes.
 */
#define TRUNCATE_BLOCKS	((4 * 1024 * 1024) / BLCKSZ)

/* When to come back, in milliseconds. */
#define RETRY_LOCKED	50		/* at first; doubled from run to run */
#define RETRY_LATER		1000

/* Indexes whose speed is told; that is measured over so many microseconds. */
#define RATES			64
#define RATE_PERIOD		USECS_PER_SEC

/* Speed of an index; the number is a float8. */
typedef struct GsiRate
{
	pg_atomic_uint32 index;		/* index table */
	pg_atomic_uint64 rate;
	pg_atomic_uint64 measured_at;
} GsiRate;

/* Memory of a database. */
typedef struct GsiShared
{
	pg_atomic_uint32 current;	/* half of the queue that is written to */

	/*
	 * Since when there is something that is to be followed, as the worker has
	 * last seen it, or the first commit after all had been; 0: there is
	 * nothing.  How long a transaction has been open before it commits does
	 * not count.
	 */
	pg_atomic_uint64 behind_since;
	GsiRate		rates[RATES];
} GsiShared;

/* What a run has come upon. */
typedef struct GsiRun
{
	TimestampTz oldest;			/* of what was left; 0: nothing was */
	int			applied;
	int			locked;
	int			left;			/* for other reasons */
} GsiRun;

/* An index that changes could not be applied to. */
typedef struct Failure
{
	Oid			table;
	Oid			index;
	WorkerBackoff backoff;
	bool		tried;			/* since then */
} Failure;

/* Changes applied to an index since the speed was last told. */
typedef struct Count
{
	Oid			index;
	int			applied;
	TimestampTz since;
} Count;

static int	run(void);

static const WorkerJob job = {
	.name = "index propagation",
	.run = run,
	.shared_size = sizeof(GsiShared)
};

/*
 * The last transaction that has taken rows off each half, or any later one;
 * of another worker it may be the last one before this one has begun.
 */
static TransactionId applied_by[GSI_QUEUE_HALVES];

/*
 * When the last run began that has left nothing; what it has not seen was
 * committed after that.
 */
static TimestampTz caught_up_at = 0;

/* This transaction has queued changes. */
static bool queued_changes = false;

static List *failures = NIL;	/* of Failure */
static Count counts[RATES];
static uint64 runs = 0;

PG_FUNCTION_INFO_V1(index_rate);

static void transaction_ends(XactEvent event, void *arg);
static void check_lag(uint64 since);
static int	next_run(const GsiRun *result);
static bool has_queue(BlockNumber *blocks);
static void apply_half(int half, BlockNumber end, GsiRun *result);
static BlockNumber apply_batch(int half, BlockNumber from, BlockNumber end,
							   bool carefully, GsiRun *result);
static GsiOutcome apply_row(GsiQueued *queued);
static GsiOutcome apply_to_index(GsiQueued *queued, int i);
static void note_outcome(GsiQueued *queued, GsiOutcome outcome,
						 GsiRun *result);
static Failure *find_failure(Oid index);
static bool any_done(const GsiQueued *queued);
static void note_failure(Oid table, Oid index, const ErrorData *error);
static void forgive(void);
static bool put_error(Oid table, Oid index, const char *error);
static void count_applied(const GsiQueued *queued);
static void tell_rates(void);
static void note_begin(const GsiQueued *queued);
static void note_lag(const GsiRun *result);
static void truncate_halves(const BlockNumber *blocks, bool quiet);
static bool truncate_half(int half);

void
gsi_worker_init(void)
{
	worker_register_job(&job);
	RegisterXactCallback(transaction_ends, NULL);
}

/*
 * Notes down that a change of an item concerns n indexes that follow later.
 */
void
gsi_propagate_later(const ItemTable *table, const ItemKey *key, int n,
					const GsiStale *stale)
{
	GsiShared  *shared = worker_shared(&job);

	if (shared != NULL && guc_index_max_lag > 0)
	{
		uint64		since = pg_atomic_read_u64(&shared->behind_since);

		if (since != 0)
			check_lag(since);
	}
	gsi_queue_add(table, key, n, stale);
	queued_changes = true;
	worker_wake_at_commit();
}

/* Indexes lag from the commit on.  One of a prepared transaction is not told. */
static void
transaction_ends(XactEvent event, void *arg)
{
	if (!queued_changes)
		return;
	if (event == XACT_EVENT_COMMIT)
	{
		GsiShared  *shared = worker_shared(&job);
		uint64		never = 0;

		/* the worker may have been told before, and be through already */
		if (shared != NULL && pg_atomic_read_u64(&shared->behind_since) == 0 &&
			pg_atomic_compare_exchange_u64(&shared->behind_since, &never,
										   GetCurrentTimestamp()))
			worker_wake();
	}
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_PREPARE ||
		event == XACT_EVENT_ABORT)
		queued_changes = false;
}

/* Refuses a write while the indexes lag too far behind. */
static void
check_lag(uint64 since)
{
	TimestampTz now = GetCurrentTimestamp();

	if (!TimestampDifferenceExceeds((TimestampTz) since, now,
									guc_index_max_lag))
		return;
	worker_wake();
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_THROUGHPUT_EXCEEDED),
			 errmsg(TEXT_INDEX_THROUGHPUT),
			 errdetail("The asynchronous indexes of this database lag %ld ms behind, more than partitioning.index_max_lag permits.",
					   TimestampDifferenceMilliseconds((TimestampTz) since, now))));
}

int
gsi_queue_current(void)
{
	GsiShared  *shared = worker_shared(&job);

	return shared == NULL ? 0 : pg_atomic_read_u32(&shared->current);
}

static int
run(void)
{
	BlockNumber blocks[GSI_QUEUE_HALVES];
	GsiRun		result = {0};
	TimestampTz begun = GetCurrentTimestamp();
	int			online;
	int			delay;

	if (!has_queue(blocks))
		return WORKER_ABSENT;
	for (int half = 0; half < GSI_QUEUE_HALVES; half++)
		apply_half(half, blocks[half], &result);
	if (worker_is_to_leave())
		return WORKER_IDLE;
	note_lag(&result);
	if (result.locked + result.left == 0)
		caught_up_at = begun;
	forgive();
	tell_rates();
	if (result.locked == 0)
		runs++;
	online = gsi_online_run(runs);
	worker_progress();
	delay = next_run(&result);
	return online == WORKER_IDLE || (delay != WORKER_IDLE && delay < online) ?
		delay : online;
}

/*
 * In how many milliseconds to come back.  As long as there is anything in the
 * queue, it may be committed without our being told: so are prepared
 * transactions.
 */
static int
next_run(const GsiRun *result)
{
	static int	retry = RETRY_LOCKED;
	BlockNumber blocks[GSI_QUEUE_HALVES];

	if (result->locked > 0)
	{
		int			now = retry;

		retry = Min(retry * 2, RETRY_LATER);
		return now;
	}
	retry = RETRY_LOCKED;
	if (!has_queue(blocks))
		return WORKER_ABSENT;
	if (result->left == 0)
	{
		truncate_halves(blocks, result->applied == 0);
		(void) has_queue(blocks);
	}
	return blocks[0] + blocks[1] == 0 ? WORKER_IDLE : RETRY_LATER;
}

/* Is the extension here, and how large are the halves? */
static bool
has_queue(BlockNumber *blocks)
{
	bool		result = true;

	StartTransactionCommand();
	for (int half = 0; half < GSI_QUEUE_HALVES; half++)
	{
		if (!TransactionIdIsValid(applied_by[half]))
		{
			applied_by[half] = ReadNextTransactionId();
			TransactionIdRetreat(applied_by[half]);
		}
		result = result && OidIsValid(gsi_queue_relid(half));
		blocks[half] = result ? gsi_queue_blocks(half) : 0;
	}
	CommitTransactionCommand();
	return result;
}

static void
apply_half(int half, BlockNumber end, GsiRun *result)
{
	volatile BlockNumber next = 0;

	while (next < end && !worker_is_to_leave())
	{
		MemoryContext context = CurrentMemoryContext;
		BlockNumber begin = next;
		GsiRun		before = *result;

		CHECK_FOR_INTERRUPTS();
		PG_TRY();
		{
			next = apply_batch(half, begin, end, false, result);
		}
		PG_CATCH();
		{
			/* one by one, it will be seen which row that was */
			MemoryContextSwitchTo(context);
			HOLD_INTERRUPTS();
			AbortCurrentTransaction();
			FlushErrorState();
			RESUME_INTERRUPTS();
			*result = before;
			next = begin;
		}
		PG_END_TRY();
		if (next == begin)
			next = apply_batch(half, begin, end, true, result);
	}
}

/*
 * Applies rows of some blocks; the block to go on from.  Carefully is to do
 * each in a subtransaction, so that one that fails is in nobody's way.
 */
static BlockNumber
apply_batch(int half, BlockNumber from, BlockNumber end, bool carefully,
			GsiRun *result)
{
	GsiPropagation *propagation = NULL;
	BlockNumber next;
	List	   *rows;
	ListCell   *lc;
	int			before = result->applied;

	StartTransactionCommand();
	PushActiveSnapshot(GetLatestSnapshot());
	rows = gsi_queue_read(half, from, end, BATCH_ROWS, GetActiveSnapshot(),
						  &next);
	if (rows != NIL)
		note_begin(linitial(rows));
	if (!carefully)
		propagation = gsi_propagate_begin(false);
	foreach(lc, rows)
	{
		GsiQueued  *queued = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		note_outcome(queued, carefully ? apply_row(queued) :
					 gsi_propagate(propagation, queued, -1), result);
	}
	if (!carefully)
		gsi_propagate_end(propagation);
	if (result->applied > before)
	{
		gsi_queue_remove(half, rows);
		applied_by[half] = GetCurrentTransactionId();
	}
	PopActiveSnapshot();
	CommitTransactionCommand();
	return next;
}

/* Applies a row to each of its indexes apart. */
static GsiOutcome
apply_row(GsiQueued *queued)
{
	GsiOutcome	result = GSI_APPLIED;

	for (int i = 0; i < queued->nindexes; i++)
	{
		GsiOutcome	outcome = apply_to_index(queued, i);

		if (outcome != GSI_APPLIED)
			result = outcome;
	}
	return result;
}

/* The same to one of them, in a subtransaction, which an error undoes. */
static GsiOutcome
apply_to_index(GsiQueued *queued, int i)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile GsiOutcome outcome = GSI_FAILING;

	if (gsi_worker_is_failing(queued->indexes[i]))
		return GSI_FAILING;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		GsiPropagation *propagation = gsi_propagate_begin(false);

		outcome = gsi_propagate(propagation, queued, i);
		gsi_propagate_end(propagation);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		queued->done[i] = false;
		outcome = GSI_FAILING;
		note_failure(queued->table, queued->indexes[i], error);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return outcome;
}

static void
note_outcome(GsiQueued *queued, GsiOutcome outcome, GsiRun *result)
{
	queued->applied = outcome == GSI_APPLIED;
	if (!queued->applied && outcome == GSI_FAILING && any_done(queued))
	{
		/* nobody is to wait for the others */
		gsi_queue_rest(queued);
		queued->applied = true;
		result->left++;
	}
	if (queued->applied)
	{
		result->applied++;
		count_applied(queued);
		return;
	}
	if (outcome == GSI_LOCKED)
		result->locked++;
	else
		result->left++;
	if (result->oldest == 0 || queued->queued_at < result->oldest)
		result->oldest = queued->queued_at;
}

static bool
any_done(const GsiQueued *queued)
{
	for (int i = 0; i < queued->nindexes; i++)
	{
		if (queued->done[i])
			return true;
	}
	return false;
}

/*
 * Is an index not to be tried now, because it has failed not long ago?
 */
bool
gsi_worker_is_failing(Oid index)
{
	Failure    *failure = find_failure(index);

	if (failure == NULL)
		return false;
	if (worker_backs_off(&failure->backoff) > 0)
		return true;
	failure->tried = true;
	return false;
}

static Failure *
find_failure(Oid index)
{
	ListCell   *lc;

	foreach(lc, failures)
	{
		Failure    *failure = lfirst(lc);

		if (failure->index == index)
			return failure;
	}
	return NULL;
}

static void
note_failure(Oid table, Oid index, const ErrorData *error)
{
	Failure    *failure = find_failure(index);
	MemoryContext context;

	if (failure == NULL)
	{
		context = MemoryContextSwitchTo(TopMemoryContext);
		failure = palloc0(sizeof(Failure));
		failures = lappend(failures, failure);
		MemoryContextSwitchTo(context);
		failure->index = index;
		ereport(LOG,
				(errcode(error->sqlerrcode),
				 errmsg("could not apply changes to index table \"%s\": %s",
						get_rel_name(index), error->message),
				 errhint("They stay in the queue and are tried again.")));
	}
	failure->table = table;
	failure->tried = false;
	worker_back_off(&failure->backoff);
	put_error(failure->table, index, error->message);
}

/* Forgets the failures of indexes that have been tried again with success. */
static void
forgive(void)
{
	List	   *rest = NIL;
	ListCell   *lc;
	MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);

	foreach(lc, failures)
	{
		Failure    *failure = lfirst(lc);
		bool		done = false;

		if (failure->tried)
			done = gsi_worker_note_error(failure->table, failure->index,
										 NULL);
		if (done)
			pfree(failure);
		else
			rest = lappend(rest, failure);
	}
	list_free(failures);
	failures = rest;
	MemoryContextSwitchTo(context);
}

/* Shows the error of an index, or none; false: it cannot be done now. */
static bool
put_error(Oid table, Oid index, const char *error)
{
	GsiState	state;

	if (get_rel_relkind(index) == '\0')
		return true;
	if (!store_lock_propagation(table, false))
		return false;
	gsi_state_get(index, &state);
	state.last_error = error;
	gsi_state_put(&state);
	return true;
}

/* The same in a transaction of its own. */
bool
gsi_worker_note_error(Oid table, Oid index, const char *error)
{
	MemoryContext context = CurrentMemoryContext;
	bool		done;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	done = put_error(table, index, error);
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return done;
}

static void
count_applied(const GsiQueued *queued)
{
	for (int i = 0; i < queued->nindexes; i++)
	{
		Count	   *oldest = &counts[0];
		int			j;

		for (j = 0; j < RATES && counts[j].index != queued->indexes[i]; j++)
		{
			if (counts[j].since < oldest->since)
				oldest = &counts[j];
		}
		if (j < RATES)
		{
			counts[j].applied++;
			continue;
		}
		oldest->index = queued->indexes[i];
		oldest->applied = 1;
		oldest->since = GetCurrentTimestamp();
	}
}

static void
tell_rates(void)
{
	GsiShared  *shared = worker_shared(&job);
	TimestampTz now = GetCurrentTimestamp();

	for (int i = 0; i < RATES && shared != NULL; i++)
	{
		Count	   *count = &counts[i];
		GsiRate    *told = &shared->rates[i];
		double		rate;

		if (count->applied == 0 || now - count->since < RATE_PERIOD)
			continue;
		rate = count->applied * (double) USECS_PER_SEC / (now - count->since);
		pg_atomic_write_u32(&told->index, count->index);
		pg_atomic_write_u64(&told->rate, DatumGetInt64(Float8GetDatum(rate)));
		pg_atomic_write_u64(&told->measured_at, now);
		count->applied = 0;
		count->since = now;
	}
}

/*
 * index_rate(index_table) -> float8: changes applied per second, 0 when that
 * is long ago.
 */
Datum
index_rate(PG_FUNCTION_ARGS)
{
	Oid			index = PG_GETARG_OID(0);
	GsiShared  *shared = worker_shared(&job);

	for (int i = 0; i < RATES && shared != NULL; i++)
	{
		GsiRate    *rate = &shared->rates[i];

		if ((Oid) pg_atomic_read_u32(&rate->index) == index &&
			GetCurrentTimestamp() -
			(TimestampTz) pg_atomic_read_u64(&rate->measured_at) < 10 * RATE_PERIOD)
			PG_RETURN_FLOAT8(DatumGetFloat8(Int64GetDatum((int64) pg_atomic_read_u64(&rate->rate))));
	}
	PG_RETURN_FLOAT8(0);
}

/* Rows of a batch are about as old as the first of them. */
static void
note_begin(const GsiQueued *queued)
{
	GsiShared  *shared = worker_shared(&job);

	if (shared != NULL)
		pg_atomic_write_u64(&shared->behind_since,
							Max(queued->queued_at, caught_up_at));
}

/* What has been committed meanwhile is not old. */
static void
note_lag(const GsiRun *result)
{
	GsiShared  *shared = worker_shared(&job);

	if (shared != NULL && !worker_is_to_leave())
		pg_atomic_write_u64(&shared->behind_since,
							result->oldest == 0 ? 0 :
							Max(result->oldest, caught_up_at));
}

/*
 * Truncates what is large, or, when nobody writes, what there is.  Writers
 * are sent to the other half first; they come back when that one is the
 * larger one, because an old transaction still holds it.
 */
static void
truncate_halves(const BlockNumber *blocks, bool quiet)
{
	GsiShared  *shared = worker_shared(&job);

	for (int half = 0; half < GSI_QUEUE_HALVES && shared != NULL; half++)
	{
		int			other = 1 - half;
		int			current = pg_atomic_read_u32(&shared->current);

		if (blocks[half] == 0 || (!quiet && blocks[half] < TRUNCATE_BLOCKS))
			continue;
		if (!quiet && current == half)
			pg_atomic_write_u32(&shared->current, other);
		else if (truncate_half(half) && blocks[other] >= TRUNCATE_BLOCKS)
			pg_atomic_write_u32(&shared->current, half);
	}
}

static bool
truncate_half(int half)
{
	bool		done;

	StartTransactionCommand();
	done = gsi_queue_truncate(half, applied_by[half]);
	CommitTransactionCommand();
	if (done)
		applied_by[half] = InvalidTransactionId;	/* begins anew */
	return done;
}
