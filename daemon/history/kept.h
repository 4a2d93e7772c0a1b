/*
 * Kept from one question about history to the next: chains, blame walks, agent
 * launches. A question takes them out and puts them back at its end, so no two
 * threads ever use the same item. A second question about the same file makes
 * its own. Any thread. Rows have their numbers in the whole index.
 */
#ifndef CCFC_HISTORY_KEPT_H
#define CCFC_HISTORY_KEPT_H

#include "history/history.h"

/* The limit in bytes; the least recently used item is dropped first. */
#define CCFC_KEPT_BYTES ((size_t)64 << 20)

struct ccfc_chain;
struct ccfc_walk;
struct ccfc_launches;

/* A number never returned before. */
uint64_t ccfc_kept_tick(struct ccfc_kept *kept);

/* The chain of a file, or NULL; it then belongs to the caller. */
struct ccfc_chain *ccfc_kept_take_chain(struct ccfc_kept *kept, uint32_t home);
void ccfc_kept_put_chain(struct ccfc_kept *kept, struct ccfc_chain *chain);

/* The same for a walk; `space` as of blame. */
struct ccfc_walk *ccfc_kept_take_walk(struct ccfc_kept *kept, uint32_t home,
				      bool space);
void ccfc_kept_put_walk(struct ccfc_kept *kept, struct ccfc_walk *walk);

/* There is only one set of launches. */
struct ccfc_launches *ccfc_kept_take_launches(struct ccfc_kept *kept);
void ccfc_kept_put_launches(struct ccfc_kept *kept,
			    struct ccfc_launches *launches);

#endif
