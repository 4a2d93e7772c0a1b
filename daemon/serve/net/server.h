/*
 * The server: the Unix socket, its connections, and the interface between nng's
 * threads and the core.
 *
 * Threads: nng's callbacks only move bytes: they append what was received to
 * the connection and post the connection's name to the mailbox, under its
 * lock. Everything else below is called on the core thread. The core learns
 * of mail through ccfc_server_fd.
 *
 * A connection is named by a number that is never reused, so a late reply to a
 * disconnected peer is dropped. Each connection has a queue of bytes to send; a
 * peer with a long queue is not answered until it reads, and its events are
 * dropped: the subscription then gets a `resync`. Waiting bytes are in memory
 * up to a common limit, then in files.
 */
#ifndef CCFC_SERVE_NET_SERVER_H
#define CCFC_SERVE_NET_SERVER_H

#include "base/buf.h"
#include "base/err.h"
#include "serve/net/spool.h"

#include <stdint.h>

struct ccfc_server;

/*
 * Handlers, called on the core thread from ccfc_server_dispatch. `bytes` is
 * one whole message that the framer has passed, valid during the call.
 */
struct ccfc_server_handlers {
	void *ctx;
	void (*on_message)(void *ctx, uint64_t conn, struct ccfc_slice bytes);
	void (*on_close)(void *ctx, uint64_t conn);
	/*
	 * All that was queued for this connection has been sent. Only for a
	 * queue that was longer than 256 KiB.
	 */
	void (*on_drained)(void *ctx, uint64_t conn);
	/*
	 * Too many bytes wait for this connection: begin nothing for it until
	 * on_drained. May be NULL.
	 */
	void (*on_full)(void *ctx, uint64_t conn);
	/*
	 * Requests were read from a connection, and on_message follows for
	 * each. Everything their sender did before sending them has happened by
	 * now. May be NULL.
	 */
	void (*on_requests)(void *ctx);
};

/*
 * Listens on `socket_path`. A socket of ours that nobody listens on any more is
 * replaced; anything else there is refused untouched (CCFC_EBUSY). Directory
 * 0700, socket 0600, peers of another uid are hung up on. Signals must be
 * blocked before (nng starts threads).
 */
int ccfc_server_new(struct ccfc_server **out, const char *socket_path,
		    const struct ccfc_server_handlers *handlers,
		    struct ccfc_err *err);

/* Hangs up on everyone, stops nng's threads, removes the socket. */
void ccfc_server_free(struct ccfc_server *server);

/*
 * Does a connect to the socket's path reach this server? Not when the socket or
 * its directory was removed, moved or replaced.
 */
bool ccfc_server_is_there(const struct ccfc_server *server);

/*
 * Listens at the same path again, as ccfc_server_new does; connections stay. On
 * failure nothing changes: a moved socket may be moved back.
 */
int ccfc_server_listen_again(struct ccfc_server *server, struct ccfc_err *err);

/*
 * The directory for answers that do not fit in memory; `dir` is borrowed.
 * Without it, slow peers are disconnected instead.
 */
void ccfc_server_spool_in(struct ccfc_server *server, const char *dir);
/* Limits for all peers; see server.c for the defaults. */
struct ccfc_server_limits {
	size_t memory, total; /* bytes that wait: in memory, in all */
	int64_t unread_ms;    /* how long one may take nothing */
};
void ccfc_server_limit(struct ccfc_server *server,
		       const struct ccfc_server_limits *limits);

/* Readable when ccfc_server_dispatch has work. */
int ccfc_server_fd(const struct ccfc_server *server);
/* The number of ms until it must be called, or -1. */
int ccfc_server_timeout_ms(const struct ccfc_server *server);

/*
 * Handles all mail: calls the handlers for complete messages, bad bytes
 * (answered with an error, then disconnected) and closed connections.
 */
void ccfc_server_dispatch(struct ccfc_server *server);

/*
 * Queues bytes without a copy: those of `buf` are handed over, and `buf` is
 * empty afterwards (with other memory), also when the connection is gone.
 * False when it is.
 */
bool ccfc_server_send_buf(struct ccfc_server *server, uint64_t conn,
			  struct ccfc_buf *buf);

/* The same for a long answer, or a part of one. */
bool ccfc_server_send_spool(struct ccfc_server *server, uint64_t conn,
			    struct ccfc_spool *spool);

/* Bytes that wait to be sent to a connection. */
size_t ccfc_server_queued(const struct ccfc_server *server, uint64_t conn);

/* A request will be answered later (true), or has been (false). */
void ccfc_server_owe(struct ccfc_server *server, uint64_t conn, bool more);

/* What waits for all connections: bytes, and the memory held for them. */
void ccfc_server_unsent(const struct ccfc_server *server, uint64_t *bytes,
			uint64_t *memory);

/* Hangs up after the queued bytes have been sent. */
void ccfc_server_hang_up(struct ccfc_server *server, uint64_t conn);

/*
 * Waits (for a limited time) until every queue is empty, at the end of the
 * daemon.
 */
void ccfc_server_flush(struct ccfc_server *server, int timeout_ms);

uint32_t ccfc_server_clients(const struct ccfc_server *server);

#endif
