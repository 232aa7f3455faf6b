/*
 * wire_decode.c
 *	  Requests in JSON to structures, as their models say.
 *
 * A value that does not fit its type is raised at once: the service decodes
 * the whole request before it looks at what the values are.  A member that
 * is null is absent, one that the model does not know is skipped, and of
 * members of one name the last counts.
 *
 * Of a list or map that is longer than it may be, what is too much is decoded
 * all the same, but not kept, so that no request needs much more memory than
 * it has bytes.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "base/errors.h"
#include "base/service_text.h"
#include "wire/wire_private.h"

#define ARN_START		"arn:"
#define ARN_TABLE		":table/"

/* Doubles below are exact integers of 64 bits. */
#define LONG_BOUND		9.2e18

/* Elements that are not kept go after so many. */
#define SCRATCH_ELEMENTS	16

typedef struct WireDecoder
{
	ItemScanner scan;
} WireDecoder;

pg_noreturn static void raise_decode_error(void);
static void *decode_request(const WireType *model, const char *json,
							size_t len);
static void decode_value(WireDecoder *d, const WireType *type, bool inside,
						 void *result);
static void decode_text(WireDecoder *d, ApiText *result);
static void decode_word(WireDecoder *d, const WireType *type,
						WireWord *result);
static void decode_int(WireDecoder *d, const WireType *type,
					   WireInt *result);
static void decode_names(WireDecoder *d, const WireType *type,
						 Jsonb **result);
static void *decode_structure(WireDecoder *d, const WireType *type,
							  bool inside);
static void decode_member(WireDecoder *d, const WireType *type, char *result);
static void decode_list(WireDecoder *d, const WireType *type,
						WireList *result);
static void decode_map(WireDecoder *d, const WireType *type, WireMap *result);
static void decode_and_forget(WireDecoder *d, const WireType *type,
							  MemoryContext *scratch, int n);
static void *make_room(void *array, int n, size_t size);
static void expect_object(WireDecoder *d, const WireType *type, bool inside);
pg_noreturn static void refuse(const char *format, const char *argument);

/*
 * Decodes a whole request.
 */
void *
wire_decode(const WireType *model, const char *json, size_t len)
{
	MemoryContext context = CurrentMemoryContext;
	void	   *volatile result = NULL;

	/*
	 * What the scanner says of broken JSON is for people who write items.  As
	 * nothing but memory is in use, the error leaves nothing behind.
	 */
	PG_TRY();
	{
		result = decode_request(model, json, len);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		raise_decode_error();
	}
	PG_END_TRY();
	return result;
}

/*
 * In a PG_CATCH() block: broken JSON is a SerializationException without a
 * message, and a value that is too large for the item type is too large.
 */
static void
raise_decode_error(void)
{
	ErrorData  *error = CopyErrorData();

	switch (error->sqlerrcode)
	{
		case ERRCODE_INVALID_TEXT_REPRESENTATION:
		case ERRCODE_STATEMENT_TOO_COMPLEX:
			FlushErrorState();
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_SERIALIZATION),
					 errmsg("%s", WIRE_INVALID_JSON),
					 error->detail != NULL ?
					 errdetail_internal("%s", error->detail) : 0));
		case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
			FlushErrorState();
			ereport(ERROR,
					(errcode(ERRCODE_ITEM_VALIDATION),
					 errmsg(TEXT_ITEM_SIZE)));
		default:
			PG_RE_THROW();
	}
}

static void *
decode_request(const WireType *model, const char *json, size_t len)
{
	WireDecoder d;
	void	   *result = NULL;

	memset(&d, 0, sizeof(d));
	(void) item_scan_init(&d.scan, json, len, NULL);
	if (model == NULL)
		(void) item_scan_skip(&d.scan);
	else
		result = decode_structure(&d, model, true);
	(void) item_scan_end(&d.scan);
	return result;
}

/*
 * Only asks whether a text is JSON.
 */
void
wire_check_json(const char *json, size_t len)
{
	(void) wire_decode(NULL, json, len);
}

/*
 * Bytes of a decoded value.
 */
size_t
wire_decoded_size(const WireType *type)
{
	switch (type->kind)
	{
		case WIRE_TEXT:
		case WIRE_TABLE:
			return sizeof(ApiText);
		case WIRE_WORD:
			return sizeof(WireWord);
		case WIRE_BOOL:
			return sizeof(WireBool);
		case WIRE_INT:
			return sizeof(WireInt);
		case WIRE_ITEM:
		case WIRE_VALUES:
		case WIRE_VALUE:
			return sizeof(ItemTyped);
		case WIRE_NAMES:
			return sizeof(Jsonb *);
		case WIRE_STRUCTURE:
			return sizeof(void *);
		case WIRE_LIST:
			return sizeof(WireList);
		case WIRE_MAP:
			return sizeof(WireMap);
	}
	return 0;
}

/*
 * Decodes the value that is next, which is not null.  inside: it is an
 * element of a list or map, or the request itself.
 */
