/*
 * guc.h
 *	  All settings of the extension.
 */
#ifndef PT_BASE_GUC_H
#define PT_BASE_GUC_H

/* Access methods of the indexes of item tables and of index tables. */
typedef enum IndexMethod
{
	INDEX_METHOD_BTREE,
	INDEX_METHOD_PTREE
} IndexMethod;

/* partitioning.index_method: an IndexMethod, of indexes made without the option */
extern int	guc_index_method;

/* partitioning.wire_schema: the schema of unqualified table names */
extern char *guc_wire_schema;

/* partitioning.expression_cache_size: parsed expressions kept per backend */
extern int	guc_expression_cache_size;

/* partitioning.debug_key_locks: for tests that must see anomalies */
extern bool guc_debug_key_locks;

/* partitioning.transact_max_items: actions in one transaction */
extern int	guc_transact_max_items;

/* partitioning.transaction_wait: milliseconds that a transaction waits */
extern int	guc_transaction_wait;

/* partitioning.max_global_indexes: of one item table */
extern int	guc_max_global_indexes;

/* prototypes for functions in guc.c */
extern void guc_init(void);

#endif							/* PT_BASE_GUC_H */
