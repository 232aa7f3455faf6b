/*
 * meta_define.c
 *	  Makes a relation an item table: columns, check constraint, key index,
 *	  replica identity, comments, and the row of partitioning.tables.
 *
 * create_table() and register_table() share everything but the columns, so a
 * table that a user made ends up like one of ours.  All is done by the
 * server's own utility commands, built as parse trees: they check privileges,
 * fire users' event triggers and recurse to partitions, and no name is ever
 * text that could be parsed as something else.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/service_text.h"
#include "meta/meta_private.h"

/*
 * A tenth of each page is for replacing items in place (HOT): that spares a
 * new entry in every index of the table, and the next reader of the page frees
 * the room again.
 */
#define TABLE_FILLFACTOR	90

static void define(Oid relid, const KeySchema *schema, IndexMethod method,
				   bool new_table);
static void set_not_null(Oid relid, const KeySchema *schema);
static void add_check(Oid relid, const KeySchema *schema, IndexMethod method);
static void add_key_index(Oid relid, const KeySchema *schema,
						  IndexMethod method);
static Oid	key_index_of(Oid relid, const KeySchema *schema);
static Constraint *check_constraint(const KeySchema *schema,
									IndexMethod method);
static void create_key_index(Oid relid, const KeySchema *schema,
							 IndexMethod method);
static void set_replica_identity(Oid relid, Oid index);
static void set_comments(Oid relid, const KeySchema *schema, bool replace);
static void set_comment(Oid relid, AttrNumber attnum, bool replace,
						const char *text);
static char *attribute_text(const char *what, const KeyAttribute *attribute);

Oid
meta_create_table(const char *schema_name, const char *table_name,
				  const KeySchema *schema, IndexMethod method)
{
	CreateStmt *create = makeNode(CreateStmt);
	Oid			relid;

	create->relation = makeRangeVar(pstrdup(schema_name), pstrdup(table_name),
									-1);
	create->oncommit = ONCOMMIT_NOOP;
	create->options = list_make1(makeDefElem("fillfactor",
											 (Node *) makeInteger(TABLE_FILLFACTOR),
											 -1));
	create->tableElts =
		list_make1(meta_column(META_PK_COLUMN,
						  key_column_type(schema->attributes[0].type)));
	if (schema->n > 1)
		create->tableElts =
			lappend(create->tableElts,
					meta_column(META_SK_COLUMN,
						   key_column_type(schema->attributes[1].type)));
	create->tableElts = lappend(create->tableElts,
								meta_column(META_ATTRIBUTES_COLUMN, meta_item_type()));
	create->tableElts = lappend(create->tableElts, check_constraint(schema, method));
	if (schema->sharding.count > 0)
		create->tableElts = lappend(create->tableElts,
									meta_shard_constraint(&schema->sharding));
	meta_run_utility((Node *) create);

	relid = get_relname_relid(table_name, get_namespace_oid(schema_name, false));
	define(relid, schema, method, true);
	return relid;
}

void
meta_register_table(Oid relid, const KeySchema *schema)
{
	define(relid, schema, guc_index_method, false);
}

/*
 * DROP TABLE; the event trigger removes the row, unless event triggers are
 * switched off.
 */
void
meta_drop_table(Oid relid)
{
	DropStmt   *drop = makeNode(DropStmt);
	char	   *schema_name = get_namespace_name(get_rel_namespace(relid));
	char	   *table_name = get_rel_name(relid);

	if (schema_name == NULL || table_name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_RESOURCE_NOT_FOUND),
				 errdetail("The table was dropped meanwhile.")));
	drop->removeType = OBJECT_TABLE;
	drop->objects = list_make1(list_make2(makeString(schema_name),
										  makeString(table_name)));
	drop->behavior = DROP_RESTRICT;
	meta_run_utility((Node *) drop);
	meta_forget_relation(schema_name, table_name, DROP_RESTRICT);
}

/*
 * Completes a relation and registers it.  The relation is closed whenever a
 * utility command runs, which wants it for itself; the lock stays.
 */
