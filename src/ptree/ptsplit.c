/*
 * ptsplit.c
 *	  Splitting a page, and linking the new page into the level above.
 *
 * A split takes two WAL records.  The first makes the new right page and
 * leaves the left one marked: the tree is whole for readers, who find the
 * right page by the right link.  The second adds the link to the level above
 * and clears the mark.  If it is never written (a crash, an error), the next
 * writer that comes to the left page does it, before it goes on to the right
 * one; so a page whose link is missing is never split or deleted.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"

#include "ptree/ptree_private.h"

/* entries that an append split may move beside the new one */
#define PT_APPEND_SLACK	8

/* A place to split at: the first entry of the right page. */
typedef struct PtSplitPoint
{
	int			first;
	PtKey		separator;
} PtSplitPoint;

static bool choose_split(Page page, const PtItem *items, int nitems,
						 int newpos, PtSplitPoint *point);
static void measure(bool leaf, const PtItem *items, int nitems, int *left,
					int *right);
static bool append_split(const PtItem *items, int nitems, int newpos,
						 const int *left);
static void form_halves(Page page, const PtItem *items, int nitems,
						const PtSplitPoint *point, Page left, Page right);
static void insert_link(Relation rel, Buffer left, Buffer right,
						const PtKey *separator);
static bool is_root(Relation rel, Buffer buf);
static void new_root(Relation rel, Buffer left, Buffer right,
					 const PtKey *separator);

/*
 * Splits a page into those entries; newpos is the one that is not on it yet.
 * buf and child as in _pt_insert_on_page(), both released.
 */
void
_pt_split(Relation rel, Buffer buf, const PtItem *items, int nitems,
		  int newpos, Buffer child)
{
	Page		page = BufferGetPage(buf);
	PtPageOpaque opaque = PtPageGetOpaque(page);
	BlockNumber next = opaque->next;
	PGAlignedBlock left;
	PGAlignedBlock right;
	PtSplitPoint point;
	bool		found;
	Buffer		rbuf;
	Buffer		nbuf = InvalidBuffer;
	PtWal		wal;

	found = choose_split(page, items, nitems, newpos, &point);
	if (!found)
	{
		/* as the page is, it can be split */
		items = _pt_keep_groups(page, items, nitems, newpos);
		found = choose_split(page, items, nitems, newpos, &point);
	}
	if (!found)
		elog(ERROR, "no place to split block %u of index \"%s\"",
			 BufferGetBlockNumber(buf), RelationGetRelationName(rel));
	form_halves(page, items, nitems, &point, left.data, right.data);

	rbuf = _pt_new_buffer(rel);
	PtPageGetOpaque(left.data)->prev = opaque->prev;
	PtPageGetOpaque(left.data)->next = BufferGetBlockNumber(rbuf);
	PtPageGetOpaque(left.data)->flags = PT_INCOMPLETE_SPLIT;
	PtPageGetOpaque(left.data)->cycleid = _bt_vacuum_cycleid(rel);
	PtPageGetOpaque(right.data)->prev = BufferGetBlockNumber(buf);
	PtPageGetOpaque(right.data)->next = next;
	PtPageGetOpaque(right.data)->flags = 0;
	PtPageGetOpaque(right.data)->cycleid =
		PtPageGetOpaque(left.data)->cycleid;

	if (next != InvalidBlockNumber)
	{
		PtPageOpaque nopaque;

		nbuf = _pt_read(rel, next, BUFFER_LOCK_EXCLUSIVE);
		nopaque = PtPageGetOpaque(BufferGetPage(nbuf));
		if (nopaque->prev != BufferGetBlockNumber(buf))
			_pt_report_corrupt(rel, next,
							   "The left link does not match the sibling's right link.");

		/* VACUUM need not follow the links of split pages beyond this one */
		if (nopaque->cycleid != PtPageGetOpaque(right.data)->cycleid)
			PtPageGetOpaque(right.data)->flags |= PT_SPLIT_END;
	}

	_pt_wal_init(&wal);

	START_CRIT_SECTION();
	if (BufferIsValid(child))
	{
		PtPageOpaque copaque = PtPageGetOpaque(BufferGetPage(child));

		copaque->flags &= ~PT_INCOMPLETE_SPLIT;
		MarkBufferDirty(child);
		_pt_wal_block(&wal, child);
		_pt_wal_fragment(&wal, &copaque->flags, sizeof(copaque->flags));
	}
	_pt_replace_page(page, left.data);
	MarkBufferDirty(buf);
	_pt_wal_image(&wal, buf);
	memcpy(BufferGetPage(rbuf), right.data, BLCKSZ);
	MarkBufferDirty(rbuf);
	_pt_wal_image(&wal, rbuf);
	if (BufferIsValid(nbuf))
	{
		PtPageOpaque nopaque = PtPageGetOpaque(BufferGetPage(nbuf));

		nopaque->prev = BufferGetBlockNumber(rbuf);
		MarkBufferDirty(nbuf);
		_pt_wal_block(&wal, nbuf);
		_pt_wal_fragment(&wal, &nopaque->prev, sizeof(nopaque->prev));
	}
	_pt_wal_insert(rel, &wal);
	END_CRIT_SECTION();

	if (PtPageGetOpaque(BufferGetPage(buf))->level == 0)
		PredicateLockPageSplit(rel, BufferGetBlockNumber(buf),
							   BufferGetBlockNumber(rbuf));
	if (BufferIsValid(nbuf))
		_pt_release(nbuf);
	if (BufferIsValid(child))
		_pt_release(child);
	PT_FAULT("split");
	insert_link(rel, buf, rbuf, &point.separator);
}

