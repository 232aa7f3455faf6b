/*
 * wire_tag.c
 *	  TagResource, UntagResource, ListTagsOfResource, and what tags mean.
 *
 * Tags are kept and returned.  Those whose keys begin with "partitioning:"
 * also say what CreateTable has no member for (docs/reference/wire.md); most
 * of them only count when a table or an index is made.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_table.h"

#define OWN_PREFIX			"partitioning:"
#define INDEX_PREFIX		"partitioning:index/"
#define PROPAGATION_SUFFIX	"/propagation"
#define SHARDS_SUFFIX		"write_shards"

#define ARN_START			"arn:aws:dynamodb:"
#define ARN_TABLE			":table/"

extern Datum alter_index(PG_FUNCTION_ARGS);

static ApiText table_of_arn(const ApiText *arn, const char *operation);
static void lock_by_arn(const WireTagRequest *request, const char *operation,
						WireTable *result);
static void check_characters(const ApiText *text);
static void check_own_tag(const WireTag *tag);
static bool is_own(const ApiText *key);
static bool ends_with(const ApiText *text, const char *end);
static bool is_count(const ApiText *text);
static void change_own_tag(const WireTable *table, const WireTag *tag);
static void add_tag(WireMap *tags, const WireTag *tag);
static void remove_tag(WireMap *tags, const ApiText *key);
pg_noreturn static void refuse(const char *text);

void
wire_tag_resource(const void *request, StringInfo response)
{
	const WireTagRequest *tag = request;
	WireTable	table;

	(void) table_of_arn(&tag->arn, "TagResource");
	if (tag->tags.n == 0)
		refuse(TEXT_TAGS_EMPTY);
	wire_check_tags(&tag->tags);
	for (int i = 0; i < tag->tags.n; i++)
		check_own_tag(WIRE_ELEMENT(&tag->tags, WireTag, i));

	lock_by_arn(tag, "TagResource", &table);
	for (int i = 0; i < tag->tags.n; i++)
		change_own_tag(&table, WIRE_ELEMENT(&tag->tags, WireTag, i));
	wire_add_tags(&table.tags, &tag->tags);
	if (table.tags.n > LIMIT_TAGS)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TAGS_COUNT, LIMIT_TAGS)));
	wire_save_settings(&table);
}

void
wire_untag_resource(const void *request, StringInfo response)
{
	const WireTagRequest *untag = request;
	WireTable	table;

	(void) table_of_arn(&untag->arn, "UntagResource");
	if (untag->tag_keys.n == 0)
		refuse(TEXT_TAG_KEYS_EMPTY);

	lock_by_arn(untag, "UntagResource", &table);
	for (int i = 0; i < untag->tag_keys.n; i++)
	{
		const ApiText *key = WIRE_TEXT_ELEMENT(&untag->tag_keys, i);

		if (is_own(key) &&
			wire_find_tag(&table.tags, pnstrdup(key->data, key->len)) != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("tag \"%.*s\" cannot be removed",
							(int) key->len, key->data),
					 errdetail("It says how the table was made.")));
		remove_tag(&table.tags, key);
	}
	wire_save_settings(&table);
}

void
wire_list_tags(const void *request, StringInfo response)
{
	const WireTagRequest *list = request;
	ApiText		name = table_of_arn(&list->arn, "ListTagsOfResource");
	WireTable	table;

	if (!OidIsValid(meta_find_wire_table(name.data, name.len)))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_ARN_NOT_FOUND, (int) list->arn.len,
						list->arn.data)));
	wire_find_table(&name, &table);
	appendStringInfoChar(response, '{');
	wire_append_name(response, "Tags");
	appendStringInfoChar(response, '[');
	for (int i = 0; i < table.tags.n; i++)
	{
		wire_begin_element(response);
		appendStringInfoChar(response, '{');
		wire_append_name(response, "Key");
		wire_append_text(response, &table.tags.names[i]);
		wire_append_name(response, "Value");
		wire_append_text(response, &((ApiText *) table.tags.values)[i]);
		appendStringInfoChar(response, '}');
	}
	appendStringInfoString(response, "]}");
}

/*
 * The table of arn:aws:dynamodb:<region>:<account>:table/<name>.
 */
