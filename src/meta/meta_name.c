/*
 * meta_name.c
 *	  What a table_name argument means.
 *
 * Every item function starts here, so the common case is one look at a small
 * direct-mapped table.  An entry holds while no item table, no schema and no
 * row of partitioning.tables has changed, and the effective search path and
 * partitioning.wire_schema are those it was found with.  (The effective path
 * follows role, schema privileges and SET; the server keeps it up to date and
 * hands it out for little.)  Names that mean nothing are not remembered.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "common/cryptohash.h"
#include "common/hashfn.h"
#include "common/sha2.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/guc.h"
#include "base/service_text.h"
#include "meta/meta_private.h"

#define NAME_SLOTS			128 /* a power of 2 */
#define NAME_MAX_LEN		120 /* longer arguments are looked up each time */
#define NAME_MAX_PATH		16	/* so are those under a longer search path */
#define NAME_SUGGESTIONS	3

/* Bytes of a long name's beginning, and of its digest, in a relation's name. */
#define LONG_NAME_DIGEST	8
#define LONG_NAME_KEPT		(NAMEDATALEN - 1 - 1 - 2 * LONG_NAME_DIGEST)

typedef struct NameSlot
{
	uint64		generation;
	Oid			relid;
	uint32		len;
	char		name[NAME_MAX_LEN];
} NameSlot;

/* One close name, for the hint. */
typedef struct Suggestion
{
	int			distance;
	const char *name;
} Suggestion;

static NameSlot *slots = NULL;
static uint64 slots_generation = 0;

/* What the slots were found with. */
static Oid	slots_user = InvalidOid;
static int	slots_path_len = -1;
static Oid	slots_path[NAME_MAX_PATH];
static char slots_wire_schema[NAMEDATALEN];

static bool is_service_name(const char *relation_name, const char *name,
							size_t len);
static bool slots_usable(void);
static Oid	look_up(const char *name);
static Oid	look_up_exact(const char *name);
static Oid	look_up_in_wire_schema(const char *name);
static Oid	look_up_in_schema(Oid schema, const char *name);
static Oid	look_up_qualified(const char *name, Oid *other_relation);
pg_noreturn static void not_found(const char *name, Oid other_relation);
static char *suggestions(const char *name);
static void suggest(Suggestion *best, const char *name, const MetaRow *row);
static bool is_usable(const char *schema_name);

Oid
meta_resolve_table(const char *table_name, size_t len)
{
	NameSlot   *slot;
	bool		usable = slots_usable() && len <= NAME_MAX_LEN;
	uint64		start;
	char	   *name;
	Oid			relid;

	slot = &slots[hash_bytes((const unsigned char *) table_name, (int) len) &
				  (NAME_SLOTS - 1)];
	if (likely(usable && slot->generation == slots_generation &&
			   slot->len == len && memcmp(slot->name, table_name, len) == 0))
		return slot->relid;

	if (memchr(table_name, '\0', len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_RESOURCE_NOT_FOUND),
				 errdetail("The name of a table cannot contain the character U+0000.")));
	name = pnstrdup(table_name, len);
	do
	{
		start = meta_name_generation();
		relid = look_up(name);
	} while (start != meta_name_generation());
	pfree(name);

	if (slots_usable() && len <= NAME_MAX_LEN)
	{
		memcpy(slot->name, table_name, len);
		slot->len = (uint32) len;
		slot->relid = relid;
		slot->generation = slots_generation;
	}
	return relid;
}

Oid
meta_find_table(const char *table_name, size_t len)
{
	char	   *name = pnstrdup(table_name, len);
	Oid			relid = look_up_exact(name);

	pfree(name);
	return relid;
}

Oid
meta_resolve_wire_table(const char *table_name, size_t len)
{
	Oid			relid = meta_find_wire_table(table_name, len);

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_RESOURCE_NOT_FOUND),
				 errdetail("There is no item table \"%.*s\" in schema \"%s\".",
						   (int) len, table_name, guc_wire_schema),
				 errhint("Requests name tables of schema \"%s\" exactly; partitioning.wire_schema chooses the schema.",
						 guc_wire_schema)));
	return relid;
}

Oid
meta_find_wire_table(const char *table_name, size_t len)
{
	char		name[NAMEDATALEN];
	Oid			relid = InvalidOid;

	if (memchr(table_name, '\0', len) == NULL)
	{
		meta_wire_relation_name(table_name, len, name);
		relid = look_up_in_wire_schema(name);
	}
	if (OidIsValid(relid) && len >= NAMEDATALEN &&
		!is_service_name(name, table_name, len))
		relid = InvalidOid;
	return relid;
}

