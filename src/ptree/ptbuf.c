/*
 * ptbuf.c
 *	  Buffers of a ptree index: reading, the meta page, new and reused pages.
 *
 * Locks are taken in one order: on one level from left to right, then
 * upwards, the meta page last.  A descent holds one lock at a time.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/indexfsm.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "ptree/ptree_private.h"

/*
 * What a session remembers of an index, in rd_amcache: the root, and for each
 * part of the range of hashes the leaf page last seen there.  All of it may be
 * out of date, and is checked against the page at each use.
 */
#define PT_HINT_BITS	10
#define PT_HINTS		(1 << PT_HINT_BITS)

typedef struct PtHint
{
	BlockNumber blkno;			/* 0, the meta page, is none */
	Buffer		buf;
} PtHint;

typedef struct PtCache
{
	BlockNumber root;
	uint32		level;
	PtHint		hints[FLEXIBLE_ARRAY_MEMBER];	/* unless the root is a leaf */
} PtCache;

static bool acquire_free_page(Relation rel, Buffer buf);

/*
 * Raises an error unless the page is one of ours and has a header and fences
 * that can be trusted not to lead outside of the page or of our arrays.
 */
void
_pt_check_page(Relation rel, Buffer buf)
{
	Page		page = BufferGetPage(buf);
	PageHeader	header = (PageHeader) page;

	if (PageIsNew(page))
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "The page is empty.");
	if (PageGetSpecialSize(page) != sizeof(PtPageOpaqueData) ||
		PtPageGetOpaque(page)->page_id != PT_PAGE_ID)
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "The page is not one of this access method.");
	if (header->pd_lower < SizeOfPageHeaderData ||
		header->pd_lower > header->pd_upper ||
		header->pd_upper > header->pd_special ||
		PtPageCount(page) > (int) PT_MAX_ENTRIES ||
		PtPageGetOpaque(page)->taillen > PT_MAX_TAIL)
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "The page header is not valid.");
	if (!_pt_fence_readable(page, PtPageGetOpaque(page)->low) ||
		!_pt_fence_readable(page, PtPageGetOpaque(page)->high))
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "A fence is outside of the page.");
}

/* Reads, locks and checks a page. */
Buffer
_pt_read(Relation rel, BlockNumber blkno, int access)
{
	Buffer		buf = ReadBuffer(rel, blkno);

	LockBuffer(buf, access);
	_pt_check_page(rel, buf);
	return buf;
}

void
_pt_release(Buffer buf)
{
	UnlockReleaseBuffer(buf);
}

void
_pt_meta_init(Page page, BlockNumber root, uint32 level, int natts)
{
	PtMetaPageData *meta;

	_pt_page_init(page, 0, 0);
	PtPageGetOpaque(page)->flags = PT_META;
	meta = PtPageGetMeta(page);
	meta->magic = PTREE_MAGIC;
	meta->version = PTREE_VERSION;
	meta->root = root;
	meta->root_level = level;
	meta->natts = natts;
	meta->deleted_pages = 0;
	((PageHeader) page)->pd_lower = ((char *) meta + sizeof(PtMetaPageData)) -
		(char *) page;
}

/* The content of the meta page in a locked buffer, checked. */
PtMetaPageData *
_pt_get_meta(Relation rel, Buffer buf)
{
	Page		page = BufferGetPage(buf);
	PtMetaPageData *meta = PtPageGetMeta(page);

	if ((PtPageGetOpaque(page)->flags & PT_META) == 0 ||
		meta->magic != PTREE_MAGIC)
		_pt_report_corrupt(rel, PT_METAPAGE,
						   "The page is not a meta page.");
	if (meta->version != PTREE_VERSION ||
		meta->natts != (uint32) IndexRelationGetNumberOfKeyAttributes(rel))
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("index \"%s\" has format version %u, this server needs version %d",
						RelationGetRelationName(rel), meta->version,
						PTREE_VERSION),
				 errhint("Please REINDEX it.")));
	return meta;
}

/* Block and level of the root as the meta page has them. */
void
_pt_read_root(Relation rel, BlockNumber *root, uint32 *level)
{
	Buffer		buf = _pt_read(rel, PT_METAPAGE, BUFFER_LOCK_SHARE);
	PtMetaPageData *meta = _pt_get_meta(rel, buf);
	PtCache    *cache = (PtCache *) rel->rd_amcache;

	*root = meta->root;
	*level = meta->root_level;
	_pt_release(buf);

	/* a root that was a leaf has no room for hints behind it */
	if (cache != NULL && cache->level == 0 && *level > 0)
	{
		rel->rd_amcache = NULL;
		pfree(cache);
		cache = NULL;
	}
	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(rel->rd_indexcxt,
									   offsetof(PtCache, hints) +
									   (*level > 0 ?
										PT_HINTS * sizeof(PtHint) : 0));
		rel->rd_amcache = cache;
	}
	cache->root = *root;
	cache->level = *level;
}

