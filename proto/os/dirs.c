/* The directories and files of ccfc; see dirs.h. */
#include "os/dirs.h"

#include "base/alloc.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A variable that is set and not empty, else NULL. */
static const char *env_or_null(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

static const char *env_absolute(const char *name)
{
	const char *value = env_or_null(name);

	return value && value[0] == '/' ? value : NULL;
}

/* One of our own variables: relative to the working directory. */
static int append_own(struct ccfc_buf *out, const char *value,
		      struct ccfc_err *err)
{
	char *cwd = NULL;
	bool ok;

	if (value[0] != '/') {
		cwd = getcwd(NULL, 0);
		if (!cwd)
			return ccfc_err_errno(err, errno,
					      "cannot find out where we are");
	}
	ok = ccfc_path_normalise(out, ccfc_slice_str(value),
				 ccfc_slice_str(cwd), CCFC_SLICE_NONE);
	free(cwd);
	if (!ok)
		return ccfc_err_set(err, CCFC_EINVAL, "bad path: %s", value);
	return 0;
}

/*
 * Only $HOME: a static program should not ask the user database, and users
 * without HOME set the other variables.
 */
int ccfc_dirs_home(struct ccfc_buf *out, struct ccfc_err *err)
{
	const char *home = env_absolute("HOME");

	if (!home) {
		ccfc_err_set(err, CCFC_ENOTFOUND,
			     "HOME is not set to an absolute path");
		ccfc_err_hint(err, "set HOME, or CCFC_STATE_DIR");
		return CCFC_ENOTFOUND;
	}
	ccfc_buf_puts(out, home);
	return 0;
}

/* $var/tail, or ~/fallback/tail. */
static int append_xdg(struct ccfc_buf *out, const char *var,
		      const char *fallback, const char *tail,
		      struct ccfc_err *err)
{
	const char *dir = env_absolute(var);
	int r;

	if (dir) {
		ccfc_buf_printf(out, "%s/%s", dir, tail);
		return 0;
	}
	r = ccfc_dirs_home(out, err);
	if (r < 0)
		return r;
	ccfc_buf_printf(out, "/%s/%s", fallback, tail);
	return 0;
}

int ccfc_dirs_state(struct ccfc_buf *out, struct ccfc_err *err)
{
	const char *own = env_or_null("CCFC_STATE_DIR");

	if (own)
		return append_own(out, own, err);
	return append_xdg(out, "XDG_STATE_HOME", ".local/state", "ccfc", err);
}

int ccfc_dirs_check_socket(struct ccfc_slice path, struct ccfc_err *err)
{
	struct sockaddr_un addr;

	if (path.len < sizeof(addr.sun_path))
		return (int)path.len;
	ccfc_err_set(err, CCFC_EINVAL,
		     "the socket's path is too long (%zu bytes, at most %zu)",
		     path.len, sizeof(addr.sun_path) - 1);
	ccfc_err_hint(err, "set CCFC_SOCKET to a shorter path");
	return CCFC_EINVAL;
}

static int append_socket(struct ccfc_buf *out, struct ccfc_err *err)
{
	const char *own = env_or_null("CCFC_SOCKET");
	const char *run = env_absolute("XDG_RUNTIME_DIR");
	int r = 0;

	if (own)
		return append_own(out, own, err);
	if (run && !env_or_null("CCFC_STATE_DIR"))
		ccfc_buf_printf(out, "%s/ccfc", run);
	else
		r = ccfc_dirs_state(out, err);
	if (!r)
		ccfc_buf_puts(out, "/ccfc.sock");
	return r;
}

int ccfc_dirs_socket(struct ccfc_buf *out, struct ccfc_err *err)
{
	size_t start = out->len;
	int r = append_socket(out, err);

	if (r < 0)
		return r;
	r = ccfc_dirs_check_socket(
		ccfc_slice(out->ptr + start, out->len - start), err);
	return r < 0 ? r : 0;
}

int ccfc_dirs_config(struct ccfc_buf *out, struct ccfc_err *err)
{
	return append_xdg(out, "XDG_CONFIG_HOME", ".config", "ccfc/config",
			  err);
}

int ccfc_dirs_user_config(struct ccfc_buf *out, const char *tail,
			  struct ccfc_err *err)
{
	return append_xdg(out, "XDG_CONFIG_HOME", ".config", tail, err);
}

int ccfc_dirs_user_data(struct ccfc_buf *out, const char *tail,
			struct ccfc_err *err)
{
	return append_xdg(out, "XDG_DATA_HOME", ".local/share", tail, err);
}

static int make_private_dir(const char *path, struct ccfc_err *err)
{
	struct stat st;
	int e;

	if (!mkdir(path, 0700))
		return 0;
	e = errno;
	/*
	 * Any error, not only EEXIST: a read-only file system may report EROFS.
	 */
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return 0;
	return ccfc_err_io(err, e == EEXIST ? ENOTDIR : e,
			   "cannot make the directory %s", path);
}

int ccfc_dirs_make(const char *path, struct ccfc_err *err)
{
	char *copy = ccfc_strdup(path);
	int r = 0;

	for (char *p = copy; *p && !r; p++) {
		if (p == copy || *p != '/')
			continue;
		*p = '\0';
		r = make_private_dir(copy, err);
		*p = '/';
	}
	if (!r)
		r = make_private_dir(copy, err);
	free(copy);
	return r;
}

int ccfc_dirs_make_parent(const char *path, struct ccfc_err *err)
{
	const char *slash = strrchr(path, '/');
	char *dir;
	int r;

	if (!slash || slash == path)
		return 0;
	dir = ccfc_strndup(path, (size_t)(slash - path));
	r = ccfc_dirs_make(dir, err);
	free(dir);
	return r;
}

void ccfc_dirs_empty(int fd)
{
	DIR *dir = fdopendir(fd); /* takes the descriptor */
	const struct dirent *item;

	if (!dir) {
		close(fd);
		return;
	}
	while ((item = readdir(dir)))
		unlinkat(dirfd(dir), item->d_name, 0);
	closedir(dir);
}
