/* Which lines of a file are those of HEAD. */
#include "cli_test.h"

#include "cli/blame/git_match.h"

/* "1 2 - 4": for each line of the file its number in HEAD. */
static void expect(const char *head, const char *file,
		   struct ccfc_git_attrs attrs,
		   struct ccfc_git_match_range range, const char *want)
{
	struct ccfc_git_match m = { .arena = CCFC_ARENA_INIT };
	struct ccfc_buf got = CCFC_BUF_INIT;

	ccfc_git_match(&m, ccfc_slice_str(head), ccfc_slice_str(file), &attrs,
		       &range);
	ccfc_buf_puts(&got, "");
	for (uint32_t i = 0; i < m.n; i++) {
		if (i)
			ccfc_buf_putc(&got, ' ');
		if (m.lines[i].head)
			ccfc_buf_printf(&got, "%u", m.lines[i].head);
		else
			ccfc_buf_putc(&got, '-');
		assert_false(ccfc_slice_ends(m.lines[i].text, "\n"));
	}
	ccfc_buf_putc(&got, '\0');
	assert_string_equal(got.ptr, want);
	ccfc_buf_release(&got);
	ccfc_arena_release(&m.arena);
}

#define ALL ((struct ccfc_git_match_range){ .from = 1, .to = INT64_MAX })
#define NO_SPACE                                                               \
	((struct ccfc_git_match_range){ 1, INT64_MAX, .ignore_space = true })
#define PART(a, b) ((struct ccfc_git_match_range){ .from = (a), .to = (b) })
#define NOTHING	   ((struct ccfc_git_attrs){ 0 })

static void test_lines(void **state)
{
	(void)state;
	expect("a\nb\nc\n", "a\nb\nc\n", NOTHING, ALL, "1 2 3");
	expect("a\nb\nc\n", "x\na\nc\ny\nz\n", NOTHING, ALL, "- 1 3 - -");
	expect("a\nb\nc\nd\n", "d\n", NOTHING, ALL, "4");
	expect("a\nb\n", "c\nd\n", NOTHING, ALL, "- -");
	expect("", "a\n", NOTHING, ALL, "-");
	expect("a\n", "", NOTHING, ALL, "");
	/* A newline more or less is another line. */
	expect("a\nb", "a\nb\n", NOTHING, ALL, "1 -");
	expect("a\nb", "a\nb", NOTHING, ALL, "1 2");
}

static void test_part(void **state)
{
	(void)state;
	expect("a\nb\nc\n", "x\na\nc\n", NOTHING, PART(2, 3), "1 3");
	expect("a\nb\nc\n", "x\na\nc\n", NOTHING, PART(3, 99), "3");
	expect("a\nb\nc\n", "x\na\nc\n", NOTHING, PART(1, 1), "-");
	expect("a\n", "a\n", NOTHING, PART(2, INT64_MAX), "");
	expect("a\n", "a\n", NOTHING, PART(INT64_MAX, INT64_MAX), "");
}

static void test_line_ends(void **state)
{
	struct ccfc_git_attrs automatic = { .eol = CCFC_EOL_AUTO };
	struct ccfc_git_attrs turned = { .eol = CCFC_EOL_TURNED };

	(void)state;
	expect("a\nb\n", "a\r\nb\n", NOTHING, ALL, "- 2");
	expect("a\nb\n", "a\r\nb\n", automatic, ALL, "1 2");
	expect("a\nb\n", "a\r\nb\n", turned, ALL, "1 2");
	/* git leaves it alone where it has such line ends already. */
	expect("a\r\nb\n", "a\r\nb\r\n", automatic, ALL, "1 -");
	expect("a\r\nb\n", "a\r\nb\r\n", turned, ALL, "- 2");
	/* A CR that ends no line: not text. */
	expect("a\nb\rc\n", "a\r\nb\rc\n", automatic, ALL, "- 2");
	expect("a\nb\rc\n", "a\r\nb\rc\n", turned, ALL, "1 2");
	expect("a\nb\r", "a\r\nb\r", turned, ALL, "1 2");
}

static void test_ident(void **state)
{
	struct ccfc_git_attrs ident = { .ident = true };

	(void)state;
	expect("$Id$\n", "$Id: 1f $\n", ident, ALL, "1");
	expect("$Id$\n", "$Id: 1f $\n", NOTHING, ALL, "-");
	expect("a $Id$ $Id$ b\n", "a $Id: x$ $Id:$ b\n", ident, ALL, "1");
	/* Not closed in its line. */
	expect("$Id: x\n$\n", "$Id: x\n$\n", ident, ALL, "1 2");
	expect("$Id:", "$Id:", ident, ALL, "1");
	expect("$", "$", ident, ALL, "1");
}

static void test_space(void **state)
{
	(void)state;
	expect("if x:\n\ty\n\n", " if  x:\r\n        y\n \nz", NOTHING,
	       NO_SPACE, "1 2 3 -");
	expect("a\nb", "a \nb\n", NOTHING, NO_SPACE, "1 2");
	expect("a\nb\n", "ab\n", NOTHING, NO_SPACE, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	  cmocka_unit_test(test_part),
		cmocka_unit_test(test_line_ends), cmocka_unit_test(test_ident),
		cmocka_unit_test(test_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
