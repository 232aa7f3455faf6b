/*
 * meta_index.c
 *	  Secondary indexes of item tables: rows of partitioning.indexes, and the
 *	  descriptors made of them.
 *
 * A row names its table and index; what else it says is fixed when the index
 * is made, but for status and propagation.  Rows are read and written as
 * those of partitioning.tables, see meta_catalog.c.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "meta/meta_private.h"
#include "worker/worker.h"

/* Columns of partitioning.indexes. */
#define COLUMN_KIND					4
#define COLUMN_PARTITION_KEYS		5
#define COLUMN_PARTITION_KEY_TYPES	6
#define COLUMN_SORT_KEYS			7
#define COLUMN_SORT_KEY_TYPES		8
#define COLUMN_TEMPLATES			9
#define COLUMN_PROJECTION			10
#define COLUMN_INCLUDE				11
#define COLUMN_PROPAGATION			12
#define COLUMN_UNIQUE_KEY			13
#define COLUMN_WRITE_SHARDS			14
#define COLUMN_STATUS				15
#define COLUMN_RELATION_NAME		16
#define COLUMN_COLUMN_NAME			17
#define COLUMN_OPTIONS				18
#define COLUMNS						18

/* The words of the catalog, by the value of the enum. */
static const char *const projection_words[] = {"ALL", "KEYS_ONLY", "INCLUDE"};
static const char *const status_words[] = {"ACTIVE", "CREATING"};

PG_FUNCTION_INFO_V1(indexes_insert);
PG_FUNCTION_INFO_V1(indexes_changed);

static const char *relation_of_tuple(Relation rel, HeapTuple tuple);
static Relation open_indexes(LOCKMODE lockmode);
static void delete_rows(const char *schema_name, const char *table_name,
						const char *relation_name);
static bool has_relation(Relation rel, HeapTuple tuple,
						 const char *relation_name);
static void set_indexed(ItemTable *table);
static bool is_repeated(const KeyIndexAttribute *indexed, int n,
						const KeyIndexAttribute *key);
static void index_from_tuple(Relation rel, HeapTuple tuple, ItemIndex *index);
static int	read_keys(const ItemIndex *index, Datum names, Datum types,
					  Jsonb *templates, KeyIndexAttribute *keys);
static KeyTemplate *read_template(Jsonb *templates, const char *name);
static int	read_texts(Datum array, char ***texts);
static int	read_word(Datum word, const char *const *words, int nwords);
static char *read_name(Datum name);
static IndexMethod read_method(Jsonb *options);
static HeapTuple tuple_from_index(Relation rel, const ItemTable *table,
								  const ItemIndex *index);
static Datum keys_array(const KeyIndexAttribute *keys, int n, bool types);
static Datum names_array(const AttributeName *names, int n);
static Datum templates_jsonb(const ItemIndex *index);
static Datum name_datum(const char *name);
static void check_trigger(FunctionCallInfo fcinfo, bool row,
						  const char *name);

/* OID of partitioning.indexes; InvalidOid when the extension is not here. */
Oid
meta_index_catalog_relid(void)
{
	Oid			schema = get_namespace_oid(META_SCHEMA, true);

	return OidIsValid(schema) ? get_relname_relid("indexes", schema) :
		InvalidOid;
}

const ItemIndex *
meta_index_find(const ItemTable *table, const char *name, size_t name_len)
{
	for (int i = 0; i < table->nindexes; i++)
	{
		if (table->indexes[i].name_len == name_len &&
			memcmp(table->indexes[i].name, name, name_len) == 0)
			return &table->indexes[i];
	}
	return NULL;
}

int
meta_index_key(const ItemIndex *index, const char *name, size_t name_len)
{
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		if (index->keys[i].attribute.name_len == name_len &&
			memcmp(index->keys[i].attribute.name, name, name_len) == 0)
			return i;
	}
	return -1;
}

