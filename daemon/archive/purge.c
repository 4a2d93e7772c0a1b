/*
 * Age and budget: removes the transcripts that were written longest ago, with
 * the files of their sessions, and then unreferenced blobs.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/log.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Removals by age are at least so far apart. */
#define PAUSE_MS ((int64_t)3600000)

struct item {
	char *file;
	int64_t time; /* in seconds */
	uint64_t room, lines;
	bool is_dir; /* files of a directory */
};

struct items {
	struct item *items;
	uint32_t n, cap;
};

static void list_files(struct items *out, const char *path, bool is_dir)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		struct ccfc_slice name = ccfc_slice_str(entry->d_name);
		struct ccfc_buf file = CCFC_BUF_INIT;
		struct stat st;

		if (name.ptr[0] == '.')
			continue;
		ccfc_buf_printf(&file, "%s/%s", path, name.ptr);
		/* Not a manifest that is being written. */
		if (!ccfc_slice_ends(name, ".new") && !lstat(file.ptr, &st) &&
		    S_ISREG(st.st_mode))
			CCFC_VEC_PUSH(
				*out,
				((struct item){
					.file = ccfc_buf_detach(&file, NULL),
					.time = st.st_mtim.tv_sec,
					.room = (uint64_t)st.st_blocks * 512,
					.is_dir = is_dir }));
		ccfc_buf_release(&file);
	}
	closedir(dir);
}

/* Removes leftovers of a killed daemon. */
static void drop_unfinished(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (ccfc_slice_ends(ccfc_slice_str(entry->d_name), ".new"))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

static void release_items(struct items *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		free(list->items[i].file);
	free(list->items);
}

void ccfc_archive_each_file(const char *dir,
			    void (*fn)(void *ctx, const char *file), void *ctx)
{
	struct items list = { 0 };

	list_files(&list, dir, false);
	for (uint32_t i = 0; i < list.n; i++)
		fn(ctx, list.items[i].file);
	release_items(&list);
}

/* --- counting --- */

static int by_time(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return strcmp(a->file, b->file);
}

static uint64_t bytes_now(struct ccfc_archive *a)
{
	struct ccfc_archive_stats stats;

	ccfc_archive_stats(a, &stats);
	return stats.bytes;
}

/* A purge by budget goes down to this. */
static uint64_t goal_of(const struct ccfc_archive *a)
{
	return a->limits.bytes - a->limits.bytes / 10;
}

/*
 * Counts the transcripts that a purge would remove once the budget is used up.
 * The disk space of a transcript is guessed from its length, because many share
 * segments.
 */
static void look_ahead(struct ccfc_archive *a, const struct items *list,
		       uint64_t all)
{
	struct ccfc_archive_stats now;
	uint64_t goes = a->limits.bytes - goal_of(a), n = 0;
	double freed = 0;
	uint32_t i = 0;

	ccfc_archive_stats(a, &now);
	for (; all && i < list->n && now.bytes > goes && freed < (double)goes;
	     i++) {
		freed += (double)now.bytes * (double)list->items[i].lines /
			 (double)all;
		n += !list->items[i].is_dir;
	}
	pthread_mutex_lock(&a->lock);
	a->stats.next = a->limits.bytes ? n : 0;
	a->stats.next_until = n ? list->items[i - 1].time : 0;
	pthread_mutex_unlock(&a->lock);
}

void ccfc_archive_count(struct ccfc_archive *a)
{
	const struct ccfc_blob_limits none = { UINT64_MAX, 1000000000 };
	struct items list = { 0 };
	uint64_t bytes = 0, lines = 0, n = 0;

	drop_unfinished(a->sources);
	drop_unfinished(a->files);
	list_files(&list, a->sources, false);
	list_files(&list, a->files, true);
	for (uint32_t i = 0; i < list.n; i++) {
		struct ccfc_archive_manifest m = { 0 };

		bytes += list.items[i].room;
		if (list.items[i].is_dir)
			continue;
		n++;
		if (!ccfc_archive_manifest_read(&m, list.items[i].file, NULL))
			for (uint32_t k = 0; k < m.versions.n; k++)
				list.items[i].lines += m.versions.items[k].end;
		lines += list.items[i].lines;
		ccfc_archive_manifest_release(&m);
	}
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), by_time);
	/* Counts the blobs; with these limits it removes none. */
	ccfc_blobs_sweep(a->blobs, &none);
	pthread_mutex_lock(&a->lock);
	a->stats.bytes = bytes;
	a->stats.lines_bytes = lines;
	a->stats.transcripts = n;
	a->stats.oldest = list.n ? list.items[0].time : 0;
	a->stats.ready = true;
	pthread_mutex_unlock(&a->lock);
	look_ahead(a, &list, lines);
	a->counted = bytes_now(a);
	release_items(&list);
}

/* --- unreferenced blobs --- */

struct keys {
	struct ccfc_blob_key *items;
	uint32_t n, cap;
};

struct sweep {
	struct ccfc_archive *archive;
	struct keys keys; /* sorted */
};

static int by_key(const void *x, const void *y)
{
	return memcmp(x, y, sizeof(struct ccfc_blob_key));
}

