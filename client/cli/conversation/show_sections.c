/*
 * The facts about a session: its head, tasks, tools and files, as text and as
 * Markdown. See show.h.
 */
#include "cli/conversation/show.h"

#include "base/path.h"
#include "cli/conversation/export.h"
#include "cli/conversation/message_stream.h"
#include "cli/out/columns.h"
#include "cli/out/human.h"
#include "cli/out/render.h"

#define LABEL_WIDTH 10

static void put_fact_line(void *data, const char *label, struct ccfc_slice text)
{
	struct ccfc_out *out = data;
	struct ccfc_buf path = CCFC_BUF_INIT;

	if (!strcmp(label, "Project")) {
		ccfc_human_path(&path, out, text);
		text = ccfc_buf_view(&path);
	}
	ccfc_render_line(out, label, LABEL_WIDTH, text);
	ccfc_buf_release(&path);
}

static void put_item(void *data, const char *label, struct ccfc_slice text)
{
	struct ccfc_out *out = data;

	ccfc_buf_printf(&out->buf, "- %s: ", label);
	ccfc_md_words(out, text);
	ccfc_buf_putc(&out->buf, '\n');
}

void ccfc_show_head(struct ccfc_out *out, struct ccfc_obj info)
{
	ccfc_export_facts(info, false, put_fact_line, out);
}

void ccfc_show_head_md(struct ccfc_out *out, struct ccfc_obj info)
{
	ccfc_buf_puts(&out->buf, "# ");
	ccfc_md_words(out, ccfc_export_title(info));
	ccfc_buf_puts(&out->buf, "\n\n");
	ccfc_export_facts(info, true, put_item, out);
}

static void put_title(struct ccfc_out *out, const char *title, int64_t n,
		      const char *noun)
{
	/* The first title needs no blank line above it. */
	ccfc_buf_printf(&out->buf, "%s%s%s (", out->buf.len ? "\n" : "",
			ccfc_out_on(out, CCFC_STYLE_HEAD), title);
	ccfc_render_count(&out->buf, n, noun);
	ccfc_buf_printf(&out->buf, "):%s\n", ccfc_out_off(out));
}

/* ---- tasks ---- */

static char task_mark_of(struct ccfc_slice status, char doing)
{
	if (ccfc_slice_is(status, "completed"))
		return 'x';
	return ccfc_slice_is(status, "in_progress") ? doing : ' ';
}

void ccfc_show_tasks(struct ccfc_out *out, struct ccfc_obj info)
{
	struct ccfc_obj tasks = ccfc_obj_get(info, "tasks");

	if (!ccfc_obj_len(tasks))
		return;
	put_title(out, "Tasks", ccfc_obj_len(tasks), "task");
	for (uint32_t i = 0; i < ccfc_obj_len(tasks); i++) {
		struct ccfc_obj task = ccfc_obj_at(tasks, i);

		ccfc_buf_printf(
			&out->buf, "  [%c] ",
			task_mark_of(ccfc_obj_get_str(task, "status"), '~'));
		ccfc_out_field(out, ccfc_obj_get_str(task, "content"));
		ccfc_buf_putc(&out->buf, '\n');
	}
}

void ccfc_show_tasks_md(struct ccfc_out *out, struct ccfc_obj info)
{
	struct ccfc_obj tasks = ccfc_obj_get(info, "tasks");

	if (!ccfc_obj_len(tasks))
		return;
	ccfc_buf_puts(&out->buf, "\n## Tasks\n\n");
	for (uint32_t i = 0; i < ccfc_obj_len(tasks); i++) {
		struct ccfc_obj task = ccfc_obj_at(tasks, i);
		struct ccfc_slice status = ccfc_obj_get_str(task, "status");

		ccfc_buf_printf(&out->buf, "- [%c] ",
				task_mark_of(status, ' '));
		ccfc_md_words(out, ccfc_obj_get_str(task, "content"));
		if (ccfc_slice_is(status, "in_progress"))
			ccfc_buf_puts(&out->buf, " (in progress)");
		ccfc_buf_putc(&out->buf, '\n');
	}
}

/* ---- tools ---- */

static void put_whose(struct ccfc_buf *text, const struct ccfc_cells *cells,
		      struct ccfc_obj tool)
{
	(void)tool;
	ccfc_buf_puts(text, cells->data);
}

static const struct ccfc_column tool_columns[] = {
	{ "TOOL", "name", .kind = CCFC_CELL_OPTIONAL, .min = 12,
	  .elastic = true },
	{ "CALLS", "count", .kind = CCFC_CELL_COUNT },
	{ "ERRORS", "errors", .kind = CCFC_CELL_COUNT },
	{ "BY", NULL, .kind = CCFC_CELL_OWN, .put = put_whose },
};

static void tool_rows(struct ccfc_columns *columns, struct ccfc_obj tools,
		      const char *whose)
{
	columns->cells.data = whose;
	for (uint32_t i = 0; i < ccfc_obj_len(tools); i++)
		ccfc_columns_row(columns, ccfc_obj_at(tools, i));
}

void ccfc_show_tools(struct ccfc_out *out, struct ccfc_obj info)
{
	struct ccfc_obj own = ccfc_obj_get(info, "tools");
	struct ccfc_obj agents = ccfc_obj_get(info, "agentTools");
	struct ccfc_cells cells = { .out = out };
	bool both = ccfc_obj_len(agents);
	struct ccfc_columns columns;

	if (!ccfc_obj_len(own) && !both)
		return;
	ccfc_buf_puts(&out->buf, out->buf.len ? "\n" : "");
	ccfc_columns_init(&columns, tool_columns, both ? 4 : 3, &cells);
	tool_rows(&columns, own, "session");
	tool_rows(&columns, agents, "agents");
	ccfc_table_print(&columns.table, out);
	ccfc_columns_release(&columns);
}

