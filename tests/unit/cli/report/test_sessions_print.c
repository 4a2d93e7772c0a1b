/* The tables of `sessions` and `search --reads`. */
#include "cli_test.h"

#include "base/time.h"
#include "cli/report/sessions_print.h"

static int64_t now(void)
{
	return ccfc_time_parse(ccfc_slice_str("2025-12-10T12:00:00.000Z"));
}

static void pack_session(struct ccfc_pack *p, const char *id, const char *title)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", id);
	if (title)
		ccfc_pack_kv_cstr(p, "title", title);
	ccfc_pack_kv_cstr(p, "projectPath", "/home/dev/demo");
	ccfc_pack_kv_cstr(p, "gitBranch", "main");
	ccfc_pack_kv_cstr(p, "endTime", "2025-12-10T11:00:00.000Z");
	ccfc_pack_kv_int(p, "durationSeconds", 3900);
	ccfc_pack_kv_int(p, "messageCount", 20);
	ccfc_pack_kv_int(p, "toolCount", 7);
	ccfc_pack_kv_int(p, "filesModifiedCount", 2);
	ccfc_pack_kv_int(p, "filesReadCount", 5);
	ccfc_pack_kv_int(p, "totalChanges", 3);
	ccfc_pack_cstr(p, "tokenUsage");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "input", 345);
	ccfc_pack_kv_int(p, "cacheRead", 12000);
	ccfc_pack_end(p);
	ccfc_pack_kv_cstr(p, "model", "claude-opus-4-5-20251101");
	ccfc_pack_kv_cstr(p, "status", "active");
	ccfc_pack_end(p);
}

static void pack_list(struct ccfc_pack *p, int total)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "totalSessions", total);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	pack_session(p, "01234567-a", "Fix the login of the app, please");
	pack_session(p, "11234567-b", "x\033]0;y");
	pack_session(p, "21234567-c", NULL);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void check(unsigned width, int total, int64_t offset, const char *want)
{
	struct ccfc_out out = memory_out(width);
	struct packed p;

	setenv("HOME", "/home/dev", 1);
	pack_list(packed_init(&p), total);
	ccfc_sessions_print(&out, packed_root(&p), offset, now());
	assert_string_equal(out.buf.ptr, want);
	ccfc_buf_release(&out.buf);
	packed_release(&p);
}

/* Everything in a pipe, and exact. */
static void test_pipe(void **state)
{
	(void)state;
	check(0, 3, 0,
	      "  SESSION     TITLE                             "
	      "PROJECT         BRANCH  LAST              TIME   MSGS  TOOLS  "
	      "MOD/READ  CHANGES  TOKENS  MODEL     STATUS\n"
	      "  01234567-a  Fix the login of the app, please  "
	      "/home/dev/demo  main    2025-12-10 11:00  1h05m  20    7      "
	      "2/5       3        12.3k   opus-4-5  active\n"
	      "  11234567-b  x^[]0;y                           "
	      "/home/dev/demo  main    2025-12-10 11:00  1h05m  20    7      "
	      "2/5       3        12.3k   opus-4-5  active\n"
	      "  21234567-c  -                                 "
	      "/home/dev/demo  main    2025-12-10 11:00  1h05m  20    7      "
	      "2/5       3        12.3k   opus-4-5  active\n"
	      "\n"
	      "Total: 3 sessions, 60 messages, 9 changes, 37.0k tokens\n");
}

/* The narrower, the fewer columns; then the title is cut. */
static void test_narrow(void **state)
{
	(void)state;
	check(80, 9, 2,
	      "  SESSION   TITLE                             LAST     MSGS  "
	      "CHANGES  STATUS\n"
	      "  01234567  Fix the login of the app, please  1 h ago  20    "
	      "3        active\n"
	      "  11234567  x^[]0;y                           1 h ago  20    "
	      "3        active\n"
	      "  21234567  -                                 1 h ago  20    "
	      "3        active\n"
	      "\n"
	      "Shown: 3 of 9 sessions, 60 messages, 9 changes, 37.0k "
	      "tokens\n"
	      "more: --offset=5\n");
	check(36, 9, 6,
	      "  SESSION   TITLE            LAST\n"
	      "  01234567  Fix the login …  1 h ago\n"
	      "  11234567  x^[]0;y          1 h ago\n"
	      "  21234567  -                1 h ago\n"
	      "\n"
	      "Shown: 3 of 9 sessions, 60 messages, 9 changes, 37.0k "
	      "tokens\n");
}

static void pack_reader(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/home/dev/demo/a.c");
	ccfc_pack_kv_int(p, "totalSessions", 2);
	ccfc_pack_kv_int(p, "totalReads", 5);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", "01234567-a");
	ccfc_pack_kv_cstr(p, "projectPath", "/home/dev/demo");
	ccfc_pack_kv_cstr(p, "title", "Fix\nit");
	ccfc_pack_kv_int(p, "readCount", 3);
	ccfc_pack_kv_int(p, "changeCount", 1);
	ccfc_pack_kv_cstr(p, "lastRead", "2025-12-10T11:00:00.000Z");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void test_readers(void **state)
{
	struct ccfc_out out = memory_out(0);
	struct packed p;

	(void)state;
	pack_reader(packed_init(&p));
	ccfc_readers_print(&out, packed_root(&p), ccfc_slice_str("a.c"), 0,
			   now());
	assert_string_equal(
		out.buf.ptr,
		"File: a.c\n"
		"Read by 2 sessions:\n"
		"\n"
		"  SESSION ID  PROJECT         BRANCH  READS  CHANGES  "
		"LAST READ         TITLE\n"
		"  01234567-a  /home/dev/demo  -       3      1        "
		"2025-12-10 11:00  Fix\n"
		"\n"
		"Total: 5 reads across 2 sessions\n"
		"more: --offset=1\n");
	ccfc_buf_release(&out.buf);
	packed_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_readers),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
