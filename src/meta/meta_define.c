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

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "commands/trigger.h"
#include "nodes/makefuncs.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "base/errors.h"
#include "meta/meta_private.h"

static void define(Oid relid, const KeySchema *schema, bool new_table);
static void set_not_null(Oid relid, const KeySchema *schema);
static void add_check(Oid relid, const KeySchema *schema);
static void add_key_index(Oid relid, const KeySchema *schema);
static void add_trigger(Oid relid);
static Oid	key_index_of(Oid relid, const KeySchema *schema);
static void run_utility(Node *statement);
static void alter_table(Oid relid, AlterTableCmd *cmd, bool recurse);
static RangeVar *range_var(Oid relid);
static void check_relation(Relation rel, const KeySchema *schema);
static void check_partitioned(Relation rel);
static void check_column(Relation rel, AttrNumber attnum, Oid type,
						 StringInfo problem);
static List *extension_name(const char *name);
static Oid	item_type(void);
static Oid	hash_family(Oid key_type);
static ColumnDef *column(const char *name, Oid type);
static Constraint *check_constraint(const KeySchema *schema);
static const ConstrCheck *find_check(Relation rel);
static bool is_item_check(const ConstrCheck *check, const KeySchema *schema);
static void create_key_index(Oid relid, const KeySchema *schema);
static void set_replica_identity(Oid relid, Oid index);
static void set_comments(Oid relid, const KeySchema *schema, bool replace);
static void set_comment(Oid relid, AttrNumber attnum, bool replace,
						const char *text);
static char *describe_schema(const KeySchema *schema);
static char *attribute_text(const char *what, const KeyAttribute *attribute);

Oid
meta_create_table(const char *schema_name, const char *table_name,
				  const KeySchema *schema)
{
	CreateStmt *create = makeNode(CreateStmt);
	Oid			relid;

	create->relation = makeRangeVar(pstrdup(schema_name), pstrdup(table_name),
									-1);
	create->oncommit = ONCOMMIT_NOOP;
	create->tableElts =
		list_make1(column(META_PK_COLUMN,
						  key_column_type(schema->attributes[0].type)));
	if (schema->n > 1)
		create->tableElts =
			lappend(create->tableElts,
					column(META_SK_COLUMN,
						   key_column_type(schema->attributes[1].type)));
	create->tableElts = lappend(create->tableElts,
								column(META_ATTRIBUTES_COLUMN, item_type()));
	create->tableElts = lappend(create->tableElts, check_constraint(schema));
	run_utility((Node *) create);

	relid = get_relname_relid(table_name, get_namespace_oid(schema_name, false));
	define(relid, schema, true);
	return relid;
}

void
meta_register_table(Oid relid, const KeySchema *schema)
{
	define(relid, schema, false);
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

	drop->removeType = OBJECT_TABLE;
	drop->objects = list_make1(list_make2(makeString(schema_name),
										  makeString(table_name)));
	drop->behavior = DROP_RESTRICT;
	run_utility((Node *) drop);
	(void) meta_row_delete(schema_name, table_name);
}

/*
 * Completes a relation and registers it.  The relation is closed whenever a
 * utility command runs, which wants it for itself; the lock stays.
 */
static void
define(Oid relid, const KeySchema *schema, bool new_table)
{
	LOCKMODE	lockmode = AccessExclusiveLock;
	Relation	rel = table_open(relid, lockmode);
	MetaRow		row;
	bool		known;

	if (!new_table)
	{
		meta_check_owner(relid);
		check_relation(rel, schema);
	}
	row.schema_name = get_namespace_name(RelationGetNamespace(rel));
	row.table_name = pstrdup(RelationGetRelationName(rel));
	table_close(rel, NoLock);

	/* a new table's name has a row only if event triggers missed a drop */
	if (new_table)
		(void) meta_row_delete(row.schema_name, row.table_name);
	known = meta_row_find(row.schema_name, row.table_name, &row);
	if (known && !key_schema_equal(&row.schema, schema))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" is already an item table with other key attributes",
						row.table_name),
				 errdetail("%s.", describe_schema(&row.schema))));
	row.schema = *schema;

	set_not_null(relid, schema);
	add_check(relid, schema);
	add_key_index(relid, schema);
	add_trigger(relid);
	set_comments(relid, schema, new_table);
	if (!known)
		meta_row_insert(&row);
}

/*
 * What the columns must be: types and collation.  NOT NULL is not looked at
 * here: only register_table() has to add it, and a dump restores it.
 */
