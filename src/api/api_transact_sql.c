/*
 * api_transact_sql.c
 *	  The SQL functions of transactions and batches: arguments into requests.
 *
 * An action is an item of one member that says what is done, to a map with
 * the same members as the arguments of the single operation:
 *
 *		{"put": {"table": "app", "item": {...}, "condition": "..."}}
 *
 * A member that is null is as good as absent.  A member that no action has is
 * an error, since a condition that is misspelt must not get lost.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "api/api.h"
#include "base/compat.h"
#include "base/errors.h"
#include "item/item.h"

PG_FUNCTION_INFO_V1(transact_write);
PG_FUNCTION_INFO_V1(transact_get);
PG_FUNCTION_INFO_V1(batch_get);
PG_FUNCTION_INFO_V1(batch_write);

/* What an action or get may have. */
typedef enum Member
{
	MEMBER_TABLE,
	MEMBER_ITEM,
	MEMBER_KEY,
	MEMBER_UPDATE,
	MEMBER_PROJECTION,
	MEMBER_CONDITION,
	MEMBER_VALUES,
	MEMBER_NAMES,
	MEMBER_RETURN_OLD
} Member;

#define MEMBERS		(MEMBER_RETURN_OLD + 1)

typedef struct MemberKind
{
	const char *name;
	ItemType	type;
	const char *type_word;		/* for the message */
} MemberKind;

/* In the order of Member, which is that of the hint. */
static const MemberKind member_kinds[MEMBERS] = {
	{"table", ITEM_S, "a string"},
	{"item", ITEM_M, "a map"},
	{"key", ITEM_M, "a map"},
	{"update", ITEM_S, "a string"},
	{"projection", ITEM_S, "a string"},
	{"condition", ITEM_S, "a string"},
	{"values", ITEM_M, "a map"},
	{"names", ITEM_M, "a map"},
	{"return_old", ITEM_BOOL, "a boolean"},
};

#define HAS(member)	(1 << MEMBER_##member)
#define HAS_ALWAYS	(HAS(TABLE) | HAS(CONDITION) | HAS(VALUES) | HAS(NAMES) | \
					 HAS(RETURN_OLD))

/* The kinds of action, and the members that each may have. */
typedef struct ActionName
{
	const char *name;
	ApiActionKind kind;
	int			members;		/* a set of HAS() */
} ActionName;

static const ActionName action_names[] = {
	{"put", API_ACTION_PUT, HAS_ALWAYS | HAS(ITEM)},
	{"update", API_ACTION_UPDATE, HAS_ALWAYS | HAS(KEY) | HAS(UPDATE)},
	{"delete", API_ACTION_DELETE, HAS_ALWAYS | HAS(KEY)},
	{"check", API_ACTION_CHECK, HAS_ALWAYS | HAS(KEY)},
};

/* One entry of an array of actions or gets. */
typedef struct Entry
{
	int			position;		/* from 1 */
	const char *name;			/* "put", ..., "get" */
	ItemRef		members[MEMBERS];	/* data is NULL: absent, or null */
} Entry;

static const ItemData **item_array(FunctionCallInfo fcinfo, int arg,
								   const char *name, int *n);
static void require_text(FunctionCallInfo fcinfo, int arg, const char *name,
						 ApiText *value);
static void action_of_item(const ItemData *item, int position,
						   ApiAction *action);
static void get_of_item(const ItemData *item, int position, ApiGet *get);
static ItemRef only_member(const ItemData *item, int position,
						   const char **name, uint32 *name_len,
						   const char *expected);
static void read_members(Entry *entry, ItemRef body, int allowed);
static Member find_member(const char *name, uint32 len);
pg_noreturn static void unknown_member(const Entry *entry, const char *name,
									   int allowed);
static bool has_member(const Entry *entry, Member member);
static void text_member(const Entry *entry, Member member, ApiText *value);
static const ItemData *map_member(const Entry *entry, Member member);
static Jsonb *names_of(const Entry *entry);
pg_noreturn static void missing_member(const Entry *entry, Member member);
static void put_into_store(ItemData *item, void *arg);

