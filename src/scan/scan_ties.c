/*
 * scan_ties.c
 *	  Entries of a global index that the index does not tell apart.
 *
 * The index orders entries of equal keys by a digest of the item's key.  Items
 * whose digests collide are rare by chance but easily found by whoever wants
 * them.  A page may end between any two entries, so these have an order, too,
 * that of the item's key, and it is made here: a few equals are read, copied
 * and sorted.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/memutils.h"

#include "scan/scan_private.h"

static bool entries_tied(const RangeScan *range, TupleTableSlot *a,
						 TupleTableSlot *b);
static int64 entry_digest(const RangeScan *range, TupleTableSlot *slot);
static void collect_tied(RangeScan *range, TupleTableSlot *first,
						 bool first_in_ties);
static void add_tied(RangeScan *range, TupleTableSlot *slot);
static int	compare_tied(const void *a, const void *b, void *arg);

/*
 * The next entry of a global index, or NULL.  One entry is read ahead, to see
 * whether the index tells the two apart.  What is left of the start key's
 * equals begins with entries of its digest, itself among them.
 */
TupleTableSlot *
scan_next_entry(RangeScan *range)
{
	TupleTableSlot *current;
	bool		in_ties;

	for (;;)
	{
		if (range->next_tied < range->ntied)
			return range->tied[range->next_tied++].slot;
		if (!range->has_ahead && !scan_range_fetch(range))
			return NULL;
		current = range->slot;
		in_ties = range->in_ties;
		range->slot = range->other_slot;
		range->other_slot = current;
		range->has_ahead = scan_range_fetch(range);
		if (!(in_ties && entry_digest(range, current) ==
			  DatumGetInt64(range->start_tie)) &&
			!(range->has_ahead && entries_tied(range, current, range->slot)))
			return current;
		collect_tied(range, current, in_ties);
	}
}

static bool
entries_tied(const RangeScan *range, TupleTableSlot *a, TupleTableSlot *b)
{
	ItemKey		a_key;
	ItemKey		b_key;

	if (entry_digest(range, a) != entry_digest(range, b))
		return false;
	store_index_key(range->entries, a, &a_key);
	store_index_key(range->entries, b, &b_key);
	return key_order_bytes(&a_key, &b_key) == 0;
}

static int64
entry_digest(const RangeScan *range, TupleTableSlot *slot)
{
	bool		isnull;

	return DatumGetInt64(slot_getattr(slot,
									  range->entries->facts.digest_attnum,
									  &isnull));
}

/*
 * Copies an entry and those that are tied with it, in order, without those up
 * to the start key if they are its equals.
 */
static void
collect_tied(RangeScan *range, TupleTableSlot *first, bool first_in_ties)
{
	bool		after_start = first_in_ties &&
		entry_digest(range, first) == DatumGetInt64(range->start_tie);
	MemoryContext old = MemoryContextSwitchTo(range->context);
	int			kept = 0;

	scan_forget_tied(range);
	add_tied(range, first);
	while (range->has_ahead &&
		   entries_tied(range, range->tied[0].slot, range->slot))
	{
		add_tied(range, range->slot);
		range->has_ahead = scan_range_fetch(range);
	}
	qsort_arg(range->tied, range->ntied, sizeof(TiedEntry), compare_tied, range);
	for (int i = 0; i < range->ntied; i++)
	{
		TiedEntry	start = {.base = range->start_base};

		if (after_start && compare_tied(&range->tied[i], &start, range) <= 0)
			ExecDropSingleTupleTableSlot(range->tied[i].slot);
		else
			range->tied[kept++] = range->tied[i];
	}
	range->ntied = kept;
	MemoryContextSwitchTo(old);
}

static void
add_tied(RangeScan *range, TupleTableSlot *slot)
{
	TiedEntry  *tied;

	if (range->tied == NULL)
		range->tied = palloc(sizeof(TiedEntry));
	else if ((range->ntied & (range->ntied - 1)) == 0 && range->ntied > 0)
		range->tied = repalloc(range->tied,
							  2 * range->ntied * sizeof(TiedEntry));
	tied = &range->tied[range->ntied++];
	tied->slot = MakeSingleTupleTableSlot(slot->tts_tupleDescriptor,
										  &TTSOpsHeapTuple);
	ExecCopySlot(tied->slot, slot);
	store_index_base_key(range->entries, tied->slot, &tied->base);
}

static int
compare_tied(const void *a, const void *b, void *arg)
{
	const RangeScan *range = arg;
	int			result = key_order_bytes(&((const TiedEntry *) a)->base,
										   &((const TiedEntry *) b)->base);

	return ScanDirectionIsForward(range->direction) ? result : -result;
}

void
scan_forget_tied(RangeScan *range)
{
	for (int i = 0; i < range->ntied; i++)
		ExecDropSingleTupleTableSlot(range->tied[i].slot);
	if (range->tied != NULL)
		pfree(range->tied);
	range->tied = NULL;
	range->ntied = 0;
	range->next_tied = 0;
}