static ApiText
table_of_arn(const ApiText *arn, const char *operation)
{
	char	   *string = pnstrdup(arn->data, arn->len);
	char	   *account;
	char	   *rest;
	ApiText		name = {0};

	account = strncmp(string, ARN_START, strlen(ARN_START)) == 0 ?
		strchr(string + strlen(ARN_START), ':') : NULL;
	if (account != NULL && account > string + strlen(ARN_START))
	{
		account++;
		rest = account + strspn(account, "0123456789");
		if (rest > account &&
			strncmp(rest, ARN_TABLE, strlen(ARN_TABLE)) == 0)
			name = wire_text(rest + strlen(ARN_TABLE));
	}
	if (name.data == NULL || !wire_is_table_name(&name))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_ARN_INVALID, (int) arn->len, arn->data)));
	if (strncmp(account, WIRE_ACCOUNT ":", strlen(WIRE_ACCOUNT ":")) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg(TEXT_NOT_AUTHORIZED,
						GetUserNameFromId(GetUserId(), false), operation,
						(int) arn->len, arn->data)));
	return name;
}

static void
lock_by_arn(const WireTagRequest *request, const char *operation,
			WireTable *result)
{
	ApiText		name = table_of_arn(&request->arn, operation);

	if (!OidIsValid(meta_find_wire_table(name.data, name.len)))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_ARN_NOT_FOUND, (int) request->arn.len,
						request->arn.data)));
	wire_lock_table(&name, result);
}

/*
 * Tags of a request by themselves: how many, of which characters, each once.
 */
void
wire_check_tags(const WireList *tags)
{
	if (tags->n > LIMIT_TAGS)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TAGS_COUNT, LIMIT_TAGS)));
	for (int i = 0; i < tags->n; i++)
	{
		const WireTag *tag = WIRE_ELEMENT(tags, WireTag, i);

		check_characters(&tag->key);
		check_characters(&tag->value);
		for (int j = 0; j < i; j++)
		{
			if (wire_text_equal(&tag->key,
								&WIRE_ELEMENT(tags, WireTag, j)->key))
				ereport(ERROR,
						(errcode(ERRCODE_ITEM_VALIDATION),
						 errmsg(TEXT_TAG_DUPLICATE, (int) tag->key.len,
								tag->key.data)));
		}
	}
}

/* Whatever is not ASCII passes for a letter. */
static void
check_characters(const ApiText *text)
{
	for (size_t i = 0; i < text->len; i++)
	{
		unsigned char ch = text->data[i];

		if (IS_HIGHBIT_SET(ch) || (ch >= 'a' && ch <= 'z') ||
			(ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
			(ch != '\0' && strchr(" \t\r\n+-=._:/@", ch) != NULL))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TAG_CHARACTERS, (int) text->len, text->data)));
	}
}

/* Our own tags of CreateTable. */
void
wire_check_own_tags(const WireTableRequest *request)
{
	for (int i = 0; i < request->tags.n; i++)
		check_own_tag(WIRE_ELEMENT(&request->tags, WireTag, i));
}

static void
check_own_tag(const WireTag *tag)
{
	const ApiText *key = &tag->key;
	ApiText		shards = wire_text(OWN_PREFIX SHARDS_SUFFIX);
	ApiText		shard_by = wire_text(OWN_PREFIX "shard_by");
	ApiText		method = wire_text(OWN_PREFIX "index_method");
	bool		of_index;

	if (!is_own(key) || wire_text_equal(key, &shard_by) ||
		wire_text_equal(key, &method))
		return;
	of_index = key->len > strlen(INDEX_PREFIX) &&
		memcmp(key->data, INDEX_PREFIX, strlen(INDEX_PREFIX)) == 0;
	if (of_index && ends_with(key, PROPAGATION_SUFFIX))
	{
		ApiText		sync = wire_text("sync");
		ApiText		async = wire_text("async");

		if (wire_text_equal(&tag->value, &sync) ||
			wire_text_equal(&tag->value, &async))
			return;
	}
	else if (wire_text_equal(key, &shards) ||
			 (of_index && ends_with(key, "/" SHARDS_SUFFIX)))
	{
		if (is_count(&tag->value))
			return;
	}
	else
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("unknown tag \"%.*s\"", (int) key->len, key->data),
				 errdetail("Tags that begin with \"%s\" are settings.",
						   OWN_PREFIX)));
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("invalid value of tag \"%.*s\": \"%.*s\"",
					(int) key->len, key->data,
					(int) tag->value.len, tag->value.data)));
}

