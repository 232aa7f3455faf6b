/*
 * ptree.h
 *	  The index access method ptree: what other folders may call.
 *
 * Everything else goes through the index access method interface.
 */
#ifndef PT_PTREE_H
#define PT_PTREE_H

/* prototypes for functions in ptree.c */
extern void ptree_init(void);

#endif							/* PT_PTREE_H */
