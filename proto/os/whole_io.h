/* Reading and writing all bytes: continues after a signal or a short count. */
#ifndef CCFC_OS_WHOLE_IO_H
#define CCFC_OS_WHOLE_IO_H

#include "base/buf.h"

#include <stdint.h>
#include <sys/types.h>

/* Writes all bytes at the descriptor's position, or at `at`; -1 and errno. */
int ccfc_write_all(int fd, struct ccfc_slice bytes);
int ccfc_write_all_at(int fd, struct ccfc_slice bytes, uint64_t at);

/* Reads `len` bytes at `at`; fewer only at the end. -1 and errno. */
ssize_t ccfc_read_at(int fd, void *to, size_t len, uint64_t at);

/*
 * Appends `len` bytes from the descriptor's position. -1 and errno; errno is 0
 * if the file ends early. The bytes read until then are appended.
 */
int ccfc_read_bytes(struct ccfc_buf *out, int fd, size_t len);

/* Gives a copy the times of its original, if possible. */
void ccfc_copy_time(int from, int to);

#endif
