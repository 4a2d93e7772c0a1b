/*
 * The thread's connections to the daemon: several running questions on each,
 * and the thread never blocks on one. Connections are made when they are
 * needed.
 *
 * A question calls one method and gets one reply. A subscription gets a reply
 * and then events, until it ends.
 */
#ifndef CCFC_HTTP_BACKEND_H
#define CCFC_HTTP_BACKEND_H

#include "http/waiting.h"
#include "wire/rpc.h"

struct ccfc_backend;

/*
 * The reply; NULL: the connection was lost, or the reply was too long. The
 * reply is only valid during the call. The function may ask again.
 */
typedef void (*ccfc_backend_fn)(void *arg, const struct ccfc_rpc *reply);
/* An event of a subscription; NULL: the connection was lost. */
typedef void (*ccfc_backend_event_fn)(void *arg, struct ccfc_obj event);

struct ccfc_backend *ccfc_backend_new(const char *socket_path,
				      struct ccfc_waiting *waiting);
/* Drops all questions, without calling their functions. */
void ccfc_backend_free(struct ccfc_backend *b);

/*
 * Sends a request with a packed map of options. Returns the id of the question,
 * or 0 with CCFC_EAGAIN (too many questions are running) or CCFC_EUNREACHABLE.
 */
uint32_t ccfc_backend_ask(struct ccfc_backend *b, const char *method,
			  struct ccfc_slice options, ccfc_backend_fn fn,
			  void *arg, struct ccfc_err *err);

/*
 * As ccfc_backend_ask, with events.subscribe. Events come after the reply,
 * which names the subscription; ccfc_backend_end ends it.
 */
uint32_t ccfc_backend_subscribe(struct ccfc_backend *b,
				struct ccfc_slice options, ccfc_backend_fn fn,
				ccfc_backend_event_fn event, void *arg,
				struct ccfc_err *err);

/*
 * Closes connections for pages of sessions that were idle for a minute. Returns
 * the milliseconds until the next call; -1: not before the next question.
 */
int ccfc_backend_rest(struct ccfc_backend *b);

/* Ends a question or subscription: its functions are not called again. */
void ccfc_backend_end(struct ccfc_backend *b, uint32_t id);

#endif
