/*
 * The archive's thread: runs one job after another, with the lowest CPU and
 * disk priority, and sleeps when there is none.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#define IDLE_DISK (3 << 13) /* the class of ioprio_set(2) */
#endif

/* Ms until a failed job is tried again. */
#define AGAIN_MS 60000

static void lower_priority(void)
{
#ifdef __linux__
	pthread_setname_np(pthread_self(), "archive");
	/* On Linux both apply to a thread, not to the process. */
	if (setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19) ||
	    syscall(SYS_ioprio_set, 1, 0, IDLE_DISK))
		ccfc_log(CCFC_LOG_DEBUG, "the archive has normal priority");
#endif
}

/* Waits for a job that is due, or until `due`; 0: without end. */
static void sleep_until(struct ccfc_archive *a, int64_t due)
{
	struct timespec at = { due / 1000, due % 1000 * 1000000 };

	if (due)
		pthread_cond_timedwait(&a->wake, &a->lock, &at);
	else
		pthread_cond_wait(&a->wake, &a->lock);
}

/* Takes out the first job that is due; NULL: *next is the next due, or 0. */
static struct ccfc_archive_job *take_due(struct ccfc_archive *a, int64_t *next)
{
	int64_t now = ccfc_time_monotonic();
	struct ccfc_archive_job **at, *job;

	*next = 0;
	for (at = &a->first; (job = *at); at = &job->next) {
		/* At the end, only lines that may exist nowhere else. */
		if (!job->noted || (a->stop && !job->staged.len))
			continue;
		if (job->due <= now || a->stop) {
			*at = job->next;
			if (a->last == &job->next)
				a->last = at;
			if (job->source < a->jobs.n &&
			    a->jobs.items[job->source] == job)
				a->jobs.items[job->source] = NULL;
			a->staged -= job->staged.len;
			return job;
		}
		if (!*next || job->due < *next)
			*next = job->due;
	}
	return NULL;
}

/* Puts a job that failed back, unless there is a newer one. */
static void put_back(struct ccfc_archive *a, struct ccfc_archive_job *job)
{
	if (a->stop || a->jobs.items[job->source]) {
		ccfc_archive_job_free(job);
		return;
	}
	job->due = ccfc_time_monotonic() + AGAIN_MS;
	job->next = NULL;
	*a->last = job;
	a->last = &job->next;
	a->staged += job->staged.len;
	a->jobs.items[job->source] = job;
}

/*
 * The lock is held, and released here; end_work takes it again. `work` is free
 * between two jobs, so that other threads may write to the archive.
 */
static void begin_work(struct ccfc_archive *a)
{
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_lock(&a->work);
}

static void end_work(struct ccfc_archive *a)
{
	pthread_mutex_unlock(&a->work);
	pthread_mutex_lock(&a->lock);
}

static void do_job(struct ccfc_archive *a, struct ccfc_archive_job *job)
{
	struct ccfc_err err = { 0 };
	bool wanted;
	int r = 0;

	a->busy = true;
	begin_work(a);
	/* The transcript may have been forgotten since the note. */
	wanted = !ccfc_archive_forgot(a->sieve, job->session, job->path) &&
		 !ccfc_archive_too_old(a, job);
	if (wanted)
		r = ccfc_archive_do(a, job, &err);
	if (!r && wanted && !job->moved_from)
		r = ccfc_archive_keep_files(a, job, &err);
	if (r)
		ccfc_log(CCFC_LOG_WARN, "archive: %s", err.what);
	end_work(a);
	a->busy = false;
	memcpy(a->stats.error, r ? err.what : "", r ? sizeof(err.what) : 1);
	if (r)
		put_back(a, job);
	else
		ccfc_archive_job_free(job);
}

static void do_import(struct ccfc_archive *a)
{
	struct ccfc_import_job *import = a->import;

	begin_work(a);
	ccfc_import_do(a, import);
	end_work(a);
	import->done = true;
	if (import->abandoned) {
		a->import = NULL;
		ccfc_archive_import_free(import);
	}
}

/* The lock is held. */
static uint64_t bytes_of(const struct ccfc_archive *a)
{
	struct ccfc_blob_stats blobs;

	ccfc_blobs_stats(a->blobs, &blobs);
	return a->stats.bytes + blobs.bytes;
}

static bool is_full(const struct ccfc_archive *a)
{
	return a->limits.bytes && bytes_of(a) > a->limits.bytes;
}

static void do_purge(struct ccfc_archive *a)
{
	begin_work(a);
	ccfc_archive_purge(a);
	end_work(a);
}

/*
 * Has the archive grown by a hundredth of the budget since the last count, so
 * that a purge would remove something else? The lock is held.
 */
static bool has_grown(const struct ccfc_archive *a)
{
	return a->limits.bytes &&
	       bytes_of(a) > a->counted + a->limits.bytes / 100;
}

/* The lock is held: nothing to do until `next` (0: no job waits). */
static void wait_for_work(struct ccfc_archive *a, int64_t next)
{
	int64_t due = ccfc_archive_purge_due(a);

	if (due && due <= ccfc_time_monotonic()) {
		do_purge(a);
		return;
	}
	if (a->recount || has_grown(a)) {
		a->recount = false;
		begin_work(a);
		ccfc_archive_count(a);
		end_work(a);
		return;
	}
	ccfc_blobs_rest(a->blobs);
	sleep_until(a, due && (!next || due < next) ? due : next);
}

static void *run_archive(void *arg)
{
	struct ccfc_archive *a = arg;
	struct ccfc_archive_job *job;
	int64_t next;

	lower_priority();
	pthread_mutex_lock(&a->work);
	ccfc_import_go_on(a);
	ccfc_archive_count(a);
	ccfc_archive_purge(a);
	end_work(a);
	for (;;) {
		job = take_due(a, &next);
		if (job) {
			do_job(a, job);
			if (is_full(a))
				do_purge(a);
		} else if (a->stop) {
			break;
		} else if (a->import && !a->import->done) {
			do_import(a);
		} else {
			wait_for_work(a, next);
		}
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

void ccfc_archive_start(struct ccfc_archive *a)
{
	if (a->started || a->stop)
		return;
	a->started = !pthread_create(&a->thread, NULL, run_archive, a);
	if (!a->started)
		ccfc_log(CCFC_LOG_WARN, "archive: no thread can be started");
}
