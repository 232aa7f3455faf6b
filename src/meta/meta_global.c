/*
 * meta_global.c
 *	  Index tables of global indexes: making them, and keeping them beside
 *	  their item table.
 *
 * An index table is an ordinary table of the item table's owner, in the same
 * schema, named <table>_<index>.  The longer part is shortened where the name
 * would have more than 63 bytes, and _2, _3 ... is appended where it is taken;
 * the catalog says what it came to.  It follows its item table when that is
 * renamed, moved to another schema, or given to another owner, and goes with
 * it.
 *
 * What is done here is done as the owner of the item table, whoever asks.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "meta/meta_private.h"

static char *choose_name(const ItemTable *table, const ItemIndex *index,
						 Oid namespace, Oid other_namespace, Oid self);
static bool is_taken(const char *name, Oid namespace, Oid self);
static List *index_columns(const ItemTable *table, const ItemIndex *index);
static Oid	key_column(const KeyIndexAttribute *keys, int n);
static void create_key_index(Oid relid, const ItemTable *table,
							 const ItemIndex *index);
static IndexElem *index_element(const char *column);
static void create_guard(Oid relid, bool row);
static void enable_always(Oid relid, const char *trigger);
static void set_identity_full(Oid relid);
static void comment_on(Oid relid, const ItemTable *table,
					   const ItemIndex *index);
static void append_attributes(StringInfo text, const KeyIndexAttribute *keys,
							  int n);
static void add_statement_trigger(Oid relid, const char *name, int16 timing,
								  int16 events);
static void rename_relation(Oid relid, const char *name);
static void move_relation(Oid relid, Oid namespace);

/*
 * Makes the index table, without key index, so that it can be filled first,
 * and sets index->relation_name.
 */
Oid
meta_create_index_table(const ItemTable *table, ItemIndex *index)
{
	Oid			namespace = get_namespace_oid(table->schema_name, false);
	CreateStmt *create = makeNode(CreateStmt);
	MetaOwner	owner;

	if (index->relation_name == NULL ||
		OidIsValid(get_relname_relid(index->relation_name, namespace)))
		index->relation_name = choose_name(table, index, namespace,
											namespace, InvalidOid);
	create->relation = makeRangeVar(pstrdup(table->schema_name),
									pstrdup(index->relation_name), -1);
	create->relation->relpersistence = get_rel_persistence(table->relid);
	create->oncommit = ONCOMMIT_NOOP;
	create->tableElts = index_columns(table, index);

	meta_become_owner(table->relid, &owner);
	meta_run_utility((Node *) create);
	meta_become_caller(&owner);
	return get_relname_relid(index->relation_name, namespace);
}

/*
 * Gives a filled index table its key index and whatever else belongs to it.
 */
void
meta_complete_index_table(Oid relid, const ItemTable *table,
						  const ItemIndex *index)
{
	MetaOwner	owner;

	meta_become_owner(table->relid, &owner);
	create_key_index(relid, table, index);
	create_guard(relid, true);
	create_guard(relid, false);
	set_identity_full(relid);
	comment_on(relid, table, index);
	meta_become_caller(&owner);
}

/*
 * The statement triggers of an item table and its partitions, unless they have
 * them: that which tells of TRUNCATE, which is there from the beginning, since
 * to make it later would keep writers out; and for global indexes with unique
 * keys those at the beginning and the end of a statement.
 */
void
meta_add_statement_triggers(Oid table_relid, List *relids, bool unique_key)
{
	const int16 changes = TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE |
		TRIGGER_TYPE_DELETE;
	MetaOwner	owner;
	ListCell   *lc;

	meta_become_owner(table_relid, &owner);
	foreach(lc, relids)
	{
		Oid			relid = lfirst_oid(lc);

		add_statement_trigger(relid, META_TRUNCATE_TRIGGER_NAME,
							  TRIGGER_TYPE_AFTER, TRIGGER_TYPE_TRUNCATE);
		if (!unique_key)
			continue;
		add_statement_trigger(relid, META_BEGIN_TRIGGER_NAME,
							  TRIGGER_TYPE_BEFORE, changes);
		add_statement_trigger(relid, META_END_TRIGGER_NAME,
							  TRIGGER_TYPE_AFTER, changes);
	}
	meta_become_caller(&owner);
}

void
meta_drop_index_table(const char *schema_name, const char *relation_name,
					  DropBehavior behavior)
{
	Oid			namespace = get_namespace_oid(schema_name, true);
	ObjectAddress address;
	Oid			relid;

	relid = OidIsValid(namespace) ?
		get_relname_relid(relation_name, namespace) : InvalidOid;
	if (!OidIsValid(relid))
		return;
	LockRelationOid(relid, AccessExclusiveLock);
	ObjectAddressSet(address, RelationRelationId, relid);
	performDeletion(&address, behavior, 0);
	CommandCounterIncrement();
}

