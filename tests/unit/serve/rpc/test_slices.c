/*
 * Requests that are answered in slices: how it is done by the longest of them,
 * index.dump, and that the others are done so. Somebody waits all the time
 * here, so that a slice is one step; the tests do what happens in between.
 */
#include "world.h"

#include "serve/rpc/request.h"
#include "serve/rpc/slices.h"

#define CHANGES 1200
#define READS	600
#define SESSION "aaaaaaaa-0000-4000-8000-000000000001"
#define LATER	"bbbbbbbb-0000-4000-8000-000000000002"

static bool always(void *ctx)
{
	(void)ctx;
	return true;
}

static void write_change(struct world *w, const char *session, int number)
{
	struct ccfc_buf line = CCFC_BUF_INIT;
	int id = number * 7919 % 10007;
	char file[16] = "many";

	if (number % 2)
		snprintf(file, sizeof(file), "f%d", number % 50);

	ccfc_buf_printf(
		&line,
		"{\"sessionId\":\"%s\",\"cwd\":\"/p\",\"version\":\"2.1.0\","
		"\"timestamp\":\"2025-12-10T10:00:00.000Z\","
		"\"type\":\"assistant\","
		"\"uuid\":\"00000000-0000-4000-8000-00000000%04d\","
		"\"message\":{\"id\":\"m%d\",\"role\":\"assistant\","
		"\"model\":\"opus\",\"usage\":{\"input_tokens\":%d},"
		"\"content\":[{\"type\":\"tool_use\",\"id\":\"t%d\","
		"\"name\":\"Write\",\"input\":{\"file_path\":\"/p/%s\","
		"\"content\":\"x\"}}]}}\n"
		"{\"sessionId\":\"%s\",\"cwd\":\"/p\",\"version\":\"2.1.0\","
		"\"timestamp\":\"2025-12-10T10:00:01.000Z\","
		"\"type\":\"user\","
		"\"uuid\":\"11111111-0000-4000-8000-00000000%04d\","
		"\"message\":{\"role\":\"user\",\"content\":[{"
		"\"type\":\"tool_result\",\"tool_use_id\":\"t%d\"}]},"
		"\"toolUseResult\":{\"type\":\"create\","
		"\"filePath\":\"/p/%s\",\"content\":\"x\","
		"\"structuredPatch\":[]}}\n",
		session, number, number, number * 7919 % 1000, id, file,
		session, number, id, file);
	world_write(w, session, line.ptr);
	ccfc_buf_release(&line);
}

static void write_read(struct world *w, int number)
{
	struct ccfc_buf line = CCFC_BUF_INIT;

	ccfc_buf_printf(&line,
			"{\"sessionId\":\"" SESSION "\",\"cwd\":\"/p\","
			"\"version\":\"2.1.0\","
			"\"timestamp\":\"2025-12-10T09:00:00.000Z\","
			"\"type\":\"assistant\","
			"\"uuid\":\"22222222-0000-4000-8000-00000000%04d\","
			"\"message\":{\"id\":\"n%d\",\"role\":\"assistant\","
			"\"model\":\"opus\",\"usage\":{\"input_tokens\":1},"
			"\"content\":[{\"type\":\"tool_use\",\"id\":\"r%d\","
			"\"name\":\"Read\","
			"\"input\":{\"file_path\":\"/p/many\"}}]}}\n",
			number, number, number);
	world_write(w, SESSION, line.ptr);
	ccfc_buf_release(&line);
}

static void *made(int later)
{
	struct world *w = world_new();

	w->service.state_dir = w->dir;
	for (int i = 0; i < READS; i++)
		write_read(w, i);
	for (int i = 0; i < CHANGES; i++)
		write_change(w, SESSION, i);
	for (int i = 0; i < later; i++)
		write_change(w, LATER, CHANGES + i);
	return w;
}

static int setup(void **state)
{
	struct world *w = made(0);

	w->service.somebody_waits = always;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	world_free(*state);
	return 0;
}

static uint32_t count(struct world *w)
{
	uint32_t running, waiting;

	ccfc_slices_count(w->methods, &running, &waiting);
	return running + waiting;
}

/*
 * The core takes the request in, and what workers did for it; nothing more is
 * done.
 */
