/*
 * http_worker.c
 *	  The background workers "partitioning http": start, event loop, end.
 *
 * A worker waits for its latch, its listening sockets and the epoll set of
 * libmicrohttpd; requests run inside libmicrohttpd's calls of our handler
 * (http_connection.c).  While it waits, it has no transaction, no snapshot
 * and no lock.  A worker that ends for whatever reason is started again by
 * the postmaster, after RESTART_SECONDS.
 */
#include "postgres.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "access/xact.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/guc.h"
#include "http/http_private.h"

#define RESTART_SECONDS		5
#define MAX_SOCKETS			16
#define MAX_ACCEPTS			64	/* in one round of the event loop */

TimestampTz http_loop_time = 0;

static int	sockets[MAX_SOCKETS];
static int	n_sockets = 0;
static bool accepting = false;
static WaitEventSet *events = NULL;
static struct MHD_Daemon *connections = NULL;

static void register_worker(int number);
static void handle_signals(void);
static void wait_for_extension(void);
static bool extension_is_here(void);
static void raise_file_limit(void);
static void give_memory_back(void);
static void start_listening(void);
static void stop_listening(void);
static void renew_events(void);
static void serve(void);
static void wait_for_events(void);
static void accept_connections(int listener);
static void reload(void);

/* Workers and shared memory can be had from shared_preload_libraries only. */
void
http_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	http_statistics_init();
	if (guc_http_port == 0 || IsBinaryUpgrade)
		return;
	http_flush_init();
	for (int i = 0; i < guc_http_workers; i++)
		register_worker(i);
}

static void
register_worker(int number)
{
	BackgroundWorker worker;

	memset(&worker, 0, sizeof(worker));
	snprintf(worker.bgw_name, BGW_MAXLEN, "partitioning http %d", number + 1);
	strlcpy(worker.bgw_type, "partitioning http", BGW_MAXLEN);
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = RESTART_SECONDS;
	strlcpy(worker.bgw_library_name, "partitioning", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "partitioning_http_main", BGW_MAXLEN);
	worker.bgw_main_arg = Int32GetDatum(number);
	RegisterBackgroundWorker(&worker);
}

void
partitioning_http_main(Datum argument)
{
	handle_signals();
	BackgroundWorkerInitializeConnection(guc_http_database, NULL, 0);
	wait_for_extension();

	http_flush_attach(DatumGetInt32(argument));
	http_identity_init();
	http_execute_init();
	connections = http_connections_start();
	if (connections == NULL)
		ereport(FATAL,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not start the HTTP library")));
	raise_file_limit();
	give_memory_back();
	start_listening();
	serve();
}

static void
handle_signals(void)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	pqsignal(SIGPIPE, SIG_IGN);
	BackgroundWorkerUnblockSignals();
}

/* The database is there; the extension may come later. */
static void
wait_for_extension(void)
{
	bool		said = false;

	while (!extension_is_here())
	{
		if (!said)
			ereport(LOG,
					(errmsg("the HTTP endpoint waits for the extension in database \"%s\"",
							guc_http_database),
					 errhint("CREATE EXTENSION partitioning")));
		said = true;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 RESTART_SECONDS * 1000, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		reload();
	}
}

static bool
extension_is_here(void)
{
	bool		here;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	here = OidIsValid(get_extension_oid("partitioning", true));
	CommitTransactionCommand();
	return here;
}

/*
 * The server counts on max_files_per_process for its own files; connections
 * come on top.
 */
static void
raise_file_limit(void)
{
	struct rlimit limit;
	rlim_t		wanted = guc_http_max_connections + max_files_per_process + 64;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = Min(wanted, limit.rlim_max);
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		ereport(LOG,
				(errmsg("could not raise the limit of open files: %m")));
}

/*
 * The C library learns from each large buffer that is freed to keep the next
 * one; after one large body, a worker would never shrink again.
 */
static void
give_memory_back(void)
{
#ifdef __GLIBC__
	(void) mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

static void
start_listening(void)
{
	n_sockets = http_listen(sockets, MAX_SOCKETS);
	if (n_sockets == 0)
		ereport(FATAL,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("the HTTP endpoint listens nowhere")));
	accepting = true;
	renew_events();
	ereport(LOG,
			(errmsg("the HTTP endpoint listens on port %d", guc_http_port)));
}

