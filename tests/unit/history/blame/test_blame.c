/*
 * The cases that tools of this kind are known to get wrong, each with the
 * right answer; and what is to be said where nothing is known. Through the
 * method, on real files and transcripts.
 */
#include "../serve/told.h"

#define A SESSION_A
#define B SESSION_B

static int begin(void **state)
{
	*state = told_new();
	return 0;
}

/* The owners, a word a line: the change's last letter, "out" or "?". */
static void owned(struct told *t, const char *file, const char *more,
		  const char *want)
{
	struct ccfc_obj o = world_get(t->w, "file.blame", on(t, file, more));
	struct ccfc_obj lines = ccfc_obj_get(o, "lines");
	struct ccfc_buf got = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ccfc_obj_len(lines); i++) {
		struct ccfc_obj line = ccfc_obj_at(lines, i);
		struct ccfc_slice kind =
			ccfc_obj_str(ccfc_obj_get(line, "kind"));
		struct ccfc_slice id =
			ccfc_obj_str(ccfc_obj_get(line, "changeId"));

		ccfc_buf_puts(&got, i ? " " : "");
		if (ccfc_slice_is(kind, "session"))
			ccfc_buf_append(&got, id.ptr + id.len - 1, 1);
		else
			ccfc_buf_puts(&got, ccfc_slice_is(kind, "outside")
						    ? "out"
						    : "?");
	}
	assert_string_equal(got.ptr ? got.ptr : "", want);
	ccfc_buf_release(&got);
}

/* A call and its result, both as they stand in the line. */
static void told_raw(struct told *t, const char *session, const char *id,
		     const char *tool, const char *file, const char *input,
		     const char *result)
{
	told_call(t, session, id, tool, file);
	ccfc_buf_puts(&t->lines, input);
	told_result(t, session, id, false);
	if (result)
		ccfc_buf_printf(&t->lines,
				",\"toolUseResult\":{\"filePath\":\"%s\",%s}",
				told_path(t, file), result);
	told_end(t, session);
}

/* --- what others get wrong --- */

/* Part of a line: the whole line is the edit's, its neighbours are not. */
static void test_within_a_line(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "int x = 1;\nint y = 2;\n");
	told_raw(t, B, "toolu_b", "Edit", "f",
		 ",\"old_string\":\"x = 1\",\"new_string\":\"x = 3\"",
		 "\"oldString\":\"x = 1\",\"newString\":\"x = 3\","
		 "\"originalFile\":\"int x = 1;\\nint y = 2;\\n\","
		 "\"structuredPatch\":[{\"oldStart\":1,\"oldLines\":2,"
		 "\"newStart\":1,\"newLines\":2,\"lines\":[\"-int x = 1;\","
		 "\"+int x = 3;\",\" int y = 2;\"]}]");
	told_disk(t, "f", "int x = 3;\nint y = 2;\n");
	owned(t, "f", "", "b a");
}

static void told_write(struct told *t, const char *session, const char *id,
		       const char *file, const char *old, const char *new)
{
	told_call(t, session, id, "Write", file);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "content", new);
	told_result(t, session, id, false);
	ccfc_buf_puts(&t->lines, ",\"toolUseResult\":{\"type\":\"update\",");
	told_key(t, "filePath", told_path(t, file));
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "content", new);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "originalFile", old);
	told_patch(t, old, new);
	ccfc_buf_putc(&t->lines, '}');
	told_end(t, session);
}

/* A Write over a file: what it wrote again as it was is not its own. */
static void test_overwrite(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "1\n2\n3\n4\n");
	told_write(t, B, "toolu_b", "f", "1\n2\n3\n4\n", "1\nTWO\n3\n4\n5\n");
	told_disk(t, "f", "1\nTWO\n3\n4\n5\n");
	owned(t, "f", "", "a b a a b");
	/* The same where the client did not show what it wrote over. */
	told_raw(t, A, "toolu_c", "Write", "f",
		 ",\"content\":\"1\\nTWO\\nTHREE\\n4\\n5\\n\"", NULL);
	told_disk(t, "f", "1\nTWO\nTHREE\n4\n5\n");
	owned(t, "f", "", "a b c a b");
}

