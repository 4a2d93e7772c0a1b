/* A table of text; see table.h. */
#include "cli/out/table.h"

#include "base/alloc.h"
#include "cli/out/hyperlink.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#include <stdlib.h>

#define INDENT	   2
#define CUT_TO_MIN 10 /* no column is cut below this */

void ccfc_table_init(struct ccfc_table *table,
		     const struct ccfc_table_col *cols, unsigned ncols)
{
	*table = (struct ccfc_table){ .cols = cols,
				      .ncols = ncols,
				      .shown = ncols };
	for (unsigned i = 0; i < ncols; i++)
		table->widths[i] = strlen(cols[i].title);
}

void ccfc_table_release(struct ccfc_table *table)
{
	ccfc_buf_release(&table->text);
	free(table->cells.items);
	free(table->notes.items);
}

void ccfc_table_drop(struct ccfc_table *table, const unsigned *cols,
		     unsigned ncols)
{
	table->drop = cols;
	table->ndrop = ncols;
}

void ccfc_table_cell(struct ccfc_table *table, struct ccfc_slice s)
{
	unsigned col = table->cells.n % table->ncols;
	size_t at = table->text.len, len, width;

	ccfc_safe_append(&table->text, s, false);
	len = table->text.len - at;
	width = ccfc_width(ccfc_slice(table->text.ptr + at, len));
	if (width > table->widths[col])
		table->widths[col] = width;
	CCFC_VEC_GROW(table->cells);
	table->cells.items[table->cells.n].at = at;
	table->cells.items[table->cells.n].len = len;
	table->cells.items[table->cells.n].link_len = 0;
	table->cells.items[table->cells.n++].width = width;
}

void ccfc_table_link(struct ccfc_table *table, struct ccfc_slice path)
{
	ccfc_buf_slice(&table->text, path);
	table->cells.items[table->cells.n - 1].link_len = path.len;
}

void ccfc_table_printf(struct ccfc_table *table, const char *fmt, ...)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ccfc_buf_vprintf(&buf, fmt, ap);
	va_end(ap);
	ccfc_table_cell(table, ccfc_buf_view(&buf));
	ccfc_buf_release(&buf);
}

void ccfc_table_note(struct ccfc_table *table, struct ccfc_slice s)
{
	size_t at = table->text.len;

	ccfc_safe_append(&table->text, s, false);
	CCFC_VEC_GROW(table->notes);
	table->notes.items[table->notes.n].cell = table->cells.n;
	table->notes.items[table->notes.n].at = at;
	table->notes.items[table->notes.n++].len = table->text.len - at;
}

static bool is_shown(const struct ccfc_table *table, unsigned col)
{
	return col < table->shown && !table->hidden[col];
}

static bool is_last(const struct ccfc_table *table, unsigned col)
{
	for (unsigned i = col + 1; i < table->shown; i++)
		if (!table->hidden[i])
			return false;
	return true;
}

static size_t total_width(const struct ccfc_table *table)
{
	size_t sum = INDENT;

	for (unsigned i = 0; i < table->shown; i++)
		if (is_shown(table, i))
			sum += table->widths[i] +
			       (is_last(table, i) ? 0 : table->cols[i].gap);
	return sum;
}

/* How much narrower the columns that may be cut can get without harm. */
static size_t shrinkable_width(const struct ccfc_table *table)
{
	size_t sum = 0;

	for (unsigned i = 0; i < table->ncols; i++) {
		const struct ccfc_table_col *col = &table->cols[i];
		size_t least = col->min > CUT_TO_MIN ? col->min : CUT_TO_MIN;

		if (table->least[i] > least)
			least = table->least[i];
		if (is_shown(table, i) && col->elastic &&
		    table->widths[i] > least)
			sum += table->widths[i] - least;
	}
	return sum;
}

/* The widest column that can still be cut, or NULL. */
static size_t *widest_column(struct ccfc_table *table)
{
	size_t *best = NULL;

	for (unsigned i = 0; i < table->ncols; i++) {
		size_t *w = &table->widths[i];

		if (is_shown(table, i) && table->cols[i].elastic &&
		    *w > CUT_TO_MIN && *w > strlen(table->cols[i].title) &&
		    (!best || *w > *best))
			best = w;
	}
	return best;
}

static void drop_columns(struct ccfc_table *table, size_t max)
{
	for (unsigned i = 0; max && i < table->ndrop; i++)
		if (total_width(table) > max + shrinkable_width(table))
			table->hidden[table->drop[i]] = true;
}

/* Pads columns to their minimum, or cuts them, whichever `max` asks for. */
static void fit_columns(struct ccfc_table *table, size_t max)
{
	size_t pad = 0, total = total_width(table), *w;

	for (unsigned i = 0; i < table->ncols; i++)
		if (is_shown(table, i) && table->cols[i].min > table->widths[i])
			pad += table->cols[i].min - table->widths[i];
	if (!max || total + pad <= max) {
		for (unsigned i = 0; i < table->ncols; i++)
			if (table->cols[i].min > table->widths[i])
				table->widths[i] = table->cols[i].min;
		return;
	}
	for (; total > max && (w = widest_column(table)); total--)
		(*w)--;
	/* A very narrow terminal gets the first columns. */
	while (table->shown > 1 && total_width(table) > max)
		table->shown--;
}

