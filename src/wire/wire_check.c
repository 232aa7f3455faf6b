/*
 * wire_check.c
 *	  Constraints of a request's members.
 *
 * They are checked together over the whole request and reported together, in
 * the model's order.  The service prints the value of a list or map as its
 * language does; here it is "[...]" or "{...}".
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

#define MAX_REPORTED	10

/* Where the check is, from the innermost member outwards. */
typedef struct WirePath
{
	const struct WirePath *parent;
	const char *name;			/* of a member */
	const ApiText *key;			/* of a map's entry */
	int			index;			/* of a list's element, from 1 */
} WirePath;

typedef struct Checker
{
	int			n;
	StringInfoData entries;
} Checker;

static void check_structure(Checker *c, const WireType *type,
							const char *structure, const WirePath *parent);
static bool is_absent(const WireType *type, const void *value);
static void check_value(Checker *c, const WireType *type, const void *value,
						const WirePath *path);
static void check_text(Checker *c, const WireType *type, const ApiText *text,
					   const WirePath *path);
static bool is_name(const ApiText *text);
static void check_word(Checker *c, const WireType *type, const WireWord *word,
					   const WirePath *path);
static void check_int(Checker *c, const WireType *type, int64 value,
					  const WirePath *path);
static void check_list(Checker *c, const WireType *type, const WireList *list,
					   const WirePath *path);
static void check_map(Checker *c, const WireType *type, const WireMap *map,
					  const WirePath *path);
static void report(Checker *c, const WireType *type, const WirePath *path,
				   const char *value, const char *constraint);
static void append_path(StringInfo out, const WirePath *path, bool new_style);

/*
 * ereports what members violate, if any do.
 */
void
wire_check(const WireType *model, const void *request)
{
	Checker		c;

	memset(&c, 0, sizeof(c));
	check_structure(&c, model, request, NULL);
	if (c.n > 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(c.n == 1 ? TEXT_CONSTRAINT_ERROR :
						TEXT_CONSTRAINT_ERRORS, c.n, c.entries.data)));
}

static void
check_structure(Checker *c, const WireType *type, const char *structure,
				const WirePath *parent)
{
	const WireMember *member;

	for (member = type->members; member->name != NULL; member++)
	{
		const void *value = structure + member->offset;
		WirePath	path = {.parent = parent, .name = member->name};

		if (!is_absent(member->type, value))
			check_value(c, member->type, value, &path);
		else if (member->absent != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("%s", member->absent)));
		else if (member->required)
			report(c, member->type, &path, NULL, TEXT_CONSTRAINT_NOT_NULL);
	}
}

static bool
is_absent(const WireType *type, const void *value)
{
	switch (type->kind)
	{
		case WIRE_TEXT:
		case WIRE_TABLE:
			return ((const ApiText *) value)->data == NULL;
		case WIRE_WORD:
			return ((const WireWord *) value)->text.data == NULL;
		case WIRE_BOOL:
			return !((const WireBool *) value)->given;
		case WIRE_INT:
			return !((const WireInt *) value)->given;
		case WIRE_ITEM:
		case WIRE_VALUES:
		case WIRE_VALUE:
			return ((const ItemTyped *) value)->item == NULL;
		case WIRE_NAMES:
		case WIRE_STRUCTURE:
			return *(void *const *) value == NULL;
		case WIRE_LIST:
			return !((const WireList *) value)->given;
		case WIRE_MAP:
			return !((const WireMap *) value)->given;
	}
	return true;
}

static void
check_value(Checker *c, const WireType *type, const void *value,
			const WirePath *path)
{
	switch (type->kind)
	{
		case WIRE_TEXT:
		case WIRE_TABLE:
			check_text(c, type, value, path);
			break;
		case WIRE_WORD:
			check_word(c, type, value, path);
			break;
		case WIRE_INT:
			check_int(c, type, ((const WireInt *) value)->value, path);
			break;
		case WIRE_STRUCTURE:
			check_structure(c, type, *(const char *const *) value, path);
			break;
		case WIRE_LIST:
			check_list(c, type, value, path);
			break;
		case WIRE_MAP:
			check_map(c, type, value, path);
			break;
		case WIRE_BOOL:
		case WIRE_ITEM:
		case WIRE_VALUES:
		case WIRE_VALUE:
		case WIRE_NAMES:
			break;
	}
}

/* Lengths are characters. */
static void
check_text(Checker *c, const WireType *type, const ApiText *text,
		   const WirePath *path)
{
	int			len;

	if (type->max == 0)
		return;
	len = pg_mbstrlen_with_len(text->data, (int) text->len);
	if (len < type->min)
		report(c, type, path, pnstrdup(text->data, text->len),
			   psprintf(TEXT_CONSTRAINT_LENGTH_MIN, type->min));
	if (len > type->max)
		report(c, type, path, pnstrdup(text->data, text->len),
			   psprintf(TEXT_CONSTRAINT_LENGTH_MAX, type->max));
	if (type->is_name && len > 0 && !is_name(text))
		report(c, type, path, pnstrdup(text->data, text->len),
			   TEXT_CONSTRAINT_NAME);
}

