/*
 * item.c
 *	  The SQL type item: input and output, text and binary, and casts.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "base/compat.h"
#include "item/item_private.h"

PG_FUNCTION_INFO_V1(item_in);
PG_FUNCTION_INFO_V1(item_out);
PG_FUNCTION_INFO_V1(item_recv);
PG_FUNCTION_INFO_V1(item_send);
PG_FUNCTION_INFO_V1(item_from_json);
PG_FUNCTION_INFO_V1(item_to_json);
PG_FUNCTION_INFO_V1(item_from_jsonb);
PG_FUNCTION_INFO_V1(item_to_jsonb);
PG_FUNCTION_INFO_V1(to_dynamodb_json);
PG_FUNCTION_INFO_V1(from_dynamodb_json);

static void check_encoding(void);

Datum
item_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	ItemData   *result;

	check_encoding();
	result = item_parse_json(text, strlen(text), fcinfo->context);
	if (result == NULL)
		PG_RETURN_NULL();		/* an error was saved */
	PG_RETURN_ITEM_P(result);
}

Datum
item_out(PG_FUNCTION_ARGS)
{
	StringInfoData out;

	initStringInfo(&out);
	item_append_json(&out, item_root(PG_GETARG_ITEM_PP(0)));
	PG_RETURN_CSTRING(out.data);
}

/*
 * The binary form is the bytes of the value as stored, the byte of version
 * and type first.
 */
Datum
item_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			version = pq_getmsgbyte(message);
	ItemRef		value;
	const char *error;

	check_encoding();
	if (version >> ITEM_VERSION_SHIFT != ITEM_FORMAT_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("unsupported format version %d of an item value",
						version >> ITEM_VERSION_SHIFT)));
	value.type = (ItemType) (version & ITEM_TYPE_MASK);
	value.len = message->len - message->cursor;
	value.data = pq_getmsgbytes(message, value.len);
	pq_getmsgend(message);

	error = item_check_encoding(value);
	if (error)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary representation of an item value"),
				 errdetail("%s", error)));
	PG_RETURN_ITEM_P(item_from_ref(value));
}

Datum
item_send(PG_FUNCTION_ARGS)
{
	ItemData   *item = PG_GETARG_ITEM_PP(0);
	StringInfoData out;

	pq_begintypsend(&out);
	pq_sendbytes(&out, VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

Datum
item_from_json(PG_FUNCTION_ARGS)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	check_encoding();
	PG_RETURN_ITEM_P(item_from_json_text(VARDATA_ANY(json),
										 VARSIZE_ANY_EXHDR(json)));
}

Datum
item_to_json(PG_FUNCTION_ARGS)
{
	StringInfoData out;

	initStringInfo(&out);
	item_append_json(&out, item_root(PG_GETARG_ITEM_PP(0)));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

/* By way of the text, so that both mean the same. */
Datum
item_from_jsonb(PG_FUNCTION_ARGS)
{
	Jsonb	   *jsonb = PG_GETARG_JSONB_P(0);
	StringInfoData text;

	check_encoding();
	initStringInfo(&text);
	JsonbToCString(&text, &jsonb->root, VARSIZE(jsonb));
	PG_RETURN_ITEM_P(item_from_json_text(text.data, text.len));
}

Datum
item_to_jsonb(PG_FUNCTION_ARGS)
{
	StringInfoData out;

	initStringInfo(&out);
	item_append_json(&out, item_root(PG_GETARG_ITEM_PP(0)));
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

/* An item (a map) without a tag around it, any other value with its tag. */
Datum
to_dynamodb_json(PG_FUNCTION_ARGS)
{
	ItemRef		value = item_root(PG_GETARG_ITEM_PP(0));
	StringInfoData out;

	initStringInfo(&out);
	if (value.type == ITEM_M)
		item_append_dynamodb_map(&out, value);
	else
		item_append_dynamodb_json(&out, value);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

Datum
from_dynamodb_json(PG_FUNCTION_ARGS)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	check_encoding();
	PG_RETURN_ITEM_P(item_from_dynamodb_json(VARDATA_ANY(json),
											 VARSIZE_ANY_EXHDR(json)));
}

/* Strings are UTF-8 by definition and are stored as they come. */
static void
check_encoding(void)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("type item needs a database of encoding UTF8")));
}
