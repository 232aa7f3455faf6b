/*
 * store_relation.c
 *	  What must be known of a relation before its rows can be reached: columns,
 *	  key index, and whether anything else takes part in a write.
 *
 * Finding this out opens every index of the relation, so it is kept per
 * backend until the relation's relcache entry is invalidated.  That is enough:
 * adding, dropping, swapping or invalidating an index, and every change of
 * columns and constraints, sends an invalidation for the table; whoever then
 * opens it anew, with a lock, sees it.  Privileges are not kept.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/nbtree.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "nodes/readfuncs.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "store/store.h"
#include "store/store_private.h"

static const char *const key_columns[KEY_MAX_ATTRIBUTES] = {
	META_PK_COLUMN, META_SK_COLUMN
};

static HTAB *relations = NULL;

/* The one asked for last, which mostly is the next as well. */
static StoreRelation latest;

/* Counts invalidations, to notice one that arrives while facts are read. */
static uint64 invalidations = 0;

static void relation_invalidate(Datum arg, Oid relid);
static void relation_keep(const StoreRelation *info);
static void relation_fill(Relation rel, const ItemTable *table,
						  StoreRelation *info);
static void lookup_fill(StoreRelation *info, const KeySchema *schema);
static Oid	item_type(void);
static Relation key_index_open(Relation rel, const KeySchema *schema,
							   const StoreRelation *info);
static bool key_index_suits(Relation index, const KeySchema *schema,
							const StoreRelation *info);
static bool key_is_bytes(Relation index, const KeySchema *schema);
static Oid	logical_index(Relation rel, const ItemTable *table);
static void key_index_equality(Relation index, int column, ScanKey key);
static bool checks_are_ours(const TupleConstr *constr);
static bool relation_is_plain(Relation rel, const KeySchema *schema,
							  const StoreRelation *info);

/* Called once at start-up. */
void
store_init(void)
{
	CacheRegisterRelcacheCallback(relation_invalidate, (Datum) 0);
	store_keylock_init();
	store_conflict_init();
}

/*
 * Facts about a relation with storage, which the caller has open and locked.
 * ereports when it is no item table that can be used.
 */
void
store_relation_get(Relation rel, const ItemTable *table, StoreRelation *info)
{
	Oid			relid = RelationGetRelid(rel);
	uint64		invalidations_before = invalidations;

	if (relid == latest.relid && table->serial == latest.serial)
	{
		*info = latest;
		return;
	}
	if (relations != NULL)
	{
		StoreRelation *entry;

		entry = hash_search(relations, &relid, HASH_FIND, NULL);
		if (entry != NULL && entry->serial == table->serial)
		{
			latest = *entry;
			*info = latest;
			return;
		}
	}

	memset(info, 0, sizeof(*info));
	info->relid = relid;
	info->serial = table->serial;
	relation_fill(rel, table, info);
	if (invalidations == invalidations_before)
		relation_keep(info);
}

/* Relcache callback: forgets one relation, or all. */
static void
relation_invalidate(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	StoreRelation *entry;

	invalidations++;
	latest.relid = InvalidOid;
	if (relations == NULL)
		return;
	if (OidIsValid(relid))
	{
		hash_search(relations, &relid, HASH_REMOVE, NULL);
		return;
	}
	hash_seq_init(&status, relations);
	while ((entry = hash_seq_search(&status)) != NULL)
		hash_search(relations, &entry->relid, HASH_REMOVE, NULL);
}

