/*
 * The calls about sessions: lists, messages, reads, statistics, text search.
 * Like methods.c, with option structs of their own.
 */
#include "lib/params.h"

static void put_place(struct ccfc_params *p, const char *project,
		      const char *cwd, const char *from, const char *to)
{
	ccfc_params_str(p, "projectPath", project);
	ccfc_params_str(p, "cwd", cwd);
	ccfc_params_str(p, "fromDate", from);
	ccfc_params_str(p, "toDate", to);
}

static void put_page(struct ccfc_params *p, int64_t limit, int64_t offset)
{
	ccfc_params_int(p, "limit", limit);
	ccfc_params_int(p, "offset", offset);
}

int ccfc_session_list(struct ccfc_reply **out, struct ccfc_client *client,
		      const struct ccfc_list_query *q, struct ccfc_err *err)
{
	struct ccfc_params p;

	*out = NULL;
	if (q && ccfc_params_version(q->version, CCFC_LIST_QUERY_VERSION,
				     "a list query", err))
		return CCFC_EINVAL;
	ccfc_params_begin(&p);
	if (q) {
		put_place(&p, q->project_path, q->cwd, q->from_date,
			  q->to_date);
		ccfc_params_str(&p, "branch", q->branch);
		ccfc_params_str(&p, "model", q->model);
		ccfc_params_str(&p, "status", q->status);
		ccfc_params_str(&p, "touched", q->touched);
		ccfc_params_str(&p, "sort", q->sort);
		put_page(&p, q->limit, q->offset);
	}
	return ccfc_params_call(out, client, CCFC_M_SESSION_LIST, &p, err);
}

/* A call about what is said in a session. */
static int talk(struct ccfc_reply **out, struct ccfc_client *client,
		const char *method, const char *session,
		const struct ccfc_talk_query *q, struct ccfc_err *err)
{
	struct ccfc_params p;

	*out = NULL;
	if (q && ccfc_params_version(q->version, CCFC_TALK_QUERY_VERSION,
				     "a talk query", err))
		return CCFC_EINVAL;
	ccfc_params_begin(&p);
	ccfc_params_str(&p, "session", session);
	if (q) {
		ccfc_params_content(&p, q->content);
		ccfc_params_int(&p, "maxContent", q->max_content);
		ccfc_params_true(&p, "includeThinking", q->thinking);
		ccfc_params_str(&p, "role", q->role);
		ccfc_params_str(&p, "agentId", q->agent);
		ccfc_params_str(&p, "message", q->message);
		put_page(&p, q->limit, q->offset);
	}
	return ccfc_params_call(out, client, method, &p, err);
}

int ccfc_session_get(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *session, const struct ccfc_talk_query *q,
		     struct ccfc_err *err)
{
	return talk(out, client, CCFC_M_SESSION_GET, session, q, err);
}

int ccfc_session_messages(struct ccfc_reply **out, struct ccfc_client *client,
			  const char *session, const struct ccfc_talk_query *q,
			  struct ccfc_err *err)
{
	return talk(out, client, CCFC_M_SESSION_MESSAGES, session, q, err);
}

int ccfc_session_timeline(struct ccfc_reply **out, struct ccfc_client *client,
			  const char *session, const struct ccfc_talk_query *q,
			  struct ccfc_err *err)
{
	return talk(out, client, CCFC_M_SESSION_TIMELINE, session, q, err);
}

int ccfc_session_tree(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *session, const struct ccfc_talk_query *q,
		      struct ccfc_err *err)
{
	return talk(out, client, CCFC_M_SESSION_TREE, session, q, err);
}

int ccfc_session_reads(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *session, const struct ccfc_query *q,
		       struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_SESSION_READS, "session",
			       session, NULL, NULL, q, err);
}

int ccfc_file_readers(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *path, const struct ccfc_query *q,
		      struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_FILE_READERS, "path", path,
			       NULL, NULL, q, err);
}

int ccfc_stats_get(struct ccfc_reply **out, struct ccfc_client *client,
		   const struct ccfc_stats_query *q, struct ccfc_err *err)
{
	struct ccfc_params p;

	*out = NULL;
	if (q && ccfc_params_version(q->version, CCFC_STATS_QUERY_VERSION,
				     "a stats query", err))
		return CCFC_EINVAL;
	ccfc_params_begin(&p);
	if (q) {
		ccfc_params_str(&p, "session", q->session);
		put_place(&p, q->project_path, q->cwd, q->from_date,
			  q->to_date);
		ccfc_params_str(&p, "by", q->by);
		put_page(&p, q->limit, q->offset);
	}
	return ccfc_params_call(out, client, CCFC_M_STATS_GET, &p, err);
}

int ccfc_text_search(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *pattern, const struct ccfc_text_query *q,
		     struct ccfc_err *err)
{
	struct ccfc_params p;

	*out = NULL;
	if (q && ccfc_params_version(q->version, CCFC_TEXT_QUERY_VERSION,
				     "a text query", err))
		return CCFC_EINVAL;
	ccfc_params_begin(&p);
	ccfc_params_str(&p, "pattern", pattern);
	if (q) {
		ccfc_params_true(&p, "regex", q->regex);
		ccfc_params_true(&p, "caseSensitive", q->case_sensitive);
		ccfc_params_str(&p, "role", q->role);
		ccfc_params_str(&p, "session", q->session);
		put_place(&p, q->project_path, q->cwd, q->from_date,
			  q->to_date);
		ccfc_params_list(&p, "in", q->in);
		ccfc_params_str(&p, "sort", q->sort);
		put_page(&p, q->limit, q->offset);
	}
	return ccfc_params_call(out, client, CCFC_M_TEXT_SEARCH, &p, err);
}
