/*
 * The RPC methods: a request in, a reply out. And the subscriptions, which
 * live as long as their connection. Core thread.
 */
#ifndef CCFC_SERVE_METHODS_H
#define CCFC_SERVE_METHODS_H

#include "serve/rpc/service.h"

struct ccfc_methods;
struct ccfc_disk_event;

/* `service` is borrowed and outlives it. */
struct ccfc_methods *ccfc_methods_new(struct ccfc_service *service);
void ccfc_methods_free(struct ccfc_methods *methods);

/* The server's handlers: one whole message; a connection that closed. */
void ccfc_methods_message(struct ccfc_methods *methods, uint64_t conn,
			  struct ccfc_slice bytes);
void ccfc_methods_closed(struct ccfc_methods *methods, uint64_t conn);
void ccfc_methods_drained(struct ccfc_methods *methods, uint64_t conn);
void ccfc_methods_full(struct ccfc_methods *methods, uint64_t conn);

/*
 * Tells the subscribers that a client has just replaced a file with a tool: the
 * line that says so comes later. `event` is a row of the index, with a session.
 */
void ccfc_methods_early(struct ccfc_methods *methods,
			const struct ccfc_disk_event *event);
/* Sends index->events of the stored batch to the subscribers. */
void ccfc_methods_publish(struct ccfc_methods *methods);

/* No request that uses the index runs. Subscriptions and builds don't count. */
bool ccfc_methods_is_quiet(const struct ccfc_methods *methods);
/*
 * service->index is another index now; `old` is the one before. Only while
 * ccfc_methods_is_quiet.
 */
void ccfc_methods_reindexed(struct ccfc_methods *methods,
			    const struct ccfc_index *old);

/*
 * A build advanced: sends progress to the clients that requested it
 * (rate-limited).
 */
void ccfc_methods_progress(struct ccfc_methods *methods);

/* Is there a request to continue? Some are answered in slices (slices.h). */
bool ccfc_methods_has_work(const struct ccfc_methods *methods);
/* Continues one of them for some milliseconds. */
void ccfc_methods_work(struct ccfc_methods *methods);

uint32_t ccfc_methods_subscribers(const struct ccfc_methods *methods);

#endif
