/*
 * The server on a real socket: its core runs on a thread of its own, as the
 * daemon's does, and the tests are blocking clients. Handlers echo.
 */
#ifndef CCFC_TESTS_SERVE_ECHO_H
#define CCFC_TESTS_SERVE_ECHO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../seed.h"
#include "peer.h"
#include "serve/net/server.h"
#include "wire/rpc.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

struct fixture {
	char dir[64];
	char path[96];
	struct ccfc_server *server;
	pthread_t core;
	int stop;
	atomic_int echoed, answered, closed, drained, full;
	atomic_int taken;      /* calls of on_requests … */
	atomic_int seen;       /* … before the last message */
	atomic_size_t longest; /* queue seen by on_message */
	atomic_size_t blow;    /* reply with so many bytes instead */
	atomic_ullong last;    /* connection of the last message */
	atomic_bool owes;      /* see owe() */
	atomic_int peer;       /* its end of the connection, of which … */
	atomic_int unread;     /* … so much came before the last message */
	atomic_bool flush;     /* after each reply */
	uint64_t other;
};

static inline bool send_bytes(struct fixture *f, uint64_t conn,
			      struct ccfc_slice bytes)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	bool sent;

	ccfc_buf_slice(&buf, bytes);
	sent = ccfc_server_send_buf(f->server, conn, &buf);
	assert_int_equal(buf.len, 0);
	ccfc_buf_release(&buf);
	return sent;
}

/* The bytes of a blown-up reply: each is a message, a small number. */
static inline char blown(size_t i)
{
	return (char)((i ^ (i >> 8) ^ (i >> 16) * 3) & 0x7f);
}

/*
 * Rows of 256 such bytes: to make each byte by itself takes most of the time of
 * these tests under ThreadSanitizer.
 */
static char rows[0x80][0x100];

static inline void make_rows(void)
{
	for (size_t i = 0; i < sizeof(rows); i++)
		rows[i >> 8][i & 0xff] = (char)((i ^ (i >> 8)) & 0x7f);
}

static inline void blow(char *to, size_t at, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_rows);
	while (n) {
		size_t from = at & 0xff, some = 0x100 - from;

		if (some > n)
			some = n;
		memcpy(to, rows[(size_t)blown(at - from)] + from, some);
		to += some;
		at += some;
		n -= some;
	}
}

/*
 * Requests of the first connection to ask are not answered, but owed. A request
 * of another connection is answered, and one owed request ends.
 */
static inline void owe(struct fixture *f, uint64_t conn,
		       struct ccfc_slice bytes)
{
	if (!f->other)
		f->other = conn;
	if (conn != f->other) {
		ccfc_server_owe(f->server, f->other, false);
		send_bytes(f, conn, bytes);
		return;
	}
	ccfc_server_owe(f->server, conn, true);
	atomic_fetch_add(&f->answered, 1);
}

