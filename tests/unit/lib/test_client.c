/* The library's connection: messages in pieces, out of order, and broken. */
#include "lib/lib.h"

#include "server.h"

#include <sys/time.h>

static void on_tick(int sig)
{
	(void)sig;
	ticks++;
}

/* One call against a script; the code that it returned. */
static int one_call(const struct step *steps, int timeout_ms,
		    struct ccfc_reply **reply, struct ccfc_err *err)
{
	struct server s;
	struct ccfc_client *c;
	int r;

	server_start(&s, steps);
	c = connect_client(timeout_ms);
	r = ccfc_client_call(reply, c, "m", NULL, 0, err);
	if (r < 0)
		assert_null(*reply);
	ccfc_client_free(c);
	server_end(&s);
	return r;
}

static void test_byte_by_byte(void **state)
{
	static const struct step steps[] = {
		{ READ, NULL, 0 },
		{ DRIP, BYTES("\x94\x01\x01\xc0\x84\xa1"
			      "a\x01\xa1"
			      "b\xa2hi\xa1"
			      "c\x92\xcb\x3f\xf8\0\0\0\0\0\0\xc3\xa1"
			      "d\xc4\x02\xff\0") },
		{ END, NULL, 0 },
	};
	struct ccfc_reply *reply;
	struct ccfc_value v;
	const char *str;
	size_t len;

	(void)state;
	assert_int_equal(one_call(steps, 0, &reply, NULL), 0);
	/* The client is gone; the reply lives on. */
	v = ccfc_reply_value(reply);
	assert_int_equal(ccfc_value_type(v), CCFC_VALUE_MAP);
	assert_int_equal(ccfc_value_len(v), 4);
	assert_int_equal(ccfc_value_int(ccfc_value_get(v, "a"), 0), 1);
	str = ccfc_value_str(ccfc_value_get(v, "b"), &len);
	assert_int_equal(len, 2);
	assert_memory_equal(str, "hi", 2);
	assert_int_equal(ccfc_value_type(ccfc_value_get(v, "d")),
			 CCFC_VALUE_BIN);
	str = ccfc_value_str(ccfc_value_get(v, "d"), &len);
	assert_int_equal(len, 2);
	assert_memory_equal(str, "\xff\0", 2);
	v = ccfc_value_get(v, "c");
	assert_true(ccfc_value_double(ccfc_value_at(v, 0), 0) == 1.5);
	assert_true(ccfc_value_bool(ccfc_value_at(v, 1), false));
	assert_int_equal(ccfc_value_type(ccfc_value_at(v, 2)), CCFC_VALUE_NONE);
	assert_null(ccfc_value_str(v, NULL));
	v = ccfc_reply_value(reply);
	assert_memory_equal(ccfc_value_str(ccfc_value_key_at(v, 1), NULL), "b",
			    1);
	assert_int_equal(ccfc_value_int(ccfc_value_value_at(v, 0), 0), 1);
	assert_string_equal(ccfc_reply_method(reply), "");
	ccfc_reply_bytes(reply, &len);
	assert_int_equal(len, 32);
	ccfc_reply_free(reply);
}

