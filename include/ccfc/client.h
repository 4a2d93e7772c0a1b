/*
 * libccfc: ask the ccfc daemon which Claude Code session changed which file,
 * and follow changes as they happen.
 *
 *	struct ccfc_client *client;
 *	struct ccfc_reply *reply;
 *	struct ccfc_err err;
 *
 *	if (ccfc_client_new(&client, NULL, &err) < 0)
 *		die(err.what, err.hint);
 *	if (ccfc_file_sessions(&reply, client, "/src/main.c", NULL, &err) < 0)
 *		die(err.what, err.hint);
 *	history = ccfc_reply_value(reply);
 *	printf("%lld sessions\n", (long long)ccfc_value_int(
 *		ccfc_value_get(history, "totalSessions"), 0));
 *	ccfc_reply_free(reply);
 *	ccfc_client_free(client);
 *
 * The daemon
 * ----------
 * A client is one connection to the daemon's Unix socket. If no daemon runs,
 * ccfc_client_new starts one and waits until it is ready. Several clients at
 * the same time start one daemon only. The daemon keeps running after the
 * client is freed. Set CCFC_NO_SPAWN=1, or the option `spawn`, to get an error
 * instead; with CCFC_NO_SPAWN=stopped only a daemon that crashed is started. A
 * server that belongs to another user is refused.
 *
 * The environment says where things are: CCFC_SOCKET is the socket; else it
 * is ccfc.sock in CCFC_STATE_DIR if that is set, else in $XDG_RUNTIME_DIR/ccfc,
 * else in $XDG_STATE_HOME/ccfc (~/.local/state/ccfc). CCFC_DAEMON is the
 * binary to start; else it is looked for beside the running program, in
 * ../libexec/ccfc and ../daemon from there, and in PATH.
 *
 * Threads
 * -------
 * A client and its replies belong to one thread at a time. Clients are
 * independent of each other; use one for each thread. The library starts no
 * threads, installs no signal handlers and never raises SIGPIPE. A signal does
 * not interrupt a call. Starting the daemon forks twice and leaves the caller
 * no child to wait for. All descriptors are close-on-exec.
 *
 * Ownership
 * ---------
 * Objects returned through a pointer-to-pointer are yours: free each with the
 * function of its type, which also accepts NULL. Everything else that is
 * returned is borrowed. A struct ccfc_value, and the bytes of its string, live
 * as long as their reply; a reply may outlive its client. Arguments are never
 * kept after the call.
 *
 * Calls and replies
 * -----------------
 * A call sends a request and waits for its answer. Answers are trees of maps,
 * arrays and scalars, with the field names that proto/PROTOCOL.md documents;
 * the accessors below never fail: they return a default if a field is missing
 * or of another type. So old programs work with newer daemons, which add fields
 * and never remove one.
 *
 * Events, and your event loop
 * ---------------------------
 * After ccfc_events_subscribe the daemon sends events on the same connection.
 * ccfc_client_next_event returns them in order. Events that arrive while a call
 * waits for its answer are kept (up to 64 MiB, then the call fails with
 * CCFC_ETOOBIG and the connection is closed).
 *
 * To wait in your own loop, poll ccfc_client_fd for reading, and then call
 * ccfc_client_next_event with timeout 0 until it returns 0: the client may hold
 * events that no longer show on the descriptor. Do the same once after each
 * call, before you poll again. Only poll the descriptor.
 *
 * To miss nothing, remember the `clock` of the last event, and pass it as
 * `since` when you subscribe again; an event of type "resync" means that your
 * program read too slowly and events were dropped: call ccfc_events_since.
 *
 * Errors
 * ------
 * Functions return 0 (or a positive number where documented) or a negative
 * CCFC_E… of ccfc/error.h, and then fill in the caller's struct ccfc_err, which
 * may be NULL: `what` is one line for the user, `hint` one more or empty. On
 * failure *out is NULL. An error in a reply of the daemon (CCFC_EINVAL,
 * CCFC_ENOTFOUND, CCFC_EAMBIGUOUS …) leaves the connection intact. After
 * CCFC_EUNREACHABLE, CCFC_EPROTO and CCFC_ETOOBIG of the connection itself the
 * connection is closed: every further call fails with CCFC_EUNREACHABLE; make a
 * new client. If the time limit passes, the call fails with CCFC_EAGAIN and the
 * connection stays open; the late answer is dropped.
 *
 * Out of memory ends the process, with a line on stderr. In exchange, every
 * size from outside is limited: a message may have 1 GiB at most.
 *
 * Compatibility
 * -------------
 * Structs that you fill in start with their version: initialise them with their
 * …_INIT macro, which also zeroes the rest, and zero means "default". Fields
 * are added at the end under a new version number; the library accepts its own
 * version only (else CCFC_EINVAL). Functions are never removed. Until version
 * 1.0 the shared library's soname is libccfc.so.1; the soname changes whenever
 * compatibility is broken.
 */
