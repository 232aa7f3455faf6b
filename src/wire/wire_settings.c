/*
 * wire_settings.c
 *	  A table as the operations on tables see it, and its settings from and
 *	  to partitioning.table_settings.
 *
 * A table without a setting, such as one that SQL has made, is on demand and
 * has none of the other things.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_table.h"

static Oid	find_relation(const ApiText *name);
static void read_settings(WireTable *result);
static char *tags_json(const WireMap *tags);
static char *settings_json(const WireSettings *settings);
static void append_member(StringInfo out, const char *name,
						  const ApiText *text);
static void append_bool(StringInfo out, const char *name,
						const WireBool *value);
static void append_units(StringInfo out, const char *name,
						 const WireInt *value);
static void append_throughput(StringInfo out, const char *name,
							  const WireThroughput *throughput);
static void append_indexes(StringInfo out, const WireList *indexes);
static void append_stream(StringInfo out, const WireStream *stream);
static void append_encryption(StringInfo out,
							  const WireEncryption *encryption);
static void append_ttl(StringInfo out, const WireTtl *ttl);

/*
 * A table by the name of a request, which the user must own or have some
 * privilege on.
 */
void
wire_find_table(const ApiText *name, WireTable *result)
{
	Oid			relid = find_relation(name);

	if (!wire_may_see(relid))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(relid));
	wire_read_table(relid, result);
}

/*
 * The same, for a change that only the owner may make; to the end of the
 * transaction nobody else makes one.
 */
void
wire_lock_table(const ApiText *name, WireTable *result)
{
	Oid			relid = find_relation(name);

	PreventCommandIfReadOnly("ALTER TABLE");
	PreventCommandDuringRecovery("ALTER TABLE");
	for (;;)
	{
		Oid			found = relid;

		meta_check_owner(found);
		LockRelationOid(found, ShareUpdateExclusiveLock);
		relid = find_relation(name);
		if (relid == found)
			break;
		UnlockRelationOid(found, ShareUpdateExclusiveLock);
	}
	wire_read_table(relid, result);
}

static Oid
find_relation(const ApiText *name)
{
	Oid			relid = meta_find_wire_table(name->data, name->len);

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_ITEM_RESOURCE_NOT_FOUND),
				 errmsg(TEXT_TABLE_NOT_FOUND, (int) name->len, name->data)));
	return relid;
}

void
wire_read_table(Oid relid, WireTable *result)
{
	memset(result, 0, sizeof(*result));
	result->table = meta_table(relid);
	meta_settings_read(result->table->schema_name, result->table->table_name,
					   &result->stored);
	result->name = result->stored.service_name != NULL ?
		result->stored.service_name : result->table->table_name;
	read_settings(result);
}

static void
read_settings(WireTable *result)
{
	const char *settings = result->stored.settings;
	const char *tags = result->stored.tags;
	char	   *json;

	if (settings != NULL)
		result->settings = *(WireSettings *)
			wire_decode(&wire_settings_model, settings, strlen(settings));
	if (tags != NULL)
	{
		json = psprintf("{\"Tags\":%s}", tags);
		result->tags = *(WireMap *)
			wire_decode(&wire_tags_model, json, strlen(json));
	}
}

/* As item_tables shows it, for which is what this stands. */
bool
wire_may_see(Oid relid)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT | ACL_INSERT |
							 ACL_UPDATE | ACL_DELETE) == ACLCHECK_OK ||
		compat_owns_relation(relid);
}

/* Writes settings and tags of a table that is locked. */
void
wire_save_settings(WireTable *table)
{
	table->stored.settings = settings_json(&table->settings);
	table->stored.tags = tags_json(&table->tags);
	meta_settings_write(table->table->schema_name, table->table->table_name,
						&table->stored);
}

bool
wire_is_on_demand(const WireSettings *settings)
{
	return settings->billing_mode.text.data == NULL ||
		settings->billing_mode.number == WIRE_BILLING_ON_DEMAND;
}

/*
 * The settings of a global index; NULL, or new ones, when there are none.
 */
WireIndex *
wire_index_settings(WireSettings *settings, const ApiText *name, bool make)
{
	WireList   *list = &settings->indexes;
	WireIndex **elements;

	for (int i = 0; i < list->n; i++)
	{
		WireIndex  *index = WIRE_ELEMENT(list, WireIndex, i);

		if (wire_text_equal(&index->name, name))
			return index;
	}
	if (!make)
		return NULL;
	elements = palloc((list->n + 1) * sizeof(WireIndex *));
	if (list->n > 0)
		memcpy(elements, list->elements, list->n * sizeof(WireIndex *));
	elements[list->n] = palloc0(sizeof(WireIndex));
	elements[list->n]->name = *name;
	list->given = true;
	list->elements = elements;
	return elements[list->n++];
}

