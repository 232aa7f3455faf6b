/*
 * ptprobe.c
 *	  Looking up one key without an index scan.
 *
 * A lookup that wants the row of a key pays more for the setting up of a scan
 * than for the search.  This is the search: the key as bytes, the leaf page,
 * the entries that are equal.  It reads pages as a scan does (ptscan.c), with
 * which it shares what makes that right.
 */
#include "postgres.h"

#include "storage/bufmgr.h"
#include "storage/predicate.h"

#include "ptree/ptree.h"
#include "ptree/ptree_private.h"

static Buffer next_page(Relation index, Buffer buf);
static void collect(Page page, int slot, int end, PtreeProbe *probe);

void
ptree_probe(Relation index, const Datum *values, Snapshot snapshot,
			PtreeProbe *probe)
{
	static const bool nulls[INDEX_MAX_KEYS] = {false};
	PtLayout	layout;
	PtKeyBytes	bytes;
	PtKey		key;
	Buffer		buf;
	bool		hinted;
	PtPlace		from;

	_pt_get_layout(index, &layout);
	_pt_init_bytes(&bytes, &layout, values, nulls);
	_pt_encode_bytes(index, &layout, values, nulls, &bytes.buf, &key);

	probe->n = 0;
	probe->overflow = false;
	probe->recheck = _pt_pk_digested(key.data, key.len);
	buf = _pt_find_leaf(index, &key, false, BUFFER_LOCK_SHARE, &hinted);
	_pt_locate(BufferGetPage(buf), &key, &from);
	key.kind = PT_KEY_AFTER;
	for (;;)
	{
		Page		page = BufferGetPage(buf);
		PtPlace		to;

		PredicateLockPage(index, BufferGetBlockNumber(buf), snapshot);
		_pt_locate_near(page, &key, &from, &to);
		collect(page, from.sorted, to.sorted, probe);
		collect(page, from.late, to.late, probe);
		if (probe->overflow || !_pt_beyond_page(page, &key, false))
			break;
		buf = next_page(index, buf);
		_pt_begin(BufferGetPage(buf), &from);
	}
	_pt_release(buf);
	_pt_free_bytes(&bytes);
}

/* Adds entries of a page. */
static void
collect(Page page, int slot, int end, PtreeProbe *probe)
{
	for (; slot < end; slot++)
	{
		if (probe->n == PTREE_PROBE_TIDS)
		{
			probe->overflow = true;
			return;
		}
		_pt_decode_tid(_pt_entry_tid(page, slot), &probe->tids[probe->n++]);
	}
}

/* The next page to the right that is not deleted. */
static Buffer
next_page(Relation index, Buffer buf)
{
	do
	{
		BlockNumber next = PtPageGetOpaque(BufferGetPage(buf))->next;

		if (next == InvalidBlockNumber)
			_pt_report_corrupt(index, BufferGetBlockNumber(buf),
							   "The page lacks a right sibling.");
		_pt_release(buf);
		buf = _pt_read(index, next, BUFFER_LOCK_SHARE);
	} while (_pt_page_deleted(BufferGetPage(buf)));
	return buf;
}
