/*
 * partitioning.c
 *	  Module entry point: starts the folders of src/ in layer order.
 *
 * Nothing else lives here.  A folder that needs start-up work (settings,
 * hooks, shared memory, callbacks) has a <folder>_init() and is called below.
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/guc.h"
#include "ptree/ptree.h"
#include "worker/worker.h"
#include "meta/meta.h"
#include "store/store.h"
#include "scan/scan.h"
#include "gsi/gsi.h"
#include "shard/shard.h"
#include "api/api.h"
#include "http/http.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	guc_init();
	ptree_init();
	meta_init();
	store_init();
	scan_init();
	gsi_init();
	shard_init();
	api_init();
	worker_init();
	http_init();
}
