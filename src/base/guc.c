/*
 * guc.c
 *	  Defines all settings of the extension, alphabetically.
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

#include "base/compat.h"
#include "base/guc.h"
#include "base/limits.h"

char	   *guc_wire_schema = NULL;
bool		guc_debug_key_locks = true;
bool		guc_enable_shard_merge = true;
int			guc_expression_cache_size = 256;
int			guc_http_auth = HTTP_AUTH_SIGV4;
int			guc_http_body_timeout = 30;
char	   *guc_http_allow_origin = NULL;
char	   *guc_http_database = NULL;
int			guc_http_header_timeout = 10;
int			guc_http_idle_timeout = 60;
bool		guc_http_insecure = false;
char	   *guc_http_listen_addresses = NULL;
int			guc_http_lock_timeout = 200;
int			guc_http_log_min_duration = -1;
int			guc_http_max_connections = 4000;
int			guc_http_port = 0;
int			guc_http_request_timeout = 30000;
char	   *guc_http_role = NULL;
int			guc_http_workers = 2;
int			guc_index_max_lag = 0;
int			guc_index_method = INDEX_METHOD_BTREE;
int			guc_max_global_indexes = LIMIT_GLOBAL_INDEXES;
int			guc_transact_max_items = LIMIT_TRANSACTION_ITEMS;
int			guc_transaction_wait = 5000;
int			guc_worker_idle_timeout = 60000;

static const struct config_enum_entry http_auth_options[] = {
	{"sigv4", HTTP_AUTH_SIGV4, false},
	{"none", HTTP_AUTH_NONE, false},
	{NULL, 0, false}
};

static void define_http(void);

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

	DefineCustomBoolVariable("partitioning.enable_shard_merge",
							 "Enables the planner's use of merges of write shards.",
							 NULL,
							 &guc_enable_shard_merge,
							 true,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.expression_cache_size",
							"Number of parsed expressions that each session keeps.",
							NULL,
							&guc_expression_cache_size,
							256, 0, 65536,
							PGC_USERSET, 0,
							NULL, NULL, NULL);

	define_http();

	DefineCustomIntVariable("partitioning.index_max_lag",
							"Lag of asynchronous indexes beyond which writes are refused.",
							"0 is never.",
							&guc_index_max_lag,
							0, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS,
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

	DefineCustomIntVariable("partitioning.worker_idle_timeout",
							"Time without work after which the background worker of a database ends.",
							NULL,
							&guc_worker_idle_timeout,
							60000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("partitioning");
}

/*
 * Those that need a restart decide what the postmaster starts.  Once it has
 * started, no such setting can be defined any more; then they mean nothing.
 */
static void
define_http(void)
{
	GucContext	restart = process_shared_preload_libraries_in_progress ?
		PGC_POSTMASTER : PGC_SIGHUP;

	DefineCustomStringVariable("partitioning.http_allow_origin",
							   "Origin whose pages in browsers may call the HTTP endpoint.",
							   "Empty: none; *: any.",
							   &guc_http_allow_origin,
							   "",
							   PGC_SIGHUP, 0,
							   NULL, NULL, NULL);

	DefineCustomEnumVariable("partitioning.http_auth",
							 "How the HTTP endpoint learns whose a request is.",
							 NULL,
							 &guc_http_auth,
							 HTTP_AUTH_SIGV4,
							 http_auth_options,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_body_timeout",
							"Time in which the body of a request must have come.",
							NULL,
							&guc_http_body_timeout,
							30, 1, 3600,
							PGC_SIGHUP, GUC_UNIT_S,
							NULL, NULL, NULL);

	DefineCustomStringVariable("partitioning.http_database",
							   "Database that the HTTP endpoint serves.",
							   NULL,
							   &guc_http_database,
							   "postgres",
							   PGC_SIGHUP, 0,
							   NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_header_timeout",
							"Time in which the headers of a request must have come.",
							NULL,
							&guc_http_header_timeout,
							10, 1, 3600,
							PGC_SIGHUP, GUC_UNIT_S,
							NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_idle_timeout",
							"Time that a connection may wait for its next request.",
							NULL,
							&guc_http_idle_timeout,
							60, 1, 86400,
							PGC_SIGHUP, GUC_UNIT_S,
							NULL, NULL, NULL);

	DefineCustomBoolVariable("partitioning.http_insecure",
							 "Lets the HTTP endpoint listen on other addresses than loopback, without TLS.",
							 NULL,
							 &guc_http_insecure,
							 false,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);

	DefineCustomStringVariable("partitioning.http_listen_addresses",
							   "Addresses that the HTTP endpoint listens on.",
							   NULL,
							   &guc_http_listen_addresses,
							   "localhost",
							   PGC_SIGHUP, 0,
							   NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_lock_timeout",
							"Time that an HTTP request waits for locks.",
							NULL,
							&guc_http_lock_timeout,
							200, 1, 600000,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_log_min_duration",
							"Time from which on an HTTP request is logged.",
							"-1: none is; 0: all are.",
							&guc_http_log_min_duration,
							-1, -1, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_max_connections",
							"Connections that each process of the HTTP endpoint keeps open.",
							NULL,
							&guc_http_max_connections,
							4000, 1, 100000,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_port",
							"TCP port of the HTTP endpoint.",
							"0: there is no HTTP endpoint.",
							&guc_http_port,
							0, 0, 65535,
							restart, 0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_request_timeout",
							"Time that an HTTP request may take.",
							NULL,
							&guc_http_request_timeout,
							30000, 100, 3600000,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomStringVariable("partitioning.http_role",
							   "Role that runs the requests of the HTTP endpoint without authentication.",
							   NULL,
							   &guc_http_role,
							   "",
							   PGC_SIGHUP, 0,
							   NULL, NULL, NULL);

	DefineCustomIntVariable("partitioning.http_workers",
							"Number of processes of the HTTP endpoint.",
							NULL,
							&guc_http_workers,
							2, 1, 64,
							restart, 0,
							NULL, NULL, NULL);
}
