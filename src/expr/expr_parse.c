/*
 * expr_parse.c
 *	  From the text of an expression to its parsed form.
 *
 * Everything here depends on kind and text only, so the result can be cached
 * and shared.  A text that is wrong in itself is refused here; what depends
 * on the request's placeholders, or comes after them in the order of errors,
 * is left to expr_check.c.
 *
 * The tree and the arrays of the result are made in the parse's own context.
 * Tokens, lists and the parser's stack are made in a scratch context.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "expr/expr_private.h"

static bool starts_literal(char c);
static void report_static_errors(ExprParseState *state);
static void report_reserved_word(ExprParseState *state);
static void report_limits(ExprParseState *state);
static void finish_paths(ExprParse *parse);
static void finish_targets(ExprParseState *state);
static void finish_checks(ExprParseState *state);
static ExprNode *make_node(ExprParseState *state, ExprNodeType type,
						   List *args);
static bool needs_check(const ExprNode *node);

#define token_text(state, token)	((state)->parse->text + (token)->start)

/*
 * Parses a text of the given kind.  The result's context is a child of the
 * current one; the caller may give it another parent.
 */
ExprParse *
expr_parse(ExprKind kind, const char *text, size_t len)
{
	MemoryContext context;
	MemoryContext scratch;
	MemoryContext caller;
	ExprParseState state = {0};
	ExprParse  *parse;

	if (len > LIMIT_EXPRESSION_SIZE)
		expr_error(TEXT_EXPR_SIZE, expr_kind_name(kind), len);
	if (len == 0)
		expr_error(TEXT_EXPR_EMPTY, expr_kind_name(kind));

	context = AllocSetContextCreate(CurrentMemoryContext, "parsed expression",
									ALLOCSET_SMALL_SIZES);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "expression parser",
									ALLOCSET_DEFAULT_SIZES);
	parse = MemoryContextAllocZero(context, sizeof(ExprParse));
	parse->context = context;
	parse->kind = kind;
	parse->len = len;
	parse->text = memcpy(MemoryContextAllocZero(context, len + 1), text, len);
	MemoryContextSetIdentifier(context, parse->text);

	caller = MemoryContextSwitchTo(scratch);
	state.parse = parse;
	state.tokens = expr_scan(kind, parse->text, len, &state.ntokens);
	state.next = -1;
	/* no array can get more members than there are tokens */
	parse->placeholders = palloc(state.ntokens * sizeof(ExprPlaceholder));
	parse->paths = palloc(state.ntokens * sizeof(ItemPath));
	parse->elements = palloc(state.ntokens * sizeof(ItemPathElement));
	parse->fixups = palloc(state.ntokens * sizeof(ExprFixup));

	if (expr_gram_yyparse(&state) != 0)
		elog(ERROR, "expression parser failed");
	report_static_errors(&state);

	MemoryContextSwitchTo(context);
	finish_paths(parse);
	finish_targets(&state);
	finish_checks(&state);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return parse;
}

/*
 * Reports the token that the parser got last, and the text from the start of
 * the token before it to the end of the token after it.
 */
void
expr_syntax_error(ExprParseState *state)
{
	const ExprToken *token = &state->tokens[state->next - 1];
	const ExprToken *first = token;
	const ExprToken *last = token;
	const char *shown = token_text(state, token);
	int			shown_len = token->len;

	if (token > state->tokens)
		first--;
	if (token->code == 0)
	{
		shown = "<EOF>";
		shown_len = strlen(shown);
		last = first;
	}
	else if (token[1].code != 0)
		last++;

	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_EXPR_SYNTAX, expr_kind_name(state->parse->kind),
					shown_len, shown,
					(int) (last->start + last->len - first->start),
					token_text(state, first)),
			 starts_literal(*shown) ?
			 errhint("An expression has no literals: write a name such as :v, and its value among the expression's values.") :
			 state->parse->kind == EXPR_UPDATE && token == state->tokens ?
			 errhint("An update begins with SET, REMOVE, ADD or DELETE.") : 0));
}

/* Is this how a string or a number begins in SQL or JSON? */
static bool
starts_literal(char c)
{
	return c == '\'' || c == '"' || (c >= '0' && c <= '9');
}

/*
 * Reports the first class of noted errors that is present.  Both orders of
 * classes are the service's.
 */
