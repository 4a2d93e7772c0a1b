/* A frame of `ccfc top`; see top_screen.h. */
#include "cli/report/top_screen.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#include <stdio.h>
#include <stdlib.h>

#define PROJECT_WIDTH 12
#define STATUS_WIDTH  9
#define ID_WIDTH      8
#define AGE_WIDTH     6

static void drop_file(struct ccfc_top *top, uint32_t i)
{
	struct ccfc_top_file *f = &top->files[i];

	free(f->time);
	free(f->project);
	free(f->text);
	free(f->change);
	free(f->seen);
	memmove(f, f + 1, (--top->nfiles - i) * sizeof(*f));
}

void ccfc_top_release(struct ccfc_top *top)
{
	for (int i = 0; i < CCFC_TOP_CONFLICTS; i++)
		free(top->conflicts[i]);
	ccfc_busy_release(&top->live);
	while (top->nfiles)
		drop_file(top, top->nfiles - 1);
}

/* What both events of a write have: "2026-… 5bc8fbbb… /home/dev/a.c". */
static char *seen_text(struct ccfc_obj event)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_slice at = ccfc_obj_get_str(event, "seenAt");

	ccfc_buf_reserve(&out, 1);
	if (at.len) {
		ccfc_buf_slice(&out, at);
		ccfc_buf_putc(&out, ' ');
		ccfc_buf_slice(&out, ccfc_obj_get_str(event, "sessionId"));
		ccfc_buf_putc(&out, ' ');
		ccfc_buf_slice(&out, ccfc_obj_get_str(event, "path"));
	}
	return ccfc_buf_detach(&out, NULL);
}

/* The same change, or the early event of the same write. */
static void drop_earlier(struct ccfc_top *top, const struct ccfc_top_file *f)
{
	for (uint32_t i = top->nfiles; i-- > 0;) {
		const struct ccfc_top_file *old = &top->files[i];

		if (*old->change ? !strcmp(old->change, f->change)
				 : *f->seen && !strcmp(old->seen, f->seen))
			drop_file(top, i);
	}
}

/* "Edit src/a.c +3 -1", "writing src/a.c" */
static void put_change(struct ccfc_buf *out, struct ccfc_obj event, bool alert)
{
	bool early = !ccfc_obj_get_str(event, "changeId").len;

	ccfc_buf_slice(out, early ? CCFC_SLICE_LIT("writing")
				  : ccfc_render_tool(event));
	ccfc_buf_putc(out, ' ');
	ccfc_buf_slice(out, ccfc_path_relative(
				    ccfc_obj_get_str(event, "path"),
				    ccfc_obj_get_str(event, "projectPath")));
	if (alert) {
		ccfc_buf_puts(out, " ");
		ccfc_buf_slice(out, ccfc_obj_get_str(event, "state"));
	} else if (ccfc_obj_get_int(event, "linesAdded", -1) >= 0) {
		ccfc_buf_printf(
			out, " +%lld -%lld",
			(long long)ccfc_obj_get_int(event, "linesAdded", 0),
			(long long)ccfc_obj_get_int(event, "linesRemoved", 0));
	}
}

void ccfc_top_add(struct ccfc_top *top, struct ccfc_obj event)
{
	struct ccfc_slice id = ccfc_obj_get_str(event, "changeId");
	struct ccfc_slice state = ccfc_obj_get_str(event, "state");
	struct ccfc_slice name =
		ccfc_path_basename(ccfc_obj_get_str(event, "projectPath"));
	struct ccfc_buf time = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	struct ccfc_top_file f = {
		.change = ccfc_strndup(id.len ? id.ptr : "", id.len),
		.seen = seen_text(event),
		.project = ccfc_strndup(name.len ? name.ptr : "", name.len),
		.alert = id.len && !ccfc_slice_is(state, "applied"),
	};

	drop_earlier(top, &f);
	ccfc_render_time(&time,
			 ccfc_obj_get(event, id.len ? "timestamp" : "seenAt"),
			 "%H:%M:%S");
	put_change(&text, event, f.alert);
	f.time = ccfc_buf_detach(&time, NULL);
	f.text = ccfc_buf_detach(&text, NULL);
	if (top->nfiles == CCFC_TOP_FILES)
		drop_file(top, 0);
	top->files[top->nfiles++] = f;
	if (ccfc_obj_get_bool(event, "withdrawn", false))
		drop_file(top, top->nfiles - 1);
}

