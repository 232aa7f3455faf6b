/*
 * limits.h
 *	  Limits of the DynamoDB data model, API version 2012-08-10.
 *
 * Sizes are bytes unless a name says otherwise.  Nothing else in the tree
 * writes these numbers down.
 */
#ifndef PT_BASE_LIMITS_H
#define PT_BASE_LIMITS_H

#define LIMIT_ITEM_SIZE				409600	/* 400 KB, names included */
#define LIMIT_NESTING				32	/* the item itself is level 1 */
#define LIMIT_ATTRIBUTE_NAME		65535
#define LIMIT_KEY_ATTRIBUTE_NAME	255
#define LIMIT_TABLE_NAME_MIN		3
#define LIMIT_TABLE_NAME			255
#define LIMIT_PARTITION_KEY			2048
#define LIMIT_SORT_KEY				1024

#define LIMIT_INDEX_NAME_MIN		3
#define LIMIT_INDEX_NAME			255
#define LIMIT_INDEX_KEYS			4	/* partition keys, and sort keys, each */
#define LIMIT_LOCAL_INDEXES			5	/* of a table */
#define LIMIT_GLOBAL_INDEXES		20	/* of a table, by default */
#define LIMIT_GLOBAL_INDEXES_MAX	25
#define LIMIT_INCLUDE				100 /* names, of all indexes of a table */

#define LIMIT_NUMBER_DIGITS			38
#define LIMIT_NUMBER_EXPONENT_MAX	125
#define LIMIT_NUMBER_EXPONENT_MIN	(-130)

#define LIMIT_EXPRESSION_SIZE		4096
#define LIMIT_EXPRESSION_OPERATORS	300
#define LIMIT_EXPRESSION_PATH		32	/* elements in a document path */
#define LIMIT_EXPRESSION_IN			100 /* members of an IN list */
#define LIMIT_PLACEHOLDER			255 /* with its sigil */
#define LIMIT_SUBSTITUTIONS			(2 * 1024 * 1024)

#define LIMIT_PAGE_SIZE				(1024 * 1024)	/* Query and Scan */
#define LIMIT_SEGMENTS				1000000

#define LIMIT_TRANSACTION_ITEMS		100
#define LIMIT_TRANSACTION_ITEMS_MIN	25	/* lowest that can be set */
#define LIMIT_TRANSACTION_SIZE		(4 * 1024 * 1024)
#define LIMIT_CLIENT_TOKEN			36	/* characters */
#define LIMIT_CLIENT_TOKEN_MINUTES	10	/* after the transaction's end */

#define LIMIT_LIST_TABLES			100 /* names of one page */
#define LIMIT_CAPACITY_UNITS		INT64CONST(1000000000000)
#define LIMIT_TAGS					50	/* of a table */
#define LIMIT_TAG_KEY				128 /* characters */
#define LIMIT_TAG_VALUE				256
#define LIMIT_ARN					1283

#define LIMIT_ATTRIBUTES_TO_GET		255

#define LIMIT_BATCH_GET_KEYS		100
#define LIMIT_BATCH_GET_SIZE		(16 * 1024 * 1024)
#define LIMIT_BATCH_GET_PARTITION	(1024 * 1024)	/* of one partition key */
#define LIMIT_BATCH_WRITE_REQUESTS	25

#endif							/* PT_BASE_LIMITS_H */
