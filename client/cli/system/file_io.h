/* Reading and writing whole files, and random names. */
#ifndef CCFC_CLI_SYSTEM_FILE_IO_H
#define CCFC_CLI_SYSTEM_FILE_IO_H

#include "os/whole_io.h"

/*
 * Appends all of the regular file, or -1 and errno: EFBIG when it is larger
 * than what one reply of the daemon could hold.
 */
int ccfc_read_all(struct ccfc_buf *out, int fd);

/* fsync() of a directory; -1 and errno. */
int ccfc_sync_dir(int fd);

/* Unguessable hex digits; `n` of them (32 at most) and a NUL. */
void ccfc_random_hex(char *out, size_t n);

#endif
