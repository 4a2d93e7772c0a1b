/*
 * Questions by excerpts: each sees rows of its own numbers, what is kept goes
 * from one to the next, and one that is given up leaves nothing behind.
 */
#include "../source/tmp.h"
#include "history/blame/blame.h"
#include "history/blame/walk.h"
#include "history/chain/chain.h"
#include "history/kept.h"

#define EDITS 40

static struct ccfc_index *whole;
static struct ccfc_kept *kept;

/* One question. */
struct question {
	struct ccfc_excerpt *excerpt;
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	struct ccfc_history *history;
	struct ccfc_arena arena;
	int asked, most; /* how often it may read */
};

static bool is_over(void *ctx)
{
	struct question *q = ctx;

	return ++q->asked > q->most;
}

static uint32_t file_of(const struct ccfc_index *index, const char *path)
{
	uint32_t file = ccfc_query_file(index, ccfc_slice_str(path));

	assert_true(file);
	return file;
}

/* Begins one about `path`, and another file if that is not NULL. */
static void ask(struct question *q, const char *path, const char *other)
{
	struct ccfc_excerpting e;

	*q = (struct question){ .most = 1000000 };
	ccfc_excerpt_init(&e, whole, CCFC_EXCERPT_CHAINS);
	ccfc_excerpt_add_file(&e, file_of(whole, path));
	if (other)
		ccfc_excerpt_add_file(&e, file_of(whole, other));
	q->excerpt = ccfc_excerpt_finish(&e);
	q->tail = ccfc_tail_new(1 << 20);
	q->parser = ccfc_parser_new(NULL);
	ccfc_tail_until(q->tail, is_over, q);
	q->history = ccfc_history_new(
		&(struct ccfc_history_env){ .index = q->excerpt->index,
					    .excerpt = q->excerpt,
					    .kept = kept,
					    .tail = q->tail,
					    .parser = q->parser });
}

static void done(struct question *q)
{
	ccfc_history_free(q->history);
	ccfc_tail_free(q->tail);
	ccfc_parser_free(q->parser);
	ccfc_excerpt_free(q->excerpt);
	ccfc_arena_release(&q->arena);
}

static struct ccfc_chain *open_chain(struct question *q, const char *path)
{
	struct ccfc_chain *chain =
		ccfc_chain_open(q->history, file_of(q->excerpt->index, path));

	assert_non_null(chain);
	return chain;
}

/* The text after change `i` is "v<i>\n"; or it is not known. */
static void expect_after(struct question *q, struct ccfc_chain *chain,
			 uint32_t i, bool known)
{
	struct ccfc_content_state state;
	char want[16];

	snprintf(want, sizeof(want), "v%u\n", i);
	ccfc_chain_after(&state, chain, i, &q->arena);
	assert_int_equal(state.fidelity >= CCFC_FIDELITY_RECONSTRUCTED, known);
	if (known)
		assert_true(ccfc_slice_is(state.bytes, want));
}

