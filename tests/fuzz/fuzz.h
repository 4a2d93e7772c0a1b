/*
 * What all harnesses share. Each fuzz_<name>.c defines libFuzzer's one
 * function; what has to hold of any input is said with FUZZ_REQUIRE. The build
 * links a harness with libFuzzer (CCFC_FUZZ), or all of them with replay.c.
 */
#ifndef CCFC_FUZZ_H
#define CCFC_FUZZ_H

#include "base/alloc.h"
#include "base/slice.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUZZ_MAX (1u << 20) /* bytes of an input; longer ones are left out */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(what)                                                     \
	do {                                                                   \
		if (!(what)) {                                                 \
			fprintf(stderr, "%s:%d: does not hold: %s\n",          \
				__FILE__, __LINE__, #what);                    \
			abort();                                               \
		}                                                              \
	} while (0)

/*
 * A copy of just that size on the heap, so that ASan sees what is read behind
 * its end; `slack` bytes of `fill` follow. The caller frees it.
 */
static inline char *fuzz_copy(const void *data, size_t size, size_t slack,
			      char fill)
{
	char *copy = ccfc_malloc(size + slack + !(size + slack));

	if (size)
		memcpy(copy, data, size);
	memset(copy + size, fill, slack);
	return copy;
}

/* A file without a name that holds the input. */
static inline int fuzz_file(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_REQUIRE(fd >= 0);
	FUZZ_REQUIRE(write(fd, data, size) == (ssize_t)size);
	return fd;
}

/*
 * Takes the bytes up to the next newline (or all) off the front: inputs that
 * have several parts are lines, which a person can write.
 */
static inline struct ccfc_slice fuzz_line(struct ccfc_slice *rest)
{
	const char *end = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
	size_t n = end ? (size_t)(end - rest->ptr) : rest->len;
	struct ccfc_slice line = ccfc_slice(rest->ptr, n);

	n += end != NULL;
	*rest = ccfc_slice(n < rest->len ? rest->ptr + n : "", rest->len - n);
	return line;
}

#endif
