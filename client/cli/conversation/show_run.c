/* One run of `ccfc show`; see show_run.h. */
#include "cli/conversation/show_run.h"

#include "cli/conversation/message_stream.h"
#include "cli/frame/connect.h"
#include "cli/out/prose.h"
#include "cli/out/render.h"
#include "wire/to_json.h"

#define LAST_MESSAGES 10 /* of the overview */
#define FIRST_LINES   12 /* of its first prompt */
#define AROUND	      11 /* messages with --message */

static struct ccfc_obj reply_value(const struct ccfc_reply *reply)
{
	return reply ? ccfc_cli_value(reply) : (struct ccfc_obj){ 0 };
}

void ccfc_show_release(struct ccfc_show *show)
{
	ccfc_reply_free(show->reply);
	ccfc_reply_free(show->modified);
	ccfc_reply_free(show->reads);
}

static int ask_info(struct ccfc_show *show, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	int code;

	query.content = CCFC_CONTENT_NO;
	code = ccfc_session_get(&show->reply, show->cli->client, show->session,
				&query, err);
	if (code < 0)
		return code;
	show->info = ccfc_cli_value(show->reply);
	ccfc_cli_note_indexing(show->info);
	return 0;
}

/* A session that changed or read nothing is no error. */
static int ask_files(struct ccfc_show *show, struct ccfc_err *err)
{
	struct ccfc_client *client = show->cli->client;
	struct ccfc_query query = CCFC_QUERY_INIT;
	int code = 0;

	query.content = CCFC_CONTENT_NO;
	if (show->which != CCFC_FILES_READ)
		code = ccfc_session_files(&show->modified, client,
					  show->session, &query, err);
	if (show->which == CCFC_FILES_MODIFIED ||
	    (code < 0 && code != CCFC_ENOTFOUND))
		return code == CCFC_ENOTFOUND ? 0 : code;
	code = ccfc_session_reads(&show->reads, client, show->session, NULL,
				  err);
	return code == CCFC_ENOTFOUND ? 0 : code;
}

static void set_pages(struct ccfc_pages *pages, const struct ccfc_show *show,
		      unsigned section)
{
	struct ccfc_client *client = show->cli->client;

	if (section == CCFC_SHOW_TIMELINE) {
		ccfc_pages_timeline(pages, client, show->session);
		pages->query.thinking = show->query.thinking;
	} else if (section == CCFC_SHOW_TREE) {
		ccfc_pages_tree(pages, client, show->session);
	} else {
		ccfc_pages_messages(pages, client, show->session);
		pages->query = show->query;
	}
	pages->query.offset = show->query.offset;
	pages->left = show->limit;
	if (section == CCFC_SHOW_MESSAGES && show->query.message &&
	    show->limit < 0)
		pages->left = AROUND;
}

/* ---- JSON ---- */

/* Some fields of session.get as an object. */
static int64_t put_picked(struct ccfc_show *show, const char *const *keys,
			  bool lines)
{
	struct ccfc_out *out = &show->cli->out;
	const char *between = "{";
	int64_t n = 0;

	for (; *keys; keys++) {
		struct ccfc_obj value = ccfc_obj_get(show->info, *keys);

		n += ccfc_obj_len(value);
		for (uint32_t i = 0; lines && i < ccfc_obj_len(value); i++)
			ccfc_render_json(out, ccfc_obj_at(value, i), 0);
		if (lines || ccfc_obj_type(value) == CCFC_OBJ_NONE)
			continue;
		ccfc_buf_printf(&out->buf, "%s\n\"%s\": ", between, *keys);
		ccfc_json_write(&out->buf, value, 0);
		between = ",";
	}
	if (!lines)
		ccfc_buf_puts(&out->buf, *between == '{' ? "{}" : "\n}");
	return n;
}

