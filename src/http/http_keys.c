/*
 * http_keys.c
 *	  Access keys: who a request is from.
 *
 * A key stands in partitioning.access_keys, its secret in a table of its own
 * that is not dumped.  Both are written here, in C, after the checks, or by a
 * superuser.  A worker keeps the keys that it has met, with the day's signing
 * key instead of the secret, until one of the tables changes.
 */
#include "postgres.h"

#include <time.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_collation.h"
#include "commands/trigger.h"
#include "common/base64.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/guc.h"
#include "base/service_text.h"
#include "http/http_private.h"
#include "http/http_sigv4.h"

/* Columns of partitioning.access_keys. */
#define COLUMN_KEY_ID		1
#define COLUMN_ROLE			2
#define COLUMN_ENABLED		3
#define COLUMN_CREATED_AT	4
#define COLUMN_EXPIRES_AT	5
#define KEY_COLUMNS			5

/* Columns of partitioning.access_secrets. */
#define COLUMN_SECRET		2
#define SECRET_COLUMNS		2

#define KEY_ID_LEN			20
#define SECRET_BYTES		30	/* 240 bits, 40 characters */
#define SECRET_LEN			40
#define MAX_CACHED_KEYS		1024

/* A key that requests have been signed with, by id, day and region. */
typedef struct CacheTag
{
	char		key_id[SIGV4_MAX_KEY_ID + 1];
	char		date[SIGV4_DATE_LEN + 1];
	char		region[SIGV4_MAX_REGION + 1];
} CacheTag;

typedef struct CachedKey
{
	CacheTag	tag;
	Oid			role;			/* InvalidOid: no such key */
	TimestampTz expires_at;
	uint8		signing_key[SIGV4_MAC_LEN];
} CachedKey;

/* What a request consists of, for the signature. */
typedef struct Collected
{
	SigV4Request request;
	SigV4Field	headers[HTTP_MAX_HEADER_FIELDS];
	SigV4Field	query[HTTP_MAX_HEADER_FIELDS];
} Collected;

static HTAB *cache = NULL;
static bool cache_is_stale = true;
static Oid	cached_relids[2];

PG_FUNCTION_INFO_V1(create_access_key);
PG_FUNCTION_INFO_V1(alter_access_key);
PG_FUNCTION_INFO_V1(drop_access_key);
PG_FUNCTION_INFO_V1(access_keys_changed);

static void collect(const HttpCall *call, Collected *collected);
static enum MHD_Result collect_header(void *context, enum MHD_ValueKind kind,
									  const char *name, const char *value);
static enum MHD_Result collect_argument(void *context,
										enum MHD_ValueKind kind,
										const char *name, const char *value);
static pg_noreturn void refuse(SigV4Result result, const char *message);
static const CachedKey *find_key(const SigV4Signature *signature);
static void renew_cache(void);
static void forget_keys(Datum argument, Oid relid);
static void read_key(CachedKey *key);
static bool read_secret(const char *key_id, char *secret);
static Relation open_keys(const char *name, LOCKMODE lockmode);
static SysScanDesc begin_scan(Relation rel, const char *key_id);
static void check_may_manage(Oid role);
static void make_key_id(char *key_id);
static void make_secret(char *secret);
static void insert_row(const char *table, Datum *values, bool *nulls);
static HeapTuple find_row(Relation rel, const char *key_id);
static void random_bytes(void *bytes, size_t len);

/* The role whose key has signed the request. */
Oid
http_keys_authenticate(const HttpCall *call)
{
	Collected	collected;
	SigV4Signature signature;
	char		message[SIGV4_MAX_MESSAGE];
	SigV4Result result;
	const CachedKey *key;

	collect(call, &collected);
	result = http_sigv4_parse(&collected.request, (int64) time(NULL),
							  &signature, message);
	if (result != SIGV4_VALID)
		refuse(result, message);
	key = find_key(&signature);
	/* an unknown key takes as long */
	result = http_sigv4_verify(&collected.request, &signature,
							   key->signing_key);
	if (!OidIsValid(key->role))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_UNRECOGNIZED_CLIENT),
				 errmsg(TEXT_SIGNATURE_UNKNOWN_KEY)));
	if (result != SIGV4_VALID)
		refuse(result, TEXT_SIGNATURE_DIFFERS);
	if (GetCurrentTransactionStartTimestamp() >= key->expires_at)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_UNRECOGNIZED_CLIENT),
				 errmsg(TEXT_SIGNATURE_UNKNOWN_KEY)));
	return key->role;
}

