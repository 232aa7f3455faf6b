/*
 * store_open.c
 *	  The one resolver: from an item table and a key to the relation to open.
 *
 * Opening a relation in C skips every check that the executor makes, so all
 * of them stand here and run on every call: privileges of the current user
 * on the table as named, row security, rules, read-only transactions,
 * recovery.  Today the result is the table itself or the hash partition of
 * the key.  Whatever else may hold the rows one day (a shard elsewhere) is
 * decided here, and a relation without rows of its own is an error, because
 * reading it would look like an empty table.
 *
 * Relations stay locked to the end of the transaction, as after any SQL
 * statement.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_namespace.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "parser/parse_relation.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "pgstat.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/service_text.h"
#include "store/store.h"
#include "store/store_private.h"

static void check_writable(const ItemTable *table, AclMode access);
static Relation open_named(const ItemTable *table, LOCKMODE lockmode,
						   StoreWait *wait);
static void lock_relation(Oid relid, LOCKMODE lockmode, StoreWait *wait);
static AclMode required_privileges(const ItemStore *store);
static void check_privileges(Relation rel, const ItemTable *table,
							 AclMode access);
static void check_privilege(Relation rel, const ItemTable *table,
							AclMode mode);
static bool columns_permit(Relation rel, const ItemTable *table, AclMode mode);
static void ask_permission_hook(ItemStore *store);
static void check_row_security(Relation rel);
static void check_rules(Relation rel, AclMode access);
static void check_storage(Relation rel, Relation named);
static Oid	leaf_for_key(Relation parent, Datum pk);
static void check_partitioning(Relation parent);
static void enter_relation(ItemStore *store, Relation rel);
static void leave_relation(ItemStore *store);

ItemStore *
store_open(const ItemTable *table, const ItemKey *key, AclMode access)
{
	ItemStore  *store = store_prepare(table, access, false, NULL);

	store_begin_statement(store);
	if (key != NULL)
		store_route(store, key);
	return store;
}

ItemStore *
store_prepare(const ItemTable *table, AclMode access, bool locks_rows,
			  StoreWait *wait)
{
	ItemStore  *store;

	if ((access & STORE_WRITES) != 0)
		check_writable(table, access);
	else if (locks_rows)
		PreventCommandIfReadOnly("SELECT FOR SHARE");
	store = palloc(sizeof(ItemStore));
	memset(store, 0, offsetof(ItemStore, relation));
	store->table = table;
	store->access = access;
	store->locks_rows = locks_rows;
	store->wait = wait;
	store->named = open_named(table, STORE_LOCKMODE(store), wait);
	store->table = meta_table(table->relid);
	store->renewed = store->table != table;
	check_privileges(store->named, table, required_privileges(store));
	if (ExecutorCheckPerms_hook != NULL)
		ask_permission_hook(store);
	check_row_security(store->named);
	check_rules(store->named, access);

	if (store->named->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		enter_relation(store, store->named);
	else if ((access & STORE_WRITES) != 0)
		store->named_triggers = store_user_triggers(store->named);
	return store;
}

ItemStore *
store_attach(Relation rel)
{
	ItemStore  *store = palloc(sizeof(ItemStore));

	memset(store, 0, offsetof(ItemStore, relation));
	store->table = meta_table(RelationGetRelid(rel));
	store->access = ACL_SELECT;
	store->named = rel;
	check_storage(rel, rel);
	enter_relation(store, rel);
	return store;
}

void
store_detach(ItemStore *store)
{
	leave_relation(store);
	pfree(store);
}

void
store_begin_statement(ItemStore *store)
{
	if ((store->access & STORE_WRITES) == 0)
		return;
	store->in_statement = true;
	if (store->named_triggers)
		store_executor_begin(store);
	if (store->rel != NULL)
		store_writes_begin(store);
}

void
store_end_statement(ItemStore *store)
{
	store->in_statement = false;
	if (store->write != NULL)
		store_executor_end(store);
}

/* The executor's ExecCheckXactReadOnly(), for one relation. */
static void
check_writable(const ItemTable *table, AclMode access)
{
	const char *command = (access & ACL_INSERT) != 0 ? "INSERT" :
		(access & ACL_UPDATE) != 0 ? "UPDATE" : "DELETE";

	if (XactReadOnly && !isTempNamespace(get_rel_namespace(table->relid)))
		PreventCommandIfReadOnly(command);
	PreventCommandIfParallelMode(command);
}

