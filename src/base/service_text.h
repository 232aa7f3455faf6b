/*
 * service_text.h
 *	  Texts of the DynamoDB service, verbatim: spelling, spaces and all.
 *
 * They are exempt from the server's message style because clients compare
 * them.  A text with conversions is a format for errmsg().  Grouped by where
 * the service raises them.  Texts used by a single parser or codec follow in
 * their group below; nothing outside this file spells a service text.
 */
#ifndef PT_BASE_SERVICE_TEXT_H
#define PT_BASE_SERVICE_TEXT_H

#define TEXT_PARAMETER_INVALID \
	"One or more parameter values were invalid: "

/* numbers */
#define TEXT_NUMBER_EMPTY \
	"The parameter cannot be converted to a numeric value"
#define TEXT_NUMBER_SYNTAX \
	"The parameter cannot be converted to a numeric value: %s"
#define TEXT_NUMBER_OVERFLOW \
	"Number overflow. Attempting to store a number with magnitude larger than supported range"
#define TEXT_NUMBER_UNDERFLOW \
	"Number underflow. Attempting to store a number with magnitude smaller than supported range"
#define TEXT_NUMBER_DIGITS \
	"Attempting to store more than 38 significant digits in a Number"

/* items */
#define TEXT_ITEM_SIZE \
	"Item size has exceeded the maximum allowed size"
#define TEXT_ITEM_SIZE_UPDATE \
	"Item size to update has exceeded the maximum allowed size"
#define TEXT_NESTING \
	"Nesting Levels have exceeded supported limits"

/* attribute values */
#define TEXT_VALUE_EMPTY \
	"Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
#define TEXT_VALUE_TYPES \
	"Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
#define TEXT_VALUE_NULL \
	TEXT_PARAMETER_INVALID "Null attribute value types must have the value of true"
#define TEXT_STRING_SET_EMPTY \
	TEXT_PARAMETER_INVALID "An string set  may not be empty"
#define TEXT_NUMBER_SET_EMPTY \
	TEXT_PARAMETER_INVALID "An number set  may not be empty"
#define TEXT_BINARY_SET_EMPTY \
	TEXT_PARAMETER_INVALID "Binary sets should not be empty"
#define TEXT_STRING_SET_DUPLICATES \
	TEXT_PARAMETER_INVALID "Input collection [%s] contains duplicates."
#define TEXT_NUMBER_SET_DUPLICATES \
	"Input collection contains duplicates"
#define TEXT_BINARY_SET_DUPLICATES \
	TEXT_PARAMETER_INVALID "Input collection [%s]of type BS contains duplicates."
#define TEXT_ATTRIBUTE_NAME_EMPTY \
	TEXT_PARAMETER_INVALID "Empty attribute name"
#define TEXT_ATTRIBUTE_NAME_LENGTH \
	"1 validation error detected: Value at 'attributeName' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 65535]"

/* deserialisation of attribute values */
#define TEXT_TRUE_TO_STRING \
	"TRUE_VALUE cannot be converted to String"
#define TEXT_FALSE_TO_STRING \
	"FALSE_VALUE cannot be converted to String"
#define TEXT_NUMBER_TO_STRING \
	"NUMBER_VALUE cannot be converted to String"
#define TEXT_DECIMAL_TO_STRING \
	"DECIMAL_VALUE cannot be converted to String"
#define TEXT_NUMBER_TO_BOOLEAN \
	"NUMBER_VALUE cannot be converted to Boolean"
#define TEXT_DECIMAL_TO_BOOLEAN \
	"DECIMAL_VALUE cannot be converted to Boolean"
#define TEXT_STRING_TO_BOOLEAN \
	"Unexpected token received from parser"
#define TEXT_ARRAY_TO_CLASS \
	"Unrecognized collection type class %s"
#define TEXT_ARRAY_TO_MAP \
	"Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.%s>"
#define TEXT_ARRAY_TO_TYPE \
	"Unrecognized collection type %s"
#define TEXT_STRING_TO_NUMBER \
	"STRING_VALUE cannot be converted to %s"
#define TEXT_TRUE_TO_NUMBER \
	"TRUE_VALUE cannot be converted to %s"
#define TEXT_FALSE_TO_NUMBER \
	"FALSE_VALUE cannot be converted to %s"
