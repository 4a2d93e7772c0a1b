/*
 * A request about history: its answer needs lines of transcripts, backups or
 * the disk, so a worker answers it. On the core thread the method finds the
 * files and copies their rows from the index (an excerpt). `answer` runs on a
 * worker and packs the reply from the excerpt, with a history and a parser of
 * its own. The clock of the reply is that of the excerpt.
 *
 * Changes that a command made and the client did not record show in contents
 * only (history/history.h). Which commands could have made them is not known
 * before the contents are. Then the method is called again with `spans` in its
 * request, and copies the commands of these periods, too.
 *
 * A large excerpt is copied in slices (slices.h). If the index changes in
 * between, the method is called again, too; the third copy is made in one
 * piece.
 *
 * If the client is gone, the job ends at the next line that is read. A job that
 * takes longer than CCFC_HISTORY_JOB_MS ends with an error.
 */
#ifndef CCFC_SERVE_RPC_HISTORY_JOB_H
#define CCFC_SERVE_RPC_HISTORY_JOB_H

#include "history/plan/point.h"
#include "index/excerpt/excerpt.h"
#include "serve/rpc/defer.h"

#define CCFC_HISTORY_JOB_MS 300000

struct ccfc_history_job {
	struct ccfc_deferred d; /* must be first */
	/* Runs on the worker. Packs one value, as a method does. */
	int (*answer)(struct ccfc_history_job *job, struct ccfc_request *rq,
		      struct ccfc_err *err);
	/*
	 * The subject of the request, in d.arena. Unused fields are zero. The
	 * core sets ids of the index; when `answer` is called they are ids of
	 * the excerpt.
	 */
	struct ccfc_excerpt *excerpt;
	struct ccfc_groups groups;
	bool by_session; /* the groups' keys are sessions, not files */
	struct ccfc_filter filter;
	struct ccfc_slice path;
	struct ccfc_at at;
	uint32_t session, file, change;
	/* the session's status at the time of the request */
	const char *status;
	/* Used by the core: */
	/* copies into `excerpt`; or NULL */
	struct ccfc_excerpt_copying *copying;
	uint64_t revision; /* of the index at that time */
	/* Used by the worker: */
	struct ccfc_scan_progress progress; /* at the time of the request */
	const struct ccfc_service *service; /* its constant part */
	int64_t deadline;
	/* the answer does not depend on inferred changes */
	bool plain;
	struct ccfc_period *spans; /* whose commands the answer needs */
	uint32_t nspans;
	int r; /* the answer's error, if it is not final */
	struct ccfc_arena texts;
};

/* Makes a job for the request; `e` becomes its excerpt. Core thread. */
struct ccfc_history_job *ccfc_history_job_new(
	struct ccfc_request *rq, struct ccfc_excerpting *e,
	int (*answer)(struct ccfc_history_job *job, struct ccfc_request *rq,
		      struct ccfc_err *err));
/* Does the answer need transcript lines, for content or prompts? */
bool ccfc_history_job_is_needed(const struct ccfc_request *rq);
/*
 * Makes a job that needs the lines of these changes only, and their prompts if
 * the request wants them. The changes become `groups`.
 */
struct ccfc_history_job *ccfc_history_job_changes(
	struct ccfc_request *rq, const struct ccfc_groups *groups,
	bool by_session, uint32_t more,
	int (*answer)(struct ccfc_history_job *job, struct ccfc_request *rq,
		      struct ccfc_err *err));
/* Copies the groups into the job. */
void ccfc_history_job_groups(struct ccfc_history_job *job,
			     const struct ccfc_groups *groups, bool by_session);
/*
 * Makes the excerpt and passes the job to a worker; returns the method's
 * result.
 */
int ccfc_history_job_start(struct ccfc_request *rq,
			   struct ccfc_history_job *job, struct ccfc_err *err);

/*
 * The core's part of a method about one file. Sets `path`, `file` (from the
 * options `path` and `alternatives`) and the point of `at`.
 */
int ccfc_history_job_file(struct ccfc_request *rq, uint32_t more,
			  int (*answer)(struct ccfc_history_job *job,
					struct ccfc_request *rq,
					struct ccfc_err *err),
			  struct ccfc_err *err);
/*
 * The same, also for a file that only snapshots name (ccfc_states_open_seen).
 */
int ccfc_history_job_seen_file(struct ccfc_request *rq, uint32_t more,
			       int (*answer)(struct ccfc_history_job *job,
					     struct ccfc_request *rq,
					     struct ccfc_err *err),
			       struct ccfc_err *err);
/*
 * The same for the files of a session (ccfc_args_session_files). Sets `session`
 * and `groups`.
 */
int ccfc_history_job_session(struct ccfc_request *rq, uint32_t more,
			     int (*answer)(struct ccfc_history_job *job,
					   struct ccfc_request *rq,
					   struct ccfc_err *err),
			     struct ccfc_err *err);
/* The same for files of the session that the caller has found. */
int ccfc_history_job_session_files(struct ccfc_request *rq, uint32_t more,
				   uint32_t session,
				   const struct ccfc_groups *files,
				   int (*answer)(struct ccfc_history_job *job,
						 struct ccfc_request *rq,
						 struct ccfc_err *err),
				   struct ccfc_err *err);

/*
 * On the worker: must the job stop, because it was cancelled or its time is up?
 */
bool ccfc_history_job_is_over(const struct ccfc_request *rq);

#endif
