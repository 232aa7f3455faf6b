/*
 * ptdelete.c
 *	  Taking an empty leaf page out of the tree.
 *
 * It is done in one step, with one WAL record: the left sibling, the page, the
 * right sibling and the parent are locked, in this order, which is that of
 * splits.  The page's key space goes to its right sibling, which gets its low
 * fence; in the parent the page's entry now leads to the right sibling, whose
 * own entry is removed.  So the right sibling must have the same parent: the
 * last child of an inner page is not deleted, and inner pages never are.
 *
 * A scan or a descent may have read a link to the page before.  It finds the
 * page marked as deleted, with its right link in place, for as long as the
 * transaction id stored in the page is not older than every snapshot.
 */
#include "postgres.h"

#include "access/transam.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"

#include "ptree/ptree_private.h"

/* All that a deletion locks. */
typedef struct PtDelete
{
	Relation	rel;
	Buffer		left;			/* invalid if the page is the leftmost */
	Buffer		buf;
	Buffer		right;
	Buffer		parent;
	int			slot;			/* of the page in its parent */
	PGAlignedBlock new_right;
} PtDelete;

static bool lock_siblings(PtDelete *del, BlockNumber blkno);
static bool lock_parent(PtDelete *del);
static bool form_right(PtDelete *del);
static void unlink_page(PtDelete *del);
static bool deletable(Page page);
static void release(Buffer buf);

/*
 * Deletes a leaf page if it is empty and nothing stands against it.  Returns
 * whether it did; if not, a later VACUUM tries again.
 */
bool
_pt_delete_page(Relation rel, BlockNumber blkno)
{
	PtDelete	del;
	bool		done;

	PT_FAULT("delete");
	del.rel = rel;
	del.left = del.buf = del.right = del.parent = InvalidBuffer;

	done = lock_siblings(&del, blkno) && lock_parent(&del) &&
		form_right(&del);
	if (done)
	{
		PT_FAULT("unlink");
		unlink_page(&del);
	}

	release(del.parent);
	release(del.right);
	release(del.buf);
	release(del.left);
	return done;
}

/* Locks the page between its siblings. */
static bool
lock_siblings(PtDelete *del, BlockNumber blkno)
{
	BlockNumber prev;
	BlockNumber next;
	Page		page;

	/* the left sibling comes first, so learn which one it is */
	del->buf = _pt_read(del->rel, blkno, BUFFER_LOCK_SHARE);
	page = BufferGetPage(del->buf);
	prev = PtPageGetOpaque(page)->prev;
	if (!deletable(page))
		return false;
	LockBuffer(del->buf, BUFFER_LOCK_UNLOCK);

	if (prev != InvalidBlockNumber)
	{
		PtPageOpaque left;

		del->left = ReadBuffer(del->rel, prev);
		LockBuffer(del->left, BUFFER_LOCK_EXCLUSIVE);
		_pt_check_page(del->rel, del->left);
		left = PtPageGetOpaque(BufferGetPage(del->left));

		/* it was split, or our link from the parent does not exist yet */
		if (left->next != blkno ||
			(left->flags & (PT_DELETED | PT_INCOMPLETE_SPLIT)) != 0)
		{
			ReleaseBuffer(del->buf);
			del->buf = InvalidBuffer;
			return false;
		}
	}

	LockBuffer(del->buf, BUFFER_LOCK_EXCLUSIVE);
	if (!deletable(page) || PtPageGetOpaque(page)->prev != prev)
		return false;

	next = PtPageGetOpaque(page)->next;
	del->right = _pt_read(del->rel, next, BUFFER_LOCK_EXCLUSIVE);
	if (PtPageGetOpaque(BufferGetPage(del->right))->prev != blkno)
		_pt_report_corrupt(del->rel, next,
						   "The left link does not match the sibling's right link.");
	return true;
}

/* Whether a page is one that can be deleted as far as itself can tell. */
static bool
deletable(Page page)
{
	PtPageOpaque opaque = PtPageGetOpaque(page);

	return opaque->level == 0 && PtPageCount(page) == 0 &&
		(opaque->flags & (PT_DELETED | PT_META | PT_INCOMPLETE_SPLIT)) == 0 &&
		opaque->next != InvalidBlockNumber;
}

/* Locks the parent; false if the right sibling has another one. */
static bool
lock_parent(PtDelete *del)
{
	BlockNumber blkno = BufferGetBlockNumber(del->buf);
	BlockNumber child;
	PtEntry		entry;
	PtKey		low;

	/* a page with a right sibling has a parent: its split is complete */
	_pt_get_low(BufferGetPage(del->buf), &low);
	del->parent = _pt_descend(del->rel, &low, false, 1,
							  BUFFER_LOCK_EXCLUSIVE);
	del->slot = _pt_find_child(del->rel, del->parent, &low, false, &child);
	if (child != blkno)
		_pt_report_corrupt(del->rel, BufferGetBlockNumber(del->parent),
						   "The page lacks the link to an empty page.");

	if (del->slot + 1 >= PtPageCount(BufferGetPage(del->parent)))
		return false;
	_pt_get_entry(BufferGetPage(del->parent), del->slot + 1, &entry);
	if (entry.child != BufferGetBlockNumber(del->right))
		_pt_report_corrupt(del->rel, BufferGetBlockNumber(del->parent),
						   "The page lacks the link to the right sibling of an empty page.");
	return true;
}

