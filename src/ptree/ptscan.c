/*
 * ptscan.c
 *	  Index scans, forward and backward, and bitmap scans.
 *
 * A scan copies the TIDs of a page that are in its range, and the part of the
 * key space they come from, and unlocks the page.  It goes on to the right by
 * the page's right link, to the left by descending to the keys right before
 * that part; what happened to the page meanwhile does not matter.
 *
 * VACUUM takes a cleanup lock on each leaf page.  A scan without an MVCC
 * snapshot keeps its pin until it leaves the page, so that no row it is about
 * to fetch is replaced by another; an MVCC snapshot does not see such a row
 * and drops the pin.  Killed entries are neither marked nor removed here:
 * generic redo would not mask the marks.
 */
#include "postgres.h"

#include "access/relscan.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "ptree/ptree_private.h"

/* The entries of a page within a range. */
typedef struct PtScanPos
{
	bool		valid;
	int64		range;
	Buffer		buf;			/* pinned if the snapshot asks for it */
	BlockNumber next;			/* where high is, or invalid: descend */
	PtKey		low;			/* the part of the range that was read */
	PtKey		high;
	bool		more_left;		/* the range goes on beyond it */
	bool		more_right;
	int			count;
	int			current;
	uint8		low_data[PT_MAX_KEY + 1];
	uint8		high_data[PT_MAX_KEY + 1];
	ItemPointerData tids[PT_MAX_ENTRIES];
} PtScanPos;

typedef struct PtScanData
{
	MemoryContext context;		/* of what keys hold for one rescan */
	PtScanKeys *keys;
	PtKey		lower;			/* of pos.range */
	PtKey		upper;
	PtScanPos  *mark;			/* NULL until a position is marked */
	PtScanPos	pos;			/* large: only its beginning is set up */
} PtScanData;

typedef PtScanData *PtScan;

static bool scan_ranges(IndexScanDesc scan, int64 from,
						ScanDirection direction);
static bool start_range(IndexScanDesc scan, int64 range,
						ScanDirection direction);
static bool next_page(IndexScanDesc scan, ScanDirection direction);
static bool next_range(IndexScanDesc scan, ScanDirection direction);
static void load_page(IndexScanDesc scan, Buffer buf, const PtKey *left,
					  const PtKey *right);
static void load_tids(PtScanPos *pos, Page page, const PtPlace *from,
					  const PtPlace *to);
static void keep_key(PtKey *dest, uint8 *data, const PtKey *src);
static void release_pos(PtScanPos *pos);
static void copy_pos(PtScanPos *dest, const PtScanPos *src);

IndexScanDesc
ptbeginscan(Relation rel, int nkeys, int norderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(rel, nkeys, norderbys);
	PtScan		so = palloc(sizeof(PtScanData));

	memset(so, 0, offsetof(PtScanData, pos) + offsetof(PtScanPos, low_data));
	so->context = AllocSetContextCreate(CurrentMemoryContext,
										"ptree scan keys",
										ALLOCSET_SMALL_SIZES);
	so->keys = _pt_create_keys(rel);
	scan->opaque = so;
	return scan;
}

void
ptrescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys,
		 int norderbys)
{
	PtScan		so = (PtScan) scan->opaque;
	MemoryContext old;

	release_pos(&so->pos);
	if (so->mark != NULL)
		release_pos(so->mark);

	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys,
				scan->numberOfKeys * sizeof(ScanKeyData));

	/* values may go away with the caller's context, but not their encoding */
	MemoryContextReset(so->context);
	old = MemoryContextSwitchTo(so->context);
	_pt_prepare_keys(so->keys, scan->keyData, scan->numberOfKeys);
	MemoryContextSwitchTo(old);
}

bool
ptgettuple(IndexScanDesc scan, ScanDirection direction)
{
	PtScan		so = (PtScan) scan->opaque;
	bool		forward = ScanDirectionIsForward(direction);
	bool		found;

	scan->xs_recheck = _pt_keys_recheck(so->keys);

	if (!so->pos.valid)
		found = scan_ranges(scan, forward ? 0 :
							_pt_range_count(so->keys) - 1, direction);
	else
	{
		so->pos.current += forward ? 1 : -1;
		found = (so->pos.current >= 0 && so->pos.current < so->pos.count) ||
			next_page(scan, direction) || next_range(scan, direction);
	}

	if (found)
		scan->xs_heaptid = so->pos.tids[so->pos.current];
	else
		release_pos(&so->pos);
	return found;
}