#define TEXT_NUMBER_TO_NUMBER \
	"NUMBER_VALUE cannot be converted to %s"
#define TEXT_UNEXPECTED_OBJECT \
	"Start of structure or map found where not expected"
#define TEXT_UNEXPECTED_FIELD \
	"Unexpected field type"
#define TEXT_UNEXPECTED_VALUE \
	"Unexpected value type in payload"
#define TEXT_BASE64_TYPE \
	"only base-64-encoded strings are convertible to bytes"
#define TEXT_BASE64_LENGTH \
	"Base64 encoded length is expected a multiple of 4 bytes but found: %u"
#define TEXT_BASE64_INVALID \
	"Invalid last non-pad Base64 character dectected"

/* keys */
#define TEXT_KEY_SCHEMA \
	"The provided key element does not match the schema"
#define TEXT_KEY_EMPTY_STRING \
	"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s"
#define TEXT_KEY_EMPTY_BINARY \
	"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary value. Key: %s"
#define TEXT_KEY_MISSING \
	TEXT_PARAMETER_INVALID "Missing the key %s in the item"
#define TEXT_KEY_TYPE \
	TEXT_PARAMETER_INVALID "Type mismatch for key %s expected: %s actual: %s"
#define TEXT_PARTITION_KEY_SIZE \
	TEXT_PARAMETER_INVALID "Size of hashkey has exceeded the maximum size limit of2048 bytes"
#define TEXT_SORT_KEY_SIZE \
	TEXT_PARAMETER_INVALID "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"

/* keys of secondary indexes */
#define TEXT_INDEX_KEY_TYPE \
	TEXT_PARAMETER_INVALID "Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s"
#define TEXT_INDEX_KEY_EMPTY \
	"One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s"
#define TEXT_UPDATE_INDEX_KEY_EMPTY \
	"One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s"
#define TEXT_UPDATE_INDEX_KEY_TYPE \
	"The update expression attempted to update the secondary index key to unsupported type"
#define TEXT_UPDATE_INDEX_KEY_SIZE \
	"The update expression attempted to update the secondary index key beyond allowed size limits"

/* definitions of secondary indexes */
#define TEXT_LOCAL_INDEX_NO_SORT_KEY \
	TEXT_PARAMETER_INVALID "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
#define TEXT_LOCAL_INDEX_COUNT \
	TEXT_PARAMETER_INVALID "Number of LocalSecondaryIndexes exceeds per-table limit of %d"
#define TEXT_GLOBAL_INDEX_COUNT \
	TEXT_PARAMETER_INVALID "GlobalSecondaryIndex count exceeds the per-table limit of %d"
#define TEXT_INDEX_DUPLICATE \
	TEXT_PARAMETER_INVALID "Duplicate index name: %s"
#define TEXT_PROJECTION_UNKNOWN \
	TEXT_PARAMETER_INVALID "Unknown ProjectionType: %s"
#define TEXT_PROJECTION_INCLUDE_EMPTY \
	TEXT_PARAMETER_INVALID "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
#define TEXT_PROJECTION_NOT_INCLUDE \
	TEXT_PARAMETER_INVALID "ProjectionType is %s, but NonKeyAttributes is specified"
#define TEXT_PROJECTION_DUPLICATE \
	TEXT_PARAMETER_INVALID "Duplicate attribute name in NonKeyAttributes: %s"
#define TEXT_PROJECTION_COUNT \
	TEXT_PARAMETER_INVALID "Number of NonKeyAttributes in all indexes exceeds the limit of %d: %d"

/* tables */
#define TEXT_SAME_KEY_NAMES \
	"Both the Hash Key and the Range Key element in the KeySchema have the same name"
#define TEXT_TABLE_EXISTS \
	"Table already exists: %s"

/*
 * Expressions.  The %s after "Invalid" is the request parameter's name:
 * ConditionExpression, UpdateExpression and so on.
 */
#define TEXT_EXPR \
	"Invalid %s: "
#define TEXT_EXPR_SIZE \
	TEXT_EXPR "Expression size has exceeded the maximum allowed size; expression size: %zu"
#define TEXT_EXPR_EMPTY \
	TEXT_EXPR "The expression can not be empty;"
#define TEXT_EXPR_SYNTAX \
	TEXT_EXPR "Syntax error; token: \"%.*s\", near: \"%.*s\""
