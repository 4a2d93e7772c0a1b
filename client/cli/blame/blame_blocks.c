/*
 * `ccfc blame --blocks`: a row for each run of lines with the same owner. A
 * block has fewer fields than its lines, so its first line provides the rest.
 */
#include "cli/blame/blame_line.h"

#include "base/time.h"
#include "cli/out/render.h"
#include "cli/out/table.h"

#define COMMIT_LENGTH 8

static const char *const titles[CCFC_BLAME_COLS] = {
	[CCFC_BLAME_COL_PROMPT] = "PROMPT",
	[CCFC_BLAME_COL_SESSION] = "SESSION",
	[CCFC_BLAME_COL_MODEL] = "MODEL",
	[CCFC_BLAME_COL_AGENT] = "AGENT",
	[CCFC_BLAME_COL_VERSION] = "VERSION",
	[CCFC_BLAME_COL_TOOL] = "TOOL",
	[CCFC_BLAME_COL_COMMAND] = "COMMAND",
};

static struct ccfc_obj line_at(const struct ccfc_blame_view *view, int64_t line)
{
	int64_t first =
		ccfc_obj_get_int(ccfc_obj_at(view->lines, 0), "line", 1);

	if (line < first || line - first >= ccfc_obj_len(view->lines))
		return (struct ccfc_obj){ 0 };
	return ccfc_obj_at(view->lines, (uint32_t)(line - first));
}

/* The commit of all lines of a block, or "several" if they differ. */
static void commit_cell(struct ccfc_buf *out,
			const struct ccfc_blame_view *view, int64_t start,
			int64_t end)
{
	const struct ccfc_git_commit *first =
		ccfc_blame_commit(view, line_at(view, start));

	for (int64_t i = start + 1; i <= end; i++) {
		struct ccfc_obj line = line_at(view, i);

		if (!line.o)
			break;
		if (ccfc_blame_commit(view, line) != first) {
			ccfc_buf_puts(out, "several");
			return;
		}
	}
	if (first)
		ccfc_buf_append(out, first->id, COMMIT_LENGTH);
}

static void date_cell(struct ccfc_buf *out, const struct ccfc_blame_view *view,
		      struct ccfc_obj line)
{
	char text[CCFC_TIME_TEXT_MAX], sign;
	int64_t t = ccfc_blame_time(&sign, view, line);

	ccfc_time_format_local(text, t, CCFC_RENDER_MINUTE);
	ccfc_buf_printf(out, "%c%s", sign, *text ? text : "-");
}

static void put_block(struct ccfc_table *table,
		      const struct ccfc_blame_view *view, struct ccfc_obj block)
{
	int64_t start = ccfc_obj_get_int(block, "start", 0);
	int64_t end = ccfc_obj_get_int(block, "end", start);
	struct ccfc_obj line = line_at(view, start);
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (end > start)
		ccfc_table_printf(table, "%lld-%lld", (long long)start,
				  (long long)end);
	else
		ccfc_table_printf(table, "%lld", (long long)start);
	ccfc_blame_owner(&text, view, line);
	ccfc_table_cell(table, ccfc_buf_view(&text));
	if (view->git) {
		ccfc_buf_clear(&text);
		commit_cell(&text, view, start, end);
		ccfc_table_cell(table, ccfc_buf_view(&text));
	}
	ccfc_buf_clear(&text);
	date_cell(&text, view, line);
	ccfc_table_cell(table, ccfc_buf_view(&text));
	for (unsigned c = 0; c < view->ncols; c++) {
		ccfc_buf_clear(&text);
		ccfc_blame_cell(&text, view, line, c);
		ccfc_table_cell(table, ccfc_buf_view(&text));
	}
	ccfc_buf_release(&text);
}

void ccfc_blame_blocks(struct ccfc_out *out, const struct ccfc_blame_view *view)
{
	struct ccfc_table_col cols[CCFC_TABLE_COLS] = {
		{ "LINES", 0, 2, false },
		{ "OWNER", 0, 2, false },
	};
	struct ccfc_table table;
	unsigned n = 2;

	if (view->git)
		cols[n++] = (struct ccfc_table_col){ "COMMIT", 0, 1, false };
	cols[n++] = (struct ccfc_table_col){ " DATE", 0, 2, false };
	for (unsigned c = 0; c < view->ncols; c++) {
		struct ccfc_table_col col = { titles[view->cols[c]], 0, 2,
					      true };

		if (view->cols[c] == CCFC_BLAME_COL_SESSION)
			col.elastic = false;
		else if (view->cols[c] == CCFC_BLAME_COL_PROMPT ||
			 view->cols[c] == CCFC_BLAME_COL_COMMAND)
			col.elastic = CCFC_TABLE_PROSE;
		cols[n++] = col;
	}
	ccfc_table_init(&table, cols, n);
	for (uint32_t i = 0; i < ccfc_obj_len(view->blocks); i++)
		put_block(&table, view, ccfc_obj_at(view->blocks, i));
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
}
