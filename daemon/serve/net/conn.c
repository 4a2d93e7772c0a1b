/*
 * A connection; see conn.h.
 *
 * Receiving: one operation is always under way, into `bytes`; its callback
 * appends them to `in`, posts the connection and receives on, until so many
 * bytes wait that the core must catch up first (then the core resumes
 * receiving).
 *
 * Sending: the core hands a buffer over; if nothing is being sent it goes out
 * at once, on the core's thread, without a copy. Replies to requests that came
 * together are held in `flight` until all are there. Later and long replies are
 * collected in `out` and sent in pieces: nng has no more than PIECE of it in
 * `flight`, so that the rest can be moved to files. The core is only woken for
 * a queue that ran empty when somebody waits for that.
 *
 * Freeing: the stream is closed, then both operations are stopped, which
 * waits for their callbacks and lets no new operation begin; only then is
 * memory freed. A receive that was begun on a closed stream would never end
 * by itself in nng 1.5, so nothing here waits for a completion.
 */
#include "serve/net/conn.h"

#include "base/alloc.h"
#include "base/time.h"

#include <ccfc/protocol.h>
#include <stdlib.h>

/* Stop receiving when this much waits for the core. */
#define IN_MAX CCFC_REQUEST_MAX_BYTES
/* Buffers that grew beyond this are not kept. */
#define KEEP_BYTES (256u << 10)
#define PIECE	   ((size_t)256 << 10)

size_t ccfc_conn_waiting(const struct ccfc_conn *c)
{
	return c->out.waiting + c->flight.len - c->flight_at;
}

size_t ccfc_conn_memory(const struct ccfc_conn *c)
{
	return c->out.memory;
}

static void release_or_clear(struct ccfc_buf *buf)
{
	if (buf->cap > KEEP_BYTES)
		ccfc_buf_release(buf);
	else
		ccfc_buf_clear(buf);
}

static void swap_buffers(struct ccfc_buf *a, struct ccfc_buf *b)
{
	struct ccfc_buf t = *a;

	*a = *b;
	*b = t;
}

static void begin_receive(struct ccfc_conn *c)
{
	nng_iov iov = { c->bytes, sizeof(c->bytes) };

	nng_aio_set_iov(c->recv_aio, 1, &iov);
	nng_stream_recv(c->stream, c->recv_aio);
}

static void on_received(void *arg)
{
	struct ccfc_conn *c = arg;
	bool failed = nng_aio_result(c->recv_aio) != 0;
	size_t n = nng_aio_count(c->recv_aio);
	bool ring, more;

	ccfc_mailbox_lock(c->box);
	if (failed)
		c->ended = true;
	else
		ccfc_buf_append(&c->in, c->bytes, n);
	more = c->receiving = !failed && c->in.len < IN_MAX;
	ring = ccfc_mailbox_post(c->box, &c->mail);
	ccfc_mailbox_unlock(c->box);
	if (ring)
		ccfc_mailbox_ring(c->box);
	if (more)
		begin_receive(c);
}

static void begin_send(struct ccfc_conn *c)
{
	nng_iov iov = { c->flight.ptr + c->flight_at,
			c->flight.len - c->flight_at };

	nng_aio_set_iov(c->send_aio, 1, &iov);
	nng_stream_send(c->stream, c->send_aio);
}

/* Under the lock: drops all queued bytes. */
static void drop_queued_bytes(struct ccfc_conn *c)
{
	c->box->queued -= c->out.waiting;
	c->box->memory -= c->out.memory;
	ccfc_outbox_release(&c->out);
}

/* Under the lock: stops sending; the peer does not read. */
static void give_up_sending(struct ccfc_conn *c)
{
	c->broken = true;
	c->tell = true;
	drop_queued_bytes(c);
	c->box->queued -= c->flight.len - c->flight_at;
	c->flight_at = 0;
	ccfc_buf_release(&c->flight);
}

