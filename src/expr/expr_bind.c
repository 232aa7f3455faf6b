/*
 * expr_bind.c
 *	  Placeholders of a request, and expressions bound to them.
 *
 * expr_request_begin() checks names and values and lays them out as arrays.
 * expr_prepare() then finds each placeholder of an expression in them, which
 * also marks it as used.  A small array is searched in turn, a larger one is
 * sorted first.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "expr/expr_private.h"

#define NAMES_PARAMETER		"ExpressionAttributeNames"
#define VALUES_PARAMETER	"ExpressionAttributeValues"

/* arrays up to this size are searched from the start */
#define MAX_UNSORTED		8

/* One placeholder that the request defines. */
typedef struct Definition
{
	const char *key;			/* with its sigil */
	uint32		key_len;
	bool		used;
	ItemRef		meaning;		/* value, or the attribute name's bytes */
} Definition;

typedef struct Definitions
{
	const char *parameter;		/* its name in the request */
	char		sigil;
	bool		sorted;
	int			n;
	Definition *members;
} Definitions;

struct ExprRequest
{
	Definitions names;
	Definitions values;
	ItemExpr   *key_condition;	/* prepared, to be converted at the end */
};

static void read_names(Definitions *names, Jsonb *json);
static void read_values(Definitions *values, ItemRef map);
static void check_keys(const Definitions *defs);
static void check_names(const Definitions *names);
static void check_values(const Definitions *values);
static void check_total_size(const ExprRequest *request);
static void sort_definitions(Definitions *defs);
static void bind_placeholders(ExprRequest *request, const ExprParse *parse,
							  ItemRef *placeholders);
static void bind_paths(ItemExpr *expr, ItemPath *paths, int *sorted);
static void report_unused(const Definitions *defs);

/*
 * The request is palloc'd; names and values must outlive it.
 */
ExprRequest *
expr_request_begin(Jsonb *names, const ItemData *values)
{
	ExprRequest *request = palloc0(sizeof(ExprRequest));
	Size		size = 0;

	request->names.parameter = NAMES_PARAMETER;
	request->names.sigil = '#';
	request->values.parameter = VALUES_PARAMETER;
	request->values.sigil = ':';

	if (names != NULL)
	{
		read_names(&request->names, names);
		size += VARSIZE(names);
	}
	if (values != NULL)
	{
		read_values(&request->values, item_root(values));
		size += VARSIZE(values);
	}

	/* each rule for the names, then for the values, before the next rule */
	check_keys(&request->names);
	check_keys(&request->values);
	check_names(&request->names);
	check_values(&request->values);
	if (size > LIMIT_SUBSTITUTIONS)
		check_total_size(request);

	sort_definitions(&request->names);
	sort_definitions(&request->values);
	return request;
}

static void
read_names(Definitions *names, Jsonb *json)
{
	Definition *member;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	value;

	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("expression names must be a JSON object"),
				 errhint("Write them as {\"#n\": \"attribute name\"}.")));
	if (JB_ROOT_COUNT(json) == 0)
		expr_error(TEXT_PLACEHOLDERS_EMPTY, names->parameter);

	names->n = JB_ROOT_COUNT(json);
	names->members = member = palloc0(names->n * sizeof(Definition));
	iterator = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			member->key = value.val.string.val;
			member->key_len = value.val.string.len;
		}
		else if (token == WJB_VALUE)
		{
			/* no bytes at all: not a string, which check_names() reports */
			if (value.type == jbvString)
			{
				member->meaning.data = value.val.string.val;
				member->meaning.len = value.val.string.len;
			}
			member++;
		}
	}
}

static void
read_values(Definitions *values, ItemRef map)
{
	if (map.type != ITEM_M)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("expression values must be a map"),
				 errhint("Write them as {\":v\": value}.")));
	values->n = item_map_count(map);
	if (values->n == 0)
		expr_error(TEXT_PLACEHOLDERS_EMPTY, values->parameter);

	values->members = palloc(values->n * sizeof(Definition));
	for (int i = 0; i < values->n; i++)
	{
		Definition *member = &values->members[i];

		member->used = false;
		member->meaning = item_map_member(map, i, &member->key,
										  &member->key_len);
	}
}

static inline bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9') || c == '_';
}

/*
 * A key is the sigil and at least one letter, digit or "_".
 */
