/*
 * wire_describe.c
 *	  TableDescription: what is said of a table.
 *
 * Numbers of items and sizes are estimates: what the statistics of the server
 * count, and files.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "base/limits.h"
#include "wire/wire_table.h"

/* One service, one region, one account. */
#define ARN_OF_TABLES	"arn:aws:dynamodb:us-east-1:" WIRE_ACCOUNT ":table/"

/* What a new table on demand can do at once. */
#define WARM_READ		12000
#define WARM_WRITE		4000

/* Rows and bytes of a relation, or of its partitions together. */
typedef struct Extent
{
	int64		items;
	int64		bytes;
} Extent;

static void append_string(StringInfo out, const char *name,
						  const char *value);
static void append_number(StringInfo out, const char *name, int64 value);
static void append_bool(StringInfo out, const char *name, bool value);
static void append_definitions(StringInfo out, const ItemTable *table);
static void append_definition(StringInfo out, const KeyAttribute *attribute);
static void append_key(StringInfo out, const KeyAttribute *attribute,
					   bool sort);
static void append_table_keys(StringInfo out, const ItemTable *table);
static void append_billing(StringInfo out, const WireTable *table);
static void append_throughput(StringInfo out,
							  const WireThroughput *throughput);
static void append_on_demand(StringInfo out,
							 const WireThroughput *throughput);
static void append_warm(StringInfo out, const WireSettings *settings,
						const WireThroughput *warm,
						const WireThroughput *provisioned);
static void append_indexes(StringInfo out, const WireTable *table,
						   bool global, bool creating);
static void append_index(StringInfo out, const WireTable *table,
						 const ItemIndex *index, bool creating);
static void append_index_status(StringInfo out, const WireTable *table,
								const ItemIndex *index, bool creating);
static void append_projection(StringInfo out, const ItemIndex *index);
static void append_stream(StringInfo out, const WireTable *table);
static void append_encryption(StringInfo out,
							  const WireEncryption *encryption);
static Oid	index_relation(const WireTable *table, const ItemIndex *index);
static Extent measure(Oid relid);
static void measure_one(Oid relid, Extent *extent);

char *
wire_table_arn(const char *name)
{
	return psprintf("%s%s", ARN_OF_TABLES, name);
}

/*
 * A table's description, an object.
 */
void
wire_append_table(StringInfo out, const WireTable *table, const char *status)
{
	Extent		extent = measure(table->table->relid);
	bool		creating = strcmp(status, "CREATING") == 0;
	char	   *arn = wire_table_arn(table->name);
	char	   *id;

	appendStringInfoChar(out, '{');
	append_definitions(out, table->table);
	append_string(out, "TableName", table->name);
	append_table_keys(out, table->table);
	append_string(out, "TableStatus", status);
	wire_append_name(out, "CreationDateTime");
	appendStringInfoString(out, wire_timestamp(table->stored.created).data);
	append_billing(out, table);
	append_number(out, "TableSizeBytes", extent.bytes);
	append_number(out, "ItemCount", extent.items);
	append_string(out, "TableArn", arn);
	id = DatumGetCString(DirectFunctionCall1(uuid_out,
											 UUIDPGetDatum(&table->stored.id)));
	append_string(out, "TableId", id);
	append_indexes(out, table, false, creating);
	append_indexes(out, table, true, creating);
	append_stream(out, table);
	append_encryption(out, table->settings.encryption);
	if (table->settings.table_class.text.data != NULL)
	{
		wire_append_name(out, "TableClassSummary");
		appendStringInfoChar(out, '{');
		wire_append_name(out, "TableClass");
		wire_append_text(out, &table->settings.table_class.text);
		appendStringInfoChar(out, '}');
	}
	append_bool(out, "DeletionProtectionEnabled",
				table->settings.deletion_protection.value);
	appendStringInfoChar(out, '}');
}

/*
 * The description of a table that is being deleted, which has neither keys
 * nor indexes any more.
 */
void
wire_append_deleted(StringInfo out, const WireTable *table)
{
	char	   *id = DatumGetCString(DirectFunctionCall1(uuid_out,
														 UUIDPGetDatum(&table->stored.id)));

	appendStringInfoChar(out, '{');
	append_string(out, "TableName", table->name);
	append_string(out, "TableStatus", "DELETING");
	append_billing(out, table);
	append_number(out, "TableSizeBytes", 0);
	append_number(out, "ItemCount", 0);
	append_string(out, "TableArn", wire_table_arn(table->name));
	append_string(out, "TableId", id);
	append_bool(out, "DeletionProtectionEnabled", false);
	appendStringInfoChar(out, '}');
}

