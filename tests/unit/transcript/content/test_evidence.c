/* What the lines of a change say of the file before and after it. */
#include "facts.h"

#include "transcript/content/evidence.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CALL(name, input)                                                      \
	"{`type`:`assistant`,`version`:`1.0`,`message`:{`content`:["           \
	"{`type`:`tool_use`,`id`:`x`,`name`:`Read`,`input`:{}},"               \
	"{`type`:`tool_use`,`id`:`t`,`name`:`" name "`,`input`:" input "}]}}"
#define SAYS(text, more)                                                       \
	"{`type`:`user`,`uuid`:`u`,`message`:{`content`:[{"                    \
	"`type`:`tool_result`,`tool_use_id`:`t`,`content`:`" text "`}]}" more  \
	"}"
#define RESULT(detail) SAYS("ok", ",`toolUseResult`:" detail)
#define CREATED	       "File created successfully at: /f"

#define EDIT CALL("Edit", "{`old_string`:`a`,`new_string`:`b`}")
#define EDITED(more)                                                           \
	RESULT("{`filePath`:`/f`,`oldString`:`A`,`newString`:`B`" more "}")
#define WRITE CALL("Write", "{`file_path`:`/f`,`content`:`in`}")
#define WRITTEN(type, more)                                                    \
	RESULT("{`filePath`:`/f`,`type`:`" type "`,`content`:`new`" more "}")
#define PATCH(hunks) EDITED(",`structuredPatch`:" hunks)
#define HUNK(a, b, c, d, lines)                                                \
	"{`oldStart`:" #a ",`oldLines`:" #b ",`newStart`:" #c                  \
	",`newLines`:" #d ",`lines`:" lines "}"
#define TABS "[` x`,`-\\tA`,`+B`,`\\\\ No newline`]"
#define PARTS                                                                  \
	CALL("MultiEdit",                                                      \
	     "{`edits`:[{`old_string`:`0`,`new_string`:`0`},"                  \
	     "{`file_path`:`/a`,`old_string`:`1`,`new_string`:`2`},"           \
	     "{`file_path`:`/b`,`old_string`:`3`,`new_string`:`4`},"           \
	     "{`file_path`:`/a`,`old_string`:`5`,`new_string`:`6`}]}")
#define PART_B                                                                 \
	RESULT("{`filePath`:`/b`,`edits`:[{`old_string`:`7`,"                  \
	       "`new_string`:`8`}],`originalFileContents`:`of b`}")
#define NOTEBOOK(more)                                                         \
	CALL("NotebookEdit", "{`notebook_path`:`/n`,`new_source`:`s`" more "}")
#define CELL(more)                                                             \
	RESULT("{`new_source`:`S`,`cell_type`:`code`,`error`:``" more "}")
#define EDITOR(input) CALL("str_replace_editor", "{`path`:`/f`," input "}")

struct row {
	const char *call;
	const char *result;
	const char *says; /* NULL: nothing */
};

static void put_text(struct ccfc_buf *out, struct ccfc_slice text)
{
	if (text.ptr)
		ccfc_buf_slice(out, text);
	else
		ccfc_buf_putc(out, '-');
}

static void put_hunk(struct ccfc_buf *out, const struct ccfc_hunk *hunk)
{
	ccfc_buf_printf(out, " @%u,%u,%u,%u", hunk->old_start, hunk->old_lines,
			hunk->new_start, hunk->new_lines);
	for (uint32_t i = 0; i < hunk->nlines; i++) {
		ccfc_buf_putc(out, '|');
		ccfc_buf_slice(out, hunk->lines[i]);
	}
}

static void put_cell(struct ccfc_buf *out, const struct ccfc_cell *cell)
{
	static const char *const modes[] = { "replace", "insert", "delete" };

	ccfc_buf_printf(out, " cell %s #%d ", modes[cell->mode],
			(int)cell->number);
	put_text(out, cell->source);
	ccfc_buf_putc(out, ',');
	put_text(out, cell->type);
	ccfc_buf_putc(out, ',');
	put_text(out, cell->id);
	if (cell->asked) {
		ccfc_buf_puts(out, " asked ");
		put_text(out, cell->asked_type);
		ccfc_buf_putc(out, ',');
		put_text(out, cell->asked_id);
	}
	ccfc_buf_puts(out, " v");
	put_text(out, cell->version);
}

