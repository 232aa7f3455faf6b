/*
 * gsi_flush.c
 *	  Waits until an index shows what was committed before.
 *
 * What has to be waited for are rows of the queue that name the index and
 * were visible when the wait began.  Who waits looks for them when the worker
 * has come to the end of a run.  Without a worker he applies them himself.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "gsi/gsi_private.h"
#include "worker/worker.h"

/* Rows that are read at once. */
#define READ_ROWS		1000

/* The longest sleep, in milliseconds, for what no worker tells of. */
#define SLEEP_MAX		1000L
#define SLEEP_STANDBY	50L

typedef bool (*QueueVisit) (int half, const List *rows, void *arg);

static bool each_row(QueueVisit visit, void *arg);
static bool is_pending(const ItemTable *table, const ItemIndex *index,
					   Snapshot since);
static bool visit_pending(int half, const List *rows, void *arg);
static bool names_index(const GsiQueued *queued, Oid index);
static bool visit_apply(int half, const List *rows, void *arg);

/* What is looked for. */
typedef struct Pending
{
	Oid			index;			/* index table */
	Snapshot	since;			/* visible to this */
} Pending;

/*
 * False when the time is over; in milliseconds, negative for no limit.
 */
bool
gsi_flush(const ItemTable *table, const ItemIndex *index, int64 timeout)
{
	TimestampTz start = GetCurrentTimestamp();
	Oid			relid = table->relid;
	const char *name = pstrdup(index->name);
	Snapshot	since;
	bool		done = false;

	if (index->synchronous && index->status == INDEX_ACTIVE)
		return true;
	if (!worker_available() && !RecoveryInProgress())
		gsi_apply_now(table);
	since = RegisterSnapshot(GetLatestSnapshot());
	worker_await_begin();
	for (;;)
	{
		int64		left;

		CHECK_FOR_INTERRUPTS();
		AcceptInvalidationMessages();
		table = meta_table(relid);
		index = meta_index_find(table, name, strlen(name));
		done = index == NULL ||
			(index->status == INDEX_ACTIVE &&
			 (index->synchronous || !is_pending(table, index, since)));
		left = timeout < 0 ? SLEEP_MAX :
			timeout - (GetCurrentTimestamp() - start) / 1000;
		if (done || left <= 0)
			break;
		worker_wake();
		worker_await(Min(left, RecoveryInProgress() ? SLEEP_STANDBY : SLEEP_MAX));
	}
	worker_await_end();
	UnregisterSnapshot(since);
	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("index \"%s\" was dropped meanwhile", name)));
	return done;
}

/*
 * Shows all rows of the queue that are committed now, or of the own
 * transaction; until visit returns false, which is the result then.
 */
static bool
each_row(QueueVisit visit, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "index queue",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	bool		go_on = true;

	for (int half = 0; half < GSI_QUEUE_HALVES && go_on; half++)
	{
		BlockNumber end = gsi_queue_blocks(half);
		BlockNumber next = 0;

		while (next < end && go_on)
		{
			List	   *rows = gsi_queue_read(half, next, end, READ_ROWS,
											  snapshot, &next);

			go_on = visit(half, rows, arg);
			MemoryContextReset(context);
		}
	}
	UnregisterSnapshot(snapshot);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return go_on;
}

/* Is there a row for the index that was there already? */
static bool
is_pending(const ItemTable *table, const ItemIndex *index, Snapshot since)
{
	Pending		pending = {
		.index = store_index_relid(table, index),
		.since = since
	};

	return !each_row(visit_pending, &pending);
}

static bool
visit_pending(int half, const List *rows, void *arg)
{
	const Pending *pending = arg;
	const ListCell *lc;

	foreach(lc, rows)
	{
		const GsiQueued *queued = lfirst(lc);

		if (names_index(queued, pending->index) &&
			!TransactionIdIsCurrentTransactionId(queued->xmin) &&
			!(TransactionIdIsNormal(queued->xmin) &&
			  XidInMVCCSnapshot(queued->xmin, pending->since)))
			return false;
	}
	return true;
}

static bool
names_index(const GsiQueued *queued, Oid index)
{
	for (int i = 0; i < queued->nindexes; i++)
	{
		if (queued->indexes[i] == index)
			return true;
	}
	return false;
}

/*
 * Applies all rows of a table, in the current transaction.
 */
void
gsi_apply_now(const ItemTable *table)
{
	Oid			relid = table->relid;

	(void) store_lock_propagation(relid, true);
	(void) each_row(visit_apply, &relid);
	CommandCounterIncrement();
}

static bool
visit_apply(int half, const List *rows, void *arg)
{
	Oid			relid = *(Oid *) arg;
	GsiPropagation *propagation = gsi_propagate_begin(true);
	const ListCell *lc;

	foreach(lc, rows)
	{
		GsiQueued  *queued = lfirst(lc);

		if (queued->table == relid)
			queued->applied =
				gsi_propagate(propagation, queued, -1) == GSI_APPLIED;
	}
	gsi_propagate_end(propagation);
	gsi_queue_remove(half, rows);
	return true;
}
