/*
 * wire_table.c
 *	  CreateTable, DescribeTable, DeleteTable, ListTables.
 *
 * Tables and indexes are made by the functions that make them in SQL, with
 * what the request says as arguments.  The work is done when the response is
 * written, though it says, as the service's does, that it has begun.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "base/errors.h"
#include "base/guc.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_table.h"
#include "worker/worker.h"

/* Arguments of a function of api; a bit of given for each that is not null. */
typedef struct Arguments
{
	Datum		values[FUNC_MAX_ARGS];
	bool		given[FUNC_MAX_ARGS];
	int			n;
} Arguments;

extern Datum create_local_index(PG_FUNCTION_ARGS);
extern Datum create_global_index(PG_FUNCTION_ARGS);

static Oid	make_table(const WireTableRequest *request);
static void table_arguments(const WireTableRequest *request,
							Arguments *arguments);
static void make_local_index(const WireTable *table,
							 const WireTableRequest *request,
							 const WireIndex *index);
static void set_argument(Arguments *arguments, int number, Datum value);
static void set_text(Arguments *arguments, int number, const ApiText *text);
static void set_tag(Arguments *arguments, int number, const WireMap *tags,
					const char *key);
static void fill_call(FunctionCallInfo fcinfo, const Arguments *arguments);
static void call(PGFunction function, const Arguments *arguments);
static Datum key_names(const WireIndex *index, int type);
static Datum key_types(const WireTableRequest *request, const WireList *keys);
static void set_projection(Arguments *arguments, int number,
						   const WireProjection *projection);
static Datum text_datum(const ApiText *text);
static void keep_settings(WireTable *table, const WireTableRequest *request);
static bool may_list(const char *relation_name, ApiText *name);
static int	compare_names(const void *a, const void *b);
static void append_description(StringInfo response, const char *name,
							   const WireTable *table, const char *status);

/* Argument numbers. */
enum
{
	TABLE_TYPES = 3,
	TABLE_WRITE_SHARDS,
	TABLE_SHARD_BY,
	TABLE_OPTIONS,
	TABLE_ARGUMENTS
};

enum
{
	LOCAL_TABLE,
	LOCAL_NAME,
	LOCAL_SORT_KEY,
	LOCAL_TYPES,
	LOCAL_PROJECTION,
	LOCAL_INCLUDE,
	LOCAL_TEMPLATES,
	LOCAL_ARGUMENTS
};

enum
{
	GLOBAL_TABLE,
	GLOBAL_NAME,
	GLOBAL_PARTITION_KEY,
	GLOBAL_SORT_KEY,
	GLOBAL_TYPES,
	GLOBAL_PROJECTION,
	GLOBAL_INCLUDE,
	GLOBAL_PROPAGATION,
	GLOBAL_UNIQUE_KEY,
	GLOBAL_WRITE_SHARDS,
	GLOBAL_PARTITION_KEYS,
	GLOBAL_SORT_KEYS,
	GLOBAL_TEMPLATES,
	GLOBAL_OPTIONS,
	GLOBAL_ARGUMENTS
};

void
wire_create_table(const void *request, StringInfo response)
{
	const WireTableRequest *create = request;
	WireTable	table;
	Oid			relid;

	wire_check_create(create);
	wire_check_tags(&create->tags);
	wire_check_own_tags(create);

	relid = make_table(create);
	wire_read_table(relid, &table);
	keep_settings(&table, create);
	for (int i = 0; i < create->local_indexes.n; i++)
		make_local_index(&table, create,
						 WIRE_ELEMENT(&create->local_indexes, WireIndex, i));
	for (int i = 0; i < create->global_indexes.n; i++)
		wire_make_global_index(&table, create,
							   WIRE_ELEMENT(&create->global_indexes,
											WireIndex, i));

	wire_read_table(relid, &table);
	append_description(response, "TableDescription", &table, "CREATING");
}

void
wire_describe_table(const void *request, StringInfo response)
{
	const WireTableName *describe = request;
	WireTable	table;

	wire_find_table(&describe->table_name, &table);
	append_description(response, "Table", &table, "ACTIVE");
}