/*
 * Opens the table as named.  The descriptor was found without a lock: the
 * table may have been dropped, or made anew with another key, meanwhile.
 */
static Relation
open_named(const ItemTable *table, LOCKMODE lockmode, StoreWait *wait)
{
	Relation	rel;
	const ItemTable *now;

	/* try_table_open(), less a catalog lookup per call */
	lock_relation(table->relid, lockmode, wait);
	rel = RelationIdGetRelation(table->relid);
	if (!RelationIsValid(rel))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_RESOURCE_NOT_FOUND),
				 errdetail("Table \"%s.%s\" was dropped meanwhile.",
						   table->schema_name, table->table_name)));
	if (RelationUsesLocalBuffers(rel))
		MyXactFlags |= XACT_FLAGS_ACCESSEDTEMPNAMESPACE;
	pgstat_init_relation(rel);

	now = meta_table(table->relid);
	if (now != table && !key_schema_equal(&now->schema, &table->schema))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("key schema of item table \"%s\" was changed meanwhile",
						RelationGetRelationName(rel))));
	if (rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		check_storage(rel, rel);
	return rel;
}

static void
lock_relation(Oid relid, LOCKMODE lockmode, StoreWait *wait)
{
	int			nest;

	if (wait == NULL)
	{
		LockRelationOid(relid, lockmode);
		return;
	}
	if (ConditionalLockRelationOid(relid, lockmode))
		return;
	nest = store_wait_begin(wait);
	LockRelationOid(relid, lockmode);
	store_wait_end(nest);
}

/* Locking a row without changing it needs what SELECT ... FOR SHARE needs. */
static AclMode
required_privileges(const ItemStore *store)
{
	return store->locks_rows ? store->access | ACL_SELECT | ACL_UPDATE :
		store->access;
}

/* What ExecCheckRTPerms() and the name lookup of a statement would check. */
static void
check_privileges(Relation rel, const ItemTable *table, AclMode access)
{
	Oid			namespace = RelationGetNamespace(rel);

	/* Pure saving of catalog lookups: a superuser passes all of them. */
	if (superuser())
		return;

	if (compat_schema_aclcheck(namespace, ACL_USAGE) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_SCHEMA,
					   get_namespace_name(namespace));
	if (pg_class_aclmask(RelationGetRelid(rel), GetUserId(), access,
						 ACLMASK_ALL) == access)
		return;
	check_privilege(rel, table, access & ACL_SELECT);
	check_privilege(rel, table, access & ACL_INSERT);
	check_privilege(rel, table, access & ACL_UPDATE);
	check_privilege(rel, table, access & ACL_DELETE);
}

static void
check_privilege(Relation rel, const ItemTable *table, AclMode mode)
{
	if (mode == 0 ||
		pg_class_aclcheck(RelationGetRelid(rel), GetUserId(),
						  mode) == ACLCHECK_OK ||
		columns_permit(rel, table, mode))
		return;
	aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(rel->rd_rel->relkind),
				   RelationGetRelationName(rel));
}

/* Does the user hold the privilege on each column that we use it for? */
static bool
columns_permit(Relation rel, const ItemTable *table, AclMode mode)
{
	Oid			relid = RelationGetRelid(rel);

	if (mode == ACL_DELETE)
		return false;
	if (pg_attribute_aclcheck(relid, table->attributes_attnum, GetUserId(),
							  mode) != ACLCHECK_OK)
		return false;
	if (mode == ACL_UPDATE)
		return true;			/* never changes the key */
	for (int i = 0; i < table->schema.n; i++)
	{
		if (pg_attribute_aclcheck(relid, table->key_attnums[i], GetUserId(),
								  mode) != ACLCHECK_OK)
			return false;
	}
	return true;
}

