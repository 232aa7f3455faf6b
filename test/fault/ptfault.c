/*
 * ptfault.c
 *	  Fault points of ptree: places where a test has an error raised or the
 *	  server crash.
 *
 * This file and the access method, compiled with PTREE_FAULTS, make a library
 * of their own, which tests load beside the extension's and to which they turn
 * the access method's functions.  What is installed has no fault points.
 *
 * ptree_test.fault is "POINT:ACTION", the action being error, crash, log or
 * wait; ptree_test.skip is how often the point is passed before that.  "wait"
 * waits while there is a file ptree_wait in the data directory.
 */
#include "postgres.h"

#include <signal.h>
#include <unistd.h>

#include "access/xlog.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "ptree/ptree.h"
#include "ptree/ptree_private.h"

PG_MODULE_MAGIC;

#define WAIT_FILE		"ptree_wait"
#define WAIT_LIMIT_MS	60000

static char *fault = NULL;
static int	skip = 0;

void		_PG_init(void);

void
_PG_init(void)
{
	DefineCustomStringVariable("ptree_test.fault",
							   "Fault point and action.", NULL, &fault, "",
							   PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("ptree_test.skip",
							"How often the fault point is passed before.",
							NULL, &skip, 0, 0, INT_MAX, PGC_SUSET, 0, NULL,
							NULL, NULL);
	ptree_init();
}

void
_pt_fault(const char *point)
{
	size_t		len = strlen(point);
	const char *action;

	if (fault == NULL || strncmp(fault, point, len) != 0 || fault[len] != ':')
		return;
	if (skip > 0)
	{
		skip--;
		return;
	}

	action = fault + len + 1;
	if (strcmp(action, "error") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("ptree fault point \"%s\"", point)));
	ereport(LOG,
			(errmsg("ptree fault point \"%s\": %s", point, action)));
	if (strcmp(action, "crash") == 0)
	{
		/* the records up to here are to survive */
		XLogFlush(XactLastRecEnd);
		kill(MyProcPid, SIGKILL);
		pg_usleep(60 * USECS_PER_SEC);
	}
	else if (strcmp(action, "wait") == 0)
	{
		/* buffer locks may be held, so no interrupt would end this */
		for (int ms = 0; ms < WAIT_LIMIT_MS && access(WAIT_FILE, F_OK) == 0;
			 ms += 10)
			pg_usleep(10000);
	}
}
