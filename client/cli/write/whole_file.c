/*
 * A file written whole; see whole_file.h.
 *
 * A new file gets its name by link(), which fails if the name is taken, whereas
 * rename() would replace a file. Some file systems have no links.
 */
#include "cli/write/whole_file.h"

#include "cli/system/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void ccfc_temp_name(char temp[CCFC_TEMP_MAX])
{
	static const char prefix[] = ".ccfc-";
	size_t len = sizeof(prefix) - 1;

	memcpy(temp, prefix, len);
	ccfc_random_hex(temp + len, 16);
}

int ccfc_temp_open(int dir, const char *temp, mode_t mode)
{
	return openat(dir, temp,
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      mode);
}

int ccfc_temp_close(int fd)
{
	int error = fsync(fd) < 0 ? errno : 0;

	/* Some file systems report a full disk only now. */
	if (close(fd) < 0 && !error)
		error = errno;
	errno = error;
	return error ? -1 : 0;
}

int ccfc_temp_write(int dir, const char *temp, mode_t mode,
		    struct ccfc_slice content)
{
	int fd = ccfc_temp_open(dir, temp, mode), error;

	if (fd < 0)
		return -1;
	error = ccfc_write_all(fd, content) < 0 ? errno : 0;
	if (error)
		close(fd);
	else if (ccfc_temp_close(fd) < 0)
		error = errno;
	if (!error)
		return 0;
	unlinkat(dir, temp, 0);
	errno = error;
	return -1;
}

/* The name is taken with an empty file, which only we can have made. */
static int place_over_own(int dir, const char *temp, const char *name)
{
	int fd = ccfc_temp_open(dir, name, 0666), error;

	if (fd < 0)
		return -1;
	close(fd);
	if (!renameat(dir, temp, dir, name))
		return 0;
	error = errno;
	unlinkat(dir, name, 0);
	errno = error;
	return -1;
}

static int place_new(int dir, const char *temp, const char *name, bool seen)
{
	/* A temporary name that stays is an error for who can take it back. */
	if (!linkat(dir, temp, dir, name, 0))
		return unlinkat(dir, temp, 0) < 0 && seen ? -1 : 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
		return -1;
	return seen ? renameat(dir, temp, dir, name)
		    : place_over_own(dir, temp, name);
}

static int exchange_names(int dir, const char *temp, const char *name)
{
#if defined(SYS_renameat2) && defined(RENAME_EXCHANGE)
	return (int)syscall(SYS_renameat2, dir, temp, dir, name,
			    RENAME_EXCHANGE);
#else
	(void)dir;
	(void)temp;
	(void)name;
	errno = ENOSYS;
	return -1;
#endif
}

int ccfc_temp_place(int dir, const char *temp, const char *name,
		    enum ccfc_placing how)
{
	switch (how) {
	case CCFC_PLACE_NEW:
	case CCFC_PLACE_NEW_SEEN:
		return place_new(dir, temp, name, how == CCFC_PLACE_NEW_SEEN);
	case CCFC_PLACE_OVER:
		return renameat(dir, temp, dir, name);
	case CCFC_PLACE_EXCHANGE:
		break;
	}
	return exchange_names(dir, temp, name);
}
