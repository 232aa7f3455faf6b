/*
 * store_index.c
 *	  Index tables: the relations that global indexes of item tables are.
 *
 * An index table has the columns pk [, sk], base_pk [, base_sk], digest,
 * attributes: the index's key, the item's key, a digest of the latter, and
 * what is projected.  Its key index is on (pk [, sk], digest), so that entries
 * of equal keys have an order of their own; when the index's key is unique it
 * is on (pk [, sk]).  Where the columns are is looked up by name, since a
 * restored table may have been made by other means than ours.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "base/errors.h"
#include "store/store.h"
#include "store/store_private.h"

static AttrNumber column_number(Relation rel, const char *name, Oid type);
static HTAB *known = NULL;		/* of StoreIndexFacts, by relation */

/* Counts invalidations, to notice one that arrives while facts are read. */
static uint64 invalidations = 0;

static void find_facts(StoreIndex *store, LOCKMODE lockmode);
static void forget_facts(Datum arg, Oid relid);
static void find_key_index(StoreIndex *store, LOCKMODE lockmode);
static bool is_key_index(Relation index, const StoreIndex *store);
static void fill_equal_keys(StoreIndexFacts *facts, Relation index);
static ItemRef key_part(const StoreIndex *store, int part, Datum datum);
static void add_row_key(ItemRow *row, const KeyAttribute *attribute,
						ItemRef value);

/*
 * Type of the column that holds the partition key (part 0) or the sort key
 * (part 1) of a global index: that of its one attribute, or bytea.
 */
ItemType
store_index_key_type(const ItemIndex *index, int part)
{
	int			n = part == 0 ? index->npartition : index->nsort;
	int			first = part == 0 ? 0 : index->npartition;

	return n == 1 ? index->keys[first].attribute.type : ITEM_B;
}

/*
 * The index table's OID; InvalidOid when it does not exist.
 */
Oid
store_index_relid(const ItemTable *table, const ItemIndex *index)
{
	Oid			namespace = get_namespace_oid(table->schema_name, true);

	return OidIsValid(namespace) ?
		get_relname_relid(index->relation_name, namespace) : InvalidOid;
}

/*
 * Finds the index whose index table a relation is, and its item table; false
 * when it is none.  Nothing else is filled in.
 */
bool
store_index_of_relation(Relation rel, StoreIndex *store)
{
	char	   *schema_name = get_namespace_name(RelationGetNamespace(rel));
	char	   *table_name;
	Oid			relid;

	table_name = meta_table_of_index_table(schema_name,
										   RelationGetRelationName(rel));
	if (table_name == NULL)
		return false;
	relid = get_relname_relid(table_name, RelationGetNamespace(rel));
	store->table = OidIsValid(relid) ? meta_table_if_any(relid) : NULL;
	for (int i = 0; store->table != NULL && i < store->table->nindexes; i++)
	{
		store->index = &store->table->indexes[i];
		if (store->index->global &&
			strcmp(store->index->relation_name,
				   RelationGetRelationName(rel)) == 0)
			return true;
	}
	return false;
}

/*
 * Opens an index table, without checks of privileges: those that count are on
 * the item table.  The locks stay to the end of the transaction.
 */
void
store_index_open(const ItemTable *table, const ItemIndex *index,
				 LOCKMODE lockmode, StoreIndex *store)
{
	Oid			relid = store_index_relid(table, index);

	memset(store, 0, sizeof(*store));
	store->table = table;
	store->index = index;
	store->rel = OidIsValid(relid) ? try_table_open(relid, lockmode) : NULL;
	if (store->rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" of item table \"%s\" has lost its index table \"%s\"",
						index->name, table->table_name, index->relation_name),
				 errhint("partitioning.rebuild_index() makes it again, partitioning.drop_index() drops the index.")));

	find_facts(store, lockmode);
	store->key_index = index_open(store->facts.key_index, lockmode);
}

/*
 * What is known of an index table, if it still holds.  Finding it out reads
 * the catalog in many places, so it is kept per backend until the relcache
 * entry of any relation that is known here is invalidated, or the descriptor
 * of the item table is another one.
 */
