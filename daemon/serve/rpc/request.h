/*
 * Shared by the methods: their common state, and the request being answered.
 * Within serve/ only. A request belongs to the core thread, unless a worker
 * answers it (history_job.h). On a worker, `index` is an excerpt, and `methods`
 * and `service` are not set.
 */
#ifndef CCFC_SERVE_RPC_REQUEST_H
#define CCFC_SERVE_RPC_REQUEST_H

#include "index/query/query.h"
#include "serve/methods.h"
#include "serve/rpc/options.h"
#include "wire/rpc.h"

struct ccfc_subscription;
struct ccfc_conversation;
struct ccfc_build;
struct ccfc_sliced;

struct ccfc_request;

/*
 * A method packs one value, the result, or returns an error. On an error the
 * packed bytes are dropped.
 */
typedef int (*ccfc_method_fn)(struct ccfc_request *rq, struct ccfc_err *err);

struct ccfc_methods {
	struct ccfc_service *service; /* borrowed */
	struct ccfc_arena arena;      /* for the current request */
	struct ccfc_buf out;	      /* the current reply */
	struct {
		struct ccfc_subscription **items;
		uint32_t n, cap;
	} subs;
	int64_t last_sub;
	struct ccfc_build *builds; /* requested and not finished */
	int64_t last_progress;	   /* monotonic, ms */
	/* requests answered in slices; see slices.h */
	struct ccfc_sliced *slices;
	struct ccfc_conversation *conv; /* a kept conversation, or NULL */
	/* the connection that it is kept for, if it is large */
	uint64_t conv_conn;
};

struct ccfc_request {
	struct ccfc_methods *methods;
	struct ccfc_service *service;
	const struct ccfc_index *index;
	struct ccfc_arena *arena;
	struct ccfc_pack *pack; /* receives the result */
	struct ccfc_options opt;
	const char *method;
	uint64_t conn;
	uint32_t id;
	/* bytes of content that the reply may still have */
	size_t content_left;
	/* bytes of transcripts that may still be read for it */
	size_t reading_left;
	/* the last prompt in the reply, and its text */
	const struct ccfc_prompt *prompt;
	struct ccfc_slice prompt_text;
	/*
	 * 1 + number of the transcript of the agent whose prompt was last in
	 * the reply, and that prompt's text
	 */
	uint32_t agent;
	struct ccfc_slice agent_text;
	struct ccfc_spool *body; /* see ccfc_methods_body; or NULL */
	struct ccfc_buf *packed; /* see ccfc_methods_packed; or NULL */
	size_t body_at;		 /* the position of either in the reply */
	bool stop;		 /* the daemon ends after the reply */
	ccfc_method_fn answered_by;
	/* Periods whose commands the answer needs; see history_job.h. */
	const struct ccfc_period *spans;
	uint32_t nspans;
	/*
	 * The session's files, grouped in slices (session_groups.c); or NULL.
	 */
	const struct ccfc_groups *files;
	/* number of repetitions of this request; history_job.h */
	uint32_t anew;
	/* As of the time of the request; NULL: as of now. */
	const struct ccfc_scan_progress *progress;
	const struct ccfc_clock *clock;
	/* On a worker only: */
	struct ccfc_history *history;
	struct ccfc_arena *texts; /* for the content of one change */
};

/* The request is answered later. */
#define CCFC_DEFERRED 1

/*
 * Packs an array of `n` items that are in `body`, for a reply that is too long
 * for memory. The items are sent from `body`, which must live until then and is
 * empty afterwards. Not inside a map or array of more than 15 items, because
 * its head would still move.
 */
void ccfc_methods_body(struct ccfc_request *rq, struct ccfc_spool *body,
		       uint32_t n);
/*
 * Packs `n` values that `packed` already has. Many bytes are not copied but
 * sent from `packed`, by the rules of ccfc_methods_body. A reply has at most
 * one of the two.
 */
void ccfc_methods_packed(struct ccfc_request *rq, struct ccfc_buf *packed,
			 uint32_t n);
/* Sends the reply, with the body at its place. */
void ccfc_methods_send(struct ccfc_request *rq);
/* Replaces `out` by the error response, with a hint during indexing. */
void ccfc_methods_fail(struct ccfc_methods *m, uint32_t id, struct ccfc_err *e);

