/*
 * ptvacuum.c
 *	  VACUUM: removing the entries of dead rows, finding pages to reuse.
 *
 * The index is read in physical order.  A page that is split meanwhile may
 * put entries on a block that was passed already; pages split during a VACUUM
 * carry its cycle id, by which we recognize them and follow their right links
 * back.  The cycle ids are those of nbtree, whose shared table knows indexes
 * by relation and does not care which access method they have.
 *
 * Each leaf page is locked for cleanup, whether it has dead entries or not,
 * so that a scan without an MVCC snapshot never finds a row replaced.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/indexfsm.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"

#include "base/compat.h"
#include "ptree/ptree_private.h"

typedef struct PtVacuum
{
	IndexVacuumInfo *info;
	IndexBulkDeleteResult *stats;
	IndexBulkDeleteCallback callback;	/* NULL: only count */
	void	   *callback_state;
	uint16		cycleid;
	MemoryContext page_context;
} PtVacuum;

static void vacuum_scan(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
						IndexBulkDeleteCallback callback, void *callback_state,
						uint16 cycleid);
static void vacuum_block(PtVacuum *vacuum, BlockNumber blkno);
static BlockNumber vacuum_leaf(PtVacuum *vacuum, Buffer buf,
							   BlockNumber scan_blkno, bool *empty);
static void remove_dead(PtVacuum *vacuum, Buffer buf);
static uint32 deleted_pages(Relation rel);
static void set_deleted_pages(Relation rel, uint32 deleted);

IndexBulkDeleteResult *
ptbulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
			 IndexBulkDeleteCallback callback, void *callback_state)
{
	Relation	rel = info->index;
	IndexBulkDeleteResult *volatile result = stats;

	if (result == NULL)
		result = palloc0(sizeof(IndexBulkDeleteResult));

	PG_ENSURE_ERROR_CLEANUP(_bt_end_vacuum_callback, PointerGetDatum(rel));
	{
		uint16		cycleid = _bt_start_vacuum(rel);

		vacuum_scan(info, result, callback, callback_state, cycleid);
	}
	PG_END_ENSURE_ERROR_CLEANUP(_bt_end_vacuum_callback, PointerGetDatum(rel));
	_bt_end_vacuum(rel);

	return result;
}

/*
 * Without dead rows there is nothing to do, unless enough pages that an
 * earlier VACUUM deleted may have become reusable.
 */
IndexBulkDeleteResult *
ptvacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only)
		return stats;

	if (stats == NULL)
	{
		if (deleted_pages(info->index) <=
			RelationGetNumberOfBlocks(info->index) / 20)
			return NULL;
		stats = palloc0(sizeof(IndexBulkDeleteResult));
		vacuum_scan(info, stats, NULL, NULL, 0);
		stats->estimated_count = true;
	}

	PT_FAULT("cleanup");
	set_deleted_pages(info->index, stats->pages_deleted - stats->pages_free);

	/* entries may have been counted twice while pages were being split */
	if (!info->estimated_count &&
		stats->num_index_tuples > info->num_heap_tuples)
		stats->num_index_tuples = info->num_heap_tuples;
	return stats;
}

/* Reads the whole index once. */
static void
vacuum_scan(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
			IndexBulkDeleteCallback callback, void *callback_state,
			uint16 cycleid)
{
	Relation	rel = info->index;
	bool		need_lock = !RELATION_IS_LOCAL(rel);
	BlockNumber blkno = PT_METAPAGE + 1;
	PtVacuum	vacuum;

	/* a second scan of the same VACUUM counts anew */
	stats->num_pages = 0;
	stats->num_index_tuples = 0;
	stats->pages_deleted = 0;
	stats->pages_free = 0;

	vacuum.info = info;
	vacuum.stats = stats;
	vacuum.callback = callback;
	vacuum.callback_state = callback_state;
	vacuum.cycleid = cycleid;
	vacuum.page_context = AllocSetContextCreate(CurrentMemoryContext,
												"ptree vacuum page",
												ALLOCSET_DEFAULT_SIZES);

	/*
	 * Pages added while we read must be read too, since a split may have put
	 * old entries there.
	 */
	for (;;)
	{
		BlockNumber nblocks;

		if (need_lock)
			LockRelationForExtension(rel, ExclusiveLock);
		nblocks = RelationGetNumberOfBlocks(rel);
		if (need_lock)
			UnlockRelationForExtension(rel, ExclusiveLock);

		if (blkno >= nblocks)
		{
			stats->num_pages = nblocks;
			break;
		}
		for (; blkno < nblocks; blkno++)
		{
			MemoryContext old = MemoryContextSwitchTo(vacuum.page_context);

			vacuum_block(&vacuum, blkno);
			MemoryContextSwitchTo(old);
			MemoryContextReset(vacuum.page_context);
		}
	}
	MemoryContextDelete(vacuum.page_context);
	PT_FAULT("vacuum");

	if (stats->pages_free > 0)
		IndexFreeSpaceMapVacuum(rel);
}

/*
 * Treats one block, and those to which its entries went if it was split since
 * we began and they lie before it.
 */
