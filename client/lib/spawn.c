/*
 * Starts a daemon. Several clients may do so at the same time, but only one
 * daemon may result, so the starter holds a lock (a file beside the socket)
 * from its last attempt to connect until the daemon is ready. The other clients
 * try to connect and to lock in turn: all connect as soon as the socket exists,
 * and one of them takes over if the starter dies.
 */
#include "base/time.h"
#include "lib/lib.h"
#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define READY_MS 10000
#define TURN_MS	 10
#define ATTEMPTS 2
#define OTHER_STATE                                                            \
	"the daemon keeps its index there; CCFC_STATE_DIR names another place"
/* The beginning of the daemon's last log line when it fails to start. */
#define DAEMON_SAYS "ccfcd: "
#define DAEMON_RUNS "already running"

static int open_lock(const char *path, struct ccfc_err *err)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	int fd;

	ccfc_buf_printf(&name, "%s.spawn", path);
	fd = open(name.ptr, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		fd = ccfc_err_io(err, errno, "cannot open %s", name.ptr);
	ccfc_buf_release(&name);
	return fd;
}

static int log_path(struct ccfc_buf *out, struct ccfc_err *err)
{
	int r = ccfc_dirs_state(out, err);

	if (r < 0)
		return r;
	r = ccfc_dirs_make(out->ptr, err);
	if (r < 0)
		ccfc_err_hint(err, OTHER_STATE);
	ccfc_buf_puts(out, "/ccfcd.log");
	return r;
}

/* True: the daemon is ready or has ended; false: the time ran out. */
static bool wait_ready(int fd)
{
	int64_t end = ccfc_time_monotonic() + ccfc_time_patience(READY_MS);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left;

	while ((left = end - ccfc_time_monotonic()) > 0) {
		int r = poll(&p, 1, (int)left);

		if (r > 0)
			return true;
		if (r < 0 && errno != EINTR)
			return false;
	}
	return false;
}

static off_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_size;
}

/* The daemon's last complaint in the log after offset `from`, or "". */
static const char *last_words(char *text, size_t size, const char *log,
			      off_t from)
{
	int fd = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? 0 : pread(fd, text, size - 1, from);
	char *words;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	words = strstr(text, DAEMON_SAYS);
	if (!words)
		return "";
	words += strlen(DAEMON_SAYS);
	words[strcspn(words, "\n")] = '\0';
	return words;
}

/* *again: another daemon may have been ending; try again. */
static int fail_ended(const char *path, const char *log, off_t from,
		      bool *again, struct ccfc_err *err)
{
	char text[CCFC_ERR_WHAT_MAX];
	const char *words = last_words(text, sizeof(text), log, from);

	*again = strncmp(words, DAEMON_RUNS, strlen(DAEMON_RUNS)) != 0;
	if (*again) {
		ccfc_err_set(err, CCFC_EUNREACHABLE,
			     "the daemon was started and ended at once%s%s",
			     *words ? ": " : "", words);
		ccfc_err_hint(err, "see %s", log);
		return CCFC_EUNREACHABLE;
	}
	/* The starter has waited long enough for the other daemon. */
	ccfc_err_set(err, CCFC_EUNREACHABLE, "the daemon is %s, but not at %s",
		     words, path);
	ccfc_err_hint(err, "use the CCFC_SOCKET that the daemon was started "
			   "with, or set CCFC_STATE_DIR too");
	return CCFC_EUNREACHABLE;
}

static int start_program(const char *path, const char *log, bool *again,
			 struct ccfc_err *err)
{
	off_t from = file_size(log);
	int ready = ccfc_lib_exec(path, log, err);
	bool in_time;
	int fd;

	*again = false;
	if (ready < 0)
		return ready;
	in_time = wait_ready(ready);
	close(ready);
	fd = ccfc_lib_dial(path, err);
	if (fd != CCFC_EUNREACHABLE)
		return fd;
	if (in_time)
		return fail_ended(path, log, from, again, err);
	ccfc_err_set(err, fd, "the daemon was started but is not ready");
	ccfc_err_hint(err, "see %s", log);
	return fd;
}

/* The caller holds the lock. */
static int start_with_retry(const char *path, struct ccfc_err *err)
{
	struct ccfc_buf log = CCFC_BUF_INIT;
	bool again = true;
	int r = log_path(&log, err);

	if (!r)
		for (int i = 0; again && i < ATTEMPTS; i++)
			r = start_program(path, log.ptr, &again, err);
	ccfc_buf_release(&log);
	return r;
}

/* Locks or connects, whichever works first; *fd is -1 after a lock. */
static int lock_or_dial(int lock, const char *path, int *fd,
			struct ccfc_err *err)
{
	/* The holder may need two attempts. */
	int64_t end = ccfc_time_monotonic() +
		      ccfc_time_patience((ATTEMPTS + 1) * READY_MS);

	*fd = -1;
	while (flock(lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return ccfc_err_io(err, errno, "cannot lock %s.spawn",
					   path);
		*fd = ccfc_lib_dial(path, err);
		if (*fd != CCFC_EUNREACHABLE)
			return *fd < 0 ? *fd : 0;
		if (ccfc_time_monotonic() > end)
			return ccfc_err_set(err, CCFC_EUNREACHABLE,
					    "another process has been starting "
					    "the daemon for too long");
		poll(NULL, 0, TURN_MS);
	}
	*fd = -1;
	return 0;
}

int ccfc_lib_spawn(const char *path, struct ccfc_err *err)
{
	int r = ccfc_dirs_make_parent(path, err);
	int lock, fd;

	if (r < 0)
		return r;
	lock = open_lock(path, err);
	if (lock < 0)
		return lock;
	r = lock_or_dial(lock, path, &fd, err);
	if (!r && fd < 0) {
		fd = ccfc_lib_dial(path, err);
		if (fd == CCFC_EUNREACHABLE)
			fd = start_with_retry(path, err);
	}
	close(lock);
	return r < 0 ? r : fd;
}
