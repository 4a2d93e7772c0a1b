/* Dates as people write them: tables, in several zones, over clock changes. */
#include "base/time.h"
#include "cli/words/dates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/* Tuesday. */
#define NOW "2026-11-17T12:34:56.789Z"

struct row {
	const char *zone, *now, *text;
	const char *from, *to; /* NULL: no date; `to` NULL: the same moment */
};

#define UTC    "UTC", NOW
#define DAY(d) "2026-11-" d "T00:00:00.000Z", "2026-11-" d "T23:59:59.999Z"

static const struct row table[] = {
	{ UTC, "now", NOW, NULL },
	{ UTC, "today", DAY("17") },
	{ UTC, "Today", DAY("17") },
	{ UTC, "yesterday", DAY("16") },
	{ UTC, "tuesday", DAY("17") },
	{ UTC, "last tuesday", DAY("10") },
	{ UTC, "monday", DAY("16") },
	{ UTC, "mon", DAY("16") },
	{ UTC, "last monday", DAY("16") },
	{ UTC, "wednesday", DAY("11") },
	{ UTC, "wed", DAY("11") },
	{ UTC, "sunday", DAY("15") },
	{ UTC, "2026-11-09", DAY("09") },
	{ UTC, "2026-02-28", "2026-02-28T00:00:00.000Z",
	  "2026-02-28T23:59:59.999Z" },
	{ UTC, "2026-10", "2026-10-01T00:00:00.000Z",
	  "2026-10-31T23:59:59.999Z" },
	{ UTC, "2024-02", "2024-02-01T00:00:00.000Z",
	  "2024-02-29T23:59:59.999Z" },
	{ UTC, "2025-12", "2025-12-01T00:00:00.000Z",
	  "2025-12-31T23:59:59.999Z" },
	{ UTC, "this week", "2026-11-16T00:00:00.000Z",
	  "2026-11-22T23:59:59.999Z" },
	{ UTC, "last week", "2026-11-09T00:00:00.000Z",
	  "2026-11-15T23:59:59.999Z" },
	{ UTC, "this month", "2026-11-01T00:00:00.000Z",
	  "2026-11-30T23:59:59.999Z" },
	{ UTC, "last month", "2026-10-01T00:00:00.000Z",
	  "2026-10-31T23:59:59.999Z" },
	{ UTC, "this year", "2026-01-01T00:00:00.000Z",
	  "2026-12-31T23:59:59.999Z" },
	{ UTC, "last year", "2025-01-01T00:00:00.000Z",
	  "2025-12-31T23:59:59.999Z" },
	/* a week that is in two months */
	{ "UTC", "2026-11-01T08:00:00.000Z", "this week",
	  "2026-10-26T00:00:00.000Z", "2026-11-01T23:59:59.999Z" },
	{ "UTC", "2026-01-10T08:00:00.000Z", "last month",
	  "2025-12-01T00:00:00.000Z", "2025-12-31T23:59:59.999Z" },
	/* times of day: the last one */
	{ UTC, "10:00", "2026-11-17T10:00:00.000Z",
	  "2026-11-17T10:00:59.999Z" },
	{ UTC, "12:34", "2026-11-17T12:34:00.000Z",
	  "2026-11-17T12:34:59.999Z" },
	{ UTC, "12:35", "2026-11-16T12:35:00.000Z",
	  "2026-11-16T12:35:59.999Z" },
	{ UTC, "9:05", "2026-11-17T09:05:00.000Z", "2026-11-17T09:05:59.999Z" },
	{ UTC, "10:00:30", "2026-11-17T10:00:30.000Z",
	  "2026-11-17T10:00:30.999Z" },
	{ UTC, "3pm", "2026-11-16T15:00:00.000Z", "2026-11-16T15:00:59.999Z" },
	{ UTC, "12am", "2026-11-17T00:00:00.000Z", "2026-11-17T00:00:59.999Z" },
	{ UTC, "noon", "2026-11-17T12:00:00.000Z", "2026-11-17T12:00:59.999Z" },
	{ UTC, "midnight", "2026-11-17T00:00:00.000Z",
	  "2026-11-17T00:00:59.999Z" },
	{ UTC, "yesterday 10:00", "2026-11-16T10:00:00.000Z",
	  "2026-11-16T10:00:59.999Z" },
	{ UTC, "yesterday at 3pm", "2026-11-16T15:00:00.000Z",
	  "2026-11-16T15:00:59.999Z" },
	{ UTC, "today 23:00", "2026-11-17T23:00:00.000Z",
	  "2026-11-17T23:00:59.999Z" },
	{ UTC, "last friday 8:30", "2026-11-13T08:30:00.000Z",
	  "2026-11-13T08:30:59.999Z" },
	{ UTC, "2 days ago 10:00", "2026-11-15T10:00:00.000Z",
	  "2026-11-15T10:00:59.999Z" },
	{ UTC, "2025-12-31 14:05", "2025-12-31T14:05:00.000Z",
	  "2025-12-31T14:05:59.999Z" },
	{ UTC, "2025-12-31 14:05:59", "2025-12-31T14:05:59.000Z",
	  "2025-12-31T14:05:59.999Z" },
	/* moments */
	{ UTC, "2d", "2026-11-15T12:34:56.789Z", NULL },
	{ UTC, "2 d", "2026-11-15T12:34:56.789Z", NULL },
	{ UTC, "2 days ago", "2026-11-15T12:34:56.789Z", NULL },
	{ UTC, "2.days.ago", "2026-11-15T12:34:56.789Z", NULL },
	{ UTC, "2_days_ago", "2026-11-15T12:34:56.789Z", NULL },
	{ UTC, "2d ago", "2026-11-15T12:34:56.789Z", NULL },
	{ UTC, "a week ago", "2026-11-10T12:34:56.789Z", NULL },
	{ UTC, "3w", "2026-10-27T12:34:56.789Z", NULL },
	{ UTC, "90min", "2026-11-17T11:04:56.789Z", NULL },
	{ UTC, "30m", "2026-11-17T12:04:56.789Z", NULL },
	{ UTC, "an hour ago", "2026-11-17T11:34:56.789Z", NULL },
	{ UTC, "24h", "2026-11-16T12:34:56.789Z", NULL },
	{ UTC, "10 seconds ago", "2026-11-17T12:34:46.789Z", NULL },
	{ UTC, "1mo", "2026-10-17T12:34:56.789Z", NULL },
	{ UTC, "1 year ago", "2025-11-17T12:34:56.789Z", NULL },
	{ "UTC", "2026-03-31T08:00:00.000Z", "1 month ago",
	  "2026-02-28T08:00:00.000Z", NULL },
	{ "UTC", "2024-02-29T08:00:00.000Z", "1y", "2023-02-28T08:00:00.000Z",
	  NULL },
	/* RFC 3339 */
	{ UTC, "2025-12-10T10:00:00Z", "2025-12-10T10:00:00.000Z", NULL },
	{ UTC, "2025-12-10T10:00:00+02:00", "2025-12-10T08:00:00.000Z", NULL },
	{ UTC, "2025-12-10 10:00:00Z", "2025-12-10T10:00:00.000Z", NULL },
	{ "Europe/Berlin", NOW, "2025-12-10T10:00:00Z",
	  "2025-12-10T10:00:00.000Z", NULL },
	/* other zones: local days */
	{ "America/Los_Angeles", NOW, "today", "2026-11-17T08:00:00.000Z",
	  "2026-11-18T07:59:59.999Z" },
	{ "America/Los_Angeles", "2026-11-17T05:00:00.000Z", "today",
	  "2026-11-16T08:00:00.000Z", "2026-11-17T07:59:59.999Z" },
	{ "Asia/Kolkata", NOW, "2026-11-09", "2026-11-08T18:30:00.000Z",
	  "2026-11-09T18:29:59.999Z" },
	{ "Asia/Kolkata", NOW, "10:00", "2026-11-17T04:30:00.000Z",
	  "2026-11-17T04:30:59.999Z" },
	{ "Europe/Berlin", NOW, "2026-11-10 14:05", "2026-11-10T13:05:00.000Z",
	  "2026-11-10T13:05:59.999Z" },
	/* days of 23 and 25 hours */
	{ "Europe/Berlin", NOW, "2026-03-29", "2026-03-28T23:00:00.000Z",
	  "2026-03-29T21:59:59.999Z" },
	{ "Europe/Berlin", NOW, "2026-10-25", "2026-10-24T22:00:00.000Z",
	  "2026-10-25T22:59:59.999Z" },
	{ "Europe/Berlin", "2026-03-30T08:00:00.000Z", "yesterday",
	  "2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z" },
	{ "Europe/Berlin", "2026-03-30T08:00:00.000Z", "yesterday 10:00",
	  "2026-03-29T08:00:00.000Z", "2026-03-29T08:00:59.999Z" },
	{ "Europe/Berlin", "2026-03-29T10:00:00.000Z", "1d",
	  "2026-03-28T11:00:00.000Z", NULL },
	{ "Europe/Berlin", "2026-03-29T10:00:00.000Z", "24h",
	  "2026-03-28T10:00:00.000Z", NULL },
	{ "America/New_York", "2026-11-02T12:00:00.000Z", "last week",
	  "2026-10-26T04:00:00.000Z", "2026-11-02T04:59:59.999Z" },
	{ "America/New_York", NOW, "2026-11", "2026-11-01T04:00:00.000Z",
	  "2026-12-01T04:59:59.999Z" },
	/* midnight itself is left out there */
	{ "America/Sao_Paulo", NOW, "2018-11-04", "2018-11-04T03:00:00.000Z",
	  "2018-11-05T01:59:59.999Z" },
	/* no dates */
	{ UTC, "", NULL, NULL },
	{ UTC, " ", NULL, NULL },
	{ UTC, "soon", NULL, NULL },
	{ UTC, "2026", NULL, NULL },
	{ UTC, "2026-13", NULL, NULL },
	{ UTC, "2026-02-29", NULL, NULL },
	{ UTC, "2026-2-9", NULL, NULL },
	{ UTC, "26-11-09", NULL, NULL },
	{ UTC, "2026-11-09x", NULL, NULL },
	{ UTC, "24:00", NULL, NULL },
	{ UTC, "10:60", NULL, NULL },
	{ UTC, "10:", NULL, NULL },
	{ UTC, "13pm", NULL, NULL },
	{ UTC, "0am", NULL, NULL },
	{ UTC, "2x", NULL, NULL },
	{ UTC, "2", NULL, NULL },
	{ UTC, "d", NULL, NULL },
	{ UTC, "days ago", NULL, NULL },
	{ UTC, "last", NULL, NULL },
	{ UTC, "last w", NULL, NULL },
	{ UTC, "last blue moon", NULL, NULL },
	{ UTC, "this fortnight", NULL, NULL },
	{ UTC, "mo", NULL, NULL },
	{ UTC, "mondays", NULL, NULL },
	{ UTC, "today today", NULL, NULL },
	{ UTC, "yesterday 10:00 10:00", NULL, NULL },
	{ UTC, "10:00 yesterday", NULL, NULL },
	{ UTC, "99999999d", NULL, NULL },
	{ UTC, "a b c d e f", NULL, NULL },
	{ UTC, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL, NULL },
	{ UTC, "3f2a91c4", NULL, NULL },
	{ UTC, "toolu_01A2b3", NULL, NULL },
};

static int64_t ms(const char *text)
{
	return ccfc_time_parse(ccfc_slice_str(text));
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct row *r = &table[i];
		struct ccfc_date_span got;
		char from[CCFC_TIME_TEXT_MAX], to[CCFC_TIME_TEXT_MAX];
		bool is;

		setenv("TZ", r->zone, 1);
		tzset();
		is = ccfc_dates_read(&got, ccfc_slice_str(r->text), ms(r->now));
		if (is != !!r->from)
			fail_msg("%s: %s a date", r->text, is ? "is" : "not");
		if (!is)
			continue;
		ccfc_time_format(from, got.from);
		ccfc_time_format(to, got.to);
		if (strcmp(from, r->from) ||
		    strcmp(to, r->to ? r->to : r->from))
			fail_msg("%s %s: %s %s", r->zone, r->text, from, to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_table) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
