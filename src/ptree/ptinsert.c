/*
 * ptinsert.c
 *	  Inserting entries, and the unique check.
 *
 * All that can fail for a reason of the user's is done before a page is
 * locked: encoding, detoasting, hashing.  Under locks only the visibility
 * checks of the unique check call out.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "ptree/ptree_private.h"

/* a page with fewer entries is not split while it can be formed anew */
#define PT_MIN_SPLIT	8

/* One insertion. */
typedef struct PtInsert
{
	Relation	rel;
	Relation	heap;
	PtItem		item;
	ItemPointer tid;
	Datum	   *values;
	bool	   *isnull;
	IndexUniqueCheck check;
	bool		churn;			/* the key has entries of other versions */
} PtInsert;

/* What stands against an insertion. */
typedef struct PtConflict
{
	bool		duplicate;		/* a live row with the key */
	TransactionId xid;			/* whom to wait for; invalid: nobody */
	uint32		speculative_token;
} PtConflict;

static bool do_insert(PtInsert *insert);
static Buffer find_place(PtInsert *insert, bool hints, bool *unique,
						 bool *hinted);
static Buffer find_leaf(Relation rel, const PtKey *key, bool hints,
						bool *hinted);
static bool check_unique(PtInsert *insert, Buffer buf, PtConflict *conflict);
static bool check_entry(PtInsert *insert, ItemPointer other, BlockNumber blkno,
						PtConflict *conflict, bool *stop, bool *found);
pg_noreturn static void report_duplicate(PtInsert *insert);
static Buffer next_equal_page(Relation rel, Buffer buf, bool keep);
static Buffer step_right(Relation rel, Buffer buf);
static int	find_group(Page page, const PtPlace *place, const PtKey *key,
					   int *grouplen);
static void add_entry(Relation rel, Buffer buf, const PtPlace *place,
					  const PtItem *item, int group, int grouplen,
					  Buffer child);
static int	merge_slots(Page page, const PtPlace *place, PtSlot *merged);
static void make_room(Relation rel, Buffer buf, int slot, const PtItem *item,
					  Buffer child);
static void page_with(Page page, int slot, const PtItem *item,
					  PtPageContent *content);
static bool split_needed(const PtPageContent *content);
static void reform(Relation rel, Buffer buf, const PtPageContent *content,
				   Buffer child);
static void clear_incomplete(PtWal *wal, Buffer child);

/* aminsert: returns what UNIQUE_CHECK_PARTIAL wants to know. */
bool
ptinsert(Relation rel, Datum *values, bool *isnull, ItemPointer heap_tid,
		 Relation heap, IndexUniqueCheck check_unique, bool index_unchanged,
		 IndexInfo *info)
{
	PtLayout	layout;
	PtKeyBytes	bytes;
	PtInsert	insert;
	bool		result;

	_pt_get_layout(rel, &layout);
	_pt_init_bytes(&bytes, &layout, values, isnull);
	_pt_encode_tuple(rel, &layout, values, isnull, heap_tid, &bytes.buf,
					 &insert.item.key);
	insert.item.child = InvalidBlockNumber;
	insert.rel = rel;
	insert.heap = heap;
	insert.tid = heap_tid;
	insert.values = values;
	insert.isnull = isnull;
	insert.check = check_unique;
	insert.churn = index_unchanged;

	/* a null sort key equals no other, unless the index says so */
	if (check_unique != UNIQUE_CHECK_NO && layout.sk_attr >= 0 &&
		isnull[layout.sk_attr] && !info->ii_NullsNotDistinct)
	{
		Assert(check_unique != UNIQUE_CHECK_EXISTING);
		insert.check = UNIQUE_CHECK_NO;
		(void) do_insert(&insert);
		result = true;
	}
	else
		result = do_insert(&insert);

	_pt_free_bytes(&bytes);
	return result;
}

/*
 * Equal keys can span pages.  Whoever checks one first locks the page to
 * which the key without TID belongs, and keeps it, or the page to its right
 * that it went on to, until the new entry is in.  So of two that insert equal
 * keys one sees the other's entry.
 */
