/*
 * guc.c
 *	  Defines all settings of the extension, alphabetically.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"

#include "base/compat.h"
#include "base/guc.h"
#include "base/limits.h"

char	   *guc_wire_schema = NULL;
bool		guc_debug_key_locks = true;
int			guc_expression_cache_size = 256;
int			guc_index_method = INDEX_METHOD_BTREE;
int			guc_max_global_indexes = LIMIT_GLOBAL_INDEXES;
int			guc_transact_max_items = LIMIT_TRANSACTION_ITEMS;
int			guc_transaction_wait = 5000;

static const struct config_enum_entry index_methods[] = {
	{"btree", INDEX_METHOD_BTREE, false},
	{"ptree", INDEX_METHOD_PTREE, false},
	{NULL, 0, false}
};

/*
 * Defines the settings and reserves their prefix.  Called once from
 * _PG_init.
 */
void
guc_init(void)
{
	DefineCustomBoolVariable("partitioning.debug_key_locks",
							 "Lets item transactions lock keys that have no item.",
							 "Off gives up serializability; only tests that must see anomalies want that.",
							 &guc_debug_key_locks,
							 true,
							 PGC_SUSET, GUC_NOT_IN_SAMPLE | GUC_NO_SHOW_ALL,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.expression_cache_size",
							"Number of parsed expressions that each session keeps.",
							NULL,
							&guc_expression_cache_size,
							256, 0, 65536,
							PGC_USERSET, 0,
							NULL, NULL, NULL);

	DefineCustomEnumVariable("partitioning.index_method",
							 "Access method of the indexes of new item tables and index tables.",
							 "The option \"index_method\" of a table or index goes before it.",
							 &guc_index_method,
							 INDEX_METHOD_BTREE, index_methods,
							 PGC_USERSET, 0,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.max_global_indexes",
							"Number of global indexes that an item table may have.",
							NULL,
							&guc_max_global_indexes,
							LIMIT_GLOBAL_INDEXES,
							0, LIMIT_GLOBAL_INDEXES_MAX,
							PGC_USERSET, 0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.transact_max_items",
							"Number of actions that one item transaction may have.",
							NULL,
							&guc_transact_max_items,
							LIMIT_TRANSACTION_ITEMS,
							LIMIT_TRANSACTION_ITEMS_MIN,
							LIMIT_TRANSACTION_ITEMS,
							PGC_USERSET, 0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.transaction_wait",
							"Time that an item transaction waits for others, in all.",
							"0 is not to wait.",
							&guc_transaction_wait,
							5000, 0, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomStringVariable("partitioning.wire_schema",
							   "Schema in which item functions look for a table name first.",
							   NULL,
							   &guc_wire_schema,
							   "public",
							   PGC_USERSET, 0,
							   NULL, NULL, NULL);

	MarkGUCPrefixReserved("partitioning");
}
