/*
 * meta_catalog.c
 *	  Rows of partitioning.tables; what befalls them befalls the rows of
 *	  partitioning.indexes (meta_index.c), too.
 *
 * PUBLIC has no rights on the table: it is read and written here, in C, after
 * the callers' own checks, with a catalog snapshot, so that every caller sees
 * the latest committed names whatever the isolation level.  Each change
 * invalidates what backends have cached; a trigger does so when a superuser,
 * a restore or logical replication writes the table.
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
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "meta/meta_private.h"

/* Columns of partitioning.tables. */
#define COLUMN_PARTITION_KEY		3
#define COLUMN_PARTITION_KEY_TYPE	4
#define COLUMN_SORT_KEY				5
#define COLUMN_SORT_KEY_TYPE		6
#define COLUMN_WRITE_SHARDS			7
#define COLUMN_SHARD_BY				8
#define COLUMN_FORMER_SHARDS		9
#define COLUMN_RESHARD_POSITION		10
#define COLUMN_RESHARD_MOVED		11
#define COLUMN_RESHARD_HORIZON		12
#define COLUMNS						12

/* What shard_by says instead of the name of an attribute. */
#define SHARD_BY_RANDOM				"random"

static const ReshardProgress no_progress = {0};

PG_FUNCTION_INFO_V1(tables_insert);
PG_FUNCTION_INFO_V1(tables_changed);

static Relation open_tables(LOCKMODE lockmode);
static void row_from_tuple(Relation rel, HeapTuple tuple, MetaRow *row);
static void progress_to_values(const ReshardProgress *progress, Datum *values,
							   bool *nulls);
static void sharding_to_values(const KeySharding *sharding, Datum *values,
							   bool *nulls);
static void sharding_from_values(KeySharding *sharding, const Datum *values,
								 const bool *nulls);
static ItemType key_type_from_char(char type);
static void rename_tuple(Relation rel, HeapTuple tuple,
						 const char *schema_name, const char *table_name);

/* OID of partitioning.tables; InvalidOid when the extension is not here. */
Oid
meta_catalog_relid(void)
{
	Oid			schema = get_namespace_oid(META_SCHEMA, true);

	return OidIsValid(schema) ? get_relname_relid("tables", schema) : InvalidOid;
}

bool
meta_is_registered(const char *schema_name, const char *table_name)
{
	MetaRow		row;

	return meta_row_find(schema_name, table_name, &row);
}

