/*
 * store_local.c
 *	  Columns and entries of local indexes, for rows that are written by the
 *	  access methods alone.
 *
 * A local index has a stored generated column in the item table, and an index
 * of its rows that have a value there.  What the executor would compute and
 * enter is done here in the same way; the column's expression and this file
 * both come to key_index_value().
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "nodes/execnodes.h"
#include "nodes/readfuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "store/store.h"
#include "store/store_private.h"

static const StoreLocal *find_local(const ItemStore *store,
									const ItemIndex *index);
static bool column_is_listed(const StoreRelation *info, AttrNumber attnum);
static bool column_is_ours(const TupleConstr *constr, AttrNumber attnum);
static void insert_entry(ItemStore *store, const StoreLocal *local,
						 const ItemKey *key, TupleTableSlot *slot,
						 bool unchanged);
static bool column_unchanged(const StoreLocal *local, TupleTableSlot *slot,
							 StoreRow *old_row);

#define LOCAL_KEYS	3			/* pk, the column, sk */

/* The index, one of them, that a column belongs to. */
#define local_index(store, local) \
	(&(store)->table->indexes[(local)->ordinal])

/*
 * Finds the columns and indexes of a table's local indexes; those on the
 * table's own sort key have none.
 */
void
store_locals_fill(Relation rel, const ItemTable *table, StoreRelation *info)
{
	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];
		StoreLocal *local = &info->locals[info->nlocals];
		AttrNumber	attnum;

		if (index->global || strcmp(index->column_name, META_SK_COLUMN) == 0)
			continue;
		attnum = store_column_find(rel, index->column_name,
								   key_column_type(index->keys[1].attribute.type));
		if (column_is_listed(info, attnum))
			continue;
		if (info->nlocals == LIMIT_LOCAL_INDEXES)
			elog(ERROR, "item table \"%s\" has more than %d local indexes",
				 table->table_name, LIMIT_LOCAL_INDEXES);
		local->attnum = attnum;
		local->ordinal = i;
		local->index = meta_find_local_index(rel, &table->schema,
											 index->column_name);
		info->nlocals++;
	}
}

static bool
column_is_listed(const StoreRelation *info, AttrNumber attnum)
{
	for (int i = 0; i < info->nlocals; i++)
	{
		if (info->locals[i].attnum == attnum)
			return true;
	}
	return false;
}

/*
 * Are the generated columns of a relation those of local indexes, and no
 * others?
 */
bool
store_generated_are_ours(Relation rel, const StoreRelation *info)
{
	TupleDesc	desc = RelationGetDescr(rel);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (!att->attisdropped && att->attgenerated != '\0' &&
			!column_is_listed(info, att->attnum))
			return false;
	}
	for (int i = 0; i < info->nlocals; i++)
	{
		if (!column_is_ours(desc->constr, info->locals[i].attnum))
			return false;
	}
	return true;
}

/* Is the expression of a column a call of one of our functions? */
static bool
column_is_ours(const TupleConstr *constr, AttrNumber attnum)
{
	for (int i = 0; constr != NULL && i < constr->num_defval; i++)
	{
		FuncExpr   *call;

		if (constr->defval[i].adnum != attnum)
			continue;
		call = stringToNode(constr->defval[i].adbin);
		return IsA(call, FuncExpr) &&
			meta_is_column_function(call->funcid);
	}
	return false;
}

/* Number of the indexes behind local indexes. */
int
store_locals_indexes(const StoreRelation *info)
{
	int			n = 0;

	for (int i = 0; i < info->nlocals; i++)
		n += OidIsValid(info->locals[i].index) ? 1 : 0;
	return n;
}

Oid
store_local_index(const ItemStore *store, const ItemIndex *index)
{
	const StoreLocal *local;

	if (strcmp(index->column_name, META_SK_COLUMN) == 0)
		return store->relation.key_index;
	local = find_local(store, index);
	if (local != NULL)
		return local->index;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("local index \"%s\" of item table \"%s\" cannot be read",
					index->name, RelationGetRelationName(store->rel)),
			 errdetail("There is no valid index on columns \"pk\", \"%s\", \"sk\".",
					   index->column_name),
			 errhint("REINDEX repairs an invalid index; partitioning.register_table() makes a missing one.")));
}

/* The column of a local index that can be read. */
AttrNumber
store_local_column(const ItemStore *store, const ItemIndex *index)
{
	return find_local(store, index)->attnum;
}

