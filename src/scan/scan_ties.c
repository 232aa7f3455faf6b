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

static bool entries_tied(const ItemScan *scan, TupleTableSlot *a,
						 TupleTableSlot *b);
static int64 entry_digest(const ItemScan *scan, TupleTableSlot *slot);
static void collect_tied(ItemScan *scan, TupleTableSlot *first,
						 bool first_in_ties);
static void add_tied(ItemScan *scan, TupleTableSlot *slot);
static int	compare_tied(const void *a, const void *b, void *arg);

/*
 * The next entry of a global index, or NULL.  One entry is read ahead, to see
 * whether the index tells the two apart.  What is left of the start key's
 * equals begins with entries of its digest, itself among them.
 */
TupleTableSlot *
scan_next_entry(ItemScan *scan)
{
	TupleTableSlot *current;
	bool		in_ties;

	for (;;)
	{
		if (scan->next_tied < scan->ntied)
			return scan->tied[scan->next_tied++].slot;
		if (!scan->has_ahead && !scan_fetch(scan))
			return NULL;
		current = scan->slot;
		in_ties = scan->in_ties;
		scan->slot = scan->other_slot;
		scan->other_slot = current;
		scan->has_ahead = scan_fetch(scan);
		if (!(in_ties && entry_digest(scan, current) ==
			  DatumGetInt64(scan->start_tie)) &&
			!(scan->has_ahead && entries_tied(scan, current, scan->slot)))
			return current;
		collect_tied(scan, current, in_ties);
	}
}

static bool
entries_tied(const ItemScan *scan, TupleTableSlot *a, TupleTableSlot *b)
{
	ItemKey		a_key;
	ItemKey		b_key;

	if (entry_digest(scan, a) != entry_digest(scan, b))
		return false;
	store_index_key(&scan->entries, a, &a_key);
	store_index_key(&scan->entries, b, &b_key);
	return key_order_bytes(&a_key, &b_key) == 0;
}

static int64
entry_digest(const ItemScan *scan, TupleTableSlot *slot)
{
	bool		isnull;

	return DatumGetInt64(slot_getattr(slot,
									  scan->entries.facts.digest_attnum,
									  &isnull));
}

/*
 * Copies an entry and those that are tied with it, in order, without those up
 * to the start key if they are its equals.
 */
static void
collect_tied(ItemScan *scan, TupleTableSlot *first, bool first_in_ties)
{
	bool		after_start = first_in_ties &&
		entry_digest(scan, first) == DatumGetInt64(scan->start_tie);
	MemoryContext old = MemoryContextSwitchTo(scan->context);
	int			kept = 0;

	scan_forget_tied(scan);
	add_tied(scan, first);
	while (scan->has_ahead &&
		   entries_tied(scan, scan->tied[0].slot, scan->slot))
	{
		add_tied(scan, scan->slot);
		scan->has_ahead = scan_fetch(scan);
	}
	qsort_arg(scan->tied, scan->ntied, sizeof(TiedEntry), compare_tied, scan);
	for (int i = 0; i < scan->ntied; i++)
	{
		TiedEntry	start = {.base = scan->start_base};

		if (after_start && compare_tied(&scan->tied[i], &start, scan) <= 0)
			ExecDropSingleTupleTableSlot(scan->tied[i].slot);
		else
			scan->tied[kept++] = scan->tied[i];
	}
	scan->ntied = kept;
	MemoryContextSwitchTo(old);
}

static void
add_tied(ItemScan *scan, TupleTableSlot *slot)
{
	TiedEntry  *tied;

	if (scan->tied == NULL)
		scan->tied = palloc(sizeof(TiedEntry));
	else if ((scan->ntied & (scan->ntied - 1)) == 0 && scan->ntied > 0)
		scan->tied = repalloc(scan->tied,
							  2 * scan->ntied * sizeof(TiedEntry));
	tied = &scan->tied[scan->ntied++];
	tied->slot = MakeSingleTupleTableSlot(slot->tts_tupleDescriptor,
										  &TTSOpsHeapTuple);
	ExecCopySlot(tied->slot, slot);
	store_index_base_key(&scan->entries, tied->slot, &tied->base);
}

static int
compare_tied(const void *a, const void *b, void *arg)
{
	const ItemScan *scan = arg;
	int			result = key_order_bytes(&((const TiedEntry *) a)->base,
										   &((const TiedEntry *) b)->base);

	return ScanDirectionIsForward(scan->direction) ? result : -result;
}

void
scan_forget_tied(ItemScan *scan)
{
	for (int i = 0; i < scan->ntied; i++)
		ExecDropSingleTupleTableSlot(scan->tied[i].slot);
	if (scan->tied != NULL)
		pfree(scan->tied);
	scan->tied = NULL;
	scan->ntied = 0;
	scan->next_tied = 0;
}