/* A time as the service writes it: seconds since 1970, to the millisecond. */
ApiText
wire_timestamp(TimestampTz time)
{
	int64		since = time + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
		USECS_PER_DAY;

	return wire_text(psprintf(INT64_FORMAT ".%03d", since / USECS_PER_SEC,
							  (int) (since % USECS_PER_SEC / 1000)));
}

/* What a stream is called that begins now: the time in UTC. */
ApiText
wire_stream_label(void)
{
	TimestampTz now = GetCurrentTimestamp();
	pg_time_t	seconds = timestamptz_to_time_t(now);
	int			milliseconds = (int) (now % USECS_PER_SEC / 1000);
	char		text[32];

	pg_strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", pg_gmtime(&seconds));
	return wire_text(psprintf("%s.%03d", text, milliseconds));
}

ApiText
wire_text(const char *string)
{
	return (ApiText) {
		.data = string,.len = strlen(string)
	};
}

static char *
tags_json(const WireMap *tags)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < tags->n; i++)
	{
		wire_append_text_name(&out, &tags->names[i]);
		wire_append_text(&out, &((ApiText *) tags->values)[i]);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}

static char *
settings_json(const WireSettings *settings)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	append_member(&out, "BillingMode", &settings->billing_mode.text);
	append_member(&out, "OnDemandSince", &settings->on_demand_since);
	append_throughput(&out, "ProvisionedThroughput", settings->throughput);
	append_throughput(&out, "OnDemandThroughput", settings->on_demand);
	append_throughput(&out, "WarmThroughput", settings->warm);
	append_indexes(&out, &settings->indexes);
	append_stream(&out, settings->stream);
	append_encryption(&out, settings->encryption);
	append_member(&out, "TableClass", &settings->table_class.text);
	append_bool(&out, "DeletionProtectionEnabled",
				&settings->deletion_protection);
	append_ttl(&out, settings->ttl);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/* What is absent is left out, here and below. */
static void
append_member(StringInfo out, const char *name, const ApiText *text)
{
	if (text->data == NULL)
		return;
	wire_append_name(out, name);
	wire_append_text(out, text);
}

static void
append_bool(StringInfo out, const char *name, const WireBool *value)
{
	if (!value->given)
		return;
	wire_append_name(out, name);
	appendStringInfoString(out, value->value ? "true" : "false");
}

static void
append_units(StringInfo out, const char *name, const WireInt *value)
{
	if (!value->given)
		return;
	wire_append_name(out, name);
	appendStringInfo(out, INT64_FORMAT, value->value);
}

static void
append_throughput(StringInfo out, const char *name,
				  const WireThroughput *throughput)
{
	if (throughput == NULL)
		return;
	wire_append_name(out, name);
	appendStringInfoChar(out, '{');
	append_units(out, "Read", &throughput->read);
	append_units(out, "Write", &throughput->write);
	append_member(out, "Increased", &throughput->increased);
	append_member(out, "Decreased", &throughput->decreased);
	append_units(out, "Decreases", &throughput->decreases);
	appendStringInfoChar(out, '}');
}

static void
append_indexes(StringInfo out, const WireList *indexes)
{
	wire_append_name(out, "Indexes");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < indexes->n; i++)
	{
		const WireIndex *index = WIRE_ELEMENT(indexes, WireIndex, i);

		wire_begin_element(out);
		appendStringInfoChar(out, '{');
		append_member(out, "IndexName", &index->name);
		append_throughput(out, "ProvisionedThroughput", index->throughput);
		append_throughput(out, "OnDemandThroughput", index->on_demand);
		append_throughput(out, "WarmThroughput", index->warm);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

static void
append_stream(StringInfo out, const WireStream *stream)
{
	if (stream == NULL)
		return;
	wire_append_name(out, "Stream");
	appendStringInfoChar(out, '{');
	append_bool(out, "StreamEnabled", &stream->enabled);
	append_member(out, "StreamViewType", &stream->view_type.text);
	append_member(out, "StreamLabel", &stream->label);
	appendStringInfoChar(out, '}');
}

static void
append_encryption(StringInfo out, const WireEncryption *encryption)
{
	if (encryption == NULL)
		return;
	wire_append_name(out, "SSESpecification");
	appendStringInfoChar(out, '{');
	append_bool(out, "Enabled", &encryption->enabled);
	append_member(out, "SSEType", &encryption->type.text);
	append_member(out, "KMSMasterKeyId", &encryption->key);
	appendStringInfoChar(out, '}');
}

static void
append_ttl(StringInfo out, const WireTtl *ttl)
{
	if (ttl == NULL)
		return;
	wire_append_name(out, "TimeToLive");
	appendStringInfoChar(out, '{');
	append_bool(out, "Enabled", &ttl->enabled);
	append_member(out, "AttributeName", &ttl->attribute);
	appendStringInfoChar(out, '}');
}
