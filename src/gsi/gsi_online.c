/*
 * gsi_online.c
 *	  Makes an asynchronous index while writers go on.
 *
 * The index comes into being empty, with status CREATING, which readers refuse.
 * Once that is committed, whoever opens the table knows the index and queues
 * his changes for it.  Then the worker
 *
 *	1. waits for those that have been at the table before, without being in
 *	   anybody's way: it asks from time to time whether they are gone.  It
 *	   does so twice.  We may see the commit before it has told others to
 *	   forget what they know of the table, and they may come to it in between;
 *	   but then it still holds its lock and is one of the first round;
 *	2. reads the table, some blocks at a time, and makes the entries of what
 *	   is there.  New changes come first: the queue is looked after between
 *	   any two steps.  An item whose row is written while the table is read is
 *	   queued, even if its entry stays as it is, since the row has moved.  So
 *	   it does not matter whether it is seen before, after, or not at all;
 *	3. lets a run come to the end of the queue, and declares the index ACTIVE.
 *
 * How far step 2 is, is remembered in partitioning.index_state in the same
 * transaction, so it goes on there after a crash.  If a table gets another
 * file (VACUUM FULL, TRUNCATE), its blocks mean nothing any more, and it is
 * read from the beginning.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "gsi/gsi_private.h"
#include "worker/worker.h"

/* Blocks that are read in one transaction. */
#define STEP_BLOCKS		64

#define HOLDER_ROUNDS	2

/* When to ask again, in milliseconds. */
#define POLL_HOLDERS	20
#define POLL_LOCKED		50

/* An index that is being made. */
typedef struct Making
{
	Oid			table;			/* item table */
	Oid			index;			/* index table */
	List	   *holders;		/* of VirtualTransactionId *, to wait for */
	int			rounds;			/* of them that have begun */
	uint64		filled;			/* run after which all had been read, or 0 */
	WorkerBackoff backoff;
} Making;

static List *makings = NIL;

/* partitioning.indexes may have changed since the list was made. */
static bool dirty = true;

static bool has_items(const ItemTable *table, List *leaves);
static bool lock_at_once(const ItemTable *table, List *leaves);
static void forget_list(Datum arg, Oid relid);
static void renew_list(void);
static void add_makings(const ItemTable *table, List **old);
static Making *find_making(List *list, Oid index);
static int	try_step(Making *making, uint64 run);
static int	step(Making *making, uint64 run);
static bool is_gone(Making *making, const ItemTable *table,
					const ItemIndex *index);
static bool holders_gone(Making *making, List *leaves);
static void find_holders(Making *making, List *leaves);
static GsiOutcome fill_step(GsiPropagation *propagation, Making *making,
							GsiState *state, List *leaves, uint64 run);
static bool enter_leaf(GsiState *state, List *leaves);
static void use_leaf(GsiState *state, Oid leaf);
static Oid	next_leaf(List *leaves, Oid leaf);
static int64 estimate_items(List *leaves);

/*
 * Makes the index and leaves its filling to the worker.  If the table is
 * empty, and nobody writes to it, there is nothing to do.  The table is locked
 * against other commands that make indexes.
 */
Oid
gsi_create_online(const ItemTable *table, ItemIndex *index)
{
	List	   *leaves = gsi_leaves(table, AccessShareLock);
	Oid			relid;

	index->status = INDEX_CREATING;
	if (!has_items(table, leaves) && lock_at_once(table, leaves) &&
		!has_items(table, leaves))
		index->status = INDEX_ACTIVE;
	relid = meta_create_index_table(table, index);
	meta_complete_index_table(relid, table, index);
	meta_add_statement_triggers(table->relid,
								list_append_unique_oid(list_copy(leaves),
													   table->relid),
								false);
	meta_index_insert(table, index);
	worker_wake_at_commit();
	return relid;
}

static bool
has_items(const ItemTable *table, List *leaves)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	bool		found = false;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		Relation	rel = table_open(lfirst_oid(lc), NoLock);
		TupleTableSlot *slot = table_slot_create(rel, NULL);
		TableScanDesc scan = table_beginscan(rel, snapshot, 0, NULL);

		found = table_scan_getnextslot(scan, ForwardScanDirection, slot);
		table_endscan(scan);
		ExecDropSingleTupleTableSlot(slot);
		table_close(rel, NoLock);
		if (found)
			break;
	}
	UnregisterSnapshot(snapshot);
	return found;
}

