/* Times; see time.h. Parsing is by hand: it is on the path of every line. */
#include "base/time.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE_MAX 1000

#define DAY_MS 86400000
/* RFC 3339 has four digits of year: 0000-01-01 to 9999-12-31. */
#define FIRST_MS (INT64_C(-719528) * DAY_MS)
#define LAST_MS	 (INT64_C(2932897) * DAY_MS - 1)

/* Days since 1970-01-01 of a proleptic Gregorian date. */
static int64_t days_from_civil(int64_t y, int m, int d)
{
	int64_t era, yoe, doy, doe;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = y - era * 400;
	doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	return era * 146097 + doe - 719468;
}

/* Reads exactly n digits at *p; -1 when they are not there. */
static int read_digits(const char **p, const char *end, int n)
{
	int v = 0;

	if (end - *p < n)
		return -1;
	for (int i = 0; i < n; i++) {
		char c = *(*p)++;

		if (c < '0' || c > '9')
			return -1;
		v = v * 10 + (c - '0');
	}
	return v;
}

static bool skip_char(const char **p, const char *end, char c)
{
	if (*p >= end || **p != c)
		return false;
	(*p)++;
	return true;
}

static int month_days(int y, int m)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	return days[m - 1] + (m == 2 && leap);
}

static bool parse_date(const char **p, const char *end, int *y, int *m, int *d)
{
	*y = read_digits(p, end, 4);
	if (*y < 0 || !skip_char(p, end, '-'))
		return false;
	*m = read_digits(p, end, 2);
	if (*m < 1 || *m > 12 || !skip_char(p, end, '-'))
		return false;
	*d = read_digits(p, end, 2);
	return *d >= 1 && *d <= month_days(*y, *m);
}

/* ".123456" to milliseconds; no fraction is 0; -1 when malformed. */
static int parse_fraction(const char **p, const char *end)
{
	int ms = 0, scale = 100, n = 0;

	if (!skip_char(p, end, '.') && !skip_char(p, end, ','))
		return 0;
	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++, n++) {
		ms += (**p - '0') * scale;
		scale /= 10;
	}
	return n ? ms : -1;
}

/* "Z", "+02:00", "-0500" or nothing, to minutes; INT_MIN when malformed. */
static int parse_zone(const char **p, const char *end)
{
	int sign, h, m;

	if (*p == end)
		return 0;
	if (skip_char(p, end, 'Z') || skip_char(p, end, 'z'))
		return 0;
	if (skip_char(p, end, '+'))
		sign = 1;
	else if (skip_char(p, end, '-'))
		sign = -1;
	else
		return INT_MIN;
	h = read_digits(p, end, 2);
	skip_char(p, end, ':');
	m = read_digits(p, end, 2);
	if (h < 0 || m < 0 || h > 23 || m > 59)
		return INT_MIN;
	return sign * (h * 60 + m);
}

int64_t ccfc_time_parse(struct ccfc_slice s)
{
	const char *p = s.ptr, *end = s.len ? p + s.len : p;
	int y, mo, d, h, mi, sec = 0, ms = 0, zone;

	if (!s.len || !parse_date(&p, end, &y, &mo, &d))
		return CCFC_TIME_NONE;
	if (!skip_char(&p, end, 'T') && !skip_char(&p, end, 't') &&
	    !skip_char(&p, end, ' '))
		return CCFC_TIME_NONE;
	h = read_digits(&p, end, 2);
	if (h < 0 || h > 23 || !skip_char(&p, end, ':'))
		return CCFC_TIME_NONE;
	mi = read_digits(&p, end, 2);
	if (mi < 0 || mi > 59)
		return CCFC_TIME_NONE;
	if (skip_char(&p, end, ':')) {
		sec = read_digits(&p, end, 2);
		ms = parse_fraction(&p, end);
		if (sec < 0 || sec > 60 || ms < 0)
			return CCFC_TIME_NONE;
	}
	zone = parse_zone(&p, end);
	if (zone == INT_MIN || p != end)
		return CCFC_TIME_NONE;
	return ((days_from_civil(y, mo, d) * 24 + h) * 60 + mi - zone) * 60000 +
	       (int64_t)sec * 1000 + ms;
}

