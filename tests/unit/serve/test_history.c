/*
 * The methods about history: what a file was, and what a session did to it.
 * The files are real ones; the texts are small.
 */
#include "told.h"

/* --- change.get --- */

static void test_change(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o =
		world_get(t->w, "change.get", "change=toolu_01a;context:1");

	CHECK(o, { "changeId", "toolu_01a" }, { "tool", "Edit" },
	      { "sessionId", SESSION_A }, { "state", "applied" },
	      { "path", told_path(t, "f.txt") }, { "projectPath", t->project },
	      { "name", "f.txt" }, { "linesAdded", "1" },
	      { "linesRemoved", "1" }, { "fidelity", "exact" },
	      { "why", "nil" }, { "binary", "false" },
	      { "before/exists", "true" }, { "before/fidelity", "exact" },
	      { "before/source", "result" }, { "before/size", "34" },
	      { "before/sha256", "3b1cb15d6db3a85b246eb4a3eea8d7d8f8f6743869db4"
				 "e477c77c9d9922ad4da" },
	      { "before/content", "(none)" }, { "after/fidelity", "exact" },
	      { "truncated", "false" }, { "source", "present" },
	      { "diff", "diff --git a/f.txt b/f.txt\n"
			"--- a/f.txt\n+++ b/f.txt\n"
			"@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n" });
	assert_int_equal(ccfc_obj_type(at(o, "diff")), CCFC_OBJ_BIN);
	o = world_get(t->w, "change.get",
		      "change=toolu_01;includeContent:true");
	CHECK(o, { "before/content", T1 }, { "after/content", T2 });
	o = world_get(t->w, "change.get", "change=toolu_03a");
	CHECK(o, { "before/exists", "false" }, { "before/size", "nil" },
	      { "before/sha256", "nil" }, { "after/size", "6" },
	      { "operation", "created" }, { "linesAdded", "1" },
	      { "linesRemoved", "0" });
	o = world_get(t->w, "change.get", "change=toolu_09f");
	CHECK(o, { "state", "failed" }, { "diff", "nil" },
	      { "before/exists", "nil" }, { "before/fidelity", "unknown" },
	      { "after/why", "it did not take effect: it is failed" });
}

static void test_change_names(void **state)
{
	fails(*state, "change.get", "change=toolu_03", CCFC_EAMBIGUOUS,
	      "change toolu_03: 2 changes start with that",
	      "toolu_03a, toolu_03c");
	fails(*state, "change.get", "change=toolu_x", CCFC_ENOTFOUND,
	      "change toolu_x: nothing found", "unique prefix");
	fails(*state, "change.get", "change=tool", CCFC_ENOTFOUND,
	      "change tool: nothing found", "6 characters");
	fails(*state, "change.get", "", CCFC_EINVAL,
	      "option 'change' is missing", "");
	fails(*state, "change.get", "change:5", CCFC_EINVAL,
	      "option 'change' must be a string", "");
	fails(*state, "change.get", "change=x;context:-1", CCFC_EINVAL,
	      "option 'context' must be from 0 to 100000", "");
}

/* --- file.at --- */

