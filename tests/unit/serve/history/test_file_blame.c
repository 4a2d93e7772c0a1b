/* file.blame: what a line says, which lines are given, what is refused. */
#include "told.h"

#define FIRST "lines/0/"

static void test_lines(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o =
		world_get(t->w, "file.blame", on(t, "f.txt", "at:nil"));

	CHECK(o, { "path", told_path(t, "f.txt") }, { "at", "nil" },
	      { "totalLines", "7" }, { "fidelity", "exact" }, { "why", "nil" },
	      { "truncated", "false" }, { FIRST "line", "1" },
	      { FIRST "origLine", "1" }, { FIRST "kind", "session" },
	      { FIRST "changeId", "toolu_01a" },
	      { FIRST "sessionId", SESSION_A }, { FIRST "agentId", "nil" },
	      { FIRST "agentType", "nil" }, { FIRST "model", "opus" },
	      { FIRST "version", "2.1.0" }, { FIRST "tool", "Edit" },
	      { FIRST "timestamp", "2025-12-10T10:02:00.000Z" },
	      { FIRST "prompt", "nil" }, { FIRST "messageUuid", "utoolu_01a" },
	      { FIRST "from", "nil" }, { FIRST "to", "nil" },
	      { FIRST "content", "ONE" }, { "lines/1/changeId", "toolu_00c" },
	      { "lines/3/changeId", "toolu_03c" },
	      { "lines/6/changeId", "toolu_02b" }, { "lines/6/origLine", "7" },
	      { "lines/7", "(none)" });
	assert_int_equal(ccfc_obj_type(at(o, "lines/0/content")), CCFC_OBJ_BIN);
	assert_true(ccfc_obj_is_str(at(o, "clock")));
}

static void test_blocks(void **state)
{
	struct told *t = *state;
	struct ccfc_obj o = world_get(t->w, "file.blame", on(t, "f.txt", ""));

	CHECK(o, { "blocks/0/start", "1" }, { "blocks/0/end", "1" },
	      { "blocks/0/changeId", "toolu_01a" }, { "blocks/1/start", "2" },
	      { "blocks/1/end", "3" }, { "blocks/1/kind", "session" },
	      { "blocks/1/changeId", "toolu_00c" },
	      { "blocks/1/sessionId", SESSION_C },
	      { "blocks/1/agentId", "nil" }, { "blocks/1/model", "opus" },
	      { "blocks/1/timestamp", "2025-12-10T10:01:00.000Z" },
	      { "blocks/1/prompt", "nil" }, { "blocks/1/from", "nil" },
	      { "blocks/1/to", "nil" }, { "blocks/1/tool", "(none)" },
	      { "blocks/4/end", "7" }, { "blocks/5", "(none)" });
}

/* A part of the file; its blocks end where it does. */
static void test_range(void **state)
{
	struct told *t = *state;

	CHECK(world_get(t->w, "file.blame", on(t, "f.txt", "from:3;to:5")),
	      { "totalLines", "7" }, { "lines/0/line", "3" },
	      { "lines/2/line", "5" }, { "lines/3", "(none)" },
	      { "blocks/0/start", "3" }, { "blocks/0/end", "3" },
	      { "blocks/2/end", "5" }, { "blocks/3", "(none)" });
	CHECK(world_get(t->w, "file.blame", on(t, "f.txt", "from:7")),
	      { "lines/0/line", "7" }, { "lines/1", "(none)" });
	CHECK(world_get(t->w, "file.blame", on(t, "f.txt", "to:2000")),
	      { "lines/6/line", "7" });
	CHECK(world_get(t->w, "file.blame",
			on(t, "f.txt", "to:1;includeContent:false")),
	      { "lines/0/line", "1" }, { "lines/0/content", "(none)" },
	      { "lines/1", "(none)" });
}

static void test_at(void **state)
{
	struct told *t = *state;

	told_disk(t, "f.txt", NULL);
	CHECK(world_get(t->w, "file.blame", on(t, "f.txt", "at=toolu_02b")),
	      { "at", "toolu_02b" }, { FIRST "changeId", "toolu_01a" },
	      { "lines/3/changeId", "toolu_00c" },
	      { "lines/6/changeId", "toolu_02b" }, { "fidelity", "exact" });
	CHECK(world_get(t->w, "file.blame",
			on(t, "f.txt", "at=before:" SESSION_A)),
	      { FIRST "changeId", "toolu_00c" }, { FIRST "content", "one" });
	CHECK(world_get(t->w, "file.blame",
			on(t, "f.txt", "at=2025-12-10T10:02:30Z")),
	      { FIRST "changeId", "toolu_01a" },
	      { "lines/6/changeId", "toolu_00c" });
}

/* Somebody else's lines have a window in place of a change. */
static void test_outside(void **state)
{
	struct told *t = *state;

	told_disk(t, "f.txt", T4 "mine\n\n");
	CHECK(world_get(t->w, "file.blame", on(t, "f.txt", "from:8")),
	      { FIRST "kind", "outside" }, { FIRST "changeId", "nil" },
	      { FIRST "sessionId", "nil" }, { FIRST "model", "nil" },
	      { FIRST "version", "nil" }, { FIRST "tool", "nil" },
	      { FIRST "timestamp", "nil" }, { FIRST "messageUuid", "nil" },
	      { FIRST "from", "2025-12-10T10:05:01.000Z" },
	      { FIRST "to", "nil" }, { FIRST "origLine", "8" },
	      { FIRST "content", "mine" }, { "lines/1/kind", "outside" },
	      { "lines/1/content", "" }, { "blocks/0/start", "8" },
	      { "blocks/0/end", "9" }, { "blocks/0/kind", "outside" },
	      { "blocks/0/from", "2025-12-10T10:05:01.000Z" });
}

