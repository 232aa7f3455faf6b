/*
 * worker_utility.c
 *	  Has the worker of a database leave for commands that want the database
 *	  for themselves: DROP DATABASE, renames, moves to another tablespace, and
 *	  CREATE DATABASE from it.
 *
 * The command waits for the worker's end, and keeps a new one away to the end
 * of its transaction.  Whether the user may do what he wants to is looked at by the
 * server afterwards; all that he can do here is to let a worker pause.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "pgstat.h"
#include "tcop/utility.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "worker/worker_private.h"

/* How long the worker's end is waited for, in milliseconds. */
#define LEAVE_TIME		5000

static ProcessUtility_hook_type next_utility_hook = NULL;

static void utility(PlannedStmt *pstmt, const char *query, bool read_only_tree,
					ProcessUtilityContext context, ParamListInfo params,
					QueryEnvironment *environment, DestReceiver *dest,
					QueryCompletion *completion);
static void next_utility(PlannedStmt *pstmt, const char *query,
						 bool read_only_tree, ProcessUtilityContext context,
						 ParamListInfo params, QueryEnvironment *environment,
						 DestReceiver *dest, QueryCompletion *completion);
static const char *wanted_database(Node *statement);
static const char *option_value(List *options, const char *name);
static WorkerDatabase *hold(const char *name);
static void await_end(WorkerDatabase *entry);
static void release(XactEvent event, void *arg);
static void release_sub(SubXactEvent event, SubTransactionId subid,
						SubTransactionId parent, void *arg);
static void let_go(WorkerDatabase *entry);

/* A database that a command of this transaction keeps its worker away from. */
typedef struct Hold
{
	WorkerDatabase *entry;		/* NULL: none */
	SubTransactionId subid;
} Hold;

static List *held = NIL;		/* of Hold */

void
worker_utility_init(void)
{
	next_utility_hook = ProcessUtility_hook;
	ProcessUtility_hook = utility;
	RegisterXactCallback(release, NULL);
	RegisterSubXactCallback(release_sub, NULL);
}

static void
utility(PlannedStmt *pstmt, const char *query, bool read_only_tree,
		ProcessUtilityContext context, ParamListInfo params,
		QueryEnvironment *environment, DestReceiver *dest,
		QueryCompletion *completion)
{
	const char *name = wanted_database(pstmt->utilityStmt);
	WorkerDatabase *entry = name == NULL ? NULL : hold(name);

	if (entry != NULL)
		await_end(entry);
	next_utility(pstmt, query, read_only_tree, context, params, environment,
				 dest, completion);
}

static void
next_utility(PlannedStmt *pstmt, const char *query, bool read_only_tree,
			 ProcessUtilityContext context, ParamListInfo params,
			 QueryEnvironment *environment, DestReceiver *dest,
			 QueryCompletion *completion)
{
	ProcessUtility_hook_type next = next_utility_hook != NULL ?
		next_utility_hook : standard_ProcessUtility;

	next(pstmt, query, read_only_tree, context, params, environment, dest,
		 completion);
}

/* The database that a command wants for itself, or NULL. */
static const char *
wanted_database(Node *statement)
{
	const char *name;

	switch (nodeTag(statement))
	{
		case T_DropdbStmt:
			return ((DropdbStmt *) statement)->dbname;
		case T_RenameStmt:
			return ((RenameStmt *) statement)->renameType == OBJECT_DATABASE ?
				((RenameStmt *) statement)->subname : NULL;
		case T_AlterDatabaseStmt:
			name = option_value(((AlterDatabaseStmt *) statement)->options,
								"tablespace");
			return name == NULL ? NULL :
				((AlterDatabaseStmt *) statement)->dbname;
		case T_CreatedbStmt:
			name = option_value(((CreatedbStmt *) statement)->options,
								"template");
			return name == NULL ? "template1" : name;
		default:
			return NULL;
	}
}

static const char *
option_value(List *options, const char *name)
{
	ListCell   *lc;

	foreach(lc, options)
	{
		DefElem    *option = lfirst_node(DefElem, lc);

		if (strcmp(option->defname, name) == 0 && option->arg != NULL)
			return defGetString(option);
	}
	return NULL;
}

/* Keeps workers away; NULL when there is no such database. */
static WorkerDatabase *
hold(const char *name)
{
	Oid			database;
	WorkerDatabase *entry;
	Hold	   *result;
	MemoryContext context;

	if (!IsTransactionState())
		return NULL;
	database = get_database_oid(name, true);
	if (!OidIsValid(database))
		return NULL;
	context = MemoryContextSwitchTo(TopMemoryContext);
	result = palloc0(sizeof(Hold)); /* memory first */
	result->subid = GetCurrentSubTransactionId();
	held = lappend(held, result);
	MemoryContextSwitchTo(context);
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	entry = worker_database(database, true);
	if (entry != NULL)
	{
		entry->holds++;
		entry->leave = true;
		if (entry->latch != NULL)
			SetLatch(entry->latch);
	}
	LWLockRelease(worker_state->lock);
	result->entry = entry;
	return entry;
}

/*
 * When the worker does not come to an end, the command will say that the
 * database is in use.
 */
static void
await_end(WorkerDatabase *entry)
{
	TimestampTz deadline =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), LEAVE_TIME);

	ConditionVariablePrepareToSleep(&entry->progress);
	for (;;)
	{
		long		left;
		bool		there;

		LWLockAcquire(worker_state->lock, LW_SHARED);
		there = entry->pid != 0 || entry->starting;
		LWLockRelease(worker_state->lock);
		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
											   deadline);
		if (!there || left <= 0)
			break;
		(void) ConditionVariableTimedSleep(&entry->progress, left,
										   PG_WAIT_EXTENSION);
	}
	ConditionVariableCancelSleep();
}

static void
release(XactEvent event, void *arg)
{
	ListCell   *lc;

	if (held == NIL || (event != XACT_EVENT_COMMIT &&
						event != XACT_EVENT_ABORT &&
						event != XACT_EVENT_PREPARE))
		return;
	foreach(lc, held)
		let_go(((Hold *) lfirst(lc))->entry);
	list_free_deep(held);
	held = NIL;
	worker_wake_launcher();
}

/*
 * A command that has failed, because the user may not do that for instance,
 * must not keep a worker away for as long as his transaction goes on.
 */
static void
release_sub(SubXactEvent event, SubTransactionId subid,
			SubTransactionId parent, void *arg)
{
	ListCell   *lc;

	if (held == NIL || (event != SUBXACT_EVENT_COMMIT_SUB &&
						event != SUBXACT_EVENT_ABORT_SUB))
		return;
	foreach(lc, held)
	{
		Hold	   *hold = lfirst(lc);

		if (hold->subid != subid)
			continue;
		if (event == SUBXACT_EVENT_COMMIT_SUB)
		{
			hold->subid = parent;
			continue;
		}
		let_go(hold->entry);
		held = foreach_delete_current(held, lc);
		pfree(hold);
		worker_wake_launcher();
	}
}

static void
let_go(WorkerDatabase *entry)
{
	if (entry == NULL)
		return;
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	entry->holds--;
	LWLockRelease(worker_state->lock);
}