#ifndef CCFC_CLIENT_H
#define CCFC_CLIENT_H

#include <ccfc/api.h>
#include <ccfc/error.h>
#include <ccfc/protocol.h>
#include <ccfc/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ccfc_client;
struct ccfc_reply;

/* ---- connecting ---- */

enum ccfc_spawn {
	CCFC_SPAWN_DEFAULT = 0, /* start a daemon unless CCFC_NO_SPAWN=1 */
	CCFC_SPAWN_NEVER = 1,
	CCFC_SPAWN_ALWAYS = 2, /* whatever CCFC_NO_SPAWN says */
};

#define CCFC_CLIENT_OPTIONS_VERSION 1u
#define CCFC_CLIENT_OPTIONS_INIT                                               \
	{                                                                      \
		.version = CCFC_CLIENT_OPTIONS_VERSION                         \
	}

struct ccfc_client_options {
	uint32_t version;
	enum ccfc_spawn spawn;
	const char *socket; /* NULL: as the environment says */
	/*
	 * How long the daemon may be silent during a call, in milliseconds; 0:
	 * no limit. A first scan of the transcripts can delay an answer.
	 */
	int timeout_ms;
};

/*
 * Connects, and starts a daemon if none runs. `options` may be NULL.
 * CCFC_EUNREACHABLE: no daemon runs, or it could not be started (the hint names
 * its log); CCFC_EDENIED: the daemon belongs to another user; CCFC_EINVAL: bad
 * options, or a socket path that is too long; CCFC_EIO.
 */
CCFC_API int ccfc_client_new(struct ccfc_client **out,
			     const struct ccfc_client_options *options,
			     struct ccfc_err *err);

/* Closes the connection. The daemon keeps running. */
CCFC_API void ccfc_client_free(struct ccfc_client *client);

/* The descriptor to poll; see above. -1: the connection is closed. */
CCFC_API int ccfc_client_fd(const struct ccfc_client *client);

/* The path of the socket that the client is connected to. */
CCFC_API const char *ccfc_client_socket(const struct ccfc_client *client);

/* ---- replies and their values ---- */

enum ccfc_value_type {
	CCFC_VALUE_NONE, /* there is no such value */
	CCFC_VALUE_NIL,
	CCFC_VALUE_BOOL,
	CCFC_VALUE_INT,
	CCFC_VALUE_UINT, /* an integer beyond int64_t */
	CCFC_VALUE_DOUBLE,
	CCFC_VALUE_STR,
	CCFC_VALUE_ARRAY,
	CCFC_VALUE_MAP,
	CCFC_VALUE_EXT,
	CCFC_VALUE_BIN, /* bytes: content, diffs; read like a string */
};

/* One value in a reply; pass it by value. Zeroed, it is CCFC_VALUE_NONE. */
struct ccfc_value {
	const void *opaque;
};

