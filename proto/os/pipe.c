/* Descriptors; see pipe.h. */
#include "os/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int ccfc_pipe(int fds[2])
{
#ifdef __APPLE__
	if (pipe(fds) < 0)
		return -1;
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	return 0;
#else
	return pipe2(fds, O_CLOEXEC);
#endif
}

int ccfc_fd_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int ccfc_bell(int fds[2])
{
	int error;

	if (ccfc_pipe(fds) < 0)
		return -1;
	if (!ccfc_fd_nonblock(fds[0]) && !ccfc_fd_nonblock(fds[1]))
		return 0;
	error = errno;
	close(fds[0]);
	close(fds[1]);
	fds[0] = fds[1] = -1;
	errno = error;
	return -1;
}

void ccfc_bell_ring(int fd)
{
	while (write(fd, "", 1) < 0 && errno == EINTR)
		;
}

void ccfc_bell_silence(int fd)
{
	char bytes[256];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}