/* Under the lock: the next piece, if there is one. */
static bool load_next_piece(struct ccfc_conn *c)
{
	size_t memory = c->out.memory;

	release_or_clear(&c->flight);
	c->flight_at = 0;
	if (ccfc_outbox_take(&c->out, &c->flight, PIECE)) {
		give_up_sending(c);
		return false;
	}
	c->box->memory -= memory - c->out.memory;
	return c->flight.len != 0;
}

/* Under the lock: `n` bytes of the flight are through. More to send? */
static bool advance_sending(struct ccfc_conn *c, size_t n)
{
	c->flight_at += n;
	c->box->queued -= n;
	c->moved = ccfc_time_monotonic();
	return c->flight_at < c->flight.len || load_next_piece(c);
}

/* Under the lock: nothing is queued. True: ring. */
static bool note_all_sent(struct ccfc_conn *c)
{
	c->sending = false;
	pthread_cond_signal(&c->box->idle);
	if (!c->tell)
		return false;
	c->tell = false;
	c->drained = true;
	return ccfc_mailbox_post(c->box, &c->mail);
}

static void on_sent(void *arg)
{
	struct ccfc_conn *c = arg;
	bool failed = nng_aio_result(c->send_aio) != 0;
	size_t n = nng_aio_count(c->send_aio);
	bool more = false, ring = false;

	ccfc_mailbox_lock(c->box);
	if (failed)
		give_up_sending(c);
	else
		more = advance_sending(c, n);
	if (!more)
		ring = note_all_sent(c);
	ccfc_mailbox_unlock(c->box);
	if (ring)
		ccfc_mailbox_ring(c->box);
	if (more)
		begin_send(c);
}

struct ccfc_conn *ccfc_conn_new(struct ccfc_mailbox *box, nng_stream *stream)
{
	struct ccfc_conn *c = ccfc_calloc(1, sizeof(*c));

	c->box = box;
	c->stream = stream;
	ccfc_framer_init(&c->framer, &ccfc_frame_request);
	if (nng_aio_alloc(&c->recv_aio, on_received, c) == 0 &&
	    nng_aio_alloc(&c->send_aio, on_sent, c) == 0)
		return c;
	ccfc_conn_free(c);
	return NULL;
}

static void stop_aio(nng_aio *aio)
{
	if (aio)
		nng_aio_stop(aio);
}

void ccfc_conn_free(struct ccfc_conn *c)
{
	if (!c)
		return;
	nng_stream_close(c->stream);
	stop_aio(c->recv_aio);
	stop_aio(c->send_aio);
	ccfc_mailbox_lock(c->box);
	ccfc_mailbox_remove(c->box, &c->mail);
	give_up_sending(c);
	ccfc_mailbox_unlock(c->box);
	nng_aio_free(c->recv_aio);
	nng_aio_free(c->send_aio);
	nng_stream_free(c->stream);
	ccfc_buf_release(&c->in);
	ccfc_buf_release(&c->work);
	free(c);
}

void ccfc_conn_receive(struct ccfc_conn *c)
{
	bool begin;

	ccfc_mailbox_lock(c->box);
	begin = !c->receiving && !c->ended && c->in.len < IN_MAX;
	if (begin)
		c->receiving = true;
	ccfc_mailbox_unlock(c->box);
	if (begin)
		begin_receive(c);
}

/* Under the lock. The common case, a whole request, moves no bytes. */
static void move_received_to_work(struct ccfc_conn *c)
{
	if (!c->work.len)
		swap_buffers(&c->work, &c->in);
	else
		ccfc_buf_slice(&c->work, ccfc_buf_view(&c->in));
	release_or_clear(&c->in);
}

struct ccfc_conn_news ccfc_conn_news(struct ccfc_conn *c, bool take)
{
	struct ccfc_conn_news news;

	ccfc_mailbox_lock(c->box);
	if (take && c->in.len)
		move_received_to_work(c);
	news = (struct ccfc_conn_news){ c->ended, c->broken, c->drained };
	c->drained = false;
	ccfc_mailbox_unlock(c->box);
	return news;
}

/*
 * Under the lock: prepares sending what is queued in `out`. True: call
 * begin_send.
 */
