/*
 * meta_shard.c
 *	  What a table with write shards has beside the other item tables: a check
 *	  constraint on the numbers, statistics on the partition key without them,
 *	  and, where the number cannot be computed from the key, a unique index on
 *	  the key without it.
 *
 * The constraint carries all of it as constants, as item_check does, so that
 * a table which was restored without the extension's own rows can be
 * registered again.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_statistic_ext.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "meta/meta_private.h"

bool		meta_changing_shards = false;

static bool is_validated(Oid relid);
static bool is_extension_function(Oid function, const char *name);
static void replace_comment(const ItemTable *table, int count);
static void replace_constraint(Oid relid, const KeySharding *sharding);
static FuncExpr *shard_check_call(const ConstrCheck *check);
static void add_shard_check(Oid relid, const KeySchema *schema);
static void create_logical_index(Oid relid, IndexMethod method);
static bool is_logical_index(Relation index, const KeySchema *schema);
static void create_statistics(Oid relid);
static bool has_statistics(Relation rel);

/* CHECK (partitioning.check_shard(pk, sk, <by>, <shards>, <former>)) */
Constraint *
meta_shard_constraint(const KeySharding *sharding)
{
	Constraint *constraint = makeNode(Constraint);
	const char *by = meta_shard_by(sharding);
	Node	   *by_constant;
	List	   *args;

	if (by != NULL)
		by_constant = meta_string_constant(by);
	else
	{
		A_Const    *null = makeNode(A_Const);

		null->isnull = true;
		null->location = -1;
		by_constant = (Node *) null;
	}
	args = list_make5(meta_column_reference(META_PK_COLUMN),
					  meta_column_reference(META_SK_COLUMN), by_constant,
					  meta_integer_constant(sharding->count),
					  meta_integer_constant(sharding->former));
	constraint->contype = CONSTR_CHECK;
	constraint->conname = META_SHARD_CHECK_NAME;
	constraint->location = -1;
	constraint->initially_valid = true;
	compat_constraint_enforce(constraint);
	constraint->raw_expr =
		(Node *) makeFuncCall(meta_extension_name("check_shard"), args,
							  COERCE_EXPLICIT_CALL, -1);
	return constraint;
}

/* partitioning.shard_base(pk) */
Node *
meta_shard_base_call(void)
{
	return (Node *) makeFuncCall(meta_extension_name("shard_base"),
								 list_make1(meta_column_reference(META_PK_COLUMN)),
								 COERCE_EXPLICIT_CALL, -1);
}

void
meta_set_shards(Oid relid, int count, int former,
				const ReshardProgress *progress)
{
	const ItemTable *table = meta_table(relid);
	KeySchema	schema = table->schema;

	replace_comment(table, count);
	schema.sharding.count = count;
	schema.sharding.former = former;
	meta_row_reshard(table->schema_name, table->table_name, &schema.sharding,
					 progress);
	meta_changing_shards = true;
	PG_TRY();
	{
		replace_constraint(relid, &schema.sharding);
	}
	PG_FINALLY();
	{
		meta_changing_shards = false;
	}
	PG_END_TRY();
}

/* The comment tells the number, unless it is a user's. */
static void
replace_comment(const ItemTable *table, int count)
{
	char	   *comment = GetComment(table->relid, RelationRelationId, 0);
	KeySchema	schema = table->schema;

	if (comment == NULL || strcmp(comment, meta_describe_schema(&schema)) != 0)
		return;
	schema.sharding.count = count;
	CreateComments(table->relid, RelationRelationId, 0,
				   meta_describe_schema(&schema));
}

/* Rows are not looked at: they obey, or are being made to. */
static void
replace_constraint(Oid relid, const KeySharding *sharding)
{
	AlterTableCmd *drop = makeNode(AlterTableCmd);
	AlterTableCmd *add = makeNode(AlterTableCmd);
	Constraint *constraint = meta_shard_constraint(sharding);

	drop->subtype = AT_DropConstraint;
	drop->name = META_SHARD_CHECK_NAME;
	drop->behavior = DROP_RESTRICT;
	meta_alter_table(relid, drop, true);
	constraint->skip_validation = true;
	constraint->initially_valid = false;
	add->subtype = AT_AddConstraint;
	add->def = (Node *) constraint;
	meta_alter_table(relid, add, true);
}

void
meta_validate_shards(Oid relid)
{
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	cmd->subtype = AT_ValidateConstraint;
	cmd->name = META_SHARD_CHECK_NAME;
	meta_alter_table(relid, cmd, true);
}

void
meta_note_reshard(const ItemTable *table, const ReshardProgress *progress)
{
	meta_row_reshard(table->schema_name, table->table_name, NULL, progress);
}

List *
meta_reshards(void)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, meta_rows_all())
	{
		MetaRow    *row = lfirst(lc);
		Oid			namespace = get_namespace_oid(row->schema_name, true);
		Oid			relid = OidIsValid(namespace) ?
			get_relname_relid(row->table_name, namespace) : InvalidOid;

		if (OidIsValid(relid) && row->schema.sharding.count > 0 &&
			(row->schema.sharding.former > 0 || !is_validated(relid)))
			result = lappend_oid(result, relid);
	}
	return result;
}