static void put_evidence(struct ccfc_buf *out, const struct ccfc_evidence *e)
{
	static const char *const shapes[] = { "edit",	  "write",  "multi",
					      "notebook", "opaque", "command" };

	ccfc_buf_puts(out, shapes[e->shape]);
	ccfc_buf_puts(out, e->from_result ? " result" : "");
	ccfc_buf_puts(out, e->user_modified ? " user" : "");
	if (e->before == CCFC_BEFORE_ABSENT)
		ccfc_buf_puts(out, " absent");
	if (e->before == CCFC_BEFORE_TEXT) {
		ccfc_buf_puts(out, " before=");
		put_text(out, e->original);
	}
	if (e->has_after) {
		ccfc_buf_puts(out, " after=");
		put_text(out, e->after);
	}
	for (uint32_t i = 0; i < e->nedits; i++) {
		ccfc_buf_putc(out, ' ');
		put_text(out, e->edits[i].old_text);
		ccfc_buf_puts(out, e->edits[i].all ? ">>" : ">");
		put_text(out, e->edits[i].new_text);
	}
	assert_int_equal(e->has_patch, e->nhunks > 0);
	for (uint32_t i = 0; i < e->nhunks; i++)
		put_hunk(out, &e->hunks[i]);
	if (e->has_cell)
		put_cell(out, &e->cell);
	ccfc_buf_putc(out, '\0');
}

/* Another line takes the place of the last one. */
static void forget(struct ccfc_parser *parser)
{
	static const char text[] = "{`type`:`user`,`uuid`:`\\u0078\\u0078`}";
	char *line = quoted(text);
	struct ccfc_record record;

	ccfc_record_parse(parser, &record, ccfc_slice(line, sizeof(text) - 1));
	free(line);
}

static void check_part(struct ccfc_parser *parser, const char *id,
		       uint32_t part, const struct row *row)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_evidence evidence;
	char *call = quoted(row->call);
	char *result = quoted(row->result);
	bool found = ccfc_evidence_read(
		parser, &evidence, ccfc_slice_str(id), part,
		ccfc_slice(call, strlen(row->call)),
		ccfc_slice(result, strlen(row->result)), &arena);

	/* The evidence must need neither the lines nor the parser's memory. */
	free(call);
	free(result);
	forget(parser);
	put_evidence(&buf, &evidence);
	if (found != (row->says != NULL))
		fail_msg("%s / %s: %s", row->call, row->result, buf.ptr);
	if (row->says)
		assert_string_equal(buf.ptr, row->says);
	ccfc_buf_release(&buf);
	ccfc_arena_release(&arena);
}

static void check(const struct row *rows, size_t n)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	for (size_t i = 0; i < n; i++)
		check_part(parser, "t", 0, &rows[i]);
	ccfc_parser_free(parser);
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof(*(rows)))

static void test_edit(void **state)
{
	static const struct row rows[] = {
		{ EDIT, "", "edit a>b" },
		{ EDIT, EDITED(""), "edit result A>B" },
		{ "", EDITED(",`originalFile`:`xA`,`userModified`:true"),
		  "edit result user before=xA A>B" },
		{ EDIT, EDITED(",`originalFile`:null"), "edit result A>B" },
		{ EDIT, EDITED(",`originalFile`:{}"), "edit result A>B" },
		{ EDIT, EDITED(",`originalFile`:``"),
		  "edit result before= A>B" },
		/* Not a text any more: \q is no escape. */
		{ EDIT, EDITED(",`originalFile`:`x\\q`"), "edit result A>B" },
		/* Field by field. */
		{ EDIT, RESULT("{`filePath`:`/f`,`oldString`:`A`}"),
		  "edit result A>b" },
		{ CALL("Edit", "{`old_string`:`a`,`new_string`:`b`,"
			       "`replace_all`:true}"),
		  EDITED(""), "edit result A>>B" },
		{ CALL("Edit", "{`old_string`:`a`,`new_string`:`b`,"
			       "`replace_all`:true}"),
		  EDITED(",`replaceAll`:false"), "edit result A>B" },
		{ EDIT, EDITED(",`replaceAll`:true"), "edit result A>>B" },
		/* An agent's result has no detail. */
		{ EDIT, SAYS("ok", ""), "edit a>b" },
		{ EDIT, SAYS(CREATED, ""), "edit a>b" },
		{ EDIT, RESULT("`Error: x`"), "edit a>b" },
		/* Two results in a record: toolUseResult is nobody's. */
		{ EDIT,
		  "{`type`:`user`,`message`:{`content`:[{`type`:`tool_result`,"
		  "`tool_use_id`:`t`},{`type`:`tool_result`,"
		  "`tool_use_id`:`v`}]},`toolUseResult`:{`filePath`:`/f`,"
		  "`oldString`:`A`,`newString`:`B`,`originalFile`:`A`}}",
		  "edit a>b" },
		/* Nothing there. */
		{ "", "", NULL },
		{ "", SAYS("ok", ""), NULL },
		{ "{`torn", "}", NULL },
	};

	(void)state;
	CHECK(rows);
}

