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

/* partitioning.index_max_lag: milliseconds; 0 is no limit */
extern int	guc_index_max_lag;

/* partitioning.max_global_indexes: of one item table */
extern int	guc_max_global_indexes;

/* partitioning.http_...: the HTTP endpoint; docs/reference/http.md */
typedef enum HttpAuth
{
	HTTP_AUTH_SIGV4,
	HTTP_AUTH_NONE
} HttpAuth;

extern int	guc_http_auth;
extern int	guc_http_body_timeout;	/* seconds */
extern char *guc_http_allow_origin;
extern char *guc_http_database;
extern int	guc_http_header_timeout;	/* seconds */
extern int	guc_http_idle_timeout;	/* seconds */
extern bool guc_http_insecure;
extern char *guc_http_listen_addresses;
extern int	guc_http_log_min_duration;	/* milliseconds; -1: never */
extern int	guc_http_lock_timeout;	/* milliseconds */
extern int	guc_http_max_connections;	/* of each worker */
extern int	guc_http_port;
extern int	guc_http_request_timeout;	/* milliseconds */
extern char *guc_http_role;
extern int	guc_http_workers;

/* partitioning.worker_idle_timeout: milliseconds */
extern int	guc_worker_idle_timeout;

/* partitioning.enable_shard_merge: whether the planner may merge shards */
extern bool guc_enable_shard_merge;

/* prototypes for functions in guc.c */
extern void guc_init(void);

#endif							/* PT_BASE_GUC_H */
