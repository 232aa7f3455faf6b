/*
 * capacity_units.c
 *	  Capacity units of reads and writes: functions of sizes alone.
 */
#include "postgres.h"

#include "capacity/capacity_units.h"

int64
capacity_units(CapacityAccess access, uint64 size)
{
	uint64		unit = capacity_is_read(access) ? CAPACITY_READ_UNIT :
		CAPACITY_WRITE_UNIT;
	int64		units = Max(1, (size + unit - 1) / unit);

	switch (access)
	{
		case CAPACITY_READ_EVENTUAL:
			return units * 5;
		case CAPACITY_READ_STRONG:
		case CAPACITY_WRITE:
			return units * 10;
		case CAPACITY_READ_TRANSACTION:
		case CAPACITY_WRITE_TRANSACTION:
			return units * 20;
	}
	return 0;
}

/*
 * An entry that gets another key is deleted and put; one that keeps its key
 * is put if anything that it holds has changed.
 */
int64
capacity_index_units(CapacityAccess access, const CapacityChange *change)
{
	if (change->before == 0 && change->after == 0)
		return 0;
	if (change->before == 0 || change->after == 0)
		return capacity_units(access, Max(change->before, change->after));
	if (change->moved)
		return capacity_units(access, change->before) +
			capacity_units(access, change->after);
	if (change->changed)
		return capacity_units(access, Max(change->before, change->after));
	return 0;
}
