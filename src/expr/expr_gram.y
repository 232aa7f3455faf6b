%code top
{
/*
 * expr_gram.y
 *	  Grammars of the expression language.
 *
 * One grammar for conditions (condition, filter and key condition), one for
 * updates and one for projections; the first token that the parser sees
 * chooses.  The grammar decides only what is syntax: which function may
 * stand where, how many operands it takes and what words are reserved is
 * noted by the actions and reported after the parse, because any syntax
 * error comes before all of that.
 *
 * A parenthesised function call may turn out to be a condition or an
 * operand.  It stays a "call_group" until the next token tells.
 */
#include "postgres.h"

#include "base/limits.h"
#include "expr/expr_private.h"

/* what bison generates is not ours to tidy */
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wsign-compare"

/* the parser's stack grows by palloc; no text has more tokens than bytes */
#define YYMALLOC palloc
#define YYFREE   pfree
#define YYMAXDEPTH (LIMIT_EXPRESSION_SIZE + 16)
}

%define api.pure full
%define api.prefix {expr_gram_yy}
%parse-param {ExprParseState *state}
%lex-param {ExprParseState *state}
%expect 0

%code requires
{
#include "expr/expr_private.h"
}

%union
{
	const ExprToken *token;
	ExprNode   *node;
	List	   *list;
	int			number;
}

%code
{
static int	expr_gram_yylex(YYSTYPE *lval, ExprParseState *state);
static void expr_gram_yyerror(ExprParseState *state, const char *message);
}

%token START_CONDITION START_UPDATE START_PROJECTION
%token <token> NAME NAMEREF VALREF INTEGER JUNK
%token NE_OP LE_OP GE_OP
%token AND_WORD OR_WORD NOT_WORD BETWEEN_WORD IN_WORD
%token SET_WORD REMOVE_WORD ADD_WORD DELETE_WORD

%left OR_WORD
%left AND_WORD
%right NOT_WORD

%type <number> path comparator
%type <node> condition compound predicate operand call_group call plain value
%type <node> set_value sum term set_call
%type <list> operands terms

%%

start:
	START_CONDITION condition	{ state->parse->condition = $2; }
	| START_UPDATE sections
	| START_PROJECTION projection
	;

/* conditions */

condition:
	call_group					{ $$ = expr_as_condition(state, $1); }
	| compound
	;

compound:
	condition OR_WORD condition
		{ $$ = expr_make_operator(state, EXPR_NODE_OR, list_make2($1, $3)); }
	| condition AND_WORD condition
		{ $$ = expr_make_operator(state, EXPR_NODE_AND, list_make2($1, $3)); }
	| NOT_WORD condition
		{ $$ = expr_make_operator(state, EXPR_NODE_NOT, list_make1($2)); }
	| predicate
	| '(' compound ')'			{ $$ = expr_parenthesise(state, $2); }
	;

predicate:
	operand comparator operand
		{ $$ = expr_make_operator(state, $2, list_make2($1, $3)); }
	| operand BETWEEN_WORD operand AND_WORD operand
		{
			$$ = expr_make_operator(state, EXPR_NODE_BETWEEN,
									list_make3($1, $3, $5));
		}
	| operand IN_WORD '(' operands ')'
		{ $$ = expr_make_operator(state, EXPR_NODE_IN, lcons($1, $4)); }
	;

comparator:
	'='							{ $$ = EXPR_NODE_EQ; }
	| NE_OP						{ $$ = EXPR_NODE_NE; }
	| '<'						{ $$ = EXPR_NODE_LT; }
	| LE_OP						{ $$ = EXPR_NODE_LE; }
	| '>'						{ $$ = EXPR_NODE_GT; }
	| GE_OP						{ $$ = EXPR_NODE_GE; }
	;

operands:
	operand						{ $$ = list_make1($1); }
	| operands ',' operand		{ $$ = lappend($1, $3); }
	;

operand:
	call_group
	| plain
	;

call_group:
	call
	| '(' call_group ')'		{ $$ = expr_parenthesise(state, $2); }
	;