CCFC_API void ccfc_reply_free(struct ccfc_reply *reply);

/* The result of a call, or the event (the last argument) of a notification. */
CCFC_API struct ccfc_value ccfc_reply_value(const struct ccfc_reply *reply);

/* A notification's method, e.g. "event"; "" for the result of a call. */
CCFC_API const char *ccfc_reply_method(const struct ccfc_reply *reply);

/* The whole message as it came, in msgpack. */
CCFC_API const void *ccfc_reply_bytes(const struct ccfc_reply *reply,
				      size_t *len);

CCFC_API enum ccfc_value_type ccfc_value_type(struct ccfc_value v);
CCFC_API bool ccfc_value_bool(struct ccfc_value v, bool otherwise);
CCFC_API int64_t ccfc_value_int(struct ccfc_value v, int64_t otherwise);
CCFC_API double ccfc_value_double(struct ccfc_value v, double otherwise);
/*
 * The bytes of a string or of a CCFC_VALUE_BIN, not terminated, *len of them;
 * NULL (and 0) for anything else. `len` may be NULL. Paths need not be valid
 * UTF-8.
 */
CCFC_API const char *ccfc_value_str(struct ccfc_value v, size_t *len);
/* Elements of an array, pairs of a map, else 0. */
CCFC_API uint32_t ccfc_value_len(struct ccfc_value v);
/* An element of an array; CCFC_VALUE_NONE beyond its end. */
CCFC_API struct ccfc_value ccfc_value_at(struct ccfc_value v, uint32_t i);
/* A pair of a map, in the order of the message. */
CCFC_API struct ccfc_value ccfc_value_key_at(struct ccfc_value v, uint32_t i);
CCFC_API struct ccfc_value ccfc_value_value_at(struct ccfc_value v, uint32_t i);
/* A field of a map; CCFC_VALUE_NONE if it has no such key. */
CCFC_API struct ccfc_value ccfc_value_get(struct ccfc_value v, const char *key);

/* ---- any method ---- */

/*
 * Calls a method by name (CCFC_M_… in ccfc/protocol.h). `params` is one packed
 * msgpack map of `len` bytes, or NULL for no options.
 */
CCFC_API int ccfc_client_call(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *method,
			      const void *params, size_t len,
			      struct ccfc_err *err);

/* ---- queries ---- */

#define CCFC_QUERY_VERSION 4u
#define CCFC_QUERY_INIT                                                        \
	{                                                                      \
		.version = CCFC_QUERY_VERSION                                  \
	}

enum ccfc_content {
	CCFC_CONTENT_DEFAULT = 0, /* the method's default */
	CCFC_CONTENT_NO = 1,
	CCFC_CONTENT_YES = 2,
};

/*
 * The options of a question. NULL, 0 and false mean the method's default; lists
 * end with NULL. Not every method has every option: the daemon answers
 * CCFC_EINVAL and names the unknown option. PROTOCOL.md lists the options of
 * each method.
 */
struct ccfc_query {
	uint32_t version;

	/* How much to answer. */
	enum ccfc_content content; /* texts of changes, lines, messages */
	enum ccfc_content changes; /* NO: listings have only the number */
	int64_t max_content;	   /* bytes of each text */
	int64_t limit;
	int64_t offset;
	int64_t context; /* lines around a diff's hunks; negative: none */
	bool prompts;	 /* the user's prompt of each change */
	bool thinking;	 /* the model's thinking */

	/* Where, and when. */
	const char *cwd;	  /* the base of relative paths */
	const char *project_path; /* or "@NAME" */
	const char *here;	  /* a directory: only the project there */
	const char *name; /* the path's end, if no session changed the path */
	const char *session;
	const char *path;		 /* events: a path or a glob */
	const char *const *alternatives; /* other names of the same path */
	const char *from_date;		 /* RFC 3339, or YYYY-MM-DD */
	const char *to_date;

