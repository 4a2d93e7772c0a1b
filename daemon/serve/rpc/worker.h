/*
 * Work that takes long, beside the core: text search, reading a long session.
 *
 * A job gets all that it needs by value. `run` is called on a worker's thread
 * and touches nothing but the job; `done` is called on the core's, where the
 * reply is sent, exactly once for each job that was submitted. A job that is
 * no longer wanted is told so through ccfc_job_cancelled, which long loops
 * ask now and then; its `done` still comes, without `run` if that had not
 * begun. Jobs are begun in the order they were submitted, two at a time.
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
	uint64_t conn;			    /* whom it is for */
	atomic_bool cancelled;		    /* set by the core */
	struct ccfc_job *next;		    /* the worker's */
};

struct ccfc_worker;

/* No thread is started before the first job. Signals are blocked already. */
int ccfc_worker_new(struct ccfc_worker **out, struct ccfc_err *err);
/* Cancels all, waits for what runs, and calls `done` of every job left. */
void ccfc_worker_free(struct ccfc_worker *worker);

/* Readable when a job is ready for ccfc_worker_dispatch. */
int ccfc_worker_fd(const struct ccfc_worker *worker);

/* CCFC_EAGAIN when too many wait; the job is the caller's again then. */
int ccfc_worker_submit(struct ccfc_worker *worker, struct ccfc_job *job,
		       struct ccfc_err *err);
/* Calls `done` of the jobs that have run. */
void ccfc_worker_dispatch(struct ccfc_worker *worker);
/* The peer went away: its jobs are not wanted any more. */
void ccfc_worker_closed(struct ccfc_worker *worker, uint64_t conn);

static inline bool ccfc_job_cancelled(struct ccfc_job *job)
{
	return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

#endif
