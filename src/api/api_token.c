/*
 * api_token.c
 *	  Client request tokens: a transaction that is sent again is not run again.
 *
 * A token is remembered per role in partitioning.transaction_tokens, by the
 * transaction that it belongs to, so both commit or neither does.  While that
 * transaction runs it holds a lock on the token, and others with the same one
 * wait; afterwards they find the row.  What a token means is told by a
 * fingerprint of the request as decoded: items are canonical, so neither the
 * order of attributes nor the spelling of a number matters.
 *
 * Rows live for ten minutes.  Later calls remove a few old ones now and then,
 * passing over what another transaction has in hand; nothing waits for that.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "common/cryptohash.h"
#include "common/hashfn.h"
#include "common/sha2.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "api/api_private.h"
#include "base/compat.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"

#define TOKENS_TABLE		"transaction_tokens"
#define TOKENS_KEY			"transaction_tokens_pkey"
#define TOKENS_BY_TIME		"transaction_tokens_finished_at"

/* Columns. */
#define TOKEN_ROLE			1
#define TOKEN_NAME			2
#define TOKEN_FINGERPRINT	3
#define TOKEN_FINISHED_AT	4
#define TOKEN_COLUMNS		4

/* One call in so many removes up to so many old rows. */
#define CLEAN_INTERVAL		8
#define CLEAN_ROWS			32

struct ApiToken
{
	Oid			role;
	text	   *name;
	bytea	   *fingerprint;
};

static void check_length(const ApiText *name);
static bytea *fingerprint(const ApiTransactWrite *request);
static void digest_action(pg_cryptohash_ctx *hash, const ApiAction *action);
static void digest(pg_cryptohash_ctx *hash, const void *data, size_t len);
static void digest_text(pg_cryptohash_ctx *hash, const ApiText *value);
static void digest_item(pg_cryptohash_ctx *hash, const ItemData *item);
static bool look_up(const ApiToken *token, StoreWait *wait);
static Relation open_tokens(void);
static Oid	token_index(const char *name);
static bool find_token(const ApiToken *token, StoreWait *wait);
static void remove_token(Relation rel, ItemPointer tid, StoreWait *wait);
static void remove_expired(Relation rel);
static TimestampTz expiry(void);

/*
 * Locks a token and looks it up.  Sets *repeated if its transaction has been
 * run; complains if it belongs to another request or is still in use.
 */
ApiToken *
api_token_begin(const ApiTransactWrite *request, StoreWait *wait,
				bool *repeated)
{
	ApiToken   *token = palloc(sizeof(ApiToken));
	const ApiText *name = &request->client_token;

	check_length(name);
	token->role = GetUserId();
	token->name = cstring_to_text_with_len(name->data, name->len);
	token->fingerprint = fingerprint(request);
	*repeated = look_up(token, wait);
	return token;
}

/*
 * Remembers that the token's transaction has been run.
 */
void
api_token_finish(ApiToken *token)
{
	static unsigned int calls = 0;
	Relation	rel = open_tokens();
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS] = {false};
	HeapTuple	tuple;

	values[TOKEN_ROLE - 1] = ObjectIdGetDatum(token->role);
	values[TOKEN_NAME - 1] = PointerGetDatum(token->name);
	values[TOKEN_FINGERPRINT - 1] = PointerGetDatum(token->fingerprint);
	values[TOKEN_FINISHED_AT - 1] =
		TimestampTzGetDatum(GetCurrentTimestamp());
	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);
	CatalogTupleInsert(rel, tuple);
	if (calls++ % CLEAN_INTERVAL == 0)
		remove_expired(rel);
	table_close(rel, NoLock);
}

static void
check_length(const ApiText *name)
{
	int			characters = pg_mbstrlen_with_len(name->data, name->len);

	if (characters < 1)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TOKEN_SHORT)));
	if (characters > LIMIT_CLIENT_TOKEN)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TOKEN_LONG,
						pnstrdup(name->data, name->len))));
}

/*
 * SHA-256 of all that makes the request what it is.
 */
static bytea *
fingerprint(const ApiTransactWrite *request)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
	bytea	   *result = palloc(VARHDRSZ + PG_SHA256_DIGEST_LENGTH);

	SET_VARSIZE(result, VARHDRSZ + PG_SHA256_DIGEST_LENGTH);
	if (pg_cryptohash_init(hash) < 0)
		elog(ERROR, "could not begin SHA-256: %s", pg_cryptohash_error(hash));
	digest(hash, &request->collection_metrics, sizeof(bool));
	for (int i = 0; i < request->n; i++)
		digest_action(hash, &request->actions[i]);
	if (pg_cryptohash_final(hash, (uint8 *) VARDATA(result),
							PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not end SHA-256: %s", pg_cryptohash_error(hash));
	pg_cryptohash_free(hash);
	return result;
}

static void
digest_action(pg_cryptohash_ctx *hash, const ApiAction *action)
{
	uint8		head[2] = {(uint8) action->kind, action->return_old};

	digest(hash, head, sizeof(head));
	digest_text(hash, &action->table_name);
	digest_item(hash, action->item);
	digest_text(hash, &action->update);
	digest_text(hash, &action->condition);
	digest_item(hash, action->values);
	if (action->names == NULL)
		digest(hash, NULL, 0);
	else
		digest(hash, VARDATA(action->names), VARSIZE(action->names) - VARHDRSZ);
}

/* A part with its length, so that no two lists of parts look alike. */
static void
digest(pg_cryptohash_ctx *hash, const void *data, size_t len)
{
	uint64		size = len;

	if (pg_cryptohash_update(hash, (const uint8 *) &size, sizeof(size)) < 0 ||
		(len > 0 &&
		 pg_cryptohash_update(hash, (const uint8 *) data, len) < 0))
		elog(ERROR, "could not compute SHA-256: %s",
			 pg_cryptohash_error(hash));
}

static void
digest_text(pg_cryptohash_ctx *hash, const ApiText *value)
{
	bool		present = value->data != NULL;

	digest(hash, &present, sizeof(present));
	digest(hash, value->data, value->len);
}

static void
digest_item(pg_cryptohash_ctx *hash, const ItemData *item)
{
	if (item == NULL)
		digest(hash, NULL, 0);
	else
		digest(hash, VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item));
}

