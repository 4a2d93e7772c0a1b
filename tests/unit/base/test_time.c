/* Times: tables of what is one and what is not, and there and back again. */
#include "base/time.h"

#include "../seed.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define NONE CCFC_TIME_NONE
#define T0   1765360800000 /* 2025-12-10T10:00:00Z */

static const struct {
	const char *text;
	int64_t ms;
} table[] = {
	{ "1970-01-01T00:00:00.000Z", 0 },
	{ "1969-12-31T23:59:59.999Z", -1 },
	{ "2025-12-10T10:00:00.000Z", T0 },
	{ "2025-12-10T10:00:00Z", T0 },
	{ "2025-12-10t10:00:00z", T0 },
	{ "2025-12-10 10:00:00", T0 },
	{ "2025-12-10T10:00:00", T0 },
	{ "2025-12-10T10:00", T0 },
	{ "2025-12-10T10:00Z", T0 },
	{ "2025-12-10T10:00:00.5Z", T0 + 500 },
	{ "2025-12-10T10:00:00,25Z", T0 + 250 },
	{ "2025-12-10T10:00:00.1239999Z", T0 + 123 },
	{ "2025-12-10T10:00:00.0009Z", T0 },
	{ "2025-12-10T12:00:00+02:00", T0 },
	{ "2025-12-10T05:00:00-0500", T0 },
	{ "2025-12-10T10:00:00+00:00", T0 },
	{ "2025-12-10T15:30:00.001+05:30", T0 + 1 },
	{ "2024-02-29T00:00:00Z", 1709164800000 },
	{ "2000-02-29T00:00:00Z", 951782400000 },
	{ "2016-12-31T23:59:60Z", 1483228800000 },
	{ "9999-12-31T23:59:59.999Z", 253402300799999 },
	{ "0000-01-01T00:00:00.000Z", -62167219200000 },
	/* no times */
	{ "", NONE },
	{ "2025", NONE },
	{ "2025-12-10", NONE },
	{ "2025-12-10T", NONE },
	{ "2025-12-10T10", NONE },
	{ "2025-12-10T10:", NONE },
	{ "2025-12-10T10:0", NONE },
	{ "2025-12-10T10:00:", NONE },
	{ "2025-12-10T10:00:0", NONE },
	{ "2025-12-10T10:00:00.", NONE },
	{ "2025-12-10T10:00:00.Z", NONE },
	{ "2025-12-10T10:00:00ZZ", NONE },
	{ "2025-12-10T10:00:00Z ", NONE },
	{ " 2025-12-10T10:00:00Z", NONE },
	{ "2025-12-10T10:00:00+", NONE },
	{ "2025-12-10T10:00:00+2:00", NONE },
	{ "2025-12-10T10:00:00+24:00", NONE },
	{ "2025-12-10T10:00:00+02:60", NONE },
	{ "2025-12-10T24:00:00Z", NONE },
	{ "2025-12-10T10:60:00Z", NONE },
	{ "2025-12-10T10:00:61Z", NONE },
	{ "2025-00-10T10:00:00Z", NONE },
	{ "2025-13-10T10:00:00Z", NONE },
	{ "2025-12-00T10:00:00Z", NONE },
	{ "2025-12-32T10:00:00Z", NONE },
	{ "2025-02-29T10:00:00Z", NONE },
	{ "1900-02-29T10:00:00Z", NONE },
	{ "2025-1-1T10:00:00Z", NONE },
	{ "25-12-10T10:00:00Z", NONE },
	{ "-025-12-10T10:00:00Z", NONE },
	{ "2025/12/10T10:00:00Z", NONE },
	{ "2025-12-10X10:00:00Z", NONE },
	{ "+2025-12-10T10:00:00Z", NONE },
	{ "1765360800000", NONE },
	{ "yesterday", NONE },
};

static void test_parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (ccfc_time_parse(ccfc_slice_str(table[i].text)) !=
		    table[i].ms)
			fail_msg("\"%s\"", table[i].text);
	assert_true(ccfc_time_parse(CCFC_SLICE_NONE) == NONE);
	/* a slice ends where it ends */
	assert_true(ccfc_time_parse(ccfc_slice("2025-12-10T10:00:00Z9", 20)) ==
		    T0);
}

static void test_format(void **state)
{
	char out[CCFC_TIME_TEXT_MAX];

	(void)state;
	assert_string_equal(ccfc_time_format(out, T0),
			    "2025-12-10T10:00:00.000Z");
	assert_string_equal(ccfc_time_format(out, -1),
			    "1969-12-31T23:59:59.999Z");
	assert_string_equal(ccfc_time_format(out, -62167219200000),
			    "0000-01-01T00:00:00.000Z");
	assert_string_equal(ccfc_time_format(out, NONE), "");
	assert_string_equal(ccfc_time_format(out, INT64_MAX), "");
	assert_string_equal(ccfc_time_format(out, INT64_MIN + 1), "");
	assert_string_equal(ccfc_time_format(out, 253402300800000), "");
}