/*
 * Becomes the owner of a table, as commands on it would.  What runs then may
 * be of his making (an index expression), and must leave nothing behind in the
 * caller's session.
 */
void
meta_become_owner(Oid relid, MetaOwner *saved)
{
	Relation	rel = table_open(relid, AccessShareLock);
	Oid			owner = rel->rd_rel->relowner;

	table_close(rel, NoLock);
	GetUserIdAndSecContext(&saved->user, &saved->sec_context);
	SetUserIdAndSecContext(owner, saved->sec_context |
						   SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION |
						   SECURITY_NOFORCE_RLS);
}

void
meta_become_caller(const MetaOwner *saved)
{
	SetUserIdAndSecContext(saved->user, saved->sec_context);
}

/*
 * A name that is free in both schemas, but for the index table itself, if it
 * exists.
 */
static char *
choose_name(const ItemTable *table, const ItemIndex *index, Oid namespace,
			Oid other_namespace, Oid self)
{
	char	   *name = makeObjectName(table->table_name, index->name, NULL);

	for (int i = 2; is_taken(name, namespace, self) ||
		 is_taken(name, other_namespace, self); i++)
	{
		char		number[16];

		snprintf(number, sizeof(number), "%d", i);
		name = makeObjectName(table->table_name, index->name, number);
	}
	return name;
}

static bool
is_taken(const char *name, Oid namespace, Oid self)
{
	Oid			relid = get_relname_relid(name, namespace);

	return OidIsValid(relid) && relid != self;
}

static List *
index_columns(const ItemTable *table, const ItemIndex *index)
{
	static const char *const base_columns[] = {
		META_BASE_PK_COLUMN, META_BASE_SK_COLUMN
	};
	List	   *columns;

	columns = list_make1(meta_column(META_PK_COLUMN,
									 key_column(index->keys,
												index->npartition)));
	if (index->nsort > 0)
		columns = lappend(columns,
						  meta_column(META_SK_COLUMN,
									  key_column(index->keys + index->npartition,
												 index->nsort)));
	for (int i = 0; i < table->schema.n; i++)
		columns = lappend(columns,
						  meta_column(base_columns[i],
									  key_column_type(table->schema.attributes[i].type)));
	columns = lappend(columns, meta_column(META_DIGEST_COLUMN, INT8OID));
	return lappend(columns, meta_column(META_ATTRIBUTES_COLUMN,
										meta_item_type()));
}

/* Type of a key column: its attribute's, or bytea for several. */
static Oid
key_column(const KeyIndexAttribute *keys, int n)
{
	return key_column_type(n == 1 ? keys[0].attribute.type : ITEM_B);
}

/*
 * CREATE INDEX ON ... (pk <hash order> [, sk], digest), or CREATE UNIQUE
 * INDEX ON ... (pk <hash order> [, sk]).
 */
static void
create_key_index(Oid relid, const ItemTable *table, const ItemIndex *index)
{
	IndexStmt  *statement = makeNode(IndexStmt);
	IndexElem  *pk = index_element(META_PK_COLUMN);

	pk->opclass = meta_extension_name(meta_hash_opclass_name(key_column(index->keys,
																   index->npartition)));
	statement->indexParams = list_make1(pk);
	if (index->nsort > 0)
		statement->indexParams = lappend(statement->indexParams,
										 index_element(META_SK_COLUMN));
	if (!index->unique_key)
		statement->indexParams = lappend(statement->indexParams,
										 index_element(META_DIGEST_COLUMN));
	statement->idxname = ChooseRelationName(get_rel_name(relid), NULL, "key",
											get_rel_namespace(relid), false);
	statement->relation = meta_range_var(relid);
	statement->accessMethod = pstrdup(meta_method_name(index->method));
	statement->unique = index->unique_key;
	meta_run_utility((Node *) statement);
}

static IndexElem *
index_element(const char *column)
{
	IndexElem  *element = makeNode(IndexElem);

	element->name = pstrdup(column);
	element->ordering = SORTBY_DEFAULT;
	element->nulls_ordering = SORTBY_NULLS_DEFAULT;
	return element;
}

/* What keeps others from changing the table: BEFORE each row, or TRUNCATE. */
static void
create_guard(Oid relid, bool row)
{
	CreateTrigStmt *create = makeNode(CreateTrigStmt);

	create->trigname = row ? META_GUARD_NAME : META_GUARD_NAME "_truncate";
	create->relation = meta_range_var(relid);
	create->funcname = meta_extension_name(META_GUARD_NAME);
	create->row = row;
	create->timing = TRIGGER_TYPE_BEFORE;
	create->events = row ? TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE |
		TRIGGER_TYPE_DELETE : TRIGGER_TYPE_TRUNCATE;
	meta_run_utility((Node *) create);
	enable_always(relid, create->trigname);
}