static bool
do_insert(PtInsert *insert)
{
	Relation	rel = insert->rel;
	PtKey	   *key = &insert->item.key;
	bool		unique;
	bool		hinted;
	Buffer		buf;

	buf = find_place(insert, true, &unique, &hinted);
	if (insert->check == UNIQUE_CHECK_EXISTING)
	{
		_pt_release(buf);
		return unique;
	}

	CheckForSerializableConflictIn(rel, NULL, BufferGetBlockNumber(buf));
	if (insert->churn)
		_pt_remove_versions(rel, insert->heap, buf, key);

	/*
	 * A page that was found by hint must not be split.  Whether a full one has
	 * to be costs more to find out than a descent.
	 */
	if (hinted &&
		PtPageFree(BufferGetPage(buf)) < _pt_entry_size(true, key, false, 0))
	{
		_pt_release(buf);
		buf = find_place(insert, false, &unique, &hinted);
		CheckForSerializableConflictIn(rel, NULL, BufferGetBlockNumber(buf));
	}

	_pt_insert_on_page(rel, buf, &insert->item, InvalidBuffer);
	return unique;
}

/*
 * Locks the page where the new entry belongs, after the unique check and what
 * that waits for.  *hinted tells whether it was found by hint.  For
 * UNIQUE_CHECK_EXISTING it is any page.
 */
static Buffer
find_place(PtInsert *insert, bool hints, bool *unique, bool *hinted)
{
	Relation	rel = insert->rel;
	PtKey		search = insert->item.key;
	Buffer		buf;

	*unique = false;
	*hinted = false;
	if (insert->check == UNIQUE_CHECK_NO)
		return find_leaf(rel, &search, hints, hinted);

	search.taillen -= PT_TID_SIZE;
	for (;;)
	{
		PtConflict	conflict = {false, InvalidTransactionId, 0};

		buf = find_leaf(rel, &search, hints, hinted);
		*unique = check_unique(insert, buf, &conflict);
		if (!TransactionIdIsValid(conflict.xid))
			break;

		_pt_release(buf);
		if (conflict.speculative_token != 0)
			SpeculativeInsertionWait(conflict.xid,
									 conflict.speculative_token);
		else
			XactLockTableWait(conflict.xid, rel, insert->tid,
							  XLTW_InsertIndex);
	}

	while (insert->check != UNIQUE_CHECK_EXISTING &&
		   _pt_beyond_page(BufferGetPage(buf), &insert->item.key, false))
	{
		buf = step_right(rel, buf);
		*hinted = false;
	}
	return buf;
}

static Buffer
find_leaf(Relation rel, const PtKey *key, bool hints, bool *hinted)
{
	if (hints)
		return _pt_find_leaf(rel, key, false, BUFFER_LOCK_EXCLUSIVE, hinted);
	*hinted = false;
	return _pt_descend(rel, key, false, 0, BUFFER_LOCK_EXCLUSIVE);
}

/*
 * Looks for live entries with the key of the new one, from an exclusively
 * locked page to the right, and keeps that page locked.  Returns false if
 * there is one and the caller only wants to know; fills *conflict if a
 * transaction has to end first; raises the error otherwise.
 */
static bool
check_unique(PtInsert *insert, Buffer buf, PtConflict *conflict)
{
	PtKey		search = insert->item.key;
	Buffer		current = buf;
	bool		unique = true;
	bool		found = false;
	bool		stop = false;

	search.taillen -= PT_TID_SIZE;
	for (;;)
	{
		Page		page = BufferGetPage(current);
		uint16		slots[PT_MAX_ENTRIES];
		int			count;
		PtPlace		from;
		PtPlace		to;

		search.kind = PT_KEY_PLAIN;
		_pt_locate(page, &search, &from);
		search.kind = PT_KEY_AFTER;
		_pt_locate_near(page, &search, &from, &to);
		count = _pt_slots_between(page, &from, &to, slots);
		for (int i = 0; i < count && !stop; i++)
		{
			ItemPointerData other;

			_pt_decode_tid(_pt_entry_tid(page, slots[i]), &other);
			insert->churn = true;
			unique = check_entry(insert, &other, BufferGetBlockNumber(current),
								 conflict, &stop, &found);
		}
		if (stop || !_pt_beyond_page(page, &search, false))
			break;
		current = next_equal_page(insert->rel, current, current == buf);
	}
	if (current != buf)
		_pt_release(current);

	/* a description of the key reads catalogs, so hold no locks meanwhile */
	if (conflict->duplicate)
	{
		_pt_release(buf);
		report_duplicate(insert);
	}
	if (insert->check == UNIQUE_CHECK_EXISTING && !found &&
		!TransactionIdIsValid(conflict->xid))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("failed to re-find tuple within index \"%s\"",
						RelationGetRelationName(insert->rel)),
				 errhint("This may be because of a non-immutable index expression."),
				 errtableconstraint(insert->heap,
									RelationGetRelationName(insert->rel))));
	return unique;
}