static const StoreLocal *
find_local(const ItemStore *store, const ItemIndex *index)
{
	for (int i = 0; i < store->relation.nlocals; i++)
	{
		const StoreLocal *local = &store->relation.locals[i];

		if (OidIsValid(local->index) &&
			strcmp(local_index(store, local)->column_name,
				   index->column_name) == 0)
			return local;
	}
	return NULL;
}

/* Computes the columns of local indexes in a row that is being made. */
void
store_locals_set(ItemStore *store, const ItemKey *key,
				 const ItemData *attributes, TupleTableSlot *slot)
{
	ItemRow		row;

	if (store->relation.nlocals == 0)
		return;
	store_row_of_key(store->table, key, &row);
	row.attributes = item_root(attributes);
	for (int i = 0; i < store->relation.nlocals; i++)
	{
		const StoreLocal *local = &store->relation.locals[i];
		const KeyIndexAttribute *sort = &local_index(store, local)->keys[1];
		int			column = local->attnum - 1;
		ItemRef		value;

		slot->tts_isnull[column] = !key_index_value(sort, &row, &value) ||
			!key_index_fits(sort, value);
		if (!slot->tts_isnull[column])
			slot->tts_values[column] = key_datum_from_ref(value);
	}
}

/* Complains about entries that are too large for their index. */
void
store_locals_check(ItemStore *store, TupleTableSlot *slot)
{
	const StoreRelation *relation = &store->relation;

	for (int i = 0; i < relation->nlocals; i++)
	{
		Datum		values[LOCAL_KEYS];
		bool		isnull[LOCAL_KEYS];

		values[0] = slot_getattr(slot, relation->key_attnums[0], &isnull[0]);
		values[1] = slot_getattr(slot, relation->locals[i].attnum, &isnull[1]);
		values[2] = slot_getattr(slot, relation->key_attnums[1], &isnull[2]);
		if (!isnull[1])
			key_check_entry_size(local_index(store, &relation->locals[i])->name,
								 LOCAL_KEYS, values, KEY_BTREE_LIMIT);
	}
}

/*
 * Enters a row in the local indexes.  old_row is the one that it replaces, or
 * NULL.
 */
void
store_locals_insert(ItemStore *store, const ItemKey *key,
					TupleTableSlot *slot, StoreRow *old_row)
{
	for (int i = 0; i < store->relation.nlocals; i++)
	{
		const StoreLocal *local = &store->relation.locals[i];

		if (OidIsValid(local->index) &&
			!slot->tts_isnull[local->attnum - 1])
			insert_entry(store, local, key, slot,
						 column_unchanged(local, slot, old_row));
	}
}

static void
insert_entry(ItemStore *store, const StoreLocal *local, const ItemKey *key,
			 TupleTableSlot *slot, bool unchanged)
{
	Relation	index = index_open(local->index, RowExclusiveLock);
	IndexInfo	info = {.type = T_IndexInfo};
	bool		isnull[LOCAL_KEYS] = {false};
	Datum		values[LOCAL_KEYS];

	info.ii_NumIndexAttrs = LOCAL_KEYS;
	info.ii_NumIndexKeyAttrs = LOCAL_KEYS;
	info.ii_ReadyForInserts = true;
	info.ii_Am = index->rd_rel->relam;
	info.ii_Context = CurrentMemoryContext;
	info.ii_IndexAttrNumbers[0] = store->relation.key_attnums[0];
	info.ii_IndexAttrNumbers[1] = local->attnum;
	info.ii_IndexAttrNumbers[2] = store->relation.key_attnums[1];
	values[0] = key->datums[0];
	values[1] = slot->tts_values[local->attnum - 1];
	values[2] = key->datums[1];
	(void) index_insert(index, values, isnull, &slot->tts_tid, store->rel,
						UNIQUE_CHECK_NO, unchanged, &info);
	compat_index_insert_cleanup(index, &info);
	index_close(index, NoLock);
}

/*
 * Has the row that is replaced the same value?  For the index this is a hint
 * that older entries of the row may be worth removing.
 */
static bool
column_unchanged(const StoreLocal *local, TupleTableSlot *slot,
				 StoreRow *old_row)
{
	Datum		old_value;
	bool		isnull;

	if (old_row == NULL)
		return false;
	old_value = slot_getattr(old_row->slot, local->attnum, &isnull);
	return !isnull &&
		datum_image_eq(old_value, slot->tts_values[local->attnum - 1], false,
					   -1);
}
