/*
 * wire_private.h
 *	  Types of requests, as tables that the decoder and the constraint check
 *	  walk, and what members look like once decoded.
 */
#ifndef PT_WIRE_PRIVATE_H
#define PT_WIRE_PRIVATE_H

#include <limits.h>

#include "api/api.h"
#include "wire/wire.h"

#define WIRE_MODEL				"com.amazonaws.dynamodb.v20120810."
#define WIRE_JAVA_CLASS(name)	"class " WIRE_MODEL name
#define WIRE_JAVA_LIST			"class java.util.ArrayList"
#define WIRE_JAVA_MAP(name)		"java.util.Map<java.lang.String, " name ">"

/*
 * Kinds of values.  Each kind says what C type it is decoded to; all bits
 * zero stand for a member that is absent.
 */
typedef enum WireKind
{
	WIRE_TEXT,					/* ApiText */
	WIRE_TABLE,					/* ApiText: a table's name, or its ARN */
	WIRE_WORD,					/* WireWord: one of an enumeration */
	WIRE_BOOL,					/* WireBool */
	WIRE_INT,					/* WireInt, an Integer or, by java, a Long */
	WIRE_ITEM,					/* ItemTyped: attribute names to values */
	WIRE_VALUES,				/* ItemTyped: placeholders to values */
	WIRE_VALUE,					/* ItemTyped: a value of any type */
	WIRE_NAMES,					/* Jsonb *: placeholders to names */
	WIRE_STRUCTURE,				/* pointer to a structure */
	WIRE_LIST,					/* WireList */
	WIRE_MAP					/* WireMap: names to anything */
} WireKind;

typedef struct WireWord
{
	ApiText		text;
	int			number;			/* place in the enumeration; -1: not in it */
} WireWord;

typedef struct WireBool
{
	bool		given;
	bool		value;
} WireBool;

typedef struct WireInt
{
	bool		given;
	int64		value;
} WireInt;

/* Of lists and maps, no more than the type's max are kept. */
typedef struct WireList
{
	bool		given;
	int			n;
	void	   *elements;		/* array of decoded values */
} WireList;

typedef struct WireMap
{
	bool		given;
	int			n;
	ApiText    *names;			/* as given */
	void	   *values;			/* array of decoded values */
} WireMap;

#define WIRE_NO_MAX				INT_MAX
#define WIRE_JAVA_LONG			"Long"

typedef struct WireType WireType;
typedef struct WireMember WireMember;

struct WireType
{
	WireKind	kind;
	const char *java;			/* what the service calls it, in a text */
	int32		min;			/* of a length, value or count */
	int32		max;			/* 0: none; of lists and maps WIRE_NO_MAX */
	bool		is_name;		/* it, or each name of a map, obeys the
								 * pattern of names */
	bool		new_style;		/* the service words its constraints anew */
	const char *const *words;	/* of an enumeration; ends with NULL */
	const char *words_text;
	const WireType *element;	/* of a list or map */
	const WireMember *members;	/* of a structure; ends with name NULL */
	size_t		size;			/* of the structure */
};

struct WireMember
{
	const char *name;
	const WireType *type;
	size_t		offset;
	bool		required;
	const char *absent;			/* said alone when a required one is absent */
};

/* Members that the operations have in common, by their numbers. */
typedef enum WireCapacity
{
	WIRE_CAPACITY_INDEXES,
	WIRE_CAPACITY_TOTAL,
	WIRE_CAPACITY_NONE
} WireCapacity;

#define WIRE_METRICS_SIZE		0
#define WIRE_OPERATOR_OR		0
#define WIRE_FAILURE_ALL_OLD	0

/* Units of one index, of any table. */
typedef struct WireIndexUnits
{
	const char *name;
	bool		global;
	int64		units;
} WireIndexUnits;

/* Consumed units of one table and its indexes, in tenths. */
typedef struct WireConsumed
{
	const ApiText *table_name;
	int64		units;			/* of the table itself */
	int			nindexes;
	WireIndexUnits *indexes;
} WireConsumed;

/*
 * What replaces expressions in legacy requests: an entry of Expected or of a
 * filter or key condition, which only have operator and values; an entry of
 * AttributeUpdates.
 */
