/*
 * Lines with owners, from one text to the next. Owners are letters: a text is
 * written as "owner line", one a line, so that a case can be read.
 */
#include "history/blame/line_owners.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

/* --- a small world --- */

static void put_text(struct ccfc_buf *buf, const char *text)
{
	ccfc_buf_clear(buf);
	ccfc_buf_puts(buf, text);
}

static int start(void **state)
{
	*state = calloc(1, sizeof(struct ccfc_line_owners));
	return *state ? 0 : -1;
}

static int stop(void **state)
{
	ccfc_line_owners_release(*state);
	free(*state);
	return 0;
}

enum how { DIFF, CHANGE, SPACE, SPACE_CHANGE };

static void go(struct ccfc_line_owners *c, const char *text, char owner,
	       enum how how)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	bool space = how == SPACE || how == SPACE_CHANGE;

	put_text(&buf, text);
	if (how == CHANGE || how == SPACE_CHANGE)
		ccfc_line_owners_change(c, &buf, (uint32_t)owner, space);
	else
		ccfc_line_owners_diff(c, &buf, (uint32_t)owner, space);
	ccfc_buf_release(&buf);
	assert_string_equal(c->text.ptr ? c->text.ptr : "", text);
}

/* The owners, one letter a line; and every line starts where it should. */
static void owned(const struct ccfc_line_owners *c, const char *want)
{
	char got[256];
	uint32_t at = 0;

	assert_true(c->lines.n < sizeof(got));
	for (uint32_t i = 0; i < c->lines.n; i++) {
		got[i] = (char)c->lines.items[i].owner;
		assert_int_equal(c->lines.items[i].at, at);
		at += (uint32_t)ccfc_line_owners_line(c, i).len;
	}
	got[c->lines.n] = '\0';
	assert_int_equal(at, c->text.len);
	assert_string_equal(got, want);
}

static void origins(const struct ccfc_line_owners *c, const char *want)
{
	char got[256] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < c->lines.n; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%u ",
				      c->lines.items[i].origin);
	assert_string_equal(got, want);
}

/* A step along a patch of one hunk, whose lines have newlines here. */
static void patch(struct ccfc_line_owners *c, const char *text, char owner,
		  uint32_t line, const char *hunk)
{
	struct ccfc_slice lines[32];
	struct ccfc_hunk h = { .old_start = line,
			       .new_start = line,
			       .lines = lines };
	struct ccfc_evidence ev = { .has_patch = true,
				    .hunks = &h,
				    .nhunks = 1 };
	struct ccfc_buf buf = CCFC_BUF_INIT;

	for (const char *nl; (nl = strchr(hunk, '\n')); hunk = nl + 1)
		lines[h.nlines++] = ccfc_slice(hunk, (size_t)(nl - hunk));
	put_text(&buf, text);
	ccfc_line_owners_patch(c, &buf, &ev, (uint32_t)owner, false);
	ccfc_buf_release(&buf);
	assert_string_equal(c->text.ptr, text);
}

/* --- by comparison --- */

static void test_first_text(void **state)
{
	struct ccfc_line_owners *c = *state;

	owned(c, "");
	go(c, "one\ntwo\n", 'a', DIFF);
	owned(c, "aa");
	origins(c, "1 2 ");
	go(c, "", 'b', DIFF);
	owned(c, "");
	go(c, "\n\nx", 'c', DIFF);
	owned(c, "ccc");
}

static void test_kept_and_new(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "1\n2\n3\n4\n5\n6\n", 'a', DIFF);
	go(c, "1\nX\n3\n4\nY\nZ\n5\n6\n", 'b', DIFF);
	owned(c, "abaabbaa");
	origins(c, "1 2 3 4 5 6 5 6 ");
	go(c, "1\nX\n4\nY\n5\n6\n7\n", 'c', DIFF);
	owned(c, "ababaac");
	go(c, "1\nX\n4\nY\n5\n6\n7\n", 'd', DIFF);
	owned(c, "ababaac");
}

