/*
 * meta_cache.c
 *	  Descriptors of item tables, cached per backend.
 *
 * A descriptor lives in a memory context of its own and is never changed.  An
 * invalidation only marks its entry; the next look-up builds a new descriptor
 * and retires the old one, whose memory goes when the transaction ends, since
 * callers may hold it until then.  Callbacks run at any time, also in the
 * middle of a look-up here and where no catalog may be read, so they set
 * flags and nothing else.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/partition.h"
#include "storage/lmgr.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/service_text.h"
#include "meta/meta_private.h"

typedef struct CacheEntry
{
	Oid			relid;			/* hash key */
	bool		valid;
	ItemTable  *table;			/* NULL: no item table */
	MemoryContext context;		/* of the descriptor */
	uint64		generation;		/* of the cache, when built */
} CacheEntry;

static HTAB *cache = NULL;
static CacheEntry *last_entry = NULL;	/* entries never move or go */
static List *retired = NIL;		/* contexts, in TopMemoryContext */
static Oid	catalog_relid = InvalidOid;
static Oid	index_catalog_relid = InvalidOid;

/* What was built in another generation is out of date. */
static uint64 generation = 1;
static uint64 name_generation = 1;
static uint64 serials = 0;

static CacheEntry *find_entry(Oid relid);
static void build_entry(CacheEntry *entry);
static void retire(CacheEntry *entry);
static ItemTable *build_table(Relation rel);
static void copy_schema(KeySchema *to, const KeySchema *from);
static void relcache_callback(Datum arg, Oid relid);
static void schema_callback(Datum arg, int cacheid, uint32 hashvalue);
static void end_of_transaction(XactEvent event, void *arg);

void
meta_init(void)
{
	HASHCTL		ctl = {
		.keysize = sizeof(Oid),
		.entrysize = sizeof(CacheEntry),
		.hcxt = TopMemoryContext
	};

	cache = hash_create("item tables", 64, &ctl,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	CacheRegisterRelcacheCallback(relcache_callback, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, schema_callback, (Datum) 0);
	RegisterXactCallback(end_of_transaction, NULL);
	meta_follow_init();
}

uint64
meta_name_generation(void)
{
	return name_generation;
}

const ItemTable *
meta_table(Oid relid)
{
	const ItemTable *table = meta_table_if_any(relid);

	if (likely(table != NULL))
		return table;
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
			 errmsg(TEXT_RESOURCE_NOT_FOUND),
			 get_rel_name(relid) != NULL ?
			 errdetail("Relation \"%s\" is not an item table.",
					   get_rel_name(relid)) :
			 errdetail("There is no relation with OID %u.", relid),
			 errhint("partitioning.register_table() makes an item table of a table of the right shape.")));
}

const ItemTable *
meta_table_if_any(Oid relid)
{
	CacheEntry *entry = last_entry;

	if (entry == NULL || entry->relid != relid)
		entry = find_entry(relid);
	if (unlikely(!entry->valid || entry->generation != generation))
		build_entry(entry);
	last_entry = entry;
	return entry->table;
}

const ItemTable *
meta_table_of_partition(Oid relid)
{
	List	   *ancestors;
	const ItemTable *table = meta_table_if_any(relid);

	if (table != NULL || !get_rel_relispartition(relid))
		return table;
	ancestors = get_partition_ancestors(relid);
	if (ancestors != NIL)
		table = meta_table_if_any(llast_oid(ancestors));
	list_free(ancestors);
	return table;
}

static CacheEntry *
find_entry(Oid relid)
{
	bool		found;
	CacheEntry *entry = hash_search(cache, &relid, HASH_ENTER, &found);

	if (!found)
	{
		entry->valid = false;
		entry->table = NULL;
		entry->context = NULL;
	}
	return entry;
}

/*
 * (Re)builds an entry.  An invalidation that arrives while we read leaves it
 * out of date, and we read again; an error does so, too, because the
 * generation is set last.
 */
