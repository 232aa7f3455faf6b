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
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

/* 16 took the varlena macros out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
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

/* 18: constraints may be declared and not enforced */
#if PG_VERSION_NUM >= 180000
#define compat_constraint_enforce(constraint) \
	((constraint)->is_enforced = true)
#else
#define compat_constraint_enforce(constraint) ((void) (constraint))
#endif

#endif							/* PT_BASE_COMPAT_H */
