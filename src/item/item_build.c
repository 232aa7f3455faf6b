/*
 * item_build.c
 *	  The builder: appends encoded entries and closes containers.
 *
 * Everything that makes an encoded container goes through here (or copies
 * the order of one that did), so here alone the canonical form is decided:
 * map members ascending by name, set elements ascending by bytes, smallest
 * width.  Callers of item_builder_close() promise that the entries are in
 * their final order, as those of a list always are.
 *
 * One buffer and one stack of entry positions serve all nesting levels:
 * entries of an inner container lie above those of the outer one and are
 * gone from the stack when it closes.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bswap.h"

#include "item/item_private.h"

/* Up to so many members a map is sorted by insertion. */
#define FEW_MEMBERS		16

static void check_size(uint64 size, uint32 limit);
static void close_with_header(ItemBuilder *b, ItemMark mark, uint32 count);
static void arrange_entries(ItemBuilder *b, ItemMark mark);
static uint32 sort_members(ItemSpan *spans, uint32 n, char *data);
static uint32 insert_members(ItemSpan *spans, uint32 n,
							 const ItemBuilder *b, bool *moved);
static inline uint64 name_prefix(const ItemBuilder *b, const ItemSpan *entry);
static int	compare_names(const ItemSpan *a, const ItemSpan *b,
						  const char *data);
static int	compare_members(const void *a, const void *b, void *arg);
static int	compare_elements(const void *a, const void *b, void *arg);
static bool members_ascend(const ItemSpan *spans, uint32 n, const char *data);
static bool elements_ascend(ItemSpan *spans, uint32 n, char *data);

/*
 * Starts a build in the current memory context.  expected is a guess of the
 * encoded length.
 */
void
item_builder_init(ItemBuilder *b, uint32 expected)
{
	b->size = VARHDRSZ + ITEM_HEADER_SIZE + expected;
	b->data = palloc(b->size);
	b->len = VARHDRSZ;
	b->spans = NULL;
	b->nspans = b->spans_size = 0;
}

void
item_builder_free(ItemBuilder *b)
{
	pfree(b->data);
	if (b->spans)
		pfree(b->spans);
}

/* Out of line part of item_builder_reserve(). */
void
item_builder_grow(ItemBuilder *b, uint32 more)
{
	uint64		needed = (uint64) b->len + more;
	uint64		size = Max((uint64) b->size * 2, needed);

	check_size(needed, ITEM_MAX_BUILD);
	b->size = Min(size, ITEM_MAX_BUILD);
	b->data = repalloc(b->data, b->size);
}

/* Opens a container at the end of what was built. */
ItemMark
item_builder_open(ItemBuilder *b)
{
	ItemMark	mark;

	mark.start = b->len;
	mark.first_span = b->nspans;
	return mark;
}

/*
 * Begins an entry of the innermost open container.  Containers opened after
 * it and before item_builder_end_entry() are inside the entry.
 */
void
item_builder_begin_entry(ItemBuilder *b)
{
	if (b->nspans == b->spans_size)
	{
		if (b->spans == NULL)
		{
			b->spans_size = 32;
			b->spans = palloc(b->spans_size * sizeof(ItemSpan));
		}
		else
		{
			b->spans_size *= 2;
			b->spans = repalloc(b->spans, b->spans_size * sizeof(ItemSpan));
		}
	}
	b->spans[b->nspans].start = b->len;
	b->nspans++;
	CHECK_FOR_INTERRUPTS();
}

void
item_builder_end_entry(ItemBuilder *b)
{
	b->spans[b->nspans - 1].end = b->len;
}

/* Closes a container whose entries are in their final order. */
void
item_builder_close(ItemBuilder *b, ItemMark mark)
{
	close_with_header(b, mark, b->nspans - mark.first_span);
}

/* Closes a map.  Of members of one name the last one stays. */
void
item_builder_close_map(ItemBuilder *b, ItemMark mark)
{
	ItemSpan   *spans = b->spans + mark.first_span;
	uint32		n = b->nspans - mark.first_span;
	bool		moved;

	if (n <= FEW_MEMBERS)
		n = insert_members(spans, n, b, &moved);
	else
	{
		moved = !members_ascend(spans, n, b->data);
		if (moved)
			n = sort_members(spans, n, b->data);
	}
	b->nspans = mark.first_span + n;
	if (moved)
		arrange_entries(b, mark);
	close_with_header(b, mark, b->nspans - mark.first_span);
}