/*
 * Judges one entry with the key of the new one.  Sets *stop when the search
 * need not go on.
 */
static bool
check_entry(PtInsert *insert, ItemPointer other, BlockNumber blkno,
			PtConflict *conflict, bool *stop, bool *found)
{
	SnapshotData dirty;
	ItemPointerData tid = *other;
	TransactionId xid;

	if (insert->check == UNIQUE_CHECK_EXISTING &&
		ItemPointerEquals(other, insert->tid))
	{
		*found = true;
		return true;
	}

	InitDirtySnapshot(dirty);
	if (!table_index_fetch_tuple_check(insert->heap, &tid, &dirty, NULL))
		return true;

	/* the caller will look again later */
	if (insert->check == UNIQUE_CHECK_PARTIAL)
	{
		*stop = true;
		return false;
	}

	xid = TransactionIdIsValid(dirty.xmin) ? dirty.xmin : dirty.xmax;
	if (TransactionIdIsValid(xid))
	{
		conflict->xid = xid;
		conflict->speculative_token = dirty.speculativeToken;
		*stop = true;
		return true;
	}

	/*
	 * A duplicate for sure, unless the new row has died meanwhile, as it can
	 * in a deferred check and in CREATE INDEX CONCURRENTLY.
	 */
	tid = *insert->tid;
	if (!table_index_fetch_tuple_check(insert->heap, &tid, SnapshotSelf,
									   NULL))
	{
		*stop = true;
		*found = true;
		return true;
	}

	/* a serialization failure is the better error */
	CheckForSerializableConflictIn(insert->rel, NULL, blkno);
	conflict->duplicate = true;
	*stop = true;
	return true;
}

static void
report_duplicate(PtInsert *insert)
{
	char	   *key = BuildIndexValueDescription(insert->rel, insert->values,
												 insert->isnull);

	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("duplicate key value violates unique constraint \"%s\"",
					RelationGetRelationName(insert->rel)),
			 key ? errdetail("Key %s already exists.", key) : 0,
			 errtableconstraint(insert->heap,
								RelationGetRelationName(insert->rel))));
}

/*
 * The next page that is not deleted, locked shared, for the unique check; it
 * releases the current page unless that is to be kept.
 */
static Buffer
next_equal_page(Relation rel, Buffer buf, bool keep)
{
	for (;;)
	{
		BlockNumber next = PtPageGetOpaque(BufferGetPage(buf))->next;
		Buffer		right;

		if (next == InvalidBlockNumber)
			_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
							   "The page lacks a right sibling.");
		if (!keep)
			_pt_release(buf);
		right = _pt_read(rel, next, BUFFER_LOCK_SHARE);
		if (!_pt_page_deleted(BufferGetPage(right)))
			return right;
		buf = right;
		keep = false;
	}
}

/*
 * The next page, exclusively locked before the current one is released.
 */
static Buffer
step_right(Relation rel, Buffer buf)
{
	BlockNumber next = PtPageGetOpaque(BufferGetPage(buf))->next;

	for (;;)
	{
		Buffer		right;
		PtPageOpaque opaque;

		if (next == InvalidBlockNumber)
			_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
							   "The page lacks a right sibling.");
		right = _pt_read(rel, next, BUFFER_LOCK_EXCLUSIVE);
		opaque = PtPageGetOpaque(BufferGetPage(right));
		if (opaque->flags & PT_INCOMPLETE_SPLIT)
		{
			_pt_finish_split(rel, right);
			continue;
		}
		if (!_pt_page_deleted(BufferGetPage(right)))
		{
			_pt_release(buf);
			return right;
		}
		next = opaque->next;
		_pt_release(right);
	}
}

/*
 * Inserts an entry on the page where it belongs, which is exclusively locked
 * and has no incomplete split; splits the page if need be.  If the entry is
 * the link to a split page's new sibling, child is the split page, locked
 * likewise, and its incomplete mark is cleared with the insertion.  Releases
 * both.
 */