static void
append_string(StringInfo out, const char *name, const char *value)
{
	ApiText		text = wire_text(value);

	wire_append_name(out, name);
	wire_append_text(out, &text);
}

static void
append_number(StringInfo out, const char *name, int64 value)
{
	wire_append_name(out, name);
	appendStringInfo(out, INT64_FORMAT, value);
}

static void
append_bool(StringInfo out, const char *name, bool value)
{
	wire_append_name(out, name);
	appendStringInfoString(out, value ? "true" : "false");
}

/* Of the table's key attributes and those of its indexes, each once. */
static void
append_definitions(StringInfo out, const ItemTable *table)
{
	wire_append_name(out, "AttributeDefinitions");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < table->schema.n; i++)
		append_definition(out, &table->schema.attributes[i]);
	for (int i = 0; i < table->schema.nindexed; i++)
	{
		const KeyAttribute *attribute = &table->schema.indexed[i].attribute;
		bool		repeated;

		repeated = key_schema_find(&table->schema, attribute->name,
								   attribute->name_len) >= 0;
		for (int j = 0; j < i && !repeated; j++)
			repeated = strcmp(table->schema.indexed[j].attribute.name,
							  attribute->name) == 0;
		if (!repeated)
			append_definition(out, attribute);
	}
	appendStringInfoChar(out, ']');
}

static void
append_definition(StringInfo out, const KeyAttribute *attribute)
{
	wire_begin_element(out);
	appendStringInfoChar(out, '{');
	append_string(out, "AttributeName", attribute->name);
	append_string(out, "AttributeType", item_type_tag(attribute->type));
	appendStringInfoChar(out, '}');
}

static void
append_key(StringInfo out, const KeyAttribute *attribute, bool sort)
{
	wire_begin_element(out);
	appendStringInfoChar(out, '{');
	append_string(out, "AttributeName", attribute->name);
	append_string(out, "KeyType", sort ? "RANGE" : "HASH");
	appendStringInfoChar(out, '}');
}

static void
append_table_keys(StringInfo out, const ItemTable *table)
{
	wire_append_name(out, "KeySchema");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < table->schema.n; i++)
		append_key(out, &table->schema.attributes[i], i > 0);
	appendStringInfoChar(out, ']');
}

