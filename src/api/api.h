/*
 * api.h
 *	  The item operations in C: one request and one result per operation.
 *
 * SQL functions (api_sql.c) are thin callers.  Every operation checks in the
 * service's order: request semantics that need no schema, table, schema,
 * condition, after image, store.
 */
#ifndef PT_API_H
#define PT_API_H

#include "expr/expr.h"
#include "meta/meta.h"

#endif							/* PT_API_H */
