/*
 * Dates and times as people write them; see dates.h. The text is cut into
 * words. The last word may be a time of day; what is before it names a day, a
 * longer span or a moment, by tables. Calendar arithmetic is mktime's, which
 * knows the zone: a day may have 23 or 25 hours.
 */
#include "cli/words/dates.h"

#include "base/time.h"

#include <string.h>
#include <time.h>

#define WORDS	   5
#define WORD_MAX   24
#define NUMBER_MAX 100000

#define MINUTE_TEXT 16 /* "2025-12-31 14:05" */
#define SECOND_TEXT 19

struct reading {
	char words[WORDS][WORD_MAX];
	unsigned n;
	int64_t now;
	struct tm today; /* now, in the local zone */
};

enum unit { SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, YEAR };

static const struct {
	const char *word;
	enum unit unit;
} units[] = {
	{ "s", SECOND },       { "sec", SECOND },     { "secs", SECOND },
	{ "second", SECOND },  { "seconds", SECOND }, { "m", MINUTE },
	{ "min", MINUTE },     { "mins", MINUTE },    { "minute", MINUTE },
	{ "minutes", MINUTE }, { "h", HOUR },	      { "hr", HOUR },
	{ "hrs", HOUR },       { "hour", HOUR },      { "hours", HOUR },
	{ "d", DAY },	       { "day", DAY },	      { "days", DAY },
	{ "w", WEEK },	       { "week", WEEK },      { "weeks", WEEK },
	{ "mo", MONTH },       { "month", MONTH },    { "months", MONTH },
	{ "y", YEAR },	       { "yr", YEAR },	      { "year", YEAR },
	{ "years", YEAR },
};

static const char *const weekdays[] = { "sunday",    "monday",	 "tuesday",
					"wednesday", "thursday", "friday",
					"saturday" };

/* --- the calendar --- */

/* The time of these fields, which may be out of range. */
static int64_t local_ms(int year, int month, int day, int seconds)
{
	struct tm tm = { .tm_year = year,
			 .tm_mon = month,
			 .tm_mday = day,
			 .tm_sec = seconds,
			 .tm_isdst = -1 };

	return (int64_t)mktime(&tm) * 1000;
}

/*
 * The time of a day; hours are counted on the clock, not from midnight, which
 * differs when the clock changes.
 */
static int64_t ms_of_clock(const struct tm *day, int hour, int minute,
			   int second)
{
	struct tm tm = { .tm_year = day->tm_year,
			 .tm_mon = day->tm_mon,
			 .tm_mday = day->tm_mday,
			 .tm_hour = hour,
			 .tm_min = minute,
			 .tm_sec = second,
			 .tm_isdst = -1 };

	return (int64_t)mktime(&tm) * 1000;
}

/* `n` days, months or years, beginning with the one that contains `t`. */
static struct ccfc_date_span period_of_unit(const struct tm *t, enum unit unit,
					    int n)
{
	int y = t->tm_year, m = t->tm_mon, d = t->tm_mday;

	switch (unit) {
	case YEAR:
		return (struct ccfc_date_span){ local_ms(y, 0, 1, 0),
						local_ms(y + n, 0, 1, 0) - 1 };
	case MONTH:
		return (struct ccfc_date_span){ local_ms(y, m, 1, 0),
						local_ms(y, m + n, 1, 0) - 1 };
	default:
		return (struct ccfc_date_span){ local_ms(y, m, d, 0),
						local_ms(y, m, d + n, 0) - 1 };
	}
}

/* That day, with its fields in their ranges. */
static struct tm local_noon(int year, int month, int day)
{
	/* At noon no change of the clock leads to another day. */
	struct tm tm = { .tm_year = year,
			 .tm_mon = month,
			 .tm_mday = day,
			 .tm_hour = 12,
			 .tm_isdst = -1 };

	mktime(&tm);
	return tm;
}

static int month_length(int year, int month)
{
	/* Day 0 is the last of the month before. */
	return local_noon(year, month + 1, 0).tm_mday;
}

/* --- words --- */

static char lower_case(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool split_tokens(struct reading *r, struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len;) {
		size_t len = 0;

		if (strchr(" ._,\t", text.ptr[i])) {
			i++;
			continue;
		}
		if (r->n == WORDS)
			return false;
		for (; i < text.len && !strchr(" ._,\t", text.ptr[i]); i++) {
			if (len + 1 == WORD_MAX)
				return false;
			r->words[r->n][len++] = lower_case(text.ptr[i]);
		}
		r->words[r->n++][len] = '\0';
	}
	return r->n;
}