static int64_t local_midnight(int y, int m, int d)
{
	struct tm tm = { .tm_year = y - 1900,
			 .tm_mon = m - 1,
			 .tm_mday = d,
			 .tm_isdst = -1 };

	return (int64_t)mktime(&tm) * 1000;
}

int64_t ccfc_time_parse_user(struct ccfc_slice s, bool end)
{
	const char *p = s.ptr, *stop = s.len ? p + s.len : p;
	int y, m, d;

	if (!s.len || !parse_date(&p, stop, &y, &m, &d))
		return CCFC_TIME_NONE;
	if (p != stop)
		return ccfc_time_parse(s);
	/* mktime takes day 32 for the first of the next month. */
	return end ? local_midnight(y, m, d + 1) - 1 : local_midnight(y, m, d);
}

static bool split_ms(int64_t ms, time_t *sec, int *rest)
{
	if (ms == CCFC_TIME_NONE)
		return false;
	*rest = (int)(ms % 1000);
	*sec = (time_t)(ms / 1000);
	if (*rest < 0) {
		*rest += 1000;
		(*sec)--;
	}
	return true;
}

/* The inverse of days_from_civil. */
static void civil_from_days(int64_t days, int *y, int *m, int *d)
{
	int64_t era, doe, yoe, doy, mp;

	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = days - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	*d = (int)(doy - (153 * mp + 2) / 5 + 1);
	*m = (int)(mp < 10 ? mp + 3 : mp - 9);
	*y = (int)(yoe + era * 400 + (*m <= 2));
}

/* Writes n digits of v, and the character `behind`. */
static char *put_digits(char *out, int v, int n, char behind)
{
	for (int i = n; i-- > 0; v /= 10)
		out[i] = (char)('0' + v % 10);
	out[n] = behind;
	return out + n + 1;
}

/* Written by hand for speed: a short reply consists mostly of times. */
const char *ccfc_time_format(char out[CCFC_TIME_TEXT_MAX], int64_t ms)
{
	char *p = out;
	int y, m, d, rest, second;

	out[0] = '\0';
	if (ms < FIRST_MS || ms > LAST_MS)
		return out;
	rest = (int)((ms - FIRST_MS) % DAY_MS);
	civil_from_days((ms - rest) / DAY_MS, &y, &m, &d);
	second = rest / 1000;
	p = put_digits(p, y, 4, '-');
	p = put_digits(p, m, 2, '-');
	p = put_digits(p, d, 2, 'T');
	p = put_digits(p, second / 3600, 2, ':');
	p = put_digits(p, second / 60 % 60, 2, ':');
	p = put_digits(p, second % 60, 2, '.');
	p = put_digits(p, rest % 1000, 3, 'Z');
	*p = '\0';
	return out;
}

const char *ccfc_time_format_local(char out[CCFC_TIME_TEXT_MAX], int64_t ms,
				   const char *fmt)
{
	struct tm tm;
	time_t sec;
	int rest;

	out[0] = '\0';
	if (split_ms(ms, &sec, &rest) && localtime_r(&sec, &tm) &&
	    !strftime(out, CCFC_TIME_TEXT_MAX, fmt, &tm))
		out[0] = '\0';
	return out;
}

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t ccfc_time_now(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t ccfc_time_monotonic(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int ccfc_time_patience(int ms)
{
	const char *text = getenv("CCFC_PATIENCE");
	long times = text ? strtol(text, NULL, 10) : 1;

	if (times < 1 || times > PATIENCE_MAX)
		times = 1;
	return ms < INT_MAX / times ? ms * (int)times : INT_MAX;
}
