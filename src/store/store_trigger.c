/*
 * store_trigger.c
 *	  Who is told that a row of an item table has changed; the one row trigger
 *	  of an item table.
 *
 * Folders above register at start-up; store/ never calls up by name.  Every
 * change ends here, in its transaction: one of the direct path by a call of
 * store_row_changed(), one of plain SQL, COPY or logical replication by the
 * trigger, which is there from the making of the table and fires ALWAYS.  The
 * direct path leaves the trigger out, which saves the queue of trigger
 * events.
 *
 * Statement triggers, on tables where someone needs them, tell where the
 * changes of one statement begin and end.  Logical replication, which applies
 * rows one by one, fires none.
 *
 * For a row that came into being the trigger also does what the direct path
 * does around its insertion: see store_keylock.c.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "catalog/pg_collation.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "store/store.h"
#include "store/store_private.h"

PG_FUNCTION_INFO_V1(item_changed);

#define MAX_CALLBACKS	8

/* What the trigger knows of its table, for the length of a query. */
typedef struct TriggerTable
{
	const ItemTable *table;		/* NULL: not an item table any more */
	AttrNumber	key_attnums[KEY_MAX_ATTRIBUTES];
	AttrNumber	attributes_attnum;
	bool		user_triggers;	/* there are others */
} TriggerTable;

static StoreChangeCallback callbacks[MAX_CALLBACKS];
static int	ncallbacks = 0;
static StoreTruncateCallback truncate_callback = NULL;
static StoreStatementCallback statement_callback = NULL;

static void tell(const StoreChange *change);
static void check_call(FunctionCallInfo fcinfo);
static void tell_of_statement(const TriggerData *data,
							  const ItemTable *table);
static TriggerTable *trigger_table(FunctionCallInfo fcinfo, Relation rel);
static AttrNumber column_of(Relation rel, const char *name);
static void row_inserted(const TriggerTable *table, Relation rel,
						 TupleTableSlot *slot);
static void row_deleted(const TriggerTable *table, Relation rel,
						TupleTableSlot *slot);
static void row_updated(const TriggerTable *table, Relation rel,
						TupleTableSlot *old_slot, TupleTableSlot *new_slot);
static bool moved(const TriggerTable *table, const ItemKey *old_key,
				  const ItemKey *new_key);
static bool is_latest(Relation rel, TupleTableSlot *slot);
static void slot_key(const TriggerTable *table, TupleTableSlot *slot,
					 ItemKey *key);
static ItemRef slot_attributes(const TriggerTable *table,
							   TupleTableSlot *slot);

void
store_register_change_callback(StoreChangeCallback callback)
{
	if (ncallbacks == MAX_CALLBACKS)
		elog(ERROR, "too many callbacks for changed rows");
	callbacks[ncallbacks++] = callback;
}

void
store_register_truncate_callback(StoreTruncateCallback callback)
{
	if (truncate_callback != NULL)
		elog(ERROR, "too many callbacks for truncated tables");
	truncate_callback = callback;
}

void
store_register_statement_callback(StoreStatementCallback callback)
{
	if (statement_callback != NULL)
		elog(ERROR, "too many callbacks for statements");
	statement_callback = callback;
}

/*
 * Called by the direct path for each row that it has changed.
 */
void
store_row_changed(ItemStore *store, const ItemKey *key,
				  const StoreRow *old_row, const ItemData *new_attributes)
{
	StoreChange change = {
		.table = store->table,
		.rel = store->rel,
		.key = key,
		.latest = true
	};

	if (old_row == NULL)
		store_shard_check_new(store->table, store->rel, key);
	if (store->renewed && new_attributes != NULL)
		store_check_indexed(store->table, key, item_root(new_attributes));
	if (ncallbacks == 0)
		return;
	if (old_row != NULL)
		change.old_attributes = old_row->row.attributes;
	if (new_attributes != NULL)
		change.new_attributes = item_root(new_attributes);
	tell(&change);
}

static void
tell(const StoreChange *change)
{
	for (int i = 0; i < ncallbacks; i++)
		callbacks[i] (change);
}

