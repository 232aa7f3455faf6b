/*
 * ptpage.c
 *	  The layout of a page: reading, searching and forming it.
 *
 * Functions here work on a page in memory, shared buffer or not; they take no
 * locks, emit no WAL and do not fail, except for _pt_page_items(), which
 * allocates, and _pt_form_page() on content that does not fit.
 *
 * The entries of one partition key form a run.  When a page is formed, the
 * bytes that a run's keys have in common are stored once, as the group
 * prefix, if that saves space; single entries are stored whole.  Entries
 * added later join the group of a neighbour whose prefix they begin with.
 */
#include "postgres.h"

#include "storage/bufpage.h"

#include "ptree/ptree_private.h"

static int	run_end(const PtItem *items, int start, int nitems);
static bool run_grouped(int count, int common);
static bool get_fence(Page page, uint16 offset, PtKey *key);
static uint16 place_record(Page page, int size);
static uint16 place_fence(Page page, const PtKey *key);
static uint16 place_group(Page page, const PtKey *key, int len);

/* An empty page without fences, links and flags. */
void
_pt_page_init(Page page, uint8 level, uint8 taillen)
{
	PtPageOpaque opaque;

	PageInit(page, BLCKSZ, sizeof(PtPageOpaqueData));
	opaque = PtPageGetOpaque(page);
	opaque->prev = InvalidBlockNumber;
	opaque->next = InvalidBlockNumber;
	opaque->level = level;
	opaque->taillen = taillen;
	opaque->page_id = PT_PAGE_ID;
}

/* Finds the parts of an entry; they point into the page. */
void
_pt_get_entry(Page page, int slot, PtEntry *entry)
{
	PtPageOpaque opaque = PtPageGetOpaque(page);
	const uint8 *p = (const uint8 *) page + PtPageSlots(page)[slot].offset;
	uint16		info = _pt_load_u16(p);

	p += sizeof(uint16);
	entry->prefix = NULL;
	entry->prefixlen = 0;
	if (info & PT_GROUPED)
	{
		const uint8 *group = (const uint8 *) page + _pt_load_u16(p);

		p += sizeof(uint16);
		entry->prefixlen = _pt_load_u16(group);
		entry->prefix = group + sizeof(uint16);
	}

	if (opaque->level == 0)
	{
		entry->child = InvalidBlockNumber;
		entry->taillen = opaque->taillen;
	}
	else
	{
		memcpy(&entry->child, p, sizeof(BlockNumber));
		p += sizeof(BlockNumber);
		entry->taillen = Min(*p, PT_MAX_TAIL);
		p++;
	}
	entry->tail = p;
	entry->suffix = p + entry->taillen;
	entry->suffixlen = info & PT_SUFFIX_MASK;
}

/* An entry's key, its bytes put together in data. */
static void
entry_key(const PtEntry *entry, uint8 *data, PtKey *key)
{
	key->data = data;
	key->len = entry->prefixlen + entry->suffixlen;
	key->kind = PT_KEY_PLAIN;
	key->taillen = entry->taillen;
	memcpy(key->tail, entry->tail, entry->taillen);
	if (entry->prefixlen > 0)
		memcpy(data, entry->prefix, entry->prefixlen);
	memcpy(data + entry->prefixlen, entry->suffix, entry->suffixlen);
}

/*
 * The fences; false, and the infinite key, at an end of the level.  The key
 * points into the page.
 */
bool
_pt_get_low(Page page, PtKey *key)
{
	if (get_fence(page, PtPageGetOpaque(page)->low, key))
		return true;
	key->kind = PT_KEY_PLAIN;
	return false;
}

bool
_pt_get_high(Page page, PtKey *key)
{
	if (get_fence(page, PtPageGetOpaque(page)->high, key))
		return true;
	key->kind = PT_KEY_END;
	return false;
}

/* Whether a fence lies inside the page. */
static inline bool
fence_readable(Page page, uint16 offset)
{
	PageHeader	header = (PageHeader) page;
	const uint8 *p = (const uint8 *) page + offset;

	return offset == 0 ||
		(offset >= header->pd_upper && offset + 3 <= header->pd_special &&
		 offset + 3 + p[2] + _pt_load_u16(p) <= header->pd_special);
}

