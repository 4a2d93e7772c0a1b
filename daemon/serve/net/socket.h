/*
 * The Unix socket's path: makes sure that nothing else is there, that only its
 * owner has access, and that only our own socket is ever removed. Core thread.
 */
#ifndef CCFC_SERVE_NET_SOCKET_H
#define CCFC_SERVE_NET_SOCKET_H

#include "base/err.h"

#include <nng/nng.h>
#include <stdbool.h>
#include <sys/stat.h>

struct ccfc_socket {
	nng_stream_listener *listener;
	char *path;
	dev_t dev;
	ino_t ino;
};

/*
 * Listens on `path`, mode 0600, in a directory that is ours alone (made if it
 * is missing). A socket of ours that is there is stale and replaced.
 * CCFC_EBUSY: something else is there, and stays. CCFC_EDENIED: others may
 * write to the directory. CCFC_EINVAL: the path is too long.
 */
int ccfc_socket_listen(struct ccfc_socket *socket, const char *path,
		       struct ccfc_err *err);

/* Does the path still lead to this socket? */
bool ccfc_socket_is_there(const struct ccfc_socket *socket);

/* Stops listening and removes the socket if the path still leads to it. */
void ccfc_socket_close(struct ccfc_socket *socket);
/* After the accept operation was stopped. */
void ccfc_socket_release(struct ccfc_socket *socket);

#endif
