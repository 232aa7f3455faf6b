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
#include "port/pg_bswap.h"
#include "storage/bufmgr.h"
#include "storage/indexfsm.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "ptree/ptree_private.h"

/*
 * What a session remembers of an index, in rd_amcache: the root, and pages
 * seen lately on the two lowest levels.  All of it may be out of date, and is
 * checked against the page at each use.
 *
 * A hint stands in the slot of the key that was looked for: each slot is for a
 * part of the range of hashes, and has two ways, the one that was set last
 * first, since a page often ends inside a slot's part.  There are two or more
 * slots for each page that the index had when the array was made, up to a
 * limit; it is made anew when the index has outgrown it.
 */
#define PT_HINT_WAYS		2
#define PT_LEAF_BITS_MIN	5
#define PT_LEAF_BITS_MAX	12
#define PT_INNER_BITS		7

typedef struct PtHint
{
	BlockNumber blkno;			/* 0, the meta page, is none */
	Buffer		buf;
	uint32		low;			/* the page's low fence, what it has of a hash */
} PtHint;

typedef struct PtHintSlot
{
	PtHint		ways[PT_HINT_WAYS];
} PtHintSlot;

typedef struct PtCache
{
	BlockNumber root;
	uint32		level;
	int			bits;			/* log of the slots for leaves; 0: no slots */
	int64		misses;			/* hints set since the array was made */
	PtHintSlot	inner[1 << PT_INNER_BITS];	/* for level 1 */
	PtHintSlot	leaves[FLEXIBLE_ARRAY_MEMBER];
} PtCache;

static PtCache *make_cache(Relation rel, BlockNumber root, uint32 level);
static int	leaf_bits(Relation rel);
static bool acquire_free_page(Relation rel, Buffer buf);

/* Raises an error unless the page can be read safely. */
void
_pt_check_page(Relation rel, Buffer buf)
{
	Page		page = BufferGetPage(buf);

	if (likely(_pt_page_sane(page)))
		return;
	if (PageIsNew(page))
		_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
						   "The page is empty.");
	_pt_report_corrupt(rel, BufferGetBlockNumber(buf),
					   "The page is not one of this access method, or its header or a fence is not valid.");
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

	/* as long as the root is a leaf there are no hints */
	if (cache == NULL || (cache->bits == 0 && *level > 0))
		cache = make_cache(rel, *root, *level);
	cache->root = *root;
	cache->level = *level;
}

/* Makes what is remembered of an index, instead of what there was. */
static PtCache *
make_cache(Relation rel, BlockNumber root, uint32 level)
{
	int			bits = level > 0 ? leaf_bits(rel) : 0;
	PtCache    *cache;

	cache = MemoryContextAllocZero(rel->rd_indexcxt, bits == 0 ?
								   offsetof(PtCache, inner) :
								   offsetof(PtCache, leaves) +
								   sizeof(PtHintSlot) * ((Size) 1 << bits));
	cache->root = root;
	cache->level = level;
	cache->bits = bits;
	if (rel->rd_amcache != NULL)
		pfree(rel->rd_amcache);
	rel->rd_amcache = cache;
	return cache;
}

static int
leaf_bits(Relation rel)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	int			bits = PT_LEAF_BITS_MIN;

	while (bits < PT_LEAF_BITS_MAX && ((BlockNumber) 1 << bits) < 2 * nblocks)
		bits++;
	return bits;
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

/* The first bytes of a key, of which the hash is made, as a number. */
static inline uint32
hash_part(const uint8 *data, int len)
{
	uint32		result = 0;

	if (likely(len >= PT_HASH_SIZE))
		memcpy(&result, data, PT_HASH_SIZE);
	else if (len > 0)
		memcpy(&result, data, len);
	return pg_ntoh32(result);
}

/* Where the hints for a hash are, or NULL if there can be none. */
static inline PtHintSlot *
hint_slot(PtCache *cache, uint32 hash, int level)
{
	if (cache == NULL || cache->bits == 0)
		return NULL;
	if (level > 0)
		return &cache->inner[hash >> (32 - PT_INNER_BITS)];
	return &cache->leaves[hash >> (32 - cache->bits)];
}

/*
 * Pins the page of level 0 or 1 that may be the one of a key, if it is still
 * in its buffer.
 */
Buffer
_pt_get_hint(Relation rel, const PtKey *key, int level)
{
	uint32		hash = hash_part(key->data, key->len);
	PtHintSlot *slot = hint_slot((PtCache *) rel->rd_amcache, hash, level);
	PtHint	   *hint;

	if (slot == NULL)
		return InvalidBuffer;

	/* of two pages that do not begin behind the key it is the second one */
	hint = &slot->ways[0];
	if (slot->ways[1].blkno != PT_METAPAGE && slot->ways[1].low <= hash &&
		(hint->low > hash || hint->low < slot->ways[1].low))
		hint = &slot->ways[1];
	if (hint->blkno == PT_METAPAGE || hint->low > hash ||
		!compat_read_recent_buffer(rel, hint->blkno, hint->buf))
		return InvalidBuffer;
	return hint->buf;
}

/* Remembers the locked page of a key. */
void
_pt_set_hint(Relation rel, const PtKey *key, int level, Buffer buf)
{
	PtCache    *cache = (PtCache *) rel->rd_amcache;
	PtHintSlot *slot;
	BlockNumber blkno = BufferGetBlockNumber(buf);
	PtKey		low;

	if (cache != NULL && cache->bits > 0 && level == 0 &&
		++cache->misses > (int64) 4 << cache->bits)
	{
		if (cache->bits < leaf_bits(rel))
			cache = make_cache(rel, cache->root, cache->level);
		cache->misses = 0;
	}

	slot = hint_slot(cache, hash_part(key->data, key->len), level);
	if (slot == NULL)
		return;
	if (slot->ways[0].blkno != blkno)
		slot->ways[1] = slot->ways[0];
	_pt_get_low(BufferGetPage(buf), &low);
	slot->ways[0].blkno = blkno;
	slot->ways[0].buf = buf;
	slot->ways[0].low = hash_part(low.data, low.len);
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
			{
				PT_FAULT("reuse");
				return buf;
			}
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
	PT_FAULT("extend");
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