const char *
meta_check_columns(Relation rel, const KeySchema *schema,
				   AttrNumber *key_attnums, AttrNumber *attributes_attnum)
{
	static const char *const key_columns[] = {META_PK_COLUMN, META_SK_COLUMN};
	Oid			relid = RelationGetRelid(rel);
	StringInfoData problem;

	initStringInfo(&problem);
	for (int i = 0; i < schema->n; i++)
	{
		key_attnums[i] = get_attnum(relid, key_columns[i]);
		if (key_attnums[i] <= 0)
			appendStringInfo(&problem, "It has no column \"%s\".",
							 key_columns[i]);
		else
			check_column(rel, key_attnums[i],
						 key_column_type(schema->attributes[i].type),
						 &problem);
		if (problem.len > 0)
			return problem.data;
	}
	if (schema->n == 1 && get_attnum(relid, META_SK_COLUMN) > 0)
		return "It has a column \"sk\", but no sort key is declared.";
	*attributes_attnum = get_attnum(relid, META_ATTRIBUTES_COLUMN);
	if (*attributes_attnum <= 0)
		return "It has no column \"attributes\".";
	check_column(rel, *attributes_attnum, item_type(), &problem);
	return problem.len > 0 ? problem.data : NULL;
}

/*
 * A key index is unique, checked at once, complete, and in hash order: what
 * create_table() makes.
 */
Oid
meta_find_key_index(Relation rel, const KeySchema *schema,
					const AttrNumber *key_attnums)
{
	List	   *indexes = RelationGetIndexList(rel);
	Oid			result = InvalidOid;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);
		Form_pg_index form = index->rd_index;
		bool		fits;

		fits = index->rd_rel->relam == BTREE_AM_OID &&
			form->indisunique && form->indimmediate && form->indisvalid &&
			form->indnkeyatts == schema->n &&
			heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL) &&
			heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
		for (int i = 0; fits && i < schema->n; i++)
		{
			Oid			type = key_column_type(schema->attributes[i].type);
			Oid			family = i == 0 ? hash_family(type) :
				get_opclass_family(GetDefaultOpClass(type, BTREE_AM_OID));

			fits = form->indkey.values[i] == key_attnums[i] &&
				index->rd_opfamily[i] == family &&
				index->rd_indoption[i] == 0 &&
				(type != TEXTOID || index->rd_indcollation[i] == C_COLLATION_OID);
		}
		index_close(index, AccessShareLock);
		if (fits)
		{
			result = lfirst_oid(lc);
			break;
		}
	}
	list_free(indexes);
	return result;
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
		alter_table(relid, cmd, true);
	}
}

static void
add_check(Oid relid, const KeySchema *schema)
{
	Relation	rel = table_open(relid, NoLock);
	const ConstrCheck *check = find_check(rel);
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	if (check != NULL && !is_item_check(check, schema))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" has a constraint \"%s\" that is not the one of such an item table",
						RelationGetRelationName(rel), META_CHECK_NAME),
				 errhint("Drop or rename it.")));
	table_close(rel, NoLock);
	if (check != NULL)
		return;
	cmd->subtype = AT_AddConstraint;
	cmd->def = (Node *) check_constraint(schema);
	alter_table(relid, cmd, true);
}

/* Makes the key index unless there is one, the replica identity in any case. */
static void
add_key_index(Oid relid, const KeySchema *schema)
{
	Oid			index = key_index_of(relid, schema);
	ListCell   *lc;

	if (!OidIsValid(index))
	{
		create_key_index(relid, schema);
		index = key_index_of(relid, schema);
	}
	set_replica_identity(relid, index);
	if (get_rel_relkind(relid) != RELKIND_PARTITIONED_TABLE)
		return;
	foreach(lc, find_inheritance_children(relid, AccessExclusiveLock))
		set_replica_identity(lfirst_oid(lc),
							 key_index_of(lfirst_oid(lc), schema));
}

/*
 * Makes the row trigger unless there is one, and has it fire ALWAYS, in
 * logical replication, too.  Partitions get theirs from the table.
 */