/* Throughput of the table; the mode if it is or ever was on demand. */
static void
append_billing(StringInfo out, const WireTable *table)
{
	const WireSettings *settings = &table->settings;
	bool		on_demand = wire_is_on_demand(settings);

	append_throughput(out, on_demand ? NULL : settings->throughput);
	if (on_demand || settings->on_demand_since.data != NULL)
	{
		wire_append_name(out, "BillingModeSummary");
		appendStringInfoChar(out, '{');
		append_string(out, "BillingMode",
					  on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
		wire_append_name(out, "LastUpdateToPayPerRequestDateTime");
		appendStringInfoString(out, settings->on_demand_since.data != NULL ?
							   pnstrdup(settings->on_demand_since.data,
										settings->on_demand_since.len) :
							   wire_timestamp(table->stored.created).data);
		appendStringInfoChar(out, '}');
	}
	append_on_demand(out, settings->on_demand);
	append_warm(out, settings, settings->warm, settings->throughput);
}

/* NULL: on demand. */
static void
append_throughput(StringInfo out, const WireThroughput *throughput)
{
	static const WireThroughput none;

	if (throughput == NULL)
		throughput = &none;
	wire_append_name(out, "ProvisionedThroughput");
	appendStringInfoChar(out, '{');
	if (throughput->increased.data != NULL)
	{
		wire_append_name(out, "LastIncreaseDateTime");
		appendBinaryStringInfo(out, throughput->increased.data,
							   throughput->increased.len);
	}
	if (throughput->decreased.data != NULL)
	{
		wire_append_name(out, "LastDecreaseDateTime");
		appendBinaryStringInfo(out, throughput->decreased.data,
							   throughput->decreased.len);
	}
	append_number(out, "NumberOfDecreasesToday",
				  wire_decreases_today(throughput));
	append_number(out, "ReadCapacityUnits", throughput->read.value);
	append_number(out, "WriteCapacityUnits", throughput->write.value);
	appendStringInfoChar(out, '}');
}

static void
append_on_demand(StringInfo out, const WireThroughput *throughput)
{
	if (throughput == NULL)
		return;
	wire_append_name(out, "OnDemandThroughput");
	appendStringInfoChar(out, '{');
	append_number(out, "MaxReadRequestUnits",
				  throughput->read.given ? throughput->read.value : -1);
	append_number(out, "MaxWriteRequestUnits",
				  throughput->write.given ? throughput->write.value : -1);
	appendStringInfoChar(out, '}');
}

static void
append_warm(StringInfo out, const WireSettings *settings,
			const WireThroughput *warm, const WireThroughput *provisioned)
{
	WireThroughput known;

	wire_warm_throughput(wire_is_on_demand(settings), warm, provisioned,
						 &known);
	wire_append_name(out, "WarmThroughput");
	appendStringInfoChar(out, '{');
	append_number(out, "ReadUnitsPerSecond", known.read.value);
	append_number(out, "WriteUnitsPerSecond", known.write.value);
	append_string(out, "Status", "ACTIVE");
	appendStringInfoChar(out, '}');
}

/* What a table or index can do at once. */
void
wire_warm_throughput(bool on_demand, const WireThroughput *warm,
					 const WireThroughput *provisioned,
					 WireThroughput *result)
{
	memset(result, 0, sizeof(*result));
	result->read.value = WARM_READ;
	result->write.value = WARM_WRITE;
	if (!on_demand && provisioned != NULL)
	{
		result->read.value = provisioned->read.value;
		result->write.value = provisioned->write.value;
	}
	if (warm != NULL)
	{
		result->read.value = Max(result->read.value, warm->read.value);
		result->write.value = Max(result->write.value, warm->write.value);
	}
}

/* How many decreases there were today, by UTC. */
int
wire_decreases_today(const WireThroughput *throughput)
{
	ApiText		now = wire_timestamp(GetCurrentTimestamp());

	if (throughput->decreased.data == NULL ||
		atoll(pnstrdup(throughput->decreased.data,
					   throughput->decreased.len)) / SECS_PER_DAY !=
		atoll(now.data) / SECS_PER_DAY)
		return 0;
	return (int) throughput->decreases.value;
}

static void
append_indexes(StringInfo out, const WireTable *table, bool global,
			   bool creating)
{
	bool		first = true;

	for (int i = 0; i < table->table->nindexes; i++)
	{
		const ItemIndex *index = &table->table->indexes[i];

		if (index->global != global)
			continue;
		if (first)
		{
			wire_append_name(out, global ? "GlobalSecondaryIndexes" :
							 "LocalSecondaryIndexes");
			appendStringInfoChar(out, '[');
		}
		first = false;
		append_index(out, table, index, creating);
	}
	if (!first)
		appendStringInfoChar(out, ']');
}

static void
append_index(StringInfo out, const WireTable *table, const ItemIndex *index,
			 bool creating)
{
	Extent		extent = measure(index_relation(table, index));

	wire_begin_element(out);
	appendStringInfoChar(out, '{');
	append_string(out, "IndexName", index->name);
	wire_append_name(out, "KeySchema");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < index->npartition + index->nsort; i++)
		append_key(out, &index->keys[i].attribute, index->keys[i].sort);
	appendStringInfoChar(out, ']');
	append_projection(out, index);
	if (index->global)
		append_index_status(out, table, index, creating);
	append_number(out, "IndexSizeBytes", extent.bytes);
	append_number(out, "ItemCount", extent.items);
	append_string(out, "IndexArn", psprintf("%s/index/%s",
											wire_table_arn(table->name),
											index->name));
	appendStringInfoChar(out, '}');
}

/*
 * What only global indexes have.  Those that are created with their table
 * come to be with it, and are never filled.
 */
static void
append_index_status(StringInfo out, const WireTable *table,
					const ItemIndex *index, bool creating)
{
	ApiText		name = wire_text(index->name);
	WireSettings settings = table->settings;
	WireIndex  *kept = wire_index_settings(&settings, &name, false);
	bool		on_demand = wire_is_on_demand(&settings);

	append_string(out, "IndexStatus",
				  creating || index->status == INDEX_CREATING ?
				  "CREATING" : "ACTIVE");
	if (index->status == INDEX_CREATING)
		append_bool(out, "Backfilling", true);
	append_throughput(out, on_demand || kept == NULL ? NULL :
					  kept->throughput);
	append_on_demand(out, kept == NULL ? NULL : kept->on_demand);
	append_warm(out, &settings, kept == NULL ? NULL : kept->warm,
				kept == NULL ? NULL : kept->throughput);
}

