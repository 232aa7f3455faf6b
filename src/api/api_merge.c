/*
 * api_merge.c
 *	  merge_query(): several partitions as one, for tables whose users keep
 *	  suffixes of partition keys by hand.
 *
 * Keys come as text, in the form that their columns have.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "api/api_private.h"
#include "base/errors.h"

static ItemRef key_from_text(const KeyAttribute *attribute, int part,
							 const char *text);
static void set_bound(const KeyAttribute *attribute, const ApiText *text,
					  KeyBound *bound);

void
api_merge_range(const ApiQuery *request, ScanSpec *spec)
{
	const KeySchema *schema = &spec->table->schema;
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	ItemKey    *pks;

	if (schema->n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("item table \"%s\" has no sort key",
						spec->table->table_name),
				 errdetail("There is no order to merge its partitions in.")));
	deconstruct_array(request->pks, TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &n);
	pks = palloc0(Max(n, 1) * sizeof(ItemKey));
	spec->pk = pks;
	for (int i = 0; i < n; i++)
	{
		ItemRef		pk;
		bool		known = false;

		if (nulls[i])
			continue;
		pk = key_from_text(&schema->attributes[0], 0,
						   TextDatumGetCString(elements[i]));
		for (int j = 0; j < spec->npks && !known; j++)
			known = item_ref_equal(pks[j].refs[0], pk);
		if (known)
			continue;
		pks[spec->npks].n = 1;
		pks[spec->npks++].refs[0] = pk;
	}
	spec->empty = spec->npks == 0;
	set_bound(&schema->attributes[1], &request->lower, &spec->range.lower);
	set_bound(&schema->attributes[1], &request->upper, &spec->range.upper);
}

static ItemRef
key_from_text(const KeyAttribute *attribute, int part, const char *text)
{
	Oid			type = key_column_type(attribute->type);
	Oid			input;
	Oid			param;
	ItemRef		ref;

	getTypeInputInfo(type, &input, &param);
	ref = key_ref_from_datum(attribute->type,
							 OidInputFunctionCall(input,
												  unconstify(char *, text),
												  param, -1));
	key_check_value(attribute, part, ref);
	return ref;
}

static void
set_bound(const KeyAttribute *attribute, const ApiText *text, KeyBound *bound)
{
	if (text->data == NULL)
		return;
	bound->present = true;
	bound->inclusive = true;
	bound->ref = key_from_text(attribute, 1, pnstrdup(text->data, text->len));
	bound->datum = key_datum_from_ref(bound->ref);
}
