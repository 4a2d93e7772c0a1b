/*
 * What was said and spent: whose it is, what counts once, what starts over
 * when a transcript is read anew, titles and states of sessions. Lines are
 * given as they stand in a transcript, with backticks for quotes; a source is
 * named after its session, "s1", or is an agent's: "s1@a".
 */
#include "index/query/totals.h"

#include "../whole_tallies.h"

#include "base/alloc.h"
#include "base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct line {
	const char *source, *text;
};

static struct ccfc_parser *parser;

static uint32_t source_of(struct ccfc_index *index, const char *path)
{
	struct ccfc_name name = { .kind = CCFC_NAME_SESSION,
				  .session = ccfc_slice(path, 2) };

	if (strchr(path, '@')) {
		name.kind = CCFC_NAME_AGENT;
		name.agent = ccfc_slice_str(strchr(path, '@') + 1);
	}
	return ccfc_index_source(index, ccfc_slice_str(path), &name);
}

static void put(struct ccfc_index *index, const struct line *line)
{
	size_t len = strlen(line->text);
	char *copy = ccfc_calloc(len + 64, 1);
	uint32_t source = source_of(index, line->source);
	struct ccfc_record r;
	uint64_t at = index->sources.items[source].cursor.offset;

	for (size_t i = 0; i < len; i++)
		copy[i] = line->text[i] == '`' ? '"' : line->text[i];
	ccfc_record_parse(parser, &r, ccfc_slice(copy, len));
	assert_true(r.kind != CCFC_RECORD_MALFORMED);
	index->sources.items[source].cursor.offset = at + len + 1;
	ccfc_index_apply(index, source, &r, at, len);
	free(copy);
}

static void put_all(struct ccfc_index *index, const struct line *lines,
		    size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(index, &lines[i]);
	ccfc_index_settle(index);
}

#define PUT(index, lines)                                                      \
	put_all(index, lines, sizeof(lines) / sizeof(*(lines)))

/* Reads the sources in two orders, settled in between or not. */
static void run(const struct line *lines, size_t n,
		void (*check)(const struct ccfc_index *index))
{
	for (int way = 0; way < 4; way++) {
		struct ccfc_index *index = ccfc_index_new(NULL);

		for (int pass = 0; pass < 2; pass++) {
			for (size_t i = 0; i < n; i++)
				if (!strcmp(lines[i].source, lines[0].source) ==
				    (pass == way % 2))
					put(index, &lines[i]);
			if (way / 2)
				ccfc_index_settle(index);
		}
		ccfc_index_settle(index);
		check(index);
		ccfc_index_free(index);
	}
}

#define RUN(lines, check) run(lines, sizeof(lines) / sizeof(*(lines)), check)

static uint32_t session_of(const struct ccfc_index *index, const char *id)
{
	uint32_t s = ccfc_strtab_find(&index->session_ids, ccfc_slice_str(id));

	assert_true(s != CCFC_ID_NONE);
	return s;
}

/* Row by row they add up to the same. */
static void check_pieces(const struct ccfc_index *index)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_tally *all = tally_all(index, &arena);
	struct ccfc_tallying pieces;

	ccfc_tally_begin(&pieces, index, &arena);
	while (ccfc_tally_some(&pieces, 1))
		;
	assert_memory_equal(pieces.out, all, index->sessions.n * sizeof(*all));
	ccfc_arena_release(&arena);
}

static struct ccfc_tally tally(const struct ccfc_index *index, const char *id)
{
	struct ccfc_tally t;

	check_pieces(index);
	tally_session(&t, index, session_of(index, id));
	return t;
}

#define TIME(n)	 "`timestamp`:`2025-12-10T10:00:0" n ".000Z`"
#define OF(s, n) "`sessionId`:`" s "`," TIME(n)
#define SAID(s, n, id, in, out, more)                                          \
	"{`type`:`assistant`," OF(                                             \
		s, n) ",`message`:{`id`:`" id "`,"                             \
		      "`model`:`m`,`usage`:{`input_tokens`:" in                \
		      ",`output_tokens`:" out "},`content`:[" more "]}}"
