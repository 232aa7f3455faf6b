/*
 * worker_launcher.c
 *	  The process that starts the workers of databases.
 *
 * It is registered with the server at start-up and is in no database.  When
 * the server starts, nobody knows where work was left behind, so it sends a
 * worker to each database once; later it starts those that are wanted.  It
 * forgets databases that are no more.  Where the server has no slot left for a
 * background process, it says so and tries again.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "worker/worker_private.h"

/* The longest sleep, and pause between tries to start a worker. */
#define LAUNCHER_SLEEP		60000L
#define LAUNCHER_RETRY		1000L

/* A lack of slots is logged again after so long. */
#define LAUNCHER_COMPLAIN	60000

/* What the server said when it was asked for a worker. */
static BackgroundWorkerHandle *handles[WORKER_DATABASES];

static void leave(int code, Datum arg);
static List *connectable_databases(bool templates);
static void visit_all(void);
static void forget_dropped(void);
static bool note_ends(void);
static bool start_wanted(void);
static bool may_start(WorkerDatabase *entry, bool *later);
static bool start(int slot);
static void complain(void);

void
worker_register_launcher(void)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS |
			BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = 1
	};

	if (IsBinaryUpgrade)
		return;
	strlcpy(worker.bgw_name, "partitioning launcher", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "partitioning launcher", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "partitioning", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "worker_launcher_main", BGW_MAXLEN);
	RegisterBackgroundWorker(&worker);
}

void
worker_launcher_main(Datum arg)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	before_shmem_exit(leave, (Datum) 0);
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	worker_state->launcher = MyLatch;
	LWLockRelease(worker_state->lock);
	visit_all();

	for (;;)
	{
		bool		again;

		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		again = note_ends();
		again |= start_wanted();
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 again ? LAUNCHER_RETRY : LAUNCHER_SLEEP,
						 PG_WAIT_EXTENSION);
	}
}

static void
leave(int code, Datum arg)
{
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	worker_state->launcher = NULL;
	LWLockRelease(worker_state->lock);
}

/*
 * Databases that a process can connect to, as OIDs.
 */
static List *
connectable_databases(bool templates)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *result = NIL;
	Relation	rel;
	TableScanDesc scan;
	HeapTuple	tuple;

	StartTransactionCommand();
	(void) GetTransactionSnapshot();
	rel = table_open(DatabaseRelationId, AccessShareLock);
	scan = table_beginscan_catalog(rel, 0, NULL);
	while (HeapTupleIsValid(tuple = heap_getnext(scan, ForwardScanDirection)))
	{
		Form_pg_database database = (Form_pg_database) GETSTRUCT(tuple);
		MemoryContext old;

		if (!database->datallowconn ||
			database->datconnlimit == DATCONNLIMIT_INVALID_DB ||
			(database->datistemplate && !templates))
			continue;
		old = MemoryContextSwitchTo(context);
		result = lappend_oid(result, database->oid);
		MemoryContextSwitchTo(old);
	}
	table_endscan(scan);
	table_close(rel, AccessShareLock);
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return result;
}

/*
 * Wants a worker in every database that is no template.  Where there are more
 * than there is room for, the rest is looked after when it is used.
 */
static void
visit_all(void)
{
	List	   *databases = connectable_databases(false);
	ListCell   *lc;

	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	foreach(lc, databases)
	{
		WorkerDatabase *entry = worker_database(lfirst_oid(lc), true);

		if (entry != NULL)
			pg_atomic_write_u32(&entry->wanted, 1);
	}
	LWLockRelease(worker_state->lock);
	list_free(databases);
}

/* Sessions of a dropped database are gone, so nobody looks at its entry. */
static void
forget_dropped(void)
{
	List	   *databases = connectable_databases(true);

	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	for (int i = 0; i < WORKER_DATABASES; i++)
	{
		WorkerDatabase *entry = &worker_state->databases[i];

		if (OidIsValid(entry->database) && entry->pid == 0 &&
			!entry->starting && entry->holds == 0 &&
			!list_member_oid(databases, entry->database))
			worker_database_free(entry);
	}
	LWLockRelease(worker_state->lock);
	list_free(databases);
}

/*
 * Looks after workers that have been asked for and have not come, or have
 * ended without leave; are there any that are not there yet?
 */
static bool
note_ends(void)
{
	bool		expecting = false;

	for (int i = 0; i < WORKER_DATABASES; i++)
	{
		WorkerDatabase *entry = &worker_state->databases[i];
		pid_t		pid;

		if (handles[i] == NULL)
			continue;
		if (GetBackgroundWorkerPid(handles[i], &pid) != BGWH_STOPPED)
		{
			expecting |= entry->starting;
			continue;
		}
		pfree(handles[i]);
		handles[i] = NULL;
		LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
		entry->starting = false;
		entry->pid = 0;
		entry->latch = NULL;
		LWLockRelease(worker_state->lock);
		ConditionVariableBroadcast(&entry->progress);
	}
	return expecting;
}

/*
 * Starts the workers that are wanted; is there one that could not be?
 */
static bool
start_wanted(void)
{
	bool		later = false;
	bool		any = false;

	for (int i = 0; i < WORKER_DATABASES; i++)
		any |= may_start(&worker_state->databases[i], &later);
	if (!any)
		return later;

	forget_dropped();
	for (int i = 0; i < WORKER_DATABASES; i++)
	{
		if (may_start(&worker_state->databases[i], &later) && !start(i))
		{
			complain();
			return true;
		}
	}
	return later;
}

static bool
may_start(WorkerDatabase *entry, bool *later)
{
	if (!OidIsValid(entry->database) || entry->pid != 0 || entry->starting ||
		pg_atomic_read_u32(&entry->wanted) == 0)
		return false;
	if (entry->holds > 0 || entry->not_before > GetCurrentTimestamp())
	{
		*later = true;
		return false;
	}
	return true;
}

static bool
start(int slot)
{
	WorkerDatabase *entry = &worker_state->databases[slot];
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS |
			BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_main_arg = Int32GetDatum(slot),
		.bgw_notify_pid = MyProcPid
	};
	MemoryContext old;
	bool		started;

	strlcpy(worker.bgw_name, "partitioning worker", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "partitioning worker", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "partitioning", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "worker_process_main", BGW_MAXLEN);

	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	entry->starting = true;
	LWLockRelease(worker_state->lock);
	old = MemoryContextSwitchTo(TopMemoryContext);
	started = RegisterDynamicBackgroundWorker(&worker, &handles[slot]);
	MemoryContextSwitchTo(old);
	if (started)
		return true;

	handles[slot] = NULL;
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	entry->starting = false;
	LWLockRelease(worker_state->lock);
	return false;
}

static void
complain(void)
{
	static TimestampTz complained = 0;
	TimestampTz now = GetCurrentTimestamp();

	if (complained != 0 &&
		!TimestampDifferenceExceeds(complained, now, LAUNCHER_COMPLAIN))
		return;
	complained = now;
	ereport(LOG,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("no slot for a background worker of partitioning; trying again"),
			 errhint("You might need to increase max_worker_processes.")));
}