static void
report_static_errors(ExprParseState *state)
{
	const char *kind = expr_kind_name(state->parse->kind);

	report_limits(state);
	if (state->redundant)
		expr_error(TEXT_EXPR_PARENTHESES, kind);
	if (state->parse->kind == EXPR_UPDATE && state->reserved)
		report_reserved_word(state);
	if (state->unknown_function)
		expr_error(TEXT_EXPR_FUNCTION_NAME, kind,
				   (int) state->unknown_function->len,
				   token_text(state, state->unknown_function));
	if (state->misused_function != EXPR_FUNCTION_UNKNOWN)
		expr_error(TEXT_EXPR_FUNCTION_MISUSED, kind,
				   expr_function_name(state->misused_function));
	if (state->reserved)
		report_reserved_word(state);
	if (state->repeated_section)
		expr_error(TEXT_EXPR_SECTION_REPEATED, kind, state->repeated_section);
}

static void
report_reserved_word(ExprParseState *state)
{
	const char *word = token_text(state, state->reserved);
	int			len = (int) state->reserved->len;

	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(TEXT_EXPR_RESERVED,
					expr_kind_name(state->parse->kind), len, word),
			 errhint("Write #%.*s instead, with {\"#%.*s\": \"%.*s\"} as the expression's names.",
					 len, word, len, word, len, word)));
}

static void
report_limits(ExprParseState *state)
{
	const ExprParse *parse = state->parse;
	const char *kind = expr_kind_name(parse->kind);

	if (state->noperators > LIMIT_EXPRESSION_OPERATORS)
		expr_error(TEXT_EXPR_OPERATORS, kind, LIMIT_EXPRESSION_OPERATORS + 1);
	if (state->list_index)
		expr_error(TEXT_EXPR_LIST_INDEX, kind, (int) state->list_index->len,
				   token_text(state, state->list_index));
	for (int i = 0; i < parse->npaths; i++)
	{
		if (parse->paths[i].n > LIMIT_EXPRESSION_PATH)
			expr_error(TEXT_EXPR_PATH_DEPTH, kind, parse->paths[i].n);
	}
}

/*
 * Copies placeholders and paths to the parse's context, the current one.
 */
static void
finish_paths(ExprParse *parse)
{
	ItemPathElement *element;

#define KEEP(array, n) \
	((array) = (n) == 0 ? NULL : \
	 memcpy(palloc((n) * sizeof(*(array))), (array), (n) * sizeof(*(array))))

	KEEP(parse->placeholders, parse->nplaceholders);
	KEEP(parse->paths, parse->npaths);
	KEEP(parse->elements, parse->nelements);
	KEEP(parse->fixups, parse->nfixups);
#undef KEEP

	element = parse->elements;
	for (int i = 0; i < parse->npaths; i++)
	{
		parse->paths[i].elements = element;
		element += parse->paths[i].n;
	}
}

/*
 * Lays out targets and actions.  Without #names the order of the targets,
 * and whether two of them collide, is known now.
 */
static void
finish_targets(ExprParseState *state)
{
	ExprParse  *parse = state->parse;
	int			n = list_length(state->targets);

	if (n == 0)
		return;

	parse->ntargets = n;
	parse->targets = palloc(n * sizeof(int));
	for (int i = 0; i < n; i++)
		parse->targets[i] = list_nth_int(state->targets, i);

	if (parse->kind == EXPR_UPDATE)
	{
		parse->actions = palloc(n * sizeof(ExprAction));
		for (int i = 0; i < n; i++)
			parse->actions[i] = *(ExprAction *) list_nth(state->actions, i);
	}

	if (parse->nfixups == 0)
	{
		parse->sorted = palloc(n * sizeof(int));
		parse->clash = !expr_sort_targets(parse, parse->paths, parse->sorted);
	}
}

static void
finish_checks(ExprParseState *state)
{
	ExprParse  *parse = state->parse;

	parse->nchecks = list_length(state->checks);
	if (parse->nchecks == 0)
		return;
	parse->checks = palloc(parse->nchecks * sizeof(ExprNode *));
	for (int i = 0; i < parse->nchecks; i++)
		parse->checks[i] = list_nth(state->checks, i);
}