/* How a stream can go wrong, and what the call says then. */
static void test_broken_streams(void **state)
{
	static const struct {
		struct step second;
		int expected;
	} table[] = {
		{ { END, NULL, 0 }, CCFC_EUNREACHABLE },
		{ { SEND, BYTES("\x94\x01\x01\xc0") }, CCFC_EUNREACHABLE },
		{ { SEND, BYTES("\x94\x01\x01\xc0\xdb\x00\x00") },
		  CCFC_EUNREACHABLE },
		{ { SEND, BYTES("\x94\x01\x01\xc0\xdb\xff\xff\xff\xff") },
		  CCFC_ETOOBIG },
		{ { SEND, BYTES("\xdd\xff\xff\xff\xff") }, CCFC_ETOOBIG },
		{ { SEND, BYTES("\xc1") }, CCFC_EPROTO },
		{ { SEND, BYTES("HTTP/1.1 400 Bad Request") }, CCFC_EPROTO },
		{ { SEND, BYTES("\x94\x01\x02\xc0\xc0") }, CCFC_EPROTO },
		{ { SEND, BYTES("\x94\x01\x00\xc0\xc0") }, CCFC_EPROTO },
		/* why it hangs up */
		{ { SEND, BYTES("\x94\x01\x00\xac"
				"too-big: big\xc0") },
		  CCFC_ETOOBIG },
		{ { SEND, BYTES("\x94\x00\x01\xa1m\x90") }, CCFC_EPROTO },
		{ { SEND, BYTES("\x93\x01\x01\xc0") }, CCFC_EPROTO },
		{ { CHUNK, NULL, 65 }, CCFC_ETOOBIG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct step steps[] = { { READ, NULL, 0 },
					table[i].second,
					{ END, NULL, 0 } };
		struct ccfc_err err = { 0 };
		struct ccfc_reply *reply, *event;
		struct ccfc_client *c;
		struct server s;

		server_start(&s, steps);
		c = connect_client(0);
		assert_int_equal(
			ccfc_client_call(&reply, c, "m", NULL, 0, &err),
			table[i].expected);
		assert_null(reply);
		assert_int_equal(err.code, table[i].expected);
		assert_true(err.what[0]);
		/* It is over, and stays so. */
		assert_int_equal(ccfc_client_fd(c), -1);
		assert_int_equal(ccfc_index_stats(&reply, c, NULL),
				 CCFC_EUNREACHABLE);
		while (ccfc_client_next_event(&event, c, 0, &err) == 1)
			ccfc_reply_free(event);
		assert_null(event);
		assert_int_equal(err.code, CCFC_EUNREACHABLE);
		ccfc_client_free(c);
		server_end(&s);
	}
}

/* The daemon went away before we wrote: no SIGPIPE, a plain error. */
static void test_gone_before_call(void **state)
{
	static const struct step steps[] = { { END, NULL, 0 } };
	struct ccfc_reply *reply;
	struct ccfc_client *c;
	struct server s;

	(void)state;
	server_start(&s, steps);
	c = connect_client(0);
	server_end(&s);
	assert_int_equal(ccfc_client_call(&reply, c, "m", NULL, 0, NULL),
			 CCFC_EUNREACHABLE);
	ccfc_client_free(c);
}

static void test_error_reply(void **state)
{
	static const struct step steps[] = {
		{ READ, NULL, 0 },
		{ SEND, BYTES("\x94\x01\x01\xb3"
			      "ambiguous: two\nhint\xc0") },
		{ READ, NULL, 0 },
		{ SEND, BYTES("\x94\x01\x02\xc0\x05") },
		{ END, NULL, 0 },
	};
	struct ccfc_err err;
	struct ccfc_reply *reply;
	struct ccfc_client *c;
	struct server s;

	(void)state;
	server_start(&s, steps);
	c = connect_client(0);
	assert_int_equal(ccfc_client_call(&reply, c, "m", NULL, 0, &err),
			 CCFC_EAMBIGUOUS);
	assert_null(reply);
	assert_int_equal(err.code, CCFC_EAMBIGUOUS);
	assert_string_equal(err.what, "two");
	assert_string_equal(err.hint, "hint");
	/* The connection is as good as before. */
	assert_int_equal(ccfc_client_call(&reply, c, "m", NULL, 0, NULL), 0);
	assert_int_equal(ccfc_value_int(ccfc_reply_value(reply), 0), 5);
	ccfc_reply_free(reply);
	ccfc_client_free(c);
	server_end(&s);
}

static void test_interleaved(void **state)
{
	static const struct step steps[] = {
		{ READ, NULL, 0 },
		{ SEND, BYTES(EVENT("\x01") EVENT(
				"\x02") "\x94\x01\x01\xc0\xc3" EVENT("\x03")) },
		{ READ, NULL, 0 },
		{ SEND, BYTES("\x94\x01\x02\xc0\xc3") },
		{ DRIP, BYTES(EVENT("\x04")) },
		/* Neovim's way: the event is the last argument */
		{ SEND, BYTES("\x93\x02\xa5"
			      "event\x92\xa1x\x05") },
		{ READ, NULL, 0 },
		{ END, NULL, 0 },
	};
	struct ccfc_reply *reply;
	struct ccfc_client *c;
	struct server s;

	(void)state;
	server_start(&s, steps);
	c = connect_client(0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			ccfc_client_call(&reply, c, "m", NULL, 0, NULL), 0);
		assert_true(ccfc_value_bool(ccfc_reply_value(reply), false));
		ccfc_reply_free(reply);
	}
	for (int i = 1; i <= 5; i++)
		expect_event(c, i);
	assert_int_equal(ccfc_client_next_event(&reply, c, 0, NULL), 0);
	assert_int_equal(ccfc_client_next_event(&reply, c, 1, NULL), 0);
	assert_null(reply);
	assert_true(ccfc_client_fd(c) >= 0);
	ccfc_client_free(c);
	server_end(&s);
}

