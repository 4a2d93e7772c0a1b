/* Sessions that are at work now; see busy_sessions.h. */
#include "cli/report/busy_sessions.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "cli/frame/connect.h"

#include <stdlib.h>

#define LAST_MESSAGES 40 /* messages searched for prompt and tool */
#define CONTENT_MAX   400

static void release_session(struct ccfc_busy_session *s)
{
	free(s->id);
	free(s->project);
	free(s->title);
	free(s->status);
	free(s->updated);
	free(s->prompt);
	free(s->tool);
}

void ccfc_busy_release(struct ccfc_busy *live)
{
	for (uint32_t i = 0; i < live->all.n; i++)
		release_session(&live->all.items[i]);
	free(live->all.items);
	*live = (struct ccfc_busy){ 0 };
}

/* Replaces the text; true if it has changed. */
static bool replace_text(char **to, struct ccfc_slice text)
{
	if (*to && ccfc_slice_eq(ccfc_slice_str(*to), text))
		return false;
	free(*to);
	*to = ccfc_strndup(text.len ? text.ptr : "", text.len);
	return true;
}

static struct ccfc_busy_session *find_session(struct ccfc_busy *live,
					      struct ccfc_slice id)
{
	struct ccfc_busy_session fresh = { .is_new = true };

	for (uint32_t i = 0; i < live->all.n; i++)
		if (ccfc_slice_is(id, live->all.items[i].id))
			return &live->all.items[i];
	fresh.prompt = ccfc_strdup("");
	fresh.tool = ccfc_strdup("");
	CCFC_VEC_PUSH(live->all, fresh);
	return &live->all.items[live->all.n - 1];
}

/*
 * "Bash make test", "Edit src/a.ts": the tool and its subject. Paths are
 * relative to the project, whose beginning all rows share.
 */
static void put_tool(struct ccfc_buf *out, struct ccfc_obj call,
		     struct ccfc_slice project)
{
	static const char *const keys[] = { "file_path", "notebook_path",
					    "command",	 "pattern",
					    "path",	 "description" };
	struct ccfc_obj input = ccfc_obj_get(call, "input");

	ccfc_buf_slice(out, ccfc_obj_get_str(call, "name"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct ccfc_slice text = ccfc_obj_get_str(input, keys[i]);

		if (!text.len)
			continue;
		ccfc_buf_putc(out, ' ');
		if (strstr(keys[i], "path"))
			text = ccfc_path_relative(text, project);
		ccfc_buf_slice(out, text);
		return;
	}
}

static bool is_prompt(struct ccfc_obj message)
{
	return ccfc_slice_is(ccfc_obj_get_str(message, "role"), "user") &&
	       ccfc_obj_get_str(message, "content").len &&
	       !ccfc_obj_get_bool(message, "isMeta", false) &&
	       !ccfc_obj_len(ccfc_obj_get(message, "toolResults"));
}

static void read_messages(struct ccfc_busy_session *s, struct ccfc_obj messages,
			  struct ccfc_slice project)
{
	struct ccfc_buf tool = CCFC_BUF_INIT;
	struct ccfc_slice prompt = CCFC_SLICE_NONE;

	for (uint32_t i = 0; i < ccfc_obj_len(messages); i++) {
		struct ccfc_obj m = ccfc_obj_at(messages, i);
		struct ccfc_obj calls = ccfc_obj_get(m, "toolCalls");
		uint32_t n = ccfc_obj_len(calls);

		if (is_prompt(m))
			prompt = ccfc_obj_get_str(m, "content");
		if (!n)
			continue;
		ccfc_buf_clear(&tool);
		put_tool(&tool, ccfc_obj_at(calls, n - 1), project);
	}
	if (prompt.len)
		s->new_prompt = replace_text(&s->prompt, prompt);
	if (tool.len)
		s->new_tool = replace_text(&s->tool, ccfc_buf_view(&tool));
	ccfc_buf_release(&tool);
}

/* Its last messages; one that cannot be read has none. */
static void ask_messages(struct ccfc_busy_session *s,
			 struct ccfc_client *client, struct ccfc_slice project)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply;

	query.max_content = CONTENT_MAX;
	query.limit = LAST_MESSAGES;
	if (s->messages > LAST_MESSAGES / 2)
		query.offset = s->messages - LAST_MESSAGES / 2;
	if (ccfc_session_messages(&reply, client, s->id, &query, NULL) < 0)
		return;
	read_messages(s, ccfc_obj_get(ccfc_cli_value(reply), "messages"),
		      project);
	ccfc_reply_free(reply);
}

static void update_from_row(struct ccfc_busy *live, struct ccfc_client *client,
			    struct ccfc_obj row)
{
	struct ccfc_busy_session *s =
		find_session(live, ccfc_obj_get_str(row, "sessionId"));
	bool changed;

	replace_text(&s->id, ccfc_obj_get_str(row, "sessionId"));
	replace_text(&s->project, ccfc_obj_get_str(row, "projectName"));
	replace_text(&s->title, ccfc_obj_get_str(row, "title"));
	s->new_status =
		replace_text(&s->status, ccfc_obj_get_str(row, "status"));
	changed = replace_text(&s->updated, ccfc_obj_get_str(row, "updatedAt"));
	s->messages = ccfc_obj_get_int(row, "messageCount", 0);
	s->new_prompt = s->new_tool = false;
	s->listed = true;
	if (changed)
		ask_messages(s, client, ccfc_obj_get_str(row, "projectPath"));
}

/* Drops the sessions that were not in the answer. */
static void drop_others(struct ccfc_busy *live)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < live->all.n; i++)
		if (live->all.items[i].listed)
			live->all.items[n++] = live->all.items[i];
		else
			release_session(&live->all.items[i]);
	live->all.n = n;
}

/* RFC 3339 texts in UTC sort by time. */
static int by_updated(const void *a, const void *b)
{
	const struct ccfc_busy_session *x = a, *y = b;

	return strcmp(y->updated, x->updated);
}

int ccfc_busy_poll(struct ccfc_busy *live, struct ccfc_client *client,
		   const struct ccfc_query *query, int64_t from, int64_t limit,
		   struct ccfc_err *err)
{
	struct ccfc_query q = CCFC_QUERY_INIT;
	char since[CCFC_TIME_TEXT_MAX];
	struct ccfc_reply *reply;
	struct ccfc_obj rows = { 0 };
	int r;

	if (query)
		q.project_path = query->project_path;
	q.from_date = ccfc_time_format(since, from);
	q.limit = limit;
	for (uint32_t i = 0; i < live->all.n; i++)
		live->all.items[i].listed = live->all.items[i].is_new = false;
	r = ccfc_session_list(&reply, client, &q, err);
	if (r < 0 && r != CCFC_ENOTFOUND)
		return r;
	if (!r)
		rows = ccfc_obj_get(ccfc_cli_value(reply), "sessions");
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		update_from_row(live, client, ccfc_obj_at(rows, i));
	if (!r)
		ccfc_reply_free(reply);
	drop_others(live);
	if (live->all.n)
		qsort(live->all.items, live->all.n, sizeof(*live->all.items),
		      by_updated);
	return 0;
}
