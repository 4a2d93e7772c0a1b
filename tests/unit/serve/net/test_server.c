/* Connections: echoes, bad bytes, slow readers, crowds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "echo.h"

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	int fd = peer_connect(f->path);

	for (uint32_t i = 0; i < 2000; i++)
		assert_echo(fd, i, i % 7 ? i : i * 300);
	close(fd);
	await(&f->closed, 1);
}

/* Each message comes after a call that follows the taking of its bytes. */
static void test_taken_first(void **state)
{
	struct fixture *f = *state;
	int fd = peer_connect(f->path);

	for (uint32_t i = 0; i < 100; i++) {
		int before = atomic_load(&f->taken);

		assert_echo(fd, i, 10);
		assert_true(atomic_load(&f->seen) > before);
	}
	close(fd);
}

static void test_pipelined(void **state)
{
	struct fixture *f = *state;
	struct ccfc_buf all = CCFC_BUF_INIT, rest = CCFC_BUF_INIT,
			got = CCFC_BUF_INIT, one = CCFC_BUF_INIT;
	int fd = peer_connect(f->path);

	for (uint32_t i = 0; i < 1000; i++)
		request(&all, i, i % 40);
	assert_true(peer_write(fd, ccfc_buf_view(&all)));
	for (uint32_t i = 0; i < 1000; i++) {
		ccfc_buf_clear(&one);
		request(&one, i, i % 40);
		assert_true(peer_read(fd, &rest, &got));
		assert_int_equal(got.len, one.len);
		assert_memory_equal(got.ptr, one.ptr, one.len);
	}
	close(fd);
	ccfc_buf_release(&all);
	ccfc_buf_release(&rest);
	ccfc_buf_release(&got);
	ccfc_buf_release(&one);
}

/* Replies to requests that came together go out together, or when flushed. */
static void test_replies_together(void **state)
{
	struct fixture *f = *state;
	struct ccfc_buf ask = CCFC_BUF_INIT, rest = CCFC_BUF_INIT,
			got = CCFC_BUF_INIT;
	int fd = peer_connect(f->path), one;

	request(&ask, 1, 1);
	one = (int)ask.len;
	request(&ask, 2, 1);
	f->peer = fd;
	for (int flush = 0; flush < 2; flush++) {
		f->flush = flush;
		assert_true(peer_write(fd, ccfc_buf_view(&ask)));
		await(&f->echoed, 2 * flush + 2);
		assert_int_equal(atomic_load(&f->unread), flush ? one : 0);
		assert_true(peer_read(fd, &rest, &got));
		assert_true(peer_read(fd, &rest, &got));
	}
	close(fd);
	ccfc_buf_release(&ask);
	ccfc_buf_release(&rest);
	ccfc_buf_release(&got);
}

static void test_byte_by_byte(void **state)
{
	struct fixture *f = *state;
	struct ccfc_buf sent = CCFC_BUF_INIT, rest = CCFC_BUF_INIT,
			got = CCFC_BUF_INIT;
	int fd = peer_connect(f->path);

	request(&sent, 7, 300);
	for (size_t i = 0; i < sent.len; i++)
		assert_true(peer_write(fd, ccfc_slice(sent.ptr + i, 1)));
	assert_true(peer_read(fd, &rest, &got));
	assert_int_equal(got.len, sent.len);
	close(fd);
	ccfc_buf_release(&sent);
	ccfc_buf_release(&rest);
	ccfc_buf_release(&got);
}

/* A peer that has said all may still read the answer. */
static void test_half_closed(void **state)
{
	struct fixture *f = *state;
	struct ccfc_buf sent = CCFC_BUF_INIT, rest = CCFC_BUF_INIT,
			got = CCFC_BUF_INIT;
	int fd = peer_connect(f->path);

	for (uint32_t i = 0; i < 200; i++)
		request(&sent, i, 100);
	assert_true(peer_write(fd, ccfc_buf_view(&sent)));
	shutdown(fd, SHUT_WR);
	for (uint32_t i = 0; i < 200; i++)
		assert_true(peer_read(fd, &rest, &got));
	assert_true(peer_is_hung_up(fd));
	close(fd);
	await(&f->closed, 1);
	ccfc_buf_release(&sent);
	ccfc_buf_release(&rest);
	ccfc_buf_release(&got);
}

