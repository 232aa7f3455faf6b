/*
 * guc.c
 *	  Defines all settings of the extension, alphabetically.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "base/compat.h"
#include "base/guc.h"

char	   *guc_wire_schema = NULL;
int			guc_expression_cache_size = 256;

/*
 * Defines the settings and reserves their prefix.  Called once from
 * _PG_init.
 */
void
guc_init(void)
{
	DefineCustomIntVariable("partitioning.expression_cache_size",
							"Number of parsed expressions that each session keeps.",
							NULL,
							&guc_expression_cache_size,
							256, 0, 65536,
							PGC_USERSET, 0,
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