/*
 * Closes a set.  Equal elements become one if merge is true; otherwise they
 * make the result false and leave the set open.
 */
bool
item_builder_close_set(ItemBuilder *b, ItemMark mark, bool merge)
{
	ItemSpan   *spans = b->spans + mark.first_span;
	uint32		n = b->nspans - mark.first_span;

	if (!elements_ascend(spans, n, b->data))
	{
		uint32		kept = 0;

		qsort_arg(spans, n, sizeof(ItemSpan), compare_elements, b->data);
		for (uint32 i = 0; i < n; i++)
		{
			if (kept > 0 &&
				compare_elements(&spans[kept - 1], &spans[i], b->data) == 0)
			{
				if (!merge)
					return false;
				continue;
			}
			spans[kept++] = spans[i];
		}
		b->nspans = mark.first_span + kept;
		arrange_entries(b, mark);
	}
	close_with_header(b, mark, b->nspans - mark.first_span);
	return true;
}

/*
 * Ends a build of one typed value.  The result is the builder's buffer; the
 * builder must not be used again.
 */
ItemData *
item_builder_finish(ItemBuilder *b)
{
	ItemData   *item = (ItemData *) b->data;

	Assert(b->nspans == 0);
	check_size(b->len, ITEM_MAX_ENCODED);
	b->data[VARHDRSZ] |= ITEM_FORMAT_VERSION << ITEM_VERSION_SHIFT;
	SET_VARSIZE(item, b->len);
	if (b->spans)
		pfree(b->spans);
	return item;
}

/*
 * Ends a build that has no type byte of its own: the bytes of one value.
 */
ItemRef
item_builder_finish_ref(ItemBuilder *b, ItemType type)
{
	Assert(b->nspans == 0);
	check_size(b->len, ITEM_MAX_ENCODED);
	if (b->spans)
		pfree(b->spans);
	return item_make_ref(type, b->data + VARHDRSZ, b->len - VARHDRSZ);
}

static void
check_size(uint64 size, uint32 limit)
{
	if (size > limit)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("item value is too large"),
				 errdetail("An item value can have at most %d bytes.",
						   ITEM_MAX_ENCODED)));
}

/*
 * Puts the header before the entries of the container, which lie without
 * gaps and in order, and takes them off the stack.
 */
static void
close_with_header(ItemBuilder *b, ItemMark mark, uint32 count)
{
	uint32		body_len = b->len - mark.start;
	int			code = item_width_code(count, body_len);
	uint32		header = item_container_header_size(count, code);
	const ItemSpan *spans = b->spans + mark.first_span;
	char	   *p;

	b->nspans = mark.first_span;
	if (count == 0)
		return;

	(void) item_builder_reserve(b, header);
	p = b->data + mark.start;
	memmove(p + header, p, body_len);
	b->len += header;

	*p++ = (char) code;
	item_store_int(p, code, count);
	for (uint32 i = 0; i < count; i++)
	{
		p += 1 << code;
		item_store_int(p, code, spans[i].end - mark.start);
	}
}

/* Moves the container's entries into the order of the stack. */
static void
arrange_entries(ItemBuilder *b, ItemMark mark)
{
	uint32		old_len = b->len - mark.start;
	char		small[1024];
	char	   *old = old_len <= sizeof(small) ? small : palloc(old_len);
	char	   *p = b->data + mark.start;

	memcpy(old, p, old_len);
	for (uint32 i = mark.first_span; i < b->nspans; i++)
	{
		ItemSpan   *span = &b->spans[i];
		uint32		len = span->end - span->start;

		memcpy(p, old + (span->start - mark.start), len);
		span->start = p - b->data;
		p += len;
		span->end = p - b->data;
	}
	b->len = p - b->data;
	if (old != small)
		pfree(old);
}

