/*
 * Rows of a timeline; see log_print.h. The history of one file is already in
 * order and has steps that are not changes; the changes of a session or a glob
 * arrive file by file and are sorted here.
 */
#include "cli/report/log_print.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/out/columns.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "wire/to_json.h"

#include <stdlib.h>

/* On a terminal. */
#define SESSION_LENGTH 8
#define CHANGE_LENGTH  8
#define NARROW	       72 /* columns below which gaps are small */

void ccfc_log_release(struct ccfc_log_rows *rows)
{
	free(rows->items);
}

static void add_changes_of_array(struct ccfc_log_rows *rows,
				 struct ccfc_slice path, struct ccfc_obj array)
{
	for (uint32_t i = 0; i < ccfc_obj_len(array); i++) {
		struct ccfc_obj o = ccfc_obj_at(array, i);
		struct ccfc_log_row row = { .path = path, .o = o };

		row.time = ccfc_time_parse(ccfc_obj_get_str(o, "timestamp"));
		if (row.time == CCFC_TIME_NONE)
			row.time =
				ccfc_time_parse(ccfc_obj_get_str(o, "seenAt"));
		if (row.time == CCFC_TIME_NONE)
			row.time = ccfc_time_parse(ccfc_obj_get_str(o, "from"));
		CCFC_VEC_PUSH(*rows, row);
	}
}

static void add_changes_of_file(struct ccfc_log_rows *rows,
				struct ccfc_obj file)
{
	struct ccfc_obj sessions = ccfc_obj_get(file, "sessions");
	struct ccfc_slice path = ccfc_obj_get_str(file, "path");

	add_changes_of_array(rows, path, ccfc_obj_get(file, "changes"));
	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++)
		add_changes_of_array(
			rows, path,
			ccfc_obj_get(ccfc_obj_at(sessions, i), "changes"));
}

void ccfc_log_take(struct ccfc_log_rows *rows, struct ccfc_obj root)
{
	struct ccfc_obj steps = ccfc_obj_get(root, "steps");
	struct ccfc_obj files = ccfc_obj_get(root, "files");

	if (ccfc_obj_type(steps) == CCFC_OBJ_ARRAY) {
		rows->one_file = rows->ordered = true;
		add_changes_of_array(rows, ccfc_obj_get_str(root, "path"),
				     steps);
		return;
	}
	if (ccfc_obj_len(ccfc_obj_get(root, "sessions"))) {
		rows->one_file = true;
		add_changes_of_file(rows, root);
	}
	if (ccfc_obj_type(root) == CCFC_OBJ_ARRAY)
		files = root;
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++)
		add_changes_of_file(rows, ccfc_obj_at(files, i));
}

/* By time, then by place and id, so that the order is always the same. */
static int compare_rows(const void *a, const void *b)
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

void ccfc_log_keep(struct ccfc_log_rows *rows, int64_t from, int64_t to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rows->n; i++)
		if (rows->items[i].time >= from && rows->items[i].time <= to)
			rows->items[n++] = rows->items[i];
	rows->n = n;
}