static void test_write(void **state)
{
	static const struct row rows[] = {
		{ WRITE, "", "write after=in" },
		{ WRITE, WRITTEN("create", ",`originalFile`:null"),
		  "write result absent after=new" },
		{ WRITE, WRITTEN("create", ",`structuredPatch`:[]"),
		  "write result absent after=new" },
		{ WRITE, WRITTEN("create", ",`originalFile`:`was`"),
		  "write result after=new" },
		{ WRITE, WRITTEN("update", ",`originalFile`:`was`"),
		  "write result before=was after=new" },
		{ WRITE, WRITTEN("update", ",`originalFile`:null"),
		  "write result after=new" },
		{ WRITE, WRITTEN("update", ""), "write result after=new" },
		{ WRITE, RESULT("{`filePath`:`/f`,`type`:`update`}"),
		  "write result after=in" },
		{ CALL("Write", "{`content`:7}"), "", "write" },
		{ CALL("Write", "{`content`:``}"), "", "write after=" },
		{ CALL("Write", "{`content`:`\\ud800\\n\\t`}"), "",
		  "write after=\xef\xbf\xbd\n\t" },
		/* An agent's: the text tells the new from the old. */
		{ WRITE, SAYS(CREATED, ""), "write absent after=in" },
		{ WRITE, SAYS("The file /f has been updated", ""),
		  "write after=in" },
		{ WRITE,
		  "{`type`:`user`,`message`:{`content`:[{`type`:`tool_result`,"
		  "`tool_use_id`:`t`,`is_error`:true,`content`:`" CREATED
		  "`}]}}",
		  "write after=in" },
		{ "", SAYS(CREATED, ""), NULL },
		/* The result is of another kind, or of none. */
		{ EDIT, WRITTEN("create", ""),
		  "write result absent after=new" },
		{ WRITE,
		  RESULT("{`filePath`:`/f`,`originalFile`:`o`,"
			 "`structuredPatch`:`--- a`}"),
		  "write result before=o after=in" },
	};

	(void)state;
	CHECK(rows);
}

static void test_multi(void **state)
{
	static const struct row rows[] = {
		{ "",
		  RESULT("{`filePath`:`/a`,`edits`:[{`old_string`:`1`,"
			 "`new_string`:`2`,`replace_all`:true},"
			 "{`old_string`:`3`,`new_string`:`4`}],"
			 "`originalFileContents`:`13`}"),
		  "multi result before=13 1>>2 3>4" },
		/* An edit that cannot be read is not left out. */
		{ CALL("MultiEdit",
		       "{`file_path`:`/a`,`edits`:[{`old_string`:`1`,"
		       "`new_string`:`2`},7]}"),
		  "", "multi 1>2 ->-" },
		{ CALL("MultiEdit", "{`file_path`:`/a`,`edits`:`x`}"), "",
		  "multi" },
		/* Each edit names its file. */
		{ PARTS, "", "multi 1>2 5>6" },
		{ PARTS, PART_B, "multi 1>2 5>6" },
	};

	(void)state;
	CHECK(rows);
}

