/* Did you mean: distances, and what counts as near. */
#include "cli_test.h"

#include "cli/words/suggest.h"

static void test_distance(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned distance;
	} rows[] = {
		{ "", "", 0 },
		{ "", "abc", 3 },
		{ "list", "list", 0 },
		{ "lst", "list", 1 },
		{ "lisst", "list", 1 },
		{ "lost", "list", 1 },
		{ "lsit", "list", 1 },
		{ "fromat", "format", 1 },
		{ "formta-", "format", 2 },
		{ "kitten", "sitting", 3 },
		{ "0123456789012345678901234567890", "x", 31 },
		{ "01234567890123456789012345678901", "x", 99 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(ccfc_suggest_distance(rows[i].a, rows[i].b),
				 rows[i].distance);
		assert_int_equal(ccfc_suggest_distance(rows[i].b, rows[i].a),
				 rows[i].distance);
	}
}

static void test_near(void **state)
{
	static const char *const words[] = { "list",  "search", "status",
					     "start", "stop",	"format" };
	static const struct {
		const char *word, *best;
	} rows[] = {
		{ "lsit", "list" },	{ "serach", "search" },
		{ "stat", "status" },	{ "statu", "status" },
		{ "fromat", "format" }, { "stp", "stop" },
		{ "xyzzy", NULL },	{ "s", NULL },
		{ "", NULL },		{ "banana", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_suggest s;

		ccfc_suggest_init(&s, rows[i].word);
		for (size_t j = 0; j < sizeof(words) / sizeof(*words); j++)
			ccfc_suggest_try(&s, words[j]);
		if (rows[i].best)
			assert_string_equal(s.best, rows[i].best);
		else
			assert_null(s.best);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
