/*
 * One of the user's files replaced, made or removed; see replace.h.
 *
 * A new file is put in place only if nobody created one of that name meanwhile.
 * An existing file is checked a second time, and then exchanged with the new
 * one (renameat2 with RENAME_EXCHANGE, on Linux): if the old file is not the
 * expected one, the exchange is undone. If that call does not work, rename() is
 * used, and unlink() to remove a file: then a write in between is lost. The
 * content seen at the first check is never lost: the caller has kept it.
 */
#include "cli/write/replace.h"

#include "base/alloc.h"
#include "cli/system/file_io.h"
#include "cli/write/attributes.h"
#include "cli/write/path_walk.h"

#include <ccfc/protocol.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static int fail_on_target(struct ccfc_err *err, int errnum, const char *verb,
			  const char *path)
{
	return ccfc_err_io(err, errnum, "cannot %s %s", verb, path);
}

/* ---- the directory ---- */

static int fail_to_open(const struct ccfc_target *t, const char *verb,
			struct ccfc_err *err)
{
	if (errno != ENOTDIR && errno != ELOOP)
		return fail_on_target(err, errno, verb, t->path);
	ccfc_err_set(err, CCFC_EDENIED,
		     "%s: a symbolic link or a file is in the place of one of "
		     "its directories",
		     t->path);
	ccfc_err_hint(err, "nothing was written");
	return CCFC_EDENIED;
}

int ccfc_target_init(struct ccfc_target *t, const char *path,
		     struct ccfc_err *err)
{
	const char *slash = strrchr(path, '/');
	int fd;

	*t = (struct ccfc_target){ .dir = -1 };
	t->path = ccfc_strdup(path);
	if (path[0] != '/' || !slash[1])
		return ccfc_err_set(err, CCFC_EDENIED,
				    "%s: not the absolute path of a file",
				    path);
	t->name = t->path + (slash + 1 - path);
	fd = ccfc_path_walk_open(t->path, 0, &t->missing);
	if (fd < 0)
		return fail_to_open(t, "open the directory of", err);
	if (t->missing)
		close(fd);
	else
		t->dir = fd;
	return 0;
}

void ccfc_target_release(struct ccfc_target *t)
{
	if (t->temp_made)
		ccfc_target_drop_temp(t, t->temp);
	if (t->dir >= 0)
		close(t->dir);
	ccfc_buf_release(&t->content);
	free(t->path);
	*t = (struct ccfc_target){ .dir = -1 };
}

/* The part of the path that ends `up` directories above the file. */
static char *directory_above(const struct ccfc_target *t, unsigned up)
{
	size_t cut = (size_t)(t->name - t->path) - 1;

	for (; up && cut; up--)
		while (cut && t->path[--cut] != '/')
			;
	return ccfc_strndup(t->path, cut);
}

void ccfc_target_drop_dirs(const struct ccfc_target *t, unsigned n)
{
	for (unsigned up = 0; up < n; up++) {
		char *dir = directory_above(t, up);
		unsigned missing;
		int fd = *dir ? ccfc_path_walk_open(t->path, up + 1, &missing)
			      : -1;

		if (fd >= 0 && !missing)
			unlinkat(fd, strrchr(dir, '/') + 1, AT_REMOVEDIR);
		if (fd >= 0)
			close(fd);
		free(dir);
	}
}

static void remove_made_dirs(struct ccfc_target *t)
{
	if (!t->dirs_made)
		return;
	if (t->dir >= 0)
		close(t->dir);
	t->dir = -1;
	ccfc_target_drop_dirs(t, t->missing);
	t->dirs_made = false;
}

/* One directory in `at`, which is closed; the new one's fd, -1 and errno. */
static int make_dir(int at, const char *name)
{
	int fd = -1, e;

	if (mkdirat(at, name, 0777) < 0 ? errno == EEXIST : !ccfc_sync_dir(at))
		fd = openat(at, name, OPEN_DIR | O_NOFOLLOW);
	e = errno;
	close(at);
	errno = e;
	return fd;
}

static int make_dirs(struct ccfc_target *t, struct ccfc_err *err)
{
	unsigned missing;
	int fd = ccfc_path_walk_open(t->path, 0, &missing), r = 0;

	for (; fd >= 0 && missing; missing--) {
		char *dir = directory_above(t, missing - 1);

		fd = make_dir(fd, strrchr(dir, '/') + 1);
		free(dir);
		t->dirs_made = true;
	}
	t->dir = fd;
	if (fd < 0) {
		r = fail_to_open(t, "make the directory of", err);
		remove_made_dirs(t);
	}
	return r;
}

/* ---- looking ---- */

