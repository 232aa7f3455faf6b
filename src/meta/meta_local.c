/*
 * meta_local.c
 *	  Local indexes: a column of the item table, and an index on it.
 *
 * The column is generated from the attributes and stored (key_column.c); the
 * index is on (pk, column, sk), so that entries of one sort key have an order,
 * and has rows with a sort key only.  A local index on the table's own sort
 * key needs neither: column "sk" and the key index serve it.  Local indexes on
 * one attribute share its column and index.
 *
 * The column has the name of the attribute, clipped to 63 bytes, with a number
 * appended when the table has such a column; the index has the names of table
 * and index with "_idx", shortened and numbered as the server does it.  The
 * catalog knows the column's name; the index is known by what it is, since
 * REINDEX and restores make it anew.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/readfuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "meta/meta_private.h"

static const char *shared_column(const ItemTable *table,
								 const ItemIndex *index);
static bool same_key(const KeyIndexAttribute *a, const KeyIndexAttribute *b);
static void complete_index(const ItemTable *table, const ItemIndex *index);
static const char *find_column(const ItemTable *table,
							   const KeyIndexAttribute *key);
static bool is_call(Relation rel, Node *expression, const FuncCall *call);
static bool is_argument(Relation rel, Node *argument, Node *raw);
static const char *choose_column(Oid relid, const char *attribute);
static void add_column(const ItemTable *table, const ItemIndex *index);
static FuncCall *column_call(const ItemTable *table,
							 const KeyIndexAttribute *key);
static List *template_arguments(const ItemTable *table,
								const KeyIndexAttribute *key);
static const char *column_function(ItemType type);
static void add_index(const ItemTable *table, const ItemIndex *index);
static IndexElem *index_element(const char *column, Oid hash_type);
static bool is_local_index(Relation rel, Oid index_oid,
						   const KeySchema *schema, AttrNumber column);
static bool has_column_predicate(Relation index, AttrNumber column);

#define sort_key(index)	(&(index)->keys[(index)->npartition])

/*
 * The caller holds AccessExclusiveLock, so that the table does not get two
 * indexes at once.
 */
void
meta_create_local_index(const ItemTable *table, ItemIndex *index)
{
	index->column_name = shared_column(table, index);
	if (index->column_name == NULL)
	{
		index->column_name = find_column(table, sort_key(index));
		if (index->column_name == NULL)
			index->column_name = choose_column(table->relid,
											   sort_key(index)->attribute.name);
		complete_index(table, index);
	}
	meta_index_insert(table, index);
}

void
meta_complete_local_indexes(const ItemTable *table)
{
	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];

		if (!index->global && strcmp(index->column_name, META_SK_COLUMN) != 0)
			complete_index(table, index);
	}
}

/* Makes the column and the index of a local index where they lack. */
static void
complete_index(const ItemTable *table, const ItemIndex *index)
{
	Relation	rel;
	Oid			found;

	if (get_attnum(table->relid, index->column_name) == InvalidAttrNumber)
		add_column(table, index);
	rel = table_open(table->relid, AccessShareLock);
	found = meta_find_local_index(rel, &table->schema, index->column_name);
	table_close(rel, NoLock);
	if (!OidIsValid(found))
		add_index(table, index);
}

/* The column that has this key already: of the table, or of another index. */
static const char *
shared_column(const ItemTable *table, const ItemIndex *index)
{
	const KeyIndexAttribute *key = sort_key(index);

	if (key->template == NULL &&
		key_schema_find(&table->schema, key->attribute.name,
						key->attribute.name_len) == 1)
		return META_SK_COLUMN;
	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *other = &table->indexes[i];

		if (!other->global && strcmp(other->name, index->name) != 0 &&
			same_key(sort_key(other), key))
			return other->column_name;
	}
	return NULL;
}

