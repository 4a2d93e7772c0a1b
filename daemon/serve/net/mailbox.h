/*
 * The only interface between nng's threads and the core: a lock, a list of
 * items for the core, and a descriptor that wakes it.
 *
 * An item embeds a struct ccfc_mail and is in the list at most once, however
 * often it is posted; its news is in its own fields, which the same lock
 * protects. Any thread may lock and post; only the core pops.
 */
#ifndef CCFC_SERVE_NET_MAILBOX_H
#define CCFC_SERVE_NET_MAILBOX_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct ccfc_mail {
	struct ccfc_mail *next;
	bool posted;
};

struct ccfc_mailbox {
	pthread_mutex_t lock;
	pthread_cond_t idle; /* a queue ran empty; see ccfc_mailbox_wait */
	struct ccfc_mail *head, *tail;
	uint32_t n;
	size_t queued; /* bytes that wait to be sent, of all connections */
	size_t memory; /* that is held for them; the rest is in files */
	bool rung;     /* the core has been or is being woken */
	int rfd, wfd;
};

int ccfc_mailbox_init(struct ccfc_mailbox *box, struct ccfc_err *err);
/* No other thread may use it any more. */
void ccfc_mailbox_release(struct ccfc_mailbox *box);

static inline void ccfc_mailbox_lock(struct ccfc_mailbox *box)
{
	pthread_mutex_lock(&box->lock);
}

static inline void ccfc_mailbox_unlock(struct ccfc_mailbox *box)
{
	pthread_mutex_unlock(&box->lock);
}

/*
 * Under the lock. True: the caller must call ccfc_mailbox_ring after unlocking
 * (so that the waking core does not wait for the lock).
 */
bool ccfc_mailbox_post(struct ccfc_mailbox *box, struct ccfc_mail *mail);
void ccfc_mailbox_ring(struct ccfc_mailbox *box);

/* Core, no lock held: silences the descriptor; how many can be popped now. */
uint32_t ccfc_mailbox_open(struct ccfc_mailbox *box);
/* Core, no lock held: the oldest, or NULL. */
struct ccfc_mail *ccfc_mailbox_pop(struct ccfc_mailbox *box);
/* Under the lock: removes an item that is about to be freed. */
void ccfc_mailbox_remove(struct ccfc_mailbox *box, struct ccfc_mail *mail);

/*
 * Under the lock: waits for box->idle until `deadline`; false: the time is up.
 */
bool ccfc_mailbox_wait(struct ccfc_mailbox *box,
		       const struct timespec *deadline);

#endif