int64
ptgetbitmap(IndexScanDesc scan, TIDBitmap *tbm)
{
	PtScan		so = (PtScan) scan->opaque;
	bool		recheck = _pt_keys_recheck(so->keys);
	int64		ntids = 0;
	bool		found;

	found = scan_ranges(scan, 0, ForwardScanDirection);
	while (found)
	{
		tbm_add_tuples(tbm, so->pos.tids, so->pos.count, recheck);
		ntids += so->pos.count;
		found = next_page(scan, ForwardScanDirection) ||
			next_range(scan, ForwardScanDirection);
	}
	release_pos(&so->pos);
	return ntids;
}

void
ptendscan(IndexScanDesc scan)
{
	PtScan		so = (PtScan) scan->opaque;

	release_pos(&so->pos);
	if (so->mark != NULL)
	{
		release_pos(so->mark);
		pfree(so->mark);
	}
	MemoryContextDelete(so->context);
	pfree(so);
}

void
ptmarkpos(IndexScanDesc scan)
{
	PtScan		so = (PtScan) scan->opaque;

	if (so->mark == NULL)
	{
		so->mark = MemoryContextAlloc(GetMemoryChunkContext(so),
									  sizeof(PtScanPos));
		so->mark->buf = InvalidBuffer;
	}
	release_pos(so->mark);
	if (so->pos.valid)
		copy_pos(so->mark, &so->pos);
}

void
ptrestrpos(IndexScanDesc scan)
{
	PtScan		so = (PtScan) scan->opaque;

	release_pos(&so->pos);
	if (so->mark != NULL && so->mark->valid)
	{
		copy_pos(&so->pos, so->mark);
		_pt_range(so->keys, so->pos.range, &so->lower, &so->upper);
	}
}

/*
 * Positions at the first entry, in the direction, of the first range from the
 * given one on that has any.
 */
static bool
scan_ranges(IndexScanDesc scan, int64 from, ScanDirection direction)
{
	PtScan		so = (PtScan) scan->opaque;
	int64		nranges = _pt_range_count(so->keys);
	int64		step = ScanDirectionIsForward(direction) ? 1 : -1;

	for (int64 range = from; range >= 0 && range < nranges; range += step)
	{
		CHECK_FOR_INTERRUPTS();
		if (start_range(scan, range, direction))
			return true;
	}
	return false;
}

static bool
next_range(IndexScanDesc scan, ScanDirection direction)
{
	PtScan		so = (PtScan) scan->opaque;

	return scan_ranges(scan, so->pos.range +
					   (ScanDirectionIsForward(direction) ? 1 : -1),
					   direction);
}

static bool
start_range(IndexScanDesc scan, int64 range, ScanDirection direction)
{
	PtScan		so = (PtScan) scan->opaque;
	Relation	rel = scan->indexRelation;
	Buffer		buf;
	bool		hinted;

	_pt_range(so->keys, range, &so->lower, &so->upper);
	release_pos(&so->pos);
	so->pos.range = range;
	if (_pt_compare(&so->lower, &so->upper) >= 0)
		return false;

	pgstat_count_index_scan(rel);
	if (ScanDirectionIsForward(direction))
		buf = _pt_find_leaf(rel, &so->lower, false, BUFFER_LOCK_SHARE,
							&hinted);
	else
		buf = _pt_find_leaf(rel, &so->upper, true, BUFFER_LOCK_SHARE,
							&hinted);
	load_page(scan, buf, &so->lower, &so->upper);

	if (so->pos.count == 0)
		return next_page(scan, direction);
	so->pos.current = ScanDirectionIsForward(direction) ? 0 :
		so->pos.count - 1;
	return true;
}

/*
 * Goes on to the next page of the range that has entries in it.
 */
