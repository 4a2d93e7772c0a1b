/* Excerpts: the same rows under numbers of their own, and no others. */
#include "base/time.h"
#include "index/excerpt/excerpt.h"
#include "index/index_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SESSIONS 5
#define FILES	 7
#define CALLS	 90

static void name(char out[16], const char *kind, int number)
{
	snprintf(out, 16, "%s%02d", kind, number);
}

static void apply(struct ccfc_index *index, int session,
		  struct ccfc_record *record)
{
	const struct ccfc_name as = { .kind = CCFC_NAME_SESSION };
	char source[16], id[16];
	struct ccfc_cursor *cursor;
	uint32_t number;
	uint64_t at;

	name(source, "/t/", session);
	name(id, "session", session);
	record->session = ccfc_slice_str(id);
	record->cwd = CCFC_SLICE_LIT("/p");
	number = ccfc_index_source(index, ccfc_slice_str(source), &as);
	cursor = &index->sources.items[number].cursor;
	at = cursor->offset;
	cursor->offset += 100;
	ccfc_index_apply(index, number, record, at, 99);
}

static void prompt(struct ccfc_index *index, int session, int64_t time)
{
	char uuid[16];
	struct ccfc_record r = { .kind = CCFC_RECORD_USER,
				 .type = CCFC_SLICE_LIT("user"),
				 .time = time,
				 .prompt = true,
				 .asked = true };

	name(uuid, "p", (int)time);
	r.uuid = ccfc_slice_str(uuid);
	apply(index, session, &r);
}

/* A call of a tool: Read, or Edit. */
static void call(struct ccfc_index *index, int session, int number, int file,
		 bool reads)
{
	char id[16], path[16], model[16], uuid[16];
	struct ccfc_call c = { .tool = reads ? CCFC_SLICE_LIT("Read")
					     : CCFC_SLICE_LIT("Edit"),
			       .writes = !reads,
			       .reads = reads,
			       .nparts = 1 };
	struct ccfc_record r = { .kind = CCFC_RECORD_ASSISTANT,
				 .type = CCFC_SLICE_LIT("assistant"),
				 .time = 1000 + number,
				 .calls = &c,
				 .ncalls = 1 };

	name(id, reads ? "look" : "call", number);
	name(path, "/p/", file);
	name(model, "model", number % 3);
	name(uuid, "u", number);
	c.id = ccfc_slice_str(id);
	c.path = ccfc_slice_str(path);
	r.model = ccfc_slice_str(model);
	r.uuid = ccfc_slice_str(uuid);
	r.message_id = ccfc_slice_str(id);
	apply(index, session, &r);
}

/* Sessions and files in no order; files 0 and 1 were also read. */
static struct ccfc_index *make(void)
{
	struct ccfc_index *index = ccfc_index_new("/home/u");

	for (int i = 0; i < CALLS; i++) {
		int session = i * 7 % SESSIONS;

		if (i % 9 == 0)
			prompt(index, session, 1000 + i);
		call(index, session, i, i * 11 % FILES, false);
	}
	call(index, 1, 0, 0, true);
	call(index, 2, 1, 1, true);
	ccfc_index_settle(index);
	return index;
}

static struct ccfc_excerpt *cut(const struct ccfc_index *index, uint32_t file,
				uint32_t more)
{
	struct ccfc_excerpting e;

	ccfc_excerpt_init(&e, index, more);
	ccfc_excerpt_add_file(&e, file);
	return ccfc_excerpt_finish(&e);
}

static void same_text(struct ccfc_slice a, struct ccfc_slice b)
{
	assert_true(ccfc_slice_eq(a, b));
	/* And in other memory. */
	assert_true(!a.len || a.ptr != b.ptr);
}

static void same_prompt(const struct ccfc_prompt *a,
			const struct ccfc_prompt *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	assert_int_equal(a->uuid, b->uuid);
	assert_int_equal(a->place.offset, b->place.offset);
}

static void same_change(const struct ccfc_index *part,
			const struct ccfc_change *a,
			const struct ccfc_index *whole,
			const struct ccfc_change *b)
{
	char uuids[2][64];

	same_text(ccfc_slice(a->id, a->id_len), ccfc_slice(b->id, b->id_len));
	same_text(ccfc_index_session_id(part, a->session),
		  ccfc_index_session_id(whole, b->session));
	same_text(ccfc_index_file_path(part, a->file),
		  ccfc_index_file_path(whole, b->file));
	same_text(ccfc_index_str(part, a->call.model),
		  ccfc_index_str(whole, b->call.model));
	same_text(ccfc_index_tool(part, a), ccfc_index_tool(whole, b));
	assert_true(ccfc_slice_eq(ccfc_index_uuid(part, &a->call, uuids[0]),
				  ccfc_index_uuid(whole, &b->call, uuids[1])));
	same_text(ccfc_index_str(
			  part, part->sources.items[a->call.place.source].path),
		  ccfc_index_str(
			  whole,
			  whole->sources.items[b->call.place.source].path));
	assert_int_equal(a->call.place.offset, b->call.place.offset);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->seq, b->seq);
	same_prompt(ccfc_query_prompt(part, a), ccfc_query_prompt(whole, b));
}

