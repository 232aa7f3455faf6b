/*
 * worker_process.c
 *	  The worker of a database: runs all jobs, again and again.
 *
 * It runs them when it is woken, and when a job has asked for it.  It ends
 * when there has been nothing to do for a while, and when a command wants the
 * database for itself.  Errors of a job are logged and end nothing; a job that
 * goes on failing is run ever more rarely.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "worker/worker_private.h"

/*
 * After a run, more commits are let gather for so many milliseconds: one run
 * for all of them is cheaper than one for each.
 */
#define GATHER_TIME		5L

/* When to try again what has failed, in milliseconds: doubled up to the last. */
#define RETRY_FIRST		1000
#define RETRY_LAST		60000

/* Pause before a worker is started again that has failed as a whole. */
#define RESTART_PAUSE	1000

static WorkerDatabase *my_entry = NULL;

static bool arrive(void);
static void set_options(void);
static void depart(int code, Datum arg);
static bool is_enough(int delay, TimestampTz idle_since);
static bool may_leave(void);
static int	run_jobs(void);
static int	run_job(const WorkerJob *job);
static void pause_until(long timeout, bool woken);

void
worker_process_main(Datum arg)
{
	TimestampTz idle_since = 0;

	my_entry = &worker_state->databases[DatumGetInt32(arg)];
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	if (!arrive())
	{
		ConditionVariableBroadcast(&my_entry->progress);
		proc_exit(0);
	}
	before_shmem_exit(depart, (Datum) 0);
	BackgroundWorkerInitializeConnectionByOid(my_entry->database, InvalidOid,
											  0);
	set_options();
	my_entry->latch = MyLatch;

	for (;;)
	{
		int			delay;

		ResetLatch(MyLatch);
		pg_atomic_write_u32(&my_entry->wanted, 0);
		pg_memory_barrier();
		delay = run_jobs();
		if (worker_is_to_leave())
			break;
		if (delay >= 0)
			idle_since = 0;
		else if (idle_since == 0)
			idle_since = GetCurrentTimestamp();
		if (delay < 0 && is_enough(delay, idle_since))
		{
			if (may_leave())
				break;
			continue;
		}
		pause_until(GATHER_TIME, false);
		pause_until(delay < 0 ? guc_worker_idle_timeout + 1L : delay, true);
	}
	proc_exit(0);
}

bool
worker_is_to_leave(void)
{
	return *(volatile bool *) &my_entry->leave;
}

/* Takes the place of the database's worker, unless that is not wanted now. */
static bool
arrive(void)
{
	bool		welcome;

	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	welcome = OidIsValid(my_entry->database) && my_entry->holds == 0 &&
		my_entry->pid == 0;
	my_entry->starting = false;
	if (welcome)
	{
		my_entry->leave = false;
		my_entry->pid = MyProcPid;
	}
	LWLockRelease(worker_state->lock);
	return welcome;
}

/*
 * What a database or role has set for sessions of users is not for a worker.
 * Nor need its commits be waited for: what a crash loses of them is done again.
 */
static void
set_options(void)
{
	static const char *const options[][2] = {
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"default_transaction_deferrable", "off"},
		{"synchronous_commit", "off"},
		{"statement_timeout", "0"},
		{"lock_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"search_path", ""}
	};

	for (int i = 0; i < (int) lengthof(options); i++)
		SetConfigOption(options[i][0], options[i][1], PGC_SUSET,
						PGC_S_OVERRIDE);
}

/* At the end, whatever it comes from. */
static void
depart(int code, Datum arg)
{
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	my_entry->latch = NULL;
	my_entry->pid = 0;
	if (code != 0)
		my_entry->not_before =
			TimestampTzPlusMilliseconds(GetCurrentTimestamp(), RESTART_PAUSE);
	if (code != 0 || my_entry->leave)
		pg_atomic_write_u32(&my_entry->wanted, 1);
	LWLockRelease(worker_state->lock);
	ConditionVariableBroadcast(&my_entry->progress);
	worker_wake_launcher();
}

/* Has there been nothing to do for long enough? */
static bool
is_enough(int delay, TimestampTz idle_since)
{
	return delay == WORKER_ABSENT ||
		TimestampDifferenceExceeds(idle_since, GetCurrentTimestamp(),
								   guc_worker_idle_timeout);
}

/*
 * From here on, nobody wakes us; has somebody done so before?
 */
static bool
may_leave(void)
{
	my_entry->latch = NULL;
	pg_memory_barrier();
	if (pg_atomic_read_u32(&my_entry->wanted) == 0)
		return true;
	my_entry->latch = MyLatch;
	return false;
}

/*
 * Runs all jobs; in how many milliseconds one wants to be run again, or what
 * the most expectant of them says.
 */
static int
run_jobs(void)
{
	int			result = WORKER_ABSENT;

	for (int i = 0; i < worker_job_count() && !worker_is_to_leave(); i++)
	{
		int			delay = run_job(worker_job(i));

		if (delay >= 0 && result >= 0)
			result = Min(delay, result);
		else
			result = Max(delay, result);
	}
	return result;
}

static int
run_job(const WorkerJob *job)
{
	static WorkerBackoff backoff;
	MemoryContext context = CurrentMemoryContext;
	volatile int delay;

	PG_TRY();
	{
		delay = job->run();
		backoff.pause = 0;
	}
	PG_CATCH();
	{
		worker_recover(context);
		delay = worker_back_off(&backoff);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	Assert(!IsTransactionState());
	return delay;
}

void
worker_recover(MemoryContext context)
{
	MemoryContextSwitchTo(context);
	HOLD_INTERRUPTS();
	EmitErrorReport();
	AbortCurrentTransaction();
	FlushErrorState();
	RESUME_INTERRUPTS();
	MemoryContextSwitchTo(context);
}

int
worker_back_off(WorkerBackoff *backoff)
{
	backoff->pause = backoff->pause == 0 ? RETRY_FIRST :
		Min(backoff->pause * 2, RETRY_LAST);
	backoff->retry_at = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													backoff->pause);
	return backoff->pause;
}

int
worker_backs_off(const WorkerBackoff *backoff)
{
	TimestampTz now = GetCurrentTimestamp();

	if (backoff->retry_at <= now)
		return 0;
	return TimestampDifferenceMilliseconds(now, backoff->retry_at) + 1;
}

static void
pause_until(long timeout, bool woken)
{
	if (timeout > 0)
		(void) WaitLatch(MyLatch,
						 (woken ? WL_LATCH_SET : 0) | WL_TIMEOUT |
						 WL_EXIT_ON_PM_DEATH,
						 timeout, PG_WAIT_EXTENSION);
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}
