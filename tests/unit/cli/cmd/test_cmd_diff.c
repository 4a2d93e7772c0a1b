/* ccfc diff, and list --format=diff, against a daemon that follows a script. */
#include "fake.h"

#define A                                                                      \
	"diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n"       \
	"@@ -1 +1 @@\n-\033old\n+new\n"
#define B "diff --git a/b b/b\nnew file mode 100644\n"

struct row {
	const char *name, *fidelity, *why, *diff;
	int added, removed;
	bool binary;
};

static void pack_row(struct ccfc_pack *p, const struct row *row)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", row->name);
	ccfc_pack_kv_cstr(p, "fidelity", row->fidelity);
	if (row->why)
		ccfc_pack_kv_cstr(p, "why", row->why);
	if (row->binary)
		ccfc_pack_kv_bool(p, "binary", true);
	ccfc_pack_cstr(p, "diff");
	if (row->diff)
		ccfc_pack_bin(p, ccfc_slice_str(row->diff));
	else
		ccfc_pack_nil(p);
	if (row->diff) {
		ccfc_pack_kv_int(p, "linesAdded", row->added);
		ccfc_pack_kv_int(p, "linesRemoved", row->removed);
	}
	ccfc_pack_end(p);
}

static void pack_rows(struct ccfc_pack *p, const struct row *rows)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", "abc123");
	ccfc_pack_cstr(p, "diffs");
	ccfc_pack_array(p);
	for (; rows && rows->name; rows++)
		pack_row(p, rows);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_some(struct ccfc_pack *p)
{
	static const struct row rows[] = {
		{ "src/a.c", "exact", NULL, A, 1, 1, false },
		{ "b", "reconstructed", "an edit\033 was replayed", B, 0, 0,
		  false },
		{ "c", "unknown", "no backup", NULL, 0, 0, false },
		{ "d.png", "exact", NULL, NULL, 0, 0, true },
		{ 0 },
	};

	pack_rows(p, rows);
}

static void pack_unknown(struct ccfc_pack *p)
{
	static const struct row rows[] = {
		{ "c", "unknown", NULL, NULL, 0, 0, false },
		{ "d.png", "exact", NULL, NULL, 0, 0, true },
		{ 0 },
	};

	pack_rows(p, rows);
}

static void pack_none(struct ccfc_pack *p)
{
	pack_rows(p, NULL);
}

#define NOTES                                                                  \
	"ccfc: note: b: reconstructed: an edit^[ was replayed\n"               \
	"ccfc: note: c: no diff: no backup\n"                                  \
	"ccfc: note: d.png: no diff: binary content\n"

static bool is_text(struct ccfc_obj list, uint32_t i, const char *text)
{
	return ccfc_slice_is(ccfc_obj_str(ccfc_obj_at(list, i)), text);
}

static bool check_params(struct ccfc_obj params)
{
	struct ccfc_obj paths = ccfc_obj_get(params, "paths");

	return ccfc_slice_is(ccfc_obj_get_str(params, "session"),
			     "/x/s.jsonl") &&
	       ccfc_obj_len(paths) == 2 && is_text(paths, 0, "/no/such/b") &&
	       is_text(paths, 1, "/no/such/c") &&
	       ccfc_obj_get_bool(params, "net", false) &&
	       ccfc_obj_get_int(params, "context", -1) == 0 &&
	       is_text(ccfc_obj_get(params, "extensions"), 0, ".c");
}

static bool check_plain(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "session"), "abc") &&
	       ccfc_obj_type(ccfc_obj_get(params, "paths")) == CCFC_OBJ_NONE &&
	       ccfc_obj_type(ccfc_obj_get(params, "net")) == CCFC_OBJ_NONE &&
	       ccfc_obj_type(ccfc_obj_get(params, "states")) == CCFC_OBJ_NONE &&
	       ccfc_obj_type(ccfc_obj_get(params, "context")) == CCFC_OBJ_NONE;
}

#define ANSWER(method, check, pack)                                            \
	((const struct fake_step[]){ { method, check, pack, 0, NULL, false },  \
				     { 0 } })

static void test_session(void **state)
{
	(void)state;
	fake_check(ARGV("diff", "abc"),
		   ANSWER("session.diff", check_plain, pack_some), 0, A B,
		   NOTES);
	fake_check(ARGV("list", "abc", "--format=diff", "--show-changes"),
		   ANSWER("session.diff", check_plain, pack_some), 0, A B,
		   NOTES);
	fake_check(ARGV("diff", "/x/y/../s.jsonl", "/no/./such/b", "--net",
			"/no/such/c", "-U0", "--ext=c"),
		   ANSWER("session.diff", check_params, pack_some), 0, A B,
		   NOTES);
	fake_check(ARGV("diff", "abc", "--color=always"),
		   ANSWER("session.diff", NULL, pack_some), 0,
		   "\033[1mdiff --git a/src/a.c b/src/a.c\033[m\n"
		   "\033[1m--- a/src/a.c\033[m\n"
		   "\033[1m+++ b/src/a.c\033[m\n"
		   "\033[36m@@ -1 +1 @@\033[m\n"
		   "\033[31m-\033old\033[m\n\033[32m+new\033[m\n"
		   "\033[1mdiff --git a/b b/b\033[m\n"
		   "\033[1mnew file mode 100644\033[m\n",
		   NOTES);
}

