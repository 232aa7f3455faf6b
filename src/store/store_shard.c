/*
 * store_shard.c
 *	  Write shards: from the key that a user knows to the key of a row.
 *
 * Whoever calls store/ has keys without shards; rows have keys with them.
 * Where the sort key decides on the shard, the stored key is computed.  Where
 * an attribute or chance decided when the row was made, a key is looked up in
 * an index of keys without shards, and the row tells its shard.
 *
 * While the number of shards of a table is changed, a row is where the new
 * number puts it, or still where the former one did.  Two rules keep its key
 * unique meanwhile: no row is made at a former place, and whoever makes one
 * at a new place sees, after it is in the index, that none is at the former
 * place.  None can come there later.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "store/store.h"
#include "store/store_private.h"

static bool former_place_is_free(const ItemTable *table, Relation rel,
								 const ItemKey *key);

/* The key that a new row gets. */
const ItemKey *
store_key_to_insert(const ItemStore *store, const ItemKey *key,
					const ItemData *attributes, ItemKey *placed)
{
	const KeySharding *sharding = &store->table->schema.sharding;

	if (likely(sharding->count == 0))
		return key;
	*placed = *key;
	placed->datums[0] = key_shard_datum(key->refs[0],
										key_shard_choose(sharding, key,
														 item_root(attributes)));
	return placed;
}

/* The key that a row has; it points into the row's slot. */
const ItemKey *
store_key_of_row(const ItemStore *store, const ItemKey *key,
				 const StoreRow *row, ItemKey *placed)
{
	bool		isnull;

	if (likely(store->table->schema.sharding.count == 0))
		return key;
	*placed = *key;
	placed->datums[0] = slot_getattr(row->slot, store->relation.key_attnums[0],
									 &isnull);
	return placed;
}

/*
 * The key to look for in the index that keys are looked up in, also as a
 * value; the former one, if asked for, while the number of shards is changing.
 */
const ItemKey *
store_key_to_probe(const ItemTable *table, const ItemKey *key, bool former,
				   ItemKey *placed)
{
	const KeySharding *sharding = &table->schema.sharding;

	if (likely(sharding->count == 0))
		return key;
	*placed = *key;
	if (sharding->by == KEY_SHARD_SORT_KEY)
		placed->datums[0] =
			key_shard_datum(key->refs[0],
							key_shard_of_sort_key(key->refs[1],
												  former ? sharding->former :
												  sharding->count));
	else
		placed->datums[0] = key_datum_from_ref(key->refs[0]);
	placed->refs[0] = key_ref_from_datum(ITEM_S, placed->datums[0]);
	return placed;
}

bool
store_find_place(ItemStore *store, const ItemKey *key, Snapshot snapshot,
				 ItemKey *placed)
{
	const KeySharding *sharding = &store->table->schema.sharding;
	StoreRow	row;
	bool		found;

	*placed = *key;
	if (sharding->count == 0)
	{
		placed->datums[0] = key_datum_from_ref(key->refs[0]);
		return true;
	}
	if (sharding->by == KEY_SHARD_SORT_KEY)
		(void) store_key_to_probe(store->table, key, false, placed);
	if (sharding->by == KEY_SHARD_SORT_KEY && sharding->former == 0)
		return true;

	store_row_init(&row);
	found = store_fetch(store, key, snapshot, &row);
	if (found)
	{
		(void) store_key_of_row(store, key, &row, placed);
		placed->datums[0] = datumCopy(placed->datums[0], false, -1);
	}
	store_row_clear(&row);
	return found || sharding->by == KEY_SHARD_SORT_KEY;
}

/* As store_probe_key(), for a table with shards. */
StoreProbeResult
store_probe_shards(ItemStore *store, const ItemKey *key, Snapshot snapshot,
				   TupleTableSlot *slot)
{
	const KeySharding *sharding = &store->table->schema.sharding;
	ItemKey		placed;
	StoreProbeResult result;
	StoreProbeResult former;

	result = store_probe_stored(store,
								store_key_to_probe(store->table, key, false,
												   &placed),
								snapshot, slot);
	if (result == STORE_FOUND || sharding->former == 0 ||
		sharding->by != KEY_SHARD_SORT_KEY)
		return result;
	former = store_probe_stored(store,
								store_key_to_probe(store->table, key, true,
												   &placed),
								snapshot, slot);
	store->absent_lsn = InvalidXLogRecPtr;	/* one page is not enough */
	return former == STORE_NO_ENTRY ? result : former;
}

/*
 * A row has been made.  Complains, while the number of shards is changing,
 * when it is at a former place, or when one of its key still is.
 */
void
store_shard_check_new(const ItemTable *table, Relation rel,
					  const ItemKey *key)
{
	const KeySharding *sharding = &table->schema.sharding;
	text	   *pk;
	int			shard;
	int			former;

	if (likely(sharding->former == 0))
		return;
	pk = DatumGetTextPP(key->datums[0]);
	if (!key_shard_is_current(sharding, key->datums[0], key->refs[1]))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("partition key \"%s\" has the wrong number of a write shard",
						text_to_cstring(pk)),
				 errdetail("The number of shards is being changed from %d to %d; new rows have the new numbers.",
						   sharding->former, sharding->count),
				 errhint("partitioning.shard_key(table, partition key, sort key) gives the stored key.")));
	if (sharding->by != KEY_SHARD_SORT_KEY)
		return;
	shard = key_shard_of_sort_key(key->refs[1], sharding->count);
	former = key_shard_of_sort_key(key->refs[1], sharding->former);
	if (shard != former && !former_place_is_free(table, rel, key))
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("item table \"%s\" already has an item of this key",
						table->table_name),
				 errdetail("It is in shard %d, from where it has not been moved to shard %d yet.",
						   former, shard)));
}

/*
 * Is no row where the former number of shards has put the key?  One that is
 * being deleted, or moved, is waited for.
 */
static bool
former_place_is_free(const ItemTable *table, Relation rel,
					 const ItemKey *key)
{
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	ScanKeyData keys[KEY_MAX_ATTRIBUTES];
	StoreRelation info;
	ItemKey		former;
	Relation	index;
	bool		found;
	bool		wait;

	store_relation_get(rel, table, &info);
	(void) store_key_to_probe(table, key, true, &former);
	for (int i = 0; i < former.n; i++)
	{
		keys[i] = info.equal_keys[i];
		keys[i].sk_argument = former.datums[i];
	}
	index = index_open(info.key_index, AccessShareLock);
	do
	{
		SnapshotData dirty;
		IndexScanDesc scan;
		ItemPointerData tid;

		InitDirtySnapshot(dirty);
		scan = compat_index_beginscan(rel, index, &dirty, former.n);
		index_rescan(scan, keys, former.n, NULL, 0);
		found = index_getnext_slot(scan, ForwardScanDirection, slot);
		tid = slot->tts_tid;
		index_endscan(scan);
		ExecClearTuple(slot);
		wait = found && TransactionIdIsValid(dirty.xmax);
		if (wait)
			XactLockTableWait(dirty.xmax, rel, &tid, XLTW_InsertIndexUnique);
	} while (wait);
	index_close(index, NoLock);
	ExecDropSingleTupleTableSlot(slot);
	return !found;
}
