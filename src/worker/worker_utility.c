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

/* What this transaction keeps workers away from, one for each command. */
static List *held = NIL;		/* of WorkerDatabase * */

void
worker_utility_init(void)
{
	next_utility_hook = ProcessUtility_hook;
	ProcessUtility_hook = utility;
	RegisterXactCallback(release, NULL);
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
	MemoryContext context;

	if (!IsTransactionState())
		return NULL;
	database = get_database_oid(name, true);
	if (!OidIsValid(database))
		return NULL;
	context = MemoryContextSwitchTo(TopMemoryContext);
	held = lappend(held, NULL); /* memory first */
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
	llast(held) = entry;
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
	LWLockAcquire(worker_state->lock, LW_EXCLUSIVE);
	foreach(lc, held)
	{
		WorkerDatabase *entry = lfirst(lc);

		if (entry != NULL)
			entry->holds--;
	}
	LWLockRelease(worker_state->lock);
	list_free(held);
	held = NIL;
	worker_wake_launcher();
}
