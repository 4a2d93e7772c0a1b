/*
 * Imports from another machine or another directory; see archive.h.
 *
 *   <dir>/import.new/     incomplete; removed at the next start
 *   <dir>/import.ready/   complete and checked; merged now or at a start
 *   <dir>/import.seen.N/  disk events, until the core has taken them
 *
 * The first two contain an archive of their own. A rename turns the first into
 * the second: before it nothing is imported, after it everything is.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "forget/forgotten.h"
#include "os/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NEW	"import.new"
#define READY	"import.ready"
#define SEEN	"import.seen."
#define DEEP	6
#define LOOK_NS 50000000

/* --- directories --- */

/* Removes a directory of the archive with everything in it. */
static void remove_tree(const char *path, int deep)
{
	DIR *dir = deep ? opendir(path) : NULL;
	struct dirent *entry;
	struct ccfc_buf name = CCFC_BUF_INIT;

	while (dir && (entry = readdir(dir))) {
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		ccfc_buf_clear(&name);
		ccfc_buf_printf(&name, "%s/%s", path, entry->d_name);
		if (!lstat(name.ptr, &st) && S_ISDIR(st.st_mode))
			remove_tree(name.ptr, deep - 1);
		else
			unlink(name.ptr);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
	ccfc_buf_release(&name);
}

static char *path_of(const struct ccfc_archive *a, const char *name)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	ccfc_buf_printf(&path, "%s/%s", a->dir, name);
	return ccfc_buf_detach(&path, NULL);
}

static int sync_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close(fd);
	return r;
}

