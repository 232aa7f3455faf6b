/*
 * gsi_queue.c
 *	  The queue of changes that asynchronous indexes have yet to follow.
 *
 * A row says: this item has changed; look at it, and at what these indexes
 * have for it.  For each index it names the key of the entry that the change
 * has made wrong, because that can be found in no other way.  Applying a row
 * makes the indexes equal to the item as it is then, so it does no harm to
 * apply one twice, early, late or in any order, as long as each is applied
 * after its commit.
 *
 * The queue is two tables.  Writers append to one; the other one, when all in
 * it has been applied and nobody writes to it any more, is truncated, and
 * then they change places.  Which one is for writers is a number in shared
 * memory that may be wrong at any time: both are always read.
 *
 * A table that a transaction cannot see the end of is not truncated, as VACUUM
 * would not: a dump that began before rows were applied must find them in the
 * queue, or their effect in the index.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/multixact.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/tablecmds.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "base/errors.h"
#include "gsi/gsi_private.h"

#define COLUMN_ITEM_TABLE	1
#define COLUMN_INDEXES		2
#define COLUMN_CHANGE		3
#define COLUMN_QUEUED_AT	4
#define COLUMNS				4

/* First byte of column change; of a row that is the rest of another one. */
#define CHANGE_VERSION		1
#define CHANGE_REST			2

static const char *const half_names[GSI_QUEUE_HALVES] = {
	"index_queue_0", "index_queue_1"
};

static Relation open_half(int half, LOCKMODE lockmode);
static void insert_row(Oid table, const ItemKey *key, int n,
					   const GsiStale *stale, int version,
					   TimestampTz queued_at);
static void append_key(StringInfo change, const ItemKey *key);
static bool read_key(const GsiQueued *queued, uint32 *offset, ItemKey *key);
static void read_row(TupleTableSlot *slot, GsiQueued *queued);

/* OID of one half; InvalidOid when the extension, or such a one, is not here. */
Oid
gsi_queue_relid(int half)
{
	Oid			schema = get_namespace_oid("partitioning", true);

	return OidIsValid(schema) ? get_relname_relid(half_names[half], schema) :
		InvalidOid;
}

static Relation
open_half(int half, LOCKMODE lockmode)
{
	Oid			relid = gsi_queue_relid(half);

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("table partitioning.%s does not exist",
						half_names[half]),
				 errhint("ALTER EXTENSION partitioning UPDATE makes what this version needs.")));
	return table_open(relid, lockmode);
}

/*
 * Adds a change of an item that concerns n indexes.  Called while the item's
 * row is locked, in the transaction that has changed it.
 */
void
gsi_queue_add(const ItemTable *table, const ItemKey *key, int n,
			  const GsiStale *stale)
{
	insert_row(table->relid, key, n, stale, CHANGE_VERSION,
			   GetCurrentTransactionStartTimestamp());
}

/*
 * Adds a row for those indexes of another one that have not followed.
 */
void
gsi_queue_rest(const GsiQueued *queued)
{
	GsiStale   *stale = palloc(queued->nindexes * sizeof(GsiStale));
	ItemKey		key;
	int			n = 0;

	if (!gsi_queue_decode(queued, &key, stale))
		elog(ERROR, "row of the index queue cannot be read");
	for (int i = 0; i < queued->nindexes; i++)
	{
		if (!queued->done[i])
			stale[n++] = stale[i];
	}
	insert_row(queued->table, &key, n, stale, CHANGE_REST, queued->queued_at);
}

