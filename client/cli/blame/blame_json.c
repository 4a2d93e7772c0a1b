/*
 * `ccfc blame` as JSON: the reply as it came. With --git the lines get three
 * more fields, `commit`, `commitAuthor` and `commitTime`; all the rest is the
 * converted reply.
 */
#include "cli/blame/blame_line.h"

#include "base/time.h"
#include "cli/out/render.h"
#include "wire/to_json.h"

static void put_commit(struct ccfc_buf *out,
		       const struct ccfc_git_commit *commit)
{
	char text[CCFC_TIME_TEXT_MAX];

	if (!commit) {
		ccfc_buf_puts(out, "\"commit\":null,\"commitAuthor\":null,"
				   "\"commitTime\":null");
		return;
	}
	ccfc_buf_printf(out, "\"commit\":\"%s\",\"commitAuthor\":", commit->id);
	ccfc_json_string(out, commit->author);
	ccfc_buf_puts(out, ",\"commitTime\":");
	if (*ccfc_time_format(text, commit->time))
		ccfc_json_string(out, ccfc_slice_str(text));
	else
		ccfc_buf_puts(out, "null");
}

/* The line's map with its commit, in one line of JSON. */
static void put_line_json(struct ccfc_out *out,
			  const struct ccfc_blame_view *view,
			  struct ccfc_obj line)
{
	ccfc_json_write(&out->buf, line, 0);
	if (view->git && ccfc_obj_type(line) == CCFC_OBJ_MAP) {
		out->buf.len--; /* the closing brace */
		ccfc_buf_puts(&out->buf, ccfc_obj_len(line) ? "," : "");
		put_commit(&out->buf, ccfc_blame_commit(view, line));
		ccfc_buf_putc(&out->buf, '}');
	}
	ccfc_out_check(out);
}

static void put_lines_json(struct ccfc_out *out,
			   const struct ccfc_blame_view *view)
{
	ccfc_buf_puts(&out->buf, "[");
	for (uint32_t i = 0; i < ccfc_obj_len(view->lines); i++) {
		ccfc_buf_puts(&out->buf, i ? ",\n    " : "\n    ");
		put_line_json(out, view, ccfc_obj_at(view->lines, i));
	}
	ccfc_buf_puts(&out->buf, "\n  ]");
}

void ccfc_blame_json(struct ccfc_out *out, const struct ccfc_blame_view *view)
{
	if (!view->git) {
		ccfc_render_json(out, view->root, 2);
		return;
	}
	ccfc_buf_putc(&out->buf, '{');
	for (uint32_t i = 0; i < ccfc_obj_len(view->root); i++) {
		struct ccfc_slice key =
			ccfc_obj_str(ccfc_obj_key_at(view->root, i));

		ccfc_buf_puts(&out->buf, i ? ",\n  " : "\n  ");
		ccfc_json_string(&out->buf, key);
		ccfc_buf_puts(&out->buf, ": ");
		if (ccfc_slice_is(key, "lines"))
			put_lines_json(out, view);
		else
			ccfc_json_write(&out->buf,
					ccfc_obj_value_at(view->root, i), 0);
	}
	ccfc_buf_puts(&out->buf, "\n}\n");
}

void ccfc_blame_jsonl(struct ccfc_out *out, const struct ccfc_blame_view *view,
		      bool blocks)
{
	struct ccfc_obj rows = blocks ? view->blocks : view->lines;

	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		struct ccfc_obj row = ccfc_obj_at(rows, i);

		if (blocks)
			ccfc_json_write(&out->buf, row, 0);
		else
			put_line_json(out, view, row);
		ccfc_buf_putc(&out->buf, '\n');
		ccfc_out_check(out);
	}
}
