/*
 * meta_event.c
 *	  Event triggers that keep partitioning.tables in step with DDL.
 *
 * Before a command: what would break an item table is refused (its owner's
 * commands only; others fail by themselves), and a table that is about to be
 * renamed or moved is remembered under its old name.  After the command its
 * row takes the new name.  After drops of any kind the rows of dropped tables
 * go.  All this is decided from the parse tree and from the list of dropped
 * objects, so a command that is not about an item table costs one look-up.
 *
 * The catalog rows are written here whatever rights the user has: the command
 * itself has checked them.
 *
 * An error between the two triggers of one command leaves what the first has
 * remembered; it is recognised by its transaction or subtransaction, which the
 * error has ended, and thrown away.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "commands/event_trigger.h"
#include "commands/extension.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "base/compat.h"
#include "meta/meta_private.h"

/* An item table in the hands of a command that may rename or move it. */
typedef struct PendingRename
{
	LocalTransactionId lxid;
	SubTransactionId subid;
	Node	   *parsetree;		/* the command */
	Oid			relid;
	Oid			namespace;
	NameData	schema_name;
	NameData	table_name;
} PendingRename;

static List *pending = NIL;		/* in TopMemoryContext */

static MetaPartitionCallback partition_callback = NULL;

PG_FUNCTION_INFO_V1(ddl_command_start);
PG_FUNCTION_INFO_V1(ddl_command_end);
PG_FUNCTION_INFO_V1(sql_drop);

static EventTriggerData *event_data(FunctionCallInfo fcinfo);
static void tell_bereft(void);
static void before_rename(RenameStmt *statement);
static void before_alter(AlterTableStmt *statement);
static void before_drop(DropStmt *statement);
static void before_drop_index(RangeVar *name);
static void warn_local_index(const ItemTable *table, Oid index);
static void check_column(Oid relid, const char *column);
static void check_new_column(Oid relid, const char *column);
static bool constraint_is_ours(Oid relid, const char *name);
pg_noreturn static void refuse_constraint(Oid relid, const char *name);
static void refuse_command(AlterTableCmd *cmd, Oid relid);
static void refuse_not_null(Oid relid, const char *constraint);
static void refuse_inheritance(Oid relid);
static void remember(Node *parsetree, RangeVar *relation);
static void follow(Node *parsetree);
static void after_alter(AlterTableStmt *statement);
static void after_create(Node *parsetree);
static void after_create_table(CreateStmt *statement);
static void after_partition(RangeVar *parent, RangeVar *partition);
static Tuplestorestate *dropped_objects(TupleDesc *desc);

/* Event trigger before a command. */
Datum
ddl_command_start(PG_FUNCTION_ARGS)
{
	Node	   *parsetree = event_data(fcinfo)->parsetree;

	if (IsBinaryUpgrade || creating_extension)
		PG_RETURN_NULL();
	if (IsA(parsetree, RenameStmt))
		before_rename((RenameStmt *) parsetree);
	else if (IsA(parsetree, AlterTableStmt))
		before_alter((AlterTableStmt *) parsetree);
	else if (IsA(parsetree, AlterObjectSchemaStmt))
	{
		AlterObjectSchemaStmt *statement = (AlterObjectSchemaStmt *) parsetree;

		if (statement->objectType == OBJECT_TABLE)
		{
			meta_refuse_index_table(statement->relation);
			remember(parsetree, statement->relation);
		}
	}
	else if (IsA(parsetree, DropStmt))
		before_drop((DropStmt *) parsetree);
	else if (IsA(parsetree, CreateTrigStmt))
		meta_before_trigger((CreateTrigStmt *) parsetree);
	else if (IsA(parsetree, CreateStmt))
		meta_refuse_foreign_keys(((CreateStmt *) parsetree)->tableElts);
	PG_RETURN_NULL();
}

/* Event trigger after a command. */
Datum
ddl_command_end(PG_FUNCTION_ARGS)
{
	Node	   *parsetree = event_data(fcinfo)->parsetree;

	if (IsBinaryUpgrade || creating_extension)
		PG_RETURN_NULL();
	if (IsA(parsetree, RenameStmt) &&
		((RenameStmt *) parsetree)->renameType == OBJECT_SCHEMA)
	{
		RenameStmt *statement = (RenameStmt *) parsetree;

		meta_rows_rename_schema(statement->subname, statement->newname);
	}
	else if (IsA(parsetree, RenameStmt) || IsA(parsetree, AlterObjectSchemaStmt))
		follow(parsetree);
	else if (IsA(parsetree, AlterTableStmt))
		after_alter((AlterTableStmt *) parsetree);
	else
		after_create(parsetree);
	PG_RETURN_NULL();
}

