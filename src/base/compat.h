/*
 * compat.h
 *	  Every difference between the supported server majors (15 to 18).
 *
 * A wrapper takes the newest version's shape and is named by what it does;
 * a block names the major that changed and goes when that major's
 * predecessor is no longer supported.
 */
#ifndef PT_BASE_COMPAT_H
#define PT_BASE_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "partitioning needs PostgreSQL 15 or newer"
#endif

#endif							/* PT_BASE_COMPAT_H */
