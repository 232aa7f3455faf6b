/*
 * meta.h
 *	  The extension's own catalog: which relations are item tables and what
 *	  their keys are called.
 *
 * partitioning.tables is keyed by schema and relation name, so it survives
 * dump and restore and means the same on every node.  Event triggers keep it
 * in step with ALTER and DROP (meta_event.c).  Descriptors are cached per
 * backend; one returned here stays valid to the end of the transaction, even
 * when an invalidation arrives meanwhile.
 */
#ifndef PT_META_H
#define PT_META_H

#include "access/attnum.h"
#include "datatype/timestamp.h"
#include "utils/relcache.h"
#include "utils/uuid.h"
#include "nodes/parsenodes.h"

#include "base/guc.h"
#include "base/limits.h"
#include "key/key.h"

/* What an index entry holds beside keys. */
typedef enum IndexProjection
{
	PROJECTION_ALL,
	PROJECTION_KEYS_ONLY,
	PROJECTION_INCLUDE
} IndexProjection;

typedef enum IndexStatus
{
	INDEX_ACTIVE,
	INDEX_CREATING				/* cannot be read yet */
} IndexStatus;

/* Name of an attribute; ends with NUL. */
typedef struct AttributeName
{
	const char *data;
	uint32		len;
} AttributeName;

/*
 * A secondary index.  A local one has the table's partition key and one sort
 * key; its entries are in an index of the item table itself.  A global one is
 * a table of its own.
 */
typedef struct ItemIndex
{
	const char *name;
	uint32		name_len;
	bool		global;
	IndexStatus status;

	/* partition keys, then sort keys */
	int			npartition;
	int			nsort;
	KeyIndexAttribute keys[2 * LIMIT_INDEX_KEYS];

	IndexProjection projection;
	int			ninclude;
	const AttributeName *include;	/* of PROJECTION_INCLUDE */

	/* global */
	IndexMethod method;			/* of the index table's key index */
	bool		synchronous;	/* propagation is "sync", not "async" */
	bool		unique_key;
	int			write_shards;
	const char *relation_name;	/* the index table, in the table's schema */
	TransactionId made_by;		/* whoever made it, or made it anew, last */

	/* local */
	const char *column_name;	/* the sort key's column in the item table */

	const char *options;		/* a JSON object */
} ItemIndex;

typedef struct ItemTable
{
	Oid			relid;
	const char *schema_name;
	const char *table_name;
	KeySchema	schema;
	AttrNumber	key_attnums[KEY_MAX_ATTRIBUTES];	/* columns pk, sk */
	AttrNumber	attributes_attnum;	/* column attributes */
	bool		partitioned;	/* hash partitioned by pk */

	/*
	 * The unique index on (pk [, sk]) of this relation, the partitioned index
	 * if it is partitioned; InvalidOid when it has none that is valid.
	 */
	Oid			key_index;
	Oid			logical_index;	/* on keys without shards, where the shards
								 * cannot be computed */
	IndexMethod method;			/* of the key index */
	int			index_limit;	/* for key_check_item() */

	/*
	 * Whether the check constraints of create_table() are the only ones, so that
	 * key_check_item() does all that the executor would check, NOT NULL and
	 * partition bounds aside.
	 */
	bool		plain_checks;

	int			nindexes;
	const ItemIndex *indexes;	/* by name */
	uint64		serial;			/* no two descriptors have the same */
} ItemTable;

/* Names of the columns and of the check constraint of an item table. */
#define META_PK_COLUMN			"pk"
#define META_SK_COLUMN			"sk"
#define META_ATTRIBUTES_COLUMN	"attributes"
#define META_CHECK_NAME			"item_check"

/* Name of the check constraint of tables with write shards. */
#define META_SHARD_CHECK_NAME	"shard_check"

/* Further columns of an index table, and its triggers and their function. */
#define META_BASE_PK_COLUMN		"base_pk"
#define META_BASE_SK_COLUMN		"base_sk"
#define META_DIGEST_COLUMN		"digest"
#define META_GUARD_NAME			"index_guard"

/* Name of the one row trigger of an item table, and of its function. */
#define META_TRIGGER_NAME		"item_changed"

/* Names of the statement triggers, which have the same function. */
#define META_TRUNCATE_TRIGGER_NAME "item_truncated"
#define META_BEGIN_TRIGGER_NAME "item_changes_begin"
#define META_END_TRIGGER_NAME	"item_changes_end"

