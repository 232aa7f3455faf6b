/*
 * gsi_order.c
 *	  Writes entries of unique indexes in one order.
 *
 * Whoever makes an entry whose key another transaction has made, or taken
 * away, waits for that transaction.  Of all that is written to index tables
 * only this makes writers wait for each other: everything else about an entry
 * is decided by the lock of its item's row.  Two calls that wrote the same keys
 * in the order of their items could wait for each other in a circle.
 *
 * So within a statement or a call on several items, a change of an item only
 * notes the places that it speaks of: the item, and a key in a unique index.
 * When all items have been changed and their rows are locked, the places are
 * settled, by index and key: of two calls that meet, one waits for the other
 * at the first key where they do.  To settle a place is to see to it that the
 * entry is there if the item, as it is now, has that key, and is not there
 * otherwise; so it does not matter how often or in what order an item has been
 * changed.  At each key entries go before others come, so that items can
 * exchange keys.
 *
 * Statements of one user transaction are settled one after the other; what
 * they wait for is beyond ordering.
 *
 * The beginning of a statement is noted by a trigger, its end settles.  If the
 * end should not come, the end of the transaction does.  So it is in logical
 * replication, which knows rows and transactions but no statements.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "gsi/gsi_private.h"

/* A statement or a call on several items that is under way. */
typedef struct Frame
{
	SubTransactionId subid;
	Oid			relid;			/* what a statement names; InvalidOid: a call */
	CommandId	cid;			/* statements within one query have the same */
} Frame;

/* A key in an index where an item has, or has had, its entry. */
typedef struct Place
{
	SubTransactionId subid;		/* that has noted it */
	SubTransactionId settled_by;	/* InvalidSubTransactionId: none yet */
	const ItemTable *table;
	const ItemIndex *index;
	Oid			relid;			/* the table, or the partition with the item */
	ItemKey		key;			/* in the index */
	ItemKey		base;			/* of the item */
} Place;

static Frame *frames = NULL;
static int	nframes = 0;
static int	frames_size = 0;

/*
 * Places, with all they hold in a context of their own.  One that is settled
 * stays until the subtransaction that has settled it can no longer be undone
 * without the one that has noted it.
 */
static MemoryContext place_context = NULL;
static Place **places = NULL;
static int	nplaces = 0;
static int	places_size = 0;
static int	nunsettled = 0;
static bool settling = false;
static const Place *current = NULL; /* the one that is being settled */

static void settle_all(void);
static void frame_push(Oid relid);
static bool frame_pop(Oid relid);
static bool in_frame(bool by_trigger);
static int	compare_places(const void *a, const void *b);
static void settle_list(Place **list, int n);
static int	settle_index(Place **list, int n);
static int	same_index(Place **list, int n);
static int	same_key(Place **list, int n);
static void settle_place(const StoreIndex *store, const Place *place, bool going);
static void forget_settled(void);
static void end_of_transaction(XactEvent event, void *arg);
static void end_of_subtransaction(SubXactEvent event, SubTransactionId subid,
								  SubTransactionId parent, void *arg);
static void places_follow(SubTransactionId subid, SubTransactionId parent,
						  bool abort);

void
gsi_order_init(void)
{
	RegisterXactCallback(end_of_transaction, NULL);
	RegisterSubXactCallback(end_of_subtransaction, NULL);
}

void
gsi_call_begin(void)
{
	current = NULL;
	frame_push(InvalidOid);
}

void
gsi_call_end(void)
{
	if (frame_pop(InvalidOid))
		settle_all();
}

/*
 * Is there anything to be written at the end of the call?
 */
bool
gsi_call_may_wait(void)
{
	return nunsettled > 0;
}

bool
gsi_call_blocked(Oid *relid, ItemKey *key)
{
	if (current == NULL)
		return false;
	*relid = current->table->relid;
	key_copy(key, &current->base);
	current = NULL;
	return true;
}

/*
 * Callback of the statement triggers.
 */
void
gsi_statement(const ItemTable *table, Oid relid, bool begins)
{
	if (begins)
	{
		for (int i = 0; i < table->nindexes; i++)
		{
			if (!table->indexes[i].unique_key)
				continue;
			frame_push(relid);
			break;
		}
	}
	else if (frame_pop(relid))
		settle_all();
}

