/*
 * ptchurn.c
 *	  Removing the entries of old row versions when a page has become full.
 *
 * An update that cannot stay on the row's heap page, or changes an indexed
 * column of another index, adds an entry with an equal key here.  Before such
 * an entry splits a page, the table is asked which of the page's entries point
 * to versions that nobody can see any more.  The table decides how many heap
 * pages that is worth; entries with equal keys are the promising ones.
 *
 * Only an exclusive lock is needed: the row pointers of the heap are reused
 * after VACUUM alone, which locks every leaf page for cleanup before.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/transam.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"

#include "ptree/ptree_private.h"

static void describe_entries(Page page, const PtKey *key,
							 TM_IndexDeleteOp *op);
static bool equal_but_tid(const PtKey *a, const PtKey *b);
static void remove_entries(Relation rel, Buffer buf,
						   const TM_IndexDeleteOp *op,
						   TransactionId horizon);
static FullTransactionId full_xid(TransactionId xid);

/*
 * Makes room for an entry with this key on a leaf page if it lacks the room
 * and has entries of dead versions.  The page is exclusively locked, and
 * remains so.
 */
void
_pt_remove_versions(Relation rel, Relation heap, Buffer buf, const PtKey *key)
{
	Page		page = BufferGetPage(buf);
	int			count = PtPageCount(page);
	TM_IndexDeleteOp op;
	TransactionId horizon;

	if (count == 0 || !_pt_must_split(page, key))
		return;

	op.irel = rel;
	op.iblknum = BufferGetBlockNumber(buf);
	op.bottomup = true;
	op.bottomupfreespace = PT_PAGE_SPACE / 16;
	op.ndeltids = count;
	op.deltids = palloc(count * sizeof(TM_IndexDelete));
	op.status = palloc(count * sizeof(TM_IndexStatus));
	describe_entries(page, key, &op);

	horizon = table_index_delete_tuples(heap, &op);
	if (op.ndeltids > 0)
		remove_entries(rel, buf, &op, horizon);

	pfree(op.deltids);
	pfree(op.status);
}

/* Tells the table of the page's entries. */
static void
describe_entries(Page page, const PtKey *key, TM_IndexDeleteOp *op)
{
	uint16		slots[PT_MAX_ENTRIES];
	int			nitems;
	PtItem	   *items = _pt_page_items(page, 0, &nitems);
	PtPlace		from;
	PtPlace		to;

	/* in key order, too */
	_pt_begin(page, &from);
	_pt_end(page, &to);
	(void) _pt_slots_between(page, &from, &to, slots);

	for (int i = 0; i < nitems; i++)
	{
		const PtKey *own = &items[i].key;
		TM_IndexStatus *status = &op->status[i];

		_pt_decode_tid(own->tail + own->taillen - PT_TID_SIZE,
					   &op->deltids[i].tid);
		op->deltids[i].id = i;
		status->idxoffnum = slots[i] + 1;
		status->knowndeletable = false;
		status->promising = equal_but_tid(own, key) ||
			(i > 0 && equal_but_tid(own, &items[i - 1].key)) ||
			(i + 1 < nitems && equal_but_tid(own, &items[i + 1].key));
		status->freespace = _pt_entry_size(true, own, false, 0);
	}
	_pt_free_items(items, nitems);
}

static bool
equal_but_tid(const PtKey *a, const PtKey *b)
{
	return a->len == b->len &&
		memcmp(a->data, b->data, a->len) == 0 &&
		memcmp(a->tail, b->tail, a->taillen - PT_TID_SIZE) == 0;
}

/*
 * Removes the slots of deletable entries, which gives the caller's insertion
 * room when it forms the page anew.
 */
static void
remove_entries(Relation rel, Buffer buf, const TM_IndexDeleteOp *op,
			   TransactionId horizon)
{
	bool		dead[PT_MAX_ENTRIES] = {false};
	bool		any = false;

	for (int i = 0; i < op->ndeltids; i++)
	{
		const TM_IndexStatus *status = &op->status[op->deltids[i].id];

		if (status->knowndeletable)
			dead[status->idxoffnum - 1] = any = true;
	}
	if (!any)
		return;

	/* standby queries may still see the versions */
	if (RelationNeedsWAL(rel) && XLogStandbyInfoActive() &&
		TransactionIdIsValid(horizon))
		_pt_wal_conflict(rel, BufferGetBlockNumber(buf), full_xid(horizon));
	_pt_remove_slots(rel, buf, dead);
}

/* A transaction id of the past with its epoch. */
static FullTransactionId
full_xid(TransactionId xid)
{
	FullTransactionId next = ReadNextFullTransactionId();
	uint32		epoch = EpochFromFullTransactionId(next);

	if (xid > XidFromFullTransactionId(next))
		epoch--;
	return FullTransactionIdFromEpochAndXid(epoch, xid);
}
