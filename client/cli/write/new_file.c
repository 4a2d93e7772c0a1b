/* One new file, complete or not at all; see new_file.h. */
#include "cli/write/new_file.h"

#include "base/alloc.h"
#include "cli/system/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int exists_already(const struct ccfc_new_file *save,
			  struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EDENIED,
		     "%s: already exists, and is left as it is", save->path);
	ccfc_err_hint(err, "--force replaces it");
	return CCFC_EDENIED;
}

static int check_target(const struct ccfc_new_file *save, bool force,
			struct ccfc_err *err)
{
	struct stat st;

	if (fstatat(save->dir, save->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT
			       ? 0
			       : ccfc_err_io(err, errno, "%s", save->path);
	if (!S_ISREG(st.st_mode))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "%s: is not a regular "
				    "file",
				    save->path);
	return force ? 0 : exists_already(save, err);
}

static int open_dir(struct ccfc_new_file *save, struct ccfc_err *err)
{
	char *slash = strrchr(save->path, '/');
	char *dir = ccfc_strndup(
		save->path,
		slash == save->path ? 1 : (size_t)(slash - save->path));
	int code = 0;

	save->name = slash + 1;
	save->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (save->dir < 0)
		code = ccfc_err_io(err, errno, "%s", dir);
	free(dir);
	return code;
}

int ccfc_new_file_init(struct ccfc_new_file *save, const char *path, bool force,
		       struct ccfc_err *err)
{
	int code;

	*save = (struct ccfc_new_file){ .fd = -1,
					.dir = -1,
					.path = ccfc_strdup(path) };
	code = open_dir(save, err);
	if (!code)
		code = check_target(save, force, err);
	if (code < 0)
		return code;
	ccfc_temp_name(save->temp);
	save->fd = ccfc_temp_open(save->dir, save->temp, 0600);
	if (save->fd >= 0)
		return 0;
	code = ccfc_err_io(err, errno, "%s", save->path);
	save->temp[0] = '\0';
	return code;
}

/* Gives the temporary file its name; -1 and errno. */
static int place_new_file(struct ccfc_new_file *save, bool force)
{
	int fd = save->fd;

	save->fd = -1;
	if (ccfc_temp_close(fd) < 0)
		return -1;
	return ccfc_temp_place(save->dir, save->temp, save->name,
			       force ? CCFC_PLACE_OVER : CCFC_PLACE_NEW);
}

int ccfc_new_file_commit(struct ccfc_new_file *save, bool force,
			 struct ccfc_err *err)
{
	int code = check_target(save, force, err);

	if (code < 0)
		return code;
	if (place_new_file(save, force) < 0)
		return errno == EEXIST
			       ? exists_already(save, err)
			       : ccfc_err_io(err, errno, "%s", save->path);
	save->temp[0] = '\0';
	if (ccfc_sync_dir(save->dir) < 0)
		return ccfc_err_io(err, errno, "%s", save->path);
	return 0;
}

void ccfc_new_file_release(struct ccfc_new_file *save)
{
	if (save->temp[0])
		unlinkat(save->dir, save->temp, 0);
	if (save->fd >= 0)
		close(save->fd);
	if (save->dir >= 0)
		close(save->dir);
	free(save->path);
}
