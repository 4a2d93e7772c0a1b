/* Prompts: where they stand, and which of them a change was made for. */
#include "base/hash.h"
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

enum what { ASKED, NOTE, CALL, SIDE };

/* One line, in short. */
struct said {
	const char *source;
	const char *session;
	int64_t time;
	const char *id; /* uuid of a prompt, tool_use id of a call */
	enum what what;
};

static void say(struct ccfc_index *index, const struct said *said)
{
	const struct ccfc_name as = { .kind = strchr(said->source, '@')
						      ? CCFC_NAME_AGENT
						      : CCFC_NAME_SESSION };
	uint32_t id =
		ccfc_index_source(index, ccfc_slice_str(said->source), &as);
	struct ccfc_cursor *cursor = &index->sources.items[id].cursor;
	struct ccfc_call call = { .id = ccfc_slice_str(said->id),
				  .tool = CCFC_SLICE_LIT("Edit"),
				  .writes = true,
				  .path = CCFC_SLICE_LIT("/p/a"),
				  .nparts = 1 };
	struct ccfc_record r = {
		.kind = said->what == CALL ? CCFC_RECORD_ASSISTANT
					   : CCFC_RECORD_USER,
		.type = CCFC_SLICE_LIT("user"),
		.session = ccfc_slice_str(said->session),
		.time = said->time ? said->time : CCFC_TIME_NONE,
		.uuid = ccfc_slice_str(said->id),
		.prompt = said->what != CALL,
		.asked = said->what == ASKED || said->what == SIDE,
		.sidechain = said->what == SIDE,
		.calls = &call,
		.ncalls = said->what == CALL
	};
	uint64_t at = cursor->offset;

	cursor->offset += LINE;
	ccfc_index_apply(index, id, &r, at, LINE - 1);
}

/* The uuid of a change's prompt is `want`; NULL: it has none. */
static void expect(const struct ccfc_index *index, const char *change,
		   const char *want)
{
	uint32_t id = ccfc_index_find_change(index, ccfc_slice_str(change));
	const struct ccfc_prompt *p;

	assert_true(id != CCFC_ID_NONE);
	p = ccfc_query_prompt(index, &index->changes.items[id]);
	assert_int_equal(!p, !want);
	if (p && want)
		assert_true(p->uuid == ccfc_hash_slice(ccfc_slice_str(want)));
}

static void run(const struct said *said, size_t n,
		void (*check)(const struct ccfc_index *index))
{
	for (int way = 0; way < 2; way++) {
		struct ccfc_index *index = ccfc_index_new(NULL);

		/* Sources one after another, the first or the last first. */
		for (size_t i = 0; i < n; i++)
			if (way || strcmp(said[i].source, said[0].source))
				say(index, &said[i]);
		for (size_t i = 0; i < n; i++)
			if (!way && !strcmp(said[i].source, said[0].source))
				say(index, &said[i]);
		ccfc_index_settle(index);
		check(index);
		ccfc_index_free(index);
	}
}

#define RUN(said, check) run(said, sizeof(said) / sizeof(*(said)), check)

static void check_last(const struct ccfc_index *index)
{
	expect(index, "t0", NULL);
	expect(index, "t1", "a");
	expect(index, "t2", "a");
	expect(index, "t3", "d");
	expect(index, "t4", "d");
	expect(index, "t5", "e");
	expect(index, "t6", NULL);
}

/* The last one that a person gave the session in its main thread. */
static void test_last(void **state)
{
	static const struct said said[] = {
		{ "/1", "s", 4, "t0", CALL },	{ "/1", "s", 5, "a", ASKED },
		{ "/1", "s", 5, "t1", CALL },	{ "/1", "s", 6, "b", NOTE },
		{ "/1", "s", 6, "side", SIDE }, { "/1", "s", 7, "t2", CALL },
		{ "/1", "s", 8, "c", ASKED },	{ "/1", "s", 8, "d", ASKED },
		{ "/1", "s", 9, "t3", CALL },	{ "/1", "s", 30, "e", ASKED },
		{ "/1@", "s", 8, "x", ASKED },	{ "/1@", "s", 29, "t4", CALL },
		{ "/1@", "s", 31, "t5", CALL }, { "/2", "u", 8, "y", ASKED },
		{ "/1", "s", 0, "t6", CALL },
	};

	(void)state;
	RUN(said, check_last);
}

static void check_fork(const struct ccfc_index *index)
{
	expect(index, "t1", "a");
	expect(index, "t2", "b");
	expect(index, "t3", "a");
}

/* A fork knows the prompts that it was given with the copy. */
static void test_fork(void **state)
{
	static const struct said said[] = {
		{ "/1", "s", 1, "a", ASKED }, { "/1", "s", 2, "t1", CALL },
		{ "/1", "s", 3, "b", ASKED }, { "/1", "s", 4, "t2", CALL },
		{ "/2", "f", 1, "a", ASKED }, { "/2", "f", 2, "t1", CALL },
		{ "/2", "f", 5, "t3", CALL },
	};

	(void)state;
	RUN(said, check_fork);
}

static void check_place(const struct ccfc_index *index)
{
	const struct ccfc_prompt *p = &index->prompts.items[0];

	assert_int_equal(index->prompts.n, 1);
	assert_int_equal(p->time, 3);
	assert_true(ccfc_slice_is(
		ccfc_index_str(index,
			       index->sources.items[p->place.source].path),
		"/2"));
	assert_int_equal(p->place.offset, LINE);
}

/* Copies: the least path that shows that a person asked, its first line. */
static void test_place(void **state)
{
	static const struct said said[] = {
		{ "/3", "s", 3, "a", ASKED }, { "/2", "s", 4, "a", NOTE },
		{ "/2", "s", 9, "a", ASKED }, { "/2", "s", 8, "a", ASKED },
		{ "/1", "s", 3, "a", NOTE },
	};

	(void)state;
	RUN(said, check_place);
}

/* A transcript that is read anew has the prompt where it stands now. */
static void test_read_anew(void **state)
{
	static const struct said first = { "/1", "s", 1, "z", NOTE };
	static const struct said prompt = { "/1", "s", 2, "a", ASKED };
	static const struct said call = { "/1", "s", 3, "t", CALL };
	struct ccfc_index *index = ccfc_index_new(NULL);
	const struct ccfc_prompt *p;

	(void)state;
	say(index, &prompt);
	say(index, &call);
	ccfc_index_settle(index);
	ccfc_index_stored(index);
	ccfc_index_source_reset(index, 0);
	p = ccfc_query_prompt(index, &index->changes.items[0]);
	assert_false(ccfc_index_place_present(index, &p->place));
	say(index, &first);
	say(index, &prompt);
	p = ccfc_query_prompt(index, &index->changes.items[0]);
	assert_true(ccfc_index_place_present(index, &p->place));
	assert_int_equal(p->place.offset, LINE);
	/* The store has to know. */
	assert_int_equal(index->prompts.dirty.n, 2);
	ccfc_index_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_read_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
