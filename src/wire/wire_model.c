/*
 * wire_model.c
 *	  The requests of the item operations: members, types, constraints.
 *
 * TableName comes first wherever there is one, because the service complains
 * about it first.  Members that are not here are ignored, as by the service.
 */
#include "postgres.h"

#include "base/limits.h"
#include "wire/wire_private.h"

#define MODEL				WIRE_MODEL
#define JAVA_CLASS(name)	WIRE_JAVA_CLASS(name)
#define JAVA_LIST			WIRE_JAVA_LIST
#define JAVA_MAP(name)		WIRE_JAVA_MAP(name)

static const char *const capacity_words[] = {
	"INDEXES", "TOTAL", "NONE", NULL
};
static const char *const metrics_words[] = {"SIZE", "NONE", NULL};
static const char *const return_words[] = {
	"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW", NULL
};
static const char *const failure_words[] = {"ALL_OLD", "NONE", NULL};
static const char *const select_words[] = {
	"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
	"ALL_PROJECTED_ATTRIBUTES", NULL
};

static const WireType text_type = {.kind = WIRE_TEXT};
static const WireType bool_type = {.kind = WIRE_BOOL};
static const WireType table_type = {
	.kind = WIRE_TABLE, .min = 1, .max = LIMIT_TABLE_NAME, .is_name = true
};
static const WireType index_type = {
	.kind = WIRE_TEXT, .min = LIMIT_TABLE_NAME_MIN, .max = LIMIT_TABLE_NAME,
	.is_name = true
};
static const WireType token_type = {
	.kind = WIRE_TEXT, .min = 1, .max = LIMIT_CLIENT_TOKEN
};
static const WireType item_type = {
	.kind = WIRE_ITEM, .java = JAVA_MAP(MODEL "AttributeValue")
};
static const WireType values_type = {
	.kind = WIRE_VALUES, .java = JAVA_MAP(MODEL "AttributeValue")
};
static const WireType names_type = {
	.kind = WIRE_NAMES, .java = JAVA_MAP("java.lang.String")
};
static const WireType capacity_type = {
	.kind = WIRE_WORD, .words = capacity_words,
	.words_text = "INDEXES, TOTAL, NONE"
};
static const WireType metrics_type = {
	.kind = WIRE_WORD, .words = metrics_words, .words_text = "SIZE, NONE"
};
static const WireType return_type = {
	.kind = WIRE_WORD, .words = return_words,
	.words_text = "ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW"
};
static const WireType failure_type = {
	.kind = WIRE_WORD, .words = failure_words, .words_text = "ALL_OLD, NONE"
};
static const WireType select_type = {
	.kind = WIRE_WORD, .words = select_words,
	.words_text = "SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES"
};
static const WireType query_limit_type = {
	.kind = WIRE_INT, .min = 1, .new_style = true
};
static const WireType scan_limit_type = {.kind = WIRE_INT, .min = 1};
static const WireType segment_type = {
	.kind = WIRE_INT, .max = LIMIT_SEGMENTS - 1
};
static const WireType segments_type = {
	.kind = WIRE_INT, .min = 1, .max = LIMIT_SEGMENTS
};

/* what expressions have replaced */

static const char *const operator_words[] = {"OR", "AND", NULL};
static const char *const comparison_words[] = {
	[EXPR_LEGACY_IN] = "IN",
	[EXPR_LEGACY_NULL] = "NULL",
	[EXPR_LEGACY_BETWEEN] = "BETWEEN",
	[EXPR_LEGACY_LT] = "LT",
	[EXPR_LEGACY_NOT_CONTAINS] = "NOT_CONTAINS",
	[EXPR_LEGACY_EQ] = "EQ",
	[EXPR_LEGACY_GT] = "GT",
	[EXPR_LEGACY_NOT_NULL] = "NOT_NULL",
	[EXPR_LEGACY_NE] = "NE",
	[EXPR_LEGACY_LE] = "LE",
	[EXPR_LEGACY_BEGINS_WITH] = "BEGINS_WITH",
	[EXPR_LEGACY_GE] = "GE",
	[EXPR_LEGACY_CONTAINS] = "CONTAINS",
	NULL
};
static const char *const action_words[] = {
	[EXPR_LEGACY_ADD] = "ADD",
	[EXPR_LEGACY_DELETE] = "DELETE",
	[EXPR_LEGACY_PUT] = "PUT",
	NULL
};