call:
	NAME '(' operands ')'		{ $$ = expr_make_call(state, $1, $3); }
	;

plain:
	path						{ $$ = expr_make_path(state, $1); }
	| value
	| '(' plain ')'				{ $$ = expr_parenthesise(state, $2); }
	;

/* updates */

sections:
	section
	| sections section
	;

section:
	set_word set_actions
	| remove_word remove_actions
	| add_word add_actions
	| delete_word delete_actions
	;

set_word:
	SET_WORD					{ expr_begin_section(state, EXPR_SECTION_SET); }
	;

remove_word:
	REMOVE_WORD					{ expr_begin_section(state, EXPR_SECTION_REMOVE); }
	;

add_word:
	ADD_WORD					{ expr_begin_section(state, EXPR_SECTION_ADD); }
	;

delete_word:
	DELETE_WORD					{ expr_begin_section(state, EXPR_SECTION_DELETE); }
	;

set_actions:
	set_action
	| set_actions ',' set_action
	;

set_action:
	path '=' set_value
		{ expr_add_action(state, EXPR_SECTION_SET, $1, $3); }
	;

remove_actions:
	remove_action
	| remove_actions ',' remove_action
	;

remove_action:
	path
		{ expr_add_action(state, EXPR_SECTION_REMOVE, $1, NULL); }
	;

add_actions:
	add_action
	| add_actions ',' add_action
	;

add_action:
	path value
		{ expr_add_action(state, EXPR_SECTION_ADD, $1, $2); }
	;

delete_actions:
	delete_action
	| delete_actions ',' delete_action
	;

delete_action:
	path value
		{ expr_add_action(state, EXPR_SECTION_DELETE, $1, $2); }
	;

set_value:
	term
	| sum
	;

sum:
	term '+' term
		{ $$ = expr_make_operator(state, EXPR_NODE_PLUS, list_make2($1, $3)); }
	| term '-' term
		{ $$ = expr_make_operator(state, EXPR_NODE_MINUS, list_make2($1, $3)); }
	| '(' sum ')'				{ $$ = expr_parenthesise(state, $2); }
	;

term:
	path						{ $$ = expr_make_path(state, $1); }
	| value
	| set_call
	| '(' term ')'				{ $$ = expr_parenthesise(state, $2); }
	;

set_call:
	NAME '(' terms ')'			{ $$ = expr_make_call(state, $1, $3); }
	;

terms:
	term						{ $$ = list_make1($1); }
	| terms ',' term			{ $$ = lappend($1, $3); }
	;

/* projections */

projection:
	projected
	| projection ',' projected
	;

projected:
	path						{ state->targets = lappend_int(state->targets, $1); }
	;

/* operands of all grammars */

path:
	NAME
		{ $$ = expr_path_begin(state); expr_path_name(state, $1); }
	| NAMEREF
		{ $$ = expr_path_begin(state); expr_path_placeholder(state, $1); }
	| path '.' NAME				{ expr_path_name(state, $3); $$ = $1; }
	| path '.' NAMEREF			{ expr_path_placeholder(state, $3); $$ = $1; }
	| path '[' INTEGER ']'		{ expr_path_index(state, $3); $$ = $1; }
	;

value:
	VALREF						{ $$ = expr_make_value(state, $1); }
	;

%%

/*
 * Hands out the start token of the expression's kind, then the text's tokens.
 */
static int
expr_gram_yylex(YYSTYPE *lval, ExprParseState *state)
{
	if (state->next < 0)
	{
		state->next = 0;
		switch (state->parse->kind)
		{
			case EXPR_UPDATE:
				return START_UPDATE;
			case EXPR_PROJECTION:
				return START_PROJECTION;
			default:
				return START_CONDITION;
		}
	}
	lval->token = &state->tokens[state->next++];
	return lval->token->code;
}

/*
 * The parser complains about the token it was given last.
 */
static void
expr_gram_yyerror(ExprParseState *state, const char *message)
{
	if (strcmp(message, "syntax error") != 0)
		elog(ERROR, "expression parser: %s", message);
	expr_syntax_error(state);
}