static void pad_to(struct ccfc_buf *out, size_t n)
{
	ccfc_buf_printf(out, "%*s", (int)n, "");
}

static void print_titles(const struct ccfc_table *table, struct ccfc_out *out)
{
	pad_to(&out->buf, INDENT);
	ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_HEAD));
	for (unsigned i = 0; i < table->shown; i++) {
		const char *title = table->cols[i].title;

		if (!is_shown(table, i))
			continue;
		ccfc_buf_puts(&out->buf, title);
		if (!is_last(table, i))
			pad_to(&out->buf, table->widths[i] - strlen(title) +
						  table->cols[i].gap);
	}
	ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	ccfc_buf_putc(&out->buf, '\n');
}

void ccfc_table_style(struct ccfc_table *table, unsigned col, int style)
{
	/* 0 is a style, and a table of zeros has none. */
	table->styles[col] = style >= 0 ? style + 1 : style;
}

/* NULL: none. */
static const char *style_of_cell(const struct ccfc_table *table, unsigned col,
				 const struct ccfc_out *out,
				 struct ccfc_slice text)
{
	int style = table->styles[col];

	if (!out->color || !style)
		return NULL;
	if (style > 0)
		return ccfc_out_on(out, (enum ccfc_style)(style - 1));
	if (ccfc_slice_is(text, "failed"))
		return ccfc_out_on(out, CCFC_STYLE_OLD);
	if (ccfc_slice_is(text, "active"))
		return ccfc_out_on(out, CCFC_STYLE_GOOD);
	if (ccfc_slice_is(text, "waiting"))
		return ccfc_out_on(out, CCFC_STYLE_ALERT);
	return NULL;
}

/* The target of the cell's link; empty: none. */
static struct ccfc_slice link_of_cell(const struct ccfc_table *table,
				      uint32_t cell, const struct ccfc_out *out)
{
	size_t at = table->cells.items[cell].at + table->cells.items[cell].len;

	return ccfc_slice(table->text.ptr + at,
			  out->links ? table->cells.items[cell].link_len : 0);
}

static void print_cell(const struct ccfc_table *table, uint32_t cell,
		       struct ccfc_out *out)
{
	unsigned col = cell % table->ncols;
	size_t at = table->cells.items[cell].at, start;
	struct ccfc_slice s =
		ccfc_slice(table->text.ptr + at, table->cells.items[cell].len);
	size_t width = table->cells.items[cell].width;
	const char *on = style_of_cell(table, col, out, s);
	struct ccfc_slice link = link_of_cell(table, cell, out);

	if (!is_shown(table, col))
		return;
	ccfc_buf_puts(&out->buf, on ? on : "");
	ccfc_hyperlink_begin(&out->buf, link);
	start = out->buf.len;
	if (width > table->widths[col]) {
		if (table->cols[col].elastic == CCFC_TABLE_PROSE)
			ccfc_width_cut(&out->buf, s, table->widths[col]);
		else
			ccfc_width_elide(&out->buf, s, table->widths[col]);
		width = ccfc_width(
			ccfc_slice(out->buf.ptr + start, out->buf.len - start));
	} else {
		ccfc_buf_slice(&out->buf, s);
	}
	if (link.len)
		ccfc_hyperlink_end(&out->buf);
	ccfc_buf_puts(&out->buf, on ? ccfc_out_off(out) : "");
	if (!is_last(table, col))
		pad_to(&out->buf,
		       table->widths[col] - width + table->cols[col].gap);
	else
		ccfc_buf_putc(&out->buf, '\n');
}

static void print_note(const struct ccfc_table *table, uint32_t note,
		       struct ccfc_out *out)
{
	struct ccfc_slice s =
		ccfc_slice(table->text.ptr + table->notes.items[note].at,
			   table->notes.items[note].len);
	size_t room = out->width > 2 * INDENT ? out->width - 2 * INDENT : 0;

	pad_to(&out->buf, 2 * INDENT);
	ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_FAINT));
	ccfc_width_cut(&out->buf, s, room ? room : SIZE_MAX);
	ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	ccfc_buf_putc(&out->buf, '\n');
}

void ccfc_table_print(struct ccfc_table *table, struct ccfc_out *out)
{
	uint32_t note = 0;

	drop_columns(table, out->width);
	fit_columns(table, out->width);
	print_titles(table, out);
	for (uint32_t i = 0; i < table->cells.n; i++) {
		if (i % table->ncols == 0)
			pad_to(&out->buf, INDENT);
		print_cell(table, i, out);
		while (note < table->notes.n &&
		       table->notes.items[note].cell == i + 1)
			print_note(table, note++, out);
		ccfc_out_check(out);
	}
}
