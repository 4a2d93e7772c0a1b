/*
 * One function for each method: pack what was set in the caller's struct
 * under the protocol's names, and call. The daemon checks the values, so that
 * every client hears the same words about a bad one.
 */
#include "lib/lib.h"

/* The params map of one call. */
struct params {
	struct ccfc_buf buf;
	struct ccfc_pack pack;
};

static void begin(struct params *p)
{
	ccfc_buf_init(&p->buf);
	ccfc_pack_init(&p->pack, &p->buf);
	ccfc_pack_map(&p->pack);
}

/* Closes the map, calls, and releases the params. */
static int call(struct ccfc_reply **out, struct ccfc_client *c,
		const char *method, struct params *p, struct ccfc_err *err)
{
	int r;

	ccfc_pack_end(&p->pack);
	r = ccfc_lib_call(out, c, method, ccfc_buf_view(&p->buf), NULL, NULL,
			  err);
	ccfc_buf_release(&p->buf);
	return r;
}

static int call_bare(struct ccfc_reply **out, struct ccfc_client *c,
		     const char *method, struct ccfc_err *err)
{
	return ccfc_lib_call(out, c, method, CCFC_SLICE_NONE, NULL, NULL, err);
}

static void put_str(struct params *p, const char *key, const char *s)
{
	if (s)
		ccfc_pack_kv_cstr(&p->pack, key, s);
}

static void put_int(struct params *p, const char *key, int64_t v)
{
	if (v)
		ccfc_pack_kv_int(&p->pack, key, v);
}

static void put_list(struct params *p, const char *key, const char *const *list)
{
	if (!list)
		return;
	ccfc_pack_cstr(&p->pack, key);
	ccfc_pack_array(&p->pack);
	for (; *list; list++)
		ccfc_pack_cstr(&p->pack, *list);
	ccfc_pack_end(&p->pack);
}

static int check_version(uint32_t version, uint32_t known, const char *what,
			 struct ccfc_err *err)
{
	if (version >= 1 && version <= known)
		return 0;
	return ccfc_err_set(err, CCFC_EINVAL, "%s of an unknown version (%u)",
			    what, (unsigned)version);
}

static void put_query(struct params *p, const struct ccfc_query *q)
{
	if (q->content != CCFC_CONTENT_DEFAULT)
		ccfc_pack_kv_bool(&p->pack, "includeContent",
				  q->content == CCFC_CONTENT_YES);
	put_int(p, "maxContent", q->max_content);
	put_int(p, "limit", q->limit);
	put_int(p, "offset", q->offset);
	put_list(p, "states", q->states);
	put_list(p, "extensions", q->extensions);
	put_list(p, "directories", q->directories);
	put_list(p, "tools", q->tools);
	put_list(p, "alternatives", q->alternatives);
	put_str(p, "cwd", q->cwd);
	put_str(p, "projectPath", q->project_path);
	put_str(p, "fromDate", q->from_date);
	put_str(p, "toDate", q->to_date);
	/* A caller that was built with an older header has no more fields. */
	if (q->version >= 2 && q->context)
		ccfc_pack_kv_int(&p->pack, "context",
				 q->context > 0 ? q->context : 0);
	if (q->version >= 2 && q->prompts)
		ccfc_pack_kv_bool(&p->pack, "includePrompt", true);
}

static int begin_query(struct ccfc_reply **out, struct params *p,
		       const struct ccfc_query *q, struct ccfc_err *err)
{
	*out = NULL;
	if (q && check_version(q->version, CCFC_QUERY_VERSION, "a query", err))
		return CCFC_EINVAL;
	begin(p);
	return 0;
}

static int end_query(struct ccfc_reply **out, struct ccfc_client *c,
		     const char *method, struct params *p,
		     const struct ccfc_query *q, struct ccfc_err *err)
{
	if (q)
		put_query(p, q);
	return call(out, c, method, p, err);
}

/* A query has one or two subjects (k2 may be NULL), and the options. */
static int query(struct ccfc_reply **out, struct ccfc_client *c,
		 const char *method, const char *k1, const char *v1,
		 const char *k2, const char *v2, const struct ccfc_query *q,
		 struct ccfc_err *err)
{
	struct params p;
	int r = begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	put_str(&p, k1, v1);
	if (k2)
		put_str(&p, k2, v2);
	return end_query(out, c, method, &p, q, err);
}

int ccfc_session_files(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *session, const struct ccfc_query *q,
		       struct ccfc_err *err)
{
	return query(out, client, CCFC_M_SESSION_FILES, "session", session,
		     NULL, NULL, q, err);
}

int ccfc_session_file_changes(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *session,
			      const char *path, const struct ccfc_query *q,
			      struct ccfc_err *err)
{
	return query(out, client, CCFC_M_SESSION_FILE_CHANGES, "session",
		     session, "path", path, q, err);
}

int ccfc_file_sessions(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *path, const struct ccfc_query *q,
		       struct ccfc_err *err)
{
	return query(out, client, CCFC_M_FILE_SESSIONS, "path", path, NULL,
		     NULL, q, err);
}

