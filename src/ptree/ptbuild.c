/*
 * ptbuild.c
 *	  Building an index: sort the keys, then fill pages from left to right.
 *
 * The keys are sorted as bytea, which the server does by abbreviated keys and
 * memcmp; so the parts of a key are put into one byte string with the same
 * order, see make_sort_datum().  On each level one page is under way; when the
 * next entry does not fit it is written and its link goes to the level above.
 * Nobody else sees the index before it is complete, so the pages are written
 * without WAL and logged at the end.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "commands/progress.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#include "base/compat.h"
#include "ptree/ptree_private.h"

#define PT_MAX_LEVELS	32

/* The page under way on one level. */
typedef struct PtBuildPage
{
	bool		open;
	MemoryContext context;		/* of low and the items' bytes */
	BlockNumber blkno;
	BlockNumber prev;
	PtKey		low;
	PtItem	   *items;
	int			nitems;
	int			maxitems;
	PtSizer		sizer;
} PtBuildPage;

typedef struct PtBuild
{
	Relation	rel;
	PtLayout	layout;
	bool		unique;
	bool		nulls_not_distinct;
	MemoryContext row_context;	/* reset for each row */
	StringInfoData key_buf;
	StringInfoData sort_buf;
	Tuplesortstate *sort;
	double		ntuples;
	/* of the last entry, for the unique check */
	PtKey		last;
	uint8		last_data[PT_MAX_KEY];
	bool		last_alive;		/* some entry of this key is */
	PtBuildPage pages[PT_MAX_LEVELS];
} PtBuild;

static void collect_row(Relation rel, ItemPointer tid, Datum *values,
						bool *isnull, bool alive, void *state);
static void make_sort_datum(StringInfo out, const PtKey *key, bool alive);
static bool read_sort_datum(const bytea *datum, const PtLayout *layout,
							uint8 *data, PtKey *key);
static void load_sorted(PtBuild *build);
static void check_distinct(PtBuild *build, const PtKey *key, bool alive);
static void open_page(PtBuild *build, PtBuildPage *page);
static void add_item(PtBuild *build, int level, const PtItem *item);
static void append_item(PtBuildPage *page, const PtItem *item);
static void close_page(PtBuild *build, int level, const PtItem *next);
static void write_page(PtBuild *build, const PtBuildPage *page, int level,
					   int nitems, const PtKey *high, BlockNumber next);
static void finish_levels(PtBuild *build);
static void write_meta(PtBuild *build, BlockNumber root, int level);

IndexBuildResult *
ptbuild(Relation heap, Relation rel, IndexInfo *info)
{
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));
	PtBuild    *build = palloc0(sizeof(PtBuild));
	double		nrows;

	if (RelationGetNumberOfBlocks(rel) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(rel));
	_pt_check_definition(heap, rel);

	build->rel = rel;
	_pt_get_layout(rel, &build->layout);
	build->unique = info->ii_Unique;
	build->nulls_not_distinct = info->ii_NullsNotDistinct;
	build->row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "ptree build row",
											   ALLOCSET_DEFAULT_SIZES);
	initStringInfo(&build->key_buf);
	initStringInfo(&build->sort_buf);
	build->sort = tuplesort_begin_datum(BYTEAOID, ByteaLessOperator,
										InvalidOid, false,
										maintenance_work_mem, NULL,
										TUPLESORT_NONE);

	nrows = table_index_build_scan(heap, rel, info, true, true, collect_row,
								   build, NULL);
	tuplesort_performsort(build->sort);
	load_sorted(build);
	tuplesort_end(build->sort);
	MemoryContextDelete(build->row_context);

	PT_FAULT("build");
	if (RelationNeedsWAL(rel))
		log_newpage_range(rel, MAIN_FORKNUM, 0,
						  RelationGetNumberOfBlocks(rel), true);

	result->heap_tuples = nrows;
	result->index_tuples = build->ntuples;
	pfree(build);
	return result;
}

