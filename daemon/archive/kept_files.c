/*
 * The files beside a transcript: the client's backups of the session,
 * <root>/file-history/<session>/<hash>@v<N>, and the note on an agent,
 * agent-….meta.json. The copy stays when the client removes the file.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "os/whole_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TAIL	   ".jsonl"
#define NOTE	   ".meta.json"
#define SMALL	   ((size_t)4 << 10) /* such a content is in the manifest */
#define FILE_MAX   ((off_t)256 << 20)
#define FILES_MAX  20000u
#define SETTLED_NS ((int64_t)2000000000)

static int64_t nanoseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static struct ccfc_kept_file *find_file(const struct ccfc_kept_dir *d,
					struct ccfc_slice name)
{
	for (uint32_t i = 0; i < d->files.n; i++)
		if (ccfc_slice_is(name, d->files.items[i].name))
			return &d->files.items[i];
	return NULL;
}

/* --- keeping --- */

static int put_content(struct ccfc_archive *a, struct ccfc_kept_file *f,
		       struct ccfc_slice bytes, struct ccfc_err *err)
{
	int r;

	if (bytes.len <= SMALL) {
		f->key = ccfc_blob_key(bytes);
		return ccfc_blob_pack(&f->packed, a->blobs, bytes, NULL, err);
	}
	r = ccfc_blobs_put(a->blobs, &f->key, bytes, err);
	return r ? r : ccfc_blobs_sync(a->blobs, &f->key, 1, err);
}

static void set_file(struct ccfc_kept_dir *d, struct ccfc_kept_file *fresh)
{
	struct ccfc_kept_file *old = find_file(d, ccfc_slice_str(fresh->name));

	if (!old) {
		CCFC_VEC_PUSH(d->files, *fresh);
		return;
	}
	free(old->name);
	ccfc_buf_release(&old->packed);
	*old = *fresh;
}

/* Archives one file; sets *any if that changed something. */
static int keep_file(struct ccfc_archive *a, struct ccfc_kept_dir *d, int dir,
		     const char *name, bool *any, struct ccfc_err *err)
{
	const struct ccfc_kept_file *old = find_file(d, ccfc_slice_str(name));
	struct ccfc_kept_file f = { 0 };
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct stat st;
	int r = 0;
	int fd;

	if (ccfc_archive_forgot_backup(a->sieve, d->path, name))
		return 0;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX) {
		f.mtime = nanoseconds(&st.st_mtim);
		f.size = (uint64_t)st.st_size;
		if ((!old || old->mtime != f.mtime || old->size != f.size) &&
		    !ccfc_read_bytes(&bytes, fd, (size_t)st.st_size)) {
			r = put_content(a, &f, ccfc_buf_view(&bytes), err);
			if (!r) {
				f.name = ccfc_strdup(name);
				set_file(d, &f);
				*any = true;
			}
		}
	}
	close(fd);
	ccfc_buf_release(&bytes);
	return r;
}

static int load_dir(struct ccfc_kept_dir *d, struct ccfc_buf *file,
		    struct ccfc_archive *a, struct ccfc_slice path,
		    struct ccfc_err *err)
{
	int r;

	ccfc_archive_manifest_name(file, a->files, path);
	r = ccfc_kept_dir_read(d, file->ptr, err);
	if (r == CCFC_ECORRUPT)
		ccfc_kept_dir_release(d);
	if (!d->path)
		d->path = ccfc_strndup(path.ptr, path.len);
	return r == CCFC_ENOTFOUND || r == CCFC_ECORRUPT ? 0 : r;
}

static uint64_t room_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

static int store_dir(struct ccfc_archive *a, const struct ccfc_kept_dir *d,
		     const char *file, struct ccfc_err *err)
{
	uint64_t was = room_of(file);
	int r = ccfc_kept_dir_write(d, file, err);

	pthread_mutex_lock(&a->lock);
	a->stats.bytes += room_of(file) - was;
	pthread_mutex_unlock(&a->lock);
	return r;
}

/* The files get the time of the transcript that was written last. */
static void set_age(const struct ccfc_kept_dir *d, const char *file,
		    int64_t written)
{
	if (d->files.n && d->written < written)
		ccfc_archive_manifest_touch(file, written);
}

/* The directory's time; 0: so late that a new file may not change it. */
static int64_t settled_time(int fd)
{
	struct timespec now;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &now);
	if (fstat(fd, &st) ||
	    nanoseconds(&now) - nanoseconds(&st.st_mtim) < SETTLED_NS)
		return 0;
	return nanoseconds(&st.st_mtim);
}

/* Archives all backups of a directory. */
static int keep_backups(struct ccfc_archive *a, struct ccfc_slice path,
			int64_t written, struct ccfc_err *err)
{
	struct ccfc_kept_dir d = { 0 };
	struct ccfc_buf file = CCFC_BUF_INIT;
	DIR *dir = opendir(path.ptr);
	struct dirent *entry;
	bool any = false;
	int64_t seen;
	int r;

	if (!dir)
		return 0;
	r = load_dir(&d, &file, a, path, err);
	seen = settled_time(dirfd(dir));
	if (!r && (!seen || seen != d.seen)) {
		while (!r && d.files.n < FILES_MAX && (entry = readdir(dir)))
			if (strstr(entry->d_name, "@v"))
				r = keep_file(a, &d, dirfd(dir), entry->d_name,
					      &any, err);
		if (!r && (any || (seen && d.files.n))) {
			d.seen = seen;
			r = store_dir(a, &d, file.ptr, err);
		}
	}
	if (!r)
		set_age(&d, file.ptr, written);
	closedir(dir);
	ccfc_kept_dir_release(&d);
	ccfc_buf_release(&file);
	return r;
}

