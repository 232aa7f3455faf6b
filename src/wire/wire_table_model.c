/*
 * wire_table_model.c
 *	  The requests of the operations on tables: members, types, constraints;
 *	  and of what is stored about a table.
 */
#include "postgres.h"

#include "base/limits.h"
#include "base/service_text.h"
#include "wire/wire_table.h"

#define TABLE_NAME(structure) \
	{.name = "TableName", .type = &table_type, \
	 .offset = offsetof(structure, table_name), .required = true, \
	 .absent = TEXT_TABLE_NAME_ABSENT}
#define MEMBER(name_, type_, structure, member) \
	{.name = name_, .type = &type_, .offset = offsetof(structure, member)}
#define REQUIRED(name_, type_, structure, member) \
	{.name = name_, .type = &type_, .offset = offsetof(structure, member), \
	 .required = true}
#define STRUCTURE(java_, members_, structure) \
	{.kind = WIRE_STRUCTURE, .java = WIRE_JAVA_CLASS(java_), \
	 .members = members_, .size = sizeof(structure)}
#define LIST(element_, min_, max_) \
	{.kind = WIRE_LIST, .java = WIRE_JAVA_LIST, .min = min_, .max = max_, \
	 .element = &element_}
#define TEXT_LENGTH(min_, max_) \
	{.kind = WIRE_TEXT, .min = min_, .max = max_}
#define END_OF_MEMBERS		{.name = NULL}

static const char *const key_words[] = {"HASH", "RANGE", NULL};
static const char *const attribute_words[] = {"B", "N", "S", NULL};
static const char *const billing_words[] = {
	"PROVISIONED", "PAY_PER_REQUEST", NULL
};
static const char *const projection_words[] = {
	"ALL", "INCLUDE", "KEYS_ONLY", NULL
};
static const char *const view_words[] = {
	"NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY", NULL
};
static const char *const class_words[] = {
	"STANDARD", "STANDARD_INFREQUENT_ACCESS", NULL
};
static const char *const encryption_words[] = {"AES256", "KMS", NULL};

static const WireType table_type = {
	.kind = WIRE_TABLE, .min = LIMIT_TABLE_NAME_MIN, .max = LIMIT_TABLE_NAME,
	.is_name = true
};
static const WireType index_name_type = {
	.kind = WIRE_TEXT, .min = LIMIT_INDEX_NAME_MIN, .max = LIMIT_INDEX_NAME,
	.is_name = true
};
static const WireType text_type = {.kind = WIRE_TEXT};
static const WireType bool_type = {.kind = WIRE_BOOL};
static const WireType count_type = {.kind = WIRE_INT};
static const WireType attribute_name_type =
TEXT_LENGTH(1, LIMIT_KEY_ATTRIBUTE_NAME);
static const WireType units_type = {
	.kind = WIRE_INT, .java = WIRE_JAVA_LONG, .min = 1
};
static const WireType units_or_none_type = {
	.kind = WIRE_INT, .java = WIRE_JAVA_LONG, .min = -1
};
static const WireType key_word_type = {
	.kind = WIRE_WORD, .words = key_words, .words_text = "HASH, RANGE"
};
static const WireType attribute_word_type = {
	.kind = WIRE_WORD, .words = attribute_words, .words_text = "B, N, S"
};
static const WireType billing_type = {
	.kind = WIRE_WORD, .words = billing_words,
	.words_text = "PROVISIONED, PAY_PER_REQUEST"
};
static const WireType projection_word_type = {
	.kind = WIRE_WORD, .words = projection_words,
	.words_text = "ALL, INCLUDE, KEYS_ONLY"
};
static const WireType view_type = {
	.kind = WIRE_WORD, .words = view_words,
	.words_text = "NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY"
};
static const WireType class_type = {
	.kind = WIRE_WORD, .words = class_words,
	.words_text = "STANDARD, STANDARD_INFREQUENT_ACCESS"
};
static const WireType encryption_word_type = {
	.kind = WIRE_WORD, .words = encryption_words, .words_text = "AES256, KMS"
};

/* parts of CreateTable and UpdateTable */

static const WireMember definition_members[] = {
	REQUIRED("AttributeName", attribute_name_type, WireDefinition, name),
	REQUIRED("AttributeType", attribute_word_type, WireDefinition, type),
	END_OF_MEMBERS
};
static const WireType definition_type =
STRUCTURE("AttributeDefinition", definition_members, WireDefinition);
static const WireType definitions_type = LIST(definition_type, 0, WIRE_NO_MAX);