static bool
is_name(const ApiText *text)
{
	for (size_t i = 0; i < text->len; i++)
	{
		char		ch = text->data[i];

		if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			  (ch >= '0' && ch <= '9') ||
			  ch == '_' || ch == '.' || ch == '-'))
			return false;
	}
	return true;
}

/* May a table of this name be made by a request? */
bool
wire_is_table_name(const ApiText *text)
{
	return text->len >= LIMIT_TABLE_NAME_MIN &&
		text->len <= LIMIT_TABLE_NAME && is_name(text);
}

static void
check_word(Checker *c, const WireType *type, const WireWord *word,
		   const WirePath *path)
{
	if (word->number < 0)
		report(c, type, path, pnstrdup(word->text.data, word->text.len),
			   psprintf(TEXT_CONSTRAINT_WORD, type->words_text));
}

static void
check_int(Checker *c, const WireType *type, int64 value, const WirePath *path)
{
	if (value < type->min)
		report(c, type, path, psprintf(INT64_FORMAT, value),
			   psprintf(TEXT_CONSTRAINT_VALUE_MIN, type->min));
	if (type->max > 0 && value > type->max)
		report(c, type, path, psprintf(INT64_FORMAT, value),
			   psprintf(TEXT_CONSTRAINT_VALUE_MAX, type->max));
}

static void
check_list(Checker *c, const WireType *type, const WireList *list,
		   const WirePath *path)
{
	size_t		size = wire_decoded_size(type->element);

	if (list->n < type->min)
		report(c, type, path, "[]",
			   psprintf(TEXT_CONSTRAINT_LENGTH_MIN, type->min));
	if (list->n > type->max)
		report(c, type, path, "[...]",
			   psprintf(TEXT_CONSTRAINT_LENGTH_MAX, type->max));
	for (int i = 0; i < Min(list->n, type->max); i++)
	{
		WirePath	inner = {.parent = path, .index = i + 1};

		check_value(c, type->element, (char *) list->elements + i * size,
					&inner);
	}
}

/*
 * Names that must be names are those of tables.  Lists in a map are reported as
 * the map's.
 */
static void
check_map(Checker *c, const WireType *type, const WireMap *map,
		  const WirePath *path)
{
	const WireType *element = type->element;
	size_t		size = wire_decoded_size(element);

	for (int i = 0; i < Min(map->n, type->max); i++)
	{
		WirePath	inner = {.parent = path, .key = &map->names[i]};
		ApiText		table = wire_table_of_name(&map->names[i]);
		void	   *value = (char *) map->values + i * size;

		if (type->is_name &&
			(table.len < 1 || table.len > LIMIT_TABLE_NAME || !is_name(&table)))
			report(c, type, path, "{...}", TEXT_CONSTRAINT_MAP_KEYS);
		if (element->kind == WIRE_LIST &&
			(((WireList *) value)->n < element->min ||
			 ((WireList *) value)->n > element->max))
			report(c, type, path,
				   psprintf("{%.*s=[...]}", (int) inner.key->len,
							inner.key->data),
				   psprintf(TEXT_CONSTRAINT_MAP_LISTS,
							element->max, element->min));
		else
			check_value(c, element, value, &inner);
	}
}

/*
 * One more violation.  value is NULL when there is none.
 */
static void
report(Checker *c, const WireType *type, const WirePath *path,
	   const char *value, const char *constraint)
{
	if (c->n == MAX_REPORTED)
		return;
	if (c->n++ == 0)
		initStringInfo(&c->entries);
	else
		appendStringInfoString(&c->entries, "; ");

	if (value == NULL)
		appendStringInfoString(&c->entries, "Value null at '");
	else if (type->new_style)
		appendStringInfoString(&c->entries, "Value at '");
	else
		appendStringInfo(&c->entries, "Value '%s' at '", value);
	append_path(&c->entries, path, type->new_style && value != NULL);
	appendStringInfo(&c->entries, "' failed to satisfy constraint: %s",
					 constraint);
}

/* The members' names begin with a small letter unless in the new style. */
static void
append_path(StringInfo out, const WirePath *path, bool new_style)
{
	if (path->parent != NULL)
	{
		append_path(out, path->parent, new_style);
		appendStringInfoChar(out, '.');
	}
	if (path->name != NULL)
	{
		appendStringInfoChar(out, new_style ? path->name[0] :
							 pg_tolower((unsigned char) path->name[0]));
		appendStringInfoString(out, path->name + 1);
	}
	else if (path->key != NULL)
		appendStringInfo(out, "%.*s.member",
						 (int) path->key->len, path->key->data);
	else
		appendStringInfo(out, "%d.member", path->index);
}
