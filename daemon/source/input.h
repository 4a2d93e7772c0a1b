/*
 * An open transcript: its file, or its kept copy in the attic. Files are opened
 * read-only and never blocking; only regular files are read, with pread. One
 * thread at a time.
 */
#ifndef CCFC_SOURCE_INPUT_H
#define CCFC_SOURCE_INPUT_H

#include "source/attic.h"

#include <stdbool.h>
#include <sys/types.h>

enum ccfc_input_status {
	CCFC_INPUT_OPEN,
	CCFC_INPUT_GONE,  /* neither a regular file nor a kept copy */
	CCFC_INPUT_ERROR, /* one exists and cannot be opened: err, errno */
};

struct ccfc_input {
	const struct ccfc_attic *attic;
	struct ccfc_attic_file *kept; /* the kept copy; NULL: the file */
	int fd;			      /* -1: not open, or a kept copy */
	uint64_t size, dev, ino;      /* dev and ino of a kept copy are 0 */
};

#define CCFC_INPUT_NONE ((struct ccfc_input){ .fd = -1 })

/* Does this errno mean that there is no such file? */
bool ccfc_input_means_gone(int errnum);

/* Opens the file; if it is gone and `attic` is not NULL, the kept copy. */
enum ccfc_input_status ccfc_input_open(struct ccfc_input *in,
				       const struct ccfc_attic *attic,
				       const char *path, struct ccfc_err *err);
/* Opens the kept copy of a generation, whether or not the file exists. */
enum ccfc_input_status ccfc_input_open_kept(struct ccfc_input *in,
					    const struct ccfc_attic *attic,
					    const char *path, uint32_t gen,
					    struct ccfc_err *err);
bool ccfc_input_is_open(const struct ccfc_input *in);
void ccfc_input_close(struct ccfc_input *in);

/* Fewer bytes than `len` only at the end; -1 and errno on failure. */
ssize_t ccfc_input_read(const struct ccfc_input *in, char *to, size_t len,
			uint64_t offset);

#endif