static void
frame_push(Oid relid)
{
	if (nframes == frames_size)
	{
		int			size = Max(8, 2 * frames_size);

		frames = frames == NULL ?
			MemoryContextAlloc(TopMemoryContext, size * sizeof(Frame)) :
			repalloc(frames, size * sizeof(Frame));
		frames_size = size;
	}
	frames[nframes].subid = GetCurrentSubTransactionId();
	frames[nframes].relid = relid;
	frames[nframes].cid = GetCurrentCommandId(false);
	nframes++;
}

/*
 * Ends a frame.  False when places must wait, since another statement of the
 * same query, a data-modifying WITH, is still under way.
 */
static bool
frame_pop(Oid relid)
{
	CommandId	cid = InvalidCommandId;

	for (int i = nframes - 1; i >= 0; i--)
	{
		if (frames[i].relid != relid)
			continue;
		cid = frames[i].cid;
		memmove(&frames[i], &frames[i + 1],
				(nframes - i - 1) * sizeof(Frame));
		nframes--;
		break;
	}
	for (int i = 0; i < nframes; i++)
	{
		if (frames[i].cid == cid && OidIsValid(frames[i].relid) &&
			OidIsValid(relid))
			return false;
	}
	return true;
}

/*
 * Is a change part of something with an end?  A call on one item from within
 * a statement, by a trigger of a user, is not part of that.
 */
static bool
in_frame(bool by_trigger)
{
	for (int i = 0; i < nframes; i++)
	{
		if (OidIsValid(frames[i].relid) == by_trigger)
			return true;
	}
	return by_trigger &&
		SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;
}

/*
 * Begins with a change that concerns a unique index: true when its places are
 * to be noted.  Otherwise what has been noted is settled, as the change may
 * depend on it.
 */
bool
gsi_order_change(const StoreChange *change)
{
	if (in_frame(change->by_trigger))
		return true;
	settle_all();
	return false;
}