/*
 * The empty index of an unlogged table, in its init fork.  It is logged even
 * though the table is not, or a standby would lack it; the buffer manager
 * writes it out at the next checkpoint, like all of the init fork.
 */
void
ptbuildempty(Relation rel)
{
	PtLayout	layout;
	Buffer		metabuf;
	Buffer		rootbuf;

	_pt_get_layout(rel, &layout);
	metabuf = ReadBufferExtended(rel, INIT_FORKNUM, P_NEW, RBM_NORMAL, NULL);
	LockBuffer(metabuf, BUFFER_LOCK_EXCLUSIVE);
	rootbuf = ReadBufferExtended(rel, INIT_FORKNUM, P_NEW, RBM_NORMAL, NULL);
	LockBuffer(rootbuf, BUFFER_LOCK_EXCLUSIVE);

	START_CRIT_SECTION();
	_pt_meta_init(BufferGetPage(metabuf), BufferGetBlockNumber(rootbuf), 0,
				  layout.natts);
	MarkBufferDirty(metabuf);
	log_newpage_buffer(metabuf, true);
	_pt_page_init(BufferGetPage(rootbuf), 0, layout.taillen);
	MarkBufferDirty(rootbuf);
	log_newpage_buffer(rootbuf, true);
	END_CRIT_SECTION();

	UnlockReleaseBuffer(metabuf);
	UnlockReleaseBuffer(rootbuf);
}

/* Callback of the table scan: hands one row's key to the sort. */
static void
collect_row(Relation rel, ItemPointer tid, Datum *values, bool *isnull,
			bool alive, void *state)
{
	PtBuild    *build = (PtBuild *) state;
	MemoryContext old = MemoryContextSwitchTo(build->row_context);
	PtKey		key;

	_pt_encode_tuple(rel, &build->layout, values, isnull, tid,
					 &build->key_buf, &key);
	make_sort_datum(&build->sort_buf, &key, alive);
	tuplesort_putdatum(build->sort, PointerGetDatum(build->sort_buf.data),
					   false);

	MemoryContextSwitchTo(old);
	MemoryContextReset(build->row_context);
	build->ntuples++;
}

/*
 * One byte string in the order of the keys: the key's bytes with 00 as 00 FF,
 * 00 00, the tail, and whether the row is alive.
 */
static void
make_sort_datum(StringInfo out, const PtKey *key, bool alive)
{
	resetStringInfo(out);
	appendStringInfoSpaces(out, VARHDRSZ);
	for (int i = 0; i < key->len; i++)
	{
		appendStringInfoCharMacro(out, (char) key->data[i]);
		if (key->data[i] == 0)
			appendStringInfoCharMacro(out, (char) 0xFF);
	}
	appendStringInfoCharMacro(out, 0);
	appendStringInfoCharMacro(out, 0);
	appendBinaryStringInfo(out, (const char *) key->tail, key->taillen);
	appendStringInfoCharMacro(out, alive ? 1 : 0);
	SET_VARSIZE(out->data, out->len);
}

/* Back to a key, whose bytes are put into data; returns "alive". */
static bool
read_sort_datum(const bytea *datum, const PtLayout *layout, uint8 *data,
				PtKey *key)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(datum);

	key->data = data;
	key->len = 0;
	key->kind = PT_KEY_PLAIN;
	key->taillen = layout->taillen;
	while (p[0] != 0 || p[1] != 0)
	{
		data[key->len++] = p[0];
		p += p[0] == 0 ? 2 : 1;
	}
	p += 2;
	memcpy(key->tail, p, key->taillen);
	return p[key->taillen] != 0;
}