static void test_rows(void **state)
{
	struct ccfc_index *index = make();

	(void)state;
	for (uint32_t file = 1; file < index->files.n; file++) {
		struct ccfc_excerpt *ex =
			cut(index, file, CCFC_EXCERPT_PROMPTS);
		uint32_t own = ccfc_homes_find(&ex->files, file);

		assert_int_equal(ex->index->files.items[own].n,
				 index->files.items[file].n);
		assert_int_equal(ex->index->changes.n,
				 index->files.items[file].n);
		assert_int_equal(ex->index->seq, index->seq);
		for (uint32_t i = 0; i < ex->index->changes.n; i++)
			same_change(
				ex->index, &ex->index->changes.items[i], index,
				&index->changes.items[ex->changes.items[i]]);
		ccfc_excerpt_free(ex);
	}
	ccfc_index_free(index);
}

/* The excerpt is not the index's any more. */
static void test_apart(void **state)
{
	struct ccfc_index *index = make();
	struct ccfc_excerpt *ex = cut(index, 1, CCFC_EXCERPT_CHAINS);
	struct ccfc_slice path;

	(void)state;
	ccfc_index_free(index);
	path = ccfc_index_file_path(ex->index, 1);
	assert_true(ccfc_slice_starts(path, "/p/"));
	for (uint32_t i = 0; i < ex->index->changes.n; i++)
		assert_int_equal(ex->index->changes.items[i].file, 1);
	ccfc_excerpt_free(ex);
}

static void test_groups(void **state)
{
	struct ccfc_index *index = make();
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	const struct ccfc_filter all = { 0 };
	struct ccfc_groups whole, part;
	struct ccfc_excerpting e;
	struct ccfc_excerpt *ex;

	(void)state;
	ccfc_query_session_files(&whole, index, 3, &all, &arena);
	assert_true(whole.n > 1);
	ccfc_excerpt_init(&e, index, 0);
	for (uint32_t i = 0; i < whole.n; i++)
		ccfc_excerpt_add_changes(&e, whole.items[i].changes,
					 whole.items[i].nchanges);
	ex = ccfc_excerpt_finish(&e);
	ccfc_excerpt_groups(&part, ex, &whole, false, &arena);
	assert_int_equal(part.n, whole.n);
	assert_int_equal(part.nchanges, whole.nchanges);
	for (uint32_t i = 0; i < part.n; i++) {
		assert_int_equal(ex->files.items[part.items[i].key],
				 whole.items[i].key);
		for (uint32_t k = 0; k < part.items[i].nchanges; k++)
			assert_int_equal(
				ex->changes.items[part.items[i].changes[k]],
				whole.items[i].changes[k]);
	}
	ccfc_excerpt_free(ex);
	ccfc_arena_release(&arena);
	ccfc_index_free(index);
}

/* Was the file read in the transcript of that session? */
static bool looked(const struct ccfc_index *index, const char *path,
		   const char *transcript)
{
	uint32_t file = ccfc_query_file(index, ccfc_slice_str(path));
	struct ccfc_excerpt *ex = cut(index, file, CCFC_EXCERPT_LOOKS);
	uint32_t source = ccfc_homes_find(
		&ex->sources,
		ccfc_index_source_find(index, ccfc_slice_str(transcript)));
	bool yes;

	assert_true(source != CCFC_ID_NONE);
	yes = ccfc_excerpt_looked(ex, ccfc_homes_find(&ex->files, file),
				  source);
	ccfc_excerpt_free(ex);
	return yes;
}

static void test_looks(void **state)
{
	struct ccfc_index *index = make();

	(void)state;
	assert_true(looked(index, "/p/00", "/t/01"));
	assert_false(looked(index, "/p/00", "/t/02"));
	assert_true(looked(index, "/p/01", "/t/02"));
	assert_false(looked(index, "/p/01", "/t/01"));
	assert_false(looked(index, "/p/02", "/t/02"));
	ccfc_index_free(index);
}

