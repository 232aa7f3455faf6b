/*
 * scan_merge.c
 *	  Ranges of several partition keys as one, in the order of their sort keys.
 *
 * A heap holds the ranges by the row that each is at.  Nothing is read before
 * it is asked for: first one row of each range, then, for each row that was
 * returned, the next one of its range.  So who stops after n rows has made n
 * + k - 1 be read of k ranges.
 *
 * Rows that are equal in all that they are ordered by come in the order of
 * the ranges, backward in the reverse of it.
 */
#include "postgres.h"

#include "lib/binaryheap.h"

#include "base/compat.h"
#include "scan/scan_private.h"

#define MAX_SORT_COLUMNS	2

/* A range, and what its row is ordered by. */
typedef struct MergeSource
{
	RangeScan  *range;
	SortColumn	columns[MAX_SORT_COLUMNS];
	Datum		values[MAX_SORT_COLUMNS];
	bool		copied[MAX_SORT_COLUMNS];
} MergeSource;

struct MergeScan
{
	MemoryContext context;
	int			n;
	MergeSource *sources;
	int			ncolumns;
	bool		forward;
	bool		started;
	binaryheap *heap;			/* of numbers of sources; the first is at the
								 * row that was returned last */
};

static void start(MergeScan *merge);
static bool advance(MergeScan *merge, MergeSource *source);
static Datum plain_value(Datum value, bool *copied);
static int	compare_sources(Datum a, Datum b, void *arg);
static int	compare_values(ItemType type, Datum a, Datum b);

MergeScan *
scan_merge_begin(RangeScan **ranges, int n, MemoryContext context)
{
	MergeScan  *merge = palloc0(sizeof(MergeScan));

	merge->context = context;
	merge->n = n;
	merge->sources = palloc0(n * sizeof(MergeSource));
	for (int i = 0; i < n; i++)
	{
		merge->sources[i].range = ranges[i];
		merge->ncolumns = scan_range_sort(ranges[i],
										  merge->sources[i].columns);
	}
	merge->forward = n == 0 || ScanDirectionIsForward(ranges[0]->direction);
	merge->heap = binaryheap_allocate(Max(n, 1), compare_sources, merge);
	return merge;
}

/*
 * The range that is at the next row, or NULL at the end.
 */
RangeScan *
scan_merge_next(MergeScan *merge)
{
	if (!merge->started)
		start(merge);
	else if (!binaryheap_empty(merge->heap))
	{
		int			i = DatumGetInt32(binaryheap_first(merge->heap));

		if (advance(merge, &merge->sources[i]))
			binaryheap_replace_first(merge->heap, Int32GetDatum(i));
		else
			(void) binaryheap_remove_first(merge->heap);
	}
	if (binaryheap_empty(merge->heap))
		return NULL;
	return merge->sources[DatumGetInt32(binaryheap_first(merge->heap))].range;
}

static void
start(MergeScan *merge)
{
	merge->started = true;
	for (int i = 0; i < merge->n; i++)
	{
		if (advance(merge, &merge->sources[i]))
			binaryheap_add_unordered(merge->heap, Int32GetDatum(i));
	}
	binaryheap_build(merge->heap);
}

/*
 * Goes to the next row of a range; false at its end.
 */
static bool
advance(MergeScan *merge, MergeSource *source)
{
	for (int i = 0; i < merge->ncolumns; i++)
	{
		if (source->copied[i])
			pfree(DatumGetPointer(source->values[i]));
		source->copied[i] = false;
	}
	if (!scan_range_next(source->range))
		return false;
	for (int i = 0; i < merge->ncolumns; i++)
	{
		bool		isnull;

		source->values[i] = slot_getattr(source->range->row,
										 source->columns[i].attnum, &isnull);
		if (source->columns[i].type != 0)
			source->values[i] = plain_value(source->values[i],
											&source->copied[i]);
	}
	return true;
}

/* A long key may be compressed, or even be stored elsewhere. */
static Datum
plain_value(Datum value, bool *copied)
{
	struct varlena *plain = PG_DETOAST_DATUM_PACKED(value);

	*copied = plain != (struct varlena *) DatumGetPointer(value);
	return PointerGetDatum(plain);
}

/* The heap has the greatest first. */
static int
compare_sources(Datum a, Datum b, void *arg)
{
	const MergeScan *merge = arg;
	const MergeSource *x = &merge->sources[DatumGetInt32(a)];
	const MergeSource *y = &merge->sources[DatumGetInt32(b)];
	int			cmp = 0;

	for (int i = 0; i < merge->ncolumns && cmp == 0; i++)
		cmp = compare_values(x->columns[i].type, x->values[i], y->values[i]);
	if (cmp == 0)
		cmp = x < y ? -1 : x > y;
	return merge->forward ? -cmp : cmp;
}

static int
compare_values(ItemType type, Datum a, Datum b)
{
	int64		x;
	int64		y;

	if (type != 0)
		return key_datum_compare(type, a, b);
	x = DatumGetInt64(a);
	y = DatumGetInt64(b);
	return x < y ? -1 : x > y;
}

void
scan_merge_end(MergeScan *merge)
{
	for (int i = 0; i < merge->n; i++)
		scan_range_end(merge->sources[i].range);
}
