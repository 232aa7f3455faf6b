/*
 * ptcheck.c
 *	  ptree_check() and ptree_stats().
 *
 * The check takes only AccessShareLock, so it runs beside writers and on a
 * standby.  It reads each level from left to right.  Every page is copied
 * under a shared lock and judged by itself; it is compared with its right
 * sibling while both are locked, in the order that splits use; and an inner
 * page is compared with its children one after the other.  A child may be
 * split or deleted between the two looks, but not without a change of the
 * parent or a mark on the child; if the parent has changed, its children are
 * judged once more.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "storage/bufmgr.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "ptree/ptree_private.h"

PG_FUNCTION_INFO_V1(ptree_check);
PG_FUNCTION_INFO_V1(ptree_stats);

/* A piece of a page. */
typedef struct PtExtent
{
	int			start;
	int			end;
} PtExtent;

typedef struct PtCheck
{
	Relation	heap;
	Relation	rel;
	PtLayout	layout;
	BlockNumber nblocks;		/* at least this many */
	BlockNumber blkno;			/* of the page under judgement */
	char	   *page;			/* copy of it */
	PtExtent   *extents;		/* of its records */
	int			nextents;
} PtCheck;

static Relation open_ptree(Oid indexoid, Relation *heap);
static void check_level(PtCheck *check, int level);
static void check_siblings(PtCheck *check, Buffer buf, Buffer next);
static void check_page(PtCheck *check, int level);
static void check_header(PtCheck *check, int level);
static void check_fences(PtCheck *check);
static void check_fence(PtCheck *check, uint16 offset);
static void check_record(PtCheck *check, int slot);
static void check_order(PtCheck *check);
static void check_extents(PtCheck *check);
static void check_children(PtCheck *check);
static const char *check_child(PtCheck *check, int slot);
static bool page_changed(PtCheck *check);
static void check_heap(PtCheck *check);
static void check_rows(PtCheck *check);
static void check_row(Relation rel, ItemPointer tid, Datum *values,
					  bool *isnull, bool alive, void *state);
pg_noreturn static void report(PtCheck *check, const char *format,...)
			pg_attribute_printf(2, 3);

/*
 * ptree_check(index regclass, heapallindexed bool): raises an error at the
 * first fault.
 */
Datum
ptree_check(PG_FUNCTION_ARGS)
{
	PtCheck		check;
	BlockNumber root;
	uint32		root_level;

	memset(&check, 0, sizeof(check));
	check.rel = open_ptree(PG_GETARG_OID(0), &check.heap);
	_pt_get_layout(check.rel, &check.layout);
	check.page = palloc(BLCKSZ);
	check.extents = palloc(BLCKSZ * sizeof(PtExtent));
	check.nblocks = RelationGetNumberOfBlocks(check.rel);

	_pt_read_root(check.rel, &root, &root_level);
	if (root == PT_METAPAGE || root >= check.nblocks)
		_pt_report_corrupt(check.rel, PT_METAPAGE,
						   "The root is not a block of the index.");
	for (int level = root_level; level >= 0; level--)
		check_level(&check, level);

	if (PG_GETARG_BOOL(1))
		check_heap(&check);

	index_close(check.rel, AccessShareLock);
	table_close(check.heap, AccessShareLock);
	PG_RETURN_VOID();
}

/*
 * ptree_stats(index regclass): one row about an index's pages and entries.
 */
