/*
 * Loading ahead: while a question works on one line, these threads decompress
 * what the question will read next. Most of a question's time from the archive
 * is decompression, and mostly other processors have nothing to do.
 *
 * There is one list, that of the question which came last; others load for
 * themselves. The threads end with their list, so an idle daemon has none.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* The rest of a longer list is not loaded ahead. */
#define LINES_MAX 65536u
/* The question waits while they work. */
#define THREADS_MAX 4u

struct line {
	uint32_t path; /* in `paths` */
	uint32_t gen;
	uint64_t offset;
};

struct ccfc_archive_ahead {
	struct ccfc_archive *archive;
	pthread_mutex_t starting; /* one caller of `expect` at a time */
	uint32_t threads;
	pthread_t thread[THREADS_MAX];
	pthread_mutex_t lock; /* for `over` and `next` */
	bool over;
	uint32_t next; /* line that no thread has taken */
	/* Not changed while there are threads. */
	struct ccfc_buf paths; /* each with a NUL */
	struct {
		struct line *items;
		uint32_t n, cap;
	} lines;
};

static bool is_over(void *ctx)
{
	struct ccfc_archive_ahead *a = ctx;
	bool over;

	pthread_mutex_lock(&a->lock);
	over = a->over;
	pthread_mutex_unlock(&a->lock);
	return over;
}

static bool is_same_transcript(const struct line *a, const struct line *b)
{
	return a->path == b->path && a->gen == b->gen;
}

/* Takes the lines of the next transcript; their number. */
static uint32_t take_transcript(struct ccfc_archive_ahead *a, uint32_t *first)
{
	uint32_t i;

	pthread_mutex_lock(&a->lock);
	*first = i = a->over ? a->lines.n : a->next;
	while (i < a->lines.n &&
	       is_same_transcript(&a->lines.items[*first], &a->lines.items[i]))
		i++;
	a->next = i;
	pthread_mutex_unlock(&a->lock);
	return i - *first;
}

static void load_transcript(struct ccfc_archive_ahead *a,
			    const struct line *lines, uint32_t n)
{
	struct ccfc_attic_file *file;
	uint64_t size;

	if (ccfc_archive_open(a->archive, &file, a->paths.ptr + lines->path,
			      lines->gen, &size, NULL))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (!ccfc_archive_load(file, lines[i].offset, is_over, a))
			break;
	ccfc_archive_close(file);
}

static void *load_lines(void *arg)
{
	struct ccfc_archive_ahead *a = arg;
	uint32_t first, n;

	while ((n = take_transcript(a, &first)))
		load_transcript(a, &a->lines.items[first], n);
	return NULL;
}

static void copy_lines(struct ccfc_archive_ahead *a,
		       const struct ccfc_attic_line *lines, uint32_t n)
{
	const char *last = NULL;
	uint32_t path = 0;

	ccfc_buf_clear(&a->paths);
	a->lines.n = 0;
	for (uint32_t i = 0; i < n && i < LINES_MAX; i++) {
		struct line line = { .gen = lines[i].gen,
				     .offset = lines[i].offset };

		if (lines[i].path != last) {
			last = lines[i].path;
			path = (uint32_t)a->paths.len;
			ccfc_buf_append(&a->paths, last, strlen(last) + 1);
		}
		line.path = path;
		CCFC_VEC_PUSH(a->lines, line);
	}
}

static void set_over(struct ccfc_archive_ahead *a, bool over)
{
	pthread_mutex_lock(&a->lock);
	a->over = over;
	pthread_mutex_unlock(&a->lock);
}

static void end_threads(struct ccfc_archive_ahead *a)
{
	if (!a->threads)
		return;
	set_over(a, true);
	ccfc_segment_cache_wake(a->archive->cache);
	while (a->threads)
		pthread_join(a->thread[--a->threads], NULL);
	set_over(a, false);
}

/* One processor is the question's. */
static uint32_t threads_wanted(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (processors <= 2)
		return 1;
	return processors - 1 < THREADS_MAX ? (uint32_t)processors - 1
					    : THREADS_MAX;
}

/* Without threads the readers load for themselves. */
static void start_threads(struct ccfc_archive_ahead *a)
{
	uint32_t wanted = threads_wanted();

	a->next = 0;
	while (a->threads < wanted && a->threads < a->lines.n &&
	       !pthread_create(&a->thread[a->threads], NULL, load_lines, a))
		a->threads++;
}

void ccfc_archive_expect(void *ctx, const struct ccfc_attic_line *lines,
			 uint32_t n)
{
	struct ccfc_archive *archive = ctx;
	struct ccfc_archive_ahead *a = archive->ahead;

	pthread_mutex_lock(&a->starting);
	end_threads(a);
	copy_lines(a, lines, n);
	if (a->lines.n > 1)
		start_threads(a);
	pthread_mutex_unlock(&a->starting);
}

struct ccfc_archive_ahead *ccfc_archive_ahead_new(struct ccfc_archive *archive)
{
	struct ccfc_archive_ahead *a = ccfc_calloc(1, sizeof(*a));

	a->archive = archive;
	pthread_mutex_init(&a->starting, NULL);
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

void ccfc_archive_ahead_free(struct ccfc_archive_ahead *a)
{
	if (!a)
		return;
	end_threads(a);
	pthread_mutex_destroy(&a->starting);
	pthread_mutex_destroy(&a->lock);
	ccfc_buf_release(&a->paths);
	free(a->lines.items);
	free(a);
}