static void
collect(const HttpCall *call, Collected *collected)
{
	SigV4Request *request = &collected->request;

	request->method = call->method;
	request->path = "/";
	request->headers = collected->headers;
	request->n_headers = 0;
	request->query = collected->query;
	request->n_query = 0;
	request->body = call->sent->data;
	request->body_len = call->sent->len;
	(void) MHD_get_connection_values(call->mhd, MHD_HEADER_KIND,
									 collect_header, collected);
	(void) MHD_get_connection_values(call->mhd, MHD_GET_ARGUMENT_KIND,
									 collect_argument, collected);
	if (request->n_query >= HTTP_MAX_HEADER_FIELDS)
		refuse(SIGV4_INVALID, TEXT_SIGNATURE_DIFFERS);
}

/* There are no more than HTTP_MAX_HEADER_FIELDS headers. */
static enum MHD_Result
collect_header(void *context, enum MHD_ValueKind kind, const char *name,
			   const char *value)
{
	Collected  *collected = context;
	SigV4Field *field = &collected->headers[collected->request.n_headers++];

	field->name = name;
	field->value = value;
	return MHD_YES;
}

static enum MHD_Result
collect_argument(void *context, enum MHD_ValueKind kind, const char *name,
				 const char *value)
{
	Collected  *collected = context;
	SigV4Field *field;

	if (collected->request.n_query >= HTTP_MAX_HEADER_FIELDS)
		return MHD_NO;
	field = &collected->query[collected->request.n_query++];
	field->name = name;
	field->value = value;
	return MHD_YES;
}

static void
refuse(SigV4Result result, const char *message)
{
	int			code = ERRCODE_INTERNAL_ERROR;

	switch (result)
	{
		case SIGV4_MISSING:
			code = ERRCODE_ITEM_MISSING_TOKEN;
			break;
		case SIGV4_INCOMPLETE:
			code = ERRCODE_ITEM_INCOMPLETE_SIGNATURE;
			break;
		case SIGV4_INVALID:
			code = ERRCODE_ITEM_INVALID_SIGNATURE;
			break;
		case SIGV4_VALID:
		case SIGV4_FAILED:
			message = "could not compute the signature of a request";
			break;
	}
	ereport(ERROR, (errcode(code), errmsg_internal("%s", message)));
}

/* Never NULL: an unknown key is kept as such, with a signing key. */
static const CachedKey *
find_key(const SigV4Signature *signature)
{
	CacheTag	tag;
	CachedKey  *key;
	bool		found;

	if (cache_is_stale)
		renew_cache();
	memset(&tag, 0, sizeof(tag));
	strlcpy(tag.key_id, signature->key_id, sizeof(tag.key_id));
	strlcpy(tag.date, signature->date, sizeof(tag.date));
	strlcpy(tag.region, signature->region, sizeof(tag.region));
	key = hash_search(cache, &tag, HASH_FIND, NULL);
	if (key != NULL)
		return key;

	/* anybody can send new ids and regions */
	if (hash_get_num_entries(cache) >= MAX_CACHED_KEYS)
		renew_cache();
	key = hash_search(cache, &tag, HASH_ENTER, &found);
	key->role = InvalidOid;
	PG_TRY();
	{
		read_key(key);
	}
	PG_CATCH();
	{
		cache_is_stale = true;
		PG_RE_THROW();
	}
	PG_END_TRY();
	return key;
}

static void
renew_cache(void)
{
	static bool registered = false;
	HASHCTL		info;

	if (!registered)
		CacheRegisterRelcacheCallback(forget_keys, (Datum) 0);
	registered = true;
	cache_is_stale = true;
	if (cache != NULL)
		hash_destroy(cache);
	cache = NULL;
	info.keysize = sizeof(CacheTag);
	info.entrysize = sizeof(CachedKey);
	cache = hash_create("partitioning access keys", 64, &info,
						HASH_ELEM | HASH_BLOBS);
	cached_relids[0] = cached_relids[1] = InvalidOid;
	cache_is_stale = false;
}

static void
forget_keys(Datum argument, Oid relid)
{
	if (!OidIsValid(relid) || !OidIsValid(cached_relids[0]) ||
		relid == cached_relids[0] || relid == cached_relids[1])
		cache_is_stale = true;
}

