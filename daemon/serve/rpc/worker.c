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
#define OF_ONE	      2 /* begun at once for one connection */
#define UNBOUNDED_MAX (THREADS - 1)
/* Each of 256 connections may wait for eight (server.c). */
#define WAITING_MAX 2048
#define NICER	    5 /* a third of the weight that the core has */

struct list {
	struct ccfc_job *head, **end;
	uint32_t n;
};

struct ccfc_worker {
	struct ccfc_mailbox box; /* its lock is that of all below */
	struct ccfc_mail news;	 /* `ready` has something */
	pthread_cond_t work;	 /* a job may begin, or `stop` */
	struct list waiting, ready;
	struct ccfc_job *running[THREADS];
	uint64_t delivering; /* the connection whose `done` runs, if any does */
	bool is_delivering;
	pthread_t threads[THREADS];
	uint32_t nthreads; /* core */
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

/* `at` points to the job within its list. */
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

/* Unlocks, and wakes the core for what is in `ready`. */
static void unlock_with_news(struct ccfc_worker *w)
{
	bool ring = w->ready.n && ccfc_mailbox_post(&w->box, &w->news);

	ccfc_mailbox_unlock(&w->box);
	if (ring)
		ccfc_mailbox_ring(&w->box);
}

/* --- a thread --- */

/*
 * Jobs of a connection that run, or have run and whose answer the server does
 * not have yet. Only the answer tells the server that the connection is full:
 * if the second kind did not count, a busy core would let the workers make any
 * number of answers for a peer that reads none.
 */
static uint32_t begun_for(const struct ccfc_worker *w, uint64_t conn)
{
	uint32_t n = w->is_delivering && w->delivering == conn;

	for (uint32_t i = 0; i < THREADS; i++)
		n += w->running[i] && w->running[i]->conn == conn;
	for (const struct ccfc_job *job = w->ready.head; job; job = job->next)
		n += job->conn == conn;
	return n;
}

static uint32_t running_unbounded(const struct ccfc_worker *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < THREADS; i++)
		n += w->running[i] && w->running[i]->unbounded;
	return n;
}

/* Under the lock: the job to begin next, taken out of its list, or NULL. */
static struct ccfc_job *take_next(struct ccfc_worker *w)
{
	bool any = running_unbounded(w) < UNBOUNDED_MAX;
	struct ccfc_job **best = NULL;
	uint32_t fewest = OF_ONE;

	for (struct ccfc_job **at = &w->waiting.head; *at && fewest;
	     at = &(*at)->next) {
		uint32_t n = begun_for(w, (*at)->conn);

		if ((*at)->held || (!any && (*at)->unbounded) || n >= fewest)
			continue;
		fewest = n;
		best = at;
	}
	return best ? list_remove(&w->waiting, best) : NULL;
}

/* Under the lock. The place that it runs in, THREADS when it is to end. */
static uint32_t begin_worker(struct ccfc_worker *w)
{
	struct ccfc_job *job = NULL;
	uint32_t slot = 0;

	w->idle++;
	while (!w->stop && !(job = take_next(w)))
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
 * The core answers lookups and takes in what is written: where CPUs are scarce
 * it goes before a question that takes long. Linux has a priority for each
 * thread; elsewhere this call would slow down the whole process. The threads
 * that a job starts get the same.
 */
static void let_the_core_go_first(void)
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

	let_the_core_go_first();
	ccfc_mailbox_lock(&w->box);
	while ((slot = begin_worker(w)) < THREADS) {
		struct ccfc_job *job = w->running[slot];

		ccfc_mailbox_unlock(&w->box);
		job->run(job);
		ccfc_mailbox_lock(&w->box);
		w->running[slot] = NULL;
		list_add(&w->ready, job);
		/* More than one may have waited for this to end. */
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
 * Under the lock: those of `conn`, or all. What has not begun is not run any
 * more and goes to the core at once.
 */
static void cancel_those(struct ccfc_worker *w, bool all, uint64_t conn)
{
	uint32_t n = w->waiting.n;
	struct ccfc_job *job;

	for (uint32_t i = 0; i < THREADS; i++)
		if (w->running[i] && (all || w->running[i]->conn == conn))
			cancel_job(w->running[i]);
	/* Nor does anybody wait for what has run. */
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
	cancel_those(w, true, 0);
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

/* Starts a thread where one is wanted and none is idle. */
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
	/* With one that runs already, things only take longer. */
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
		/* Its connection may have another job begun now. */
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
	cancel_those(w, false, conn);
	unlock_with_news(w);
}
