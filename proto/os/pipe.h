/*
 * Descriptors: a close-on-exec pipe, also on systems without pipe2 (macOS);
 * non-blocking mode; and a pipe as a bell between two threads.
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

/* A pipe both of whose ends are non-blocking; -1 and errno. */
int ccfc_bell(int fds[2]);
/* fds[1]: makes fds[0] readable, which it is already if the pipe is full. */
void ccfc_bell_ring(int fd);
/* fds[0]: takes all that was rung. */
void ccfc_bell_silence(int fd);

#endif
