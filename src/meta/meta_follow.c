/*
 * meta_follow.c
 *	  What DDL on index tables may do, and what index tables must be told of
 *	  DDL on their item table.
 *
 * An index table is written by the access methods, past the executor.  So what
 * only the executor heeds, further columns with defaults, constraints, triggers,
 * cannot be on it; further indexes can.  Its columns, its name and whether it
 * survives a crash go with the item table.
 *
 * Partitions may be dropped in many ways: by name, with their schema, with
 * their owner.  Whichever it is, the server tells of each relation before it
 * goes; the entries of its items are seen to when all has been dropped.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "meta/meta_private.h"

/* Item tables that are losing partitions, in TopTransactionContext. */
static List *losing = NIL;
static LocalTransactionId losing_lxid = InvalidLocalTransactionId;

/* An index table is being altered by us. */
static bool following = false;

static object_access_hook_type next_access_hook = NULL;

static void object_access(ObjectAccessType access, Oid classid, Oid objid,
						  int subid, void *arg);
static Oid	own_index_table(RangeVar *relation);
static bool is_forbidden(AlterTableType subtype);
static void set_logged(Oid relid, AlterTableType subtype);
static void alter_index_table(const ItemTable *table, const ItemIndex *index,
							  AlterTableCmd *cmd);
static void check_partition(Oid relid);

void
meta_follow_init(void)
{
	next_access_hook = object_access_hook;
	object_access_hook = object_access;
}

/*
 * Before a relation is dropped: remembers the item table that it is a
 * partition of.
 */
static void
object_access(ObjectAccessType access, Oid classid, Oid objid, int subid,
			  void *arg)
{
	MemoryContext old;

	if (next_access_hook != NULL)
		next_access_hook(access, classid, objid, subid, arg);
	if (access != OAT_DROP || classid != RelationRelationId || subid != 0 ||
		!get_rel_relispartition(objid))
		return;
	if (losing_lxid != compat_my_lxid())
		losing = NIL;			/* another transaction's, and gone with it */
	losing_lxid = compat_my_lxid();
	old = MemoryContextSwitchTo(TopTransactionContext);
	losing = list_append_unique_oid(losing,
									get_partition_parent(objid, true));
	MemoryContextSwitchTo(old);
}

/*
 * After a command has dropped what it drops: the next item table that has lost
 * partitions, or InvalidOid.
 */
Oid
meta_next_bereft(void)
{
	while (losing_lxid == compat_my_lxid() && losing != NIL)
	{
		Oid			relid = llast_oid(losing);

		losing = list_delete_last(losing);
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)) &&
			meta_is_item_table(relid))
			return relid;
	}
	return InvalidOid;
}

/* Commands that would part an index table from its index. */
void
meta_refuse_index_table(RangeVar *relation)
{
	Oid			relid = own_index_table(relation);

	if (OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index table \"%s\" cannot be renamed or moved",
						get_rel_name(relid)),
				 errhint("It follows its item table.")));
}

/* Commands that would give it what its maintenance does not know. */
void
meta_refuse_index_definition(RangeVar *relation)
{
	Oid			relid = own_index_table(relation);

	if (OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index table \"%s\" cannot have other columns, constraints or triggers than its own",
						get_rel_name(relid)),
				 errhint("Further indexes on it are possible.")));
}

static Oid
own_index_table(RangeVar *relation)
{
	Oid			relid = RangeVarGetRelid(relation, NoLock, true);
	char	   *schema_name;

	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_RELATION ||
		!compat_owns_relation(relid))
		return InvalidOid;
	schema_name = get_namespace_name(get_rel_namespace(relid));
	return meta_table_of_index_table(schema_name, get_rel_name(relid)) != NULL ?
		relid : InvalidOid;
}

/* Before ALTER TABLE. */
void
meta_before_follow(AlterTableStmt *statement)
{
	ListCell   *lc;

	foreach(lc, statement->cmds)
	{
		AlterTableCmd *cmd = lfirst_node(AlterTableCmd, lc);

		if (is_forbidden(cmd->subtype) && !following)
			meta_refuse_index_definition(statement->relation);
		if (cmd->subtype == AT_SetUnLogged)
			check_partition(RangeVarGetRelid(statement->relation, NoLock,
											 true));
	}
}

/* Before a relation becomes unlogged. */
static void
check_partition(Oid relid)
{
	const ItemTable *table;

	if (!OidIsValid(relid) || !get_rel_relispartition(relid) ||
		!compat_owns_relation(relid))
		return;
	table = meta_table_of_partition(relid);
	if (table != NULL)
		meta_refuse_unlogged(table, relid);
}

static bool
is_forbidden(AlterTableType subtype)
{
	switch (subtype)
	{
		case AT_AddColumn:
		case AT_DropColumn:
		case AT_AlterColumnType:
		case AT_DropNotNull:
		case AT_AddIdentity:
		case AT_AddConstraint:
		case AT_AddInherit:
		case AT_AddOf:
		case AT_SetLogged:
		case AT_SetUnLogged:
			return true;
		default:
			return false;
	}
}

/* Before CREATE TRIGGER; a restore makes the index table's own ones. */
void
meta_before_trigger(CreateTrigStmt *statement)
{
	if (strcmp(strVal(llast(statement->funcname)), META_GUARD_NAME) != 0)
		meta_refuse_index_definition(statement->relation);
}

/* After ALTER TABLE of an item table. */
void
meta_after_follow(Oid relid, AlterTableCmd *cmd)
{
	if (cmd->subtype == AT_ChangeOwner)
		meta_own_index_tables(relid);
	else if (cmd->subtype == AT_SetLogged || cmd->subtype == AT_SetUnLogged)
		set_logged(relid, cmd->subtype);
}

/* Index tables survive a crash if their items do. */
static void
set_logged(Oid relid, AlterTableType subtype)
{
	const ItemTable *table = meta_table_if_any(relid);
	MetaOwner	owner;

	if (table == NULL || table->partitioned)
		return;
	meta_become_owner(relid, &owner);
	following = true;
	PG_TRY();
	{
		for (int i = 0; i < table->nindexes; i++)
		{
			AlterTableCmd *cmd = makeNode(AlterTableCmd);

			cmd->subtype = subtype;
			if (table->indexes[i].global)
				alter_index_table(table, &table->indexes[i], cmd);
		}
	}
	PG_FINALLY();
	{
		following = false;
	}
	PG_END_TRY();
	meta_become_caller(&owner);
}

static void
alter_index_table(const ItemTable *table, const ItemIndex *index,
				  AlterTableCmd *cmd)
{
	Oid			relid = get_relname_relid(index->relation_name,
										  get_rel_namespace(table->relid));

	if (!OidIsValid(relid))
		return;
	LockRelationOid(relid, AccessExclusiveLock);
	meta_alter_table(relid, cmd, false);
}

/*
 * A crash empties an unlogged partition, but not an index table that has
 * entries of others, too.
 */
void
meta_refuse_unlogged(const ItemTable *table, Oid partition)
{
	bool		global = false;

	for (int i = 0; i < table->nindexes; i++)
		global |= table->indexes[i].global;
	if (global)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("partition \"%s\" of item table \"%s\" cannot be unlogged because the table has global indexes",
						get_rel_name(partition), table->table_name)));
}