/* Event trigger after drops. */
Datum
sql_drop(PG_FUNCTION_ARGS)
{
	DropBehavior behavior = DROP_RESTRICT;
	Node	   *parsetree;
	Tuplestorestate *objects;
	TupleDesc	desc;
	TupleTableSlot *slot;

	parsetree = event_data(fcinfo)->parsetree;
	if (IsBinaryUpgrade || !OidIsValid(meta_catalog_relid()))
		PG_RETURN_NULL();
	if (IsA(parsetree, DropStmt))
		behavior = ((DropStmt *) parsetree)->behavior;
	else if (IsA(parsetree, DropOwnedStmt))
		behavior = ((DropOwnedStmt *) parsetree)->behavior;

	objects = dropped_objects(&desc);
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	while (tuplestore_gettupleslot(objects, true, false, slot))
	{
		slot_getallattrs(slot);
		/* classid, objid, objsubid, ..., schema_name, object_name */
		if (DatumGetObjectId(slot->tts_values[0]) == RelationRelationId &&
			DatumGetInt32(slot->tts_values[2]) == 0 &&
			!slot->tts_isnull[7] && !slot->tts_isnull[8])
			meta_forget_relation(TextDatumGetCString(slot->tts_values[7]),
								 TextDatumGetCString(slot->tts_values[8]),
								 behavior);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(objects);
	tell_bereft();
	PG_RETURN_NULL();
}

/* Item tables whose partitions have been dropped, in whatever way. */
static void
tell_bereft(void)
{
	Oid			relid;

	while (OidIsValid(relid = meta_next_bereft()))
	{
		if (partition_callback != NULL)
			partition_callback(relid, InvalidOid);
	}
}

void
meta_forget_relation(const char *schema_name, const char *relation_name,
					 DropBehavior behavior)
{
	ListCell   *lc;

	foreach(lc, meta_index_relations(schema_name, relation_name))
		meta_drop_index_table(schema_name, lfirst(lc), behavior);
	meta_index_delete_relation(schema_name, relation_name);
	(void) meta_row_delete(schema_name, relation_name);
}

void
meta_register_partition_callback(MetaPartitionCallback callback)
{
	partition_callback = callback;
}

static EventTriggerData *
event_data(FunctionCallInfo fcinfo)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function must be called as an event trigger")));
	return (EventTriggerData *) fcinfo->context;
}

static void
before_rename(RenameStmt *statement)
{
	Oid			relid;

	switch (statement->renameType)
	{
		case OBJECT_TABLE:
		case OBJECT_INDEX:		/* ALTER INDEX renames tables, too */
			meta_refuse_index_table(statement->relation);
			remember((Node *) statement, statement->relation);
			break;
		case OBJECT_COLUMN:
		case OBJECT_ATTRIBUTE:	/* ALTER TYPE renames columns of tables, too */
			meta_refuse_index_definition(statement->relation);
			relid = meta_own_item_table(statement->relation);
			if (!OidIsValid(relid))
				break;
			check_column(relid, statement->subname);
			check_new_column(relid, statement->newname);
			break;
		case OBJECT_TABCONSTRAINT:
			relid = meta_own_item_table(statement->relation);
			if (OidIsValid(relid) &&
				constraint_is_ours(relid, statement->subname))
				refuse_constraint(relid, statement->subname);
			break;
		case OBJECT_TRIGGER:
			meta_trigger_renamed(statement);
			break;
		default:
			break;
	}
}

static void
before_alter(AlterTableStmt *statement)
{
	Oid			relid;
	ListCell   *lc;

	if (statement->objtype != OBJECT_TABLE)
		return;
	meta_before_follow(statement);
	relid = meta_own_item_table(statement->relation);
	foreach(lc, statement->cmds)
	{
		AlterTableCmd *cmd = lfirst_node(AlterTableCmd, lc);

		if (OidIsValid(relid))
			refuse_command(cmd, relid);
		if (cmd->subtype == AT_AddConstraint || cmd->subtype == AT_AddColumn)
			meta_refuse_foreign_keys(list_make1(cmd->def));
		/* the item table may also be at the other end */
		if (cmd->subtype == AT_AddInherit)
			refuse_inheritance(meta_own_item_table((RangeVar *) cmd->def));
		if (cmd->subtype == AT_AttachPartition)
			refuse_inheritance(meta_own_item_table(castNode(PartitionCmd,
													   cmd->def)->name));
	}
}

