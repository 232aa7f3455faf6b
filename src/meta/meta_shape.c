/*
 * meta_shape.c
 *	  What a relation must look like to be an item table.
 *
 * Nothing here changes anything: descriptors are built with it, and
 * meta_define.c asks it what is missing.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/catalog.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "meta/meta_private.h"

static void check_partitioned(Relation rel);
static void check_column(Relation rel, AttrNumber attnum, Oid type,
						 StringInfo problem);

/* Everything about a user's table that register_table() cannot mend. */
void
meta_check_relation(Relation rel, const KeySchema *schema)
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
	check_column(rel, *attributes_attnum, meta_item_type(), &problem);
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
		IndexMethod method;
		bool		fits;

		fits = meta_method_of(index->rd_rel->relam, &method) &&
			form->indisunique && form->indimmediate && form->indisvalid &&
			form->indnkeyatts == schema->n &&
			heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL) &&
			heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
		for (int i = 0; fits && i < schema->n; i++)
		{
			Oid			type = key_column_type(schema->attributes[i].type);
			Oid			family = meta_column_family(index->rd_rel->relam, type,
													i == 0);

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

const ConstrCheck *
meta_find_check(Relation rel, const char *name)
{
	TupleConstr *constr = RelationGetDescr(rel)->constr;

	for (int i = 0; constr != NULL && i < constr->num_check; i++)
	{
		if (strcmp(constr->check[i].ccname, name) == 0)
			return &constr->check[i];
	}
	return NULL;
}

/* Whether a constraint is a call of check_item() with this schema's names. */
bool
meta_is_item_check(const ConstrCheck *check, const KeySchema *schema)
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

bool
meta_has_only_item_check(Relation rel, const KeySchema *schema)
{
	TupleConstr *constr = RelationGetDescr(rel)->constr;
	const ConstrCheck *check = meta_find_check(rel, META_CHECK_NAME);
	const ConstrCheck *shards = meta_find_check(rel, META_SHARD_CHECK_NAME);
	bool		sharded = schema->sharding.count > 0;

	return check != NULL && constr->num_check == (sharded ? 2 : 1) &&
		meta_is_item_check(check, schema) &&
		(!sharded ||
		 (shards != NULL && meta_is_shard_check(shards, &schema->sharding)));
}

Oid
meta_item_type(void)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum("item"),
						   ObjectIdGetDatum(get_namespace_oid(META_SCHEMA,
															  false)));
}

/* Operator class and family have one name: that of the type, and this. */
const char *
meta_hash_opclass_name(Oid key_type)
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

List *
meta_extension_name(const char *name)
{
	return list_make2(makeString(META_SCHEMA), makeString(pstrdup(name)));
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
