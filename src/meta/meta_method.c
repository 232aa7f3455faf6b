/*
 * meta_method.c
 *	  The access methods that key indexes may have: btree and ptree.
 *
 * Both have operator classes in hash order of the same names, and order and
 * find keys alike.  What differs is how long a key may be, and what the server
 * lets a unique index be used for.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "meta/meta_private.h"

static const char *const names[] = {
	[INDEX_METHOD_BTREE] = "btree",
	[INDEX_METHOD_PTREE] = "ptree"
};

bool
meta_method_of(Oid am, IndexMethod *method)
{
	if (am == BTREE_AM_OID)
		*method = INDEX_METHOD_BTREE;
	else if (OidIsValid(am) &&
			 am == get_index_am_oid(names[INDEX_METHOD_PTREE], true))
		*method = INDEX_METHOD_PTREE;
	else
		return false;
	return true;
}

/* The method of an index that has one of them. */
IndexMethod
meta_method_of_index(Oid index)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
	IndexMethod method;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for index %u", index);
	if (!meta_method_of(((Form_pg_class) GETSTRUCT(tuple))->relam, &method))
		elog(ERROR, "index %u is no key index", index);
	ReleaseSysCache(tuple);
	return method;
}

const char *
meta_method_name(IndexMethod method)
{
	return names[method];
}

bool
meta_method_from_name(const char *name, IndexMethod *method)
{
	for (int i = 0; i < (int) lengthof(names); i++)
	{
		if (strcmp(names[i], name) == 0)
		{
			*method = (IndexMethod) i;
			return true;
		}
	}
	return false;
}

int
meta_method_limit(IndexMethod method)
{
	return method == INDEX_METHOD_BTREE ? KEY_BTREE_LIMIT : 0;
}

/*
 * Operator family of a key column in an index of that access method: in hash
 * order, or in the order of its type.
 */
Oid
meta_column_family(Oid am, Oid type, bool hash_order)
{
	if (hash_order)
		return get_opfamily_oid(am,
								meta_extension_name(meta_hash_opclass_name(type)),
								false);
	return get_opclass_family(GetDefaultOpClass(type, am));
}
