/* Steps by strings and by patches, forwards and back. */
#include "history/step/hunks.h"
#include "history/step/step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MAX 16

/* Evidence out of literals. */
struct facts {
	struct ccfc_evidence ev;
	struct ccfc_replacement edits[MAX];
	struct ccfc_hunk hunks[MAX];
	struct ccfc_slice lines[MAX][MAX];
};

static void add_edit(struct facts *f, const char *old_text,
		     const char *new_text, bool all)
{
	f->ev.edits = f->edits;
	f->edits[f->ev.nedits++] =
		(struct ccfc_replacement){ ccfc_slice_str(old_text),
					   ccfc_slice_str(new_text), all };
}

/* `text` is the hunk's lines, each with its sign, separated by '|'. */
static void add_hunk(struct facts *f, uint32_t old_start, uint32_t new_start,
		     const char *text)
{
	uint32_t h = f->ev.nhunks++;
	struct ccfc_hunk *hunk = &f->hunks[h];

	f->ev.hunks = f->hunks;
	f->ev.has_patch = true;
	*hunk = (struct ccfc_hunk){ .old_start = old_start,
				    .new_start = new_start,
				    .lines = f->lines[h] };
	while (*text) {
		size_t n = strcspn(text, "|");

		hunk->lines[hunk->nlines++] = ccfc_slice(text, n);
		hunk->old_lines += *text == ' ' || *text == '-';
		hunk->new_lines += *text == ' ' || *text == '+';
		text += n + (text[n] == '|');
	}
}

static void check(enum ccfc_step got, enum ccfc_step want, struct ccfc_buf *out,
		  const char *text)
{
	assert_int_equal(got, want);
	if (want != CCFC_STEP_NO)
		assert_string_equal(out->ptr ? out->ptr : "", text);
	ccfc_buf_release(out);
}

static void forward(const struct facts *f, const char *before,
		    enum ccfc_step want, const char *after)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	check(ccfc_step_forward(&out, &f->ev, ccfc_slice_str(before)), want,
	      &out, after);
}

static void back(const struct facts *f, const char *after, enum ccfc_step want,
		 const char *before)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	check(ccfc_step_back(&out, &f->ev, ccfc_slice_str(after)), want, &out,
	      before);
}

static void test_strings_alone_are_a_guess(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "two", "2", false);
	forward(&f, "one\ntwo\n", CCFC_STEP_GUESSED, "one\n2\n");
	forward(&f, "one\n", CCFC_STEP_NO, NULL);
	/* Not the one place that an edit without replace_all needs. */
	forward(&f, "two two\n", CCFC_STEP_NO, NULL);
	back(&f, "one\n2\n", CCFC_STEP_GUESSED, "one\ntwo\n");
	back(&f, "2\n2\n", CCFC_STEP_NO, NULL);
}

static void test_places_that_overlap_are_one(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "   ", "\t ", false);
	forward(&f, "    {\n", CCFC_STEP_GUESSED, "\t  {\n");
}

/* A result without hunks: what changed does not show in a patch. */
static void test_tabs_for_spaces(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "  x", "\tx", false);
	forward(&f, "  x\n", CCFC_STEP_GUESSED, "\tx\n");
	f.ev.from_result = true;
	forward(&f, "  x\n", CCFC_STEP_VERIFIED, "\tx\n");
	add_edit(&f, "y", "z", false);
	add_hunk(&f, 1, 1, "   x|-y|+z");
	forward(&f, "  x\ny\n", CCFC_STEP_VERIFIED, "\tx\nz\n");
}

static void test_all(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "a", "aa", true);
	forward(&f, "a-a\na\n", CCFC_STEP_GUESSED, "aa-aa\naa\n");
	back(&f, "aa-aa\naa\n", CCFC_STEP_NO, NULL);
}

static void test_edits_in_turn(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "a", "b", false);
	add_edit(&f, "b\n", "c\n", false);
	forward(&f, "a\n", CCFC_STEP_GUESSED, "c\n");
	back(&f, "c\n", CCFC_STEP_GUESSED, "a\n");
}

static void test_what_goes_takes_its_newline(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "two", "", false);
	forward(&f, "one\ntwo\nthree\n", CCFC_STEP_GUESSED, "one\nthree\n");
	forward(&f, "one two three\n", CCFC_STEP_GUESSED, "one  three\n");
	forward(&f, "one\ntwo", CCFC_STEP_GUESSED, "one\n");
	back(&f, "one\nthree\n", CCFC_STEP_NO, NULL);
}

static void test_an_empty_old_text_makes_a_file(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "", "new\n", false);
	forward(&f, "", CCFC_STEP_GUESSED, "new\n");
	forward(&f, "old\n", CCFC_STEP_NO, NULL);
}