/* Forms the right sibling with the page's low fence; false if it is too long. */
static bool
form_right(PtDelete *del)
{
	Page		page = BufferGetPage(del->right);
	PtPageOpaque opaque = PtPageGetOpaque(page);
	PtPageOpaque formed;
	PtPageContent content;
	PtSizer		sizer;
	PtItem	   *items;

	items = _pt_page_items(page, 0, &content.nitems);
	content.items = items;
	content.level = 0;
	content.taillen = opaque->taillen;
	_pt_get_low(BufferGetPage(del->buf), &content.low);
	_pt_get_high(page, &content.high);

	_pt_sizer_init(&sizer, true);
	for (int i = 0; i < content.nitems; i++)
		_pt_sizer_add(&sizer, &items[i].key);
	if (_pt_sizer_total(&sizer) + _pt_fence_size(&content.low) +
		_pt_fence_size(&content.high) > (int) PT_PAGE_SPACE)
	{
		_pt_free_items(items, content.nitems);
		return false;
	}

	_pt_form_page(del->new_right.data, &content);
	formed = PtPageGetOpaque(del->new_right.data);
	formed->prev = PtPageGetOpaque(BufferGetPage(del->buf))->prev;
	formed->next = opaque->next;
	formed->flags = opaque->flags;
	formed->cycleid = opaque->cycleid;
	_pt_free_items(items, content.nitems);
	return true;
}

/* Does it. */
static void
unlink_page(PtDelete *del)
{
	FullTransactionId safexid = ReadNextFullTransactionId();
	Page		page = BufferGetPage(del->buf);
	PtPageOpaque opaque = PtPageGetOpaque(page);
	Page		parent = BufferGetPage(del->parent);
	PtSlot	   *slots = PtPageSlots(parent);
	int			count = PtPageCount(parent);
	BlockNumber right = BufferGetBlockNumber(del->right);
	PtEntry		entry;
	char	   *link;
	PtWal		wal;

	/* the child of an inner entry lies before its tail and the tail's length */
	_pt_get_entry(parent, del->slot, &entry);
	link = (char *) parent + (entry.tail - (const uint8 *) parent) -
		sizeof(uint8) - sizeof(BlockNumber);

	PredicateLockPageCombine(del->rel, BufferGetBlockNumber(del->buf), right);
	_pt_wal_init(&wal);

	START_CRIT_SECTION();
	memcpy(link, &right, sizeof(BlockNumber));
	memmove(&slots[del->slot + 1], &slots[del->slot + 2],
			(count - del->slot - 2) * sizeof(PtSlot));
	_pt_truncate_slots(parent, count - 1);
	MarkBufferDirty(del->parent);

	_pt_replace_page(BufferGetPage(del->right), del->new_right.data);
	MarkBufferDirty(del->right);

	if (BufferIsValid(del->left))
	{
		PtPageOpaque left = PtPageGetOpaque(BufferGetPage(del->left));

		left->next = right;
		MarkBufferDirty(del->left);
		_pt_wal_block(&wal, del->left);
		_pt_wal_fragment(&wal, &left->next, sizeof(left->next));
	}

	/* what remains is the right link */
	opaque->flags = PT_DELETED;
	opaque->low = opaque->high = opaque->prefix = 0;
	((PageHeader) page)->pd_lower = SizeOfPageHeaderData +
		sizeof(PtDeletedPageData);
	((PageHeader) page)->pd_upper = ((PageHeader) page)->pd_special;
	memset((char *) page + ((PageHeader) page)->pd_lower, 0,
		   PtPageFree(page));
	PtPageGetDeleted(page)->safexid = safexid;
	MarkBufferDirty(del->buf);

	_pt_wal_image(&wal, del->buf);
	_pt_wal_image(&wal, del->right);
	_pt_wal_block(&wal, del->parent);
	_pt_wal_fragment(&wal, &((PageHeader) parent)->pd_lower,
					 sizeof(LocationIndex));
	_pt_wal_fragment(&wal, &slots[del->slot + 1],
					 (count - del->slot - 2) * sizeof(PtSlot));
	_pt_wal_fragment(&wal, link, sizeof(BlockNumber));
	_pt_wal_insert(del->rel, &wal);
	END_CRIT_SECTION();
}

static void
release(Buffer buf)
{
	if (BufferIsValid(buf))
		_pt_release(buf);
}
