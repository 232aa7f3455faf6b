/*
 * meta_foreign.c
 *	  A clear error for foreign keys to item tables whose key index is no btree.
 *
 * The server's own would not say which index it means, nor what to do.
 */
#include "postgres.h"

#include "catalog/namespace.h"

#include "base/compat.h"
#include "meta/meta_private.h"

static void refuse_foreign_key(const Constraint *constraint);
static bool refers_to_key(const Constraint *constraint,
						  const ItemTable *table);

void
meta_refuse_foreign_keys(List *elements)
{
	ListCell   *lc;

	if (!COMPAT_UNIQUE_IS_BTREE)
		return;
	foreach(lc, elements)
	{
		Node	   *element = lfirst(lc);

		if (IsA(element, Constraint))
			refuse_foreign_key((Constraint *) element);
		else if (IsA(element, ColumnDef))
			meta_refuse_foreign_keys(((ColumnDef *) element)->constraints);
	}
}

/*
 * Before 18 a foreign key needs a unique btree on what it refers to, and one
 * that is beside another unique index may not be found.
 */
static void
refuse_foreign_key(const Constraint *constraint)
{
	Oid			relid;
	const ItemTable *table;

	if (constraint->contype != CONSTR_FOREIGN || constraint->pktable == NULL)
		return;
	relid = RangeVarGetRelid(constraint->pktable, NoLock, true);
	if (!OidIsValid(relid))
		return;
	table = meta_table_if_any(relid);
	if (table == NULL || table->method == INDEX_METHOD_BTREE ||
		!refers_to_key(constraint, table))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("foreign keys to item table \"%s\" are not supported",
					table->table_name),
			 errdetail("Its key index has the access method ptree, which this server's version does not support here."),
			 errhint("Make the table with options => '{\"index_method\": \"btree\"}'.")));
}

/* Does a foreign key name the columns of the key, in whatever order? */
static bool
refers_to_key(const Constraint *constraint, const ItemTable *table)
{
	ListCell   *lc;

	if (list_length(constraint->pk_attrs) != table->schema.n)
		return false;
	foreach(lc, constraint->pk_attrs)
	{
		const char *column = strVal(lfirst(lc));

		if (strcmp(column, META_PK_COLUMN) != 0 &&
			strcmp(column, META_SK_COLUMN) != 0)
			return false;
	}
	return true;
}