static void test_at(void **state)
{
	static const struct {
		const char *at, *content, *change, *side;
	} cases[] = {
		{ "at:nil", T4, "toolu_03c", "after" },
		{ "at=toolu_01a", T2, "toolu_01a", "after" },
		{ "at=before:toolu_01a", T1, "toolu_01a", "before" },
		{ "at=toolu_02", T3, "toolu_02b", "after" },
		{ "at=" SESSION_A, T4, "toolu_03c", "after" },
		{ "at=before:" SESSION_A, T1, "toolu_01a", "before" },
		{ "at=aaaab", T3, "toolu_02b", "after" },
		{ "at=before:aaaab", T2, "toolu_02b", "before" },
		{ "at=2025-12-10T10:02:01Z", T2, "toolu_01a", "after" },
		{ "at=2025-12-10T10:02:59Z", T2, "toolu_01a", "after" },
		/* as a listing shows it; the result came a second later */
		{ "at=2025-12-10T10:03:00Z", T3, "toolu_02b", "after" },
		{ "at=2025-12-10T13:03:01+03:00", T3, "toolu_02b", "after" },
		{ "at=2030-01-01", T4, "toolu_03c", "after" },
	};
	struct told *t = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ccfc_obj o =
			world_get(t->w, "file.at", on(t, "f.txt", cases[i].at));

		CHECK(o, { "state/content", cases[i].content },
		      { "state/exists", "true" }, { "state/fidelity", "exact" },
		      { "changeId", cases[i].change },
		      { "side", cases[i].side }, { "truncated", "(none)" },
		      { "latest/changeId", "toolu_03c" },
		      { "latest/sessionId", SESSION_A },
		      { "latest/content", "(none)" });
	}
	/* Between a call and its result: whether it had written is not known.
	 */
	CHECK(world_get(t->w, "file.at",
			on(t, "f.txt", "at=2025-12-10T10:03:00.500Z")),
	      { "state/content", T2 }, { "state/fidelity", "reconstructed" },
	      { "state/assumed", "moment" }, { "changeId", "toolu_01a" },
	      { "side", "after" });
	world_get(t->w, "file.at", on(t, "f.txt", "at=2030-01-01"));
	CHECK(t->w->reply.result, { "path", told_path(t, "f.txt") },
	      { "at", "2030-01-01" }, { "sessionId", SESSION_A },
	      { "timestamp", "2025-12-10T10:05:00.000Z" },
	      { "latest/timestamp", "2025-12-10T10:05:00.000Z" },
	      { "latest/size", "34" }, { "state/size", "34" });
}

static void test_at_options(void **state)
{
	struct told *t = *state;
	char options[400];
	struct ccfc_obj o;

	o = world_get(t->w, "file.at", on(t, "f.txt", "includeContent:false"));
	CHECK(o, { "state/content", "(none)" }, { "state/size", "34" });
	o = world_get(t->w, "file.at", on(t, "f.txt", "maxContent:3"));
	CHECK(o, { "state/content", "ONE" }, { "truncated", "true" },
	      { "state/truncated", "true" }, { "state/size", "34" });
	snprintf(options, sizeof(options),
		 "path=nope;cwd=%s;alternatives[/no,%s", t->project,
		 told_path(t, "new.txt"));
	o = world_get(t->w, "file.at", options);
	CHECK(o, { "path", told_path(t, "new.txt") },
	      { "state/content", "fresh\n" });
	o = world_get(t->w, "file.at", on(t, "new.txt", "at=before:toolu_03a"));
	CHECK(o, { "state/exists", "false" }, { "state/fidelity", "exact" },
	      { "state/content", "(none)" });
}

static void test_at_errors(void **state)
{
	struct told *t = *state;

	fails(t, "file.at", on(t, "f.txt", "at=2025-12-10T10:00:30Z"),
	      CCFC_ENOTFOUND, "2025-12-10T10:00:30.000Z is before its first",
	      "the first change is toolu_00c of 2025-12-10T10:01:01.000Z");
	fails(t, "file.at", on(t, "new.txt", "at=aaaab"), CCFC_ENOTFOUND,
	      "session " SESSION_B " did not change", SESSION_A);
	fails(t, "file.at", on(t, "f.txt", "at=aaaa"), CCFC_EAMBIGUOUS,
	      "2 sessions start with that", SESSION_B);
	fails(t, "file.at", on(t, "f.txt", "at=toolu_03a"), CCFC_ENOTFOUND,
	      "change toolu_03a did not change", "new.txt");
	fails(t, "file.at", on(t, "f.txt", "at=toolu_09f"), CCFC_ENOTFOUND,
	      "did not take effect: it is failed", "");
	fails(t, "file.at", on(t, "f.txt", "at=toolu_03"), CCFC_EAMBIGUOUS,
	      "2 changes start with that", "toolu_03a");
	fails(t, "file.at", on(t, "f.txt", "at=yesterday"), CCFC_ENOTFOUND,
	      "yesterday: not a known time, change or "
	      "session",
	      "RFC 3339");
	fails(t, "file.at", on(t, "f.txt", "at=before:2025-12-10"), CCFC_EINVAL,
	      "followed by a change or a session", "");
	fails(t, "file.at", on(t, "f.txt", "at=before:"), CCFC_EINVAL,
	      "followed by a change or a session", "");
	fails(t, "file.at", on(t, "other", ""), CCFC_ENOTFOUND,
	      "no session changed it", "");
	fails(t, "file.at", "path=f.txt;cwd=/clone", CCFC_ENOTFOUND,
	      "no session changed it", "the same path is known as");
	fails(t, "file.at", on(t, "f.txt", "net:true"), CCFC_EINVAL,
	      "unknown option 'net'", "");
	fails(t, "file.log", on(t, "f.txt", "offset:9"), CCFC_ENOTFOUND,
	      "there are only 4 steps", "");
}

