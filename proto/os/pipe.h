/*
 * Descriptors: a pipe that no child inherits, made the same way on systems
 * that can say so at once and on those (macOS) that cannot; and one that does
 * not block.
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
