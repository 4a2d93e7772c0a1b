/* Whole runs of sessions, grep, stats and search --reads: what is asked. */
#include "fake.h"

static bool is(struct ccfc_obj params, const char *key, const char *text)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, key), text);
}

static bool has(struct ccfc_obj params, const char *key)
{
	return ccfc_obj_type(ccfc_obj_get(params, key)) != CCFC_OBJ_NONE;
}

/* ---- sessions ---- */

static bool check_plain(struct ccfc_obj params)
{
	return has(params, "cwd") && has(params, "here") &&
	       ccfc_obj_len(params) == 2;
}

static bool check_all(struct ccfc_obj params)
{
	return is(params, "projectPath", "/") && is(params, "branch", "main") &&
	       is(params, "model", "opus") && is(params, "status", "failed") &&
	       is(params, "touched", "*.c") && is(params, "sort", "tokens") &&
	       is(params, "fromDate", "2025-12-01T00:00:00.000Z") &&
	       is(params, "toDate", "2025-12-31T23:59:59.999Z") &&
	       ccfc_obj_get_int(params, "limit", 0) == 2 &&
	       ccfc_obj_get_int(params, "offset", 0) == 4;
}

static void pack_sessions(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "totalSessions", 9);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	for (int i = 0; i < 2; i++) {
		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "sessionId", i ? "b" : "a");
		ccfc_pack_kv_cstr(p, "filePath", i ? "" : "/c/a.jsonl");
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

#define STEP(method, check, answer)                                            \
	{                                                                      \
		{ method, check, answer, 0, NULL, false },                     \
		{                                                              \
			0                                                      \
		}                                                              \
	}

static void test_sessions(void **state)
{
	static const struct fake_step plain[] =
		STEP("session.list", check_plain, pack_sessions);
	static const struct fake_step all[] =
		STEP("session.list", check_all, pack_sessions);
	static const struct fake_step nothing[] = {
		{ "session.list", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("sessions", "--format=ids"), plain, 0, "a\nb\n", "");
	fake_check(ARGV("sessions", "--format=paths"), plain, 0, "/c/a.jsonl\n",
		   "");
	fake_check(ARGV("sessions", "--format=jsonl"), plain, 0,
		   "{\"sessionId\":\"a\",\"filePath\":\"/c/a.jsonl\"}\n"
		   "{\"sessionId\":\"b\",\"filePath\":\"\"}\n",
		   "");
	fake_check(ARGV("sessions", "--project=/", "--branch=main",
			"--model=opus", "--status=failed", "--touched=*.c",
			"--sort=tokens", "--from=2025-12-01", "--to=2025-12-31",
			"--limit=2", "--offset=4", "--format=ids"),
		   all, 0, "a\nb\n", "");
	fake_check(ARGV("sessions"), nothing, 1, "", NULL);
	fake_check(ARGV("sessions", "-0", "--format=json"), NULL, 2, "",
		   "ccfc: sessions: -0: only with --format=paths or ids\n");
	fake_check(ARGV("sessions", "--from=2025-12-31", "--to=2025-12-01"),
		   NULL, 2, "",
		   "ccfc: sessions: --from=2025-12-31: later than "
		   "--to=2025-12-01\n");
	fake_check(ARGV("sessions"), NULL, 3, "", NULL);
}

/* ---- grep ---- */

static bool check_grep(struct ccfc_obj params)
{
	return is(params, "pattern", "a|b") && has(params, "cwd") &&
	       has(params, "here") && ccfc_obj_len(params) == 3;
}

static bool check_grep_all(struct ccfc_obj params)
{
	struct ccfc_obj in = ccfc_obj_get(params, "in");

	return is(params, "pattern", "-x") &&
	       ccfc_obj_get_bool(params, "regex", false) &&
	       ccfc_obj_get_bool(params, "caseSensitive", false) &&
	       is(params, "role", "user") && is(params, "session", "3f2a") &&
	       is(params, "sort", "rank") && ccfc_obj_len(in) == 2 &&
	       ccfc_slice_is(ccfc_obj_str(ccfc_obj_at(in, 1)), "tool");
}

/* Several words: all of them, the best match first. */
static bool check_grep_words(struct ccfc_obj params)
{
	struct ccfc_obj words = ccfc_obj_get(params, "words");

	return is(params, "pattern", "two") && is(params, "sort", "rank") &&
	       ccfc_obj_len(words) == 1 &&
	       ccfc_slice_is(ccfc_obj_str(ccfc_obj_at(words, 0)), "words");
}

static void pack_hits(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "matches");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", "a\033");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_end(p);
}