static void begin_request(struct world *w, const char *method,
			  const char *options)
{
	uint32_t before = count(w);

	world_ask(w, method, options);
	while (count(w) == before) {
		struct pollfd fds[] = {
			{ .fd = ccfc_server_fd(w->service.server),
			  .events = POLLIN },
			{ .fd = ccfc_worker_fd(w->service.worker),
			  .events = POLLIN },
		};

		assert_true(poll(fds, 2, PEER_TIMEOUT_S * 1000) > 0);
		if (fds[0].revents)
			ccfc_server_dispatch(w->service.server);
		if (fds[1].revents)
			ccfc_worker_dispatch(w->service.worker);
	}
}

static void begin_dump(struct world *w)
{
	begin_request(w, "index.dump", NULL);
}

/* The dump of another world, made in one go, is the same. */
static void check_dump(struct world *w, int later)
{
	struct world *other = made(later);

	assert_false(w->reply.failed);
	assert_true(ccfc_obj_len(w->reply.result) > 2 * (uint32_t)CHANGES);
	world_get(other, "index.dump", NULL);
	assert_int_equal(ccfc_obj_len(other->reply.result),
			 ccfc_obj_len(w->reply.result));
	assert_int_equal(other->got.len, w->got.len);
	/* From its end on, as ids of requests differ. */
	assert_memory_equal(other->got.ptr + 8, w->got.ptr + 8, w->got.len - 8);
	world_free(other);
}

static void test_others_are_answered(void **state)
{
	struct world *w = *state;
	int asker = w->fd;

	begin_dump(w);
	for (int i = 0; i < 3; i++) {
		ccfc_methods_work(w->methods);
		assert_true(ccfc_methods_has_work(w->methods));
	}
	/* Another one comes and is answered, before any more is done. */
	w->fd = peer_connect(w->path);
	world_ask(w, "file.sessions", "path=/p/f1");
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = w->fd, .events = POLLIN },
			{ .fd = ccfc_server_fd(w->service.server),
			  .events = POLLIN },
		};

		assert_true(poll(fds, 2, PEER_TIMEOUT_S * 1000) > 0);
		if (fds[0].revents)
			break;
		ccfc_server_dispatch(w->service.server);
	}
	assert_true(ccfc_methods_has_work(w->methods));
	world_next(w);
	assert_false(w->reply.failed);
	close(w->fd);
	w->fd = asker;
	world_next(w);
	check_dump(w, 0);
}

static void test_starts_over(void **state)
{
	struct world *w = *state;

	begin_dump(w);
	for (int i = 0; i < 5; i++)
		ccfc_methods_work(w->methods);
	write_change(w, LATER, CHANGES);
	world_next(w);
	check_dump(w, 1);
}

/* However often something is written, it ends. */
static void test_always_ends(void **state)
{
	struct world *w = *state;
	int later = 0;

	begin_dump(w);
	while (ccfc_methods_has_work(w->methods)) {
		write_change(w, LATER, CHANGES + later++);
		ccfc_methods_work(w->methods);
		assert_true(later < 20);
	}
	assert_true(later > 1);
	world_next(w);
	check_dump(w, later);
}

static void test_gone(void **state)
{
	struct world *w = *state;

	begin_dump(w);
	ccfc_methods_work(w->methods);
	ccfc_methods_closed(w->methods, w->conn);
	assert_false(ccfc_methods_has_work(w->methods));
}

static void test_left_at_the_end(void **state)
{
	struct world *w = *state;

	begin_dump(w);
	ccfc_methods_work(w->methods);
	assert_true(ccfc_methods_has_work(w->methods));
}

static void test_one_of_a_connection(void **state)
{
	struct world *w = *state;
	uint32_t running, waiting;

	begin_dump(w);
	begin_dump(w);
	ccfc_slices_count(w->methods, &running, &waiting);
	assert_int_equal(running, 1);
	assert_int_equal(waiting, 1);
	for (int i = 0; i < 2; i++) {
		world_next(w);
		check_dump(w, 0);
	}
	assert_int_equal(count(w), 0);
}