	/* Which changes and files. */
	const char *const *states;	/* NULL: applied; { "all", NULL } */
	const char *const *extensions;	/* ".ts" */
	const char *const *directories; /* absolute, or below the project */
	const char *const *tools;	/* "Edit" */
	const char *const *evidence;	/* "recorded", "parsed" … */

	/* Which sessions. */
	const char *branch;
	const char *model;   /* or a part of its name */
	const char *status;  /* "waiting", "active", "failed", "completed" */
	const char *touched; /* changed this file, or a file of this glob */

	/* Which messages. */
	const char *role;    /* "user", "assistant", "system", "tool" */
	const char *agent;   /* of this agent, not of the main thread */
	const char *message; /* uuid, or a unique prefix: the page around it */
	const char *const *in; /* "text", "thinking", "tool", "result",
				* "meta" */
	bool regex;
	bool case_sensitive;

	/* Which lines, and of which content of the file. */
	const char *at; /* as in ccfc_file_at; NULL: the file on disk */
	int64_t from_line, to_line; /* from 1, both included */
	bool ignore_space;	    /* changes of white space keep the owner */

	/* The order, and what rows stand for. */
	const char *sort; /* sessions: "recent", "changes", "tokens",
			   * "duration"; texts: "recent", "rank" */
	const char *by;	  /* "day", "week", "month", "hour", "session",
			   * "agent", "project", "model", "tool", "file",
			   * "ext", "block"; blame: "line", "block" */

	/* Added later. Messages that match all of these patterns, too. */
	const char *const *words;
	const char *tag; /* sessions with this tag */
	/* Time zone of statistics: "SECONDS:OFFSET"; see PROTOCOL.md. */
	const char *const *zone;
};

/*
 * The files that a session changed: a ChangedFilesSummary. `session` is its
 * id, a unique prefix of it (else CCFC_EAMBIGUOUS) or a transcript's path.
 * `query` may be NULL here and below.
 */
CCFC_API int ccfc_session_files(struct ccfc_reply **out,
				struct ccfc_client *client, const char *session,
				const struct ccfc_query *query,
				struct ccfc_err *err);

/* A session's changes of one file: FileChange[], with content by default. */
CCFC_API int ccfc_session_file_changes(struct ccfc_reply **out,
				       struct ccfc_client *client,
				       const char *session, const char *path,
				       const struct ccfc_query *query,
				       struct ccfc_err *err);

/* The sessions that changed a file: a FileHistory, or CCFC_ENOTFOUND. */
CCFC_API int ccfc_file_sessions(struct ccfc_reply **out,
				struct ccfc_client *client, const char *path,
				const struct ccfc_query *query,
				struct ccfc_err *err);

/* As ccfc_file_sessions, for all files that a glob matches: FileHistory[]. */
CCFC_API int ccfc_file_match(struct ccfc_reply **out,
			     struct ccfc_client *client, const char *pattern,
			     const struct ccfc_query *query,
			     struct ccfc_err *err);

/* ---- history ---- */

/*
 * Content is a file's exact bytes: ccfc_value_str returns them. A STATE map
 * says what is known about the content: `exists` (nil: not known), `fidelity`
 * ("exact", "reconstructed", "partial", "unknown"), `source`, `why`, `size`,
 * `sha256`, and `content` if requested and wholly known.
 *
 * A file as it was: {path, state, changeId, sessionId, timestamp, side,
 * latest}. `at` is a change's id (right after it), a session (after its last
 * change of the file), a time in RFC 3339, or "before:" and a change or a
 * session; NULL is after the last change. The content is included by default,
 * whole unless the query sets max_content. CCFC_ENOTFOUND: the file or the
 * moment is not known; CCFC_EAMBIGUOUS.
 */
CCFC_API int ccfc_file_at(struct ccfc_reply **out, struct ccfc_client *client,
			  const char *path, const char *at,
			  const struct ccfc_query *query, struct ccfc_err *err);