static bool
is_own(const ApiText *key)
{
	return key->len >= strlen(OWN_PREFIX) &&
		memcmp(key->data, OWN_PREFIX, strlen(OWN_PREFIX)) == 0;
}

static bool
ends_with(const ApiText *text, const char *end)
{
	size_t		len = strlen(end);

	return text->len > len &&
		memcmp(text->data + text->len - len, end, len) == 0;
}

/* A positive number that is certainly an integer of the server's. */
static bool
is_count(const ApiText *text)
{
	return text->len >= 1 && text->len <= 9 && text->data[0] != '0' &&
		strspn(pnstrdup(text->data, text->len), "0123456789") == text->len;
}

/*
 * Does what one of our own tags asks for that a table gets later.  Only
 * propagation can be changed so.
 */
static void
change_own_tag(const WireTable *table, const WireTag *tag)
{
	const ApiText *old;
	char	   *name;

	if (!is_own(&tag->key))
		return;
	old = wire_find_tag(&table->tags,
						pnstrdup(tag->key.data, tag->key.len));
	if (old != NULL && wire_text_equal(old, &tag->value))
		return;
	if (!ends_with(&tag->key, PROPAGATION_SUFFIX))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("tag \"%.*s\" cannot be set on a table that exists",
						(int) tag->key.len, tag->key.data),
				 errhint("Give it to CreateTable.")));
	name = pnstrdup(tag->key.data + strlen(INDEX_PREFIX),
					tag->key.len - strlen(INDEX_PREFIX) -
					strlen(PROPAGATION_SUFFIX));
	if (meta_index_find(table->table, name, strlen(name)) == NULL)
		return;					/* for one that UpdateTable may make */
	DirectFunctionCall3(alter_index,
						CStringGetTextDatum(table->table->table_name),
						CStringGetTextDatum(name),
						PointerGetDatum(cstring_to_text_with_len(tag->value.data,
																 (int) tag->value.len)));
}

/* Adds tags, or replaces the values of those that are there. */
void
wire_add_tags(WireMap *tags, const WireList *added)
{
	for (int i = 0; i < added->n; i++)
		add_tag(tags, WIRE_ELEMENT(added, WireTag, i));
}

static void
add_tag(WireMap *tags, const WireTag *tag)
{
	ApiText    *names = palloc((tags->n + 1) * sizeof(ApiText));
	ApiText    *values = palloc((tags->n + 1) * sizeof(ApiText));

	remove_tag(tags, &tag->key);
	if (tags->n > 0)
	{
		memcpy(names, tags->names, tags->n * sizeof(ApiText));
		memcpy(values, tags->values, tags->n * sizeof(ApiText));
	}
	names[tags->n] = tag->key;
	values[tags->n] = tag->value;
	tags->names = names;
	tags->values = values;
	tags->n++;
}

static void
remove_tag(WireMap *tags, const ApiText *key)
{
	ApiText    *values = tags->values;
	int			n = 0;

	for (int i = 0; i < tags->n; i++)
	{
		if (wire_text_equal(&tags->names[i], key))
			continue;
		tags->names[n] = tags->names[i];
		values[n++] = values[i];
	}
	tags->n = n;
}

/* The value of a tag, or NULL. */
const ApiText *
wire_find_tag(const WireMap *tags, const char *key)
{
	ApiText		text = wire_text(key);

	for (int i = 0; i < tags->n; i++)
	{
		if (wire_text_equal(&tags->names[i], &text))
			return &((const ApiText *) tags->values)[i];
	}
	return NULL;
}

static void
refuse(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("%s", text)));
}
