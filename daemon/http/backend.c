/* Connections to the daemon; see backend.h. */
#include "http/backend.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/pipe.h"
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Questions on one connection at a time: the daemon reads no more. */
#define QUESTIONS_MAX 8u
/* Subscriptions on one: as many as the daemon allows. */
#define STREAMS_MAX 64u
#define LINKS_MAX   24u
/* A longer reply is refused: nobody reads so much in a browser. */
#define REPLY_MAX ((size_t)256 << 20)

/*
 * The idle time of a connection for pages. The daemon keeps its work on a long
 * session for a connection that asks only for pages of that session.
 */
#define PAGES_MS 60000

enum purpose {
	FOR_QUESTIONS,
	FOR_PAGES, /* of sessions, with nothing else in between */
	FOR_STREAMS
};

struct question {
	uint32_t id;
	enum purpose purpose;
	bool answered, ended;
	int64_t subscription;
	ccfc_backend_fn fn;
	ccfc_backend_event_fn event;
	void *arg;
};

struct link {
	struct ccfc_awaited awaited; /* first: see link_ready */
	struct ccfc_backend *backend;
	struct ccfc_buf in, out;
	struct ccfc_framer framer;
	struct {
		struct question **items;
		uint32_t n, cap;
	} questions;
	enum purpose purpose;
	int64_t used; /* monotonic time of the last question, ms */
	bool writing; /* waits until `out` can be sent */
};

struct ccfc_backend {
	char *socket_path;
	struct ccfc_waiting *waiting;
	struct {
		struct link **items;
		uint32_t n, cap;
	} links;
	uint32_t last_id;
};

struct ccfc_backend *ccfc_backend_new(const char *socket_path,
				      struct ccfc_waiting *waiting)
{
	struct ccfc_backend *b = ccfc_calloc(1, sizeof(*b));

	b->socket_path = ccfc_strdup(socket_path);
	b->waiting = waiting;
	return b;
}

/* --- one connection --- */

static void free_link(struct link *link)
{
	ccfc_waiting_remove(link->backend->waiting, &link->awaited);
	close(link->awaited.fd);
	for (uint32_t i = 0; i < link->questions.n; i++)
		free(link->questions.items[i]);
	free(link->questions.items);
	ccfc_buf_release(&link->in);
	ccfc_buf_release(&link->out);
	free(link);
}

void ccfc_backend_free(struct ccfc_backend *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->links.n; i++)
		free_link(b->links.items[i]);
	free(b->links.items);
	free(b->socket_path);
	free(b);
}

/* Tells all who wait for the connection that there will be no answer. */
static void lose_link(struct link *link)
{
	struct ccfc_backend *b = link->backend;
	uint32_t i = 0;

	while (b->links.items[i] != link)
		i++;
	b->links.items[i] = b->links.items[--b->links.n];
	for (uint32_t k = 0; k < link->questions.n; k++) {
		struct question *q = link->questions.items[k];

		if (q->ended)
			continue;
		if (q->answered)
			q->event(q->arg, (struct ccfc_obj){ 0 });
		else
			q->fn(q->arg, NULL);
	}
	free_link(link);
}

static void drop_question(struct link *link, struct question *q)
{
	uint32_t i = 0;

	while (link->questions.items[i] != q)
		i++;
	link->questions.items[i] = link->questions.items[--link->questions.n];
	free(q);
}

static struct question *find_question(struct link *link, uint32_t id)
{
	for (uint32_t i = 0; i < link->questions.n; i++)
		if (link->questions.items[i]->id == id)
			return link->questions.items[i];
	return NULL;
}

