/*
 * gsi_find.c
 *	  Finds the entries of an item, and the item of an entry.
 *
 * Nobody but the transaction that holds the lock of an item's row changes its
 * entries, so that to it SnapshotSelf shows them as they are, what it has done
 * in the current command included.  Other snapshots are for those who look
 * only.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "gsi/gsi_private.h"

static bool is_entry_of(const StoreIndex *store, TupleTableSlot *slot,
						const ItemKey *base);

/*
 * The slot is one of the index table.
 */
int
gsi_find(const StoreIndex *store, const ItemKey *key, const ItemKey *base,
		 Snapshot snapshot, TupleTableSlot *slot, GsiVisit visit, void *arg)
{
	ScanKeyData keys[KEY_MAX_ATTRIBUTES + 1];
	IndexScanDesc scan;
	int			n = 0;

	memcpy(keys, store->facts.equal_keys, sizeof(keys));
	for (int i = 0; i < key->n; i++)
		keys[i].sk_argument = key->datums[i];
	if (store->facts.nequal > key->n)
		keys[key->n].sk_argument = Int64GetDatum(key_digest(base));
	if (store->index->write_shards > 1)
		keys[0].sk_argument = store_index_stored_pk(store->index, key->refs[0],
													key_digest(base));

	scan = compat_index_beginscan(store->rel, store->key_index, snapshot,
								  store->facts.nequal);
	index_rescan(scan, keys, store->facts.nequal, NULL, 0);
	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_entry_of(store, slot, base))
			continue;
		n++;
		if (visit != NULL && !visit(slot, arg))
			break;
	}
	index_endscan(scan);
	return n;
}

/* Entries of two items may agree in everything that the index orders by. */
static bool
is_entry_of(const StoreIndex *store, TupleTableSlot *slot,
			const ItemKey *base)
{
	ItemKey		key;

	store_index_base_key(store, slot, &key);
	return key_equal(base, &key);
}

/*
 * The relation is the item table or the partition where the key belongs, and
 * locked.  The attributes may point into the slot, which is one of it.
 */
bool
gsi_find_item(const ItemTable *table, Relation rel, const ItemKey *key,
			  Snapshot snapshot, TupleTableSlot *slot, ItemRef *attributes)
{
	StoreRelation info;
	ScanKeyData keys[KEY_MAX_ATTRIBUTES];
	Relation	index;
	IndexScanDesc scan;
	bool		found;
	bool		isnull;

	store_relation_get(rel, table, &info);
	index = index_open(info.key_index, AccessShareLock);
	for (int i = 0; i < key->n; i++)
	{
		keys[i] = info.equal_keys[i];
		keys[i].sk_argument = key->datums[i];
	}
	scan = compat_index_beginscan(rel, index, snapshot, key->n);
	index_rescan(scan, keys, key->n, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, slot);
	if (found)
		*attributes =
			item_root(DatumGetItemPP(slot_getattr(slot,
												  info.attributes_attnum,
												  &isnull)));
	index_endscan(scan);
	index_close(index, NoLock);
	return found;
}