/* Keeps writers out if there are none; else there is no need to. */
static bool
lock_at_once(const ItemTable *table, List *leaves)
{
	ListCell   *lc;

	if (!ConditionalLockRelationOid(table->relid, ShareRowExclusiveLock))
		return false;
	foreach(lc, leaves)
	{
		if (!ConditionalLockRelationOid(lfirst_oid(lc),
										ShareRowExclusiveLock))
			return false;
	}
	return true;
}

/*
 * Does a step for each index that is being made, after the given run through
 * the queue; in how many milliseconds there is to be another one, or
 * WORKER_IDLE.  Called by the worker outside a transaction.
 */
int
gsi_online_run(uint64 run)
{
	static bool registered = false;
	int			result = WORKER_IDLE;
	ListCell   *lc;

	if (!registered)
		CacheRegisterRelcacheCallback(forget_list, (Datum) 0);
	registered = true;
	if (dirty)
		renew_list();
	foreach(lc, makings)
	{
		int			delay;

		if (worker_is_to_leave())
			break;
		delay = try_step(lfirst(lc), run);
		if (delay != WORKER_IDLE && (result == WORKER_IDLE || delay < result))
			result = delay;
	}
	return result;
}

static void
forget_list(Datum arg, Oid relid)
{
	/* which relation that is cannot be looked up here */
	dirty = true;
}

/* Goes on with what was being made, and begins with what is new. */
static void
renew_list(void)
{
	List	   *old = makings;
	List	   *tables;
	ListCell   *lc;

	StartTransactionCommand();
	dirty = false;
	PushActiveSnapshot(GetTransactionSnapshot());
	tables = meta_tables_creating();
	makings = NIL;
	foreach(lc, tables)
	{
		const ItemTable *table = meta_table_if_any(lfirst_oid(lc));

		if (table != NULL)
			add_makings(table, &old);
	}
	if (tables != NIL || old != NIL)
		gsi_state_clean();
	PopActiveSnapshot();
	CommitTransactionCommand();
	foreach(lc, old)
		list_free_deep(((Making *) lfirst(lc))->holders);
	list_free_deep(old);
}

static void
add_makings(const ItemTable *table, List **old)
{
	MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);

	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];
		Oid			relid;
		Making	   *making;

		if (!index->global || index->status != INDEX_CREATING)
			continue;
		relid = store_index_relid(table, index);
		making = find_making(*old, relid);
		*old = list_delete_ptr(*old, making);
		if (making == NULL)
			making = palloc0(sizeof(Making));
		making->table = table->relid;
		making->index = relid;
		makings = lappend(makings, making);
	}
	MemoryContextSwitchTo(context);
}

static Making *
find_making(List *list, Oid index)
{
	ListCell   *lc;

	foreach(lc, list)
	{
		Making	   *making = lfirst(lc);

		if (making->index == index)
			return making;
	}
	return NULL;
}

/* A step that fails is in the way of no other index. */
static int
try_step(Making *making, uint64 run)
{
	MemoryContext context = CurrentMemoryContext;
	volatile int delay = worker_backs_off(&making->backoff);

	if (delay > 0)
		return delay;
	PG_TRY();
	{
		delay = step(making, run);
		making->backoff.pause = 0;
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		worker_recover(context);
		gsi_worker_note_error(making->table, making->index, error->message);
		FreeErrorData(error);
		delay = worker_back_off(&making->backoff);
	}
	PG_END_TRY();
	return delay;
}

static int
step(Making *making, uint64 run)
{
	GsiPropagation *propagation;
	GsiOutcome	outcome;
	int			result = WORKER_IDLE;
	const ItemTable *table;
	const ItemIndex *index;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	propagation = gsi_propagate_begin(false);
	outcome = gsi_propagate_open(propagation, making->table, making->index,
								 &table, &index);
	if (outcome != GSI_APPLIED)
		result = POLL_LOCKED;
	else if (!is_gone(making, table, index))
	{
		List	   *leaves = table->partitioned ?
			find_inheritance_children(table->relid, NoLock) :
			list_make1_oid(table->relid);
		GsiState	state;

		gsi_state_get(making->index, &state);
		if (!OidIsValid(state.leaf) && making->filled == 0 &&
			!holders_gone(making, leaves))
			result = POLL_HOLDERS;
		else if (making->filled == 0)
		{
			outcome = fill_step(propagation, making, &state, leaves, run);
			result = outcome == GSI_APPLIED ? 0 : POLL_LOCKED;
		}
		else if (run > making->filled)
		{
			ItemIndex	active = *index;

			active.status = INDEX_ACTIVE;
			meta_index_replace(table, &active);
		}
		else
			result = 0;
	}
	gsi_propagate_end(propagation);
	PopActiveSnapshot();
	CommitTransactionCommand();
	return result;
}

