/*
 * errors.h
 *	  SQLSTATEs of the item model: one for each DynamoDB exception.
 *
 * Class IM ("item model") is outside the classes that the SQL standard and
 * the server use.  Everything that is not an exception of the service uses
 * the server's own codes.  docs/reference/errors.md lists all of them.
 */
#ifndef PT_BASE_ERRORS_H
#define PT_BASE_ERRORS_H

#include "utils/elog.h"

#define ERRCODE_ITEM_VALIDATION				MAKE_SQLSTATE('I','M','0','0','1')
#define ERRCODE_ITEM_CONDITIONAL_CHECK		MAKE_SQLSTATE('I','M','0','0','2')
#define ERRCODE_ITEM_RESOURCE_NOT_FOUND		MAKE_SQLSTATE('I','M','0','0','3')
#define ERRCODE_ITEM_RESOURCE_IN_USE		MAKE_SQLSTATE('I','M','0','0','4')
#define ERRCODE_ITEM_LIMIT_EXCEEDED			MAKE_SQLSTATE('I','M','0','0','5')
#define ERRCODE_ITEM_THROUGHPUT_EXCEEDED	MAKE_SQLSTATE('I','M','0','0','6')
#define ERRCODE_ITEM_COLLECTION_SIZE		MAKE_SQLSTATE('I','M','0','0','7')
#define ERRCODE_ITEM_TRANSACTION_CANCELED	MAKE_SQLSTATE('I','M','0','0','8')
#define ERRCODE_ITEM_TRANSACTION_CONFLICT	MAKE_SQLSTATE('I','M','0','0','9')
#define ERRCODE_ITEM_TRANSACTION_IN_PROGRESS MAKE_SQLSTATE('I','M','0','1','0')
#define ERRCODE_ITEM_IDEMPOTENT_MISMATCH	MAKE_SQLSTATE('I','M','0','1','1')
#define ERRCODE_ITEM_THROTTLING				MAKE_SQLSTATE('I','M','0','1','2')
#define ERRCODE_ITEM_SERIALIZATION			MAKE_SQLSTATE('I','M','0','1','3')
#define ERRCODE_ITEM_UNKNOWN_OPERATION		MAKE_SQLSTATE('I','M','0','1','4')
#define ERRCODE_ITEM_DUPLICATE_ITEM			MAKE_SQLSTATE('I','M','0','1','5')
#define ERRCODE_ITEM_ACCESS_DENIED			MAKE_SQLSTATE('I','M','0','1','6')
#define ERRCODE_ITEM_TABLE_NOT_FOUND		MAKE_SQLSTATE('I','M','0','1','7')

/* what the HTTP endpoint says of a request's signature */
#define ERRCODE_ITEM_MISSING_TOKEN			MAKE_SQLSTATE('I','M','0','3','0')
#define ERRCODE_ITEM_INCOMPLETE_SIGNATURE	MAKE_SQLSTATE('I','M','0','3','1')
#define ERRCODE_ITEM_INVALID_SIGNATURE		MAKE_SQLSTATE('I','M','0','3','2')
#define ERRCODE_ITEM_UNRECOGNIZED_CLIENT	MAKE_SQLSTATE('I','M','0','3','3')

/* prototypes for functions in errors.c */
extern const char *errors_exception_name(int sqlerrcode);

#endif							/* PT_BASE_ERRORS_H */
