/*
 * One line for each event or node; see show.h. The tree arrives depth first,
 * and its depth grows only at branches, so it can be drawn as it arrives: for
 * each depth it is enough to know whether the open branch is the last one.
 */
#include "cli/conversation/show.h"

#include "base/path.h"
#include "cli/out/locale_utf8.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#define DEPTH_MAX 40 /* deeper nodes are drawn at this depth */

/*
 * The first line of a text, with a mark if there are more. On a terminal it is
 * cut at the end of the line, of which `used` columns are taken.
 */
static void put_short(struct ccfc_out *out, struct ccfc_slice text, size_t used)
{
	struct ccfc_buf safe = CCFC_BUF_INIT;
	const char *nl;

	while (text.len && (*text.ptr == '\n' || *text.ptr == ' ')) {
		text.ptr++;
		text.len--;
	}
	nl = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
	if (nl)
		text.len = (size_t)(nl - text.ptr);
	ccfc_safe_append(&safe, text, false);
	if (nl)
		ccfc_buf_printf(&safe, " %s", ccfc_ellipsis());
	if (out->width)
		ccfc_width_cut(&out->buf, ccfc_buf_view(&safe),
			       out->width > used + 20 ? out->width - used : 20);
	else
		ccfc_buf_slice(&out->buf, ccfc_buf_view(&safe));
	ccfc_buf_release(&safe);
}

/* ---- the timeline ---- */

struct timeline {
	struct ccfc_out *out;
	struct ccfc_slice project;
	char day[16];
};

/* A line for each new day, so the other lines show only the time. */
static void put_day(struct timeline *t, struct ccfc_obj event)
{
	struct ccfc_buf day = CCFC_BUF_INIT;

	ccfc_render_time(&day, ccfc_obj_get(event, "timestamp"), "%Y-%m-%d");
	if (strncmp(t->day, day.ptr, sizeof(t->day) - 1) != 0) {
		strncpy(t->day, day.ptr, sizeof(t->day) - 1);
		ccfc_buf_printf(&t->out->buf, "%s%s%s%s\n",
				t->out->buf.len ? "\n" : "",
				ccfc_out_on(t->out, CCFC_STYLE_HEAD), day.ptr,
				ccfc_out_off(t->out));
	}
	ccfc_buf_release(&day);
}

static enum ccfc_style style_of(struct ccfc_obj event)
{
	struct ccfc_slice type = ccfc_obj_get_str(event, "type");

	if (ccfc_obj_get_bool(event, "isError", false) ||
	    ccfc_slice_is(type, "compaction"))
		return CCFC_STYLE_ALERT;
	if (ccfc_slice_is(type, "prompt"))
		return CCFC_STYLE_HEAD;
	if (ccfc_slice_starts(type, "tool_call"))
		return CCFC_STYLE_HUNK;
	return CCFC_STYLE_FAINT;
}

/*
 * The input of a call is JSON, maybe cut: its first text is the most useful
 * part.
 */
static struct ccfc_slice first_text(struct ccfc_slice json)
{
	const char *at = memmem(json.ptr, json.len, "\":\"", 3), *p, *end;

	if (!at || !ccfc_slice_starts(json, "{\"") ||
	    memchr(json.ptr + 2, '"', (size_t)(at - json.ptr - 2)))
		return json;
	end = json.ptr + json.len;
	at += 3;
	for (p = at; p < end && *p != '"'; p++)
		p += *p == '\\' && p + 1 < end;
	return ccfc_slice(at, (size_t)(p - at));
}

static void put_subject(struct timeline *t, struct ccfc_obj event)
{
	struct ccfc_slice tool = ccfc_obj_get_str(event, "toolName");
	struct ccfc_slice path = ccfc_obj_get_str(event, "filePath");
	struct ccfc_slice text = ccfc_obj_get_str(event, "content");
	struct ccfc_buf *buf = &t->out->buf;

	if (ccfc_obj_get_bool(event, "isError", false))
		ccfc_buf_puts(buf, "error: ");
	if (tool.len) {
		ccfc_out_field(t->out, tool);
		ccfc_buf_putc(buf, ' ');
	}
	if (path.len)
		ccfc_out_field(t->out, ccfc_path_relative(path, t->project));
	else if (ccfc_slice_is(ccfc_obj_get_str(event, "type"), "tool_call"))
		put_short(t->out, first_text(text), 40);
	else
		put_short(t->out, text, 40);
}

static void put_event(struct timeline *t, struct ccfc_obj event)
{
	struct ccfc_slice agent = ccfc_obj_get_str(event, "agentId");
	struct ccfc_slice type = ccfc_obj_get_str(event, "type");
	struct ccfc_out *out = t->out;
	int pad = 12 - (int)(type.len < 12 ? type.len : 12);

	put_day(t, event);
	ccfc_buf_puts(&out->buf, "  ");
	ccfc_render_time(&out->buf, ccfc_obj_get(event, "timestamp"),
			 "%H:%M:%S");
	ccfc_buf_printf(&out->buf, "  %s", ccfc_out_on(out, style_of(event)));
	ccfc_out_field(out, type);
	ccfc_buf_printf(&out->buf, "%*s%s", pad, "", ccfc_out_off(out));
	if (agent.len) {
		ccfc_buf_puts(&out->buf, "[");
		ccfc_out_field(out, ccfc_slice_cut(agent, 8));
		ccfc_buf_puts(&out->buf, "] ");
	}
	put_subject(t, event);
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
}

static void put_fence(struct ccfc_out *out, const char *title, bool begin)
{
	/* A line of ours never starts with a fence. */
	if (begin)
		ccfc_buf_printf(&out->buf, "\n## %s\n\n```text\n", title);
	else
		ccfc_buf_puts(&out->buf, "```\n");
}