static void test_blank_lines_are_lines(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "a\n\nb\n", 'a', DIFF);
	go(c, "a\n\n\n\nb\n", 'b', DIFF);
	owned(c, "aabba");
	go(c, "a\nb\n", 'c', DIFF);
	owned(c, "aa");
}

/* The last line without its newline is another line. */
static void test_no_newline_at_the_end(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "a\nb", 'a', DIFF);
	owned(c, "aa");
	go(c, "a\nb\n", 'b', DIFF);
	owned(c, "ab");
	go(c, "a\nb\nc", 'c', DIFF);
	owned(c, "abc");
	go(c, "a\nbc", 'd', DIFF);
	owned(c, "ad");
	go(c, "xa\nbc", 'e', DIFF);
	owned(c, "ed");
}

/* What both texts begin and end with may overlap. */
static void test_repeated_lines(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "x\nx\nx\n", 'a', DIFF);
	go(c, "x\nx\nx\nx\nx\n", 'b', DIFF);
	owned(c, "aaabb");
	go(c, "x\nx\n", 'c', DIFF);
	owned(c, "aa");
}

static void test_chance(void **state)
{
	struct ccfc_line_owners *c = *state;

	srand(20251210);
	for (int n = 0; n < 3000; n++) {
		char text[64], *at = text;
		int lines = rand() % 12;

		for (int i = 0; i < lines; i++)
			at += sprintf(at, "%c\n", 'a' + rand() % 5);
		if (lines && rand() % 4 == 0)
			at--;
		*at = '\0';
		/* Checks the text, and where lines begin. */
		go(c, text, 'z', rand() % 2 ? CHANGE : SPACE);
		assert_int_equal(c->lines.n, lines);
	}
}

/* --- moves --- */

#define ONE   "int first_of_all(void);\n"
#define TWO   "int second_of_all(void);\n"
#define THREE "int third_of_all(int number);\n"

static void test_moved_block(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, ONE TWO "x\ny\nz\n", 'a', DIFF);
	go(c, THREE ONE TWO "x\ny\nz\n", 'b', DIFF);
	owned(c, "baaaaa");
	go(c, ONE TWO "x\ny\nz\n" THREE, 'c', CHANGE);
	owned(c, "aaaaab");
	origins(c, "1 2 3 4 5 1 ");
	/* What somebody else moves is somebody else's. */
	go(c, THREE ONE TWO "x\ny\nz\n", 'd', DIFF);
	owned(c, "daaaaa");
}

/* A bracket is no block; and what was taken once is not taken twice. */
static void test_not_moved(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "}\na\nb\n", 'a', DIFF);
	go(c, "a\nb\n}\n", 'b', CHANGE);
	owned(c, "aab");
	go(c, THREE "1\n2\n3\n", 'a', DIFF);
	go(c, "1\n2\n3\n" THREE THREE, 'b', CHANGE);
	owned(c, "aaaab");
}

/* --- white space --- */

static void test_space(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "if (x) {\nfoo();\nbar( a,b );\n}\n", 'a', DIFF);
	go(c, "if (x) {\n\tfoo();\n\tbar(a, b);\n\tnew();\n}\n", 'o', SPACE);
	owned(c, "aaaoa");
	go(c, "if (x) {\n  foo();\n  bar(a, b);\n  new();\n}\n", 'o', DIFF);
	owned(c, "aoooa");
	go(c, "if (x) {\n foo();\n bar(a, c);\n new();\n}\n", 's',
	   SPACE_CHANGE);
	owned(c, "aosoa");
}

/* --- patches --- */

static void test_patch(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "1\n2\n3\n4\n5\n", 'a', DIFF);
	patch(c, "1\n2\nX\nY\n4\n5\n", 'b', 2, " 2\n-3\n+X\n+Y\n 4\n");
	owned(c, "aabbaa");
	patch(c, "0\n1\n2\nX\nY\n4\n5\n", 'c', 1, "+0\n 1\n 2\n");
	owned(c, "caabbaa");
	patch(c, "0\n1\n2\n", 'd', 3, " 2\n-X\n-Y\n-4\n-5\n");
	owned(c, "caa");
}