#define USE(id, tool, input)                                                   \
	"{`type`:`tool_use`,`id`:`" id "`,`name`:`" tool "`,`input`:{" input   \
	"}}"
#define TEXT(x) "{`type`:`text`,`text`:`" x "`}"
#define RESULT(s, n, id, more)                                                 \
	"{`type`:`user`," OF(s, n) ",`message`:{`content`:[{`type`:"           \
				   "`tool_result`,`tool_use_id`:`" id "`" more \
				   "}]}}"
#define ERROR ",`is_error`:true"
#define PROMPT(s, n, uuid, text)                                               \
	"{`type`:`user`," OF(s, n) ",`uuid`:`" uuid                            \
				   "`,`message`:{`content`:`" text "`}}"

/* --- messages --- */

static void check_usage(const struct ccfc_index *index)
{
	struct ccfc_tally one = tally(index, "s1"), two = tally(index, "s2");

	/* The last line of each message, once. */
	assert_int_equal(one.main.tokens.input, 3 + 50);
	assert_int_equal(one.main.tokens.output, 8 + 60);
	assert_int_equal(one.main.assistant, 3);
	assert_int_equal(one.main.uses, 1);
	/* The fork has only what it said itself, but holds all records. */
	assert_int_equal(two.main.tokens.input, 7);
	assert_int_equal(two.main.assistant, 3);
	assert_int_equal(two.main.uses, 0);
}

static void test_usage(void **state)
{
	static const struct line lines[] = {
		{ "s1", PROMPT("s1", "0", "p1", "go") },
		{ "s1", SAID("s1", "1", "x", "1", "1", TEXT("a")) },
		{ "s1", SAID("s1", "2", "x", "3", "8", USE("t1", "Bash", "")) },
		{ "s1", PROMPT("s1", "3", "p2", "on") },
		{ "s1", SAID("s1", "4", "y", "50", "60", TEXT("b")) },
		{ "s2", PROMPT("s2", "0", "p1", "go") },
		{ "s2", SAID("s2", "1", "x", "1", "1", TEXT("a")) },
		{ "s2", SAID("s2", "2", "x", "3", "8", USE("t1", "Bash", "")) },
		{ "s2", PROMPT("s2", "5", "p3", "else") },
		{ "s2", SAID("s2", "6", "z", "7", "7", TEXT("c")) },
	};

	(void)state;
	RUN(lines, check_usage);
}

static void check_agent(const struct ccfc_index *index)
{
	struct ccfc_tally t = tally(index, "s1");

	assert_int_equal(t.main.tokens.input, 5);
	assert_int_equal(t.agents.tokens.input, 9 + 4);
	assert_int_equal(t.main.assistant, 1);
	assert_int_equal(t.agents.assistant, 2);
	assert_int_equal(t.main.uses, 1);
	assert_int_equal(t.agents.uses, 1);
	assert_int_equal(t.nagents, 1);
}

/* Some agents' files are copies of the conversation. */
static void test_agent(void **state)
{
	static const struct line lines[] = {
		{ "s1", SAID("s1", "1", "x", "5", "1", USE("t1", "Bash", "")) },
		{ "s1", "{`type`:`assistant`,`isSidechain`:true," OF(
				"s1", "1") ",`message`:{`id`:`i`,`usage`:{`"
					   "input_tokens`:4}}}" },
		{ "s1@a",
		  SAID("s1", "1", "x", "5", "1", USE("t1", "Bash", "")) },
		{ "s1@a",
		  SAID("s1", "2", "y", "9", "1", USE("t2", "Bash", "")) },
	};

	(void)state;
	RUN(lines, check_agent);
}

/* --- calls --- */

struct errors {
	const struct ccfc_index *index;
	char text[128];
};