/*
 * Adds the missing link to the right sibling of a page with an incomplete
 * split.  The page is exclusively locked; releases it.
 */
void
_pt_finish_split(Relation rel, Buffer buf)
{
	Page		page = BufferGetPage(buf);
	uint8		data[BLCKSZ];
	PtKey		separator;
	Buffer		right;

	Assert(PtPageGetOpaque(page)->flags & PT_INCOMPLETE_SPLIT);
	PT_FAULT("finish");
	if (!_pt_get_high(page, &separator) ||
		PtPageGetOpaque(page)->next == InvalidBlockNumber)
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "The page is marked as split but lacks a right sibling.");

	/* the separator's bytes must outlive the lock on the page */
	memcpy(data, separator.data, separator.len);
	separator.data = data;

	right = _pt_read(rel, PtPageGetOpaque(page)->next, BUFFER_LOCK_EXCLUSIVE);
	insert_link(rel, buf, right, &separator);
}

/*
 * Adds the link to a new right page above.  Both pages are exclusively
 * locked: the right one must not be split before its link exists.  Releases
 * them.
 */
static void
insert_link(Relation rel, Buffer left, Buffer right, const PtKey *separator)
{
	int			level = PtPageGetOpaque(BufferGetPage(left))->level;
	BlockNumber child;
	PtItem		item;
	Buffer		parent;

	if (is_root(rel, left))
	{
		new_root(rel, left, right, separator);
		return;
	}

	parent = _pt_descend(rel, separator, false, level + 1,
						 BUFFER_LOCK_EXCLUSIVE);
	_pt_find_child(rel, parent, separator, false, &child);
	if (child != BufferGetBlockNumber(left))
		_pt_report_corrupt(rel, BufferGetBlockNumber(parent),
						   "The page lacks the link to a page that was split.");

	/* whoever splits or deletes the right page waits for the parent now */
	item.key = *separator;
	item.child = BufferGetBlockNumber(right);
	_pt_release(right);
	PT_FAULT("downlink");
	_pt_insert_on_page(rel, parent, &item, left);
}

static bool
is_root(Relation rel, Buffer buf)
{
	BlockNumber root;
	uint32		level;

	/* only the leftmost page of a level can be the root */
	if (PtPageGetOpaque(BufferGetPage(buf))->prev != InvalidBlockNumber)
		return false;
	_pt_read_root(rel, &root, &level);
	return root == BufferGetBlockNumber(buf);
}

/* Puts a new root above the two halves of the old one.  Releases them. */
static void
new_root(Relation rel, Buffer left, Buffer right, const PtKey *separator)
{
	PtPageOpaque lopaque = PtPageGetOpaque(BufferGetPage(left));
	PGAlignedBlock formed;
	PtItem		items[2];
	PtPageContent content;
	PtMetaPageData *meta;
	Buffer		root;
	Buffer		metabuf;
	PtWal		wal;

	memset(&content, 0, sizeof(content));
	memset(items, 0, sizeof(items));
	items[0].child = BufferGetBlockNumber(left);
	items[1].key = *separator;
	items[1].child = BufferGetBlockNumber(right);
	content.items = items;
	content.nitems = 2;
	content.high.kind = PT_KEY_END;
	content.level = lopaque->level + 1;
	content.taillen = lopaque->taillen;
	_pt_form_page(formed.data, &content);

	root = _pt_new_buffer(rel);
	metabuf = _pt_read(rel, PT_METAPAGE, BUFFER_LOCK_EXCLUSIVE);
	meta = _pt_get_meta(rel, metabuf);
	PT_FAULT("root");
	_pt_wal_init(&wal);

	START_CRIT_SECTION();
	lopaque->flags &= ~PT_INCOMPLETE_SPLIT;
	MarkBufferDirty(left);
	_pt_wal_block(&wal, left);
	_pt_wal_fragment(&wal, &lopaque->flags, sizeof(lopaque->flags));
	memcpy(BufferGetPage(root), formed.data, BLCKSZ);
	MarkBufferDirty(root);
	_pt_wal_image(&wal, root);
	meta->root = BufferGetBlockNumber(root);
	meta->root_level = content.level;
	MarkBufferDirty(metabuf);
	_pt_wal_block(&wal, metabuf);
	_pt_wal_fragment(&wal, meta, sizeof(PtMetaPageData));
	_pt_wal_insert(rel, &wal);
	END_CRIT_SECTION();

	_pt_release(metabuf);
	_pt_release(root);
	_pt_release(right);
	_pt_release(left);
}

