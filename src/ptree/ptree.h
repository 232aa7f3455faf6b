/*
 * ptree.h
 *	  The index access method ptree: what other folders may call.
 *
 * Everything else goes through the index access method interface.
 */
#ifndef PT_PTREE_H
#define PT_PTREE_H

#include "storage/itemptr.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#define PTREE_PROBE_TIDS	4

/* The entries of one key. */
typedef struct PtreeProbe
{
	int			n;				/* TIDs found */
	bool		overflow;		/* there are more: a scan must do it */
	bool		recheck;		/* a row found may have another key */
	ItemPointerData tids[PTREE_PROBE_TIDS];
} PtreeProbe;

/* prototypes for functions in ptree.c */
extern void ptree_init(void);

/* Whether an open index is a ptree. */
extern bool ptree_is_index(Relation index);

/* prototypes for functions in ptprobe.c */

/*
 * Looks for the entries of one key: a value, not null, for each key column, or
 * for each but the last bigint.  It is what an index scan with "=" on these
 * columns does, without its state: a page lock is taken and given up again, so
 * the snapshot with which the rows are fetched must be an MVCC snapshot; under
 * SERIALIZABLE it leaves the same predicate lock.
 *
 * There is nothing to keep for an insertion that follows: the page that was
 * found is remembered for its part of the hash range, and an insertion of the
 * key comes to it without a descent.
 */
extern void ptree_probe(Relation index, const Datum *values,
						Snapshot snapshot, PtreeProbe *probe);

#endif							/* PT_PTREE_H */