/*
 * transact_write(actions item[], client_token text)
 */
Datum
transact_write(PG_FUNCTION_ARGS)
{
	ApiTransactWrite request = {0};
	ApiTransactResult result;
	const ItemData **items;
	ApiAction  *actions;

	items = item_array(fcinfo, 0, "actions", &request.n);
	actions = palloc0(Max(request.n, 1) * sizeof(ApiAction));
	for (int i = 0; i < request.n; i++)
		action_of_item(items[i], i + 1, &actions[i]);
	request.actions = actions;
	if (!PG_ARGISNULL(1))
		require_text(fcinfo, 1, "client_token", &request.client_token);
	api_transact_write(&request, &result);
	PG_RETURN_VOID();
}

/*
 * transact_get(gets item[]) -> item[]
 */
Datum
transact_get(PG_FUNCTION_ARGS)
{
	ApiTransactGet request = {0};
	ApiTransactGetResult result;
	const ItemData **items;
	ApiGet	   *gets;
	Datum	   *elements;
	bool	   *nulls;
	int			lower_bound = 1;
	Oid			type = get_element_type(get_fn_expr_argtype(fcinfo->flinfo, 0));
	int16		typlen;
	bool		typbyval;
	char		typalign;

	items = item_array(fcinfo, 0, "gets", &request.n);
	gets = palloc0(Max(request.n, 1) * sizeof(ApiGet));
	for (int i = 0; i < request.n; i++)
		get_of_item(items[i], i + 1, &gets[i]);
	request.gets = gets;
	api_transact_get(&request, &result);

	elements = palloc(request.n * sizeof(Datum));
	nulls = palloc(request.n * sizeof(bool));
	for (int i = 0; i < request.n; i++)
	{
		elements[i] = PointerGetDatum(result.items[i]);
		nulls[i] = result.items[i] == NULL;
	}
	get_typlenbyvalalign(type, &typlen, &typbyval, &typalign);
	PG_RETURN_ARRAYTYPE_P(construct_md_array(elements, nulls, 1, &request.n,
											 &lower_bound, type, typlen,
											 typbyval, typalign));
}

/*
 * batch_get(table_name text, keys item[]) -> SETOF item
 */
Datum
batch_get(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	ApiText		table_name;
	const ItemData **keys;
	int			n;

	require_text(fcinfo, 0, "table_name", &table_name);
	keys = item_array(fcinfo, 1, "keys", &n);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	api_batch_get_each(&table_name, keys, n, put_into_store, rsinfo);
	return (Datum) 0;
}

static void
put_into_store(ItemData *item, void *arg)
{
	ReturnSetInfo *rsinfo = arg;
	Datum		value = PointerGetDatum(item);
	bool		isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
	pfree(item);
}

/*
 * batch_write(table_name text, puts item[], deletes item[])
 */
Datum
batch_write(PG_FUNCTION_ARGS)
{
	ApiText		table_name;
	const ItemData **puts;
	const ItemData **deletes;
	int			nputs;
	int			ndeletes;
	ApiBatchRequest *requests;

	require_text(fcinfo, 0, "table_name", &table_name);
	puts = item_array(fcinfo, 1, "puts", &nputs);
	deletes = item_array(fcinfo, 2, "deletes", &ndeletes);
	requests = MemoryContextAllocHuge(CurrentMemoryContext,
									  ((Size) nputs + ndeletes + 1) *
									  sizeof(ApiBatchRequest));
	for (int i = 0; i < nputs + ndeletes; i++)
	{
		memset(&requests[i], 0, sizeof(requests[i]));
		requests[i].is_delete = i >= nputs;
		requests[i].item = i < nputs ? puts[i] : deletes[i - nputs];
	}
	api_batch_write_all(&table_name, requests, nputs + ndeletes);
	PG_RETURN_VOID();
}

