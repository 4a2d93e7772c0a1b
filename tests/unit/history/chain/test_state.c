/* One side of a change: what is noted down of its text. */
#include "history/chain/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct ccfc_side_state set(struct ccfc_slice text)
{
	struct ccfc_side_state s;

	ccfc_state_set(&s, CCFC_HOW_STEP, CCFC_ORIGIN_REPLAY, text);
	assert_true(s.exists);
	return s;
}

/* No bytes, and no pointer to them: the sanitizer looks at it. */
static void test_nothing(void **state)
{
	struct ccfc_side_state none = set(CCFC_SLICE_NONE), empty, absent;

	(void)state;
	assert_false(none.has_bad || none.has_lines || none.has_mark);
	empty = set(CCFC_SLICE_LIT(""));
	assert_true(ccfc_state_same(&none, &empty));
	ccfc_state_set_absent(&absent, CCFC_HOW_STEP, CCFC_ORIGIN_REPLAY);
	assert_false(absent.exists);
	assert_false(ccfc_state_same(&none, &absent));
}

static void test_marks(void **state)
{
	static const struct {
		const char *text;
		bool bad, lines, mark;
	} rows[] = {
		{ "x", false, false, false },
		{ "x\n", false, true, false },
		{ "\xef\xbb\xbfx", false, false, true },
		{ "\xef\xbf\xbd", true, false, false },
		{ "\xef\xef\xbf\xbd\n", true, true, false },
		{ "\xef\xbf", false, false, false },
		{ "\xef", false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_side_state s = set(ccfc_slice_str(rows[i].text));

		assert_int_equal(s.has_bad, rows[i].bad);
		assert_int_equal(s.has_lines, rows[i].lines);
		assert_int_equal(s.has_mark, rows[i].mark);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
