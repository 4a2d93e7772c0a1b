/* Subscriptions, events.since, and subscribers that fall behind. */
#include "story.h"

static void next_event(struct world *w)
{
	world_next(w);
	assert_int_equal(w->reply.type, CCFC_MSG_NOTIFICATION);
}

static char *clock_of(struct ccfc_obj o)
{
	struct ccfc_slice s = ccfc_obj_get_str(o, "clock");

	assert_true(s.len > 0);
	return strndup(s.ptr, s.len);
}

static const char more_b[] =
	B("20") CALL("31", "t20", "Edit",
		     "{`file_path`:`/p/src/a.ts`,`old_string`:`q`,"
		     "`new_string`:`r`}") B("21")
		RESULT("t20", "{`filePath`:`/p/src/a.ts`,`oldString`:`q`,"
			      "`newString`:`r`,`originalFile`:`q`,"
			      "`structuredPatch`:[]}");

static void test_subscribe(void **state)
{
	struct world *w = *state;
	char *clock = clock_of(world_get(w, "events.subscribe", NULL));
	char *later;

	CHECK(w->reply.result, { "subscription", "1" }, { "fresh", "(none)" },
	      { "events", "(none)" });
	story_tell(w, SESSION_B, more_b);
	next_event(w);
	assert_true(ccfc_slice_is(w->reply.method, "event"));
	assert_int_equal(ccfc_obj_len(w->reply.params), 1);
	CHECK(w->reply.params, { "0/type", "change" },
	      { "0/subscription", "1" }, { "0/path", "/p/src/a.ts" },
	      { "0/projectPath", "/p" }, { "0/gitBranch", "dev" },
	      { "0/changeId", "t20" }, { "0/state", "applied" },
	      { "0/sessionId", SESSION_B }, { "0/source", "present" },
	      { "0/previousSessionId", "(none)" });
	later = clock_of(ccfc_obj_at(w->reply.params, 0));
	assert_string_not_equal(clock, later);
	free(later);
	free(clock);
	world_get(w, "events.unsubscribe", "subscription:1");
	story_tell(w, SESSION_C,
		   C("09") CALL("41", "t30", "Write",
				"{`file_path`:`/q/z`,`content`:``}") C("10")
			   RESULT("t30", "{`type`:`create`,`filePath`:`/q/z`,"
					 "`content`:``}"));
	CHECK(world_get(w, "server.info", NULL), { "subscribers", "0" });
}

static void test_filters(void **state)
{
	static const struct {
		const char *options;
		bool wanted;
	} cases[] = {
		{ "", true },
		{ "path=/p/src/a.ts", true },
		{ "path=src/a.ts;cwd=/p", true },
		{ "path=/p", true },
		{ "path=/p/src/b.ts", false },
		{ "path=/p/sr", false },
		{ "path=/p/**/*.ts", true },
		{ "path=/p/*.ts", false },
		{ "projectPath=/p", true },
		{ "projectPath=/q", false },
		{ "session=" SESSION_B, true },
		{ "session=" SESSION_C, false },
		{ "states[failed", false },
		{ "states[applied", true },
	};
	struct world *w = *state;
	size_t n = sizeof(cases) / sizeof(*cases);

	for (size_t i = 0; i < n; i++)
		world_get(w, "events.subscribe", cases[i].options);
	story_tell(w, SESSION_B, more_b);
	for (size_t i = 0; i < n; i++) {
		if (!cases[i].wanted)
			continue;
		next_event(w);
		assert_int_equal(
			ccfc_obj_get_int(ccfc_obj_at(w->reply.params, 0),
					 "subscription", 0),
			i + 1);
	}
	world_get(w, "index.stats", NULL); /* and none besides */
}

