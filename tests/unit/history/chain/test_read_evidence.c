/*
 * Edits of which nothing but the call is recorded: what the file was before is
 * what the session had read of it.
 */
#include "../source/tmp.h"
#include "base/time.h"
#include "history/chain/read_evidence.h"

#define MiB ((size_t)1 << 20)

/* Backticks stand for double quotes; every line has the same time but one. */
#define AT(time, rest)                                                         \
	"{`sessionId`:`s`,`cwd`:`/p/d`,`version`:`2.1.325`,"                   \
	"`timestamp`:`2026-01-01T00:00:" time "Z`," rest "}\n"
#define USES(time, id, name, input)                                            \
	AT(time, "`type`:`assistant`,`message`:{`content`:[{`type`:"           \
		 "`tool_use`,`id`:`" id "`,`name`:`" name "`,`input`:{" input  \
		 "}}]}")
#define GIVES(time, id, content, more)                                         \
	AT(time, "`type`:`user`,`message`:{`content`:[{`type`:`tool_result`,"  \
		 "`tool_use_id`:`" id "`,`content`:`" content "`}]}" more)
#define CALL(id, path)	USES("05", id, "Read", "`file_path`:`" path "`")
#define SHOWN(id, text) GIVES("05", id, text, "")
#define FAILED(id, text)                                                       \
	AT("05",                                                               \
	   "`type`:`user`,`message`:{`content`:[{`type`:`tool_result`,"        \
	   "`is_error`:true,`tool_use_id`:`" id "`,`content`:`" text "`}]}")
#define READ(id, text) CALL(id, "/p/a") SHOWN(id, text)
#define DETAIL(id, path, text, lines, total)                                   \
	CALL(id, path)                                                         \
	GIVES("05", id, "1\\tcut",                                             \
	      ",`toolUseResult`:{`type`:`text`,`file`:{`filePath`:`" path      \
	      "`,`content`:`" text "`,`startLine`:1,`numLines`:" lines         \
	      ",`totalLines`:" total "}}")
#define EDIT_AT(time, id, from, to)                                            \
	USES(time, id, "Edit",                                                 \
	     "`file_path`:`/p/a`,`old_string`:`" from "`,`new_string`:`" to    \
	     "`")                                                              \
	GIVES(time, id, "ok", "")
#define EDIT(id, from, to) EDIT_AT("05", id, from, to)

static struct ccfc_index *index_;
static struct ccfc_tail *tail;
static struct ccfc_parser *parser;
static struct ccfc_history *history;
static struct ccfc_chain *chain;

static void start(size_t max_line)
{
	index_ = ccfc_index_new("/home/u");
	tail = ccfc_tail_new(max_line);
	parser = ccfc_parser_new(NULL);
	history = ccfc_history_new(&(struct ccfc_history_env){
		.index = index_, .tail = tail, .parser = parser });
}

static void stop(void)
{
	ccfc_history_free(history);
	ccfc_index_free(index_);
	ccfc_tail_free(tail);
	ccfc_parser_free(parser);
}

static void write_quoted(const char *name, const char *text)
{
	char *copy = strdup(text);

	for (char *p = copy; *p; p++)
		if (*p == '`')
			*p = '"';
	tmp_append(name, copy);
	free(copy);
}

/* One line of `size` bytes, of no meaning. */
static void write_filler(const char *name, size_t size)
{
	char *line = malloc(size + 1);

	memset(line, 'x', size);
	memcpy(line, "{\"type\":\"x\",\"x\":\"", 17);
	memcpy(line + size - 3, "\"}\n", 4);
	tmp_append(name, line);
	free(line);
}

/* Takes in the transcript. */
static void take(const char *transcript)
{
	struct ccfc_name name = { CCFC_NAME_SESSION, CCFC_SLICE_LIT("s"),
				  CCFC_SLICE_NONE };
	const char *path = tmp_path(transcript);
	uint32_t id = ccfc_index_source(index_, ccfc_slice_str(path), &name);
	struct ccfc_cursor *cursor = &index_->sources.items[id].cursor;
	struct ccfc_record record;
	struct ccfc_line line;

	assert_int_equal(ccfc_tail_open(tail, path, cursor, NULL),
			 CCFC_TAIL_OPEN);
	while (ccfc_tail_next(tail, cursor, &line, NULL) == 1) {
		ccfc_record_parse(parser, &record,
				  ccfc_slice(line.ptr, line.len));
		ccfc_index_apply(index_, id, &record, line.offset, line.len);
	}
	ccfc_tail_close(tail, cursor);
	ccfc_index_settle(index_);
}

