/*
 * meta_settings.c
 *	  Rows of partitioning.table_settings: what an item table has beside its
 *	  rows and keys.
 *
 * Every item table gets its row when it is registered, and the row follows
 * that of partitioning.tables (meta_catalog.c).  Nothing here knows what the
 * settings mean; they are kept as whoever sets them writes them.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "base/compat.h"
#include "meta/meta_private.h"

/* Columns of partitioning.table_settings. */
#define COLUMN_SERVICE_NAME		3
#define COLUMN_TABLE_ID			4
#define COLUMN_CREATED			5
#define COLUMN_SETTINGS			6
#define COLUMN_TAGS				7
#define COLUMNS					7

PG_FUNCTION_INFO_V1(table_settings_insert);

static Relation open_settings(LOCKMODE lockmode);
static void settings_from_tuple(Relation rel, HeapTuple tuple,
								MetaSettings *settings);
static void delete_row(Relation rel, const char *schema_name,
					   const char *table_name);

/*
 * The settings of an item table.  One that has come to be registered without
 * the extension's doing has none, which is all zero.
 */
void
meta_settings_read(const char *schema_name, const char *table_name,
				   MetaSettings *settings)
{
	Relation	rel = open_settings(AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	memset(settings, 0, sizeof(*settings));
	if (rel == NULL)
		return;
	scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		settings_from_tuple(rel, tuple, settings);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

/*
 * Replaces the settings of an item table.  The caller keeps others from doing
 * so at the same time.
 */
void
meta_settings_write(const char *schema_name, const char *table_name,
					const MetaSettings *settings)
{
	Relation	rel = open_settings(RowExclusiveLock);
	NameData	names[2];
	Datum		values[COLUMNS] = {0};
	bool		nulls[COLUMNS] = {false};

	if (rel == NULL)
		elog(ERROR, "table partitioning.table_settings does not exist");
	delete_row(rel, schema_name, table_name);

	namestrcpy(&names[0], schema_name);
	namestrcpy(&names[1], table_name);
	values[COLUMN_SCHEMA_NAME - 1] = NameGetDatum(&names[0]);
	values[COLUMN_TABLE_NAME - 1] = NameGetDatum(&names[1]);
	if (settings->service_name != NULL)
		values[COLUMN_SERVICE_NAME - 1] =
			CStringGetTextDatum(settings->service_name);
	else
		nulls[COLUMN_SERVICE_NAME - 1] = true;
	values[COLUMN_TABLE_ID - 1] = UUIDPGetDatum(&settings->id);
	values[COLUMN_CREATED - 1] = TimestampTzGetDatum(settings->created);
	values[COLUMN_SETTINGS - 1] =
		DirectFunctionCall1(jsonb_in, CStringGetDatum(settings->settings));
	values[COLUMN_TAGS - 1] =
		DirectFunctionCall1(jsonb_in, CStringGetDatum(settings->tags));
	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
											nulls));
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

/* Those of a new item table. */
void
meta_settings_insert(const char *schema_name, const char *table_name)
{
	MetaSettings settings = {
		.created = GetCurrentTransactionStartTimestamp(),
		.settings = "{}",
		.tags = "{}"
	};

	settings.id = *DatumGetUUIDP(DirectFunctionCall1(gen_random_uuid, 0));
	meta_settings_write(schema_name, table_name, &settings);
}

void
meta_settings_delete(const char *schema_name, const char *table_name)
{
	Relation	rel = open_settings(RowExclusiveLock);

	if (rel == NULL)
		return;
	delete_row(rel, schema_name, table_name);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

/*
 * Follows a table that is renamed, or all of a schema when table_name is
 * NULL; so is new_table_name then.  A table with a new name is no longer what
 * its service_name says.
 */
void
meta_settings_rename(const char *schema_name, const char *table_name,
					 const char *new_schema_name, const char *new_table_name)
{
	Relation	rel = open_settings(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return;
	scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		values[COLUMNS] = {0};
		bool		nulls[COLUMNS] = {false};
		bool		replace[COLUMNS] = {false};
		NameData	names[2];

		namestrcpy(&names[0], new_schema_name);
		values[COLUMN_SCHEMA_NAME - 1] = NameGetDatum(&names[0]);
		replace[COLUMN_SCHEMA_NAME - 1] = true;
		if (new_table_name != NULL)
		{
			namestrcpy(&names[1], new_table_name);
			values[COLUMN_TABLE_NAME - 1] = NameGetDatum(&names[1]);
			replace[COLUMN_TABLE_NAME - 1] = true;
		}
		if (new_table_name != NULL && strcmp(table_name, new_table_name) != 0)
			nulls[COLUMN_SERVICE_NAME - 1] =
				replace[COLUMN_SERVICE_NAME - 1] = true;
		CatalogTupleUpdate(rel, &tuple->t_self,
						   heap_modify_tuple(tuple, RelationGetDescr(rel),
											 values, nulls, replace));
	}
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

/*
 * Row trigger before INSERT: what a restore has to say of a table replaces
 * what is there, as a table that exists has a row already.
 */
Datum
table_settings_insert(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Relation	rel;
	Datum		names[2];
	bool		nulls[2];

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_BEFORE(trigdata->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigdata->tg_event) ||
		!TRIGGER_FIRED_BY_INSERT(trigdata->tg_event) ||
		strcmp(RelationGetRelationName(trigdata->tg_relation),
			   "table_settings") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("table_settings_insert() is for the trigger of partitioning.table_settings")));

	rel = trigdata->tg_relation;
	for (int i = 0; i < 2; i++)
		names[i] = heap_getattr(trigdata->tg_trigtuple,
								i == 0 ? COLUMN_SCHEMA_NAME : COLUMN_TABLE_NAME,
								RelationGetDescr(rel), &nulls[i]);
	if (!nulls[0] && !nulls[1]) /* NOT NULL will complain */
		delete_row(rel, NameStr(*DatumGetName(names[0])),
				   NameStr(*DatumGetName(names[1])));
	return PointerGetDatum(trigdata->tg_trigtuple);
}

static Relation
open_settings(LOCKMODE lockmode)
{
	Oid			schema = get_namespace_oid(META_SCHEMA, true);
	Oid			relid = OidIsValid(schema) ?
		get_relname_relid("table_settings", schema) : InvalidOid;

	return OidIsValid(relid) ? table_open(relid, lockmode) : NULL;
}

static void
settings_from_tuple(Relation rel, HeapTuple tuple, MetaSettings *settings)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];

	heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
	if (!nulls[COLUMN_SERVICE_NAME - 1])
		settings->service_name =
			TextDatumGetCString(values[COLUMN_SERVICE_NAME - 1]);
	settings->id = *DatumGetUUIDP(values[COLUMN_TABLE_ID - 1]);
	settings->created = DatumGetTimestampTz(values[COLUMN_CREATED - 1]);
	settings->settings =
		DatumGetCString(DirectFunctionCall1(jsonb_out,
											values[COLUMN_SETTINGS - 1]));
	settings->tags =
		DatumGetCString(DirectFunctionCall1(jsonb_out,
											values[COLUMN_TAGS - 1]));
}

static void
delete_row(Relation rel, const char *schema_name, const char *table_name)
{
	SysScanDesc scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	HeapTuple	tuple = systable_getnext(scan);

	if (HeapTupleIsValid(tuple))
		CatalogTupleDelete(rel, &tuple->t_self);
	systable_endscan(scan);
}