/* Reads digits at *p and moves *p behind them; -1: none, or too many. */
static int read_digits(const char **p)
{
	int n = 0;
	const char *start = *p;

	for (; **p >= '0' && **p <= '9'; (*p)++) {
		n = n * 10 + (**p - '0');
		if (n >= NUMBER_MAX)
			return -1;
	}
	return *p == start ? -1 : n;
}

static bool find_unit(enum unit *unit, const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(word, units[i].word)) {
			*unit = units[i].unit;
			return true;
		}
	return false;
}

/* A day's name, or its first three letters and more; -1: none. */
static int find_weekday(const char *word)
{
	size_t len = strlen(word);

	for (int i = 0; len >= 3 && i < 7; i++)
		if (!strncmp(word, weekdays[i], len))
			return i;
	return -1;
}

/* --- a time of day --- */

struct clock_time {
	int hour, minute, second;
	int64_t length; /* of the span, in ms */
};

static bool read_clock(struct clock_time *t, const char *word)
{
	const char *p = word;

	*t = (struct clock_time){ .length = 60000 };
	if (!strcmp(word, "noon") || !strcmp(word, "midnight")) {
		t->hour = *word == 'n' ? 12 : 0;
		return true;
	}
	t->hour = read_digits(&p);
	if (*p == ':') {
		p++;
		t->minute = read_digits(&p);
		if (*p == ':') {
			p++;
			t->second = read_digits(&p);
			t->length = 1000;
		}
	} else if (strcmp(p, "am") != 0 && strcmp(p, "pm") != 0) {
		return false;
	}
	if (!strcmp(p, "am") || !strcmp(p, "pm")) {
		if (t->hour < 1 || t->hour > 12)
			return false;
		t->hour = t->hour % 12 + (*p == 'p' ? 12 : 0);
		p += 2;
	}
	return !*p && t->hour >= 0 && t->hour < 24 && t->minute >= 0 &&
	       t->minute < 60 && t->second >= 0 && t->second < 60;
}

static struct ccfc_date_span at_clock(const struct tm *day,
				      const struct clock_time *t)
{
	int64_t from = ms_of_clock(day, t->hour, t->minute, t->second);

	return (struct ccfc_date_span){ from, from + t->length - 1 };
}

/* --- what is before it --- */

/* 2025-12-31 or 2025-12. */
static bool read_calendar(struct ccfc_date_span *out, struct tm *day,
			  const char *word)
{
	const char *p = word;
	int y = read_digits(&p), m, d = 1;
	bool whole_month;

	if (p != word + 4 || *p++ != '-')
		return false;
	m = read_digits(&p);
	whole_month = p == word + 7 && !*p;
	if (!whole_month) {
		if (p != word + 7 || *p++ != '-')
			return false;
		d = read_digits(&p);
		if (p != word + 10 || *p)
			return false;
	}
	if (m < 1 || m > 12 || d < 1 || d > month_length(y - 1900, m - 1))
		return false;
	*day = local_noon(y - 1900, m - 1, d);
	*out = period_of_unit(day, whole_month ? MONTH : DAY, 1);
	return true;
}

/* "this week", "last month"; `back` is 0 or 1. */
static struct ccfc_date_span whole_unit(const struct tm *today, enum unit unit,
					int back)
{
	int y = today->tm_year, m = today->tm_mon, d = today->tm_mday;
	struct tm t;

	switch (unit) {
	case WEEK:
		t = local_noon(y, m, d - (today->tm_wday + 6) % 7 - 7 * back);
		return period_of_unit(&t, DAY, 7);
	case MONTH:
		t = local_noon(y, m - back, 1);
		return period_of_unit(&t, MONTH, 1);
	case YEAR:
		t = local_noon(y - back, 0, 1);
		return period_of_unit(&t, YEAR, 1);
	default:
		t = local_noon(y, m, d - back);
		return period_of_unit(&t, DAY, 1);
	}
}

/* `n` units before now, at the same time of the day. */
static int64_t time_before(const struct reading *r, int n, enum unit unit)
{
	static const int64_t ms[] = { 1000, 60000, 3600000 };
	const struct tm *t = &r->today;
	struct tm day;
	int y = t->tm_year, m = t->tm_mon, d = t->tm_mday, last;

	if (unit <= HOUR)
		return r->now - n * ms[unit];
	if (unit == DAY || unit == WEEK) {
		day = local_noon(y, m, d - n * (unit == WEEK ? 7 : 1));
	} else {
		day = local_noon(unit == YEAR ? y - n : y,
				 unit == MONTH ? m - n : m, 1);
		last = month_length(day.tm_year, day.tm_mon);
		day.tm_mday = d < last ? d : last;
	}
	return ms_of_clock(&day, t->tm_hour, t->tm_min, t->tm_sec) +
	       r->now % 1000;
}