static void test_formats(void **state)
{
	(void)state;
	fake_check(ARGV("diff", "abc", "--stat"),
		   ANSWER("session.diff", check_plain, pack_some), 0,
		   " src/a.c |   2 +-\n"
		   " b       |   0\n"
		   " c       |   ?\n"
		   " d.png   | Bin\n"
		   " 4 files changed, 1 insertion(+), 1 deletion(-)\n",
		   NOTES);
	/* What a reply says of itself needs no note. */
	fake_check(ARGV("diff", "abc", "--format=jsonl"),
		   ANSWER("session.diff", NULL, pack_unknown), 0,
		   "{\"name\":\"c\",\"fidelity\":\"unknown\",\"diff\":null}\n"
		   "{\"name\":\"d.png\",\"fidelity\":\"exact\","
		   "\"binary\":true,\"diff\":null}\n",
		   "");
	fake_check(ARGV("diff", "abc", "--format=json"),
		   ANSWER("session.diff", NULL, pack_none), 1,
		   "{\n  \"sessionId\": \"abc123\",\n  \"diffs\": []\n}\n",
		   NULL);
}

static void test_status(void **state)
{
	(void)state;
	fake_check(ARGV("diff", "abc"),
		   ANSWER("session.diff", NULL, pack_unknown), 2, "",
		   "ccfc: note: c: no diff: unknown\n"
		   "ccfc: note: d.png: no diff: binary content\n"
		   "ccfc: diff: no diff can be shown: the content is not "
		   "known, or not text\n");
	fake_check(ARGV("diff", "abc", "--tool=Edit"),
		   ANSWER("session.diff", NULL, pack_none), 1, "",
		   "ccfc: diff: nothing found: session abc123 has no such "
		   "changes\n");
	fake_check(ARGV("diff", "abc"), NULL, 3, "", NULL);
}

/* ---- one change ---- */

static void pack_state(struct ccfc_pack *p, const char *key,
		       const char *fidelity, const char *why)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "fidelity", fidelity);
	if (why)
		ccfc_pack_kv_cstr(p, "why", why);
	ccfc_pack_end(p);
}

static void pack_change(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", "src/a.c");
	ccfc_pack_kv_cstr(p, "diff", A);
	pack_state(p, "before", "reconstructed", "from the call");
	pack_state(p, "after", "exact", NULL);
	ccfc_pack_end(p);
}

/* The diff itself can be exact where the whole file is not known. */
static void pack_exact_change(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", "src/a.c");
	ccfc_pack_kv_cstr(p, "diff", A);
	ccfc_pack_kv_cstr(p, "fidelity", "exact");
	pack_state(p, "before", "partial", "some lines");
	pack_state(p, "after", "partial", "some lines");
	ccfc_pack_end(p);
}

static bool check_change(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "change"), "toolu_01") &&
	       ccfc_obj_get_int(params, "context", 0) == 7 &&
	       ccfc_obj_len(params) == 2;
}

/* Unless it says better, a diff is as good as the worse of its sides. */
static void test_change(void **state)
{
	static const struct fake_step word[] = {
		{ "session.diff", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ "change.get", NULL, pack_change, 0, NULL, false },
		{ 0 },
	};
	static const struct fake_step neither[] = {
		{ "session.diff", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ "change.get", NULL, NULL, CCFC_EINVAL, NULL, false },
		{ 0 },
	};
	/* The path might be the name of a file elsewhere in the project. */
	static const struct fake_step no_name = {
		"file.sessions", NULL, NULL, CCFC_ENOTFOUND, NULL, false
	};
	static const struct fake_step two[] = {
		{ "session.diff", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ "change.get", NULL, NULL, CCFC_EAMBIGUOUS, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("diff", "toolu_01", "-U", "7"),
		   ANSWER("change.get", check_change, pack_change), 0, A,
		   "ccfc: note: src/a.c: reconstructed: from the call\n");
	fake_check(ARGV("diff", "toolu_01"),
		   ANSWER("change.get", NULL, pack_exact_change), 0, A, "");
	fake_check(ARGV("diff", "01abcd"), word, 0, A, NULL);
	fake_check(ARGV("diff", "01"), neither, 1, "",
		   "ccfc: what: why\nhint: try^[this\n");
	fake_check(ARGV("diff", "01abcd"), two, 2, "", NULL);
	/* Nothing that narrows a session down is dropped in silence. */
	fake_check(ARGV("diff", "01abcd", "x.c"),
		   (const struct fake_step[]){ no_name, neither[0], { 0 } }, 1,
		   "", NULL);
}

static void test_usage(void **state)
{
	(void)state;
	fake_check(ARGV("diff", "abc", "--stat", "--format=json"), NULL, 2, "",
		   "ccfc: diff: --stat: only with --format=diff\n");
	fake_check(ARGV("diff", "abc", "-U", "-1"), NULL, 2, "",
		   "ccfc: diff: --unified=-1: out of range\n"
		   "hint: give a number from 0 to 100000\n");
}

static int setup(void **state)
{
	setenv("CCFC_NO_SPAWN", "1", 1);
	return use_utc(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_session), cmocka_unit_test(test_formats),
		cmocka_unit_test(test_status),	cmocka_unit_test(test_change),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