/* args: "code", and a list of values behind it if `list`. */
static void subscribe_notify(struct world *w, const char *method, bool list)
{
	struct ccfc_buf b = CCFC_BUF_INIT;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &b);
	ccfc_rpc_request_begin(&p, 5, "events.subscribe");
	ccfc_pack_map(&p);
	ccfc_pack_cstr(&p, "notify");
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "method", method);
	ccfc_pack_cstr(&p, "args");
	ccfc_pack_array(&p);
	ccfc_pack_cstr(&p, "code");
	if (list) {
		ccfc_pack_array(&p);
		ccfc_pack_int(&p, -5);
		ccfc_pack_bool(&p, true);
		ccfc_pack_nil(&p);
		ccfc_pack_map(&p);
		ccfc_pack_kv_uint(&p, "k", UINT64_MAX);
		ccfc_pack_end(&p);
		ccfc_pack_end(&p);
	}
	ccfc_pack_end(&p);
	ccfc_pack_end(&p);
	ccfc_pack_end(&p);
	ccfc_rpc_request_end(&p);
	peer_write(w->fd, ccfc_buf_view(&b));
	ccfc_buf_release(&b);
	world_next(w);
	assert_false(w->reply.failed);
}

/* The event behind the arguments, or in the list that is the last of them. */
static void test_notify(void **state)
{
	struct world *w = *state;

	subscribe_notify(w, "on_change", false);
	subscribe_notify(w, "nvim_exec_lua", false);
	subscribe_notify(w, "on_change", true);
	story_tell(w, SESSION_B, more_b);
	next_event(w);
	assert_true(ccfc_slice_is(w->reply.method, "on_change"));
	CHECK(w->reply.params, { "0", "code" }, { "1/type", "change" },
	      { "1/changeId", "t20" }, { "2", "(none)" });
	next_event(w);
	assert_true(ccfc_slice_is(w->reply.method, "nvim_exec_lua"));
	CHECK(w->reply.params, { "0", "code" }, { "1", "[1]" },
	      { "1/0/changeId", "t20" }, { "2", "(none)" });
	next_event(w);
	CHECK(w->reply.params, { "0", "code" }, { "1", "[5]" }, { "1/0", "-5" },
	      { "1/1", "true" }, { "1/2", "nil" }, { "1/4/changeId", "t20" },
	      { "2", "(none)" });
	assert_true(ccfc_obj_uint(at(w->reply.params, "1/3/k"), 0) ==
		    UINT64_MAX);
}

static void test_since(void **state)
{
	struct world *w = *state;
	char *clock = clock_of(world_get(w, "index.stats", NULL));
	char options[100];

	story_tell(w, SESSION_B, more_b);
	snprintf(options, sizeof(options), "clock=%s", clock);
	CHECK(world_get(w, "events.since", options), { "fresh", "false" },
	      { "events", "[1]" }, { "events/0/changeId", "t20" },
	      { "events/0/subscription", "nil" },
	      { "events/0/type", "change" });
	snprintf(options, sizeof(options), "since=%s;path=/p", clock);
	CHECK(world_get(w, "events.subscribe", options), { "fresh", "false" },
	      { "subscription", "1" }, { "events", "[1]" },
	      { "events/0/subscription", "1" });
	CHECK(world_get(w, "events.since", "clock=1:99999"),
	      { "fresh", "true" }, { "events", "[0]" });
	CHECK(world_get(w, "events.since", "clock=2:0"), { "fresh", "true" },
	      { "events", "[0]" });
	free(clock);
}

/* Page by page, each from the clock of the last, all events come once. */
static void test_since_pages(void **state)
{
	struct world *w = *state;
	char clock[64] = "1:0", options[100];
	unsigned seen = 0;

	for (int page = 0; page < 20; page++) {
		struct ccfc_obj o;
		uint32_t n;

		snprintf(options, sizeof(options),
			 "clock=%s;limit:3;states[all", clock);
		o = world_get(w, "events.since", options);
		n = ccfc_obj_len(ccfc_obj_get(o, "events"));
		assert_in_range(n, 0, 3);
		seen += n;
		snprintf(clock, sizeof(clock), "%.*s",
			 (int)ccfc_obj_get_str(o, "clock").len,
			 ccfc_obj_get_str(o, "clock").ptr);
		if (!n)
			break;
	}
	assert_int_equal(seen, 8);
}