static void
refuse_command(AlterTableCmd *cmd, Oid relid)
{
	if (compat_is_set_expression(cmd->subtype))
		check_column(relid, cmd->name);
	switch (cmd->subtype)
	{
		case AT_DropColumn:
		case AT_AlterColumnType:
		case AT_DropNotNull:
		case AT_DropExpression:
			check_column(relid, cmd->name);
			break;
		case AT_DropConstraint:
			if (constraint_is_ours(relid, cmd->name))
				refuse_constraint(relid, cmd->name);
			refuse_not_null(relid, cmd->name);
			break;
		case AT_AddColumn:
			check_new_column(relid, castNode(ColumnDef, cmd->def)->colname);
			break;
		case AT_AddInherit:
		case AT_AddOf:
			refuse_inheritance(relid);
			break;
		case AT_DetachPartition:
			if (castNode(PartitionCmd, cmd->def)->concurrent &&
				meta_table(relid)->nindexes > 0)
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("cannot detach a partition of item table \"%s\" concurrently because it has secondary indexes",
								get_rel_name(relid)),
						 errhint("Detach it without CONCURRENTLY.")));
			break;
		default:
			break;
	}
}

/* From 18 on NOT NULL is a constraint with a name that can be dropped. */
static void
refuse_not_null(Oid relid, const char *constraint)
{
	Oid			oid = get_relation_constraint_oid(relid, constraint, true);
	HeapTuple	tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(oid));
	Form_pg_constraint form;

	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_constraint) GETSTRUCT(tuple);
	if (form->contype == 'n')
	{
		bool		isnull;
		Datum		keys = SysCacheGetAttr(CONSTROID, tuple,
										   Anum_pg_constraint_conkey, &isnull);
		AttrNumber *attnum = (AttrNumber *) ARR_DATA_PTR(DatumGetArrayTypeP(keys));
		char	   *column = get_attname(relid, *attnum, false);

		check_column(relid, column);
	}
	ReleaseSysCache(tuple);
}

/* Nothing when relid is InvalidOid. */
static void
refuse_inheritance(Oid relid)
{
	if (OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("item table \"%s\" cannot take part in inheritance, be a partition, or be of a composite type",
						get_rel_name(relid))));
}

/*
 * Dropping the row trigger, the key index or that of a local index is allowed,
 * because pg_restore --clean drops them before the table.
 */
static void
before_drop(DropStmt *statement)
{
	ListCell   *lc;

	foreach(lc, statement->objects)
	{
		if (statement->removeType == OBJECT_INDEX)
			before_drop_index(makeRangeVarFromNameList(lfirst(lc)));
		else if (statement->removeType == OBJECT_TRIGGER)
			meta_trigger_dropped(lfirst(lc));
	}
}

static void
before_drop_index(RangeVar *name)
{
	Oid			index = RangeVarGetRelid(name, NoLock, true);
	Oid			relid;
	const ItemTable *table;

	if (!OidIsValid(index) ||
		(get_rel_relkind(index) != RELKIND_INDEX &&
		 get_rel_relkind(index) != RELKIND_PARTITIONED_INDEX))
		return;
	relid = IndexGetRelation(index, true);
	if (!OidIsValid(relid) || !meta_is_item_table(relid) ||
		!compat_owns_relation(relid))
		return;
	table = meta_table_if_any(relid);
	if (table != NULL && table->key_index == index)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("dropping the key index \"%s\" of item table \"%s\"",
						get_rel_name(index), get_rel_name(relid)),
				 errdetail("The item functions do not work on the table without it."),
				 errhint("partitioning.register_table() makes it again.")));
	else if (table != NULL)
		warn_local_index(table, index);
}