#define TEXT_EXPR_OPERATORS \
	TEXT_EXPR "The expression contains too many operators; operator count: %d"
#define TEXT_EXPR_PATH_DEPTH \
	TEXT_EXPR "The document path has too many nesting levels; nesting levels: %d"
#define TEXT_EXPR_LIST_INDEX \
	TEXT_EXPR "List index is not within the allowable range; index: [%.*s]"
#define TEXT_EXPR_PARENTHESES \
	TEXT_EXPR "The expression has redundant parentheses;"
#define TEXT_EXPR_FUNCTION_NAME \
	TEXT_EXPR "Invalid function name; function: %.*s"
#define TEXT_EXPR_FUNCTION_MISUSED \
	TEXT_EXPR "The function is not allowed to be used this way in an expression; function: %s"
#define TEXT_EXPR_RESERVED \
	TEXT_EXPR "Attribute name is a reserved keyword; reserved keyword: %.*s"
#define TEXT_EXPR_NAME_UNDEFINED \
	TEXT_EXPR "An expression attribute name used in the document path is not defined; attribute name: %.*s"
#define TEXT_EXPR_VALUE_UNDEFINED \
	TEXT_EXPR "An expression attribute value used in expression is not defined; attribute value: %.*s"
#define TEXT_EXPR_OPERAND_COUNT \
	TEXT_EXPR "Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d"
#define TEXT_EXPR_IN_OPERANDS \
	TEXT_EXPR "The IN operator is provided with too many operands; number of operands: %d"
#define TEXT_EXPR_NOT_DISTINCT \
	TEXT_EXPR "The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s"
#define TEXT_EXPR_PATH_REQUIRED \
	TEXT_EXPR "Operator or function requires a document path; operator or function: %s"
#define TEXT_EXPR_OPERAND_TYPE \
	TEXT_EXPR "Incorrect operand type for operator or function; operator or function: %s, operand type: %s"
#define TEXT_EXPR_ATTRIBUTE_TYPE_NAME \
	TEXT_EXPR "Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
#define TEXT_EXPR_ANY_TYPE \
	"{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
#define TEXT_EXPR_BETWEEN_TYPES \
	TEXT_EXPR "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: %s, upper bound operand: %s"
#define TEXT_EXPR_BETWEEN_BOUNDS \
	TEXT_EXPR "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: %s, upper bound operand: %s"
#define TEXT_EXPR_SECTION_REPEATED \
	TEXT_EXPR "The \"%s\" section can only be used once in an update expression;"
#define TEXT_EXPR_PATHS_OVERLAP \
	TEXT_EXPR "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: %s, path two: %s"
#define TEXT_EXPR_PATHS_CONFLICT \
	TEXT_EXPR "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: %s, path two: %s"
#define TEXT_EXPR_SECTION_OPERAND_TYPE \
	TEXT_EXPR "Incorrect operand type for operator or function; operator: %s, operand type: %s"

/* placeholders */
#define TEXT_NAMES_WITHOUT_EXPRESSION \
	"ExpressionAttributeNames can only be specified when using expressions"
#define TEXT_VALUES_WITHOUT_EXPRESSION \
	"ExpressionAttributeValues can only be specified when using expressions: %s is null"
#define TEXT_VALUES_WITHOUT_EXPRESSIONS \
	"ExpressionAttributeValues can only be specified when using expressions: %s are null"
#define TEXT_PLACEHOLDERS_EMPTY \
	"%s must not be empty"
#define TEXT_PLACEHOLDER_KEY \
	"%s contains invalid key: Syntax error; key: \"%.*s\""
#define TEXT_PLACEHOLDER_KEY_SIZE \
	"%s contains invalid key: The size of the key exceeds the limit of %d bytes; key size: %u"
#define TEXT_NAME_EMPTY \
	"ExpressionAttributeNames contains invalid value: Attribute name must not be empty; key: %.*s"
#define TEXT_NAME_SIZE \
	"ExpressionAttributeNames contains invalid value: Attribute name exceeds the limit of %d bytes; key: %.*s"
#define TEXT_NAME_TYPE \
	"ExpressionAttributeNames contains invalid value: Attribute name must be a string; key: %.*s"