static void test_replace_all(void **state)
{
	struct told *t = *state;
	const char *old = "a(x)\nb\nc(x)\nd\ne(x); f(x)\n";
	const char *new = "a(y)\nb\nc(y)\nd\ne(y); f(y)\n";

	told_create(t, A, "toolu_a", "f", old);
	told_call(t, B, "toolu_b", "Edit", "f");
	ccfc_buf_puts(&t->lines, ",\"old_string\":\"(x)\",\"new_string\":"
				 "\"(y)\",\"replace_all\":true");
	told_result(t, B, "toolu_b", false);
	ccfc_buf_printf(&t->lines,
			",\"toolUseResult\":{\"filePath\":\"%s\","
			"\"oldString\":\"(x)\",\"newString\":\"(y)\","
			"\"replaceAll\":true",
			told_path(t, "f"));
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "originalFile", old);
	told_patch(t, old, new);
	ccfc_buf_putc(&t->lines, '}');
	told_end(t, B);
	told_disk(t, "f", new);
	owned(t, "f", "", "b a b a b");
}

/* A person writes into a file that a session made: then, later, and last. */
static void test_a_persons_line(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "1\n2\n3\n");
	told_edit(t, B, "toolu_b", "f", "1\nmine\n2\n3\n", "1\nmine\n2\nX\n");
	told_disk(t, "f", "1\nmine\n2\nX\nlast\n");
	owned(t, "f", "", "a out a b out");
	CHECK(world_get(t->w, "file.blame", on(t, "f", "")),
	      { "lines/1/from", "2025-12-10T10:01:01.000Z" },
	      { "lines/1/to", "2025-12-10T10:02:01.000Z" },
	      { "lines/4/from", "2025-12-10T10:02:01.000Z" },
	      { "lines/4/to", "nil" }, { "lines/0/from", "nil" },
	      { "fidelity", "exact" });
}

/* Lines of old_string that stand in new_string as they were. */
static void test_context_in_the_strings(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "1\n2\n3\n4\n5\n");
	told_edit(t, B, "toolu_b", "f", "1\n2\n3\n4\n5\n",
		  "1\n2\nTHREE\n4\n5\n");
	told_disk(t, "f", "1\n2\nTHREE\n4\n5\n");
	owned(t, "f", "", "a a b a a");
	/* And without a result that shows a patch. */
	told_raw(t, A, "toolu_c", "Edit", "f",
		 ",\"old_string\":\"2\\nTHREE\\n4\","
		 "\"new_string\":\"2\\nTHREE\\nmore\\n4\"",
		 NULL);
	told_disk(t, "f", "1\n2\nTHREE\nmore\n4\n5\n");
	owned(t, "f", "", "a a b c a a");
}

static void test_multi_edit(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "1\n2\n3\n4\n5\n");
	told_raw(t, B, "toolu_b", "MultiEdit", "f",
		 ",\"edits\":[{\"old_string\":\"2\",\"new_string\":\"TWO\"},"
		 "{\"old_string\":\"TWO\\n3\",\"new_string\":\"TWO\\nx\\n3\"},"
		 "{\"old_string\":\"5\\n\",\"new_string\":\"\"}]",
		 "\"edits\":[{\"old_string\":\"2\",\"new_string\":\"TWO\","
		 "\"replace_all\":false},{\"old_string\":\"TWO\\n3\","
		 "\"new_string\":\"TWO\\nx\\n3\",\"replace_all\":false},"
		 "{\"old_string\":\"5\\n\",\"new_string\":\"\","
		 "\"replace_all\":false}],"
		 "\"originalFileContents\":\"1\\n2\\n3\\n4\\n5\\n\","
		 "\"structuredPatch\":[{\"oldStart\":1,\"oldLines\":5,"
		 "\"newStart\":1,\"newLines\":5,\"lines\":[\" 1\",\"-2\","
		 "\"+TWO\",\"+x\",\" 3\",\" 4\",\"-5\"]}]");
	told_disk(t, "f", "1\nTWO\nx\n3\n4\n");
	owned(t, "f", "", "a b b a a");
}