/* The steps of a file's history, newest first: {path, totalSteps, steps}. */
CCFC_API int ccfc_file_log(struct ccfc_reply **out, struct ccfc_client *client,
			   const char *path, const struct ccfc_query *query,
			   struct ccfc_err *err);

/*
 * One change, by its id or a unique prefix: a FileChange with `before` and
 * `after` (STATEs, with content only if requested), its `diff` (nil if not
 * known), and `prompt` and `promptFull`, the user's prompt before the change.
 */
CCFC_API int ccfc_change_get(struct ccfc_reply **out,
			     struct ccfc_client *client, const char *change,
			     const struct ccfc_query *query,
			     struct ccfc_err *err);

/*
 * A session's changes, as unified diffs: {sessionId, projectPath, diffs,
 * totalAdded, totalRemoved}; one diff for each change, or with `net` one for
 * each file. `paths` ends with NULL; NULL itself means all files.
 */
CCFC_API int ccfc_session_diff(struct ccfc_reply **out,
			       struct ccfc_client *client, const char *session,
			       const char *const *paths, bool net,
			       const struct ccfc_query *query,
			       struct ccfc_err *err);

/*
 * A plan to undo a session's changes and keep the later changes of others:
 * {sessionId, projectPath, files}, each file with its `action` and new
 * `content`. The daemon writes nothing. `paths` as above.
 */
CCFC_API int ccfc_session_revert(struct ccfc_reply **out,
				 struct ccfc_client *client,
				 const char *session, const char *const *paths,
				 const struct ccfc_query *query,
				 struct ccfc_err *err);

/*
 * As ccfc_session_revert, for single changes of one session: ids, or prefixes
 * of at least 6 characters; ends with NULL. A call that changed several files
 * is undone in all of them. CCFC_EINVAL: changes of several sessions.
 */
CCFC_API int ccfc_changes_revert(struct ccfc_reply **out,
				 struct ccfc_client *client,
				 const char *const *changes,
				 const struct ccfc_query *query,
				 struct ccfc_err *err);

/*
 * Files whose last content is known: those of a session, or if `session` is
 * NULL all files that do not exist any more: {files, total}. Each of `keywords`
 * (ends with NULL, may be NULL) must be in the path or the content. To get the
 * content, call ccfc_file_at with the file's `path` and `at`.
 */
CCFC_API int
ccfc_session_recover(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *session, const char *const *keywords,
		     const struct ccfc_query *query, struct ccfc_err *err);

/* ---- blame ---- */

/*
 * Who wrote each line of a file: {path, at, totalLines, fidelity, why, lines,
 * blocks}. A line's `kind` is "session" (it has `changeId`, `sessionId`,
 * `model`, `prompt` …), "outside" or "unknown" (the line was added between
 * `from` and `to`); `blocks` are the runs of lines with the same owner. `query`
 * may be NULL. CCFC_ENOTFOUND: no session changed the file, the file does not
 * exist, or it ends before `from`.
 */
CCFC_API int ccfc_file_blame(struct ccfc_reply **out,
			     struct ccfc_client *client, const char *path,
			     const struct ccfc_query *query,
			     struct ccfc_err *err);

/* ---- sessions ---- */

/*
 * All sessions: {sessions: [SessionSummary], totalSessions}, most recent first.
 * `query` may be NULL here and below. CCFC_ENOTFOUND: no session matches.
 */
CCFC_API int ccfc_session_list(struct ccfc_reply **out,
			       struct ccfc_client *client,
			       const struct ccfc_query *query,
			       struct ccfc_err *err);

/*
 * Gives a session a name and tags of the user's own, and returns them:
 * {sessionId, title, name, tags}. `name` may be NULL (unchanged) or "-"
 * (removed). Each of `tags` (ends with NULL; may be NULL) is added, or removed
 * with a '-' in front. CCFC_EINVAL: a name or a tag is not allowed.
 */