#define TEXT_VALUE_INVALID \
	"ExpressionAttributeValues contains invalid value: %s for key %.*s"
#define TEXT_PLACEHOLDERS_SIZE \
	"ExpressionAttributeNames and ExpressionAttributeValues exceed the maximum allowed size of %d bytes"
#define TEXT_PLACEHOLDERS_UNUSED \
	"Value provided in %s unused in expressions: keys: {%s}"

/* expressions against a key schema */
#define TEXT_FILTER_ON_KEY \
	"Filter Expression can only contain non-primary key attributes: Primary key attribute: %.*s"
#define TEXT_KEY_NOT_SCALAR \
	"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: %.*s"
#define TEXT_INDEX_KEY_NOT_SCALAR \
	"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: %.*s"
#define TEXT_UPDATE_OF_KEY \
	TEXT_PARAMETER_INVALID "Cannot update attribute %.*s. This attribute is part of the key"

/* key conditions */
#define TEXT_KEYCOND_OPERATOR \
	"Invalid operator used in KeyConditionExpression: %s"
#define TEXT_KEYCOND_NESTED_OPERATION \
	"KeyConditionExpressions cannot contain nested operations"
#define TEXT_KEYCOND_NESTED_ATTRIBUTE \
	"KeyConditionExpressions cannot have conditions on nested attributes"
#define TEXT_KEYCOND_SEVERAL_ATTRIBUTES \
	"Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
#define TEXT_KEYCOND_NO_ATTRIBUTE \
	"Invalid condition in KeyConditionExpression: No key attribute specified"
#define TEXT_KEYCOND_FIRST_OPERAND \
	"Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand"
#define TEXT_KEYCOND_ONE_PER_KEY \
	"KeyConditionExpressions must only contain one condition per key"
#define TEXT_KEYCOND_COUNT \
	"Conditions can be of length 1 or 2 only"
#define TEXT_KEYCOND_ABSENT \
	"Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
#define TEXT_KEYCOND_MISSED \
	"Query condition missed key schema element: %.*s"
#define TEXT_KEYCOND_NOT_SUPPORTED \
	"Query key condition not supported"
#define TEXT_KEYCOND_HASH_EQUALITY \
	"Query key condition not supported: every HASH key attribute of the index must have an equality condition: %.*s"
#define TEXT_KEYCOND_RANGE_EQUALITY \
	"Query key condition not supported: every RANGE key attribute of the index before the last one with a condition must have an equality condition: %.*s"
#define TEXT_KEYCOND_TYPE \
	TEXT_PARAMETER_INVALID "Condition parameter type does not match schema type"
#define TEXT_OPERATOR_TYPE \
	TEXT_PARAMETER_INVALID "ComparisonOperator %s is not valid for %s AttributeValue type"
#define TEXT_KEYCOND_EMPTY \
	TEXT_PARAMETER_INVALID "The AttributeValue for a key attribute cannot contain an empty %s value. Key: %.*s"

/* updates, at run time */
#define TEXT_UPDATE_MISSING \
	"The provided expression refers to an attribute that does not exist in the item"
#define TEXT_UPDATE_TYPE \
	"An operand in the update expression has an incorrect data type"
#define TEXT_UPDATE_PATH \
	"The document path provided in the update expression is invalid for update"

/* legacy parameters */
#define TEXT_QUERY_FILTER_ON_KEY \
	"QueryFilter can only contain non-primary key attributes: Primary key attribute: %.*s"
#define TEXT_KEYCOND_NOT_INDEXABLE \
	"Attempted conditional constraint is not an indexable operation"
#define TEXT_UPDATE_LEGACY_TYPE \
	"Type mismatch for attribute to update"
#define TEXT_LEGACY_MIXED \
	"Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {%s} Expression parameters: {%s}"
#define TEXT_LEGACY_OPERATOR_ALONE \
	TEXT_PARAMETER_INVALID "ConditionalOperator cannot be used without Filter or Expected"
#define TEXT_LEGACY_NAME_DUPLICATE \
	TEXT_PARAMETER_INVALID "Duplicate value in attribute name: %s"
#define TEXT_LEGACY_COUNT \
	TEXT_PARAMETER_INVALID "Invalid number of argument(s) for the %s ComparisonOperator"
#define TEXT_LEGACY_SAME_TYPE \
	TEXT_PARAMETER_INVALID "AttributeValues inside AttributeValueList must be of same type"
