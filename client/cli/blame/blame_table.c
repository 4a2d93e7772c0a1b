/*
 * The table of `ccfc blame`, laid out like git's: aligned columns, then the
 * line itself.
 *
 *	toolu_01AbCdEf 1a2b3c4d (3f2a91c4 opus-4-5  2025-12-10 10:05 12) text
 *
 * Each line is handled twice, for the widths and for the output: making a cell
 * again is cheaper than keeping it.
 */
#include "cli/blame/blame_line.h"

#include "base/time.h"
#include "cli/out/human.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#define COMMIT_LENGTH 8
#define CUT_TO_MIN    8	 /* no column is cut below this */
#define CELL_MAX      40 /* nor is one wider than that */
#define COMMAND_MAX   24 /* the start of a command identifies it */
#define DATE_WIDTH    16
#define SHORT_DATE    11 /* "59 min ago" */
#define FIXED	      5	 /* brackets, blanks around them */
#define TAB	      8
#define NARROW	      100 /* columns below which an agent has no room */

/* The owner, the commit, and what --show picks. */
#define COLS (CCFC_BLAME_COLS + 2)
enum { COL_OWNER, COL_COMMIT, COL_SHOWN };

struct layout {
	const struct ccfc_blame_view *view;
	size_t widths[COLS];
	unsigned ncols;
	const struct ccfc_out *out;
	int64_t now;
	int date;	/* columns of a date */
	int digits;	/* of line numbers */
	int64_t newest; /* of the sessions' lines */
	struct ccfc_buf raw, cell;
};

/* The safe text of one cell; valid until the next. */
static struct ccfc_slice make_cell(struct layout *l, struct ccfc_obj line,
				   unsigned col)
{
	const struct ccfc_git_commit *commit;

	ccfc_buf_clear(&l->raw);
	ccfc_buf_clear(&l->cell);
	if (col == COL_OWNER) {
		ccfc_blame_owner(&l->raw, l->view, line);
	} else if (col == COL_COMMIT) {
		commit = ccfc_blame_commit(l->view, line);
		if (commit)
			ccfc_buf_append(&l->raw, commit->id, COMMIT_LENGTH);
	} else {
		ccfc_blame_cell(&l->raw, l->view, line, col - COL_SHOWN);
	}
	ccfc_safe_append(&l->cell, ccfc_buf_view(&l->raw), false);
	return ccfc_buf_view(&l->cell);
}

/* Is this the column that shows `what`? */
static bool is_shown(const struct layout *l, unsigned col,
		     enum ccfc_blame_col what)
{
	return col >= COL_SHOWN && l->view->cols[col - COL_SHOWN] == what;
}

static void measure_columns(struct layout *l)
{
	int64_t last = 1, t;
	char sign;

	l->newest = CCFC_TIME_NONE;
	for (uint32_t i = 0; i < ccfc_obj_len(l->view->lines); i++) {
		struct ccfc_obj line = ccfc_obj_at(l->view->lines, i);

		for (unsigned c = 0; c < l->ncols; c++) {
			size_t w = ccfc_width(make_cell(l, line, c));
			size_t most = is_shown(l, c, CCFC_BLAME_COL_COMMAND)
					      ? COMMAND_MAX
					      : CELL_MAX;

			if (w > most)
				w = most;
			if (w > l->widths[c])
				l->widths[c] = w;
		}
		t = ccfc_blame_time(&sign, l->view, line);
		if (ccfc_blame_is_session(line) && t > l->newest)
			l->newest = t;
		last = ccfc_obj_get_int(line, "line", last);
	}
	for (l->digits = 1; last >= 10; last /= 10)
		l->digits++;
}

/* The least width of a column; SIZE_MAX: half an id would be useless. */
static size_t least_width(const struct layout *l, unsigned col)
{
	if (col < COL_SHOWN)
		return SIZE_MAX;
	return is_shown(l, col, CCFC_BLAME_COL_SESSION)
		       ? l->view->session_length
		       : CUT_TO_MIN;
}

/*
 * Shrinks the columns so that the text has at least a quarter of the terminal.
 */
static void fit_columns(struct layout *l, unsigned max)
{
	for (;;) {
		size_t sum = FIXED + (size_t)(l->date + l->digits);
		size_t *widest = NULL;

		for (unsigned c = 0; c < l->ncols; c++) {
			sum += l->widths[c] + (l->widths[c] > 0);
			if (l->widths[c] > least_width(l, c) &&
			    (!widest || l->widths[c] > *widest))
				widest = &l->widths[c];
		}
		if (!max || sum <= max || !widest)
			return;
		(*widest)--;
	}
}

static void put_cell(struct ccfc_out *out, struct layout *l,
		     struct ccfc_obj line, unsigned col)
{
	struct ccfc_slice s;
	size_t start = out->buf.len, width;

	if (!l->widths[col])
		return;
	s = make_cell(l, line, col);
	if (is_shown(l, col, CCFC_BLAME_COL_PROMPT) ||
	    is_shown(l, col, CCFC_BLAME_COL_COMMAND))
		ccfc_width_cut(&out->buf, s, l->widths[col]);
	else
		ccfc_width_elide(&out->buf, s, l->widths[col]);
	width = ccfc_width(
		ccfc_slice(out->buf.ptr + start, out->buf.len - start));
	ccfc_buf_printf(&out->buf, "%*s", (int)(l->widths[col] - width) + 1,
			"");
}

