/*
 * Commands of shells and the changes that hang on them: what of a command's
 * text counts, whose a change is, and when that is in doubt. Lines are parsed
 * as they stand in transcripts; a backtick stands for a double quote.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "index/excerpt/excerpt.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PADDING 64

struct world {
	struct ccfc_index *index;
	struct ccfc_parser *parser;
	const char *cwd;
};

static void open_world(struct world *w)
{
	w->index = ccfc_index_new("/home/u");
	w->parser = ccfc_parser_new(NULL);
	w->cwd = "/p";
}

static void close_world(struct world *w)
{
	ccfc_index_free(w->index);
	ccfc_parser_free(w->parser);
}

/* A line of the session's transcript, at a second of a day. */
static void put_line(struct world *w, const char *session, int second,
		     const char *rest)
{
	const struct ccfc_name name = { .kind = CCFC_NAME_SESSION };
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_cursor *cursor;
	struct ccfc_record record;
	char path[32];
	uint32_t source;

	snprintf(path, sizeof(path), "/t/%s", session);
	source = ccfc_index_source(w->index, ccfc_slice_str(path), &name);
	cursor = &w->index->sources.items[source].cursor;
	ccfc_buf_printf(&line,
			"{`sessionId`:`%s`,`cwd`:`%s`,`timestamp`:"
			"`2026-01-01T00:%02d:%02d.000Z`,%s}",
			session, w->cwd, second / 60, second % 60, rest);
	for (size_t i = 0; i < line.len; i++)
		if (line.ptr[i] == '`')
			line.ptr[i] = '"';
	memset(ccfc_buf_reserve(&line, PADDING), 0, PADDING);
	ccfc_record_parse(w->parser, &record, ccfc_buf_view(&line));
	assert_true(record.kind != CCFC_RECORD_MALFORMED);
	ccfc_index_apply(w->index, source, &record, cursor->offset, line.len);
	cursor->offset += line.len + 1;
	ccfc_index_settle(w->index);
	ccfc_buf_release(&line);
}

static void call(struct world *w, const char *session, int second,
		 const char *id, const char *command)
{
	struct ccfc_buf rest = CCFC_BUF_INIT;

	ccfc_buf_printf(&rest,
			"`type`:`assistant`,`message`:{`content`:[{`type`:"
			"`tool_use`,`id`:`%s`,`name`:`Bash`,`input`:"
			"{`command`:`%s`}}]}",
			id, command);
	put_line(w, session, second, rest.ptr);
	ccfc_buf_release(&rest);
}

/* `detail` is the rest of toolUseResult: ",`bashEditDiff`:…". */
static void result(struct world *w, const char *session, int second,
		   const char *id, const char *detail)
{
	struct ccfc_buf rest = CCFC_BUF_INIT;

	ccfc_buf_printf(&rest,
			"`type`:`user`,`message`:{`content`:[{`type`:"
			"`tool_result`,`tool_use_id`:`%s`}]},"
			"`toolUseResult`:{`stdout`:``%s}",
			id, detail);
	put_line(w, session, second, rest.ptr);
	ccfc_buf_release(&rest);
}

static void error(struct world *w, const char *session, int second,
		  const char *id)
{
	struct ccfc_buf rest = CCFC_BUF_INIT;

	ccfc_buf_printf(&rest,
			"`type`:`user`,`message`:{`content`:[{`type`:"
			"`tool_result`,`is_error`:true,`tool_use_id`:`%s`,"
			"`content`:`Exit code 1`}]}",
			id);
	put_line(w, session, second, rest.ptr);
	ccfc_buf_release(&rest);
}

#define NOTED(file)                                                            \
	",`bashEditDiff`:{`files`:[],`moreFiles`:1,`changedFiles`:[`" file "`" \
	"]"                                                                    \
	"}"

