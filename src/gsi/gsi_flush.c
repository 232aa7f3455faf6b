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

/* A place in the queue. */
typedef struct Place
{
	int			half;
	BlockNumber block;
} Place;

/* What is looked for. */
typedef struct Pending
{
	Oid			index;			/* index table */
	Snapshot	since;			/* visible to this */
	Place		place;			/* no such row is before that */
} Pending;

static bool each_row(Place *place, QueueVisit visit, void *arg);
static bool is_pending(Pending *pending);
static bool visit_pending(int half, const List *rows, void *arg);
static bool names_index(const GsiQueued *queued, Oid index);
static bool visit_apply(int half, const List *rows, void *arg);

/*
 * False when the time is over; in milliseconds, negative for no limit.
 */
bool
gsi_flush(const ItemTable *table, const ItemIndex *index, int64 timeout)
{
	TimestampTz start = GetCurrentTimestamp();
	Oid			relid = table->relid;
	const char *name = pstrdup(index->name);
	Pending		pending = {0};
	bool		done = false;

	if (index->synchronous && index->status == INDEX_ACTIVE)
		return true;
	if (!worker_available() && !RecoveryInProgress())
		gsi_apply_now(table);
	pending.since = RegisterSnapshot(GetLatestSnapshot());
	worker_await_begin();
	for (;;)
	{
		int64		left;

		CHECK_FOR_INTERRUPTS();
		AcceptInvalidationMessages();
		table = meta_table(relid);
		index = meta_index_find(table, name, strlen(name));
		pending.index = index == NULL ? InvalidOid :
			store_index_relid(table, index);
		done = index == NULL ||
			(index->status == INDEX_ACTIVE &&
			 (index->synchronous || !is_pending(&pending)));
		left = timeout < 0 ? SLEEP_MAX :
			timeout - (GetCurrentTimestamp() - start) / 1000;
		if (done || left <= 0)
			break;
		worker_wake();
		worker_await(Min(left, RecoveryInProgress() ? SLEEP_STANDBY : SLEEP_MAX));
	}
	worker_await_end();
	UnregisterSnapshot(pending.since);
	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("index \"%s\" was dropped meanwhile", name)));
	return done;
}

/*
 * Shows all rows of the queue, from a place on, that are committed now, or of
 * the own transaction; until visit returns false, which is the result then,
 * and the place where that was.
 */
static bool
each_row(Place *place, QueueVisit visit, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "index queue",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	bool		go_on = true;

	while (go_on && place->half < GSI_QUEUE_HALVES)
	{
		BlockNumber end = gsi_queue_blocks(place->half);
		BlockNumber next = place->block;

		while (go_on && place->block < end)
		{
			List	   *rows = gsi_queue_read(place->half, place->block, end,
											  READ_ROWS, snapshot, &next);

			go_on = visit(place->half, rows, arg);
			if (go_on)
				place->block = next;
			MemoryContextReset(context);
		}
		if (go_on)
		{
			place->half++;
			place->block = 0;
		}
	}
	UnregisterSnapshot(snapshot);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return go_on;
}

/*
 * Is there a row for the index that was there when the wait began?  One that
 * was not where we have looked does not come there, unless it is the rest of
 * another one; so before we say no, we look everywhere.
 */
static bool
is_pending(Pending *pending)
{
	bool		everywhere;

	do
	{
		everywhere = pending->place.half == 0 && pending->place.block == 0;
		if (!each_row(&pending->place, visit_pending, pending))
			return true;
		pending->place.half = 0;
		pending->place.block = 0;
	} while (!everywhere);
	return false;
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
			(gsi_queue_is_rest(queued) ||
			 (!TransactionIdIsCurrentTransactionId(queued->xmin) &&
			  !(TransactionIdIsNormal(queued->xmin) &&
				XidInMVCCSnapshot(queued->xmin, pending->since)))))
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
	Place		begin = {0};

	(void) store_lock_propagation(relid, true);
	(void) each_row(&begin, visit_apply, &relid);
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