static const WireType operator_type = {
	.kind = WIRE_WORD, .words = operator_words, .words_text = "OR, AND"
};
static const WireType comparison_type = {
	.kind = WIRE_WORD, .words = comparison_words,
	.words_text = "IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS"
};
static const WireType update_action_type = {
	.kind = WIRE_WORD, .words = action_words, .words_text = "ADD, DELETE, PUT"
};
static const WireType value_type = {
	.kind = WIRE_VALUE, .java = JAVA_CLASS("AttributeValue")
};
static const WireType value_list_type = {
	.kind = WIRE_LIST, .java = JAVA_LIST, .max = WIRE_NO_MAX, .element = &value_type
};
static const WireType attributes_type = {
	.kind = WIRE_LIST, .java = JAVA_LIST, .min = 1, .max = LIMIT_ATTRIBUTES_TO_GET,
	.element = &text_type
};

static const WireMember expected_members[] = {
	{.name = "Value", .type = &value_type,
	.offset = offsetof(WireExpected, value)},
	{.name = "Exists", .type = &bool_type,
	.offset = offsetof(WireExpected, exists)},
	{.name = "ComparisonOperator", .type = &comparison_type,
	.offset = offsetof(WireExpected, operator)},
	{.name = "AttributeValueList", .type = &value_list_type,
	.offset = offsetof(WireExpected, values)},
	{.name = NULL}
};
static const WireType expected_entry_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("ExpectedAttributeValue"),
	.members = expected_members, .size = sizeof(WireExpected)
};
static const WireType expected_type = {
	.kind = WIRE_MAP, .java = JAVA_MAP(MODEL "ExpectedAttributeValue"),
	.max = WIRE_NO_MAX, .element = &expected_entry_type
};

static const WireMember condition_members[] = {
	{.name = "ComparisonOperator", .type = &comparison_type,
	.offset = offsetof(WireExpected, operator), .required = true},
	{.name = "AttributeValueList", .type = &value_list_type,
	.offset = offsetof(WireExpected, values)},
	{.name = NULL}
};
static const WireType condition_entry_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("Condition"),
	.members = condition_members, .size = sizeof(WireExpected)
};
static const WireType conditions_type = {
	.kind = WIRE_MAP, .java = JAVA_MAP(MODEL "Condition"),
	.max = WIRE_NO_MAX, .element = &condition_entry_type
};

static const WireMember attribute_update_members[] = {
	{.name = "Action", .type = &update_action_type,
	.offset = offsetof(WireAttributeUpdate, action)},
	{.name = "Value", .type = &value_type,
	.offset = offsetof(WireAttributeUpdate, value)},
	{.name = NULL}
};
static const WireType attribute_update_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("AttributeValueUpdate"),
	.members = attribute_update_members, .size = sizeof(WireAttributeUpdate)
};
static const WireType attribute_updates_type = {
	.kind = WIRE_MAP, .java = JAVA_MAP(MODEL "AttributeValueUpdate"),
	.max = WIRE_NO_MAX, .element = &attribute_update_type
};

/* PutItem and the like, which all become a WireWrite */

#define WRITE(name_, type_, member) \
	{.name = name_, .type = &type_, .offset = offsetof(WireWrite, member)}
#define WRITE_REQUIRED(name_, type_, member) \
	{.name = name_, .type = &type_, .offset = offsetof(WireWrite, member), \
	 .required = true}
#define WRITE_PLACEHOLDERS \
	WRITE("ExpressionAttributeNames", names_type, names), \
	WRITE("ExpressionAttributeValues", values_type, values), \
	WRITE("ReturnValuesOnConditionCheckFailure", failure_type, \
		  return_on_failure)
#define WRITE_OPTIONS \
	WRITE("ConditionExpression", text_type, condition), \
	WRITE_PLACEHOLDERS, \
	WRITE("ReturnValues", return_type, return_values), \
	WRITE("ReturnConsumedCapacity", capacity_type, capacity), \
	WRITE("ReturnItemCollectionMetrics", metrics_type, metrics), \
	WRITE("Expected", expected_type, expected), \
	WRITE("ConditionalOperator", operator_type, operator)
