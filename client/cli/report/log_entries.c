/*
 * `ccfc log --oneline`, `--stat` and `-p`; see log_print.h. A patch is a
 * question of its own for each change: their number is bounded by --limit.
 */
#include "cli/report/log_print.h"

#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"
#include "cli/patch/diffstat.h"

#define SESSION_LENGTH 8

struct entries {
	struct ccfc_cli *cli;
	const struct ccfc_cwd *where;
	struct ccfc_change_ids ids;
	size_t id_width; /* of the longest */
	int64_t now;
	bool one_file;
};

static void put_lines(struct ccfc_buf *text, struct ccfc_obj o)
{
	int64_t added = ccfc_obj_get_int(o, "linesAdded", -1);
	int64_t removed = ccfc_obj_get_int(o, "linesRemoved", -1);

	if (added >= 0 && removed >= 0)
		ccfc_buf_printf(text, "+%lld -%lld  ", (long long)added,
				(long long)removed);
}

static bool took_effect(const struct ccfc_log_row *row)
{
	struct ccfc_slice state = ccfc_obj_get_str(row->o, "state");

	return !state.len || ccfc_slice_is(state, "applied");
}

/* The facts after the id: "2 h ago 3f2a91c4 +3 -1 src/a.ts prompt". */
static void put_facts(struct ccfc_buf *text, const struct entries *e,
		      const struct ccfc_log_row *row)
{
	struct ccfc_buf why = CCFC_BUF_INIT;
	struct ccfc_slice session = ccfc_obj_get_str(row->o, "sessionId");
	struct ccfc_slice state = ccfc_obj_get_str(row->o, "state");

	ccfc_human_moment(text, &e->cli->out, row->time, e->now);
	ccfc_buf_puts(text, "  ");
	if (!ccfc_log_is_change(row))
		session = ccfc_obj_get_str(row->o, "kind");
	else if (e->cli->out.tty)
		session = ccfc_slice_cut(session, SESSION_LENGTH);
	ccfc_buf_slice(text, session);
	ccfc_buf_puts(text, "  ");
	if (!took_effect(row)) {
		ccfc_buf_slice(text, state);
		ccfc_buf_puts(text, "  ");
	} else {
		put_lines(text, row->o);
	}
	if (!e->one_file) {
		ccfc_human_path(text, &e->cli->out,
				ccfc_cwd_short(e->where, row->path));
		ccfc_buf_puts(text, "  ");
	}
	ccfc_log_put_why(&why, row->o);
	if (why.len)
		ccfc_buf_slice(text, ccfc_human_title(ccfc_buf_view(&why)));
	ccfc_buf_release(&why);
}

static void put_id(struct ccfc_buf *text, const struct entries *e,
		   const struct ccfc_log_row *row)
{
	if (!ccfc_log_is_change(row))
		ccfc_buf_putc(text, '-');
	else if (e->cli->out.tty)
		ccfc_log_put_id(text, &e->ids, row->o);
	else
		ccfc_buf_slice(text, ccfc_obj_get_str(row->o, "changeId"));
}

/* On a terminal the facts are aligned. */
static void measure_ids(struct entries *e, const struct ccfc_log_rows *rows)
{
	struct ccfc_buf id = CCFC_BUF_INIT;

	ccfc_log_short_ids(&e->ids, rows);
	for (uint32_t i = 0; e->cli->out.tty && i < rows->n; i++) {
		ccfc_buf_clear(&id);
		put_id(&id, e, &rows->items[i]);
		if (id.len > e->id_width)
			e->id_width = id.len;
	}
	ccfc_buf_release(&id);
}

static void print_oneline(const struct entries *e,
			  const struct ccfc_log_row *row)
{
	struct ccfc_buf text = CCFC_BUF_INIT, safe = CCFC_BUF_INIT;
	struct ccfc_out *out = &e->cli->out;
	struct ccfc_buf id = CCFC_BUF_INIT;

	put_id(&id, e, row);
	ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_ID));
	ccfc_out_field(out, ccfc_buf_view(&id));
	ccfc_buf_printf(&out->buf, "%s%*s  ", ccfc_out_off(out),
			id.len < e->id_width ? (int)(e->id_width - id.len) : 0,
			"");
	put_facts(&text, e, row);
	ccfc_safe_append(&safe, ccfc_buf_view(&text), false);
	if (out->width)
		ccfc_width_cut(&out->buf, ccfc_buf_view(&safe),
			       out->width > e->id_width + 22
				       ? out->width - e->id_width - 2
				       : 20);
	else
		ccfc_buf_slice(&out->buf, ccfc_buf_view(&safe));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_buf_release(&id);
	ccfc_buf_release(&text);
	ccfc_buf_release(&safe);
}