static void add_error(void *ctx, const struct ccfc_call_fact *used)
{
	struct errors *e = ctx;

	snprintf(e->text + strlen(e->text), sizeof(e->text) - strlen(e->text),
		 "%s%s ", ccfc_index_str(e->index, used->tool).ptr,
		 used->error ? "!" : "");
}

static void test_errors(void **state)
{
	static const struct line lines[] = {
		{ "s1", SAID("s1", "1", "x", "1", "1", USE("t1", "A", "")) },
		{ "s1", RESULT("s1", "2", "t1", ERROR) },
		{ "s1", SAID("s1", "3", "x", "1", "1", USE("t2", "B", "")) },
		{ "s1", RESULT("s1", "4", "t2", ERROR) },
		{ "s1", RESULT("s1", "4", "t2", "") },
		{ "s1", SAID("s1", "5", "x", "1", "1", USE("t3", "C", "")) },
		{ "s1", RESULT("s1", "6", "t4", ERROR) },
		{ "s1", SAID("s1", "7", "x", "1", "1", USE("t4", "D", "")) },
		/* Nobody called it. */
		{ "s1", RESULT("s1", "8", "t5", ERROR) },
	};
	struct ccfc_index *index = ccfc_index_new(NULL);
	struct errors errors = { index, "" };

	(void)state;
	PUT(index, lines);
	tally_used(index, add_error, &errors);
	/* In the order in which they were heard of. */
	assert_string_equal(errors.text, "A! B C D! ");
	assert_int_equal(tally(index, "s1").main.errors, 2);
	/* Results of these are no orphans: they are not written. */
	assert_int_equal(index->orphans.n - index->orphans_taken, 1);
	ccfc_index_free(index);
}

static void add_look(void *ctx, const struct ccfc_read_fact *look)
{
	struct errors *e = ctx;

	snprintf(e->text + strlen(e->text), sizeof(e->text) - strlen(e->text),
		 "%s by %s%s, ", ccfc_index_file_path(e->index, look->file).ptr,
		 ccfc_index_str(e->index, look->agent).ptr,
		 look->error ? " not" : "");
}

#define READ(id, path) USE(id, "Read", "`file_path`:`" path "`")

static void test_looks(void **state)
{
	static const struct line lines[] = {
		{ "s1", SAID("s1", "1", "x", "1", "1", READ("t1", "/p/../a")) },
		{ "s1", SAID("s1", "2", "x", "1", "1", READ("t2", "/a")) },
		{ "s1@a", SAID("s1", "3", "y", "1", "1", READ("t3", "/b")) },
		{ "s1", SAID("s1", "4", "z", "1", "1", READ("t4", "/c")) },
		{ "s1", RESULT("s1", "5", "t4", ERROR) },
		/* A copy is no look of its own. */
		{ "s2", SAID("s2", "6", "x", "1", "1", READ("t1", "/a")) },
	};
	struct ccfc_index *index = ccfc_index_new(NULL);
	struct errors all = { index, "" }, one = { index, "" };
	uint32_t b;

	(void)state;
	PUT(index, lines);
	tally_looks(index, 0, 0, add_look, &all);
	assert_string_equal(all.text, "/a by , /a by , /b by a, /c by  not, ");
	b = ccfc_query_file(index, CCFC_SLICE_LIT("/b"));
	tally_looks(index, b, session_of(index, "s1"), add_look, &one);
	tally_looks(index, b, session_of(index, "s2"), add_look, &one);
	assert_string_equal(one.text, "/b by a, ");
	assert_int_equal(tally(index, "s1").files_read, 2);
	assert_int_equal(tally(index, "s2").files_read, 0);
	/* Files that were only looked at have no changes. */
	assert_int_equal(index->files.items[b].n, 0);
	ccfc_index_free(index);
}

/* --- a transcript that is read anew --- */

#define TITLE(s, kind, key, text)                                              \
	"{`type`:`" kind "`,`" key "`:`" text "`,`sessionId`:`" s "`}"

