/*
 * Rows of a timeline; see log.h. What happened to one file is in order
 * already and has steps that were no changes; what a session did, and what
 * was done to the files of a glob, comes file by file and is put in order here.
 */
#include "cli/report/log.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/blame/blame_line.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "cli/out/table.h"
#include "wire/to_json.h"

#include <stdlib.h>

/* On a terminal. */
#define SESSION_LENGTH 8
#define CHANGE_LENGTH  14
#define WIDE	       100 /* columns from which all is shown */
#define NARROW	       72  /* and below which only the most important */

void ccfc_log_release(struct ccfc_log_rows *rows)
{
	free(rows->items);
}

static void take_array(struct ccfc_log_rows *rows, struct ccfc_slice path,
		       struct ccfc_obj array)
{
	for (uint32_t i = 0; i < ccfc_obj_len(array); i++) {
		struct ccfc_obj o = ccfc_obj_at(array, i);
		struct ccfc_log_row row = { .path = path, .o = o };

		row.time = ccfc_time_parse(ccfc_obj_get_str(o, "timestamp"));
		if (row.time == CCFC_TIME_NONE)
			row.time = ccfc_time_parse(ccfc_obj_get_str(o, "from"));
		CCFC_VEC_PUSH(*rows, row);
	}
}

static void take_file(struct ccfc_log_rows *rows, struct ccfc_obj file)
{
	struct ccfc_obj sessions = ccfc_obj_get(file, "sessions");
	struct ccfc_slice path = ccfc_obj_get_str(file, "path");

	take_array(rows, path, ccfc_obj_get(file, "changes"));
	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++)
		take_array(rows, path,
			   ccfc_obj_get(ccfc_obj_at(sessions, i), "changes"));
}

void ccfc_log_take(struct ccfc_log_rows *rows, struct ccfc_obj root)
{
	struct ccfc_obj steps = ccfc_obj_get(root, "steps");
	struct ccfc_obj files = ccfc_obj_get(root, "files");

	if (ccfc_obj_type(steps) == CCFC_OBJ_ARRAY) {
		rows->one_file = true;
		take_array(rows, ccfc_obj_get_str(root, "path"), steps);
		return;
	}
	if (ccfc_obj_type(root) == CCFC_OBJ_ARRAY)
		files = root;
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++)
		take_file(rows, ccfc_obj_at(files, i));
}

/* By time, then by place and id, so that the order is always the same. */
static int compare_log_rows(const void *a, const void *b)
{
	const struct ccfc_log_row *x = a, *y = b;
	int r;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	r = ccfc_slice_cmp(x->path, y->path);
	return r ? r
		 : ccfc_slice_cmp(ccfc_obj_get_str(x->o, "changeId"),
				  ccfc_obj_get_str(y->o, "changeId"));
}

bool ccfc_log_order(struct ccfc_log_rows *rows, int64_t limit)
{
	if (!rows->one_file && rows->n)
		qsort(rows->items, rows->n, sizeof(*rows->items),
		      compare_log_rows);
	if (rows->n <= limit)
		return false;
	rows->n = (uint32_t)limit;
	return true;
}

static bool is_change(struct ccfc_obj o)
{
	struct ccfc_slice kind = ccfc_obj_get_str(o, "kind");

	return !kind.len || ccfc_slice_is(kind, "change");
}

static struct ccfc_slice or_dash(struct ccfc_slice s)
{
	return s.len ? s : CCFC_SLICE_LIT("-");
}

static void put_time(struct ccfc_table *table, const struct ccfc_log_row *row,
		     bool narrow)
{
	char text[CCFC_TIME_TEXT_MAX];

	ccfc_time_format_local(text, row->time,
			       narrow ? CCFC_RENDER_MINUTE
				      : CCFC_RENDER_SECOND);
	/* Somewhen after that. */
	ccfc_table_printf(table, "%c%s", is_change(row->o) ? ' ' : '>',
			  *text ? text : "-");
}

static void put_who(struct ccfc_table *table, const struct ccfc_out *out,
		    struct ccfc_obj o)
{
	struct ccfc_slice id = ccfc_obj_get_str(o, "sessionId");

	if (!is_change(o))
		id = ccfc_obj_get_str(o, "kind");
	else if (out->tty && id.len > SESSION_LENGTH)
		id.len = SESSION_LENGTH;
	ccfc_table_cell(table, or_dash(id));
}

static void put_change(struct ccfc_table *table, const struct ccfc_out *out,
		       struct ccfc_obj o)
{
	struct ccfc_slice id = ccfc_obj_get_str(o, "changeId");

	if (out->tty && id.len > CHANGE_LENGTH)
		id.len = CHANGE_LENGTH;
	ccfc_table_cell(table, or_dash(id));
}

static void put_lines(struct ccfc_table *table, struct ccfc_obj o)
{
	int64_t added = ccfc_obj_get_int(o, "linesAdded", -1);
	int64_t removed = ccfc_obj_get_int(o, "linesRemoved", -1);

	if (added < 0 || removed < 0)
		ccfc_table_cell(table, CCFC_SLICE_LIT("?"));
	else
		ccfc_table_printf(table, "+%lld -%lld", (long long)added,
				  (long long)removed);
}