#define WRITE_MODEL(java_, members_) \
	{.kind = WIRE_STRUCTURE, .java = JAVA_CLASS(java_), \
	 .members = members_, .size = sizeof(WireWrite)}

static const WireMember put_members[] = {
	WRITE_REQUIRED("TableName", table_type, table_name),
	WRITE_REQUIRED("Item", item_type, item),
	WRITE_OPTIONS,
	{.name = NULL}
};
const WireType wire_put_model = WRITE_MODEL("PutItemInput", put_members);

static const WireMember update_members[] = {
	WRITE_REQUIRED("TableName", table_type, table_name),
	WRITE_REQUIRED("Key", item_type, item),
	WRITE("UpdateExpression", text_type, update),
	WRITE_OPTIONS,
	WRITE("AttributeUpdates", attribute_updates_type, updates),
	{.name = NULL}
};
const WireType wire_update_model =
WRITE_MODEL("UpdateItemInput", update_members);

static const WireMember delete_members[] = {
	WRITE_REQUIRED("TableName", table_type, table_name),
	WRITE_REQUIRED("Key", item_type, item),
	WRITE_OPTIONS,
	{.name = NULL}
};
const WireType wire_delete_model =
WRITE_MODEL("DeleteItemInput", delete_members);

/* GetItem, also in a transaction */

#define GET(name_, type_, member) \
	{.name = name_, .type = &type_, .offset = offsetof(WireGet, member)}
#define GET_REQUIRED(name_, type_, member) \
	{.name = name_, .type = &type_, .offset = offsetof(WireGet, member), \
	 .required = true}
#define GET_COMMON \
	GET_REQUIRED("TableName", table_type, table_name), \
	GET_REQUIRED("Key", item_type, key), \
	GET("ProjectionExpression", text_type, projection), \
	GET("ExpressionAttributeNames", names_type, names)

static const WireMember get_members[] = {
	GET_COMMON,
	GET("ConsistentRead", bool_type, consistent),
	GET("ReturnConsumedCapacity", capacity_type, capacity),
	GET("AttributesToGet", attributes_type, attributes),
	{.name = NULL}
};
const WireType wire_get_model = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("GetItemInput"),
	.members = get_members, .size = sizeof(WireGet)
};

/* Query and Scan, which both become a WireRead */

#define READ(name_, type_, member) \
	{.name = name_, .type = &type_, .offset = offsetof(WireRead, member)}
#define READ_TABLE \
	{.name = "TableName", .type = &table_type, \
	 .offset = offsetof(WireRead, table_name), .required = true}
#define READ_COMMON \
	READ("IndexName", index_type, index_name), \
	READ("FilterExpression", text_type, filter), \
	READ("ProjectionExpression", text_type, projection), \
	READ("ExpressionAttributeNames", names_type, names), \
	READ("ExpressionAttributeValues", values_type, values), \
	READ("Select", select_type, select), \
	READ("ConsistentRead", bool_type, consistent), \
	READ("ExclusiveStartKey", item_type, start_key), \
	READ("ReturnConsumedCapacity", capacity_type, capacity), \
	READ("AttributesToGet", attributes_type, attributes), \
	READ("ConditionalOperator", operator_type, operator)

static const WireMember query_members[] = {
	READ_TABLE,
	READ("KeyConditionExpression", text_type, key_condition),
	READ("Limit", query_limit_type, limit),
	READ("ScanIndexForward", bool_type, forward),
	READ_COMMON,
	READ("KeyConditions", conditions_type, key_conditions),
	READ("QueryFilter", conditions_type, conditions),
	{.name = NULL}
};
const WireType wire_query_model = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("QueryInput"),
	.members = query_members, .size = sizeof(WireRead)
};

static const WireMember scan_members[] = {
	READ_TABLE,
	READ("Limit", scan_limit_type, limit),
	READ("Segment", segment_type, segment),
	READ("TotalSegments", segments_type, total_segments),
	READ_COMMON,
	READ("ScanFilter", conditions_type, conditions),
	{.name = NULL}
};
const WireType wire_scan_model = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("ScanInput"),
	.members = scan_members, .size = sizeof(WireRead)
};

