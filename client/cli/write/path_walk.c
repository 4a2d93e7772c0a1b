/* Walks the path to a file without following a link; see path_walk.h. */
#include "cli/write/path_walk.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* To go through a directory one need not be allowed to list it. */
#if defined(O_PATH)
#define STEP_DIR (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#elif defined(O_SEARCH)
#define STEP_DIR (O_SEARCH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#else
#define STEP_DIR (OPEN_DIR | O_NOFOLLOW)
#endif

/* Closes it, and leaves errno alone. */
static void close_quietly(int fd)
{
	int e = errno;

	close(fd);
	errno = e;
}

/* The directory of that name in `at`, which is no link; -1 and errno. */
static int open_component(int at, const char *name, size_t len)
{
	char *part = ccfc_strndup(name, len);
	int fd = -1;

	if (strcmp(part, "..") != 0)
		fd = openat(at, part, STEP_DIR);
	else
		errno = ENOTDIR; /* normal paths have none */
	free(part);
	return fd;
}

static unsigned count_dirs(const char *path)
{
	unsigned n = 0;

	for (const char *p = path + 1; (p = strchr(p, '/')); p++)
		n++;
	return n;
}

int ccfc_path_walk_open(const char *path, unsigned up, unsigned *missing)
{
	unsigned left = count_dirs(path);
	const char *p = path + 1;
	int at = open("/", STEP_DIR), fd;

	for (; at >= 0 && left > up; left--) {
		const char *slash = strchr(p, '/');

		fd = open_component(at, p, (size_t)(slash - p));
		if (fd < 0 && errno == ENOENT)
			break;
		close_quietly(at);
		at = fd;
		p = slash + 1;
	}
	*missing = left > up ? left - up : 0;
	if (at < 0)
		return -1;
	/* Opens the directory for use. */
	fd = openat(at, ".", OPEN_DIR);
	close_quietly(at);
	return fd;
}
