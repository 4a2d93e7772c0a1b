/*
 * One function for each method: pack what was set in the caller's struct
 * under the protocol's names, and call. The daemon checks the values, so that
 * every client hears the same words about a bad one.
 */
#include "lib/params.h"

static int call_bare(struct ccfc_reply **out, struct ccfc_client *c,
		     const char *method, struct ccfc_err *err)
{
	return ccfc_lib_call(out, c, method, CCFC_SLICE_NONE, NULL, NULL, err);
}

int ccfc_session_files(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *session, const struct ccfc_query *q,
		       struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_SESSION_FILES, "session",
			       session, NULL, NULL, q, err);
}

int ccfc_session_file_changes(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *session,
			      const char *path, const struct ccfc_query *q,
			      struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_SESSION_FILE_CHANGES,
			       "session", session, "path", path, q, err);
}

int ccfc_file_sessions(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *path, const struct ccfc_query *q,
		       struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_FILE_SESSIONS, "path", path,
			       NULL, NULL, q, err);
}

int ccfc_file_match(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *pattern, const struct ccfc_query *q,
		    struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_FILE_MATCH, "pattern",
			       pattern, NULL, NULL, q, err);
}

int ccfc_file_at(struct ccfc_reply **out, struct ccfc_client *client,
		 const char *path, const char *at, const struct ccfc_query *q,
		 struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_FILE_AT, "path", path, "at",
			       at, q, err);
}

int ccfc_file_log(struct ccfc_reply **out, struct ccfc_client *client,
		  const char *path, const struct ccfc_query *q,
		  struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_FILE_LOG, "path", path, NULL,
			       NULL, q, err);
}

int ccfc_change_get(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *change, const struct ccfc_query *q,
		    struct ccfc_err *err)
{
	return ccfc_params_ask(out, client, CCFC_M_CHANGE_GET, "change", change,
			       NULL, NULL, q, err);
}

int ccfc_session_diff(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *session, const char *const *paths, bool net,
		      const struct ccfc_query *q, struct ccfc_err *err)
{
	struct ccfc_params p;
	int r = ccfc_params_begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	ccfc_params_str(&p, "session", session);
	ccfc_params_list(&p, "paths", paths);
	ccfc_params_true(&p, "net", net);
	return ccfc_params_end_query(out, client, CCFC_M_SESSION_DIFF, &p, q,
				     err);
}

int ccfc_session_revert(struct ccfc_reply **out, struct ccfc_client *client,
			const char *session, const char *const *paths,
			const struct ccfc_query *q, struct ccfc_err *err)
{
	struct ccfc_params p;
	int r = ccfc_params_begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	ccfc_params_str(&p, "session", session);
	ccfc_params_list(&p, "paths", paths);
	return ccfc_params_end_query(out, client, CCFC_M_SESSION_REVERT, &p, q,
				     err);
}

int ccfc_session_recover(struct ccfc_reply **out, struct ccfc_client *client,
			 const char *session, const char *const *keywords,
			 const struct ccfc_query *q, struct ccfc_err *err)
{
	struct ccfc_params p;
	int r = ccfc_params_begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	ccfc_params_str(&p, "session", session);
	ccfc_params_true(&p, "deleted", !session);
	ccfc_params_list(&p, "keywords", keywords);
	return ccfc_params_end_query(out, client, CCFC_M_SESSION_RECOVER, &p, q,
				     err);
}

int ccfc_file_blame(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *path, const struct ccfc_blame_query *q,
		    struct ccfc_err *err)
{
	struct ccfc_params p;

	*out = NULL;
	if (q && ccfc_params_version(q->version, CCFC_BLAME_QUERY_VERSION,
				     "a blame query", err))
		return CCFC_EINVAL;
	ccfc_params_begin(&p);
	ccfc_params_str(&p, "path", path);
	if (q) {
		ccfc_params_str(&p, "at", q->at);
		ccfc_params_int(&p, "from", q->from);
		ccfc_params_int(&p, "to", q->to);
		ccfc_params_true(&p, "ignoreSpace", q->ignore_space);
		ccfc_params_content(&p, q->content);
		ccfc_params_list(&p, "alternatives", q->alternatives);
		ccfc_params_str(&p, "cwd", q->cwd);
	}
	return ccfc_params_call(out, client, CCFC_M_FILE_BLAME, &p, err);
}

struct progress_sink {
	ccfc_progress_fn fn;
	void *data;
};