#define TEXT_LEGACY_BOUNDS \
	"The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
#define TEXT_EXPECTED_BOTH_VALUES \
	TEXT_PARAMETER_INVALID "Value and AttributeValueList cannot be used together for Attribute: %s"
#define TEXT_EXPECTED_EXISTS_OPERATOR \
	TEXT_PARAMETER_INVALID "Exists and ComparisonOperator cannot be used together for Attribute: %s"
#define TEXT_EXPECTED_NO_VALUE \
	TEXT_PARAMETER_INVALID "Value or AttributeValueList must be used with ComparisonOperator: %s for Attribute: %s"
#define TEXT_EXPECTED_NO_OPERATOR \
	TEXT_PARAMETER_INVALID "AttributeValueList can only be used with a ComparisonOperator for Attribute: %s"
#define TEXT_EXPECTED_EXISTS \
	TEXT_PARAMETER_INVALID "Value must be provided when Exists is %s for Attribute: %s"
#define TEXT_EXPECTED_NOT_EXISTS \
	TEXT_PARAMETER_INVALID "Value cannot be used when Exists is false for Attribute: %s"
#define TEXT_UPDATES_NO_VALUE \
	TEXT_PARAMETER_INVALID "Only DELETE action is allowed when no attribute value is specified"
#define TEXT_UPDATES_DELETE_TYPE \
	TEXT_PARAMETER_INVALID "DELETE action with value is not supported for the type %s"
#define TEXT_UPDATES_ADD_TYPE \
	TEXT_PARAMETER_INVALID "ADD action is not supported for the type %s"

/* what to select */
#define TEXT_SELECT_PROJECTED \
	TEXT_PARAMETER_INVALID "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
#define TEXT_SELECT_SPECIFIC \
	TEXT_PARAMETER_INVALID "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
#define TEXT_SELECT_PROJECTION \
	TEXT_PARAMETER_INVALID "Cannot specify the ProjectionExpression when choosing to get %s"

#define TEXT_SELECT_ALL_GLOBAL \
	TEXT_PARAMETER_INVALID "Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL"
#define TEXT_CONSISTENT_GLOBAL \
	"Consistent reads are not supported on global secondary indexes"
#define TEXT_NOT_PROJECTED \
	TEXT_PARAMETER_INVALID "Global secondary index %s does not project [%.*s]"

/* operations */
#define TEXT_RETURN_VALUES \
	"ReturnValues can only be ALL_OLD or NONE"
#define TEXT_CONDITION_FAILED \
	"The conditional request failed"
#define TEXT_RESOURCE_NOT_FOUND \
	"Requested resource not found"

/* placeholders without an expression that could use them */
#define TEXT_NAMES_WITHOUT_EXPRESSION \
	"ExpressionAttributeNames can only be specified when using expressions"
#define TEXT_VALUES_WITHOUT_CONDITION \
	"ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"
#define TEXT_VALUES_WITHOUT_UPDATE \
	"ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and ConditionExpression are null"
#define TEXT_VALUES_WITHOUT_QUERY \
	"ExpressionAttributeValues can only be specified when using expressions: FilterExpression and KeyConditionExpression are null"
#define TEXT_VALUES_WITHOUT_FILTER \
	"ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"

/* queries and scans */
#define TEXT_KEY_CONDITION_ABSENT \
	"Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
#define TEXT_INDEX_UNKNOWN \
	"The table does not have the specified index: %.*s"
#define TEXT_INDEX_THROUGHPUT \
	"The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. " \
	"Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API"
#define TEXT_INDEX_CREATING \
	"Cannot read from backfilling global secondary index: %s"
#define TEXT_SEGMENT_ABSENT \
	"The Segment parameter is required but was not present in the request when parameter TotalSegments is present"
#define TEXT_TOTAL_SEGMENTS_ABSENT \
	"The TotalSegments parameter is required but was not present in the request when Segment parameter is present"
#define TEXT_SEGMENT_RANGE \
	"The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d"
#define TEXT_START_KEY_INVALID \
	"The provided starting key is invalid"
#define TEXT_START_KEY_VALUE \
	"The provided starting key is invalid: %s"
#define TEXT_START_KEY_SCHEMA \
	"The provided starting key is invalid: The provided key element does not match the schema"
