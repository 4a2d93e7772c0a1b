/*
 * The server; see server.h. nng's accept callback admits connections: it
 * checks the peer's uid, gives the connection a number and lets it receive.
 * From then on the connection moves bytes by itself (conn.c) and posts itself
 * to the mailbox; ccfc_server_dispatch pops what was posted, cuts the bytes
 * into messages and hands them over.
 *
 * A connection's number holds its place in `slots` and a serial, so that it
 * is found at once and never mistaken for a later one in the same place.
 *
 * What a peer can cost: SLICE messages or TURN_BYTES of replies a turn before
 * the others are served; no request is taken from it while more than QUEUE_MAX
 * bytes of replies wait for it; and what it has sent is bounded by conn.c.
 * What all peers can cost: with more than TOTAL_MAX bytes waiting the server is
 * crowded. Then those that have taken nothing for STALL_MS are hung up on, no
 * queue grows, and requests for more can be refused (ccfc_server_crowded).
 * Peers beyond CLIENTS_MAX are told so and hung up on. When accepting fails (no
 * descriptors left) the listener rests for a while instead of spinning.
 */
#include "serve/net/server.h"

#include "base/alloc.h"
#include "base/time.h"
#include "serve/net/conn.h"
#include "serve/net/socket.h"
#include "wire/rpc.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_MAX 256u
#define SLOTS	    512u /* a power of two; with those being refused */
#define SLICE	    64
#define TURN_BYTES  ((size_t)4 << 20)
#define QUEUE_MAX   ((size_t)64 << 20)
#define TOTAL_MAX   ((size_t)256 << 20)
#define STALL_MS    2000
#define REST_MS	    100

struct ccfc_server {
	struct ccfc_mailbox box;
	struct ccfc_server_handlers handlers;
	struct ccfc_socket socket;
	nng_aio *accept_aio;
	bool resting; /* the accept operation is a pause: its own thread's */
	struct ccfc_buf scratch;

	/* Under the mailbox's lock: */
	struct ccfc_conn *slots[SLOTS];
	uint64_t serial;
	uint32_t clients; /* not refused */
};

/* --- admitting, on nng's threads --- */

static bool peer_is_us(nng_stream *stream)
{
	uint64_t uid;

	return nng_stream_get_uint64(stream, NNG_OPT_IPC_PEER_UID, &uid) == 0 &&
	       uid == getuid();
}

/*
 * Under the lock. Peers that hung up and that the core has not come round to
 * free yet keep nobody out.
 */
static bool is_full(const struct ccfc_server *s)
{
	uint32_t n = 0;

	if (s->clients < CLIENTS_MAX)
		return false;
	for (uint32_t i = 0; i < SLOTS; i++)
		n += s->slots[i] && !s->slots[i]->refused &&
		     !s->slots[i]->ended;
	return n >= CLIENTS_MAX;
}

/* Under the lock. False: no place is left. */
static bool place(struct ccfc_server *s, struct ccfc_conn *conn)
{
	uint64_t serial = ++s->serial;

	for (uint32_t i = 0; i < SLOTS; i++) {
		uint32_t slot = (uint32_t)(serial + i) % SLOTS;

		if (s->slots[slot])
			continue;
		conn->refused = is_full(s);
		conn->id = serial * SLOTS + slot;
		s->slots[slot] = conn;
		s->clients += !conn->refused;
		return true;
	}
	return false;
}

static void admit(struct ccfc_server *s, nng_stream *stream)
{
	struct ccfc_conn *conn;
	bool placed, refused, ring = false;

	if (!peer_is_us(stream)) {
		nng_stream_free(stream);
		return;
	}
	conn = ccfc_conn_new(&s->box, stream);
	if (!conn)
		return;
	ccfc_mailbox_lock(&s->box);
	placed = place(s, conn);
	refused = conn->refused;
	if (placed && refused) /* from here on the core may free it */
		ring = ccfc_mailbox_post(&s->box, &conn->mail);
	ccfc_mailbox_unlock(&s->box);
	if (ring)
		ccfc_mailbox_ring(&s->box);
	if (!placed)
		ccfc_conn_free(conn);
	else if (!refused)
		ccfc_conn_receive(conn);
}

