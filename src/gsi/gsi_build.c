/*
 * gsi_build.c
 *	  Makes, remakes and drops whole global indexes.
 *
 * An index table is filled before it has its key index, which then is built by
 * sorting.  Writers of the item table wait meanwhile: who has written has a
 * lock that conflicts with ours until his transaction ends, and who comes
 * later finds the index in the catalog when he gets his.  So the latest
 * snapshot, taken under the lock, sees all there is.
 *
 * TRUNCATE, and partitions that come with rows or go with them, make many
 * entries wrong at once, without a change of rows that a row trigger would be
 * told of.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_inherits.h"
#include "commands/tablecmds.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "gsi/gsi_private.h"

/* Where the entries of items that are read go. */
typedef struct Filling
{
	StoreIndex	store;
	TupleTableSlot *slot;
	BulkInsertState bulk;		/* NULL: enter them in the indexes, too */
} Filling;

static void fill(const ItemTable *table, const ItemIndex *index, Oid relid,
				 List *leaves);
static void fill_item(const ItemKey *key, const ItemRow *row, void *arg);
static void add_leaf(const ItemTable *table, const ItemIndex *index,
					 Oid leaf);
static void remake(const ItemTable *table, const ItemIndex *index, Oid relid,
				   List *leaves);

Oid
gsi_create(const ItemTable *table, ItemIndex *index)
{
	List	   *leaves;
	Oid			relid;

	if (!index->synchronous)
		return gsi_create_online(table, index);
	leaves = gsi_leaves(table, ShareRowExclusiveLock);
	relid = meta_create_index_table(table, index);
	fill(table, index, relid, leaves);
	meta_complete_index_table(relid, table, index);
	meta_add_statement_triggers(table->relid,
								list_append_unique_oid(list_copy(leaves),
													   table->relid),
								index->unique_key);
	meta_index_insert(table, index);
	return relid;
}

void
gsi_rebuild(const ItemTable *table, const ItemIndex *index)
{
	List	   *leaves = gsi_leaves(table, ShareRowExclusiveLock);
	Oid			relid = store_index_relid(table, index);
	ItemIndex	new = *index;

	/* the worker is not to be in the middle of it */
	(void) store_lock_propagation(table->relid, true);
	new.status = INDEX_ACTIVE;
	if (OidIsValid(relid))
		remake(table, index, relid, leaves);
	else
	{
		relid = meta_create_index_table(table, &new);
		fill(table, &new, relid, leaves);
		meta_complete_index_table(relid, table, &new);
	}
	gsi_state_forget(relid);
	meta_index_replace(table, &new);	/* for old snapshots to notice */
	meta_add_statement_triggers(table->relid,
								list_append_unique_oid(list_copy(leaves),
													   table->relid),
								index->unique_key);
}

/*
 * An index that becomes synchronous must have followed all changes that were
 * made while it was not: writers have ended, and their changes are applied
 * here.
 */
void
gsi_alter(const ItemTable *table, const ItemIndex *index, bool synchronous)
{
	ItemIndex	new = *index;

	(void) gsi_leaves(table, ShareRowExclusiveLock);
	if (index->synchronous == synchronous)
		return;
	new.synchronous = synchronous;
	if (index->status == INDEX_CREATING)
	{
		gsi_rebuild(table, &new);
		return;
	}
	if (synchronous)
		gsi_apply_now(table);
	meta_index_replace(table, &new);
}

/*
 * Also one that is being made.  The worker is not in the middle of it, since
 * that takes a lock of the table, of which the caller has the strongest.
 */
void
gsi_drop(const ItemTable *table, const ItemIndex *index)
{
	gsi_state_forget(store_index_relid(table, index));
	meta_drop_index_table(table->schema_name, index->relation_name,
						  DROP_RESTRICT);
	meta_index_delete(table, index->name);
}

/*
 * The relations that hold a table's rows, locked; so is the table.
 */