static int64_t put_files(struct ccfc_show *show, bool lines,
			 struct ccfc_err *err)
{
	const struct ccfc_reply *replies[2];
	struct ccfc_out *out = &show->cli->out;
	int code = ask_files(show, err);
	int64_t n = 0;

	if (code < 0)
		return code;
	replies[0] = show->modified;
	replies[1] = show->reads;
	if (show->which == CCFC_FILES_ALL && !lines)
		ccfc_buf_puts(&out->buf, "{\n\"modified\": ");
	for (int k = 0; k < 2; k++) {
		struct ccfc_obj root = reply_value(replies[k]);
		struct ccfc_obj files = ccfc_obj_get(root, "files");

		n += ccfc_obj_len(files);
		for (uint32_t i = 0; lines && i < ccfc_obj_len(files); i++)
			ccfc_render_json(out, ccfc_obj_at(files, i), 0);
		if (lines)
			continue;
		if (show->which == CCFC_FILES_ALL && k)
			ccfc_buf_puts(&out->buf, ",\n\"read\": ");
		if (replies[k])
			ccfc_json_write(&out->buf, root, 0);
		else if (show->which == CCFC_FILES_ALL)
			ccfc_buf_puts(&out->buf, "null");
	}
	if (show->which == CCFC_FILES_ALL && !lines)
		ccfc_buf_puts(&out->buf, "\n}");
	return n;
}

static int64_t json_section(struct ccfc_show *show, unsigned section,
			    struct ccfc_err *err)
{
	static const char *const tasks[] = { "sessionId", "tasks", NULL };
	static const char *const tools[] = { "sessionId", "tools", "agentTools",
					     NULL };
	bool lines = show->format == CCFC_SHOW_JSONL;
	struct ccfc_pages pages;
	int64_t n;

	if (section == CCFC_SHOW_TASKS)
		return put_picked(show, tasks, lines);
	if (section == CCFC_SHOW_TOOLS)
		return put_picked(show, tools, lines);
	if (section == CCFC_SHOW_FILES)
		return put_files(show, lines, err);
	set_pages(&pages, show, section);
	n = lines ? ccfc_show_jsonl(&show->cli->out, &pages, err)
		  : ccfc_show_json(&show->cli->out, &pages, err);
	show->truncated |= pages.truncated;
	ccfc_pages_release(&pages);
	return n;
}

/* Prints the reply unchanged. */
static int json_overview(struct ccfc_show *show, struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	int code;

	show->query.limit = show->limit > 0 ? show->limit : 0;
	code = ccfc_session_get(&reply, show->cli->client, show->session,
				&show->query, err);
	if (code < 0)
		return code;
	ccfc_cli_note_indexing(ccfc_cli_value(reply));
	ccfc_render_json(&show->cli->out, ccfc_cli_value(reply), 2);
	ccfc_reply_free(reply);
	return 0;
}

/* ---- text and Markdown ---- */

static int64_t put_messages(struct ccfc_show *show, int64_t limit,
			    enum ccfc_message_stream_agents agents,
			    bool from_message, struct ccfc_err *err)
{
	bool markdown = show->format == CCFC_SHOW_MARKDOWN;
	struct ccfc_message_stream stream;
	int64_t n;
	int code;

	ccfc_message_stream_init(&stream);
	stream.client = show->cli->client;
	stream.out = &show->cli->out;
	stream.session = show->session;
	stream.writer =
		markdown ? &ccfc_message_stream_md : &ccfc_message_stream_text;
	stream.project = ccfc_obj_get_str(show->info, "projectPath");
	stream.agents = agents;
	stream.query = show->query;
	stream.marked = show->query.message;
	stream.limit = limit;
	stream.from_message = from_message;
	if (markdown)
		ccfc_buf_printf(&stream.out->buf, "%s## Messages\n\n",
				stream.out->buf.len ? "\n" : "");
	code = ccfc_message_stream_run(&stream, err);
	n = (int64_t)stream.shown;
	show->truncated |= stream.truncated;
	ccfc_message_stream_release(&stream);
	return code < 0 ? code : n;
}

