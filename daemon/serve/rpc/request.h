/*
 * Shared by the methods: their common state, and a request while it is being
 * answered. Within serve/ only.
 *
 * A request is the core thread's, unless a worker answers it (history_job.h):
 * then it sees `index` as an excerpt, and neither `methods` nor `service`.
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
 * A method packs one value, the result, or returns an error. What it packed
 * before an error is dropped.
 */
typedef int (*ccfc_method_fn)(struct ccfc_request *rq, struct ccfc_err *err);

struct ccfc_methods {
	struct ccfc_service *service; /* borrowed */
	struct ccfc_arena arena;      /* of the request */
	struct ccfc_buf out;	      /* the reply */
	struct {
		struct ccfc_subscription **items;
		uint32_t n, cap;
	} subs;
	int64_t last_sub;
	struct ccfc_build *builds;	/* asked for, not yet done */
	int64_t last_progress;		/* monotonic, ms */
	struct ccfc_sliced *slices;	/* answered in slices; see slices.h */
	struct ccfc_conversation *conv; /* a skeleton that is kept, or NULL */
	uint64_t conv_conn;		/* whose it is, if it is large */
};

struct ccfc_request {
	struct ccfc_methods *methods;
	struct ccfc_service *service;
	const struct ccfc_index *index;
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
	uint32_t agent; /* the transcript of the last agent whose own prompt was
			 * shown, one more than its number; and that text */
	struct ccfc_slice agent_text;
	struct ccfc_spool *body; /* see ccfc_methods_body; or NULL */
	struct ccfc_buf *packed; /* see ccfc_methods_packed; or NULL */
	size_t body_at;		 /* where either belongs in the reply */
	bool stop;		 /* the daemon is to end after the reply */
	ccfc_method_fn answered_by;
	/* When commands ran that the answer may name; see history_job.h. */
	const struct ccfc_period *spans;
	uint32_t nspans;
	/* Of the session, put together in slices; or NULL. session_groups.c */
	const struct ccfc_groups *files;
	uint32_t anew; /* how many times it was asked again; history_job.h */
	/* When it was asked; NULL: now, and as the index says. */
	const struct ccfc_scan_progress *progress;
	const struct ccfc_clock *clock;
	/* On a worker only: */
	struct ccfc_history *history;
	struct ccfc_arena *texts; /* of one change's content */
};

/* The request is answered later. */
#define CCFC_DEFERRED 1

/*
 * Packs an array of `n` items that are in `body`, for a reply that is too long
 * for memory. The items are sent from `body`, which must live until then and is
 * empty afterwards. Not within a map or array of more than 15 items, whose head
 * would still move.
 */
void ccfc_methods_body(struct ccfc_request *rq, struct ccfc_spool *body,
		       uint32_t n);
/*
 * Packs `n` values that are packed already. Many bytes are not copied but sent
 * from `packed`, with the rules of ccfc_methods_body; one of the two in a
 * reply.
 */
void ccfc_methods_packed(struct ccfc_request *rq, struct ccfc_buf *packed,
			 uint32_t n);
/* Sends the reply, and the body in its place. */
void ccfc_methods_send(struct ccfc_request *rq);
/* Makes `out` the error response, with a hint while indexing. */
void ccfc_methods_fail(struct ccfc_methods *m, uint32_t id, struct ccfc_err *e);

#define METHOD(symbol, function, ...)                                          \
	int ccfc_method_##function(struct ccfc_request *rq,                    \
				   struct ccfc_err *err);
#include "schema/methods.def"
#undef METHOD

/* --- args.c: options turned into values for the index --- */

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
 * The first of `path` and `alternatives` that has a change within the filter.
 * CCFC_ENOTFOUND hints at what is known instead.
 */
int ccfc_args_file(struct ccfc_slice *path, uint32_t *file,
		   struct ccfc_request *rq, const struct ccfc_filter *filter,
		   struct ccfc_err *err);
/*
 * The first of the same that snapshots name, when ccfc_args_file found none,
 * and the sessions of these. False: there is none.
 */
bool ccfc_args_seen_file(struct ccfc_slice *path, struct ccfc_ids *sessions,
			 struct ccfc_request *rq);
/* CCFC_ENOTFOUND: the page is after the last of `n`. */
int ccfc_args_offset(struct ccfc_request *rq, uint32_t n, const char *what,
		     struct ccfc_err *err);
/*
 * The session that was asked about, and the filter by extensions, directories
 * and tools for its files; then of these files the ones of `paths`.
 * CCFC_ENOTFOUND when none of them is there.
 */
int ccfc_args_session(uint32_t *session, struct ccfc_filter *filter,
		      struct ccfc_request *rq, struct ccfc_err *err);
int ccfc_args_keep_paths(struct ccfc_groups *files, struct ccfc_request *rq,
			 uint32_t session, struct ccfc_err *err);
/*
 * session_groups.c: the files of the session. CCFC_DEFERRED where there are
 * many: the method returns that, and is asked again.
 */
int ccfc_args_group_files(struct ccfc_groups *files, struct ccfc_request *rq,
			  uint32_t session, const struct ccfc_filter *filter);
/* All of that; may be CCFC_DEFERRED as well. */
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
/*
 * Bounds what a pattern may cost on all files, so that other clients do not
 * wait: in proportion to their number, some tenths of a second at most.
 */
void ccfc_args_grant(struct ccfc_glob *glob, const struct ccfc_request *rq);
/* The error for a pattern that cost more. */
int ccfc_args_too_costly(struct ccfc_request *rq, struct ccfc_err *err);
/*
 * Which of `choices` (ends with NULL) an option's text is; *out stays as it is
 * where the option was not given. CCFC_EINVAL names the choices.
 */
int ccfc_args_choice(int *out, struct ccfc_request *rq, enum ccfc_option what,
		     struct ccfc_slice text, const char *const *choices,
		     struct ccfc_err *err);
/*
 * Replaces `here`, `@NAME` and `name` by the paths that they mean
 * (option_words.c); afterwards `here` is the project, or empty. Once for a
 * request.
 */
int ccfc_args_words(struct ccfc_request *rq, struct ccfc_err *err);
/* Adds a hint about other places of the same file of the project. */
void ccfc_args_elsewhere(struct ccfc_request *rq, struct ccfc_slice path,
			 struct ccfc_err *err);

#endif
