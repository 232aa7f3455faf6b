/*
 * expr.h
 *	  The DynamoDB expression language: condition, filter, key condition,
 *	  update and projection expressions.
 *
 * A request's expressions share one set of placeholders.  The caller opens
 * an ExprRequest, prepares the expressions in the fixed order Update,
 * Condition, KeyCondition, Filter, Projection, and finishes the request,
 * which complains about unused placeholders.  All of that is independent of
 * the table.  Then the checks that need the key schema, then evaluation.
 *
 * Parsed forms are cached per backend by kind and text and never change;
 * expr_prepare() binds one to the request's names and values, in the current
 * memory context, where the result lives.
 */
#ifndef PT_EXPR_H
#define PT_EXPR_H

#include "utils/jsonb.h"

#include "item/item.h"
#include "key/key.h"

typedef enum ExprKind
{
	EXPR_UPDATE,
	EXPR_CONDITION,
	EXPR_KEY_CONDITION,
	EXPR_FILTER,
	EXPR_PROJECTION
} ExprKind;

typedef struct ExprRequest ExprRequest;
typedef struct ItemExpr ItemExpr;

/*
 * Placeholders of a request.  names: a JSON object #name -> attribute name,
 * or NULL; values: a map :name -> value, or NULL.  ereports empty maps, bad
 * keys and bad values.  The arguments must outlive the request.
 */
extern ExprRequest *expr_request_begin(Jsonb *names, const ItemData *values);

/*
 * Parses (or finds in the cache) and binds one expression; all static checks
 * that need no schema.  Never returns NULL.
 */
extern ItemExpr *expr_prepare(ExprRequest *request, ExprKind kind,
							  const char *text, size_t len);

/*
 * Complains about placeholders that no prepared expression used, then about
 * what cannot be a key condition whatever the schema.
 */
extern void expr_request_finish(ExprRequest *request);

/* "UpdateExpression", "ConditionExpression", ... */
extern const char *expr_kind_name(ExprKind kind);

/* prototypes for functions in expr_legacy.c: expressions without a text */

/* In the order in which the service lists them. */
typedef enum ExprLegacyOperator
{
	EXPR_LEGACY_IN,
	EXPR_LEGACY_NULL,
	EXPR_LEGACY_BETWEEN,
	EXPR_LEGACY_LT,
	EXPR_LEGACY_NOT_CONTAINS,
	EXPR_LEGACY_EQ,
	EXPR_LEGACY_GT,
	EXPR_LEGACY_NOT_NULL,
	EXPR_LEGACY_NE,
	EXPR_LEGACY_LE,
	EXPR_LEGACY_BEGINS_WITH,
	EXPR_LEGACY_GE,
	EXPR_LEGACY_CONTAINS
} ExprLegacyOperator;

/* A condition on a top-level attribute; values fit the operator. */
typedef struct ExprLegacyCondition
{
	const char *name;
	uint32		name_len;
	ExprLegacyOperator operator;
	int			nvalues;
	const ItemRef *values;
} ExprLegacyCondition;

typedef enum ExprLegacyAction
{
	EXPR_LEGACY_ADD,
	EXPR_LEGACY_DELETE,
	EXPR_LEGACY_PUT
} ExprLegacyAction;

typedef struct ExprLegacyUpdate
{
	const char *name;
	uint32		name_len;
	ExprLegacyAction action;
	ItemRef		value;			/* data is NULL: none */
} ExprLegacyUpdate;

/*
 * They are in the current memory context, and refer to the names and values
 * of their arguments.  None is prepared or finished with a request.
 */
extern ItemExpr *expr_legacy_condition(ExprKind kind, int n,
									   const ExprLegacyCondition *conditions,
									   bool any);
extern ItemExpr *expr_legacy_key_condition(int n,
										   const ExprLegacyCondition *conditions);
extern ItemExpr *expr_legacy_update(int n, const ExprLegacyUpdate *updates);
extern ItemExpr *expr_legacy_projection(int n, const char *const *names,
										const uint32 *name_lens);

/* prototypes for functions in expr_schema.c */

/*
 * Checks against a key schema: nested paths below a key attribute, of the
 * table or of its indexes (all kinds), key attributes as update targets,
 * constants of another type for those of indexes, key attributes at the head
 * of a query filter (only when is_query).
 */
extern void expr_check_schema(const ItemExpr *expr, const KeySchema *schema,
							  bool is_query);

/* The last of these for the keys of an index that is queried. */
extern void expr_check_filter(const ItemExpr *expr, int n,
							  const KeyAttribute *attributes);

/* prototypes for functions in expr_eval.c */

/* An absent item (row->attributes.data is NULL) has no attributes at all. */
extern bool expr_condition_holds(const ItemExpr *expr, const ItemRow *row);

/* prototypes for functions in expr_keycond.c */

typedef struct ExprKeyCondition
{
	ItemRef		pk;
	bool		has_sk;
	KeyRange	range;			/* bounds carry refs only; datums are not set */
} ExprKeyCondition;

/*
 * Matches a key condition with a schema, after expr_request_finish().  The
 * refs point into the request's values, or are palloc'd.
 */
extern void expr_key_condition(const ItemExpr *expr, const KeySchema *schema,
							   ExprKeyCondition *result);

/*
 * The same for an index with several attributes in a part of its key.  What
 * the result holds of that part is their common string, of type B.
 */
extern void expr_index_condition(const ItemExpr *expr, int npartition,
								 int nsort, const KeyIndexAttribute *keys,
								 ExprKeyCondition *result);

/* prototypes for functions in expr_update.c */

/*
 * Applies an update to the before image and returns the after image's
 * attributes (a map without the key attributes), or NULL when the item is
 * absent and the update has only REMOVE and DELETE actions, so that no item
 * comes into being.  before->keys must hold the key in either case.  Checks
 * run-time types, numbers, nesting and size; ereports the service's texts.
 */
extern ItemData *expr_update_apply(const ItemExpr *expr, const ItemRow *before,
							   bool exists);

/* The update's target paths as found in an image (UPDATED_OLD, UPDATED_NEW); NULL when empty. */
extern ItemData *expr_update_touched(const ItemExpr *expr, const ItemRow *image);

/* prototypes for functions in expr_project.c */

/* Name of the i-th attribute that a projection begins a path with. */
extern bool expr_projection_attribute(const ItemExpr *expr, int i,
									  const char **name, uint32 *name_len);
extern ItemData *expr_project(const ItemExpr *expr, const ItemRow *row);	/* {} when nothing matches */

#endif							/* PT_EXPR_H */
