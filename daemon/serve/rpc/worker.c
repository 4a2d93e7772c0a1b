/*
 * The workers; see worker.h. One lock, three lists: jobs that wait, those that
 * run, and those that wait for the core. A mailbox provides the lock and the
 * descriptor; its only mail means that the last list is not empty, so jobs that
 * end together wake the core once.
 */
#include "serve/rpc/worker.h"

#include "base/alloc.h"
#include "serve/net/mailbox.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define THREADS	      4
#define OF_ONE	      2 /* started at once for one connection */
#define UNBOUNDED_MAX (THREADS - 1)
/* Each of 256 connections may have eight waiting jobs (server.c). */
#define WAITING_MAX 2048
#define NICER	    5 /* a third of the core's weight */

struct list {
	struct ccfc_job *head, **end;
	uint32_t n;
};

struct ccfc_worker {
	struct ccfc_mailbox box; /* its lock protects all fields below */
	struct ccfc_mail news;	 /* `ready` is not empty */
	pthread_cond_t work;	 /* a job may start, or `stop` is set */
	struct list waiting, ready;
	struct ccfc_job *running[THREADS];
	/* the connection whose `done` is running, if any */
	uint64_t delivering;
	bool is_delivering;
	pthread_t threads[THREADS];
	uint32_t nthreads; /* used by the core only */
	uint32_t alive;	   /* threads that have not ended */
	uint32_t idle;
	bool stop;
};

static void list_init(struct list *list)
{
	*list = (struct list){ .end = &list->head };
}

static void list_add(struct list *list, struct ccfc_job *job)
{
	job->next = NULL;
	*list->end = job;
	list->end = &job->next;
	list->n++;
}

/* Removes the job that *at points to from its list. */
static struct ccfc_job *list_remove(struct list *list, struct ccfc_job **at)
{
	struct ccfc_job *job = *at;

	*at = job->next;
	if (!job->next)
		list->end = at;
	list->n--;
	return job;
}

static struct ccfc_job *list_take(struct list *list)
{
	return list->head ? list_remove(list, &list->head) : NULL;
}

/* Unlocks, and wakes the core if `ready` has jobs. */
static void unlock_with_news(struct ccfc_worker *w)
{
	bool ring = w->ready.n && ccfc_mailbox_post(&w->box, &w->news);

	ccfc_mailbox_unlock(&w->box);
	if (ring)
		ccfc_mailbox_ring(&w->box);
}

/* --- a thread --- */

/*
 * The jobs of a connection that are running, or have run without their answer
 * being in the server. Only the answer tells the server that the connection is
 * full. If jobs of the second kind did not count, a busy core would let workers
 * make any number of answers for a peer that reads none.
 */
static uint32_t count_begun_for_connection(const struct ccfc_worker *w,
					   uint64_t conn)
{
	uint32_t n = w->is_delivering && w->delivering == conn;

	for (uint32_t i = 0; i < THREADS; i++)
		n += w->running[i] && w->running[i]->conn == conn;
	for (const struct ccfc_job *job = w->ready.head; job; job = job->next)
		n += job->conn == conn;
	return n;
}

static uint32_t count_unbounded(const struct ccfc_worker *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < THREADS; i++)
		n += w->running[i] && w->running[i]->unbounded;
	return n;
}

/* Under the lock: takes the job to start next out of its list, or NULL. */
static struct ccfc_job *take_next_job(struct ccfc_worker *w)
{
	bool any = count_unbounded(w) < UNBOUNDED_MAX;
	struct ccfc_job **best = NULL;
	uint32_t fewest = OF_ONE;

	for (struct ccfc_job **at = &w->waiting.head; *at && fewest;
	     at = &(*at)->next) {
		uint32_t n = count_begun_for_connection(w, (*at)->conn);

		if ((*at)->held || (!any && (*at)->unbounded) || n >= fewest)
			continue;
		fewest = n;
		best = at;
	}
	return best ? list_remove(&w->waiting, best) : NULL;
}

