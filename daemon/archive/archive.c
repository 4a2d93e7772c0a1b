/*
 * The archive and its queue of jobs; see archive.h. A transcript that is being
 * written is archived some seconds after its first new line, so that lines that
 * belong together are compressed together, and the disk is used less often.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/log.h"
#include "os/pipe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DELAY_MS 2000
/* Lines that wait by value: of one transcript, and of all. */
#define STAGED_SOON ((size_t)256 << 10)
#define STAGED_MAX  ((uint64_t)8 << 20)

static int make_dir(char **out, const char *parent, const char *name,
		    struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	ccfc_buf_printf(&path, "%s/%s", parent, name);
	*out = ccfc_buf_detach(&path, NULL);
	if (mkdir(*out, 0700) && errno != EEXIST)
		return ccfc_err_io(err, errno, "%s", *out);
	return 0;
}

static int open_dirs(struct ccfc_archive *a, const char *state_dir,
		     struct ccfc_err *err)
{
	char *blobs = NULL;
	int r = make_dir(&a->dir, state_dir, "archive", err);

	if (!r)
		r = make_dir(&a->sources, a->dir, "sources", err);
	if (!r)
		r = make_dir(&a->files, a->dir, "files", err);
	if (!r)
		r = make_dir(&blobs, a->dir, "blobs", err);
	if (!r)
		r = ccfc_blobs_new(&a->blobs, blobs, err);
	free(blobs);
	return r;
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool empty = true;

	while (dir && empty && (entry = readdir(dir)))
		empty = entry->d_name[0] == '.';
	if (dir)
		closedir(dir);
	return empty;
}

static void init_locks(struct ccfc_archive *a)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&a->work, NULL);
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&a->wake, &attr);
	pthread_condattr_destroy(&attr);
}

int ccfc_archive_new(struct ccfc_archive **out, const char *state_dir,
		     const struct ccfc_archive_limits *limits,
		     struct ccfc_err *err)
{
	struct ccfc_archive *a = ccfc_calloc(1, sizeof(*a));
	int r;

	a->limits = *limits;
	a->news[0] = a->news[1] = -1;
	a->last = &a->first;
	a->attic = (struct ccfc_attic){ a,
					ccfc_archive_open,
					ccfc_archive_read,
					ccfc_archive_may_have_note,
					ccfc_archive_close,
					ccfc_archive_get,
					ccfc_archive_list,
					ccfc_archive_hold,
					ccfc_archive_end_hold,
					ccfc_archive_expect };
	init_locks(a);
	a->ahead = ccfc_archive_ahead_new(a);
	r = open_dirs(a, state_dir, err);
	if (!r) {
		a->cache = ccfc_segment_cache_new(a->blobs);
		a->manifests = ccfc_shared_manifests_new();
	}
	if (!r && ccfc_bell(a->news))
		r = ccfc_err_io(err, errno, "pipe");
	if (r) {
		ccfc_archive_free(a);
		return r;
	}
	a->stats.ready = is_empty(a->sources) && is_empty(a->files);
	*out = a;
	return 0;
}

void ccfc_archive_job_free(struct ccfc_archive_job *job)
{
	ccfc_buf_release(&job->staged);
	free(job->path);
	free(job->session);
	free(job->agent);
	free(job->moved_from);
	free(job);
}

void ccfc_archive_free(struct ccfc_archive *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
	if (a->started)
		pthread_join(a->thread, NULL);
	ccfc_archive_import_free(a->import);
	while (a->first) {
		struct ccfc_archive_job *job = a->first;

		a->first = job->next;
		ccfc_archive_job_free(job);
	}
	for (int i = 0; i < 2; i++)
		if (a->news[i] >= 0)
			close(a->news[i]);
	ccfc_archive_ahead_free(a->ahead);
	ccfc_segment_cache_free(a->cache);
	ccfc_shared_manifests_free(a->manifests);
	ccfc_blobs_free(a->blobs);
	pthread_cond_destroy(&a->wake);
	pthread_mutex_destroy(&a->lock);
	pthread_mutex_destroy(&a->work);
	free(a->jobs.items);
	free(a->kept.items);
	free(a->dir);
	free(a->sources);
	free(a->files);
	free(a);
}

const struct ccfc_attic *ccfc_archive_attic(const struct ccfc_archive *archive)
{
	return &archive->attic;
}

/* --- jobs; the lock is held --- */

/* The source's next lines get a job of their own; this one stays queued. */
static void detach_job(struct ccfc_archive *a, struct ccfc_archive_job *job)
{
	if (job->source < a->jobs.n && a->jobs.items[job->source] == job)
		a->jobs.items[job->source] = NULL;
}

static struct ccfc_archive_job *job_of(struct ccfc_archive *a, uint32_t source,
				       uint32_t since)
{
	struct ccfc_archive_job *job;

	while (a->jobs.n <= source)
		CCFC_VEC_PUSH(a->jobs, NULL);
	job = a->jobs.items[source];
	if (job && job->since == since)
		return job;
	/* The previous version gets no more lines. */
	if (job)
		job->due = 0;
	job = ccfc_calloc(1, sizeof(*job));
	job->source = source;
	job->since = since;
	job->due = ccfc_time_monotonic() + DELAY_MS;
	*a->last = job;
	a->last = &job->next;
	a->jobs.items[source] = job;
	return job;
}

static void replace_text(char **slot, struct ccfc_slice text)
{
	free(*slot);
	*slot = ccfc_strndup(text.ptr ? text.ptr : "", text.len);
}

static void drop_staged(struct ccfc_archive *a, struct ccfc_archive_job *job)
{
	a->staged -= job->staged.len;
	ccfc_buf_release(&job->staged);
}