bool
meta_row_find(const char *schema_name, const char *table_name, MetaRow *row)
{
	Relation	rel = open_tables(AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	if (rel == NULL)
		return false;
	scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple);
	if (found)
		row_from_tuple(rel, tuple, row);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

List *
meta_rows_all(void)
{
	Relation	rel = open_tables(AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *rows = NIL;

	if (rel == NULL)
		return NIL;
	scan = systable_beginscan(rel, compat_primary_key_index(rel),
							  true, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		MetaRow    *row = palloc(sizeof(MetaRow));

		row_from_tuple(rel, tuple, row);
		rows = lappend(rows, row);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return rows;
}

List *
meta_table_names(const char *schema_name)
{
	Relation	rel = open_tables(AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *names = NIL;

	if (rel == NULL)
		return NIL;
	scan = meta_begin_scan(rel, schema_name, NULL, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		MetaRow		row;

		row_from_tuple(rel, tuple, &row);
		names = lappend(names, unconstify(char *, row.table_name));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return names;
}

void
meta_row_insert(const MetaRow *row)
{
	Relation	rel = open_tables(RowExclusiveLock);
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};
	NameData	schema_name;
	NameData	table_name;
	HeapTuple	tuple;

	if (rel == NULL)
		elog(ERROR, "table partitioning.tables does not exist");

	namestrcpy(&schema_name, row->schema_name);
	namestrcpy(&table_name, row->table_name);
	values[COLUMN_SCHEMA_NAME - 1] = NameGetDatum(&schema_name);
	values[COLUMN_TABLE_NAME - 1] = NameGetDatum(&table_name);
	for (int i = 0; i < KEY_MAX_ATTRIBUTES; i++)
	{
		int			column = COLUMN_PARTITION_KEY - 1 + 2 * i;

		if (i >= row->schema.n)
		{
			nulls[column] = nulls[column + 1] = true;
			continue;
		}
		values[column] = CStringGetTextDatum(row->schema.attributes[i].name);
		values[column + 1] =
			CharGetDatum(*item_type_tag(row->schema.attributes[i].type));
	}
	sharding_to_values(&row->schema.sharding, values, nulls);
	progress_to_values(&no_progress, values, nulls);
	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);
	CatalogTupleInsert(rel, tuple);
	CacheInvalidateRelcache(rel);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
	meta_settings_insert(row->schema_name, row->table_name);
}

bool
meta_row_delete(const char *schema_name, const char *table_name)
{
	Relation	rel = open_tables(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	if (rel == NULL)
		return false;
	scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple);
	if (found)
	{
		CatalogTupleDelete(rel, &tuple->t_self);
		CacheInvalidateRelcache(rel);
	}
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	if (found)
	{
		CommandCounterIncrement();
		meta_indexes_delete(schema_name, table_name);
		meta_settings_delete(schema_name, table_name);
	}
	return found;
}

/* Renames a registered table's row; nothing when there is none. */
void
meta_row_rename(const char *schema_name, const char *table_name,
				const char *new_schema_name, const char *new_table_name)
{
	Relation	rel = open_tables(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return;
	scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		rename_tuple(rel, tuple, new_schema_name, new_table_name);
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	meta_indexes_rename(schema_name, table_name, new_schema_name,
						new_table_name);
	meta_settings_rename(schema_name, table_name, new_schema_name,
						 new_table_name);
	CommandCounterIncrement();
}

/* Follows ALTER SCHEMA ... RENAME. */
void
meta_rows_rename_schema(const char *schema_name, const char *new_schema_name)
{
	Relation	rel = open_tables(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return;
	scan = meta_begin_scan(rel, schema_name, NULL, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		rename_tuple(rel, tuple, new_schema_name, NULL);
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	meta_indexes_rename(schema_name, NULL, new_schema_name, NULL);
	meta_settings_rename(schema_name, NULL, new_schema_name, NULL);
	CommandCounterIncrement();
}

/*
 * Row trigger before INSERT: a row that is there already, equal in all, is
 * not inserted again, so a data-only restore into a database whose item
 * tables exist succeeds.
 */
Datum
tables_insert(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	MetaRow		new;
	MetaRow		old;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_BEFORE(trigdata->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigdata->tg_event) ||
		!TRIGGER_FIRED_BY_INSERT(trigdata->tg_event) ||
		RelationGetRelid(trigdata->tg_relation) != meta_catalog_relid())
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("tables_insert() is for the trigger of partitioning.tables")));

	for (int column = 1; column <= COLUMN_PARTITION_KEY_TYPE; column++)
	{
		if (heap_attisnull(trigdata->tg_trigtuple, column,
						   RelationGetDescr(trigdata->tg_relation)))
			return PointerGetDatum(trigdata->tg_trigtuple);
	}
	row_from_tuple(trigdata->tg_relation, trigdata->tg_trigtuple, &new);
	if (meta_row_find(new.schema_name, new.table_name, &old) &&
		key_schema_equal(&new.schema, &old.schema) &&
		key_sharding_equal(&new.schema.sharding, &old.schema.sharding))
		return PointerGetDatum(NULL);
	return PointerGetDatum(trigdata->tg_trigtuple);
}

/* Statement trigger after changes by SQL: drops what backends have cached. */
Datum
tables_changed(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("tables_changed() is for the trigger of partitioning.tables")));
	CacheInvalidateRelcache(trigdata->tg_relation);
	return PointerGetDatum(NULL);
}

static Relation
open_tables(LOCKMODE lockmode)
{
	Oid			relid = meta_catalog_relid();

	return OidIsValid(relid) ? table_open(relid, lockmode) : NULL;
}

SysScanDesc
meta_begin_scan(Relation rel, const char *schema_name, const char *table_name,
				const char *index_name)
{
	ScanKeyData keys[3];
	int			n = 0;

	ScanKeyInit(&keys[n++], COLUMN_SCHEMA_NAME, BTEqualStrategyNumber,
				F_NAMEEQ, CStringGetDatum(schema_name));
	if (table_name != NULL)
		ScanKeyInit(&keys[n++], COLUMN_TABLE_NAME, BTEqualStrategyNumber,
					F_NAMEEQ, CStringGetDatum(table_name));
	if (index_name != NULL)
		ScanKeyInit(&keys[n++], COLUMN_INDEX_NAME, BTEqualStrategyNumber,
					F_TEXTEQ, CStringGetTextDatum(index_name));
	return systable_beginscan(rel, compat_primary_key_index(rel), true, NULL,
							  n, keys);
}

static void
row_from_tuple(Relation rel, HeapTuple tuple, MetaRow *row)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];

	heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
	row->schema_name =
		pstrdup(NameStr(*DatumGetName(values[COLUMN_SCHEMA_NAME - 1])));
	row->table_name =
		pstrdup(NameStr(*DatumGetName(values[COLUMN_TABLE_NAME - 1])));
	memset(&row->schema, 0, sizeof(row->schema));
	row->schema.n = nulls[COLUMN_SORT_KEY - 1] ? 1 : 2;
	for (int i = 0; i < row->schema.n; i++)
	{
		int			column = COLUMN_PARTITION_KEY - 1 + 2 * i;
		KeyAttribute *attribute = &row->schema.attributes[i];

		if (nulls[column] || nulls[column + 1])
			elog(ERROR, "row of partitioning.tables for \"%s.%s\" lacks a key attribute",
				 row->schema_name, row->table_name);
		attribute->name = TextDatumGetCString(values[column]);
		attribute->name_len = strlen(attribute->name);
		attribute->type = key_type_from_char(DatumGetChar(values[column + 1]));
	}
	sharding_from_values(&row->schema.sharding, values, nulls);
	row->progress.position = nulls[COLUMN_RESHARD_POSITION - 1] ? NULL :
		DatumGetItemP(values[COLUMN_RESHARD_POSITION - 1]);
	row->progress.moved = DatumGetInt64(values[COLUMN_RESHARD_MOVED - 1]);
	row->progress.horizon = nulls[COLUMN_RESHARD_HORIZON - 1] ? 0 :
		DatumGetInt64(values[COLUMN_RESHARD_HORIZON - 1]);
}