static const WireMember key_members[] = {
	REQUIRED("AttributeName", attribute_name_type, WireKeyElement, name),
	REQUIRED("KeyType", key_word_type, WireKeyElement, type),
	END_OF_MEMBERS
};
static const WireType key_type =
STRUCTURE("KeySchemaElement", key_members, WireKeyElement);
static const WireType keys_type = LIST(key_type, 1, KEY_MAX_ATTRIBUTES);
static const WireType global_keys_type =
LIST(key_type, 1, 2 * LIMIT_INDEX_KEYS);

static const WireMember throughput_members[] = {
	REQUIRED("ReadCapacityUnits", units_type, WireThroughput, read),
	REQUIRED("WriteCapacityUnits", units_type, WireThroughput, write),
	END_OF_MEMBERS
};
static const WireType throughput_type =
STRUCTURE("ProvisionedThroughput", throughput_members, WireThroughput);

static const WireMember on_demand_members[] = {
	MEMBER("MaxReadRequestUnits", units_or_none_type, WireThroughput, read),
	MEMBER("MaxWriteRequestUnits", units_or_none_type, WireThroughput, write),
	END_OF_MEMBERS
};
static const WireType on_demand_type =
STRUCTURE("OnDemandThroughput", on_demand_members, WireThroughput);

static const WireMember warm_members[] = {
	MEMBER("ReadUnitsPerSecond", units_type, WireThroughput, read),
	MEMBER("WriteUnitsPerSecond", units_type, WireThroughput, write),
	END_OF_MEMBERS
};
static const WireType warm_type =
STRUCTURE("WarmThroughput", warm_members, WireThroughput);

static const WireType include_type = LIST(attribute_name_type, 1, WIRE_NO_MAX);
static const WireMember projection_members[] = {
	MEMBER("ProjectionType", projection_word_type, WireProjection, type),
	MEMBER("NonKeyAttributes", include_type, WireProjection, include),
	END_OF_MEMBERS
};
static const WireType projection_type =
STRUCTURE("Projection", projection_members, WireProjection);

static const WireMember local_index_members[] = {
	REQUIRED("IndexName", index_name_type, WireIndex, name),
	REQUIRED("KeySchema", keys_type, WireIndex, keys),
	REQUIRED("Projection", projection_type, WireIndex, projection),
	END_OF_MEMBERS
};
static const WireType local_index_type =
STRUCTURE("LocalSecondaryIndex", local_index_members, WireIndex);
static const WireType local_indexes_type =
LIST(local_index_type, 0, WIRE_NO_MAX);

#define INDEX_THROUGHPUT \
	MEMBER("ProvisionedThroughput", throughput_type, WireIndex, throughput), \
	MEMBER("OnDemandThroughput", on_demand_type, WireIndex, on_demand), \
	MEMBER("WarmThroughput", warm_type, WireIndex, warm)

static const WireMember global_index_members[] = {
	REQUIRED("IndexName", index_name_type, WireIndex, name),
	REQUIRED("KeySchema", global_keys_type, WireIndex, keys),
	REQUIRED("Projection", projection_type, WireIndex, projection),
	INDEX_THROUGHPUT,
	END_OF_MEMBERS
};
static const WireType global_index_type =
STRUCTURE("GlobalSecondaryIndex", global_index_members, WireIndex);
static const WireType global_indexes_type =
LIST(global_index_type, 0, WIRE_NO_MAX);

static const WireMember stream_members[] = {
	REQUIRED("StreamEnabled", bool_type, WireStream, enabled),
	MEMBER("StreamViewType", view_type, WireStream, view_type),
	END_OF_MEMBERS
};
static const WireType stream_type =
STRUCTURE("StreamSpecification", stream_members, WireStream);

static const WireMember encryption_members[] = {
	MEMBER("Enabled", bool_type, WireEncryption, enabled),
	MEMBER("SSEType", encryption_word_type, WireEncryption, type),
	MEMBER("KMSMasterKeyId", text_type, WireEncryption, key),
	END_OF_MEMBERS
};
static const WireType encryption_type =
STRUCTURE("SSESpecification", encryption_members, WireEncryption);

static const WireType tag_key_type = TEXT_LENGTH(1, LIMIT_TAG_KEY);
static const WireType tag_value_type = TEXT_LENGTH(0, LIMIT_TAG_VALUE);
static const WireMember tag_members[] = {
	REQUIRED("Key", tag_key_type, WireTag, key),
	REQUIRED("Value", tag_value_type, WireTag, value),
	END_OF_MEMBERS
};
static const WireType tag_type = STRUCTURE("Tag", tag_members, WireTag);
static const WireType tags_type = LIST(tag_type, 0, WIRE_NO_MAX);

#define TABLE(name_, type_, member) \
	MEMBER(name_, type_, WireTableRequest, member)