/* Sends what can be sent; false: the connection is lost. */
static bool send_queued(struct link *link)
{
	while (link->out.len) {
		ssize_t n = send(link->awaited.fd, link->out.ptr, link->out.len,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return false;
		ccfc_buf_consume(&link->out, (size_t)n);
	}
	if (link->writing != (link->out.len > 0)) {
		link->writing = link->out.len > 0;
		ccfc_waiting_change(link->backend->waiting, &link->awaited,
				    link->writing ? EPOLLIN | EPOLLOUT
						  : EPOLLIN);
	}
	return true;
}

static void send_unsubscribe(struct link *link, int64_t subscription)
{
	struct ccfc_pack p;

	ccfc_pack_init(&p, &link->out);
	ccfc_rpc_request_begin(&p, ++link->backend->last_id,
			       CCFC_M_EVENTS_UNSUBSCRIBE);
	ccfc_pack_map(&p);
	ccfc_pack_kv_int(&p, "subscription", subscription);
	ccfc_pack_end(&p);
	ccfc_rpc_request_end(&p);
	/* The next recv() notices a failure. */
	send_queued(link);
}

static void handle_reply(struct link *link, const struct ccfc_rpc *rpc)
{
	struct question *q = find_question(link, rpc->id);

	if (!q)
		return;
	q->answered = true;
	q->subscription = ccfc_obj_get_int(rpc->result, "subscription", -1);
	if (!q->ended) {
		q->fn(q->arg, rpc);
	} else if (q->purpose == FOR_STREAMS && !rpc->failed) {
		send_unsubscribe(link, q->subscription);
	}
	if (q->purpose != FOR_STREAMS || q->ended || rpc->failed)
		drop_question(link, q);
}

static void handle_event(struct link *link, const struct ccfc_rpc *rpc)
{
	struct ccfc_obj event = ccfc_obj_at(rpc->params, 0);
	int64_t subscription = ccfc_obj_get_int(event, "subscription", -1);

	for (uint32_t i = 0; i < link->questions.n; i++) {
		struct question *q = link->questions.items[i];

		if (q->answered && q->subscription == subscription) {
			q->event(q->arg, event);
			return;
		}
	}
}

static bool handle_message(struct link *link, struct ccfc_slice bytes)
{
	struct ccfc_doc *doc;
	struct ccfc_rpc rpc;
	bool good = false;

	if (ccfc_doc_parse(&doc, bytes, NULL))
		return false;
	if (!ccfc_rpc_parse(&rpc, ccfc_doc_root(doc), NULL)) {
		good = true;
		if (rpc.type == CCFC_MSG_RESPONSE)
			handle_reply(link, &rpc);
		else if (rpc.type == CCFC_MSG_NOTIFICATION)
			handle_event(link, &rpc);
	}
	ccfc_doc_free(doc);
	return good;
}

/* Handles complete messages; false: the daemon broke the protocol. */
static bool handle_messages(struct link *link)
{
	size_t at = 0, len;
	int r = 0;

	while (at < link->in.len) {
		struct ccfc_slice rest =
			ccfc_slice_from(ccfc_buf_view(&link->in), at);

		r = ccfc_framer_next(&link->framer, &len, rest, NULL);
		if (r != 1 || !handle_message(link, ccfc_slice(rest.ptr, len)))
			break;
		at += len;
		r = 0;
	}
	ccfc_buf_consume(&link->in, at);
	if (!link->in.len && link->in.cap > (1u << 20))
		ccfc_buf_release(&link->in);
	return r == 0;
}

static void link_ready(struct ccfc_awaited *self, uint32_t events)
{
	struct link *link = (struct link *)self;
	ssize_t n;

	if ((events & EPOLLOUT) && !send_queued(link)) {
		lose_link(link);
		return;
	}
	if (!(events & ~(uint32_t)EPOLLOUT))
		return;
	n = recv(self->fd, ccfc_buf_reserve(&link->in, 1 << 16), 1 << 16, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		link->in.len += (size_t)n;
		if (handle_messages(link))
			return;
	}
	lose_link(link);
}

/* Connects to this daemon's own socket; -1 and errno on failure. */
static int connect_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* Non-blocking: the core may be waiting for this thread to end. */
	if (fd >= 0 &&
	    (ccfc_fd_nonblock(fd) < 0 ||
	     connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)) {
		int errnum = errno;

		close(fd);
		errno = errnum;
		return -1;
	}
	return fd;
}

static struct link *new_link(struct ccfc_backend *b, enum purpose purpose,
			     struct ccfc_err *err)
{
	struct ccfc_frame_limits limits = ccfc_frame_reply;
	struct link *link;
	int fd;

	fd = connect_socket(b->socket_path);
	if (fd < 0) {
		ccfc_err_set(err, CCFC_EUNREACHABLE,
			     "the daemon does not answer: %s", strerror(errno));
		return NULL;
	}
	link = ccfc_calloc(1, sizeof(*link));
	link->awaited = (struct ccfc_awaited){ link_ready, fd };
	link->backend = b;
	link->purpose = purpose;
	limits.bytes = REPLY_MAX;
	ccfc_framer_init(&link->framer, &limits);
	ccfc_waiting_add(b->waiting, &link->awaited, EPOLLIN);
	CCFC_VEC_PUSH(b->links, link);
	return link;
}