CCFC_API int ccfc_session_label(struct ccfc_reply **out,
				struct ccfc_client *client, const char *session,
				const char *name, const char *const *tags,
				struct ccfc_err *err);

/*
 * Tells when the shell command of a call began or ended, in milliseconds since
 * 1970; 0: not told. `cwd` is the command's directory and may be NULL. The
 * reply has `kept`: false if the daemon did not keep the times.
 */
CCFC_API int ccfc_command_mark(struct ccfc_reply **out,
			       struct ccfc_client *client, const char *session,
			       const char *tool_use_id, const char *cwd,
			       int64_t began, int64_t ended,
			       struct ccfc_err *err);

/*
 * One session: a SessionSummary with `tools`, `agentTools`, `tasks`, `types`,
 * `compactions`, and the first `messages` of `totalMessages`. `session` is its
 * id, a unique prefix of it (else CCFC_EAMBIGUOUS) or a transcript's path,
 * here and below.
 */
CCFC_API int ccfc_session_get(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *session,
			      const struct ccfc_query *query,
			      struct ccfc_err *err);

/*
 * The messages of a session, in order of time: {sessionId, agentId,
 * totalMessages, offset, messages: [Message], truncated}.
 */
CCFC_API int ccfc_session_messages(struct ccfc_reply **out,
				   struct ccfc_client *client,
				   const char *session,
				   const struct ccfc_query *query,
				   struct ccfc_err *err);

/*
 * The events of a session and its agents, in order of time: {sessionId,
 * totalEvents, events, truncated}.
 */
CCFC_API int ccfc_session_timeline(struct ccfc_reply **out,
				   struct ccfc_client *client,
				   const char *session,
				   const struct ccfc_query *query,
				   struct ccfc_err *err);

/*
 * The conversation as a tree, depth first: {sessionId, totalNodes, nodes,
 * branches, truncated}.
 */
CCFC_API int ccfc_session_tree(struct ccfc_reply **out,
			       struct ccfc_client *client, const char *session,
			       const struct ccfc_query *query,
			       struct ccfc_err *err);

/*
 * The files that a session read: {sessionId, totalFiles, totalReads, files:
 * [{path, readCount, firstRead, lastRead, modified}]}. Of the query only limit
 * and offset apply.
 */
CCFC_API int ccfc_session_reads(struct ccfc_reply **out,
				struct ccfc_client *client, const char *session,
				const struct ccfc_query *query,
				struct ccfc_err *err);

/*
 * The sessions that read a file: {path, totalSessions, totalReads, sessions:
 * [{sessionId, …, readCount, firstRead, lastRead, changeCount}]}, or
 * CCFC_ENOTFOUND. The query may have alternatives, cwd, project_path, the
 * dates, limit and offset.
 */
CCFC_API int ccfc_file_readers(struct ccfc_reply **out,
			       struct ccfc_client *client, const char *path,
			       const struct ccfc_query *query,
			       struct ccfc_err *err);

/*
 * Conflicts of sessions in a file, the latest first:
 * {totalConflicts, conflicts: [{kind, path, timestamp, sessionId, changeId,
 * otherSessionId, otherChangeId, …}]}. `live`: only of sessions that both wrote
 * something in the last five minutes. The query may have session, path, cwd,
 * project_path, the dates, limit and offset.
 */
CCFC_API int ccfc_conflict_list(struct ccfc_reply **out,
				struct ccfc_client *client, bool live,
				const struct ccfc_query *query,
				struct ccfc_err *err);

/*
 * Totals of messages, changes, calls and tokens: {period, totals, by,
 * totalRows, rows, tools, files, days}.
 */
CCFC_API int ccfc_stats_get(struct ccfc_reply **out, struct ccfc_client *client,
			    const struct ccfc_query *query,
			    struct ccfc_err *err);