static void
build_entry(CacheEntry *entry)
{
	retire(entry);
	while (!entry->valid || entry->generation != generation)
	{
		uint64		start = generation;
		Relation	rel;
		MemoryContext old;

		retire(entry);
		entry->valid = true;
		entry->generation = 0;
		catalog_relid = meta_catalog_relid();
		index_catalog_relid = meta_index_catalog_relid();

		rel = try_relation_open(entry->relid, AccessShareLock);
		if (rel != NULL)
		{
			entry->context = AllocSetContextCreate(TopMemoryContext,
												   "item table",
												   ALLOCSET_SMALL_SIZES);
			old = MemoryContextSwitchTo(entry->context);
			entry->table = build_table(rel);
			MemoryContextSwitchTo(old);
			relation_close(rel, AccessShareLock);
			if (entry->table == NULL)
				retire(entry);
		}
		entry->generation = start;
	}
}

/* Puts an entry's descriptor away until the end of the transaction. */
static void
retire(CacheEntry *entry)
{
	MemoryContext old;

	if (entry->context == NULL)
		return;
	old = MemoryContextSwitchTo(TopMemoryContext);
	retired = lappend(retired, entry->context);
	MemoryContextSwitchTo(old);
	entry->context = NULL;
	entry->table = NULL;
}

/* Descriptor of an open relation in the current context, or NULL. */
static ItemTable *
build_table(Relation rel)
{
	const char *schema_name = get_namespace_name(RelationGetNamespace(rel));
	const char *problem;
	ItemTable  *table;
	MetaRow		row;

	if ((rel->rd_rel->relkind != RELKIND_RELATION &&
		 rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE) ||
		schema_name == NULL ||
		!meta_row_find(schema_name, RelationGetRelationName(rel), &row))
		return NULL;

	table = palloc0(sizeof(ItemTable));
	problem = meta_check_columns(rel, &row.schema, table->key_attnums,
								 &table->attributes_attnum);
	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is registered as an item table but does not have the columns of one",
						RelationGetRelationName(rel)),
				 errdetail_internal("%s", problem)));

	table->relid = RelationGetRelid(rel);
	table->schema_name = row.schema_name;
	table->table_name = row.table_name;
	copy_schema(&table->schema, &row.schema);
	table->partitioned = rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
	table->key_index = meta_find_key_index(rel, &table->schema,
										   table->key_attnums);
	if (OidIsValid(table->key_index))
		table->method = meta_method_of_index(table->key_index);
	table->index_limit = meta_method_limit(table->method);
	if (table->schema.sharding.count > 0 &&
		table->schema.sharding.by != KEY_SHARD_SORT_KEY)
		table->logical_index = meta_find_logical_index(rel, &table->schema);
	table->plain_checks = meta_has_only_item_check(rel, &table->schema);
	table->serial = ++serials;
	meta_indexes_read(table);
	return table;
}

static void
copy_schema(KeySchema *to, const KeySchema *from)
{
	*to = *from;
	for (int i = 0; i < from->n; i++)
		to->attributes[i].name = pstrdup(from->attributes[i].name);
	if (from->sharding.attribute != NULL)
		to->sharding.attribute = pstrdup(from->sharding.attribute);
}

/*
 * Any change of an item table, and any change of partitioning.tables, may
 * change what names mean.  A change of partitioning.indexes need not, but it is
 * as rare.
 */
static void
relcache_callback(Datum arg, Oid relid)
{
	CacheEntry *entry;

	if (relid == InvalidOid || relid == catalog_relid ||
		relid == index_catalog_relid)
	{
		generation++;
		name_generation++;
		return;
	}
	entry = hash_search(cache, &relid, HASH_FIND, NULL);
	if (entry == NULL)
		return;
	entry->valid = false;
	name_generation++;
}

static void
schema_callback(Datum arg, int cacheid, uint32 hashvalue)
{
	generation++;
	name_generation++;
}

static void
end_of_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE ||
		event == XACT_EVENT_PARALLEL_PRE_COMMIT)
		return;
	while (retired != NIL)
	{
		MemoryContext context = linitial(retired);

		retired = list_delete_first(retired);
		MemoryContextDelete(context);
	}
}
