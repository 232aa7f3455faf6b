/*
 * store_entry.c
 *	  Where the entries of a key are on a leaf page of nbtree.
 *
 * _bt_compare() calls a function through its FmgrInfo for each column, which
 * on a leaf means for both, since its neighbours have the same partition key.
 * Nearly all keys are strings or binaries, which compare as the bytes that
 * they are; that needs no call.  Whatever is not as simple as that (numbers,
 * values that are compressed) is left to _bt_compare().
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "store/store_private.h"

static int	bytes_compare(ItemRef a, const char *b, uint32 b_len);

/*
 * Compares a key with the entry at this place, a data item of a leaf page that
 * is pinned and locked; search is the same key.
 */
int
store_entry_compare(ItemStore *store, const ItemKey *key,
					BTScanInsertData *search, Page page, OffsetNumber offset)
{
	IndexTuple	tuple = (IndexTuple) PageGetItem(page,
												 PageGetItemId(page, offset));
	const char *value;

	if (!store->relation.key_is_bytes)
		return _bt_compare(store->lookup_index, search, page, offset);
	Assert(!IndexTupleHasNulls(tuple));
	value = (const char *) tuple + IndexInfoFindDataOffset(tuple->t_info);
	for (int i = 0; i < key->n; i++)
	{
		uint32		len;
		int			result;

		/* where a value begins: att_align_pointer() */
		if (!VARATT_NOT_PAD_BYTE(value))
			value = (const char *) INTALIGN(value);
		if (VARATT_IS_COMPRESSED(value) || VARATT_IS_EXTERNAL(value))
			return _bt_compare(store->lookup_index, search, page, offset);
		len = VARSIZE_ANY_EXHDR(value);
		result = i == 0 ?
			key_compare_bytes(key->refs[0], VARDATA_ANY(value), len) :
			bytes_compare(key->refs[i], VARDATA_ANY(value), len);
		if (result != 0)
			return result;
		value += VARSIZE_ANY(value);
	}
	return 0;
}

static int
bytes_compare(ItemRef a, const char *b, uint32 b_len)
{
	int			result = memcmp(a.data, b, Min(a.len, b_len));

	return result != 0 ? result : (a.len > b_len) - (a.len < b_len);
}

/*
 * The first entry that is not less than the key, maybe one beyond the last of
 * the page, and the first that is known to be greater; if they are not the
 * same place, the former is equal.
 */
OffsetNumber
store_entry_search(ItemStore *store, const ItemKey *key,
				   BTScanInsertData *search, Page page, OffsetNumber *greater)
{
	OffsetNumber low = P_FIRSTDATAKEY(BTPageGetOpaque(page));
	OffsetNumber high = PageGetMaxOffsetNumber(page) + 1;

	*greater = high;
	while (low < high)
	{
		OffsetNumber middle = low + (high - low) / 2;
		int			result = store_entry_compare(store, key, search, page,
												 middle);

		if (result > 0)
			low = middle + 1;
		else
			high = middle;
		if (result < 0)
			*greater = middle;
	}
	return low;
}
