/*
 * wire_table_update.c
 *	  UpdateTable.
 *
 * All that is asked for is checked before anything is done.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_table.h"

/* Decreases of throughput on one day (UTC). */
#define DECREASES_FREE		4	/* at any time */
#define DECREASES_MAX		27	/* the others an hour apart */

extern Datum drop_index(PG_FUNCTION_ARGS);

static void check_request(const WireTableRequest *request);
static void check_index_updates(const WireTableRequest *request);
static const WireIndex *updated_index(const WireIndexUpdate *update);
static bool index_is_named(const WireIndexUpdate *update,
						   const ApiText *name);
static void check_busy(const WireTable *table,
					   const WireTableRequest *request);
static void update_billing(WireTable *table, const WireTableRequest *request,
						   ApiText now);
static void check_index_throughput(const WireTable *table,
								   const WireTableRequest *request);
static void update_throughput(WireThroughput **kept,
							  const WireThroughput *wanted, const char *what,
							  ApiText now);
static void check_decrease(const WireThroughput *kept);
static void update_indexes(WireTable *table, const WireTableRequest *request,
						   ApiText now);
static void check_create(const WireTable *table,
						 const WireTableRequest *request,
						 const WireIndex *index);
static void check_types(const WireTable *table,
						const WireTableRequest *request);
static void compare_type(const WireTable *table,
						 const WireTableRequest *request,
						 const KeyAttribute *attribute);
static const ItemIndex *known_index(const WireTable *table,
									const ApiText *name);
static void update_on_demand(WireThroughput **kept,
							 const WireThroughput *wanted);
static void update_warm(bool on_demand, WireThroughput **kept,
						const WireThroughput *provisioned,
						const WireThroughput *wanted);
static void check_warm(int64 current, const WireInt *wanted,
					   const char *name);
static void forget_index(WireSettings *settings, const ApiText *name);
static void update_stream(WireTable *table, const WireStream *wanted);
static void change_indexes(const WireTable *table,
						   const WireTableRequest *request);
pg_noreturn static void refuse(const char *text);

void
wire_update_table(const void *request, StringInfo response)
{
	const WireTableRequest *update = request;
	ApiText		now = wire_timestamp(GetCurrentTransactionStartTimestamp());
	WireTable	table;
	Oid			relid;

	check_request(update);
	wire_lock_table(&update->table_name, &table);
	relid = table.table->relid;
	check_busy(&table, update);

	update_billing(&table, update, now);
	update_indexes(&table, update, now);
	update_on_demand(&table.settings.on_demand, update->settings.on_demand);
	update_warm(wire_is_on_demand(&table.settings), &table.settings.warm,
				table.settings.throughput, update->settings.warm);
	update_stream(&table, update->settings.stream);
	if (update->settings.encryption != NULL)
		table.settings.encryption = update->settings.encryption;
	if (update->settings.table_class.text.data != NULL)
		table.settings.table_class = update->settings.table_class;
	if (update->settings.deletion_protection.given)
		table.settings.deletion_protection =
			update->settings.deletion_protection;
	wire_save_settings(&table);
	change_indexes(&table, update);

	wire_read_table(relid, &table);
	appendStringInfoChar(response, '{');
	wire_append_name(response, "TableDescription");
	wire_append_table(response, &table, "UPDATING");
	appendStringInfoChar(response, '}');
}

/*
 * What can be said without the table.
 */
static void
check_request(const WireTableRequest *request)
{
	const WireSettings *settings = &request->settings;
	bool		has_mode = settings->billing_mode.text.data != NULL;

	if (!has_mode && settings->throughput == NULL &&
		request->index_updates.n == 0 && settings->stream == NULL &&
		settings->encryption == NULL && settings->on_demand == NULL &&
		settings->warm == NULL && settings->table_class.text.data == NULL &&
		!settings->deletion_protection.given)
		refuse(TEXT_UPDATE_NOTHING);
	if (has_mode)
		wire_check_billing(&settings->billing_mode, settings->throughput);
	wire_check_units(settings->throughput);
	check_index_updates(request);
	wire_check_stream(settings->stream);
}

