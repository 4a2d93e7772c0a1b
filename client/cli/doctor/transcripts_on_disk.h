/*
 * The transcripts below Claude Code's directories as they are on disk, without
 * asking the daemon: the files below <root>/projects that have a transcript's
 * name. Symbolic links are not followed.
 */
#ifndef CCFC_CLI_DOCTOR_TRANSCRIPTS_ON_DISK_H
#define CCFC_CLI_DOCTOR_TRANSCRIPTS_ON_DISK_H

#include "os/claude_dir.h"

#include <stdbool.h>
#include <stdint.h>

struct ccfc_transcript {
	char *path;
	int64_t mtime; /* milliseconds */
	int64_t size;
	uint32_t root; /* index of its root */
};

struct ccfc_transcripts {
	struct ccfc_transcript *items; /* oldest write first */
	uint32_t n, cap;
	char *denied;	  /* the first that cannot be read, or NULL */
	uint32_t denials; /* how many there are */
};

/* Release `out` after use. */
void ccfc_transcripts_find(struct ccfc_transcripts *out,
			   const struct ccfc_claude_roots *roots);
void ccfc_transcripts_release(struct ccfc_transcripts *t);

/*
 * With `read` bytes read, were all complete lines (up to the last newline)
 * read? False also if the file cannot be checked.
 */
bool ccfc_transcript_is_read(const struct ccfc_transcript *t, int64_t read);

#endif