static void test_anew(void **state)
{
	static const struct line before[] = {
		{ "s1", PROMPT("s1", "0", "p1", "go") },
		{ "s1", TITLE("s1", "custom-title", "customTitle", "mine") },
		{ "s1", SAID("s1", "1", "x", "5", "1", TEXT("So?")) },
		{ "s1", SAID("s1", "2", "y", "7", "1", TEXT("So?")) },
	};
	static const struct line after[] = {
		{ "s1", PROMPT("s1", "0", "p1", "go") },
		{ "s1", SAID("s1", "1", "x", "6", "1", TEXT("So.")) },
	};
	struct ccfc_index *index = ccfc_index_new(NULL);
	struct ccfc_slice title;
	struct ccfc_tally t;

	(void)state;
	PUT(index, before);
	assert_int_equal(ccfc_tally_status(index, 1, INT64_MAX),
			 CCFC_STATUS_WAITING);
	ccfc_index_source_reset(index, 0);
	ccfc_index_settle(index);
	assert_int_equal(tally(index, "s1").main.user, 0);
	PUT(index, after);
	t = tally(index, "s1");
	assert_int_equal(t.main.user, 1);
	assert_int_equal(t.main.assistant, 1);
	/* What was said and is gone was paid for. */
	assert_int_equal(t.main.tokens.input, 6 + 7);
	assert_int_equal(ccfc_tally_status(index, 1, INT64_MAX),
			 CCFC_STATUS_COMPLETED);
	assert_int_equal(ccfc_tally_title(&title, index, 1), CCFC_TITLE_CUSTOM);
	assert_true(ccfc_slice_is(title, "mine"));
	ccfc_index_free(index);
}

static void take_said(void *ctx, const struct ccfc_message_fact *said)
{
	struct ccfc_message_fact *out = ctx;

	assert_int_equal(out->session, 0);
	*out = *said;
}

static struct ccfc_message_fact only_message(const struct ccfc_index *index)
{
	struct ccfc_message_fact said = { 0 };

	tally_said(index, take_said, &said);
	assert_int_equal(said.session, session_of(index, "s1"));
	return said;
}

#define ASIDE(n, id, in)                                                       \
	"{`type`:`assistant`,`isSidechain`:true," OF(                          \
		"s1", n) ",`message`:{`id`:`" id                               \
			 "`,`usage`:{`input_tokens`:" in "}}}"

/* Its earliest time, the session's before an agent's; read anew, just that. */
static void test_message(void **state)
{
	static const struct line before[] = {
		{ "s1", ASIDE("3", "x", "1") },
		{ "s1", SAID("s1", "2", "x", "2", "1", TEXT("a")) },
		{ "s1", SAID("s1", "4", "x", "3", "1", TEXT("b")) },
	};
	static const struct line after[] = { { "s1", ASIDE("5", "x", "9") } };
	struct ccfc_index *index = ccfc_index_new(NULL);
	int64_t start =
		ccfc_time_parse(CCFC_SLICE_LIT("2025-12-10T10:00:00.000Z"));
	struct ccfc_message_fact said;

	(void)state;
	PUT(index, before);
	said = only_message(index);
	assert_int_equal(said.time, start + 2000);
	assert_false(said.agent);
	assert_int_equal(said.tokens.input, 3);
	ccfc_index_source_reset(index, 0);
	PUT(index, after);
	said = only_message(index);
	assert_int_equal(said.time, start + 5000);
	assert_true(said.agent);
	assert_int_equal(said.model, 0);
	/* It says less than was said before. */
	assert_int_equal(said.tokens.input, 3);
	ccfc_index_free(index);
}

/* --- titles and states --- */

static void expect_title(const struct ccfc_index *index, const char *from,
			 const char *text)
{
	struct ccfc_slice title;
	enum ccfc_title got =
		ccfc_tally_title(&title, index, session_of(index, "s1"));

	assert_string_equal(ccfc_title_text(got), from);
	assert_true(ccfc_slice_is(title, text));
}