#define TEXT_START_KEY_OUTSIDE \
	"The provided starting key is outside query boundaries based on provided conditions"
#define TEXT_START_KEY_PREDICATE \
	"The provided starting key does not match the range key predicate"
#define TEXT_START_KEY_ONE_ROW \
	"The query can return at most one row and cannot be restarted"
#define TEXT_START_KEY_NO_SORT_KEY \
	"The provided exclusive start key is invalid: ExclusiveStartKey: %s"
#define TEXT_START_KEY_SEGMENT \
	"The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d"

/* tables */
#define TEXT_TABLE_NAME_ABSENT \
	"The parameter 'TableName' is required but was not present in the request"
#define TEXT_TABLE_NOT_FOUND \
	"Requested resource not found: Table: %.*s not found"
#define TEXT_TABLE_IN_USE \
	"Attempt to change a resource which is still in use: Table is being %s: %s"
#define TEXT_TABLE_PROTECTED \
	"Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
#define TEXT_UNITS_ON_DEMAND \
	TEXT_PARAMETER_INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
#define TEXT_UNITS_ABSENT \
	TEXT_PARAMETER_INVALID "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
#define TEXT_UNITS_BOUNDS \
	"Given value " INT64_FORMAT " for %s is out of bounds"
#define TEXT_KEYS_UNDEFINED \
	"Invalid KeySchema: Some index key attribute have no definition"
#define TEXT_KEYS_NOT_DEFINED \
	TEXT_PARAMETER_INVALID "Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], AttributeDefinitions: [%s]"
#define TEXT_KEYS_FIRST \
	"Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
#define TEXT_KEYS_SECOND \
	"Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
#define TEXT_KEYS_ORDER \
	"Invalid KeySchema: All HASH key elements must precede all RANGE key elements"
#define TEXT_KEYS_COUNT \
	"Invalid KeySchema: Number of %s key elements exceeds the limit of %d"
#define TEXT_DEFINITIONS_COUNT \
	TEXT_PARAMETER_INVALID "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"
#define TEXT_DEFINITIONS_UNUSED \
	TEXT_PARAMETER_INVALID "Some AttributeDefinitions are not used. AttributeDefinitions: [%s], keys used: [%s]"
#define TEXT_DEFINITION_DUPLICATE \
	TEXT_PARAMETER_INVALID "Duplicate AttributeName in AttributeDefinitions: %.*s"
#define TEXT_DEFINITION_CHANGED \
	TEXT_PARAMETER_INVALID "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[%s] New schema: Schema:[%s]"
#define TEXT_LOCAL_INDEXES_EMPTY \
	TEXT_PARAMETER_INVALID "List of LocalSecondaryIndexes is empty"
#define TEXT_GLOBAL_INDEXES_EMPTY \
	TEXT_PARAMETER_INVALID "List of GlobalSecondaryIndexes is empty"
#define TEXT_LOCAL_INDEX_RANGE \
	TEXT_PARAMETER_INVALID "Index KeySchema does not have a range key for index: %.*s"
#define TEXT_LOCAL_INDEX_HASH \
	TEXT_PARAMETER_INVALID "Index KeySchema does not have the same leading hash key as table KeySchema for index: %.*s. index hash key: %.*s, table hash key: %.*s"
#define TEXT_INDEX_UNITS_ON_DEMAND \
	TEXT_PARAMETER_INVALID "ProvisionedThroughput should not be specified for index: %.*s when BillingMode is PAY_PER_REQUEST"
#define TEXT_INDEX_UNITS_ABSENT \
	TEXT_PARAMETER_INVALID "ProvisionedThroughput must be specified for index: %s"
#define TEXT_STREAM_VIEW_ABSENT \
	TEXT_PARAMETER_INVALID "StreamViewType must be specified when StreamEnabled is true"
#define TEXT_STREAM_VIEW_GIVEN \
	TEXT_PARAMETER_INVALID "StreamViewType cannot be specified when StreamEnabled is false"
#define TEXT_STREAM_ENABLED \
	"Table already has an enabled stream: TableArn: %s"
#define TEXT_STREAM_DISABLED \
	"Table has no stream to disable: TableArn: %s"
#define TEXT_UPDATE_NOTHING \
	"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
