/* ccfcd: reads its settings, takes the lock, runs the loop. */
#include "base/alloc.h"
#include "config.h"
#include "loop.h"
#include "os/holder.h"
#include "os/log.h"
#include "store/lock.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* 5 seconds, by 20 ms. */
#define LOCK_TRIES 250

static int print_error(const struct ccfc_err *err)
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

/* A daemon that lost its socket creates it again on SIGHUP. */
static void wake_other_daemon(const struct ccfc_config *config)
{
	struct ccfc_holder holder;

	ccfc_holder_read(&holder, config->state_dir);
	if (holder.pid && !strcmp(holder.socket, config->socket_path))
		ccfc_holder_poke(config->state_dir, holder.pid);
}

/*
 * Takes the lock; CCFC_EBUSY: a daemon is running. A daemon that holds the lock
 * and does not answer is starting or ending: wait, so that a restart right
 * after a stop works.
 */
static int take_lock(const struct ccfc_config *config, long *pid,
		     struct ccfc_err *err)
{
	const struct timespec pause = { 0, 20 * 1000000 };
	int lock = ccfc_lock_take(config->state_dir, pid, err);

	if (lock == CCFC_EBUSY && !is_served(config->socket_path))
		wake_other_daemon(config);
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
	ccfc_alloc_stay_small();
	r = ccfc_config_read(&config, argc, argv, &err);
	if (r) {
		ccfc_config_release(&config);
		return r > 0 ? 0 : print_error(&err);
	}
	ccfc_log_set_level(config.log_level);
	/* All paths are absolute by now; keep no directory busy. */
	if (chdir("/"))
		ccfc_log(CCFC_LOG_WARN, "cannot change to /");
	lock = take_lock(&config, &pid, &err);
	if (lock == CCFC_EBUSY) {
		/* A daemon is running, which is what was wanted. */
		fprintf(stderr, "ccfcd: already running (pid %ld)\n", pid);
		ccfc_config_release(&config);
		return 0;
	}
	r = lock < 0 ? lock : ccfc_loop_run(&config, &lock, &err);
	if (lock >= 0)
		close(lock);
	ccfc_config_release(&config);
	return r ? print_error(&err) : 0;
}