static void test_names(void **state)
{
	struct told *t = *state;
	char options[600];

	snprintf(options, sizeof(options), "path=f.txt;cwd=%s", t->project);
	CHECK(world_get(t->w, "file.blame", options),
	      { "path", told_path(t, "f.txt") });
	snprintf(options, sizeof(options),
		 "path=/elsewhere;alternatives[/no,%s", told_path(t, "f.txt"));
	CHECK(world_get(t->w, "file.blame", options),
	      { "path", told_path(t, "f.txt") });
}

static void test_refused(void **state)
{
	struct told *t = *state;

	fails(t, "file.blame", "path=/nobody", CCFC_ENOTFOUND,
	      "/nobody: no session changed it", "");
	fails(t, "file.blame", on(t, "f.txt", "from:8"), CCFC_ENOTFOUND,
	      "f.txt: line 8: it has only 7 lines", "");
	fails(t, "file.blame", on(t, "f.txt", "from:0"), CCFC_EINVAL,
	      "option 'from' must be the number of a line, from 1", "");
	fails(t, "file.blame", on(t, "f.txt", "to:-1"), CCFC_EINVAL,
	      "option 'to' must be the number of a line, from 1", "");
	fails(t, "file.blame", on(t, "f.txt", "from:3;to:2"), CCFC_EINVAL,
	      "option 'from' is greater than option 'to'", "");
	fails(t, "file.blame", on(t, "f.txt", "ignoreSpace:1"), CCFC_EINVAL,
	      "option 'ignoreSpace' must be true or false", "");
	fails(t, "file.blame", on(t, "f.txt", "limit:1"), CCFC_EINVAL,
	      "unknown option 'limit'", "");
	fails(t, "file.blame", on(t, "f.txt", "at=toolu_09f"), CCFC_ENOTFOUND,
	      "did not take effect", "");
	fails(t, "file.blame", on(t, "f.txt", "at=before:toolu_00c"),
	      CCFC_ENOTFOUND, "did not exist then", "");
	told_disk(t, "f.txt", NULL);
	fails(t, "file.blame", on(t, "f.txt", ""), CCFC_ENOTFOUND,
	      "f.txt: does not exist now", "at");
	mkdir(told_path(t, "f.txt"), 0700);
	fails(t, "file.blame", on(t, "f.txt", ""), CCFC_EIO,
	      "f.txt: cannot be read as a file", "");
	rmdir(told_path(t, "f.txt"));
}

/* The prompt that a change served: one line of it, not too much. */
static void test_prompt(void **state)
{
	struct told *t = *state;
	char text[700] = " fix \\n\\t the  thing: ", want[500];

	for (int i = 0; i < 250; i++)
		strcat(text, "é");
	strcpy(want, "fix the thing: ");
	for (int i = 0; i < 184; i++)
		strcat(want, "é");
	strcat(want, "…");
	t->minute++;
	told_head(t, SESSION_A, 0);
	ccfc_buf_printf(&t->lines,
			"\"type\":\"user\",\"uuid\":\"p1\",\"message\":{"
			"\"role\":\"user\",\"content\":\"%s\"}",
			text);
	told_end(t, SESSION_A);
	told_edit(t, SESSION_A, "toolu_10p", "f.txt", T4, T4 "8\n");
	told_disk(t, "f.txt", T4 "8\n");
	world_get(t->w, "file.blame", on(t, "f.txt", "from:8"));
	{
		struct ccfc_slice got =
			ccfc_obj_str(at(t->w->reply.result, "lines/0/prompt"));

		assert_int_equal(got.len, strlen(want));
		assert_memory_equal(got.ptr, want, strlen(want));
	}
	CHECK(t->w->reply.result, { "lines/0/changeId", "toolu_10p" });
	assert_true(ccfc_slice_eq(
		ccfc_obj_str(at(t->w->reply.result, "lines/0/prompt")),
		ccfc_obj_str(at(t->w->reply.result, "blocks/0/prompt"))));
}

/* No lines are no error; a file without any has none. */
static void test_empty(void **state)
{
	struct told *t = *state;

	told_disk(t, "f.txt", "");
	CHECK(world_get(t->w, "file.blame", on(t, "f.txt", "")),
	      { "totalLines", "0" }, { "lines/0", "(none)" },
	      { "blocks/0", "(none)" });
	fails(t, "file.blame", on(t, "f.txt", "from:1"), CCFC_ENOTFOUND,
	      "line 1: it has only 0 lines", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lines), TEST(test_blocks),  TEST(test_range),
		TEST(test_at),	  TEST(test_outside), TEST(test_names),
		TEST(test_empty), TEST(test_refused), TEST(test_prompt),
	};

	return cmocka_run_group_tests_name("serve/blame", tests, NULL, NULL);
}