static bool
next_page(IndexScanDesc scan, ScanDirection direction)
{
	PtScan		so = (PtScan) scan->opaque;
	PtScanPos  *pos = &so->pos;
	Relation	rel = scan->indexRelation;

	if (ScanDirectionIsForward(direction))
	{
		while (pos->more_right)
		{
			BlockNumber next = pos->next;
			Buffer		buf;

			CHECK_FOR_INTERRUPTS();
			if (next == InvalidBlockNumber)
				buf = _pt_descend(rel, &pos->high, false, 0,
								  BUFFER_LOCK_SHARE);
			else
			{
				buf = _pt_read(rel, next, BUFFER_LOCK_SHARE);
				while (_pt_page_deleted(BufferGetPage(buf)))
				{
					next = PtPageGetOpaque(BufferGetPage(buf))->next;
					_pt_release(buf);
					buf = _pt_read(rel, next, BUFFER_LOCK_SHARE);
				}
			}
			load_page(scan, buf, &pos->high, &so->upper);
			pos->current = 0;
			if (pos->count > 0)
				return true;
		}
	}
	else
	{
		while (pos->more_left)
		{
			CHECK_FOR_INTERRUPTS();
			load_page(scan, _pt_descend(rel, &pos->low, true, 0,
										BUFFER_LOCK_SHARE),
					  &so->lower, &pos->low);
			pos->current = pos->count - 1;
			if (pos->count > 0)
				return true;
		}
	}
	return false;
}

/*
 * Copies the entries of a locked leaf page from left, included, to right,
 * excluded, both of which may be keys of the position that is overwritten.
 */
static void
load_page(IndexScanDesc scan, Buffer buf, const PtKey *left,
		  const PtKey *right)
{
	PtScan		so = (PtScan) scan->opaque;
	PtScanPos  *pos = &so->pos;
	Page		page = BufferGetPage(buf);
	PtPlace		from;
	PtPlace		to;
	PtKey		low;
	PtKey		high;
	bool		at_lower = false;
	bool		at_upper = false;

	PredicateLockPage(scan->indexRelation, BufferGetBlockNumber(buf),
					  scan->xs_snapshot);

	_pt_get_low(page, &low);
	_pt_get_high(page, &high);
	_pt_locate(page, left, &from);
	pos->next = PtPageGetOpaque(page)->next;
	if (_pt_compare(&high, right) > 0)
	{
		high = *right;
		at_upper = right == &so->upper;
		pos->next = InvalidBlockNumber;
		_pt_locate_near(page, right, &from, &to);
	}
	else
		_pt_end(page, &to);
	if (_pt_compare(&low, left) < 0)
	{
		low = *left;
		at_lower = left == &so->lower;
	}

	load_tids(pos, page, &from, &to);

	/* a key may be the other one of the position */
	if (low.data == pos->high_data)
	{
		keep_key(&pos->low, pos->low_data, &low);
		keep_key(&pos->high, pos->high_data, &high);
	}
	else
	{
		keep_key(&pos->high, pos->high_data, &high);
		keep_key(&pos->low, pos->low_data, &low);
	}
	pos->more_left = !at_lower && _pt_compare(&pos->low, &so->lower) > 0;
	pos->more_right = !at_upper && _pt_compare(&pos->high, &so->upper) < 0;
	pos->valid = true;

	if (BufferIsValid(pos->buf))
		ReleaseBuffer(pos->buf);
	pos->buf = InvalidBuffer;
	if (IsMVCCSnapshot(scan->xs_snapshot))
		_pt_release(buf);
	else
	{
		LockBuffer(buf, BUFFER_LOCK_UNLOCK);
		pos->buf = buf;
	}
}

/* Copies the TIDs between two places. */
static void
load_tids(PtScanPos *pos, Page page, const PtPlace *from, const PtPlace *to)
{
	uint16		slots[PT_MAX_ENTRIES];
	bool		merge = from->late < to->late;

	pos->count = merge ? _pt_slots_between(page, from, to, slots) :
		to->sorted - from->sorted;
	for (int i = 0; i < pos->count; i++)
		_pt_decode_tid(_pt_entry_tid(page, merge ? slots[i] :
									 from->sorted + i), &pos->tids[i]);
}

static void
keep_key(PtKey *dest, uint8 *data, const PtKey *src)
{
	*dest = *src;
	if (src->len > 0)
		memmove(data, src->data, src->len);
	dest->data = data;
}

static void
release_pos(PtScanPos *pos)
{
	if (BufferIsValid(pos->buf))
		ReleaseBuffer(pos->buf);
	pos->buf = InvalidBuffer;
	pos->valid = false;
	pos->more_left = false;
	pos->more_right = false;
}

static void
copy_pos(PtScanPos *dest, const PtScanPos *src)
{
	memcpy(dest, src, offsetof(PtScanPos, low_data));
	keep_key(&dest->low, dest->low_data, &src->low);
	keep_key(&dest->high, dest->high_data, &src->high);
	memcpy(dest->tids, src->tids, src->count * sizeof(ItemPointerData));
	if (BufferIsValid(dest->buf))
		IncrBufferRefCount(dest->buf);
}