void
wire_delete_table(const void *request, StringInfo response)
{
	const WireTableName *delete = request;
	WireTable	table;

	wire_lock_table(&delete->table_name, &table);
	for (int i = 0; i < table.table->nindexes; i++)
	{
		if (table.table->indexes[i].status != INDEX_ACTIVE)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_RESOURCE_IN_USE),
					 errmsg(TEXT_TABLE_IN_USE, "updated", table.name)));
	}
	if (table.settings.deletion_protection.value)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TABLE_PROTECTED)));

	appendStringInfoChar(response, '{');
	wire_append_name(response, "TableDescription");
	wire_append_deleted(response, &table);
	appendStringInfoChar(response, '}');
	meta_drop_table(table.table->relid);
}

void
wire_list_tables(const void *request, StringInfo response)
{
	const WireListTables *list = request;
	int			limit = list->limit.given ? (int) list->limit.value :
		LIMIT_LIST_TABLES;
	List	   *relations = meta_table_names(guc_wire_schema);
	ApiText    *names = palloc(list_length(relations) * sizeof(ApiText));
	int			n = 0;
	int			end;
	ListCell   *lc;

	foreach(lc, relations)
	{
		ApiText	   *name = &names[n];

		if (may_list(lfirst(lc), name) &&
			(list->start.data == NULL || compare_names(name, &list->start) > 0))
			n++;
	}
	qsort(names, n, sizeof(ApiText), compare_names);

	end = Min(n, limit);
	appendStringInfoChar(response, '{');
	wire_append_name(response, "TableNames");
	appendStringInfoChar(response, '[');
	for (int i = 0; i < end; i++)
	{
		wire_begin_element(response);
		wire_append_text(response, &names[i]);
	}
	appendStringInfoChar(response, ']');
	if (end < n)
	{
		wire_append_name(response, "LastEvaluatedTableName");
		wire_append_text(response, &names[end - 1]);
	}
	appendStringInfoChar(response, '}');
}

/*
 * Makes a table, without its indexes.
 */
static Oid
make_table(const WireTableRequest *request)
{
	const ApiText *name = &request->table_name;
	Oid			schema = get_namespace_oid(guc_wire_schema, true);
	char		relation_name[NAMEDATALEN];
	Arguments	arguments;
	Oid			relid;

	LOCAL_FCINFO(fcinfo, TABLE_ARGUMENTS);

	if (OidIsValid(meta_find_wire_table(name->data, name->len)))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_IN_USE),
				 errmsg(TEXT_TABLE_EXISTS, pnstrdup(name->data, name->len))));
	if (!OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("schema \"%s\" of partitioning.wire_schema does not exist",
						guc_wire_schema)));
	table_arguments(request, &arguments);
	fill_call(fcinfo, &arguments);
	meta_wire_relation_name(name->data, name->len, relation_name);
	relid = api_create_table(fcinfo, relation_name, schema);

	if (name->len >= NAMEDATALEN)
	{
		WireTable	table;

		wire_read_table(relid, &table);
		table.stored.service_name = pnstrdup(name->data, name->len);
		wire_save_settings(&table);
	}
	return relid;
}

static void
table_arguments(const WireTableRequest *request, Arguments *arguments)
{
	WireMap		tags = {0};
	const ApiText *method;

	memset(arguments, 0, sizeof(*arguments));
	arguments->n = TABLE_ARGUMENTS;
	wire_add_tags(&tags, &request->tags);
	set_text(arguments, 0, &request->table_name);
	for (int i = 0; i < request->keys.n; i++)
		set_text(arguments, 1 + i,
				 &WIRE_ELEMENT(&request->keys, WireKeyElement, i)->name);
	set_argument(arguments, TABLE_TYPES, key_types(request, &request->keys));
	set_argument(arguments, TABLE_WRITE_SHARDS, Int32GetDatum(1));
	set_tag(arguments, TABLE_WRITE_SHARDS, &tags, "partitioning:write_shards");
	set_tag(arguments, TABLE_SHARD_BY, &tags, "partitioning:shard_by");
	method = wire_find_tag(&tags, "partitioning:index_method");
	if (method != NULL)
	{
		StringInfoData options;

		initStringInfo(&options);
		appendStringInfoString(&options, "{\"index_method\":");
		wire_append_text(&options, method);
		appendStringInfoChar(&options, '}');
		set_argument(arguments, TABLE_OPTIONS,
					 DirectFunctionCall1(jsonb_in,
										 CStringGetDatum(options.data)));
	}
}