static bool
same_key(const KeyIndexAttribute *a, const KeyIndexAttribute *b)
{
	if (strcmp(a->attribute.name, b->attribute.name) != 0 ||
		a->attribute.type != b->attribute.type ||
		(a->template == NULL) != (b->template == NULL))
		return false;
	return a->template == NULL || strcmp(key_template_text(a->template),
										 key_template_text(b->template)) == 0;
}

/*
 * A column that is what add_column() would make, as that of a table which was
 * restored without its rows of the catalog; NULL when there is none.
 */
static const char *
find_column(const ItemTable *table, const KeyIndexAttribute *key)
{
	Relation	rel = table_open(table->relid, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	FuncCall   *call = column_call(table, key);
	const char *result = NULL;

	for (int i = 0; desc->constr != NULL && i < desc->constr->num_defval; i++)
	{
		const AttrDefault *expression = &desc->constr->defval[i];
		Form_pg_attribute att = TupleDescAttr(desc, expression->adnum - 1);

		if (att->attgenerated == ATTRIBUTE_GENERATED_STORED &&
			is_call(rel, stringToNode(expression->adbin), call))
		{
			result = pstrdup(NameStr(att->attname));
			break;
		}
	}
	table_close(rel, NoLock);
	return result;
}

/* Is an expression of a column of rel this call of one of our functions? */
static bool
is_call(Relation rel, Node *expression, const FuncCall *call)
{
	FuncExpr   *function = (FuncExpr *) expression;
	ListCell   *lc1;
	ListCell   *lc2;

	if (!IsA(expression, FuncExpr) ||
		!meta_is_column_function(function->funcid) ||
		strcmp(get_func_name(function->funcid),
			   strVal(llast(call->funcname))) != 0 ||
		list_length(function->args) != list_length(call->args))
		return false;
	forboth(lc1, function->args, lc2, call->args)
	{
		if (!is_argument(rel, lfirst(lc1), lfirst(lc2)))
			return false;
	}
	return true;
}

/* The same for an argument: a text constant or a column. */
static bool
is_argument(Relation rel, Node *argument, Node *raw)
{
	if (IsA(raw, A_Const))
		return IsA(argument, Const) &&
			((Const *) argument)->consttype == TEXTOID &&
			!((Const *) argument)->constisnull &&
			strcmp(TextDatumGetCString(((Const *) argument)->constvalue),
				   ((A_Const *) raw)->val.sval.sval) == 0;
	return IsA(argument, Var) &&
		strcmp(get_attname(RelationGetRelid(rel),
						   ((Var *) argument)->varattno, false),
			   strVal(linitial(((ColumnRef *) raw)->fields))) == 0;
}

static const char *
choose_column(Oid relid, const char *attribute)
{
	char	   *name = makeObjectName(attribute, NULL, NULL);

	for (int i = 1; get_attnum(relid, name) != InvalidAttrNumber; i++)
	{
		char		number[12];

		snprintf(number, sizeof(number), "%d", i);
		name = makeObjectName(attribute, NULL, number);
	}
	return name;
}

/* ALTER TABLE ... ADD COLUMN ... GENERATED ALWAYS AS (...) STORED */
static void
add_column(const ItemTable *table, const ItemIndex *index)
{
	const KeyIndexAttribute *key = sort_key(index);
	Oid			type = key_column_type(key->attribute.type);
	ColumnDef  *def = makeColumnDef(index->column_name, type, -1,
									type == TEXTOID ? C_COLLATION_OID :
									InvalidOid);
	Constraint *generated = makeNode(Constraint);
	AlterTableCmd *cmd = makeNode(AlterTableCmd);
	char	   *comment;

	generated->contype = CONSTR_GENERATED;
	generated->generated_when = ATTRIBUTE_IDENTITY_ALWAYS;
	generated->raw_expr = (Node *) column_call(table, key);
	generated->location = -1;
	compat_constraint_stored(generated);
	def->constraints = list_make1(generated);
	cmd->subtype = AT_AddColumn;
	cmd->def = (Node *) def;
	meta_alter_table(table->relid, cmd, true);

	comment = psprintf("Sort key of local indexes: attribute \"%s\" (%s)",
					   key->attribute.name,
					   item_type_tag(key->attribute.type));
	CreateComments(table->relid, RelationRelationId,
				   get_attnum(table->relid, index->column_name), comment);
}

/* partitioning.index_key_<type>('<attribute>', attributes), or a template */
static FuncCall *
column_call(const ItemTable *table, const KeyIndexAttribute *key)
{
	List	   *args;
	const char *function;

	if (key->template != NULL)
	{
		function = "index_key_template";
		args = template_arguments(table, key);
	}
	else
	{
		function = column_function(key->attribute.type);
		args = list_make2(meta_string_constant(key->attribute.name),
						  meta_column_reference(META_ATTRIBUTES_COLUMN));
	}
	return makeFuncCall(meta_extension_name(function), args,
						COERCE_EXPLICIT_CALL, -1);
}

/* The template, the attributes, and those of the table's keys it names. */
static List *
template_arguments(const ItemTable *table, const KeyIndexAttribute *key)
{
	static const char *const columns[] = {META_PK_COLUMN, META_SK_COLUMN};
	List	   *args = list_make2(meta_string_constant(key_template_text(key->template)),
								  meta_column_reference(META_ATTRIBUTES_COLUMN));
	bool		named[KEY_MAX_ATTRIBUTES] = {false};

	for (int i = 0; i < key_template_count(key->template); i++)
	{
		const char *name;
		uint32		name_len;
		int			part;

		key_template_attribute(key->template, i, &name, &name_len);
		part = key_schema_find(&table->schema, name, name_len);
		if (part < 0 || named[part])
			continue;
		named[part] = true;
		args = lappend(args,
					   meta_string_constant(table->schema.attributes[part].name));
		args = lappend(args, meta_column_reference(columns[part]));
	}
	return args;
}

/* Does this function generate columns of local indexes? */
bool
meta_is_column_function(Oid function)
{
	char	   *name = get_func_name(function);

	return name != NULL && strncmp(name, "index_key_", 10) == 0 &&
		get_func_namespace(function) == get_namespace_oid(META_SCHEMA, true);
}

static const char *
column_function(ItemType type)
{
	switch (type)
	{
		case ITEM_S:
			return "index_key_text";
		case ITEM_N:
			return "index_key_numeric";
		case ITEM_B:
			return "index_key_bytea";
		default:
			elog(ERROR, "item type %d cannot be a key", (int) type);
	}
	return NULL;				/* keep compiler quiet */
}

/* CREATE INDEX ... (pk <hash order>, column, sk) WHERE column IS NOT NULL */
static void
add_index(const ItemTable *table, const ItemIndex *index)
{
	IndexStmt  *statement = makeNode(IndexStmt);
	NullTest   *present = makeNode(NullTest);

	statement->idxname = ChooseRelationName(get_rel_name(table->relid),
											index->name, "idx",
											get_rel_namespace(table->relid),
											false);
	statement->relation = meta_range_var(table->relid);
	statement->relation->inh = true;
	statement->accessMethod = "btree";
	statement->indexParams =
		list_make3(index_element(META_PK_COLUMN,
								 key_column_type(table->schema.attributes[0].type)),
				   index_element(index->column_name, InvalidOid),
				   index_element(META_SK_COLUMN, InvalidOid));
	present->arg = (Expr *) meta_column_reference(index->column_name);
	present->nulltesttype = IS_NOT_NULL;
	present->location = -1;
	statement->whereClause = (Node *) present;
	meta_run_utility((Node *) statement);
}

/* A column in its own order, or in hash order of that type. */
static IndexElem *
index_element(const char *column, Oid hash_type)
{
	IndexElem  *element = makeNode(IndexElem);

	element->name = pstrdup(column);
	if (OidIsValid(hash_type))
		element->opclass = meta_extension_name(meta_hash_opclass_name(hash_type));
	element->ordering = SORTBY_DEFAULT;
	element->nulls_ordering = SORTBY_NULLS_DEFAULT;
	return element;
}

/*
 * Drops the column, and the index with it, unless another index shares them.
 * The catalog row goes first, because it protects the column.
 */
void
meta_drop_local_index(const ItemTable *table, const ItemIndex *index)
{
	const char *column_name = pstrdup(index->column_name);
	Oid			relid = table->relid;
	AlterTableCmd *cmd = makeNode(AlterTableCmd);

	meta_index_delete(table, index->name);
	if (strcmp(column_name, META_SK_COLUMN) == 0 ||
		meta_is_local_column(meta_table(relid), column_name) ||
		get_attnum(relid, column_name) == InvalidAttrNumber)
		return;
	cmd->subtype = AT_DropColumn;
	cmd->name = pstrdup(column_name);
	cmd->behavior = DROP_RESTRICT;
	meta_alter_table(relid, cmd, true);
}

bool
meta_is_local_column(const ItemTable *table, const char *name)
{
	for (int i = 0; i < table->nindexes; i++)
	{
		if (!table->indexes[i].global &&
			strcmp(table->indexes[i].column_name, name) == 0)
			return true;
	}
	return false;
}

Oid
meta_find_local_index(Relation rel, const KeySchema *schema,
					  const char *column_name)
{
	AttrNumber	column = get_attnum(RelationGetRelid(rel), column_name);
	List	   *indexes;
	Oid			result = InvalidOid;
	ListCell   *lc;

	if (column <= 0 || schema->n < 2)
		return InvalidOid;
	indexes = RelationGetIndexList(rel);
	foreach(lc, indexes)
	{
		if (is_local_index(rel, lfirst_oid(lc), schema, column))
		{
			result = lfirst_oid(lc);
			break;
		}
	}
	list_free(indexes);
	return result;
}

static bool
is_local_index(Relation rel, Oid index_oid, const KeySchema *schema,
			   AttrNumber column)
{
	Relation	index = index_open(index_oid, AccessShareLock);
	Form_pg_index form = index->rd_index;
	Oid			relid = RelationGetRelid(rel);
	AttrNumber	attnums[3];
	bool		fits;

	attnums[0] = get_attnum(relid, META_PK_COLUMN);
	attnums[1] = column;
	attnums[2] = get_attnum(relid, META_SK_COLUMN);
	fits = index->rd_rel->relam == BTREE_AM_OID && form->indisvalid &&
		form->indisready && form->indnatts == lengthof(attnums) &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL);
	for (int i = 0; fits && i < (int) lengthof(attnums); i++)
	{
		Oid			type = TupleDescAttr(RelationGetDescr(rel),
										 attnums[i] - 1)->atttypid;
		Oid			family = meta_column_family(BTREE_AM_OID, type, i == 0);

		fits = form->indkey.values[i] == attnums[i] &&
			index->rd_opfamily[i] == family && index->rd_indoption[i] == 0 &&
			(type != TEXTOID || index->rd_indcollation[i] == C_COLLATION_OID);
	}
	fits = fits && has_column_predicate(index, column);
	index_close(index, AccessShareLock);
	return fits;
}

/* Is the index's predicate "column IS NOT NULL"? */
static bool
has_column_predicate(Relation index, AttrNumber column)
{
	List	   *predicate = RelationGetIndexPredicate(index);
	NullTest   *test;

	if (list_length(predicate) != 1 || !IsA(linitial(predicate), NullTest))
		return false;
	test = linitial(predicate);
	return test->nulltesttype == IS_NOT_NULL && IsA(test->arg, Var) &&
		((Var *) test->arg)->varattno == column;
}