#define CELL(source)                                                           \
	"{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n"                 \
	"   \"source\": [\n    \"" source "\"\n   ]\n  }\n ]\n}"

static void test_notebook(void **state)
{
	struct told *t = *state;
	const char *old = CELL("x = 1"), *new = CELL("x = 2");

	told_create(t, A, "toolu_a", "n.ipynb", old);
	told_call(t, B, "toolu_b", "NotebookEdit", NULL);
	told_key(t, "notebook_path", told_path(t, "n.ipynb"));
	ccfc_buf_puts(&t->lines, ",\"new_source\":\"x = 2\","
				 "\"cell_id\":\"c\"");
	told_result(t, B, "toolu_b", false);
	ccfc_buf_puts(&t->lines, ",\"toolUseResult\":{\"new_source\":"
				 "\"x = 2\",\"cell_type\":\"code\","
				 "\"edit_mode\":\"replace\",\"error\":\"\",");
	told_key(t, "notebook_path", told_path(t, "n.ipynb"));
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "original_file", old);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "updated_file", new);
	ccfc_buf_putc(&t->lines, '}');
	told_end(t, B);
	told_disk(t, "n.ipynb", new);
	owned(t, "n.ipynb", "", "a a a a a b a a a a");
}

/* Calls of one message have their own models, whatever the parents say. */
static void test_parallel_models(void **state)
{
	struct told *t = *state;
	static const char *const models[] = { "claude-opus-4", "claude-haiku-4",
					      "claude-sonnet-4" };
	char id[24];

	for (int i = 0; i < 3; i++) {
		told_head(t, A, i);
		ccfc_buf_printf(&t->lines,
				"\"type\":\"assistant\",\"uuid\":\"u%d\","
				"\"parentUuid\":\"u%d\",\"message\":{\"id\":"
				"\"m%d\",\"role\":\"assistant\",\"model\":"
				"\"%s\",\"content\":[{\"type\":\"tool_use\","
				"\"id\":\"toolu_%d\",\"name\":\"Write\","
				"\"input\":{\"file_path\":\"%s\",\"content\":"
				"\"%d\\n\"}}]}}\n",
				i, i - 1, i, models[i], i,
				told_path(t, i == 0   ? "f0"
					     : i == 1 ? "f1"
						      : "f2"),
				i);
	}
	for (int i = 0; i < 3; i++) {
		told_head(t, A, 10 + i);
		ccfc_buf_printf(&t->lines,
				"\"type\":\"user\",\"uuid\":\"r%d\","
				"\"parentUuid\":\"u2\",\"message\":{\"role\":"
				"\"user\",\"content\":[{\"type\":"
				"\"tool_result\",\"tool_use_id\":\"toolu_%d\","
				"\"content\":\"ok\"}]},\"toolUseResult\":{"
				"\"type\":\"create\",\"filePath\":\"%s/f%d\","
				"\"content\":\"%d\\n\",\"structuredPatch\":[]}"
				"}\n",
				i, i, t->project, i, i);
	}
	world_write(t->w, A, t->lines.ptr);
	ccfc_buf_clear(&t->lines);
	for (int i = 0; i < 3; i++) {
		char file[16], text[16];

		snprintf(file, sizeof(file), "f%d", i);
		snprintf(text, sizeof(text), "%d\n", i);
		snprintf(id, sizeof(id), "toolu_%d", i);
		told_disk(t, file, text);
		CHECK(world_get(t->w, "file.blame", on(t, file, "")),
		      { "lines/0/model", models[i] },
		      { "lines/0/changeId", id }, { "lines/0/tool", "Write" },
		      { "blocks/0/model", models[i] });
	}
}