static void
find_facts(StoreIndex *store, LOCKMODE lockmode)
{
	Oid			relid = RelationGetRelid(store->rel);
	StoreIndexFacts *entry;
	uint64		before = invalidations;
	bool		found;

	if (known == NULL)
	{
		HASHCTL		ctl = {
			.keysize = sizeof(Oid),
			.entrysize = sizeof(StoreIndexFacts),
			.hcxt = CacheMemoryContext
		};

		CacheRegisterRelcacheCallback(forget_facts, (Datum) 0);
		known = hash_create("index tables", 32, &ctl,
							HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	entry = hash_search(known, &relid, HASH_FIND, NULL);
	if (entry != NULL && entry->valid &&
		entry->serial == store->table->serial)
	{
		store->facts = *entry;
		return;
	}

	store->facts.relid = relid;
	store->facts.serial = store->table->serial;
	store_index_set_columns(store);
	find_key_index(store, lockmode);
	if (invalidations != before)
		return;
	store->facts.valid = true;
	entry = hash_search(known, &relid, HASH_ENTER, &found);
	*entry = store->facts;
}

/* Relcache callback: forgets one relation, or all. */
static void
forget_facts(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	StoreIndexFacts *entry;

	invalidations++;
	if (OidIsValid(relid))
	{
		entry = hash_search(known, &relid, HASH_FIND, NULL);
		if (entry != NULL)
			entry->valid = false;
		return;
	}
	hash_seq_init(&status, known);
	while ((entry = hash_seq_search(&status)) != NULL)
		entry->valid = false;
}

/*
 * Finds the columns of an index table; table, index and rel are set.
 */
void
store_index_set_columns(StoreIndex *store)
{
	const ItemTable *table = store->table;
	const ItemIndex *index = store->index;

	store->facts.key_attnums[0] =
		column_number(store->rel, META_PK_COLUMN,
					  key_column_type(store_index_key_type(index, 0)));
	if (index->nsort > 0)
		store->facts.key_attnums[1] =
			column_number(store->rel, META_SK_COLUMN,
						  key_column_type(store_index_key_type(index, 1)));
	for (int i = 0; i < table->schema.n; i++)
		store->facts.base_attnums[i] =
			column_number(store->rel,
						  i == 0 ? META_BASE_PK_COLUMN : META_BASE_SK_COLUMN,
						  key_column_type(table->schema.attributes[i].type));
	store->facts.digest_attnum = column_number(store->rel, META_DIGEST_COLUMN,
										 INT8OID);
	store->facts.attributes_attnum = column_number(store->rel,
											 META_ATTRIBUTES_COLUMN,
											 InvalidOid);
}

static void
find_key_index(StoreIndex *store, LOCKMODE lockmode)
{
	List	   *indexes = RelationGetIndexList(store->rel);
	ListCell   *lc;

	store->facts.key_index = InvalidOid;
	foreach(lc, indexes)
	{
		Relation	candidate = index_open(lfirst_oid(lc), lockmode);

		if (is_key_index(candidate, store))
		{
			store->facts.key_index = lfirst_oid(lc);
			store->facts.only_index = list_length(indexes) == 1;
			fill_equal_keys(&store->facts, candidate);
			index_close(candidate, NoLock);
			break;
		}
		index_close(candidate, NoLock);
	}
	list_free(indexes);
	if (!OidIsValid(store->facts.key_index))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index table \"%s\" has no usable key index",
						RelationGetRelationName(store->rel)),
				 errhint("REINDEX repairs an invalid index; partitioning.rebuild_index() makes a missing one.")));
}

void
store_index_close(StoreIndex *store)
{
	index_close(store->key_index, NoLock);
	table_close(store->rel, NoLock);
}

/* Column of that name; and type, if one is given. */
static AttrNumber
column_number(Relation rel, const char *name, Oid type)
{
	TupleDesc	desc = RelationGetDescr(rel);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (!att->attisdropped && strcmp(NameStr(att->attname), name) == 0 &&
			(!OidIsValid(type) || att->atttypid == type))
			return att->attnum;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" does not have the columns of an index table",
					RelationGetRelationName(rel)),
			 errdetail("Column \"%s\" is missing or has another type.", name)));
}

static bool
is_key_index(Relation index, const StoreIndex *store)
{
	Form_pg_index form = index->rd_index;
	IndexMethod method;
	AttrNumber	columns[3];
	int			n = 0;

	columns[n++] = store->facts.key_attnums[0];
	if (store->index->nsort > 0)
		columns[n++] = store->facts.key_attnums[1];
	if (!store->index->unique_key)
		columns[n++] = store->facts.digest_attnum;

	if (!meta_method_of(index->rd_rel->relam, &method) ||
		!form->indisvalid || !form->indisready || form->indnatts != n ||
		form->indisunique != store->index->unique_key ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL))
		return false;
	for (int i = 0; i < n; i++)
	{
		if (form->indkey.values[i] != columns[i] ||
			(index->rd_indoption[i] & INDOPTION_DESC) != 0 ||
			(OidIsValid(index->rd_indcollation[i]) &&
			 index->rd_indcollation[i] != C_COLLATION_OID))
			return false;
	}
	return store_is_hash_order(index->rd_opfamily[0], index->rd_opcintype[0]);
}

