/*
 * Facts merged by hand: each test is a way in which an order of reading, a
 * cut between batches or a second reading has shown, or might.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define LINE 100u

/* One line, in short. */
struct said {
	const char *source; /* its path's last part */
	const char *session;
	int64_t time;
	const char *uuid;
	const char *call;   /* tool_use id */
	const char *other;  /* the same of a tool that does not write */
	const char *result; /* of that id */
	const char *path;
	const char *message;
	const char *branch;
	enum ccfc_state state;
	enum ccfc_op op;
	bool detail;
	bool prompt;
};

static uint32_t source_of(struct ccfc_index *index, const char *name)
{
	const struct ccfc_name as = { .kind = CCFC_NAME_SESSION };
	char path[64];

	snprintf(path, sizeof(path), "/t/%s", name);
	return ccfc_index_source(index, ccfc_slice_str(path), &as);
}

static struct ccfc_slice or_none(const char *text)
{
	return text ? ccfc_slice_str(text) : CCFC_SLICE_NONE;
}

static void say(struct ccfc_index *index, const struct said *said)
{
	uint32_t id = source_of(index, said->source);
	struct ccfc_cursor *cursor = &index->sources.items[id].cursor;
	struct ccfc_call call = {
		.id = or_none(said->call ? said->call : said->other),
		.tool = CCFC_SLICE_LIT("Edit"),
		.writes = said->call,
		.path = or_none(said->path),
		.nparts = 1,
	};
	struct ccfc_result result = { .id = or_none(said->result),
				      .state = said->state,
				      .op = said->op,
				      .detail = said->detail,
				      .tool = CCFC_SLICE_LIT("Edit"),
				      .path = or_none(said->path) };
	struct ccfc_record r = {
		.kind = said->call || said->other || said->message
				? CCFC_RECORD_ASSISTANT
				: CCFC_RECORD_USER,
		.type = CCFC_SLICE_LIT("user"),
		.session = or_none(said->session),
		.time = said->time ? said->time : CCFC_TIME_NONE,
		.uuid = or_none(said->uuid),
		.message_id = or_none(said->message),
		.branch = or_none(said->branch),
		.cwd = CCFC_SLICE_LIT("/p"),
		.prompt = said->prompt,
		.calls = &call,
		.ncalls = call.id.len ? 1 : 0,
		.results = &result,
		.nresults = result.id.len ? 1 : 0
	};
	uint64_t at = cursor->offset;

	cursor->offset += LINE;
	ccfc_index_apply(index, id, &r, at, LINE - 1);
}

static void say_all(struct ccfc_index *index, const struct said *said, size_t n,
		    bool backwards, bool settle)
{
	for (size_t i = 0; i < n; i++) {
		say(index, &said[backwards ? n - 1 - i : i]);
		if (settle)
			ccfc_index_settle(index);
	}
	ccfc_index_settle(index);
}

static const struct ccfc_change *find(const struct ccfc_index *index,
				      const char *id)
{
	uint32_t at = ccfc_index_find_change(index, ccfc_slice_str(id));

	assert_true(at != CCFC_ID_NONE);
	return &index->changes.items[at];
}

static bool is_text(struct ccfc_slice s, const char *text)
{
	return ccfc_slice_eq(s, ccfc_slice_str(text));
}

/* Runs `check` on the index of the lines in both orders of reading. */
static void both_ways(const struct said *said, size_t n,
		      void (*check)(const struct ccfc_index *index))
{
	for (int way = 0; way < 4; way++) {
		struct ccfc_index *index = ccfc_index_new(NULL);

		say_all(index, said, n, way & 1, way & 2);
		check(index);
		ccfc_index_free(index);
	}
}

static void expect_first_uuid(const struct ccfc_index *index)
{
	char out[64];

	assert_true(is_text(
		ccfc_index_uuid(index, &find(index, "t")->call, out), "a"));
}

/* Uuids that are none are compared as texts, not as they are kept. */
static void test_text_uuids(void **state)
{
	static const struct said said[] = {
		{ .source = "1",
		  .session = "s",
		  .time = 5,
		  .uuid = "b",
		  .call = "t" },
		{ .source = "2",
		  .session = "s",
		  .time = 5,
		  .uuid = "a",
		  .call = "t" },
	};

	(void)state;
	both_ways(said, 2, expect_first_uuid);
}

static void expect_created(const struct ccfc_index *index)
{
	assert_int_equal(find(index, "t")->result.op, CCFC_OP_CREATED);
}

/* Results that differ in nothing but the operation. */
static void test_equal_results(void **state)
{
	static const struct said said[] = {
		{ .source = "1",
		  .session = "s",
		  .time = 5,
		  .result = "t",
		  .state = CCFC_STATE_APPLIED,
		  .detail = true,
		  .path = "/f" },
		{ .source = "2",
		  .session = "s",
		  .time = 5,
		  .result = "t",
		  .state = CCFC_STATE_APPLIED,
		  .detail = true,
		  .path = "/f",
		  .op = CCFC_OP_CREATED },
	};

	(void)state;
	both_ways(said, 2, expect_created);
}