static void test_too_many(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < 64; i++)
		world_get(w, "events.subscribe", NULL);
	world_call(w, "events.subscribe", NULL);
	assert_int_equal(w->reply.error.code, CCFC_ETOOBIG);
	CHECK(world_get(w, "server.info", NULL), { "subscribers", "64" });
	/* Another's subscription is not ours to end. */
	close(w->fd);
	w->fd = peer_connect(w->path);
	world_call(w, "events.unsubscribe", "subscription:1");
	assert_int_equal(w->reply.error.code, CCFC_ENOTFOUND);
	while (ccfc_methods_subscribers(w->methods))
		world_run(w, 10);
}

/* Many connections do not get more than a few of them would. */
static void test_too_many_in_all(void **state)
{
	enum { CONNS = 16, EACH = 64 };
	struct world *w = *state;
	int fds[CONNS], own = w->fd;

	for (int i = 0; i < CONNS; i++) {
		w->fd = fds[i] = peer_connect(w->path);
		for (int k = 0; k < EACH; k++)
			world_get(w, "events.subscribe", NULL);
	}
	w->fd = own;
	world_call(w, "events.subscribe", NULL);
	assert_int_equal(w->reply.error.code, CCFC_ETOOBIG);
	for (int i = 0; i < CONNS; i++)
		close(fds[i]);
	while (ccfc_methods_subscribers(w->methods))
		world_run(w, 10);
	world_get(w, "events.subscribe", NULL);
}

/*
 * A subscriber that does not read gets at most 4 MiB, then one resync; from
 * its last clock it finds all that it missed.
 */
static void test_behind(void **state)
{
	enum { N = 20000 };
	struct world *w = *state;
	struct ccfc_buf text = CCFC_BUF_INIT;
	char clock[64] = "", options[100];
	unsigned events = 0;
	struct ccfc_obj o;

	world_get(w, "events.subscribe", NULL);
	for (int i = 0; i < N; i++) {
		ccfc_buf_printf(&text,
				B("30") CALL("51", "x%d", "Write",
					     "{`file_path`:`/p/f%d`,"
					     "`content`:`c`}") B("31")
					RESULT("x%d", "{`type`:`create`,"
						      "`filePath`:`/p/f%d`,"
						      "`content`:`c`}"),
				i, i, i, i, i);
		if (i % 1000 == 999) {
			story_tell(w, SESSION_B, text.ptr);
			ccfc_buf_clear(&text);
		}
	}
	ccfc_buf_release(&text);
	for (;;) {
		next_event(w);
		o = ccfc_obj_at(w->reply.params, 0);
		if (ccfc_slice_is(ccfc_obj_get_str(o, "type"), "resync"))
			break;
		events++;
		snprintf(clock, sizeof(clock), "%.*s",
			 (int)ccfc_obj_get_str(o, "clock").len,
			 ccfc_obj_get_str(o, "clock").ptr);
	}
	CHECK(o, { "subscription", "1" });
	assert_in_range(events, 1000, N - 1);
	snprintf(options, sizeof(options), "clock=%s", clock);
	o = world_get(w, "events.since", options);
	assert_int_equal(ccfc_obj_len(ccfc_obj_get(o, "events")), N - events);
	story_tell(w, SESSION_B, more_b); /* and it goes on */
	next_event(w);
	CHECK(w->reply.params, { "0/changeId", "t20" });
}

#define T(name)                                                                \
	cmocka_unit_test_setup_teardown(name, story_setup, story_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_subscribe),	 T(test_filters),     T(test_notify),
		T(test_since),		 T(test_since_pages), T(test_too_many),
		T(test_too_many_in_all), T(test_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