/* Fills the pages from the sorted keys. */
static void
load_sorted(PtBuild *build)
{
	uint8		data[PT_MAX_KEY];
	PtItem		item;
	Datum		datum;
	bool		isnull;
	Buffer		metabuf;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
								 (int64) build->ntuples);

	/* block 0 must be the meta page's */
	metabuf = _pt_new_buffer(build->rel);
	Assert(BufferGetBlockNumber(metabuf) == PT_METAPAGE);
	_pt_release(metabuf);

	open_page(build, &build->pages[0]);
	item.child = InvalidBlockNumber;
	for (int64 done = 1;
		 compat_sorted_datum(build->sort, &datum, &isnull);
		 done++)
	{
		bytea	   *packed = DatumGetByteaPP(datum);
		bool		alive = read_sort_datum(packed, &build->layout, data,
											&item.key);

		CHECK_FOR_INTERRUPTS();
		if (build->unique)
			check_distinct(build, &item.key, alive);
		add_item(build, 0, &item);
		if ((Pointer) packed != DatumGetPointer(datum))
			pfree(packed);
		pfree(DatumGetPointer(datum));
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, done);
	}
	finish_levels(build);
}

/*
 * Raises an error at the second live row of a key.  Rows that only old
 * snapshots see do not count, and nulls differ unless the index says not.
 */
static void
check_distinct(PtBuild *build, const PtKey *key, bool alive)
{
	int			fixed = build->layout.taillen - PT_TID_SIZE;
	bool		equal = build->last.data != NULL &&
		key->len == build->last.len &&
		memcmp(key->data, build->last.data, key->len) == 0 &&
		memcmp(key->tail, build->last.tail, fixed) == 0;
	bool		null = key->data[_pt_pk_length(key->data, key->len)] ==
		PT_SK_NULL;

	if (equal && alive && build->last_alive &&
		(!null || build->nulls_not_distinct))
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("could not create unique index \"%s\"",
						RelationGetRelationName(build->rel)),
				 errdetail("Duplicate keys exist."),
				 errtableconstraint(build->rel,
									RelationGetRelationName(build->rel))));

	build->last_alive = alive || (equal && build->last_alive);
	build->last = *key;
	memcpy(build->last_data, key->data, key->len);
	build->last.data = build->last_data;
}

/* Starts a level's next page, in a new block. */
static void
open_page(PtBuild *build, PtBuildPage *page)
{
	Buffer		buf = _pt_new_buffer(build->rel);

	page->blkno = BufferGetBlockNumber(buf);
	_pt_release(buf);

	if (!page->open)
	{
		page->open = true;
		page->prev = InvalidBlockNumber;
		page->maxitems = 256;
		page->items = palloc(page->maxitems * sizeof(PtItem));
		page->low.kind = PT_KEY_PLAIN;
	}
	page->nitems = 0;
	page->context = AllocSetContextCreate(CurrentMemoryContext,
										  "ptree build page",
										  ALLOCSET_DEFAULT_SIZES);
	_pt_sizer_init(&page->sizer, page == &build->pages[0]);
}

/* Adds the next entry of a level. */
static void
add_item(PtBuild *build, int level, const PtItem *item)
{
	PtBuildPage *page = &build->pages[level];
	int			fillfactor = level == 0 ? PtGetFillfactor(build->rel) :
		PT_INNER_FILLFACTOR;

	if (level == PT_MAX_LEVELS - 1)
		elog(ERROR, "too many levels in index \"%s\"",
			 RelationGetRelationName(build->rel));
	if (!page->open)
		open_page(build, page);

	/* entries carried over may have to be written before this one fits */
	for (;;)
	{
		PtSizer		sizer = page->sizer;

		_pt_sizer_add(&sizer, &item->key);
		if (page->nitems == 0 ||
			_pt_sizer_total(&sizer) + _pt_fence_size(&page->low) <=
			(int) (PT_PAGE_SPACE * fillfactor / 100))
			break;
		close_page(build, level, item);
	}
	append_item(page, item);
}

static void
append_item(PtBuildPage *page, const PtItem *item)
{
	MemoryContext old;
	PtItem	   *added;

	if (page->nitems == page->maxitems)
	{
		page->maxitems *= 2;
		page->items = repalloc(page->items, page->maxitems * sizeof(PtItem));
	}
	added = &page->items[page->nitems];
	*added = *item;
	added->apart = false;

	/* the first entry of an inner page needs no key */
	if (!page->sizer.leaf && page->nitems == 0)
		added->key.len = added->key.taillen = 0;

	old = MemoryContextSwitchTo(page->context);
	_pt_copy_key(&added->key, &added->key);
	MemoryContextSwitchTo(old);
	_pt_sizer_add(&page->sizer, &added->key);
	page->nitems++;
}