/*
 * Elements of an array argument, none of which may be NULL.
 */
static const ItemData **
item_array(FunctionCallInfo fcinfo, int arg, const char *name, int *n)
{
	ArrayType  *array;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *elements;
	bool	   *nulls;
	const ItemData **items;

	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
	array = PG_GETARG_ARRAYTYPE_P(arg);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &elements, &nulls, n);
	items = palloc(Max(*n, 1) * sizeof(ItemData *));
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("element %d of argument \"%s\" must not be null",
							i + 1, name)));
		items[i] = DatumGetItemP(elements[i]);
	}
	return items;
}

static void
require_text(FunctionCallInfo fcinfo, int arg, const char *name,
			 ApiText *value)
{
	text	   *datum;

	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
	datum = PG_GETARG_TEXT_PP(arg);
	value->data = VARDATA_ANY(datum);
	value->len = VARSIZE_ANY_EXHDR(datum);
	value->exact = false;
}

static void
action_of_item(const ItemData *item, int position, ApiAction *action)
{
	const char *name;
	uint32		name_len;
	Entry		entry = {.position = position};
	const ActionName *known = NULL;
	ItemRef		body;
	Member		key;

	body = only_member(item, position, &name, &name_len,
					   "\"put\", \"update\", \"delete\" or \"check\"");
	for (size_t i = 0; i < lengthof(action_names); i++)
	{
		if (strlen(action_names[i].name) == name_len &&
			memcmp(action_names[i].name, name, name_len) == 0)
			known = &action_names[i];
	}
	if (known == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("unknown action \"%s\" in action %d",
						pnstrdup(name, name_len), position),
				 errhint("Actions are \"put\", \"update\", \"delete\" and \"check\".")));

	entry.name = known->name;
	read_members(&entry, body, known->members);
	action->kind = known->kind;
	text_member(&entry, MEMBER_TABLE, &action->table_name);
	if (action->table_name.data == NULL)
		missing_member(&entry, MEMBER_TABLE);
	key = known->kind == API_ACTION_PUT ? MEMBER_ITEM : MEMBER_KEY;
	action->item = map_member(&entry, key);
	if (action->item == NULL)
		missing_member(&entry, key);
	text_member(&entry, MEMBER_UPDATE, &action->update);
	if (known->kind == API_ACTION_UPDATE && action->update.data == NULL)
		missing_member(&entry, MEMBER_UPDATE);
	text_member(&entry, MEMBER_CONDITION, &action->condition);
	if (known->kind == API_ACTION_CHECK && action->condition.data == NULL)
		missing_member(&entry, MEMBER_CONDITION);
	action->values = map_member(&entry, MEMBER_VALUES);
	action->names = names_of(&entry);
	if (has_member(&entry, MEMBER_RETURN_OLD))
		action->return_old = item_ref_bool(entry.members[MEMBER_RETURN_OLD]);
}

static void
get_of_item(const ItemData *item, int position, ApiGet *get)
{
	const char *name;
	uint32		name_len;
	Entry		entry = {.position = position,.name = "get"};
	ItemRef		body;

	body = only_member(item, position, &name, &name_len, "\"get\"");
	if (name_len != 3 || memcmp(name, "get", 3) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("unknown action \"%s\" in action %d",
						pnstrdup(name, name_len), position),
				 errhint("The only action that reads is \"get\".")));
	read_members(&entry, body,
				 HAS(TABLE) | HAS(KEY) | HAS(PROJECTION) | HAS(NAMES));
	text_member(&entry, MEMBER_TABLE, &get->table_name);
	if (get->table_name.data == NULL)
		missing_member(&entry, MEMBER_TABLE);
	get->key = map_member(&entry, MEMBER_KEY);
	if (get->key == NULL)
		missing_member(&entry, MEMBER_KEY);
	text_member(&entry, MEMBER_PROJECTION, &get->projection);
	get->names = names_of(&entry);
}