static void
make_local_index(const WireTable *table, const WireTableRequest *request,
				 const WireIndex *index)
{
	Arguments	arguments = {.n = LOCAL_ARGUMENTS};

	set_argument(&arguments, LOCAL_TABLE,
				 CStringGetTextDatum(table->table->table_name));
	set_text(&arguments, LOCAL_NAME, &index->name);
	set_text(&arguments, LOCAL_SORT_KEY,
			 &WIRE_ELEMENT(&index->keys, WireKeyElement, 1)->name);
	set_argument(&arguments, LOCAL_TYPES, key_types(request, &index->keys));
	set_projection(&arguments, LOCAL_PROJECTION, index->projection);
	call(create_local_index, &arguments);
}

/*
 * Makes a global index as the request, and tags of the table, say.  Where
 * nothing can follow after the commit, it is kept in the transaction.
 */
void
wire_make_global_index(const WireTable *table,
					   const WireTableRequest *request,
					   const WireIndex *index)
{
	Arguments	arguments = {.n = GLOBAL_ARGUMENTS};
	const char *prefix = psprintf("partitioning:index/%.*s/",
								  (int) index->name.len, index->name.data);

	set_argument(&arguments, GLOBAL_TABLE,
				 CStringGetTextDatum(table->table->table_name));
	set_text(&arguments, GLOBAL_NAME, &index->name);
	set_argument(&arguments, GLOBAL_PARTITION_KEYS,
				 key_names(index, WIRE_KEY_HASH));
	if (WIRE_ELEMENT(&index->keys, WireKeyElement,
					 index->keys.n - 1)->type.number == WIRE_KEY_RANGE)
		set_argument(&arguments, GLOBAL_SORT_KEYS,
					 key_names(index, WIRE_KEY_RANGE));
	set_argument(&arguments, GLOBAL_TYPES, key_types(request, &index->keys));
	set_projection(&arguments, GLOBAL_PROJECTION, index->projection);
	if (!worker_available())
		set_argument(&arguments, GLOBAL_PROPAGATION,
					 CStringGetTextDatum("sync"));
	set_tag(&arguments, GLOBAL_PROPAGATION, &table->tags,
			psprintf("%spropagation", prefix));
	set_argument(&arguments, GLOBAL_UNIQUE_KEY, BoolGetDatum(false));
	set_argument(&arguments, GLOBAL_WRITE_SHARDS, Int32GetDatum(1));
	set_tag(&arguments, GLOBAL_WRITE_SHARDS, &table->tags,
			psprintf("%swrite_shards", prefix));
	call(create_global_index, &arguments);
}

static void
set_argument(Arguments *arguments, int number, Datum value)
{
	arguments->values[number] = value;
	arguments->given[number] = true;
}

static void
set_text(Arguments *arguments, int number, const ApiText *text)
{
	set_argument(arguments, number, text_datum(text));
}

/* A tag's value, a number if the argument has one already. */
static void
set_tag(Arguments *arguments, int number, const WireMap *tags,
		const char *key)
{
	const ApiText *value = wire_find_tag(tags, key);
	size_t		len = strlen("write_shards");
	size_t		key_len = strlen(key);

	if (value == NULL)
		return;
	if (key_len > len && strcmp(key + key_len - len, "write_shards") == 0)
		set_argument(arguments, number,
					 DirectFunctionCall1(int4in,
										 CStringGetDatum(pnstrdup(value->data,
																  value->len))));
	else
		set_text(arguments, number, value);
}

static void
fill_call(FunctionCallInfo fcinfo, const Arguments *arguments)
{
	InitFunctionCallInfoData(*fcinfo, NULL, arguments->n, InvalidOid, NULL,
							 NULL);
	for (int i = 0; i < arguments->n; i++)
	{
		fcinfo->args[i].value = arguments->values[i];
		fcinfo->args[i].isnull = !arguments->given[i];
	}
}

static void
call(PGFunction function, const Arguments *arguments)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);

	fill_call(fcinfo, arguments);
	(void) function(fcinfo);
}