/* BatchGetItem */

static const WireType keys_type = {
	.kind = WIRE_LIST, .java = JAVA_LIST, .min = 1, .max = LIMIT_BATCH_GET_KEYS,
	.new_style = true, .element = &item_type
};
static const WireMember keys_members[] = {
	{.name = "Keys", .type = &keys_type, .offset = offsetof(WireKeys, keys),
	.required = true},
	{.name = "ConsistentRead", .type = &bool_type,
	.offset = offsetof(WireKeys, consistent)},
	{.name = "ProjectionExpression", .type = &text_type,
	.offset = offsetof(WireKeys, projection)},
	{.name = "ExpressionAttributeNames", .type = &names_type,
	.offset = offsetof(WireKeys, names)},
	{.name = "AttributesToGet", .type = &attributes_type,
	.offset = offsetof(WireKeys, attributes)},
	{.name = NULL}
};
static const WireType table_keys_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("KeysAndAttributes"),
	.members = keys_members, .size = sizeof(WireKeys)
};
static const WireType get_tables_type = {
	.kind = WIRE_MAP, .java = JAVA_MAP(MODEL "KeysAndAttributes"),
	.max = LIMIT_BATCH_GET_KEYS, .is_name = true, .element = &table_keys_type
};
static const WireMember batch_get_members[] = {
	{.name = "RequestItems", .type = &get_tables_type,
	.offset = offsetof(WireBatchGet, tables), .required = true},
	{.name = "ReturnConsumedCapacity", .type = &capacity_type,
	.offset = offsetof(WireBatchGet, capacity)},
	{.name = NULL}
};
const WireType wire_batch_get_model = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("BatchGetItemInput"),
	.members = batch_get_members, .size = sizeof(WireBatchGet)
};

/* BatchWriteItem */

static const WireMember put_request_members[] = {
	{.name = "Item", .type = &item_type, .offset = offsetof(WireSingle, item),
	.required = true},
	{.name = NULL}
};
static const WireType put_request_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("PutRequest"),
	.members = put_request_members, .size = sizeof(WireSingle)
};
static const WireMember delete_request_members[] = {
	{.name = "Key", .type = &item_type, .offset = offsetof(WireSingle, item),
	.required = true},
	{.name = NULL}
};
static const WireType delete_request_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("DeleteRequest"),
	.members = delete_request_members, .size = sizeof(WireSingle)
};
static const WireMember request_members[] = {
	{.name = "PutRequest", .type = &put_request_type,
	.offset = offsetof(WireRequest, put)},
	{.name = "DeleteRequest", .type = &delete_request_type,
	.offset = offsetof(WireRequest, delete)},
	{.name = NULL}
};
static const WireType request_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("WriteRequest"),
	.members = request_members, .size = sizeof(WireRequest)
};
static const WireType requests_type = {
	.kind = WIRE_LIST, .java = JAVA_LIST, .min = 1, .max = LIMIT_BATCH_WRITE_REQUESTS,
	.element = &request_type
};
static const WireType write_tables_type = {
	.kind = WIRE_MAP,
	.java = JAVA_MAP("java.util.List<" MODEL "WriteRequest>"),
	.max = LIMIT_BATCH_WRITE_REQUESTS, .is_name = true,
	.element = &requests_type
};
static const WireMember batch_write_members[] = {
	{.name = "RequestItems", .type = &write_tables_type,
	.offset = offsetof(WireBatchWrite, tables), .required = true},
	{.name = "ReturnConsumedCapacity", .type = &capacity_type,
	.offset = offsetof(WireBatchWrite, capacity)},
	{.name = "ReturnItemCollectionMetrics", .type = &metrics_type,
	.offset = offsetof(WireBatchWrite, metrics)},
	{.name = NULL}
};
const WireType wire_batch_write_model = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("BatchWriteItemInput"),
	.members = batch_write_members, .size = sizeof(WireBatchWrite)
};

/* TransactWriteItems */

static const WireMember action_put_members[] = {
	WRITE_REQUIRED("TableName", table_type, table_name),
	WRITE_REQUIRED("Item", item_type, item),
	WRITE("ConditionExpression", text_type, condition),
	WRITE_PLACEHOLDERS,
	{.name = NULL}
};
static const WireType action_put_type =
WRITE_MODEL("Put", action_put_members);

