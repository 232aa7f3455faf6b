/*
 * scan_peek.c
 *	  The first rows of a partition in nbtree, without an index scan.
 *
 * Who merges ranges wants one or two rows of each.  An index scan sets up a
 * large state and checks and copies all entries of a page that are in the
 * range, which costs ten times what the rows do.  So the first entries are
 * taken from the page directly, as store_probe.c does it for one key, and the
 * index scan begins after them, if ever.
 *
 * A row may have several entries of one key, for versions that are not on one
 * page of the heap.  Those of one key are taken all or none, so that the scan
 * can go on after the key.
 *
 * As there, this is for MVCC snapshots, since the page is given up before the
 * rows are fetched, and not at SERIALIZABLE, where a scan leaves predicate
 * locks.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "pgstat.h"
#include "utils/datum.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "scan/scan_private.h"

/* Where a range begins or ends, as a key to search for. */
typedef BTScanInsertData SearchKey;

static bool peek_suits(const RangeScan *range);
static void first_key(const RangeScan *range, SearchKey *search);
static void last_key(const RangeScan *range, SearchKey *search,
					 bool *inclusive);
static void fill_key(const RangeScan *range, bool has_sk, Datum sk,
					 SearchKey *search);
static OffsetNumber first_offset(Relation index, SearchKey *search,
								 Page page);
static Relation index_of(const RangeScan *range);
static bool take_plain_entries(RangeScan *range, Page page,
							   OffsetNumber offset, SearchKey *last,
							   bool inclusive);
static void take_entries(RangeScan *range, Page page, OffsetNumber offset,
						 SearchKey *last, bool inclusive);
static bool in_range(const RangeScan *range, SearchKey *last, bool inclusive,
					 Page page, OffsetNumber offset);
static bool on_page(Page page, OffsetNumber offset);
static bool take_tuple(RangeScan *range, IndexTuple tuple);
static void go_on_after(RangeScan *range, IndexTuple tuple);

/*
 * Takes the first entries of the range; the range then has some, or is known
 * to be empty, or is left to an index scan.
 */
void
scan_peek(RangeScan *range)
{
	SearchKey	first;
	SearchKey	last;
	bool		inclusive;
	Buffer		buffer;
	Relation	index;
	Page		page;
	OffsetNumber offset;

	range->peeked = true;
	if (!peek_suits(range))
		return;
	index = index_of(range);
	first_key(range, &first);
	last_key(range, &last, &inclusive);
	_bt_freestack(compat_bt_search(index, range->store->rel, &first, &buffer,
								   range->snapshot));
	pgstat_count_index_scan(index);
	if (!BufferIsValid(buffer))
	{
		range->peek_complete = true;	/* the index is empty */
		return;
	}
	page = BufferGetPage(buffer);
	offset = first_offset(index, &first, page);
	if (ScanDirectionIsBackward(range->direction))
		offset = OffsetNumberPrev(offset);
	if (!take_plain_entries(range, page, offset, &last, inclusive))
		take_entries(range, page, offset, &last, inclusive);
	_bt_relbuf(index, buffer);
	if (range->npeeked > 0)
	{
		range->fetch = table_index_fetch_begin(range->store->rel);
		range->slot = table_slot_create(range->store->rel, NULL);
	}
}

static Relation
index_of(const RangeScan *range)
{
	return range->logical ? range->store->lookup_index :
		range->store->key_index;
}

static bool
peek_suits(const RangeScan *range)
{
	return range->single && range->kind == RANGE_PARTITION &&
		range->entries == NULL && range->local == NULL && range->has_sort &&
		range->store->relation.method == INDEX_METHOD_BTREE &&
		IsMVCCSnapshot(range->snapshot) && !IsolationIsSerializable();
}

/*
 * Forward to the first entry that is not before the range, backward to the
 * first one after it.
 */
static void
first_key(const RangeScan *range, SearchKey *search)
{
	bool		forward = ScanDirectionIsForward(range->direction);
	const KeyBound *bound = forward ? &range->range.lower :
		&range->range.upper;

	if (range->has_start)
		fill_key(range, true, range->start_sort, search);
	else
		fill_key(range, bound->present, bound->datum, search);
	if (range->has_start)
		search->nextkey = forward;
	else if (bound->present)
		search->nextkey = forward != bound->inclusive;
	else
		search->nextkey = !forward;
}

/* The bound at the other end; without one the partition key alone. */
static void
last_key(const RangeScan *range, SearchKey *search, bool *inclusive)
{
	const KeyBound *bound = ScanDirectionIsForward(range->direction) ?
		&range->range.upper : &range->range.lower;

	fill_key(range, bound->present, bound->datum, search);
	*inclusive = !bound->present || bound->inclusive;
}

static void
fill_key(const RangeScan *range, bool has_sk, Datum sk, SearchKey *search)
{
	Relation	index = index_of(range);

	_bt_metaversion(index, &search->heapkeyspace, &search->allequalimage);
	search->anynullkeys = false;
	search->nextkey = false;
	compat_bt_search_init(search);
	search->scantid = NULL;
	search->keysz = has_sk ? 2 : 1;
	for (int i = 0; i < search->keysz; i++)
		ScanKeyEntryInitializeWithInfo(&search->scankeys[i], 0, i + 1,
									   InvalidStrategy, InvalidOid,
									   index->rd_indcollation[i],
									   index_getprocinfo(index, i + 1,
														 BTORDER_PROC),
									   i == 0 ? range->pk : sk);
}