/* What a peer that does not read has asked for is not begun. */
static void test_held(void **state)
{
	struct world *w = *state;
	uint32_t running, waiting;

	begin_dump(w);
	begin_dump(w);
	ccfc_methods_full(w->methods, w->conn);
	while (ccfc_methods_has_work(w->methods))
		ccfc_methods_work(w->methods);
	ccfc_slices_count(w->methods, &running, &waiting);
	assert_int_equal(running, 0);
	assert_int_equal(waiting, 1);
	ccfc_methods_drained(w->methods, w->conn);
	assert_true(ccfc_methods_has_work(w->methods));
	world_next(w);
	world_next(w);
	check_dump(w, 0);
}

/* --- the other methods --- */

static const struct {
	const char *method, *options;
	int slices; /* at least so many, by the rows that a step takes */
} sliced[] = {
	{ "stats.get", NULL, 20 },
	{ "stats.get", "by=file;limit:1000", 20 },
	{ "stats.get", "by=ext", 20 },
	{ "session.list", NULL, 15 },
	{ "session.list", "sort=tokens;touched=/p/**", 15 },
	{ "session.get", "session=" SESSION ";limit:1", 20 },
	{ "session.reads", "session=" SESSION, 4 },
	{ "file.readers", "path=/p/many", 7 },
	{ "events.since", "clock=1:0", 9 },
	{ "file.match", "pattern=/**;limit:1000", 50 },
	{ "file.match", "pattern=/**;includeChanges:false", 50 },
	{ "file.sessions", "path=/p/many;limit:1000", 20 },
	{ "session.files", "session=" SESSION ";limit:1000", 20 },
};
#define SLICED (sizeof(sliced) / sizeof(*sliced))

/* No turn does all of it, and the answer is the same as in one go. */
static void test_in_slices(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < SLICED; i++) {
		struct ccfc_buf whole = CCFC_BUF_INIT;
		int slices = 1;

		w->service.somebody_waits = NULL;
		/* What is read of a transcript once is kept, and not counted
		 * in later answers. */
		world_get(w, sliced[i].method, sliced[i].options);
		world_get(w, sliced[i].method, sliced[i].options);
		assert_false(w->reply.failed);
		ccfc_buf_append(&whole, w->got.ptr, w->got.len);
		w->service.somebody_waits = always;
		begin_request(w, sliced[i].method, sliced[i].options);
		for (; ccfc_methods_has_work(w->methods); slices++)
			ccfc_methods_work(w->methods);
		assert_in_range(slices, sliced[i].slices, 1000);
		world_next(w);
		assert_int_equal(whole.len, w->got.len);
		assert_memory_equal(whole.ptr + 8, w->got.ptr + 8,
				    whole.len - 8);
		ccfc_buf_release(&whole);
	}
}

/* Also when something is written all the time, and no turn does the rest. */
static void test_goes_on(void **state)
{
	struct world *w = *state;
	int later = 0;

	for (size_t i = 0; i < SLICED; i++) {
		int slices = 1;

		begin_request(w, sliced[i].method, sliced[i].options);
		for (; ccfc_methods_has_work(w->methods); slices++) {
			write_change(w, LATER, CHANGES + later++);
			ccfc_methods_work(w->methods);
		}
		/* Three starts were given up after one step each. */
		assert_in_range(slices, sliced[i].slices + 3, 1000);
		world_next(w);
		assert_false(w->reply.failed);
	}
}

/* Nobody waits for the answer any more. */
static void test_all_gone(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < SLICED; i++) {
		begin_request(w, sliced[i].method, sliced[i].options);
		ccfc_methods_work(w->methods);
		ccfc_methods_closed(w->methods, w->conn);
		assert_false(ccfc_methods_has_work(w->methods));
		ccfc_server_owe(w->service.server, w->conn, false);
	}
}

/* --- events.subscribe with `since` --- */

/* The sequence number of an event's clock. */
static unsigned long seq_of(struct ccfc_obj event)
{
	struct ccfc_slice clock = ccfc_obj_get_str(event, "clock");
	const char *colon = memchr(clock.ptr, ':', clock.len);

	assert_non_null(colon);
	return strtoul(colon + 1, NULL, 10);
}