/*
 * Sorts members by name; of those of one name the last one stays.  Returns how
 * many are left.
 */
static uint32
sort_members(ItemSpan *spans, uint32 n, char *data)
{
	uint32		kept = 0;

	qsort_arg(spans, n, sizeof(ItemSpan), compare_members, data);
	for (uint32 i = 0; i < n; i++)
	{
		if (kept > 0 && compare_names(&spans[kept - 1], &spans[i], data) == 0)
			kept--;
		spans[kept++] = spans[i];
	}
	return kept;
}

/*
 * The same by insertion, and whether anything has changed.  Most maps have so
 * few members that the calls of a comparison function would cost more than the
 * comparisons saved, and most names differ in their first bytes.
 */
static uint32
insert_members(ItemSpan *spans, uint32 n, const ItemBuilder *b, bool *moved)
{
	uint64		prefixes[FEW_MEMBERS];
	uint32		kept = 0;

	*moved = false;
	for (uint32 i = 0; i < n; i++)
	{
		ItemSpan	span = spans[i];
		uint64		prefix = name_prefix(b, &span);
		uint32		place = kept;
		int			cmp = -1;

		for (; place > 0; place--)
		{
			if (prefixes[place - 1] != prefix)
				cmp = prefixes[place - 1] < prefix ? -1 : 1;
			else
				cmp = compare_names(&spans[place - 1], &span, b->data);
			if (cmp <= 0)
				break;
		}
		if (place < kept || cmp == 0)
			*moved = true;
		if (place > 0 && cmp == 0)
		{
			spans[place - 1] = span;
			continue;
		}
		for (uint32 k = kept++; k > place; k--)
		{
			spans[k] = spans[k - 1];
			prefixes[k] = prefixes[k - 1];
		}
		spans[place] = span;
		prefixes[place] = prefix;
	}
	return kept;
}

/*
 * The first bytes of a member's name as a number of the same order, zeros after
 * a shorter one.  What follows the name is read, too, as far as it is built.
 */
static inline uint64
name_prefix(const ItemBuilder *b, const ItemSpan *entry)
{
	const char *name;
	uint32		len;
	uint64		prefix = 0;

	item_entry_name(b->data + entry->start, &name, &len);
	if (unlikely(b->data + b->len - name < (ptrdiff_t) sizeof(prefix)))
	{
		memcpy(&prefix, name, Min(len, sizeof(prefix)));
		return pg_ntoh64(prefix);
	}
	memcpy(&prefix, name, sizeof(prefix));
	prefix = pg_ntoh64(prefix);
	if (len < sizeof(prefix))
		prefix &= ~(~UINT64CONST(0) >> (8 * len));
	return prefix;
}

static int
compare_names(const ItemSpan *a, const ItemSpan *b, const char *data)
{
	const char *a_name;
	const char *b_name;
	uint32		a_len;
	uint32		b_len;

	item_entry_name(data + a->start, &a_name, &a_len);
	item_entry_name(data + b->start, &b_name, &b_len);
	return item_bytes_compare(a_name, a_len, b_name, b_len);
}

/* Members of one name keep the order of their coming. */
static int
compare_members(const void *a, const void *b, void *arg)
{
	const ItemSpan *x = a;
	const ItemSpan *y = b;
	int			cmp = compare_names(x, y, arg);

	if (cmp != 0)
		return cmp;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int
compare_elements(const void *a, const void *b, void *arg)
{
	const ItemSpan *x = a;
	const ItemSpan *y = b;
	const char *data = arg;

	return item_bytes_compare(data + x->start, x->end - x->start,
							  data + y->start, y->end - y->start);
}

static bool
members_ascend(const ItemSpan *spans, uint32 n, const char *data)
{
	for (uint32 i = 1; i < n; i++)
	{
		if (compare_names(&spans[i - 1], &spans[i], data) >= 0)
			return false;
	}
	return true;
}

static bool
elements_ascend(ItemSpan *spans, uint32 n, char *data)
{
	for (uint32 i = 1; i < n; i++)
	{
		if (compare_elements(&spans[i - 1], &spans[i], data) >= 0)
			return false;
	}
	return true;
}