/* Fills in all but the tag. */
static void
read_key(CachedKey *key)
{
	Relation	rel = open_keys("access_keys", AccessShareLock);
	SysScanDesc scan = begin_scan(rel, key->tag.key_id);
	HeapTuple	tuple = systable_getnext(scan);
	char		secret[128] = "";
	Oid			role = InvalidOid;

	cached_relids[0] = RelationGetRelid(rel);
	key->expires_at = DT_NOEND;
	if (HeapTupleIsValid(tuple))
	{
		TupleDesc	desc = RelationGetDescr(rel);
		bool		isnull;
		Datum		expires;

		if (DatumGetBool(heap_getattr(tuple, COLUMN_ENABLED, desc, &isnull)))
			role = DatumGetObjectId(heap_getattr(tuple, COLUMN_ROLE, desc,
												 &isnull));
		expires = heap_getattr(tuple, COLUMN_EXPIRES_AT, desc, &isnull);
		if (!isnull)
			key->expires_at = DatumGetTimestampTz(expires);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);

	if (!read_secret(key->tag.key_id, secret))
		role = InvalidOid;
	if (!http_sigv4_derive_key(secret, key->tag.date, key->tag.region,
							   key->signing_key))
		refuse(SIGV4_FAILED, NULL);
	explicit_bzero(secret, sizeof(secret));
	key->role = role;
}

/* Into 128 bytes. */
static bool
read_secret(const char *key_id, char *secret)
{
	Relation	rel = open_keys("access_secrets", AccessShareLock);
	SysScanDesc scan = begin_scan(rel, key_id);
	HeapTuple	tuple = systable_getnext(scan);
	bool		found = HeapTupleIsValid(tuple);

	cached_relids[1] = RelationGetRelid(rel);
	if (found)
	{
		bool		isnull;
		Datum		value = heap_getattr(tuple, COLUMN_SECRET,
										 RelationGetDescr(rel), &isnull);

		text_to_cstring_buffer(DatumGetTextPP(value), secret, 128);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

static Relation
open_keys(const char *name, LOCKMODE lockmode)
{
	Oid			schema = get_namespace_oid("partitioning", false);
	Oid			relid = get_relname_relid(name, schema);

	if (!OidIsValid(relid))
		elog(ERROR, "table partitioning.%s does not exist", name);
	return table_open(relid, lockmode);
}

/* With a catalog snapshot: the latest that is committed. */
static SysScanDesc
begin_scan(Relation rel, const char *key_id)
{
	ScanKeyData key;

	ScanKeyInit(&key, COLUMN_KEY_ID, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(key_id));
	key.sk_collation = C_COLLATION_OID;
	return systable_beginscan(rel, compat_primary_key_index(rel), true, NULL,
							  1, &key);
}

/*
 * create_access_key(role regrole, expires_at timestamptz, OUT key_id text,
 * OUT secret text)
 *
 * The secret is told here and never again.
 */
Datum
create_access_key(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);
	char		key_id[KEY_ID_LEN + 1];
	char		secret[SECRET_LEN + 1];
	Datum		values[KEY_COLUMNS];
	bool		nulls[KEY_COLUMNS] = {false};
	TupleDesc	desc;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role must not be null")));
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	check_may_manage(role);
	make_key_id(key_id);
	make_secret(secret);

	values[COLUMN_KEY_ID - 1] = CStringGetTextDatum(key_id);
	values[COLUMN_ROLE - 1] = ObjectIdGetDatum(role);
	values[COLUMN_ENABLED - 1] = BoolGetDatum(true);
	values[COLUMN_CREATED_AT - 1] =
		TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	values[COLUMN_EXPIRES_AT - 1] = PG_ARGISNULL(1) ? (Datum) 0 :
		PG_GETARG_DATUM(1);
	nulls[COLUMN_EXPIRES_AT - 1] = PG_ARGISNULL(1);
	insert_row("access_keys", values, nulls);

	nulls[COLUMN_SECRET - 1] = false;
	values[COLUMN_SECRET - 1] = CStringGetTextDatum(secret);
	insert_row("access_secrets", values, nulls);
	explicit_bzero(secret, sizeof(secret));

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}

/*
 * Whoever may become the role may let a program become it.  A key of a role
 * that never serves requests would be a trap.
 */
static void
check_may_manage(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	Form_pg_authid form;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	form = (Form_pg_authid) GETSTRUCT(tuple);
	if (!has_privs_of_role(GetUserId(), role))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must have the privileges of role \"%s\"",
						NameStr(form->rolname))));
	if (form->rolsuper || form->rolreplication || form->rolbypassrls)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("role \"%s\" cannot have access keys",
						NameStr(form->rolname)),
				 errdetail("A superuser, or a role with REPLICATION or BYPASSRLS, never serves HTTP requests.")));
	if (!form->rolcanlogin)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("role \"%s\" cannot have access keys",
						NameStr(form->rolname)),
				 errdetail("It may not log in.")));
	ReleaseSysCache(tuple);
}

