/*
 * meta_private.h
 *	  What the files of meta/ share.
 */
#ifndef PT_META_PRIVATE_H
#define PT_META_PRIVATE_H

#include "access/genam.h"
#include "nodes/parsenodes.h"
#include "utils/relcache.h"

#include "meta/meta.h"

#define META_SCHEMA		"partitioning"

/* A row of partitioning.tables; strings are palloc'd. */
typedef struct MetaRow
{
	const char *schema_name;
	const char *table_name;
	KeySchema	schema;
	ReshardProgress progress;
} MetaRow;

/* What rows of the catalog begin with; the last one those of indexes only. */
#define COLUMN_SCHEMA_NAME			1
#define COLUMN_TABLE_NAME			2
#define COLUMN_INDEX_NAME			3

/* prototypes for functions in meta_catalog.c */

/*
 * Scans a table of the catalog whose primary key begins with the names of a
 * schema and a table, and goes on with that of an index: for one row, all of
 * a table, or all of a schema, as NULLs say.
 */
extern SysScanDesc meta_begin_scan(Relation rel, const char *schema_name,
								   const char *table_name,
								   const char *index_name);
extern Oid	meta_catalog_relid(void);	/* InvalidOid: no extension here */
extern bool meta_row_find(const char *schema_name, const char *table_name,
						  MetaRow *row);
extern List *meta_rows_all(void);	/* of MetaRow * */
extern void meta_row_insert(const MetaRow *row);
extern void meta_row_reshard(const char *schema_name, const char *table_name,
							 const KeySharding *sharding,
							 const ReshardProgress *progress);
extern bool meta_row_delete(const char *schema_name, const char *table_name);
extern void meta_row_rename(const char *schema_name, const char *table_name,
							const char *new_schema_name,
							const char *new_table_name);
extern void meta_rows_rename_schema(const char *schema_name,
									const char *new_schema_name);

/* prototypes for functions in meta_index.c */
/* Fills in table->indexes and table->schema.indexed, in the current context. */
extern void meta_indexes_read(ItemTable *table);
extern void meta_indexes_delete(const char *schema_name,
								const char *table_name);
extern void meta_indexes_rename(const char *schema_name,
								const char *table_name,
								const char *new_schema_name,
								const char *new_table_name);

/* Names of the index tables of an item table, as char *. */
extern List *meta_index_relations(const char *schema_name,
								  const char *table_name);

/* The index whose index table that is; deleting is nothing without one. */
extern void meta_index_delete_relation(const char *schema_name,
									   const char *relation_name);

/* prototypes for functions in meta_settings.c */
extern void meta_settings_insert(const char *schema_name,
								 const char *table_name);
extern void meta_settings_delete(const char *schema_name,
								 const char *table_name);
extern void meta_settings_rename(const char *schema_name,
								 const char *table_name,
								 const char *new_schema_name,
								 const char *new_table_name);

/* prototypes for functions in meta_global.c */
extern void meta_move_index_tables(Oid relid, Oid old_namespace);
extern void meta_own_index_tables(Oid relid);

/* prototypes for functions in meta_event.c */

/* What goes with a relation that has been dropped. */
extern void meta_forget_relation(const char *schema_name,
								 const char *relation_name,
								 DropBehavior behavior);

/* prototypes for functions in meta_local.c */

/* Is this the column of a local index of the table? */
extern bool meta_is_local_column(const ItemTable *table, const char *name);

/* Makes columns and indexes of local indexes that lack. */
extern void meta_complete_local_indexes(const ItemTable *table);

/* prototypes for functions in meta_cache.c */

/* A remembered name resolution holds while this stands still. */
extern uint64 meta_name_generation(void);

/* prototypes for functions in meta_shape.c */

/* ereports all that register_table() cannot mend about a user's table. */
extern void meta_check_relation(Relation rel, const KeySchema *schema);

/*
 * Columns of an item table of this schema.  NULL and attnums, or what is
 * wrong with them as a palloc'd sentence.
 */
extern const char *meta_check_columns(Relation rel, const KeySchema *schema,
									  AttrNumber *key_attnums,
									  AttrNumber *attributes_attnum);

/* Index of an open relation that can serve as key index, or InvalidOid. */
extern Oid	meta_find_key_index(Relation rel, const KeySchema *schema,
								const AttrNumber *key_attnums);

/* The constraint of that name, or NULL, and whether it is that of a schema. */
extern const ConstrCheck *meta_find_check(Relation rel, const char *name);
extern bool meta_is_item_check(const ConstrCheck *check,
							   const KeySchema *schema);

/* Whether the constraints of create_table() are the only check constraints. */
extern bool meta_has_only_item_check(Relation rel, const KeySchema *schema);

/* Names of the extension's objects. */
extern Oid	meta_item_type(void);
extern const char *meta_hash_opclass_name(Oid key_type);
extern List *meta_extension_name(const char *name);

/* prototypes for functions in meta_event.c */
extern Oid	meta_own_item_table(RangeVar *relation);
extern bool meta_is_item_table(Oid relid);

/* prototypes for functions in meta_follow.c */
extern void meta_follow_init(void);
extern Oid	meta_next_bereft(void);
extern void meta_refuse_index_table(RangeVar *relation);
extern void meta_refuse_index_definition(RangeVar *relation);
extern void meta_before_follow(AlterTableStmt *statement);
extern void meta_before_trigger(CreateTrigStmt *statement);
extern void meta_after_follow(Oid relid, AlterTableCmd *cmd);
extern void meta_refuse_unlogged(const ItemTable *table, Oid partition);

/* prototypes for functions in meta_trigger.c */
extern void meta_trigger_add(Oid relid);
extern void meta_trigger_dropped(List *name);
extern void meta_trigger_renamed(RenameStmt *statement);
extern void meta_trigger_switched(AlterTableStmt *statement);

/* prototypes for functions in meta_foreign.c */

/* Columns and constraints of a table that is to be made or altered. */
extern void meta_refuse_foreign_keys(List *elements);

/* prototypes for functions in meta_method.c */
extern Oid	meta_column_family(Oid am, Oid type, bool hash_order);

/* prototypes for functions in meta_shard.c */
extern bool meta_changing_shards;	/* the constraint is ours to replace */
extern Constraint *meta_shard_constraint(const KeySharding *sharding);
extern Node *meta_shard_base_call(void);
extern void meta_shards_complete(Oid relid, const KeySchema *schema,
								 IndexMethod method);
extern bool meta_is_shard_check(const ConstrCheck *check,
								const KeySharding *sharding);
extern void meta_sharding_of_relation(Relation rel, KeySharding *sharding);

/* prototypes for functions in meta_define.c */

/* Runs a utility command as if the caller had sent it. */
extern void meta_run_utility(Node *statement);
extern void meta_alter_table(Oid relid, AlterTableCmd *cmd, bool recurse);

/* parts of parse trees */
extern RangeVar *meta_range_var(Oid relid);
extern Node *meta_string_constant(const char *value);
extern Node *meta_integer_constant(int value);
extern Node *meta_column_reference(const char *name);
extern ColumnDef *meta_column(const char *name, Oid type);	/* NOT NULL */

/* The comment of a table. */
extern char *meta_describe_schema(const KeySchema *schema);

/* Gives a partition of an item table what ATTACH does not give it. */
extern void meta_complete_partition(const ItemTable *table, Oid partition);

#endif							/* PT_META_PRIVATE_H */
