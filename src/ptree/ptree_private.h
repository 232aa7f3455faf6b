/*
 * ptree_private.h
 *	  Keys, page layout and internal interfaces of the access method ptree.
 *
 * src/ptree/README explains the algorithms; this file is the format.  All
 * on-disk integers are native, as everywhere in the server; records are not
 * aligned, so they are read and written with memcpy.  A change of the format
 * raises PTREE_VERSION.
 */
#ifndef PT_PTREE_PRIVATE_H
#define PT_PTREE_PRIVATE_H

#include "access/amapi.h"
#include "access/genam.h"
#include "access/transam.h"
#include "lib/stringinfo.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "base/digest.h"

/*
 * Keys.
 *
 * An index entry is ordered by a byte string and, where those are equal, by a
 * tail of fixed length: the last int8 column if the index has one, then the
 * heap TID.  The byte string is
 *
 *		hash of the partition key, sign bit flipped, big-endian		4 bytes
 *		partition key, each 00 written as 00 FF, and 00				variable
 *		or, if it is text or bytea of more than 255 bytes,
 *		00 00 and its SHA-256										34 bytes
 *		01 and the sort key, unescaped; or 02 if it is null			variable
 *
 * A key of an index without a sort key column ends with the 01.  An empty
 * partition key is 00 and then 01, 02 or 03, never 00.
 */
#define PT_HASH_SIZE		4
#define PT_PK_END			0x00
#define PT_PK_ESCAPE		0xFF
#define PT_PK_DIGEST		0x00	/* after a PT_PK_END at the beginning */
#define PT_PK_DIGEST_LENGTH	(PT_HASH_SIZE + 2 + DIGEST_SIZE)
#define PT_SK_VALUE			0x01
#define PT_SK_NULL			0x02
#define PT_SK_BEYOND		0x03	/* in search keys only */

#define PT_INT8_SIZE		8
#define PT_TID_SIZE			6
#define PT_MAX_TAIL			(PT_INT8_SIZE + PT_TID_SIZE)

/*
 * Separators and search keys may lack the tail or a part of it.  A key then
 * stands before all keys that continue it (PT_KEY_PLAIN) or behind all those
 * that have the same byte string and continue the tail (PT_KEY_AFTER).  The
 * empty plain key is minus infinity, PT_KEY_END is plus infinity.
 */
typedef enum PtKeyKind
{
	PT_KEY_PLAIN,
	PT_KEY_AFTER,
	PT_KEY_END
} PtKeyKind;

typedef struct PtKey
{
	const uint8 *data;
	uint16		len;
	uint8		kind;			/* PtKeyKind; on pages always PT_KEY_PLAIN */
	uint8		taillen;
	uint8		tail[PT_MAX_TAIL];
} PtKey;

/* Which index columns go where; derived from the index's descriptor. */
typedef struct PtLayout
{
	int			natts;
	int			sk_attr;		/* column (from 0) of the sort key, or -1 */
	int			int8_attr;		/* column of the last int8, or -1 */
	uint8		taillen;		/* of leaf entries */
} PtLayout;

/*
 * Pages.
 *
 *		page header
 *		slots			PtSlot each, in key order but for late ones, up to pd_lower
 *		hole			always zero
 *		records			from pd_upper: entries, group prefixes, fences
 *		PtPageOpaque	special area
 *
 * On a leaf page the last opaque->nlate slots, some few, are in order among
 * themselves only: entries that came late, put there so that not half of all
 * slots must be moved, and logged, for each.  They are merged into the others
 * when they are PT_MAX_LATE.
 *
 * A slot has the offset of its entry and the entry's head: two bytes of the
 * key after the first opaque->prefix bytes, which all keys of the page share
 * because both fences do.  A search looks into an entry only if heads tie.
 *
 * Entry record:	uint16 info = length of the suffix | PT_GROUPED
 *					uint16 offset of the group prefix, if PT_GROUPED
 *					leaf: tail, opaque->taillen bytes
 *					inner: child block, uint8 length of the tail, tail
 *					suffix of the byte string
 * Group prefix:	uint16 length, bytes
 * Fence:			uint16 length, uint8 length of the tail, tail, bytes
 *
 * Entries with key >= low fence and < high fence belong on the page.  The
 * first entry of an inner page has the empty key, whatever the low fence is.
 */
typedef struct PtSlot
{
	uint16		offset;
	uint16		head;
} PtSlot;