static void
relation_keep(const StoreRelation *info)
{
	StoreRelation *entry;

	if (relations == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(Oid);
		ctl.entrysize = sizeof(StoreRelation);
		relations = hash_create("item table relations", 32, &ctl,
								HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(relations, &info->relid, HASH_ENTER, NULL);
	*entry = *info;
}

static void
relation_fill(Relation rel, const ItemTable *table, StoreRelation *info)
{
	const KeySchema *schema = &table->schema;
	Relation	index;

	for (int i = 0; i < schema->n; i++)
	{
		info->key_attnums[i] = store_column_find(rel, key_columns[i],
										   key_column_type(schema->attributes[i].type));
		info->last_attnum = Max(info->last_attnum, info->key_attnums[i]);
	}
	info->attributes_attnum = store_column_find(rel, META_ATTRIBUTES_COLUMN,
										  item_type());
	info->last_attnum = Max(info->last_attnum, info->attributes_attnum);

	index = key_index_open(rel, schema, info);
	info->key_index = RelationGetRelid(index);
	for (int i = 0; i < schema->n; i++)
		key_index_equality(index, i, &info->equal_keys[i]);
	index_close(index, NoLock);

	info->lookup_index = info->key_index;
	if (store_has_logical_index(table))
		info->lookup_index = logical_index(rel, table);
	lookup_fill(info, schema);
	store_locals_fill(rel, table, info);
	info->plain = relation_is_plain(rel, schema, info);
	info->user_triggers = store_user_triggers(rel);
}

/*
 * How keys are looked up.  The index that serves for it need not be of the key
 * index's access method: its owner may have made it himself.
 */
static void
lookup_fill(StoreRelation *info, const KeySchema *schema)
{
	Relation	index = index_open(info->lookup_index, AccessShareLock);

	if (!meta_method_of(index->rd_rel->relam, &info->method))
		elog(ERROR, "index %u is no key index", info->lookup_index);
	info->key_is_bytes = key_is_bytes(index, schema);
	index_close(index, NoLock);
}

static Oid
item_type(void)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum("item"),
						   ObjectIdGetDatum(get_namespace_oid("partitioning",
															  false)));
}

/*
 * Column of that name and type.  The type decides how bytes are read, so a
 * table whose catalog row says something else must not get through.
 */
AttrNumber
store_column_find(Relation rel, const char *name, Oid type)
{
	TupleDesc	desc = RelationGetDescr(rel);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (att->attisdropped || strcmp(NameStr(att->attname), name) != 0)
			continue;
		if (att->atttypid != type)
			break;
		return att->attnum;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" does not have the columns of an item table",
					RelationGetRelationName(rel)),
			 errdetail("Column \"%s\" is missing or has another type.", name)));
}

/*
 * Opens the key index: the unique index on exactly (pk [, sk]) in hash order.
 * The replica identity comes first, since it is what the table was made with.
 * An index under REINDEX CONCURRENTLY has a twin that is not valid yet or not
 * any more; it is passed over.  The lock stays to the end of the transaction.
 */
static Relation
key_index_open(Relation rel, const KeySchema *schema,
			   const StoreRelation *info)
{
	List	   *indexes = RelationGetIndexList(rel);
	Oid			identity = RelationGetReplicaIndex(rel);
	ListCell   *lc;

	if (OidIsValid(identity))
		indexes = lcons_oid(identity, indexes);
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (key_index_suits(index, schema, info))
		{
			list_free(indexes);
			return index;
		}
		index_close(index, AccessShareLock);
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("item table \"%s\" has no usable key index",
					RelationGetRelationName(rel)),
			 schema->n > 1 ?
			 errdetail("There is no valid, unique, not deferrable index in hash order on its columns \"pk\", \"sk\".") :
			 errdetail("There is no valid, unique, not deferrable index in hash order on its column \"pk\"."),
			 errhint("REINDEX repairs an invalid index; partitioning.register_table() makes a missing one.")));
}

static bool
key_index_suits(Relation index, const KeySchema *schema,
				const StoreRelation *info)
{
	Form_pg_index form = index->rd_index;
	IndexMethod method;

	if (!meta_method_of(index->rd_rel->relam, &method) ||
		!form->indisunique || !form->indimmediate || !form->indisvalid ||
		!form->indisready || form->indnatts != schema->n)
		return false;
	if (!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL))
		return false;
	for (int i = 0; i < schema->n; i++)
	{
		/* a sort key of type text is in byte order, none is descending */
		if (form->indkey.values[i] != info->key_attnums[i] ||
			store_is_hash_order(index->rd_opfamily[i],
								index->rd_opcintype[i]) != (i == 0) ||
			(index->rd_indoption[i] & INDOPTION_DESC) != 0 ||
			(OidIsValid(index->rd_indcollation[i]) &&
			 index->rd_indcollation[i] != C_COLLATION_OID))
			return false;
	}
	return true;
}

/*
 * Hash order families live in our schema, whatever the access method, and
 * compare with a hash, unlike those in natural order.
 */