static void
add_trigger(Oid relid)
{
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	if (!OidIsValid(get_trigger_oid(relid, META_TRIGGER_NAME, true)))
	{
		CreateTrigStmt *create = makeNode(CreateTrigStmt);

		create->trigname = pstrdup(META_TRIGGER_NAME);
		create->relation = range_var(relid);
		create->funcname = extension_name(META_TRIGGER_NAME);
		create->row = true;
		create->timing = TRIGGER_TYPE_AFTER;
		create->events = TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE |
			TRIGGER_TYPE_DELETE;
		run_utility((Node *) create);
	}
	cmd->subtype = AT_EnableAlwaysTrig;
	cmd->name = pstrdup(META_TRIGGER_NAME);
	alter_table(relid, cmd, true);
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
static void
run_utility(Node *statement)
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

static void
alter_table(Oid relid, AlterTableCmd *cmd, bool recurse)
{
	AlterTableStmt *statement = makeNode(AlterTableStmt);

	statement->relation = range_var(relid);
	statement->relation->inh = recurse;
	statement->cmds = list_make1(cmd);
	statement->objtype = OBJECT_TABLE;
	run_utility((Node *) statement);
}

static RangeVar *
range_var(Oid relid)
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

bool
meta_has_only_item_check(Relation rel, const KeySchema *schema)
{
	TupleConstr *constr = RelationGetDescr(rel)->constr;
	const ConstrCheck *check = find_check(rel);

	return check != NULL && constr->num_check == 1 &&
		is_item_check(check, schema);
}

/* Everything about a user's table that register_table() cannot mend. */
static void
check_relation(Relation rel, const KeySchema *schema)
{
	const char *name = RelationGetRelationName(rel);
	const char *problem;
	AttrNumber	key_attnums[KEY_MAX_ATTRIBUTES];
	AttrNumber	attributes_attnum;

	if (rel->rd_rel->relkind != RELKIND_RELATION &&
		rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", name)));
	if (rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("temporary tables cannot be item tables")));
	if (IsCatalogRelation(rel) ||
		get_namespace_oid(META_SCHEMA, false) == RelationGetNamespace(rel))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" belongs to the system or to the extension",
						name)));
	if (rel->rd_rel->relispartition)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is a partition", name),
				 errhint("Register the partitioned table.")));
	if (OidIsValid(rel->rd_rel->reloftype) ||
		has_superclass(RelationGetRelid(rel)) ||
		(rel->rd_rel->relkind == RELKIND_RELATION &&
		 find_inheritance_children(RelationGetRelid(rel), NoLock) != NIL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" takes part in inheritance or is of a composite type",
						name),
				 errdetail("Such tables cannot be item tables.")));
	problem = meta_check_columns(rel, schema, key_attnums, &attributes_attnum);
	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("table \"%s\" does not have the columns of an item table",
						name),
				 errdetail_internal("%s", problem)));
	if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		check_partitioned(rel);
}

static void
check_partitioned(Relation rel)
{
	PartitionKey key = RelationGetPartitionKey(rel);
	AttrNumber	pk = get_attnum(RelationGetRelid(rel), META_PK_COLUMN);
	ListCell   *lc;

	if (key->strategy != PARTITION_STRATEGY_HASH || key->partnatts != 1 ||
		key->partattrs[0] != pk)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("item table \"%s\" must be partitioned by hash of column \"pk\" alone",
						RelationGetRelationName(rel))));
	foreach(lc, find_inheritance_children(RelationGetRelid(rel),
										  AccessShareLock))
	{
		if (get_rel_relkind(lfirst_oid(lc)) != RELKIND_RELATION)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("partition \"%s\" of item table \"%s\" must be an ordinary table",
							get_rel_name(lfirst_oid(lc)),
							RelationGetRelationName(rel)),
					 errdetail("Foreign tables and further levels of partitions are not supported.")));
	}
}

static void
check_column(Relation rel, AttrNumber attnum, Oid type, StringInfo problem)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attnum - 1);

	if (att->atttypid != type || att->atttypmod != -1)
		appendStringInfo(problem, "Column \"%s\" is of type %s, not %s.",
						 NameStr(att->attname),
						 format_type_with_typemod(att->atttypid, att->atttypmod),
						 format_type_be(type));
	else if (type == TEXTOID && att->attcollation != C_COLLATION_OID)
		appendStringInfo(problem, "Column \"%s\" is not COLLATE \"C\".",
						 NameStr(att->attname));
	else if (att->attgenerated != '\0')
		appendStringInfo(problem, "Column \"%s\" is a generated column.",
						 NameStr(att->attname));
}

static Oid
item_type(void)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum("item"),
						   ObjectIdGetDatum(get_namespace_oid(META_SCHEMA,
															  false)));
}

/* Operator class and family have one name: that of the type, and this. */
static const char *
hash_opclass_name(Oid key_type)
{
	switch (key_type)
	{
		case TEXTOID:
			return "text_hash_ops";
		case NUMERICOID:
			return "numeric_hash_ops";
		case BYTEAOID:
			return "bytea_hash_ops";
	}
	elog(ERROR, "type %u cannot be a key", key_type);
	return NULL;				/* keep compiler quiet */
}

static List *
extension_name(const char *name)
{
	return list_make2(makeString(META_SCHEMA), makeString(pstrdup(name)));
}

static Oid
hash_family(Oid key_type)
{
	return get_opfamily_oid(BTREE_AM_OID,
							extension_name(hash_opclass_name(key_type)),
							false);
}