/*
 * Whether a page is one of ours and has a header and fences that can be
 * trusted not to lead outside of the page or of our arrays; everything else
 * about a page is for ptree_check() to find out.
 */
bool
_pt_page_sane(Page page)
{
	PageHeader	header = (PageHeader) page;
	PtPageOpaque opaque = (PtPageOpaque)
		((char *) page + BLCKSZ - sizeof(PtPageOpaqueData));

	return header->pd_special == BLCKSZ - sizeof(PtPageOpaqueData) &&
		opaque->page_id == PT_PAGE_ID &&
		header->pd_lower >= SizeOfPageHeaderData &&
		header->pd_lower <= header->pd_upper &&
		header->pd_upper <= header->pd_special &&
		header->pd_lower <= SizeOfPageHeaderData +
		PT_MAX_ENTRIES * sizeof(PtSlot) &&
		opaque->taillen <= PT_MAX_TAIL &&
		opaque->nlate <= PT_MAX_LATE &&
		(opaque->nlate == 0 ||
		 (opaque->level == 0 && opaque->nlate <= PtPageCount(page))) &&
		fence_readable(page, opaque->low) &&
		fence_readable(page, opaque->high);
}

static bool
get_fence(Page page, uint16 offset, PtKey *key)
{
	const uint8 *p = (const uint8 *) page + offset;

	key->data = NULL;
	key->len = 0;
	key->taillen = 0;
	if (offset == 0)
		return false;

	key->kind = PT_KEY_PLAIN;
	key->len = _pt_load_u16(p);
	p += sizeof(uint16);
	key->taillen = Min(*p, PT_MAX_TAIL);
	p++;
	memcpy(key->tail, p, key->taillen);
	key->data = p + key->taillen;
	return true;
}

/* Order of two tails after equal byte strings. */
static inline int
compare_tails(const PtKey *key, const uint8 *tail, int taillen)
{
	if (key->taillen > 0)
	{
		int			result = memcmp(key->tail, tail,
									Min(key->taillen, taillen));

		if (result != 0)
			return result;
	}
	if (key->kind == PT_KEY_AFTER)
		return 1;
	return (int) key->taillen - taillen;
}

/* Order of a key and a fence. */
static inline int
compare_fence(const PtKey *key, Page page, uint16 offset)
{
	const uint8 *p = (const uint8 *) page + offset;
	int			len = _pt_load_u16(p);
	int			taillen = Min(p[2], PT_MAX_TAIL);
	int			result;

	if (key->kind == PT_KEY_END)
		return 1;
	p += sizeof(uint16) + sizeof(uint8);
	if (key->len > 0 && len > 0)
	{
		result = memcmp(key->data, p + taillen, Min(key->len, len));
		if (result != 0)
			return result;
	}
	if (key->len != len)
		return (int) key->len - len;
	return compare_tails(key, p, taillen);
}

/* Whether a key belongs to the right of the page. */
bool
_pt_beyond_page(Page page, const PtKey *key, bool strict)
{
	uint16		high = PtPageGetOpaque(page)->high;

	return high != 0 && compare_fence(key, page, high) >= (strict ? 1 : 0);
}

/* Whether a key belongs to the left of the page. */
bool
_pt_before_page(Page page, const PtKey *key, bool strict)
{
	uint16		low = PtPageGetOpaque(page)->low;

	if (low == 0)
		return strict && key->len == 0 && key->taillen == 0 &&
			key->kind == PT_KEY_PLAIN;
	return compare_fence(key, page, low) < (strict ? 1 : 0);
}

/* Order of a key and an entry: negative, zero or positive. */
int
_pt_compare_entry(const PtKey *key, const PtEntry *entry)
{
	const uint8 *data = key->data;
	int			len = key->len;
	int			result;

	if (key->kind == PT_KEY_END)
		return 1;

	if (entry->prefixlen > 0)
	{
		result = memcmp(data, entry->prefix, Min(len, entry->prefixlen));
		if (result != 0)
			return result;
		if (len < entry->prefixlen)
			return -1;
		data += entry->prefixlen;
		len -= entry->prefixlen;
	}

	if (len > 0 && entry->suffixlen > 0)
	{
		result = memcmp(data, entry->suffix, Min(len, entry->suffixlen));
		if (result != 0)
			return result;
	}
	if (len != entry->suffixlen)
		return len - entry->suffixlen;
	return compare_tails(key, entry->tail, entry->taillen);
}