/* Syncs a directory and all directories below it. */
static int sync_tree(const char *path, int deep)
{
	DIR *dir = deep ? opendir(path) : NULL;
	struct dirent *entry;
	struct ccfc_buf name = CCFC_BUF_INIT;
	int r = 0;

	while (!r && dir && (entry = readdir(dir))) {
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		ccfc_buf_clear(&name);
		ccfc_buf_printf(&name, "%s/%s", path, entry->d_name);
		if (!lstat(name.ptr, &st) && S_ISDIR(st.st_mode))
			r = sync_tree(name.ptr, deep - 1);
	}
	if (dir)
		closedir(dir);
	ccfc_buf_release(&name);
	return r ? r : sync_dir(path);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* --- putting together --- */

static bool is_stopped(void *ctx)
{
	return ccfc_archive_stopped(ctx);
}

/* Is the new archive complete and undamaged? */
static int check_all(struct ccfc_archive *a, struct ccfc_archive *fresh,
		     const char *from, struct ccfc_err *err)
{
	struct ccfc_archive_check check = { 0 };

	ccfc_archive_check(fresh, &check, is_stopped, a);
	if (ccfc_archive_stopped(a))
		return ccfc_err_set(err, CCFC_EAGAIN, "the daemon ends");
	if (check.bad_manifests || check.bad_blobs)
		return ccfc_err_set(err, CCFC_ECORRUPT,
				    "%s: %llu of its files are missing or "
				    "damaged",
				    from,
				    (unsigned long long)check.bad_manifests +
					    check.bad_blobs);
	return 0;
}

static int fill_archive(struct ccfc_archive *a, struct ccfc_archive *fresh,
			const char *from, struct ccfc_err *err)
{
	struct ccfc_buf list = CCFC_BUF_INIT, projects = CCFC_BUF_INIT;
	struct stat st;
	int r;

	ccfc_buf_printf(&list, "%s/ccfc-export", from);
	ccfc_buf_printf(&projects, "%s/projects", from);
	if (!lstat(list.ptr, &st))
		r = ccfc_export_read(from, fresh, err);
	else if (is_dir(projects.ptr))
		r = ccfc_import_claude(from, fresh, err);
	else
		r = ccfc_err_set(err,
				 is_dir(from) ? CCFC_EINVAL : CCFC_ENOTFOUND,
				 "%s: is neither a whole export (no file "
				 "ccfc-export) nor a Claude directory (no "
				 "projects)",
				 from);
	if (!r)
		r = check_all(a, fresh, from, err);
	ccfc_buf_release(&list);
	ccfc_buf_release(&projects);
	return r;
}

/* --- merging --- */

struct paths {
	char **items;
	uint32_t n, cap;
};

static void add_path(void *ctx, const char *file)
{
	struct paths *paths = ctx;
	struct ccfc_archive_manifest m = { 0 };

	if (!ccfc_archive_manifest_read(&m, file, NULL))
		CCFC_VEC_PUSH(*paths, ccfc_strdup(m.path));
	ccfc_archive_manifest_release(&m);
}

static void list_paths(struct paths *out, const struct ccfc_archive *a)
{
	ccfc_archive_each_file(a->sources, add_path, out);
}

/* How many there were. */
static uint32_t free_paths(struct paths *paths)
{
	for (uint32_t i = 0; i < paths->n; i++)
		free(paths->items[i]);
	free(paths->items);
	return paths->n;
}

/* An import does not bring back forgotten items. */
static int drop_forgotten(struct ccfc_archive *a, struct ccfc_archive *from,
			  struct ccfc_archive_imported *out,
			  struct ccfc_err *err)
{
	struct paths all = { 0 }, left = { 0 };
	int r;

	if (!a->sieve || !ccfc_forgotten_any(a->sieve->list))
		return 0;
	list_paths(&all, from);
	r = ccfc_archive_forget_kept(from, a->sieve, all.items, all.n, err);
	if (!r)
		ccfc_archive_drop_blobs(from);
	list_paths(&left, from);
	out->forgotten = free_paths(&all) - free_paths(&left);
	return r;
}

/* --- disk events --- */

/* Passes disk events to the core, with one rename. */
static int pass_seen(const struct ccfc_archive *a,
		     const struct ccfc_archive *from, struct ccfc_err *err)
{
	char *seen = path_of(from, CCFC_IMPORT_SEEN), *to = NULL;
	int r = 0;

	for (int i = 0; !to && is_dir(seen); i++) {
		char name[sizeof(SEEN) + 16];

		snprintf(name, sizeof(name), SEEN "%d", i);
		to = path_of(a, name);
		if (is_dir(to)) {
			free(to);
			to = NULL;
		}
	}
	if (to && (rename(seen, to) || sync_dir(a->dir)))
		r = ccfc_err_io(err, errno, "%s", to);
	free(seen);
	free(to);
	return r;
}

char *ccfc_archive_seen(const struct ccfc_archive *a)
{
	DIR *dir = opendir(a->dir);
	struct dirent *entry;
	char *found = NULL;

	while (dir && !found && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, SEEN, strlen(SEEN)))
			found = path_of(a, entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

void ccfc_archive_seen_done(const char *dir)
{
	remove_tree(dir, DEEP);
}

static int merge_ready(struct ccfc_archive *a, const char *ready,
		       struct ccfc_archive_imported *out, struct ccfc_err *err)
{
	const struct ccfc_archive_limits none = { .mode = CCFC_ARCHIVE_ALL };
	const struct ccfc_archive_kept more = { .source = CCFC_ARCHIVE_MORE };
	struct ccfc_archive *from;
	int r = ccfc_archive_new(&from, ready, &none, err);

	if (r)
		return r;
	r = drop_forgotten(a, from, out, err);
	if (!r)
		r = ccfc_import_merge(a, from, out, err);
	if (!r)
		r = pass_seen(a, from, err);
	ccfc_archive_free(from);
	if (!r)
		remove_tree(ready, DEEP);
	ccfc_archive_count(a);
	ccfc_archive_tell(a, &more);
	return r;
}

bool ccfc_import_is_ready(const struct ccfc_archive *a)
{
	char *ready = path_of(a, READY);
	bool is = is_dir(ready);

	free(ready);
	return is;
}

void ccfc_import_go_on(struct ccfc_archive *a)
{
	struct ccfc_archive_imported out = { 0 };
	char *fresh = path_of(a, NEW), *ready = path_of(a, READY);
	struct ccfc_err err;

	if (is_dir(fresh))
		remove_tree(fresh, DEEP);
	if (is_dir(ready) && merge_ready(a, ready, &out, &err))
		ccfc_log(CCFC_LOG_ERROR, "archive: import: %s", err.what);
	free(fresh);
	free(ready);
}

static int import_all(struct ccfc_archive *a, struct ccfc_import_job *im,
		      const char *fresh, const char *ready)
{
	const struct ccfc_archive_limits none = { .mode = CCFC_ARCHIVE_ALL };
	struct ccfc_archive *into = NULL;
	int r;

	remove_tree(fresh, DEEP);
	if (mkdir(fresh, 0700))
		return ccfc_err_io(&im->err, errno, "%s", fresh);
	r = ccfc_archive_new(&into, fresh, &none, &im->err);
	if (!r)
		r = fill_archive(a, into, im->path, &im->err);
	ccfc_archive_free(into);
	if (!r && (sync_tree(fresh, DEEP) || rename(fresh, ready) ||
		   sync_dir(a->dir)))
		r = ccfc_err_io(&im->err, errno, "%s", ready);
	return r ? r : merge_ready(a, ready, &im->result, &im->err);
}

void ccfc_import_do(struct ccfc_archive *a, struct ccfc_import_job *im)
{
	char *fresh = path_of(a, NEW), *ready = path_of(a, READY);

	ccfc_import_go_on(a);
	if (is_dir(ready))
		im->r = ccfc_err_set(&im->err, CCFC_EBUSY,
				     "an import before this one cannot be "
				     "merged; see the daemon's log");
	else
		im->r = import_all(a, im, fresh, ready);
	remove_tree(fresh, DEEP);
	free(fresh);
	free(ready);
}

/* --- waiting for an import --- */

void ccfc_archive_import_free(struct ccfc_import_job *im)
{
	if (!im)
		return;
	free(im->path);
	free(im);
}

static void sleep_briefly(void)
{
	const struct timespec t = { 0, LOOK_NS };

	nanosleep(&t, NULL);
}

static bool is_done(struct ccfc_archive *a, struct ccfc_import_job *im,
		    bool over)
{
	bool done;

	pthread_mutex_lock(&a->lock);
	done = im->done;
	if (done)
		a->import = NULL;
	else if (over)
		im->abandoned = true;
	pthread_mutex_unlock(&a->lock);
	return done;
}

int ccfc_archive_import(struct ccfc_archive *a, const char *path,
			struct ccfc_archive_imported *out,
			ccfc_archive_over_fn over, void *ctx,
			struct ccfc_err *err)
{
	struct ccfc_import_job *im = ccfc_calloc(1, sizeof(*im));
	bool free_place, ended;
	int r;

	im->path = ccfc_strdup(path);
	pthread_mutex_lock(&a->lock);
	free_place = !a->import;
	if (free_place) {
		a->import = im;
		ccfc_archive_start(a);
		pthread_cond_signal(&a->wake);
	}
	pthread_mutex_unlock(&a->lock);
	if (!free_place) {
		ccfc_archive_import_free(im);
		return ccfc_err_set(err, CCFC_EBUSY, "another import runs");
	}
	do {
		sleep_briefly();
		ended = over(ctx);
		if (is_done(a, im, ended))
			break;
		/* The thread goes on, and frees the job. */
		if (ended)
			return ccfc_err_set(
				err, CCFC_EAGAIN,
				"the client does not wait any more");
	} while (true);
	*out = im->result;
	r = im->r;
	if (r && err)
		*err = im->err;
	ccfc_archive_import_free(im);
	return r;
}

int ccfc_archive_settle(struct ccfc_archive *a, ccfc_archive_over_fn over,
			void *ctx, struct ccfc_err *err)
{
	char why[CCFC_ERR_WHAT_MAX] = "";
	bool waits = true;

	while (waits && !over(ctx)) {
		ccfc_archive_hurry(a);
		pthread_mutex_lock(&a->lock);
		waits = a->first || a->busy;
		memcpy(why, a->stats.error, sizeof(why));
		pthread_mutex_unlock(&a->lock);
		if (why[0])
			return ccfc_err_set(err, CCFC_EAGAIN,
					    "not all transcripts can be kept: "
					    "%s",
					    why);
		if (waits)
			sleep_briefly();
	}
	return waits ? ccfc_err_set(err, CCFC_EAGAIN, "nobody waits") : 0;
}
