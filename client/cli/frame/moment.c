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
#include "cli/words/dates.h"

#include <stdlib.h>
#include <string.h>

/*
 * The last millisecond of a time, or CCFC_TIME_NONE for everything else: "123d"
 * begins an id rather than being days.
 */
static int64_t read_time(const char *given)
{
	struct ccfc_date_span span;

	/* The daemon reads RFC 3339 itself. */
	if (ccfc_dates_is_rfc3339(ccfc_slice_str(given)))
		return CCFC_TIME_NONE;
	if (strlen(given) > 3 &&
	    strspn(given, "0123456789abcdef") == strlen(given))
		return CCFC_TIME_NONE;
	if (!ccfc_dates_read(&span, ccfc_slice_str(given), ccfc_time_now()))
		return CCFC_TIME_NONE;
	return span.to;
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