static void
check_index_updates(const WireTableRequest *request)
{
	const WireList *updates = &request->index_updates;
	int			changes = 0;

	for (int i = 0; i < updates->n; i++)
	{
		const WireIndexUpdate *update =
			WIRE_ELEMENT(updates, WireIndexUpdate, i);
		const WireIndex *index = updated_index(update);

		wire_check_units(index->throughput);
		for (int j = 0; j < i; j++)
		{
			if (index_is_named(WIRE_ELEMENT(updates, WireIndexUpdate, j),
							   &index->name))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(TEXT_UPDATE_INDEX_TWICE,
								(int) index->name.len, index->name.data)));
		}
		if (update->create != NULL)
			wire_check_global_index(request, index);
		changes += update->update == NULL ? 1 : 0;
	}
	if (changes > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_LIMIT_EXCEEDED),
				 errmsg(TEXT_UPDATE_INDEX_COUNT)));
}

/* The one member that an entry must have. */
static const WireIndex *
updated_index(const WireIndexUpdate *update)
{
	const WireIndex *members[] = {
		update->update, update->create, update->delete
	};
	const WireIndex *result = NULL;

	for (size_t i = 0; i < lengthof(members); i++)
	{
		if (result != NULL && members[i] != NULL)
			refuse(TEXT_UPDATE_INDEX_SEVERAL);
		if (members[i] != NULL)
			result = members[i];
	}
	if (result == NULL)
		refuse(TEXT_UPDATE_INDEX_NONE);
	return result;
}

static bool
index_is_named(const WireIndexUpdate *update, const ApiText *name)
{
	return wire_text_equal(&updated_index(update)->name, name);
}

/*
 * While an index is being filled, it can be deleted and throughput can be
 * changed.
 */
static void
check_busy(const WireTable *table, const WireTableRequest *request)
{
	for (int i = 0; i < table->table->nindexes; i++)
	{
		const ItemIndex *index = &table->table->indexes[i];
		ApiText		name = wire_text(index->name);

		if (index->status == INDEX_ACTIVE)
			continue;
		for (int j = 0; j < request->index_updates.n; j++)
		{
			const WireIndexUpdate *update =
				WIRE_ELEMENT(&request->index_updates, WireIndexUpdate, j);

			if (update->update == NULL &&
				!(update->delete != NULL && index_is_named(update, &name)))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_LIMIT_EXCEEDED),
						 errmsg(TEXT_UPDATE_INDEX_COUNT)));
		}
		if (request->settings.stream != NULL ||
			request->settings.encryption != NULL ||
			request->settings.table_class.text.data != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_RESOURCE_IN_USE),
					 errmsg(TEXT_TABLE_IN_USE, "updated", table->name)));
	}
}

/* Billing mode and throughput of the table. */
static void
update_billing(WireTable *table, const WireTableRequest *request, ApiText now)
{
	WireSettings *settings = &table->settings;
	bool		was_on_demand = wire_is_on_demand(settings);
	bool		on_demand;

	if (request->settings.billing_mode.text.data != NULL)
		settings->billing_mode = request->settings.billing_mode;
	on_demand = wire_is_on_demand(settings);
	if (on_demand && request->settings.throughput != NULL)
		refuse(TEXT_UNITS_ON_DEMAND);
	if (on_demand && !was_on_demand)
	{
		settings->on_demand_since = now;
		settings->throughput = NULL;
		for (int i = 0; i < settings->indexes.n; i++)
			WIRE_ELEMENT(&settings->indexes, WireIndex, i)->throughput = NULL;
	}
	if (!on_demand && was_on_demand)
	{
		if (settings->on_demand_since.data == NULL)
			settings->on_demand_since = wire_timestamp(table->stored.created);
		settings->throughput = NULL;
		check_index_throughput(table, request);
	}
	if (request->settings.throughput != NULL)
		update_throughput(&settings->throughput,
						  request->settings.throughput, "table", now);
}