static void
check_keys(const Definitions *defs)
{
	for (int i = 0; i < defs->n; i++)
	{
		const Definition *member = &defs->members[i];
		bool		valid;

		valid = member->key_len > 1 && member->key[0] == defs->sigil;
		for (uint32 j = 1; j < member->key_len && valid; j++)
			valid = is_word_char(member->key[j]);
		if (!valid)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_PLACEHOLDER_KEY, defs->parameter,
							(int) member->key_len, member->key),
					 errhint("Write \"%c\" and then letters, digits and \"_\".",
							 defs->sigil)));
		if (member->key_len > LIMIT_PLACEHOLDER)
			expr_error(TEXT_PLACEHOLDER_KEY_SIZE, defs->parameter,
					   LIMIT_PLACEHOLDER, member->key_len);
	}
}

static void
check_names(const Definitions *names)
{
	for (int i = 0; i < names->n; i++)
	{
		const Definition *member = &names->members[i];

		if (member->meaning.data == NULL)
			expr_error(TEXT_NAME_TYPE, (int) member->key_len, member->key);
		if (member->meaning.len == 0)
			expr_error(TEXT_NAME_EMPTY, (int) member->key_len, member->key);
		if (member->meaning.len > LIMIT_ATTRIBUTE_NAME)
			expr_error(TEXT_NAME_SIZE, LIMIT_ATTRIBUTE_NAME,
					   (int) member->key_len, member->key);
	}
}

/*
 * The item type admits only legal values; what remains is the nesting, which
 * counts from the item that the value may become an attribute of.
 */
static void
check_values(const Definitions *values)
{
	for (int i = 0; i < values->n; i++)
	{
		const Definition *member = &values->members[i];

		if ((member->meaning.type == ITEM_M ||
			 member->meaning.type == ITEM_L) &&
			item_ref_depth(member->meaning) >= LIMIT_NESTING)
			expr_error(TEXT_VALUE_INVALID, TEXT_NESTING,
					   (int) member->key_len, member->key);
	}
}

/*
 * Only the keys, names and values themselves count, not their envelopes.
 */
static void
check_total_size(const ExprRequest *request)
{
	Size		total = 0;

	for (int i = 0; i < request->names.n; i++)
		total += request->names.members[i].key_len +
			request->names.members[i].meaning.len;
	for (int i = 0; i < request->values.n; i++)
		total += request->values.members[i].key_len +
			item_ref_size(request->values.members[i].meaning);
	if (total > LIMIT_SUBSTITUTIONS)
		expr_error(TEXT_PLACEHOLDERS_SIZE, LIMIT_SUBSTITUTIONS);
}

static int
compare_definitions(const void *a, const void *b)
{
	const Definition *x = a;
	const Definition *y = b;

	if (x->key_len != y->key_len)
		return x->key_len < y->key_len ? -1 : 1;
	return memcmp(x->key, y->key, x->key_len);
}

static void
sort_definitions(Definitions *defs)
{
	defs->sorted = defs->n > MAX_UNSORTED;
	if (defs->sorted)
		qsort(defs->members, defs->n, sizeof(Definition),
			  compare_definitions);
}

static Definition *
find_definition(const Definitions *defs, const char *key, uint32 len)
{
	if (defs->sorted)
	{
		Definition	sought = {.key = key, .key_len = len};

		return bsearch(&sought, defs->members, defs->n, sizeof(Definition),
					   compare_definitions);
	}
	for (int i = 0; i < defs->n; i++)
	{
		if (defs->members[i].key_len == len &&
			memcmp(defs->members[i].key, key, len) == 0)
			return &defs->members[i];
	}
	return NULL;
}

/*
 * The result is one chunk in the current memory context, whose reset or
 * deletion releases the parsed form.
 */
ItemExpr *
expr_prepare(ExprRequest *request, ExprKind kind, const char *text,
			 size_t len)
{
	ExprParse  *parse = expr_cache_get(kind, text, len);
	bool		renamed = parse->nfixups > 0;
	Size		size;
	char	   *chunk;
	ItemExpr   *expr;
	ItemRef    *placeholders;

	/*
	 * One allocation for all parts.  The pin needs it, and until then the
	 * cache cannot change.
	 */
	size = MAXALIGN(sizeof(ItemExpr)) +
		MAXALIGN(parse->nplaceholders * sizeof(ItemRef));
	if (renamed)
		size += MAXALIGN(parse->npaths * sizeof(ItemPath)) +
			MAXALIGN(parse->nelements * sizeof(ItemPathElement)) +
			parse->ntargets * sizeof(int);
	chunk = palloc(size);
	expr = (ItemExpr *) chunk;
	chunk += MAXALIGN(sizeof(ItemExpr));
	placeholders = (ItemRef *) chunk;
	chunk += MAXALIGN(parse->nplaceholders * sizeof(ItemRef));

	if (parse->cached)
	{
		parse->pins++;
		expr->unpin.func = expr_cache_unpin;
		expr->unpin.arg = parse;
		MemoryContextRegisterResetCallback(CurrentMemoryContext,
										   &expr->unpin);
	}
	expr->parse = parse;
	expr->paths = parse->paths;
	expr->sorted = parse->sorted;
	expr->placeholders = placeholders;
	expr->nterms = 0;
	expr->terms = NULL;

	bind_placeholders(request, parse, placeholders);
	if (renamed)
	{
		ItemPath   *paths = (ItemPath *) chunk;
		int		   *sorted;

		chunk += MAXALIGN(parse->npaths * sizeof(ItemPath)) +
			MAXALIGN(parse->nelements * sizeof(ItemPathElement));
		sorted = (int *) chunk;
		bind_paths(expr, paths, sorted);
	}
	else if (parse->clash)
		expr_report_clash(parse, expr->paths);

	if (parse->nchecks > 0 || parse->miscounted != NULL || parse->actions)
		expr_check_operands(expr);
	if (kind == EXPR_KEY_CONDITION)
		request->key_condition = expr;
	return expr;
}