Datum
ptree_stats(PG_FUNCTION_ARGS)
{
	Relation	heap;
	Relation	rel = open_ptree(PG_GETARG_OID(0), &heap);
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
	int64		leaves = 0;
	int64		inner = 0;
	int64		unused = 0;
	int64		entries = 0;
	int64		space = 0;
	BlockNumber root;
	uint32		level;
	TupleDesc	tupdesc;
	Datum		values[8];
	bool		nulls[8] = {false};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	_pt_read_root(rel, &root, &level);
	for (BlockNumber blkno = PT_METAPAGE + 1; blkno < nblocks; blkno++)
	{
		Buffer		buf;
		Page		page;

		CHECK_FOR_INTERRUPTS();
		buf = ReadBufferExtended(rel, MAIN_FORKNUM, blkno, RBM_NORMAL,
								 strategy);
		LockBuffer(buf, BUFFER_LOCK_SHARE);
		page = BufferGetPage(buf);
		if (PageIsNew(page))
			unused++;
		else
		{
			_pt_check_page(rel, buf);
			if (_pt_page_deleted(page))
				unused++;
			else if (PtPageGetOpaque(page)->level > 0)
				inner++;
			else
			{
				leaves++;
				entries += PtPageCount(page);
				space += PT_PAGE_SPACE - PtPageFree(page);
			}
		}
		_pt_release(buf);
	}

	values[0] = Int32GetDatum(PTREE_VERSION);
	values[1] = Int32GetDatum((int32) level + 1);
	values[2] = Int64GetDatum(leaves);
	values[3] = Int64GetDatum(inner);
	values[4] = Int64GetDatum(unused);
	values[5] = Int64GetDatum(entries);
	values[6] = Float8GetDatum((double) nblocks * BLCKSZ / Max(entries, 1));
	nulls[6] = entries == 0;
	values[7] = Float8GetDatum(100.0 * space / ((double) leaves * PT_PAGE_SPACE));
	nulls[7] = leaves == 0;

	index_close(rel, AccessShareLock);
	table_close(heap, AccessShareLock);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc),
													  values, nulls)));
}

/* Opens an index and its table, the table first; refuses other relations. */
static Relation
open_ptree(Oid indexoid, Relation *heap)
{
	Oid			heapoid = IndexGetRelation(indexoid, true);
	Relation	rel;

	*heap = OidIsValid(heapoid) ? table_open(heapoid, AccessShareLock) : NULL;
	rel = relation_open(indexoid, AccessShareLock);
	if (rel->rd_rel->relkind != RELKIND_INDEX || *heap == NULL ||
		rel->rd_indam->ambuild != ptbuild)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a \"%s\" index",
						RelationGetRelationName(rel), "ptree")));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary indexes of other sessions")));
	if (!rel->rd_index->indisvalid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" is not valid",
						RelationGetRelationName(rel))));
	if (RecoveryInProgress() &&
		rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("cannot access index \"%s\" during recovery",
						RelationGetRelationName(rel)),
				 errdetail("Unlogged indexes exist only on the primary.")));
	return rel;
}

/* Judges all pages of a level. */
static void
check_level(PtCheck *check, int level)
{
	PtKey		leftmost = {NULL, 0, PT_KEY_PLAIN, 0, {0}};
	Buffer		buf = _pt_descend(check->rel, &leftmost, false, level,
								  BUFFER_LOCK_SHARE);
	BlockNumber next;

	if (PtPageGetOpaque(BufferGetPage(buf))->prev != InvalidBlockNumber)
		_pt_report_corrupt(check->rel, BufferGetBlockNumber(buf),
						   "The leftmost page of a level has a left sibling.");
	for (;;)
	{
		check->blkno = BufferGetBlockNumber(buf);
		memcpy(check->page, BufferGetPage(buf), BLCKSZ);
		next = PtPageGetOpaque(check->page)->next;

		/* before anything trusts the page, it must be sound in itself */
		check_page(check, level);
		if (next != InvalidBlockNumber)
		{
			Buffer		right;

			if (next >= check->nblocks)
				check->nblocks = RelationGetNumberOfBlocks(check->rel);
			if (next == PT_METAPAGE || next >= check->nblocks)
				report(check, "The right sibling, %u, is not a block of the index.",
					   next);
			PT_FAULT("siblings");
			right = _pt_read(check->rel, next, BUFFER_LOCK_SHARE);
			check_siblings(check, buf, right);
			_pt_release(right);
		}
		_pt_release(buf);

		if (level > 0)
			check_children(check);
		if (next == InvalidBlockNumber)
			return;

		CHECK_FOR_INTERRUPTS();
		buf = _pt_read(check->rel, next, BUFFER_LOCK_SHARE);
		while (_pt_page_deleted(BufferGetPage(buf)))
		{
			next = PtPageGetOpaque(BufferGetPage(buf))->next;
			_pt_release(buf);
			buf = _pt_read(check->rel, next, BUFFER_LOCK_SHARE);
		}
	}
}

