/*
 * A pipe that no child inherits, made the same way on systems that can say so
 * at once and on those (macOS) that cannot.
 */
#ifndef CCFC_OS_PIPE_H
#define CCFC_OS_PIPE_H

/* As pipe(); -1 and errno. */
int ccfc_pipe(int fds[2]);

#endif