/* "concurrent src/a.ts: 5bc8fbbb and 0e281f4c" */
void ccfc_top_conflicts(struct ccfc_top *top, struct ccfc_obj rows)
{
	for (uint32_t i = 0; i < CCFC_TOP_CONFLICTS; i++) {
		struct ccfc_obj row = ccfc_obj_at(rows, i);
		struct ccfc_slice other =
			ccfc_obj_get_str(row, "otherSessionId");
		struct ccfc_buf text = CCFC_BUF_INIT;

		free(top->conflicts[i]);
		top->conflicts[i] = NULL;
		if (i >= ccfc_obj_len(rows))
			continue;
		ccfc_buf_puts(&text, "conflict: ");
		ccfc_buf_slice(&text, ccfc_obj_get_str(row, "kind"));
		ccfc_buf_putc(&text, ' ');
		ccfc_buf_slice(&text,
			       ccfc_path_relative(
				       ccfc_obj_get_str(row, "path"),
				       ccfc_obj_get_str(row, "projectPath")));
		ccfc_buf_puts(&text, ": ");
		ccfc_buf_slice(&text, ccfc_slice_cut(ccfc_obj_get_str(
							     row, "sessionId"),
						     ID_WIDTH));
		ccfc_buf_puts(&text, " and ");
		if (!other.len)
			other = ccfc_obj_get_str(row, "otherParty");
		ccfc_buf_slice(&text, ccfc_slice_cut(other, ID_WIDTH));
		top->conflicts[i] = ccfc_buf_detach(&text, NULL);
	}
}

/* The first line of a text, made safe, in exactly `width` columns. */
static void put_cell(struct ccfc_buf *line, const char *text, unsigned width)
{
	struct ccfc_buf safe = CCFC_BUF_INIT, cut = CCFC_BUF_INIT;
	size_t used;

	ccfc_safe_append(&safe, ccfc_slice(text, strcspn(text, "\n")), false);
	ccfc_width_cut(&cut, ccfc_buf_view(&safe), width);
	ccfc_buf_slice(line, ccfc_buf_view(&cut));
	for (used = ccfc_width(ccfc_buf_view(&cut)); used < width; used++)
		ccfc_buf_putc(line, ' ');
	ccfc_buf_release(&safe);
	ccfc_buf_release(&cut);
}

struct frame {
	struct ccfc_out *out;
	unsigned rows, width; /* left; of each */
	const char *end;
};

/* One line; `style` applies to all of it, -1: none. */
static void put_line(struct frame *f, const struct ccfc_buf *line, int style)
{
	struct ccfc_buf *buf = &f->out->buf;

	if (!f->rows)
		return;
	f->rows--;
	if (style >= 0)
		ccfc_buf_puts(buf, ccfc_out_on(f->out, (enum ccfc_style)style));
	ccfc_buf_slice(buf, ccfc_buf_view(line));
	if (style >= 0)
		ccfc_buf_puts(buf, ccfc_out_off(f->out));
	ccfc_buf_puts(buf, f->end);
}

static void put_text(struct frame *f, int style, const char *text)
{
	struct ccfc_buf line = CCFC_BUF_INIT;

	put_cell(&line, text, f->width);
	put_line(f, &line, style);
	ccfc_buf_release(&line);
}

static unsigned count_status(const struct ccfc_busy *live, const char *status)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < live->all.n; i++)
		n += !strcmp(live->all.items[i].status, status);
	return n;
}

static void put_title(struct frame *f, const struct ccfc_top *top, int64_t now)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	char time[CCFC_TIME_TEXT_MAX];

	ccfc_buf_printf(&text, "ccfc top  %s  %u active, %u waiting for you%s",
			ccfc_time_format_local(time, now, "%H:%M:%S"),
			count_status(&top->live, "active"),
			count_status(&top->live, "waiting"),
			top->paused ? "  (paused)" : "");
	put_text(f, CCFC_STYLE_HEAD, text.ptr);
	ccfc_buf_release(&text);
}

