/*
 * Wakes a running daemon that lost its socket (the socket's directory was
 * removed, for instance a runtime directory at logout). The lock of the state
 * directory shows that the daemon lives. After a signal the daemon listens
 * again and counts its check in the lock file (os/holder.h). A daemon with
 * another socket than the wanted one is left alone.
 */
#include "base/time.h"
#include "lib/lib.h"
#include "os/dirs.h"
#include "os/holder.h"

#include <poll.h>

#define LIMIT_MS 10000
#define TURN_MS	 10

static int cannot_listen(const struct ccfc_holder *holder, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EBUSY,
		     "the daemon (pid %ld) is not reachable: %s", holder->pid,
		     holder->why[0] ? holder->why : "its socket is gone");
	ccfc_err_hint(err, "fix that, or end the daemon with: kill %ld",
		      holder->pid);
	return CCFC_EBUSY;
}

static int fail_silent(const struct ccfc_holder *holder, const char *path,
		       struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EBUSY,
		     "the daemon (pid %ld) does not listen at %s again in time",
		     holder->pid, path);
	ccfc_err_hint(err, "end it with: kill %ld", holder->pid);
	return CCFC_EBUSY;
}

/* Waits until the daemon listens, cannot listen, or has ended. */
static int wait_for(const struct ccfc_holder *holder, const char *dir,
		    const char *path, struct ccfc_err *err)
{
	int64_t end = ccfc_time_monotonic() + LIMIT_MS;
	struct ccfc_holder now;

	do {
		int fd;

		/*
		 * Read this first, so that the dial comes after the daemon's
		 * check.
		 */
		ccfc_holder_read(&now, dir);
		fd = ccfc_lib_dial(path, err);
		if (fd != CCFC_EUNREACHABLE)
			return fd;
		if (now.pid != holder->pid || strcmp(now.socket, path) != 0)
			return fd;
		if (now.looks != holder->looks)
			return cannot_listen(&now, err);
		poll(NULL, 0, TURN_MS);
	} while (ccfc_time_monotonic() < end);
	return fail_silent(holder, path, err);
}

int ccfc_lib_wake(const char *path, struct ccfc_err *err)
{
	struct ccfc_buf dir = CCFC_BUF_INIT;
	struct ccfc_holder holder = { 0 };
	int r = CCFC_EUNREACHABLE;

	if (!ccfc_dirs_state(&dir, NULL))
		ccfc_holder_read(&holder, dir.ptr);
	if (holder.pid && !strcmp(holder.socket, path) &&
	    ccfc_holder_poke(dir.ptr, holder.pid))
		r = wait_for(&holder, dir.ptr, path, err);
	ccfc_buf_release(&dir);
	return r;
}
