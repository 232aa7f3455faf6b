/*
 * http_flush.c
 *	  Commits whose WAL is flushed once for many requests.
 *
 * A worker runs requests one after the other; were each to wait for the disk,
 * a worker would do no more of them than the disk does flushes.  So a request
 * commits as with synchronous_commit = off, and its answer waits until the
 * WAL is flushed, once for all requests of a round of the event loop.  Reads
 * of the same round are answered after the flush as well, because they may
 * have seen what is not durable yet.  So may reads of other workers: each
 * worker shows in shared memory up to where it has to flush, and before a
 * worker answers, it sees to it that this much is flushed.
 *
 * Only sessions of SQL can see what a crash would take back, as they can with
 * synchronous_commit = off.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/s_lock.h"
#include "storage/shmem.h"

#include "base/guc.h"
#include "http/http_private.h"

/* A commit is under way whose place in the WAL is not known yet. */
#define COMMITTING	UINT64CONST(1)

/* A worker's place in shared memory: up to where it has to flush, or 0. */
typedef struct FlushSlot
{
	pg_atomic_uint64 unflushed;
	char		padding[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64)];
} FlushSlot;

static FlushSlot *slots = NULL;
static int	own = -1;
static XLogRecPtr unflushed = InvalidXLogRecPtr;	/* of this worker */
static uint64 rounds = 1;		/* one more with each flush */
static bool awaited = false;	/* by an answer of this round */

static shmem_request_hook_type next_shmem_request_hook = NULL;
static shmem_startup_hook_type next_shmem_startup_hook = NULL;

static void request_memory(void);
static void start_memory(void);
static Size memory_size(void);
static void leave(int code, Datum argument);
static void commit_unflushed(int level);
static bool anybody_unflushed(void);
static uint64 unflushed_of(FlushSlot *slot);

void
http_flush_init(void)
{
	next_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_memory;
	next_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_memory;
}

static Size
memory_size(void)
{
	return mul_size(guc_http_workers, sizeof(FlushSlot));
}

static void
request_memory(void)
{
	if (next_shmem_request_hook != NULL)
		next_shmem_request_hook();
	RequestAddinShmemSpace(memory_size());
}

static void
start_memory(void)
{
	bool		found;

	if (next_shmem_startup_hook != NULL)
		next_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	slots = ShmemInitStruct("partitioning http flush", memory_size(), &found);
	if (!found)
	{
		for (int i = 0; i < guc_http_workers; i++)
			pg_atomic_init_u64(&slots[i].unflushed, 0);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* Takes a worker's slot over from its predecessor, and what that left. */
void
http_flush_attach(int worker)
{
	uint64		left;

	own = worker;
	left = pg_atomic_read_u64(&slots[own].unflushed);
	if (left > COMMITTING)
		XLogFlush(left);
	pg_atomic_write_u64(&slots[own].unflushed, 0);
	before_shmem_exit(leave, (Datum) 0);
}

/* Nobody may wait for a commit that a process has left in the middle. */
static void
leave(int code, Datum argument)
{
	if (pg_atomic_read_u64(&slots[own].unflushed) != COMMITTING)
		return;
	if (XactLastCommitEnd != InvalidXLogRecPtr)
		unflushed = XactLastCommitEnd;
	pg_atomic_write_u64(&slots[own].unflushed, unflushed);
}

/* Commits the transaction; its answer has to wait for http_flush(). */
void
http_flush_commit(void)
{
	int			level = synchronous_commit;

	if (level == SYNCHRONOUS_COMMIT_OFF ||
		!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		CommitTransactionCommand();
	else
		commit_unflushed(level);
}

static void
commit_unflushed(int level)
{
	pg_atomic_write_u64(&slots[own].unflushed, COMMITTING);
	pg_memory_barrier();
	XactLastCommitEnd = InvalidXLogRecPtr;
	synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
	PG_TRY();
	{
		CommitTransactionCommand();
	}
	PG_FINALLY();
	{
		synchronous_commit = level;
		if (XactLastCommitEnd != InvalidXLogRecPtr)
			unflushed = XactLastCommitEnd;
		pg_atomic_write_u64(&slots[own].unflushed, unflushed);
	}
	PG_END_TRY();
}

static bool
anybody_unflushed(void)
{
	if (unflushed != InvalidXLogRecPtr)
		return true;
	pg_memory_barrier();
	for (int i = 0; i < guc_http_workers; i++)
	{
		if (pg_atomic_read_u64(&slots[i].unflushed) != 0)
			return true;
	}
	return false;
}

/*
 * What an answer that has just been made has to wait for: 0 if nobody has
 * committed what is not durable yet, else for http_flush_done() of the result.
 */
uint64
http_flush_await(void)
{
	if (!anybody_unflushed())
		return 0;
	awaited = true;
	return rounds;
}

bool
http_flush_done(uint64 round)
{
	return round < rounds;
}

/* Is there an answer that waits? */
bool
http_flush_awaited(void)
{
	return awaited;
}

/*
 * Makes durable what this worker's requests have done or may have seen, on
 * synchronous standbys as well.  A worker that is told to end while it waits
 * for those does so without an answer to anybody.
 */
void
http_flush(void)
{
	XLogRecPtr	seen = unflushed;

	rounds++;
	awaited = false;
	for (int i = 0; i < guc_http_workers; i++)
	{
		uint64		others = i == own ? 0 : unflushed_of(&slots[i]);

		seen = Max(seen, others);
	}
	if (seen == InvalidXLogRecPtr)
		return;
	XLogFlush(seen);
	if (SyncRepRequested())
	{
		HOLD_INTERRUPTS();
		SyncRepWaitForLSN(seen, true);
		RESUME_INTERRUPTS();
		if (ProcDiePending)
			proc_exit(1);
	}
	if (unflushed == InvalidXLogRecPtr)
		return;
	unflushed = InvalidXLogRecPtr;
	pg_atomic_write_u64(&slots[own].unflushed, 0);
}

/* A commit is short: its place in the WAL will be known in a moment. */
static uint64
unflushed_of(FlushSlot *slot)
{
	uint64		place = pg_atomic_read_u64(&slot->unflushed);

	if (place == COMMITTING)
	{
		SpinDelayStatus delay;

		init_local_spin_delay(&delay);
		while ((place = pg_atomic_read_u64(&slot->unflushed)) == COMMITTING)
			perform_spin_delay(&delay);
		finish_spin_delay(&delay);
	}
	return place;
}
