/*
 * Long work beside the core: text search, history, long sessions.
 *
 * A job gets all its data by value. `run` is called on a worker's thread and
 * touches nothing but the job; `done` is called on the core's, where the reply
 * is sent, exactly once for each job that was submitted. Long loops check
 * ccfc_job_cancelled now and then; `done` of a cancelled job is still called,
 * without `run` if that had not begun.
 *
 * Four run at a time, and three of those that have no bound: so one place is
 * always left for a question that ends by itself. Two of one connection are
 * begun at a time: a job counts until its `done` has returned, so a connection
 * that ccfc_worker_hold holds back gets two more answers at most. Of the jobs
 * that may begin, that of the connection with the fewest begun is first, then
 * the oldest.
 */
#ifndef CCFC_SERVE_RPC_WORKER_H
#define CCFC_SERVE_RPC_WORKER_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ccfc_job {
	void (*run)(struct ccfc_job *job);
	void (*done)(struct ccfc_job *job); /* frees it */
	uint64_t conn;			    /* the connection that it answers */
	/* may run longer than the time limit */
	bool unbounded;
	bool held;	       /* not to be started yet; see ccfc_worker_hold */
	atomic_bool cancelled; /* set by the core */
	struct ccfc_job *next; /* used by the worker */
};

struct ccfc_worker;

/* The first job starts the first thread. Signals must be blocked. */
int ccfc_worker_new(struct ccfc_worker **out, struct ccfc_err *err);
/*
 * Cancels all jobs, waits for running ones, and calls `done` of each. A job
 * that does not end within CCFC_WORKER_GRACE_MS cannot be interrupted: then the
 * result is false; the worker, those jobs and everything that they use must
 * stay, and the process must end by _exit.
 */
#define CCFC_WORKER_GRACE_MS 2000
bool ccfc_worker_free(struct ccfc_worker *worker);

/* Readable when a job is ready for ccfc_worker_dispatch. */
int ccfc_worker_fd(const struct ccfc_worker *worker);

/* CCFC_EAGAIN: too many jobs are waiting; the caller keeps the job. */
int ccfc_worker_submit(struct ccfc_worker *worker, struct ccfc_job *job,
		       struct ccfc_err *err);
/* Calls `done` of the jobs that have run. */
void ccfc_worker_dispatch(struct ccfc_worker *worker);
/* Holds back (true) or releases the waiting jobs of a connection. */
void ccfc_worker_hold(struct ccfc_worker *worker, uint64_t conn, bool hold);
/* The numbers of running jobs and of jobs waiting for a thread. */
void ccfc_worker_count(struct ccfc_worker *worker, uint32_t *running,
		       uint32_t *waiting);
/* Is no job under way, waiting, or ready for ccfc_worker_dispatch? */
bool ccfc_worker_is_idle(struct ccfc_worker *worker);
/* The peer disconnected: its jobs are cancelled. */
void ccfc_worker_closed(struct ccfc_worker *worker, uint64_t conn);

static inline bool ccfc_job_cancelled(struct ccfc_job *job)
{
	return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

#endif
