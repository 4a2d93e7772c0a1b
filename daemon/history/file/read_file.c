/*
 * Reads a whole file; see read_file.h. The name is checked first: opening a
 * device can have side effects, and opening a FIFO would block. Then the file
 * is opened without blocking and checked again, so the checked file is the one
 * that is read. A file that changes meanwhile is read again; a mixture is never
 * returned.
 */
#include "history/file/read_file.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 3

static bool is_absence(int errnum)
{
	/* No file can have a name that is too long. */
	return errnum == ENOENT || errnum == ENOTDIR || errnum == ENAMETOOLONG;
}

static int fail_with_errno(const char *path, int errnum, struct ccfc_err *err)
{
	int r = ccfc_err_errno(err, errnum, "%s: cannot be read", path);

	return r == CCFC_EDENIED ? r : CCFC_EIO;
}

uint64_t ccfc_file_stamp(const struct stat *st)
{
	uint64_t all[] = {
		(uint64_t)st->st_ino,	      (uint64_t)st->st_dev,
		(uint64_t)st->st_size,	      st->st_mode,
		(uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec
	};

	return ccfc_hash(all, sizeof(all));
}

static void set_file_info(struct ccfc_file_info *info, const struct stat *st)
{
	info->exists = true;
	info->regular = S_ISREG(st->st_mode);
	info->mtime = (int64_t)st->st_mtim.tv_sec * 1000 +
		      st->st_mtim.tv_nsec / 1000000;
	info->ctime = (int64_t)st->st_ctim.tv_sec * 1000 +
		      st->st_ctim.tv_nsec / 1000000;
	info->size = st->st_size > 0 ? (uint64_t)st->st_size : 0;
	info->stamp = ccfc_file_stamp(st);
}

/* Checks the name without opening anything. */
static int check_path(struct ccfc_file_info *info, const char *path,
		      bool follow, struct ccfc_err *err)
{
	struct stat st;

	*info = (struct ccfc_file_info){ 0 };
	/* A path of another system. */
	if (*path != '/')
		return 0;
	if (lstat(path, &st))
		return is_absence(errno) ? 0
					 : fail_with_errno(path, errno, err);
	set_file_info(info, &st);
	info->link = S_ISLNK(st.st_mode);
	if (!info->link || !follow)
		return 0;
	if (!stat(path, &st))
		set_file_info(info, &st);
	else if (!is_absence(errno) && errno != ELOOP)
		return fail_with_errno(path, errno, err);
	return 0;
}

static int too_big(const char *path, size_t max, struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ETOOBIG, "%s: is larger than %zu bytes",
			    path, max);
}

/* Reads up to the present end of the file. */
static int read_to_end(struct ccfc_buf *out, int fd, const char *path,
		       uint64_t size, size_t max, struct ccfc_err *err)
{
	ccfc_buf_clear(out);
	while (out->len <= max) {
		/* One byte more than expected, to see the end. */
		size_t want = size >= out->len ? (size_t)(size - out->len) + 1
					       : 65536;
		ssize_t n = pread(fd, ccfc_buf_reserve(out, want), want,
				  (off_t)out->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_with_errno(path, errno, err);
		out->len += (size_t)n;
		out->ptr[out->len] = '\0';
		if (!n)
			return 0;
	}
	return too_big(path, max, err);
}

static bool is_same_stat(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int read_open_file(struct ccfc_buf *out, struct ccfc_file_info *info,
			  int fd, const char *path, size_t max,
			  struct ccfc_err *err)
{
	struct stat before, after;

	if (fstat(fd, &after))
		return fail_with_errno(path, errno, err);
	for (int i = 0; i < TRIES; i++) {
		int r;

		before = after;
		set_file_info(info, &before);
		if (!info->regular)
			return 0;
		if (info->size > max)
			return too_big(path, max, err);
		r = read_to_end(out, fd, path, info->size, max, err);
		if (r)
			return r;
		if (fstat(fd, &after))
			return fail_with_errno(path, errno, err);
		if (is_same_stat(&before, &after) && out->len == info->size)
			return 0;
	}
	return ccfc_err_set(err, CCFC_EAGAIN, "%s: is being written, try again",
			    path);
}

static int read_checked_path(struct ccfc_buf *out, struct ccfc_file_info *info,
			     const char *path, bool follow, size_t max,
			     struct ccfc_err *err)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int r, fd;

	if (out)
		ccfc_buf_clear(out);
	r = check_path(info, path, follow, err);
	if (r || !out || !info->regular)
		return r;
	fd = open(path, follow ? flags : flags | O_NOFOLLOW);
	if (fd < 0) {
		r = errno;
		/*
		 * The file was there a moment ago: checks the name once more.
		 */
		if (is_absence(r) || r == ELOOP || r == ENXIO)
			return check_path(info, path, follow, err);
		return fail_with_errno(path, r, err);
	}
	r = read_open_file(out, info, fd, path, max, err);
	close(fd);
	if (r)
		ccfc_buf_clear(out);
	return r;
}

int ccfc_file_read(struct ccfc_buf *out, struct ccfc_file_info *info,
		   const char *path, size_t max, struct ccfc_err *err)
{
	return read_checked_path(out, info, path, true, max, err);
}

int ccfc_file_read_itself(struct ccfc_buf *out, struct ccfc_file_info *info,
			  const char *path, size_t max, struct ccfc_err *err)
{
	return read_checked_path(out, info, path, false, max, err);
}

int ccfc_file_read_kept(struct ccfc_buf *out, struct ccfc_file_info *info,
			const struct ccfc_attic *attic, const char *path,
			size_t max)
{
	struct ccfc_attic_info kept;
	int r = ccfc_file_read_itself(out, info, path, max, NULL);

	if (r || info->exists || !attic ||
	    attic->get(attic->ctx, out, &kept, path, max))
		return r;
	*info = (struct ccfc_file_info){ .exists = true,
					 .regular = true,
					 .mtime = kept.mtime / 1000000,
					 .ctime = kept.mtime / 1000000,
					 .size = kept.size,
					 .stamp = kept.stamp };
	return 0;
}