/* Order of two keys.  Of two infinite or AFTER keys that agree, neither is first. */
int
_pt_compare(const PtKey *a, const PtKey *b)
{
	int			result;

	if (a->kind == PT_KEY_END || b->kind == PT_KEY_END)
		return (a->kind == PT_KEY_END) - (b->kind == PT_KEY_END);

	if (a->len > 0 && b->len > 0)
	{
		result = memcmp(a->data, b->data, Min(a->len, b->len));
		if (result != 0)
			return result;
	}
	if (a->len != b->len)
		return (int) a->len - (int) b->len;

	result = memcmp(a->tail, b->tail, Min(a->taillen, b->taillen));
	if (result != 0)
		return result;
	if (a->taillen == b->taillen)
		return (a->kind == PT_KEY_AFTER) - (b->kind == PT_KEY_AFTER);
	if (a->taillen < b->taillen)
		return a->kind == PT_KEY_AFTER ? 1 : -1;
	return b->kind == PT_KEY_AFTER ? -1 : 1;
}

/* Two bytes of a byte string from an offset on, as a number. */
static inline uint16
head_at(const uint8 *data, int len, int offset)
{
	uint16		head = 0;

	if (offset < len)
		head = data[offset] << 8;
	if (offset + 1 < len)
		head |= data[offset + 1];
	return head;
}

uint16
_pt_head(Page page, const PtKey *key)
{
	return head_at(key->data, key->len, PtPageGetOpaque(page)->prefix);
}

/*
 * A search on one page.  Once the key is known to begin with a group's prefix,
 * the group's other entries are compared by their suffixes alone.
 */
typedef struct PtPageSearch
{
	const PtKey *key;
	const uint8 *page;
	int			fixed;			/* record bytes before a tail, but for a group */
	int			taillen;		/* on leaves */
	uint16		group;			/* 0: none known */
	uint16		grouplen;
} PtPageSearch;

static inline void
search_init(PtPageSearch *search, Page page, const PtKey *key)
{
	PtPageOpaque opaque = PtPageGetOpaque(page);

	search->key = key;
	search->page = (const uint8 *) page;
	search->group = 0;
	search->grouplen = 0;
	if (opaque->level == 0)
	{
		search->fixed = sizeof(uint16);
		search->taillen = opaque->taillen;
	}
	else
	{
		search->fixed = sizeof(uint16) + sizeof(BlockNumber) + sizeof(uint8);
		search->taillen = -1;
	}
}

/* Order of the key, which is not PT_KEY_END, and the entry of a slot. */
static inline int
search_compare(PtPageSearch *search, const PtSlot *slot)
{
	const PtKey *key = search->key;
	const uint8 *p = search->page + slot->offset;
	uint16		info = _pt_load_u16(p);
	int			suffixlen = info & PT_SUFFIX_MASK;
	const uint8 *data = key->data;
	int			len = key->len;
	int			taillen;
	int			result;

	if (info & PT_GROUPED)
	{
		uint16		group = _pt_load_u16(p + sizeof(uint16));

		if (group != search->group)
		{
			const uint8 *prefix = search->page + group;
			int			prefixlen = _pt_load_u16(prefix);

			result = memcmp(data, prefix + sizeof(uint16),
							Min(len, prefixlen));
			if (result != 0)
				return result;
			if (len < prefixlen)
				return -1;
			search->group = group;
			search->grouplen = prefixlen;
		}
		data += search->grouplen;
		len -= search->grouplen;
		p += sizeof(uint16);
	}

	p += search->fixed;
	taillen = search->taillen >= 0 ? search->taillen :
		Min(p[-1], PT_MAX_TAIL);
	if (len > 0 && suffixlen > 0)
	{
		result = memcmp(data, p + taillen, Min(len, suffixlen));
		if (result != 0)
			return result;
	}
	if (len != suffixlen)
		return len - suffixlen;
	return compare_tails(key, p, taillen);
}

/*
 * First of the slots from low to high, which are in order, whose entry is not
 * before the key, or with beyond_equal, that is behind it; high if there is
 * none.
 */