/* Names of an index's key attributes of one type, as text[]. */
static Datum
key_names(const WireIndex *index, int type)
{
	Datum		names[2 * LIMIT_INDEX_KEYS];
	int			n = 0;

	for (int i = 0; i < index->keys.n; i++)
	{
		const WireKeyElement *key = WIRE_ELEMENT(&index->keys, WireKeyElement,
												 i);

		if (key->type.number == type)
			names[n++] = text_datum(&key->name);
	}
	return PointerGetDatum(construct_array(names, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

/* Types of key attributes as {"name": "type"}. */
static Datum
key_types(const WireTableRequest *request, const WireList *keys)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < request->definitions.n; i++)
	{
		const WireDefinition *definition =
			WIRE_ELEMENT(&request->definitions, WireDefinition, i);

		for (int j = 0; j < keys->n; j++)
		{
			if (!wire_text_equal(&definition->name,
								 &WIRE_ELEMENT(keys, WireKeyElement, j)->name))
				continue;
			wire_append_text_name(&out, &definition->name);
			wire_append_text(&out, &definition->type.text);
			break;
		}
	}
	appendStringInfoChar(&out, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data));
}

/* The arguments projection and, after it, include. */
static void
set_projection(Arguments *arguments, int number,
			   const WireProjection *projection)
{
	const WireList *include = &projection->include;
	Datum	   *names = palloc(include->n * sizeof(Datum));

	set_text(arguments, number, &projection->type.text);
	if (!include->given)
		return;
	for (int i = 0; i < include->n; i++)
		names[i] = text_datum(WIRE_TEXT_ELEMENT(include, i));
	set_argument(arguments, number + 1,
				 PointerGetDatum(construct_array(names, include->n, TEXTOID,
												 -1, false, TYPALIGN_INT)));
}

static Datum
text_datum(const ApiText *text)
{
	return PointerGetDatum(cstring_to_text_with_len(text->data,
													(int) text->len));
}

/*
 * Keeps what a new table was given and nothing else keeps.
 */
static void
keep_settings(WireTable *table, const WireTableRequest *request)
{
	ApiText		now = wire_timestamp(GetCurrentTransactionStartTimestamp());

	table->settings = request->settings;
	if (table->settings.billing_mode.text.data == NULL)
	{
		table->settings.billing_mode.text = wire_text("PROVISIONED");
		table->settings.billing_mode.number = WIRE_BILLING_PROVISIONED;
	}
	if (wire_is_on_demand(&table->settings))
		table->settings.on_demand_since = now;
	for (int i = 0; i < request->global_indexes.n; i++)
	{
		const WireIndex *index = WIRE_ELEMENT(&request->global_indexes,
											  WireIndex, i);
		WireIndex  *kept = wire_index_settings(&table->settings, &index->name,
											   true);

		kept->throughput = index->throughput;
		kept->on_demand = index->on_demand;
		kept->warm = index->warm;
	}
	if (table->settings.stream != NULL)
	{
		if (table->settings.stream->enabled.value)
			table->settings.stream->label = wire_stream_label();
		else
			table->settings.stream = NULL;
	}
	wire_add_tags(&table->tags, &request->tags);
	wire_save_settings(table);
}

/*
 * Whether the user may see a table of the wire schema that a request can
 * name; *name is how.
 */
static bool
may_list(const char *relation_name, ApiText *name)
{
	Oid			relid = meta_find_wire_table(relation_name,
											 strlen(relation_name));
	MetaSettings settings;

	if (!OidIsValid(relid) || !wire_may_see(relid))
		return false;
	meta_settings_read(guc_wire_schema, relation_name, &settings);
	*name = wire_text(settings.service_name != NULL ?
					  settings.service_name : relation_name);
	return wire_is_table_name(name);
}

static int
compare_names(const void *a, const void *b)
{
	const ApiText *x = a;
	const ApiText *y = b;
	int			cmp = memcmp(x->data, y->data, Min(x->len, y->len));

	if (cmp != 0)
		return cmp;
	return x->len < y->len ? -1 : x->len > y->len;
}

static void
append_description(StringInfo response, const char *name,
				   const WireTable *table, const char *status)
{
	appendStringInfoChar(response, '{');
	wire_append_name(response, name);
	wire_append_table(response, table, status);
	appendStringInfoChar(response, '}');
}
