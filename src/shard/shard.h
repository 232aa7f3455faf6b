/*
 * shard.h
 *	  Write shards: changing their number, and reports.
 */
#ifndef PT_SHARD_H
#define PT_SHARD_H

extern void shard_init(void);

#endif							/* PT_SHARD_H */