static void test_connect_and_close(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 1000; i++) {
		int fd = peer_connect(f->path);

		assert_true(fd >= 0);
		close(fd);
	}
	assert_serving_soon(f);
	await(&f->closed, 1);
}

static void test_bad_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int code;
	} cases[] = {
		{ "\xc1", 1, CCFC_EPROTO },
		{ "\xdd\xff\xff\xff\xff", 5, CCFC_ETOOBIG },
		{ "\xdf\xff\xff\xff\xff", 5, CCFC_ETOOBIG },
		{ "\xdb\xff\xff\xff\xff", 5, CCFC_ETOOBIG },
		{ "\xc6\x7f\xff\xff\xff", 5, CCFC_ETOOBIG },
		{ "\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91"
		  "\x91\x91\x91\x91\x91\x91",
		  20, CCFC_ETOOBIG },
	};
	struct fixture *f = *state;
	struct ccfc_buf rest = CCFC_BUF_INIT, got = CCFC_BUF_INIT;
	int other = peer_connect(f->path);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int fd = peer_connect(f->path);
		struct ccfc_doc *doc;
		struct ccfc_rpc rpc;

		assert_echo(other, 1, 1);
		assert_true(peer_write(
			fd, ccfc_slice(cases[i].bytes, cases[i].len)));
		ccfc_buf_clear(&rest);
		assert_true(peer_read(fd, &rest, &got));
		assert_int_equal(
			ccfc_doc_parse(&doc, ccfc_buf_view(&got), NULL), 0);
		assert_int_equal(ccfc_rpc_parse(&rpc, ccfc_doc_root(doc), NULL),
				 0);
		assert_int_equal(rpc.type, CCFC_MSG_RESPONSE);
		assert_int_equal(rpc.id, 0);
		assert_true(rpc.failed);
		assert_int_equal(rpc.error.code, cases[i].code);
		ccfc_doc_free(doc);
		assert_true(peer_is_hung_up(fd));
		close(fd);
		assert_echo(other, 2, 1);
	}
	close(other);
	ccfc_buf_release(&rest);
	ccfc_buf_release(&got);
}

static void test_random_bytes(void **state)
{
	struct fixture *f = *state;
	seed_start();
	for (int i = 0; i < 300; i++) {
		char bytes[300];
		int fd = peer_connect(f->path);

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (char)seed_next();
		peer_write(fd, ccfc_slice(bytes, sizeof(bytes)));
		close(fd);
	}
	assert_serving_soon(f);
}