/* prototypes for functions in meta_method.c: access methods of indexes */

/* Which one is this access method?  False when it is none of them. */
extern bool meta_method_of(Oid am, IndexMethod *method);
extern IndexMethod meta_method_of_index(Oid index);
extern const char *meta_method_name(IndexMethod method);
extern bool meta_method_from_name(const char *name, IndexMethod *method);

/* Largest index tuple, for key_check_index_size(); 0: every key fits. */
extern int	meta_method_limit(IndexMethod method);

/* prototypes for functions in meta_name.c: what a table_name means */

/*
 * Relation that a table_name argument means: first the exact name of a
 * registered table in partitioning.wire_schema, then along the search path,
 * then regclass syntax.  ereports ERRCODE_ITEM_RESOURCE_NOT_FOUND with the
 * nearest names.  Cached; takes no lock.
 */
extern Oid	meta_resolve_table(const char *table_name, size_t len);

/* The same for an exact name, InvalidOid when there is none. */
extern Oid	meta_find_table(const char *table_name, size_t len);

/*
 * Relation of that exact name in partitioning.wire_schema, registered as an
 * item table; what the wire protocol means.  ereports the same code.
 */
extern Oid	meta_resolve_wire_table(const char *table_name, size_t len);

/* The same, but InvalidOid when there is none. */
extern Oid	meta_find_wire_table(const char *table_name, size_t len);

/* Fills result, which has NAMEDATALEN bytes. */
extern void meta_wire_relation_name(const char *table_name, size_t len,
									char *result);

/* prototypes for functions in meta_cache.c: descriptors */

/* Descriptor of an item table; ereports when the relation is none. */
extern const ItemTable *meta_table(Oid relid);

/* The same, NULL when the relation is no item table. */
extern const ItemTable *meta_table_if_any(Oid relid);

/*
 * Descriptor of the item table that a relation belongs to, as itself or as a
 * partition; NULL when it belongs to none.
 */
extern const ItemTable *meta_table_of_partition(Oid relid);

extern void meta_init(void);

/* prototypes for functions in meta_define.c: making item tables */

/*
 * Makes the table schema_name.table_name, with all that belongs to an item
 * table, and registers it.  The caller has checked names and privileges are
 * checked as for CREATE TABLE.
 */
extern Oid	meta_create_table(const char *schema_name, const char *table_name,
							  const KeySchema *schema, IndexMethod method);

/*
 * Makes an item table of a relation that exists: adds what is missing, or
 * ereports what is wrong.  The caller must own it.  A key index that is missing
 * is of the access method that partitioning.index_method says.
 */
extern void meta_register_table(Oid relid, const KeySchema *schema);

/* DROP TABLE of an item table, as RESTRICT. */
extern void meta_drop_table(Oid relid);

/* ereports unless the current user owns the relation. */
extern void meta_check_owner(Oid relid);

/* prototypes for functions in meta_trigger.c: the row trigger */

extern bool meta_trigger_is_ours(const struct Trigger *trigger);

/* prototypes for functions in meta_index.c: rows of partitioning.indexes */

/* The index of that name, or NULL. */
extern const ItemIndex *meta_index_find(const ItemTable *table,
										const char *name, size_t name_len);

/* Key attribute number of an index by name, or -1. */
extern int	meta_index_key(const ItemIndex *index, const char *name,
						   size_t name_len);

/* Is this attribute, no key, in the entries of the index? */
extern bool meta_index_projects(const ItemIndex *index, const char *name,
								size_t name_len);

/*
 * Writes to the catalog, after the caller's own checks.  The name of an index
 * that is replaced or deleted must exist.  All sessions take notice.
 */
extern void meta_index_insert(const ItemTable *table, const ItemIndex *index);
extern void meta_index_replace(const ItemTable *table, const ItemIndex *index);
extern void meta_index_delete(const ItemTable *table, const char *name);

extern List *meta_tables_creating(void);
extern Oid	meta_index_catalog_relid(void); /* InvalidOid: no extension here */

/* prototypes for functions in meta_local.c: local indexes */

/*
 * Makes a local index of a table that the caller owns; keys, projection and
 * templates are set, the column is not.  Adds the column, which rewrites the
 * table, the index on it, and the catalog row.
 */
extern void meta_create_local_index(const ItemTable *table, ItemIndex *index);
extern void meta_drop_local_index(const ItemTable *table,
								  const ItemIndex *index);