static void
vacuum_block(PtVacuum *vacuum, BlockNumber scan_blkno)
{
	Relation	rel = vacuum->info->index;
	IndexBulkDeleteResult *stats = vacuum->stats;
	BlockNumber blkno = scan_blkno;

	while (blkno != InvalidBlockNumber)
	{
		BlockNumber follow = InvalidBlockNumber;
		bool		empty = false;
		Page		page;
		Buffer		buf;

		compat_vacuum_delay();

		buf = ReadBufferExtended(rel, MAIN_FORKNUM, blkno, RBM_NORMAL,
								 vacuum->info->strategy);
		LockBuffer(buf, BUFFER_LOCK_SHARE);
		page = BufferGetPage(buf);
		if (!PageIsNew(page))
			_pt_check_page(rel, buf);

		if (PageIsNew(page) || _pt_page_recyclable(page))
		{
			if (blkno == scan_blkno)
			{
				RecordFreeIndexPage(rel, blkno);
				stats->pages_deleted++;
				stats->pages_free++;
			}
		}
		else if (_pt_page_deleted(page))
		{
			if (blkno == scan_blkno)
				stats->pages_deleted++;
		}
		else if (PtPageGetOpaque(page)->level == 0)
		{
			/* of pages before this one, only those split lately matter */
			if (blkno == scan_blkno ||
				PtPageGetOpaque(page)->cycleid == vacuum->cycleid)
				follow = vacuum_leaf(vacuum, buf, scan_blkno, &empty);
		}
		_pt_release(buf);

		if (empty && _pt_delete_page(rel, blkno))
		{
			stats->pages_newly_deleted++;
			stats->pages_deleted++;
		}
		blkno = follow;
	}
}

/*
 * Treats a leaf page that is locked shared, and is left locked.  Returns the
 * block to look at next, if entries went to one before the scan's place.
 */
static BlockNumber
vacuum_leaf(PtVacuum *vacuum, Buffer buf, BlockNumber scan_blkno, bool *empty)
{
	Page		page = BufferGetPage(buf);
	PtPageOpaque opaque = PtPageGetOpaque(page);
	BlockNumber follow = InvalidBlockNumber;

	if (vacuum->callback != NULL)
	{
		LockBuffer(buf, BUFFER_LOCK_UNLOCK);
		LockBufferForCleanup(buf);

		/* the page may have been split while it was unlocked */
		if (vacuum->cycleid != 0 && opaque->cycleid == vacuum->cycleid &&
			(opaque->flags & PT_SPLIT_END) == 0 &&
			opaque->next != InvalidBlockNumber &&
			opaque->next < scan_blkno)
			follow = opaque->next;

		remove_dead(vacuum, buf);
	}
	vacuum->stats->num_index_tuples += PtPageCount(page);
	*empty = vacuum->callback != NULL && PtPageCount(page) == 0;
	return follow;
}

/* Removes the entries of dead rows from a page that is locked for cleanup. */
static void
remove_dead(PtVacuum *vacuum, Buffer buf)
{
	Page		page = BufferGetPage(buf);
	int			count = PtPageCount(page);
	bool		dead[PT_MAX_ENTRIES];
	int			ndead = 0;

	for (int i = 0; i < count; i++)
	{
		ItemPointerData tid;

		_pt_decode_tid(_pt_entry_tid(page, i), &tid);
		dead[i] = vacuum->callback(&tid, vacuum->callback_state);
		if (dead[i])
			ndead++;
	}
	if (ndead > 0)
		_pt_remove_slots(vacuum->info->index, buf, dead);
	vacuum->stats->tuples_removed += ndead;
}

/*
 * Removes dead slots, of which there are some, from an exclusively locked leaf
 * page.  The records stay where they are until the page is formed anew.
 */
void
_pt_remove_slots(Relation rel, Buffer buf, const bool *dead)
{
	Page		page = BufferGetPage(buf);
	PtPageOpaque opaque = PtPageGetOpaque(page);
	PtSlot	   *slots = PtPageSlots(page);
	PtSlot		kept[PT_MAX_ENTRIES];
	int			first = 0;
	int			nlate;
	int			nkept = _pt_keep_slots(page, dead, kept, &nlate);
	PtWal		wal;

	while (!dead[first])
		first++;
	_pt_wal_init(&wal);

	START_CRIT_SECTION();
	memcpy(&slots[first], &kept[first], (nkept - first) * sizeof(PtSlot));
	_pt_truncate_slots(page, nkept);
	opaque->nlate = nlate;
	MarkBufferDirty(buf);
	_pt_wal_block(&wal, buf);
	_pt_wal_fragment(&wal, &((PageHeader) page)->pd_lower,
					 sizeof(LocationIndex));
	_pt_wal_fragment(&wal, &slots[first], (nkept - first) * sizeof(PtSlot));
	_pt_wal_fragment(&wal, &opaque->nlate, sizeof(opaque->nlate));
	_pt_wal_insert(rel, &wal);
	END_CRIT_SECTION();
}

/* How many pages the last VACUUM left deleted but not reusable. */
static uint32
deleted_pages(Relation rel)
{
	Buffer		buf = _pt_read(rel, PT_METAPAGE, BUFFER_LOCK_SHARE);
	uint32		result = _pt_get_meta(rel, buf)->deleted_pages;

	_pt_release(buf);
	return result;
}

static void
set_deleted_pages(Relation rel, uint32 deleted)
{
	Buffer		buf = _pt_read(rel, PT_METAPAGE, BUFFER_LOCK_EXCLUSIVE);
	PtMetaPageData *meta = _pt_get_meta(rel, buf);
	PtWal		wal;

	if (meta->deleted_pages != deleted)
	{
		_pt_wal_init(&wal);

		START_CRIT_SECTION();
		meta->deleted_pages = deleted;
		MarkBufferDirty(buf);
		_pt_wal_block(&wal, buf);
		_pt_wal_fragment(&wal, &meta->deleted_pages,
						 sizeof(meta->deleted_pages));
		_pt_wal_insert(rel, &wal);
		END_CRIT_SECTION();
	}
	_pt_release(buf);
}