#define TEXT_UPDATE_UNITS_SAME \
	"The provisioned throughput for the %s will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the %s: " INT64_FORMAT ". Requested ReadCapacityUnits: " INT64_FORMAT ". Current WriteCapacityUnits provisioned for the %s: " INT64_FORMAT ". Requested WriteCapacityUnits: " INT64_FORMAT ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
#define TEXT_UPDATE_DECREASES \
	"Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number of decreases today: %d."
#define TEXT_UPDATE_INDEX_NONE \
	TEXT_PARAMETER_INVALID "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"
#define TEXT_UPDATE_INDEX_SEVERAL \
	TEXT_PARAMETER_INVALID "Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete can be specified"
#define TEXT_UPDATE_INDEX_TWICE \
	TEXT_PARAMETER_INVALID "Only one global secondary index update per index is allowed simultaneously. Index: %.*s"
#define TEXT_UPDATE_INDEX_COUNT \
	"Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
#define TEXT_INDEX_EXISTS \
	"Attempting to create an index which already exists: %.*s already exists"
#define TEXT_INDEX_LOCAL \
	TEXT_PARAMETER_INVALID "Index is a local secondary index, which cannot be updated or deleted: %.*s"
#define TEXT_WARM_LOWER \
	TEXT_PARAMETER_INVALID "WarmThroughput cannot be decreased. Current %s: " INT64_FORMAT ". Requested: " INT64_FORMAT

/* tags */
#define TEXT_TAGS_EMPTY \
	"Atleast one Tag needs to be provided as Input."
#define TEXT_TAG_KEYS_EMPTY \
	"Atleast one Tag Key needs to be provided as Input."
#define TEXT_TAGS_COUNT \
	TEXT_PARAMETER_INVALID "Number of tags exceeds the limit of %d"
#define TEXT_TAG_CHARACTERS \
	TEXT_PARAMETER_INVALID "Tag keys and values can only contain letters, digits, white space and the characters + - = . _ : / @: %.*s"
#define TEXT_TAG_DUPLICATE \
	TEXT_PARAMETER_INVALID "Duplicate tag key: %.*s"
#define TEXT_ARN_INVALID \
	"Invalid TableArn: Invalid ResourceArn provided as input %.*s"
#define TEXT_NOT_AUTHORIZED \
	"User: %s is not authorized to perform: dynamodb:%s on resource: %.*s"
#define TEXT_ARN_NOT_FOUND \
	"Requested resource not found: ResourcArn: %.*s not found"

/* time to live */
#define TEXT_TTL_ENABLED \
	"TimeToLive is already enabled"
#define TEXT_TTL_DISABLED \
	"TimeToLive is already disabled"
#define TEXT_TTL_DIFFERENT \
	"TimeToLive is active on a different AttributeName: current AttributeName is %.*s"

/* backups */
#define TEXT_BACKUP_TABLE \
	"Table not found: %.*s"

/* transactions */
#define TEXT_TRANSACTION_CANCELED \
	"Transaction cancelled, please refer cancellation reasons for specific reasons [%s]"
#define TEXT_TRANSACTION_CONFLICT \
	"Transaction is ongoing for the item"
#define TEXT_TRANSACTION_DUPLICATES \
	"Transaction request cannot include multiple operations on one item"
#define TEXT_TRANSACTION_EMPTY \
	"1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"
#define TEXT_TRANSACTION_COUNT \
	"1 validation error detected: Value '[...]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d"
#define TEXT_TRANSACTION_ONE_ACTION \
	"TransactItems can only contain one of Check, Put, Update or Delete"
#define TEXT_TRANSACTION_NULL \
	"1 validation error detected: Value null at 'transactItems.%d.member.%s' failed to satisfy constraint: Member must not be null"
#define TEXT_TRANSACTION_SIZE \
	"Transaction request size cannot exceed %d bytes"
#define TEXT_TRANSACTION_RESPONSE_SIZE \
	"Transaction response size cannot exceed %d bytes"
#define TEXT_TOKEN_SHORT \
	"1 validation error detected: Value '' at 'clientRequestToken' failed to satisfy constraint: Member must have length greater than or equal to 1"
#define TEXT_TOKEN_LONG \
	"1 validation error detected: Value '%s' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36"
#define TEXT_TOKEN_IN_USE \
	"The transaction with the given request token is already in progress"