static void
decode_value(WireDecoder *d, const WireType *type, bool inside, void *result)
{
	switch (type->kind)
	{
		case WIRE_TEXT:
			decode_text(d, result);
			break;
		case WIRE_TABLE:
			decode_text(d, result);
			*(ApiText *) result = wire_table_of_name(result);
			break;
		case WIRE_WORD:
			decode_word(d, type, result);
			break;
		case WIRE_BOOL:
			((WireBool *) result)->given = true;
			((WireBool *) result)->value = item_scan_typed_bool(&d->scan);
			break;
		case WIRE_INT:
			decode_int(d, type, result);
			break;
		case WIRE_ITEM:
			item_scan_typed_map(&d->scan, false, result);
			break;
		case WIRE_VALUES:
			item_scan_typed_map(&d->scan, true, result);
			break;
		case WIRE_VALUE:
			item_scan_typed_value(&d->scan, result);
			break;
		case WIRE_NAMES:
			decode_names(d, type, result);
			break;
		case WIRE_STRUCTURE:
			*(void **) result = decode_structure(d, type, inside);
			break;
		case WIRE_LIST:
			decode_list(d, type, result);
			break;
		case WIRE_MAP:
			decode_map(d, type, result);
			break;
	}
}

static void
decode_text(WireDecoder *d, ApiText *result)
{
	uint32		len;

	memset(result, 0, sizeof(*result));
	result->data = item_scan_typed_string(&d->scan, &len);
	result->len = len;
}

/*
 * The table that a name or an ARN means: what follows "table/" in
 * arn:aws:dynamodb:<region>:<account>:table/<name>.
 */
ApiText
wire_table_of_name(const ApiText *name)
{
	ApiText		result = *name;
	const char *end = name->data + name->len;

	result.exact = true;
	if (name->len > strlen(ARN_START) &&
		memcmp(name->data, ARN_START, strlen(ARN_START)) == 0)
	{
		const char *p = name->data;
		size_t		len = strlen(ARN_TABLE);

		for (; end - p > (ptrdiff_t) len; p++)
		{
			if (memcmp(p, ARN_TABLE, len) == 0)
			{
				result.data = p + len;
				result.len = end - result.data;
				break;
			}
		}
	}
	return result;
}

static void
decode_word(WireDecoder *d, const WireType *type, WireWord *result)
{
	decode_text(d, &result->text);
	result->number = -1;
	for (int i = 0; type->words[i] != NULL; i++)
	{
		if (result->text.len == strlen(type->words[i]) &&
			memcmp(result->text.data, type->words[i], result->text.len) == 0)
			result->number = i;
	}
}

/*
 * A fraction is cut off.
 */
static void
decode_int(WireDecoder *d, const WireType *type, WireInt *result)
{
	bool		is_long = type->java != NULL;
	const char *name = is_long ? WIRE_JAVA_LONG : "Integer";
	const char *text;
	uint32		len;
	double		value;

	switch (item_scan_peek(&d->scan))
	{
		case '"':
			refuse(TEXT_STRING_TO_NUMBER, name);
		case 't':
			(void) item_scan_word(&d->scan, "true");
			refuse(TEXT_TRUE_TO_NUMBER, name);
		case 'f':
			(void) item_scan_word(&d->scan, "false");
			refuse(TEXT_FALSE_TO_NUMBER, name);
		case '{':
			refuse(TEXT_UNEXPECTED_OBJECT, NULL);
		case '[':
			refuse(TEXT_ARRAY_TO_CLASS, is_long ? "java.lang.Long" :
				   "java.lang.Integer");
		default:
			break;
	}
	(void) item_scan_number(&d->scan, &text, &len);
	value = trunc(strtod(pnstrdup(text, len), NULL));
	if (!(is_long ? fabs(value) < LONG_BOUND :
		  value >= PG_INT32_MIN && value <= PG_INT32_MAX))
		refuse(TEXT_NUMBER_TO_NUMBER, name);
	result->given = true;
	result->value = (int64) value;
}

static void
decode_names(WireDecoder *d, const WireType *type, Jsonb **result)
{
	JsonbParseState *state = NULL;
	bool		first = true;

	expect_object(d, type, false);
	(void) pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	while (item_scan_next(&d->scan, first, '}'))
	{
		JsonbValue	name;
		JsonbValue	value;
		const char *text;
		uint32		len;

		first = false;
		(void) item_scan_text(&d->scan, &text, &len);
		name.type = jbvString;
		name.val.string.val = unconstify(char *, text);
		name.val.string.len = len;
		(void) item_scan_expect(&d->scan, ':');
		if (item_scan_peek(&d->scan) == 'n')
		{
			(void) item_scan_skip(&d->scan);
			continue;
		}
		text = item_scan_typed_string(&d->scan, &len);
		value.type = jbvString;
		value.val.string.val = unconstify(char *, text);
		value.val.string.len = len;
		(void) pushJsonbValue(&state, WJB_KEY, &name);
		(void) pushJsonbValue(&state, WJB_VALUE, &value);
	}
	*result = JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL));
}

static void *
decode_structure(WireDecoder *d, const WireType *type, bool inside)
{
	char	   *result = palloc0(type->size);
	bool		first = true;

	expect_object(d, type, inside);
	while (item_scan_next(&d->scan, first, '}'))
	{
		first = false;
		decode_member(d, type, result);
	}
	return result;
}