static void test_titles(void **state)
{
	static const struct {
		struct line line;
		const char *from, *text;
	} steps[] = {
		{ { "s1", "{`type`:`user`," OF("s1", "0") "}" }, "", "" },
		{ { "s1", PROMPT("s1", "5", "p2", "later") },
		  "prompt",
		  "later" },
		{ { "s1", PROMPT("s1", "3", "p1", "first") },
		  "prompt",
		  "first" },
		/* A summary stands in another transcript. */
		{ { "s2", "{`type`:`summary`,`summary`:`one`,"
			  "`leafUuid`:`p1`}" },
		  "summary",
		  "one" },
		{ { "s2", "{`type`:`summary`,`summary`:`two`,"
			  "`leafUuid`:`p2`}" },
		  "summary",
		  "two" },
		/* Of an earlier leaf. */
		{ { "s2", "{`type`:`summary`,`summary`:`zzz`,"
			  "`leafUuid`:`p1`}" },
		  "summary",
		  "two" },
		/* Before its leaf. */
		{ { "s2", "{`type`:`summary`,`summary`:`new`,"
			  "`leafUuid`:`p3`}" },
		  "summary",
		  "two" },
		{ { "s1", PROMPT("s1", "7", "p3", "last") }, "summary", "new" },
		{ { "s1", TITLE("s1", "ai-title", "aiTitle", "A") },
		  "ai",
		  "A" },
		{ { "s1", TITLE("s1", "ai-title", "aiTitle", "B") },
		  "ai",
		  "B" },
		{ { "s1", TITLE("s1", "custom-title", "customTitle", "C") },
		  "custom",
		  "C" },
		{ { "s1", TITLE("s1", "custom-title", "customTitle", "") },
		  "ai",
		  "B" },
	};
	struct ccfc_index *index = ccfc_index_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		put(index, &steps[i].line);
		ccfc_index_settle(index);
		expect_title(index, steps[i].from, steps[i].text);
	}
	ccfc_index_free(index);
}

static void test_status(void **state)
{
	static const struct {
		struct line line;
		const char *late, *soon; /* an hour after, and at once */
	} steps[] = {
		{ { "s1", PROMPT("s1", "0", "p1", "go") },
		  "completed",
		  "active" },
		{ { "s1",
		    SAID("s1", "1", "x", "1", "1", USE("t1", "Bash", "")) },
		  "completed",
		  "active" },
		{ { "s1", RESULT("s1", "2", "t1", ERROR) },
		  "failed",
		  "active" },
		{ { "s1", SAID("s1", "3", "y", "1", "1", TEXT("So?")) },
		  "waiting",
		  "waiting" },
		/* What agents say does not answer. */
		{ { "s1@a", SAID("s1", "4", "z", "1", "1", TEXT("So.")) },
		  "waiting",
		  "waiting" },
		/* The question came after the error: it was coped with. */
		{ { "s1", PROMPT("s1", "5", "p2", "yes") },
		  "completed",
		  "active" },
		{ { "s1", RESULT("s1", "5", "t2", ERROR) },
		  "failed",
		  "active" },
		{ { "s1", RESULT("s1", "6", "t2", "") },
		  "completed",
		  "active" },
		/* Writing takes no hour: it wants permission. */
		{ { "s1",
		    SAID("s1", "7", "w", "1", "1", USE("t3", "Edit", "")) },
		  "waiting",
		  "active" },
		{ { "s1", RESULT("s1", "8", "t3", ERROR) },
		  "failed",
		  "active" },
		{ { "s1", SAID("s1", "9", "v", "1", "1", TEXT("Done.")) },
		  "completed",
		  "active" },
	};
	struct ccfc_index *index = ccfc_index_new(NULL);
	const int64_t now =
		ccfc_time_parse(CCFC_SLICE_LIT("2025-12-10T10:00:09.000Z"));

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		put(index, &steps[i].line);
		assert_string_equal(ccfc_status_text(ccfc_tally_status(
					    index, 1, now + 3600000)),
				    steps[i].late);
		assert_string_equal(
			ccfc_status_text(ccfc_tally_status(index, 1, now)),
			steps[i].soon);
	}
	assert_int_equal(ccfc_status_from_text(CCFC_SLICE_LIT("failed")),
			 CCFC_STATUS_FAILED);
	assert_int_equal(ccfc_status_from_text(CCFC_SLICE_LIT("fail")), -1);
	ccfc_index_free(index);
}

