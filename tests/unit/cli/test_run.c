/* Whole runs of the command against a daemon that follows a script. */
#include "fake.h"
#include "golden.h"

/* ---- list and search ---- */

static bool check_list_params(struct ccfc_obj params)
{
	struct ccfc_obj exts = ccfc_obj_get(params, "extensions");
	struct ccfc_obj states = ccfc_obj_get(params, "states");

	return ccfc_slice_is(ccfc_obj_get_str(params, "session"), "abc") &&
	       ccfc_obj_len(exts) == 2 &&
	       ccfc_slice_is(ccfc_obj_str(ccfc_obj_at(exts, 1)), ".tsx") &&
	       ccfc_slice_is(ccfc_obj_str(ccfc_obj_at(states, 0)), "all") &&
	       !ccfc_obj_get_bool(params, "includeContent", false);
}

static void test_list(void **state)
{
	static const struct fake_step steps[] = {
		{ "session.files", check_list_params, golden_pack_summary, 0,
		  NULL, false },
		{ 0 },
	};
	struct fake_result r;

	(void)state;
	fake_check(ARGV("files", "list", "abc", "--ext=ts,.tsx", "--state",
			"all", "--format=paths"),
		   steps, 0,
		   "/home/user/my-project/src/auth/login.ts\n"
		   "/home/user/my-project/src/auth/logout.ts\n"
		   "/home/user/my-project/src/models/user.ts\n"
		   "/home/user/my-project/tests/auth.test.ts\n"
		   "/home/user/my-project/README.md\n",
		   "");
	fake_run(&r,
		 ARGV("--color=never", "list", "--ext=ts,tsx", "abc",
		      "--state=all", "-0"),
		 steps);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.out.ptr[r.out.len - 1], '\0');
	assert_null(memchr(r.out.ptr, '\n', r.out.len));
	fake_release(&r);
}

static void pack_empty_summary(struct ccfc_pack *p)
{
	golden_pack_head(p, 0, 0);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "indexing");
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "running", true);
	ccfc_pack_kv_int(p, "filesDone", 12);
	ccfc_pack_kv_int(p, "filesTotal", 340);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static bool check_absolute(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "session"), "/x/b.jsonl");
}

static void test_nothing(void **state)
{
	static const struct fake_step empty[] = {
		{ "session.files", check_absolute, pack_empty_summary, 0, NULL,
		  false },
		{ 0 },
	};
	static const struct fake_step unknown[] = {
		{ "session.files", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ 0 },
	};
	static const struct fake_step ambiguous[] = {
		{ "session.files", NULL, NULL, CCFC_EAMBIGUOUS, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("list", "/x/a/../b.jsonl"), empty, 1, "",
		   "ccfc: note: still indexing (12 of 340 transcripts); the "
		   "answer may be incomplete\n"
		   "ccfc: list: nothing found: session abc123-def456 has no "
		   "such changes\n");
	fake_check(ARGV("list", "a"), unknown, 1, "",
		   "ccfc: what: why\nhint: try^[this\n");
	fake_check(ARGV("list", "a"), ambiguous, 2, "",
		   "ccfc: what: why\nhint: try^[this\n");
	fake_check(ARGV("list", "a"), NULL, 3, "", NULL);
}

static bool check_literal(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "path"),
			     "/no/such/[id].tsx") &&
	       ccfc_slice_is(ccfc_obj_get_str(params, "fromDate"),
			     "2025-01-01T00:00:00.000Z") &&
	       ccfc_slice_is(ccfc_obj_get_str(params, "toDate"),
			     "2025-12-31T23:59:59.999Z") &&
	       ccfc_obj_get_int(params, "limit", 0) == 7;
}

static bool check_pattern(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "pattern"),
			     "/no/such/[id].tsx") &&
	       ccfc_obj_type(ccfc_obj_get(params, "alternatives")) ==
		       CCFC_OBJ_NONE;
}

static void pack_histories(struct ccfc_pack *p)
{
	ccfc_pack_array(p);
	golden_pack_history(p);
	golden_pack_history(p);
	ccfc_pack_end(p);
}