bool
meta_index_projects(const ItemIndex *index, const char *name,
					size_t name_len)
{
	if (index->projection != PROJECTION_INCLUDE)
		return index->projection == PROJECTION_ALL;
	for (int i = 0; i < index->ninclude; i++)
	{
		if (index->include[i].len == name_len &&
			memcmp(index->include[i].data, name, name_len) == 0)
			return true;
	}
	return false;
}

void
meta_indexes_read(ItemTable *table)
{
	Relation	rel = open_indexes(AccessShareLock);
	ItemIndex  *indexes = NULL;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return;
	scan = meta_begin_scan(rel, table->schema_name, table->table_name, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Size		size = (table->nindexes + 1) * sizeof(ItemIndex);

		indexes = indexes == NULL ? palloc(size) : repalloc(indexes, size);
		index_from_tuple(rel, tuple, &indexes[table->nindexes++]);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	table->indexes = indexes;
	set_indexed(table);
}

/* The key attributes of all indexes, those of the first by name first. */
static void
set_indexed(ItemTable *table)
{
	KeyIndexAttribute *indexed;
	int			n = 0;

	if (table->nindexes == 0)
		return;
	indexed = palloc(table->nindexes * lengthof(table->indexes[0].keys) *
					 sizeof(KeyIndexAttribute));
	for (int i = 0; i < table->nindexes; i++)
	{
		const ItemIndex *index = &table->indexes[i];

		/* the table's own partition key needs no second look */
		for (int j = index->global ? 0 : index->npartition;
			 j < index->npartition + index->nsort; j++)
		{
			if (!is_repeated(indexed, n, &index->keys[j]))
				indexed[n++] = index->keys[j];
		}
	}
	table->schema.nindexed = n;
	table->schema.indexed = indexed;
}

static bool
is_repeated(const KeyIndexAttribute *indexed, int n,
			const KeyIndexAttribute *key)
{
	for (int i = 0; i < n; i++)
	{
		const KeyIndexAttribute *other = &indexed[i];

		if (strcmp(other->attribute.name, key->attribute.name) == 0 &&
			other->attribute.type == key->attribute.type &&
			other->sort == key->sort &&
			other->template == NULL && key->template == NULL)
			return true;
	}
	return false;
}

void
meta_index_insert(const ItemTable *table, const ItemIndex *index)
{
	Relation	rel = open_indexes(RowExclusiveLock);

	if (rel == NULL)
		elog(ERROR, "table partitioning.indexes does not exist");
	CatalogTupleInsert(rel, tuple_from_index(rel, table, index));
	CacheInvalidateRelcache(rel);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

void
meta_index_replace(const ItemTable *table, const ItemIndex *index)
{
	Relation	rel = open_indexes(RowExclusiveLock);
	SysScanDesc scan = meta_begin_scan(rel, table->schema_name,
									   table->table_name,
									   index->name);
	HeapTuple	tuple = systable_getnext(scan);

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "index \"%s\" has no row in partitioning.indexes",
			 index->name);
	CatalogTupleUpdate(rel, &tuple->t_self,
					   tuple_from_index(rel, table, index));
	CacheInvalidateRelcache(rel);
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

void
meta_index_delete(const ItemTable *table, const char *name)
{
	Relation	rel = open_indexes(RowExclusiveLock);
	SysScanDesc scan = meta_begin_scan(rel, table->schema_name,
									   table->table_name,
									   name);
	HeapTuple	tuple = systable_getnext(scan);

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "index \"%s\" has no row in partitioning.indexes", name);
	CatalogTupleDelete(rel, &tuple->t_self);
	CacheInvalidateRelcache(rel);
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

/* All indexes of a table that goes. */
void
meta_indexes_delete(const char *schema_name, const char *table_name)
{
	delete_rows(schema_name, table_name, NULL);
}

/*
 * The rows of a table's indexes, or of those of all tables (table_name NULL);
 * only those with this index table if relation_name is not NULL.
 */
static void
delete_rows(const char *schema_name, const char *table_name,
			const char *relation_name)
{
	Relation	rel = open_indexes(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return;
	scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (relation_name != NULL &&
			!has_relation(rel, tuple, relation_name))
			continue;
		CatalogTupleDelete(rel, &tuple->t_self);
		CacheInvalidateRelcache(rel);
	}
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

/*
 * Follows a table that is renamed, or all of a schema when table_name is
 * NULL; so is new_table_name then.
 */
void
meta_indexes_rename(const char *schema_name, const char *table_name,
					const char *new_schema_name, const char *new_table_name)
{
	Relation	rel = open_indexes(RowExclusiveLock);
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

		values[COLUMN_SCHEMA_NAME - 1] = name_datum(new_schema_name);
		replace[COLUMN_SCHEMA_NAME - 1] = true;
		if (new_table_name != NULL)
		{
			values[COLUMN_TABLE_NAME - 1] = name_datum(new_table_name);
			replace[COLUMN_TABLE_NAME - 1] = true;
		}
		CatalogTupleUpdate(rel, &tuple->t_self,
						   heap_modify_tuple(tuple, RelationGetDescr(rel),
											 values, nulls, replace));
		CacheInvalidateRelcache(rel);
	}
	systable_endscan(scan);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

List *
meta_index_relations(const char *schema_name, const char *table_name)
{
	Relation	rel = open_indexes(AccessShareLock);
	List	   *names = NIL;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return NIL;
	scan = meta_begin_scan(rel, schema_name, table_name, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const char *name = relation_of_tuple(rel, tuple);

		if (name != NULL)
			names = lappend(names, pstrdup(name));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return names;
}

char *
meta_table_of_index_table(const char *schema_name, const char *relation_name)
{
	Relation	rel = open_indexes(AccessShareLock);
	char	   *table_name = NULL;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return NULL;
	scan = meta_begin_scan(rel, schema_name, NULL, NULL);
	while (table_name == NULL &&
		   HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;

		if (has_relation(rel, tuple, relation_name))
			table_name = read_name(heap_getattr(tuple, COLUMN_TABLE_NAME,
												RelationGetDescr(rel),
												&isnull));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return table_name;
}

void
meta_index_delete_relation(const char *schema_name, const char *relation_name)
{
	delete_rows(schema_name, NULL, relation_name);
}

/* Is this the name of the row's index table? */
static bool
has_relation(Relation rel, HeapTuple tuple, const char *relation_name)
{
	const char *name = relation_of_tuple(rel, tuple);

	return name != NULL && strcmp(name, relation_name) == 0;
}

/* Name of the index table, within the tuple, or NULL. */
static const char *
relation_of_tuple(Relation rel, HeapTuple tuple)
{
	bool		isnull;
	Datum		name = heap_getattr(tuple, COLUMN_RELATION_NAME,
									RelationGetDescr(rel), &isnull);

	return isnull ? NULL : NameStr(*DatumGetName(name));
}

/*
 * Item tables, as OIDs, that have an index of status CREATING.
 */
List *
meta_tables_creating(void)
{
	Relation	rel = open_indexes(AccessShareLock);
	List	   *relids = NIL;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (rel == NULL)
		return NIL;
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		values[COLUMNS];
		bool		nulls[COLUMNS];
		Oid			schema;

		heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
		if (read_word(values[COLUMN_STATUS - 1], status_words,
					  lengthof(status_words)) != INDEX_CREATING)
			continue;
		schema = get_namespace_oid(NameStr(*DatumGetName(values[COLUMN_SCHEMA_NAME - 1])),
								   true);
		if (OidIsValid(schema))
			relids = list_append_unique_oid(relids,
											get_relname_relid(NameStr(*DatumGetName(values[COLUMN_TABLE_NAME - 1])),
															  schema));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return relids;
}

static Relation
open_indexes(LOCKMODE lockmode)
{
	Oid			relid = meta_index_catalog_relid();

	return OidIsValid(relid) ? table_open(relid, lockmode) : NULL;
}

static void
index_from_tuple(Relation rel, HeapTuple tuple, ItemIndex *index)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];
	Jsonb	   *templates;
	Jsonb	   *options;

#define VALUE(column)	(values[COLUMN_##column - 1])
#define ISNULL(column)	(nulls[COLUMN_##column - 1])
	heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
	memset(index, 0, sizeof(*index));
	index->name = TextDatumGetCString(VALUE(INDEX_NAME));
	index->name_len = strlen(index->name);
	index->global = strcmp(TextDatumGetCString(VALUE(KIND)), "global") == 0;
	index->status = read_word(VALUE(STATUS), status_words,
							  lengthof(status_words));

	templates = DatumGetJsonbP(VALUE(TEMPLATES));
	index->npartition = read_keys(index, VALUE(PARTITION_KEYS),
								  VALUE(PARTITION_KEY_TYPES), templates,
								  index->keys);
	index->nsort = read_keys(index, VALUE(SORT_KEYS), VALUE(SORT_KEY_TYPES),
							 templates, index->keys + index->npartition);
	for (int i = 0; i < index->nsort; i++)
		index->keys[index->npartition + i].sort = true;

	index->projection = read_word(VALUE(PROJECTION), projection_words,
								  lengthof(projection_words));
	if (index->projection == PROJECTION_INCLUDE)
	{
		char	  **names;
		AttributeName *include;

		index->ninclude = read_texts(VALUE(INCLUDE), &names);
		index->include = include =
			palloc(index->ninclude * sizeof(AttributeName));
		for (int i = 0; i < index->ninclude; i++)
		{
			include[i].data = names[i];
			include[i].len = strlen(names[i]);
		}
	}
	index->synchronous =
		strcmp(TextDatumGetCString(VALUE(PROPAGATION)), "sync") == 0;
	index->unique_key = DatumGetBool(VALUE(UNIQUE_KEY));
	index->write_shards = DatumGetInt32(VALUE(WRITE_SHARDS));
	index->relation_name = ISNULL(RELATION_NAME) ? NULL :
		read_name(VALUE(RELATION_NAME));
	index->column_name = ISNULL(COLUMN_NAME) ? NULL :
		read_name(VALUE(COLUMN_NAME));
	index->made_by = HeapTupleHeaderGetXmin(tuple->t_data);
	options = DatumGetJsonbP(VALUE(OPTIONS));
	index->options = JsonbToCString(NULL, &options->root, -1);
	index->method = read_method(options);
#undef VALUE
#undef ISNULL
}

/* Key attributes from an array of names and one of types; how many. */
static int
read_keys(const ItemIndex *index, Datum names, Datum types, Jsonb *templates,
		  KeyIndexAttribute *keys)
{
	char	  **name;
	char	  **type;
	int			n = read_texts(names, &name);

	if (n > LIMIT_INDEX_KEYS || read_texts(types, &type) != n)
		elog(ERROR, "invalid key attributes of index \"%s\" in partitioning.indexes",
			 index->name);
	for (int i = 0; i < n; i++)
	{
		KeyIndexAttribute *key = &keys[i];

		key->index_name = index->name;
		key->attribute.name = name[i];
		key->attribute.name_len = strlen(name[i]);
		if (!item_type_from_tag(type[i], strlen(type[i]),
								&key->attribute.type) ||
			(key->attribute.type != ITEM_S && key->attribute.type != ITEM_N &&
			 key->attribute.type != ITEM_B))
			elog(ERROR, "invalid key type \"%s\" in partitioning.indexes",
				 type[i]);
		key->template = read_template(templates, name[i]);
	}
	return n;
}

static KeyTemplate *
read_template(Jsonb *templates, const char *name)
{
	JsonbValue	buffer;
	JsonbValue *value;

	value = getKeyJsonValueFromContainer(&templates->root, name, strlen(name),
										 &buffer);
	if (value == NULL)
		return NULL;
	if (value->type != jbvString)
		elog(ERROR, "invalid template in partitioning.indexes");
	return key_template_parse(value->val.string.val, value->val.string.len);
}

static int
read_texts(Datum array, char ***texts)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, &nulls, &n);
	*texts = palloc(n * sizeof(char *));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			elog(ERROR, "null in an array of partitioning.indexes");
		(*texts)[i] = TextDatumGetCString(elements[i]);
	}
	return n;
}

