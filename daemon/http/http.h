/*
 * The REST API and the page, on one thread of its own. The thread is a client
 * of the daemon like any other: it turns a URL into a request of the protocol,
 * sends the request over the daemon's Unix socket, and gives the reply back as
 * JSON. It never sees the index.
 *
 * Only 127.0.0.1 is listened on. Loopback is open to all users of a machine, so
 * every request below /api needs the token.
 *
 * Start and free: one thread, the core's. The core may wait for the HTTP
 * thread, which never blocks on the daemon. The port does not change.
 */
#ifndef CCFC_HTTP_HTTP_H
#define CCFC_HTTP_HTTP_H

#include "base/err.h"

struct ccfc_http;

struct ccfc_http_setup {
	const char *socket_path; /* of the daemon */
	const char *token;
	int port; /* 0: any free one */
};

/*
 * CCFC_EBUSY: another program has the port. The texts of `setup` are copied.
 */
int ccfc_http_start(struct ccfc_http **out, const struct ccfc_http_setup *setup,
		    struct ccfc_err *err);
/* Ends all connections. NULL is allowed. */
void ccfc_http_free(struct ccfc_http *http);

int ccfc_http_port(const struct ccfc_http *http);

/* ---- token.c ---- */

/* Letters of a token: 32 random bytes in hex. */
#define CCFC_HTTP_TOKEN_LEN 64

/*
 * The token of this state directory: read from its file `web-token` (0600). The
 * file is written anew if it is missing or not to be trusted.
 */
int ccfc_http_token(char out[CCFC_HTTP_TOKEN_LEN + 1], const char *state_dir,
		    struct ccfc_err *err);

#endif