void
gsi_note_place(const StoreChange *change, const ItemTable *table,
			   const ItemIndex *index, const ItemKey *key)
{
	MemoryContext old;
	Place	   *place;

	if (place_context == NULL)
		place_context = AllocSetContextCreate(TopTransactionContext,
											  "places in unique indexes",
											  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(place_context);
	if (nplaces == places_size)
	{
		places_size = Max(64, 2 * places_size);
		places = places == NULL ?
			palloc(places_size * sizeof(Place *)) :
			repalloc_huge(places, places_size * sizeof(Place *));
	}
	place = palloc(sizeof(Place));
	place->subid = GetCurrentSubTransactionId();
	place->settled_by = InvalidSubTransactionId;
	place->table = table;
	place->index = index;
	place->relid = RelationGetRelid(change->rel);
	key_copy(&place->key, key);
	key_copy(&place->base, change->key);
	places[nplaces++] = place;
	nunsettled++;
	MemoryContextSwitchTo(old);

	/* XXX what is longer is ordered piece by piece only */
	if (MemoryContextMemAllocated(place_context, false) >
		maintenance_work_mem * (Size) 1024)
		settle_all();
}

/*
 * Settles all places that have been noted.  A function of a user, in an index
 * on an index table, may come here again; then only what is new is settled.
 */
static void
settle_all(void)
{
	MemoryContext context;
	MemoryContext old;
	Place	  **list;
	bool		outermost = !settling;
	int			n = 0;

	if (nunsettled == 0)
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "settled places",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	list = MemoryContextAllocHuge(context, nunsettled * sizeof(Place *));
	for (int i = 0; i < nplaces; i++)
	{
		if (places[i]->settled_by != InvalidSubTransactionId)
			continue;
		places[i]->settled_by = GetCurrentSubTransactionId();
		list[n++] = places[i];
	}
	nunsettled = 0;
	settling = true;
	PG_TRY();
	{
		settle_list(list, n);
	}
	PG_FINALLY();
	{
		settling = !outermost;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	current = NULL;
	if (outermost)
		forget_settled();
}

static void
settle_list(Place **list, int n)
{
	qsort(list, n, sizeof(Place *), compare_places);
	for (int i = 0; i < n;)
		i += settle_index(list + i, n - i);
}

/*
 * Any order will do that is the same everywhere and has equal keys together.
 */
static int
compare_places(const void *a, const void *b)
{
	const Place *left = *(Place *const *) a;
	const Place *right = *(Place *const *) b;
	int			result;

	if (left->table->relid != right->table->relid)
		return left->table->relid < right->table->relid ? -1 : 1;
	result = strcmp(left->index->name, right->index->name);
	return result != 0 ? result : key_order_bytes(&left->key, &right->key);
}

/*
 * Settles the places in the first index of the list; how many they were.
 */
static int
settle_index(Place **list, int n)
{
	int			count = same_index(list, n);
	const ItemTable *table = meta_table(list[0]->table->relid);
	const ItemIndex *index = meta_index_find(table, list[0]->index->name,
											 list[0]->index->name_len);
	MemoryContext context;
	MemoryContext old;
	StoreIndex	store;
	MetaOwner	owner;

	if (index == NULL)
		return count;			/* dropped meanwhile */
	store_index_open(table, index, RowExclusiveLock, &store);
	meta_become_owner(RelationGetRelid(store.rel), &owner);
	context = AllocSetContextCreate(CurrentMemoryContext, "place in an index",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	for (int i = 0; i < count;)
	{
		int			ties = same_key(list + i, count - i);

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < ties; j++)
			settle_place(&store, list[i + j], true);
		for (int j = 0; j < ties; j++)
			settle_place(&store, list[i + j], false);
		i += ties;
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	meta_become_caller(&owner);
	store_index_close(&store);
	return count;
}

static int
same_index(Place **list, int n)
{
	int			count = 1;

	while (count < n && list[count]->table->relid == list[0]->table->relid &&
		   strcmp(list[count]->index->name, list[0]->index->name) == 0)
		count++;
	return count;
}

static int
same_key(Place **list, int n)
{
	int			count = 1;

	while (count < n && key_order_bytes(&list[count]->key, &list[0]->key) == 0)
		count++;
	return count;
}

/*
 * Makes an entry go, if it is one that has to, or come, if it is not there.
 */
static void
settle_place(const StoreIndex *store, const Place *place, bool going)
{
	Relation	rel = table_open(place->relid, NoLock);

	current = place;
	gsi_settle_place(store, rel, &place->key, &place->base, going);
	table_close(rel, NoLock);
}

/*
 * Forgets places that no end of a subtransaction can bring back.
 */
static void
forget_settled(void)
{
	int			kept = 0;

	for (int i = 0; i < nplaces; i++)
	{
		if (places[i]->settled_by != places[i]->subid)
			places[kept++] = places[i];
	}
	nplaces = kept;
	if (nplaces > 0)
		return;
	MemoryContextDelete(place_context);
	place_context = NULL;
	places = NULL;
	places_size = 0;
}

/*
 * The places go with the transaction's memory.
 */
static void
end_of_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			if (nunsettled > 0)
			{
				PushActiveSnapshot(GetTransactionSnapshot());
				settle_all();
				PopActiveSnapshot();
			}
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
		case XACT_EVENT_ABORT:
			nframes = 0;
			current = NULL;
			place_context = NULL;
			places = NULL;
			nplaces = 0;
			places_size = 0;
			nunsettled = 0;
			break;
		default:
			break;
	}
}

/*
 * What a subtransaction has begun and noted becomes its parent's, or nobody's.
 */
static void
end_of_subtransaction(SubXactEvent event, SubTransactionId subid,
					  SubTransactionId parent, void *arg)
{
	bool		abort = event == SUBXACT_EVENT_ABORT_SUB;
	int			kept = 0;

	if (!abort && event != SUBXACT_EVENT_COMMIT_SUB)
		return;
	for (int i = 0; i < nframes; i++)
	{
		if (frames[i].subid == subid && abort)
			continue;
		frames[kept] = frames[i];
		if (frames[kept].subid == subid)
			frames[kept].subid = parent;
		kept++;
	}
	nframes = kept;
	if (nplaces > 0)
		places_follow(subid, parent, abort);
}

static void
places_follow(SubTransactionId subid, SubTransactionId parent, bool abort)
{
	int			kept = 0;

	nunsettled = 0;
	for (int i = 0; i < nplaces; i++)
	{
		Place	   *place = places[i];

		if (place->subid == subid)
		{
			if (abort)
				continue;
			place->subid = parent;
		}
		if (place->settled_by == subid)
			place->settled_by = abort ? InvalidSubTransactionId : parent;
		if (place->settled_by == InvalidSubTransactionId)
			nunsettled++;
		places[kept++] = place;
	}
	nplaces = kept;
	if (!settling)
		forget_settled();
}