static void add(const char *session, int second, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A line; backticks stand for double quotes. */
static void add(const char *session, int second, const char *format, ...)
{
	char line[1024], rest[800];
	va_list args;

	va_start(args, format);
	vsnprintf(rest, sizeof(rest), format, args);
	va_end(args);
	snprintf(line, sizeof(line),
		 "{`sessionId`:`%s`,`cwd`:`/p`,`version`:`2.1.325`,`timestamp`:"
		 "`2026-01-01T00:%02d:%02dZ`,%s}\n",
		 session, second / 60, second % 60, rest);
	for (char *p = line; *p; p++)
		if (*p == '`')
			*p = '"';
	tmp_append(session, line);
}

static void add_call(const char *session, int second, const char *id,
		     const char *tool, const char *input, const char *detail)
{
	add(session, second,
	    "`type`:`assistant`,`message`:{`content`:[{`type`:`tool_use`,"
	    "`id`:`%s`,`name`:`%s`,`input`:{%s}}]}",
	    id, tool, input);
	add(session, second,
	    "`type`:`user`,`message`:{`content`:[{`type`:`tool_result`,"
	    "`tool_use_id`:`%s`,`content`:`ok`}]}%s",
	    id, detail);
}

/* A file that is written and then changed from "v<i>" to the next. */
static void add_changes(const char *session, const char *path, int from, int to)
{
	char id[80], input[300], detail[300];

	for (int i = from; i < to; i++) {
		snprintf(id, sizeof(id), "toolu_%s_%s_%d", session, path + 3,
			 i);
		snprintf(input, sizeof(input),
			 i ? "`file_path`:`%s`,`old_string`:`v%d`,"
			     "`new_string`:`v%d`"
			   : "`file_path`:`%s`,`content`:`v0\\n`",
			 path, i - 1, i);
		detail[0] = '\0';
		if (!i)
			snprintf(detail, sizeof(detail),
				 ",`toolUseResult`:{`type`:`create`,"
				 "`filePath`:`%s`,`content`:`v0\\n`,"
				 "`structuredPatch`:[]}",
				 path);
		add_call(session, i, id, i ? "Edit" : "Write", input, detail);
	}
}

static void take_in(const char *session)
{
	struct ccfc_name name = { CCFC_NAME_SESSION, ccfc_slice_str(session),
				  CCFC_SLICE_NONE };
	struct ccfc_tail *tail = ccfc_tail_new(1 << 20);
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	const char *path = tmp_path(session);
	uint32_t id = ccfc_index_source(whole, ccfc_slice_str(path), &name);
	struct ccfc_cursor *cursor = &whole->sources.items[id].cursor;
	struct ccfc_record record;
	struct ccfc_line line;

	assert_int_equal(ccfc_tail_open(tail, path, cursor, NULL),
			 CCFC_TAIL_OPEN);
	while (ccfc_tail_next(tail, cursor, &line, NULL) == 1) {
		ccfc_record_parse(parser, &record,
				  ccfc_slice(line.ptr, line.len));
		ccfc_index_apply(whole, id, &record, line.offset, line.len);
	}
	ccfc_tail_close(tail, cursor);
	ccfc_index_settle(whole);
	ccfc_tail_free(tail);
	ccfc_parser_free(parser);
}

static int start(void **state)
{
	(void)state;
	tmp_make();
	whole = ccfc_index_new("/home/u");
	kept = ccfc_kept_new();
	/* Rows of the other file come first, so that numbers differ. */
	add_changes("s0", "/p/b", 0, 7);
	take_in("s0");
	add_changes("s1", "/p/a", 0, EDITS);
	take_in("s1");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	ccfc_kept_free(kept);
	ccfc_index_free(whole);
	tmp_drop();
	return 0;
}

static void test_next_question(void **state)
{
	struct question q;
	int cold;

	(void)state;
	ask(&q, "/p/a", NULL);
	expect_after(&q, open_chain(&q, "/p/a"), EDITS - 1, true);
	cold = q.asked;
	assert_true(cold >= EDITS);
	done(&q);
	/* The same chain, though its changes have other numbers now. */
	ask(&q, "/p/a", "/p/b");
	expect_after(&q, open_chain(&q, "/p/a"), 3, true);
	expect_after(&q, open_chain(&q, "/p/a"), EDITS - 1, true);
	assert_true(q.asked < cold);
	expect_after(&q, open_chain(&q, "/p/b"), 6, true);
	expect_after(&q, open_chain(&q, "/p/a"), 11, true);
	done(&q);
}

/* There is more of the file: only that is replayed. */
static void test_goes_on(void **state)
{
	struct question q;

	(void)state;
	ask(&q, "/p/a", "/p/b");
	expect_after(&q, open_chain(&q, "/p/a"), 5, true);
	done(&q);
	add_changes("s1", "/p/a", EDITS, EDITS + 2);
	take_in("s1");
	ask(&q, "/p/a", NULL);
	expect_after(&q, open_chain(&q, "/p/a"), EDITS + 1, true);
	assert_true(q.asked < EDITS);
	done(&q);
}

static void test_given_up(void **state)
{
	struct ccfc_chain *chain;
	struct question q;

	(void)state;
	for (int most = 0; most < 2 * EDITS; most += 7) {
		ask(&q, "/p/a", NULL);
		q.most = most;
		chain = open_chain(&q, "/p/a");
		expect_after(&q, chain, EDITS - 1, false);
		assert_true(ccfc_tail_is_over(q.tail));
		/* It is not asked again, and reads nothing. */
		assert_int_equal(q.asked, most + 1);
		done(&q);
		assert_null(ccfc_kept_take_chain(kept, file_of(whole, "/p/a")));
	}
	ask(&q, "/p/a", NULL);
	expect_after(&q, open_chain(&q, "/p/a"), EDITS - 1, true);
	done(&q);
}

/* A walk has the same numbers in every question. */
static void test_walk(void **state)
{
	const struct ccfc_blame_options at_last = {
		.point = { .i = EDITS - 1,
			   .made = CCFC_ID_NONE,
			   .seen = CCFC_ID_NONE }
	};
	struct ccfc_blame blame;
	struct question q;
	int asked[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ccfc_chain *chain;

		ask(&q, "/p/a", i ? "/p/b" : NULL);
		chain = open_chain(&q, "/p/a");
		assert_int_equal(
			ccfc_blame(&blame, chain, &at_last, &q.arena, NULL), 0);
		assert_int_equal(blame.n, 1);
		assert_true(ccfc_owner_is_change(blame.lines[0].owner));
		assert_int_equal(ccfc_owner_node(blame.lines[0].owner),
				 EDITS - 1);
		asked[i] = q.asked;
		done(&q);
	}
	assert_true(asked[1] < asked[0] / 2);
}

/* So many bytes, and no more. */
static void test_budget(void **state)
{
	struct ccfc_chain *chain;

	(void)state;
	for (uint32_t home = 1; home <= 3; home++) {
		chain = calloc(1, sizeof(*chain));
		chain->home = home;
		chain->mark_bytes = CCFC_KEPT_BYTES / 2 - sizeof(*chain);
		ccfc_kept_put_chain(kept, chain);
	}
	assert_null(ccfc_kept_take_chain(kept, 1));
	for (uint32_t home = 2; home <= 3; home++) {
		chain = ccfc_kept_take_chain(kept, home);
		assert_non_null(chain);
		assert_null(ccfc_kept_take_chain(kept, home));
		ccfc_chain_free(chain);
	}
	chain = calloc(1, sizeof(*chain));
	chain->home = 4;
	chain->mark_bytes = CCFC_KEPT_BYTES;
	ccfc_kept_put_chain(kept, chain);
	assert_null(ccfc_kept_take_chain(kept, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_next_question, start,
						stop),
		cmocka_unit_test_setup_teardown(test_goes_on, start, stop),
		cmocka_unit_test_setup_teardown(test_given_up, start, stop),
		cmocka_unit_test_setup_teardown(test_walk, start, stop),
		cmocka_unit_test_setup_teardown(test_budget, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
