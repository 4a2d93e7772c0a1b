/*
 * Manifests in memory for readers. A question opens the same transcripts
 * several times, and most of a manifest's file is the rest of the transcript.
 * So a manifest stays in memory while there are readers, as long as nobody has
 * replaced the file. When there are 64, all that nobody uses are freed before
 * another one is kept. Any thread.
 */
#ifndef CCFC_ARCHIVE_SHARED_MANIFESTS_H
#define CCFC_ARCHIVE_SHARED_MANIFESTS_H

#include "archive/manifests.h"

struct ccfc_shared_manifests;

struct ccfc_shared_manifest {
	struct ccfc_archive_manifest manifest; /* nobody changes it */
	struct ccfc_shared_manifest *next;
	char *file;
	struct timespec changed; /* of the file, … */
	uint64_t dev, ino, size; /* … which differ if it was replaced */
	uint32_t users;
};

struct ccfc_shared_manifests *ccfc_shared_manifests_new(void);
/* All manifests were given back. May be NULL. */
void ccfc_shared_manifests_free(struct ccfc_shared_manifests *all);

/* As ccfc_archive_manifest_read; errno is that of a failure. */
int ccfc_shared_manifest_take(struct ccfc_shared_manifests *all,
			      const struct ccfc_shared_manifest **out,
			      const char *file, struct ccfc_err *err);
void ccfc_shared_manifest_give(struct ccfc_shared_manifests *all,
			       const struct ccfc_shared_manifest *shared);
/* Frees the manifests that nobody uses. */
void ccfc_shared_manifests_drop(struct ccfc_shared_manifests *all);

#endif