/*
 * Writes a page with as many of its entries as leave room for its high fence,
 * and carries the others over to a new page; next is the entry after them.
 */
static void
close_page(PtBuild *build, int level, const PtItem *next)
{
	PtBuildPage *page = &build->pages[level];
	PtBuildPage full = *page;
	int			keep = full.nitems;
	PtItem	   *carried;
	PtKey		separator;
	PtItem		link;
	MemoryContext old;

	for (;; keep--)
	{
		PtSizer		sizer;

		if (keep == 0)
			elog(ERROR, "entry does not fit into a page of index \"%s\"",
				 RelationGetRelationName(build->rel));
		_pt_separator(&full.items[keep - 1],
					  keep < full.nitems ? &full.items[keep] : next,
					  level == 0, &separator);
		_pt_sizer_init(&sizer, level == 0);
		for (int i = 0; i < keep; i++)
			_pt_sizer_add(&sizer, &full.items[i].key);
		if (_pt_sizer_total(&sizer) + _pt_fence_size(&full.low) +
			_pt_fence_size(&separator) <= (int) PT_PAGE_SPACE)
			break;
	}
	carried = palloc(Max(full.nitems - keep, 1) * sizeof(PtItem));
	memcpy(carried, full.items + keep, (full.nitems - keep) * sizeof(PtItem));

	open_page(build, page);
	write_page(build, &full, level, keep, &separator, page->blkno);
	page->prev = full.blkno;
	old = MemoryContextSwitchTo(page->context);
	_pt_copy_key(&page->low, &separator);
	MemoryContextSwitchTo(old);
	for (int i = 0; i < full.nitems - keep; i++)
		append_item(page, &carried[i]);
	pfree(carried);

	link.key = full.low;
	link.child = full.blkno;
	add_item(build, level + 1, &link);
	MemoryContextDelete(full.context);
}

/* Forms a page of the first entries of one under way. */
static void
write_page(PtBuild *build, const PtBuildPage *page, int level, int nitems,
		   const PtKey *high, BlockNumber next)
{
	Buffer		buf = ReadBuffer(build->rel, page->blkno);
	PtPageContent content;
	PtPageOpaque opaque;

	content.items = page->items;
	content.nitems = nitems;
	content.low = page->low;
	content.high = *high;
	content.level = level;
	content.taillen = build->layout.taillen;

	LockBuffer(buf, BUFFER_LOCK_EXCLUSIVE);
	_pt_form_page(BufferGetPage(buf), &content);
	opaque = PtPageGetOpaque(BufferGetPage(buf));
	opaque->prev = page->prev;
	opaque->next = next;
	MarkBufferDirty(buf);
	_pt_release(buf);
}

/* Writes the last page of each level; the first level of one page is the root's. */
static void
finish_levels(PtBuild *build)
{
	static const PtKey end = {NULL, 0, PT_KEY_END, 0, {0}};

	for (int level = 0;; level++)
	{
		PtBuildPage *page = &build->pages[level];
		PtItem		link;

		write_page(build, page, level, page->nitems, &end,
				   InvalidBlockNumber);
		if (page->prev == InvalidBlockNumber)
		{
			write_meta(build, page->blkno, level);
			return;
		}
		link.key = page->low;
		link.child = page->blkno;
		add_item(build, level + 1, &link);
	}
}

static void
write_meta(PtBuild *build, BlockNumber root, int level)
{
	Buffer		buf = ReadBuffer(build->rel, PT_METAPAGE);

	LockBuffer(buf, BUFFER_LOCK_EXCLUSIVE);
	_pt_meta_init(BufferGetPage(buf), root, level, build->layout.natts);
	MarkBufferDirty(buf);
	_pt_release(buf);
}