static void on_accepted(void *arg)
{
	struct ccfc_server *s = arg;
	int rv = nng_aio_result(s->accept_aio);

	if (rv == NNG_ECLOSED || rv == NNG_ECANCELED)
		return;
	if (rv) {
		s->resting = true;
		nng_sleep_aio(REST_MS, s->accept_aio);
		return;
	}
	if (s->resting)
		s->resting = false;
	else
		admit(s, nng_aio_get_output(s->accept_aio, 0));
	nng_stream_listener_accept(s->socket.listener, s->accept_aio);
}

/* --- life --- */

int ccfc_server_new(struct ccfc_server **out, const char *socket_path,
		    const struct ccfc_server_handlers *handlers,
		    struct ccfc_err *err)
{
	struct ccfc_server *s = ccfc_calloc(1, sizeof(*s));
	int r = ccfc_mailbox_init(&s->box, err);

	*out = NULL;
	s->handlers = *handlers;
	if (!r && nng_aio_alloc(&s->accept_aio, on_accepted, s) != 0)
		r = ccfc_err_set(err, CCFC_EIO, "nng does not start");
	if (!r)
		r = ccfc_socket_listen(&s->socket, socket_path, err);
	if (r) {
		ccfc_server_free(s);
		return r;
	}
	nng_stream_listener_accept(s->socket.listener, s->accept_aio);
	*out = s;
	return 0;
}

void ccfc_server_free(struct ccfc_server *s)
{
	if (!s)
		return;
	ccfc_socket_close(&s->socket);
	if (s->accept_aio)
		nng_aio_stop(s->accept_aio);
	for (uint32_t i = 0; i < SLOTS; i++)
		ccfc_conn_free(s->slots[i]);
	nng_aio_free(s->accept_aio);
	ccfc_socket_release(&s->socket);
	ccfc_mailbox_release(&s->box);
	ccfc_buf_release(&s->scratch);
	free(s);
}

int ccfc_server_fd(const struct ccfc_server *s)
{
	return s->box.rfd;
}

/* The core is the only one to free connections, so it may use the result. */
static struct ccfc_conn *find_server(const struct ccfc_server *s, uint64_t id)
{
	struct ccfc_mailbox *box = (struct ccfc_mailbox *)&s->box;
	struct ccfc_conn *conn;

	ccfc_mailbox_lock(box);
	conn = s->slots[id % SLOTS];
	ccfc_mailbox_unlock(box);
	return conn && conn->id == id ? conn : NULL;
}

/* --- messages in --- */

static void close_conn(struct ccfc_server *s, struct ccfc_conn *conn)
{
	uint64_t id = conn->id;
	bool known = !conn->refused;

	ccfc_mailbox_lock(&s->box);
	s->slots[id % SLOTS] = NULL;
	s->clients -= known;
	ccfc_mailbox_unlock(&s->box);
	ccfc_conn_free(conn);
	if (known && s->handlers.on_close)
		s->handlers.on_close(s->handlers.ctx, id);
}

/* The last words to a peer that cannot be served. */
static void reject(struct ccfc_server *s, struct ccfc_conn *conn,
		   const struct ccfc_err *why)
{
	struct ccfc_pack pack;

	ccfc_buf_clear(&s->scratch);
	ccfc_pack_init(&pack, &s->scratch);
	ccfc_rpc_error(&pack, 0, why);
	ccfc_conn_send(conn, &s->scratch);
	conn->closing = true;
}

static void refuse_server(struct ccfc_server *s, struct ccfc_conn *conn)
{
	struct ccfc_err err;

	ccfc_err_set(&err, CCFC_EBUSY, "more than %u clients", CLIENTS_MAX);
	reject(s, conn, &err);
}

bool ccfc_server_crowded(const struct ccfc_server *s)
{
	struct ccfc_mailbox *box = (struct ccfc_mailbox *)&s->box;
	bool crowded;

	ccfc_mailbox_lock(box);
	crowded = box->queued > TOTAL_MAX;
	ccfc_mailbox_unlock(box);
	return crowded;
}

/* So much waits for it that no request is taken: it is posted when read. */
static bool is_behind(const struct ccfc_server *s, struct ccfc_conn *conn)
{
	return ccfc_conn_queued(conn) >
	       (ccfc_server_crowded(s) ? CCFC_CONN_TELL_BYTES : QUEUE_MAX);
}