/*
 * The index on (pk, column, sk) of a relation with rows of an item table, or
 * InvalidOid.
 */
extern Oid	meta_find_local_index(Relation rel, const KeySchema *schema,
								  const char *column_name);

/* Does this function generate columns of local indexes? */
extern bool meta_is_column_function(Oid function);

/* The item table, in the same schema, whose index table that is, or NULL. */
extern char *meta_table_of_index_table(const char *schema_name,
									   const char *relation_name);

/* prototypes for functions in meta_global.c: index tables */

/* A user who has become another one. */
typedef struct MetaOwner
{
	Oid			user;
	int			sec_context;
} MetaOwner;

extern Oid	meta_create_index_table(const ItemTable *table, ItemIndex *index);
extern void meta_complete_index_table(Oid relid, const ItemTable *table,
									  const ItemIndex *index);
extern void meta_add_statement_triggers(Oid table_relid, List *relids,
										bool unique_key);
extern void meta_drop_index_table(const char *schema_name,
								  const char *relation_name,
								  DropBehavior behavior);
extern void meta_become_owner(Oid relid, MetaOwner *saved);
extern void meta_become_caller(const MetaOwner *saved);

/* prototypes for functions in meta_event.c: DDL */

/*
 * Told of a partition that an item table got by DDL, or, with InvalidOid, that
 * it has lost one.
 */
typedef void (*MetaPartitionCallback) (Oid relid, Oid partition);

extern void meta_register_partition_callback(MetaPartitionCallback callback);

/* prototypes for functions in meta_settings.c: rows of partitioning.table_settings */

/* What an item table has beside its rows and keys. */
typedef struct MetaSettings
{
	const char *service_name;	/* where requests call the table by a name
								 * that no relation can have; or NULL */
	pg_uuid_t	id;
	TimestampTz created;
	const char *settings;		/* a JSON object; NULL: none */
	const char *tags;			/* a JSON object of strings; NULL: none */
} MetaSettings;

extern void meta_settings_read(const char *schema_name,
							   const char *table_name,
							   MetaSettings *settings);
extern void meta_settings_write(const char *schema_name,
								const char *table_name,
								const MetaSettings *settings);

/* prototypes for functions in meta_catalog.c: rows of partitioning.tables */

/* Names of all item tables of a schema, as char *, in the order of bytes. */
extern List *meta_table_names(const char *schema_name);

/* Whether schema_name.table_name is registered. */
extern bool meta_is_registered(const char *schema_name,
							   const char *table_name);

/*
 * What "shard_by" means: NULL for the sort key, "random", or the name of an
 * attribute, which is not copied.
 */
extern const char *meta_shard_by(const KeySharding *sharding);
extern void meta_set_sharding(KeySharding *sharding, int count,
							  const char *by, int former);

/* How far a change of the number of shards has come. */
typedef struct ReshardProgress
{
	ItemData   *position;		/* {pk, sk} as stored; NULL: nothing is done */
	int64		moved;
	int64		horizon;		/* a FullTransactionId; 0: not all are moved */
} ReshardProgress;

/* prototypes for functions in meta_shard.c: write shards */

/*
 * Changes the numbers of shards of a table that is locked exclusively; former
 * is 0 when all items are where the new number puts them.
 */
extern void meta_set_shards(Oid relid, int count, int former,
							const ReshardProgress *progress);

/* Sees to it that the constraint on shards holds for all rows. */
extern void meta_validate_shards(Oid relid);
extern void meta_note_reshard(const ItemTable *table,
							  const ReshardProgress *progress);

/*
 * Tables whose number of shards is changing, or has been changed without that
 * rows were checked since, as OIDs.
 */
extern List *meta_reshards(void);

/*
 * Is the constraint on shards of a table, which is locked, there?  A restore
 * adds it when the rows have come.
 */
extern bool meta_shards_are_checked(const ItemTable *table);
extern void meta_reshard_progress(const ItemTable *table,
								  ReshardProgress *progress);

/*
 * The unique index on (shard_base(pk), sk) of a relation, or InvalidOid: what
 * keys are looked up in when their shard cannot be computed.
 */
extern Oid	meta_find_logical_index(Relation rel, const KeySchema *schema);

/* Is this shard_base()? */
extern bool meta_is_shard_base_function(Oid function);

/* Does this function look after the numbers of shards in a constraint? */
extern bool meta_is_shard_check_function(Oid function);

#endif							/* PT_META_H */