static void
warn_local_index(const ItemTable *table, Oid index)
{
	Relation	rel = table_open(table->relid, AccessShareLock);

	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *local = &table->indexes[i];

		if (!local->global &&
			meta_find_local_index(rel, &table->schema,
								  local->column_name) == index)
			ereport(WARNING,
					(errcode(ERRCODE_WARNING),
					 errmsg("dropping the index \"%s\" of local index \"%s\" of item table \"%s\"",
							get_rel_name(index), local->name,
							table->table_name),
					 errdetail("The local index cannot be read without it."),
					 errhint("partitioning.register_table() makes it again.")));
	}
	table_close(rel, AccessShareLock);
}

/*
 * The item table that a command names, if it is one and the current user owns
 * it; otherwise the command fails, or does not concern us.
 */
Oid
meta_own_item_table(RangeVar *relation)
{
	Oid			relid = RangeVarGetRelid(relation, NoLock, true);

	if (!OidIsValid(relid) || !meta_is_item_table(relid) ||
		!compat_owns_relation(relid))
		return InvalidOid;
	return relid;
}

/* By name and row alone, so it does not fail on what DDL has half changed. */
bool
meta_is_item_table(Oid relid)
{
	char		relkind = get_rel_relkind(relid);
	char	   *schema_name;

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		return false;
	schema_name = get_namespace_name(get_rel_namespace(relid));
	return schema_name != NULL &&
		meta_is_registered(schema_name, get_rel_name(relid));
}

/* Refuses to change a column that the item functions need as it is. */
static void
check_column(Oid relid, const char *column)
{
	const ItemTable *table;

	if (strcmp(column, META_PK_COLUMN) == 0 ||
		strcmp(column, META_SK_COLUMN) == 0 ||
		strcmp(column, META_ATTRIBUTES_COLUMN) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of item table \"%s\" cannot be renamed, dropped, made nullable or given another type",
						column, get_rel_name(relid)),
				 errhint("Further columns can be added to an item table and altered as usual.")));
	table = meta_table_if_any(relid);
	if (table != NULL && meta_is_local_column(table, column))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of item table \"%s\" belongs to a local index and cannot be changed",
						column, get_rel_name(relid)),
				 errhint("partitioning.drop_index() drops it with its index.")));
}

/* A column "sk" says that there is a sort key. */
static void
check_new_column(Oid relid, const char *column)
{
	if (strcmp(column, META_SK_COLUMN) == 0 &&
		get_attnum(relid, column) == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("item table \"%s\" has no sort key and cannot get a column \"%s\"",
						get_rel_name(relid), column),
				 errhint("Give the column another name.")));
}

/*
 * Without shards the second name is free; while their number is changed the
 * constraint is replaced.
 */
static bool
constraint_is_ours(Oid relid, const char *name)
{
	return strcmp(name, META_CHECK_NAME) == 0 ||
		(strcmp(name, META_SHARD_CHECK_NAME) == 0 && !meta_changing_shards &&
		 meta_table(relid)->schema.sharding.count > 0);
}

static void
refuse_constraint(Oid relid, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("constraint \"%s\" of item table \"%s\" cannot be renamed or dropped",
					name, get_rel_name(relid))));
}

/*
 * Remembers an item table's names before a command changes them.  The lock is
 * the one that the command itself is about to take.
 */
static void
remember(Node *parsetree, RangeVar *relation)
{
	Oid			relid = meta_own_item_table(relation);
	PendingRename *entry;
	MemoryContext old;

	if (!OidIsValid(relid))
		return;
	LockRelationOid(relid, AccessExclusiveLock);
	if (RangeVarGetRelid(relation, NoLock, true) != relid ||
		!meta_is_item_table(relid))
		return;					/* renamed meanwhile: the command will see */
	old = MemoryContextSwitchTo(TopMemoryContext);
	entry = palloc(sizeof(PendingRename));
	entry->lxid = compat_my_lxid();
	entry->subid = GetCurrentSubTransactionId();
	entry->parsetree = parsetree;
	entry->relid = relid;
	entry->namespace = get_rel_namespace(relid);
	namestrcpy(&entry->schema_name, get_namespace_name(entry->namespace));
	namestrcpy(&entry->table_name, get_rel_name(relid));
	pending = lappend(pending, entry);
	MemoryContextSwitchTo(old);
}

