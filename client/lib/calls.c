/*
 * One function for each method: packs its arguments and the caller's query
 * under the protocol's names, and calls. The daemon checks the values, so that
 * every client gets the same error texts.
 */
#include "lib/call_options.h"

/* The arguments of a call follow `query`; see CCFC_ARG_… in call_options.h. */
#define ASK(out, client, symbol, query, err, ...)                              \
	call_with_query(out, client, CCFC_M_##symbol, query, err,              \
			(const struct ccfc_arg[]){ __VA_ARGS__ },              \
			sizeof((const struct ccfc_arg[]){ __VA_ARGS__ }) /     \
				sizeof(struct ccfc_arg),                       \
			NULL, NULL)

static int call_with_query(struct ccfc_reply **out, struct ccfc_client *client,
			   const char *method, const struct ccfc_query *query,
			   struct ccfc_err *err, const struct ccfc_arg *args,
			   size_t nargs, ccfc_notify_fn fn, void *data)
{
	struct ccfc_buf params = CCFC_BUF_INIT;
	struct ccfc_query all;
	int r = ccfc_query_pack(&params, args, nargs, query, err);

	*out = NULL;
	if (!r)
		r = ccfc_lib_call(out, client, method, ccfc_buf_view(&params),
				  fn, data, err);
	ccfc_buf_release(&params);
	if (r != CCFC_EINVAL || !query || query->changes != CCFC_CONTENT_NO)
		return r;
	/* An older daemon only knows how to answer with everything. */
	all = *query;
	all.changes = CCFC_CONTENT_DEFAULT;
	return call_with_query(out, client, method, &all, err, args, nargs, fn,
			       data);
}

/* A method without options. */
static int ask_bare(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *method, struct ccfc_err *err)
{
	return ccfc_lib_call(out, client, method, CCFC_SLICE_NONE, NULL, NULL,
			     err);
}