static const char *style_of_line(const struct ccfc_out *out,
				 const struct layout *l, struct ccfc_obj line,
				 int64_t time)
{
	if (ccfc_blame_is_session(line))
		return ccfc_out_on(out, time == l->newest ? CCFC_STYLE_NEW
							  : CCFC_STYLE_HUNK);
	return ccfc_out_on(
		out, ccfc_slice_is(ccfc_obj_get_str(line, "kind"), "outside")
			     ? CCFC_STYLE_FAINT
			     : CCFC_STYLE_ALERT);
}

/* Who wrote the line, up to its number. */
static void put_owner(struct ccfc_out *out, struct layout *l,
		      struct ccfc_obj line, char sign, int64_t t)
{
	struct ccfc_buf date = CCFC_BUF_INIT;

	put_cell(out, l, line, COL_OWNER);
	put_cell(out, l, line, COL_COMMIT);
	ccfc_buf_putc(&out->buf, '(');
	for (unsigned c = COL_SHOWN; c < l->ncols; c++)
		put_cell(out, l, line, c);
	ccfc_human_moment(&date, out, t, l->now);
	ccfc_buf_printf(&out->buf, "%c%-*s ", sign, l->date, date.ptr);
	ccfc_buf_release(&date);
}

/* On a terminal, cuts a line at the terminal's width. */
static void put_content(struct ccfc_out *out, struct ccfc_slice content,
			size_t used)
{
	struct ccfc_buf raw = CCFC_BUF_INIT, safe = CCFC_BUF_INIT;

	if (!out->width) {
		ccfc_out_content(out, content);
		return;
	}
	/* The end of a tab depends on the line's own columns. */
	for (size_t i = 0, at = 0; i < content.len; i++, at++) {
		size_t fill = content.ptr[i] == '\t' ? TAB - at % TAB : 0;

		if (!fill) {
			ccfc_buf_putc(&raw, content.ptr[i]);
			continue;
		}
		ccfc_buf_printf(&raw, "%*s", (int)fill, "");
		at += fill - 1;
	}
	ccfc_safe_append(&safe, ccfc_buf_view(&raw), false);
	ccfc_buf_release(&raw);
	ccfc_width_cut(&out->buf, ccfc_buf_view(&safe),
		       out->width > used + CUT_TO_MIN ? out->width - used
						      : CUT_TO_MIN);
	ccfc_buf_release(&safe);
}

/* Is the owner of `a` left blank, since `b`, the line before, has it too? */
static bool is_same_change(const struct layout *l, struct ccfc_obj a,
			   struct ccfc_obj b)
{
	struct ccfc_slice id = ccfc_obj_get_str(a, "changeId");

	return l->out->tty && id.len && !l->view->git &&
	       ccfc_slice_eq(id, ccfc_obj_get_str(b, "changeId"));
}

static void print_line(struct ccfc_out *out, struct layout *l,
		       struct ccfc_obj line, struct ccfc_obj previous)
{
	char sign;
	int64_t t = ccfc_blame_time(&sign, l->view, line);
	size_t at, used;

	ccfc_buf_puts(&out->buf, style_of_line(out, l, line, t));
	at = out->buf.len;
	put_owner(out, l, line, sign, t);
	used = ccfc_width(ccfc_slice(out->buf.ptr + at, out->buf.len - at));
	if (is_same_change(l, line, previous)) {
		out->buf.len = at;
		ccfc_buf_printf(&out->buf, "%*s", (int)used, "");
	}
	ccfc_buf_printf(&out->buf, "%*lld)%s ", l->digits,
			(long long)ccfc_obj_get_int(line, "line", 0),
			ccfc_out_off(out));
	put_content(out, ccfc_obj_get_str(line, "content"),
		    used + (size_t)l->digits + 2);
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
}

void ccfc_blame_table(struct ccfc_out *out, const struct ccfc_blame_view *view)
{
	struct ccfc_blame_view shown = *view;
	struct layout l = { .view = &shown,
			    .out = out,
			    .now = ccfc_time_now(),
			    .date = out->tty ? SHORT_DATE : DATE_WIDTH,
			    .ncols = view->ncols + COL_SHOWN };
	struct ccfc_obj previous = { 0 };

	if (out->tty)
		ccfc_blame_short_ids(&shown);
	measure_columns(&l);
	/* Without --show, a narrow terminal has no column for agents. */
	for (unsigned c = COL_SHOWN; c < l.ncols; c++)
		if (out->width && out->width < NARROW && !view->chosen &&
		    is_shown(&l, c, CCFC_BLAME_COL_AGENT))
			l.widths[c] = 0;
	fit_columns(&l, out->width / 4 * 3);
	for (uint32_t i = 0; i < ccfc_obj_len(view->lines); i++) {
		struct ccfc_obj line = ccfc_obj_at(view->lines, i);

		print_line(out, &l, line, previous);
		previous = line;
	}
	ccfc_buf_release(&l.raw);
	ccfc_buf_release(&l.cell);
}