static int
bisect(Page page, const PtKey *key, bool beyond_equal, int low, int high)
{
	PtSlot	   *slots = PtPageSlots(page);
	int			prefix = PtPageGetOpaque(page)->prefix;
	int			bound = beyond_equal ? 0 : 1;
	PtPageSearch search;
	uint16		head;

	if (key->kind == PT_KEY_END)
		return high;
	if (prefix > 0)
	{
		const uint8 *fence = (const uint8 *) page +
			PtPageGetOpaque(page)->high;
		int			result;

		fence += sizeof(uint16) + sizeof(uint8) + Min(fence[2], PT_MAX_TAIL);
		result = memcmp(key->data, fence, Min(key->len, prefix));
		if (result > 0)
			return high;

		/* before all keys, but for the empty one that begins an inner page */
		if (result < 0 || key->len < prefix)
			return PtPageGetOpaque(page)->level > 0 ? Min(1, high) : low;
	}

	search_init(&search, page, key);
	head = head_at(key->data, key->len, prefix);
	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			result = (int) head - (int) slots[middle].head;

		if (result == 0)
			result = search_compare(&search, &slots[middle]);
		if (result >= bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The same without beyond_equal, for a result that is expected to be near low.
 */
static int
gallop(Page page, const PtKey *key, int low, int high)
{
	PtSlot	   *slots = PtPageSlots(page);
	int			step = 1;
	PtPageSearch search;

	if (low >= high || key->kind == PT_KEY_END)
		return high;
	search_init(&search, page, key);
	while (low < high)
	{
		int			probe = step > 0 ? Min(low + step, high) - 1 :
			(low + high) / 2;

		if (search_compare(&search, &slots[probe]) > 0)
		{
			low = probe + 1;
			step *= 2;
		}
		else
		{
			high = probe;
			step = 0;
		}
	}
	return low;
}

/* The same among all slots of an inner page. */
int
_pt_bisect(Page page, const PtKey *key, bool beyond_equal)
{
	return bisect(page, key, beyond_equal, 0, PtPageCount(page));
}

/* The place in front of the first entry that is not before the key. */
void
_pt_locate(Page page, const PtKey *key, PtPlace *place)
{
	int			sorted = PtPageSorted(page);
	int			count = PtPageCount(page);

	place->sorted = bisect(page, key, false, 0, sorted);
	place->late = count == sorted ? count :
		bisect(page, key, false, sorted, count);
}

/* The same from a place on that is not behind it, and expected to be near. */
void
_pt_locate_near(Page page, const PtKey *key, const PtPlace *from,
				PtPlace *place)
{
	place->sorted = gallop(page, key, from->sorted, PtPageSorted(page));
	place->late = gallop(page, key, from->late, PtPageCount(page));
}

/* The places in front of all entries, and behind them. */
void
_pt_begin(Page page, PtPlace *place)
{
	place->sorted = 0;
	place->late = PtPageSorted(page);
}

void
_pt_end(Page page, PtPlace *place)
{
	place->sorted = PtPageSorted(page);
	place->late = PtPageCount(page);
}

/*
 * The slots of the entries between two places, in key order, into an array
 * for PT_MAX_ENTRIES; returns their number.
 */
int
_pt_slots_between(Page page, const PtPlace *from, const PtPlace *to,
				  uint16 *slots)
{
	int			next = from->sorted;
	int			n = 0;

	for (int late = from->late; late < to->late; late++)
	{
		uint8		data[2 * BLCKSZ];
		PtEntry		entry;
		PtKey		key;
		int			end;

		_pt_get_entry(page, late, &entry);
		entry.prefixlen = Min(entry.prefixlen, BLCKSZ);
		entry.suffixlen = Min(entry.suffixlen, BLCKSZ);
		entry_key(&entry, data, &key);
		end = bisect(page, &key, false, next, to->sorted);
		while (next < end)
			slots[n++] = next++;
		slots[n++] = late;
	}
	while (next < to->sorted)
		slots[n++] = next++;
	return n;
}

/* Whether the entry with that key is behind the place where it belongs. */
bool
_pt_has_entry(Page page, const PtPlace *place, const PtKey *key)
{
	PtEntry		entry;

	if (place->sorted < PtPageSorted(page))
	{
		_pt_get_entry(page, place->sorted, &entry);
		if (_pt_compare_entry(key, &entry) == 0)
			return true;
	}
	if (place->late < PtPageCount(page))
	{
		_pt_get_entry(page, place->late, &entry);
		if (_pt_compare_entry(key, &entry) == 0)
			return true;
	}
	return false;
}

/* Number of entries in front of a place. */
int
_pt_entries_before(Page page, const PtPlace *place)
{
	return place->sorted + place->late - PtPageSorted(page);
}

/* Copies a key with its bytes into the current memory context. */
void
_pt_copy_key(PtKey *dest, const PtKey *src)
{
	uint8	   *data = palloc(Max(src->len, 1));

	if (src->len > 0)
		memcpy(data, src->data, src->len);
	*dest = *src;
	dest->data = data;
}

/* Number of bytes that two byte strings have in common. */
int
_pt_common_prefix(const PtKey *a, const PtKey *b)
{
	int			len = Min(a->len, b->len);
	int			i = 0;

	for (; i + (int) sizeof(uint64) <= len; i += sizeof(uint64))
	{
		uint64		x;
		uint64		y;

		memcpy(&x, a->data + i, sizeof(x));
		memcpy(&y, b->data + i, sizeof(y));
		if (x != y)
			break;
	}
	while (i < len && a->data[i] == b->data[i])
		i++;
	return i;
}

/*
 * Space of a record and its slot; grouplen is 0 for an ungrouped entry.
 */
int
_pt_entry_size(bool leaf, const PtKey *key, bool grouped, int grouplen)
{
	return sizeof(PtSlot) + sizeof(uint16) +
		(grouped ? sizeof(uint16) : 0) +
		(leaf ? 0 : sizeof(BlockNumber) + sizeof(uint8)) +
		key->taillen + key->len - grouplen;
}

int
_pt_fence_size(const PtKey *key)
{
	if (key->kind == PT_KEY_END || (key->len == 0 && key->taillen == 0))
		return 0;
	return sizeof(uint16) + sizeof(uint8) + key->taillen + key->len;
}

/* Whether storing a run's common bytes once saves space. */
static bool
run_grouped(int count, int common)
{
	/* each entry drops the common bytes and gains the group's offset */
	return count > 1 &&
		sizeof(uint16) + common + count * sizeof(uint16) < (size_t) count * common;
}

static int
run_space(const PtSizer *sizer)
{
	int			space;

	space = sizer->count * (sizeof(PtSlot) + sizeof(uint16)) +
		sizer->tails + sizer->bytes;
	if (!sizer->leaf)
		space += sizer->count * (sizeof(BlockNumber) + sizeof(uint8));
	if (run_grouped(sizer->count, sizer->common))
		space += sizeof(uint16) + sizer->common +
			sizer->count * (int) (sizeof(uint16) - sizer->common);
	return space;
}

void
_pt_sizer_init(PtSizer *sizer, bool leaf)
{
	memset(sizer, 0, sizeof(PtSizer));
	sizer->leaf = leaf;
}

/* Ends the run under way: what is added next is not grouped with it. */
void
_pt_sizer_close(PtSizer *sizer)
{
	sizer->closed += run_space(sizer);
	sizer->pklen = 0;
	sizer->count = 0;
	sizer->common = 0;
	sizer->bytes = 0;
	sizer->tails = 0;
}

void
_pt_sizer_add(PtSizer *sizer, const PtKey *key)
{
	if (sizer->count > 0 && sizer->pklen > 0 && key->len >= sizer->pklen &&
		memcmp(key->data, sizer->first.data, sizer->pklen) == 0)
	{
		int			common = _pt_common_prefix(&sizer->first, key);

		sizer->common = Min(sizer->common, common);
	}
	else
	{
		_pt_sizer_close(sizer);
		sizer->first = *key;
		sizer->pklen = _pt_pk_length(key->data, key->len);
		sizer->common = key->len;
	}
	sizer->count++;
	sizer->bytes += key->len;
	sizer->tails += key->taillen;
}

int
_pt_sizer_total(const PtSizer *sizer)
{
	return sizer->closed + run_space(sizer);
}

/*
 * All entries of a page in newly allocated memory, in an array with room for
 * so many extra ones.
 */
PtItem *
_pt_page_items(Page page, int extra, int *nitems)
{
	PtItem	   *items = palloc((PtPageCount(page) + extra) * sizeof(PtItem));
	uint16		slots[PT_MAX_ENTRIES];
	Size		total = 0;
	PtPlace		from;
	PtPlace		to;
	uint8	   *data;
	int			n;

	_pt_begin(page, &from);
	_pt_end(page, &to);
	n = _pt_slots_between(page, &from, &to, slots);
	for (int i = 0; i < n; i++)
	{
		PtEntry		entry;

		_pt_get_entry(page, slots[i], &entry);
		total += entry.prefixlen + entry.suffixlen;
	}
	data = n > 0 ? palloc(Max(total, 1)) : NULL;

	for (int i = 0; i < n; i++)
	{
		PtEntry		entry;

		_pt_get_entry(page, slots[i], &entry);
		entry_key(&entry, data, &items[i].key);
		items[i].child = entry.child;
		items[i].apart = false;
		data += items[i].key.len;
	}
	*nitems = n;
	return items;
}

/* Frees what _pt_page_items() returned, unless entries were put before. */
void
_pt_free_items(PtItem *items, int nitems)
{
	if (nitems > 0)
		pfree((void *) items[0].key.data);
	pfree(items);
}

/*
 * A copy of the items of a page, with a new one, so that a page formed of them
 * groups none that are not in one group now.  One group for all entries of a
 * partition key is mostly best, but not where an entry that shares little with
 * the others has come between: their common bytes would be stored in each.
 */
PtItem *
_pt_keep_groups(Page page, const PtItem *items, int nitems, int newpos)
{
	const PtSlot *slots = PtPageSlots(page);
	PtItem	   *result = palloc(nitems * sizeof(PtItem));
	uint16		order[PT_MAX_ENTRIES];
	uint16		before = 0;
	PtPlace		from;
	PtPlace		to;

	_pt_begin(page, &from);
	_pt_end(page, &to);
	(void) _pt_slots_between(page, &from, &to, order);
	memcpy(result, items, nitems * sizeof(PtItem));
	for (int i = 0; i < nitems; i++)
	{
		uint16		group = 0;

		if (i != newpos)
		{
			const uint8 *p = (const uint8 *) page +
				slots[order[i > newpos ? i - 1 : i]].offset;

			if (_pt_load_u16(p) & PT_GROUPED)
				group = _pt_load_u16(p + sizeof(uint16));
		}
		result[i].apart = group == 0 || group != before;
		before = group;
	}
	return result;
}

/*
 * Forms a page: fences, groups and entries.  The caller sets links and flags.
 */
void
_pt_form_page(Page page, const PtPageContent *content)
{
	PtPageOpaque opaque;
	PtSizer		sizer;

	_pt_sizer_init(&sizer, content->level == 0);
	for (int i = 0; i < content->nitems; i++)
	{
		if (content->items[i].apart)
			_pt_sizer_close(&sizer);
		_pt_sizer_add(&sizer, &content->items[i].key);
	}
	if (_pt_sizer_total(&sizer) + _pt_fence_size(&content->low) +
		_pt_fence_size(&content->high) > (int) PT_PAGE_SPACE)
		elog(ERROR, "entries do not fit into a ptree page");

	_pt_page_init(page, content->level, content->taillen);
	opaque = PtPageGetOpaque(page);
	opaque->low = place_fence(page, &content->low);
	opaque->high = place_fence(page, &content->high);
	if (opaque->low != 0 && opaque->high != 0)
		opaque->prefix = _pt_common_prefix(&content->low, &content->high);

	for (int i = 0; i < content->nitems;)
	{
		const PtItem *items = content->items;
		int			end = run_end(items, i, content->nitems);
		int			common = _pt_common_prefix(&items[i].key,
											   &items[end - 1].key);
		int			group = 0;

		if (run_grouped(end - i, common))
			group = place_group(page, &items[i].key, common);
		for (; i < end; i++)
			_pt_place_entry(page, i, &items[i], group, group ? common : 0);
	}
}

/* End of the run of entries with the same partition key. */
static int
run_end(const PtItem *items, int start, int nitems)
{
	const PtKey *first = &items[start].key;
	int			pklen = _pt_pk_length(first->data, first->len);
	int			end = start + 1;

	if (pklen > 0)
	{
		while (end < nitems && !items[end].apart &&
			   items[end].key.len >= pklen &&
			   memcmp(items[end].key.data, first->data, pklen) == 0)
			end++;
	}
	return end;
}

/* Whether two keys are known to have the same partition key. */
bool
_pt_same_pk(const PtKey *a, const PtKey *b)
{
	int			pklen = _pt_pk_length(a->data, a->len);

	return pklen > 0 && b->len >= pklen &&
		memcmp(a->data, b->data, pklen) == 0;
}

/*
 * Adds an entry at a slot.  The caller has made sure that there is room, and
 * that the key begins with the group's bytes if group is not 0; and sees to
 * nlate.
 */
void
_pt_place_entry(Page page, int slot, const PtItem *item, int group,
				int grouplen)
{
	bool		leaf = PtPageGetOpaque(page)->level == 0;
	const PtKey *key = &item->key;
	PtSlot	   *slots = PtPageSlots(page);
	int			count = PtPageCount(page);
	int			suffixlen = key->len - grouplen;
	uint16		offset;
	uint8	   *p;

	offset = place_record(page, _pt_entry_size(leaf, key, group != 0,
											   grouplen) - sizeof(PtSlot));
	memmove(&slots[slot + 1], &slots[slot], (count - slot) * sizeof(PtSlot));
	slots[slot].offset = offset;
	slots[slot].head = _pt_head(page, key);
	((PageHeader) page)->pd_lower += sizeof(PtSlot);

	p = (uint8 *) page + offset;
	_pt_store_u16(p, suffixlen | (group ? PT_GROUPED : 0));
	p += sizeof(uint16);
	if (group)
	{
		_pt_store_u16(p, group);
		p += sizeof(uint16);
	}
	if (!leaf)
	{
		memcpy(p, &item->child, sizeof(BlockNumber));
		p += sizeof(BlockNumber);
		*p++ = key->taillen;
	}
	memcpy(p, key->tail, key->taillen);
	if (suffixlen > 0)
		memcpy(p + key->taillen, key->data + grouplen, suffixlen);
}

/* Reduces the number of slots, and keeps the hole zero. */
void
_pt_truncate_slots(Page page, int nslots)
{
	PageHeader	header = (PageHeader) page;
	LocationIndex old = header->pd_lower;

	header->pd_lower = SizeOfPageHeaderData + nslots * sizeof(PtSlot);
	memset((char *) page + header->pd_lower, 0, old - header->pd_lower);
}

/*
 * The slots of a leaf page but for dead ones; returns their number, and how
 * many of them are late.
 */
int
_pt_keep_slots(Page page, const bool *dead, PtSlot *kept, int *nlate)
{
	PtSlot	   *slots = PtPageSlots(page);
	int			sorted = PtPageSorted(page);
	int			count = PtPageCount(page);
	int			nkept = 0;

	*nlate = 0;
	for (int slot = 0; slot < count; slot++)
	{
		if (dead[slot])
			continue;
		kept[nkept++] = slots[slot];
		if (slot >= sorted)
			(*nlate)++;
	}
	return nkept;
}

static uint16
place_record(Page page, int size)
{
	PageHeader	header = (PageHeader) page;

	Assert(PtPageFree(page) >= size);
	header->pd_upper -= size;
	return header->pd_upper;
}

static uint16
place_fence(Page page, const PtKey *key)
{
	uint16		offset;
	uint8	   *p;

	if (_pt_fence_size(key) == 0)
		return 0;
	offset = place_record(page, _pt_fence_size(key));
	p = (uint8 *) page + offset;
	_pt_store_u16(p, key->len);
	p += sizeof(uint16);
	*p++ = key->taillen;
	memcpy(p, key->tail, key->taillen);
	memcpy(p + key->taillen, key->data, key->len);
	return offset;
}

static uint16
place_group(Page page, const PtKey *key, int len)
{
	uint16		offset = place_record(page, sizeof(uint16) + len);
	uint8	   *p = (uint8 *) page + offset;

	_pt_store_u16(p, len);
	memcpy(p + sizeof(uint16), key->data, len);
	return offset;
}
