/* `ccfc log`: what its argument is taken for, and what it prints. */
#include "fake.h"

#include "blame_reply.h"

#include "cli/report/log_print.h"

/* ---- replies ---- */

static void pack_state(struct ccfc_pack *p, const char *kind, const char *time)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind", kind);
	ccfc_pack_kv_cstr(p, strcmp(kind, "change") ? "from" : "timestamp",
			  time);
	ccfc_pack_kv_int(p, "linesAdded", 3);
	ccfc_pack_kv_int(p, "linesRemoved", 1);
	if (!strcmp(kind, "change")) {
		ccfc_pack_kv_cstr(p, "changeId", "toolu_01A2b3C4d5");
		ccfc_pack_kv_cstr(p, "sessionId", SESSION_A);
		ccfc_pack_kv_cstr(p, "model", "claude-opus-4-5-20251101");
		ccfc_pack_kv_cstr(p, "tool", "Edit");
	}
	ccfc_pack_end(p);
}

static void pack_steps(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/no/such/a.c");
	ccfc_pack_cstr(p, "steps");
	ccfc_pack_array(p);
	pack_state(p, "outside", "2025-12-10T12:00:00.000Z");
	pack_state(p, "change", "2025-12-10T12:00:00.000Z");
	ccfc_pack_end(p);
	ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_end(p);
}

static void pack_change(struct ccfc_pack *p, const char *id, const char *time)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "changeId", id);
	ccfc_pack_kv_cstr(p, "sessionId", SESSION_A);
	ccfc_pack_kv_cstr(p, "timestamp", time);
	ccfc_pack_kv_cstr(p, "tool", "Write");
	ccfc_pack_end(p);
}

/* Two changes of one file, and one of another in between. */
static void pack_files(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", SESSION_A);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/no/such/a.c");
	ccfc_pack_cstr(p, "changes");
	ccfc_pack_array(p);
	pack_change(p, "c1", "2025-12-10T10:00:00.000Z");
	pack_change(p, "c3", "2025-12-10T12:00:00.000Z");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/no/such/b.c");
	ccfc_pack_cstr(p, "changes");
	ccfc_pack_array(p);
	pack_change(p, "c2", "2025-12-10T11:00:00.000Z");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_match(struct ccfc_pack *p)
{
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/no/such/a.c");
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "changes");
	ccfc_pack_array(p);
	pack_change(p, "c1", "2025-12-10T10:00:00.000Z");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static bool check_limit(struct ccfc_obj params)
{
	/* One more than asked for: is there more? */
	return ccfc_obj_get_int(params, "limit", 0) == 3;
}

static bool check_default(struct ccfc_obj params)
{
	return ccfc_obj_get_int(params, "limit", 0) == 50;
}

static bool check_all(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "pattern"), "**") &&
	       ccfc_obj_get_str(params, "here").len;
}

#define NOT_FOUND(method)                                                      \
	{                                                                      \
		method, NULL, NULL, CCFC_ENOTFOUND, NULL, false                \
	}

/* ---- runs ---- */

static void test_file(void **state)
{
	static const struct fake_step steps[] = {
		{ "file.log", check_default, pack_steps, 0, NULL, false },
		{ 0 },
	};
	struct fake_result r;

	(void)state;
	fake_check(ARGV("log", "/no/such/a.c"), steps, 0,
		   "   TIME                 SESSION                         "
		   "      CHANGE            MODEL     TOOL  LINES\n"
		   "  >2025-12-10 12:00:00  outside                         "
		   "      -                 -         -     +3 -1\n"
		   "   2025-12-10 12:00:00  " SESSION_A
		   "  toolu_01A2b3C4d5  opus-4-5  Edit  +3 -1\n"
		   "more: --offset=2\n",
		   "");
	/* JSON of one file is the reply. */
	fake_run(&r, ARGV("log", "/no/such/a.c", "--format=json"), steps);
	assert_non_null(strstr(r.out.ptr, "\"truncated\": true"));
	fake_release(&r);
}