#define METHOD(symbol, function, ...)                                          \
	int ccfc_method_##function(struct ccfc_request *rq,                    \
				   struct ccfc_err *err);
#include "schema/methods.def"
#undef METHOD

/* --- args.c: options turned into values for the index --- */

/*
 * The normal form of a path given by the option `what`, in the request's arena.
 * Relative paths are relative to cwd, else projectPath, else `base`.
 */
int ccfc_args_path(struct ccfc_slice *out, struct ccfc_request *rq,
		   enum ccfc_option what, struct ccfc_slice path,
		   struct ccfc_slice base, struct ccfc_err *err);
/* The same for each path of a list, in place. */
int ccfc_args_paths(struct ccfc_slices *list, struct ccfc_request *rq,
		    enum ccfc_option what, struct ccfc_slice base,
		    struct ccfc_err *err);
/*
 * The first of `path` and `alternatives` that has a change within the filter.
 * CCFC_ENOTFOUND hints at what is known instead.
 */
int ccfc_args_file(struct ccfc_slice *path, uint32_t *file,
		   struct ccfc_request *rq, const struct ccfc_filter *filter,
		   struct ccfc_err *err);
/*
 * If ccfc_args_file found none: the first of these paths that snapshots name,
 * and the sessions of the snapshots. False: there is none.
 */
bool ccfc_args_seen_file(struct ccfc_slice *path, struct ccfc_ids *sessions,
			 struct ccfc_request *rq);
/* CCFC_ENOTFOUND: the page starts after the last of `n` items. */
int ccfc_args_offset(struct ccfc_request *rq, uint32_t n, const char *what,
		     struct ccfc_err *err);
/*
 * The requested session, and the filter for its files by extensions,
 * directories and tools; the second function keeps only the files of `paths`.
 * CCFC_ENOTFOUND when none is left.
 */
int ccfc_args_session(uint32_t *session, struct ccfc_filter *filter,
		      struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_args_keep_paths(struct ccfc_groups *files, struct ccfc_request *rq,
			 uint32_t session, struct ccfc_err *err);
/*
 * The files of the session (session_groups.c). CCFC_DEFERRED if there are many:
 * the method returns that, and is called again later.
 */
int ccfc_args_group_files(struct ccfc_groups *files, struct ccfc_request *rq,
			  uint32_t session, const struct ccfc_filter *filter);
/* All of these three; may be CCFC_DEFERRED as well. */
int ccfc_args_session_files(uint32_t *session, struct ccfc_groups *files,
			    struct ccfc_request *rq, struct ccfc_err *err);
/* The normal path of a session's project; may be empty. */
struct ccfc_slice ccfc_args_project(const struct ccfc_request *rq,
				    uint32_t session);
/* The filter by states, dates, projectPath and tools. */
int ccfc_args_filter(struct ccfc_filter *out, struct ccfc_request *rq,
		     struct ccfc_err *err);
/*
 * The absolute pattern of the option `pattern` or `path`; the caller frees it.
 */
int ccfc_args_glob(struct ccfc_glob **out, struct ccfc_request *rq,
		   enum ccfc_option what, struct ccfc_slice pattern,
		   struct ccfc_err *err);
/*
 * Limits what matching all files may cost, so that other clients need not wait:
 * in proportion to their number, some tenths of a second at most.
 */
void ccfc_args_grant(struct ccfc_glob *glob, const struct ccfc_request *rq);
/* The error for a pattern that exceeded the limit. */
int ccfc_args_too_costly(struct ccfc_request *rq, struct ccfc_err *err);
/*
 * Sets *out to the index of `text` in `choices` (ended by NULL); leaves it
 * unchanged if the option was not given. CCFC_EINVAL names the choices.
 */
int ccfc_args_choice(int *out, struct ccfc_request *rq, enum ccfc_option what,
		     struct ccfc_slice text, const char *const *choices,
		     struct ccfc_err *err);
/*
 * Replaces `here`, `@NAME` and `name` by the paths that they mean
 * (option_words.c). Afterwards `here` is the project, or empty. Called once for
 * a request.
 */
int ccfc_args_words(struct ccfc_request *rq, struct ccfc_err *err);
/* Adds a hint about the same file at other places in the project. */
void ccfc_args_elsewhere(struct ccfc_request *rq, struct ccfc_slice path,
			 struct ccfc_err *err);

#endif