static void expect_interrupted(const struct ccfc_index *index)
{
	assert_int_equal(find(index, "t")->state, CCFC_STATE_INTERRUPTED);
}

/* A transcript that goes on, and a copy of it that does not. */
static void test_copy_of_open_call(void **state)
{
	static const struct said original[] = {
		{ .source = "1",
		  .session = "s",
		  .time = 5,
		  .uuid = "a",
		  .call = "t" },
		{ .source = "1", .session = "s", .time = 6, .prompt = true },
	};
	static const struct said copy = { .source = "2",
					  .session = "s",
					  .time = 5,
					  .uuid = "a",
					  .call = "t" };

	(void)state;
	for (int at = 0; at < 3; at++) {
		struct ccfc_index *index = ccfc_index_new(NULL);

		for (int i = 0; i < 3; i++)
			say(index, i == at ? &copy : &original[i - (i > at)]);
		ccfc_index_settle(index);
		expect_interrupted(index);
		ccfc_index_free(index);
	}
}

/* The same call twice in one transcript, with a turn between. */
static void test_call_again(void **state)
{
	static const struct said said[] = {
		{ .source = "1", .session = "s", .time = 9, .call = "t" },
		{ .source = "1", .session = "s", .time = 6, .prompt = true },
		{ .source = "1", .session = "s", .time = 5, .call = "t" },
	};

	(void)state;
	for (int settle = 0; settle < 2; settle++) {
		struct ccfc_index *index = ccfc_index_new(NULL);

		say_all(index, said, 3, false, settle);
		expect_interrupted(index);
		ccfc_index_free(index);
	}
}

/* Reading anew in pieces takes nothing back and tells nobody. */
static void test_read_anew(void **state)
{
	static const struct said said[] = {
		{ .source = "1", .session = "s", .time = 5, .call = "t" },
		{ .source = "1", .session = "s", .time = 6, .prompt = true },
	};
	struct ccfc_index *index = ccfc_index_new(NULL);

	(void)state;
	say_all(index, said, 2, false, true);
	expect_interrupted(index);
	assert_int_equal(index->events.n, 1);
	ccfc_index_source_reset(index, source_of(index, "1"));
	for (int i = 0; i < 2; i++) {
		say(index, &said[i]);
		ccfc_index_settle(index);
		expect_interrupted(index);
	}
	assert_int_equal(index->events.n, 1);
	ccfc_index_free(index);
}

static void expect_order(const struct ccfc_index *index)
{
	static const char *const want[] = { "z", "a", "m" };
	const struct ccfc_filter all = { 0 };
	struct ccfc_groups groups;
	struct ccfc_arena arena;

	ccfc_arena_init(&arena);
	ccfc_query_file_sessions(&groups, index,
				 ccfc_query_file(index, CCFC_SLICE_LIT("/f")),
				 &all, &arena);
	assert_int_equal(groups.n, 1);
	assert_int_equal(groups.nchanges, 3);
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(
			&index->changes.items[groups.items[0].changes[i]],
			find(index, want[i]));
	ccfc_arena_release(&arena);
}

/* One millisecond, two transcripts: the order of an answer is one. */
static void test_order_of_answers(void **state)
{
	static const struct said said[] = {
		{ .source = "1",
		  .session = "s",
		  .time = 5,
		  .call = "z",
		  .path = "/f" },
		{ .source = "1",
		  .session = "s",
		  .time = 5,
		  .call = "a",
		  .path = "/f" },
		{ .source = "2",
		  .session = "s",
		  .time = 5,
		  .call = "m",
		  .path = "/f" },
	};

	(void)state;
	for (int at = 0; at < 3; at++) {
		struct ccfc_index *index = ccfc_index_new(NULL);

		for (int i = 0; i < 3; i++)
			say(index, i == at ? &said[2] : &said[i - (i > at)]);
		ccfc_index_settle(index);
		expect_order(index);
		ccfc_index_free(index);
	}
}

/* Results before calls, of tools that do not write: nothing is kept. */
static void test_results_first(void **state)
{
	struct ccfc_index *index = ccfc_index_new(NULL);
	char id[24];

	(void)state;
	for (int i = 0; i < 70000; i++) {
		snprintf(id, sizeof(id), "o%d", i);
		say(index, &(struct said){ .source = "1",
					   .session = "s",
					   .result = id,
					   .state = CCFC_STATE_APPLIED });
		say(index, &(struct said){ .source = "1",
					   .session = "s",
					   .other = id });
		if (i % 100 == 0) {
			ccfc_index_settle(index);
			ccfc_index_stored(index);
		}
	}
	assert_true(index->orphans.n < 1000);
	say(index, &(struct said){ .source = "1",
				   .session = "s",
				   .result = "t",
				   .state = CCFC_STATE_APPLIED });
	say(index,
	    &(struct said){ .source = "1", .session = "s", .call = "t" });
	ccfc_index_settle(index);
	assert_int_equal(find(index, "t")->state, CCFC_STATE_APPLIED);
	assert_int_equal(index->changes.n, 1);
	ccfc_index_free(index);
}