/* Gives the row of a remembered table its new names. */
static void
follow(Node *parsetree)
{
	ListCell   *lc;

	foreach(lc, pending)
	{
		PendingRename *entry = lfirst(lc);
		bool		ours = entry->lxid == compat_my_lxid() &&
			entry->subid == GetCurrentSubTransactionId() &&
			entry->parsetree == parsetree;
		char	   *table_name = get_rel_name(entry->relid);

		if (ours && table_name != NULL)
		{
			meta_row_rename(NameStr(entry->schema_name),
							NameStr(entry->table_name),
							get_namespace_name(get_rel_namespace(entry->relid)),
							table_name);
			meta_move_index_tables(entry->relid, entry->namespace);
		}
		if (ours || entry->lxid != compat_my_lxid())
		{
			pending = foreach_delete_current(pending, lc);
			pfree(entry);
		}
	}
}

static void
after_alter(AlterTableStmt *statement)
{
	ListCell   *lc;

	foreach(lc, statement->cmds)
	{
		AlterTableCmd *cmd = lfirst_node(AlterTableCmd, lc);
		Oid			relid = RangeVarGetRelid(statement->relation, NoLock, true);

		if (!OidIsValid(relid) || !meta_is_item_table(relid))
			continue;
		if (cmd->subtype == AT_AttachPartition)
			after_partition(statement->relation,
							castNode(PartitionCmd, cmd->def)->name);
		else if (cmd->subtype == AT_DetachPartition &&
				 partition_callback != NULL)
			partition_callback(relid, InvalidOid);
		else
			meta_after_follow(relid, cmd);
	}
	meta_trigger_switched(statement);
}

/*
 * CREATE TABLE or CREATE FOREIGN TABLE, by itself or in a CREATE SCHEMA; other
 * commands make no relation that has parents.
 */
static void
after_create(Node *parsetree)
{
	ListCell   *lc;

	if (IsA(parsetree, CreateSchemaStmt))
	{
		foreach(lc, ((CreateSchemaStmt *) parsetree)->schemaElts)
			after_create(lfirst(lc));
	}
	else if (IsA(parsetree, CreateStmt))
		after_create_table((CreateStmt *) parsetree);
	else if (IsA(parsetree, CreateForeignTableStmt))
		after_create_table(&((CreateForeignTableStmt *) parsetree)->base);
}

/* PARTITION OF, or INHERITS. */
static void
after_create_table(CreateStmt *statement)
{
	ListCell   *lc;

	foreach(lc, statement->inhRelations)
	{
		RangeVar   *parent = lfirst_node(RangeVar, lc);

		if (statement->partbound != NULL)
			after_partition(parent, statement->relation);
		else
			refuse_inheritance(meta_own_item_table(parent));
	}
}

static void
after_partition(RangeVar *parent, RangeVar *partition)
{
	Oid			relid = RangeVarGetRelid(parent, NoLock, true);
	Oid			partition_relid = RangeVarGetRelid(partition, NoLock, true);
	const ItemTable *table;

	if (!OidIsValid(relid) || !OidIsValid(partition_relid) ||
		!meta_is_item_table(relid))
		return;
	table = meta_table_if_any(relid);
	if (table == NULL)
		return;
	if (get_rel_persistence(partition_relid) == RELPERSISTENCE_UNLOGGED)
		meta_refuse_unlogged(table, partition_relid);
	meta_complete_partition(table, partition_relid);
	if (partition_callback != NULL)
		partition_callback(relid, partition_relid);
}

/*
 * What pg_event_trigger_dropped_objects() returns, called as the executor
 * calls it, without SQL text or SPI.
 */
static Tuplestorestate *
dropped_objects(TupleDesc *desc)
{
	LOCAL_FCINFO(fcinfo, 0);
	FmgrInfo	flinfo;
	ReturnSetInfo rsinfo = {.type = T_ReturnSetInfo};
	EState	   *estate = CreateExecutorState();

	fmgr_info(F_PG_EVENT_TRIGGER_DROPPED_OBJECTS, &flinfo);
	rsinfo.econtext = CreateExprContext(estate);
	rsinfo.econtext->ecxt_per_query_memory = CurrentMemoryContext;
	rsinfo.allowedModes = SFRM_Materialize;
	rsinfo.returnMode = SFRM_Materialize;
	InitFunctionCallInfoData(*fcinfo, &flinfo, 0, InvalidOid, NULL,
							 (Node *) &rsinfo);
	(void) FunctionCallInvoke(fcinfo);
	*desc = rsinfo.setDesc;
	return rsinfo.setResult;
}