/* Makes room by closing a connection on which nobody waits. */
static bool lose_idle(struct ccfc_backend *b)
{
	for (uint32_t i = 0; i < b->links.n; i++)
		if (!b->links.items[i]->questions.n) {
			lose_link(b->links.items[i]);
			return true;
		}
	return false;
}

/* The connection with the fewest questions, or a new one. */
static struct link *find_link(struct ccfc_backend *b, enum purpose purpose,
			      struct ccfc_err *err)
{
	const bool is_stream = purpose == FOR_STREAMS;
	uint32_t most = is_stream ? STREAMS_MAX : QUESTIONS_MAX;
	struct link *best = NULL;

	for (uint32_t i = 0; i < b->links.n; i++) {
		struct link *link = b->links.items[i];

		if (link->purpose == purpose && link->questions.n < most &&
		    (!best || link->questions.n < best->questions.n))
			best = link;
	}
	/*
	 * An idle connection is used again. A busy connection may wait for a
	 * long question, so a new connection is made while there are few.
	 */
	if (best &&
	    (!best->questions.n || is_stream || b->links.n >= LINKS_MAX / 2))
		return best;
	if (b->links.n < LINKS_MAX || lose_idle(b))
		return new_link(b, purpose, err);
	if (purpose == FOR_PAGES)
		return find_link(b, FOR_QUESTIONS, err);
	ccfc_err_set(err, CCFC_EAGAIN, "too many questions at a time");
	return NULL;
}

static bool is_resting(const struct link *link)
{
	return link->purpose == FOR_PAGES && !link->questions.n;
}

int ccfc_backend_rest(struct ccfc_backend *b)
{
	int64_t now = ccfc_time_monotonic();
	int next = -1;

	for (uint32_t i = b->links.n; i-- > 0;) {
		struct link *link = b->links.items[i];
		int64_t left = link->used + PAGES_MS - now;

		if (!is_resting(link))
			continue;
		if (left <= 0)
			lose_link(link);
		else if (next < 0 || left < next)
			next = (int)left;
	}
	return next;
}

static uint32_t send_question(struct ccfc_backend *b, const char *method,
			      struct ccfc_slice options,
			      const struct question *question,
			      struct ccfc_err *err)
{
	struct link *link = find_link(b, question->purpose, err);
	struct question *q;
	struct ccfc_pack p;

	if (!link)
		return 0;
	link->used = ccfc_time_monotonic();
	q = ccfc_malloc(sizeof(*q));
	*q = *question;
	if (!++b->last_id)
		b->last_id = 1;
	q->id = b->last_id;
	ccfc_pack_init(&p, &link->out);
	ccfc_rpc_request_begin(&p, q->id, method);
	ccfc_pack_raw(&p, options);
	ccfc_rpc_request_end(&p);
	CCFC_VEC_PUSH(link->questions, q);
	/* The next recv() notices and reports a lost connection. */
	send_queued(link);
	return q->id;
}

static bool is_page(const char *method)
{
	return !strcmp(method, CCFC_M_SESSION_GET) ||
	       !strcmp(method, CCFC_M_SESSION_MESSAGES) ||
	       !strcmp(method, CCFC_M_SESSION_TIMELINE) ||
	       !strcmp(method, CCFC_M_SESSION_TREE);
}

uint32_t ccfc_backend_ask(struct ccfc_backend *b, const char *method,
			  struct ccfc_slice options, ccfc_backend_fn fn,
			  void *arg, struct ccfc_err *err)
{
	struct question q = { .purpose = is_page(method) ? FOR_PAGES
							 : FOR_QUESTIONS,
			      .fn = fn,
			      .arg = arg };

	return send_question(b, method, options, &q, err);
}

uint32_t ccfc_backend_subscribe(struct ccfc_backend *b,
				struct ccfc_slice options, ccfc_backend_fn fn,
				ccfc_backend_event_fn event, void *arg,
				struct ccfc_err *err)
{
	struct question q = {
		.purpose = FOR_STREAMS, .fn = fn, .event = event, .arg = arg
	};

	return send_question(b, CCFC_M_EVENTS_SUBSCRIBE, options, &q, err);
}

void ccfc_backend_end(struct ccfc_backend *b, uint32_t id)
{
	for (uint32_t i = 0; i < b->links.n; i++) {
		struct link *link = b->links.items[i];
		struct question *q = find_question(link, id);

		if (!q)
			continue;
		if (!q->answered) {
			q->ended = true;
			return;
		}
		send_unsubscribe(link, q->subscription);
		drop_question(link, q);
		return;
	}
}
