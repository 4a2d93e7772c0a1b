/*
 * Descriptors: a close-on-exec pipe, also on systems without pipe2 (macOS); and
 * non-blocking mode.
 */
#ifndef CCFC_OS_PIPE_H
#define CCFC_OS_PIPE_H

/* As pipe(); -1 and errno. */
int ccfc_pipe(int fds[2]);

/*
 * Makes reads and writes non-blocking; -1 and errno. A caller that reads until
 * nothing is left must not continue if this fails.
 */
int ccfc_fd_nonblock(int fd);

#endif
