/*
 * compat.h
 *	  Every difference between the supported server majors (15 to 18).
 *
 * A wrapper takes the newest version's shape and is named by what it does;
 * a block names the major that changed and goes when that major's
 * predecessor is no longer supported.
 */
#ifndef PT_BASE_COMPAT_H
#define PT_BASE_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "partitioning needs PostgreSQL 15 or newer"
#endif

#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

/* 16 took the varlena macros out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18: what writes the properties of EXPLAIN has a header of its own. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif

/* 18 puts the mark of a function that does not return before it. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/*
 * 16 brought soft errors: input functions save an error in their context
 * when they have one.  Before, every error is thrown.
 */
#if PG_VERSION_NUM < 160000
#define errsave(context, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
	} while (0)
#define compat_input_call_safe(function, text, escontext, result) \
	(*(result) = DirectFunctionCall1((function), CStringGetDatum(text)), true)
#else
#define compat_input_call_safe(function, text, escontext, result) \
	DirectInputFunctionCallSafe((function), (text), InvalidOid, -1, \
								(escontext), (result))
#endif

/* 16: one ownership check for all kinds of objects */
static inline bool
compat_owns_relation(Oid relid)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relid, GetUserId());
#else
	return pg_class_ownercheck(relid, GetUserId());
#endif
}

static inline AclResult
compat_schema_aclcheck(Oid schema, AclMode mode)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(NamespaceRelationId, schema, GetUserId(), mode);
#else
	return pg_namespace_aclcheck(schema, GetUserId(), mode);
#endif
}

static inline AclResult
compat_database_aclcheck(Oid database, Oid role, AclMode mode)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(DatabaseRelationId, database, role, mode);
#else
	return pg_database_aclcheck(database, role, mode);
#endif
}

/* 16 gave it its name, in 15 it had another and the same meaning. */
#if PG_VERSION_NUM >= 160000
#define compat_materialize(fcinfo) InitMaterializedSRF(fcinfo, 0)
#else
#define compat_materialize(fcinfo) SetSingleFuncCall(fcinfo, 0)
#endif

/* 17: sets of events belong to a resource owner, not to a memory context */
#if PG_VERSION_NUM >= 170000
#define compat_create_wait_event_set(n) CreateWaitEventSet(NULL, (n))
#else
#define compat_create_wait_event_set(n) \
	CreateWaitEventSet(TopMemoryContext, (n))
#endif

static inline AclResult
compat_function_aclcheck(Oid function, AclMode mode)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, GetUserId(), mode);
#else
	return pg_proc_aclcheck(function, GetUserId(), mode);
#endif
}

/* 17: the local transaction id moved into the virtual transaction id */
#if PG_VERSION_NUM >= 170000
#define compat_my_lxid() (MyProc->vxid.lxid)
#else
#define compat_my_lxid() (MyProc->lxid)
#endif

/* 18: asks whether a deferrable primary key will do */
static inline Oid
compat_primary_key_index(Relation rel)
{
#if PG_VERSION_NUM >= 180000
	return RelationGetPrimaryKeyIndex(rel, false);
#else
	return RelationGetPrimaryKeyIndex(rel);
#endif
}

/* 18: a collation tells its order through its locale */
#if PG_VERSION_NUM >= 180000
#define compat_collation_is_c(collation) \
	(pg_newlocale_from_collation(collation)->collate_is_c)
#else
#define compat_collation_is_c(collation) lc_collate_is_c(collation)
#endif

/* 18: constraints may be declared and not enforced */
#if PG_VERSION_NUM >= 180000
#define compat_constraint_enforce(constraint) \
	((constraint)->is_enforced = true)
#else
#define compat_constraint_enforce(constraint) ((void) (constraint))
#endif

/* 17: ALTER COLUMN ... SET EXPRESSION */
#if PG_VERSION_NUM >= 170000
#define compat_is_set_expression(subtype) ((subtype) == AT_SetExpression)
#else
#define compat_is_set_expression(subtype) ((void) (subtype), false)
#endif

/* 18: generated columns may be virtual */
#if PG_VERSION_NUM >= 180000
#define compat_constraint_stored(constraint) \
	((constraint)->generated_kind = ATTRIBUTE_GENERATED_STORED)
