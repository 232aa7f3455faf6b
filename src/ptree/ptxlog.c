/*
 * ptxlog.c
 *	  WAL of ptree: the only file that emits it.
 *
 * A record is of the generic resource manager and is made by hand: the caller
 * changes the pages inside a critical section, names what it changed, and
 * _pt_wal_insert() logs those bytes as they are then.  Redo copies them,
 * zeroes the hole of each page, and knows nothing of ptree; so
 *
 * - a fragment must name every changed byte outside the hole, and the bytes
 *   between pd_lower and pd_upper must be zero on the primary as well;
 * - a page that is new, or changed in most of its bytes, is logged as an
 *   image (redo of fragments needs the page as it was);
 * - a record has at most four blocks;
 * - redo locks the blocks in the order in which they are named, and unlocks
 *   them at the end, so that order is that of locks (ptbuf.c): ptree_check() on
 *   a standby locks siblings, too;
 * - redo takes no cleanup lock and raises no recovery conflict, so what needs
 *   one emits it (_pt_wal_conflict).
 *
 * Nothing here can fail between the start of the critical section and its
 * end: a fragment takes two chunks of a record, and no record has more than
 * four fragments, so XLogInsert's default limit of 20 chunks is far.
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/nbtxlog.h"
#include "access/xloginsert.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "ptree/ptree_private.h"

void
_pt_wal_init(PtWal *wal)
{
	wal->nblocks = 0;
}

/* Logs a page as a whole. */
void
_pt_wal_image(PtWal *wal, Buffer buffer)
{
	_pt_wal_block(wal, buffer);
	wal->blocks[wal->nblocks - 1].image = true;
}

/* Logs the fragments of a page that the following calls name. */
void
_pt_wal_block(PtWal *wal, Buffer buffer)
{
	PtWalBlock *block;

	Assert(wal->nblocks < PT_WAL_MAX_BLOCKS);
	block = &wal->blocks[wal->nblocks++];
	block->buffer = buffer;
	block->image = false;
	block->nfragments = 0;
}

/* Adds changed bytes of the page of the last _pt_wal_block(). */
void
_pt_wal_fragment(PtWal *wal, const void *start, size_t length)
{
	PtWalBlock *block = &wal->blocks[wal->nblocks - 1];
	Page		page = BufferGetPage(block->buffer);
	PtWalFragment *fragment;

	if (length == 0)
		return;
	Assert(block->nfragments < PT_WAL_MAX_FRAGMENTS && !block->image);
	fragment = &block->fragments[block->nfragments++];
	fragment->offset = (uint16) ((const char *) start - (const char *) page);
	fragment->length = (uint16) length;
	Assert(fragment->offset >= offsetof(PageHeaderData, pd_flags));
	Assert(fragment->offset + length <= BLCKSZ);
}

/*
 * Logs the record and stamps its pages.  To be called in the critical section
 * that changed the pages, all of which are exclusively locked and dirty.
 */
void
_pt_wal_insert(Relation rel, PtWal *wal)
{
	XLogRecPtr	lsn;

	Assert(CritSectionCount > 0);
	if (!RelationNeedsWAL(rel))
		return;

	PT_FAULT("record");
	XLogBeginInsert();
	for (int i = 0; i < wal->nblocks; i++)
	{
		PtWalBlock *block = &wal->blocks[i];
		char	   *page = (char *) BufferGetPage(block->buffer);

		XLogRegisterBuffer(i, block->buffer, REGBUF_STANDARD |
						   (block->image ? REGBUF_FORCE_IMAGE : 0));
		for (int j = 0; j < block->nfragments; j++)
		{
			PtWalFragment *fragment = &block->fragments[j];

			XLogRegisterBufData(i, (char *) fragment, sizeof(PtWalFragment));
			XLogRegisterBufData(i, page + fragment->offset, fragment->length);
		}
	}
	lsn = XLogInsert(RM_GENERIC_ID, 0);
	for (int i = 0; i < wal->nblocks; i++)
		PageSetLSN(BufferGetPage(wal->blocks[i].buffer), lsn);
}

/*
 * Makes standby queries end whose snapshots are not younger than a transaction
 * id: before a deleted page, to which they might still follow a link, gets new
 * content, and before entries of row versions that they see are removed.  The
 * record is one of nbtree, whose redo does nothing else.
 */
void
_pt_wal_conflict(Relation rel, BlockNumber blkno, FullTransactionId horizon)
{
	xl_btree_reuse_page xlrec;

	compat_fill_reuse_record(&xlrec, rel, blkno, horizon);
	XLogBeginInsert();
	XLogRegisterData((char *) &xlrec, SizeOfBtreeReusePage);
	XLogInsert(RM_BTREE_ID, XLOG_BTREE_REUSE_PAGE);
}