/* Hands over the messages in `work`. True: there may be more. */
static bool read_messages(struct ccfc_server *s, struct ccfc_conn *conn)
{
	size_t at = 0, len, turn = ccfc_conn_queued(conn) + TURN_BYTES;
	bool more = false;
	struct ccfc_err err;
	int r = 1;

	for (int left = SLICE; !conn->closing && !is_behind(s, conn); left--) {
		struct ccfc_slice rest =
			ccfc_slice(conn->work.ptr + at, conn->work.len - at);

		more = !left || ccfc_conn_queued(conn) > turn;
		if (!rest.len || more)
			break;
		r = ccfc_framer_next(&conn->framer, &len, rest, &err);
		if (r <= 0)
			break;
		s->handlers.on_message(s->handlers.ctx, conn->id,
				       ccfc_slice(rest.ptr, len));
		at += len;
	}
	if (r < 0)
		reject(s, conn, &err);
	ccfc_buf_consume(&conn->work, at);
	return more && conn->work.len;
}

/* Brings one connection up to date; it may be gone afterwards. */
static void serve(struct ccfc_server *s, struct ccfc_conn *conn)
{
	bool full = is_behind(s, conn), more = false, ended;
	struct ccfc_conn_news news = ccfc_conn_news(conn, !full);

	if (news.drained && !news.broken && s->handlers.on_drained)
		s->handlers.on_drained(s->handlers.ctx, conn->id);
	if (conn->refused && !conn->closing)
		refuse_server(s, conn);
	if (!full && !news.broken)
		more = read_messages(s, conn);
	full = is_behind(s, conn);
	ended = news.ended && !more && !full;
	if (news.broken ||
	    ((conn->closing || ended) && !ccfc_conn_queued(conn))) {
		close_conn(s, conn);
		return;
	}
	if (more)
		ccfc_conn_post(conn);
	else if (conn->closing || ended)
		ccfc_conn_tell(conn);
	if (!full && !conn->closing)
		ccfc_conn_receive(conn);
}

/* Room for those who read. */
static void drop_stalled(struct ccfc_server *s)
{
	int64_t since = ccfc_time_monotonic() - STALL_MS;

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct ccfc_conn *conn;
		bool stalled;

		ccfc_mailbox_lock(&s->box);
		conn = s->slots[i];
		stalled = conn && ccfc_conn_is_stalled(conn, since);
		ccfc_mailbox_unlock(&s->box);
		if (stalled)
			close_conn(s, conn);
	}
}

void ccfc_server_dispatch(struct ccfc_server *s)
{
	if (ccfc_server_crowded(s))
		drop_stalled(s);
	/* Those that post themselves again meanwhile have to wait. */
	for (uint32_t n = ccfc_mailbox_open(&s->box); n; n--) {
		struct ccfc_mail *mail = ccfc_mailbox_pop(&s->box);

		if (!mail)
			break;
		serve(s, (struct ccfc_conn *)mail);
	}
}

/* --- bytes out --- */

bool ccfc_server_send_buf(struct ccfc_server *s, uint64_t id,
			  struct ccfc_buf *buf)
{
	struct ccfc_conn *conn = find_server(s, id);

	if (conn && !conn->closing)
		return ccfc_conn_send(conn, buf);
	ccfc_buf_clear(buf);
	return false;
}

size_t ccfc_server_queued(const struct ccfc_server *s, uint64_t id)
{
	struct ccfc_conn *conn = find_server(s, id);

	return conn ? ccfc_conn_queued(conn) : 0;
}

void ccfc_server_hang_up(struct ccfc_server *s, uint64_t id)
{
	struct ccfc_conn *conn = find_server(s, id);

	if (!conn)
		return;
	conn->closing = true;
	ccfc_conn_tell(conn);
}

/* Under the lock. */
static bool all_sent(const struct ccfc_server *s)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (s->slots[i] && s->slots[i]->sending)
			return false;
	return true;
}

void ccfc_server_flush(struct ccfc_server *s, int timeout_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	ccfc_mailbox_lock(&s->box);
	while (!all_sent(s) && ccfc_mailbox_wait(&s->box, &until))
		;
	ccfc_mailbox_unlock(&s->box);
}

uint32_t ccfc_server_clients(const struct ccfc_server *s)
{
	struct ccfc_mailbox *box = (struct ccfc_mailbox *)&s->box;
	uint32_t n;

	ccfc_mailbox_lock(box);
	n = s->clients;
	ccfc_mailbox_unlock(box);
	return n;
}