static void
enable_always(Oid relid, const char *trigger)
{
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	cmd->subtype = AT_EnableAlwaysTrig;
	cmd->name = pstrdup(trigger);
	meta_alter_table(relid, cmd, false);
}

static void
set_identity_full(Oid relid)
{
	AlterTableCmd *cmd = makeNode(AlterTableCmd);
	ReplicaIdentityStmt *identity = makeNode(ReplicaIdentityStmt);

	identity->identity_type = REPLICA_IDENTITY_FULL;
	cmd->subtype = AT_ReplicaIdentity;
	cmd->def = (Node *) identity;
	meta_alter_table(relid, cmd, false);
}

static void
comment_on(Oid relid, const ItemTable *table, const ItemIndex *index)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "Global index \"%s\" of item table \"%s\": partition key",
					 index->name, table->table_name);
	append_attributes(&text, index->keys, index->npartition);
	if (index->nsort > 0)
	{
		appendStringInfoString(&text, ", sort key");
		append_attributes(&text, index->keys + index->npartition,
						  index->nsort);
	}
	CreateComments(relid, RelationRelationId, 0, text.data);
}

static void
append_attributes(StringInfo text, const KeyIndexAttribute *keys, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(text, "%s \"%s\" (%s)", i == 0 ? "" : ",",
						 keys[i].attribute.name,
						 item_type_tag(keys[i].attribute.type));
}

static void
add_statement_trigger(Oid relid, const char *name, int16 timing, int16 events)
{
	CreateTrigStmt *create = makeNode(CreateTrigStmt);

	if (OidIsValid(get_trigger_oid(relid, name, true)))
		return;
	create->trigname = pstrdup(name);
	create->relation = meta_range_var(relid);
	create->funcname = meta_extension_name(META_TRIGGER_NAME);
	create->timing = timing;
	create->events = events;
	meta_run_utility((Node *) create);
	enable_always(relid, name);
}

/*
 * Takes the index tables of an item table along that has been renamed or
 * moved from a schema; the catalog knows its new name already.
 */
void
meta_move_index_tables(Oid relid, Oid old_namespace)
{
	const ItemTable *table = meta_table_if_any(relid);
	Oid			namespace = get_rel_namespace(relid);

	for (int i = 0; table != NULL && i < table->nindexes; i++)
	{
		ItemIndex	index = table->indexes[i];
		Oid			index_relid;

		index_relid = index.global ?
			get_relname_relid(index.relation_name, old_namespace) : InvalidOid;
		if (!OidIsValid(index_relid))
			continue;
		LockRelationOid(index_relid, AccessExclusiveLock);
		index.relation_name = choose_name(table, &index, namespace,
										  old_namespace, index_relid);
		if (strcmp(index.relation_name, table->indexes[i].relation_name) != 0)
			rename_relation(index_relid, index.relation_name);
		if (namespace != old_namespace)
			move_relation(index_relid, namespace);
		comment_on(index_relid, table, &index);
		meta_index_replace(table, &index);
	}
}

static void
rename_relation(Oid relid, const char *name)
{
	RenameRelationInternal(relid, name, true, false);
	CommandCounterIncrement();
}

static void
move_relation(Oid relid, Oid namespace)
{
	Relation	rel = table_open(relid, NoLock);
	ObjectAddresses *moved = new_object_addresses();

	AlterTableNamespaceInternal(rel, RelationGetNamespace(rel), namespace,
								moved);
	free_object_addresses(moved);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

/*
 * Gives the index tables of an item table its owner.
 */
void
meta_own_index_tables(Oid relid)
{
	const ItemTable *table = meta_table_if_any(relid);
	Oid			namespace = get_rel_namespace(relid);
	MetaOwner	owner;
	Oid			owner_id;

	if (table == NULL)
		return;
	meta_become_owner(relid, &owner);
	owner_id = GetUserId();
	meta_become_caller(&owner);
	for (int i = 0; i < table->nindexes; i++)
	{
		Oid			index_relid;

		index_relid = table->indexes[i].global ?
			get_relname_relid(table->indexes[i].relation_name, namespace) :
			InvalidOid;
		if (!OidIsValid(index_relid))
			continue;
		LockRelationOid(index_relid, AccessExclusiveLock);
		ATExecChangeOwner(index_relid, owner_id, true, AccessExclusiveLock);
		CommandCounterIncrement();
	}
}