static void
progress_to_values(const ReshardProgress *progress, Datum *values, bool *nulls)
{
	nulls[COLUMN_RESHARD_POSITION - 1] = progress->position == NULL;
	values[COLUMN_RESHARD_POSITION - 1] = PointerGetDatum(progress->position);
	values[COLUMN_RESHARD_MOVED - 1] = Int64GetDatum(progress->moved);
	nulls[COLUMN_RESHARD_HORIZON - 1] = progress->horizon == 0;
	values[COLUMN_RESHARD_HORIZON - 1] = Int64GetDatum(progress->horizon);
}

/*
 * Notes down other shards of a table, if they are given, and how far the
 * change has come.  Nobody but the mover cares for the latter.
 */
void
meta_row_reshard(const char *schema_name, const char *table_name,
				 const KeySharding *sharding, const ReshardProgress *progress)
{
	Relation	rel = open_tables(RowExclusiveLock);
	SysScanDesc scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	HeapTuple	tuple = systable_getnext(scan);
	Datum		values[COLUMNS] = {0};
	bool		nulls[COLUMNS] = {false};
	bool		replace[COLUMNS] = {false};
	HeapTuple	new;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "table \"%s.%s\" has no row in partitioning.tables",
			 schema_name, table_name);
	if (sharding != NULL)
	{
		sharding_to_values(sharding, values, nulls);
		replace[COLUMN_WRITE_SHARDS - 1] = true;
		replace[COLUMN_FORMER_SHARDS - 1] = true;
	}
	progress_to_values(progress, values, nulls);
	replace[COLUMN_RESHARD_POSITION - 1] = true;
	replace[COLUMN_RESHARD_MOVED - 1] = true;
	replace[COLUMN_RESHARD_HORIZON - 1] = true;
	new = heap_modify_tuple(tuple, RelationGetDescr(rel), values, nulls,
							replace);
	CatalogTupleUpdate(rel, &tuple->t_self, new);
	if (sharding != NULL)
		CacheInvalidateRelcache(rel);
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

