/*
 * wire_table_check.c
 *	  What CreateTable and UpdateTable may ask for, in the service's order.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/guc.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_table.h"

static void check_units(const WireInt *units, const char *name);
static const WireDefinition *find_definition(const WireTableRequest *request,
											 const ApiText *name);
static void check_defined(const WireTableRequest *request,
						  const WireList *keys);
static void check_key_order(const WireList *keys);
static void check_global_key_order(const WireList *keys);
static void check_names_differ(const WireList *keys);
static void check_definitions_used(const WireTableRequest *request);
static void mark_used(const WireTableRequest *request, const WireList *keys,
					  bool *used, StringInfo names);
static void check_definitions_differ(const WireTableRequest *request);
static void check_local_indexes(const WireTableRequest *request);
static void check_local_index(const WireTableRequest *request,
							  const WireIndex *index);
static void check_projection(const WireProjection *projection);
static void check_global_indexes(const WireTableRequest *request);
static void check_index_name(const WireTableRequest *request,
							 const WireList *list, int n);
static void check_index_units(const WireTableRequest *request);
static void check_include_count(const WireTableRequest *request);
static char *names_text(const WireList *keys);
static char *definitions_text(const WireTableRequest *request);
static void append_listed(StringInfo out, const ApiText *name);
pg_noreturn static void refuse(const char *text);

/*
 * Everything about CreateTable but the tags and whether the table exists.
 */
void
wire_check_create(const WireTableRequest *request)
{
	wire_check_billing(&request->settings.billing_mode,
					   request->settings.throughput);
	wire_check_units(request->settings.throughput);
	if (request->keys.n > request->definitions.n)
		refuse(TEXT_KEYS_UNDEFINED);
	check_defined(request, &request->keys);
	check_names_differ(&request->keys);
	check_key_order(&request->keys);
	check_definitions_used(request);
	check_definitions_differ(request);
	if (request->local_indexes.given)
		check_local_indexes(request);
	if (request->global_indexes.given)
		check_global_indexes(request);
	check_include_count(request);
	wire_check_stream(request->settings.stream);
}

void
wire_check_billing(const WireWord *billing_mode,
				   const WireThroughput *throughput)
{
	bool		on_demand = billing_mode->text.data != NULL &&
		billing_mode->number == WIRE_BILLING_ON_DEMAND;

	if (on_demand && throughput != NULL)
		refuse(TEXT_UNITS_ON_DEMAND);
	if (!on_demand && throughput == NULL)
		refuse(TEXT_UNITS_ABSENT);
}

/* NULL: none are given. */
void
wire_check_units(const WireThroughput *throughput)
{
	if (throughput == NULL)
		return;
	check_units(&throughput->read, "ReadCapacityUnits");
	check_units(&throughput->write, "WriteCapacityUnits");
}

static void
check_units(const WireInt *units, const char *name)
{
	if (units->value > LIMIT_CAPACITY_UNITS)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_UNITS_BOUNDS, units->value, name)));
}

static const WireDefinition *
find_definition(const WireTableRequest *request, const ApiText *name)
{
	for (int i = 0; i < request->definitions.n; i++)
	{
		const WireDefinition *definition =
			WIRE_ELEMENT(&request->definitions, WireDefinition, i);

		if (wire_text_equal(&definition->name, name))
			return definition;
	}
	return NULL;
}

static void
check_defined(const WireTableRequest *request, const WireList *keys)
{
	for (int i = 0; i < keys->n; i++)
	{
		if (find_definition(request,
							&WIRE_ELEMENT(keys, WireKeyElement, i)->name) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_KEYS_NOT_DEFINED, names_text(keys),
							definitions_text(request))));
	}
}

static void
check_names_differ(const WireList *keys)
{
	for (int i = 0; i < keys->n; i++)
	{
		for (int j = 0; j < i; j++)
		{
			if (wire_text_equal(&WIRE_ELEMENT(keys, WireKeyElement, i)->name,
								&WIRE_ELEMENT(keys, WireKeyElement, j)->name))
				refuse(TEXT_SAME_KEY_NAMES);
		}
	}
}

/* One partition key, and perhaps one sort key after it. */
static void
check_key_order(const WireList *keys)
{
	if (WIRE_ELEMENT(keys, WireKeyElement, 0)->type.number != WIRE_KEY_HASH)
		refuse(TEXT_KEYS_FIRST);
	if (keys->n > 1 &&
		WIRE_ELEMENT(keys, WireKeyElement, 1)->type.number != WIRE_KEY_RANGE)
		refuse(TEXT_KEYS_SECOND);
}