/* The client's own choice among equal lines counts. */
static void test_patch_chooses(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "x\nx\n", 'a', DIFF);
	patch(c, "x\nx\nx\n", 'b', 1, "+x\n x\n x\n");
	owned(c, "baa");
}

/* A patch that does not lead there is not believed. */
static void test_wrong_patch(void **state)
{
	static const struct {
		uint32_t line;
		const char *hunk;
	} bad[] = {
		{ 3, "-2\n+X\n" },	 { 1, "-2\n+X\n" },
		{ 2, "-2\n+X\n+Y\n" },	 { 2, "-2\n" },
		{ 2, "-2\n-3\n+X\n" },	 { 900, "-2\n+X\n" },
		{ 4294967295u, "+X\n" }, { 2, "-2\n+X\n-\n-\n-\n-\n" },
		{ 0, " 1\n+X\n" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ccfc_line_owners *c = *state;

		go(c, "", '-', DIFF);
		go(c, "1\n2\n3\n", 'a', DIFF);
		patch(c, "1\nX\n3\n", 'b', bad[i].line, bad[i].hunk);
		owned(c, "aba");
	}
}

/* Other line endings show as if all were new; they are not. */
static void test_patch_with_line_endings(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "one\ntwo\nsix\n", 'a', DIFF);
	patch(c, "one\nTWO\nsix\n", 'b', 1,
	      "-one\r\n-two\r\n-six\r\n+one\n+TWO\n+six\n");
	owned(c, "aba");
}

/* "\ No newline at end of file" is no line. */
static void test_patch_without_newline(void **state)
{
	struct ccfc_line_owners *c = *state;

	go(c, "1\n2", 'a', DIFF);
	patch(c, "1\n2\n3", 'b', 1, " 1\n-2\n\\ No\n+2\n+3\n\\ No\n");
	owned(c, "abb");
}

/* Texts of no bytes, which have no pointer: the sanitizer looks at it. */
static void test_nothing(void **state)
{
	struct ccfc_line_owners *c = *state;
	struct ccfc_buf none = CCFC_BUF_INIT;
	enum how ways[] = { DIFF, CHANGE, SPACE, SPACE_CHANGE };

	ccfc_line_owners_diff(c, &none, 'a', false);
	ccfc_line_owners_diff(c, &none, 'b', true);
	ccfc_line_owners_change(c, &none, 'c', false);
	assert_null(c->text.ptr);
	owned(c, "");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		go(c, "one\n", 'd', ways[i]);
		owned(c, "d");
		go(c, "", 'e', ways[i]);
		owned(c, "");
	}
	ccfc_buf_release(&none);
}

static void test_copy(void **state)
{
	struct ccfc_line_owners *c = *state, copy = { 0 };

	go(c, "1\n2\n", 'a', DIFF);
	ccfc_line_owners_copy(&copy, c);
	go(&copy, "1\n3\n", 'b', DIFF);
	owned(&copy, "ab");
	owned(c, "aa");
	ccfc_line_owners_release(&copy);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_first_text),
		TEST(test_kept_and_new),
		TEST(test_blank_lines_are_lines),
		TEST(test_no_newline_at_the_end),
		TEST(test_repeated_lines),
		TEST(test_chance),
		TEST(test_moved_block),
		TEST(test_not_moved),
		TEST(test_space),
		TEST(test_patch),
		TEST(test_patch_chooses),
		TEST(test_wrong_patch),
		TEST(test_patch_with_line_endings),
		TEST(test_patch_without_newline),
		TEST(test_nothing),
		TEST(test_copy),
	};

	return cmocka_run_group_tests_name("history/carry", tests, NULL, NULL);
}
