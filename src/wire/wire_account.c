/*
 * wire_account.c
 *	  DescribeTimeToLive, UpdateTimeToLive, DescribeContinuousBackups,
 *	  DescribeLimits, DescribeEndpoints: small answers.
 */
#include "postgres.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_table.h"

/* Quotas of an account with the service; nothing here is limited by them. */
#define LIMITS \
	"{\"AccountMaxReadCapacityUnits\":80000," \
	"\"AccountMaxWriteCapacityUnits\":80000," \
	"\"TableMaxReadCapacityUnits\":40000," \
	"\"TableMaxWriteCapacityUnits\":40000}"

#define ENDPOINT_MINUTES	1440

const char *wire_endpoint = "localhost";

static void check_ttl(const WireTtl *now, const WireTtl *wanted);

void
wire_describe_ttl(const void *request, StringInfo response)
{
	const WireTableName *describe = request;
	WireTable	table;
	const WireTtl *ttl;

	wire_find_table(&describe->table_name, &table);
	ttl = table.settings.ttl;
	appendStringInfoString(response, "{\"TimeToLiveDescription\":{");
	wire_append_name(response, "TimeToLiveStatus");
	appendStringInfoString(response, ttl == NULL ? "\"DISABLED\"" :
						   "\"ENABLED\"");
	if (ttl != NULL)
	{
		wire_append_name(response, "AttributeName");
		wire_append_text(response, &ttl->attribute);
	}
	appendStringInfoString(response, "}}");
}

void
wire_update_ttl(const void *request, StringInfo response)
{
	const WireTtlRequest *update = request;
	WireTable	table;

	wire_lock_table(&update->table_name, &table);
	check_ttl(table.settings.ttl, update->ttl);
	table.settings.ttl = update->ttl->enabled.value ? update->ttl : NULL;
	wire_save_settings(&table);

	appendStringInfoString(response, "{\"TimeToLiveSpecification\":{");
	wire_append_name(response, "Enabled");
	appendStringInfoString(response, update->ttl->enabled.value ? "true" :
						   "false");
	wire_append_name(response, "AttributeName");
	wire_append_text(response, &update->ttl->attribute);
	appendStringInfoString(response, "}}");
}

/*
 * now is NULL while no items expire.
 */
static void
check_ttl(const WireTtl *now, const WireTtl *wanted)
{
	if (now != NULL && !wire_text_equal(&now->attribute, &wanted->attribute))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TTL_DIFFERENT, (int) now->attribute.len,
						now->attribute.data)));
	if (now != NULL && wanted->enabled.value)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TTL_ENABLED)));
	if (now == NULL && !wanted->enabled.value)
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_VALIDATION),
				 errmsg(TEXT_TTL_DISABLED)));
}

/* Backups are the server's business. */
void
wire_describe_backups(const void *request, StringInfo response)
{
	const WireTableName *describe = request;
	const ApiText *name = &describe->table_name;
	WireTable	table;

	if (!OidIsValid(meta_find_wire_table(name->data, name->len)))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_TABLE_NOT_FOUND),
				 errmsg(TEXT_BACKUP_TABLE, (int) name->len, name->data)));
	wire_find_table(name, &table);
	appendStringInfoString(response,
						   "{\"ContinuousBackupsDescription\":{"
						   "\"ContinuousBackupsStatus\":\"ENABLED\","
						   "\"PointInTimeRecoveryDescription\":{"
						   "\"PointInTimeRecoveryStatus\":\"DISABLED\"}}}");
}

void
wire_describe_limits(const void *request, StringInfo response)
{
	appendStringInfoString(response, LIMITS);
}

void
wire_describe_endpoints(const void *request, StringInfo response)
{
	ApiText		address = wire_text(wire_endpoint);

	appendStringInfoString(response, "{\"Endpoints\":[{");
	wire_append_name(response, "Address");
	wire_append_text(response, &address);
	wire_append_name(response, "CachePeriodInMinutes");
	appendStringInfo(response, "%d}]}", ENDPOINT_MINUTES);
}