/* Compares two neighbours, both locked. */
static void
check_siblings(PtCheck *check, Buffer buf, Buffer next)
{
	PtPageOpaque opaque = PtPageGetOpaque(BufferGetPage(buf));
	PtPageOpaque right = PtPageGetOpaque(BufferGetPage(next));
	PtKey		high;
	PtKey		low;

	if ((right->flags & (PT_DELETED | PT_META)) != 0 ||
		right->level != opaque->level)
		report(check, "The right sibling, %u, is not a page of level %d.",
			   BufferGetBlockNumber(next), opaque->level);
	if (right->prev != BufferGetBlockNumber(buf))
		report(check, "The right sibling, %u, has left sibling %u.",
			   BufferGetBlockNumber(next), right->prev);

	_pt_get_high(BufferGetPage(buf), &high);
	if (!_pt_get_low(BufferGetPage(next), &low) ||
		_pt_compare(&high, &low) != 0)
		report(check, "The high fence is not the low fence of the right sibling, %u.",
			   BufferGetBlockNumber(next));
}

/* Judges the copied page by itself. */
static void
check_page(PtCheck *check, int level)
{
	int			count;

	check->nextents = 0;
	check_header(check, level);
	check_fences(check);

	count = PtPageCount(check->page);
	for (int slot = 0; slot < count; slot++)
		check_record(check, slot);
	if (level > 0 && count == 0)
		report(check, "The inner page has no entries.");
	check_order(check);
	check_extents(check);
}

static void
check_header(PtCheck *check, int level)
{
	PageHeader	header = (PageHeader) check->page;
	PtPageOpaque opaque;

	if (header->pd_special != BLCKSZ - sizeof(PtPageOpaqueData) ||
		header->pd_lower < SizeOfPageHeaderData ||
		header->pd_lower > header->pd_upper ||
		header->pd_upper > header->pd_special ||
		(header->pd_lower - SizeOfPageHeaderData) % sizeof(PtSlot) != 0)
		report(check, "The page header is not valid.");

	opaque = PtPageGetOpaque(check->page);
	if (opaque->level != level || opaque->taillen != check->layout.taillen)
		report(check, "The page is of level %d with tails of %d bytes, not of level %d with %d.",
			   opaque->level, opaque->taillen, level, check->layout.taillen);
	if ((opaque->flags & ~(PT_INCOMPLETE_SPLIT | PT_SPLIT_END)) != 0)
		report(check, "The page has flags %04X.", opaque->flags);
	if (opaque->nlate > (level == 0 ? Min(PtPageCount(check->page),
										  PT_MAX_LATE) : 0))
		report(check, "The page has %d late slots.", opaque->nlate);
	for (int i = header->pd_lower; i < header->pd_upper; i++)
	{
		if (check->page[i] != 0)
			report(check, "The unused byte at offset %d is not zero.", i);
	}
}

static void
check_fences(PtCheck *check)
{
	PtPageOpaque opaque = PtPageGetOpaque(check->page);
	int			prefix = 0;
	PtKey		low;
	PtKey		high;

	if ((opaque->prev == InvalidBlockNumber) != (opaque->low == 0) ||
		(opaque->next == InvalidBlockNumber) != (opaque->high == 0))
		report(check, "Fences and siblings do not agree.");
	if ((opaque->flags & PT_INCOMPLETE_SPLIT) != 0 &&
		opaque->next == InvalidBlockNumber)
		report(check, "The page is marked as split but lacks a right sibling.");

	check_fence(check, opaque->low);
	check_fence(check, opaque->high);
	_pt_get_low(check->page, &low);
	_pt_get_high(check->page, &high);
	if (_pt_compare(&low, &high) >= 0)
		report(check, "The low fence is not before the high fence.");
	if (opaque->low != 0 && opaque->high != 0)
		prefix = _pt_common_prefix(&low, &high);
	if (opaque->prefix != prefix)
		report(check, "The fences have %d bytes in common, not %d.",
			   prefix, opaque->prefix);
}