/*
 * Does a relation have triggers of others?
 */
bool
store_user_triggers(Relation rel)
{
	TriggerDesc *triggers = rel->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		if (!meta_trigger_is_ours(&triggers->triggers[i]))
			return true;
	}
	return false;
}

/*
 * The trigger: AFTER INSERT OR UPDATE OR DELETE, FOR EACH ROW.  Where someone
 * wants to be told of them there are others FOR EACH STATEMENT: AFTER TRUNCATE;
 * BEFORE and AFTER INSERT OR UPDATE OR DELETE.
 */
Datum
item_changed(PG_FUNCTION_ARGS)
{
	TriggerData *data;
	TriggerTable *table;
	Relation	rel;

	check_call(fcinfo);
	data = (TriggerData *) fcinfo->context;
	rel = data->tg_relation;
	table = trigger_table(fcinfo, rel);
	if (table->table == NULL)
		return PointerGetDatum(NULL);

	if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event))
	{
		if (truncate_callback != NULL)
			truncate_callback(table->table);
	}
	else if (TRIGGER_FIRED_FOR_STATEMENT(data->tg_event))
		tell_of_statement(data, table->table);
	else if (TRIGGER_FIRED_BY_INSERT(data->tg_event))
		row_inserted(table, rel, data->tg_trigslot);
	else if (TRIGGER_FIRED_BY_DELETE(data->tg_event))
		row_deleted(table, rel, data->tg_trigslot);
	else
		row_updated(table, rel, data->tg_trigslot, data->tg_newslot);
	return PointerGetDatum(NULL);
}

static void
check_call(FunctionCallInfo fcinfo)
{
	TriggerData *data = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!(TRIGGER_FIRED_AFTER(data->tg_event) ||
		  (TRIGGER_FIRED_FOR_STATEMENT(data->tg_event) &&
		   !TRIGGER_FIRED_BY_TRUNCATE(data->tg_event))))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function must be called as a trigger AFTER a change, FOR EACH ROW")));
}

static void
tell_of_statement(const TriggerData *data, const ItemTable *table)
{
	if (statement_callback != NULL)
		statement_callback(table, RelationGetRelid(data->tg_relation),
						   TRIGGER_FIRED_BEFORE(data->tg_event));
}

static TriggerTable *
trigger_table(FunctionCallInfo fcinfo, Relation rel)
{
	TriggerTable *result = fcinfo->flinfo->fn_extra;

	if (result != NULL)
		return result;
	result = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
									sizeof(TriggerTable));
	result->table = meta_table_of_partition(RelationGetRelid(rel));
	if (result->table != NULL)
	{
		result->key_attnums[0] = column_of(rel, META_PK_COLUMN);
		if (result->table->schema.n > 1)
			result->key_attnums[1] = column_of(rel, META_SK_COLUMN);
		result->attributes_attnum = column_of(rel, META_ATTRIBUTES_COLUMN);
		result->user_triggers = store_user_triggers(rel);
	}
	fcinfo->flinfo->fn_extra = result;
	return result;
}

/* A partition may have its columns in another order than the table. */
static AttrNumber
column_of(Relation rel, const char *name)
{
	AttrNumber	attnum = get_attnum(RelationGetRelid(rel), name);

	if (attnum <= 0)
		elog(ERROR, "relation \"%s\" has no column \"%s\"",
			 RelationGetRelationName(rel), name);
	return attnum;
}

static void
row_inserted(const TriggerTable *table, Relation rel, TupleTableSlot *slot)
{
	StoreChange change = {
		.table = table->table,
		.rel = rel,
		.by_trigger = true
	};
	ItemKey		key;

	slot_key(table, slot, &key);
	store_keylock_pass(table->table, &key);
	store_shard_check_new(table->table, rel, &key);
	if (table->table->schema.nindexed > 0)
		store_check_indexed(table->table, &key, slot_attributes(table, slot));
	if (ncallbacks == 0)
		return;
	change.key = &key;
	change.new_attributes = slot_attributes(table, slot);
	change.latest = is_latest(rel, slot);
	tell(&change);
}

