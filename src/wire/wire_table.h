/*
 * wire_table.h
 *	  Operations on tables: their requests once decoded, and what the files
 *	  that answer them share.
 *
 * What CreateTable and UpdateTable set and no other part of the extension
 * keeps is a WireSettings: partitioning.table_settings has it in the members
 * and words of the requests, and it is decoded by the same tables.
 */
#ifndef PT_WIRE_TABLE_H
#define PT_WIRE_TABLE_H

#include "meta/meta.h"
#include "wire/wire_private.h"

/* The account whose tables these are, in ARNs. */
#define WIRE_ACCOUNT				"000000000000"

/* Enumerations, by their numbers in the model. */
#define WIRE_KEY_HASH				0
#define WIRE_KEY_RANGE				1
#define WIRE_BILLING_PROVISIONED	0
#define WIRE_BILLING_ON_DEMAND		1
#define WIRE_PROJECTION_ALL			0
#define WIRE_PROJECTION_INCLUDE		1
#define WIRE_PROJECTION_KEYS_ONLY	2

typedef struct WireThroughput
{
	WireInt		read;
	WireInt		write;

	/* as settings, what became of them */
	ApiText		increased;		/* time of the last increase, or NULL */
	ApiText		decreased;
	WireInt		decreases;		/* on the day of the last decrease */
} WireThroughput;

typedef struct WireDefinition
{
	ApiText		name;
	WireWord	type;
} WireDefinition;

typedef struct WireKeyElement
{
	ApiText		name;
	WireWord	type;
} WireKeyElement;

typedef struct WireProjection
{
	WireWord	type;
	WireList	include;		/* of ApiText */
} WireProjection;

/* A secondary index as it is asked for, and of a global one its settings. */
typedef struct WireIndex
{
	ApiText		name;
	WireList	keys;			/* of WireKeyElement * */
	WireProjection *projection;
	WireThroughput *throughput;
	WireThroughput *on_demand;
	WireThroughput *warm;
} WireIndex;

typedef struct WireStream
{
	WireBool	enabled;
	WireWord	view_type;
	ApiText		label;			/* as a setting */
} WireStream;

typedef struct WireEncryption
{
	WireBool	enabled;
	WireWord	type;
	ApiText		key;
} WireEncryption;

typedef struct WireTag
{
	ApiText		key;
	ApiText		value;
} WireTag;

/* Time to live: as a setting only if it is enabled. */
typedef struct WireTtl
{
	WireBool	enabled;
	ApiText		attribute;
} WireTtl;

typedef struct WireSettings
{
	WireWord	billing_mode;
	ApiText		on_demand_since;	/* or NULL: it never was */
	WireThroughput *throughput;
	WireThroughput *on_demand;
	WireThroughput *warm;
	WireList	indexes;		/* of WireIndex *, name and throughput */
	WireStream *stream;
	WireEncryption *encryption;
	WireWord	table_class;
	WireBool	deletion_protection;
	WireTtl    *ttl;
} WireSettings;

/* One of GlobalSecondaryIndexUpdates. */
typedef struct WireIndexUpdate
{
	WireIndex  *create;
	WireIndex  *update;
	WireIndex  *delete;
} WireIndexUpdate;

/* CreateTable and UpdateTable. */
typedef struct WireTableRequest
{
	ApiText		table_name;
	WireList	definitions;	/* of WireDefinition * */
	WireList	keys;			/* of WireKeyElement * */
	WireList	local_indexes;	/* of WireIndex * */
	WireList	global_indexes;
	WireList	index_updates;	/* of WireIndexUpdate * */
	WireList	tags;			/* of WireTag * */
	WireSettings settings;
} WireTableRequest;

/* DescribeTable and whatever else has a table's name only. */
typedef struct WireTableName
{
	ApiText		table_name;
} WireTableName;

typedef struct WireListTables
{
	ApiText		start;
	WireInt		limit;
} WireListTables;

typedef struct WireTagRequest
{
	ApiText		arn;
	WireList	tags;			/* of WireTag * */
	WireList	tag_keys;		/* of ApiText */
	ApiText		next_token;
} WireTagRequest;

typedef struct WireTtlRequest
{
	ApiText		table_name;
	WireTtl    *ttl;
} WireTtlRequest;

/* A table and all that is known of it. */
typedef struct WireTable
{
	const ItemTable *table;
	const char *name;			/* as requests call it */
	MetaSettings stored;
	WireSettings settings;
	WireMap		tags;			/* of ApiText */
} WireTable;

/* The nth element of a list of structures, or of texts. */
#define WIRE_ELEMENT(list, type, n)	(((type **) (list)->elements)[n])
#define WIRE_TEXT_ELEMENT(list, n)	(&((ApiText *) (list)->elements)[n])

static inline bool
wire_text_equal(const ApiText *a, const ApiText *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* prototypes for functions in wire_table_check.c */
extern void wire_check_create(const WireTableRequest *request);
extern void wire_check_billing(const WireWord *billing_mode,
							   const WireThroughput *throughput);
extern void wire_check_units(const WireThroughput *throughput);
extern void wire_check_global_index(const WireTableRequest *request,
									const WireIndex *index);
extern void wire_check_stream(const WireStream *stream);

/* prototypes for functions in wire_table.c */
extern void wire_make_global_index(const WireTable *table,
								   const WireTableRequest *request,
								   const WireIndex *index);

/* prototypes for functions in wire_settings.c */
extern void wire_find_table(const ApiText *name, WireTable *result);
extern void wire_lock_table(const ApiText *name, WireTable *result);
extern void wire_read_table(Oid relid, WireTable *result);
extern void wire_save_settings(WireTable *table);
extern bool wire_may_see(Oid relid);
extern bool wire_is_on_demand(const WireSettings *settings);
extern WireIndex *wire_index_settings(WireSettings *settings,
									  const ApiText *name, bool make);
extern ApiText wire_timestamp(TimestampTz time);
extern ApiText wire_stream_label(void);
extern ApiText wire_text(const char *string);

/* prototypes for functions in wire_describe.c */
extern char *wire_table_arn(const char *name);
extern void wire_warm_throughput(bool on_demand, const WireThroughput *warm,
								 const WireThroughput *provisioned,
								 WireThroughput *result);
extern int	wire_decreases_today(const WireThroughput *throughput);
extern void wire_append_table(StringInfo out, const WireTable *table,
							  const char *status);
extern void wire_append_deleted(StringInfo out, const WireTable *table);

/* prototypes for functions in wire_tag.c */
extern void wire_check_tags(const WireList *tags);
extern void wire_add_tags(WireMap *tags, const WireList *added);
extern const ApiText *wire_find_tag(const WireMap *tags, const char *key);
extern void wire_check_own_tags(const WireTableRequest *request);

#endif							/* PT_WIRE_TABLE_H */