static void tool_rows_md(struct ccfc_out *out, struct ccfc_obj tools,
			 const char *whose)
{
	for (uint32_t i = 0; i < ccfc_obj_len(tools); i++) {
		struct ccfc_obj tool = ccfc_obj_at(tools, i);

		ccfc_buf_puts(&out->buf, "| ");
		ccfc_md_words(out, ccfc_obj_get_str(tool, "name"));
		ccfc_buf_printf(&out->buf, " | %lld | %lld | %s |\n",
				(long long)ccfc_obj_get_int(tool, "count", 0),
				(long long)ccfc_obj_get_int(tool, "errors", 0),
				whose);
	}
}

void ccfc_show_tools_md(struct ccfc_out *out, struct ccfc_obj info)
{
	struct ccfc_obj own = ccfc_obj_get(info, "tools");
	struct ccfc_obj agents = ccfc_obj_get(info, "agentTools");

	if (!ccfc_obj_len(own) && !ccfc_obj_len(agents))
		return;
	ccfc_buf_puts(&out->buf, "\n## Tools\n\n"
				 "| tool | calls | errors | by |\n"
				 "|---|---|---|---|\n");
	tool_rows_md(out, own, "session");
	tool_rows_md(out, agents, "agents");
}

/* ---- files ---- */

/* ", deleted", ", renamed": how the file ended. */
static void put_end(struct ccfc_buf *text, struct ccfc_obj file)
{
	struct ccfc_slice op = ccfc_obj_get_str(file, "operation");

	if (ccfc_slice_is(op, "deleted"))
		ccfc_buf_puts(text, ", deleted");
	else if (ccfc_slice_is(op, "renamed"))
		ccfc_buf_puts(text, ", renamed");
}

/* Rows of files with the count under `key`. */
static void file_rows(struct ccfc_out *out, struct ccfc_obj files,
		      const char *key, const char *noun,
		      struct ccfc_slice project)
{
	struct ccfc_buf count = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);

		ccfc_buf_puts(&out->buf, "  ");
		ccfc_out_field(
			out, ccfc_path_relative(ccfc_obj_get_str(file, "path"),
						project));
		ccfc_buf_clear(&count);
		ccfc_render_count(&count, ccfc_obj_get_int(file, key, 0), noun);
		if (ccfc_obj_get_bool(file, "modified", false))
			ccfc_buf_puts(&count, ", modified");
		put_end(&count, file);
		ccfc_buf_printf(&out->buf, "  %s%s%s\n",
				ccfc_out_on(out, CCFC_STYLE_FAINT), count.ptr,
				ccfc_out_off(out));
		ccfc_out_check(out);
	}
	ccfc_buf_release(&count);
}

/* Commands may have had unknown effects on more files. */
static void unknown_rows(struct ccfc_out *out, struct ccfc_obj modified)
{
	int64_t n = ccfc_obj_get_int(modified, "unknownCommands", 0);

	if (!n)
		return;
	put_title(out, "Effects on files not known", n, "command");
	ccfc_render_commands(out, ccfc_obj_get(modified, "commands"), n,
			     UINT32_MAX);
}

void ccfc_show_files(struct ccfc_out *out, struct ccfc_obj modified,
		     struct ccfc_obj reads, struct ccfc_slice project)
{
	struct ccfc_obj changed = ccfc_obj_get(modified, "files");
	struct ccfc_obj read = ccfc_obj_get(reads, "files");

	if (ccfc_obj_len(changed)) {
		put_title(out, "Modified", ccfc_obj_len(changed), "file");
		file_rows(out, changed, "changeCount", "change", project);
	}
	unknown_rows(out, modified);
	if (ccfc_obj_len(read)) {
		put_title(out, "Read",
			  ccfc_obj_get_int(reads, "totalFiles",
					   ccfc_obj_len(read)),
			  "file");
		file_rows(out, read, "readCount", "read", project);
	}
}

static void file_rows_md(struct ccfc_out *out, const char *title,
			 struct ccfc_obj files, const char *key,
			 const char *noun, struct ccfc_slice project)
{
	if (!ccfc_obj_len(files))
		return;
	ccfc_buf_printf(&out->buf, "\n## %s\n\n", title);
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);

		ccfc_buf_puts(&out->buf, "- ");
		ccfc_md_words(out,
			      ccfc_path_relative(ccfc_obj_get_str(file, "path"),
						 project));
		ccfc_buf_puts(&out->buf, " (");
		ccfc_render_count(&out->buf, ccfc_obj_get_int(file, key, 0),
				  noun);
		put_end(&out->buf, file);
		ccfc_buf_puts(&out->buf, ")\n");
		ccfc_out_check(out);
	}
}

void ccfc_show_files_md(struct ccfc_out *out, struct ccfc_obj modified,
			struct ccfc_obj reads, struct ccfc_slice project)
{
	file_rows_md(out, "Modified files", ccfc_obj_get(modified, "files"),
		     "changeCount", "change", project);
	file_rows_md(out, "Read files", ccfc_obj_get(reads, "files"),
		     "readCount", "read", project);
}
