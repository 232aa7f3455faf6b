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

/* tables */
#define TEXT_SAME_KEY_NAMES \
	"Both the Hash Key and the Range Key element in the KeySchema have the same name"
#define TEXT_TABLE_EXISTS \
	"Table already exists: %s"

/* operations */
#define TEXT_CONDITION_FAILED \
	"The conditional request failed"
#define TEXT_RESOURCE_NOT_FOUND \
	"Requested resource not found"

#endif							/* PT_BASE_SERVICE_TEXT_H */