static int64_t text_messages(struct ccfc_show *show, struct ccfc_err *err)
{
	const struct ccfc_query *q = &show->query;
	int64_t limit = show->limit;

	if (q->message && limit < 0)
		limit = AROUND;
	return put_messages(show, limit,
			    q->message || q->role ? CCFC_AGENTS_NAMED
						  : CCFC_AGENTS_BELOW,
			    false, err);
}

/* The number of files to show, plus that of commands with unknown effects. */
static int64_t count_files(const struct ccfc_show *show)
{
	struct ccfc_obj modified = reply_value(show->modified);
	struct ccfc_obj reads = reply_value(show->reads);

	return (int64_t)ccfc_obj_len(ccfc_obj_get(modified, "files")) +
	       ccfc_obj_len(ccfc_obj_get(reads, "files")) +
	       ccfc_obj_get_int(modified, "unknownCommands", 0);
}

static int64_t text_section(struct ccfc_show *show, unsigned section,
			    struct ccfc_err *err)
{
	bool markdown = show->format == CCFC_SHOW_MARKDOWN;
	struct ccfc_slice project = ccfc_obj_get_str(show->info, "projectPath");
	struct ccfc_out *out = &show->cli->out;
	struct ccfc_pages pages;
	size_t before = out->buf.len;
	int64_t n;
	int code;

	switch (section) {
	case CCFC_SHOW_TASKS:
		(markdown ? ccfc_show_tasks_md : ccfc_show_tasks)(out,
								  show->info);
		return out->buf.len > before;
	case CCFC_SHOW_TOOLS:
		(markdown ? ccfc_show_tools_md : ccfc_show_tools)(out,
								  show->info);
		return out->buf.len > before;
	case CCFC_SHOW_FILES:
		code = ask_files(show, err);
		if (code < 0)
			return code;
		(markdown ? ccfc_show_files_md
			  : ccfc_show_files)(out, reply_value(show->modified),
					     reply_value(show->reads), project);
		return count_files(show);
	case CCFC_SHOW_MESSAGES:
		return text_messages(show, err);
	default:
		break;
	}
	set_pages(&pages, show, section);
	n = section == CCFC_SHOW_TREE
		    ? ccfc_show_tree(out, &pages, markdown, err)
		    : ccfc_show_timeline(out, &pages, project, markdown, err);
	show->truncated |= pages.truncated;
	ccfc_pages_release(&pages);
	return n;
}

/* Prints the first lines of a text. */
static void put_some_lines(struct ccfc_out *out, struct ccfc_slice text)
{
	size_t at = 0;

	for (int n = 0; at < text.len && n < FIRST_LINES; n++) {
		const char *nl = memchr(text.ptr + at, '\n', text.len - at);

		at = nl ? (size_t)(nl - text.ptr) + 1 : text.len;
	}
	ccfc_prose_print(out, ccfc_slice(text.ptr, at));
	if (at < text.len)
		ccfc_buf_puts(&out->buf, "  …\n");
}

/* Prints the first lines of the first prompt. */
static int put_first(struct ccfc_show *show, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_out *out = &show->cli->out;
	struct ccfc_reply *reply;
	struct ccfc_obj message;
	int code;

	query.role = "user";
	query.limit = 1;
	code = ccfc_session_messages(&reply, show->cli->client, show->session,
				     &query, err);
	if (code < 0)
		return code == CCFC_ENOTFOUND ? 0 : code;
	message =
		ccfc_obj_at(ccfc_obj_get(ccfc_cli_value(reply), "messages"), 0);
	if (ccfc_obj_get_str(message, "content").len) {
		ccfc_buf_printf(&out->buf, "\n%sFirst prompt, ",
				ccfc_out_on(out, CCFC_STYLE_HEAD));
		ccfc_render_time(&out->buf, ccfc_obj_get(message, "timestamp"),
				 CCFC_RENDER_MINUTE);
		ccfc_buf_printf(&out->buf, ":%s\n", ccfc_out_off(out));
		put_some_lines(out, ccfc_obj_get_str(message, "content"));
	}
	ccfc_reply_free(reply);
	return 0;
}

