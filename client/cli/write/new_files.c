/*
 * Writing files below one directory; see new_files.h.
 *
 * The content goes to a temporary file beside the place, and is linked to its
 * name when it is complete: link() fails if the name is taken, where rename()
 * would replace what is there. On file systems that have no links the name is
 * taken first, with an empty file that only we can have made (O_EXCL), and
 * that one is replaced.
 */
#include "cli/write/new_files.h"

#include "base/alloc.h"
#include "base/path.h"
#include "cli/frame/file_io.h"
#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMP_MAX   48
#define TEMP_TRIES 1000

/* Where a file goes: its directory, and the last part of its name. */
struct place {
	int dir;
	const char *base;
	char temp[TEMP_MAX];
};

int ccfc_new_files_init(struct ccfc_new_files *keep, const char *path,
			struct ccfc_err *err)
{
	int code;

	*keep = (struct ccfc_new_files){ .path = ccfc_strdup(path), .dir = -1 };
	code = ccfc_dirs_make(path, err);
	if (code < 0)
		return code;
	keep->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (keep->dir < 0)
		return ccfc_err_io(err, errno, "%s", path);
	return 0;
}

void ccfc_new_files_release(struct ccfc_new_files *keep)
{
	if (keep->dir >= 0)
		close(keep->dir);
	free(keep->path);
}

bool ccfc_new_files_name(struct ccfc_buf *out, struct ccfc_slice name)
{
	struct ccfc_buf rooted = CCFC_BUF_INIT, normal = CCFC_BUF_INIT;
	bool ok;

	/* From the root there is no way up. */
	ccfc_buf_putc(&rooted, '/');
	ccfc_buf_slice(&rooted, name);
	ok = name.len && !memchr(name.ptr, '\0', name.len) &&
	     ccfc_path_normalise(&normal, ccfc_buf_view(&rooted),
				 CCFC_SLICE_LIT("/"), CCFC_SLICE_NONE) &&
	     normal.len > 1 && normal.ptr[0] == '/';
	if (ok)
		ccfc_buf_append(out, normal.ptr + 1, normal.len - 1);
	ccfc_buf_release(&rooted);
	ccfc_buf_release(&normal);
	return ok;
}

static enum ccfc_new_files_result
failed_new_files(const struct ccfc_new_files *keep, const char *name, int error,
		 struct ccfc_err *err)
{
	switch (error) {
	case EEXIST:
		ccfc_err_set(err, CCFC_EDENIED,
			     "%s/%s: exists already, and is left as it is",
			     keep->path, name);
		return CCFC_NEW_FILES_EXISTS;
	case ELOOP:
	case ENOTDIR:
		ccfc_err_set(err, CCFC_EDENIED,
			     "%s/%s: a file or a symbolic link is in the way",
			     keep->path, name);
		return CCFC_NEW_FILES_FAILED;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case EROFS:
		ccfc_err_io(err, error, "%s/%s", keep->path, name);
		return CCFC_NEW_FILES_FULL;
	default:
		ccfc_err_io(err, error, "%s/%s", keep->path, name);
		return CCFC_NEW_FILES_FAILED;
	}
}

static int open_dir(int dir, const char *name)
{
	return openat(dir, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The directory `part` of `dir`, made if need be; -1 and errno. */
static int enter(int dir, const char *part)
{
	int fd;

	if (!strcmp(part, "..")) {
		errno = ENOTDIR; /* normal names have none */
		return -1;
	}
	fd = open_dir(dir, part);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (mkdirat(dir, part, 0777) < 0 && errno != EEXIST)
		return -1;
	ccfc_sync_dir(dir);
	return open_dir(dir, part);
}

/* Goes down to the directory that `name` is in; 0 or errno. */
static int walk_new_files(struct place *place,
			  const struct ccfc_new_files *keep, const char *name)
{
	const char *slash;
	int error = 0;

	place->base = name;
	place->dir = open_dir(keep->dir, ".");
	while (place->dir >= 0 && (slash = strchr(place->base, '/'))) {
		char *part = ccfc_strndup(place->base,
					  (size_t)(slash - place->base));
		int next = enter(place->dir, part);

		error = errno;
		close(place->dir);
		place->dir = next;
		place->base = slash + 1;
		free(part);
	}
	return place->dir >= 0 ? 0 : error ? error : errno;
}

/* A new file of a name of its own; its descriptor, or -1 and errno. */
static int make_temp(struct place *place, struct ccfc_new_files *keep)
{
	for (int i = 0; i < TEMP_TRIES; i++) {
		int fd;

		snprintf(place->temp, sizeof(place->temp), ".ccfc-%ld-%u.tmp",
			 (long)getpid(), keep->temps++);
		fd = openat(place->dir, place->temp,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				    O_CLOEXEC,
			    0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	errno = EBUSY;
	return -1;
}

/* For file systems without links; 0 or errno. */
static int settle_by_rename(int dir, const char *temp, const char *name)
{
	int fd = openat(dir, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0666);
	int error;

	if (fd < 0)
		return errno;
	close(fd);
	if (!renameat(dir, temp, dir, name))
		return 0;
	error = errno;
	unlinkat(dir, name, 0);
	return error;
}

int ccfc_keep_settle(int dir, const char *temp, const char *name)
{
	if (linkat(dir, temp, dir, name, 0) < 0)
		return errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS
			       ? settle_by_rename(dir, temp, name)
			       : errno;
	unlinkat(dir, temp, 0);
	return 0;
}

/* The file, in its directory; 0 or errno, and then nothing of it is left. */
static int write_at(struct place *place, struct ccfc_new_files *keep,
		    struct ccfc_slice content)
{
	int fd = make_temp(place, keep), error;

	if (fd < 0)
		return errno;
	error = ccfc_write_all(fd, content) < 0 || fsync(fd) < 0 ? errno : 0;
	if (close(fd) < 0 && !error)
		error = errno;
	if (!error)
		error = ccfc_keep_settle(place->dir, place->temp, place->base);
	if (error) {
		unlinkat(place->dir, place->temp, 0);
		return error;
	}
	error = ccfc_sync_dir(place->dir) < 0 ? errno : 0;
	if (error)
		unlinkat(place->dir, place->base, 0);
	return error;
}

enum ccfc_new_files_result ccfc_new_files_write(struct ccfc_new_files *keep,
						const char *name,
						struct ccfc_slice content,
						struct ccfc_err *err)
{
	struct place place = { .dir = -1 };
	int error = walk_new_files(&place, keep, name);

	if (!error)
		error = write_at(&place, keep, content);
	if (place.dir >= 0)
		close(place.dir);
	return error ? failed_new_files(keep, name, error, err) : CCFC_KEPT;
}
