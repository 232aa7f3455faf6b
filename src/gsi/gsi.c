/*
 * gsi.c
 *	  Registers global indexes with those who tell of changes.
 */
#include "postgres.h"

#include "gsi/gsi_private.h"

void
gsi_init(void)
{
	store_register_change_callback(gsi_change);
	store_register_truncate_callback(gsi_truncated);
	store_register_statement_callback(gsi_statement);
	gsi_worker_init();
	meta_register_partition_callback(gsi_partition_changed);
	gsi_order_init();
}
