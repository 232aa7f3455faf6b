/*
 * wire_encode.c
 *	  Responses: JSON without white space, and consumed capacity.
 */
#include "postgres.h"

#include "wire/wire_private.h"

#define READ_UNIT		4096
#define WRITE_UNIT		1024

static void append_comma(StringInfo out);
static void append_consumed(StringInfo out, const WireWord *capacity,
							WireAccess access, const WireConsumed *consumed);
static void append_units(StringInfo out, WireAccess access, int64 tenths);
static void append_decimal(StringInfo out, int64 tenths);

/*
 * The name of the next member of an object, with a comma before it unless it
 * is the first.
 */
void
wire_append_name(StringInfo out, const char *name)
{
	append_comma(out);
	appendStringInfo(out, "\"%s\":", name);
}

/* The same for a name that a client gave. */
void
wire_append_text_name(StringInfo out, const ApiText *name)
{
	append_comma(out);
	wire_append_text(out, name);
	appendStringInfoChar(out, ':');
}

/* The next element of an array begins. */
void
wire_begin_element(StringInfo out)
{
	append_comma(out);
}

static void
append_comma(StringInfo out)
{
	char		last = out->len > 0 ? out->data[out->len - 1] : '{';

	if (last != '{' && last != '[')
		appendStringInfoChar(out, ',');
}

void
wire_append_text(StringInfo out, const ApiText *text)
{
	item_append_json_string(out, text->data, (uint32) text->len);
}

void
wire_append_item(StringInfo out, const ItemData *item)
{
	item_append_dynamodb_map(out, item_root(item));
}

/*
 * Placeholders and their names, an object of strings.
 */
void
wire_append_names(StringInfo out, Jsonb *names)
{
	JsonbIterator *iterator = JsonbIteratorInit(&names->root);
	JsonbIteratorToken token;
	JsonbValue	value;

	appendStringInfoChar(out, '{');
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			append_comma(out);
		if (token == WJB_KEY || token == WJB_VALUE)
			item_append_json_string(out, value.val.string.val,
									value.val.string.len);
		if (token == WJB_KEY)
			appendStringInfoChar(out, ':');
	}
	appendStringInfoChar(out, '}');
}

bool
wire_wants_capacity(const WireWord *capacity)
{
	return capacity->text.data != NULL &&
		capacity->number != WIRE_CAPACITY_NONE;
}

/*
 * Capacity units, in tenths, that it takes to read or write this many bytes;
 * nothing at all takes as much as one byte.
 */
int64
wire_units(WireAccess access, uint64 size)
{
	bool		reads = access < WIRE_WRITE;
	uint64		unit = reads ? READ_UNIT : WRITE_UNIT;
	int64		units = Max(1, (size + unit - 1) / unit);

	switch (access)
	{
		case WIRE_READ_EVENTUAL:
			return units * 5;
		case WIRE_READ_STRONG:
		case WIRE_WRITE:
			return units * 10;
		case WIRE_READ_TRANSACTION:
		case WIRE_WRITE_TRANSACTION:
			return units * 20;
	}
	return 0;
}

/*
 * The member ConsumedCapacity of an operation on one table, if it is wanted.
 */
void
wire_append_consumed(StringInfo out, const WireWord *capacity,
					 WireAccess access, const WireConsumed *consumed)
{
	if (!wire_wants_capacity(capacity))
		return;
	wire_append_name(out, "ConsumedCapacity");
	append_consumed(out, capacity, access, consumed);
}

/*
 * The same of an operation on several tables.
 */
void
wire_append_consumed_list(StringInfo out, const WireWord *capacity,
						  WireAccess access, int n,
						  const WireConsumed *consumed)
{
	if (!wire_wants_capacity(capacity))
		return;
	wire_append_name(out, "ConsumedCapacity");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < n; i++)
	{
		append_comma(out);
		append_consumed(out, capacity, access, &consumed[i]);
	}
	appendStringInfoChar(out, ']');
}

/* No table has indexes yet, so the table's own units are all there are. */
static void
append_consumed(StringInfo out, const WireWord *capacity, WireAccess access,
				const WireConsumed *consumed)
{
	appendStringInfoChar(out, '{');
	wire_append_name(out, "TableName");
	wire_append_text(out, consumed->table_name);
	append_units(out, access, consumed->tenths);
	if (capacity->number == WIRE_CAPACITY_INDEXES)
	{
		wire_append_name(out, "Table");
		appendStringInfoChar(out, '{');
		append_units(out, access, consumed->tenths);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, '}');
}

/* Transactions also say what kind of units they are. */
static void
append_units(StringInfo out, WireAccess access, int64 tenths)
{
	wire_append_name(out, "CapacityUnits");
	append_decimal(out, tenths);
	if (access == WIRE_READ_TRANSACTION || access == WIRE_WRITE_TRANSACTION)
	{
		wire_append_name(out, access == WIRE_READ_TRANSACTION ?
						 "ReadCapacityUnits" : "WriteCapacityUnits");
		append_decimal(out, tenths);
	}
}

static void
append_decimal(StringInfo out, int64 tenths)
{
	appendStringInfo(out, INT64_FORMAT ".%d", tenths / 10, (int) (tenths % 10));
}