static void
define(Oid relid, const KeySchema *schema, IndexMethod method, bool new_table)
{
	LOCKMODE	lockmode = AccessExclusiveLock;
	Relation	rel = table_open(relid, lockmode);
	MetaRow		row;
	KeySchema	sharded = *schema;
	bool		known;
	Oid			index;

	if (!new_table)
	{
		meta_check_owner(relid);
		meta_check_relation(rel, schema);
		meta_sharding_of_relation(rel, &sharded.sharding);
		schema = &sharded;
	}
	row.schema_name = get_namespace_name(RelationGetNamespace(rel));
	row.table_name = pstrdup(RelationGetRelationName(rel));
	table_close(rel, NoLock);

	/* a new table's name has a row only if event triggers missed a drop */
	if (new_table)
		(void) meta_row_delete(row.schema_name, row.table_name);
	known = meta_row_find(row.schema_name, row.table_name, &row);
	if (known && (!key_schema_equal(&row.schema, schema) ||
				  !key_sharding_equal(&row.schema.sharding,
									  &schema->sharding)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" is already an item table with other key attributes",
						row.table_name),
				 errdetail("%s.", meta_describe_schema(&row.schema))));
	row.schema = *schema;

	set_not_null(relid, schema);
	index = key_index_of(relid, schema);
	if (OidIsValid(index))
		method = meta_method_of_index(index);
	else if (COMPAT_UNIQUE_IS_BTREE &&
			 get_rel_relkind(relid) == RELKIND_PARTITIONED_TABLE)
		method = INDEX_METHOD_BTREE;
	add_check(relid, schema, method);
	add_key_index(relid, schema, method);
	if (schema->sharding.count > 0)
		meta_shards_complete(relid, schema, method);
	meta_trigger_add(relid);
	meta_add_statement_triggers(relid,
								lcons_oid(relid,
										  find_inheritance_children(relid,
																	lockmode)),
								false);
	set_comments(relid, schema, new_table);
	if (!known)
		meta_row_insert(&row);
	else
		meta_complete_local_indexes(meta_table(relid));
}

void
meta_complete_partition(const ItemTable *table, Oid partition)
{
	Relation	rel = table_open(partition, NoLock);
	Oid			index;

	if (rel->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("partition \"%s\" of item table \"%s\" must be an ordinary table",
						RelationGetRelationName(rel), table->table_name),
				 errdetail("Foreign tables and further levels of partitions are not supported.")));
	table_close(rel, NoLock);
	index = key_index_of(partition, &table->schema);
	if (OidIsValid(index))
		set_replica_identity(partition, index);
	meta_add_statement_triggers(table->relid, list_make1_oid(partition),
								false);
}

static void
set_not_null(Oid relid, const KeySchema *schema)
{
	static const char *const columns[] = {
		META_PK_COLUMN, META_ATTRIBUTES_COLUMN, META_SK_COLUMN
	};

	for (int i = 0; i < schema->n + 1; i++)
	{
		Relation	rel = table_open(relid, NoLock);
		AttrNumber	attnum = get_attnum(relid, columns[i]);
		bool		done =
			TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attnotnull;
		AlterTableCmd *cmd = makeNode(AlterTableCmd);

		table_close(rel, NoLock);
		if (done)
			continue;
		cmd->subtype = AT_SetNotNull;
		cmd->name = pstrdup(columns[i]);
		meta_alter_table(relid, cmd, true);
	}
}

static void
add_check(Oid relid, const KeySchema *schema, IndexMethod method)
{
	Relation	rel = table_open(relid, NoLock);
	const ConstrCheck *check = meta_find_check(rel, META_CHECK_NAME);
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	if (check != NULL && !meta_is_item_check(check, schema))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" has a constraint \"%s\" that is not the one of such an item table",
						RelationGetRelationName(rel), META_CHECK_NAME),
				 errhint("Drop or rename it.")));
	table_close(rel, NoLock);
	if (check != NULL)
		return;
	cmd->subtype = AT_AddConstraint;
	cmd->def = (Node *) check_constraint(schema, method);
	meta_alter_table(relid, cmd, true);
}

