/*
 * A point in time for a file; see moment.h. A local time means its end, like a
 * day: `ccfc list` shows times in seconds, and a change at 14:05:59.417 has
 * happened at "14:05:59".
 */
#include "cli/frame/moment.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/time.h"
#include "cli/frame/cwd.h"

#include <stdlib.h>
#include <time.h>

#define MINUTE_TEXT 16 /* "2025-12-31 14:05" */
#define SECOND_TEXT 19

/* "2025-12-31 14:05[:59]" of the local zone to its last millisecond. */
static int64_t parse_local(struct ccfc_slice s)
{
	int64_t utc = ccfc_time_parse(s);
	time_t sec;
	struct tm tm;

	if (utc == CCFC_TIME_NONE || s.ptr[10] != ' ' ||
	    (s.len != MINUTE_TEXT && s.len != SECOND_TEXT))
		return CCFC_TIME_NONE;
	/* What was read as UTC, field by field, is read again as local. */
	sec = (time_t)(utc / 1000);
	if (!gmtime_r(&sec, &tm))
		return CCFC_TIME_NONE;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * 1000 +
	       (s.len == MINUTE_TEXT ? 59999 : 999);
}

/* A time of the local zone, or CCFC_TIME_NONE for everything else. */
static int64_t read_time(const char *given)
{
	struct ccfc_slice s = ccfc_slice_str(given);

	if (ccfc_time_parse(s) != CCFC_TIME_NONE)
		return parse_local(s);
	return ccfc_time_parse_user(s, true);
}

int ccfc_moment_text(char **out, const char *given, struct ccfc_err *err)
{
	static const char before[] = "before:";
	size_t skip = 0;
	char text[CCFC_TIME_TEXT_MAX];
	struct ccfc_buf buf = CCFC_BUF_INIT;
	char *session;
	int code;

	*out = NULL;
	if (*ccfc_time_format(text, read_time(given))) {
		*out = ccfc_strdup(text);
		return 0;
	}
	if (ccfc_slice_starts(ccfc_slice_str(given), before))
		skip = sizeof(before) - 1;
	code = ccfc_cwd_session(&session, given + skip, err);
	if (code < 0)
		return code;
	ccfc_buf_append(&buf, given, skip);
	ccfc_buf_puts(&buf, session);
	free(session);
	*out = ccfc_buf_detach(&buf, NULL);
	return 0;
}
