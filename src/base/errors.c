/*
 * errors.c
 *	  Names of the DynamoDB exceptions behind our SQLSTATEs.
 *
 * The table is the only place that pairs a code with its exception.
 */
#include "postgres.h"

#include "base/errors.h"

typedef struct ExceptionName
{
	int			sqlerrcode;
	const char *name;
} ExceptionName;

static const ExceptionName exception_names[] = {
	{ERRCODE_ITEM_VALIDATION, "ValidationException"},
	{ERRCODE_ITEM_CONDITIONAL_CHECK, "ConditionalCheckFailedException"},
	{ERRCODE_ITEM_RESOURCE_NOT_FOUND, "ResourceNotFoundException"},
	{ERRCODE_ITEM_RESOURCE_IN_USE, "ResourceInUseException"},
	{ERRCODE_ITEM_LIMIT_EXCEEDED, "LimitExceededException"},
	{ERRCODE_ITEM_THROUGHPUT_EXCEEDED, "ProvisionedThroughputExceededException"},
	{ERRCODE_ITEM_COLLECTION_SIZE, "ItemCollectionSizeLimitExceededException"},
	{ERRCODE_ITEM_TRANSACTION_CANCELED, "TransactionCanceledException"},
	{ERRCODE_ITEM_TRANSACTION_CONFLICT, "TransactionConflictException"},
	{ERRCODE_ITEM_TRANSACTION_IN_PROGRESS, "TransactionInProgressException"},
	{ERRCODE_ITEM_IDEMPOTENT_MISMATCH, "IdempotentParameterMismatchException"},
	{ERRCODE_ITEM_THROTTLING, "ThrottlingException"},
	{ERRCODE_ITEM_SERIALIZATION, "SerializationException"},
	{ERRCODE_ITEM_UNKNOWN_OPERATION, "UnknownOperationException"},
	{ERRCODE_ITEM_DUPLICATE_ITEM, "DuplicateItemException"},
	{ERRCODE_ITEM_ACCESS_DENIED, "AccessDeniedException"},
	{ERRCODE_ITEM_TABLE_NOT_FOUND, "TableNotFoundException"},
	{ERRCODE_ITEM_MISSING_TOKEN, "MissingAuthenticationTokenException"},
	{ERRCODE_ITEM_INCOMPLETE_SIGNATURE, "IncompleteSignatureException"},
	{ERRCODE_ITEM_INVALID_SIGNATURE, "InvalidSignatureException"},
	{ERRCODE_ITEM_UNRECOGNIZED_CLIENT, "UnrecognizedClientException"},
};

/*
 * Name of the exception that an SQLSTATE stands for, or NULL when the code
 * is not one of the item model.
 */
const char *
errors_exception_name(int sqlerrcode)
{
	for (size_t i = 0; i < lengthof(exception_names); i++)
	{
		if (exception_names[i].sqlerrcode == sqlerrcode)
			return exception_names[i].name;
	}
	return NULL;
}