/* Notes a record; reports one that is not inside the records' area. */
static void
add_extent(PtCheck *check, int start, int length)
{
	PageHeader	header = (PageHeader) check->page;

	if (start < header->pd_upper || length < 0 ||
		start + length > header->pd_special)
		report(check, "A record of %d bytes at offset %d is outside of the records' area.",
			   length, start);
	check->extents[check->nextents].start = start;
	check->extents[check->nextents].end = start + length;
	check->nextents++;
}

static uint16
get_u16(PtCheck *check, int offset)
{
	uint16		value;

	if (offset < 0 || offset + (int) sizeof(uint16) > BLCKSZ)
		report(check, "A record at offset %d is outside of the page.", offset);
	memcpy(&value, check->page + offset, sizeof(value));
	return value;
}

static uint8
get_u8(PtCheck *check, int offset)
{
	if (offset < 0 || offset >= BLCKSZ)
		report(check, "A record at offset %d is outside of the page.", offset);
	return ((uint8 *) check->page)[offset];
}

static void
check_fence(PtCheck *check, uint16 offset)
{
	int			len;
	int			taillen;

	if (offset == 0)
		return;
	len = get_u16(check, offset);
	taillen = get_u8(check, offset + sizeof(uint16));
	if (taillen != 0 && taillen != check->layout.taillen)
		report(check, "A fence has a tail of %d bytes.", taillen);
	if (len > PT_MAX_KEY)
		report(check, "A fence has %d bytes.", len);
	add_extent(check, offset, sizeof(uint16) + sizeof(uint8) + taillen + len);
}

/* Judges whether a slot's record can be read at all. */
static void
check_record(PtCheck *check, int slot)
{
	PtSlot	   *slots = PtPageSlots(check->page);
	bool		leaf = PtPageGetOpaque(check->page)->level == 0;
	int			offset = slots[slot].offset;
	int			p = offset;
	uint16		info = get_u16(check, p);
	int			suffixlen = info & PT_SUFFIX_MASK;
	int			grouplen = 0;
	int			taillen = check->layout.taillen;

	p += sizeof(uint16);
	if (info & PT_GROUPED)
	{
		int			group = get_u16(check, p);

		p += sizeof(uint16);
		grouplen = get_u16(check, group);

		/* a group is noted once for all its entries, see check_extents */
		add_extent(check, group, sizeof(uint16) + grouplen);
	}
	if (!leaf)
	{
		p += sizeof(BlockNumber);
		taillen = get_u8(check, p);
		p += sizeof(uint8);
		if (taillen != 0 && taillen != check->layout.taillen)
			report(check, "The entry of slot %d has a tail of %d bytes.",
				   slot, taillen);
	}
	if (suffixlen + grouplen > PT_MAX_KEY)
		report(check, "The key of slot %d has %d bytes.", slot,
			   suffixlen + grouplen);
	add_extent(check, offset, p - offset + taillen + suffixlen);
}

