/*
 * store_conflict.c
 *	  A clear error for INSERT ... ON CONFLICT on a table with a ptree.
 *
 * Before 18 the server prepares every unique index for ON CONFLICT, whatever
 * the arbiter, and knows only how to do it for nbtree; of another access method
 * it says, when execution begins, what sounds like a failure of its own.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "executor/executor.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "store/store_private.h"

static ExecutorStart_hook_type next_executor_start = NULL;

static void executor_start(QueryDesc *query, int eflags);
static void check_plan(const PlannedStmt *statement, const Plan *plan);
static void check_relation(Oid relid);
static bool is_unique_ptree(Oid index, char **name);

/* Called once at start-up. */
void
store_conflict_init(void)
{
	if (!COMPAT_UNIQUE_IS_BTREE)
		return;
	next_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = executor_start;
}

static void
executor_start(QueryDesc *query, int eflags)
{
	const PlannedStmt *statement = query->plannedstmt;
	ListCell   *lc;

	if (statement->commandType == CMD_INSERT)
		check_plan(statement, statement->planTree);
	if (statement->hasModifyingCTE)
	{
		foreach(lc, statement->subplans)
			check_plan(statement, lfirst(lc));
	}
	if (next_executor_start != NULL)
		next_executor_start(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
}

static void
check_plan(const PlannedStmt *statement, const Plan *plan)
{
	const ModifyTable *modify = (const ModifyTable *) plan;
	ListCell   *lc;

	/* a subplan that another one has taken in is NULL */
	if (plan == NULL || !IsA(plan, ModifyTable) ||
		modify->onConflictAction == ONCONFLICT_NONE)
		return;
	foreach(lc, modify->resultRelations)
		check_relation(rt_fetch(lfirst_int(lc), statement->rtable)->relid);
}

/* The statement has its locks already. */
static void
check_relation(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		char	   *name;

		if (is_unique_ptree(lfirst_oid(lc), &name))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("ON CONFLICT is not supported for table \"%s\"",
							RelationGetRelationName(rel)),
					 errdetail("Its unique index \"%s\" has the access method ptree, which this server's version does not support here.",
							   name),
					 errhint("Use partitioning.put_item() or MERGE, or make the table with options => '{\"index_method\": \"btree\"}'.")));
	}
	list_free(indexes);
	table_close(rel, NoLock);
}

static bool
is_unique_ptree(Oid index, char **name)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	bool		unique;
	Form_pg_class form;
	IndexMethod method;
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return false;
	unique = ((Form_pg_index) GETSTRUCT(tuple))->indisunique;
	ReleaseSysCache(tuple);
	tuple = unique ? SearchSysCache1(RELOID, ObjectIdGetDatum(index)) : NULL;
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_class) GETSTRUCT(tuple);
	result = meta_method_of(form->relam, &method) &&
		method == INDEX_METHOD_PTREE;
	if (result)
		*name = pstrdup(NameStr(form->relname));
	ReleaseSysCache(tuple);
	return result;
}