static const WireMember action_update_members[] = {
	WRITE_REQUIRED("TableName", table_type, table_name),
	WRITE_REQUIRED("Key", item_type, item),
	WRITE_REQUIRED("UpdateExpression", text_type, update),
	WRITE("ConditionExpression", text_type, condition),
	WRITE_PLACEHOLDERS,
	{.name = NULL}
};
static const WireType action_update_type =
WRITE_MODEL("Update", action_update_members);

static const WireMember action_delete_members[] = {
	WRITE_REQUIRED("TableName", table_type, table_name),
	WRITE_REQUIRED("Key", item_type, item),
	WRITE("ConditionExpression", text_type, condition),
	WRITE_PLACEHOLDERS,
	{.name = NULL}
};
static const WireType action_delete_type =
WRITE_MODEL("Delete", action_delete_members);

static const WireMember action_check_members[] = {
	WRITE_REQUIRED("TableName", table_type, table_name),
	WRITE_REQUIRED("Key", item_type, item),
	WRITE_REQUIRED("ConditionExpression", text_type, condition),
	WRITE_PLACEHOLDERS,
	{.name = NULL}
};
static const WireType action_check_type =
WRITE_MODEL("ConditionCheck", action_check_members);

static const WireMember action_members[] = {
	{.name = "ConditionCheck", .type = &action_check_type,
	.offset = offsetof(WireAction, check)},
	{.name = "Put", .type = &action_put_type,
	.offset = offsetof(WireAction, put)},
	{.name = "Update", .type = &action_update_type,
	.offset = offsetof(WireAction, update)},
	{.name = "Delete", .type = &action_delete_type,
	.offset = offsetof(WireAction, delete)},
	{.name = NULL}
};
static const WireType action_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("TransactWriteItem"),
	.members = action_members, .size = sizeof(WireAction)
};
static const WireType actions_type = {
	.kind = WIRE_LIST, .java = JAVA_LIST, .min = 1, .max = LIMIT_TRANSACTION_ITEMS,
	.element = &action_type
};
static const WireMember transact_write_members[] = {
	{.name = "TransactItems", .type = &actions_type,
	.offset = offsetof(WireTransactWrite, actions), .required = true},
	{.name = "ClientRequestToken", .type = &token_type,
	.offset = offsetof(WireTransactWrite, client_token)},
	{.name = "ReturnConsumedCapacity", .type = &capacity_type,
	.offset = offsetof(WireTransactWrite, capacity)},
	{.name = "ReturnItemCollectionMetrics", .type = &metrics_type,
	.offset = offsetof(WireTransactWrite, metrics)},
	{.name = NULL}
};
const WireType wire_transact_write_model = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("TransactWriteItemsInput"),
	.members = transact_write_members, .size = sizeof(WireTransactWrite)
};

/* TransactGetItems */

static const WireMember transact_get_item_members[] = {
	GET_COMMON,
	{.name = NULL}
};
static const WireType transact_get_item_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("Get"),
	.members = transact_get_item_members, .size = sizeof(WireGet)
};
static const WireMember get_member[] = {
	{.name = "Get", .type = &transact_get_item_type,
	.offset = offsetof(WireTransactGetItem, get), .required = true},
	{.name = NULL}
};
static const WireType get_action_type = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("TransactGetItem"),
	.members = get_member, .size = sizeof(WireTransactGetItem)
};
static const WireType gets_type = {
	.kind = WIRE_LIST, .java = JAVA_LIST, .min = 1, .max = LIMIT_TRANSACTION_ITEMS,
	.element = &get_action_type
};
static const WireMember transact_get_members[] = {
	{.name = "TransactItems", .type = &gets_type,
	.offset = offsetof(WireTransactGet, gets), .required = true},
	{.name = "ReturnConsumedCapacity", .type = &capacity_type,
	.offset = offsetof(WireTransactGet, capacity)},
	{.name = NULL}
};
const WireType wire_transact_get_model = {
	.kind = WIRE_STRUCTURE, .java = JAVA_CLASS("TransactGetItemsInput"),
	.members = transact_get_members, .size = sizeof(WireTransactGet)
};