static void
sharding_to_values(const KeySharding *sharding, Datum *values, bool *nulls)
{
	const char *by = meta_shard_by(sharding);

	values[COLUMN_WRITE_SHARDS - 1] = Int32GetDatum(Max(sharding->count, 1));
	nulls[COLUMN_SHARD_BY - 1] = by == NULL;
	if (by != NULL)
		values[COLUMN_SHARD_BY - 1] = CStringGetTextDatum(by);
	values[COLUMN_FORMER_SHARDS - 1] = Int32GetDatum(sharding->former);
}

static void
sharding_from_values(KeySharding *sharding, const Datum *values,
					 const bool *nulls)
{
	int			count = DatumGetInt32(values[COLUMN_WRITE_SHARDS - 1]);

	if (count > 1)
		meta_set_sharding(sharding, count,
						  nulls[COLUMN_SHARD_BY - 1] ? NULL :
						  TextDatumGetCString(values[COLUMN_SHARD_BY - 1]),
						  DatumGetInt32(values[COLUMN_FORMER_SHARDS - 1]));
}

/* The column shard_by: NULL where the sort key decides. */
const char *
meta_shard_by(const KeySharding *sharding)
{
	switch (sharding->by)
	{
		case KEY_SHARD_NONE:
		case KEY_SHARD_SORT_KEY:
			break;
		case KEY_SHARD_ATTRIBUTE:
			return sharding->attribute;
		case KEY_SHARD_RANDOM:
			return SHARD_BY_RANDOM;
	}
	return NULL;
}

/* The other way round; by is not copied. */
void
meta_set_sharding(KeySharding *sharding, int count, const char *by,
				  int former)
{
	memset(sharding, 0, sizeof(*sharding));
	sharding->count = count;
	sharding->former = former;
	if (by == NULL)
		sharding->by = KEY_SHARD_SORT_KEY;
	else if (strcmp(by, SHARD_BY_RANDOM) == 0)
		sharding->by = KEY_SHARD_RANDOM;
	else
	{
		sharding->by = KEY_SHARD_ATTRIBUTE;
		sharding->attribute = by;
		sharding->attribute_len = strlen(by);
	}
}

static ItemType
key_type_from_char(char type)
{
	ItemType	result;

	if (!item_type_from_tag(&type, 1, &result) ||
		(result != ITEM_S && result != ITEM_N && result != ITEM_B))
		elog(ERROR, "invalid key type \"%c\" in partitioning.tables", type);
	return result;
}

/* Updates a row's names; NULL keeps the old one. */
static void
rename_tuple(Relation rel, HeapTuple tuple,
			 const char *schema_name, const char *table_name)
{
	Datum		values[COLUMNS] = {0};
	bool		nulls[COLUMNS] = {false};
	bool		replace[COLUMNS] = {false};
	NameData	schema;
	NameData	table;
	HeapTuple	new;

	if (schema_name != NULL)
	{
		namestrcpy(&schema, schema_name);
		values[COLUMN_SCHEMA_NAME - 1] = NameGetDatum(&schema);
		replace[COLUMN_SCHEMA_NAME - 1] = true;
	}
	if (table_name != NULL)
	{
		namestrcpy(&table, table_name);
		values[COLUMN_TABLE_NAME - 1] = NameGetDatum(&table);
		replace[COLUMN_TABLE_NAME - 1] = true;
	}
	new = heap_modify_tuple(tuple, RelationGetDescr(rel), values, nulls,
							replace);
	CatalogTupleUpdate(rel, &tuple->t_self, new);
	CacheInvalidateRelcache(rel);
}
