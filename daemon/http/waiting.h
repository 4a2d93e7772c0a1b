/*
 * The descriptors that the thread waits for, each with a function that is
 * called when something happened to it.
 */
#ifndef CCFC_HTTP_WAITING_H
#define CCFC_HTTP_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

struct ccfc_waiting;

/* Kept by the owner of the descriptor, and not moved while it is waited for. */
struct ccfc_awaited {
	/* `events` of epoll. The owner may be gone afterwards. */
	void (*ready)(struct ccfc_awaited *self, uint32_t events);
	int fd;
};

/* NULL: no descriptor is left. */
struct ccfc_waiting *ccfc_waiting_new(void);
void ccfc_waiting_free(struct ccfc_waiting *w);

bool ccfc_waiting_add(struct ccfc_waiting *w, struct ccfc_awaited *a,
		      uint32_t events);
void ccfc_waiting_change(struct ccfc_waiting *w, struct ccfc_awaited *a,
			 uint32_t events);
/* May be called from `ready`, for any descriptor. */
void ccfc_waiting_remove(struct ccfc_waiting *w, struct ccfc_awaited *a);

/*
 * Waits up to `ms` (-1: without limit) and calls `ready` of all ready
 * descriptors.
 */
void ccfc_waiting_run(struct ccfc_waiting *w, int ms);

#endif