/*
 * The relation of a table that requests call so.  A name that is too long for
 * a relation is cut, and goes on with "~", which no such name has, and 16
 * hexadecimal digits: the first 8 bytes of the SHA-256 of the whole name.
 */
void
meta_wire_relation_name(const char *table_name, size_t len, char *result)
{
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	pg_cryptohash_ctx *context;
	char	   *p;

	if (len < NAMEDATALEN)
	{
		memcpy(result, table_name, len);
		result[len] = '\0';
		return;
	}
	context = pg_cryptohash_create(PG_SHA256);
	if (pg_cryptohash_init(context) < 0 ||
		pg_cryptohash_update(context, (const uint8 *) table_name, len) < 0 ||
		pg_cryptohash_final(context, digest, sizeof(digest)) < 0)
		elog(ERROR, "could not compute SHA-256 of a table name: %s",
			 pg_cryptohash_error(context));
	pg_cryptohash_free(context);

	memcpy(result, table_name, LONG_NAME_KEPT);
	p = result + LONG_NAME_KEPT;
	*p++ = '~';
	p += hex_encode((const char *) digest, LONG_NAME_DIGEST, p);
	*p = '\0';
}

/* Has the relation of a long name been made for that name? */
static bool
is_service_name(const char *relation_name, const char *name, size_t len)
{
	MetaSettings settings;

	meta_settings_read(guc_wire_schema, relation_name, &settings);
	return settings.service_name != NULL &&
		strlen(settings.service_name) == len &&
		memcmp(settings.service_name, name, len) == 0;
}

/*
 * Whether slots may be read and filled; empties them when they were filled
 * under other circumstances.  Emptying is a new generation.
 */
static bool
slots_usable(void)
{
	static uint64 name_generation = 0;
	Oid			path[NAME_MAX_PATH];
	int			path_len = fetch_search_path_array(path, NAME_MAX_PATH);

	if (likely(name_generation == meta_name_generation() &&
			   slots_user == GetUserId() &&
			   slots_path_len == path_len && path_len <= NAME_MAX_PATH &&
			   memcmp(slots_path, path, path_len * sizeof(Oid)) == 0 &&
			   strcmp(slots_wire_schema, guc_wire_schema) == 0))
		return true;

	if (slots == NULL)
		slots = MemoryContextAllocZero(TopMemoryContext,
									   NAME_SLOTS * sizeof(NameSlot));
	slots_path_len = -1;
	if (path_len > NAME_MAX_PATH || strlen(guc_wire_schema) >= NAMEDATALEN)
		return false;
	slots_generation++;
	name_generation = meta_name_generation();
	slots_user = GetUserId();
	slots_path_len = path_len;
	memcpy(slots_path, path, path_len * sizeof(Oid));
	strcpy(slots_wire_schema, guc_wire_schema);
	return true;
}

static Oid
look_up(const char *name)
{
	Oid			other_relation = InvalidOid;
	Oid			relid = look_up_exact(name);

	if (!OidIsValid(relid))
		relid = look_up_qualified(name, &other_relation);
	if (!OidIsValid(relid) && !OidIsValid(other_relation) &&
		strlen(name) < NAMEDATALEN)
		other_relation = RelnameGetRelid(name);
	if (!OidIsValid(relid))
		not_found(name, other_relation);
	return relid;
}

/* The exact name, in the wire schema and then along the search path. */
static Oid
look_up_exact(const char *name)
{
	List	   *path;
	Oid			relid;
	ListCell   *lc;

	if (strlen(name) >= NAMEDATALEN)
		return InvalidOid;

	relid = look_up_in_wire_schema(name);
	path = fetch_search_path(true);
	foreach(lc, path)
	{
		if (OidIsValid(relid))
			break;
		relid = look_up_in_schema(lfirst_oid(lc), name);
	}
	list_free(path);
	return relid;
}

static Oid
look_up_in_wire_schema(const char *name)
{
	Oid			schema = get_namespace_oid(guc_wire_schema, true);

	if (!OidIsValid(schema) ||
		compat_schema_aclcheck(schema, ACL_USAGE) != ACLCHECK_OK)
		return InvalidOid;
	return look_up_in_schema(schema, name);
}

