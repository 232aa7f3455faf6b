/*
 * expr_private.h
 *	  Parsed and bound forms of expressions, shared by the files of expr/.
 *
 * An ExprParse is what the text alone says.  It never changes once it is
 * made, lives in a memory context of its own, and belongs to the cache or,
 * when it is not cached, to the context of the caller.  An ItemExpr is one
 * request's view of it: the placeholders' meanings beside the shared tree.
 */
#ifndef PT_EXPR_PRIVATE_H
#define PT_EXPR_PRIVATE_H

#include "lib/ilist.h"
#include "nodes/pg_list.h"

#include "expr/expr.h"

typedef enum ExprNodeType
{
	EXPR_NODE_PATH,
	EXPR_NODE_VALUE,
	EXPR_NODE_CALL,
	EXPR_NODE_EQ,				/* comparisons in this order: see operators */
	EXPR_NODE_NE,
	EXPR_NODE_LT,
	EXPR_NODE_LE,
	EXPR_NODE_GT,
	EXPR_NODE_GE,
	EXPR_NODE_BETWEEN,
	EXPR_NODE_IN,
	EXPR_NODE_AND,
	EXPR_NODE_OR,
	EXPR_NODE_NOT,
	EXPR_NODE_PLUS,
	EXPR_NODE_MINUS
} ExprNodeType;

typedef enum ExprFunction
{
	EXPR_FUNCTION_UNKNOWN,
	EXPR_ATTRIBUTE_EXISTS,
	EXPR_ATTRIBUTE_NOT_EXISTS,
	EXPR_ATTRIBUTE_TYPE,
	EXPR_BEGINS_WITH,
	EXPR_CONTAINS,
	EXPR_SIZE,
	EXPR_IF_NOT_EXISTS,
	EXPR_LIST_APPEND
} ExprFunction;

typedef struct ExprNode
{
	ExprNodeType type;
	ExprFunction function;		/* of a call */
	int			number;			/* of a path or a placeholder */
	bool		parenthesised;
	int			nargs;
	struct ExprNode *args[FLEXIBLE_ARRAY_MEMBER];
} ExprNode;

typedef enum ExprSection
{
	EXPR_SECTION_SET,
	EXPR_SECTION_REMOVE,
	EXPR_SECTION_ADD,
	EXPR_SECTION_DELETE
} ExprSection;

typedef struct ExprAction
{
	ExprSection section;
	ExprNode   *operand;		/* NULL in REMOVE */
} ExprAction;

/* A #name or :value that the text mentions, once each. */
typedef struct ExprPlaceholder
{
	const char *text;			/* with its sigil, in the parse's own text */
	uint32		len;
} ExprPlaceholder;

/* The path element that a #name stands for. */
typedef struct ExprFixup
{
	int			element;
	int			placeholder;
} ExprFixup;

typedef struct ExprParse
{
	ExprKind	kind;
	bool		legacy;			/* made by expr_legacy.c */
	const char *text;			/* NUL terminated */
	uint32		len;

	/* expr_cache.c only */
	MemoryContext context;
	dlist_node	lru;
	int			pins;			/* prepared expressions that use this one */
	bool		cached;

	ExprNode   *condition;		/* of all three condition kinds */
	ExprAction *actions;		/* of an update, ntargets of them */

	int			nplaceholders;
	ExprPlaceholder *placeholders;
	int			npaths;
	ItemPath   *paths;
	int			nelements;
	ItemPathElement *elements;	/* of all paths, one after the other */
	int			nfixups;
	ExprFixup  *fixups;

	/* targets of an update, or the paths of a projection */
	int			ntargets;
	int		   *targets;		/* path numbers, in the text's order */
	int		   *sorted;			/* target numbers; NULL if there are fixups */
	bool		clash;			/* sorted has an overlap or a conflict */

	/* what binding must check, in the text's order */
	ExprNode   *miscounted;		/* first node with a wrong number of operands */
	int			nchecks;
	ExprNode  **checks;
} ExprParse;

/* One condition on a key attribute: attribute operator value [value]. */
typedef struct ExprKeyTerm
{
	const ItemPathElement *attribute;
	ExprNodeType type;			/* EXPR_NODE_CALL is begins_with */
	ItemRef		values[2];
} ExprKeyTerm;

struct ItemExpr
{
	const ExprParse *parse;
	const ItemPath *paths;		/* with #names replaced */
	const ItemRef *placeholders;	/* :values; a #name's type is not set */
	const int  *sorted;			/* as in the parse */
	int			nterms;			/* of a key condition */
	ExprKeyTerm *terms;
	MemoryContextCallback unpin;
};

