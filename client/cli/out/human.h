/*
 * Numbers for people, short enough for a column: counts, durations, relative
 * times, paths with "~", bars. Everything is appended; text from a transcript
 * is not made safe here.
 */
#ifndef CCFC_CLI_OUT_HUMAN_H
#define CCFC_CLI_OUT_HUMAN_H

#include "cli/out/out.h"
#include "wire/obj.h"

#include <stdint.h>

/* "999", "12.3k", "123k", "1.2M". */
void ccfc_human_count(struct ccfc_buf *out, int64_t n);

/* The sum of a TokenUsage: input, output, cache read and cache write. */
int64_t ccfc_human_tokens(struct ccfc_obj usage);

/* "45s", "12m", "1h05m", "3d04h"; "-" if negative. */
void ccfc_human_duration(struct ccfc_buf *out, int64_t seconds);

/*
 * The time of a reply: on a terminal "just now", "5 min ago", "3 h ago", "2
 * days ago", and after a week its date; else the minute, in the local zone.
 * `now` is from ccfc_time_now. "-": not known.
 */
void ccfc_human_when(struct ccfc_buf *out, const struct ccfc_out *to,
		     struct ccfc_obj time, int64_t now);

/* The same for a moment in milliseconds, or CCFC_TIME_NONE. */
void ccfc_human_moment(struct ccfc_buf *out, const struct ccfc_out *to,
		       int64_t then, int64_t now);

/* "File: src/a.ts", the path as ccfc_human_path has it. */
void ccfc_human_file(struct ccfc_out *out, struct ccfc_slice path);

/* `path`, on a terminal with "~" for the home directory; "-" if empty. */
void ccfc_human_path(struct ccfc_buf *out, const struct ccfc_out *to,
		     struct ccfc_slice path);

/* The first line of a session's title with any text; "-" if there is none. */
struct ccfc_slice ccfc_human_title(struct ccfc_slice title);

/* "opus-4-5" from "claude-opus-4-5-20251101"; a part of `model`. */
struct ccfc_slice ccfc_human_model(struct ccfc_slice model);

/*
 * A bar for `n` of `max`, `width` columns for all of it; '#' unless `utf8`.
 * Never empty if `n` > 0.
 */
void ccfc_human_bar(struct ccfc_buf *out, int64_t n, int64_t max,
		    unsigned width, bool utf8);

/* One column whose height is `n` of `max`; a blank for nothing. */
void ccfc_human_spark(struct ccfc_buf *out, int64_t n, int64_t max, bool utf8);

#endif