static void
stop_listening(void)
{
	while (n_sockets > 0)
		close(sockets[--n_sockets]);
}

/* A worker that has all connections it may have leaves new ones to wait. */
static void
renew_events(void)
{
	const union MHD_DaemonInfo *info;

	if (events != NULL)
		FreeWaitEventSet(events);
	events = compat_create_wait_event_set(3 + MAX_SOCKETS);
	AddWaitEventToSet(events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL,
					  NULL);
	info = MHD_get_daemon_info(connections, MHD_DAEMON_INFO_EPOLL_FD);
	AddWaitEventToSet(events, WL_SOCKET_READABLE, info->epoll_fd, NULL, NULL);
	for (int i = 0; i < n_sockets && accepting; i++)
		AddWaitEventToSet(events, WL_SOCKET_READABLE, sockets[i], NULL,
						  &sockets[i]);
}

/*
 * The event loop.  Whoever is complete when it comes round is run; then what
 * they have committed is flushed at once, and they are answered.
 */
static void
serve(void)
{
	for (;;)
	{
		wait_for_events();
		http_connections_check(http_loop_time);
		(void) MHD_run(connections);
		if (http_flush_awaited())
		{
			http_flush();
			(void) MHD_run(connections);
		}
		pgstat_report_stat(false);

		reload();
		QueryCancelPending = false; /* there is nothing to cancel */
		CHECK_FOR_INTERRUPTS();
		if (accepting != !http_connections_full())
		{
			accepting = !accepting;
			renew_events();
		}
	}
}

static void
wait_for_events(void)
{
	WaitEvent	occurred[3 + MAX_SOCKETS];
	MHD_UNSIGNED_LONG_LONG library_timeout;
	long		timeout = http_connections_timeout(GetCurrentTimestamp());
	int			n;

	if (MHD_get_timeout(connections, &library_timeout) == MHD_YES &&
		(timeout < 0 || library_timeout < (MHD_UNSIGNED_LONG_LONG) timeout))
		timeout = library_timeout;
	if (timeout != 0)
		pgstat_report_activity(STATE_IDLE, NULL);
	n = WaitEventSetWait(events, timeout, occurred, lengthof(occurred),
						 PG_WAIT_EXTENSION);
	http_loop_time = GetCurrentTimestamp();
	for (int i = 0; i < n; i++)
	{
		if (occurred[i].events & WL_LATCH_SET)
			ResetLatch(MyLatch);
		else if (occurred[i].user_data != NULL)
			accept_connections(*(int *) occurred[i].user_data);
	}
}

static void
accept_connections(int listener)
{
	for (int i = 0; i < MAX_ACCEPTS && !http_connections_full(); i++)
	{
		if (!http_connection_accept(connections, listener))
			break;
	}
}

/*
 * Connections stay, unless whoever has one would need no signature any more.
 * Another database needs another process.
 */
static void
reload(void)
{
	char	   *database;
	char	   *addresses;
	bool		insecure = guc_http_insecure;
	int			auth = guc_http_auth;

	if (ProcDiePending)
		proc_exit(1);
	if (!ConfigReloadPending)
		return;
	ConfigReloadPending = false;
	database = pstrdup(guc_http_database);
	addresses = pstrdup(guc_http_listen_addresses);
	ProcessConfigFile(PGC_SIGHUP);
	http_identity_forget();
	if (strcmp(database, guc_http_database) != 0)
	{
		ereport(LOG,
				(errmsg("the HTTP endpoint changes to database \"%s\"",
						guc_http_database)));
		proc_exit(1);
	}
	if (connections != NULL && auth != guc_http_auth &&
		guc_http_auth == HTTP_AUTH_NONE)
		http_connections_close();
	if (connections != NULL &&
		(auth != guc_http_auth || insecure != guc_http_insecure ||
		 strcmp(addresses, guc_http_listen_addresses) != 0))
	{
		stop_listening();
		start_listening();
	}
	pfree(database);
	pfree(addresses);
}