static Oid
look_up_in_schema(Oid schema, const char *name)
{
	Oid			relid = get_relname_relid(name, schema);

	if (OidIsValid(relid) && meta_table_if_any(relid) == NULL)
		relid = InvalidOid;
	return relid;
}

/*
 * The name in the syntax of regclass.  *other_relation is a relation of that
 * name that is no item table.
 */
static Oid
look_up_qualified(const char *name, Oid *other_relation)
{
	char	   *copy = pstrdup(name);
	List	   *names;
	Oid			relid = InvalidOid;

	if (SplitIdentifierString(copy, '.', &names) &&
		names != NIL && list_length(names) <= 2)
	{
		RangeVar   *relation;

		if (list_length(names) == 2)
			relation = makeRangeVar(linitial(names), lsecond(names), -1);
		else
			relation = makeRangeVar(NULL, linitial(names), -1);
		relid = RangeVarGetRelid(relation, NoLock, true);
	}
	pfree(copy);

	if (OidIsValid(relid) && meta_table_if_any(relid) == NULL)
	{
		*other_relation = relid;
		relid = InvalidOid;
	}
	return relid;
}

static void
not_found(const char *name, Oid other_relation)
{
	char	   *names;

	if (OidIsValid(other_relation))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_RESOURCE_NOT_FOUND),
				 errdetail("Relation \"%s\" is not an item table.", name),
				 errhint("partitioning.register_table() makes an item table of a table of the right shape.")));

	names = suggestions(name);
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
			 errmsg(TEXT_RESOURCE_NOT_FOUND),
			 errdetail("There is no item table \"%s\" in schema \"%s\" or in the search_path.",
					   name, guc_wire_schema),
			 names != NULL ?
			 errhint("Item tables of similar name: %s.", names) :
			 errhint("partitioning.create_table() makes an item table.")));
}

/* The nearest names of item tables in schemas that the caller may use. */
static char *
suggestions(const char *name)
{
	Suggestion	best[NAME_SUGGESTIONS] = {{0}};
	StringInfoData result;
	ListCell   *lc;

	foreach(lc, meta_rows_all())
	{
		const MetaRow *row = lfirst(lc);

		if (is_usable(row->schema_name))
			suggest(best, name, row);
	}
	if (best[0].name == NULL)
		return NULL;

	initStringInfo(&result);
	for (int i = 0; i < NAME_SUGGESTIONS && best[i].name != NULL; i++)
		appendStringInfo(&result, "%s%s", i > 0 ? ", " : "", best[i].name);
	return result.data;
}

/*
 * Puts a table in its place among the best if its name, alone or with its
 * schema, is close enough.  What is suggested can be used as it stands: the
 * bare name where the path finds it, else the qualified one.
 */
static void
suggest(Suggestion *best, const char *name, const MetaRow *row)
{
	int			len = strlen(name);
	int			limit = Max(2, pg_mbstrlen(name) / 3);
	char	   *full;
	Oid			schema = get_namespace_oid(row->schema_name, true);
	Oid			relid = get_relname_relid(row->table_name, schema);
	bool		visible;
	int			distance;

	if (!OidIsValid(relid))
		return;
	full = psprintf("%s.%s", quote_identifier(row->schema_name),
					quote_identifier(row->table_name));
	visible = strlen(row->table_name) < NAMEDATALEN &&
		look_up_exact(row->table_name) == relid;

	distance = varstr_levenshtein_less_equal(name, len, row->table_name,
											 strlen(row->table_name),
											 1, 1, 1, limit, true);
	distance = Min(distance,
				   varstr_levenshtein_less_equal(name, len, full, strlen(full),
												 1, 1, 1, limit, true));
	if (distance > limit)
		return;

	for (int i = 0; i < NAME_SUGGESTIONS; i++)
	{
		if (best[i].name != NULL && best[i].distance <= distance)
			continue;
		memmove(&best[i + 1], &best[i],
				(NAME_SUGGESTIONS - 1 - i) * sizeof(Suggestion));
		best[i].distance = distance;
		best[i].name = visible ? psprintf("\"%s\"", row->table_name) : full;
		return;
	}
}

static bool
is_usable(const char *schema_name)
{
	Oid			schema = get_namespace_oid(schema_name, true);

	return OidIsValid(schema) &&
		compat_schema_aclcheck(schema, ACL_USAGE) == ACLCHECK_OK;
}