/* Judges order, heads and what entries point to. */
static void
check_order(PtCheck *check)
{
	bool		leaf = PtPageGetOpaque(check->page)->level == 0;
	PtSlot	   *slots = PtPageSlots(check->page);
	uint16		order[PT_MAX_ENTRIES];
	PtItem	   *items;
	int			nitems;
	PtPlace		from;
	PtPlace		to;
	PtKey		low;
	PtKey		high;

	/* late slots out of their own order come out of the merge so */
	_pt_begin(check->page, &from);
	_pt_end(check->page, &to);
	(void) _pt_slots_between(check->page, &from, &to, order);
	items = _pt_page_items(check->page, 0, &nitems);
	_pt_get_low(check->page, &low);
	_pt_get_high(check->page, &high);

	for (int i = 0; i < nitems; i++)
	{
		const PtKey *key = &items[i].key;
		int			slot = order[i];

		if (slots[slot].head != _pt_head(check->page, key))
			report(check, "The head of slot %d does not match its key.", slot);
		if (leaf)
		{
			ItemPointerData tid;
			int			pklen = _pt_pk_length(key->data, key->len);

			_pt_decode_tid(key->tail + key->taillen - PT_TID_SIZE, &tid);
			if (!ItemPointerIsValid(&tid))
				report(check, "The entry of slot %d has no row.", slot);
			if (pklen == 0 || (key->data[pklen] != PT_SK_VALUE &&
							   key->data[pklen] != PT_SK_NULL))
				report(check, "The key of slot %d is not complete.", slot);
		}
		else
		{
			if (items[i].child >= check->nblocks)
				check->nblocks = RelationGetNumberOfBlocks(check->rel);
			if (items[i].child == PT_METAPAGE ||
				items[i].child >= check->nblocks)
				report(check, "The child of slot %d, %u, is not a block of the index.",
					   slot, items[i].child);
			if ((slot == 0) != (key->len == 0))
				report(check, "The key of slot %d is empty, or that of slot 0 is not.",
					   slot);
		}

		/* the first entry of an inner page stands for the low fence */
		if ((leaf || slot > 0) && _pt_compare(key, &low) < 0)
			report(check, "The key of slot %d is before the low fence.", slot);
		if (_pt_compare(key, &high) >= 0)
			report(check, "The key of slot %d is not before the high fence.",
				   slot);
		if (i > 0 && _pt_compare(&items[i - 1].key, key) >= 0)
			report(check, "The key of slot %d is not behind that of the slot before.",
				   slot);
	}
	_pt_free_items(items, nitems);
}

static int
compare_extents(const void *a, const void *b)
{
	const PtExtent *x = (const PtExtent *) a;
	const PtExtent *y = (const PtExtent *) b;

	return x->start != y->start ? x->start - y->start : x->end - y->end;
}

/* No two records overlap; the same group may have been noted many times. */
static void
check_extents(PtCheck *check)
{
	PtExtent   *extents = check->extents;

	qsort(extents, check->nextents, sizeof(PtExtent), compare_extents);
	for (int i = 1; i < check->nextents; i++)
	{
		if (extents[i].start == extents[i - 1].start &&
			extents[i].end == extents[i - 1].end)
			continue;
		if (extents[i].start < extents[i - 1].end)
			report(check, "The records at offsets %d and %d overlap.",
				   extents[i - 1].start, extents[i].start);
	}
}

/* Compares the copied inner page with its children. */
static void
check_children(PtCheck *check)
{
	for (int slot = 0; slot < PtPageCount(check->page); slot++)
	{
		const char *fault;

		CHECK_FOR_INTERRUPTS();
		fault = check_child(check, slot);
		if (fault == NULL)
			continue;
		if (!page_changed(check))
			report(check, "%s", psprintf(fault, slot));
		slot = -1;
	}
}

/* Returns what is wrong with a child, to be formatted with its slot. */
static const char *
check_child(PtCheck *check, int slot)
{
	int			level = PtPageGetOpaque(check->page)->level;
	int			nitems;
	PtItem	   *items = _pt_page_items(check->page, 0, &nitems);
	const char *fault = NULL;
	Buffer		buf;
	PtPageOpaque opaque;
	PtKey		low;
	PtKey		high;
	PtKey		child_low;
	PtKey		child_high;

	if (slot == 0)
		_pt_get_low(check->page, &low);
	else
		low = items[slot].key;
	if (slot + 1 < nitems)
		high = items[slot + 1].key;
	else
		_pt_get_high(check->page, &high);

	buf = _pt_read(check->rel, items[slot].child, BUFFER_LOCK_SHARE);
	opaque = PtPageGetOpaque(BufferGetPage(buf));
	_pt_get_low(BufferGetPage(buf), &child_low);
	_pt_get_high(BufferGetPage(buf), &child_high);
	if ((opaque->flags & (PT_DELETED | PT_META)) != 0 ||
		opaque->level != level - 1)
		fault = "The child of slot %d is not a page of the next level.";
	else if (_pt_compare(&low, &child_low) != 0)
		fault = "The key of slot %d is not the low fence of the child.";
	else if (_pt_compare(&child_high, &high) > 0)
		fault = "The child of slot %d reaches beyond the next key.";
	else if (_pt_compare(&child_high, &high) < 0 &&
			 (opaque->flags & PT_INCOMPLETE_SPLIT) == 0)
		fault = "The right sibling of the child of slot %d has no entry.";
	_pt_release(buf);

	_pt_free_items(items, nitems);
	return fault;
}