static bool on_progress(void *data, const struct ccfc_reply *reply)
{
	const struct progress_sink *sink = data;
	struct ccfc_obj o = ccfc_obj_at(reply->rpc.params, 0);
	struct ccfc_progress progress;

	if (strcmp(reply->method, CCFC_N_PROGRESS) != 0)
		return false;
	progress.files_done = ccfc_obj_get_int(o, "filesDone", 0);
	progress.files_total = ccfc_obj_get_int(o, "filesTotal", 0);
	progress.bytes_done = ccfc_obj_get_int(o, "bytesDone", 0);
	progress.bytes_total = ccfc_obj_get_int(o, "bytesTotal", 0);
	sink->fn(sink->data, &progress);
	return true;
}

int ccfc_index_build(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *project_path, ccfc_progress_fn fn, void *data,
		     struct ccfc_err *err)
{
	struct progress_sink sink = { fn, data };
	struct ccfc_params p;
	int r;

	ccfc_params_begin(&p);
	ccfc_params_str(&p, "projectPath", project_path);
	ccfc_params_true(&p, "progress", fn != NULL);
	ccfc_pack_end(&p.pack);
	r = ccfc_lib_call(out, client, CCFC_M_INDEX_BUILD,
			  ccfc_buf_view(&p.buf), fn ? on_progress : NULL, &sink,
			  err);
	ccfc_buf_release(&p.buf);
	return r;
}

int ccfc_sql_query(struct ccfc_reply **out, struct ccfc_client *client,
		   const char *query, int64_t limit, struct ccfc_err *err)
{
	struct ccfc_params p;

	*out = NULL;
	ccfc_params_begin(&p);
	ccfc_params_str(&p, "query", query);
	ccfc_params_int(&p, "limit", limit);
	return ccfc_params_call(out, client, CCFC_M_SQL_QUERY, &p, err);
}

int ccfc_sql_schema(struct ccfc_reply **out, struct ccfc_client *client,
		    struct ccfc_err *err)
{
	return call_bare(out, client, CCFC_M_SQL_SCHEMA, err);
}

int ccfc_index_stats(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return call_bare(out, client, CCFC_M_INDEX_STATS, err);
}

int ccfc_index_dump(struct ccfc_reply **out, struct ccfc_client *client,
		    struct ccfc_err *err)
{
	return call_bare(out, client, CCFC_M_INDEX_DUMP, err);
}

int ccfc_store_check(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return call_bare(out, client, CCFC_M_STORE_CHECK, err);
}

int ccfc_source_list(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return call_bare(out, client, CCFC_M_SOURCE_LIST, err);
}

/* An events call: a clock under `key`, and the filter. */
static int events(struct ccfc_reply **out, struct ccfc_client *c,
		  const char *method, const char *key, const char *clock,
		  const struct ccfc_event_filter *f, struct ccfc_err *err)
{
	struct ccfc_params p;
	int r = f ? ccfc_params_version(f->version, CCFC_EVENT_FILTER_VERSION,
					"a filter", err)
		  : 0;

	*out = NULL;
	if (r < 0)
		return r;
	ccfc_params_begin(&p);
	ccfc_params_str(&p, key, clock);
	if (f) {
		ccfc_params_str(&p, "path", f->path);
		ccfc_params_str(&p, "cwd", f->cwd);
		ccfc_params_str(&p, "projectPath", f->project_path);
		ccfc_params_str(&p, "session", f->session);
		ccfc_params_list(&p, "states", f->states);
		ccfc_params_int(&p, "limit", f->limit);
	}
	return ccfc_params_call(out, c, method, &p, err);
}

int ccfc_events_subscribe(struct ccfc_reply **out, struct ccfc_client *client,
			  const struct ccfc_event_filter *filter,
			  const char *since, struct ccfc_err *err)
{
	return events(out, client, CCFC_M_EVENTS_SUBSCRIBE, "since", since,
		      filter, err);
}

int ccfc_events_since(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *clock, const struct ccfc_event_filter *filter,
		      struct ccfc_err *err)
{
	return events(out, client, CCFC_M_EVENTS_SINCE, "clock", clock, filter,
		      err);
}

int ccfc_events_unsubscribe(struct ccfc_client *client, int64_t subscription,
			    struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	struct ccfc_params p;
	int r;

	ccfc_params_begin(&p);
	ccfc_pack_kv_int(&p.pack, "subscription", subscription);
	r = ccfc_params_call(&reply, client, CCFC_M_EVENTS_UNSUBSCRIBE, &p,
			     err);
	ccfc_reply_free(reply);
	return r;
}

int ccfc_server_info(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return call_bare(out, client, CCFC_M_SERVER_INFO, err);
}

int ccfc_server_stop(struct ccfc_client *client, struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	int r = call_bare(&reply, client, CCFC_M_SERVER_STOP, err);

	ccfc_reply_free(reply);
	return r;
}