/* A session's changes: path, operation and evidence of each. */
static void put_changes(struct ccfc_buf *out, const struct world *w,
			const char *session)
{
	const struct ccfc_filter applied = { .states = CCFC_STATES_APPLIED };
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	const struct ccfc_index *index = w->index;
	struct ccfc_groups groups;
	uint32_t id;

	ccfc_buf_clear(out);
	assert_int_equal(
		ccfc_query_session(&id, index, ccfc_slice_str(session), NULL),
		0);
	ccfc_query_session_files(&groups, index, id, &applied, &arena);
	for (uint32_t i = 0; i < groups.n; i++) {
		const struct ccfc_group *g = &groups.items[i];
		struct ccfc_slice path = ccfc_index_file_path(index, g->key);

		for (uint32_t k = 0; k < g->nchanges; k++) {
			const struct ccfc_change *c =
				&index->changes.items[g->changes[k]];

			ccfc_buf_printf(out, "%s%.*s %s %s",
					out->len ? "; " : "", (int)path.len,
					path.ptr,
					ccfc_op_text((int)ccfc_index_op(c)),
					ccfc_proof_text((int)ccfc_query_proof(
						index, c)));
		}
	}
	ccfc_buf_putc(out, '\0');
	ccfc_arena_release(&arena);
}

static void expect_changes(const struct world *w, const char *session,
			   const char *want)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	put_changes(&out, w, session);
	assert_string_equal(out.ptr, want);
	ccfc_buf_release(&out);
}

