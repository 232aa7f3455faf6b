/*
 * store_probe.c
 *	  Reading one row by its key through the key index.
 *
 * The general way is an index scan.  The setting up of a scan (for nbtree a
 * state of 27 kB, keys that are preprocessed, a page copied item by item) costs
 * a good part of a lookup that wants one row, so there is a shorter way: search
 * to the leaf, compare there.  For nbtree that is done here, as amcheck's root
 * descent does it; ptree offers it.  It is taken only where nothing but the
 * rows of one snapshot is asked for:
 *	 - MVCC snapshots, since pins are given up before the rows are fetched;
 *	 - for nbtree not at SERIALIZABLE, where the scan leaves predicate locks;
 *	 - few index entries of the key, so that it is the scan that meets many
 *	   dead ones and marks them.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "pgstat.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "ptree/ptree.h"
#include "store/store.h"
#include "store/store_private.h"

#define MAX_ENTRIES		4

/* After so many misses in a row, the page of the key before is not tried. */
#define MAX_MISSES		3

/* Index entries of one key: where their rows are. */
typedef struct KeyEntries
{
	int			n;
	bool		overflow;		/* there are more */
	bool		recheck;		/* a row may have another key */
	ItemPointerData tids[MAX_ENTRIES];
} KeyEntries;

static bool short_way_suits(const ItemStore *store, Snapshot snapshot);
static void find_in_btree(ItemStore *store, const ItemKey *key,
						  Snapshot snapshot, KeyEntries *entries);
static void find_in_ptree(ItemStore *store, const ItemKey *key,
						  Snapshot snapshot, KeyEntries *entries);
static void search_key_fill(ItemStore *store, const ItemKey *key,
							BTScanInsertData *search);
static Buffer find_leaf(ItemStore *store, const ItemKey *key,
						BTScanInsertData *search, Snapshot snapshot);
static bool page_covers(ItemStore *store, const ItemKey *key,
						BTScanInsertData *search, Page page);
static void collect_entries(ItemStore *store, const ItemKey *key,
							BTScanInsertData *search, Buffer buffer,
							KeyEntries *entries);
static bool collect_page(ItemStore *store, const ItemKey *key,
						 BTScanInsertData *search, Page page,
						 OffsetNumber offset, OffsetNumber greater,
						 KeyEntries *entries);
static void add_tuple(KeyEntries *entries, IndexTuple tuple);
static void add_entry(KeyEntries *entries, ItemPointer tid);
static bool fetch_visible(ItemStore *store, const ItemKey *key,
						  KeyEntries *entries, Snapshot snapshot,
						  TupleTableSlot *slot);
static bool row_has_key(const ItemStore *store, const ItemKey *key,
						TupleTableSlot *slot);
static bool probe_by_scan(ItemStore *store, const ItemKey *key,
						  Snapshot snapshot, TupleTableSlot *slot);

/* The row of a key that a snapshot sees, into a slot of the leaf. */
bool
store_probe(ItemStore *store, const ItemKey *key, Snapshot snapshot,
			TupleTableSlot *slot)
{
	return store_probe_key(store, key, snapshot, slot) == STORE_FOUND;
}

/*
 * The same, and whether the key index has no entry of the key at all, not even
 * for a row that is dead or in the making.  The short way alone can tell.
 */
StoreProbeResult
store_probe_key(ItemStore *store, const ItemKey *key, Snapshot snapshot,
				TupleTableSlot *slot)
{
	if (unlikely(store->table->schema.sharding.count > 0))
		return store_probe_shards(store, key, snapshot, slot);
	return store_probe_stored(store, key, snapshot, slot);
}

/* The same for a key as it is in the index that keys are looked up in. */
StoreProbeResult
store_probe_stored(ItemStore *store, const ItemKey *key, Snapshot snapshot,
				   TupleTableSlot *slot)
{
	KeyEntries	entries;

	store->absent_lsn = InvalidXLogRecPtr;
	if (!short_way_suits(store, snapshot))
		return probe_by_scan(store, key, snapshot, slot) ?
			STORE_FOUND : STORE_NOT_SEEN;

	if (store->relation.method == INDEX_METHOD_PTREE)
		find_in_ptree(store, key, snapshot, &entries);
	else
		find_in_btree(store, key, snapshot, &entries);
	if (entries.overflow)
		return probe_by_scan(store, key, snapshot, slot) ?
			STORE_FOUND : STORE_NOT_SEEN;

	pgstat_count_index_scan(store->lookup_index);
	if (entries.n == 0)
		return STORE_NO_ENTRY;
	return fetch_visible(store, key, &entries, snapshot, slot) ?
		STORE_FOUND : STORE_NOT_SEEN;
}

/*
 * Has the key index still no entry of the key that was looked for last and
 * found without one?  Where it would go was the last page that was searched,
 * and whatever enters it there, or moves its place to another page, changes
 * that page's LSN.  False when it is not known.
 */
