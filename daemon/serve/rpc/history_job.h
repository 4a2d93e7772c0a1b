/*
 * A request about history: its answer needs lines of transcripts, backups or
 * the disk, so a worker answers it. On the core thread the method finds the
 * files and copies their rows from the index (an excerpt). `answer` runs on a
 * worker and packs the reply from the excerpt, with a history and a parser of
 * its own. The clock of the reply is that of the excerpt.
 *
 * What commands of a shell made without saying so can be told by the contents
 * (history/history.h). Which commands these may be is only known when the
 * contents are: then the method is asked once more, with `spans` in its
 * request, and the excerpt has the commands that ran in these.
 *
 * A large excerpt is copied in slices (slices.h). When something is applied to
 * the index meanwhile, the method is asked again, too; the third copy is made
 * in one piece.
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
	struct ccfc_deferred d; /* has to be the first */
	/* On the worker. Packs one value, as a method does. */
	int (*answer)(struct ccfc_history_job *job, struct ccfc_request *rq,
		      struct ccfc_err *err);
	/*
	 * The subject of the request, in d.arena. Fields that a method does not
	 * use are zero. The core fills in ids of the index; when `answer` is
	 * called they are those of the excerpt.
	 */
	struct ccfc_excerpt *excerpt;
	struct ccfc_groups groups;
	bool by_session; /* what the groups' keys are */
	struct ccfc_filter filter;
	struct ccfc_slice path;
	struct ccfc_at at;
	uint32_t session, file, change;
	const char *status; /* of the session, when it was asked */
	/* The core's: */
	struct ccfc_excerpt_copying *copying; /* of `excerpt`; or NULL */
	uint64_t revision;		      /* of the index then */
	/* The worker's: */
	struct ccfc_scan_progress progress; /* when it was asked */
	const struct ccfc_service *service; /* the constant part */
	int64_t deadline;
	bool plain;		   /* nothing hangs on what commands explain */
	struct ccfc_period *spans; /* that it would have to know more of */
	uint32_t nspans;
	int r; /* of the answer, where that may become another one */
	struct ccfc_arena texts;
};

/* Makes a job for the request; `e` is to be its excerpt. Core thread. */
struct ccfc_history_job *ccfc_history_job_new(
	struct ccfc_request *rq, struct ccfc_excerpting *e,
	int (*answer)(struct ccfc_history_job *job, struct ccfc_request *rq,
		      struct ccfc_err *err));
/* Does the answer need lines: content, or prompts? */
bool ccfc_history_job_is_needed(const struct ccfc_request *rq);
/*
 * Makes a job that needs only the lines of these changes, which become
 * `groups`, and on request their prompts.
 */
struct ccfc_history_job *ccfc_history_job_changes(
	struct ccfc_request *rq, const struct ccfc_groups *groups,
	bool by_session, uint32_t more,
	int (*answer)(struct ccfc_history_job *job, struct ccfc_request *rq,
		      struct ccfc_err *err));
/* Copies the groups for the answer. */
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
/* The same, also of a file that only snapshots name (ccfc_states_open_seen). */
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
/* The same for files of the session that are found already. */
int ccfc_history_job_session_files(struct ccfc_request *rq, uint32_t more,
				   uint32_t session,
				   const struct ccfc_groups *files,
				   int (*answer)(struct ccfc_history_job *job,
						 struct ccfc_request *rq,
						 struct ccfc_err *err),
				   struct ccfc_err *err);

/* On the worker: was the job cancelled, or is its time up? Then stop. */
bool ccfc_history_job_is_over(const struct ccfc_request *rq);

#endif