/*
 * Under the lock: starts a job. Returns its slot, or THREADS if the thread must
 * end.
 */
static uint32_t begin_job(struct ccfc_worker *w)
{
	struct ccfc_job *job = NULL;
	uint32_t slot = 0;

	w->idle++;
	while (!w->stop && !(job = take_next_job(w)))
		pthread_cond_wait(&w->work, &w->box.lock);
	w->idle--;
	if (!job)
		return THREADS;
	while (w->running[slot])
		slot++;
	w->running[slot] = job;
	return slot;
}

/*
 * Lowers the priority of this thread: lookups and new lines, which the core
 * handles, go before long requests where CPUs are scarce. Linux has a priority
 * for each thread; elsewhere this call would slow down the whole process.
 * Threads that a job starts inherit it.
 */
static void lower_priority(void)
{
#ifdef __linux__
	pthread_setname_np(pthread_self(), "worker");
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER);
#endif
}

static void *run_jobs(void *arg)
{
	struct ccfc_worker *w = arg;
	uint32_t slot;

	lower_priority();
	ccfc_mailbox_lock(&w->box);
	while ((slot = begin_job(w)) < THREADS) {
		struct ccfc_job *job = w->running[slot];

		ccfc_mailbox_unlock(&w->box);
		job->run(job);
		ccfc_mailbox_lock(&w->box);
		w->running[slot] = NULL;
		list_add(&w->ready, job);
		/* Several jobs may have waited for this one to end. */
		if (w->waiting.n)
			pthread_cond_broadcast(&w->work);
		unlock_with_news(w);
		ccfc_mailbox_lock(&w->box);
	}
	w->alive--;
	pthread_cond_signal(&w->box.idle);
	ccfc_mailbox_unlock(&w->box);
	return NULL;
}

/* --- the core --- */

int ccfc_worker_new(struct ccfc_worker **out, struct ccfc_err *err)
{
	struct ccfc_worker *w = ccfc_calloc(1, sizeof(*w));
	int r = ccfc_mailbox_init(&w->box, err);

	if (r) {
		free(w);
		return r;
	}
	pthread_cond_init(&w->work, NULL);
	list_init(&w->waiting);
	list_init(&w->ready);
	*out = w;
	return 0;
}

static void cancel_job(struct ccfc_job *job)
{
	atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
}

/*
 * Under the lock: cancels the jobs of `conn`, or all. A job that has not
 * started goes to the core at once.
 */
static void cancel_jobs(struct ccfc_worker *w, bool all, uint64_t conn)
{
	uint32_t n = w->waiting.n;
	struct ccfc_job *job;

	for (uint32_t i = 0; i < THREADS; i++)
		if (w->running[i] && (all || w->running[i]->conn == conn))
			cancel_job(w->running[i]);
	/* Results of finished jobs are not wanted either. */
	for (job = w->ready.head; job; job = job->next)
		if (all || job->conn == conn)
			cancel_job(job);
	for (; n && (job = list_take(&w->waiting)); n--) {
		bool wanted = !all && job->conn != conn;

		if (!wanted)
			cancel_job(job);
		list_add(wanted ? &w->waiting : &w->ready, job);
	}
}

/* Under the lock: do all threads end in time? */
static bool wait_for_end(struct ccfc_worker *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += CCFC_WORKER_GRACE_MS / 1000;
	while (w->alive && ccfc_mailbox_wait(&w->box, &until))
		;
	return !w->alive;
}

bool ccfc_worker_free(struct ccfc_worker *w)
{
	bool ended;

	if (!w)
		return true;
	ccfc_mailbox_lock(&w->box);
	w->stop = true;
	cancel_jobs(w, true, 0);
	pthread_cond_broadcast(&w->work);
	ended = wait_for_end(w);
	ccfc_mailbox_unlock(&w->box);
	for (uint32_t i = 0; ended && i < w->nthreads; i++)
		pthread_join(w->threads[i], NULL);
	ccfc_worker_dispatch(w);
	if (!ended)
		return false;
	pthread_cond_destroy(&w->work);
	ccfc_mailbox_release(&w->box);
	free(w);
	return true;
}

