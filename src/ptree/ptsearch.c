/*
 * ptsearch.c
 *	  Descending the tree.
 *
 * A descent holds one lock at a time.  A page may be split or deleted between
 * reading the link to it and locking it; its keys then are to the right, so
 * every arrival moves right until the page's high fence is beyond the key.
 * What a link leads to can be deleted meanwhile but not reused, see README.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/bufmgr.h"

#include "ptree/ptree_private.h"

static Buffer find_by_hint(Relation rel, const PtKey *key, bool strict,
						   int level, int access);
static Buffer descend_from(Relation rel, Buffer buf, const PtKey *key,
						   bool strict, int level, int access);
static Buffer get_root(Relation rel, int level, int access);
static Buffer move_right(Relation rel, Buffer buf, const PtKey *key,
						 bool strict, int lock, bool finish);

bool
_pt_page_deleted(Page page)
{
	return (PtPageGetOpaque(page)->flags & PT_DELETED) != 0;
}

/*
 * Returns the leaf page to which a key belongs, like _pt_descend(), but tries
 * the page where the session last found a key with about this hash, and then
 * the page above it.  If a live page of a level has the key between its fences
 * it is the right one, however we came to know of it.
 *
 * But a leaf page found by hint may be the right half of an incomplete split,
 * which a descent would have finished; so a writer must not split the page if
 * *hinted is set.  That does not hold for a page to which we came by a link
 * from above, wherever the page with the link was found.
 */
Buffer
_pt_find_leaf(Relation rel, const PtKey *key, bool strict, int access,
			  bool *hinted)
{
	Buffer		buf = find_by_hint(rel, key, strict, 0, access);

	*hinted = BufferIsValid(buf);
	if (*hinted)
		return buf;

	buf = find_by_hint(rel, key, strict, 1, BUFFER_LOCK_SHARE);
	if (BufferIsValid(buf))
		buf = descend_from(rel, buf, key, strict, 0, access);
	else
		buf = _pt_descend(rel, key, strict, 0, access);
	_pt_set_hint(rel, key, 0, buf);
	return buf;
}

/* The page of a level that is remembered for a key, if it is the right one. */
static Buffer
find_by_hint(Relation rel, const PtKey *key, bool strict, int level,
			 int access)
{
	Buffer		buf = _pt_get_hint(rel, key, level);
	Page		page;
	PtPageOpaque opaque;

	if (!BufferIsValid(buf))
		return InvalidBuffer;

	LockBuffer(buf, access);
	_pt_check_page(rel, buf);
	page = BufferGetPage(buf);
	opaque = PtPageGetOpaque(page);
	if (opaque->level == level &&
		(opaque->flags & (PT_DELETED | PT_META)) == 0 &&
		(access != BUFFER_LOCK_EXCLUSIVE ||
		 (opaque->flags & PT_INCOMPLETE_SPLIT) == 0) &&
		!_pt_before_page(page, key, strict) &&
		!_pt_beyond_page(page, key, strict))
		return buf;
	_pt_release(buf);
	return InvalidBuffer;
}

/*
 * Returns the page of a level to which a key belongs, pinned and with the
 * given lock: low <= key < high or, if strict, low < key <= high; the latter
 * is where the entries right before the key are.
 *
 * A writer, which asks for an exclusive lock, finishes the incomplete splits
 * that it meets on its way.
 */
Buffer
_pt_descend(Relation rel, const PtKey *key, bool strict, int level,
			int access)
{
	return descend_from(rel, get_root(rel, level, access), key, strict, level,
						access);
}

/*
 * The same from a page that is not to the right of the key's place, and is
 * locked exclusively only if it is on the level asked for.
 */