#define TEXT_TOKEN_MISMATCH \
	"The given request token was used with another request"

/* batches */
#define TEXT_BATCH_GET_EMPTY \
	"The requestItems parameter is required for BatchGetItem"
#define TEXT_BATCH_GET_COUNT \
	"Too many items requested for the BatchGetItem call"
#define TEXT_BATCH_GET_TABLE_COUNT \
	"1 validation error detected: Value at 'RequestItems.%s.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100"
#define TEXT_BATCH_WRITE_EMPTY \
	"The requestItems parameter is required for BatchWriteItem"
#define TEXT_BATCH_WRITE_COUNT \
	"Too many items requested for the BatchWriteItem call"
#define TEXT_BATCH_DUPLICATES \
	"Provided list of item keys contains duplicates"

/* constraints of a request's members */
#define TEXT_CONSTRAINT_ERROR \
	"%d validation error detected: %s"
#define TEXT_CONSTRAINT_ERRORS \
	"%d validation errors detected: %s"
#define TEXT_CONSTRAINT_NOT_NULL \
	"Member must not be null"
#define TEXT_CONSTRAINT_LENGTH_MIN \
	"Member must have length greater than or equal to %d"
#define TEXT_CONSTRAINT_LENGTH_MAX \
	"Member must have length less than or equal to %d"
#define TEXT_CONSTRAINT_VALUE_MIN \
	"Member must have value greater than or equal to %d"
#define TEXT_CONSTRAINT_VALUE_MAX \
	"Member must have value less than or equal to %d"
#define TEXT_CONSTRAINT_NAME \
	"Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
#define TEXT_CONSTRAINT_WORD \
	"Member must satisfy enum value set: [%s]"
#define TEXT_CONSTRAINT_MAP_KEYS \
	"Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length greater than or equal to 1, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
#define TEXT_CONSTRAINT_MAP_LISTS \
	"Map value must satisfy constraint: [Member must have length less than or equal to %d, Member must have length greater than or equal to %d]"

/* signatures */
#define TEXT_SIGNATURE_BOTH \
	"Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
#define TEXT_SIGNATURE_MISSING \
	"Request is missing Authentication Token"
#define TEXT_SIGNATURE_HEADER_PART \
	"Authorization header requires '%s' parameter. "
#define TEXT_SIGNATURE_HEADER_DATE \
	"Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
#define TEXT_SIGNATURE_HEADER \
	"Authorization=%s"
#define TEXT_SIGNATURE_QUERY_PART \
	"AWS query-string parameters must include '%s'. "
#define TEXT_SIGNATURE_QUERY \
	"Re-examine the query-string parameters."
#define TEXT_SIGNATURE_DATE \
	"Date must be in ISO-8601 'basic format'. Got '%s'. See http://en.wikipedia.org/wiki/ISO_8601"
#define TEXT_SIGNATURE_EXPIRED \
	"Signature expired: %s is now earlier than %s (%s - 15 min.)"
#define TEXT_SIGNATURE_EARLY \
	"Signature not yet current: %s is still later than %s (%s + 15 min.)"
#define TEXT_SIGNATURE_UNSIGNED \
	"'%s' must be a 'SignedHeader' in the AWS Authorization."
#define TEXT_SIGNATURE_ALGORITHM \
	"Unsupported AWS 'algorithm': '%s' (only AWS4-HMAC-SHA256 for now). "
#define TEXT_SIGNATURE_CREDENTIAL \
	"Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '%s'"
#define TEXT_SIGNATURE_REGION \
	"Credential should be scoped to a valid region, not '%s'. "
#define TEXT_SIGNATURE_SERVICE \
	"Credential should be scoped to correct service: 'dynamodb'. "
#define TEXT_SIGNATURE_TERMINATOR \
	"Credential should be scoped with a valid terminator: 'aws4_request', not '%s'. "
#define TEXT_SIGNATURE_SCOPE_DATE \
	"Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '%s' != '%.8s', from '%s'."
#define TEXT_SIGNATURE_UNKNOWN_KEY \
	"The security token included in the request is invalid."
#define TEXT_SIGNATURE_DIFFERS \
	"The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details."

/* all operations */
#define TEXT_INTERNAL_ERROR \
	"Internal server error"

#endif							/* PT_BASE_SERVICE_TEXT_H */