/* Has it been seen that all rows obey the constraint on shards? */
static bool
is_validated(Oid relid)
{
	Oid			constraint = get_relation_constraint_oid(relid,
														 META_SHARD_CHECK_NAME,
														 true);
	HeapTuple	tuple = SearchSysCache1(CONSTROID,
										ObjectIdGetDatum(constraint));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return true;
	result = ((Form_pg_constraint) GETSTRUCT(tuple))->convalidated;
	ReleaseSysCache(tuple);
	return result;
}

bool
meta_shards_are_checked(const ItemTable *table)
{
	Relation	rel = table_open(table->relid, NoLock);
	const ConstrCheck *check = meta_find_check(rel, META_SHARD_CHECK_NAME);
	bool		result = check != NULL &&
		meta_is_shard_check(check, &table->schema.sharding);

	table_close(rel, NoLock);
	return result;
}

void
meta_reshard_progress(const ItemTable *table, ReshardProgress *progress)
{
	MetaRow		row;

	if (!meta_row_find(table->schema_name, table->table_name, &row))
		elog(ERROR, "table \"%s.%s\" has no row in partitioning.tables",
			 table->schema_name, table->table_name);
	*progress = row.progress;
}

static bool
is_extension_function(Oid function, const char *name)
{
	char	   *found;

	if (get_func_namespace(function) != get_namespace_oid(META_SCHEMA, true))
		return false;
	found = get_func_name(function);
	return found != NULL && strcmp(found, name) == 0;
}

bool
meta_is_shard_base_function(Oid function)
{
	return is_extension_function(function, "shard_base");
}

bool
meta_is_shard_check_function(Oid function)
{
	return is_extension_function(function, "check_shard");
}

/* The call that a constraint is, or NULL. */
static FuncExpr *
shard_check_call(const ConstrCheck *check)
{
	FuncExpr   *call = stringToNode(check->ccbin);

	if (!IsA(call, FuncExpr) || !meta_is_shard_check_function(call->funcid))
		return NULL;
	for (int i = 2; i < list_length(call->args); i++)
	{
		if (!IsA(list_nth(call->args, i), Const))
			return NULL;
	}
	return call;
}

/* What the constraint of a relation says; no shards when it has none. */
void
meta_sharding_of_relation(Relation rel, KeySharding *sharding)
{
	const ConstrCheck *check = meta_find_check(rel, META_SHARD_CHECK_NAME);
	FuncExpr   *call = check != NULL ? shard_check_call(check) : NULL;
	Const	   *by;
	Const	   *count;
	Const	   *former;

	memset(sharding, 0, sizeof(*sharding));
	if (call == NULL)
		return;
	by = list_nth(call->args, 2);
	count = list_nth(call->args, 3);
	former = list_nth(call->args, 4);
	if (count->constisnull || former->constisnull)
		return;
	meta_set_sharding(sharding, DatumGetInt32(count->constvalue),
					  by->constisnull ? NULL :
					  TextDatumGetCString(by->constvalue),
					  DatumGetInt32(former->constvalue));
}

bool
meta_is_shard_check(const ConstrCheck *check, const KeySharding *sharding)
{
	FuncExpr   *call = shard_check_call(check);
	const char *by = meta_shard_by(sharding);
	Const	   *constant;

	if (call == NULL)
		return false;
	constant = list_nth(call->args, 2);
	if (constant->constisnull != (by == NULL) ||
		(by != NULL &&
		 strcmp(TextDatumGetCString(constant->constvalue), by) != 0))
		return false;
	constant = list_nth(call->args, 3);
	if (constant->constisnull ||
		DatumGetInt32(constant->constvalue) != sharding->count)
		return false;
	constant = list_nth(call->args, 4);
	return !constant->constisnull &&
		DatumGetInt32(constant->constvalue) == sharding->former;
}

/* Adds what a table with shards still lacks. */
void
meta_shards_complete(Oid relid, const KeySchema *schema, IndexMethod method)
{
	Relation	rel;
	bool		indexed;
	bool		analyzed;

	add_shard_check(relid, schema);
	rel = table_open(relid, NoLock);
	indexed = schema->sharding.by == KEY_SHARD_SORT_KEY ||
		OidIsValid(meta_find_logical_index(rel, schema));
	analyzed = has_statistics(rel);
	table_close(rel, NoLock);
	if (!indexed)
		create_logical_index(relid, method);
	if (!analyzed)
		create_statistics(relid);
}

static void
add_shard_check(Oid relid, const KeySchema *schema)
{
	Relation	rel = table_open(relid, NoLock);
	bool		there = meta_find_check(rel, META_SHARD_CHECK_NAME) != NULL;
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	table_close(rel, NoLock);
	if (there)
		return;
	cmd->subtype = AT_AddConstraint;
	cmd->def = (Node *) meta_shard_constraint(&schema->sharding);
	meta_alter_table(relid, cmd, true);
}