/* Very many branches: the same few of them are kept, whatever came first. */
static void test_many_branches(void **state)
{
	char first[2][16], name[16];

	(void)state;
	for (int way = 0; way < 2; way++) {
		struct ccfc_index *index = ccfc_index_new(NULL);
		const struct ccfc_session *s;

		for (int i = 0; i < 20000; i++) {
			snprintf(name, sizeof(name), "b%05d",
				 way ? 19999 - i : i);
			say(index, &(struct said){ .source = "1",
						   .session = "s",
						   .branch = name });
		}
		say(index, &(struct said){ .source = "1",
					   .session = "s",
					   .branch = "a\nb" });
		s = &index->sessions.items[ccfc_index_session(
			index, CCFC_SLICE_LIT("s"))];
		assert_true(s->branches.n && s->branches.n <= 1000);
		snprintf(first[way], sizeof(first[way]), "%s",
			 ccfc_index_str(index,
					s->branches.items[s->branches.n - 1])
				 .ptr);
		assert_true(
			is_text(ccfc_index_str(index, s->branch), "b19999"));
		ccfc_index_free(index);
	}
	assert_string_equal(first[0], first[1]);
}

/* Very many copies of one call: as many are kept as are of use. */
static void test_many_copies(void **state)
{
	struct ccfc_index *index = ccfc_index_new(NULL);
	char source[16], session[16];

	(void)state;
	for (int i = 2000; i-- > 0;) {
		snprintf(source, sizeof(source), "%04d", i);
		snprintf(session, sizeof(session), "s%04d", i);
		say(index, &(struct said){ .source = source,
					   .session = session,
					   .time = 5 + i,
					   .call = "t" });
		ccfc_index_settle(index);
	}
	assert_true(index->obs.n < 1000);
	assert_true(
		is_text(ccfc_index_session_id(index, find(index, "t")->session),
			"s0000"));
	ccfc_index_free(index);
}

/* A fork is told from its original by what comes later, in either order. */
static void test_ties_turn(void **state)
{
	static const struct said said[] = {
		{ .source = "1",
		  .session = "b",
		  .time = 1,
		  .uuid = "p",
		  .prompt = true },
		{ .source = "1",
		  .session = "b",
		  .time = 5,
		  .uuid = "c",
		  .call = "t" },
		{ .source = "2",
		  .session = "a",
		  .time = 1,
		  .uuid = "p",
		  .prompt = true },
		{ .source = "2",
		  .session = "a",
		  .time = 5,
		  .uuid = "c",
		  .call = "t" },
		/* The fork's own prompt, then the original's earlier one. */
		{ .source = "2",
		  .session = "a",
		  .time = 9,
		  .uuid = "q",
		  .prompt = true },
		{ .source = "1",
		  .session = "b",
		  .time = 7,
		  .uuid = "r",
		  .prompt = true },
		/* It was copied as well; now a has the older one. */
		{ .source = "2",
		  .session = "a",
		  .time = 7,
		  .uuid = "r",
		  .prompt = true },
		{ .source = "1",
		  .session = "b",
		  .time = 11,
		  .uuid = "u",
		  .prompt = true },
	};
	static const char *const owners[] = { "b", "b", "b", "a",
					      "b", "b", "b", "a" };
	struct ccfc_index *index = ccfc_index_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		const struct ccfc_change *c;

		say(index, &said[i]);
		ccfc_index_settle(index);
		ccfc_index_stored(index);
		if (!i)
			continue;
		c = find(index, "t");
		assert_true(is_text(ccfc_index_session_id(index, c->session),
				    owners[i]));
	}
	ccfc_index_free(index);
}

/* The session ran in /p, which is in nobody's home: "~" is ours. */
static void test_home(void **state)
{
	struct ccfc_index *index = ccfc_index_new("/home/me");

	(void)state;
	say(index, &(struct said){ .source = "1",
				   .session = "s",
				   .time = 5,
				   .call = "t",
				   .path = "~/x" });
	ccfc_index_settle(index);
	assert_true(ccfc_slice_is(
		ccfc_index_file_path(index, index->changes.items[0].file),
		"/home/me/x"));
	ccfc_index_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_uuids),
		cmocka_unit_test(test_equal_results),
		cmocka_unit_test(test_copy_of_open_call),
		cmocka_unit_test(test_call_again),
		cmocka_unit_test(test_read_anew),
		cmocka_unit_test(test_order_of_answers),
		cmocka_unit_test(test_results_first),
		cmocka_unit_test(test_many_branches),
		cmocka_unit_test(test_many_copies),
		cmocka_unit_test(test_ties_turn),
		cmocka_unit_test(test_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