/* Somebody else changed the file, nobody knows when. */
static void test_at_outside(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o;
	char why[512];

	told_edit(t, SESSION_B, "toolu_05", "f.txt", T1, T2);
	told_disk(t, "f.txt", "mine\n");
	o = world_get(t->w, "file.at", on(t, "f.txt", "at=toolu_03c"));
	CHECK(o, { "state/fidelity", "exact" });
	o = world_get(t->w, "file.at",
		      on(t, "f.txt", "at=2025-12-10T10:05:30Z"));
	CHECK(o, { "state/content", T4 }, { "state/fidelity", "reconstructed" },
	      { "state/why",
		"changed outside between 2025-12-10T10:05:01.000Z and "
		"2025-12-10T10:07:01.000Z; the moment is not known" });
	o = world_get(t->w, "file.at", on(t, "f.txt", "at=2025-12-11"));
	CHECK(o, { "state/content", T2 });
	assert_non_null(strstr(show(at(o, "state/why"), why, sizeof(why)),
			       "changed outside after "
			       "2025-12-10T10:07:01.000Z; the moment"));
	o = world_get(t->w, "file.log", on(t, "f.txt", ""));
	CHECK(o, { "totalSteps", "7" }, { "steps", "[7]" },
	      { "steps/0/kind", "outside" },
	      { "steps/0/from", "2025-12-10T10:07:01.000Z" },
	      { "steps/0/to", "nil" }, { "steps/0/linesAdded", "1" },
	      { "steps/0/linesRemoved", "7" },
	      { "steps/0/after/source", "disk" }, { "steps/0/after/size", "5" },
	      { "steps/0/changeId", "(none)" }, { "steps/1/kind", "change" },
	      { "steps/1/changeId", "toolu_05" },
	      { "steps/2/kind", "returned" },
	      { "steps/2/to", "2025-12-10T10:07:01.000Z" },
	      { "steps/2/linesAdded", "3" }, { "steps/2/linesRemoved", "3" },
	      { "steps/2/after/size", "34" });
}

/* One call that changes two files is one change of each. */
static void test_at_parts(void **state)
{
	struct told *t = *state;

	told_call(t, SESSION_B, "toolu_41", "MultiEdit", NULL);
	ccfc_buf_puts(&t->lines, "\"edits\":[{\"old_string\":\"1\","
				 "\"new_string\":\"2\",");
	told_key(t, "file_path", told_path(t, "m1"));
	ccfc_buf_puts(&t->lines, "},{\"old_string\":\"3\","
				 "\"new_string\":\"4\",");
	told_key(t, "file_path", told_path(t, "m2"));
	ccfc_buf_puts(&t->lines, "}]");
	told_result(t, SESSION_B, "toolu_41", false);
	told_end(t, SESSION_B);
	CHECK(world_get(t->w, "file.at", on(t, "m1", "at=toolu_4")),
	      { "changeId", "toolu_41" });
	CHECK(world_get(t->w, "file.at", on(t, "m2", "at=toolu_4")),
	      { "changeId", "toolu_41#2" });
	CHECK(world_get(t->w, "change.get", "change=toolu_41#2"),
	      { "name", "m2" });
}

/* --- file.log --- */