static Buffer
descend_from(Relation rel, Buffer buf, const PtKey *key, bool strict,
			 int level, int access)
{
	bool		finish = access == BUFFER_LOCK_EXCLUSIVE;

	for (;;)
	{
		int			here = PtPageGetOpaque(BufferGetPage(buf))->level;
		BlockNumber child;
		int			lock;
		Page		page;

		lock = here == level ? access : BUFFER_LOCK_SHARE;
		buf = move_right(rel, buf, key, strict, lock, finish);
		if (here == level)
			return buf;
		if (here == 1)
			_pt_set_hint(rel, key, 1, buf);

		_pt_find_child(rel, buf, key, strict, &child);
		_pt_release(buf);

		lock = here - 1 == level ? access : BUFFER_LOCK_SHARE;
		buf = _pt_read(rel, child, lock);
		page = BufferGetPage(buf);
		if (PtPageGetOpaque(page)->level != here - 1 ||
			(PtPageGetOpaque(page)->flags & PT_META) != 0)
			_pt_report_corrupt(rel, child,
							   "The page is not on the level of the link to it.");
	}
}

/* The root, locked as the target if it is on the target's level. */
static Buffer
get_root(Relation rel, int level, int access)
{
	BlockNumber blkno;
	uint32		root_level;
	bool		cached = true;

	_pt_cached_root(rel, &blkno, &root_level);
	for (;;)
	{
		Buffer		buf;
		PtPageOpaque opaque;

		if (level <= (int) root_level)
		{
			buf = _pt_read(rel, blkno, level == (int) root_level ?
						   access : BUFFER_LOCK_SHARE);
			opaque = PtPageGetOpaque(BufferGetPage(buf));
			if (opaque->level == root_level &&
				(opaque->flags & (PT_DELETED | PT_META)) == 0 &&
				opaque->prev == InvalidBlockNumber &&
				(!cached || opaque->next == InvalidBlockNumber))
				return buf;
			_pt_release(buf);
		}
		if (!cached)
			_pt_report_corrupt(rel, blkno, "The page cannot be the root.");

		/*
		 * The true root has a right sibling while its split is incomplete.
		 */
		_pt_read_root(rel, &blkno, &root_level);
		cached = false;
	}
}

/*
 * Moves right to the page where the key belongs.  The buffer is locked in
 * mode lock on entry and on exit.
 */
static Buffer
move_right(Relation rel, Buffer buf, const PtKey *key, bool strict, int lock,
		   bool finish)
{
	for (;;)
	{
		Page		page = BufferGetPage(buf);
		BlockNumber next = PtPageGetOpaque(page)->next;

		if (finish &&
			(PtPageGetOpaque(page)->flags & PT_INCOMPLETE_SPLIT) != 0)
		{
			BlockNumber here = BufferGetBlockNumber(buf);

			if (lock != BUFFER_LOCK_EXCLUSIVE)
			{
				LockBuffer(buf, BUFFER_LOCK_UNLOCK);
				LockBuffer(buf, BUFFER_LOCK_EXCLUSIVE);
			}
			if ((PtPageGetOpaque(page)->flags & PT_INCOMPLETE_SPLIT) != 0)
				_pt_finish_split(rel, buf);
			else
				_pt_release(buf);
			buf = _pt_read(rel, here, lock);
			continue;
		}

		if (!_pt_page_deleted(page) && !_pt_beyond_page(page, key, strict))
			return buf;

		if (next == InvalidBlockNumber)
			_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
							   "The page lacks a right sibling.");
		_pt_release(buf);
		CHECK_FOR_INTERRUPTS();
		buf = _pt_read(rel, next, lock);
	}
}

/*
 * The entry of an inner page that leads to a key, and its child.
 */
int
_pt_find_child(Relation rel, Buffer buf, const PtKey *key, bool strict,
			   BlockNumber *child)
{
	Page		page = BufferGetPage(buf);
	int			slot = _pt_bisect(page, key, !strict) - 1;
	PtEntry		entry;

	if (slot < 0)
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "The page has no entry for a key within its fences.");
	_pt_get_entry(page, slot, &entry);
	*child = entry.child;
	return slot;
}