List *
gsi_leaves(const ItemTable *table, LOCKMODE lockmode)
{
	LockRelationOid(table->relid, lockmode);
	if (table->partitioned)
		return find_inheritance_children(table->relid, lockmode);
	return list_make1_oid(table->relid);
}

/*
 * Fills a new index table, or one that has been emptied, as its owner.  Its
 * indexes, if it has any, must be built afterwards.
 */
static void
fill(const ItemTable *table, const ItemIndex *index, Oid relid, List *leaves)
{
	Filling		filling = {0};
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());

	filling.store.table = table;
	filling.store.index = index;
	filling.store.rel = table_open(relid, AccessExclusiveLock);
	store_index_set_columns(&filling.store);
	filling.slot = MakeSingleTupleTableSlot(RelationGetDescr(filling.store.rel),
											&TTSOpsVirtual);
	filling.bulk = GetBulkInsertState();

	gsi_each_item(table, leaves, snapshot, fill_item, &filling);

	FreeBulkInsertState(filling.bulk);
	table_finish_bulk_insert(filling.store.rel, TABLE_INSERT_SKIP_FSM);
	ExecDropSingleTupleTableSlot(filling.slot);
	table_close(filling.store.rel, NoLock);
	UnregisterSnapshot(snapshot);
	CommandCounterIncrement();
}

static void
fill_item(const ItemKey *key, const ItemRow *row, void *arg)
{
	Filling    *filling = arg;
	const StoreIndex *store = &filling->store;
	GsiEntry	entry;
	ItemData   *attributes;

	if (!gsi_entry_make(store->index, row, &entry))
		return;
	attributes = gsi_entry_attributes(store->table, store->index, row,
									  &entry);
	if (filling->bulk == NULL)
	{
		gsi_insert_entry(store, &entry, key, attributes);
		return;
	}
	gsi_entry_to_slot(store, &entry, key, attributes, filling->slot);
	table_tuple_insert(store->rel, filling->slot, GetCurrentCommandId(true),
					   TABLE_INSERT_SKIP_FSM, filling->bulk);
}

/*
 * Empties an index table, in a way that a rollback undoes, and fills it.
 */
static void
remake(const ItemTable *table, const ItemIndex *index, Oid relid,
	   List *leaves)
{
	Relation	rel = table_open(relid, AccessExclusiveLock);
	MetaOwner	owner;
	int			nest;

	CheckTableNotInUse(rel, "rebuild_index()");
	meta_become_owner(relid, &owner);
	nest = gsi_restrict_search_path();
	gsi_truncate(rel);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	fill(table, index, relid, leaves);
	compat_reindex_relation(relid);
	CommandCounterIncrement();
	AtEOXact_GUC(false, nest);
	meta_become_caller(&owner);
}

/*
 * Callback of TRUNCATE.  The locks are those of TRUNCATE or stronger.
 */
void
gsi_truncated(const ItemTable *table)
{
	table = meta_table(table->relid);
	for (int i = 0; i < table->nindexes; i++)
	{
		if (table->indexes[i].global)
			gsi_rebuild(table, &table->indexes[i]);
	}
}

/*
 * Callback of DDL: a table got a partition, or has lost some.
 */
void
gsi_partition_changed(Oid relid, Oid partition)
{
	const ItemTable *table = meta_table(relid);

	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];

		if (!index->global)
			continue;
		if (!OidIsValid(partition))
			gsi_rebuild(table, index);
		else
			add_leaf(table, index, partition);
	}
}

/* The entries of a partition that has come, which we have locked. */
static void
add_leaf(const ItemTable *table, const ItemIndex *index, Oid leaf)
{
	Filling		filling = {0};
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	MetaOwner	owner;

	meta_add_statement_triggers(table->relid, list_make1_oid(leaf),
								index->unique_key);
	store_index_open(table, index, RowExclusiveLock, &filling.store);
	meta_become_owner(RelationGetRelid(filling.store.rel), &owner);
	gsi_each_item(table, list_make1_oid(leaf), snapshot, fill_item, &filling);
	meta_become_caller(&owner);
	store_index_close(&filling.store);
	UnregisterSnapshot(snapshot);
}
