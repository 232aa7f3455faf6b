/*
 * meta.h
 *	  The extension's own catalog: which relations are item tables and what
 *	  their keys are called.
 *
 * partitioning.tables is keyed by schema and relation name, so it survives
 * dump and restore; partitioning.table_oids holds hints from OID to name and is
 * refilled on first use.  Descriptors are cached per backend; one returned
 * here stays valid to the end of the transaction, even when an invalidation
 * arrives meanwhile.
 */
#ifndef PT_META_H
#define PT_META_H

#include "access/attnum.h"

#include "key/key.h"

typedef struct ItemTable
{
	Oid			relid;
	const char *schema_name;
	const char *table_name;
	KeySchema	schema;
	AttrNumber	key_attnums[KEY_MAX_ATTRIBUTES];	/* columns pk, sk */
	AttrNumber	attributes_attnum;	/* column attributes */
	bool		partitioned;	/* hash partitioned by pk */
} ItemTable;

/*
 * Relation that a table_name argument means: first the exact name of a
 * registered table in partitioning.wire_schema, then along the search path,
 * then regclass syntax.  ereports ERRCODE_ITEM_RESOURCE_NOT_FOUND with the
 * nearest names.  Cached; takes no lock.
 */
extern Oid	meta_resolve_table(const char *table_name, size_t len);

/* Descriptor of an item table; ereports when the relation is none. */
extern const ItemTable *meta_table(Oid relid);

/* The same, NULL when the relation is no item table. */
extern const ItemTable *meta_table_if_any(Oid relid);

extern void meta_init(void);

#endif							/* PT_META_H */
