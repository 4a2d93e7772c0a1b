/*
 * Dates and times as people write them. A date is a span: a day from its first
 * millisecond to its last, "10:00" a minute; "2 days ago" is one moment. All
 * is in the local zone, also over changes of the clock; weeks begin on Monday.
 *
 *	today, yesterday, monday, "last monday", 2025-12-31, 2025-12
 *	"this week", "last week", "this month", "last month", "this year" …
 *	10:00, 10:00:30, 3pm, noon: the last one that is not in the future
 *	"yesterday 10:00", "2025-12-31 14:05[:59]"
 *	now, 2d, 90min, "3 weeks ago", "an hour ago" (s m h d w mo y)
 *	RFC 3339
 */
#ifndef CCFC_CLI_WORDS_DATES_H
#define CCFC_CLI_WORDS_DATES_H

#include "base/slice.h"

#include <stdint.h>

struct ccfc_date_span {
	int64_t from, to; /* both belong to it */
};

/* False: it is no date. `now` is from ccfc_time_now. */
bool ccfc_dates_read(struct ccfc_date_span *out, struct ccfc_slice text,
		     int64_t now);

/*
 * Is it as in RFC 3339, and means the same everywhere? With a blank in place of
 * the T and without a zone it is local.
 */
bool ccfc_dates_is_rfc3339(struct ccfc_slice text);

#endif
