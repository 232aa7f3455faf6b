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

/* operations */
#define TEXT_CONDITION_FAILED \
	"The conditional request failed"
#define TEXT_RESOURCE_NOT_FOUND \
	"Requested resource not found"

#endif							/* PT_BASE_SERVICE_TEXT_H */