static int
read_word(Datum word, const char *const *words, int nwords)
{
	char	   *string = TextDatumGetCString(word);

	for (int i = 0; i < nwords; i++)
	{
		if (strcmp(words[i], string) == 0)
			return i;
	}
	elog(ERROR, "invalid word \"%s\" in partitioning.indexes", string);
	return 0;					/* keep compiler quiet */
}

/*
 * create_global_index() always notes the method; an index without the note is
 * from elsewhere.
 */
static IndexMethod
read_method(Jsonb *options)
{
	JsonbValue	buffer;
	JsonbValue *value = NULL;
	IndexMethod method = INDEX_METHOD_BTREE;

	if (JB_ROOT_IS_OBJECT(options))
		value = getKeyJsonValueFromContainer(&options->root, "index_method",
											 strlen("index_method"), &buffer);
	if (value != NULL &&
		(value->type != jbvString ||
		 !meta_method_from_name(pnstrdup(value->val.string.val,
										 value->val.string.len), &method)))
		elog(ERROR, "invalid index method in partitioning.indexes");
	return method;
}

static char *
read_name(Datum name)
{
	return pstrdup(NameStr(*DatumGetName(name)));
}

static HeapTuple
tuple_from_index(Relation rel, const ItemTable *table, const ItemIndex *index)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