/* Extensions that audit or refuse statements by table see ours, too. */
static void
ask_permission_hook(ItemStore *store)
{
	List	   *permissions;
	List	   *rtable = store_range_table(store, &permissions);

	(void) compat_permission_hook(rtable, permissions);
}

/*
 * The named table as a statement's range table would have it: privileges
 * needed, columns read, columns that may change.
 */
List *
store_range_table(const ItemStore *store, List **permissions)
{
	const ItemTable *table = store->table;
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	CompatPermissionInfo *permission;
	int			offset = FirstLowInvalidHeapAttributeNumber;
	Bitmapset  *attributes;
	Bitmapset  *columns;

	attributes = bms_make_singleton(table->attributes_attnum - offset);
	columns = bms_copy(attributes);
	for (int i = 0; i < table->schema.n; i++)
		columns = bms_add_member(columns, table->key_attnums[i] - offset);

	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(store->named);
	rte->relkind = store->named->rd_rel->relkind;
	rte->rellockmode = STORE_LOCKMODE(store);
	*permissions = NIL;
	permission = compat_add_permission_info(permissions, rte);
	permission->requiredPerms = required_privileges(store);
	if ((permission->requiredPerms & ACL_SELECT) != 0)
		permission->selectedCols = columns;
	if ((permission->requiredPerms & ACL_INSERT) != 0)
		permission->insertedCols = columns;
	if ((permission->requiredPerms & ACL_UPDATE) != 0)
		permission->updatedCols = attributes;
	return list_make1(rte);
}

static void
check_row_security(Relation rel)
{
	if (!rel->rd_rel->relrowsecurity ||
		check_enable_rls(RelationGetRelid(rel), InvalidOid,
						 false) != RLS_ENABLED)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("item functions cannot be used on table \"%s\" because row-level security applies to it",
					RelationGetRelationName(rel)),
			 errhint("Use SELECT, INSERT, UPDATE and DELETE, which obey the policies.")));
}

/* A rule rewrites statements, and there is no statement here. */
static void
check_rules(Relation rel, AclMode access)
{
	RuleLock   *rules = rel->rd_rules;

	if (rules == NULL)
		return;
	for (int i = 0; i < rules->numLocks; i++)
	{
		RewriteRule *rule = rules->rules[i];

		if ((rule->event == CMD_INSERT && (access & ACL_INSERT) != 0) ||
			(rule->event == CMD_UPDATE && (access & ACL_UPDATE) != 0) ||
			(rule->event == CMD_DELETE && (access & ACL_DELETE) != 0))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("item functions cannot change table \"%s\" because it has rules",
							RelationGetRelationName(rel)),
					 errhint("Use INSERT, UPDATE and DELETE, or replace the rules by triggers.")));
	}
}

/* Only a relation with rows of its own, reachable by us, may be opened. */
static void
check_storage(Relation rel, Relation named)
{
	if (rel->rd_rel->relkind != RELKIND_RELATION)
	{
		if (rel == named)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is not a table",
							RelationGetRelationName(rel))));
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("partition \"%s\" of item table \"%s\" does not hold its rows itself",
						RelationGetRelationName(rel),
						RelationGetRelationName(named)),
				 errhint("Partitions of item tables must be ordinary tables.")));
	}
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary tables of other sessions")));
}

void
store_route(ItemStore *store, const ItemKey *key)
{
	ItemKey		placed;

	if (store->named->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		store_route_stored(store,
						   store_key_to_probe(store->table, key, false,
											  &placed)->datums[0]);
}

/* The same, by a partition key as it is stored. */
void
store_route_stored(ItemStore *store, Datum pk)
{
	Oid			leaf;

	if (store->named->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return;
	leaf = leaf_for_key(store->named, pk);
	if (!OidIsValid(leaf))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("item table \"%s\" has no partition for this key",
						RelationGetRelationName(store->named)),
				 errhint("Create or attach the missing partitions.")));
	store_enter_leaf(store, leaf);
}