#else
#define compat_constraint_stored(constraint) ((void) (constraint))
#endif

/*
 * 16: permission info left the range table entry; an updated row may need
 * entries in summarizing indexes only.  18: more arguments.
 */
#if PG_VERSION_NUM >= 160000
typedef struct RTEPermissionInfo CompatPermissionInfo;
#define compat_add_permission_info(permissions, rte) \
	addRTEPermissionInfo(permissions, rte)
#define compat_permission_hook(rtable, permissions) \
	ExecutorCheckPerms_hook(rtable, permissions, true)
#define compat_eval_plan_qual_init(epqstate, estate) \
	EvalPlanQualInit(epqstate, estate, NULL, NIL, -1, NIL)
#define compat_insert_index_tuples(relinfo, slot, estate, update, \
								   no_dup_error, conflict, arbiters, \
								   only_summarizing) \
	ExecInsertIndexTuples(relinfo, slot, estate, update, no_dup_error, \
						  conflict, arbiters, only_summarizing)
#define CompatUpdateIndexes			TU_UpdateIndexes
#define COMPAT_INDEXES_NONE(x)		((x) == TU_None)
#define COMPAT_INDEXES_SUMMARIZING(x) ((x) == TU_Summarizing)
#else
typedef struct RangeTblEntry CompatPermissionInfo;
#define compat_add_permission_info(permissions, rte) \
	((void) (permissions), (rte))
#define compat_permission_hook(rtable, permissions) \
	ExecutorCheckPerms_hook(rtable, true)
#define compat_eval_plan_qual_init(epqstate, estate) \
	EvalPlanQualInit(epqstate, estate, NULL, NIL, -1)
#define compat_insert_index_tuples(relinfo, slot, estate, update, \
								   no_dup_error, conflict, arbiters, \
								   only_summarizing) \
	ExecInsertIndexTuples(relinfo, slot, estate, update, no_dup_error, \
						  conflict, arbiters)
#define CompatUpdateIndexes			bool
#define COMPAT_INDEXES_NONE(x)		(!(x))
#define COMPAT_INDEXES_SUMMARIZING(x) false
#endif

/* 18: unpruned relations.  16: permission infos. */
#if PG_VERSION_NUM >= 180000
#define compat_init_range_table(estate, rtable, permissions) \
	ExecInitRangeTable(estate, rtable, permissions, bms_make_singleton(1))
#elif PG_VERSION_NUM >= 160000
#define compat_init_range_table(estate, rtable, permissions) \
	ExecInitRangeTable(estate, rtable, permissions)
#else
#define compat_init_range_table(estate, rtable, permissions) \
	ExecInitRangeTable(estate, rtable)
#endif

/* 18: triggers are told of MERGE.  16: they report the lock's result. */
#if PG_VERSION_NUM >= 180000
#define compat_before_row_update(estate, epqstate, relinfo, tid, slot) \
	ExecBRUpdateTriggers(estate, epqstate, relinfo, tid, NULL, slot, \
						 NULL, NULL, false)
#define compat_before_row_delete(estate, epqstate, relinfo, tid) \
	ExecBRDeleteTriggers(estate, epqstate, relinfo, tid, NULL, NULL, \
						 NULL, NULL, false)
#elif PG_VERSION_NUM >= 160000
#define compat_before_row_update(estate, epqstate, relinfo, tid, slot) \
	ExecBRUpdateTriggers(estate, epqstate, relinfo, tid, NULL, slot, \
						 NULL, NULL)
#define compat_before_row_delete(estate, epqstate, relinfo, tid) \
	ExecBRDeleteTriggers(estate, epqstate, relinfo, tid, NULL, NULL, \
						 NULL, NULL)
#else
#define compat_before_row_update(estate, epqstate, relinfo, tid, slot) \
	ExecBRUpdateTriggers(estate, epqstate, relinfo, tid, NULL, slot, NULL)
#define compat_before_row_delete(estate, epqstate, relinfo, tid) \
	ExecBRDeleteTriggers(estate, epqstate, relinfo, tid, NULL, NULL)
#endif

/* 17: index methods may keep state over several insertions. */
#if PG_VERSION_NUM >= 170000
#define compat_index_insert_cleanup(index, info) \
	index_insert_cleanup(index, info)