/*
 * Has the token's request been run?  While it is, we wait.
 */
static bool
look_up(const ApiToken *token, StoreWait *wait)
{
	uint64		hash;
	bool		found = false;
	MemoryContext context = CurrentMemoryContext;

	hash = hash_bytes_extended((const unsigned char *) VARDATA(token->name),
							   VARSIZE(token->name) - VARHDRSZ, token->role);
	PG_TRY();
	{
		store_lock_name(hash, wait);
		found = find_token(token, wait);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (error->sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ||
			error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_TRANSACTION_IN_PROGRESS),
					 errmsg(TEXT_TOKEN_IN_USE)));
		ReThrowError(error);
	}
	PG_END_TRY();
	return found;
}

static Relation
open_tokens(void)
{
	Oid			namespace = get_namespace_oid("partitioning", false);

	return table_open(get_relname_relid(TOKENS_TABLE, namespace),
					  RowExclusiveLock);
}

static Oid
token_index(const char *name)
{
	return get_relname_relid(name, get_namespace_oid("partitioning", false));
}

/*
 * Is there a row of the token?  An expired one goes.
 */
static bool
find_token(const ApiToken *token, StoreWait *wait)
{
	Relation	rel = open_tokens();
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;
	bool		same = false;

	ScanKeyInit(&keys[0], TOKEN_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(token->role));
	ScanKeyInit(&keys[1], TOKEN_NAME, BTEqualStrategyNumber, F_TEXTEQ,
				PointerGetDatum(token->name));
	scan = systable_beginscan(rel, token_index(TOKENS_KEY), true, snapshot,
							  2, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		Datum		values[TOKEN_COLUMNS];
		bool		nulls[TOKEN_COLUMNS];

		heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
		found = DatumGetTimestampTz(values[TOKEN_FINISHED_AT - 1]) > expiry();
		if (found)
			same = DatumGetBool(DirectFunctionCall2(byteaeq,
													values[TOKEN_FINGERPRINT - 1],
													PointerGetDatum(token->fingerprint)));
		else
			remove_token(rel, &tuple->t_self, wait);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(rel, NoLock);
	if (found && !same)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_IDEMPOTENT_MISMATCH),
				 errmsg(TEXT_TOKEN_MISMATCH)));
	return found;
}

/*
 * Removes a token's expired row, which another's cleaning may be removing.
 */
static void
remove_token(Relation rel, ItemPointer tid, StoreWait *wait)
{
	int			nest = store_wait_bound(wait);
	TM_FailureData failure;
	TM_Result	result;

	result = table_tuple_delete(rel, tid, GetCurrentCommandId(true),
								GetActiveSnapshot(), InvalidSnapshot, true,
								&failure, false);
	store_wait_end(nest);
	if (result != TM_Ok && result != TM_Deleted)
		elog(ERROR, "unexpected status of an expired token: %u", result);
}

static void
remove_expired(Relation rel)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	ItemPointerData tids[CLEAN_ROWS];
	int			ntids = 0;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, TOKEN_FINISHED_AT, BTLessEqualStrategyNumber,
				F_TIMESTAMPTZ_LE, TimestampTzGetDatum(expiry()));
	scan = systable_beginscan(rel, token_index(TOKENS_BY_TIME), true,
							  snapshot, 1, &key);
	while (ntids < CLEAN_ROWS &&
		   HeapTupleIsValid(tuple = systable_getnext(scan)))
		tids[ntids++] = tuple->t_self;
	systable_endscan(scan);

	for (int i = 0; i < ntids; i++)
	{
		TM_FailureData failure;

		/* who is changing a row already has the same in mind */
		(void) table_tuple_delete(rel, &tids[i], GetCurrentCommandId(true),
								  snapshot, InvalidSnapshot, false, &failure,
								  false);
	}
	UnregisterSnapshot(snapshot);
}

/* What finished before this is forgotten. */
static TimestampTz
expiry(void)
{
	return GetCurrentTimestamp() -
		LIMIT_CLIENT_TOKEN_MINUTES * SECS_PER_MINUTE * USECS_PER_SEC;
}