/*
 * The overview: head, tasks, tools, files, the first prompt and the last
 * messages.
 */
static int text_overview(struct ccfc_show *show, struct ccfc_err *err)
{
	int64_t total = ccfc_obj_get_int(show->info, "totalMessages", 0);
	int64_t limit = show->limit < 0 ? LAST_MESSAGES : show->limit;
	struct ccfc_out *out = &show->cli->out;
	int64_t code;

	if (show->format == CCFC_SHOW_MARKDOWN)
		ccfc_show_head_md(out, show->info);
	else
		ccfc_show_head(out, show->info);
	for (unsigned s = CCFC_SHOW_TASKS; s <= CCFC_SHOW_FILES; s <<= 1) {
		code = text_section(show, s, err);
		if (code < 0)
			return (int)code;
	}
	if (!total)
		return 0;
	if (!show->offset_set && total > limit) {
		if (show->format == CCFC_SHOW_TEXT) {
			code = put_first(show, err);
			if (code < 0)
				return (int)code;
		}
		show->query.offset = total - limit;
		if (show->format == CCFC_SHOW_TEXT)
			ccfc_buf_printf(&out->buf,
					"\n%sThe last %lld of %lld messages; "
					"--messages shows all:%s\n",
					ccfc_out_on(out, CCFC_STYLE_FAINT),
					(long long)limit, (long long)total,
					ccfc_out_off(out));
	}
	code = put_messages(show, limit, CCFC_AGENTS_NAMED, !show->offset_set,
			    err);
	return code < 0 && code != CCFC_ENOTFOUND ? (int)code : 0;
}

/* ---- all ---- */

static const char *section_name(unsigned section)
{
	switch (section) {
	case CCFC_SHOW_TASKS:
		return "tasks";
	case CCFC_SHOW_TOOLS:
		return "tools";
	case CCFC_SHOW_FILES:
		return "files";
	case CCFC_SHOW_TIMELINE:
		return "timeline";
	case CCFC_SHOW_TREE:
		return "tree";
	default:
		return "messages";
	}
}

/* Several sections as JSON are one object with a key for each. */
static int run_sections(struct ccfc_show *show, struct ccfc_err *err)
{
	bool json = show->format == CCFC_SHOW_JSON;
	bool several = show->sections & (show->sections - 1);
	bool as_json = json || show->format == CCFC_SHOW_JSONL;
	struct ccfc_buf *buf = &show->cli->out.buf;
	int64_t found = 0;
	const char *between = "{";

	for (unsigned s = 1; s <= CCFC_SHOW_MESSAGES; s <<= 1) {
		int64_t n;

		if (!(show->sections & s))
			continue;
		if (json && several)
			ccfc_buf_printf(buf, "%s\n\"%s\": ", between,
					section_name(s));
		between = ",";
		n = as_json ? json_section(show, s, err)
			    : text_section(show, s, err);
		if (n < 0)
			return (int)n;
		found += n;
	}
	if (json)
		ccfc_buf_puts(buf, several ? "\n}\n" : "\n");
	if (found)
		return 0;
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "show: nothing found: the session has no %s",
			    several ? "such things"
				    : section_name(show->sections));
}

int ccfc_show_run(struct ccfc_show *show, struct ccfc_err *err)
{
	int code;

	if (!show->sections && show->format == CCFC_SHOW_JSON)
		return json_overview(show, err);
	if (!show->sections && show->format == CCFC_SHOW_JSONL)
		show->sections = CCFC_SHOW_MESSAGES;
	code = ask_info(show, err);
	if (code < 0)
		return code;
	return show->sections ? run_sections(show, err)
			      : text_overview(show, err);
}