/* Who goes back to provisioned throughput must give that of all indexes. */
static void
check_index_throughput(const WireTable *table,
					   const WireTableRequest *request)
{
	StringInfoData missing;

	initStringInfo(&missing);
	for (int i = 0; i < table->table->nindexes; i++)
	{
		const ItemIndex *index = &table->table->indexes[i];
		ApiText		name = wire_text(index->name);
		bool		given = !index->global;

		for (int j = 0; j < request->index_updates.n; j++)
		{
			const WireIndexUpdate *update =
				WIRE_ELEMENT(&request->index_updates, WireIndexUpdate, j);

			if (index_is_named(update, &name))
				given = given || update->delete != NULL ||
					updated_index(update)->throughput != NULL;
		}
		if (!given)
			appendStringInfo(&missing, "%s%s", missing.len > 0 ? "," : "",
							 index->name);
	}
	if (missing.len > 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_INDEX_UNITS_ABSENT, missing.data)));
}

/* *kept is NULL if there has been none. */
static void
update_throughput(WireThroughput **kept, const WireThroughput *wanted,
				  const char *what, ApiText now)
{
	WireThroughput *old = *kept;
	WireThroughput *new = palloc0(sizeof(WireThroughput));

	new->read = wanted->read;
	new->write = wanted->write;
	*kept = new;
	if (old == NULL)
		return;
	if (old->read.value == new->read.value &&
		old->write.value == new->write.value)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_UPDATE_UNITS_SAME, what,
						what, old->read.value, new->read.value,
						what, old->write.value, new->write.value)));
	new->increased = old->increased;
	new->decreased = old->decreased;
	new->decreases = old->decreases;
	if (new->read.value > old->read.value ||
		new->write.value > old->write.value)
		new->increased = now;
	if (new->read.value < old->read.value ||
		new->write.value < old->write.value)
	{
		check_decrease(old);
		new->decreases.given = true;
		new->decreases.value = wire_decreases_today(old) + 1;
		new->decreased = now;
	}
}

static void
check_decrease(const WireThroughput *kept)
{
	int			today = wire_decreases_today(kept);
	ApiText		now = wire_timestamp(GetCurrentTimestamp());

	if (today < DECREASES_FREE)
		return;
	if (today < DECREASES_MAX &&
		atoll(now.data) - atoll(pnstrdup(kept->decreased.data,
										 kept->decreased.len)) >= SECS_PER_HOUR)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_LIMIT_EXCEEDED),
			 errmsg(TEXT_UPDATE_DECREASES, today)));
}

/* Settings of global indexes; the indexes themselves come later. */
static void
update_indexes(WireTable *table, const WireTableRequest *request, ApiText now)
{
	WireSettings *settings = &table->settings;
	bool		on_demand = wire_is_on_demand(settings);

	for (int i = 0; i < request->index_updates.n; i++)
	{
		const WireIndexUpdate *update =
			WIRE_ELEMENT(&request->index_updates, WireIndexUpdate, i);
		const WireIndex *index = updated_index(update);
		WireIndex  *kept;

		if (update->create != NULL)
			check_create(table, request, index);
		else
			(void) known_index(table, &index->name);
		if (on_demand && index->throughput != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_INDEX_UNITS_ON_DEMAND,
							(int) index->name.len, index->name.data)));
		if (update->update == NULL)
			forget_index(settings, &index->name);
		if (update->delete != NULL)
			continue;
		kept = wire_index_settings(settings, &index->name, true);
		if (index->throughput != NULL)
			update_throughput(&kept->throughput, index->throughput,
							  psprintf("index %.*s", (int) index->name.len,
									   index->name.data), now);
		update_on_demand(&kept->on_demand, index->on_demand);
		update_warm(on_demand, &kept->warm, kept->throughput, index->warm);
	}
}

static void
check_create(const WireTable *table, const WireTableRequest *request,
			 const WireIndex *index)
{
	if (meta_index_find(table->table, index->name.data,
						index->name.len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_INDEX_EXISTS, (int) index->name.len,
						index->name.data)));
	check_types(table, request);
	if (!wire_is_on_demand(&table->settings) && index->throughput == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_INDEX_UNITS_ABSENT,
						pnstrdup(index->name.data, index->name.len))));
}