int ccfc_session_files(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *session, const struct ccfc_query *query,
		       struct ccfc_err *err)
{
	return ASK(out, client, SESSION_FILES, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_session_file_changes(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *session,
			      const char *path, const struct ccfc_query *query,
			      struct ccfc_err *err)
{
	return ASK(out, client, SESSION_FILE_CHANGES, query, err,
		   CCFC_ARG_TEXT(SESSION, session), CCFC_ARG_TEXT(PATH, path));
}

int ccfc_file_sessions(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *path, const struct ccfc_query *query,
		       struct ccfc_err *err)
{
	return ASK(out, client, FILE_SESSIONS, query, err,
		   CCFC_ARG_TEXT(PATH, path));
}

int ccfc_file_match(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *pattern, const struct ccfc_query *query,
		    struct ccfc_err *err)
{
	return ASK(out, client, FILE_MATCH, query, err,
		   CCFC_ARG_TEXT(PATTERN, pattern));
}

int ccfc_file_at(struct ccfc_reply **out, struct ccfc_client *client,
		 const char *path, const char *at,
		 const struct ccfc_query *query, struct ccfc_err *err)
{
	return ASK(out, client, FILE_AT, query, err, CCFC_ARG_TEXT(PATH, path),
		   CCFC_ARG_TEXT(AT, at));
}

int ccfc_file_log(struct ccfc_reply **out, struct ccfc_client *client,
		  const char *path, const struct ccfc_query *query,
		  struct ccfc_err *err)
{
	return ASK(out, client, FILE_LOG, query, err,
		   CCFC_ARG_TEXT(PATH, path));
}

int ccfc_file_blame(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *path, const struct ccfc_query *query,
		    struct ccfc_err *err)
{
	return ASK(out, client, FILE_BLAME, query, err,
		   CCFC_ARG_TEXT(PATH, path));
}

int ccfc_change_get(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *change, const struct ccfc_query *query,
		    struct ccfc_err *err)
{
	return ASK(out, client, CHANGE_GET, query, err,
		   CCFC_ARG_TEXT(CHANGE, change));
}

int ccfc_session_diff(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *session, const char *const *paths, bool net,
		      const struct ccfc_query *query, struct ccfc_err *err)
{
	return ASK(out, client, SESSION_DIFF, query, err,
		   CCFC_ARG_TEXT(SESSION, session), CCFC_ARG_LIST(PATHS, paths),
		   CCFC_ARG_FLAG(NET, net));
}

int ccfc_session_revert(struct ccfc_reply **out, struct ccfc_client *client,
			const char *session, const char *const *paths,
			const struct ccfc_query *query, struct ccfc_err *err)
{
	return ASK(out, client, SESSION_REVERT, query, err,
		   CCFC_ARG_TEXT(SESSION, session),
		   CCFC_ARG_LIST(PATHS, paths));
}

int ccfc_changes_revert(struct ccfc_reply **out, struct ccfc_client *client,
			const char *const *changes,
			const struct ccfc_query *query, struct ccfc_err *err)
{
	return ASK(out, client, SESSION_REVERT, query, err,
		   CCFC_ARG_LIST(CHANGE_IDS, changes));
}

int ccfc_session_recover(struct ccfc_reply **out, struct ccfc_client *client,
			 const char *session, const char *const *keywords,
			 const struct ccfc_query *query, struct ccfc_err *err)
{
	return ASK(out, client, SESSION_RECOVER, query, err,
		   CCFC_ARG_TEXT(SESSION, session),
		   CCFC_ARG_FLAG(DELETED, !session),
		   CCFC_ARG_LIST(KEYWORDS, keywords));
}

int ccfc_session_label(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *session, const char *name,
		       const char *const *tags, struct ccfc_err *err)
{
	return ASK(out, client, SESSION_LABEL, NULL, err,
		   CCFC_ARG_TEXT(SESSION, session), CCFC_ARG_TEXT(LABEL, name),
		   CCFC_ARG_LIST(TAGS, tags));
}

int ccfc_command_mark(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *session, const char *tool_use_id,
		      const char *cwd, int64_t began, int64_t ended,
		      struct ccfc_err *err)
{
	return ASK(out, client, COMMAND_MARK, NULL, err,
		   CCFC_ARG_TEXT(SESSION, session),
		   CCFC_ARG_TEXT(TOOL_USE_ID, tool_use_id),
		   CCFC_ARG_TEXT(CWD, cwd), CCFC_ARG_NUMBER(BEGAN, began),
		   CCFC_ARG_NUMBER(ENDED, ended));
}

int ccfc_session_get(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *session, const struct ccfc_query *query,
		     struct ccfc_err *err)
{
	return ASK(out, client, SESSION_GET, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_session_messages(struct ccfc_reply **out, struct ccfc_client *client,
			  const char *session, const struct ccfc_query *query,
			  struct ccfc_err *err)
{
	return ASK(out, client, SESSION_MESSAGES, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_session_timeline(struct ccfc_reply **out, struct ccfc_client *client,
			  const char *session, const struct ccfc_query *query,
			  struct ccfc_err *err)
{
	return ASK(out, client, SESSION_TIMELINE, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_session_tree(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *session, const struct ccfc_query *query,
		      struct ccfc_err *err)
{
	return ASK(out, client, SESSION_TREE, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_session_reads(struct ccfc_reply **out, struct ccfc_client *client,
		       const char *session, const struct ccfc_query *query,
		       struct ccfc_err *err)
{
	return ASK(out, client, SESSION_READS, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_file_readers(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *path, const struct ccfc_query *query,
		      struct ccfc_err *err)
{
	return ASK(out, client, FILE_READERS, query, err,
		   CCFC_ARG_TEXT(PATH, path));
}

int ccfc_conflict_list(struct ccfc_reply **out, struct ccfc_client *client,
		       bool live, const struct ccfc_query *query,
		       struct ccfc_err *err)
{
	return ASK(out, client, CONFLICT_LIST, query, err,
		   CCFC_ARG_FLAG(LIVE, live));
}

int ccfc_text_search(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *pattern, const struct ccfc_query *query,
		     struct ccfc_err *err)
{
	return ASK(out, client, TEXT_SEARCH, query, err,
		   CCFC_ARG_TEXT(PATTERN, pattern));
}

int ccfc_sql_query(struct ccfc_reply **out, struct ccfc_client *client,
		   const char *query, int64_t limit, struct ccfc_err *err)
{
	return ASK(out, client, SQL_QUERY, NULL, err,
		   CCFC_ARG_TEXT(QUERY, query), CCFC_ARG_NUMBER(LIMIT, limit));
}

int ccfc_session_list(struct ccfc_reply **out, struct ccfc_client *client,
		      const struct ccfc_query *query, struct ccfc_err *err)
{
	return call_with_query(out, client, CCFC_M_SESSION_LIST, query, err,
			       NULL, 0, NULL, NULL);
}

int ccfc_stats_get(struct ccfc_reply **out, struct ccfc_client *client,
		   const struct ccfc_query *query, struct ccfc_err *err)
{
	return call_with_query(out, client, CCFC_M_STATS_GET, query, err, NULL,
			       0, NULL, NULL);
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
	const struct ccfc_arg args[] = {
		CCFC_ARG_TEXT(PROJECT_PATH, project_path),
		CCFC_ARG_FLAG(PROGRESS, fn != NULL),
	};

	return call_with_query(out, client, CCFC_M_INDEX_BUILD, NULL, err, args,
			       2, fn ? on_progress : NULL, &sink);
}

int ccfc_sql_schema(struct ccfc_reply **out, struct ccfc_client *client,
		    struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_SQL_SCHEMA, err);
}

int ccfc_index_stats(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_INDEX_STATS, err);
}

int ccfc_index_dump(struct ccfc_reply **out, struct ccfc_client *client,
		    struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_INDEX_DUMP, err);
}

int ccfc_store_check(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_STORE_CHECK, err);
}

int ccfc_store_check_deep(struct ccfc_reply **out, struct ccfc_client *client,
			  struct ccfc_err *err)
{
	return ASK(out, client, STORE_CHECK, NULL, err,
		   CCFC_ARG_FLAG(DEEP, true));
}

int ccfc_source_list(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_SOURCE_LIST, err);
}

int ccfc_server_info(struct ccfc_reply **out, struct ccfc_client *client,
		     struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_SERVER_INFO, err);
}

int ccfc_server_roots(struct ccfc_reply **out, struct ccfc_client *client,
		      struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_SERVER_ROOTS, err);
}

int ccfc_events_subscribe(struct ccfc_reply **out, struct ccfc_client *client,
			  const struct ccfc_query *query, const char *since,
			  struct ccfc_err *err)
{
	return ASK(out, client, EVENTS_SUBSCRIBE, query, err,
		   CCFC_ARG_TEXT(SINCE, since));
}

int ccfc_events_since(struct ccfc_reply **out, struct ccfc_client *client,
		      const char *clock, const struct ccfc_query *query,
		      struct ccfc_err *err)
{
	return ASK(out, client, EVENTS_SINCE, query, err,
		   CCFC_ARG_TEXT(CLOCK, clock));
}

int ccfc_events_unsubscribe(struct ccfc_client *client, int64_t subscription,
			    struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	int r = ASK(&reply, client, EVENTS_UNSUBSCRIBE, NULL, err,
		    CCFC_ARG_NUMBER(SUBSCRIPTION, subscription));

	ccfc_reply_free(reply);
	return r;
}

int ccfc_server_stop(struct ccfc_client *client, struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	int r = ask_bare(&reply, client, CCFC_M_SERVER_STOP, err);

	ccfc_reply_free(reply);
	return r;
}

int ccfc_forget_list(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *session, const struct ccfc_query *query,
		     struct ccfc_err *err)
{
	return ASK(out, client, FORGET_LIST, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_forget_run(struct ccfc_reply **out, struct ccfc_client *client,
		    const char *session, const struct ccfc_query *query,
		    struct ccfc_err *err)
{
	return ASK(out, client, FORGET_RUN, query, err,
		   CCFC_ARG_TEXT(SESSION, session));
}

int ccfc_export_list(struct ccfc_reply **out, struct ccfc_client *client,
		     const struct ccfc_query *query, struct ccfc_err *err)
{
	return call_with_query(out, client, CCFC_M_ARCHIVE_LIST, query, err,
			       NULL, 0, NULL, NULL);
}

int ccfc_export_seen(struct ccfc_reply **out, struct ccfc_client *client,
		     const struct ccfc_query *query, struct ccfc_err *err)
{
	return call_with_query(out, client, CCFC_M_ARCHIVE_SEEN, query, err,
			       NULL, 0, NULL, NULL);
}

int ccfc_import_path(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *path, struct ccfc_err *err)
{
	return ASK(out, client, ARCHIVE_IMPORT, NULL, err,
		   CCFC_ARG_TEXT(PATH, path));
}

int ccfc_web_start(struct ccfc_reply **out, struct ccfc_client *client,
		   int port, struct ccfc_err *err)
{
	return ASK(out, client, WEB_START, NULL, err,
		   CCFC_ARG_NUMBER(PORT, port));
}

int ccfc_web_stop(struct ccfc_reply **out, struct ccfc_client *client,
		  struct ccfc_err *err)
{
	return ask_bare(out, client, CCFC_M_WEB_STOP, err);
}
