/*
 * Signals as bytes; see signals.h. The pipe's writing end blocks: should
 * nobody read for 64 thousand signals, the rest stay pending in the kernel.
 */
#include "signals.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

static sigset_t ours(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	return set;
}

static void *wait_for_signals(void *arg)
{
	int fd = (int)(intptr_t)arg, number;
	sigset_t set = ours();

	for (;;) {
		char byte;

		if (sigwait(&set, &number))
			continue;
		byte = (char)number;
		if (write(fd, &byte, 1) != 1)
			return NULL;
	}
}

int ccfc_signals_start(struct ccfc_err *err)
{
	sigset_t set = ours();
	pthread_t thread;
	int fds[2], e;

	if (ccfc_fd_pipe(fds) < 0)
		return ccfc_err_errno(err, errno, "signal pipe");
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	e = pthread_create(&thread, NULL, wait_for_signals,
			   (void *)(intptr_t)fds[1]);
	if (e) {
		close(fds[0]);
		close(fds[1]);
		return ccfc_err_errno(err, e, "signal thread");
	}
	pthread_detach(thread);
	return fds[0];
}

int ccfc_signals_next(int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? byte : 0;
}