/* The first data item not less than the key, or with nextkey greater. */
static OffsetNumber
first_offset(Relation index, SearchKey *search, Page page)
{
	OffsetNumber low = P_FIRSTDATAKEY(BTPageGetOpaque(page));
	OffsetNumber high = PageGetMaxOffsetNumber(page) + 1;
	int			before = search->nextkey ? 0 : 1;

	while (low < high)
	{
		OffsetNumber middle = low + (high - low) / 2;

		if (_bt_compare(index, search, page, middle) >= before)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Mostly the range goes on for long, and entries have keys of their own.  Then
 * the entry after those that there is room for is in it, so all before it are,
 * and it differs from the last of them: two comparisons will do.
 */
static bool
take_plain_entries(RangeScan *range, Page page, OffsetNumber offset,
				   SearchKey *last, bool inclusive)
{
	int			step = ScanDirectionIsForward(range->direction) ? 1 : -1;
	OffsetNumber next = offset + step * SCAN_PEEK_ROWS;
	IndexTuple	tuple = NULL;

	if (!on_page(page, offset) || !on_page(page, next) ||
		!in_range(range, last, inclusive, page, next))
		return false;
	for (; offset != next; offset += step)
	{
		ItemId		item = PageGetItemId(page, offset);

		tuple = (IndexTuple) PageGetItem(page, item);
		if (ItemIdIsDead(item) || BTreeTupleIsPosting(tuple))
		{
			range->npeeked = 0;
			return false;
		}
		range->peeked_tids[range->npeeked++] = tuple->t_tid;
	}
	if (_bt_keep_natts_fast(index_of(range), tuple,
							(IndexTuple) PageGetItem(page,
													 PageGetItemId(page, next))) > 2)
	{
		range->npeeked = 0;
		return false;
	}
	go_on_after(range, tuple);
	return true;
}

/*
 * Takes entries from a place on a locked page on, up to the end of the range,
 * of the page, or of the room there is.
 */
static void
take_entries(RangeScan *range, Page page, OffsetNumber offset,
			 SearchKey *last, bool inclusive)
{
	Relation	index = index_of(range);
	int			step = ScanDirectionIsForward(range->direction) ? 1 : -1;
	bool		ignore_dead = !TransactionStartedDuringRecovery();
	IndexTuple	key = NULL;		/* the last one that is known to be whole */
	IndexTuple	current = NULL;
	int			whole = 0;		/* entries up to that */

	for (;; offset += step)
	{
		ItemId		item;
		IndexTuple	tuple;

		if (!on_page(page, offset))
			break;
		item = PageGetItemId(page, offset);
		tuple = (IndexTuple) PageGetItem(page, item);
		if (!in_range(range, last, inclusive, page, offset))
		{
			range->peek_complete = true;
			return;
		}
		if (current == NULL ||
			_bt_keep_natts_fast(index, current, tuple) <= 2)
		{
			key = current;
			whole = range->npeeked;
			current = tuple;
		}
		if ((!ignore_dead || !ItemIdIsDead(item)) &&
			!take_tuple(range, tuple))
			break;
	}

	/* there may be more of the current key */
	range->npeeked = whole;
	if (key != NULL)
		go_on_after(range, key);
}

static bool
in_range(const RangeScan *range, SearchKey *last, bool inclusive, Page page,
		 OffsetNumber offset)
{
	Relation	index = index_of(range);
	int			result = _bt_compare(index, last, page, offset);

	if (result == 0)
		return inclusive;
	if (last->keysz == 1)
		return false;			/* another partition key */
	return ScanDirectionIsForward(range->direction) ? result > 0 : result < 0;
}

static bool
on_page(Page page, OffsetNumber offset)
{
	return offset >= P_FIRSTDATAKEY(BTPageGetOpaque(page)) &&
		offset <= PageGetMaxOffsetNumber(page);
}

/* An entry, or several that deduplication has merged; false: no room. */
static bool
take_tuple(RangeScan *range, IndexTuple tuple)
{
	int			n = BTreeTupleIsPosting(tuple) ?
		BTreeTupleGetNPosting(tuple) : 1;

	if (range->npeeked + n > SCAN_PEEK_ROWS)
		return false;
	for (int i = 0; i < n; i++)
		range->peeked_tids[range->npeeked++] = n == 1 &&
			!BTreeTupleIsPosting(tuple) ? tuple->t_tid :
			*BTreeTupleGetPostingN(tuple, i);
	return true;
}

/* The index scan that follows begins after this key. */
static void
go_on_after(RangeScan *range, IndexTuple tuple)
{
	Relation	index = index_of(range);
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(index), 1);
	bool		isnull;
	Datum		sk = index_getattr(tuple, 2, RelationGetDescr(index), &isnull);

	range->has_start = true;
	range->start_sort = datumCopy(sk, att->attbyval, att->attlen);
}

/*
 * The next row that was peeked at and that the snapshot sees, into the slot;
 * false when there is none left.
 */
bool
scan_peek_next(RangeScan *range)
{
	while (range->next_peeked < range->npeeked)
	{
		ItemPointer tid = &range->peeked_tids[range->next_peeked++];
		bool		again = false;

		if (table_index_fetch_tuple(range->fetch, tid, range->snapshot,
									range->slot, &again, NULL))
		{
			pgstat_count_index_tuples(index_of(range), 1);
			return true;
		}
	}
	return false;
}

void
scan_peek_end(RangeScan *range)
{
	if (range->fetch == NULL)
		return;
	table_index_fetch_end(range->fetch);
	ExecDropSingleTupleTableSlot(range->slot);
	range->fetch = NULL;
	range->slot = NULL;
}
