/* Writing files below one directory; see new_files.h. */
#include "cli/write/new_files.h"

#include "base/alloc.h"
#include "base/path.h"
#include "cli/system/file_io.h"
#include "cli/write/path_walk.h"
#include "cli/write/whole_file.h"
#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The place of a file: its directory and the last part of its name. */
struct place {
	int dir;
	const char *base;
};

int ccfc_new_files_init(struct ccfc_new_files *keep, const char *path,
			struct ccfc_err *err)
{
	struct ccfc_buf inside = CCFC_BUF_INIT;
	unsigned missing = 0;
	int code;

	*keep = (struct ccfc_new_files){ .path = ccfc_strdup(path), .dir = -1 };
	code = ccfc_dirs_make(path, err);
	if (code < 0)
		return code;
	keep->real = realpath(path, NULL);
	if (keep->real) {
		/*
		 * The opened directory is checked, so no link can come in
		 * between.
		 */
		ccfc_buf_printf(&inside, "%s/x",
				strcmp(keep->real, "/") ? keep->real : "");
		keep->dir = ccfc_path_walk_open(inside.ptr, 0, &missing);
		ccfc_buf_release(&inside);
	}
	if (missing)
		errno = ENOENT;
	if (keep->dir < 0 || missing)
		return ccfc_err_io(err, errno, "%s", path);
	return 0;
}

void ccfc_new_files_release(struct ccfc_new_files *keep)
{
	if (keep->dir >= 0)
		close(keep->dir);
	free(keep->path);
	free(keep->real);
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
set_write_error(const struct ccfc_new_files *keep, const char *name, int error,
		struct ccfc_err *err)
{
	switch (error) {
	case EEXIST:
		ccfc_err_set(err, CCFC_EDENIED,
			     "%s/%s: already exists, and is left as it is",
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
static int enter_directory(int dir, const char *part)
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
static int walk_to_directory(struct place *place,
			     const struct ccfc_new_files *keep,
			     const char *name)
{
	const char *slash;
	int error = 0;

	place->base = name;
	place->dir = open_dir(keep->dir, ".");
	while (place->dir >= 0 && (slash = strchr(place->base, '/'))) {
		char *part = ccfc_strndup(place->base,
					  (size_t)(slash - place->base));
		int next = enter_directory(place->dir, part);

		error = errno;
		close(place->dir);
		place->dir = next;
		place->base = slash + 1;
		free(part);
	}
	return place->dir >= 0 ? 0 : error ? error : errno;
}

/*
 * Writes the file in its directory; 0 or errno. After an error nothing of it is
 * left.
 */
static int write_new_file(const struct place *place, struct ccfc_slice content)
{
	char temp[CCFC_TEMP_MAX];
	int error = 0;

	ccfc_temp_name(temp);
	if (ccfc_temp_write(place->dir, temp, 0666, content) < 0)
		return errno;
	if (ccfc_temp_place(place->dir, temp, place->base, CCFC_PLACE_NEW) <
	    0) {
		error = errno;
		unlinkat(place->dir, temp, 0);
	} else if (ccfc_sync_dir(place->dir) < 0) {
		error = errno;
		unlinkat(place->dir, place->base, 0);
	}
	return error;
}

enum ccfc_new_files_result ccfc_new_files_write(struct ccfc_new_files *keep,
						const char *name,
						struct ccfc_slice content,
						struct ccfc_err *err)
{
	struct place place = { .dir = -1 };
	int error = walk_to_directory(&place, keep, name);

	if (!error)
		error = write_new_file(&place, content);
	if (place.dir >= 0)
		close(place.dir);
	return error ? set_write_error(keep, name, error, err) : CCFC_KEPT;
}
