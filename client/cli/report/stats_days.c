/*
 * The last days at a glance: one column for each day, including days without
 * activity, up to the last active day.
 */
#include "cli/report/stats_print.h"

#include "base/time.h"
#include "cli/out/human.h"
#include "cli/out/locale_utf8.h"
#include "cli/out/render.h"

#define MAX_DAYS 60
#define AT	 11
#define DAY_MS	 INT64_C(86400000)

struct span {
	int64_t first; /* days since 1970 */
	unsigned n;
	int64_t changes[MAX_DAYS], tokens[MAX_DAYS];
};

/* INT64_MIN if it is not a date. */
static int64_t day_number(struct ccfc_obj day)
{
	struct ccfc_slice text = ccfc_obj_get_str(day, "day");
	struct ccfc_buf full = CCFC_BUF_INIT;
	int64_t ms;

	ccfc_buf_slice(&full, text);
	ccfc_buf_puts(&full, "T00:00:00Z");
	ms = ccfc_time_parse(ccfc_buf_view(&full));
	ccfc_buf_release(&full);
	return ms == CCFC_TIME_NONE ? INT64_MIN : ms / DAY_MS;
}

static int64_t tokens_of(struct ccfc_obj day)
{
	struct ccfc_obj tokens = ccfc_obj_get(day, "tokens");

	return ccfc_obj_type(tokens) == CCFC_OBJ_MAP ? ccfc_human_tokens(tokens)
						     : ccfc_obj_int(tokens, 0);
}

static void fill_span(struct span *span, struct ccfc_obj days)
{
	for (uint32_t i = 0; i < ccfc_obj_len(days); i++) {
		struct ccfc_obj day = ccfc_obj_at(days, i);
		int64_t at = day_number(day);

		if (at < span->first || at - span->first >= span->n)
			continue;
		at -= span->first;
		span->changes[at] += ccfc_obj_get_int(day, "changes", 0);
		span->tokens[at] += tokens_of(day);
	}
}

/* From the first day (or as far back as there is room) to the last. */
static bool find_span(struct span *span, struct ccfc_obj days, unsigned room)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < ccfc_obj_len(days); i++) {
		int64_t day = day_number(ccfc_obj_at(days, i));

		if (day == INT64_MIN)
			continue;
		first = day < first ? day : first;
		last = day > last ? day : last;
	}
	if (last == INT64_MIN || !room)
		return false;
	if (last - first >= room)
		first = last - room + 1;
	span->first = first;
	span->n = (unsigned)(last - first + 1);
	return true;
}

static void print_line(struct ccfc_out *out, const char *label,
		       const int64_t *counts, const struct span *span,
		       bool utf8)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	int64_t max = 0;

	for (unsigned i = 0; i < span->n; i++)
		max = counts[i] > max ? counts[i] : max;
	for (unsigned i = 0; i < span->n; i++)
		ccfc_human_spark(&text, counts[i], max, utf8);
	ccfc_buf_puts(&text, utf8 ? "▕ " : "| ");
	ccfc_human_count(&text, max);
	ccfc_buf_puts(&text, " at most");
	ccfc_render_line(out, label, AT, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

void ccfc_stats_print_days(struct ccfc_out *out, struct ccfc_obj days)
{
	unsigned used = AT + 16, room = 0;
	char from[CCFC_TIME_TEXT_MAX], to[CCFC_TIME_TEXT_MAX];
	struct span span = { 0 };
	bool utf8 = ccfc_is_utf8();

	if (!out->tty)
		return;
	if (out->width > used)
		room = out->width - used;
	if (!find_span(&span, days, room < MAX_DAYS ? room : MAX_DAYS))
		return;
	fill_span(&span, days);
	ccfc_time_format(from, span.first * DAY_MS);
	ccfc_time_format(to, (span.first + span.n - 1) * DAY_MS);
	ccfc_buf_printf(&out->buf, "\n%sBy day, %.10s to %.10s:%s\n",
			ccfc_out_on(out, CCFC_STYLE_HEAD), from, to,
			ccfc_out_off(out));
	print_line(out, "  Changes", span.changes, &span, utf8);
	print_line(out, "  Tokens", span.tokens, &span, utf8);
}
