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

#endif							/* PT_BASE_COMPAT_H */