/* Whether the page is not what it was; if so, copies and judges it again. */
static bool
page_changed(PtCheck *check)
{
	int			level = PtPageGetOpaque(check->page)->level;
	Buffer		buf = _pt_read(check->rel, check->blkno, BUFFER_LOCK_SHARE);
	bool		changed;

	/* the checksum is set when a page is written, whatever it holds */
	((PageHeader) check->page)->pd_checksum =
		((PageHeader) BufferGetPage(buf))->pd_checksum;
	changed = memcmp(check->page, BufferGetPage(buf), BLCKSZ) != 0;
	memcpy(check->page, BufferGetPage(buf), BLCKSZ);
	_pt_release(buf);
	if (changed)
		check_page(check, level);
	return changed;
}

/*
 * Looks up every row that a snapshot sees.  Expressions and the predicate of
 * the index are evaluated for that.  What runs then is of the table owner's
 * making, so it runs with his rights, not with those of the caller, and leaves
 * nothing behind in the caller's session.
 */
static void
check_heap(PtCheck *check)
{
	Oid			user;
	int			security;
	int			nest;

	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(check->heap->rd_rel->relowner,
						   security | SECURITY_RESTRICTED_OPERATION);
	nest = NewGUCNestLevel();
	compat_restrict_search_path();
	check_rows(check);
	AtEOXact_GUC(false, nest);
	SetUserIdAndSecContext(user, security);
}

static void
check_rows(PtCheck *check)
{
	IndexInfo  *info = BuildIndexInfo(check->rel);
	Snapshot	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	TableScanDesc scan;

	/* rows may be missing from an index that is younger than the snapshot */
	if (IsolationUsesXactSnapshot() && check->rel->rd_index->indcheckxmin &&
		!TransactionIdPrecedes(HeapTupleHeaderGetXmin(check->rel->rd_indextuple->t_data),
							   snapshot->xmin))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("index \"%s\" cannot be verified using transaction snapshot",
						RelationGetRelationName(check->rel))));

	info->ii_Concurrent = true;
	info->ii_Unique = false;
	info->ii_ExclusionOps = NULL;
	info->ii_ExclusionProcs = NULL;
	info->ii_ExclusionStrats = NULL;

	scan = table_beginscan_strat(check->heap, snapshot, 0, NULL, true, true);
	table_index_build_scan(check->heap, check->rel, info, true, false,
						   check_row, check, scan);
	UnregisterSnapshot(snapshot);
}

static void
check_row(Relation rel, ItemPointer tid, Datum *values, bool *isnull,
		  bool alive, void *state)
{
	PtCheck    *check = (PtCheck *) state;
	StringInfoData bytes;
	bool		found;
	PtKey		key;
	Buffer		buf;
	PtPlace		place;

	initStringInfo(&bytes);
	_pt_encode_tuple(rel, &check->layout, values, isnull, tid, &bytes, &key);
	buf = _pt_descend(rel, &key, false, 0, BUFFER_LOCK_SHARE);
	_pt_locate(BufferGetPage(buf), &key, &place);
	found = _pt_has_entry(BufferGetPage(buf), &place, &key);
	_pt_release(buf);
	pfree(bytes.data);

	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("row (%u,%u) of table \"%s\" lacks an entry in index \"%s\"",
						ItemPointerGetBlockNumber(tid),
						ItemPointerGetOffsetNumber(tid),
						RelationGetRelationName(check->heap),
						RelationGetRelationName(rel)),
				 errhint("Please REINDEX it.")));
}

static void
report(PtCheck *check, const char *format,...)
{
	StringInfoData detail;

	initStringInfo(&detail);
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&detail, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&detail, needed);
	}
	_pt_report_corrupt(check->rel, check->blkno, detail.data);
}
