/* Descriptors; see pipe.h. */
#include "os/pipe.h"

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