typedef struct WireExpected
{
	ItemTyped	value;
	WireBool	exists;
	WireWord	operator;		/* number: an ExprLegacyOperator */
	WireList	values;			/* of ItemTyped */
} WireExpected;

typedef struct WireAttributeUpdate
{
	WireWord	action;			/* number: an ExprLegacyAction */
	ItemTyped	value;
} WireAttributeUpdate;

/* A member of one of the two styles of requests. */
typedef struct WireStyle
{
	const char *name;
	bool		given;
} WireStyle;

typedef struct WireWrite
{
	ApiText		table_name;
	ItemTyped	item;			/* put: the item; else the key */
	ApiText		update;
	ApiText		condition;
	Jsonb	   *names;
	ItemTyped	values;
	WireWord	return_values;
	WireWord	return_on_failure;
	WireWord	capacity;
	WireWord	metrics;
	WireMap		expected;		/* of WireExpected * */
	WireWord	operator;
	WireMap		updates;		/* of WireAttributeUpdate * */
} WireWrite;

typedef struct WireGet
{
	ApiText		table_name;
	ItemTyped	key;
	WireBool	consistent;
	ApiText		projection;
	Jsonb	   *names;
	WireWord	capacity;
	WireList	attributes;		/* of ApiText */
} WireGet;

typedef struct WireRead
{
	ApiText		table_name;
	ApiText		index_name;
	ApiText		key_condition;	/* query */
	ApiText		filter;
	ApiText		projection;
	Jsonb	   *names;
	ItemTyped	values;
	WireWord	select;
	WireInt		limit;
	WireBool	forward;		/* query */
	WireBool	consistent;
	ItemTyped	start_key;
	WireInt		segment;		/* scan */
	WireInt		total_segments;
	WireWord	capacity;
	WireList	attributes;		/* of ApiText */
	WireMap		key_conditions; /* of WireExpected *, as is the next */
	WireMap		conditions;		/* of the filter */
	WireWord	operator;
} WireRead;

/* BatchGetItem: what to read from one table. */
typedef struct WireKeys
{
	WireList	keys;			/* of ItemTyped */
	WireBool	consistent;
	ApiText		projection;
	Jsonb	   *names;
	WireList	attributes;		/* of ApiText */
} WireKeys;

typedef struct WireBatchGet
{
	WireMap		tables;			/* of WireKeys * */
	WireWord	capacity;
} WireBatchGet;

/* BatchWriteItem: one request, a put or a delete. */
typedef struct WireSingle
{
	ItemTyped	item;
} WireSingle;

typedef struct WireRequest
{
	WireSingle *put;
	WireSingle *delete;
} WireRequest;

typedef struct WireBatchWrite
{
	WireMap		tables;			/* of WireList of WireRequest * */
	WireWord	capacity;
	WireWord	metrics;
} WireBatchWrite;

/* TransactWriteItems: one action. */
typedef struct WireAction
{
	WireWrite  *put;
	WireWrite  *update;
	WireWrite  *delete;
	WireWrite  *check;
} WireAction;

typedef struct WireTransactWrite
{
	WireList	actions;		/* of WireAction * */
	ApiText		client_token;
	WireWord	capacity;
	WireWord	metrics;
} WireTransactWrite;

typedef struct WireTransactGetItem
{
	WireGet    *get;
} WireTransactGetItem;

typedef struct WireTransactGet
{
	WireList	gets;			/* of WireTransactGetItem * */
	WireWord	capacity;
} WireTransactGet;

/* prototypes for functions in wire_decode.c */
extern void *wire_decode(const WireType *model, const char *json,
						 size_t len);
extern void wire_check_json(const char *json, size_t len);
extern ApiText wire_table_of_name(const ApiText *name);
extern size_t wire_decoded_size(const WireType *type);

/* prototypes for functions in wire_observe.c */
extern void wire_observe_request(const char *operation,
								 const WireType *model, const void *request);
extern void wire_observe_units(CapacityAccess access, int n,
							   const WireConsumed *consumed);
extern void wire_observe_items(const ApiText *table_name, int64 read,
							   int64 returned);

/* prototypes for functions in wire_check.c */
extern void wire_check(const WireType *model, const void *request);
extern bool wire_is_table_name(const ApiText *text);

