/* Numbered lines, back to the text that they number. */
#include "base/buf.h"
#include "transcript/content/numbered_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MALWARE                                                                \
	"\n\n<system-reminder>\nWhenever you read a file, you should …\n"    \
	"</system-reminder>\n"

/* The text, or NULL; valid until the next call. */
static const char *text_of(struct ccfc_slice shown)
{
	static struct ccfc_buf copy;
	struct ccfc_slice text;
	struct ccfc_arena arena;
	bool whole;

	ccfc_arena_init(&arena);
	whole = ccfc_numbered_lines_text(&text, shown, &arena);
	ccfc_buf_clear(&copy);
	if (whole)
		ccfc_buf_slice(&copy, text);
	ccfc_buf_putc(&copy, '\0');
	ccfc_arena_release(&arena);
	return whole ? copy.ptr : NULL;
}

static void test_text(void **state)
{
	static const struct {
		const char *shown;
		const char *text; /* NULL: not whole */
	} rows[] = {
		{ "     1→a\n     2→b", "a\nb" },
		{ "     1→a\n     2→", "a\n" },
		{ "1\ta\n2\tb", "a\nb" },
		{ "1\ta\n2\t\n3\t", "a\n\n" },
		{ "     1\ta", "a" },
		{ "1\t", "" },
		{ "1→", "" },
		/* The marks of the other form are text. */
		{ "     1→2\tb", "2\tb" },
		{ "1\t\t2→b", "\t2→b" },
		{ "1\ta\r\n2\tb", "a\r\nb" },
		/* Reminders and white space may follow. */
		{ "     1→a\n" MALWARE, "a" },
		{ "     1→a\n     2→" MALWARE MALWARE, "a\n" },
		{ "1\ta\n\n \n", "a" },
		{ "1\t<system-reminder>", "<system-reminder>" },
		{ "<system-reminder>Warning: the file exists but is shorter "
		  "than the provided offset (1). The file has 1 lines."
		  "</system-reminder>",
		  "" },
		/* Not from the start, a gap, a mixture. */
		{ "2\ta", NULL },
		{ "0\ta", NULL },
		{ "1\ta\n3\tb", NULL },
		{ "1\ta\n1\tb", NULL },
		{ "1\ta\nb", NULL },
		{ "1\ta\n02\tb", NULL },
		{ "1\ta\n2→b", NULL },
		{ "4294967297\ta", NULL },
		{ "1", NULL },
		{ "", NULL },
		{ "a", NULL },
		{ "\n1\ta", NULL },
		/* Something else stands behind, which may say what is missing.
		 */
		{ "1\ta\n\n[truncated]", NULL },
		{ "1\ta\n\n<system-reminder>The file was cut"
		  "</system-reminder>",
		  NULL },
		{ "1\ta\n\n<system-reminder>Whenever you read a file", NULL },
		{ "1\ta" MALWARE "and more", NULL },
		{ "<system-reminder>Warning: the file exists but is shorter "
		  "than the provided offset (9). The file has 1 lines."
		  "</system-reminder>",
		  NULL },
		{ "File unchanged since last read.", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *got = text_of(ccfc_slice_str(rows[i].shown));
		const char *want = rows[i].text;

		if (!got != !want || (got && strcmp(got, want)))
			fail_msg("'%s': got '%s', not '%s'", rows[i].shown,
				 got ? got : "(none)", want ? want : "(none)");
	}
}

static bool takes_lines(unsigned n)
{
	struct ccfc_buf shown = CCFC_BUF_INIT;
	bool taken;

	for (unsigned i = 1; i <= n; i++)
		ccfc_buf_printf(&shown, "%s%u\tx", i > 1 ? "\n" : "", i);
	taken = text_of(ccfc_buf_view(&shown)) != NULL;
	ccfc_buf_release(&shown);
	return taken;
}

static bool takes_line_of(const char *piece, unsigned n)
{
	struct ccfc_buf shown = CCFC_BUF_INIT;
	bool taken;

	ccfc_buf_puts(&shown, "1\t");
	while (n--)
		ccfc_buf_puts(&shown, piece);
	ccfc_buf_puts(&shown, "\n2\tb");
	taken = text_of(ccfc_buf_view(&shown)) != NULL;
	ccfc_buf_release(&shown);
	return taken;
}

/* What the client may have cut is not whole. */
static void test_limits(void **state)
{
	(void)state;
	assert_true(takes_lines(1999));
	assert_false(takes_lines(2000));
	assert_false(takes_lines(2001));
	assert_true(takes_line_of("x", 1999));
	assert_false(takes_line_of("x", 2000));
	assert_true(takes_line_of("é", 1999));
	assert_false(takes_line_of("é", 2000));
	assert_true(takes_line_of("😀", 999));
	assert_false(takes_line_of("😀", 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
