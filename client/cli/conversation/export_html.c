/*
 * A session as one HTML file that needs nothing else: its style is in it,
 * there is no script, and a policy in its head forbids the browser to load or
 * run anything.
 */
#include "cli/conversation/export.h"

#include "base/path.h"
#include "cli/out/render.h"

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" "
	"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"referrer\" content=\"no-referrer\">\n"
	"<meta name=\"viewport\" "
	"content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n";

static const char style[] =
	"<style>\n"
	":root { --back: #fff; --text: #1c1c1e; --faint: #6b6b70;\n"
	"  --line: #d8d8dc; --user: #eef3fb; --code: #f5f5f7;\n"
	"  --error: #b3261e; --link: #0b57d0; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"  :root { --back: #161618; --text: #e6e6e8; --faint: #9a9aa0;\n"
	"    --line: #38383c; --user: #1d2733; --code: #202024;\n"
	"    --error: #f2b8b5; --link: #a8c7fa; }\n"
	"}\n"
	"* { box-sizing: border-box; }\n"
	"body { margin: 0 auto; padding: 1rem; max-width: 60rem;\n"
	"  background: var(--back); color: var(--text);\n"
	"  font: 1rem/1.5 system-ui, sans-serif; }\n"
	"h1 { font-size: 1.4rem; overflow-wrap: anywhere; }\n"
	"h2 { margin: 0 0 .4rem; font-size: .9rem; color: var(--faint);\n"
	"  font-weight: normal; }\n"
	"h2 a { color: var(--link); font-weight: bold;\n"
	"  text-decoration: none; }\n"
	"dl { display: grid; grid-template-columns: max-content 1fr;\n"
	"  gap: .1rem 1rem; font-size: .9rem; }\n"
	"dt, time, footer, .key { color: var(--faint); }\n"
	"dd { margin: 0; overflow-wrap: anywhere; }\n"
	"article { margin: .8rem 0; padding: .6rem .8rem;\n"
	"  border-left: .2rem solid var(--line); }\n"
	"article.user { background: var(--user); }\n"
	"article.tool { padding-top: 0; padding-bottom: 0; }\n"
	"article:target { outline: .15rem solid var(--link); }\n"
	".text, .code { white-space: pre-wrap; overflow-wrap: anywhere;\n"
	"  unicode-bidi: plaintext; }\n"
	".code { margin: .2rem 0 .6rem; padding: .5rem .6rem;\n"
	"  background: var(--code); font: .85rem/1.4 ui-monospace,\n"
	"  monospace; }\n"
	".key { font-size: .85rem; }\n"
	"ins { color: #1a7f37; text-decoration: none; }\n"
	"del { color: var(--error); text-decoration: none; }\n"
	"summary { cursor: pointer; overflow-wrap: anywhere; }\n"
	"details { margin: .3rem 0; }\n"
	"details.agent { padding-left: .8rem;\n"
	"  border-left: .2rem dotted var(--line); }\n"
	".error > summary, b { color: var(--error); }\n"
	".thinking, footer { font-size: .9rem; }\n"
	"ul { padding-left: 0; list-style: none; }\n"
	"</style>\n";

static void put_fact(void *data, const char *label, struct ccfc_slice text)
{
	struct ccfc_buf *buf = data;

	ccfc_buf_printf(buf, "<dt>%s</dt><dd>", label);
	ccfc_html_text(buf, text);
	ccfc_buf_puts(buf, "</dd>\n");
}

static const char *task_mark_of(struct ccfc_slice status)
{
	return ccfc_slice_is(status, "completed")     ? "☑"
	       : ccfc_slice_is(status, "in_progress") ? "▶"
						      : "☐";
}

static void print_tasks(struct ccfc_buf *buf, struct ccfc_obj tasks)
{
	if (!ccfc_obj_len(tasks))
		return;
	ccfc_buf_puts(buf, "<ul>\n");
	for (uint32_t i = 0; i < ccfc_obj_len(tasks); i++) {
		struct ccfc_obj task = ccfc_obj_at(tasks, i);

		ccfc_buf_printf(buf, "<li>%s ",
				task_mark_of(ccfc_obj_get_str(task, "status")));
		ccfc_html_text(buf, ccfc_obj_get_str(task, "content"));
		ccfc_buf_puts(buf, "</li>\n");
	}
	ccfc_buf_puts(buf, "</ul>\n");
}

static void print_export_head_html(struct ccfc_message_stream *stream,
				   struct ccfc_obj info)
{
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_puts(buf, head);
	ccfc_buf_puts(buf, "<title>");
	ccfc_html_text(buf, ccfc_export_title(info));
	ccfc_buf_puts(buf, "</title>\n");
	ccfc_buf_puts(buf, style);
	ccfc_buf_puts(buf, "</head>\n<body>\n<header>\n<h1>");
	ccfc_html_text(buf, ccfc_export_title(info));
	ccfc_buf_puts(buf, "</h1>\n<dl>\n");
	ccfc_export_facts(info, true, put_fact, buf);
	ccfc_buf_puts(buf, "</dl>\n");
	print_tasks(buf, ccfc_obj_get(info, "tasks"));
}

static void print_files(struct ccfc_message_stream *stream,
			struct ccfc_obj root)
{
	struct ccfc_slice project = ccfc_obj_get_str(root, "projectPath");
	struct ccfc_obj files = ccfc_obj_get(root, "files");
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_puts(buf, "<h2>Changed files</h2>\n<ul>\n");
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);
		struct ccfc_slice path = ccfc_obj_get_str(file, "path");

		ccfc_buf_puts(buf, "<li><code>");
		ccfc_html_text(buf, ccfc_path_relative(path, project));
		ccfc_buf_puts(buf, "</code> ");
		ccfc_html_text(buf, ccfc_obj_get_str(file, "operation"));
		ccfc_buf_puts(buf, ", ");
		ccfc_render_count(buf, ccfc_obj_get_int(file, "changeCount", 0),
				  "change");
		ccfc_buf_puts(buf, "</li>\n");
		ccfc_out_check(stream->out);
	}
	ccfc_buf_puts(buf, "</ul>\n");
}

static void begin_main(struct ccfc_message_stream *stream)
{
	ccfc_buf_puts(&stream->out->buf, "</header>\n<main>\n");
}

static void print_no_rest(struct ccfc_message_stream *stream)
{
	(void)stream;
}

static void print_foot(struct ccfc_message_stream *stream)
{
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_puts(buf, "</main>\n<footer>\n");
	if (stream->redact) {
		ccfc_buf_puts(buf, "<p>Replaced: ");
		ccfc_redact_describe(buf, stream->redact);
		ccfc_buf_puts(buf, ". " CCFC_REDACT_CAVEAT "</p>\n");
	}
	ccfc_buf_printf(buf,
			"<p>Times are UTC. Exported with ccfc %s.</p>\n"
			"</footer>\n</body>\n</html>\n",
			CCFC_VERSION);
}

const struct ccfc_export ccfc_export_html = {
	.writer = &ccfc_message_stream_html,
	.agents = CCFC_AGENTS_BELOW,
	.head = print_export_head_html,
	.files = print_files,
	.begin = begin_main,
	.rest = print_no_rest,
	.foot = print_foot,
};
