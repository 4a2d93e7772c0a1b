/*
 * Signals as bytes; see signals.h. The pipe's write end blocks: if nobody reads
 * 64 thousand signals, the rest stay pending in the kernel.
 */
#include "signals.h"

#include "os/pipe.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int bell[2]; /* a process has its signals once */

static sigset_t handled_signals(void)
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
	sigset_t set = handled_signals();
	int number;

	(void)arg;
	for (;;) {
		char byte;

		if (sigwait(&set, &number))
			continue;
		byte = (char)number;
		if (write(bell[1], &byte, 1) != 1)
			return NULL;
	}
}

int ccfc_signals_start(struct ccfc_err *err)
{
	sigset_t set = handled_signals();
	pthread_t thread;
	int e;

	if (ccfc_pipe(bell) < 0)
		return ccfc_err_errno(err, errno, "signal pipe");
	if (ccfc_fd_nonblock(bell[0]) < 0) {
		e = errno;
		close(bell[0]);
		close(bell[1]);
		return ccfc_err_errno(err, e, "signal pipe");
	}
	signal(SIGPIPE, SIG_IGN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	e = pthread_create(&thread, NULL, wait_for_signals, NULL);
	if (e) {
		close(bell[0]);
		close(bell[1]);
		return ccfc_err_errno(err, e, "signal thread");
	}
	pthread_detach(thread);
	return bell[0];
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