/* Texts in transcripts have no line endings; the file has. */
static void test_crlf(void **state)
{
	struct told *t = *state;

	told_edit(t, A, "toolu_a", "f", "one\ntwo\nsix\n", "one\nTWO\nsix\n");
	told_disk(t, "f", "one\r\nTWO\r\nsix\r\n");
	owned(t, "f", "", "out a out");
	CHECK(world_get(t->w, "file.blame", on(t, "f", "")),
	      { "lines/1/content", "TWO" });
	told_disk(t, "f", "one\r\nTWO\nsix\r\nx\r\n");
	owned(t, "f", "", "out a out out");
	/* A client that shows them in its patch shows all as changed. */
	told_raw(t, B, "toolu_b", "Write", "f",
		 ",\"content\":\"one\\nTWO\\n6\\n\"",
		 "\"type\":\"update\",\"content\":\"one\\nTWO\\n6\\n\","
		 "\"originalFile\":\"one\\r\\nTWO\\r\\nsix\\r\\n\","
		 "\"structuredPatch\":[{\"oldStart\":1,\"oldLines\":3,"
		 "\"newStart\":1,\"newLines\":3,\"lines\":[\"-one\\r\","
		 "\"-TWO\\r\",\"-six\\r\",\"+one\",\"+TWO\",\"+6\"]}]");
	told_disk(t, "f", "one\nTWO\n6\n");
	owned(t, "f", "", "out a b");
}

/* --- and more --- */

#define MOVED "static int something_to_move(void);\n"

static void test_moved_block(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", MOVED "1\n2\n3\n");
	told_edit(t, B, "toolu_b", "f", MOVED "1\n2\n3\n",
		  "1\n2\n3\nnew\n" MOVED);
	told_disk(t, "f", "1\n2\n3\nnew\n" MOVED);
	owned(t, "f", "", "a a a b a");
}

static void test_white_space(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "if (x)\nfoo();\n\nbar();\n");
	told_disk(t, "f", "if (x)\n\tfoo();\n\nbar( 1 );\n");
	owned(t, "f", "", "a out a out");
	owned(t, "f", "ignoreSpace:true", "a a a out");
}

/* What was there before the first change is no session's. */
static void test_before_the_first(void **state)
{
	struct told *t = *state;

	told_edit(t, A, "toolu_a", "f", "1\n\n2\n", "1\n\nX\n");
	told_disk(t, "f", "1\n\nX\n");
	owned(t, "f", "", "out out a");
	CHECK(world_get(t->w, "file.blame", on(t, "f", "")),
	      { "lines/0/from", "nil" },
	      { "lines/0/to", "2025-12-10T10:01:01.000Z" });
}

/* States that nothing tells: neither a session's nor anybody's. */
static void test_unknown(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "1\n2\n3\n");
	/* It fits nothing that is known: somebody was there. */
	told_lean(t, B, "toolu_b", "f",
		  "{\"oldStart\":9,\"oldLines\":1,\"newStart\":9,"
		  "\"newLines\":1,\"lines\":[\"-old\",\"+new\"]}");
	told_edit(t, A, "toolu_c", "f", "1\nfar\nnew\n3\n",
		  "1\nfar\nnew\nTHREE\n");
	told_disk(t, "f", "1\nfar\nnew\nTHREE\n");
	owned(t, "f", "", "a ? ? c");
	CHECK(world_get(t->w, "file.blame", on(t, "f", "")),
	      { "lines/1/from", "2025-12-10T10:01:01.000Z" },
	      { "lines/1/to", "2025-12-10T10:03:01.000Z" },
	      { "lines/1/sessionId", "nil" }, { "fidelity", "reconstructed" });
}

/*
 * Patches that fit in spite of somebody who was there: it shows later, and may
 * have been at any time since the last state that is known by itself.
 */
