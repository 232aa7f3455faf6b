/*
 * worker.h
 *	  Background work in databases: one process for each database that has
 *	  some, started when it is asked for.
 *
 * Folders above register jobs at start-up; this one knows none of them.  Who
 * makes work calls worker_wake_at_commit() in the transaction that makes it:
 * as soon as that has committed, the worker of the database runs its jobs.
 * Without the library in shared_preload_libraries there are no workers, and
 * worker_available() says so.
 */
#ifndef PT_WORKER_H
#define PT_WORKER_H

#include "datatype/timestamp.h"

/*
 * What WorkerJob.run returns when there is nothing to come back for: now, or
 * not before the extension has come to the database.
 */
#define WORKER_IDLE		(-1)
#define WORKER_ABSENT	(-2)

typedef struct WorkerJob
{
	const char *name;

	/*
	 * Does what there is to do, in transactions of its own, and returns in
	 * how many milliseconds it wants to run again at the latest.  Called
	 * outside a transaction, with the rights of the bootstrap superuser, also
	 * where the extension is not there.  An error is logged, and run is
	 * called again later.  Between transactions it should return as soon as
	 * worker_is_to_leave().
	 */
	int			(*run) (void);

	/* Memory that all sessions of a database share; zeroed at first. */
	Size		shared_size;
} WorkerJob;

/* prototypes for functions in worker.c */

/* The library was loaded by shared_preload_libraries. */
extern bool worker_available(void);

/* At start-up, before worker_init(); the job must stay. */
extern void worker_register_job(const WorkerJob *job);

/* The job's memory for the current database; NULL: there is none. */
extern void *worker_shared(const WorkerJob *job);

/* Has the current database's worker run its jobs, from now on or after commit. */
extern void worker_wake(void);
extern void worker_wake_at_commit(void);

/*
 * For those who wait for a job to get on: returns when it has said so by
 * worker_progress(), or after so many milliseconds.  What is waited for is
 * looked at between worker_await_begin() and each call.
 */
extern void worker_await_begin(void);
extern void worker_await(long timeout);
extern void worker_await_end(void);
extern void worker_progress(void);

/* Something that failed is tried again after a pause, and ever later. */
typedef struct WorkerBackoff
{
	int			pause;			/* in milliseconds; 0: it has not failed */
	TimestampTz retry_at;
} WorkerBackoff;

/* prototypes for functions in worker_process.c */
extern bool worker_is_to_leave(void);

/*
 * In PG_CATCH, outside a subtransaction: reports the error, aborts the
 * transaction and goes on in this memory context.
 */
extern void worker_recover(MemoryContext context);

/* After a failure: the pause, in milliseconds. */
extern int	worker_back_off(WorkerBackoff *backoff);

/* What is left of the pause, in milliseconds; 0: try it. */
extern int	worker_backs_off(const WorkerBackoff *backoff);

extern void worker_init(void);

#endif							/* PT_WORKER_H */