static void
decode_member(WireDecoder *d, const WireType *type, char *result)
{
	const char *name;
	uint32		len;
	const WireMember *member;

	(void) item_scan_text(&d->scan, &name, &len);
	(void) item_scan_expect(&d->scan, ':');
	for (member = type->members; member->name != NULL; member++)
	{
		if (len == strlen(member->name) &&
			memcmp(name, member->name, len) == 0)
			break;
	}
	if (member->name == NULL || item_scan_peek(&d->scan) == 'n')
	{
		(void) item_scan_skip(&d->scan);
		return;
	}
	decode_value(d, member->type, false, result + member->offset);
}

static void
decode_list(WireDecoder *d, const WireType *type, WireList *result)
{
	size_t		size = wire_decoded_size(type->element);
	int			next = item_scan_peek(&d->scan);
	bool		first = true;
	MemoryContext scratch = NULL;

	if (next == '{')
		refuse(TEXT_UNEXPECTED_OBJECT, NULL);
	if (next != '[')
	{
		(void) item_scan_skip(&d->scan);
		refuse(TEXT_UNEXPECTED_FIELD, NULL);
	}
	d->scan.p++;

	memset(result, 0, sizeof(*result));
	result->given = true;
	while (item_scan_next(&d->scan, first, ']'))
	{
		char	   *element;

		first = false;
		if (item_scan_peek(&d->scan) == 'n')
		{
			(void) item_scan_skip(&d->scan);
			continue;
		}
		if (result->n++ >= type->max)
		{
			decode_and_forget(d, type->element, &scratch, result->n);
			continue;
		}
		result->elements = make_room(result->elements, result->n - 1, size);
		element = (char *) result->elements + (result->n - 1) * size;
		memset(element, 0, size);
		decode_value(d, type->element, true, element);
	}
	if (scratch != NULL)
		MemoryContextDelete(scratch);
}

static void
decode_map(WireDecoder *d, const WireType *type, WireMap *result)
{
	size_t		size = wire_decoded_size(type->element);
	bool		first = true;
	MemoryContext scratch = NULL;

	expect_object(d, type, false);
	memset(result, 0, sizeof(*result));
	result->given = true;
	while (item_scan_next(&d->scan, first, '}'))
	{
		ApiText		name = {0};
		uint32		len;
		char	   *value;
		int			i;

		first = false;
		(void) item_scan_text(&d->scan, &name.data, &len);
		name.len = len;
		(void) item_scan_expect(&d->scan, ':');
		if (item_scan_peek(&d->scan) == 'n')
		{
			(void) item_scan_skip(&d->scan);
			continue;
		}
		for (i = 0; i < Min(result->n, type->max); i++)
		{
			if (result->names[i].len == len &&
				memcmp(result->names[i].data, name.data, len) == 0)
				break;
		}
		if (i >= type->max)
		{
			result->n++;
			decode_and_forget(d, type->element, &scratch, result->n);
			continue;
		}
		if (i == result->n)
		{
			result->names = make_room(result->names, i, sizeof(ApiText));
			result->values = make_room(result->values, i, size);
			result->names[i] = name;
			result->n++;
		}
		value = (char *) result->values + i * size;
		memset(value, 0, size);
		decode_value(d, type->element, true, value);
	}
	if (scratch != NULL)
		MemoryContextDelete(scratch);
}

/*
 * The nth element of a list or map, in a context that it shares with others.
 */
static void
decode_and_forget(WireDecoder *d, const WireType *type,
				  MemoryContext *scratch, int n)
{
	MemoryContext old;

	if (*scratch == NULL)
		*scratch = AllocSetContextCreate(CurrentMemoryContext, "wire scratch",
										 ALLOCSET_DEFAULT_SIZES);
	else if (n % SCRATCH_ELEMENTS == 0)
		MemoryContextReset(*scratch);
	old = MemoryContextSwitchTo(*scratch);
	decode_value(d, type, true, palloc0(wire_decoded_size(type)));
	MemoryContextSwitchTo(old);
}

/*
 * Room for one more than n elements; there is room for any power of two up
 * to that.
 */
static void *
make_room(void *array, int n, size_t size)
{
	if (n == 0)
		return palloc(size);
	if ((n & (n - 1)) == 0)
		return repalloc(array, 2 * n * size);
	return array;
}

/*
 * Goes past the bracket of the object that must be next.
 */
static void
expect_object(WireDecoder *d, const WireType *type, bool inside)
{
	int			next = item_scan_peek(&d->scan);

	if (next == '{')
	{
		d->scan.p++;
		return;
	}
	(void) item_scan_skip(&d->scan);
	if (next == '[')
		refuse(TEXT_ARRAY_TO_TYPE, type->java);
	refuse(inside && type->kind == WIRE_STRUCTURE ?
		   TEXT_UNEXPECTED_VALUE : TEXT_UNEXPECTED_FIELD, NULL);
}

static void
refuse(const char *format, const char *argument)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_SERIALIZATION),
			 errmsg(format, argument ? argument : "")));
}