/* Makes the key index unless there is one, the replica identity in any case. */
static void
add_key_index(Oid relid, const KeySchema *schema, IndexMethod method)
{
	Oid			index = key_index_of(relid, schema);
	ListCell   *lc;

	if (!OidIsValid(index))
	{
		create_key_index(relid, schema, method);
		index = key_index_of(relid, schema);
	}
	set_replica_identity(relid, index);
	if (get_rel_relkind(relid) != RELKIND_PARTITIONED_TABLE)
		return;
	foreach(lc, find_inheritance_children(relid, AccessExclusiveLock))
		set_replica_identity(lfirst_oid(lc),
							 key_index_of(lfirst_oid(lc), schema));
}

static Oid
key_index_of(Oid relid, const KeySchema *schema)
{
	Relation	rel = table_open(relid, NoLock);
	AttrNumber	attnums[KEY_MAX_ATTRIBUTES];
	Oid			index;

	attnums[0] = get_attnum(relid, META_PK_COLUMN);
	attnums[1] = get_attnum(relid, META_SK_COLUMN);
	index = meta_find_key_index(rel, schema, attnums);
	table_close(rel, NoLock);
	return index;
}

/* Runs a utility command as if the caller had sent it. */
void
meta_run_utility(Node *statement)
{
	PlannedStmt *wrapper = makeNode(PlannedStmt);

	wrapper->commandType = CMD_UTILITY;
	wrapper->canSetTag = false;
	wrapper->utilityStmt = statement;
	wrapper->stmt_location = -1;
	wrapper->stmt_len = 0;
	ProcessUtility(wrapper, "", false, PROCESS_UTILITY_QUERY, NULL, NULL,
				   None_Receiver, NULL);
	CommandCounterIncrement();
}

void
meta_alter_table(Oid relid, AlterTableCmd *cmd, bool recurse)
{
	AlterTableStmt *statement = makeNode(AlterTableStmt);

	statement->relation = meta_range_var(relid);
	statement->relation->inh = recurse;
	statement->cmds = list_make1(cmd);
	statement->objtype = OBJECT_TABLE;
	meta_run_utility((Node *) statement);
}

RangeVar *
meta_range_var(Oid relid)
{
	return makeRangeVar(get_namespace_name(get_rel_namespace(relid)),
						get_rel_name(relid), -1);
}

void
meta_check_owner(Oid relid)
{
	if (!compat_owns_relation(relid))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
}

ColumnDef *
meta_column(const char *name, Oid type)
{
	ColumnDef  *def = makeColumnDef(name, type, -1, type == TEXTOID ?
									C_COLLATION_OID : InvalidOid);
	Constraint *not_null = makeNode(Constraint);

	not_null->contype = CONSTR_NOTNULL;
	not_null->location = -1;
	not_null->initially_valid = true;
	compat_constraint_enforce(not_null);
	def->constraints = list_make1(not_null);
	return def;
}

Node *
meta_string_constant(const char *value)
{
	A_Const    *node = makeNode(A_Const);

	node->val.sval.type = T_String;
	node->val.sval.sval = pstrdup(value);
	node->location = -1;
	return (Node *) node;
}

Node *
meta_integer_constant(int value)
{
	A_Const    *node = makeNode(A_Const);

	node->val.ival.type = T_Integer;
	node->val.ival.ival = value;
	node->location = -1;
	return (Node *) node;
}

Node *
meta_column_reference(const char *name)
{
	ColumnRef  *node = makeNode(ColumnRef);

	node->fields = list_make1(makeString(pstrdup(name)));
	node->location = -1;
	return (Node *) node;
}

/* CHECK (partitioning.check_item(<names and columns>, attributes, <limit>)) */
static Constraint *
check_constraint(const KeySchema *schema, IndexMethod method)
{
	Constraint *constraint = makeNode(Constraint);
	List	   *args;

	args = list_make2(meta_string_constant(schema->attributes[0].name),
					  schema->sharding.count > 0 ? meta_shard_base_call() :
					  meta_column_reference(META_PK_COLUMN));
	if (schema->n > 1)
	{
		args = lappend(args, meta_string_constant(schema->attributes[1].name));
		args = lappend(args, meta_column_reference(META_SK_COLUMN));
	}
	args = lappend(args, meta_column_reference(META_ATTRIBUTES_COLUMN));
	args = lappend(args, meta_integer_constant(meta_method_limit(method)));

	constraint->contype = CONSTR_CHECK;
	constraint->conname = META_CHECK_NAME;
	constraint->location = -1;
	constraint->initially_valid = true;
	compat_constraint_enforce(constraint);
	constraint->raw_expr = (Node *) makeFuncCall(meta_extension_name("check_item"),
												 args, COERCE_EXPLICIT_CALL,
												 -1);
	return constraint;
}