/* The patch shows what was written: with tabs folded, and with its quotes. */
static void test_patch_decides(void **state)
{
	struct facts f = { 0 }, curly = { 0 };

	(void)state;
	add_edit(&f, "\t\tx = 1;", "\t\tx = 2;", false);
	add_hunk(&f, 1, 1, " {|-    x = 1;|+    x = 2;| }");
	forward(&f, "{\n\t\tx = 1;\n}\n", CCFC_STEP_VERIFIED,
		"{\n\t\tx = 2;\n}\n");
	back(&f, "{\n\t\tx = 2;\n}\n", CCFC_STEP_VERIFIED,
	     "{\n\t\tx = 1;\n}\n");
	/* The same strings elsewhere than the patch says. */
	forward(&f, "{\n\n\t\tx = 1;\n}\n", CCFC_STEP_NO, NULL);

	add_edit(&curly, "say \"hi\"", "say \"ho\"", false);
	forward(&curly, "say \xe2\x80\x9chi\xe2\x80\x9d\n", CCFC_STEP_GUESSED,
		"say \"ho\"\n");
	add_hunk(&curly, 1, 1,
		 "-say \xe2\x80\x9chi\xe2\x80\x9d|"
		 "+say \xe2\x80\x9cho\xe2\x80\x9d");
	forward(&curly, "say \xe2\x80\x9chi\xe2\x80\x9d\n", CCFC_STEP_VERIFIED,
		"say \xe2\x80\x9cho\xe2\x80\x9d\n");
}

/* Somebody changed the edit on its way: only the patch knows. */
static void test_patch_alone(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "b", "B", false);
	add_hunk(&f, 1, 1, " a|-b|+other");
	forward(&f, "a\nb\n", CCFC_STEP_VERIFIED, "a\nother\n");
	back(&f, "a\nother\n", CCFC_STEP_VERIFIED, "a\nb\n");
	/* Two spaces may have been a tab. */
	f = (struct facts){ 0 };
	add_hunk(&f, 1, 1, "-b|+  other");
	forward(&f, "b\n", CCFC_STEP_GUESSED, "  other\n");
}

static void test_no_newline_at_the_end(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_hunk(&f, 1, 1,
		 " a|-b|\\ No newline at end of file|+b|+c|"
		 "\\ No newline at end of file");
	forward(&f, "a\nb", CCFC_STEP_VERIFIED, "a\nb\nc");
	back(&f, "a\nb\nc", CCFC_STEP_VERIFIED, "a\nb");
	f = (struct facts){ 0 };
	add_hunk(&f, 1, 1, "-a|+A");
	forward(&f, "a\nb", CCFC_STEP_VERIFIED, "A\nb");
}

static void test_hunks_far_apart(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_hunk(&f, 1, 1, "-1|+one|+eins");
	add_hunk(&f, 4, 5, "-4");
	forward(&f, "1\n2\n3\n4\n5\n", CCFC_STEP_VERIFIED,
		"one\neins\n2\n3\n5\n");
	back(&f, "one\neins\n2\n3\n5\n", CCFC_STEP_VERIFIED, "1\n2\n3\n4\n5\n");
	forward(&f, "1\n2\n3\n", CCFC_STEP_NO, NULL);
	assert_true(ccfc_hunks_explain(&f.ev, ccfc_slice_str("1\n2\n3\n4\n"),
				       ccfc_slice_str("one\neins\n2\n3\n")));
	/* More than the patch says. */
	assert_false(ccfc_hunks_explain(&f.ev, ccfc_slice_str("1\n2\n3\n4\n"),
					ccfc_slice_str("one\neins\n2\nX\n")));
	assert_false(
		ccfc_hunks_explain(&f.ev, ccfc_slice_str("1\n2\n3\n4\n5\n"),
				   ccfc_slice_str("one\neins\n2\n3\n6\n")));
}

static void test_into_an_empty_file(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_hunk(&f, 1, 1, "+a|+b");
	forward(&f, "", CCFC_STEP_VERIFIED, "a\nb\n");
	back(&f, "a\nb\n", CCFC_STEP_VERIFIED, "");
	f.hunks[0].old_start = 0;
	forward(&f, "", CCFC_STEP_VERIFIED, "a\nb\n");
}

static void test_write(void **state)
{
	struct facts f = { 0 };

	(void)state;
	f.ev.has_after = true;
	f.ev.after = CCFC_SLICE_LIT("new\n");
	forward(&f, "whatever", CCFC_STEP_GUESSED, "new\n");
	back(&f, "new\n", CCFC_STEP_NO, NULL);
	add_hunk(&f, 1, 1, "-old|+new");
	forward(&f, "old\n", CCFC_STEP_VERIFIED, "new\n");
	forward(&f, "other\n", CCFC_STEP_NO, NULL);
	back(&f, "new\n", CCFC_STEP_VERIFIED, "old\n");
}

