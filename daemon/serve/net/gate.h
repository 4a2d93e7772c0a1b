/*
 * A listening socket, and the operation that accepts. Peers of another user are
 * rejected. Made, queried and freed on the core thread; `admit` is called on
 * nng's threads, one call at a time, until ccfc_gate_free has returned.
 */
#ifndef CCFC_SERVE_NET_GATE_H
#define CCFC_SERVE_NET_GATE_H

#include "base/err.h"

#include <nng/nng.h>
#include <stdbool.h>

struct ccfc_gate;

/* Takes over the stream. */
typedef void (*ccfc_gate_fn)(void *ctx, nng_stream *stream);

/* As ccfc_socket_listen (socket.h). */
int ccfc_gate_new(struct ccfc_gate **out, const char *path, ccfc_gate_fn admit,
		  void *ctx, struct ccfc_err *err);
/* Removes the socket if it is still this gate's. Connections stay. */
void ccfc_gate_free(struct ccfc_gate *gate);

/* Does a connect to the path reach this gate? */
bool ccfc_gate_is_there(const struct ccfc_gate *gate);

#endif