/* The width left for tool and prompt; 0: too little. */
static unsigned remaining_width(const struct frame *f)
{
	unsigned used = STATUS_WIDTH + PROJECT_WIDTH + ID_WIDTH + AGE_WIDTH + 4;

	return f->width > used + 10 ? f->width - used : 0;
}

static void put_row(struct frame *f, const char *const cells[6], int style)
{
	unsigned rest = remaining_width(f), tool = rest * 2 / 5;
	const unsigned widths[6] = { STATUS_WIDTH, PROJECT_WIDTH,
				     ID_WIDTH,	   AGE_WIDTH,
				     tool,	   rest ? rest - tool - 1 : 0 };
	struct ccfc_buf line = CCFC_BUF_INIT;
	unsigned used = 0;

	for (int i = 0; i < 6 && widths[i]; i++) {
		if (used + widths[i] + (i > 0) > f->width)
			break;
		if (i)
			ccfc_buf_putc(&line, ' ');
		put_cell(&line, cells[i], widths[i]);
		used += widths[i] + (i > 0);
	}
	put_line(f, &line, style);
	ccfc_buf_release(&line);
}

static void put_session(struct frame *f, const struct ccfc_busy_session *s,
			int64_t now)
{
	bool alert =
		!strcmp(s->status, "waiting") || !strcmp(s->status, "failed");
	int64_t at = ccfc_time_parse(ccfc_slice_str(s->updated));
	struct ccfc_buf age = CCFC_BUF_INIT;
	char id[ID_WIDTH + 1];
	const char *cells[6] = { s->status, s->project,
				 id,	    "",
				 s->tool,   *s->prompt ? s->prompt : s->title };

	snprintf(id, sizeof(id), "%s", s->id);
	ccfc_human_duration(&age,
			    at == CCFC_TIME_NONE ? -1 : (now - at) / 1000);
	cells[3] = age.ptr;
	put_row(f, cells, alert ? CCFC_STYLE_ALERT : -1);
	ccfc_buf_release(&age);
}

static void put_sessions(struct frame *f, const struct ccfc_top *top,
			 unsigned most, int64_t now)
{
	static const char *const head[6] = { "STATUS", "PROJECT",   "SESSION",
					     "AGO",    "LAST TOOL", "PROMPT" };

	put_row(f, head, CCFC_STYLE_HEAD);
	for (uint32_t i = 0; i < top->live.all.n && i < most; i++)
		put_session(f, &top->live.all.items[i], now);
	if (!top->live.all.n)
		put_text(f, CCFC_STYLE_FAINT, "no session was at work lately");
}

static void put_files(struct frame *f, const struct ccfc_top *top)
{
	struct ccfc_buf line = CCFC_BUF_INIT;

	put_text(f, CCFC_STYLE_HEAD, "CHANGED JUST NOW");
	if (!top->nfiles)
		put_text(f, CCFC_STYLE_FAINT, "nothing yet");
	for (uint32_t i = top->nfiles; i-- > 0 && f->rows > 1;) {
		const struct ccfc_top_file *file = &top->files[i];

		ccfc_buf_clear(&line);
		if (f->width <= PROJECT_WIDTH + 10)
			break;
		put_cell(&line, file->time, 8);
		ccfc_buf_putc(&line, ' ');
		put_cell(&line, file->project, PROJECT_WIDTH);
		ccfc_buf_putc(&line, ' ');
		put_cell(&line, file->text, f->width - PROJECT_WIDTH - 10);
		put_line(f, &line, file->alert ? CCFC_STYLE_ALERT : -1);
	}
	ccfc_buf_release(&line);
}

void ccfc_top_frame(struct ccfc_out *out, const struct ccfc_top *top,
		    unsigned rows, unsigned width, int64_t now, const char *end)
{
	struct frame f = { out, rows, width, end };

	put_title(&f, top, now);
	put_text(&f, -1, "");
	put_sessions(&f, top, rows / 2, now);
	for (int i = 0; i < CCFC_TOP_CONFLICTS; i++)
		if (top->conflicts[i])
			put_text(&f, CCFC_STYLE_ALERT, top->conflicts[i]);
	put_text(&f, -1, "");
	put_files(&f, top);
	while (f.rows > 1)
		put_text(&f, -1, "");
	put_text(&f, CCFC_STYLE_FAINT, "q quit   p pause   r refresh");
}