static void test_source(void **state)
{
	static const struct line lines[] = {
		{ "s1@a", SAID("s1", "1", "x", "1", "1", TEXT("a")) },
		{ "s2", SAID("s1", "1", "y", "1", "1", TEXT("a")) },
		{ "s1", SAID("s1", "1", "z", "1", "1", TEXT("a")) },
	};
	struct ccfc_index *index = ccfc_index_new(NULL);
	uint32_t s1;

	(void)state;
	put(index, &lines[0]);
	s1 = session_of(index, "s1");
	assert_true(ccfc_tally_source(index, s1) == CCFC_ID_NONE);
	put(index, &lines[1]);
	assert_int_equal(ccfc_tally_source(index, s1), 1);
	put(index, &lines[2]);
	assert_int_equal(ccfc_tally_source(index, s1), 2);
	assert_int_equal(tally(index, "s1").bytes, strlen(lines[2].text) + 1);
	assert_int_equal(tally(index, "s1").agent_bytes,
			 strlen(lines[0].text) + 1);
	ccfc_index_source_gone(index, 2, true);
	assert_int_equal(ccfc_tally_source(index, s1), 1);
	ccfc_index_source_gone(index, 1, true);
	assert_int_equal(ccfc_tally_source(index, s1), 2);
	ccfc_index_free(index);
}

/* --- what an answer goes by --- */

static void expect_revised(const struct ccfc_index *index, uint64_t *last,
			   bool revised)
{
	assert_int_equal(index->revision > *last, revised);
	*last = index->revision;
}

static void test_revision(void **state)
{
	static const struct line line = { "s1", SAID("s1", "1", "m1", "1", "1",
						     TEXT("x")) };
	struct ccfc_index *index = ccfc_index_new(NULL);
	struct ccfc_name name = { .kind = CCFC_NAME_SESSION };
	struct ccfc_slice link = CCFC_SLICE_LIT("link");
	uint64_t last = 0;

	(void)state;
	put(index, &line);
	expect_revised(index, &last, true);
	ccfc_index_settle(index);
	expect_revised(index, &last, true);
	/* Looking and storing change nothing. */
	ccfc_index_settle(index);
	ccfc_index_stored(index);
	ccfc_index_source_gone(index, source_of(index, "s1"), false);
	ccfc_index_alias_drop(index, link);
	tally(index, "s1");
	expect_revised(index, &last, false);
	ccfc_index_source_gone(index, 0, true);
	expect_revised(index, &last, true);
	ccfc_index_alias_put(index, 0, link, &name);
	expect_revised(index, &last, true);
	ccfc_index_alias_drop(index, link);
	expect_revised(index, &last, true);
	source_of(index, "s2");
	expect_revised(index, &last, true);
	ccfc_index_source_reset(index, 0);
	expect_revised(index, &last, true);
	ccfc_index_new_epoch(index);
	expect_revised(index, &last, true);
	ccfc_index_free(index);
}

static int setup(void **state)
{
	(void)state;
	parser = ccfc_parser_new(NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ccfc_parser_free(parser);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage),  cmocka_unit_test(test_agent),
		cmocka_unit_test(test_errors), cmocka_unit_test(test_looks),
		cmocka_unit_test(test_anew),   cmocka_unit_test(test_message),
		cmocka_unit_test(test_titles), cmocka_unit_test(test_status),
		cmocka_unit_test(test_source), cmocka_unit_test(test_revision),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