/* Events that nobody fetched are freed with the client (ASan would tell). */
static void test_unread_events(void **state)
{
	static const struct step steps[] = {
		{ READ, NULL, 0 },
		{ SEND,
		  BYTES(EVENT("\x01")
				EVENT("\x02") "\x94\x01\x01\xc0\xc3" EVENT(
					"\x03") "\x93\x02") },
		{ END, NULL, 0 },
	};
	struct ccfc_reply *reply;

	(void)state;
	assert_int_equal(one_call(steps, 0, &reply, NULL), 0);
	ccfc_reply_free(reply);
}

static void test_late_answer(void **state)
{
	static const struct step steps[] = {
		{ READ, NULL, 0 },
		{ READ, NULL, 0 },
		{ SEND, BYTES("\x94\x01\x01\xc0\x01\x94\x01\x02\xc0\x02") },
		{ READ, NULL, 0 },
		{ END, NULL, 0 },
	};
	struct ccfc_err err;
	struct ccfc_reply *reply;
	struct ccfc_client *c;
	struct server s;

	(void)state;
	server_start(&s, steps);
	c = connect_client(1);
	assert_int_equal(ccfc_client_call(&reply, c, "m", NULL, 0, &err),
			 CCFC_EAGAIN);
	assert_string_equal(err.what, "m: no answer for 1 ms");
	/* Its answer comes with the next one's, and is not taken for it. */
	c->timeout_ms = 0;
	assert_int_equal(ccfc_client_call(&reply, c, "m", NULL, 0, &err), 0);
	assert_int_equal(ccfc_value_int(ccfc_reply_value(reply), 0), 2);
	ccfc_reply_free(reply);
	ccfc_client_free(c);
	server_end(&s);
}

static void test_signals(void **state)
{
	static const struct step steps[] = {
		{ READ, NULL, 0 },
		{ TICKS, NULL, 0 },
		{ DRIP, BYTES("\x94\x01\x01\xc0\x07") },
		{ END, NULL, 0 },
	};
	struct sigaction action = { .sa_handler = on_tick };
	struct itimerval on = { { 0, 500 }, { 0, 500 } }, off = { 0 };
	struct ccfc_reply *reply;

	(void)state;
	sigaction(SIGALRM, &action, NULL);
	ticks = 0;
	setitimer(ITIMER_REAL, &on, NULL);
	assert_int_equal(one_call(steps, 60000, &reply, NULL), 0);
	setitimer(ITIMER_REAL, &off, NULL);
	assert_int_equal(ccfc_value_int(ccfc_reply_value(reply), 0), 7);
	assert_true(ticks >= 5);
	ccfc_reply_free(reply);
}

static void test_big_reply(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	size_t n = 5u << 20, len;
	char *text = malloc(n);
	struct ccfc_reply *reply;
	struct ccfc_client *c;
	struct ccfc_pack p;
	struct server s;

	(void)state;
	memset(text, 'x', n);
	ccfc_pack_init(&p, &buf);
	ccfc_rpc_response_begin(&p, 1);
	ccfc_pack_str(&p, ccfc_slice(text, n));
	ccfc_rpc_response_end(&p);
	{
		struct step steps[] = { { READ, NULL, 0 },
					{ SEND, buf.ptr, buf.len },
					{ READ, NULL, 0 },
					{ END, NULL, 0 } };

		server_start(&s, steps);
		c = connect_client(0);
		assert_int_equal(
			ccfc_client_call(&reply, c, "m", NULL, 0, NULL), 0);
		assert_memory_equal(
			ccfc_value_str(ccfc_reply_value(reply), &len), text, n);
		assert_int_equal(len, n);
		ccfc_reply_free(reply);
		ccfc_client_free(c);
		server_end(&s);
	}
	free(text);
	ccfc_buf_release(&buf);
}

