/*
 * http_identity.c
 *	  Which roles requests may run as.
 *
 * Background workers pass pg_hba.conf and the checks at the start of a
 * session by, so what these would ask is asked here, on every request.  What
 * the catalogs say is kept until one of them changes.
 */
#include "postgres.h"

#include <arpa/inet.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/guc.h"
#include "http/http_private.h"

/* The role that was checked last. */
static Oid	checked = InvalidOid;
static TimestampTz checked_until;

/* The role that partitioning.http_role named last. */
static Oid	unauthenticated = InvalidOid;

static void forget(Datum argument, int cache, uint32 hash);
static void check_attributes(Oid role, Form_pg_authid form);
static bool is_local_name(const char *host);

void
http_identity_init(void)
{
	CacheRegisterSyscacheCallback(AUTHOID, forget, (Datum) 0);
	CacheRegisterSyscacheCallback(DATABASEOID, forget, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, forget, (Datum) 0);
}

static void
forget(Datum argument, int cache, uint32 hash)
{
	http_identity_forget();
}

/* Looks everything up again; settings may have changed. */
void
http_identity_forget(void)
{
	checked = InvalidOid;
	unauthenticated = InvalidOid;
}

/*
 * The role of requests that carry no proof of anything.  Any page in a
 * browser on this machine can send requests here under a name of its own
 * that leads to this address, so names are refused.
 */
Oid
http_identity_unauthenticated(const HttpCall *call)
{
	const char *host = call->headers->host;

	if (host != NULL && !is_local_name(host))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("requests without authentication must be sent to localhost or an IP address, not to \"%s\"",
						host)));
	if (OidIsValid(unauthenticated))
		return unauthenticated;
	if (guc_http_role[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("partitioning.http_role is not set")));
	unauthenticated = get_role_oid(guc_http_role, true);
	if (!OidIsValid(unauthenticated))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("role \"%s\" of partitioning.http_role does not exist",
						guc_http_role)));
	return unauthenticated;
}

/* localhost, a name below it, or an address, with or without a port */
static bool
is_local_name(const char *host)
{
	char		name[128];
	size_t		len;
	struct in6_addr address;

	if (host[0] == '[')
	{
		host++;
		len = strcspn(host, "]");
	}
	else
		len = strcspn(host, ":");
	if (len >= sizeof(name))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	if (inet_pton(AF_INET, name, &address) == 1 ||
		inet_pton(AF_INET6, name, &address) == 1)
		return true;
	return pg_strcasecmp(name, "localhost") == 0 ||
		(len > strlen(".localhost") &&
		 pg_strcasecmp(name + len - strlen(".localhost"), ".localhost") == 0);
}

/* Raises unless the role may run requests now. */
void
http_identity_check(Oid role)
{
	HeapTuple	tuple;
	Datum		until;
	bool		forever;

	if (role == checked && (checked_until == DT_NOEND ||
							GetCurrentTransactionStartTimestamp() < checked_until))
		return;
	/* what is kept below is another role's, which may be refused */
	checked = InvalidOid;
	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("role with OID %u does not exist", role)));
	check_attributes(role, (Form_pg_authid) GETSTRUCT(tuple));
	until = SysCacheGetAttr(AUTHOID, tuple, Anum_pg_authid_rolvaliduntil,
							&forever);
	checked_until = forever ? DT_NOEND : DatumGetTimestampTz(until);
	ReleaseSysCache(tuple);
	if (checked_until != DT_NOEND &&
		GetCurrentTransactionStartTimestamp() >= checked_until)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("role \"%s\" is no longer valid",
						GetUserNameFromId(role, true))));
	if (compat_database_aclcheck(MyDatabaseId, role, ACL_CONNECT) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("role \"%s\" may not connect to the database",
						GetUserNameFromId(role, true))));
	checked = role;
}

static void
check_attributes(Oid role, Form_pg_authid form)
{
	if (form->rolsuper || form->rolreplication || form->rolbypassrls)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("role \"%s\" must not serve HTTP requests",
						NameStr(form->rolname)),
				 errdetail("A superuser, or a role with REPLICATION or BYPASSRLS, never does.")));
	if (form->rolconnlimit == 0 ||
		(guc_http_auth != HTTP_AUTH_NONE && !form->rolcanlogin))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_ACCESS_DENIED),
				 errmsg("role \"%s\" may not log in",
						NameStr(form->rolname))));
}