int ccfc_worker_fd(const struct ccfc_worker *w)
{
	return w->box.rfd;
}

/* Starts a thread if one is wanted and none is idle. */
static int start_thread(struct ccfc_worker *w, bool wanted,
			struct ccfc_err *err)
{
	int r;

	if (!wanted || w->nthreads == THREADS)
		return 0;
	ccfc_mailbox_lock(&w->box);
	r = pthread_create(&w->threads[w->nthreads], NULL, run_jobs, w);
	w->alive += !r;
	ccfc_mailbox_unlock(&w->box);
	if (!r)
		w->nthreads++;
	/* If another thread is running, jobs only take longer. */
	if (w->nthreads)
		return 0;
	return ccfc_err_errno(err, r, "no thread for a long question");
}

int ccfc_worker_submit(struct ccfc_worker *w, struct ccfc_job *job,
		       struct ccfc_err *err)
{
	bool full, wanted;
	int r;

	ccfc_mailbox_lock(&w->box);
	full = w->stop || w->waiting.n >= WAITING_MAX;
	wanted = w->waiting.n >= w->idle;
	ccfc_mailbox_unlock(&w->box);
	if (full) {
		ccfc_err_set(err, CCFC_EAGAIN, "%d long questions wait already",
			     WAITING_MAX);
		ccfc_err_hint(err, "ask again in a moment");
		return CCFC_EAGAIN;
	}
	r = start_thread(w, wanted, err);
	if (r)
		return r;
	ccfc_mailbox_lock(&w->box);
	list_add(&w->waiting, job);
	pthread_cond_signal(&w->work);
	ccfc_mailbox_unlock(&w->box);
	return 0;
}

void ccfc_worker_dispatch(struct ccfc_worker *w)
{
	struct ccfc_job *job;

	ccfc_mailbox_open(&w->box);
	ccfc_mailbox_pop(&w->box);
	ccfc_mailbox_lock(&w->box);
	while ((job = list_take(&w->ready))) {
		w->delivering = job->conn;
		w->is_delivering = true;
		ccfc_mailbox_unlock(&w->box);
		job->done(job);
		ccfc_mailbox_lock(&w->box);
		w->is_delivering = false;
		/* The connection may start another job now. */
		if (w->waiting.n)
			pthread_cond_broadcast(&w->work);
	}
	ccfc_mailbox_unlock(&w->box);
}

void ccfc_worker_hold(struct ccfc_worker *w, uint64_t conn, bool hold)
{
	ccfc_mailbox_lock(&w->box);
	for (struct ccfc_job *job = w->waiting.head; job; job = job->next)
		if (job->conn == conn)
			job->held = hold;
	if (!hold)
		pthread_cond_broadcast(&w->work);
	ccfc_mailbox_unlock(&w->box);
}

void ccfc_worker_count(struct ccfc_worker *w, uint32_t *running,
		       uint32_t *waiting)
{
	*running = 0;
	ccfc_mailbox_lock(&w->box);
	for (uint32_t i = 0; i < THREADS; i++)
		*running += w->running[i] != NULL;
	*waiting = w->waiting.n;
	ccfc_mailbox_unlock(&w->box);
}

bool ccfc_worker_is_idle(struct ccfc_worker *w)
{
	bool idle;

	ccfc_mailbox_lock(&w->box);
	idle = !w->waiting.n && !w->ready.n;
	for (uint32_t i = 0; i < THREADS; i++)
		idle = idle && !w->running[i];
	ccfc_mailbox_unlock(&w->box);
	return idle;
}

void ccfc_worker_closed(struct ccfc_worker *w, uint64_t conn)
{
	ccfc_mailbox_lock(&w->box);
	cancel_jobs(w, false, conn);
	unlock_with_news(w);
}