static void
row_deleted(const TriggerTable *table, Relation rel, TupleTableSlot *slot)
{
	StoreChange change = {
		.table = table->table,
		.rel = rel,
		.by_trigger = true
	};
	ItemKey		key;

	if (ncallbacks == 0)
		return;
	slot_key(table, slot, &key);
	change.key = &key;
	change.old_attributes = slot_attributes(table, slot);
	change.latest = !table->user_triggers;
	tell(&change);
}

static void
row_updated(const TriggerTable *table, Relation rel, TupleTableSlot *old_slot,
			TupleTableSlot *new_slot)
{
	StoreChange change = {
		.table = table->table,
		.rel = rel,
		.by_trigger = true
	};
	ItemKey		old_key;
	ItemKey		new_key;

	slot_key(table, old_slot, &old_key);
	slot_key(table, new_slot, &new_key);
	if (moved(table, &old_key, &new_key))
		store_shard_check_new(table->table, rel, &new_key);
	if (!key_equal(&old_key, &new_key))
	{
		row_deleted(table, rel, old_slot);
		row_inserted(table, rel, new_slot);
		return;
	}
	if (ncallbacks == 0 && table->table->schema.nindexed == 0)
		return;
	change.key = &new_key;
	change.old_attributes = slot_attributes(table, old_slot);
	change.new_attributes = slot_attributes(table, new_slot);
	/* a row that is older than an index may stay as it is */
	if (!item_ref_equal(change.old_attributes, change.new_attributes))
		store_check_indexed(table->table, &new_key, change.new_attributes);
	change.latest = is_latest(rel, new_slot);
	tell(&change);
}

/* Has a row gone to another shard? */
static bool
moved(const TriggerTable *table, const ItemKey *old_key,
	  const ItemKey *new_key)
{
	return table->table->schema.sharding.count > 0 &&
		!DatumGetBool(DirectFunctionCall2Coll(texteq, C_COLLATION_OID,
											  old_key->datums[0],
											  new_key->datums[0]));
}

/*
 * Refuses values of an item that cannot be keys of the table's indexes.  The
 * item functions have done so before they come here, in their own words; plain
 * SQL, and what triggers make of an item, is checked after the fact.
 */
void
store_check_indexed(const ItemTable *table, const ItemKey *key,
					ItemRef attributes)
{
	ItemRow		row;

	if (table->schema.nindexed == 0)
		return;
	store_row_of_key(table, key, &row);
	row.attributes = attributes;
	key_check_indexed(&table->schema, &row, false);
}

/* Fills in the keys of a row. */
void
store_row_of_key(const ItemTable *table, const ItemKey *key, ItemRow *row)
{
	row->nkeys = key->n;
	for (int i = 0; i < key->n; i++)
	{
		row->keys[i].name = table->schema.attributes[i].name;
		row->keys[i].name_len = table->schema.attributes[i].name_len;
		row->keys[i].value = key->refs[i];
	}
}

/*
 * Is a row still as the change has made it?  A trigger of a user may have
 * changed it again, whose event came first.
 */
static bool
is_latest(Relation rel, TupleTableSlot *slot)
{
	return table_tuple_satisfies_snapshot(rel, slot, SnapshotSelf);
}

/* The columns are NOT NULL. */
static void
slot_key(const TriggerTable *table, TupleTableSlot *slot, ItemKey *key)
{
	const KeySchema *schema = &table->table->schema;

	key->n = schema->n;
	for (int i = 0; i < schema->n; i++)
	{
		bool		isnull;

		key->datums[i] = slot_getattr(slot, table->key_attnums[i], &isnull);
		key->refs[i] = key_part_from_datum(schema, i, key->datums[i]);
	}
}

static ItemRef
slot_attributes(const TriggerTable *table, TupleTableSlot *slot)
{
	bool		isnull;

	return item_root(DatumGetItemP(slot_getattr(slot,
												table->attributes_attnum,
												&isnull)));
}
