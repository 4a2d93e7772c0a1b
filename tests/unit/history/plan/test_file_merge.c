/*
 * Putting versions together where a side is not there or is no text, and words
 * in contents. What merging does with texts is text/merge's.
 */
#include "history/plan/file_merge.h"
#include "history/plan/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* NULL: does not exist. "b…" with a NUL byte behind it. */
static struct ccfc_version version(const char *s)
{
	struct ccfc_version v = { s != NULL, ccfc_slice_str(s) };

	if (s && s[0] == 'b')
		v.bytes.len++;
	return v;
}

static void test_weave(void **state)
{
	static const struct {
		const char *base, *ours, *theirs;
		enum ccfc_merge3_result woven;
		const char *out;
	} cases[] = {
		{ "x", "x", "y", CCFC_MERGE3_TAKEN, "y" },
		{ "x", "y", "x", CCFC_MERGE3_TAKEN, "y" },
		{ "x", "y", "y", CCFC_MERGE3_TAKEN, "y" },
		{ "x", "x", NULL, CCFC_MERGE3_TAKEN, NULL },
		{ NULL, NULL, "x", CCFC_MERGE3_TAKEN, "x" },
		{ "", "", "x", CCFC_MERGE3_TAKEN, "x" },
		{ "x", NULL, "y", CCFC_MERGE3_CLASH, NULL },
		{ "x", "y", NULL, CCFC_MERGE3_CLASH, "y" },
		{ NULL, "x", "y", CCFC_MERGE3_CLASH, "x" },
		{ "", NULL, "y", CCFC_MERGE3_CLASH, NULL },
		{ "b", "b", "y", CCFC_MERGE3_TAKEN, "y" },
		{ "x", "b", "y", CCFC_MERGE3_CLASH, "b" },
		{ "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", CCFC_MERGE3_MERGED,
		  "A\nb\nC\n" },
		{ "x\n", "y\n", "z\n", CCFC_MERGE3_CONFLICT,
		  "<<<<<<< us\ny\n=======\nz\n>>>>>>> them\n" },
	};
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ccfc_merge3 w = { version(cases[i].base),
					 version(cases[i].ours),
					 version(cases[i].theirs), "us",
					 "them" };
		struct ccfc_version want = version(cases[i].out), out;
		uint32_t conflicts;

		assert_int_equal(
			ccfc_version_merge3(&out, &buf, &conflicts, &w),
			cases[i].woven);
		assert_true(ccfc_version_eq(&out, &want));
		assert_int_equal(conflicts,
				 cases[i].woven >= CCFC_MERGE3_CONFLICT);
	}
	ccfc_buf_release(&buf);
}

/* An empty file is not the same as none. */
static void test_eq(void **state)
{
	struct ccfc_version none = version(NULL), empty = version("");

	(void)state;
	assert_false(ccfc_version_eq(&none, &empty));
	assert_true(ccfc_version_eq(&none, &none));
}

static void test_weigh(void **state)
{
	static const struct ccfc_content_state states[] = {
		{ .fidelity = CCFC_FIDELITY_EXACT, .why = "no" },
		{ .fidelity = CCFC_FIDELITY_RECONSTRUCTED, .why = "first" },
		{ .fidelity = CCFC_FIDELITY_RECONSTRUCTED, .why = "second" },
	};
	enum ccfc_fidelity fidelity = CCFC_FIDELITY_EXACT;
	struct ccfc_version v;
	const char *why = "";

	(void)state;
	for (int i = 0; i < 3; i++)
		ccfc_fidelity_weigh(&fidelity, &why, &states[i]);
	assert_int_equal(fidelity, CCFC_FIDELITY_RECONSTRUCTED);
	assert_string_equal(why, "first");
	assert_true(ccfc_version_of(&v, &states[2]));
	assert_false(ccfc_version_of(
		&v,
		&(struct ccfc_content_state){ .fidelity = CCFC_FIDELITY_PARTIAL,
					      .exists = true }));
}

static void test_words(void **state)
{
	static const struct ccfc_known known = { 4, 1,
						 CCFC_SLICE_LIT("some Line") };
	const struct ccfc_content_state partial = {
		.fidelity = CCFC_FIDELITY_PARTIAL, .known = &known, .nknown = 1
	};
	const struct ccfc_content_state absent = {
		.fidelity = CCFC_FIDELITY_EXACT
	};
	struct ccfc_slice line = CCFC_SLICE_LIT("LINE");

	(void)state;
	assert_true(ccfc_word_in(line, CCFC_SLICE_LIT("a lInE")));
	assert_false(ccfc_word_in(line, CCFC_SLICE_LIT("a lIn")));
	assert_false(ccfc_word_in(line, CCFC_SLICE_NONE));
	assert_true(ccfc_word_in(CCFC_SLICE_LIT("\xc3\xbc"),
				 CCFC_SLICE_LIT("\0f\xc3\xbcr")));
	assert_true(ccfc_word_in_state(line, &partial));
	assert_false(ccfc_word_in_state(CCFC_SLICE_LIT("else"), &partial));
	assert_false(ccfc_word_in_state(line, &absent));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weave),
		cmocka_unit_test(test_eq),
		cmocka_unit_test(test_weigh),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