/* In order of time, whatever the file; the limit counts changes. */
static void test_session(void **state)
{
	static const struct fake_step steps[] = {
		NOT_FOUND("file.log"),
		{ "session.files", NULL, pack_files, 0, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("log", "3f2a", "--format=jsonl"), steps, 0,
		   "{\"path\":\"/no/such/a.c\",\"changeId\":\"c3\","
		   "\"sessionId\":\"" SESSION_A "\",\"timestamp\":"
		   "\"2025-12-10T12:00:00.000Z\",\"tool\":\"Write\"}\n"
		   "{\"path\":\"/no/such/b.c\",\"changeId\":\"c2\","
		   "\"sessionId\":\"" SESSION_A "\",\"timestamp\":"
		   "\"2025-12-10T11:00:00.000Z\",\"tool\":\"Write\"}\n"
		   "{\"path\":\"/no/such/a.c\",\"changeId\":\"c1\","
		   "\"sessionId\":\"" SESSION_A "\",\"timestamp\":"
		   "\"2025-12-10T10:00:00.000Z\",\"tool\":\"Write\"}\n",
		   "");
	fake_check(ARGV("log", "3f2a", "--limit=1"), steps, 0,
		   "   TIME                 SESSION                         "
		   "      CHANGE  MODEL  TOOL   LINES  PATH\n"
		   "   2025-12-10 12:00:00  " SESSION_A
		   "  c3      -      Write  ?      /no/such/a.c\n"
		   "more: --offset=1\n",
		   "");
}

static void test_glob(void **state)
{
	static const struct fake_step glob[] = {
		NOT_FOUND("file.log"),
		{ "file.match", check_limit, pack_match, 0, NULL, false },
		{ 0 },
	};
	static const struct fake_step here[] = {
		{ "file.match", check_all, pack_match, 0, NULL, false },
		{ 0 },
	};
	static const struct fake_step transcript[] = {
		{ "session.files", NULL, pack_files, 0, NULL, false },
		{ 0 },
	};
	static const char one[] =
		"[\n  {\"path\":\"/no/such/a.c\",\"changeId\":\"c1\","
		"\"sessionId\":\"" SESSION_A "\",\"timestamp\":"
		"\"2025-12-10T10:00:00.000Z\",\"tool\":\"Write\"}\n]\n";

	(void)state;
	fake_check(ARGV("log", "/no/such/*.c", "--limit=2", "--format=json"),
		   glob, 0, one, "");
	fake_check(ARGV("log", "--format=json"), here, 0, one, "");
	fake_check(ARGV("log", "/no/such/x.jsonl"), transcript, 0, NULL, "");
}

static void test_nothing(void **state)
{
	static const struct fake_step neither[] = {
		NOT_FOUND("file.log"),
		NOT_FOUND("session.files"),
		{ 0 },
	};
	static const struct fake_step path[] = {
		NOT_FOUND("file.log"),
		{ 0 },
	};
	static const struct fake_step ambiguous[] = {
		NOT_FOUND("file.log"),
		{ "session.files", NULL, NULL, CCFC_EAMBIGUOUS, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("log", "nosuch"), neither, 1, "", NULL);
	fake_check(ARGV("log", "/no/such"), path, 1, "", NULL);
	fake_check(ARGV("log", "3f"), ambiguous, 2, "", NULL);
	fake_check(ARGV("log", ""), NULL, 2, "",
		   "ccfc: log: the path is empty\n");
}

/* Files that are gone carry nothing; a file outside of git is said to be. */
static void test_git(void **state)
{
	static const struct fake_step steps[] = {
		{ "session.files", NULL, pack_files, 0, NULL, false },
		{ "file.blame", NULL, pack_blame, 0, NULL, false },
		NOT_FOUND("file.blame"),
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("log", "--git", "3f2a"), steps, 1, "",
		   "ccfc: note: 1 of the session's files is in no git work "
		   "tree\n"
		   "ccfc: log: nothing found: none of the session's lines is "
		   "in a git work tree any more\n");
}

/* The id of a change and the file before all else. */
static void test_width(void **state)
{
	static const struct {
		unsigned width;
		const char *first; /* row */
	} rows[] = {
		{ 100, "   2025-12-10  3f2a91c4  c3      -      Write"
		       "  ?      such/a.c\n" },
		{ 80, "   2025-12-10  3f2a91c4  c3      -      Write  ?      "
		      "such/a.c\n" },
		{ 40, "   2025-12-10 3f2a91c4 c3     such/a.c\n" },
	};
	char no[] = "/no";
	struct ccfc_cwd where = { .cwd = no, .physical = no };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(rows[i].width);
		struct ccfc_log_rows log = { 0 };
		struct packed packed;

		pack_files(packed_init(&packed));
		ccfc_log_take(&log, packed_root(&packed));
		ccfc_log_order(&log, 0, 1);
		ccfc_log_table(&out, &log, &where);
		assert_string_equal(strchr(out.buf.ptr, '\n') + 1,
				    rows[i].first);
		ccfc_log_release(&log);
		packed_release(&packed);
		ccfc_buf_release(&out.buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file), cmocka_unit_test(test_session),
		cmocka_unit_test(test_glob), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_git),  cmocka_unit_test(test_width),
	};

	setenv("CCFC_NO_SPAWN", "1", 1);
	return cmocka_run_group_tests(tests, use_utc, NULL);
}
