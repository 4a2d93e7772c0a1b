/* Clocks of events: what one is, and which of two is later. */
#include "cli_test.h"

#include "cli/words/event_clock.h"

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		size_t epoch_len;
		uint64_t seq;
	} rows[] = {
		{ "1:42", true, 1, 42 },
		{ "ab:c:0", true, 4, 0 },
		{ "", false, 0, 0 },
		{ "1", false, 0, 0 },
		{ "1:", false, 0, 0 },
		{ ":1", false, 0, 0 },
		{ "1:x", false, 0, 0 },
		{ "1:-1", false, 0, 0 },
		{ "1:99999999999999999999999", false, 0, 0 },
		{ "1:0000000000000000000000000000000000000000000000000000000000"
		  "0000000",
		  false, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_event_clock clock;
		bool ok = ccfc_event_clock_parse(&clock,
						 ccfc_slice_str(rows[i].text));

		assert_int_equal(ok, rows[i].ok);
		if (!ok)
			continue;
		assert_int_equal(clock.epoch_len, rows[i].epoch_len);
		assert_int_equal(clock.seq, rows[i].seq);
		assert_string_equal(clock.text, rows[i].text);
	}
}

static void test_after(void **state)
{
	static const struct {
		const char *clock, *last;
		bool after;
	} rows[] = {
		{ "1:11", "1:10", true },
		{ "1:10", "1:10", false },
		{ "1:9", "1:10", false },
		{ "1:100", "1:20", true },
		/* another history */
		{ "2:3", "1:10", true },
		{ "1:10", "2:3", true },
		{ "12:3", "1:3", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_event_clock clock, last;

		assert_true(ccfc_event_clock_parse(
			&clock, ccfc_slice_str(rows[i].clock)));
		assert_true(ccfc_event_clock_parse(
			&last, ccfc_slice_str(rows[i].last)));
		assert_int_equal(ccfc_event_clock_after(&clock, &last),
				 rows[i].after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
