/*
 * Times are milliseconds since 1970 in UTC, as int64_t. CCFC_TIME_NONE means
 * "not known" and sorts before every time.
 */
#ifndef CCFC_BASE_TIME_H
#define CCFC_BASE_TIME_H

#include "base/slice.h"

#include <stdint.h>

#define CCFC_TIME_NONE	   INT64_MIN
#define CCFC_TIME_TEXT_MAX 32

/*
 * RFC 3339, e.g. "2025-12-10T10:00:00.000Z" or "+02:00". A time without a zone
 * counts as UTC; a space in place of T and a missing fraction are accepted.
 * Anything else: CCFC_TIME_NONE.
 */
int64_t ccfc_time_parse(struct ccfc_slice s);

/*
 * A user's date: RFC 3339 as above, or "2025-12-10", the whole local day:
 * its first millisecond, or its last if `end`.
 */
int64_t ccfc_time_parse_user(struct ccfc_slice s, bool end);

/*
 * "2025-12-10T10:00:00.000Z"; returns `out`, "" for CCFC_TIME_NONE and for
 * years before 0 and after 9999.
 */
const char *ccfc_time_format(char out[CCFC_TIME_TEXT_MAX], int64_t ms);

/* strftime in the local zone; "" for CCFC_TIME_NONE. */
const char *ccfc_time_format_local(char out[CCFC_TIME_TEXT_MAX], int64_t ms,
				   const char *fmt);

/* The time of day, which may jump; for time limits use the next one. */
int64_t ccfc_time_now(void);

/* Milliseconds of a monotonic clock, for time limits. */
int64_t ccfc_time_monotonic(void);

/*
 * A time limit of normally `ms` milliseconds, multiplied by CCFC_PATIENCE for
 * slow machines and tests.
 */
int ccfc_time_patience(int ms);

/* The shorter of two times to wait, as for poll(): negative is without end. */
static inline int ccfc_time_sooner(int a, int b)
{
	return b < 0 || (a >= 0 && a < b) ? a : b;
}

#endif