static void
insert_row(Oid table, const ItemKey *key, int n, const GsiStale *stale,
		   int version, TimestampTz queued_at)
{
	Relation	rel = open_half(gsi_queue_current(), RowExclusiveLock);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(rel),
													&TTSOpsVirtual);
	StringInfoData change;
	Datum	   *indexes = palloc(n * sizeof(Datum));

	initStringInfo(&change);
	appendStringInfoSpaces(&change, VARHDRSZ);
	appendStringInfoChar(&change, version);
	append_key(&change, key);
	for (int i = 0; i < n; i++)
	{
		indexes[i] = ObjectIdGetDatum(stale[i].index);
		append_key(&change, &stale[i].key);
	}
	SET_VARSIZE(change.data, change.len);

	ExecClearTuple(slot);
	memset(slot->tts_isnull, false, COLUMNS * sizeof(bool));
	slot->tts_values[COLUMN_ITEM_TABLE - 1] = ObjectIdGetDatum(table);
	slot->tts_values[COLUMN_INDEXES - 1] =
		PointerGetDatum(construct_array(indexes, n, REGCLASSOID, sizeof(Oid),
										true, TYPALIGN_INT));
	slot->tts_values[COLUMN_CHANGE - 1] = PointerGetDatum(change.data);
	slot->tts_values[COLUMN_QUEUED_AT - 1] = TimestampTzGetDatum(queued_at);
	ExecStoreVirtualTuple(slot);
	table_tuple_insert(rel, slot, GetCurrentCommandId(true),
					   TABLE_INSERT_SKIP_FSM, NULL);
	ExecDropSingleTupleTableSlot(slot);
	table_close(rel, NoLock);
}

/* A number of parts, and each part's type, length and bytes. */
static void
append_key(StringInfo change, const ItemKey *key)
{
	appendStringInfoChar(change, key->n);
	for (int i = 0; i < key->n; i++)
	{
		ItemRef		ref = key->refs[i];

		appendStringInfoChar(change, ref.type);
		appendBinaryStringInfo(change, (char *) &ref.len, sizeof(ref.len));
		appendBinaryStringInfo(change, ref.data, ref.len);
	}
}

/*
 * Reads the item's key and the keys of stale entries; false if there is
 * something else in the row, which somebody else must have written.
 */
bool
gsi_queue_decode(const GsiQueued *queued, ItemKey *key, GsiStale *stale)
{
	uint32		offset = 1;

	if (VARSIZE_ANY_EXHDR(queued->change) < 1 ||
		(*VARDATA_ANY(queued->change) != CHANGE_VERSION &&
		 *VARDATA_ANY(queued->change) != CHANGE_REST) ||
		!read_key(queued, &offset, key))
		return false;
	for (int i = 0; i < queued->nindexes; i++)
	{
		stale[i].index = queued->indexes[i];
		if (!read_key(queued, &offset, &stale[i].key))
			return false;
	}
	return true;
}

/* Is a row older than the transaction that has written it? */
bool
gsi_queue_is_rest(const GsiQueued *queued)
{
	return VARSIZE_ANY_EXHDR(queued->change) > 0 &&
		*VARDATA_ANY(queued->change) == CHANGE_REST;
}

static bool
read_key(const GsiQueued *queued, uint32 *offset, ItemKey *key)
{
	const char *data = VARDATA_ANY(queued->change);
	uint32		size = VARSIZE_ANY_EXHDR(queued->change);

	if (*offset >= size)
		return false;
	key->n = data[(*offset)++];
	if (key->n < 0 || key->n > KEY_MAX_ATTRIBUTES)
		return false;
	for (int i = 0; i < key->n; i++)
	{
		ItemRef    *ref = &key->refs[i];

		if (size - *offset < 1 + sizeof(ref->len))
			return false;
		ref->type = data[*offset];
		memcpy(&ref->len, data + *offset + 1, sizeof(ref->len));
		*offset += 1 + sizeof(ref->len);
		if ((ref->type != ITEM_S && ref->type != ITEM_N &&
			 ref->type != ITEM_B) ||
			ref->len > size - *offset)
			return false;
		ref->data = data + *offset;
		*offset += ref->len;
		key->datums[i] = key_datum_from_ref(*ref);
	}
	return true;
}

/*
 * Blocks of one half, 0 when it is not there.
 */
BlockNumber
gsi_queue_blocks(int half)
{
	Relation	rel = try_table_open(gsi_queue_relid(half), AccessShareLock);
	BlockNumber blocks;

	if (rel == NULL)
		return 0;
	blocks = RelationGetNumberOfBlocks(rel);
	table_close(rel, AccessShareLock);
	return blocks;
}

/*
 * Reads what the snapshot sees in one half, from a block on until "limit"
 * rows have been read and their last block is complete, or to the block
 * "end".  Sets *next to the block to go on from.  The rows are in the current
 * memory context.
 */