/* Reads "2d", "2 days ago", "an hour ago": *used words. */
static bool read_ago(int64_t *out, const struct reading *r, unsigned *used)
{
	const char *p = r->words[0], *word;
	unsigned i = 1;
	enum unit unit;
	int n = read_digits(&p);

	if (n < 0 &&
	    (!strcmp(p, "a") || !strcmp(p, "an") || !strcmp(p, "one"))) {
		n = 1;
		p = "";
	}
	if (n < 0)
		return false;
	word = *p ? p : i < r->n ? r->words[i++] : "";
	if (!find_unit(&unit, word))
		return false;
	/* "2 days" alone is as good; "an hour" is not. */
	if (i < r->n && !strcmp(r->words[i], "ago"))
		i++;
	*out = time_before(r, n, unit);
	*used = i;
	return true;
}

static bool read_weekday(struct tm *day, const struct reading *r,
			 const char *word, bool last)
{
	int wanted = find_weekday(word), back;

	if (wanted < 0)
		return false;
	back = (r->today.tm_wday - wanted + 7) % 7;
	if (last && !back)
		back = 7;
	*day = local_noon(r->today.tm_year, r->today.tm_mon,
			  r->today.tm_mday - back);
	return true;
}

/*
 * Reads a day or a longer span from the first words, *used of them; 0: none.
 * `day` is set if a time of the day may follow.
 */
static bool read_span(struct ccfc_date_span *out, struct tm *day,
		      const struct reading *r, unsigned *used)
{
	const char *word = r->words[0];
	bool last = !strcmp(word, "last"), this = !strcmp(word, "this");
	enum unit unit;

	*used = 1;
	*day = r->today;
	if (!strcmp(word, "today") || !strcmp(word, "yesterday")) {
		*out = whole_unit(&r->today, DAY, *word == 'y');
		*day = local_noon(r->today.tm_year, r->today.tm_mon,
				  r->today.tm_mday - (*word == 'y'));
		return true;
	}
	if (read_calendar(out, day, word))
		return true;
	if ((last || this) && r->n > 1) {
		*used = 2;
		word = r->words[1];
		if (find_unit(&unit, word) && unit >= WEEK && word[1]) {
			*out = whole_unit(&r->today, unit, last);
			return true;
		}
	}
	if (!read_weekday(day, r, word, last))
		return false;
	*out = period_of_unit(day, DAY, 1);
	return true;
}

static bool read_words(struct ccfc_date_span *out, struct reading *r)
{
	struct clock_time clock;
	struct tm day = r->today;
	unsigned used = 0;
	int64_t then;

	if (r->n == 1 && !strcmp(r->words[0], "now")) {
		out->from = out->to = r->now;
		return true;
	}
	if (r->n == 1 && read_clock(&clock, r->words[0])) {
		*out = at_clock(&day, &clock);
		if (out->from <= r->now)
			return true;
		day = local_noon(day.tm_year, day.tm_mon, day.tm_mday - 1);
		*out = at_clock(&day, &clock);
		return true;
	}
	if (read_ago(&then, r, &used)) {
		time_t sec = (time_t)(then / 1000);

		out->from = out->to = then;
		localtime_r(&sec, &day);
	} else if (!read_span(out, &day, r, &used)) {
		return false;
	}
	if (used == r->n)
		return true;
	if (!strcmp(r->words[used], "at"))
		used++;
	if (used + 1 != r->n || !read_clock(&clock, r->words[used]))
		return false;
	*out = at_clock(&day, &clock);
	return true;
}

bool ccfc_dates_is_rfc3339(struct ccfc_slice text)
{
	return ccfc_time_parse(text) != CCFC_TIME_NONE &&
	       (text.ptr[10] != ' ' ||
		(text.len != MINUTE_TEXT && text.len != SECOND_TEXT));
}

bool ccfc_dates_read(struct ccfc_date_span *out, struct ccfc_slice text,
		     int64_t now)
{
	struct reading r = { .now = now };
	time_t sec = (time_t)(now / 1000);

	if (ccfc_dates_is_rfc3339(text)) {
		out->from = out->to = ccfc_time_parse(text);
		return true;
	}
	if (!localtime_r(&sec, &r.today) || !split_tokens(&r, text))
		return false;
	return read_words(out, &r) && out->from <= out->to;
}
