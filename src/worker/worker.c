/*
 * worker.c
 *	  Jobs, the memory that sessions and workers share, and waking.
 *
 * A launcher (worker_launcher.c) starts the worker of a database
 * (worker_process.c) when somebody wants it.  To want it costs a session, once
 * it has found its database's entry, an atomic exchange, and a signal where
 * the worker sleeps.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/wait_event.h"

#include "worker/worker_private.h"

#define MAX_JOBS	4

WorkerShared *worker_state = NULL;

static const WorkerJob *jobs[MAX_JOBS];
static int	njobs = 0;

/* The entry of our database, once found. */
static WorkerDatabase *my_entry = NULL;

/* This transaction has made work. */
static bool wake_at_commit = false;

static shmem_request_hook_type next_shmem_request_hook = NULL;
static shmem_startup_hook_type next_shmem_startup_hook = NULL;

static Size job_size(const WorkerJob *job);
static Size shared_size(void);
static void shared_request(void);
static void shared_startup(void);
static char *job_memory(const WorkerDatabase *entry, const WorkerJob *job);
static WorkerDatabase *find_my_entry(void);
static void transaction_ends(XactEvent event, void *arg);

/*
 * Called once, after all jobs have been registered.
 */
void
worker_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	next_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = shared_request;
	next_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = shared_startup;
	RegisterXactCallback(transaction_ends, NULL);
	worker_utility_init();
	worker_register_launcher();
}

bool
worker_available(void)
{
	return worker_state != NULL;
}

void
worker_register_job(const WorkerJob *job)
{
	if (njobs == MAX_JOBS)
		elog(ERROR, "too many background jobs");
	jobs[njobs++] = job;
}

int
worker_job_count(void)
{
	return njobs;
}

const WorkerJob *
worker_job(int i)
{
	return jobs[i];
}

static Size
job_size(const WorkerJob *job)
{
	return CACHELINEALIGN(job->shared_size);
}

/* The entries, then each entry's memory of jobs. */
static Size
shared_size(void)
{
	Size		jobs_size = 0;

	for (int i = 0; i < njobs; i++)
		jobs_size += job_size(jobs[i]);
	return CACHELINEALIGN(sizeof(WorkerShared)) +
		WORKER_DATABASES * jobs_size;
}

static void
shared_request(void)
{
	if (next_shmem_request_hook != NULL)
		next_shmem_request_hook();
	RequestAddinShmemSpace(shared_size());
	RequestNamedLWLockTranche("partitioning worker", 1);
}

static void
shared_startup(void)
{
	bool		found;

	if (next_shmem_startup_hook != NULL)
		next_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	worker_state = ShmemInitStruct("partitioning worker", shared_size(),
								   &found);
	if (!found)
	{
		memset(worker_state, 0, shared_size());
		worker_state->lock =
			&GetNamedLWLockTranche("partitioning worker")->lock;
		for (int i = 0; i < WORKER_DATABASES; i++)
		{
			pg_atomic_init_u32(&worker_state->databases[i].wanted, 0);
			ConditionVariableInit(&worker_state->databases[i].progress);
		}
	}
	LWLockRelease(AddinShmemInitLock);
}

static char *
job_memory(const WorkerDatabase *entry, const WorkerJob *job)
{
	char	   *memory = (char *) worker_state +
		CACHELINEALIGN(sizeof(WorkerShared));
	int			n = entry - worker_state->databases;

	for (int i = 0; jobs[i] != job; i++)
		memory += WORKER_DATABASES * job_size(jobs[i]);
	return memory + n * job_size(job);
}

WorkerDatabase *
worker_database(Oid database, bool make)
{
	WorkerDatabase *empty = NULL;

	for (int i = 0; i < WORKER_DATABASES; i++)
	{
		WorkerDatabase *entry = &worker_state->databases[i];

		if (entry->database == database)
			return entry;
		if (empty == NULL && !OidIsValid(entry->database))
			empty = entry;
	}
	if (!make || empty == NULL)
		return NULL;
	empty->database = database;
	empty->not_before = 0;
	pg_atomic_write_u32(&empty->wanted, 0);
	for (int i = 0; i < njobs; i++)
		memset(job_memory(empty, jobs[i]), 0, jobs[i]->shared_size);
	return empty;
}

void
worker_database_free(WorkerDatabase *entry)
{
	entry->database = InvalidOid;
}

static WorkerDatabase *
find_my_entry(void)
{
	if (worker_state == NULL || !OidIsValid(MyDatabaseId))
		return NULL;
	if (my_entry != NULL && my_entry->database == MyDatabaseId)
		return my_entry;
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	my_entry = worker_database(MyDatabaseId, true);
	LWLockRelease(worker_state->lock);
	return my_entry;
}

void *
worker_shared(const WorkerJob *job)
{
	WorkerDatabase *entry = find_my_entry();

	return entry == NULL ? NULL : job_memory(entry, job);
}

/*
 * Somebody who finds that the worker is wanted already need do nothing: it
 * begins a run after this.
 */
void
worker_wake(void)
{
	WorkerDatabase *entry = find_my_entry();
	Latch	   *latch;

	if (entry == NULL || pg_atomic_exchange_u32(&entry->wanted, 1) != 0)
		return;
	latch = *(Latch *volatile *) &entry->latch;
	if (latch != NULL)
		SetLatch(latch);
	else
		worker_wake_launcher();
}

void
worker_wake_launcher(void)
{
	Latch	   *latch = *(Latch *volatile *) &worker_state->launcher;

	if (latch != NULL)
		SetLatch(latch);
}

void
worker_wake_at_commit(void)
{
	wake_at_commit = true;
}

/*
 * A prepared transaction wakes the worker, too, which then stays: nobody will
 * tell it when that transaction is committed.
 */
static void
transaction_ends(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
			if (wake_at_commit)
				worker_wake();
			wake_at_commit = false;
			break;
		case XACT_EVENT_ABORT:
			wake_at_commit = false;
			break;
		default:
			break;
	}
}

void
worker_await_begin(void)
{
	WorkerDatabase *entry = find_my_entry();

	if (entry != NULL)
		ConditionVariablePrepareToSleep(&entry->progress);
}

void
worker_await(long timeout)
{
	WorkerDatabase *entry = find_my_entry();

	if (entry != NULL)
	{
		(void) ConditionVariableTimedSleep(&entry->progress, timeout,
										   PG_WAIT_EXTENSION);
		return;
	}
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

void
worker_await_end(void)
{
	ConditionVariableCancelSleep();
}

void
worker_progress(void)
{
	WorkerDatabase *entry = find_my_entry();

	if (entry != NULL)
		ConditionVariableBroadcast(&entry->progress);
}