typedef struct ExprToken
{
	int			code;
	uint32		start;
	uint32		len;
} ExprToken;

/*
 * State of one run of the parser.  Static errors are noted while parsing
 * (the first of each class) and reported afterwards in the order of classes.
 */
typedef struct ExprParseState
{
	ExprParse  *parse;
	int			ntokens;
	ExprToken  *tokens;			/* the last one is the end of the text */
	int			next;			/* next token for the parser; -1: start token */
	List	   *actions;		/* of ExprAction */
	List	   *targets;		/* of path numbers */
	List	   *checks;

	const ExprToken *list_index;	/* out of range */
	bool		redundant;		/* parentheses */
	const ExprToken *unknown_function;
	ExprFunction misused_function;
	const ExprToken *reserved;
	uint32		sections;		/* bits of those seen */
	const char *repeated_section;
	int			noperators;
} ExprParseState;

/* Every error of the language is a ValidationException. */
#define expr_error(...) \
	ereport(ERROR, \
			(errcode(ERRCODE_ITEM_VALIDATION), errmsg(__VA_ARGS__)))

/* prototypes for functions in expr_scan.l */
extern ExprToken *expr_scan(ExprKind kind, const char *text, uint32 len,
							int *ntokens);

/* prototypes for functions in expr_gram.y */
extern int	expr_gram_yyparse(ExprParseState *state);

/* prototypes for functions in expr_parse.c */
extern ExprParse *expr_parse(ExprKind kind, const char *text, size_t len);
extern void expr_syntax_error(ExprParseState *state);
extern int	expr_path_begin(ExprParseState *state);
extern void expr_path_name(ExprParseState *state, const ExprToken *token);
extern void expr_path_placeholder(ExprParseState *state,
								  const ExprToken *token);
extern void expr_path_index(ExprParseState *state, const ExprToken *token);
extern ExprNode *expr_make_path(ExprParseState *state, int number);
extern ExprNode *expr_make_value(ExprParseState *state,
								 const ExprToken *token);
extern ExprNode *expr_make_operator(ExprParseState *state, ExprNodeType type,
									List *args);
extern ExprNode *expr_make_call(ExprParseState *state, const ExprToken *name,
								List *args);
extern ExprNode *expr_as_condition(ExprParseState *state, ExprNode *call);
extern ExprNode *expr_parenthesise(ExprParseState *state, ExprNode *node);
extern void expr_begin_section(ExprParseState *state, ExprSection section);
extern void expr_add_action(ExprParseState *state, ExprSection section,
							int target, ExprNode *operand);

/* prototypes for functions in expr_node.c */
extern const char *expr_operator_name(ExprNodeType type);
extern const char *expr_section_name(ExprSection section);
extern const char *expr_function_name(ExprFunction function);
extern ExprFunction expr_function_lookup(const char *name, uint32 len);
extern int	expr_function_operands(ExprFunction function);
extern const char *expr_node_name(const ExprNode *node);
extern int	expr_element_compare(const ItemPathElement *a,
								 const ItemPathElement *b);
extern bool expr_paths_equal(const ItemPath *a, const ItemPath *b);
extern char *expr_path_print(const ItemPath *path);
extern bool expr_sort_targets(const ExprParse *parse, const ItemPath *paths,
							  int *sorted);
extern void expr_report_clash(const ExprParse *parse, const ItemPath *paths);

/* prototypes for functions in expr_reserved.c */
extern bool expr_is_reserved(const char *word, uint32 len);

/* prototypes for functions in expr_cache.c */
extern ExprParse *expr_cache_get(ExprKind kind, const char *text, size_t len);
extern void expr_cache_unpin(void *parse);

/* prototypes for functions in expr_check.c */
extern void expr_check_operands(const ItemExpr *expr);

/* prototypes for functions in expr_keycond.c */
extern void expr_convert_key_condition(ItemExpr *expr);

/* prototypes for functions in expr_project.c */
extern ItemValue *expr_project_targets(const ItemExpr *expr,
									   const ItemRow *row);

/* One past the last target of sorted[first ..] that shares its element at depth. */
static inline int
expr_group_end(const ItemExpr *expr, int first, int end, int depth)
{
	const int  *targets = expr->parse->targets;
	const ItemPathElement *head =
		&expr->paths[targets[expr->sorted[first]]].elements[depth];
	int			i = first + 1;

	while (i < end &&
		   expr_element_compare(head,
								&expr->paths[targets[expr->sorted[i]]].elements[depth]) == 0)
		i++;
	return i;
}

#endif							/* PT_EXPR_PRIVATE_H */
