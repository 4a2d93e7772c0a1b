/*
 * One connection: its incoming and outgoing bytes, and nng's two operations.
 * Only server.c uses this.
 *
 * Threads: the fields in the second group are under the mailbox's lock; those
 * in the third are the core's own. No nng call is made under the lock.
 */
#ifndef CCFC_SERVE_NET_CONN_H
#define CCFC_SERVE_NET_CONN_H

#include "base/buf.h"
#include "serve/net/mailbox.h"
#include "serve/net/outbox.h"
#include "wire/frame.h"

#include <nng/nng.h>

#define CCFC_CONN_READ_BYTES 8192
/* A queue that was longer is reported when it is empty again. */
#define CCFC_CONN_TELL_BYTES ((size_t)256 << 10)

struct ccfc_conn {
	struct ccfc_mail mail; /* first: a mail is its connection */
	struct ccfc_mailbox *box;
	nng_stream *stream;
	nng_aio *recv_aio, *send_aio;
	uint64_t id; /* set before it is visible */
	bool refused;

	struct ccfc_buf in;	/* received, not yet taken by the core */
	struct ccfc_outbox out; /* queued after `flight` */
	struct ccfc_buf flight; /* nng's while `sending` */
	size_t flight_at;
	int64_t moved; /* when the peer took bytes last; monotonic, ms */
	bool receiving;
	bool sending;
	bool ended;   /* nothing more will be received */
	bool broken;  /* nothing more can be sent */
	bool tell;    /* post when all is sent */
	bool drained; /* and it was */

	struct ccfc_buf work; /* taken, not yet answered */
	struct ccfc_framer framer;
	bool closing;  /* hang up when all is sent */
	bool full;     /* handlers.on_full was called */
	bool held;     /* short replies wait in `flight`; see ccfc_conn_hold */
	uint32_t owed; /* number of answers still to be sent */

	char bytes[CCFC_CONN_READ_BYTES]; /* nng's while `receiving` */
};

/* Always takes over the stream. NULL: nng has no resources left. */
struct ccfc_conn *ccfc_conn_new(struct ccfc_mailbox *box, nng_stream *stream);
/* Core: waits for nng's callbacks (they are short), then frees. */
void ccfc_conn_free(struct ccfc_conn *conn);

/*
 * Resumes receiving unless it is under way, has ended, or too many bytes wait.
 */
void ccfc_conn_receive(struct ccfc_conn *conn);

/* The news since the last call. Moves `in` to `work` if `take`. */
struct ccfc_conn_news {
	bool ended, broken, drained;
};
struct ccfc_conn_news ccfc_conn_news(struct ccfc_conn *conn, bool take);

/*
 * Queues the bytes of `buf` and leaves it empty, with other memory to reuse.
 * False when the peer is gone.
 */
bool ccfc_conn_send(struct ccfc_conn *conn, struct ccfc_buf *buf);
/* The same for a long answer. */
bool ccfc_conn_send_spool(struct ccfc_conn *conn, struct ccfc_spool *spool);
/*
 * From now on short replies wait for each other until ccfc_conn_let_go sends
 * them all at once: one system call, and one wake-up of the peer.
 */
void ccfc_conn_hold(struct ccfc_conn *conn);
void ccfc_conn_let_go(struct ccfc_conn *conn);
size_t ccfc_conn_queued(struct ccfc_conn *conn);
/*
 * Under the lock: the waiting bytes; of these, the bytes that can be moved to a
 * file.
 */
size_t ccfc_conn_waiting(const struct ccfc_conn *conn);
size_t ccfc_conn_memory(const struct ccfc_conn *conn);
/*
 * Under the lock: moves waiting bytes from memory to files in `dir`. -1: that
 * fails, or `dir` is NULL.
 */
int ccfc_conn_spill(struct ccfc_conn *conn, const char *dir);
/* Under the lock: gives up the peer, for the core to hang up. True: ring. */
bool ccfc_conn_drop(struct ccfc_conn *conn);
/* Posts the connection, for the core's next turn. */
void ccfc_conn_post(struct ccfc_conn *conn);
/* Posts the connection once nothing is queued, maybe now. */
void ccfc_conn_tell(struct ccfc_conn *conn);

#endif