/* False: the manifest cannot be read now, so its blobs are not known. */
static bool add_keys(struct keys *keys, const struct item *item)
{
	struct ccfc_archive_manifest m = { 0 };
	struct ccfc_kept_dir d = { 0 };
	int r = item->is_dir ? ccfc_kept_dir_read(&d, item->file, NULL)
			     : ccfc_archive_manifest_read(&m, item->file, NULL);

	for (uint32_t i = 0; i < d.files.n; i++)
		CCFC_VEC_PUSH(*keys, d.files.items[i].key);
	for (uint32_t i = 0; i < m.versions.n; i++)
		for (uint32_t k = 0; k < m.versions.items[i].segments.n; k++)
			CCFC_VEC_PUSH(
				*keys,
				m.versions.items[i].segments.items[k].key);
	ccfc_archive_manifest_release(&m);
	ccfc_kept_dir_release(&d);
	return !r || r == CCFC_ENOTFOUND || r == CCFC_ECORRUPT;
}

static void drop_unnamed(void *ctx, const struct ccfc_blob_key *key,
			 uint64_t room)
{
	struct sweep *s = ctx;

	(void)room;
	if (!s->keys.n ||
	    !bsearch(key, s->keys.items, s->keys.n, sizeof(*key), by_key))
		ccfc_blobs_remove(s->archive->blobs, key, NULL);
}

void ccfc_archive_drop_blobs(struct ccfc_archive *a)
{
	struct sweep s = { .archive = a };
	struct items list = { 0 };
	bool all = true;

	list_files(&list, a->sources, false);
	list_files(&list, a->files, true);
	for (uint32_t i = 0; i < list.n; i++)
		all &= add_keys(&s.keys, &list.items[i]);
	if (s.keys.n)
		qsort(s.keys.items, s.keys.n, sizeof(*s.keys.items), by_key);
	if (all)
		ccfc_blobs_each(a->blobs, drop_unnamed, &s);
	release_items(&list);
	free(s.keys.items);
}

/* --- purging --- */

/* How many items are too old. */
static uint32_t count_old(const struct ccfc_archive *a,
			  const struct items *list)
{
	int64_t now = (int64_t)time(NULL);
	uint32_t n = 0;

	while (a->limits.age && n < list->n &&
	       list->items[n].time < now - a->limits.age)
		n++;
	return n;
}

static void remove_items(struct ccfc_archive *a, const struct items *list,
			 uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		unlink(list->items[i].file);
	ccfc_archive_drop_blobs(a);
	pthread_mutex_lock(&a->lock);
	for (uint32_t i = from; i < to; i++) {
		const struct item *item = &list->items[i];

		a->stats.bytes -= item->room < a->stats.bytes ? item->room
							      : a->stats.bytes;
		a->stats.purged += !item->is_dir;
		a->stats.transcripts -= !item->is_dir && a->stats.transcripts;
	}
	pthread_mutex_unlock(&a->lock);
}

/* Some at a time: the size of their blobs is known only after the removal. */
static uint32_t remove_until_small(struct ccfc_archive *a,
				   const struct items *list, uint32_t from)
{
	uint64_t goal = goal_of(a);
	uint32_t step = list->n / 20 + 1;

	if (!a->limits.bytes || bytes_now(a) <= a->limits.bytes)
		return from;
	while (from < list->n && bytes_now(a) > goal) {
		uint32_t to = from + step < list->n ? from + step : list->n;

		remove_items(a, list, from, to);
		from = to;
	}
	return from;
}

/*
 * Otherwise each start would archive purged transcripts again, as long as the
 * client has them, and purge others that only the archive has.
 */
bool ccfc_archive_too_old(struct ccfc_archive *a,
			  const struct ccfc_archive_job *job)
{
	struct ccfc_archive_stats now;
	struct ccfc_buf file = CCFC_BUF_INIT;
	struct stat st, kept;
	bool known;

	ccfc_archive_manifest_name(&file, a->sources,
				   ccfc_slice_str(job->path));
	known = !stat(file.ptr, &kept);
	ccfc_buf_release(&file);
	if (known || job->moved_from || stat(job->path, &st))
		return false;
	ccfc_archive_stats(a, &now);
	if (a->limits.age && st.st_mtim.tv_sec < time(NULL) - a->limits.age)
		return true;
	return a->limits.bytes && now.bytes > goal_of(a) &&
	       st.st_mtim.tv_sec < now.oldest;
}

int64_t ccfc_archive_purge_due(const struct ccfc_archive *a)
{
	int64_t now = ccfc_time_monotonic(), due, again = a->aged + PAUSE_MS;

	if (!a->limits.age || !a->stats.oldest)
		return 0;
	due = now +
	      (a->stats.oldest + a->limits.age + 1 - (int64_t)time(NULL)) *
		      1000;
	if (a->aged && due < again)
		due = again;
	/* The wall clock may be set meanwhile: look again soon. */
	return due < now + PAUSE_MS ? due : now + PAUSE_MS;
}

void ccfc_archive_purge(struct ccfc_archive *a)
{
	const struct ccfc_archive_kept all = { .source = CCFC_ARCHIVE_LESS };
	struct items list = { 0 };
	uint32_t old, gone;

	if (!a->limits.bytes && !a->limits.age)
		return;
	list_files(&list, a->sources, false);
	list_files(&list, a->files, true);
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), by_time);
	old = count_old(a, &list);
	if (old)
		remove_items(a, &list, 0, old);
	gone = remove_until_small(a, &list, old);
	pthread_mutex_lock(&a->lock);
	a->aged = old ? ccfc_time_monotonic() : a->aged;
	pthread_mutex_unlock(&a->lock);
	if (gone) {
		ccfc_archive_count(a);
		ccfc_archive_tell(a, &all);
		ccfc_log(CCFC_LOG_INFO,
			 "archive: %u of the oldest manifests made room", gone);
	} else {
		pthread_mutex_lock(&a->lock);
		a->stats.oldest = list.n ? list.items[0].time : 0;
		pthread_mutex_unlock(&a->lock);
	}
	release_items(&list);
}