/* A name that looks like a glob is asked for as a name first. */
static void test_search(void **state)
{
	static const struct fake_step glob[] = {
		{ "file.sessions", check_literal, NULL, CCFC_ENOTFOUND, NULL,
		  false },
		{ "file.match", check_pattern, pack_histories, 0, NULL, false },
		{ 0 },
	};
	static const struct fake_step literal[] = {
		{ "file.sessions", NULL, golden_pack_history, 0, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("search", "/no/such/[id].tsx", "--from=2025-01-01",
			"--to=2025-12-31", "--limit=7", "--format=paths"),
		   glob, 0,
		   "/home/user/my-project/src/auth/login.ts\n"
		   "/home/user/my-project/src/auth/login.ts\n",
		   "");
	fake_check(ARGV("search", "/no/such/[id].tsx", "--format=jsonl"),
		   literal, 0,
		   "{\"path\":\"/home/user/my-project/src/auth/login.ts\","
		   "\"sessionId\":\"abc123-def456\","
		   "\"projectPath\":\"/home/user/my-project\","
		   "\"gitBranch\":\"feature/auth\",\"changeCount\":4,"
		   "\"lastChange\":\"2025-12-10T12:30:00.000Z\"}\n"
		   "{\"path\":\"/home/user/my-project/src/auth/login.ts\","
		   "\"sessionId\":\"xyz789-uvw012\","
		   "\"projectPath\":\"/home/user/my-project\","
		   "\"gitBranch\":\"main\",\"changeCount\":2,"
		   "\"lastChange\":\"2025-12-08T15:22:59.999Z\"}\n"
		   "{\"path\":\"/home/user/my-project/src/auth/login.ts\","
		   "\"sessionId\":\"mno345-pqr678\","
		   "\"projectPath\":\"/home/user/my-project\","
		   "\"gitBranch\":\"fix/login-bug\",\"changeCount\":1,"
		   "\"lastChange\":\"2025-12-05T09:15:00.000Z\"}\n",
		   "");
}

/* The command line is judged before any daemon is looked for. */
static void test_usage(void **state)
{
	static const struct {
		const char *argv[6];
		const char *err;
	} rows[] = {
		{ { "lsit" },
		  "ccfc: unknown command 'lsit'\n"
		  "hint: did you mean 'ccfc list'?\n" },
		{ { "--colour=never", "list" },
		  "ccfc: unknown option '--colour'\n"
		  "hint: did you mean '--color'?\n" },
		{ { "blame" },
		  "ccfc: blame: FILE is missing\n"
		  "hint: usage: ccfc blame FILE [-L N,M] [--at=WHEN] "
		  "[options]\n" },
		{ { "undo" },
		  "ccfc: unknown command 'undo'\n"
		  "hint: ccfc revert SESSION undoes a session, ccfc restore "
		  "--undo the last restore or revert\n" },
		{ { "restroe" },
		  "ccfc: unknown command 'restroe'\n"
		  "hint: ccfc --help lists the commands\n" },
		{ { "list", "a", "b\033" },
		  "ccfc: list: one argument too many: 'b^['\n"
		  "hint: usage: ccfc list [SESSION] [options]\n" },
		{ { "search", "a", "--format=diff" },
		  "ccfc: search: --format=diff: no such choice\n"
		  "hint: one of table, json, jsonl, paths\n" },
		{ { "list", "a", "--format=diff", "--state=all" },
		  "ccfc: list: --state: only changes that took effect have a "
		  "diff\n" },
		{ { "list", "a", "-0", "--format=json" },
		  "ccfc: list: -0: only with --format=paths\n" },
		{ { "list", "x", "--show-changes", "--format=paths" },
		  "ccfc: list: --show-changes: does not go with "
		  "--format=paths\n" },
		{ { "search", "" }, "ccfc: search: the path is empty\n" },
		{ { "search", "a", "--from=2025-12-11", "--to=2025-12-10" },
		  "ccfc: search: --from=2025-12-11: later than "
		  "--to=2025-12-10\n" },
		{ { "index" },
		  "ccfc: index: which of --build, --stats and --dump\n"
		  "hint: ccfc index --help\n" },
		{ { "index", "--stats", "--project=/x" },
		  "ccfc: index: --project: only with --build\n" },
		{ { "files" },
		  "ccfc: files: which command?\n"
		  "hint: files list, files search or files index\n" },
		{ { "files", "lst", "abc" },
		  "ccfc: files: unknown command 'lst'\n"
		  "hint: did you mean 'ccfc files list'?\n" },
		{ { "files", "watch" },
		  "ccfc: files: unknown command 'watch'\n"
		  "hint: files list, files search or files index\n" },
		{ { "watch", "--since=yesterday" },
		  "ccfc: watch: --since=yesterday: not a clock\n"
		  "hint: use the clock of an event\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		fake_check(rows[i].argv, NULL, 2, "", rows[i].err);
}

/* ---- watch ---- */

static void pack_event(struct ccfc_pack *p, const char *clock, const char *id,
		       const char *state)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "type", "change");
	ccfc_pack_kv_cstr(p, "clock", clock);
	ccfc_pack_kv_cstr(p, "path", "/p/src/main.c");
	ccfc_pack_kv_cstr(p, "projectPath", "/p");
	ccfc_pack_kv_cstr(p, "changeId", id);
	ccfc_pack_kv_cstr(p, "tool", "Edit");
	ccfc_pack_kv_cstr(p, "state", state);
	ccfc_pack_kv_cstr(p, "timestamp", "2025-12-10T12:30:01.000Z");
	ccfc_pack_kv_cstr(p, "sessionId", id);
	if (!strcmp(state, "applied")) {
		ccfc_pack_kv_int(p, "linesAdded", 3);
		ccfc_pack_kv_int(p, "linesRemoved", 1);
	} else {
		ccfc_pack_kv_cstr(p, "agentId", "x");
	}
	ccfc_pack_end(p);
}

static void push_event(struct ccfc_pack *p, const char *clock, const char *id)
{
	ccfc_rpc_notify_begin(p, CCFC_N_EVENT);
	pack_event(p, clock, id, "applied");
	ccfc_rpc_notify_end(p);
}

static void push_resync(struct ccfc_pack *p)
{
	push_event(p, "1:11", "a");
	push_event(p, "1:12", "b1");
	ccfc_rpc_notify_begin(p, CCFC_N_EVENT);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "type", "resync");
	ccfc_pack_kv_cstr(p, "clock", "1:20");
	ccfc_pack_end(p);
	ccfc_rpc_notify_end(p);
}

