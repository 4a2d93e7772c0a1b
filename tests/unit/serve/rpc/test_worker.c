/* Jobs beside the core: their order, their number, their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "serve/rpc/worker.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct fixture {
	struct ccfc_worker *worker;
	atomic_int begun;   /* jobs that run or ran */
	atomic_int at_once; /* that run now */
	atomic_int most;    /* at once, ever */
	atomic_bool open;   /* jobs may end */
	int done, cancelled;
	pthread_mutex_t lock;
	int order[4096]; /* by when they began */
	int again;	 /* jobs that `done` submits */
};

struct work {
	struct ccfc_job job;
	struct fixture *f;
	int name;
	bool deaf; /* does not ask whether it is cancelled */
};

static void run(struct ccfc_job *job)
{
	struct work *w = (struct work *)job;
	int now = atomic_fetch_add(&w->f->at_once, 1) + 1;
	int most = atomic_load(&w->f->most);

	while (now > most &&
	       !atomic_compare_exchange_weak(&w->f->most, &most, now))
		;
	pthread_mutex_lock(&w->f->lock);
	w->f->order[atomic_load(&w->f->begun)] = w->name;
	atomic_fetch_add(&w->f->begun, 1);
	pthread_mutex_unlock(&w->f->lock);
	while (!atomic_load(&w->f->open) &&
	       (w->deaf || !ccfc_job_cancelled(job)))
		sched_yield();
	atomic_fetch_sub(&w->f->at_once, 1);
}

static void submit(struct fixture *f, int name, uint64_t conn);

static void done(struct ccfc_job *job)
{
	struct work *w = (struct work *)job;
	struct fixture *f = w->f;

	f->done++;
	f->cancelled += ccfc_job_cancelled(job);
	free(w);
	if (f->again > 0) {
		f->again--;
		submit(f, 100, 1);
	}
}

static struct work *work_new(struct fixture *f, int name, uint64_t conn)
{
	struct work *w = ccfc_calloc(1, sizeof(*w));

	w->job.run = run;
	w->job.done = done;
	w->job.conn = conn;
	w->f = f;
	w->name = name;
	return w;
}

static void submit(struct fixture *f, int name, uint64_t conn)
{
	struct work *w = work_new(f, name, conn);

	assert_int_equal(ccfc_worker_submit(f->worker, &w->job, NULL), 0);
}

static void submit_unbounded(struct fixture *f, int name, uint64_t conn)
{
	struct work *w = work_new(f, name, conn);

	w->job.unbounded = true;
	assert_int_equal(ccfc_worker_submit(f->worker, &w->job, NULL), 0);
}

/* Plays the core until `n` jobs are done. */
static void until_done(struct fixture *f, int n)
{
	while (f->done < n) {
		struct pollfd fd = { .fd = ccfc_worker_fd(f->worker),
				     .events = POLLIN };

		assert_int_equal(poll(&fd, 1, -1), 1);
		ccfc_worker_dispatch(f->worker);
	}
	assert_int_equal(f->done, n);
}

static void until_begun(struct fixture *f, int n)
{
	while (atomic_load(&f->begun) < n)
		sched_yield();
}

static int setup(void **state)
{
	struct fixture *f = ccfc_calloc(1, sizeof(*f));

	pthread_mutex_init(&f->lock, NULL);
	assert_int_equal(ccfc_worker_new(&f->worker, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ccfc_worker_free(f->worker);
	pthread_mutex_destroy(&f->lock);
	free(f);
	return 0;
}

/* However many one connection asks for. */
static void test_two_of_one(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 20; i++)
		submit(f, i, 1);
	until_begun(f, 2);
	assert_int_equal(f->done, 0);
	atomic_store(&f->open, true);
	until_done(f, 20);
	assert_int_equal(atomic_load(&f->begun), 20);
	assert_int_equal(atomic_load(&f->most), 2);
	assert_int_equal(f->cancelled, 0);
}

/* While one is held up, the others are begun one after the other. */
static void test_order(void **state)
{
	struct fixture *f = *state;

	atomic_store(&f->open, true);
	for (int i = 0; i < 30; i++) {
		submit(f, i, 1);
		until_done(f, i + 1);
		assert_int_equal(f->order[i], i);
	}
}

/*
 * A job that has run counts until the core has its answer: a core that is busy
 * does not let one connection have more made.
 */
static void test_not_taken(void **state)
{
	struct fixture *f = *state;

	atomic_store(&f->open, true);
	submit(f, 0, 1);
	submit(f, 1, 1);
	until_begun(f, 2);
	while (atomic_load(&f->at_once))
		sched_yield();
	for (int i = 0; i < 20; i++) {
		submit(f, 2 + 2 * i, 1);
		submit(f, 3 + 2 * i, 2 + (uint64_t)i);
		until_begun(f, 3 + i);
		assert_int_equal(f->order[2 + i], 3 + 2 * i);
	}
	until_done(f, 42);
}

/* What a peer that went away wanted is not begun, and ends if it has. */
static void test_closed(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 4; i++)
		submit(f, i, i % 2 ? 8 : 7);
	until_begun(f, 4);
	submit(f, 4, 7);
	submit(f, 5, 8);
	submit(f, 6, 7);
	ccfc_worker_closed(f->worker, 7);
	until_done(f, 4);
	assert_int_equal(f->cancelled, 4);
	assert_int_equal(atomic_load(&f->begun), 4);
	atomic_store(&f->open, true);
	until_done(f, 7);
	assert_int_equal(f->cancelled, 4);
	assert_int_equal(f->order[4], 5);
}