static bool begin_sending_if_idle(struct ccfc_conn *c)
{
	bool begin = !c->sending && (c->flight.len || load_next_piece(c));

	if (begin) {
		c->sending = true;
		c->moved = ccfc_time_monotonic();
	}
	if (ccfc_conn_waiting(c) > CCFC_CONN_TELL_BYTES)
		c->tell = true;
	return begin;
}

/* Queues bytes after all that wait already. Under the lock. */
static void queue_bytes(struct ccfc_conn *c, struct ccfc_buf *buf)
{
	c->box->queued += buf->len;
	if (c->sending || c->out.waiting || c->flight.len + buf->len > PIECE) {
		c->box->memory += buf->len;
		ccfc_outbox_add(&c->out, buf);
	} else if (c->flight.len) {
		ccfc_buf_slice(&c->flight, ccfc_buf_view(buf));
	} else {
		swap_buffers(&c->flight, buf);
	}
}

bool ccfc_conn_send(struct ccfc_conn *c, struct ccfc_buf *buf)
{
	bool begin = false, broken;

	if (!buf->len)
		return true;
	ccfc_mailbox_lock(c->box);
	broken = c->broken;
	if (!broken) {
		queue_bytes(c, buf);
		if (!c->held || c->out.waiting)
			begin = begin_sending_if_idle(c);
	}
	ccfc_mailbox_unlock(c->box);
	release_or_clear(buf);
	if (begin)
		begin_send(c);
	return !broken;
}

bool ccfc_conn_send_spool(struct ccfc_conn *c, struct ccfc_spool *spool)
{
	bool begin = false, ring = false, broken;

	ccfc_mailbox_lock(c->box);
	broken = c->broken;
	if (!broken) {
		c->box->queued += ccfc_spool_size(spool);
		c->box->memory += spool->mem.len;
		ccfc_outbox_add_spool(&c->out, spool);
		begin = begin_sending_if_idle(c);
		broken = c->broken;
		ring = broken && ccfc_mailbox_post(c->box, &c->mail);
	}
	ccfc_mailbox_unlock(c->box);
	ccfc_spool_release(spool);
	if (ring)
		ccfc_mailbox_ring(c->box);
	if (begin)
		begin_send(c);
	return !broken;
}

void ccfc_conn_hold(struct ccfc_conn *c)
{
	c->held = true;
}

void ccfc_conn_let_go(struct ccfc_conn *c)
{
	bool begin;

	c->held = false;
	ccfc_mailbox_lock(c->box);
	begin = begin_sending_if_idle(c);
	ccfc_mailbox_unlock(c->box);
	if (begin)
		begin_send(c);
}

size_t ccfc_conn_queued(struct ccfc_conn *c)
{
	size_t n;

	ccfc_mailbox_lock(c->box);
	n = ccfc_conn_waiting(c);
	ccfc_mailbox_unlock(c->box);
	return n;
}

int ccfc_conn_spill(struct ccfc_conn *c, const char *dir)
{
	size_t memory = c->out.memory;
	int r = dir ? ccfc_outbox_spill(&c->out, dir) : -1;

	c->box->memory -= memory - c->out.memory;
	return r;
}

bool ccfc_conn_drop(struct ccfc_conn *c)
{
	c->broken = true;
	drop_queued_bytes(c);
	return ccfc_mailbox_post(c->box, &c->mail);
}

void ccfc_conn_post(struct ccfc_conn *c)
{
	bool ring;

	ccfc_mailbox_lock(c->box);
	ring = ccfc_mailbox_post(c->box, &c->mail);
	ccfc_mailbox_unlock(c->box);
	if (ring)
		ccfc_mailbox_ring(c->box);
}

void ccfc_conn_tell(struct ccfc_conn *c)
{
	bool ring = false;

	ccfc_mailbox_lock(c->box);
	c->tell = true;
	if (!c->sending && !c->flight.len)
		ring = note_all_sent(c);
	ccfc_mailbox_unlock(c->box);
	if (ring)
		ccfc_mailbox_ring(c->box);
}