/* What the C library says of the second. */
static void check_with_libc(const char *text, int64_t ms)
{
	time_t second = (time_t)((ms - (ms % 1000 + 1000) % 1000) / 1000);
	char want[40];
	struct tm tm;

	assert_non_null(gmtime_r(&second, &tm));
	snprintf(want, sizeof(want), "%04d-%02d-%02dT%02d:%02d:%02d.",
		 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		 tm.tm_min, tm.tm_sec);
	assert_memory_equal(text, want, strlen(want));
}

static void test_round_trip(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++) {
		/* years 0 to 9999 */
		int64_t ms = -62167219200000 +
			     (int64_t)(seed_next() % 315569520000000u);
		char out[CCFC_TIME_TEXT_MAX];

		ccfc_time_format(out, ms);
		assert_int_equal(strlen(out), 24);
		check_with_libc(out, ms);
		assert_true(ccfc_time_parse(ccfc_slice_str(out)) == ms);
	}
}

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void test_user_dates(void **state)
{
	/* UTC+2, no rules; POSIX counts the other way round */
	static const char day[] = "2025-12-10";
	int64_t start = T0 - 12 * 3600000;
	char out[CCFC_TIME_TEXT_MAX];

	(void)state;
	set_zone("XXX-2");
	assert_true(ccfc_time_parse_user(ccfc_slice_str(day), false) == start);
	assert_true(ccfc_time_parse_user(ccfc_slice_str(day), true) ==
		    start + 86400000 - 1);
	assert_string_equal(ccfc_time_format_local(out, T0, "%H:%M"), "12:00");
	assert_string_equal(ccfc_time_format_local(out, NONE, "%H"), "");
	/* summer time ends: a day of 25 hours; then one of 23 */
	set_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	assert_true(ccfc_time_parse_user(CCFC_SLICE_LIT("2025-10-26"), true) -
			    ccfc_time_parse_user(CCFC_SLICE_LIT("2025-10-26"),
						 false) +
			    1 ==
		    25 * 3600000);
	assert_true(ccfc_time_parse_user(CCFC_SLICE_LIT("2025-03-30"), true) -
			    ccfc_time_parse_user(CCFC_SLICE_LIT("2025-03-30"),
						 false) +
			    1 ==
		    23 * 3600000);
	/* the last day of a month and of a year */
	set_zone("UTC0");
	assert_true(ccfc_time_parse_user(CCFC_SLICE_LIT("2025-12-31"), true) ==
		    1767225599999);
	/* the second before 1970 is a time, not an error */
	assert_true(ccfc_time_parse_user(CCFC_SLICE_LIT("1969-12-31"), true) ==
		    -1);
	/* a time is a time, whatever `end` says */
	for (int end = 0; end < 2; end++) {
		assert_true(ccfc_time_parse_user(
				    CCFC_SLICE_LIT("2025-12-10T10:00:00Z"),
				    end) == T0);
		assert_true(ccfc_time_parse_user(CCFC_SLICE_LIT("2025-02-30"),
						 end) == NONE);
		assert_true(ccfc_time_parse_user(CCFC_SLICE_LIT("2025-12"),
						 end) == NONE);
		assert_true(ccfc_time_parse_user(CCFC_SLICE_NONE, end) == NONE);
	}
}

static void test_clocks(void **state)
{
	int64_t a = ccfc_time_monotonic(), b = ccfc_time_monotonic();

	(void)state;
	assert_true(a >= 0 && b >= a);
	assert_true(ccfc_time_now() > T0 - 86400000);
}

static void test_patience(void **state)
{
	static const struct {
		const char *times;
		int ms, want;
	} rows[] = {
		{ "1", 300, 300 },
		{ "100", 300, 30000 },
		{ "1000", 30000, 30000000 },
		{ "1000", INT_MAX, INT_MAX },
		{ "1", INT_MAX, INT_MAX },
		{ "0", 300, 300 },
		{ "-5", 300, 300 },
		{ "1001", 300, 300 },
		{ "x", 300, 300 },
		{ "", 300, 300 },
		{ "99999999999999", 300, 300 },
	};

	(void)state;
	unsetenv("CCFC_PATIENCE");
	assert_int_equal(ccfc_time_patience(300), 300);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setenv("CCFC_PATIENCE", rows[i].times, 1);
		assert_int_equal(ccfc_time_patience(rows[i].ms), rows[i].want);
	}
	unsetenv("CCFC_PATIENCE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_user_dates),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_patience),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
