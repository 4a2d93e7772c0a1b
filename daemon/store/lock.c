/* One daemon per state directory; see lock.h. */
#include "store/lock.h"

#include "os/dirs.h"
#include "os/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_dir(const char *dir, struct ccfc_err *err)
{
	struct stat st;
	int r = ccfc_dirs_make(dir, err);

	if (r)
		return r;
	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return ccfc_err_set(err, CCFC_EIO,
				    "state directory %s: is not a directory",
				    dir);
	if (st.st_uid != geteuid())
		return ccfc_err_set(err, CCFC_EDENIED,
				    "state directory %s: belongs to another "
				    "user",
				    dir);
	if (st.st_mode & 022) {
		ccfc_err_set(err, CCFC_EDENIED,
			     "state directory %s: others may write to it", dir);
		ccfc_err_hint(err, "chmod go-w %s", dir);
		return CCFC_EDENIED;
	}
	return 0;
}

int ccfc_lock_take(const char *dir, long *pid, struct ccfc_err *err)
{
	char path[4200];
	int fd, r;

	r = check_dir(dir, err);
	if (r)
		return r;
	snprintf(path, sizeof(path), "%s/" CCFC_HOLDER_FILE, dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return ccfc_err_errno(err, errno, "lock %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int why = errno;

		*pid = ccfc_holder_written(fd);
		close(fd);
		if (why == EWOULDBLOCK)
			return ccfc_err_set(err, CCFC_EBUSY,
					    "state directory %s: another "
					    "daemon has it (pid %ld)",
					    dir, *pid);
		return ccfc_err_errno(err, why, "lock %s", path);
	}
	ccfc_holder_write(fd, NULL, 0, NULL);
	ccfc_holder_claim(fd);
	return fd;
}

bool ccfc_lock_is_there(int fd, const char *dir)
{
	struct stat ours, there;
	char path[4200];

	snprintf(path, sizeof(path), "%s/" CCFC_HOLDER_FILE, dir);
	return !fstat(fd, &ours) && !lstat(path, &there) &&
	       ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}