bool ccfc_log_order(struct ccfc_log_rows *rows, int64_t offset, int64_t limit)
{
	uint32_t skip = offset < rows->n ? (uint32_t)offset : rows->n;

	if (!rows->ordered && rows->n)
		qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
	rows->n -= skip;
	if (skip && rows->n)
		memmove(rows->items, rows->items + skip,
			rows->n * sizeof(*rows->items));
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

/* A state that a backup shows, of a file that no session changed. */
static bool is_backup(struct ccfc_obj o)
{
	return ccfc_slice_is(ccfc_obj_get_str(o, "kind"), "backup");
}

/* Is it known when it was, and not only after what? */
static bool is_timed(struct ccfc_obj o)
{
	return is_change(o) || is_backup(o) ||
	       ccfc_obj_get_str(o, "seenAt").len;
}

bool ccfc_log_is_change(const struct ccfc_log_row *row)
{
	return is_change(row->o);
}

static struct ccfc_slice id_of(struct ccfc_obj o)
{
	return ccfc_obj_get_str(o, is_change(o) ? "changeId" : "returnedTo");
}

void ccfc_log_short_ids(struct ccfc_change_ids *ids,
			const struct ccfc_log_rows *rows)
{
	struct ccfc_slice *list =
		ccfc_calloc(rows->n + (size_t)1, sizeof(*list));

	for (uint32_t i = 0; i < rows->n; i++)
		list[i] = id_of(rows->items[i].o);
	ccfc_change_ids_init(ids, list, rows->n, CHANGE_LENGTH);
	free(list);
}

void ccfc_log_put_id(struct ccfc_buf *text, const struct ccfc_change_ids *ids,
		     struct ccfc_obj o)
{
	bool inferred =
		ccfc_slice_is(ccfc_obj_get_str(o, "evidence"), "inferred");

	ccfc_change_ids_put(text, ids, id_of(o), inferred);
}

/* Data for the cells of a log besides the row. */
struct log_cells {
	const struct ccfc_cwd *where;
	const struct ccfc_log_row *row; /* the current row */
	struct ccfc_change_ids ids;
};

static void put_log_time(struct ccfc_buf *text, const struct ccfc_cells *cells,
			 struct ccfc_obj o)
{
	const struct log_cells *log = cells->data;
	char time[CCFC_TIME_TEXT_MAX];

	/* An unseen step happened some time after that. */
	ccfc_buf_putc(text, is_timed(o) ? ' ' : '>');
	if (cells->out->tty) {
		ccfc_human_moment(text, cells->out, log->row->time, cells->now);
		return;
	}
	ccfc_time_format_local(time, log->row->time, CCFC_RENDER_SECOND);
	ccfc_buf_puts(text, *time ? time : "-");
}

static void put_log_who(struct ccfc_buf *text, const struct ccfc_cells *cells,
			struct ccfc_obj o)
{
	struct ccfc_slice id = ccfc_obj_get_str(o, "sessionId");

	if (!is_change(o))
		id = ccfc_obj_get_str(o, "kind");
	else if (cells->out->tty)
		id = ccfc_slice_cut(id, SESSION_LENGTH);
	ccfc_buf_slice(text, id.len ? id : CCFC_SLICE_LIT("-"));
}

static void put_log_change(struct ccfc_buf *text,
			   const struct ccfc_cells *cells, struct ccfc_obj o)
{
	const struct log_cells *log = cells->data;
	struct ccfc_slice id = id_of(o);

	if (id.len && cells->out->tty)
		ccfc_log_put_id(text, &log->ids, o);
	else
		ccfc_buf_slice(text, id.len ? id : CCFC_SLICE_LIT("-"));
}

static bool had_no_effect(struct ccfc_obj o)
{
	struct ccfc_slice state = ccfc_obj_get_str(o, "state");

	return state.len && !ccfc_slice_is(state, "applied");
}

static void put_log_lines(struct ccfc_buf *text, const struct ccfc_cells *cells,
			  struct ccfc_obj o)
{
	int64_t added = ccfc_obj_get_int(o, "linesAdded", -1);
	int64_t removed = ccfc_obj_get_int(o, "linesRemoved", -1);

	(void)cells;
	if (had_no_effect(o))
		ccfc_buf_putc(text, '-');
	else if (added < 0 || removed < 0)
		ccfc_buf_putc(text, '?');
	else
		ccfc_buf_printf(text, "+%lld -%lld", (long long)added,
				(long long)removed);
}

static void put_log_path(struct ccfc_buf *text, const struct ccfc_cells *cells,
			 struct ccfc_obj o)
{
	const struct log_cells *log = cells->data;
	struct ccfc_slice name = ccfc_cwd_short(log->where, log->row->path);

	(void)o;
	ccfc_human_path(text, cells->out, name);
}

static struct ccfc_slice link_log_path(const struct ccfc_cells *cells,
				       struct ccfc_obj o)
{
	const struct log_cells *log = cells->data;

	(void)o;
	return log->row->path;
}

/* "returned to …", "overwritten by …"; nothing for other steps. */
static void put_return(struct ccfc_buf *out, struct ccfc_obj o)
{
	struct ccfc_slice to = ccfc_obj_get_str(o, "returnedTo");
	struct ccfc_slice by = ccfc_obj_get_str(o, "overwrittenBySession");
	struct ccfc_slice hook = ccfc_obj_get_str(o, "hookOf");

	if (hook.len) {
		ccfc_buf_puts(out, "a hook after ");
		ccfc_buf_slice(out, hook);
	}
	if (!to.len)
		return;
	if (by.len > SESSION_LENGTH)
		by.len = SESSION_LENGTH;
	if (by.len) {
		ccfc_buf_puts(out, "overwritten by ");
		ccfc_buf_slice(out, by);
		ccfc_buf_puts(out, ", which had read the state ");
	} else {
		ccfc_buf_puts(out, "returned to ");
	}
	if (ccfc_slice_is(ccfc_obj_get_str(o, "returnedSide"), "before"))
		ccfc_buf_puts(out, "before ");
	else if (by.len)
		ccfc_buf_puts(out, "of ");
	ccfc_buf_slice(out, to);
}

/* "a backup of session 3f2a91c4". */
static void put_backup(struct ccfc_buf *out, struct ccfc_obj o)
{
	if (!is_backup(o))
		return;
	ccfc_buf_puts(out, "a backup of session ");
	ccfc_buf_slice(out, ccfc_slice_cut(ccfc_obj_get_str(o, "sessionId"),
					   SESSION_LENGTH));
}

/* "$ make" in place of the prompt: what ran when the file changed. */
static void put_command(struct ccfc_buf *out, struct ccfc_obj o)
{
	struct ccfc_slice command = ccfc_obj_get_str(o, "command");

	if (!command.len)
		return;
	ccfc_buf_puts(out, "$ ");
	ccfc_buf_slice(out, command);
}

/* "Bash, parsed, deleted"; names of other tools say enough. */
static void put_tool(struct ccfc_buf *text, struct ccfc_obj o)
{
	struct ccfc_slice evidence = ccfc_obj_get_str(o, "evidence");
	struct ccfc_slice op = ccfc_obj_get_str(o, "operation");

	ccfc_buf_slice(text, is_change(o) ? ccfc_render_tool(o)
					  : CCFC_SLICE_LIT("-"));
	if (!evidence.len || ccfc_slice_is(evidence, "result"))
		return;
	ccfc_buf_puts(text, ", ");
	ccfc_buf_slice(text, evidence);
	if (!ccfc_slice_is(op, "deleted") && !ccfc_slice_is(op, "renamed"))
		return;
	/* The command beside it has the other name. */
	ccfc_buf_puts(text, ", ");
	ccfc_buf_slice(text, op);
}

/* "Edit, conflict: stale" */
static void put_log_tool(struct ccfc_buf *text, const struct ccfc_cells *cells,
			 struct ccfc_obj o)
{
	struct ccfc_slice conflict = ccfc_obj_get_str(o, "conflict");

	(void)cells;
	put_tool(text, o);
	if (!conflict.len)
		return;
	ccfc_buf_puts(text, ", conflict: ");
	ccfc_buf_slice(text, conflict);
}

static bool any_prompt(const struct ccfc_log_rows *rows)
{
	for (uint32_t i = 0; i < rows->n; i++)
		if (ccfc_obj_get_str(rows->items[i].o, "prompt").len ||
		    ccfc_obj_get_str(rows->items[i].o, "returnedTo").len ||
		    ccfc_obj_get_str(rows->items[i].o, "command").len ||
		    is_backup(rows->items[i].o) ||
		    ccfc_obj_get_str(rows->items[i].o, "hookOf").len)
			return true;
	return false;
}

/* `text` is empty. */
void ccfc_log_put_why(struct ccfc_buf *text, struct ccfc_obj o)
{
	put_return(text, o);
	put_backup(text, o);
	if (text->len && ccfc_obj_get_str(o, "command").len)
		ccfc_buf_puts(text, ": ");
	put_command(text, o);
	if (!text->len)
		ccfc_buf_slice(text, ccfc_obj_get_str(o, "prompt"));
}

static void put_log_prompt(struct ccfc_buf *text,
			   const struct ccfc_cells *cells, struct ccfc_obj o)
{
	(void)cells;
	ccfc_log_put_why(text, o);
}

static bool any_without_effect(const struct ccfc_log_rows *rows)
{
	for (uint32_t i = 0; i < rows->n; i++)
		if (had_no_effect(rows->items[i].o))
			return true;
	return false;
}

enum col {
	TIME,
	SESSION,
	CHANGE,
	STATE,
	MODEL,
	TOOL,
	LINES,
	PATH,
	PROMPT,
	NCOLS
};

static const struct ccfc_column every[NCOLS] = {
	[TIME] = { " TIME", NULL, .kind = CCFC_CELL_SECOND,
		   .put = put_log_time },
	[SESSION] = { "SESSION", NULL, .kind = CCFC_CELL_ID,
		      .put = put_log_who },
	[CHANGE] = { "CHANGE", NULL, .kind = CCFC_CELL_ID,
		     .put = put_log_change },
	[STATE] = { "STATE", "state", .kind = CCFC_CELL_STATUS },
	[MODEL] = { "MODEL", "model", .kind = CCFC_CELL_MODEL, .elastic = true,
		    .least = 10, .drop = 1 },
	[TOOL] = { "TOOL", NULL, .kind = CCFC_CELL_OWN, .put = put_log_tool,
		   .elastic = true, .least = 6, .drop = 2 },
	[LINES] = { "LINES", NULL, .kind = CCFC_CELL_OWN, .put = put_log_lines,
		    .drop = 4 },
	[PATH] = { "PATH", NULL, .kind = CCFC_CELL_OWN, .put = put_log_path,
		   .link = link_log_path, .elastic = true, .least = 16 },
	[PROMPT] = { "PROMPT", NULL, .kind = CCFC_CELL_OWN,
		     .put = put_log_prompt, .elastic = CCFC_TABLE_PROSE,
		     .least = 14, .drop = 3 },
};

/* Chooses the columns that are needed; returns their number. */
static unsigned choose_log_columns(struct ccfc_column chosen[NCOLS],
				   const struct ccfc_out *out,
				   const struct ccfc_log_rows *rows)
{
	bool narrow = out->width && out->width < NARROW;
	unsigned n = 0;

	for (enum col i = TIME; i < NCOLS; i++) {
		if ((i == PATH && rows->one_file) ||
		    (i == PROMPT && !any_prompt(rows)) ||
		    (i == STATE && !any_without_effect(rows)))
			continue;
		chosen[n] = every[i];
		chosen[n++].gap = narrow;
	}
	return n;
}

void ccfc_log_table(struct ccfc_out *out, const struct ccfc_log_rows *rows,
		    const struct ccfc_cwd *where)
{
	struct log_cells log = { .where = where };
	struct ccfc_cells cells = { .out = out,
				    .data = &log,
				    .now = ccfc_time_now() };
	struct ccfc_column chosen[NCOLS];
	struct ccfc_columns columns;

	ccfc_log_short_ids(&log.ids, rows);
	ccfc_columns_init(&columns, chosen,
			  choose_log_columns(chosen, out, rows), &cells);
	for (uint32_t i = 0; i < rows->n; i++) {
		log.row = &rows->items[i];
		ccfc_columns_row(&columns, log.row->o);
	}
	ccfc_table_print(&columns.table, out);
	ccfc_columns_release(&columns);
}

static void put_json(struct ccfc_out *out, const struct ccfc_log_row *row)
{
	size_t at;

	ccfc_buf_puts(&out->buf, "{\"path\":");
	ccfc_json_string(&out->buf, row->path);
	/* The change's map continues after its opening brace. */
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