/*
 * Block and level of what was the root once.  It may have been split since,
 * even deleted and reused, so the caller checks the page: if it has the same
 * level and no siblings it is still the root, because the level of the root
 * only grows.
 */
void
_pt_cached_root(Relation rel, BlockNumber *root, uint32 *level)
{
	PtCache    *cache = (PtCache *) rel->rd_amcache;

	if (cache == NULL)
	{
		_pt_read_root(rel, root, level);
		return;
	}
	*root = cache->root;
	*level = cache->level;
}

/* The hint for a key, or NULL if there can be none. */
static PtHint *
find_hint(Relation rel, const PtKey *key)
{
	PtCache    *cache = (PtCache *) rel->rd_amcache;

	if (cache == NULL || cache->level == 0 || key->len < PT_HASH_SIZE)
		return NULL;
	return &cache->hints[(key->data[0] << 8 | key->data[1]) >>
						 (16 - PT_HINT_BITS)];
}

/*
 * Pins the page that may be the leaf page of a key, if it is still in its
 * buffer.
 */
bool
_pt_get_hint(Relation rel, const PtKey *key, BlockNumber *blkno, Buffer *buf)
{
	PtHint	   *hint = find_hint(rel, key);

	if (hint == NULL || hint->blkno == PT_METAPAGE)
		return false;
	*blkno = hint->blkno;
	*buf = hint->buf;
	return compat_read_recent_buffer(rel, *blkno, *buf);
}

/* Remembers the leaf page of a key. */
void
_pt_set_hint(Relation rel, const PtKey *key, Buffer buf)
{
	PtHint	   *hint = find_hint(rel, key);

	if (hint != NULL)
	{
		hint->blkno = BufferGetBlockNumber(buf);
		hint->buf = buf;
	}
}

/*
 * A page for new content, exclusively locked, to be initialized and logged as
 * an image: a deleted one that nobody can still look for, or a new one.  If
 * the caller fails to use it, the next VACUUM finds it again.
 */
Buffer
_pt_new_buffer(Relation rel)
{
	bool		need_lock = !RELATION_IS_LOCAL(rel);
	BlockNumber blkno;
	Buffer		buf;

	while ((blkno = GetFreeIndexPage(rel)) != InvalidBlockNumber)
	{
		buf = ReadBuffer(rel, blkno);

		/*
		 * Free space maps are not crash-safe: the page may be in use, even by
		 * ourselves, so do not wait for its lock.
		 */
		if (ConditionalLockBuffer(buf))
		{
			if (acquire_free_page(rel, buf))
				return buf;
			LockBuffer(buf, BUFFER_LOCK_UNLOCK);
		}
		ReleaseBuffer(buf);
	}

	/*
	 * Lock the buffer before letting others extend the index, so that VACUUM
	 * does not take the page for one that a crash left behind.
	 */
	if (need_lock)
		LockRelationForExtension(rel, ExclusiveLock);
	buf = ReadBuffer(rel, P_NEW);
	LockBuffer(buf, BUFFER_LOCK_EXCLUSIVE);
	if (need_lock)
		UnlockRelationForExtension(rel, ExclusiveLock);
	return buf;
}

/*
 * Whether a locked page from the free space map can be used.  If so, standby
 * queries that might still come to it are dealt with.
 */
static bool
acquire_free_page(Relation rel, Buffer buf)
{
	Page		page = BufferGetPage(buf);

	if (PageIsNew(page))
		return true;
	_pt_check_page(rel, buf);
	if (!_pt_page_recyclable(page))
		return false;
	if (RelationNeedsWAL(rel) && XLogStandbyInfoActive())
		_pt_wal_conflict(rel, BufferGetBlockNumber(buf),
						 PtPageGetDeleted(page)->safexid);
	return true;
}

/* Whether a page is deleted and no running scan can come to it. */
bool
_pt_page_recyclable(Page page)
{
	if (!_pt_page_deleted(page))
		return false;
	return GlobalVisCheckRemovableFullXid(NULL,
										  PtPageGetDeleted(page)->safexid);
}

/* Puts a page formed elsewhere into its buffer, in a critical section. */
void
_pt_replace_page(Page page, Page formed)
{
	PageSetLSN(formed, PageGetLSN(page));
	memcpy(page, formed, BLCKSZ);
}
