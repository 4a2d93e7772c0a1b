/*
 * Manifests: the kept part of one transcript, or the kept files of one
 * directory. A manifest is a file with a head and the head's checksum. Contents
 * that are too small for a blob follow, with checksums of their own. The time
 * of a manifest is that of its transcript: the oldest transcripts go first,
 * however lately they were archived.
 */
#ifndef CCFC_ARCHIVE_MANIFESTS_H
#define CCFC_ARCHIVE_MANIFESTS_H

#include "blobs/blobs.h"
#include "source/classify.h"

#include <stdint.h>

/* The content of a segment has the id of its session replaced (cut.h). */
#define CCFC_SEGMENT_PLAIN 1u
/* No line has a CCFC_ATTIC_NOTE. */
#define CCFC_SEGMENT_NO_NOTE 2u

struct ccfc_segment {
	uint64_t offset;
	uint32_t len;
	uint32_t flags;
	uint32_t runs; /* of lines that are stored first (line_order.h) */
	struct ccfc_blob_key key;
};

/* The most runs that a manifest can hold. */
#define CCFC_REST_RUNS_MAX 65535u

/* A version of a transcript. */
struct ccfc_archive_version {
	uint32_t since; /* the first generation that has these bytes */
	uint32_t marker_len;
	uint64_t end;	 /* how much is kept */
	uint64_t marker; /* as in struct ccfc_cursor, of `end` */
	struct {
		struct ccfc_segment *items;
		uint32_t n, cap;
	} segments;
	struct ccfc_buf rest; /* behind the segments, packed; or empty */
	uint32_t rest_runs;   /* as `runs`; at most CCFC_REST_RUNS_MAX */
	bool rest_no_note;    /* as CCFC_SEGMENT_NO_NOTE */
};

struct ccfc_archive_manifest {
	char *path, *session, *agent;
	bool is_agent;
	uint8_t owner;	 /* enum ccfc_owner, the first foreign one seen */
	int64_t written; /* when the transcript was last written, in seconds */
	struct {
		struct ccfc_archive_version *items; /* by `since` */
		uint32_t n, cap;
	} versions;
};

/* A file that is not a transcript. */
struct ccfc_kept_file {
	char *name;
	int64_t mtime; /* in nanoseconds */
	uint64_t size;
	struct ccfc_blob_key key;
	struct ccfc_buf packed; /* the content, if it has no blob */
};

struct ccfc_kept_dir {
	char *path;
	int64_t seen;	 /* the directory's time at its listing; 0: unknown */
	int64_t written; /* of the latest transcript with these files */
	struct {
		struct ccfc_kept_file *items;
		uint32_t n, cap;
	} files;
};

/* The place of the manifest for `path`. */
void ccfc_archive_manifest_name(struct ccfc_buf *out, const char *dir,
				struct ccfc_slice path);

/* The end of the segments, where the rest begins. */
uint64_t ccfc_archive_version_cut(const struct ccfc_archive_version *version);
/* The version of a generation, or NULL. */
struct ccfc_archive_version *
ccfc_archive_manifest_version(const struct ccfc_archive_manifest *m,
			      uint32_t gen);
/* Adds a version, which must have the greatest `since`. */
struct ccfc_archive_version *
ccfc_archive_manifest_add(struct ccfc_archive_manifest *m, uint32_t since);
void ccfc_archive_manifest_release(struct ccfc_archive_manifest *m);
void ccfc_kept_dir_release(struct ccfc_kept_dir *d);

/*
 * Reads a manifest file: CCFC_ENOTFOUND, CCFC_ECORRUPT, CCFC_EIO. The caller
 * releases `out` in any case.
 */
int ccfc_archive_manifest_read(struct ccfc_archive_manifest *out,
			       const char *file, struct ccfc_err *err);
int ccfc_kept_dir_read(struct ccfc_kept_dir *out, const char *file,
		       struct ccfc_err *err);

/* Writes the file, and returns 0 when it is on the disk. */
int ccfc_archive_manifest_write(const struct ccfc_archive_manifest *m,
				const char *file, struct ccfc_err *err);
int ccfc_kept_dir_write(const struct ccfc_kept_dir *d, const char *file,
			struct ccfc_err *err);
/* Only sets `written` of a manifest file; a failure is ignored. */
void ccfc_archive_manifest_touch(const char *file, int64_t written);

#endif
