/*
 * An export that is being written: its files and their checksums. For the files
 * of state_export.h only.
 */
#ifndef CCFC_CLI_STATE_STATE_FILES_H
#define CCFC_CLI_STATE_STATE_FILES_H

#include "base/map.h"
#include "base/sha256.h"
#include "cli/frame/cli.h"

struct ccfc_state_file {
	char *name;
	char sum[CCFC_SHA256_HEX + 1];
	uint64_t bytes;
};

struct ccfc_state_job {
	struct ccfc_cli *cli;
	const char *dir;
	char *state; /* the archive's directory */
	struct {
		struct ccfc_state_file *items;
		uint32_t n, cap;
	} files; /* that were copied */
	struct ccfc_map by_name;
	struct ccfc_err *err;
};

/* NULL: there is none. */
struct ccfc_state_file *ccfc_state_find_file(struct ccfc_state_job *job,
					     const char *name);
/* Until the next one is added. */
struct ccfc_state_file *ccfc_state_add_file(struct ccfc_state_job *job,
					    const char *name);
/* Missing directories are created. Both set the file's checksum and size. */
int ccfc_state_write_file(struct ccfc_state_job *job,
			  struct ccfc_state_file *file,
			  struct ccfc_slice bytes);
int ccfc_state_copy_open(struct ccfc_state_job *job,
			 struct ccfc_state_file *file, int in);

/* state_seen.c: disk events with their contents; names and tags. */
int ccfc_state_copy_seen(struct ccfc_state_job *job,
			 const struct ccfc_query *query);
int ccfc_state_copy_labels(struct ccfc_state_job *job,
			   const struct ccfc_query *query);

#endif