#define TABLE_SETTINGS \
	TABLE("BillingMode", billing_type, settings.billing_mode), \
	TABLE("ProvisionedThroughput", throughput_type, settings.throughput), \
	TABLE("OnDemandThroughput", on_demand_type, settings.on_demand), \
	TABLE("WarmThroughput", warm_type, settings.warm), \
	TABLE("StreamSpecification", stream_type, settings.stream), \
	TABLE("SSESpecification", encryption_type, settings.encryption), \
	TABLE("TableClass", class_type, settings.table_class), \
	TABLE("DeletionProtectionEnabled", bool_type, \
		  settings.deletion_protection)

static const WireMember create_table_members[] = {
	TABLE_NAME(WireTableRequest),
	REQUIRED("AttributeDefinitions", definitions_type, WireTableRequest,
			 definitions),
	REQUIRED("KeySchema", keys_type, WireTableRequest, keys),
	TABLE("LocalSecondaryIndexes", local_indexes_type, local_indexes),
	TABLE("GlobalSecondaryIndexes", global_indexes_type, global_indexes),
	TABLE("Tags", tags_type, tags),
	TABLE_SETTINGS,
	END_OF_MEMBERS
};
const WireType wire_create_table_model =
STRUCTURE("CreateTableInput", create_table_members, WireTableRequest);

/* UpdateTable */

static const WireMember update_index_members[] = {
	REQUIRED("IndexName", index_name_type, WireIndex, name),
	INDEX_THROUGHPUT,
	END_OF_MEMBERS
};
static const WireType update_index_type =
STRUCTURE("UpdateGlobalSecondaryIndexAction", update_index_members,
		  WireIndex);
static const WireMember delete_index_members[] = {
	REQUIRED("IndexName", index_name_type, WireIndex, name),
	END_OF_MEMBERS
};
static const WireType delete_index_type =
STRUCTURE("DeleteGlobalSecondaryIndexAction", delete_index_members,
		  WireIndex);
static const WireMember index_update_members[] = {
	MEMBER("Update", update_index_type, WireIndexUpdate, update),
	MEMBER("Create", global_index_type, WireIndexUpdate, create),
	MEMBER("Delete", delete_index_type, WireIndexUpdate, delete),
	END_OF_MEMBERS
};
static const WireType index_update_type =
STRUCTURE("GlobalSecondaryIndexUpdate", index_update_members,
		  WireIndexUpdate);
static const WireType index_updates_type =
LIST(index_update_type, 0, WIRE_NO_MAX);

static const WireMember update_table_members[] = {
	TABLE_NAME(WireTableRequest),
	TABLE("AttributeDefinitions", definitions_type, definitions),
	TABLE("GlobalSecondaryIndexUpdates", index_updates_type, index_updates),
	TABLE_SETTINGS,
	END_OF_MEMBERS
};
const WireType wire_update_table_model =
STRUCTURE("UpdateTableInput", update_table_members, WireTableRequest);

/* operations that have a table's name only */

static const WireMember table_name_members[] = {
	TABLE_NAME(WireTableName),
	END_OF_MEMBERS
};
const WireType wire_table_model =
STRUCTURE("DescribeTableInput", table_name_members, WireTableName);

static const WireType list_limit_type = {
	.kind = WIRE_INT, .min = 1, .max = LIMIT_LIST_TABLES
};
static const WireMember list_tables_members[] = {
	MEMBER("ExclusiveStartTableName", index_name_type, WireListTables, start),
	MEMBER("Limit", list_limit_type, WireListTables, limit),
	END_OF_MEMBERS
};
const WireType wire_list_tables_model =
STRUCTURE("ListTablesInput", list_tables_members, WireListTables);

static const WireMember no_members[] = {END_OF_MEMBERS};
const WireType wire_empty_model =
STRUCTURE("DescribeLimitsInput", no_members, WireTableName);

/* tags */

static const WireType arn_type = TEXT_LENGTH(1, LIMIT_ARN);
static const WireType tag_keys_type = LIST(tag_key_type, 0, WIRE_NO_MAX);

static const WireMember tag_resource_members[] = {
	REQUIRED("ResourceArn", arn_type, WireTagRequest, arn),
	REQUIRED("Tags", tags_type, WireTagRequest, tags),
	END_OF_MEMBERS
};
const WireType wire_tag_resource_model =
STRUCTURE("TagResourceInput", tag_resource_members, WireTagRequest);

static const WireMember untag_resource_members[] = {
	REQUIRED("ResourceArn", arn_type, WireTagRequest, arn),
	REQUIRED("TagKeys", tag_keys_type, WireTagRequest, tag_keys),
	END_OF_MEMBERS
};
const WireType wire_untag_resource_model =
STRUCTURE("UntagResourceInput", untag_resource_members, WireTagRequest);

