/*
 * wire_capacity.c
 *	  ConsumedCapacity and ItemCollectionMetrics of responses.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "wire/wire_private.h"

#define GIGABYTE		INT64CONST(1073741824)

static bool is_asked(const WireWord *capacity);
static void append_consumed(StringInfo out, const WireWord *capacity,
							CapacityAccess access,
							const WireConsumed *consumed);
static void append_indexes(StringInfo out, CapacityAccess access,
						   const WireConsumed *consumed, bool global);
static void append_units(StringInfo out, CapacityAccess access, int64 units);
static void append_decimal(StringInfo out, int64 tenths);
static bool has_local_index(const ItemTable *table);
static void append_collection(StringInfo out, const KeyAttribute *attribute,
							  ItemRef value, int64 size);

/* Must the units be known? */
bool
wire_wants_capacity(const WireWord *capacity)
{
	return wire_observer != NULL || is_asked(capacity);
}

/* Does the client want to know them? */
static bool
is_asked(const WireWord *capacity)
{
	return capacity->text.data != NULL &&
		capacity->number != WIRE_CAPACITY_NONE;
}

/*
 * Adds what one operation has consumed of a table and its indexes.
 */
void
wire_add_consumed(WireConsumed *sum, const ApiConsumed *consumed)
{
	const ItemTable *table = consumed->table;

	sum->units += consumed->units;
	if (sum->indexes == NULL && table->nindexes > 0)
	{
		sum->nindexes = table->nindexes;
		sum->indexes = palloc0(table->nindexes * sizeof(WireIndexUnits));
	}
	for (int i = 0; i < table->nindexes; i++)
	{
		sum->indexes[i].name = table->indexes[i].name;
		sum->indexes[i].global = table->indexes[i].global;
		sum->indexes[i].units += consumed->index_units[i];
	}
}

/*
 * The member ConsumedCapacity of an operation on one table, if it is wanted.
 */
void
wire_append_consumed(StringInfo out, const WireWord *capacity,
					 CapacityAccess access, const WireConsumed *consumed)
{
	wire_observe_units(access, 1, consumed);
	if (!is_asked(capacity))
		return;
	wire_append_name(out, "ConsumedCapacity");
	append_consumed(out, capacity, access, consumed);
}

/*
 * The same of an operation on several tables.
 */
void
wire_append_consumed_list(StringInfo out, const WireWord *capacity,
						  CapacityAccess access, int n,
						  const WireConsumed *consumed)
{
	wire_observe_units(access, n, consumed);
	if (!is_asked(capacity))
		return;
	wire_append_name(out, "ConsumedCapacity");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < n; i++)
	{
		wire_begin_element(out);
		append_consumed(out, capacity, access, &consumed[i]);
	}
	appendStringInfoChar(out, ']');
}

/* The total, and, if asked for, what of it is the table's and each index's. */
static void
append_consumed(StringInfo out, const WireWord *capacity,
				CapacityAccess access, const WireConsumed *consumed)
{
	int64		total = consumed->units;

	for (int i = 0; i < consumed->nindexes; i++)
		total += consumed->indexes[i].units;

	appendStringInfoChar(out, '{');
	wire_append_name(out, "TableName");
	wire_append_text(out, consumed->table_name);
	append_units(out, access, total);
	if (capacity->number == WIRE_CAPACITY_INDEXES)
	{
		wire_append_name(out, "Table");
		appendStringInfoChar(out, '{');
		append_units(out, access, consumed->units);
		appendStringInfoChar(out, '}');
		append_indexes(out, access, consumed, false);
		append_indexes(out, access, consumed, true);
	}
	appendStringInfoChar(out, '}');
}

/* Only those that have consumed anything. */
static void
append_indexes(StringInfo out, CapacityAccess access,
			   const WireConsumed *consumed, bool global)
{
	bool		any = false;

	for (int i = 0; i < consumed->nindexes; i++)
	{
		const WireIndexUnits *index = &consumed->indexes[i];

		if (index->global != global || index->units == 0)
			continue;
		if (!any)
		{
			wire_append_name(out, global ? "GlobalSecondaryIndexes" :
							 "LocalSecondaryIndexes");
			appendStringInfoChar(out, '{');
		}
		any = true;
		wire_append_name(out, index->name);
		appendStringInfoChar(out, '{');
		append_units(out, access, index->units);
		appendStringInfoChar(out, '}');
	}
	if (any)
		appendStringInfoChar(out, '}');
}

/* Transactions also say what kind of units they are. */
static void
append_units(StringInfo out, CapacityAccess access, int64 units)
{
	wire_append_name(out, "CapacityUnits");
	append_decimal(out, units);
	if (access == CAPACITY_READ_TRANSACTION ||
		access == CAPACITY_WRITE_TRANSACTION)
	{
		wire_append_name(out, capacity_is_read(access) ?
						 "ReadCapacityUnits" : "WriteCapacityUnits");
		append_decimal(out, units);
	}
}

static void
append_decimal(StringInfo out, int64 tenths)
{
	appendStringInfo(out, INT64_FORMAT ".%d", tenths / 10,
					 (int) (tenths % 10));
}

bool
wire_wants_metrics(const WireWord *metrics)
{
	return metrics->text.data != NULL && metrics->number == WIRE_METRICS_SIZE;
}

/*
 * ItemCollectionMetrics of the partitions that items or keys have been written
 * to: an object, or a list with each partition once.  Nothing, and false, if
 * the table has no local index.
 *
 * A partition is not larger than its table, which is quickly measured; the
 * service does not promise a better estimate.
 */
bool
wire_append_metrics(StringInfo out, const ApiText *table_name,
					const ItemData *const *items, int n, bool list)
{
	const ItemTable *table =
		meta_table(meta_resolve_wire_table(table_name->data,
										   table_name->len));
	const KeyAttribute *attribute = &table->schema.attributes[0];
	ItemRef    *values = palloc(n * sizeof(ItemRef));
	int64		size;

	if (!has_local_index(table))
		return false;
	size = DatumGetInt64(DirectFunctionCall1(pg_table_size,
											 ObjectIdGetDatum(table->relid)));
	if (list)
		appendStringInfoChar(out, '[');
	for (int i = 0; i < n; i++)
	{
		bool		repeated = false;

		if (!item_map_find(item_root(items[i]), attribute->name,
						   attribute->name_len, &values[i]))
			elog(ERROR, "an item that was written has no partition key");
		for (int j = 0; j < i; j++)
			repeated |= item_ref_equal(values[i], values[j]);
		if (repeated)
			continue;
		if (list)
			wire_begin_element(out);
		append_collection(out, attribute, values[i], size);
	}
	if (list)
		appendStringInfoChar(out, ']');
	return true;
}

static bool
has_local_index(const ItemTable *table)
{
	for (int i = 0; i < table->nindexes; i++)
	{
		if (!table->indexes[i].global)
			return true;
	}
	return false;
}

static void
append_collection(StringInfo out, const KeyAttribute *attribute,
				  ItemRef value, int64 size)
{
	appendStringInfoChar(out, '{');
	wire_append_name(out, "ItemCollectionKey");
	appendStringInfoChar(out, '{');
	item_append_json_string(out, attribute->name, attribute->name_len);
	appendStringInfoChar(out, ':');
	item_append_dynamodb_json(out, value);
	appendStringInfoChar(out, '}');
	wire_append_name(out, "SizeEstimateRangeGB");
	appendStringInfo(out, "[0.0," INT64_FORMAT ".0]}", size / GIGABYTE + 1);
}