/* An attribute keeps the type that it has in other keys of the table. */
static void
check_types(const WireTable *table, const WireTableRequest *request)
{
	const KeySchema *schema = &table->table->schema;

	for (int i = 0; i < schema->n; i++)
		compare_type(table, request, &schema->attributes[i]);
	for (int i = 0; i < schema->nindexed; i++)
		compare_type(table, request, &schema->indexed[i].attribute);
}

static void
compare_type(const WireTable *table, const WireTableRequest *request,
			 const KeyAttribute *attribute)
{
	ApiText		name = wire_text(attribute->name);
	ApiText		type = wire_text(item_type_tag(attribute->type));

	for (int i = 0; i < request->definitions.n; i++)
	{
		const WireDefinition *definition =
			WIRE_ELEMENT(&request->definitions, WireDefinition, i);

		if (!wire_text_equal(&definition->name, &name) ||
			wire_text_equal(&definition->type.text, &type))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_DEFINITION_CHANGED,
						psprintf("%s:%s", name.data, type.data),
						psprintf("%s:%.*s", name.data,
								 (int) definition->type.text.len,
								 definition->type.text.data))));
	}
}

/* A global index that must exist. */
static const ItemIndex *
known_index(const WireTable *table, const ApiText *name)
{
	const ItemIndex *index = meta_index_find(table->table, name->data,
											 name->len);

	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_RESOURCE_NOT_FOUND)));
	if (!index->global)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_INDEX_LOCAL, (int) name->len, name->data)));
	return index;
}

/* What is not given stays; NULL is nothing given. */
static void
update_on_demand(WireThroughput **kept, const WireThroughput *wanted)
{
	WireThroughput *new;

	if (wanted == NULL)
		return;
	new = palloc0(sizeof(WireThroughput));
	if (*kept != NULL)
		*new = **kept;
	if (wanted->read.given)
		new->read = wanted->read;
	if (wanted->write.given)
		new->write = wanted->write;
	*kept = new;
}

static void
update_warm(bool on_demand, WireThroughput **kept,
			const WireThroughput *provisioned, const WireThroughput *wanted)
{
	WireThroughput known;

	if (wanted == NULL)
		return;
	wire_warm_throughput(on_demand, *kept, provisioned, &known);
	check_warm(known.read.value, &wanted->read, "ReadUnitsPerSecond");
	check_warm(known.write.value, &wanted->write, "WriteUnitsPerSecond");
	update_on_demand(kept, wanted);
}

static void
check_warm(int64 current, const WireInt *wanted, const char *name)
{
	if (wanted->given && wanted->value < current)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_WARM_LOWER, name, current, wanted->value)));
}

static void
forget_index(WireSettings *settings, const ApiText *name)
{
	WireIndex **indexes = settings->indexes.elements;
	int			n = 0;

	for (int i = 0; i < settings->indexes.n; i++)
	{
		if (!wire_text_equal(&indexes[i]->name, name))
			indexes[n++] = indexes[i];
	}
	settings->indexes.n = n;
}

static void
update_stream(WireTable *table, const WireStream *wanted)
{
	WireStream *stream = table->settings.stream;
	bool		enabled = stream != NULL && stream->enabled.value;

	if (wanted == NULL)
		return;
	if (wanted->enabled.value && enabled)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_STREAM_ENABLED, wire_table_arn(table->name))));
	if (!wanted->enabled.value && !enabled)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_STREAM_DISABLED, wire_table_arn(table->name))));
	if (enabled)
	{
		stream->enabled.value = false;
		return;
	}
	table->settings.stream = palloc(sizeof(WireStream));
	*table->settings.stream = *wanted;
	table->settings.stream->label = wire_stream_label();
}

static void
change_indexes(const WireTable *table, const WireTableRequest *request)
{
	for (int i = 0; i < request->index_updates.n; i++)
	{
		const WireIndexUpdate *update =
			WIRE_ELEMENT(&request->index_updates, WireIndexUpdate, i);

		if (update->create != NULL)
			wire_make_global_index(table, request, update->create);
		if (update->delete != NULL)
			DirectFunctionCall2(drop_index,
								CStringGetTextDatum(table->table->table_name),
								PointerGetDatum(cstring_to_text_with_len(update->delete->name.data,
																		 (int) update->delete->name.len)));
	}
}

static void
refuse(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("%s", text)));
}