/* Files that the index does not have, each once, behind those that it has. */
static void test_paths(void **state)
{
	struct ccfc_index *index = make();
	uint32_t known, x, y, n = index->files.n;
	struct ccfc_excerpting e;
	struct ccfc_excerpt *ex;

	(void)state;
	ccfc_excerpt_init(&e, index, CCFC_EXCERPT_CHAINS);
	y = ccfc_excerpt_add_path(&e, CCFC_SLICE_LIT("/p/y"));
	x = ccfc_excerpt_add_path(&e, CCFC_SLICE_LIT("/p/x"));
	known = ccfc_excerpt_add_path(&e, CCFC_SLICE_LIT("/p/03"));
	assert_int_equal(ccfc_excerpt_add_path(&e, CCFC_SLICE_LIT("/p/y")), y);
	ex = ccfc_excerpt_finish(&e);
	assert_int_equal(known,
			 ccfc_query_file(index, CCFC_SLICE_LIT("/p/03")));
	assert_int_equal(index->files.n, n);
	assert_int_equal(ex->files.n, 4);
	assert_int_equal(ccfc_homes_find(&ex->files, known),
			 ccfc_query_file(ex->index, CCFC_SLICE_LIT("/p/03")));
	assert_int_equal(ccfc_homes_find(&ex->files, x),
			 ccfc_query_file(ex->index, CCFC_SLICE_LIT("/p/x")));
	assert_int_equal(ccfc_homes_find(&ex->files, y),
			 ccfc_query_file(ex->index, CCFC_SLICE_LIT("/p/y")));
	ccfc_excerpt_free(ex);
	ccfc_index_free(index);
}

/* All files and a change, in no order; `most` rows at a time, in `steps`. */
static struct ccfc_excerpt *cut_all(const struct ccfc_index *index,
				    uint32_t most, uint32_t *steps)
{
	const uint32_t single = index->changes.n - 1;
	struct ccfc_excerpt_copying *copying;
	struct ccfc_excerpting e;

	ccfc_excerpt_init(&e, index,
			  CCFC_EXCERPT_CHAINS | CCFC_EXCERPT_PROMPTS);
	ccfc_excerpt_add_changes(&e, &single, 1);
	for (uint32_t file = index->files.n; --file;)
		ccfc_excerpt_add_file(&e, file);
	ccfc_excerpt_add_path(&e, CCFC_SLICE_LIT("/p/nobody"));
	copying = ccfc_excerpt_begin(&e);
	*steps = 1;
	while (ccfc_excerpt_some(copying, most))
		++*steps;
	return ccfc_excerpt_end(copying);
}

/* A long excerpt is made piece by piece, and is the same. */
static void test_pieces(void **state)
{
	struct ccfc_index *index = make();
	uint32_t one, many;
	struct ccfc_excerpt *a = cut_all(index, UINT32_MAX, &one);
	struct ccfc_excerpt *b = cut_all(index, 1, &many);

	(void)state;
	assert_int_equal(one, 1);
	assert_true(many > index->changes.n);
	assert_int_equal(a->index->changes.n, index->changes.n);
	assert_int_equal(b->index->changes.n, index->changes.n);
	assert_int_equal(a->files.n, index->files.n + 1);
	assert_int_equal(b->files.n, a->files.n);
	assert_int_equal(b->sessions.n, a->sessions.n);
	assert_int_equal(b->sources.n, a->sources.n);
	assert_int_equal(b->nlooked, a->nlooked);
	assert_memory_equal(b->looked, a->looked,
			    a->nlooked * sizeof(*a->looked));
	for (uint32_t i = 0; i < index->changes.n; i++) {
		assert_int_equal(b->changes.items[i], i);
		same_change(b->index, &b->index->changes.items[i], a->index,
			    &a->index->changes.items[i]);
	}
	ccfc_excerpt_free(a);
	ccfc_excerpt_free(b);
	ccfc_index_free(index);
}

/* Given up at any place: nothing leaks, nothing is freed twice. */
static void test_given_up(void **state)
{
	struct ccfc_index *index = make();
	uint32_t steps, left;

	(void)state;
	ccfc_excerpt_free(cut_all(index, 1, &steps));
	for (uint32_t at = 0; at < steps; at++) {
		struct ccfc_excerpt_copying *copying;
		struct ccfc_excerpting e;

		ccfc_excerpt_init(&e, index, CCFC_EXCERPT_CHAINS);
		for (uint32_t file = index->files.n; --file;)
			ccfc_excerpt_add_file(&e, file);
		copying = ccfc_excerpt_begin(&e);
		for (left = at; left && ccfc_excerpt_some(copying, 1); left--)
			;
		ccfc_excerpt_free(ccfc_excerpt_end(copying));
	}
	ccfc_index_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	 cmocka_unit_test(test_apart),
		cmocka_unit_test(test_groups),	 cmocka_unit_test(test_looks),
		cmocka_unit_test(test_paths),	 cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