static void test_too_many(void **state)
{
	enum { RUN = 2, WAIT = 2048 };
	struct fixture *f = *state;
	struct ccfc_err err = { 0 };
	struct work *one;

	for (int i = 0; i < RUN; i++)
		submit(f, i, 1);
	until_begun(f, RUN);
	for (int i = 0; i < WAIT; i++)
		submit(f, RUN + i, 1);
	one = work_new(f, 1, 1);
	assert_int_equal(ccfc_worker_submit(f->worker, &one->job, &err),
			 CCFC_EAGAIN);
	assert_string_not_equal(err.hint, "");
	free(one);
	atomic_store(&f->open, true);
	until_done(f, RUN + WAIT);
	submit(f, 1, 1);
	until_done(f, RUN + WAIT + 1);
}

/* One that asks for much is not in the way of one that asks for little. */
static void test_fair(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 10; i++)
		submit(f, i, 1);
	until_begun(f, 2);
	submit(f, 10, 2);
	until_begun(f, 3);
	assert_int_equal(f->order[2], 10);
	submit(f, 11, 3);
	until_begun(f, 4);
	assert_int_equal(f->order[3], 11);
	/* All places are taken: the newcomer is before the eight. */
	submit(f, 12, 4);
	ccfc_worker_closed(f->worker, 3);
	until_begun(f, 5);
	assert_int_equal(f->order[4], 12);
	atomic_store(&f->open, true);
	until_done(f, 13);
}

/* Six that never end, of three connections, leave a place. */
static void test_unbounded(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 6; i++)
		submit_unbounded(f, i, 1 + (uint64_t)i / 2);
	until_begun(f, 3);
	for (int i = 0; i < 20; i++) {
		submit(f, 10 + i, 4);
		until_begun(f, 4 + i);
		assert_int_equal(f->order[3 + i], 10 + i);
		ccfc_worker_closed(f->worker, 4);
		until_done(f, 1 + i);
	}
	atomic_store(&f->open, true);
	until_done(f, 26);
	assert_int_equal(f->cancelled, 20);
}

/* Held jobs wait, those of others do not. */
static void test_held(void **state)
{
	struct fixture *f = *state;

	submit(f, 0, 1);
	submit(f, 1, 1);
	until_begun(f, 2);
	submit(f, 2, 1);
	submit(f, 3, 1);
	ccfc_worker_hold(f->worker, 1, true);
	atomic_store(&f->open, true);
	until_done(f, 2);
	submit(f, 4, 2);
	until_done(f, 3);
	assert_int_equal(f->order[2], 4);
	ccfc_worker_hold(f->worker, 1, false);
	until_done(f, 5);
	assert_int_equal(f->order[3] + f->order[4], 2 + 3);
}

/* `done` may submit; at the end that is refused, and nothing is lost. */
static void test_again(void **state)
{
	struct fixture *f = *state;

	atomic_store(&f->open, true);
	f->again = 5;
	submit(f, 0, 1);
	until_done(f, 6);
}

static void test_end(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 10; i++)
		submit(f, i, 1);
	until_begun(f, 2);
	ccfc_worker_free(f->worker);
	f->worker = NULL;
	assert_int_equal(f->done, 10);
	assert_int_equal(f->cancelled, 10);
	assert_int_equal(atomic_load(&f->begun), 2);
}

/* What does not end is left alone; all the rest is done. */
static void test_stuck(void **state)
{
	struct fixture *f = *state;
	struct work *w = work_new(f, 0, 1);

	w->deaf = true;
	assert_int_equal(ccfc_worker_submit(f->worker, &w->job, NULL), 0);
	for (int i = 1; i < 6; i++)
		submit(f, i, (uint64_t)i);
	until_begun(f, 4);
	assert_false(ccfc_worker_free(f->worker));
	assert_int_equal(f->done, 5);
	assert_int_equal(f->cancelled, 5);
	/* The test can do what the daemon cannot. */
	atomic_store(&f->open, true);
	assert_true(ccfc_worker_free(f->worker));
	f->worker = NULL;
	assert_int_equal(f->done, 6);
}

static void test_no_job(void **state)
{
	struct fixture *f = *state;

	ccfc_worker_dispatch(f->worker);
	ccfc_worker_closed(f->worker, 1);
	assert_int_equal(f->done, 0);
	ccfc_worker_free(NULL);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_two_of_one), TEST(test_order),
		TEST(test_not_taken),  TEST(test_closed),
		TEST(test_too_many),   TEST(test_fair),
		TEST(test_unbounded),  TEST(test_held),
		TEST(test_again),      TEST(test_end),
		TEST(test_stuck),      TEST(test_no_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