static void test_targets(void **state)
{
	static const struct {
		const char *command;
		const char *changes;
		uint32_t unknown;
	} rows[] = {
		{ "echo x > a", "/p/a modified parsed", 0 },
		{ "rm a && ls", "/p/a deleted parsed", 0 },
		{ "cd sub && echo x >> a", "/p/sub/a modified parsed", 0 },
		/* It ran, and mostly worked. */
		{ "sed -i s/a/b/ a; ls", "/p/a modified parsed", 0 },
		/* What it left hangs on that it worked. */
		{ "mv a.c b.c; ls", "", 1 },
		{ "mv a.c b.c && ls",
		  "/p/a.c deleted parsed; /p/b.c renamed parsed", 0 },
		{ "mv a.c b.c && mv b.c c.c",
		  "/p/a.c deleted parsed; /p/c.c renamed parsed", 0 },
		/* A file of its own is no change. */
		{ "sed s/a/b/ a.c > t.c && mv t.c a.c",
		  "/p/a.c modified parsed", 0 },
		{ "echo x > t.sh && rm t.sh", "", 0 },
		{ "echo x >> a && rm a", "/p/a deleted parsed", 0 },
		/* Perhaps a directory. */
		{ "mv a b", "", 1 },
		{ "cp -r a b", "", 1 },
		{ "git checkout -- a.txt", "/p/a.txt modified parsed", 0 },
		{ "git checkout -- src", "", 1 },
		/* Perhaps not run. */
		{ "x || rm a", "", 1 },
		{ "make", "", 1 },
		{ "echo x > a; make", "/p/a modified parsed", 1 },
		{ "touch a", "", 1 },
		/* Only hooks could. */
		{ "git commit -m x", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct world w;

		open_world(&w);
		call(&w, "s1", 1, "t1", rows[i].command);
		result(&w, "s1", 2, "t1", "");
		if (ccfc_query_unknown(w.index, 1) != rows[i].unknown)
			print_error("%s\n", rows[i].command);
		assert_int_equal(ccfc_query_unknown(w.index, 1),
				 rows[i].unknown);
		expect_changes(&w, "s1", rows[i].changes);
		close_world(&w);
	}
}

static void test_not_kept(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	call(&w, "s1", 1, "t1", "ls | wc -l");
	result(&w, "s1", 2, "t1", "");
	assert_int_equal(w.index->changes.n, 0);
	assert_int_equal(w.index->orphans.n - w.index->orphans_taken, 0);
	/* The client saw something change all the same. */
	call(&w, "s1", 3, "t2", "ls");
	result(&w, "s1", 4, "t2", NOTED("/p/a"));
	expect_changes(&w, "s1", "/p/a modified recorded");
	close_world(&w);
}

static void test_unknown(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	call(&w, "s1", 1, "t1", "make");
	assert_int_equal(ccfc_query_unknown(w.index, 1), 0); /* it runs */
	result(&w, "s1", 2, "t1", NOTED("/p/a"));
	assert_int_equal(ccfc_query_unknown(w.index, 1), 0); /* all is noted */
	call(&w, "s1", 3, "t2", "git stash");
	result(&w, "s1", 4, "t2", ",`bashEditDiff`:{`skipped`:true}");
	assert_int_equal(ccfc_query_unknown(w.index, 1), 1);
	call(&w, "s1", 5, "t3", "rm b");
	error(&w, "s1", 6, "t3");
	assert_int_equal(ccfc_query_unknown(w.index, 1), 2);
	expect_changes(&w, "s1", "/p/a modified recorded");
	close_world(&w);
}

/* Two sessions whose commands overlap; both clients noted the same file. */
static void check_two(const char *first, const char *second, const char *one,
		      const char *two)
{
	struct world w;

	open_world(&w);
	call(&w, "s1", 1, "t1", first);
	call(&w, "s2", 2, "t2", second);
	result(&w, "s1", 3, "t1", NOTED("/p/a.c"));
	result(&w, "s2", 4, "t2", NOTED("/p/a.c"));
	expect_changes(&w, "s1", one);
	expect_changes(&w, "s2", two);
	close_world(&w);
}

static void test_doubt(void **state)
{
	char text[400], padded[420];

	(void)state;
	check_two("make", "make", "/p/a.c modified ambiguous",
		  "/p/a.c modified ambiguous");
	/* Only one has the name. */
	check_two("./fmt a.c", "make", "/p/a.c modified recorded",
		  "/p/a.c modified ambiguous");
	check_two("./fmt ./sub/../a.c", "./fmt data.c x-a.c a.c.bak a.cc",
		  "/p/a.c modified recorded", "/p/a.c modified ambiguous");
	check_two("./fmt a.c", "./x a.c", "/p/a.c modified ambiguous",
		  "/p/a.c modified ambiguous");
	/* Its own target is its own, whoever else was there. */
	check_two("echo x > a.c", "./x a.c", "/p/a.c modified parsed",
		  "/p/a.c modified ambiguous");
	/* What was cut off might have the name. */
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	snprintf(padded, sizeof(padded), "./%s", text);
	check_two("./fmt a.c", padded, "/p/a.c modified ambiguous",
		  "/p/a.c modified ambiguous");
}

static void test_windows(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	call(&w, "s1", 1, "t1", "make");
	result(&w, "s1", 2, "t1", NOTED("/p/a.c"));
	/* Later, and the same session's own. */
	call(&w, "s2", 3, "t2", "make");
	result(&w, "s2", 9, "t2", NOTED("/p/a.c"));
	call(&w, "s2", 4, "t3", "make");
	result(&w, "s2", 9, "t3", NOTED("/p/a.c"));
	expect_changes(&w, "s1", "/p/a.c modified recorded");
	expect_changes(&w, "s2",
		       "/p/a.c modified recorded; /p/a.c modified recorded");
	/* Its result never came: it may have run for long. */
	call(&w, "s3", 5, "t4", "rm a.c");
	expect_changes(&w, "s2",
		       "/p/a.c modified ambiguous; /p/a.c modified ambiguous");
	result(&w, "s3", 6, "t4", ",`interrupted`:true");
	expect_changes(&w, "s2",
		       "/p/a.c modified ambiguous; /p/a.c modified ambiguous");
	close_world(&w);
}

static void test_shared(void **state)
{
	struct world w;
	struct ccfc_ids rivals = { 0 };
	uint32_t id;

	(void)state;
	open_world(&w);
	call(&w, "s1", 1, "t1", "make");
	put_line(&w, "s1", 2,
		 "`isSidechain`:true,`agentId`:`a1`,`type`:`assistant`,"
		 "`message`:{`content`:[{`type`:`tool_use`,`id`:`t2`,"
		 "`name`:`Bash`,`input`:{`command`:`./x`}}]}");
	result(&w, "s1", 3, "t1",
	       ",`bashEditDiff`:{`shared`:true,`changedFiles`:[`/p/a`]}");
	expect_changes(&w, "s1", "/p/a modified ambiguous");
	id = w.index->files
		     .items[ccfc_query_file(w.index, CCFC_SLICE_LIT("/p/a"))]
		     .items[0];
	ccfc_query_rivals(&rivals, w.index, &w.index->changes.items[id]);
	assert_int_equal(rivals.n, 1);
	assert_string_equal(w.index->changes.items[rivals.items[0]].id, "t2");
	free(rivals.items);
	close_world(&w);
}

/* A copy of a call in a transcript of another directory. */
static void test_copies(void **state)
{
	for (int first = 0; first < 2; first++) {
		struct world w;

		open_world(&w);
		for (int i = 0; i < 2; i++) {
			bool copy = i == first;

			w.cwd = copy ? "/q" : "/p";
			call(&w, copy ? "s2" : "s1", copy ? 50 : 1, "t1",
			     "rm a /r/b");
		}
		result(&w, "s1", 2, "t1", "");
		expect_changes(&w, "s1",
			       "/p/a deleted parsed; /r/b deleted parsed");
		expect_changes(&w, "s2", "");
		close_world(&w);
	}
	(void)state;
}

/* What an excerpt says is what the whole index said. */
static void test_excerpt(void **state)
{
	struct ccfc_excerpting e;
	struct ccfc_excerpt *ex;
	struct ccfc_ids rivals = { 0 };
	struct world w;
	uint32_t file, n = 0;

	(void)state;
	open_world(&w);
	call(&w, "s1", 1, "t1", "make");
	call(&w, "s2", 2, "t2", "make all");
	result(&w, "s1", 3, "t1", NOTED("/p/a.c"));
	result(&w, "s2", 4, "t2", NOTED("/p/a.c"));
	call(&w, "s1", 5, "t3", "./x");
	result(&w, "s1", 6, "t3", "");
	file = ccfc_query_file(w.index, CCFC_SLICE_LIT("/p/a.c"));
	ccfc_excerpt_init(&e, w.index, 0);
	ccfc_excerpt_add_changes(&e, w.index->files.items[file].items, 1);
	ex = ccfc_excerpt_finish(&e);
	for (uint32_t i = 0; i < ex->index->changes.n; i++) {
		const struct ccfc_change *c = &ex->index->changes.items[i];
		const struct ccfc_change *of = ccfc_index_command(ex->index, c);

		if (!of || of->id[1] != '1')
			continue;
		assert_int_equal(ccfc_query_proof(ex->index, c),
				 CCFC_PROOF_AMBIGUOUS);
		assert_string_equal(ccfc_index_str(ex->index, of->text).ptr,
				    "make");
		ccfc_query_rivals(&rivals, ex->index, c);
		assert_int_equal(rivals.n, 1);
		of = ccfc_index_command(
			ex->index, &ex->index->changes.items[rivals.items[0]]);
		assert_string_equal(ccfc_index_str(ex->index, of->text).ptr,
				    "make all");
		n++;
	}
	assert_int_equal(n, 1);
	assert_int_equal(ccfc_query_unknown(ex->index, 1), 1);
	free(rivals.items);
	ccfc_excerpt_free(ex);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets), cmocka_unit_test(test_not_kept),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_windows), cmocka_unit_test(test_shared),
		cmocka_unit_test(test_copies),	cmocka_unit_test(test_excerpt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