static void test_bad_arguments(void **state)
{
	static const struct step steps[] = { { READ, NULL, 0 },
					     { END, NULL, 0 } };
	struct ccfc_query q = { .version = 99 };
	struct ccfc_query f = { .version = 0 };
	struct ccfc_reply *reply = NULL;
	size_t n = CCFC_REQUEST_MAX_BYTES;
	char *big = calloc(1, n + 1);
	struct ccfc_client *c;
	struct server s;

	(void)state;
	server_start(&s, steps);
	c = connect_client(0);
	assert_int_equal(ccfc_file_sessions(&reply, c, "x", &q, NULL),
			 CCFC_EINVAL);
	assert_int_equal(ccfc_events_since(&reply, c, "1:2", &f, NULL),
			 CCFC_EINVAL);
	memset(big, 'x', n);
	assert_int_equal(ccfc_file_sessions(&reply, c, big, NULL, NULL),
			 CCFC_EINVAL);
	assert_true(ccfc_client_fd(c) >= 0);
	ccfc_client_free(c);
	server_end(&s);
	free(big);
}

static void check_new(const char *socket, int expected, const char *says)
{
	struct ccfc_client_options o = CCFC_CLIENT_OPTIONS_INIT;
	struct ccfc_client *c = (void *)1;
	struct ccfc_err err = { 0 };

	o.spawn = CCFC_SPAWN_NEVER;
	o.socket = socket;
	assert_int_equal(ccfc_client_new(&c, &o, &err), expected);
	assert_null(c);
	assert_int_equal(err.code, expected);
	assert_non_null(strstr(err.what, says));
}

static void test_unreachable(void **state)
{
	struct ccfc_client_options o = CCFC_CLIENT_OPTIONS_INIT;
	struct ccfc_client *c;
	char path[200];
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/none", scratch_dir);
	check_new(path, CCFC_EUNREACHABLE, "no daemon");
	/* a socket that a daemon left behind */
	snprintf(path, sizeof(path), "%s/stale", scratch_dir);
	close(listen_at(path));
	check_new(path, CCFC_EUNREACHABLE, "no daemon");
	snprintf(path, sizeof(path), "%s/file", scratch_dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	check_new(path, CCFC_EUNREACHABLE, "no daemon");
	memset(path, 'x', 150);
	path[150] = '\0';
	check_new(path, CCFC_EINVAL, "too long");
	setenv("CCFC_NO_SPAWN", "1", 1);
	assert_int_equal(ccfc_client_new(&c, NULL, NULL), CCFC_EUNREACHABLE);
	o.version = 2;
	assert_int_equal(ccfc_client_new(&c, &o, NULL), CCFC_EINVAL);
	o.version = CCFC_CLIENT_OPTIONS_VERSION;
	o.timeout_ms = -1;
	assert_int_equal(ccfc_client_new(&c, &o, NULL), CCFC_EINVAL);
	ccfc_client_free(NULL);
	ccfc_reply_free(NULL);
}

/* Needs two users, so it needs root. */
static void test_other_user(void **state)
{
	int listener;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(scratch_dir, 0777), 0);
	assert_int_equal(seteuid(65534), 0);
	listener = listen_at(scratch_socket);
	assert_int_equal(seteuid(0), 0);
	check_new(scratch_socket, CCFC_EDENIED, "another user");
	/* and a socket that we may not even try */
	assert_int_equal(chmod(scratch_dir, 0700), 0);
	assert_int_equal(seteuid(65534), 0);
	check_new(scratch_socket, CCFC_EDENIED, "cannot connect");
	assert_int_equal(seteuid(0), 0);
	close(listener);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_byte_by_byte),     TEST(test_broken_streams),
		TEST(test_gone_before_call), TEST(test_error_reply),
		TEST(test_interleaved),	     TEST(test_unread_events),
		TEST(test_late_answer),	     TEST(test_signals),
		TEST(test_big_reply),	     TEST(test_bad_arguments),
		TEST(test_unreachable),	     TEST(test_other_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
