/* The facts about a session before its messages; see export.h. */
#include "cli/conversation/export.h"

#include "cli/out/render.h"

#define HEADING_LEAST 16 /* "Mr. X" is no sentence */

/*
 * A title may be the first 200 bytes of a prompt, cut inside a word: its first
 * sentence is a better heading. The facts have the whole title.
 */
struct ccfc_slice ccfc_export_title(struct ccfc_obj info)
{
	struct ccfc_slice title = ccfc_obj_get_str(info, "title");

	for (size_t i = 0; i + 2 < title.len; i++)
		if (strchr(".?!", title.ptr[i]) && title.ptr[i] &&
		    title.ptr[i + 1] == ' ' && i >= HEADING_LEAST)
			return ccfc_slice(title.ptr, i + 1);
	return title.len ? title : ccfc_obj_get_str(info, "sessionId");
}

/* A fact that is being put together. */
struct teller {
	struct ccfc_buf text;
	ccfc_export_fact_fn fn;
	void *data;
};

static void give_fact(struct teller *t, const char *label)
{
	if (t->text.len)
		t->fn(t->data, label, ccfc_buf_view(&t->text));
	ccfc_buf_clear(&t->text);
}

static void give_field(struct teller *t, struct ccfc_obj info,
		       const char *label, const char *key)
{
	ccfc_buf_slice(&t->text, ccfc_obj_get_str(info, key));
	give_fact(t, label);
}

/* The only value, or all values if there were several. */
static void give_list(struct teller *t, struct ccfc_obj info, const char *label,
		      const char *one, const char *several)
{
	struct ccfc_obj list = ccfc_obj_get(info, several);

	if (ccfc_obj_len(list))
		ccfc_render_join(&t->text, list);
	else
		ccfc_buf_slice(&t->text, ccfc_obj_get_str(info, one));
	give_fact(t, label);
}

static void put_time(struct ccfc_buf *out, struct ccfc_obj time, bool utc)
{
	if (utc)
		ccfc_message_stream_utc(out, ccfc_obj_str(time));
	else
		ccfc_render_time(out, time, CCFC_RENDER_MINUTE);
}

static void give_period(struct teller *t, struct ccfc_obj info, bool utc)
{
	int64_t seconds = ccfc_obj_get_int(info, "durationSeconds", -1);

	if (!ccfc_obj_get_str(info, "startTime").len)
		return;
	put_time(&t->text, ccfc_obj_get(info, "startTime"), utc);
	ccfc_buf_puts(&t->text, " - ");
	put_time(&t->text, ccfc_obj_get(info, "endTime"), utc);
	if (utc)
		ccfc_buf_puts(&t->text, " UTC");
	if (seconds >= 3600)
		ccfc_buf_printf(&t->text, " (%lld h %lld min)",
				(long long)(seconds / 3600),
				(long long)(seconds / 60 % 60));
	else if (seconds >= 60)
		ccfc_buf_printf(&t->text, " (%lld min)",
				(long long)(seconds / 60));
	give_fact(t, "Period");
}

/* "12 messages, 3 tool calls, 1 error" */
static void put_counts(struct ccfc_buf *out, struct ccfc_obj map)
{
	int64_t errors = ccfc_obj_get_int(map, "errorCount", 0);

	ccfc_render_count(out, ccfc_obj_get_int(map, "messageCount", 0),
			  "message");
	ccfc_buf_puts(out, ", ");
	ccfc_render_count(out, ccfc_obj_get_int(map, "toolCount", 0),
			  "tool call");
	if (errors) {
		ccfc_buf_puts(out, ", ");
		ccfc_render_count(out, errors, "error");
	}
}

static void give_work(struct teller *t, struct ccfc_obj info)
{
	struct ccfc_obj agents = ccfc_obj_get(info, "agents");
	int64_t n = ccfc_obj_get_int(agents, "count", 0);

	put_counts(&t->text, info);
	give_fact(t, "Work");
	if (n) {
		ccfc_render_count(&t->text, n, "agent");
		ccfc_buf_puts(&t->text, ": ");
		put_counts(&t->text, agents);
		give_fact(t, "Agents");
	}
	ccfc_buf_printf(
		&t->text, "%lld modified, %lld read",
		(long long)ccfc_obj_get_int(info, "filesModifiedCount", 0),
		(long long)ccfc_obj_get_int(info, "filesReadCount", 0));
	give_fact(t, "Files");
	n = ccfc_obj_get_int(info, "unknownCommands", 0);
	if (n) {
		ccfc_buf_puts(&t->text, "the effects of ");
		ccfc_render_count(&t->text, n, "command");
		ccfc_buf_puts(&t->text, " on files");
	}
	give_fact(t, "Not known");
}

static void give_tokens(struct teller *t, struct ccfc_obj info)
{
	struct ccfc_obj usage = ccfc_obj_get(info, "tokenUsage");
	int64_t in = ccfc_obj_get_int(usage, "input", 0);
	int64_t out = ccfc_obj_get_int(usage, "output", 0);
	int64_t read = ccfc_obj_get_int(usage, "cacheRead", 0);
	int64_t write = ccfc_obj_get_int(usage, "cacheWrite", 0);

	if (in || out || read || write)
		ccfc_buf_printf(&t->text,
				"%lld input, %lld output, %lld cache read, "
				"%lld cache write",
				(long long)in, (long long)out, (long long)read,
				(long long)write);
	give_fact(t, "Tokens");
}

void ccfc_export_facts(struct ccfc_obj info, bool utc, ccfc_export_fact_fn fn,
		       void *data)
{
	struct teller t = { .fn = fn, .data = data };

	give_field(&t, info, "Session", "sessionId");
	give_field(&t, info, "Title", "title");
	give_field(&t, info, "Project", "projectPath");
	give_list(&t, info, "Branch", "gitBranch", "gitBranches");
	give_period(&t, info, utc);
	give_field(&t, info, "Status", "status");
	give_list(&t, info, "Model", "model", "models");
	give_list(&t, info, "PR", "", "pullRequests");
	give_work(&t, info);
	give_tokens(&t, info);
	if (ccfc_slice_is(ccfc_obj_get_str(info, "source"), "gone")) {
		ccfc_buf_puts(&t.text, "the transcript is gone");
		give_fact(&t, "Source");
	}
	ccfc_buf_release(&t.text);
}