static void test_log(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o = world_get(t->w, "file.log", on(t, "f.txt", ""));

	CHECK(o, { "path", told_path(t, "f.txt") }, { "totalSteps", "4" },
	      { "steps", "[4]" }, { "truncated", "false" },
	      { "steps/0/kind", "change" }, { "steps/0/changeId", "toolu_03c" },
	      { "steps/0/sessionId", SESSION_A }, { "steps/0/agentId", "nil" },
	      { "steps/0/model", "opus" }, { "steps/0/tool", "Edit" },
	      { "steps/0/operation", "modified" },
	      { "steps/0/timestamp", "2025-12-10T10:05:00.000Z" },
	      { "steps/0/linesAdded", "1" }, { "steps/0/linesRemoved", "1" },
	      { "steps/0/after/fidelity", "exact" },
	      { "steps/0/after/size", "34" },
	      { "steps/0/after/content", "(none)" },
	      { "steps/3/changeId", "toolu_00c" },
	      { "steps/3/operation", "created" });
	o = world_get(t->w, "file.log", on(t, "f.txt", "limit:1;offset:1"));
	CHECK(o, { "totalSteps", "4" }, { "steps", "[1]" },
	      { "steps/0/changeId", "toolu_02b" }, { "truncated", "true" });
}

/* --- session.diff --- */

static void test_diff(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o =
		world_get(t->w, "session.diff", "session=" SESSION_A);

	CHECK(o, { "sessionId", SESSION_A }, { "projectPath", t->project },
	      { "diffs", "[3]" }, { "diffs/0/changeId", "toolu_01a" },
	      { "diffs/0/path", told_path(t, "f.txt") },
	      { "diffs/0/name", "f.txt" }, { "diffs/0/changes", "1" },
	      { "diffs/0/tool", "Edit" }, { "diffs/0/agentId", "nil" },
	      { "diffs/0/operation", "modified" },
	      { "diffs/0/timestamp", "2025-12-10T10:02:00.000Z" },
	      { "diffs/0/linesAdded", "1" }, { "diffs/0/linesRemoved", "1" },
	      { "diffs/0/binary", "false" }, { "diffs/0/fidelity", "exact" },
	      { "diffs/0/why", "nil" },
	      { "diffs/0/diff", "diff --git a/f.txt b/f.txt\n"
				"--- a/f.txt\n+++ b/f.txt\n"
				"@@ -1,4 +1,4 @@\n-one\n+ONE\n two\n three\n"
				" four\n" },
	      { "diffs/1/changeId", "toolu_03a" },
	      { "diffs/1/operation", "created" },
	      { "diffs/2/changeId", "toolu_03c" }, { "totalAdded", "3" },
	      { "totalRemoved", "2" }, { "truncated", "false" });
	o = world_get(t->w, "session.diff",
		      "session=" SESSION_A ";paths[f.txt,nope;tools[Edit;"
		      "context:0;includeContent:true");
	CHECK(o, { "diffs", "[2]" }, { "diffs/1/changeId", "toolu_03c" },
	      { "diffs/1/before/content", T3 },
	      { "diffs/1/diff", "diff --git a/f.txt b/f.txt\n"
				"--- a/f.txt\n+++ b/f.txt\n"
				"@@ -4 +4 @@\n-four\n+FOUR\n" });
	o = world_get(t->w, "session.diff", "session=" SESSION_A ";paths[.");
	CHECK(o, { "diffs", "[3]" });
	/* Directories are the project's, whatever cwd is. */
	o = world_get(t->w, "session.diff",
		      "session=" SESSION_A ";directories[.;cwd=/elsewhere");
	CHECK(o, { "diffs", "[3]" });
	o = world_get(t->w, "session.diff",
		      "session=" SESSION_A ";tools[Nothing");
	CHECK(o, { "diffs", "[0]" }, { "totalAdded", "0" });
	fails(t, "session.diff", "session=" SESSION_B ";paths[/x/new.txt",
	      CCFC_ENOTFOUND, "session " SESSION_B " did not change /x/new.txt",
	      "");
}

static void test_net(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o = world_get(t->w, "session.diff",
				      "session=" SESSION_A ";net:true");

	/* Without B's line, which lies between. */
	CHECK(o, { "diffs", "[2]" }, { "diffs/0/name", "f.txt" },
	      { "diffs/0/changeId", "nil" }, { "diffs/0/changes", "2" },
	      { "diffs/0/tool", "nil" },
	      { "diffs/0/fidelity", "reconstructed" },
	      { "diffs/0/why",
		"others changed the file in between; their changes are left "
		"out" },
	      { "diffs/0/linesAdded", "2" },
	      { "diffs/0/diff", "diff --git a/f.txt b/f.txt\n"
				"--- a/f.txt\n+++ b/f.txt\n"
				"@@ -1,7 +1,7 @@\n-one\n+ONE\n two\n three\n"
				"-four\n+FOUR\n five\n six\n seven\n" },
	      { "diffs/1/changes", "1" }, { "diffs/1/operation", "created" },
	      { "diffs/1/fidelity", "exact" });
}

