/*
 * gsi_guard.c
 *	  Keeps index tables from being changed by anybody but their maintenance.
 *
 * The maintenance uses the access methods, which fire no triggers.  All others
 * meet the guard, a trigger that is there BEFORE any change.  It refuses,
 * except where what is asked for has been done already: a restore, or logical
 * replication, that brings item table and index table brings every entry
 * twice, since the items have brought theirs along.  To an asynchronous index
 * they bring them later, maybe others than were there at the time of the dump;
 * so there it is enough that the item is there.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "gsi/gsi_private.h"

PG_FUNCTION_INFO_V1(index_guard);

/* The table that is being emptied by us; see gsi_truncate(). */
static Oid	truncating = InvalidOid;

/* An entry that is looked for. */
typedef struct Wanted
{
	StoreIndex	store;
	ItemRef		attributes;
	bool		found;
} Wanted;

static bool is_there(Relation rel, StoreIndex *store, TupleTableSlot *slot);
static bool has_nulls(TupleTableSlot *slot);
static bool has_item(Relation rel, StoreIndex *store, TupleTableSlot *slot);
static bool compare_entry(TupleTableSlot *slot, void *arg);
pg_noreturn static void refuse(Relation rel, const StoreIndex *store);

/*
 * TRUNCATE of an index table, of which the guard is told.
 */
void
gsi_truncate(Relation rel)
{
	PG_TRY();
	{
		truncating = RelationGetRelid(rel);
		compat_truncate(rel);
	}
	PG_FINALLY();
	{
		truncating = InvalidOid;
	}
	PG_END_TRY();
}

/*
 * The trigger: BEFORE INSERT OR UPDATE OR DELETE, FOR EACH ROW, and BEFORE
 * TRUNCATE, FOR EACH STATEMENT.
 */
Datum
index_guard(PG_FUNCTION_ARGS)
{
	TriggerData *data = (TriggerData *) fcinfo->context;
	Relation	rel;
	StoreIndex	store;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(data->tg_event) ||
		!(TRIGGER_FIRED_FOR_ROW(data->tg_event) ||
		  TRIGGER_FIRED_BY_TRUNCATE(data->tg_event)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function must be called as a trigger BEFORE a change, FOR EACH ROW")));
	rel = data->tg_relation;

	/* in a restore, the catalog may be later than the table */
	if (RelationGetRelid(rel) == truncating ||
		!store_index_of_relation(rel, &store))
		return PointerGetDatum(TRIGGER_FIRED_BY_UPDATE(data->tg_event) ?
							   data->tg_newtuple : data->tg_trigtuple);
	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
		return PointerGetDatum(NULL);
	if (TRIGGER_FIRED_BY_INSERT(data->tg_event) &&
		(is_there(rel, &store, data->tg_trigslot) ||
		 (!store.index->synchronous && has_item(rel, &store, data->tg_trigslot))))
		return PointerGetDatum(NULL);
	refuse(rel, &store);
}

/* Is a row that is to be inserted there already, equal in all? */
static bool
is_there(Relation rel, StoreIndex *store, TupleTableSlot *slot)
{
	TupleTableSlot *found;
	Wanted		wanted = {0};
	ItemKey		key;
	ItemKey		base;
	bool		isnull;

	if (has_nulls(slot))
		return false;
	store_index_open(store->table, store->index, RowExclusiveLock,
					 &wanted.store);
	store_index_key(&wanted.store, slot, &key);
	store_index_base_key(&wanted.store, slot, &base);
	wanted.attributes =
		item_root(DatumGetItemPP(slot_getattr(slot,
											  wanted.store.facts.attributes_attnum,
											  &isnull)));
	found = table_slot_create(rel, NULL);
	(void) gsi_find(&wanted.store, &key, &base, SnapshotSelf, found,
					compare_entry, &wanted);
	ExecDropSingleTupleTableSlot(found);
	store_index_close(&wanted.store);
	return wanted.found;
}

/* Is a column of ours, or another one, null? */
static bool
has_nulls(TupleTableSlot *slot)
{
	slot_getallattrs(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		if (slot->tts_isnull[i])
			return true;
	}
	return false;
}

/* Is the item there that a row is of? */
static bool
has_item(Relation rel, StoreIndex *store, TupleTableSlot *slot)
{
	ItemStore  *base;
	TupleTableSlot *item;
	ItemKey		key;
	ItemRef		attributes;
	bool		result;

	if (has_nulls(slot))
		return false;
	base = store_open(store->table, NULL, ACL_SELECT);
	store->rel = rel;
	store_index_set_columns(store);
	store_index_base_key(store, slot, &key);
	result = store_try_route(base, &key);
	if (!result)
	{
		store_close(base);
		return false;
	}
	item = table_slot_create(base->rel, NULL);
	result = gsi_find_item(store->table, base->rel, &key, SnapshotSelf, item,
						   &attributes);
	ExecDropSingleTupleTableSlot(item);
	store_close(base);
	return result;
}

static bool
compare_entry(TupleTableSlot *slot, void *arg)
{
	Wanted	   *wanted = arg;
	bool		isnull;
	Datum		attributes = slot_getattr(slot,
										  wanted->store.facts.attributes_attnum,
										  &isnull);

	wanted->found = item_ref_equal(item_root(DatumGetItemPP(attributes)),
								   wanted->attributes);
	return !wanted->found;
}

static void
refuse(Relation rel, const StoreIndex *store)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("cannot change index table \"%s\"",
					RelationGetRelationName(rel)),
			 errdetail("It follows item table \"%s\" as its index \"%s\".",
					   store->table->table_name, store->index->name),
			 errhint("Change the item table. partitioning.rebuild_index() repairs an index.")));
}