/* Has the index been dropped, or made in another way? */
static bool
is_gone(Making *making, const ItemTable *table, const ItemIndex *index)
{
	if (table != NULL && index != NULL && index->status == INDEX_CREATING)
		return false;
	dirty = true;
	return true;
}

/* Step 1 */
static bool
holders_gone(Making *making, List *leaves)
{
	for (;;)
	{
		while (making->holders != NIL)
		{
			VirtualTransactionId *holder = llast(making->holders);

			if (!VirtualXactLock(*holder, false))
				return false;
			making->holders = list_truncate(making->holders,
											list_length(making->holders) - 1);
			pfree(holder);
		}
		if (making->rounds == HOLDER_ROUNDS)
			return true;
		making->rounds++;
		find_holders(making, leaves);
	}
}

/* Transactions that may have written to the table without seeing the index. */
static void
find_holders(Making *making, List *leaves)
{
	List	   *relids = list_append_unique_oid(list_copy(leaves),
												making->table);
	ListCell   *lc;

	foreach(lc, relids)
	{
		LOCKTAG		tag;
		VirtualTransactionId *found;
		MemoryContext context;

		SET_LOCKTAG_RELATION(tag, MyDatabaseId, lfirst_oid(lc));
		found = GetLockConflicts(&tag, ShareLock, NULL);
		context = MemoryContextSwitchTo(TopMemoryContext);
		for (; VirtualTransactionIdIsValid(*found); found++)
		{
			VirtualTransactionId *holder = palloc(sizeof(*holder));

			*holder = *found;
			making->holders = lappend(making->holders, holder);
		}
		MemoryContextSwitchTo(context);
	}
}

/* Step 2; sets making->filled when there is nothing more to read. */
static GsiOutcome
fill_step(GsiPropagation *propagation, Making *making, GsiState *state,
		  List *leaves, uint64 run)
{
	int64		end;
	int64		items = 0;
	GsiOutcome	outcome;

	if (!enter_leaf(state, leaves))
	{
		state->leaf = InvalidOid;
		state->items_total = state->items_done;
		gsi_state_put(state);
		making->filled = run;
		return GSI_APPLIED;
	}
	end = Min(state->next_block + STEP_BLOCKS, state->end_block);
	outcome = gsi_propagate_blocks(propagation, making->table, making->index,
								   state->leaf, state->next_block, end,
								   &items);
	if (outcome != GSI_APPLIED)
		return outcome;
	state->next_block = end;
	state->items_done += items;
	state->last_error = NULL;
	gsi_state_put(state);
	return GSI_APPLIED;
}

/*
 * Finds a leaf that has blocks to be read: the one where we are, or the next
 * one that is not empty.
 */
static bool
enter_leaf(GsiState *state, List *leaves)
{
	if (!OidIsValid(state->leaf))
	{
		state->items_done = 0;
		state->items_total = estimate_items(leaves);
		use_leaf(state, next_leaf(leaves, InvalidOid));
	}
	else if (list_member_oid(leaves, state->leaf))
	{
		Relation	rel = table_open(state->leaf, NoLock);
		bool		other = rel->rd_rel->relfilenode != state->file;

		table_close(rel, NoLock);
		if (other)
			use_leaf(state, state->leaf);
	}
	else
		state->next_block = state->end_block;
	while (OidIsValid(state->leaf) && state->next_block >= state->end_block)
		use_leaf(state, next_leaf(leaves, state->leaf));
	return OidIsValid(state->leaf);
}

static void
use_leaf(GsiState *state, Oid leaf)
{
	Relation	rel;

	state->leaf = leaf;
	state->next_block = 0;
	if (!OidIsValid(leaf))
		return;
	rel = table_open(leaf, NoLock);
	state->file = rel->rd_rel->relfilenode;
	state->end_block = RelationGetNumberOfBlocks(rel);
	table_close(rel, NoLock);
}

/* The leaves are in the order of their OIDs. */
static Oid
next_leaf(List *leaves, Oid leaf)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		if (lfirst_oid(lc) > leaf)
			return lfirst_oid(lc);
	}
	return InvalidOid;
}

static int64
estimate_items(List *leaves)
{
	double		total = 0;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		Relation	rel = table_open(lfirst_oid(lc), NoLock);
		BlockNumber pages;
		double		tuples;
		double		allvisfrac;

		estimate_rel_size(rel, NULL, &pages, &tuples, &allvisfrac);
		total += tuples;
		table_close(rel, NoLock);
	}
	return (int64) total;
}