void
_pt_insert_on_page(Relation rel, Buffer buf, const PtItem *item, Buffer child)
{
	Page		page = BufferGetPage(buf);
	bool		leaf = PtPageGetOpaque(page)->level == 0;
	const PtKey *key = &item->key;
	PtPlace		place;
	int			grouplen;
	int			group;

	Assert((PtPageGetOpaque(page)->flags & PT_INCOMPLETE_SPLIT) == 0);

	_pt_locate(page, key, &place);
	if (_pt_has_entry(page, &place, key))
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "The page already has an entry with the key and the row of a new one.");

	group = find_group(page, &place, key, &grouplen);
	if (PtPageFree(page) >= _pt_entry_size(leaf, key, group != 0, grouplen))
		add_entry(rel, buf, &place, item, group, grouplen, child);
	else
		make_room(rel, buf, _pt_entries_before(page, &place), item, child);
}

/*
 * Offset of a group prefix with which the key begins, of the entries on both
 * sides of its place; 0 if there is none.
 */
static int
find_group(Page page, const PtPlace *place, const PtKey *key, int *grouplen)
{
	int			sorted = PtPageSorted(page);
	int			neighbors[4];
	int			n = 0;

	if (place->sorted > 0)
		neighbors[n++] = place->sorted - 1;
	if (place->sorted < sorted)
		neighbors[n++] = place->sorted;
	if (place->late > sorted)
		neighbors[n++] = place->late - 1;
	if (place->late < PtPageCount(page))
		neighbors[n++] = place->late;

	for (int i = 0; i < n; i++)
	{
		PtEntry		entry;

		_pt_get_entry(page, neighbors[i], &entry);
		if (entry.prefixlen > 0 && key->len >= entry.prefixlen &&
			memcmp(key->data, entry.prefix, entry.prefixlen) == 0)
		{
			*grouplen = entry.prefixlen;
			return (int) (entry.prefix - (const uint8 *) page) -
				(int) sizeof(uint16);
		}
	}
	*grouplen = 0;
	return 0;
}

/*
 * Adds an entry in place.  Releases the buffers.
 *
 * Its slot goes among those in order if not many have to be moved for it, or
 * among the late ones.  When these are full, all are merged.
 */
static void
add_entry(Relation rel, Buffer buf, const PtPlace *place, const PtItem *item,
		  int group, int grouplen, Buffer child)
{
	Page		page = BufferGetPage(buf);
	PageHeader	header = (PageHeader) page;
	PtPageOpaque opaque = PtPageGetOpaque(page);
	LocationIndex old_upper = header->pd_upper;
	PtSlot	   *slots = PtPageSlots(page);
	bool		late = opaque->level == 0 &&
		(opaque->nlate > 0 ||
		 PtPageCount(page) - place->sorted > PT_MAX_LATE);
	PtSlot		merged[PT_MAX_ENTRIES];
	int			first = late ? place->late : place->sorted;
	bool		merge = late && opaque->nlate == PT_MAX_LATE;
	PtWal		wal;

	if (merge)
		first = merge_slots(page, place, merged);
	_pt_wal_init(&wal);

	START_CRIT_SECTION();
	if (merge)
	{
		int			before = _pt_entries_before(page, place);

		memcpy(&slots[first], &merged[first],
			   (PtPageCount(page) - first) * sizeof(PtSlot));
		opaque->nlate = 0;
		_pt_place_entry(page, before, item, group, grouplen);
	}
	else
	{
		_pt_place_entry(page, first, item, group, grouplen);
		if (late)
			opaque->nlate++;
	}
	MarkBufferDirty(buf);
	if (BufferIsValid(child))
		clear_incomplete(&wal, child);
	_pt_wal_block(&wal, buf);
	_pt_wal_fragment(&wal, &header->pd_lower, 2 * sizeof(LocationIndex));
	_pt_wal_fragment(&wal, &slots[first],
					 (PtPageCount(page) - first) * sizeof(PtSlot));
	_pt_wal_fragment(&wal, (char *) page + header->pd_upper,
					 old_upper - header->pd_upper);
	if (late)
		_pt_wal_fragment(&wal, &opaque->nlate, sizeof(opaque->nlate));
	_pt_wal_insert(rel, &wal);
	END_CRIT_SECTION();

	_pt_release(buf);
	if (BufferIsValid(child))
		_pt_release(child);
}

/*
 * All slots of a leaf page in order.  Returns the first one that is not the
 * same as on the page, or will not be with a new entry at its place.
 */
static int
merge_slots(Page page, const PtPlace *place, PtSlot *merged)
{
	PtSlot	   *slots = PtPageSlots(page);
	uint16		order[PT_MAX_ENTRIES];
	PtPlace		from;
	PtPlace		to;
	int			first;
	int			n;

	_pt_begin(page, &from);
	_pt_end(page, &to);
	n = _pt_slots_between(page, &from, &to, order);
	for (int i = 0; i < n; i++)
		merged[i] = slots[order[i]];
	for (first = 0; first < n && order[first] == first; first++)
		;
	return Min(first, _pt_entries_before(page, place));
}