int64_t ccfc_show_timeline(struct ccfc_out *out, struct ccfc_pages *pages,
			   struct ccfc_slice project, bool markdown,
			   struct ccfc_err *err)
{
	struct timeline t = { .out = out, .project = project };
	struct ccfc_obj root;
	int64_t n = 0;
	int code = 0;

	if (markdown)
		put_fence(out, "Timeline", true);
	while (!out->error && (code = ccfc_pages_next(pages, &root, err)) > 0) {
		struct ccfc_obj events = ccfc_obj_get(root, pages->list);

		for (uint32_t i = 0; i < pages->n; i++, n++)
			put_event(&t, ccfc_obj_at(events, i));
	}
	if (markdown)
		put_fence(out, NULL, false);
	return code < 0 ? code : n;
}

/* ---- the tree ---- */

struct tree {
	struct ccfc_out *out;
	bool utf8;
	bool more[DEPTH_MAX + 1]; /* more siblings follow at that depth */
};

static int64_t depth_of(struct ccfc_obj node)
{
	int64_t depth = ccfc_obj_get_int(node, "depth", 0);

	return depth < 0 ? 0 : depth > DEPTH_MAX ? DEPTH_MAX : depth;
}

/* The lines at the left, and the corner of a branch that starts here. */
static void put_branch_lines(struct tree *t, struct ccfc_obj node,
			     int64_t depth)
{
	static const char *const drawn[2][3] = { { "|  ", "|- ", "`- " },
						 { "│  ", "├─ ", "└─ " } };
	int64_t after = ccfc_obj_get_int(node, "after", -1);
	const char *const *with = drawn[t->utf8];
	bool starts = after >= 0;

	if (starts && depth)
		t->more[depth] = after > 0;
	for (int64_t d = 1; d < depth; d++)
		ccfc_buf_puts(&t->out->buf, t->more[d] ? with[0] : "   ");
	if (!depth)
		return;
	if (starts)
		ccfc_buf_puts(&t->out->buf, with[t->more[depth] ? 1 : 2]);
	else
		ccfc_buf_puts(&t->out->buf, t->more[depth] ? with[0] : "   ");
}

/* `tool` is an array of names, or one name. */
static void put_tools(struct tree *t, struct ccfc_obj tool)
{
	struct ccfc_buf names = CCFC_BUF_INIT;

	if (ccfc_obj_type(tool) == CCFC_OBJ_ARRAY)
		ccfc_render_join(&names, tool);
	else
		ccfc_buf_slice(&names, ccfc_obj_str(tool));
	if (names.len) {
		ccfc_buf_puts(&t->out->buf, " [");
		ccfc_out_field(t->out, ccfc_buf_view(&names));
		ccfc_buf_putc(&t->out->buf, ']');
	}
	ccfc_buf_release(&names);
}

static void put_what(struct tree *t, struct ccfc_obj node)
{
	struct ccfc_slice role = ccfc_obj_get_str(node, "role");
	struct ccfc_out *out = t->out;

	/* A user record without text has results of calls. */
	if (ccfc_slice_is(role, "user") &&
	    !ccfc_obj_get_str(node, "content").len)
		role = CCFC_SLICE_LIT("result");
	ccfc_out_field(out, role.len ? role : ccfc_obj_get_str(node, "type"));
	ccfc_buf_putc(&out->buf, ' ');
	ccfc_render_time(&out->buf, ccfc_obj_get(node, "timestamp"),
			 "%H:%M:%S");
	put_tools(t, ccfc_obj_get(node, "tool"));
	if (ccfc_obj_get_str(node, "agentId").len) {
		ccfc_buf_puts(&out->buf, " agent ");
		ccfc_out_field(out, ccfc_obj_get_str(node, "agentId"));
	}
	if (ccfc_obj_get_str(node, "content").len) {
		ccfc_buf_putc(&out->buf, ' ');
		put_short(out, ccfc_obj_get_str(node, "content"),
			  (size_t)depth_of(node) * 3 + 40);
	}
}

static void put_node(struct tree *t, struct ccfc_obj node)
{
	int64_t ways = ccfc_obj_get_int(node, "ways", 0);
	struct ccfc_out *out = t->out;

	put_branch_lines(t, node, depth_of(node));
	if (ccfc_obj_get_bool(node, "boundary", false))
		ccfc_buf_printf(&out->buf, "%s%s compaction %s ",
				ccfc_out_on(out, CCFC_STYLE_ALERT),
				t->utf8 ? "══" : "==", t->utf8 ? "══" : "==");
	put_what(t, node);
	if (ccfc_obj_get_bool(node, "boundary", false))
		ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	if (ways > 1)
		ccfc_buf_printf(&out->buf, " %s(%lld branches)%s",
				ccfc_out_on(out, CCFC_STYLE_ALERT),
				(long long)ways, ccfc_out_off(out));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
}

int64_t ccfc_show_tree(struct ccfc_out *out, struct ccfc_pages *pages,
		       bool markdown, struct ccfc_err *err)
{
	struct tree t = { .out = out, .utf8 = ccfc_is_utf8() };
	struct ccfc_obj root;
	int64_t n = 0;
	int code = 0;

	if (markdown)
		put_fence(out, "Tree", true);
	while (!out->error && (code = ccfc_pages_next(pages, &root, err)) > 0) {
		struct ccfc_obj nodes = ccfc_obj_get(root, pages->list);

		for (uint32_t i = 0; i < pages->n; i++, n++)
			put_node(&t, ccfc_obj_at(nodes, i));
	}
	if (markdown)
		put_fence(out, NULL, false);
	return code < 0 ? code : n;
}
