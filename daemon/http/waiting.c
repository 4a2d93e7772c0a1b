/* Waiting for descriptors; see waiting.h. */
#include "http/waiting.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <unistd.h>

#define TURN_MAX 64

struct ccfc_waiting {
	int epoll;
	int n; /* of this turn */
	struct epoll_event turn[TURN_MAX];
};

struct ccfc_waiting *ccfc_waiting_new(void)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct ccfc_waiting *w;

	if (fd < 0)
		return NULL;
	w = ccfc_calloc(1, sizeof(*w));
	w->epoll = fd;
	return w;
}

void ccfc_waiting_free(struct ccfc_waiting *w)
{
	if (!w)
		return;
	close(w->epoll);
	free(w);
}

bool ccfc_waiting_add(struct ccfc_waiting *w, struct ccfc_awaited *a,
		      uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = a };

	return epoll_ctl(w->epoll, EPOLL_CTL_ADD, a->fd, &event) == 0;
}

void ccfc_waiting_change(struct ccfc_waiting *w, struct ccfc_awaited *a,
			 uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = a };

	epoll_ctl(w->epoll, EPOLL_CTL_MOD, a->fd, &event);
}

void ccfc_waiting_remove(struct ccfc_waiting *w, struct ccfc_awaited *a)
{
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, a->fd, NULL);
	/* The owner may be freed: nothing of it may be called in this turn. */
	for (int i = 0; i < w->n; i++)
		if (w->turn[i].data.ptr == a)
			w->turn[i].data.ptr = NULL;
}

void ccfc_waiting_run(struct ccfc_waiting *w, int ms)
{
	w->n = epoll_wait(w->epoll, w->turn, TURN_MAX, ms);
	for (int i = 0; i < w->n; i++) {
		struct ccfc_awaited *a = w->turn[i].data.ptr;

		if (a)
			a->ready(a, w->turn[i].events);
	}
	w->n = 0;
}