static void
fill_equal_keys(StoreIndexFacts *facts, Relation index)
{
	facts->nequal = IndexRelationGetNumberOfKeyAttributes(index);
	for (int i = 0; i < facts->nequal; i++)
	{
		FmgrInfo	equal;

		fmgr_info_cxt(store_index_operator(index, i, index->rd_opcintype[i],
										   BTEqualStrategyNumber),
					  &equal, CacheMemoryContext);
		ScanKeyEntryInitializeWithInfo(&facts->equal_keys[i], 0, i + 1,
									   BTEqualStrategyNumber, InvalidOid,
									   index->rd_indcollation[i], &equal,
									   (Datum) 0);
	}
}

/*
 * The key attributes of a row of an index table, the index's and the item's,
 * each once, and what is projected.
 */
void
store_index_row(const StoreIndex *store, TupleTableSlot *slot, ItemRow *row)
{
	const ItemIndex *index = store->index;
	const KeySchema *schema = &store->table->schema;
	Datum		attributes;
	bool		isnull;

	row->nkeys = 0;
	for (int part = 0; part < (index->nsort > 0 ? 2 : 1); part++)
	{
		const KeyAttribute *attribute;

		/* several attributes are among the others */
		if ((part == 0 ? index->npartition : index->nsort) > 1)
			continue;
		attribute = &index->keys[part == 0 ? 0 : index->npartition].attribute;
		if (key_schema_find(schema, attribute->name,
							attribute->name_len) < 0)
			add_row_key(row, attribute,
						key_part(store, part,
								 slot_getattr(slot, store->facts.key_attnums[part],
											  &isnull)));
	}
	for (int i = 0; i < schema->n; i++)
		add_row_key(row, &schema->attributes[i],
					key_ref_from_datum(schema->attributes[i].type,
									   slot_getattr(slot, store->facts.base_attnums[i],
													&isnull)));
	attributes = slot_getattr(slot, store->facts.attributes_attnum, &isnull);
	row->attributes = item_root(DatumGetItemPP(attributes));
}

/* Adds a key attribute to a row. */
static void
add_row_key(ItemRow *row, const KeyAttribute *attribute, ItemRef value)
{
	ItemRowKey *key = &row->keys[row->nkeys++];

	key->name = attribute->name;
	key->name_len = attribute->name_len;
	key->value = value;
}

/* The item's key, as a row of an index table holds it. */
void
store_index_base_key(const StoreIndex *store, TupleTableSlot *slot,
					 ItemKey *key)
{
	const KeySchema *schema = &store->table->schema;
	bool		isnull;

	key->n = schema->n;
	for (int i = 0; i < schema->n; i++)
	{
		key->datums[i] = slot_getattr(slot, store->facts.base_attnums[i], &isnull);
		key->refs[i] = key_ref_from_datum(schema->attributes[i].type,
										  key->datums[i]);
	}
}

/* The index's key, likewise. */
void
store_index_key(const StoreIndex *store, TupleTableSlot *slot, ItemKey *key)
{
	bool		isnull;

	key->n = store->index->nsort > 0 ? 2 : 1;
	for (int i = 0; i < key->n; i++)
	{
		key->datums[i] = slot_getattr(slot, store->facts.key_attnums[i], &isnull);
		key->refs[i] = key_part(store, i, key->datums[i]);
	}
}

/* A part of the index's key, without the number of a shard. */
static ItemRef
key_part(const StoreIndex *store, int part, Datum datum)
{
	ItemRef		ref = key_ref_from_datum(store_index_key_type(store->index,
															  part), datum);
	size_t		base_len;

	if (part == 0 && store->index->write_shards > 1)
	{
		(void) key_shard_split(ref.data, ref.len, &base_len);
		ref.len = base_len;
	}
	return ref;
}

/*
 * Entries of equal keys are spread by the digest of their items' keys, so the
 * shard of an entry is known as soon as its item is.
 */
Datum
store_index_stored_pk(const ItemIndex *index, ItemRef pk, int64 digest)
{
	if (index->write_shards <= 1)
		return key_datum_from_ref(pk);
	return key_shard_datum(pk, key_shard_of_hash((uint32) digest,
												 index->write_shards));
}