/* What a page would hold with one more entry. */
static void
page_with(Page page, int slot, const PtItem *item, PtPageContent *content)
{
	PtPageOpaque opaque = PtPageGetOpaque(page);
	PtItem	   *items;

	items = _pt_page_items(page, 1, &content->nitems);
	memmove(&items[slot + 1], &items[slot],
			(content->nitems - slot) * sizeof(PtItem));
	items[slot] = *item;
	items[slot].apart = false;
	content->nitems++;
	content->items = items;
	_pt_get_low(page, &content->low);
	_pt_get_high(page, &content->high);
	content->level = opaque->level;
	content->taillen = opaque->taillen;
}

/* Whether forming a page of that content gains too little to avoid a split. */
static bool
split_needed(const PtPageContent *content)
{
	int			space;
	PtSizer		sizer;

	_pt_sizer_init(&sizer, content->level == 0);
	for (int i = 0; i < content->nitems; i++)
		_pt_sizer_add(&sizer, &content->items[i].key);
	space = _pt_sizer_total(&sizer) + _pt_fence_size(&content->low) +
		_pt_fence_size(&content->high);
	return space > (int) PT_PAGE_SPACE ||
		(space > (int) (PT_PAGE_SPACE - PT_PAGE_SPACE / 16) &&
		 content->nitems >= PT_MIN_SPLIT);
}

/* Whether an entry with this key cannot be added without a split. */
bool
_pt_must_split(Page page, const PtKey *key)
{
	MemoryContext context;
	MemoryContext old;
	PtPageContent content;
	PtPlace		place;
	PtItem		item;
	bool		result;

	if (PtPageFree(page) >= _pt_entry_size(PtPageGetOpaque(page)->level == 0,
										   key, false, 0))
		return false;

	context = AllocSetContextCreate(CurrentMemoryContext, "ptree split",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	item.key = *key;
	item.child = InvalidBlockNumber;
	_pt_locate(page, key, &place);
	page_with(page, _pt_entries_before(page, &place), &item, &content);
	result = split_needed(&content);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return result;
}

/*
 * Inserts an entry into a page that lacks the room: forms the page anew if
 * that gains enough for some more entries, splits it otherwise.  Releases the
 * buffers.
 */
static void
make_room(Relation rel, Buffer buf, int slot, const PtItem *item,
		  Buffer child)
{
	Page		page = BufferGetPage(buf);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "ptree split",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PtPageContent content;

	page_with(page, slot, item, &content);
	if (split_needed(&content))
		_pt_split(rel, buf, content.items, content.nitems, slot, child);
	else
		reform(rel, buf, &content, child);

	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* Forms a page anew.  Releases the buffers. */
static void
reform(Relation rel, Buffer buf, const PtPageContent *content, Buffer child)
{
	Page		page = BufferGetPage(buf);
	PtPageOpaque opaque = PtPageGetOpaque(page);
	PGAlignedBlock formed;
	PtPageOpaque fopaque;
	PtWal		wal;

	_pt_form_page(formed.data, content);
	fopaque = PtPageGetOpaque(formed.data);
	fopaque->prev = opaque->prev;
	fopaque->next = opaque->next;
	fopaque->flags = opaque->flags;
	fopaque->cycleid = opaque->cycleid;
	_pt_wal_init(&wal);

	START_CRIT_SECTION();
	_pt_replace_page(page, formed.data);
	MarkBufferDirty(buf);
	if (BufferIsValid(child))
		clear_incomplete(&wal, child);
	_pt_wal_image(&wal, buf);
	_pt_wal_insert(rel, &wal);
	END_CRIT_SECTION();

	_pt_release(buf);
	if (BufferIsValid(child))
		_pt_release(child);
}

/* Clears a split page's mark, in the critical section that adds the link. */
static void
clear_incomplete(PtWal *wal, Buffer child)
{
	PtPageOpaque opaque = PtPageGetOpaque(BufferGetPage(child));

	Assert(opaque->flags & PT_INCOMPLETE_SPLIT);
	opaque->flags &= ~PT_INCOMPLETE_SPLIT;
	MarkBufferDirty(child);
	_pt_wal_block(wal, child);
	_pt_wal_fragment(wal, &opaque->flags, sizeof(opaque->flags));
}