/*
 * Messages that contain a text, in all sessions: {matches, totalMatches,
 * totalSessions, scannedBytes, scannedTexts, truncated}, newest first.
 * CCFC_ENOTFOUND: no message matches.
 */
CCFC_API int ccfc_text_search(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *pattern,
			      const struct ccfc_query *query,
			      struct ccfc_err *err);

/* ---- SQL ---- */

/*
 * One SELECT over the views that ccfc-sql(7) lists: {columns: [name], rows:
 * [[value]], truncated}; values are int, double, str, bin or nil. `limit`
 * counts rows; 0: 1000. CCFC_EINVAL: not a query, or not allowed; CCFC_ETOOBIG:
 * the query takes too long or too much memory. A result without rows is not an
 * error.
 */
CCFC_API int ccfc_sql_query(struct ccfc_reply **out, struct ccfc_client *client,
			    const char *query, int64_t limit,
			    struct ccfc_err *err);

/* The views: {version, views: [{name, about, columns: [{name, type, about}]}]}.
 */
CCFC_API int ccfc_sql_schema(struct ccfc_reply **out,
			     struct ccfc_client *client, struct ccfc_err *err);

/* ---- the index ---- */

struct ccfc_progress {
	int64_t files_done, files_total;
	int64_t bytes_done, bytes_total;
};

/* Called for each progress message of a build; it must not use the client. */
typedef void (*ccfc_progress_fn)(void *data,
				 const struct ccfc_progress *progress);

/*
 * Builds the index again, or the part of one project (`project_path` not NULL),
 * and returns when that is done: IndexStats. `fn` may be NULL.
 */
CCFC_API int ccfc_index_build(struct ccfc_reply **out,
			      struct ccfc_client *client,
			      const char *project_path, ccfc_progress_fn fn,
			      void *data, struct ccfc_err *err);

/* Totals: IndexStats. */
CCFC_API int ccfc_index_stats(struct ccfc_reply **out,
			      struct ccfc_client *client, struct ccfc_err *err);

/* The whole index, in canonical order: an array of maps. */
CCFC_API int ccfc_index_dump(struct ccfc_reply **out,
			     struct ccfc_client *client, struct ccfc_err *err);

/*
 * Checks the whole store: {ok, problems: [{file, problem}], bytes, textBytes,
 * texts, damagedTexts, schema, reader}. Takes as long as reading the store.
 */
CCFC_API int ccfc_store_check(struct ccfc_reply **out,
			      struct ccfc_client *client, struct ccfc_err *err);

/* As ccfc_store_check, and checks each row's checksum; adds `rows`. */
CCFC_API int ccfc_store_check_deep(struct ccfc_reply **out,
				   struct ccfc_client *client,
				   struct ccfc_err *err);

/*
 * The known transcripts, and how far each was read: {sources: [{path,
 * sessionId, agentId, source, bytes, malformed, tooLong, names?}],
 * totalSources}. A transcript with several names (links) is listed once.
 */
CCFC_API int ccfc_source_list(struct ccfc_reply **out,
			      struct ccfc_client *client, struct ccfc_err *err);

/* ---- events ---- */

/*
 * Subscribes: {subscription, clock, …}. With a clock as `since` the reply also
 * has the `events` after that clock, or `fresh: true` if the daemon cannot go
 * back to it: then read everything again.
 */
CCFC_API int ccfc_events_subscribe(struct ccfc_reply **out,
				   struct ccfc_client *client,
				   const struct ccfc_query *query,
				   const char *since, struct ccfc_err *err);

/* Ends a subscription. Events that were already sent may still arrive. */
CCFC_API int ccfc_events_unsubscribe(struct ccfc_client *client,
				     int64_t subscription,
				     struct ccfc_err *err);

/* The events after a clock: {clock, fresh, events}. */
CCFC_API int ccfc_events_since(struct ccfc_reply **out,
			       struct ccfc_client *client, const char *clock,
			       const struct ccfc_query *query,
			       struct ccfc_err *err);