static void pack_subscribed(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "subscription", 1);
	ccfc_pack_kv_cstr(p, "clock", "1:10");
	ccfc_pack_end(p);
}

/* 12 was pushed already; what came after it is new. */
static void pack_since(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "clock", "1:15");
	ccfc_pack_kv_bool(p, "fresh", false);
	ccfc_pack_cstr(p, "events");
	ccfc_pack_array(p);
	pack_event(p, "1:12", "b1", "applied");
	pack_event(p, "1:13", "b2", "failed");
	pack_event(p, "1:14", "c", "applied");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static bool check_since(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "clock"), "1:12");
}

static void push_more(struct ccfc_pack *p)
{
	push_event(p, "1:14", "c");
	push_event(p, "1:15", "late");
	push_event(p, "1:16", "d");
}

#define LINE(id) "12:30:01  applied  Edit  src/main.c  +3 -1  " id "\n"

/* Every event once, whatever way it came; then the daemon goes. */
static void test_watch(void **state)
{
	static const struct fake_step steps[] = {
		{ "events.subscribe", NULL, pack_subscribed, 0, push_resync,
		  false },
		{ "events.since", check_since, pack_since, 0, push_more, true },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("watch"), steps, 3,
		   "watching, clock 1:10\n" LINE("a")
			   LINE("b1") "12:30:01  failed  Edit  src/main.c  -  "
				      "b2 (agent x)\n" LINE("c") LINE("d"),
		   NULL);
}

static void pack_fresh(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "clock", "1:10");
	ccfc_pack_kv_bool(p, "fresh", true);
	ccfc_pack_end(p);
}

static bool check_old_clock(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "clock"), "0:7") &&
	       ccfc_slice_is(ccfc_obj_get_str(params, "path"), "src/**");
}

