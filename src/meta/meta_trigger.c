/*
 * meta_trigger.c
 *	  DDL and the row trigger of item tables.
 *
 * Without the trigger nothing else breaks at once, so it may be dropped and
 * disabled, not without a warning: pg_restore does both.  What it enables
 * again would fire in sessions of the origin alone; the trigger of an item
 * table fires ALWAYS.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "meta/meta_private.h"

#define TRIGGER_MISSED_DETAIL \
	"Transactions on items and indexes do not notice what plain SQL writes without it."

static bool is_of_extension(const Trigger *trigger);
static void enable_always(Oid relid, const char *trigger);
static bool switches_triggers(const AlterTableStmt *statement);

/*
 * Is a trigger the row trigger of item tables, whatever its name?
 */
bool
meta_trigger_is_ours(const Trigger *trigger)
{
	char	   *name = get_func_name(trigger->tgfoid);

	return name != NULL && strcmp(name, META_TRIGGER_NAME) == 0 &&
		is_of_extension(trigger);
}

static bool
is_of_extension(const Trigger *trigger)
{
	char	   *schema = get_namespace_name(get_func_namespace(trigger->tgfoid));

	return schema != NULL && strcmp(schema, META_SCHEMA) == 0;
}

/*
 * Makes the row trigger unless there is one, and has it fire ALWAYS, in
 * logical replication, too.  Partitions get theirs from the table.
 */
void
meta_trigger_add(Oid relid)
{
	if (!OidIsValid(get_trigger_oid(relid, META_TRIGGER_NAME, true)))
	{
		CreateTrigStmt *create = makeNode(CreateTrigStmt);

		create->trigname = pstrdup(META_TRIGGER_NAME);
		create->relation = meta_range_var(relid);
		create->funcname = meta_extension_name(META_TRIGGER_NAME);
		create->row = true;
		create->timing = TRIGGER_TYPE_AFTER;
		create->events = TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE |
			TRIGGER_TYPE_DELETE;
		meta_run_utility((Node *) create);
	}
	enable_always(relid, META_TRIGGER_NAME);
}

static void
enable_always(Oid relid, const char *trigger)
{
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	cmd->subtype = AT_EnableAlwaysTrig;
	cmd->name = pstrdup(trigger);
	meta_alter_table(relid, cmd, true);
}

/* Before DROP TRIGGER; name: that of the table, and then the trigger's. */
void
meta_trigger_dropped(List *name)
{
	Oid			relid;

	if (strcmp(strVal(llast(name)), META_TRIGGER_NAME) != 0 ||
		list_length(name) < 2)
		return;
	relid = meta_own_item_table(makeRangeVarFromNameList(list_truncate(list_copy(name),
																		list_length(name) - 1)));
	if (OidIsValid(relid))
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("dropping the trigger \"%s\" of item table \"%s\"",
						META_TRIGGER_NAME, get_rel_name(relid)),
				 errdetail(TRIGGER_MISSED_DETAIL),
				 errhint("partitioning.register_table() makes it again.")));
}

/*
 * Before ALTER TRIGGER ... RENAME.  Under another name register_table() would
 * not find it and make a second one.
 */
void
meta_trigger_renamed(RenameStmt *statement)
{
	Oid			relid;

	if (strcmp(statement->subname, META_TRIGGER_NAME) != 0)
		return;
	relid = meta_own_item_table(statement->relation);
	if (OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("trigger \"%s\" of item table \"%s\" cannot be renamed",
						META_TRIGGER_NAME, get_rel_name(relid))));
}

/*
 * After ALTER TABLE ... ENABLE or DISABLE TRIGGER, of a partition or of the
 * extension's own catalog, too.
 */
void
meta_trigger_switched(AlterTableStmt *statement)
{
	Oid			relid;
	Relation	rel;
	TriggerDesc *triggers;

	if (!switches_triggers(statement))
		return;
	relid = RangeVarGetRelid(statement->relation, NoLock, true);
	if (!OidIsValid(relid))
		return;
	rel = relation_open(relid, NoLock);
	triggers = CopyTriggerDesc(rel->trigdesc);
	relation_close(rel, NoLock);
	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		Trigger    *trigger = &triggers->triggers[i];

		if (!is_of_extension(trigger) ||
			trigger->tgenabled == TRIGGER_FIRES_ALWAYS)
			continue;
		if (trigger->tgenabled != TRIGGER_DISABLED)
			enable_always(relid, trigger->tgname);
		else if (meta_trigger_is_ours(trigger))
			ereport(WARNING,
					(errcode(ERRCODE_WARNING),
					 errmsg("trigger \"%s\" of item table \"%s\" is disabled",
							trigger->tgname, get_rel_name(relid)),
					 errdetail(TRIGGER_MISSED_DETAIL),
					 errhint("ALTER TABLE ... ENABLE TRIGGER enables it again.")));
	}
}

static bool
switches_triggers(const AlterTableStmt *statement)
{
	ListCell   *lc;

	foreach(lc, statement->cmds)
	{
		switch (lfirst_node(AlterTableCmd, lc)->subtype)
		{
			case AT_EnableTrig:
			case AT_EnableReplicaTrig:
			case AT_EnableTrigAll:
			case AT_EnableTrigUser:
			case AT_DisableTrig:
			case AT_DisableTrigAll:
			case AT_DisableTrigUser:
				return true;
			default:
				break;
		}
	}
	return false;
}