static void test_grep(void **state)
{
	static const struct fake_step plain[] =
		STEP("text.search", check_grep, pack_hits);
	static const struct fake_step all[] =
		STEP("text.search", check_grep_all, pack_hits);
	static const struct fake_step words[] =
		STEP("text.search", check_grep_words, pack_hits);
	static const struct fake_step nothing[] = {
		{ "text.search", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("grep", "a|b", "-i", "--format=jsonl"), plain, 0,
		   "{\"sessionId\":\"a\\u001b\"}\n",
		   "ccfc: note: the search is incomplete\n");
	fake_check(ARGV("grep", "-es", "--role=user", "--session=3f2a",
			"--sort=rank", "--in=text,tool", "--format=jsonl", "--",
			"-x"),
		   all, 0, NULL, NULL);
	fake_check(ARGV("grep", "a"), nothing, 1, "", NULL);
	fake_check(ARGV("grep", "two", "words", "--format=jsonl"), words, 0,
		   NULL, NULL);
	fake_check(ARGV("grep", ""), NULL, 2, "",
		   "ccfc: grep: the pattern is empty\n");
	fake_check(ARGV("grep", "-i", "-s", "x"), NULL, 2, "",
		   "ccfc: grep: -i and -s: one of them\n");
	fake_check(ARGV("grep", "x", "--role=tool"), NULL, 2, "", NULL);
}

/* ---- stats ---- */

static bool check_models(struct ccfc_obj params)
{
	return is(params, "by", "model") && !has(params, "session");
}

static bool check_no_by(struct ccfc_obj params)
{
	return !has(params, "by") && is(params, "session", "3f2a");
}

static bool check_days(struct ccfc_obj params)
{
	return is(params, "by", "day") &&
	       ccfc_obj_get_int(params, "limit", 0) == 1;
}

static void pack_stats(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "by", "day");
	ccfc_pack_kv_int(p, "totalRows", 3);
	ccfc_pack_cstr(p, "rows");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "key", "2025-12-10");
	ccfc_pack_kv_int(p, "changes", 4);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_empty(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_end(p);
}

static void test_stats(void **state)
{
	static const struct fake_step models[] =
		STEP("stats.get", check_models, pack_empty);
	static const struct fake_step json[] =
		STEP("stats.get", check_no_by, pack_empty);
	static const struct fake_step days[] =
		STEP("stats.get", check_days, pack_stats);
	struct fake_result r;

	(void)state;
	fake_check(ARGV("stats"), models, 0, NULL, "");
	fake_check(ARGV("stats", "3f2a", "--format=json"), json, 0, "{}\n", "");
	fake_run(&r, ARGV("stats", "--by=day", "--limit=1"), days);
	assert_int_equal(r.status, 0);
	assert_true(r.script_done);
	assert_non_null(strstr(r.out.ptr, "\n  DAY         CHANGES\n"
					  "  2025-12-10  4\n"
					  "more: --offset=1\n"));
	fake_release(&r);
	fake_check(ARGV("stats", "--by=file,day"), NULL, 2, "", NULL);
}

/* ---- search --reads ---- */

static bool check_readers(struct ccfc_obj params)
{
	return is(params, "path", "/p/[id].c") && !has(params, "states");
}

static void pack_readers(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/p/[id].c");
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "readCount", 2);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void test_reads(void **state)
{
	static const struct fake_step steps[] =
		STEP("file.readers", check_readers, pack_readers);
	/* No second question: a name is a name here. */
	static const struct fake_step nothing[] = {
		{ "file.readers", check_readers, NULL, CCFC_ENOTFOUND, NULL,
		  false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("search", "--reads", "/p/[id].c", "--format=jsonl"),
		   steps, 0, "{\"path\":\"/p/[id].c\",\"readCount\":2}\n", "");
	fake_check(ARGV("files", "search", "--reads", "/p/[id].c", "-0",
			"--format=paths"),
		   steps, 0, "/p/[id].c", "");
	fake_check(ARGV("search", "--reads", "/p/[id].c"), nothing, 1, "",
		   NULL);
	fake_check(ARGV("search", "--reads", "a", "--why"), NULL, 2, "",
		   "ccfc: search: --why: cannot be combined with --reads\n");
}

static int prepare(void **state)
{
	setenv("CCFC_NO_SPAWN", "1", 1);
	return use_utc(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_grep),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_reads),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