#else
#define compat_index_insert_cleanup(index, info) ((void) 0)
#endif

/* 16: a search in nbtree is told the table.  17: not the snapshot. */
#if PG_VERSION_NUM >= 170000
#define compat_bt_search(index, heap, key, buffer, snapshot) \
	_bt_search(index, heap, key, buffer, BT_READ)
#define compat_bt_search_init(key)	((key)->backward = false)
#else
#define compat_bt_search(index, heap, key, buffer, snapshot) \
	_bt_search(index, key, buffer, BT_READ, snapshot)
#define compat_bt_search_init(key)	((key)->pivotsearch = false)
#endif

/* 18: index scans count for EXPLAIN. */
#if PG_VERSION_NUM >= 180000
#define compat_index_beginscan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, 0)
#else
#define compat_index_beginscan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, nkeys, 0)
#endif

/* 16: sorts are asked whether the caller gets a copy. */
#if PG_VERSION_NUM >= 160000
#define compat_sorted_datum(state, value, isnull) \
	tuplesort_getdatum(state, true, true, value, isnull, NULL)
#else
#define compat_sorted_datum(state, value, isnull) \
	tuplesort_getdatum(state, true, value, isnull, NULL)
#endif

/*
 * 16: the record that makes standby queries end before an index page is used
 * again has other names for its fields, and a new one.
 */
#if PG_VERSION_NUM >= 160000
#define compat_fill_reuse_record(record, index, blkno, horizon) \
	do { \
		(record)->locator = (index)->rd_locator; \
		(record)->block = (blkno); \
		(record)->snapshotConflictHorizon = (horizon); \
		(record)->isCatalogRel = false; \
	} while (0)
#else
#define compat_fill_reuse_record(record, index, blkno, horizon) \
	do { \
		(record)->node = (index)->rd_node; \
		(record)->block = (blkno); \
		(record)->latestRemovedFullXid = (horizon); \
	} while (0)
#endif

/* 18: VACUUM and ANALYZE say which they are. */
#if PG_VERSION_NUM >= 180000
#define compat_vacuum_delay()	vacuum_delay_point(false)
#else
#define compat_vacuum_delay()	vacuum_delay_point()
#endif

/* 16 renamed what tells a relation's files. */
#if PG_VERSION_NUM >= 160000
#define compat_read_recent_buffer(rel, blkno, buffer) \
	ReadRecentBuffer((rel)->rd_locator, MAIN_FORKNUM, blkno, buffer)
#else
#define compat_read_recent_buffer(rel, blkno, buffer) \
	ReadRecentBuffer((rel)->rd_node, MAIN_FORKNUM, blkno, buffer)
#endif

/* 16: TRUNCATE may run triggers as the owner. */
#if PG_VERSION_NUM >= 160000
#define compat_truncate(rel) \
	ExecuteTruncateGuts(list_make1(rel), \
						list_make1_oid(RelationGetRelid(rel)), NIL, \
						DROP_RESTRICT, false, false)
#else
#define compat_truncate(rel) \
	ExecuteTruncateGuts(list_make1(rel), \
						list_make1_oid(RelationGetRelid(rel)), NIL, \
						DROP_RESTRICT, false)
#endif

/* 17: REINDEX reports its progress by the statement. */
#if PG_VERSION_NUM >= 170000
#define compat_reindex_relation(relid) \
	reindex_relation(NULL, relid, 0, &(ReindexParams) {0})
#else
#define compat_reindex_relation(relid) \
	reindex_relation(relid, 0, &(ReindexParams) {0})
#endif

/* 17: maintenance finds names of the server's own schemas only. */
#if PG_VERSION_NUM >= 170000
#define compat_restrict_search_path()	RestrictSearchPath()
#else
#define compat_restrict_search_path()	((void) 0)
#endif

/*
 * 18: a unique index of any access method serves a partitioned table, ON
 * CONFLICT and foreign keys.
 */
#if PG_VERSION_NUM >= 180000
#define COMPAT_UNIQUE_IS_BTREE	false
#else
#define COMPAT_UNIQUE_IS_BTREE	true
#endif

#endif							/* PT_BASE_COMPAT_H */