/*
 * CREATE UNIQUE INDEX <table>_logical_key ON <table>
 *		(partitioning.shard_base(pk) partitioning.text_hash_ops, sk)
 */
static void
create_logical_index(Oid relid, IndexMethod method)
{
	IndexStmt  *statement = makeNode(IndexStmt);
	IndexElem  *pk = makeNode(IndexElem);
	IndexElem  *sk = makeNode(IndexElem);

	pk->expr = meta_shard_base_call();
	pk->opclass = meta_extension_name(meta_hash_opclass_name(TEXTOID));
	sk->name = META_SK_COLUMN;
	pk->ordering = sk->ordering = SORTBY_DEFAULT;
	pk->nulls_ordering = sk->nulls_ordering = SORTBY_NULLS_DEFAULT;
	statement->indexParams = list_make2(pk, sk);
	statement->idxname = ChooseRelationName(get_rel_name(relid), NULL,
											"logical_key",
											get_rel_namespace(relid), false);
	statement->relation = meta_range_var(relid);
	statement->relation->inh = true;
	statement->accessMethod = pstrdup(meta_method_name(method));
	statement->unique = true;
	meta_run_utility((Node *) statement);
}

Oid
meta_find_logical_index(Relation rel, const KeySchema *schema)
{
	List	   *indexes = RelationGetIndexList(rel);
	Oid			result = InvalidOid;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (is_logical_index(index, schema))
			result = lfirst_oid(lc);
		index_close(index, AccessShareLock);
		if (OidIsValid(result))
			break;
	}
	list_free(indexes);
	return result;
}

static bool
is_logical_index(Relation index, const KeySchema *schema)
{
	Form_pg_index form = index->rd_index;
	AttrNumber	sk = get_attnum(form->indrelid, META_SK_COLUMN);
	IndexMethod method;
	FuncExpr   *call;
	Var		   *var;

	if (!meta_method_of(index->rd_rel->relam, &method) ||
		!form->indisunique || !form->indimmediate || !form->indisvalid ||
		!form->indisready || form->indnatts != 2 ||
		form->indkey.values[0] != 0 || form->indkey.values[1] != sk ||
		index->rd_indoption[0] != 0 || index->rd_indoption[1] != 0 ||
		index->rd_indcollation[0] != C_COLLATION_OID ||
		(OidIsValid(index->rd_indcollation[1]) &&
		 index->rd_indcollation[1] != C_COLLATION_OID) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		index->rd_opfamily[0] != meta_column_family(index->rd_rel->relam,
													TEXTOID, true) ||
		index->rd_opfamily[1] == meta_column_family(index->rd_rel->relam,
													index->rd_opcintype[1],
													true))
		return false;
	call = linitial(RelationGetIndexExpressions(index));
	if (!IsA(call, FuncExpr) ||
		!is_extension_function(call->funcid, "shard_base"))
		return false;
	var = linitial(call->args);
	return IsA(var, Var) &&
		var->varattno == get_attnum(form->indrelid, META_PK_COLUMN);
}

/* CREATE STATISTICS <table>_shard_base ON (partitioning.shard_base(pk)) */
static void
create_statistics(Oid relid)
{
	CreateStatsStmt *statement = makeNode(CreateStatsStmt);
	StatsElem  *element = makeNode(StatsElem);
	char	   *schema_name = get_namespace_name(get_rel_namespace(relid));

	element->expr = meta_shard_base_call();
	statement->defnames = list_make2(makeString(schema_name),
									 makeString(ChooseRelationName(get_rel_name(relid), NULL,
																   "shard_base",
																   get_rel_namespace(relid),
																   false)));
	statement->exprs = list_make1(element);
	statement->relations = list_make1(meta_range_var(relid));
	meta_run_utility((Node *) statement);
}

/* Are there statistics on shard_base(pk)? */
static bool
has_statistics(Relation rel)
{
	List	   *statistics = RelationGetStatExtList(rel);
	bool		found = false;
	ListCell   *lc;

	foreach(lc, statistics)
	{
		HeapTuple	tuple = SearchSysCache1(STATEXTOID,
											ObjectIdGetDatum(lfirst_oid(lc)));
		Datum		exprs;
		bool		isnull;

		if (!HeapTupleIsValid(tuple))
			continue;
		exprs = SysCacheGetAttr(STATEXTOID, tuple,
								Anum_pg_statistic_ext_stxexprs, &isnull);
		if (!isnull)
		{
			List	   *list = (List *) stringToNode(TextDatumGetCString(exprs));
			FuncExpr   *call = linitial(list);

			found |= IsA(call, FuncExpr) &&
				is_extension_function(call->funcid, "shard_base");
		}
		ReleaseSysCache(tuple);
	}
	list_free(statistics);
	return found;
}