bool
store_is_hash_order(Oid opfamily, Oid type)
{
	HeapTuple	tuple;
	bool		result;

	tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(opfamily));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", opfamily);
	result = ((Form_pg_opfamily) GETSTRUCT(tuple))->opfnamespace ==
		get_namespace_oid("partitioning", false);
	ReleaseSysCache(tuple);
	return result && OidIsValid(get_opfamily_member(opfamily, type, INT4OID,
													BTLessStrategyNumber));
}

/*
 * Does comparing bytes, after the hash of the first, tell the index's order?
 */
static bool
key_is_bytes(Relation index, const KeySchema *schema)
{
	for (int i = 0; i < schema->n; i++)
	{
		if (schema->attributes[i].type == ITEM_N)
			return false;
		if (i > 0 && index->rd_opfamily[i] != TEXT_BTREE_FAM_OID &&
			index->rd_opfamily[i] != BYTEA_BTREE_FAM_OID)
			return false;
	}
	return true;
}

/* The index of keys without shards. */
static Oid
logical_index(Relation rel, const ItemTable *table)
{
	Oid			index = meta_find_logical_index(rel, &table->schema);

	if (!OidIsValid(index))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("item table \"%s\" has no usable index on its keys without shards",
						RelationGetRelationName(rel)),
				 errdetail("There is no valid, unique, not deferrable index in hash order on partitioning.shard_base(pk), sk."),
				 errhint("REINDEX repairs an invalid index; partitioning.register_table() makes a missing one.")));
	return index;
}

/* A scan key "column = ?" for a column of the key index. */
static void
key_index_equality(Relation index, int column, ScanKey key)
{
	FmgrInfo	equal;

	fmgr_info_cxt(store_index_operator(index, column,
									   index->rd_opcintype[column],
									   BTEqualStrategyNumber),
				  &equal, CacheMemoryContext);
	ScanKeyEntryInitializeWithInfo(key, 0, column + 1, BTEqualStrategyNumber,
								   InvalidOid, index->rd_indcollation[column],
								   &equal, (Datum) 0);
}

/*
 * Function of the operator of this strategy between a column of an index and
 * a right-hand type.
 */
Oid
store_index_operator(Relation index, int column, Oid type,
					 StrategyNumber strategy)
{
	Oid			operator;

	operator = get_opfamily_member(index->rd_opfamily[column],
								   index->rd_opcintype[column], type,
								   strategy);
	if (!OidIsValid(operator))
		elog(ERROR, "missing operator %d(%u,%u) in operator family %u",
			 strategy, index->rd_opcintype[column], type,
			 index->rd_opfamily[column]);
	return get_opcode(operator);
}

/*
 * Is a row nothing but keys, attributes and columns of local indexes, with no
 * constraint of others, no other generated column, and no index but ours?
 * Dropped columns are NULL.
 */
static bool
relation_is_plain(Relation rel, const KeySchema *schema,
				  const StoreRelation *info)
{
	TupleDesc	desc = RelationGetDescr(rel);
	List	   *indexes = RelationGetIndexList(rel);
	int			nindexes = list_length(indexes);
	int			ncolumns = 0;

	list_free(indexes);
	if (nindexes != 1 + store_locals_indexes(info))
		return false;
	for (int i = 0; i < desc->natts; i++)
	{
		if (!TupleDescAttr(desc, i)->attisdropped)
			ncolumns++;
	}
	if (ncolumns != schema->n + 1 + info->nlocals)
		return false;
	return store_generated_are_ours(rel, info) &&
		(desc->constr == NULL || checks_are_ours(desc->constr));
}

/*
 * Are all check constraints calls of check_item() or check_shard()?  What
 * these check is known
 * of every row that the item functions write, so it need not run.  The name
 * of a constraint would prove nothing.
 */
static bool
checks_are_ours(const TupleConstr *constr)
{
	for (int i = 0; i < constr->num_check; i++)
	{
		Node	   *expr = stringToNode(constr->check[i].ccbin);
		Oid			function = IsA(expr, FuncExpr) ?
			((FuncExpr *) expr)->funcid : InvalidOid;

		if (!OidIsValid(function))
			return false;
		if (!meta_is_shard_check_function(function) &&
			(get_func_namespace(function) !=
			 get_namespace_oid("partitioning", false) ||
			 strcmp(get_func_name(function), "check_item") != 0))
			return false;
	}
	return true;
}
