/*
 * gsi.h
 *	  Global indexes: tables of entries that follow the items of an item table.
 *
 * An item has one entry in a global index if it has all key attributes of the
 * index, with values that can be keys; otherwise it has none.  Whoever changes
 * a row of an item table, by whatever means, has the entries follow through
 * the row trigger and its callback (store_trigger.c): for a synchronous index
 * in the same transaction, as the owner of the index table.  For an
 * asynchronous one the callback appends to a queue (gsi_queue.c), and a
 * background worker applies what has been committed (gsi_worker.c).
 */
#ifndef PT_GSI_H
#define PT_GSI_H

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

#include "meta/meta.h"

extern void gsi_init(void);

/* prototypes for functions in gsi_build.c */

/*
 * Makes an index of a table that the caller owns and fills it from what is
 * there.  Writers of the table are blocked until the transaction ends; not so
 * for an asynchronous index, which the worker fills.
 */
extern Oid	gsi_create(const ItemTable *table, ItemIndex *index);

/* Makes the entries of an index anew, and the index table if it is lost. */
extern void gsi_rebuild(const ItemTable *table, const ItemIndex *index);

/* Changes its propagation.  Writers of the table wait as above. */
extern void gsi_alter(const ItemTable *table, const ItemIndex *index,
					  bool synchronous);
extern void gsi_drop(const ItemTable *table, const ItemIndex *index);

/* prototypes for functions in gsi_order.c */

/*
 * Around a call that changes several items: entries of unique indexes are
 * written at its end, in one order, which may wait for others.  After an error
 * the call need not be ended.
 */
extern void gsi_call_begin(void);
extern void gsi_call_end(void);
extern bool gsi_call_may_wait(void);

/*
 * When an error has ended that: whose entry it was, copied; false when the
 * error came from elsewhere.
 */
extern bool gsi_call_blocked(Oid *relid, ItemKey *key);

/* prototypes for functions in gsi_flush.c */

/*
 * Waits until an index shows all that was committed before the call; false
 * when so many milliseconds are over (negative: no limit).
 */
extern bool gsi_flush(const ItemTable *table, const ItemIndex *index,
					  int64 timeout);

/* prototypes for functions in gsi_verify.c */

/*
 * Compares table and index in one snapshot.  Rows of the result: what is
 * wrong, the key in the index, the item's key.
 */
extern void gsi_verify(const ItemTable *table, const ItemIndex *index,
					   Tuplestorestate *result, TupleDesc desc);

#endif							/* PT_GSI_H */
