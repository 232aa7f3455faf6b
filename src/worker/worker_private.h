/*
 * worker_private.h
 *	  What the files of worker/ share: the memory that all processes see.
 */
#ifndef PT_WORKER_PRIVATE_H
#define PT_WORKER_PRIVATE_H

#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/latch.h"
#include "storage/lwlock.h"

#include "worker/worker.h"

/* Databases that may have a worker; more than that have to take turns. */
#define WORKER_DATABASES	128

/*
 * A database.  "wanted" is set before latch is looked at, and latch is taken
 * away before a worker that leaves looks at wanted, so no wish is lost.  All
 * else is changed under the lock; a latch may be set without it, because the
 * memory of one outlives its process.
 */
typedef struct WorkerDatabase
{
	Oid			database;		/* InvalidOid: free */
	pg_atomic_uint32 wanted;	/* there is work that no run has begun on */
	Latch	   *latch;			/* of the worker, where one runs */
	pid_t		pid;			/* the same, 0: none */
	bool		starting;		/* the server has been asked for one */
	bool		leave;			/* it is to end */
	int			holds;			/* commands that want the database for
								 * themselves */
	TimestampTz not_before;		/* after a failure */
	ConditionVariable progress; /* of a job, or an end */
} WorkerDatabase;

typedef struct WorkerShared
{
	LWLock	   *lock;
	Latch	   *launcher;
	WorkerDatabase databases[WORKER_DATABASES];
} WorkerShared;

/* NULL: the library was not preloaded. */
extern WorkerShared *worker_state;

/* prototypes for functions in worker.c */
extern int	worker_job_count(void);
extern const WorkerJob *worker_job(int i);

/*
 * Under the lock, exclusively: the entry of a database, made if that is
 * wanted and there is room; or NULL.
 */
extern WorkerDatabase *worker_database(Oid database, bool make);
extern void worker_database_free(WorkerDatabase *entry);
extern void worker_wake_launcher(void);

/* prototypes for functions in worker_launcher.c */
extern void worker_register_launcher(void);
extern PGDLLEXPORT void worker_launcher_main(Datum arg);

/* prototypes for functions in worker_process.c */
extern PGDLLEXPORT void worker_process_main(Datum arg);

/* prototypes for functions in worker_utility.c */
extern void worker_utility_init(void);

#endif							/* PT_WORKER_PRIVATE_H */
