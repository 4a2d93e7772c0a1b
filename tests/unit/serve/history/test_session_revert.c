/*
 * The methods that help to get back: plans to take a session's work back, files
 * to recover, and what a reply may hold at most.
 */
#include "told.h"

/* --- session.revert --- */

static void test_revert(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o =
		world_get(t->w, "session.revert", "session=" SESSION_A);

	CHECK(o, { "sessionId", SESSION_A }, { "projectPath", t->project },
	      { "truncated", "false" }, { "files", "[2]" },
	      { "files/0/path", told_path(t, "f.txt") },
	      { "files/0/name", "f.txt" }, { "files/0/action", "write" },
	      { "files/0/why", "nil" }, { "files/0/present/exists", "true" },
	      { "files/0/present/size", "34" }, { "files/0/conflicts", "0" },
	      { "files/0/content",
		"one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n" },
	      { "files/0/linesAdded", "2" }, { "files/0/fidelity", "exact" },
	      { "files/1/name", "new.txt" }, { "files/1/action", "remove" },
	      { "files/1/content", "nil" }, { "files/1/linesRemoved", "1" });
	o = world_get(t->w, "session.revert", "session=aaaab");
	CHECK(o, { "files", "[1]" }, { "files/0/action", "write" },
	      { "files/0/content",
		"ONE\ntwo\nthree\nFOUR\nfive\nsix\nseven\n" },
	      { "files/0/diff", "diff --git a/f.txt b/f.txt\n"
				"--- a/f.txt\n+++ b/f.txt\n"
				"@@ -4,4 +4,4 @@\n FOUR\n five\n six\n"
				"-SEVEN\n+seven\n" });
	fails(t, "session.revert", "session=aaaab;paths[new.txt",
	      CCFC_ENOTFOUND, "did not change", "");
}

/* What is on disk decides; `why` says what is in the way. */
static void test_revert_disk(void **state)
{
	static const struct {
		const char *file, *disk, *action, *why, *content, *conflicts;
	} cases[] = {
		{ "f.txt", T1, "none", "nil", T1, "0" },
		{ "f.txt", T4 "8\n", "write", "nil",
		  "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n8\n", "0" },
		{ "f.txt", "uno\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n",
		  "conflict", "the same lines were changed since",
		  "<<<<<<< as it is\nuno\n=======\none\n"
		  ">>>>>>> before session " SESSION_A
		  "\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n",
		  "1" },
		{ "f.txt", NULL, "conflict", "deleted since", "nil", "1" },
		{ "new.txt", NULL, "none", "it does not exist any more", "nil",
		  "0" },
		{ "new.txt", "fresh\nmine\n", "conflict",
		  "changed since it was created", "nil", "1" },
	};
	struct told *t = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char options[100];
		struct ccfc_obj o;

		snprintf(options, sizeof(options),
			 "session=" SESSION_A ";paths[%s", cases[i].file);
		told_disk(t, cases[i].file, cases[i].disk);
		o = world_get(t->w, "session.revert", options);
		CHECK(o, { "files/0/action", cases[i].action },
		      { "files/0/why", cases[i].why },
		      { "files/0/content", cases[i].content },
		      { "files/0/conflicts", cases[i].conflicts },
		      { "files/0/present/exists",
			cases[i].disk ? "true" : "false" });
	}
}

static void test_revert_refused(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o;

	told_disk(t, "f.txt", NULL);
	assert_int_equal(symlink("new.txt", told_path(t, "f.txt")), 0);
	o = world_get(t->w, "session.revert", "session=aaaab");
	CHECK(o, { "files/0/action", "refused" },
	      { "files/0/why", "is a symbolic link" },
	      { "files/0/content", "nil" }, { "files/0/present/size", "nil" },
	      { "files/0/fidelity", "nil" });
	told_disk(t, "f.txt", NULL);
	assert_int_equal(mkfifo(told_path(t, "f.txt"), 0600), 0);
	o = world_get(t->w, "session.revert", "session=aaaab");
	CHECK(o, { "files/0/action", "refused" },
	      { "files/0/why", "is not a regular file" });
}

/* A file that a session made is not removed with the work of another in it,
 * but with what a formatter did. */
static void test_revert_created(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o;

	told_create(t, SESSION_A, "toolu_31", "mixed", "a\n");
	told_edit(t, SESSION_B, "toolu_32", "mixed", "a\n", "a\nb\n");
	told_edit(t, SESSION_A, "toolu_33", "mixed", "a\nb\n", "a\nb\nc\n");
	told_disk(t, "mixed", "a\nb\nc\n");
	told_create(t, SESSION_A, "toolu_34", "tidy", "a");
	told_edit(t, SESSION_A, "toolu_35", "tidy", "a\n", "a\nb\n");
	told_disk(t, "tidy", "a\nb\n");
	o = world_get(t->w, "session.revert",
		      "session=" SESSION_A ";paths[mixed,tidy");
	CHECK(o, { "files/0/name", "mixed" }, { "files/0/action", "conflict" },
	      { "files/0/why", "changed since it was created" },
	      { "files/1/name", "tidy" }, { "files/1/action", "remove" });
}

/* --- session.recover --- */