static void open_chain(void)
{
	uint32_t file =
		ccfc_strtab_find(&index_->file_paths, CCFC_SLICE_LIT("/p/a"));

	chain = ccfc_chain_open(history, file);
	assert_non_null(chain);
}

/* What was there before the change `i` (-1: the last); NULL: not known. */
static const char *before(int i)
{
	static struct ccfc_buf text;
	struct ccfc_content_state s;
	struct ccfc_arena arena;
	bool known;

	if (i < 0)
		i = (int)ccfc_chain_len(chain) - 1;
	ccfc_arena_init(&arena);
	ccfc_chain_before(&s, chain, (uint32_t)i, &arena);
	known = s.fidelity == CCFC_FIDELITY_RECONSTRUCTED;
	assert_int_not_equal(s.fidelity, CCFC_FIDELITY_EXACT);
	ccfc_buf_clear(&text);
	ccfc_buf_slice(&text, s.bytes);
	ccfc_buf_putc(&text, '\0');
	ccfc_arena_release(&arena);
	return known ? text.ptr : NULL;
}

static void expect(const char *what, const char *want)
{
	const char *got = before(-1);

	if (!got != !want || (got && want && strcmp(got, want)))
		fail_msg("%s: got '%s', not '%s'", what, got ? got : "(none)",
			 want ? want : "(none)");
}

static void test_shapes(void **state)
{
	static const struct {
		const char *text;
		const char *before; /* NULL: not known */
	} rows[] = {
		{ READ("r", "     1→a\\n     2→") EDIT("e", "a", "b"), "a\n" },
		{ READ("r", "1\\ta\\n2\\tc") EDIT("e", "a", "b"), "a\nc" },
		{ DETAIL("r", "/p/a", "a\\n", "2", "2") EDIT("e", "a", "b"),
		  "a\n" },
		/* The result comes first. */
		{ SHOWN("r", "1\\ta") CALL("r", "/p/a") EDIT("e", "a", "b"),
		  "a" },
		/* The last one counts. */
		{ READ("r", "1\\ta1") READ("q", "1\\ta2") EDIT("e", "a", "b"),
		  "a2" },
		{ READ("r", "1\\ta1") DETAIL("q", "/p/a", "a2", "1", "1")
			  EDIT("e", "a", "b"),
		  "a2" },
		{ DETAIL("q", "/p/a", "a1", "1", "1") READ("r", "1\\ta2")
			  EDIT("e", "a", "b"),
		  "a2" },
		{ READ("r", "1\\ta") READ("q", "part") EDIT("e", "a", "b"),
		  "a" },
		/* Its path is taken against its record's directory. */
		{ CALL("r", "../a") SHOWN("r", "1\\ta") EDIT("e", "a", "b"),
		  "a" },
		{ DETAIL("r", "./..//a", "a", "1", "1") EDIT("e", "a", "b"),
		  "a" },
		{ CALL("r", "a") SHOWN("r", "1\\ta") EDIT("e", "a", "b"),
		  NULL },
		{ DETAIL("r", "/p/b", "a", "1", "1") EDIT("e", "a", "b"),
		  NULL },
		/* A part, an error, another tool, another's result, none. */
		{ DETAIL("r", "/p/a", "a", "1", "2") EDIT("e", "a", "b"),
		  NULL },
		{ USES("05", "r", "Read", "`file_path`:`/p/a`,`limit`:1")
			  SHOWN("r", "1\\ta") EDIT("e", "a", "b"),
		  NULL },
		{ USES("05", "r", "Grep", "`file_path`:`/p/a`")
			  SHOWN("r", "1\\ta") EDIT("e", "a", "b"),
		  NULL },
		{ CALL("r", "/p/a") FAILED("r", "1\\ta") EDIT("e", "a", "b"),
		  NULL },
		{ CALL("r", "/p/a") SHOWN("q", "1\\ta") EDIT("e", "a", "b"),
		  NULL },
		{ SHOWN("r", "1\\ta") EDIT("e", "a", "b"), NULL },
		/* It does not fit. */
		{ READ("r", "1\\tx") EDIT("e", "a", "b"), NULL },
		/* After the change. */
		{ EDIT("e", "a", "b") READ("r", "1\\ta"), NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		start(MiB);
		tmp_write("t", "");
		write_quoted("t", rows[i].text);
		take("t");
		open_chain();
		expect(rows[i].text, rows[i].before);
		stop();
	}
}

/* An earlier change makes what was read before it worthless. */
static void test_floor(void **state)
{
	(void)state;
	start(MiB);
	tmp_write("t", "");
	write_quoted("t", READ("r", "1\\ta") EDIT("e", "x", "y")
				  EDIT("f", "a", "b"));
	take("t");
	open_chain();
	expect("the change between is in the same transcript", NULL);
	write_quoted("t", READ("q", "1\\tb") EDIT("g", "b", "c"));
	take("t");
	open_chain();
	expect("read again since", "b");
	stop();
}

static void test_other_transcript(void **state)
{
	static const struct {
		const char *time; /* of the change in between */
		const char *before;
	} rows[] = { { EDIT_AT("06", "e", "x", "y"), NULL },
		     { EDIT_AT("04", "e", "x", "y"), "a" } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		start(MiB);
		tmp_write("t", "");
		tmp_write("u", "");
		write_quoted("t",
			     READ("r", "1\\ta") EDIT_AT("07", "f", "a", "b"));
		write_quoted("u", rows[i].time);
		take("t");
		take("u");
		open_chain();
		assert_int_equal(ccfc_chain_len(chain), 2);
		expect(rows[i].time, rows[i].before);
		stop();
	}
}

/* Calls in one go, then their results. */
static void test_under_way(void **state)
{
	char line[1000];

	(void)state;
	start(MiB);
	tmp_write("t", "");
	write_quoted("t", CALL("r", "/p/a"));
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 47; i++) {
			snprintf(line, sizeof(line),
				 k ? SHOWN("x%d", "1\\tno")
				   : CALL("x%d", "/p/b"),
				 i);
			write_quoted("t", line);
		}
	write_quoted("t", SHOWN("r", "1\\ta") EDIT("e", "a", "b"));
	take("t");
	open_chain();
	expect("47 others", "a");
	stop();
}