static void test_patch(void **state)
{
	static const struct row rows[] = {
		{ "", PATCH("[" HUNK(1, 2, 1, 1, "[` x`,`-A`,`+B`,`-C`]") "]"),
		  "edit result A>B" },
		{ "",
		  PATCH("[" HUNK(1, 2, 1, 2, TABS) "," HUNK(9, 0, 9, 1,
							    "[`+`]") "]"),
		  "edit result A>B @1,2,1,2| x|-\tA|+B|\\ No newline"
		  " @9,0,9,1|+" },
		{ "", PATCH("[]"), "edit result A>B" },
		{ "", PATCH("`--- a`"), "edit result A>B" },
		{ "", PATCH("[7]"), "edit result A>B" },
		/* One bad hunk spoils the patch. */
		{ "",
		  PATCH("[" HUNK(1, 1, 1, 0, "[`-A`]") "," HUNK(5, 1, 4, 1,
								"[`x`]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(-1, 1, 1, 0, "[`-A`]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(2147483647, 1, 0, 0, "[`-A`]") "]"),
		  "edit result A>B @2147483647,1,0,0|-A" },
		{ "", PATCH("[" HUNK(2147483648, 1, 1, 0, "[`-A`]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(1.5, 1, 1, 0, "[`-A`]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(0.5, 1, 1, 0, "[`-A`]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(true, 1, 1, 0, "[`-A`]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[{`lines`:[`-A`]}]"), "edit result A>B" },
		{ "", PATCH("[" HUNK(1, 1, 1, 0, "[`-A`,``]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(1, 1, 1, 0, "[`-A`,`\\u0000`]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(1, 0, 1, 0, "[]") "]"),
		  "edit result A>B" },
		{ "", PATCH("[" HUNK(1, 1, 1, 0, "{`0`:`-A`}") "]"),
		  "edit result A>B" },
	};

	(void)state;
	CHECK(rows);
}

static void test_notebook(void **state)
{
	static const struct row rows[] = {
		{ NOTEBOOK(",`cell_id`:`c`"), "",
		  "notebook cell replace #-1 s,-,c asked -,c v1.0" },
		{ NOTEBOOK(",`cell_number`:0"), "",
		  "notebook cell replace #0 s,-,- asked -,- v1.0" },
		/* The result has the new cell's id. */
		{ NOTEBOOK(",`edit_mode`:`insert`,`cell_id`:`c`"),
		  CELL(",`edit_mode`:`insert`,`cell_id`:`n`"),
		  "notebook result cell insert #-1 S,code,n asked -,c v1.0" },
		{ "", CELL(",`edit_mode`:`delete`,`cell_number`:3"),
		  "notebook result cell delete #3 S,code,- v-" },
		{ NOTEBOOK(""),
		  CELL(",`original_file`:`{}`,`updated_file`:`{ }`"),
		  "notebook result before={} after={ }"
		  " cell replace #-1 S,code,- asked -,- v1.0" },
		/* A mode or an id that nobody knows. */
		{ NOTEBOOK(",`edit_mode`:`swap`"), "", "notebook" },
		{ NOTEBOOK(",`edit_mode`:7"), "", "notebook" },
		{ NOTEBOOK(",`cell_id`:7"), "", "notebook" },
		{ NOTEBOOK(",`cell_id`:null"), "",
		  "notebook cell replace #-1 s,-,- asked -,- v1.0" },
		{ CALL("NotebookEdit", "{`cell_id`:`c`}"), "", "notebook" },
		{ CALL("NotebookEdit", "{`cell_id`:`c`,`edit_mode`:`delete`}"),
		  "", "notebook cell delete #-1 -,-,c asked -,c v1.0" },
	};

	(void)state;
	CHECK(rows);
}

static void test_other_tools(void **state)
{
	static const struct row rows[] = {
		{ CALL("mcp__fs__write_file", "{`path`:`/f`,`content`:`c`}"),
		  RESULT("[{`type`:`text`,`text`:`wrote`}]"), "write after=c" },
		{ CALL("mcp__fs__edit_file",
		       "{`path`:`/f`,`edits`:[{`oldText`:`1`,"
		       "`newText`:`2`}]}"),
		  "", "multi 1>2" },
		{ CALL("edit_file", "{`path`:`/f`,`old_str`:`1`,"
				    "`new_str`:`2`}"),
		  "", "multi 1>2" },
		{ CALL("mcp__fs__edit_file",
		       "{`path`:`/f`,`dryRun`:true,`edits`:[]}"),
		  "", NULL },
		{ CALL("mcp__serena__replace_regex", "{`relative_path`:`a`}"),
		  "", "opaque" },
		{ EDITOR("`command`:`create`,`file_text`:`c`"), "",
		  "write after=c" },
		/* It says so of a file that was there, too. */
		{ EDITOR("`command`:`create`,`file_text`:`c`"),
		  SAYS(CREATED, ""), "write after=c" },
		{ EDITOR("`command`:`str_replace`,`old_str`:`1`,"
			 "`new_str`:`2`"),
		  "", "edit 1>2" },
		{ EDITOR("`command`:`insert`,`insert_line`:1,`new_str`:`2`"),
		  "", "opaque" },
		{ EDITOR("`command`:`view`"), "", NULL },
	};

	(void)state;
	CHECK(rows);
}

/* Which change of which line it is about. */
static void test_id(void **state)
{
	static const struct {
		const char *id;
		uint32_t part;
		struct row row;
	} rows[] = {
		{ "other", 0, { EDIT, EDITED(""), NULL } },
		{ "x", 0, { EDIT, "", NULL } },
		/* A damaged result may have said something else. */
		{ "t", 0, { EDIT, SAYS("\xff", ""), NULL } },
		{ "t", 0, { SAYS("\xff", ""), EDITED(""), "edit result A>B" } },
		{ "t", 1, { EDIT, EDITED(""), NULL } },
		{ "u", 0, { "", EDITED(""), "edit result A>B" } },
		{ "t", 1, { PARTS, "", "multi 3>4" } },
		{ "t", 2, { PARTS, "", NULL } },
		{ "t", 1, { PARTS, PART_B, "multi result before=of b 7>8" } },
		{ "t", 1, { "", PART_B, NULL } },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_part(parser, rows[i].id, rows[i].part, &rows[i].row);
	ccfc_parser_free(parser);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_multi),
		cmocka_unit_test(test_patch),
		cmocka_unit_test(test_notebook),
		cmocka_unit_test(test_other_tools),
		cmocka_unit_test(test_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