bool
store_still_no_entry(ItemStore *store)
{
	Buffer		buffer;
	bool		unchanged;

	if (XLogRecPtrIsInvalid(store->absent_lsn))
		return false;
	buffer = _bt_getbuf(store->lookup_index, store->key_page, BT_READ);
	unchanged = BufferGetLSNAtomic(buffer) == store->absent_lsn;
	_bt_relbuf(store->lookup_index, buffer);
	return unchanged;
}

static bool
short_way_suits(const ItemStore *store, Snapshot snapshot)
{
	return IsMVCCSnapshot(snapshot) &&
		(store->relation.method == INDEX_METHOD_PTREE ||
		 !IsolationIsSerializable());
}

static void
find_in_ptree(ItemStore *store, const ItemKey *key, Snapshot snapshot,
			  KeyEntries *entries)
{
	PtreeProbe	probe;

	StaticAssertDecl(PTREE_PROBE_TIDS == MAX_ENTRIES,
					 "a probe finds as many entries as are looked at");
	ptree_probe(store->lookup_index, key->datums, snapshot, &probe);
	entries->n = probe.n;
	entries->overflow = probe.overflow;
	entries->recheck = probe.recheck;
	memcpy(entries->tids, probe.tids, probe.n * sizeof(ItemPointerData));
}

static void
find_in_btree(ItemStore *store, const ItemKey *key, Snapshot snapshot,
			  KeyEntries *entries)
{
	BTScanInsertData search;
	Buffer		buffer;

	search_key_fill(store, key, &search);
	entries->n = 0;
	entries->overflow = false;
	entries->recheck = false;
	buffer = find_leaf(store, key, &search, snapshot);
	if (BufferIsValid(buffer))
		collect_entries(store, key, &search, buffer, entries);
}

/* As _bt_first() would set it up for "pk = ? AND sk = ?". */
static void
search_key_fill(ItemStore *store, const ItemKey *key,
				BTScanInsertData *search)
{
	Relation	index = store->lookup_index;

	_bt_metaversion(index, &search->heapkeyspace,
					&search->allequalimage);
	search->anynullkeys = false;
	search->nextkey = false;
	compat_bt_search_init(search);
	search->scantid = NULL;
	search->keysz = key->n;
	for (int i = 0; i < key->n; i++)
		ScanKeyEntryInitializeWithInfo(&search->scankeys[i], 0, i + 1,
									   InvalidStrategy, InvalidOid,
									   index->rd_indcollation[i],
									   index_getprocinfo(index, i + 1,
														 BTORDER_PROC),
									   key->datums[i]);
}

/*
 * The leaf page, pinned and share-locked, where entries of the search key
 * begin.  Several items of one call are looked for in the order of the index
 * and mostly belong to one partition key, so the page of the key before is
 * tried before the index is descended again, unless that was of no use for
 * the last ones.
 */
static Buffer
find_leaf(ItemStore *store, const ItemKey *key, BTScanInsertData *search,
		  Snapshot snapshot)
{
	Relation	index = store->lookup_index;
	Buffer		buffer;

	if (store->key_page != P_NONE && store->key_page_misses < MAX_MISSES)
	{
		buffer = _bt_getbuf(index, store->key_page, BT_READ);
		if (page_covers(store, key, search, BufferGetPage(buffer)))
		{
			store->key_page_misses = 0;
			return buffer;
		}
		_bt_relbuf(index, buffer);
		store->key_page_misses++;
	}
	_bt_freestack(compat_bt_search(index, store->rel, search, &buffer,
								   snapshot));
	store->key_page = BufferIsValid(buffer) ?
		BufferGetBlockNumber(buffer) : P_NONE;
	return buffer;
}

/*
 * Would a descent come to this page?  It may have been split, deleted or used
 * anew since it was found, so nothing is taken for granted but that it belongs
 * to the index.  On a leaf, a key up to the page's high key and greater than
 * an entry has its entries here, or from here on to the right.
 */
static bool
page_covers(ItemStore *store, const ItemKey *key, BTScanInsertData *search,
			Page page)
{
	BTPageOpaque opaque = BTPageGetOpaque(page);
	OffsetNumber first = P_FIRSTDATAKEY(opaque);

	if (!P_ISLEAF(opaque) || P_IGNORE(opaque))
		return false;
	if (!P_RIGHTMOST(opaque) &&
		_bt_compare(store->lookup_index, search, page, P_HIKEY) > 0)
		return false;
	return first <= PageGetMaxOffsetNumber(page) &&
		store_entry_compare(store, key, search, page, first) > 0;
}

/*
 * Gathers the entries equal to the search key, beginning on a leaf page that
 * is pinned and share-locked; it is released.  They may go on to the right,
 * unless the page holds a greater one or is the last.
 */