typedef struct PtPageOpaqueData
{
	BlockNumber prev;			/* InvalidBlockNumber at the left end */
	BlockNumber next;			/* InvalidBlockNumber at the right end */
	uint16		flags;
	uint16		cycleid;		/* of the VACUUM during which it was split */
	uint16		low;			/* offset of low fence, 0 = minus infinity */
	uint16		high;			/* offset of high fence, 0 = plus infinity */
	uint16		prefix;			/* length of the fences' common prefix */
	uint8		level;			/* 0 = leaf */
	uint8		taillen;		/* length of the tail in leaf entries */
	uint16		nlate;			/* late slots; 0 on inner pages */
	uint16		page_id;		/* PT_PAGE_ID; the last bytes of the page */
} PtPageOpaqueData;

StaticAssertDecl(sizeof(PtPageOpaqueData) == 24, "ptree page format");

typedef PtPageOpaqueData *PtPageOpaque;

/* flags */
#define PT_META				0x0001
#define PT_DELETED			0x0002	/* unlinked; holds PtDeletedPageData */
#define PT_INCOMPLETE_SPLIT	0x0004	/* the parent lacks the right sibling */
#define PT_SPLIT_END		0x0008	/* right end of a group of split pages */

#define PT_PAGE_ID			0xFF8E

#define PtPageGetOpaque(page)	((PtPageOpaque) PageGetSpecialPointer(page))
#define PtPageSlots(page)		((PtSlot *) PageGetContents(page))
#define PtPageCount(page) \
	((int) ((((PageHeader) (page))->pd_lower - SizeOfPageHeaderData) / \
			sizeof(PtSlot)))
#define PtPageSorted(page) \
	(PtPageCount(page) - PtPageGetOpaque(page)->nlate)
#define PtPageFree(page) \
	((int) (((PageHeader) (page))->pd_upper - ((PageHeader) (page))->pd_lower))

StaticAssertDecl(SizeOfPageHeaderData == MAXALIGN(SizeOfPageHeaderData),
				 "slots begin right after the page header");

#define PT_GROUPED			0x8000
#define PT_SUFFIX_MASK		0x7FFF