/*
 * The map under the one member of an action.
 */
static ItemRef
only_member(const ItemData *item, int position, const char **name,
			uint32 *name_len, const char *expected)
{
	ItemRef		root = item_root(item);
	ItemRef		body = {0};

	if (root.type == ITEM_M && item_map_count(root) == 1)
		body = item_map_member(root, 0, name, name_len);
	if (body.data == NULL || body.type != ITEM_M)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("action %d must be a map whose one member is a map",
						position),
				 errhint("The member is named %s.", expected)));
	return body;
}

/*
 * Takes an action's map apart.
 */
static void
read_members(Entry *entry, ItemRef body, int allowed)
{
	int			n = item_map_count(body);

	for (int i = 0; i < n; i++)
	{
		const char *name;
		uint32		len;
		ItemRef		value = item_map_member(body, i, &name, &len);
		Member		member = find_member(name, len);

		if (member == MEMBERS || (allowed & (1 << member)) == 0)
			unknown_member(entry, pnstrdup(name, len), allowed);
		if (value.type != ITEM_NULL)
			entry->members[member] = value;
	}
}

/*
 * Member of this name, or MEMBERS.
 */
static Member
find_member(const char *name, uint32 len)
{
	int			i;

	for (i = 0; i < MEMBERS; i++)
	{
		const char *known = member_kinds[i].name;

		if (known[0] == name[0] && strlen(known) == len &&
			memcmp(known, name, len) == 0)
			break;
	}
	return (Member) i;
}

static void
unknown_member(const Entry *entry, const char *name, int allowed)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < MEMBERS; i++)
	{
		if ((allowed & (1 << i)) != 0)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 member_kinds[i].name);
	}
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("unknown member \"%s\" of \"%s\" in action %d",
					name, entry->name, entry->position),
			 errhint("Its members are: %s.", list.data)));
}

/*
 * Is there a member?  Then it must be of its type.
 */
static bool
has_member(const Entry *entry, Member member)
{
	const MemberKind *kind = &member_kinds[member];

	if (entry->members[member].data == NULL)
		return false;
	if (entry->members[member].type != kind->type)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg("member \"%s\" of \"%s\" in action %d must be %s",
						kind->name, entry->name, entry->position,
						kind->type_word)));
	return true;
}

static void
text_member(const Entry *entry, Member member, ApiText *value)
{
	if (!has_member(entry, member))
		return;
	value->data = entry->members[member].data;
	value->len = entry->members[member].len;
}

static const ItemData *
map_member(const Entry *entry, Member member)
{
	return has_member(entry, member) ?
		item_from_ref(entry->members[member]) : NULL;
}

/*
 * Names of attributes, as the jsonb that the single operations take.
 */
static Jsonb *
names_of(const Entry *entry)
{
	ItemRef		map;
	JsonbParseState *state = NULL;
	JsonbValue *result;

	if (!has_member(entry, MEMBER_NAMES))
		return NULL;
	map = entry->members[MEMBER_NAMES];
	(void) pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (int i = 0; i < item_map_count(map); i++)
	{
		const char *name;
		uint32		len;
		ItemRef		value = item_map_member(map, i, &name, &len);
		JsonbValue	part = {.type = jbvString};

		if (value.type != ITEM_S)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg("member \"%s\" of \"%s\" in action %d must be %s",
							"names", entry->name, entry->position,
							"a map of strings")));
		part.val.string.val = unconstify(char *, name);
		part.val.string.len = len;
		(void) pushJsonbValue(&state, WJB_KEY, &part);
		part.val.string.val = unconstify(char *, value.data);
		part.val.string.len = value.len;
		(void) pushJsonbValue(&state, WJB_VALUE, &part);
	}
	result = pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	return JsonbValueToJsonb(result);
}

static void
missing_member(const Entry *entry, Member member)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg("\"%s\" in action %d needs a member \"%s\"",
					entry->name, entry->position, member_kinds[member].name)));
}