static void test_watch_since(void **state)
{
	static const struct fake_step steps[] = {
		{ "events.subscribe", NULL, pack_subscribed, 0, NULL, false },
		{ "events.since", check_old_clock, pack_fresh, 0, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(
		ARGV("watch", "--since=0:7", "--path=src/**", "--format=jsonl"),
		steps, 3,
		"{\"type\":\"hello\",\"clock\":\"1:10\"}\n"
		"{\"type\":\"fresh\",\"clock\":\"1:10\"}\n",
		NULL);
}

/* ---- the daemon's life ---- */

static void pack_stats(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "pid", 42);
	ccfc_pack_kv_int(p, "totalSessions", 2);
	ccfc_pack_kv_int(p, "totalFiles", 3);
	ccfc_pack_kv_int(p, "totalChanges", 4);
	ccfc_pack_cstr(p, "changesByState");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "pending", 0);
	ccfc_pack_kv_int(p, "applied", 4);
	ccfc_pack_kv_int(p, "failed", 1);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "sources");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "present", 5);
	ccfc_pack_kv_int(p, "gone", 1);
	ccfc_pack_kv_int(p, "bytes", 2048);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "lines");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "read", 100);
	ccfc_pack_kv_int(p, "malformed", 2);
	ccfc_pack_kv_int(p, "unknown", 3);
	ccfc_pack_kv_int(p, "damaged", 5);
	ccfc_pack_kv_int(p, "tooLong", 1);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "unknownTypes");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "new\n", 3);
	ccfc_pack_end(p);
	ccfc_pack_kv_int(p, "indexSize", 4096);
	ccfc_pack_kv_int(p, "textBytes", 2048);
	ccfc_pack_kv_cstr(p, "lastIndexed", "2025-12-10T12:30:01.000Z");
	ccfc_pack_kv_cstr(p, "clock", "1:4");
	ccfc_pack_end(p);
}

static void push_progress(struct ccfc_pack *p)
{
	ccfc_rpc_notify_begin(p, CCFC_N_PROGRESS);
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "filesDone", 1);
	ccfc_pack_end(p);
	ccfc_rpc_notify_end(p);
}

static void test_index(void **state)
{
	static const struct fake_step build[] = {
		{ "index.build", NULL, pack_stats, 0, push_progress, true },
		{ 0 },
	};
	static const struct fake_step dump[] = {
		{ "index.dump", NULL, pack_histories, 0, NULL, false },
		{ 0 },
	};
	struct fake_result r;

	(void)state;
	fake_check(ARGV("index", "--build"), build, 0,
		   "Sessions:      2\n"
		   "Files:         3\n"
		   "Changes:       4 applied, 1 failed\n"
		   "Transcripts:   5 present (2.0 KiB), 1 gone\n"
		   "Lines:         100 read, 2 malformed, 3 of unknown type, "
		   "5 not UTF-8, 1 too long, 0 blank\n"
		   "Unknown types: new^J (3)\n"
		   "Index size:    4.0 KiB\n"
		   "Texts:         2.0 KiB\n"
		   "Last indexed:  2025-12-10 12:30:01\n"
		   "Clock:         1:4\n",
		   "");
	fake_run(&r, ARGV("index", "--dump"), dump);
	assert_int_equal(r.status, 0);
	assert_memory_equal(r.out.ptr, "{\"path\":", 8);
	assert_ptr_equal(strchr(strchr(r.out.ptr, '\n') + 1, '\n') + 1,
			 r.out.ptr + r.out.len);
	fake_release(&r);
}

static void pack_stopping(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "stopping", true);
	ccfc_pack_end(p);
}

static void test_daemon(void **state)
{
	static const struct fake_step stop[] = {
		{ "server.stop", NULL, pack_stopping, 0, NULL, false },
		{ 0 },
	};
	static const struct fake_step info[] = {
		{ "server.info", NULL, pack_stats, 0, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("stop"), stop, 0, "stopped\n", "");
	fake_check(ARGV("stop"), NULL, 1, "", "ccfc: stop: not running\n");
	fake_check(ARGV("start"), info, 0, "already running (pid 42)\n", "");
	fake_check(ARGV("status"), NULL, 3, "", NULL);
	fake_check(ARGV("status"), info, 0, NULL, "");
}

static int setup(void **state)
{
	unsetenv("NO_COLOR");
	setenv("CCFC_NO_SPAWN", "1", 1);
	return use_utc(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_watch_since),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_daemon),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
