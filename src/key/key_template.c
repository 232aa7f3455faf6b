/*
 * key_template.c
 *	  Templates: key attributes of indexes that are computed from others.
 *
 * A template is text with attribute names in braces, '{status}#{createdAt}'.
 * Its value is a string; strings enter it as they are, numbers in normal
 * form.  Like an attribute, it may be absent: then nothing of it is computed.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "base/errors.h"
#include "base/limits.h"
#include "key/key.h"

/* Text, or the name of the attribute that stands here. */
typedef struct TemplatePart
{
	bool		is_attribute;
	const char *data;
	uint32		len;
} TemplatePart;

struct KeyTemplate
{
	const char *text;			/* as it was written */
	int			nattributes;
	int			nparts;
	TemplatePart parts[FLEXIBLE_ARRAY_MEMBER];
};

static const char *parse_attribute(const char *text, size_t len,
								   const char *p, TemplatePart *part);
static const char *parse_text(const char *text, size_t len, const char *p,
							  TemplatePart *part);
pg_noreturn static void template_error(const char *text, size_t len,
									   const char *detail);

KeyTemplate *
key_template_parse(const char *text, size_t len)
{
	const char *end = text + len;
	const char *p = text;
	KeyTemplate *template;

	/* every part has one byte at least */
	template = palloc(offsetof(KeyTemplate, parts) +
					  len * sizeof(TemplatePart));
	template->text = pnstrdup(text, len);
	template->nattributes = 0;
	template->nparts = 0;
	while (p < end)
	{
		TemplatePart *part = &template->parts[template->nparts++];

		part->is_attribute = *p == '{' && !(p + 1 < end && p[1] == '{');
		if (part->is_attribute)
		{
			p = parse_attribute(text, len, p, part);
			template->nattributes++;
		}
		else
			p = parse_text(text, len, p, part);
	}
	if (template->nattributes == 0)
		template_error(text, len, "It names no attribute.");
	return template;
}

/* {name}; returns where it ends. */
static const char *
parse_attribute(const char *text, size_t len, const char *p,
				TemplatePart *part)
{
	const char *end = text + len;
	const char *name = p + 1;

	for (p = name; p < end && *p != '}'; p++)
	{
		if (*p == '{')
			template_error(text, len,
						   "There is a brace within an attribute's name.");
	}
	if (p == end)
		template_error(text, len, "A brace is not closed.");
	if (p == name)
		template_error(text, len, "There is no attribute's name in the braces.");
	if (p - name > LIMIT_KEY_ATTRIBUTE_NAME)
		template_error(text, len, "The name of an attribute is too long.");
	part->len = p - name;
	part->data = pnstrdup(name, part->len);
	return p + 1;
}

/* Everything up to an attribute, with doubled braces made single. */
static const char *
parse_text(const char *text, size_t len, const char *p, TemplatePart *part)
{
	const char *end = text + len;
	char	   *out = palloc(end - p + 1);

	part->data = out;
	for (; p < end; p++)
	{
		if (*p == '{' || *p == '}')
		{
			bool		doubled = p + 1 < end && p[1] == *p;

			if (!doubled && *p == '{')
				break;
			if (!doubled)
				template_error(text, len,
							   "A closing brace has no opening one.");
			p++;
		}
		*out++ = *p;
	}
	part->len = out - part->data;
	return p;
}

static void
template_error(const char *text, size_t len, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid template \"%.*s\"", (int) len, text),
			 errdetail_internal("%s", detail),
			 errhint("Write attribute names in braces, for example '{status}#{createdAt}', and a brace itself doubled.")));
}

bool
key_template_apply(const KeyTemplate *template, const ItemRow *row,
				   ItemRef *value)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < template->nparts; i++)
	{
		const TemplatePart *part = &template->parts[i];
		ItemRef		found;

		if (!part->is_attribute)
		{
			appendBinaryStringInfo(&out, part->data, part->len);
			continue;
		}
		if (!item_row_find(row, part->data, part->len, &found) ||
			(found.type != ITEM_S && found.type != ITEM_N))
		{
			pfree(out.data);
			return false;
		}
		if (found.type == ITEM_N)
		{
			char		number[ITEM_NUMBER_MAX_TEXT];

			appendBinaryStringInfo(&out, number,
								   item_number_print(found, number));
		}
		else
			appendBinaryStringInfo(&out, found.data, found.len);
	}
	value->type = ITEM_S;
	value->data = out.data;
	value->len = out.len;
	return true;
}

const char *
key_template_text(const KeyTemplate *template)
{
	return template->text;
}

int
key_template_count(const KeyTemplate *template)
{
	return template->nattributes;
}

/* Name of the i-th attribute, from 0. */
void
key_template_attribute(const KeyTemplate *template, int i,
					   const char **name, uint32 *name_len)
{
	for (int part = 0; part < template->nparts; part++)
	{
		if (!template->parts[part].is_attribute || i-- > 0)
			continue;
		*name = template->parts[part].data;
		*name_len = template->parts[part].len;
		return;
	}
	elog(ERROR, "template has no such attribute");
}
