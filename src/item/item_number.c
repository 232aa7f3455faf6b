/*
 * item_number.c
 *	  DynamoDB numbers: 38 decimal digits, exponents -130 to 125.
 *
 * The encoding orders all numbers by memcmp and no encoding but that of zero
 * is a prefix of another, so a key encoder copies the bytes as they are:
 *
 *	zero		0x80
 *	positive	an exponent byte, then the base 100 digits, most significant
 *				first: 2d + 1 for each digit d that another one follows, 2d
 *				for the last.  Neither the first nor the last digit is 0.
 *	negative	the complement of every byte of the absolute value
 *
 * The exponent byte is 0x81 for 100^-65 up to 0xFF for 100^61.  100^62 is
 * one more than fits: it has the exponent byte 0xFF and then one byte of 200,
 * which is larger than any digit.
 *
 * Nothing here uses binary floating point or depends on the locale.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/service_text.h"
#include "item/item_private.h"

#define NUMBER_ZERO			0x80
#define NUMBER_EXP_BIAS		(0x81 + 65)
#define NUMBER_EXP_MAX		61	/* largest with an exponent byte of its own */
#define NUMBER_EXP_TOP		0xFF
#define NUMBER_TOP_MARK		200 /* follows NUMBER_EXP_TOP: one exponent more */

#define NUMBER_MAX_DIGITS	20	/* 38 decimal digits touch 20 pairs */

/* A number taken apart: 0.d1 d2 ... dn in base 100, times 100^(exp + 1). */
typedef struct Decimal
{
	bool		negative;
	int			exp;			/* of the first digit */
	int			n;				/* 0: the number zero */
	uint8		digits[NUMBER_MAX_DIGITS];
} Decimal;

/* Every power of 100 a legal number can touch, and one for the carry. */
#define SUM_PLACES		(62 + 1 + 65 + NUMBER_MAX_DIGITS + 1)

static const char *scan_number(const char *text, size_t len, Decimal *result);
static bool scan_mantissa(const char **text, const char *end, char *digits,
						  int64 *k, int64 *exponent);
static bool scan_exponent(const char **text, const char *end,
						  int64 *exponent);
static void pack_digits(const char *digits, int k, int exponent,
						Decimal *result);
static uint32 encode(const Decimal *d, char *out);
static void decode(ItemRef number, Decimal *d);
static int	decimal_digits(const Decimal *d, char *digits, int *exponent);
static void add_places(const Decimal *d, int *places);
static void pack_sum(const int *places, int n, int top, Decimal *result);
pg_noreturn static void report_number(const char *format, const char *text,
									  size_t len);

/*
 * Encodes a numeral.  Returns NULL and the encoding in out (at most
 * ITEM_NUMBER_MAX_LEN bytes), or the service's text for what is wrong, a
 * format that takes the numeral as a string.
 */
const char *
item_number_check(const char *text, size_t len, char *out, uint32 *out_len)
{
	Decimal		d;
	const char *error = scan_number(text, len, &d);

	if (error == NULL)
		*out_len = encode(&d, out);
	return error;
}

/* The same for callers that have nothing to add to the error. */
uint32
item_number_parse(const char *text, size_t len, char *out)
{
	uint32		out_len;
	const char *error = item_number_check(text, len, out, &out_len);

	if (error)
		report_number(error, text, len);
	return out_len;
}

/*
 * Writes the number in its normal form, always plain decimal, with a NUL;
 * out has ITEM_NUMBER_MAX_TEXT bytes.  Returns the length.
 */
int
item_number_print(ItemRef number, char *out)
{
	Decimal		d;
	char		digits[2 * NUMBER_MAX_DIGITS];
	char	   *p = out;
	int			exponent;
	int			k;

	decode(number, &d);
	if (d.n == 0)
	{
		strcpy(out, "0");
		return 1;
	}
	k = decimal_digits(&d, digits, &exponent);

	if (d.negative)
		*p++ = '-';
	if (exponent < 0)
	{
		*p++ = '0';
		*p++ = '.';
		memset(p, '0', -exponent - 1);
		p += -exponent - 1;
		memcpy(p, digits, k);
		p += k;
	}
	else
	{
		int			whole = Min(k, exponent + 1);

		memcpy(p, digits, whole);
		p += whole;
		memset(p, '0', exponent + 1 - whole);
		p += exponent + 1 - whole;
		if (whole < k)
		{
			*p++ = '.';
			memcpy(p, digits + whole, k - whole);
			p += k - whole;
		}
	}
	*p = '\0';
	return p - out;
}