static bool any_prompt(const struct ccfc_log_rows *rows)
{
	for (uint32_t i = 0; i < rows->n; i++)
		if (ccfc_obj_get_str(rows->items[i].o, "prompt").len)
			return true;
	return false;
}

enum col { TIME, SESSION, CHANGE, MODEL, TOOL, LINES, PATH, PROMPT };

/* Those that there is room and a reason for; returns their number. */
static unsigned choose(enum col chosen[CCFC_TABLE_COLS],
		       const struct ccfc_out *out,
		       const struct ccfc_log_rows *rows)
{
	bool narrow = out->width && out->width < NARROW;
	bool wide = !out->width || out->width >= WIDE;
	const bool wanted[] = {
		[TIME] = true,
		[SESSION] = true,
		[CHANGE] = wide,
		[MODEL] = !narrow,
		[TOOL] = !narrow,
		[LINES] = !narrow,
		[PATH] = !rows->one_file,
		[PROMPT] = any_prompt(rows),
	};
	unsigned n = 0;

	for (enum col i = TIME; i <= PROMPT; i++)
		if (wanted[i])
			chosen[n++] = i;
	return n;
}

static void put_cell(struct ccfc_table *table, enum col col,
		     const struct ccfc_log_row *row, const struct ccfc_out *out,
		     const struct ccfc_cwd *where)
{
	struct ccfc_obj o = row->o;

	switch (col) {
	case TIME:
		put_time(table, row, out->width && out->width < NARROW);
		return;
	case SESSION:
		put_who(table, out, o);
		return;
	case CHANGE:
		put_change(table, out, o);
		return;
	case MODEL:
		ccfc_table_cell(table, or_dash(ccfc_human_model(
					       ccfc_obj_get_str(o, "model"))));
		return;
	case TOOL:
		ccfc_table_cell(table, or_dash(ccfc_obj_get_str(o, "tool")));
		return;
	case LINES:
		put_lines(table, o);
		return;
	case PATH:
		ccfc_table_cell(table, ccfc_cwd_short(where, row->path));
		return;
	case PROMPT:
		ccfc_table_cell(table, ccfc_obj_get_str(o, "prompt"));
		return;
	}
}

void ccfc_log_table(struct ccfc_out *out, const struct ccfc_log_rows *rows,
		    const struct ccfc_cwd *where)
{
	static const struct ccfc_table_col every[] = {
		[TIME] = { " TIME", 0, 2, false },
		[SESSION] = { "SESSION", 0, 2, false },
		[CHANGE] = { "CHANGE", 0, 2, false },
		[MODEL] = { "MODEL", 0, 2, true },
		[TOOL] = { "TOOL", 0, 2, true },
		[LINES] = { "LINES", 0, 2, false },
		[PATH] = { "PATH", 0, 2, true },
		[PROMPT] = { "PROMPT", 0, 2, CCFC_TABLE_PROSE },
	};
	struct ccfc_table_col cols[CCFC_TABLE_COLS];
	enum col chosen[CCFC_TABLE_COLS];
	unsigned n = choose(chosen, out, rows);
	struct ccfc_table table;

	for (unsigned i = 0; i < n; i++) {
		cols[i] = every[chosen[i]];
		if (out->width && out->width < NARROW)
			cols[i].gap = 1;
	}
	ccfc_table_init(&table, cols, n);
	for (uint32_t r = 0; r < rows->n; r++)
		for (unsigned i = 0; i < n; i++)
			put_cell(&table, chosen[i], &rows->items[r], out,
				 where);
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
}

static void put_json(struct ccfc_out *out, const struct ccfc_log_row *row)
{
	size_t at;

	ccfc_buf_puts(&out->buf, "{\"path\":");
	ccfc_json_string(&out->buf, row->path);
	/* The change's own map goes on behind its opening brace. */
	ccfc_buf_puts(&out->buf, ccfc_obj_len(row->o) ? "," : "");
	at = out->buf.len;
	ccfc_json_write(&out->buf, row->o, 0);
	memmove(out->buf.ptr + at, out->buf.ptr + at + 1,
		out->buf.len - at - 1);
	out->buf.len--;
}

void ccfc_log_json(struct ccfc_out *out, const struct ccfc_log_rows *rows,
		   bool array)
{
	if (array)
		ccfc_buf_putc(&out->buf, '[');
	for (uint32_t i = 0; i < rows->n; i++) {
		if (array)
			ccfc_buf_puts(&out->buf, i ? ",\n  " : "\n  ");
		put_json(out, &rows->items[i]);
		if (!array)
			ccfc_buf_putc(&out->buf, '\n');
		ccfc_out_check(out);
	}
	if (array)
		ccfc_buf_puts(&out->buf, rows->n ? "\n]\n" : "]\n");
}