/*
 * Number of a placeholder among those that the text mentions.
 */
static int
intern_placeholder(ExprParseState *state, const ExprToken *token)
{
	ExprParse  *parse = state->parse;
	const char *text = token_text(state, token);
	ExprPlaceholder *new;

	for (int i = 0; i < parse->nplaceholders; i++)
	{
		if (parse->placeholders[i].len == token->len &&
			memcmp(parse->placeholders[i].text, text, token->len) == 0)
			return i;
	}
	new = &parse->placeholders[parse->nplaceholders];
	new->text = text;
	new->len = token->len;
	return parse->nplaceholders++;
}

/*
 * Starts a path; the elements that follow belong to it.  Paths never
 * interleave: one is complete before the next begins.  Their element
 * pointers are set when all are known.
 */
int
expr_path_begin(ExprParseState *state)
{
	ExprParse  *parse = state->parse;

	parse->paths[parse->npaths].n = 0;
	return parse->npaths++;
}

static ItemPathElement *
add_element(ExprParseState *state)
{
	ExprParse  *parse = state->parse;

	parse->paths[parse->npaths - 1].n++;
	return &parse->elements[parse->nelements++];
}

void
expr_path_name(ExprParseState *state, const ExprToken *token)
{
	ItemPathElement *element = add_element(state);

	element->name = token_text(state, token);
	element->name_len = token->len;
	element->index = 0;
	if (state->reserved == NULL &&
		expr_is_reserved(element->name, element->name_len))
		state->reserved = token;
}

void
expr_path_placeholder(ExprParseState *state, const ExprToken *token)
{
	ExprParse  *parse = state->parse;
	ItemPathElement *element = add_element(state);
	ExprFixup  *fixup = &parse->fixups[parse->nfixups++];

	element->name = token_text(state, token);
	element->name_len = token->len;
	element->index = 0;
	fixup->element = parse->nelements - 1;
	fixup->placeholder = intern_placeholder(state, token);
}

void
expr_path_index(ExprParseState *state, const ExprToken *token)
{
	ItemPathElement *element = add_element(state);
	const char *digits = token_text(state, token);
	int64		index = 0;

	for (uint32 i = 0; i < token->len && index <= PG_INT32_MAX; i++)
		index = index * 10 + (digits[i] - '0');
	if (index > PG_INT32_MAX && state->list_index == NULL)
		state->list_index = token;

	element->name = NULL;
	element->name_len = 0;
	element->index = (int32) Min(index, PG_INT32_MAX);
}

ExprNode *
expr_make_path(ExprParseState *state, int number)
{
	ExprNode   *node = make_node(state, EXPR_NODE_PATH, NIL);

	node->number = number;
	return node;
}

ExprNode *
expr_make_value(ExprParseState *state, const ExprToken *token)
{
	ExprNode   *node = make_node(state, EXPR_NODE_VALUE, NIL);

	node->number = intern_placeholder(state, token);
	return node;
}

/*
 * Node of any operator.  All but BETWEEN and IN take one or two operands;
 * IN has its left operand first.
 */
ExprNode *
expr_make_operator(ExprParseState *state, ExprNodeType type, List *args)
{
	ExprNode   *node = make_node(state, type, args);
	bool		logical = type == EXPR_NODE_AND || type == EXPR_NODE_OR ||
		type == EXPR_NODE_NOT;

	state->noperators++;
	if (type == EXPR_NODE_IN && node->nargs - 1 > LIMIT_EXPRESSION_IN &&
		state->parse->miscounted == NULL)
		state->parse->miscounted = node;

	/* a boolean function is no operand */
	for (int i = 0; i < node->nargs && !logical; i++)
	{
		ExprFunction function = node->args[i]->function;

		if (state->parse->kind != EXPR_UPDATE &&
			function != EXPR_FUNCTION_UNKNOWN && function != EXPR_SIZE &&
			state->misused_function == EXPR_FUNCTION_UNKNOWN)
			state->misused_function = function;
	}
	return node;
}

/*
 * Node of a function call.  Notes an unknown name, a function of another kind
 * of expression, and functions that cannot be an operand of this one.
 */
