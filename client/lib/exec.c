/*
 * Starting the daemon's process. The process forks twice: the first child makes
 * a new session and ends at once, so the daemon is not a child of the caller
 * and has no terminal. Everything that needs memory is prepared before the
 * fork, because the caller may have other threads; after the fork only
 * async-signal-safe calls are made. Two pipes come back: one closes when exec
 * has worked, or brings its errno; the other is the daemon's --ready-fd.
 */
#include "base/alloc.h"
#include "lib/lib.h"
#include "os/own_path.h"
#include "os/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG_FLAGS (O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW)

#ifndef __linux__
extern char **environ;
#endif

struct plan {
	char *binary;
	char **env;
	char *env_socket; /* the only entry of env that is owned */
	int log;	  /* descriptors */
	int null;
	int ready[2];
	int exec[2];
	char ready_arg[32];
};

static bool try_binary(struct ccfc_buf *out, const char *dir, const char *tail)
{
	ccfc_buf_clear(out);
	ccfc_buf_printf(out, "%s/%s", dir, tail);
	return access(out->ptr, X_OK) == 0;
}

char *ccfc_lib_find_daemon(void)
{
	const char *named = getenv("CCFC_DAEMON");
	struct ccfc_buf self = CCFC_BUF_INIT, path = CCFC_BUF_INIT;
	char *found = NULL;

	if (named && named[0])
		return ccfc_strdup(named);
	if (ccfc_own_path(&self)) {
		*strrchr(self.ptr, '/') = '\0';
		if (try_binary(&path, self.ptr, "ccfcd") ||
		    try_binary(&path, self.ptr, "../libexec/ccfc/ccfcd") ||
		    try_binary(&path, self.ptr, "../daemon/ccfcd"))
			found = ccfc_buf_detach(&path, NULL);
	}
	ccfc_buf_release(&self);
	ccfc_buf_release(&path);
	return found ? found : ccfc_strdup("ccfcd");
}

/* The caller's environment, with CCFC_SOCKET set to the client's socket. */
static void make_env(struct plan *plan, const char *socket)
{
	struct ccfc_buf entry = CCFC_BUF_INIT;
	size_t n = 0, used = 0;

	while (environ[n])
		n++;
	plan->env = ccfc_calloc(n + 2, sizeof(*plan->env));
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "CCFC_SOCKET=", 12) != 0)
			plan->env[used++] = environ[i];
	ccfc_buf_printf(&entry, "CCFC_SOCKET=%s", socket);
	plan->env_socket = ccfc_buf_detach(&entry, NULL);
	plan->env[used] = plan->env_socket;
}

/*
 * A caller without standard descriptors would get their numbers here. The
 * daemon's descriptors are moved to these numbers later: avoid them.
 */
static int lift_above_stderr(int fd)
{
	int up, e;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	up = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	e = errno;
	close(fd);
	errno = e;
	return up;
}

static int make_pipe(int fds[2])
{
	if (ccfc_pipe(fds) < 0)
		return -1;
	fds[0] = lift_above_stderr(fds[0]);
	fds[1] = lift_above_stderr(fds[1]);
	return fds[0] < 0 || fds[1] < 0 ? -1 : 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void plan_release(struct plan *plan)
{
	free(plan->binary);
	free(plan->env);
	free(plan->env_socket);
	close_fd(&plan->log);
	close_fd(&plan->null);
	for (int i = 0; i < 2; i++) {
		close_fd(&plan->ready[i]);
		close_fd(&plan->exec[i]);
	}
}

static int log_error(const char *log, struct ccfc_err *err)
{
	int code = ccfc_err_io(err, errno, "cannot open %s", log);

	ccfc_err_hint(err, "it is the daemon's log; CCFC_STATE_DIR names "
			   "another place");
	return code;
}

static int plan_init(struct plan *plan, const char *socket, const char *log,
		     struct ccfc_err *err)
{
	*plan = (struct plan){
		.log = -1, .null = -1, .ready = { -1, -1 }, .exec = { -1, -1 }
	};
	plan->binary = ccfc_lib_find_daemon();
	make_env(plan, socket);
	plan->log = lift_above_stderr(open(log, LOG_FLAGS, 0600));
	if (plan->log < 0)
		return log_error(log, err);
	plan->null = lift_above_stderr(open("/dev/null", O_RDONLY | O_CLOEXEC));
	if (plan->null < 0)
		return ccfc_err_io(err, errno, "cannot open /dev/null");
	if (make_pipe(plan->ready) < 0 || make_pipe(plan->exec) < 0)
		return ccfc_err_io(err, errno, "cannot make a pipe");
	snprintf(plan->ready_arg, sizeof(plan->ready_arg), "--ready-fd=%d",
		 plan->ready[1]);
	return 0;
}

/* No descriptor of the caller may stay open in the daemon. */
static void close_others_on_exec(void)
{
	struct rlimit limit;
	int max = 1024;

#if defined(SYS_close_range) && defined(CLOSE_RANGE_CLOEXEC)
	if (!syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC))
		return;
#endif
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < 65536)
		max = (int)limit.rlim_cur;
	for (int fd = 3; fd < max; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the grandchild. Does not return. */
static void become_daemon(const struct plan *plan)
{
	char name[] = "ccfcd";
	char ready[sizeof(plan->ready_arg)];
	char *argv[] = { name, ready, NULL };
	int e = 0;

	memcpy(ready, plan->ready_arg, sizeof(ready));
	reset_signals();
	if (dup2(plan->null, STDIN_FILENO) < 0 ||
	    dup2(plan->log, STDOUT_FILENO) < 0 ||
	    dup2(plan->log, STDERR_FILENO) < 0)
		e = errno;
	close_others_on_exec();
	fcntl(plan->ready[1], F_SETFD, 0);
	if (!e) {
		environ = plan->env;
		execvp(plan->binary, argv);
		e = errno;
	}
	if (write(plan->exec[1], &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

static int fork_twice(const struct plan *plan, struct ccfc_err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return ccfc_err_io(err, errno, "cannot fork");
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			become_daemon(plan);
		_exit(pid < 0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/* An end of file means that exec worked. */
static int wait_for_exec(struct plan *plan, struct ccfc_err *err)
{
	int e = 0;
	ssize_t n;

	close_fd(&plan->exec[1]);
	close_fd(&plan->ready[1]);
	do
		n = read(plan->exec[0], &e, sizeof(e));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(e))
		return 0;
	ccfc_err_set(err, CCFC_EUNREACHABLE, "cannot start %s: %s",
		     plan->binary, strerror(e));
	ccfc_err_hint(err, "install ccfcd beside ccfc or set CCFC_DAEMON");
	return CCFC_EUNREACHABLE;
}

int ccfc_lib_exec(const char *path, const char *log, struct ccfc_err *err)
{
	struct plan plan;
	int r = plan_init(&plan, path, log, err);

	if (!r)
		r = fork_twice(&plan, err);
	if (!r)
		r = wait_for_exec(&plan, err);
	if (!r) {
		r = plan.ready[0];
		plan.ready[0] = -1;
	}
	plan_release(&plan);
	return r;
}