/* B's line is one that A changes again: that is not one diff. */
static void test_net_conflict(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o;

	told_create(t, SESSION_C, "toolu_10", "g", "a\n");
	told_edit(t, SESSION_A, "toolu_11", "g", "a\n", "b\n");
	told_edit(t, SESSION_A, "toolu_12", "g", "b\n", "c\n");
	told_edit(t, SESSION_B, "toolu_13", "g", "c\n", "d\n");
	told_edit(t, SESSION_A, "toolu_14", "g", "d\n", "e\n");
	o = world_get(t->w, "session.diff",
		      "session=" SESSION_A ";net:true;paths[g");
	CHECK(o, { "diffs", "[2]" }, { "diffs/0/changes", "2" },
	      { "diffs/0/changeId", "nil" },
	      { "diffs/0/why",
		"others changed the same lines in between; there are several "
		"diffs" },
	      { "diffs/0/diff", "diff --git a/g b/g\n--- a/g\n+++ b/g\n"
				"@@ -1 +1 @@\n-a\n+c\n" },
	      { "diffs/1/changes", "1" }, { "diffs/1/changeId", "toolu_14" },
	      { "totalAdded", "2" });
}

#define HUNK                                                                   \
	"{\"oldStart\":40,\"oldLines\":2,\"newStart\":40,\"newLines\":2,"      \
	"\"lines\":[\" ctx\",\"-old\",\"+new\"]}"

/* Of a file that is not known, what the patch shows. */
static void test_partial(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o;

	told_lean(t, SESSION_B, "toolu_21", "far off", HUNK);
	told_lean(t, SESSION_B, "toolu_22", "dark", "");
	o = world_get(t->w, "session.diff",
		      "session=" SESSION_B ";paths[far off,dark");
	CHECK(o, { "diffs", "[2]" }, { "diffs/0/fidelity", "partial" },
	      { "diffs/0/linesAdded", "1" },
	      { "diffs/0/diff", "diff --git a/far off b/far off\n"
				"--- a/far off\t\n+++ b/far off\t\n"
				"@@ -40,2 +40,2 @@\n ctx\n-old\n+new\n" },
	      { "diffs/1/diff", "nil" }, { "diffs/1/fidelity", "unknown" },
	      { "totalAdded", "1" });
	assert_true(ccfc_obj_get_str(at(o, "diffs/0"), "why").len > 5);
	assert_true(ccfc_obj_get_str(at(o, "diffs/1"), "why").len > 5);
	o = world_get(t->w, "file.at", on(t, "far off", ""));
	CHECK(o, { "state/fidelity", "partial" }, { "state/exists", "true" },
	      { "state/content", "(none)" }, { "state/known", "[1]" },
	      { "state/known/0/line", "40" }, { "state/known/0/lines", "2" },
	      { "state/known/0/text", "ctx\nnew\n" });
	o = world_get(t->w, "file.at",
		      on(t, "far off", "includeContent:false"));
	CHECK(o, { "state/known", "(none)" });
	o = world_get(t->w, "session.diff",
		      "session=" SESSION_B ";paths[far off;net:true");
	CHECK(o, { "diffs/0/fidelity", "partial" }, { "diffs", "[1]" });
	o = world_get(t->w, "session.revert",
		      "session=" SESSION_B ";paths[dark");
	CHECK(o, { "files/0/action", "unknown" }, { "files/0/content", "nil" },
	      { "files/0/fidelity", "unknown" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_change),	 TEST(test_change_names),
		TEST(test_at),		 TEST(test_at_options),
		TEST(test_at_errors),	 TEST(test_at_outside),
		TEST(test_at_parts),	 TEST(test_log),
		TEST(test_diff),	 TEST(test_net),
		TEST(test_net_conflict), TEST(test_partial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