static inline int unread_bytes(int fd)
{
	int n = -1;

	assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

static inline void on_message(void *ctx, uint64_t conn, struct ccfc_slice bytes)
{
	struct fixture *f = ctx;
	size_t n = ccfc_server_queued(f->server, conn);
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_pack p;

	atomic_store(&f->last, conn);
	atomic_store(&f->seen, atomic_load(&f->taken));
	if (n > atomic_load(&f->longest))
		atomic_store(&f->longest, n);
	if (f->owes) {
		owe(f, conn, bytes);
		return;
	}
	if (f->peer)
		atomic_store(&f->unread, unread_bytes(f->peer));
	if (!f->blow) {
		send_bytes(f, conn, bytes);
		if (f->flush)
			ccfc_server_flush(f->server, PEER_TIMEOUT_S * 1000);
		atomic_fetch_add(&f->echoed, 1);
		return;
	}
	ccfc_pack_init(&p, &buf);
	ccfc_buf_reserve(&buf, f->blow);
	blow(buf.ptr, 0, f->blow);
	buf.len = f->blow;
	ccfc_server_send_buf(f->server, conn, &buf);
	assert_int_equal(buf.len, 0);
	ccfc_buf_release(&buf);
	atomic_fetch_add(&f->answered, 1);
}

static inline void on_close(void *ctx, uint64_t conn)
{
	struct fixture *f = ctx;

	assert_false(send_bytes(f, conn, CCFC_SLICE_LIT("x")));
	assert_int_equal(ccfc_server_queued(f->server, conn), 0);
	ccfc_server_hang_up(f->server, conn);
	atomic_fetch_add(&f->closed, 1);
}

static inline void on_drained(void *ctx, uint64_t conn)
{
	struct fixture *f = ctx;

	(void)conn;
	atomic_fetch_add(&f->drained, 1);
}

static inline void on_full(void *ctx, uint64_t conn)
{
	struct fixture *f = ctx;

	(void)conn;
	atomic_fetch_add(&f->full, 1);
}

static inline void on_requests(void *ctx)
{
	atomic_fetch_add(&((struct fixture *)ctx)->taken, 1);
}

static inline void *core(void *arg)
{
	struct fixture *f = arg;
	struct pollfd fds[2] = {
		{ .fd = ccfc_server_fd(f->server), .events = POLLIN },
		{ .fd = f->stop, .events = POLLIN },
	};

	while (poll(fds, 2, ccfc_server_timeout_ms(f->server)) >= 0 &&
	       !fds[1].revents)
		ccfc_server_dispatch(f->server);
	return NULL;
}

static inline int listen_on(struct fixture *f, struct ccfc_err *err)
{
	struct ccfc_server_handlers handlers = { f,	   on_message,
						 on_close, on_drained,
						 on_full,  on_requests };

	return ccfc_server_new(&f->server, f->path, &handlers, err);
}

static inline struct fixture *make_dir(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/ccfc-serve-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/run/s.sock", f->dir);
	f->stop = eventfd(0, EFD_CLOEXEC);
	return f;
}

static inline void start(struct fixture *f)
{
	struct ccfc_err err;

	assert_int_equal(listen_on(f, &err), 0);
	assert_int_equal(pthread_create(&f->core, NULL, core, f), 0);
}

static inline void stop(struct fixture *f)
{
	uint64_t one = 1;

	assert_int_equal(write(f->stop, &one, sizeof(one)), sizeof(one));
	pthread_join(f->core, NULL);
	ccfc_server_free(f->server);
	f->server = NULL;
}

static inline void remove_dir(struct fixture *f)
{
	char sub[80];

	snprintf(sub, sizeof(sub), "%s/run", f->dir);
	unlink(f->path);
	rmdir(sub);
	assert_int_equal(rmdir(f->dir), 0); /* nothing was left there */
	close(f->stop);
	free(f);
}

static inline int setup(void **state)
{
	struct fixture *f = make_dir();

	*state = f;
	start(f);
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	stop(f);
	assert_int_equal(lstat(f->path, &st), -1);
	remove_dir(f);
	return 0;
}

/* Waits for the core thread to have seen something, within the limit. */
static inline void await(atomic_int *counter, int at_least)
{
	for (int i = 0; i < PEER_TIMEOUT_S * 1000; i++) {
		if (atomic_load(counter) >= at_least)
			return;
		poll(NULL, 0, 1);
	}
	fail_msg("waited for %d, got %d", at_least, atomic_load(counter));
}

static inline void request(struct ccfc_buf *buf, uint32_t id, size_t payload)
{
	struct ccfc_pack p;
	char *text = calloc(1, payload + 1);

	memset(text, 'x', payload);
	ccfc_pack_init(&p, buf);
	ccfc_rpc_request_begin(&p, id, "echo");
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "text", text);
	ccfc_pack_end(&p);
	ccfc_rpc_request_end(&p);
	free(text);
}

static inline void assert_echo(int fd, uint32_t id, size_t payload)
{
	struct ccfc_buf sent = CCFC_BUF_INIT, rest = CCFC_BUF_INIT,
			got = CCFC_BUF_INIT;

	request(&sent, id, payload);
	assert_true(peer_write(fd, ccfc_buf_view(&sent)));
	assert_true(peer_read(fd, &rest, &got));
	assert_int_equal(got.len, sent.len);
	assert_memory_equal(got.ptr, sent.ptr, sent.len);
	assert_int_equal(rest.len, 0);
	ccfc_buf_release(&sent);
	ccfc_buf_release(&rest);
	ccfc_buf_release(&got);
}

static inline void assert_serving(struct fixture *f)
{
	int fd = peer_connect(f->path);

	assert_true(fd >= 0);
	assert_echo(fd, 1, 10);
	close(fd);
}

/* The same after a crowd, whose end the server may still be noticing. */
static inline void assert_serving_soon(struct fixture *f)
{
	for (int i = 0; i < PEER_TIMEOUT_S * 1000; i++) {
		struct ccfc_buf sent = CCFC_BUF_INIT, rest = CCFC_BUF_INIT,
				got = CCFC_BUF_INIT;
		int fd = peer_connect(f->path);
		bool ok;

		request(&sent, 1, 10);
		ok = peer_write(fd, ccfc_buf_view(&sent)) &&
		     peer_read(fd, &rest, &got) &&
		     ccfc_slice_eq(ccfc_buf_view(&got), ccfc_buf_view(&sent));
		close(fd);
		ccfc_buf_release(&sent);
		ccfc_buf_release(&rest);
		ccfc_buf_release(&got);
		if (ok)
			return;
		poll(NULL, 0, 1);
	}
	fail_msg("not served");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
