/*
 * The part of the archive that readers of transcripts need: the bytes of files
 * that are gone. The archive is above this folder. One thread uses a struct
 * ccfc_attic_file; any thread may call the functions of a struct ccfc_attic.
 */
#ifndef CCFC_SOURCE_ATTIC_H
#define CCFC_SOURCE_ATTIC_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* The last generation that is kept. */
#define CCFC_ATTIC_LAST UINT32_MAX

struct ccfc_attic_file;

/* A kept file that is no transcript. */
struct ccfc_attic_info {
	int64_t mtime; /* in nanoseconds */
	uint64_t size;
	uint64_t stamp; /* differs if the content does */
};

/* In each record by which the client notes that a hook changed a file. */
#define CCFC_ATTIC_NOTE "hook_additional_context"

/* A line of a transcript. */
struct ccfc_attic_line {
	const char *path;
	uint32_t gen; /* as for `open` */
	uint64_t offset;
};

typedef void (*ccfc_attic_fn)(void *arg, struct ccfc_slice name,
			      const struct ccfc_attic_info *info);

struct ccfc_attic {
	void *ctx;
	/*
	 * The transcript that was at `path`, with the bytes that it had when
	 * its lines were read as generation `gen`. CCFC_ENOTFOUND: not kept, or
	 * damaged; others, with errno: the copy cannot be opened now.
	 */
	int (*open)(void *ctx, struct ccfc_attic_file **out, const char *path,
		    uint32_t gen, uint64_t *size, struct ccfc_err *err);
	/*
	 * Bytes from `offset` on, fewer only at the end. Damaged bytes read as
	 * newlines, so that the lines around them are found. -1 and errno:
	 * there is no descriptor left to read with.
	 */
	ssize_t (*read)(struct ccfc_attic_file *file, char *to, size_t len,
			uint64_t offset);
	/*
	 * May these bytes have a CCFC_ATTIC_NOTE? False: certainly not, and
	 * they need not be read for one.
	 */
	bool (*may_have_note)(struct ccfc_attic_file *file, uint64_t offset,
			      size_t len);
	void (*close)(struct ccfc_attic_file *file);
	/*
	 * A kept file: replaces the content of `out`. CCFC_ENOTFOUND,
	 * CCFC_ETOOBIG, CCFC_ECORRUPT.
	 */
	int (*get)(void *ctx, struct ccfc_buf *out,
		   struct ccfc_attic_info *info, const char *path, size_t max);
	/* The kept files of a directory. */
	void (*list)(void *ctx, const char *dir, ccfc_attic_fn fn, void *arg);
	/*
	 * Decompressed bytes stay in memory while anybody holds them: a
	 * question may open the same transcripts several times. Each hold
	 * needs an end_hold.
	 */
	void (*hold)(void *ctx);
	void (*end_hold)(void *ctx);
	/*
	 * These lines may be read soon, in about this order: other threads may
	 * decompress them ahead. The list is copied; an empty list ends that.
	 */
	void (*expect)(void *ctx, const struct ccfc_attic_line *lines,
		       uint32_t n);
};

#endif