/* models of the requests, in wire_model.c */
extern const WireType wire_put_model;
extern const WireType wire_get_model;
extern const WireType wire_update_model;
extern const WireType wire_delete_model;
extern const WireType wire_query_model;
extern const WireType wire_scan_model;
extern const WireType wire_batch_get_model;
extern const WireType wire_batch_write_model;
extern const WireType wire_transact_write_model;
extern const WireType wire_transact_get_model;

/* in wire_table_model.c */
extern const WireType wire_create_table_model;
extern const WireType wire_table_model;
extern const WireType wire_list_tables_model;
extern const WireType wire_update_table_model;
extern const WireType wire_tag_resource_model;
extern const WireType wire_untag_resource_model;
extern const WireType wire_list_tags_model;
extern const WireType wire_ttl_model;
extern const WireType wire_empty_model;
extern const WireType wire_settings_model;
extern const WireType wire_tags_model;

/* prototypes for functions in wire_item.c */
extern void wire_put(const void *request, StringInfo response);
extern void wire_get(const void *request, StringInfo response);
extern void wire_update(const void *request, StringInfo response);
extern void wire_delete(const void *request, StringInfo response);
extern const char *wire_values_error(const ItemTyped *values);

/* prototypes for functions in wire_legacy.c */
extern void wire_check_mixing(const WireStyle *legacy, int nlegacy,
							  const WireStyle *expressions, int nexpressions);
extern void wire_expected(const WireMap *map, const WireWord *operator,
						  ApiText *condition);
extern void wire_filter(const WireMap *map, const WireWord *operator,
						ApiText *filter);
extern void wire_key_conditions(const WireMap *map, ApiText *condition);
extern void wire_attribute_updates(const WireMap *map, ApiText *update);
extern void wire_attributes_to_get(const WireList *list,
								   ApiText *projection);

/* prototypes for functions in wire_query.c */
extern void wire_query(const void *request, StringInfo response);
extern void wire_scan(const void *request, StringInfo response);

/* prototypes for functions in wire_batch.c */
extern void wire_batch_get(const void *request, StringInfo response);
extern void wire_batch_write(const void *request, StringInfo response);

/* prototypes for functions in wire_transact.c */
extern void wire_transact_write(const void *request, StringInfo response);
extern void wire_transact_get(const void *request, StringInfo response);

/* prototypes for functions in wire_table.c and beside it */
extern void wire_create_table(const void *request, StringInfo response);
extern void wire_describe_table(const void *request, StringInfo response);
extern void wire_delete_table(const void *request, StringInfo response);
extern void wire_list_tables(const void *request, StringInfo response);
extern void wire_update_table(const void *request, StringInfo response);
extern void wire_tag_resource(const void *request, StringInfo response);
extern void wire_untag_resource(const void *request, StringInfo response);
extern void wire_list_tags(const void *request, StringInfo response);
extern void wire_describe_ttl(const void *request, StringInfo response);
extern void wire_update_ttl(const void *request, StringInfo response);
extern void wire_describe_backups(const void *request, StringInfo response);
extern void wire_describe_limits(const void *request, StringInfo response);
extern void wire_describe_endpoints(const void *request,
									StringInfo response);

/* prototypes for functions in wire_encode.c */
extern void wire_append_name(StringInfo out, const char *name);
extern void wire_begin_element(StringInfo out);
extern void wire_append_text_name(StringInfo out, const ApiText *name);
extern void wire_append_text(StringInfo out, const ApiText *text);
extern void wire_append_item(StringInfo out, const ItemData *item);
extern void wire_append_names(StringInfo out, Jsonb *names);

/* prototypes for functions in wire_capacity.c */
extern bool wire_wants_capacity(const WireWord *capacity);
extern void wire_add_consumed(WireConsumed *sum, const ApiConsumed *consumed);
extern void wire_append_consumed(StringInfo out, const WireWord *capacity,
								 CapacityAccess access,
								 const WireConsumed *consumed);
extern void wire_append_consumed_list(StringInfo out,
									  const WireWord *capacity,
									  CapacityAccess access, int n,
									  const WireConsumed *consumed);
extern bool wire_wants_metrics(const WireWord *metrics);
extern bool wire_append_metrics(StringInfo out, const ApiText *table_name,
								const ItemData *const *items, int n,
								bool list);

#endif							/* PT_WIRE_PRIVATE_H */