/*
 * a + b or a - b, exactly.  A result that needs more than 38 digits is an
 * error with the overflow text, as the service has it.
 */
uint32
item_number_add(ItemRef a, ItemRef b, bool subtract, char *out)
{
	Decimal		x;
	Decimal		y;
	Decimal		sum;
	int			places[SUM_PLACES];
	int			top;			/* power of 100 of the first place */
	int			n;
	int			sign;
	int			carry = 0;
	int			first = 0;

	decode(a, &x);
	decode(b, &y);
	if (x.n == 0 || y.n == 0)
	{
		/* Nothing to align with, and no result can be out of range. */
		sum = x.n == 0 ? y : x;
		sum.negative = x.n == 0 ? y.negative != subtract : x.negative;
		return encode(&sum, out);
	}
	y.negative = y.negative != subtract;

	/* One place on the left of both for the carry. */
	top = Max(x.exp, y.exp) + 1;
	n = top - Min(x.exp - x.n, y.exp - y.n);
	Assert(n <= SUM_PLACES);
	memset(places, 0, n * sizeof(int));
	add_places(&x, places + top - x.exp);
	add_places(&y, places + top - y.exp);

	/* The sign is that of the first place; make it positive, then carry. */
	while (first < n && places[first] == 0)
		first++;
	if (first == n)
	{
		*out = (char) NUMBER_ZERO;
		return 1;
	}
	sign = places[first] < 0 ? -1 : 1;
	for (int i = n - 1; i >= 0; i--)
	{
		int			place = sign * places[i] + carry;

		carry = place < 0 ? -1 : place >= 100;
		places[i] = place - 100 * carry;
	}
	Assert(carry == 0);

	pack_sum(places, n, top, &sum);
	sum.negative = sign < 0;
	return encode(&sum, out);
}

/* ereports when the value is no DynamoDB number. */
uint32
item_number_from_numeric(Numeric num, char *out)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out,
														   NumericGetDatum(num)));
	uint32		len = item_number_parse(text, strlen(text), out);

	pfree(text);
	return len;
}

