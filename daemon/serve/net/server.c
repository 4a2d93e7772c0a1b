/*
 * The server; see server.h. Connections are admitted on nng's threads
 * (gate.c): each gets a number and is let receive.
 * From then on the connection moves bytes by itself (conn.c) and posts itself
 * to the mailbox; ccfc_server_dispatch pops what was posted, cuts the bytes
 * into messages and hands them over.
 *
 * A connection's number holds its place in `slots` and a serial, so that it
 * is found at once and never mistaken for a later one in the same place.
 *
 * Limits for a peer: SLICE messages or TURN_BYTES of replies in one turn before
 * the others are served; none of its requests is read while more than QUEUE_MAX
 * bytes of replies wait for it, or OWED_MAX answers are under way; conn.c
 * limits its unread requests. A peer with more than QUEUE_MAX waiting bytes
 * that reads nothing for UNREAD_MS is disconnected. Limits for all peers:
 * MEMORY_MAX bytes of answers are in memory; beyond that the longest are moved
 * to files. With more than TOTAL_MAX bytes in all the server is crowded: peers
 * that read nothing for STALL_MS are disconnected; with twice as many, the peer
 * that read nothing for the longest time. Others are answered meanwhile. Peers
 * beyond CLIENTS_MAX get an error and are disconnected.
 */
#include "serve/net/server.h"

#include "base/alloc.h"
#include "base/time.h"
#include "serve/net/conn.h"
#include "serve/net/gate.h"
#include "wire/rpc.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_MAX 256u
#define SLOTS	    512u /* a power of two; counts connections being refused */
#define SLICE	    64
#define TURN_BYTES  ((size_t)4 << 20)
#define QUEUE_MAX   ((size_t)8 << 20)
#define OWED_MAX    8
#define MEMORY_MAX  ((size_t)64 << 20)
#define TOTAL_MAX   ((size_t)1 << 30)
#define UNREAD_MS   60000
#define STALL_MS    2000

struct ccfc_server {
	struct ccfc_mailbox box;
	struct ccfc_server_handlers handlers;
	struct ccfc_gate *gate;
	char *path;
	struct ccfc_buf scratch;
	const char *spool; /* borrowed; may be NULL */
	struct ccfc_server_limits limits;
	struct ccfc_conn *reading; /* its messages are being handed over */

	/* Under the mailbox's lock: */
	struct ccfc_conn *slots[SLOTS];
	uint64_t serial;
	uint32_t clients; /* not refused */
};

/* --- admitting, on nng's threads --- */

/*
 * Under the lock. Peers that hung up do not count, although the core has not
 * freed them yet.
 */
static bool has_no_free_slot(const struct ccfc_server *s)
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
static bool place_in_slot(struct ccfc_server *s, struct ccfc_conn *conn)
{
	uint64_t serial = ++s->serial;

	for (uint32_t i = 0; i < SLOTS; i++) {
		uint32_t slot = (uint32_t)(serial + i) % SLOTS;

		if (s->slots[slot])
			continue;
		conn->refused = has_no_free_slot(s);
		conn->id = serial * SLOTS + slot;
		s->slots[slot] = conn;
		s->clients += !conn->refused;
		return true;
	}
	return false;
}