void ccfc_archive_stage(struct ccfc_archive *a, uint32_t source, uint32_t since,
			uint64_t offset, struct ccfc_slice bytes)
{
	struct ccfc_archive_job *job;

	pthread_mutex_lock(&a->lock);
	job = job_of(a, source, since);
	job->noted = false;
	if (job->staged_from + job->staged.len != offset)
		drop_staged(a, job);
	if (!job->staged.len)
		job->staged_from = offset;
	if (a->staged + bytes.len <= STAGED_MAX) {
		ccfc_buf_slice(&job->staged, bytes);
		a->staged += bytes.len;
	}
	pthread_mutex_unlock(&a->lock);
}

void ccfc_archive_note(struct ccfc_archive *a,
		       const struct ccfc_archive_note *note)
{
	struct ccfc_archive_job *job;

	pthread_mutex_lock(&a->lock);
	job = job_of(a, note->source, note->since);
	replace_text(&job->path, ccfc_slice_str(note->path));
	replace_text(&job->session, note->name.session);
	replace_text(&job->agent, note->name.agent);
	job->is_agent = note->name.kind == CCFC_NAME_AGENT;
	job->end = note->cursor.offset;
	job->marker = note->cursor.marker;
	job->marker_len = note->cursor.marker_len;
	job->noted = true;
	if (note->now || job->staged.len >= STAGED_SOON ||
	    a->staged > STAGED_MAX / 2)
		job->due = 0;
	ccfc_archive_start(a);
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
}

void ccfc_archive_moved(struct ccfc_archive *a, uint32_t source,
			const char *from, const char *to)
{
	struct ccfc_archive_job *job;

	pthread_mutex_lock(&a->lock);
	while (a->jobs.n <= source)
		CCFC_VEC_PUSH(a->jobs, NULL);
	job = a->jobs.items[source];
	if (job && job->path) {
		/* The waiting lines belong to the previous path. */
		job->due = 0;
		detach_job(a, job);
		job = NULL;
	}
	if (!job)
		job = job_of(a, source, 0);
	if (!job->moved_from)
		replace_text(&job->moved_from, ccfc_slice_str(from));
	replace_text(&job->path, ccfc_slice_str(to));
	job->due = 0;
	job->noted = true;
	detach_job(a, job);
	ccfc_archive_start(a);
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
}

void ccfc_archive_hurry(struct ccfc_archive *a)
{
	pthread_mutex_lock(&a->lock);
	for (struct ccfc_archive_job *job = a->first; job; job = job->next)
		job->due = 0;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
}

void ccfc_archive_restore(struct ccfc_archive *a)
{
	const char *const dirs[] = { a->dir, a->sources, a->files };

	/* The directory of blobs is made when a blob is put. */
	for (int i = 0; i < 3; i++)
		if (mkdir(dirs[i], 0700) && errno != EEXIST)
			ccfc_log(CCFC_LOG_ERROR, "archive: %s: %s", dirs[i],
				 strerror(errno));
	pthread_mutex_lock(&a->lock);
	a->recount = true;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
}

/* --- news --- */

int ccfc_archive_fd(const struct ccfc_archive *archive)
{
	return archive->news[0];
}

void ccfc_archive_tell(struct ccfc_archive *a,
		       const struct ccfc_archive_kept *kept)
{
	pthread_mutex_lock(&a->lock);
	CCFC_VEC_PUSH(a->kept, *kept);
	pthread_mutex_unlock(&a->lock);
	ccfc_bell_ring(a->news[1]);
}

void ccfc_archive_news(struct ccfc_archive *a,
		       void (*fn)(void *ctx,
				  const struct ccfc_archive_kept *kept),
		       void *ctx)
{
	struct ccfc_archive_kept *items;
	uint32_t n;

	ccfc_bell_silence(a->news[0]);
	pthread_mutex_lock(&a->lock);
	items = a->kept.items;
	n = a->kept.n;
	memset(&a->kept, 0, sizeof(a->kept));
	pthread_mutex_unlock(&a->lock);
	for (uint32_t i = 0; i < n; i++)
		fn(ctx, &items[i]);
	free(items);
}

void ccfc_archive_stats(struct ccfc_archive *a, struct ccfc_archive_stats *out)
{
	struct ccfc_blob_stats blobs;

	ccfc_blobs_stats(a->blobs, &blobs);
	pthread_mutex_lock(&a->lock);
	*out = a->stats;
	out->bytes += blobs.bytes;
	out->due = a->limits.bytes && out->bytes > a->limits.bytes;
	out->leaves =
		a->limits.age && out->oldest ? out->oldest + a->limits.age : 0;
	out->waiting = a->busy;
	for (struct ccfc_archive_job *job = a->first; job; job = job->next)
		out->waiting++;
	pthread_mutex_unlock(&a->lock);
}

void ccfc_archive_sift(struct ccfc_archive *archive,
		       const struct ccfc_archive_sieve *sieve)
{
	pthread_mutex_lock(&archive->work);
	archive->sieve = sieve;
	pthread_mutex_unlock(&archive->work);
	pthread_mutex_lock(&archive->lock);
	if (!archive->stats.ready || ccfc_import_is_ready(archive))
		ccfc_archive_start(archive);
	pthread_mutex_unlock(&archive->lock);
}

void ccfc_archive_limits(const struct ccfc_archive *archive,
			 struct ccfc_archive_limits *out)
{
	*out = archive->limits;
}

bool ccfc_archive_stopped(struct ccfc_archive *a)
{
	bool stop;

	pthread_mutex_lock(&a->lock);
	stop = a->stop;
	pthread_mutex_unlock(&a->lock);
	return stop;
}