int ccfc_file_match(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *pattern, const struct ccfc_query *q,
		    struct ccfc_err *err)
{
	return query(out, client, CCFC_M_FILE_MATCH, "pattern", pattern, NULL,
		     NULL, q, err);
}

int ccfc_file_at(struct ccfc_reply **out, struct ccfc_client *client,
		 const char *path, const char *at, const struct ccfc_query *q,
		 struct ccfc_err *err)
{
	return query(out, client, CCFC_M_FILE_AT, "path", path, "at", at, q,
		     err);
}

int ccfc_file_log(struct ccfc_reply **out, struct ccfc_client *client,
		  const char *path, const struct ccfc_query *q,
		  struct ccfc_err *err)
{
	return query(out, client, CCFC_M_FILE_LOG, "path", path, NULL, NULL, q,
		     err);
}

int ccfc_change_get(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *change, const struct ccfc_query *q,
		    struct ccfc_err *err)
{
	return query(out, client, CCFC_M_CHANGE_GET, "change", change, NULL,
		     NULL, q, err);
}

int ccfc_session_diff(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *session, const char *const *paths, bool net,
		      const struct ccfc_query *q, struct ccfc_err *err)
{
	struct params p;
	int r = begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	put_str(&p, "session", session);
	put_list(&p, "paths", paths);
	if (net)
		ccfc_pack_kv_bool(&p.pack, "net", true);
	return end_query(out, client, CCFC_M_SESSION_DIFF, &p, q, err);
}

int ccfc_session_revert(struct ccfc_reply **out, struct ccfc_client *client,
			const char *session, const char *const *paths,
			const struct ccfc_query *q, struct ccfc_err *err)
{
	struct params p;
	int r = begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	put_str(&p, "session", session);
	put_list(&p, "paths", paths);
	return end_query(out, client, CCFC_M_SESSION_REVERT, &p, q, err);
}

int ccfc_session_recover(struct ccfc_reply **out, struct ccfc_client *client,
			 const char *session, const char *const *keywords,
			 const struct ccfc_query *q, struct ccfc_err *err)
{
	struct params p;
	int r = begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	put_str(&p, "session", session);
	if (!session)
		ccfc_pack_kv_bool(&p.pack, "deleted", true);
	put_list(&p, "keywords", keywords);
	return end_query(out, client, CCFC_M_SESSION_RECOVER, &p, q, err);
}

int ccfc_file_blame(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *path, const struct ccfc_blame_query *q,
		    struct ccfc_err *err)
{
	struct params p;

	*out = NULL;
	if (q && check_version(q->version, CCFC_BLAME_QUERY_VERSION,
			       "a blame query", err))
		return CCFC_EINVAL;
	begin(&p);
	put_str(&p, "path", path);
	if (q) {
		put_str(&p, "at", q->at);
		put_int(&p, "from", q->from);
		put_int(&p, "to", q->to);
		if (q->ignore_space)
			ccfc_pack_kv_bool(&p.pack, "ignoreSpace", true);
		if (q->content != CCFC_CONTENT_DEFAULT)
			ccfc_pack_kv_bool(&p.pack, "includeContent",
					  q->content == CCFC_CONTENT_YES);
		put_list(&p, "alternatives", q->alternatives);
		put_str(&p, "cwd", q->cwd);
	}
	return call(out, client, CCFC_M_FILE_BLAME, &p, err);
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
	struct params p;
	int r;

	begin(&p);
	put_str(&p, "projectPath", project_path);
	if (fn)
		ccfc_pack_kv_bool(&p.pack, "progress", true);
	ccfc_pack_end(&p.pack);
	r = ccfc_lib_call(out, client, CCFC_M_INDEX_BUILD,
			  ccfc_buf_view(&p.buf), fn ? on_progress : NULL, &sink,
			  err);
	ccfc_buf_release(&p.buf);
	return r;
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

/* An events call: a clock under `key`, and the filter. */
static int events(struct ccfc_reply **out, struct ccfc_client *c,
		  const char *method, const char *key, const char *clock,
		  const struct ccfc_event_filter *f, struct ccfc_err *err)
{
	struct params p;
	int r = f ? check_version(f->version, CCFC_EVENT_FILTER_VERSION,
				  "a filter", err)
		  : 0;

	*out = NULL;
	if (r < 0)
		return r;
	begin(&p);
	put_str(&p, key, clock);
	if (f) {
		put_str(&p, "path", f->path);
		put_str(&p, "cwd", f->cwd);
		put_str(&p, "projectPath", f->project_path);
		put_str(&p, "session", f->session);
		put_list(&p, "states", f->states);
		put_int(&p, "limit", f->limit);
	}
	return call(out, c, method, &p, err);
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
	struct params p;
	int r;

	begin(&p);
	ccfc_pack_kv_int(&p.pack, "subscription", subscription);
	r = call(&reply, client, CCFC_M_EVENTS_UNSUBSCRIBE, &p, err);
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
