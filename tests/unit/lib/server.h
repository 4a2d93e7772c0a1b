/*
 * A server that plays a script, for the tests of the library: it reads
 * requests and sends canned bytes, in one piece or one by one, and hangs up.
 */
#ifndef CCFC_TEST_LIB_SERVER_H
#define CCFC_TEST_LIB_SERVER_H

#include "base/buf.h"
#include "wire/frame.h"
#include "wire/rpc.h"
#include "wire/to_json.h"

#include "scratch.h"

#include <ccfc/client.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

enum what {
	END,   /* hang up */
	READ,  /* one request */
	SEND,  /* all at once */
	DRIP,  /* byte by byte */
	CHUNK, /* `len` times a notification of 1 MiB */
	TICKS, /* wait until signals came */
};

struct step {
	enum what what;
	const char *bytes;
	size_t len;
};

#define BYTES(lit) lit, sizeof(lit) - 1

struct server {
	const struct step *steps;
	int listener;
	pthread_t thread;
	struct ccfc_buf seen; /* requests as JSON, one a line */
};

static atomic_int ticks; /* signals that came, see TICKS */

static inline int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(addr.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

static inline void note_request(struct server *s, struct ccfc_slice bytes)
{
	struct ccfc_doc *doc;

	if (ccfc_doc_parse(&doc, bytes, NULL))
		return;
	ccfc_json_write(&s->seen, ccfc_doc_root(doc), 0);
	ccfc_buf_putc(&s->seen, '\n');
	ccfc_doc_free(doc);
}

static inline bool read_request(struct server *s, int fd)
{
	struct ccfc_buf in = CCFC_BUF_INIT;
	struct ccfc_framer f;
	size_t len;
	char c;
	bool ok = false;

	ccfc_framer_init(&f, &ccfc_frame_request);
	while (!ok && read(fd, &c, 1) == 1) {
		ccfc_buf_putc(&in, c);
		ok = ccfc_framer_next(&f, &len, ccfc_buf_view(&in), NULL) == 1;
	}
	if (ok)
		note_request(s, ccfc_buf_view(&in));
	ccfc_buf_release(&in);
	return ok;
}

static inline void send_chunks(int fd, size_t n)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	char *big = calloc(1, 1 << 20);
	struct ccfc_pack p;

	ccfc_pack_init(&p, &buf);
	ccfc_rpc_notify_begin(&p, "event");
	ccfc_pack_str(&p, ccfc_slice(big, 1 << 20));
	ccfc_rpc_notify_end(&p);
	for (size_t left; n; n--)
		for (left = buf.len; left;) {
			ssize_t k = send(fd, buf.ptr + buf.len - left, left,
					 MSG_NOSIGNAL);

			if (k <= 0) {
				n = 1;
				break;
			}
			left -= (size_t)k;
		}
	free(big);
	ccfc_buf_release(&buf);
}

static inline bool play(struct server *s, int fd, const struct step *step)
{
	switch (step->what) {
	case READ:
		return read_request(s, fd);
	case SEND:
		return send(fd, step->bytes, step->len, MSG_NOSIGNAL) ==
		       (ssize_t)step->len;
	case DRIP:
		for (size_t i = 0; i < step->len; i++)
			if (send(fd, step->bytes + i, 1, MSG_NOSIGNAL) != 1)
				return false;
		return true;
	case CHUNK:
		send_chunks(fd, step->len);
		return true;
	case TICKS:
		while (ticks < 5)
			poll(NULL, 0, 1);
		return true;
	default:
		return false;
	}
}

static inline void *serve(void *arg)
{
	struct server *s = arg;
	int fd = accept(s->listener, NULL, NULL);

	for (const struct step *step = s->steps; play(s, fd, step); step++)
		;
	close(fd);
	return NULL;
}

static inline void server_start(struct server *s, const struct step *steps)
{
	sigset_t all, old;

	memset(s, 0, sizeof(*s));
	s->steps = steps;
	mkdir(scratch_dir, 0700);
	unlink(scratch_socket);
	s->listener = listen_at(scratch_socket);
	/* Signals are for the client's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static inline void server_join(struct server *s)
{
	pthread_join(s->thread, NULL);
	close(s->listener);
}

static inline void server_end(struct server *s)
{
	server_join(s);
	ccfc_buf_release(&s->seen);
}

static inline struct ccfc_client *connect_client(int timeout_ms)
{
	struct ccfc_client_options o = CCFC_CLIENT_OPTIONS_INIT;
	struct ccfc_client *client;

	o.spawn = CCFC_SPAWN_NEVER;
	o.timeout_ms = timeout_ms;
	assert_int_equal(ccfc_client_new(&client, &o, NULL), 0);
	assert_string_equal(ccfc_client_socket(client), scratch_socket);
	return client;
}

static inline int setup(void **state)
{
	scratch_make(state);
	snprintf(scratch_socket, sizeof(scratch_socket), "%s/s", scratch_dir);
	setenv("CCFC_SOCKET", scratch_socket, 1);
	return 0;
}

#define EVENT(n)                                                               \
	"\x93\x02\xa5"                                                         \
	"event\x91" n

static inline void expect_event(struct ccfc_client *c, int n)
{
	struct ccfc_reply *event;

	assert_int_equal(ccfc_client_next_event(&event, c, -1, NULL), 1);
	assert_string_equal(ccfc_reply_method(event), "event");
	assert_int_equal(ccfc_value_int(ccfc_reply_value(event), 0), n);
	ccfc_reply_free(event);
}

/* Runs `calls` of which there are `n`, and compares what was sent. */
static inline void check_calls(void (*calls)(struct ccfc_client *c), int n,
			       const char *expected)
{
	char answers[16][5];
	struct step steps[33] = { { END, NULL, 0 } };
	struct server s;
	struct ccfc_client *c;

	for (int i = 0; i < n; i++) {
		char answer[] = { '\x94', 1, (char)(i + 1), '\xc0', '\x80' };

		memcpy(answers[i], answer, 5);
		steps[2 * i] = (struct step){ READ, NULL, 0 };
		steps[2 * i + 1] = (struct step){ SEND, answers[i], 5 };
	}
	server_start(&s, steps);
	c = connect_client(0);
	calls(c);
	ccfc_client_free(c);
	server_join(&s);
	assert_string_equal(s.seen.ptr, expected);
	ccfc_buf_release(&s.seen);
}

#endif
