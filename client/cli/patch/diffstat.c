/* The table of `diff --stat`; see diffstat.h. */
#include "cli/patch/diffstat.h"

#include "base/alloc.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_WIDTH 80
#define FRAME	      6 /* " name | 12 ++": blanks and the bar between */
#define GRAPH_MIN     6
#define NAME_MIN      10

/* How the columns share the width. */
struct layout {
	size_t name, number, graph;
	uint64_t most; /* lines of one file */
};

void ccfc_diffstat_init(struct ccfc_diffstat *stat)
{
	*stat = (struct ccfc_diffstat){ 0 };
}

void ccfc_diffstat_release(struct ccfc_diffstat *stat)
{
	free(stat->rows.items);
}

/* Changes of one file usually follow each other: searches from the end. */
static struct ccfc_diffstat_row *find_or_add_row(struct ccfc_diffstat *stat,
						 struct ccfc_slice name)
{
	for (uint32_t i = stat->rows.n; i-- > 0;)
		if (ccfc_slice_eq(stat->rows.items[i].name, name))
			return &stat->rows.items[i];
	CCFC_VEC_PUSH(stat->rows, (struct ccfc_diffstat_row){ .name = name });
	return &stat->rows.items[stat->rows.n - 1];
}

/* A count of lines that can be added up; 0 for one that is not known. */
static int64_t clamp_lines(int64_t n)
{
	return n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : n;
}

void ccfc_diffstat_add(struct ccfc_diffstat *stat,
		       const struct ccfc_patch *patch)
{
	struct ccfc_diffstat_row *row = find_or_add_row(stat, patch->name);

	row->binary |= patch->binary;
	row->unknown |= !patch->shown && !patch->binary && patch->added < 0;
	row->added += clamp_lines(patch->added);
	row->removed += clamp_lines(patch->removed);
}

static uint64_t total_lines(const struct ccfc_diffstat_row *row)
{
	return (uint64_t)row->added + (uint64_t)row->removed;
}

static void write_number(char out[24], const struct ccfc_diffstat_row *row)
{
	if (row->binary)
		snprintf(out, 24, "Bin");
	else if (row->unknown && !total_lines(row))
		snprintf(out, 24, "?");
	else
		snprintf(out, 24, "%llu%s",
			 (unsigned long long)total_lines(row),
			 row->unknown ? "+?" : "");
}

static void measure_rows(struct layout *l, const struct ccfc_diffstat *stat)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	char number[24];

	*l = (struct layout){ 0 };
	for (uint32_t i = 0; i < stat->rows.n; i++) {
		const struct ccfc_diffstat_row *row = &stat->rows.items[i];
		size_t width;

		ccfc_buf_clear(&name);
		ccfc_safe_append(&name, row->name, false);
		width = ccfc_width(ccfc_buf_view(&name));
		l->name = width > l->name ? width : l->name;
		write_number(number, row);
		width = strlen(number);
		l->number = width > l->number ? width : l->number;
		if (total_lines(row) > l->most)
			l->most = total_lines(row);
	}
	ccfc_buf_release(&name);
}

/*
 * As git does it: the bars get up to three eighths of the width, and what the
 * names leave. Names are cut on a terminal only.
 */
static void fit_width(struct layout *l, const struct ccfc_out *out)
{
	size_t max = out->width ? out->width : DEFAULT_WIDTH;
	size_t frame = l->number + FRAME, share;

	l->graph = l->most < max ? (size_t)l->most : max;
	if (l->name + frame + l->graph <= max)
		return;
	share = max * 3 / 8 > frame + GRAPH_MIN ? max * 3 / 8 - frame
						: GRAPH_MIN;
	if (l->graph > share)
		l->graph = share;
	if (l->name + frame + l->graph <= max)
		l->graph = max - frame - l->name;
	else if (out->tty)
		l->name = max > frame + l->graph + NAME_MIN
				  ? max - frame - l->graph
				  : NAME_MIN;
}

/* Part of the bar for `n` lines: at least one sign for one line. */
static size_t scale_to_graph(uint64_t n, const struct layout *l)
{
	if (!n || l->most <= l->graph)
		return (size_t)n;
	return 1 + (size_t)(n * (l->graph - 1) / l->most);
}

static void put_signs(struct ccfc_out *out, char sign, size_t n)
{
	if (!n)
		return;
	ccfc_buf_puts(&out->buf,
		      ccfc_out_on(out, sign == '+' ? CCFC_STYLE_NEW
						   : CCFC_STYLE_OLD));
	memset(ccfc_buf_reserve(&out->buf, n), sign, n);
	out->buf.len += n;
	ccfc_buf_puts(&out->buf, ccfc_out_off(out));
}

static void print_bar(struct ccfc_out *out, const struct ccfc_diffstat_row *row,
		      const struct layout *l)
{
	size_t total = scale_to_graph(total_lines(row), l), add, del;

	if (row->binary || !total)
		return;
	if (total < 2 && row->added && row->removed)
		total = 2;
	/* The smaller part is scaled, the larger one gets the rest. */
	if (row->added < row->removed) {
		add = scale_to_graph((uint64_t)row->added, l);
		del = total - add;
	} else {
		del = scale_to_graph((uint64_t)row->removed, l);
		add = total - del;
	}
	ccfc_buf_putc(&out->buf, ' ');
	put_signs(out, '+', add);
	put_signs(out, '-', del);
}

static void print_row(struct ccfc_out *out, const struct ccfc_diffstat_row *row,
		      const struct layout *l)
{
	struct ccfc_buf name = CCFC_BUF_INIT, cut = CCFC_BUF_INIT;
	char number[24];
	size_t width;

	ccfc_safe_append(&name, row->name, false);
	ccfc_width_elide(&cut, ccfc_buf_view(&name), l->name);
	width = ccfc_width(ccfc_buf_view(&cut));
	write_number(number, row);
	ccfc_buf_putc(&out->buf, ' ');
	ccfc_buf_slice(&out->buf, ccfc_buf_view(&cut));
	ccfc_buf_printf(&out->buf, "%*s | %*s",
			(int)(l->name > width ? l->name - width : 0), "",
			(int)l->number, number);
	print_bar(out, row, l);
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
	ccfc_buf_release(&name);
	ccfc_buf_release(&cut);
}

static void print_total(struct ccfc_out *out, const struct ccfc_diffstat *stat)
{
	long long added = 0, removed = 0;

	for (uint32_t i = 0; i < stat->rows.n; i++) {
		added += stat->rows.items[i].added;
		removed += stat->rows.items[i].removed;
	}
	ccfc_buf_printf(&out->buf, " %u file%s changed", stat->rows.n,
			stat->rows.n == 1 ? "" : "s");
	if (added || !removed)
		ccfc_buf_printf(&out->buf, ", %lld insertion%s(+)", added,
				added == 1 ? "" : "s");
	if (removed || !added)
		ccfc_buf_printf(&out->buf, ", %lld deletion%s(-)", removed,
				removed == 1 ? "" : "s");
	ccfc_buf_putc(&out->buf, '\n');
}

void ccfc_diffstat_print(const struct ccfc_diffstat *stat, struct ccfc_out *out)
{
	struct layout l;

	measure_rows(&l, stat);
	fit_width(&l, out);
	for (uint32_t i = 0; i < stat->rows.n; i++)
		print_row(out, &stat->rows.items[i], &l);
	print_total(out, stat);
}