static void
collect_entries(ItemStore *store, const ItemKey *key, BTScanInsertData *search,
				Buffer buffer, KeyEntries *entries)
{
	Page		page = BufferGetPage(buffer);
	OffsetNumber greater;
	OffsetNumber offset = store_entry_search(store, key, search, page,
											 &greater);

	if (offset == greater &&
		(offset <= PageGetMaxOffsetNumber(page) ||
		 P_RIGHTMOST(BTPageGetOpaque(page))) &&
		RelationNeedsWAL(store->lookup_index))
		store->absent_lsn = BufferGetLSNAtomic(buffer);
	while (collect_page(store, key, search, page, offset, greater, entries))
	{
		buffer = _bt_relandgetbuf(store->lookup_index, buffer,
								  BTPageGetOpaque(page)->btpo_next, BT_READ);
		page = BufferGetPage(buffer);
		offset = P_FIRSTDATAKEY(BTPageGetOpaque(page));
		greater = InvalidOffsetNumber;
	}
	_bt_relbuf(store->lookup_index, buffer);
}

/*
 * Gathers from one page; may entries of the key follow on the next?  With a
 * valid offset "greater", the entry there is greater and the one at "offset",
 * if it comes before, is equal.
 */
static bool
collect_page(ItemStore *store, const ItemKey *key, BTScanInsertData *search,
			 Page page, OffsetNumber offset, OffsetNumber greater,
			 KeyEntries *entries)
{
	BTPageOpaque opaque = BTPageGetOpaque(page);
	OffsetNumber max = PageGetMaxOffsetNumber(page);
	bool		equal = OffsetNumberIsValid(greater);
	bool		ignore_dead = !TransactionStartedDuringRecovery();

	if (P_IGNORE(opaque))
		return !P_RIGHTMOST(opaque);
	for (; offset <= max; offset++)
	{
		ItemId		item = PageGetItemId(page, offset);

		if (offset == greater)
			return false;
		if (!equal &&
			store_entry_compare(store, key, search, page, offset) != 0)
			return false;
		equal = false;
		if (!ignore_dead || !ItemIdIsDead(item))
			add_tuple(entries, (IndexTuple) PageGetItem(page, item));
	}
	return !P_RIGHTMOST(opaque) && !entries->overflow;
}

/* An entry, or several that deduplication has merged. */
static void
add_tuple(KeyEntries *entries, IndexTuple tuple)
{
	if (!BTreeTupleIsPosting(tuple))
	{
		add_entry(entries, &tuple->t_tid);
		return;
	}
	for (int i = 0; i < BTreeTupleGetNPosting(tuple); i++)
		add_entry(entries, BTreeTupleGetPostingN(tuple, i));
}

static void
add_entry(KeyEntries *entries, ItemPointer tid)
{
	if (entries->n == MAX_ENTRIES)
		entries->overflow = true;
	else
		entries->tids[entries->n++] = *tid;
}

static bool
fetch_visible(ItemStore *store, const ItemKey *key, KeyEntries *entries,
			  Snapshot snapshot, TupleTableSlot *slot)
{
	IndexFetchTableData *fetch;
	bool		found = false;

	pgstat_count_index_tuples(store->lookup_index, entries->n);
	fetch = table_index_fetch_begin(store->rel);
	for (int i = 0; i < entries->n && !found; i++)
	{
		bool		again = false;

		found = table_index_fetch_tuple(fetch, &entries->tids[i], snapshot,
										slot, &again, NULL) &&
			(!entries->recheck || row_has_key(store, key, slot));
	}
	table_index_fetch_end(fetch);
	if (found)
		pgstat_count_heap_fetch(store->lookup_index);
	return found;
}

static bool
row_has_key(const ItemStore *store, const ItemKey *key, TupleTableSlot *slot)
{
	for (int i = 0; i < key->n; i++)
	{
		ScanKeyData equal = store->relation.equal_keys[i];
		Datum		value;
		bool		isnull;

		value = slot_getattr(slot, store->relation.key_attnums[i], &isnull);
		if (i == 0 && store->lookup_index != store->key_index)
		{
			if (!item_ref_equal(key->refs[0],
								key_part_from_datum(&store->table->schema, 0,
													value)))
				return false;
			continue;
		}
		if (isnull ||
			!DatumGetBool(FunctionCall2Coll(&equal.sk_func, equal.sk_collation,
											value, key->datums[i])))
			return false;
	}
	return true;
}

static bool
probe_by_scan(ItemStore *store, const ItemKey *key, Snapshot snapshot,
			  TupleTableSlot *slot)
{
	ScanKeyData keys[KEY_MAX_ATTRIBUTES];
	IndexScanDesc scan;
	bool		found;

	for (int i = 0; i < key->n; i++)
	{
		keys[i] = store->relation.equal_keys[i];
		keys[i].sk_argument = key->datums[i];
	}
	scan = compat_index_beginscan(store->rel, store->lookup_index, snapshot,
								  key->n);
	index_rescan(scan, keys, key->n, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, slot);
	index_endscan(scan);
	return found;
}