#define SET(column, value)	(values[COLUMN_##column - 1] = (value))
#define SET_NAME(column, value) \
	((value) != NULL ? SET(column, name_datum(value)) : \
	 (Datum) (nulls[COLUMN_##column - 1] = true))
	SET_NAME(SCHEMA_NAME, table->schema_name);
	SET_NAME(TABLE_NAME, table->table_name);
	SET(INDEX_NAME, CStringGetTextDatum(index->name));
	SET(KIND, CStringGetTextDatum(index->global ? "global" : "local"));
	SET(PARTITION_KEYS, keys_array(index->keys, index->npartition, false));
	SET(PARTITION_KEY_TYPES, keys_array(index->keys, index->npartition, true));
	SET(SORT_KEYS, keys_array(index->keys + index->npartition, index->nsort,
							  false));
	SET(SORT_KEY_TYPES, keys_array(index->keys + index->npartition,
								   index->nsort, true));
	SET(TEMPLATES, templates_jsonb(index));
	SET(PROJECTION, CStringGetTextDatum(projection_words[index->projection]));
	SET(INCLUDE, names_array(index->include, index->ninclude));
	SET(PROPAGATION, CStringGetTextDatum(!index->global || index->synchronous ?
										 "sync" : "async"));
	SET(UNIQUE_KEY, BoolGetDatum(index->unique_key));
	SET(WRITE_SHARDS, Int32GetDatum(Max(index->write_shards, 1)));
	SET(STATUS, CStringGetTextDatum(status_words[index->status]));
	SET_NAME(RELATION_NAME, index->relation_name);
	SET_NAME(COLUMN_NAME, index->column_name);
	SET(OPTIONS, DirectFunctionCall1(jsonb_in,
									 CStringGetDatum(index->options != NULL ?
													 index->options : "{}")));
#undef SET
#undef SET_NAME
	return heap_form_tuple(RelationGetDescr(rel), values, nulls);
}

/* Names or types of key attributes as text[]. */
static Datum
keys_array(const KeyIndexAttribute *keys, int n, bool types)
{
	Datum		texts[LIMIT_INDEX_KEYS];

	for (int i = 0; i < n; i++)
		texts[i] = CStringGetTextDatum(types ?
									   item_type_tag(keys[i].attribute.type) :
									   keys[i].attribute.name);
	return PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

static Datum
names_array(const AttributeName *names, int n)
{
	Datum	   *texts = palloc(n * sizeof(Datum));

	for (int i = 0; i < n; i++)
		texts[i] = PointerGetDatum(cstring_to_text_with_len(names[i].data,
															names[i].len));
	return PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

static Datum
templates_jsonb(const ItemIndex *index)
{
	StringInfoData json;
	const char *separator = "";

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int i = 0; i < index->npartition + index->nsort; i++)
	{
		const KeyIndexAttribute *key = &index->keys[i];

		if (key->template == NULL)
			continue;
		appendStringInfoString(&json, separator);
		escape_json(&json, key->attribute.name);
		appendStringInfoChar(&json, ':');
		escape_json(&json, key_template_text(key->template));
		separator = ",";
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

static Datum
name_datum(const char *string)
{
	Name		name = palloc(NAMEDATALEN);

	namestrcpy(name, string);
	return NameGetDatum(name);
}

/*
 * Row trigger before INSERT: a row that is there already, equal in all, is
 * not inserted again, as in partitioning.tables.
 */
Datum
indexes_insert(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Relation	rel;
	HeapTuple	new;
	HeapTuple	old;
	SysScanDesc scan;
	ItemIndex	index;
	Datum		values[2][COLUMNS];
	bool		nulls[2][COLUMNS];
	bool		equal;

	check_trigger(fcinfo, true, "indexes_insert");
	rel = trigdata->tg_relation;
	new = trigdata->tg_trigtuple;
	for (int column = 1; column <= COLUMN_STATUS; column++)
	{
		if (heap_attisnull(new, column, RelationGetDescr(rel)))
			return PointerGetDatum(new);	/* NOT NULL will complain */
	}
	index_from_tuple(rel, new, &index); /* or ereports what is wrong */

	heap_deform_tuple(new, RelationGetDescr(rel), values[0], nulls[0]);
	scan = meta_begin_scan(rel,
					  NameStr(*DatumGetName(values[0][COLUMN_SCHEMA_NAME - 1])),
					  NameStr(*DatumGetName(values[0][COLUMN_TABLE_NAME - 1])),
					  index.name);
	old = systable_getnext(scan);
	equal = HeapTupleIsValid(old);
	if (equal)
		heap_deform_tuple(old, RelationGetDescr(rel), values[1], nulls[1]);
	for (int i = 0; equal && i < COLUMNS; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);

		equal = nulls[0][i] == nulls[1][i] &&
			(nulls[0][i] ||
			 datum_image_eq(values[0][i], values[1][i], att->attbyval,
							att->attlen));
	}
	systable_endscan(scan);
	/* a restore may bring an index, and a queue, that is to be worked on */
	worker_wake_at_commit();
	return PointerGetDatum(equal ? NULL : new);
}

/* Statement trigger after changes by SQL: drops what backends have cached. */
Datum
indexes_changed(PG_FUNCTION_ARGS)
{
	check_trigger(fcinfo, false, "indexes_changed");
	CacheInvalidateRelcache(((TriggerData *) fcinfo->context)->tg_relation);
	return PointerGetDatum(NULL);
}

/*
 * Is this the call of a trigger on partitioning.indexes: BEFORE INSERT FOR EACH
 * ROW, or AFTER anything FOR EACH STATEMENT?
 */
static void
check_trigger(FunctionCallInfo fcinfo, bool row, const char *name)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;

	if (CALLED_AS_TRIGGER(fcinfo) &&
		RelationGetRelid(trigdata->tg_relation) == meta_index_catalog_relid() &&
		(row ? TRIGGER_FIRED_FOR_ROW(trigdata->tg_event) &&
		 TRIGGER_FIRED_BEFORE(trigdata->tg_event) &&
		 TRIGGER_FIRED_BY_INSERT(trigdata->tg_event) :
		 TRIGGER_FIRED_FOR_STATEMENT(trigdata->tg_event)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
			 errmsg("%s() is for the trigger of partitioning.indexes", name)));
}