static void test_window(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "1\n2\nold\n");
	told_lean(t, B, "toolu_b", "f",
		  "{\"oldStart\":3,\"oldLines\":1,\"newStart\":3,"
		  "\"newLines\":1,\"lines\":[\"-old\",\"+new\"]}");
	told_edit(t, A, "toolu_c", "f", "1\nZ\nnew\n", "1\nZ\nnew\nend\n");
	told_disk(t, "f", "1\nZ\nnew\nend\n");
	owned(t, "f", "", "a out b c");
	CHECK(world_get(t->w, "file.blame", on(t, "f", "")),
	      { "lines/1/from", "2025-12-10T10:01:01.000Z" },
	      { "lines/1/to", "2025-12-10T10:03:01.000Z" });
}

/* --- what is kept --- */

/* Asked again after each change: the same as asked once at the end. */
static void test_goes_on(void **state)
{
	struct told *t = *state;
	char old[200] = "", new[200];

	told_create(t, A, "toolu_a", "f", "0\n1\n2\n3\n");
	strcpy(old, "0\n1\n2\n3\n");
	for (int i = 0; i < 4; i++) {
		char id[24];

		snprintf(id, sizeof(id), "toolu_%d", i);
		strcpy(new, old);
		new[2 * i] = (char)('A' + i);
		told_disk(t, "f", old);
		world_get(t->w, "file.blame", on(t, "f", ""));
		told_edit(t, i % 2 ? A : B, id, "f", old, new);
		strcpy(old, new);
	}
	told_disk(t, "f", new);
	owned(t, "f", "", "0 1 2 3");
	owned(t, "f", "at=toolu_1", "0 1 a a");
	owned(t, "f", "at=before:toolu_1", "0 a a a");
	owned(t, "f", "at=toolu_a", "a a a a");
	owned(t, "f", "", "0 1 2 3");
	/* The disk alone changes, and comes back. */
	told_disk(t, "f", "A\nB\nmine\nC\nD\n");
	owned(t, "f", "", "0 1 out 2 3");
	told_disk(t, "f", new);
	owned(t, "f", "", "0 1 2 3");
}

/* A state that was not known becomes so by what comes later. */
static void test_later_knowledge(void **state)
{
	struct told *t = *state;

	told_lean(t, A, "toolu_a", "f",
		  "{\"oldStart\":2,\"oldLines\":1,\"newStart\":2,"
		  "\"newLines\":1,\"lines\":[\"-old\",\"+new\"]}");
	fails(t, "file.blame", on(t, "f", ""), CCFC_ENOTFOUND,
	      "does not exist now", "");
	told_edit(t, B, "toolu_b", "f", "1\nnew\n3\n", "1\nnew\n3\n4\n");
	told_disk(t, "f", "1\nnew\n3\n4\n");
	owned(t, "f", "", "out a out b");
}

/* The same when the owners of before were kept. */
static void test_better_knowledge(void **state)
{
	struct told *t = *state;

	told_create(t, A, "toolu_a", "f", "1\n2\n3\n");
	told_lean(t, B, "toolu_b", "f",
		  "{\"oldStart\":2,\"oldLines\":1,\"newStart\":2,"
		  "\"newLines\":1,\"lines\":[\"-old\",\"+new\"]}");
	told_disk(t, "f", "1\nother\n3\n");
	owned(t, "f", "", "a ? a");
	told_edit(t, A, "toolu_c", "f", "1\nnew\n3\n", "1\nnew\n3\n4\n");
	told_disk(t, "f", "1\nnew\n3\n4\n");
	owned(t, "f", "", "a b a c");
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_within_a_line),
		TEST(test_overwrite),
		TEST(test_replace_all),
		TEST(test_a_persons_line),
		TEST(test_context_in_the_strings),
		TEST(test_multi_edit),
		TEST(test_notebook),
		TEST(test_parallel_models),
		TEST(test_crlf),
		TEST(test_moved_block),
		TEST(test_white_space),
		TEST(test_before_the_first),
		TEST(test_unknown),
		TEST(test_window),
		TEST(test_goes_on),
		TEST(test_later_knowledge),
		TEST(test_better_knowledge),
	};

	(void)setup;
	return cmocka_run_group_tests_name("history/blame", tests, NULL, NULL);
}