static void admit_stream(void *ctx, nng_stream *stream)
{
	struct ccfc_server *s = ctx;
	struct ccfc_conn *conn = ccfc_conn_new(&s->box, stream);
	bool placed, refused, ring = false;

	if (!conn)
		return;
	ccfc_mailbox_lock(&s->box);
	placed = place_in_slot(s, conn);
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

/* --- life --- */

int ccfc_server_new(struct ccfc_server **out, const char *socket_path,
		    const struct ccfc_server_handlers *handlers,
		    struct ccfc_err *err)
{
	struct ccfc_server *s = ccfc_calloc(1, sizeof(*s));
	int r = ccfc_mailbox_init(&s->box, err);

	*out = NULL;
	s->handlers = *handlers;
	s->path = ccfc_strdup(socket_path);
	s->limits =
		(struct ccfc_server_limits){ MEMORY_MAX, TOTAL_MAX, UNREAD_MS };
	if (!r)
		r = ccfc_gate_new(&s->gate, socket_path, admit_stream, s, err);
	if (r) {
		ccfc_server_free(s);
		return r;
	}
	*out = s;
	return 0;
}

void ccfc_server_free(struct ccfc_server *s)
{
	if (!s)
		return;
	ccfc_gate_free(s->gate);
	for (uint32_t i = 0; i < SLOTS; i++)
		ccfc_conn_free(s->slots[i]);
	ccfc_mailbox_release(&s->box);
	ccfc_buf_release(&s->scratch);
	free(s->path);
	free(s);
}

bool ccfc_server_is_there(const struct ccfc_server *s)
{
	return ccfc_gate_is_there(s->gate);
}

int ccfc_server_listen_again(struct ccfc_server *s, struct ccfc_err *err)
{
	struct ccfc_gate *gate;
	int r = ccfc_gate_new(&gate, s->path, admit_stream, s, err);

	if (r)
		return r;
	/* Connections of the old gate stay. */
	ccfc_gate_free(s->gate);
	s->gate = gate;
	return 0;
}

void ccfc_server_spool_in(struct ccfc_server *s, const char *dir)
{
	s->spool = dir;
}

void ccfc_server_limit(struct ccfc_server *s,
		       const struct ccfc_server_limits *limits)
{
	s->limits = *limits;
}

int ccfc_server_fd(const struct ccfc_server *s)
{
	return s->box.rfd;
}

/* The core is the only one to free connections, so it may use the result. */
static struct ccfc_conn *find_conn(const struct ccfc_server *s, uint64_t id)
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

/* Sends an error to a peer and hangs up on it. */
static void reject_conn(struct ccfc_server *s, struct ccfc_conn *conn,
			const struct ccfc_err *why)
{
	struct ccfc_pack pack;

	ccfc_buf_clear(&s->scratch);
	ccfc_pack_init(&pack, &s->scratch);
	ccfc_rpc_error(&pack, 0, why);
	ccfc_conn_send(conn, &s->scratch);
	conn->closing = true;
}

static void refuse_too_many(struct ccfc_server *s, struct ccfc_conn *conn)
{
	struct ccfc_err err;

	ccfc_err_set(&err, CCFC_EBUSY, "more than %u clients", CLIENTS_MAX);
	reject_conn(s, conn, &err);
}

void ccfc_server_unsent(const struct ccfc_server *s, uint64_t *bytes,
			uint64_t *memory)
{
	struct ccfc_mailbox *box = (struct ccfc_mailbox *)&s->box;

	ccfc_mailbox_lock(box);
	*bytes = box->queued;
	*memory = box->memory;
	ccfc_mailbox_unlock(box);
}

static bool is_crowded(const struct ccfc_server *s)
{
	uint64_t bytes, memory;

	ccfc_server_unsent(s, &bytes, &memory);
	return bytes > s->limits.total;
}

/*
 * Are so many replies waiting for the peer, or being prepared, that no request
 * is taken? The connection is posted when the peer has read or an answer is
 * ready.
 */
static bool is_behind(const struct ccfc_server *s, struct ccfc_conn *conn)
{
	return conn->owed >= OWED_MAX ||
	       ccfc_conn_queued(conn) >
		       (is_crowded(s) ? CCFC_CONN_TELL_BYTES : QUEUE_MAX);
}

/*
 * The replies to all messages of a turn go out together, at its end or when
 * somebody needs them to be gone.
 */
static void hold_replies(struct ccfc_server *s, struct ccfc_conn *conn)
{
	ccfc_conn_hold(conn);
	s->reading = conn;
}

static void let_replies_go(struct ccfc_server *s)
{
	if (s->reading)
		ccfc_conn_let_go(s->reading);
	s->reading = NULL;
}

/* Hands over the messages in `work`. True: there may be more. */
static bool read_messages(struct ccfc_server *s, struct ccfc_conn *conn)
{
	size_t at = 0, len, turn = ccfc_conn_queued(conn) + TURN_BYTES;
	bool more = false;
	struct ccfc_err err;
	int r = 1;

	hold_replies(s, conn);
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
		reject_conn(s, conn, &err);
	let_replies_go(s);
	ccfc_buf_consume(&conn->work, at);
	return more && conn->work.len;
}

/* Brings one connection up to date; it may be gone afterwards. */
static void serve_conn(struct ccfc_server *s, struct ccfc_conn *conn)
{
	bool full = is_behind(s, conn), more = false, ended;
	struct ccfc_conn_news news = ccfc_conn_news(conn, !full);

	if (news.drained && !news.broken) {
		conn->full = false;
		if (s->handlers.on_drained)
			s->handlers.on_drained(s->handlers.ctx, conn->id);
	}
	if (conn->refused && !conn->closing)
		refuse_too_many(s, conn);
	if (!full && !news.broken) {
		if (conn->work.len && s->handlers.on_requests)
			s->handlers.on_requests(s->handlers.ctx);
		more = read_messages(s, conn);
	}
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

/* --- peers that do not read --- */

/*
 * Under the lock: when it is hung up on unless it reads, INT64_MAX if never.
 */
static int64_t send_deadline(const struct ccfc_server *s,
			     const struct ccfc_conn *conn)
{
	bool crowded = s->box.queued > s->limits.total;
	size_t most = crowded ? CCFC_CONN_TELL_BYTES : QUEUE_MAX;
	int64_t wait = s->limits.unread_ms;

	if (ccfc_conn_waiting(conn) <= most)
		return INT64_MAX;
	if (s->box.queued > 2 * s->limits.total)
		wait = 0;
	else if (crowded && wait > STALL_MS)
		wait = STALL_MS;
	return conn->moved + wait;
}

/* The peer to hang up on first, and when; NULL: none. */
static struct ccfc_conn *first_to_end(const struct ccfc_server *s, int64_t *at)
{
	struct ccfc_mailbox *box = (struct ccfc_mailbox *)&s->box;
	struct ccfc_conn *first = NULL;

	*at = INT64_MAX;
	ccfc_mailbox_lock(box);
	for (uint32_t i = 0; i < SLOTS && box->queued > QUEUE_MAX; i++) {
		int64_t end = s->slots[i] ? send_deadline(s, s->slots[i]) : *at;

		if (end < *at) {
			*at = end;
			first = s->slots[i];
		}
	}
	ccfc_mailbox_unlock(box);
	return first;
}

int ccfc_server_timeout_ms(const struct ccfc_server *s)
{
	int64_t at, left;

	if (!first_to_end(s, &at))
		return -1;
	left = at - ccfc_time_monotonic();
	return left < 0 ? 0 : left > UNREAD_MS ? UNREAD_MS : (int)left;
}

/* Closes connections whose peers do not read, to make room. */
static void drop_unread(struct ccfc_server *s)
{
	struct ccfc_conn *conn;
	int64_t at;

	while ((conn = first_to_end(s, &at)) && at <= ccfc_time_monotonic())
		close_conn(s, conn);
}

/* Under the lock: who but `kept` has the most in memory, if that is much. */
static struct ccfc_conn *largest_conn(const struct ccfc_server *s,
				      const struct ccfc_conn *kept)
{
	size_t most = CCFC_CONN_TELL_BYTES;
	struct ccfc_conn *found = NULL;

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct ccfc_conn *conn = s->slots[i];

		if (!conn || conn == kept || ccfc_conn_memory(conn) <= most)
			continue;
		most = ccfc_conn_memory(conn);
		found = conn;
	}
	return found;
}

/*
 * Moves replies beyond the memory limit to files. If no file can be made, drops
 * peers, but not `last`, which was just answered.
 */
static void spill_largest(struct ccfc_server *s, struct ccfc_conn *last)
{
	struct ccfc_conn *conn, *kept = NULL;
	bool ring = false;

	ccfc_mailbox_lock(&s->box);
	while (s->box.memory > s->limits.memory &&
	       (conn = largest_conn(s, kept))) {
		size_t before = s->box.memory;
		int r = ccfc_conn_spill(conn, s->spool);

		if (r && conn == last)
			kept = conn;
		else if (r)
			ring |= ccfc_conn_drop(conn);
		if (s->box.memory == before && kept != conn)
			break;
	}
	ccfc_mailbox_unlock(&s->box);
	if (ring)
		ccfc_mailbox_ring(&s->box);
}

void ccfc_server_dispatch(struct ccfc_server *s)
{
	drop_unread(s);
	/*
	 * Connections that are posted again meanwhile wait for the next turn.
	 */
	for (uint32_t n = ccfc_mailbox_open(&s->box); n; n--) {
		struct ccfc_mail *mail = ccfc_mailbox_pop(&s->box);

		if (!mail)
			break;
		serve_conn(s, (struct ccfc_conn *)mail);
	}
}

/* --- bytes out --- */

/* After something was queued. */
static void check_bounds(struct ccfc_server *s, struct ccfc_conn *conn)
{
	spill_largest(s, conn);
	if (conn->full || ccfc_conn_queued(conn) <= QUEUE_MAX)
		return;
	conn->full = true;
	if (s->handlers.on_full)
		s->handlers.on_full(s->handlers.ctx, conn->id);
}

bool ccfc_server_send_buf(struct ccfc_server *s, uint64_t id,
			  struct ccfc_buf *buf)
{
	struct ccfc_conn *conn = find_conn(s, id);
	bool sent;

	if (!conn || conn->closing) {
		ccfc_buf_clear(buf);
		return false;
	}
	sent = ccfc_conn_send(conn, buf);
	check_bounds(s, conn);
	return sent;
}

bool ccfc_server_send_spool(struct ccfc_server *s, uint64_t id,
			    struct ccfc_spool *spool)
{
	struct ccfc_conn *conn = find_conn(s, id);
	bool sent;

	if (!conn || conn->closing) {
		ccfc_spool_release(spool);
		return false;
	}
	sent = ccfc_conn_send_spool(conn, spool);
	check_bounds(s, conn);
	return sent;
}

void ccfc_server_owe(struct ccfc_server *s, uint64_t id, bool more)
{
	struct ccfc_conn *conn = find_conn(s, id);

	if (!conn)
		return;
	if (!more && conn->owed == OWED_MAX)
		ccfc_conn_post(conn);
	conn->owed += more ? 1 : -1u;
}

size_t ccfc_server_queued(const struct ccfc_server *s, uint64_t id)
{
	struct ccfc_conn *conn = find_conn(s, id);

	return conn ? ccfc_conn_queued(conn) : 0;
}

void ccfc_server_hang_up(struct ccfc_server *s, uint64_t id)
{
	struct ccfc_conn *conn = find_conn(s, id);

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
	let_replies_go(s);
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
