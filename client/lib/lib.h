/*
 * Shared by the files of libccfc: the connection, its messages, and how a
 * connection is made. Not installed.
 */
#ifndef CCFC_LIB_LIB_H
#define CCFC_LIB_LIB_H

#include "base/buf.h"
#include "base/err.h"
#include "wire/frame.h"
#include "wire/obj.h"
#include "wire/rpc.h"

#include <ccfc/client.h>

/* A message from the daemon, returned as a result or an event. */
struct ccfc_reply {
	struct ccfc_reply *next; /* in the client's queue of events */
	char *bytes;		 /* owned; `doc` borrows from them */
	size_t len;
	struct ccfc_doc *doc;
	struct ccfc_rpc rpc;
	char *method; /* owned, terminated */
};

/* Gets the answer to a question asked ahead; negative: refuses the daemon. */
typedef int (*ccfc_ahead_fn)(void *data, const struct ccfc_reply *reply,
			     struct ccfc_err *err);

struct ccfc_client {
	int fd; /* -1: the connection is closed */
	int timeout_ms;
	bool spawned; /* this client started the daemon */
	uint32_t last_id;
	char *socket;
	struct ccfc_buf in, out; /* `out`: goes with the next call */
	struct ccfc_framer framer;
	struct {
		struct ccfc_reply *head;
		struct ccfc_reply **tail;
		size_t bytes;
		/* notifications received while a call waited for its answer */
	} events;
	struct {
		uint32_t id; /* 0: no answer is awaited */
		ccfc_ahead_fn fn;
		void *data;
	} ahead; /* see ccfc_lib_ask_ahead */
};

/* Sees a notification first; true: handled, false: queue it. */
typedef bool (*ccfc_notify_fn)(void *data, const struct ccfc_reply *reply);

/* ---- dial.c: connecting to a running daemon ---- */

/*
 * Connects to `path`; returns the descriptor. CCFC_EUNREACHABLE: nobody listens
 * there.
 */
int ccfc_lib_dial(const char *path, struct ccfc_err *err);

/* ---- wake.c: waking a running daemon that lost its socket ---- */

/*
 * Makes the daemon of our state directory listen at `path` again, and connects.
 * Called after a failed dial, whose `err` is kept. CCFC_EUNREACHABLE: no daemon
 * runs that should listen there. CCFC_EBUSY: a daemon runs but cannot listen;
 * `err` says why.
 */
int ccfc_lib_wake(const char *path, struct ccfc_err *err);

/* ---- spawn.c: starting a daemon ---- */

/* Starts a daemon for `path`, or waits for another starter; then connects. */
int ccfc_lib_spawn(const char *path, struct ccfc_err *err);

/* ---- exec.c: starting the process ---- */

/*
 * The program to start: $CCFC_DAEMON; or beside the running program, in its
 * libexec, or in the build tree; else a name to look up in PATH. The caller
 * frees it.
 */
char *ccfc_lib_find_daemon(void);

/*
 * Starts a daemon for the socket `path` that appends to the log file `log`.
 * Returns a descriptor to read: it gets a byte when the daemon is ready, and
 * an end of file when it has ended.
 */
int ccfc_lib_exec(const char *path, const char *log, struct ccfc_err *err);

/* ---- call_options.c: the names of the protocol ---- */

/* The offset of the option in struct ccfc_query; 0: it is not in there. */
size_t ccfc_lib_field(struct ccfc_slice option);

bool ccfc_lib_is_method(struct ccfc_slice name);

/* ---- stream.c: messages on the connection ---- */

/* Closes the connection; returns the given code. */
int ccfc_stream_fail(struct ccfc_client *c, int code);

/* Sends all bytes. */
int ccfc_stream_send(struct ccfc_client *c, struct ccfc_slice bytes,
		     struct ccfc_err *err);

/*
 * The next message. 1: *out is the message; 0: nothing came for timeout_ms
 * (negative: no limit). Any error has closed the connection.
 */
int ccfc_stream_next(struct ccfc_reply **out, struct ccfc_client *c,
		     int timeout_ms, struct ccfc_err *err);

/* ---- call.c: requests and their answers ---- */

/* As ccfc_client_call; notifications go to `fn` first (may be NULL). */
int ccfc_lib_call(struct ccfc_reply **out, struct ccfc_client *c,
		  const char *method, struct ccfc_slice params,
		  ccfc_notify_fn fn, void *data, struct ccfc_err *err);

/*
 * Asks a question without options whose answer `fn` sees before the next call
 * returns. Both requests are sent at once, so nobody waits twice; only calls
 * that may change something wait for `fn` first. If `fn` refuses, or an error
 * comes in place of the answer, the call fails with that error and the
 * connection is closed. `data` has to live until the next call returns.
 */
int ccfc_lib_ask_ahead(struct ccfc_client *c, const char *method,
		       ccfc_ahead_fn fn, void *data, struct ccfc_err *err);

#endif
