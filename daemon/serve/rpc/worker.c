/*
 * The workers; see worker.h. One lock, three lists: jobs that wait, the two
 * that run, and those that wait for the core. A mailbox gives the lock and the
 * descriptor; its only mail says that there is something in the last list, so
 * any number of jobs that end together wake the core once.
 */
#include "serve/rpc/worker.h"

#include "base/alloc.h"
#include "serve/net/mailbox.h"

#include <stdlib.h>

#define THREADS	    2
#define WAITING_MAX 64

struct list {
	struct ccfc_job *head, **end;
	uint32_t n;
};

struct ccfc_worker {
	struct ccfc_mailbox box; /* its lock is that of all below */
	struct ccfc_mail news;	 /* `ready` has something */
	pthread_cond_t work;	 /* `waiting` has something, or `stop` */
	struct list waiting, ready;
	struct ccfc_job *running[THREADS];
	pthread_t threads[THREADS];
	uint32_t nthreads; /* core */
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

static struct ccfc_job *list_take(struct list *list)
{
	struct ccfc_job *job = list->head;

	if (!job)
		return NULL;
	list->head = job->next;
	if (!list->head)
		list->end = &list->head;
	list->n--;
	return job;
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

/* Under the lock. The place that it runs in, THREADS when it is to end. */
static uint32_t begin_worker(struct ccfc_worker *w)
{
	uint32_t slot = 0;

	w->idle++;
	while (!w->waiting.n && !w->stop)
		pthread_cond_wait(&w->work, &w->box.lock);
	w->idle--;
	if (w->stop)
		return THREADS;
	while (w->running[slot])
		slot++;
	w->running[slot] = list_take(&w->waiting);
	return slot;
}

static void *thread(void *arg)
{
	struct ccfc_worker *w = arg;
	uint32_t slot;

	ccfc_mailbox_lock(&w->box);
	while ((slot = begin_worker(w)) < THREADS) {
		struct ccfc_job *job = w->running[slot];

		ccfc_mailbox_unlock(&w->box);
		job->run(job);
		ccfc_mailbox_lock(&w->box);
		w->running[slot] = NULL;
		list_add(&w->ready, job);
		unlock_with_news(w);
		ccfc_mailbox_lock(&w->box);
	}
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

static void cancel(struct ccfc_job *job)
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
			cancel(w->running[i]);
	for (; n && (job = list_take(&w->waiting)); n--) {
		bool wanted = !all && job->conn != conn;

		if (!wanted)
			cancel(job);
		list_add(wanted ? &w->waiting : &w->ready, job);
	}
}

void ccfc_worker_free(struct ccfc_worker *w)
{
	if (!w)
		return;
	ccfc_mailbox_lock(&w->box);
	w->stop = true;
	cancel_those(w, true, 0);
	pthread_cond_broadcast(&w->work);
	ccfc_mailbox_unlock(&w->box);
	for (uint32_t i = 0; i < w->nthreads; i++)
		pthread_join(w->threads[i], NULL);
	ccfc_worker_dispatch(w);
	pthread_cond_destroy(&w->work);
	ccfc_mailbox_release(&w->box);
	free(w);
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
	r = pthread_create(&w->threads[w->nthreads], NULL, thread, w);
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
		ccfc_mailbox_unlock(&w->box);
		job->done(job);
		ccfc_mailbox_lock(&w->box);
	}
	ccfc_mailbox_unlock(&w->box);
}

void ccfc_worker_closed(struct ccfc_worker *w, uint64_t conn)
{
	ccfc_mailbox_lock(&w->box);
	cancel_those(w, false, conn);
	unlock_with_news(w);
}
