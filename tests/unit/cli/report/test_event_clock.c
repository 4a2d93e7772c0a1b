/* Clocks, and that `watch` prints each event once. */
#include "cli_test.h"

#include "cli/report/event_clock.h"

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

/* A script of arrivals: is each new, and from where would one ask? */
static void test_seen(void **state)
{
	static const struct {
		bool complete;
		const char *clock;
		uint64_t hash;
		bool new;
		const char *done;
	} rows[] = {
		{ true, "1:10", 0, false, "1:10" },
		{ false, "1:10", 1, false, "1:10" }, /* in the answer */
		{ false, "1:9", 1, false, "1:10" },
		{ false, "1:11", 1, true, "1:10" },
		{ false, "1:11", 2, true, "1:10" }, /* the same batch */
		{ false, "1:11", 1, false, "1:10" },
		{ false, "1:15", 1, true, "1:11" },
		/* a gap: asked since 1:11, answered up to 1:20 */
		{ false, "1:15", 1, false, "1:11" },
		{ false, "1:15", 3, true, "1:11" },
		{ false, "1:20", 1, true, "1:15" },
		{ true, "1:20", 0, false, "1:20" },
		{ false, "1:16", 5, false, "1:20" },
		{ false, "1:21", 5, true, "1:20" },
		/* another history */
		{ false, "2:3", 5, true, "2:0" },
		{ false, "2:3", 6, true, "2:0" },
		{ false, "2:3", 6, false, "2:0" },
		{ false, "2:4", 6, true, "2:3" },
	};
	struct ccfc_seen seen;

	(void)state;
	ccfc_seen_init(&seen);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_event_clock clock;

		assert_true(ccfc_event_clock_parse(
			&clock, ccfc_slice_str(rows[i].clock)));
		if (rows[i].complete)
			ccfc_seen_complete(&seen, &clock);
		else
			assert_int_equal(
				ccfc_seen_add(&seen, &clock, rows[i].hash),
				rows[i].new);
		assert_string_equal(seen.done.text, rows[i].done);
	}
	ccfc_seen_release(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