/*
 * CREATE UNIQUE INDEX <table>_key ON <table> (pk partitioning.<type>_hash_ops
 * [, sk]).  The server shortens the table's part of the name to fit in 63
 * bytes and appends a number when the name is taken.
 */
static void
create_key_index(Oid relid, const KeySchema *schema, IndexMethod method)
{
	IndexStmt  *statement = makeNode(IndexStmt);
	IndexElem  *pk = makeNode(IndexElem);
	Oid			type = key_column_type(schema->attributes[0].type);

	pk->name = META_PK_COLUMN;
	pk->opclass = meta_extension_name(meta_hash_opclass_name(type));
	pk->ordering = SORTBY_DEFAULT;
	pk->nulls_ordering = SORTBY_NULLS_DEFAULT;
	statement->indexParams = list_make1(pk);
	if (schema->n > 1)
	{
		IndexElem  *sk = makeNode(IndexElem);

		sk->name = META_SK_COLUMN;
		sk->ordering = SORTBY_DEFAULT;
		sk->nulls_ordering = SORTBY_NULLS_DEFAULT;
		statement->indexParams = lappend(statement->indexParams, sk);
	}
	statement->idxname = ChooseRelationName(get_rel_name(relid), NULL, "key",
											get_rel_namespace(relid), false);
	statement->relation = meta_range_var(relid);
	statement->relation->inh = true;
	statement->accessMethod = pstrdup(meta_method_name(method));
	statement->unique = true;
	meta_run_utility((Node *) statement);
}

static void
set_replica_identity(Oid relid, Oid index)
{
	Relation	rel = table_open(relid, NoLock);
	bool		done = rel->rd_rel->relreplident == REPLICA_IDENTITY_INDEX &&
		RelationGetReplicaIndex(rel) == index;
	AlterTableCmd *cmd = makeNode(AlterTableCmd);
	ReplicaIdentityStmt *identity = makeNode(ReplicaIdentityStmt);

	table_close(rel, NoLock);
	if (done)
		return;
	identity->identity_type = REPLICA_IDENTITY_INDEX;
	identity->name = get_rel_name(index);
	cmd->subtype = AT_ReplicaIdentity;
	cmd->def = (Node *) identity;
	meta_alter_table(relid, cmd, false);
}

/* Comments for \d+; those of a user stay. */
static void
set_comments(Oid relid, const KeySchema *schema, bool replace)
{
	const KeyAttribute *pk = &schema->attributes[0];
	const KeyAttribute *sk = &schema->attributes[1];

	set_comment(relid, 0, replace, meta_describe_schema(schema));
	set_comment(relid, get_attnum(relid, META_PK_COLUMN), replace,
				attribute_text("Partition key: attribute", pk));
	if (schema->n > 1)
		set_comment(relid, get_attnum(relid, META_SK_COLUMN), replace,
					attribute_text("Sort key: attribute", sk));
	set_comment(relid, get_attnum(relid, META_ATTRIBUTES_COLUMN), replace,
				"All other attributes of the item");
}

static void
set_comment(Oid relid, AttrNumber attnum, bool replace, const char *text)
{
	if (replace || GetComment(relid, RelationRelationId, attnum) == NULL)
		CreateComments(relid, RelationRelationId, attnum, pstrdup(text));
}

char *
meta_describe_schema(const KeySchema *schema)
{
	char	   *text = attribute_text("Item table: partition key",
									  &schema->attributes[0]);

	if (schema->n > 1)
		text = psprintf("%s, %s", text,
						attribute_text("sort key", &schema->attributes[1]));
	if (schema->sharding.count > 0)
		text = psprintf("%s, %d write shards", text, schema->sharding.count);
	return text;
}

static char *
attribute_text(const char *what, const KeyAttribute *attribute)
{
	return psprintf("%s \"%s\" (%s)", what, attribute->name,
					item_type_tag(attribute->type));
}