static void test_recover(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o;

	o = world_get(t->w, "session.recover", "session=" SESSION_A);
	CHECK(o, { "total", "2" }, { "files", "[2]" }, { "truncated", "false" },
	      { "files/0/name", "f.txt" }, { "files/0/changeId", "toolu_03c" },
	      { "files/0/sessionId", SESSION_A }, { "files/0/exists", "true" },
	      { "files/0/fidelity", "exact" }, { "files/0/size", "34" },
	      { "files/1/source", "write" });
	o = world_get(t->w, "session.recover", "session=aaaab");
	CHECK(o, { "files", "[1]" }, { "files/0/changeId", "toolu_02b" });
	o = world_get(t->w, "session.recover", "deleted:true");
	CHECK(o, { "files", "[0]" }, { "total", "0" });
	told_disk(t, "new.txt", NULL);
	told_disk(t, "f.txt", NULL);
	o = world_get(t->w, "session.recover", "deleted:true");
	CHECK(o, { "files", "[2]" }, { "files/0/path", told_path(t, "f.txt") },
	      { "files/0/name", told_path(t, "f.txt") + 1 },
	      { "files/0/exists", "false" },
	      { "files/0/changeId", "toolu_03c" },
	      { "files/0/timestamp", "2025-12-10T10:05:00.000Z" });
	o = world_get(t->w, "session.recover", "deleted:true;limit:1;offset:1");
	CHECK(o, { "files", "[1]" }, { "total", "2" }, { "truncated", "false" },
	      { "files/0/path", told_path(t, "new.txt") });
	o = world_get(t->w, "session.recover", "deleted:true;limit:1");
	CHECK(o, { "files", "[1]" }, { "truncated", "true" });
}

static void test_recover_words(void **state)
{
	static const struct {
		const char *words, *total;
	} cases[] = {
		{ "TXT", "2" },	       { "txt,fresh", "1" },
		{ "Fresh,four", "0" }, { "five,F.TXT", "1" },
		{ "e\nf", "1" },
	};
	struct told *t = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char options[100];

		snprintf(options, sizeof(options),
			 "session=" SESSION_A ";keywords[%s", cases[i].words);
		CHECK(world_get(t->w, "session.recover", options),
		      { "total", cases[i].total });
	}
	told_disk(t, "f.txt", NULL);
	snprintf(t->path[0], sizeof(t->path[0]), "deleted:true;projectPath=%s",
		 t->project);
	CHECK(world_get(t->w, "session.recover", t->path[0]), { "total", "1" },
	      { "files/0/name", "f.txt" });
	CHECK(world_get(t->w, "session.recover",
			"deleted:true;projectPath=/elsewhere"),
	      { "total", "0" });
	fails(t, "session.recover", "", CCFC_EINVAL,
	      "'session' or option 'deleted'", "");
	fails(t, "session.recover", "deleted:false", CCFC_EINVAL,
	      "'session' or option 'deleted'", "");
	fails(t, "session.recover", "deleted:true;session=aaaab", CCFC_EINVAL,
	      "'session' or option 'deleted'", "");
	fails(t, "session.recover", "deleted=yes", CCFC_EINVAL,
	      "option 'deleted' must be true or false", "");
}

/* --- bounds --- */

/* Much more than a reply may hold: 64 MiB in all, then there is none. */
static void test_full(void **state)
{
	enum { FILES = 40, BYTES = 900000 };
	struct told *t = *state;
	char *text;
	uint32_t known = 0;
	struct ccfc_obj o;

#ifdef __SANITIZE_THREAD__
	/* One thread does it all, byte by byte: nothing to find, and long. */
	skip();
#endif
	text = malloc(BYTES + 1);
	assert_non_null(text);
	memset(text, 'x', BYTES);
	text[BYTES] = '\0';
	for (int i = 0; i < FILES; i++) {
		char id[20], file[20];

		snprintf(id, sizeof(id), "toolu_9%02d", i);
		snprintf(file, sizeof(file), "big%d", i);
		told_call(t, SESSION_B, id, "Write", file);
		ccfc_buf_puts(&t->lines, ",\"content\":\"\"");
		told_result(t, SESSION_B, id, false);
		ccfc_buf_puts(&t->lines,
			      ",\"toolUseResult\":{\"type\":\"create\",");
		told_key(t, "filePath", told_path(t, file));
		ccfc_buf_putc(&t->lines, ',');
		told_key(t, "content", text);
		ccfc_buf_putc(&t->lines, '}');
		told_end(t, SESSION_B);
	}
	free(text);
	o = world_get(t->w, "session.diff",
		      "session=" SESSION_B ";includeContent:true");
	CHECK(o, { "diffs", "[41]" }, { "truncated", "true" });
	for (uint32_t i = 0; i < FILES + 1; i++)
		known += ccfc_obj_type(
				 at(ccfc_obj_at(ccfc_obj_get(o, "diffs"), i),
				    "diff")) == CCFC_OBJ_BIN;
	assert_true(known > 30 && known < FILES + 1);
	assert_true(t->w->got.len < (65u << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_revert),	   TEST(test_revert_disk),
		TEST(test_revert_refused), TEST(test_revert_created),
		TEST(test_recover),	   TEST(test_recover_words),
		TEST(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