static const WireMember list_tags_members[] = {
	REQUIRED("ResourceArn", arn_type, WireTagRequest, arn),
	MEMBER("NextToken", text_type, WireTagRequest, next_token),
	END_OF_MEMBERS
};
const WireType wire_list_tags_model =
STRUCTURE("ListTagsOfResourceInput", list_tags_members, WireTagRequest);

/* time to live */

static const WireMember ttl_members[] = {
	REQUIRED("Enabled", bool_type, WireTtl, enabled),
	REQUIRED("AttributeName", attribute_name_type, WireTtl, attribute),
	END_OF_MEMBERS
};
static const WireType ttl_type =
STRUCTURE("TimeToLiveSpecification", ttl_members, WireTtl);
static const WireMember update_ttl_members[] = {
	TABLE_NAME(WireTtlRequest),
	REQUIRED("TimeToLiveSpecification", ttl_type, WireTtlRequest, ttl),
	END_OF_MEMBERS
};
const WireType wire_ttl_model =
STRUCTURE("UpdateTimeToLiveInput", update_ttl_members, WireTtlRequest);

/* what is stored: no constraints are checked */

static const WireMember kept_throughput_members[] = {
	MEMBER("Read", units_type, WireThroughput, read),
	MEMBER("Write", units_type, WireThroughput, write),
	MEMBER("Increased", text_type, WireThroughput, increased),
	MEMBER("Decreased", text_type, WireThroughput, decreased),
	MEMBER("Decreases", count_type, WireThroughput, decreases),
	END_OF_MEMBERS
};
static const WireType kept_throughput_type =
STRUCTURE("Throughput", kept_throughput_members, WireThroughput);

static const WireMember kept_index_members[] = {
	MEMBER("IndexName", text_type, WireIndex, name),
	MEMBER("ProvisionedThroughput", kept_throughput_type, WireIndex,
		   throughput),
	MEMBER("OnDemandThroughput", kept_throughput_type, WireIndex, on_demand),
	MEMBER("WarmThroughput", kept_throughput_type, WireIndex, warm),
	END_OF_MEMBERS
};
static const WireType kept_index_type =
STRUCTURE("Index", kept_index_members, WireIndex);
static const WireType kept_indexes_type = LIST(kept_index_type, 0, WIRE_NO_MAX);

static const WireMember kept_stream_members[] = {
	MEMBER("StreamEnabled", bool_type, WireStream, enabled),
	MEMBER("StreamViewType", view_type, WireStream, view_type),
	MEMBER("StreamLabel", text_type, WireStream, label),
	END_OF_MEMBERS
};
static const WireType kept_stream_type =
STRUCTURE("Stream", kept_stream_members, WireStream);

static const WireMember kept_ttl_members[] = {
	MEMBER("Enabled", bool_type, WireTtl, enabled),
	MEMBER("AttributeName", text_type, WireTtl, attribute),
	END_OF_MEMBERS
};
static const WireType kept_ttl_type =
STRUCTURE("TimeToLive", kept_ttl_members, WireTtl);

#define KEPT(name_, type_, member) MEMBER(name_, type_, WireSettings, member)

static const WireMember settings_members[] = {
	KEPT("BillingMode", billing_type, billing_mode),
	KEPT("OnDemandSince", text_type, on_demand_since),
	KEPT("ProvisionedThroughput", kept_throughput_type, throughput),
	KEPT("OnDemandThroughput", kept_throughput_type, on_demand),
	KEPT("WarmThroughput", kept_throughput_type, warm),
	KEPT("Indexes", kept_indexes_type, indexes),
	KEPT("Stream", kept_stream_type, stream),
	KEPT("SSESpecification", encryption_type, encryption),
	KEPT("TableClass", class_type, table_class),
	KEPT("DeletionProtectionEnabled", bool_type, deletion_protection),
	KEPT("TimeToLive", kept_ttl_type, ttl),
	END_OF_MEMBERS
};
const WireType wire_settings_model =
STRUCTURE("Settings", settings_members, WireSettings);

static const WireType kept_tags_type = {
	.kind = WIRE_MAP, .java = WIRE_JAVA_MAP("java.lang.String"),
	.max = WIRE_NO_MAX, .element = &text_type
};
static const WireMember tags_members[] = {
	{.name = "Tags", .type = &kept_tags_type, .offset = 0},
	END_OF_MEMBERS
};
const WireType wire_tags_model = STRUCTURE("Tags", tags_members, WireMap);