ExprNode *
expr_make_call(ExprParseState *state, const ExprToken *name, List *args)
{
	bool		in_update = state->parse->kind == EXPR_UPDATE;
	ExprFunction function = expr_function_lookup(token_text(state, name),
												 name->len);
	ExprFunction operand = in_update ? EXPR_IF_NOT_EXISTS : EXPR_SIZE;
	ExprFunction misused = EXPR_FUNCTION_UNKNOWN;
	ExprNode   *node;

	node = make_node(state, EXPR_NODE_CALL, args);
	node->function = function;
	if (needs_check(node))
		state->checks = lappend(state->checks, node);
	if (in_update)
		state->noperators++;

	if (function == EXPR_FUNCTION_UNKNOWN)
	{
		if (state->unknown_function == NULL)
			state->unknown_function = name;
		return node;
	}

	for (int i = 0; i < node->nargs; i++)
	{
		ExprFunction inner = node->args[i]->function;

		if (inner != EXPR_FUNCTION_UNKNOWN && inner != operand &&
			misused == EXPR_FUNCTION_UNKNOWN)
			misused = inner;
	}
	if (in_update !=
		(function == EXPR_IF_NOT_EXISTS || function == EXPR_LIST_APPEND))
		misused = function;
	if (misused != EXPR_FUNCTION_UNKNOWN &&
		state->misused_function == EXPR_FUNCTION_UNKNOWN)
		state->misused_function = misused;

	if (node->nargs != expr_function_operands(function) &&
		state->parse->miscounted == NULL)
		state->parse->miscounted = node;
	return node;
}

/*
 * A call in the place of a condition: size() yields no truth value.
 */
ExprNode *
expr_as_condition(ExprParseState *state, ExprNode *call)
{
	if (call->function == EXPR_SIZE &&
		state->misused_function == EXPR_FUNCTION_UNKNOWN)
		state->misused_function = EXPR_SIZE;
	return call;
}

ExprNode *
expr_parenthesise(ExprParseState *state, ExprNode *node)
{
	if (node->parenthesised)
		state->redundant = true;
	node->parenthesised = true;
	return node;
}

void
expr_begin_section(ExprParseState *state, ExprSection section)
{
	uint32		bit = 1 << section;

	if ((state->sections & bit) && state->repeated_section == NULL)
		state->repeated_section = expr_section_name(section);
	state->sections |= bit;
}

void
expr_add_action(ExprParseState *state, ExprSection section, int target,
				ExprNode *operand)
{
	ExprAction *action = palloc(sizeof(ExprAction));

	action->section = section;
	action->operand = operand;
	state->actions = lappend(state->actions, action);
	state->targets = lappend_int(state->targets, target);
}

static ExprNode *
make_node(ExprParseState *state, ExprNodeType type, List *args)
{
	int			nargs = list_length(args);
	ExprNode   *node;

	node = MemoryContextAllocZero(state->parse->context,
								  offsetof(ExprNode, args) +
								  nargs * sizeof(ExprNode *));
	node->type = type;
	node->nargs = nargs;
	for (int i = 0; i < nargs; i++)
		node->args[i] = list_nth(args, i);
	list_free(args);

	/* calls wait for their function */
	if (type != EXPR_NODE_CALL && needs_check(node))
		state->checks = lappend(state->checks, node);
	return node;
}

/*
 * Whether binding can find an operand of this node unsuitable.  It keeps
 * most nodes of usual expressions out of expr_check_operands().
 */
static bool
needs_check(const ExprNode *node)
{
	switch (node->type)
	{
		case EXPR_NODE_EQ:
		case EXPR_NODE_NE:
			return node->args[0]->type == EXPR_NODE_PATH &&
				node->args[1]->type == EXPR_NODE_PATH;
		case EXPR_NODE_LT:
		case EXPR_NODE_LE:
		case EXPR_NODE_GT:
		case EXPR_NODE_GE:
		case EXPR_NODE_BETWEEN:
		case EXPR_NODE_PLUS:
		case EXPR_NODE_MINUS:
			return true;
		case EXPR_NODE_CALL:
			switch (node->function)
			{
				case EXPR_ATTRIBUTE_EXISTS:
				case EXPR_ATTRIBUTE_NOT_EXISTS:
				case EXPR_SIZE:
					return node->args[0]->type != EXPR_NODE_PATH;
				default:
					return true;
			}
		default:
			return false;
	}
}