/*
 * The shortest key that is behind the left entry and not behind the right
 * one.  It points into the right one's bytes.
 */
void
_pt_separator(const PtItem *left, const PtItem *right, bool leaf,
			  PtKey *separator)
{
	int			common;

	*separator = right->key;
	separator->kind = PT_KEY_PLAIN;
	if (!leaf)
		return;					/* a separator already */
	common = _pt_common_prefix(&left->key, &right->key);
	if (common < right->key.len)
	{
		separator->len = common + 1;
		separator->taillen = 0;
	}
}

/*
 * Chooses where to split: at the new entry if it continues a partition key's
 * entries at their end, so that a partition that only grows leaves full pages
 * behind; otherwise near the middle, preferably between two partition keys.
 */
static bool
choose_split(Page page, const PtItem *items, int nitems, int newpos,
			 PtSplitPoint *point)
{
	bool		leaf = PtPageGetOpaque(page)->level == 0;
	int		   *left = palloc(nitems * sizeof(int));
	int		   *right = palloc(nitems * sizeof(int));
	int			best = PG_INT32_MAX;
	bool		append;
	PtKey		low;
	PtKey		high;

	_pt_get_low(page, &low);
	_pt_get_high(page, &high);
	measure(leaf, items, nitems, left, right);
	append = leaf && append_split(items, nitems, newpos, left);

	for (int i = 1; i < nitems; i++)
	{
		PtKey		separator;
		int			lspace;
		int			rspace;
		int			penalty;

		_pt_separator(&items[i - 1], &items[i], leaf, &separator);
		lspace = left[i] + _pt_fence_size(&low) + _pt_fence_size(&separator);
		rspace = right[i] + _pt_fence_size(&high) + _pt_fence_size(&separator);
		if (lspace > (int) PT_PAGE_SPACE || rspace > (int) PT_PAGE_SPACE)
			continue;

		/*
		 * The left page must hold the new high fence, so the last entries may
		 * have to go to the right with the new one.
		 */
		if (append && i <= newpos && newpos - i < PT_APPEND_SLACK)
			penalty = newpos - i - PT_APPEND_SLACK;
		else
		{
			penalty = abs(lspace - rspace);
			if (_pt_same_pk(&items[i - 1].key, &items[i].key))
				penalty += PT_PAGE_SPACE / 3;
		}
		if (penalty < best)
		{
			best = penalty;
			point->first = i;
			point->separator = separator;
		}
	}
	pfree(left);
	pfree(right);
	return best != PG_INT32_MAX;
}

/*
 * Space of the entries before each one, and of those from it on.  The first
 * entry of an inner page loses its key.
 */
static void
measure(bool leaf, const PtItem *items, int nitems, int *left, int *right)
{
	static const PtKey no_key = {NULL, 0, PT_KEY_PLAIN, 0, {0}};
	PtSizer		sizer;

	_pt_sizer_init(&sizer, leaf);
	for (int i = 0; i < nitems; i++)
	{
		left[i] = _pt_sizer_total(&sizer);
		if (items[i].apart)
			_pt_sizer_close(&sizer);
		_pt_sizer_add(&sizer, &items[i].key);
	}
	_pt_sizer_init(&sizer, leaf);
	for (int i = nitems - 1; i >= 0; i--)
	{
		if (!leaf)
			right[i] = _pt_sizer_total(&sizer) +
				_pt_entry_size(false, &no_key, false, 0);
		_pt_sizer_add(&sizer, &items[i].key);
		if (leaf)
			right[i] = _pt_sizer_total(&sizer);
		if (items[i].apart)
			_pt_sizer_close(&sizer);
	}
}

/*
 * Whether the new entry is the last of its partition key, behind entries that
 * fill half a page at least.
 */
static bool
append_split(const PtItem *items, int nitems, int newpos, const int *left)
{
	return newpos > 0 && left[newpos] >= (int) PT_PAGE_SPACE / 2 &&
		_pt_same_pk(&items[newpos - 1].key, &items[newpos].key) &&
		(newpos == nitems - 1 ||
		 !_pt_same_pk(&items[newpos].key, &items[newpos + 1].key));
}

static void
form_halves(Page page, const PtItem *items, int nitems,
			const PtSplitPoint *point, Page left, Page right)
{
	PtPageOpaque opaque = PtPageGetOpaque(page);
	PtItem	   *right_items;
	PtPageContent content;

	content.level = opaque->level;
	content.taillen = opaque->taillen;

	content.items = items;
	content.nitems = point->first;
	_pt_get_low(page, &content.low);
	content.high = point->separator;
	_pt_form_page(left, &content);

	right_items = palloc((nitems - point->first) * sizeof(PtItem));
	memcpy(right_items, items + point->first,
		   (nitems - point->first) * sizeof(PtItem));
	if (opaque->level > 0)
	{
		right_items[0].key.len = 0;
		right_items[0].key.taillen = 0;
	}
	content.items = right_items;
	content.nitems = nitems - point->first;
	content.low = point->separator;
	_pt_get_high(page, &content.high);
	_pt_form_page(right, &content);
	pfree(right_items);
}