/* A global index may have several of each. */
static void
check_global_key_order(const WireList *keys)
{
	int			counts[2] = {0, 0};

	for (int i = 0; i < keys->n; i++)
	{
		int			type = WIRE_ELEMENT(keys, WireKeyElement, i)->type.number;

		if (i == 0 && type != WIRE_KEY_HASH)
			refuse(TEXT_KEYS_FIRST);

		if (type == WIRE_KEY_HASH && counts[WIRE_KEY_RANGE] > 0)
			refuse(TEXT_KEYS_ORDER);
		if (++counts[type] > LIMIT_INDEX_KEYS)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_KEYS_COUNT,
							type == WIRE_KEY_HASH ? "HASH" : "RANGE",
							LIMIT_INDEX_KEYS)));
	}
}

/*
 * Every definition must be of some key.
 */
static void
check_definitions_used(const WireTableRequest *request)
{
	bool	   *used = palloc0(request->definitions.n * sizeof(bool));
	StringInfoData names;
	bool		all = true;

	initStringInfo(&names);
	mark_used(request, &request->keys, used, &names);
	for (int i = 0; i < request->local_indexes.n; i++)
		mark_used(request,
				  &WIRE_ELEMENT(&request->local_indexes, WireIndex, i)->keys,
				  used, &names);
	for (int i = 0; i < request->global_indexes.n; i++)
		mark_used(request,
				  &WIRE_ELEMENT(&request->global_indexes, WireIndex, i)->keys,
				  used, &names);
	for (int i = 0; i < request->definitions.n; i++)
		all = all && used[i];
	if (all)
		return;
	if (request->local_indexes.n == 0 && request->global_indexes.n == 0)
		refuse(TEXT_DEFINITIONS_COUNT);
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_DEFINITIONS_UNUSED, definitions_text(request),
					names.data)));
}

/* A definition that is there twice is used by both. */
static void
mark_used(const WireTableRequest *request, const WireList *keys, bool *used,
		  StringInfo names)
{
	for (int i = 0; i < keys->n; i++)
	{
		const ApiText *name = &WIRE_ELEMENT(keys, WireKeyElement, i)->name;
		bool		listed = false;

		for (int j = 0; j < request->definitions.n; j++)
		{
			if (!wire_text_equal(&WIRE_ELEMENT(&request->definitions,
											   WireDefinition, j)->name, name))
				continue;
			listed = used[j];
			used[j] = true;
		}
		if (!listed)
			append_listed(names, name);
	}
}

static void
check_definitions_differ(const WireTableRequest *request)
{
	for (int i = 0; i < request->definitions.n; i++)
	{
		const WireDefinition *definition =
			WIRE_ELEMENT(&request->definitions, WireDefinition, i);

		if (find_definition(request, &definition->name) != definition)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_DEFINITION_DUPLICATE,
							(int) definition->name.len,
							definition->name.data)));
	}
}

static void
check_local_indexes(const WireTableRequest *request)
{
	const WireList *list = &request->local_indexes;

	if (list->n == 0)
		refuse(TEXT_LOCAL_INDEXES_EMPTY);
	if (request->keys.n == 1)
		refuse(TEXT_LOCAL_INDEX_NO_SORT_KEY);
	for (int i = 0; i < list->n; i++)
	{
		check_local_index(request, WIRE_ELEMENT(list, WireIndex, i));
		check_index_name(request, list, i);
	}
	if (list->n > LIMIT_LOCAL_INDEXES)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_LOCAL_INDEX_COUNT, LIMIT_LOCAL_INDEXES)));
}

static void
check_local_index(const WireTableRequest *request, const WireIndex *index)
{
	const WireList *keys = &index->keys;
	const ApiText *hash = &WIRE_ELEMENT(keys, WireKeyElement, 0)->name;
	const ApiText *table_hash =
		&WIRE_ELEMENT(&request->keys, WireKeyElement, 0)->name;

	check_defined(request, keys);
	check_names_differ(keys);
	check_key_order(keys);
	if (keys->n == 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_LOCAL_INDEX_RANGE, (int) index->name.len,
						index->name.data)));
	if (!wire_text_equal(hash, table_hash))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_LOCAL_INDEX_HASH,
						(int) index->name.len, index->name.data,
						(int) hash->len, hash->data,
						(int) table_hash->len, table_hash->data)));
	check_projection(index->projection);
}

