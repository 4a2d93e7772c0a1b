/*
 * What the files of the methods share: the state of all, and a request while
 * it is being answered. Core thread. Nobody outside of serve/ needs this.
 */
#ifndef CCFC_SERVE_RPC_REQUEST_H
#define CCFC_SERVE_RPC_REQUEST_H

#include "index/query.h"
#include "serve/methods.h"
#include "serve/rpc/options.h"
#include "wire/rpc.h"

struct ccfc_subscription;
struct ccfc_conversation;
struct ccfc_build;

struct ccfc_methods {
	struct ccfc_service *service; /* borrowed */
	struct ccfc_arena arena;      /* of the request */
	struct ccfc_arena texts;      /* of one change's content */
	struct ccfc_buf out;	      /* the reply */
	struct {
		struct ccfc_subscription **items;
		uint32_t n, cap;
	} subs;
	int64_t last_sub;
	struct ccfc_build *builds;	/* asked for, not yet done */
	int64_t last_progress;		/* monotonic, ms */
	struct ccfc_conversation *conv; /* a skeleton that is kept, or NULL */
};

struct ccfc_request {
	struct ccfc_methods *methods;
	struct ccfc_service *service;
	struct ccfc_index *index;
	struct ccfc_arena *arena;
	struct ccfc_pack *pack; /* where the result goes */
	struct ccfc_options opt;
	const char *method;
	uint64_t conn;
	uint32_t id;
	size_t content_left; /* bytes of content that the reply may have */
	size_t reading_left; /* bytes of transcripts that it may read for it */
	const struct ccfc_prompt *prompt; /* the last one shown, and its text */
	struct ccfc_slice prompt_text;
	bool stop; /* the daemon is to end after the reply */
};

/* The request is answered later. */
#define CCFC_DEFERRED 1

/*
 * A method packs one value, the result, or returns an error. What it packed
 * before an error is dropped.
 */
typedef int (*ccfc_method_fn)(struct ccfc_request *rq, struct ccfc_err *err);

/* Makes `out` the error response, with what is to be said while indexing. */
void ccfc_methods_fail(struct ccfc_methods *m, uint32_t id, struct ccfc_err *e);

int ccfc_method_session_files(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_file_changes(struct ccfc_request *rq,
				     struct ccfc_err *err);
int ccfc_method_file_sessions(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_file_match(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_diff(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_revert(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_recover(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_list(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_reads(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_file_readers(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_stats_get(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_get(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_messages(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_timeline(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_session_tree(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_change_get(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_file_at(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_file_blame(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_file_log(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_text_search(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_sql_query(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_sql_schema(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_index_build(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_index_stats(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_index_dump(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_store_check(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_source_list(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_events_subscribe(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_events_unsubscribe(struct ccfc_request *rq,
				   struct ccfc_err *err);
int ccfc_method_events_since(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_server_info(struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_method_server_stop(struct ccfc_request *rq, struct ccfc_err *err);

/* --- asking (args.c): options turned into what the index understands --- */

/*
 * The normal form of a path that the option `what` gave, in the request's
 * arena: relative ones against cwd, else projectPath, else `base`.
 */
int ccfc_args_path(struct ccfc_slice *out, struct ccfc_request *rq,
		   enum ccfc_option what, struct ccfc_slice path,
		   struct ccfc_slice base, struct ccfc_err *err);
/* The same for all of a list, in place. */
int ccfc_args_paths(struct ccfc_slices *list, struct ccfc_request *rq,
		    enum ccfc_option what, struct ccfc_slice base,
		    struct ccfc_err *err);
/*
 * The first of `path` and `alternatives` that the filter leaves a change of,
 * and who changed it. CCFC_ENOTFOUND says what is known instead.
 */
int ccfc_args_file(struct ccfc_slice *path, struct ccfc_groups *sessions,
		   struct ccfc_request *rq, const struct ccfc_filter *filter,
		   struct ccfc_err *err);
/* A page behind the last of `n` is nothing found, not an empty success. */
int ccfc_args_offset(struct ccfc_request *rq, uint32_t n, const char *what,
		     struct ccfc_err *err);
/*
 * The files of the session that was asked about, as filtered by extensions,
 * directories, tools and paths. CCFC_ENOTFOUND when none of `paths` is there.
 */
int ccfc_args_session_files(uint32_t *session, struct ccfc_groups *files,
			    struct ccfc_request *rq, struct ccfc_err *err);
/* The normal path of a session's project, may be empty. */
struct ccfc_slice ccfc_args_project(const struct ccfc_request *rq,
				    uint32_t session);
/* states, dates, projectPath and tools. */
int ccfc_args_filter(struct ccfc_filter *out, struct ccfc_request *rq,
		     struct ccfc_err *err);
/* An absolute pattern out of `pattern` or `path`; the caller frees it. */
int ccfc_args_glob(struct ccfc_glob **out, struct ccfc_request *rq,
		   enum ccfc_option what, struct ccfc_slice pattern,
		   struct ccfc_err *err);
/* Of a pattern on all files: some tenths of a second. */
#define CCFC_GLOB_STEPS 100000000u
/* The error for one that took more. */
int ccfc_args_too_costly(struct ccfc_request *rq, struct ccfc_err *err);
/*
 * Which of `choices` (ends with NULL) an option's text is; *out stays as it is
 * where the option was not given. CCFC_EINVAL names the choices.
 */
int ccfc_args_choice(int *out, struct ccfc_request *rq, enum ccfc_option what,
		     struct ccfc_slice text, const char *const *choices,
		     struct ccfc_err *err);
/* Other places that the same file of the project is known at, as a hint. */
void ccfc_args_elsewhere(struct ccfc_request *rq, struct ccfc_slice path,
			 struct ccfc_err *err);

#endif
