/* ccfcd: reads its settings, takes the lock, runs the loop. */
#include "base/log.h"
#include "config.h"
#include "loop.h"
#include "store/lock.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* 5 seconds, by 20 ms. */
#define LOCK_TRIES 250

/*
 * What a large reply or line took goes back to the system at once: glibc
 * would otherwise learn from each that large blocks are worth keeping.
 */
static void stay_small(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_ARENA_MAX, 2);
#endif
}

static int complain_main(const struct ccfc_err *err)
{
	fprintf(stderr, "ccfcd: %s\n", err->what);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
	return 2;
}

/* Does a daemon answer there? */
static bool is_served(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, r;

	if (strlen(path) >= sizeof(addr.sun_path))
		return false;
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0)
		return false;
	r = connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	close(fd);
	return !r;
}

/*
 * The lock, or CCFC_EBUSY when a daemon is running. One that holds the lock
 * and does not answer is just starting or about to end: we wait for either,
 * so that a restart right after a stop finds its way.
 */
static int take_lock(const struct ccfc_config *config, long *pid,
		     struct ccfc_err *err)
{
	const struct timespec pause = { 0, 20 * 1000000 };
	int lock = ccfc_lock_take(config->state_dir, pid, err);

	for (int tries = 0; lock == CCFC_EBUSY && tries < LOCK_TRIES &&
			    !is_served(config->socket_path);
	     tries++) {
		nanosleep(&pause, NULL);
		lock = ccfc_lock_take(config->state_dir, pid, err);
	}
	return lock;
}

int main(int argc, char **argv)
{
	struct ccfc_config config;
	struct ccfc_err err = { 0 };
	long pid = 0;
	int r, lock;

	/* Everything that we make is for our user alone. */
	umask(077);
	stay_small();
	r = ccfc_config_read(&config, argc, argv, &err);
	if (r) {
		ccfc_config_release(&config);
		return r > 0 ? 0 : complain_main(&err);
	}
	ccfc_log_set_level(config.log_level);
	/* All paths are absolute by now; keep no directory busy. */
	if (chdir("/"))
		ccfc_log(CCFC_LOG_WARN, "cannot change to /");
	lock = take_lock(&config, &pid, &err);
	if (lock == CCFC_EBUSY) {
		/* What was wanted, a running daemon, is there. */
		fprintf(stderr, "ccfcd: already running (pid %ld)\n", pid);
		ccfc_config_release(&config);
		return 0;
	}
	r = lock < 0 ? lock : ccfc_loop_run(&config, &err);
	if (lock >= 0)
		close(lock);
	ccfc_config_release(&config);
	return r ? complain_main(&err) : 0;
}