/* The event comes after `last`; 1 if it is of a change. */
static unsigned take_event(struct ccfc_obj event, unsigned long *last)
{
	assert_true(seq_of(event) > *last);
	*last = seq_of(event);
	return ccfc_slice_is(ccfc_obj_get_str(event, "type"), "change");
}

/*
 * The answer and the notifications that follow have each change once, in their
 * order, up to the last event of the index.
 */
static void check_followed(struct world *w, int changes)
{
	unsigned long last = 0, end = w->service.index->seq;
	struct ccfc_obj events;
	unsigned seen = 0;

	world_next(w);
	assert_int_equal(w->reply.type, CCFC_MSG_RESPONSE);
	assert_false(w->reply.failed);
	CHECK(w->reply.result, { "fresh", "false" }, { "subscription", "1" });
	events = ccfc_obj_get(w->reply.result, "events");
	for (uint32_t i = 0; i < ccfc_obj_len(events); i++)
		seen += take_event(ccfc_obj_at(events, i), &last);
	assert_in_range(seen, CHANGES, changes - 1);
	assert_true(seq_of(w->reply.result) >= last);
	while (last < end) {
		world_next(w);
		assert_int_equal(w->reply.type, CCFC_MSG_NOTIFICATION);
		seen += take_event(ccfc_obj_at(w->reply.params, 0), &last);
	}
	assert_int_equal(seen, changes);
	world_get(w, "server.info", NULL); /* and none besides */
}

static void test_follows(void **state)
{
	struct world *w = *state;
	int slices = 1;

	begin_request(w, "events.subscribe", "since=1:0");
	for (; ccfc_methods_has_work(w->methods); slices++) {
		assert_int_equal(ccfc_methods_subscribers(w->methods), 0);
		ccfc_methods_work(w->methods);
	}
	assert_in_range(slices, 9, 1000);
	assert_int_equal(ccfc_methods_subscribers(w->methods), 1);
	for (int i = 0; i < 3; i++)
		write_change(w, LATER, CHANGES + i);
	check_followed(w, CHANGES + 3);
}

/* Also when something is written in each turn. */
static void test_follows_writes(void **state)
{
	struct world *w = *state;
	int later = 0;

	begin_request(w, "events.subscribe", "since=1:0");
	while (ccfc_methods_has_work(w->methods)) {
		write_change(w, LATER, CHANGES + later++);
		ccfc_methods_work(w->methods);
	}
	assert_in_range(later, 9, 1000);
	write_change(w, LATER, CHANGES + later);
	check_followed(w, CHANGES + later + 1);
}

/* A new epoch meanwhile: what was read does not count any more. */
static void test_follows_rebuild(void **state)
{
	struct world *w = *state;

	begin_request(w, "events.subscribe", "since=1:0");
	for (int i = 0; ccfc_methods_has_work(w->methods); i++) {
		/* The last start goes on with a changing index. */
		if (i < 4)
			write_change(w, LATER, CHANGES + i);
		if (i == 6)
			ccfc_index_new_epoch(w->service.index);
		ccfc_methods_work(w->methods);
	}
	world_next(w);
	CHECK(w->reply.result, { "fresh", "true" }, { "events", "[0]" });
	write_change(w, LATER, CHANGES + 4);
	world_next(w);
	assert_int_equal(w->reply.type, CCFC_MSG_NOTIFICATION);
}

/* Nobody waits for the answer any more: nobody is subscribed. */
static void test_follower_gone(void **state)
{
	struct world *w = *state;

	begin_request(w, "events.subscribe", "since=1:0");
	ccfc_methods_work(w->methods);
	ccfc_methods_closed(w->methods, w->conn);
	assert_false(ccfc_methods_has_work(w->methods));
	assert_int_equal(ccfc_methods_subscribers(w->methods), 0);
	ccfc_server_owe(w->service.server, w->conn, false);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_others_are_answered),
		TEST(test_starts_over),
		TEST(test_always_ends),
		TEST(test_gone),
		TEST(test_left_at_the_end),
		TEST(test_one_of_a_connection),
		TEST(test_held),
		TEST(test_in_slices),
		TEST(test_goes_on),
		TEST(test_all_gone),
		TEST(test_follows),
		TEST(test_follows_writes),
		TEST(test_follows_rebuild),
		TEST(test_follower_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