/*
 * The next notification. Waits up to `timeout_ms` milliseconds; negative: no
 * limit; 0: does not wait. 1: *out is the notification; 0: none came; negative:
 * an error.
 */
CCFC_API int ccfc_client_next_event(struct ccfc_reply **out,
				    struct ccfc_client *client, int timeout_ms,
				    struct ccfc_err *err);

/* ---- forgetting ---- */

/*
 * What ccfc_forget_run would remove: {totalSessions, totalFiles, totalChanges,
 * transcripts, transcriptBytes, sessions: […], files: […]}. Selects one session
 * (`session`); or sessions by the query's project_path, by to_date (the last
 * line is not later), or by both; or the files of the query's `path` (a file or
 * a glob, relative to cwd): then their changes are forgotten, and the sessions
 * stay. CCFC_ENOTFOUND: nothing matches.
 */
CCFC_API int ccfc_forget_list(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *session,
			      const struct ccfc_query *query,
			      struct ccfc_err *err);

/*
 * Removes for good what ccfc_forget_list lists, and then returns the same
 * totals, and {sessionIds, freedBytes, undoEntries}.
 */
CCFC_API int ccfc_forget_run(struct ccfc_reply **out,
			     struct ccfc_client *client, const char *session,
			     const struct ccfc_query *query,
			     struct ccfc_err *err);

/* ---- the daemon ---- */

/*
 * The daemon's version, paths, state and totals, and what it cannot read now.
 */
CCFC_API int ccfc_server_info(struct ccfc_reply **out,
			      struct ccfc_client *client, struct ccfc_err *err);

/*
 * The Claude directories that the daemon reads, [{path, exists}]: `roots` of
 * ccfc_server_info, for little more than a round trip.
 */
CCFC_API int ccfc_server_roots(struct ccfc_reply **out,
			       struct ccfc_client *client,
			       struct ccfc_err *err);

/* Asks the daemon to end; returns when the daemon has confirmed. */
CCFC_API int ccfc_server_stop(struct ccfc_client *client, struct ccfc_err *err);

/*
 * The files of the archive that the transcripts need, all or those of
 * query->project_path: {transcripts, missing, files}. Returns when the archive
 * has everything that was read.
 */
CCFC_API int ccfc_export_list(struct ccfc_reply **out,
			      struct ccfc_client *client,
			      const struct ccfc_query *query,
			      struct ccfc_err *err);

/*
 * Changes seen on disk and other facts that are in no transcript, all or those
 * of query->project_path: {lines, contents, next}. A page starts at
 * query->offset; the last page has no `next`.
 */
CCFC_API int ccfc_export_seen(struct ccfc_reply **out,
			      struct ccfc_client *client,
			      const struct ccfc_query *query,
			      struct ccfc_err *err);

/*
 * Imports an export or a copied Claude directory, at an absolute path:
 * {transcripts, longer, known, bytes}. All or nothing; CCFC_ECORRUPT: the
 * export is damaged or incomplete, and the error says where. New lines are
 * indexed after the reply (`indexing`).
 */
CCFC_API int ccfc_import_path(struct ccfc_reply **out,
			      struct ccfc_client *client, const char *path,
			      struct ccfc_err *err);

/*
 * Serves the REST API on a port of 127.0.0.1; 0: the port that already serves
 * the API, else any free one. Another port than the present one moves the API
 * there. The reply has `port` and `url`.
 */
CCFC_API int ccfc_web_start(struct ccfc_reply **out, struct ccfc_client *client,
			    int port, struct ccfc_err *err);

/* Stops serving the REST API: {stopped}. */
CCFC_API int ccfc_web_stop(struct ccfc_reply **out, struct ccfc_client *client,
			   struct ccfc_err *err);

#ifdef __cplusplus
}
#endif

#endif