static const char *kind_text(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK:
		return "a symbolic link";
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a named pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

static int refuse_kind(mode_t mode, const char *path, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EDENIED, "%s is %s, not a regular file", path,
		     kind_text(mode));
	if (S_ISLNK(mode))
		ccfc_err_hint(err, "name the file that it points to");
	return CCFC_EDENIED;
}

/*
 * The regular file of that name, open for reading: 1; 0: there is none. The
 * type is checked before opening too, since opening a device can have side
 * effects.
 */
static int open_file(int *fd, struct stat *st, const struct ccfc_target *t,
		     const char *name, struct ccfc_err *err)
{
	*fd = -1;
	if (t->dir < 0)
		return 0;
	if (fstatat(t->dir, name, st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT
			       ? 0
			       : fail_on_target(err, errno, "look at", t->path);
	if (!S_ISREG(st->st_mode))
		return refuse_kind(st->st_mode, t->path, err);
	*fd = openat(t->dir, name,
		     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (*fd < 0 || fstat(*fd, st) < 0) {
		int e = errno;

		if (*fd >= 0)
			close(*fd);
		return fail_on_target(err, e, "read", t->path);
	}
	if (S_ISREG(st->st_mode))
		return 1;
	close(*fd);
	return refuse_kind(st->st_mode, t->path, err);
}

static int too_big(const char *path, struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ETOOBIG, "%s is larger than %u MiB", path,
			    CCFC_REPLY_MAX_BYTES >> 20);
}

int ccfc_target_look(struct ccfc_target *t, struct ccfc_err *err)
{
	struct stat st;
	int fd, r = open_file(&fd, &st, t, t->name, err);

	ccfc_buf_clear(&t->content);
	t->sha256[0] = '\0';
	t->exists = false;
	if (r <= 0)
		return r;
	r = ccfc_read_all(&t->content, fd);
	if (r < 0)
		r = errno == EFBIG
			    ? too_big(t->path, err)
			    : fail_on_target(err, errno, "read", t->path);
	close(fd);
	if (r < 0)
		return r;
	t->exists = true;
	t->links = st.st_nlink;
	t->attr =
		(struct ccfc_attr){ st.st_mode & 07777, st.st_uid, st.st_gid };
	ccfc_sha256_hex(t->sha256, ccfc_buf_view(&t->content));
	return 0;
}

bool ccfc_target_is(const struct ccfc_target *t, const char *sha256)
{
	return !strcmp(t->sha256, sha256);
}

/* Has the temporary file content with this hash? False if it is unreadable. */
bool ccfc_target_temp_is(const struct ccfc_target *t, const char *temp,
			 const char *sha256)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	char found[CCFC_SHA256_HEX + 1] = "";
	struct stat st;
	int fd;

	if (open_file(&fd, &st, t, temp, NULL) > 0) {
		if (!ccfc_read_all(&bytes, fd))
			ccfc_sha256_hex(found, ccfc_buf_view(&bytes));
		close(fd);
	}
	ccfc_buf_release(&bytes);
	return !strcmp(found, sha256);
}

/* Is the file of this name still the one that was read? */
static int check_unchanged(const struct ccfc_target *t, const char *name,
			   struct ccfc_err *err)
{
	struct ccfc_buf now = CCFC_BUF_INIT;
	struct stat st;
	int fd, r = open_file(&fd, &st, t, name, err);
	bool same = r == 0 && !t->exists;

	if (r < 0)
		return r;
	if (r && t->exists && !ccfc_read_all(&now, fd))
		same = ccfc_slice_eq(ccfc_buf_view(&now),
				     ccfc_buf_view(&t->content));
	if (fd >= 0)
		close(fd);
	ccfc_buf_release(&now);
	if (same)
		return 0;
	ccfc_err_set(err, CCFC_EDENIED,
		     "%s was changed by somebody else just now", t->path);
	ccfc_err_hint(err, "nothing was written; try again");
	return CCFC_EDENIED;
}

/* ---- changing ---- */

int ccfc_target_name_temp(struct ccfc_target *t, struct ccfc_err *err)
{
	struct stat st;

	ccfc_temp_name(t->temp);
	if (t->dir < 0 ||
	    (fstatat(t->dir, t->temp, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
	     errno == ENOENT))
		return 0;
	return ccfc_err_set(err, CCFC_EIO, "cannot write beside %s", t->path);
}

void ccfc_target_drop_temp(struct ccfc_target *t, const char *temp)
{
	if (t->dir >= 0)
		unlinkat(t->dir, temp, 0);
	t->temp_made = false;
}

/* Copies mode, owner, ACL and attributes from the file to be replaced. */
static int copy_owner_and_attributes(int fd, const struct ccfc_target *t,
				     struct ccfc_err *err)
{
	struct stat st;
	int old, r = open_file(&old, &st, t, t->name, err);

	if (r < 0)
		return r;
	if (old < 0)
		return 0; /* gone meanwhile: the commit reports it */
	r = ccfc_attr_copy(fd, old);
	if (r < 0)
		fail_on_target(err, errno, "keep the attributes of", t->path);
	close(old);
	return r < 0 ? CCFC_EIO : 0;
}

static int set_owner(int fd, const struct ccfc_target *t,
		     const struct ccfc_attr *as, struct ccfc_err *err)
{
	struct stat st;
	bool uid, gid;

	if (fstat(fd, &st) < 0)
		return fail_on_target(err, errno, "write beside", t->path);
	uid = st.st_uid != as->uid;
	gid = st.st_gid != as->gid;
	if ((uid || gid) && fchown(fd, uid ? as->uid : (uid_t)-1,
				   gid ? as->gid : (gid_t)-1) < 0) {
		fail_on_target(err, errno,
			       uid ? "keep the owner of" : "keep the group of",
			       t->path);
		ccfc_err_hint(err, "nothing was written; ask the owner to");
		return CCFC_EDENIED;
	}
	/* Last: a change of owner takes bits away. */
	if (fchmod(fd, as->mode) < 0)
		return fail_on_target(err, errno, "keep the mode of", t->path);
	return 0;
}

static int fill_temp(int fd, const struct ccfc_target *t,
		     struct ccfc_slice content, const struct ccfc_attr *as,
		     struct ccfc_err *err)
{
	int r = 0;

	if (ccfc_write_all(fd, content) < 0)
		return fail_on_target(err, errno, "write", t->path);
	if (as)
		r = set_owner(fd, t, as, err);
	if (!r && t->exists)
		r = copy_owner_and_attributes(fd, t, err);
	return r;
}

int ccfc_target_prepare(struct ccfc_target *t, struct ccfc_slice content,
			const struct ccfc_attr *as, struct ccfc_err *err)
{
	int fd, r = 0;

	if (t->exists)
		as = &t->attr;
	if (t->dir < 0)
		r = make_dirs(t, err);
	if (r < 0)
		return r;
	/* A file that others must not read is never readable for them. */
	fd = ccfc_temp_open(t->dir, t->temp, as ? 0600 : 0666);
	if (fd < 0) {
		r = fail_on_target(err, errno, "write", t->path);
	} else {
		t->temp_made = true;
		r = fill_temp(fd, t, content, as, err);
		if (r < 0)
			close(fd);
		else if (ccfc_temp_close(fd) < 0)
			r = fail_on_target(err, errno, "write", t->path);
	}
	if (r < 0) {
		if (t->temp_made)
			ccfc_target_drop_temp(t, t->temp);
		remove_made_dirs(t);
	}
	return r;
}

static int place_temp(const struct ccfc_target *t, enum ccfc_placing how)
{
	return ccfc_temp_place(t->dir, t->temp, t->name, how);
}

/* Replaces the old file, if it is still the one that was read. */
static int exchange_or_replace(struct ccfc_target *t, struct ccfc_err *err)
{
	int r = place_temp(t, CCFC_PLACE_EXCHANGE);

	if (r < 0 &&
	    (errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP)) {
		r = place_temp(t, CCFC_PLACE_OVER);
		t->temp_made = r < 0;
	}
	if (r < 0)
		return fail_on_target(err, errno, "replace", t->path);
	if (!t->temp_made)
		return 0;
	r = check_unchanged(t, t->temp, err);
	if (!r) {
		t->temp_made = unlinkat(t->dir, t->temp, 0) < 0;
		return 0;
	}
	/*
	 * Somebody else's new file: it is put back, or stays where it is now.
	 */
	if (place_temp(t, CCFC_PLACE_EXCHANGE) < 0)
		t->temp_made = false;
	return r;
}

int ccfc_target_commit(struct ccfc_target *t, struct ccfc_err *err)
{
	int r = check_unchanged(t, t->name, err);

	if (r < 0)
		return r;
	if (t->temp_made && t->exists)
		return exchange_or_replace(t, err);
	if (t->temp_made)
		r = place_temp(t, CCFC_PLACE_NEW_SEEN);
	else
		r = t->exists ? unlinkat(t->dir, t->name, 0) : 0;
	if (r < 0)
		return fail_on_target(err, errno,
				      t->temp_made ? "replace" : "remove",
				      t->path);
	t->temp_made = false;
	return 0;
}

int ccfc_target_sync(const struct ccfc_target *t, struct ccfc_err *err)
{
	if (t->dir >= 0 && ccfc_sync_dir(t->dir) < 0)
		return fail_on_target(err, errno, "make durable", t->path);
	return 0;
}