/* A hunk that shows no line of a side may say that it stands anywhere. */
static void test_hunks_beyond_the_end(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_hunk(&f, 2000000000, 1, "+x");
	forward(&f, "a\nb\n", CCFC_STEP_NO, NULL);
	f = (struct facts){ 0 };
	add_hunk(&f, 1, 2147483647, "-x");
	back(&f, "a\nb\n", CCFC_STEP_NO, NULL);
	f = (struct facts){ 0 };
	add_hunk(&f, 3, 3, "+x");
	forward(&f, "a\nb\n", CCFC_STEP_VERIFIED, "a\nb\nx\n");
}

static void test_newlines_have_to_fit(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_hunk(&f, 1, 1, "-b|+c| d|\\ No newline at end of file");
	forward(&f, "b\nd", CCFC_STEP_VERIFIED, "c\nd");
	forward(&f, "b\nd\n", CCFC_STEP_NO, NULL);
	forward(&f, "b\nd\ne", CCFC_STEP_NO, NULL);
	back(&f, "c\nd\n", CCFC_STEP_NO, NULL);
}

/* A line whose tab became two spaces looks the same in the patch. */
static void test_back_to_tabs(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "\tx\ny", "  x\nz", false);
	add_hunk(&f, 1, 1, "   x|-y|+z");
	back(&f, "  x\nz\n", CCFC_STEP_GUESSED, "  x\ny\n");
	/* Here the strings say that nothing else changed. */
	f = (struct facts){ 0 };
	add_edit(&f, "y", "z", false);
	add_hunk(&f, 1, 1, "   x|-y|+z");
	back(&f, "  x\nz\n", CCFC_STEP_VERIFIED, "  x\ny\n");
	/* A Write says nothing of the lines that it left. */
	f = (struct facts){ 0 };
	f.ev.has_after = true;
	f.ev.after = CCFC_SLICE_LIT("  x\nz\n");
	add_hunk(&f, 1, 1, "   x|-y|+z");
	back(&f, "  x\nz\n", CCFC_STEP_GUESSED, "  x\ny\n");
}

static bool is_only(const struct facts *f, const char *before,
		    const char *after)
{
	return ccfc_step_is_only(&f->ev, ccfc_slice_str(before),
				 ccfc_slice_str(after));
}

static void test_the_only_way_there(void **state)
{
	struct facts f = { 0 };

	(void)state;
	add_edit(&f, "old", "new", false);
	assert_true(is_only(&f, "old\nx\n", "new\nx\n"));
	/* It may have been the other one. */
	assert_false(is_only(&f, "old\nnew\n", "new\nnew\n"));
	add_hunk(&f, 1, 1, "-old|+new");
	assert_true(is_only(&f, "old\nnew\n", "new\nnew\n"));
	f = (struct facts){ 0 };
	add_edit(&f, "gone", "", false);
	assert_false(is_only(&f, "a\ngone\nb\n", "a\nb\n"));
	f = (struct facts){ .ev.has_cell = true };
	assert_false(is_only(&f, "{}", "{}"));
}

/* Nothing to be found, at the cost of every start against every length. */
static void test_quotes_are_not_searched_forever(void **state)
{
	size_t n = 1 << 20;
	char *text = malloc(2 * n + 1), *old = malloc(n + 8);
	struct facts f = { 0 };

	(void)state;
	memset(text, 'a', 2 * n);
	text[2 * n] = '\0';
	memset(old, 'a', n);
	strcpy(old + n, "b\xe2\x80\x9c");
	add_edit(&f, old, "x", false);
	forward(&f, text, CCFC_STEP_NO, NULL);
	free(text);
	free(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hunks_beyond_the_end),
		cmocka_unit_test(test_newlines_have_to_fit),
		cmocka_unit_test(test_back_to_tabs),
		cmocka_unit_test(test_the_only_way_there),
		cmocka_unit_test(test_quotes_are_not_searched_forever),
		cmocka_unit_test(test_strings_alone_are_a_guess),
		cmocka_unit_test(test_places_that_overlap_are_one),
		cmocka_unit_test(test_tabs_for_spaces),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_edits_in_turn),
		cmocka_unit_test(test_what_goes_takes_its_newline),
		cmocka_unit_test(test_an_empty_old_text_makes_a_file),
		cmocka_unit_test(test_patch_decides),
		cmocka_unit_test(test_patch_alone),
		cmocka_unit_test(test_no_newline_at_the_end),
		cmocka_unit_test(test_hunks_far_apart),
		cmocka_unit_test(test_into_an_empty_file),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