/* The same, but false when there is no partition. */
bool
store_try_route(ItemStore *store, const ItemKey *key)
{
	ItemKey		placed;

	if (store->named->rd_rel->relkind == RELKIND_PARTITIONED_TABLE &&
		!OidIsValid(leaf_for_key(store->named,
								 store_key_to_probe(store->table, key, false,
													&placed)->datums[0])))
		return false;
	store_route(store, key);
	return true;
}

/* Partition that rows of this stored key belong to, or InvalidOid. */
static Oid
leaf_for_key(Relation parent, Datum pk)
{
	PartitionKey partkey;
	PartitionDesc desc;
	Datum		values[PARTITION_MAX_KEYS];
	bool		isnull[PARTITION_MAX_KEYS];
	uint64		hash;
	int			position;

	check_partitioning(parent);
	partkey = RelationGetPartitionKey(parent);
	desc = RelationGetPartitionDesc(parent, true);
	if (desc->nparts == 0)
		return InvalidOid;
	values[0] = pk;
	isnull[0] = false;
	hash = compute_partition_hash_value(partkey->partnatts,
										partkey->partsupfunc,
										partkey->partcollation,
										values, isnull);
	position = desc->boundinfo->indexes[hash % desc->boundinfo->nindexes];
	return position < 0 ? InvalidOid : desc->oids[position];
}

/* Rows of one partition key must be in one leaf, and the key must find it. */
static void
check_partitioning(Relation parent)
{
	PartitionKey key = RelationGetPartitionKey(parent);

	if (key->strategy == PARTITION_STRATEGY_HASH && key->partnatts == 1 &&
		key->partattrs[0] != InvalidAttrNumber &&
		strcmp(NameStr(TupleDescAttr(RelationGetDescr(parent),
									 key->partattrs[0] - 1)->attname),
			   META_PK_COLUMN) == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("item table \"%s\" is not partitioned by hash of its partition key",
					RelationGetRelationName(parent)),
			 errdetail("An item table can be partitioned by HASH (pk) only.")));
}

List *
store_leaves(ItemStore *store)
{
	PartitionDesc desc;
	List	   *leaves = NIL;

	if (store->named->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return list_make1_oid(RelationGetRelid(store->named));
	check_partitioning(store->named);
	desc = RelationGetPartitionDesc(store->named, true);
	for (int i = 0; i < desc->nparts; i++)
		leaves = lappend_oid(leaves, desc->oids[i]);
	return leaves;
}

void
store_enter_leaf(ItemStore *store, Oid leaf)
{
	Relation	rel;

	if (store->rel != NULL && RelationGetRelid(store->rel) == leaf)
		return;
	leave_relation(store);
	lock_relation(leaf, STORE_LOCKMODE(store), store->wait);
	rel = table_open(leaf, NoLock);
	check_storage(rel, store->named);
	enter_relation(store, rel);
}

static void
enter_relation(ItemStore *store, Relation rel)
{
	store_relation_get(rel, store->table, &store->relation);
	store->rel = rel;
	store->key_index = index_open(store->relation.key_index,
								  STORE_LOCKMODE(store));
	store->lookup_index = store->relation.lookup_index ==
		store->relation.key_index ? store->key_index :
		index_open(store->relation.lookup_index, STORE_LOCKMODE(store));
	if (store->in_statement)
		store_writes_begin(store);
}

static void
leave_relation(ItemStore *store)
{
	if (store->rel == NULL)
		return;
	if (store->lookup_index != store->key_index)
		index_close(store->lookup_index, NoLock);
	index_close(store->key_index, NoLock);
	if (store->rel != store->named)
		table_close(store->rel, NoLock);
	store->rel = NULL;
	store->key_index = NULL;
	store->lookup_index = NULL;
	store->key_page = 0;
	store->key_page_misses = 0;
	store->absent_lsn = InvalidXLogRecPtr;
}

void
store_close(ItemStore *store)
{
	store_end_statement(store);
	leave_relation(store);
	table_close(store->named, NoLock);
	pfree(store);
}