List *
gsi_queue_read(int half, BlockNumber from, BlockNumber end, int limit,
			   Snapshot snapshot, BlockNumber *next)
{
	Relation	rel = open_half(half, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	TableScanDesc scan;
	ItemPointerData first;
	ItemPointerData last;
	List	   *rows = NIL;

	*next = end;
	ItemPointerSet(&first, from, FirstOffsetNumber);
	ItemPointerSet(&last, end - 1, MaxOffsetNumber);
	scan = table_beginscan_tidrange(rel, snapshot, &first, &last);
	while (table_scan_getnextslot_tidrange(scan, ForwardScanDirection, slot))
	{
		GsiQueued  *queued;
		BlockNumber block = ItemPointerGetBlockNumber(&slot->tts_tid);

		CHECK_FOR_INTERRUPTS();
		if (list_length(rows) >= limit &&
			block != ItemPointerGetBlockNumber(&((GsiQueued *) llast(rows))->tid))
		{
			*next = block;
			break;
		}
		queued = palloc0(sizeof(GsiQueued));
		read_row(slot, queued);
		rows = lappend(rows, queued);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	table_close(rel, NoLock);
	return rows;
}

static void
read_row(TupleTableSlot *slot, GsiQueued *queued)
{
	ArrayType  *indexes;
	bool		isnull;

	slot_getallattrs(slot);
	queued->tid = slot->tts_tid;
	queued->table = DatumGetObjectId(slot->tts_values[COLUMN_ITEM_TABLE - 1]);
	indexes = DatumGetArrayTypePCopy(slot->tts_values[COLUMN_INDEXES - 1]);
	queued->nindexes = ArrayGetNItems(ARR_NDIM(indexes), ARR_DIMS(indexes));
	queued->indexes = (Oid *) ARR_DATA_PTR(indexes);
	if (ARR_HASNULL(indexes))
		queued->nindexes = 0;
	queued->done = palloc0(Max(queued->nindexes, 1) * sizeof(bool));
	queued->change = DatumGetByteaPCopy(slot->tts_values[COLUMN_CHANGE - 1]);
	queued->queued_at =
		DatumGetTimestampTz(slot->tts_values[COLUMN_QUEUED_AT - 1]);
	queued->xmin = DatumGetTransactionId(slot_getsysattr(slot, MinTransactionIdAttributeNumber,
														 &isnull));
}

/*
 * Takes rows off that have been applied in this transaction.  Others may have
 * done both between our reading them and our getting the propagation lock.
 */
void
gsi_queue_remove(int half, const List *rows)
{
	Relation	rel = open_half(half, RowExclusiveLock);
	const ListCell *lc;

	CheckCmdReplicaIdentity(rel, CMD_DELETE);
	foreach(lc, rows)
	{
		GsiQueued  *queued = lfirst(lc);
		TM_FailureData failure;
		TM_Result	result;

		if (!queued->applied)
			continue;
		result = table_tuple_delete(rel, &queued->tid,
									GetCurrentCommandId(true),
									GetActiveSnapshot(), InvalidSnapshot,
									true, &failure, false);
		if (result != TM_Ok && result != TM_Deleted)
			elog(ERROR, "row of partitioning.%s was changed by others",
				 half_names[half]);
	}
	table_close(rel, NoLock);
}

/*
 * Truncates one half in a transaction of the caller's, if nobody uses it, and
 * nothing that anybody may still see is in it.  applied_by is the last
 * transaction that has taken rows off.
 */
bool
gsi_queue_truncate(int half, TransactionId applied_by)
{
	Oid			relid = gsi_queue_relid(half);
	Relation	rel;
	BlockNumber next;
	bool		empty;

	if (!OidIsValid(relid) ||
		!ConditionalLockRelationOid(relid, AccessExclusiveLock))
		return false;
	rel = try_table_open(relid, NoLock);
	if (rel == NULL)
		return false;
	empty = !TransactionIdIsValid(applied_by) ||
		TransactionIdPrecedes(applied_by,
							  GetOldestNonRemovableTransactionId(rel));
	if (empty)
	{
		Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
		BlockNumber blocks = RelationGetNumberOfBlocks(rel);

		empty = blocks == 0 ||
			gsi_queue_read(half, 0, blocks, 1, snapshot, &next) == NIL;
		UnregisterSnapshot(snapshot);
	}
	if (empty)
		compat_truncate(rel);
	table_close(rel, NoLock);
	return empty;
}