static void
check_projection(const WireProjection *projection)
{
	const WireList *include = &projection->include;

	if (projection->type.text.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_PROJECTION_UNKNOWN, "null")));
	if (include->given && projection->type.number != WIRE_PROJECTION_INCLUDE)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_PROJECTION_NOT_INCLUDE,
						pnstrdup(projection->type.text.data,
								 projection->type.text.len))));
	if (!include->given && projection->type.number == WIRE_PROJECTION_INCLUDE)
		refuse(TEXT_PROJECTION_INCLUDE_EMPTY);
	for (int i = 0; i < include->n; i++)
	{
		for (int j = 0; j < i; j++)
		{
			const ApiText *name = WIRE_TEXT_ELEMENT(include, i);

			if (wire_text_equal(name, WIRE_TEXT_ELEMENT(include, j)))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(TEXT_PROJECTION_DUPLICATE,
								pnstrdup(name->data, name->len))));
		}
	}
}

static void
check_global_indexes(const WireTableRequest *request)
{
	const WireList *list = &request->global_indexes;

	if (list->n == 0)
		refuse(TEXT_GLOBAL_INDEXES_EMPTY);
	for (int i = 0; i < list->n; i++)
	{
		wire_check_global_index(request, WIRE_ELEMENT(list, WireIndex, i));
		check_index_name(request, list, i);
	}
	check_index_units(request);
	if (list->n > guc_max_global_indexes)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_GLOBAL_INDEX_COUNT, guc_max_global_indexes)));
}

void
wire_check_global_index(const WireTableRequest *request,
						const WireIndex *index)
{
	check_defined(request, &index->keys);
	check_names_differ(&index->keys);
	check_global_key_order(&index->keys);
	check_projection(index->projection);
}

/* The nth index of a list must have a name that none before it has. */
static void
check_index_name(const WireTableRequest *request, const WireList *list, int n)
{
	const WireList *lists[] = {
		&request->local_indexes, &request->global_indexes
	};
	const ApiText *name = &WIRE_ELEMENT(list, WireIndex, n)->name;

	for (size_t i = 0; i < lengthof(lists); i++)
	{
		int			end = lists[i] == list ? n : lists[i]->n;

		for (int j = 0; j < end; j++)
		{
			if (wire_text_equal(&WIRE_ELEMENT(lists[i], WireIndex, j)->name,
								name))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(TEXT_INDEX_DUPLICATE,
								pnstrdup(name->data, name->len))));
		}
		if (lists[i] == list)
			break;
	}
}

static void
check_index_units(const WireTableRequest *request)
{
	bool		on_demand = request->settings.throughput == NULL;

	for (int i = 0; i < request->global_indexes.n; i++)
	{
		const WireIndex *index = WIRE_ELEMENT(&request->global_indexes,
											  WireIndex, i);

		if (on_demand && index->throughput != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_INDEX_UNITS_ON_DEMAND,
							(int) index->name.len, index->name.data)));
		if (!on_demand && index->throughput == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_INDEX_UNITS_ABSENT,
							pnstrdup(index->name.data, index->name.len))));
		wire_check_units(index->throughput);
	}
}

static void
check_include_count(const WireTableRequest *request)
{
	int			n = 0;

	for (int i = 0; i < request->local_indexes.n; i++)
		n += WIRE_ELEMENT(&request->local_indexes, WireIndex,
						  i)->projection->include.n;
	for (int i = 0; i < request->global_indexes.n; i++)
		n += WIRE_ELEMENT(&request->global_indexes, WireIndex,
						  i)->projection->include.n;
	if (n > LIMIT_INCLUDE)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_PROJECTION_COUNT, LIMIT_INCLUDE, n)));
}

/* NULL: no stream is asked for. */
void
wire_check_stream(const WireStream *stream)
{
	if (stream == NULL)
		return;
	if (stream->enabled.value && stream->view_type.text.data == NULL)
		refuse(TEXT_STREAM_VIEW_ABSENT);
	if (!stream->enabled.value && stream->view_type.text.data != NULL)
		refuse(TEXT_STREAM_VIEW_GIVEN);
}

static char *
names_text(const WireList *keys)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < keys->n; i++)
		append_listed(&out, &WIRE_ELEMENT(keys, WireKeyElement, i)->name);
	return out.data;
}

static char *
definitions_text(const WireTableRequest *request)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < request->definitions.n; i++)
		append_listed(&out, &WIRE_ELEMENT(&request->definitions,
										  WireDefinition, i)->name);
	return out.data;
}

static void
append_listed(StringInfo out, const ApiText *name)
{
	if (out->len > 0)
		appendStringInfoString(out, ", ");
	appendBinaryStringInfo(out, name->data, name->len);
}

static void
refuse(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("%s", text)));
}