static ColumnDef *
column(const char *name, Oid type)
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

static Node *
string_constant(const char *value)
{
	A_Const    *node = makeNode(A_Const);

	node->val.sval.type = T_String;
	node->val.sval.sval = pstrdup(value);
	node->location = -1;
	return (Node *) node;
}

static Node *
integer_constant(int value)
{
	A_Const    *node = makeNode(A_Const);

	node->val.ival.type = T_Integer;
	node->val.ival.ival = value;
	node->location = -1;
	return (Node *) node;
}

static Node *
column_reference(const char *name)
{
	ColumnRef  *node = makeNode(ColumnRef);

	node->fields = list_make1(makeString(pstrdup(name)));
	node->location = -1;
	return (Node *) node;
}

/* CHECK (partitioning.check_item(<names and columns>, attributes, <limit>)) */
static Constraint *
check_constraint(const KeySchema *schema)
{
	Constraint *constraint = makeNode(Constraint);
	List	   *args;

	args = list_make2(string_constant(schema->attributes[0].name),
					  column_reference(META_PK_COLUMN));
	if (schema->n > 1)
	{
		args = lappend(args, string_constant(schema->attributes[1].name));
		args = lappend(args, column_reference(META_SK_COLUMN));
	}
	args = lappend(args, column_reference(META_ATTRIBUTES_COLUMN));
	args = lappend(args, integer_constant(KEY_BTREE_LIMIT));

	constraint->contype = CONSTR_CHECK;
	constraint->conname = META_CHECK_NAME;
	constraint->location = -1;
	constraint->initially_valid = true;
	compat_constraint_enforce(constraint);
	constraint->raw_expr = (Node *) makeFuncCall(extension_name("check_item"),
												 args, COERCE_EXPLICIT_CALL,
												 -1);
	return constraint;
}

static const ConstrCheck *
find_check(Relation rel)
{
	TupleConstr *constr = RelationGetDescr(rel)->constr;

	for (int i = 0; constr != NULL && i < constr->num_check; i++)
	{
		if (strcmp(constr->check[i].ccname, META_CHECK_NAME) == 0)
			return &constr->check[i];
	}
	return NULL;
}

/* Whether a constraint is a call of check_item() with this schema's names. */
static bool
is_item_check(const ConstrCheck *check, const KeySchema *schema)
{
	FuncExpr   *call = stringToNode(check->ccbin);
	char	   *function;

	if (!IsA(call, FuncExpr) ||
		list_length(call->args) != 2 * schema->n + 2 ||
		get_func_namespace(call->funcid) != get_namespace_oid(META_SCHEMA, true))
		return false;
	function = get_func_name(call->funcid);
	if (function == NULL || strcmp(function, "check_item") != 0)
		return false;
	for (int i = 0; i < schema->n; i++)
	{
		Const	   *name = list_nth(call->args, 2 * i);

		if (!IsA(name, Const) || name->consttype != TEXTOID ||
			name->constisnull ||
			strcmp(TextDatumGetCString(name->constvalue),
				   schema->attributes[i].name) != 0)
			return false;
	}
	return true;
}

/*
 * CREATE UNIQUE INDEX <table>_key ON <table> (pk partitioning.<type>_hash_ops
 * [, sk]).  The server shortens the table's part of the name to fit in 63
 * bytes and appends a number when the name is taken.
 */
static void
create_key_index(Oid relid, const KeySchema *schema)
{
	IndexStmt  *statement = makeNode(IndexStmt);
	IndexElem  *pk = makeNode(IndexElem);
	Oid			type = key_column_type(schema->attributes[0].type);

	pk->name = META_PK_COLUMN;
	pk->opclass = extension_name(hash_opclass_name(type));
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
	statement->relation = range_var(relid);
	statement->relation->inh = true;
	statement->accessMethod = "btree";
	statement->unique = true;
	run_utility((Node *) statement);
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
	alter_table(relid, cmd, false);
}

/* Comments for \d+; those of a user stay. */
static void
set_comments(Oid relid, const KeySchema *schema, bool replace)
{
	const KeyAttribute *pk = &schema->attributes[0];
	const KeyAttribute *sk = &schema->attributes[1];

	set_comment(relid, 0, replace, describe_schema(schema));
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

static char *
describe_schema(const KeySchema *schema)
{
	char	   *text = attribute_text("Item table: partition key",
									  &schema->attributes[0]);

	if (schema->n > 1)
		text = psprintf("%s, %s", text,
						attribute_text("sort key", &schema->attributes[1]));
	return text;
}

static char *
attribute_text(const char *what, const KeyAttribute *attribute)
{
	return psprintf("%s \"%s\" (%s)", what, attribute->name,
					item_type_tag(attribute->type));
}