/* " src/a.ts | 4 +++-" */
static void print_stat(const struct entries *e, const struct ccfc_log_row *row)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	struct ccfc_patch patch = {
		.shown = true,
		.added = ccfc_obj_get_int(row->o, "linesAdded", -1),
		.removed = ccfc_obj_get_int(row->o, "linesRemoved", -1),
	};
	struct ccfc_diffstat stat;

	ccfc_human_path(&name, &e->cli->out,
			ccfc_cwd_short(e->where, row->path));
	patch.name = ccfc_buf_view(&name);
	ccfc_diffstat_init(&stat);
	ccfc_diffstat_add(&stat, &patch);
	ccfc_diffstat_print(&stat, &e->cli->out);
	ccfc_diffstat_release(&stat);
	ccfc_buf_release(&name);
	ccfc_buf_putc(&e->cli->out.buf, '\n');
}

static void print_head(const struct entries *e, const struct ccfc_log_row *row)
{
	struct ccfc_out *out = &e->cli->out;
	struct ccfc_buf text = CCFC_BUF_INIT;
	char time[CCFC_TIME_TEXT_MAX];

	ccfc_buf_printf(&out->buf, "%schange ",
			ccfc_out_on(out, CCFC_STYLE_ID));
	ccfc_out_field(out, ccfc_obj_get_str(row->o, "changeId"));
	ccfc_buf_printf(&out->buf, "%s\n", ccfc_out_off(out));
	ccfc_render_line(out, "Session", 9,
			 ccfc_obj_get_str(row->o, "sessionId"));
	ccfc_render_line(out, "Model", 9, ccfc_obj_get_str(row->o, "model"));
	ccfc_time_format_local(time, row->time, CCFC_RENDER_SECOND);
	ccfc_render_line(out, "Date", 9, ccfc_slice_str(time));
	ccfc_log_put_why(&text, row->o);
	if (text.len)
		ccfc_render_line(out, "Prompt", 9,
				 ccfc_human_title(ccfc_buf_view(&text)));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_buf_release(&text);
}

/* A diff that is not known is a note, not the end. */
static int print_patch(const struct entries *e, const struct ccfc_log_row *row)
{
	struct ccfc_slice id = ccfc_obj_get_str(row->o, "changeId");
	struct ccfc_buf name = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_patch patch;
	struct ccfc_err err;
	int code;

	ccfc_buf_slice(&name, id);
	code = ccfc_change_get(&reply, e->cli->client, name.len ? name.ptr : "",
			       NULL, &err);
	if (!code) {
		print_head(e, row);
		ccfc_patch_parse(&patch, ccfc_cli_value(reply));
		ccfc_patch_note(&patch);
		if (patch.shown)
			ccfc_patch_print(&e->cli->out, patch.diff);
		ccfc_buf_putc(&e->cli->out.buf, '\n');
		ccfc_out_check(&e->cli->out);
	}
	ccfc_reply_free(reply);
	ccfc_buf_release(&name);
	return code < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

int ccfc_log_entries(struct ccfc_cli *cli, const struct ccfc_log_rows *rows,
		     const struct ccfc_cwd *where, enum ccfc_log_style style)
{
	struct entries e = {
		.cli = cli,
		.where = where,
		.now = ccfc_time_now(),
		.one_file = rows->one_file,
	};
	int status = CCFC_EXIT_FOUND;

	measure_ids(&e, rows);
	for (uint32_t i = 0; i < rows->n && !status; i++) {
		const struct ccfc_log_row *row = &rows->items[i];

		if (style == CCFC_LOG_PATCH && ccfc_log_is_change(row)) {
			status = print_patch(&e, row);
			continue;
		}
		print_oneline(&e, row);
		if (style == CCFC_LOG_STAT && took_effect(row))
			print_stat(&e, row);
		else if (style == CCFC_LOG_PATCH)
			ccfc_buf_putc(&cli->out.buf, '\n');
		ccfc_out_check(&cli->out);
	}
	return status;
}