/* Archives one file, by its path. */
static int keep_one(struct ccfc_archive *a, const char *path, int64_t written,
		    struct ccfc_err *err)
{
	const char *slash = strrchr(path, '/');
	struct ccfc_kept_dir d = { 0 };
	struct ccfc_buf file = CCFC_BUF_INIT;
	bool any = false;
	char *name = ccfc_strndup(path, (size_t)(slash - path));
	int dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (dir >= 0) {
		r = load_dir(&d, &file, a, ccfc_slice_str(name), err);
		if (!r)
			r = keep_file(a, &d, dir, slash + 1, &any, err);
		if (!r && any)
			r = store_dir(a, &d, file.ptr, err);
		if (!r)
			set_age(&d, file.ptr, written);
		close(dir);
	}
	free(name);
	ccfc_kept_dir_release(&d);
	ccfc_buf_release(&file);
	return r;
}

const char *ccfc_archive_root_end(const char *path)
{
	const char *at, *last = NULL;

	for (at = path; (at = strstr(at, "/projects/")); at++)
		last = at;
	return last;
}

int ccfc_archive_keep_files(struct ccfc_archive *archive,
			    const struct ccfc_archive_job *job,
			    struct ccfc_err *err)
{
	const char *root_end = ccfc_archive_root_end(job->path);
	size_t len = strlen(job->path), tail = sizeof(TAIL) - 1;
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = 0;

	if (job->is_agent && len > tail &&
	    !strcmp(job->path + len - tail, TAIL)) {
		ccfc_buf_append(&path, job->path, len - tail);
		ccfc_buf_puts(&path, NOTE);
		r = keep_one(archive, path.ptr, job->written, err);
	} else if (!job->is_agent && root_end && *job->session &&
		   !strchr(job->session, '/') && job->session[0] != '.') {
		ccfc_buf_append(&path, job->path,
				(size_t)(root_end - job->path));
		ccfc_buf_printf(&path, "/file-history/%s", job->session);
		r = keep_backups(archive, ccfc_buf_view(&path), job->written,
				 err);
	}
	ccfc_buf_release(&path);
	return r;
}

/* --- reading --- */

static struct ccfc_attic_info info_of(const struct ccfc_kept_file *f)
{
	return (struct ccfc_attic_info){
		.mtime = f->mtime,
		.size = f->size,
		.stamp = ccfc_hash(f->key.bytes, sizeof(f->key.bytes)),
	};
}

static int get_content(struct ccfc_archive *a, struct ccfc_buf *out,
		       const struct ccfc_kept_file *f, size_t max)
{
	struct ccfc_blob_key key;
	int r;

	if (f->size > max)
		return CCFC_ETOOBIG;
	if (f->size > SMALL)
		return ccfc_blobs_get(out, a->blobs, &f->key, max, NULL);
	r = ccfc_blob_unpack(out, a->blobs, ccfc_buf_view(&f->packed), max,
			     NULL);
	if (r)
		return r;
	key = ccfc_blob_key(ccfc_buf_view(out));
	return memcmp(&key, &f->key, sizeof(key)) ? CCFC_ECORRUPT : 0;
}

int ccfc_archive_get(void *ctx, struct ccfc_buf *out,
		     struct ccfc_attic_info *info, const char *path, size_t max)
{
	const char *slash = strrchr(path, '/');
	struct ccfc_kept_dir d = { 0 };
	struct ccfc_buf file = CCFC_BUF_INIT;
	struct ccfc_archive *a = ctx;
	int r = CCFC_ENOTFOUND;

	ccfc_buf_clear(out);
	if (!slash)
		return r;
	ccfc_archive_manifest_name(&file, a->files,
				   ccfc_slice(path, (size_t)(slash - path)));
	if (!ccfc_kept_dir_read(&d, file.ptr, NULL)) {
		const struct ccfc_kept_file *f =
			find_file(&d, ccfc_slice_str(slash + 1));

		if (f) {
			*info = info_of(f);
			r = get_content(a, out, f, max);
		}
	}
	ccfc_kept_dir_release(&d);
	ccfc_buf_release(&file);
	return r;
}

void ccfc_archive_list(void *ctx, const char *dir, ccfc_attic_fn fn, void *arg)
{
	struct ccfc_kept_dir d = { 0 };
	struct ccfc_buf file = CCFC_BUF_INIT;
	struct ccfc_archive *a = ctx;

	ccfc_archive_manifest_name(&file, a->files, ccfc_slice_str(dir));
	if (!ccfc_kept_dir_read(&d, file.ptr, NULL))
		for (uint32_t i = 0; i < d.files.n; i++) {
			struct ccfc_attic_info info =
				info_of(&d.files.items[i]);

			fn(arg, ccfc_slice_str(d.files.items[i].name), &info);
		}
	ccfc_kept_dir_release(&d);
	ccfc_buf_release(&file);
}
