/* Numbers for people; see human.h. */
#include "cli/out/human.h"

#include "base/path.h"
#include "base/time.h"
#include "cli/out/render.h"

#include <stdlib.h>

#define MINUTE INT64_C(60)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define STEPS  8 /* of a block character */

void ccfc_human_count(struct ccfc_buf *out, int64_t n)
{
	static const char units[] = "kMGTP";
	double v = (double)n / 1000;
	unsigned u = 0;

	if (n < 1000) {
		ccfc_buf_printf(out, "%lld", (long long)n);
		return;
	}
	/* 999.5 would be printed as 1000 */
	for (; v >= 999.5 && units[u + 1]; u++)
		v /= 1000;
	ccfc_buf_printf(out, "%.*f%c", v < 99.95 ? 1 : 0, v, units[u]);
}

int64_t ccfc_human_tokens(struct ccfc_obj usage)
{
	static const char *const keys[] = { "input", "output", "cacheRead",
					    "cacheWrite" };
	int64_t sum = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (__builtin_add_overflow(
			    sum, ccfc_obj_get_int(usage, keys[i], 0), &sum))
			return INT64_MAX;
	return sum;
}

void ccfc_human_duration(struct ccfc_buf *out, int64_t seconds)
{
	long long s = seconds;

	if (s < 0)
		ccfc_buf_putc(out, '-');
	else if (s < MINUTE)
		ccfc_buf_printf(out, "%llds", s);
	else if (s < HOUR)
		ccfc_buf_printf(out, "%lldm", s / MINUTE);
	else if (s < DAY)
		ccfc_buf_printf(out, "%lldh%02lldm", s / HOUR,
				s % HOUR / MINUTE);
	else
		ccfc_buf_printf(out, "%lldd%02lldh", s / DAY, s % DAY / HOUR);
}

void ccfc_human_moment(struct ccfc_buf *out, const struct ccfc_out *to,
		       int64_t then, int64_t now)
{
	int64_t ago = then == CCFC_TIME_NONE ? -1 : (now - then) / 1000;
	char text[CCFC_TIME_TEXT_MAX];

	/* Clocks differ: a time in the future is printed as a date. */
	if (!to->tty || ago < 0) {
		ccfc_time_format_local(text, then, CCFC_RENDER_MINUTE);
		ccfc_buf_puts(out, *text ? text : "-");
	} else if (ago < MINUTE) {
		ccfc_buf_puts(out, "just now");
	} else if (ago < HOUR) {
		ccfc_buf_printf(out, "%lld min ago", (long long)(ago / MINUTE));
	} else if (ago < DAY) {
		ccfc_buf_printf(out, "%lld h ago", (long long)(ago / HOUR));
	} else if (ago < 2 * DAY) {
		ccfc_buf_puts(out, "1 day ago");
	} else if (ago < 7 * DAY) {
		ccfc_buf_printf(out, "%lld days ago", (long long)(ago / DAY));
	} else {
		ccfc_buf_puts(out,
			      ccfc_time_format_local(text, then, "%Y-%m-%d"));
	}
}

void ccfc_human_when(struct ccfc_buf *out, const struct ccfc_out *to,
		     struct ccfc_obj time, int64_t now)
{
	ccfc_human_moment(out, to, ccfc_time_parse(ccfc_obj_str(time)), now);
}

void ccfc_human_path(struct ccfc_buf *out, const struct ccfc_out *to,
		     struct ccfc_slice path)
{
	struct ccfc_slice home = ccfc_slice_str(getenv("HOME"));

	while (home.len && home.ptr[home.len - 1] == '/')
		home.len--;
	if (!path.len) {
		ccfc_buf_putc(out, '-');
	} else if (to->tty && ccfc_path_is_below(path, home)) {
		ccfc_buf_putc(out, '~');
		ccfc_buf_append(out, path.ptr + home.len, path.len - home.len);
	} else {
		ccfc_buf_slice(out, path);
	}
}

void ccfc_human_file(struct ccfc_out *out, struct ccfc_slice path)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_human_path(&text, out, path);
	ccfc_render_line(out, "File", 0, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

struct ccfc_slice ccfc_human_title(struct ccfc_slice title)
{
	const char *nl;

	while (title.len && strchr(" \t\r\n", title.ptr[0])) {
		title.ptr++;
		title.len--;
	}
	nl = title.len ? memchr(title.ptr, '\n', title.len) : NULL;
	if (nl)
		title.len = (size_t)(nl - title.ptr);
	while (title.len && strchr(" \t\r", title.ptr[title.len - 1]))
		title.len--;
	return title.len ? title : CCFC_SLICE_LIT("-");
}

struct ccfc_slice ccfc_human_model(struct ccfc_slice model)
{
	static const char vendor[] = "claude-";
	size_t skip = sizeof(vendor) - 1, digits = 0;

	if (ccfc_slice_starts(model, vendor) && model.len > skip)
		model = ccfc_slice(model.ptr + skip, model.len - skip);
	while (digits < model.len && digits <= 8 &&
	       model.ptr[model.len - 1 - digits] >= '0' &&
	       model.ptr[model.len - 1 - digits] <= '9')
		digits++;
	/* A date of eight digits after a dash. */
	if (digits == 8 && model.len > 9 && model.ptr[model.len - 9] == '-')
		model.len -= 9;
	return model;
}

/* `n` of `max` in steps, rounded, but at least 1. */
static unsigned scale_to_steps(int64_t n, int64_t max, unsigned steps)
{
	double part;

	if (n <= 0 || max <= 0)
		return 0;
	part = n < max ? (double)n / (double)max : 1;
	part = part * steps + 0.5;
	return part < 1 ? 1 : (unsigned)part;
}

/* U+2588 is full; later characters are narrower, earlier ones lower. */
static void put_block(struct ccfc_buf *out, unsigned last_byte)
{
	ccfc_buf_printf(out, "\xe2\x96%c", (int)last_byte);
}

void ccfc_human_bar(struct ccfc_buf *out, int64_t n, int64_t max,
		    unsigned width, bool utf8)
{
	unsigned eighths = scale_to_steps(n, max, utf8 ? width * STEPS : width);

	if (!utf8) {
		while (eighths--)
			ccfc_buf_putc(out, '#');
		return;
	}
	for (; eighths >= STEPS; eighths -= STEPS)
		put_block(out, 0x88);
	if (eighths)
		put_block(out, 0x88 + STEPS - eighths);
}

void ccfc_human_spark(struct ccfc_buf *out, int64_t n, int64_t max, bool utf8)
{
	static const char ascii[] = " .:-=+*%#";
	unsigned height = scale_to_steps(n, max, STEPS);

	if (!utf8)
		ccfc_buf_putc(out, ascii[height]);
	else if (!height)
		ccfc_buf_putc(out, ' ');
	else
		put_block(out, 0x80 + height);
}