/* Long lines and long ways, up to the bound. */
static void test_far(void **state)
{
	static const struct {
		size_t line, n;
		const char *before;
	} rows[] = { { 3 * MiB + 5, 1, "a" },
		     { 100000, 50, "a" },
		     { 1000000, 16, "a" },
		     { 1000000, 17, NULL } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		start(8 * MiB);
		tmp_write("t", "");
		write_filler("t", 100);
		write_quoted("t", READ("r", "1\\ta"));
		for (size_t k = 0; k < rows[i].n; k++)
			write_filler("t", rows[i].line);
		write_quoted("t", EDIT("e", "a", "b"));
		take("t");
		open_chain();
		expect("fillers between", rows[i].before);
		assert_true(chain->searched <= 20 * MiB);
		stop();
	}
}

/* No byte is searched for two changes. */
static void test_once(void **state)
{
	struct stat st;

	(void)state;
	start(MiB);
	tmp_write("t", "");
	for (int i = 0; i < 40; i++) {
		char edit[2000];

		write_filler("t", 50000);
		snprintf(edit, sizeof(edit), EDIT("e%d", "x", "y"), i, i);
		write_quoted("t", edit);
	}
	take("t");
	open_chain();
	assert_int_equal(ccfc_chain_len(chain), 40);
	assert_int_equal(stat(tmp_path("t"), &st), 0);
	assert_true(chain->searched <= (uint64_t)st.st_size);
	assert_true(chain->searched >= 40 * 50000);
	stop();
}

static void test_small_lines_only(void **state)
{
	(void)state;
	start(4096);
	tmp_write("t", "");
	write_quoted("t", READ("r", "1\\ta"));
	for (int i = 0; i < 20; i++)
		write_filler("t", 4000);
	write_quoted("t", EDIT("e", "a", "b"));
	take("t");
	open_chain();
	expect("lines up to 4096 bytes", "a");
	stop();
}

/* The transcript is not what it was: no wrong bytes. */
static void test_again(void **state)
{
	static const char *const was[] = {
		READ("r", "1\\tac"), DETAIL("r", "/p/a", "ac", "1", "1")
	};
	static const char *const is[] = { READ("r", "1\\tax"),
					  DETAIL("r", "/p/a", "ax", "1", "1") };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		start(MiB);
		tmp_write("t", "");
		write_quoted("t", was[i]);
		write_quoted("t", EDIT("e", "a", "b"));
		take("t");
		open_chain();
		expect("as it was", "ac");
		expect("as it was, again", "ac");
		tmp_write("t", "");
		write_quoted("t", is[i]);
		write_quoted("t", EDIT("e", "a", "b"));
		expect("another text", NULL);
		tmp_write("t", "");
		expect("no text", NULL);
		stop();
	}
}

static int set_up(void **state)
{
	(void)state;
	tmp_make();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tmp_drop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_other_transcript),
		cmocka_unit_test(test_under_way),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_small_lines_only),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