/* Palloc'd, in the normal form: no trailing zeros in its display scale. */
Numeric
item_number_to_numeric(ItemRef number)
{
	char		text[ITEM_NUMBER_MAX_TEXT];
	Decimal		d;

	/* Whole numbers that fit are the most common and need no text. */
	decode(number, &d);
	if (d.n == 0)
		return int64_to_numeric(0);
	if (d.exp >= d.n - 1 && d.exp <= 7)
	{
		int64		value = 0;

		for (int i = 0; i <= d.exp; i++)
			value = value * 100 + (i < d.n ? d.digits[i] : 0);
		return int64_to_numeric(d.negative ? -value : value);
	}

	item_number_print(number, text);
	return DatumGetNumeric(DirectFunctionCall3(numeric_in,
											   CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

uint32
item_number_from_int64(int64 value, char *out)
{
	uint64		rest = value < 0 ? -(uint64) value : (uint64) value;
	uint8		reverse[10];
	int			n = 0;
	int			zeros = 0;
	Decimal		d;

	for (; rest != 0; rest /= 100)
		reverse[n++] = rest % 100;
	while (zeros < n && reverse[zeros] == 0)
		zeros++;

	d.negative = value < 0;
	d.exp = n - 1;
	d.n = n - zeros;
	for (int i = 0; i < d.n; i++)
		d.digits[i] = reverse[n - 1 - i];
	return encode(&d, out);
}

/* 1, plus one for each base 100 digit, plus one for a negative sign. */
uint32
item_number_size(ItemRef number)
{
	const uint8 *p = (const uint8 *) number.data;
	bool		negative = p[0] < NUMBER_ZERO;
	uint8		mask = negative ? 0xFF : 0;

	if (p[0] == NUMBER_ZERO && number.len == 1)
		return 1;
	if ((p[0] ^ mask) == NUMBER_EXP_TOP && (p[1] ^ mask) == NUMBER_TOP_MARK)
		return number.len - 1 + negative;
	return number.len + negative;
}

/*
 * Reads a numeral of the grammar
 *	  [+-] (digits [. [digits]] | . digits) [(e|E) [+-] digits]
 * and takes it apart.  Returns NULL or the text of the error.
 */
static const char *
scan_number(const char *text, size_t len, Decimal *result)
{
	const char *p = text;
	const char *end = text + len;
	char		digits[LIMIT_NUMBER_DIGITS];
	int64		k;
	int64		exponent;
	int64		written = 0;
	bool		negative = false;

	if (len == 0)
		return TEXT_NUMBER_EMPTY;
	if (*p == '+' || *p == '-')
		negative = *p++ == '-';
	if (!scan_mantissa(&p, end, digits, &k, &exponent))
		return TEXT_NUMBER_SYNTAX;
	if (p < end && (*p == 'e' || *p == 'E') &&
		!scan_exponent(&p, end, &written))
		return TEXT_NUMBER_SYNTAX;
	if (p < end)
		return TEXT_NUMBER_SYNTAX;

	result->n = 0;
	result->negative = false;
	if (k == 0)
		return NULL;
	exponent += written;
	if (exponent > LIMIT_NUMBER_EXPONENT_MAX)
		return TEXT_NUMBER_OVERFLOW;
	if (exponent < LIMIT_NUMBER_EXPONENT_MIN)
		return TEXT_NUMBER_UNDERFLOW;
	if (k > LIMIT_NUMBER_DIGITS)
		return TEXT_NUMBER_DIGITS;
	pack_digits(digits, k, exponent, result);
	result->negative = negative;
	return NULL;
}

/*
 * Reads digits with perhaps a point among them.  k becomes the number of
 * digits from the first to the last that is not 0, of which digits takes as
 * many as a number may have; exponent that of the first one.  False when
 * there is no digit at all.
 */
static bool
scan_mantissa(const char **text, const char *end, char *digits, int64 *k,
			  int64 *exponent)
{
	const char *p;
	int64		n = 0;
	int64		zeros = 0;		/* since the last other digit */
	bool		point = false;
	bool		any = false;

	*exponent = -1;
	for (p = *text; p < end; p++)
	{
		if (*p == '.' && !point)
		{
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			break;
		any = true;
		if (*p == '0' && n == 0)
		{
			*exponent -= point;
			continue;
		}
		*exponent += !point;
		if (*p == '0')
		{
			zeros++;
			continue;
		}
		for (; zeros > 0; zeros--, n++)
		{
			if (n < LIMIT_NUMBER_DIGITS)
				digits[n] = '0';
		}
		if (n < LIMIT_NUMBER_DIGITS)
			digits[n] = *p;
		n++;
	}
	*text = p;
	*k = n;
	return any;
}

/* Reads an exponent, its letter first.  False when it has no digit. */
static bool
scan_exponent(const char **text, const char *end, int64 *exponent)
{
	const char *p = *text + 1;
	const char *digits;
	bool		negative = false;
	int64		value = 0;

	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	for (digits = p; p < end && *p >= '0' && *p <= '9'; p++)
	{
		/* Far beyond what the digits of any text could make up for. */
		if (value < INT64CONST(1000000000000000))
			value = value * 10 + (*p - '0');
	}
	*text = p;
	*exponent = negative ? -value : value;
	return p > digits;
}

/*
 * Makes base 100 digits of k decimal ones, d1.d2...dk times 10^exponent,
 * neither the first nor the last being zero.
 */
static void
pack_digits(const char *digits, int k, int exponent, Decimal *result)
{
	bool		odd = (exponent & 1) != 0;
	int			i = 0;
	int			n = 0;

	result->exp = odd ? (exponent - 1) / 2 : exponent / 2;
	if (!odd)
		result->digits[n++] = digits[i++] - '0';
	for (; i < k; i += 2)
	{
		result->digits[n++] = (digits[i] - '0') * 10 +
			(i + 1 < k ? digits[i + 1] - '0' : 0);
	}
	result->n = n;
}

static uint32
encode(const Decimal *d, char *out)
{
	uint8	   *p = (uint8 *) out;
	uint8		mask = d->negative ? 0xFF : 0;

	if (d->n == 0)
	{
		*p = NUMBER_ZERO;
		return 1;
	}
	if (d->exp <= NUMBER_EXP_MAX)
		*p++ = (NUMBER_EXP_BIAS + d->exp) ^ mask;
	else
	{
		*p++ = NUMBER_EXP_TOP ^ mask;
		*p++ = NUMBER_TOP_MARK ^ mask;
	}
	for (int i = 0; i < d->n - 1; i++)
		*p++ = (2 * d->digits[i] + 1) ^ mask;
	*p++ = (2 * d->digits[d->n - 1]) ^ mask;
	return p - (uint8 *) out;
}

static void
decode(ItemRef number, Decimal *d)
{
	const uint8 *p = (const uint8 *) number.data;
	const uint8 *end = p + number.len;
	uint8		mask;

	d->negative = p[0] < NUMBER_ZERO;
	d->n = 0;
	if (number.len == 1)
		return;
	mask = d->negative ? 0xFF : 0;
	d->exp = (*p++ ^ mask) - NUMBER_EXP_BIAS;
	if (d->exp == NUMBER_EXP_MAX && (*p ^ mask) == NUMBER_TOP_MARK)
	{
		d->exp++;
		p++;
	}
	while (p < end && d->n < NUMBER_MAX_DIGITS)
		d->digits[d->n++] = (*p++ ^ mask) >> 1;
}

/* Decimal digits without leading and trailing zeros; returns how many. */
static int
decimal_digits(const Decimal *d, char *digits, int *exponent)
{
	int			k = 0;

	*exponent = 2 * d->exp + 1;
	if (d->digits[0] >= 10)
		digits[k++] = '0' + d->digits[0] / 10;
	else
		(*exponent)--;
	digits[k++] = '0' + d->digits[0] % 10;
	for (int i = 1; i < d->n; i++)
	{
		digits[k++] = '0' + d->digits[i] / 10;
		digits[k++] = '0' + d->digits[i] % 10;
	}
	if (digits[k - 1] == '0')
		k--;
	return k;
}

/* Adds a number's digits, signed, to the places from its first one on. */
static void
add_places(const Decimal *d, int *places)
{
	int			sign = d->negative ? -1 : 1;

	for (int i = 0; i < d->n; i++)
		places[i] += sign * d->digits[i];
}

/*
 * Makes a number of places that are not all zero, the first standing for
 * 100^top.  ereports a number that is out of range or has too many digits.
 */
static void
pack_sum(const int *places, int n, int top, Decimal *result)
{
	int			first = 0;
	int			exponent;
	int			k;

	while (places[first] == 0)
		first++;
	while (places[n - 1] == 0)
		n--;
	exponent = 2 * (top - first) + (places[first] >= 10);
	k = 2 * (n - first) - (places[first] < 10) - (places[n - 1] % 10 == 0);

	if (exponent < LIMIT_NUMBER_EXPONENT_MIN)
		report_number(TEXT_NUMBER_UNDERFLOW, "", 0);
	if (exponent > LIMIT_NUMBER_EXPONENT_MAX || k > LIMIT_NUMBER_DIGITS)
		report_number(TEXT_NUMBER_OVERFLOW, "", 0);

	result->exp = top - first;
	result->n = n - first;
	for (int i = first; i < n; i++)
		result->digits[i - first] = places[i];
}

static void
report_number(const char *format, const char *text, size_t len)
{
	ereport(ERROR,
			(errcode(ERRCODE_ITEM_VALIDATION),
			 errmsg(format, pnstrdup(text, len))));
}