/* As the service's: AKIA and 16 of 32 characters. */
static void
make_key_id(char *key_id)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	uint8		bytes[KEY_ID_LEN - 4];

	random_bytes(bytes, sizeof(bytes));
	strcpy(key_id, "AKIA");
	for (int i = 0; i < KEY_ID_LEN - 4; i++)
		key_id[4 + i] = alphabet[bytes[i] & 31];
	key_id[KEY_ID_LEN] = '\0';
}

static void
make_secret(char *secret)
{
	uint8		bytes[SECRET_BYTES];

	random_bytes(bytes, sizeof(bytes));
	if (pg_b64_encode((const void *) bytes, sizeof(bytes), secret,
					  SECRET_LEN) != SECRET_LEN)
		elog(ERROR, "could not encode a secret");
	secret[SECRET_LEN] = '\0';
	explicit_bzero(bytes, sizeof(bytes));
}

static void
random_bytes(void *bytes, size_t len)
{
	if (!pg_strong_random(bytes, len))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
}

static void
insert_row(const char *table, Datum *values, bool *nulls)
{
	Relation	rel = open_keys(table, RowExclusiveLock);
	HeapTuple	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);

	CatalogTupleInsert(rel, tuple);
	CacheInvalidateRelcache(rel);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
}

/* alter_access_key(key_id text, enabled bool, expires_at timestamptz) */
Datum
alter_access_key(PG_FUNCTION_ARGS)
{
	Relation	rel;
	HeapTuple	tuple;
	Datum		values[KEY_COLUMNS] = {0};
	bool		nulls[KEY_COLUMNS] = {false};
	bool		replaced[KEY_COLUMNS] = {false};

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("key_id must not be null")));
	rel = open_keys("access_keys", RowExclusiveLock);
	tuple = find_row(rel, text_to_cstring(PG_GETARG_TEXT_PP(0)));
	if (!PG_ARGISNULL(1))
	{
		values[COLUMN_ENABLED - 1] = PG_GETARG_DATUM(1);
		replaced[COLUMN_ENABLED - 1] = true;
	}
	if (!PG_ARGISNULL(2))
	{
		values[COLUMN_EXPIRES_AT - 1] = PG_GETARG_DATUM(2);
		replaced[COLUMN_EXPIRES_AT - 1] = true;
	}
	tuple = heap_modify_tuple(tuple, RelationGetDescr(rel), values, nulls,
							  replaced);
	CatalogTupleUpdate(rel, &tuple->t_self, tuple);
	CacheInvalidateRelcache(rel);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}

/* drop_access_key(key_id text) */
Datum
drop_access_key(PG_FUNCTION_ARGS)
{
	char	   *key_id = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Relation	rel = open_keys("access_keys", RowExclusiveLock);
	HeapTuple	tuple = find_row(rel, key_id);
	SysScanDesc scan;

	CatalogTupleDelete(rel, &tuple->t_self);
	CacheInvalidateRelcache(rel);
	table_close(rel, RowExclusiveLock);

	/* a restored key has no secret */
	rel = open_keys("access_secrets", RowExclusiveLock);
	scan = begin_scan(rel, key_id);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		CatalogTupleDelete(rel, &tuple->t_self);
	systable_endscan(scan);
	CacheInvalidateRelcache(rel);
	table_close(rel, RowExclusiveLock);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}

/* A copy of the row of a key that the caller may manage. */
static HeapTuple
find_row(Relation rel, const char *key_id)
{
	SysScanDesc scan = begin_scan(rel, key_id);
	HeapTuple	tuple = systable_getnext(scan);
	bool		isnull;
	Oid			role;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("access key \"%s\" does not exist", key_id)));
	tuple = heap_copytuple(tuple);
	systable_endscan(scan);
	role = DatumGetObjectId(heap_getattr(tuple, COLUMN_ROLE,
										 RelationGetDescr(rel), &isnull));
	if (!superuser() && !has_privs_of_role(GetUserId(), role))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must have the privileges of role \"%s\"",
						GetUserNameFromId(role, true))));
	return tuple;
}

/*
 * Statement trigger on both tables: a superuser, a restore or logical
 * replication has changed them.  Whoever may write all tables must not become
 * any role by a key of his own.
 */
Datum
access_keys_changed(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("must be called by a trigger")));
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only superusers may write access keys"),
				 errhint("Use partitioning.create_access_key(), alter_access_key() and drop_access_key().")));
	CacheInvalidateRelcache(((TriggerData *) fcinfo->context)->tg_relation);
	return PointerGetDatum(NULL);
}
