/*
 * capacity_units.h
 *	  Capacity units of reads and writes: functions of sizes alone.
 *
 * Units are counted in tenths, since the smallest there is, an eventual read
 * of one block, is a half.
 */
#ifndef PT_CAPACITY_UNITS_H
#define PT_CAPACITY_UNITS_H

#define CAPACITY_READ_UNIT		4096	/* bytes */
#define CAPACITY_WRITE_UNIT		1024

typedef enum CapacityAccess
{
	CAPACITY_READ_EVENTUAL,
	CAPACITY_READ_STRONG,
	CAPACITY_READ_TRANSACTION,
	CAPACITY_WRITE,
	CAPACITY_WRITE_TRANSACTION
} CapacityAccess;

/* A change of one item's entry in an index; a size of 0 is no entry. */
typedef struct CapacityChange
{
	uint32		before;
	uint32		after;
	bool		moved;			/* the entry's key is another one */
	bool		changed;		/* some other attribute is */
} CapacityChange;

static inline bool
capacity_is_read(CapacityAccess access)
{
	return access < CAPACITY_WRITE;
}

/* prototypes for functions in capacity_units.c */

/* Nothing at all takes as much as one byte. */
extern int64 capacity_units(CapacityAccess access, uint64 size);
extern int64 capacity_index_units(CapacityAccess access,
								  const CapacityChange *change);

#endif							/* PT_CAPACITY_UNITS_H */