/*
 * Finds the meaning of every placeholder of the expression and marks it as
 * used.  If several are undefined, an update complains about names first, a
 * condition about the first in the text.
 */
static void
bind_placeholders(ExprRequest *request, const ExprParse *parse,
				  ItemRef *placeholders)
{
	const ExprPlaceholder *undefined = NULL;

	for (int i = 0; i < parse->nplaceholders; i++)
	{
		const ExprPlaceholder *placeholder = &parse->placeholders[i];
		bool		is_name = placeholder->text[0] == '#';
		Definition *definition;

		definition = find_definition(is_name ?
									 &request->names : &request->values,
									 placeholder->text, placeholder->len);
		if (definition != NULL)
		{
			definition->used = true;
			placeholders[i] = definition->meaning;
		}
		else if (undefined == NULL ||
				 (parse->kind == EXPR_UPDATE && is_name &&
				  undefined->text[0] == ':'))
			undefined = placeholder;
	}
	if (undefined == NULL)
		return;
	if (undefined->text[0] == '#')
		expr_error(TEXT_EXPR_NAME_UNDEFINED, expr_kind_name(parse->kind),
				   (int) undefined->len, undefined->text);
	expr_error(TEXT_EXPR_VALUE_UNDEFINED, expr_kind_name(parse->kind),
			   (int) undefined->len, undefined->text);
}

/*
 * Makes the expression's own paths, at "paths", with the elements behind
 * them, and sorts the targets anew.
 */
static void
bind_paths(ItemExpr *expr, ItemPath *paths, int *sorted)
{
	const ExprParse *parse = expr->parse;
	ItemPathElement *elements;

	elements = (ItemPathElement *)
		((char *) paths + MAXALIGN(parse->npaths * sizeof(ItemPath)));
	memcpy(elements, parse->elements,
		   parse->nelements * sizeof(ItemPathElement));
	for (int i = 0; i < parse->nfixups; i++)
	{
		const ExprFixup *fixup = &parse->fixups[i];

		elements[fixup->element].name =
			expr->placeholders[fixup->placeholder].data;
		elements[fixup->element].name_len =
			expr->placeholders[fixup->placeholder].len;
	}
	for (int i = 0; i < parse->npaths; i++)
	{
		paths[i].n = parse->paths[i].n;
		paths[i].elements = elements +
			(parse->paths[i].elements - parse->elements);
	}
	expr->paths = paths;

	if (parse->ntargets > 0)
	{
		if (!expr_sort_targets(parse, paths, sorted))
			expr_report_clash(parse, paths);
		expr->sorted = sorted;
	}
}

/*
 * Also converts the key condition, since that needs no schema either but
 * comes after all other complaints about the request's expressions.
 */
void
expr_request_finish(ExprRequest *request)
{
	report_unused(&request->names);
	report_unused(&request->values);
	if (request->key_condition != NULL)
		expr_convert_key_condition(request->key_condition);
}

static void
report_unused(const Definitions *defs)
{
	StringInfoData keys;
	bool		any = false;

	for (int i = 0; i < defs->n; i++)
	{
		const Definition *member = &defs->members[i];

		if (member->used)
			continue;
		if (!any)
			initStringInfo(&keys);
		else
			appendStringInfoString(&keys, ", ");
		appendBinaryStringInfo(&keys, member->key, member->key_len);
		any = true;
	}
	if (any)
		expr_error(TEXT_PLACEHOLDERS_UNUSED, defs->parameter, keys.data);
}
