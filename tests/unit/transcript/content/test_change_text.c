/* The texts of a change: which line wins, which edits, which id. */
#include "facts.h"

#include "transcript/content/change_text.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CALL(name, input)                                                      \
	"{`type`:`assistant`,`message`:{`content`:[{`type`:`tool_use`,"        \
	"`id`:`x`,`name`:`Read`,`input`:{}},{`type`:`tool_use`,`id`:`t`,"      \
	"`name`:`" name "`,`input`:" input "}]}}"
#define RESULT(detail)                                                         \
	"{`type`:`user`,`uuid`:`u`,`message`:{`content`:[{"                    \
	"`type`:`tool_result`,`tool_use_id`:`t`}]},`toolUseResult`:" detail    \
	"}"
#define EDIT CALL("Edit", "{`old_string`:`a`,`new_string`:`b`}")
#define PARTS                                                                  \
	CALL("MultiEdit",                                                      \
	     "{`edits`:[{`file_path`:`/a`,`old_string`:`1`,"                   \
	     "`new_string`:`2`},{`file_path`:`/b`,`old_string`:`3`,"           \
	     "`new_string`:`4`},{`file_path`:`/a`,`old_string`:`5`,"           \
	     "`new_string`:`6`}]}")

struct row {
	const char *id;
	uint32_t part;
	const char *call;
	const char *result;
	const char *edits; /* "old>new;…", "-" for NULL; NULL: no content */
};

static void put_text(struct ccfc_buf *out, struct ccfc_slice text)
{
	if (text.ptr)
		ccfc_buf_slice(out, text);
	else
		ccfc_buf_putc(out, '-');
}

static void check_row(struct ccfc_parser *parser, const struct row *row)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_change_text content;
	char *call = quoted(row->call);
	char *result = quoted(row->result);
	bool found = ccfc_content_read(
		parser, &content, ccfc_slice_str(row->id), row->part,
		ccfc_slice(call, strlen(row->call)),
		ccfc_slice(result, strlen(row->result)), &arena);

	/* The texts must not need the lines any more. */
	free(call);
	free(result);
	assert_int_equal(found, row->edits != NULL);
	for (uint32_t i = 0; i < content.nedits; i++) {
		put_text(&buf, content.edits[i].old_text);
		ccfc_buf_putc(&buf, '>');
		put_text(&buf, content.edits[i].new_text);
		ccfc_buf_putc(&buf, ';');
	}
	if (row->edits)
		assert_string_equal(buf.ptr, row->edits);
	ccfc_buf_release(&buf);
	ccfc_arena_release(&arena);
}

static void test_content(void **state)
{
	static const struct row rows[] = {
		{ "t", 0, EDIT, "", "a>b;" },
		{ "t", 0, EDIT,
		  RESULT("{`filePath`:`/f`,`oldString`:`A`,`newString`:`B`}"),
		  "A>B;" },
		{ "t", 0, "",
		  RESULT("{`filePath`:`/f`,`oldString`:`A`,`newString`:`B`}"),
		  "A>B;" },
		/* A result without texts: the call's. */
		{ "t", 0, EDIT, RESULT("`Error: x`"), "a>b;" },
		{ "t", 0, EDIT, RESULT("{`stdout`:`x`}"), "a>b;" },
		/* Not the lines of this id any more. */
		{ "other", 0, EDIT,
		  RESULT("{`filePath`:`/f`,`oldString`:`A`,`newString`:`B`}"),
		  NULL },
		{ "", 0, EDIT, "", NULL },
		{ "t", 0, "", "", NULL },
		{ "t", 0, "{`torn", "}", NULL },
		{ "x", 0, EDIT, "", NULL },
		{ "t", 0,
		  "{`type`:`api-request-blob`,`message`:{`content`:[]}}", "",
		  NULL },
		/* A write by its uuid. */
		{ "u", 0, "",
		  "{`type`:`user`,`uuid`:`u`,`toolUseResult`:{`filePath`:`/f`,"
		  "`type`:`create`,`content`:`x`}}",
		  "->x;" },
		{ "t", 0, CALL("Write", "{`content`:`a\\n\\ud800`}"), "",
		  "->a\n\xef\xbf\xbd;" },
		{ "t", 0, CALL("Write", "{`content`:`a`}"),
		  RESULT("{`filePath`:`/f`,`type`:`update`,`content`:``}"),
		  "->;" },
		{ "t", 0, CALL("Write", "{`content`:7}"), "", NULL },
		{ "t", 0,
		  CALL("MultiEdit",
		       "{`file_path`:`/a`,`edits`:[{`old_string`:`1`,"
		       "`new_string`:`2`},{`old_string`:`3`,"
		       "`new_string`:`4`}]}"),
		  "", "1>2;3>4;" },
		{ "t", 0, "",
		  RESULT("{`filePath`:`/a`,`edits`:[{`old_string`:`1`,"
			 "`new_string`:`2`}]}"),
		  "1>2;" },
		{ "t", 0, PARTS, "", "1>2;5>6;" },
		{ "t", 1, PARTS, "", "3>4;" },
		{ "t", 2, PARTS, "", NULL },
		{ "t", 0,
		  CALL("NotebookEdit",
		       "{`notebook_path`:`/n`,`new_source`:`s`}"),
		  "", "->s;" },
		{ "t", 0, "",
		  RESULT("{`notebook_path`:`/n`,`new_source`:`s`,"
			 "`old_source`:`r`}"),
		  "r>s;" },
		{ "t", 0,
		  CALL("mcp__serena__replace_regex", "{`relative_path`:`a`}"),
		  "", NULL },
		/* Two results in a record: toolUseResult is nobody's. */
		{ "t", 0, EDIT,
		  "{`type`:`user`,`message`:{`content`:[{`type`:`tool_result`,"
		  "`tool_use_id`:`t`},{`type`:`tool_result`,"
		  "`tool_use_id`:`v`}]},`toolUseResult`:{`filePath`:`/f`,"
		  "`oldString`:`A`,`newString`:`B`}}",
		  "a>b;" },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(parser, &rows[i]);
	ccfc_parser_free(parser);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