static int highest_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* No descriptor is left to accept with: the server rests, then goes on. */
static void test_no_descriptors(void **state)
{
	struct fixture *f = *state;
	struct rlimit limit, low;
	struct timespec before, after;
	int fd;

	assert_serving(f);
	await(&f->closed, 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = (rlim_t)highest_fd() + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	fd = peer_connect(f->path);
	poll(NULL, 0, 250); /* long enough to spin noticeably */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(fd >= 0);
	assert_true((after.tv_sec - before.tv_sec) * 1000 +
			    (after.tv_nsec - before.tv_nsec) / 1000000 <
		    100);
	assert_echo(fd, 1, 1);
	close(fd);
}

static void test_many_connections(void **state)
{
	enum { N = 256, MORE = 10 };
	struct fixture *f = *state;
	int fds[N];

	for (int i = 0; i < N; i++) {
		fds[i] = peer_connect(f->path);
		assert_true(fds[i] >= 0);
		assert_echo(fds[i], 1, 5);
	}
	for (int i = 0; i < MORE; i++) {
		struct ccfc_buf rest = CCFC_BUF_INIT, got = CCFC_BUF_INIT;
		int fd = peer_connect(f->path);

		assert_true(peer_read(fd, &rest, &got));
		assert_true(ccfc_slice_contains(ccfc_buf_view(&got),
						"more than 256 clients"));
		assert_true(peer_is_hung_up(fd));
		close(fd);
		ccfc_buf_release(&rest);
		ccfc_buf_release(&got);
	}
	for (int i = 0; i < N; i++)
		assert_echo(fds[i], 2, 5);
	for (int i = 0; i < N; i++)
		close(fds[i]);
	await(&f->closed, N);
	assert_serving(f);
}

/*
 * A client that asks and does not read: its requests are no longer taken
 * once 8 MiB wait for it; another is served meanwhile; and when it reads, it
 * gets all.
 */
static void test_slow_reader(void **state)
{
	enum { ASKS = 200, REPLY = 1 << 20 };
	struct fixture *f = *state;
	struct ccfc_buf ask = CCFC_BUF_INIT;
	size_t total = 0;
	char *sink = malloc(1 << 16);
	int fd;

	assert_non_null(sink);
	assert_serving(f);
	f->blow = REPLY;
	fd = peer_connect(f->path);
	for (uint32_t i = 0; i < ASKS; i++)
		request(&ask, i, 1);
	assert_true(peer_write(fd, ccfc_buf_view(&ask)));
	while (total < (size_t)ASKS * REPLY) {
		ssize_t n = recv(fd, sink, 1 << 16, 0);

		assert_true(n > 0);
		total += (size_t)n;
	}
	assert_int_equal(total, (size_t)ASKS * REPLY);
	assert_in_range(atomic_load(&f->longest), 1, (8u << 20));
	await(&f->drained, 1);
	close(fd);
	free(sink);
	ccfc_buf_release(&ask);
}

/* Little memory, and no hurry. */
static const struct ccfc_server_limits few = { 10 << 20, 1 << 30, 3600000 };

/* All of a blown-up reply, byte by byte as it was made. */
static void assert_blown(int fd, size_t size)
{
	char *sink = malloc(1 << 16), *want = malloc(1 << 16);

	assert_non_null(sink);
	assert_non_null(want);
	for (size_t at = 0; at < size;) {
		ssize_t n = recv(fd, sink, 1 << 16, 0);

		assert_true(n > 0);
		blow(want, at, (size_t)n);
		assert_memory_equal(sink, want, (size_t)n);
		at += (size_t)n;
	}
	free(sink);
	free(want);
}

static size_t memory_held(struct fixture *f)
{
	uint64_t bytes, memory;

	ccfc_server_unsent(f->server, &bytes, &memory);
	return memory;
}

static uint64_t unsent(struct fixture *f)
{
	uint64_t bytes, memory;

	ccfc_server_unsent(f->server, &bytes, &memory);
	return bytes;
}

/* `n` peers that ask once each for `f->blow` bytes and do not read. */
static void ask_all(struct fixture *f, int *fds, int n)
{
	struct ccfc_buf ask = CCFC_BUF_INIT;

	request(&ask, 1, 1);
	for (int i = 0; i < n; i++) {
		int before = atomic_load(&f->answered);

		fds[i] = peer_connect(f->path);
		assert_true(peer_write(fds[i], ccfc_buf_view(&ask)));
		await(&f->answered, before + 1);
	}
	ccfc_buf_release(&ask);
}

/*
 * Many that ask and do not read: what waits for them is in files, others are
 * served, and when they read they get all.
 */
static void test_unread_in_files(void **state)
{
	enum { PEERS = 6, REPLY = 9 << 20 };
	struct fixture *f = *state;
	int fds[PEERS];

	ccfc_server_spool_in(f->server, f->dir);
	ccfc_server_limit(f->server, &few);
	f->blow = REPLY;
	ask_all(f, fds, PEERS);
	f->blow = 0;
	assert_serving(f);
	assert_true(memory_held(f) <= few.memory);
	assert_true(unsent(f) > (uint64_t)(PEERS - 1) * REPLY);
	assert_int_equal(atomic_load(&f->full), PEERS);
	for (int i = 0; i < PEERS; i++) {
		assert_blown(fds[i], REPLY);
		assert_echo(fds[i], 2, 100);
		close(fds[i]);
	}
	/* A peer may have read before the server knows that it sent. */
	for (int i = 0; unsent(f) && i < PEER_TIMEOUT_S * 1000; i++)
		poll(NULL, 0, 1);
	assert_int_equal(unsent(f), 0);
	assert_int_equal(memory_held(f), 0);
}

/* The same without a place for files: some are hung up on. */
static void test_unread_without_files(void **state)
{
	enum { PEERS = 6, REPLY = 9 << 20 };
	struct fixture *f = *state;
	int fds[PEERS];

	ccfc_server_limit(f->server, &few);
	f->blow = REPLY;
	ask_all(f, fds, PEERS);
	f->blow = 0;
	assert_serving(f);
	assert_true(memory_held(f) <= few.memory);
	await(&f->closed, PEERS - 1);
	for (int i = 0; i < PEERS; i++)
		close(fds[i]);
}

/* Too much in all: those that read least are hung up on, others served. */
static void test_crowd(void **state)
{
	enum { PEERS = 12, REPLY = 4 << 20 };
	static const struct ccfc_server_limits limits = { 1 << 20, 16 << 20,
							  600000 };
	struct fixture *f = *state;
	int fds[PEERS];

	ccfc_server_spool_in(f->server, f->dir);
	ccfc_server_limit(f->server, &limits);
	f->blow = REPLY;
	ask_all(f, fds, PEERS);
	f->blow = 0;
	assert_serving(f);
	assert_true(memory_held(f) <= limits.memory + (1u << 18));
	/* Eight fit for a moment, four for longer. */
	await(&f->closed, PEERS - 8);
	assert_true(unsent(f) <= 2 * limits.total);
	await(&f->closed, PEERS - 4);
	assert_serving(f);
	for (int i = 0; i < PEERS; i++)
		close(fds[i]);
}

/* One with a full queue is hung up on after a while; with less it is not. */
static void test_unread_ends(void **state)
{
	enum { LONG = 16 << 20, SHORT = 4 << 20 };
	static const struct ccfc_server_limits limits = { 64 << 20, 1 << 30,
							  1 };
	struct fixture *f = *state;
	int more, less;

	assert_int_equal(ccfc_server_timeout_ms(f->server), -1);
	ccfc_server_limit(f->server, &limits);
	f->blow = SHORT;
	ask_all(f, &less, 1);
	assert_int_equal(ccfc_server_timeout_ms(f->server), -1);
	f->blow = LONG;
	ask_all(f, &more, 1);
	await(&f->closed, 1);
	assert_true(peer_is_hung_up(more));
	assert_int_equal(ccfc_server_timeout_ms(f->server), -1);
	assert_blown(less, SHORT);
	close(more);
	close(less);
}

/* Eight answers can be waited for; requests beyond are not taken. */
static void test_owed(void **state)
{
	enum { ASKS = 20, OWED = 8 };
	struct fixture *f = *state;
	struct ccfc_buf ask = CCFC_BUF_INIT;
	int one = peer_connect(f->path), two = peer_connect(f->path);

	f->owes = true;
	for (uint32_t i = 0; i < ASKS; i++)
		request(&ask, i, 1);
	assert_true(peer_write(one, ccfc_buf_view(&ask)));
	await(&f->answered, OWED);
	for (int i = 1; i <= ASKS; i++) {
		int most = OWED + i < ASKS ? OWED + i : ASKS;

		assert_echo(two, (uint32_t)i, 1);
		await(&f->answered, most);
		assert_int_equal(atomic_load(&f->answered), most);
	}
	f->owes = false;
	assert_echo(one, 1, 1);
	close(one);
	close(two);
	ccfc_buf_release(&ask);
}

static void test_gone_while_sending(void **state)
{
	struct fixture *f = *state;
	struct ccfc_buf ask = CCFC_BUF_INIT;

	f->blow = 8 << 20;
	request(&ask, 1, 1);
	for (int i = 0; i < 20; i++) {
		int fd = peer_connect(f->path);

		assert_true(peer_write(fd, ccfc_buf_view(&ask)));
		close(fd);
	}
	/* Those that were closed before they were read need no close call. */
	f->blow = 0;
	assert_serving(f);
	await(&f->closed, 1);
	ccfc_buf_release(&ask);
}

static void test_free_with_clients(void **state)
{
	struct fixture *f = *state;
	int fds[20];

	for (int i = 0; i < 20; i++)
		fds[i] = peer_connect(f->path);
	assert_echo(fds[3], 1, 1);
	stop(f);
	for (int i = 0; i < 20; i++) {
		assert_true(peer_is_hung_up(fds[i]));
		close(fds[i]);
	}
	start(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_round_trip),
		T(test_taken_first),
		T(test_pipelined),
		T(test_replies_together),
		T(test_byte_by_byte),
		T(test_half_closed),
		T(test_connect_and_close),
		T(test_bad_bytes),
		T(test_random_bytes),
		T(test_no_descriptors),
		T(test_many_connections),
		T(test_slow_reader),
		T(test_unread_in_files),
		T(test_unread_without_files),
		T(test_crowd),
		T(test_unread_ends),
		T(test_owed),
		T(test_gone_while_sending),
		T(test_free_with_clients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