static void
append_projection(StringInfo out, const ItemIndex *index)
{
	static const char *const words[] = {"ALL", "KEYS_ONLY", "INCLUDE"};

	wire_append_name(out, "Projection");
	appendStringInfoChar(out, '{');
	append_string(out, "ProjectionType", words[index->projection]);
	if (index->projection == PROJECTION_INCLUDE)
	{
		wire_append_name(out, "NonKeyAttributes");
		appendStringInfoChar(out, '[');
		for (int i = 0; i < index->ninclude; i++)
		{
			ApiText		name = wire_text(index->include[i].data);

			wire_begin_element(out);
			wire_append_text(out, &name);
		}
		appendStringInfoChar(out, ']');
	}
	appendStringInfoChar(out, '}');
}

static void
append_stream(StringInfo out, const WireTable *table)
{
	const WireStream *stream = table->settings.stream;

	if (stream == NULL)
		return;
	if (stream->enabled.value)
	{
		wire_append_name(out, "StreamSpecification");
		appendStringInfoChar(out, '{');
		append_bool(out, "StreamEnabled", true);
		wire_append_name(out, "StreamViewType");
		wire_append_text(out, &stream->view_type.text);
		appendStringInfoChar(out, '}');
	}
	wire_append_name(out, "LatestStreamLabel");
	wire_append_text(out, &stream->label);
	append_string(out, "LatestStreamArn",
				  psprintf("%s/stream/%.*s", wire_table_arn(table->name),
						   (int) stream->label.len, stream->label.data));
}

/* Only keys of one's own are described. */
static void
append_encryption(StringInfo out, const WireEncryption *encryption)
{
	if (encryption == NULL || !encryption->enabled.value)
		return;
	wire_append_name(out, "SSEDescription");
	appendStringInfoChar(out, '{');
	append_string(out, "Status", "ENABLED");
	append_string(out, "SSEType", "KMS");
	if (encryption->key.data != NULL)
	{
		wire_append_name(out, "KMSMasterKeyArn");
		wire_append_text(out, &encryption->key);
	}
	appendStringInfoChar(out, '}');
}

/* What holds an index's entries; InvalidOid when nothing does alone. */
static Oid
index_relation(const WireTable *table, const ItemIndex *index)
{
	Oid			result;
	Relation	rel;

	if (index->global)
		return get_relname_relid(index->relation_name,
								 get_rel_namespace(table->table->relid));
	if (table->table->partitioned)
		return InvalidOid;
	rel = table_open(table->table->relid, AccessShareLock);
	result = meta_find_local_index(rel, &table->table->schema,
								   index->column_name);
	table_close(rel, AccessShareLock);
	return result;
}

static Extent
measure(Oid relid)
{
	Extent		result = {0};
	ListCell   *lc;

	if (!OidIsValid(relid))
		return result;
	if (get_rel_relkind(relid) != RELKIND_PARTITIONED_TABLE)
		measure_one(relid, &result);
	else
	{
		foreach(lc, find_all_inheritors(relid, AccessShareLock, NULL))
			measure_one(lfirst_oid(lc), &result);
	}
	return result;
}

/*
 * Adds the rows that the server's statistics count, or, after these have been
 * lost, those that the last VACUUM or ANALYZE did.
 */
static void
measure_one(Oid relid, Extent *extent)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;
	int64		items;

	if (!HeapTupleIsValid(tuple))
		return;					/* dropped meanwhile */
	form = (Form_pg_class) GETSTRUCT(tuple);
	items = DatumGetInt64(DirectFunctionCall1(pg_stat_get_live_tuples,
											  ObjectIdGetDatum(relid)));
	if (items <= 0)
		items = Max(0, (int64) form->reltuples);
	if (items > 0 && RELKIND_HAS_STORAGE(form->relkind))
		extent->bytes += DatumGetInt64(DirectFunctionCall2(pg_relation_size,
														   ObjectIdGetDatum(relid),
														   CStringGetTextDatum("main")));
	ReleaseSysCache(tuple);
	extent->items += items;
}
