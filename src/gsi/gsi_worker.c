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
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
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
#define RETRY_LOCKED	50
#define RETRY_LATER		1000

/* Memory of a database. */
typedef struct GsiShared
{
	pg_atomic_uint32 current;	/* half of the queue that is written to */

	/*
	 * When the oldest change was made that is to be followed, as the worker
	 * has last seen it, or the first one after all had been; 0: there is none.
	 */
	pg_atomic_uint64 behind_since;
} GsiShared;

/* What a run has come upon. */
typedef struct GsiRun
{
	TimestampTz oldest;			/* of what was left; 0: nothing was */
	int			applied;
	int			locked;
	int			not_ready;
} GsiRun;

static int	run(void);

static const WorkerJob job = {
	.name = "index propagation",
	.run = run,
	.shared_size = sizeof(GsiShared)
};

/*
 * The last transaction that has taken rows off each half.  Before the first
 * one it is that in which this worker has begun.
 */
static TransactionId applied_by[GSI_QUEUE_HALVES];

static void check_lag(uint64 since);
static bool has_queue(BlockNumber *blocks);
static void apply_half(int half, BlockNumber end, GsiRun *result);
static BlockNumber apply_batch(int half, BlockNumber from, BlockNumber end,
							   GsiRun *result);
static void note_begin(const GsiQueued *queued);
static void note_lag(const GsiRun *result);
static void truncate_halves(const BlockNumber *blocks, bool quiet);
static bool truncate_half(int half);

void
gsi_worker_init(void)
{
	worker_register_job(&job);
}

/*
 * Notes down that a change of an item concerns n indexes that follow later.
 */
void
gsi_propagate_later(const ItemTable *table, const ItemKey *key, int n,
					const GsiStale *stale)
{
	GsiShared  *shared = worker_shared(&job);

	if (shared != NULL)
	{
		uint64		since = pg_atomic_read_u64(&shared->behind_since);

		if (since == 0)
			(void) pg_atomic_compare_exchange_u64(&shared->behind_since,
												  &since,
												  GetCurrentTransactionStartTimestamp());
		else if (guc_index_max_lag > 0)
			check_lag(since);
	}
	gsi_queue_add(table, key, n, stale);
	worker_wake_at_commit();
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

	if (!has_queue(blocks))
		return WORKER_IDLE;
	for (int half = 0; half < GSI_QUEUE_HALVES; half++)
		apply_half(half, blocks[half], &result);
	note_lag(&result);
	worker_progress();
	if (result.locked > 0)
		return RETRY_LOCKED;
	if (result.not_ready > 0)
		return RETRY_LATER;
	if (worker_is_to_leave() || !has_queue(blocks))
		return WORKER_IDLE;
	truncate_halves(blocks, result.applied == 0);
	if (!has_queue(blocks))
		return WORKER_IDLE;
	/* a prepared transaction tells nobody that it has been committed */
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
			applied_by[half] = ReadNextTransactionId();
		result = result && OidIsValid(gsi_queue_relid(half));
		blocks[half] = result ? gsi_queue_blocks(half) : 0;
	}
	CommitTransactionCommand();
	return result;
}

static void
apply_half(int half, BlockNumber end, GsiRun *result)
{
	BlockNumber next = 0;

	while (next < end && !worker_is_to_leave())
	{
		CHECK_FOR_INTERRUPTS();
		next = apply_batch(half, next, end, result);
	}
}

/*
 * Applies rows of some blocks; the block to go on from.
 */
static BlockNumber
apply_batch(int half, BlockNumber from, BlockNumber end, GsiRun *result)
{
	GsiPropagation *propagation;
	BlockNumber next;
	List	   *rows;
	ListCell   *lc;
	int			applied = 0;

	StartTransactionCommand();
	PushActiveSnapshot(GetLatestSnapshot());
	rows = gsi_queue_read(half, from, end, BATCH_ROWS, GetActiveSnapshot(),
						  &next);
	if (rows != NIL)
		note_begin(linitial(rows));
	propagation = gsi_propagate_begin(false);
	foreach(lc, rows)
	{
		GsiQueued  *queued = lfirst(lc);
		GsiOutcome	outcome;

		CHECK_FOR_INTERRUPTS();
		outcome = gsi_propagate(propagation, queued);
		queued->applied = outcome == GSI_APPLIED;
		if (queued->applied)
			applied++;
		else if (result->oldest == 0 || queued->queued_at < result->oldest)
			result->oldest = queued->queued_at;
		result->locked += outcome == GSI_LOCKED ? 1 : 0;
		result->not_ready += outcome == GSI_NOT_READY ? 1 : 0;
	}
	gsi_propagate_end(propagation);
	if (applied > 0)
	{
		gsi_queue_remove(half, rows);
		applied_by[half] = GetCurrentTransactionId();
	}
	PopActiveSnapshot();
	CommitTransactionCommand();
	result->applied += applied;
	return next;
}

/* Rows of a batch are about as old as the first of them. */
static void
note_begin(const GsiQueued *queued)
{
	GsiShared  *shared = worker_shared(&job);

	if (shared != NULL)
		pg_atomic_write_u64(&shared->behind_since, queued->queued_at);
}

/* What has been committed meanwhile is not old. */
static void
note_lag(const GsiRun *result)
{
	GsiShared  *shared = worker_shared(&job);

	if (shared != NULL && !worker_is_to_leave())
		pg_atomic_write_u64(&shared->behind_since, result->oldest);
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
	return done;
}