/* Unaligned integers of a record. */
static inline uint16
_pt_load_u16(const uint8 *p)
{
	uint16		value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline void
_pt_store_u16(uint8 *p, uint16 value)
{
	memcpy(p, &value, sizeof(value));
}

/* bytes of a page for slots and records */
#define PT_PAGE_SPACE \
	(BLCKSZ - SizeOfPageHeaderData - sizeof(PtPageOpaqueData))

/*
 * Two fences and one entry of the largest size fit into a page, so a page
 * that lacks the room for one more entry can always be split.
 */
#define PT_MAX_KEY			((int) (PT_PAGE_SPACE - 3 * 40) / 3)

/* no page has more entries than this */
#define PT_MAX_ENTRIES \
	(PT_PAGE_SPACE / (sizeof(PtSlot) + sizeof(uint16) + PT_TID_SIZE))

/* a leaf page has no more late slots than this */
#define PT_MAX_LATE	16

/*
 * A place in the key order of a leaf page: the first slots behind it, of those
 * in order and of the late ones.
 */
typedef struct PtPlace
{
	int			sorted;
	int			late;
} PtPlace;

typedef struct PtDeletedPageData
{
	FullTransactionId safexid;	/* reusable when visible to everybody */
} PtDeletedPageData;

#define PtPageGetDeleted(page)	((PtDeletedPageData *) PageGetContents(page))

/* Block 0. */
#define PT_METAPAGE			0
#define PTREE_MAGIC			0x70747265
#define PTREE_VERSION		3

typedef struct PtMetaPageData
{
	uint32		magic;
	uint32		version;
	BlockNumber root;
	uint32		root_level;
	uint32		natts;			/* key columns, as a check */
	uint32		deleted_pages;	/* not yet reusable, as of the last VACUUM */
} PtMetaPageData;

#define PtPageGetMeta(page)		((PtMetaPageData *) PageGetContents(page))

/* The heap TID of a leaf entry: the last bytes of the tail. */
static inline const uint8 *
_pt_entry_tid(Page page, int slot)
{
	const uint8 *p = (const uint8 *) page + PtPageSlots(page)[slot].offset;

	return p + sizeof(uint16) +
		((_pt_load_u16(p) & PT_GROUPED) ? sizeof(uint16) : 0) +
		PtPageGetOpaque(page)->taillen - PT_TID_SIZE;
}

/* Reads what _pt_encode_tid() has written. */
static inline void
_pt_decode_tid(const uint8 *p, ItemPointer tid)
{
	tid->ip_blkid.bi_hi = p[0] << 8 | p[1];
	tid->ip_blkid.bi_lo = p[2] << 8 | p[3];
	tid->ip_posid = p[4] << 8 | p[5];
}

/* An entry as it lies on a page. */
typedef struct PtEntry
{
	const uint8 *prefix;
	const uint8 *suffix;
	const uint8 *tail;
	uint16		prefixlen;
	uint16		suffixlen;
	uint8		taillen;
	BlockNumber child;			/* on inner pages */
} PtEntry;

/* An entry apart from a page: what pages are formed of. */
typedef struct PtItem
{
	PtKey		key;
	BlockNumber child;
	bool		apart;			/* is in no group with the entry before */
} PtItem;

/*
 * Space that a sequence of entries takes, fed one at a time in key order or
 * against it.
 */
typedef struct PtSizer
{
	bool		leaf;
	int			closed;			/* space of complete runs */
	/* the run of entries of one partition key under way */
	PtKey		first;
	int			pklen;
	int			count;
	int			common;			/* common prefix of its keys */
	int			bytes;			/* total length of its keys */
	int			tails;			/* total length of its tails */
} PtSizer;

/* What a page is formed of, beside its links and flags. */
typedef struct PtPageContent
{
	const PtItem *items;
	int			nitems;
	PtKey		low;			/* empty = minus infinity */
	PtKey		high;			/* PT_KEY_END = plus infinity */
	uint8		level;
	uint8		taillen;
} PtPageContent;

/* Storage parameters. */
typedef struct PtOptions
{
	int32		vl_len_;
	int			fillfactor;
} PtOptions;

#define PT_DEFAULT_FILLFACTOR	90
#define PT_MIN_FILLFACTOR		10
#define PT_INNER_FILLFACTOR		70

#define PtGetFillfactor(rel) \
	((rel)->rd_options ? ((PtOptions *) (rel)->rd_options)->fillfactor : \
	 PT_DEFAULT_FILLFACTOR)

/* Strategies; 1 to 5 are those of btree. */
#define PT_PREFIX_STRATEGY	6
#define PT_NSTRATEGIES		6

/*
 * Support functions.  In a method that can order, the server takes 1 to 6 for
 * those of btree from 18 on.
 */
#define PT_HASH_PROC		7	/* of first columns only: value -> int4 */
#define PT_NPROCS			7

/* One WAL record; see ptxlog.c. */
#define PT_WAL_MAX_BLOCKS		4
#define PT_WAL_MAX_FRAGMENTS	4

typedef struct PtWalFragment
{
	uint16		offset;
	uint16		length;
} PtWalFragment;

typedef struct PtWalBlock
{
	Buffer		buffer;
	bool		image;			/* log the page as a whole */
	int			nfragments;
	PtWalFragment fragments[PT_WAL_MAX_FRAGMENTS];
} PtWalBlock;

typedef struct PtWal
{
	int			nblocks;
	PtWalBlock	blocks[PT_WAL_MAX_BLOCKS];
} PtWal;

/* Where tests have something fail; test/fault/ptfault.c is behind it. */
#ifdef PTREE_FAULTS
extern void _pt_fault(const char *point);
#define PT_FAULT(point) _pt_fault(point)
#else
#define PT_FAULT(point) ((void) 0)
#endif

/* prototypes for functions in ptree.c */
pg_noreturn extern void _pt_report_corrupt(Relation rel, BlockNumber blkno,
										   const char *detail);

/*
 * Bytes of a key under construction: in a local array if they certainly fit,
 * or else allocated.
 */
#define PT_LOCAL_BYTES	256

typedef struct PtKeyBytes
{
	StringInfoData buf;
	char		local[PT_LOCAL_BYTES];
} PtKeyBytes;

/* prototypes for functions in ptkey.c */
extern void _pt_init_bytes(PtKeyBytes *bytes, const PtLayout *layout,
						   const Datum *values, const bool *isnull);
extern void _pt_free_bytes(PtKeyBytes *bytes);
extern void _pt_get_layout(Relation rel, PtLayout *layout);
extern void _pt_check_definition(Relation heap, Relation rel);
extern void _pt_encode_pk(Relation rel, Datum value, StringInfo buf);
extern void _pt_encode_hash(int32 hash, StringInfo buf);
extern void _pt_encode_sk_bytes(Relation rel, Datum value, StringInfo buf);
extern void _pt_encode_int8(int64 value, uint8 *tail);
extern void _pt_encode_tid(ItemPointer tid, uint8 *tail);
extern void _pt_encode_bytes(Relation rel, const PtLayout *layout,
							 const Datum *values, const bool *isnull,
							 StringInfo buf, PtKey *key);
extern void _pt_encode_tuple(Relation rel, const PtLayout *layout,
							 const Datum *values, const bool *isnull,
							 ItemPointer tid, StringInfo buf, PtKey *key);
extern int	_pt_pk_length(const uint8 *data, int len);

/* Whether the bytes of a partition key have a digest in its place. */
static inline bool
_pt_pk_digested(const uint8 *data, int len)
{
	return len >= PT_PK_DIGEST_LENGTH && data[PT_HASH_SIZE] == PT_PK_END &&
		data[PT_HASH_SIZE + 1] == PT_PK_DIGEST;
}

/* prototypes for functions in ptpage.c */
extern void _pt_page_init(Page page, uint8 level, uint8 taillen);
extern void _pt_get_entry(Page page, int slot, PtEntry *entry);
extern bool _pt_page_sane(Page page);
extern bool _pt_beyond_page(Page page, const PtKey *key, bool strict);
extern bool _pt_before_page(Page page, const PtKey *key, bool strict);
extern bool _pt_get_low(Page page, PtKey *key);
extern bool _pt_get_high(Page page, PtKey *key);
extern int	_pt_compare_entry(const PtKey *key, const PtEntry *entry);
extern int	_pt_compare(const PtKey *a, const PtKey *b);
extern int	_pt_bisect(Page page, const PtKey *key, bool beyond_equal);
extern void _pt_locate(Page page, const PtKey *key, PtPlace *place);
extern void _pt_locate_near(Page page, const PtKey *key, const PtPlace *from,
							PtPlace *place);
extern void _pt_begin(Page page, PtPlace *place);
extern void _pt_end(Page page, PtPlace *place);
extern int	_pt_slots_between(Page page, const PtPlace *from,
							  const PtPlace *to, uint16 *slots);
extern bool _pt_has_entry(Page page, const PtPlace *place, const PtKey *key);
extern int	_pt_entries_before(Page page, const PtPlace *place);
extern uint16 _pt_head(Page page, const PtKey *key);
extern void _pt_copy_key(PtKey *dest, const PtKey *src);
extern int	_pt_common_prefix(const PtKey *a, const PtKey *b);
extern void _pt_sizer_init(PtSizer *sizer, bool leaf);
extern void _pt_sizer_add(PtSizer *sizer, const PtKey *key);
extern void _pt_sizer_close(PtSizer *sizer);
extern int	_pt_sizer_total(const PtSizer *sizer);
extern int	_pt_fence_size(const PtKey *key);
extern PtItem *_pt_page_items(Page page, int extra, int *nitems);
extern void _pt_free_items(PtItem *items, int nitems);
extern PtItem *_pt_keep_groups(Page page, const PtItem *items, int nitems,
							   int newpos);
extern void _pt_form_page(Page page, const PtPageContent *content);
extern int	_pt_entry_size(bool leaf, const PtKey *key, bool grouped,
						   int grouplen);
extern void _pt_place_entry(Page page, int slot, const PtItem *item,
							int group, int grouplen);
extern void _pt_truncate_slots(Page page, int nslots);
extern int	_pt_keep_slots(Page page, const bool *dead, PtSlot *kept,
						   int *nlate);
extern bool _pt_same_pk(const PtKey *a, const PtKey *b);

/* prototypes for functions in ptbuf.c */
extern void _pt_check_page(Relation rel, Buffer buf);
extern Buffer _pt_read(Relation rel, BlockNumber blkno, int access);
extern Buffer _pt_new_buffer(Relation rel);
extern void _pt_release(Buffer buf);
extern void _pt_meta_init(Page page, BlockNumber root, uint32 level,
						  int natts);
extern PtMetaPageData *_pt_get_meta(Relation rel, Buffer buf);
extern void _pt_read_root(Relation rel, BlockNumber *root, uint32 *level);
extern void _pt_cached_root(Relation rel, BlockNumber *root, uint32 *level);
extern Buffer _pt_get_hint(Relation rel, const PtKey *key, int level);
extern void _pt_set_hint(Relation rel, const PtKey *key, int level,
						 Buffer buf);
extern bool _pt_page_recyclable(Page page);
extern void _pt_replace_page(Page page, Page formed);

/* prototypes for functions in ptsearch.c */
extern Buffer _pt_descend(Relation rel, const PtKey *key, bool strict,
						  int level, int access);
extern Buffer _pt_find_leaf(Relation rel, const PtKey *key, bool strict,
							int access, bool *hinted);
extern int	_pt_find_child(Relation rel, Buffer buf, const PtKey *key,
						   bool strict, BlockNumber *child);
extern bool _pt_page_deleted(Page page);

/* prototypes for functions in ptinsert.c */
extern bool ptinsert(Relation rel, Datum *values, bool *isnull,
					 ItemPointer heap_tid, Relation heap,
					 IndexUniqueCheck check_unique, bool index_unchanged,
					 struct IndexInfo *info);
extern bool _pt_must_split(Page page, const PtKey *key);
extern void _pt_insert_on_page(Relation rel, Buffer buf, const PtItem *item,
							   Buffer child);

/* prototypes for functions in ptchurn.c */
extern void _pt_remove_versions(Relation rel, Relation heap, Buffer buf,
								const PtKey *key);

/* prototypes for functions in ptsplit.c */
extern void _pt_separator(const PtItem *left, const PtItem *right, bool leaf,
						  PtKey *separator);
extern void _pt_split(Relation rel, Buffer buf, const PtItem *items,
					  int nitems, int newpos, Buffer child);
extern void _pt_finish_split(Relation rel, Buffer buf);

/* prototypes for functions in ptscan.c */
extern IndexScanDesc ptbeginscan(Relation rel, int nkeys, int norderbys);
extern void ptrescan(IndexScanDesc scan, ScanKey keys, int nkeys,
					 ScanKey orderbys, int norderbys);
extern bool ptgettuple(IndexScanDesc scan, ScanDirection direction);
extern int64 ptgetbitmap(IndexScanDesc scan, TIDBitmap *tbm);
extern void ptendscan(IndexScanDesc scan);
extern void ptmarkpos(IndexScanDesc scan);
extern void ptrestrpos(IndexScanDesc scan);

/* prototypes for functions in ptrange.c */
typedef struct PtScanKeys PtScanKeys;

extern PtScanKeys *_pt_create_keys(Relation rel);
extern void _pt_prepare_keys(PtScanKeys *result, ScanKey keys, int nkeys);
extern int64 _pt_range_count(const PtScanKeys *keys);
extern bool _pt_keys_recheck(const PtScanKeys *keys);
extern void _pt_range(PtScanKeys *keys, int64 number, PtKey *lower,
					  PtKey *upper);

/* prototypes for functions in ptbuild.c */
extern IndexBuildResult *ptbuild(Relation heap, Relation rel,
								 struct IndexInfo *info);
extern void ptbuildempty(Relation rel);

/* prototypes for functions in ptvacuum.c */
extern IndexBulkDeleteResult *ptbulkdelete(IndexVacuumInfo *info,
										   IndexBulkDeleteResult *stats,
										   IndexBulkDeleteCallback callback,
										   void *callback_state);
extern IndexBulkDeleteResult *ptvacuumcleanup(IndexVacuumInfo *info,
											  IndexBulkDeleteResult *stats);

extern void _pt_remove_slots(Relation rel, Buffer buf, const bool *dead);

/* prototypes for functions in ptdelete.c */
extern bool _pt_delete_page(Relation rel, BlockNumber blkno);

/* prototypes for functions in ptxlog.c */
extern void _pt_wal_init(PtWal *wal);
extern void _pt_wal_image(PtWal *wal, Buffer buffer);
extern void _pt_wal_block(PtWal *wal, Buffer buffer);
extern void _pt_wal_fragment(PtWal *wal, const void *start, size_t length);
extern void _pt_wal_insert(Relation rel, PtWal *wal);
extern void _pt_wal_conflict(Relation rel, BlockNumber blkno,
							 FullTransactionId horizon);

#endif							/* PT_PTREE_PRIVATE_H */
